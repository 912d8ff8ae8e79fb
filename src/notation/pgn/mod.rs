//! Games of shogitest, the runner of ShogiBench: PGN in its outward form, with USI moves, one a line.
//!
//! ```text
//! [Round "0"]
//! [Black "new"]
//! [White "old"]
//! [Result "1-0"]
//! [FEN "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"]
//! [Termination "adjudication"]
//!
//! 8h2b+ {+0.35 12/18 n=4567 t=0.1s}
//! 3a2b {-0.20 11 t=0.1s, Sente wins by adjudication}
//! 1-0
//! ```
//!
//! Black, who moves first, is also called `Sente`, White `Gote`; 1-0 is a win of black. A score is in pawns from the
//! mover's view, `+M5` a mate in five plies, `none` no score. `FEN` is a SFEN; fields after the fourth mean nothing.
//! `resign` and `win` stand in place of a move. A text has any number of games, and what is wrong with one leaves the
//! others as they are.
//!
//! OpenBench's clients upload games in a form of their own: `Termination` and `PlyCount` are gone, the moves stand on
//! one line, each comment is `unknown` or `DEPTH/SELDEPTH`, and `*` may stand behind the moves of a finished game.
//!
//! The form was taken from what shogitest writes (87flowers/shogitest, nodchip/shogitest).

mod game;
mod thought;

pub use thought::PgnThought;

use crate::position::{Position, SfenError};
use crate::types::{Color, Counted, Move, Quoted};
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// A game as it stands in the text.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The number of its first line, counted from 1.
    pub line: usize,
    /// The headers, in their order.
    pub tags: Vec<(String, String)>,
    /// The position in which it began.
    pub start: Position,
    /// The position after its moves, with all of them behind it.
    pub end: Position,
    /// Moves, all of them legal.
    pub moves: Vec<PgnMove>,
    /// Word that stands in place of a further move.
    pub last_word: Option<LastWord>,
    /// Result of the game.
    pub result: PgnResult,
    /// The result in words, as the last comment tells it.
    pub reason: Option<String>,
}

/// A move with what its player thought of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// The move.
    pub mv: Move,
    /// The comment behind it.
    pub thought: PgnThought,
}

/// Word of a player in place of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LastWord {
    /// `resign`
    Resign,
    /// `win`, a declaration.
    Win,
    /// Text that is no legal move, in a game that ended by it.
    Illegal(String),
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PgnResult {
    /// `1-0` or `0-1`.
    Win(Color),
    /// `1/2-1/2`
    Draw,
    /// `*` or `undetermined`.
    Unfinished,
}

impl PgnResult {
    /// The result that a word stands for.
    fn of(word: &str) -> Option<PgnResult> {
        match word {
            "1-0" => Some(PgnResult::Win(Color::Black)),
            "0-1" => Some(PgnResult::Win(Color::White)),
            "1/2-1/2" => Some(PgnResult::Draw),
            "*" | "undetermined" => Some(PgnResult::Unfinished),
            _ => None,
        }
    }

    /// Who won.
    pub fn winner(self) -> Option<Color> {
        match self {
            PgnResult::Win(color) => Some(color),
            PgnResult::Draw | PgnResult::Unfinished => None,
        }
    }
}

/// A game that cannot be read: the text's name, the line, counted from 1, and the fault.
#[derive(Debug, Error)]
#[error("{name} line {line}: {fault}")]
pub struct PgnError {
    /// The text, as a file's name.
    pub name: String,
    /// The number of the line.
    pub line: usize,
    /// Fault of the line.
    #[source]
    pub fault: PgnFault,
}

