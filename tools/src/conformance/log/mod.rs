//! Reading recorded USI conversations: an engine's own log, and those of GUIs and bridges.
//!
//! No two programs write the same format, so nothing here asks for one. A stamp is taken off, then an arrow is sought
//! that a word of the protocol follows:
//!
//! ```text
//! 2026-11-21T08:52:33.123Z > usi                               Komainu
//! [2026-11-21T08:52:33.123] [INFO] usi - sid=1: > usi          ShogiHome
//! >1:usi                                                       Shogidokoro
//! [<] usi                                                      Ayane
//! >> usi                                                       YaneuraOu, from the engine's side
//! 40203 <first : # engine said: usiok                          XBoard with uci2wb
//! ```
//!
//! The words tell who speaks: `usi` goes to the engine, `usiok` comes from it, whatever way the arrow points. For
//! other words the arrow decides, if it always pointed the same way. Without any arrow the words alone must do.

mod stamp;

use komainu::usi::Direction;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A line of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Number of the line in the log, counted from 1.
    pub line: usize,
    /// When, in milliseconds since some moment, if the log tells.
    pub time: Option<u64>,
    /// Which of several engines, as the log names it; empty if it does not.
    pub session: String,
    /// Direction of the line: to the engine or from it.
    pub direction: Direction,
    /// The line itself, as bytes: they need not be UTF-8.
    pub text: Vec<u8>,
}

/// A log that was read.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The lines of all conversations, in their order.
    pub entries: Vec<LogEntry>,
    /// Numbers of the lines that are no part of a conversation.
    pub unread: Vec<usize>,
    /// Numbers of the lines before which a new run of the engine begins, whatever was said before.
    starts: Vec<usize>,
}

/// The first words of lines to the engine.
const COMMANDS: [&str; 13] = [
    "usi",
    "isready",
    "usinewgame",
    "setoption",
    "position",
    "go",
    "stop",
    "ponderhit",
    "gameover",
    "bench",
    "quit",
    "debug",
    "register",
];

/// The first words of lines from the engine.
const ANSWERS: [&str; 7] = ["id", "option", "usiok", "readyok", "info", "bestmove", "checkmate"];

/// Marks that uci2wb puts before a line, which in its log all go the same way: its own ones and the engine's.
const BRIDGE_MARKS: [&str; 2] = ["# engine said: ", "# "];

/// Reads a log. Lines that cannot be read are counted, none stops the reading.
pub fn read(bytes: &[u8]) -> Log {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let lines: Vec<&[u8]> = bytes.split(|&b| b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    let texts: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
    let found = find_messages(&texts);
    let arrows = directions_of_arrows(&found);
    let mut log = Log::default();
    for (index, (found, text)) in found.iter().zip(&texts).enumerate() {
        let known = found.as_ref().and_then(|found| Some((found, found.direction.or(*arrows.get(found.arrow)?)?)));
        match known {
            Some((found, direction)) => log.entries.push(LogEntry {
                line: index + 1,
                time: found.time,
                session: found.session.to_string(),
                direction,
                text: message(lines[index], text, found.start),
            }),
            None if text.starts_with("# komainu ") => log.starts.push(index + 1),
            None if text.trim().is_empty() || text.starts_with('#') => {}
            None => log.unread.push(index + 1),
        }
    }
    log
}

/// Where the messages are: behind arrows, or at the start of the lines if that explains more of them.
fn find_messages<'a>(texts: &'a [Cow<'_, str>]) -> Vec<Option<Found<'a>>> {
    let is_bridge = texts.iter().any(|text| text.contains(": # engine said: "));
    let after_arrow: Vec<_> = texts.iter().map(|text| find_after_arrow(text, is_bridge)).collect();
    let bare: Vec<_> = texts.iter().map(|text| find_bare(text)).collect();
    let known = |found: &[Option<Found>]| found.iter().flatten().filter(|found| found.direction.is_some()).count();
    if known(&bare) > known(&after_arrow) { bare } else { after_arrow }
}

/// The bytes of the message that begins at this place of the text. What stands before it is ASCII nearly always.
fn message(line: &[u8], text: &str, start: usize) -> Vec<u8> {
    let is_same = line.get(..start) == Some(&text.as_bytes()[..start]);
    let message = if is_same { &line[start..] } else { &text.as_bytes()[start..] };
    message.to_vec()
}

impl Log {
    /// The engines of the log, in the order in which they come.
    pub fn sessions(&self) -> Vec<&str> {
        let mut sessions: Vec<&str> = Vec::new();
        for entry in &self.entries {
            if !sessions.contains(&entry.session.as_str()) {
                sessions.push(&entry.session);
            }
        }
        sessions
    }

    /// The conversations of an engine, one for each time that it was started.
    pub fn runs(&self, session: &str) -> Vec<Vec<&LogEntry>> {
        let mut runs: Vec<Vec<&LogEntry>> = Vec::new();
        let mut starts = self.starts.iter().peekable();
        let mut has_quit = false;
        for entry in self.entries.iter().filter(|entry| entry.session == session) {
            let is_command = entry.direction == Direction::ToEngine;
            let mut is_marked = false;
            while starts.next_if(|&&start| start < entry.line).is_some() {
                is_marked = true;
            }
            if runs.is_empty() || is_marked || has_quit && is_command {
                runs.push(Vec::new());
                has_quit = false;
            }
            has_quit |= is_command && entry.text.trim_ascii() == b"quit";
            runs.last_mut().expect("a run was begun").push(entry);
        }
        runs
    }
}

/// Where a message was found in a line.
struct Found<'a> {
    time: Option<u64>,
    session: &'a str,
    arrow: &'a str,
    /// Where the message begins, in bytes.
    start: usize,
    /// Direction that its first word tells.
    direction: Option<Direction>,
}

/// Finds the message behind the first arrow that a word of the protocol follows, else behind an arrow that begins the
/// line or stands after a blank or a colon.
fn find_after_arrow(line: &str, is_bridge: bool) -> Option<Found<'_>> {
    let (time, rest) = stamp::strip(line);
    let at = |part: &str| part.as_ptr() as usize - line.as_ptr() as usize;
    let mut first = None;
    let mut searched = rest;
    while let Some(start) = searched.find(['<', '>']) {
        let before = rest[..at(searched) - at(rest) + start].trim_end_matches(['-', '=']);
        let after = &searched[start..];
        let length = after.bytes().take_while(|b| b"<>-=".contains(b)).count();
        let arrow = &after[..length];
        searched = &after[length..];
        let (channel, message) = split_channel(searched.strip_prefix(']').unwrap_or(searched));
        let Some(message) = strip_marks(message, is_bridge) else { continue };
        let direction = direction_of(message);
        let found = Found { time, session: session(before, channel), arrow, start: at(message), direction };
        if direction.is_some() {
            return Some(found);
        }
        let is_at_edge = before.is_empty() || before.ends_with([' ', '\t', ':', '[']) || is_engine(before);
        if first.is_none() && is_at_edge {
            first = Some(found);
        }
    }
    first
}

