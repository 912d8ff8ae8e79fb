//! The staged move picker: moves come in the order in which they are likely to cut off, and are generated only when
//! they are asked for.

use super::history::{History, HistoryKeys, PieceTo, QuietScores};
use super::params::*;
use crate::movegen::{CAPACITY, Captures, Evasions, Group, Groups, Quiets, add_groups, is_legal};
use crate::position::{CheckInfo, Position};
use crate::types::{Move, Piece, PieceType};
use arrayvec::ArrayVec;
use std::cell::OnceCell;

/// The order of quiet moves is kept in 16 bits as a fraction of the sum.
const QUIET_UNIT: i32 = 8;
/// Destinations from which on all squares are weighed at once.
const MANY: u32 = 8;
/// Every capture out of check comes before every other answer to it.
const CAPTURING_EVASION: i32 = 28_000;

/// A move with its score.
#[derive(Clone, Copy)]
#[repr(C)]
struct Scored {
    mv: Move,
    score: u16,
}

impl Scored {
    fn new(score: i32, mv: Move) -> Scored {
        Scored { mv, score: Scored::in_16_bits(score) }
    }

    /// A score as it is kept.
    fn in_16_bits(score: i32) -> u16 {
        (score.clamp(i16::MIN.into(), i16::MAX.into()) - i32::from(i16::MIN)) as u16
    }

    /// The score that the move was made with.
    fn score(self) -> i32 {
        i32::from(self.score) + i32::from(i16::MIN)
    }

    /// Place among other moves, as one number above zero: by score, then by the bits of the move.
    fn order(self) -> u32 {
        u32::from(self.score) << 16 | u32::from(self.mv.bits())
    }

    fn from_order(order: u32) -> Option<Scored> {
        Some(Scored { mv: Move::from_bits(order as u16)?, score: (order >> 16) as u16 })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    GoodQuiets,
    BadCaptures,
    BadQuiets,
    GenerateEvasions,
    Evasions,
    Done,
}

/// Which moves a picker hands out when the side to move is not in check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    All,
    /// Captures in the order of the quiescence search.
    Captures,
    /// Captures that win at least so much by exchanges.
    Winning(i32),
}

/// Hands out the legal moves of one position, best first.
///
/// Not in check: the TT move, captures that lose nothing, quiet moves with a good history, the other captures, the
/// other quiet moves. In check: the TT move, captures, the other evasions.
pub(crate) struct Picker {
    stage: Stage,
    tt_move: Option<Move>,
    /// The moves that were generated last, in no order.
    moves: ArrayVec<Scored, CAPACITY>,
    /// Order that the moves which are left are below.
    bound: u32,
    bad_captures: ArrayVec<Move, CAPACITY>,
    /// Where the histories keep what they know of this node.
    keys: HistoryKeys,
    wanted: Wanted,
    skip_quiets: bool,
    /// Moves that leave a piece unpromoted for nothing are handed out as well.
    all_moves: bool,
    /// Made when the first move is asked about.
    check_info: OnceCell<CheckInfo>,
}

impl Picker {
    /// All moves that are worth a search. `tt_move` may be any move; it is tested.
    pub(crate) fn new(pos: &Position, tt_move: Option<Move>, keys: HistoryKeys) -> Picker {
        Picker {
            stage: Stage::TtMove,
            tt_move: tt_move.filter(|&mv| is_legal(pos, mv)),
            moves: ArrayVec::new(),
            bound: u32::MAX,
            bad_captures: ArrayVec::new(),
            keys,
            wanted: Wanted::All,
            skip_quiets: false,
            all_moves: false,
            check_info: OnceCell::new(),
        }
    }

    /// Hands out every legal move if `all`, those that leave a piece unpromoted for nothing among them.
    pub(crate) fn with_all_moves(mut self, all: bool) -> Picker {
        self.all_moves = all;
        self
    }

    /// Captures, or all moves out of check.
    pub(crate) fn quiescence(pos: &Position, tt_move: Option<Move>, keys: HistoryKeys) -> Picker {
        let tt_move = tt_move.filter(|mv| pos.in_check() || pos.piece_on(mv.to()).is_some());
        let mut picker = Picker::new(pos, tt_move, keys);
        picker.wanted = Wanted::Captures;
        picker
    }

    /// Captures that win at least so much by exchanges. The side to move must not be in check.
    pub(crate) fn winning(pos: &Position, tt_move: Option<Move>, threshold: i32) -> Picker {
        debug_assert!(!pos.in_check(), "out of check there are more moves than captures");
        let tt_move = tt_move.filter(|&mv| pos.piece_on(mv.to()).is_some() && pos.see_ge(mv, threshold));
        let mut picker = Picker::new(pos, tt_move, HistoryKeys::default());
        picker.wanted = Wanted::Winning(threshold);
        picker
    }

    /// Tests whether a legal move of the position gives check.
    pub(crate) fn gives_check(&self, pos: &Position, mv: Move) -> bool {
        self.check_info.get_or_init(|| CheckInfo::new(pos)).gives_check(pos, mv)
    }

