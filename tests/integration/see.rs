//! Static exchange evaluation against a search through all captures on the square, with attacks of its own.

use crate::oracle::Board;
use crate::oracle::play::random_game;
use crate::oracle::setups::{Style, for_all};
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, Piece, PieceType, Square};
use proptest::test_runner::TestCaseError;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use PieceType::*;

/// Seed of the random games here.
const GAME_SEED: u64 = 0x5EE_0001;
/// Seed of the random setups here.
const SETUP_SEED: u64 = 20_260_915;
/// Larger than any gain or loss on one square.
const FAR: i32 = 20_000;

/// What an exchange has met.
#[derive(Default)]
struct Seen {
    /// Captures of its longest line.
    depth: usize,
    /// A pinned piece that could not capture.
    pin: bool,
}

/// The sliders that attack a side's king.
fn lines_to_king(board: &Board, side: Color) -> BTreeSet<Square> {
    let slides = |kind| matches!(kind, Lance | Bishop | Rook | Horse | Dragon);
    board.attackers_of_king(side).filter(|&(_, kind)| slides(kind)).map(|(square, _)| square).collect()
}

/// Whether a piece that captures on the square opens a line to its own king.
fn is_held_back(board: &Board, from: Square, to: Square) -> bool {
    let Some((side, kind)) = board.pieces[from] else { return false };
    let mut before = *board;
    // The piece that is captured stands there.
    before.pieces[to] = Some((!side, Pawn));
    let mut after = *board;
    after.pieces[from] = None;
    after.pieces[to] = Some((side, kind));
    kind != King && !lines_to_king(&after, side).is_subset(&lines_to_king(&before, side))
}

/// What the side can win by capturing what stands on the square, or nothing if it had better not. Which of several
/// pieces of a kind goes first is left open, so there may be several answers.
fn replies(board: &Board, side: Color, to: Square, victim: PieceType, seen: &mut Seen) -> BTreeSet<i32> {
    let mut attackers: Vec<(Square, PieceType)> = board.attackers(side, to).collect();
    let count = attackers.len();
    attackers.retain(|&(from, _)| !is_held_back(board, from, to));
    seen.pin |= attackers.len() < count;
    let Some(cheapest) = attackers.iter().map(|&(_, kind)| spending_rank(kind)).min() else {
        return BTreeSet::from([0]);
    };
    let mut answers = BTreeSet::new();
    for (from, kind) in attackers {
        if spending_rank(kind) != cheapest {
            continue;
        }
        let mut next = *board;
        next.pieces[from] = None;
        if kind == King && next.attackers(!side, to).next().is_some() {
            answers.insert(0);
            continue;
        }
        let mut deeper = Seen::default();
        for answer in replies(&next, !side, to, kind, &mut deeper) {
            answers.insert((victim.capture_gain() - answer).max(0));
        }
        seen.depth = seen.depth.max(deeper.depth + 1);
        seen.pin |= deeper.pin;
    }
    answers
}

/// What a move brings.
fn values(pos: &Position, mv: Move, seen: &mut Seen) -> BTreeSet<i32> {
    let mut board = Board::of(pos);
    let (gain, placed) = match mv.kind() {
        MoveKind::Drop { piece_type, .. } => (0, piece_type),
        MoveKind::Board { from, to, promote } => {
            let (_, moved) = board.pieces[from].take().expect("a move starts on a piece");
            let placed = if promote { moved.promoted() } else { moved };
            let captured = board.pieces[to].map_or(0, |(_, kind)| kind.capture_gain());
            (captured + placed.value() - moved.value(), placed)
        }
    };
    board.pieces[mv.to()] = None;
    if placed == King {
        // A legal move of the king cannot be answered by taking it.
        return BTreeSet::from([gain]);
    }
    replies(&board, !pos.side(), mv.to(), placed, seen).into_iter().map(|reply| gain - reply).collect()
}

/// Who goes first: the piece whose loss costs least, the king last.
fn spending_rank(piece_type: PieceType) -> i32 {
    match piece_type {
        King => i32::MAX,
        other => other.capture_gain(),
    }
}

