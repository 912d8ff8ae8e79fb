//! Evaluation by nets: the layers alone, an accumulator update, and whole trees beside the moves alone.
//!
//! The nets are random. How many inputs of the first layer are zero decides how much of it is passed over, so the
//! layers are measured with accumulators that are mostly positive and with accumulators that are mostly not. The
//! figures are those of the fastest batch: what runs beside it on a shared machine can only add.

#![allow(missing_docs)] // criterion's macros make public functions without a comment

use criterion::{Bencher, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use komainu::eval::nnue::{InstructionSet, Net, Nnue, Shape, Weights};
use komainu::movegen::{All, generate};
use komainu::position::{Observer, Position};
use komainu::random::SplitMix64;
use komainu::types::{Color, Move, Piece, PieceType, Score, Square};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A random net whose accumulators are centred on `bias`.
fn net(shape: Shape, bias: i16) -> Net {
    let mut random = SplitMix64(1);
    let mut weights = Weights::zeroed(shape);
    weights.biases.fill(bias);
    for weight in &mut weights.rows {
        *weight = random.around_zero(25) as i16;
    }
    for layer in weights.stacks.as_flattened_mut() {
        for weight in &mut layer.weights {
            *weight = random.around_zero(50) as i8;
        }
    }
    Net::from_weights(&weights).expect("the weights fit")
}

/// A random game.
fn game(seed: u64, plies: usize) -> Vec<Move> {
    let mut random = SplitMix64(seed);
    let mut pos = Position::startpos();
    let mut moves = Vec::new();
    while moves.len() < plies {
        let legal = generate::<All>(&pos);
        if legal.is_empty() {
            break;
        }
        moves.push(*random.pick(&legal));
        pos.do_move(moves[moves.len() - 1]);
    }
    moves
}

/// Positions in the middle of random games.
fn positions() -> Vec<Position> {
    let position = |seed| {
        let mut pos = Position::startpos();
        for mv in game(seed, 10 + 4 * seed as usize) {
            pos.do_move(mv);
        }
        pos
    };
    (0..16).map(position).collect()
}

fn configure<'a>(c: &'a mut Criterion, name: &str) -> criterion::BenchmarkGroup<'a, criterion::measurement::WallTime> {
    let mut group = c.benchmark_group(name);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(500)).sample_size(10);
    group
}

/// Measures batches of at least some microseconds by the fastest of them.
fn fastest<R>(b: &mut Bencher, mut batch: impl FnMut() -> R) {
    b.iter_custom(|batches| {
        let once = |_| {
            let start = Instant::now();
            black_box(batch());
            start.elapsed()
        };
        (0..batches).map(once).min().unwrap_or_default() * batches as u32
    });
}

/// The layers behind the accumulators, which are known already.
fn layers(c: &mut Criterion) {
    let positions = positions();
    let mut group = configure(c, "layers");
    group.throughput(Throughput::Elements(positions.len() as u64));
    for (shape, bias) in [
        (Shape::KP, 40),
        (Shape::KP, -80),
        (Shape::KA2, 40),
        (Shape::KA2, -80),
        (Shape::KA2_K3K3, 40),
        (Shape::KA2_K3K3, -80),
    ] {
        let net = net(shape, bias);
        for set in InstructionSet::available() {
            let mut evals: Vec<Nnue> = positions.iter().map(|pos| Nnue::with_instructions(&net, pos, set)).collect();
            group.bench_function(BenchmarkId::new(format!("{shape} {bias}"), set), |b| {
                b.iter(|| {
                    evals.iter_mut().zip(&positions).map(|(eval, pos)| eval.output(pos)).fold(0, i32::wrapping_add)
                })
            });
        }
    }
    group.finish();
}

/// Evaluations in a batch of the same one.
const BATCH: u64 = 50;

/// Moves of pieces told again and again, followed and evaluated: the layers' time is part of it.
fn moves(c: &mut Criterion) {
    let pos = Position::startpos();
    let mut group = configure(c, "move and layers");
    group.throughput(Throughput::Elements(BATCH));
    for shape in [Shape::KP, Shape::KA2] {
        let net = net(shape, 40);
        for set in InstructionSet::available() {
            let mut eval = Nnue::with_instructions(&net, &pos, set);
            for capture in [false, true] {
                let name = if capture { "2 off, 2 on" } else { "1 off, 1 on" };
                group.bench_function(BenchmarkId::new(format!("{shape} {name}"), set), |b| {
                    fastest(b, || {
                        for _ in 0..BATCH {
                            eval.push();
                            eval.piece_removed(Piece::BBishop, Square::S8H);
                            if capture {
                                eval.piece_removed(Piece::WBishop, Square::S2B);
                                eval.hand_changed(Color::Black, PieceType::Bishop, 1);
                            }
                            eval.piece_added(Piece::BHorse, Square::S2B);
                            black_box(eval.output(black_box(&pos)));
                            eval.pop();
                        }
                    })
                });
            }
            group.bench_function(BenchmarkId::new(format!("{shape} no move"), set), |b| {
                fastest(b, || {
                    (0..BATCH).for_each(|_| {
                        black_box(eval.output(black_box(&pos)));
                    })
                })
            });
        }
    }
    group.finish();
}

/// Parts of an evaluation that a search calls.
trait Follows: Observer {
    fn push(&mut self);
    fn pop(&mut self);
    fn score(&mut self, pos: &Position) -> Score;
}

impl Follows for () {
    fn push(&mut self) {}
    fn pop(&mut self) {}
    fn score(&mut self, _: &Position) -> Score {
        Score(0)
    }
}

impl Follows for Nnue {
    fn push(&mut self) {
        Nnue::push(self);
    }
    fn pop(&mut self) {
        Nnue::pop(self);
    }
    fn score(&mut self, pos: &Position) -> Score {
        self.evaluate(pos)
    }
}

/// Along a game, every third legal move and every seventh answer, each evaluated: how many, and the sum of the scores.
fn walk<E: Follows>(eval: &mut E, moves: &[Move]) -> (u64, i64) {
    let mut pos = Position::startpos();
    let mut nodes = 0;
    let mut sum = 0;
    for &next in moves {
        for &mv in generate::<All>(&pos).iter().step_by(3) {
            eval.push();
            pos.do_move_observed(mv, eval);
            sum += i64::from(eval.score(&pos).0);
            for &answer in generate::<All>(&pos).iter().step_by(7) {
                eval.push();
                pos.do_move_observed(answer, eval);
                sum += i64::from(eval.score(&pos).0);
                pos.undo();
                eval.pop();
                nodes += 1;
            }
            pos.undo();
            eval.pop();
            nodes += 1;
        }
        eval.push();
        pos.do_move_observed(next, eval);
    }
    for _ in moves {
        pos.undo();
        eval.pop();
    }
    (nodes, sum)
}

/// Trees of moves: doing and undoing them alone, and with nets.
fn trees(c: &mut Criterion) {
    let moves = game(5, 120);
    let start = Position::startpos();
    let mut group = configure(c, "nodes");
    group.throughput(Throughput::Elements(walk(&mut (), &moves).0));
    group.bench_function("moves alone", |b| fastest(b, || walk(&mut (), &moves)));
    for shape in Shape::TRAINED {
        let net = net(shape, -80);
        for set in InstructionSet::available() {
            let mut eval = Nnue::with_instructions(&net, &start, set);
            group.bench_function(BenchmarkId::new(shape.to_string(), set), |b| fastest(b, || walk(&mut eval, &moves)));
        }
    }
    group.finish();
}

criterion_group!(benches, layers, moves, trees);
criterion_main!(benches);
