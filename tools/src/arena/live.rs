//! The page of a match as it grows: the report with boards above it.
//!
//! [`LiveMatch`] is what a server of pages shows. Those who play write to its [`Boards`], whoever runs the match tells
//! it of each game that has ended; all figures are worked out by the threads of those who look, at most once for all
//! of them and never more often than is worth it.

use super::folder::{MatchFolder, MatchGame};
use super::plan::Plan;
use super::report::{Columns, GameDigest, LiveReport, result_number, score_text};
use crate::live::{Event, Pace, Source, run_name};
use komainu::host::lock;
use komainu::notation::json::{GameLine, MoveLine};
use komainu::notation::record::{Conclusion, Ending};
use komainu::notation::score::InfoScore;
use komainu::position::Position;
use komainu::protocol::Info;
use komainu::types::{Color, Move};
use serde::Serialize;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The last games, which can be played through.
const KEPT_GAMES: usize = 50;

/// A match as a page shows it while it is played.
#[derive(Debug)]
pub struct LiveMatch {
    /// The name of this run: a page of another one loads itself anew.
    run: String,
    boards: Arc<Boards>,
    fresh: Mutex<Fresh>,
    figures: Mutex<Figures>,
}

/// News for which nobody has looked yet.
#[derive(Debug)]
struct Fresh {
    plan: Arc<Plan>,
    digests: Vec<GameDigest>,
    games: VecDeque<MatchGame>,
}

/// The figures of the games that were looked at last.
#[derive(Debug, Default)]
struct Figures {
    plan: Option<Arc<Plan>>,
    digests: Vec<GameDigest>,
    /// The last games as JSON, each with its moment.
    games: VecDeque<(u64, String)>,
    is_stale: bool,
    /// The figures as JSON with their moment.
    report: (u64, String),
    pace: Pace,
}

impl LiveMatch {
    /// A match of this plan, with the games that have been played already.
    pub fn new(folder: &MatchFolder) -> LiveMatch {
        LiveMatch {
            run: run_name(),
            boards: Arc::default(),
            fresh: Mutex::new(Fresh::of(folder)),
            figures: Mutex::default(),
        }
    }

    /// The boards that those who play write to.
    pub fn boards(&self) -> &Arc<Boards> {
        &self.boards
    }

    /// A game has ended. One of players that the plan does not name is left out.
    pub fn finished(&self, line: &GameLine) {
        let plan = Arc::clone(&lock(&self.fresh).plan);
        let Some(players) = plan.players(line) else { return };
        let game = MatchGame { line: line.clone(), players };
        let digest = GameDigest::of(&game);
        let mut fresh = lock(&self.fresh);
        fresh.digests.push(digest);
        fresh.games.push_back(game);
        if fresh.games.len() > KEPT_GAMES {
            fresh.games.pop_front();
        }
    }

    /// Changes the plan: engines may be added behind those whose games were told.
    pub fn plan(&self, plan: Plan) {
        lock(&self.fresh).plan = Arc::new(plan);
    }
}

impl Source for LiveMatch {
    fn page(&self) -> String {
        let plan = Arc::clone(&lock(&self.fresh).plan);
        LiveReport { run: &self.run, plan: &plan }.page()
    }

    fn news(&self, seen: u64, is_last: bool) -> (u64, Vec<Event>) {
        // Nobody else gives out moments of figures meanwhile.
        let mut figures = lock(&self.figures);
        figures.take(&mut lock(&self.fresh), &self.boards);
        figures.work_out(&self.run, is_last, &self.boards);
        let mut events = figures.news(seen);
        let now = self.boards.news(seen, &mut events);
        (now, events)
    }
}

impl Fresh {
    fn of(folder: &MatchFolder) -> Fresh {
        let MatchFolder { plan, games, .. } = folder;
        Fresh {
            plan: Arc::new(plan.clone()),
            digests: games.iter().map(GameDigest::of).collect(),
            games: games[games.len().saturating_sub(KEPT_GAMES)..].iter().cloned().collect(),
        }
    }
}

impl Figures {
    fn take(&mut self, fresh: &mut Fresh, boards: &Boards) {
        self.is_stale |= !fresh.digests.is_empty();
        if !self.plan.as_ref().is_some_and(|plan| Arc::ptr_eq(plan, &fresh.plan)) {
            // At once: boards may name the engines that are new.
            self.is_stale = true;
            self.pace = Pace::default();
            self.plan = Some(Arc::clone(&fresh.plan));
        }
        self.digests.append(&mut fresh.digests);
        for game in fresh.games.drain(..) {
            self.games.push_back((boards.advance(), LiveReport::game(&game)));
        }
        self.games.drain(..self.games.len().saturating_sub(KEPT_GAMES));
    }

