//! The words of the game: colours, squares, pieces, hands, moves, scores and keys.
//!
//! Every type is a small `Copy` value whose illegal states cannot be built: squares and pieces are enums with a
//! niche, so `Option<Square>`, `Option<Piece>` and `Option<Move>` cost nothing. This module uses no other.

mod color;
mod counted;
mod hand;
mod key;
mod moves;
mod piece;
mod score;
mod shard;
mod square;
mod token;

pub use color::Color;
pub use counted::Counted;
pub use hand::Hand;
pub use key::Key;
pub use moves::{Move, MoveKind, ParseMoveError};
pub use piece::{Piece, PieceType};
pub use score::Score;
pub use shard::{Shard, ShardError};
pub use square::{File, Rank, Square};
pub use token::Token;
