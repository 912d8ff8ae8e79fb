//! The settings of `komainu csa`: what flags and the file `csa.toml` may hold, and what they are together.
//!
//! Every value may be missing. Flags make a [`Config`] of their own, which is laid over that of the file;
//! [`Config::settings`] checks what comes out and adds the defaults.

use crate::settings::{ENCODINGS, GAME_FORMATS, PONDER, Words, given, lay_over, one_of, timeout_seconds, word};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use komainu::host::{in_file, read_text};
use komainu::types::{Color, Quoted};
use komainu_tools::client::DEFAULT_TIMEOUT;
use komainu_tools::csa::secret::{HIDDEN, Redactor, Secret};
use komainu_tools::csa::settings::{EngineSettings, Mode, RecordSettings, Settings};
use komainu_tools::settings::{Encoding, Ponder, RecordFormat, read_settings};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Table;

/// Settings as they are given by flags or a file; anything may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Config {
    #[command(flatten)]
    pub(super) server: ServerConfig,
    #[command(flatten)]
    pub(super) engine: EngineConfig,
    #[command(flatten)]
    time: TimeConfig,
    #[command(flatten)]
    record: RecordConfig,
    #[command(flatten)]
    session: SessionConfig,
}

/// Which server, and as whom.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ServerConfig {
    /// Name or address of the server.
    #[arg(skip)]
    pub(super) host: Option<String>,
    /// Port of the server.
    #[arg(skip)]
    pub(super) port: Option<u16>,
    /// Name to log in with
    #[arg(long)]
    name: Option<String>,
    /// Game to wait for, as floodgate-300-10F or test-10-1F
    #[arg(long)]
    game: Option<String>,
    /// Side to ask for; the server decides without it
    #[arg(long, value_parser = word::<ColorWish>(COLORS))]
    color: Option<ColorWish>,
    /// Extended mode: games are asked for by name, the connection stays
    #[arg(long = "x1", num_args = 0, default_missing_value = "x1", value_parser = word::<Mode>(MODES))]
    mode: Option<Mode>,
    /// Password; others on this machine can see it. Better: --password-file, or the variable KOMAINU_CSA_PASSWORD
    #[arg(long)]
    pub(super) password: Option<String>,
    /// File whose first line is the password; with --game it is the trip of that game
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Word behind the game and a comma that tells players of one name apart; others on this machine can see it
    #[arg(long)]
    pub(super) trip: Option<String>,
    /// Silence after which an empty line is sent; 0 for never
    #[arg(long = "keepalive", value_name = "SECONDS")]
    keepalive_s: Option<u64>,
    /// Silence after which the system asks whether the server is there; 0 for never
    #[arg(long = "tcp-keepalive", value_name = "SECONDS")]
    tcp_keepalive_s: Option<u64>,
}

/// A wish for a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ColorWish {
    Black,
    White,
}

/// The words for [`ColorWish`].
const COLORS: &Words = &[("black", "Black moves first"), ("white", "White")];

/// The words for [`Mode`].
const MODES: &Words = &[
    ("csa", "The game is named by the password; the server may end the connection after a game"),
    ("x1", "The extended mode: games are asked for with `%%GAME`, the connection stays"),
];

/// Who plays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EngineConfig {
    /// USI engine with its arguments, as a shell reads it, in place of the built-in one
    #[arg(long = "engine", value_name = "COMMAND")]
    command: Option<String>,
    /// Folder that the engine runs in
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Thinking in the opponent's time [default: off; on in games on a server]
    #[arg(long, value_parser = word::<Ponder>(PONDER))]
    ponder: Option<Ponder>,
    /// Score below zero at which the engine resigns; it never does without it, unless it is mated
    #[arg(long, value_name = "CENTIPAWNS")]
    resign: Option<u32>,
    /// Seconds of silence before readyok after which another engine is given up; whatever it says begins them anew
    /// [default: 60]
    #[arg(long = "patience", value_name = "SECONDS", value_parser = timeout_seconds())]
    patience_s: Option<u64>,
    /// USI options.
    #[arg(skip)]
    pub(super) options: BTreeMap<String, toml::Value>,
}

/// The time that is held back of the clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
struct TimeConfig {
    /// Time that is held back of each move at least
    #[arg(long = "margin", value_name = "MS")]
    margin_ms: Option<u64>,
    /// Time that a move takes at least
    #[arg(long = "least", value_name = "MS")]
    least_ms: Option<u64>,
}

