//! The files of analysed games.

use super::Game;
use super::arguments::Setup;
use crate::sources::refuse_to_overwrite;
use crate::terminal::{Failure, complain, write_file};
use komainu::games::SourceFile;
use komainu_tools::analysis::{
    AnnotateSettings, Assessment, GameFacts, GameNames, IndexedGame, PageState, annotate_csa, annotate_kif, game_page,
    index_page, puzzle_file, puzzles, to_json,
};
use komainu_tools::page::address;
use komainu_tools::settings::RecordFormat;
use serde_json::Value;
use std::path::PathBuf;

/// Remains of a game that was written.
pub(super) struct FinishedGame {
    pub(super) labels: usize,
    pub(super) indexed: IndexedGame,
    pub(super) puzzles: Vec<Value>,
}

/// The page of all games.
const INDEX: &str = "index.html";

/// The file of a game in one of the formats.
fn path_of(setup: &Setup, game: &Game, output: RecordFormat) -> PathBuf {
    let extension = output.extension(setup.encoding);
    setup.out.join(format!("{}.{extension}", game.name))
}

/// Nothing is written over a record that is read; that is found out before the search and not after it.
pub(super) fn refuse_to_overwrite_sources(setup: &Setup, games: &[Game], files: &[SourceFile]) -> Result<(), Failure> {
    for game in games {
        for &output in &setup.formats {
            refuse_to_overwrite(&path_of(setup, game, output), files)?;
        }
    }
    Ok(())
}

/// Facts about a game, and how its record is annotated.
fn settings_of(setup: &Setup, game: &Game) -> (GameFacts, AnnotateSettings) {
    let names = GameNames::of(game.record());
    let facts = GameFacts {
        source: game.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        fault: game.source.fault.clone(),
        openings: names.openings.clone(),
        castles: names.castles.clone(),
        ..setup.facts.clone()
    };
    (facts, AnnotateSettings { opening: names.header(), ..setup.annotate.clone() })
}

/// Writes the page of a game, whose analysis may be running still.
pub(super) fn write_page(setup: &Setup, game: &Game, assessment: &Assessment, is_running: bool) -> Result<(), Failure> {
    let (facts, annotate) = settings_of(setup, game);
    let record = game.record();
    let kif = annotate_kif(record, game.source.text.as_ref(), assessment, &annotate);
    let back = setup.has_index.then(|| "../".repeat(game.name.matches('/').count()) + INDEX);
    let state = PageState { kif: &kif, index: back.as_deref(), is_running };
    let page = game_page(record, assessment, setup.study.curve, &facts, state);
    write_file(&path_of(setup, game, RecordFormat::Html), page.as_bytes())
}

/// Writes all files of a game.
pub(super) fn write_game_files(setup: &Setup, game: &Game, assessment: &Assessment) -> Result<FinishedGame, Failure> {
    let record = game.record();
    let text = game.source.text.as_ref();
    let (facts, annotate) = settings_of(setup, game);
    let curve = setup.study.curve;
    for &output in &setup.formats {
        let bytes = match output {
            RecordFormat::Csa => annotate_csa(record, text, assessment, &annotate).into_bytes(),
            RecordFormat::Json => to_json(record, assessment, curve, &facts).into_bytes(),
            RecordFormat::Html => {
                write_page(setup, game, assessment, false)?;
                continue;
            }
            _ => kif_bytes(setup, game, output, &annotate_kif(record, text, assessment, &annotate)),
        };
        write_file(&path_of(setup, game, output), &bytes)?;
    }
    let page = address(&format!("{}.html", game.name));
    let indexed = IndexedGame::of(&game.name, page, record, assessment, &facts);
    let puzzles = match setup.puzzles {
        Some(_) => puzzles(record, assessment, curve, &game.path.to_string_lossy()),
        None => Vec::new(),
    };
    Ok(FinishedGame { labels: assessment.labels(), indexed, puzzles })
}

fn kif_bytes(setup: &Setup, game: &Game, format: RecordFormat, text: &str) -> Vec<u8> {
    let (bytes, lost) = format.encoded(text, setup.encoding);
    if !lost.is_empty() {
        complain(format_args!("{}: CP932 has no {lost}: 〓 stands for them", game.name));
    }
    bytes
}

/// Writes what is about all games together.
pub(super) fn write_collections(setup: &Setup, games: &[FinishedGame]) -> Result<(), Failure> {
    if let Some(path) = &setup.puzzles {
        let problems = games.iter().flat_map(|game| game.puzzles.iter().cloned()).collect();
        let text = puzzle_file(&setup.facts.engine, setup.study.lines, setup.study.curve, problems);
        write_file(path, text.as_bytes())?;
    }
    if !setup.has_index {
        return Ok(());
    }
    let indexed: Vec<IndexedGame> = games.iter().map(|game| game.indexed.clone()).collect();
    let page = index_page(&indexed, &setup.facts, setup.study.curve);
    write_file(&setup.out.join(INDEX), page.as_bytes())
}
