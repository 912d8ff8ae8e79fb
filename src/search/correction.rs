//! Correction history: how far the static evaluation was off lately in positions that share a structure.
//!
//! After a search has found a better score for a quiet position, the difference is remembered under several keys of what
//! changes slowly: pawns, the pieces around the kings, the light pieces, and the hands. Later positions with the
//! same key are corrected by it (Caissa; Stockfish; chessprogramming wiki, "Static evaluation correction history").

use crate::position::{Observer, Position, piece_key};
use crate::types::{Color, Key, Piece, PieceType, Score, Square};

/// Entries of each table and side.
const SIZE: usize = 1 << 14;
/// Entries are centipawns times this.
const GRAIN: i32 = 256;
/// The most that one entry may hold.
const LIMIT: i32 = 64 * GRAIN;
/// How fast an entry moves: the weight of a new difference is at most `MAX_WEIGHT / WEIGHTS`.
const WEIGHTS: i32 = 256;
const MAX_WEIGHT: i32 = 16;

/// Keys of the slowly changing parts of a position, kept incrementally as an observer of its moves: the pawns; kings,
/// golds, silvers and what moves like a gold, which build castles and break them; all other pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Structure([Key; 3]);

/// The key that each piece type belongs to.
const PART: [usize; 16] = {
    let mut parts = [CASTLES; 16];
    parts[PieceType::Pawn.index()] = PAWNS;
    let mut i = 0;
    while i < OTHER_TYPES.len() {
        parts[OTHER_TYPES[i].index()] = OTHERS;
        i += 1;
    }
    parts
};
const OTHER_TYPES: [PieceType; 6] =
    [PieceType::Lance, PieceType::Knight, PieceType::Bishop, PieceType::Rook, PieceType::Horse, PieceType::Dragon];
const PAWNS: usize = 0;
const CASTLES: usize = 1;
const OTHERS: usize = 2;

impl Structure {
    /// The structure of a position.
    pub(super) fn new(pos: &Position) -> Structure {
        let mut structure = Structure::default();
        for square in pos.occupied() {
            if let Some(piece) = pos.piece_on(square) {
                structure.toggle(piece, square);
            }
        }
        structure
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, square: Square) {
        self.0[PART[piece.piece_type().index() & 15]] ^= piece_key(piece, square);
    }
}

impl Observer for Structure {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.toggle(piece, square);
    }

    #[inline(always)]
    fn hand_changed(&mut self, _: Color, _: PieceType, _: u8) {}
}

/// The number of keys.
const KEYS: usize = 4;

/// What was learnt, `[key][side to move][entry]`.
#[derive(Clone)]
pub(super) struct Corrections(Vec<i16>);

impl Corrections {
    pub(super) fn new() -> Corrections {
        Corrections(vec![0; KEYS * 2 * SIZE])
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The places of a position in the tables.
    #[inline(always)]
    fn places(pos: &Position, structure: &Structure) -> [usize; KEYS] {
        let hands = Color::ALL.map(|color| u64::from(pos.hand(color).bits()));
        let hands = (hands[0] << 32 | hands[1]).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [pawns, castles, others] = structure.0.map(|key| key.0);
        let place = |table: usize, key: u64| (table * 2 + pos.side().index()) * SIZE + (key >> 50) as usize;
        [place(0, pawns), place(1, castles), place(2, others), place(3, hands)]
    }

    /// The evaluation as the past corrects it.
    #[inline(always)]
    pub(super) fn correct(&self, pos: &Position, structure: &Structure, eval: Score) -> Score {
        let sum: i32 = Corrections::places(pos, structure).iter().map(|&place| i32::from(self.0[place])).sum();
        (eval + sum / GRAIN).clamp_eval()
    }

    /// Learns that a search of this depth found the score to be off by so much.
    pub(super) fn learn(&mut self, pos: &Position, structure: &Structure, depth: i32, difference: i32) {
        let weight = (depth + 1).min(MAX_WEIGHT);
        for place in Corrections::places(pos, structure) {
            let value = &mut self.0[place];
            let aim = (difference * GRAIN).clamp(-LIMIT, LIMIT);
            let moved = (i32::from(*value) * (WEIGHTS - weight) + aim * weight) / WEIGHTS;
            *value = moved.clamp(-LIMIT, LIMIT) as i16;
        }
    }
}

const _: () = assert!(LIMIT <= i16::MAX as i32 && 64 - 50 == SIZE.ilog2());

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};

    #[test]
    fn the_structure_follows_the_moves_of_a_long_walk() {
        let mut pos = Position::startpos();
        let mut structure = Structure::new(&pos);
        let mut state = 3u64;
        for _ in 0..400 {
            let moves = generate::<All>(&pos);
            if moves.is_empty() {
                break;
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            pos.do_move_observed(moves[(state >> 33) as usize % moves.len()], &mut structure);
            assert_eq!(structure, Structure::new(&pos), "{pos:?}");
        }
    }

    #[test]
    fn what_was_learnt_corrects_the_same_structure_for_the_same_side() {
        let pos = Position::startpos();
        let structure = Structure::new(&pos);
        let mut corrections = Corrections::new();
        for _ in 0..200 {
            corrections.learn(&pos, &structure, 20, 40);
        }
        let corrected = corrections.correct(&pos, &structure, Score(10));
        assert!(corrected > Score(100) && corrected <= Score(10 + 4 * 40), "{corrected:?}");
        let other = Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1").unwrap();
        assert_eq!(corrections.correct(&other, &structure, Score(10)), Score(10));
    }
}
