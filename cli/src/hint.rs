//! Advice for a command line that makes no sense: the word that was not understood, and the command that was meant.

use super::command_line;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use komainu::types::Quoted;
use std::ffi::OsString;
use std::path::Path;

/// Endings of the names of game records.
const RECORDS: [&str; 7] = ["kif", "kifu", "ki2", "ki2u", "csa", "jkf", "psn"];
/// The commands that take records, each with what it does with them.
const FOR_RECORDS: [(&str, &str); 2] = [("analyse", "judges it"), ("convert", "writes it in another format")];

/// The command whose line clap has refused, empty for none, and what is wrong with it.
pub(super) fn usage(error: &clap::Error, words: &[OsString]) -> (String, String) {
    let mut command = command_line();
    command.build();
    let words: Vec<String> = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    (innermost(&command, &words).1, explain(error, &command, &words))
}

/// One line about the error, for these words behind the name of the program.
fn explain(error: &clap::Error, command: &Command, words: &[String]) -> String {
    let (inner, path) = innermost(command, words);
    let help = if path.is_empty() { "komainu help".to_string() } else { format!("komainu {path} --help") };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = strings(error, ContextKind::InvalidSubcommand).concat();
            if let Some(hint) = record_hint(&word, command) {
                return hint;
            }
            let near = strings(error, ContextKind::SuggestedSubcommand);
            let hint = match near.first() {
                Some(near) => format!("did you mean `{near}`? See `{help}`"),
                None => format!("see `{help}`"),
            };
            format!("no command {}; {hint}", Quoted(&word))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand
            if inner.has_subcommands() =>
        {
            let names: Vec<&str> =
                inner.get_subcommands().map(Command::get_name).filter(|name| *name != "help").collect();
            format!("{path}: a command is missing: {}; see `{help}`", names.join(", "))
        }
        _ => first_paragraph(&error.render().to_string()),
    }
}

/// The command that the words lead to, and its name below that of the program.
fn innermost<'a>(command: &'a Command, words: &[String]) -> (&'a Command, String) {
    let mut inner = command;
    let mut path = Vec::new();
    for word in words {
        let Some(next) = inner.find_subcommand(word) else { break };
        (inner, _) = (next, path.push(word.as_str()));
    }
    (inner, path.join(" "))
}

/// Advice for a game record that stands where a command should.
fn record_hint(word: &str, command: &Command) -> Option<String> {
    let ending = Path::new(word).extension()?.to_str()?.to_ascii_lowercase();
    let commands: Vec<String> = FOR_RECORDS
        .iter()
        .filter(|(name, _)| command.find_subcommand(name).is_some())
        .map(|(name, does)| format!("`komainu {name} {word}` {does}"))
        .collect();
    let is_record = RECORDS.contains(&ending.as_str()) && !commands.is_empty();
    is_record.then(|| format!("{} is a game record: {}", Quoted(word), commands.join(", ")))
}

fn strings(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// The text before the first blank line, in one line: clap's message without its advice.
fn first_paragraph(text: &str) -> String {
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_string()
}
