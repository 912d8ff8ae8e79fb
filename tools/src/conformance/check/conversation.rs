//! A conversation with an engine: what is sent, what is waited for and how long, and the grammar of all of it.

use super::outcome::{Abort, Checked, PASSED, fail, shown, skip};
use super::positions::START;
use super::record::{ItemLog, Speaker};
use crate::client::QUIT_TIMEOUT;
use crate::conformance::grammar::{Checker, ProtocolFault, Rule};
use crate::process::{Launch, LineEnd, NoLine, OutputLine, PauseMonitor, Process};
use komainu::notation::score::ReportedScore;
use komainu::protocol::Info;
use std::cell::RefCell;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest silence of an engine before `readyok`.
pub(super) const MAX_SILENCE: Duration = Duration::from_secs(5);

/// An option that the engine has listed.
pub(super) struct Listed {
    pub(super) name: String,
    /// Word that follows `type`.
    pub(super) kind: String,
}

impl Listed {
    /// The number behind a word such as `max`.
    pub(super) fn number(&self, word: &str) -> Option<i64> {
        let mut words = self.kind.split_ascii_whitespace().skip_while(|found| *found != word);
        words.nth(1)?.parse().ok()
    }

    /// Tests whether this is one of the values of a combo.
    pub(super) fn has_value(&self, value: &str) -> bool {
        let words: Vec<&str> = self.kind.split_ascii_whitespace().collect();
        words.windows(2).any(|pair| pair == ["var", value])
    }
}

/// The answer to a command.
pub(super) struct Reply {
    pub(super) text: String,
    /// From the command to the answer.
    pub(super) took: Duration,
    pub(super) before: Vec<String>,
}

impl Reply {
    /// The word after `bestmove`.
    pub(super) fn best(&self) -> &str {
        self.text.split_ascii_whitespace().nth(1).unwrap_or_default()
    }

    /// The numbers behind a word in the lines of the search.
    pub(super) fn numbers(&self, word: &str) -> Vec<u64> {
        let number = |line: &String| line.split(' ').skip_while(|found| *found != word).nth(1)?.parse().ok();
        self.before.iter().filter(|line| line.starts_with("info ")).filter_map(number).collect()
    }

    /// The last score of the best line; a bound is none.
    pub(super) fn score(&self) -> Option<ReportedScore> {
        self.before.iter().rev().filter_map(|line| Info::read_best(line)).find_map(|info| info.score?.exact())
    }
}

/// One engine and all that was said.
pub(super) struct Conversation {
    engine: Process,
    checker: Checker,
    record: Rc<RefCell<ItemLog>>,
    /// A line that came after the time at which it was waited for.
    waiting: Option<OutputLine>,
    /// Bytes of a line that has been sent in part.
    unfinished: Vec<u8>,
    /// Fault of the move of an answer.
    illegal_move: Option<String>,
    /// Line that was sent last, and the time at which it was.
    asked: String,
    sent: Instant,
    /// The last sign of life since `isready` was sent, if it is not answered.
    preparing: Option<Instant>,
    /// The longest silence before `readyok`.
    pub(super) longest_silence: Duration,
    pub(super) options: Vec<Listed>,
    /// Longest time of an answer that has no limit of its own.
    pub(super) timeout: Duration,
    /// When the time of the item is up.
    pub(super) deadline: Instant,
    /// Turns the check of the engine's output by the grammar on.
    pub(super) is_checked: bool,
    watch: Rc<Watch>,
    /// Limits of a search that the engine obeys.
    pub(super) limits: SearchLimits,
}

/// State that all conversations of a run share.
pub(super) struct Watch {
    /// Set when the user has had enough.
    pub(super) stop: Arc<AtomicBool>,
    /// Knows when this program itself was late.
    pub(super) stalls: PauseMonitor,
}

/// Limits of a search that an engine obeys, as far as it was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchLimits {
    pub(super) nodes: bool,
    pub(super) depth: bool,
    pub(super) movetime: bool,
    pub(super) byoyomi: bool,
}

impl SearchLimits {
    /// Everything: nothing is put in the place of anything.
    pub(super) const ALL: SearchLimits = SearchLimits { nodes: true, depth: true, movetime: true, byoyomi: true };

