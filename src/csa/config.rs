//! The file of settings, `csa.toml`: what it may hold, and what it is together with flags.
//!
//! Every value may be missing. Flags make a [`Config`] of their own that counts before the file ([`Config::over`]);
//! [`super::settings::Settings`] is what remains, with defaults and checked.

use super::secret::HIDDEN;
use crate::types::Quoted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Settings as they are given; anything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which server, and as whom.
    pub server: ServerConfig,
    /// Who plays.
    pub engine: EngineConfig,
    /// The time that is held back of the clock.
    pub time: TimeConfig,
    /// The files that are written.
    pub record: RecordConfig,
    /// Number of games, and pauses between them.
    pub session: SessionConfig,
}

/// Which server, and as whom.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Name or address of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The name to log in with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The game that is waited for, as `floodgate-300-10F`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The side that is wished for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<ColorWish>,
    /// CSA or extended mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// The password; with a game it is the trip of that game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// A file whose first line is the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_file: Option<PathBuf>,
    /// The word behind the game and a comma that proves who plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trip: Option<String>,
    /// Seconds of silence after which an empty line is sent; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keepalive_s: Option<u64>,
    /// Seconds after which the system asks whether the other side is there; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp_keepalive_s: Option<u64>,
}

/// A wish for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ColorWish {
    /// Black moves first.
    Black,
    /// White.
    White,
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

/// Who plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineConfig {
    /// A USI engine in place of the built-in one, as a shell would read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The folder that it runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Its thinking in the opponent's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ponder: Option<Ponder>,
    /// It resigns at this score below zero, in centipawns; never without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<u32>,
    /// Seconds for which it may be silent before it is given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience_s: Option<u64>,
    /// USI options.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, toml::Value>,
}

/// The ways to think in the opponent's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Ponder {
    /// Not at all.
    None,
    /// On the expected move, from the echo of the own move on, as USI has it.
    #[default]
    Usi,
    /// On the expected move, from the answer of the engine on; the clocks come with `ponderhit`.
    Early,
    /// On all answers of the opponent.
    Stochastic,
}

/// The time that is held back of the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimeConfig {
    /// Milliseconds that are held back of each move at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin_ms: Option<u64>,
    /// Milliseconds that a move takes at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_ms: Option<u64>,
}

/// The files that are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordConfig {
    /// The folder of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// The formats of the records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formats: Option<Vec<RecordFormat>>,
    /// The names of the files, without their extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Set if the server and the records get the score and the expected line with each own move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<bool>,
}

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum RecordFormat {
    /// CSA 3.0, UTF-8.
    Csa,
    /// KIF, UTF-8.
    Kifu,
    /// KIF, CP932.
    Kif,
}

/// Number of games, and pauses between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionConfig {
    /// Games to play; 0 for no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    /// The time of the day, `HH:MM`, after which no game is begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_after: Option<String>,
    /// Seconds before the next login; they double with each failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relogin_s: Option<u64>,
    /// Seconds that are the most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relogin_max_s: Option<u64>,
    /// Failures in a row after which the network is given up; for ever without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u32>,
}

/// The port of CSA servers.
pub const PORT: u16 = 4081;

