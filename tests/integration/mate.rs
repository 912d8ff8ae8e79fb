//! Mate in one and three, and the solver, against plain recursion over the rules.

mod brute;
mod futile;
mod positions;
mod solving;

use crate::oracle::play::random_game;
use crate::stopwatch::{Stopwatch, this_thread};
use brute::{attacker_mates, shortest_mate};
use komainu::mate::{
    MateAnswer, MateLimits, OpenReason, Query, Solver, check_proof, mate_in_one, mate_in_three, spawn_deep,
};
use komainu::movegen::{has_legal_move, is_legal};
use komainu::position::{Handicap, Position};
use komainu::random::SplitMix64;
use komainu::types::StopToken;
use positions::{after_a_check, random_board};
use solving::{any_mate, is_exact, length, play_through, shortest};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// How many random positions the quick tests look at; the ignored ones look at fifty times as many.
const POSITIONS: usize = 20_000;

/// `mate_in_one` must find a mate exactly where there is one, and its move must mate.
fn compare_mate_in_one(pos: &mut Position) -> bool {
    let found = mate_in_one(pos);
    assert_eq!(found.is_some(), attacker_mates(pos, 1), "{found:?} in {pos:?}");
    if let Some(mv) = found {
        assert!(is_legal(pos, mv), "{mv} in {pos:?}");
        pos.do_move(mv);
        assert!(pos.in_check() && !has_legal_move(pos), "{mv} in {pos:?}");
        pos.undo();
    }
    found.is_some()
}

fn check_mate_in_one(positions: usize) {
    let mut random = SplitMix64(1);
    let mut seen = 0;
    let mut mates = 0;
    let mut kingless = 0;
    let mut in_check = 0;
    let mut look = |pos: &mut Position| {
        seen += 1;
        let mate = compare_mate_in_one(pos) as usize;
        mates += mate;
        kingless += mate * pos.king(pos.side()).is_none() as usize;
        in_check += mate * pos.in_check() as usize;
    };
    for _ in 0..positions / 2 {
        let mut pos = random_board(&mut random);
        look(&mut pos);
        if let Some(mut next) = after_a_check(&pos, &mut random) {
            look(&mut next);
        }
    }
    for game in 0..positions / 200 {
        random_game(7, game, |pos| look(&mut pos.clone()));
    }
    println!("{seen} positions, {mates} mates, {kingless} without a king, {in_check} in check");
    assert!(seen >= positions && mates * 50 > seen && kingless * 200 > seen && in_check * 20_000 > seen);
}

#[test]
fn mate_in_one_is_found_exactly_where_it_is() {
    check_mate_in_one(POSITIONS);
}

#[test]
#[ignore = "a million positions"]
fn mate_in_one_is_found_exactly_where_it_is_in_a_million_positions() {
    check_mate_in_one(POSITIONS * 50);
}

/// Whether few enough kinds are held for plain recursion to be quick. The wide boards rarely mate anyway.
fn is_narrow(pos: &Position) -> bool {
    pos.hand(pos.side()).iter().count() <= 2
}

/// Mate in three and the solver, both beside plain recursion to three plies. The solver may give up, since it looks for
/// mates of any length, but what it claims must be true; one solver goes on from board to board.
fn check_three_plies(positions: usize, seed: u64) {
    let mut random = SplitMix64(seed);
    let mut solver = Solver::new(4).unwrap();
    let mut seen = 0;
    let mut mates = [0; 4];
    let mut longer = 0;
    let mut none = 0;
    let mut open = 0;
    while seen < positions {
        let mut pos = random_board(&mut random);
        if !is_narrow(&pos) {
            continue;
        }
        seen += 1;
        let expected = shortest_mate(&mut pos, 3);
        mates[expected.unwrap_or(0) as usize] += 1;
        let found = mate_in_three(&mut pos);
        assert_eq!(found.is_some(), expected.is_some(), "{found:?} in {pos:?}");
        let limits = MateLimits { nodes: Some(300), ..MateLimits::default() };
        let answer = solver.solve(&pos, &Query { limits, ..Query::default() }).answer;
        match (&answer, expected) {
            (MateAnswer::Mate(mate), _) => {
                play_through(&pos, mate);
                assert!(mate.length >= expected.unwrap_or(5), "{answer:?}, not {expected:?}: {pos:?}");
                longer += expected.is_none() as usize;
            }
            (MateAnswer::NoMate, None) => none += 1,
            (MateAnswer::NoMate, Some(plies)) => panic!("nomate, not mate in {plies}: {pos:?}"),
            (MateAnswer::Unknown(_), _) => open += 1,
        }
    }
    println!("{seen} positions: in one {}, in three {}, longer {longer}; none {none}, open {open}", mates[1], mates[3]);
    assert!(mates[1] > 0 && mates[3] * 100 > seen && none * 3 > seen && open * 2 < seen);
}

