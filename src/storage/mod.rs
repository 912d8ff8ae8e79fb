//! Files that are there as a whole or not at all.
//!
//! A file is written beside its place, as `NAME.new`, put on the disk, and moved to its place. Whoever reads the name
//! finds the old contents or the new ones, also after a crash.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is being written; [`NewFile::finish`] puts it in its place. Dropped before that, nothing is left of it.
///
/// What is no regular file, as a pipe or `/dev/stdout`, is written to at once.
#[derive(Debug)]
pub struct NewFile {
    writer: BufWriter<File>,
    path: PathBuf,
    /// Where the bytes are until then; none for what is no regular file.
    beside: Option<PathBuf>,
}

impl NewFile {
    /// Begins a file, which replaces one that is there. A link stays, what it points to is replaced.
    pub fn create(path: &Path) -> io::Result<NewFile> {
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let is_regular = fs::metadata(&path).map_or(true, |found| found.is_file());
        let beside = is_regular.then(|| {
            let mut name = path.as_os_str().to_owned();
            name.push(".new");
            PathBuf::from(name)
        });
        let file = File::create(beside.as_ref().unwrap_or(&path))?;
        Ok(NewFile { writer: BufWriter::new(file), path, beside })
    }

    /// Puts the file in its place, when all of it is on the disk.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()?;
        let Some(beside) = &self.beside else { return Ok(()) };
        self.writer.get_ref().sync_all()?;
        fs::rename(beside, &self.path)?;
        self.beside = None;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            _ = fs::remove_file(beside);
        }
    }
}

/// Writes a whole file.
///
/// ```
/// use komainu::storage::write_whole;
///
/// let path = std::env::temp_dir().join(format!("komainu-doc-{}", std::process::id()));
/// write_whole(&path, "old")?;
/// write_whole(&path, "new")?;
/// assert_eq!(std::fs::read(&path)?, b"new");
/// std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_whole(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes.as_ref())?;
    file.finish()
}

/// Opens a file that is a regular one, or new. A pipe or a device is refused, and keeps nobody waiting.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let refusal = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    // Asked before: to open a pipe waits for its other end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(refusal());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refusal()) }
}

/// Opens a new file without a name in a folder, for reading and writing: nothing of it is left when it is closed, also
/// by a process that is killed.
pub fn nameless_file(folder: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Some(file) = unlinked_file(folder) {
        return Ok(file);
    }
    deleted_file(folder)
}

/// A file whose name is gone as soon as it is open, on Windows when it is closed.
fn deleted_file(folder: &Path) -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!(".komainu-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let path = folder.join(name);
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
        options.custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
    }
    let file = options.open(&path)?;
    #[cfg(not(windows))]
    fs::remove_file(&path)?;
    Ok(file)
}

/// A file that never had a name; not every file system has such.
#[cfg(target_os = "linux")]
fn unlinked_file(folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).write(true).custom_flags(libc::O_TMPFILE).open(folder).ok()
}

/// Reads bytes of a file from a place on, wherever others read in it. As `Read::read` it may read fewer.
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    cfg_select! {
        unix => std::os::unix::fs::FileExt::read_at(file, bytes, at),
        windows => std::os::windows::fs::FileExt::seek_read(file, bytes, at),
        _ => {{
            let mut file = file;
            io::Seek::seek(&mut file, io::SeekFrom::Start(at))?;
            io::Read::read(&mut file, bytes)
        }}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("komainu-storage-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
        fs::read_dir(folder).unwrap().map(name).collect()
    }

    #[test]
    fn a_file_is_old_or_new_and_nothing_stays_beside_it() {
        let folder = folder("whole");
        let path = folder.join("a");
        write_whole(&path, "old").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(file);
        assert_eq!((fs::read(&path).unwrap(), names(&folder)), (b"old".to_vec(), vec!["a".to_string()]));
        write_whole(&path, "new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(&folder)), (b"new".to_vec(), vec!["a".to_string()]));
        assert!(write_whole(&folder.join("missing/a"), "").is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_without_a_name_is_read_in_several_places_and_leaves_nothing() {
        let folder = folder("nameless");
        for make in [nameless_file, deleted_file] {
            let mut file = make(&folder).unwrap();
            #[cfg(not(windows))]
            assert_eq!(names(&folder), [""; 0]);
            file.write_all(b"0123456789").unwrap();
            for (at, read) in [(7, "789"), (0, "0123"), (10, "")] {
                let mut bytes = [0; 4];
                let count = read_at(&file, &mut bytes, at).unwrap();
                assert_eq!(&bytes[..count], read.as_bytes());
            }
            drop(file);
            assert_eq!(names(&folder), [""; 0]);
        }
        assert!(nameless_file(&folder.join("missing")).is_err());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = folder("links");
        let (path, link) = (folder.join("a"), folder.join("b"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        write_whole(Path::new("/dev/null"), "anything").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(folder).unwrap();
    }
}
