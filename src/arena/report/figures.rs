//! Figures of each engine from moves and endings, beside its results.

use crate::arena::folder::MatchGame;
use crate::notation::record::Ending;
use crate::types::Color;

/// Sums over the moves of an engine, and the games that it lost in an unusual way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    pub moves: u64,
    /// Milliseconds of these moves.
    pub millis: u64,
    /// Milliseconds of the longest one.
    pub longest: u64,
    /// Moves with a depth and no mate.
    pub depths: u64,
    /// The sum of these depths.
    pub depth: u64,
    /// Nodes of the moves that have both nodes and a time.
    pub nodes: u64,
    /// Milliseconds of these moves.
    pub node_millis: u64,
    pub time_losses: u64,
    /// Games lost by an illegal move or a false declaration.
    pub illegal_moves: u64,
    /// Games lost because the program ended or did not answer.
    pub crashes: u64,
    /// Crashes in which it did not answer.
    pub stalls: u64,
    /// Games that it would have lost on time if the machine had not stood still.
    pub host_stalls: u64,
}

impl Figures {
    /// The figures of a number of engines.
    pub(super) fn of(games: &[MatchGame], engines: usize) -> Vec<Figures> {
        let mut all = vec![Figures::default(); engines];
        for game in games {
            all.iter_mut().enumerate().for_each(|(engine, figures)| figures.count(game, engine));
        }
        all
    }

    /// Counts a game, if the engine played it.
    fn count(&mut self, game: &MatchGame, engine: usize) {
        let Some(side) = game.players.iter().position(|&player| player == engine) else { return };
        let first = usize::from(!black_moves_first(&game.line.start));
        for played in game.line.moves.iter().skip((first + side) % 2).step_by(2) {
            let Some(millis) = played.millis else { continue };
            self.moves += 1;
            self.millis += millis;
            self.longest = self.longest.max(millis);
            // Of a mate an engine reports whatever depth it has come to when it stops at it.
            if let Some(depth) = played.depth.filter(|_| played.mate.is_none()) {
                self.depths += 1;
                self.depth += u64::from(depth);
            }
            if let Some(nodes) = played.nodes {
                self.nodes += nodes;
                self.node_millis += millis;
            }
        }
        let color = if side == 0 { Color::Black } else { Color::White };
        if game.line.winner == Some(!color) {
            match game.line.ending {
                _ if game.line.host_stall_ms.is_some() => self.host_stalls += 1,
                Ending::TimeUp => self.time_losses += 1,
                Ending::IllegalMove | Ending::FalseDeclaration => self.illegal_moves += 1,
                Ending::Crash => self.crashes += 1,
                Ending::Stall => {
                    self.crashes += 1;
                    self.stalls += 1;
                }
                _ => {}
            }
        }
    }

    /// Milliseconds per move.
    pub(super) fn average_millis(&self) -> Option<f64> {
        ratio(self.millis, self.moves)
    }

    pub(super) fn average_depth(&self) -> Option<f64> {
        ratio(self.depth, self.depths)
    }

    /// Nodes per second.
    pub(super) fn nodes_per_second(&self) -> Option<f64> {
        ratio(self.nodes, self.node_millis).map(|per_milli| per_milli * 1_000.0)
    }
}

fn ratio(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

/// Tests whether black is to move in a SFEN.
fn black_moves_first(sfen: &str) -> bool {
    sfen.split_ascii_whitespace().nth(1) != Some("w")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::json::GameLine;

    /// Game of two engines with these moves as JSON.
    fn game(moves: &str) -> MatchGame {
        let line = format!(
            "{{\"game\":0,\"pair\":0,\"round\":0,\"players\":[\"a\",\"b\"],\"start\":\"\",\"opening_plies\":0,\
             \"moves\":[{moves}],\"ending\":\"checkmate\",\"winner\":\"black\",\"started\":\"\",\"duration_ms\":0}}"
        );
        let line: GameLine = serde_json::from_str(&line).expect("a game");
        MatchGame { line, players: [0, 1] }
    }

    #[test]
    fn the_depth_at_which_an_engine_stops_at_a_mate_is_no_depth() {
        let depths = |moves: &str| {
            let figures = Figures::of(&[game(moves)], 2);
            [0, 1].map(|engine: usize| figures[engine].average_depth())
        };
        let quiet = "{\"m\":\"7g7f\",\"t\":9,\"cp\":5,\"d\":8},{\"m\":\"3c3d\",\"t\":9,\"cp\":-5,\"d\":6}";
        let mates = "{\"m\":\"2g2f\",\"t\":9,\"mate\":5,\"d\":245},{\"m\":\"8c8d\",\"t\":9,\"mate\":-4,\"d\":245}";
        assert_eq!(depths(quiet), [Some(8.0), Some(6.0)]);
        assert_eq!(depths(&format!("{quiet},{mates}")), [Some(8.0), Some(6.0)]);
        assert_eq!(depths(mates), [None, None]);
    }
}
