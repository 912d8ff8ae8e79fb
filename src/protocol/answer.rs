//! The answers of an engine but for its `info` and `option` lines.

use crate::types::Move;
use std::fmt;

/// An `id` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// `id name`
    Name(String),
    /// `id author`
    Author(String),
}

impl Id {
    /// Reads a line; `None` if it is no `id` of either kind.
    ///
    /// ```
    /// use komainu::protocol::Id;
    ///
    /// assert_eq!(Id::read("id name  An  Engine 2"), Some(Id::Name("An Engine 2".to_string())));
    /// assert_eq!(Id::read("id names X"), None);
    /// ```
    pub fn read(line: &str) -> Option<Id> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("id") {
            return None;
        }
        let kind = words.next()?;
        let text = words.collect::<Vec<_>>().join(" ");
        match kind {
            "name" => Some(Id::Name(text)),
            "author" => Some(Id::Author(text)),
            _ => None,
        }
    }
}

/// The line of the protocol.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Name(name) => write!(f, "id name {name}"),
            Id::Author(author) => write!(f, "id author {author}"),
        }
    }
}

/// The end of the answer to `usi`.
pub const USIOK: &str = "usiok";
/// The answer to `isready`.
pub const READYOK: &str = "readyok";

/// The answer to `go`, with moves of type `M`: a [`Move`] where the engine writes, the words as they came where it is
/// read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BestMove<M = Move> {
    /// A move, and the reply that the engine expects.
    Move(M, Option<M>),
    /// It resigns.
    Resign,
    /// It declares a win.
    Win,
}

impl BestMove<String> {
    /// Reads a line; `None` if it is no `bestmove`.
    pub fn read(line: &str) -> Option<BestMove<String>> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("bestmove") {
            return None;
        }
        Some(match words.next().unwrap_or_default() {
            "resign" => BestMove::Resign,
            "win" => BestMove::Win,
            mv => {
                let ponder = if words.next() == Some("ponder") { words.next() } else { None };
                BestMove::Move(mv.to_string(), ponder.map(str::to_string))
            }
        })
    }
}

/// The line of the protocol.
impl<M: fmt::Display> fmt::Display for BestMove<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BestMove::Move(mv, Some(ponder)) => write!(f, "bestmove {mv} ponder {ponder}"),
            BestMove::Move(mv, None) => write!(f, "bestmove {mv}"),
            BestMove::Resign => f.write_str("bestmove resign"),
            BestMove::Win => f.write_str("bestmove win"),
        }
    }
}

/// The answer to `go mate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checkmate {
    /// The moves of the mate.
    Moves(Vec<Move>),
    /// There is none.
    NoMate,
    /// Time, nodes or memory did not suffice.
    Timeout,
    /// The engine does not solve mates.
    NotImplemented,
}

impl Checkmate {
    /// Reads a line; `None` if it is no `checkmate` that can be understood.
    pub fn read(line: &str) -> Option<Checkmate> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("checkmate") {
            return None;
        }
        let words: Vec<&str> = words.collect();
        match words[..] {
            ["nomate"] => Some(Checkmate::NoMate),
            ["timeout"] => Some(Checkmate::Timeout),
            ["notimplemented"] => Some(Checkmate::NotImplemented),
            [] => None,
            _ => words.iter().map(|word| word.parse().ok()).collect::<Option<_>>().map(Checkmate::Moves),
        }
    }
}

/// The line of the protocol.
impl fmt::Display for Checkmate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Checkmate::Moves(moves) => {
                f.write_str("checkmate")?;
                for mv in moves {
                    write!(f, " {mv}")?;
                }
                Ok(())
            }
            Checkmate::NoMate => f.write_str("checkmate nomate"),
            Checkmate::Timeout => f.write_str("checkmate timeout"),
            Checkmate::NotImplemented => f.write_str("checkmate notimplemented"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let read = BestMove::read;
        let mv = |mv: &str, ponder: Option<&str>| Some(BestMove::Move(mv.to_string(), ponder.map(str::to_string)));
        assert_eq!(read("bestmove 7g7f"), mv("7g7f", None));
        assert_eq!(read("bestmove 7g7f ponder 3c3d"), mv("7g7f", Some("3c3d")));
        assert_eq!(read("bestmove 7g7f ponder"), mv("7g7f", None));
        assert_eq!(read("bestmove"), mv("", None));
        assert_eq!(read("bestmove resign"), Some(BestMove::Resign));
        assert_eq!(read("bestmove win"), Some(BestMove::Win));
        assert_eq!(read("bestmoves 7g7f"), None);
        assert_eq!(read(""), None);
    }

    #[test]
    fn answers_are_read_as_they_are_written() {
        for line in ["bestmove 7g7f", "bestmove 7g7f ponder 3c3d", "bestmove resign", "bestmove win"] {
            assert_eq!(BestMove::read(line).unwrap().to_string(), line);
        }
        for line in ["checkmate 5e5a+ 4b5a G*5b", "checkmate nomate", "checkmate timeout", "checkmate notimplemented"] {
            assert_eq!(Checkmate::read(line).unwrap().to_string(), line);
        }
        for line in ["", "checkmate", "checkmate soon", "checkmate nomate 5e5a+", "bestmove nomate"] {
            assert_eq!(Checkmate::read(line), None, "{line}");
        }
    }
}
