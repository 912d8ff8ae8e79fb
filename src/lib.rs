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
//! The modules form layers; each uses only those before it in this list: [`random`], [`types`], [`bitboard`],
//! [`position`], [`movegen`], [`notation`], [`mate`], [`eval`], [`book`], [`search`], [`storage`], and with the
//! feature `cli`, which is on by default, `process`, `referee`, `openings`, `usi`, `arena`, `training`, `conformance`
//! and `cli`. Without it the library needs ten crates and no more:
//!
//! ```toml
//! [dependencies]
//! komainu = { version = "0.1", default-features = false }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "cli")]
pub mod arena;
pub mod bitboard;
pub mod book;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod conformance;
pub mod eval;
pub mod mate;
pub mod movegen;
pub mod notation;
#[cfg(feature = "cli")]
pub mod openings;
pub mod position;
#[cfg(feature = "cli")]
pub mod process;
pub mod random;
#[cfg(feature = "cli")]
pub mod referee;
pub mod search;
pub mod storage;
#[cfg(feature = "cli")]
pub mod training;
pub mod types;
#[cfg(feature = "cli")]
pub mod usi;

/// The examples of the READMEs are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.ja.md")]
#[doc = include_str!("../docs/library.md")]
#[doc = include_str!("../docs/library.ja.md")]
struct Readme;
