//! From login to login: connecting, waiting for games, reconnecting with growing pauses.

use super::client::{Client, Tally};
use super::connection::{Connection, Event};
use super::engine_options;
use super::game::Game;
use super::live::LiveSession;
use super::message::Message;
use super::play::{self, GameEnd};
use super::reporter::Reporter;
use super::secret::Secret;
use super::settings::{Mode, Settings};
use super::stop::{Interrupts, Wish};
use super::summary::Summary;
use super::wire::Logged;
use crate::client::EngineError;
use crate::http::Listener;
use komainu::protocol::Command;
use komainu::types::Color;
use serde_json::json;
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

/// Why a connection ends, or is none, before all games are played.
pub(super) enum ConnectionEnd {
    /// The user wants to stop.
    Stopped,
    /// After a game, as it has to be.
    AfterGame,
    InGame(String),
    Failed(String),
    /// The login was refused: the words of the server.
    Refused(String),
    /// The session ends with it.
    Session(SessionError),
}

impl From<io::Error> for ConnectionEnd {
    fn from(error: io::Error) -> ConnectionEnd {
        ConnectionEnd::Failed(error.to_string())
    }
}

impl From<SessionError> for ConnectionEnd {
    fn from(error: SessionError) -> ConnectionEnd {
        ConnectionEnd::Session(error)
    }
}

impl Client {
    fn run(&mut self) -> Result<(), SessionError> {
        if let Some(why) = self.stop.why() {
            self.tell("stopped", json!({ "why": why }), &format!("no game is begun: {why}"));
            return Ok(());
        }
        let mut failures = 0;
        let mut refusals = 0;
        let mut busy_until = Instant::now();
        while self.wants_games() {
            self.ensure_player()?;
            let opened = Instant::now();
            let (why, pause) = match self.connection() {
                Ok(()) | Err(ConnectionEnd::Stopped) => return Ok(()),
                Err(ConnectionEnd::Session(error)) => return Err(error),
                Err(ConnectionEnd::AfterGame) => {
                    (failures, refusals) = (0, 0);
                    ("the game is over".to_string(), self.settings.relogin)
                }
                Err(ConnectionEnd::InGame(why)) => {
                    (failures, refusals) = (1, 0);
                    busy_until = Instant::now() + BUSY_NAME;
                    (why, self.pause_after(1))
                }
                Err(ConnectionEnd::Failed(why)) => {
                    failures = if opened.elapsed() > GOOD_CONNECTION { 1 } else { failures + 1 };
                    if self.settings.retries.is_some_and(|retries| failures > retries) {
                        return Err(SessionError::Network(self.reporter.redactor.hide(&why)));
                    }
                    (why, self.pause_after(failures))
                }
                Err(ConnectionEnd::Refused(words)) => {
                    refusals += 1;
                    let counts = Instant::now() >= busy_until;
                    if counts && refusals >= MAX_REFUSALS {
                        return Err(SessionError::Refused(self.reporter.redactor.hide(&words)));
                    }
                    (format!("the login was refused: {words}"), self.pause_after(refusals).max(retry_after(&words)))
                }
            };
            if !self.wants_games() {
                break;
            }
            let seconds = pause.as_secs_f64();
            let text = format!("{why}; login again in {seconds:.1} s");
            self.tell("relogin", json!({ "why": why, "pause_s": seconds }), &text);
            self.pause(pause);
        }
        Ok(())
    }

    /// Tests whether another game is to be begun.
    fn wants_games(&mut self) -> bool {
        self.stop.wish() == Wish::PlayOn && self.settings.games.is_none_or(|games| self.tally.games < games)
    }

    /// One connection, until all games are played or it ends before.
    fn connection(&mut self) -> Result<(), ConnectionEnd> {
        let mut connection = self.connect(Wish::AfterGame)?;
        self.log_in(&mut connection)?;
        let mut is_after_game = false;
        loop {
            let summary = self.await_game(&mut connection, is_after_game)?;
            let end = self.game(connection, summary)?;
            is_after_game = matches!(end, GameEnd::Over(_));
            connection = match end {
                GameEnd::Over(same) | GameEnd::NotBegun(Some(same)) => same,
                GameEnd::NotBegun(None) => return Err(ConnectionEnd::Failed("no game was begun".to_string())),
                GameEnd::Lost(why) => return Err(ConnectionEnd::InGame(why)),
            };
            if !self.wants_games() {
                self.log_out(&mut connection);
                return Ok(());
            }
            self.ensure_player()?;
            if self.settings.mode == Mode::X1 && self.ask_for_game(&mut connection).is_err() {
                return Err(ConnectionEnd::AfterGame);
            }
        }
    }

