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

use super::record::Outcome;
use super::usi::parse_move;
use crate::position::{Position, SfenError};
use crate::types::{Color, Counted, Move, Quoted, Score};
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
    /// Result of the game; `None` if it is not finished: `*` or `undetermined`.
    pub result: Option<Outcome>,
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

/// The result that a word stands for; the inner one is `None` for a game that is not finished.
fn result_of(word: &str) -> Option<Option<Outcome>> {
    match word {
        "1-0" => Some(Some(Outcome::Win(Color::Black))),
        "0-1" => Some(Some(Outcome::Win(Color::White))),
        "1/2-1/2" => Some(Some(Outcome::Draw)),
        "*" | "undetermined" => Some(None),
        _ => None,
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
        tag(&self.tags, name)
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
        let mut has_moves = false;
        let mut size = 0;
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
            let is_end = !is_tag && text.split_ascii_whitespace().next_back().and_then(result_of).is_some();
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
            Ok(block) => read_game(&block),
            Err(error) => {
                self.is_over = true;
                Err((self.lines + 1, PgnFault::Io(error)))
            }
        };
        Some(read.map_err(|(line, fault)| PgnError { name: self.name.clone(), line, fault }))
    }
}

/// A fault with the number of its line.
type Faulty<T> = Result<T, (usize, PgnFault)>;

/// The value of the first header of this name.
fn tag<'a>(tags: &'a [(String, String)], name: &str) -> Option<&'a str> {
    tags.iter().find(|tag| tag.0 == name).map(|tag| tag.1.as_str())
}

/// Reads the lines of a game, of which there is at least one.
fn read_game(block: &[(usize, String)]) -> Faulty<PgnGame> {
    let line = block[0].0;
    let (heads, rest) = block.split_at(block.iter().take_while(|(_, text)| text.starts_with('[')).count());
    if heads.is_empty() {
        return Err((line, PgnFault::NoTags));
    }
    let tags: Vec<(String, String)> =
        heads.iter().map(|(number, text)| read_tag(*number, text)).collect::<Faulty<_>>()?;
    let line_of = |name: &str| heads.iter().zip(&tags).find(|(_, tag)| tag.0 == name).map_or(line, |(head, _)| head.0);
    let header = tag(&tags, "Result").unwrap_or_default();
    let result = result_of(header).ok_or_else(|| (line_of("Result"), PgnFault::Result(header.to_string())))?;
    let start = read_start(tag(&tags, "FEN")).map_err(|fault| (line_of("FEN"), fault))?;
    let mut moves = Moves {
        pos: start.clone(),
        may_be_illegal: tag(&tags, "Termination").is_some_and(|text| text.to_ascii_lowercase().contains("illegal")),
        ..Moves::default()
    };
    for (number, text) in rest {
        moves.read_line(text, (header, result)).map_err(|fault| (*number, fault))?;
    }
    let last_line = block[block.len() - 1].0;
    if !moves.has_ended {
        return Err((last_line, PgnFault::NoEnd));
    }
    let words = moves.read.len() + usize::from(moves.last_word.is_some());
    if let Some(count) = tag(&tags, "PlyCount").filter(|count| count.parse() != Ok(words)) {
        return Err((line_of("PlyCount"), PgnFault::PlyCount(words, count.to_string())));
    }
    let Moves { pos: end, read: moves, last_word, reason, .. } = moves;
    Ok(PgnGame { line, tags, start, end, moves, last_word, result, reason })
}

/// `[NAME "VALUE"]`, the value with backslashes before quotes and backslashes.
fn read_tag(number: usize, text: &str) -> Faulty<(String, String)> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let parts = inner.and_then(|inner| inner.trim().split_once([' ', '\t']));
    let value = parts.and_then(|(name, value)| Some((name, value.trim().strip_prefix('"')?.strip_suffix('"')?)));
    let (name, value) = value.ok_or_else(|| (number, PgnFault::Tag(text.to_string())))?;
    let mut plain = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    Ok((name.to_string(), plain))
}

/// The start that `FEN` gives: of its fields the first four are those of a SFEN.
fn read_start(fen: Option<&str>) -> Result<Position, PgnFault> {
    let Some(fen) = fen else { return Ok(Position::startpos()) };
    let sfen: Vec<&str> = fen.split_ascii_whitespace().take(4).collect();
    Position::from_sfen(&sfen.join(" ")).map_err(PgnFault::Start)
}

/// The part of a game after its headers.
#[derive(Default)]
struct Moves {
    pos: Position,
    /// The last word may be a move that is not legal.
    may_be_illegal: bool,
    read: Vec<PgnMove>,
    last_word: Option<LastWord>,
    reason: Option<String>,
    has_ended: bool,
}

