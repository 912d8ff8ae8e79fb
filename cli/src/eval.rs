//! `komainu eval`: the static evaluation of positions, without a search.

use crate::settings::{EvaluationSettings, SFEN_HELP};
use crate::terminal::{Failure, complain, in_file, numbered_lines, print_json, print_line, read_position};
use komainu::eval::{Evaluation, StaticEvaluation};
use komainu::host::read_input_text;
use komainu::position::Position;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Print the static evaluation of positions: `cp N raw M`, both for the side to move
///
/// `cp` is in centipawns, the scores of the search. `raw` is the output of the net as it is, before the division by
/// FV_SCALE: other programs that read the file compute that number.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[arg(long, help = SFEN_HELP, required_unless_present = "suite", conflicts_with = "suite")]
    sfen: Option<String>,
    /// Evaluate every line of a file: a SFEN, or as in `position`; `;` ends the position, `#` begins a comment line; - for
    /// the standard input
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let positions = match (&arguments.suite, &arguments.sfen) {
        (Some(file), _) => read_suite(file)?,
        (None, sfen) => {
            let position = read_position(sfen.as_deref().unwrap_or_default());
            vec![position.map_err(|fault| Failure::Usage(format!("--sfen: {fault}")))?]
        }
    };
    let evaluation = arguments.evaluation.load().map_err(Failure::Usage)?;
    print_evaluations(&evaluation, &positions, arguments.json)
}

/// The positions of a file; a line that holds none refuses the whole file, so that results and lines stay side by side.
fn read_suite(file: &Path) -> Result<Vec<Position>, Failure> {
    let text = read_input_text(file).map_err(in_file(file))?;
    let positions = numbered_lines(&text).map(|(number, line)| {
        read_position(line.split(';').next().unwrap_or_default()).map_err(|fault| {
            complain(format_args!("{}:{number}: {fault}", file.display()));
            Failure::CheckFailed
        })
    });
    positions.collect()
}

fn print_evaluations(evaluation: &Evaluation, positions: &[Position], is_json: bool) -> Result<(), Failure> {
    for position in positions {
        let found = StaticEvaluation::of(evaluation, position);
        if is_json {
            print_json(&json!({"sfen": position.to_sfen(), "cp": found.score.0, "raw": found.raw}))?;
        } else {
            print_line(found)?;
        }
    }
    Ok(())
}
