//! Solves a mate problem (tsume shogi): the shortest mate, and the moves that are no solution.
//!
//! ```sh
//! cargo run --release --example solve_mate -- "4k4/9/4P4/9/9/9/9/9/9 b GS 1"
//! ```

use komainu::mate::{MateAnswer, MateLimits, Query, Solver};
use komainu::notation::ki2;
use komainu::position::Position;
use std::error::Error;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let sfen = std::env::args().nth(1).unwrap_or("4k4/9/4P4/9/9/9/9/9/9 b GS 1".to_string());
    let mut position = Position::from_sfen(&sfen)?;
    let mut solver = Solver::new(64)?;
    let limits = MateLimits { time: Some(Duration::from_secs(60)), ..MateLimits::default() };
    let report = solver.solve(&position, &Query { limits, shortest: true, ..Query::default() });
    match report.answer {
        MateAnswer::Mate(mate) => {
            let shortest = if mate.is_exact { "the shortest" } else { "perhaps not the shortest" };
            println!("mate in {} plies, {shortest}, {} nodes", mate.length, report.nodes);
            let mut last = None;
            for mv in mate.line {
                println!("{:6} {}", mv.to_string(), ki2::move_text(&position, mv, last));
                position.do_move(mv);
                last = Some(mv.to());
            }
        }
        MateAnswer::NoMate => println!("there is no mate, {} nodes", report.nodes),
        MateAnswer::Unknown(reason) => println!("not found out: {reason:?}, {} nodes", report.nodes),
    }
    Ok(())
}
