//! Futile interpositions (muda-ai): drops between the king and a distant checker that only feed it.
//!
//! The rules know no such thing, and lengths count every interposition; but solvers of composed problems expect lines
//! without them. Here a drop on a square between the king and its only checker is futile if
//!
//! 1. the checker can take it at once, with check, and
//! 2. if the piece that was taken is given back, so that the checker stands nearer and all else is as before, a mate
//!    follows that takes no more plies than the mate against the other answers took. Nearer interpositions that are
//!    futile themselves do not count as answers then.
//!
//! Where every answer is futile the position counts as mate. What the second condition asks for is proved and walked
//! through as every other mate; what cannot be proved cheaply is not futile.

use super::limits::LimitChecker;
use super::node::Length;
use super::proof::{Proof, with_hand};
use super::solver::{Solver, TableProver};
use crate::bitboard::{Bitboard, between};
use crate::movegen::{Evasions, generate, is_legal};
use crate::position::Position;
use crate::types::{Move, MoveKind};

/// Nodes that may be spent on the question whether interpositions on one square are futile.
const BUDGET: u64 = 100_000;

impl Solver {
    /// The line of a proof against the longest resistance without futile interpositions; `None` if it holds none.
    pub(crate) fn line_without_futile(
        &mut self,
        pos: &Position,
        proof: &Proof,
        limit_checker: &mut LimitChecker,
    ) -> Option<Vec<Move>> {
        let mut sub_proof = Proof::new(self.proof_bytes / 4);
        let mut pos = pos.clone();
        let mut line = Vec::new();
        let mut has_futile = false;
        while let Some((mv, _)) = proof.find(&pos) {
            line.push(mv);
            pos.do_move(mv);
            let answers = proof.answers(&pos);
            let inside = inside_of_check(&pos);
            // What the mate takes against the answers that are no such drops.
            let mut longest = 0;
            for &(left, answer) in &answers {
                if !(answer.is_drop() && inside.contains(answer.to())) {
                    longest = longest.max(left + 1);
                }
            }
            let mut futile = Bitboard::EMPTY;
            for square in inside {
                let drop = answers.iter().find(|(_, answer)| answer.is_drop() && answer.to() == square);
                let Some(&(_, drop)) = drop else { continue };
                limit_checker.set_budget(BUDGET);
                if self.is_futile(&pos, drop, longest, &mut sub_proof, limit_checker) {
                    futile |= Bitboard::from_square(square);
                }
                limit_checker.end_budget();
            }
            has_futile |= !futile.is_empty();
            let useful = answers.iter().find(|(_, answer)| !(answer.is_drop() && futile.contains(answer.to())));
            let Some(&(_, answer)) = useful else { break };
            line.push(answer);
            pos.do_move(answer);
        }
        if has_futile { Some(line) } else { None }
    }

    /// Tests whether drops on the square of this one are futile; the mate must not take more than `left` plies.
    fn is_futile(
        &mut self,
        pos: &Position,
        drop: Move,
        left: Length,
        sub_proof: &mut Proof,
        limit_checker: &mut LimitChecker,
    ) -> bool {
        let Some(checker) = pos.checkers().first() else { return false };
        for capture in [Move::promotion(checker, drop.to()), Move::board(checker, drop.to())] {
            let Some(mut nearer) = after_exchange(pos, drop, capture) else { continue };
            let is_mate = generate::<Evasions>(&nearer).iter().all(|&answer| {
                let is_inside = answer.is_drop() && inside_of_check(&nearer).contains(answer.to());
                is_inside && self.is_futile(&nearer, answer, left, sub_proof, limit_checker)
                    || self.is_mated_after(&mut nearer, answer, left, sub_proof, limit_checker)
            });
            if is_mate {
                return true;
            }
        }
        false
    }

    /// Tests whether a mate follows this answer that takes no more than `left` plies together with it.
    fn is_mated_after(
        &mut self,
        pos: &mut Position,
        answer: Move,
        left: Length,
        sub_proof: &mut Proof,
        limit_checker: &mut LimitChecker,
    ) -> bool {
        if left < 2 {
            return false;
        }
        pos.do_move(answer);
        let walked = sub_proof.walk(pos, &mut TableProver { solver: self, limit_checker }, left - 1);
        pos.undo();
        walked.is_ok()
    }
}

/// The squares between the king in check and its only checker.
fn inside_of_check(pos: &Position) -> Bitboard {
    let Some(king) = pos.king(pos.side()) else { return Bitboard::EMPTY };
    let Some(checker) = pos.checkers().first() else { return Bitboard::EMPTY };
    if pos.checkers().is_many() { Bitboard::EMPTY } else { between(king, checker) }
}

/// The position after a drop and its capture by the checker, the piece given back; `None` unless the capture is legal
/// and gives check.
fn after_exchange(pos: &Position, drop: Move, capture: Move) -> Option<Position> {
    let MoveKind::Drop { piece_type, .. } = drop.kind() else { return None };
    let mut after = pos.after(drop);
    if !is_legal(&after, capture) {
        return None;
    }
    after.do_move(capture);
    let mut hand = after.hand(after.side());
    hand.add(piece_type);
    if after.in_check() { Some(with_hand(&after, hand)) } else { None }
}
