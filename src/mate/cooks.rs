//! Other first moves that mate too (cooks): what a composer wants to know of a problem.

use super::limit_checker::{MateLimits, OpenReason};
use super::solver::{MateAnswer, Query, Solver};
use crate::host::Instant;
use crate::movegen::{Checks, Evasions, generate};
use crate::position::Position;
use crate::types::Move;

/// Outcome of a first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstMove {
    /// A mate, and its length in plies, the first move included; the shortest if the query asked for it.
    Mate(u32),
    /// The defender gets away.
    NoMate,
    /// Not found out.
    Unknown(OpenReason),
}

impl Solver {
    /// Every check of a position with what it leads to. The limits are for all of them together.
    ///
    /// ```
    /// use komainu::mate::{FirstMove, Query, Solver};
    /// use komainu::position::Position;
    ///
    /// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
    /// let moves = Solver::new(1)?.first_moves(&position, &Query::default());
    /// let mates: Vec<String> =
    ///     moves.iter().filter(|(_, found)| matches!(found, FirstMove::Mate(1))).map(|(mv, _)| mv.to_string()).collect();
    /// assert_eq!((mates, moves.len()), (vec!["G*5b".to_string()], 7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_moves(&mut self, pos: &Position, query: &Query) -> Vec<(Move, FirstMove)> {
        let started = Instant::now();
        let mut nodes = 0;
        let mut pos = pos.clone();
        let mut found = Vec::new();
        for &mv in generate::<Checks>(&pos).iter() {
            pos.do_move(mv);
            let left = Query { limits: rest(&query.limits, started, nodes), ..*query };
            let (status, used) = self.after_first_move(&mut pos, &left);
            pos.undo();
            nodes += used;
            found.push((mv, status));
        }
        found
    }

    /// Outcome of a check over all answers of the defender, and the nodes that it took.
    fn after_first_move(&mut self, pos: &mut Position, query: &Query) -> (FirstMove, u64) {
        let started = Instant::now();
        let (mut longest, mut nodes) = (1, 0);
        for &answer in generate::<Evasions>(pos).iter() {
            pos.do_move(answer);
            let report = self.solve(pos, &Query { limits: rest(&query.limits, started, nodes), ..*query });
            pos.undo();
            nodes += report.nodes;
            match report.answer {
                MateAnswer::Mate(mate) => longest = longest.max(mate.length + 2),
                MateAnswer::NoMate => return (FirstMove::NoMate, nodes),
                MateAnswer::Unknown(reason) => return (FirstMove::Unknown(reason), nodes),
            }
        }
        (FirstMove::Mate(longest), nodes)
    }
}

/// Limits less the time and nodes that are used up.
fn rest<'a>(limits: &MateLimits<'a>, started: Instant, nodes: u64) -> MateLimits<'a> {
    MateLimits {
        time: limits.time.map(|time| time.saturating_sub(started.elapsed())),
        nodes: limits.nodes.map(|limit| limit.saturating_sub(nodes)),
        stop: limits.stop,
    }
}
