//! `komainu book export`

use super::{BookProgress, Memory, collect, collector, format_of, print_written, write_file};
use crate::terminal::{Failure, in_file};
use komainu::book::collect::{Collected, Order};
use komainu::book::write::{BookPositions, Loss, Written};
use komainu::book::{BookEntry, Candidate};
use komainu::movegen::is_legal;
use komainu::notation::record::{GameRecord, RecordMove, Variation};
use komainu::notation::remark::Thought;
use komainu::notation::score::{InfoScore, ReportedScore};
use komainu::notation::{Format, encoding};
use komainu::position::Position;
use komainu::storage::write_whole;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

/// The most moves of a record: GUIs hold the whole tree in memory.
const MAX_RECORD_MOVES: u64 = 200_000;

/// Write a book in another format: .db, .ybb, .bin (Apery), .sbk, .jsonl, or .kif as a record with variations
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Book to read
    book: PathBuf,
    /// File to write, which replaces one that is there; its ending tells the format
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Keep equal positions with other plies apart (.db and .jsonl)
    #[arg(long)]
    keep_ply: bool,
    /// Leave comments out
    #[arg(long)]
    no_comments: bool,
    #[command(flatten)]
    memory: Memory,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, out, keep_ply, no_comments, memory } = arguments;
    let is_record = has_ending(out, "kif") || has_ending(out, "kifu");
    let format = if is_record { None } else { Some(format_of(out)?) };
    let order = format.map_or(Order::Text, |format| format.order());
    let mut collector = collector(out, memory, order, false, *keep_ply && order == Order::Text);
    let progress = BookProgress::new("positions read");
    collect(book, 0, &mut collector, &progress)?;
    let collected = collector.finish().map_err(in_file(out))?;
    drop(progress);
    let source = Exported { collected, no_comments: *no_comments };
    match format {
        Some(format) => print_written(write_file(out, format, &source)?, format.ending()),
        None => print_written(write_record(out, &source)?, "KIF"),
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// A book, with or without its comments.
struct Exported {
    collected: Collected,
    no_comments: bool,
}

impl BookPositions for Exported {
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()> {
        self.collected.visit(&mut |mut entry| {
            if self.no_comments {
                entry.comment.clear();
                for candidate in &mut entry.moves {
                    candidate.comment.clear();
                }
            }
            visit(entry)
        })
    }
}

/// Writes what can be reached from the start position as one record with variations. Each position has its moves once;
/// where another way leads to it the variation ends.
fn write_record(out: &Path, source: &dyn BookPositions) -> Result<Written, Failure> {
    let mut entries: HashMap<String, BookEntry> = HashMap::new();
    let mut moves = 0;
    source
        .visit(&mut |mut entry| {
            entry.sort_moves();
            moves += entry.moves.len() as u64;
            if moves > MAX_RECORD_MOVES {
                return Err(io::Error::other(format!("more than {MAX_RECORD_MOVES} moves are too many for a record")));
            }
            entries.insert(entry.position.to_sfen_without_counter(), entry);
            Ok(())
        })
        .map_err(in_file(out))?;
    let mut tree = Tree { entries, seen: HashSet::new(), lines: Vec::new(), written: Written::default() };
    tree.grow();
    let mut written = tree.written;
    written.losses.add(Loss::Unreachable, tree.entries.len() as u64);
    let mut record = GameRecord::new(Position::startpos());
    let mut lines = tree.lines.into_iter();
    if let Some((_, moves)) = lines.next() {
        record.moves = moves;
    }
    // A record lists its variations from the last move back to the first.
    for (from, moves) in lines {
        record.variations.push(Variation { from, moves, conclusion: None });
    }
    let text = Format::Kif.write(&record);
    let bytes = if has_ending(out, "kifu") { text.into_bytes() } else { encoding::encode_cp932(&text).bytes };
    write_whole(out, bytes).map_err(in_file(out))?;
    Ok(written)
}

/// The tree of a book as lines: each begins with the number of its first move.
struct Tree {
    entries: HashMap<String, BookEntry>,
    seen: HashSet<String>,
    lines: Vec<(usize, Vec<RecordMove>)>,
    written: Written,
}

impl Tree {
    /// Walks depth first along the best moves; the other moves of a position follow when its line has ended, the last
    /// position first, as records want it.
    fn grow(&mut self) {
        // Positions of the line with those of their moves that are still to come.
        let mut path: Vec<(Position, Vec<Candidate>)> = Vec::new();
        let mut line: Vec<RecordMove> = Vec::new();
        let mut from = 1;
        let mut position = Position::startpos();
        loop {
            if let Some(moves) = self.take(&position) {
                path.push((position.clone(), moves));
            } else {
                if !line.is_empty() {
                    self.lines.push((from, std::mem::take(&mut line)));
                }
                while path.last().is_some_and(|(_, moves)| moves.is_empty()) {
                    path.pop();
                }
                if path.is_empty() {
                    return;
                }
                from = path.len();
            }
            let Some((at, moves)) = path.last_mut() else { return };
            if moves.is_empty() {
                continue;
            }
            let candidate = moves.remove(0);
            position = at.clone();
            position.do_move(candidate.mv);
            line.push(recorded(&position, &candidate));
            self.written.moves += 1;
        }
    }

    /// The legal moves of a position, the first time that it is met.
    fn take(&mut self, position: &Position) -> Option<Vec<Candidate>> {
        let key = position.to_sfen_without_counter();
        if !self.seen.insert(key.clone()) {
            return None;
        }
        let entry = self.entries.remove(&key)?;
        let mut moves = entry.moves;
        let before = moves.len();
        moves.retain(|found| is_legal(position, found.mv));
        self.written.left_out += (before - moves.len()) as u64;
        if moves.is_empty() {
            return None;
        }
        self.written.positions += 1;
        let losses = &mut self.written.losses;
        losses.add(Loss::Results, u64::from(entry.results.games > 0));
        losses.add(Loss::Comments, u64::from(!entry.comment.is_empty()));
        for candidate in &moves {
            // Its line and depth stand beside the value.
            losses.add(Loss::Replies, u64::from(candidate.reply.is_some() && candidate.value.is_none()));
            losses.add(Loss::Depths, u64::from(candidate.depth > 0 && candidate.value.is_none()));
        }
        Some(moves)
    }
}

/// A move with what the book says of it, as GUIs read it.
fn recorded(after: &Position, candidate: &Candidate) -> RecordMove {
    let mut comments = Vec::new();
    if let Some(value) = candidate.value {
        let line = candidate.reply.into_iter().collect();
        let depth = if candidate.depth > 0 { Some(candidate.depth) } else { None };
        let thought = Thought { score: InfoScore::Exact(ReportedScore::Centipawns(value)), depth, nodes: None, line };
        // KIF wants the mark of a comment that GUIs read before it.
        for line in thought.shogihome(after) {
            comments.push(line.replacen('*', "#", 1));
        }
    }
    if candidate.count > 1 {
        comments.push(format!("出現回数={}", candidate.count));
    }
    comments.extend(candidate.comment.lines().map(str::to_string));
    RecordMove { comments, ..RecordMove::new(candidate.mv) }
}
