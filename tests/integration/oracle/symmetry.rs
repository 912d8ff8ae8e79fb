//! The symmetries of the rules: a board turned by 180 degrees with the sides exchanged, and a mirrored board.

use komainu::position::{Position, PositionBuilder};
use komainu::types::{Color, Move, MoveKind, Piece, PieceType, Square};

/// A way to look at a position under which the rules stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Symmetry {
    /// Turned by 180 degrees, the sides exchanged.
    pub(crate) turned: bool,
    /// Left and right exchanged.
    pub(crate) mirrored: bool,
}

impl Symmetry {
    /// All four, the identity first.
    pub(crate) const ALL: [Symmetry; 4] = [
        Symmetry { turned: false, mirrored: false },
        Symmetry { turned: true, mirrored: false },
        Symmetry { turned: false, mirrored: true },
        Symmetry { turned: true, mirrored: true },
    ];

    pub(crate) fn square(self, square: Square) -> Square {
        let square = if self.turned { square.rotate() } else { square };
        if self.mirrored { square.mirror() } else { square }
    }

    pub(crate) fn color(self, color: Color) -> Color {
        if self.turned { color.flip() } else { color }
    }

    pub(crate) fn mv(self, mv: Move) -> Move {
        match mv.kind() {
            MoveKind::Board { from, to, promote: false } => Move::board(self.square(from), self.square(to)),
            MoveKind::Board { from, to, promote: true } => Move::promotion(self.square(from), self.square(to)),
            MoveKind::Drop { piece_type, to } => Move::drop(piece_type, self.square(to)),
        }
    }

    /// The position in this view, without its history.
    pub(crate) fn position(self, pos: &Position) -> Position {
        let mut builder = PositionBuilder::new();
        for square in Square::ALL {
            if let Some(piece) = pos.piece_on(square) {
                builder.piece(self.square(square), Piece::new(self.color(piece.color()), piece.piece_type()));
            }
        }
        for color in Color::ALL {
            for piece_type in PieceType::HAND {
                builder.hand(self.color(color), piece_type, pos.hand(color).count(piece_type) as u32);
            }
        }
        builder.side(self.color(pos.side())).ply(pos.ply());
        builder.build().unwrap_or_else(|faults| panic!("{self:?} of {} is refused: {faults:?}", pos.to_sfen()))
    }
}
