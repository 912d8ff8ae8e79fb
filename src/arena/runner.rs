//! A whole match: hands games to slots, keeps the journal, and ends when all is played, decided or broken off.

use super::engine::{Engine, EngineError};
use super::journal::{Journal, JournalError};
use super::pairing::{GameAssignment, GameResult, NextGame, Pairing, PairingError, ResultsByGame};
use super::plan::Plan;
use super::records::{Formats, save};
use super::slot::{self, MatchContext, SlotEvent, common_options};
use super::stats::{Ledger, PlayedGame, Sprt, SprtDecision};
use crate::notation::json::GameLine;
use crate::notation::record::Ending;
use crate::openings::Opening;
use crate::position::GameRules;
use crate::types::Color;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// Settings of a run of a match; none of them changes what its games are worth.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Games at once, 1 or more.
    pub concurrency: usize,
    /// Longest time of a move without a clock, after which its engine counts as hung.
    pub timeout: Duration,
    /// Tie each slot to a core of its own, where the system offers it.
    pub affinity: bool,
    /// The records that are saved beside the journal.
    pub formats: Formats,
}

/// Event while a match runs.
#[derive(Debug)]
pub enum MatchEvent<'a> {
    /// A game begins: its number and the names of black and white.
    Started(u64, [&'a str; 2]),
    /// A game has ended and is in the journal.
    Finished(&'a GameLine, &'a Ledger),
    /// Something that the user may want to know.
    Notice(String),
}

/// Why a match cannot go on.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot be started: its name and why.
    #[error("engine {0}: {1}")]
    Engine(String, #[source] EngineError),
    /// The plan has no games.
    #[error(transparent)]
    Pairing(PairingError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(JournalError),
    /// An engine could not be started for [`MAX_FAILED_STARTS`] games in a row: its name and the last reason.
    #[error("engine {0} cannot be started any more: {1}")]
    Unstartable(String, String),
}

/// End of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All games were played.
    Complete,
    /// The sequential test is decided.
    Decided(SprtDecision),
    /// Somebody has set the flag.
    BrokenOff,
}

/// Starts each engine once, so that a wrong command or option shows before the first game. Returns notices about them.
pub fn try_engines(plan: &Plan) -> Result<Vec<String>, MatchError> {
    let common = common_options(plan);
    let mut notices = Vec::new();
    for engine in &plan.engines {
        let fail = |error| MatchError::Engine(engine.name.clone(), error);
        let (running, unknown) = Engine::start(engine, &common).map_err(fail)?;
        let id = running.id_name().unwrap_or("no name").to_string();
        notices.push(format!("{} is {id}", engine.name));
        notices.extend(unknown.iter().map(|option| format!("{} does not list the option {option}", engine.name)));
        running.quit();
    }
    Ok(notices)
}

/// A match that is being played.
pub struct Match<'a> {
    /// Plan of the match.
    pub plan: &'a Plan,
    /// The rules that the plan names.
    pub rules: GameRules,
    /// The openings, one or more.
    pub openings: &'a [Opening],
    /// Settings of the run.
    pub options: RunOptions,
    /// Broken off when somebody sets this. The match itself sets it once it is decided.
    pub halt: &'a AtomicBool,
}

/// Games in a row that one engine may lose because it could not be started.
const MAX_FAILED_STARTS: u32 = 5;

impl Match<'_> {
    /// Plays the match to its end; `done` are the games that have been played already. Every game is in the journal before
    /// it is reported. Returns all games, in the order in which they ended.
    pub fn run(
        &self,
        journal: &mut Journal,
        done: Vec<GameLine>,
        on_event: &mut dyn FnMut(MatchEvent),
    ) -> Result<(Ended, Vec<GameLine>), MatchError> {
        let mut state = MatchState::new(self, done)?;
        thread::scope(|scope| {
            let (sender, events) = channel();
            let slots: Vec<Sender<GameAssignment>> = (0..self.options.concurrency)
                .map(|number| {
                    let (jobs, assigned) = channel();
                    let sender = sender.clone();
                    let shared = self.shared();
                    scope.spawn(move || slot::run(number, &shared, &assigned, &sender));
                    jobs
                })
                .collect();
            let result = state.play_games(journal, &slots, &events, on_event);
            if result.is_err() {
                self.halt.store(true, Ordering::Relaxed);
            }
            // Without jobs the slots end their engines and themselves.
            result
        })?;
        Ok((state.ended(), state.lines))
    }

    fn shared(&self) -> MatchContext<'_> {
        let RunOptions { timeout, affinity, .. } = self.options;
        MatchContext { plan: self.plan, rules: self.rules, openings: self.openings, timeout, affinity, halt: self.halt }
    }
}

/// The state of a match between two games.
struct MatchState<'a> {
    config: &'a Match<'a>,
    pairing: Pairing,
    /// The games that have been played.
    results: ResultsByGame,
    /// No game below this number is left to be begun.
    next: u64,
    sprt: Option<Sprt>,
    ledger: Ledger,
    lines: Vec<GameLine>,
    decision: SprtDecision,
    /// Games that were lost in a row because an engine could not be started.
    failed_starts: u32,
}

