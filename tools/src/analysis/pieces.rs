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

/// Worth of a piece on the board, in pawns.
pub(super) fn on_board(piece: PieceType) -> i32 {
    match piece {
        PieceType::Pawn => 1,
        PieceType::Lance => 3,
        PieceType::Knight => 4,
        PieceType::Silver | PieceType::ProPawn | PieceType::ProLance | PieceType::ProKnight => 5,
        PieceType::Gold | PieceType::ProSilver => 6,
        PieceType::Bishop => 8,
        PieceType::Rook | PieceType::Horse => 10,
        PieceType::Dragon => 12,
        PieceType::King => 0,
    }
}

/// Name in Japanese.
pub(super) fn japanese(piece: PieceType) -> &'static str {
    match piece {
        PieceType::Pawn => "歩",
        PieceType::Lance => "香車",
        PieceType::Knight => "桂馬",
        PieceType::Silver => "銀",
        PieceType::Gold => "金",
        PieceType::Bishop => "角",
        PieceType::Rook => "飛車",
        PieceType::King => "玉",
        PieceType::ProPawn => "と金",
        PieceType::ProLance => "成香",
        PieceType::ProKnight => "成桂",
        PieceType::ProSilver => "成銀",
        PieceType::Horse => "馬",
        PieceType::Dragon => "龍",
    }
}

/// Name in English, with the article.
pub(super) fn english(piece: PieceType) -> &'static str {
    match piece {
        PieceType::Pawn => "a pawn",
        PieceType::Lance => "a lance",
        PieceType::Knight => "a knight",
        PieceType::Silver => "a silver",
        PieceType::Gold => "a gold",
        PieceType::Bishop => "a bishop",
        PieceType::Rook => "a rook",
        PieceType::King => "a king",
        PieceType::ProPawn => "a promoted pawn",
        PieceType::ProLance => "a promoted lance",
        PieceType::ProKnight => "a promoted knight",
        PieceType::ProSilver => "a promoted silver",
        PieceType::Horse => "a horse",
        PieceType::Dragon => "a dragon",
    }
}
