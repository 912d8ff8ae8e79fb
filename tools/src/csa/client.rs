//! A session: logins, games, and what happens between them.

use super::clock::Latency;
use super::connection::{self, Connection, Event, MAX_WAITING};
use super::engine_options;
use super::live::LiveSession;
use super::message::Message;
use super::reporter::Reporter;
use super::session::{ConnectionEnd, SessionError};
use super::settings::{PASSWORD_VARIABLE, Settings};
use super::stop::{Interrupts, Stop, Wish};
use super::unfinished;
use super::wire::{Logged, WireLog};
use crate::arena::engine::identity;
use crate::arena::live::Seat;
use crate::client::{EngineError, EngineEvent, Setup, Source, UsiEngine};
use crate::process::{Launch, OutputLine};
use komainu::notation::json::EngineIdentity;
use komainu::protocol::{Command, READYOK, USIOK};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt::Display;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

/// Interval at which wishes to stop are looked at while nothing else happens.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The shortest pause after a failure, whatever the settings say.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
/// Failures of an engine to start that end the session.
const MAX_STARTS: u32 = 3;

/// The games of a session by their results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Games that were begun and have ended.
    pub games: u64,
    pub wins: u64,
    pub losses: u64,
    pub draws: u64,
}

/// A client of a server.
pub(super) struct Client {
    pub(super) settings: Settings,
    pub(super) reporter: Reporter,
    pub(super) log: Arc<WireLog>,
    pub(super) latency: Latency,
    pub(super) tally: Tally,
    pub(super) stop: Stop,
    /// The page of the session, and the board of the present game on it.
    pub(super) live: Option<LiveSession>,
    pub(super) seat: Seat,
    player: Option<Player>,
    /// Games in a row in which the engine broke down.
    pub(super) broken_games: u32,
    sender: SyncSender<Event>,
    events: Receiver<Event>,
    /// Events that came while something else was waited for.
    stash: VecDeque<Event>,
    next_number: u64,
}

/// Who plays, the built-in engine within this process or a program, with the number of its events.
struct Player {
    engine: UsiEngine,
    number: u64,
}

impl Player {
    /// Starts the engine that the settings name; it has said nothing yet.
    fn start(settings: &Settings, number: u64, log: &Arc<WireLog>, sender: &SyncSender<Event>) -> io::Result<Player> {
        let sender = sender.clone();
        let tell = move |event| {
            // The receiver ends with the client.
            _ = sender.send(match event {
                EngineEvent::Line(line) => Event::Engine(number, line),
                EngineEvent::Closed => Event::EngineClosed(number),
            });
        };
        let listener = Arc::<WireLog>::clone(log);
        let setup = Setup { listener, ..Setup::of_patience(settings.engine.timeout) };
        let engine = match &settings.engine.command {
            None => {
                let run = |input, output| _ = komainu::usi::run(input, output);
                UsiEngine::connect(Source::Within(run), setup, tell)?
            }
            Some(command) => {
                let launch = Launch::new(command, settings.engine.folder.as_deref())?;
                let launch = launch.without_variable(PASSWORD_VARIABLE);
                UsiEngine::connect(Source::Program(&launch), setup, tell)?
            }
        };
        Ok(Player { engine, number })
    }

    /// The name that it gives itself.
    fn name(&self) -> &str {
        if self.engine.name().is_empty() { "the engine" } else { self.engine.name() }
    }
}

/// There is no engine any more.
fn gone() -> EngineError {
    EngineError::Ended("it is gone".to_string())
}

impl Client {
    /// A client that has not connected yet. Its folder is made, the engine is not started.
    pub(super) fn new(
        settings: Settings,
        mut reporter: Reporter,
        interrupts: Interrupts,
        logged: Logged,
    ) -> Result<Client, SessionError> {
        let fail = |error| SessionError::File(settings.record.folder.clone(), error);
        fs::create_dir_all(&settings.record.folder).map_err(fail)?;
        reporter.redactor = settings.redactor.clone();
        for fault in unfinished::list(&settings.record.folder) {
            reporter.alert(&fault);
        }
        let log = WireLog::open(&settings.record.folder, logged, settings.redactor.clone()).map_err(fail)?;
        let stop = Stop::new(interrupts, &settings.record.folder, settings.until);
        let (sender, events) = sync_channel(MAX_WAITING);
        Ok(Client {
            reporter,
            log: Arc::new(log),
            latency: Latency::default(),
            tally: Tally::default(),
            stop,
            live: None,
            seat: Seat::default(),
            player: None,
            broken_games: 0,
            sender,
            events,
            stash: VecDeque::new(),
            next_number: 0,
            settings,
        })
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// The next event, or none when the moment has come or a wish to stop should be looked at.
    pub(super) fn event(&mut self, until: Option<Instant>) -> Option<Event> {
        if let Some(event) = self.stash.pop_front() {
            return Some(event);
        }
        let left = until.map_or(POLL_INTERVAL, |until| until.saturating_duration_since(Instant::now()));
        match self.events.recv_timeout(left.min(POLL_INTERVAL)) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => unreachable!("the client holds a sender itself"),
        }
    }

