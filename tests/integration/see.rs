//! Static exchange evaluation against a search through all captures on the square, with attacks of its own.

use crate::oracle::play::random_game;
use crate::oracle::setups::Style;
use komainu::movegen::{All, generate};
use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, Piece, PieceType, Square};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Seed of the random games here.
const GAME_SEED: u64 = 0x5EE_0001;
/// Seed of the random setups here.
const SETUP_SEED: u64 = 20_260_915;
/// Larger than any gain or loss on one square.
const FAR: i32 = 20_000;

/// What stands on a square.
type Occupant = Option<(Color, PieceType)>;

/// What an exchange has met.
#[derive(Default)]
struct Seen {
    /// Captures of its longest line.
    depth: usize,
    /// A pinned piece that could not capture.
    pin: bool,
}

/// A board as rows and columns.
#[derive(Clone)]
struct Board([[Occupant; 9]; 9]);

impl Board {
    fn of(pos: &Position) -> Board {
        let mut board = Board([[None; 9]; 9]);
        for square in Square::ALL {
            *board.at(square) = pos.piece_on(square).map(|piece| (piece.color(), piece.piece_type()));
        }
        board
    }

    fn at(&mut self, square: Square) -> &mut Occupant {
        &mut self.0[square.file().index()][square.rank().index()]
    }

    /// Whether the piece on `from` could capture on `to`.
    fn hits(&self, from: (i32, i32), to: (i32, i32)) -> bool {
        use PieceType::*;
        let Some((color, piece_type)) = self.0[from.0 as usize][from.1 as usize] else { return false };
        let across = to.0 - from.0;
        let ahead = if color == Color::Black { from.1 - to.1 } else { to.1 - from.1 };
        let distance = across.abs().max(ahead.abs());
        let diagonal = across.abs() == ahead.abs();
        let straight = across == 0 || ahead == 0;
        let clear = || {
            (1..distance).all(|i| {
                let file = from.0 + across.signum() * i;
                let rank = from.1 + (to.1 - from.1).signum() * i;
                self.0[file as usize][rank as usize].is_none()
            })
        };
        distance > 0
            && match piece_type {
                Pawn => (across, ahead) == (0, 1),
                Lance => across == 0 && ahead > 0 && clear(),
                Knight => (across.abs(), ahead) == (1, 2),
                Silver => distance == 1 && (diagonal || ahead == 1),
                Gold | ProPawn | ProLance | ProKnight | ProSilver => distance == 1 && (straight || ahead == 1),
                King => distance == 1,
                Bishop => diagonal && clear(),
                Rook => straight && clear(),
                Horse => distance == 1 || diagonal && clear(),
                Dragon => distance == 1 || straight && clear(),
            }
    }

    /// The pieces of a side that could capture on the square.
    fn attackers(&self, side: Color, to: Square) -> Vec<(usize, usize, PieceType)> {
        let target = (to.file().index() as i32, to.rank().index() as i32);
        let mut found = Vec::new();
        for file in 0..9 {
            for rank in 0..9 {
                if let Some((color, piece_type)) = self.0[file][rank]
                    && color == side
                    && self.hits((file as i32, rank as i32), target)
                {
                    found.push((file, rank, piece_type));
                }
            }
        }
        found
    }

    /// The sliders of the other side that attack the side's king.
    fn lines_to_king(&self, side: Color) -> BTreeSet<(usize, usize)> {
        let squares = || (0..9).flat_map(|file| (0..9).map(move |rank| (file, rank)));
        let is_king = |&(file, rank): &(usize, usize)| self.0[file][rank] == Some((side, King));
        let Some(king) = squares().find(is_king) else { return BTreeSet::new() };
        let attacks = |&(file, rank): &(usize, usize)| {
            let slides = |piece_type| matches!(piece_type, Lance | Bishop | Rook | Horse | Dragon);
            self.0[file][rank].is_some_and(|(color, piece_type)| color != side && slides(piece_type))
                && self.hits((file as i32, rank as i32), (king.0 as i32, king.1 as i32))
        };
        squares().filter(attacks).collect()
    }

    /// Whether a piece that captures on the square opens a line to its own king.
    fn is_held_back(&self, (file, rank): (usize, usize), to: Square) -> bool {
        let Some((side, piece_type)) = self.0[file][rank] else { return false };
        let mut before = self.clone();
        // The piece that is captured stands there.
        *before.at(to) = Some((side.flip(), Pawn));
        let mut after = self.clone();
        after.0[file][rank] = None;
        *after.at(to) = Some((side, piece_type));
        piece_type != King && !after.lines_to_king(side).is_subset(&before.lines_to_king(side))
    }

