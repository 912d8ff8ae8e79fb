//! The opening book of a session: which files the options ask for, how they are opened, what is shown of them.

use super::options::{Options, printable, show_path};
use super::output::Output;
use crate::book::probe::{ProbeOptions, Proposal, Question, probe};
use crate::book::{Book, BookError, BookSet, Candidate, INTERNAL, OnTheFly, book_files};
use crate::host::seed;
use crate::notation::score::{InfoScore, ReportedScore};
use crate::protocol::{BestMove, Info};
use crate::random::SplitMix64;
use crate::types::Counted;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The least and the largest score that a book may show: beyond are mates, of which it knows no length.
const MAX_SHOWN: i32 = 30_000;

/// Source of the book that the options ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BookSource {
    /// The name of the file; empty for no book, [`INTERNAL`] for the one that is built in.
    name: String,
    folder: String,
    on_the_fly: OnTheFly,
}

impl BookSource {
    /// Source that these options ask for.
    pub(crate) fn of(options: &Options) -> BookSource {
        let is_none =
            |name: &str| ["", "<empty>", "<none>", "no_book"].iter().any(|&word| name.eq_ignore_ascii_case(word));
        if !options.own_book || is_none(&options.book_file) {
            return BookSource::default();
        }
        if options.book_file.eq_ignore_ascii_case(INTERNAL) {
            return BookSource { name: INTERNAL.to_string(), ..BookSource::default() };
        }
        let folder = if options.book_dir == "<empty>" { String::new() } else { options.book_dir.clone() };
        BookSource { name: options.book_file.clone(), folder, on_the_fly: options.book_on_the_fly }
    }

    /// Tests whether the book that is built in is meant.
    fn is_internal(&self) -> bool {
        self.name == INTERNAL
    }

