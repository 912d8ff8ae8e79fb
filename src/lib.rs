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
//! The modules form layers; each uses only those before it in this table. Without default features the library is the
//! rules, with three small crates behind them:
//!
//! ```toml
//! [dependencies]
//! komainu = { version = "0.1", default-features = false }
//! ```
//!
//! | feature | modules | crates |
//! | --- | --- | --- |
//! | none | [`host`], [`types`], [`bitboard`], [`position`], [`movegen`] (perft on one thread), [`notation`] (USI, [`notation::record`], [`notation::tree`]), [`formations`], [`protocol`], [`referee`] | arrayvec, bitflags, once_cell |
//! | `serde` | [`types::Move`], [`position::Position`] and the names of rules as text | serde |
//! | `records` | [`notation`] in full: KIF, KI2, CSA, JSON, PGN; [`games`] | encoding_rs, thiserror, serde, serde_json |
//! | `mate` | [`mate`] | thiserror |
//! | `search` | [`eval`], [`system`], [`search`], [`levels`], [`player`], `mate`; threads for perft | crc32fast, libc, rayon, sysinfo, thiserror |
//! | `book` | [`book`], `records` | libc, rayon, tempfile, thiserror |
//! | `analysis` | [`analyst`], [`analysis`], `book`, `search` | |
//! | `data` | [`training`]: [`training::records`] (.psv), [`training::games`]; `records` | crc32fast |
//! | `engines` | [`client`]: other programs that speak USI; with `analysis` an analyst of them; `records` | humantime, libc, process-wrap, shlex |
//! | `usi` | [`usi`], `book`, `search` | humantime |
//! | `packed` | the built-in net and book deflated | miniz_oxide |
//! | `suspend` | in WebAssembly, searches that can be suspended: see [`host`] | |
//! | `cli`, on by default | all of the above; the modules of the binary, which are not shown here and promise nothing | those of the binary |
//!
// The table names the modules of all features: where one is left out, its link leads to the documentation of the whole.
#![cfg_attr(not(feature = "records"), doc = "[`games`]: https://docs.rs/komainu/latest/komainu/games/")]
#![cfg_attr(not(feature = "mate"), doc = "[`mate`]: https://docs.rs/komainu/latest/komainu/mate/")]
#![cfg_attr(not(feature = "search"), doc = "[`eval`]: https://docs.rs/komainu/latest/komainu/eval/")]
#![cfg_attr(not(feature = "search"), doc = "[`system`]: https://docs.rs/komainu/latest/komainu/system/")]
#![cfg_attr(not(feature = "search"), doc = "[`search`]: https://docs.rs/komainu/latest/komainu/search/")]
#![cfg_attr(not(feature = "search"), doc = "[`levels`]: https://docs.rs/komainu/latest/komainu/levels/")]
#![cfg_attr(not(feature = "search"), doc = "[`player`]: https://docs.rs/komainu/latest/komainu/player/")]
#![cfg_attr(not(feature = "book"), doc = "[`book`]: https://docs.rs/komainu/latest/komainu/book/")]
#![cfg_attr(not(feature = "analysis"), doc = "[`analyst`]: https://docs.rs/komainu/latest/komainu/analyst/")]
#![cfg_attr(not(feature = "analysis"), doc = "[`analysis`]: https://docs.rs/komainu/latest/komainu/analysis/")]
#![cfg_attr(not(feature = "data"), doc = "[`training`]: https://docs.rs/komainu/latest/komainu/training/")]
#![cfg_attr(
    not(feature = "data"),
    doc = "[`training::records`]: https://docs.rs/komainu/latest/komainu/training/records/"
)]
#![cfg_attr(not(feature = "data"), doc = "[`training::games`]: https://docs.rs/komainu/latest/komainu/training/games/")]
#![cfg_attr(not(feature = "engines"), doc = "[`client`]: https://docs.rs/komainu/latest/komainu/client/")]
#![cfg_attr(not(feature = "usi"), doc = "[`usi`]: https://docs.rs/komainu/latest/komainu/usi/")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "analysis")]
pub mod analysis;
#[cfg(feature = "analysis")]
pub mod analyst;
// In the modules of tools a name that says all needs no line of documentation.
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod arena;
pub mod bitboard;
#[cfg(feature = "book")]
pub mod book;
#[allow(missing_docs)]
#[cfg(feature = "analysis")]
#[doc(hidden)]
pub mod browser;
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "engines")]
pub mod client;
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod conformance;
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod csa;
#[cfg(feature = "search")]
pub mod eval;
pub mod formations;
#[cfg(feature = "records")]
pub mod games;
pub mod host;
#[cfg(feature = "search")]
pub mod levels;
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod live;
#[cfg(feature = "mate")]
pub mod mate;
pub mod movegen;
pub mod notation;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod openings;
#[allow(missing_docs)]
#[cfg(feature = "analysis")]
#[doc(hidden)]
pub mod page;
#[cfg(feature = "search")]
pub mod player;
pub mod position;
#[allow(missing_docs)]
#[cfg(feature = "engines")]
#[doc(hidden)]
pub mod process;
pub mod protocol;
#[doc(hidden)]
pub mod random;
pub mod referee;
#[cfg(feature = "search")]
pub mod search;
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod settings;
#[cfg(feature = "book")]
#[doc(hidden)]
pub mod storage;
#[cfg(feature = "search")]
pub mod system;
#[allow(missing_docs)]
#[cfg(feature = "data")]
pub mod training;
#[allow(missing_docs)]
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod tuning;
pub mod types;
#[cfg(feature = "usi")]
pub mod usi;

/// The examples of the READMEs are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../README.ja.md")]
#[doc = include_str!("../docs/library.md")]
#[doc = include_str!("../docs/library.ja.md")]
struct Readme;
