//! Correction history: how far the static evaluation was off lately in positions that have something in common.
//!
//! After a search has found a better score for a quiet position, the difference is remembered under keys of what
//! changes slowly (pawns, small pieces, the pieces of each side, the hands) and under the moves two and four plies
//! before. Later positions with the same key are corrected by it (Caissa; Stockfish; chessprogramming wiki, "Static
//! evaluation correction history"). The size of the correction also says how unsure an evaluation is.

use super::cells::Cells;
use super::history::{PIECE_TOS, PieceTo};
use super::params::*;
use crate::position::{Observer, Position, piece_key};
use crate::random::GOLDEN;
use crate::system::prefetch;
use crate::types::{Color, Key, Piece, PieceType, Score, Square};

/// Entries of each table and side.
const SIZE: usize = 1 << 16;
/// Bound of a value.
const LIMIT: i32 = 1_024;
/// Content of a continuation's cell before anything is learnt.
const CONTINUATION_FILL: i16 = 6;
/// A correction of one centipawn.
const UNIT: i32 = 131_072;

/// Tables that are indexed by a key.
const KEYS: usize = 5;
const PAWN: usize = 0;
const MINOR: usize = 1;
const NON_PAWN: [usize; 2] = [2, 3];
const HAND: usize = 4;

/// Keys of the slowly changing parts of a position, kept incrementally as an observer of its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CorrectionKeys {
    /// Unpromoted pawns of both sides.
    pawn: Key,
    /// Lances, knights, silvers, golds and all small promoted pieces of both sides.
    minor: Key,
    /// All pieces of a side but its unpromoted pawns, the king among them.
    non_pawn: [Key; 2],
}

impl CorrectionKeys {
    /// The keys of a position.
    pub(crate) fn new(pos: &Position) -> CorrectionKeys {
        let mut keys = CorrectionKeys::default();
        for square in pos.occupied() {
            if let Some(piece) = pos.piece_on(square) {
                keys.toggle(piece, square);
            }
        }
        keys
    }

    /// The key of the pawns on the board.
    pub(crate) fn pawn(&self) -> u64 {
        self.pawn.0
    }

    fn toggle(&mut self, piece: Piece, square: Square) {
        let key = piece_key(piece, square);
        let within = &WITHIN[piece.piece_type().index()];
        self.pawn ^= Key(key.0 & within.pawn);
        self.minor ^= Key(key.0 & within.minor);
        self.non_pawn[piece.color()] ^= Key(key.0 & within.non_pawn);
    }
}

/// The keys in which a type is: all bits of those, none of the others. Every move asks twice or more, and a match would
/// be a jump.
#[derive(Clone, Copy)]
struct Within {
    pawn: u64,
    minor: u64,
    non_pawn: u64,
}

/// `[type]`
static WITHIN: [Within; 15] = {
    use PieceType::*;
    let mut table = [Within { pawn: 0, minor: 0, non_pawn: !0 }; 15];
    let mut i = 0;
    while i < PieceType::ALL.len() {
        let piece_type = PieceType::ALL[i];
        table[piece_type.index()] = match piece_type {
            Pawn => Within { pawn: !0, minor: 0, non_pawn: 0 },
            Bishop | Rook | King | Horse | Dragon => Within { pawn: 0, minor: 0, non_pawn: !0 },
            _ => Within { pawn: 0, minor: !0, non_pawn: !0 },
        };
        i += 1;
    }
    table
};

impl Observer for CorrectionKeys {
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
    }

    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
    }

    fn hand_changed(&mut self, _: Color, _: PieceType, _: u8) {}
}

/// Where the corrections of a position are kept.
#[derive(Clone, Copy)]
struct Places {
    keyed: [usize; KEYS],
    /// The last move as an answer to the moves two and four plies before this position; none after a null move.
    continuations: Option<[usize; 2]>,
}

/// The last moves before a position: what it was reached by, and what the same side's moves before were.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastMoves {
    pub(crate) last: PieceTo,
    pub(crate) two_before: PieceTo,
    pub(crate) four_before: PieceTo,
}

/// Correction histories, which all threads of a pool learn together. A clone is the same tables.
#[derive(Clone, Default)]
pub(crate) struct Corrections {
    /// `[table][side to move][key]`, flat, within ±1,024.
    keyed: Cells,
    /// `[earlier piece and destination][last piece and destination]`, flat, within ±1,024.
    continuations: Cells,
}

impl Corrections {
    pub(crate) fn new() -> Corrections {
        Corrections {
            keyed: Cells::new(0, KEYS * 2 * SIZE),
            continuations: Cells::new(CONTINUATION_FILL, PIECE_TOS * PIECE_TOS),
        }
    }

    /// A sum that changes with everything that is learnt.
    #[cfg(test)]
    pub(crate) fn value_sum(&self) -> i64 {
        self.keyed.value_sum() + self.continuations.value_sum()
    }

