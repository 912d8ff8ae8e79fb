//! From login to login: connecting, waiting for games, reconnecting with growing pauses.

use super::client::{Client, NotReady, Resume, Tally};
use super::connection::Connection;
use super::connection::Event;
use super::engine_options;
use super::game::Game;
use super::live::LiveSession;
use super::message::Message;
use super::play::{self, GameEnd};
use super::reporter::{Reporter, fields};
use super::settings::{Mode, Settings};
use super::stop::{Interrupts, Wish};
use super::summary::Summary;
use super::wire::Logged;
use crate::http::Listener;
use komainu::protocol::Command;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use thiserror::Error;

/// The most time that a server gets to answer a login.
pub(super) const LOGIN_TIMEOUT: Duration = Duration::from_secs(30);
/// The most time from `AGREE` to `START`; servers end it after 120 s.
const START_TIMEOUT: Duration = Duration::from_secs(180);
/// Longest wait for the end of the connection after `LOGOUT`.
const LOGOUT_TIMEOUT: Duration = Duration::from_secs(1);
/// Logins that may be refused in a row.
const MAX_REFUSALS: u32 = 3;
/// For how long after a line was lost in a game refusals do not count: the server may still keep the name busy.
const BUSY_NAME: Duration = Duration::from_secs(600);
/// A connection that lasted so long was a good one: the next failure is a first one.
const GOOD_CONNECTION: Duration = Duration::from_secs(60);
/// The longest wait that a server may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3_600);

/// Plays games until the settings or the user end it.
pub fn run(
    settings: Settings,
    reporter: Reporter,
    interrupts: Interrupts,
    logged: Logged,
    listener: Option<Listener>,
) -> Result<Tally, SessionError> {
    let mut client = Client::new(settings, reporter, interrupts, logged)?;
    let open = |listener| LiveSession::open(listener, &client.settings);
    client.live = listener.map(open).transpose().map_err(SessionError::Thread)?;
    let result = client.run();
    client.quit_player();
    client.tell_tally();
    result.map(|()| client.tally)
}

/// The end of a connection.
enum ConnectionEnd {
    /// All games are played, or the user wants to stop.
    Done,
    /// After a game, as it has to be.
    AfterGame,
    InGame(String),
    Failed(String),
    /// The login was refused: the words of the server.
    Refused(String),
}

impl Client {
    fn run(&mut self) -> Result<(), SessionError> {
        if let Some(why) = self.stop.why() {
            self.tell("stopped", fields! { "why": why }, &format!("no game is begun: {why}"));
            return Ok(());
        }
        let mut failures = 0;
        let mut refusals = 0;
        let mut busy_until = Instant::now();
        while self.wants_games() {
            self.ensure_player()?;
            let opened = Instant::now();
            let (why, pause) = match self.connection()? {
                ConnectionEnd::Done => return Ok(()),
                ConnectionEnd::AfterGame => {
                    (failures, refusals) = (0, 0);
                    ("the game is over".to_string(), self.settings.relogin)
                }
                ConnectionEnd::InGame(why) => {
                    (failures, refusals) = (1, 0);
                    busy_until = Instant::now() + BUSY_NAME;
                    (why, self.pause_after(1))
                }
                ConnectionEnd::Failed(why) => {
                    failures = if opened.elapsed() > GOOD_CONNECTION { 1 } else { failures + 1 };
                    if self.settings.retries.is_some_and(|retries| failures > retries) {
                        return Err(SessionError::Network(self.log.hidden(&why)));
                    }
                    (why, self.pause_after(failures))
                }
                ConnectionEnd::Refused(words) => {
                    refusals += 1;
                    let counts = Instant::now() >= busy_until;
                    if counts && refusals >= MAX_REFUSALS {
                        return Err(SessionError::Refused(self.log.hidden(&words)));
                    }
                    (format!("the login was refused: {words}"), self.pause_after(refusals).max(retry_after(&words)))
                }
            };
            if !self.wants_games() {
                break;
            }
            let seconds = pause.as_secs_f64();
            let text = format!("{why}; login again in {seconds:.1} s");
            self.tell("relogin", fields! { "why": why, "pause_s": seconds }, &text);
            self.pause(pause);
        }
        Ok(())
    }

