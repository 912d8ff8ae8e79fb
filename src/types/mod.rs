//! The vocabulary of the game: colours, squares, pieces, hands, moves, scores and keys.
//!
//! Every type is a small `Copy` value whose illegal states cannot be built: squares and pieces are enums with a niche,
//! so `Option<Square>`, `Option<Piece>` and `Option<Move>` cost nothing. [`StopToken`] is here because every long
//! computation takes one.

mod color;
mod error;
mod hand;
mod moves;
mod piece;
mod score;
mod square;
mod stop;
mod text;

pub use color::Color;
pub(crate) use error::named;
pub use error::{ParseColorError, ParseHandError, ParseMoveError, ParsePieceError, ParseSquareError, UnknownName};
pub use hand::Hand;
pub use moves::{Move, MoveKind};
pub use piece::{Piece, PieceType};
pub use score::Score;
pub use square::{File, Rank, Square};
pub use stop::StopToken;
#[cfg(feature = "serde")]
pub(crate) use text::serde_as_text;
#[doc(hidden)]
pub use text::{Counted, Printable, Quoted, Visible, opaque_debug};

use std::ops::{BitXor, BitXorAssign};

/// A 64-bit Zobrist key. Equal positions have equal keys; different ones share a key with a chance of 2^-64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u64);

impl BitXor for Key {
    type Output = Key;
    #[inline]
    fn bitxor(self, other: Key) -> Key {
        Key(self.0 ^ other.0)
    }
}

impl BitXorAssign for Key {
    #[inline]
    fn bitxor_assign(&mut self, other: Key) {
        self.0 ^= other.0;
    }
}
