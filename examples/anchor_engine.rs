//! A USI engine that plays badly in a known way: the weak end of the scale of playing levels.
//!
//! `random` plays any legal move, each with the same chance; `greedy` captures the most valuable piece that it can, and
//! plays at random otherwise.
//!
//! ```sh
//! cargo build --release -p komainu --example anchor_engine
//! komainu match --engine level=./komainu --option level:Level=20kyu --option level:LevelTime=fast \
//!     --engine greedy="target/release/examples/anchor_engine greedy" --nodes 1000 --games 100 --out anchor
//! ```

use komainu::movegen::{All, generate};
use komainu::notation::usi::parse_position;
use komainu::position::Position;
use komainu::random::SplitMix64;
use komainu::types::Move;
use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let style = std::env::args().nth(1).unwrap_or_default();
    if !["random", "greedy"].contains(&style.as_str()) {
        eprintln!("usage: anchor_engine random|greedy");
        std::process::exit(2);
    }
    let mut random = SplitMix64(u64::from(std::process::id()));
    let mut position = Position::startpos();
    let mut out = stdout();
    for line in stdin().lock().lines() {
        let line = line?;
        match line.split_whitespace().next().unwrap_or_default() {
            "usi" => writeln!(out, "id name Anchor {style}\nid author the Komainu developers\nusiok")?,
            "isready" => writeln!(out, "readyok")?,
            "position" => match parse_position(line["position".len()..].trim()) {
                Ok(parsed) => position = parsed.position,
                Err(error) => writeln!(out, "info string error: {error}")?,
            },
            "go" => match choose(&position, style == "greedy", &mut random) {
                Some(mv) => writeln!(out, "bestmove {mv}")?,
                None => writeln!(out, "bestmove resign")?,
            },
            "quit" => return Ok(()),
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

/// A move of the position; none if the game is over.
fn choose(position: &Position, is_greedy: bool, random: &mut SplitMix64) -> Option<Move> {
    let moves = generate::<All>(position);
    let gain = |mv: &Move| position.piece_on(mv.to()).map_or(0, |piece| piece.piece_type().capture_gain());
    let most = if is_greedy { moves.iter().map(gain).max()? } else { 0 };
    let best: Vec<Move> = moves.into_iter().filter(|mv| !is_greedy || gain(mv) == most).collect();
    (!best.is_empty()).then(|| *random.pick(&best))
}