/// Why settings are none.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A file cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Read(PathBuf, #[source] io::Error),
    /// A file is no TOML, or a value is none: its line and why.
    #[error("{}: line {}: {}", .0.display(), .1, .2)]
    Toml(PathBuf, usize, String),
    /// A key that means nothing, and the nearest one that does.
    #[error("{}: unknown key {}; the nearest is {}", .0.display(), Quoted(.1), .2)]
    UnknownKey(PathBuf, String, String),
    /// A file with a password that others may read.
    #[error("{}: holds a {}, but others may read it: chmod 600 {}", .0.display(), .1, .0.display())]
    Open(PathBuf, &'static str),
    /// A value that cannot be used: its name and why.
    #[error("{0}: {1}")]
    Value(&'static str, String),
}

/// The keys of the sections.
const KEYS: [(&str, &[&str]); 5] = [
    (
        "server",
        &[
            "host",
            "port",
            "name",
            "game",
            "color",
            "mode",
            "password",
            "password_file",
            "trip",
            "keepalive_s",
            "tcp_keepalive_s",
        ],
    ),
    ("engine", &["command", "folder", "ponder", "resign", "patience_s", "options"]),
    ("time", &["margin_ms", "least_ms"]),
    ("record", &["dir", "formats", "name", "comments"]),
    ("session", &["games", "stop_after", "relogin_s", "relogin_max_s", "retries"]),
];

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the password nor the trip.
        f.debug_struct("ServerConfig").field("host", &self.host).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Config {
    /// Reads a file. One that holds a password must be closed to others.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Read(path.into(), error))?;
        let mut config = Config::parse(&text, path)?;
        // The file of the password lies beside the one that names it.
        if let (Some(file), Some(folder)) = (&mut config.server.password_file, path.parent()) {
            *file = folder.join(&file);
        }
        let secret = match &config.server {
            ServerConfig { password: Some(_), .. } => Some("password"),
            ServerConfig { trip: Some(_), .. } => Some("trip"),
            _ => None,
        };
        match secret {
            Some(secret) if is_open_to_others(path) => Err(ConfigError::Open(path.into(), secret)),
            _ => Ok(config),
        }
    }

    /// Reads the text of a file; errors name the path.
    pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
        let fault = |error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = 1 + text.as_bytes()[..offset].iter().filter(|&&byte| byte == b'\n').count();
            // The message alone: the rest of the error shows the line, which may hold the password.
            ConfigError::Toml(path.into(), line, error.message().lines().collect::<Vec<_>>().join(" "))
        };
        let table: toml::Table = toml::from_str(text).map_err(fault)?;
        if let Some((unknown, nearest)) = unknown_key(&table) {
            return Err(ConfigError::UnknownKey(path.into(), unknown, nearest));
        }
        toml::from_str(text).map_err(fault)
    }

    /// These settings, and for the rest those of another source.
    pub fn over(self, there: Config) -> Config {
        let Config { server, engine, time, record, session } = self;
        let mut options = there.engine.options;
        // Options have names without regard to case.
        options.retain(|name, _| !engine.options.keys().any(|own| own.eq_ignore_ascii_case(name)));
        options.extend(engine.options);
        Config {
            server: ServerConfig {
                host: server.host.or(there.server.host),
                port: server.port.or(there.server.port),
                name: server.name.or(there.server.name),
                game: server.game.or(there.server.game),
                color: server.color.or(there.server.color),
                mode: server.mode.or(there.server.mode),
                password: server.password.or(there.server.password),
                password_file: server.password_file.or(there.server.password_file),
                trip: server.trip.or(there.server.trip),
                keepalive_s: server.keepalive_s.or(there.server.keepalive_s),
                tcp_keepalive_s: server.tcp_keepalive_s.or(there.server.tcp_keepalive_s),
            },
            engine: EngineConfig {
                command: engine.command.or(there.engine.command),
                folder: engine.folder.or(there.engine.folder),
                ponder: engine.ponder.or(there.engine.ponder),
                resign: engine.resign.or(there.engine.resign),
                patience_s: engine.patience_s.or(there.engine.patience_s),
                options,
            },
            time: TimeConfig {
                margin_ms: time.margin_ms.or(there.time.margin_ms),
                least_ms: time.least_ms.or(there.time.least_ms),
            },
            record: RecordConfig {
                dir: record.dir.or(there.record.dir),
                formats: record.formats.or(there.record.formats),
                name: record.name.or(there.record.name),
                comments: record.comments.or(there.record.comments),
            },
            session: SessionConfig {
                games: session.games.or(there.session.games),
                stop_after: session.stop_after.or(there.session.stop_after),
                relogin_s: session.relogin_s.or(there.session.relogin_s),
                relogin_max_s: session.relogin_max_s.or(there.session.relogin_max_s),
                retries: session.retries.or(there.session.retries),
            },
        }
    }

    /// Adds the defaults of all that is not set, as far as they are plain values.
    pub fn completed(mut self) -> Config {
        let Config { server, engine, time, record, session } = &mut self;
        server.port.get_or_insert(PORT);
        server.mode.get_or_insert_default();
        server.keepalive_s.get_or_insert(40);
        server.tcp_keepalive_s.get_or_insert(10);
        engine.ponder.get_or_insert_default();
        time.least_ms.get_or_insert(0);
        let name = server.name.as_deref().unwrap_or("NAME");
        record.dir.get_or_insert_with(|| Path::new("csa-records").join(name));
        record.formats.get_or_insert_with(|| vec![RecordFormat::Csa, RecordFormat::Kifu]);
        record.name.get_or_insert_with(|| "{date}_{time}_{black}_{white}".to_string());
        record.comments.get_or_insert(true);
        session.games.get_or_insert(0);
        session.relogin_s.get_or_insert(1);
        session.relogin_max_s.get_or_insert(60);
        self
    }

    /// The settings as a file, with secrets hidden.
    pub fn to_toml(&self) -> String {
        let mut shown = self.clone();
        for secret in [&mut shown.server.password, &mut shown.server.trip] {
            if secret.is_some() {
                *secret = Some(HIDDEN.to_string());
            }
        }
        toml::to_string(&shown).unwrap_or_default()
    }
}

