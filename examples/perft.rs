//! Counts the legal move sequences of a length, divided by the first move.
//!
//! ```sh
//! cargo run --release --example perft -- 5
//! cargo run --release --example perft -- 3 "8k/9/7GG/9/9/9/9/9/9 b - 1"
//! ```

use komainu::movegen::{Divide, divide};
use komainu::position::Position;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth: u32 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let position = arguments.next().map_or(Ok(Position::startpos()), |sfen| Position::from_sfen(&sfen))?;
    println!("{position:?}");

    let started = Instant::now();
    let mut counts = divide(&position, depth, &Divide::default())?;
    let seconds = started.elapsed().as_secs_f64();
    counts.sort_by_key(|(mv, _)| mv.to_string());
    for (mv, count) in &counts {
        println!("{mv}: {count}");
    }
    let nodes: u64 = counts.iter().map(|(_, count)| count).sum();
    println!("{nodes} nodes, {:.0} million a second", nodes as f64 / seconds / 1e6);
    Ok(())
}
