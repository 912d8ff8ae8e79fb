//! Where games begin: lists of openings, from a file, a folder, or the list that is built in.
//!
//! # Lines
//!
//! A line is `startpos [moves ...]`, `sfen SFEN [moves ...]`, the same after `position`, a bare `SFEN [moves ...]`, or
//! moves alone. What follows `#` or `;` is a comment; empty lines are passed over. A list is refused as a whole if a
//! line of it is at fault, leads to a game that is over already, or goes on behind the end of its game: whoever plays
//! should not find out after hours. [`load`] can pass such openings over instead.
//!
//! Of a game that [`komainu::games`] reads (KIF, KI2, CSA, JSON, games of a match) the first moves are an opening: 24
//! plies unless the plan says how many.
//!
//! # Handicaps
//!
//! In place of a file, `handicap:NAME` is the start position of a handicap (`lance`, `rook-lance`, `2-pieces`, ...);
//! several names stand with commas between them. White gives the pieces and moves first.
//!
//! # The built-in list
//!
//! `list.txt` holds 500 lines of 8 to 16 plies from the even start position. `examples/make_openings.rs` made it, with
//! the search of its time: `cargo run --release --example make_openings`. Each line starts as a well-known opening and
//! goes on with moves drawn at random among those that this engine's own search holds for nearly best; it ends in a
//! position of its own that a longer search holds for balanced (±150 centipawns). The evaluation of that search counts
//! little more than material, so *balanced* means that nothing is lost or hanging, not that the sides stand equally
//! well: pairs of games with colours swapped make up for that. The lines stand in a random order, so that the few that
//! a short match plays are a sample of all.

#[cfg(test)]
mod tests;

use crate::random;
use komainu::games::{FileError, SourceGame, Thoughts, Unread, is_list, source_files, source_games};
use komainu::notation::record::{Ending, GameRecord};
use komainu::notation::usi::parse_game;
use komainu::position::{GameRules, Handicap, Position};
use komainu::referee::judge;
use komainu::types::{Move, Quoted};
use std::fmt::Display;
use std::path::Path;
use thiserror::Error;

/// The built-in list.
const EMBEDDED: &str = include_str!("list.txt");

/// Name of the built-in list in errors.
const EMBEDDED_NAME: &str = "built-in openings";

/// Prefix of the names of handicaps in place of a file.
const HANDICAP: &str = "handicap:";

/// Plies of a record that are played if the plan does not say how many: to its end it would be over.
const RECORD_PLIES: u64 = 24;

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
        for &mv in &self.moves {
            pos.do_move(mv);
        }
        pos
    }
}

/// Why there are no openings: the list with the line, the record or the name that is at fault, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OpeningError(String);

impl OpeningError {
    fn at(place: impl Display, why: impl Display) -> OpeningError {
        OpeningError(format!("{place}: {why}"))
    }
}

/// The openings of a file or folder, of handicaps, or of the built-in list; at least one, each of `plies` plies at
/// most, of all of them for 0, and shuffled if there is a seed. The first one of a file that is at fault is an error,
/// unless such are skipped: their faults come second then.
pub fn load(
    file: Option<&Path>,
    plies: u64,
    shuffle: Option<u64>,
    skip_bad: bool,
) -> Result<(Vec<Opening>, Vec<OpeningError>), OpeningError> {
    let mut faults = Vec::new();
    let (name, mut openings) = match file {
        None => (EMBEDDED_NAME.to_string(), read_list(EMBEDDED_NAME, EMBEDDED, plies)?),
        Some(path) => match path.to_str().and_then(|text| text.strip_prefix(HANDICAP)) {
            Some(names) => (names.to_string(), handicaps(names)?),
            None => (path.display().to_string(), read_path(path, plies, skip_bad, &mut faults)?),
        },
    };
    if openings.is_empty() {
        return Err(OpeningError::at(name, "no openings"));
    }
    if let Some(seed) = shuffle {
        random::shuffle(&mut openings, seed);
    }
    Ok((openings, faults))
}

/// Reads a list. Its name is used in errors; of each opening at most `plies` plies are taken, all if that is 0.
///
/// ```
/// use komainu_tools::openings::read_list;
///
/// let openings = read_list("book.txt", "startpos moves 7g7f 3c3d\n", 1)?;
/// assert_eq!(openings[0].moves.len(), 1);
/// let error = read_list("book.txt", "startpos moves 7g7f 7g7f\n", 0).unwrap_err();
/// assert_eq!(error.to_string(), "book.txt:1: move 2: 7g7f is not legal");
/// # Ok::<(), komainu_tools::openings::OpeningError>(())
/// ```
pub fn read_list(name: &str, text: &str, plies: u64) -> Result<Vec<Opening>, OpeningError> {
    list(name, text, plies).collect()
}

