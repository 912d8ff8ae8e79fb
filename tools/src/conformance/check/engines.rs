//! The engines that the items check: each item starts its own, or takes the one that stays.

use super::conversation::{Conversation, SearchLimits, Watch};
use super::outcome::Abort;
use super::positions::START;
use super::record::ItemLog;
use crate::client::QUIT_TIMEOUT;
use crate::process::{Launch, PauseMonitor, Process};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Longest wait in an item for an engine that did not start in time before in the same item.
const SHORT_TIMEOUT: Duration = Duration::from_secs(2);
/// Longest time of a small search when it is found out which limits the engine obeys.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// The engine to check, and how it is started.
#[derive(Debug)]
pub struct CheckedEngine {
    pub launch: Launch,
    /// Options that are sent each time the engine is started: names and values.
    pub options: Vec<(String, String)>,
    /// Longest time of an answer that has no limit of its own.
    pub timeout: Duration,
}

impl CheckedEngine {
    /// Tries out whether it can be started at all.
    pub fn try_start(&self) -> io::Result<()> {
        Process::start(&self.launch).map(drop)
    }
}

/// Starts the engine for whoever needs it, and keeps what is said while an item runs.
pub(super) struct Engines<'a> {
    pub(super) engine: &'a CheckedEngine,
    log: Rc<RefCell<ItemLog>>,
    /// An idle engine with the settings of the user, for whoever leaves it as it was.
    shared: Option<Conversation>,
    /// It has not started in time while the present item ran.
    has_failed_to_start: bool,
    deadline: Instant,
    watch: Rc<Watch>,
    /// Limits of a search that the engine obeys, once it was asked.
    limits: Option<SearchLimits>,
    /// How it ended in the first search, if it ended in each that was tried.
    end_in_search: Option<String>,
}

/// Searches that find out what an engine obeys.
#[derive(Default)]
struct Probe {
    /// The engine, as long as it answers.
    running: Option<Conversation>,
    /// How it has ended in searches.
    ends: Vec<String>,
}

impl Probe {
    /// Tells whether the engine answers these lines with a move; `None` if it does not start.
    fn answers(&mut self, engines: &mut Engines<'_>, lines: &str) -> Option<bool> {
        let mut conversation = match self.running.take() {
            Some(conversation) => conversation,
            None => engines.boot().ok()?,
        };
        conversation.is_checked = false;
        conversation.send(&format!("{START}\n{lines}"));
        match conversation.best_within(PROBE_TIMEOUT) {
            Ok(_) => {
                self.running = Some(conversation);
                return Some(true);
            }
            Err(Abort::Ended(how)) => self.ends.push(how),
            Err(_) => {}
        }
        Some(false)
    }
}

