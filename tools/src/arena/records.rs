//! Games as records that GUIs open: CSA and KIF, with times, and what the engines thought as
//! comments: floodgate's in CSA, ShogiHome's in KIF.

use super::folder::{FolderError, write_whole};
use super::plan::Plan;
use crate::settings::RecordFormat;
use komainu::notation::json::{GameLine, record_of};
use komainu::notation::remark::Thought;
use komainu::notation::{csa, kif};
use std::fs;
use std::path::Path;

/// The folder of the records in that of the match.
pub const RECORDS_FOLDER: &str = "records";
/// The folder of the conversations in that of the match.
pub const LOGS_FOLDER: &str = "logs";

/// Saves a game in the formats of its plan.
pub fn save(folder: &Path, line: &GameLine, plan: &Plan) -> Result<(), FolderError> {
    let folder = folder.join(RECORDS_FOLDER);
    let name = game_name(line);
    for &format in plan.format.iter().filter(|&&format| format != RecordFormat::None) {
        fs::create_dir_all(&folder).map_err(|error| FolderError::Io(folder.clone(), error))?;
        let text = match format {
            RecordFormat::Csa => csa::write(&record_of(line, Thought::floodgate)),
            _ => kif::write(&record_of(line, Thought::shogihome)),
        };
        let (bytes, _) = format.encoded(&text, plan.encoding);
        write_whole(&folder.join(format!("{name}.{}", format.extension(plan.encoding))), &bytes)?;
    }
    Ok(())
}

/// Saves the conversations of a game.
pub fn save_log(folder: &Path, line: &GameLine, log: &str) -> Result<(), FolderError> {
    let folder = folder.join(LOGS_FOLDER);
    fs::create_dir_all(&folder).map_err(|error| FolderError::Io(folder.clone(), error))?;
    write_whole(&folder.join(format!("{}.log", game_name(line))), log.as_bytes())
}

/// The name of the files of a game, without an ending: `00012-new-old`.
fn game_name(line: &GameLine) -> String {
    let [black, white] = line.players.each_ref().map(|name| file_name(name));
    format!("{:05}-{black}-{white}", line.game + 1)
}

/// Part of a name that can stand in the name of a file everywhere.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-') { c } else { '_' };
    name.chars().take(40).map(safe).collect()
}
