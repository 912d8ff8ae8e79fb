//! Positions and books to test with.

use komainu::book::{Book, BookEntry, Candidate, Lookup, OnTheFly};
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::random::SplitMix64;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

pub(crate) const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
pub(crate) const HEADER: &str = "#YANEURAOU-DB2016 1.00\n";

/// So many different positions out of random games, in the order of their texts, each with some of its moves.
pub(crate) fn entries(count: usize, seed: u64) -> Vec<BookEntry> {
    let mut random = SplitMix64(seed);
    let mut entries = BTreeMap::new();
    while entries.len() < count {
        let mut position = Position::startpos();
        for _ in 0..80 {
            let moves = generate::<All>(&position);
            if moves.is_empty() || entries.len() >= count {
                break;
            }
            let mut entry = BookEntry::new(position.without_history());
            for _ in 0..1 + random.below(3) {
                let mv = moves[random.below(moves.len())];
                let value = random.below(601) as i32 - 300;
                let depth = random.below(40) as u32;
                let count = random.below(1_000) as u32 + 1;
                let candidate = Candidate { value: Some(value), depth, count, ..Candidate::new(mv) };
                if entry.moves.iter().all(|known| known.mv != mv) {
                    entry.moves.push(candidate);
                }
            }
            entry.sort_moves();
            entries.entry(position.to_sfen_without_counter()).or_insert(entry);
            position.do_move(moves[random.below(moves.len())]);
        }
    }
    entries.into_values().collect()
}

/// Positions of which a part is out of order: out of sight of the test at the beginning and of the places that it looks
/// at.
pub(crate) fn disordered() -> (Vec<BookEntry>, Range<usize>) {
    let mut entries = entries(30_000, 6);
    let part = entries.len() / 2..entries.len() / 2 + 9_000;
    entries[part.clone()].reverse();
    entries[part.start + 4_500..part.end].reverse();
    (entries, part)
}

/// The book as a text, its positions in the order in which they come.
pub(crate) fn text(entries: &[BookEntry]) -> String {
    let mut text = HEADER.as_bytes().to_vec();
    for entry in entries {
        komainu::book::text::write_entry(&mut text, entry).expect("memory takes it");
    }
    String::from_utf8(text).expect("books are text")
}

pub(crate) fn open(path: &Path, on_the_fly: OnTheFly) -> Book {
    Book::open(path, on_the_fly).unwrap_or_else(|error| panic!("{error}"))
}

/// What a book says of a position itself, its twin left out.
pub(crate) fn find(book: &Book, position: &Position) -> Option<Vec<Candidate>> {
    let how = Lookup { ignore_ply: true, flipped: false };
    book.find(position, how).unwrap_or_else(|fault| panic!("{position}: {fault}"))
}

/// Moves as `7g7f 3c3d 25 12 7`; `none` for what is not there.
pub(crate) fn words(moves: &[Candidate]) -> Vec<String> {
    let word = |found: &Candidate| {
        let reply = found.reply.map_or("none".to_string(), |mv| mv.to_string());
        let value = found.value.map_or("none".to_string(), |value| value.to_string());
        format!("{} {reply} {value} {} {}", found.mv, found.depth, found.count)
    };
    moves.iter().map(word).collect()
}
