//! Runs the items one by one.

use super::engines::{CheckedEngine, Engines};
use super::item::{CheckItem, label};
use super::outcome::Abort;
use komainu::types::opaque_debug;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// An item that takes longer fails: most take less than a second.
const ITEM_LIMIT: Duration = Duration::from_secs(60);

/// Outcome of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemStatus {
    /// The engine does what the item says.
    Pass,
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
#[derive(Debug)]
pub struct ItemResult {
    pub item: &'static CheckItem,
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

opaque_debug!(Runner<'_>, "Runner");

impl<'a> Runner<'a> {
    /// A runner that has started nothing yet. It ends early when `stop` is set.
    pub fn new(engine: &'a CheckedEngine, stop: Arc<AtomicBool>) -> Runner<'a> {
        Runner { engines: Engines::new(engine, stop) }
    }

    /// Fails with what the engine has not said in time, or how it ended, if it does not get ready or never lives through
    /// a search: then no item needs to be run.
    pub fn try_ready(&mut self) -> Result<(), String> {
        self.engines.try_ready()
    }

    /// Runs the items. `show` is told when each begins and ends, and of each that fails later by what another one has
    /// shown. Returns what came of the items that were run to their end.
    pub fn run(&mut self, items: &[&'static CheckItem], show: &mut dyn FnMut(CheckEvent<'_>)) -> Vec<ItemResult> {
        let mut faults: Vec<(u8, u8, String)> = Vec::new();
        let mut results: Vec<ItemResult> = Vec::new();
        for item in items {
            show(CheckEvent::Begins(item));
            let Some((result, found)) = self.run_item(item) else { break };
            results.push(result);
            faults.extend(found.into_iter().map(|(number, text)| (number, item.number, text)));
            // A fault may be about an item that is still to come.
            let mut failed = Vec::new();
            faults.retain(|(number, running, text)| match attribute_fault(&mut results, *number, *running, text) {
                Attributed::Waits => true,
                Attributed::Known => false,
                Attributed::Failed => {
                    failed.push(*number);
                    false
                }
            });
            if let Some(result) = results.last() {
                show(CheckEvent::Ended(result));
            }
            for result in results.iter().filter(|result| failed.contains(&result.item.number)) {
                if result.item.number != item.number {
                    show(CheckEvent::Ended(result));
                }
            }
        }
        results
    }

    /// Runs an item and returns what came of it, with the faults that its conversations have shown; `None` if it was
    /// interrupted.
    fn run_item(&mut self, item: &'static CheckItem) -> Option<(ItemResult, Vec<(u8, String)>)> {
        let started = Instant::now();
        self.engines.begin_item(item.number, started + ITEM_LIMIT);
        let checked = (item.run)(&mut self.engines);
        let log = self.engines.end_item(checked.is_err());
        let (status, detail) = match checked {
            Ok(detail) => (ItemStatus::Pass, detail),
            Err(Abort::Fail(why) | Abort::Ended(why)) => (ItemStatus::Fail, why),
            Err(Abort::Skip(why)) => (ItemStatus::Skip, why),
            Err(Abort::Interrupted) => return None,
        };
        let transcript = log.transcript();
        Some((ItemResult { item, status, detail, time: started.elapsed(), transcript }, log.faults))
    }
}

/// Event of a run.
#[derive(Debug)]
pub enum CheckEvent<'a> {
    Begins(&'a CheckItem),
    /// An item has ended, or fails by what a later one has shown.
    Ended(&'a ItemResult),
}

/// Fate of a fault.
enum Attributed {
    /// The item that it is about was not run yet, or is not to be.
    Waits,
    /// The item has failed already.
    Known,
    Failed,
}

/// A fault fails the item that it is about, wherever it was found; if that one is not checked, it counts for nothing.
fn attribute_fault(results: &mut [ItemResult], number: u8, running: u8, text: &str) -> Attributed {
    let conversation = results.iter().find(|result| result.item.number == running);
    let transcript = conversation.map(|result| result.transcript.clone()).unwrap_or_default();
    let Some(result) = results.iter_mut().find(|result| result.item.number == number) else {
        return Attributed::Waits;
    };
    if result.status == ItemStatus::Fail {
        return Attributed::Known;
    }
    result.transcript = transcript;
    result.status = ItemStatus::Fail;
    result.detail =
        if number == running { text.to_string() } else { format!("{text} (while {} was checked)", label(running)) };
    Attributed::Failed
}
