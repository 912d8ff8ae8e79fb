//! Positions drawn from games: the flags and the way through the files, for the tasks that learn from whole games.

use super::{bad, kind};
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::terminal::{Failure, progress};
use crate::settings::{THREADS_HELP, threads};
use crate::training::games::{Game, GamesReader};
use crate::training::shuffle::DataKind;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Games that are read at a time.
const BLOCK: usize = 512;

/// Flags of a task.
#[derive(clap::Args)]
pub(super) struct Sample {
    /// Files of games
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File to make
    #[arg(long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Take one position in N of each game, the first of them drawn at random
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(super) every: u32,
    /// Leave out positions whose score is larger than this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 2_000)]
    pub(super) max_score: u16,
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(super) seed: u64,
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads(), help = THREADS_HELP)]
    pub(super) threads: u32,
}

impl Sample {
    /// Fails if a file holds no games, since what is wanted (`the moves`) stands in those alone.
    pub(super) fn check(&self, wanted: &str) -> Result<(), Failure> {
        for path in &self.files {
            if kind(path)? != DataKind::Games {
                let path = path.display();
                return Err(bad(format_args!("{path}: a file of records; {wanted} stand in a file of games")));
            }
        }
        Ok(())
    }

    /// Hands out the games of all files, a block at a time, with the number of the first of it. `false` if the work was
    /// interrupted.
    pub(super) fn visit(&self, mut take: impl FnMut(&[Game], u64) -> Result<(), Failure>) -> Result<bool, Failure> {
        let stop = stop_on_interrupt("nothing is written")?;
        let bar = progress::counter("games");
        let mut first = 0;
        for path in &self.files {
            let mut games = GamesReader::open(path).map_err(bad)?;
            loop {
                let block: Vec<Game> = games.by_ref().take(BLOCK).collect::<Result<_, _>>().map_err(bad)?;
                if block.is_empty() {
                    break;
                }
                take(&block, first)?;
                first += block.len() as u64;
                bar.set_position(first);
                if stop.load(Ordering::Relaxed) {
                    return Ok(false);
                }
            }
        }
        bar.finish_and_clear();
        Ok(true)
    }
}
