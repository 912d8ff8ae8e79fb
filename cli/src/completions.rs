//! `komainu completions` and `komainu man`: files that shells and `man` read, made from the command line itself.

use super::command_line;
use crate::terminal::{Failure, in_file, print_line};
use clap_complete::Shell;
use komainu::types::Counted;
use std::fs;
use std::path::PathBuf;

/// Print the completions of commands and flags for a shell
///
/// For bash: `komainu completions bash > ~/.local/share/bash-completion/completions/komainu`.
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// Shell that reads them
    shell: Shell,
}

/// Write a manual page for each command
#[derive(clap::Args)]
pub(crate) struct Manual {
    /// Folder to write them to
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command_line(), "komainu", &mut script);
    print_line(String::from_utf8_lossy(&script).trim_end())
}

pub(crate) fn manual(arguments: &Manual) -> Result<(), Failure> {
    let failure = in_file(&arguments.folder);
    fs::create_dir_all(&arguments.folder).map_err(&failure)?;
    clap_mangen::generate_to(command_line(), &arguments.folder).map_err(&failure)?;
    let pages = fs::read_dir(&arguments.folder).map_err(&failure)?.flatten();
    let pages = pages.filter(|page| page.path().extension().is_some_and(|extension| extension == "1")).count();
    print_line(format_args!("{}: {}", arguments.folder.display(), Counted(pages, "page")))
}
