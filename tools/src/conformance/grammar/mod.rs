//! The grammar of a whole USI conversation: which lines an engine may say, and when.
//!
//! A [`Checker`] is shown every line in the order in which they pass, [`Checker::command`] those to the engine and
//! [`Checker::answer`] those from it, and names every [`ProtocolFault`] of the engine. It reads and writes nothing
//! itself, so it serves a log as well as a running engine.
//!
//! ```
//! use komainu_tools::conformance::grammar::Checker;
//!
//! let mut checker = Checker::default();
//! checker.command("position startpos");
//! checker.command("go nodes 1000");
//! assert_eq!(checker.answer("info depth 1 nodes 40 score cp 12 pv 7g7f 3c3d"), []);
//! assert_eq!(checker.answer("bestmove 7g7e")[0].to_string(), "bestmove \"7g7e\": not legal in the position");
//! assert_eq!(checker.finish(), []);
//! ```

mod command;
mod fault;
mod info;
mod option;
mod search;

pub use fault::{ProtocolFault, Rule};

use command::Prompt;
use komainu::notation::usi::parse_position;
use komainu::position::Position;
use search::PendingSearch;
use std::collections::VecDeque;

/// Follows one conversation with an engine, which was started and was sent nothing yet.
#[derive(Debug, Default)]
pub struct Checker {
    position: Position,
    /// Set once any command has been sent.
    is_prompted: bool,
    /// Set once anything but ASCII has been sent: then an `info string` may quote it.
    may_quote: bool,
    has_quit: bool,
    /// `usi` and `isready` that wait for their answers.
    open_usi: usize,
    open_isready: usize,
    usi_answer: UsiAnswer,
    /// Benches whose last line is due; what they say is no USI.
    open_benches: usize,
    /// The searches that wait for their answers, in the order of their `go`.
    searches: VecDeque<PendingSearch>,
}

/// The parts of the answer to `usi` that have come so far.
#[derive(Debug, Default)]
struct UsiAnswer {
    has_name: bool,
    has_author: bool,
    /// Names of options, in lower case.
    options: Vec<String>,
}

impl Checker {
    /// A line to the engine, without its line end. The end of the engine's input is the command `quit`.
    pub fn command(&mut self, line: &str) {
        if self.has_quit {
            return;
        }
        let prompt = command::read(line);
        self.is_prompted |= prompt != Prompt::Blank;
        self.may_quote |= !line.is_ascii();
        match prompt {
            Prompt::Usi => self.open_usi += 1,
            Prompt::IsReady => self.open_isready += 1,
            Prompt::Go(go) => {
                self.release_searches();
                self.searches.push_back(PendingSearch::new(&go, &self.position));
            }
            Prompt::GoMate => {
                self.release_searches();
                self.searches.push_back(PendingSearch::mate(&self.position));
            }
            Prompt::Stop => {
                self.release_searches();
                for search in &mut self.searches {
                    search.is_stopped = true;
                }
            }
            Prompt::PonderHit => {
                for search in &mut self.searches {
                    search.ponder_hit();
                }
            }
            Prompt::Quit => {
                self.has_quit = true;
                self.release_searches();
            }
            Prompt::Position(text) => {
                self.allow_info_strings();
                if let Ok(parsed) = parse_position(text) {
                    self.position = parsed.position;
                }
            }
            Prompt::Remark => self.allow_info_strings(),
            Prompt::MultiPv => {
                self.allow_info_strings();
                for search in &mut self.searches {
                    search.change_multi_pv();
                }
            }
            Prompt::Bench => {
                self.allow_info_strings();
                self.open_benches += 1;
            }
            Prompt::Blank | Prompt::Silent => {}
        }
    }

    fn release_searches(&mut self) {
        for search in &mut self.searches {
            search.release();
        }
    }

    fn allow_info_strings(&mut self) {
        for search in &mut self.searches {
            search.open_info_strings += 1;
        }
    }

