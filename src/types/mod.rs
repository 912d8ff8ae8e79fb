//! The words of the game: colours, squares, pieces, hands, moves, scores and keys.
//!
//! Every type is a small `Copy` value whose illegal states cannot be built: squares and pieces are enums with a niche,
//! so `Option<Square>`, `Option<Piece>` and `Option<Move>` cost nothing. [`StopToken`] is here because every long
//! computation takes one. This module uses no other.

mod color;
mod counted;
mod hand;
mod key;
mod moves;
mod opaque;
mod parse;
mod piece;
mod quoted;
mod score;
mod shard;
mod span;
mod square;
mod stop;
#[cfg(feature = "serde")]
mod text;

pub use color::Color;
#[doc(hidden)]
pub use counted::Counted;
pub use hand::Hand;
pub use key::Key;
pub use moves::{Move, MoveKind};
#[doc(hidden)]
pub use opaque::opaque_debug;
pub use parse::{ParseColorError, ParseHandError, ParseMoveError, ParsePieceError, ParseSquareError, UnknownName};
pub use piece::{Piece, PieceType};
#[doc(hidden)]
pub use quoted::Printable;
#[doc(hidden)]
pub use quoted::Quoted;
#[doc(hidden)]
pub use quoted::Visible;
pub use score::Score;
#[doc(hidden)]
pub use shard::{Shard, ShardError};
#[doc(hidden)]
pub use span::{Span, SpanError};
pub use square::{File, Rank, Square};
pub use stop::StopToken;
#[cfg(feature = "serde")]
pub(crate) use text::serde_as_text;
