//! Settings that several tools have, each declared once: clap reads such a struct from flags, serde from a file.
//!
//! A file of settings and flags are one [`table`]: flags are laid over the file, and what comes out is read as one
//! struct.

mod engine;
mod evaluation;
mod format;
mod limits;
mod live;
mod position;
mod rules;
mod share;
pub mod table;

pub use engine::{EngineOptions, PatienceSetting, Ponder, name_and_value};
pub use evaluation::{EvaluationSettings, read_net};
pub use format::{Encoding, EncodingSetting, GAME_FORMATS, RecordFormat, one_of};
pub use limits::{HASH_HELP, MEMORY_HELP, Resume, SearchLimits, THREADS_HELP, megabytes, threads};
pub use live::LivePage;
pub use position::{SFEN_HELP, Sides};
pub use rules::{RuleSetting, Rules};
pub use share::{Share, StopFile};
