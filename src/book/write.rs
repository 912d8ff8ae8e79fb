//! Writing a book in any format.

use super::apery::apery_key;
use super::collect::{Collected, Order};
use super::entry::{BookEntry, sort_candidates};
use super::sbk::SbkWriter;
use super::text;
use super::ybb::{FLAG_DEPTH, RECORD_BYTES, TAG, UNKNOWN_VALUE};
use crate::movegen::is_legal;
use crate::position::{PackedPosition, Position};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};

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
    #[cfg(feature = "cli")]
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
            #[cfg(feature = "cli")]
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
        #[cfg(feature = "cli")]
        OutputFormat::Json => write_json(source, out),
    }
}

fn count(written: &mut Written, entry: &BookEntry) {
    written.positions += 1;
    written.moves += entry.moves.len() as u64;
}

fn write_text(source: &dyn BookPositions, mut out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    out.write_all(text::HEADER.as_bytes())?;
    source.visit(&mut |mut entry| {
        entry.sort_moves();
        count(&mut written, &entry);
        text::write_entry(&mut out, &entry)
    })?;
    Ok(written)
}

/// The records first, the moves behind them: these wait in the spare file, in the same order.
fn write_ybb(source: &dyn BookPositions, out: &mut dyn Write, spare: &mut std::fs::File) -> io::Result<Written> {
    let mut written = Written::default();
    let (mut has_depth, mut positions) = (false, 0_u64);
    source.visit(&mut |entry| {
        positions += 1;
        has_depth |= entry.moves.iter().any(|candidate| candidate.depth > 0);
        Ok(())
    })?;
    out.write_all(&TAG)?;
    out.write_all(&positions.to_le_bytes())?;
    out.write_all(&(if has_depth { FLAG_DEPTH } else { 0 }).to_le_bytes())?;
    let mut moves = io::BufWriter::new(spare);
    let mut offset = 0_u64;
    source.visit(&mut |mut entry| {
        sort_candidates(&mut entry.moves);
        count(&mut written, &entry);
        let Ok(PackedPosition(packed)) = entry.position.pack() else { return Ok(()) };
        let mut record = [0; RECORD_BYTES as usize];
        record[..32].copy_from_slice(&packed);
        record[32..40].copy_from_slice(&offset.to_le_bytes());
        record[40..42].copy_from_slice(&(entry.position.ply().min(u16::MAX.into()) as u16).to_le_bytes());
        record[42..].copy_from_slice(&(entry.moves.len() as u16).to_le_bytes());
        out.write_all(&record)?;
        for candidate in &entry.moves {
            let value = candidate.value.map_or(UNKNOWN_VALUE, |value| value.clamp(-32_767, 32_767) as i16);
            moves.write_all(&candidate.mv.bits().to_le_bytes())?;
            moves.write_all(&value.to_le_bytes())?;
            offset += 4;
            if has_depth {
                moves.write_all(&(candidate.depth.min(u16::MAX.into()) as u16).to_le_bytes())?;
                offset += 2;
            }
        }
        Ok(())
    })?;
    let spare = moves.into_inner().map_err(io::IntoInnerError::into_error)?;
    spare.seek(SeekFrom::Start(0))?;
    copy(spare, out)?;
    Ok(written)
}

fn copy(input: &mut std::fs::File, out: &mut dyn Write) -> io::Result<()> {
    let mut input = BufReader::with_capacity(1 << 20, input.take(u64::MAX));
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        out.write_all(bytes)?;
        let count = bytes.len();
        input.consume(count);
    }
}

fn write_apery(source: &dyn BookPositions, out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    source.visit(&mut |mut entry| {
        entry.sort_moves();
        count(&mut written, &entry);
        let key = apery_key(&entry.position);
        for candidate in &entry.moves {
            out.write_all(&key.to_le_bytes())?;
            out.write_all(&candidate.mv.apery_bits().to_le_bytes())?;
            out.write_all(&(candidate.count.min(u16::MAX.into()) as u16).to_le_bytes())?;
            out.write_all(&candidate.value_or_zero().to_le_bytes())?;
        }
        Ok(())
    })?;
    Ok(written)
}

fn write_sbk(source: &dyn BookPositions, mut out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    let mut writer = SbkWriter::default();
    let start = Position::startpos();
    let mut at_start = BookEntry::new(start.clone());
    // The first state is the start position: it comes first whatever the order.
    writer.number(&start);
    source.visit(&mut |entry| {
        writer.number(&entry.position);
        if entry.position.key() == start.key() {
            at_start = entry;
        }
        Ok(())
    })?;
    writer.note_moves(&at_start);
    source.visit(&mut |entry| {
        writer.note_moves(&entry);
        Ok(())
    })?;
    writer.find_roots();
    SbkWriter::head(&mut out)?;
    let mut write = |mut entry: BookEntry, is_counted: bool| {
        let there = entry.moves.len();
        entry.moves.retain(|candidate| is_legal(&entry.position, candidate.mv));
        written.left_out += (there - entry.moves.len()) as u64;
        entry.sort_moves();
        if is_counted {
            count(&mut written, &entry);
        }
        writer.write(&mut out, &entry)
    };
    let has_start = !at_start.moves.is_empty();
    write(at_start, has_start)?;
    source.visit(&mut |entry| {
        let is_start = entry.position.key() == start.key();
        if is_start || !writer.knows(&entry.position) { Ok(()) } else { write(entry, true) }
    })?;
    Ok(written)
}

/// A position as one line of JSON.
#[cfg(feature = "cli")]
#[derive(serde::Serialize)]
struct JsonEntry<'a> {
    sfen: String,
    moves: Vec<JsonMove<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    comment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<[u32; 3]>,
}

#[cfg(feature = "cli")]
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
#[cfg(feature = "cli")]
pub fn json_line(entry: &BookEntry) -> String {
    let results = entry.results;
    let line = JsonEntry {
        sfen: entry.position.to_sfen(),
        moves: entry.moves.iter().map(json_move).collect(),
        comment: &entry.comment,
        games: (results.games > 0).then_some([results.games, results.black, results.white]),
    };
    serde_json::to_string(&line).expect("texts and numbers can be written as JSON")
}

#[cfg(feature = "cli")]
fn json_move(candidate: &super::entry::Candidate) -> JsonMove<'_> {
    JsonMove {
        mv: candidate.mv.to_string(),
        reply: candidate.reply.map(|mv| mv.to_string()),
        value: candidate.value,
        depth: candidate.depth,
        count: candidate.count,
        comment: &candidate.comment,
    }
}

#[cfg(feature = "cli")]
fn write_json(source: &dyn BookPositions, out: &mut dyn Write) -> io::Result<Written> {
    let mut written = Written::default();
    source.visit(&mut |mut entry| {
        entry.sort_moves();
        count(&mut written, &entry);
        writeln!(out, "{}", json_line(&entry))
    })?;
    Ok(written)
}
