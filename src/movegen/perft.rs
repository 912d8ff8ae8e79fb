//! Perft: the number of legal move sequences of a length, the measure of a generator's truth and speed.

use super::{All, count, generate};
use crate::position::Position;
use crate::types::{Key, Move, StopToken, opaque_debug};
#[cfg(feature = "search")]
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

/// The deepest perft, in plies: the recursion needs less than 2 KB of stack a ply, in a build with optimisation.
pub const MAX_PERFT_DEPTH: u32 = 100;

/// Why there is no count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PerftError {
    /// This depth is above [`MAX_PERFT_DEPTH`].
    #[error("a perft of {0} plies is too deep, the limit is {MAX_PERFT_DEPTH}")]
    TooDeep(u32),
    /// The stop token was set.
    #[error("the perft was stopped")]
    Stopped,
}

/// The number of legal move sequences of `depth` plies: 0 to [`MAX_PERFT_DEPTH`]. The last ply is counted without
/// building moves. A number above `u64::MAX` is told as that.
///
/// ```
/// use komainu::movegen::{PerftError, perft};
/// use komainu::position::Position;
///
/// let mut position = Position::startpos();
/// for (depth, nodes) in [(0, 1), (1, 30), (2, 900), (3, 25_470)] {
///     assert_eq!(perft(&mut position, depth), Ok(nodes));
/// }
/// assert_eq!(perft(&mut position, 5_000_000), Err(PerftError::TooDeep(5_000_000)));
/// ```
pub fn perft(pos: &mut Position, depth: u32) -> Result<u64, PerftError> {
    check_depth(depth)?;
    Ok(nodes(pos, depth))
}

fn check_depth(depth: u32) -> Result<(), PerftError> {
    if depth > MAX_PERFT_DEPTH { Err(PerftError::TooDeep(depth)) } else { Ok(()) }
}

/// The perft of a depth that has been checked.
fn nodes(pos: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count(pos) as u64,
        _ => {
            let mut sum = 0_u64;
            for &mv in generate::<All>(pos).iter() {
                pos.do_move(mv);
                sum = sum.saturating_add(nodes(pos, depth - 1));
                pos.undo();
            }
            sum
        }
    }
}

/// A table of counts that were already found, shared by all threads without a lock.
///
/// An entry is two words, the count and the key xor the count: a half-written entry does not match its key and is a
/// miss. Positions are told apart by a 64-bit key, so a wrong count is possible in theory (one in about 2^40 runs).
#[derive(Debug)]
pub struct PerftTable {
    entries: Vec<[AtomicU64; 2]>,
}

impl PerftTable {
    /// A table of this many megabytes, unless the system does not give that much.
    pub fn new(megabytes: usize) -> Option<PerftTable> {
        let count = megabytes.checked_mul(1 << 20)? / size_of::<[AtomicU64; 2]>();
        let mut entries: Vec<[AtomicU64; 2]> = Vec::new();
        entries.try_reserve_exact(count.max(1)).ok()?;
        #[cfg(feature = "search")]
        entries.par_extend((0..count.max(1)).into_par_iter().map(|_| Default::default()));
        #[cfg(not(feature = "search"))]
        entries.resize_with(count.max(1), Default::default);
        Some(PerftTable { entries })
    }

    fn entry(&self, key: Key, depth: u32) -> (&[AtomicU64; 2], u64) {
        // The depth is part of the key: an odd multiple spreads it over all bits.
        let key = key.0 ^ u64::from(depth).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let index = (u128::from(key) * self.entries.len() as u128) >> 64;
        (&self.entries[index as usize], key)
    }

    fn get(&self, key: Key, depth: u32) -> Option<u64> {
        let (entry, key) = self.entry(key, depth);
        let nodes = entry[0].load(Ordering::Relaxed);
        let is_found = entry[1].load(Ordering::Relaxed) ^ nodes == key && nodes != 0;
        if is_found { Some(nodes) } else { None }
    }

    fn put(&self, key: Key, depth: u32, nodes: u64) {
        let (entry, key) = self.entry(key, depth);
        entry[0].store(nodes, Ordering::Relaxed);
        entry[1].store(key ^ nodes, Ordering::Relaxed);
    }
}

/// A perft with a table, a stop token, or both.
struct Counter<'a> {
    table: Option<&'a PerftTable>,
    stop: Option<&'a StopToken>,
}

/// Depth from which on a count looks at the stop token: some 30,000 positions, a millisecond.
const STOP_DEPTH: u32 = 3;

