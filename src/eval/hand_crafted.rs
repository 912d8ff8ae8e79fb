//! The hand-crafted evaluation, updated incrementally.

use super::features::{self, PHASES, ReferenceKing};
use super::weights::WEIGHTS;
use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Score, Square};

/// A weight or a sum of weights: middlegame and endgame value, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TaperedScore([i32; 2]);

impl TaperedScore {
    #[inline(always)]
    fn of(feature: usize) -> TaperedScore {
        TaperedScore(WEIGHTS[feature].map(i32::from))
    }

    /// Adds a weight for black, subtracts it for white.
    #[inline(always)]
    fn add(&mut self, color: Color, TaperedScore(weight): TaperedScore) {
        let sign = if color == Color::Black { 1 } else { -1 };
        self.0[0] += sign * weight[0];
        self.0[1] += sign * weight[1];
    }
}

/// The incremental terms of a position, from black's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms {
    /// Material on the board and in hand, and the kings' squares.
    king_independent: TaperedScore,
    /// All pieces relative to the king of each colour.
    king_relative: [TaperedScore; 2],
    /// The king has moved since: its term must be computed from the board.
    stale: [bool; 2],
    kings: [Option<Square>; 2],
    /// `[color][piece type]`: pieces in hand, so that a change of a count can be turned into a difference.
    held: [[u8; 8]; 2],
    /// The pieces in hand as [`features::phase`] counts them, without a limit.
    phase: i32,
}

/// The hand-crafted evaluation as an observer of a position.
///
/// Before each move call [`HandCrafted::push`], after taking it back [`HandCrafted::pop`].
///
/// ```
/// use komainu::eval::HandCrafted;
/// use komainu::position::{Handicap, Position};
///
/// let even = HandCrafted::new(&Position::startpos()).evaluate(&Position::startpos());
/// let handicap = Position::from_sfen(Handicap::Rook.sfen())?;
/// // White is to move and has no rook.
/// assert!(HandCrafted::new(&handicap).evaluate(&handicap) < even);
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct HandCrafted {
    now: Terms,
    before: Vec<Terms>,
}

impl HandCrafted {
    /// The evaluation of a position, to be kept along with it.
    pub fn new(pos: &Position) -> HandCrafted {
        let zero = TaperedScore::default();
        let now = Terms {
            king_independent: zero,
            king_relative: [zero; 2],
            stale: [true; 2],
            kings: [None; 2],
            held: [[0; 8]; 2],
            phase: 0,
        };
        let mut eval = HandCrafted { now, before: Vec::new() };
        for square in pos.occupied() {
            if let Some(piece) = pos.piece_on(square) {
                eval.piece_added(piece, square);
            }
        }
        for color in Color::ALL {
            for (piece_type, count) in pos.hand(color).iter() {
                eval.hand_changed(color, piece_type, count);
            }
        }
        eval.refresh(pos);
        eval
    }

    /// The score for the side to move.
    #[inline(always)]
    pub fn evaluate(&mut self, pos: &Position) -> Score {
        if self.now.stale != [false; 2] {
            self.refresh(pos);
        }
        let Terms { king_independent, king_relative, phase, .. } = self.now;
        let mut sum = king_independent;
        for term in king_relative {
            sum.add(Color::Black, term);
        }
        sum.add(pos.side(), TaperedScore::of(features::tempo()));
        let phase = phase.min(PHASES);
        let score = (sum.0[0] * (PHASES - phase) + sum.0[1] * phase) / PHASES;
        Score(if pos.side() == Color::Black { score } else { -score })
    }

    /// Computes the terms of kings that have moved from the board.
    fn refresh(&mut self, pos: &Position) {
        for owner in Color::ALL {
            if !std::mem::replace(&mut self.now.stale[owner], false) {
                continue;
            }
            let mut sum = TaperedScore::default();
            if let Some(king) = pos.king(owner) {
                for square in pos.occupied() {
                    if let Some(piece) = pos.piece_on(square).filter(|piece| piece.piece_type() != PieceType::King) {
                        sum.add(piece.color(), king_relative(piece, square, king, owner));
                    }
                }
            }
            self.now.king_relative[owner] = sum;
        }
    }

    /// Stores the terms before a move.
    #[inline(always)]
    pub fn push(&mut self) {
        self.before.push(self.now);
    }

