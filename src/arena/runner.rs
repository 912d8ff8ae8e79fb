//! A whole match: hands games to slots, keeps the journal, and ends when all is played, decided or broken off.

use super::engine::{Engine, EngineError};
use super::journal::{Journal, JournalError};
use super::openings::Opening;
use super::pairing::{Game, Schedule};
use super::plan::Plan;
use super::records::{Formats, save};
use super::slot::{self, Shared, Told, common_options};
use super::stats::{Ledger, PlayedGame, Sprt, Verdict};
use crate::notation::json::GameLine;
use crate::position::GameRules;
use crate::types::Color;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// How a match is run; none of it changes what its games are worth.
#[derive(Clone, Copy, Debug)]
pub struct Conduct {
    /// Games at once, 1 or more.
    pub concurrency: usize,
    /// How long a move without a clock may take before its engine counts as hung.
    pub patience: Duration,
    /// Tie each slot to a core of its own, where the system offers it.
    pub affinity: bool,
    /// The records that are saved beside the journal.
    pub formats: Formats,
}

/// What happens while a match runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A game begins: its number and the names of black and white.
    Started(u64, [&'a str; 2]),
    /// A game has ended and is in the journal.
    Finished(&'a GameLine, &'a Ledger),
    /// Something that the user may want to know.
    Remark(String),
}

/// Why a match cannot go on.
#[derive(Debug)]
pub enum RunError {
    /// An engine cannot be started: its name and why.
    Engine(String, EngineError),
    /// The journal cannot be written.
    Journal(JournalError),
    /// An engine could not be started for so many games in a row: its name and the last reason.
    Unstartable(String, String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Engine(name, error) => write!(f, "engine {name}: {error}"),
            RunError::Journal(error) => error.fmt(f),
            RunError::Unstartable(name, why) => write!(f, "engine {name} cannot be started any more: {why}"),
        }
    }
}

impl std::error::Error for RunError {}

/// How a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games were played.
    Complete,
    /// The sequential test is decided.
    Decided(Verdict),
    /// Somebody has set the flag.
    BrokenOff,
}

/// Starts each engine once, so that a wrong command or option shows before the first game. Remarks on them.
pub fn try_engines(plan: &Plan) -> Result<Vec<String>, RunError> {
    let common = common_options(plan);
    let mut remarks = Vec::new();
    for engine in &plan.engines {
        let fail = |error| RunError::Engine(engine.name.clone(), error);
        let (running, unknown) = Engine::start(engine, &common).map_err(fail)?;
        let id = running.id_name().unwrap_or("no name").to_string();
        remarks.push(format!("{} is {id}", engine.name));
        remarks.extend(unknown.iter().map(|option| format!("{} does not list the option {option}", engine.name)));
        running.quit();
    }
    Ok(remarks)
}

/// A match that is being played.
pub struct Match<'a> {
    plan: &'a Plan,
    rules: GameRules,
    openings: &'a [Opening],
    conduct: Conduct,
    journal: &'a mut Journal,
    /// Set by whoever breaks the match off, and by the match itself once it is decided.
    halt: &'a AtomicBool,
    ledger: Ledger,
    schedule: Schedule,
    sprt: Option<Sprt>,
}

impl<'a> Match<'a> {
    /// A match of which these games have been played already. There must be an opening.
    pub fn new(
        plan: &'a Plan,
        rules: GameRules,
        openings: &'a [Opening],
        conduct: Conduct,
        journal: &'a mut Journal,
        halt: &'a AtomicBool,
    ) -> Match<'a> {
        todo!()
    }
}