    /// A line from the engine, without its LF; one CR before it may stay. Returns what is wrong with it.
    pub fn answer(&mut self, line: &str) -> Vec<ProtocolFault> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut faults = Vec::new();
        if !self.is_prompted {
            faults.push(ProtocolFault::new("line", line, Rule::Unprompted));
        }
        if line.is_empty() {
            if self.open_isready == 0 {
                faults.push(ProtocolFault::new("line", "", Rule::KeepAlive));
            }
            return faults;
        }
        if self.open_benches > 0 && line.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            self.open_benches -= usize::from(line.ends_with(" nps"));
            return faults;
        }
        check_characters(line, self.may_quote, &mut faults);
        // A fault in the blanks is named once; then the words count.
        let tidy = if faults.iter().any(|fault| fault.rule == Rule::Blanks) { &squeeze(line) } else { line };
        let (word, rest) = tidy.split_once(' ').unwrap_or((tidy, ""));
        match word {
            "id" => self.id(rest, &mut faults),
            "option" => self.option(rest, &mut faults),
            "usiok" => self.usiok(rest, &mut faults),
            "readyok" => self.readyok(rest, &mut faults),
            "info" => self.info(rest, &mut faults),
            "bestmove" => self.bestmove(rest, &mut faults),
            "checkmate" => self.checkmate(rest, &mut faults),
            _ => faults.push(ProtocolFault::new("line", line, Rule::FreeText)),
        }
        faults
    }

    /// The conversation is over. Returns the answers that are missing. After `quit` a search need not be answered that
    /// was not told to end before.
    pub fn finish(&self) -> Vec<ProtocolFault> {
        let missing = |word| ProtocolFault::new(word, "", Rule::Missing);
        let mut faults = vec![missing("usiok"); self.open_usi];
        faults.extend(vec![missing("readyok"); self.open_isready]);
        let owed = |search: &&PendingSearch| if self.has_quit { search.is_stopped } else { !search.is_held() };
        let word = |search: &PendingSearch| if search.is_mate_search { "checkmate" } else { "bestmove" };
        faults.extend(self.searches.iter().filter(owed).map(|search| missing(word(search))));
        faults
    }

    /// Tests whether the next answer to a `go` must wait for `stop` or `ponderhit`.
    pub fn is_held(&self) -> bool {
        self.searches.front().is_some_and(PendingSearch::is_held)
    }

    fn id(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        self.check_usi_pending("id", faults);
        match rest.split_once(' ') {
            Some(("name", _)) if self.usi_answer.has_name => faults.push(ProtocolFault::new("id", "name", Rule::Twice)),
            Some(("name", _)) => self.usi_answer.has_name = true,
            Some(("author", _)) if !self.usi_answer.has_name => {
                faults.push(ProtocolFault::new("id", "author", Rule::NameFirst));
            }
            Some(("author", _)) if self.usi_answer.has_author => {
                faults.push(ProtocolFault::new("id", "author", Rule::Twice));
            }
            Some(("author", _)) => self.usi_answer.has_author = true,
            _ => faults.push(ProtocolFault::new("id", rest, Rule::Word)),
        }
    }

    fn option(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        self.check_usi_pending("option", faults);
        if !self.usi_answer.has_name {
            faults.push(ProtocolFault::new("option", "", Rule::NameFirst));
        }
        faults.extend(option::check(rest, &mut self.usi_answer.options).err());
    }

    /// Lines of the answer to `usi` come only while one is due.
    fn check_usi_pending(&self, word: &'static str, faults: &mut Vec<ProtocolFault>) {
        if self.open_usi == 0 {
            faults.push(ProtocolFault::new(word, "", Rule::Unasked));
        }
    }

    fn usiok(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        check_end("usiok", rest, faults);
        let told = std::mem::take(&mut self.usi_answer);
        if self.open_usi == 0 {
            faults.push(ProtocolFault::new("usiok", "", Rule::Unasked));
            return;
        }
        self.open_usi -= 1;
        for (place, is_there) in [("id name", told.has_name), ("id author", told.has_author)] {
            if !is_there {
                faults.push(ProtocolFault::new(place, "", Rule::Missing));
            }
        }
    }

    fn readyok(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        check_end("readyok", rest, faults);
        if self.open_isready == 0 {
            faults.push(ProtocolFault::new("readyok", "", Rule::Unasked));
        } else {
            self.open_isready -= 1;
        }
    }

    fn info(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        if rest.is_empty() {
            faults.push(ProtocolFault::new("info", "", Rule::Missing));
            return;
        }
        let info = info::read(rest, faults);
        // Searches run one after the other: it tells of the oldest that has no answer.
        match self.searches.front_mut() {
            Some(search) if info.is_of_search => search.observe_info(&info, faults),
            Some(search) => search.observe_info_string(),
            None if info.is_of_search => faults.push(ProtocolFault::new("info", rest, Rule::Late)),
            None => {}
        }
    }

    /// The oldest search of a kind that waits for its answer.
    fn index_of(&self, is_mate_search: bool) -> Option<usize> {
        self.searches.iter().position(|search| search.is_mate_search == is_mate_search)
    }

    fn bestmove(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        let Some(mut search) = self.index_of(false).and_then(|index| self.searches.remove(index)) else {
            // The wrong word still ends a search for a mate: whoever waits must not wait for ever.
            let rule = if self.searches.pop_front().is_some() { Rule::WrongAnswer } else { Rule::Unasked };
            faults.push(ProtocolFault::new("bestmove", rest, rule));
            return;
        };
        if search.is_held() {
            faults.push(ProtocolFault::new("bestmove", rest, Rule::Early));
        }
        search.check_bestmove(rest, faults);
    }

    fn checkmate(&mut self, rest: &str, faults: &mut Vec<ProtocolFault>) {
        match self.index_of(true).and_then(|index| self.searches.remove(index)) {
            Some(mut search) => search.check_checkmate(rest, faults),
            None => {
                let rule = if self.searches.is_empty() { Rule::Unasked } else { Rule::WrongAnswer };
                faults.push(ProtocolFault::new("checkmate", rest, rule));
            }
        }
    }
}

/// Printable ASCII, one blank between words and none around them; a `string` may hold any blanks, and letters of any
/// script if there may be some to quote.
fn check_characters(line: &str, may_quote: bool, faults: &mut Vec<ProtocolFault>) {
    let string = if line.starts_with("info ") { line.find(" string ") } else { None };
    let (strict, free) = string.map_or((line, ""), |at| line.split_at(at + 1));
    let is_quoted = |c: char| may_quote && !c.is_ascii() && !c.is_control();
    let is_odd = |c: &char| !matches!(c, ' '..='~');
    if let Some(c) = strict.chars().find(is_odd).or_else(|| free.chars().filter(|&c| !is_quoted(c)).find(is_odd)) {
        faults.push(ProtocolFault::new("line", c.encode_utf8(&mut [0; 4]), Rule::Ascii));
    }
    if line.starts_with(' ') || line.ends_with(' ') || strict.contains("  ") {
        faults.push(ProtocolFault::new("line", line, Rule::Blanks));
    }
}

/// The words with one blank between them.
fn squeeze(line: &str) -> String {
    line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn check_end(word: &'static str, rest: &str, faults: &mut Vec<ProtocolFault>) {
    if !rest.is_empty() {
        faults.push(ProtocolFault::new(word, rest, Rule::TrailingText));
    }
}

#[cfg(test)]
mod tests;
