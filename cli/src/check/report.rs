//! Output for the user: a table on a terminal, plain lines in a pipe, and a file for programs.

use crate::terminal::{Failure, print_line, print_styled, progress};
use comfy_table::{Cell, Color, ContentArrangement, Table, presets::UTF8_HORIZONTAL_ONLY};
use indicatif::{ProgressBar, ProgressDrawTarget};
use komainu::types::Printable;
use komainu_tools::conformance::check::{CheckItem, ItemLevel, ItemResult, ItemStatus};
use serde::Serialize;
use std::io::{IsTerminal, stdout};

/// A progress bar on a terminal.
pub(super) struct CheckProgress(ProgressBar);

impl CheckProgress {
    pub(super) fn new(items: usize) -> CheckProgress {
        CheckProgress(progress::bar_with_message(items as u64, "items", ProgressDrawTarget::stderr()))
    }

    pub(super) fn show(&self, item: &CheckItem) {
        self.0.inc(1);
        self.0.set_message(format!("{} {}", item.label(), item.name));
    }

    /// An item has ended: a line of it in a pipe; on a terminal the table follows in the end.
    pub(super) fn print(&self, result: &ItemResult) -> Result<(), Failure> {
        if stdout().is_terminal() { Ok(()) } else { self.0.suspend(|| print_plain(result)) }
    }

    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// Prints the items and what of them is not checked.
pub(super) fn list(items: &[&CheckItem]) -> Result<(), Failure> {
    for item in items {
        let left_out =
            if item.left_out.is_empty() { String::new() } else { format!(" - not checked: {}", item.left_out) };
        print_line(format_args!("{} {} {}{left_out}", item.label(), item.level.name(), item.name))?;
    }
    let in_part = items.iter().filter(|item| !item.left_out.is_empty()).count();
    print_line(format_args!("{} items, {in_part} of them checked in part", items.len()))
}

/// Prints what came of the items, which a pipe has got already.
pub(super) fn print(results: &[ItemResult], with_transcripts: bool) -> Result<(), Failure> {
    if stdout().is_terminal() {
        print_styled(table(results))?;
    }
    for result in results.iter().filter(|result| with_transcripts && result.status == ItemStatus::Fail) {
        print_line(format_args!("\n{} {}: {}", result.item.label(), result.item.name, result.detail))?;
        for line in &result.transcript {
            print_line(line)?;
        }
    }
    let failed = |level: ItemLevel| {
        let is_failed = |result: &&ItemResult| result.status == ItemStatus::Fail && result.item.level == level;
        results.iter().filter(is_failed).count()
    };
    let [must, should, nice] = [ItemLevel::Must, ItemLevel::Should, ItemLevel::Nice].map(failed);
    if must + should + nice > 0 {
        print_line(format_args!("failed: {must} must, {should} should, {nice} nice"))?;
    }
    let [passed, failed, skipped] = counts(results);
    print_line(format_args!("{passed} passed, {failed} failed, {skipped} skipped"))
}

/// How many items have passed, have failed, were skipped.
fn counts(results: &[ItemResult]) -> [usize; 3] {
    [ItemStatus::Pass, ItemStatus::Fail, ItemStatus::Skip]
        .map(|status| results.iter().filter(|result| result.status == status).count())
}

fn print_plain(result: &ItemResult) -> Result<(), Failure> {
    let ItemResult { item, status, detail, .. } = result;
    let detail = if detail.is_empty() { String::new() } else { format!(" - {detail}") };
    print_line(format_args!("{} {} {}{detail} [{}]", item.label(), status.name(), item.name, item.level.name()))
}

fn table(results: &[ItemResult]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["Item", "Level", "Name", "Verdict", "Detail"]);
    for ItemResult { item, status, detail, .. } in results {
        let color = match status {
            ItemStatus::Pass => Color::Green,
            ItemStatus::Fail => Color::Red,
            ItemStatus::Skip => Color::Yellow,
        };
        table.add_row([
            Cell::new(item.label()),
            Cell::new(item.level.name()),
            Cell::new(item.name),
            Cell::new(status.name()).fg(color),
            Cell::new(Printable(detail)),
        ]);
    }
    table
}

/// The results for a program.
#[derive(Serialize)]
struct JsonResults<'a> {
    engine: &'a str,
    passed: usize,
    failed: usize,
    skipped: usize,
    items: Vec<JsonItem<'a>>,
}

#[derive(Serialize)]
struct JsonItem<'a> {
    item: String,
    level: &'a str,
    name: &'a str,
    verdict: &'a str,
    detail: &'a str,
    seconds: f64,
    /// Part of the item that is not checked.
    #[serde(skip_serializing_if = "str::is_empty")]
    not_checked: &'a str,
}

impl<'a> JsonItem<'a> {
    fn new(result: &'a ItemResult) -> JsonItem<'a> {
        JsonItem {
            item: result.item.label(),
            level: result.item.level.name(),
            name: result.item.name,
            verdict: result.status.name(),
            detail: &result.detail,
            seconds: result.time.as_secs_f64(),
            not_checked: result.item.left_out,
        }
    }
}

pub(super) fn json(engine: &str, results: &[ItemResult]) -> String {
    let [passed, failed, skipped] = counts(results);
    let results = JsonResults { engine, passed, failed, skipped, items: results.iter().map(JsonItem::new).collect() };
    let mut text = serde_json::to_string_pretty(&results).expect("strings and numbers can be written");
    text.push('\n');
    text
}