    /// Tests whether another game is to be begun.
    fn wants_games(&mut self) -> bool {
        self.stop.wish() == Wish::PlayOn && self.settings.games.is_none_or(|games| self.tally.games < games)
    }

    /// One connection, from its beginning to its end.
    fn connection(&mut self) -> Result<ConnectionEnd, SessionError> {
        let mut connection = match self.connect(Wish::AfterGame) {
            Ok(Some(connection)) => connection,
            Ok(None) => return Ok(ConnectionEnd::Done),
            Err(why) => return Ok(ConnectionEnd::Failed(why)),
        };
        if let Some(end) = self.log_in(&mut connection) {
            return Ok(end);
        }
        let mut waits_after_game = false;
        loop {
            match self.await_game(&mut connection, waits_after_game) {
                Waited::Ended(end) => return Ok(end),
                Waited::Proposed(summary) => match self.game(connection, *summary)? {
                    (GameEnd::Over, Some(same)) => (connection, waits_after_game) = (same, true),
                    (GameEnd::Over, None) => return Ok(ConnectionEnd::AfterGame),
                    (GameEnd::NotBegun, Some(same)) => (connection, waits_after_game) = (same, false),
                    (GameEnd::NotBegun, None) => return Ok(ConnectionEnd::Failed("no game was begun".to_string())),
                    (GameEnd::Lost(why), _) => return Ok(ConnectionEnd::InGame(why)),
                },
            }
            if !self.wants_games() {
                self.log_out(&mut connection);
                return Ok(ConnectionEnd::Done);
            }
            self.ensure_player()?;
            if self.settings.mode == Mode::X1 && self.ask_for_game(&mut connection).is_err() {
                return Ok(ConnectionEnd::AfterGame);
            }
        }
    }

    /// Sends the login and waits for its answer. Returns the end of the connection if there is none to go on with.
    fn log_in(&mut self, connection: &mut Connection) -> Option<ConnectionEnd> {
        let more = if self.settings.mode == Mode::X1 { " x1" } else { "" };
        if let Err(end) = self.send_login(connection, more) {
            return Some(end);
        }
        let Settings { host, port, name, game, mode, .. } = &self.settings;
        let fields = fields! { "host": host, "port": port, "name": name, "game": game, "mode": mode };
        let text = format!("logged in on {host}:{port} as {name}; waiting for a game");
        self.tell("login", fields, &text);
        if self.settings.mode == Mode::X1
            && let Err(error) = self.ask_for_game(connection)
        {
            return Some(ConnectionEnd::Failed(error.to_string()));
        }
        None
    }

    /// Sends a login with something appended, and waits until it is accepted.
    fn send_login(&mut self, connection: &mut Connection, more: &str) -> Result<(), ConnectionEnd> {
        let line = self.settings.login_line(more);
        let shown = format!("LOGIN {} *****", self.settings.name);
        connection.send_secret(&line, &shown).map_err(|error| ConnectionEnd::Failed(error.to_string()))?;
        let until = Instant::now() + LOGIN_TIMEOUT;
        loop {
            if self.stop.wish() > Wish::AfterGame {
                return Err(ConnectionEnd::Done);
            }
            let failed = match self.news(connection, Some(until)) {
                News::Message(Message::LoggedIn, _) => return Ok(()),
                News::Message(Message::LoginRefused(words), _) => return Err(ConnectionEnd::Refused(words)),
                News::Closed => "the server closed the connection at the login".to_string(),
                News::Late => format!("no answer to the login within {} s", LOGIN_TIMEOUT.as_secs()),
                News::Message(..) | News::EngineLost | News::Nothing => continue,
            };
            return Err(ConnectionEnd::Failed(failed));
        }
    }