/// The largest threshold that the move reaches; checks that all smaller ones are reached and no larger one is.
fn exact(pos: &Position, mv: Move) -> i32 {
    let mut reached = -FAR;
    let mut missed = FAR;
    assert!(pos.see_ge(mv, reached) && !pos.see_ge(mv, missed), "{mv} in {}", pos.to_sfen());
    while missed - reached > 1 {
        let middle = (reached + missed) / 2;
        if pos.see_ge(mv, middle) { reached = middle } else { missed = middle }
    }
    reached
}

/// How many exchanges of each length were compared.
#[derive(Default)]
struct Coverage {
    moves: AtomicU32,
    long: AtomicU32,
    pinned: AtomicU32,
    open: AtomicU32,
}

/// All moves of a position at thresholds around their value; `Err` names the first that is judged otherwise.
fn agrees(pos: &Position, coverage: &Coverage) -> Result<(), String> {
    for mv in &generate::<All>(pos) {
        let mut seen = Seen::default();
        let values = values(pos, mv, &mut seen);
        let least = *values.first().expect("a value");
        let most = *values.last().expect("a value");
        coverage.moves.fetch_add(1, Relaxed);
        coverage.long.fetch_add((seen.depth >= 3) as u32, Relaxed);
        coverage.pinned.fetch_add(seen.pin as u32, Relaxed);
        coverage.open.fetch_add((least < most) as u32, Relaxed);
        let fault = |threshold: i32| format!("{mv} against {threshold}, worth {values:?}, in {}", pos.to_sfen());
        for threshold in [least, least - 1, least - 77, least - 500, -FAR] {
            if !pos.see_ge(mv, threshold) {
                return Err(fault(threshold));
            }
        }
        for threshold in [most + 1, most + 77, most + 500, FAR] {
            if pos.see_ge(mv, threshold) {
                return Err(fault(threshold));
            }
        }
    }
    Ok(())
}

#[test]
fn exchanges_in_random_games_are_worth_what_all_captures_bring() {
    let coverage = Coverage::default();
    (0..240usize).into_par_iter().for_each(|game| {
        let mut ply = 0;
        random_game(GAME_SEED, game, |pos| {
            ply += 1;
            if ply % 4 == 0
                && let Err(fault) = agrees(pos, &coverage)
            {
                panic!("seed {GAME_SEED:#x}, game {game}: {fault}");
            }
        });
    });
    let counters = [&coverage.moves, &coverage.long, &coverage.open, &coverage.pinned];
    let [moves, long, open, pinned] = counters.map(|counter| counter.load(Relaxed));
    assert!(moves > 300_000 && long > 10_000 && open < moves / 10, "{moves} moves, {long} long, {open} open");
    assert!(pinned > 1_000, "{pinned} with pins");
}

#[test]
fn exchanges_in_random_setups_are_worth_what_all_captures_bring() {
    let coverage = Coverage::default();
    for style in Style::ALL {
        for_all(SETUP_SEED, 3_000, style.positions(), |pos| agrees(&pos, &coverage).map_err(TestCaseError::fail));
    }
    let [moves, long, pinned] =
        [&coverage.moves, &coverage.long, &coverage.pinned].map(|counter| counter.load(Relaxed));
    assert!(moves > 300_000 && long > 10_000 && pinned > 10_000, "{moves} moves, {long} long, {pinned} with pins");
}

fn assert_worth(sfen: &str, text: &str, value: i32) {
    let pos = Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
    let mv = text.parse().unwrap_or_else(|error| panic!("{error}"));
    assert!(generate::<All>(&pos).contains(&mv), "{text} is not legal in {sfen}");
    assert_eq!(exact(&pos, mv), value, "{text} in {sfen}");
}

#[test]
fn hand_made_exchanges_are_worth_what_the_table_says() {
    let mut rows = 0;
    for row in include_str!("../data/see.txt").lines().filter(|row| !row.starts_with('#')) {
        let [sfen, mv, words] = row.split(';').map(str::trim).collect::<Vec<_>>()[..] else { panic!("{row}") };
        let mut value = 0;
        for word in words.split_whitespace() {
            let (sign, piece) = word.strip_prefix('-').map_or((1, word), |piece| (-1, piece));
            value += match piece {
                "promotion" => ProPawn.value() - Pawn.value(),
                _ => sign * piece.parse::<Piece>().expect("a piece").piece_type().capture_gain(),
            };
        }
        assert_worth(sfen, mv, value);
        rows += 1;
    }
    assert_eq!(rows, 43);
}
