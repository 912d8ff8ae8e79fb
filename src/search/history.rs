//! What worked before, by the move itself and by the moves that led to it.
//!
//! All tables hold values within ±[`LIMIT`], moved by a *gravity* rule: the nearer a value is to its bound, the less a
//! further bonus moves it, so that it follows what happened lately (Stockfish; chessprogramming wiki, "History heuristic").

use super::MAX_PLY;
use super::memory::large_vec;
use crate::position::Position;
use crate::types::{Color, Move, Piece, PieceType, Square};

/// The bounds of a history value.
const LIMIT: i32 = 8_192;

/// A piece on the square that it has moved to, as an index; 0 stands for no move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PieceTo(u16);

/// All indices of a [`PieceTo`].
const PIECE_TOS: usize = Piece::COUNT * 81;

impl PieceTo {
    /// No move, or a null move. No piece has the number 0.
    pub(super) const NONE: PieceTo = PieceTo(0);

    fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 81 + to.index()) as u16)
    }

    /// What a move of the side to move puts where.
    #[inline(always)]
    pub(super) fn of(pos: &Position, mv: Move) -> PieceTo {
        PieceTo::new(placed(pos, mv), mv.to())
    }
}

/// The piece that a move puts on its destination.
#[inline(always)]
fn placed(pos: &Position, mv: Move) -> Piece {
    use crate::types::MoveKind;
    match mv.kind() {
        MoveKind::Drop { piece_type, .. } => Piece::new(pos.side(), piece_type),
        MoveKind::Board { from, promote, .. } => {
            let piece = pos.piece_on(from).unwrap_or(Piece::new(pos.side(), PieceType::Pawn));
            if promote { piece.promoted() } else { piece }
        }
    }
}

/// How many plies back each continuation of a move lies.
pub(super) const CONTINUATIONS: [usize; 3] = [1, 2, 4];

/// The moves that led to a node, one for each of [`CONTINUATIONS`].
pub(super) type Context = [PieceTo; CONTINUATIONS.len()];

/// The parts of a [`History`] that tell about the quiet moves of one position.
pub(super) struct QuietScores<'a> {
    main: &'a [[i16; 81]; 88],
    continuations: [&'a [i16]; CONTINUATIONS.len()],
}

impl<'a> QuietScores<'a> {
    /// The part that tells about the moves of one piece, or the drops of one type; `placed` stands on the destination.
    #[inline(always)]
    pub(super) fn of_piece(&self, from_or_drop: usize, placed: Piece) -> PieceScores<'a> {
        let start = placed.index() * 81;
        let row = |continuation: &'a [i16]| continuation[start..start + 81].as_array().expect("a row has this length");
        PieceScores { main: &self.main[from_or_drop], answers: self.continuations.map(row) }
    }
}

/// What is known of the quiet moves of one piece, by destination.
pub(super) struct PieceScores<'a> {
    main: &'a [i16; 81],
    answers: [&'a [i16; 81]; CONTINUATIONS.len()],
}

impl PieceScores<'_> {
    /// What is known of the move to a square: by itself and in its context, each part within ±[`LIMIT`].
    #[inline(always)]
    pub(super) fn to(&self, square: Square) -> i32 {
        let [first, second, third] = self.answers;
        i32::from(self.main[square]) + i32::from(first[square]) + i32::from(second[square]) + i32::from(third[square])
    }
}

/// The histories of one thread.
#[derive(Clone)]
pub(super) struct History {
    /// Quiet moves: `[color][from or drop kind (88)][to (81)]`.
    quiets: Box<[[[i16; 81]; 88]; 2]>,
    /// Captures: `[piece and destination][captured piece type (15)]`.
    captures: Vec<[i16; 15]>,
    /// Quiet moves as an answer to an earlier move: `[earlier piece and destination][piece and destination]`, flat.
    continuations: Vec<i16>,
    /// Two quiet moves a ply that have cut off last.
    killers: [[Option<Move>; 2]; MAX_PLY + 1],
}

