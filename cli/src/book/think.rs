//! `komainu book think`

use super::Output;
use super::graph::read_roots;
use crate::interrupt::Stop;
use crate::settings::{
    EvaluationSettings, HASH_HELP, PatienceSetting, Resume, SearchLimits, Share, StopFile, THREADS_HELP, megabytes,
    threads,
};
use crate::terminal::{
    Failure, check_memory_of_search, end_of_work, in_file, print_line, progress, start_workers, unless_gone,
};
use indicatif::ProgressBar;
use komainu::book::collect::Collected;
use komainu::book::stream::visit_entries;
use komainu::book::text::{Bad, TextReader, write_entry};
use komainu::book::write::BookPositions;
use komainu::book::{BookEntry, Candidate};
use komainu::host::lock;
use komainu::movegen::count;
use komainu::position::{GameRules, Position};
use komainu::storage::{Head, Journal};
use komainu::types::Counted;
use komainu_tools::analyst::{Analyst, External, Own, Program, Request, SearchLimit, SearchedLine};
use std::collections::HashSet;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Search positions and put the best moves with their values into a book
///
/// Positions are searched side by side, one thread each. What is done is kept in a file beside the book (--out with
/// .thinking behind it), so that --resume goes on after an interrupt. A position of the book that has as many moves at
/// that depth already is not searched again.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("positions_of").required(true))]
#[command(group = clap::ArgGroup::new("limit").args(SearchLimits::FLAGS).required(true))]
pub(super) struct Arguments {
    /// Book to read; its moves stay in the new one
    book: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
    /// Search the positions of the book
    #[arg(long, group = "positions_of", requires = "book")]
    from_book: bool,
    /// Search the positions of a file, one a line: a SFEN or `startpos moves ...`, as `book next` prints them
    #[arg(long, value_name = "FILE", group = "positions_of")]
    positions: Option<PathBuf>,
    #[command(flatten)]
    limits: SearchLimits,
    /// Best lines of each position
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=600))]
    multipv: u32,
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads(), help = THREADS_HELP)]
    threads: u32,
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = megabytes(), help = HASH_HELP)]
    hash: u32,
    #[command(flatten)]
    share: Share,
    #[command(flatten)]
    stop: StopFile,
    #[command(flatten)]
    resume: Resume,
    /// USI engine with its arguments, as a shell reads it, in place of the built-in one
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["eval_file", "fv_scale"])]
    engine: Option<String>,
    #[command(flatten)]
    patience: PatienceSetting,
    #[command(flatten)]
    evaluation: EvaluationSettings,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, output, .. } = arguments;
    output.format()?;
    let mut journal = ThinkJournal::open(&output.out, &description(arguments), arguments.resume.resume)?;
    let positions = wanted(arguments, &journal);
    let prepared = positions.and_then(|positions| Ok((arguments.analysts(positions.len())?, positions)));
    let (analysts, positions) = match prepared {
        Ok(prepared) => prepared,
        Err(failure) => {
            // Work that cannot begin leaves nothing that the next try would have to go on with.
            if journal.done().is_empty() {
                journal.remove()?;
            }
            return Err(failure);
        }
    };
    let stop = Stop::on_interrupt_or_file("the positions under way are searched to their end", &arguments.stop)?;
    let is_finished = think(analysts, &arguments.request(), &positions, &mut journal, &stop.flag)?;
    if !is_finished {
        let done = Counted(journal.done().len() as u64, "position");
        let printed = print_line(format_args!("{stop} after {done}; --resume goes on"));
        return end_of_work(printed, !stop.is_by_file());
    }
    let mut collector = output.collector(false, false)?;
    if let Some(book) = book {
        visit_entries::<Failure>(book, |entry| {
            collector.push(0, entry).map_err(in_file(&output.out))?;
            Ok(())
        })?;
    }
    journal.visit(|entry| {
        collector.push(1, entry).map_err(in_file(&output.out))?;
        Ok(())
    })?;
    let printed = output.write(&Thought(collector.finish().map_err(in_file(&output.out))?));
    unless_gone(printed)?;
    journal.remove()
}

impl Arguments {
    /// Those who search so many positions.
    fn analysts(&self, positions: usize) -> Result<Vec<Box<dyn Analyst>>, Failure> {
        let threads = if self.threads == 0 { komainu::system::cores() } else { self.threads as usize };
        (0..threads.min(positions)).map(|_| self.analyst()).collect()
    }

