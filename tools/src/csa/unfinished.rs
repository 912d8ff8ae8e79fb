//! Games that are cut off, as by a kill or a power cut: a file beside the list holds the game under way, and the next
//! session in that folder adds it to the list.

use super::records::add_to_list;
use crate::arena::plan::Plan;
use komainu::notation::json::game_lines;
use komainu::storage::{Journal, JournalError};
use serde::Serialize;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Detail of a game that was cut off.
pub(super) const CUT_OFF: &str = "the program was ended during the game";
/// The beginning of the names of the files.
const PREFIX: &str = "unfinished-";

/// The file of a game under way, which is locked until the end. Its first line is the list as it is with this game
/// alone; each further line is the game with a move more.
pub(super) struct Unfinished(Journal);

impl Unfinished {
    /// Begins the file of a game.
    pub(super) fn begin(folder: &Path, plan: &Plan) -> io::Result<Unfinished> {
        let path = folder.join(format!("{PREFIX}{}.jsonl", std::process::id()));
        let mut file = Journal::open(&path, true).map_err(io::Error::other)?;
        file.keep(0).map_err(io::Error::other)?;
        let mut game = Unfinished(file);
        game.note(plan)?;
        Ok(game)
    }

    /// Notes how far the game is.
    pub(super) fn note(&mut self, line: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(line)? + "\n";
        self.0.append(text.as_bytes()).map(|_| ()).map_err(io::Error::other)
    }

    /// Ends it: the game is in the list.
    pub(super) fn end(self) {
        _ = self.0.remove();
    }
}

/// Adds the games that were cut off to the list of their folder. Returns what there is to say about them.
pub(super) fn list(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with(PREFIX) && name.ends_with(".jsonl")
    };
    names
        .filter(is_it)
        .filter_map(|path| list_one(folder, &path).transpose())
        .map(|told| match told {
            Ok(text) => text,
            Err(error) => format!("a game that was cut off is not listed: {error}"),
        })
        .collect()
}

/// Lists the game of a file. `None` if it is still being played, or had no move.
fn list_one(folder: &Path, path: &Path) -> io::Result<Option<String>> {
    let file = match Journal::open(path, true) {
        Err(JournalError::InUse(..)) => return Ok(None),
        file => file.map_err(io::Error::other)?,
    };
    let mut bytes = Vec::new();
    file.reader()?.read_to_end(&mut bytes)?;
    let end = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
    let (head, games) = bytes.split_at(end);
    let last = game_lines(games).filter_map(|(_, read)| read.ok()).last();
    let Some((plan, line)) = serde_json::from_slice::<Plan>(head).ok().zip(last) else {
        file.remove().map_err(io::Error::other)?;
        return Ok(None);
    };
    let told = format!("a game of an earlier session is added to the list: {} - {}", line.players[0], line.players[1]);
    add_to_list(folder, &plan, line).map_err(io::Error::other)?;
    file.remove().map_err(io::Error::other)?;
    Ok(Some(told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::folder::MatchFolder;
    use crate::arena::plan::{EnginePlan, Tournament};
    use komainu::notation::json::{GameLine, MoveLine};
    use komainu::notation::record::Ending;

    fn plan() -> Plan {
        let player = |name: &str| EnginePlan { name: name.into(), ..EnginePlan::default() };
        Plan { tournament: Tournament::Server, ..Plan::new(vec![player("me"), player("you")], 0) }
    }

    fn line(moves: &[&str]) -> GameLine {
        line_of("you", moves)
    }

    fn line_of(black: &str, moves: &[&str]) -> GameLine {
        GameLine {
            players: [black, "me"].map(str::to_string),
            start: komainu::position::START_SFEN.into(),
            moves: moves.iter().map(|mv| MoveLine { mv: mv.to_string(), ..MoveLine::default() }).collect(),
            ending: Ending::Error,
            ..GameLine::default()
        }
    }

    fn listed(folder: &Path) -> Vec<usize> {
        MatchFolder::read(folder)
            .map_or_else(|_| Vec::new(), |read| read.games.iter().map(|game| game.line.moves.len()).collect())
    }

    #[test]
    fn a_game_that_is_being_played_is_left_alone_and_listed_once_it_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = Unfinished::begin(folder.path(), &plan()).unwrap();
        game.note(&line(&["7g7f"])).unwrap();
        game.note(&line(&["7g7f", "3c3d"])).unwrap();
        assert_eq!((list(folder.path()), listed(folder.path())), (Vec::new(), Vec::new()));
        // A kill closes the file, in the middle of a line perhaps.
        game.0.append(b"{\"game\":0,\"pair").unwrap();
        drop(game);
        assert_eq!(list(folder.path()), ["a game of an earlier session is added to the list: you - me"]);
        assert_eq!((list(folder.path()), listed(folder.path())), (Vec::new(), vec![2]), "once");
    }

    #[test]
    fn games_that_have_ended_or_never_began_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut game = Unfinished::begin(folder.path(), &plan()).unwrap();
        game.note(&line(&["7g7f"])).unwrap();
        game.end();
        drop(Unfinished::begin(folder.path(), &plan()).unwrap());
        fs::write(folder.path().join("unfinished-0.jsonl"), "no plan\n").unwrap();
        assert_eq!((list(folder.path()), listed(folder.path())), (Vec::new(), Vec::new()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn players_who_are_new_are_added_to_a_list_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let mut other = plan();
        other.engines[1].name = "other".into();
        add_to_list(folder.path(), &other, line_of("other", &["2g2f"])).unwrap();
        let mut game = Unfinished::begin(folder.path(), &plan()).unwrap();
        game.note(&line(&["7g7f"])).unwrap();
        drop(game);
        assert_eq!(list(folder.path()).len(), 1);
        let read = MatchFolder::read(folder.path()).unwrap();
        assert_eq!(
            read.plan.engines.iter().map(|player| player.name.as_str()).collect::<Vec<_>>(),
            ["me", "other", "you"]
        );
        assert_eq!(listed(folder.path()), [1, 1]);
    }
}
