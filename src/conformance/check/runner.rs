//! Runs the items one by one.

use super::engines::{CheckedEngine, Engines};
use super::item::{CheckItem, label};
use super::outcome::Abort;
use std::time::{Duration, Instant};

/// An item that takes longer fails: most take less than a second.
const ITEM_LIMIT: Duration = Duration::from_secs(60);

/// Outcome of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemStatus {
    /// The engine does what the item says.
    Pass,
    /// It does not.
    Fail,
    /// The engine has not what the item is about.
    Skip,
}

impl ItemStatus {
    /// `PASS`, `FAIL` or `SKIP`.
    pub fn name(self) -> &'static str {
        match self {
            ItemStatus::Pass => "PASS",
            ItemStatus::Fail => "FAIL",
            ItemStatus::Skip => "SKIP",
        }
    }
}

/// An item with what came of it.
pub struct ItemResult {
    /// The item.
    pub item: &'static CheckItem,
    /// Outcome of the item.
    pub status: ItemStatus,
    /// Fault, reason for leaving the item out, or figure.
    pub detail: String,
    /// Time that the item took.
    pub time: Duration,
    /// The last lines of its conversation, each with its time in seconds.
    pub transcript: Vec<String>,
}

/// Runs items.
pub struct Runner<'a> {
    engines: Engines<'a>,
}

impl<'a> Runner<'a> {
    /// A runner that has started nothing yet.
    pub fn new(engine: &'a CheckedEngine) -> Runner<'a> {
        Runner { engines: Engines::new(engine) }
    }

    /// Runs the items. `show` is called with each when it begins.
    pub fn run(&mut self, items: &[&'static CheckItem], mut show: impl FnMut(&CheckItem)) -> Vec<ItemResult> {
        let mut faults = Vec::new();
        let mut results = Vec::new();
        for item in items {
            show(item);
            results.push(self.run_item(item, &mut faults));
        }
        for (number, running, text) in faults {
            attribute_fault(&mut results, number, running, &text);
        }
        results
    }

    fn run_item(&mut self, item: &'static CheckItem, faults: &mut Vec<(u8, u8, String)>) -> ItemResult {
        let started = Instant::now();
        self.engines.begin_item(item.number, started + ITEM_LIMIT);
        let checked = (item.run)(&mut self.engines);
        let log = self.engines.end_item(checked.is_err());
        let (status, detail) = match checked {
            Ok(detail) => (ItemStatus::Pass, detail),
            Err(Abort::Fail(why)) => (ItemStatus::Fail, why),
            Err(Abort::Skip(why)) => (ItemStatus::Skip, why),
        };
        let transcript = log.transcript();
        faults.extend(log.faults.into_iter().map(|(number, text)| (number, item.number, text)));
        ItemResult { item, status, detail, time: started.elapsed(), transcript }
    }
}

/// A fault fails the item that it is about, wherever it was found; if that one is not checked, it counts for nothing.
fn attribute_fault(results: &mut [ItemResult], number: u8, running: u8, text: &str) {
    let conversation = results.iter().find(|result| result.item.number == running);
    let transcript = conversation.map(|result| result.transcript.clone()).unwrap_or_default();
    let Some(result) = results.iter_mut().find(|result| result.item.number == number) else { return };
    if result.status == ItemStatus::Fail {
        return;
    }
    result.transcript = transcript;
    result.status = ItemStatus::Fail;
    result.detail =
        if number == running { text.to_string() } else { format!("{text} (while {} was checked)", label(running)) };
}
