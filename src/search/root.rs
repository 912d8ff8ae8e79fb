//! The root: its moves, and what a worker does once an iteration, not once a node: iterative deepening with aspiration
//! windows, and the reports of it.

use super::node::{Root, Window};
use super::params::{aspiration_delta, aspiration_square_divisor, lmr_window};
use super::path::Path;
use super::report::{Bound, Decision, Report, SearchResult};
use super::stack::{Line, MAX_PLY};
use super::time::BestMoveStability;
use super::worker::Worker;
use crate::bitboard::{Bitboard, pawn_attacks};
use crate::movegen::{All, generate, is_legal, leaves_unpromoted};
use crate::position::Position;
use crate::search::Limits;
use crate::types::{Move, MoveKind, PieceType, Score};
use std::cmp::Reverse;
use std::fmt;
use std::slice;
use std::time::Duration;

/// A legal move of the root with what is known of it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// The score of the running iteration, minus infinity as long as the move was not found to be among the best.
    pub(crate) score: Score,
    /// The score of the iteration before.
    previous: Score,
    /// Mean of the scores of all searches of the move, the last ones weighing most.
    pub(crate) average: Option<Score>,
    /// Mean of the scores' squares with their signs, likewise.
    pub(crate) mean_square: i32,
    /// The line that was last found to follow the move, without it; the iteration's depth then, and what the score
    /// says. On the heap, so that the many root moves without a line are small when they are made, looked for and
    /// sorted.
    answers: Vec<Move>,
    pub(crate) depth: usize,
    pub(crate) bound: Bound,
    /// The score that goes with the line, if the move was ever scored.
    proven: Option<Score>,
    /// Nodes below it in this search.
    pub(crate) nodes: u64,
}

impl RootMove {
    /// A move of which nothing is known.
    pub(crate) fn new(mv: Move) -> RootMove {
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
    pub(crate) fn begin_iteration(&mut self) {
        self.previous = self.score;
        self.score = -Score::INFINITE;
    }

    /// Counts a search of the move into the means, whatever its window was.
    pub(crate) fn note(&mut self, score: Score, nodes: u64) {
        let square = score.0 * score.0.abs();
        if let Some(average) = self.average {
            self.average = Some(Score((average.0 + score.0) / 2));
            self.mean_square = self.mean_square / 2 + square / 2;
        } else {
            self.average = Some(score);
            self.mean_square = square;
        }
        self.nodes += nodes;
    }

    /// The move is the first, or better than all before it: the search has found its score. A score that may be too
    /// high changes nothing of what is shown: the line and the score before it hold. One that may be too low comes with
    /// the beginning of a line at most: if the line before it begins so, it stays whole.
    pub(crate) fn set_best(&mut self, score: Score, bound: Bound, depth: usize, answers: &[Move]) {
        self.score = score;
        if bound == Bound::UPPER && self.proven.is_some() {
            return;
        }
        self.proven = Some(score);
        self.bound = bound;
        self.depth = depth;
        if bound == Bound::LOWER && self.answers.starts_with(answers) {
            return;
        }
        self.answers.clear();
        self.answers.extend_from_slice(&answers[..answers.len().min(MAX_PLY)]);
    }

    /// The line that was last found to begin with the move.
    pub(crate) fn pv(&self) -> Vec<Move> {
        [slice::from_ref(&self.mv), &self.answers].concat()
    }

    /// Sorts the best to the front: by this iteration's score, then by the last one's.
    pub(crate) fn order(&self) -> (Reverse<Score>, Reverse<Score>) {
        (Reverse(self.score), Reverse(self.previous))
    }

    /// The score that goes with the line, if the move was ever scored.
    pub(crate) fn shown_score(&self) -> Option<Score> {
        self.proven
    }

    /// Tests whether the running iteration has found a score or a lower bound for the move.
    pub(crate) fn is_proven_at(&self, depth: usize) -> bool {
        self.proven.is_some() && self.depth == depth && self.bound != Bound::UPPER
    }
}

/// Knowledge of a thread of the root besides its position.
#[derive(Default)]
pub(crate) struct RootState {
    /// The moves that are searched, best first.
    pub(crate) moves: Vec<RootMove>,
    /// Which place among them is searched for; moves of earlier places are left out.
    pub(crate) place: usize,
    /// The moves that are searched for it, as they stand among the moves; in a row, for each is looked for.
    order: Vec<Move>,
    /// Width of the window of the running search.
    delta: i32,
    /// Reduction that a window of one point takes off, in 1/1,024 ply.
    pub(crate) share: i32,
    /// The best line of the last iteration.
    pub(crate) follow_line: Line,
    /// Evidence of the iterations so far, and of the game's last move, on the time that the move is worth.
    pub(crate) stability: BestMoveStability,
}

impl RootState {
    /// Begins a search; its moves are set apart.
    pub(crate) fn begin_search(&mut self) {
        self.follow_line.clear();
        self.stability.begin_search();
    }

