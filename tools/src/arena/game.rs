//! One game between two engines.
//!
//! The clock of a side runs from the moment before its `go` (or `ponderhit`, or the `stop` that ends a wrong ponder) is
//! written to the moment at which its `bestmove` is read. Only the side to move is waited for; the other one may
//! ponder.
//!
//! No statement of an engine is taken on trust: moves must be legal, declarations are counted ([`judge_answer`]). Which
//! rule of declarations applies is the match's affair ([`GameRules`]); whether the game is over is found by
//! [`komainu::referee`].

use super::clock::{self, GameClock};
use super::live::Seat;
use crate::client::{EngineError, UsiEngine};
use crate::openings::Opening;
use crate::process::{NoLine, PauseMonitor, own_thread};
use crate::settings::Ponder;
use komainu::notation::json::MoveLine;
use komainu::notation::record::{Conclusion, Ending, Outcome};
use komainu::notation::score::ReportedScore;
use komainu::notation::usi::parse_move;
use komainu::position::{Declaration, EnteringKingRule, GameRules, Position};
use komainu::protocol::{BestMove, Command, Go, Info, PositionCommand};
use komainu::referee::{Adjudication, Adjudicator, judge};
use komainu::system::{CoreWaits, WaitGauge};
use komainu::types::{Color, Counted, Move};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Interval at which a waiting thread looks whether the match is to be broken off.
const HALT_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The most time that an engine gets to answer `stop`.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// Settings of a game.
#[derive(Debug)]
pub struct GameSetup<'a> {
    pub opening: &'a Opening,
    pub rules: GameRules,
    /// The clocks of black and white.
    pub clocks: [GameClock; 2],
    /// Pondering of the engines on their opponent's time.
    pub ponder: Ponder,
    pub adjudication: Adjudication,
    /// Longest time of a move without a clock, after which the engine counts as hung.
    pub timeout: Duration,
    /// Set when the match is broken off.
    pub halt: &'a AtomicBool,
    /// Knows when the machine itself stood still.
    pub stalls: &'a PauseMonitor,
    /// Board on a page of the match.
    pub seat: Seat,
}

/// A game that has been played.
#[derive(Clone, Debug)]
pub struct Played {
    /// The moves, those of the opening first.
    pub moves: Vec<MoveLine>,
    pub conclusion: Conclusion,
    /// Detail that the ending does not tell.
    pub detail: String,
    /// Which engines must be started anew: they have ended, or did not stop.
    pub broken: [bool; 2],
    /// Side whose engine had ended before the game began, so that there was none.
    pub absent: Option<Color>,
    /// Time for which the machine stood still during the last move, or gave the engine no core, if the game was lost on
    /// time for that reason.
    pub host_stall: Option<Duration>,
}

/// Plays a game. `None` if the match was broken off.
pub fn play(engines: [&mut UsiEngine; 2], setup: &GameSetup) -> Option<Played> {
    let mut game = RunningGame::new(engines, setup);
    let end = match game.begin() {
        ControlFlow::Continue(()) => game.play_on(),
        ControlFlow::Break(end) => end,
    };
    game.finish(end?)
}

/// End of a game, with the detail that it does not tell.
type End = (Conclusion, String);

