//! Pieces in the sentences on a move: names, worth, and whether one outlives a line.

use komainu::types::{Move, MoveKind, PieceType, Square};

/// Tells whether the piece on a square is not taken in a line, wherever it goes.
pub(super) fn survives(mut square: Square, line: &[Move]) -> bool {
    for mv in line {
        match mv.kind() {
            MoveKind::Board { from, to, .. } if from == square => square = to,
            _ if mv.to() == square => return false,
            _ => {}
        }
    }
    true
}

/// Worth on the board in pawns, name in Japanese, and name in English with the article.
fn row(piece: PieceType) -> (i32, &'static str, &'static str) {
    match piece {
        PieceType::Pawn => (1, "歩", "a pawn"),
        PieceType::Lance => (3, "香車", "a lance"),
        PieceType::Knight => (4, "桂馬", "a knight"),
        PieceType::Silver => (5, "銀", "a silver"),
        PieceType::Gold => (6, "金", "a gold"),
        PieceType::Bishop => (8, "角", "a bishop"),
        PieceType::Rook => (10, "飛車", "a rook"),
        PieceType::King => (0, "玉", "a king"),
        PieceType::ProPawn => (5, "と金", "a promoted pawn"),
        PieceType::ProLance => (5, "成香", "a promoted lance"),
        PieceType::ProKnight => (5, "成桂", "a promoted knight"),
        PieceType::ProSilver => (6, "成銀", "a promoted silver"),
        PieceType::Horse => (10, "馬", "a horse"),
        PieceType::Dragon => (12, "龍", "a dragon"),
    }
}

/// Worth of a piece on the board, in pawns.
pub(super) fn on_board(piece: PieceType) -> i32 {
    let (worth, _, _) = row(piece);
    worth
}

/// Name in Japanese.
pub(super) fn japanese(piece: PieceType) -> &'static str {
    let (_, japanese, _) = row(piece);
    japanese
}

/// Name in English, with the article.
pub(super) fn english(piece: PieceType) -> &'static str {
    let (_, _, english) = row(piece);
    english
}
