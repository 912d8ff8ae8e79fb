//! The staged move picker: moves come in the order in which they are likely to cut off, and are generated only when
//! they are asked for.

use super::history::{Context, History, QuietScores};
use crate::movegen::{CAPACITY, Captures, Evasions, Group, QuietChecks, Quiets, is_legal, visit_groups};
use crate::position::{CheckInfo, Position};
use crate::types::{Move, Piece, PieceType};
use arrayvec::ArrayVec;
use std::cmp::Ordering;

/// So many of the quiet moves are sorted at first.
const FIRST_QUIETS: usize = 12;

/// A move with its score, sorted as one number of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
struct Scored {
    mv: Move,
    score: u16,
}

impl Scored {
    #[inline(always)]
    fn new(score: i32, mv: Move) -> Scored {
        let score = score.clamp(i16::MIN.into(), i16::MAX.into()) - i32::from(i16::MIN);
        Scored { mv, score: score as u16 }
    }

    #[inline(always)]
    fn order(self) -> u32 {
        u32::from(self.score) << 16 | u32::from(self.mv.bits())
    }
}

impl Ord for Scored {
    #[inline(always)]
    fn cmp(&self, other: &Scored) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Scored {
    #[inline(always)]
    fn partial_cmp(&self, other: &Scored) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateCaptures,
    GoodCaptures,
    Killers(usize),
    GenerateQuiets,
    Quiets,
    BadCaptures,
    GenerateEvasions,
    Evasions,
    Done,
}

/// Hands out the legal moves of one position, best first.
pub(super) struct Picker {
    stage: Stage,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    /// The best last; those before `sorted` are not sorted yet, and all of them worse than those behind.
    moves: ArrayVec<Scored, CAPACITY>,
    sorted: usize,
    bad_captures: ArrayVec<Move, CAPACITY>,
    /// The moves that led here: history is read in their light.
    context: Context,
    only_captures: bool,
    /// Quiet moves are wanted only if they give check.
    only_checks: bool,
    /// A capture must win at least this by exchanges to come before the quiet moves.
    threshold: i32,
    /// Moves that leave a piece unpromoted for nothing are handed out as well.
    all_moves: bool,
}

impl Picker {
    /// All moves that are worth a search. `table_move` may be any move; it is tested.
    #[inline(always)]
    pub(super) fn new(
        pos: &Position,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        context: Context,
    ) -> Picker {
        Picker {
            stage: Stage::TableMove,
            table_move: table_move.filter(|&mv| is_legal(pos, mv)),
            killers,
            moves: ArrayVec::new(),
            sorted: 0,
            bad_captures: ArrayVec::new(),
            context,
            only_captures: false,
            only_checks: false,
            threshold: 0,
            all_moves: false,
        }
    }

    /// Hands out every legal move if `all`, those that leave a piece unpromoted for nothing among them.
    #[inline(always)]
    pub(super) fn with_all_moves(self, all: bool) -> Picker {
        let mut picker = self;
        picker.all_moves = all;
        picker
    }

    /// Captures that do not lose material, or all moves out of check.
    #[inline(always)]
    pub(super) fn quiescence(pos: &Position, table_move: Option<Move>, context: Context) -> Picker {
        let table_move = table_move.filter(|mv| pos.in_check() || pos.piece_on(mv.to()).is_some());
        let mut picker = Picker::new(pos, table_move, [None; 2], context);
        picker.only_captures = true;
        picker
    }

    /// Captures that win at least so much by exchanges. The side to move must not be in check.
    #[inline(always)]
    pub(super) fn winning(pos: &Position, table_move: Option<Move>, threshold: i32) -> Picker {
        let table_move = table_move.filter(|&mv| pos.piece_on(mv.to()).is_some() && pos.see_ge(mv, threshold));
        let mut picker = Picker::quiescence(pos, table_move, Context::default());
        picker.threshold = threshold;
        picker
    }

