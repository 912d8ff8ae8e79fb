//! `komainu report`: a match as one HTML page.

use crate::arena::folder::MatchFolder;
use crate::arena::report;
use crate::cli::terminal::{Failure, complain, print_line};
use crate::storage::write_whole;
use crate::types::Counted;
use std::path::PathBuf;

/// Write the tables, charts and games of a match as one HTML page, which works offline
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of a match that is finished or still runs
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write; `report.html` in the folder by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let folder = MatchFolder::read(&arguments.folder).map_err(|error| Failure::Usage(error.to_string()))?;
    let games = MatchFolder::games_file(&arguments.folder);
    for note in &folder.notes {
        complain(format_args!("{}: {note}", games.display()));
    }
    let out = arguments.out.clone().unwrap_or_else(|| arguments.folder.join("report.html"));
    let failure = |error| Failure::Usage(format!("{}: {error}", out.display()));
    write_whole(&out, report::page(&folder)).map_err(failure)?;
    let (games, held) = (Counted(folder.games.len(), "game"), report::MAX_GAMES);
    match folder.games.len() > held {
        true => print_line(format_args!("{}: {games}, {held} of them to play through", out.display())),
        false => print_line(format_args!("{}: {games}", out.display())),
    }
}