    /// Restores the terms before the last move.
    #[inline(always)]
    pub fn pop(&mut self) {
        if let Some(terms) = self.before.pop() {
            self.now = terms;
        }
    }

    /// A piece is added or removed.
    #[inline(always)]
    fn change(&mut self, piece: Piece, square: Square, is_added: bool) {
        let (color, piece_type) = (piece.color(), piece.piece_type());
        // A removed piece counts against its side.
        let sign = if is_added { color } else { !color };
        if piece_type == PieceType::King {
            self.now.king_independent.add(sign, TaperedScore::of(features::king(color, square)));
            self.now.kings[color] = is_added.then_some(square);
            self.now.stale[color] = true;
            return;
        }
        self.now.king_independent.add(sign, TaperedScore::of(features::board(piece_type)));
        for owner in Color::ALL {
            if let (Some(king), false) = (self.now.kings[owner], self.now.stale[owner]) {
                self.now.king_relative[owner].add(sign, king_relative(piece, square, king, owner));
            }
        }
    }
}

#[inline(always)]
fn king_relative(piece: Piece, square: Square, king: Square, owner: Color) -> TaperedScore {
    let reference = if owner == piece.color() { ReferenceKing::Own } else { ReferenceKing::Enemy };
    TaperedScore::of(features::king_relative(piece, square, king, reference))
}

impl Observer for HandCrafted {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.change(piece, square, true);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.change(piece, square, false);
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        let before = std::mem::replace(&mut self.now.held[color][piece_type.index() & 7], count);
        if before > 0 {
            self.now.king_independent.add(!color, TaperedScore::of(features::hand(piece_type, before)));
        }
        if count > 0 {
            self.now.king_independent.add(color, TaperedScore::of(features::hand(piece_type, count)));
        }
        self.now.phase += features::phase_weight(piece_type) * (i32::from(count) - i32::from(before));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};
    use crate::random::SplitMix64;

    /// The score by the list of features, the slow truth.
    fn by_features(pos: &Position) -> Score {
        let mut sum = [0; 2];
        features::visit(pos, |feature, sign| {
            (0..2).for_each(|part| sum[part] += sign * i32::from(WEIGHTS[feature][part]));
        });
        let phase = features::phase(pos);
        let score = (sum[0] * (PHASES - phase) + sum[1] * phase) / PHASES;
        Score(if pos.side() == Color::Black { score } else { -score })
    }

    #[test]
    fn the_incremental_score_equals_a_fresh_one_on_a_long_walk() {
        let mut random = SplitMix64(7);
        for _ in 0..50 {
            let mut pos = Position::startpos();
            let mut eval = HandCrafted::new(&pos);
            let mut line = vec![];
            for ply in 0..200 {
                let moves = generate::<All>(&pos);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.below(moves.len())];
                eval.push();
                pos.do_move_observed(mv, &mut eval);
                line.push(mv);
                // Not asked at every ply, as in a search: terms of moved kings stay stale for several moves.
                if ply % 3 != 1 {
                    assert_eq!(eval.evaluate(&pos), by_features(&pos), "after {mv} in {pos:?}");
                }
            }
            for mv in line.into_iter().rev() {
                pos.undo();
                eval.pop();
                assert_eq!(eval.evaluate(&pos), by_features(&pos), "after taking back {mv}");
            }
        }
    }

    #[test]
    fn the_score_is_seen_from_the_side_to_move_and_colours_are_alike() {
        let score = |sfen: &str| {
            let pos = Position::from_sfen(sfen).unwrap();
            HandCrafted::new(&pos).evaluate(&pos)
        };
        assert!(score("4k4/9/9/9/9/9/9/9/4K4 b R 1") > Score(800));
        assert!(score("4k4/9/9/9/9/9/9/9/4K4 w R 1") < Score(-800));
        assert_eq!(score("3k5/4g4/9/9/4P4/9/9/4S4/2K6 b Rp 1"), score("6k2/4s4/9/9/4p4/9/9/4G4/5K3 w Pr 1"));
        assert_eq!(score("3k5/4g4/9/9/4P4/9/9/4S4/2K6 b Rp 1"), score("5k3/4g4/9/9/4P4/9/9/4S4/6K2 b Rp 1"));
        // A board with one king is judged by the other one alone.
        assert!(score("4k4/9/9/9/9/9/9/9/9 b 2R 1") > Score(1_500));
    }
}
