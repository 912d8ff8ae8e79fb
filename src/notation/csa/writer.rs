//! A record as CSA.

use super::ending::{read_statement, statement, summary};
use super::{CsaVersion, name, position, push_square};
use crate::notation::record::{Conclusion, GameRecord};
use crate::position::Position;
use crate::types::{Color, Move, MoveKind};
use std::fmt::Write;
use std::time::Duration;

/// Tests whether a time is no number of whole seconds, which is all that version 2.2 has.
fn has_fractions(record: &GameRecord) -> bool {
    let mut times: Vec<Option<Duration>> = record.moves.iter().map(|made| made.spent).collect();
    times.extend(record.conclusion.map(|end| end.spent));
    if holds_end_word(record) {
        times.extend(record.end_word.as_ref().map(|end| end.spent));
    }
    times.into_iter().flatten().any(|spent| spent.subsec_millis() > 0)
}

/// Writes a game, with the lines `\n`: as version 2.2, or as 3.0 if a time has fractions of a second. Variations are
/// left out.
pub fn write(record: &GameRecord) -> String {
    write_version(record, if has_fractions(record) { CsaVersion::V3_0 } else { CsaVersion::V2_2 })
}

/// Writes a game in a version of the format, with the lines `\n`. Variations are left out.
///
/// ```
/// use komainu::notation::csa::{self, CsaVersion};
/// use komainu::notation::record::{GameRecord, RecordMove};
/// use komainu::position::Position;
/// use std::time::Duration;
///
/// let mut game = GameRecord::new(Position::startpos());
/// game.moves.push(RecordMove { spent: Some(Duration::from_millis(1_900)), ..RecordMove::new("7g7f".parse()?) });
/// assert!(csa::write_version(&game, CsaVersion::V2_2).ends_with("+7776FU\nT1\n"));
/// assert!(csa::write_version(&game, CsaVersion::V3_0).ends_with("+7776FU\nT1.900\n"));
/// # Ok::<(), komainu::types::ParseMoveError>(())
/// ```
pub fn write_version(record: &GameRecord, version: CsaVersion) -> String {
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
        text.push_str(&move_text(&pos, made.mv));
        text.push('\n');
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
    if let Some(end) = &record.end_word
        && holds_end_word(record)
    {
        _ = writeln!(text, "%{}", end.word);
        write_time(&mut text, end.spent, version);
    }
    text
}

/// Tests whether the word for the end is no Japanese one but a statement, as it stood in a record in CSA, and that of
/// an end that is not known.
pub(crate) fn holds_end_word(record: &GameRecord) -> bool {
    let Some(end) = &record.end_word else { return true };
    let statement = format!("%{}", end.word);
    let is_statement = !end.word.is_empty() && end.word.chars().all(|c| c.is_ascii_alphanumeric() || "+-_".contains(c));
    let is_known = statement == "%MATTA" || read_statement(&statement, record.start.side()).is_some();
    record.conclusion.is_none() && is_statement && !is_known
}

/// A move as `+7776FU`, for the position that it is made in.
///
/// ```
/// use komainu::notation::csa;
/// use komainu::notation::usi::parse_position;
///
/// // A promotion is written as the piece that it makes.
/// let position = parse_position("startpos moves 7g7f 3c3d")?.position;
/// assert_eq!(csa::move_text(&position, "8h2b+".parse()?), "+8822UM");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn move_text(pos: &Position, mv: Move) -> String {
    let sign = if pos.side() == Color::Black { '+' } else { '-' };
    let mut text = String::with_capacity(7);
    text.push(sign);
    let after = match mv.kind() {
        MoveKind::Drop { piece_type, .. } => {
            text.push_str("00");
            piece_type
        }
        MoveKind::Board { from, promote, .. } => {
            push_square(&mut text, from);
            let before = pos.piece_on(from).expect("the moves of a record are legal").piece_type();
            if promote { before.promoted() } else { before }
        }
    };
    push_square(&mut text, mv.to());
    text.push_str(name(after));
    text
}

fn write_time(text: &mut String, spent: Option<Duration>, version: CsaVersion) {
    let Some(spent) = spent else { return };
    let seconds = spent.as_secs();
    let millis = spent.subsec_millis();
    if millis == 0 || version == CsaVersion::V2_2 {
        _ = writeln!(text, "T{seconds}");
    } else {
        _ = writeln!(text, "T{seconds}.{millis:03}");
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
pub(crate) fn holds_header(key: &str) -> bool {
    let is_field = ["EVENT", "SITE", "START_TIME", "END_TIME", "TIME_LIMIT", "OPENING"].contains(&key);
    !key.is_empty() && key.trim() == key && !key.contains([':', '\n', '\r']) && !is_field
}

fn write_headers(text: &mut String, record: &GameRecord) {
    for (color, sign) in [(Color::Black, '+'), (Color::White, '-')] {
        let player = one_line(record.players[color].as_deref().unwrap_or_default());
        if !player.is_empty() {
            _ = writeln!(text, "N{sign}{player}");
        }
    }
    for (key, value) in [
        ("EVENT", &record.event),
        ("SITE", &record.site),
        ("START_TIME", &record.started),
        ("END_TIME", &record.ended),
        ("TIME_LIMIT", &record.time_limit),
        ("OPENING", &record.opening),
    ] {
        if let Some(value) = value {
            _ = writeln!(text, "${key}:{}", one_line(value));
        }
    }
    for (key, value) in &record.headers {
        if holds_header(key) {
            _ = writeln!(text, "${key}:{}", one_line(value));
        }
    }
    // Programs that read CSA know no title. Behind the title, the reader knows that this is no event of its own.
    if let (None, Some(title)) = (&record.event, record.event_or_title()) {
        _ = writeln!(text, "$EVENT:{}", one_line(title));
    }
}