    /// Asks for a game in extended mode.
    fn ask_for_game(&mut self, connection: &mut Connection) -> std::io::Result<()> {
        let wish = match self.settings.color {
            Some(komainu::types::Color::Black) => '+',
            Some(komainu::types::Color::White) => '-',
            None => '*',
        };
        match &self.settings.game {
            Some(game) => connection.send(&format!("%%GAME {game} {wish}")),
            None => Ok(()),
        }
    }

    /// Says good-bye where that is usual, and waits a moment for the end.
    fn log_out(&mut self, connection: &mut Connection) {
        if self.settings.is_floodgate() || connection.send("LOGOUT").is_err() {
            return;
        }
        let until = Instant::now() + LOGOUT_TIMEOUT;
        let is_end = |news: &News| matches!(news, News::Message(Message::LoggedOut, _) | News::Closed | News::Late);
        while !is_end(&self.news(connection, Some(until))) {}
    }

    /// Waits until a game is proposed.
    fn await_game(&mut self, connection: &mut Connection, after_game: bool) -> Waited {
        let failed = |why: String| match after_game {
            true => Waited::Ended(ConnectionEnd::AfterGame),
            false => Waited::Ended(ConnectionEnd::Failed(why)),
        };
        loop {
            if self.stop.wish() > Wish::PlayOn {
                self.log_out(connection);
                return Waited::Ended(ConnectionEnd::Done);
            }
            if let Err(error) = connection.keep_alive(self.settings.keep_alive) {
                return failed(error.to_string());
            }
            match self.news(connection, None) {
                News::Message(Message::Proposed(summary), _) => return Waited::Proposed(summary),
                News::Message(Message::ProposedOddly(id, error), _) => {
                    self.reporter.alert(&format!("a game was rejected: {error}"));
                    if connection.send(format!("REJECT {id}").trim_end()).is_err() {
                        return failed("the connection was lost".to_string());
                    }
                }
                News::Message(Message::Notice(text), _) if text.starts_with("##[ERROR]") => self.reporter.alert(&text),
                News::Message(Message::LoginRefused(words), _) => return Waited::Ended(ConnectionEnd::Refused(words)),
                News::Message(Message::LoggedOut, _) => {
                    return failed("the server has logged this name out".to_string());
                }
                News::Closed => return failed("the server closed the connection".to_string()),
                News::EngineLost if self.ensure_player().is_err() => {
                    return failed("the engine does not start".to_string());
                }
                News::Message(..) | News::EngineLost | News::Late | News::Nothing => {}
            }
        }
    }

    /// A game that is proposed: made ready, agreed to, played. The connection comes back if it may go on.
    fn game(
        &mut self,
        mut connection: Connection,
        summary: Summary,
    ) -> Result<(GameEnd, Option<Connection>), SessionError> {
        if let Some(token) = &summary.token {
            self.reporter.hide(token.clone());
        }
        let game = Game::new(summary, self.settings.silent_rules());
        self.tell_summary(&game);
        if let Err(why) = self.make_ready(&game) {
            self.reporter.alert(&format!("the game was rejected: {why}"));
            _ = connection.send(format!("REJECT {}", game.summary.id).trim_end());
            self.drop_player();
            return Ok((GameEnd::NotBegun, Some(connection)));
        }
        if connection.send(format!("AGREE {}", game.summary.id).trim_end()).is_err() {
            return Ok((GameEnd::NotBegun, None));
        }
        match self.await_start(&mut connection) {
            Started::Yes(at) => play::play(self, connection, game, at),
            Started::Rejected => Ok((GameEnd::NotBegun, Some(connection))),
            Started::Lost => Ok((GameEnd::NotBegun, None)),
        }
    }