#[test]
fn mate_in_three_and_the_solver_agree_with_plain_recursion() {
    check_three_plies(POSITIONS / 20, 3);
}

/// `KOMAINU_MATE_SEED` chooses other positions.
#[test]
#[ignore = "a million positions, each searched in full to three plies"]
fn mate_in_three_and_the_solver_agree_with_plain_recursion_on_a_million_positions() {
    let seed = std::env::var("KOMAINU_MATE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    for seed in seed..seed + 50 {
        check_three_plies(POSITIONS, seed);
    }
}

/// Plies to which plain recursion looks.
const BRUTE_PLIES: u32 = 5;

/// On random boards the solver must find every mate that plain recursion finds, with its length, and claim none that it
/// does not find. One solver goes on from board to board, so that what it remembers is tested as well.
fn check_solver(positions: usize, megabytes: usize, seed: u64) {
    let mut random = SplitMix64(seed);
    let mut solver = Solver::new(megabytes).unwrap();
    let mut mates = [0; 6];
    let mut longer = 0;
    let mut none = 0;
    let mut seen = 0;
    while seen < positions {
        let mut pos = random_board(&mut random);
        if !is_narrow(&pos) {
            continue;
        }
        seen += 1;
        let expected = shortest_mate(&mut pos, BRUTE_PLIES);
        let query = Query {
            limits: MateLimits { nodes: Some(200_000), ..MateLimits::default() },
            shortest: expected.is_some(),
            ..Query::default()
        };
        let answer = solver.solve(&pos, &query).answer;
        match (&answer, expected) {
            (MateAnswer::Mate(mate), Some(plies)) => {
                play_through(&pos, mate);
                assert!(mate.is_exact && mate.length == plies, "{answer:?}, not {plies}: {pos:?}");
                mates[plies as usize] += 1;
            }
            (MateAnswer::Mate(mate), None) => {
                play_through(&pos, mate);
                assert!(mate.length > BRUTE_PLIES, "{answer:?}: {pos:?}");
                longer += 1;
            }
            (MateAnswer::NoMate, None) => none += 1,
            (MateAnswer::Unknown(_), None) => {}
            (_, Some(plies)) => panic!("{answer:?}, not mate in {plies}: {pos:?}"),
        }
    }
    println!("{seen} positions: mates {mates:?}, longer ones {longer}, none {none}");
    assert!(mates[1] > 0 && mates[3] > 0 && mates[5] > 0 && none * 4 > seen);
}

#[test]
fn the_solver_agrees_with_plain_recursion() {
    check_solver(300, 16, 11);
}

#[test]
fn the_solver_agrees_with_plain_recursion_when_its_memory_is_tiny() {
    check_solver(300, 1, 12);
}

#[test]
#[ignore = "thousands of positions, each searched in full"]
fn the_solver_agrees_with_plain_recursion_on_many_positions() {
    check_solver(2_000, 16, 13);
    check_solver(2_000, 1, 14);
}

/// The problems of the file: position and length, none for those without a mate.
fn problems() -> Vec<(Position, Option<u32>)> {
    let read = |line: &str| {
        let (sfen, claim) = line.split_once(';').expect("a claim");
        (
            Position::from_sfen(sfen).expect("a position"),
            claim.strip_prefix("mate ").map(|n| n.parse().expect("a number")),
        )
    };
    include_str!("../data/tsume.txt").lines().filter(|line| !line.starts_with('#')).map(read).collect()
}

#[test]
fn problems_are_solved_with_their_lengths() {
    let problems = problems();
    assert!(problems.len() > 100);
    // The longer ones take longer to be exact about than a test may.
    for (pos, plies) in problems.into_iter().filter(|problem| problem.1.is_none_or(|plies| plies <= 15)) {
        // A fresh solver: what one problem leaves behind must not help the next.
        let answer = shortest(&mut Solver::new(64).unwrap(), &pos);
        assert_eq!(length(&answer), plies, "{answer:?}: {pos:?}");
        match plies {
            Some(_) => assert!(is_exact(&answer), "{pos:?}"),
            None => assert!(matches!(answer, MateAnswer::NoMate), "{answer:?}: {pos:?}"),
        }
    }
}

