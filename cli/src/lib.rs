//! The command line: one file a subcommand. Without one the engine speaks USI.

mod analyse;
mod bench;
mod book;
mod check;
mod completions;
mod convert;
mod csa;
mod data;
mod eval;
mod help;
mod hint;
mod interrupt;
mod level_report;
mod matches;
mod mate;
mod page;
mod perft;
mod replay;
mod report;
mod selfplay;
mod settings;
mod show;
mod sources;
mod terminal;
mod train;
mod tune;

use clap::{Parser, Subcommand};
use komainu::usi::{Audience, run_for};
use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal};
use std::process::ExitCode;
use terminal::{Failure, of_output};

/// A shogi engine. Without a command it speaks USI on standard input and output.
#[derive(Parser)]
#[command(name = "komainu", version, about, max_term_width = 100, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Page(page::Arguments),
    Match(Box<matches::Arguments>),
    Tune(Box<tune::Arguments>),
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
    Completions(completions::Completions),
    #[command(hide = true)]
    Man(completions::Manual),
    Help(help::Arguments),
}

/// The command line as a table: subcommands, arguments and their help.
pub fn command_line() -> clap::Command {
    <Arguments as clap::CommandFactory>::command()
}

/// Runs what the command line asks for.
pub fn run() -> ExitCode {
    run_words(std::env::args_os().collect()).into()
}

/// Runs what the words of a command line ask for, the name of the program first, and tells the exit code.
pub fn run_words(words: Vec<OsString>) -> u8 {
    komainu::system::return_large_blocks();
    komainu::system::refuse_large_files();
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(error) if !error.use_stderr() => {
            // Help and version go to standard output.
            return error.print().map_err(of_output).map_or_else(Failure::report, |()| 0);
        }
        Err(error) => {
            let (command, message) = hint::usage(&error, &words);
            // Bad usage of this one has an exit code of its own.
            let failure = if command == "csa" { csa::usage(message) } else { Failure::Usage(message) };
            return failure.report();
        }
    };
    if arguments.command.is_some()
        && let Err(failure) = interrupt::heed_interrupts()
    {
        return failure.report();
    }
    let result = match arguments.command {
        None => speak_usi(),
        Some(Command::Page(arguments)) => page::run(&arguments),
        Some(Command::Match(arguments)) => matches::run(&arguments),
        Some(Command::Tune(arguments)) => tune::run(&arguments),
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
        Some(Command::Completions(arguments)) => completions::completions(&arguments),
        Some(Command::Man(arguments)) => completions::manual(&arguments),
        Some(Command::Help(arguments)) => help::run(&arguments),
    };
    result.map_or_else(Failure::report, |()| 0)
}

/// The USI loop. A person who typed `komainu` on a terminal is greeted, in the language of the environment.
fn speak_usi() -> Result<(), Failure> {
    let is_person = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let audience = if is_person { Audience::of_language(&language()) } else { Audience::Program };
    run_for(audience, std::io::stdin(), std::io::stdout()).map_err(|error| match error.kind() {
        ErrorKind::Other => Failure::Usage(error.to_string()),
        _ => of_output(error),
    })
}

/// Language of the environment: the first of the variables that is set counts.
fn language() -> String {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set).unwrap_or_default()
}

/// The examples of the READMEs are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
#[doc = include_str!("../../README.ja.md")]
#[doc = include_str!("../../docs/library.md")]
#[doc = include_str!("../../docs/library.ja.md")]
struct Readme;
