//! The path from the root to the current position, and the path-dependent table of failures by repetition.
//!
//! A move into a position of the path fails for the attacker: the check is perpetual. What follows from such a failure
//! is true only below that position (the graph-history interaction problem), so it is never stored as a fact about the
//! position; it is remembered together with the path (after Kishimoto and Müller 2004).

use super::node::Length;
use super::table::is_free;
use crate::random::{GOLDEN, mix};
use crate::types::{Hand, Key, Move};

const BUCKETS: usize = 1 << 12;
const NONE: u16 = u16::MAX;

struct PathEntry {
    key: Key,
    hand: Hand,
    /// The previous position of the path in the same bucket.
    next: u16,
}

/// The positions of the path, found by key.
pub(crate) struct Path {
    entries: Vec<PathEntry>,
    heads: Vec<u16>,
}

fn bucket(key: Key) -> usize {
    key.0 as usize % BUCKETS
}

impl Path {
    pub(crate) fn new() -> Path {
        Path { entries: Vec::new(), heads: vec![NONE; BUCKETS] }
    }

    pub(crate) fn push(&mut self, key: Key, hand: Hand) {
        let head = &mut self.heads[bucket(key)];
        self.entries.push(PathEntry { key, hand, next: *head });
        *head = (self.entries.len() - 1) as u16;
    }

    pub(crate) fn pop(&mut self) {
        if let Some(entry) = self.entries.pop() {
            self.heads[bucket(entry.key)] = entry.next;
        }
    }

    /// The ply at which the same board stood with at least the same hand: whoever comes back with nothing gained could
    /// as well have gone on from there.
    #[inline]
    pub(crate) fn find(&self, key: Key, hand: Hand) -> Option<u16> {
        let mut at = self.heads[bucket(key)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.key == key && entry.hand.dominates(hand) {
                return Some(at);
            }
            at = entry.next;
        }
        None
    }
}

/// Marks that keep the numbers of steps and hands apart from those of pieces on squares, which are made like them:
/// equal numbers would cancel each other out.
const STEP: u64 = 1 << 48;
const HAND: u64 = 1 << 49;

/// Term that a move at a ply adds to the key of a path: a path is the sequence of its moves.
#[inline]
pub(crate) fn step(mv: Move, ply: usize) -> u64 {
    mix((STEP | (ply as u64) << 16 | mv.bits() as u64).wrapping_mul(GOLDEN))
}

/// The key of a position at the end of a path.
#[inline]
pub(crate) fn at_end_of(path: u64, key: Key, hand: Hand) -> u64 {
    path ^ key.0 ^ mix((HAND | hand.bits() as u64).wrapping_mul(GOLDEN))
}

/// Slots in which a key may lie.
const WAYS: usize = 4;

/// The path-dependent table: failures by repetition by the key of the path. The oldest entry of a bucket is replaced; a
/// lost entry costs time only.
pub(crate) struct PathTable {
    /// Key, and in one word: 0-15 the ply of the position that is repeated, 16-31 length, 32-63 when it was stored.
    slots: Vec<[u64; 2]>,
    /// The number of slots, of which there are none before the first use.
    size: usize,
    clock: u32,
    /// During a trial: the slots that were written and what they held before.
    overwritten: Option<Vec<(usize, [u64; 2])>>,
}

impl PathTable {
    /// A table of at most this many bytes, unless the system does not give them.
    pub(crate) fn new(bytes: usize) -> Option<PathTable> {
        let size = (bytes / size_of::<[u64; 2]>()).max(16 * WAYS);
        if !is_free::<[u64; 2]>(size) {
            return None;
        }
        Some(PathTable { slots: Vec::new(), size, clock: 0, overwritten: None })
    }

    /// Takes the memory, if that has not been done.
    pub(crate) fn reserve(&mut self) {
        if self.slots.is_empty() && is_free::<[u64; 2]>(self.size) {
            self.slots = vec![[0; 2]; self.size];
        }
    }

    fn home(&self, key: u64) -> usize {
        ((key as u128 * (self.size - WAYS) as u128) >> 64) as usize
    }

    /// The ply of the repeated position, if this path is known to fail within the length.
    pub(crate) fn find(&self, path: u64, len: Length) -> Option<(u16, Length)> {
        let home = self.home(path);
        let slot = self.slots.get(home..home + WAYS)?.iter().find(|slot| slot[0] == path && slot[1] != 0)?;
        let start = slot[1] as u16;
        let stored = (slot[1] >> 16) as Length;
        if stored >= len { Some((start, stored)) } else { None }
    }

    /// Remembers that this path fails within the length because the position at ply `start` is repeated.
    pub(crate) fn store(&mut self, path: u64, start: u16, len: Length) {
        self.clock += 1;
        self.reserve();
        let home = self.home(path);
        let Some(ways) = self.slots.get_mut(home..home + WAYS) else { return };
        let at = match ways.iter().position(|slot| slot[0] == path) {
            Some(at) => at,
            None => (0..WAYS).min_by_key(|&i| ways[i][1] >> 32).unwrap_or(0),
        };
        let words = [path, start as u64 | (len as u64) << 16 | (self.clock as u64) << 32];
        let old = std::mem::replace(&mut ways[at], words);
        if let Some(overwritten) = &mut self.overwritten {
            overwritten.push((home + at, old));
        }
    }

    /// As [`MateTable::begin_trial`](super::table::MateTable::begin_trial).
    pub(crate) fn begin_trial(&mut self) {
        self.overwritten = Some(Vec::new());
    }

    /// As [`MateTable::end_trial`](super::table::MateTable::end_trial).
    pub(crate) fn end_trial(&mut self, keep: bool) {
        let overwritten = self.overwritten.take().unwrap_or_default();
        if !keep {
            for (at, old) in overwritten.into_iter().rev() {
                self.slots[at] = old;
            }
        }
    }
}
