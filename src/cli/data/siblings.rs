//! `komainu data siblings`: the played moves of games beside others, for a trainer that compares.

use super::Output;
use super::sample::Sample;
use crate::cli::terminal::{Failure, crew, end_of_work, print_line};
use crate::settings::EvaluationSettings;
use crate::training::quiet::QuietSearch;
use crate::training::siblings::SiblingMaker;
use rayon::prelude::*;

/// Compare the moves of games with others: groups of three positions, after the played move and after two others
///
/// Each of the three is the end of the captures there, found with the net. `komainu train --siblings` learns from such
/// a file to put the played move first. Three records of 40 bytes make a group; the last line is `groups N`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    sample: Sample,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let sample = &arguments.sample;
    let evaluation = arguments.evaluation.load().map_err(Failure::Usage)?;
    sample.check("the moves")?;
    let crew = crew(sample.threads, 1)?;
    let mut file = Output::create(&sample.out)?;
    let mut groups = 0;
    let begin = || {
        let search = QuietSearch::new(&evaluation);
        SiblingMaker::new(search, sample.every as usize, sample.max_score, sample.seed)
    };
    let is_whole = sample.visit(|games, first| {
        let made: Vec<_> = crew.install(|| {
            let games = games.par_iter().enumerate();
            games.map_init(begin, |maker, (i, game)| maker.groups_of(game, first + i as u64)).collect()
        });
        for group in made.iter().flatten() {
            groups += 1;
            group.iter().try_for_each(|record| file.write(&record.encode()))?;
        }
        Ok(())
    })?;
    if !is_whole {
        return end_of_work(Ok(()), true);
    }
    file.finish()?;
    print_line(format_args!("groups {groups}"))
}
