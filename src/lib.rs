//! Komainu, a shogi engine, as a library: the rules, a fast legal move generator, a search, the USI protocol.
//!
//! ```
//! use komainu::movegen::{All, generate, has_legal_move};
//! use komainu::position::Position;
//!
//! let position = Position::from_sfen("8k/9/7GG/9/9/9/9/9/9 b - 1")?;
//! let moves = generate::<All>(&position);
//! let mates = moves.iter().filter(|&&mv| {
//!     let mut after = position.clone();
//!     after.do_move(mv);
//!     after.in_check() && !has_legal_move(&after)
//! });
//! assert_eq!(mates.count(), 4);
//! # Ok::<(), komainu::position::SfenError>(())
//! ```
//!
//! The modules of the crate form layers; each uses only those before it in this list: [`types`], [`bitboard`],
//! [`position`], [`movegen`], [`notation`], [`book`], [`eval`], [`search`], [`storage`], [`usi`], [`arena`], [`training`]
//! and [`cli`].

pub mod arena;
pub mod bitboard;
pub mod book;
pub mod cli;
pub mod eval;
pub mod mate;
pub mod movegen;
pub mod notation;
pub mod position;
pub mod search;
pub mod storage;
pub mod training;
pub mod types;
pub mod usi;

/// The examples of the READMEs are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.ja.md")]
#[doc = include_str!("../docs/library.md")]
#[doc = include_str!("../docs/library.ja.md")]
struct Readme;
