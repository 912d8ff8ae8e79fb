//! `go` and `go mate`: the limits of a search.

use crate::notation::number::Number;
use crate::types::{Move, Quoted};
use std::fmt;
use std::iter::Peekable;
use std::time::Duration;

/// The arguments of `go`. Numbers are read as [`Number`] has it; times below zero are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Go {
    /// Black's and white's clock.
    pub time: [Option<Duration>; 2],
    /// Black's and white's increment.
    pub increment: [Option<Duration>; 2],
    /// Byoyomi of both.
    pub byoyomi: Option<Duration>,
    /// Moves until the clock is set anew, which shogi clocks never are; some bridges from chess send it.
    pub moves_to_go: Option<u32>,
    /// Time for this move; `rtime`, a time for tests, means the same.
    pub movetime: Option<Duration>,
    /// Depth in plies.
    pub depth: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// `infinite`
    pub infinite: bool,
    /// `ponder`
    pub ponder: bool,
    /// `searchmoves`, as far as they are moves.
    pub search_moves: Vec<Move>,
    /// What was passed over or rounded, in words for the user; the first few.
    pub notes: Vec<String>,
}

/// The arguments of `go mate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoMate {
    /// The time that may be spent; none for `infinite`, and where nothing is said.
    pub time: Option<Duration>,
    /// Nodes, if they are limited.
    pub nodes: Option<u64>,
    /// A word that stands where a time should.
    pub fault: Option<String>,
    /// What was passed over or rounded, in words for the user; the first few.
    pub notes: Vec<String>,
}

/// Notes that are kept.
const MAX_NOTES: usize = 8;

/// Arguments with a number.
const NUMBERED: [&str; 10] =
    ["btime", "wtime", "binc", "winc", "byoyomi", "movetime", "rtime", "depth", "nodes", "movestogo"];
/// Arguments without one.
const WORDS: [&str; 4] = ["infinite", "ponder", "searchmoves", "mate"];

/// The longest time that is told apart, so that sums of times cannot overflow: about 31 years.
const MAX_MILLIS: u64 = 1_000_000_000_000;

/// The two kinds of `go`.
pub(crate) enum AnyGo {
    Move(Go),
    Mate(GoMate),
}

impl AnyGo {
    /// Reads what follows the word `go`.
    pub(crate) fn read(rest: &str) -> AnyGo {
        let mut go = Go::default();
        let mut words = rest.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "mate" => return AnyGo::Mate(GoMate::read(go.notes, words)),
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(word) = words.next_if(|word| !is_argument(word)) {
                        match word.parse() {
                            Ok(mv) => go.search_moves.push(mv),
                            Err(_) => note(&mut go.notes, format!("searchmoves: {} is not a move", shown(word))),
                        }
                    }
                    if go.search_moves.is_empty() {
                        note(&mut go.notes, "searchmoves without a move: all moves are searched".to_string());
                    }
                }
                name if NUMBERED.contains(&name) => {
                    let text = words.next_if(|word| !is_argument(word));
                    if let Some(number) = read_number(&mut go.notes, name, text) {
                        go.set(name, number);
                    }
                }
                other => note(&mut go.notes, format!("ignored {} after go", shown(other))),
            }
        }
        AnyGo::Move(go)
    }
}

impl Go {
    /// Reads clocks and limits behind a word that is not `go`: those of `ponderhit`.
    pub(crate) fn read(rest: &str) -> Go {
        match AnyGo::read(rest) {
            AnyGo::Move(go) => go,
            AnyGo::Mate(_) => Go::default(),
        }
    }

    /// Sets the argument of this name.
    fn set(&mut self, name: &str, number: u64) {
        let time = Some(Duration::from_millis(number.min(MAX_MILLIS)));
        match name {
            "btime" => self.time[0] = time,
            "wtime" => self.time[1] = time,
            "binc" => self.increment[0] = time,
            "winc" => self.increment[1] = time,
            "byoyomi" => self.byoyomi = time,
            "movetime" | "rtime" => self.movetime = time,
            "depth" => self.depth = Some(number),
            "nodes" => self.nodes = Some(number),
            "movestogo" => self.moves_to_go = Some(number.clamp(1, 1_000) as u32),
            _ => {}
        }
    }

    /// `true` if any clock was sent: main time, increment or byoyomi, of either side.
    pub fn has_clock(&self) -> bool {
        self.time.iter().chain(&self.increment).chain([&self.byoyomi]).any(Option::is_some)
    }

    /// `true` if anything that was sent and could be read ends the search.
    pub fn is_bounded(&self) -> bool {
        self.has_clock() || self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some()
    }

