//! Writing a book in any format.

use super::apery::write_apery;
use super::collect::{Collected, Order};
use super::entry::{BookEntry, BookResults, Candidate};
use super::sbk::write_sbk;
use super::text::write_text;
use super::ybb::write_ybb;
use std::io::{self, Write};

/// A format that books can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// YANEURAOU-DB2016.
    Text,
    /// Packed positions.
    Ybb,
    /// Apery's records.
    Apery,
    /// ShogiGUI's graph.
    Sbk,
    /// One JSON object a line.
    Json,
}

impl OutputFormat {
    /// The format that the ending of a file name tells.
    pub fn of_name(name: &str) -> Option<OutputFormat> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "db" => Some(OutputFormat::Text),
            "ybb" => Some(OutputFormat::Ybb),
            "bin" => Some(OutputFormat::Apery),
            "sbk" => Some(OutputFormat::Sbk),
            "jsonl" => Some(OutputFormat::Json),
            _ => None,
        }
    }

    /// The order in which it wants its positions.
    pub const fn order(self) -> Order {
        match self {
            OutputFormat::Ybb => Order::Packed,
            OutputFormat::Apery => Order::Apery,
            _ => Order::Text,
        }
    }
}

/// Amount that was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Moves that were left out, since they are not legal or the format cannot hold them.
    pub left_out: u64,
}

impl Written {
    pub(crate) fn count(&mut self, entry: &BookEntry) {
        self.positions += 1;
        self.moves += entry.moves.len() as u64;
    }
}

/// Positions in order, one after the other, from the first again as often as asked.
pub trait BookPositions {
    /// Hands each position to `visit`, in the order of the format.
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()>;
}

impl BookPositions for Collected {
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()> {
        let mut groups = self.pass()?;
        while let Some(entry) = groups.next_merged()? {
            visit(entry)?;
        }
        Ok(())
    }
}

/// Writes positions, which come in the order of the format, to `out`. `spare` is an empty file to work with.
pub fn write_book(
    format: OutputFormat,
    source: &dyn BookPositions,
    out: &mut dyn Write,
    spare: &mut std::fs::File,
) -> io::Result<Written> {
    match format {
        OutputFormat::Text => write_text(source, out),
        OutputFormat::Ybb => write_ybb(source, out, spare),
        OutputFormat::Apery => write_apery(source, out),
        OutputFormat::Sbk => write_sbk(source, out),
        OutputFormat::Json => write_json(source, out),
    }
}

/// A position as one line of JSON.
#[derive(serde::Serialize)]
struct JsonEntry<'a> {
    sfen: String,
    moves: Vec<JsonMove<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    comment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<[u32; 3]>,
}

#[derive(serde::Serialize)]
struct JsonMove<'a> {
    #[serde(rename = "move")]
    mv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<String>,
    value: Option<i32>,
    depth: u32,
    count: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    comment: &'a str,
}

/// The position as one line of JSON, without its end: `sfen`, `moves` (each with `move`, `reply`, `value`, `depth`,
/// `count`, `comment`), `comment`, `games` (all, won by black, won by white). What is not known is left out, or null
/// for a value.
pub fn json_line(entry: &BookEntry) -> String {
    let BookResults { games, black, white } = entry.results;
    let line = JsonEntry {
        sfen: entry.position.to_sfen(),
        moves: entry.moves.iter().map(json_move).collect(),
        comment: &entry.comment,
        games: if games > 0 { Some([games, black, white]) } else { None },
    };
    serde_json::to_string(&line).expect("texts and numbers can be written as JSON")
}

fn json_move(candidate: &Candidate) -> JsonMove<'_> {
    JsonMove {
        mv: candidate.mv.to_string(),
        reply: candidate.reply.map(|mv| mv.to_string()),
        value: candidate.value,
        depth: candidate.depth,
        count: candidate.count,
        comment: &candidate.comment,
    }
}

fn write_json(source: &dyn BookPositions, out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    source.visit(&mut |mut entry| {
        entry.sort_moves();
        written.count(&entry);
        writeln!(out, "{}", json_line(&entry))
    })?;
    Ok(written)
}
