//! Records of 40 bytes, one a position, as other programs of the shogi world read and write them (`.psv`).
//!
//! | offset | bytes | holds |
//! |---|---|---|
//! | 0 | 32 | the packed position |
//! | 32 | 2 | score from the side to move's view, a pawn worth 90 |
//! | 34 | 2 | the best move; 0 for none |
//! | 36 | 2 | the move counter |
//! | 38 | 1 | result for the side to move: 1 a win, 0 a draw, -1 a loss |
//! | 39 | 1 | nothing |
//!
//! ```
//! use komainu_tools::training::records::{Record, Records};
//! use komainu::position::Position;
//!
//! let position = Position::startpos().pack()?;
//! let record = Record { position, score: 30, best: Some("7g7f".parse()?), ply: 1, result: 1 };
//! let file = record.encode();
//! let (read, pos) = Records::new(&file[..], "memory").next().expect("a record")?;
//! assert_eq!((read, pos.to_sfen()), (record, Position::startpos().to_sfen()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files of Apery and dlshogi are read as well: [`RecordFormat`].
//!
//! A file has no header; the records of a game may follow each other or not. Here scores are in centipawns; they change
//! their unit on the way in and out.

mod chain;
mod hcpe;
mod reader;

pub use chain::Chain;
pub use hcpe::{HCP_BYTES, HCPE_BYTES};
pub(in crate::training) use reader::{BLOCK, BLOCK_BYTES, block_length, share_head};
pub use reader::{RecordFormat, Records};

use super::games::{Game, unpack_at};
use komainu::position::{PackedPosition, Position};
use komainu::types::{Color, Move, Score};

pub const RECORD_BYTES: usize = 40;

/// A position with what a search and the game said about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    pub position: PackedPosition,
    /// Centipawns from the side to move's view, mates as in [`Score`].
    pub score: i16,
    /// The best move, if it is known.
    pub best: Option<Move>,
    /// The move counter of the position; 0 if it is not known.
    pub ply: u16,
    /// The result of the game for the side to move: 1 a win, 0 a draw, -1 a loss.
    pub result: i8,
}

/// The largest score that is no mate, in the unit of the file as in centipawns.
const MAX_EVAL: i32 = Score::MAX_NON_MATE.0;

/// `value * numerator / denominator`, to the nearest, halves away from zero.
const fn scale(value: i32, numerator: i32, denominator: i32) -> i32 {
    let half = if value < 0 { -denominator / 2 } else { denominator / 2 };
    (value * numerator + half) / denominator
}

/// Centipawns as the score of a record, where a pawn is worth 90. Mates are the same in both.
fn to_record_unit(centipawns: i16) -> i16 {
    let value = i32::from(centipawns);
    if value.abs() > MAX_EVAL { centipawns } else { scale(value, 90, 100) as i16 }
}

/// The score of a record in centipawns. What would be a mate then is the largest score that is none.
fn from_record_unit(score: i16) -> i16 {
    let value = i32::from(score);
    if value.abs() > MAX_EVAL { score } else { scale(value, 100, 90).clamp(-MAX_EVAL, MAX_EVAL) as i16 }
}

impl Record {
    /// The position with its move counter, if it is one.
    pub fn unpack(&self) -> Option<Position> {
        unpack_at(&self.position, self.ply.max(1).into())
    }

    /// Who won the game, given the side to move.
    pub fn winner(&self, side: Color) -> Option<Color> {
        match self.result {
            0 => None,
            1.. => Some(side),
            _ => Some(!side),
        }
    }

    /// The 40 bytes.
    pub fn encode(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..32].copy_from_slice(&self.position.0);
        bytes[32..34].copy_from_slice(&to_record_unit(self.score).to_le_bytes());
        bytes[34..36].copy_from_slice(&self.best.map_or(0, Move::bits).to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38] = self.result as u8;
        bytes
    }
}

/// Calls a function with the record of each ply of a game that was not drawn at random, its position, and the best move
/// after that one if the game went on, until the function fails.
pub fn visit_records<E>(
    game: &Game,
    mut visit: impl FnMut(Record, &Position, Option<Move>) -> Result<(), E>,
) -> Result<(), E> {
    let end = game.replay(|number, pos, ply| {
        if number < game.opening() {
            return Ok(());
        }
        let record = Record {
            position: pos.pack().expect("a game has both kings"),
            score: ply.score,
            best: Some(ply.mv),
            ply: pos.ply().min(u16::MAX.into()) as u16,
            result: game.result(pos.side()),
        };
        visit(record, pos, game.plies().get(number + 1).map(|next| next.mv))
    });
    end.map(|_| ())
}

#[cfg(test)]
mod tests;
