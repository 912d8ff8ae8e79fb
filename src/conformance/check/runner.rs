//! Runs the items one by one, and lends each the engine that it needs.

use super::conversation::Conversation;
use super::item::{Abort, CheckItem, Checked, fail, label};
use super::record::ItemLog;
use crate::process::Launch;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// An item that takes longer fails: most take less than a second.
const ITEM_LIMIT: Duration = Duration::from_secs(60);

/// How long an engine that did not start in time before is waited for again.
const SHORT_TIMEOUT: Duration = Duration::from_secs(2);

/// Measurements that are taken before a figure counts as wrong: a machine may be busy for a moment.
const TRIES: usize = 3;

/// The engine to check, and how it is started.
pub struct CheckedEngine {
    /// Program, arguments and folder.
    pub launch: Launch,
    /// Options that are sent each time the engine is started: names and values.
    pub options: Vec<(String, String)>,
    /// How long an answer may take that has no limit of its own.
    pub timeout: Duration,
}

/// What came of an item.
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
    /// Whether it passed.
    pub status: ItemStatus,
    /// What is wrong, why it was left out, or a figure.
    pub detail: String,
    /// How long it took.
    pub time: Duration,
    /// The last lines of its conversation, each with its time in seconds.
    pub transcript: Vec<String>,
}

/// Where the items run.
pub struct Runner<'a> {
    pub(super) engine: &'a CheckedEngine,
    record: Rc<RefCell<ItemLog>>,
    /// An idle engine with the settings of the user, for whoever leaves it as it was.
    shared: Option<Conversation>,
    has_failed_to_start: bool,
    deadline: Instant,
}

impl<'a> Runner<'a> {
    /// A runner that has started nothing yet.
    pub fn new(engine: &'a CheckedEngine) -> Runner<'a> {
        let record = Rc::new(RefCell::new(ItemLog::new(0)));
        Runner { engine, record, shared: None, has_failed_to_start: false, deadline: Instant::now() }
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
        *self.record.borrow_mut() = ItemLog::new(item.number);
        self.deadline = started + ITEM_LIMIT + self.engine.timeout;
        let checked = (item.run)(self);
        // Whoever comes next finds it idle or not at all.
        let drained = self.shared.as_mut().map(Conversation::drain);
        if checked.is_err() || drained.is_some_and(|drained| drained.is_err()) {
            self.shared = None;
        }
        let (status, detail) = match checked {
            Ok(detail) => (ItemStatus::Pass, detail),
            Err(Abort::Fail(why)) => (ItemStatus::Fail, why),
            Err(Abort::Skip(why)) => (ItemStatus::Skip, why),
        };
        let mut record = self.record.borrow_mut();
        faults.extend(record.faults.drain(..).map(|(number, text)| (number, item.number, text)));
        ItemResult { item, status, detail, time: started.elapsed(), transcript: record.transcript() }
    }

    /// An engine that has been started and was sent nothing.
    pub(super) fn start(&mut self) -> Result<Conversation, Abort> {
        let launch = self.engine.launch.clone();
        self.start_as(&launch)
    }

    /// The same, started in another way.
    pub(super) fn start_as(&mut self, launch: &Launch) -> Result<Conversation, Abort> {
        Conversation::start(launch, Rc::clone(&self.record), self.engine.timeout, self.deadline)
    }

    /// An engine that has answered `usi` and has the options of the user. Its book is switched off before, since the items are
    /// about its search.
    pub(super) fn after_handshake(&mut self) -> Result<Conversation, Abort> {
        let conversation = self.start()?;
        self.handshake(conversation)
    }

    fn handshake(&mut self, mut conversation: Conversation) -> Result<Conversation, Abort> {
        if self.has_failed_to_start {
            conversation.timeout = conversation.timeout.min(SHORT_TIMEOUT);
        }
        conversation.handshake().inspect_err(|_| self.has_failed_to_start = true)?;
        if conversation.option("USI_OwnBook").is_some() {
            conversation.set("USI_OwnBook", "false");
        }
        for (name, value) in &self.engine.options {
            conversation.set(name, value);
        }
        Ok(conversation)
    }

    /// An engine that is ready for a game.
    pub(super) fn boot(&mut self) -> Result<Conversation, Abort> {
        self.boot_with(&[])
    }

    /// The same with some more options, of those that it lists.
    pub(super) fn boot_with(&mut self, options: &[(&str, &str)]) -> Result<Conversation, Abort> {
        let conversation = self.after_handshake()?;
        self.prepare(conversation, options)
    }

    /// The same, started in another way.
    pub(super) fn boot_as(&mut self, launch: &Launch) -> Result<Conversation, Abort> {
        let conversation = self.start_as(launch)?;
        let conversation = self.handshake(conversation)?;
        self.prepare(conversation, &[])
    }

    fn prepare(&mut self, mut conversation: Conversation, options: &[(&str, &str)]) -> Result<Conversation, Abort> {
        for (name, value) in options {
            if conversation.option(name).is_some() {
                conversation.set(name, value);
            }
        }
        let ready = conversation.ready();
        self.has_failed_to_start = ready.is_err();
        ready?;
        conversation.timeout = self.engine.timeout;
        conversation.send("usinewgame");
        Ok(conversation)
    }

    /// An engine that is ready and idle, and must be so afterwards, with the same options.
    pub(super) fn shared(&mut self) -> Result<&mut Conversation, Abort> {
        let mut conversation = match self.shared.take() {
            Some(conversation) => conversation,
            None => self.boot()?,
        };
        conversation.deadline = self.deadline;
        Ok(self.shared.insert(conversation))
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

/// Measures until a time lies between two, a few times at most.
pub(super) fn timed(least: u64, most: u64, mut measure: impl FnMut() -> Result<Duration, Abort>) -> Checked {
    let mut times = Vec::new();
    while times.len() < TRIES {
        let millis = measure()?.as_secs_f64() * 1_000.0;
        if least as f64 <= millis && millis < most as f64 {
            return Ok(format!("{millis:.0} ms"));
        }
        times.push(format!("{millis:.0}"));
    }
    fail(format_args!("after {} ms; it should be {least} to {most}", times.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_right_if_one_of_three_is() {
        let mut times = [900, 700, 500].map(Duration::from_millis).into_iter();
        assert_eq!(timed(400, 600, || Ok(times.next().unwrap())).unwrap(), "500 ms");
        let Err(Abort::Fail(why)) = timed(400, 600, || Ok(Duration::from_millis(600))) else { panic!("not late") };
        assert_eq!(why, "after 600, 600, 600 ms; it should be 400 to 600");
        assert!(matches!(timed(0, 1, || fail("dead")), Err(Abort::Fail(_))));
    }
}
