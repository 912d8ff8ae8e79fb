//! Making one book out of several.

use super::collect::{Collected, add_later};
use super::entry::{BookEntry, BookResults};
use super::write::BookPositions;
use crate::types::Color;
use std::io;

/// Whose moves are taken where several books have a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prefer {
    /// Moves of the book whose best one was searched deepest; then of the one with more moves; then the first
    /// ones.
    #[default]
    Deeper,
    /// Moves of the first book that has any.
    First,
    /// Moves of the last book that has any.
    Last,
    /// All of them: counts and results are added, each move keeps the value that was searched deepest.
    Sum,
}

/// Positions of several books, of equal ones those that are preferred.
#[derive(Debug)]
pub struct MergedBooks {
    /// The positions of all books, each with the number of its book.
    pub collected: Collected,
    /// Whose moves are taken.
    pub prefer: Prefer,
    /// The books that black's and white's positions are taken from, if they are taken apart.
    pub split: Option<[u16; 2]>,
}

impl BookPositions for MergedBooks {
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()> {
        let mut groups = self.collected.pass()?;
        while let Some(mut group) = groups.next()? {
            if let Some(books) = self.split {
                group.retain(|(book, entry)| *book == books[entry.position.side()]);
            }
            // Equal positions of one book are one position first.
            let mut books: Vec<(u16, BookEntry)> = Vec::new();
            for (book, entry) in group {
                match books.last_mut().filter(|(last, _)| *last == book) {
                    Some((_, joined)) => add_later(joined, entry),
                    None => books.push((book, entry)),
                }
            }
            let books = books.into_iter().map(|(_, entry)| entry).collect();
            if let Some(entry) = merge(books, self.prefer) {
                visit(entry)?;
            }
        }
        Ok(())
    }
}

/// One position out of the same position of several books, in the order of the books.
pub fn merge(mut books: Vec<BookEntry>, prefer: Prefer) -> Option<BookEntry> {
    books.iter_mut().for_each(BookEntry::sort_moves);
    let ply = books.iter().map(|entry| entry.position.ply()).min()?;
    let has_moves = |entry: &BookEntry| !entry.moves.is_empty();
    let mut merged = match prefer {
        Prefer::Sum => sum(books),
        Prefer::First => take_first(books, has_moves),
        Prefer::Last => {
            books.reverse();
            take_first(books, has_moves)
        }
        Prefer::Deeper => {
            let rank = |entry: &BookEntry| (entry.moves.first().map(|best| best.depth), entry.moves.len());
            let best = books.iter().map(rank).max()?;
            take_first(books, |entry| rank(entry) == best)
        }
    }?;
    merged.position.set_ply(ply);
    Some(merged)
}

/// The first that is wanted, else the first.
fn take_first(books: Vec<BookEntry>, is_wanted: impl Fn(&BookEntry) -> bool) -> Option<BookEntry> {
    let at = books.iter().position(is_wanted).unwrap_or(0);
    books.into_iter().nth(at)
}

fn sum(books: Vec<BookEntry>) -> Option<BookEntry> {
    books.into_iter().reduce(|mut summed, entry| {
        add_up(&mut summed, entry);
        summed
    })
}

/// Adds an equal position: counts and results are added, each move keeps the value that was searched deepest, the least
/// ply is kept.
pub fn add_up(summed: &mut BookEntry, entry: BookEntry) {
    summed.results = BookResults::plus(summed.results, entry.results);
    if entry.position.ply() < summed.position.ply() {
        summed.position = entry.position;
    }
    for mut candidate in entry.moves {
        let known = summed.moves.iter_mut().find(|known| known.mv == candidate.mv);
        let Some(known) = known else {
            summed.moves.push(candidate);
            continue;
        };
        let count = known.count.saturating_add(candidate.count);
        if (candidate.value.is_some(), candidate.depth) > (known.value.is_some(), known.depth) {
            std::mem::swap(known, &mut candidate);
        }
        known.count = count;
        known.reply = known.reply.or(candidate.reply);
    }
}

/// Reads which book black's and white's positions come from: `bw` means black's from the first.
pub fn parse_split(text: &str) -> Option<[u16; 2]> {
    match text {
        "bw" => Some([0, 1]),
        "wb" => Some([Color::White as u16, Color::Black as u16]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Candidate;
    use crate::position::Position;

    fn entry(ply: u32, moves: &[(&str, i32, u32, u32)]) -> BookEntry {
        let mut entry = BookEntry::new(Position::startpos());
        entry.position.set_ply(ply);
        for &(mv, value, depth, count) in moves {
            entry.moves.push(Candidate { value: Some(value), depth, count, ..Candidate::new(mv.parse().unwrap()) });
        }
        entry
    }

    fn merged(prefer: Prefer, books: &[&[(&str, i32, u32, u32)]]) -> Vec<(String, i32, u32, u32)> {
        let books = books.iter().enumerate().map(|(i, moves)| entry(9 - 2 * i as u32, moves)).collect();
        let merged = merge(books, prefer).unwrap();
        let moves = merged.moves.iter();
        moves.map(|found| (found.mv.to_string(), found.value_or_zero(), found.depth, found.count)).collect()
    }

    #[test]
    fn the_preferred_book_answers() {
        let (a, b): (&[_], &[_]) = (&[("7g7f", 10, 8, 3)], &[("7g7f", 20, 9, 1), ("2g2f", 5, 9, 1)]);
        let first = |mv: (String, i32, u32, u32)| (mv.1, mv.3);
        assert_eq!(first(merged(Prefer::Deeper, &[a, b])[0].clone()), (20, 1));
        assert_eq!(first(merged(Prefer::First, &[a, b])[0].clone()), (10, 3));
        assert_eq!(first(merged(Prefer::Last, &[a, b])[0].clone()), (20, 1));
        assert_eq!(first(merged(Prefer::Last, &[b, a, &[]])[0].clone()), (10, 3));
        assert_eq!(merged(Prefer::First, &[&[], a]).len(), 1);
        assert_eq!(merged(Prefer::Deeper, &[&[], a]).len(), 1);
        // With equal depths more moves are better.
        let c: &[_] = &[("7g7f", 1, 8, 1), ("2g2f", 1, 1, 1)];
        assert_eq!(merged(Prefer::Deeper, &[a, c]).len(), 2);
        assert_eq!(merged(Prefer::Deeper, &[a, a])[0].3, 3);
        let summed = merged(Prefer::Sum, &[a, b]);
        assert_eq!(summed, [("7g7f".into(), 20, 9, 4), ("2g2f".into(), 5, 9, 1)]);
    }

    #[test]
    fn the_least_ply_is_kept() {
        let books = vec![entry(9, &[("7g7f", 1, 9, 1)]), entry(5, &[])];
        assert_eq!(merge(books, Prefer::Deeper).unwrap().position.ply(), 5);
        assert_eq!(merge(Vec::new(), Prefer::Sum), None);
    }
}
