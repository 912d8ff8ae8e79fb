//! Conversations of one item: their lines, and the faults that the grammar finds in them.

use super::outcome::shown;
use crate::conformance::grammar::{ProtocolFault, Rule};
use std::collections::VecDeque;
use std::time::Instant;

/// Lines of a transcript that are kept: the last ones.
const MAX_LINES: usize = 300;
/// Faults of an item that are kept. An engine that commits more commits the same ones again and again.
const MAX_FAULTS: usize = 50;

/// Who said a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    /// This program, to the engine.
    Us,
    Engine,
    /// Neither: a note in the transcript.
    Note,
}

/// Log that is kept while an item runs.
pub(super) struct ItemLog {
    pub(super) running: u8,
    /// The items that are wrong, each with what is wrong and the line.
    pub(super) faults: Vec<(u8, String)>,
    lines: VecDeque<(Instant, Speaker, String)>,
    started: Instant,
}

impl ItemLog {
    pub(super) fn new(running: u8) -> ItemLog {
        ItemLog { running, faults: Vec::new(), lines: VecDeque::new(), started: Instant::now() }
    }

    /// Adds a line to the transcript.
    pub(super) fn line(&mut self, at: Instant, side: Speaker, text: &str) {
        if self.lines.len() == MAX_LINES {
            self.lines.pop_front();
        }
        const MAX_CHARS: usize = 240;
        let cut: String = text.chars().take(MAX_CHARS).collect();
        let more = if cut.len() < text.len() { "..." } else { "" };
        self.lines.push_back((at, side, format!("{}{more}", cut.escape_debug())));
    }

    /// Adds what the grammar finds wrong with a line, which came after a command.
    pub(super) fn fault(&mut self, fault: &ProtocolFault, line: &str, asked: &str) {
        self.wrong(matching(fault, line, asked, self.running), format!("{fault}, in {}", shown(line)));
    }

    /// Adds something that is wrong with an item.
    pub(super) fn wrong(&mut self, number: u8, text: String) {
        if self.faults.len() < MAX_FAULTS && !self.faults.iter().any(|(_, known)| *known == text) {
            self.faults.push((number, text));
        }
    }

    /// The lines, each with its time in seconds.
    pub(super) fn transcript(&self) -> Vec<String> {
        let show = |(at, side, text): &(Instant, Speaker, String)| {
            let sign = match side {
                Speaker::Us => '>',
                Speaker::Engine => '<',
                Speaker::Note => '#',
            };
            format!("{:8.3} {sign} {text}", at.saturating_duration_since(self.started).as_secs_f64())
        };
        self.lines.iter().map(show).collect()
    }
}

/// The item that a fault is about. Where several are, the one that runs decides.
fn matching(fault: &ProtocolFault, line: &str, asked: &str, running: u8) -> u8 {
    let is_about = |word: &str| fault.place.starts_with(word);
    match fault.rule {
        Rule::Ascii if fault.token == "\r" => 5,
        // What is not ASCII may be an echo.
        Rule::Ascii if matches!(running, 13 | 14) => running,
        Rule::Ascii => 6,
        Rule::Blanks if line.ends_with(' ') => 3,
        Rule::Blanks if line.starts_with("info") => 94,
        Rule::Blanks if line.starts_with("option") => 23,
        Rule::Blanks if line.starts_with("bestmove") => 67,
        Rule::Blanks => 3,
        Rule::KeepAlive => 10,
        Rule::FreeText if asked.trim() == "usi" => 2,
        Rule::FreeText if asked.starts_with("setoption") && running != 31 => 30,
        Rule::FreeText if matches!(running, 5 | 10 | 12 | 31 | 50 | 51) => running,
        Rule::FreeText => 11,
        Rule::Unprompted => 1,
        Rule::Unasked if is_about("bestmove") || is_about("checkmate") => running,
        Rule::Unasked if is_about("readyok") => 38,
        Rule::Unasked => 4,
        Rule::NameFirst => 2,
        Rule::Twice if is_about("option") => 24,
        Rule::Missing | Rule::Twice if is_about("id") || is_about("usiok") => 2,
        Rule::TrailingText if is_about("usiok") || is_about("readyok") => 3,
        Rule::Word if fault.place == "option" && has_blank_in_name(line) => 24,
        Rule::Reserved | Rule::ReservedType => 26,
        Rule::Range | Rule::DefaultAmongVars => 25,
        Rule::MateInZero => 93,
        Rule::SearchMoves => 63,
        Rule::Early if matches!(running, 34 | 80..=86) => 80,
        Rule::Early if matches!(running, 62) => 62,
        Rule::Early => 57,
        Rule::WrongAnswer if is_about("bestmove") => 87,
        Rule::WrongAnswer => 67,
        Rule::Late | Rule::ScoreLine | Rule::FirstOfPv => 68,
        Rule::Depth => 59,
        Rule::Falls => 96,
        Rule::MultiPvOrder | Rule::MultiPvCount | Rule::ScoreRises => 95,
        Rule::Missing | Rule::Twice | Rule::TrailingText | Rule::Word | Rule::Number | Rule::Move | Rule::Legal => {
            match fault.place {
                place if place.starts_with("option") => 23,
                place if place.starts_with("info") => 94,
                place if place.starts_with("checkmate") => 87,
                place if place.starts_with("id") => 2,
                _ => 67,
            }
        }
    }
}

