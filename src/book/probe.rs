//! Choosing a move out of a book.
//!
//! The moves that are not legal and those that lose by repetition are left out, then each option takes those away that
//! it does not want, and one of the rest is drawn by lot. What was left out and why is kept, because books that stay
//! silent without a reason are what users complain of most.

use super::book::{BookSet, Lookup};
use super::entry::{Candidate, has_values};
use super::error::BookError;
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
    let mut legal = Vec::new();
    let mut illegal = Vec::new();
    for found in moves {
        if is_legal(position, found.mv) {
            legal.push(found);
        } else {
            illegal.push(found.mv);
        }
    }
    let mut filters = Vec::new();
    let of = legal.len();
    // What may not be played is not even shown.
    legal.retain(|found| question.search_moves.is_empty() || question.search_moves.contains(&found.mv));
    if legal.len() < of {
        filters.push(CandidateFilter { reason: "searchmoves".into(), left: legal.len(), of });
    }
    let mut filtered = Filtered { left: (0..legal.len()).collect(), filters };
    filter_moves(&mut filtered, &legal, options, question);
    let Filtered { left, filters } = filtered;
    let weights = weights(&legal, &left, options);
    let total: u64 = weights.iter().sum();
    let mut choice = None;
    if total > 0 {
        let mut lot = question.random[1] % total;
        for (index, &weight) in weights.iter().enumerate() {
            if lot < weight {
                choice = Some(index);
                break;
            }
            lot -= weight;
        }
    }
    let mut candidates = Vec::new();
    for (candidate, weight) in legal.into_iter().zip(weights) {
        candidates.push((candidate, if weight > 0 { (weight * 1_000 / total) as u32 } else { 0 }));
    }
    Proposal { candidates, illegal, filters, choice, line: Vec::new() }
}

/// The weight of each move in the draw; 0 for those that are not left.
fn weights(moves: &[Candidate], left: &[usize], options: &ProbeOptions) -> Vec<u64> {
    let best = moves.iter().map(Candidate::value_or_zero).max().unwrap_or_default();
    let mut weights = vec![0; moves.len()];
    for &index in left {
        weights[index] = if options.by_count {
            u64::from(moves[index].count)
        } else if options.by_value {
            weight_of_loss(best.saturating_sub(moves[index].value_or_zero()))
        } else {
            1
        };
    }
    // Where nothing was counted every move is as good as another.
    if weights.iter().all(|&weight| weight == 0) {
        for &index in left {
            weights[index] = 1;
        }
    }
    weights
}

/// Weight of a move that loses `loss` centipawns against the best one: half for each [`HALVING_LOSS`].
fn weight_of_loss(loss: i32) -> u64 {
    const HALVING_LOSS: f64 = 12.0;
    (65_536.0 * (-f64::from(loss) / HALVING_LOSS).exp2()) as u64 + 1
}

/// The moves that are left, as their places, and what left others out.
struct Filtered {
    left: Vec<usize>,
    filters: Vec<CandidateFilter>,
}

impl Filtered {
    fn keep(&mut self, reason: impl FnOnce() -> String, mut keep: impl FnMut(usize) -> bool) {
        let of = self.left.len();
        self.left.retain(|&index| keep(index));
        if self.left.len() < of {
            self.filters.push(CandidateFilter { reason: reason(), left: self.left.len(), of });
        }
    }
}

