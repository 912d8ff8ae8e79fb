//! Writing a text book.

use super::super::entry::BookEntry;
use std::io::{self, Write};

/// The first line of every text book.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00\n";

/// Writes a position with its moves, five columns each, and with its comments as lines of their own. A value that is
/// not known is `none`, which other engines read as 0.
pub fn write_entry(out: &mut impl Write, entry: &BookEntry) -> io::Result<()> {
    writeln!(out, "sfen {}", entry.position)?;
    write_comment(out, &entry.comment)?;
    for candidate in &entry.moves {
        write!(out, "{} ", candidate.mv)?;
        match candidate.reply {
            Some(reply) => write!(out, "{reply} ")?,
            None => write!(out, "none ")?,
        }
        match candidate.value {
            Some(value) => write!(out, "{value} ")?,
            None => write!(out, "none ")?,
        }
        writeln!(out, "{} {}", candidate.depth, candidate.count)?;
        write_comment(out, &candidate.comment)?;
    }
    Ok(())
}

fn write_comment(out: &mut impl Write, comment: &str) -> io::Result<()> {
    comment.lines().try_for_each(|line| writeln!(out, "# {line}"))
}
