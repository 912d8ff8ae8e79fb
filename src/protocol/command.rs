//! From a line of input to a command.

use crate::search::Clock;
use crate::search::bench::{DEFAULT_DEPTH, DEPTHS};
use crate::types::{Color, Move};
use std::time::{Duration, Instant};

/// A command of the GUI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Nothing on the line.
    Empty,
    /// `usi`
    Usi,
    /// `isready`
    IsReady,
    /// `usinewgame`
    NewGame,
    /// `setoption name NAME value VALUE`; an empty value is `None`.
    SetOption {
        /// The option's name as it was sent.
        name: String,
        /// The value as it was sent, blanks within included.
        value: Option<String>,
    },
    /// `setoption` without the word `name`: the word that stands in its place, or nothing.
    NamelessOption(String),
    /// `position`, with everything after it.
    Position(String),
    /// `go`
    Go(Box<Go>),
    /// `go mate`
    GoMate(Box<GoMate>),
    /// `stop`
    Stop,
    /// `ponderhit`, with the clocks that some GUIs send along
    PonderHit(Box<Go>),
    /// `gameover`
    GameOver,
    /// `bench [DEPTH]`, a command of test systems: the depth in plies, or the word that is none.
    Bench(Result<usize, String>),
    /// `quit`
    Quit,
    /// A command of the draft that means nothing to an engine: `debug`, `register`.
    Ignored,
    /// A word that is no command; of a long one only the beginning.
    Unknown(String),
}

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

impl Go {
    /// The clock of a side, if any clock was sent.
    pub fn clock(&self, side: Color) -> Option<Clock> {
        let any = |times: [Option<Duration>; 2]| times.iter().any(Option::is_some);
        (any(self.time) || any(self.increment) || self.byoyomi.is_some()).then(|| Clock {
            time: self.time[side].unwrap_or_default(),
            increment: self.increment[side].unwrap_or_default(),
            byoyomi: self.byoyomi.unwrap_or_default(),
            moves_to_go: self.moves_to_go,
        })
    }

    /// When the time of this `go` began, after it `arrived` and `readyok` was said last. A clock runs from its arrival on,
    /// whatever it has to wait for; a `movetime` without a clock is a time to think and begins after the `readyok` that a
    /// script did not wait for.
    pub(super) fn began(&self, arrived: Instant, ready_at: Option<Instant>) -> Instant {
        let waits = self.movetime.is_some() && self.clock(Color::Black).is_none();
        ready_at.filter(|_| waits).map_or(arrived, |ready_at| arrived.max(ready_at))
    }

    /// Whether the search ends at `stop` only: asked for, or because nothing bounds it.
    pub fn is_endless(&self) -> bool {
        let has_clock = self.clock(Color::Black).is_some();
        let is_bounded = has_clock || self.movetime.is_some() || self.depth.is_some() || self.nodes.is_some();
        self.infinite || !is_bounded && !self.ponder
    }
}

/// Ignored tokens that are kept for the message.
const KEPT: usize = 8;

/// The longest time that is told apart, so that sums of times cannot overflow: about 31 years.
const MAX_MILLIS: u64 = 1_000_000_000_000;

