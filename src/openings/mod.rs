//! Where games begin: lists of openings, from a file, a folder, or the list that is built in.
//!
//! # Lines
//!
//! A line is `startpos [moves ...]`, `sfen SFEN [moves ...]`, the same after `position`, or a bare `SFEN [moves ...]`.
//! What follows `#` or `;` is a comment; empty lines are passed over. A list is refused as a whole if a line of it is
//! at fault or leads to a game that is over already: whoever plays should not find out after hours.
//!
//! Of a game record (KIF, KI2, CSA) the first moves are an opening: 24 plies unless the plan says how many.
//!
//! # Handicaps
//!
//! In place of a file, `handicap:NAME` is the start position of a handicap (`lance`, `rook-lance`, `2-pieces`, ...); several
//! names stand with commas between them. White gives the pieces and moves first.
//!
//! # The built-in list
//!
//! `list.txt` holds 500 lines of 8 to 16 plies from the even start position. `examples/make_openings.rs` made it, with the
//! search of its time: `cargo run --release --example make_openings`. Each line starts as a well-known opening and goes on
//! with moves drawn at random among those that this engine's own search holds for nearly best; it ends in a position of
//! its own that a longer search holds for balanced (±150 centipawns). The evaluation of that search counts little more
//! than material, so *balanced* means that nothing is lost or hanging, not that the sides stand equally well: pairs of
//! games with colours swapped make up for that.

#[cfg(test)]
mod tests;

use crate::notation::record::{Conclusion, Ending, Parsed};
use crate::notation::usi::{PositionError, parse_move, parse_opening};
use crate::notation::{Format, ReadError, read_file_bytes};
use crate::position::{GameRules, Handicap, Position};
use crate::random;
use crate::referee::judge;
use crate::types::{Move, Quoted};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The built-in list.
const EMBEDDED: &str = include_str!("list.txt");

/// Name of the built-in list in errors.
const EMBEDDED_NAME: &str = "built-in openings";

/// Prefix of the names of handicaps in place of a file.
const HANDICAP: &str = "handicap:";

/// Plies of a record that are played if the plan does not say how many: to its end it would be over.
const RECORD_PLIES: u64 = 24;

/// Extensions of lists, which a folder is searched for together with records. A file that is named may have any other.
const LIST_EXTENSIONS: [&str; 3] = ["sfen", "txt", "usi"];

/// An opening.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Where it starts; the position has no history.
    pub start: Position,
    /// The moves that are played from there.
    pub moves: Vec<Move>,
    /// The line or the record that it was read from.
    pub line: String,
}

impl Opening {
    /// The position in which the engines begin, with its history.
    pub fn position(&self) -> Position {
        let mut pos = self.start.clone();
        self.moves.iter().for_each(|&mv| pos.do_move(mv));
        pos
    }

    /// Leaves at most `plies` plies; 0 for all of them.
    fn cut(&mut self, plies: u64) {
        if plies > 0 {
            self.moves.truncate(usize::try_from(plies).unwrap_or(usize::MAX));
        }
    }
}

