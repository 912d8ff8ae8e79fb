//! Writing games.

use super::{Game, MAGIC, MAX_DESCRIPTION, VERSION};
use std::io::{self, Write};

/// Writes a file of games. Each record goes out at once.
#[derive(Debug)]
pub struct GamesWriter<W> {
    output: W,
}

/// The beginning of a text in at most so many bytes.
pub(in crate::training) fn head(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// The header of a file.
pub(in crate::training) fn header(description: &str) -> Vec<u8> {
    let text = head(description, MAX_DESCRIPTION).as_bytes();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

impl<W: Write> GamesWriter<W> {
    /// Begins a file with what made its games; of a long text the first 4,096 bytes.
    pub fn new(mut output: W, description: &str) -> io::Result<GamesWriter<W>> {
        output.write_all(&header(description))?;
        Ok(GamesWriter { output })
    }

    pub fn write(&mut self, game: &Game) -> io::Result<()> {
        self.output.write_all(&game.encode())
    }

    /// Writer to which the games went.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.output
    }
}
