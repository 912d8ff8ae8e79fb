//! A file that long work adds to, so that the work can go on after it was broken off.

use crate::host::{open_file, open_regular};
use crate::types::Quoted;
use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Interval of syncs, so that a crash of the machine costs the work of this time at most.
const SYNC_INTERVAL: Duration = Duration::from_secs(30);

/// Fault of a journal; the file is named first.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file cannot be made, read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, #[source] io::Error),
    /// Work was begun, and nobody said that it is to go on.
    #[error("{}: work was begun here; --resume goes on with it", .0.display())]
    Begun(PathBuf),
    /// A process has the file: its number, where the system tells it.
    #[error("{}: {} is at work on it", .0.display(), .1.map_or("another process".to_string(), |id| format!("process {id}")))]
    InUse(PathBuf, Option<u32>),
    /// Work was begun with other settings: those of the file, and those that are asked for.
    #[error("{}: made with {}, not with {}", .0.display(), Quoted(.1), Quoted(.2))]
    OtherSettings(PathBuf, String, String),
    /// A place in the file that is at fault, and why.
    #[error("{}: {}: {}", .0.display(), .1, .2)]
    Damaged(PathBuf, String, String),
}

/// Relation of the beginning of a journal to the head that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Nothing was there, or a part of this head: it has been written.
    New,
    /// The file begins with this head.
    Same,
    /// The file begins otherwise.
    Other,
}

/// A file that grows at its end, and that no second process has.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    synced: Instant,
}

impl Journal {
    /// Opens or makes a journal. One that holds anything is refused unless its work is to go on.
    pub fn open(path: &Path, resume: bool) -> Result<Journal, JournalError> {
        let file = lock(path)?;
        let length = file.metadata().map_err(|error| JournalError::Io(path.to_path_buf(), error))?.len();
        let journal = Journal { path: path.to_path_buf(), file, length, synced: Instant::now() };
        if !resume && length > 0 {
            return Err(journal.begun());
        }
        Ok(journal)
    }

    /// Tests whether a process has a journal; nothing is made or changed.
    pub fn is_in_use(path: &Path) -> bool {
        let Ok(file) = open_file(path) else { return false };
        let locked = file.try_lock_shared();
        if locked.is_ok() {
            _ = file.unlock();
        }
        matches!(locked, Err(TryLockError::WouldBlock))
    }

    /// Compares the beginning of the file with a head, which is written where the file ends within it.
    pub fn begin(&mut self, head: &[u8]) -> Result<Head, JournalError> {
        let mut first = Vec::new();
        let reader = self.reader().map_err(self.fail())?;
        reader.take(head.len() as u64).read_to_end(&mut first).map_err(self.fail())?;
        if self.length < head.len() as u64 && head.starts_with(&first) {
            self.keep(0)?;
            self.append(head)?;
            return Ok(Head::New);
        }
        Ok(if first == head { Head::Same } else { Head::Other })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Reads the file from its beginning. What is added moves the place of reading.
    pub fn reader(&self) -> io::Result<BufReader<&File>> {
        self.reader_at(0)
    }

    /// Reads the file from a byte on.
    pub fn reader_at(&self, place: u64) -> io::Result<BufReader<&File>> {
        // By this handle: where locks are mandatory, another handle may not read.
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place))?;
        Ok(BufReader::new(file))
    }

    /// Cuts off what stands behind the first bytes: torn by a crash, or no longer wanted.
    pub fn keep(&mut self, length: u64) -> Result<(), JournalError> {
        self.file.set_len(length).map_err(self.fail())?;
        self.length = length;
        Ok(())
    }

    /// Adds bytes and hands them to the system at once; returns where they begin. Bytes that could not be written as a
    /// whole are taken back.
    pub fn append(&mut self, bytes: &[u8]) -> Result<u64, JournalError> {
        let place = self.length;
        let written = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.write_all(bytes));
        if written.is_err() {
            // What cannot be taken back is torn, which every reader knows.
            _ = self.file.set_len(place);
        }
        written.map_err(self.fail())?;
        self.length += bytes.len() as u64;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(place)
    }

    /// Waits until everything is on the disk.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(self.fail())
    }

    /// Removes the file.
    pub fn remove(mut self) -> Result<(), JournalError> {
        self.keep(0)?;
        fs::remove_file(&self.path).map_err(self.fail())
    }

    /// The fault that work was begun.
    pub fn begun(&self) -> JournalError {
        JournalError::Begun(self.path.clone())
    }

    /// The fault that work was begun with other settings.
    pub fn other_settings(&self, theirs: impl Into<String>, ours: impl Into<String>) -> JournalError {
        JournalError::OtherSettings(self.path.clone(), theirs.into(), ours.into())
    }

    /// The fault of a place in the file.
    pub fn damaged(&self, place: impl ToString, why: impl ToString) -> JournalError {
        JournalError::Damaged(self.path.clone(), place.to_string(), why.to_string())
    }

    /// A fault of reading or writing.
    pub fn fail(&self) -> impl FnOnce(io::Error) -> JournalError + use<> {
        let path = self.path.clone();
        move |error| JournalError::Io(path, error)
    }
}

/// A journal without a word leaves no file. The lock is held until the name is gone, and given back by a call of its
/// own: a process that another thread is just starting has a copy of every open file, which holds a lock on.
impl Drop for Journal {
    fn drop(&mut self) {
        if self.length == 0 {
            _ = fs::remove_file(&self.path);
        }
        _ = self.file.unlock();
    }
}

