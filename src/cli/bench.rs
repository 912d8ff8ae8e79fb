//! `komainu bench`: the fixed work whose node count is the signature of a build.

use super::evaluation::EvaluationArguments;
use super::{Failure, print_line};
use crate::search::bench::{self, DEFAULT_DEPTH};

/// Search fixed positions with one thread and print the nodes, which are the same on every machine
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Depth of each search, in plies
    #[arg(default_value_t = DEFAULT_DEPTH as u8, value_parser = clap::value_parser!(u8).range(1..=100))]
    depth: u8,
    #[command(flatten)]
    evaluation: EvaluationArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let evaluation = arguments.evaluation.load()?;
    let total = bench::run(arguments.depth as usize, evaluation, |number, sfen, nodes| {
        // Whether anybody reads is asked at the last line.
        _ = print_line(format_args!("{number:2}  {nodes:9}  {sfen}"));
    });
    print_line(format_args!("{} nodes {} nps", total.nodes, total.nodes_per_second()))
}
