//! `komainu data fit`: a table of what results know beyond scores.

use super::sample::Sample;
use super::{Output, bad};
use crate::cli::terminal::{Failure, crew, end_of_work, print_line};
use crate::training::filter::PositionFilter;
use crate::training::fit::features::{FEATURES, Feature};
use crate::training::fit::{FitData, FitSettings};

/// Fit a table of few weights to the results of games: pieces by their distance from the kings, hands, places of kings
///
/// The chance to win is taken to be that of the score and the table together. A line of the file is a feature, its
/// weight in centipawns, and the error of that. Printed are the mean cross entropies of the results of games that
/// were held out, without and with the table, and the error of their difference.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    sample: Sample,
    /// Size of a weight that is expected before any game is seen, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    spread: u32,
    /// One game in N is held out
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    held_out: u64,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let sample = &arguments.sample;
    sample.check("the results")?;
    let crew = crew(sample.threads, 1)?;
    let mut data = FitData::default();
    let mut filter = PositionFilter::new(sample.max_score).every(sample.every as usize, sample.seed);
    let is_whole = sample.visit(|games, _| {
        games.iter().for_each(|game| data.add(game, &mut filter));
        Ok(())
    })?;
    if !is_whole {
        return end_of_work(Ok(()), true);
    }
    let settings =
        FitSettings { spread: arguments.spread.into(), held_out: arguments.held_out as usize, seed: sample.seed };
    let Some(fit) = crew.install(|| data.fit(&settings)) else {
        return Err(bad("too few games to fit anything to"));
    };
    let mut file = Output::create(&sample.out)?;
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