/// The files that are written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
struct RecordConfig {
    /// Folder of the records, of their list games.jsonl, and of the file stop; csa-records/NAME by default
    #[arg(long = "record", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Formats of the records that are saved beside games.jsonl [default: csa,kif]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = one_of(&GAME_FORMATS))]
    format: Option<Vec<RecordFormat>>,
    /// Encoding of KIF (.kifu in UTF-8, .kif in CP932) and KI2 (.ki2u, .ki2) [default: utf8]
    #[arg(long, value_parser = word::<Encoding>(ENCODINGS))]
    encoding: Option<Encoding>,
    /// Names of the records, from {date}, {time}, {black}, {white}, {id}
    #[arg(id = "record.name", long = "record-name", value_name = "PATTERN")]
    name: Option<String>,
    /// Score and expected line with each own move, for server and records [default: on]
    #[arg(long, value_name = "ON|OFF", value_parser = on_or_off())]
    comments: Option<bool>,
}

fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

/// Number of games, and pauses between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
struct SessionConfig {
    /// Games to play; 0 or nothing for no end
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Time of the day after which no game is begun
    #[arg(long = "until", value_name = "HH:MM")]
    stop_after: Option<String>,
    /// Pause before the next login; it doubles with each failure
    #[arg(long = "relogin", value_name = "SECONDS")]
    relogin_s: Option<u64>,
    /// Longest pause
    #[arg(long = "relogin-max", value_name = "SECONDS")]
    relogin_max_s: Option<u64>,
    /// Failures in a row after the first one until the network is given up; for ever without it
    #[arg(long, value_name = "N")]
    retries: Option<u32>,
}

/// The sections of the file with their keys.
const SECTIONS: [(&str, &str); 5] = [
    ("server", "host port name game color mode password password_file trip keepalive_s tcp_keepalive_s"),
    ("engine", "command folder ponder resign patience_s options"),
    ("time", "margin_ms least_ms"),
    ("record", "dir format encoding name comments"),
    ("session", "games stop_after relogin_s relogin_max_s retries"),
];

