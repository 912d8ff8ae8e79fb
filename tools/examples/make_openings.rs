//! Makes the list of openings that matches begin from: `cargo run --release -p komainu-tools --example make_openings > list.txt`.
//!
//! Each line begins with some moves of a well-known opening (first moves of shogi: common knowledge) and goes on with
//! moves drawn at random among those that the engine's own search holds for nearly best, likelier ones more often. It
//! is kept if its last move is quiet, a longer search holds its end for balanced and no other line ends in the same
//! position. The draw has a seed and the searches have a number of nodes, so that the same build makes the same list
//! everywhere. The lines are sorted and then shuffled: a short match plays the first of them.

use komainu::movegen::is_legal;
use komainu::position::{GameRules, Position};
use komainu::random::SplitMix64;
use komainu::search::{Decision, Limits, Report, SearchResult, ThreadPool};
use komainu::types::{Color, Move, PieceType, Rank, Score, StopToken};
use komainu_tools::random::shuffle;
use std::collections::HashSet;

/// Number of openings that are made.
const OPENINGS: usize = 500;
const SEED: u64 = 2026;
/// Seed of the order of the lines: one with which the first 20 have static, ranging and central rooks of both sides.
const ORDER: u64 = 2033;
/// Lengths of the lines, in plies; all are as frequent.
const PLIES: std::ops::RangeInclusive<usize> = 8..=16;
/// Moves among which one is drawn, and how far below the best they may be, in centipawns.
const CANDIDATES: usize = 10;
const MARGIN: i32 = 60;
/// Nodes of the search for candidates.
const NODES: u64 = 20_000;
/// Nodes of the search that judges the end of a line, and the most that it may be off balance.
const JUDGE_NODES: u64 = 150_000;
const BALANCE: i32 = 150;

/// First moves of well-known openings.
const STEMS: [&str; 26] = [
    // Both sides advance the rook's pawn (aigakari).
    "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d",
    "2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 3i3h 7a7b",
    "2g2f 8c8d 3i3h 7a7b 7g7f 8d8e",
    // The side pawn (yokofudori).
    "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d",
    "7g7f 3c3d 2g2f 8c8d 6i7h 8d8e 2f2e 4a3b",
    // Exchanges of bishops (kakugawari), by white with the loss of a move as well.
    "7g7f 8c8d 2g2f 8d8e 8h7g 3c3d 7i8h 4a3b 2f2e 2b7g+ 8h7g",
    "2g2f 8c8d 7g7f 8d8e 8h7g 3c3d 7i6h 4a3b",
    "7g7f 3c3d 2g2f 4a3b 2f2e 2b8h+ 7i8h 3a2b 3i3h 2b3c",
    // Yagura and gangi.
    "7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 5g5f 5c5d 3i4h 3a4b 4i5h 4a3b",
    "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 2g2f 3a4b",
    "7g7f 3c3d 2g2f 4c4d 2f2e 2b3c 3i4h 4a3b 5i6h 3a4b",
    "7g7f 8c8d 6g6f 3c3d 7i6h 7a6b 6h6g 6c6d",
    // The rook on the fourth file (shikenbisha), of either side.
    "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 7a7b",
    "7g7f 8c8d 6g6f 3c3d 2h6h 7a6b 5i4h 5a4b 4h3h 4b3b",
    "7g7f 3c3d 6g6f 8c8d 2h6h 8d8e 8h7g 7a6b",
    // On the third file (sankenbisha, Ishida).
    "7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h",
    "7g7f 3c3d 2g2f 4c4d 3i4h 3d3e 5i6h 8b3b",
    "7g7f 8c8d 6g6f 3c3d 2h7h 8d8e 8h7g 7a6b",
    // In the centre (nakabisha, gokigen).
    "7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 5i6h 5a6b",
    "5g5f 3c3d 2h5h 8c8d 7g7f 8d8e 8h7g",
    "2g2f 3c3d 2f2e 2b3c 3i4h 5c5d 7g7f 8b5b",
    // Opposite the rook (mukaibisha), and both rooks swung.
    "2g2f 3c3d 7g7f 4c4d 2f2e 2b3c 3i4h 8b2b",
    "7g7f 3c3d 6g6f 3d3e 2h6h 8b3b",
    "7g7f 3c3d 6g6f 8b4b 2h6h 4c4d",
    // A quiet edge.
    "7g7f 1c1d 2g2f 3c3d 1g1f 4c4d",
    "2g2f 9c9d 7g7f 3c3d 9g9f 8c8d",
];

fn search(pool: &mut ThreadPool, pos: &Position, limits: &Limits) -> (SearchResult, Vec<Report>) {
    let mut reports = Vec::new();
    let stop = StopToken::new();
    let result =
        pool.search(pos, GameRules::default(), limits, &stop, &mut |block| reports.extend_from_slice(block)).unwrap();
    (result, reports)
}

