//! A record as KIF.

use super::ending::{is_adjournment, read_word, summary, word};
use super::reader::PASSES;
use super::start::handicap_of;
use super::{header, time};
use crate::notation::japanese_move::JapaneseMove;
use crate::notation::lines::{RecordLine, lines};
use crate::notation::record::{Conclusion, EndWord, GameRecord, RecordMove};
use crate::notation::vocabulary::{digit, is_marker, piece_name, square, square_name};
use crate::position::{Handicap, Position};
use crate::types::{Move, MoveKind, Square};
use std::fmt::Write;
use std::time::Duration;

/// Writes a record, with the lines `\n`. Times are cut to whole seconds.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::from("# ---- Komainu ----\n");
    let handicap = write_head(&mut text, record);
    text.push_str("手数----指手---------消費時間--\n");
    write_comments(&mut text, &record.comments);
    for (index, line) in lines(record).iter().enumerate() {
        if index > 0 {
            _ = writeln!(text, "\n変化：{}手", line.from);
        }
        let end_word = if index == 0 && holds_end_word(record) { record.end_word.as_ref() } else { None };
        write_line(&mut text, line, index == 0, handicap, end_word);
    }
    text
}

/// Tests whether the word for the end is read as one: it stands behind moves or before a known end, and is no move
/// itself.
pub(crate) fn holds_end_word(record: &GameRecord) -> bool {
    let Some(end) = &record.end_word else { return true };
    let is_word = !end.word.is_empty()
        && !end.word.contains(|c: char| c.is_whitespace() || c.is_control() || is_marker(c) || matches!(c, '(' | '（'))
        && !end.word.starts_with(|c| {
            digit(c).is_some() || matches!(c, '+' | '同' | '.' | '*' | '&' | '#') || square(c, '1').is_some()
        })
        && JapaneseMove::parse(&end.word).is_none()
        && !PASSES.contains(&end.word.as_str())
        && read_word(&end.word, record.start.side()).is_none();
    // The line behind it tells the end, but not its time.
    let is_alone = record.conclusion.is_none_or(|conclusion| conclusion.spent.is_none());
    record.conclusion.is_some() && is_adjournment(&end.word) || is_word && !record.moves.is_empty() && is_alone
}

/// Writes headers and start; returns whether this is a handicap game, whose players have other names.
pub(crate) fn write_head(text: &mut String, record: &GameRecord) -> bool {
    let handicap = handicap_of(&record.start).is_some_and(|handicap| handicap != Handicap::Even);
    header::write(text, record, handicap);
    handicap
}

/// Writes comments, each of its lines behind a `*`; bookmarks have their own sign.
pub(crate) fn write_comments(text: &mut String, comments: &[String]) {
    for line in comments.iter().flat_map(|comment| comment.split('\n')) {
        let sign = if line.starts_with('&') { "" } else { "*" };
        _ = writeln!(text, "{sign}{}", line.replace('\r', ""));
    }
}

fn write_line(text: &mut String, line: &RecordLine<'_>, is_game: bool, handicap: bool, end_word: Option<&EndWord>) {
    let mut pos = line.start.clone();
    let mut last = line.last;
    let mut totals = line.totals;
    for (index, made) in line.moves.iter().enumerate() {
        let number = line.from + index;
        let total = &mut totals[(number - 1) % 2];
        let mut time = String::new();
        if let Some(spent) = made.spent {
            let spent = Duration::from_secs(spent.as_secs());
            *total = total.saturating_add(spent);
            time = time::write(spent, *total);
        }
        write_numbered(text, number, &move_text(&pos, made.mv, last), &time, line.branches[index]);
        write_comments(text, &made.comments);
        last = Some(made.mv.to());
        pos.do_move(made.mv);
    }
    let side = pos.side();
    let plies = line.from + line.moves.len() - 1;
    let total = totals[plies % 2];
    if let Some(end) = end_word {
        write_numbered(text, plies + 1, &end.word, &end_time(end.spent, total), false);
    }
    let Some(conclusion) = line.conclusion else { return };
    let word = word(conclusion, side);
    if end_word.is_none() {
        write_numbered(text, plies + 1, word, &end_time(conclusion.spent, total), false);
    }
    // A variation has this line only if the word does not say it all.
    let by_word = read_word(word, side).map(|read| Conclusion { spent: conclusion.spent, ..read });
    if is_game || by_word != Some(*conclusion) {
        _ = writeln!(text, "{}", summary(conclusion, side, plies, handicap));
    }
}

/// The time of an end; `total` is that of its side before it.
fn end_time(spent: Option<Duration>, total: Duration) -> String {
    spent.map_or(String::new(), |spent| time::write(spent, total.saturating_add(spent)))
}

/// Writes a variation as it stands behind a game: its head and its moves, the first of which is made in the position
/// and has the number `from`; `last` is where the move before it went.
pub fn write_variation(pos: &Position, from: usize, moves: &[RecordMove], last: Option<Square>) -> String {
    let line = RecordLine {
        from,
        parent: None,
        moves,
        conclusion: None,
        start: pos.clone(),
        last,
        branches: vec![false; moves.len()],
        totals: [Duration::ZERO; 2],
    };
    let mut text = format!("\n変化：{from}手\n");
    write_line(&mut text, &line, false, false, None);
    text
}

/// `   1 ７六歩(77)   ( 0:01/00:00:01)+`
fn write_numbered(text: &mut String, number: usize, what: &str, time: &str, branches: bool) {
    _ = write!(text, "{number:>4} ");
    text.push_str(what);
    if branches || !time.is_empty() {
        // Most characters are as wide as two of ASCII.
        let width: usize = what.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        let pad = 13usize.saturating_sub(width).max(1);
        _ = write!(text, "{:pad$}{time}", "");
    }
    text.push_str(if branches { "+\n" } else { "\n" });
}

/// ７六歩(77), 同　銀成(33), ５五角打
pub(crate) fn move_text(pos: &Position, mv: Move, last: Option<Square>) -> String {
    let mut text = String::with_capacity(24);
    push_destination(&mut text, mv, last, "　");
    match mv.kind() {
        MoveKind::Drop { piece_type, .. } => {
            text.push_str(piece_name(piece_type));
            text.push('打');
        }
        MoveKind::Board { from, promote, .. } => {
            let piece_type = pos.piece_on(from).expect("the moves of a record are legal").piece_type();
            text.push_str(piece_name(piece_type));
            if promote {
                text.push('成');
            }
            let file = (b'1' + from.file().index() as u8) as char;
            let rank = (b'1' + from.rank().index() as u8) as char;
            text.extend(['(', file, rank, ')']);
        }
    }
    text
}

/// ７六, or 同 with a filler if the move before went there.
pub(crate) fn push_destination(text: &mut String, mv: Move, last: Option<Square>, filler: &str) {
    if last == Some(mv.to()) {
        text.push('同');
        text.push_str(filler);
    } else {
        text.extend(square_name(mv.to()));
    }
}