/// The longest time that can be set: an hour.
const MAX_MILLIS: u64 = 3_600_000;
/// The longest pause that can be set: a day.
const MAX_SECONDS: u64 = 86_400;
/// The port of CSA servers.
const PORT: u16 = 4081;
/// The most letters of a name or a password.
const MAX_LETTERS: usize = 32;

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the password nor the trip.
        f.debug_struct("ServerConfig").field("host", &self.host).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Config {
    /// Reads a file. One that holds a password must be closed to others. No secret stands in the error.
    pub(super) fn read(path: &Path) -> Result<Config, String> {
        let text = read_text(path).map_err(|error| in_file(path, error))?;
        let mut config = Config::parse(&text, path)?;
        // The file of the password lies beside the one that names it.
        if let (Some(file), Some(folder)) = (&mut config.server.password_file, path.parent()) {
            *file = folder.join(&file);
        }
        let secret = match &config.server {
            ServerConfig { password: Some(_), .. } => "password",
            ServerConfig { trip: Some(_), .. } => "trip",
            _ => return Ok(config),
        };
        if is_open_to_others(path) {
            let file = path.display();
            return Err(format!("{file}: holds a {secret}, but others may read it: chmod 600 {file}"));
        }
        Ok(config)
    }

    /// Reads the text of a file; errors name the path.
    fn parse(text: &str, path: &Path) -> Result<Config, String> {
        let table: Table = read_settings(text).map_err(|fault| in_file(path, fault))?;
        if let Some((unknown, nearest)) = unknown_key(&table) {
            return Err(in_file(path, format_args!("unknown key {}; the nearest is {nearest}", Quoted(&unknown))));
        }
        read_settings(text).map_err(|fault| in_file(path, fault))
    }

    /// These settings, and for the rest those of another source.
    pub(super) fn over(&self, there: &Config) -> Config {
        let mut both = given(there);
        lay_over(&mut both, given(self));
        Config::deserialize(both).expect("settings laid over settings are settings")
    }

    /// Adds the defaults of all that is not set, as far as they are plain values.
    pub(super) fn completed(mut self) -> Config {
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
    pub(super) fn to_toml(&self) -> String {
        let mut shown = self.clone();
        for secret in [&mut shown.server.password, &mut shown.server.trip] {
            if secret.is_some() {
                *secret = Some(HIDDEN.to_string());
            }
        }
        toml::to_string(&shown).unwrap_or_default()
    }

    /// Completes and checks what is given. `variable` is the value of the variable that may hold the password. What the
    /// user should hear is added to `warnings`.
    pub(super) fn settings(self, variable: Option<String>, warnings: &mut Vec<String>) -> Result<Settings, String> {
        let Config { server, engine, time, record, session } = self.completed();
        let name = server.name.clone().ok_or("name: the name to log in with is missing")?;
        check_word("name", &name, |c| c.is_ascii_alphanumeric() || "_@.-".contains(c))?;
        if name.len() > MAX_LETTERS {
            return Err(format!("name: {name:?} has more than {MAX_LETTERS} letters"));
        }
        let host = server.host.clone().ok_or("host: the server to play on is missing")?;
        if let Some(game) = &server.game {
            check_word("game", game, |c| c.is_ascii_graphic() && c != ',')?;
        }
        let mode = server.mode.unwrap_or_default();
        let (password, secrets) = password(&server, mode, variable, warnings)?;
        let relogin = seconds(session.relogin_s);
        Ok(Settings {
            host,
            port: server.port.unwrap_or_default(),
            name,
            password,
            game: server.game,
            color: server.color.map(|color| match color {
                ColorWish::Black => Color::Black,
                ColorWish::White => Color::White,
            }),
            mode,
            keep_alive: Some(seconds(server.keepalive_s)).filter(|time| !time.is_zero()),
            tcp_keep_alive: Some(seconds(server.tcp_keepalive_s)).filter(|time| !time.is_zero()),
            engine: EngineSettings {
                command: engine.command,
                folder: engine.folder,
                ponder: engine.ponder.unwrap_or(Ponder::On),
                resign: engine.resign,
                timeout: engine.patience_s.map_or(DEFAULT_TIMEOUT, Duration::from_secs),
                options: engine.options.into_iter().map(|(name, value)| (name, option_text(value))).collect(),
            },
            margin: time.margin_ms.map(millis),
            least: millis(time.least_ms.unwrap_or_default()),
            record: RecordSettings {
                folder: record.dir.unwrap_or_default(),
                formats: record.format.unwrap_or_default(),
                encoding: record.encoding.unwrap_or_default(),
                name: record.name.unwrap_or_default(),
                comments: record.comments.unwrap_or(true),
            },
            games: session.games.filter(|&games| games > 0),
            until: session.stop_after.as_deref().map(time_of_day).transpose()?,
            relogin,
            relogin_max: seconds(session.relogin_max_s).max(relogin),
            retries: session.retries,
            redactor: Redactor::new(secrets),
        })
    }
}

fn seconds(given: Option<u64>) -> Duration {
    Duration::from_secs(given.unwrap_or_default().min(MAX_SECONDS))
}

fn millis(given: u64) -> Duration {
    Duration::from_millis(given.min(MAX_MILLIS))
}

/// The value of an option as USI sends it.
fn option_text(value: toml::Value) -> String {
    match value {
        toml::Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The first key that is not known, with its section, and the nearest one that is.
fn unknown_key(table: &Table) -> Option<(String, String)> {
    for (name, value) in table {
        let Some((_, keys)) = SECTIONS.iter().find(|(section, _)| section == name) else {
            // A key without its section is a likely slip.
            let home = SECTIONS.iter().find(|(_, keys)| keys.split(' ').any(|key| key == name) && !value.is_table());
            let nearest = match home {
                Some((section, _)) => format!("{name} in [{section}]"),
                None => nearest(name, SECTIONS.iter().map(|(section, _)| *section)).to_string(),
            };
            return Some((name.clone(), nearest));
        };
        let Some(section) = value.as_table() else { continue };
        if let Some(key) = section.keys().find(|key| keys.split(' ').all(|known| known != *key)) {
            return Some((format!("{name}.{key}"), nearest(key, keys.split(' ')).to_string()));
        }
    }
    None
}

/// The word of a list that is most like another one.
fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    known.min_by_key(|name| strsim::damerau_levenshtein(word, name)).unwrap_or_default()
}

fn check_word(what: &str, word: &str, is_allowed: impl Fn(char) -> bool) -> Result<(), String> {
    if word.is_empty() {
        return Err(format!("{what}: is empty"));
    }
    match word.chars().find(|&c| !is_allowed(c)) {
        Some(c) => Err(format!("{what}: {word:?} must not contain {c:?}")),
        None => Ok(()),
    }
}

/// The word that is sent as the password, and the part of it that must not be shown.
///
/// In CSA mode servers read the game from the password: `game,trip`, with `-B` or `-W` behind the game for a side. So a
/// password together with a game is its trip, unless it names a game itself.
fn password(
    server: &ServerConfig,
    mode: Mode,
    variable: Option<String>,
    warnings: &mut Vec<String>,
) -> Result<(Secret, Vec<Secret>), String> {
    let given = match (&server.password, &server.password_file) {
        (Some(password), _) => Some(password.clone()),
        (None, Some(path)) => Some(first_line(path, warnings)?),
        (None, None) => variable.filter(|password| !password.is_empty()),
    };
    let trip = server.trip.clone().or(given.clone());
    if let Some(secret) = &trip {
        // Not with the text in the message.
        if secret.is_empty() || secret.chars().any(|c| !c.is_ascii_graphic()) {
            return Err("password: must be ASCII without blanks, and not empty".to_string());
        }
    }
    let wish = match server.color {
        Some(ColorWish::Black) => "-B",
        Some(ColorWish::White) => "-W",
        None => "",
    };
    let sent = match (mode, &server.game, trip) {
        (Mode::X1, _, None) => return Err("password: the password is missing".to_string()),
        (_, None, None) => return Err("game: the game to wait for, or a password, is missing".to_string()),
        (Mode::X1, _, Some(password)) | (_, None, Some(password)) => password,
        (Mode::Csa, Some(_), Some(password)) if names_a_game(&password) => password,
        (Mode::Csa, Some(game), Some(trip)) => format!("{game}{wish},{trip}"),
        (Mode::Csa, Some(game), None) => format!("{game}{wish}"),
    };
    if sent.len() > MAX_LETTERS {
        warnings
            .push(format!("the password has {} letters with the game; some servers take {MAX_LETTERS}", sent.len()));
    }
    let secret = match sent.split_once(',') {
        Some((game, trip)) if is_game(game) => Some(trip.to_string()),
        // A game alone is no secret: it stands in the names of games.
        _ if is_game(&sent) => None,
        _ => Some(sent.clone()),
    };
    let mut secrets: Vec<Secret> = secret.iter().cloned().map(Secret::new).collect();
    for other in [given, server.trip.clone()].into_iter().flatten() {
        if !names_a_game(&other) && Some(&other) != secret.as_ref() {
            secrets.push(Secret::new(other));
        }
    }
    Ok((Secret::new(sent), secrets))
}

/// Tests whether a password is `game` or `game,trip`.
fn names_a_game(password: &str) -> bool {
    is_game(password.split(',').next().unwrap_or_default())
}

/// Tests whether a word is the name of a game: it ends as `-300-10F`, with `-B` or `-W` behind that perhaps.
fn is_game(word: &str) -> bool {
    let word = ["-B", "-W", "-b", "-w"].iter().find_map(|wish| word.strip_suffix(wish)).unwrap_or(word);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let mut parts = word.rsplitn(3, '-');
    let (Some(last), Some(first), Some(name)) = (parts.next(), parts.next(), parts.next()) else { return false };
    is_number(last.strip_suffix('F').unwrap_or(last)) && is_number(first) && !name.is_empty()
}

fn first_line(path: &Path, warnings: &mut Vec<String>) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| in_file(path, error))?;
    if is_open_to_others(path) {
        warnings.push(format!("{}: others may read the password: chmod 600 {}", path.display(), path.display()));
    }
    Ok(text.lines().next().unwrap_or_default().trim_end().to_string())
}

