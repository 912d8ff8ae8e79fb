//! A book in memory: every position under its key, whatever the order of the file.

use super::entry::{BookEntry, Candidate};
use crate::position::Position;
use crate::types::Move;

/// A book in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryBook {
    /// Sorted by key and ply.
    records: Vec<Record>,
    moves: Vec<Stored>,
}

/// Where the moves of a position are: 24 bytes.
#[derive(Clone, Copy, Debug)]
struct Record {
    key: u64,
    ply: u32,
    first: u32,
    count: u32,
}

/// A move without its comment: 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Stored {
    mv: Move,
    reply: Option<Move>,
    value: Option<i32>,
    depth: u32,
    count: u32,
}

impl Stored {
    fn of(candidate: &Candidate) -> Stored {
        let &Candidate { mv, reply, value, depth, count, .. } = candidate;
        Stored { mv, reply, value, depth, count }
    }

    fn candidate(self) -> Candidate {
        let Stored { mv, reply, value, depth, count } = self;
        Candidate { mv, reply, value, depth, count, comment: String::new() }
    }
}

impl MemoryBook {
    /// Takes a position in; positions come in any order. Beyond 2^32 moves nothing more is taken.
    pub(super) fn push(&mut self, entry: &BookEntry) {
        self.push_moves(entry.position.key().0, entry.position.ply(), &entry.moves);
    }

    fn push_moves(&mut self, key: u64, ply: u32, moves: &[Candidate]) {
        let (Ok(first), Ok(count)) = (u32::try_from(self.moves.len()), u32::try_from(moves.len())) else { return };
        if first.checked_add(count).is_some() {
            self.records.push(Record { key, ply, first, count });
            self.moves.extend(moves.iter().map(Stored::of));
        }
    }

    /// Puts the positions in order, after the last one. Equal positions with equal plies become one.
    pub(super) fn finish(&mut self) {
        self.records.sort_by_key(|record| (record.key, record.ply));
        let is_same = |a: &Record, b: &Record| (a.key, a.ply) == (b.key, b.ply);
        if self.records.windows(2).any(|pair| is_same(&pair[0], &pair[1])) {
            let records = std::mem::take(&mut self.records);
            for group in records.chunk_by(is_same) {
                if let [one] = group {
                    self.records.push(*one);
                    continue;
                }
                let mut merged = BookEntry::new(Position::startpos());
                group.iter().flat_map(|record| self.of(record)).for_each(|candidate| merged.add(candidate));
                self.push_moves(group[0].key, group[0].ply, &merged.moves);
            }
        }
        self.records.shrink_to_fit();
        self.moves.shrink_to_fit();
    }

    fn of(&self, record: &Record) -> Vec<Candidate> {
        let moves = &self.moves[record.first as usize..][..record.count as usize];
        moves.iter().map(|stored| stored.candidate()).collect()
    }

    /// The moves of a position. With `ply` only of the one with that counter, else of the one with the least.
    pub(super) fn find(&self, position: &Position, ply: Option<u32>) -> Option<Vec<Candidate>> {
        let key = position.key().0;
        let sought = (key, ply.unwrap_or(0));
        let at = self.records.partition_point(|record| (record.key, record.ply) < sought);
        let record = self.records.get(at).filter(|record| record.key == key)?;
        if ply.is_some_and(|ply| ply != record.ply) { None } else { Some(self.of(record)) }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_ply_is_found_and_equal_ones_are_merged() {
        let mut book = MemoryBook::default();
        for (ply, mv, count) in [(9, "7g7f", 1), (5, "2g2f", 2), (5, "2g2f", 3), (5, "9g9f", 1)] {
            let mut entry = BookEntry::new(Position::startpos());
            entry.position.set_ply(ply);
            entry.add(Candidate { count, ..Candidate::new(mv.parse().unwrap()) });
            book.push(&entry);
        }
        book.finish();
        assert_eq!(book.len(), 2);
        let found = |ply| {
            let moves = book.find(&Position::startpos(), ply)?;
            Some(moves.iter().map(|found| (found.mv.to_string(), found.count)).collect::<Vec<_>>())
        };
        let at_five = Some(vec![("2g2f".to_string(), 5), ("9g9f".to_string(), 1)]);
        assert_eq!(found(None), at_five);
        assert_eq!(found(Some(5)), at_five);
        assert_eq!(found(Some(9)), Some(vec![("7g7f".to_string(), 1)]));
        assert_eq!((found(Some(4)), found(Some(10))), (None, None));
    }
}
