//! `komainu data siblings`: the played moves of games beside others, for a trainer that compares.

use super::{Output, bad, kind};
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::terminal::{Failure, crew, end_of_work, print_line, progress};
use crate::settings::{EvaluationSettings, THREADS_HELP, threads};
use crate::training::games::{Game, GamesReader};
use crate::training::quiet::QuietSearch;
use crate::training::shuffle::DataKind;
use crate::training::siblings::SiblingMaker;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Compare the moves of games with others: groups of three positions, after the played move and after two others
///
/// Each of the three is the end of the captures there, found with the net. `komainu train --siblings` learns from such
/// a file to put the played move first. Three records of 40 bytes make a group; the last line is `groups N`.
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
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

/// Games of which the groups are made at a time.
const BLOCK: usize = 512;

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let evaluation = arguments.evaluation.load().map_err(Failure::Usage)?;
    if let Some(path) = arguments.files.iter().find(|path| !matches!(kind(path), Ok(DataKind::Games) | Err(_))) {
        return Err(bad(format_args!("{}: a file of records; the moves stand in a file of games", path.display())));
    }
    let crew = crew(arguments.threads, 1)?;
    let stop = stop_on_interrupt("nothing is written")?;
    let bar = progress::counter("games");
    let mut file = Output::create(&arguments.out)?;
    let (mut first, mut groups) = (0, 0);
    for path in &arguments.files {
        kind(path)?;
        let mut games = GamesReader::open(path).map_err(bad)?;
        loop {
            let block: Vec<Game> = games.by_ref().take(BLOCK).collect::<Result<_, _>>().map_err(bad)?;
            if block.is_empty() {
                break;
            }
            let begin = || {
                let search = QuietSearch::new(&evaluation);
                SiblingMaker::new(search, arguments.every as usize, arguments.max_score, arguments.seed)
            };
            let made: Vec<_> = crew.install(|| {
                let games = block.par_iter().enumerate();
                games.map_init(begin, |maker, (i, game)| maker.groups_of(game, first + i as u64)).collect()
            });
            for group in made.iter().flatten() {
                groups += 1;
                group.iter().try_for_each(|record| file.write(&record.encode()))?;
            }
            first += block.len() as u64;
            bar.set_position(first);
            if stop.load(Ordering::Relaxed) {
                return end_of_work(Ok(()), true);
            }
        }
    }
    bar.finish_and_clear();
    file.finish()?;
    print_line(format_args!("groups {groups}"))
}