/// The moves that the search holds for nearly best.
fn candidates(pool: &mut ThreadPool, pos: &Position) -> Vec<Move> {
    let limits = Limits { multi_pv: CANDIDATES, ..Limits::to_nodes(NODES) };
    let (_, reports) = search(pool, pos, &limits);
    // The last report on each rank is that of the deepest iteration.
    let mut lines: Vec<Option<(Move, Score)>> = vec![None; CANDIDATES];
    for report in &reports {
        lines[report.multi_pv.map_or(0, |rank| rank - 1)] = Some((report.pv[0], report.score));
    }
    let Some((best, most)) = lines[0] else { return Vec::new() };
    let mut moves = vec![best];
    for (mv, score) in lines.into_iter().flatten() {
        if score.0 >= most.0 - MARGIN && !moves.contains(&mv) {
            moves.push(mv);
        }
    }
    moves
}

/// Weight of a move when one is drawn: what engines that count material alone do not know of openings.
fn weight(pos: &Position, mv: Move, line: &[Move]) -> usize {
    let Some(from) = mv.from() else { return 2 };
    let piece = pos.piece_on(from).expect("the move is legal").piece_type();
    if pos.piece_on(mv.to()).is_some() {
        return 12;
    }
    // The same piece again, and nothing has happened in between.
    let moved_before = line.len() >= 2 && line[line.len() - 2].to() == from;
    let own_rank = |rank: Rank| match pos.side() {
        Color::Black => 8 - rank.index(),
        Color::White => rank.index(),
    };
    let before = own_rank(from.rank());
    let after = own_rank(mv.to().rank());
    match piece {
        _ if moved_before && piece != PieceType::Pawn => 0,
        PieceType::Pawn => 6,
        PieceType::Silver if after > before => 8,
        PieceType::Gold if after <= 2 && after >= before => 6,
        PieceType::King if after <= 1 => 5,
        PieceType::Knight if after <= 4 => 1,
        PieceType::Bishop => 1,
        PieceType::Rook if before == after => 2,
        _ => 0,
    }
}

/// Draws a move; the first one if none has a weight.
fn draw(random: &mut SplitMix64, pos: &Position, moves: &[Move], line: &[Move]) -> Option<Move> {
    let weights: Vec<usize> = moves.iter().map(|&mv| weight(pos, mv, line)).collect();
    let total = weights.iter().sum::<usize>();
    if total == 0 {
        return moves.first().copied();
    }
    let mut left = random.below(total);
    moves.iter().zip(weights).find_map(|(&mv, weight)| match left.checked_sub(weight) {
        Some(rest) => {
            left = rest;
            None
        }
        None => Some(mv),
    })
}

/// A line of a random length and the position at its end.
fn make_line(random: &mut SplitMix64, pool: &mut ThreadPool) -> Option<(Vec<Move>, Position)> {
    let plies = PLIES.start() + random.below(PLIES.end() - PLIES.start() + 1);
    let stem: Vec<&str> = STEMS[random.below(STEMS.len())].split(' ').collect();
    // At least two thirds of the stem, and at least one move beyond it.
    let least = stem.len() * 2 / 3;
    let kept = (least + random.below(stem.len() - least + 1)).min(plies - 1);
    let mut pos = Position::startpos();
    let mut line: Vec<Move> = Vec::new();
    while line.len() < plies {
        let mv = match stem[..kept].get(line.len()) {
            Some(text) => {
                let mv = text.parse().expect("stems are moves");
                assert!(is_legal(&pos, mv), "{text} in {stem:?}");
                mv
            }
            None => {
                let moves = candidates(pool, &pos);
                draw(random, &pos, &moves, &line)?
            }
        };
        pos.do_move(mv);
        line.push(mv);
    }
    Some((line, pos))
}

/// Tests whether the last move leaves nothing to be answered at once: it gave no check and took nothing.
fn is_quiet(pos: &Position) -> bool {
    !pos.in_check() && pos.captured().is_none()
}

/// Tests whether a longer search holds the position for balanced.
fn is_balanced(pool: &mut ThreadPool, pos: &Position) -> bool {
    let (result, _) = search(pool, pos, &Limits::to_nodes(JUDGE_NODES));
    let score = result.report.map_or(Score::MATE, |report| report.score);
    matches!(result.decision, Decision::Play(..)) && score.0.abs() <= BALANCE
}

fn main() {
    let mut random = SplitMix64(SEED);
    let mut pool = ThreadPool::new(1, 4);
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    let mut tries = 0;
    while lines.len() < OPENINGS {
        tries += 1;
        pool.clear();
        let Some((line, pos)) = make_line(&mut random, &mut pool) else { continue };
        if is_quiet(&pos) && is_balanced(&mut pool, &pos) && seen.insert(pos.key()) {
            let moves: Vec<String> = line.iter().map(Move::to_string).collect();
            lines.push(format!("startpos moves {}", moves.join(" ")));
            eprint!("\r{} of {tries}", lines.len());
        }
    }
    eprintln!();
    lines.sort();
    shuffle(&mut lines, ORDER);
    println!("# Openings of matches, made by examples/make_openings.rs; its head tells how.");
    for line in lines {
        println!("{line}");
    }
}
