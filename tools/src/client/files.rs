//! Files of an engine: those that its options name, sought where engines seek them, and whether one has changed.

use crate::process::Launch;
use komainu::protocol::{EngineOption, OptionType};
use komainu::types::Quoted;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file with its length in bytes and the time of its last change, if they are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    pub(crate) path: PathBuf,
    state: Option<(u64, SystemTime)>,
}

impl FileStamp {
    pub(crate) fn of(path: PathBuf) -> FileStamp {
        let state = std::fs::metadata(&path).and_then(|found| Ok((found.len(), found.modified()?))).ok();
        FileStamp { path, state }
    }
}

/// Ends of the names of options of type `string` whose values are files or folders by custom.
const FILE_NAMES: [&str; 3] = ["file", "dir", "folder"];
/// Parts of the names of options whose files the engine writes: they need not be there.
const WRITTEN: [&str; 3] = ["log", "save", "write"];
/// Values that mean no file, beside those in angle brackets such as `<internal>`.
const NO_FILE: [&str; 3] = ["", "none", "no_book"];

/// Options that an engine lists and those that it was sent, and where it seeks files.
pub(crate) struct OptionFiles<'a> {
    pub(crate) listed: &'a [EngineOption],
    pub(crate) sent: &'a BTreeMap<String, String>,
    pub(crate) launch: &'a Launch,
}

impl OptionFiles<'_> {
    /// Fails with the first option that was sent and names a file which is not there, and why. Values that the engine
    /// has by itself are its own affair.
    pub(crate) fn check(&self) -> Result<(), (String, String)> {
        for option in self.listed.iter().filter(|option| names_files(option)) {
            let Some(value) = self.sent.get(&option.name) else { continue };
            if !is_file(value) || *value == option.default {
                continue;
            }
            if self.places(&option.name, value).iter().all(|path| !path.exists()) {
                let folders = self.launch.places();
                let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
                let sought = if Path::new(value).is_absolute() { String::new() } else { sought_in(&folders) };
                return Err((option.name.clone(), format!("there is no file {}{sought}", Quoted(value))));
            }
        }
        Ok(())
    }

    /// Files that options name, those of the folder of a net too, by whole paths: options that were sent, and what the
    /// engine lists as its own values.
    pub(crate) fn found(&self) -> Vec<PathBuf> {
        let own = self.listed.iter().filter(|option| names_files(option) && !self.sent.contains_key(&option.name));
        let own = own.map(|option| (&option.name, &option.default));
        let sent = self.sent.iter().filter(|(name, _)| match self.option(name) {
            Some(option) => names_files(option) || option.kind == OptionType::Text && !is_written(name),
            None => !is_written(name),
        });
        let mut files = Vec::new();
        for (name, value) in own.chain(sent).filter(|(_, value)| is_file(value)) {
            for path in self.places(name, value) {
                if path.is_dir() && !name.to_ascii_lowercase().contains("book") {
                    files.extend(files_in(&path));
                } else if path.is_file() {
                    files.push(path);
                }
            }
        }
        files.sort();
        files.dedup();
        files
    }

    fn option(&self, name: &str) -> Option<&EngineOption> {
        self.listed.iter().find(|option| option.name == name)
    }

    /// Places where the engine may seek a file: its working folder, that of its program, and in both the folder that
    /// the option beside it names, as `BookDir` beside `BookFile`.
    fn places(&self, name: &str, value: &str) -> Vec<PathBuf> {
        let beside = name.strip_suffix("File").map(|stem| format!("{stem}Dir"));
        let folder = beside.and_then(|beside| {
            let sent = self.sent.get(&beside);
            sent.or_else(|| self.option(&beside).map(|option| &option.default)).filter(|folder| is_file(folder))
        });
        let of_place = |place: PathBuf| {
            let within = folder.map(|folder| place.join(folder).join(value));
            [Some(place.join(value)), within].into_iter().flatten()
        };
        self.launch.places().into_iter().flat_map(of_place).collect()
    }
}

/// Tests whether the value of an option is a file or a folder that has to be there.
fn names_files(option: &EngineOption) -> bool {
    let name = option.name.to_ascii_lowercase();
    let is_customary = || FILE_NAMES.iter().any(|end| name.ends_with(end));
    let is_file = option.kind == OptionType::Filename || option.kind == OptionType::Text && is_customary();
    is_file && !is_written(&name)
}

fn is_written(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WRITTEN.iter().any(|part| name.contains(part))
}

