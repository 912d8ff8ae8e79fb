//! Games as training data, and the file that holds them: an encoding of a
//! [`GameRecord`](komainu::notation::record::GameRecord) in four bytes a ply, its score included.
//!
//! A file is a header and then one record a game, in the order of their numbers; all integers are little-endian.
//!
//! | part | bytes | holds |
//! |---|---|---|
//! | header | 8 | `KMNGAMES` |
//! | | 4 | version, 1 |
//! | | 4 | length of the description |
//! | | n | description in UTF-8: what made the games |
//! | | 4 | CRC-32 of all bytes of the header before |
//! | record | 2 | length of what follows, the checksum left out |
//! | | 1 | winner: 0 nobody, 1 black, 2 white |
//! | | 1 | how the game ended |
//! | | 2 | how many of the first plies were drawn at random |
//! | | 1 | start: 0 the even start position, 1 any other |
//! | | 0 or 36 | any other: the move counter (4), the packed position (32) |
//! | | 4 a ply | the move (2) and its score (2), in centipawns from the mover's view |
//! | | 4 | CRC-32 of all bytes of the record before |
//!
//! Games of dlshogi ([`Hcpe3Reader`], [`Game::encode_hcpe3`]) are read and written, too.
//!
//! ```
//! use komainu::notation::record::Ending;
//! use komainu::position::Position;
//! use komainu_tools::training::games::{Game, GamesReader, GamesWriter, Ply};
//! use komainu::types::Color;
//!
//! let plies = vec![Ply { mv: "7g7f".parse()?, score: 30 }];
//! let game = Game::new(&Position::startpos(), plies, 0, (Ending::Resignation, Some(Color::Black)))?;
//! let mut writer = GamesWriter::new(Vec::new(), "one move")?;
//! writer.write(&game)?;
//! let file = writer.get_mut().clone();
//! let read = GamesReader::new(&file[..], "memory")?.next().ok_or("a game is missing")??;
//! assert_eq!((read.plies(), read.winner()), (game.plies(), Some(Color::Black)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A record is written at once, so that a crash can tear the last one only; length and checksum show that, and whoever
//! goes on with the file cuts the torn record off.

mod file;
mod hcpe3;

pub use file::{GamesReader, GamesWriter};
pub(in crate::training) use file::{head, header};
pub use hcpe3::Hcpe3Reader;
pub(in crate::training) use hcpe3::{result_of, winner};

use super::input::ReadFault;
use komainu::movegen::is_legal;
use komainu::notation::record::Ending;
use komainu::position::{PackedPosition, Position};
use komainu::types::{Color, Counted, Move, Score};
use thiserror::Error;

/// The first bytes of a file of games.
pub(super) const MAGIC: [u8; 8] = *b"KMNGAMES";
/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;
/// The longest description, in bytes.
const MAX_DESCRIPTION: usize = 4_096;
/// Bytes of a ply.
const PLY_BYTES: usize = 4;
/// Bytes around the content of a record: its length and its checksum.
const FRAME_BYTES: usize = 2 + 4;
/// The longest record, in bytes.
pub const MAX_RECORD: usize = FRAME_BYTES + u16::MAX as usize;
/// The longest game, in plies: what fits into a record.
pub const MAX_PLIES: usize = 16_000;

/// The endings by their number in the file.
const ENDINGS: [Ending; 11] = [
    Ending::Interrupted,
    Ending::Checkmate,
    Ending::NoMoves,
    Ending::Declaration,
    Ending::Repetition,
    Ending::PerpetualCheck,
    Ending::PlyLimit,
    Ending::AdjudicatedWin,
    Ending::AdjudicatedDraw,
    Ending::Resignation,
    Ending::Impasse,
];

/// A move of a game and what the mover thought of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    pub mv: Move,
    /// Score in centipawns from the mover's view, mates as in [`Score`]; 0 for a move drawn at random.
    pub score: i16,
}

impl Ply {
    /// A move with the score of a search, which always fits into 16 bits.
    pub fn new(mv: Move, score: Score) -> Ply {
        Ply { mv, score: score.0 as i16 }
    }
}

/// A game that follows the rules: every move is legal.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    plies: Vec<Ply>,
    opening: usize,
    ending: Ending,
    winner: Option<Color>,
}

/// Why a game is none that can be kept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct GameFault(pub String);

fn winner_in_words(winner: Option<Color>) -> String {
    winner.map_or("nobody won".to_string(), |color| format!("a side ({color}) won"))
}

