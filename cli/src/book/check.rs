//! `komainu book check`

use super::{BookProgress, Memory, collector, folder_of, format_of, print_written, write_file};
use crate::terminal::{Failure, in_file, print_and_go_on, print_line, unless_gone, verdict};
use komainu::book::check::{CheckReport, check_book};
use komainu::book::text::{Bad, TextReader};
use komainu::book::{BookEntry, BookFormat, stream::visit_entries};
use komainu::host::open_file;
use komainu::movegen::is_legal;
use komainu::types::Counted;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Name everything that is wrong with a book: lines, illegal moves, order, duplicates, values
///
/// Exit code 1 if anything is. With --fix, a sorted book without what is wrong is written.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Book to check
    book: PathBuf,
    /// Write what is right as a book; its ending tells the format
    #[arg(long, value_name = "FILE")]
    fix: Option<PathBuf>,
    /// Name at most N faults
    #[arg(long, value_name = "N", default_value_t = 100)]
    faults: u64,
    #[command(flatten)]
    memory: Memory,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, fix, faults, memory } = arguments;
    let mut named = 0;
    let mut result = Ok(());
    let folder = fix.as_deref().map_or(std::env::temp_dir(), |fix| folder_of(fix).to_path_buf());
    let progress = BookProgress::new("");
    let report = check_book(book, &folder, memory.bytes(), &mut |fault| {
        named += 1;
        if named <= *faults && result.is_ok() {
            result = progress.0.suspend(|| print_and_go_on(format_args!("{}: {fault}", book.display())));
        }
    })?;
    drop(progress);
    result?;
    let CheckReport { positions, moves, faults: wrong, odd_plies } = report;
    if wrong > *faults {
        print_and_go_on(format_args!("and {} more", wrong - faults))?;
    }
    if odd_plies > 0 {
        let odd = Counted(odd_plies, "position");
        print_and_go_on(format_args!("{odd} with a ply that does not fit the side to move: use with IgnoreBookPly"))?;
    }
    let printed = print_line(format_args!("{positions} positions, {moves} moves, {}", Counted(wrong, "fault")));
    match fix {
        Some(fix) => {
            unless_gone(printed)?;
            mend(book, fix, memory)
        }
        None => verdict(printed, wrong > 0),
    }
}

/// Writes what is right.
fn mend(book: &Path, fix: &Path, memory: &Memory) -> Result<(), Failure> {
    let format = format_of(fix)?;
    let mut collector = collector(fix, memory, format.order(), false, false);
    let progress = BookProgress::new("positions read");
    let mut push = |mut entry: BookEntry| {
        progress.step();
        entry.merge_repeated();
        entry.moves.retain(|candidate| is_legal(&entry.position, candidate.mv));
        for candidate in &mut entry.moves {
            let after = entry.position.after(candidate.mv);
            candidate.reply = candidate.reply.filter(|&reply| is_legal(&after, reply));
            candidate.value = candidate.value.map(|value| value.clamp(-32_000, 32_000));
        }
        collector.push(0, entry).map_err(in_file(fix))?;
        Ok(())
    };
    if is_text(book)? {
        let file = open_file(book).map_err(in_file(book))?;
        let mut reader = TextReader::new(BufReader::with_capacity(1 << 20, file), Bad::Skip);
        while let Some((entry, _)) = reader.next_entry().map_err(|fault| fault.in_file(book))? {
            push(entry)?;
        }
    } else {
        visit_entries::<Failure>(book, push)?;
    }
    let collected = collector.finish().map_err(in_file(fix))?;
    drop(progress);
    print_written(write_file(fix, format, &collected)?, format.ending())
}

fn is_text(book: &Path) -> Result<bool, Failure> {
    let mut head = Vec::new();
    let file = open_file(book).map_err(in_file(book))?;
    let length = file.metadata().map_err(in_file(book))?.len();
    file.take(512).read_to_end(&mut head).map_err(in_file(book))?;
    Ok(BookFormat::of(&head, length) == Some(BookFormat::Text))
}
