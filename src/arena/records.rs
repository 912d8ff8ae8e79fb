//! Games as records that GUIs open: CSA and KIF, with times, and what the engines thought as
//! comments: floodgate's in CSA, ShogiHome's in KIF.

use super::folder::{FolderError, write_whole};
use super::plan::RecordFormat;
use crate::notation::encoding::encode_cp932;
use crate::notation::json::{GameLine, record_of};
use crate::notation::thought::Thought;
use crate::notation::{csa, kif};
use bitflags::bitflags;
use std::fs;
use std::path::Path;

impl Formats {
    /// The formats of a list.
    pub fn of(list: &[RecordFormat]) -> Formats {
        list.iter().fold(Formats::empty(), |formats, format| match format {
            RecordFormat::Csa => formats | Formats::CSA,
            RecordFormat::Kif => formats | Formats::KIF,
            RecordFormat::KifCp932 => formats | Formats::KIF_CP932,
            RecordFormat::None => formats,
        })
    }
}

bitflags! {
    /// The records that are written for each game.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Formats: u8 {
        /// CSA, UTF-8.
        const CSA = 1;
        /// KIF, UTF-8 (`.kifu`).
        const KIF = 1 << 1;
        /// KIF in CP932 (`.kif`), for programs that read nothing else.
        const KIF_CP932 = 1 << 2;
    }
}

/// The folder of the records in that of the match.
pub const RECORDS_FOLDER: &str = "records";
/// The folder of the conversations in that of the match.
pub const LOGS_FOLDER: &str = "logs";

/// Saves a game in these formats.
pub fn save(folder: &Path, line: &GameLine, formats: Formats) -> Result<(), FolderError> {
    if formats.is_empty() {
        return Ok(());
    }
    let folder = folder.join(RECORDS_FOLDER);
    fs::create_dir_all(&folder).map_err(|error| FolderError::Io(folder.clone(), error))?;
    let name = game_name(line);
    if formats.contains(Formats::CSA) {
        let text = csa::write(&record_of(line, Thought::floodgate));
        write_whole(&folder.join(format!("{name}.csa")), text.as_bytes())?;
    }
    if formats.intersects(Formats::KIF | Formats::KIF_CP932) {
        let text = kif::write(&record_of(line, Thought::shogihome));
        if formats.contains(Formats::KIF) {
            write_whole(&folder.join(format!("{name}.kifu")), text.as_bytes())?;
        }
        if formats.contains(Formats::KIF_CP932) {
            write_whole(&folder.join(format!("{name}.kif")), &encode_cp932(&text).bytes)?;
        }
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
