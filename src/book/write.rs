//! Writing a book in any format.

use super::apery::write_apery;
use super::collect::{Collected, Order};
use super::entry::{BookEntry, BookResults, Candidate};
use super::sbk::{MARKS, write_sbk};
use super::text::write_text;
use super::ybb::write_ybb;
use crate::storage::NewFile;
pub use crate::storage::folder_of;
use crate::types::named;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

named! {
    /// A format that books can be written in.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum OutputFormat {
        /// YANEURAOU-DB2016.
        Text = ".db",
        /// Packed positions.
        Ybb = ".ybb",
        /// Apery's records.
        Apery = ".bin",
        /// ShogiGUI's graph.
        Sbk = ".sbk",
        /// One JSON object a line.
        Json = ".jsonl",
    }

    /// The ending of its files.
    ending
}

impl OutputFormat {
    /// The format that the ending of a file name tells.
    pub fn of_name(name: &str) -> Option<OutputFormat> {
        name[name.rfind('.')?..].parse().ok()
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

named! {
    /// Something that an entry of a book may have and a format has no place for.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Loss {
        /// The expected answers of moves.
        Replies = "replies",
        /// The values of moves.
        Values = "values",
        /// Values that are not known: they are written as 0.
        UnknownValues = "unknown values (now 0)",
        /// Values beyond ±32,767: they are cut.
        LargeValues = "values beyond 32767 (cut)",
        /// The depths of moves.
        Depths = "depths",
        /// Depths above 65,535: they are cut.
        LargeDepths = "depths above 65535 (cut)",
        /// The counts of moves.
        Counts = "counts",
        /// Counts above 65,535: they are cut.
        LargeCounts = "counts above 65535 (cut)",
        /// Comments on moves and positions.
        Comments = "comments",
        /// The results of the games of a position.
        Results = "results of games",
        /// Positions that no line of the book leads to.
        Unreachable = "positions apart from its lines",
    }

    /// Name, as in "replies 5".
    words
}

/// How many moves or positions lost something because the format has no place for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses([u64; Loss::ALL.len()]);

impl Losses {
    /// Adds something that was lost.
    pub fn add(&mut self, loss: Loss, count: u64) {
        self.0[loss as usize] += count;
    }

    /// Adds it if this is so.
    pub(crate) fn add_if(&mut self, loss: Loss, is_lost: bool) {
        self.add(loss, is_lost.into());
    }

    /// Tests whether nothing was lost.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }
}

/// Everything that was lost in one line: `replies 5, depths 12`.
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (loss, count) in Loss::ALL.into_iter().zip(self.0) {
            if count > 0 {
                write!(f, "{separator}{loss} {count}")?;
                separator = ", ";
            }
        }
        Ok(())
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
    /// What the format has no place for.
    pub losses: Losses,
}

impl Written {
    /// Counts a position that is written in a format.
    pub(crate) fn count(&mut self, entry: &BookEntry, format: OutputFormat) {
        self.positions += 1;
        self.moves += entry.moves.len() as u64;
        let losses = &mut self.losses;
        let is_ybb = format == OutputFormat::Ybb;
        let is_apery = format == OutputFormat::Apery;
        let is_sbk = format == OutputFormat::Sbk;
        losses.add_if(Loss::Results, entry.results.games > 0 && !is_sbk && format != OutputFormat::Json);
        losses.add_if(Loss::Comments, !entry.comment.is_empty() && (is_ybb || is_apery));
        for candidate in &entry.moves {
            let is_large = candidate.value.is_some_and(|value| value.unsigned_abs() > 32_767);
            losses.add_if(Loss::Replies, candidate.reply.is_some() && (is_ybb || is_apery || is_sbk));
            losses.add_if(Loss::Values, candidate.value.is_some() && is_sbk);
            losses.add_if(Loss::UnknownValues, candidate.value.is_none() && is_apery);
            losses.add_if(Loss::LargeValues, is_large && is_ybb);
            losses.add_if(Loss::Depths, candidate.depth > 0 && (is_apery || is_sbk));
            losses.add_if(Loss::LargeDepths, candidate.depth > 65_535 && is_ybb);
            losses.add_if(Loss::Counts, candidate.count > 1 && is_ybb);
            losses.add_if(Loss::LargeCounts, candidate.count > 65_535 && is_apery);
            let is_mark = is_sbk && MARKS.contains(&candidate.comment.as_str());
            let has_place = is_mark || !(is_ybb || is_apery || is_sbk);
            losses.add_if(Loss::Comments, !candidate.comment.is_empty() && !has_place);
        }
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

/// Writes positions into a file that is not in its place yet.
pub fn write_new(path: &Path, format: OutputFormat, source: &dyn BookPositions) -> io::Result<(NewFile, Written)> {
    let mut file = NewFile::create(path)?;
    let mut spare = tempfile::tempfile_in(folder_of(path))?;
    let written = write_book(format, source, &mut file, &mut spare)?;
    Ok((file, written))
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
        written.count(&entry, OutputFormat::Json);
        writeln!(out, "{}", json_line(&entry))
    })?;
    Ok(written)
}
