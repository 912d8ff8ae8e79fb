//! The file of settings, `csa.toml`: what it may hold, and what it is together with flags.
//!
//! Every value may be missing. Flags make a [`Config`] of their own, which is laid over that of the file;
//! [`super::settings::Settings`] is what comes out, with defaults and checked.

use super::secret::HIDDEN;
use crate::client::DEFAULT_TIMEOUT;
use crate::settings::table::{TableFault, given, keys_of, lay_over, nearest, read_settings};
use crate::settings::{Encoding, GAME_FORMATS, Ponder, RecordFormat, one_of};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use komainu::host::read_text;
use komainu::types::Quoted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;
use toml::Table;

/// Settings as they are given by flags or a file; anything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Which server, and as whom.
    #[command(flatten)]
    pub server: ServerConfig,
    /// Who plays.
    #[command(flatten)]
    pub engine: EngineConfig,
    /// The time that is held back of the clock.
    #[command(flatten)]
    pub time: TimeConfig,
    /// The files that are written.
    #[command(flatten)]
    pub record: RecordConfig,
    /// Number of games, and pauses between them.
    #[command(flatten)]
    pub session: SessionConfig,
}

/// Which server, and as whom.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// Name or address of the server.
    #[arg(skip)]
    pub host: Option<String>,
    /// Port of the server.
    #[arg(skip)]
    pub port: Option<u16>,
    /// Name to log in with
    #[arg(long)]
    pub name: Option<String>,
    /// Game to wait for, as floodgate-300-10F or test-10-1F
    #[arg(long)]
    pub game: Option<String>,
    /// Side to ask for; the server decides without it
    #[arg(long, value_enum)]
    pub color: Option<ColorWish>,
    /// Extended mode: games are asked for by name, the connection stays
    #[arg(long = "x1", num_args = 0, default_missing_value = "x1", value_enum)]
    pub mode: Option<Mode>,
    /// Password; others on this machine can see it. Better: --password-file, or the variable KOMAINU_CSA_PASSWORD
    #[arg(long)]
    pub password: Option<String>,
    /// File whose first line is the password; with --game it is the trip of that game
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Word behind the game and a comma that tells players of one name apart; others on this machine can see it
    #[arg(long)]
    pub trip: Option<String>,
    /// Silence after which an empty line is sent; 0 for never
    #[arg(long = "keepalive", value_name = "SECONDS")]
    pub keepalive_s: Option<u64>,
    /// Silence after which the system asks whether the server is there; 0 for never
    #[arg(long = "tcp-keepalive", value_name = "SECONDS")]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// The game is named by the password; the server may end the connection after a game.
    #[default]
    Csa,
    /// The extended mode: games are asked for with `%%GAME`, the connection stays.
    X1,
}

/// Who plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct EngineConfig {
    /// USI engine with its arguments, as a shell reads it, in place of the built-in one
    #[arg(long = "engine", value_name = "COMMAND")]
    pub command: Option<String>,
    /// Folder that the engine runs in
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// Thinking in the opponent's time [default: off; on in games on a server]
    #[arg(long, value_enum)]
    pub ponder: Option<Ponder>,
    /// Score below zero at which the engine resigns; it never does without it, unless it is mated
    #[arg(long, value_name = "CENTIPAWNS")]
    pub resign: Option<u32>,
    /// Seconds of silence before readyok after which another engine is given up; whatever it says begins them anew
    /// [default: 60]
    #[arg(long = "patience", value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub patience_s: Option<u64>,
    /// USI options.
    #[arg(skip)]
    pub options: BTreeMap<String, toml::Value>,
}

impl EngineConfig {
    /// Thinking in the opponent's time.
    pub(super) fn ponder(&self) -> Ponder {
        self.ponder.unwrap_or(Ponder::On)
    }

    /// The longest silence before the engine is given up.
    pub(super) fn timeout(&self) -> Duration {
        self.patience_s.map_or(DEFAULT_TIMEOUT, Duration::from_secs)
    }

