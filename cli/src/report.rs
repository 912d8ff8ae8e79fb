//! `komainu report`: a match as one HTML page, or a tuning.

use crate::terminal::{Failure, complain, in_file, print_line};
use komainu::host::read_text;
use komainu::storage::write_whole;
use komainu::types::Counted;
use komainu_tools::arena::folder::MatchFolder;
use komainu_tools::arena::plan::TunePlan;
use komainu_tools::arena::report;
use komainu_tools::tuning::report as tuning;
use std::path::{Path, PathBuf};

/// Write the tables, charts and games of a match as one HTML page, which works offline
///
/// Of a tuning it is the page with the course of the values.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of a match or a tuning that is finished or still runs
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write; `report.html` in the folder by default, `tune.html` of a tuning
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let folder = MatchFolder::read(&arguments.folder)?;
    let games = MatchFolder::games_file(&arguments.folder);
    for note in &folder.notes {
        complain(format_args!("{}: {note}", games.display()));
    }
    let (name, page) = match &folder.plan.tune {
        Some(tune) => (tuning::PAGE_FILE, page_of_tuning(&arguments.folder, &folder, tune)?),
        None => ("report.html", report::page(&folder)),
    };
    let out = arguments.out.clone().unwrap_or_else(|| arguments.folder.join(name));
    write_whole(&out, page).map_err(in_file(&out))?;
    let games = Counted(folder.games.len(), "game");
    let held = report::MAX_GAMES;
    if folder.games.len() > held && folder.plan.tune.is_none() {
        print_line(format_args!("{}: {games}, {held} of them to play through", out.display()))
    } else {
        print_line(format_args!("{}: {games}", out.display()))
    }
}

/// The page of a tuning. What its engine lists stands in a file that the tuning has written.
fn page_of_tuning(path: &Path, folder: &MatchFolder, tune: &TunePlan) -> Result<String, Failure> {
    let json = path.join(tuning::JSON_FILE);
    let text = read_text(&json).map_err(in_file(&json))?;
    let tuner = tuning::written_tuner(folder, tune, &text);
    let tuner = tuner.map_err(|error| Failure::Usage(komainu::host::in_file(&json, error)))?;
    let state = tuning::written_state(path, folder);
    // The page does not say how many openings there are, and their file may be on another machine.
    Ok(tuning::page(&tuning::Report::new(&folder.plan, &tuner, 0, state)))
}
