//! The quiet end of a position: where the captures that are worth making have come to an end.
//!
//! A static evaluation does not know what the next capture brings. A search ends in positions that have nothing left to
//! capture, so these are the ones that a net has to tell apart. [`QuietSearch`] follows the best line of captures, with
//! the side to move free to make none (the quiescence search of every engine, without a table and without histories, so
//! that its answer depends on position and net alone).

use crate::eval::Evaluation;
use crate::eval::nnue::Nnue;
use crate::movegen::{All, Captures, generate, has_legal_move};
use crate::position::Position;
use crate::types::{Move, Score};
use arrayvec::ArrayVec;

/// The most moves of a line.
const MAX_PLIES: usize = 12;
/// Positions after which captures are not followed any further; almost no position needs as many.
const MAX_POSITIONS: u32 = 3_000;
/// Worth of being mated.
const MATED: i32 = -Score::MAX_NON_MATE.0;

type Line = ArrayVec<Move, MAX_PLIES>;

/// A search of captures.
#[derive(Debug)]
pub struct QuietSearch {
    nnue: Nnue,
    positions: u32,
}

/// End of the captures of a position.
#[derive(Clone, Debug)]
pub struct QuietEnd {
    /// The position there: the side to move is not in check and has a legal move.
    pub pos: Position,
    /// Captures and evasions that lead to it.
    pub line: Line,
}

impl QuietEnd {
    /// Tests whether the other side is to move there.
    pub fn is_turned(&self) -> bool {
        self.line.len() % 2 == 1
    }
}

impl QuietSearch {
    /// A search with a net.
    pub fn new(evaluation: &Evaluation) -> QuietSearch {
        QuietSearch { nnue: evaluation.start(&Position::startpos()), positions: 0 }
    }

    /// The quiet end of a position; none if the line ends in a check or a mate.
    pub fn end_of(&mut self, pos: &Position) -> Option<QuietEnd> {
        let mut pos = pos.without_history();
        self.nnue.reset(&pos);
        self.positions = 0;
        let mut line = Line::new();
        self.search(&mut pos, -Score::MATE.0, Score::MATE.0, 0, &mut line);
        line.iter().for_each(|&mv| pos.do_move(mv));
        (!pos.in_check() && has_legal_move(&pos)).then_some(QuietEnd { pos, line })
    }

    /// The value for the side to move, with the line that leads to it in `best`.
    fn search(&mut self, pos: &mut Position, mut alpha: i32, beta: i32, ply: usize, best: &mut Line) -> i32 {
        best.clear();
        self.positions += 1;
        let is_check = pos.in_check();
        let mut value = if is_check { MATED + ply as i32 } else { self.nnue.evaluate(pos).0 };
        let is_end = ply == MAX_PLIES || self.positions > MAX_POSITIONS;
        if is_end || value >= beta {
            return if is_end && is_check { self.nnue.evaluate(pos).0 } else { value };
        }
        alpha = alpha.max(value);
        let mut moves = if is_check { generate::<All>(pos) } else { generate::<Captures>(pos) };
        if !is_check {
            moves.sort_by_key(|mv| -pos.piece_on(mv.to()).map_or(0, |piece| piece.piece_type().capture_gain()));
        }
        let mut line = Line::new();
        for mv in &moves {
            if !is_check && !pos.see_ge(mv, 0) {
                continue;
            }
            self.nnue.push();
            pos.do_move_observed(mv, &mut self.nnue);
            let reply = -self.search(pos, -beta, -alpha, ply + 1, &mut line);
            pos.undo();
            self.nnue.pop();
            if reply > value {
                value = reply;
                if value > alpha {
                    alpha = value;
                    best.clear();
                    best.push(mv);
                    best.extend(line.iter().copied().take(MAX_PLIES - 1));
                }
                if value >= beta {
                    break;
                }
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn end(sfen: &str) -> Option<(String, String)> {
        let pos = Position::from_sfen(sfen).expect("a valid SFEN");
        let end = QuietSearch::new(&Evaluation::default()).end_of(&pos)?;
        let line: Vec<String> = end.line.iter().map(|mv| mv.to_string()).collect();
        Some((line.join(" "), end.pos.to_sfen()))
    }

    #[test]
    fn a_quiet_position_is_its_own_end() {
        let start = Position::startpos().to_sfen();
        assert_eq!(end(&start), Some((String::new(), start)));
    }

    #[test]
    fn a_piece_that_hangs_is_taken_and_one_that_is_guarded_is_not() {
        // A rook that nobody guards.
        let (line, _) = end("3k5/9/9/9/4r4/9/4L4/9/4K4 b 2b4g4s4n3l18p 1").expect("quiet");
        assert_eq!(line, "5g5e");
        // The pawn is guarded by a gold: the rook stays.
        let (line, _) = end("4k4/4g4/4p4/9/9/9/9/4R4/4K4 b r2b3g4s4n4l17p 1").expect("quiet");
        assert_eq!(line, "");
    }

    #[test]
    fn a_mate_has_no_quiet_end() {
        assert!(end("4k4/4G4/4P4/9/9/9/9/9/4K4 w 2r2b3g4s4n4l17p 1").is_none());
    }

    /// The value of the search is that of a plain minimax over the moves that it may make.
    #[test]
    fn the_end_has_the_value_of_a_search_without_a_window() {
        fn minimax(pos: &mut Position, evaluation: &Evaluation, ply: usize) -> i32 {
            let is_check = pos.in_check();
            let stand = evaluation.start(pos).evaluate(pos).0;
            if ply == 4 {
                return stand;
            }
            let mut value = if is_check { MATED + ply as i32 } else { stand };
            let moves = if is_check { generate::<All>(pos) } else { generate::<Captures>(pos) };
            for mv in &moves {
                if is_check || pos.see_ge(mv, 0) {
                    pos.do_move(mv);
                    value = value.max(-minimax(pos, evaluation, ply + 1));
                    pos.undo();
                }
            }
            value
        }
        let evaluation = Evaluation::default();
        let mut search = QuietSearch::new(&evaluation);
        let mut random = Random::new(3, 0);
        let (mut checked, mut with_captures) = (0, 0);
        while checked < 60 {
            let mut pos = Position::startpos();
            for _ in 0..40 {
                let moves = generate::<All>(&pos);
                if moves.is_empty() {
                    break;
                }
                pos.do_move(*random.pick(&moves));
            }
            let Some(end) = search.end_of(&pos).filter(|end| end.line.len() < 4) else { continue };
            let sign = if end.is_turned() { -1 } else { 1 };
            let found = sign * evaluation.start(&end.pos).evaluate(&end.pos).0;
            let mut line = Line::new();
            search.nnue.reset(&pos);
            assert_eq!(search.search(&mut pos.clone(), -Score::MATE.0, Score::MATE.0, 0, &mut line), found);
            // A line of less than four plies that no longer one refutes.
            if found == minimax(&mut pos, &evaluation, 0) {
                with_captures += usize::from(!end.line.is_empty());
            }
            checked += 1;
        }
        assert!(with_captures >= 20, "{with_captures}");
    }
}
