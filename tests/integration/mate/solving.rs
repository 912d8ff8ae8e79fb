//! Calls of the solver, and checks of what it says that use the rules alone.

use komainu::mate::{Mate, MateAnswer, MateLimits, Query, Solver};
use komainu::movegen::{has_legal_move, is_legal};
use komainu::position::Position;

/// A limit that no test should reach; in nodes, so that no load brings it nearer.
const LIMITS: MateLimits<'static> = MateLimits { time: None, nodes: Some(100_000_000), stop: None };

/// Asks for the shortest mate.
pub(crate) fn shortest(solver: &mut Solver, pos: &Position) -> MateAnswer {
    checked(pos, solver.solve(pos, &Query { limits: LIMITS, shortest: true, ..Query::default() }).answer)
}

/// Asks for any mate.
pub(crate) fn any_mate(solver: &mut Solver, pos: &Position) -> MateAnswer {
    checked(pos, solver.solve(pos, &Query { limits: LIMITS, ..Query::default() }).answer)
}

/// The answer, after its line was played through.
fn checked(pos: &Position, answer: MateAnswer) -> MateAnswer {
    if let MateAnswer::Mate(mate) = &answer {
        play_through(pos, mate);
    }
    answer
}

/// Every move of the line is legal, every move of the attacker checks, and the last one mates.
pub(crate) fn play_through(pos: &Position, mate: &Mate) {
    let mut pos = pos.clone();
    assert!(mate.line.len() <= mate.length as usize && (mate.line.len() == mate.length as usize || !mate.is_exact));
    assert_eq!(mate.length % 2, 1, "{mate:?}");
    for (ply, &mv) in mate.line.iter().enumerate() {
        assert!(is_legal(&pos, mv), "{mv} of {mate:?} in {pos:?}");
        pos.do_move(mv);
        assert!(ply % 2 == 1 || pos.in_check(), "{mv} of {mate:?} gives no check: {pos:?}");
        assert_eq!(pos.repetition(), None);
    }
    assert!(!has_legal_move(&pos), "{mate:?} does not mate: {pos:?}");
}

/// The length of a mate, if the answer is one.
pub(crate) fn length(answer: &MateAnswer) -> Option<u32> {
    match answer {
        MateAnswer::Mate(mate) => Some(mate.length),
        _ => None,
    }
}

/// Whether the answer is a shortest mate.
pub(crate) fn is_exact(answer: &MateAnswer) -> bool {
    matches!(answer, MateAnswer::Mate(mate) if mate.is_exact)
}
