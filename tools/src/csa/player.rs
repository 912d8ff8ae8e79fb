//! Who plays: the built-in engine within this process, or a USI engine as a program of its own.
//!
//! Both are spoken to in the same way; their lines come as events beside those of the server. The session of the
//! built-in one ([`komainu::usi::run`]) runs on a thread of its own.

use super::connection::Event;
use super::settings::{PASSWORD_VARIABLE, Settings};
use super::wire::WireLog;
use crate::client::{EngineEvent, Setup, Source, UsiEngine};
use crate::process::Launch;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

/// A running engine with the number of its events. It is ended when it is dropped.
pub(super) struct Player {
    pub(super) engine: UsiEngine,
    pub(super) number: u64,
}

impl Player {
    /// Starts the engine that the settings name; it has said nothing yet.
    pub(super) fn start(
        settings: &Settings,
        number: u64,
        log: &Arc<WireLog>,
        sender: &SyncSender<Event>,
    ) -> io::Result<Player> {
        let sender = sender.clone();
        let tell = move |event| {
            // The receiver ends with the client.
            _ = sender.send(match event {
                EngineEvent::Line(line) => Event::Engine(number, line),
                EngineEvent::Closed => Event::EngineClosed(number),
            });
        };
        let listener = Arc::<WireLog>::clone(log);
        let setup = Setup { listener, ..Setup::of_patience(settings.engine.timeout) };
        let engine = match &settings.engine.command {
            None => {
                let run = |input, output| _ = komainu::usi::run(input, output);
                UsiEngine::connect(Source::Within(run), setup, tell)?
            }
            Some(command) => {
                let launch = Launch::new(command, settings.engine.folder.as_deref())?;
                let launch = launch.without_variable(PASSWORD_VARIABLE);
                UsiEngine::connect(Source::Program(&launch), setup, tell)?
            }
        };
        Ok(Player { engine, number })
    }

    /// The name that it gives itself.
    pub(super) fn name(&self) -> &str {
        if self.engine.name().is_empty() { "the engine" } else { self.engine.name() }
    }
}
