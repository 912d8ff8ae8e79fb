//! A place at which games are played one after the other: a thread with the two engines of its present pairing.

use super::clock::GameClock;
use super::engine::MatchEngine;
use super::game::{GameSetup, Played, play};
use super::live::{Boards, LiveGame, Seat};
use super::pairing::GameAssignment;
use super::plan::{LogGames, Plan};
use super::runner::{Match, RunOptions};
use crate::client::{EngineError, FileStamp, Transcript, text_of_game};
use crate::openings::Opening;
use crate::process::PauseMonitor;
use crate::settings::Ponder;
use komainu::notation::json::{EngineIdentity, GameLine, GameOrigin, MoveLine};
use komainu::notation::record::{Conclusion, Ending};
use komainu::protocol::EngineOption;
use komainu::types::Color;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

/// An engine that was tried out.
#[derive(Clone, Debug)]
pub struct KnownEngine {
    pub identity: EngineIdentity,
    /// Lengths and times of its files.
    pub stamps: Vec<FileStamp>,
    /// Threads that it searches with.
    pub threads: usize,
    /// Options that it lists.
    pub options: Vec<EngineOption>,
}

/// Names and values of options of an engine.
pub type OptionValues = Vec<(String, String)>;

/// A game to be played.
pub(crate) struct GameJob {
    pub(crate) game: GameAssignment,
    /// The index of its opening.
    pub(crate) opening: usize,
    /// Options of black and white beyond those of the plan.
    pub(crate) options: [OptionValues; 2],
}

/// An event of a slot.
pub(crate) enum SlotEvent {
    /// A game has ended; with the conversations if they are to be kept.
    Finished(Box<GameLine>, Option<String>),
    /// A game was broken off with the match.
    BrokenOff,
    /// An engine had to be started anew, or cannot be.
    Notice(String),
    /// An engine, by its place in the plan, has ended after a game and is started anew.
    EndedBetween(usize),
    /// The system refuses what the engine with this number needs, which is no fault of the engine.
    Refused(usize, EngineError),
}

/// Plays the games that come until none comes any more.
pub(crate) fn run(
    number: usize,
    config: &Match,
    stalls: &PauseMonitor,
    jobs: &Receiver<GameJob>,
    sender: &Sender<(usize, SlotEvent)>,
) {
    let RunOptions { cores, boards, .. } = &config.options;
    let mut slot = Slot {
        config,
        stalls,
        cores: cores.get(number).map_or(&[][..], Vec::as_slice),
        seat: boards.as_ref().map_or_else(Seat::default, |boards| Boards::seat(boards, number)),
        engines: Vec::new(),
        transcripts: Vec::new(),
        replaced: Vec::new(),
        report: Box::new(|event| _ = sender.send((number, event))),
    };
    for job in jobs {
        let event = match slot.game(&job) {
            Ok(Some((line, log))) => SlotEvent::Finished(Box::new(line), log),
            Ok(None) => SlotEvent::BrokenOff,
            Err((index, error)) => SlotEvent::Refused(index, error),
        };
        (slot.report)(event);
    }
    for (_, running) in slot.engines {
        running.engine.quit();
    }
}

/// A game that has ended, with its conversations if they are to be kept.
type Finished = (GameLine, Option<String>);
/// An engine, by its place in the plan, for which the system refuses what it needs.
type Refused = (usize, EngineError);

struct Slot<'a> {
    config: &'a Match<'a>,
    stalls: &'a PauseMonitor,
    cores: &'a [usize],
    seat: Seat,
    /// The engines that are alive, with their numbers in the plan.
    engines: Vec<(usize, MatchEngine)>,
    /// Conversations with the engines that were started last, with their numbers in the plan.
    transcripts: Vec<(usize, Transcript)>,
    /// Engines whose files have been replaced since the match began.
    replaced: Vec<(usize, EngineIdentity)>,
    report: Box<dyn Fn(SlotEvent) + 'a>,
}