    fn work_out(&mut self, run: &str, at_once: bool, boards: &Boards) {
        if let Some(plan) = &self.plan
            && self.is_stale
            && (at_once || self.pace.is_due())
        {
            let report = self.pace.time(|| LiveReport { run, plan }.figures(&self.digests));
            self.report = (boards.advance(), report);
            self.is_stale = false;
        }
    }

    fn news(&self, seen: u64) -> Vec<Event> {
        let mut events = Vec::new();
        let (moment, data) = &self.report;
        if *moment > seen {
            events.push(Event { name: "report", data: data.clone() });
        }
        for (moment, data) in &self.games {
            if *moment > seen {
                events.push(Event { name: "game", data: data.clone() });
            }
        }
        events
    }
}

/// Boards that are shown; further games are played unseen.
const MAX_BOARDS: usize = 16;
/// Moves of a line that are shown.
const MAX_LINE_MOVES: usize = 14;

/// Clock of a side at the beginning of its turn, as those who look at it and engines are told of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockFace {
    /// Time for the game, without the increment of the coming move.
    pub left: Duration,
    pub increment: Duration,
    /// Time for each move once the rest is used up.
    pub byoyomi: Duration,
}

/// A game that begins.
#[derive(Clone, Debug)]
pub struct LiveGame<'a> {
    /// Number in the match, from 0.
    pub number: u64,
    /// Black and white, by their places in the plan.
    pub players: [usize; 2],
    pub start: &'a Position,
    /// The first moves, which nobody thinks about.
    pub opening: &'a [Move],
}

/// The boards of a match: written by those who play, read by whoever looks at them. The lock is held for no longer than
/// it takes to put them into JSON.
#[derive(Debug, Default)]
pub struct Boards(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Number of changes so far, of the boards and of whatever else a page shows.
    moment: u64,
    boards: Vec<Board>,
}

#[derive(Debug, Default)]
struct Board {
    /// The last change.
    moment: u64,
    number: u64,
    players: [usize; 2],
    /// Empty if it is the usual one.
    start: String,
    opening_plies: usize,
    moves: Vec<MoveLine>,
    /// The clocks of black and white, if they have some.
    clocks: [Option<ClockFace>; 2],
    /// The side to move, and when its clock was started.
    turn: Option<(Color, Instant)>,
    thought: Option<Info>,
    end: Option<Conclusion>,
}

/// The place of one who plays; nobody looks at that of `Seat::default()`.
#[derive(Clone, Debug, Default)]
pub struct Seat(Option<(Arc<Boards>, usize)>);

impl Boards {
    /// The place of a number.
    pub fn seat(boards: &Arc<Boards>, number: usize) -> Seat {
        if number < MAX_BOARDS { Seat(Some((Arc::clone(boards), number))) } else { Seat::default() }
    }

    /// A new moment, of a change to whatever else the page shows.
    pub(crate) fn advance(&self) -> u64 {
        let mut state = lock(&self.0);
        state.moment += 1;
        state.moment
    }

    /// Adds the boards that have changed since a moment. Returns the present one.
    pub(crate) fn news(&self, seen: u64, events: &mut Vec<Event>) -> u64 {
        let state = lock(&self.0);
        let changed = state.boards.iter().enumerate().filter(|(_, board)| board.moment > seen);
        events.extend(changed.map(|(number, board)| Event { name: "board", data: board.to_json(number) }));
        state.moment
    }
}

impl Seat {
    fn change(&self, change: impl FnOnce(&mut Board)) {
        let Some((boards, number)) = &self.0 else { return };
        let mut state = lock(&boards.0);
        state.moment += 1;
        let moment = state.moment;
        let boards = &mut state.boards;
        boards.resize_with(boards.len().max(number + 1), Board::default);
        change(&mut boards[*number]);
        boards[*number].moment = moment;
    }

    /// A game begins.
    pub fn begin(&self, game: &LiveGame) {
        self.change(|board| {
            let moves = game.opening.iter().map(|mv| MoveLine { mv: mv.to_string(), ..MoveLine::default() }).collect();
            *board = Board {
                number: game.number,
                players: game.players,
                start: if *game.start == Position::startpos() { String::new() } else { game.start.to_sfen() },
                opening_plies: game.opening.len(),
                moves,
                ..Board::default()
            };
        });
    }

    /// The clock of a side is started.
    pub fn turn(&self, side: Color, clocks: impl FnOnce() -> [Option<ClockFace>; 2]) {
        self.change(|board| {
            board.clocks = clocks();
            board.turn = Some((side, Instant::now()));
            board.thought = None;
        });
    }

    /// The last report of the engine that thinks.
    pub fn thinks(&self, info: impl FnOnce() -> Option<Info>) {
        if self.0.is_some()
            && let Some(info) = info()
        {
            self.change(|board| board.thought = Some(info));
        }
    }

