//! `komainu csa`: games on a CSA server.

mod config;

use crate::interrupt::on_interrupt;
use crate::settings::{EngineOptions, LivePage, Words, word};
use crate::terminal::{Failure, complain, print_line};
use config::Config;
use komainu_tools::csa::settings::PASSWORD_VARIABLE;
use komainu_tools::csa::{Interrupts, Logged, Reporter, SessionError, Style};
use std::path::{Path, PathBuf};

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
    #[command(flatten)]
    settings: Config,
    #[command(flatten)]
    options: EngineOptions,
    #[command(flatten)]
    display: DisplayArguments,
    #[command(flatten)]
    live: LivePage,
}

/// Display of a session.
#[derive(clap::Args)]
struct DisplayArguments {
    /// Show nothing but errors
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Add events as JSON to a file, one a line
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Lines to keep in csa.log in the folder of the records; secrets are hidden
    #[arg(long, default_value = "none", value_parser = word::<Logged>(LOGGED))]
    log: Logged,
}

/// The words for [`Logged`].
const LOGGED: &Words = &[
    ("none", "Nothing"),
    ("server", "The lines of the server and to it"),
    ("engine", "The lines of the engine and to it"),
    ("all", "Both"),
];

/// The file of settings that is read if none is named.
const CONFIG_FILE: &str = "csa.toml";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut warnings = Vec::new();
    let config = config(arguments)?;
    if arguments.print_config {
        return print_line(config.completed().to_toml().trim_end());
    }
    for (flag, given) in
        [("--password", &arguments.settings.server.password), ("--trip", &arguments.settings.server.trip)]
    {
        if given.is_some() {
            complain(format_args!(
                "{flag} can be seen by others on this machine: --password-file or {PASSWORD_VARIABLE}"
            ));
        }
    }
    let settings = config.settings(std::env::var(PASSWORD_VARIABLE).ok(), &mut warnings).map_err(usage)?;
    warnings.iter().for_each(complain);
    let style = if arguments.display.json {
        Style::Json
    } else if arguments.display.quiet {
        Style::Quiet
    } else {
        Style::Lines
    };
    let events = arguments.display.events.as_deref();
    let reporter = Reporter::new(style, events).map_err(|error| {
        let file = events.unwrap_or(Path::new("events")).to_path_buf();
        failure(SessionError::File(file, error))
    })?;
    let listener = arguments.live.listen().map_err(usage)?;
    let interrupts = count_interrupts();
    let interrupted = interrupts.clone();
    komainu_tools::csa::run(settings, reporter, interrupts, arguments.display.log, listener).map_err(failure)?;
    if interrupted.any() { Err(Failure::Interrupted) } else { Ok(()) }
}

fn failure(error: SessionError) -> Failure {
    Failure::Exit(error.exit_code(), error.to_string())
}

pub(super) fn usage(message: String) -> Failure {
    Failure::Exit(1, message)
}

/// Counts interrupts, with a word on what each means.
fn count_interrupts() -> Interrupts {
    let interrupts = Interrupts::default();
    let counted = interrupts.clone();
    on_interrupt(4, move |count| {
        counted.add();
        complain(match count {
            1 => "no new game is begun; once more to resign",
            2 => "the game is resigned at the next own turn; once more to close the connection",
            _ => "the connection is closed",
        });
    });
    interrupts
}

/// The flags, and behind them the file.
fn config(arguments: &Arguments) -> Result<Config, Failure> {
    let mut flags = arguments.settings.clone();
    if let Some(server) = &arguments.server {
        let (host, port) = host_and_port(server)?;
        flags.server.host = Some(host);
        flags.server.port = port;
    }
    for (name, value) in &arguments.options.option {
        flags.engine.options.insert(name.clone(), toml::Value::String(value.clone()));
    }
    let file = match &arguments.config {
        Some(path) => Config::read(path).map_err(usage)?,
        None if Path::new(CONFIG_FILE).is_file() => Config::read(Path::new(CONFIG_FILE)).map_err(usage)?,
        None => Config::default(),
    };
    Ok(flags.over(&file))
}

/// Reads `host`, `host:port`, `[::1]:port` or an address of IPv6.
fn host_and_port(server: &str) -> Result<(String, Option<u16>), Failure> {
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
    let Some(port) = port else { return Ok((host.to_string(), None)) };
    match port.parse() {
        Ok(port) if port > 0 => Ok((host.to_string(), Some(port))),
        _ => Err(usage(format!("{server:?} has no port from 1 to 65535"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_with_and_without_a_port() {
        let read = |text| host_and_port(text).ok();
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
