//! The bytes of a book, on disk or in memory.

use super::internal::{self, INTERNAL};
use crate::host::open_regular;
use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Bytes that can be read from any place.
#[derive(Debug)]
pub(super) struct Bytes {
    store: Store,
    length: u64,
}

#[derive(Debug)]
enum Store {
    Disk(Mutex<File>),
    Memory(Cow<'static, [u8]>),
}

impl Bytes {
    /// The bytes of a file, which stay on disk; or those of the book that is built in.
    pub(super) fn open(path: &Path) -> io::Result<Bytes> {
        if path == Path::new(INTERNAL) {
            return Ok(Bytes::in_memory(Cow::Borrowed(internal::file())));
        }
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "a folder, not a file"));
        }
        let mut file = open_regular(path, OpenOptions::new().read(true))?;
        let length = file.seek(SeekFrom::End(0))?;
        Ok(Bytes { store: Store::Disk(Mutex::new(file)), length })
    }

    pub(super) fn in_memory(bytes: Cow<'static, [u8]>) -> Bytes {
        Bytes { length: bytes.len() as u64, store: Store::Memory(bytes) }
    }

    /// Reads bytes that lie on disk into memory.
    pub(super) fn into_memory(self) -> io::Result<Bytes> {
        let Store::Disk(file) = self.store else { return Ok(self) };
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        // A file that grows meanwhile is read up to the length that it had.
        file.take(self.length).read_to_end(&mut bytes)?;
        Ok(Bytes::in_memory(Cow::Owned(bytes)))
    }

    /// All of them.
    pub(super) fn into_contents(self) -> io::Result<Cow<'static, [u8]>> {
        match self.into_memory()?.store {
            Store::Memory(bytes) => Ok(bytes),
            Store::Disk(_) => unreachable!("they are in memory now"),
        }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn is_on_disk(&self) -> bool {
        matches!(self.store, Store::Disk(_))
    }

    /// Fills the buffer from this offset on, as far as there are bytes; how many there were.
    pub(super) fn read_up_to(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &self.store {
            Store::Memory(bytes) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
                let count = buffer.len().min(bytes.len() - start);
                buffer[..count].copy_from_slice(&bytes[start..start + count]);
                Ok(count)
            }
            Store::Disk(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(offset))?;
                let mut count = 0;
                while count < buffer.len() {
                    match file.read(&mut buffer[count..]) {
                        Ok(0) => break,
                        Ok(more) => count += more,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(count)
            }
        }
    }

    /// Fills the buffer from this offset on; it is an error if the bytes end before.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self.read_up_to(offset, buffer)? {
            count if count == buffer.len() => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter")),
        }
    }
}

/// Bytes read from the first to the last, for whoever wants a stream.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    bytes: &'a Bytes,
    offset: u64,
}

impl Bytes {
    pub(super) fn stream(&self) -> Stream<'_> {
        Stream { bytes: self, offset: 0 }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read_up_to(self.offset, buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}