    pub(super) const NONE: SearchLimits = SearchLimits { nodes: false, depth: false, movetime: false, byoyomi: false };

    /// A `go` that means about the same and that the engine can obey, where an item is about something else.
    pub(super) fn adapt(self, go: &str) -> Result<String, Abort> {
        let words: Vec<&str> = go.split(' ').collect();
        let limit = words.windows(2).find(|pair| matches!(pair[0], "nodes" | "depth" | "movetime"));
        let Some(&[word, amount]) = limit else { return Ok(go.to_string()) };
        let is_known = match word {
            "nodes" => self.nodes,
            "depth" => self.depth,
            _ => self.movetime,
        };
        if is_known {
            return Ok(go.to_string());
        }
        let other = if word == "depth" && self.nodes {
            "nodes 5000".to_string()
        } else if self.byoyomi {
            format!("btime 0 wtime 0 byoyomi {}", if word == "movetime" { amount } else { "100" })
        } else {
            return skip(format_args!("not checked: it obeys neither {word} nor byoyomi"));
        };
        Ok(go.replacen(&format!("{word} {amount}"), &other, 1))
    }
}

/// Longest wait for the end of an engine that says no more, and for its last words on standard error.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);
/// Interval at which it is looked whether the user has had enough.
const STOP_POLL_INTERVAL: Duration = Duration::from_millis(50);

impl Drop for Conversation {
    fn drop(&mut self) {
        self.engine.quit(b"quit\n", QUIT_TIMEOUT);
    }
}

impl Conversation {
    /// Starts an engine and says nothing.
    pub(super) fn start(
        launch: &Launch,
        record: Rc<RefCell<ItemLog>>,
        timeout: Duration,
        deadline: Instant,
        watch: Rc<Watch>,
    ) -> Result<Conversation, Abort> {
        let engine = Process::start(launch).or_else(|error| fail(format_args!("cannot be started: {error}")))?;
        record.borrow_mut().line(Instant::now(), Speaker::Note, "the engine is started");
        Ok(Conversation {
            engine,
            checker: Checker::default(),
            record,
            waiting: None,
            unfinished: Vec::new(),
            illegal_move: None,
            asked: "its start".to_string(),
            sent: Instant::now(),
            preparing: None,
            longest_silence: Duration::ZERO,
            options: Vec::new(),
            timeout,
            deadline,
            is_checked: true,
            watch,
            limits: SearchLimits::ALL,
        })
    }