fn has_blank_in_name(line: &str) -> bool {
    let name = line.strip_prefix("option name ").and_then(|rest| rest.split_once(" type "));
    name.is_some_and(|(name, _)| name.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::grammar::Checker;

    /// The items that are wrong after these lines, `>` to the engine and `<` from it.
    fn wrong(running: u8, lines: &[&str]) -> Vec<u8> {
        let mut checker = Checker::default();
        let mut record = ItemLog::new(running);
        let mut asked = "";
        for line in lines {
            match line.split_at(1) {
                (">", command) => {
                    asked = command;
                    checker.command(command);
                }
                (_, answer) => checker.answer(answer).iter().for_each(|fault| record.fault(fault, answer, asked)),
            }
        }
        record.faults.into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn every_fault_is_held_against_the_item_that_it_is_about() {
        assert_eq!(wrong(7, &["<hello"]), [1, 11]);
        assert_eq!(wrong(7, &[">usi", "<id name X ", "<option name A type check default True", "<usiok"]), [3, 23, 2]);
        assert_eq!(wrong(7, &[">usi", "<id author X"]), [2]);
        assert_eq!(wrong(7, &[">foo", "<what?"]), [11]);
        assert_eq!(wrong(13, &[">setoption name X", "<what?"]), [30]);
        assert_eq!(wrong(7, &[">usi", "<Engine 1.0"]), [2]);
        assert_eq!(wrong(7, &[">go infinite", "<info score cp 1 pv 7g7f", "<bestmove 7g7f"]), [57]);
        assert_eq!(wrong(81, &[">go ponder", "<info score cp 1 pv 7g7f", "<bestmove 7g7f"]), [80]);
        assert_eq!(wrong(81, &[">stop", "<bestmove 7g7f"]), [81]);
        assert_eq!(wrong(9, &[">go nodes 1", "<info score cp 1 pv 7g7e", "<bestmove 7g7e"]), [94, 67]);
        assert_eq!(wrong(9, &[">go mate 100", "<bestmove resign"]), [87]);
        assert_eq!(wrong(9, &[">go depth 2", "<info depth 3 score mate 0 pv 7g7f", "<bestmove 2g2f"]), [93, 59, 68]);
    }

    #[test]
    fn the_same_fault_is_kept_once_and_a_flood_of_them_is_bounded() {
        let mut record = ItemLog::new(1);
        for i in 0..1_000 {
            record.wrong(2, "the same".to_string());
            record.wrong(2, i.to_string());
            record.line(Instant::now(), Speaker::Engine, "info string");
        }
        assert_eq!((record.faults.len(), record.transcript().len()), (MAX_FAULTS, MAX_LINES));
    }
}
