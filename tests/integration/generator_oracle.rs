//! The generator against two independent ones: the oracle of this folder, written from the rule book, and the
//! published crate rsshogi. Positions come from random games and from random setups that shrink.

use crate::oracle::OracleResult;
use crate::oracle::compare::{agrees_with_oracle, same, sorted};
use crate::oracle::play::random_game;
use crate::oracle::setups::{Style, for_all};
use komainu::movegen::{All, is_legal};
use komainu::position::Position;
use komainu::types::{Color, Move};
use proptest::test_runner::TestCaseError;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Seed of all random games here; a game also depends on its number.
const GAME_SEED: u64 = 0x4B6F_6D61_696E_7501;
/// Seed of all random setups here.
const SETUP_SEED: u64 = 20_260_501;
/// Setups of each of the four families.
const SETUPS: u32 = 50_000;

/// What must come up in a run: a test that never meets a pin says nothing about pins.
const SITUATIONS: [&str; 11] = [
    "in all",
    "in check",
    "in double check",
    "with a pinned piece",
    "with a pinned piece that moves",
    "with a pawn drop that mates",
    "with a pawn drop that checks",
    "with one king",
    "without a move",
    "with a check to give",
    "with a promotion",
];

/// How many positions of each of the [`SITUATIONS`] a run has met.
#[derive(Default)]
struct Coverage([AtomicU32; SITUATIONS.len()]);

impl Coverage {
    fn add(&self, pos: &Position, expected: &OracleResult) {
        let OracleResult { moves, checkers, pinned, uchifuzume, .. } = expected;
        let seen = [
            true,
            !checkers.is_empty(),
            checkers.len() > 1,
            !pinned.is_empty(),
            moves.iter().any(|legal| legal.mv.from().is_some_and(|from| pinned.contains(&from))),
            uchifuzume.is_some(),
            moves.iter().any(|legal| legal.checks && legal.mv.to_string().starts_with('P')),
            Color::ALL.into_iter().any(|color| pos.king(color).is_none()),
            moves.is_empty(),
            moves.iter().any(|legal| legal.checks),
            moves.iter().any(|legal| legal.mv.is_promotion()),
        ];
        for (counter, seen) in self.0.iter().zip(seen) {
            counter.fetch_add(seen as u32, Relaxed);
        }
    }

    fn positions(&self) -> u32 {
        self.0[0].load(Relaxed)
    }

    /// Fails unless every situation came up at least this often.
    fn assert_at_least(&self, least: u32) {
        for (name, counter) in SITUATIONS.iter().zip(&self.0) {
            let seen = counter.load(Relaxed);
            assert!(seen >= least, "only {seen} positions {name}");
        }
    }
}

/// Plays the games on all cores and shows every position to `check`; a fault names seed, game and position.
fn in_random_games(games: usize, check: impl Fn(&Position, usize) -> Result<(), String> + Sync) {
    (0..games).into_par_iter().for_each(|game| {
        let mut ply = 0;
        random_game(GAME_SEED, game, |pos| {
            if let Err(fault) = check(pos, ply) {
                panic!("seed {GAME_SEED:#x}, game {game}, ply {ply}: {fault}");
            }
            ply += 1;
        });
    });
}

/// Shows that many random setups of a family to `check` and shrinks the first that fails.
fn in_random_setups(style: Style, setups: u32, check: impl Fn(&Position) -> Result<(), String>) {
    for_all(SETUP_SEED, setups, style.positions(), |pos| check(&pos).map_err(TestCaseError::fail));
}

fn setups_agree(style: Style) {
    let coverage = Coverage::default();
    in_random_setups(style, SETUPS, |pos| agrees_with_oracle(pos).map(|expected| coverage.add(pos, &expected)));
    // What is rarest differs: pins and double checks of few pieces, mates by a dropped pawn in the middle of a board.
    coverage.assert_at_least(match style {
        Style::Sparse => 5,
        Style::Dense | Style::Lines => 10,
        Style::Nets => 100,
    });
    assert!(coverage.positions() >= SETUPS);
}

#[test]
fn random_games_agree_with_the_oracle() {
    let coverage = Coverage::default();
    let null_moves = AtomicU32::new(0);
    in_random_games(1_200, |pos, ply| {
        let expected = agrees_with_oracle(pos)?;
        coverage.add(pos, &expected);
        // After a pass the pins and the moves are those of the other side.
        if ply % 16 == 5 && !pos.in_check() {
            let mut passed = pos.clone();
            passed.do_null_move();
            agrees_with_oracle(&passed).map_err(|fault| format!("after a null move: {fault}"))?;
            null_moves.fetch_add(1, Relaxed);
        }
        Ok(())
    });
    coverage.assert_at_least(15);
    assert!(coverage.positions() >= 100_000);
    assert!(null_moves.load(Relaxed) >= 1_000);
}