impl Counter<'_> {
    /// The perft of a depth that has been checked; any number once it was told to stop.
    fn nodes(&self, pos: &mut Position, depth: u32) -> u64 {
        let uses_table = self.table.is_some() && depth >= 2;
        let may_stop = self.stop.is_some() && depth >= STOP_DEPTH;
        if !uses_table && !may_stop {
            return nodes(pos, depth);
        }
        if self.is_stopped() {
            return 0;
        }
        if let Some(table) = self.table
            && let Some(nodes) = table.get(pos.key(), depth)
        {
            return nodes;
        }
        let mut sum = 0_u64;
        for &mv in generate::<All>(pos).iter() {
            pos.do_move(mv);
            sum = sum.saturating_add(self.nodes(pos, depth - 1));
            pos.undo();
        }
        if let Some(table) = self.table
            && !self.is_stopped()
        {
            table.put(pos.key(), depth, sum);
        }
        sum
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_some_and(StopToken::is_stopped)
    }
}

/// Settings of a perft that is run in parts.
#[derive(Clone, Copy, Default)]
pub struct Divide<'a> {
    /// Counts found before.
    pub table: Option<&'a PerftTable>,
    /// Called after each finished part with the number of finished parts and of all parts; from any thread. If it
    /// panics, so does [`divide`].
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
    /// Ends the count at once.
    pub stop: Option<&'a StopToken>,
}

