//! A record as JSON.

use super::model::{Cell, Entry, Initial, Jkf, Made, PRESETS, Pairs, Place, State, Time, Times};
use crate::notation::csa::{name, read_statement, statement};
use crate::notation::japanese_move::{may_promote, relative_letters};
use crate::notation::kif::headers;
use crate::notation::lines::{RecordLine, lines};
use crate::notation::record::{EndWord, GameRecord};
use crate::position::Position;
use crate::types::{Color, File, Move, MoveKind, PieceType, Rank, Square};
use serde_json::Value;
use std::time::Duration;

/// Writes a record in one line, with a line end. Times are cut to whole seconds; variations within more than 40 others
/// are left out.
pub fn write(record: &GameRecord) -> String {
    let header = Pairs(headers(record).into_iter().map(|(key, value)| (key, Value::String(value))).collect());
    let initial = Some(initial(&record.start)).filter(|initial| initial.preset != PRESETS[0].0);
    let mut moves = vec![Entry { comments: comments(&record.comments), ..Entry::default() }];
    moves.extend(tree(record));
    let text = serde_json::to_string(&Jkf { header, initial, moves }).expect("every key is a string");
    text + "\n"
}

/// Variations within variations that are written: readers of JSON stop at 128 brackets within one another.
const MAX_DEPTH: usize = 40;

/// For each line how many lines it branches off, one from the other.
fn depths(lines: &[RecordLine<'_>]) -> Vec<usize> {
    let mut depths: Vec<usize> = Vec::with_capacity(lines.len());
    for line in lines {
        depths.push(line.parent.map_or(0, |(parent, _)| depths[parent] + 1));
    }
    depths
}

/// Tells whether all variations of a record can be written.
pub fn holds_variations(record: &GameRecord) -> bool {
    depths(&lines(record)).into_iter().all(|depth| depth <= MAX_DEPTH)
}

/// Tests whether all ends, those of variations too, have a statement that says who won.
pub(crate) fn holds_ends(record: &GameRecord) -> bool {
    let game = (record.moves.len(), record.conclusion);
    let variations =
        record.variations.iter().map(|line| (line.from.saturating_sub(1) + line.moves.len(), line.conclusion));
    for (plies, conclusion) in std::iter::once(game).chain(variations) {
        let Some(end) = conclusion else { continue };
        let side = if plies.is_multiple_of(2) { record.start.side() } else { !record.start.side() };
        match read_statement(statement(&end, side), side) {
            Some(read) if read.ending == end.ending && read.winner == end.winner => {}
            _ => return false,
        }
    }
    true
}

/// The game with its variations at the moves that they replace.
fn tree(record: &GameRecord) -> Vec<Entry> {
    let lines = lines(record);
    let depths = depths(&lines);
    let mut written = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let end_word = if index == 0 { record.end_word.as_ref() } else { None };
        written.push(entries(line, end_word));
    }
    // Children stand behind their parents: from the back on, each is whole when it is hung up.
    for index in (1..lines.len()).rev() {
        let fork = std::mem::take(&mut written[index]);
        let Some((parent, at)) = lines[index].parent else { continue };
        if depths[index] > MAX_DEPTH {
            continue;
        }
        let entries = &mut written[parent];
        if at == entries.len() {
            // Beyond the end of its parent: an entry without a move holds it.
            entries.push(Entry::default());
        }
        entries[at].forks.insert(0, fork);
    }
    std::mem::take(&mut written[0])
}

/// Comments without the parts of line ends that other formats leave out.
fn comments(comments: &[String]) -> Vec<String> {
    comments.iter().map(|comment| comment.replace('\r', "")).collect()
}

fn entries(line: &RecordLine<'_>, end_word: Option<&EndWord>) -> Vec<Entry> {
    let mut pos = line.start.clone();
    let mut last = line.last;
    let mut totals = line.totals;
    let mut entries = Vec::with_capacity(line.moves.len() + 1);
    for (index, made) in line.moves.iter().enumerate() {
        let total = &mut totals[(line.from + index - 1) % 2];
        let time = made.spent.map(|spent| {
            *total = total.saturating_add(Duration::from_secs(spent.as_secs()));
            Times { now: time(spent), total: Some(time(*total)) }
        });
        let mut written = written(&pos, made.mv);
        if last == Some(made.mv.to()) {
            written.same = Some(true);
        }
        last = Some(made.mv.to());
        pos.do_move(made.mv);
        entries.push(Entry { comments: comments(&made.comments), made: Some(written), time, ..Entry::default() });
    }
    let end = match (line.conclusion, end_word) {
        (Some(conclusion), _) => {
            Some((statement(conclusion, pos.side()).trim_start_matches('%').to_string(), conclusion.spent))
        }
        (None, Some(end)) => Some((end.word.clone(), end.spent)),
        (None, None) => None,
    };
    if let Some((special, spent)) = end {
        let before = totals[(line.from + line.moves.len() - 1) % 2];
        let time = spent.map(|spent| Times { now: time(spent), total: Some(time(before.saturating_add(spent))) });
        entries.push(Entry { special: Some(special), time, ..Entry::default() });
    }
    entries
}

fn written(pos: &Position, mv: Move) -> Made {
    let color = Some(pos.side() as u8);
    let relative = relative_letters(pos, mv);
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => {
            Made { color, to: Some(place(to)), piece: name(piece_type).to_string(), relative, ..Made::default() }
        }
        MoveKind::Board { from, to, promote } => {
            let before = pos.piece_on(from).expect("the moves of a record are legal").piece_type();
            Made {
                color,
                from: Some(place(from)),
                to: Some(place(to)),
                piece: name(before).to_string(),
                promote: if may_promote(pos.side(), before, from, to) { Some(promote) } else { None },
                capture: pos.piece_on(to).map(|piece| name(piece.piece_type()).to_string()),
                same: None,
                relative,
            }
        }
    }
}

fn place(square: Square) -> Place {
    Place { x: square.file().index() as u8 + 1, y: square.rank().index() as u8 + 1 }
}

fn time(spent: Duration) -> Time {
    let seconds = spent.as_secs();
    Time { h: Some(seconds / 3_600), m: seconds / 60 % 60, s: (seconds % 60) as f64 }
}

fn initial(start: &Position) -> Initial {
    // The format has no move counter.
    let sfen = start.to_sfen_without_counter();
    if let Some((preset, _)) = PRESETS.iter().find(|(_, of)| of.sfen().strip_suffix(" 1") == Some(&sfen)) {
        return Initial { preset: preset.to_string(), data: None };
    }
    let cell = |file: File, rank: Rank| match start.piece_on(Square::at(file, rank)) {
        None => Cell::default(),
        Some(piece) => Cell { color: Some(piece.color() as u8), kind: Some(name(piece.piece_type()).to_string()) },
    };
    let board = File::ALL.into_iter().map(|file| Rank::ALL.into_iter().map(|rank| cell(file, rank)).collect());
    let hand = |color: Color| {
        let held = |kind: PieceType| (name(kind).to_string(), Value::from(start.hand(color).count(kind)));
        PieceType::HAND.into_iter().map(held).collect()
    };
    let state =
        State { color: start.side() as u8, board: board.collect(), hands: Color::ALL.into_iter().map(hand).collect() };
    Initial { preset: "OTHER".to_string(), data: Some(state) }
}
