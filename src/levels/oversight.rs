//! Answers that a level does not see.
//!
//! A weak player expects the opponent to do what suits himself. At the first two plies below the root each answer is
//! left out with the chance of the level, by a hash of position, move and seed; what the eye falls on at once is always
//! seen.

use super::level::Level;
use super::params::{LevelParams, unit};
use crate::bitboard::attacks;
use crate::position::{CheckInfo, Position};
use crate::random::GOLDEN;
use crate::types::{Move, MoveKind, PieceType, Square};

/// The plies at which answers are overlooked.
const PLIES: std::ops::RangeInclusive<usize> = 1..=2;
/// Factor by which what is hard to see is overlooked more often.
const HARD: f64 = 1.5;
/// Largest share in which an answer is overlooked.
const MOST: f64 = 0.8;
/// Squares from which on a slider's move is hard to see.
const FAR: usize = 4;

/// The level from which captures on the square just moved to are always seen.
const SEES_CAPTURES: Option<Level> = Level::from_grade(-15);
/// The level from which the opponent's checks are always seen.
const SEES_CHECKS: Option<Level> = Level::from_grade(-12);
/// The level from which it is always seen what the piece that the opponent has just moved could do next ...
const SEES_THREATS: Option<Level> = Level::from_grade(-12);
/// ... and how often the others miss that, as a share of what they miss otherwise.
const THREAT_SHARE: f64 = 0.5;

/// What a level does not see in a search.
#[derive(Clone, Copy)]
pub(crate) struct Oversight {
    level: Level,
    /// Chance that an answer is not seen.
    chance: f64,
    seed: u64,
    /// Where the opponent's last move has put its piece: what that piece threatens is looked at.
    threat: Option<Square>,
}

impl Oversight {
    /// What a level overlooks in a search from this position.
    pub(crate) fn new(params: &LevelParams, seed: u64, root: &Position) -> Oversight {
        let threat = root.last_move().map(Move::to);
        Oversight { level: params.level, chance: params.oversight, seed, threat }
    }

    /// All answers are seen.
    pub(crate) fn none() -> Oversight {
        Oversight { level: Level::STRONGEST, chance: 0.0, seed: 0, threat: None }
    }

    /// Tests whether any answer of this ply may be overlooked.
    pub(crate) fn is_at(&self, ply: usize) -> bool {
        self.chance > 0.0 && PLIES.contains(&ply)
    }

    /// Tests whether an answer is overlooked. Answers to a check never are.
    pub(crate) fn overlooks(&self, pos: &Position, info: &CheckInfo, mv: Move, ply: usize) -> bool {
        if !self.is_at(ply) || pos.in_check() {
            return false;
        }
        let captures_last_mover =
            pos.last_move().is_some_and(|last| last.to() == mv.to()) && pos.piece_on(mv.to()).is_some();
        if captures_last_mover {
            return Some(self.level) < SEES_CAPTURES && self.misses(self.chance, pos, mv);
        }
        if (ply > 1 || Some(self.level) >= SEES_CHECKS) && info.gives_check(pos, mv) {
            return false;
        }
        if ply == 1 && mv.from().is_some() && mv.from() == self.threat {
            return Some(self.level) < SEES_THREATS && self.misses(self.chance * THREAT_SHARE, pos, mv);
        }
        let chance = if is_hard_to_see(pos, mv) { (self.chance * HARD).min(MOST) } else { self.chance };
        self.misses(chance, pos, mv)
    }

    fn misses(&self, chance: f64, pos: &Position, mv: Move) -> bool {
        let bits = u64::from(mv.bits()).wrapping_mul(GOLDEN);
        unit(pos.key().0 ^ self.seed.rotate_left(17) ^ bits) < chance
    }
}

/// A slider's move across the board, or a drop that attacks two pieces worth more than it.
fn is_hard_to_see(pos: &Position, mv: Move) -> bool {
    let to = mv.to();
    match mv.kind() {
        MoveKind::Board { from, .. } => from.distance(to) >= FAR,
        MoveKind::Drop { piece_type, .. } => {
            let mut targets = 0;
            for square in attacks(pos.side(), piece_type, to, pos.occupied()) & pos.pieces(!pos.side()) {
                let Some(target) = pos.piece_on(square) else { continue };
                let target = target.piece_type();
                if target == PieceType::King || target.value() > piece_type.value() {
                    targets += 1;
                }
            }
            targets > 1
        }
    }
}
