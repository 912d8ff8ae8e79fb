//! Searches a position and prints the three best lines after each iteration.
//!
//! ```sh
//! cargo run --release --example analyse -- "startpos moves 7g7f 3c3d" 1000000
//! ```

use komainu::notation::usi::parse_position;
use komainu::position::GameRules;
use komainu::search::{Limits, Report, Signals, ThreadPool};
use komainu::types::Score;
use std::error::Error;
use std::sync::Arc;

/// A score in words: centipawns, or plies to the mate.
fn words(score: Score) -> String {
    score.mate_plies().map_or(format!("{:+} cp", score.0), |plies| format!("mate in {plies} plies"))
}

fn print(reports: &[Report]) {
    for report in reports {
        let line: Vec<String> = report.pv.iter().map(ToString::to_string).collect();
        println!("depth {:2}  {:9} nodes  {:>9}  {}", report.depth, report.nodes, words(report.score), line.join(" "));
    }
    println!();
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let position = parse_position(&arguments.next().unwrap_or("startpos".to_string()))?.position;
    let nodes: u64 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;

    let threads = komainu::system::cores();
    let mut pool = ThreadPool::new(threads, 64);
    if pool.shrunk().is_some() {
        eprintln!("the table is smaller than asked for: memory is short");
    }
    let limits = Limits { multi_pv: 3, ..Limits::to_nodes(nodes) };
    // Another thread may hold a clone of the signals and call `stop`.
    let signals = Arc::new(Signals::default());
    let result = pool.search(&position, GameRules::default(), &limits, &signals, &mut print);
    println!("{} nodes in {:.1} s", result.nodes, signals.elapsed().as_secs_f64());
    Ok(())
}