fn filter_moves(filtered: &mut Filtered, moves: &[Candidate], options: &ProbeOptions, question: &Question) {
    let side = question.position.side();
    let repetitions: Vec<Option<Repetition>> = moves.iter().map(|found| repetition(question, found.mv)).collect();
    filtered.keep(|| "a lost repetition".into(), |index| repetitions[index] != Some(Repetition::Win));
    let has_values = has_values(moves);
    let values: Vec<i32> =
        moves.iter().map(|found| if has_values { found.value.unwrap_or(i32::MIN) } else { 0 }).collect();
    let is_draw: Vec<bool> = repetitions.iter().map(|&repetition| repetition == Some(Repetition::Draw)).collect();
    if filtered.left.iter().any(|&index| !is_draw[index] && values[index] > question.draw_value) {
        filtered.keep(|| "a drawn repetition".into(), |index| !is_draw[index]);
    }
    let counts: u64 = moves.iter().map(|found| u64::from(found.count)).sum();
    if !has_values && counts > 0 {
        filtered.keep(|| "a count of 0".into(), |index| moves[index].count > 0);
    }
    if options.narrow {
        filtered.keep(|| "NarrowBook".into(), |index| u64::from(moves[index].count) * 10 >= counts);
    }
    let Some(&first) = filtered.left.first() else { return };
    if moves[first].depth < options.depth_limit {
        let depth = moves[first].depth;
        filtered.keep(|| format!("BookDepthLimit {} with depth {depth}", options.depth_limit), |_| false);
    }
    let limit = options.eval_limit[side];
    let name = if side == Color::Black { "BookEvalBlackLimit" } else { "BookEvalWhiteLimit" };
    filtered.keep(|| format!("{name} {limit}"), |index| values[index] >= limit);
    let (diff, name) = options.diff(side);
    let least = values[first].saturating_sub(diff);
    filtered.keep(|| format!("{name} {diff}"), |index| values[index] >= least);
}

