//! `komainu check`: whether an engine, any engine, keeps to the USI protocol as GUIs and matches rely on it.
//!
//! A hundred items are checked one by one, each by a conversation of its own. Beside what an item asks for, every line
//! of every conversation is judged by the grammar in [`crate::usi::grammar`]; a fault is held against the item that it
//! is about, if that item is among those to check. An engine that crashes, hangs or floods fails items, no more.
//!
//! Times are taken at the pipe and hold for a busy machine: a time that is wrong is taken up to three times, and what
//! an engine should do within a few milliseconds it is given 100 to 300 for. The limits of clocks are kept as they are.

mod clocks;
mod conversation;
mod games;
mod go;
mod info;
mod item;
mod mate;
mod options;
mod pipes;
mod ponder;
mod positions;
mod record;
mod report;
mod rules;
mod runner;
mod setups;
mod text;

use super::{Failure, print_line};
use crate::storage::write_whole;
use crate::types::Token;
use item::Item;
use pipes::{Engine, Launch};
use runner::{ItemStatus, Runner, Setup};
use std::path::PathBuf;
use std::time::Duration;

/// Check whether a USI engine does what GUIs and matches rely on
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engine to check, with its arguments, as a shell would read it
    #[arg(value_name = "ENGINE", required_unless_present = "list")]
    command: Option<String>,
    /// Option to set each time the engine is started
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Items to check, such as U1,U20-U40; all by default
    #[arg(long, value_name = "LIST")]
    items: Option<String>,
    /// List the items and what of them is not checked, and start nothing
    #[arg(long)]
    list: bool,
    /// Folder to start the engine in
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

/// The items, in the order of their numbers.
const SECTIONS: [&[Item]; 10] = [
    text::ITEMS,
    options::ITEMS,
    games::ITEMS,
    setups::ITEMS,
    go::ITEMS,
    clocks::ITEMS,
    ponder::ITEMS,
    mate::ITEMS,
    info::ITEMS,
    rules::ITEMS,
];

fn all_items() -> impl Iterator<Item = &'static Item> {
    SECTIONS.iter().flat_map(|section| section.iter())
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let items = match &arguments.items {
        None => all_items().collect(),
        Some(list) => select(list)?,
    };
    let Some(command) = arguments.command.as_deref().filter(|_| !arguments.list) else {
        return report::list(&items);
    };
    let setup = setup(command, arguments)?;
    let progress = report::Progress::new(items.len());
    let results = Runner::new(&setup).run(&items, |item| progress.show(item));
    progress.finish();
    if let Some(file) = &arguments.json {
        let failure = |error| Failure::Usage(format!("--json {}: {error}", Token(&file.display().to_string())));
        write_whole(file, report::json(command, &results)).map_err(failure)?;
    }
    report::print(&results, arguments.verbose)?;
    let has_failed = results.iter().any(|result| result.status == ItemStatus::Fail);
    if has_failed { Err(Failure::CheckFailed) } else { Ok(()) }
}

/// How the engine is started. That it can be started at all is tried out.
fn setup(command: &str, arguments: &Arguments) -> Result<Setup, Failure> {
    let launch = Launch::new(command, arguments.folder.as_deref());
    let launch = launch.ok_or_else(|| Failure::Usage(format!("{}: not a command", Token(command))))?;
    let option = |text: &String| match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_string(), value.to_string())),
        _ => Err(Failure::Usage(format!("--option {}: not NAME=VALUE", Token(text)))),
    };
    let options = arguments.options.iter().map(option).collect::<Result<_, _>>()?;
    Engine::start(&launch).map_err(|error| Failure::Usage(format!("{}: {error}", Token(command))))?;
    Ok(Setup { launch, options, timeout: Duration::from_secs(arguments.patience) })
}

/// Reads `U1,U20-U40`; the letter may be missing.
fn select(list: &str) -> Result<Vec<&'static Item>, Failure> {
    let usage = |part: &str| Failure::Usage(format!("--items {}: not U1 to U100 or a range of them", Token(part)));
    let number = |text: &str| -> Option<u8> {
        let text = text.trim();
        text.strip_prefix(['U', 'u']).unwrap_or(text).parse().ok().filter(|number| (1..=100).contains(number))
    };
    let mut chosen = [false; 101];
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Some(first), Some(last)) = (number(first), number(last)) else { return Err(usage(part)) };
        if first > last {
            return Err(usage(part));
        }
        chosen[usize::from(first)..=usize::from(last)].fill(true);
    }
    Ok(all_items().filter(|item| chosen[usize::from(item.number)]).collect())
}

#[cfg(test)]
mod tests {
    use super::item::label;
    use super::*;

    #[test]
    fn the_items_are_numbered_from_1_to_100() {
        let numbers: Vec<u8> = all_items().map(|item| item.number).collect();
        assert_eq!(numbers, (1..=100).collect::<Vec<u8>>());
    }

    #[test]
    fn items_are_chosen_by_number_and_range() {
        let chosen = |list| match select(list) {
            Ok(items) => Ok(items.iter().map(|item| label(item.number)).collect::<Vec<_>>().join(" ")),
            Err(Failure::Usage(message)) => Err(message),
            Err(_) => panic!("another failure"),
        };
        assert_eq!(chosen("U3").unwrap(), "U3");
        assert_eq!(chosen("u9-11, 2,U10").unwrap(), "U2 U9 U10 U11");
        assert_eq!(chosen("U99-U100").unwrap(), "U99 U100");
        for bad in ["", "U0", "U101", "x", "U5-U3", "U1-", "U1,,U2", "U1-U2-U3", "U+1x"] {
            assert!(chosen(bad).unwrap_err().starts_with("--items \""), "{bad}");
        }
    }
}