/// Tests whether a game that ends like this may have this winner.
fn agrees(ending: Ending, winner: Option<Color>) -> bool {
    use Ending::*;
    match ending {
        Interrupted => true,
        Repetition | PlyLimit | AdjudicatedDraw | Impasse => winner.is_none(),
        _ => winner.is_some(),
    }
}

impl Game {
    /// A game from a start, of which only board, hands, side and move counter count. The first `opening` plies were
    /// drawn at random.
    pub fn new(
        start: &Position,
        plies: Vec<Ply>,
        opening: usize,
        (ending, winner): (Ending, Option<Color>),
    ) -> Result<Game, GameFault> {
        let start = without_history(start)?;
        if plies.len() > MAX_PLIES {
            return Err(GameFault(format!("{} plies, more than {MAX_PLIES}", plies.len())));
        }
        if opening > plies.len() {
            let random = Counted(opening as u64, "random ply");
            return Err(GameFault(format!("{random} in a game of {}", plies.len())));
        }
        if !ENDINGS.contains(&ending) {
            return Err(GameFault(format!("a game that ended by {ending}")));
        }
        if !agrees(ending, winner) {
            return Err(GameFault(format!("{ending}, and {}", winner_in_words(winner))));
        }
        let mut pos = start.clone();
        for (number, ply) in plies.iter().enumerate() {
            if !is_legal(&pos, ply.mv) {
                return Err(GameFault(format!("move {}: {} is not legal", number + 1, ply.mv)));
            }
            pos.do_move(ply.mv);
        }
        Ok(Game { start, plies, opening, ending, winner })
    }

    /// The position in which the game began; it has no history.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The moves with their scores.
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// Number of the first plies that were drawn at random, by chance or among moves of about the same worth: they are
    /// no training positions.
    pub fn opening(&self) -> usize {
        self.opening
    }

    /// Number of its positions that are not random.
    pub fn positions(&self) -> u64 {
        (self.plies.len() - self.opening) as u64
    }

    /// End of the game; [`Ending::Interrupted`] if it is not known.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Who won; nobody in a draw.
    pub fn winner(&self) -> Option<Color> {
        self.winner
    }

    /// The result for a side: 1 a win, 0 a draw, -1 a loss.
    pub fn result(&self, side: Color) -> i8 {
        match self.winner {
            None => 0,
            Some(winner) if winner == side => 1,
            Some(_) => -1,
        }
    }

    /// Calls a function with the number of every ply, counted from 0, the position before it and the ply, until it
    /// fails. Returns the last position.
    pub fn replay<E>(&self, mut visit: impl FnMut(usize, &Position, Ply) -> Result<(), E>) -> Result<Position, E> {
        let mut pos = self.start.clone();
        for (number, &ply) in self.plies.iter().enumerate() {
            visit(number, &pos, ply)?;
            pos.do_move(ply.mv);
        }
        Ok(pos)
    }

    /// The length of the record that begins with these two bytes.
    pub(super) fn encoded_length(first: [u8; 2]) -> usize {
        FRAME_BYTES + u16::from_le_bytes(first) as usize
    }

    /// The record, with its length and its checksum.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; 2];
        bytes.push(self.winner.map_or(0, |winner| winner as u8 + 1));
        let ending = ENDINGS.iter().position(|&ending| ending == self.ending);
        bytes.push(ending.expect("checked when the game was made") as u8);
        bytes.extend((self.opening as u16).to_le_bytes());
        let start = self.start.pack().expect("checked when the game was made");
        if self.start.ply() == 1 && start == even_start() {
            bytes.push(0);
        } else {
            bytes.push(1);
            bytes.extend(self.start.ply().to_le_bytes());
            bytes.extend(start.0);
        }
        for ply in &self.plies {
            bytes.extend(ply.mv.bits().to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        let length = (bytes.len() - 2) as u16;
        bytes[..2].copy_from_slice(&length.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

/// Fault of a file that ends within a game.
fn ends_early() -> ReadFault {
    ReadFault::Torn("the file ends within this game".to_string())
}

fn even_start() -> PackedPosition {
    Position::startpos().pack().expect("it has both kings")
}

/// The position without the moves that led to it.
fn without_history(pos: &Position) -> Result<Position, GameFault> {
    pos.pack().map_err(|error| GameFault(error.to_string()))?;
    Ok(pos.without_history())
}

/// A packed position with its move counter.
pub(super) fn unpack_at(packed: &PackedPosition, ply: u32) -> Option<Position> {
    let mut pos = packed.unpack().ok()?;
    pos.set_ply(ply);
    Some(pos)
}

#[cfg(test)]
mod tests;