/// What the caller's stack is enough for is answered as on a deep stack, and all else leaves no trace on it: the solvers
/// are kept, and the reports are equal with their nodes and proofs.
#[test]
fn an_answer_does_not_depend_on_the_stack() {
    let mut random = SplitMix64(15);
    let mut positions: Vec<Position> = problems().into_iter().map(|problem| problem.0).collect();
    positions.extend((0..200).map(|_| random_board(&mut random)));
    let mut here = Solver::new(1).unwrap();
    let mut deep = Solver::new(1).unwrap();
    let mut shallow = 0;
    let mut asked = 0;
    for pos in &positions {
        for (shortest, without_futile, nodes) in
            [(false, false, 20), (false, false, 1_500), (true, false, 1_500), (true, true, 800)]
        {
            let limits = MateLimits { nodes: Some(nodes), ..MateLimits::default() };
            let query = Query { limits, shortest, without_futile, ..Query::default() };
            let report = match here.solve_shallow(pos, &query) {
                Ok(report) => {
                    shallow += 1;
                    report
                }
                Err(_) => here.solve(pos, &query),
            };
            let on_deep_stack = std::thread::scope(|scope| {
                spawn_deep(scope, "mate", || deep.solve(pos, &query)).unwrap().join().expect("an answer")
            });
            assert_eq!(report, on_deep_stack, "{query:?}: {pos:?}");
            asked += 1;
        }
    }
    println!("{shallow} of {asked} on the caller's stack");
    assert!(shallow * 2 > asked && shallow * 10 < asked * 9);
}

/// Checks without end: its first thousand nodes are up to 75 plies deep.
const CHASE: &str = "+P1K2+P+n+pr/+l+Ln2n3/+PR7/2L+p+p1k2/3+p1+pp1B/3+P1+p3/3p3n1/pB1P4l/P5+P+p1 b 4g4sp 1";

#[test]
fn a_stack_of_128_kb_is_enough() {
    let work = || {
        let mut positions: Vec<Position> = problems().into_iter().map(|problem| problem.0).collect();
        positions.extend([LARGE, CHASE].map(|sfen| Position::from_sfen(sfen).unwrap()));
        let mut solver = Solver::new(1).unwrap();
        for pos in &positions {
            for shortest in [false, true] {
                let limits = MateLimits { nodes: Some(1_000), ..MateLimits::default() };
                solver.solve(pos, &Query { limits, shortest, without_futile: shortest, ..Query::default() });
            }
        }
    };
    let small = std::thread::Builder::new().stack_size(128 << 10).spawn(work).unwrap();
    small.join().expect("an answer to each");
}

#[test]
fn a_memory_of_one_megabyte_leads_to_no_false_claim() {
    for (pos, plies) in problems() {
        let limits = MateLimits { nodes: Some(60_000), ..MateLimits::default() };
        match Solver::new(1).unwrap().solve(&pos, &Query { limits, ..Query::default() }).answer {
            MateAnswer::Mate(mate) => {
                play_through(&pos, &mate);
                assert!(plies.is_some_and(|plies| mate.length >= plies || !mate.is_exact), "{mate:?}: {pos:?}");
            }
            MateAnswer::NoMate => assert_eq!(plies, None, "{pos:?}"),
            MateAnswer::Unknown(_) => {}
        }
    }
}

#[test]
fn small_positions_have_their_mates_and_no_others() {
    for (why, sfen, plies) in [
        ("P*1b would mate: the king has no square, and no piece takes it", "7nk/6+P2/9/7N1/9/9/9/9/9 b P 1", None),
        ("a lance on the same square mates", "7nk/6+P2/9/7N1/9/9/9/9/9 b L 1", Some(1)),
        ("there is no check", Handicap::Even.sfen(), None),
        ("the side to move is mated itself", "4k4/9/9/9/9/9/7p1/7g1/7K1 b R 1", None),
        ("a gold mates", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Some(1)),
        ("the rook beside the king gives check, and no answer to it does", "4k4/9/4P4/9/9/9/9/9/3rK4 b G 1", None),
        ("there is no king to mate", "9/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1", None),
    ] {
        let answer = shortest(&mut Solver::new(16).unwrap(), &Position::from_sfen(sfen).unwrap());
        assert_eq!(length(&answer), plies, "{why}");
        assert!(plies.is_some() || matches!(answer, MateAnswer::NoMate), "{why}: {answer:?}");
    }
}

