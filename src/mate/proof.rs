//! The verifier: walks a whole proof and knows nothing but the rules.
//!
//! A [`Prover`] is asked for one move in each position of the attacker. The verifier makes the move, sees that it is
//! legal and gives check, and goes on behind every legal answer. A position that was walked through is kept with the
//! attacker's hand, its move and the length that was found; one with the same board, at least that hand and no less
//! room counts as walked through. Every step shortens what is left, so no repetition can hide in a proof.

use super::length::Length;
use crate::movegen::{Evasions, generate, is_legal};
use crate::position::Position;
use crate::types::{Hand, Key, Move, PieceType};

/// Names the mating moves, which the verifier checks.
pub(super) trait Prover {
    /// A move that mates in at most `len` plies, and in how many.
    fn mating_move(&mut self, pos: &Position, len: Length) -> Option<(Move, Length)>;
    /// Tests whether the walk must end.
    fn is_over(&mut self) -> bool;
}

/// Why a proof was not verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerifyError {
    /// The prover named no move, or one that is illegal, gives no check, or does not mate in time.
    NoMate,
    /// The walk had to end.
    Over,
    /// The proof is larger than the memory for it.
    Full,
}

/// A position of the attacker in a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    key: u64,
    hand: Hand,
    mv: Option<Move>,
    /// The mate is at most this long; 0 in an empty slot.
    len: Length,
}

/// A proof that was walked through.
#[derive(Clone, PartialEq, Eq)]
pub struct Proof {
    steps: Vec<Step>,
    used: usize,
    most: usize,
}

impl Proof {
    /// Room for a proof in at most this many bytes.
    pub(super) fn new(bytes: usize) -> Proof {
        // While the table doubles the old half is still there.
        let most = 1 << (bytes * 2 / 3 / size_of::<Step>()).max(1 << 10).ilog2();
        Proof { steps: vec![Step::default(); 1 << 8], used: 0, most }
    }

    /// The number of positions of the attacker.
    pub fn positions(&self) -> usize {
        self.used
    }

    fn home(&self, key: Key) -> usize {
        (key.0 >> 20) as usize & (self.steps.len() - 1)
    }

    /// The entries of a board.
    fn run(&self, key: Key) -> impl Iterator<Item = &Step> {
        let (home, mask) = (self.home(key), self.steps.len() - 1);
        (0..)
            .map(move |i| &self.steps[(home + i) & mask])
            .take_while(|step| step.len > 0)
            .filter(move |step| step.key == key.0)
    }

    /// The move with the shortest mate that was walked through from a position.
    pub(super) fn find(&self, pos: &Position) -> Option<(Move, Length)> {
        self.find_with_hand(pos).map(|(mv, len, _)| (mv, len))
    }

    /// As [`Proof::find`], with the hand for which it was walked through.
    pub(super) fn find_with_hand(&self, pos: &Position) -> Option<(Move, Length, Hand)> {
        let hand = pos.hand(pos.side());
        let fitting = self.run(pos.board_key()).filter(|step| hand.dominates(step.hand));
        let best = fitting.min_by_key(|step| step.len)?;
        best.mv.map(|mv| (mv, best.len, best.hand))
    }

    /// Keeps a position that was walked through.
    fn keep(&mut self, pos: &Position, mv: Move, len: Length) -> Result<(), VerifyError> {
        let (key, hand) = (pos.board_key(), pos.hand(pos.side()));
        let mask = self.steps.len() - 1;
        let mut at = self.home(key);
        while self.steps[at].len > 0 {
            let step = &mut self.steps[at];
            if step.key == key.0 && step.hand == hand {
                if len < step.len {
                    (step.len, step.mv) = (len, Some(mv));
                }
                return Ok(());
            }
            at = (at + 1) & mask;
        }
        self.steps[at] = Step { key: key.0, hand, mv: Some(mv), len };
        self.used += 1;
        if self.used * 3 > self.steps.len() * 2 { self.grow() } else { Ok(()) }
    }

    fn grow(&mut self) -> Result<(), VerifyError> {
        if self.steps.len() >= self.most {
            return Err(VerifyError::Full);
        }
        let larger = vec![Step::default(); self.steps.len() * 2];
        let old = std::mem::replace(&mut self.steps, larger);
        let mask = self.steps.len() - 1;
        for step in old.into_iter().filter(|step| step.len > 0) {
            let mut at = self.home(Key(step.key));
            while self.steps[at].len > 0 {
                at = (at + 1) & mask;
            }
            self.steps[at] = step;
        }
        Ok(())
    }