/// Reads a line. NULs, a byte order mark and surrounding blanks do not count.
///
/// ```
/// use komainu::usi::command::{Command, parse};
///
/// assert_eq!(parse("  isready "), Command::IsReady);
/// let Command::SetOption { name, value } = parse("setoption name USI_Hash value 64") else { panic!("an option") };
/// assert_eq!((name.as_str(), value.as_deref()), ("USI_Hash", Some("64")));
/// ```
pub fn parse(line: &str) -> Command {
    let line = line.trim_start_matches('\u{feff}');
    let line = line.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0');
    let (word, rest) = match line.split_once(|c: char| c.is_ascii_whitespace()) {
        Some((word, rest)) => (word, rest.trim_ascii_start()),
        None => (line, ""),
    };
    match word {
        "" => Command::Empty,
        "usi" => Command::Usi,
        "isready" => Command::IsReady,
        "usinewgame" => Command::NewGame,
        "setoption" => set_option(rest),
        "position" => Command::Position(rest.to_string()),
        "go" => match go(rest) {
            Asked::Move(go) => Command::Go(Box::new(go)),
            Asked::Mate(go) => Command::GoMate(Box::new(go)),
        },
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit(Box::new(match go(rest) {
            Asked::Move(clocks) => clocks,
            Asked::Mate(_) => Go::default(),
        })),
        "gameover" => Command::GameOver,
        "bench" => Command::Bench(bench_depth(rest)),
        "quit" => Command::Quit,
        "debug" | "register" => Command::Ignored,
        other => Command::Unknown(beginning(other)),
    }
}

/// The depth of a bench, which is all that may follow.
fn bench_depth(rest: &str) -> Result<usize, String> {
    let mut words = rest.split_ascii_whitespace();
    let Some(word) = words.next() else { return Ok(DEFAULT_DEPTH) };
    let depth = word.parse().ok().filter(|depth| DEPTHS.contains(depth)).ok_or_else(|| beginning(word))?;
    words.next().map_or(Ok(depth), |more| Err(beginning(more)))
}

/// `name NAME [value VALUE]`: the name runs up to the word `value`, the value to the end of the line.
fn set_option(rest: &str) -> Command {
    let mut words = rest.split_ascii_whitespace();
    match words.next() {
        Some("name") => {}
        other => return Command::NamelessOption(beginning(other.unwrap_or_default())),
    }
    let name: Vec<&str> = words.by_ref().take_while(|&word| word != "value").collect();
    // The value as it stands on the line, from its first word on: a path may hold several blanks in a row.
    let value = words
        .next()
        .map(|first| &rest[first.as_ptr() as usize - rest.as_ptr() as usize..])
        .filter(|value| *value != "<empty>");
    Command::SetOption { name: name.join(" "), value: value.map(str::to_string) }
}

/// What a `go` asks for.
enum Asked {
    Move(Go),
    Mate(GoMate),
}

/// The arguments of `go`.
fn go(rest: &str) -> Asked {
    let mut go = Go::default();
    let mut words = rest.split_ascii_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "mate" => return Asked::Mate(go_mate(go.ignored, words)),
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "searchmoves" => {
                while let Some(mv) = words.peek().and_then(|word| word.parse().ok()) {
                    go.search_moves.push(mv);
                    words.next();
                }
            }
            "btime" | "wtime" | "binc" | "winc" | "byoyomi" | "movetime" | "rtime" | "depth" | "nodes"
            | "movestogo" => match words.peek().and_then(|text| number(text)) {
                Some(value) => {
                    words.next();
                    set_number(&mut go, word, value);
                }
                None => ignore(&mut go.ignored, word),
            },
            other => ignore(&mut go.ignored, other),
        }
    }
    Asked::Move(go)
}

