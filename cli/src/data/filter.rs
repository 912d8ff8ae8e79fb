//! `komainu data filter`: the positions of games or records that a trainer should see.

use super::{Output, kind};
use crate::terminal::{Failure, print_line};
use komainu::position::Position;
use komainu::types::{Move, Score};
use komainu_tools::training::filter::{PositionFilter, SkipReason};
use komainu_tools::training::games::GamesReader;
use komainu_tools::training::records::{Record, Records, visit_records};
use komainu_tools::training::shuffle::DataKind;
use std::path::PathBuf;

/// Keep the positions to train on: quiet, not in check, no mates, each once
///
/// With --every only the quiet positions of a game count; a file of records counts as one game.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Files of games or records
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File to make
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Leave out positions whose score is larger than this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = Score::MAX_NON_MATE.0 as u16)]
    max_score: u16,
    /// Take one position in N of each game, the first of them drawn at random
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    every: u32,
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut filter = PositionFilter::new(arguments.max_score).every(arguments.every as usize, arguments.seed);
    let mut random = 0;
    let mut number = 0;
    let mut file = Output::create(&arguments.out)?;
    let mut take = |filter: &mut PositionFilter, record: Record, pos: &Position, next: Option<Move>| {
        filter.pass(record, pos, next).map_or(Ok(()), |record| file.write(&record.encode()))
    };
    for path in &arguments.files {
        match kind(path)? {
            DataKind::Games => {
                for game in GamesReader::open(path)? {
                    let game = game?;
                    random += game.opening();
                    filter.begin_game(number);
                    number += 1;
                    visit_records(&game, |record, pos, next| take(&mut filter, record, pos, next))?;
                }
            }
            DataKind::Records => {
                filter.begin_game(number);
                number += 1;
                for read in Records::open(path)? {
                    let (record, pos) = read?;
                    take(&mut filter, record, &pos, None)?;
                }
            }
        }
    }
    file.finish()?;
    print_line(format_args!("random plies {random}"))?;
    for reason in SkipReason::ALL {
        // Nothing lies between positions that are all wanted.
        if reason != SkipReason::Thinned || arguments.every > 1 {
            print_line(format_args!("{reason} {}", filter.dropped(reason)))?;
        }
    }
    print_line(format_args!("kept {} advanced {}", filter.kept, filter.advanced))
}
