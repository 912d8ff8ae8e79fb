//! Figures of the engines from their moves and endings, and the series of Elo and log-likelihood ratio over the games.

use crate::arena::folder::MatchGame;
use crate::arena::plan::SprtPlan;
use crate::arena::stats::{Encounter, Estimate, GameSample, Ledger, PlayedGame, Sprt, SprtDecision, SprtStatus};
use komainu::notation::json::GameLine;
use komainu::notation::record::Ending;
use komainu::types::Color;
use serde::Serialize;
use std::ops::AddAssign;

/// Sums over the moves of an engine, and the games that it lost in an unusual way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
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
    pub(crate) fn of_side(line: &GameLine, color: Color) -> Figures {
        let mut figures = Figures::default();
        let first = usize::from(!black_moves_first(&line.start));
        for played in line.moves.iter().skip((first + color as usize) % 2).step_by(2) {
            let Some(millis) = played.millis else { continue };
            figures.moves += 1;
            figures.millis += millis;
            figures.longest = figures.longest.max(millis);
            // Of a mate an engine reports whatever depth it has come to when it stops at it.
            if let Some(depth) = played.depth
                && !played.is_mate()
            {
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
    pub(crate) fn average_millis(&self) -> Option<f64> {
        ratio(self.millis, self.moves)
    }

    pub(crate) fn average_depth(&self) -> Option<f64> {
        ratio(self.depth, self.depths)
    }

    /// Nodes per second.
    pub(crate) fn nodes_per_second(&self) -> Option<f64> {
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
    if count > 0 { Some(sum as f64 / count as f64) } else { None }
}

/// Tests whether black is to move in a SFEN.
fn black_moves_first(sfen: &str) -> bool {
    sfen.split_ascii_whitespace().nth(1) != Some("w")
}

/// Digest of a game: a hundredth of its size, and all that the numbers follow from.
#[derive(Clone, Debug)]
pub(crate) struct GameDigest {
    /// The game without its moves and without what is known of programs and machine.
    pub(crate) line: GameLine,
    pub(crate) players: [usize; 2],
    /// The game as statistics count it; `None` for a game without a result.
    pub(crate) played: Option<PlayedGame>,
    pub(crate) plies: usize,
    /// The figures of black and white.
    pub(crate) figures: [Figures; 2],
}

impl GameDigest {
    pub(crate) fn of(game: &MatchGame) -> GameDigest {
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
pub(crate) fn engine_figures(games: &[GameDigest], engines: usize) -> Vec<Figures> {
    let mut all = vec![Figures::default(); engines];
    for game in games {
        for (engine, figures) in game.players.into_iter().zip(game.figures) {
            all[engine] += figures;
        }
    }
    all
}

/// Points of a chart, all engines together; each engine has at least [`FEWEST`].
const POINTS: usize = 800;

const FEWEST: usize = 60;

/// Elo that a chart shows at most, so that infinity has a place.
const MAX_ELO: f64 = 2_000.0;

/// The numbers after the games `at`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Series {
    /// Games with a result so far.
    pub at: Vec<u64>,
    /// `[engine][point]`: Elo above all opponents, the lower and the upper end of its interval; `None` before the first
    /// finished pair, in a match without pairs before the first game.
    pub elo: Vec<Vec<Option<[f64; 3]>>>,
    /// The log-likelihood ratio; empty without a test.
    pub llr: Vec<f64>,
}

/// A sequential test at the end of the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TestResult {
    pub status: SprtStatus,
    /// The decision and the games it took: the first one counts, since games under way then go on to their end.
    pub decision: Option<(SprtDecision, u64)>,
}

impl TestResult {
    /// `H0` or `H1`; nothing while the test goes on.
    pub(crate) fn verdict(&self) -> Option<&'static str> {
        self.decision.map(|(decision, _)| if decision == SprtDecision::AcceptH1 { "H1" } else { "H0" })
    }
}

/// The series of a match and the result of its test.
pub(crate) fn follow(
    games: &[GameDigest],
    engines: usize,
    plan: Option<SprtPlan>,
) -> (Ledger, Series, Option<TestResult>) {
    let played: Vec<_> = games.iter().filter_map(|game| game.played).collect();
    let step = played.len().div_ceil((POINTS / engines).max(FEWEST)).max(1);
    let in_pairs = {
        let mut ledger = Ledger::new(engines);
        for &game in &played {
            ledger.add(game);
        }
        ledger.total(0).pentanomial().pairs() > 0
    };
    let test = plan.and_then(|plan| Sprt::new(plan).ok());
    let mut ledger = Ledger::new(engines);
    let mut series = Series { elo: vec![Vec::new(); engines], ..Series::default() };
    let mut result = test.map(|test| TestResult { status: test.status(GameSample::default()), decision: None });
    let mut tested = None;
    for (index, &game) in played.iter().enumerate() {
        ledger.add(game);
        let count = index as u64 + 1;
        if let (Some(test), Some(result)) = (test, &mut result) {
            let sample = test_sample(&ledger.total(0), in_pairs);
            if tested.replace(sample) != Some(sample) {
                result.status = test.status(sample);
                if result.decision.is_none() && result.status.decision != SprtDecision::Continue {
                    result.decision = Some((result.status.decision, count));
                }
            }
        }
        if count.is_multiple_of(step as u64) || index + 1 == played.len() {
            series.at.push(count);
            for (engine, path) in series.elo.iter_mut().enumerate() {
                let total = ledger.total(engine);
                // One game of a pair says who had black, no more.
                let is_settled = !in_pairs || total.pentanomial().pairs() > 0;
                let estimate = if is_settled { Estimate::of(total.sample()) } else { None };
                path.push(estimate.map(|estimate| point(&estimate)));
            }
            series.llr.extend(result.map(|result| round(result.status.llr, 1_000.0)));
        }
    }
    (ledger, series, result)
}

/// Sample of the test: pairs only, if the match plays pairs.
fn test_sample(encounter: &Encounter, in_pairs: bool) -> GameSample {
    if in_pairs { encounter.pentanomial().into() } else { encounter.tally().into() }
}

fn point(estimate: &Estimate) -> [f64; 3] {
    let elo = estimate.elo;
    [elo.value, elo.low, elo.high].map(|value| round(value.clamp(-MAX_ELO, MAX_ELO), 10.0))
}

/// Rounded to a part of one; no "-0".
pub(crate) fn round(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::folder::MatchGame;

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
            let figures = engine_figures(&[game(moves)], 2);
            [0, 1].map(|engine: usize| figures[engine].average_depth())
        };
        let quiet = "{\"m\":\"7g7f\",\"t\":9,\"cp\":5,\"d\":8},{\"m\":\"3c3d\",\"t\":9,\"cp\":-5,\"d\":6}";
        let mates = "{\"m\":\"2g2f\",\"t\":9,\"mate\":5,\"d\":245},{\"m\":\"8c8d\",\"t\":9,\"mate\":-4,\"d\":245}";
        assert_eq!(depths(quiet), [Some(8.0), Some(6.0)]);
        assert_eq!(depths(&format!("{quiet},{mates}")), [Some(8.0), Some(6.0)]);
        assert_eq!(depths(mates), [None, None]);
    }
}
