//! `komainu help`: what the commands and the USI options do.

use super::command_line;
use crate::terminal::{Failure, print_line};
use komainu::search::TUNABLES;
use komainu::types::Quoted;
use komainu::usi::options::{OptionKind, Options, Spec, TABLE};
use std::fmt;

/// Explain a command, a USI option (in English and Japanese), or all `options`; print the `tunables` of the search
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A command, a USI option in any case, `options`, or `tunables`: the constants of the search, which a build with
    /// `--features tune` has as options, one a line as `tune` and OpenBench read them
    topic: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut command = command_line();
    command.build();
    let Some(topic) = arguments.topic.as_deref() else {
        return print_line(command.render_help());
    };
    if let Some(subcommand) = command.find_subcommand_mut(topic) {
        return print_line(subcommand.render_long_help());
    }
    if topic.eq_ignore_ascii_case("options") {
        for spec in TABLE {
            print_line(Explained(spec))?;
        }
        return Ok(());
    }
    if topic.eq_ignore_ascii_case("tunables") {
        for tunable in TUNABLES {
            print_line(tunable)?;
        }
        return Ok(());
    }
    match Options::find(topic) {
        Some(spec) => print_line(Explained(spec)),
        None => Err(Failure::Usage(format!("help: no command or option {}", Quoted(topic)))),
    }
}

/// An option with its values and what it does, in two languages.
struct Explained(&'static Spec);

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spec { name, alias, kind, help, help_ja, .. } = self.0;
        write!(f, "{name}")?;
        if let Some(alias) = alias {
            write!(f, " ({alias})")?;
        }
        match kind {
            OptionKind::Spin { default, min, max, .. } => write!(f, ": {min} to {max}, default {default}")?,
            OptionKind::Check { default, .. } => write!(f, ": true or false, default {default}")?,
            OptionKind::Combo { values, .. } => write!(f, ": {}, default {}", values.join(", "), values[0])?,
            OptionKind::Filename { default: "", .. } => write!(f, ": a file, default none")?,
            OptionKind::Filename { default, .. } => write!(f, ": a file, default {default}")?,
            OptionKind::Text { default, .. } => write!(f, ": a text, default {default}")?,
        }
        write!(f, "\n    {help}\n    {help_ja}")
    }
}