struct RunningGame<'a, 'e> {
    setup: &'a GameSetup<'a>,
    engines: [&'e mut UsiEngine; 2],
    clocks: [GameClock; 2],
    pos: Position,
    /// The `position` command so far.
    command: PositionCommand,
    last_move: Option<Move>,
    moves: Vec<MoveLine>,
    /// The move on which each side ponders.
    ponder_moves: [Option<Move>; 2],
    adjudicator: Adjudicator,
    broken: [bool; 2],
    absent: Option<Color>,
    /// When the clock of the present move began to run.
    began: Instant,
    /// Waits for a core since then.
    waits: [MoveWaits; 2],
    host_stall: Option<Duration>,
}

/// Outcome of waiting for an engine.
enum Turn {
    Answered { answer: BestMove<String>, used: Duration, info: Option<Info> },
    Ends(End),
    BrokenOff,
}

impl<'a, 'e> RunningGame<'a, 'e> {
    fn new(engines: [&'e mut UsiEngine; 2], setup: &'a GameSetup<'a>) -> RunningGame<'a, 'e> {
        let pos = setup.opening.start.clone();
        let waits = engines.each_ref().map(|engine| MoveWaits::of(engine));
        let mut game = RunningGame {
            setup,
            engines,
            clocks: setup.clocks.clone(),
            command: PositionCommand::new(&pos),
            pos,
            last_move: None,
            moves: Vec::new(),
            ponder_moves: [None; 2],
            adjudicator: Adjudicator::new(setup.adjudication),
            broken: [false; 2],
            absent: None,
            began: Instant::now(),
            waits,
            host_stall: None,
        };
        for &mv in &setup.opening.moves {
            game.do_move(mv, MoveLine { mv: mv.to_string(), ..MoveLine::default() });
        }
        game
    }

    /// Prepares both engines; breaks with the end if one of them cannot play, with none if the match is broken off.
    fn begin(&mut self) -> ControlFlow<Option<End>> {
        for side in Color::ALL {
            match self.engines[side].new_game() {
                Ok(()) => {}
                Err(EngineError::Halted) => return ControlFlow::Break(None),
                Err(error) => {
                    if matches!(error, EngineError::Ended(_)) {
                        self.absent = Some(side);
                    }
                    return ControlFlow::Break(Some(self.lost_by_crash(side, error.to_string())));
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Plays until the game is over; `None` if the match is broken off.
    fn play_on(&mut self) -> Option<End> {
        loop {
            if let Some(end) = judge(&self.pos, &self.setup.rules) {
                return Some((end, String::new()));
            }
            let side = self.pos.side();
            let (answer, used, info) = match self.think(side) {
                Turn::Answered { answer, used, info } => (answer, used, info),
                Turn::Ends(end) => return Some(end),
                Turn::BrokenOff => return None,
            };
            if !self.clocks[side].charge(used) {
                return Some(self.out_of_time(side, used));
            }
            let (mv, end) = match judge_answer(&self.pos, &answer, &self.setup.rules) {
                Ruling::Play(mv) => (mv, None),
                Ruling::PlayAndEnd(mv, end) => (mv, Some(end)),
                Ruling::End(end, detail) => return Some((Conclusion { spent: Some(used), ..end }, detail)),
            };
            // A bound is no score: nothing is adjudicated by it.
            let score = info.as_ref().and_then(|info| info.score?.exact());
            let line = move_line(mv, used, info);
            self.setup.seat.moved(&line);
            self.do_move(mv, line);
            if let Some(end) = end {
                return Some((end, String::new()));
            }
            if let Some(end) = self.adjudicator.note(side, score.map(ReportedScore::centipawns), self.pos.ply() - 1) {
                return Some((end, String::new()));
            }
            if let (BestMove::Move(_, Some(ponder_move)), true) = (&answer, self.setup.ponder != Ponder::Off) {
                self.ponder(side, ponder_move);
            }
        }
    }

    fn do_move(&mut self, mv: Move, line: MoveLine) {
        self.moves.push(line);
        self.command.push(mv);
        self.last_move = Some(mv);
        self.pos.do_move(mv);
    }

    /// Lets a side think on the reply that it expects, if that reply is legal and does not end the game.
    fn ponder(&mut self, side: Color, ponder_move: &str) {
        let Ok(mv) = parse_move(&self.pos, ponder_move) else { return };
        let after = self.pos.after(mv);
        if judge(&after, &self.setup.rules).is_some() {
            return;
        }
        let clocks = match self.setup.ponder {
            Ponder::Early => Go::default(),
            _ => clock::go(&self.clocks, side),
        };
        let position = self.command.with([mv]);
        let go = Command::Go(Box::new(Go { ponder: true, ..clocks }));
        // An engine that is gone is found out when it is its turn.
        if self.engines[side].send(format_args!("{position}\n{go}")).is_ok() {
            self.ponder_moves[side] = Some(mv);
        }
    }

    /// Lets the side to move think and waits for its answer.
    fn think(&mut self, side: Color) -> Turn {
        let deadline = self.clocks[side].deadline();
        let timeout = deadline.unwrap_or(self.setup.timeout);
        self.waits[side].begin(timeout);
        self.setup.seat.turn(side, || self.clocks.each_ref().map(GameClock::face));
        let began = Instant::now();
        self.began = began;
        let sent = match self.ponder_moves[side].take() {
            Some(ponder_move) if Some(ponder_move) == self.last_move => {
                let clocks = match self.setup.ponder {
                    Ponder::Early => clock::go(&self.clocks, side),
                    _ => Go::default(),
                };
                self.engines[side].send(Command::PonderHit(Box::new(clocks)))
            }
            Some(_) => {
                let stopped = self.engines[side].send(Command::Stop);
                if stopped.is_ok() {
                    match self.await_answer(side, began, began + timeout) {
                        Turn::Answered { .. } => {}
                        other => return other,
                    }
                }
                stopped.and_then(|()| self.go(side))
            }
            None => {
                // A second answer to the last search must not pass for the answer to this one.
                while self.engines[side].line(Some(began)).is_ok() {}
                self.go(side)
            }
        };
        match sent {
            Ok(()) => self.await_answer(side, began, began + timeout),
            Err(error) => Turn::Ends(self.lost_by_crash(side, error.to_string())),
        }
    }

    fn go(&mut self, side: Color) -> Result<(), EngineError> {
        let go = Command::Go(Box::new(clock::go(&self.clocks, side)));
        self.engines[side].send(format_args!("{}\n{go}", self.command))
    }

    /// Waits for `bestmove`; other lines do not count.
    fn await_answer(&mut self, side: Color, began: Instant, deadline: Instant) -> Turn {
        loop {
            let now = Instant::now();
            match self.engines[side].line(Some(deadline.min(now + HALT_POLL_INTERVAL))) {
                Ok(line) => {
                    if let Some(answer) = BestMove::read(&line.text) {
                        let used = line.at.saturating_duration_since(began);
                        return Turn::Answered { answer, used, info: line.info().cloned() };
                    }
                }
                Err(NoLine::Closed) => {
                    let how = self.engines[side].ended().to_string();
                    return Turn::Ends(self.lost_by_crash(side, how));
                }
                Err(NoLine::Late) if self.setup.halt.load(Ordering::Relaxed) => return Turn::BrokenOff,
                Err(NoLine::Late) if now < deadline => self.setup.seat.thinks(|| self.engines[side].last_info()),
                Err(NoLine::Late) => return Turn::Ends(self.silent(side, began.elapsed())),
            }
        }
    }

    /// No answer by the end of its time.
    fn silent(&mut self, side: Color, used: Duration) -> End {
        let stops = self.stop(side);
        if !stops {
            self.broken[side] = true;
        }
        if self.clocks[side].available().is_some() {
            let (end, detail) = self.out_of_time(side, used);
            return (end, if stops { detail } else { format!("{detail}, and it does not stop") });
        }
        let end = Conclusion { spent: Some(used), ..Conclusion::new(Ending::Stall, Some(!side)) };
        let stall = self.find_host_stall(side, used, self.setup.timeout);
        (end, format!("no bestmove within {} s{stall}", used.as_secs()))
    }

    fn out_of_time(&mut self, side: Color, used: Duration) -> End {
        let end = Conclusion { spent: Some(used), ..Conclusion::new(Ending::TimeUp, Some(!side)) };
        let available = self.clocks[side].available().unwrap_or_default();
        let stall = self.find_host_stall(side, used, self.clocks[side].deadline().unwrap_or_default());
        (end, format!("{:.5} s used of {:.5} s{stall}", used.as_secs_f64(), available.as_secs_f64()))
    }

    /// Tests whether the machine stood still, or gave the engine or this program no core, for so long during a move
    /// that the answer would have been in time without it; in words.
    fn find_host_stall(&mut self, side: Color, used: Duration, deadline: Duration) -> String {
        // The wait for a core first: it grows while the stalls are asked for.
        let wait = self.waits[side].so_far();
        let stall = self.setup.stalls.within(self.began, self.began + used).max(wait.min(used));
        if stall.is_zero() || used.saturating_sub(stall) > deadline {
            return String::new();
        }
        self.host_stall = Some(stall);
        format!(", host stall {} ms", stall.as_millis())
    }

    fn lost_by_crash(&mut self, side: Color, how: String) -> End {
        self.broken[side] = true;
        (Conclusion::new(Ending::Crash, Some(!side)), how)
    }

    /// Ends a search whose answer is not wanted. `false` if the engine does not stop.
    fn stop(&mut self, side: Color) -> bool {
        if self.engines[side].send(Command::Stop).is_err() {
            return false;
        }
        let deadline = Instant::now() + STOP_TIMEOUT;
        loop {
            match self.engines[side].line(Some(deadline)) {
                Ok(line) if BestMove::read(&line.text).is_some() => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    /// Tells both engines how the game ended, once neither of them thinks.
    fn finish(mut self, (end, detail): End) -> Option<Played> {
        for side in Color::ALL {
            // Of a game that did not begin there is nothing to tell.
            if self.broken[side] || self.absent.is_some() {
                continue;
            }
            if self.ponder_moves[side].take().is_some() && !self.stop(side) {
                self.broken[side] = true;
                continue;
            }
            let result = end.winner.map_or(Outcome::Draw, Outcome::Win).of_player(side);
            self.broken[side] = self.engines[side].send(Command::GameOver(Some(result))).is_err();
        }
        let RunningGame { moves, broken, absent, host_stall, .. } = self;
        Some(Played { moves, conclusion: end, detail, broken, absent, host_stall })
    }
}

/// The most moves of a line that are kept, the one that was played included.
const MAX_LINE_MOVES: usize = 16;

fn move_line(mv: Move, used: Duration, info: Option<Info>) -> MoveLine {
    let info = info.unwrap_or_default();
    let millis = Some(used.as_millis() as u64);
    let line = match info.pv.split_first() {
        Some((&first, rest)) if first == mv => {
            rest.iter().take(MAX_LINE_MOVES - 1).map(Move::to_string).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    let mut played =
        MoveLine { mv: mv.to_string(), millis, depth: info.depth, nodes: info.nodes, line, ..MoveLine::default() };
    played.set_score(info.score);
    played
}

/// Meaning of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    Play(Move),
    /// A legal move that ends the game: the king arrives under the try rule.
    PlayAndEnd(Move, Conclusion),
    /// The game is over without a move. The text is what the ending does not tell.
    End(Conclusion, String),
}

/// Rules on an answer of the side to move.
pub fn judge_answer(pos: &Position, answer: &BestMove<String>, rules: &GameRules) -> Ruling {
    let side = pos.side();
    let declaration = pos.declaration(rules.entering_king);
    match answer {
        BestMove::Resign => Ruling::End(Conclusion::new(Ending::Resignation, Some(!side)), String::new()),
        BestMove::Win => {
            let ending = match declaration {
                Some(Declaration::Win | Declaration::Try(_)) => Conclusion::new(Ending::Declaration, Some(side)),
                Some(Declaration::Draw) => Conclusion::new(Ending::Impasse, None),
                None => Conclusion::new(Ending::FalseDeclaration, Some(!side)),
            };
            Ruling::End(ending, if declaration.is_none() { false_claim(pos, rules) } else { String::new() })
        }
        BestMove::Move(text, _) => match parse_move(pos, text) {
            Ok(mv) if declaration == Some(Declaration::Try(mv)) => {
                Ruling::PlayAndEnd(mv, Conclusion::new(Ending::Declaration, Some(side)))
            }
            Ok(mv) => Ruling::Play(mv),
            Err(error) => Ruling::End(Conclusion::new(Ending::IllegalMove, Some(!side)), error.to_string()),
        },
    }
}

fn false_claim(pos: &Position, rules: &GameRules) -> String {
    if matches!(rules.entering_king, EnteringKingRule::NoEnteringKing | EnteringKingRule::TryRule) {
        return format!("no declaration under {}", rules.entering_king);
    }
    let count = pos.camp_count();
    let king = if count.king_safe_in_camp { "king safe in the camp" } else { "king not in the camp or in check" };
    let pieces = Counted(count.pieces, "piece");
    let points = Counted(count.points, "point");
    format!("{king}, {pieces}, {points} under {}", rules.entering_king)
}

/// Time that the engine and this program wait for a core during a move.
///
/// Three wait one after the other before an answer is here: the thread that writes `go`, the engine, and that thread
/// again as it reads the answer. On a busy machine each of them may wait for longer than a move has time.
#[derive(Debug)]
pub(crate) struct MoveWaits {
    process: Option<u32>,
    gauges: [Option<WaitGauge>; 2],
    /// The waits of the engine and of this program when the move began, or a little before, and when they were asked
    /// for.
    before: [CoreWaits; 2],
    asked_at: Option<Instant>,
}

/// Part of the time of a move by which the waits that count for it may have begun before it. Asking costs as much as
/// all else between two moves: where they are short, the waits are not asked for before each of them.
const SLACK: u32 = 20;

impl MoveWaits {
    /// A watch by the thread that writes to an engine.
    pub(crate) fn of(engine: &UsiEngine) -> MoveWaits {
        let process = engine.process_id();
        let gauges = [process.map(WaitGauge::of), process.map(|_| WaitGauge::of_own(own_thread().as_slice()))];
        MoveWaits { process, gauges, before: Default::default(), asked_at: None }
    }

    /// A move begins that may take so long.
    pub(crate) fn begin(&mut self, time: Duration) {
        if self.asked_at.is_none_or(|at| at.elapsed() > time / SLACK) {
            self.before = self.gauges.each_mut().map(|gauge| gauge.as_mut().map(WaitGauge::read).unwrap_or_default());
            self.asked_at = Some(Instant::now());
        }
    }

    /// The waits since the move has begun, one after the other.
    pub(crate) fn so_far(&mut self) -> Duration {
        // Without the gauge, which may not know a thread that is new.
        let engine = self.process.map(CoreWaits::of).unwrap_or_default();
        let own = self.gauges[1].as_mut().map(WaitGauge::read).unwrap_or_default();
        engine.total_since(&self.before[0]) + own.total_since(&self.before[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::position::{RuleSet, START_SFEN as START};
    use komainu::protocol::BestMove;
    use komainu::referee::judge;
    use komainu::types::Color;

    const FREE: fn() -> GameRules = GameRules::default;

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).unwrap()
    }

    fn answered(sfen: &str, text: &str, rules: GameRules) -> Ruling {
        judge_answer(&position(sfen), &BestMove::read(&format!("bestmove {text}")).unwrap(), &rules)
    }

    fn loses_by(sfen: &str, text: &str, expected: Ending) -> String {
        let pos = position(sfen);
        match answered(sfen, text, FREE()) {
            Ruling::End(end, detail) => {
                assert_eq!((end.ending, end.winner), (expected, Some(!pos.side())), "{text}");
                detail
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn illegal_and_unreadable_answers_lose_and_are_named() {
        assert_eq!(loses_by(START, "7g7e", Ending::IllegalMove), "7g7e is not legal");
        assert_eq!(loses_by(START, "banana", Ending::IllegalMove), "\"banana\" is not a move");
        loses_by(START, "0000", Ending::IllegalMove);
        loses_by(START, "", Ending::IllegalMove);
        // Nifu, a pawn that has nowhere to go, a king left in check, a pawn drop that mates.
        loses_by("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", Ending::IllegalMove);
        loses_by("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*4a", Ending::IllegalMove);
        loses_by("4k4/9/9/9/4r4/9/9/9/4K4 b P 1", "5i4i+", Ending::IllegalMove);
        loses_by("4k4/9/9/9/4r4/9/9/9/4K4 b P 1", "P*4e", Ending::IllegalMove);
        loses_by("8k/6G2/7G1/9/9/9/9/9/K8 b P 1", "P*1b", Ending::IllegalMove);
        assert!(matches!(answered(START, "7g7f", FREE()), Ruling::Play(_)));
    }

    #[test]
    fn resignation_and_false_declarations_lose() {
        assert_eq!(loses_by(START, "resign", Ending::Resignation), "");
        let detail = loses_by(START, "win", Ending::FalseDeclaration);
        assert_eq!(detail, "king not in the camp or in check, 0 pieces, 0 points under CSARule27");
    }

    /// Black has 28 points; with one lance less 27, which is not enough for black.
    const BLACK_28: &str = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";
    const BLACK_27: &str = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N2L7p2l 1";

    #[test]
    fn a_declaration_is_counted_under_the_rule_of_the_match() {
        let wins = Ruling::End(Conclusion::new(Ending::Declaration, Some(Color::Black)), String::new());
        assert_eq!(answered(BLACK_28, "win", FREE()), wins);
        loses_by(BLACK_27, "win", Ending::FalseDeclaration);
        let rules = GameRules { entering_king: EnteringKingRule::CSARule24, ..FREE() };
        let draws = Ruling::End(Conclusion::new(Ending::Impasse, None), String::new());
        assert_eq!(answered(BLACK_28, "win", rules), draws);
        let rules = GameRules { entering_king: EnteringKingRule::NoEnteringKing, ..FREE() };
        assert!(matches!(answered(BLACK_28, "win", rules), Ruling::End(end, _) if end.winner == Some(Color::White)));
    }

    #[test]
    fn under_the_try_rule_the_kings_arrival_wins() {
        let rules = GameRules { entering_king: EnteringKingRule::TryRule, ..FREE() };
        let before = "9/4K4/9/9/9/9/9/9/k8 b - 1";
        let arrives = answered(before, "5b5a", rules);
        assert!(matches!(arrives, Ruling::PlayAndEnd(_, end) if end.winner == Some(Color::Black)), "{arrives:?}");
        assert!(matches!(answered(before, "5b4a", rules), Ruling::Play(_)));
        assert!(matches!(answered(before, "5b5a", FREE()), Ruling::Play(_)));
    }

    #[test]
    fn a_declaration_on_the_last_ply_still_wins() {
        let last = BLACK_28.replace(" 1", " 512");
        assert!(position(&last).ply() == 512);
        assert_eq!(judge(&position(&last), &RuleSet::Denryu.rules()), None);
        let wins = Ruling::End(Conclusion::new(Ending::Declaration, Some(Color::Black)), String::new());
        assert_eq!(answered(&last, "win", RuleSet::Denryu.rules()), wins);
    }
}