    /// The options as USI sends them.
    pub(super) fn options(&self) -> impl Iterator<Item = (String, String)> {
        let text = |value: &toml::Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        self.options.iter().map(move |(name, value)| (name.clone(), text(value)))
    }
}

/// The time that is held back of the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct TimeConfig {
    /// Time that is held back of each move at least
    #[arg(long = "margin", value_name = "MS")]
    pub margin_ms: Option<u64>,
    /// Time that a move takes at least
    #[arg(long = "least", value_name = "MS")]
    pub least_ms: Option<u64>,
}

impl TimeConfig {
    /// The least time that is held back of each move.
    pub(super) fn margin(&self) -> Option<Duration> {
        self.margin_ms.map(|millis| Duration::from_millis(millis.min(MAX_MILLIS)))
    }

    /// The least time of a move.
    pub(super) fn least(&self) -> Duration {
        Duration::from_millis(self.least_ms.unwrap_or_default().min(MAX_MILLIS))
    }
}

/// The files that are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct RecordConfig {
    /// Folder of the records, of their list games.jsonl, and of the file stop; csa-records/NAME by default
    #[arg(long = "record", value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Formats of the records that are saved beside games.jsonl [default: csa,kif]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = one_of(&GAME_FORMATS))]
    pub format: Option<Vec<RecordFormat>>,
    /// Encoding of KIF (.kifu in UTF-8, .kif in CP932) and KI2 (.ki2u, .ki2) [default: utf8]
    #[arg(long, value_enum)]
    pub encoding: Option<Encoding>,
    /// Names of the records, from {date}, {time}, {black}, {white}, {id}
    #[arg(id = "record.name", long = "record-name", value_name = "PATTERN")]
    pub name: Option<String>,
    /// Score and expected line with each own move, for server and records [default: on]
    #[arg(long, value_name = "ON|OFF", value_parser = on_or_off())]
    pub comments: Option<bool>,
}

impl RecordConfig {
    /// The folder of the records.
    pub(super) fn folder(&self) -> &Path {
        self.dir.as_deref().unwrap_or(Path::new("."))
    }
}

fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

/// Number of games, and pauses between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct SessionConfig {
    /// Games to play; 0 or nothing for no end
    #[arg(long, value_name = "N")]
    pub games: Option<u64>,
    /// Time of the day after which no game is begun
    #[arg(long = "until", value_name = "HH:MM")]
    pub stop_after: Option<String>,
    /// Pause before the next login; it doubles with each failure
    #[arg(long = "relogin", value_name = "SECONDS")]
    pub relogin_s: Option<u64>,
    /// Longest pause
    #[arg(long = "relogin-max", value_name = "SECONDS")]
    pub relogin_max_s: Option<u64>,
    /// Failures in a row after the first one until the network is given up; for ever without it
    #[arg(long, value_name = "N")]
    pub retries: Option<u32>,
}

/// The longest time that can be set: an hour.
const MAX_MILLIS: u64 = 3_600_000;

/// The port of CSA servers.
pub const PORT: u16 = 4081;

/// Why settings are none. No secret stands in it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConfigError(pub String);

impl ConfigError {
    /// An error that names the file.
    pub(super) fn in_file(path: &Path, why: impl Display) -> ConfigError {
        ConfigError(format!("{}: {why}", path.display()))
    }

    /// An error that names the setting.
    pub(super) fn of(name: &str, why: impl Display) -> ConfigError {
        ConfigError(format!("{name}: {why}"))
    }
}

