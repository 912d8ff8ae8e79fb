//! Conformance of an engine to the USI protocol: grammar, recorded conversations, the items of `check`, replay.
//!
//! [`grammar`] judges the lines of a conversation, [`log`] reads recorded conversations, [`replay`] feeds one to a
//! fresh engine, and [`check`] asks a hundred things of an engine.

pub mod check;
pub mod grammar;
pub mod log;
pub mod replay;
