//! A whole match: hands games to slots, keeps the journal, and ends when all is played, decided or broken off.

use super::engine::MatchEngine;
use super::folder::{FolderError, MatchJournal, save, save_log};
use super::live::Boards;
use super::pairing::{GameAssignment, NextGame, Pairing, ResultsByGame};
use super::plan::Plan;
use super::slot::{self, GameJob, SlotEvent, common_options};
pub use super::slot::{KnownEngine, OptionValues};
use super::stats::{Ledger, PlayedGame, Sprt, SprtDecision};
use crate::client::{EngineError, Transcript};
use crate::openings::Opening;
use crate::process::PauseMonitor;
use crate::settings::Ponder;
use komainu::notation::json::{GameLine, Machine};
use komainu::notation::record::Ending;
use komainu::position::GameRules;
use komainu::types::{Counted, opaque_debug};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use thiserror::Error;

/// Settings of a run of a match; none of them changes what its games are worth.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Games at once, 1 or more.
    pub concurrency: usize,
    /// Longest time of a move without a clock, after which its engine counts as hung.
    pub timeout: Duration,
    /// The cores of each slot, which no other one has; none where the system chooses.
    pub cores: Vec<Vec<usize>>,
    /// A file; once it is there no further pair of games begins.
    pub stop: Option<PathBuf>,
    /// The boards of a page of the match, if there is one.
    pub boards: Option<Arc<Boards>>,
}

impl RunOptions {
    /// As a plan keeps them, with as many cores for each slot as these engines use at once. There may be too few.
    pub fn of(plan: &Plan, engines: &[KnownEngine]) -> Result<RunOptions, MatchError> {
        let cores = if plan.affinity { slot_cores(plan, engines)? } else { Vec::new() };
        Ok(RunOptions {
            concurrency: plan.concurrency.max(1) as usize,
            timeout: plan.timeout(),
            cores,
            stop: None,
            boards: None,
        })
    }
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
    /// The folder cannot be written to.
    #[error(transparent)]
    Folder(FolderError),
    /// Anything else, in words.
    #[error("{0}")]
    Refused(String),
}

/// End of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Complete,
    /// The sequential test is decided.
    Decided(SprtDecision),
    /// The stop file was there before all was played: the pairs that had begun are whole.
    Stopped,
    /// Somebody has set the flag.
    BrokenOff,
}

/// Starts each engine once, so that a wrong command or option shows before the first game. Returns which programs they
/// are; what there is to say about them is handed to `notice`.
pub fn try_engines(
    plan: &Plan,
    halt: &Arc<AtomicBool>,
    notice: &mut dyn FnMut(String),
) -> Result<Vec<KnownEngine>, MatchError> {
    let common = common_options(plan);
    let start = |engine| MatchEngine::start(engine, &common, plan.timeout(), &Transcript::default(), &[], halt);
    let mut known = Vec::new();
    for engine in &plan.engines {
        let fail = |error| MatchError::Engine(engine.name.clone(), error);
        let mut running = start(engine).map_err(fail)?;
        let id = if running.engine.name().is_empty() { "no name" } else { running.engine.name() };
        notice(format!("{} is {id}", engine.name));
        for option in &running.unlisted {
            if !plan.lenient {
                return Err(MatchError::Refused(format!(
                    "engine {} lists no option {option}; --lenient sends it all the same",
                    engine.name
                )));
            }
            notice(format!("{} does not list the option {option}", engine.name));
        }
        running.engine.new_game().map_err(fail)?;
        for said in running.engine.take_strings() {
            notice(format!("{}: {said}", engine.name));
        }
        let identity = running.identity();
        let stamps = running.file_stamps();
        let threads = running.engine.threads();
        let options = running.engine.options().to_vec();
        known.push(KnownEngine { identity, stamps, threads, options });
        running.engine.quit();
    }
    Ok(known)
}

/// Cores that a match keeps busy.
pub fn busy_cores(plan: &Plan, engines: &[KnownEngine]) -> usize {
    game_cores(plan, engines) * plan.concurrency as usize
}

/// Cores of one game: those of the engines that think at the same time.
fn game_cores(plan: &Plan, engines: &[KnownEngine]) -> usize {
    let mut threads: Vec<usize> = engines.iter().map(|engine| engine.threads).collect();
    threads.sort_by_key(|&threads| Reverse(threads));
    let thinking = if plan.ponder == Ponder::Off { 1 } else { 2 };
    threads.iter().take(thinking).sum()
}

