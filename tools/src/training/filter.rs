//! Which positions a trainer should see.
//!
//! A static evaluation cannot know what a capture or a promotion brings that is about to happen, and a net that is made
//! to guess it becomes worse at all else. So a position whose best move is one is replaced by the one after it, with
//! score and result turned round; if the best move there is one again, as after an exchange, it is left out.
//!
//! In a game the position after it comes next with a record of its own, which then counts as a duplicate: of two equal
//! positions the first stays.
//!
//! Positions of one game resemble each other, so a file of many games may keep one in a number of each
//! ([`PositionFilter::every`]).

use super::records::Record;
use crate::random::Random;
use komainu::movegen::has_legal_move;
use komainu::position::Position;
use komainu::types::{Move, Score};
use std::collections::HashSet;
use thiserror::Error;

/// Why a position is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SkipReason {
    /// The score is that of a mate, or larger than wanted.
    #[error("score too large")]
    Score,
    /// The best move is a capture or a promotion, and so is the one after that.
    #[error("captures in a row")]
    Tactical,
    /// The side to move is in check.
    #[error("in check")]
    Check,
    /// The side to move has no legal move.
    #[error("no legal move")]
    Over,
    /// A position between those that are wanted of a game.
    #[error("between")]
    Thinned,
    /// A position that was seen before.
    #[error("duplicates")]
    Duplicate,
}

impl SkipReason {
    /// All reasons, in the order in which they are looked for.
    pub const ALL: [SkipReason; 6] = [
        SkipReason::Score,
        SkipReason::Tactical,
        SkipReason::Check,
        SkipReason::Over,
        SkipReason::Thinned,
        SkipReason::Duplicate,
    ];
}

/// Leaves out what a trainer should not see, and counts it.
#[derive(Debug)]
pub struct PositionFilter {
    max_score: u16,
    /// One quiet position of a game in this many is kept, and the seed of the first.
    every: (usize, u64),
    /// Quiet positions of this game that are left out before the next one.
    left: usize,
    /// The keys of the positions that were kept: 8 bytes of a position, 16 in the table.
    seen: HashSet<u64>,
    /// Records that were kept.
    pub kept: u64,
    /// Kept records that are the position after the one that was given.
    pub advanced: u64,
    dropped: [u64; SkipReason::ALL.len()],
}

impl PositionFilter {
    /// A filter for scores up to this many centipawns; mates are never kept.
    pub fn new(max_score: u16) -> PositionFilter {
        let max_score = max_score.min(Score::MAX_NON_MATE.0 as u16);
        PositionFilter {
            max_score,
            every: (1, 0),
            left: 0,
            seen: HashSet::new(),
            kept: 0,
            advanced: 0,
            dropped: [0; SkipReason::ALL.len()],
        }
    }

    /// Keeps one quiet position in `every` of a game only; which is the first is drawn by the seed.
    #[must_use]
    pub fn every(mut self, every: usize, seed: u64) -> PositionFilter {
        self.every = (every.max(1), seed);
        self
    }

    /// Begins a game of this number.
    pub fn begin_game(&mut self, number: u64) {
        self.left = Random::new(self.every.1, number).below(self.every.0);
    }

    /// The record to train on in place of this one, with its position and the move after its best one if that is known.
    pub fn pass(&mut self, record: Record, pos: &Position, next: Option<Move>) -> Result<Record, SkipReason> {
        let result = self.filter(record, pos, next);
        match result {
            Ok(_) => self.kept += 1,
            Err(reason) => self.dropped[reason as usize] += 1,
        }
        result
    }

    fn filter(&mut self, record: Record, pos: &Position, next: Option<Move>) -> Result<Record, SkipReason> {
        if record.score.unsigned_abs() > self.max_score {
            return Err(SkipReason::Score);
        }
        let Some(best) = record.best else { return self.filter_quiet(record, pos) };
        if !is_tactical(pos, best) {
            return self.filter_quiet(record, pos);
        }
        let after = pos.after(best);
        if next.is_some_and(|next| is_tactical(&after, next)) {
            return Err(SkipReason::Tactical);
        }
        let record = self.filter_quiet(after_best(&record, &after, next), &after)?;
        self.advanced += 1;
        Ok(record)
    }

    fn filter_quiet(&mut self, record: Record, pos: &Position) -> Result<Record, SkipReason> {
        if pos.in_check() {
            return Err(SkipReason::Check);
        }
        if !has_legal_move(pos) {
            return Err(SkipReason::Over);
        }
        if self.left > 0 {
            self.left -= 1;
            return Err(SkipReason::Thinned);
        }
        self.left = self.every.0 - 1;
        if !self.seen.insert(pos.key().0) {
            return Err(SkipReason::Duplicate);
        }
        Ok(record)
    }

    /// Number of records that were left out for a reason.
    pub fn dropped(&self, reason: SkipReason) -> u64 {
        self.dropped[reason as usize]
    }
}

/// Tests whether a move captures or promotes.
fn is_tactical(pos: &Position, mv: Move) -> bool {
    mv.is_promotion() || pos.piece_on(mv.to()).is_some()
}

/// The record of the position after the best move: score and result are the other side's.
fn after_best(record: &Record, after: &Position, next: Option<Move>) -> Record {
    Record {
        position: after.pack().expect("a record has both kings"),
        score: -record.score,
        best: next,
        ply: record.ply.saturating_add(1),
        result: -record.result,
    }
}

#[cfg(test)]
mod tests;