    /// Forgets what the last moves of a game have taught.
    pub(crate) fn forget_game(&mut self) {
        self.stability = BestMoveStability::default();
    }

    /// Begins a search for a place, in a window of this width.
    pub(crate) fn begin_window(&mut self, place: usize, width: i32) {
        debug_assert!(place < self.moves.len(), "there is no root move {place}");
        self.place = place;
        self.delta = width.max(1);
        self.share = self.share_of(1);
        self.order.clear();
        self.order.extend(self.moves[place..].iter().map(|root| root.mv));
    }

    /// Steps 14 and 17. Late-move reduction: what a window of this width takes off, in 1/1,024 ply.
    pub(crate) fn share_of(&self, width: i32) -> i32 {
        (i64::from(lmr_window()) * i64::from(width) / i64::from(self.delta)) as i32
    }

    /// Where a move stands among the moves, if it is one of those that are searched for the place.
    pub(crate) fn find_root_move(&self, mv: Move) -> Option<usize> {
        self.order.iter().position(|&root| root == mv).map(|at| self.place + at)
    }
}

/// The moves to search: those asked for that are legal; if none were asked for all legal ones, but those that leave a
/// piece unpromoted for nothing. Such a move is searched if the limits want all moves, or if it keeps a pawn drop legal
/// that would mate.
pub(crate) fn root_moves(pos: &Position, limits: &Limits) -> Vec<RootMove> {
    let mut moves = Vec::new();
    for mv in &generate::<All>(pos) {
        let is_wanted = match &limits.search_moves {
            Some(asked) => asked.contains(&mv),
            None => limits.all_moves || !leaves_unpromoted(pos, mv) || keeps_a_drop_legal(pos, mv),
        };
        if is_wanted {
            moves.push(RootMove::new(mv));
        }
    }
    moves
}

/// Tests whether a move that leaves its piece unpromoted keeps a pawn drop legal: after some answer the drop gives
/// check, and it would mate, which is illegal (uchifuzume), had the piece promoted.
fn keeps_a_drop_legal(pos: &Position, mv: Move) -> bool {
    let MoveKind::Board { from, to, .. } = mv.kind() else { return false };
    let plain = pos.after(mv);
    let promoted = pos.after(Move::promotion(from, to));
    if !plain.hand(pos.side()).has(PieceType::Pawn) {
        return false;
    }
    for answer in &generate::<All>(&promoted) {
        let promoted = promoted.after(answer);
        let Some(drop) = checking_pawn_drop(&promoted) else { continue };
        if !is_legal(&promoted, drop) && is_legal(&plain, answer) && is_legal(&plain.after(answer), drop) {
            return true;
        }
    }
    false
}

/// The pawn drop that gives check, if nothing but uchifuzume could forbid it.
fn checking_pawn_drop(pos: &Position) -> Option<Move> {
    let us = pos.side();
    let to = pawn_attacks(!us, pos.king(!us)?).into_iter().next()?;
    let is_nifu = pos.pieces_of(us, PieceType::Pawn).intersects(Bitboard::file(to.file()));
    let may_drop = !pos.in_check() && !is_nifu && pos.piece_on(to).is_none();
    if may_drop { Some(Move::drop(PieceType::Pawn, to)) } else { None }
}

/// Searches of an iteration for one place of the order; the moves before that place are left out. The window lies
/// around the mean of the last scores and widens until the score lies inside.
pub(crate) struct Aspiration {
    /// Place of the order that is searched for.
    pub(crate) place: usize,
    /// Window of the next search.
    pub(crate) window: Window,
    /// A score lay inside the window.
    pub(crate) is_over: bool,
    /// By how much the window widens next.
    delta: i32,
    /// Number of searches in a row whose score lay above the window.
    highs: i32,
}

impl Aspiration {
    /// The searches for the place of a move by the worker with this number: each of eight has another window.
    pub(crate) fn new(place: usize, root: &RootMove, worker: usize) -> Aspiration {
        let delta = aspiration_delta() + (worker % 8) as i32 + root.mean_square.abs() / aspiration_square_divisor();
        let window = root.average.map_or(Window::FULL, |average| Window::around(average, delta));
        Aspiration { place, window, is_over: false, delta, highs: 0 }
    }

