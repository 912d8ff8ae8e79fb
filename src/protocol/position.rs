//! `position`: where a game began and what has been played.

use super::Command;
use crate::position::{Position, START_SFEN};
use crate::types::Move;
use std::fmt::{self, Write};

/// A `position` command: the start of a game, and its moves. Engines need them all, for repetitions.
///
/// ```
/// use komainu::position::Position;
/// use komainu::protocol::PositionCommand;
///
/// let mut game = PositionCommand::new(&Position::startpos());
/// game.push("7g7f".parse()?);
/// assert_eq!(game.to_string(), "position startpos moves 7g7f");
/// assert_eq!(game.with(["3c3d".parse()?]).to_string(), "position startpos moves 7g7f 3c3d");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionCommand {
    /// Everything after the word `position`.
    text: String,
    has_moves: bool,
}

impl PositionCommand {
    /// A game that begins with this position, whatever led to it.
    pub fn new(start: &Position) -> PositionCommand {
        let sfen = start.to_sfen();
        let text = if sfen == START_SFEN { "startpos".to_string() } else { format!("sfen {sfen}") };
        PositionCommand { text, has_moves: false }
    }

    /// The whole game that led to a position, as far as the position knows it.
    pub fn of_game(position: &Position) -> PositionCommand {
        let (mut start, mut moves) = (position.clone(), Vec::new());
        while let Some(mv) = start.last_move().filter(|_| start.moves_made() > 0) {
            moves.push(mv);
            start.undo();
        }
        moves.reverse();
        PositionCommand::new(&start).with(moves)
    }

    /// Adds a move.
    pub fn push(&mut self, mv: Move) {
        self.text.push_str(if self.has_moves { " " } else { " moves " });
        self.has_moves = true;
        write!(self.text, "{mv}").expect("a text takes all that is written to it");
    }

    /// The game with more moves behind it.
    pub fn with(&self, moves: impl IntoIterator<Item = Move>) -> PositionCommand {
        let mut game = self.clone();
        moves.into_iter().for_each(|mv| game.push(mv));
        game
    }
}

impl From<PositionCommand> for Command {
    fn from(game: PositionCommand) -> Command {
        Command::Position(game.text)
    }
}

/// The line of the protocol.
impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi::parse_position;

    #[test]
    fn the_whole_game_is_written() {
        let sfen = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        for (start, text) in
            [(Position::startpos(), "startpos"), (Position::from_sfen(sfen).unwrap(), &format!("sfen {sfen}"))]
        {
            let mut pos = start.clone();
            assert_eq!(PositionCommand::of_game(&pos).to_string(), format!("position {text}"));
            let moves = if text == "startpos" { ["7g7f", "3c3d"] } else { ["3c3d", "7g7f"] };
            moves.iter().for_each(|mv| pos.do_move(mv.parse().unwrap()));
            let game = PositionCommand::of_game(&pos);
            assert_eq!(game.to_string(), format!("position {text} moves {}", moves.join(" ")));
            assert_eq!(game, PositionCommand::new(&start).with(moves.map(|mv| mv.parse().unwrap())));
            let Command::Position(read) = Command::read(&game.to_string()) else { panic!("no position") };
            assert_eq!(parse_position(&read).unwrap().position.key(), pos.key());
            assert_eq!(Command::from(game.clone()).to_string(), game.to_string());
        }
    }
}
