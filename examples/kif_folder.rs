//! Reads every record of a folder and the folders in it: one line a game, and what is wrong with those that are
//! damaged.
//!
//! ```sh
//! cargo run --release -p komainu --no-default-features --features records --example kif_folder -- FOLDER
//! ```

use komainu::games::{SourceReader, source_files};
use komainu::notation::record::GameRecord;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder is missing")?;
    // Formats are those of the names, encodings are told from the bytes. Of a damaged game what stands before the fault
    // is kept.
    let mut reader = SourceReader::default();
    for named in reader.read(&source_files(&[PathBuf::from(folder)])?, &|remark| eprintln!("{remark}"))? {
        let damaged = if named.game.fault.is_some() { ", damaged" } else { "" };
        println!("{}: {}{damaged}", named.name, line(&named.game.record));
    }
    println!("{} games, {} faults", reader.games, reader.faults);
    Ok(if reader.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The game in one line: players, plies, how it ended, and the position at its end.
fn line(game: &GameRecord) -> String {
    let mut position = game.start.clone();
    // The moves of a record are legal.
    for played in &game.moves {
        position.do_move(played.mv);
    }
    let [black, white] = game.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let ending = game.conclusion.map_or("no end".to_string(), |end| end.ending.to_string());
    format!("{black} - {white}, {} plies, {ending}, {position}", game.moves.len())
}