    /// `true` if the search ends at `stop` only: asked for, or because nothing was said that could bound it. A bound
    /// that could not be read is another thing: whoever sent it waits for an answer.
    pub fn is_endless(&self) -> bool {
        let says_nothing = self.notes.is_empty() && self.moves_to_go.is_none();
        self.infinite || says_nothing && !self.is_bounded() && !self.ponder
    }

    /// The longest time that the move may take by `movetime` or a clock, whosever it is; none without either.
    pub fn longest_time(&self) -> Duration {
        let main = self.time.iter().flatten().max().copied().unwrap_or_default();
        let increment = self.increment.iter().flatten().max().copied().unwrap_or_default();
        let byoyomi = self.byoyomi.unwrap_or_default();
        self.movetime.unwrap_or(main.saturating_add(increment).saturating_add(byoyomi))
    }

    /// The arguments as they are written, each with a blank before it; nothing without arguments.
    pub(crate) fn arguments(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ponder {
            f.write_str(" ponder")?;
        }
        let numbers = [
            ("btime", self.time[0].map(millis)),
            ("wtime", self.time[1].map(millis)),
            ("byoyomi", self.byoyomi.map(millis)),
            ("binc", self.increment[0].map(millis)),
            ("winc", self.increment[1].map(millis)),
            ("movestogo", self.moves_to_go.map(u128::from)),
            ("movetime", self.movetime.map(millis)),
            ("depth", self.depth.map(u128::from)),
            ("nodes", self.nodes.map(u128::from)),
        ];
        for (word, number) in numbers {
            if let Some(number) = number {
                write!(f, " {word} {number}")?;
            }
        }
        if self.infinite {
            f.write_str(" infinite")?;
        }
        if !self.search_moves.is_empty() {
            f.write_str(" searchmoves")?;
        }
        for mv in &self.search_moves {
            write!(f, " {mv}")?;
        }
        Ok(())
    }
}

impl GoMate {
    /// Reads what follows `go mate`: a time or `infinite`, and perhaps `nodes N`.
    fn read<'a>(notes: Vec<String>, mut words: Peekable<impl Iterator<Item = &'a str>>) -> GoMate {
        let mut go = GoMate { notes, ..GoMate::default() };
        match words.next_if(|&word| word != "nodes") {
            None | Some("infinite") => {}
            Some(word) => match Number::read(word) {
                Some(_) => {
                    let millis = read_number(&mut go.notes, "mate", Some(word)).unwrap_or(0);
                    go.time = Some(Duration::from_millis(millis.min(MAX_MILLIS)));
                }
                None => go.fault = Some(beginning(word)),
            },
        }
        while let Some(word) = words.next() {
            if word == "nodes" {
                let nodes = read_number(&mut go.notes, word, words.next());
                go.nodes = nodes.map(|nodes| nodes.max(1)).or(go.nodes);
            } else {
                note(&mut go.notes, format!("ignored {} after go", shown(word)));
            }
        }
        go
    }

    /// The arguments as they are written behind `go`.
    pub(crate) fn arguments(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            Some(time) => write!(f, " mate {}", time.as_millis())?,
            None => f.write_str(" mate infinite")?,
        }
        if let Some(nodes) = self.nodes {
            write!(f, " nodes {nodes}")?;
        }
        Ok(())
    }
}

fn millis(time: Duration) -> u128 {
    time.as_millis()
}

/// Tests whether a word is an argument of `go`.
fn is_argument(word: &str) -> bool {
    NUMBERED.contains(&word) || WORDS.contains(&word)
}

/// The number of an argument, held within 0 and the largest; one that was rounded or is none is noted.
fn read_number(notes: &mut Vec<String>, name: &str, text: Option<&str>) -> Option<u64> {
    let Some(text) = text else {
        note(notes, format!("{name} without a number counts as absent"));
        return None;
    };
    let Some(number) = Number::read(text) else {
        note(notes, format!("{name}: {} is no number and counts as absent", shown(text)));
        return None;
    };
    let value = number.value.max(0) as u64;
    if !number.is_whole {
        note(notes, format!("{name}: {} is read as {value}", shown(text)));
    }
    Some(value)
}

fn note(notes: &mut Vec<String>, text: String) {
    if notes.len() < MAX_NOTES {
        notes.push(text);
    }
}

fn shown(word: &str) -> String {
    Quoted(&beginning(word)).to_string()
}

