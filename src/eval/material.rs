//! Material with a small bonus for the square, kept incrementally.

use crate::position::{Observer, Position};
use crate::types::{Color, Piece, PieceType, Score, Square};

/// The score from black's view, in centipawns, with the hands it was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    score: i32,
    /// `[color][piece type]`: pieces in hand, so that a change of a count can be turned into a difference.
    held: [[u8; 8]; 2],
}

/// The plain evaluation as an observer of a position.
///
/// Before each move call [`Material::push`], after taking it back [`Material::pop`].
#[derive(Clone, Debug)]
pub struct Material {
    now: Sum,
    before: Vec<Sum>,
}

/// A piece in hand can be dropped anywhere: it is worth a little more than on the board, in percent.
const HAND_PERCENT: i32 = 108;

/// Centipawns for each rank that a piece of the type has advanced from its own edge.
const fn advance_bonus(piece_type: PieceType) -> i32 {
    match piece_type {
        PieceType::Pawn => 3,
        PieceType::Silver => 4,
        PieceType::Gold => -2,
        PieceType::King => -14,
        _ => 0,
    }
}

/// `[piece][square]`, positive for black's pieces.
static SQUARE_VALUES: [[i16; 81]; Piece::COUNT] = {
    let mut table = [[0; 81]; Piece::COUNT];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let (piece, piece_type) = (Piece::ALL[i], Piece::ALL[i].piece_type());
        let mut square = 0;
        while square < 81 {
            let (file, rank) = (square as i32 / 9, square as i32 % 9);
            let (sign, advanced) = match piece.color() {
                Color::Black => (1, 8 - rank),
                Color::White => (-1, rank),
            };
            let from_centre = if file > 4 { file - 4 } else { 4 - file };
            let shelter = if matches!(piece_type, PieceType::King) { 5 * from_centre } else { 0 };
            let value = piece_type.value() + advance_bonus(piece_type) * advanced + shelter;
            table[piece.index()][square] = (sign * value) as i16;
            square += 1;
        }
        i += 1;
    }
    table
};

const fn hand_value(color: Color, piece_type: PieceType) -> i32 {
    let value = piece_type.value() * HAND_PERCENT / 100;
    match color {
        Color::Black => value,
        Color::White => -value,
    }
}

impl Material {
    /// The evaluation of a position, to be kept along with it.
    pub fn new(pos: &Position) -> Material {
        let mut sum = Sum { score: 0, held: [[0; 8]; 2] };
        for square in pos.occupied() {
            if let Some(piece) = pos.piece_on(square) {
                sum.score += SQUARE_VALUES[piece.index()][square] as i32;
            }
        }
        for color in Color::ALL {
            for (piece_type, count) in pos.hand(color).iter() {
                sum.score += hand_value(color, piece_type) * count as i32;
                sum.held[color][piece_type.index()] = count;
            }
        }
        Material { now: sum, before: Vec::new() }
    }

    /// The score for the side to move.
    #[inline(always)]
    pub fn evaluate(&self, pos: &Position) -> Score {
        match pos.side() {
            Color::Black => Score(self.now.score),
            Color::White => Score(-self.now.score),
        }
    }

    /// Remembers the score before a move.
    #[inline(always)]
    pub fn push(&mut self) {
        self.before.push(self.now);
    }

    /// Returns to the score before the last move.
    #[inline(always)]
    pub fn pop(&mut self) {
        if let Some(sum) = self.before.pop() {
            self.now = sum;
        }
    }
}

impl Observer for Material {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.now.score += SQUARE_VALUES[piece.index()][square] as i32;
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.now.score -= SQUARE_VALUES[piece.index()][square] as i32;
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        let held = &mut self.now.held[color][piece_type.index() & 7];
        let difference = count as i32 - *held as i32;
        *held = count;
        self.now.score += hand_value(color, piece_type) * difference;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};

    #[test]
    fn incremental_score_equals_a_fresh_one_on_a_long_walk() {
        let mut state = 7u64;
        for game in 0..50 {
            let mut pos = Position::startpos();
            let mut eval = Material::new(&pos);
            let mut line = vec![];
            for _ in 0..200 {
                let moves = generate::<All>(&pos);
                if moves.is_empty() {
                    break;
                }
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407 + game);
                let mv = moves[(state >> 33) as usize % moves.len()];
                eval.push();
                pos.do_move(mv, &mut eval);
                line.push(mv);
                assert_eq!(eval.now, Material::new(&pos).now, "after {mv} in {pos:?}");
            }
            for mv in line.into_iter().rev() {
                pos.undo_move(mv);
                eval.pop();
                assert_eq!(eval.now, Material::new(&pos).now, "after taking back {mv}");
            }
        }
    }

    #[test]
    fn the_score_is_seen_from_the_side_to_move() {
        let black = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R 1").unwrap();
        let white = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 w R 1").unwrap();
        assert!(Material::new(&black).evaluate(&black) > Score(1_000));
        assert_eq!(Material::new(&white).evaluate(&white), -Material::new(&black).evaluate(&black));
        let start = Position::startpos();
        assert_eq!(Material::new(&start).evaluate(&start), Score(0));
    }
}
