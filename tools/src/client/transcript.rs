//! Conversation with an engine: kept while a game is played, written if it is wanted.
//!
//! A file has the lines of both engines of a game in the order in which they were sent or arrived, in a form that
//! `komainu replay` reads:
//!
//! ```text
//! # game 12: new (black) - old (white), time-up
//! 2026-01-31T08:52:33.123Z sid=black > usi
//! 2026-01-31T08:52:33.125Z sid=black < usiok
//! ```

use komainu::host::lock;
use komainu::types::Color;
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

/// Bytes of the lines of a game that are kept of one engine: a long game with all its reports.
const MAX_BYTES: usize = 8 << 20;
/// Bytes of the lines from the start of an engine to its first game.
const MAX_SETUP_BYTES: usize = 1 << 16;
/// Characters of a line that are kept.
const MAX_CHARS: usize = 20_000;

/// Who speaks to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The client, to the engine.
    Client,
    /// The engine.
    Engine,
}

#[derive(Clone, Debug)]
struct Line {
    at: Instant,
    speaker: Speaker,
    text: String,
}

/// What is told of every line of a conversation, by several threads.
pub trait Listener: Send + Sync {
    /// Notes a line, or several with line ends between them.
    fn note(&self, speaker: Speaker, at: Instant, text: &str);

    /// A game begins.
    fn begin_game(&self) {}
}

/// Listens to nothing.
impl Listener for () {
    fn note(&self, _: Speaker, _: Instant, _: &str) {}
}

/// The conversation with one engine, which its threads share.
#[derive(Clone, Debug, Default)]
pub struct Transcript(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// From the start of the engine to its first game.
    setup: VecDeque<Line>,
    setup_bytes: usize,
    /// The game that is being played.
    game: VecDeque<Line>,
    bytes: usize,
    /// Lines of the game that were too many.
    left_out: usize,
    has_game: bool,
}

impl Listener for Transcript {
    fn note(&self, speaker: Speaker, at: Instant, text: &str) {
        let mut kept = lock(&self.0);
        for text in text.split('\n') {
            // A line of so few bytes has no more characters.
            let is_short = text.len() <= MAX_CHARS;
            let end = if is_short { None } else { text.char_indices().nth(MAX_CHARS) };
            let end = end.map_or(text.len(), |(at, _)| at);
            kept.push(Line { at, speaker, text: text[..end].trim_end_matches('\r').to_string() });
        }
    }

    /// The lines of the game before are not wanted any more.
    fn begin_game(&self) {
        let mut kept = lock(&self.0);
        let Kept { setup, setup_bytes, .. } = std::mem::take(&mut *kept);
        *kept = Kept { setup, setup_bytes, has_game: true, ..Kept::default() };
    }
}

impl Kept {
    fn push(&mut self, line: Line) {
        let size = line.text.len() + size_of::<Line>();
        if !self.has_game {
            if self.setup_bytes + size <= MAX_SETUP_BYTES {
                self.setup_bytes += size;
                self.setup.push_back(line);
            }
            return;
        }
        self.bytes += size;
        self.game.push_back(line);
        while self.bytes > MAX_BYTES
            && let Some(first) = self.game.pop_front()
        {
            self.bytes -= first.text.len() + size_of::<Line>();
            self.left_out += 1;
        }
    }
}

/// The conversations of a game as the text of a file, under a headline.
pub fn text_of_game(headline: &str, conversations: [&Transcript; 2]) -> String {
    let now = Instant::now();
    let clock = SystemTime::now();
    let mut lines: Vec<(Line, Color)> = Vec::new();
    let mut text = format!("# {headline}\n");
    for side in Color::ALL {
        let kept = lock(&conversations[side].0);
        if kept.left_out > 0 {
            _ = writeln!(text, "# {} of {} before the others are left out", kept.left_out, side.name());
        }
        lines.extend(kept.setup.iter().chain(&kept.game).cloned().map(|line| (line, side)));
    }
    // Stable: lines of one moment stay in their order.
    lines.sort_by_key(|(line, _)| line.at);
    for (Line { at, speaker, text: said }, side) in lines {
        let stamp = clock.checked_sub(now.saturating_duration_since(at)).unwrap_or(clock);
        let arrow = if speaker == Speaker::Client { '>' } else { '<' };
        let stamp = humantime::format_rfc3339_millis(stamp);
        _ = writeln!(text, "{stamp} sid={} {arrow} {said}", side.name());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_engines_stand_in_their_order_behind_the_start_of_each() {
        let black = Transcript::default();
        let white = Transcript::default();
        let start = Instant::now();
        let at = |millis| start + std::time::Duration::from_millis(millis);
        black.note(Speaker::Client, at(0), "usi");
        black.note(Speaker::Engine, at(1), "usiok");
        for game in 0..2 {
            black.begin_game();
            black.note(Speaker::Client, at(10), &format!("position startpos\ngo nodes {game}"));
            white.note(Speaker::Client, at(5), "usi");
            black.note(Speaker::Engine, at(12), "bestmove 7g7f\r");
        }
        let text = text_of_game("game 2", [&black, &white]);
        let said: Vec<&str> = text.lines().map(|line| line.split_once("sid=").map_or(line, |(_, said)| said)).collect();
        let expected = ["black > usi", "black < usiok", "white > usi", "white > usi", "black > position startpos"];
        assert_eq!(said[..6], [&["# game 2"][..], &expected].concat());
        assert_eq!(said[6..], ["black > go nodes 1", "black < bestmove 7g7f"]);
    }

    #[test]
    fn a_flood_is_cut_at_its_beginning_and_a_long_line_at_its_end() {
        let transcript = Transcript::default();
        transcript.begin_game();
        for number in 0..2_000 {
            transcript.note(Speaker::Engine, Instant::now(), &format!("{number} {}", "x".repeat(30_000)));
        }
        let text = text_of_game("flood", [&transcript, &Transcript::default()]);
        assert!(text.len() < MAX_BYTES + (1 << 17), "{}", text.len());
        assert!(text.contains(" of black before the others are left out\n") && text.contains("< 1999 x"));
    }
}
