//! How fast books are sorted and looked up in; run by hand, since a busy machine knows no milliseconds.

use super::sample::{HEADER, find, open};
use crate::shell::printed;
use komainu::book::text::write_entry;
use komainu::book::{BookEntry, Candidate, OnTheFly};
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::random::SplitMix64;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Writes `count` positions out of random games in the order in which they come.
fn write_positions(path: &Path, count: usize) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    out.write_all(HEADER.as_bytes()).unwrap();
    let mut random = SplitMix64(31);
    let mut met = HashSet::new();
    while met.len() < count {
        let mut position = Position::startpos();
        for _ in 0..100 {
            let moves = generate::<All>(&position);
            if moves.is_empty() || met.len() >= count {
                break;
            }
            if met.insert(position.key()) {
                let mut entry = BookEntry::new(position.without_history());
                for _ in 0..4.min(moves.len()) {
                    let mv = moves[random.below(moves.len())];
                    let value = Some(random.below(601) as i32 - 300);
                    entry.add(Candidate { value, depth: 20, ..Candidate::new(mv) });
                }
                write_entry(&mut out, &entry).unwrap();
            }
            position.do_move(moves[random.below(moves.len())]);
        }
    }
    out.flush().unwrap();
}

#[test]
#[ignore = "a minute: KOMAINU_BOOK_DATA=FOLDER cargo test --release --test integration -- --ignored --nocapture million_positions"]
fn a_million_positions_are_sorted_and_looked_up_fast() {
    let folder = PathBuf::from(std::env::var("KOMAINU_BOOK_DATA").expect("a folder for 300 MB"));
    let unsorted = folder.join("unsorted.db");
    let sorted = folder.join("million.db");
    if !unsorted.exists() {
        write_positions(&unsorted, 1_000_000);
    }
    let begun = Instant::now();
    let said = printed(&["book", "sort", unsorted.to_str().unwrap(), "--out", sorted.to_str().unwrap()]);
    println!("sorted in {:.1} s: {}", begun.elapsed().as_secs_f64(), said.trim_end());
    let book = open(&sorted, OnTheFly::Yes);
    let text = std::fs::read_to_string(&sorted).unwrap();
    let positions: Vec<Position> = text
        .lines()
        .filter_map(|line| line.strip_prefix("sfen "))
        .step_by(97)
        .map(|sfen| Position::from_sfen(sfen).unwrap())
        .collect();
    let mut times: Vec<u128> = Vec::new();
    for position in &positions {
        let begun = Instant::now();
        assert!(find(&book, position).is_some());
        times.push(begun.elapsed().as_micros());
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    println!("{} look-ups: median {median} us, 99 % {} us", times.len(), times[times.len() * 99 / 100]);
    assert!(median < 1_000);
}