    /// The next move.
    #[inline]
    pub(super) fn next(&mut self, pos: &Position, history: &History) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = if pos.in_check() { Stage::GenerateEvasions } else { Stage::GenerateCaptures };
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(pos, history);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.pop() {
                    Some(mv) if pos.see_ge(mv, self.threshold) => return Some(mv),
                    Some(_) if self.only_captures => {}
                    Some(mv) => self.bad_captures.push(mv),
                    None => self.stage = if self.only_captures { Stage::Done } else { Stage::Killers(0) },
                },
                Stage::Killers(2) => self.stage = Stage::GenerateQuiets,
                Stage::Killers(i) => {
                    self.stage = Stage::Killers(i + 1);
                    let killer = self.killers[i].filter(|&mv| {
                        let is_new = self.table_move != Some(mv) && (i == 0 || self.killers[0] != Some(mv));
                        is_new && pos.piece_on(mv.to()).is_none() && is_legal(pos, mv)
                    });
                    if killer.is_some() {
                        return killer;
                    }
                }
                Stage::GenerateQuiets => {
                    self.generate_quiets(pos, history);
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.pop() {
                    Some(mv) => return Some(mv),
                    None => {
                        self.bad_captures.reverse();
                        self.stage = Stage::BadCaptures;
                    }
                },
                Stage::BadCaptures => match self.bad_captures.pop() {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::GenerateEvasions => {
                    self.generate_evasions(pos, history);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => match self.pop() {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    // The lists are made in functions of their own, so that a node that takes few moves stays small.

    #[inline(never)]
    fn generate_captures(&mut self, pos: &Position, history: &History) {
        let moves = &mut self.moves;
        visit_groups::<Captures>(pos, self.all_moves, |group| {
            group.to.into_iter().for_each(|to| {
                let Some(victim) = pos.piece_on(to).map(Piece::piece_type) else { return };
                let score = capture_order(&group, victim) + history.capture(group.placed, to, victim) / 4;
                moves.push(Scored::new(score, group.mv(to)));
            });
        });
        moves.sort_unstable();
    }

    #[inline(never)]
    fn generate_quiets(&mut self, pos: &Position, history: &History) {
        let scores = history.quiets(pos.side(), &self.context);
        if self.only_checks {
            visit_groups::<QuietChecks>(pos, self.all_moves, |group| push_quiets(&mut self.moves, &scores, &group));
        } else {
            visit_groups::<Quiets>(pos, self.all_moves, |group| push_quiets(&mut self.moves, &scores, &group));
        }
        // Most nodes are done after a few moves.
        self.sorted = self.moves.len().saturating_sub(FIRST_QUIETS);
        if self.sorted > 0 {
            self.moves.select_nth_unstable(self.sorted);
        }
        self.moves[self.sorted..].sort_unstable();
    }

    /// Sorts the moves that were left for later.
    #[inline(never)]
    fn sort_rest(&mut self) {
        self.moves[..].sort_unstable();
        self.sorted = 0;
    }

    #[inline(never)]
    fn generate_evasions(&mut self, pos: &Position, history: &History) {
        let scores = history.quiets(pos.side(), &self.context);
        let (moves, occupied) = (&mut self.moves, pos.occupied());
        visit_groups::<Evasions>(pos, self.all_moves, |group| {
            push_quiets(moves, &scores, &group.within(!occupied));
            (group.to & occupied).into_iter().for_each(|to| {
                let victim = pos.piece_on(to).map_or(PieceType::Pawn, Piece::piece_type);
                moves.push(Scored::new(20_000 + capture_order(&group, victim) / 8, group.mv(to)));
            });
        });
        moves.sort_unstable();
    }

    /// From now on leaves out the quiet moves that do not give check.
    pub(super) fn only_checks(&mut self, pos: &Position, info: &CheckInfo) {
        if self.stage == Stage::Quiets && !self.only_checks {
            self.moves.retain(|scored| info.gives_check(pos, scored.mv));
            self.sort_rest();
        }
        self.only_checks = true;
    }

    /// Whether the moves that come now are captures that lose material.
    pub(super) fn is_at_bad_captures(&self) -> bool {
        self.stage == Stage::BadCaptures
    }

    /// The best of the moves that are left. Those that were handed out before their turn are passed over.
    #[inline(always)]
    fn pop(&mut self) -> Option<Move> {
        loop {
            if self.moves.len() <= self.sorted && self.sorted > 0 {
                self.sort_rest();
            }
            let mv = Some(self.moves.pop()?.mv);
            let was_killer = self.stage == Stage::Quiets && self.killers.contains(&mv);
            if mv != self.table_move && !was_killer {
                return mv;
            }
        }
    }
}

/// Scores quiet moves by history, with a bonus for promotions.
#[inline(always)]
fn push_quiets(moves: &mut ArrayVec<Scored, CAPACITY>, scores: &QuietScores, group: &Group) {
    let scores = scores.of_piece(group.origin_index(), group.placed);
    let bonus = 8 * promotion_gain(group);
    group.to.into_iter().for_each(|to| moves.push(Scored::new(scores.to(to) + bonus, group.mv(to))));
}

/// Most valuable victim first, then the cheapest attacker, promotions before the rest.
#[inline(always)]
fn capture_order(group: &Group, victim: PieceType) -> i32 {
    8 * victim.capture_gain() - group.moved().value() + 4 * promotion_gain(group)
}

#[inline(always)]
fn promotion_gain(group: &Group) -> i32 {
    group.placed.piece_type().value() - group.moved().value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};

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
            let history = History::new();
            let picked = |all| {
                let mut picker = Picker::new(&pos, None, [None; 2], Context::default()).with_all_moves(all);
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
        let history = History::new();
        let mut state = 5u64;
        for _ in 0..300 {
            let mut legal: Vec<Move> = generate::<All>(&pos).to_vec();
            if legal.is_empty() {
                break;
            }
            state = state.wrapping_mul(6364136223846793005).wrapping_add(99);
            let pick = |n: u64| legal[(state >> n) as usize % legal.len()];
            let junk = Move::from_bits((state >> 40) as u16);
            for (table_move, killers) in
                [(None, [None; 2]), (Some(pick(33)), [Some(pick(35)), junk]), (junk, [Some(pick(31)), Some(pick(33))])]
            {
                let mut picker = Picker::new(&pos, table_move, killers, Context::default()).with_all_moves(true);
                let mut picked: Vec<Move> = std::iter::from_fn(|| picker.next(&pos, &history)).collect();
                picked.sort();
                legal.sort();
                assert_eq!(picked, legal, "{pos:?}");
            }
            let mv = legal[(state >> 33) as usize % legal.len()];
            pos.do_move(mv);
        }
    }
}
