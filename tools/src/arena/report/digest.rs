//! Games as the numbers of a report need them: without their moves.

use super::figures::Figures;
use crate::arena::folder::MatchGame;
use crate::arena::stats::PlayedGame;
use komainu::notation::json::GameLine;
use komainu::types::Color;

/// Digest of a game: a hundredth of its size, and all that the numbers follow from.
#[derive(Clone, Debug)]
pub(in crate::arena) struct GameDigest {
    /// The game without its moves and without what is known of programs and machine.
    pub(super) line: GameLine,
    pub(super) players: [usize; 2],
    /// The game as statistics count it; `None` for a game without a result.
    pub(super) played: Option<PlayedGame>,
    pub(super) plies: usize,
    /// The figures of black and white.
    pub(super) figures: [Figures; 2],
}

impl GameDigest {
    pub(in crate::arena) fn of(game: &MatchGame) -> GameDigest {
        let MatchGame { line, players } = game;
        GameDigest {
            line: GameLine {
                players: line.players.clone(),
                start: line.start.clone(),
                detail: line.detail.clone(),
                started: line.started.clone(),
                moves: Vec::new(),
                origin: None,
                ..*line
            },
            players: *players,
            played: game.played(),
            plies: line.moves.len(),
            figures: Color::ALL.map(|color| Figures::of_side(line, color)),
        }
    }
}

/// The figures of a number of engines.
pub(super) fn figures(games: &[GameDigest], engines: usize) -> Vec<Figures> {
    let mut all = vec![Figures::default(); engines];
    for game in games {
        game.players.into_iter().zip(game.figures).for_each(|(engine, figures)| all[engine] += figures);
    }
    all
}