    /// Tells an event of the session.
    pub(super) fn tell(&mut self, name: &str, fields: Value, text: &str) {
        self.reporter.event(name, fields, text);
    }

    /// Waits, unless the user wants to stop. Returns whether the time has passed.
    pub(super) fn pause(&mut self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if self.stop.wish() > Wish::PlayOn {
                return false;
            }
            if let Some(Event::EngineClosed(number)) = self.event(Some(until)) {
                self.lose_player(number);
            }
        }
        true
    }

    /// Pause before the next login: it doubles with each of the failures, and a random part of up to a quarter keeps
    /// clients apart.
    pub(super) fn pause_after(&self, failures: u32) -> Duration {
        let first = self.settings.relogin.max(LEAST_PAUSE);
        let pause =
            first.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(self.settings.relogin_max.max(first));
        let nanos = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos());
        pause + pause.mul_f64(f64::from(nanos % 1_000) / 4_000.0)
    }

    /// The engine, if it lives.
    pub(super) fn player(&mut self) -> Option<&mut UsiEngine> {
        self.player.as_mut().map(|player| &mut player.engine)
    }

    /// Tests whether events of this number are those of the engine.
    pub(super) fn is_player(&self, number: u64) -> bool {
        self.player.as_ref().is_some_and(|player| player.number == number)
    }

    /// Ends the engine, which will be started anew for the next game.
    pub(super) fn drop_player(&mut self) {
        self.player = None;
    }

    /// The engine with this number has ended: how, if it is the one that plays.
    pub(super) fn lose_player(&mut self, number: u64) -> Option<EngineError> {
        let mut player = self.player.take_if(|player| player.number == number)?;
        let error = player.engine.ended();
        self.reporter.alert(&format!("{}: {error}", player.name()));
        Some(error)
    }

    /// Sends to the engine. Returns whether it reads.
    pub(super) fn send_player(&mut self, text: impl Display) -> bool {
        let Some(player) = &mut self.player else { return false };
        match player.engine.send(text) {
            Ok(()) => true,
            Err(error) => {
                let alert = format!("{}: {error}", player.name());
                self.player = None;
                self.reporter.alert(&alert);
                false
            }
        }
    }

    /// Starts the engine if there is none, and gives it the options of the settings. A failure is tried again a few
    /// times, with growing pauses.
    pub(super) fn ensure_player(&mut self) -> Result<(), SessionError> {
        let mut failures = 0;
        while self.player.is_none() {
            match self.start_player() {
                Ok(()) => {}
                Err(EngineError::Halted) => return Ok(()),
                Err(error) => {
                    self.player = None;
                    failures += 1;
                    if failures == MAX_STARTS || self.tally.games == 0 {
                        return Err(SessionError::Engine(error.to_string()));
                    }
                    self.reporter.alert(&format!("the engine did not start: {error}"));
                    self.pause(Duration::from_secs(1 << failures));
                }
            }
        }
        Ok(())
    }

    /// Starts the engine and makes it ready. [`EngineError::Halted`] if the user wants to stop at once.
    pub(super) fn start_player(&mut self) -> Result<(), EngineError> {
        let number = self.number();
        let player = Player::start(&self.settings, number, &self.log, &self.sender);
        let command = self.settings.engine.command.clone().unwrap_or_else(|| "the built-in engine".to_string());
        self.player = Some(player.map_err(|error| EngineError::Start(command, error))?);
        self.ask_player(Command::Usi, USIOK)?;
        let mut alerts = Vec::new();
        if let Some(player) = &mut self.player {
            for (name, value, is_wished) in engine_options::at_start(&self.settings) {
                match player.engine.set(&name, &value) {
                    Err(EngineError::NotListed(_)) if !is_wished => {}
                    Err(error @ EngineError::NotListed(_)) => {
                        alerts.push(format!("{}: {error}", player.name()));
                        player.engine.set_unlisted(&name, &value)?;
                    }
                    result => result?,
                }
            }
        }
        for alert in &alerts {
            self.reporter.alert(alert);
        }
        // Nets and tables are read now, and not when a game waits; nor are they summed up then.
        self.ready()?;
        self.identity();
        Ok(())
    }

    /// The engine as its records name it.
    pub(super) fn identity(&self) -> EngineIdentity {
        self.player.as_ref().map(|player| identity(&player.engine)).unwrap_or_default()
    }

    /// Asks the engine whether it is ready, and waits for the answer.
    pub(super) fn ready(&mut self) -> Result<(), EngineError> {
        if let Some(player) = self.player().filter(|player| player.needs_ready()) {
            player.check_files()?;
        }
        self.ask_player(Command::IsReady, READYOK)?;
        if let Some(player) = self.player() {
            player.note_ready();
        }
        Ok(())
    }

    /// Sends a command and waits for the word that answers it.
    fn ask_player(&mut self, command: Command, word: &'static str) -> Result<(), EngineError> {
        self.player.as_mut().ok_or_else(gone)?.engine.send(command)?;
        self.await_word(word)
    }

    /// Waits for a word of the engine. All else that happens meanwhile is kept for later.
    fn await_word(&mut self, word: &'static str) -> Result<(), EngineError> {
        let since = Instant::now();
        let mut kept = std::mem::take(&mut self.stash);
        let result = loop {
            let Some(player) = &self.player else { break Err(gone()) };
            let number = player.number;
            if player.engine.is_silent(since) {
                break Err(EngineError::Silent(word, player.engine.timeout()));
            }
            if self.stop.wish() == Wish::AtOnce {
                break Err(EngineError::Halted);
            }
            match self.event(None) {
                Some(Event::Engine(from, line)) if from == number => {
                    if line.text == word {
                        break Ok(());
                    }
                    if let Some(player) = &mut self.player {
                        player.engine.take(&line);
                    }
                }
                Some(Event::EngineClosed(from)) => {
                    if let Some(error) = self.lose_player(from) {
                        break Err(error);
                    }
                }
                Some(event) => kept.push_back(event),
                None => {}
            }
        };
        kept.append(&mut self.stash);
        self.stash = kept;
        result
    }

    /// Connects, unless the user wants to stop as much as this.
    pub(super) fn connect(&mut self, given_up: Wish) -> Result<Connection, ConnectionEnd> {
        let number = self.number();
        let Settings { host, port, tcp_keep_alive, .. } = &self.settings;
        connection::open(host, *port, *tcp_keep_alive, number, &self.sender)?;
        let stream: TcpStream = loop {
            if self.stop.wish() >= given_up {
                return Err(ConnectionEnd::Stopped);
            }
            match self.event(None) {
                Some(Event::Connected(from, stream)) if from == number => {
                    let place = format!("{}:{}", self.settings.host, self.settings.port);
                    break stream.map_err(|error| ConnectionEnd::Failed(format!("{place}: {error}")))?;
                }
                Some(Event::EngineClosed(from)) => _ = self.lose_player(from),
                _ => {}
            }
        };
        Ok(Connection::new(stream, number, Arc::clone(&self.log), &self.sender)?)
    }

    /// The message of a line of this connection; lines of others have none.
    pub(super) fn receive(&mut self, connection: &mut Connection, number: u64, line: &OutputLine) -> Option<Message> {
        if number != connection.number {
            return None;
        }
        match connection.receive(line) {
            Ok(message) => message,
            Err(fault) => {
                self.reporter.alert(fault);
                None
            }
        }
    }

    pub(super) fn quit_player(&mut self) {
        if let Some(player) = self.player.take() {
            player.engine.quit();
        }
    }

    /// Tells the games of the session by their results, in words and as an event.
    pub(super) fn tell_tally(&mut self) {
        let Tally { games, wins, losses, draws } = self.tally;
        let others = games - wins - losses - draws;
        let fields = json!({ "games": games, "wins": wins, "losses": losses, "draws": draws, "others": others });
        let text = format!("games {games} wins {wins} losses {losses} draws {draws} others {others}");
        self.tell("done", fields, &text);
    }
}
