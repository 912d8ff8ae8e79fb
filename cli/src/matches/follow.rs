//! `komainu match --merge --follow`: the parts of a match joined while they are played.

use super::arguments::Arguments;
use super::start::halt_on_interrupt;
use super::{check_joining, display, how_it_ended, write_report};
use crate::terminal::{Failure, complain, end_of_work, print_and_go_on, print_line, unless_gone};
use komainu::notation::json::GameLine;
use komainu_tools::arena::folder::{FolderError, MatchFolder, MatchJournal, save, write_whole};
use komainu_tools::arena::merge::Follower;
use komainu_tools::arena::plan::Plan;
use komainu_tools::arena::runner::Ended;
use komainu_tools::arena::stats::SprtDecision;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Time between two looks at the folders.
const TICK: Duration = Duration::from_millis(500);
/// The folders are left alone for as long as it took to read them, but no longer than this.
const MAX_REST: Duration = Duration::from_secs(5);
/// Times as long as a report takes, none is written again.
const REST: u32 = 9;

pub(crate) fn follow(arguments: &Arguments) -> Result<(), Failure> {
    // A flag that requires --merge would let it stand beside those that conflict with it.
    if arguments.merge.is_empty() {
        return Err(Failure::Usage("--follow: --merge is missing".into()));
    }
    check_joining(arguments)?;
    let stop = arguments.stop.path().map_or_else(|| arguments.run.out.join("stop"), PathBuf::from);
    let mut follower = Follower::new(&arguments.merge, &arguments.run.out);
    let mut output = FollowedOutput::begin(arguments, &mut follower)?;
    if stop.exists() && !arguments.run.resume.resume {
        let stop = stop.display();
        return Err(Failure::Usage(format!("--stop-file: {stop} is there already, and no worker plays while it is")));
    }
    let halt = halt_on_interrupt();
    let ended = loop {
        let started = Instant::now();
        follower.read()?;
        output.add(&follower)?;
        match ended(&follower) {
            Some(ended) => {
                write_whole(&stop, format!("{}\n", how_it_ended(&output.plan, ended)).as_bytes())?;
                break ended;
            }
            None if halt.load(Ordering::Relaxed) => break Ended::BrokenOff,
            None => output.report_if_due(&follower)?,
        }
        rest(started.elapsed().clamp(TICK, MAX_REST), &halt);
    };
    output.end(follower, ended)
}

/// End of the match, if it has one.
fn ended(follower: &Follower) -> Option<Ended> {
    match follower.decision {
        SprtDecision::Continue if follower.is_complete() => Some(Ended::Complete),
        SprtDecision::Continue => None,
        decision => Some(Ended::Decided(decision)),
    }
}

/// Waits, but not for long after an interrupt.
fn rest(time: Duration, halt: &AtomicBool) {
    let until = Instant::now() + time;
    while !halt.load(Ordering::Relaxed)
        && let Some(left) = until.checked_duration_since(Instant::now())
    {
        sleep(left.min(Duration::from_millis(50)));
    }
}

/// The folder of the joined match, which grows with its parts.
struct FollowedOutput<'a> {
    arguments: &'a Arguments,
    journal: Option<MatchJournal>,
    /// The plan as it was written.
    plan: Plan,
    /// Games in the journal.
    written: usize,
    /// Games in the report, and when it may be written again.
    reported: usize,
    report_at: Instant,
    /// Remarks that were printed.
    noted: Vec<String>,
}

impl<'a> FollowedOutput<'a> {
    /// Goes on with a folder, or checks that a new one may be made once there is a plan.
    fn begin(arguments: &'a Arguments, follower: &mut Follower) -> Result<FollowedOutput<'a>, Failure> {
        let out = &arguments.run.out;
        let plan = Plan::new(Vec::new(), 0);
        let report_at = Instant::now();
        let noted = Vec::new();
        let mut output = FollowedOutput { arguments, journal: None, plan, written: 0, reported: 0, report_at, noted };
        if arguments.run.resume.resume {
            let (journal, played) = MatchJournal::resume(out)?;
            for note in &played.notes {
                complain(format_args!("{}: {note}", MatchFolder::games_file(out).display()));
            }
            output.journal = Some(journal);
            output.written = played.games.len();
            follower.restore(played)?;
        } else if MatchJournal::exists(out) {
            return Err(FolderError::Exists(out.clone()).into());
        }
        Ok(output)
    }

    /// Writes the games that have come, and tells the figures if any has.
    fn add(&mut self, follower: &Follower) -> Result<(), Failure> {
        let Some(whole) = follower.union.whole() else { return Ok(()) };
        let out = &self.arguments.run.out;
        let mut plan = whole.plan.clone();
        self.arguments.set_records(&mut plan);
        let journal = match &mut self.journal {
            Some(journal) => journal,
            none => none.insert(MatchJournal::create(out, &plan)?),
        };
        if plan != self.plan {
            journal.write_plan(&plan)?;
            self.plan = plan;
        }
        let new: Vec<&GameLine> = whole.games[self.written..].iter().map(|game| &game.line).collect();
        if new.is_empty() {
            return Ok(());
        }
        for line in &new {
            save(out, line, &self.plan)?;
        }
        journal.add_all(&new)?;
        self.written = whole.games.len();
        for notice in follower.union.notices() {
            if !self.noted.contains(&notice) {
                print_and_go_on(format_args!("note: {notice}"))?;
                self.noted.push(notice);
            }
        }
        print_and_go_on(display::figures(&self.plan, &follower.ledger, self.written, follower.union.total()))
    }

    /// Writes page and summaries, if games have come and the last time is long enough ago.
    fn report_if_due(&mut self, follower: &Follower) -> Result<(), Failure> {
        let Some(whole) = follower.union.whole() else { return Ok(()) };
        let started = Instant::now();
        if whole.games.len() > self.reported && started >= self.report_at {
            write_report(&self.arguments.run.out, whole)?;
            self.reported = whole.games.len();
            self.report_at = Instant::now() + started.elapsed() * REST;
        }
        Ok(())
    }

    /// Writes the last report and prints the results.
    fn end(self, follower: Follower, ended: Ended) -> Result<(), Failure> {
        let total = follower.union.total();
        let Some(whole) = follower.into_whole() else {
            return end_of_work(print_line("interrupted before a match was there"), true);
        };
        let report = write_report(&self.arguments.run.out, &whole)?;
        let lines: Vec<GameLine> = whole.games.into_iter().map(|game| game.line).collect();
        unless_gone(display::Display::new(&self.plan, lines.len()).end(&lines))?;
        print_and_go_on(report)?;
        let is_interrupted = ended == Ended::BrokenOff;
        if is_interrupted {
            print_and_go_on(format_args!("interrupted after {} of {total} games; --resume goes on", lines.len()))?;
        } else {
            print_and_go_on(how_it_ended(&self.plan, ended))?;
        }
        end_of_work(print_line(display::last_line(&self.plan, &lines)), is_interrupted)
    }
}