    /// Depth of the next search of an iteration.
    pub(crate) fn depth(&self, root_depth: usize) -> i32 {
        (root_depth as i32 - self.highs).max(1)
    }

    /// Widens the window on the side on which the score lies. Returns the bound that the score is.
    pub(crate) fn adjust(&mut self, score: Score) -> Bound {
        let alpha = self.window.alpha;
        let beta = self.window.beta;
        let bound = self.window.bound_of(score);
        match bound {
            Bound::UPPER => {
                self.window = Window { alpha: (score - self.delta).max(-Score::INFINITE), beta: alpha };
                self.highs = 0;
            }
            Bound::LOWER => {
                let alpha = (beta - self.delta).max(alpha);
                self.window = Window { alpha, beta: (score + self.delta).min(Score::INFINITE) };
                // The score of a later line is not one to act on but to compare: it is searched as deep as the first.
                self.highs += i32::from(self.place == 0);
            }
            _ => self.is_over = true,
        }
        self.delta += self.delta / 3;
        bound
    }
}

/// Who chooses the move in place of the search of full strength: a playing level.
///
/// One thread asks it, however many there are. An analysis, and a search for several lines, is always at full strength.
pub trait MoveChooser: fmt::Debug + Sync {
    /// True if it declares a win where the rules allow it.
    fn declares(&self) -> bool;

    /// Chooses one of the moves (at least one) at the end of the path, which must lead there again when it returns. The
    /// line of the report begins with the move; `on_block` is told of every iteration.
    fn choose(&self, path: &mut Path, moves: &[Move], on_block: &mut (dyn FnMut(&[Report]) + Send)) -> Report;
}

/// In an iteration after so long, searches that miss their window are reported as bounds.
const BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// Who is told of the best lines: one report for each.
pub(crate) type OnBlock<'a> = &'a mut (dyn FnMut(&[Report]) + Send);

impl Worker {
    /// Has another search choose the move. Not inlined: where there are no threads a call through a table of functions
    /// can be suspended only in a function that is known by name (docs/architecture.md, "Without threads").
    #[inline(never)]
    fn let_choose(&mut self, chooser: &dyn MoveChooser, on_block: OnBlock) -> Report {
        let moves: Vec<Move> = self.root.moves.iter().map(|root| root.mv).collect();
        let report = chooser.choose(&mut self.path, &moves, on_block);
        self.path.limiter.flush_nodes();
        report
    }

    /// Finds the move to play: by iterative deepening, one depth after the other until a limit is met, or by whoever
    /// chooses in its place. Returns the last report on the best move, which is the move to play.
    pub(crate) fn iterate(&mut self, chooser: Option<&dyn MoveChooser>, on_block: OnBlock) -> Option<Report> {
        if let Some(chooser) = chooser {
            return Some(self.let_choose(chooser, on_block));
        }
        let deepest = self.path.limiter.limits.depth.unwrap_or(MAX_PLY - 1).clamp(1, MAX_PLY - 1);
        let mut last: Option<Report> = None;
        // Iterations of the second half of the time: of four, one goes deeper than the one before.
        let mut late = 0;
        for iteration in 1.. {
            self.path.limiter.root_depth = iteration - 3 * (late + 1) / 4;
            if self.root_depth() > deepest {
                break;
            }
            let lines = self.begin_iteration();
            for place in 0..lines {
                let mut aspiration = Aspiration::new(place, &self.root.moves[place], self.id);
                while !self.stopped() && !aspiration.is_over {
                    self.root.begin_window(place, aspiration.window.width());
                    let depth = aspiration.depth(self.root_depth());
                    let score = self.negamax::<Root>(aspiration.window, depth, 0, false);
                    self.end_window(&mut aspiration, score, lines == 1, on_block);
                }
            }
            if self.stopped() {
                last = self.last_proven(last, lines);
                break;
            }
            self.root.follow_line = self.root.moves[0].pv().into_iter().collect();
            let reports = self.reports(lines);
            on_block(&reports);
            last = reports.into_iter().next();
            let worth = self.note_iteration();
            if self.should_stop_deepening(worth) {
                break;
            }
            late += usize::from(self.is_in_second_half(worth));
        }
        self.path.limiter.flush_nodes();
        if let Some(average) = self.root.moves[0].average {
            self.root.stability.end_search(average);
        }
        last
    }

    /// Begins an iteration. Returns the number of lines that it is to find.
    fn begin_iteration(&mut self) -> usize {
        for root in &mut self.root.moves {
            root.begin_iteration();
        }
        self.path.limiter.control.multi_pv().clamp(1, self.root.moves.len())
    }