    /// Where the file is looked for, the first place first: the folder of books beside the program, the folder of the
    /// program, the folder of books in the working directory, the working directory.
    fn places(&self) -> Vec<PathBuf> {
        if self.is_internal() {
            return vec![PathBuf::from(INTERNAL)];
        }
        let program = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
        let roots = [program, std::env::current_dir().ok()];
        let mut places = Vec::new();
        for root in roots.into_iter().flatten() {
            for place in [root.join(&self.folder).join(&self.name), root.join(&self.name)] {
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        places
    }
}

/// Books that are to be opened.
pub(crate) struct BookJob {
    source: BookSource,
    /// Files that are read whole, since their positions are out of order.
    whole: Vec<PathBuf>,
}

impl BookJob {
    /// Opens the files.
    pub(crate) fn load(self) -> LoadedBook {
        let mut loaded = LoadedBook { source: self.source, ..LoadedBook::default() };
        if loaded.source.name.is_empty() {
            return loaded;
        }
        let places = loaded.source.places();
        let Some(files) = places.iter().map(|place| book_files(place)).find(|files| !files.is_empty()) else {
            let tried: Vec<String> = places.iter().map(|place| show_path(place)).collect();
            loaded.info_strings.push(format!("error: BookFile: no file {}; there is no book", tried.join(", ")));
            return loaded;
        };
        // Taken before the reading: a change in between is seen at the next `isready`.
        loaded.stamps = files.iter().map(|file| stamp(file)).collect();
        let (mut books, mut errors) = BookSet::open(&files, loaded.source.on_the_fly);
        for file in self.whole.iter().filter(|file| files.contains(file)) {
            errors.extend(books.reread(file).err());
        }
        loaded.info_strings.extend(books.books().iter().map(described));
        loaded.info_strings.extend(errors.iter().map(|error| format!("{}; it is not used", in_words(error))));
        loaded.books = books;
        loaded
    }
}

/// A file with its length and the time of its last change.
type Stamp = (PathBuf, Option<(u64, Option<SystemTime>)>);

fn stamp(file: &Path) -> Stamp {
    let found = fs::metadata(file).ok().map(|found| (found.len(), found.modified().ok()));
    (file.to_path_buf(), found)
}

/// Opened books, and what there is to say about them.
#[derive(Default)]
pub(crate) struct LoadedBook {
    source: BookSource,
    books: BookSet,
    stamps: Vec<Stamp>,
    info_strings: Vec<String>,
}

fn described(book: &Book) -> String {
    let mut text = format!("book {}: {book}", show_path(book.path()));
    if let Some((lines, first)) = book.skipped() {
        _ = write!(text, "; {} passed over, the first: {}", Counted(lines, "line"), printable(first));
    }
    text
}

/// `error: BookFile: FILE: ...`
fn in_words(error: &BookError) -> String {
    let fault = printable(&error.fault.to_string());
    format!("error: BookFile: {}: {fault}", show_path(&error.path))
}

/// An answer without a search.
#[derive(Debug)]
pub(crate) struct HeldAnswer {
    /// The line that stands before `bestmove`, if anything is claimed.
    pub(crate) line: Option<Info>,
    /// The answer.
    pub(crate) bestmove: BestMove,
}

/// The books of a session.
pub(crate) struct OpeningBook {
    loaded: LoadedBook,
    /// They are to be opened again although the options are the same.
    is_stale: bool,
    /// Files in which a look-up has found positions out of order.
    out_of_order: Vec<PathBuf>,
    random: SplitMix64,
}

impl OpeningBook {
    /// No book.
    pub(crate) fn new() -> OpeningBook {
        let random = SplitMix64(seed());
        OpeningBook { loaded: LoadedBook::default(), is_stale: false, out_of_order: Vec::new(), random }
    }

    /// Tests whether it is the one that is built in.
    pub(crate) fn is_internal(&self) -> bool {
        self.loaded.source.is_internal()
    }

    /// Books that are to be opened, if they are other than those that are open.
    pub(crate) fn wanted(&self, options: &Options) -> Option<BookJob> {
        let source = BookSource::of(options);
        let is_wanted = self.is_stale || source != self.loaded.source;
        if is_wanted { Some(BookJob { source, whole: self.out_of_order.clone() }) } else { None }
    }

    /// Takes books in, and says what they are.
    pub(crate) fn take(&mut self, loaded: LoadedBook, out: &Output) {
        for info_string in &loaded.info_strings {
            out.info_string(info_string);
        }
        self.loaded = loaded;
        self.is_stale = false;
    }

    /// Before a game: a book that could not be used, that has changed, or that must be read whole is to be opened
    /// again.
    pub(crate) fn look_again(&mut self) {
        let LoadedBook { source, books, stamps, .. } = &self.loaded;
        if source.name.is_empty() {
            return;
        }
        let has_changed = stamps.iter().any(|known| *known != stamp(&known.0));
        if has_changed {
            self.out_of_order.clear();
        }
        self.is_stale |= has_changed || stamps.is_empty() || books.books().len() < stamps.len();
    }

    /// Asks the books; what goes wrong is told, once for books that are out of order.
    pub(crate) fn probe(&mut self, options: &Options, mut question: Question, out: &Output) -> Option<Proposal> {
        if self.loaded.books.is_empty() {
            return None;
        }
        question.random = [self.random.next_u64(), self.random.next_u64()];
        // All moves of the built-in book have a value, and none was counted.
        let options = ProbeOptions { by_value: self.is_internal() && !options.book.by_count, ..options.book };
        match probe(&self.loaded.books, &options, &question) {
            Ok(proposal) => proposal,
            Err(error) if error.is_about_order() => {
                if !self.out_of_order.contains(&error.path) {
                    out.info_string(format_args!("{}; it is read whole at the next isready", in_words(&error)));
                    self.out_of_order.push(error.path);
                    self.is_stale = true;
                }
                None
            }
            Err(error) => {
                out.info_string(in_words(&error));
                None
            }
        }
    }
}

/// Tells what the book says of the position: its moves, and what left some of them out.
pub(crate) fn print_moves(proposal: &Proposal, out: &Output) {
    for mv in &proposal.illegal {
        out.info_string(format_args!("book: {mv} is not legal here"));
    }
    for (candidate, share) in &proposal.candidates {
        let Candidate { mv, value, depth, count, .. } = candidate;
        let mut line = format!("book {mv} {}.{}%", share / 10, share % 10);
        if let Some(value) = value {
            _ = write!(line, " value {value}");
        }
        out.info_string(format_args!("{line} depth {depth} count {count}"));
    }
    for filter in &proposal.filters {
        out.info_string(format_args!("book: {filter}"));
    }
}

/// Shows the moves as lines of an analysis if several are wanted, and makes the answer.
///
/// The moves come with depths of their own, but the lines of one analysis have one depth: so only the line of the move
/// that is played, which comes last, tells its depth.
pub(crate) fn answer(
    proposal: &Proposal,
    depth_limit: Option<u64>,
    options: &Options,
    out: &Output,
) -> Option<HeldAnswer> {
    let chosen = proposal.chosen()?;
    if proposal.candidates.len() > 1 && options.multi_pv > 1 {
        for (place, (candidate, _)) in proposal.candidates.iter().enumerate() {
            let score = candidate.value.map(shown_score);
            out.line(Info { multi_pv: Some(place as u32 + 1), score, pv: vec![candidate.mv], ..Info::default() });
        }
    }
    let depth = u64::from(chosen.depth).min(depth_limit.unwrap_or(u64::MAX)).max(1);
    let line = Info {
        depth: Some(depth as u32),
        time: Some(Duration::ZERO),
        nodes: Some(0),
        nps: Some(0),
        hashfull: Some(0),
        score: Some(shown_score(chosen.value_or_zero())),
        pv: proposal.line.clone(),
        ..Info::default()
    };
    let reply = if options.ponder { proposal.ponder() } else { None };
    Some(HeldAnswer { line: Some(line), bestmove: BestMove::Move(chosen.mv, reply) })
}

/// The value of a move as a score that a book may show.
fn shown_score(value: i32) -> InfoScore {
    InfoScore::Exact(ReportedScore::Centipawns(value.clamp(-MAX_SHOWN, MAX_SHOWN)))
}
