//! Boards of games under way: written by those who play, read by whoever looks at them.
//!
//! Who plays writes a few words under a lock, which is held for no longer than it takes to put them into JSON.

use crate::arena::report::{Columns, score_text};
use crate::live::Event;
use komainu::notation::json::MoveLine;
use komainu::notation::record::{Conclusion, Ending};
use komainu::position::Position;
use komainu::protocol::Info;
use komainu::types::{Color, Move};
use serde::Serialize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Boards that are shown; further games are played unseen.
const MAX_BOARDS: usize = 16;
/// Moves of a line that are shown.
const MAX_LINE_MOVES: usize = 14;

/// Clock of a side at the beginning of its turn.
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

/// The boards of a match.
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
        Seat((number < MAX_BOARDS).then(|| (Arc::clone(boards), number)))
    }

    /// A new moment, of a change to whatever else the page shows.
    pub(super) fn advance(&self) -> u64 {
        let mut state = self.lock();
        state.moment += 1;
        state.moment
    }

    /// Adds the boards that have changed since a moment. Returns the present one.
    pub(super) fn news(&self, seen: u64, events: &mut Vec<Event>) -> u64 {
        let state = self.lock();
        let changed = state.boards.iter().enumerate().filter(|(_, board)| board.moment > seen);
        events.extend(changed.map(|(number, board)| Event { name: "board", data: board.to_json(number) }));
        state.moment
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    fn change(&self, change: impl FnOnce(&mut Board)) {
        let Some((boards, number)) = &self.0 else { return };
        let mut state = boards.lock();
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
            score: info.score.map(score_text),
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
            result: self.end.and_then(|end| end.outcome()).map(|result| match result.winner() {
                Some(Color::Black) => 1,
                Some(Color::White) => -1,
                None => 0,
            }),
            ending: self.end.map(|end| end.ending),
        };
        serde_json::to_string(&data).expect("every key is a string")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn board(boards: &Boards, seen: u64) -> (u64, Vec<Value>) {
        let mut events = Vec::new();
        let moment = boards.news(seen, &mut events);
        (moment, events.iter().map(|event| serde_json::from_str(&event.data).expect("JSON")).collect())
    }

    fn begin(seat: &Seat) {
        let (start, opening) = (Position::startpos(), ["7g7f".parse().unwrap()]);
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
