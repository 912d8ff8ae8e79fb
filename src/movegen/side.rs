//! The side to move as a type.

use crate::bitboard::Bitboard;
use crate::types::Color;

/// A side known at compile time, so that directions, zones and tables are constants in the generator.
pub(crate) trait Side {
    /// The side.
    const US: Color;
    /// The other side.
    const THEM: Color = Self::US.flip();
    /// The promotion zone.
    const ZONE: Bitboard = Bitboard::last_ranks(Self::US, 3);
    /// The last rank.
    const LAST: Bitboard = Bitboard::last_ranks(Self::US, 1);
    /// The last two ranks.
    const LAST_TWO: Bitboard = Bitboard::last_ranks(Self::US, 2);
    /// The other side as a type.
    type Opponent: Side;
}

pub(crate) enum Black {}
pub(crate) enum White {}

impl Side for Black {
    const US: Color = Color::Black;
    type Opponent = White;
}

impl Side for White {
    const US: Color = Color::White;
    type Opponent = Black;
}
