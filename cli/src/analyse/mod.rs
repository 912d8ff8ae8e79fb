//! `komainu analyse`: games through the search.

mod arguments;
mod graph;
mod output;
mod work;

pub(crate) use arguments::Arguments;

use super::interrupt::stop_on_interrupt;
use super::sources::leave_out_results;
use crate::terminal::{Failure, complain, end_of_work, print_line};
use arguments::Setup;
use komainu::games::{NamedGame, SourceFile, SourceGame, SourceReader, source_files};
use komainu::notation::record::GameRecord;
use komainu::notation::usi::write_game;
use komainu::types::Counted;
use komainu_tools::analysis::{AnalysisJournal, StudyGame, is_analysed};
use komainu_tools::settings::RecordFormat;
use std::fs;
use std::path::PathBuf;

/// A game that is analysed.
struct Game {
    /// Name of its files, a path below the output folder.
    name: String,
    source: SourceGame,
    /// The file that it is from.
    path: PathBuf,
    study: StudyGame,
    /// Checksum of its start and moves, by which the journal knows it.
    sum: u32,
}

impl Game {
    fn record(&self) -> &GameRecord {
        &self.source.record
    }
}

/// The name of the journal in the output folder.
const JOURNAL: &str = "analysis.jsonl";

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut setup = Setup::of(arguments)?;
    let mut files = source_files(&arguments.games)?;
    leave_out_results(&mut files, &arguments.games, &setup.out);
    let mut reader = SourceReader::default();
    let games = read_games(arguments, &files, &mut reader)?;
    setup.has_index = games.len() > 1 && setup.formats.contains(&RecordFormat::Html);
    output::refuse_to_overwrite_sources(&setup, &games, &files)?;
    fs::create_dir_all(&setup.out).map_err(crate::terminal::in_file(&setup.out))?;
    let journal = AnalysisJournal::open(&setup.out.join(JOURNAL), &setup.description, arguments.resume.resume)?;
    let stop = stop_on_interrupt("the positions under way are searched to their end");
    let done = work::analyse(&setup, &games, journal, &stop)?;
    if !done.is_whole {
        let after = Counted(done.positions, "position");
        return end_of_work(print_line(format_args!("interrupted after {after}; --resume goes on")), true);
    }
    output::write_collections(&setup, &done.games)?;
    let labels: usize = done.games.iter().map(|game| game.labels).sum();
    print_line(format_args!(
        "{}, {}, {}",
        Counted(games.len() as u64, "game"),
        Counted(done.positions, "position"),
        Counted(labels as u64, "label")
    ))?;
    if reader.faults == 0 { Ok(()) } else { Err(Failure::CheckFailed) }
}

fn read_games(arguments: &Arguments, files: &[SourceFile], reader: &mut SourceReader) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    let mut skipped = 0;
    let mut take = |file: &SourceFile, named: NamedGame| {
        let record = &named.game.record;
        if arguments.skip_analysed && is_analysed(record) {
            skipped += 1;
            return Ok(());
        }
        let study = StudyGame { start: record.start.clone(), moves: record.moves.iter().map(|made| made.mv).collect() };
        let sum = crc32fast::hash(write_game(record).as_bytes());
        games.push(Game { name: named.name, source: named.game, path: file.path.clone(), study, sum });
        Ok::<(), Failure>(())
    };
    reader.visit(files, &|text| complain(text), &mut take)?;
    if skipped > 0 {
        complain(format_args!("{} analysed already: passed over", Counted(skipped, "game")));
    }
    Ok(games)
}
