//! Runs the items one by one, and lends each the engine that it needs.

use super::item::{Checked, Item, Stop, fail, label};
use super::pipes::Launch;
use super::record::Record;
use super::talk::Talk;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// An item that takes longer fails: most take less than a second.
const ITEM_LIMIT: Duration = Duration::from_secs(60);

/// How long an engine that did not start in time before is waited for again.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

/// Measurements that are taken before a figure counts as wrong: a machine may be busy for a moment.
const TRIES: usize = 3;

/// What the user wants to be checked, and how.
pub(super) struct Setup {
    pub(super) launch: Launch,
    /// Options that are sent each time the engine is started.
    pub(super) options: Vec<(String, String)>,
    /// How long an answer may take that has no limit of its own.
    pub(super) patience: Duration,
}

/// What came of an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Pass,
    Fail,
    Skip,
}

impl Verdict {
    pub(super) fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Skip => "SKIP",
        }
    }
}

/// An item with what came of it.
pub(super) struct Outcome {
    pub(super) item: &'static Item,
    pub(super) verdict: Verdict,
    /// What is wrong, why it was left out, or a figure.
    pub(super) detail: String,
    pub(super) time: Duration,
    pub(super) transcript: Vec<String>,
}

/// Where the items run.
pub(super) struct Lab<'a> {
    pub(super) setup: &'a Setup,
    record: Rc<RefCell<Record>>,
    /// An idle engine with the settings of the user, for whoever leaves it as it was.
    shared: Option<Talk>,
    has_failed_to_start: bool,
    deadline: Instant,
}

impl<'a> Lab<'a> {
    pub(super) fn new(setup: &'a Setup) -> Lab<'a> {
        let record = Rc::new(RefCell::new(Record::new(0)));
        Lab { setup, record, shared: None, has_failed_to_start: false, deadline: Instant::now() }
    }

    /// Runs the items. `show` is told of each when it begins.
    pub(super) fn run(&mut self, items: &[&'static Item], mut show: impl FnMut(&Item)) -> Vec<Outcome> {
        let mut faults = Vec::new();
        let mut outcomes = Vec::new();
        for item in items {
            show(item);
            outcomes.push(self.run_item(item, &mut faults));
        }
        for (number, running, text) in faults {
            hold_against(&mut outcomes, number, running, &text);
        }
        outcomes
    }

    fn run_item(&mut self, item: &'static Item, faults: &mut Vec<(u8, u8, String)>) -> Outcome {
        let started = Instant::now();
        *self.record.borrow_mut() = Record::new(item.number);
        self.deadline = started + ITEM_LIMIT + self.setup.patience;
        let checked = (item.run)(self);
        // Whoever comes next finds it idle or not at all.
        let settled = self.shared.as_mut().map(Talk::settle);
        if checked.is_err() || settled.is_some_and(|settled| settled.is_err()) {
            self.shared = None;
        }
        let (verdict, detail) = match checked {
            Ok(detail) => (Verdict::Pass, detail),
            Err(Stop::Fail(why)) => (Verdict::Fail, why),
            Err(Stop::Skip(why)) => (Verdict::Skip, why),
        };
        let mut record = self.record.borrow_mut();
        faults.extend(record.faults.drain(..).map(|(number, text)| (number, item.number, text)));
        Outcome { item, verdict, detail, time: started.elapsed(), transcript: record.transcript() }
    }

    /// An engine that has been started and has heard nothing.
    pub(super) fn start(&mut self) -> Result<Talk, Stop> {
        let launch = self.setup.launch.clone();
        self.start_as(&launch)
    }

    /// The same, started in another way.
    pub(super) fn start_as(&mut self, launch: &Launch) -> Result<Talk, Stop> {
        Talk::start(launch, Rc::clone(&self.record), self.setup.patience, self.deadline)
    }

    /// An engine that has introduced itself and has the options of the user.
    pub(super) fn introduced(&mut self) -> Result<Talk, Stop> {
        let talk = self.start()?;
        self.introduce(talk)
    }

    fn introduce(&mut self, mut talk: Talk) -> Result<Talk, Stop> {
        if self.has_failed_to_start {
            talk.patience = talk.patience.min(SHORT_PATIENCE);
        }
        talk.introduce().inspect_err(|_| self.has_failed_to_start = true)?;
        for (name, value) in &self.setup.options {
            talk.set(name, value);
        }
        Ok(talk)
    }

    /// An engine that is ready for a game.
    pub(super) fn boot(&mut self) -> Result<Talk, Stop> {
        self.boot_with(&[])
    }

    /// The same with some more options, of those that it lists.
    pub(super) fn boot_with(&mut self, options: &[(&str, &str)]) -> Result<Talk, Stop> {
        let talk = self.introduced()?;
        self.prepare(talk, options)
    }

    /// The same, started in another way.
    pub(super) fn boot_as(&mut self, launch: &Launch) -> Result<Talk, Stop> {
        let talk = self.start_as(launch)?;
        let talk = self.introduce(talk)?;
        self.prepare(talk, &[])
    }

    fn prepare(&mut self, mut talk: Talk, options: &[(&str, &str)]) -> Result<Talk, Stop> {
        for (name, value) in options {
            if talk.option(name).is_some() {
                talk.set(name, value);
            }
        }
        let ready = talk.ready();
        self.has_failed_to_start = ready.is_err();
        ready?;
        talk.patience = self.setup.patience;
        talk.send("usinewgame");
        Ok(talk)
    }

    /// An engine that is ready and idle, and must be so afterwards, with the same options.
    pub(super) fn shared(&mut self) -> Result<&mut Talk, Stop> {
        let mut talk = match self.shared.take() {
            Some(talk) => talk,
            None => self.boot()?,
        };
        talk.deadline = self.deadline;
        Ok(self.shared.insert(talk))
    }
}

/// A fault fails the item that it is about, wherever it was found; if that one is not checked, it counts for nothing.
fn hold_against(outcomes: &mut [Outcome], number: u8, running: u8, text: &str) {
    let conversation = outcomes.iter().find(|outcome| outcome.item.number == running);
    let transcript = conversation.map(|outcome| outcome.transcript.clone()).unwrap_or_default();
    let Some(outcome) = outcomes.iter_mut().find(|outcome| outcome.item.number == number) else { return };
    if outcome.verdict == Verdict::Fail {
        return;
    }
    outcome.transcript = transcript;
    outcome.verdict = Verdict::Fail;
    outcome.detail =
        if number == running { text.to_string() } else { format!("{text} (while {} was checked)", label(running)) };
}

/// Measures until a time lies between two, a few times at most.
pub(super) fn timed(least: u64, most: u64, mut measure: impl FnMut() -> Result<Duration, Stop>) -> Checked {
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
        let Err(Stop::Fail(why)) = timed(400, 600, || Ok(Duration::from_millis(600))) else { panic!("not late") };
        assert_eq!(why, "after 600, 600, 600 ms; it should be 400 to 600");
        assert!(matches!(timed(0, 1, || fail("dead")), Err(Stop::Fail(_))));
    }
}
