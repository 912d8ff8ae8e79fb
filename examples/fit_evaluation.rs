//! Fits the weights of the hand-crafted evaluation to self-play and writes `src/eval/weights.rs`:
//!
//! ```sh
//! komainu selfplay --out games --positions 1000000 --nodes 800
//! komainu data convert games games.psv
//! cargo run --release --example fit_evaluation -- games.psv src/eval/weights.rs
//! ```

use komainu::eval::weights;
use komainu::storage::write_whole;
use komainu::training::fit::{Fit, FitSettings};
use komainu::training::records::Records;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [inputs @ .., output] = arguments.as_slice() else { return Err("usage: RECORDS... OUTPUT".into()) };
    let mut settings = FitSettings::default();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<f32>().ok());
    settings.result_weight = number("RESULT_WEIGHT").unwrap_or(settings.result_weight);
    settings.rate = number("RATE").unwrap_or(settings.rate);
    settings.decay = number("DECAY").unwrap_or(settings.decay);
    settings.epochs = number("EPOCHS").map_or(settings.epochs, |epochs| epochs as usize);
    let mut fit = Fit::new(&weights());
    let (mut game, mut last_ply) = (0, u16::MAX);
    for input in inputs {
        for record in Records::open(Path::new(input))? {
            let (record, pos) = record?;
            // A new game begins where the move counter falls back.
            game += u64::from(record.ply < last_ply);
            last_ply = record.ply;
            fit.add(&record, &pos, game);
        }
    }
    let (training, held_out) = fit.counts();
    let scale = fit.fit_scale();
    println!("{training} positions, {held_out} held out, {game} games; scale {scale:.0} centipawns");
    let (target, result) = fit.held_out_error(&settings);
    println!("before: error {target:.5}, of results {result:.5}");
    fit.run(&settings, |epoch, fit| {
        let (target, result) = fit.held_out_error(&settings);
        println!("epoch {epoch:2}: error {target:.5}, of results {result:.5}");
    });
    write_whole(output.as_ref(), source(&fit.weights(), training + held_out, game))?;
    Ok(())
}

/// The weights as a source file.
fn source(weights: &[[i16; 2]], positions: usize, games: u64) -> String {
    let mut text = format!(
        "//! Weights of the hand-crafted evaluation, in centipawns, for the middlegame and the endgame; by feature number.\n\
         //!\n\
         //! Made by `examples/fit_evaluation.rs` from {positions} positions of {games} games of the engine against itself.\n\n\
         use super::features;\n\n\
         #[rustfmt::skip]\n\
         pub(super) static WEIGHTS: [[i16; 2]; features::COUNT] = [\n"
    );
    let mut line = String::new();
    for [middlegame, endgame] in weights {
        let pair = format!("[{middlegame},{endgame}],");
        if line.len() + pair.len() > 116 {
            _ = writeln!(text, "    {line}");
            line.clear();
        }
        line.push_str(&pair);
    }
    text + "    " + &line + "\n];\n"
}
