//! SFEN: what is written is read back, all faults are named together, and no text does harm.

use crate::oracle::play::random_game;
use crate::oracle::setups::{Style, for_all};
use crate::shell::is_tidy;
use crate::stopwatch::Stopwatch;
use komainu::position::{FaultKinds, Handicap, Position, PositionFault, START_SFEN, SfenError, SfenFault};
use komainu::types::{Color, Piece, PieceType, Square};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::time::Duration;

/// Seed of the random games here.
const GAME_SEED: u64 = 0x5FE4_0001;
/// Seed of all random texts and setups here.
const TEXT_SEED: u64 = 20_260_714;

fn read(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

fn refused(sfen: &str) -> SfenError {
    match Position::from_sfen(sfen) {
        Ok(pos) => panic!("{sfen} was read as {}", pos.to_sfen()),
        Err(error) => error,
    }
}

/// Whether board, hands, side to move and counter are the same.
fn is_same(a: &Position, b: &Position) -> bool {
    Square::ALL.into_iter().all(|square| a.piece_on(square) == b.piece_on(square))
        && Color::ALL.into_iter().all(|color| a.hand(color) == b.hand(color) && a.king(color) == b.king(color))
        && (a.side(), a.ply(), a.key(), a.checkers()) == (b.side(), b.ply(), b.key(), b.checkers())
}

fn survives_text(pos: &Position) -> Result<(), String> {
    let sfen = pos.to_sfen();
    let again = Position::from_sfen(&sfen).map_err(|error| format!("{sfen}: {error}"))?;
    if !is_same(pos, &again) || again.to_sfen() != sfen {
        return Err(format!("{sfen} was read as {}", again.to_sfen()));
    }
    if !sfen.bytes().all(|b| b.is_ascii_graphic() || b == b' ') || sfen.split(' ').count() != 4 {
        return Err(format!("{sfen:?} is not four fields of ASCII"));
    }
    again.validate()
}

#[test]
fn positions_of_random_games_survive_their_text() {
    let mut positions = 0;
    for game in 0..120 {
        random_game(GAME_SEED, game, |pos| {
            positions += 1;
            if let Err(fault) = survives_text(pos) {
                panic!("seed {GAME_SEED:#x}, game {game}: {fault}");
            }
        });
    }
    assert!(positions > 10_000, "only {positions} positions");
}

#[test]
fn random_setups_survive_their_text() {
    for style in Style::ALL {
        for_all(TEXT_SEED, 2_000, style.positions(), |pos| survives_text(&pos).map_err(TestCaseError::fail));
    }
}

#[test]
fn published_positions_are_written_as_they_were_read() {
    for sfen in [
        START_SFEN,
        Handicap::SixPieces.sfen(),
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1000000",
        "g1+P1k1+P+P+L/1p3P3/+R+p2pp1pl/1NNsg+p2+R/+b+nL+P1+p3/1P3ssP1/2P1+Ps2N/4+P1P1L/+B5G1g b - 1",
        "8k/9/7GG/9/9/9/9/9/9 b - 1",
    ] {
        assert_eq!(read(sfen).to_sfen(), sfen);
        assert_eq!(sfen.parse::<Position>().map(|pos| pos.to_sfen()), Ok(sfen.to_string()));
    }
}

#[test]
fn the_counter_may_be_missing_and_is_held_within_its_range() {
    let board = "4k4/9/9/9/9/9/9/9/4K4 b -";
    for (counter, ply) in [
        ("", 1),
        (" 0", 1),
        (" 1", 1),
        (" 007", 7),
        (" 512", 512),
        (" 1000000", 1_000_000),
        (" 1000001", 1_000_000),
        (" 4294967296", 1_000_000),
        (" 99999999999999999999999999999999", 1_000_000),
    ] {
        assert_eq!(read(&format!("{board}{counter}")).ply(), ply, "{counter}");
    }
    for counter in ["-1", "+1", "1.0", "1e3", "x", "0x10", "1_000"] {
        let error = refused(&format!("{board} {counter}"));
        assert_eq!(error.faults(), [SfenFault::BadCounter(counter.to_string())]);
    }
}

#[test]
fn fields_may_be_set_apart_by_any_blanks() {
    let text = "  4k4/9/9/9/9/9/9/9/4K4\t\tw\r 2P   17 \r\n";
    assert_eq!(read(text).to_sfen(), "4k4/9/9/9/9/9/9/9/4K4 w 2P 17");
}

#[test]
fn hands_come_in_any_order_and_repeated_letters_add_up() {
    let hands = |text: &str| {
        let pos = read(&format!("4k4/9/9/9/9/9/9/9/4K4 b {text} 1"));
        pos.to_sfen().split(' ').nth(2).expect("a hand").to_string()
    };
    assert_eq!(hands("p10PRbB2g"), "RB10Pb2gp");
    assert_eq!(hands("18pRr2G2gb4SB4nL3l"), "RB2G4SLrb2g4n3l18p");
    assert_eq!(hands("PPP"), "3P");
    assert_eq!(hands("P2pP1p08P"), "10P3p");
    assert_eq!(read("4k4/9/9/9/9/9/9/9/4K4 b - 1").to_sfen(), read("4k4/9/9/9/9/9/9/9/4K4 b -").to_sfen());
    for text in ["18P", "4G4S4N4L2B2R18P", "10P8p", "12P", "2R", "17p"] {
        assert_eq!(read(&with_hands(text)).to_sfen().len(), read(&with_hands("-")).to_sfen().len() - 1 + text.len());
    }
}

/// A board on which only the hands can be at fault.
fn with_hands(hands: &str) -> String {
    format!("4k4/9/9/9/9/9/9/9/4K4 b {hands} 1")
}

/// A SFEN and the faults that it has, each with the words of its message.
fn assert_faults(sfen: &str, expected: &[(SfenFault, FaultKinds, &str)]) {
    let error = refused(sfen);
    let faults: Vec<SfenFault> = expected.iter().map(|(fault, ..)| fault.clone()).collect();
    assert_eq!(error.faults(), faults, "{sfen}");
    let mut kinds = FaultKinds::empty();
    for (fault, kind, words) in expected {
        assert_eq!(fault.kind(), *kind, "{fault:?}");
        assert!(fault.to_string().contains(words), "{fault} does not say {words}");
        assert!(error.to_string().contains(words), "{error} does not say {words}");
        kinds |= *kind;
    }
    assert_eq!(error.kinds(), kinds, "{sfen}");
    assert!(is_tidy(&error.to_string()), "{error}");
}

#[test]
fn each_fault_of_the_text_is_named_with_its_token() {
    use SfenFault::*;
    let one =
        |sfen: &str, fault: SfenFault, kind: FaultKinds, words: &str| assert_faults(sfen, &[(fault, kind, words)]);
    let side = (Missing("side"), FaultKinds::SIDE, "side is missing");
    let hand = (Missing("hand"), FaultKinds::HAND, "hand is missing");
    assert_faults("", &[(Missing("board"), FaultKinds::BOARD, "board is missing"), side.clone(), hand.clone()]);
    assert_faults("4k4/9/9/9/9/9/9/9/4K4", &[side, hand.clone()]);
    assert_faults("4k4/9/9/9/9/9/9/9/4K4 b", &[hand]);
    one("4k4/9/9/9/9/9/9/4K4 b - 1", WrongRankCount(8), FaultKinds::BOARD, "8 ranks");
    one("4k4/9/9/9/9/9/9/9/9/4K4 b - 1", WrongRankCount(10), FaultKinds::BOARD, "10 ranks");
    let long = WrongRankLength('b', "1r5b2".to_string(), 10);
    one("4k4/1r5b2/9/9/9/9/9/9/4K4 b - 1", long, FaultKinds::BOARD, "rank b \"1r5b2\" has 10");
    let short = WrongRankLength('i', "4K3".to_string(), 8);
    one("4k4/9/9/9/9/9/9/9/4K3 b - 1", short, FaultKinds::BOARD, "rank i \"4K3\" has 8");
    one("4k4/9/9/9/4x4/9/9/9/4K4 b - 1", UnknownPiece('x'), FaultKinds::BOARD, "\"x\"");
    one("4k4/9/9/9/4\u{6b69}4/9/9/9/4K4 b - 1", UnknownPiece('\u{6b69}'), FaultKinds::BOARD, "\"歩\"");
    one("4k4/9/9/9/4\u{202e}4/9/9/9/4K4 b - 1", UnknownPiece('\u{202e}'), FaultKinds::BOARD, "\"\\u{202e}\"");
    for text in ["+K", "+g", "+k", "+G", "+1", "++"] {
        let error = refused(&format!("4k4/9/9/9/4{text}4/9/9/9/4K4 b - 1"));
        assert!(error.faults().contains(&BadPromotion(text.to_string())), "{text}: {error}");
        assert_eq!(error.kinds(), FaultKinds::BOARD, "{text}: {error}");
    }
    one("4k4/9/9/9/8+/9/9/9/4K4 b - 1", BadPromotion("+".to_string()), FaultKinds::BOARD, "\"+\"");
    for text in ["x", "B", "W", "bw", "-", "black"] {
        let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 {text} - 1");
        one(&sfen, BadSide(text.to_string()), FaultKinds::SIDE, &format!("\"{text}\""));
    }
    for (hands, token) in [("2", "2"), ("K", "K"), ("Gk", "k"), ("0P", "0P"), ("P+", "+"), ("3x", "3x"), ("P-", "-")] {
        one(&with_hands(hands), BadHand(token.to_string()), FaultKinds::HAND, &format!("\"{token}\""));
    }
    assert_faults(
        "4k4/9/9/9/9/9/9/9/4K4 b - x moves 7g7f",
        &[
            (BadCounter("x".to_string()), FaultKinds::COUNTER, "counter \"x\""),
            (TrailingText("moves".to_string()), FaultKinds::REST, "\"moves\""),
        ],
    );
}

#[test]
fn each_fault_of_the_position_is_named() {
    use PositionFault::*;
    let one = |sfen: &str, fault: PositionFault, kind: FaultKinds, words: &str| {
        assert_faults(sfen, &[(SfenFault::Position(fault), kind, words)]);
    };
    one(&with_hands("19P"), TooManyPieces(PieceType::Pawn, 19), FaultKinds::PIECES, "19 pieces of kind P");
    one(&with_hands("10P9p"), TooManyPieces(PieceType::Pawn, 19), FaultKinds::PIECES, "a set has 18");
    let million = &with_hands("999999999999P");
    one(million, TooManyPieces(PieceType::Pawn, u32::MAX), FaultKinds::PIECES, "pieces of kind P");
    let twice = &with_hands("4294967295P4294967295p");
    one(twice, TooManyPieces(PieceType::Pawn, u32::MAX), FaultKinds::PIECES, "pieces of kind P");
    let promoted = "4k4/9/9/4+r4/9/9/9/9/4KR3 b R 1";
    one(promoted, TooManyPieces(PieceType::Rook, 3), FaultKinds::PIECES, "3 pieces of kind R");
    one("4k4/9/9/9/9/9/9/4K4/4K4 b - 1", TwoKings(Color::Black), FaultKinds::KINGS, "black");
    one("k3k4/9/9/9/9/9/9/9/4K4 b - 1", TwoKings(Color::White), FaultKinds::KINGS, "white");
    one("9/9/9/9/9/9/9/9/9 b - 1", NoKing, FaultKinds::KINGS, "king");
    for (sfen, piece, square) in [
        ("P3k4/9/9/9/9/9/9/9/4K4 b - 1", Piece::BPawn, Square::S9A),
        ("4k3L/9/9/9/9/9/9/9/4K4 b - 1", Piece::BLance, Square::S1A),
        ("4k1N2/9/9/9/9/9/9/9/4K4 b - 1", Piece::BKnight, Square::S3A),
        ("4k4/9/9/9/9/9/9/9/p3K4 b - 1", Piece::WPawn, Square::S9I),
        ("4k4/9/9/9/9/9/9/9/4K3l b - 1", Piece::WLance, Square::S1I),
        ("4k4/9/9/9/9/9/9/9/4K1n2 b - 1", Piece::WKnight, Square::S3I),
        ("4k4/6N2/9/9/9/9/9/9/4K4 b - 1", Piece::BKnight, Square::S3B),
        ("4k4/9/9/9/9/9/9/6n2/4K4 b - 1", Piece::WKnight, Square::S3H),
    ] {
        one(sfen, DeadPiece(piece, square), FaultKinds::DEAD_PIECE, &format!("{piece} on {square}"));
    }
    one("4k4/9/9/9/4R4/9/9/9/4K4 b - 1", KingCanBeCaptured(Color::White), FaultKinds::CHECK, "white is in check");
    one("4k4/9/9/9/4r4/9/9/9/4K4 w - 1", KingCanBeCaptured(Color::Black), FaultKinds::CHECK, "black is in check");
    let adjacent = PositionFault::KingCanBeCaptured(Color::White);
    one("4k4/4K4/9/9/9/9/9/9/9 b - 1", adjacent, FaultKinds::CHECK, "white is in check");
}

#[test]
fn pieces_that_can_move_again_may_stand_on_the_last_ranks() {
    for sfen in ["+P3k1+N1+L/P7L/6N2/9/9/9/6n2/p7l/+p3K1+n1+l b - 1", "4k1n1l/6n1l/9/9/9/9/9/6N1L/4K1N1L b - 1"] {
        assert_eq!(read(sfen).to_sfen(), sfen);
    }
}

#[test]
fn all_faults_are_reported_together() {
    let error = refused("4k4/9/9/9/4x4/9/9/9/4K4 q 2Zp0G one two");
    let expected = [
        SfenFault::UnknownPiece('x'),
        SfenFault::BadSide("q".to_string()),
        SfenFault::BadHand("2Z".to_string()),
        SfenFault::BadHand("0G".to_string()),
        SfenFault::BadCounter("one".to_string()),
        SfenFault::TrailingText("two".to_string()),
    ];
    assert_eq!(error.faults(), expected);
    let text = FaultKinds::BOARD | FaultKinds::SIDE | FaultKinds::HAND | FaultKinds::COUNTER | FaultKinds::REST;
    assert_eq!(error.kinds(), text);
    for words in ["\"x\"", "\"q\"", "\"2Z\"", "\"0G\"", "\"one\"", "\"two\""] {
        assert!(error.to_string().contains(words), "{error} does not say {words}");
    }
    assert_eq!(error.to_string().matches("; ").count(), 5, "{error}");

    // Three ranks at fault, all named.
    let error = refused("4k4/8/9/10/9/9/9/9/4K5 b - 1");
    let wrong = |fault: &&SfenFault| matches!(fault, SfenFault::WrongRankLength(..));
    assert_eq!(error.faults().iter().filter(wrong).count(), 3, "{error}");

    // Faults of the position are found behind faults of side, hand and counter, and together.
    let error = refused("PPPkP4/4L4/9/9/9/9/9/9/p1n1kR3 b 2R5GX 1");
    let position = FaultKinds::HAND | FaultKinds::PIECES | FaultKinds::KINGS | FaultKinds::DEAD_PIECE;
    assert_eq!(error.kinds(), position, "{error}");
    let dead = |fault: &&SfenFault| matches!(fault, SfenFault::Position(PositionFault::DeadPiece(..)));
    assert_eq!(error.faults().iter().filter(dead).count(), 6, "{error}");
    let too_many = |fault: &&SfenFault| matches!(fault, SfenFault::Position(PositionFault::TooManyPieces(..)));
    assert_eq!(error.faults().iter().filter(too_many).count(), 2, "{error}");
}

#[test]
fn messages_are_one_line_that_can_be_read() {
    let nasty = [
        "\0",
        "\x1b[2J",
        "\u{7f}",
        "\u{202e}",
        "\u{ff17}\u{516d}\u{6b69}",
        "\u{10ffff}",
        "\"",
        "\\",
        "\u{a0}\u{3000}",
        "a\u{b}b",
    ];
    for text in nasty {
        for sfen in [
            text.to_string(),
            format!("4k4/9/9/9/4{text}4/9/9/9/4K4 b - 1"),
            format!("4k4/9/9/9/4+{text}4/9/9/9/4K4 b - 1"),
            format!("4k4/9/9/9/9/9/9/9/4K4 {text} - 1"),
            with_hands(text),
            with_hands(&format!("3{text}")),
            format!("4k4/9/9/9/9/9/9/9/4K4 b - {text}"),
            format!("4k4/9/9/9/9/9/9/9/4K4 b - 1 {text}"),
        ] {
            let error = refused(&sfen);
            assert!(is_tidy(&error.to_string()), "{sfen:?}: {error:?}");
            assert!(error.faults().iter().all(|fault| is_tidy(&fault.to_string())), "{sfen:?}: {error:?}");
        }
    }
}

/// Bytes that the faults hold, as far as they can be seen from outside.
fn size_of_faults(error: &SfenError) -> usize {
    use SfenFault::*;
    let text = |fault: &SfenFault| match fault {
        WrongRankLength(_, text, _) => text.len(),
        BadPromotion(text) | BadSide(text) | BadHand(text) | BadCounter(text) | TrailingText(text) => text.len(),
        _ => 0,
    };
    error.faults().iter().map(|fault| size_of::<SfenFault>() + text(fault)).sum()
}

#[test]
fn absurdly_long_fields_are_refused_quickly_in_few_words_and_little_memory() {
    const LENGTH: usize = 1 << 20;
    let units = [
        "x", "+", "/", "9", "1", "0", "P", "+P", "p1", "\u{6b69}", "2", "-", " ", " b", "b - ", "K", "9/", "++p", "\0",
        "3Z",
    ];
    for unit in units {
        let long = unit.repeat(LENGTH / unit.len());
        for sfen in [
            long.clone(),
            format!("{long}/9/9/9/9/9/9/9/4K4 b - 1"),
            format!("4k4/9/9/9/9/9/9/9/4K4 {long} - 1"),
            with_hands(&long),
            format!("4k4/9/9/9/9/9/9/9/4K4 b - {long}"),
            format!("4k4/9/9/9/9/9/9/9/4K4 b - 1 {long}"),
        ] {
            let mut began = Stopwatch::of_this_thread();
            let result = Position::from_sfen(&sfen);
            let time = began.elapsed();
            assert!(time < Duration::from_millis(500), "{unit:?}: {time:?}");
            // A long row of digits is a counter, and blanks are blanks.
            let Err(error) = result else { continue };
            assert!(is_tidy(&error.to_string()), "{unit:?}: a message of {} bytes", error.to_string().len());
            assert!(error.faults().len() <= 200, "{unit:?}: {} faults", error.faults().len());
            let size = size_of_faults(&error);
            assert!(size <= 2 * sfen.len(), "{unit:?}: {size} bytes of faults for {} of text", sfen.len());
        }
    }
}

#[test]
fn no_text_panics() {
    for_all(TEXT_SEED, 60_000, ".{0,120}", |text| {
        if let Err(error) = Position::from_sfen(&text) {
            prop_assert!(!error.faults().is_empty() && is_tidy(&error.to_string()), "{error:?}");
        }
        Ok(())
    });
}

#[test]
fn no_text_that_looks_like_a_sfen_panics() {
    let rank = "[PLNSGBRKplnsgbrk+1-9]{0,12}|9|[1-8][a-zA-Z]";
    let board = proptest::collection::vec(rank, 7..11).prop_map(|ranks| ranks.join("/"));
    let side = prop_oneof![8 => "[bw]", 1 => ".{0,3}"];
    let hands = "-|([1-9]{0,2}[PLNSGBRplnsgbr]){0,8}|[0-9PKpk+-]{0,6}";
    let counter = "|[0-9]{1,12}|.{0,4}";
    for_all(TEXT_SEED, 20_000, (board, side, hands, counter), |(board, side, hands, counter)| {
        let text = format!("{board} {side} {hands} {counter}");
        match Position::from_sfen(&text) {
            Ok(pos) => survives_text(&pos).map_err(TestCaseError::fail),
            Err(error) => {
                prop_assert!(!error.faults().is_empty() && is_tidy(&error.to_string()), "{error:?}");
                Ok(())
            }
        }
    });
}

#[test]
fn what_one_wrong_byte_makes_of_a_sfen_is_refused_or_read_back_the_same() {
    let bytes = START_SFEN.as_bytes();
    let mut accepted = 0;
    for at in 0..bytes.len() {
        for byte in 0..128 {
            let mut changed = bytes.to_vec();
            changed[at] = byte;
            let text = String::from_utf8(changed).expect("ASCII");
            match Position::from_sfen(&text) {
                Ok(pos) => {
                    accepted += 1;
                    assert_eq!(survives_text(&pos), Ok(()), "{text:?}");
                }
                Err(error) => assert!(is_tidy(&error.to_string()), "{text:?}: {error:?}"),
            }
        }
    }
    // Itself at every place, other pieces, blanks for blanks, other sides and counters: some, but few.
    assert!((bytes.len()..2_000).contains(&accepted), "{accepted} accepted");
}
