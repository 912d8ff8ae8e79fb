//! `komainu convert`: records from one format to another.

use super::sources::refuse_to_overwrite;
use crate::cli::terminal::{Failure, complain, in_file, of_output, print_line};
use crate::games::{NamedGame, SourceFile, SourceReader, source_files};
use crate::notation::csa::CsaVersion;
use crate::notation::record::{GameRecord, RecordMove};
use crate::notation::usi::write_game;
use crate::notation::{Format, csa, jkf};
use crate::settings::{EncodingSetting, RecordFormat, one_of};
use crate::storage::write_whole;
use crate::types::{Counted, Printable};
use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Convert records of games from one format to another
///
/// Read are KIF, KI2, CSA, JSON (JKF), lines of USI (`startpos moves ...`), and games of `komainu match` (.jsonl), in
/// UTF-8 or CP932; of a folder all of them. What the new format has no place for is told once on standard error. A
/// record with a fault is converted up to it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of games, and folders of them; - for the standard input
    #[arg(required = true, value_name = "IN")]
    games: Vec<PathBuf>,
    /// Format to write: csa2 is version 2.2, with whole seconds; usi the moves, sfen the last position, one game a line
    #[arg(long, value_name = "FORMAT", default_value = "kif", value_parser = one_of(&TARGETS))]
    to: RecordFormat,
    /// File or folder to write; without it standard output
    #[arg(long, value_name = "DIR|FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    encoding: EncodingSetting,
}

/// The formats that records are converted to.
const TARGETS: [RecordFormat; 7] = [
    RecordFormat::Kif,
    RecordFormat::Ki2,
    RecordFormat::Csa,
    RecordFormat::Csa2,
    RecordFormat::Usi,
    RecordFormat::Sfen,
    RecordFormat::Json,
];

fn name(format: RecordFormat) -> &'static str {
    match format {
        RecordFormat::Ki2 => "KI2",
        RecordFormat::Csa | RecordFormat::Csa2 => "CSA",
        RecordFormat::Usi => "USI",
        RecordFormat::Sfen => "SFEN",
        RecordFormat::Json => "JSON",
        _ => "KIF",
    }
}

/// Tells whether each game is a line, so that a file can hold many.
fn is_line(format: RecordFormat) -> bool {
    matches!(format, RecordFormat::Usi | RecordFormat::Sfen)
}

