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
#[cfg(feature = "cli")]
mod shard;
#[cfg(feature = "cli")]
mod span;
mod square;
mod stop;
#[cfg(feature = "serde")]
mod text;

pub use color::Color;
pub(crate) use counted::Counted;
pub use hand::Hand;
pub use key::Key;
pub use moves::{Move, MoveKind};
pub(crate) use opaque::opaque_debug;
pub use parse::{ParseColorError, ParseHandError, ParseMoveError, ParsePieceError, ParseSquareError, UnknownName};
pub use piece::{Piece, PieceType};
#[cfg(feature = "cli")]
pub(crate) use quoted::Printable;
pub(crate) use quoted::Quoted;
#[cfg(any(feature = "engines", feature = "usi"))]
pub(crate) use quoted::Visible;
pub use score::Score;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use shard::{Shard, ShardError};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use span::{Span, SpanError};
pub use square::{File, Rank, Square};
pub use stop::StopToken;
#[cfg(feature = "serde")]
pub(crate) use text::serde_as_text;
