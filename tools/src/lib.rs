//! What is built on the engine: analysis of games, matches, tuning, the client of CSA servers, training, checks of the
//! protocol. The binary `komainu`, the Python package and the web packages stand on this library and on [`komainu`].
//!
//! Without default features it is the analysis of games and what a page in a browser asks; the feature `programs`
//! adds what starts other programs, opens connections or trains nets.
//!
//! Other crates may use it, but only [`client`], [`analyst`], [`analysis`], [`training::records`] and
//! [`training::games`] are described for them and stay as they are within a version.

pub mod analysis;
pub mod analyst;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod arena;
#[allow(missing_docs)]
#[doc(hidden)]
pub mod browser;
#[cfg(feature = "programs")]
pub mod client;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod conformance;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod csa;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod http;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod live;
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod openings;
#[allow(missing_docs)]
#[doc(hidden)]
pub mod page;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod process;
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod random;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod settings;
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod share;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
pub mod training;
#[allow(missing_docs)]
#[cfg(feature = "programs")]
#[doc(hidden)]
pub mod tuning;
