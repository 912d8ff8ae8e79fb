//! The engines that the items check: each item starts its own, or takes the one that stays.

use super::conversation::Conversation;
use super::outcome::Abort;
use super::record::ItemLog;
use crate::process::Launch;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Longest wait for an engine that did not start in time before.
const SHORT_TIMEOUT: Duration = Duration::from_secs(2);

/// The engine to check, and how it is started.
pub struct CheckedEngine {
    /// Program, arguments and folder.
    pub launch: Launch,
    /// Options that are sent each time the engine is started: names and values.
    pub options: Vec<(String, String)>,
    /// Longest time of an answer that has no limit of its own.
    pub timeout: Duration,
}

/// Starts the engine for whoever needs it, and keeps what is said while an item runs.
pub(super) struct Engines<'a> {
    pub(super) engine: &'a CheckedEngine,
    log: Rc<RefCell<ItemLog>>,
    /// An idle engine with the settings of the user, for whoever leaves it as it was.
    shared: Option<Conversation>,
    has_failed_to_start: bool,
    deadline: Instant,
}

impl<'a> Engines<'a> {
    /// Nothing is started yet.
    pub(super) fn new(engine: &'a CheckedEngine) -> Engines<'a> {
        let log = Rc::new(RefCell::new(ItemLog::new(0)));
        Engines { engine, log, shared: None, has_failed_to_start: false, deadline: Instant::now() }
    }

    /// An item begins, which has until then, and the engine's own patience more.
    pub(super) fn begin_item(&mut self, number: u8, limit: Instant) {
        *self.log.borrow_mut() = ItemLog::new(number);
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

    /// An engine that has been started and was sent nothing.
    pub(super) fn start(&mut self) -> Result<Conversation, Abort> {
        let launch = self.engine.launch.clone();
        self.start_as(&launch)
    }

    /// Starts the engine by another command line.
    pub(super) fn start_as(&mut self, launch: &Launch) -> Result<Conversation, Abort> {
        Conversation::start(launch, Rc::clone(&self.log), self.engine.timeout, self.deadline)
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
