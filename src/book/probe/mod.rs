//! Choosing a move out of a book.
//!
//! The moves that are not legal and those that lose by repetition are left out, then each option takes those away that
//! it does not want, and one of the rest is drawn by lot. What was left out and why is kept, because books that stay
//! silent without a reason are what users complain of most.

#[cfg(test)]
mod tests;

use super::book::Lookup;
use super::entry::{Candidate, has_values};
use super::error::BookError;
use super::set::BookSet;
use crate::movegen::is_legal;
use crate::position::{GameRules, Position, Repetition};
use crate::types::{Color, Counted, Move};
use std::fmt;

/// Settings of the user for the use of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// The last ply of the game at which the book is used.
    pub moves: u32,
    /// Per cent of look-ups that miss on purpose.
    pub ignore_rate: u32,
    /// Moves with less than a tenth of the counts are left out.
    pub narrow: bool,
    /// Centipawns that a move may be worse than the best one.
    pub eval_diff: i32,
    /// Centipawns that a move of black and of white may be worse than the best one; −1 for `eval_diff`.
    pub eval_diffs: [i32; 2],
    /// The least value of a move of black and of white.
    pub eval_limit: [i32; 2],
    /// The depth that the best move must have; 0 for any.
    pub depth_limit: u32,
    /// Moves are drawn in proportion to their counts.
    pub by_count: bool,
    /// Better moves are drawn more often, by their values: one that is 12 centipawns worse half as often.
    pub by_value: bool,
    /// Plies of the line that is shown.
    pub pv_moves: usize,
    /// Settings of the look-up.
    pub lookup: Lookup,
}

impl Default for ProbeOptions {
    fn default() -> ProbeOptions {
        ProbeOptions {
            moves: 1_000,
            ignore_rate: 0,
            narrow: false,
            eval_diff: 30,
            eval_diffs: [-1; 2],
            eval_limit: [-200, -300],
            depth_limit: 0,
            by_count: false,
            by_value: false,
            pv_moves: 8,
            lookup: Lookup::default(),
        }
    }
}

impl ProbeOptions {
    fn diff(&self, side: Color) -> (i32, &'static str) {
        match (self.eval_diffs[side], side) {
            (-1, _) => (self.eval_diff, "BookEvalDiff"),
            (diff, Color::Black) => (diff, "BookEvalBlackDiff"),
            (diff, Color::White) => (diff, "BookEvalWhiteDiff"),
        }
    }
}

/// A position for which a move is wanted.
#[derive(Debug)]
pub struct Question<'a> {
    /// The position with its history.
    pub position: &'a Position,
    /// The rules of the game.
    pub rules: GameRules,
    /// Value of a draw to the side to move, in centipawns.
    pub draw_value: i32,
    /// Only these moves may be played; all if there are none.
    pub search_moves: &'a [Move],
    /// Two random numbers: one decides whether the book is ignored, the other which move is chosen.
    pub random: [u64; 2],
}

/// A step that left moves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateFilter {
    /// Why: the option with its value, or the rule.
    pub reason: String,
    /// The moves that are left.
    pub left: usize,
    /// The moves that there were.
    pub of: usize,
}

impl fmt::Display for CandidateFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} leaves {} of {}", self.reason, self.left, Counted(self.of as u64, "move"))
    }
}

/// Moves of a book for a position, and those that were left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The legal moves, the best one first, each with the chance of being chosen in tenths of a per cent.
    pub candidates: Vec<(Candidate, u32)>,
    /// Moves of the book that are not legal.
    pub illegal: Vec<Move>,
    /// Filters that left moves out.
    pub filters: Vec<CandidateFilter>,
    /// The one that was chosen, as its place among the candidates.
    pub choice: Option<usize>,
    /// The line that begins with the chosen move.
    pub line: Vec<Move>,
}

impl Proposal {
    /// The chosen move.
    pub fn chosen(&self) -> Option<&Candidate> {
        self.choice.map(|choice| &self.candidates[choice].0)
    }

    /// The answer that is expected.
    pub fn ponder(&self) -> Option<Move> {
        self.line.get(1).copied()
    }
}

/// Asks the books for a move. Nothing comes back if they do not have the position, or if they are not to be asked now.
pub fn probe(books: &BookSet, options: &ProbeOptions, question: &Question) -> Result<Option<Proposal>, BookError> {
    let position = question.position;
    let is_ignored = question.random[0] % 100 < options.ignore_rate.into();
    if books.is_empty() || is_ignored || position.ply() > options.moves {
        return Ok(None);
    }
    let Some(moves) = books.find(position, options.lookup)? else { return Ok(None) };
    let mut proposal = choose(moves, options, question);
    if let Some(chosen) = proposal.chosen().cloned() {
        proposal.line = line(books, options, position, &chosen)?;
    }
    Ok(Some(proposal))
}

