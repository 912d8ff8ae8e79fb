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

/// Asserts how a move is written, and that the text is read back as the move.
fn is_written(pos: &Position, mv: &str, expected: &str) {
    let mv: Move = mv.parse().expect("a move");
    assert!(is_legal(pos, mv));
    assert_eq!(ki2::move_text(pos, mv, None), expected);
    assert_eq!(read_in(pos, expected), Ok(mv));
}

fn is_read(pos: &Position, text: &str, mv: &str) {
    match (read_in(pos, text), mv) {
        (Err(RecordErrorKind::IllegalMove(1, _)), "") | (Err(RecordErrorKind::AmbiguousMove(1, _)), "?") => {}
        (found, expected) => assert_eq!(found.map(|mv| mv.to_string()).as_deref(), Ok(expected), "{text}"),
    }
}

#[test]
fn moves_are_told_apart_as_the_table_says() {
    let mut rows = 0;
    let table = include_str!("../../../../tests/data/notation/ki2-moves.txt");
    for row in table.lines().filter(|row| !row.starts_with('#')) {
        let (kind, row) = row.split_once(' ').expect("a kind");
        let fields: Vec<&str> = row.split(';').map(str::trim).collect();
        let position = || Position::from_sfen(fields[0]).expect("a position");
        match kind {
            "apart" => {
                let (piece, to) = fields[0].split_once(' ').expect("a piece and a square");
                let piece: Piece = piece.parse().expect("a piece");
                let pieces: Vec<_> =
                    fields[1..].iter().map(|field| field.split_once(' ').expect("two words")).collect();
                are_told_apart(piece.piece_type(), to, &pieces);
            }
            "written" => is_written(&position(), fields[1], fields[2]),
            "read" => is_read(&position(), fields[1], fields[2]),
            other => panic!("{other}"),
        }
        rows += 1;
    }
    assert_eq!(rows, 73);
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
        random_game(0x2C12, game, |pos| {
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