impl Slot<'_> {
    /// Plays a game. `None` if the match was broken off; an error if the system refuses what an engine needs.
    fn game(&mut self, GameJob { game, opening, options }: &GameJob) -> Result<Option<Finished>, Refused> {
        let started = SystemTime::now();
        let clock = Instant::now();
        let plan = self.config.plan;
        let opening = &self.config.openings[*opening];
        let players = [game.black, game.white];
        let start = &opening.start;
        let moves = &opening.moves;
        self.seat.begin(&LiveGame { number: game.number, players, start, opening: moves });
        let Some(played) = self.play_restarting(players, options, opening)? else { return Ok(None) };
        self.seat.ended(played.conclusion);
        let line = self.line(game, opening, &played);
        let line = GameLine {
            started: humantime::format_rfc3339_seconds(started).to_string(),
            duration_ms: clock.elapsed().as_millis() as u64,
            ..line
        };
        let is_kept = plan.log == LogGames::All || played.conclusion.ending.is_fault();
        let log = if is_kept { Some(self.log(&line, players)) } else { None };
        for side in Color::ALL {
            if played.broken[side] {
                (self.report)(SlotEvent::Notice(format!("{} is started anew", plan.engines[players[side]].name)));
                self.engines.retain(|(index, _)| *index != players[side]);
            }
        }
        if plan.restart {
            for (_, running) in self.engines.drain(..) {
                running.engine.quit();
            }
        }
        Ok(Some((line, log)))
    }

    /// Plays a game. An engine that has played before and has ended since, as some do at `gameover`, is started anew
    /// and loses nothing by it. `None` if the match was broken off; an error if the system refuses what an engine
    /// needs.
    fn play_restarting(
        &mut self,
        players: [usize; 2],
        options: &[OptionValues; 2],
        opening: &Opening,
    ) -> Result<Option<Played>, Refused> {
        let mut have_played: Vec<usize> = self.engines.iter().map(|(index, _)| *index).collect();
        loop {
            let played = match self.assign_engines(players).and_then(|()| self.set_options(players, options)) {
                Ok(()) => self.play(players, opening),
                Err(_) if self.config.halt.load(Ordering::Relaxed) => None,
                Err((side, error)) if is_shortage(&error) => return Err((players[side], error)),
                Err((side, error)) => Some(not_started(opening, side, error.to_string())),
            };
            let Some(played) = played else { return Ok(None) };
            let Some(index) = played.absent.map(|side| players[side]).filter(|index| have_played.contains(index))
            else {
                return Ok(Some(played));
            };
            (self.report)(SlotEvent::EndedBetween(index));
            have_played.retain(|&known| known != index);
            self.engines.retain(|&(known, _)| known != index);
        }
    }

    /// The line of a game, without its times.
    fn line(&self, game: &GameAssignment, opening: &Opening, played: &Played) -> GameLine {
        let Match { plan, machine, .. } = self.config;
        let players = [game.black, game.white];
        let millis = |time: Duration| time.as_millis() as u64;
        GameLine {
            game: game.number,
            pair: game.pair,
            round: game.round,
            players: players.map(|index| plan.engines[index].name.clone()),
            start: opening.start.to_sfen(),
            opening_plies: opening.moves.len(),
            moves: played.moves.clone(),
            ending: played.conclusion.ending,
            winner: played.conclusion.winner,
            last_millis: played.conclusion.spent.map(millis),
            detail: played.detail.clone(),
            host_stall_ms: played.host_stall.map(millis),
            origin: Some(Box::new(GameOrigin {
                engines: players.map(|index| self.identity(index)),
                machine: (*machine).clone(),
            })),
            ..GameLine::default()
        }
    }

    /// Program that an engine is: that which was tried out, unless its files have been replaced since, with the options
    /// that it was sent.
    fn identity(&self, index: usize) -> EngineIdentity {
        let replaced = self.replaced.iter().rev().find(|(replaced, _)| *replaced == index);
        let known = replaced.map_or(&self.config.engines[index].identity, |(_, identity)| identity);
        let mut identity = known.clone();
        if let Some((_, running)) = self.engines.iter().find(|(running, _)| *running == index) {
            identity.options = running.engine.sent().clone();
        }
        identity
    }

    /// The conversations of a game.
    fn log(&self, line: &GameLine, players: [usize; 2]) -> String {
        let [black, white] = &line.players;
        let headline = format!("game {}: {black} (black) - {white} (white), {}", line.game + 1, line.ending);
        let none = Transcript::default();
        let of =
            |index: usize| self.transcripts.iter().find(|(known, _)| *known == index).map_or(&none, |(_, kept)| kept);
        text_of_game(&headline, players.map(of))
    }

    /// Starts those of the two engines that do not run, and ends all others. The side that cannot be started, and why.
    fn assign_engines(&mut self, players: [usize; 2]) -> Result<(), (Color, EngineError)> {
        let (keep, go): (Vec<_>, Vec<_>) = self.engines.drain(..).partition(|(index, _)| players.contains(index));
        self.engines = keep;
        for (_, running) in go {
            running.engine.quit();
        }
        for side in Color::ALL {
            let index = players[side];
            if self.engines.iter().all(|(running, _)| *running != index) {
                let transcript = Transcript::default();
                self.transcripts.retain(|(known, _)| *known != index);
                self.transcripts.push((index, transcript.clone()));
                let plan = &self.config.plan.engines[index];
                let common = common_options(self.config.plan);
                let timeout = self.config.plan.timeout();
                let start = MatchEngine::start(plan, &common, timeout, &transcript, self.cores, self.config.halt);
                let engine = start.map_err(|error| (side, error))?;
                if engine.file_stamps() != self.config.engines[index].stamps {
                    self.replaced.push((index, engine.identity()));
                }
                self.engines.push((index, engine));
            }
        }
        Ok(())
    }

    /// Sends both engines the options of the game. One that has ended is found out when it is prepared for the game.
    fn set_options(&mut self, players: [usize; 2], options: &[OptionValues; 2]) -> Result<(), (Color, EngineError)> {
        for side in Color::ALL {
            let Some((_, running)) = self.engines.iter_mut().find(|(index, _)| *index == players[side]) else {
                continue;
            };
            running.engine.begin_game();
            for (name, value) in &options[side] {
                match running.engine.set_again(name, value) {
                    Err(EngineError::Ended(_)) => break,
                    result => result.map_err(|error| (side, error))?,
                }
            }
        }
        Ok(())
    }

    fn play(&mut self, players: [usize; 2], opening: &Opening) -> Option<Played> {
        let &Match { plan, rules, halt, .. } = self.config;
        if halt.load(Ordering::Relaxed) {
            return None;
        }
        let clock = |index: usize| {
            let limit = plan.engines[index].limit.unwrap_or(plan.limit);
            GameClock::new(limit, plan.convention, Duration::from_millis(plan.margin_ms))
        };
        let setup = GameSetup {
            opening,
            rules,
            clocks: players.map(clock),
            ponder: plan.ponder,
            adjudication: plan.adjudication,
            timeout: self.config.options.timeout,
            halt,
            stalls: self.stalls,
            seat: self.seat.clone(),
        };
        // Whoever has the lower place in the list is not always black.
        self.engines.sort_by_key(|(index, _)| *index != players[0]);
        let [black, white] = self.engines.as_mut_slice() else { unreachable!("two engines are seated") };
        play([&mut black.1.engine, &mut white.1.engine], &setup)
    }
}