/// Chooses among the moves of a position, which come in order, the best one first.
pub fn choose(moves: Vec<Candidate>, options: &ProbeOptions, question: &Question) -> Proposal {
    let position = question.position;
    let (mut legal, illegal): (Vec<_>, Vec<_>) = moves.into_iter().partition(|found| is_legal(position, found.mv));
    let mut filters = Vec::new();
    let of = legal.len();
    // What may not be played is not even shown.
    legal.retain(|found| question.search_moves.is_empty() || question.search_moves.contains(&found.mv));
    if legal.len() < of {
        filters.push(CandidateFilter { reason: "searchmoves".into(), left: legal.len(), of });
    }
    let mut sieve = Sieve { left: (0..legal.len()).collect(), filters };
    sieve_moves(&mut sieve, &legal, options, question);
    let Sieve { left, filters } = sieve;
    let best = legal.iter().map(Candidate::value_or_zero).max().unwrap_or_default();
    let weight = |index: usize| match legal[index] {
        Candidate { count, .. } if options.by_count => u64::from(count),
        ref candidate if options.by_value => weight_of_loss(best.saturating_sub(candidate.value_or_zero())),
        _ => 1,
    };
    let total: u64 = left.iter().map(|&index| weight(index)).sum();
    // Where nothing was counted every move is as good as another.
    let (total, weight): (u64, &dyn Fn(usize) -> u64) =
        if total > 0 { (total, &weight) } else { (left.len() as u64, &|_| 1) };
    let mut lot = if total > 0 { question.random[1] % total } else { 0 };
    let choice = left.iter().copied().find(|&index| {
        let is_drawn = lot < weight(index);
        lot = lot.wrapping_sub(weight(index));
        is_drawn
    });
    let share = |index: usize| if left.contains(&index) { (weight(index) * 1_000 / total) as u32 } else { 0 };
    let shares: Vec<u32> = (0..legal.len()).map(share).collect();
    Proposal {
        candidates: legal.into_iter().zip(shares).collect(),
        illegal: illegal.into_iter().map(|candidate| candidate.mv).collect(),
        filters,
        choice,
        line: Vec::new(),
    }
}

/// Weight of a move that loses `loss` centipawns against the best one: half for each [`HALVING_LOSS`].
fn weight_of_loss(loss: i32) -> u64 {
    const HALVING_LOSS: f64 = 12.0;
    (65_536.0 * (-f64::from(loss) / HALVING_LOSS).exp2()) as u64 + 1
}

/// The moves that are left, as their places, and what left others out.
struct Sieve {
    left: Vec<usize>,
    filters: Vec<CandidateFilter>,
}

impl Sieve {
    fn keep(&mut self, reason: impl FnOnce() -> String, mut keep: impl FnMut(usize) -> bool) {
        let of = self.left.len();
        self.left.retain(|&index| keep(index));
        if self.left.len() < of {
            self.filters.push(CandidateFilter { reason: reason(), left: self.left.len(), of });
        }
    }
}

fn sieve_moves(sieve: &mut Sieve, moves: &[Candidate], options: &ProbeOptions, question: &Question) {
    let side = question.position.side();
    let repetitions: Vec<Option<Repetition>> = moves.iter().map(|found| repetition(question, found.mv)).collect();
    sieve.keep(|| "a lost repetition".into(), |index| repetitions[index] != Some(Repetition::Win));
    let has_values = has_values(moves);
    let value = |index: usize| if has_values { moves[index].value.unwrap_or(i32::MIN) } else { 0 };
    let is_draw = |index: usize| repetitions[index] == Some(Repetition::Draw);
    if sieve.left.iter().any(|&index| !is_draw(index) && value(index) > question.draw_value) {
        sieve.keep(|| "a drawn repetition".into(), |index| !is_draw(index));
    }
    let counts: u64 = moves.iter().map(|found| u64::from(found.count)).sum();
    if !has_values && counts > 0 {
        sieve.keep(|| "a count of 0".into(), |index| moves[index].count > 0);
    }
    if options.narrow {
        sieve.keep(|| "NarrowBook".into(), |index| u64::from(moves[index].count) * 10 >= counts);
    }
    let Some(&first) = sieve.left.first() else { return };
    if moves[first].depth < options.depth_limit {
        let depth = moves[first].depth;
        sieve.keep(|| format!("BookDepthLimit {} with depth {depth}", options.depth_limit), |_| false);
    }
    let limit = options.eval_limit[side];
    let name = if side == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
    sieve.keep(|| format!("{name} {limit}"), |index| value(index) >= limit);
    let (diff, name) = options.diff(side);
    let least = value(first).saturating_sub(diff);
    sieve.keep(|| format!("{name} {diff}"), |index| value(index) >= least);
}

/// Repetition that ends the game if the move brings a position on the board for the fourth time, from the opponent's
/// view.
fn repetition(question: &Question, mv: Move) -> Option<Repetition> {
    let mut after = question.position.clone();
    after.do_move(mv);
    after.repetition_within(0, &question.rules)
}

/// The line of the books that begins with a move, legal to its last move.
fn line(books: &BookSet, options: &ProbeOptions, start: &Position, chosen: &Candidate) -> Result<Vec<Move>, BookError> {
    let mut position = start.clone();
    let mut line = vec![chosen.mv];
    let mut reply = chosen.reply;
    position.do_move(chosen.mv);
    // The expected answer is wanted even if no line is shown.
    while line.len() < options.pv_moves.max(2) {
        let next = match reply.take().filter(|&mv| is_legal(&position, mv)) {
            Some(mv) => Some((mv, None)),
            None => {
                let found = books.find(&position, options.lookup)?.unwrap_or_default();
                let best = found.into_iter().find(|found| is_legal(&position, found.mv));
                best.map(|found| (found.mv, found.reply))
            }
        };
        let Some((mv, next_reply)) = next else { break };
        line.push(mv);
        position.do_move(mv);
        reply = next_reply;
        if position.occurrences() > 1 {
            break;
        }
    }
    Ok(line)
}