/// What follows `go mate`: a time or `infinite`, and perhaps `nodes N`.
fn go_mate<'a>(ignored: Vec<String>, mut words: impl Iterator<Item = &'a str>) -> GoMate {
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

fn ignore(ignored: &mut Vec<String>, word: &str) {
    if ignored.len() < KEPT {
        ignored.push(beginning(word));
    }
}

/// As much of a word as a message shows, and one character more.
fn beginning(word: &str) -> String {
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

fn set_number(go: &mut Go, word: &str, value: u64) {
    let time = Some(Duration::from_millis(value.min(MAX_MILLIS)));
    match word {
        "btime" => go.time[0] = time,
        "wtime" => go.time[1] = time,
        "binc" => go.increment[0] = time,
        "winc" => go.increment[1] = time,
        "byoyomi" => go.byoyomi = time,
        "movetime" | "rtime" => go.movetime = time,
        "depth" => go.depth = Some(value),
        "nodes" => go.nodes = Some(value),
        "movestogo" => go.moves_to_go = Some(value.clamp(1, 1_000) as u32),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed_go(line: &str) -> Go {
        match parse(line) {
            Command::Go(go) => *go,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn blanks_and_line_ends_do_not_count() {
        for line in ["usi", "  usi\t", "usi\r\n", "\u{feff}usi", "usi\0"] {
            assert_eq!(parse(line), Command::Usi, "{line:?}");
        }
        assert_eq!(parse(" \t\r\n"), Command::Empty);
        assert_eq!(parse("is\0ready"), Command::Unknown("is\0ready".into()));
        assert_eq!(parse("USI"), Command::Unknown("USI".into()));
        let position = Command::Position("startpos\tmoves  7g7f".into());
        assert_eq!(parse("  position   startpos\tmoves  7g7f  "), position);
    }

    #[test]
    fn a_time_to_think_waits_for_readyok_and_a_clock_does_not() {
        let arrived = Instant::now();
        let (earlier, later) =
            (arrived.checked_sub(Duration::from_millis(9)), Some(arrived + Duration::from_millis(500)));
        for (line, begins) in [
            ("go movetime 100", later.unwrap()),
            ("go movetime 100 byoyomi 1000", arrived),
            ("go btime 1000 wtime 1000 movetime 100", arrived),
            ("go byoyomi 1000", arrived),
            ("go infinite", arrived),
        ] {
            let go = parsed_go(line);
            assert_eq!(go.began(arrived, later), begins, "{line}");
            assert_eq!([earlier, None].map(|ready_at| go.began(arrived, ready_at)), [arrived; 2], "{line}");
        }
    }

    #[test]
    fn a_bench_has_a_depth_or_the_usual_one() {
        let bench = |line: &str| match parse(line) {
            Command::Bench(depth) => depth,
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(bench("bench"), Ok(DEFAULT_DEPTH));
        assert_eq!(bench("  bench\t5 "), Ok(5));
        for (line, word) in [("bench 0", "0"), ("bench 101", "101"), ("bench x 5", "x"), ("bench 5 x", "x")] {
            assert_eq!(bench(line), Err(word.to_string()), "{line}");
        }
    }

    #[test]
    fn options_keep_the_blanks_of_their_value() {
        let set = |name: &str, value: Option<&str>| Command::SetOption {
            name: name.into(),
            value: value.map(str::to_string),
        };
        assert_eq!(parse("setoption name USI_Hash value 64"), set("USI_Hash", Some("64")));
        assert_eq!(parse("setoption name EvalFile value C:/a  b/c.bin "), set("EvalFile", Some("C:/a  b/c.bin")));
        assert_eq!(parse("setoption name X value <empty>"), set("X", None));
        assert_eq!(parse("setoption\tname  X\tvalue\t3"), set("X", Some("3")));
        assert_eq!(parse("setoption name X value "), set("X", None));
        assert_eq!(parse("setoption name X"), set("X", None));
        assert_eq!(parse("setoption name"), set("", None));
        assert_eq!(parse("setoption"), Command::NamelessOption("".into()));
        assert_eq!(parse("setoption Threads value 2"), Command::NamelessOption("Threads".into()));
        assert_eq!(parse("setoption name Book File value a b c"), set("Book File", Some("a b c")));
    }

    #[test]
    fn go_takes_its_arguments_in_any_order() {
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
        let Command::PonderHit(clocks) = parse("ponderhit btime 5 wtime 6 byoyomi 7") else { panic!("no ponderhit") };
        assert_eq!(clocks.byoyomi, Some(Duration::from_millis(7)));
    }

    #[test]
    fn a_search_for_a_mate_has_a_time_or_none_and_names_what_is_neither() {
        let mate = |line: &str| match parse(line) {
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
