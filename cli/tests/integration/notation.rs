//! Records of games: what is written is read back in every format, and what other programs write is understood.

mod csa;
pub(crate) mod games;
mod json;
mod ki2;
mod kif;
mod losses;
mod malformed;
mod remarks;
mod round_trip;
