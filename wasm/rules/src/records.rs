//! Records as JSON, which JavaScript makes its tree of.

use komainu::games::{SourceGame, read_source_text};
use komainu::notation::kif;
use komainu::notation::record::GameRecord;
use komainu::notation::{Format, Part};
use komainu::position::Position;
use serde::{Deserialize, Serialize};

/// A game that was read, or the reason why there is none.
#[derive(Serialize)]
struct Read {
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<GameRecord>,
    /// Headers and players by the keys of KIF.
    header: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    warnings: Vec<String>,
}

/// A game that is to be written.
#[derive(Deserialize)]
struct Wanted {
    record: GameRecord,
    header: Vec<(String, String)>,
    format: String,
    /// The parts that the format has no place for are asked for, not the text.
    #[serde(default)]
    losses: bool,
}

pub(crate) fn read(text: &str) -> String {
    let games: Vec<Read> =
        read_source_text("", text).into_iter().map(|game| game.map_or_else(refused, of_game)).collect();
    serde_json::to_string(&games).expect("texts can be written")
}

fn refused(error: impl ToString) -> Read {
    Read { record: None, header: Vec::new(), fault: Some(error.to_string()), warnings: Vec::new() }
}

fn of_game(SourceGame { record, fault, warnings, .. }: SourceGame) -> Read {
    let header = kif::headers(&record);
    Read { record: Some(record), header, fault, warnings }
}

pub(crate) fn write(wanted: &str) -> Result<String, String> {
    let Wanted { record, header, format, losses } = serde_json::from_str(wanted).map_err(|error| error.to_string())?;
    let format: Format =
        format.parse().map_err(|_| format!("{format:?} is none of kif, ki2, csa, csa2, jkf, usi, sfen"))?;
    let mut head = GameRecord::new(Position::startpos());
    for (key, value) in &header {
        kif::set_header(&mut head, key, value);
    }
    let GameRecord { start, comments, moves, variations, conclusion, end_word, .. } = record;
    let record = GameRecord { start, comments, moves, variations, conclusion, end_word, ..head };
    if losses {
        let lost: Vec<&str> = format.losses(&record).into_iter().map(Part::words).collect();
        return Ok(serde_json::to_string(&lost).expect("texts can be written"));
    }
    Ok(format.write(&record))
}
