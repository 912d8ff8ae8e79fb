//! `komainu bench`: the fixed work whose node count is the signature of a build.

use crate::settings::EvaluationSettings;
use crate::terminal::{Failure, complain, print_json, print_line, unless_gone, verdict};
use komainu::search::bench::{self, DEFAULT_DEPTH, DEPTHS, Searched};
use komainu::types::StopToken;
use serde_json::json;

/// Search fixed positions with one thread and print the nodes, which are the same on every machine
///
/// The last line is `N nodes R nps`. On standard input of the engine the line `bench [DEPTH]` does the same.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Depth of each search, in plies
    #[arg(default_value_t = DEFAULT_DEPTH as u8, value_parser = clap::value_parser!(u8).range(depths()))]
    depth: u8,
    /// Exit with 1 unless the node count is NODES
    #[arg(long, value_name = "NODES")]
    bench_check: Option<u64>,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

fn depths() -> std::ops::RangeInclusive<i64> {
    *DEPTHS.start() as i64..=*DEPTHS.end() as i64
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let evaluation = arguments.evaluation.load().map_err(Failure::Usage)?;
    let mut printed = Ok(());
    let on_position = |searched: Searched| {
        if printed.is_ok() {
            printed = print_searched(searched, arguments.json);
        }
    };
    let total = bench::run(arguments.depth as usize, evaluation, &StopToken::new(), on_position)
        .map_err(|error| Failure::Usage(format!("bench: {error}")))?;
    unless_gone(printed)?;
    let printed = if arguments.json {
        let time_ms = total.time.as_millis() as u64;
        print_json(&json!({"nodes": total.nodes, "time_ms": time_ms, "nps": total.nodes_per_second()}))
    } else {
        print_line(total)
    };
    let Some(expected) = arguments.bench_check else { return printed };
    let differs = expected != total.nodes;
    if differs {
        complain(format_args!("--bench-check: {} nodes, not {expected}", total.nodes));
    }
    verdict(printed, differs)
}

fn print_searched(searched: Searched, is_json: bool) -> Result<(), Failure> {
    if is_json {
        let Searched { number, sfen, nodes } = searched;
        return print_json(&json!({"number": number, "sfen": sfen, "nodes": nodes}));
    }
    print_line(searched)
}
