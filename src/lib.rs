//! Komainu, a shogi engine, as a library: the rules, a fast legal move generator, a search, the USI protocol.
//!
//! ```
//! use komainu::movegen::{All, generate, has_legal_move};
//! use komainu::position::Position;
//!
//! let position = Position::from_sfen("8k/9/7GG/9/9/9/9/9/9 b - 1")?;
//! let moves = generate::<All>(&position);
//! let mates = moves.iter().filter(|&&mv| {
//!     let after = position.after(mv);
//!     after.in_check() && !has_legal_move(&after)
//! });
//! assert_eq!(mates.count(), 4);
//! # Ok::<(), komainu::position::SfenError>(())
//! ```
//!
//! The modules form layers; each uses only those before it in this table. Without default features the library is the
//! rules, with four small crates behind them:
//!
//! ```toml
//! [dependencies]
//! komainu = { version = "0.1", default-features = false }
//! ```
//!
//! | feature | modules | crates |
//! | --- | --- | --- |
//! | none | `host`, `types`, `bitboard`, `position`, `movegen` (perft on one thread), `notation` (USI, `notation::record`, `notation::tree`), `formations`, `protocol`, `referee` | arrayvec, bitflags, once_cell, thiserror |
//! | `serde` | moves, positions and the names of rules as text | serde |
//! | `notation` | `notation` but for JSON: KIF, KI2, CSA, PGN; `games` | encoding_rs |
//! | `records` | `notation` in full, with JSON | serde, serde_json |
//! | `mate` | `mate` | none |
//! | `search` | `eval`, `system`, `search`, `levels`, `player`, `mate`; threads for perft | crc32fast, libc, rayon, sysinfo |
//! | `book` | `book`, `storage`, `records` | libc, rayon, tempfile |
//! | `usi` | `usi`, `book`, `search` | humantime |
//! | `packed` | the built-in net and book deflated | miniz_oxide |
//! | `suspend` | in WebAssembly, searches that can be suspended: see `host` | |
//! | `tune` | the constants of the search as USI options | |
//!
//! `serde` and `usi` are on by default. What is built on the engine (matches, analysis, other engines as programs, training) is in
//! the crate `komainu-tools`, the program in `komainu-cli`.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod bitboard;
#[cfg(feature = "book")]
pub mod book;
#[cfg(feature = "search")]
pub mod eval;
pub mod formations;
#[cfg(feature = "notation")]
pub mod games;
pub mod host;
#[cfg(feature = "search")]
pub mod levels;
#[cfg(feature = "mate")]
pub mod mate;
pub mod movegen;
pub mod notation;
#[cfg(feature = "search")]
pub mod player;
pub mod position;
pub mod protocol;
#[doc(hidden)]
pub mod random;
pub mod referee;
#[cfg(feature = "search")]
pub mod search;
#[cfg(feature = "book")]
#[doc(hidden)]
pub mod storage;
#[cfg(feature = "search")]
pub mod system;
pub mod types;
#[cfg(feature = "usi")]
pub mod usi;
