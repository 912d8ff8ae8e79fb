//! Komainu: a shogi engine.
//!
//! The rooms of this crate form layers; each knows only those before it in this list:
//! [`types`], [`bitboard`], [`position`], [`movegen`], [`notation`], [`eval`], [`search`], [`usi`], [`cli`].

pub mod bitboard;
pub mod cli;
pub mod eval;
pub mod movegen;
pub mod notation;
pub mod position;
pub mod search;
pub mod types;
pub mod usi;