/// As much of a word as a message shows, and one character more.
pub(crate) fn beginning(word: &str) -> String {
    word.chars().take(41).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Command;

    fn parsed_go(line: &str) -> Go {
        match Command::read(line) {
            Command::Go(go) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn arguments_stand_in_any_order() {
        let ms = Duration::from_millis;
        let go = parsed_go("go winc 5 byoyomi 100 btime 1 wtime 2 binc 4");
        assert_eq!(go.time, [Some(ms(1)), Some(ms(2))]);
        assert_eq!(go.increment, [Some(ms(4)), Some(ms(5))]);
        assert_eq!(go.byoyomi, Some(ms(100)));
        let go = parsed_go("go searchmoves 7g7f P*5e depth 3");
        assert_eq!((go.search_moves.len(), go.depth), (2, Some(3)));
    }

    #[test]
    fn odd_numbers_are_bounded_and_junk_is_named() {
        let go = parsed_go("go btime -500 wtime 18446744073709551616 nodes 99999999999999999999");
        assert_eq!(go.time, [Some(Duration::ZERO), Some(Duration::from_millis(MAX_MILLIS))]);
        assert_eq!(go.nodes, Some(i64::MAX as u64));
        let go = parsed_go("go btime abc nodes 500 fancy 7");
        assert_eq!(go.nodes, Some(500));
        let notes = [
            "btime: \"abc\" is no number and counts as absent",
            "ignored \"fancy\" after go",
            "ignored \"7\" after go",
        ];
        assert_eq!(go.notes, notes);
        assert_eq!(parsed_go(&format!("go {}", "x ".repeat(200_000))).notes.len(), MAX_NOTES);
    }

    #[test]
    fn numbers_that_are_not_whole_are_rounded_down_and_said() {
        let ms = Duration::from_millis;
        let go = parsed_go("go btime 1000.5 wtime 900.0 byoyomi 2e3 binc +5 winc -0.5");
        assert_eq!((go.time, go.byoyomi), ([Some(ms(1_000)), Some(ms(900))], Some(ms(2_000))));
        assert_eq!(go.increment, [Some(ms(5)), Some(ms(0))]);
        assert_eq!(go.notes, ["btime: \"1000.5\" is read as 1000", "winc: \"-0.5\" is read as 0"]);
        let go = parsed_go("go movetime 900.0");
        assert_eq!((go.movetime, go.notes), (Some(ms(900)), vec![]));
        let go = parsed_go("go depth byoyomi 100");
        assert_eq!((go.depth, go.byoyomi), (None, Some(ms(100))));
        assert_eq!(go.notes, ["depth without a number counts as absent"]);
    }

    #[test]
    fn what_is_no_move_behind_searchmoves_is_named_and_the_rest_is_read() {
        let go = parsed_go("go searchmoves 7g7f 9z9z P*5e resign depth 3");
        let moves: Vec<String> = go.search_moves.iter().map(Move::to_string).collect();
        assert_eq!((moves.join(" ").as_str(), go.depth), ("7g7f P*5e", Some(3)));
        assert_eq!(go.notes, ["searchmoves: \"9z9z\" is not a move", "searchmoves: \"resign\" is not a move"]);
    }

    #[test]
    fn a_search_is_endless_if_nothing_bounds_it() {
        for (line, is_endless) in [
            ("go", true),
            ("go infinite", true),
            ("go infinite btime 5", true),
            ("go searchmoves 7g7f", true),
            ("go movestogo 3", false),
            ("go movetime abc", false),
            ("go byoyomi", false),
            ("go fancy", false),
            ("go infinite movetime abc", true),
            ("go ponder", false),
            ("go binc 5", false),
            ("go depth 3", false),
            ("go movetime 3", false),
        ] {
            assert_eq!(parsed_go(line).is_endless(), is_endless, "{line}");
        }
    }

    #[test]
    fn a_search_for_a_mate_has_a_time_or_none_and_names_what_is_neither() {
        let mate = |line: &str| match Command::read(line) {
            Command::GoMate(go) => *go,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(mate("go mate infinite"), GoMate::default());
        assert_eq!(mate("go mate"), GoMate::default());
        assert_eq!(mate("go mate 500").time, Some(Duration::from_millis(500)));
        assert_eq!(mate("go mate -3").time, Some(Duration::ZERO));
        assert_eq!(mate("go mate 99999999999999999999").time, Some(Duration::from_millis(MAX_MILLIS)));
        let go = mate("go btime 5 x mate infinite nodes 7 y nodes z");
        assert_eq!((go.nodes, go.time, go.fault), (Some(7), None, None));
        let notes =
            ["ignored \"x\" after go", "ignored \"y\" after go", "nodes: \"z\" is no number and counts as absent"];
        assert_eq!(go.notes, notes);
        let go = mate("go mate 500.7 nodes 1e3");
        assert_eq!((go.time, go.nodes), (Some(Duration::from_millis(500)), Some(1_000)));
        assert_eq!(go.notes, ["mate: \"500.7\" is read as 500"]);
        assert_eq!(mate("go mate nodes 5").nodes, Some(5));
        assert_eq!(mate("go mate soon 5").fault.as_deref(), Some("soon"));
        assert_eq!(mate(&format!("go mate {}", "x".repeat(100_000))).fault.map(|word| word.len()), Some(41));
    }
}