    /// Walks through the proof of a mate in at most `len` plies. The length is that of the prover's mate against the
    /// longest resistance.
    pub(super) fn walk(
        &mut self,
        pos: &mut Position,
        prover: &mut impl Prover,
        len: Length,
    ) -> Result<Length, VerifyError> {
        if let Some((_, known)) = self.find(pos)
            && known <= len
        {
            return Ok(known);
        }
        if prover.is_over() {
            return Err(VerifyError::Over);
        }
        let (mv, claimed) = prover.mating_move(pos, len).ok_or(VerifyError::NoMate)?;
        if claimed > len || claimed == 0 || !is_legal(pos, mv) {
            return Err(VerifyError::NoMate);
        }
        pos.do_move(mv);
        let longest = self.walk_answers(pos, prover, claimed);
        pos.undo();
        let longest = longest?;
        self.keep(pos, mv, longest)?;
        Ok(longest)
    }

    /// Walks on behind every answer to a check.
    fn walk_answers(
        &mut self,
        pos: &mut Position,
        prover: &mut impl Prover,
        claimed: Length,
    ) -> Result<Length, VerifyError> {
        if !pos.in_check() {
            return Err(VerifyError::NoMate);
        }
        let mut longest = 1;
        for answer in generate::<Evasions>(pos).iter().copied() {
            let left = claimed.checked_sub(2).filter(|&left| left > 0).ok_or(VerifyError::NoMate)?;
            pos.do_move(answer);
            let found = self.walk(pos, prover, left);
            pos.undo();
            longest = longest.max(found? + 2);
        }
        Ok(longest)
    }

    /// The answers to the check in a position of the proof with the plies that the proof leaves behind each, those with
    /// the longest proof first.
    pub(super) fn answers(&self, pos: &Position) -> Vec<(Length, Move)> {
        let mut after = pos.clone();
        let mut answers: Vec<((Length, i32), Move)> = Vec::new();
        for &answer in generate::<Evasions>(pos).iter() {
            after.do_move(answer);
            let left = self.find(&after).map_or(0, |found| found.1);
            after.undo();
            answers.push(((left, defence_order(pos, answer)), answer));
        }
        answers.sort_by_key(|&(rank, _)| std::cmp::Reverse(rank));
        answers.into_iter().map(|((left, _), answer)| (left, answer)).collect()
    }

    /// The line of a proof that was walked through. In each position of the defender `choose` is given its answers,
    /// those with the longest proof first, and the plies that the longest one leaves; if it names none the first is
    /// played.
    pub(super) fn line(
        &self,
        pos: &Position,
        mut choose: impl FnMut(&Position, &[Move], Length) -> Option<Move>,
    ) -> Vec<Move> {
        let mut pos = pos.clone();
        let mut line = Vec::new();
        while let Some((mv, _)) = self.find(&pos) {
            line.push(mv);
            pos.do_move(mv);
            let answers = self.answers(&pos);
            let Some(&(left, first)) = answers.first() else { break };
            let longest: Vec<Move> =
                answers.iter().take_while(|&&(its, _)| its == left).map(|&(_, answer)| answer).collect();
            let answer = if longest.len() > 1 { choose(&pos, &longest, left).unwrap_or(first) } else { first };
            line.push(answer);
            pos.do_move(answer);
        }
        line
    }
}

/// Among equally long answers: captures before moves before drops, cheap drops before dear ones.
fn defence_order(pos: &Position, answer: Move) -> i32 {
    if let Some(taken) = pos.piece_on(answer.to()) {
        return 10_000 + taken.piece_type().value();
    }
    match answer.kind() {
        crate::types::MoveKind::Drop { piece_type, .. } => -piece_type.value(),
        crate::types::MoveKind::Board { .. } => 0,
    }
}

/// The number of positions, in words.
impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a proof of {} positions", self.used)
    }
}

/// The pieces that the attacker still holds at the end of a mating line.
pub(super) fn left_over(pos: &Position, line: &[Move]) -> Vec<(PieceType, u8)> {
    let mut end = pos.clone();
    line.iter().for_each(|&mv| end.do_move(mv));
    end.hand(pos.side()).iter().collect()
}
