//! KI2: a move says what tells it from others, and no more.

use super::games::usi;
use crate::oracle::compare::sorted;
use crate::oracle::play::random_game;
use crate::oracle::setups::{Style, for_all};
use crate::oracle::symmetry::Symmetry;
use komainu::movegen::{All, is_legal};
use komainu::notation::RecordErrorKind;
use komainu::notation::{ki2, kif};
use komainu::position::{Position, PositionBuilder};
use komainu::types::{Color, Move, Piece, PieceType, Square};
use proptest::test_runner::TestCaseError;
use std::collections::BTreeSet;

/// Pieces of black's of one type, and white's king out of their way.
fn board(piece_type: PieceType, from: &[&str]) -> Position {
    let squares: Vec<Square> = from.iter().map(|text| text.parse().expect("a square")).collect();
    let with_king = |king: &Square| {
        let mut builder = PositionBuilder::new();
        for &at in &squares {
            _ = builder.piece(at, Piece::new(Color::Black, piece_type));
        }
        builder.piece(*king, Piece::WKing).build().ok()
    };
    let far = [Square::S5I, Square::S1I, Square::S1A, Square::S9A, Square::S5A, Square::S9I];
    far.iter().filter(|king| !squares.contains(king)).find_map(with_king).expect("a place for the king")
}

/// Asserts what each piece that goes to the square is called, as itself, and by white on the turned board.
#[track_caller]
fn are_told_apart(piece_type: PieceType, to: &str, pieces: &[(&str, &str)]) {
    let pos = board(piece_type, &pieces.iter().map(|piece| piece.0).collect::<Vec<_>>());
    for (from, expected) in pieces {
        let mv: Move = format!("{from}{to}").parse().expect("a move");
        assert!(is_legal(&pos, mv), "{mv} in {}", pos.to_sfen());
        for turned in [false, true] {
            let view = Symmetry { turned, mirrored: false };
            let pos = view.position(&pos);
            let mv = view.mv(mv);
            let text = ki2::move_text(&pos, mv, None);
            // Marker, file and rank come first.
            assert_eq!(text.chars().skip(3).collect::<String>(), *expected, "{mv} in {}", pos.to_sfen());
            assert_eq!(read_in(&pos, &text), Ok(mv));
        }
    }
}

/// The one move that the words mean in the position.
fn read_in(pos: &Position, text: &str) -> Result<Move, RecordErrorKind> {
    let record = format!("{}\n{text}\n", kif::write_board(pos));
    match ki2::read(&record) {
        Ok(parsed) => Ok(parsed.record.moves.first().expect("a move").mv),
        Err(error) => Err(error.kind),
    }
}

#[test]
fn the_way_is_said_first() {
    use PieceType::*;
    are_told_apart(Gold, "8b", &[("9c", "金上"), ("7b", "金寄")]);
    are_told_apart(Gold, "3b", &[("4c", "金上"), ("3a", "金引")]);
    are_told_apart(Gold, "5e", &[("5f", "金上"), ("4e", "金寄")]);
    are_told_apart(Silver, "8h", &[("8i", "銀上"), ("7g", "銀引")]);
    are_told_apart(Silver, "3h", &[("2i", "銀上"), ("2g", "銀引")]);
    are_told_apart(ProSilver, "5e", &[("5f", "成銀上"), ("5d", "成銀引"), ("4e", "成銀寄")]);
}

#[test]
fn the_place_is_said_where_the_way_is_the_same() {
    use PieceType::*;
    are_told_apart(Gold, "8d", &[("9e", "金左"), ("7e", "金右")]);
    are_told_apart(Gold, "2d", &[("3d", "金左"), ("1d", "金右")]);
    are_told_apart(Silver, "5f", &[("6e", "銀左"), ("4e", "銀右")]);
    are_told_apart(Gold, "7h", &[("8i", "金左"), ("7i", "金直")]);
    are_told_apart(Silver, "3g", &[("3h", "銀直"), ("2h", "銀右")]);
    are_told_apart(Knight, "5e", &[("6g", "桂左"), ("4g", "桂右")]);
}

