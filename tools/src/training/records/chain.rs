//! Games out of records that follow each other.

use super::Record;
use crate::training::games::{Game, MAX_PLIES, Ply};
use komainu::notation::record::Ending;
use komainu::position::Position;
use komainu::types::Color;
use komainu::types::opaque_debug;

/// Joins records to games: a record goes on with the game before it if it holds the position after its last move.
///
/// How the games ended is not known, and neither which of their plies were random.
#[derive(Default)]
pub struct Chain {
    running: Option<Running>,
    /// Records without a move, which cannot be part of a game.
    pub without_move: u64,
}

opaque_debug!(Chain);

struct Running {
    start: Position,
    pos: Position,
    /// The move counter of the next record.
    ply: u16,
    plies: Vec<Ply>,
    winner: Option<Color>,
}

impl Running {
    fn finish(self) -> Game {
        let end = (Ending::Interrupted, self.winner);
        Game::new(&self.start, self.plies, 0, end).expect("the moves of records are legal and the number is bounded")
    }
}

impl Chain {
    /// Takes a record with its position. Returns the game that it does not belong to, which has ended.
    pub fn push(&mut self, record: &Record, pos: &Position) -> Option<Game> {
        let Some(mv) = record.best else {
            self.without_move += 1;
            return self.finish();
        };
        let winner = record.winner(pos.side());
        let goes_on = self.running.as_ref().is_some_and(|running| {
            running.winner == winner
                && running.plies.len() < MAX_PLIES
                && running.ply == record.ply
                && running.pos.pack() == Ok(record.position)
        });
        let ended = if goes_on { None } else { self.finish() };
        let running = match &mut self.running {
            Some(running) => running,
            none => {
                let start = record.unpack().unwrap_or_else(|| pos.clone());
                none.insert(Running { pos: start.clone(), start, ply: record.ply, plies: Vec::new(), winner })
            }
        };
        running.plies.push(Ply { mv, score: record.score });
        running.pos.do_move(mv);
        // Some formats do not hold the counter.
        running.ply = if record.ply == 0 { 0 } else { record.ply.saturating_add(1) };
        ended
    }

    /// The last game, once all records have been taken.
    pub fn finish(&mut self) -> Option<Game> {
        self.running.take().map(Running::finish)
    }
}