/// Fault of a line.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PgnFault {
    /// The text cannot be read; nothing after this line is.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A header that is none.
    #[error("{} is no header [NAME \"VALUE\"]", Quoted(.0))]
    Tag(String),
    /// Moves without any header before them.
    #[error("a game without headers")]
    NoTags,
    /// A header of a result that is none, or no such header.
    #[error("{} is no result", Quoted(.0))]
    Result(String),
    /// The result behind the moves is not that of the header: both.
    #[error("the game ends with {}, its header Result says {}", Quoted(.0), Quoted(.1))]
    OtherResult(String, String),
    /// There is no result behind the moves: the text is cut off, or a line is missing.
    #[error("no result after the moves")]
    NoEnd,
    /// Text after the end of the game.
    #[error("{} comes after the end of the game", Quoted(.0))]
    AfterEnd(String),
    /// The start is no position.
    #[error("FEN: {0}")]
    Start(#[source] SfenError),
    /// A comment that does not end on its line.
    #[error("a comment without }}")]
    OpenComment,
    /// A part of a comment that is not what must stand there: what that is, and the word.
    #[error("{} is no {}", Quoted(.1), .0)]
    Comment(&'static str, String),
    /// A move that is none, or not legal: its number, counted from 1, and why.
    #[error("move {0}: {1}")]
    Move(usize, String),
    /// The header counts other moves than there are.
    #[error("{}, the header PlyCount says {}", Counted(*.0, "move"), Quoted(.1))]
    PlyCount(usize, String),
}

impl PgnGame {
    /// The value of the first header of this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        game::tag(&self.tags, name)
    }

    /// The name of a player, under either name of its side.
    pub fn player(&self, side: Color) -> &str {
        let [name, other] = match side {
            Color::Black => ["Black", "Sente"],
            Color::White => ["White", "Gote"],
        };
        self.tag(name).or_else(|| self.tag(other)).unwrap_or("?")
    }
}

/// Reads the games of a text, one after the other. A game that cannot be read is an error, and the next one follows.
#[derive(Debug)]
pub struct PgnReader<R> {
    input: R,
    name: String,
    /// Lines read so far.
    lines: usize,
    /// A line that belongs to the next game, with its number.
    next_line: Option<(usize, String)>,
    is_over: bool,
}

/// The most bytes and lines of a game: more is no game, and a file without an end must not fill the memory.
const MAX_BYTES: usize = 16 << 20;
const MAX_LINES: usize = 100_000;

/// The lines of a game with their numbers.
type Block = Vec<(usize, String)>;

impl<R: BufRead> PgnReader<R> {
    /// Reads this text; the name stands in messages.
    pub fn new(input: R, name: &str) -> PgnReader<R> {
        PgnReader { input, name: name.to_string(), lines: 0, next_line: None, is_over: false }
    }

    /// The next line that is not blank.
    fn line(&mut self) -> io::Result<Option<(usize, String)>> {
        if let Some(line) = self.next_line.take() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if self.input.by_ref().take(MAX_BYTES as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            if bytes.len() > MAX_BYTES {
                return Err(too_long());
            }
            self.lines += 1;
            let text = String::from_utf8_lossy(&bytes);
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() {
                return Ok(Some((self.lines, text.to_string())));
            }
        }
    }

    /// The lines of the next game: headers, then the rest up to the result. Where that is missing, the game ends before
    /// a header that begins another one: any after moves, `Event`, or one that it has already.
    fn block(&mut self) -> io::Result<Block> {
        let mut block = Block::new();
        let (mut has_moves, mut size) = (false, 0);
        while let Some((number, text)) = self.line()? {
            let is_tag = text.starts_with('[');
            let name = tag_name(&text);
            let is_first = || name == "[Event" || block.iter().any(|(_, known)| tag_name(known) == name);
            if is_tag && !block.is_empty() && (has_moves || is_first()) {
                self.next_line = Some((number, text));
                break;
            }
            size += text.len();
            if size > MAX_BYTES || block.len() >= MAX_LINES {
                return Err(too_long());
            }
            has_moves |= !is_tag;
            let is_end = !is_tag && text.split_ascii_whitespace().next_back().is_some_and(is_result);
            block.push((number, text));
            if is_end {
                break;
            }
        }
        Ok(block)
    }
}

fn too_long() -> io::Error {
    let what = format!("a game of more than {} MB or {MAX_LINES} lines", MAX_BYTES >> 20);
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn is_result(word: &str) -> bool {
    PgnResult::of(word).is_some()
}

fn tag_name(line: &str) -> &str {
    line.split([' ', '\t']).next().unwrap_or_default()
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Result<PgnGame, PgnError>> {
        if self.is_over {
            return None;
        }
        let read = match self.block() {
            Ok(block) if block.is_empty() => {
                self.is_over = true;
                return None;
            }
            Ok(block) => game::read(&block),
            Err(error) => {
                self.is_over = true;
                Err((self.lines + 1, PgnFault::Io(error)))
            }
        };
        Some(read.map_err(|(line, fault)| PgnError { name: self.name.clone(), line, fault }))
    }
}
