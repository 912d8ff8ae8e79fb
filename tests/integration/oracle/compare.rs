//! The engine's answers about one position, compared with the oracle's.

use super::OracleResult;
use komainu::movegen::{All, Captures, Checks, Evasions, Kind, Quiets, count, generate, has_legal_move};
use komainu::position::Position;
use komainu::types::{Move, Square};

/// The moves of a kind in order; repeated moves stay repeated.
pub(crate) fn sorted<K: Kind>(pos: &Position) -> Vec<Move> {
    let mut moves = generate::<K>(pos).to_vec();
    moves.sort_unstable();
    moves
}

/// `Err` names what the two sorted lists do not share.
pub(crate) fn same<T: Ord + Copy + std::fmt::Debug>(what: &str, found: &[T], expected: &[T]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let extra: Vec<T> = found.iter().copied().filter(|item| !expected.contains(item)).collect();
    let missing: Vec<T> = expected.iter().copied().filter(|item| !found.contains(item)).collect();
    let repeated: Vec<T> = found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    Err(format!("{what}: extra {extra:?}, missing {missing:?}, repeated {repeated:?}"))
}

/// Everything the engine says about the moves of a position against what the oracle says.
pub(crate) fn agrees_with_oracle(pos: &Position) -> Result<OracleResult, String> {
    let expected = OracleResult::of(pos);
    let compare = || {
        let all = expected.sorted(|_| true);
        same("checkers", &pos.checkers().into_iter().collect::<Vec<Square>>(), &expected.checkers)?;
        same("pinned", &pos.pinned().into_iter().collect::<Vec<Square>>(), &expected.pinned)?;
        if pos.in_check() == expected.checkers.is_empty() {
            return Err(format!("in_check() is {}", pos.in_check()));
        }
        same("All", &sorted::<All>(pos), &all)?;
        same("Captures", &sorted::<Captures>(pos), &expected.sorted(|legal| legal.captures))?;
        same("Quiets", &sorted::<Quiets>(pos), &expected.sorted(|legal| !legal.captures))?;
        same("Checks", &sorted::<Checks>(pos), &expected.sorted(|legal| legal.checks))?;
        if pos.in_check() {
            same("Evasions", &sorted::<Evasions>(pos), &all)?;
        }
        if count(pos) as usize != all.len() {
            return Err(format!("count() is {}, there are {} moves", count(pos), all.len()));
        }
        if has_legal_move(pos) == all.is_empty() {
            return Err(format!("has_legal_move() is {}, there are {} moves", has_legal_move(pos), all.len()));
        }
        match expected.moves.iter().find(|legal| pos.gives_check(legal.mv) != legal.checks) {
            Some(legal) => Err(format!("gives_check({}) is {}", legal.mv, !legal.checks)),
            None => Ok(()),
        }
    };
    match compare() {
        Ok(()) => Ok(expected),
        Err(fault) => Err(format!("{fault} in {}", pos.to_sfen())),
    }
}