    pub fn moved(&self, line: &MoveLine) {
        self.change(|board| {
            board.moves.push(line.clone());
            board.turn = None;
            board.thought = None;
        });
    }

    /// Begins anew with these moves, those of the opening first.
    pub fn moves(&self, moves: Vec<MoveLine>) {
        self.change(|board| board.moves = moves);
    }

    pub fn ended(&self, conclusion: Conclusion) {
        self.change(|board| {
            board.turn = None;
            board.thought = None;
            board.end = Some(conclusion);
        });
    }
}

/// A board as the page takes it: the names of the fields are those of a game of the report.
#[derive(Serialize)]
struct BoardData<'a> {
    slot: usize,
    #[serde(rename = "g")]
    number: u64,
    #[serde(rename = "e")]
    players: [usize; 2],
    #[serde(rename = "s", skip_serializing_if = "str::is_empty")]
    start: &'a str,
    #[serde(rename = "o")]
    opening_plies: usize,
    #[serde(flatten)]
    columns: Columns,
    /// Milliseconds of each side: left, increment, byoyomi.
    clocks: [Option<[u64; 3]>; 2],
    /// The side to move: 0 black, 1 white.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    /// Milliseconds for which its clock has run.
    gone: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    thought: Option<ThoughtData>,
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    result: Option<i8>,
    #[serde(rename = "x", skip_serializing_if = "Option::is_none")]
    ending: Option<Ending>,
}

/// Thought of the side to move.
#[derive(Serialize)]
struct ThoughtData {
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    score: Option<String>,
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// The line, with blanks between its moves.
    #[serde(rename = "v")]
    line: String,
}

