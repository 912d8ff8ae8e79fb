//! `go` and `go mate`: the limits of a search.

use crate::types::Move;
use std::fmt;
use std::time::Duration;

/// The arguments of `go`. Times below zero are zero; numbers too large are the largest.
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
    /// Tokens that mean nothing here and were passed over, the first few.
    pub ignored: Vec<String>,
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
    /// Tokens that mean nothing here and were passed over, the first few.
    pub ignored: Vec<String>,
}

/// Ignored tokens that are kept for the message.
const KEPT: usize = 8;

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
                "mate" => return AnyGo::Mate(GoMate::read(go.ignored, words)),
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    while let Some(mv) = words.peek().and_then(|word| word.parse().ok()) {
                        go.search_moves.push(mv);
                        words.next();
                    }
                }
                other => match words.peek().and_then(|text| number(text)).filter(|&value| go.set(other, value)) {
                    Some(_) => _ = words.next(),
                    None => ignore(&mut go.ignored, other),
                },
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

    /// Sets the argument of this name. Returns `false` if no argument with a number has it.
    fn set(&mut self, word: &str, value: u64) -> bool {
        let time = Some(Duration::from_millis(value.min(MAX_MILLIS)));
        match word {
            "btime" => self.time[0] = time,
            "wtime" => self.time[1] = time,
            "binc" => self.increment[0] = time,
            "winc" => self.increment[1] = time,
            "byoyomi" => self.byoyomi = time,
            "movetime" | "rtime" => self.movetime = time,
            "depth" => self.depth = Some(value),
            "nodes" => self.nodes = Some(value),
            "movestogo" => self.moves_to_go = Some(value.clamp(1, 1_000) as u32),
            _ => return false,
        }
        true
    }

    /// `true` if any clock was sent: main time, increment or byoyomi, of either side.
    pub fn has_clock(&self) -> bool {
        self.time.iter().chain(&self.increment).chain([&self.byoyomi]).any(Option::is_some)
    }

    /// `true` if the search ends at `stop` only: asked for, or because nothing bounds it.
    pub fn is_endless(&self) -> bool {
        let is_bounded = self.has_clock() || self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some();
        self.infinite || !is_bounded && !self.ponder
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
    fn read<'a>(ignored: Vec<String>, mut words: impl Iterator<Item = &'a str>) -> GoMate {
        let mut go = GoMate { ignored, ..GoMate::default() };
        match words.next() {
            None | Some("infinite") => {}
            Some(word) => match number(word) {
                Some(millis) => go.time = Some(Duration::from_millis(millis.min(MAX_MILLIS))),
                None => go.fault = Some(beginning(word)),
            },
        }
        while let Some(word) = words.next() {
            match word {
                "nodes" => match words.next().map(|word| (word, number(word))) {
                    Some((_, Some(nodes))) => go.nodes = Some(nodes.max(1)),
                    Some((word, None)) => ignore(&mut go.ignored, word),
                    None => ignore(&mut go.ignored, word),
                },
                other => ignore(&mut go.ignored, other),
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

fn ignore(ignored: &mut Vec<String>, word: &str) {
    if ignored.len() < KEPT {
        ignored.push(beginning(word));
    }
}

/// As much of a word as a message shows, and one character more.
pub(crate) fn beginning(word: &str) -> String {
    word.chars().take(41).collect()
}

/// A whole number, held within 0 and the largest.
fn number(text: &str) -> Option<u64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(if text.starts_with('-') { 0 } else { digits.parse().unwrap_or(u64::MAX) })
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
        assert_eq!(go.nodes, Some(u64::MAX));
        let go = parsed_go("go btime abc nodes 500 fancy 7");
        assert_eq!(go.nodes, Some(500));
        assert_eq!(go.ignored, ["btime", "abc", "fancy", "7"]);
        assert_eq!(parsed_go(&format!("go {}", "x ".repeat(200_000))).ignored.len(), KEPT);
    }

    #[test]
    fn a_search_is_endless_if_nothing_bounds_it() {
        for (line, is_endless) in [
            ("go", true),
            ("go infinite", true),
            ("go infinite btime 5", true),
            ("go movestogo 3", true),
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
        assert_eq!(go.ignored, ["x", "y", "z"]);
        assert_eq!(mate("go mate soon 5").fault.as_deref(), Some("soon"));
        assert_eq!(mate(&format!("go mate {}", "x".repeat(100_000))).fault.map(|word| word.len()), Some(41));
    }
}
