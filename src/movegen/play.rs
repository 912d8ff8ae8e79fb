//! A position that knows its legal moves: what most users of the library need of this module.

use super::{All, MoveList, generate, is_legal};
use crate::position::Position;
use crate::types::Move;
use std::fmt;

/// A move that the rules do not allow in the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove(pub Move);

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not legal", self.0)
    }
}

impl std::error::Error for IllegalMove {}

impl Position {
    /// All legal moves, in no particular order. If there is none the side to move has lost.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let position = Position::startpos();
    /// assert_eq!(position.legal_moves().len(), 30);
    /// for mv in &position.legal_moves() {
    ///     let mut after = position.clone();
    ///     after.do_move(mv);
    ///     assert_eq!(after.legal_moves().len(), 30);
    /// }
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        generate::<All>(self)
    }

    /// Makes a move if it is legal, and changes nothing if it is not.
    ///
    /// ```
    /// use komainu::movegen::IllegalMove;
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.play("7g7f".parse()?)?;
    /// let again = "7g7f".parse()?;
    /// assert_eq!(position.play(again), Err(IllegalMove(again)));
    /// assert_eq!(position.play(again).unwrap_err().to_string(), "7g7f is not legal");
    /// assert_eq!(position.moves_made(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !is_legal(self, mv) {
            return Err(IllegalMove(mv));
        }
        self.do_move(mv);
        Ok(())
    }
}