impl Board {
    fn to_json(&self, slot: usize) -> String {
        let millis = |time: Duration| time.as_millis() as u64;
        let face = |clock: ClockFace| [clock.left, clock.increment, clock.byoyomi].map(millis);
        let thought = self.thought.as_ref().map(|info| ThoughtData {
            score: info.score.and_then(InfoScore::exact).map(score_text),
            depth: info.depth,
            nodes: info.nodes,
            line: info.pv.iter().take(MAX_LINE_MOVES).map(Move::to_string).collect::<Vec<_>>().join(" "),
        });
        let data = BoardData {
            slot,
            number: self.number,
            players: self.players,
            start: &self.start,
            opening_plies: self.opening_plies,
            columns: Columns::of(&self.moves),
            clocks: self.clocks.map(|clock| clock.map(face)),
            turn: self.turn.map(|(side, _)| side.index()),
            gone: self.turn.map_or(0, |(_, since)| millis(since.elapsed())),
            thought,
            result: self.end.and_then(|end| end.outcome()).map(|outcome| result_number(outcome.winner())),
            ending: self.end.map(|end| end.ending),
        };
        serde_json::to_string(&data).expect("every key is a string")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::EnginePlan;
    use serde_json::Value;

    fn plan(names: &[&str]) -> Plan {
        let engine = |name: &&str| EnginePlan { name: name.to_string(), ..EnginePlan::default() };
        Plan::new(names.iter().map(engine).collect(), 10)
    }

    fn game(number: u64, players: [&str; 2]) -> GameLine {
        GameLine {
            game: number,
            pair: number,
            players: players.map(str::to_string),
            start: number.to_string(),
            moves: vec![MoveLine { mv: "7g7f".into(), millis: Some(9), ..MoveLine::default() }],
            ending: Ending::Resignation,
            winner: Some(Color::Black),
            ..GameLine::default()
        }
    }

    /// The events since a moment by name and data, and the present moment.
    fn told(page: &LiveMatch, seen: &mut u64, is_last: bool) -> Vec<(&'static str, Value)> {
        let (now, events) = page.news(*seen, is_last);
        *seen = now;
        events.iter().map(|event| (event.name, serde_json::from_str(&event.data).expect("JSON"))).collect()
    }

    fn names(told: &[(&'static str, Value)]) -> Vec<&'static str> {
        told.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn games_are_told_once_and_figures_are_put_off_but_never_at_the_end() {
        let page = LiveMatch::new(&MatchFolder::in_memory(plan(&["a", "b"]), vec![game(0, ["a", "b"])]));
        let mut seen = 0;
        let mut late = 0;
        let first = told(&page, &mut seen, false);
        assert_eq!((names(&first), &first[0].1["played"]), (vec!["report", "game"], &1.into()));
        assert!(told(&page, &mut seen, false).is_empty());
        for number in 1..=3 {
            page.finished(&game(number, ["b", "a"]));
        }
        // The figures were worked out a moment ago.
        assert_eq!(names(&told(&page, &mut seen, false)), ["game"; 3]);
        let last = told(&page, &mut seen, true);
        assert_eq!((names(&last), &last[0].1["played"]), (vec!["report"], &4.into()));
        assert_eq!(last[0].1["engines"][0]["tally"], serde_json::json!([1, 0, 3]));
        // Who comes late is told the same.
        assert_eq!(names(&told(&page, &mut late, true)), ["report", "game", "game", "game", "game"]);
        assert_eq!(late, seen);
    }

    #[test]
    fn the_last_games_are_kept_and_all_are_counted() {
        let page = LiveMatch::new(&MatchFolder::in_memory(plan(&["a", "b"]), Vec::new()));
        let all = KEPT_GAMES as u64 + 7;
        for number in 0..all {
            page.finished(&game(number, ["a", "b"]));
        }
        page.finished(&game(all, ["a", "unknown"]));
        let told = told(&page, &mut 0, true);
        assert_eq!((told.len(), &told[0].1["played"]), (1 + KEPT_GAMES, &all.into()));
        assert_eq!((&told[1].1["g"], &told[KEPT_GAMES].1["g"]), (&7.into(), &(all - 1).into()));
    }

    #[test]
    fn engines_that_come_later_are_named_before_their_boards() {
        let page = LiveMatch::new(&MatchFolder::in_memory(plan(&["a", "?"]), Vec::new()));
        let mut seen = 0;
        told(&page, &mut seen, false);
        page.plan(plan(&["a", "b", "c"]));
        let start = komainu::position::Position::startpos();
        let seat = Boards::seat(page.boards(), 0);
        seat.begin(&LiveGame { number: 0, players: [2, 0], start: &start, opening: &[] });
        let told = told(&page, &mut seen, false);
        assert_eq!((names(&told), &told[0].1["engines"][2]["name"]), (vec!["report", "board"], &"c".into()));
    }

    fn board(boards: &Boards, seen: u64) -> (u64, Vec<Value>) {
        let mut events = Vec::new();
        let moment = boards.news(seen, &mut events);
        (moment, events.iter().map(|event| serde_json::from_str(&event.data).expect("JSON")).collect())
    }

    fn begin(seat: &Seat) {
        let start = Position::startpos();
        let opening = ["7g7f".parse().unwrap()];
        seat.begin(&LiveGame { number: 6, players: [1, 0], start: &start, opening: &opening });
    }

    fn line(mv: &str, cp: i32) -> MoveLine {
        MoveLine { mv: mv.into(), cp: Some(cp), millis: Some(12), ..MoveLine::default() }
    }

    #[test]
    fn a_board_tells_the_moves_the_scores_and_the_clock_that_runs() {
        let boards = Arc::new(Boards::default());
        let seat = Boards::seat(&boards, 1);
        begin(&seat);
        seat.moved(&line("3c3d", -35));
        let face =
            ClockFace { left: Duration::from_secs(9), byoyomi: Duration::from_millis(500), ..ClockFace::default() };
        seat.turn(Color::Black, || [Some(face), None]);
        let info = Info::read("info depth 7 nodes 900 score mate 5 pv 2g2f 8c8d").unwrap();
        seat.thinks(|| Some(info));
        let (moment, told) = board(&boards, 0);
        assert_eq!(told.len(), 1, "nothing has begun at the other place");
        let board_1 = &told[0];
        assert_eq!((&board_1["slot"], &board_1["g"], &board_1["o"]), (&1.into(), &6.into(), &1.into()));
        assert_eq!((&board_1["m"], &board_1["c"], &board_1["t"]), (&"7g7f,3c3d".into(), &",-35".into(), &",12".into()));
        assert_eq!(board_1["clocks"], serde_json::json!([[9000, 0, 500], null]));
        assert_eq!((&board_1["turn"], &board_1["thought"]["c"]), (&0.into(), &"#5".into()));
        assert_eq!(board_1["thought"]["v"], "2g2f 8c8d");
        // Nothing is told twice.
        assert_eq!(board(&boards, moment), (moment, Vec::new()));
        seat.ended(Conclusion::new(Ending::Resignation, Some(Color::White)));
        let (_, told) = board(&boards, moment);
        assert_eq!((told.len(), &told[0]["w"], &told[0]["x"]), (1, &(-1).into(), &"resignation".into()));
        assert_eq!((told[0].get("turn"), told[0].get("thought")), (None, None));
    }

    #[test]
    fn a_seat_at_which_nobody_looks_asks_for_nothing() {
        let boards = Arc::new(Boards::default());
        for seat in [Seat::default(), Boards::seat(&boards, MAX_BOARDS)] {
            begin(&seat);
            seat.turn(Color::Black, || panic!("nobody looks"));
            seat.thinks(|| panic!("nobody looks"));
        }
        assert_eq!(board(&boards, 0), (0, Vec::new()));
    }
}
