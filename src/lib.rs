#![doc = include_str!("../README.md")]
//!
//! # The rooms of the crate
//!
//! They form layers; each knows only those before it in this list: [`types`], [`bitboard`], [`position`], [`movegen`],
//! [`notation`], [`eval`], [`search`], [`usi`] and [`cli`].

pub mod bitboard;
pub mod cli;
pub mod eval;
pub mod movegen;
pub mod notation;
pub mod position;
pub mod search;
pub mod types;
pub mod usi;