    fn tell_summary(&mut self, game: &Game) {
        let summary = &game.summary;
        let [black, white] = &summary.players;
        let fields = fields! {
            "game_id": summary.id, "black": black, "white": white,
            "my_color": game.side().name(),
            "start": summary.start.to_sfen(), "moves": summary.moves.len(),
            "entering_king_rule": game.rules.entering_king.to_string(), "max_moves": game.rules.ply_limit,
            "total_ms": summary.times.map(|time| time.total.map(|total| total.as_millis() as u64)),
            "byoyomi_ms": summary.times.map(|time| time.byoyomi.as_millis() as u64),
            "increment_ms": summary.times.map(|time| time.increment.as_millis() as u64),
        };
        let text = format!("game {}: {black} (black) - {white} (white)\nrules: {}", summary.id, game.rules);
        let warnings = summary.warnings.clone();
        self.tell("summary", fields, &text);
        for warning in &warnings {
            self.reporter.alert(warning);
        }
    }

    /// Starts an engine in the middle of a game, in which another one has ended.
    pub(super) fn replace_player(&mut self, game: &Game) -> Result<(), String> {
        self.start_player().map_err(in_words)?;
        self.prepare(game)
    }

    /// Tells the engine the rules and waits until it is ready.
    fn make_ready(&mut self, game: &Game) -> Result<(), String> {
        self.ensure_player().map_err(|error| error.to_string())?;
        self.prepare(game)
    }

    fn prepare(&mut self, game: &Game) -> Result<(), String> {
        let mut untold = Vec::new();
        if let Some(player) = self.player() {
            for (name, value, _) in engine_options::of_rules(&game.rules) {
                _ = player.set_if_taken(&name, &value);
            }
            untold = engine_options::untold(&game.rules, |name| player.takes(name));
        }
        if !untold.is_empty() {
            self.reporter.alert(&format!("the engine has no options for {}", untold.join(" and ")));
        }
        let needs_ready = self.player().is_some_and(|player| player.needs_ready());
        let ready = if needs_ready { self.ready() } else { Ok(()) };
        // What it does for a new game must not cost time of the first move.
        let ready = ready.and_then(|()| {
            self.send_player(Command::NewGame);
            self.ready()
        });
        ready.map_err(in_words)
    }

    /// Waits for the beginning of a game that was agreed to.
    fn await_start(&mut self, connection: &mut Connection) -> Started {
        let until = Instant::now() + START_TIMEOUT;
        loop {
            if self.stop.wish() > Wish::AfterGame || connection.keep_alive(self.settings.keep_alive).is_err() {
                return Started::Lost;
            }
            match self.news(connection, Some(until)) {
                News::Message(Message::Started, at) => return Started::Yes(at),
                News::Message(Message::Rejected(words), _) => {
                    self.tell("reject", fields! { "why": words }, &format!("the game was rejected: {words}"));
                    return Started::Rejected;
                }
                News::Closed | News::Late => return Started::Lost,
                News::Message(..) | News::EngineLost | News::Nothing => {}
            }
        }
    }

    /// The next event as far as a wait outside of a game cares about it. An engine that has ended is taken leave of.
    fn news(&mut self, connection: &mut Connection, until: Option<Instant>) -> News {
        if until.is_some_and(|until| Instant::now() >= until) {
            return News::Late;
        }
        match self.event(until) {
            Some(Event::Line(number, line)) => match self.receive(connection, number, &line) {
                Some(received) => News::Message(received.message, received.at),
                None => News::Nothing,
            },
            Some(Event::Closed(number)) if number == connection.number() => News::Closed,
            Some(Event::EngineClosed(number)) if self.lose_player(number).is_some() => News::EngineLost,
            _ => News::Nothing,
        }
    }