/// Repetition that ends the game if the move brings a position on the board for the fourth time, from the opponent's
/// view.
fn repetition(question: &Question, mv: Move) -> Option<Repetition> {
    let after = question.position.after(mv);
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
        let mv = match reply.take() {
            Some(mv) if is_legal(&position, mv) => mv,
            _ => {
                let found = books.find(&position, options.lookup)?.unwrap_or_default();
                let Some(best) = found.into_iter().find(|found| is_legal(&position, found.mv)) else { break };
                reply = best.reply;
                best.mv
            }
        };
        line.push(mv);
        position.do_move(mv);
        if position.occurrences() > 1 {
            break;
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Book;
    use crate::notation::usi::parse_position;

    fn candidate(mv: &str, value: i32, depth: u32, count: u32) -> Candidate {
        Candidate { value: Some(value), depth, count, ..Candidate::new(mv.parse().unwrap()) }
    }

    /// Five moves of the start position, the best one first.
    fn five() -> Vec<Candidate> {
        vec![
            candidate("7g7f", 60, 20, 50),
            candidate("2g2f", 55, 20, 30),
            candidate("5g5f", 10, 20, 15),
            candidate("1g1f", -5, 20, 4),
            candidate("9g9f", -250, 20, 1),
        ]
    }

    fn question(position: &Position) -> Question<'_> {
        Question { position, rules: GameRules::default(), draw_value: 0, search_moves: &[], random: [0, 0] }
    }

    /// What left moves out.
    fn reasons(proposal: &Proposal) -> Vec<String> {
        proposal.filters.iter().map(CandidateFilter::to_string).collect()
    }

    fn shares(proposal: &Proposal) -> Vec<u32> {
        proposal.candidates.iter().map(|(_, share)| *share).collect()
    }

    #[test]
    fn each_option_alone_leaves_out_what_it_says_and_is_named() {
        let all = ProbeOptions { eval_diff: 99_999, eval_limit: [-99_999; 2], ..ProbeOptions::default() };
        let position = Position::startpos();
        let check = |options: ProbeOptions, moves: &[&str], reason: &str| {
            let proposal = choose(five(), &options, &question(&position));
            let chosen = proposal.candidates.iter().filter(|(_, share)| *share > 0);
            let chosen: Vec<String> = chosen.map(|(candidate, _)| candidate.mv.to_string()).collect();
            assert_eq!(chosen, moves, "{options:?}");
            assert_eq!(reasons(&proposal).join("; "), reason, "{options:?}");
        };
        check(all, &["7g7f", "2g2f", "5g5f", "1g1f", "9g9f"], "");
        check(ProbeOptions { eval_diff: 30, ..all }, &["7g7f", "2g2f"], "BookEvalDiff 30 leaves 2 of 5 moves");
        let black = ProbeOptions { eval_diffs: [50, 0], ..all };
        check(black, &["7g7f", "2g2f", "5g5f"], "BookEvalBlackDiff 50 leaves 3 of 5 moves");
        let limit = ProbeOptions { eval_limit: [-200, 900], ..all };
        check(limit, &["7g7f", "2g2f", "5g5f", "1g1f"], "BookEvalBlackLimit -200 leaves 4 of 5 moves");
        check(ProbeOptions { narrow: true, ..all }, &["7g7f", "2g2f", "5g5f"], "NarrowBook leaves 3 of 5 moves");
        check(ProbeOptions { depth_limit: 20, ..all }, &["7g7f", "2g2f", "5g5f", "1g1f", "9g9f"], "");
        check(ProbeOptions { depth_limit: 21, ..all }, &[], "BookDepthLimit 21 with depth 20 leaves 0 of 5 moves");
        check(ProbeOptions { eval_limit: [61, 0], ..all }, &[], "BookEvalBlackLimit 61 leaves 0 of 5 moves");
    }

    #[test]
    fn white_has_limits_of_its_own() {
        let position = parse_position("startpos moves 7g7f").unwrap().position;
        let moves = vec![candidate("3c3d", -250, 9, 1), candidate("8c8d", -320, 9, 1)];
        let reasons = |options: &ProbeOptions| reasons(&choose(moves.clone(), options, &question(&position)));
        assert_eq!(reasons(&ProbeOptions::default()), ["BookEvalWhiteLimit -300 leaves 1 of 2 moves"]);
        let options = ProbeOptions { eval_diffs: [-1, 20], eval_limit: [0, -999], ..ProbeOptions::default() };
        assert_eq!(reasons(&options), ["BookEvalWhiteDiff 20 leaves 1 of 2 moves"]);
    }

    #[test]
    fn moves_are_drawn_by_their_values_if_that_is_wanted() {
        let position = Position::startpos();
        let options = ProbeOptions { eval_diff: 60, by_value: true, ..ProbeOptions::default() };
        let moves =
            [("7g7f", 60), ("2g2f", 48), ("9g9f", 36), ("1g1f", 0)].map(|(mv, value)| candidate(mv, value, 9, 1));
        let shares = |options| shares(&choose(moves.to_vec(), &options, &question(&position)));
        assert_eq!(shares(options), [561, 280, 140, 17]);
        // Counts come first if they are wanted, too.
        assert_eq!(shares(ProbeOptions { by_count: true, ..options }), [250; 4]);
    }

    #[test]
    fn moves_are_drawn_evenly_or_by_their_counts() {
        let position = Position::startpos();
        let all = ProbeOptions { eval_diff: 99_999, eval_limit: [-99_999; 2], ..ProbeOptions::default() };
        let draw = |options: &ProbeOptions, lot: u64| {
            let question = Question { random: [0, lot], ..question(&position) };
            choose(five(), options, &question).chosen().unwrap().mv.to_string()
        };
        let evenly: Vec<String> = (0..5).map(|lot| draw(&all, lot)).collect();
        assert_eq!(evenly, ["7g7f", "2g2f", "5g5f", "1g1f", "9g9f"]);
        let by_count = ProbeOptions { by_count: true, ..all };
        let mut drawn = std::collections::BTreeMap::new();
        for lot in 0..100 {
            *drawn.entry(draw(&by_count, lot)).or_insert(0) += 1;
        }
        let expected = [("1g1f", 4), ("2g2f", 30), ("5g5f", 15), ("7g7f", 50), ("9g9f", 1)];
        assert_eq!(drawn, expected.map(|(mv, count)| (mv.to_string(), count)).into());
        assert_eq!(shares(&choose(five(), &by_count, &question(&position))), [500, 300, 150, 40, 10]);
    }

    #[test]
    fn moves_that_nobody_played_are_left_out_where_others_were_and_have_the_same_chance_where_none_was() {
        let position = Position::startpos();
        let options = ProbeOptions { by_count: true, ..ProbeOptions::default() };
        let with_count = |count| {
            let moves = vec![candidate("7g7f", 0, 0, count), candidate("2g2f", 0, 0, 0)];
            choose(moves, &options, &question(&position))
        };
        assert_eq!(reasons(&with_count(3)), ["a count of 0 leaves 1 of 2 moves"]);
        assert_eq!(shares(&with_count(0)), [500, 500]);
    }

    #[test]
    fn illegal_moves_are_told_and_only_the_wanted_ones_are_played() {
        let position = Position::startpos();
        let moves = vec![candidate("7g7e", 90, 9, 1), candidate("7g7f", 80, 9, 1), candidate("2g2f", 70, 9, 1)];
        let wanted = ["2g2f".parse().unwrap()];
        let proposal =
            choose(moves, &ProbeOptions::default(), &Question { search_moves: &wanted, ..question(&position) });
        assert_eq!(proposal.illegal, ["7g7e".parse().unwrap()]);
        assert_eq!(proposal.chosen().unwrap().mv, wanted[0]);
        assert_eq!(proposal.filters[0].to_string(), "searchmoves leaves 1 of 2 moves");
    }

    #[test]
    fn a_repetition_is_played_only_if_nothing_better_is_known() {
        let shuffle = "5i5h 5a5b 5h5i 5b5a ".repeat(3);
        let line = format!("startpos moves {}", &shuffle[..shuffle.len() - 6]);
        // White completes the fourth occurrence with 5b5a.
        let position = parse_position(&line).unwrap().position;
        let told = |value: i32, draw_value: i32| {
            let moves = vec![candidate("5b5a", 5, 9, 1), candidate("3c3d", value, 9, 1)];
            reasons(&choose(moves, &ProbeOptions::default(), &Question { draw_value, ..question(&position) }))
        };
        assert_eq!(told(4, 0), ["a drawn repetition leaves 1 of 2 moves"]);
        assert_eq!(told(4, 10), [""; 0]);
        assert_eq!(told(-4, 0), [""; 0]);
    }

    #[test]
    fn a_perpetual_check_is_never_completed() {
        let start = "sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves ";
        let line = format!("{start}{}", "4i5i 5a4a 5i4i 4a5a ".repeat(3));
        let position = parse_position(&line).unwrap().position;
        let moves = vec![candidate("4i5i", 500, 9, 1), candidate("9i9h", 400, 9, 1)];
        let proposal = choose(moves, &ProbeOptions::default(), &question(&position));
        assert_eq!(proposal.filters[0].to_string(), "a lost repetition leaves 1 of 2 moves");
        assert_eq!(proposal.chosen().unwrap().mv.to_string(), "9i9h");
    }

    #[test]
    fn the_twin_answers_with_turned_moves_and_the_line_follows_the_book() {
        let text = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f none 30 5 1\n\
            sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n3c3d 2g2f -20 5 1\n";
        let books = BookSet::of(vec![Book::from_bytes(text.as_bytes()).unwrap()]);
        let ask = |line: &str, options: &ProbeOptions, random| {
            let position = parse_position(line).unwrap().position;
            probe(&books, options, &Question { random, ..question(&position) }).unwrap()
        };
        let options = ProbeOptions::default();
        let words = |proposal: Proposal| proposal.line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(words(ask("startpos", &options, [0, 0]).unwrap()), "7g7f 3c3d 2g2f");
        // The same positions with the colours swapped.
        let turned = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2";
        let proposal = ask(turned, &options, [0, 0]).unwrap();
        assert_eq!(proposal.chosen().unwrap().value, Some(30));
        assert_eq!(words(proposal), "3c3d 7g7f 8c8d");
        assert_eq!(words(ask("startpos", &ProbeOptions { pv_moves: 0, ..options }, [0, 0]).unwrap()), "7g7f 3c3d");
        let never = ProbeOptions { ignore_rate: 100, ..options };
        assert_eq!(ask("startpos", &never, [99, 0]), None);
        let seldom = ProbeOptions { ignore_rate: 10, ..options };
        assert!(ask("startpos", &seldom, [9, 0]).is_none() && ask("startpos", &seldom, [10, 0]).is_some());
        assert_eq!(ask("startpos moves 7g7f", &ProbeOptions { moves: 1, ..options }, [0, 0]), None);
        let exact = ProbeOptions { lookup: Lookup { ignore_ply: true, flipped: false }, ..options };
        assert_eq!(ask(turned, &exact, [0, 0]), None);
        let strict = ProbeOptions { lookup: Lookup { ignore_ply: false, flipped: true }, ..options };
        assert!(ask("startpos", &strict, [0, 0]).is_some());
        assert_eq!(ask(turned, &strict, [0, 0]), None);
    }
}
