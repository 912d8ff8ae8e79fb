//! A file of games or records that is read item by item, up to its first fault.

use komainu::host::open_file;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use thiserror::Error;

/// A fault of a file of games or records: its name, the byte at which the faulty part begins, the fault.
#[derive(Debug, Error)]
#[error("{name}: byte {offset}: {fault}")]
pub struct ReadError {
    pub name: String,
    /// Where the header, the game or the record begins that is at fault.
    pub offset: u64,
    #[source]
    pub fault: ReadFault,
}

/// Fault of a file of games or records.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// It cannot be read.
    #[error(transparent)]
    Io(io::Error),
    /// A crash while the last item was written may have left this.
    #[error("{0}")]
    Torn(String),
    /// No crash has left this.
    #[error("{0}")]
    Damaged(String),
}

pub(super) fn damaged(why: impl ToString) -> ReadFault {
    ReadFault::Damaged(why.to_string())
}

#[derive(Debug)]
pub(super) struct Input<R> {
    reader: R,
    name: String,
    /// Where the next item begins.
    pub offset: u64,
    is_over: bool,
}

impl Input<BufReader<File>> {
    pub(super) fn open(path: &Path) -> Result<Input<BufReader<File>>, ReadError> {
        let name = path.display().to_string();
        match open_file(path) {
            Ok(file) => Ok(Input::new(BufReader::with_capacity(1 << 16, file), &name)),
            Err(error) => Err(ReadError { name, offset: 0, fault: ReadFault::Io(error) }),
        }
    }

    /// Tests whether a file, of which nothing was read, begins with these bytes.
    pub(super) fn begins_with(&mut self, magic: &[u8]) -> Result<bool, ReadError> {
        match self.reader.fill_buf() {
            Ok(bytes) => Ok(bytes.starts_with(magic)),
            Err(error) => Err(self.error(ReadFault::Io(error))),
        }
    }

    /// Reads a line of at most so many bytes.
    pub(super) fn read_line(&mut self, most: u64) -> Result<Vec<u8>, ReadError> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(most).read_until(b'\n', &mut line);
        read.map_err(|error| self.error(ReadFault::Io(error)))?;
        self.offset += line.len() as u64;
        Ok(line)
    }
}

impl<R: Read> Input<R> {
    /// Reads from any input. The name stands in messages.
    pub(super) fn new(reader: R, name: &str) -> Input<R> {
        Input { reader, name: name.to_string(), offset: 0, is_over: false }
    }

    /// The error of the item that begins here.
    pub(super) fn error(&self, fault: ReadFault) -> ReadError {
        ReadError { name: self.name.clone(), offset: self.offset, fault }
    }

    /// Appends `count` bytes; says whether there were as many.
    pub(super) fn fill(&mut self, bytes: &mut Vec<u8>, count: usize) -> Result<bool, ReadFault> {
        let read = self.reader.by_ref().take(count as u64).read_to_end(bytes).map_err(ReadFault::Io)?;
        Ok(read == count)
    }

    /// The next item. `read` gives it with its length in bytes, or nothing at the end of the file.
    pub(super) fn next<T>(
        &mut self,
        read: impl FnOnce(&mut Input<R>) -> Result<Option<(T, usize)>, ReadFault>,
    ) -> Option<Result<T, ReadError>> {
        if self.is_over {
            return None;
        }
        match read(self) {
            Ok(Some((item, length))) => {
                self.offset += length as u64;
                Some(Ok(item))
            }
            Ok(None) => {
                self.is_over = true;
                None
            }
            Err(fault) => {
                self.is_over = true;
                Some(Err(self.error(fault)))
            }
        }
    }
}
