//! Why an engine cannot be used.

use komainu::types::{Quoted, Visible};
use std::io;
use std::time::Duration;
use thiserror::Error;

/// Why an engine cannot go on. The texts do not name the engine: whoever has several does.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The command cannot be read or run.
    #[error("cannot start \"{}\": {}", Visible(.0), .1)]
    Start(String, #[source] io::Error),
    /// The process has ended: how, and the end of what it wrote to standard error.
    #[error("ended by itself: {}", Visible(.0))]
    Ended(String),
    /// The value of an option is none that it takes: the name, and why.
    #[error("option {0}: {1}")]
    Option(String, String),
    /// It lists no option of this name, nor one that means the same.
    #[error("lists no option {}", Quoted(.0))]
    NotListed(String),
    /// It has no option for the number of lines, and more than one are wanted.
    #[error("lists neither MultiPV nor USI_MultiPV: it cannot show {0} lines")]
    OneLine(usize),
    /// It has been silent for so long, and has not said this word.
    #[error("no {}: silent for {} s", .0, .1.as_secs_f64())]
    Silent(&'static str, Duration),
    /// Nobody wants to wait for it any more.
    #[error("interrupted")]
    Halted,
}
