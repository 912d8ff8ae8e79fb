//! The two ends of an engine that runs within this process: its input and its output, without pipes.

use super::hearing::Ear;
use komainu::types::opaque_debug;
use std::io::{self, Read, Write};
use std::sync::mpsc::Receiver;
use std::time::Instant;

/// The longest line that is kept, in bytes.
const MAX_LINE_BYTES: usize = 1 << 16;

/// The input of the engine. It ends when its client is dropped.
#[derive(Debug)]
pub struct MemoryInput {
    receiver: Receiver<Vec<u8>>,
    piece: Vec<u8>,
    read: usize,
}

impl MemoryInput {
    pub(super) fn new(receiver: Receiver<Vec<u8>>) -> MemoryInput {
        MemoryInput { receiver, piece: Vec::new(), read: 0 }
    }
}

impl Read for MemoryInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.read == self.piece.len() {
            match self.receiver.recv() {
                Ok(piece) => (self.piece, self.read) = (piece, 0),
                Err(_) => return Ok(0),
            }
        }
        let rest = &self.piece[self.read..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.read += count;
        Ok(count)
    }
}

/// The output of the engine, cut into lines.
pub struct MemoryOutput {
    ear: Ear,
    line: Vec<u8>,
}

opaque_debug!(MemoryOutput);

impl MemoryOutput {
    pub(super) fn new(ear: Ear) -> MemoryOutput {
        MemoryOutput { ear, line: Vec::new() }
    }
}

impl Write for MemoryOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let at = Instant::now();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend(piece);
            if self.line.pop_if(|last| *last == b'\n').is_some() {
                self.ear.hear(at, &String::from_utf8_lossy(&self.line));
                self.line.clear();
            }
            self.line.truncate(MAX_LINE_BYTES);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