    /// From now on leaves out the quiet moves. Answers to a check are not affected.
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    #[inline]
    pub(crate) fn next(&mut self, pos: &Position, history: &History) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TtMove => {
                    self.stage = if pos.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    if self.tt_move.is_some() {
                        return self.tt_move;
                    }
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(pos, history);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.pop() {
                    Some(scored) if self.is_good_capture(pos, scored) => return Some(scored.mv),
                    Some(scored) => self.put_off(scored.mv),
                    None => self.stage = self.after_good_captures(),
                },
                Stage::GenerateQuiets => {
                    self.generate_quiets(pos, history);
                    self.stage = Stage::GoodQuiets;
                }
                Stage::GoodQuiets => match self.pop_good_quiet() {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::BadCaptures,
                },
                Stage::BadCaptures => match self.bad_captures.pop() {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::BadQuiets,
                },
                Stage::BadQuiets => {
                    if !self.skip_quiets
                        && let Some(scored) = self.pop()
                    {
                        return Some(scored.mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::GenerateEvasions => {
                    self.generate_evasions(pos, history);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.pop() {
                    Some(scored) => return Some(scored.mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Tests whether a capture comes before the quiet moves: the better it is otherwise, the more the exchange may
    /// lose.
    fn is_good_capture(&self, pos: &Position, capture: Scored) -> bool {
        match self.wanted {
            Wanted::All => pos.see_ge(capture.mv, -capture.score() / order_good_capture_divisor()),
            Wanted::Captures => true,
            Wanted::Winning(threshold) => pos.see_ge(capture.mv, threshold),
        }
    }

    fn put_off(&mut self, mv: Move) {
        if self.wanted == Wanted::All {
            self.bad_captures.push(mv);
        }
    }

    fn after_good_captures(&mut self) -> Stage {
        if self.wanted != Wanted::All {
            return Stage::Done;
        }
        self.bad_captures.reverse();
        if self.skip_quiets { Stage::BadCaptures } else { Stage::GenerateQuiets }
    }

    /// Makes room for the moves of the next stage.
    fn clear(&mut self) {
        self.moves.clear();
        self.bound = u32::MAX;
    }

    // The lists are made in functions of their own, so that a node that takes few moves stays small. `for_each` goes
    // through squares in one loop a word: with `for` these functions have 3 % more instructions.

    #[inline(never)]
    fn generate_captures(&mut self, pos: &Position, history: &History) {
        self.clear();
        let moves = &mut self.moves;
        let mut groups = Groups::new();
        add_groups::<Captures>(pos, self.all_moves, &mut groups);
        for group in &groups {
            group.to.into_iter().for_each(|to| {
                let Some(victim) = pos.piece_on(to).map(Piece::piece_type) else { return };
                let learnt = history.capture(PieceTo::new(group.placed, to), Some(victim));
                let score = learnt + order_capture_weight() * (victim.capture_gain() + promotion_gain(group)) / 2;
                moves.push(Scored::new(score, group.mv(to)));
            });
        }
    }

    #[inline(never)]
    fn generate_quiets(&mut self, pos: &Position, history: &History) {
        let scores = history.quiets(pos.side(), &self.keys);
        let mut groups = Groups::new();
        add_groups::<Quiets>(pos, self.all_moves, &mut groups);
        for group in &groups {
            scores.prefetch(group);
        }
        self.clear();
        let info = self.check_info.get_or_init(|| CheckInfo::new(pos));
        let moves = &mut self.moves;
        for group in &groups {
            push_quiets(moves, pos, &scores, info, group);
        }
    }

    #[inline(never)]
    fn generate_evasions(&mut self, pos: &Position, history: &History) {
        let scores = history.quiets(pos.side(), &self.keys);
        self.clear();
        let moves = &mut self.moves;
        let occupied = pos.occupied();
        let mut groups = Groups::new();
        add_groups::<Evasions>(pos, self.all_moves, &mut groups);
        for group in &groups {
            let scores = scores.of_group(group.first, group.placed);
            group.to.without(occupied).into_iter().for_each(|to| {
                // Half of it stays below the captures.
                moves.push(Scored::new(scores.evasion_order(to) / 2, group.mv(to)));
            });
            (group.to & occupied).into_iter().for_each(|to| {
                let victim = pos.piece_on(to).map_or(PieceType::Pawn, Piece::piece_type);
                let score = CAPTURING_EVASION + victim.capture_gain() + promotion_gain(group) / 2;
                moves.push(Scored::new(score, group.mv(to)));
            });
        }
    }

    /// The best of the quiet moves that are left, if quiet moves are wanted and its history is not bad.
    fn pop_good_quiet(&mut self) -> Option<Move> {
        if self.skip_quiets {
            return None;
        }
        let best = self.peek()?;
        if best.score() <= order_good_quiet_threshold() / QUIET_UNIT {
            return None;
        }
        self.bound = best.order();
        Some(best.mv)
    }

    /// Hands out the best of the moves that are left.
    fn pop(&mut self) -> Option<Scored> {
        let best = self.peek()?;
        self.bound = best.order();
        Some(best)
    }

    /// The best of the moves that are left. The TT move, which was handed out before its turn, is passed over.
    fn peek(&mut self) -> Option<Scored> {
        let mut best = self.best_left()?;
        if Some(best.mv) == self.tt_move {
            self.bound = best.order();
            best = self.best_left()?;
        }
        Some(best)
    }

    /// The best of the moves below the bound. A pass over all of them, which the compiler turns into vector
    /// instructions, costs less than the branches that are foretold wrongly when they are sorted.
    #[inline(never)]
    fn best_left(&self) -> Option<Scored> {
        // Below the bound the differences are the largest, and grow with the order.
        let differences = self.moves.iter().map(|scored| scored.order().wrapping_sub(self.bound));
        let order = differences.fold(0, u32::max).wrapping_add(self.bound);
        if order < self.bound { Scored::from_order(order) } else { None }
    }
}

/// Scores quiet moves by history, with a bonus for promotions and for checks that lose next to nothing.
fn push_quiets(
    moves: &mut ArrayVec<Scored, CAPACITY>,
    pos: &Position,
    scores: &QuietScores,
    info: &CheckInfo,
    group: &Group,
) {
    let scores = scores.of_group(group.first, group.placed);
    let bonus = order_promotion_weight() * promotion_gain(group);
    let checks = group.to & group.checks(info);
    let quiet = group.to.without(checks);
    if quiet.count() >= MANY {
        let all = scores.orders().map(|order| Scored::in_16_bits((order + bonus) / QUIET_UNIT));
        quiet.into_iter().for_each(|to| moves.push(Scored { mv: group.mv(to), score: all[to] }));
    } else {
        quiet.into_iter().for_each(|to| {
            moves.push(Scored::new((scores.order(to) + bonus) / QUIET_UNIT, group.mv(to)));
        });
    }
    checks.into_iter().for_each(|to| {
        let is_safe = pos.see_ge(group.mv(to), -order_check_see_margin());
        let order = scores.order(to) + order_check_bonus() * i32::from(is_safe);
        moves.push(Scored::new((order + bonus) / QUIET_UNIT, group.mv(to)));
    });
}

/// Gain of a promotion over the piece's value; 0 for other moves.
fn promotion_gain(group: &Group) -> i32 {
    group.placed.piece_type().value() - group.moved().value()
}

#[cfg(test)]
mod tests {
    use super::super::history::HistorySize;
    use super::*;
    use crate::movegen::{All, generate};
    use crate::random::SplitMix64;

    #[test]
    fn moves_that_leave_a_piece_unpromoted_for_nothing_come_on_request_only() {
        for (sfen, left_out) in [
            ("4k4/9/9/3PBR3/9/9/9/9/4K4 b - 1", "4d4a 4d4b 4d4c 5d2a 5d3b 5d4c 5d6c 5d7b 5d8a 6d6c"),
            ("8k/9/2LNS4/9/9/9/9/9/4K4 b - 1", "7c7b"),
            (
                "4k4/9/9/9/4K4/9/5p3/9/1r7 w - 1",
                "4g4h 8i1i 8i2i 8i3i 8i4i 8i5i 8i6i 8i7i 8i8a 8i8b 8i8c 8i8d 8i8e 8i8f 8i8g 8i8h 8i9i",
            ),
        ] {
            let pos = Position::from_sfen(sfen).unwrap();
            let history = History::alone(HistorySize::Small);
            let picked = |all| {
                let mut picker = Picker::new(&pos, None, HistoryKeys::default()).with_all_moves(all);
                std::iter::from_fn(|| picker.next(&pos, &history)).collect::<Vec<Move>>()
            };
            let wanted = picked(false);
            let mut missing: Vec<String> =
                picked(true).into_iter().filter(|mv| !wanted.contains(mv)).map(|mv| mv.to_string()).collect();
            missing.sort();
            assert_eq!(missing.join(" "), left_out, "{sfen}");
        }
    }

    #[test]
    fn every_legal_move_comes_exactly_once_whatever_the_table_says() {
        let mut pos =
            Position::from_sfen("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1").unwrap();
        let history = History::alone(HistorySize::Small);
        let mut random = SplitMix64(5);
        for _ in 0..300 {
            let mut legal: Vec<Move> = generate::<All>(&pos).to_vec();
            if legal.is_empty() {
                break;
            }
            let mv = *random.pick(&legal);
            let junk = Move::from_bits(random.next_u64() as u16);
            for tt_move in [None, Some(mv), junk] {
                let mut picker = Picker::new(&pos, tt_move, HistoryKeys::default()).with_all_moves(true);
                let mut picked: Vec<Move> = std::iter::from_fn(|| picker.next(&pos, &history)).collect();
                picked.sort();
                legal.sort();
                assert_eq!(picked, legal, "{pos:?}");
            }
            pos.do_move(mv);
        }
    }
}