#[test]
fn three_and_more_take_place_and_way_together() {
    use PieceType::*;
    are_told_apart(Gold, "5b", &[("6c", "金左"), ("5c", "金直"), ("4c", "金右")]);
    are_told_apart(ProPawn, "8h", &[("7i", "と右"), ("8i", "と直"), ("9i", "と左上"), ("9h", "と寄"), ("8g", "と引")]);
    are_told_apart(Silver, "2h", &[("2i", "銀直"), ("1g", "銀右"), ("3i", "銀左上"), ("3g", "銀左引")]);
    are_told_apart(
        ProPawn,
        "5e",
        &[("6f", "と左上"), ("5f", "と直"), ("4f", "と右上"), ("6e", "と左寄"), ("4e", "と右寄"), ("5d", "と引")],
    );
    are_told_apart(ProLance, "5e", &[("6f", "成香左上"), ("6e", "成香左寄"), ("4f", "成香右上"), ("4e", "成香右寄")]);
    are_told_apart(ProKnight, "5e", &[("6f", "成桂上"), ("6e", "成桂左寄"), ("4e", "成桂右")]);
}

#[test]
fn dragons_and_horses_are_left_or_right_of_each_other() {
    use PieceType::*;
    are_told_apart(Dragon, "8b", &[("9a", "龍引"), ("8d", "龍上")]);
    are_told_apart(Dragon, "4c", &[("2c", "龍寄"), ("5b", "龍引")]);
    are_told_apart(Dragon, "3e", &[("5e", "龍左"), ("1e", "龍右")]);
    are_told_apart(Dragon, "8h", &[("9i", "龍左"), ("8i", "龍右")]);
    are_told_apart(Dragon, "1g", &[("2h", "龍左"), ("1i", "龍右")]);
    are_told_apart(Horse, "8b", &[("9a", "馬左"), ("8a", "馬右")]);
    are_told_apart(Horse, "8e", &[("9e", "馬寄"), ("6c", "馬引")]);
    are_told_apart(Horse, "1b", &[("1a", "馬引"), ("3d", "馬上")]);
    are_told_apart(Horse, "7g", &[("9i", "馬左"), ("5i", "馬右")]);
    are_told_apart(Horse, "2i", &[("4g", "馬左"), ("1h", "馬右")]);
    are_told_apart(Rook, "5e", &[("5h", "飛上"), ("2e", "飛寄")]);
    are_told_apart(Rook, "5e", &[("8e", "飛左"), ("2e", "飛右")]);
    are_told_apart(Bishop, "5e", &[("7g", "角左"), ("3g", "角右")]);
}

#[test]
fn nothing_is_said_where_nothing_else_could_be_meant() {
    are_told_apart(PieceType::Gold, "5e", &[("5f", "金")]);
    are_told_apart(PieceType::Dragon, "5e", &[("5h", "龍")]);
    are_told_apart(PieceType::Pawn, "7f", &[("7g", "歩")]);
    // The second gold cannot reach the square.
    let pos = board(PieceType::Gold, &["5f", "2b"]);
    assert_eq!(ki2::move_text(&pos, "5f5e".parse().unwrap(), None), "▲５五金");
}

/// Asserts how a move is written, and that the text is read back as the move.
#[track_caller]
fn is_written(sfen: &str, mv: &str, expected: &str) {
    let pos = Position::from_sfen(sfen).expect("a position");
    let mv: Move = mv.parse().expect("a move");
    assert!(is_legal(&pos, mv));
    assert_eq!(ki2::move_text(&pos, mv, None), expected);
    assert_eq!(read_in(&pos, expected), Ok(mv));
}

