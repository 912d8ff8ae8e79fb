//! Mate in one over many positions, whole problems, and nodes a second.
//!
//! Every run's result is compared with what is known, so a solver that is fast and wrong fails the bench.

#![allow(missing_docs)] // criterion's macros make public functions without a comment

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use komainu::mate::{MateAnswer, MateLimits, Query, Solver, mate_in_one};
use komainu::movegen::{All, generate};
use komainu::position::Position;
use std::hint::black_box;
use std::time::Duration;

const PROBLEMS: &str = include_str!("../tests/data/tsume.txt");

/// The problems with their lengths, those without a mate left out.
fn problems() -> Vec<(Position, u32)> {
    let read = |line: &str| {
        let (sfen, claim) = line.split_once(";mate ")?;
        Some((Position::from_sfen(sfen).ok()?, claim.parse().ok()?))
    };
    PROBLEMS.lines().filter_map(read).collect()
}

/// Mate in one at every position that is a ply away from a problem: mostly none, as in a search.
fn glances(c: &mut Criterion) {
    let mut positions = Vec::new();
    for (pos, _) in problems() {
        for &mv in generate::<All>(&pos).iter().step_by(7) {
            let next = pos.after(mv);
            positions.push(next);
        }
    }
    let mut group = c.benchmark_group("mate in one");
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("positions", |b| {
        b.iter(|| positions.iter().filter(|pos| mate_in_one(black_box(pos)).is_some()).count())
    });
    group.finish();
}

/// The first mate and the shortest one of all problems up to a length.
fn problems_up_to(c: &mut Criterion) {
    for (plies, shortest) in [(11, false), (11, true), (29, false)] {
        let problems: Vec<(Position, u32)> = problems().into_iter().filter(|problem| problem.1 <= plies).collect();
        let name = if shortest { "shortest mates" } else { "first mates" };
        let mut group = c.benchmark_group(name);
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(problems.len() as u64));
        group.bench_function(BenchmarkId::new("plies", plies), |b| {
            b.iter(|| {
                for (pos, plies) in &problems {
                    let mut solver = Solver::new(64).expect("64 megabytes are free");
                    let answer = solver.solve(pos, &Query { shortest, ..Query::default() }).answer;
                    let MateAnswer::Mate(mate) = answer else { panic!("{answer:?}: {pos:?}") };
                    assert!(if shortest { mate.length == *plies } else { mate.length >= *plies });
                }
            })
        });
        group.finish();
    }
}

/// Nodes a second on problems of middle length, each searched for as many nodes as there is room for in the cache and
/// for many more.
fn nodes_a_second(c: &mut Criterion) {
    let problems: Vec<(Position, u32)> = problems().into_iter().filter(|problem| problem.1 >= 17).collect();
    let mut group = c.benchmark_group("nodes");
    group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(5));
    for limit in [2_000, 100_000] {
        let run = || -> u64 {
            let limits = MateLimits { nodes: Some(limit), ..MateLimits::default() };
            let query = Query { limits, ..Query::default() };
            let solve = |pos: &Position| Solver::new(256).expect("256 megabytes are free").solve(pos, &query);
            problems
                .iter()
                .map(|(pos, plies)| {
                    let report = solve(pos);
                    match report.answer {
                        MateAnswer::NoMate => panic!("no mate in {plies}: {pos:?}"),
                        MateAnswer::Mate(mate) => assert!(mate.length >= *plies, "{mate:?}: {pos:?}"),
                        MateAnswer::Unknown(_) => {}
                    }
                    report.nodes
                })
                .sum()
        };
        group.throughput(Throughput::Elements(run()));
        group.bench_function(BenchmarkId::new("limit", limit), |b| b.iter(run));
    }
    group.finish();
}

criterion_group!(benches, glances, problems_up_to, nodes_a_second);
criterion_main!(benches);
