//! `komainu csa`: games on a CSA server.

use super::{Failure, print_line};
use crate::cli::patience::PatienceArgument;
use crate::csa::config::{ColorWish, Config, EngineConfig, Mode, Ponder, RecordConfig, RecordFormat, ServerConfig};
use crate::csa::config::{SessionConfig, TimeConfig};
use crate::csa::settings::{PASSWORD_VARIABLE, Settings};
use crate::csa::{Interrupts, Logged, Reporter, SessionError, Style};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process;

/// Play on a CSA server, as floodgate or a tournament, with the built-in engine or another one
///
/// Exit code: 0 done, 1 usage or a file that cannot be read or written, 2 network given up, 3 login refused, 4 engine
/// died. The first Ctrl-C ends after the game, the second resigns it, the third closes the connection.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Server, as wdoor.c.u-tokyo.ac.jp or localhost:4081 or [::1]:4081
    #[arg(value_name = "HOST[:PORT]")]
    server: Option<String>,
    /// File of settings; flags win over it. csa.toml in this folder by default, if it is there
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the settings as a file, secrets hidden, and end
    #[arg(long)]
    print_config: bool,
    /// Name to log in with
    #[arg(long)]
    name: Option<String>,
    /// Game to wait for, as floodgate-300-10F or test-10-1F
    #[arg(long)]
    game: Option<String>,
    /// Side to ask for; the server decides without it
    #[arg(long, value_enum)]
    color: Option<ColorWish>,
    /// Extended mode: games are asked for by name, the connection stays
    #[arg(long)]
    x1: bool,
    /// File whose first line is the password; with --game it is the trip of that game
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Password; others on this machine can see it. Better: --password-file, or the variable KOMAINU_CSA_PASSWORD
    #[arg(long)]
    password: Option<String>,
    /// Word behind the game and a comma that tells players of one name apart; others on this machine can see it
    #[arg(long)]
    trip: Option<String>,
    #[command(flatten)]
    engine: EngineArguments,
    #[command(flatten)]
    record: RecordArguments,
    #[command(flatten)]
    session: SessionArguments,
}

#[derive(clap::Args)]
struct EngineArguments {
    /// USI engine with its arguments, in place of the built-in one
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Folder in which it runs
    #[arg(long, value_name = "DIR")]
    engine_folder: Option<PathBuf>,
    /// USI option of the engine; may be given several times
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Thinking in the opponent's time
    #[arg(long, value_enum)]
    ponder: Option<Ponder>,
    /// Score below zero at which the engine resigns; it never does without it, unless it is mated
    #[arg(long, value_name = "CENTIPAWNS")]
    resign: Option<u32>,
    #[command(flatten)]
    patience: PatienceArgument,
    /// Time that is held back of each move at least
    #[arg(long, value_name = "MS")]
    margin: Option<u64>,
    /// Time that a move takes at least
    #[arg(long, value_name = "MS")]
    least: Option<u64>,
}

#[derive(clap::Args)]
struct RecordArguments {
    /// Folder of the records, of their list games.jsonl, and of the file stop; csa-records/NAME by default
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Formats of the records; csa,kifu by default
    #[arg(long, value_enum, value_delimiter = ',')]
    formats: Option<Vec<RecordFormat>>,
    /// Names of the records, from {date}, {time}, {black}, {white}, {id}
    #[arg(long, value_name = "PATTERN")]
    record_name: Option<String>,
    /// Score and expected line with each own move, for server and records; on by default
    #[arg(long, value_enum)]
    comments: Option<OnOff>,
    /// Show nothing but errors
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Show events as JSON, one a line
    #[arg(long)]
    json: bool,
    /// Add events as JSON to a file, one a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Lines to keep in csa.log in the folder of the records; secrets are hidden
    #[arg(long, value_enum, default_value = "none")]
    log: Logged,
}

#[derive(clap::Args)]
struct SessionArguments {
    /// Games to play; 0 or nothing for no end
    #[arg(long)]
    games: Option<u64>,
    /// Time of the day after which no game is begun
    #[arg(long, value_name = "HH:MM")]
    until: Option<String>,
    /// Pause before the next login; it doubles with each failure
    #[arg(long, value_name = "SECONDS")]
    relogin: Option<u64>,
    /// Longest pause
    #[arg(long, value_name = "SECONDS")]
    relogin_max: Option<u64>,
    /// Failures in a row after the first one until the network is given up; for ever without it
    #[arg(long)]
    retries: Option<u32>,
    /// Silence after which an empty line is sent; 0 for never
    #[arg(long, value_name = "SECONDS")]
    keepalive: Option<u64>,
    /// Silence after which the system asks whether the server is there; 0 for never
    #[arg(long, value_name = "SECONDS")]
    tcp_keepalive: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OnOff {
    On,
    Off,
}

/// The file of settings that is read if none is named.
const CONFIG_FILE: &str = "csa.toml";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let config = config(arguments)?;
    if arguments.print_config {
        return print_line(config.completed().to_toml().trim_end());
    }
    for (flag, given) in [("--password", &arguments.password), ("--trip", &arguments.trip)] {
        if given.is_some() {
            eprintln!("komainu: {flag} can be seen by others on this machine: --password-file or {PASSWORD_VARIABLE}");
        }
    }
    let mut warnings = Vec::new();
    let settings = Settings::new(config, std::env::var(PASSWORD_VARIABLE).ok(), &mut warnings);
    let settings = settings.map_err(|error| failure(error.into()))?;
    warnings.iter().for_each(|warning| eprintln!("komainu: {warning}"));
    let style = match (&arguments.record.json, &arguments.record.quiet) {
        (true, _) => Style::Json,
        (_, true) => Style::Quiet,
        _ => Style::Lines,
    };
    let events = arguments.record.events.as_deref();
    let reporter = Reporter::new(style, events).map_err(|error| {
        let file = events.unwrap_or(Path::new("events")).to_path_buf();
        failure(SessionError::File(file, error))
    })?;
    let interrupts = count_interrupts()?;
    crate::csa::run(settings, reporter, interrupts, arguments.record.log).map(drop).map_err(failure)
}