opaque_debug!(Divide<'_>, "Divide");

/// One part of the work: the moves that lead there from the root.
struct Part {
    root_move: usize,
    line: Vec<Move>,
}

/// Parts to aim for: enough that threads finish together and that progress is smooth.
const PARTS: usize = 1_000;

/// The number of sequences of `depth` plies behind each legal move; none for a depth of 0. With the feature `search` it
/// is counted by all threads of the current rayon pool, else by the calling thread.
///
/// ```
/// use komainu::movegen::{Divide, PerftTable, divide};
/// use komainu::position::Position;
///
/// let table = PerftTable::new(1).expect("a megabyte");
/// let how = Divide { table: Some(&table), ..Divide::default() };
/// let counts = divide(&Position::startpos(), 4, &how)?;
/// assert_eq!(counts.len(), 30);
/// assert_eq!(counts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 719_731);
/// assert!(divide(&Position::startpos(), 0, &how)?.is_empty());
/// # Ok::<(), komainu::movegen::PerftError>(())
/// ```
pub fn divide(pos: &Position, depth: u32, how: &Divide) -> Result<Vec<(Move, u64)>, PerftError> {
    check_depth(depth)?;
    if depth == 0 {
        return Ok(Vec::new());
    }
    let root_moves = generate::<All>(pos);
    let mut pos = pos.clone();
    let mut parts = Vec::new();
    for (root_move, &mv) in root_moves.iter().enumerate() {
        parts.push(Part { root_move, line: vec![mv] });
    }
    // A part keeps at least three plies, else splitting costs more than it spreads.
    let mut plies = 1;
    while parts.len() < PARTS && plies + 3 < depth {
        parts = parts.iter().flat_map(|part| split(&mut pos, part)).collect();
        plies += 1;
    }
    let done = AtomicU64::new(0);
    let total = parts.len();
    let counter = Counter { table: how.table, stop: how.stop };
    let counts = in_parallel(&parts, &pos, |pos, part| {
        for &mv in &part.line {
            pos.do_move(mv);
        }
        let nodes = counter.nodes(pos, depth - plies);
        for _ in &part.line {
            pos.undo();
        }
        if let Some(progress) = how.progress {
            progress(done.fetch_add(1, Ordering::Relaxed) as usize + 1, total);
        }
        nodes
    });
    if counter.is_stopped() {
        return Err(PerftError::Stopped);
    }
    let mut sums: Vec<(Move, u64)> = root_moves.iter().map(|&mv| (mv, 0)).collect();
    for (part, nodes) in parts.iter().zip(counts) {
        let sum = &mut sums[part.root_move].1;
        *sum = sum.saturating_add(nodes);
    }
    Ok(sums)
}

/// The counts of all parts, each made with a position of its own.
#[cfg(feature = "search")]
fn in_parallel(parts: &[Part], pos: &Position, count: impl Fn(&mut Position, &Part) -> u64 + Sync + Send) -> Vec<u64> {
    parts.par_iter().map_init(|| pos.clone(), count).collect()
}

/// The counts of all parts, one after the other.
#[cfg(not(feature = "search"))]
fn in_parallel(parts: &[Part], pos: &Position, count: impl Fn(&mut Position, &Part) -> u64) -> Vec<u64> {
    let mut pos = pos.clone();
    parts.iter().map(|part| count(&mut pos, part)).collect()
}

/// The part divided by the next move.
fn split(pos: &mut Position, part: &Part) -> Vec<Part> {
    for &mv in &part.line {
        pos.do_move(mv);
    }
    let moves = generate::<All>(pos);
    for _ in &part.line {
        pos.undo();
    }
    let mut parts = Vec::new();
    for mv in &moves {
        let mut line = part.line.clone();
        line.push(mv);
        parts.push(Part { root_move: part.root_move, line });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::lock;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::thread;
    use std::time::Duration;

    #[test]
    fn parts_and_table_give_the_same_count() {
        let mut pos = Position::startpos();
        let table = PerftTable::new(4).expect("four megabytes are free");
        let stop = StopToken::new();
        for depth in 1..=4 {
            let expected = perft(&mut pos, depth).unwrap();
            let sum = |how: &Divide| divide(&pos, depth, how).unwrap().iter().map(|part| part.1).sum::<u64>();
            assert_eq!(sum(&Divide::default()), expected);
            assert_eq!(sum(&Divide { stop: Some(&stop), ..Divide::default() }), expected);
            for _ in 0..2 {
                assert_eq!(sum(&Divide { table: Some(&table), ..Divide::default() }), expected);
            }
        }
    }

    #[test]
    fn progress_counts_the_parts_from_one_to_all() {
        let told = Mutex::new(Vec::new());
        let how = Divide { progress: Some(&|done, total| lock(&told).push((done, total))), ..Divide::default() };
        divide(&Position::startpos(), 3, &how).unwrap();
        let mut told = told.into_inner().unwrap();
        told.sort();
        let total = told.len();
        assert!(total >= 30);
        assert_eq!(told, (1..=total).map(|done| (done, total)).collect::<Vec<_>>());
    }

    #[test]
    fn a_table_that_does_not_fit_is_refused() {
        assert!(PerftTable::new(usize::MAX).is_none());
        assert!(PerftTable::new(usize::MAX >> 21).is_none());
    }

    #[test]
    fn a_full_table_only_forgets() {
        let mut pos = Position::startpos();
        let tiny = PerftTable { entries: vec![Default::default()] };
        assert_eq!(Counter { table: Some(&tiny), stop: None }.nodes(&mut pos, 4), 719_731);
    }

    #[test]
    fn a_depth_of_nothing_has_no_moves_and_one_beyond_the_limit_is_refused() {
        let mut pos = Position::startpos();
        let how = Divide::default();
        assert_eq!(divide(&pos, 0, &how), Ok(Vec::new()));
        for depth in [MAX_PERFT_DEPTH + 1, 5_000_000, u32::MAX] {
            assert_eq!(perft(&mut pos, depth), Err(PerftError::TooDeep(depth)));
            assert_eq!(divide(&pos, depth, &how), Err(PerftError::TooDeep(depth)));
        }
    }

    #[test]
    fn a_number_beyond_the_largest_is_told_as_the_largest() {
        // Two kings that walk: some 40 sequences every two plies. The table makes the count a matter of positions.
        let pos = Position::from_sfen("k8/9/9/9/9/9/9/9/8K b - 1").unwrap();
        let table = PerftTable::new(16).expect("16 megabytes are free");
        let how = Divide { table: Some(&table), ..Divide::default() };
        let counts = divide(&pos, 30, &how).unwrap();
        assert_eq!(counts.iter().map(|part| part.1).collect::<Vec<_>>(), [u64::MAX; 3]);
    }

    #[test]
    fn the_deepest_count_fits_the_stack_and_ends_when_it_is_told_to() {
        let stop = StopToken::new();
        let how = Divide { stop: Some(&stop), ..Divide::default() };
        let counts = thread::scope(|scope| {
            let perft = scope.spawn(|| divide(&Position::startpos(), MAX_PERFT_DEPTH, &how));
            thread::sleep(Duration::from_millis(20));
            stop.stop();
            perft.join().unwrap()
        });
        assert_eq!(counts, Err(PerftError::Stopped));
    }

    #[test]
    fn a_stopped_count_is_no_count_and_leaves_nothing_wrong_in_the_table() {
        let pos = Position::startpos();
        let table = PerftTable::new(4).expect("four megabytes are free");
        let stop = StopToken::new();
        let how = Divide { table: Some(&table), stop: Some(&stop), progress: Some(&|_, _| stop.stop()) };
        assert_eq!(divide(&pos, 5, &how), Err(PerftError::Stopped));
        stop.reset();
        let counts = divide(&pos, 5, &Divide { progress: None, ..how }).unwrap();
        assert_eq!(counts.iter().map(|part| part.1).sum::<u64>(), 19_861_490);
    }

    #[test]
    fn a_panic_of_the_callback_reaches_the_caller() {
        let how = Divide { progress: Some(&|_, _| panic!("from the callback")), ..Divide::default() };
        let caught = catch_unwind(AssertUnwindSafe(|| divide(&Position::startpos(), 2, &how))).unwrap_err();
        assert_eq!(caught.downcast_ref(), Some(&"from the callback"));
    }
}
