//! `komainu data convert`: games and records, of this program and of dlshogi, into one another.

use super::{Output, bad, kind};
use crate::terminal::{Failure, in_file, print_line};
use komainu::position::Position;
use komainu::types::Counted;
use komainu_tools::training::ReadError;
use komainu_tools::training::games::{Game, GamesReader, GamesWriter, Hcpe3Reader};
use komainu_tools::training::records::{Chain, Record, RecordFormat, Records, visit_records};
use komainu_tools::training::shuffle::DataKind;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Kinds of files of games and of records.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Games,
    Hcpe3,
    Records(RecordFormat),
}

/// The kind that the ending of a name tells.
fn by_name(path: &Path) -> Option<Kind> {
    match path.extension()?.to_ascii_lowercase().to_str()? {
        "games" => Some(Kind::Games),
        "hcpe3" => Some(Kind::Hcpe3),
        "psv" => Some(Kind::Records(RecordFormat::Psv)),
        "hcp" => Some(Kind::Records(RecordFormat::Hcp)),
        "hcpe" => Some(Kind::Records(RecordFormat::Hcpe)),
        _ => None,
    }
}

/// The games or the records of a file. Files of dlshogi are told by the endings of their names, others by their first
/// bytes.
pub(super) enum Source {
    /// Games, with what is said of them at the head of the file.
    Games(Option<String>, Box<dyn Iterator<Item = Result<Game, ReadError>>>),
    Records(Records<BufReader<File>>),
}

impl Source {
    pub(super) fn open(path: &Path) -> Result<Source, Failure> {
        Source::open_as(path, kind_of(path)?)
    }

    fn open_as(path: &Path, kind: Kind) -> Result<Source, Failure> {
        match kind {
            Kind::Games => {
                let reader = GamesReader::open(path)?;
                Ok(Source::Games(Some(reader.description().to_string()), Box::new(reader)))
            }
            Kind::Hcpe3 => Ok(Source::Games(None, Box::new(Hcpe3Reader::open(path)?))),
            Kind::Records(format) => Ok(Source::Records(Records::open_as(path, format)?)),
        }
    }
}

/// The kind of a file that is there.
fn kind_of(path: &Path) -> Result<Kind, Failure> {
    match by_name(path) {
        Some(kind @ (Kind::Hcpe3 | Kind::Records(RecordFormat::Hcp | RecordFormat::Hcpe))) => Ok(kind),
        _ => Ok(match kind(path)? {
            DataKind::Games => Kind::Games,
            DataKind::Records => Kind::Records(RecordFormat::Psv),
        }),
    }
}

/// A file that is made.
struct Sink {
    out: Output,
    kind: Kind,
    /// Joins records to games, where games are made of them.
    chain: Chain,
    games: u64,
    positions: u64,
}

impl Sink {
    fn create(path: &Path, kind: Kind) -> Result<Sink, Failure> {
        let mut out = Output::create(path)?;
        if kind == Kind::Games {
            let description = format!("komainu {} records", env!("CARGO_PKG_VERSION"));
            GamesWriter::new(&mut out.file, &description).map_err(in_file(path))?;
        }
        Ok(Sink { out, kind, chain: Chain::default(), games: 0, positions: 0 })
    }

    fn write_game(&mut self, game: &Game) -> Result<(), Failure> {
        self.games += 1;
        match self.kind {
            Kind::Games => self.out.write(&game.encode()),
            Kind::Hcpe3 => self.out.write(&game.encode_hcpe3()),
            Kind::Records(_) => visit_records(game, |record, pos, _| self.take_record(&record, pos)),
        }
    }

    fn take_game(&mut self, game: &Game) -> Result<(), Failure> {
        if !matches!(self.kind, Kind::Records(_)) {
            self.positions += game.positions();
        }
        self.write_game(game)
    }

    fn take_record(&mut self, record: &Record, pos: &Position) -> Result<(), Failure> {
        self.positions += 1;
        match self.kind {
            Kind::Records(RecordFormat::Hcp) => self.out.write(&pos.pack_huffman().map_err(bad)?.0),
            Kind::Records(RecordFormat::Hcpe) => self.out.write(&record.encode_hcpe(pos).map_err(bad)?),
            Kind::Records(_) => self.out.write(&record.encode()),
            Kind::Games | Kind::Hcpe3 => match self.chain.push(record, pos) {
                Some(game) => self.write_game(&game),
                None => Ok(()),
            },
        }
    }

    fn finish(mut self) -> Result<(), Failure> {
        if let Some(game) = self.chain.finish() {
            self.write_game(&game)?;
        }
        self.out.finish()?;
        if self.chain.without_move > 0 {
            let lost = Counted(self.chain.without_move, "position");
            print_line(format_args!("{lost} without a move left out of the games"))?;
        }
        print_line(format_args!("games {} positions {}", self.games, self.positions))
    }
}

pub(super) fn convert(input: &Path, output: &Path) -> Result<(), Failure> {
    let from = kind_of(input)?;
    let other = match from {
        Kind::Games => Kind::Records(RecordFormat::Psv),
        _ => Kind::Games,
    };
    let to = by_name(output).unwrap_or(other);
    if from == to {
        return Err(Failure::Usage(format!("{}: {} is such a file already", output.display(), input.display())));
    }
    let source = Source::open_as(input, from)?;
    let mut sink = Sink::create(output, to)?;
    match source {
        Source::Games(_, games) => {
            for game in games {
                sink.take_game(&game?)?;
            }
        }
        Source::Records(records) => {
            for read in records {
                let (record, pos) = read?;
                sink.take_record(&record, &pos)?;
            }
        }
    }
    sink.finish()
}
