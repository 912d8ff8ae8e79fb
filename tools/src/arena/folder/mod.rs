//! The folder of a match: its plan and its games, written so that nothing is lost when the match is killed.
//!
//! `match.toml` holds the `Plan`; `games.jsonl` one line a game (`GameLine`), added in one piece as the game ends.
//! One reader serves everybody, also who watches a folder grow ([`FolderTail`]). Whoever only looks at a match
//! takes what can be used and is told of the rest ([`MatchFolder::read`]); whoever goes on with a match or joins it
//! with others wants every line to be a game of it ([`MatchFolder::read_strictly`]). A last line that a kill has
//! torn off, and a game that is there twice, are no faults: the one is played again, the other counts once.

mod journal;
mod reader;
mod tail;
#[cfg(test)]
mod tests;

pub use journal::{MatchJournal, write_match, write_whole};
pub use reader::{FolderError, GAMES_FILE, GameLineFault, MatchFolder, MatchGame, Note, PLAN_FILE, read_plan};
pub use tail::{FolderTail, Growth};