#[test]
fn sparse_setups_agree_with_the_oracle() {
    setups_agree(Style::Sparse);
}

#[test]
fn dense_setups_agree_with_the_oracle() {
    setups_agree(Style::Dense);
}

#[test]
fn setups_full_of_lines_agree_with_the_oracle() {
    setups_agree(Style::Lines);
}

#[test]
fn setups_with_mating_nets_agree_with_the_oracle() {
    setups_agree(Style::Nets);
}

/// Every 16-bit pattern that spells a move.
fn every_move() -> Vec<Move> {
    (0..=u16::MAX).filter_map(Move::from_bits).collect()
}

/// Exactly the generated moves are legal among these candidates.
fn legal_if_generated(pos: &Position, candidates: &[Move]) -> Result<(), String> {
    let all = sorted::<All>(pos);
    match candidates.iter().find(|mv| is_legal(pos, **mv) != all.binary_search(mv).is_ok()) {
        Some(&mv) => Err(format!("is_legal({mv}) is {} in {}", is_legal(pos, mv), pos.to_sfen())),
        None => Ok(()),
    }
}

#[test]
fn bits_spell_each_board_move_each_promotion_and_each_drop_once() {
    assert_eq!(every_move().len(), 81 * 80 + 81 * 80 + 7 * 81);
}

#[test]
fn every_bit_pattern_is_legal_exactly_if_it_is_generated_in_random_games() {
    let every_move = every_move();
    let tested = AtomicU32::new(0);
    in_random_games(320, |pos, ply| {
        if ply % 8 == 3 {
            legal_if_generated(pos, &every_move)?;
            tested.fetch_add(1, Relaxed);
        }
        Ok(())
    });
    assert!(tested.load(Relaxed) >= 5_000);
}

#[test]
fn every_bit_pattern_is_legal_exactly_if_it_is_generated_in_random_setups() {
    let every_move = every_move();
    for style in Style::ALL {
        in_random_setups(style, 1_500, |pos| legal_if_generated(pos, &every_move));
    }
}

#[test]
fn moves_of_neighbouring_positions_are_legal_exactly_if_they_are_generated() {
    let tested = AtomicU32::new(0);
    let refused = AtomicU32::new(0);
    (0..320usize).into_par_iter().for_each(|game| {
        // The moves of the two positions before, as a hash table or a killer slot would offer them.
        let mut before: [Vec<Move>; 2] = [Vec::new(), Vec::new()];
        random_game(GAME_SEED, game, |pos| {
            for moves in &before {
                if let Err(fault) = legal_if_generated(pos, moves) {
                    panic!("seed {GAME_SEED:#x}, game {game}: {fault}");
                }
                tested.fetch_add(moves.len() as u32, Relaxed);
                refused.fetch_add(moves.iter().filter(|&&mv| !is_legal(pos, mv)).count() as u32, Relaxed);
            }
            before.swap(0, 1);
            before[0] = sorted::<All>(pos);
        });
    });
    assert!(tested.load(Relaxed) >= 1_000_000 && refused.load(Relaxed) >= 100_000);
}

/// The legal moves that rsshogi finds, sorted.
fn moves_of_rsshogi(sfen: &str) -> Vec<Move> {
    let pos = rsshogi::board::position_from_sfen(sfen).expect("rsshogi reads what we write");
    let mut list = rsshogi::board::MoveList::new();
    rsshogi::movegen::generate_legal_all(&pos, &mut list);
    let convert = |mv: &rsshogi::types::Move| Move::from_bits(mv.raw()).expect("rsshogi's bits spell a move");
    let mut moves: Vec<Move> = list.iter().map(convert).collect();
    moves.sort_unstable();
    moves
}

fn agrees_with_rsshogi(pos: &Position) -> Result<(), String> {
    let sfen = pos.to_sfen();
    same("All", &sorted::<All>(pos), &moves_of_rsshogi(&sfen)).map_err(|fault| format!("{fault} in {sfen}"))
}

#[test]
fn the_bits_of_a_move_mean_the_same_to_rsshogi() {
    for mv in every_move() {
        assert_eq!(rsshogi::types::Move::from_raw(mv.bits()).to_usi(), mv.to_string());
    }
}

#[test]
fn random_games_agree_with_rsshogi() {
    let tested = AtomicU32::new(0);
    in_random_games(1_400, |pos, _| {
        tested.fetch_add(1, Relaxed);
        agrees_with_rsshogi(pos)
    });
    assert!(tested.load(Relaxed) >= 200_000);
}

#[test]
fn random_setups_agree_with_rsshogi() {
    for style in Style::ALL {
        in_random_setups(style, SETUPS, agrees_with_rsshogi);
    }
}