/// Reads `HH:MM`.
fn time_of_day(text: &str) -> Result<(u8, u8), String> {
    if let Some((hour, minute)) = text.split_once(':')
        && let (Ok(hour), Ok(minute)) = (hour.parse(), minute.parse())
        && hour < 24
        && minute < 60
    {
        return Ok((hour, minute));
    }
    Err(format!("until: {} is no time of the day as HH:MM", Quoted(text)))
}

/// Tests whether anyone but the owner may read a file.
#[cfg(unix)]
fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
}

/// Tests whether anyone but the owner may read a file: not known here.
#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("csa.toml"))
    }

    fn settings(text: &str, variable: Option<&str>) -> Result<Settings, String> {
        let config = parse(&format!("[server]\nhost = \"h\"\nname = \"me\"\n{text}"))?;
        config.settings(variable.map(str::to_string), &mut Vec::new())
    }

    fn login(text: &str, variable: Option<&str>) -> String {
        settings(text, variable).unwrap().login_line("").reveal().to_string()
    }

    #[test]
    fn unknown_keys_are_errors_with_the_nearest_name() {
        let message = |text: &str| parse(text).unwrap_err();
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
        for (section, keys) in SECTIONS {
            let table: Table = text.parse().unwrap();
            let mut known: Vec<&str> = keys.split(' ').collect();
            known.sort_unstable();
            let written: Vec<&str> = table[section].as_table().unwrap().keys().map(String::as_str).collect();
            assert_eq!(written, known, "[{section}]");
        }
        assert!(!format!("{config:?}").contains("sesame"));
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
        assert!(error.contains("chmod 600") && !error.contains("sesame"), "{error}");
        set_mode(0o600);
        assert!(Config::read(&path).is_ok());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_password_is_put_together_with_the_game() {
        let game = "game = \"test-300-10F\"\n";
        assert_eq!(login(game, None), "LOGIN me test-300-10F");
        assert_eq!(login(&format!("{game}trip = \"t\""), None), "LOGIN me test-300-10F,t");
        assert_eq!(login(game, Some("t")), "LOGIN me test-300-10F,t");
        assert_eq!(login(&format!("{game}color = \"white\"\ntrip = \"t\""), None), "LOGIN me test-300-10F-W,t");
        assert_eq!(login(&format!("{game}color = \"black\""), None), "LOGIN me test-300-10F-B");
        // A password that names a game is sent as it is, and so is one without a game.
        assert_eq!(login(game, Some("floodgate-300-10F,t")), "LOGIN me floodgate-300-10F,t");
        assert_eq!(login("", Some("sesame")), "LOGIN me sesame");
        // A server that pairs by itself is told no game.
        assert_eq!(login("mode = \"x1\"", Some("sesame")), "LOGIN me sesame");
        assert_eq!(login(&format!("{game}mode = \"x1\""), Some("sesame")), "LOGIN me sesame");
    }

    #[test]
    fn what_is_secret_is_hidden_and_the_game_is_not() {
        let hidden = |text: &str, variable| {
            let settings = settings(text, variable).unwrap();
            assert!(!format!("{settings:?}").contains("sesame"));
            settings.redactor.hide("test-300-10F,sesame test-300-10F")
        };
        let game = "game = \"test-300-10F\"\n";
        assert_eq!(hidden(game, Some("sesame")), "test-300-10F,***** test-300-10F");
        assert_eq!(hidden("", Some("test-300-10F,sesame")), "test-300-10F,***** test-300-10F");
        assert_eq!(hidden(&format!("{game}trip = \"x\""), Some("sesame")), "test-300-10F,***** test-300-10F");
        assert_eq!(hidden(game, None), "test-300-10F,sesame test-300-10F");
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let error = |text: &str| settings(text, None).unwrap_err();
        assert!(error("").contains("game"));
        assert!(error("game = \"a b\"").contains("' '"));
        assert!(error("game = \"g-1-1\"\ntrip = \"two words\"").starts_with("password: must be ASCII"));
        assert!(error("game = \"g-1-1\"\n[session]\nstop_after = \"25:00\"").contains("25:00"));
        assert!(error("mode = \"x1\"").contains("password"));
        assert!(error("mode = \"x1\"\ngame = \"g-1-1\"").contains("password"));
        let long = parse(&format!("[server]\nname = \"{}\"\n", "x".repeat(33))).unwrap();
        assert!(long.settings(None, &mut Vec::new()).unwrap_err().contains("32"));
    }

    #[test]
    fn games_are_known_by_their_end() {
        for game in ["test-300-10F", "floodgate-600-10F", "a-b-0-0", "x-900-060", "g-1-1-B", "g-1-1F-w"] {
            assert!(is_game(game), "{game}");
        }
        for word in ["", "sesame", "a-b", "-300-10F", "x-300-", "x--10F", "x-300-10G"] {
            assert!(!is_game(word), "{word}");
        }
    }
}
