//! Files of games that a subcommand is given, and the names of what is made from them.

use super::{Failure, in_file};
use crate::notation::source::{SourceGame, is_source_name, read_source};
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A file of games.
#[derive(Clone, Debug)]
pub(super) struct SourceFile {
    pub(super) path: PathBuf,
    /// Its path below the folder that was named, without extension: what the files made from it are called.
    pub(super) stem: PathBuf,
}

/// The files that are named, and of folders all files of games in them and below, in the order of their names.
pub(super) fn source_files(named: &[PathBuf]) -> Result<Vec<SourceFile>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            in_folder(path, Path::new(""), &mut files)?;
        } else {
            let stem = PathBuf::from(path.file_stem().unwrap_or(path.as_os_str()));
            files.push(SourceFile { path: path.clone(), stem });
        }
    }
    Ok(files)
}

/// Leaves out what lies in a folder of results below one of the folders that were named: results are no games to read.
pub(super) fn leave_out_results(files: &mut Vec<SourceFile>, named: &[PathBuf], out: &Path) {
    let Ok(out) = fs::canonicalize(out) else { return };
    let folders = named.iter().filter_map(|path| fs::canonicalize(path).ok());
    if folders.into_iter().any(|folder| out != folder && out.starts_with(&folder)) {
        files.retain(|file| !fs::canonicalize(&file.path).is_ok_and(|path| path.starts_with(&out)));
    }
}

fn in_folder(folder: &Path, below: &Path, files: &mut Vec<SourceFile>) -> Result<(), Failure> {
    visit_folder(folder, &mut |path, is_folder| {
        let name = path.file_name().unwrap_or_default();
        if is_folder {
            in_folder(path, &below.join(name), files)?;
        } else if is_source_name(&name.to_string_lossy()) {
            let stem = below.join(path.file_stem().unwrap_or_default());
            files.push(SourceFile { path: path.to_path_buf(), stem });
        }
        Ok(())
    })
}

/// Visits what lies in a folder in the order of the names: each path, and true if it is a folder. A link to a folder is none,
/// since one to a folder above would lead round and round.
pub(super) fn visit_folder(
    folder: &Path,
    visit: &mut dyn FnMut(&Path, bool) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let fail = in_file(folder);
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(&fail)? {
        entries.push(entry.map_err(&fail)?);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        visit(&entry.path(), entry.file_type().map_err(&fail)?.is_dir())?;
    }
    Ok(())
}

/// A game of a file, with the name of what is made from it.
#[derive(Clone, Debug)]
pub(super) struct NamedGame {
    /// As [`SourceFile::stem`], with the number of the game behind it if the file has several.
    pub(super) name: String,
    pub(super) game: SourceGame,
}

/// Reads files of games and gives each game a name of its own.
#[derive(Default)]
pub(super) struct SourceReader {
    names: HashSet<String>,
    /// Games of which nothing could be read, or not all.
    pub(super) faults: usize,
}

impl SourceReader {
    /// The games of a file. Faults and warnings are told to `remark`, one line each, with file and place.
    pub(super) fn read(&mut self, file: &SourceFile, remark: &dyn Fn(&str)) -> Result<Vec<NamedGame>, Failure> {
        let bytes = fs::read(&file.path).map_err(in_file(&file.path))?;
        let shown = file.path.display();
        let found = read_source(&file.path.to_string_lossy(), &bytes);
        let (several, stem) = (found.len() > 1, file.stem.to_string_lossy());
        let mut games = Vec::new();
        for (index, game) in found.into_iter().enumerate() {
            match game {
                Ok(game) => {
                    game.warnings.iter().for_each(|warning| remark(&format!("{shown}: {warning}")));
                    if let Some(fault) = &game.fault {
                        self.faults += 1;
                        remark(&format!("{shown}: {fault}; the moves before it are kept"));
                    }
                    let name = if several { format!("{stem}-{}", index + 1) } else { stem.to_string() };
                    games.push(NamedGame { name: self.unused(name), game });
                }
                Err(fault) => {
                    self.faults += 1;
                    remark(&format!("{shown}: {fault}; passed over"));
                }
            }
        }
        Ok(games)
    }

    /// The name, with a number behind it if another game has it already.
    fn unused(&mut self, name: String) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let unused = std::iter::once(name.clone()).chain(numbered).find(|name| self.names.insert(name.to_lowercase()));
        unused.expect("there is no end of numbers")
    }
}

/// A file that is to be written must be none that was read: its owner has no other copy.
pub(super) fn refuse_to_overwrite(out: &Path, sources: &[SourceFile]) -> Result<(), Failure> {
    let Ok(out) = fs::canonicalize(out) else { return Ok(()) };
    let is_read = |file: &&SourceFile| fs::canonicalize(&file.path).is_ok_and(|path| path == out);
    match sources.iter().find(is_read) {
        Some(file) => Err(Failure::Usage(format!("{}: it is read, and is not written over", file.path.display()))),
        None => Ok(()),
    }
}