/// The cores of each slot, out of those that this program may use.
fn slot_cores(plan: &Plan, engines: &[KnownEngine]) -> Result<Vec<Vec<usize>>, MatchError> {
    let found: Vec<usize> = core_affinity::get_core_ids().unwrap_or_default().iter().map(|core| core.id).collect();
    let games = plan.concurrency.max(1);
    let each = game_cores(plan, engines);
    let slots: Vec<Vec<usize>> = found.chunks_exact(each).take(games as usize).map(<[usize]>::to_vec).collect();
    // A system that tells nothing of its cores lets none be chosen either.
    if slots.len() < games as usize && !found.is_empty() {
        let games = Counted(games, "game");
        let each = Counted(each, "core");
        let found = Counted(found.len(), "core");
        return Err(MatchError::Refused(format!("--affinity: {games} at once with {each} each, but {found}")));
    }
    Ok(slots)
}

/// Source of options that change from game to game.
pub trait GameOptions: Sync {
    /// Options of black and white of a game, which are sent before it; `None` as long as they depend on games that have
    /// not ended.
    fn of(&self, game: &GameAssignment) -> Option<[OptionValues; 2]>;
}

/// A match that is being played.
pub struct Match<'a> {
    pub plan: &'a Plan,
    /// The rules that the plan names.
    pub rules: GameRules,
    /// The openings, one or more.
    pub openings: &'a [Opening],
    /// The engines that were tried out, in the order of the plan.
    pub engines: &'a [KnownEngine],
    /// The machine that it is played on.
    pub machine: &'a Machine,
    pub options: RunOptions,
    /// Options beyond those of the plan, if they change from game to game.
    pub game_options: Option<&'a dyn GameOptions>,
    /// Broken off when somebody sets this. The match itself sets it once it is decided.
    pub halt: &'a Arc<AtomicBool>,
}