    /// Whoever searches: the engine itself, or another one.
    fn analyst(&self) -> Result<Box<dyn Analyst>, Failure> {
        let Some(command) = &self.engine else {
            check_memory_of_search()?;
            let evaluation = self.evaluation.load().map_err(Failure::Usage)?;
            return Ok(Box::new(Own::new(evaluation, 1, self.hash as usize, GameRules::default())));
        };
        let external = External::start(&Program {
            command: command.clone(),
            usual: vec![("USI_Hash".to_string(), self.hash.to_string())],
            wished: Vec::new(),
            lines: self.multipv as usize,
            setup: self.patience.setup(),
        });
        Ok(Box::new(external?))
    }

    /// The question about each position.
    fn request(&self) -> Request {
        let limit = self.limits.one().expect("a limit must be given");
        Request { limit, lines: self.multipv as usize, only: None, depth: None }
    }
}

/// The best moves of a position with their values, the best one first. Every position is searched for itself: the book
/// shall not depend on their order.
fn entry_of(analyst: &mut dyn Analyst, request: &Request, position: &Position) -> Result<BookEntry, Failure> {
    analyst.forget()?;
    let searched = analyst.search(position, request)?;
    let mut entry = BookEntry::new(position.without_history());
    entry.moves = searched.lines.iter().map(candidate).collect();
    entry.sort_moves();
    Ok(entry)
}

fn candidate(line: &SearchedLine) -> Candidate {
    Candidate {
        reply: line.pv.get(1).copied(),
        value: Some(line.score.book_value()),
        depth: line.depth,
        ..Candidate::new(line.first())
    }
}

/// Settings on which the values of the book depend: those of work that goes on are these.
fn description(arguments: &Arguments) -> String {
    let mut text = "komainu book think".to_string();
    if let Some((name, amount)) = arguments.limits.one().map(SearchLimit::named) {
        text.push_str(&format!(" {name} {amount}"));
    }
    text.push_str(&format!(" multipv {} hash {}", arguments.multipv, arguments.hash));
    if let Some(engine) = &arguments.engine {
        text.push_str(&format!(" engine {engine}"));
    }
    text
}

/// The positions that are still to be searched.
fn wanted(arguments: &Arguments, journal: &ThinkJournal) -> Result<Vec<Position>, Failure> {
    let mut known: HashSet<u64> = journal.done().clone();
    let lines = arguments.multipv as usize;
    let mut positions = Vec::new();
    if let Some(book) = &arguments.book {
        visit_entries::<Failure>(book, |mut entry| {
            entry.sort_moves();
            let depth = entry.moves.first().map_or(0, |best| best.depth);
            let has_lines = entry.moves.len() >= lines.min(count(&entry.position) as usize);
            // Only a search to a depth says before it begins what it will come to.
            let is_deep = arguments.limits.depth.is_some_and(|wanted| depth >= wanted) && has_lines;
            if is_deep {
                known.insert(entry.position.key().0);
            } else if arguments.from_book {
                positions.push(entry.position);
            }
            Ok(())
        })?;
    }
    if let Some(file) = &arguments.positions {
        positions.extend(read_roots(file)?.into_iter().map(|(_, position)| position.without_history()));
    }
    positions.retain(|position| {
        let key = position.key().0;
        arguments.share.shard.is_none_or(|shard| shard.takes(key)) && count(position) > 0 && known.insert(key)
    });
    Ok(positions)
}

/// Searches all positions; false if it was interrupted.
fn think(
    analysts: Vec<Box<dyn Analyst>>,
    request: &Request,
    positions: &[Position],
    journal: &mut ThinkJournal,
    stop: &AtomicBool,
) -> Result<bool, Failure> {
    let work = Work {
        request,
        positions,
        next: AtomicUsize::new(0),
        journal: Mutex::new(journal),
        failure: Mutex::new(None),
        stop,
        bar: progress::bar(positions.len() as u64, "positions"),
    };
    std::thread::scope(|scope| {
        let mut analysts = analysts.into_iter();
        start_workers(analysts.len(), |_, builder| {
            let mut analyst = analysts.next().expect("one for each worker");
            let work = &work;
            builder.spawn_scoped(scope, move || work.run(&mut *analyst))
        })
    })?;
    work.bar.finish_and_clear();
    match work.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(failure) => Err(failure),
        None => Ok(work.next.into_inner() >= positions.len() && !stop.load(Ordering::Relaxed)),
    }
}

