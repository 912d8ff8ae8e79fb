//! The command line: one file a subcommand. Without one the engine speaks USI.

mod analyse;
mod bench;
mod book;
mod check;
mod convert;
mod csa;
mod data;
mod eval;
mod evaluation;
mod help;
mod hint;
mod interrupt;
mod level_report;
mod matches;
mod mate;
mod output;
mod patience;
mod perft;
mod replay;
mod report;
mod screen;
mod selfplay;
mod show;
mod sources;
mod spsa;
mod train;

use crate::games::FileError;
use crate::usi::{Audience, run_for};
use clap::{Parser, Subcommand};
pub(crate) use output::{complain, print_and_go_on, print_line, unless_gone, verdict};
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

/// A shogi engine. Without a command it speaks USI on standard input and output.
#[derive(Parser)]
#[command(name = "komainu", version, about, max_term_width = 100, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Match(Box<matches::Arguments>),
    Perft(perft::Arguments),
    Bench(bench::Arguments),
    Book(Box<book::Arguments>),
    Eval(eval::Arguments),
    Mate(Box<mate::Arguments>),
    Analyse(Box<analyse::Arguments>),
    Convert(convert::Arguments),
    Show(show::Arguments),
    Replay(replay::Arguments),
    Report(report::Arguments),
    LevelReport(level_report::Arguments),
    Check(check::Arguments),
    Csa(Box<csa::Arguments>),
    Selfplay(selfplay::Arguments),
    Data(data::Arguments),
    Train(Box<train::Arguments>),
    Spsa(spsa::Arguments),
    Help(help::Arguments),
}

/// Why a subcommand ends before its end: the exit code is 1 if a check failed, 2 for bad usage.
pub(crate) enum Failure {
    /// Nobody reads the output any more, as after `| head`: no reason to complain.
    ReaderGone,
    /// A check failed; it has been reported.
    CheckFailed,
    /// The arguments make no sense: one line that names the token.
    Usage(String),
    /// One line and an exit code, of a subcommand that has more of them.
    Exit(u8, String),
}

/// The command line as a table: subcommands, arguments and their help.
pub fn command_line() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// Runs what the command line asks for.
pub fn run() -> ExitCode {
    crate::system::return_large_blocks();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if !error.use_stderr() => {
            // Help and version go to standard output.
            return error.print().map_err(output::of_output).map_or_else(report, |()| ExitCode::SUCCESS);
        }
        Err(error) => {
            // Bad usage of this one has an exit code of its own.
            let is_csa = std::env::args_os().nth(1).is_some_and(|task| task == "csa");
            return report(match hint::usage(&error) {
                Failure::Usage(message) if is_csa => Failure::Exit(1, message),
                failure => failure,
            });
        }
    };
    let result = match arguments.command {
        None => speak_usi(),
        Some(Command::Match(arguments)) => matches::run(&arguments),
        Some(Command::Perft(arguments)) => perft::run(&arguments),
        Some(Command::Bench(arguments)) => bench::run(&arguments),
        Some(Command::Book(arguments)) => book::run(&arguments),
        Some(Command::Mate(arguments)) => mate::run(&arguments),
        Some(Command::Eval(arguments)) => eval::run(&arguments),
        Some(Command::Analyse(arguments)) => analyse::run(&arguments),
        Some(Command::Convert(arguments)) => convert::run(&arguments),
        Some(Command::Show(arguments)) => show::run(&arguments),
        Some(Command::Replay(arguments)) => replay::run(&arguments),
        Some(Command::Report(arguments)) => report::run(&arguments),
        Some(Command::LevelReport(arguments)) => level_report::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Csa(arguments)) => csa::run(&arguments),
        Some(Command::Selfplay(arguments)) => selfplay::run(&arguments),
        Some(Command::Data(arguments)) => data::run(&arguments),
        Some(Command::Train(arguments)) => train::run(&arguments),
        Some(Command::Spsa(arguments)) => spsa::run(&arguments),
        Some(Command::Help(arguments)) => help::run(&arguments),
    };
    result.map_or_else(report, |()| ExitCode::SUCCESS)
}

/// The USI loop. A person who typed `komainu` on a terminal is greeted, in the language of the environment.
fn speak_usi() -> Result<(), Failure> {
    let is_person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let audience = if is_person { Audience::of_language(&language()) } else { Audience::Program };
    run_for(audience, std::io::stdin(), std::io::stdout()).map_err(output::of_output)
}

/// Language of the environment: the first of the variables that is set counts.
fn language() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).unwrap_or_default()
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

/// Message about a file that cannot be read or written.
fn in_file(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::Usage(format!("{}: {error}", path.display()))
}

/// The lines of a list with their numbers from 1, without empty ones and comments, which begin with `#`.
fn numbered_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn report(failure: Failure) -> ExitCode {
    match failure {
        Failure::ReaderGone => ExitCode::SUCCESS,
        Failure::CheckFailed => ExitCode::from(1),
        Failure::Usage(message) => {
            complain(message);
            ExitCode::from(2)
        }
        Failure::Exit(code, message) => {
            complain(message);
            ExitCode::from(code)
        }
    }
}