/// Fault of a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningFault {
    /// It is no position, or a move cannot be played.
    #[error(transparent)]
    Position(PositionError),
    /// This token stands where `moves` should.
    #[error("{} stands where moves should", Quoted(.0))]
    Unexpected(String),
    /// The side to move has no legal move after the opening.
    #[error("the game is over: no legal move")]
    NoMoves,
    /// The opening ends with the fourth occurrence of a position.
    #[error("the game is over: the position occurs for the fourth time")]
    Repetition,
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// A file or folder cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, #[source] io::Error),
    /// A line is at fault: the name of the list, the number of the line from 1, and why.
    #[error("{0}:{1}: {2}")]
    Line(String, usize, #[source] OpeningFault),
    /// A file holds no record that can be read.
    #[error("{}: {}", .0.display(), .1)]
    Record(PathBuf, #[source] ReadError),
    /// A game of a file of records, counted from 1, is no opening.
    #[error("{} game {}: {}", .0.display(), .1, .2)]
    Game(PathBuf, usize, #[source] OpeningFault),
    /// There is no handicap of this name.
    #[error("{} is no handicap: {}", Quoted(.0), Handicap::ALL.map(Handicap::name).join(", "))]
    Handicap(String),
    /// There is nothing in this list or folder.
    #[error("{0}: no openings")]
    Empty(String),
}

/// The openings of a file or folder, of handicaps, or of the built-in list; at least one, each of `plies` plies at
/// most, of all of them for 0, and shuffled if there is a seed.
pub fn load(file: Option<&Path>, plies: u64, shuffle: Option<u64>) -> Result<Vec<Opening>, OpeningError> {
    let (name, mut openings) = match file {
        None => (EMBEDDED_NAME.to_string(), read_list(EMBEDDED_NAME, EMBEDDED, plies)?),
        Some(path) => match path.to_str().and_then(|text| text.strip_prefix(HANDICAP)) {
            Some(names) => (names.to_string(), handicaps(names)?),
            None => (path.display().to_string(), read_path(path, plies)?),
        },
    };
    if openings.is_empty() {
        return Err(OpeningError::Empty(name));
    }
    if let Some(seed) = shuffle {
        random::shuffle(&mut openings, seed);
    }
    Ok(openings)
}

/// Reads a list. Its name is used in errors; of each opening at most `plies` plies are taken, all if that is 0.
///
/// ```
/// use komainu::openings::read_list;
///
/// let openings = read_list("book.txt", "startpos moves 7g7f 3c3d\n", 1)?;
/// assert_eq!(openings[0].moves.len(), 1);
/// let error = read_list("book.txt", "startpos moves 7g7f 7g7f\n", 0).unwrap_err();
/// assert_eq!(error.to_string(), "book.txt:1: move 2: 7g7f is not legal");
/// # Ok::<(), komainu::openings::OpeningError>(())
/// ```
pub fn read_list(name: &str, text: &str, plies: u64) -> Result<Vec<Opening>, OpeningError> {
    let read =
        |(number, read): (usize, Result<_, _>)| read.map_err(|fault| OpeningError::Line(name.into(), number, fault));
    read_lines(text, plies).map(read).collect()
}

/// Reads the lines of a list, each with its number, counted from 1; comments and empty lines are passed over.
pub fn read_lines(text: &str, plies: u64) -> impl Iterator<Item = (usize, Result<Opening, OpeningFault>)> {
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
    let lines = lines.map(|(line, number)| (line.split(['#', ';']).next().unwrap_or_default().trim(), number));
    lines.filter(|(line, _)| !line.is_empty()).map(move |(line, number)| (number, read_line(line, plies)))
}

/// Reads a line that holds more than a comment.
fn read_line(line: &str, plies: u64) -> Result<Opening, OpeningFault> {
    let text = match line.split_once(char::is_whitespace) {
        Some(("position", rest)) => rest,
        _ => line,
    };
    let mut tokens = text.split_ascii_whitespace();
    let head: Vec<&str> = tokens.by_ref().take_while(|&token| token != "moves").collect();
    let head = parse_opening(&head.join(" ")).map_err(OpeningFault::Position)?;
    if let Some(token) = head.ignored {
        return Err(OpeningFault::Unexpected(token));
    }
    let mut pos = head.position.clone();
    let mut opening = Opening { start: head.position, moves: Vec::new(), line: line.to_string() };
    for (token, number) in tokens.zip(1..) {
        let mv = parse_move(&pos, token).map_err(|error| OpeningFault::Position(PositionError::Move(number, error)))?;
        pos.do_move(mv);
        opening.moves.push(mv);
    }
    opening.cut(plies);
    must_go_on(&opening)?;
    Ok(opening)
}

/// The start positions of the handicaps of these names.
fn handicaps(names: &str) -> Result<Vec<Opening>, OpeningError> {
    names
        .split(',')
        .map(|name| {
            let handicap: Handicap = name.parse().map_err(|_| OpeningError::Handicap(name.to_string()))?;
            let start = Position::from_sfen(handicap.sfen()).expect("the start position of a handicap is a valid SFEN");
            Ok(Opening { start, moves: Vec::new(), line: handicap.sfen().to_string() })
        })
        .collect()
}

/// Refuses an opening after which the game is over.
fn must_go_on(opening: &Opening) -> Result<(), OpeningFault> {
    match judge(&opening.position(), &GameRules::default()) {
        None => Ok(()),
        Some(Conclusion { ending: Ending::Repetition | Ending::PerpetualCheck, .. }) => Err(OpeningFault::Repetition),
        Some(_) => Err(OpeningFault::NoMoves),
    }
}

/// Reads a file, or all lists and records of a folder and the folders in it, sorted by name.
fn read_path(path: &Path, plies: u64) -> Result<Vec<Opening>, OpeningError> {
    let unreadable = |error| OpeningError::Unreadable(path.to_path_buf(), error);
    if path.is_dir() {
        let entries = fs::read_dir(path).map_err(unreadable)?;
        let mut paths: Vec<PathBuf> =
            entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>().map_err(unreadable)?;
        paths.sort();
        let is_known = |path: &PathBuf| path.is_dir() || is_list(path) || is_record(path);
        let parts = paths.into_iter().filter(is_known).map(|path| read_path(&path, plies));
        return Ok(parts.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
    }
    if is_record(path) {
        return read_records(path, plies);
    }
    // Comments may be in any encoding; moves are ASCII.
    let bytes = fs::read(path).map_err(unreadable)?;
    read_list(&path.display().to_string(), &String::from_utf8_lossy(&bytes), plies)
}

/// Tests whether the name is that of a game record.
pub fn is_record(path: &Path) -> bool {
    path.file_name().is_some_and(|name| Format::of_name(&name.to_string_lossy()).is_some())
}

/// Tests whether the name is that of a list of positions or moves, one a line.
pub fn is_list(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    LIST_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Reads the games of a record (KIF, KI2 or CSA), each as an opening of `plies` plies, [`RECORD_PLIES`] for 0.
fn read_records(path: &Path, plies: u64) -> Result<Vec<Opening>, OpeningError> {
    let bytes = fs::read(path).map_err(|error| OpeningError::Unreadable(path.to_path_buf(), error))?;
    let name = path.display().to_string();
    let games = read_file_bytes(&name, &bytes).map_err(|error| OpeningError::Record(path.to_path_buf(), error))?;
    let read = |(parsed, number): (Parsed, usize)| {
        let moves = parsed.record.moves.iter().map(|played| played.mv).collect();
        let line = format!("{name} game {number}");
        let mut opening = Opening { start: parsed.record.start, moves, line };
        opening.cut(if plies == 0 { RECORD_PLIES } else { plies });
        must_go_on(&opening).map_err(|fault| OpeningError::Game(path.to_path_buf(), number, fault))?;
        Ok(opening)
    };
    games.into_iter().zip(1..).map(read).collect()
}
