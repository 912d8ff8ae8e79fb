//! The transposition table.
//!
//! A table of clusters of one cache line, four entries each, shared by all threads without locks: an entry is two
//! atomic words, the data and the key xor the data, so that an entry of which another thread has written one half does
//! not match and is a miss (Hyatt and Mann 2002).

use super::MAX_PLY;
use super::memory::{advise_large_pages, prefetch};
use crate::types::{Key, Move, Score};
use bitflags::bitflags;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

bitflags! {
    /// What a stored score says about the true one; both bits together mean equality.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct Bound: u8 {
        /// The true score is at most this.
        const UPPER = 1;
        /// The true score is at least this.
        const LOWER = 2;
        /// The true score is this.
        const EXACT = 3;
    }
}

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The best move, if one was found. Not verified: a rare collision of keys may bring one that is illegal here.
    pub(super) mv: Option<Move>,
    /// The score; mates are counted from this position.
    pub(super) score: Score,
    /// The static evaluation.
    pub(super) eval: Score,
    /// The depth that was searched.
    pub(super) depth: i32,
    /// What the score says.
    pub(super) bound: Bound,
    /// The position was on a principal variation.
    pub(super) was_pv: bool,
}

/// Bits of the data word: move 0-15, score 16-31, evaluation 32-47, depth 48-55, bound 56-57, on a
/// principal variation 58, generation 59-63.
#[derive(Default)]
struct Slot {
    data: AtomicU64,
    check: AtomicU64,
}

const GENERATION_SHIFT: u32 = 59;
const GENERATIONS: u64 = 32;

impl Slot {
    #[inline(always)]
    fn read(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (data, self.check.load(Ordering::Relaxed) ^ data)
    }

    #[inline(always)]
    fn write(&self, data: u64, key: u64) {
        self.data.store(data, Ordering::Relaxed);
        self.check.store(key ^ data, Ordering::Relaxed);
    }
}

const SLOTS: usize = 4;

#[derive(Default)]
#[repr(align(64))]
struct Cluster([Slot; SLOTS]);

const _: () = assert!(size_of::<Cluster>() == 64);

/// A transposition table.
pub(super) struct Table {
    clusters: Vec<Cluster>,
    generation: AtomicU8,
}

/// The machine's memory in megabytes; the largest number on a system of which nothing is known.
fn total_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let total = usize::try_from(system.total_memory() >> 20).unwrap_or(usize::MAX);
    if total == 0 { usize::MAX >> 20 } else { total }
}

/// Nine tenths of the memory that is free, in megabytes: to touch more would have the system kill the process.
pub fn free_megabytes() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let machine = system.available_memory();
    // Within a container what counts as used includes files that are only cached; what processes hold is its `rss`.
    let container = system.cgroup_limits().map(|limits| limits.total_memory.saturating_sub(limits.rss));
    let free = container.map_or(machine, |container| container.min(machine));
    if system.total_memory() == 0 {
        // A system of which nothing is known.
        return usize::MAX >> 20;
    }
    usize::try_from(free >> 20).unwrap_or(usize::MAX >> 20) * 9 / 10
}

/// The memory that was asked for cannot be had; this many megabytes could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The size of the table that was made.
    pub megabytes: usize,
}

impl Table {
    /// A table of this many megabytes, touched by all threads of the rayon pool.
    ///
    /// If that is more than the system has free, it is a quarter of what is free: whoever asks for the impossible does
    /// not expect the machine to stand still while its whole memory is filled. More than the machine has at all can only
    /// be a slip: then it is no more than 1 GB, which is soon made.
    pub(super) fn new(megabytes: usize) -> (Table, Option<Shrunk>) {
        Table::within(megabytes, free_megabytes(), total_megabytes())
    }

