//! Records of games: what is written is read back in every format, and what other programs write is understood.

mod csa;
pub(crate) mod games;
mod ki2;
mod kif;
mod malformed;
mod remarks;
mod round_trip;