/// An old problem that takes far longer than any of these tests waits.
const LARGE: &str = "+r2S5/4p2+B1/9/6+p+r1/3N1P1S1/2+l6/k1G6/1+p4pG1/1BS3PN1 b G3LPgs2n11p 1";

#[test]
fn a_stop_ends_the_search_within_50_ms() {
    let pos = Position::from_sfen(LARGE).unwrap();
    let stop = StopToken::new();
    let mut solver = Solver::new(64).unwrap();
    std::thread::scope(|scope| {
        let solving = this_thread();
        let stop = &stop;
        let (sender, stopped) = channel();
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            sender.send(Stopwatch::of_thread(solving)).expect("somebody waits");
            stop.stop();
        });
        let limits = MateLimits { stop: Some(stop), ..MateLimits::default() };
        let answer = solver.solve(&pos, &Query { limits, ..Query::default() }).answer;
        let took = stopped.recv().expect("it was stopped").elapsed();
        assert!(matches!(answer, MateAnswer::Unknown(OpenReason::Stopped)), "{answer:?}");
        assert!(took < Duration::from_millis(50), "{took:?}");
    });
}

#[test]
fn limits_of_time_and_nodes_are_kept_and_named() {
    let pos = Position::from_sfen(LARGE).unwrap();
    let mut solver = Solver::new(64).unwrap();
    let mut ask = |limits| solver.solve(&pos, &Query { limits, ..Query::default() });
    let started = Instant::now();
    let mut watch = Stopwatch::of_this_thread();
    let report = ask(MateLimits { time: Some(Duration::from_millis(200)), ..MateLimits::default() });
    let spent = started.elapsed().as_millis();
    let took = watch.elapsed().as_millis();
    assert!(matches!(report.answer, MateAnswer::Unknown(OpenReason::Time)), "{report:?}");
    assert!(spent >= 200 && took < 300, "{spent} {took}");
    let report = ask(MateLimits { nodes: Some(5_000), ..MateLimits::default() });
    assert!(matches!(report.answer, MateAnswer::Unknown(OpenReason::Nodes)), "{report:?}");
    assert!((5_000..=5_100).contains(&report.nodes), "{}", report.nodes);
}

#[test]
fn equal_questions_take_equal_nodes() {
    let (pos, _) = problems().into_iter().rfind(|problem| problem.1.is_some()).unwrap();
    let run = || Solver::new(16).unwrap().solve(&pos, &Query::default()).nodes;
    assert_eq!(run(), run());
}

#[test]
fn a_written_proof_is_checked_and_a_spoiled_one_is_refused() {
    let (pos, plies) = problems().into_iter().find(|problem| problem.1 == Some(11)).unwrap();
    let report = Solver::new(16).unwrap().solve(&pos, &Query { shortest: true, ..Query::default() });
    let mut text = Vec::new();
    report.proof.expect("a mate has a proof").write(&pos, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let checked = check_proof(&text).unwrap();
    assert_eq!((checked.position.key(), Some(checked.length)), (pos.key(), plies));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 5);
    // Without any one of its lines it proves nothing.
    for left_out in 2..lines.len() {
        let spoiled: Vec<&str> =
            lines.iter().enumerate().filter(|&(i, _)| i != left_out).map(|(_, line)| *line).collect();
        assert!(check_proof(&spoiled.join("\n")).is_err(), "without {}", lines[left_out]);
    }
    for (bad, named) in [
        ("", "\"\""),
        ("komainu proof 1\n9/9 b -", "line 2"),
        ("komainu proof 1\n4k4/9/9/9/9/9/9/9/9 b G\nx", "line 3"),
    ] {
        let fault = check_proof(bad).unwrap_err().to_string();
        assert!(fault.contains(named), "{fault}");
    }
}

#[test]
fn first_moves_are_told_apart() {
    let pos = Position::from_sfen("8k/9/7GG/9/9/9/9/9/9 b - 1").unwrap();
    let found = Solver::new(1).unwrap().first_moves(&pos, &Query::default());
    let mates = found.iter().filter(|(_, verdict)| *verdict == komainu::mate::FirstMove::Mate(1)).count();
    assert_eq!(mates, 4, "{found:?}");
}

#[test]
fn a_mate_found_by_the_way_is_a_mate() {
    for (pos, plies) in problems().into_iter().filter(|problem| problem.1.is_some_and(|plies| plies > 13)).step_by(7) {
        let answer = any_mate(&mut Solver::new(16).unwrap(), &pos);
        assert!(length(&answer) >= plies, "{answer:?}: {pos:?}");
    }
}
