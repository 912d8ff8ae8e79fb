//! `komainu data rescore`: old games with the scores of the present engine.

use super::bad;
use crate::cli::evaluation::EvaluationArguments;
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::selfplay::{SelfPlayProgress, check_memory, thread_count};
use crate::cli::{Failure, print_line};
use crate::training::rescore::OldGames;
use crate::training::selfplay::{GamesOutput, OpeningPositions, SelfPlaySettings, Target};
use crate::training::tally::GamesTally;
use std::path::PathBuf;

/// Arguments of the task.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// File of games
    input: PathBuf,
    /// File of games to make
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Nodes of a position, after which no further iteration begins; it ends at the latest after 8 times as many
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Games at a time, one a thread; 0 for one a core. The file does not depend on it
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1024))]
    threads: u32,
    /// Megabytes of the hash table of each thread
    #[arg(long, value_name = "MB", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,
    /// Plies after which games are drawn
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(32..=10_000))]
    max_plies: u32,
    /// Go on with the file if it is there
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let &Arguments { nodes, hash, max_plies, resume, .. } = arguments;
    let threads = thread_count(arguments.threads);
    check_memory(hash, threads)?;
    let settings = SelfPlaySettings {
        seed: 0,
        nodes,
        hash: hash as usize,
        max_plies,
        openings: OpeningPositions::default(),
        evaluation: arguments.evaluation.load()?,
        part: None,
    };
    let old = OldGames::open(&arguments.input).map_err(bad)?;
    let mut tally = GamesTally::default();
    let mut output =
        GamesOutput::open(&arguments.out, &old.description(&settings), resume, &mut |game| tally.add(game))
            .map_err(bad)?;
    let stop = stop_on_interrupt("the games that have begun are searched to their end")?;
    let mut progress = SelfPlayProgress::new(Target::Games(old.games), &tally);
    let result = old.rescore(&settings, threads, &mut output, &stop, &mut |game| {
        game.into_iter().for_each(|game| tally.add(game));
        progress.show(&tally);
    });
    progress.finish();
    result.map_err(bad)?;
    output.sync().map_err(bad)?;
    if tally.games < old.games {
        print_line(format_args!("interrupted after {} of {} games; --resume goes on", tally.games, old.games))?;
    }
    let time = progress.started.elapsed().as_millis();
    print_line(format_args!("games {} positions {} time_ms {time}", tally.games, tally.positions))
}