impl<'a> MatchState<'a> {
    fn new(config: &'a Match<'a>, done: Vec<GameLine>) -> Result<MatchState<'a>, MatchError> {
        let plan = config.plan;
        let mut state = MatchState {
            config,
            pairing: Pairing::new(plan).map_err(MatchError::Pairing)?,
            results: ResultsByGame::new(),
            next: 0,
            // A shard is no test by itself: the joined games are.
            sprt: plan.sprt.filter(|_| plan.shard.is_none()).and_then(|sprt| Sprt::new(sprt).ok()),
            ledger: Ledger::new(plan.engines.len()),
            lines: Vec::new(),
            decision: SprtDecision::Continue,
            failed_starts: 0,
        };
        done.into_iter().for_each(|line| state.count(line));
        Ok(state)
    }

    /// Hands out games until none is left and none is being played.
    fn play_games(
        &mut self,
        journal: &mut Journal,
        slots: &[Sender<GameAssignment>],
        events: &Receiver<(usize, SlotEvent)>,
        on_event: &mut dyn FnMut(MatchEvent),
    ) -> Result<(), MatchError> {
        let mut idle: Vec<usize> = (0..slots.len()).rev().collect();
        loop {
            while let Some(slot) = idle.pop() {
                let Some(game) = self.next() else {
                    idle.push(slot);
                    break;
                };
                let names = [game.black, game.white].map(|index| self.config.plan.engines[index].name.as_str());
                on_event(MatchEvent::Started(game.number, names));
                slots[slot].send(game).expect("a slot lives as long as it may get jobs");
            }
            if idle.len() == slots.len() {
                return Ok(());
            }
            let (slot, event) = events.recv().expect("a working slot sends its result");
            match event {
                SlotEvent::Notice(text) => on_event(MatchEvent::Notice(text)),
                SlotEvent::BrokenOff => idle.push(slot),
                SlotEvent::Finished(line) => {
                    idle.push(slot);
                    self.finish(*line, journal, on_event)?;
                }
            }
        }
    }

    /// The next game to be begun, unless there is none, or none whose players are known yet.
    fn next(&mut self) -> Option<GameAssignment> {
        if self.config.halt.load(Ordering::Relaxed) {
            return None;
        }
        loop {
            if self.results.contains_key(&self.next) {
                self.next += 1;
                continue;
            }
            let NextGame::Game(game) = self.pairing.game(self.next, &self.results) else { return None };
            self.next += 1;
            if self.pairing.takes(game.pair) {
                return Some(game);
            }
        }
    }

    fn finish(
        &mut self,
        line: GameLine,
        journal: &mut Journal,
        on_event: &mut dyn FnMut(MatchEvent),
    ) -> Result<(), MatchError> {
        // The records first: a game that is in the journal has its records.
        save(journal.folder(), &line, self.config.options.formats).map_err(MatchError::Journal)?;
        journal.add(&line).map_err(MatchError::Journal)?;
        self.note_failed_start(&line)?;
        self.count(line);
        on_event(MatchEvent::Finished(&self.lines[self.lines.len() - 1], &self.ledger));
        Ok(())
    }

    /// A game that was lost before its first move by a crash. Many of them in a row are no match.
    fn note_failed_start(&mut self, line: &GameLine) -> Result<(), MatchError> {
        let has_failed = line.ending == Ending::Crash && line.moves.len() == line.opening_plies;
        self.failed_starts = if has_failed { self.failed_starts + 1 } else { 0 };
        match line.winner {
            Some(winner) if self.failed_starts >= MAX_FAILED_STARTS => {
                Err(MatchError::Unstartable(line.players[!winner].clone(), line.detail.clone()))
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, line: GameLine) {
        let index = |side: Color| self.config.plan.engine_index(&line.players[side]);
        if let (Some(black), Some(white)) = (index(Color::Black), index(Color::White)) {
            let game = PlayedGame { pair: line.pair, black, white, winner: line.winner };
            // A game without a result counts for nobody.
            let result = match (line.winner, line.ending) {
                (_, Ending::Interrupted | Ending::Error) => GameResult::Void,
                (Some(winner), _) => GameResult::Win(winner),
                (None, _) => GameResult::Draw,
            };
            if result != GameResult::Void {
                self.ledger.add(game);
            }
            self.results.insert(line.game, result);
        }
        self.lines.push(line);
        // What is decided stays decided, whatever the games bring that were being played.
        if let (Some(sprt), SprtDecision::Continue) = (&self.sprt, self.decision) {
            self.decision = sprt.status(self.ledger.total(0).pentanomial()).decision;
        }
        if self.decision != SprtDecision::Continue {
            // Games that are being played cannot change anything any more.
            self.config.halt.store(true, Ordering::Relaxed);
        }
    }

    fn ended(&self) -> Ended {
        match self.decision {
            SprtDecision::Continue if self.config.halt.load(Ordering::Relaxed) => Ended::BrokenOff,
            SprtDecision::Continue => Ended::Complete,
            decision => Ended::Decided(decision),
        }
    }
}
