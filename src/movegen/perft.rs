//! Perft: the number of legal move sequences of a length, the measure of a generator's truth and speed.

use super::{All, count, generate};
use crate::position::Position;
use crate::types::{Key, Move};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of legal move sequences of `depth` plies. The last ply is counted without building moves.
///
/// ```
/// use komainu::movegen::perft;
/// use komainu::position::Position;
///
/// let mut position = Position::startpos();
/// assert_eq!((1..=3).map(|depth| perft(&mut position, depth)).collect::<Vec<_>>(), [30, 900, 25_470]);
/// ```
pub fn perft(pos: &mut Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count(pos) as u64,
        _ => {
            let mut nodes = 0;
            for &mv in generate::<All>(pos).iter() {
                pos.do_move(mv);
                nodes += perft(pos, depth - 1);
                pos.undo();
            }
            nodes
        }
    }
}

/// A table of counts that were already found, shared by all threads without a lock.
///
/// An entry is two words, the count and the key xor the count: a half-written entry does not match its key and is a
/// miss. Positions are told apart by a 64-bit key, so a wrong count is possible in theory (one in about 2^40 runs).
pub struct PerftTable {
    entries: Vec<[AtomicU64; 2]>,
}

impl PerftTable {
    /// A table of this many megabytes, unless the system does not give that much.
    pub fn new(megabytes: usize) -> Option<PerftTable> {
        let count = megabytes.checked_mul(1 << 20)? / size_of::<[AtomicU64; 2]>();
        let mut entries: Vec<[AtomicU64; 2]> = Vec::new();
        entries.try_reserve_exact(count.max(1)).ok()?;
        entries.par_extend((0..count.max(1)).into_par_iter().map(|_| Default::default()));
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
        (entry[1].load(Ordering::Relaxed) ^ nodes == key && nodes != 0).then_some(nodes)
    }

    fn put(&self, key: Key, depth: u32, nodes: u64) {
        let (entry, key) = self.entry(key, depth);
        entry[0].store(nodes, Ordering::Relaxed);
        entry[1].store(key ^ nodes, Ordering::Relaxed);
    }
}

/// [`perft`] with a table.
fn perft_hashed(pos: &mut Position, depth: u32, table: &PerftTable) -> u64 {
    if depth < 2 {
        return perft(pos, depth);
    }
    if let Some(nodes) = table.get(pos.key(), depth) {
        return nodes;
    }
    let mut nodes = 0;
    for &mv in generate::<All>(pos).iter() {
        pos.do_move(mv);
        nodes += perft_hashed(pos, depth - 1, table);
        pos.undo();
    }
    table.put(pos.key(), depth, nodes);
    nodes
}

/// How a perft is run in parts.
#[derive(Default)]
pub struct Divide<'a> {
    /// Counts found before.
    pub table: Option<&'a PerftTable>,
    /// Called after each finished part with the number of finished parts and of all parts; from any thread.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// One part of the work: the moves that lead there from the root.
struct Part {
    root_move: usize,
    line: Vec<Move>,
}

/// Parts to aim for: enough that threads finish together and that progress is smooth.
const PARTS: usize = 1_000;

/// The number of sequences of `depth` plies (1 or more) behind each legal move, counted by all threads of the current
/// rayon pool.
///
/// ```
/// use komainu::movegen::{Divide, PerftTable, divide};
/// use komainu::position::Position;
///
/// let table = PerftTable::new(1).expect("a megabyte");
/// let how = Divide { table: Some(&table), ..Divide::default() };
/// let counts = divide(&Position::startpos(), 4, &how);
/// assert_eq!(counts.len(), 30);
/// assert_eq!(counts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 719_731);
/// ```
pub fn divide(pos: &Position, depth: u32, how: &Divide) -> Vec<(Move, u64)> {
    let root_moves = generate::<All>(pos);
    let mut pos = pos.clone();
    let mut parts: Vec<Part> =
        root_moves.iter().enumerate().map(|(root_move, &mv)| Part { root_move, line: vec![mv] }).collect();
    // A part keeps at least three plies, else splitting costs more than it spreads.
    let mut plies = 1;
    while parts.len() < PARTS && plies + 3 < depth {
        parts = parts.iter().flat_map(|part| split(&mut pos, part)).collect();
        plies += 1;
    }
    let done = AtomicU64::new(0);
    let total = parts.len();
    let counts: Vec<u64> = parts
        .par_iter()
        .map_init(
            || pos.clone(),
            |pos, part| {
                part.line.iter().for_each(|&mv| pos.do_move(mv));
                let nodes = match how.table {
                    Some(table) => perft_hashed(pos, depth - plies, table),
                    None => perft(pos, depth - plies),
                };
                part.line.iter().for_each(|_| pos.undo());
                if let Some(progress) = how.progress {
                    progress(done.fetch_add(1, Ordering::Relaxed) as usize + 1, total);
                }
                nodes
            },
        )
        .collect();
    let mut sums: Vec<(Move, u64)> = root_moves.iter().map(|&mv| (mv, 0)).collect();
    for (part, nodes) in parts.iter().zip(counts) {
        sums[part.root_move].1 += nodes;
    }
    sums
}

/// The part divided by the next move.
fn split(pos: &mut Position, part: &Part) -> Vec<Part> {
    part.line.iter().for_each(|&mv| pos.do_move(mv));
    let moves = generate::<All>(pos);
    part.line.iter().for_each(|_| pos.undo());
    moves
        .iter()
        .map(|&mv| Part { root_move: part.root_move, line: part.line.iter().copied().chain([mv]).collect() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_table_give_the_same_count() {
        let mut pos = Position::startpos();
        let table = PerftTable::new(4).expect("four megabytes are free");
        for depth in 1..=4 {
            let expected = perft(&mut pos, depth);
            let sum = |how: &Divide| divide(&pos, depth, how).iter().map(|part| part.1).sum::<u64>();
            assert_eq!(sum(&Divide::default()), expected);
            for _ in 0..2 {
                assert_eq!(sum(&Divide { table: Some(&table), ..Divide::default() }), expected);
            }
        }
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
        assert_eq!(perft_hashed(&mut pos, 4, &tiny), 719_731);
    }
}