#[test]
fn a_drop_is_called_one_only_if_a_piece_could_have_moved() {
    let golds = "4k4/9/9/9/9/9/9/4G4/4K4 b G 1";
    is_written(golds, "G*5g", "▲５七金打");
    is_written(golds, "5h5g", "▲５七金");
    is_written(golds, "G*1e", "▲１五金");
    is_written("4k4/9/9/9/9/9/9/8L/4K4 b L 1", "L*1e", "▲１五香打");
    is_written("4k4/4p4/9/9/9/9/9/9/4K4 w p 1", "P*4d", "△４四歩");
    // A promoted pawn is no pawn.
    is_written("4k4/9/9/9/9/9/4+P4/9/4K4 b P 1", "P*5f", "▲５六歩");
    // A pinned gold seems to be able to.
    is_written("4k4/4r4/9/9/9/9/9/4G4/4K4 b G 1", "G*4h", "▲４八金打");
}

#[test]
fn a_promotion_is_said_or_denied_wherever_it_is_possible() {
    let silver = "4k4/9/9/3S5/9/9/9/9/4K4 b - 1";
    is_written(silver, "6d6c+", "▲６三銀成");
    is_written(silver, "6d6c", "▲６三銀不成");
    is_written(silver, "6d5e", "▲５五銀");
    is_written("8k/9/6S2/9/9/9/9/9/4K4 b - 1", "3c4d+", "▲４四銀成");
    is_written("k8/8P/9/9/9/9/9/9/4K4 b - 1", "1b1a+", "▲１一歩成");
    is_written("k8/9/6G2/9/9/9/9/9/4K4 b - 1", "3c3b", "▲３二金");
    is_written("k8/9/6+S2/9/9/9/9/9/4K4 b - 1", "3c3b", "▲３二成銀");
    is_written("k8/9/5S1S1/9/9/9/9/9/4K4 b - 1", "4c3b+", "▲３二銀左成");
    is_written("k8/9/9/9/9/9/3s1s3/9/4K4 w - 1", "4g5h+", "△５八銀左成");
}

#[test]
fn other_ways_to_say_it_are_understood() {
    let pos = Position::from_sfen("k8/8P/9/9/9/9/9/3GG4/4K4 b G 1").unwrap();
    for (text, mv) in [
        ("▲６七金直", "6h6g"),
        ("☗67金直", "6h6g"),
        ("６七金左", ""),
        ("▲５七金打", "G*5g"),
        ("▲5七金直", "5h5g"),
        ("▲５７金(58)", "5h5g"),
        ("▲１一歩", "1b1a+"),
        ("▲１一と", ""),
        ("▲５七金", "?"),
        ("▲９九金打", "G*9i"),
        ("▲９九金", "G*9i"),
        ("▲６七金行", "?"),
        ("▲５九王", ""),
        ("▲４九王", "5i4i"),
        ("▲４九玉寄", "5i4i"),
        ("▲４八玉上", "5i4h"),
        ("▲４八玉左", "5i4h"),
        ("▲４八王右", ""),
    ] {
        match (read_in(&pos, text), mv) {
            (Err(RecordErrorKind::IllegalMove(1, _)), "") | (Err(RecordErrorKind::AmbiguousMove(1, _)), "?") => {}
            (found, expected) => assert_eq!(found.map(|mv| mv.to_string()).as_deref(), Ok(expected), "{text}"),
        }
    }
}

#[test]
fn left_may_mean_the_one_whose_way_is_not_its_own() {
    // 7i is 上, and of 7h and 5h, which both go 寄, 7h is the left one.
    let pos = Position::from_sfen("4k4/9/9/9/9/9/9/2G1G4/K1G6 b - 1").unwrap();
    assert_eq!(ki2::move_text(&pos, "7h6h".parse().unwrap(), None), "▲６八金左寄");
    for (text, mv) in [("▲６八金左寄", "7h6h"), ("▲６八金左", "7h6h"), ("▲６八金右", "5h6h"), ("▲６八金上", "7i6h")]
    {
        assert_eq!(read_in(&pos, text).map(|mv| mv.to_string()).as_deref(), Ok(mv), "{text}");
    }
}

