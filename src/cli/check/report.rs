//! What the user sees: a table on a terminal, plain lines in a pipe, and a file for programs.

use super::item::{Item, label};
use super::lab::{Outcome, Verdict};
use super::{Failure, print_line};
use comfy_table::{Cell, Color, ContentArrangement, Table, presets::UTF8_HORIZONTAL_ONLY};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, stdout};

/// A progress bar on a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn new(items: usize) -> Progress {
        // Draws nothing if standard error is not a terminal.
        let bar = ProgressBar::new(items as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// An item begins.
    pub(super) fn show(&self, item: &Item) {
        self.0.inc(1);
        self.0.set_message(format!("{} {}", label(item.number), item.name));
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Prints the items and what of them is not checked.
pub(super) fn list(items: &[&Item]) -> Result<(), Failure> {
    for item in items {
        let left_out =
            if item.left_out.is_empty() { String::new() } else { format!(" - not checked: {}", item.left_out) };
        print_line(format_args!("{} {} {}{left_out}", label(item.number), item.level.name(), item.name))?;
    }
    let in_part = items.iter().filter(|item| !item.left_out.is_empty()).count();
    print_line(format_args!("{} items, {in_part} of them checked in part", items.len()))
}

/// Prints what came of the items.
pub(super) fn print(outcomes: &[Outcome], with_transcripts: bool) -> Result<(), Failure> {
    if stdout().is_terminal() {
        print_line(table(outcomes))?;
    } else {
        outcomes.iter().try_for_each(print_plain)?;
    }
    for outcome in outcomes.iter().filter(|outcome| with_transcripts && outcome.verdict == Verdict::Fail) {
        print_line(format_args!("\n{} {}: {}", label(outcome.item.number), outcome.item.name, outcome.detail))?;
        outcome.transcript.iter().try_for_each(print_line)?;
    }
    let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    let [passed, failed, skipped] = [Verdict::Pass, Verdict::Fail, Verdict::Skip].map(count);
    print_line(format_args!("{passed} passed, {failed} failed, {skipped} skipped"))
}

fn print_plain(outcome: &Outcome) -> Result<(), Failure> {
    let Outcome { item, verdict, detail, .. } = outcome;
    let detail = if detail.is_empty() { String::new() } else { format!(" - {detail}") };
    print_line(format_args!("{} {} {}{detail}", label(item.number), verdict.name(), item.name))
}

fn table(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["Item", "Level", "Name", "Verdict", "Detail"]);
    for Outcome { item, verdict, detail, .. } in outcomes {
        let color = match verdict {
            Verdict::Pass => Color::Green,
            Verdict::Fail => Color::Red,
            Verdict::Skip => Color::Yellow,
        };
        table.add_row([
            Cell::new(label(item.number)),
            Cell::new(item.level.name()),
            Cell::new(item.name),
            Cell::new(verdict.name()).fg(color),
            Cell::new(detail),
        ]);
    }
    table
}

/// The results for a program.
#[derive(Serialize)]
struct Results<'a> {
    engine: &'a str,
    passed: usize,
    failed: usize,
    skipped: usize,
    items: Vec<ItemResult<'a>>,
}

#[derive(Serialize)]
struct ItemResult<'a> {
    item: String,
    level: &'a str,
    name: &'a str,
    verdict: &'a str,
    detail: &'a str,
    seconds: f64,
    /// What of the item is not checked.
    #[serde(skip_serializing_if = "str::is_empty")]
    not_checked: &'a str,
}

impl<'a> ItemResult<'a> {
    fn new(outcome: &'a Outcome) -> ItemResult<'a> {
        ItemResult {
            item: label(outcome.item.number),
            level: outcome.item.level.name(),
            name: outcome.item.name,
            verdict: outcome.verdict.name(),
            detail: &outcome.detail,
            seconds: outcome.time.as_secs_f64(),
            not_checked: outcome.item.left_out,
        }
    }
}

/// The results as JSON.
pub(super) fn json(engine: &str, outcomes: &[Outcome]) -> String {
    let count = |verdict| outcomes.iter().filter(|outcome| outcome.verdict == verdict).count();
    let results = Results {
        engine,
        passed: count(Verdict::Pass),
        failed: count(Verdict::Fail),
        skipped: count(Verdict::Skip),
        items: outcomes.iter().map(ItemResult::new).collect(),
    };
    let mut text = serde_json::to_string_pretty(&results).expect("strings and numbers can be written");
    text.push('\n');
    text
}
