//! `komainu csa`: games on a CSA server.

use crate::interrupt::on_interrupt;
use crate::terminal::{Failure, complain, print_line};
use komainu_tools::csa::config::Config;
use komainu_tools::csa::settings::{PASSWORD_VARIABLE, Settings};
use komainu_tools::csa::{Interrupts, Logged, Reporter, SessionError, Style};
use komainu_tools::settings::{EngineOptions, LivePage};
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
    #[arg(long, value_enum, default_value = "none")]
    log: Logged,
}

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
    let settings = Settings::new(config, std::env::var(PASSWORD_VARIABLE).ok(), &mut warnings);
    let settings = settings.map_err(|error| failure(error.into()))?;
    warnings.iter().for_each(complain);
    let style = match (&arguments.display.json, &arguments.display.quiet) {
        (true, _) => Style::Json,
        (_, true) => Style::Quiet,
        _ => Style::Lines,
    };
    let events = arguments.display.events.as_deref();
    let reporter = Reporter::new(style, events).map_err(|error| {
        let file = events.unwrap_or(Path::new("events")).to_path_buf();
        failure(SessionError::File(file, error))
    })?;
    let mut notes = Vec::new();
    let listener = arguments.live.listen(&mut notes).map_err(usage)?;
    notes.iter().for_each(complain);
    let interrupts = count_interrupts()?;
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
fn count_interrupts() -> Result<Interrupts, Failure> {
    let interrupts = Interrupts::default();
    let counted = interrupts.clone();
    on_interrupt(4, move |count| {
        counted.add();
        complain(match count {
            1 => "no new game is begun; once more to resign",
            2 => "the game is resigned at the next own turn; once more to close the connection",
            _ => "the connection is closed",
        });
    })?;
    Ok(interrupts)
}

/// The flags, and behind them the file.
fn config(arguments: &Arguments) -> Result<Config, Failure> {
    let mut flags = arguments.settings.clone();
    if let Some(server) = &arguments.server {
        (flags.server.host, flags.server.port) = host_and_port(server)?;
    }
    let options = arguments.options.option.iter().cloned();
    flags.engine.options.extend(options.map(|(name, value)| (name, toml::Value::String(value))));
    let usual = Some(Path::new(CONFIG_FILE)).filter(|path| path.is_file());
    let file = match arguments.config.as_deref().or(usual) {
        Some(path) => Config::read(path).map_err(|error| failure(error.into()))?,
        None => Config::default(),
    };
    Ok(flags.over(&file))
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
