//! The path from the root to the node that is searched: position, evaluation, lines, and the limits of the search.
//!
//! The path is all that a search needs which learns nothing: the playing levels search over it alone.

use super::control::{Limiter, SearchControl};
use super::params::superior_repetition;
use super::report::{Bound, Report};
use super::stack::{Line, MAX_PLY};
use crate::eval::nnue::Nnue;
use crate::eval::{Evaluate, Evaluation};
use crate::movegen::has_legal_move;
use crate::position::{Cycle, Declaration, EnteringKingRule, GameRules, Observer, Position, Repetition};
use crate::types::opaque_debug;
use crate::types::{Color, Move, Piece, PieceType, Score, Square};
use std::sync::Arc;

/// The position that a thread is searching, with all that belongs to the moves which led to it from the root.
pub struct Path {
    pub(crate) pos: Position,
    pub(crate) eval: Box<Nnue>,
    /// The evaluation of the user in place of the net.
    pub(crate) evaluator: Option<Arc<dyn Evaluate>>,
    pub(crate) rules: GameRules,
    /// Scores of a draw from the view of either side, by colour.
    draw_scores: [Score; 2],
    /// The best line found from each ply.
    pub(crate) pv: Vec<Line>,
    /// The deepest ply that was reached.
    pub(crate) seldepth: usize,
    pub(crate) limiter: Limiter,
}

opaque_debug!(Path);

impl Path {
    /// The path of the worker with this number; it begins at the start of the game.
    pub(crate) fn new(id: usize) -> Path {
        let pos = Position::startpos();
        Path {
            eval: Box::new(Evaluation::default().start(&pos)),
            evaluator: None,
            pos,
            rules: GameRules::default(),
            draw_scores: [Score::DRAW; 2],
            pv: vec![Line::new(); MAX_PLY + 2],
            seldepth: 0,
            limiter: Limiter::new(id),
        }
    }

    /// Begins a search at a position.
    pub(crate) fn begin(&mut self, pos: &Position, rules: GameRules, control: &Arc<SearchControl>) {
        let draw_value = control.limits().draw_value;
        self.pos = pos.clone();
        self.eval.reset(pos);
        self.rules = rules;
        self.draw_scores[pos.side()] = draw_value;
        self.draw_scores[!pos.side()] = -draw_value;
        self.seldepth = 0;
        self.limiter.begin(control);
    }

    /// Makes a move; [`Path::undo_move`] takes it back.
    pub(crate) fn do_move(&mut self, mv: Move) {
        self.do_move_observed(mv, &mut ());
    }

    /// Makes a move that something besides the evaluation follows.
    #[inline(always)]
    pub(crate) fn do_move_observed(&mut self, mv: Move, observer: &mut impl Observer) {
        self.limiter.nodes += 1;
        self.eval.push();
        self.pos.do_move_observed(mv, &mut Both(&mut *self.eval, observer));
    }

    /// Takes back the last move.
    pub(crate) fn undo_move(&mut self) {
        self.pos.undo();
        self.eval.pop();
    }

    /// Passes; [`Path::undo_null_move`] takes it back.
    pub(crate) fn do_null_move(&mut self) {
        self.limiter.nodes += 1;
        self.pos.do_null_move();
    }

    /// Takes back a null move.
    pub(crate) fn undo_null_move(&mut self) {
        self.pos.undo();
    }

    /// Static evaluation of the position for the side to move, in centipawns, without any correction.
    pub(crate) fn evaluate(&mut self) -> Score {
        self.unclamped().clamp_eval()
    }

    /// Static evaluation as the net or the user gives it, which may be larger than any that the search keeps.
    pub(crate) fn unclamped(&mut self) -> Score {
        match &self.evaluator {
            None => self.eval.evaluate(&self.pos),
            Some(evaluator) => evaluator.evaluate(&self.pos),
        }
    }

    /// Step 2. Repetition, ply limit: the score if the game has ended by either.
    pub(crate) fn game_end(&self, ply: usize) -> Option<Score> {
        // A repetition is the search's guess about the rest of the game: as good as won or lost, but no proven mate.
        match self.pos.cycle_within(ply, &self.rules) {
            Some(Cycle::Repetition(Repetition::Draw)) => return Some(self.draw_score()),
            Some(Cycle::Repetition(Repetition::Win)) => return Some(Score::REPETITION_WIN - ply as i32),
            Some(Cycle::Repetition(Repetition::Loss)) => return Some(-(Score::REPETITION_WIN - ply as i32)),
            // A side that comes round to the same board with less in hand has gone wrong on the way.
            Some(Cycle::Gain) if superior_repetition() > 0 => return Some(Score::SUPERIOR - ply as i32),
            Some(Cycle::Loss) if superior_repetition() > 0 => return Some(-(Score::SUPERIOR - ply as i32)),
            _ => {}
        }
        if self.pos.is_past_ply_limit(&self.rules) { Some(self.score_past_limit(ply)) } else { None }
    }

    /// The score of a game that has reached its ply limit: a draw, unless the last move of all mated and that counts.
    #[cold]
    fn score_past_limit(&self, ply: usize) -> Score {
        let is_last_ply = self.pos.ply() == self.rules.ply_limit + 1;
        if self.rules.mate_on_last_ply && is_last_ply && !has_legal_move(&self.pos) {
            return Score::mated_in(ply);
        }
        self.draw_score()
    }

    /// The score of a draw from the view of the side to move.
    fn draw_score(&self) -> Score {
        self.draw_scores[self.pos.side()]
    }

    /// Step 5. Declaration: the score if the side to move can declare a win, or reach its goal under the try rule.
    #[inline(always)]
    pub(crate) fn declaration_win(&self, ply: usize) -> Option<Score> {
        if self.rules.entering_king == EnteringKingRule::NoEnteringKing {
            return None;
        }
        match self.pos.declaration(self.rules.entering_king)? {
            Declaration::Win | Declaration::Try(_) => Some(Score::mate_in(ply + 1)),
            Declaration::Draw => None,
        }
    }

    /// Puts a move in front of the line of the next ply.
    pub(crate) fn extend_pv(&mut self, mv: Move, ply: usize) {
        debug_assert!(ply <= MAX_PLY, "there is no line for ply {ply}");
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        let line = &mut head[ply];
        line.clear();
        line.push(mv);
        line.extend(tail[0].iter().copied().take(MAX_PLY - 1));
    }

    /// A report without line and score, and without the share of the table that is used.
    pub(crate) fn progress(&mut self) -> Report {
        self.limiter.flush_nodes();
        Report {
            multi_pv: None,
            depth: self.limiter.root_depth,
            seldepth: self.seldepth,
            score: Score::DRAW,
            bound: Bound::EXACT,
            nodes: self.limiter.control.nodes(),
            time: self.limiter.control.elapsed(),
            hashfull: 0,
            pv: Vec::new(),
        }
    }
}

/// Two observers of the same moves.
struct Both<'a, A, B>(&'a mut A, &'a mut B);

impl<A: Observer, B: Observer> Observer for Both<'_, A, B> {
    #[inline(always)]
    fn piece_added(&mut self, piece: Piece, square: Square) {
        self.0.piece_added(piece, square);
        self.1.piece_added(piece, square);
    }

    #[inline(always)]
    fn piece_removed(&mut self, piece: Piece, square: Square) {
        self.0.piece_removed(piece, square);
        self.1.piece_removed(piece, square);
    }

    #[inline(always)]
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8) {
        self.0.hand_changed(color, piece_type, count);
        self.1.hand_changed(color, piece_type, count);
    }
}
