//! `komainu check`: whether an engine, any engine, keeps to the USI protocol as GUIs and matches rely on it.

mod report;

use super::interrupt::stop_on_interrupt;
use crate::settings::EngineOptions;
use crate::terminal::{Failure, complain, end_of_work, unless_gone, verdict};
use komainu::storage::write_whole;
use komainu::types::{Counted, Quoted};
use komainu_tools::conformance::check::{CheckEvent, CheckedEngine, ItemStatus, Runner, all_items, select};
use komainu_tools::process::Launch;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Check whether a USI engine does what GUIs and matches rely on
///
/// Each item is printed as it ends, with its level behind it: a GUI or a match goes wrong without a must; somebody
/// misses a should. An item that passed is printed once more if a later one shows that it fails. Ctrl-C ends with the
/// items so far. The last line is `N passed, N failed, N skipped`. Of an engine that does not get ready, or dies in every
/// search, one line tells how, and no item is tried.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engine to check, with its arguments, as a shell would read it
    #[arg(value_name = "ENGINE", required_unless_present = "list")]
    command: Option<String>,
    #[command(flatten)]
    options: EngineOptions,
    /// Items to check, such as U1,U20-U40; all by default
    #[arg(long, value_name = "LIST")]
    items: Option<String>,
    /// List the items and what of them is not checked, and start nothing
    #[arg(long)]
    list: bool,
    /// Folder that the engine runs in
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Longest time to wait for an answer that has no limit of its own
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    patience: u64,
    /// Show what was said where an item fails
    #[arg(long)]
    verbose: bool,
    /// Write the results to a file as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let items = match &arguments.items {
        None => all_items().collect(),
        Some(list) => select(list).map_err(|error| Failure::Usage(format!("--items {error}")))?,
    };
    let command = match &arguments.command {
        Some(command) if !arguments.list => command,
        _ => return report::list(&items),
    };
    let engine = engine(command, arguments)?;
    let progress = report::CheckProgress::new(items.len());
    let stop = stop_on_interrupt("the item under way is left out");
    let mut printed = Ok(());
    let mut runner = Runner::new(&engine, Arc::clone(&stop));
    if let Err(why) = runner.try_ready() {
        progress.finish();
        let left = Counted(items.len(), "item");
        let advice = if why.starts_with("no ") { " (--patience SECONDS: wait longer)" } else { "" };
        return Err(Failure::Exit(1, format!("{}: {why}: {left} not tried{advice}", Quoted(command))));
    }
    let results = runner.run(&items, &mut |event| match event {
        CheckEvent::Begins(item) => progress.show(item),
        CheckEvent::Ended(result) => {
            if printed.is_ok() {
                printed = progress.print(result);
            }
            // A verdict that cannot be told is no reason to go on.
            if matches!(printed, Err(Failure::Usage(_))) {
                stop.store(true, Ordering::Relaxed);
            }
        }
    });
    progress.finish();
    unless_gone(printed)?;
    if let Some(file) = &arguments.json {
        let failure = |error| Failure::Usage(format!("--json {}: {error}", Quoted(&file.display().to_string())));
        write_whole(file, report::json(command, &results)).map_err(failure)?;
    }
    let is_interrupted = results.len() < items.len();
    if is_interrupted {
        complain(format_args!("interrupted after {} of {} items", results.len(), items.len()));
    }
    let has_failed = results.iter().any(|result| result.status == ItemStatus::Fail);
    let printed = report::print(&results, arguments.verbose);
    if is_interrupted { end_of_work(printed, true) } else { verdict(printed, has_failed) }
}

/// Command line of the engine. That it can be started at all is tried out.
fn engine(command: &str, arguments: &Arguments) -> Result<CheckedEngine, Failure> {
    let launch = Launch::new(command, arguments.folder.as_deref());
    let failure = |error| Failure::Usage(format!("{}: {error}", Quoted(command)));
    let launch = launch.map_err(failure)?;
    let options = arguments.options.option.clone();
    let timeout = Duration::from_secs(arguments.patience);
    let engine = CheckedEngine { launch, options, timeout };
    engine.try_start().map_err(failure)?;
    Ok(engine)
}
