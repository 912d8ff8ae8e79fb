//! The moves of the root and what the search knows of each.

use crate::bitboard::{Bitboard, pawn_attacks};
use crate::movegen::{All, generate, is_legal, leaves_unpromoted};
use crate::position::Position;
use crate::search::bound::Bound;
use crate::search::limits::Limits;
use crate::search::line::{Line, MAX_PLY};
use crate::search::params::lmr_window;
use crate::search::time::BestMoveStability;
use crate::types::{Move, MoveKind, PieceType, Score};
use std::cmp::Reverse;
use std::slice;

/// A legal move of the root with what is known of it.
#[derive(Clone, Debug)]
pub(in crate::search) struct RootMove {
    pub(in crate::search) mv: Move,
    /// The score of the running iteration, minus infinity as long as the move was not found to be among the best.
    pub(in crate::search) score: Score,
    /// The score of the iteration before.
    previous: Score,
    /// Mean of the scores of all searches of the move, the last ones weighing most.
    pub(in crate::search) average: Option<Score>,
    /// Mean of the scores' squares with their signs, likewise.
    pub(in crate::search) mean_square: i32,
    /// The line that was last found to follow the move, without it; the iteration's depth then, and what the score
    /// says. On the heap, so that the many root moves without a line are small when they are made, looked for and
    /// sorted.
    answers: Vec<Move>,
    pub(in crate::search) depth: usize,
    pub(in crate::search) bound: Bound,
    /// The score that goes with the line, if the move was ever scored.
    proven: Option<Score>,
    /// Nodes below it in this search.
    pub(in crate::search) nodes: u64,
}

impl RootMove {
    /// A move of which nothing is known.
    pub(in crate::search) fn new(mv: Move) -> RootMove {
        let unknown = -Score::INFINITE;
        RootMove {
            mv,
            score: unknown,
            previous: unknown,
            average: None,
            mean_square: 0,
            answers: Vec::new(),
            depth: 0,
            bound: Bound::EXACT,
            proven: None,
            nodes: 0,
        }
    }

    /// Begins an iteration.
    pub(in crate::search) fn begin_iteration(&mut self) {
        self.previous = std::mem::replace(&mut self.score, -Score::INFINITE);
    }

    /// Counts a search of the move into the means, whatever its window was.
    pub(in crate::search) fn note(&mut self, score: Score, nodes: u64) {
        let square = score.0 * score.0.abs();
        (self.average, self.mean_square) = match self.average {
            None => (Some(score), square),
            Some(average) => (Some(Score((average.0 + score.0) / 2)), (self.mean_square / 2) + square / 2),
        };
        self.nodes += nodes;
    }

    /// The move is the first, or better than all before it: the search has found its score. A score that may be too
    /// high changes nothing of what is shown: the line and the score before it hold. One that may be too low comes with
    /// the beginning of a line at most: if the line before it begins so, it stays whole.
    pub(in crate::search) fn set_best(&mut self, score: Score, bound: Bound, depth: usize, answers: &[Move]) {
        self.score = score;
        if bound == Bound::UPPER && self.proven.is_some() {
            return;
        }
        (self.proven, self.bound, self.depth) = (Some(score), bound, depth);
        if bound == Bound::LOWER && self.answers.starts_with(answers) {
            return;
        }
        self.answers.clear();
        self.answers.extend_from_slice(&answers[..answers.len().min(MAX_PLY)]);
    }

    /// The line that was last found to begin with the move.
    pub(in crate::search) fn pv(&self) -> Vec<Move> {
        [slice::from_ref(&self.mv), &self.answers].concat()
    }

    /// Sorts the best to the front: by this iteration's score, then by the last one's.
    pub(in crate::search) fn order(&self) -> (Reverse<Score>, Reverse<Score>) {
        (Reverse(self.score), Reverse(self.previous))
    }

    /// The score that goes with the line, if the move was ever scored.
    pub(in crate::search) fn shown_score(&self) -> Option<Score> {
        self.proven
    }

    /// Tests whether the running iteration has found a score or a lower bound for the move.
    pub(in crate::search) fn is_proven_at(&self, depth: usize) -> bool {
        self.proven.is_some() && self.depth == depth && self.bound != Bound::UPPER
    }
}