/// Takes off what a bridge puts before a line; other lines of its log belong to another protocol.
fn strip_marks(message: &str, is_bridge: bool) -> Option<&str> {
    let message = message.strip_prefix(' ').unwrap_or(message);
    if is_bridge { BRIDGE_MARKS.iter().find_map(|mark| message.strip_prefix(mark)) } else { Some(message) }
}

/// A line without any arrow: the word must tell.
fn find_bare(line: &str) -> Option<Found<'_>> {
    let (time, rest) = stamp::strip(line);
    let message = rest.trim_ascii_start();
    let direction = direction_of(message)?;
    let start = line.len() - message.len();
    Some(Found { time, session: "", arrow: "", start, direction: Some(direction) })
}

fn direction_of(message: &str) -> Option<Direction> {
    let word = message.split_ascii_whitespace().next()?;
    if COMMANDS.contains(&word) {
        Some(Direction::ToEngine)
    } else if ANSWERS.contains(&word) {
        Some(Direction::FromEngine)
    } else {
        None
    }
}

/// The number that a GUI gives to an engine, or XBoard's name for it.
fn is_engine(text: &str) -> bool {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    is_number || matches!(text, "first" | "second")
}

/// `1:usi` or `first : usi` behind the arrow: the engine's number or name, and the message.
fn split_channel(text: &str) -> (&str, &str) {
    match text.split_once(':') {
        Some((channel, message)) if is_engine(channel.trim_ascii_end()) => (channel.trim_ascii_end(), message),
        _ => ("", text),
    }
}

/// Which engine a line belongs to: `>1:`, `1>`, `sid=1: >`, `(pid=1012)>: >>`.
fn session<'a>(before: &'a str, channel: &'a str) -> &'a str {
    if !channel.is_empty() {
        return channel;
    }
    if is_engine(before.trim_ascii()) {
        return before.trim_ascii();
    }
    let id = ["sid=", "pid="].iter().find_map(|key| before.split_once(key)).map_or("", |(_, id)| id);
    id.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default()
}

/// Which way each arrow points, as far as all lines with known words agree.
fn directions_of_arrows<'a>(found: &[Option<Found<'a>>]) -> BTreeMap<&'a str, Option<Direction>> {
    let mut directions = BTreeMap::new();
    for Found { arrow, direction, .. } in found.iter().flatten() {
        if let Some(direction) = *direction {
            directions
                .entry(*arrow)
                .and_modify(|known: &mut Option<Direction>| *known = known.filter(|&known| known == direction))
                .or_insert(Some(direction));
        }
    }
    directions
}

#[cfg(test)]
mod tests;