    fn within(asked: usize, free: usize, total: usize) -> (Table, Option<Shrunk>) {
        let fitting = if asked > free { free / 4 } else { asked };
        let mut megabytes = if asked > total { fitting.min(1_024) } else { fitting }.max(1);
        loop {
            let count = (megabytes << 20) / size_of::<Cluster>();
            let mut clusters: Vec<Cluster> = Vec::new();
            if clusters.try_reserve_exact(count).is_ok() {
                advise_large_pages(clusters.spare_capacity_mut());
                clusters.par_extend((0..count).into_par_iter().map(|_| Cluster::default()));
                let shrunk = (megabytes < asked).then_some(Shrunk { megabytes });
                return (Table { clusters, generation: AtomicU8::new(0) }, shrunk);
            }
            megabytes = (megabytes / 2).max(1);
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.clusters.par_iter().for_each(|cluster| cluster.0.iter().for_each(|slot| slot.write(0, 0)));
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Begins a new search: entries of earlier ones give way first.
    pub(super) fn age(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    #[inline(always)]
    fn cluster(&self, key: Key) -> &Cluster {
        let index = (u128::from(key.0) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Fetches what is known about a position ahead of its [`Table::probe`].
    #[inline(always)]
    pub(super) fn prefetch(&self, key: Key) {
        prefetch(self.cluster(key));
    }

    #[inline(always)]
    fn generation(&self) -> u64 {
        u64::from(self.generation.load(Ordering::Relaxed)) % GENERATIONS
    }

    /// What is known about the position, `ply` plies below the root of the search.
    #[inline]
    pub(super) fn probe(&self, key: Key, ply: usize) -> Option<Entry> {
        self.cluster(key).0.iter().find_map(|slot| {
            let (data, found) = slot.read();
            (found == key.0 && data != 0).then(|| unpack(data, ply))
        })
    }

    /// Stores what was found, in place of an older or shallower entry.
    pub(super) fn store(&self, key: Key, ply: usize, entry: Entry) {
        let generation = self.generation();
        let cluster = self.cluster(key);
        let mut victim = &cluster.0[0];
        let mut least = i64::MAX;
        let mut mv = entry.mv;
        for slot in &cluster.0 {
            let (data, found) = slot.read();
            if data == 0 || found == key.0 {
                if data != 0 {
                    let old = unpack(data, ply);
                    mv = mv.or(old.mv);
                    // A much deeper score of this search is worth more than a new bound.
                    let is_current = data >> GENERATION_SHIFT == generation;
                    if is_current && entry.bound != Bound::EXACT && old.depth > entry.depth + 3 {
                        return;
                    }
                }
                victim = slot;
                break;
            }
            let age = (GENERATIONS + generation - (data >> GENERATION_SHIFT)) % GENERATIONS;
            let worth = (data >> 48 & 0xFF) as i64 - 8 * age as i64;
            if worth < least {
                (least, victim) = (worth, slot);
            }
        }
        victim.write(pack(Entry { mv, ..entry }, ply, generation), key.0);
    }

    /// How full the table is with entries of this search, per mille, from a sample.
    pub(super) fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let sample = &self.clusters[..self.clusters.len().min(1000 / SLOTS)];
        let used = sample.iter().flat_map(|cluster| &cluster.0).filter(|slot| {
            let (data, _) = slot.read();
            data != 0 && data >> GENERATION_SHIFT == generation
        });
        (used.count() * 1000 / (sample.len() * SLOTS)) as u32
    }
}

/// Mates are stored as seen from the position, not from the root.
fn pack(entry: Entry, ply: usize, generation: u64) -> u64 {
    let score = match entry.score {
        score if !score.is_mate() => score.0,
        Score(score) if score > 0 => (score + ply as i32).min(Score::MATE.0),
        Score(score) => (score - ply as i32).max(-Score::MATE.0),
    };
    u64::from(entry.mv.map_or(0, Move::bits))
        | u64::from(score as i16 as u16) << 16
        | u64::from(entry.eval.0 as i16 as u16) << 32
        | (entry.depth.clamp(0, 255) as u64) << 48
        | u64::from(entry.bound.bits()) << 56
        | u64::from(entry.was_pv) << 58
        | generation << GENERATION_SHIFT
}

fn unpack(data: u64, ply: usize) -> Entry {
    let stored = Score(i32::from((data >> 16) as u16 as i16));
    let score = match stored {
        score if !score.is_mate() => score,
        Score(score) if score > 0 => Score(score - ply as i32),
        Score(score) => Score(score + ply as i32),
    };
    Entry {
        mv: Move::from_bits(data as u16),
        score,
        eval: Score(i32::from((data >> 32) as u16 as i16)),
        depth: (data >> 48 & 0xFF) as i32,
        bound: Bound::from_bits_truncate((data >> 56 & 3) as u8),
        was_pv: data >> 58 & 1 != 0,
    }
}

const _: () = assert!(Score::INFINITE.0 <= i16::MAX as i32 && MAX_PLY < 256);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    fn entry(depth: i32, score: Score) -> Entry {
        let mv = Some(Move::board(Square::S7G, Square::S7F));
        Entry { mv, score, eval: Score(-35), depth, bound: Bound::EXACT, was_pv: depth == 9 }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let (table, shrunk) = Table::new(1);
        assert_eq!(shrunk, None);
        for (ply, score) in [(0, Score(0)), (5, Score(-30_000)), (7, Score::mate_in(9)), (3, Score::mated_in(12))] {
            let key = Key(0x1234_5678_9ABC_DEF0 ^ ply as u64);
            table.store(key, ply, entry(9, score));
            assert_eq!(table.probe(key, ply), Some(entry(9, score)));
        }
        assert_eq!(table.probe(Key(1), 0), None);
        table.clear();
        assert_eq!(table.probe(Key(0x1234_5678_9ABC_DEF0), 0), None);
    }

    #[test]
    fn a_mate_is_counted_from_the_position_that_holds_it() {
        let (table, _) = Table::new(1);
        table.store(Key(77), 4, entry(9, Score::mate_in(7)));
        assert_eq!(table.probe(Key(77), 10).unwrap().score, Score::mate_in(13));
    }

    #[test]
    fn an_entry_with_one_half_of_another_is_a_miss() {
        let (table, _) = Table::new(1);
        table.store(Key(99), 0, entry(5, Score(10)));
        let slot = table.cluster(Key(99)).0.iter().find(|slot| slot.read().1 == 99).unwrap();
        slot.data.fetch_xor(1 << 20, Ordering::Relaxed);
        assert_eq!(table.probe(Key(99), 0), None);
    }

    #[test]
    fn a_table_that_does_not_fit_is_made_smaller() {
        let (table, shrunk) = Table::within(12, 8, 16);
        assert_eq!(shrunk, Some(Shrunk { megabytes: 2 }));
        assert_eq!(Table::within(1 << 40, 40_000, 80_000).1, Some(Shrunk { megabytes: 1_024 }));
        assert!(table.probe(Key(5), 0).is_none());
    }
}
