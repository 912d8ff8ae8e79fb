//! Which hands a result holds for (proof and disproof hands, Nagai 2002).
//!
//! A mate stays a mate when the attacker holds more and the defender therefore less; a failure stays a failure when the
//! attacker holds less. So a proof is kept with the smallest hand that these rules find to suffice, a disproof with
//! the largest that does not help. Where a rule is in doubt it errs towards the hand on the board.

use crate::bitboard::{Bitboard, between};
use crate::position::{CheckInfo, Position};
use crate::types::PieceType::{Knight, Lance, Pawn};
use crate::types::{Color, Hand, Move, MoveKind, PieceType};

/// The greater count of each type.
pub(crate) fn union(a: Hand, b: Hand) -> Hand {
    merge(a, b, u8::max)
}

/// The smaller count of each type.
pub(crate) fn intersection(a: Hand, b: Hand) -> Hand {
    merge(a, b, u8::min)
}

fn merge(a: Hand, b: Hand, choose: impl Fn(u8, u8) -> u8) -> Hand {
    if a == b {
        return a;
    }
    let mut merged = Hand::EMPTY;
    for piece_type in PieceType::HAND {
        merged.set(piece_type, choose(a.count(piece_type), b.count(piece_type)));
    }
    merged
}

/// All pieces that the two sides hold together.
pub(crate) fn all_held(pos: &Position) -> Hand {
    let mut all = Hand::EMPTY;
    let black = pos.hand(Color::Black);
    let white = pos.hand(Color::White);
    for piece_type in PieceType::HAND {
        all.set(piece_type, black.count(piece_type) + white.count(piece_type));
    }
    all
}

/// The attacker's hand before a move of its own for which the hand after it is `hand`.
pub(crate) fn before(pos: &Position, mv: Move, mut hand: Hand) -> Hand {
    match mv.kind() {
        MoveKind::Drop { piece_type, .. } => {
            if hand.count(piece_type) < piece_type.total() {
                hand.add(piece_type);
            }
        }
        MoveKind::Board { to, .. } => {
            if let Some(taken) = pos.piece_on(to) {
                let held = taken.piece_type().unpromoted();
                if hand.has(held) {
                    hand.remove(held);
                }
            }
        }
    }
    hand
}

/// Adds to a proof hand of a position with the defender to move what the defender must not get: pieces that it does not
/// hold, that the attacker holds, and that could be dropped between the king and the checker.
pub(crate) fn with_monopoly(pos: &Position, mut hand: Hand) -> Hand {
    let them = pos.side();
    let Some(king) = pos.king(them) else { return hand };
    let Some(checker) = pos.checkers().first() else { return hand };
    if pos.checkers().is_many() {
        return hand;
    }
    let inside = between(king, checker);
    if inside.is_empty() {
        return hand;
    }
    let ours = pos.hand(!them);
    let theirs = pos.hand(them);
    for piece_type in PieceType::HAND {
        if ours.has(piece_type) && !theirs.has(piece_type) {
            let possible = match piece_type {
                Pawn => {
                    let files = pos.pieces_moving_as(them, Pawn).fill_files();
                    inside.without(files | Bitboard::last_ranks(them, 1))
                }
                Lance => inside.without(Bitboard::last_ranks(them, 1)),
                Knight => inside.without(Bitboard::last_ranks(them, 2)),
                _ => inside,
            };
            if !possible.is_empty() {
                hand.set(piece_type, ours.count(piece_type));
            }
        }
    }
    hand
}

/// Takes from a disproof hand of a position with the attacker to move what would give it a check that it does not have:
/// types that it does not hold and that could be dropped with check.
pub(crate) fn without_new_checks(pos: &Position, mut hand: Hand) -> Hand {
    let us = pos.side();
    let info = CheckInfo::new(pos);
    let empty = !pos.occupied();
    for piece_type in PieceType::HAND {
        if hand.has(piece_type) && !pos.hand(us).has(piece_type) {
            let mut squares = info.squares(piece_type) & empty;
            if piece_type == Pawn {
                squares = squares.without(pos.pieces_moving_as(us, Pawn).fill_files());
            }
            if !squares.is_empty() {
                hand.set(piece_type, 0);
            }
        }
    }
    hand
}