    /// Sends a line, or several with line ends between them, in one piece.
    pub(super) fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    /// Sends bytes as they are, which need not end a line.
    pub(super) fn send_bytes(&mut self, bytes: &[u8]) {
        let now = Instant::now();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.unfinished.extend(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.unfinished);
                let line = String::from_utf8_lossy(&line[..line.len() - 1]).into_owned();
                self.record.borrow_mut().line(now, Speaker::Us, &line);
                self.checker.command(&line);
                if line.trim() == "isready" {
                    self.preparing = Some(now);
                }
                if !line.trim().is_empty() {
                    self.asked = line;
                }
            }
        }
        self.sent = Instant::now();
        // If it reads no more, its silence will tell.
        _ = self.engine.send(bytes);
    }

    /// Closes the engine's input, which is as good as `quit`.
    pub(super) fn close_input(&mut self) {
        self.record.borrow_mut().line(Instant::now(), Speaker::Note, "its input is closed");
        self.checker.command("quit");
        self.asked = "the end of its input".to_string();
        self.engine.close_input();
    }

    /// The next line up to a moment; `None` if there is none in time.
    fn receive(&mut self, until: Instant) -> Result<Option<OutputLine>, Abort> {
        let end = until.min(self.deadline);
        let received = loop {
            if self.watch.stop.load(Ordering::Relaxed) {
                return Err(Abort::Interrupted);
            }
            let received = match self.waiting.take() {
                Some(line) => Ok(line),
                None => self.engine.line(Some(end.min(Instant::now() + STOP_POLL_INTERVAL))),
            };
            match received {
                Err(NoLine::Late) if Instant::now() < end => {}
                received => break received,
            }
        };
        match received {
            // An engine that never stops talking must not keep us listening.
            Ok(line) if line.at > until.min(self.deadline) => {
                self.waiting = Some(line);
                self.check_time().map(|()| None)
            }
            Ok(line) => {
                self.check_line(&line);
                Ok(Some(line))
            }
            Err(NoLine::Late) => self.check_time().map(|()| None),
            Err(NoLine::Closed) => Err(Abort::Ended(self.ended())),
        }
    }

    fn check_time(&self) -> Result<(), Abort> {
        if Instant::now() < self.deadline { Ok(()) } else { fail("the time for one item is up") }
    }

    /// Keeps a line and what is wrong with it.
    fn check_line(&mut self, line: &OutputLine) {
        let mut record = self.record.borrow_mut();
        record.line(line.at, Speaker::Engine, &line.text);
        if !self.is_checked {
            return;
        }
        let faults = self.checker.answer(&line.text);
        // What is said too early has that one fault, whatever it is.
        let early = faults.iter().position(|fault| fault.rule == Rule::Unprompted);
        let faults = early.map_or(&faults[..], |place| &faults[place..=place]);
        for fault in faults {
            record.fault(fault, &line.text, &self.asked);
            if is_illegal(fault) {
                self.illegal_move = Some(format!("{fault}, in {}", shown(&line.text)));
            }
        }
        match line.end {
            LineEnd::Whole => {}
            LineEnd::Broken => record.wrong(5, format!("no line end at the end of the output: {}", shown(&line.text))),
            LineEnd::Cut => record.wrong(5, format!("a line without an end: {}", shown(&line.text))),
        }
        if let Some(last) = &mut self.preparing {
            let silence = line.at.saturating_duration_since(*last);
            *last = line.at;
            self.longest_silence = self.longest_silence.max(silence);
            if silence > MAX_SILENCE {
                record.wrong(37, format!("{:.1} s of silence before readyok", silence.as_secs_f64()));
            }
            if line.text.trim_end() == "readyok" {
                self.preparing = None;
            }
        }
    }

    /// Words for the end of the engine.
    fn ended(&mut self) -> String {
        let status = self.engine.exit_status(LAST_WORDS_TIMEOUT);
        let how = status.map_or("it closed its output".to_string(), |status| status.to_string());
        self.engine.await_stderr(LAST_WORDS_TIMEOUT);
        let stderr = self.engine.stderr_tail();
        let stderr_line = stderr.lines().last().map_or(String::new(), |line| format!(": {}", shown(line)));
        format!("the engine ended after {} ({how}{stderr_line})", shown(&self.asked))
    }

    /// Waits for a line that begins with one of these words, as long as an answer may take.
    pub(super) fn until(&mut self, words: &[&str]) -> Result<Reply, Abort> {
        self.until_within(words, self.timeout)
    }

    /// Waits as [`Conversation::until`] does, within a time of its own.
    pub(super) fn until_within(&mut self, words: &[&str], limit: Duration) -> Result<Reply, Abort> {
        let asked = self.asked.clone();
        let sent = self.sent;
        let until = Instant::now() + limit;
        let mut before = Vec::new();
        while let Some(line) = self.receive(until)? {
            let text = line.text.trim();
            if text.split(' ').next().is_some_and(|word| words.contains(&word)) {
                // What kept this program from reading is not the engine's.
                let took =
                    line.at.saturating_duration_since(sent).saturating_sub(self.watch.stalls.delay_before(line.at));
                return Ok(Reply { text: text.to_string(), took, before });
            }
            // What an engine says that floods is in the transcript, as far as anybody wants to read it.
            if before.len() < 10_000 {
                before.push(line.text);
            }
        }
        fail(format_args!("no {} within {} s of {}", words[0], limit.as_secs_f64(), shown(&asked)))
    }

    /// Listens for a while and returns what was said.
    pub(super) fn collect(&mut self, time: Duration) -> Result<Vec<String>, Abort> {
        let until = Instant::now() + time;
        let mut lines = Vec::new();
        while let Some(line) = self.receive(until)? {
            if lines.len() < 10_000 {
                lines.push(line.text);
            }
        }
        Ok(lines)
    }

    /// Passes unless a search is answered within a time.
    pub(super) fn no_answer(&mut self, millis: u64, why: &str) -> Checked {
        let lines = self.collect(Duration::from_millis(millis))?;
        match lines.iter().find(|line| is_answer(line)) {
            None => PASSED,
            Some(line) => fail(format_args!("{} {why}", shown(line))),
        }
    }

    /// Fails if anything comes within a time but `info string`, and counts these lines.
    pub(super) fn only_info_strings(&mut self, millis: u64) -> Result<usize, Abort> {
        let lines = self.collect(Duration::from_millis(millis))?;
        match lines.iter().find(|line| !line.starts_with("info string")) {
            None => Ok(lines.len()),
            Some(line) => fail(format_args!("{} in answer to {}", shown(line), shown(&self.asked))),
        }
    }

    /// Sends a line that does no harm, and waits until the engine has dealt with it: what ends the engine is then this
    /// line, however slow it is. Fails if anything but `info string` comes, and counts these lines.
    pub(super) fn tolerates(&mut self, line: &str) -> Result<usize, Abort> {
        self.send(line);
        let reported = self.only_info_strings(60)?;
        self.send("isready");
        self.asked = line.to_string();
        let reply = self.until(&["readyok"])?;
        Ok(reported + reply.before.len())
    }

    /// Sends `usi` and reads the options.
    pub(super) fn handshake(&mut self) -> Result<Reply, Abort> {
        self.send("usi");
        let reply = self.until(&["usiok"])?;
        self.read_options(&reply);
        Ok(reply)
    }

    /// Reads the options out of the answer to `usi`.
    pub(super) fn read_options(&mut self, reply: &Reply) {
        let read = |line: &String| {
            let (name, kind) = line.trim().strip_prefix("option name ")?.split_once(" type ")?;
            Some(Listed { name: name.to_string(), kind: kind.to_string() })
        };
        self.options = reply.before.iter().filter_map(read).collect();
    }

    /// An option by its name in any case.
    pub(super) fn option(&self, name: &str) -> Option<&Listed> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// The option for the number of lines, as this engine calls it.
    pub(super) fn multi_pv(&self) -> Result<String, Abort> {
        let listed = self.option("MultiPV").or_else(|| self.option("USI_MultiPV"));
        listed.map(|option| option.name.clone()).ok_or_else(|| Abort::Skip("it lists no MultiPV".to_string()))
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.send(&format!("setoption name {name} value {value}"));
    }

    /// Asks whether it is ready and waits until it is.
    pub(super) fn ready(&mut self) -> Result<Reply, Abort> {
        self.send("isready");
        self.until(&["readyok"])
    }

    /// Sets up a position, searches it and waits for the answer, which must be legal. An engine that does not know the
    /// limit is given another one: this is for items that are not about it.
    pub(super) fn go(&mut self, position: &str, go: &str) -> Result<Reply, Abort> {
        let go = self.limits.adapt(go)?;
        self.go_exactly(position, &go)
    }

    /// Sets up a position, searches it as it is asked for and waits for the answer, which must be legal.
    pub(super) fn go_exactly(&mut self, position: &str, go: &str) -> Result<Reply, Abort> {
        self.send(&format!("{position}\n{go}"));
        self.best()
    }

    /// Waits for the answer to a search, which must be legal.
    pub(super) fn best(&mut self) -> Result<Reply, Abort> {
        self.best_within(self.timeout)
    }

    /// Waits as [`Conversation::best`] does, within a time of its own.
    pub(super) fn best_within(&mut self, limit: Duration) -> Result<Reply, Abort> {
        let reply = self.until_within(&["bestmove"], limit)?;
        self.illegal_move.take().map_or(Ok(reply), fail)
    }

    /// Stops a search and waits for its answer.
    pub(super) fn stop(&mut self) -> Result<Reply, Abort> {
        self.send("stop");
        self.best()
    }

    /// Begins a search that only `stop`, of a ponder `ponderhit` too, may end. Passes unless it is answered within a
    /// time.
    pub(super) fn begin(&mut self, position: &str, go: &str, millis: u64) -> Checked {
        self.send(&format!("{position}\n{go}"));
        self.no_answer(millis, if go.starts_with("go ponder") { "before ponderhit" } else { "before stop" })
    }

    /// Passes if it is ready and plays from the start position.
    pub(super) fn alive(&mut self) -> Checked {
        self.ready()?;
        let reply = self.go(START, "go nodes 500")?;
        match reply.best() {
            "resign" | "win" => fail(format_args!("{} in the start position", shown(&reply.text))),
            _ => PASSED,
        }
    }

    /// Reads the output that is left, before another item uses the engine.
    pub(super) fn drain(&mut self) -> Checked {
        self.no_answer(20, "though nothing was asked")
    }

    /// Waits for the engine to end, with code 0 in this time.
    pub(super) fn ends_within(&mut self, limit: Duration) -> Result<Duration, Abort> {
        let started = Instant::now();
        let status = self.exit_status(limit);
        match status {
            None => fail(format_args!("still running {} s after {}", limit.as_secs_f64(), shown(&self.asked))),
            Some(status) if status.success() => Ok(started.elapsed()),
            Some(status) => fail(format_args!("ended with {status} after {}", shown(&self.asked))),
        }
    }

    fn exit_status(&mut self, limit: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + limit;
        // Its output is read meanwhile: it could not end while its output waits to be read.
        while Instant::now() < until {
            match self.engine.line(Some(Instant::now() + Duration::from_millis(5))) {
                Ok(line) => self.check_line(&line),
                Err(NoLine::Late) => {}
                Err(NoLine::Closed) => break,
            }
            if let Some(status) = self.engine.exit_status(Duration::ZERO) {
                return Some(status);
            }
        }
        self.engine.exit_status(until.saturating_duration_since(Instant::now()))
    }

    /// Beginning of the engine's standard error.
    pub(super) fn stderr(&self) -> String {
        self.engine.stderr_head()
    }

    /// The number by which the system knows the engine.
    pub(super) fn id(&self) -> u32 {
        self.engine.id()
    }

    /// A search that the engine may leave without an answer is not waited for any longer.
    pub(super) fn forget_searches(&mut self) {
        self.checker = Checker::default();
        self.checker.command("stop");
    }
}