    /// Sorts the moves after a search in a window; if the score lies outside of it the window is widened.
    fn end_window(&mut self, aspiration: &mut Aspiration, score: Score, shows_bounds: bool, on_block: OnBlock) {
        let place = aspiration.place;
        // Stable: moves that did not raise alpha keep their order.
        self.root.moves[place..].sort_by_key(RootMove::order);
        if self.stopped() {
            return;
        }
        let bound = aspiration.adjust(score);
        if aspiration.is_over {
            // A later place may turn out better than an earlier one.
            self.root.moves[..=place].sort_by_key(RootMove::order);
        } else if shows_bounds && self.path.limiter.control.elapsed() >= BOUNDS_AFTER {
            self.report_bound(score, bound, on_block);
        }
    }

    /// The last thing that a stopped search has proven: the best move of the unfinished iteration with its own depth
    /// and score, or what the iteration before has found. An unfinished iteration that sees the game lost is not
    /// believed, one with several lines would show lines that do not belong together, and a lower bound for the same
    /// move says less than its score and line.
    pub(crate) fn last_proven(&mut self, last: Option<Report>, lines: usize) -> Option<Report> {
        let best = &self.root.moves[0];
        let is_believed =
            lines == 1 && best.is_proven_at(self.root_depth()) && !best.shown_score().is_some_and(Score::is_loss);
        let is_another = last.as_ref().and_then(|last| last.pv.first()) != Some(&best.mv);
        let is_news = is_believed && (best.bound == Bound::EXACT || is_another);
        if let Some(last) = last
            && !is_news
        {
            let now = self.progress();
            return Some(Report { nodes: now.nodes, time: now.time, hashfull: now.hashfull, ..last });
        }
        let report = self.reports(lines).into_iter().next()?;
        Some(Report { pv: self.lengthened(report.pv), ..report })
    }

    /// Notes the end of an iteration. Returns how many times its usual time the move is worth by now.
    fn note_iteration(&mut self) -> f64 {
        let best = &self.root.moves[0];
        let effort = best.nodes as f64 / self.nodes().max(1) as f64;
        self.root.stability.note(best.mv, best.score, effort);
        if self.path.limiter.is_first() {
            let control = &self.path.limiter.control;
            let changes = f64::from(control.take_changes()) / control.threads() as f64;
            self.root.stability.note_changes(changes);
        }
        let worth = self.root.stability.factor();
        self.root.stability.end_iteration();
        self.path.limiter.take_ponder_hit();
        worth
    }

    /// Returns true if another iteration is not worth its time, for a move that is worth `worth` times the usual time.
    /// Each worker votes on its time; only the first one ends the search, with most of them.
    pub(crate) fn should_stop_deepening(&mut self, worth: f64) -> bool {
        let limiter = &mut self.path.limiter;
        if limiter.limits.must_wait() {
            return false;
        }
        let budget = limiter.limits.budget(worth);
        let is_enough = budget.is_some_and(|budget| limiter.control.thinking_time() >= budget.soft);
        limiter.vote(is_enough);
        if !limiter.is_first() {
            return false;
        }
        // A mate that was searched for so much deeper than it is long will not become shorter.
        let mate_plies = self.root.moves[0].score.mate_plies();
        let is_settled =
            mate_plies.is_some_and(|plies| (plies.unsigned_abs() as usize + 2) * 5 / 2 < limiter.root_depth);
        // A single legal move needs no thought in a game.
        let is_forced = self.root.moves.len() == 1 && limiter.limits.clock.is_some();
        let is_counted = limiter.limits.nodes.is_some_and(|limit| limiter.nodes >= limit);
        is_settled || is_forced || is_counted || limiter.control.is_finished(is_enough)
    }

    /// Returns true if more than half of the time for the move is spent. An iteration that goes no deeper then has a
    /// better chance to end.
    fn is_in_second_half(&self, worth: f64) -> bool {
        let limiter = &self.path.limiter;
        if !limiter.is_first() || limiter.limits.clock.is_none() || limiter.limits.must_wait() {
            return false;
        }
        let budget = limiter.limits.budget(worth);
        budget.is_some_and(|budget| limiter.control.thinking_time() * 2 > budget.soft)
    }

    /// Tells that the best move's score lies outside of the window.
    fn report_bound(&mut self, score: Score, bound: Bound, on_block: OnBlock) {
        let now = self.progress();
        let pv = self.lengthened(self.root.moves[0].pv());
        on_block(&[Report { score, bound, pv, ..now }]);
    }

