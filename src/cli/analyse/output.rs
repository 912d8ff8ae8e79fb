//! The files of analysed games.

use super::Game;
use super::arguments::{Output, Setup};
use crate::analysis::{Assessment, GameFacts, annotate_csa, annotate_kif, to_json};
use crate::cli::convert::Encoding;
use crate::cli::sources::{SourceFile, refuse_to_overwrite};
use crate::cli::{Failure, complain, in_file};
use crate::notation::encoding::encode_cp932;
use crate::storage::write_whole;
use std::fs;
use std::path::{Path, PathBuf};

/// What is kept of a game that was written.
pub(super) struct FinishedGame {
    /// Moves with a label.
    pub(super) labels: usize,
}

/// The file of a game in one of the formats.
fn path_of(setup: &Setup, game: &Game, output: Output) -> PathBuf {
    let extension = match (output, setup.encoding) {
        (Output::Kif, Encoding::Utf8) => "kifu",
        (Output::Kif, Encoding::Cp932) => "kif",
        (Output::Csa, _) => "csa",
        (Output::Json, _) => "json",
    };
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

/// Writes all files of a game.
pub(super) fn write_game_files(setup: &Setup, game: &Game, assessment: &Assessment) -> Result<FinishedGame, Failure> {
    let (record, text) = (game.record(), game.source.text.as_ref());
    let facts = GameFacts {
        source: game.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        fault: game.source.fault.clone(),
        ..setup.facts.clone()
    };
    let reasons: Vec<Vec<String>> = vec![Vec::new(); record.moves.len()];
    for &output in &setup.formats {
        let bytes = match output {
            Output::Kif => kif_bytes(setup, game, annotate_kif(record, text, assessment, &setup.annotate)),
            Output::Csa => annotate_csa(record, text, assessment, &setup.annotate).into_bytes(),
            Output::Json => to_json(record, assessment, setup.study.curve, &facts, &reasons).into_bytes(),
        };
        write(&path_of(setup, game, output), &bytes)?;
    }
    Ok(FinishedGame { labels: assessment.labels() })
}

fn kif_bytes(setup: &Setup, game: &Game, text: String) -> Vec<u8> {
    if setup.encoding == Encoding::Utf8 {
        return text.into_bytes();
    }
    let encoded = encode_cp932(&text);
    if !encoded.lost.is_empty() {
        let lost: String = encoded.lost.iter().collect();
        complain(format_args!("{}: CP932 has no {lost}: 〓 stands for them", game.name));
    }
    encoded.bytes
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(in_file(folder))?;
    }
    write_whole(path, bytes).map_err(in_file(path))
}
