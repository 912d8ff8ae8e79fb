//! `komainu data from-pgn`: games of a test system as training data.

use super::{Output, bad};
use crate::terminal::{Failure, complain, in_file, print_and_go_on, print_line, verdict};
use komainu::host::open_file;
use komainu::notation::pgn::{PgnGame, PgnReader};
use komainu::notation::record::{Conclusion, Ending};
use komainu::types::Counted;
use komainu_tools::training::games::GamesWriter;
use komainu_tools::training::pgn::{Refusal, game, line};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, stdin};
use std::path::{Path, PathBuf};

/// Where the games go, and what was counted.
struct Conversion {
    games: Output,
    json: Option<Output>,
    kept: u64,
    adjudicated: u64,
    positions: u64,
    nodes: u64,
    /// Games that are not taken, by the reason.
    refused: BTreeMap<&'static str, u64>,
    /// Games that cannot be read.
    faulty: u64,
    /// The number that the first game of the text gets, and the next one that is free.
    base: u64,
    next: u64,
}

/// Reads PGN texts, `-` for the standard input.
pub(super) fn from_pgn(files: &[PathBuf], out: &Path, json: Option<&Path>) -> Result<(), Failure> {
    let mut output = Output::create(out)?;
    let names: Vec<String> = files.iter().map(|path| path.display().to_string()).collect();
    let description = format!("komainu {} data from-pgn {}", env!("CARGO_PKG_VERSION"), names.join(" "));
    GamesWriter::new(&mut output.file, &description).map_err(in_file(out))?;
    let json = json.map(Output::create).transpose()?;
    let mut conversion = Conversion {
        games: output,
        json,
        kept: 0,
        adjudicated: 0,
        positions: 0,
        nodes: 0,
        refused: BTreeMap::new(),
        faulty: 0,
        base: 0,
        next: 0,
    };
    for (path, name) in files.iter().zip(&names) {
        let input: Box<dyn BufRead> = match name.as_str() {
            "-" => Box::new(stdin().lock()),
            _ => Box::new(BufReader::new(open_file(path).map_err(in_file(path))?)),
        };
        // Each text begins with a pair of its own.
        conversion.base = conversion.next.next_multiple_of(2);
        for read in PgnReader::new(input, name) {
            match read {
                Ok(pgn) => conversion.take(&pgn, name)?,
                Err(error) => {
                    complain(error);
                    conversion.faulty += 1;
                }
            }
        }
    }
    conversion.finish()
}

impl Conversion {
    fn take(&mut self, pgn: &PgnGame, name: &str) -> Result<(), Failure> {
        let number = match pgn.tag("Round").and_then(|round| round.parse::<u32>().ok()) {
            Some(round) => self.base + u64::from(round),
            None => self.next,
        };
        self.next = self.next.max(number + 1);
        let converted = match game(pgn) {
            Ok(game) => game,
            Err(refusal) => return self.refuse(pgn, name, &refusal),
        };
        self.games.write(&converted.encode())?;
        if let Some(json) = &mut self.json {
            let end = Conclusion::new(converted.ending(), converted.winner());
            let text = serde_json::to_string(&line(pgn, number, end)).map_err(bad)?;
            json.write(format!("{text}\n").as_bytes())?;
        }
        self.kept += 1;
        self.adjudicated += u64::from(matches!(converted.ending(), Ending::AdjudicatedWin | Ending::AdjudicatedDraw));
        self.positions += (converted.plies().len() - converted.opening()) as u64;
        self.nodes += pgn.moves.iter().filter_map(|played| played.thought.nodes).fold(0, u64::saturating_add);
        Ok(())
    }

    fn refuse(&mut self, pgn: &PgnGame, name: &str, refusal: &Refusal) -> Result<(), Failure> {
        *self.refused.entry(refusal.kind()).or_default() += 1;
        let round = pgn.tag("Round").unwrap_or("?");
        print_and_go_on(format_args!("{name} line {}: game {round} left out: {refusal}", pgn.line))
    }

    fn finish(self) -> Result<(), Failure> {
        self.games.finish()?;
        if let Some(json) = self.json {
            json.finish()?;
        }
        for (kind, count) in &self.refused {
            print_and_go_on(format_args!("left out {kind} {count}"))?;
        }
        let Conversion { kept, adjudicated, positions, nodes, faulty, .. } = self;
        let refused: u64 = self.refused.values().sum();
        print_and_go_on(format_args!("nodes {nodes} adjudicated {adjudicated}"))?;
        let printed = print_line(format_args!("games {kept} positions {positions} refused {refused} faulty {faulty}"));
        if faulty > 0 {
            complain(format_args!("{} could not be read", Counted(faulty, "game")));
        }
        verdict(printed, faulty > 0)
    }
}