    /// Result of the search, with the report whose line begins with the move to play.
    pub(crate) fn result(&self, report: Option<Report>) -> SearchResult {
        let line = match &report {
            Some(report) => report.pv.clone(),
            None => self.root.moves[0].pv(),
        };
        let best = line.first().copied().unwrap_or(self.root.moves[0].mv);
        let answer = line.get(1).copied().or_else(|| self.lengthened(vec![best]).get(1).copied());
        SearchResult {
            decision: Decision::Play(best, answer),
            report,
            nodes: self.path.limiter.control.nodes(),
            longest_pause: self.path.limiter.longest_pause(),
            fault: None,
        }
    }

    /// A line from the root with what the table knows of its rest, as far as the iteration is deep. Lines are short
    /// where a move has turned out better than the window: its answers were searched for a bound only.
    fn lengthened(&self, mut line: Vec<Move>) -> Vec<Move> {
        let mut pos = self.path.pos.clone();
        for &mv in &line {
            pos.do_move(mv);
        }
        while line.len() < self.root_depth() && pos.occurrences() == 1 {
            let known = self.table.probe(pos.key(), line.len()).and_then(|entry| entry.mv);
            let Some(mv) = known.filter(|&mv| is_legal(&pos, mv)) else { break };
            pos.do_move(mv);
            line.push(mv);
        }
        line
    }

    /// The state of the search at this moment, one report for each of the best `lines` root moves.
    fn reports(&mut self, lines: usize) -> Vec<Report> {
        let now = self.progress();
        let mut reports = Vec::with_capacity(lines);
        for (place, root) in self.root.moves.iter().take(lines).enumerate() {
            reports.push(Report {
                multi_pv: if lines > 1 { Some(place + 1) } else { None },
                depth: root.depth.max(1),
                bound: root.bound,
                score: root.shown_score().unwrap_or(now.score),
                pv: root.pv(),
                ..now
            });
        }
        reports
    }

    /// A report without line; its score is the static evaluation of the root.
    fn progress(&mut self) -> Report {
        Report { score: self.root_eval(), hashfull: self.table.hashfull(), ..self.path.progress() }
    }
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

    /// The searches for a place whose move has the mean score 100.
    fn aspiration(place: usize) -> Aspiration {
        let mut root = RootMove::new("7g7f".parse().unwrap());
        root.note(Score(100), 1);
        Aspiration::new(place, &root, 0)
    }

    #[test]
    fn the_first_window_lies_around_the_mean_and_is_wider_for_wilder_scores_and_other_workers() {
        let calm = aspiration(0).window;
        assert_eq!((calm.alpha.0 + calm.beta.0) / 2, 100);
        let mut wild = RootMove::new("7g7f".parse().unwrap());
        wild.note(Score(2_000), 1);
        assert!(Aspiration::new(0, &wild, 0).window.width() > calm.width());
        assert!(Aspiration::new(0, &wild, 3).window.width() > Aspiration::new(0, &wild, 8).window.width());
        let unknown = RootMove::new("7g7f".parse().unwrap());
        assert_eq!(Aspiration::new(0, &unknown, 0).window, Window::FULL);
    }

    #[test]
    fn only_the_first_line_is_searched_less_deep_when_it_is_above_its_window() {
        for place in [0, 1] {
            let mut aspiration = aspiration(place);
            let depths: Vec<i32> = (0..4)
                .map(|_| {
                    assert_eq!(aspiration.adjust(aspiration.window.beta), Bound::LOWER);
                    aspiration.depth(3)
                })
                .collect();
            assert_eq!(depths, if place == 0 { [2, 1, 1, 1] } else { [3; 4] });
            // Below its window the score is searched for as deep as ever.
            assert_eq!(aspiration.adjust(aspiration.window.alpha), Bound::UPPER);
            assert_eq!((aspiration.depth(3), aspiration.is_over), (3, false));
        }
    }

    #[test]
    fn a_window_that_is_missed_again_and_again_opens_to_all_scores_on_that_side() {
        let mut low = aspiration(0);
        while low.window.alpha > -Score::INFINITE {
            let alpha = low.window.alpha;
            assert_eq!(low.adjust((alpha - 50).max(-Score::INFINITE)), Bound::UPPER);
            assert!(low.window.beta == alpha && low.window.alpha < alpha);
        }
        assert_eq!(low.adjust(-Score::INFINITE + 1), Bound::EXACT);
        assert!(low.is_over);
        let mut high = aspiration(0);
        while high.window.beta < Score::INFINITE {
            let beta = high.window.beta;
            assert_eq!(high.adjust(beta), Bound::LOWER);
            assert!(high.window.beta > beta && high.window.alpha < beta);
        }
        assert_eq!(high.adjust(Score::INFINITE - 1), Bound::EXACT);
    }
}
