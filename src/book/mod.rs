//! Opening books: looked up in games, made, merged, checked and converted.
//!
//! A [`Book`] finds the moves of a position, on disk or in memory, in any of four formats: [`text`] (YANEURAOU-DB2016,
//! `.db`), `.ybb`, Apery's `.bin`, ShogiGUI's `.sbk`. A [`BookSet`] is a book with the files that come before it, and
//! [`probe`] chooses a move. Everything else is for tools: [`stream`] reads the positions of a book one after the
//! other, [`collect`] puts them in order in bounded memory ([`sort`]), [`mod@write`] writes any format, [`made`] makes books from games, [`graph`] sees
//! the book as a graph of positions. The name [`INTERNAL`] stands for the book that is built in, wherever a file is
//! read.
//!
//! ```
//! use komainu::book::{BookSet, INTERNAL, Lookup, OnTheFly, book_files};
//! use komainu::position::Position;
//!
//! let (books, errors) = BookSet::open(&book_files(INTERNAL.as_ref()), OnTheFly::Auto);
//! assert!(errors.is_empty());
//! let moves = books.find(&Position::startpos(), Lookup::default())?.unwrap_or_default();
//! assert!(!moves.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apery;
#[allow(clippy::module_inception)]
mod book;
mod bytes;
pub mod check;
pub mod collect;
mod entry;
mod error;
pub mod graph;
pub mod made;
pub mod probe;
mod sbk;
pub mod sort;
pub mod stream;
pub mod text;
pub mod write;
mod ybb;

pub use apery::apery_key;
pub use book::{Book, BookFormat, BookSet, Lookup, OnTheFly, book_files};
pub use bytes::INTERNAL;
pub use entry::{BookEntry, BookResults, Candidate, MAX_CANDIDATES, has_values, sort_candidates};
pub use error::{BookError, BookFault, BookLineFault};