    /// Tests whether two handles are of the same tables.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Corrections) -> bool {
        self.keyed.is_same(&other.keyed) && self.continuations.is_same(&other.continuations)
    }

    /// Size of the tables in bytes.
    pub(crate) const BYTES: usize = 2 * (KEYS * 2 * SIZE + PIECE_TOS * PIECE_TOS);

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.keyed.fill(0);
        self.continuations.fill(CONTINUATION_FILL);
    }

    fn places(pos: &Position, keys: &CorrectionKeys, moves: &LastMoves) -> Places {
        let black_hand = u64::from(pos.hand(Color::Black).bits());
        let white_hand = u64::from(pos.hand(Color::White).bits());
        let hands = (black_hand << 32 | white_hand).wrapping_mul(GOLDEN) >> 48;
        let side = pos.side();
        let keyed = [
            keyed_place(PAWN, side, keys.pawn.0),
            keyed_place(MINOR, side, keys.minor.0),
            keyed_place(NON_PAWN[0], side, keys.non_pawn[Color::Black].0),
            keyed_place(NON_PAWN[1], side, keys.non_pawn[Color::White].0),
            keyed_place(HAND, side, hands),
        ];
        let last = moves.last.index();
        let continuations = if moves.last == PieceTo::NONE {
            None
        } else {
            Some([moves.two_before.index() * PIECE_TOS + last, moves.four_before.index() * PIECE_TOS + last])
        };
        Places { keyed, continuations }
    }

    /// Fetches what is known about a position ahead of its [`Corrections::value`].
    #[inline(always)]
    pub(crate) fn prefetch(&self, pos: &Position, keys: &CorrectionKeys, moves: &LastMoves) {
        let places = Corrections::places(pos, keys, moves);
        for &place in &places.keyed {
            prefetch(&self.keyed[place]);
        }
        if let Some([two_before, four_before]) = places.continuations {
            prefetch(&self.continuations[two_before]);
            prefetch(&self.continuations[four_before]);
        }
    }

    /// By how much the past corrects the evaluation of a position, in 1/131,072 centipawn.
    #[inline(always)]
    pub(crate) fn value(&self, pos: &Position, keys: &CorrectionKeys, moves: &LastMoves) -> i32 {
        let places = Corrections::places(pos, keys, moves);
        let [pawn, minor, black, white, hand] = places.keyed.map(|place| self.keyed[place].get());
        let continuations = match places.continuations {
            Some([two_before, four_before]) => {
                self.continuations[two_before].get() + self.continuations[four_before].get()
            }
            None => 8,
        };
        correction_pawn() * pawn
            + correction_minor() * minor
            + correction_non_pawn() * (black + white)
            + correction_hand() * hand
            + correction_continuation() * continuations
    }

    /// Learns that a search found the evaluation to be off; `bonus` is the difference, bounded and scaled.
    pub(crate) fn learn(&self, pos: &Position, keys: &CorrectionKeys, moves: &LastMoves, bonus: i32) {
        let places = Corrections::places(pos, keys, moves);
        let pieces = correction_learn_non_pawn();
        let weights = [128, correction_learn_minor(), pieces, pieces, correction_learn_hand()];
        for (place, weight) in places.keyed.into_iter().zip(weights) {
            self.keyed[place].learn::<LIMIT>(bonus * weight / 128);
        }
        let weights = [correction_learn_two_before(), correction_learn_four_before()];
        for (place, weight) in places.continuations.into_iter().flatten().zip(weights) {
            self.continuations[place].learn::<LIMIT>(bonus * weight / 128);
        }
    }
}

/// Where a table keeps the correction of a key with this side to move.
fn keyed_place(table: usize, side: Color, key: u64) -> usize {
    (table * 2 + side.index()) * SIZE + (key as usize & (SIZE - 1))
}

/// An evaluation with its correction.
pub(crate) fn corrected(eval: Score, correction: i32) -> Score {
    (eval + correction / UNIT).clamp_eval()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};
    use crate::random::SplitMix64;

    const NO_MOVES: LastMoves =
        LastMoves { last: PieceTo::NONE, two_before: PieceTo::NONE, four_before: PieceTo::NONE };

    #[test]
    fn the_keys_follow_the_moves_of_a_long_walk() {
        let mut pos = Position::startpos();
        let mut keys = CorrectionKeys::new(&pos);
        let mut random = SplitMix64(3);
        for _ in 0..400 {
            let moves = generate::<All>(&pos);
            if moves.is_empty() {
                break;
            }
            pos.do_move_observed(*random.pick(&moves), &mut keys);
            assert_eq!(keys, CorrectionKeys::new(&pos), "{pos:?}");
        }
    }

    #[test]
    fn what_was_learnt_corrects_the_same_keys_for_the_same_side() {
        let pos = Position::startpos();
        let keys = CorrectionKeys::new(&pos);
        let mut corrections = Corrections::new();
        let before = corrected(Score(10), corrections.value(&pos, &keys, &NO_MOVES));
        assert_eq!(before, Score(10));
        for _ in 0..50 {
            corrections.learn(&pos, &keys, &NO_MOVES, 256);
        }
        let after = corrected(Score(10), corrections.value(&pos, &keys, &NO_MOVES));
        assert!(after > Score(200) && after < Score(500), "{after:?}");
        let other = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1").unwrap();
        assert_eq!(corrected(Score(10), corrections.value(&other, &keys, &NO_MOVES)), Score(10));
        corrections.clear();
        assert_eq!(corrected(Score(10), corrections.value(&pos, &keys, &NO_MOVES)), Score(10));
    }

    #[test]
    fn the_last_move_is_corrected_after_the_move_that_it_followed() {
        let pos = Position::startpos();
        let keys = CorrectionKeys::new(&pos);
        let at = |n| PieceTo::new(Piece::BPawn, Square::new(n).unwrap());
        let moves = LastMoves { last: at(3), two_before: at(4), four_before: at(5) };
        let other = LastMoves { two_before: at(9), four_before: at(10), ..moves };
        let corrections = Corrections::new();
        let untaught = corrections.value(&pos, &keys, &moves);
        for _ in 0..20 {
            corrections.learn(&pos, &keys, &moves, 256);
        }
        let same = corrections.value(&pos, &keys, &moves);
        let elsewhere = corrections.value(&pos, &keys, &other);
        assert!(same > elsewhere && elsewhere > untaught, "{same} {elsewhere} {untaught}");
    }
}
