//! Damaged books of every format: nothing panics, nothing hangs, nothing is played that is not legal.
//!
//! `KOMAINU_BOOK_DAMAGE` sets how many files are damaged.

use super::sample::{entries, text};
use crate::shell::{Folder, printed};
use komainu::book::probe::{ProbeOptions, Question, probe};
use komainu::book::stream::visit_entries;
use komainu::book::text::{Bad, TextReader};
use komainu::book::{Book, BookError, BookSet, Lookup, OnTheFly};
use komainu::movegen::is_legal;
use komainu::position::{GameRules, Position};
use komainu::random::SplitMix64;
use std::fs;
use std::path::Path;

/// Small books of all formats, and positions that they have.
fn books() -> (Vec<Vec<u8>>, Vec<Position>) {
    let folder = Folder::new("book-damage-source");
    let entries = entries(12, 21);
    let db = folder.write("a.db", text(&entries));
    let mut books = vec![folder.bytes("a.db")];
    for name in ["a.ybb", "a.bin", "a.sbk"] {
        printed(&["book", "export", &db, "--out", &folder.text(name)]);
        books.push(folder.bytes(name));
    }
    let positions = entries.into_iter().map(|entry| entry.position).chain([Position::startpos()]).collect();
    (books, positions)
}

/// Does one to four kinds of damage.
fn damage(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    for _ in 0..1 + random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let at = random.below(bytes.len());
        let length = 1 + random.below(40.min(bytes.len() - at));
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next_u64() as u8,
            2 => bytes.truncate(at),
            3 => _ = bytes.drain(at..at + length),
            4 => {
                let part = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
            5 => bytes[at..at + length].fill(*[0, 0xff, b' ', b'\n', b'9'].get(random.below(5)).unwrap()),
            6 => {
                // A large number where a length or an offset may stand.
                let number = [u64::MAX, u64::MAX >> 1, 1 << 40, 1 << 31][random.below(4)].to_le_bytes();
                let count = 8.min(bytes.len() - at);
                bytes[at..at + count].copy_from_slice(&number[..count]);
            }
            _ => {
                let other = random.below(bytes.len());
                bytes.swap(at, other);
            }
        }
    }
}

fn use_book(book: Book, positions: &[Position]) {
    let books = BookSet::of(vec![book]);
    let options = ProbeOptions { eval_diff: 99_999, eval_limit: [-99_999; 2], ..ProbeOptions::default() };
    for position in positions {
        let rules = GameRules::default();
        let question = Question { position, rules, draw_value: 0, search_moves: &[], random: [7, 11] };
        if let Ok(Some(proposal)) = probe(&books, &options, &question) {
            let mut after = position.clone();
            for &mv in &proposal.line {
                assert!(is_legal(&after, mv), "{mv} in {after}");
                after.do_move(mv);
            }
        }
    }
}

fn use_file(path: &Path, bytes: &[u8], positions: &[Position]) {
    fs::write(path, bytes).unwrap();
    if let Ok(book) = Book::open(path, OnTheFly::Yes) {
        use_book(book, positions);
    }
    let mut read = 0_usize;
    _ = visit_entries::<BookError>(path, |_| {
        read += 1;
        Ok(())
    });
    assert!(read <= bytes.len());
}

/// Damages `cases` files; every hundredth is used from disk as well.
fn run(cases: usize, seed: u64) {
    let (books, positions) = books();
    let folder = Folder::new(&format!("book-damage-{seed}"));
    let path = folder.path("book");
    let mut random = SplitMix64(seed);
    for case in 0..cases {
        let mut bytes = books[case % books.len()].clone();
        damage(&mut bytes, &mut random);
        let some = [case % positions.len(), (case / 7) % positions.len()].map(|place| positions[place].clone());
        if let Ok(book) = Book::from_bytes(bytes.clone()) {
            _ = book.find(&some[0], Lookup { ignore_ply: false, flipped: true });
            use_book(book, &some);
        }
        if case.is_multiple_of(100) {
            use_file(&path, &bytes, &positions);
        }
        let mut reader = TextReader::new(&bytes[..], Bad::Skip);
        while let Ok(Some((entry, line))) = reader.next_entry() {
            assert!(line as usize <= bytes.len() && entry.moves.len() <= komainu::book::MAX_CANDIDATES);
        }
    }
}

#[test]
fn damaged_books_do_no_harm() {
    let cases = std::env::var("KOMAINU_BOOK_DAMAGE").ok().and_then(|text| text.parse().ok()).unwrap_or(8_000);
    run(cases, 1);
}