/// Tests whether the system has no process, thread, memory or open file to give.
fn is_shortage(error: &EngineError) -> bool {
    // Too many files are open: in this program, or in all of them (ENFILE, EMFILE).
    const OPEN_FILES: [i32; 2] = [23, 24];
    let EngineError::Start(_, error) = error else { return false };
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::OutOfMemory)
        || cfg!(unix) && error.raw_os_error().is_some_and(|code| OPEN_FILES.contains(&code))
}

/// A game that was lost because an engine could not be started.
fn not_started(opening: &Opening, side: Color, why: String) -> Played {
    Played {
        moves: opening.moves.iter().map(|mv| MoveLine { mv: mv.to_string(), ..MoveLine::default() }).collect(),
        conclusion: Conclusion::new(Ending::Crash, Some(!side)),
        detail: why,
        broken: [false; 2],
        absent: None,
        host_stall: None,
    }
}

/// The options that the match sets if an engine lists them and the plan does not set them: whether it may ponder, and
/// the rules as far as the plan names them.
pub(crate) fn common_options(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut options = Vec::new();
    if plan.ponder != Ponder::Off {
        options.push(("USI_Ponder", "true".to_string()));
    }
    let Ok(rules) = plan.rules.resolve() else { return options };
    if plan.rules.set.is_some() || plan.rules.entering_king.is_some() {
        options.push(("EnteringKingRule", rules.entering_king.to_string()));
    }
    if plan.rules.set.is_some() || plan.rules.max_plies.is_some() {
        options.push(("MaxMovesToDraw", rules.ply_limit.to_string()));
    }
    options
}