fn list(name: &str, text: &str, plies: u64) -> impl Iterator<Item = Result<Opening, OpeningError>> {
    read_lines(text, plies)
        .map(move |(number, read)| read.map_err(|why| OpeningError::at(format_args!("{name}:{number}"), why)))
}

/// Reads the lines of a list, each with its number, counted from 1, or why it is none; comments and empty lines are
/// passed over.
pub fn read_lines(text: &str, plies: u64) -> impl Iterator<Item = (usize, Result<Opening, String>)> {
    let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
    let lines = lines.map(|(line, number)| (line.split(['#', ';']).next().unwrap_or_default().trim(), number));
    lines.filter(|(line, _)| !line.is_empty()).map(move |(line, number)| (number, read_line(line, plies)))
}

/// Reads a line that holds more than a comment.
fn read_line(line: &str, plies: u64) -> Result<Opening, String> {
    let game = parse_game(line).map_err(|error| error.to_string())?;
    if let Some(token) = game.ignored {
        return Err(format!("{} stands where moves should", Quoted(&token)));
    }
    if let Some(fault) = game.fault {
        return Err(fault.to_string());
    }
    opening(&game.record, line.to_string(), plies)
}

/// The start positions of the handicaps of these names.
fn handicaps(names: &str) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for name in names.split(',') {
        let Ok(handicap) = name.parse::<Handicap>() else {
            let all = Handicap::ALL.map(Handicap::name).join(", ");
            return Err(OpeningError(format!("{} is no handicap: {all}", Quoted(name))));
        };
        let start = Position::from_sfen(handicap.sfen()).expect("the start position of a handicap is a valid SFEN");
        openings.push(Opening { start, moves: Vec::new(), line: handicap.sfen().to_string() });
    }
    Ok(openings)
}

/// The first moves of a game, all of them for 0 plies. If the game is over among or after them they are no opening.
fn opening(record: &GameRecord, line: String, plies: u64) -> Result<Opening, String> {
    let mut moves: Vec<Move> = record.moves.iter().map(|made| made.mv).collect();
    if plies > 0 {
        moves.truncate(usize::try_from(plies).unwrap_or(usize::MAX));
    }
    let mut pos = record.start.clone();
    for (&mv, number) in moves.iter().zip(1..) {
        if let Some(why) = over(&pos) {
            return Err(format!("move {number}: {mv} stands behind the end of the game: {why}"));
        }
        pos.do_move(mv);
    }
    match over(&pos) {
        Some(why) => Err(format!("the game is over: {why}")),
        None => Ok(Opening { start: record.start.clone(), moves, line }),
    }
}

/// Why a game is over in a position.
fn over(pos: &Position) -> Option<&'static str> {
    match judge(pos, &GameRules::default())?.ending {
        Ending::Repetition | Ending::PerpetualCheck => Some("the position occurs for the fourth time"),
        _ => Some("no legal move"),
    }
}

/// Reads a file, or all lists and records of a folder and the folders in it, sorted by name.
fn read_path(
    path: &Path,
    plies: u64,
    skip_bad: bool,
    faults: &mut Vec<OpeningError>,
) -> Result<Vec<Opening>, OpeningError> {
    let unreadable = |error: FileError| OpeningError(error.to_string());
    let files = source_files(&[path.to_path_buf()]).map_err(unreadable)?;
    let mut openings = Vec::new();
    for file in &files {
        let name = file.path.display().to_string();
        let text = file.text().map_err(unreadable)?;
        let read: Vec<_> = if is_list(&name, &text) {
            list(&name, &text, plies).collect()
        } else {
            records(&name, &text, plies).collect()
        };
        for opening in read {
            match opening {
                Ok(opening) => openings.push(opening),
                Err(fault) if skip_bad => faults.push(fault),
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok(openings)
}

/// The games of a file of records, each as an opening of `plies` plies, [`RECORD_PLIES`] for 0.
fn records(name: &str, text: &str, plies: u64) -> impl Iterator<Item = Result<Opening, OpeningError>> {
    let plies = if plies == 0 { RECORD_PLIES } else { plies };
    source_games(name, text, Thoughts::WithoutLines).zip(1..).map(move |(game, number)| {
        let SourceGame { record, fault, .. } = game.map_err(|unread: Unread| OpeningError::at(name, unread.told))?;
        if let Some(fault) = fault {
            return Err(OpeningError::at(name, fault));
        }
        let line = format!("{name} game {number}");
        opening(&record, line.clone(), plies).map_err(|why| OpeningError::at(line, why))
    })
}
