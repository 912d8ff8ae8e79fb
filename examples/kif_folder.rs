//! Reads every KIF, KI2 and CSA record of a folder: one line a game, and what is wrong with those that are damaged.
//!
//! ```sh
//! cargo run --release --no-default-features --features records --example kif_folder -- FOLDER
//! ```

use komainu::notation::record::GameRecord;
use komainu::notation::{Format, read_file_bytes};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("the folder is missing")?;
    let (mut games, mut damaged) = (0, 0);
    for path in records(Path::new(&folder))? {
        let name = path.display().to_string();
        // The format is that of the name, the encoding UTF-8 or CP932.
        match read_file_bytes(&name, &std::fs::read(&path)?) {
            Ok(read) => {
                for game in &read {
                    println!("{name}: {}", line(&game.record));
                    game.warnings.iter().for_each(|warning| eprintln!("{name}: {warning}"));
                }
                games += read.len();
            }
            Err(error) => {
                damaged += 1;
                eprintln!("{name}: {error}");
                // What stands before the fault is not lost.
                error.so_far().iter().for_each(|game| println!("{name}: {}, damaged", line(&game.record)));
            }
        }
    }
    println!("{games} games, {damaged} damaged files");
    Ok(if damaged == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The files of the folder whose names are those of records, in the order of their names.
fn records(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && Format::of_name(&path.to_string_lossy()).is_some() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The game in one line: players, plies, how it ended, and the position at its end.
fn line(game: &GameRecord) -> String {
    let mut position = game.start.clone();
    // The moves of a record are legal.
    game.moves.iter().for_each(|played| position.do_move(played.mv));
    let [black, white] = game.players.each_ref().map(|name| name.as_deref().unwrap_or("?"));
    let ending = game.conclusion.map_or("no end".to_string(), |end| end.ending.to_string());
    format!("{black} - {white}, {} plies, {ending}, {position}", game.moves.len())
}
