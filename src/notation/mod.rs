//! Games and moves as text.

pub mod usi;
