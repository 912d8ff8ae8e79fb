//! Files of games, those of folders too, and the names of what is made from them.

use super::{SourceGame, Thoughts, Unread, is_source_name, source_games};
use crate::host::{STDIN, read_file, read_input};
use crate::notation::encoding::decode;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Name of the file in which a match keeps its games.
const GAMES_OF_MATCH: &str = "games.jsonl";

/// A file of games.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path, `-` for the standard input.
    pub path: PathBuf,
    /// Path below the folder that was named, without extension: name of the files made from it.
    pub stem: PathBuf,
    /// Only its text tells whether it holds games: it was found in a folder, and its name says nothing.
    pub(super) is_doubtful: bool,
    /// A person has named it, no folder: a pipe may be meant.
    is_named: bool,
}

/// A file or folder that cannot be read.
#[derive(Debug, Error)]
#[error("{}: {error}", path.display())]
pub struct FileError {
    /// Path of the file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub error: io::Error,
}

fn in_file(path: &Path) -> impl Fn(io::Error) -> FileError {
    move |error| FileError { path: path.to_path_buf(), error }
}

/// The files that are named, and of folders all files of games in them and below, in the order of their names. The
/// folder of a match is read from its games alone, since its records hold the same games again.
pub fn source_files(named: &[PathBuf]) -> Result<Vec<SourceFile>, FileError> {
    let mut files = Vec::new();
    for path in named {
        if path.as_os_str() == STDIN {
            files.push(SourceFile {
                path: path.clone(),
                stem: PathBuf::from("stdin"),
                is_doubtful: false,
                is_named: true,
            });
        } else if path.is_dir() {
            in_folder(path, Path::new(""), &mut files)?;
        } else {
            let stem = PathBuf::from(path.file_stem().unwrap_or(path.as_os_str()));
            files.push(SourceFile { path: path.clone(), stem, is_doubtful: false, is_named: true });
        }
    }
    Ok(files)
}

/// A link to a folder is none, since one to a folder above would lead round and round.
fn in_folder(folder: &Path, below: &Path, files: &mut Vec<SourceFile>) -> Result<(), FileError> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = entries.map_err(in_file(folder))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    if let Some(at) = entries.iter().position(|entry| entry.file_name() == GAMES_OF_MATCH) {
        entries = vec![entries.swap_remove(at)];
    }
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name();
        if entry.file_type().map_err(in_file(&path))?.is_dir() {
            in_folder(&path, &below.join(name), files)?;
            continue;
        }
        let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
        if is_text || is_source_name(&name.to_string_lossy()) {
            let stem = below.join(path.file_stem().unwrap_or_default());
            files.push(SourceFile { path, stem, is_doubtful: is_text, is_named: false });
        }
    }
    Ok(())
}

impl SourceFile {
    /// The text of the file.
    pub fn text(&self) -> Result<String, FileError> {
        let read = if self.is_named { read_input(&self.path) } else { read_file(&self.path) };
        Ok(decode(&read.map_err(in_file(&self.path))?))
    }
}

/// A game of a file, with the name of what is made from it.
#[derive(Clone, Debug)]
pub struct NamedGame {
    /// As [`SourceFile::stem`], with the number of the game behind it if the file has several.
    pub name: String,
    /// The game.
    pub game: SourceGame,
}

/// Reads files of games and gives each game a name of its own.
#[derive(Clone, Debug, Default)]
pub struct SourceReader {
    names: HashSet<String>,
    thoughts: Thoughts,
    /// Games that were read, those with a fault too.
    pub games: u64,
    /// Games of which nothing could be read, or not all.
    pub faults: usize,
    /// Files that have such games.
    pub faulty_files: usize,
}

impl SourceReader {
    /// A reader that takes as much of the thoughts of engines.
    pub fn new(thoughts: Thoughts) -> SourceReader {
        SourceReader { thoughts, ..SourceReader::default() }
    }

    /// The games of files. See [`SourceReader::visit`].
    pub fn read(&mut self, files: &[SourceFile], remark: &dyn Fn(&str)) -> Result<Vec<NamedGame>, FileError> {
        let mut games = Vec::new();
        self.visit(files, remark, &mut |_, game| {
            games.push(game);
            Ok::<(), FileError>(())
        })?;
        Ok(games)
    }

    /// Hands the games of files to `take`, one after the other, each with its file. Faults and warnings are told to
    /// `remark`, one line each, with file and place. Files and folders without a game are a fault: whoever names them
    /// expects one.
    pub fn visit<E: From<FileError>>(
        &mut self,
        files: &[SourceFile],
        remark: &dyn Fn(&str),
        take: &mut dyn FnMut(&SourceFile, NamedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        for file in files {
            self.visit_file(file, remark, take)?;
        }
        if self.games == 0 && self.faults == 0 {
            self.faults += 1;
            remark("no game was found");
        }
        Ok(())
    }

    fn visit_file<E: From<FileError>>(
        &mut self,
        file: &SourceFile,
        remark: &dyn Fn(&str),
        take: &mut dyn FnMut(&SourceFile, NamedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let text = file.text()?;
        let name = file.path.to_string_lossy();
        let shown = file.path.display();
        let stem = file.stem.to_string_lossy();
        let faults_before = self.faults;
        let mut found = source_games(&name, &text, self.thoughts).peekable();
        let mut index = 0;
        while let Some(game) = found.next() {
            index += 1;
            let is_alone = index == 1 && found.peek().is_none();
            match game {
                Ok(game) => {
                    for warning in &game.warnings {
                        remark(&format!("{shown}: {warning}"));
                    }
                    if let Some(fault) = &game.fault {
                        self.faults += 1;
                        remark(&format!("{shown}: {fault}; the moves before it are kept"));
                    }
                    self.games += 1;
                    let name = if is_alone { stem.to_string() } else { format!("{stem}-{index}") };
                    take(file, NamedGame { name: self.unused(name), game })?;
                }
                Err(Unread { told, is_torn }) => {
                    self.faults += usize::from(!(is_torn || file.is_doubtful && is_alone));
                    remark(&format!("{shown}: {told}; passed over"));
                }
            }
        }
        self.faulty_files += usize::from(self.faults > faults_before);
        Ok(())
    }

    /// The name, with a number behind it if another game has it already.
    fn unused(&mut self, name: String) -> String {
        let mut unused = name.clone();
        let mut number = 1;
        while !self.names.insert(unused.to_lowercase()) {
            number += 1;
            unused = format!("{name}-{number}");
        }
        unused
    }
}