/// What the workers share.
struct Work<'a> {
    request: &'a Request,
    positions: &'a [Position],
    /// The position that is searched next.
    next: AtomicUsize,
    journal: Mutex<&'a mut ThinkJournal>,
    /// The first failure, which ends the work.
    failure: Mutex<Option<Failure>>,
    stop: &'a AtomicBool,
    bar: ProgressBar,
}

impl Work<'_> {
    /// Searches positions until there are no more.
    fn run(&self, analyst: &mut dyn Analyst) {
        while !self.stop.load(Ordering::Relaxed) && self.failure().is_none() {
            let Some(position) = self.positions.get(self.next.fetch_add(1, Ordering::Relaxed)) else { break };
            if let Err(error) = self.search(analyst, position) {
                self.failure().get_or_insert(error);
            }
            self.bar.inc(1);
        }
    }

    fn search(&self, analyst: &mut dyn Analyst, position: &Position) -> Result<(), Failure> {
        let entry = entry_of(analyst, self.request, position)?;
        lock(&self.journal).append(&entry)
    }

    fn failure(&self) -> MutexGuard<'_, Option<Failure>> {
        lock(&self.failure)
    }
}

/// Positions that have been searched.
struct ThinkJournal {
    journal: Journal,
    done: HashSet<u64>,
}

impl ThinkJournal {
    /// Opens the journal of a book. What is there is gone on with or refused; a position that was being written when
    /// the program ended is dropped.
    fn open(out: &Path, description: &str, resume: bool) -> Result<ThinkJournal, Failure> {
        let path = journal_path(out);
        let mut journal = Journal::open(&path, resume)?;
        let head = format!("# {description}\n");
        let found = journal.begin(head.as_bytes())?;
        if found == Head::Other {
            let mut first = String::new();
            let read = journal.reader().and_then(|reader| reader.take(10_000).read_line(&mut first));
            // A first line that is no UTF-8 is none of a journal.
            let theirs = read.map_or("something else", |_| first.trim_end().trim_start_matches("# "));
            return Err(journal.other_settings(theirs, description).into());
        }
        let mut known = Vec::new();
        journal.reader().and_then(|mut reader| reader.read_to_end(&mut known)).map_err(in_file(&path))?;
        // Every position ends with a blank line.
        let whole = known.windows(2).rposition(|pair| pair == b"\n\n").map_or(head.len(), |at| at + 2);
        journal.keep(whole as u64)?;
        let mut journal = ThinkJournal { journal, done: HashSet::new() };
        let mut done = HashSet::new();
        journal.visit(|entry| {
            done.insert(entry.position.key().0);
            Ok(())
        })?;
        journal.done = done;
        Ok(journal)
    }

    /// The keys of the positions that have been searched.
    fn done(&self) -> &HashSet<u64> {
        &self.done
    }

    fn append(&mut self, entry: &BookEntry) -> Result<(), Failure> {
        let mut text = Vec::new();
        write_entry(&mut text, entry).and_then(|()| writeln!(text)).map_err(in_file(self.journal.path()))?;
        self.journal.append(&text)?;
        self.done.insert(entry.position.key().0);
        Ok(())
    }

    fn visit(&self, mut visit: impl FnMut(BookEntry) -> Result<(), Failure>) -> Result<(), Failure> {
        let path = self.journal.path();
        let mut reader = TextReader::new(self.journal.reader().map_err(in_file(path))?, Bad::Refuse);
        while let Some((entry, _)) = reader.next_entry().map_err(|fault| fault.in_file(path))? {
            visit(entry)?;
        }
        Ok(())
    }

    fn remove(self) -> Result<(), Failure> {
        Ok(self.journal.remove()?)
    }
}

/// A book, source 0, with what was thought of its positions, source 1: searched moves take the new values and keep
/// counts and comments, other moves stay as they are.
struct Thought(Collected);

impl BookPositions for Thought {
    fn visit(&self, visit: &mut dyn FnMut(BookEntry) -> io::Result<()>) -> io::Result<()> {
        let mut groups = self.0.pass()?;
        while let Some(entry) = groups.next_folded(renew)? {
            visit(entry)?;
        }
        Ok(())
    }
}

fn renew(entry: &mut BookEntry, thought: BookEntry) {
    for new in thought.moves {
        match entry.moves.iter_mut().find(|known| known.mv == new.mv) {
            Some(known) => {
                known.value = new.value;
                known.depth = new.depth;
                known.reply = new.reply.or(known.reply);
            }
            None => entry.moves.push(new),
        }
    }
}

/// The name of the file that keeps what is done.
fn journal_path(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".thinking");
    PathBuf::from(name)
}