/// Tests whether a line answers a search.
pub(super) fn is_answer(line: &str) -> bool {
    matches!(line.split(' ').next(), Some("bestmove" | "checkmate"))
}

/// Tests whether an answer is no move, or no legal one.
fn is_illegal(fault: &ProtocolFault) -> bool {
    fault.place.starts_with("bestmove") && matches!(fault.rule, Rule::Move | Rule::Legal | Rule::Missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_an_engine_does_not_know_is_replaced_where_the_item_is_not_about_it() {
        let adapt = |limits: SearchLimits, go| match limits.adapt(go) {
            Ok(go) => go,
            Err(Abort::Skip(why)) => why,
            Err(_) => panic!("neither"),
        };
        let clock = SearchLimits { nodes: false, depth: false, movetime: false, byoyomi: true };
        assert_eq!(adapt(clock, "go nodes 500 fancy 7"), "go btime 0 wtime 0 byoyomi 100 fancy 7");
        assert_eq!(adapt(clock, "go searchmoves 1g1f nodes 9"), "go searchmoves 1g1f btime 0 wtime 0 byoyomi 100");
        assert_eq!(adapt(clock, "go movetime 200"), "go btime 0 wtime 0 byoyomi 200");
        assert_eq!(adapt(clock, "go btime 1 wtime 1 byoyomi 5"), "go btime 1 wtime 1 byoyomi 5");
        let nodes = SearchLimits { nodes: true, ..clock };
        assert_eq!(adapt(nodes, "go depth 4 searchmoves 5b5a"), "go nodes 5000 searchmoves 5b5a");
        assert_eq!(adapt(nodes, "go nodes 500"), "go nodes 500");
        let none = SearchLimits { byoyomi: false, ..clock };
        assert_eq!(adapt(none, "go nodes 500"), "not checked: it obeys neither nodes nor byoyomi");
        assert_eq!(adapt(none, "go infinite"), "go infinite");
    }
}