    /// Sends the login and waits for its answer.
    fn log_in(&mut self, connection: &mut Connection) -> Result<(), ConnectionEnd> {
        let is_extended = self.settings.mode == Mode::X1;
        self.send_login(connection, if is_extended { " x1" } else { "" })?;
        let Settings { host, port, name, game, mode, .. } = &self.settings;
        let fields = json!({ "host": host, "port": port, "name": name, "game": game, "mode": mode });
        let text = format!("logged in on {host}:{port} as {name}; waiting for a game");
        self.tell("login", fields, &text);
        if is_extended {
            self.ask_for_game(connection)?;
        }
        Ok(())
    }

    /// Sends a login with something appended, and waits until it is accepted.
    fn send_login(&mut self, connection: &mut Connection, more: &str) -> Result<(), ConnectionEnd> {
        let line = self.settings.login_line(more);
        let shown = format!("LOGIN {} *****", self.settings.name);
        connection.send_secret(line.reveal(), &shown)?;
        let until = Instant::now() + LOGIN_TIMEOUT;
        loop {
            if self.stop.wish() > Wish::AfterGame {
                return Err(ConnectionEnd::Stopped);
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
    fn ask_for_game(&mut self, connection: &mut Connection) -> io::Result<()> {
        let wish = match self.settings.color {
            Some(Color::Black) => '+',
            Some(Color::White) => '-',
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
    fn await_game(&mut self, connection: &mut Connection, is_after_game: bool) -> Result<Summary, ConnectionEnd> {
        let failed = |why: &str| match is_after_game {
            true => ConnectionEnd::AfterGame,
            false => ConnectionEnd::Failed(why.to_string()),
        };
        loop {
            if self.stop.wish() > Wish::PlayOn {
                self.log_out(connection);
                return Err(ConnectionEnd::Stopped);
            }
            connection.keep_alive(self.settings.keep_alive).map_err(|error| failed(&error.to_string()))?;
            match self.news(connection, None) {
                News::Message(Message::Proposed(summary), _) => return Ok(*summary),
                News::Message(Message::ProposedOddly(id, error), _) => {
                    self.reporter.alert(&format!("a game was rejected: {error}"));
                    let sent = connection.send(format!("REJECT {id}").trim_end());
                    sent.map_err(|_| failed("the connection was lost"))?;
                }
                News::Message(Message::Notice(text), _) if text.starts_with("##[ERROR]") => self.reporter.alert(&text),
                News::Message(Message::LoginRefused(words), _) => return Err(ConnectionEnd::Refused(words)),
                News::Message(Message::LoggedOut, _) => return Err(failed("the server has logged this name out")),
                News::Closed => return Err(failed("the server closed the connection")),
                News::EngineLost if self.ensure_player().is_err() => return Err(failed("the engine does not start")),
                News::Message(..) | News::EngineLost | News::Late | News::Nothing => {}
            }
        }
    }

    /// A game that is proposed: made ready, agreed to, played.
    fn game(&mut self, mut connection: Connection, summary: Summary) -> Result<GameEnd, SessionError> {
        if let Some(token) = &summary.token {
            self.reporter.redactor.add(token.clone());
        }
        let game = Game::new(summary, self.settings.silent_rules());
        self.tell_summary(&game);
        if let Err(why) = self.make_ready(&game) {
            self.reporter.alert(&format!("the game was rejected: {why}"));
            _ = connection.send(format!("REJECT {}", game.summary.id).trim_end());
            self.drop_player();
            return Ok(GameEnd::NotBegun(Some(connection)));
        }
        if connection.send(format!("AGREE {}", game.summary.id).trim_end()).is_err() {
            return Ok(GameEnd::NotBegun(None));
        }
        match self.await_start(connection) {
            Ok((connection, at)) => play::play(self, connection, game, at),
            Err(end) => Ok(end),
        }
    }

    fn tell_summary(&mut self, game: &Game) {
        let summary = &game.summary;
        let [black, white] = &summary.players;
        let fields = json!({
            "game_id": summary.id, "black": black, "white": white,
            "my_color": game.side().name(),
            "start": summary.start.to_sfen(), "moves": summary.moves.len(),
            "entering_king_rule": game.rules.entering_king.to_string(), "max_moves": game.rules.ply_limit,
            "total_ms": summary.times.map(|time| time.total.map(|total| total.as_millis() as u64)),
            "byoyomi_ms": summary.times.map(|time| time.byoyomi.as_millis() as u64),
            "increment_ms": summary.times.map(|time| time.increment.as_millis() as u64),
        });
        let text = format!("game {}: {black} (black) - {white} (white)\nrules: {}", summary.id, game.rules);
        self.tell("summary", fields, &text);
        for warning in &summary.warnings {
            self.reporter.alert(warning);
        }
    }

    /// Starts an engine in the middle of a game, in which another one has ended.
    pub(super) fn replace_player(&mut self, game: &Game) -> Result<(), EngineError> {
        self.start_player()?;
        self.prepare(game)
    }

    /// Tells the engine the rules and waits until it is ready.
    fn make_ready(&mut self, game: &Game) -> Result<(), String> {
        self.ensure_player().map_err(|error| error.to_string())?;
        self.prepare(game).map_err(|error| format!("the engine: {error}"))
    }

    fn prepare(&mut self, game: &Game) -> Result<(), EngineError> {
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
        if self.player().is_some_and(|player| player.needs_ready()) {
            self.ready()?;
        }
        // What it does for a new game must not cost time of the first move.
        self.send_player(Command::NewGame);
        self.ready()
    }

    /// Waits for the beginning of a game that was agreed to.
    fn await_start(&mut self, mut connection: Connection) -> Result<(Connection, Instant), GameEnd> {
        let until = Instant::now() + START_TIMEOUT;
        loop {
            if self.stop.wish() > Wish::AfterGame || connection.keep_alive(self.settings.keep_alive).is_err() {
                return Err(GameEnd::NotBegun(None));
            }
            match self.news(&mut connection, Some(until)) {
                News::Message(Message::Started, at) => return Ok((connection, at)),
                News::Message(Message::Rejected(words), _) => {
                    self.tell("reject", json!({ "why": words }), &format!("the game was rejected: {words}"));
                    return Err(GameEnd::NotBegun(Some(connection)));
                }
                News::Closed | News::Late => return Err(GameEnd::NotBegun(None)),
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
                Some(message) => News::Message(message, line.at),
                None => News::Nothing,
            },
            Some(Event::Closed(number)) if number == connection.number => News::Closed,
            Some(Event::EngineClosed(number)) if self.lose_player(number).is_some() => News::EngineLost,
            _ => News::Nothing,
        }
    }

    /// Takes up a game again after the connection was lost: logs in with the token of the game and waits for the game
    /// as the server has it.
    pub(super) fn resume(&mut self, id: &str, token: &Secret) -> Result<(Connection, Summary), ConnectionEnd> {
        let mut connection = self.connect(Wish::Resign)?;
        self.send_login(&mut connection, &format!(" reconnect:{id}+{}", token.reveal()))?;
        let until = Instant::now() + LOGIN_TIMEOUT;
        let mut summary = None;
        loop {
            match self.news(&mut connection, Some(until)) {
                News::Message(Message::Proposed(again), _) => summary = Some(again),
                News::Message(Message::Resumed(state), _) => {
                    if let Some(again) = summary.take() {
                        return Ok((connection, Summary { resumed: Some(state), ..*again }));
                    }
                }
                News::Message(Message::LoginRefused(words), _) => return Err(ConnectionEnd::Refused(words)),
                News::Closed => return Err(ConnectionEnd::Failed("the server closed the connection".to_string())),
                News::Late => return Err(ConnectionEnd::Failed("the server did not give the game back".to_string())),
                News::Message(..) | News::EngineLost | News::Nothing => {}
            }
        }
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