fn write(format: RecordFormat, record: &GameRecord) -> String {
    match format {
        RecordFormat::Ki2 => Format::Ki2.write(record),
        RecordFormat::Csa => csa::write(record),
        RecordFormat::Csa2 => csa::write_version(record, CsaVersion::V2_2),
        RecordFormat::Usi => write_game(record) + "\n",
        RecordFormat::Sfen => {
            let mut pos = record.start.clone();
            record.moves.iter().for_each(|made| pos.do_move(made.mv));
            pos.to_sfen() + "\n"
        }
        RecordFormat::Json => jkf::write(record),
        _ => Format::Kif.write(record),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = source_files(&arguments.games)?;
    let mut reader = SourceReader::default();
    let games = reader.read(&files, &|text| complain(text))?;
    tell_losses(arguments.to, &games);
    let count = Counted(games.len() as u64, "game");
    match &arguments.out {
        _ if games.is_empty() && reader.faults > 0 => {}
        None => to_stdout(arguments, &games)?,
        Some(out) => {
            let written = to_files(arguments, out, &games, &files)?;
            print_line(format_args!("{count}, {}", Counted(written as u64, "file")))?;
        }
    }
    if reader.faults == 0 { Ok(()) } else { Err(Failure::CheckFailed) }
}

fn to_stdout(arguments: &Arguments, games: &[NamedGame]) -> Result<(), Failure> {
    let Arguments { to, encoding, .. } = arguments;
    if games.len() > 1 && !is_line(*to) && !matches!(to, RecordFormat::Csa | RecordFormat::Csa2) {
        let count = games.len();
        return Err(Failure::Usage(format!("{count} games need a folder: --out DIR (USI, SFEN and CSA hold many)")));
    }
    let texts: Vec<String> = games.iter().map(|game| write(*to, &game.game.record)).collect();
    let bytes = encoded(&texts.join(if is_line(*to) { "" } else { "/\n" }), *to, *encoding);
    let mut output = std::io::stdout();
    let shown = String::from_utf8(bytes);
    match shown {
        // For eyes, not for a file.
        Ok(text) if output.is_terminal() => write!(output, "{}", Printable(&text)).map_err(of_output),
        Ok(text) => output.write_all(text.as_bytes()).map_err(of_output),
        Err(other) => output.write_all(other.as_bytes()).map_err(of_output),
    }
}

/// Writes the games; returns the number of files.
fn to_files(arguments: &Arguments, out: &Path, games: &[NamedGame], files: &[SourceFile]) -> Result<usize, Failure> {
    let Arguments { to, encoding, .. } = arguments;
    let is_file = !out.is_dir() && out.extension().is_some() && !ends_as_folder(out);
    if is_file && (games.len() == 1 || is_line(*to)) {
        let text: String = games.iter().map(|game| write(*to, &game.game.record)).collect();
        write_file(out, &encoded(&text, *to, *encoding), files)?;
        return Ok(1);
    }
    if is_file {
        return Err(Failure::Usage(format!("--out {}: {} games need a folder", out.display(), games.len())));
    }
    for game in games {
        let path = out.join(format!("{}.{}", game.name, to.extension(encoding.get())));
        write_file(&path, &encoded(&write(*to, &game.game.record), *to, *encoding), files)?;
    }
    Ok(games.len())
}

fn ends_as_folder(path: &Path) -> bool {
    path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// Writes a file, and the folders that lead to it.
fn write_file(path: &Path, bytes: &[u8], files: &[SourceFile]) -> Result<(), Failure> {
    refuse_to_overwrite(path, files)?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(in_file(folder))?;
    }
    write_whole(path, bytes).map_err(in_file(path))
}

/// The text in the encoding that is wanted.
fn encoded(text: &str, to: RecordFormat, encoding: EncodingSetting) -> Vec<u8> {
    let (bytes, lost) = to.encoded(text, encoding.get());
    if !lost.is_empty() {
        complain(format_args!("CP932 has no {lost}: 〓 stands for them"));
    }
    bytes
}

/// Says once for each kind of thing that the format has no place for it, and how many games had it.
fn tell_losses(to: RecordFormat, games: &[NamedGame]) {
    let mut losses: BTreeMap<&str, usize> = BTreeMap::new();
    for game in games {
        for what in lost(to, &game.game.record) {
            *losses.entry(what).or_default() += 1;
        }
    }
    for (what, count) in losses {
        complain(format_args!("{} has no {what}: left out of {}", name(to), Counted(count as u64, "game")));
    }
}

/// Tells whether a word for the end, beside what it means, has no place in the format.
fn loses_end_word(to: RecordFormat, record: &GameRecord) -> bool {
    let is_kept = to == RecordFormat::Kif || to == RecordFormat::Json && record.conclusion.is_none();
    record.end_word.is_some() && !is_kept
}

/// Parts of a record that the format cannot hold.
fn lost(to: RecordFormat, record: &GameRecord) -> Vec<&'static str> {
    let times = || record.moves.iter().filter_map(|made| made.spent);
    let comments = !record.comments.is_empty() || record.moves.iter().any(|made| !made.comments.is_empty());
    let headers = !record.headers.is_empty()
        || record.players.iter().chain([&record.event, &record.site, &record.started]).any(Option::is_some);
    let bare = is_line(to);
    let variation = |line: &[RecordMove]| !line.is_empty();
    [
        ("times", (bare || to == RecordFormat::Ki2) && times().next().is_some()),
        (
            "fractions of seconds",
            matches!(to, RecordFormat::Kif | RecordFormat::Csa2 | RecordFormat::Json)
                && times().any(|time| time.subsec_millis() > 0),
        ),
        ("comments", bare && comments),
        ("headers", bare && headers),
        ("end of a game", bare && record.conclusion.is_some()),
        (
            "variations",
            (bare || matches!(to, RecordFormat::Csa | RecordFormat::Csa2))
                && record.variations.iter().any(|line| variation(&line.moves)),
        ),
        ("variations within more than 40 others", to == RecordFormat::Json && !jkf::holds_variations(record)),
        ("words for the end that it does not know", loses_end_word(to, record)),
        ("moves", to == RecordFormat::Sfen && !record.moves.is_empty()),
        (
            "move counter",
            matches!(to, RecordFormat::Csa | RecordFormat::Csa2 | RecordFormat::Json) && record.start.ply() > 1,
        ),
    ]
    .into_iter()
    .filter_map(|(what, is_lost)| is_lost.then_some(what))
    .collect()
}
