//! `komainu convert`: records from one format to another.

use super::sources::refuse_to_overwrite;
use crate::settings::{EncodingSetting, one_of};
use crate::terminal::{Failure, complain, of_output, print_line, write_file};
use komainu::games::{NamedGame, SourceFile, SourceReader, source_files};
use komainu::notation::{Format, Part};
use komainu::types::{Counted, Printable};
use komainu_tools::settings::RecordFormat;
use std::collections::BTreeSet;
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
    /// Write nothing: only read all games and tell their faults
    #[arg(long, conflicts_with_all = ["to", "out", "encoding"])]
    check: bool,
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

fn target(format: RecordFormat) -> Format {
    match format {
        RecordFormat::Ki2 => Format::Ki2,
        RecordFormat::Csa => Format::Csa,
        RecordFormat::Csa2 => Format::Csa2,
        RecordFormat::Usi => Format::Usi,
        RecordFormat::Sfen => Format::Sfen,
        RecordFormat::Json => Format::Json,
        _ => Format::Kif,
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = source_files(&arguments.games)?;
    let mut reader = SourceReader::default();
    if arguments.check {
        return check(&files, &mut reader);
    }
    let games = reader.read(&files, &|text| complain(text))?;
    let mut writer = Writer { to: arguments.to, encoding: arguments.encoding, lost_letters: BTreeSet::new() };
    tell_losses(target(arguments.to), &games);
    let count = Counted(games.len() as u64, "game");
    match &arguments.out {
        _ if games.is_empty() && reader.faults > 0 => {}
        None => writer.write_stdout(&games)?,
        Some(out) => {
            let written = writer.write_files(out, &games, &files)?;
            print_line(format_args!("{count}, {}", Counted(written as u64, "file")))?;
        }
    }
    writer.tell_lost_letters();
    if reader.faults == 0 { Ok(()) } else { Err(Failure::CheckFailed) }
}

/// Reads all games and keeps none: one is in memory at a time.
fn check(files: &[SourceFile], reader: &mut SourceReader) -> Result<(), Failure> {
    reader.visit(files, &|text| complain(text), &mut |_, _| Ok::<(), Failure>(()))?;
    let [games, faults] = [Counted(reader.games, "game"), Counted(reader.faults as u64, "fault")];
    print_line(format_args!("{games}, {}, {faults}", Counted(files.len() as u64, "file")))?;
    if reader.faults == 0 { Ok(()) } else { Err(Failure::CheckFailed) }
}

/// The format and the encoding that games are written in.
struct Writer {
    to: RecordFormat,
    encoding: EncodingSetting,
    /// The letters so far that the encoding lacks.
    lost_letters: BTreeSet<char>,
}

impl Writer {
    fn write_stdout(&mut self, games: &[NamedGame]) -> Result<(), Failure> {
        let is_line = target(self.to).is_line();
        if games.len() > 1 && !is_line && !matches!(self.to, RecordFormat::Csa | RecordFormat::Csa2) {
            let count = games.len();
            return Err(Failure::Usage(format!(
                "{count} games need a folder: --out DIR (USI, SFEN and CSA hold many)"
            )));
        }
        let texts: Vec<String> = games.iter().map(|game| self.text(game)).collect();
        let bytes = self.encoded(&texts.join(if is_line { "" } else { "/\n" }));
        let mut output = std::io::stdout();
        match String::from_utf8(bytes) {
            // For eyes, not for a file.
            Ok(text) if output.is_terminal() => write!(output, "{}", Printable(&text)).map_err(of_output),
            Ok(text) => output.write_all(text.as_bytes()).map_err(of_output),
            Err(other) => output.write_all(other.as_bytes()).map_err(of_output),
        }
    }

    /// Writes the games; returns the number of files.
    fn write_files(&mut self, out: &Path, games: &[NamedGame], files: &[SourceFile]) -> Result<usize, Failure> {
        let is_file = !out.is_dir() && out.extension().is_some() && !ends_as_folder(out);
        if is_file && (games.len() == 1 || target(self.to).is_line()) {
            let text: String = games.iter().map(|game| self.text(game)).collect();
            refuse_to_overwrite(out, files)?;
            write_file(out, &self.encoded(&text))?;
            return Ok(1);
        }
        if is_file {
            return Err(Failure::Usage(format!("--out {}: {} games need a folder", out.display(), games.len())));
        }
        for game in games {
            let path = out.join(format!("{}.{}", game.name, self.to.extension(self.encoding.get())));
            refuse_to_overwrite(&path, files)?;
            write_file(&path, &self.encoded(&self.text(game)))?;
        }
        Ok(games.len())
    }

    fn text(&self, game: &NamedGame) -> String {
        target(self.to).write(&game.game.record)
    }

    /// The text in the encoding that is wanted.
    fn encoded(&mut self, text: &str) -> Vec<u8> {
        let (bytes, lost) = self.to.encoded(text, self.encoding.get());
        self.lost_letters.extend(lost.chars());
        bytes
    }

    fn tell_lost_letters(&self) {
        if !self.lost_letters.is_empty() {
            let letters = String::from_iter(&self.lost_letters);
            complain(format_args!("CP932 has no {letters}: 〓 stands for them"));
        }
    }
}

fn ends_as_folder(path: &Path) -> bool {
    path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR])
}

/// Says once for each part of records that the format has no place for it, and how many games had it.
fn tell_losses(to: Format, games: &[NamedGame]) {
    let losses: Vec<Part> = games.iter().flat_map(|game| to.losses(&game.game.record)).collect();
    for part in Part::ALL {
        let count = losses.iter().filter(|&&lost| lost == part).count() as u64;
        if count > 0 {
            complain(format_args!("{} has no {}: left out of {}", to.title(), part.words(), Counted(count, "game")));
        }
    }
}
