//! A record as CSA.

use super::ending::{read_statement, statement, summary};
use super::{CsaVersion, name, position, square_text};
use crate::notation::record::{Conclusion, GameRecord};
use crate::position::Position;
use crate::types::{Color, Move, MoveKind};
use std::fmt::Write;
use std::time::Duration;

/// Tests whether a time is no number of whole seconds, which is all that version 2.2 has.
pub(super) fn has_fractions(record: &GameRecord) -> bool {
    let of_word = record.end_word.as_ref().filter(|_| holds_end_word(record)).and_then(|end| end.spent);
    let of_end = [record.conclusion.and_then(|end| end.spent), of_word];
    let times = record.moves.iter().map(|made| made.spent).chain(of_end);
    times.flatten().any(|spent| spent.subsec_millis() > 0)
}

pub(super) fn write(record: &GameRecord, version: CsaVersion) -> String {
    let mut text = String::new();
    text.push_str(match version {
        CsaVersion::V2_2 => "V2.2\n",
        CsaVersion::V3_0 => "'CSA encoding=UTF-8\nV3.0\n",
    });
    write_headers(&mut text, record);
    position::write(&mut text, &record.start);
    write_comments(&mut text, &record.comments);
    let mut pos = record.start.clone();
    for made in &record.moves {
        _ = writeln!(text, "{}", move_text(&pos, made.mv));
        write_time(&mut text, made.spent, version);
        write_comments(&mut text, &made.comments);
        pos.do_move(made.mv);
    }
    if let Some(conclusion) = &record.conclusion {
        let statement = statement(conclusion, pos.side());
        _ = writeln!(text, "{statement}");
        write_time(&mut text, conclusion.spent, version);
        let by_statement = read_statement(statement, pos.side());
        if by_statement.map(|read| Conclusion { spent: conclusion.spent, ..read }) != Some(*conclusion) {
            _ = writeln!(text, "'{}", summary(conclusion, &record.players));
        }
    }
    if let Some(end) = record.end_word.as_ref().filter(|_| record.conclusion.is_none() && holds_end_word(record)) {
        _ = writeln!(text, "%{}", end.word);
        write_time(&mut text, end.spent, version);
    }
    text
}

/// Tests whether the word for the end is no Japanese one but a statement, as it stood in a record in CSA, and that of
/// an end that is not known.
pub(in crate::notation) fn holds_end_word(record: &GameRecord) -> bool {
    let Some(end) = &record.end_word else { return true };
    let statement = format!("%{}", end.word);
    let is_statement = !end.word.is_empty() && end.word.chars().all(|c| c.is_ascii_alphanumeric() || "+-_".contains(c));
    let is_known = statement == "%MATTA" || read_statement(&statement, record.start.side()).is_some();
    record.conclusion.is_none() && is_statement && !is_known
}

/// `+7776FU`
pub(super) fn move_text(pos: &Position, mv: Move) -> String {
    let sign = if pos.side() == Color::Black { '+' } else { '-' };
    let (from, after) = match mv.kind() {
        MoveKind::Drop { piece_type, .. } => ("00".to_string(), piece_type),
        MoveKind::Board { from, promote, .. } => {
            let before = pos.piece_on(from).expect("the moves of a record are legal").piece_type();
            (square_text(from), if promote { before.promoted() } else { before })
        }
    };
    format!("{sign}{from}{}{}", square_text(mv.to()), name(after))
}

fn write_time(text: &mut String, spent: Option<Duration>, version: CsaVersion) {
    match spent.map(|spent| (spent.as_secs(), spent.subsec_millis())) {
        Some((seconds, millis)) if millis == 0 || version == CsaVersion::V2_2 => _ = writeln!(text, "T{seconds}"),
        Some((seconds, millis)) => _ = writeln!(text, "T{seconds}.{millis:03}"),
        None => {}
    }
}

/// Comments that programs keep.
fn write_comments(text: &mut String, comments: &[String]) {
    for line in comments.iter().flat_map(|comment| comment.split('\n')) {
        _ = writeln!(text, "'*{}", line.replace('\r', ""));
    }
}

/// The text in one line, without blanks around it.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ").trim().to_string()
}

/// Tests whether a key would be read back as it is.
pub(in crate::notation) fn holds_header(key: &str) -> bool {
    let is_field = ["EVENT", "SITE", "START_TIME", "END_TIME", "TIME_LIMIT", "OPENING"].contains(&key);
    !key.is_empty() && key.trim() == key && !key.contains([':', '\n', '\r']) && !is_field
}

fn write_headers(text: &mut String, record: &GameRecord) {
    for (color, sign) in [(Color::Black, '+'), (Color::White, '-')] {
        if let Some(player) = record.players[color].as_deref().map(one_line).filter(|player| !player.is_empty()) {
            _ = writeln!(text, "N{sign}{player}");
        }
    }
    let fields = [
        ("EVENT", &record.event),
        ("SITE", &record.site),
        ("START_TIME", &record.started),
        ("END_TIME", &record.ended),
        ("TIME_LIMIT", &record.time_limit),
        ("OPENING", &record.opening),
    ];
    let known = fields.iter().filter_map(|(key, value)| Some((*key, value.as_deref()?)));
    let others = record.headers.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    for (key, value) in known.chain(others.filter(|(key, _)| holds_header(key))) {
        _ = writeln!(text, "${key}:{}", one_line(value));
    }
    // Programs that read CSA know no title. Behind the title, the reader knows that this is no event of its own.
    if let (None, Some(title)) = (&record.event, record.event_or_title()) {
        _ = writeln!(text, "$EVENT:{}", one_line(title));
    }
}
