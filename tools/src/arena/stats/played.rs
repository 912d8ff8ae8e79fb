//! A game of a match as statistics see it.

use super::PlayerResult;
use komainu::notation::json::GameLine;
use komainu::types::Color;

/// A finished game, as far as statistics need it. A game without a result is not counted at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The number of its pair: two games with this number, colours swapped, make a pair.
    pub pair: u64,
    /// The index of the engine that was black.
    pub black: usize,
    /// The index of the engine that was white.
    pub white: usize,
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Hash of its start and moves. Games of the same players, colours and result that agree in it are equal and count
    /// once. `None` for a game that is known to be unlike all others.
    pub fingerprint: Option<u64>,
}

impl PlayedGame {
    /// A game of these two engines; `None` for a game without a result.
    pub fn of(line: &GameLine, [black, white]: [usize; 2]) -> Option<PlayedGame> {
        let winner = line.result()?.winner();
        Some(PlayedGame { pair: line.pair, black, white, winner, fingerprint: Some(line.fingerprint()) })
    }

    /// The result for the side.
    pub(super) fn result(&self, side: Color) -> PlayerResult {
        match self.winner {
            None => PlayerResult::Draw,
            Some(color) if color == side => PlayerResult::Win,
            Some(_) => PlayerResult::Loss,
        }
    }
}