/// Every legal move has its own words, and they are read back as that move.
fn all_moves_are_told_apart(pos: &Position) -> Result<(), String> {
    let moves = sorted::<All>(pos);
    let texts: Vec<String> = moves.iter().map(|&mv| ki2::move_text(pos, mv, None)).collect();
    if texts.iter().collect::<BTreeSet<_>>().len() != moves.len() {
        return Err(format!("{}: {texts:?}", pos.to_sfen()));
    }
    for (&mv, text) in moves.iter().zip(&texts) {
        if read_in(pos, text) != Ok(mv) {
            return Err(format!("{}: {mv} as {text} is read as {:?}", pos.to_sfen(), read_in(pos, text)));
        }
    }
    Ok(())
}

#[test]
fn all_moves_of_random_positions_are_told_apart() {
    for style in Style::ALL {
        for_all(31, 40, style.positions(), |pos| all_moves_are_told_apart(&pos).map_err(TestCaseError::fail));
    }
    for game in 0..24 {
        random_game(0x2C12, game, |pos, _, _| {
            if pos.moves_made() % 16 == 8 {
                all_moves_are_told_apart(pos).unwrap();
            }
        });
    }
}

#[test]
fn a_record_as_books_print_it_is_read() {
    let text = "\
# a file for people
開始日時：2026/11/21
先手：駒犬
後手：狛犬
手合割：平手

*序盤
▲７六歩 △３四歩 ▲２六歩 △８四歩　▲２五歩　△８五歩
▲７八金 △３二金
*相掛かりではない。
▲２四歩 △同　歩 ▲同飛   △８六歩 ▲同歩
△同　飛 ▲３四飛
まで15手で先手の勝ち

変化：15手
▲８七歩 △７六飛
";
    let parsed = ki2::read(text).unwrap();
    assert_eq!(parsed.warnings, [""; 0]);
    let game = parsed.record;
    let expected = "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d";
    assert_eq!(usi(&game.moves), expected);
    assert_eq!(game.comments, ["序盤"]);
    assert_eq!(game.moves[7].comments, ["相掛かりではない。"]);
    assert_eq!(game.conclusion.unwrap().winner, Some(Color::Black));
    assert_eq!((game.variations[0].from, usi(&game.variations[0].moves).as_str()), (15, "P*8g 8f7f"));
    let again = ki2::write(&game);
    assert!(again.contains("▲７六歩    △３四歩    ▲２六歩    △８四歩    ▲２五歩    △８五歩\n"), "{again}");
    assert!(again.contains("▲２四歩    △同歩    ▲同飛    △８六歩    ▲同歩    △同飛\n"), "{again}");
}

#[test]
fn an_illegal_move_is_named_unless_the_record_ends_by_it() {
    let error = |text: &str| ki2::read(text).map(|_| ()).unwrap_err();
    let wrong = error("▲７六歩 △３四歩\n▲７六歩 △８四歩");
    assert_eq!((wrong.line, wrong.kind), (2, RecordErrorKind::IllegalMove(3, "７六歩".to_string())));
    assert!(matches!(error("▲７六歩 △３四歩\n▲七六").kind, RecordErrorKind::Unreadable(3, _)));
    let foul = "▲７六歩 △３四歩 ▲２一角成\nまで3手で後手の反則勝ち";
    let parsed = ki2::read(foul).unwrap();
    assert_eq!(parsed.record.moves.len(), 2);
    assert_eq!(parsed.record.conclusion.unwrap().winner, Some(Color::White));
    assert_eq!(parsed.warnings.len(), 1, "{:?}", parsed.warnings);
    assert!(ki2::read(&foul.replace("反則勝ち", "勝ち")).is_err());
}
