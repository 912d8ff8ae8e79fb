//! Files that are there as a whole or not at all.
//!
//! A whole file is written beside its place, under a name that nobody else has, put on the disk, and moved to its
//! place. Whoever reads the name finds the old contents or the new ones, also after a crash; of two writers the later
//! one wins.

use crate::host::lock;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Mutex;
use tempfile::NamedTempFile;

/// A file that is being written; [`NewFile::finish`] puts it in its place. Dropped before that, nothing is left of it.
///
/// Pipes and devices, such as `/dev/stdout`, are written to at once.
#[derive(Debug)]
pub struct NewFile {
    writer: BufWriter<Place>,
    path: PathBuf,
    /// Its name while it is beside its place.
    _unfinished: Option<Unfinished>,
}

/// A name in the list of unfinished files.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        lock(&UNFINISHED).retain(|path| *path != self.0);
    }
}

/// The files beside their places that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes everything unfinished and ends the program, as after an interrupt.
pub fn exit_without_traces(code: i32) -> ! {
    // The lock is kept: no new file is begun.
    let unfinished = lock(&UNFINISHED);
    for path in unfinished.iter() {
        _ = fs::remove_file(path);
    }
    process::exit(code)
}

/// Where the bytes are until the file is whole.
#[derive(Debug)]
enum Place {
    Beside(NamedTempFile),
    There(File),
}

impl NewFile {
    /// Begins a file, which replaces one that is there and keeps its permissions. A link stays, what it points to is
    /// replaced or made.
    pub fn create(path: &Path) -> io::Result<NewFile> {
        let path = behind_links(path);
        let known = match fs::metadata(&path) {
            Ok(known) => Some(known),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            let place = Place::There(File::create(&path)?);
            return Ok(NewFile { writer: BufWriter::new(place), path, _unfinished: None });
        }
        let mut unfinished = lock(&UNFINISHED);
        let file = file_beside(&path, known)?;
        let beside = file.path().to_path_buf();
        unfinished.push(beside.clone());
        Ok(NewFile { writer: BufWriter::new(Place::Beside(file)), path, _unfinished: Some(Unfinished(beside)) })
    }

    /// Puts the file in its place, when all of it is on the disk.
    pub fn finish(self) -> io::Result<()> {
        self.put_in_place(true)
    }

    /// Puts the file in its place without waiting for the disk: programs find it whole, a crash of the machine may cost
    /// it.
    pub fn finish_unsynced(self) -> io::Result<()> {
        self.put_in_place(false)
    }

    fn put_in_place(self, synced: bool) -> io::Result<()> {
        match self.writer.into_inner()? {
            Place::There(_) => Ok(()),
            Place::Beside(file) => {
                if synced {
                    file.as_file().sync_all()?;
                }
                file.persist(&self.path).map(|_| ()).map_err(|error| error.error)
            }
        }
    }
}

/// The place that links lead to, which need not be there.
fn behind_links(path: &Path) -> PathBuf {
    /// Links that a path may go through, as on Linux.
    const MOST: usize = 40;
    let mut place = path.to_path_buf();
    for _ in 0..MOST {
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

/// The folder of a file that is to be written.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file in the folder of another, with its permissions or those of any new file.
fn file_beside(path: &Path, known: Option<fs::Metadata>) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".komainu-").suffix(".new");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder).map_err(|error| of_system(folder, &error))?;
    if cfg!(unix)
        && let Some(known) = known
    {
        file.as_file().set_permissions(known.permissions())?;
    }
    Ok(file)
}

/// The error of a file in a folder, without the name that the file beside has.
fn of_system(folder: &Path, error: &io::Error) -> io::Error {
    fs::metadata(folder).err().unwrap_or_else(|| error.kind().into())
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Place::Beside(file) => file.write(bytes),
            Place::There(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
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

/// Reads bytes of a file from a place on, wherever others read in it. As `Read::read` it may read fewer.
pub fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_at(file, bytes, at)
    }
    #[cfg(windows)]
    {
        std::os::windows::fs::FileExt::seek_read(file, bytes, at)
    }
    #[cfg(not(any(unix, windows)))]
    {
        let mut file = file;
        io::Seek::seek(&mut file, io::SeekFrom::Start(at))?;
        io::Read::read(&mut file, bytes)
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
        let error = write_whole(&folder.join("missing/a"), "").unwrap_err();
        assert!(error.raw_os_error().is_some() && !error.to_string().contains("komainu"), "{error}");
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"later").unwrap();
        file.finish_unsynced().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(&folder)), (b"later".to_vec(), vec!["a".to_string()]));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_is_read_in_several_places() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"0123456789").unwrap();
        for (at, read) in [(7, "789"), (0, "0123"), (10, "")] {
            let mut bytes = [0; 4];
            let count = read_at(&file, &mut bytes, at).unwrap();
            assert_eq!(&bytes[..count], read.as_bytes());
        }
    }

    #[test]
    fn two_writers_of_one_name_leave_the_whole_file_of_one() {
        let folder = folder("writers");
        let path = folder.join("a");
        let neighbour = folder.join("a.new");
        fs::write(&neighbour, "precious").unwrap();
        let [mut first, mut second] = [(); 2].map(|()| NewFile::create(&path).unwrap());
        for _ in 0..10_000 {
            first.write_all(b"first").unwrap();
            second.write_all(b"second").unwrap();
        }
        first.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first".repeat(10_000));
        second.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second".repeat(10_000));
        assert_eq!((names(&folder).len(), fs::read(&neighbour).unwrap()), (2, b"precious".to_vec()));
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_file_keeps_its_permissions_and_a_new_one_has_the_usual_ones() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("modes");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = folder.join("a");
        let usual = folder.join("usual");
        fs::write(&usual, "").unwrap();
        write_whole(&path, "old").unwrap();
        assert_eq!(mode(&path), mode(&usual));
        for kept in [0o600, 0o640, 0o755] {
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            write_whole(&path, "new").unwrap();
            assert_eq!(mode(&path), kept);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = folder("links");
        let path = folder.join("a");
        let link = folder.join("b");
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        // A link whose target is missing, in a folder of its own.
        fs::create_dir(folder.join("c")).unwrap();
        std::os::unix::fs::symlink("c/target", folder.join("dangling")).unwrap();
        write_whole(&folder.join("dangling"), "made").unwrap();
        assert!(fs::symlink_metadata(folder.join("dangling")).unwrap().is_symlink());
        assert_eq!(fs::read(folder.join("c/target")).unwrap(), b"made");
        std::os::unix::fs::symlink("circle", folder.join("circle")).unwrap();
        assert!(write_whole(&folder.join("circle"), "").is_err());
        write_whole(Path::new("/dev/null"), "anything").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(folder).unwrap();
    }
}
