//! Games as records that GUIs open: CSA and KIF, with times, and scores as comments.

use super::journal::{JournalError, write_whole};
use crate::notation::encoding::encode_cp932;
use crate::notation::json::{GameLine, MoveLine};
use crate::notation::record::{Conclusion, GameRecord, RecordMove};
use crate::notation::usi::parse_move;
use crate::notation::{csa, kif};
use crate::position::Position;
use bitflags::bitflags;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

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

/// Saves a game in these formats.
pub fn save(folder: &Path, line: &GameLine, formats: Formats) -> Result<(), JournalError> {
    if formats.is_empty() {
        return Ok(());
    }
    let folder = folder.join(RECORDS_FOLDER);
    fs::create_dir_all(&folder).map_err(|error| JournalError::Io(folder.clone(), error))?;
    let [black, white] = line.players.each_ref().map(|name| file_name(name));
    let name = format!("{:05}-{black}-{white}", line.game + 1);
    let record = record(line);
    if formats.contains(Formats::CSA) {
        write_whole(&folder.join(format!("{name}.csa")), csa::write(&record).as_bytes())?;
    }
    if formats.intersects(Formats::KIF | Formats::KIF_CP932) {
        let text = kif::write(&record);
        if formats.contains(Formats::KIF) {
            write_whole(&folder.join(format!("{name}.kifu")), text.as_bytes())?;
        }
        if formats.contains(Formats::KIF_CP932) {
            write_whole(&folder.join(format!("{name}.kif")), &encode_cp932(&text).bytes)?;
        }
    }
    Ok(())
}

/// What of a name can stand in the name of a file everywhere.
fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-') { c } else { '_' };
    name.chars().take(40).map(safe).collect()
}

/// The game as a record. A move that cannot be read, which a journal never holds, ends it.
pub fn record(line: &GameLine) -> GameRecord {
    let start = Position::from_sfen(&line.start).unwrap_or_else(|_| Position::startpos());
    let mut pos = start.clone();
    let mut record = GameRecord::new(start);
    record.players = line.players.each_ref().map(|name| Some(name.clone()));
    record.started = Some(line.started.replace(['T', 'Z'], " ").trim().replace('-', "/"));
    record.event = Some(format!("komainu match, game {}", line.game + 1));
    for played in &line.moves {
        let Ok(mv) = parse_move(&pos, &played.mv) else { break };
        pos.do_move(mv);
        let spent = played.millis.map(Duration::from_millis);
        record.moves.push(RecordMove { mv, spent, comments: comment(played).into_iter().collect() });
    }
    let spent = line.last_millis.map(Duration::from_millis);
    record.conclusion = Some(Conclusion { ending: line.ending, winner: line.winner, spent });
    if !line.detail.is_empty() {
        let comments = record.moves.last_mut().map_or(&mut record.comments, |last| &mut last.comments);
        comments.push(format!("{}: {}", line.ending, line.detail));
    }
    record
}

/// Score, depth and nodes of a move, as in `score 35 depth 12 nodes 4567`; from the view of the side that moved.
fn comment(played: &MoveLine) -> Option<String> {
    let mut text = match (played.cp, played.mate) {
        (Some(cp), _) => format!("score {cp}"),
        (None, Some(plies)) => format!("score mate {plies}"),
        (None, None) => return None,
    };
    if let Some(depth) = played.depth {
        _ = write!(text, " depth {depth}");
    }
    if let Some(nodes) = played.nodes {
        _ = write!(text, " nodes {nodes}");
    }
    Some(text)
}