    /// What the side can win by capturing what stands on the square, or nothing if it had better not. Which of several
    /// pieces of a kind goes first is left open, so there may be several answers.
    fn replies(&self, side: Color, to: Square, victim: PieceType, seen: &mut Seen) -> BTreeSet<i32> {
        let mut attackers = self.attackers(side, to);
        let count = attackers.len();
        attackers.retain(|&(file, rank, _)| !self.is_held_back((file, rank), to));
        seen.pin |= attackers.len() < count;
        let Some(cheapest) = attackers.iter().map(|&(.., piece_type)| spending_rank(piece_type)).min() else {
            return BTreeSet::from([0]);
        };
        let mut answers = BTreeSet::new();
        for (file, rank, piece_type) in attackers {
            if spending_rank(piece_type) != cheapest {
                continue;
            }
            let mut next = self.clone();
            next.0[file][rank] = None;
            if piece_type == PieceType::King && !next.attackers(side.flip(), to).is_empty() {
                answers.insert(0);
                continue;
            }
            let mut deeper = Seen::default();
            for answer in next.replies(side.flip(), to, piece_type, &mut deeper) {
                answers.insert((victim.capture_gain() - answer).max(0));
            }
            seen.depth = seen.depth.max(deeper.depth + 1);
            seen.pin |= deeper.pin;
        }
        answers
    }

    /// What a move brings.
    fn value(&self, mv: Move, side: Color, seen: &mut Seen) -> BTreeSet<i32> {
        let mut board = self.clone();
        let (gain, placed) = match mv.kind() {
            MoveKind::Drop { piece_type, .. } => (0, piece_type),
            MoveKind::Board { from, to, promote } => {
                let (_, moved) = board.at(from).take().expect("a move starts on a piece");
                let placed = if promote { moved.promoted() } else { moved };
                let captured = board.at(to).map_or(0, |(_, piece_type)| piece_type.capture_gain());
                (captured + placed.value() - moved.value(), placed)
            }
        };
        *board.at(mv.to()) = None;
        if placed == PieceType::King {
            // A legal move of the king cannot be answered by taking it.
            return BTreeSet::from([gain]);
        }
        board.replies(side.flip(), mv.to(), placed, seen).into_iter().map(|reply| gain - reply).collect()
    }
}

/// Who goes first: the piece whose loss costs least, the king last.
fn spending_rank(piece_type: PieceType) -> i32 {
    match piece_type {
        PieceType::King => i32::MAX,
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
    let board = Board::of(pos);
    for mv in &generate::<All>(pos) {
        let mut seen = Seen::default();
        let values = board.value(mv, pos.side(), &mut seen);
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
        random_game(GAME_SEED, game, |pos, _, _| {
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
        let config = ProptestConfig {
            cases: 3_000,
            failure_persistence: None,
            max_local_rejects: u32::MAX,
            rng_seed: RngSeed::Fixed(SETUP_SEED),
            ..ProptestConfig::default()
        };
        let run =
            TestRunner::new(config).run(&style.positions(), |pos| agrees(&pos, &coverage).map_err(TestCaseError::fail));
        if let Err(fault) = run {
            panic!("seed {SETUP_SEED}, {style:?}: {fault}");
        }
    }
    let [moves, long, pinned] =
        [&coverage.moves, &coverage.long, &coverage.pinned].map(|counter| counter.load(Relaxed));
    assert!(moves > 300_000 && long > 10_000 && pinned > 10_000, "{moves} moves, {long} long, {pinned} with pins");
}

/// What capturing a piece gains.
fn gain(piece_type: PieceType) -> i32 {
    piece_type.capture_gain()
}

fn assert_worth(sfen: &str, text: &str, value: i32) {
    let pos = Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
    let mv = text.parse().unwrap_or_else(|error| panic!("{error}"));
    assert!(generate::<All>(&pos).contains(&mv), "{text} is not legal in {sfen}");
    assert_eq!(exact(&pos, mv), value, "{text} in {sfen}");
}

use PieceType::*;

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
                _ => sign * gain(piece.parse::<Piece>().expect("a piece").piece_type()),
            };
        }
        assert_worth(sfen, mv, value);
        rows += 1;
    }
    assert_eq!(rows, 43);
}

#[test]
fn the_cheapest_of_several_pieces_goes_first() {
    // White may take with the pawn or the rook; L takes back: the pawn, then L for nothing.
    let pawn_first = gain(Pawn) - (gain(Knight) - (gain(Pawn) - gain(Lance)).max(0));
    assert_worth("7k1/9/9/4p4/r3p4/9/3N5/9/1K2L4 b - 1", "6g5e", pawn_first);
}

#[test]
fn of_pieces_that_move_alike_the_cheaper_goes_first() {
    // N takes P. A tokin takes N, L takes the tokin, the gold takes L; were the gold to go first, L would take that.
    let value = gain(Pawn) - (gain(Knight) - (gain(ProPawn) - gain(Lance)).max(0));
    for pieces in ["3+p1g3", "3g1+p3"] {
        assert_worth(&format!("7k1/9/9/{pieces}/4p4/9/3N5/9/1K2L4 b - 1"), "6g5e", value);
    }
}