/// Knowledge of a thread of the root besides its position.
#[derive(Default)]
pub(in crate::search) struct RootState {
    /// The moves that are searched, best first.
    pub(in crate::search) moves: Vec<RootMove>,
    /// Which place among them is searched for; moves of earlier places are left out.
    pub(in crate::search) place: usize,
    /// The moves that are searched for it, as they stand among the moves; in a row, for each is looked for.
    order: Vec<Move>,
    /// Width of the window of the running search.
    delta: i32,
    /// Reduction that a window of one point takes off, in 1/1,024 ply.
    pub(in crate::search) share: i32,
    /// The best line of the last iteration.
    pub(in crate::search) follow_line: Line,
    /// Evidence of the iterations so far, and of the game's last move, on the time that the move is worth.
    pub(in crate::search) stability: BestMoveStability,
}

impl RootState {
    /// Begins a search; its moves are set apart.
    pub(in crate::search) fn begin_search(&mut self) {
        self.follow_line.clear();
        self.stability.begin_search();
    }

    /// Forgets what the last moves of a game have taught.
    pub(in crate::search) fn forget_game(&mut self) {
        self.stability = BestMoveStability::default();
    }

    /// Begins a search for a place, in a window of this width.
    pub(in crate::search) fn begin_window(&mut self, place: usize, width: i32) {
        debug_assert!(place < self.moves.len(), "there is no root move {place}");
        self.place = place;
        self.delta = width.max(1);
        self.share = self.share_of(1);
        self.order.clear();
        self.order.extend(self.moves[place..].iter().map(|root| root.mv));
    }

    /// Steps 14 and 17. Late-move reduction: what a window of this width takes off, in 1/1,024 ply.
    pub(in crate::search) fn share_of(&self, width: i32) -> i32 {
        (i64::from(lmr_window()) * i64::from(width) / i64::from(self.delta)) as i32
    }

    /// Where a move stands among the moves, if it is one of those that are searched for the place.
    pub(in crate::search) fn find_root_move(&self, mv: Move) -> Option<usize> {
        self.order.iter().position(|&root| root == mv).map(|at| self.place + at)
    }
}

/// The moves to search: those asked for that are legal; if none were asked for all legal ones, but those that leave a
/// piece unpromoted for nothing. Such a move is searched if the limits want all moves, or if it keeps a pawn drop legal
/// that would mate.
pub(in crate::search) fn root_moves(pos: &Position, limits: &Limits) -> Vec<RootMove> {
    let legal = generate::<All>(pos);
    let is_useful = |mv| limits.all_moves || !leaves_unpromoted(pos, mv) || keeps_a_drop_legal(pos, mv);
    let wanted = |mv| limits.search_moves.as_ref().map_or_else(|| is_useful(mv), |asked| asked.contains(&mv));
    legal.iter().filter(|&&mv| wanted(mv)).map(|&mv| RootMove::new(mv)).collect()
}

/// Tests whether a move that leaves its piece unpromoted keeps a pawn drop legal: after some answer the drop gives
/// check, and it would mate, which is illegal (uchifuzume), had the piece promoted.
fn keeps_a_drop_legal(pos: &Position, mv: Move) -> bool {
    let MoveKind::Board { from, to, .. } = mv.kind() else { return false };
    let after = |mv| {
        let mut after = pos.clone();
        after.do_move(mv);
        after
    };
    let (plain, promoted) = (after(mv), after(Move::promotion(from, to)));
    if !plain.hand(pos.side()).has(PieceType::Pawn) {
        return false;
    }
    generate::<All>(&promoted).iter().any(|&answer| {
        let with = |before: &Position| {
            let mut after = before.clone();
            after.do_move(answer);
            after
        };
        let promoted = with(&promoted);
        let drop = checking_pawn_drop(&promoted).filter(|&drop| !is_legal(&promoted, drop));
        drop.is_some_and(|drop| is_legal(&plain, answer) && is_legal(&with(&plain), drop))
    })
}

