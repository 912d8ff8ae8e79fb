//! The transposition table.
//!
//! A table of clusters of one cache line, four entries each, shared by all threads without locks: an entry is two
//! atomic words, the data and the key xor the data, so that an entry of which another thread has written one half does
//! not match and is a miss (Hyatt and Mann 2002).

use super::report::Bound;
use super::stack::MAX_PLY;
use crate::host::with_thread_pool;
use crate::system::{advise_large_pages, free_megabytes, prefetch, total_megabytes};
use crate::types::{Key, Move, Score};
use rayon::prelude::*;
use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Entry of the transposition table for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The best move, if one was found. Not verified: a rare collision of keys may bring one that is illegal here.
    pub(crate) mv: Option<Move>,
    /// The score, if the position was searched; what is decisive is counted from this position.
    pub(crate) score: Option<Score>,
    /// The static evaluation without corrections, if it was asked for: not in check.
    pub(crate) eval: Option<Score>,
    /// The depth that was searched, [`DEPTH_UNSEARCHED`] or more.
    pub(crate) depth: i32,
    /// Relation of the score to the true one; empty without a score.
    pub(crate) bound: Bound,
    /// The position is or was on a principal variation.
    pub(crate) tt_pv: bool,
}

/// Depth of an entry that holds nothing but an evaluation.
pub(crate) const DEPTH_UNSEARCHED: i32 = -2;
/// Depth of what is not in the table: below all others.
pub(crate) const DEPTH_NONE: i32 = -3;

impl Entry {
    /// The evaluation of a position that was not searched yet.
    pub(crate) fn unsearched(eval: Score, tt_pv: bool) -> Entry {
        Entry { mv: None, score: None, eval: Some(eval), depth: DEPTH_UNSEARCHED, bound: Bound::empty(), tt_pv }
    }

    /// The score if it answers the question whether the true one is at least beta.
    pub(crate) fn answers(&self, beta: Score) -> Option<Score> {
        let score = self.score?;
        let wanted = if score >= beta { Bound::LOWER } else { Bound::UPPER };
        if self.bound.contains(wanted) { Some(score) } else { None }
    }

    /// The score if it is known to be nearer to the truth than the evaluation.
    pub(crate) fn improves(&self, eval: Score) -> Option<Score> {
        let score = self.score?;
        let wanted = if score > eval { Bound::LOWER } else { Bound::UPPER };
        if self.bound.contains(wanted) { Some(score) } else { None }
    }
}

/// Bits of the data word: move 0-15, score 16-31, evaluation 32-47, depth less [`DEPTH_NONE`] 48-55, bound 56-57, on a
/// principal variation 58, generation 59-63.
#[derive(Default)]
struct Slot {
    data: AtomicU64,
    check: AtomicU64,
}

const GENERATION_SHIFT: u32 = 59;
const GENERATIONS: u64 = 32;

impl Slot {
    fn read(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (data, self.check.load(Ordering::Relaxed) ^ data)
    }

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
pub(crate) struct Table {
    clusters: Vec<Cluster>,
    generation: AtomicU8,
}

/// The memory that was asked for cannot be had; this many megabytes could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shrunk {
    /// The size of the table that was made.
    pub megabytes: usize,
}

/// As in `there is memory for a table of 512 MB only`.
impl fmt::Display for Shrunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is memory for a table of {} MB only", self.megabytes)
    }
}