/// The first key that is not known, with its section, and the nearest one that is.
fn unknown_key(table: &toml::Table) -> Option<(String, String)> {
    let nearest = |word: &str, known: &[&str]| {
        let by_distance = known.iter().min_by_key(|name| strsim::damerau_levenshtein(word, name));
        by_distance.map_or_else(String::new, |name| name.to_string())
    };
    for (section, value) in table {
        let Some((_, keys)) = KEYS.iter().find(|(name, _)| name == section) else {
            // A key without its section is a likely slip.
            let home = KEYS.iter().find(|(_, keys)| keys.contains(&section.as_str()) && !value.is_table());
            let sections: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
            let hint = home.map_or_else(|| nearest(section, &sections), |(name, _)| format!("{section} in [{name}]"));
            return Some((section.clone(), hint));
        };
        let unknown = value.as_table().and_then(|keyed| keyed.keys().find(|key| !keys.contains(&key.as_str())));
        if let Some(key) = unknown {
            return Some((format!("{section}.{key}"), nearest(key, keys)));
        }
    }
    None
}

/// Tests whether anyone but the owner may read a file.
#[cfg(unix)]
pub(super) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

/// Tests whether anyone but the owner may read a file: not known here.
#[cfg(not(unix))]
pub(super) fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(text, Path::new("csa.toml"))
    }

    #[test]
    fn unknown_keys_are_errors_with_the_nearest_name() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(message("[server]\nhots = 1\n"), "csa.toml: unknown key \"server.hots\"; the nearest is host");
        assert_eq!(message("[sever]\nhost = 1\n"), "csa.toml: unknown key \"sever\"; the nearest is server");
        assert_eq!(message("games = 3\n"), "csa.toml: unknown key \"games\"; the nearest is games in [session]");
        assert!(message("[server]\nport = \"x\"\n").starts_with("csa.toml: line 2: "));
        assert!(message("[server\n").starts_with("csa.toml: line 1: "));
        // What is wrong is said, what stands there is not: it may be the password.
        assert!(!message("[server]\npassword = sesame\n").contains("sesame"));
        assert!(!message("[server]\npassword = [\"sesame\"]\n").contains("sesame"));
    }

    #[test]
    fn every_key_that_is_known_is_read_and_printed_again() {
        let text = "[server]\nhost = \"h\"\nport = 4081\nname = \"n\"\ngame = \"g-1-1F\"\ncolor = \"white\"\nmode = \"x1\"\n\
                    password = \"sesame\"\npassword_file = \"f\"\ntrip = \"open\"\nkeepalive_s = 40\ntcp_keepalive_s = 10\n\
                    \n[engine]\ncommand = \"e\"\nfolder = \"d\"\nponder = \"early\"\nresign = 3000\npatience_s = 9\n\n\
                    [engine.options]\nUSI_Hash = 64\n\n[time]\nmargin_ms = 300\nleast_ms = 0\n\n[record]\ndir = \"r\"\n\
                    formats = [\"csa\", \"kifu\", \"kif\"]\nname = \"{date}\"\ncomments = false\n\n[session]\ngames = 2\n\
                    stop_after = \"23:30\"\nrelogin_s = 1\nrelogin_max_s = 60\nretries = 5\n";
        let config = parse(text).unwrap();
        let hidden = text.replace("sesame", HIDDEN).replace("\"open\"", &format!("\"{HIDDEN}\""));
        assert_eq!(config.to_toml(), hidden);
        let printed = parse(&hidden).unwrap();
        assert_eq!(printed.session, config.session);
        let known: usize = KEYS.iter().map(|(_, keys)| keys.len()).sum();
        assert_eq!(text.matches(" = ").count(), known, "each key of the table stands in the text");
        assert!(!format!("{config:?}").contains("sesame"));
    }

    #[test]
    fn flags_count_before_the_file() {
        let file =
            parse("[server]\nhost = \"a\"\nname = \"n\"\n[engine.options]\nusi_hash = 1\nThreads = 2\n").unwrap();
        let flags = parse("[server]\nhost = \"b\"\n[engine.options]\nUSI_Hash = 9\n").unwrap();
        let both = flags.over(file);
        assert_eq!((both.server.host.as_deref(), both.server.name.as_deref()), (Some("b"), Some("n")));
        let options: Vec<String> = both.engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(options, ["Threads=2", "USI_Hash=9"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_password_in_a_file_that_others_may_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let path = std::env::temp_dir().join(format!("komainu-csa-config-{}.toml", std::process::id()));
        std::fs::write(&path, "[server]\npassword = \"sesame\"\n").unwrap();
        let set_mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        set_mode(0o644);
        let error = Config::read(&path).unwrap_err();
        assert!(matches!(error, ConfigError::Open(..)) && !error.to_string().contains("sesame"), "{error}");
        set_mode(0o600);
        assert!(Config::read(&path).is_ok());
        std::fs::remove_file(path).unwrap();
    }
}