/// The pawn drop that gives check, if nothing but uchifuzume could forbid it.
fn checking_pawn_drop(pos: &Position) -> Option<Move> {
    let us = pos.side();
    let to = pawn_attacks(!us, pos.king(!us)?).into_iter().next()?;
    let is_nifu = pos.pieces_of(us, PieceType::Pawn).intersects(Bitboard::file(to.file()));
    let may_drop = !pos.in_check() && !is_nifu && pos.piece_on(to).is_none();
    may_drop.then_some(Move::drop(PieceType::Pawn, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moves of the root that leave a piece unpromoted.
    fn unpromoted(sfen: &str, limits: &Limits) -> Vec<String> {
        let pos = Position::from_sfen(sfen).unwrap();
        let moves = root_moves(&pos, limits);
        moves.iter().map(|root| root.mv).filter(|&mv| leaves_unpromoted(&pos, mv)).map(|mv| mv.to_string()).collect()
    }

    #[test]
    fn a_piece_is_left_unpromoted_on_request_only() {
        let pos = "4k4/9/9/3PBR3/9/9/9/9/4K4 b - 1";
        assert!(unpromoted(pos, &Limits::default()).is_empty());
        assert_eq!(unpromoted(pos, &Limits { all_moves: true, ..Limits::default() }).len(), 10);
        let asked = Limits { search_moves: Some(vec!["4d4a".parse().unwrap()]), ..Limits::default() };
        assert_eq!(unpromoted(pos, &asked), ["4d4a"]);
    }

    #[test]
    fn a_piece_may_stay_unpromoted_where_a_pawn_drop_must_not_mate() {
        // A tsume problem that begins with 2c3c: after 2c3c+ the drop on 1f, behind which the knight stands, would
        // mate.
        let pos = "9/9/3B3Rn/5+P3/6Npk/9/7Ps/7N1/9 b Prb4g3sn4l14p 1";
        let mut moves = unpromoted(pos, &Limits::default());
        moves.sort();
        assert_eq!(moves, ["2c1c", "2c3c"]);
    }

    #[test]
    fn a_score_that_may_be_too_high_does_not_replace_what_was_proven() {
        let mv: Move = "7g7f".parse().unwrap();
        let answer: Move = "3c3d".parse().unwrap();
        let mut root = RootMove::new(mv);
        root.set_best(Score(40), Bound::EXACT, 7, &[answer]);
        root.begin_iteration();
        root.set_best(Score(-30), Bound::UPPER, 8, &[]);
        assert_eq!((root.shown_score(), root.depth, root.bound), (Some(Score(40)), 7, Bound::EXACT));
        assert_eq!(root.pv(), [mv, answer]);
        assert!(!root.is_proven_at(8) && root.score == Score(-30));
        root.set_best(Score(-50), Bound::EXACT, 8, &[]);
        assert_eq!((root.shown_score(), root.depth), (Some(Score(-50)), 8));
        assert!(root.is_proven_at(8));
    }

    #[test]
    fn a_bound_leaves_the_known_line_whole() {
        let [mv, first, second, other]: [Move; 4] = ["7g7f", "3c3d", "2g2f", "8c8d"].map(|text| text.parse().unwrap());
        let mut root = RootMove::new(mv);
        root.set_best(Score(40), Bound::EXACT, 7, &[first, second]);
        for (score, answers) in [(50, &[][..]), (60, &[first])] {
            root.set_best(Score(score), Bound::LOWER, 8, answers);
            assert_eq!((root.pv(), root.shown_score()), (vec![mv, first, second], Some(Score(score))));
        }
        root.set_best(Score(70), Bound::LOWER, 8, &[other]);
        assert_eq!(root.pv(), [mv, other]);
    }

    #[test]
    fn the_means_follow_the_scores_with_their_signs() {
        let mut root = RootMove::new("7g7f".parse().unwrap());
        root.note(Score(-100), 5);
        assert_eq!((root.average, root.mean_square), (Some(Score(-100)), -10_000));
        root.note(Score(50), 7);
        assert_eq!((root.average, root.mean_square, root.nodes), (Some(Score(-25)), -3_750, 12));
    }
}