impl Moves {
    /// Words and comments; the result of the header is what must stand at the end.
    fn read_line(&mut self, text: &str, result: (&str, Option<Outcome>)) -> Result<(), PgnFault> {
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(comment) = rest.strip_prefix('{') {
                let (comment, after) = comment.split_once('}').ok_or(PgnFault::OpenComment)?;
                self.read_comment(comment)?;
                rest = after.trim_start();
            } else {
                let end = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                self.read_word(word, result)?;
                rest = after.trim_start();
            }
        }
        Ok(())
    }

    fn read_comment(&mut self, comment: &str) -> Result<(), PgnFault> {
        if self.has_ended {
            return Err(PgnFault::AfterEnd(format!("{{{comment}}}")));
        }
        let (thought, reason) = match PgnThought::read(comment) {
            // What is said of a word that is no move may be anything.
            Err(_) if self.last_word.is_some() => (PgnThought::default(), None),
            read => read?,
        };
        if let (None, Some(played)) = (&self.last_word, self.read.last_mut()) {
            played.thought = thought;
        }
        self.reason = reason.map(str::to_string).or(self.reason.take());
        Ok(())
    }

    fn read_word(&mut self, word: &str, (header, result): (&str, Option<Outcome>)) -> Result<(), PgnFault> {
        if self.has_ended {
            return Err(PgnFault::AfterEnd(word.to_string()));
        }
        if let Some(found) = result_of(word) {
            // OpenBench's clients take the star of a drop for the result.
            if found != result && word != "*" {
                return Err(PgnFault::OtherResult(word.to_string(), header.to_string()));
            }
            self.has_ended = true;
            return Ok(());
        }
        if self.last_word.is_some() {
            return Err(PgnFault::AfterEnd(word.to_string()));
        }
        match word {
            "resign" => self.last_word = Some(LastWord::Resign),
            "win" => self.last_word = Some(LastWord::Win),
            _ => match parse_move(&self.pos, word) {
                Ok(mv) => {
                    self.pos.do_move(mv);
                    self.read.push(PgnMove { mv, thought: PgnThought::default() });
                }
                Err(_) if self.may_be_illegal => self.last_word = Some(LastWord::Illegal(word.to_string())),
                Err(error) => return Err(PgnFault::Move(self.read.len() + 1, error.to_string())),
            },
        }
        Ok(())
    }
}

/// Thought of a player about a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PgnThought {
    /// The score from the mover's view, in centipawns or as a mate.
    pub score: Option<Score>,
    /// Depth, in plies.
    pub depth: Option<u32>,
    /// The nodes that were searched.
    pub nodes: Option<u64>,
    /// The time that was used, in milliseconds.
    pub millis: Option<u64>,
}

impl PgnThought {
    /// Reads a comment without its braces: the thought, and what is said after it of the end of the game.
    fn read(comment: &str) -> Result<(PgnThought, Option<&str>), PgnFault> {
        let (thought, reason) = match comment.split_once(", ") {
            Some((thought, reason)) => (thought, Some(reason.trim()).filter(|reason| !reason.is_empty())),
            None => (comment, None),
        };
        let mut words = thought.split_ascii_whitespace();
        let mut read = PgnThought::default();
        let Some(word) = words.next() else { return Ok((read, reason)) };
        read.depth = depths(word);
        if read.depth.is_none() {
            if !["none", "unknown"].contains(&word) {
                read.score = Some(score(word).ok_or_else(|| fault("score", word))?);
            }
            if let Some(word) = words.next() {
                let depth = word.split('/').next().unwrap_or(word);
                read.depth = Some(depth.parse().map_err(|_| fault("depth", word))?);
            }
        }
        for word in words {
            let Some((key, value)) = word.split_once('=') else { return Err(fault("KEY=VALUE", word)) };
            match key {
                "n" => read.nodes = Some(value.parse().map_err(|_| fault("number of nodes", word))?),
                "t" => read.millis = Some(millis(value).ok_or_else(|| fault("time in seconds", word))?),
                _ => {}
            }
        }
        Ok((read, reason))
    }
}

fn fault(what: &'static str, word: &str) -> PgnFault {
    PgnFault::Comment(what, word.to_string())
}

/// The depth of `14/25`.
fn depths(word: &str) -> Option<u32> {
    let (depth, selective) = word.split_once('/')?;
    digits(selective)?;
    depth.parse().ok()
}

/// `+0.35` or `-M4`. Scores beyond what is told apart are the largest.
fn score(word: &str) -> Option<Score> {
    let (sign, size) = match word.split_at_checked(1)? {
        ("+", size) => (1, size),
        ("-", size) => (-1, size),
        _ => (1, word),
    };
    if let Some(plies) = size.strip_prefix('M') {
        let plies = digits(plies)?.min(Score::MAX_MATE_PLY as u64) as usize;
        return Some(if sign > 0 { Score::mate_in(plies) } else { Score::mated_in(plies) });
    }
    let (pawns, hundredths) = size.split_once('.')?;
    if hundredths.len() != 2 {
        return None;
    }
    let hundredths = digits(hundredths)?;
    let centipawns = digits(pawns)?.saturating_mul(100).saturating_add(hundredths);
    Some(Score(sign * centipawns.min(Score::MAX_NON_MATE.0 as u64) as i32))
}

/// Seconds as in `0.125s`, up to eleven days.
fn millis(text: &str) -> Option<u64> {
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    if (0.0..=1e6).contains(&seconds) { Some((seconds * 1_000.0).round() as u64) } else { None }
}

/// A number of digits alone; one too large is the largest.
fn digits(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(u64::MAX))
}