    /// Takes up a game again after the connection was lost: logs in with the token of the game and waits for the game
    /// as the server has it.
    pub(super) fn resume(&mut self, game: &Game) -> Result<(Connection, Summary), Resume> {
        let Some(token) = game.summary.token.clone() else { return Err(Resume::Refused("no token".to_string())) };
        let mut connection = match self.connect(Wish::Resign) {
            Ok(Some(connection)) => connection,
            Ok(None) => return Err(Resume::Refused("interrupted".to_string())),
            Err(why) => return Err(Resume::Failed(why)),
        };
        let more = format!(" reconnect:{}+{}", game.summary.id, token.reveal());
        match self.send_login(&mut connection, &more) {
            Ok(()) => {}
            Err(ConnectionEnd::Refused(words)) => return Err(Resume::Refused(words)),
            Err(ConnectionEnd::Failed(why)) => return Err(Resume::Failed(why)),
            Err(_) => return Err(Resume::Refused("interrupted".to_string())),
        }
        let until = Instant::now() + LOGIN_TIMEOUT;
        let mut summary = None;
        loop {
            match (self.news(&mut connection, Some(until)), summary.take()) {
                (News::Message(Message::Proposed(again), _), _) => summary = Some(again),
                (News::Message(Message::Resumed(state), _), Some(again)) => {
                    return Ok((connection, Summary { resumed: Some(state), ..*again }));
                }
                (News::Message(Message::LoginRefused(words), _), _) => return Err(Resume::Refused(words)),
                (News::Closed, _) => return Err(Resume::Failed("the server closed the connection".to_string())),
                (News::Late, _) => return Err(Resume::Failed("the server did not give the game back".to_string())),
                (News::Message(..) | News::EngineLost | News::Nothing, kept) => summary = kept,
            }
        }
    }
}

/// Why an engine is not ready.
fn in_words(error: NotReady) -> String {
    match error {
        NotReady::Broken(why) => format!("the engine: {why}"),
        NotReady::Stopped => "interrupted".to_string(),
    }
}

/// Something that a wait outside of a game cares about.
enum News {
    /// A message of the server, and when its end arrived.
    Message(Message, Instant),
    /// The server has closed the connection.
    Closed,
    EngineLost,
    Late,
    /// Nothing has come for a moment, or nothing of interest.
    Nothing,
}

/// The result of waiting for a game.
enum Waited {
    Proposed(Box<Summary>),
    Ended(ConnectionEnd),
}

/// The result of waiting for the beginning of a game.
enum Started {
    Yes(Instant),
    Rejected,
    Lost,
}

/// The wait that the server asks for: `rate_limited retry_after=9`.
fn retry_after(words: &str) -> Duration {
    let number = words.split_ascii_whitespace().find_map(|word| word.strip_prefix("retry_after="));
    let seconds = number.and_then(|number| number.parse().ok()).unwrap_or(0);
    Duration::from_secs(seconds).min(MAX_RETRY_AFTER)
}

/// Why a session ends before its end.
#[derive(Debug, Error)]
pub enum SessionError {
    /// A file cannot be written, or a folder made.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, #[source] io::Error),
    /// The system has no threads to give.
    #[error("no thread: {0}")]
    Thread(#[source] io::Error),
    /// The network was given up: the last reason.
    #[error("the network was given up: {0}")]
    Network(String),
    /// The server refuses the login: its words.
    #[error("the login was refused three times in a row: {0}")]
    Refused(String),
    /// The engine cannot be started, or cannot be set as the settings wish.
    #[error("the engine is given up: {0}")]
    Engine(String),
}

impl SessionError {
    /// The exit code: 1 for files and threads, 2 for the network, 3 for a login that is refused, 4 for the engine.
    pub fn exit_code(&self) -> u8 {
        match self {
            SessionError::File(..) | SessionError::Thread(_) => 1,
            SessionError::Network(_) => 2,
            SessionError::Refused(_) => 3,
            SessionError::Engine(_) => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_ask_to_wait() {
        assert_eq!(retry_after("incorrect rate_limited retry_after=9"), Duration::from_secs(9));
        assert_eq!(retry_after("incorrect retry_after=999999999"), MAX_RETRY_AFTER);
        assert_eq!(retry_after("incorrect retry_after=x"), Duration::ZERO);
        assert_eq!(retry_after("incorrect"), Duration::ZERO);
    }
}