impl<'a> Engines<'a> {
    pub(super) fn new(engine: &'a CheckedEngine, stop: Arc<AtomicBool>) -> Engines<'a> {
        let log = Rc::new(RefCell::new(ItemLog::new(0)));
        let watch = Rc::new(Watch { stop, stalls: PauseMonitor::start_fine() });
        let deadline = Instant::now();
        Engines {
            engine,
            log,
            shared: None,
            has_failed_to_start: false,
            deadline,
            watch,
            limits: None,
            end_in_search: None,
        }
    }

    /// An item begins, which has until then, and the engine's own patience more.
    pub(super) fn begin_item(&mut self, number: u8, limit: Instant) {
        *self.log.borrow_mut() = ItemLog::new(number);
        // An engine that was slow once is waited for as long as before.
        self.has_failed_to_start = false;
        self.deadline = limit + self.engine.timeout;
    }

    /// An item ends: what was said. The next one finds the shared engine idle or not at all.
    pub(super) fn end_item(&mut self, has_aborted: bool) -> ItemLog {
        let drained = self.shared.as_mut().map(Conversation::drain);
        if has_aborted || drained.is_some_and(|drained| drained.is_err()) {
            self.shared = None;
        }
        self.log.replace(ItemLog::new(0))
    }

    /// Fails with what an engine owes that does not get ready within its patience, or with how it ended. It has two
    /// tries, since a first start may have to read from the disk what a second one has in memory. All else is the affair
    /// of the items.
    pub(super) fn try_ready(&mut self) -> Result<(), String> {
        self.begin_item(0, Instant::now() + self.engine.timeout * 4 + QUIT_TIMEOUT * 2);
        // The first try is that which finds out what the engine obeys.
        let booted = self.boot();
        self.end_item(true);
        match booted {
            Err(Abort::Fail(why)) if ["no usiok ", "no readyok "].iter().any(|late| why.starts_with(late)) => Err(why),
            Err(Abort::Ended(how)) => Err(how),
            _ => self.end_in_search.take().map_or(Ok(()), Err),
        }
    }

    /// An engine that has been started and was sent nothing.
    pub(super) fn start(&mut self) -> Result<Conversation, Abort> {
        let launch = self.engine.launch.clone();
        self.start_as(&launch)
    }

    /// Starts the engine by another command line.
    pub(super) fn start_as(&mut self, launch: &Launch) -> Result<Conversation, Abort> {
        Conversation::start(launch, Rc::clone(&self.log), self.engine.timeout, self.deadline, Rc::clone(&self.watch))
    }

    /// An engine that has answered `usi` and has the options of the user. Its book is switched off before, since the
    /// items are about its search.
    pub(super) fn after_handshake(&mut self) -> Result<Conversation, Abort> {
        let conversation = self.start()?;
        self.handshake(conversation)
    }

    fn handshake(&mut self, mut conversation: Conversation) -> Result<Conversation, Abort> {
        conversation.limits = self.limits();
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

    /// Finds out which limits of a search the engine obeys. It is tried out once, in a conversation that is held
    /// against no item; an engine that answers nothing at all shall fail the items themselves.
    pub(super) fn limits(&mut self) -> SearchLimits {
        if let Some(limits) = self.limits {
            return limits;
        }
        // While it is tried out nothing is put in the place of anything.
        self.limits = Some(SearchLimits::ALL);
        let log = self.log.replace(ItemLog::new(0));
        let deadline = self.deadline;
        let has_failed = self.has_failed_to_start;
        self.deadline = Instant::now() + (self.engine.timeout + QUIT_TIMEOUT) * 4;
        let limits = self.try_limits();
        self.deadline = deadline;
        self.has_failed_to_start = has_failed;
        self.log.replace(log);
        self.limits = Some(limits);
        limits
    }

    fn try_limits(&mut self) -> SearchLimits {
        let mut probe = Probe::default();
        // An engine that cannot be started shows that by itself.
        let Some(nodes) = probe.answers(self, "go nodes 500") else { return SearchLimits::ALL };
        let byoyomi = probe.answers(self, "go btime 0 wtime 0 byoyomi 100") == Some(true);
        if !nodes && !byoyomi {
            let endless = probe.answers(self, "go infinite\nstop") == Some(true);
            // It was tried three times.
            if probe.ends.len() == 3 {
                self.end_in_search = Some(probe.ends.swap_remove(0));
            }
            return if endless { SearchLimits { byoyomi, nodes, ..SearchLimits::NONE } } else { SearchLimits::ALL };
        }
        let depth = probe.answers(self, "go depth 2") == Some(true);
        let movetime = probe.answers(self, "go movetime 100") == Some(true);
        SearchLimits { nodes, depth, movetime, byoyomi }
    }

    /// An engine that is ready for a game.
    pub(super) fn boot(&mut self) -> Result<Conversation, Abort> {
        self.boot_with(&[])
    }

    /// Boots the engine with some more options, of those that it lists.
    pub(super) fn boot_with(&mut self, options: &[(&str, &str)]) -> Result<Conversation, Abort> {
        let conversation = self.after_handshake()?;
        self.prepare(conversation, options)
    }

    /// Boots the engine by another command line.
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
