//! Mate by plain recursion: all legal moves, no table, no order, nothing that the solver uses but the rules.

use komainu::movegen::{All, generate, has_legal_move};
use komainu::position::Position;

/// The length of the shortest mate of at most `plies` (odd) plies, if there is one. The attacker is to move.
pub(crate) fn shortest_mate(pos: &mut Position, plies: u32) -> Option<u32> {
    (1..=plies).step_by(2).find(|&limit| attacker_mates(pos, limit))
}

/// Whether the side to move mates in `plies` or fewer.
pub(crate) fn attacker_mates(pos: &mut Position, plies: u32) -> bool {
    generate::<All>(pos).into_iter().any(|mv| {
        pos.do_move(mv);
        let mates = pos.in_check() && defender_is_mated(pos, plies - 1);
        pos.undo();
        mates
    })
}

fn defender_is_mated(pos: &mut Position, plies: u32) -> bool {
    if plies == 0 {
        return !has_legal_move(pos);
    }
    generate::<All>(pos).into_iter().all(|mv| {
        pos.do_move(mv);
        let mated = attacker_mates(pos, plies - 1);
        pos.undo();
        mated
    })
}
