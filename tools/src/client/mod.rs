//! USI engines as programs: the one way to start, set, ask, stop and end them.
//!
//! [`UsiEngine`] is used by matches, analyses, books and the client of CSA servers. It knows what an engine lists,
//! under which name it takes an option ([`UsiEngine::set`]), how long it may be silent ([`Setup::timeout`]) and how it ended
//! ([`EngineError`]). What is said goes to a [`Transcript`] if one is wanted. The lines of an engine arrive on a
//! channel; whoever waits for other things as well has them go to a function ([`UsiEngine::connect`]).
//!
//! ```no_run
//! use komainu_tools::client::{Infos, Setup, UsiEngine};
//! use komainu::position::Position;
//! use komainu_tools::process::Launch;
//! use komainu::protocol::{Go, PositionCommand};
//!
//! let mut engine = UsiEngine::start(&Launch::new("./komainu", None)?, Setup { infos: Infos::All, ..Setup::default() })?;
//! engine.set("MultiPV", "3")?;
//! engine.new_game()?;
//! let go = Go { nodes: Some(100_000), ..Go::default() };
//! let answer = engine.ask(&PositionCommand::new(&Position::startpos()), &go)?;
//! println!("{} after {} reports in {:?}", answer.best, answer.infos.len(), answer.took);
//! engine.quit();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod engine;
mod files;
mod reader;
mod transcript;

pub use answer::Answer;
pub(crate) use engine::QUIT_TIMEOUT;
pub use engine::{DEFAULT_TIMEOUT, EngineError, Setup, Source, UsiEngine, listed_option};
pub use files::FileStamp;
pub use reader::{EngineEvent, EngineLine, Infos, MemoryInput, MemoryOutput};
pub use transcript::{Listener, Speaker, Transcript, text_of_game};
