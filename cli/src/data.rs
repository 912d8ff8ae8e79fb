//! `komainu data`: what is done with files of games and of positions.

mod convert;
mod dedup;
mod filter;
mod from_pgn;
mod rescore;

use crate::settings::{MEMORY_HELP, megabytes};
use crate::terminal::{Failure, in_file, print_and_go_on, print_json, print_line};
use convert::Source;
use komainu::storage::NewFile;
use komainu::types::{Color, Score};
use komainu_tools::training::games::Game;
use komainu_tools::training::merge::Shards;
use komainu_tools::training::records::visit_records;
use komainu_tools::training::shuffle::{DataKind, shuffle};
use komainu_tools::training::tally::{GamesTally, PositionTally};
use serde_json::json;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Count, convert, filter, join, rescore and shuffle training data: games of `komainu selfplay` and records of 40 bytes
/// (.psv)
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Say what files hold: results, endings, lengths, scores, phases, duplicates
    Info {
        /// Files of games or records
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Print games or records as text
    Text {
        /// File of games or records
        file: PathBuf,
        /// Print the first N only
        #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
        limit: u64,
    },
    /// Write games as records, or records as games; random plies are left out of records
    ///
    /// The endings of both names tell the formats of dlshogi: `.hcpe3` for games, `.hcpe` for records, `.hcp` for
    /// positions alone. The last line is `games N positions N`.
    Convert {
        /// File of games or records
        input: PathBuf,
        /// File to make: `.psv`, `.games` or a format of dlshogi; with any other name the other kind of this program
        output: PathBuf,
    },
    Filter(filter::Arguments),
    /// Join the shards of `selfplay --shard` or `data rescore --shard` to the file that one machine would have made
    ///
    /// Several files of one shard, as when another worker took over, must hold the same as far as they go and count
    /// once. The last line is `games N positions N`, or `records N`.
    Merge {
        /// The files of all shards, in any order
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Leave out what shards lack, as after a stop
        #[arg(long)]
        partial: bool,
        /// File to make
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Make games of the PGN that shogitest writes for ShogiBench and OpenBench; exit with 1 if a game cannot be read
    ///
    /// Games that end by time, an illegal move or a disconnection, or without scores, are left out and counted. The
    /// last line is `games N positions N refused N faulty N`.
    FromPgn {
        /// PGN files; `-` reads standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// File to make
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// File of one line of JSON a game, as in games.jsonl of a match, with depths, nodes and times
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Look at the positions of old games or records with the present engine and write its scores in place of the old
    /// ones
    ///
    /// Moves and results of games stay; records take the best moves with the scores. The last line is
    /// `games N positions N time_ms N`, or `records N time_ms N`.
    Rescore(rescore::Arguments),
    /// Leave out records whose position is in another file, or earlier in the same
    ///
    /// So the generations of training data can be kept apart, each without what is in a newer one. The last line is
    /// `kept N duplicates N`.
    Dedup {
        /// Files of records
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// File to make
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Files of records with the positions that are not wanted again
        #[arg(long, value_name = "FILE", num_args = 1..)]
        against: Vec<PathBuf>,
    },
    /// Put games or records into a random order
    Shuffle {
        /// Files of one kind
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// File to make
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Seed of the random numbers: another one makes another file
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        #[arg(long, value_name = "MB", default_value_t = 1_024, value_parser = megabytes(), help = MEMORY_HELP)]
        memory: u32,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::Info { files, json } => {
            for file in files {
                info(file, *json)?;
            }
            Ok(())
        }
        Command::Text { file, limit } => text(file, *limit),
        Command::Convert { input, output } => convert::convert(input, output),
        Command::Filter(arguments) => filter::run(arguments),
        Command::FromPgn { files, out, json } => from_pgn::from_pgn(files, out, json.as_deref()),
        Command::Merge { files, partial, out } => merge(files, *partial, out),
        Command::Rescore(arguments) => rescore::run(arguments),
        Command::Dedup { files, out, against } => dedup::dedup(files, out, against),
        Command::Shuffle { files, out, seed, memory } => {
            let count = shuffle(files, out, *seed, u64::from(*memory) << 20)?;
            print_line(format_args!("shuffled {count}"))
        }
    }
}

fn bad(error: impl Display) -> Failure {
    Failure::Usage(error.to_string())
}

/// A file that was not there before.
struct Output {
    path: PathBuf,
    file: NewFile,
}

impl Output {
    fn create(path: &Path) -> Result<Output, Failure> {
        if path.exists() {
            return Err(Failure::Usage(format!("{}: the file exists", path.display())));
        }
        let file = NewFile::create(path).map_err(in_file(path))?;
        Ok(Output { path: path.to_path_buf(), file })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(in_file(&self.path))
    }

    fn finish(self) -> Result<(), Failure> {
        self.file.finish().map_err(in_file(&self.path))
    }
}

fn kind(path: &Path) -> Result<DataKind, Failure> {
    DataKind::of(path).map_err(in_file(path))
}

fn info(path: &Path, is_json: bool) -> Result<(), Failure> {
    let mut positions = PositionTally::default();
    if !is_json {
        print_line(format_args!("{}", path.display()))?;
    }
    match Source::open(path)? {
        Source::Games(description, games) => {
            let mut tally = GamesTally::default();
            if !is_json && let Some(text) = &description {
                print_line(text)?;
            }
            for game in games {
                let game = game?;
                tally.add(&game);
                visit_records(&game, |record, pos, _| {
                    positions.add(pos, record.score, record.result);
                    Ok::<(), Failure>(())
                })?;
            }
            if is_json {
                let mut told = json!({"file": path.to_string_lossy(), "description": description});
                told["games"] = tally.json();
                told["positions"] = positions.json();
                return print_json(&told);
            }
            print_line(format_args!("{tally}{positions}"))
        }
        Source::Records(records) => {
            for read in records {
                let (record, pos) = read?;
                positions.add(&pos, record.score, record.result);
            }
            if is_json {
                return print_json(&json!({"file": path.to_string_lossy(), "positions": positions.json()}));
            }
            print_line(positions)
        }
    }
}

fn text(path: &Path, limit: u64) -> Result<(), Failure> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    match Source::open(path)? {
        Source::Games(description, games) => {
            if let Some(text) = description {
                print_line(format_args!("# {text}"))?;
            }
            for (number, game) in (1..).zip(games.take(limit)) {
                print_game(number, &game?)?;
            }
        }
        Source::Records(records) => {
            for read in records.take(limit) {
                let (record, pos) = read?;
                let best = record.best.map_or("none".to_string(), |mv| mv.to_string());
                let score = Score(record.score.into());
                let sfen = record.unpack().unwrap_or(pos).to_sfen();
                print_line(format_args!("{sfen} best {best} {score} result {}", record.result))?;
            }
        }
    }
    Ok(())
}

/// A game in four lines: what it is, its start, its moves, its scores. Start and moves are an opening of a list.
fn print_game(number: usize, game: &Game) -> Result<(), Failure> {
    let winner = game.winner().map_or("nobody", Color::name);
    let ending = game.ending();
    let plies = game.plies().len();
    let random = game.opening();
    print_line(format_args!("# game {number}: {ending}, {winner} wins, {plies} plies, {random} random"))?;
    let moves: String = game.plies().iter().map(|ply| format!(" {}", ply.mv)).collect();
    let scores: String = game.plies().iter().map(|ply| format!(" {}", ply.score)).collect();
    print_line(format_args!("sfen {} moves{moves}", game.start().to_sfen()))?;
    print_line(format_args!("# scores{scores}"))
}

fn merge(files: &[PathBuf], is_partial: bool, out: &Path) -> Result<(), Failure> {
    let shards = Shards::open(files, is_partial)?;
    let mut file = Output::create(out)?;
    let merged = shards.merge(&mut file.file)?;
    // What is to be named is named before the file is there.
    for shard in &merged.shards {
        print_and_go_on(shard)?;
    }
    file.finish()?;
    print_line(merged)
}
