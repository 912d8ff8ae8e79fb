//! Opening files that a user has named: regular ones only, because opening a pipe waits for its other end, and a device
//! may never come to an end.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The words for what is wrong with a file: its path, and why.
pub fn in_file(path: &Path, why: impl Display) -> String {
    format!("{}: {why}", path.display())
}

/// Opens a file that is a regular one, or new. A pipe, a device or a folder is refused, and keeps nobody waiting.
pub fn open_regular(path: &Path, options: &OpenOptions) -> io::Result<File> {
    // Asked before, because opening a pipe waits for its other end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(not_regular());
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "not a regular file")
}

/// Opens a regular file for reading.
pub fn open_file(path: &Path) -> io::Result<File> {
    open_regular(path, OpenOptions::new().read(true))
}

/// Reads a whole regular file. One that does not fit into memory is an error.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let size = usize::try_from(file.metadata()?.len()).map_err(|_| ErrorKind::OutOfMemory)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).map_err(|_| ErrorKind::OutOfMemory)?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Name that stands for the standard input.
pub const STDIN: &str = "-";

/// Reads an input that a person has named: a regular file, a pipe as `<(command)` gives, or [`STDIN`].
pub fn read_input(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if path.as_os_str() == STDIN {
        io::stdin().lock().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    if !is_pipe(path) {
        return read_file(path);
    }
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// Reads a text of UTF-8 as [`read_input`] does.
pub fn read_input_text(path: &Path) -> io::Result<String> {
    of_utf8(read_input(path)?)
}

/// Reads a whole regular file of UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    of_utf8(read_file(path)?)
}

fn of_utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;
    use std::process::Command;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("komainu-files-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn pipes_devices_sockets_and_folders_are_refused_at_once() {
        let folder = folder("kinds");
        let [pipe, socket, link] = ["pipe", "socket", "link"].map(|name| folder.join(name));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let _listener = UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [&pipe, &socket, &link, &folder, Path::new("/dev/zero"), Path::new("/dev/null")] {
            for error in [open_file(path).unwrap_err(), read_file(path).unwrap_err(), read_text(path).unwrap_err()] {
                assert_eq!(error.to_string(), "not a regular file", "{}", path.display());
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn an_input_may_be_a_pipe() {
        let folder = folder("inputs");
        let pipe = folder.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let writer = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::write(pipe, "将棋").unwrap()
        });
        assert_eq!(read_input_text(&pipe).unwrap(), "将棋");
        writer.join().unwrap();
        for path in [&folder, Path::new("/dev/zero")] {
            assert!(read_input(path).is_err(), "{}", path.display());
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn regular_files_are_read_whole_also_through_a_link() {
        let folder = folder("whole");
        let [file, link] = ["a", "b"].map(|name| folder.join(name));
        fs::write(&file, "将棋").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_text(&link).unwrap(), "将棋");
        assert_eq!(read_file(&file).unwrap(), "将棋".as_bytes());
        assert_eq!(read_file(&folder.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
        fs::write(&file, b"\xff").unwrap();
        assert_eq!(read_text(&file).unwrap_err().kind(), ErrorKind::InvalidData);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_no_memory_has_room_for_is_an_error() {
        let folder = folder("sparse");
        let path = folder.join("sparse");
        let file = File::create(&path).unwrap();
        // Some file systems have no files of such a size.
        if file.set_len(1 << 62).is_ok() {
            assert_eq!(read_file(&path).unwrap_err().kind(), ErrorKind::OutOfMemory);
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
