//! Settings of a session, complete and checked.

use super::secret::{Redactor, Secret};
use crate::settings::{Encoding, Ponder, RecordFormat};
use komainu::position::{GameRules, RuleSet};
use komainu::types::Color;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// The variable of the environment that may hold the password.
pub const PASSWORD_VARIABLE: &str = "KOMAINU_CSA_PASSWORD";

/// Settings of a session.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name or address of the server.
    pub host: String,
    pub port: u16,
    /// The name to log in with.
    pub name: String,
    /// The word that is sent as the password.
    pub password: Secret,
    /// The game that is waited for.
    pub game: Option<String>,
    /// The side that is wished for.
    pub color: Option<Color>,
    pub mode: Mode,
    /// Silence after which an empty line is sent; none for never.
    pub keep_alive: Option<Duration>,
    /// When the system asks whether the other side is there; none for never.
    pub tcp_keep_alive: Option<Duration>,
    /// Who plays.
    pub engine: EngineSettings,
    /// The least time that is held back of each move; measured if none is given.
    pub margin: Option<Duration>,
    /// The least time of a move.
    pub least: Duration,
    /// The files that are written.
    pub record: RecordSettings,
    /// Games to play; none for no end.
    pub games: Option<u64>,
    /// The hour and minute after which no game is begun.
    pub until: Option<(u8, u8)>,
    /// The pause before a login.
    pub relogin: Duration,
    pub relogin_max: Duration,
    /// Failures in a row after which the network is given up.
    pub retries: Option<u32>,
    /// Hides all that must not be shown.
    pub redactor: Redactor,
}

/// The mode of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The game is named by the password; the server may end the connection after a game.
    #[default]
    Csa,
    /// The extended mode: games are asked for with `%%GAME`, the connection stays.
    X1,
}

/// The engine that plays.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The command of a program; the built-in engine without one.
    pub command: Option<String>,
    /// The folder that it runs in.
    pub folder: Option<PathBuf>,
    pub ponder: Ponder,
    /// The score below zero at which it resigns.
    pub resign: Option<u32>,
    /// The longest silence before it is given up.
    pub timeout: Duration,
    /// USI options.
    pub options: BTreeMap<String, String>,
}

/// The files that are written.
#[derive(Clone, Debug)]
pub struct RecordSettings {
    pub folder: PathBuf,
    pub formats: Vec<RecordFormat>,
    pub encoding: Encoding,
    /// The pattern of the names, from {date}, {time}, {black}, {white}, {id}.
    pub name: String,
    /// Scores and expected lines stand with the own moves.
    pub comments: bool,
}

impl Settings {
    /// Tests whether this is floodgate, whose clients close the connection without a word.
    pub fn is_floodgate(&self) -> bool {
        self.game.as_deref().is_some_and(|game| game.starts_with("floodgate-")) || self.host.starts_with("wdoor.")
    }

    /// The rules of the server as far as its name tells them, for games whose summary is silent.
    pub fn silent_rules(&self) -> GameRules {
        if self.is_floodgate() {
            return RuleSet::Floodgate.rules();
        }
        if self.host.contains("denryu") {
            return RuleSet::Denryu.rules();
        }
        if self.host.contains("wcsc") {
            return RuleSet::Wcsc.rules();
        }
        // The rules of floodgate's program, without its limit.
        GameRules { ply_limit: 0, ..RuleSet::Floodgate.rules() }
    }

    /// The line that logs in, with what is appended to it. It is a secret.
    pub fn login_line(&self, more: &str) -> Secret {
        Secret::new(format!("LOGIN {} {}{more}", self.name, self.password.reveal()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Settings of a player of this name on this host, for this game.
    pub(crate) fn settings(host: &str, game: &str) -> Settings {
        Settings {
            host: host.to_string(),
            port: 4081,
            name: "n".to_string(),
            password: Secret::new(game),
            game: Some(game.to_string()),
            color: None,
            mode: Mode::Csa,
            keep_alive: None,
            tcp_keep_alive: None,
            engine: EngineSettings {
                command: None,
                folder: None,
                ponder: Ponder::On,
                resign: None,
                timeout: crate::client::DEFAULT_TIMEOUT,
                options: BTreeMap::new(),
            },
            margin: None,
            least: Duration::ZERO,
            record: RecordSettings {
                folder: PathBuf::from("."),
                formats: vec![RecordFormat::Csa],
                encoding: Encoding::Utf8,
                name: "{date}".to_string(),
                comments: true,
            },
            games: None,
            until: None,
            relogin: Duration::from_secs(1),
            relogin_max: Duration::from_secs(60),
            retries: None,
            redactor: Redactor::default(),
        }
    }

    #[test]
    fn a_server_is_known_by_its_name_where_the_summary_is_silent() {
        assert_eq!(settings("h", "floodgate-300-10F").silent_rules(), RuleSet::Floodgate.rules());
        let other = settings("h", "test-300-10F").silent_rules();
        assert_eq!((other.ply_limit, other.start_counts, other.mate_on_last_ply), (0, false, false));
    }
}