impl Table {
    /// A table of this many megabytes, touched by all cores.
    ///
    /// If that is more than the system has free, it is a quarter of what is free: whoever asks for the impossible does
    /// not expect the machine to stand still while its whole memory is filled. More than the machine has at all can
    /// only be a slip: then it is no more than 1 GB, which is soon made.
    pub(crate) fn new(megabytes: usize) -> (Table, Option<Shrunk>) {
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
                with_thread_pool(megabytes << 20, || {
                    clusters.par_extend((0..count).into_par_iter().map(|_| Cluster::default()));
                });
                let shrunk = if megabytes < asked { Some(Shrunk { megabytes }) } else { None };
                return (Table { clusters, generation: AtomicU8::new(0) }, shrunk);
            }
            megabytes = (megabytes / 2).max(1);
        }
    }

    /// Memory of the table.
    pub(crate) fn bytes(&self) -> usize {
        self.clusters.len() * size_of::<Cluster>()
    }

    /// Forgets everything, within a pool of rayon.
    pub(crate) fn clear(&self) {
        self.clusters.par_iter().for_each(|cluster| {
            for slot in &cluster.0 {
                slot.write(0, 0);
            }
        });
        self.generation.store(0, Ordering::Relaxed);
    }

    /// Begins a new search: entries of earlier ones give way first.
    pub(crate) fn age(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    fn cluster(&self, key: Key) -> &Cluster {
        let index = (u128::from(key.0) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Fetches what is known about a position ahead of its [`Table::probe`].
    pub(crate) fn prefetch(&self, key: Key) {
        prefetch(self.cluster(key));
    }

    fn generation(&self) -> u64 {
        u64::from(self.generation.load(Ordering::Relaxed)) % GENERATIONS
    }

    /// Entry of the position, `ply` plies below the root of the search.
    #[inline]
    pub(crate) fn probe(&self, key: Key, ply: usize) -> Option<Entry> {
        for slot in &self.cluster(key).0 {
            let (data, found) = slot.read();
            if found == key.0 && data != 0 {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// Stores what was found, in place of an older or shallower entry.
    ///
    /// An entry of the same position keeps its move if none comes, always takes a new one, and gives way as a whole to
    /// an exact score and to every search that is not much shallower (Stockfish).
    pub(crate) fn store(&self, key: Key, ply: usize, entry: Entry) {
        let generation = self.generation();
        let cluster = self.cluster(key);
        let mut victim = &cluster.0[0];
        let mut least = i64::MAX;
        let mut entry = entry;
        for slot in &cluster.0 {
            let (data, found) = slot.read();
            if data == 0 {
                victim = slot;
                break;
            }
            if found == key.0 {
                let old = unpack(data, ply);
                entry.mv = entry.mv.or(old.mv);
                let is_current = data >> GENERATION_SHIFT == generation;
                let weight = entry.depth + 2 * i32::from(entry.tt_pv);
                if is_current && entry.bound != Bound::EXACT && weight <= old.depth - 4 {
                    entry = Entry { mv: entry.mv, ..old };
                }
                victim = slot;
                break;
            }
            let age = (GENERATIONS + generation - (data >> GENERATION_SHIFT)) % GENERATIONS;
            let worth = (data >> 48 & 0xFF) as i64 - 8 * age as i64;
            if worth < least {
                least = worth;
                victim = slot;
            }
        }
        victim.write(pack(entry, ply, generation), key.0);
    }

    /// Part of the table that is filled with entries of this search, per mille, from a sample.
    pub(crate) fn hashfull(&self) -> u32 {
        let generation = self.generation();
        let sample = &self.clusters[..self.clusters.len().min(1000 / SLOTS)];
        let used = sample.iter().flat_map(|cluster| &cluster.0).filter(|slot| {
            let (data, _) = slot.read();
            data != 0 && data >> GENERATION_SHIFT == generation
        });
        (used.count() * 1000 / (sample.len() * SLOTS)) as u32
    }
}

/// Number that stands in 16 bits for no score and no evaluation.
const NONE: i16 = i16::MIN;

/// Decisive scores are stored as seen from the position, not from the root.
fn pack(entry: Entry, ply: usize, generation: u64) -> u64 {
    let score = entry.score.map_or(NONE, |score| match score {
        score if !score.is_decisive() => score.0 as i16,
        Score(score) if score > 0 => (score + ply as i32).min(Score::MATE.0) as i16,
        Score(score) => (score - ply as i32).max(-Score::MATE.0) as i16,
    });
    debug_assert!(ply <= MAX_PLY, "ply {ply} lies too deep");
    let eval = entry.eval.map_or(NONE, |eval| eval.0 as i16);
    u64::from(entry.mv.map_or(0, Move::bits))
        | u64::from(score as u16) << 16
        | u64::from(eval as u16) << 32
        | ((entry.depth.min(MAX_PLY as i32) - DEPTH_NONE) as u64) << 48
        | u64::from(entry.bound.bits()) << 56
        | u64::from(entry.tt_pv) << 58
        | generation << GENERATION_SHIFT
}

fn unpack(data: u64, ply: usize) -> Entry {
    let score = unpack_score(data, 16).map(|score| match score {
        score if !score.is_decisive() => score,
        Score(score) if score > 0 => Score(score - ply as i32),
        Score(score) => Score(score + ply as i32),
    });
    Entry {
        mv: Move::from_bits(data as u16),
        score,
        eval: unpack_score(data, 32),
        depth: (data >> 48 & 0xFF) as i32 + DEPTH_NONE,
        bound: Bound::from_bits_truncate((data >> 56 & 3) as u8),
        tt_pv: data >> 58 & 1 != 0,
    }
}

/// The score or evaluation in the 16 bits from `shift` on.
fn unpack_score(data: u64, shift: u32) -> Option<Score> {
    let value = (data >> shift) as u16 as i16;
    if value == NONE { None } else { Some(Score(i32::from(value))) }
}

const _: () = assert!(Score::INFINITE.0 <= i16::MAX as i32 && MAX_PLY as i32 - DEPTH_NONE < 256);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    fn entry(depth: i32, score: Score) -> Entry {
        let mv = Some(Move::board(Square::S7G, Square::S7F));
        Entry { mv, score: Some(score), eval: Some(Score(-35)), depth, bound: Bound::EXACT, tt_pv: depth == 9 }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let (table, shrunk) = Table::new(1);
        assert_eq!(shrunk, None);
        let scores = [(0, Score(0)), (5, Score(-13_000)), (7, Score::mate_in(9)), (3, Score::mated_in(12))];
        for (ply, score) in scores {
            let key = Key(0x1234_5678_9ABC_DEF0 ^ ply as u64);
            table.store(key, ply, entry(9, score));
            assert_eq!(table.probe(key, ply), Some(entry(9, score)));
        }
        for depth in [DEPTH_UNSEARCHED, 0, MAX_PLY as i32] {
            let key = Key(0xABCD_0000 ^ depth as u64);
            table.store(key, 0, Entry { mv: None, ..entry(depth, Score(7)) });
            assert_eq!(table.probe(key, 0).map(|entry| (entry.depth, entry.mv)), Some((depth, None)));
        }
        assert_eq!(table.probe(Key(1), 0), None);
        table.clear();
        assert_eq!(table.probe(Key(0x1234_5678_9ABC_DEF0), 0), None);
    }

    #[test]
    fn what_is_decisive_is_counted_from_the_position_that_holds_it() {
        let (table, _) = Table::new(1);
        let cases = [
            (Score::mate_in(7), Score::mate_in(13)),
            (Score::mated_in(8), Score::mated_in(14)),
            (Score::SUPERIOR - 7, Score::SUPERIOR - 13),
            (-(Score::REPETITION_WIN - 7), -(Score::REPETITION_WIN - 13)),
            (Score::MAX_EVAL, Score::MAX_EVAL),
        ];
        for (stored, found) in cases {
            table.store(Key(77), 4, entry(9, stored));
            assert_eq!(table.probe(Key(77), 10).unwrap().score, Some(found));
        }
    }

    #[test]
    fn an_evaluation_alone_is_kept_without_a_score() {
        let (table, _) = Table::new(1);
        table.store(Key(5), 3, Entry::unsearched(Score(-120), true));
        assert_eq!(table.probe(Key(5), 3), Some(Entry::unsearched(Score(-120), true)));
        table.store(Key(5), 3, Entry { bound: Bound::UPPER, ..entry(0, Score(4)) });
        assert_eq!(table.probe(Key(5), 3).unwrap().score, Some(Score(4)));
    }

    #[test]
    fn a_much_deeper_entry_of_this_search_takes_the_move_and_keeps_the_rest() {
        let (table, _) = Table::new(1);
        let other = Some(Move::board(Square::S2G, Square::S2F));
        let shallow = Entry { mv: other, bound: Bound::LOWER, ..entry(5, Score(90)) };
        table.store(Key(5), 0, entry(12, Score(4)));
        table.store(Key(5), 0, shallow);
        assert_eq!(table.probe(Key(5), 0), Some(Entry { mv: other, ..entry(12, Score(4)) }));
        // On a principal variation an entry counts for two plies more.
        table.store(Key(6), 0, entry(10, Score(4)));
        table.store(Key(6), 0, Entry { tt_pv: true, ..shallow });
        assert_eq!(table.probe(Key(6), 0).unwrap().score, Some(Score(90)));
        // An exact score and a later search replace everything.
        table.store(Key(5), 0, Entry { bound: Bound::EXACT, ..shallow });
        assert_eq!(table.probe(Key(5), 0).unwrap().depth, 5);
        table.store(Key(7), 0, entry(12, Score(4)));
        table.age();
        table.store(Key(7), 0, Entry { mv: None, ..shallow });
        assert_eq!(table.probe(Key(7), 0).map(|e| (e.depth, e.mv)), Some((5, entry(1, Score(0)).mv)));
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
