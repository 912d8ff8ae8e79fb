//! `komainu data fit`: a table of what results know beyond scores.

use super::{Output, bad, kind};
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::terminal::{Failure, crew, end_of_work, print_line, progress};
use crate::settings::{THREADS_HELP, threads};
use crate::training::filter::PositionFilter;
use crate::training::fit::features::{FEATURES, Feature};
use crate::training::fit::{FitData, FitSettings};
use crate::training::games::GamesReader;
use crate::training::shuffle::DataKind;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Fit a table of few weights to the results of games: pieces by their distance from the kings, hands, places of kings
///
/// The chance to win is taken to be that of the score and the table together. A line of the file is a feature, its
/// weight in centipawns, and the error of that. Printed are the mean cross entropies of the results of games that
/// were held out, without and with the table, and the error of their difference.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File to make
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Take one position in N of each game, the first of them drawn at random
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    every: u32,
    /// Leave out positions whose score is larger than this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 2_000)]
    max_score: u16,
    /// Size of a weight that is expected before any game is seen, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    spread: u32,
    /// One game in N is held out
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    held_out: u64,
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = arguments.files.iter().find(|path| !matches!(kind(path), Ok(DataKind::Games) | Err(_))) {
        return Err(bad(format_args!("{}: a file of records; the results stand in a file of games", path.display())));
    }
    let crew = crew(arguments.threads, 1)?;
    let stop = stop_on_interrupt("nothing is written")?;
    let bar = progress::counter("games");
    let mut data = FitData::default();
    let mut filter = PositionFilter::new(arguments.max_score).every(arguments.every as usize, arguments.seed);
    for path in &arguments.files {
        kind(path)?;
        for game in GamesReader::open(path).map_err(bad)? {
            data.add(&game.map_err(bad)?, &mut filter);
            bar.set_position(data.games());
            if stop.load(Ordering::Relaxed) {
                return end_of_work(Ok(()), true);
            }
        }
    }
    bar.finish_and_clear();
    let settings =
        FitSettings { spread: arguments.spread.into(), held_out: arguments.held_out as usize, seed: arguments.seed };
    let Some(fit) = crew.install(|| data.fit(&settings)) else {
        return Err(bad("too few games to fit anything to"));
    };
    let mut file = Output::create(&arguments.out)?;
    for (i, (weight, error)) in fit.weights.iter().zip(&fit.errors).enumerate() {
        let name = if i < FEATURES { Feature::at(i).to_string() } else { "move".to_string() };
        file.write(format!("{name} {weight:.1} {error:.1}\n").as_bytes())?;
    }
    file.finish()?;
    let held = &fit.held_out;
    print_line(format_args!("games {} positions {} scale {:.0}", data.games(), data.positions(), fit.scale))?;
    print_line(format_args!("held out: games {} positions {}", held.games, held.positions))?;
    let gain = held.scores - held.table;
    print_line(format_args!("scores {:.5} table {:.5} gain {gain:.5} error {:.5}", held.scores, held.table, held.error))
}
