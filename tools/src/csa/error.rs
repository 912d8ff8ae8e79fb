//! Why a session ends before its end.

use super::config::ConfigError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a session ends before its end.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The settings make no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file cannot be written, or a folder made.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, #[source] io::Error),
    /// The system has no threads to give.
    #[error("no thread: {0}")]
    Thread(#[source] io::Error),
    /// The network was given up: the last reason.
    #[error("the network was given up: {0}")]
    Network(String),
    /// The server refuses the login: its words.
    #[error("the login was refused three times in a row: {0}")]
    Refused(String),
    /// The engine cannot be started, or cannot be set as the settings wish.
    #[error("the engine is given up: {0}")]
    Engine(String),
}

impl SessionError {
    /// The exit code: 1 for settings and files, 2 for the network, 3 for a login that is refused, 4 for the engine.
    pub fn exit_code(&self) -> u8 {
        match self {
            SessionError::Config(_) | SessionError::File(..) | SessionError::Thread(_) => 1,
            SessionError::Network(_) => 2,
            SessionError::Refused(_) => 3,
            SessionError::Engine(_) => 4,
        }
    }
}
