//! Figures of each engine from moves and endings, beside its results.

use komainu::notation::json::GameLine;
use komainu::notation::record::Ending;
use komainu::types::Color;
use std::ops::AddAssign;

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
    /// The figures of one side in a game.
    pub(super) fn of_side(line: &GameLine, color: Color) -> Figures {
        let mut figures = Figures::default();
        let first = usize::from(!black_moves_first(&line.start));
        for played in line.moves.iter().skip((first + color as usize) % 2).step_by(2) {
            let Some(millis) = played.millis else { continue };
            figures.moves += 1;
            figures.millis += millis;
            figures.longest = figures.longest.max(millis);
            // Of a mate an engine reports whatever depth it has come to when it stops at it.
            if let Some(depth) = played.depth.filter(|_| played.mate.is_none()) {
                figures.depths += 1;
                figures.depth += u64::from(depth);
            }
            if let Some(nodes) = played.nodes {
                figures.nodes += nodes;
                figures.node_millis += millis;
            }
        }
        if line.winner == Some(!color) {
            match line.ending {
                _ if line.host_stall_ms.is_some() => figures.host_stalls += 1,
                Ending::TimeUp => figures.time_losses += 1,
                Ending::IllegalMove | Ending::FalseDeclaration => figures.illegal_moves += 1,
                Ending::Crash => figures.crashes += 1,
                Ending::Stall => {
                    figures.crashes += 1;
                    figures.stalls += 1;
                }
                _ => {}
            }
        }
        figures
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

impl AddAssign for Figures {
    fn add_assign(&mut self, more: Figures) {
        self.moves += more.moves;
        self.millis += more.millis;
        self.longest = self.longest.max(more.longest);
        self.depths += more.depths;
        self.depth += more.depth;
        self.nodes += more.nodes;
        self.node_millis += more.node_millis;
        self.time_losses += more.time_losses;
        self.illegal_moves += more.illegal_moves;
        self.crashes += more.crashes;
        self.stalls += more.stalls;
        self.host_stalls += more.host_stalls;
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
    use crate::arena::folder::MatchGame;
    use crate::arena::report::digest::{GameDigest, figures};

    /// Game of two engines with these moves as JSON.
    fn game(moves: &str) -> GameDigest {
        let line = format!(
            "{{\"game\":0,\"pair\":0,\"round\":0,\"players\":[\"a\",\"b\"],\"start\":\"\",\"opening_plies\":0,\
             \"moves\":[{moves}],\"ending\":\"checkmate\",\"winner\":\"black\",\"started\":\"\",\"duration_ms\":0}}"
        );
        let line: GameLine = serde_json::from_str(&line).expect("a game");
        GameDigest::of(&MatchGame { line, players: [0, 1] })
    }

    #[test]
    fn the_depth_at_which_an_engine_stops_at_a_mate_is_no_depth() {
        let depths = |moves: &str| {
            let figures = figures(&[game(moves)], 2);
            [0, 1].map(|engine: usize| figures[engine].average_depth())
        };
        let quiet = "{\"m\":\"7g7f\",\"t\":9,\"cp\":5,\"d\":8},{\"m\":\"3c3d\",\"t\":9,\"cp\":-5,\"d\":6}";
        let mates = "{\"m\":\"2g2f\",\"t\":9,\"mate\":5,\"d\":245},{\"m\":\"8c8d\",\"t\":9,\"mate\":-4,\"d\":245}";
        assert_eq!(depths(quiet), [Some(8.0), Some(6.0)]);
        assert_eq!(depths(&format!("{quiet},{mates}")), [Some(8.0), Some(6.0)]);
        assert_eq!(depths(mates), [None, None]);
    }
}
