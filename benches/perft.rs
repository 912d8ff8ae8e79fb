//! Perft side by side with two published generators, in one run: `cargo bench -p komainu-benches --bench perft`.
//!
//! `count` answers the last ply without building moves (Komainu on bitboards, haitaka with its popcount of move
//! sets); `lists` builds every list of moves, the last ply's too, as a search would. Every run's result is compared
//! with the published number, so a generator that is fast and wrong fails the bench.

#![allow(missing_docs)] // criterion's macros make public functions without a comment

use arrayvec::ArrayVec;
use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use komainu::movegen::{All, MoveList, generate_into, perft};
use komainu::position::Position;
use std::hint::black_box;
use std::time::Duration;

/// Name, SFEN, depth, leaves: the start, a middlegame rich in drops, and the position with the most legal moves.
const POSITIONS: [(&str, &str, u8, u64); 3] = [
    ("startpos", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 6, 547_581_517),
    ("middlegame", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 4, 516_925_165),
    ("593 moves", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 3, 53_393_368),
];

fn komainu_lists(pos: &mut Position, depth: u8) -> u64 {
    let mut moves = MoveList::new();
    generate_into::<All>(pos, &mut moves);
    if depth == 1 {
        return black_box(&moves).len() as u64;
    }
    let mut nodes = 0;
    for &mv in moves.iter() {
        pos.do_move(mv);
        nodes += komainu_lists(pos, depth - 1);
        pos.undo();
    }
    nodes
}

/// As haitaka's own example counts: popcounts of its sets of moves at the last ply.
fn haitaka_count(board: &haitaka::Board, depth: u8) -> u64 {
    let mut nodes = 0;
    if depth == 1 {
        board.generate_board_moves(|moves| {
            nodes += moves.into_iter().len() as u64;
            false
        });
        board.generate_drops(|moves| {
            nodes += moves.into_iter().len() as u64;
            false
        });
        return nodes;
    }
    let mut visit = |moves: haitaka::PieceMoves| {
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            nodes += haitaka_count(&child, depth - 1);
        }
        false
    };
    board.generate_board_moves(&mut visit);
    board.generate_drops(&mut visit);
    nodes
}

fn haitaka_lists(board: &haitaka::Board, depth: u8) -> u64 {
    let mut list: ArrayVec<haitaka::Move, 600> = ArrayVec::new();
    board.generate_moves(|moves| {
        list.extend(moves);
        false
    });
    if depth == 1 {
        return black_box(&list).len() as u64;
    }
    let mut nodes = 0;
    for &mv in &list {
        let mut child = board.clone();
        child.play_unchecked(mv);
        nodes += haitaka_lists(&child, depth - 1);
    }
    nodes
}

fn peers(c: &mut Criterion) {
    for (name, sfen, depth, leaves) in POSITIONS {
        let ours = Position::from_sfen(sfen).expect("a position of the list");
        let haitaka = haitaka::Board::from_sfen(sfen).expect("a position of the list");
        let rsshogi = rsshogi::board::position_from_sfen(sfen).expect("a position of the list");
        let mut group = c.benchmark_group(name);
        group.sampling_mode(SamplingMode::Flat).sample_size(10).throughput(Throughput::Elements(leaves));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        let mut run = |id: BenchmarkId, body: &mut dyn FnMut() -> u64| {
            group.bench_function(id, |b| b.iter(|| assert_eq!(body(), leaves)));
        };
        let mut pos = ours.clone();
        run(BenchmarkId::new("count", "komainu"), &mut || perft(&mut pos, depth as u32).expect("a small depth"));
        run(BenchmarkId::new("count", "haitaka"), &mut || haitaka_count(&haitaka, depth));
        let mut pos = ours.clone();
        run(BenchmarkId::new("lists", "komainu"), &mut || komainu_lists(&mut pos, depth));
        run(BenchmarkId::new("lists", "haitaka"), &mut || haitaka_lists(&haitaka, depth));
        let mut peer = rsshogi;
        peer.init_stack();
        // rsshogi's own perft: it builds the list of every node.
        run(BenchmarkId::new("lists", "rsshogi"), &mut || {
            rsshogi::board::perft::perft(&peer, depth).expect("a depth that it accepts").nodes
        });
        group.finish();
    }
}

criterion_group!(benches, peers);
criterion_main!(benches);
