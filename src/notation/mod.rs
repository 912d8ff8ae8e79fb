//! Games and moves as text.

pub mod json;
pub mod record;
pub mod usi;