/// The sections with their keys.
fn sections() -> [(&'static str, &'static [&'static str]); 5] {
    let keys = [
        keys_of::<ServerConfig>(),
        keys_of::<EngineConfig>(),
        keys_of::<TimeConfig>(),
        keys_of::<RecordConfig>(),
        keys_of::<SessionConfig>(),
    ];
    let mut names = keys_of::<Config>().iter();
    keys.map(|keys| (*names.next().expect("each section has a struct"), keys))
}

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the password nor the trip.
        f.debug_struct("ServerConfig").field("host", &self.host).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Config {
    /// Reads a file. One that holds a password must be closed to others.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = read_text(path).map_err(|error| ConfigError::in_file(path, error))?;
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
            Some(secret) if is_open_to_others(path) => {
                let file = path.display();
                Err(ConfigError(format!("{file}: holds a {secret}, but others may read it: chmod 600 {file}")))
            }
            _ => Ok(config),
        }
    }

    /// Reads the text of a file; errors name the path.
    pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
        let fault = |fault: TableFault| ConfigError::in_file(path, fault);
        if let Some((unknown, nearest)) = unknown_key(&read_settings(text).map_err(fault)?) {
            let why = format!("unknown key {}; the nearest is {nearest}", Quoted(&unknown));
            return Err(ConfigError::in_file(path, why));
        }
        read_settings(text).map_err(fault)
    }

    /// These settings, and for the rest those of another source.
    pub fn over(&self, there: &Config) -> Config {
        let mut both = given(there);
        lay_over(&mut both, given(self));
        Config::deserialize(both).expect("settings laid over settings are settings")
    }

    /// Adds the defaults of all that is not set, as far as they are plain values.
    pub fn completed(mut self) -> Config {
        let Config { server, engine, time, record, session } = &mut self;
        server.port.get_or_insert(PORT);
        server.mode.get_or_insert_default();
        server.keepalive_s.get_or_insert(40);
        server.tcp_keepalive_s.get_or_insert(10);
        engine.ponder.get_or_insert(Ponder::On);
        time.least_ms.get_or_insert(0);
        let name = server.name.as_deref().unwrap_or("NAME");
        record.dir.get_or_insert_with(|| Path::new("csa-records").join(name));
        record.format.get_or_insert_with(|| vec![RecordFormat::Csa, RecordFormat::Kif]);
        record.encoding.get_or_insert_default();
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
fn unknown_key(table: &Table) -> Option<(String, String)> {
    let sections = sections();
    for (name, value) in table {
        let Some((_, keys)) = sections.iter().find(|(section, _)| section == name) else {
            // A key without its section is a likely slip.
            let home = sections.iter().find(|(_, keys)| keys.contains(&name.as_str()) && !value.is_table());
            let like = || nearest(name, &sections.map(|(section, _)| section)).to_string();
            return Some((name.clone(), home.map_or_else(like, |(section, _)| format!("{name} in [{section}]"))));
        };
        let unknown = value.as_table().and_then(|keyed| keyed.keys().find(|key| !keys.contains(&key.as_str())));
        if let Some(key) = unknown {
            return Some((format!("{name}.{key}"), nearest(key, keys).to_string()));
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
                    format = [\"csa\", \"kif\", \"kif-cp932\"]\nencoding = \"utf8\"\nname = \"{date}\"\ncomments = false\n\n[session]\ngames = 2\n\
                    stop_after = \"23:30\"\nrelogin_s = 1\nrelogin_max_s = 60\nretries = 5\n";
        let config = parse(text).unwrap();
        let hidden = text.replace("sesame", HIDDEN).replace("\"open\"", &format!("\"{HIDDEN}\""));
        assert_eq!(config.to_toml(), hidden);
        let printed = parse(&hidden).unwrap();
        assert_eq!(printed.session, config.session);
        let known: usize = sections().iter().map(|(_, keys)| keys.len()).sum();
        assert_eq!(text.matches(" = ").count(), known, "each key of the table stands in the text");
        assert!(!format!("{config:?}").contains("sesame"));
    }

    #[test]
    fn flags_count_before_the_file() {
        let file =
            parse("[server]\nhost = \"a\"\nname = \"n\"\n[engine.options]\nusi_hash = 1\nThreads = 2\n").unwrap();
        let flags = parse("[server]\nhost = \"b\"\n[engine.options]\nUSI_Hash = 9\n").unwrap();
        let both = flags.over(&file);
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
        assert!(error.0.contains("chmod 600") && !error.0.contains("sesame"), "{error}");
        set_mode(0o600);
        assert!(Config::read(&path).is_ok());
        std::fs::remove_file(path).unwrap();
    }
}
