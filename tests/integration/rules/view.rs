//! A board from both sides, and what may be played on it.

use crate::oracle::symmetry::Symmetry;
use komainu::movegen::{All, generate, is_legal};
use komainu::notation::usi::parse_move;
use komainu::position::Position;
use komainu::types::{Color, Move, Square};

/// A position as it is written, or turned by 180 degrees with the sides exchanged.
pub(crate) struct View {
    /// The position as it is seen.
    pub(crate) pos: Position,
    symmetry: Symmetry,
}

/// The position as black's and as white's.
pub(crate) fn views(sfen: &str) -> [View; 2] {
    let pos = Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
    [false, true].map(|turned| {
        let symmetry = Symmetry { turned, mirrored: false };
        View { pos: symmetry.position(&pos), symmetry }
    })
}

impl View {
    /// The move that the text means on the board as it is written.
    pub(crate) fn mv(&self, text: &str) -> Move {
        self.symmetry.mv(text.parse().unwrap_or_else(|error| panic!("{error}")))
    }

    pub(crate) fn square(&self, square: Square) -> Square {
        self.symmetry.square(square)
    }

    /// The side that is this colour on the board as it is written.
    pub(crate) fn color(&self, color: Color) -> Color {
        self.symmetry.color(color)
    }

    /// Whether the move is legal; generator, test and reader must agree.
    pub(crate) fn allows(&self, text: &str) -> bool {
        let mv = self.mv(text);
        let generated = generate::<All>(&self.pos).contains(&mv);
        assert_eq!(is_legal(&self.pos, mv), generated, "{mv} in {}", self.pos.to_sfen());
        assert_eq!(parse_move(&self.pos, &mv.to_string()).is_ok(), generated, "{mv} in {}", self.pos.to_sfen());
        generated
    }

    pub(crate) fn play(&mut self, moves: &str) {
        for text in moves.split_whitespace() {
            assert!(self.allows(text), "{text} is not legal in {}", self.pos.to_sfen());
            self.pos.do_move(self.mv(text));
        }
    }
}