opaque_debug!(Match<'_>, "Match");

/// Words for a game that is played again.
fn played_again(line: &GameLine) -> String {
    let [black, white] = &line.players;
    let game = line.game + 1;
    format!("game {game}: {black} - {white} is played again: {}, {}", line.ending, line.detail)
}

/// Words for a file that an argument names and that is another one than before.
pub fn changed_argument(engine: &str, path: &str) -> String {
    format!("{engine}: {path}, which its command names, has changed")
}

/// Times that a game is played again which was lost on time while the machine stood still.
const MAX_REPLAYS: usize = 5;
/// Games in a row that one engine may lose because it could not be started.
const MAX_FAILED_STARTS: u32 = 5;

impl Match<'_> {
    /// Plays the match to its end; `done` are the games that have been played already. Every game is in the journal
    /// before it is reported. Returns all games, in the order in which they ended.
    pub fn run(
        &self,
        journal: &mut MatchJournal,
        done: Vec<GameLine>,
        on_event: &mut dyn FnMut(MatchEvent),
    ) -> Result<(Ended, Vec<GameLine>), MatchError> {
        let mut state = MatchState::new(self, done)?;
        let stalls = PauseMonitor::start();
        thread::scope(|scope| {
            let (sender, events) = channel();
            let mut slots: Vec<Sender<GameJob>> = Vec::new();
            for number in 0..self.options.concurrency {
                let (jobs, assigned) = channel();
                let sender = sender.clone();
                let stalls = &stalls;
                let play = move || slot::run(number, self, stalls, &assigned, &sender);
                match thread::Builder::new().name(format!("slot {number}")).spawn_scoped(scope, play) {
                    Ok(_) => slots.push(jobs),
                    Err(error) if number == 0 => {
                        return Err(MatchError::Refused(format!("no thread to play on: {error}")));
                    }
                    Err(error) => {
                        let games = Counted(number as u64, "game");
                        on_event(MatchEvent::Notice(format!("{games} at a time, no thread for more: {error}")));
                        break;
                    }
                }
            }
            let result = state.play_games(journal, &slots, &events, on_event);
            if result.is_err() {
                self.halt.store(true, Ordering::Relaxed);
            }
            // Without jobs the slots end their engines and themselves.
            result
        })?;
        Ok((state.ended(), state.lines))
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
    /// Pairs of which one game has begun, with that game.
    halves: BTreeMap<u64, u64>,
    /// The stop file has been seen.
    is_stopped: bool,
    sprt: Option<Sprt>,
    ledger: Ledger,
    lines: Vec<GameLine>,
    decision: SprtDecision,
    /// Games that were lost in a row because an engine could not be started.
    failed_starts: u32,
    /// Games that are to be played again, and those that were, as often as it was so.
    again: Vec<u64>,
    replayed: Vec<u64>,
    /// Engines that have ended after a game, told once each.
    ended_between: Vec<usize>,
    /// Files that arguments name and that have changed, told once each.
    changed: BTreeSet<(String, String)>,
}

impl<'a> MatchState<'a> {
    fn new(config: &'a Match<'a>, done: Vec<GameLine>) -> Result<MatchState<'a>, MatchError> {
        let plan = config.plan;
        let mut state = MatchState {
            config,
            pairing: Pairing::new(plan).map_err(|error| MatchError::Refused(error.0))?,
            results: ResultsByGame::new(),
            next: 0,
            halves: BTreeMap::new(),
            is_stopped: false,
            sprt: if plan.is_part() { None } else { plan.sprt.and_then(|sprt| Sprt::new(sprt).ok()) },
            ledger: Ledger::new(plan.engines.len()),
            lines: Vec::new(),
            decision: SprtDecision::Continue,
            failed_starts: 0,
            again: Vec::new(),
            replayed: Vec::new(),
            ended_between: Vec::new(),
            changed: BTreeSet::new(),
        };
        for line in done {
            state.begin(line.pair, line.game);
            state.count(line);
        }
        Ok(state)
    }

    /// Hands out games until none is left and none is being played.
    fn play_games(
        &mut self,
        journal: &mut MatchJournal,
        slots: &[Sender<GameJob>],
        events: &Receiver<(usize, SlotEvent)>,
        on_event: &mut dyn FnMut(MatchEvent),
    ) -> Result<(), MatchError> {
        let mut idle: Vec<usize> = (0..slots.len()).rev().collect();
        loop {
            while let Some(slot) = idle.pop() {
                let Some(job) = self.next() else {
                    idle.push(slot);
                    break;
                };
                let game = job.game;
                let names = [game.black, game.white].map(|index| self.config.plan.engines[index].name.as_str());
                on_event(MatchEvent::Started(game.number, names));
                slots[slot].send(job).expect("a slot lives as long as it may get jobs");
            }
            if idle.len() == slots.len() {
                return Ok(());
            }
            let (slot, event) = events.recv().expect("a working slot sends its result");
            match event {
                SlotEvent::Notice(text) => on_event(MatchEvent::Notice(text)),
                SlotEvent::EndedBetween(index) => {
                    if !self.ended_between.contains(&index) {
                        self.ended_between.push(index);
                        let name = &self.config.plan.engines[index].name;
                        on_event(MatchEvent::Notice(format!(
                            "{name} ends after its games and is started anew before the next ones"
                        )));
                    }
                }
                SlotEvent::BrokenOff => idle.push(slot),
                SlotEvent::Refused(engine, error) => {
                    return Err(MatchError::Engine(self.config.plan.engines[engine].name.clone(), error));
                }
                SlotEvent::Finished(line, log) => {
                    idle.push(slot);
                    self.finish(*line, log, journal, on_event)?;
                }
            }
        }
    }

    /// The next game to be begun, unless there is none, or none whose players and options are known yet.
    fn next(&mut self) -> Option<GameJob> {
        if self.config.halt.load(Ordering::Relaxed) {
            return None;
        }
        while let Some(number) = self.again.pop() {
            if let Some(job) = self.job(number) {
                return Some(job);
            }
        }
        if self.config.options.stop.as_deref().is_some_and(Path::exists) {
            self.is_stopped = true;
        }
        if self.is_stopped {
            return self.next_of_halves();
        }
        loop {
            if self.results.contains_key(&self.next) {
                self.next += 1;
                continue;
            }
            let job = self.job(self.next)?;
            self.next += 1;
            if self.pairing.takes(job.game.pair) {
                self.begin(job.game.pair, job.game.number);
                return Some(job);
            }
        }
    }

    /// The game of a number with its options, if it can be begun.
    fn job(&self, number: u64) -> Option<GameJob> {
        let NextGame::Game(game) = self.pairing.game(number, &self.results) else { return None };
        let options = match self.config.game_options {
            Some(source) => source.of(&game)?,
            None => Default::default(),
        };
        let opening = self.pairing.opening(&game, self.config.openings.len());
        Some(GameJob { game, opening, options })
    }

    /// The game that is still to be begun of a pair that has been.
    fn next_of_halves(&mut self) -> Option<GameJob> {
        while let Some((_, begun)) = self.halves.pop_first() {
            let partner = self.pairing.partner(begun);
            if let Some(job) = partner.and_then(|number| self.job(number)) {
                return Some(job);
            }
        }
        None
    }

    /// Notes that a game of a pair begins.
    fn begin(&mut self, pair: u64, game: u64) {
        if self.halves.remove(&pair).is_none() {
            self.halves.insert(pair, game);
        }
    }

    fn finish(
        &mut self,
        line: GameLine,
        log: Option<String>,
        journal: &mut MatchJournal,
        on_event: &mut dyn FnMut(MatchEvent),
    ) -> Result<(), MatchError> {
        self.check_origin(&line, on_event)?;
        if self.is_played_again(&line) {
            on_event(MatchEvent::Notice(played_again(&line)));
            return Ok(());
        }
        // The records first: a game that is in the journal has its records.
        save(journal.folder(), &line, self.config.plan).map_err(MatchError::Folder)?;
        if let Some(log) = log {
            save_log(journal.folder(), &line, &log).map_err(MatchError::Folder)?;
        }
        journal.add(&line).map_err(MatchError::Folder)?;
        self.note_failed_start(&line)?;
        self.count(line);
        on_event(MatchEvent::Finished(&self.lines[self.lines.len() - 1], &self.ledger));
        Ok(())
    }

    /// Tests whether a game is to be played again, since the machine stood still in it; notes it if so.
    fn is_played_again(&mut self, line: &GameLine) -> bool {
        let times = self.replayed.iter().filter(|&&game| game == line.game).count();
        let is_again = line.host_stall_ms.is_some() && times < MAX_REPLAYS;
        if is_again {
            self.again.push(line.game);
            self.replayed.push(line.game);
        }
        is_again
    }

    /// A game counts only if it was played by the engines of the match.
    fn check_origin(&mut self, line: &GameLine, on_event: &mut dyn FnMut(MatchEvent)) -> Result<(), MatchError> {
        let Some(origin) = &line.origin else { return Ok(()) };
        for (name, identity) in line.players.iter().zip(&origin.engines) {
            let known = self.config.plan.engine_index(name).and_then(|index| self.config.engines.get(index));
            let Some(known) = known else { continue };
            known.identity.check_files(identity).map_err(|what| {
                MatchError::Refused(format!("engine {name} was replaced while the match ran: {what}"))
            })?;
            for path in known.identity.changed_arguments(identity) {
                if self.changed.insert((name.clone(), path.to_string())) {
                    on_event(MatchEvent::Notice(changed_argument(name, path)));
                }
            }
        }
        Ok(())
    }

    /// A game that was lost before its first move by a crash. Many of them in a row are no match.
    fn note_failed_start(&mut self, line: &GameLine) -> Result<(), MatchError> {
        let has_failed = line.ending == Ending::Crash && line.moves.len() == line.opening_plies;
        self.failed_starts = if has_failed { self.failed_starts + 1 } else { 0 };
        match line.winner {
            Some(winner) if self.failed_starts >= MAX_FAILED_STARTS => {
                let name = &line.players[!winner];
                let why = &line.detail;
                Err(MatchError::Refused(format!("engine {name} cannot be started any more: {why}")))
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, line: GameLine) {
        if let Some(players) = self.config.plan.players(&line) {
            if let Some(game) = PlayedGame::of(&line, players) {
                self.ledger.add(game);
            }
            self.results.insert(line.game, line.result());
        }
        self.lines.push(line);
        // What is decided stays decided, whatever the games bring that were being played.
        if let Some(sprt) = &self.sprt
            && self.decision == SprtDecision::Continue
        {
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
            SprtDecision::Continue if self.is_stopped && self.lines.len() as u64 != self.pairing.share() => {
                Ended::Stopped
            }
            SprtDecision::Continue => Ended::Complete,
            decision => Ended::Decided(decision),
        }
    }
}
