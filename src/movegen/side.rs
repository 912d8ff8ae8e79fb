//! The side to move as a type or as a value.

use crate::bitboard::Bitboard;
use crate::types::Color;

/// A side of which the generator's code is made: [`Black`] or [`White`], whose directions, zones and tables are
/// constants in it, or a [`Color`], with which the code is in the program once for both.
pub(crate) trait Side: Copy {
    /// The other side as one of these.
    type Opponent: Side;

    /// The side as a value.
    fn color(self) -> Color;

    /// The other side.
    fn opponent(self) -> Self::Opponent;

    /// The promotion zone.
    #[inline]
    fn zone(self) -> Bitboard {
        Bitboard::zone(self.color())
    }

    /// The last rank.
    #[inline]
    fn last(self) -> Bitboard {
        Bitboard::last_ranks(self.color(), 1)
    }

    /// The last two ranks.
    #[inline]
    fn last_two(self) -> Bitboard {
        Bitboard::last_ranks(self.color(), 2)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Black;
#[derive(Clone, Copy)]
pub(crate) struct White;

impl Side for Black {
    type Opponent = White;

    fn color(self) -> Color {
        Color::Black
    }

    fn opponent(self) -> White {
        White
    }
}

impl Side for White {
    type Opponent = Black;

    fn color(self) -> Color {
        Color::White
    }

    fn opponent(self) -> Black {
        Black
    }
}

impl Side for Color {
    type Opponent = Color;

    fn color(self) -> Color {
        self
    }

    fn opponent(self) -> Color {
        !self
    }
}
