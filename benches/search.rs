//! The search and its parts: nodes per second, time to a depth, look-ups in the hash table, the move picker.

#![allow(missing_docs)] // criterion's macros make public functions without a comment

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use komainu::eval::Evaluation;
use komainu::position::{GameRules, Position};
use komainu::search::bench::{self, Picks, Probes};
use komainu::search::{Limits, ThreadPool};
use komainu::types::StopToken;
use std::hint::black_box;
use std::time::Duration;

/// A middlegame of an own game, with all pieces in play.
const MIDDLEGAME: &str = "ln1g2knl/1rs3g2/p1ppp1s2/5ppp1/1p2S2Sp/2b2PP1L/PP1PP2P1/2G4R1/LNK2G1N1 b BPp 37";

/// The nodes of the fixed work.
fn run(depth: usize) -> u64 {
    bench::run(depth, Evaluation::default(), &StopToken::new(), |_| ()).expect("memory for a small table").nodes
}

/// The whole fixed work at a small depth: elements are nodes.
fn nodes_per_second(criterion: &mut Criterion) {
    let depth = 7;
    let mut group = criterion.benchmark_group("search");
    group.throughput(Throughput::Elements(run(depth)));
    group.bench_function("nodes", |bencher| bencher.iter(|| run(black_box(depth))));
    group.finish();
}

/// One position from an empty table.
fn time_to_depth(criterion: &mut Criterion) {
    let pos = Position::from_sfen(MIDDLEGAME).expect("a valid position");
    let mut group = criterion.benchmark_group("depth");
    for depth in [8, 11] {
        let mut pool = ThreadPool::new(1, 16);
        group.bench_function(depth.to_string(), |bencher| {
            bencher.iter(|| {
                pool.clear();
                let stop = StopToken::new();
                pool.search(&pos, GameRules::default(), &Limits::to_depth(depth), &stop, &mut |_| ()).unwrap()
            });
        });
    }
    group.finish();
}

/// Look-ups of a million positions at random places of 128 MB, each by itself and fetched four look-ups ahead.
fn hash_probe(criterion: &mut Criterion) {
    let positions = 1 << 20;
    let probes = Probes::new(128, positions);
    let mut group = criterion.benchmark_group("hash");
    group.throughput(Throughput::Elements(positions as u64));
    group.bench_function("probe", |bencher| bencher.iter(|| probes.probe_all()));
    group.bench_function("probe ahead", |bencher| bencher.iter(|| probes.probe_all_ahead(black_box(4))));
    group.finish();
}

/// Elements are moves.
fn picker(criterion: &mut Criterion) {
    let picks = Picks::default();
    let mut group = criterion.benchmark_group("picker");
    group.throughput(Throughput::Elements(picks.pick_all() as u64));
    group.bench_function("all moves", |bencher| bencher.iter(|| picks.pick_all()));
    group.bench_function("three moves", |bencher| bencher.iter(|| picks.pick(black_box(3))));
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10).measurement_time(Duration::from_secs(10));
    targets = nodes_per_second, time_to_depth, hash_probe, picker
}
criterion_main!(benches);
