//! The hash table of one search of a level; it is thrown away with the search.

use crate::search::Bound;
use crate::types::{Key, Move, Score};

/// The most slots of a table, of 24 bytes each.
const MAX_SLOTS: usize = 1 << 18;

/// Knowledge about a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) mv: Option<Move>,
    score: Score,
    depth: i32,
    bound: Bound,
}

impl Known {
    /// The score, if it decides a search of this depth that asks for beta.
    pub(super) fn answers(&self, depth: i32, beta: Score) -> Option<Score> {
        let decides = match self.bound {
            Bound::EXACT => true,
            Bound::LOWER => self.score >= beta,
            Bound::UPPER => self.score < beta,
            _ => false,
        };
        // A mate may be seen from one place and be too long from another.
        (decides && self.depth >= depth && !self.score.is_decisive()).then_some(self.score)
    }
}

/// The table: one position a slot, the latest stays.
pub(super) struct HashTable(Vec<Option<(Key, Known)>>);

impl HashTable {
    /// A table for a search of `nodes` nodes.
    pub(super) fn new(nodes: u64) -> HashTable {
        let slots = usize::try_from(2 * nodes).unwrap_or(MAX_SLOTS).min(MAX_SLOTS).next_power_of_two();
        HashTable(vec![None; slots])
    }

    fn slot(&self, key: Key) -> usize {
        key.0 as usize & (self.0.len() - 1)
    }

    pub(super) fn probe(&self, key: Key) -> Option<Known> {
        self.0[self.slot(key)].filter(|(stored, _)| *stored == key).map(|(_, known)| known)
    }

    pub(super) fn store(&mut self, key: Key, mv: Option<Move>, score: Score, depth: i32, bound: Bound) {
        let slot = self.slot(key);
        let mv = mv.or_else(|| self.probe(key).and_then(|known| known.mv));
        self.0[slot] = Some((key, Known { mv, score, depth, bound }));
    }
}
