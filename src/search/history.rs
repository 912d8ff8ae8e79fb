//! What worked before: history of quiet moves and killer moves.

use super::MAX_PLY;
use crate::types::{Color, Move};

/// The bounds of a history value.
const LIMIT: i32 = 8_192;

/// Values of quiet moves, `[color][from or drop kind (88)][to (81)]`, each in ±8192; and two killers a ply.
#[derive(Clone)]
pub(super) struct History {
    quiets: Box<[[[i16; 81]; 88]; 2]>,
    killers: [[Option<Move>; 2]; MAX_PLY + 1],
}

impl History {
    pub(super) fn new() -> History {
        History { quiets: Box::new([[[0; 81]; 88]; 2]), killers: [[None; 2]; MAX_PLY + 1] }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = History::new();
    }

    /// Forgets the killers, which belong to one search, and halves what is known of moves.
    pub(super) fn age(&mut self) {
        self.killers = [[None; 2]; MAX_PLY + 1];
        self.quiets.iter_mut().flatten().flatten().for_each(|value| *value /= 2);
    }

    #[inline(always)]
    pub(super) fn quiet(&self, color: Color, mv: Move) -> i32 {
        i32::from(self.quiets[color][mv.from_or_drop_index()][mv.to()])
    }

    #[inline(always)]
    pub(super) fn killers(&self, ply: usize) -> [Option<Move>; 2] {
        self.killers[ply]
    }

    /// Learns from a quiet move that cut off, and from those that were tried before it and did not.
    pub(super) fn reward(&mut self, color: Color, depth: i32, ply: usize, best: Move, tried: &[Move]) {
        let bonus = (16 * depth * depth).min(1_600);
        self.update(color, best, bonus);
        for &mv in tried.iter().filter(|&&mv| mv != best) {
            self.update(color, mv, -bonus);
        }
        if self.killers[ply][0] != Some(best) {
            self.killers[ply] = [Some(best), self.killers[ply][0]];
        }
    }

    /// Moves the value towards the bonus' sign, the less the nearer it is to the bound.
    fn update(&mut self, color: Color, mv: Move, bonus: i32) {
        let value = &mut self.quiets[color][mv.from_or_drop_index()][mv.to()];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }
}