impl History {
    pub(super) fn new() -> History {
        History {
            quiets: Box::new([[[0; 81]; 88]; 2]),
            captures: vec![[0; 15]; PIECE_TOS],
            continuations: large_vec(0, PIECE_TOS * PIECE_TOS),
            killers: [[None; 2]; MAX_PLY + 1],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.quiets.iter_mut().flatten().flatten().for_each(|value| *value = 0);
        self.captures.iter_mut().flatten().for_each(|value| *value = 0);
        self.continuations.fill(0);
        self.killers = [[None; 2]; MAX_PLY + 1];
    }

    /// Forgets the killers, which belong to one search, and halves what is known of quiet moves as such.
    pub(super) fn age(&mut self) {
        self.killers = [[None; 2]; MAX_PLY + 1];
        self.quiets.iter_mut().flatten().flatten().for_each(|value| *value /= 2);
    }

    /// What is known of the quiet moves of a side after these moves.
    #[inline(always)]
    pub(super) fn quiets<'a>(&'a self, side: Color, context: &Context) -> QuietScores<'a> {
        let row = |earlier: PieceTo| {
            let start = earlier.0 as usize * PIECE_TOS;
            &self.continuations[start..start + PIECE_TOS]
        };
        QuietScores { main: &self.quiets[side], continuations: context.map(row) }
    }

    /// What is known of a quiet move: by itself and in its context, each part within ±[`LIMIT`].
    #[inline(always)]
    pub(super) fn quiet(&self, pos: &Position, context: &Context, mv: Move) -> i32 {
        self.quiets(pos.side(), context).of_piece(mv.from_or_drop_index(), placed(pos, mv)).to(mv.to())
    }

    /// What is known of the captures of a type by a piece that then stands on the square.
    #[inline(always)]
    pub(super) fn capture(&self, placed: Piece, to: Square, captured: PieceType) -> i32 {
        i32::from(self.captures[PieceTo::new(placed, to).0 as usize][captured.index()])
    }

    #[inline(always)]
    pub(super) fn killers(&self, ply: usize) -> [Option<Move>; 2] {
        self.killers[ply]
    }

    /// Notes a quiet move that has cut off at a ply.
    #[inline(always)]
    pub(super) fn set_killer(&mut self, ply: usize, mv: Move) {
        if self.killers[ply][0] != Some(mv) {
            self.killers[ply] = [Some(mv), self.killers[ply][0]];
        }
    }

    /// Learns about a quiet move.
    pub(super) fn update_quiet(&mut self, pos: &Position, context: &Context, mv: Move, bonus: i32) {
        gravitate(&mut self.quiets[pos.side()][mv.from_or_drop_index()][mv.to()], bonus);
        self.update_continuations(context, PieceTo::of(pos, mv), bonus);
    }

    /// Learns about a quiet move that has been made.
    pub(super) fn update_made(&mut self, side: Color, mv: Move, context: &Context, piece_to: PieceTo, bonus: i32) {
        gravitate(&mut self.quiets[side][mv.from_or_drop_index()][mv.to()], bonus);
        self.update_continuations(context, piece_to, bonus);
    }

    /// Learns about a move as an answer.
    pub(super) fn update_continuations(&mut self, context: &Context, piece_to: PieceTo, bonus: i32) {
        for earlier in context.iter().filter(|&&earlier| earlier != PieceTo::NONE) {
            gravitate(&mut self.continuations[earlier.0 as usize * PIECE_TOS + piece_to.0 as usize], bonus);
        }
    }

    /// Learns about a capture.
    pub(super) fn update_capture(&mut self, pos: &Position, mv: Move, bonus: i32) {
        gravitate(&mut self.captures[PieceTo::of(pos, mv).0 as usize][captured(pos, mv)], bonus);
    }
}

/// The number of the captured type; 0 for a move that captures nothing.
#[inline(always)]
fn captured(pos: &Position, mv: Move) -> usize {
    pos.piece_on(mv.to()).map_or(0, |piece| piece.piece_type().index())
}

/// Moves a value towards the bonus' sign, the less the nearer it is to the bound.
#[inline(always)]
fn gravitate(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_within_their_bounds() {
        let mut value = 0;
        for bonus in [1_600, 9_999, 8_192, -20_000, -1, 8_192].repeat(50) {
            gravitate(&mut value, bonus);
            assert!(i32::from(value).abs() <= LIMIT);
        }
    }

    #[test]
    fn an_answer_is_learnt_in_its_context_only() {
        let pos = Position::startpos();
        let mv: Move = "7g7f".parse().unwrap();
        let context = [PieceTo(5), PieceTo(6), PieceTo::NONE];
        let mut history = History::new();
        history.update_quiet(&pos, &context, mv, 100);
        assert_eq!(history.quiet(&pos, &context, mv), 300);
        assert_eq!(history.quiet(&pos, &[PieceTo(5), PieceTo(7), PieceTo::NONE], mv), 200);
        assert_eq!(history.quiet(&pos, &[PieceTo::NONE; 3], mv), 100);
        history.clear();
        assert_eq!(history.quiet(&pos, &context, mv), 0);
    }
}
