//! The rule book: R1 to R26, each with what it allows and what it forbids. Most of R2 to R20 and R26 are rows of
//! `tests/data/rules.txt`, R21 to R24 are in [`endings`].
//!
//! Boards are written from black's side; [`view::views`] turns each one round, so that every rule is tested for white
//! too.

mod endings;
mod view;

use crate::oracle::case;
use komainu::movegen::{All, Captures, Checks, MAX_MOVES, MoveList, Quiets, count, generate, has_legal_move, is_legal};
use komainu::notation::usi::parse_position;
use komainu::position::{EnteringKingRule, GameRules, Handicap, PackError, Position};
use komainu::types::{Color, Move, Piece, PieceType, Square};
use rayon::prelude::*;
use view::views;

/// R1: the pieces of the start, black to move, and never more than the set has.
#[test]
fn the_game_starts_with_forty_pieces_and_black_to_move() {
    let pos = Position::startpos();
    assert_eq!(pos.to_sfen(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    for (square, piece) in [(Square::S5I, Piece::BKing), (Square::S2H, Piece::BRook), (Square::S8B, Piece::WRook)] {
        assert_eq!(pos.piece_on(square), Some(piece), "{square}");
    }
    for (piece, number) in [("R", 3), ("B", 3), ("G", 5), ("S", 5), ("N", 5), ("L", 5), ("P", 19)] {
        assert!(Position::from_sfen(&format!("4k4/9/9/9/9/9/9/9/4K4 b {}{piece} 1", number - 1)).is_ok());
        assert!(Position::from_sfen(&format!("4k4/9/9/9/9/9/9/9/4K4 b {number}{piece} 1")).is_err(), "{number}{piece}");
    }
}

/// R1, R10, R18, R26: what is no position is refused.
#[test]
fn boards_against_the_rules_are_refused() {
    for sfen in [
        "4k4/9/9/9/9/9/9/3KK4/9 b - 1",   // a second king
        "7k1/9/9/9/4+G4/9/9/9/1K7 b - 1", // a promoted gold
        "7k1/9/9/9/4+g4/9/9/9/1K7 b - 1",
        "7k1/9/9/9/4+K4/9/9/9/1K7 b - 1", // a promoted king
        "7k1/9/9/9/4+k4/9/9/9/1K7 b - 1",
        "k3R4/9/9/9/4k4/9/9/9/4K4 b - 1",
        "4k4/9/9/9/4R4/9/9/9/4K4 b - 1", // white is in check, black to move
        "9/9/9/9/4G4/9/9/9/9 b - 1",     // no king
    ] {
        assert!(Position::from_sfen(sfen).is_err(), "{sfen}");
    }
}

/// R2 to R20 and R26, and corners of the generator, row by row.
#[test]
fn the_rule_book_holds_row_by_row() {
    let rows: Vec<&str> = include_str!("../data/rules.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows.len(), 291);
    rows.into_par_iter().for_each(case::check);
}

/// R13: what is captured, promoted or not, is held unpromoted by the captor; taking the move back undoes it.
#[test]
fn captured_pieces_go_to_hand_unpromoted() {
    for piece in ["p", "l", "n", "s", "g", "b", "r", "+p", "+l", "+n", "+s", "+b", "+r"] {
        for mut view in views(&format!("8k/9/9/9/4{piece}4/4G4/9/9/1K7 b - 1")) {
            let us = view.pos.side();
            let before = view.pos.to_sfen();
            let captured = view.pos.piece_on(view.square(Square::S5E)).expect("a piece").piece_type();
            view.play("5f5e");
            let held: Vec<(PieceType, u8)> = view.pos.hand(us).iter().collect();
            assert_eq!(held, [(captured.unpromoted(), 1)], "{piece}");
            assert!(view.pos.hand(!us).is_empty());
            view.pos.undo();
            assert_eq!(view.pos.to_sfen(), before);
            assert!(view.pos.hand(us).is_empty());
        }
    }
}

/// R25: each handicap lacks exactly its pieces; white, who gives them, moves first.
#[test]
fn handicaps_lack_their_pieces_and_white_moves_first() {
    let even = Position::startpos();
    use Square::*;
    // The legal moves were counted by another program.
    let table: [(Handicap, &[Square], u32); 10] = [
        (Handicap::Even, &[], 30),
        (Handicap::Lance, &[S1A], 30),
        (Handicap::Bishop, &[S2B], 33),
        (Handicap::Rook, &[S8B], 25),
        (Handicap::RookLance, &[S8B, S1A], 25),
        (Handicap::TwoPieces, &[S8B, S2B], 26),
        (Handicap::FourPieces, &[S8B, S2B, S1A, S9A], 24),
        (Handicap::SixPieces, &[S8B, S2B, S1A, S9A, S2A, S8A], 24),
        (Handicap::EightPieces, &[S8B, S2B, S1A, S9A, S2A, S8A, S3A, S7A], 20),
        (Handicap::TenPieces, &[S8B, S2B, S1A, S9A, S2A, S8A, S3A, S7A, S4A, S6A], 14),
    ];
    assert_eq!(table.map(|(handicap, ..)| handicap), Handicap::USUAL);
    for (handicap, missing, moves) in table {
        let pos = Position::from_sfen(handicap.sfen()).unwrap_or_else(|error| panic!("{handicap:?}: {error}"));
        assert_eq!(pos.side(), if handicap == Handicap::Even { Color::Black } else { Color::White }, "{handicap:?}");
        for square in Square::ALL {
            let expected = if missing.contains(&square) { None } else { even.piece_on(square) };
            assert_eq!(pos.piece_on(square), expected, "{handicap:?}, {square}");
        }
        assert!(Color::ALL.into_iter().all(|color| pos.hand(color).is_empty()), "{handicap:?}");
        assert_eq!((count(&pos), pos.ply()), (moves, 1), "{handicap:?}");
        assert_eq!(pos.to_sfen(), handicap.sfen());
        assert_eq!(pos.validate(), Ok(()));
        let game = parse_position(&format!("sfen {} moves 5a5b", handicap.sfen()));
        assert_eq!(game.is_ok(), handicap != Handicap::Even, "white's first move in {handicap:?}");
    }
}

/// Boards on which one side has no king.
const ONE_KING: [&str; 7] = [
    "8k/9/7GG/9/9/9/9/9/9 b - 1",
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",
    "4k4/9/4+R4/9/9/4b4/9/9/9 w RB4G4S4N4L18P 1",
    "9/9/9/9/4K4/9/9/9/9 b 2r2b4g4s4n4l18p 1",
    "9/9/4r4/9/4K4/2b6/9/9/9 b RBGSNLPgsnlp 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
    "6+R2/9/2+B6/9/4n4/9/9/9/7K1 w rb4g4s3n4l18p 1",
];

/// R26: a board with one king is a position like others: everything that can be asked has an answer.
#[test]
fn boards_with_one_king_can_be_played_and_asked_anything() {
    for sfen in ONE_KING {
        for mut view in views(sfen) {
            let pos = &mut view.pos;
            let us = pos.side();
            let before = pos.to_sfen();
            let missing = Color::ALL.into_iter().find(|&color| pos.king(color).is_none()).expect("one king");
            assert_eq!(Position::from_sfen(&before).map(|pos| pos.key()), Ok(pos.key()));
            assert_eq!(pos.pack(), Err(PackError::MissingKing(missing)));
            assert!(us != missing || !pos.in_check() && pos.pinned().is_empty(), "{before}");
            let moves = generate::<All>(pos);
            assert_eq!((moves.len(), has_legal_move(pos)), (count(pos) as usize, !moves.is_empty()));
            assert!(!moves.is_empty(), "{before}");
            assert_eq!(generate::<Captures>(pos).len() + generate::<Quiets>(pos).len(), moves.len(), "{before}");
            let checks = generate::<Checks>(pos);
            assert!(us == missing || checks.is_empty(), "check to a king that is not there: {before}");
            for rule in EnteringKingRule::ALL {
                assert!(us != missing || pos.declaration(rule).is_none(), "{rule} without a king: {before}");
            }
            assert_eq!(
                (pos.repetition(), pos.repetition_within(9, &GameRules::default()), pos.occurrences()),
                (None, None, 1)
            );
            for mv in &moves {
                assert!(is_legal(pos, mv) && pos.see_ge(mv, -10_000) && !pos.see_ge(mv, 10_000), "{mv}: {before}");
                assert_eq!(pos.gives_check(mv), checks.contains(&mv), "{mv}: {before}");
                pos.do_move(mv);
                assert_eq!(pos.validate(), Ok(()), "{mv}: {before}");
                assert_eq!(pos.in_check(), checks.contains(&mv), "{mv}: {before}");
                assert_eq!((count(pos) > 0, pos.king(missing)), (has_legal_move(pos), None));
                pos.undo();
            }
            assert_eq!(pos.to_sfen(), before);
        }
    }
}

/// R26: a board with one king may have more moves than any with two; a list of moves has room for them.
#[test]
fn a_list_holds_the_moves_of_every_accepted_position() {
    for (sfen, moves) in [
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", MAX_MOVES),
        ("R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 599),
        ("R8/4S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 591),
    ] {
        for view in views(sfen) {
            assert_eq!((count(&view.pos) as usize, generate::<All>(&view.pos).len()), (moves, moves), "{sfen}");
            // The last of the moves may be written eight at a time: as many as that must fit behind them.
            assert!(size_of::<MoveList>() >= (moves + 7) * size_of::<Move>(), "no room for the moves of {sfen}");
        }
    }
    assert_eq!(MAX_MOVES, 593);
}