fn failure(error: SessionError) -> Failure {
    Failure::Exit(error.exit_code(), error.to_string())
}

fn usage(message: String) -> Failure {
    Failure::Exit(1, message)
}

/// Counts interrupts, with a word on what each means.
fn count_interrupts() -> Result<Interrupts, Failure> {
    let interrupts = Interrupts::default();
    let counted = interrupts.clone();
    let handler = move || match counted.add() {
        1 => eprintln!("komainu: no new game is begun; once more to resign"),
        2 => eprintln!("komainu: the game is resigned at the next own turn; once more to close the connection"),
        3 => eprintln!("komainu: the connection is closed"),
        _ => process::exit(130),
    };
    ctrlc::set_handler(handler).map_err(|error| usage(format!("no handler of interrupts: {error}")))?;
    Ok(interrupts)
}

/// The flags, and behind them the file.
fn config(arguments: &Arguments) -> Result<Config, Failure> {
    let flags = flags(arguments)?;
    let file = match &arguments.config {
        Some(path) => Config::read(path).map_err(|error| failure(error.into()))?,
        None if Path::new(CONFIG_FILE).is_file() => {
            Config::read(Path::new(CONFIG_FILE)).map_err(|error| failure(error.into()))?
        }
        None => Config::default(),
    };
    Ok(flags.over(file))
}

fn flags(arguments: &Arguments) -> Result<Config, Failure> {
    let (host, port) = match &arguments.server {
        Some(server) => host_and_port(server)?,
        None => (None, None),
    };
    let Arguments { engine, record, session, .. } = arguments;
    let mut options = BTreeMap::new();
    for option in &engine.options {
        let (name, value) = option.split_once('=').ok_or_else(|| usage(format!("--option {option}: no NAME=VALUE")))?;
        options.insert(name.trim().to_string(), toml::Value::String(value.to_string()));
    }
    Ok(Config {
        server: ServerConfig {
            host,
            port,
            name: arguments.name.clone(),
            game: arguments.game.clone(),
            color: arguments.color,
            mode: arguments.x1.then_some(Mode::X1),
            password: arguments.password.clone(),
            password_file: arguments.password_file.clone(),
            trip: arguments.trip.clone(),
            keepalive_s: session.keepalive,
            tcp_keepalive_s: session.tcp_keepalive,
        },
        engine: EngineConfig {
            command: engine.engine.clone(),
            folder: engine.engine_folder.clone(),
            ponder: engine.ponder,
            resign: engine.resign,
            patience_s: engine.patience.seconds(),
            options,
        },
        time: TimeConfig { margin_ms: engine.margin, least_ms: engine.least },
        record: RecordConfig {
            dir: record.record.clone(),
            formats: record.formats.clone(),
            name: record.record_name.clone(),
            comments: record.comments.map(|comments| comments == OnOff::On),
        },
        session: SessionConfig {
            games: session.games,
            stop_after: session.until.clone(),
            relogin_s: session.relogin,
            relogin_max_s: session.relogin_max,
            retries: session.retries,
        },
    })
}

/// Reads `host`, `host:port`, `[::1]:port` or an address of IPv6.
fn host_and_port(server: &str) -> Result<(Option<String>, Option<u16>), Failure> {
    let (host, port) = match server.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None if server.matches(':').count() == 1 => {
            server.split_once(':').map_or((server, None), |(h, p)| (h, Some(p)))
        }
        None => (server, None),
    };
    if host.is_empty() {
        return Err(usage(format!("{server:?} names no host")));
    }
    let number = port
        .map(str::parse::<u16>)
        .transpose()
        .map_err(|_| usage(format!("{server:?} has no port from 1 to 65535")))?;
    match number {
        Some(0) => Err(usage(format!("{server:?} has no port from 1 to 65535"))),
        number => Ok((Some(host.to_string()), number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_with_and_without_a_port() {
        let read = |text| host_and_port(text).ok().map(|(host, port)| (host.unwrap_or_default(), port));
        let is = |host: &str, port| Some((host.to_string(), port));
        assert_eq!(read("localhost"), is("localhost", None));
        assert_eq!(read("localhost:4081"), is("localhost", Some(4081)));
        assert_eq!(read("[::1]:4081"), is("::1", Some(4081)));
        assert_eq!(read("::1"), is("::1", None));
        for text in ["", ":4081", "h:x", "h:0", "h:99999", "[]:1"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