/// Tests whether a value means a file at all.
fn is_file(value: &str) -> bool {
    let is_placeholder = value.starts_with('<') && value.ends_with('>');
    !is_placeholder && NO_FILE.iter().all(|none| !none.eq_ignore_ascii_case(value))
}

fn sought_in(folders: &[String]) -> String {
    format!(" in {}", folders.join(" or "))
}

/// The files in a folder, but not in folders below it.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// A folder with `net.bin`, `book/a.db` and `eval/nn.bin`.
    struct Folder(TempDir);

    impl Folder {
        fn new() -> Folder {
            let folder = tempfile::tempdir().unwrap();
            for file in ["net.bin", "book/a.db", "eval/nn.bin"] {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, file).unwrap();
            }
            Folder(folder)
        }

        /// The fault of an engine that runs in this folder, lists these options and was sent these values.
        fn fault(&self, listed: &[&str], sent: &[(&str, &str)]) -> String {
            self.with(listed, sent, |files| {
                files.check().map_or_else(|(name, why)| format!("{name}: {why}"), |()| "".into())
            })
        }

        fn found(&self, listed: &[&str], sent: &[(&str, &str)]) -> Vec<String> {
            let shown = |path: PathBuf| path.strip_prefix(&self.0).unwrap().to_string_lossy().into_owned();
            self.with(listed, sent, |files| files.found().into_iter().map(shown).collect())
        }

        fn with<T>(&self, listed: &[&str], sent: &[(&str, &str)], of: impl FnOnce(OptionFiles) -> T) -> T {
            let option = |text: &&str| EngineOption::read(&format!("option name {text}")).unwrap();
            let listed: Vec<EngineOption> = listed.iter().map(option).collect();
            let sent = sent.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            let launch = Launch::new("no-such-engine", Some(self.0.path())).unwrap();
            of(OptionFiles { listed: &listed, sent: &sent, launch: &launch })
        }
    }

    const EVAL: &str = "EvalFile type filename default <internal>";
    const EVAL_DIR: &str = "EvalDir type string default eval";
    const BOOK: [&str; 2] = ["BookDir type string default book", "BookFile type string default no_book"];

    #[test]
    fn files_count_from_the_folder_of_the_engine_and_from_the_folder_of_their_option() {
        let folder = Folder::new();
        let whole = folder.0.path().join("net.bin").display().to_string();
        for (listed, sent) in [
            (&[EVAL][..], &[("EvalFile", "net.bin")][..]),
            (&[EVAL], &[("EvalFile", &whole)]),
            (&[EVAL_DIR], &[("EvalDir", "eval")]),
            (&BOOK, &[("BookFile", "a.db")]),
            (&BOOK, &[("BookDir", "eval"), ("BookFile", "nn.bin")]),
        ] {
            assert_eq!(folder.fault(listed, sent), "", "{sent:?}");
        }
        // Where the user stands is not where the engine runs.
        assert_ne!(folder.fault(&[EVAL], &[("EvalFile", "Cargo.toml")]), "");
    }

    #[test]
    fn values_that_are_no_files_and_files_that_are_written_need_not_be_there() {
        let folder = Folder::new();
        for (option, value) in [
            (EVAL, "<internal>"),
            (EVAL, ""),
            ("EvalFile type string default nn.bin", "nn.bin"),
            ("BookFile type string default x", "no_book"),
            ("Book type filename default x", "None"),
            ("DebugLogFile type filename default <empty>", "debug.txt"),
            ("Debug Log File type string default <empty>", "debug.txt"),
            ("Style type string default <empty>", "wild"),
            ("Profile type combo default a var a var b", "b"),
        ] {
            let name = option.split(" type").next().unwrap();
            assert_eq!(folder.fault(&[option], &[(name, value)]), "", "{option} {value}");
        }
    }

    #[test]
    fn files_that_are_sent_or_that_the_engine_takes_by_itself_are_found() {
        let folder = Folder::new();
        assert_eq!(folder.found(&[EVAL, EVAL_DIR], &[("EvalFile", "net.bin")]), ["eval/nn.bin", "net.bin"]);
        assert_eq!(folder.found(&BOOK, &[]), [""; 0], "a folder of books is not read whole");
        assert_eq!(folder.found(&BOOK, &[("BookFile", "a.db")]), ["book/a.db"]);
        let log = "DebugLogFile type filename default <empty>";
        assert_eq!(folder.found(&[log, "Threads type spin default 1"], &[("DebugLogFile", "net.bin")]), [""; 0]);
        assert_eq!(folder.found(&[], &[("Net", "net.bin")]), ["net.bin"], "an option that is not listed");
    }
}