/// Opens a file for this process alone.
fn lock(path: &Path) -> Result<File, JournalError> {
    let fail = |error| JournalError::Io(path.to_path_buf(), error);
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    loop {
        let file = open_regular(path, &options).map_err(fail)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(path.to_path_buf(), holder(&file))),
            // A file system without locks is no reason not to work.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // Whoever had the file may have removed it before it was locked here.
        if has_name(&file, path) {
            return Ok(file);
        }
    }
}

/// Tests whether a path names this file.
#[cfg(unix)]
fn has_name(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::metadata(path), file.metadata()) {
        (Ok(named), Ok(open)) => (named.dev(), named.ino()) == (open.dev(), open.ino()),
        _ => false,
    }
}

/// Tests whether a path names this file: an open file keeps its name there.
#[cfg(not(unix))]
fn has_name(_: &File, _: &Path) -> bool {
    true
}

/// The process that has locked a file, from the system's table of locks.
#[cfg(target_os = "linux")]
fn holder(file: &File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;
    let data = file.metadata().ok()?;
    let place = format!("{:02x}:{:02x}:{}", libc::major(data.dev()), libc::minor(data.dev()), data.ino());
    holder_in(&fs::read_to_string("/proc/locks").ok()?, &place)
}

/// The process that a table of locks names for a file, `MAJOR:MINOR:INODE`. Such a line is
/// `1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF`.
#[cfg(target_os = "linux")]
fn holder_in(table: &str, place: &str) -> Option<u32> {
    for line in table.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if let [_, "FLOCK", _, _, process, at, ..] = fields[..]
            && at == place
        {
            // A process of another name space is 0.
            return process.parse().ok().filter(|&process| process > 0);
        }
    }
    None
}

/// The process that has locked a file, which other systems do not tell.
#[cfg(not(target_os = "linux"))]
fn holder(_: &File) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("komainu-journal-of-{name}-{}", std::process::id()));
        _ = fs::remove_file(&path);
        path
    }

    #[test]
    fn a_journal_grows_and_is_cut_and_goes_on() {
        let path = path("growth");
        let mut journal = Journal::open(&path, false).unwrap();
        assert_eq!(journal.begin(b"head\n").unwrap(), Head::New);
        assert_eq!(journal.append(b"one\n").unwrap(), 5);
        assert_eq!(journal.append(b"torn").unwrap(), 9);
        let mut text = String::new();
        journal.reader_at(5).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\ntorn");
        journal.keep(9).unwrap();
        journal.append(b"two\n").unwrap();
        journal.sync().unwrap();
        drop(journal);
        assert_eq!(fs::read_to_string(&path).unwrap(), "head\none\ntwo\n");
        assert!(matches!(Journal::open(&path, false), Err(JournalError::Begun(_))));
        let mut journal = Journal::open(&path, true).unwrap();
        assert_eq!((journal.begin(b"head\n").unwrap(), journal.begin(b"hand\n").unwrap()), (Head::Same, Head::Other));
        assert_eq!(journal.length(), 13);
        journal.remove().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn a_head_that_a_crash_tore_is_written_anew() {
        let path = path("head");
        for end in 0..5 {
            fs::write(&path, &b"head\n"[..end]).unwrap();
            let mut journal = Journal::open(&path, true).unwrap();
            assert_eq!(journal.begin(b"head\n").unwrap(), Head::New, "{end}");
            assert_eq!(fs::read(&path).unwrap(), b"head\n");
        }
        fs::write(&path, "hex").unwrap();
        assert_eq!(Journal::open(&path, true).unwrap().begin(b"head\n").unwrap(), Head::Other);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_second_writer_is_told_who_has_the_file() {
        let path = path("writers");
        let first = Journal::open(&path, false).unwrap();
        for resume in [false, true] {
            let error = Journal::open(&path, resume).unwrap_err();
            assert!(matches!(error, JournalError::InUse(..)), "{error}");
            #[cfg(target_os = "linux")]
            assert!(
                error.to_string().ends_with(&format!(": process {} is at work on it", std::process::id())),
                "{error}"
            );
        }
        first.remove().unwrap();
        drop(Journal::open(&path, false).unwrap());
        assert!(!path.exists(), "nothing was written");
    }

    #[test]
    fn a_journal_that_is_left_is_free_while_a_starting_process_has_a_copy_of_its_file() {
        let path = path("copies");
        let journal = Journal::open(&path, false).unwrap();
        let copy = journal.file.try_clone().unwrap();
        assert!(Journal::is_in_use(&path));
        drop(journal);
        assert!(!Journal::is_in_use(&path));
        Journal::open(&path, false).unwrap().remove().unwrap();
        drop(copy);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_table_of_locks_names_a_process_or_none() {
        let table = "1: POSIX  ADVISORY  WRITE 7 08:01:131 0 EOF\n2: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 12 08:01:131 0 EOF\n3: FLOCK  ADVISORY  WRITE 0 00:2e:5 0 EOF\n4:\n";
        assert_eq!(holder_in(table, "08:01:131"), Some(4711));
        assert_eq!(holder_in(table, "00:2e:5"), None, "a process of another name space");
        assert_eq!(holder_in(table, "08:01:13"), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_no_journal() {
        for path in ["/dev/null", "/"] {
            assert!(matches!(Journal::open(Path::new(path), true), Err(JournalError::Io(..))), "{path}");
        }
    }
}
