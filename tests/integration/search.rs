//! The search from outside: legal lines, exact mates, the rules that end a game, limits, reproducible trees.

use crate::stopwatch::Stopwatch;
use komainu::movegen::is_legal;
use komainu::notation::usi::parse_position;
use komainu::position::{EnteringKingRule, GameRules, Position};
use komainu::search::{Bound, Clock, Decision, Limits, Report, SearchResult, ThreadPool};
use komainu::types::{Move, Score, StopToken};
use std::time::{Duration, Instant};

const POSITIONS: [&str; 7] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "ln1g2knl/1rs3g2/p1ppp1s2/5ppp1/1p2S2Sp/2b2PP1L/PP1PP2P1/2G4R1/LNK2G1N1 b BPp 37",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "4+N2nl/5lgk1/7p1/1+R3+bp1p/5p1P1/2PP2P1P/2S3+b1G/1G6L/+rPK6 b 2SL6Pgs2n2p 157",
    "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N2L7p2l 1",
    "k8/9/9/9/9/9/8r/6r2/8K b - 1",
    "8k/9/7GG/9/9/9/9/9/9 b - 1",
];

fn position(text: &str) -> Position {
    parse_position(text).unwrap_or_else(|error| panic!("{text}: {error}")).position
}

fn sfen(text: &str) -> Position {
    position(&format!("sfen {text}"))
}

fn search_with(
    pool: &mut ThreadPool,
    pos: &Position,
    rules: GameRules,
    limits: &Limits,
) -> (SearchResult, Vec<Report>) {
    let mut reports = Vec::new();
    let stop = StopToken::new();
    let result = pool.search(pos, rules, limits, &stop, &mut |block| reports.extend_from_slice(block)).unwrap();
    (result, reports)
}

fn search(pos: &Position, limits: &Limits) -> (SearchResult, Vec<Report>) {
    search_with(&mut ThreadPool::new(1, 8), pos, GameRules::default(), limits)
}

fn move_of(result: &SearchResult) -> Move {
    match result.decision {
        Decision::Play(mv, _) => mv,
        other => panic!("no move but {other:?}"),
    }
}

/// Plays a line and panics at its first illegal move.
fn assert_legal_line(pos: &Position, line: &[Move]) {
    let mut pos = pos.clone();
    assert!(!line.is_empty());
    for &mv in line {
        assert!(is_legal(&pos, mv), "{mv} of {line:?} in {pos:?}");
        pos.do_move(mv);
    }
}

#[test]
fn every_reported_line_is_legal_to_its_last_move() {
    for threads in [1, 2] {
        let mut pool = ThreadPool::new(threads, 8);
        for text in POSITIONS {
            let pos = sfen(text);
            for multi_pv in [1, 4] {
                let limits = Limits { multi_pv, ..Limits::to_depth(7) };
                let (result, reports) = search_with(&mut pool, &pos, GameRules::default(), &limits);
                assert!(!reports.is_empty());
                for report in &reports {
                    assert_legal_line(&pos, &report.pv);
                }
                let Decision::Play(mv, answer) = result.decision else { panic!("{:?}", result.decision) };
                let line: Vec<Move> = [mv].into_iter().chain(answer).collect();
                assert_legal_line(&pos, &line);
                assert_eq!(result.report.unwrap().pv[0], mv);
            }
        }
    }
}

#[test]
fn several_best_moves_are_reported_in_order_and_without_repeats() {
    let pos = sfen(POSITIONS[1]);
    let (_, reports) = search(&pos, &Limits { multi_pv: 3, ..Limits::to_depth(6) });
    for block in reports.chunks(3) {
        assert_eq!(block.iter().map(|r| r.multi_pv).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
        assert!(block.windows(2).all(|pair| pair[0].score >= pair[1].score && pair[0].depth == pair[1].depth));
        let mut moves: Vec<Move> = block.iter().map(|report| report.pv[0]).collect();
        moves.sort();
        moves.dedup();
        assert_eq!(moves.len(), 3);
    }
}

#[test]
fn one_thread_searches_the_same_tree_every_time() {
    let run = || {
        let mut pool = ThreadPool::new(1, 8);
        POSITIONS.map(|text| {
            let (result, _) = search_with(&mut pool, &sfen(text), GameRules::default(), &Limits::to_nodes(20_000));
            (result.decision, result.nodes, result.report.map(|report| report.score))
        })
    };
    assert_eq!(run(), run());
}

#[test]
fn a_node_limit_is_kept_exactly_with_one_thread() {
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let middlegame = "ln1g2knl/1rs3g2/p1ppp1s2/5ppp1/1p2S2Sp/2b2PP1L/PP1PP2P1/2G4R1/LNK2G1N1 b BPp 37";
    let limits = [1, 2, 100, 1_000, 5_000, 20_000, 100_001].map(|nodes| (start, nodes));
    // Deep enough for searches within the search, which must not go on either.
    let deep = [12_345, 23_456, 34_567, 45_678, 56_789, 67_890, 123_456].map(|nodes| (middlegame, nodes));
    for (text, nodes) in limits.into_iter().chain(deep) {
        let (result, _) = search(&sfen(text), &Limits::to_nodes(nodes));
        // The first iteration is always finished: 30 moves.
        assert!(result.nodes <= nodes.max(200), "{} of {nodes}", result.nodes);
        assert!(nodes < 200 || result.nodes >= nodes, "{} of {nodes}", result.nodes);
    }
}

#[test]
fn a_fixed_time_is_used_and_not_exceeded() {
    for millis in [50, 200] {
        let limits = Limits { movetime: Some(Duration::from_millis(millis)), ..Limits::default() };
        let mut pool = ThreadPool::new(1, 8);
        let started = Instant::now();
        let mut watch = Stopwatch::of_this_program();
        search_with(&mut pool, &Position::startpos(), GameRules::default(), &limits);
        let spent = started.elapsed();
        let took = watch.elapsed();
        // A busy machine may be late, but never early.
        assert!(spent >= Duration::from_millis(millis * 8 / 10), "{spent:?} of {millis} ms");
        assert!(took < Duration::from_millis(millis + 300), "{took:?} of {millis} ms");
    }
}

#[test]
fn an_empty_clock_still_gives_a_move() {
    let limits = Limits { clock: Some(Clock::default()), ..Limits::default() };
    let (result, reports) = search(&Position::startpos(), &limits);
    move_of(&result);
    assert!(!reports.is_empty());
}

#[test]
fn a_stop_before_the_start_still_gives_a_move() {
    let stop = StopToken::new();
    stop.stop();
    let mut pool = ThreadPool::new(2, 8);
    let limits = Limits { infinite: true, ..Limits::default() };
    let result = pool.search(&Position::startpos(), GameRules::default(), &limits, &stop, &mut |_| ()).unwrap();
    assert!(is_legal(&Position::startpos(), move_of(&result)));
    assert!(result.report.is_some());
}

#[test]
fn an_infinite_search_answers_only_when_it_is_stopped() {
    for text in ["8k/8G/7G1/9/9/9/9/9/K8 w - 1", "8k/9/7GG/9/9/9/9/9/K8 b - 1", POSITIONS[0]] {
        let stop = StopToken::new();
        let for_thread = stop.clone();
        let pos = sfen(text);
        let thread = std::thread::spawn(move || {
            let limits = Limits { infinite: true, ..Limits::default() };
            ThreadPool::new(1, 8)
                .search(&pos, GameRules::default(), &limits, &for_thread, &mut |_| ())
                .unwrap()
                .decision
        });
        std::thread::sleep(Duration::from_millis(300));
        assert!(!thread.is_finished(), "{text}");
        stop.stop();
        thread.join().unwrap();
    }
}

#[test]
fn mates_are_found_with_their_exact_length() {
    for (text, plies) in [
        ("8k/9/7GG/9/9/9/9/9/K8 b - 1", 1),
        ("8k/9/7GG/9/9/9/9/9/9 b - 1", 1),
        ("8k/9/7GG/9/9/9/9/9/K8 w - 1", -2),
        ("6gnk/9/6G1P/7N1/9/9/9/9/4K4 b G 1", 1),
    ] {
        let pos = sfen(text);
        let (result, reports) = search(&pos, &Limits::to_depth(8));
        let last = reports.last().unwrap();
        assert_eq!(last.score.mate_plies(), Some(plies), "{text}");
        if plies > 0 {
            let mut mated = pos.clone();
            for &mv in &last.pv {
                mated.do_move(mv);
            }
            assert!(mated.in_check() && !komainu::movegen::has_legal_move(&mated), "{text}: {:?}", last.pv);
            assert_eq!(last.pv[0], move_of(&result));
        }
    }
}

#[test]
fn a_pawn_drop_that_would_mate_is_not_searched() {
    let pos = sfen("8k/9/7GN/9/9/9/9/9/K8 b P 1");
    let limits = Limits { multi_pv: 600, ..Limits::to_depth(3) };
    let (_, reports) = search(&pos, &limits);
    // Any waiting move wins, because white has no move; the drop is not among them.
    assert!(reports.len() > 20 && reports.iter().all(|report| report.pv[0].to_string() != "P*1b"));
}

#[test]
fn the_side_without_a_move_resigns_whether_in_check_or_not() {
    for text in ["8k/8G/7G1/9/9/9/9/9/K8 w - 1", "8k/9/7GN/9/9/9/9/9/K8 w - 1"] {
        let (result, _) = search(&sfen(text), &Limits::to_depth(3));
        assert_eq!(result.decision, Decision::Resign, "{text}");
    }
}

#[test]
fn the_fourth_occurrence_is_scored_as_a_draw() {
    let shuffle = |times: usize| {
        let moves = "5i5h 5a5b 5h5i 5b5a ".repeat(times) + "5i5h 5a5b 5h5i";
        position(&format!("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1 moves {moves}"))
    };
    let limits = Limits { search_moves: Some(vec!["5b5a".parse().unwrap()]), ..Limits::to_depth(4) };
    let score = |times| search(&shuffle(times), &limits).1.last().unwrap().score;
    assert_eq!(score(2), Score::DRAW);
    assert!(score(0) > Score(150), "{:?}", score(0));
}

#[test]
fn perpetual_check_loses_for_the_side_that_gives_it() {
    let board = "sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves ".to_string();
    let cycle = "4i5i 5a4a 5i4i 4a5a ";
    let score = |moves: String, last: &str| {
        let limits = Limits { search_moves: Some(vec![last.parse().unwrap()]), ..Limits::to_depth(4) };
        search(&position(&(board.clone() + &moves)), &limits).1.last().unwrap().score
    };
    assert!(score(cycle.repeat(3), "4i5i") < Score(-20_000));
    assert!(score(cycle.repeat(2) + "4i5i 5a4a 5i4i", "4a5a") > Score(20_000));
}

#[test]
fn a_declaration_is_made_under_its_rule_only() {
    use EnteringKingRule::*;
    let b28 = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";
    let b27 = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N2L7p2l 1";
    let decision = |text: &str, rule, infinite| {
        let rules = GameRules { entering_king: rule, ..GameRules::default() };
        let stop = StopToken::new();
        if infinite {
            stop.stop();
        }
        let limits = Limits { infinite, ..Limits::to_depth(2) };
        ThreadPool::new(1, 8).search(&sfen(text), rules, &limits, &stop, &mut |_| ()).unwrap().decision
    };
    assert_eq!(decision(b28, CSARule27, false), Decision::DeclareWin);
    assert!(matches!(decision(b27, CSARule27, false), Decision::Play(..)));
    assert!(matches!(decision(b28, NoEnteringKing, false), Decision::Play(..)));
    assert!(matches!(decision(b28, CSARule24, false), Decision::Play(..)));
    let Decision::Play(mv, _) = decision(b28, TryRule, false) else { panic!("the try rule is a move") };
    assert_eq!(mv.to_string(), "6b5a");
}

#[test]
fn a_game_past_its_ply_limit_is_a_draw() {
    let score = |counter: u32| {
        let pos = sfen(&format!("8k/9/7GG/9/9/9/9/9/K8 b - {counter}"));
        let rules = GameRules { ply_limit: 256, ..GameRules::default() };
        search_with(&mut ThreadPool::new(1, 8), &pos, rules, &Limits::to_depth(5)).1.last().unwrap().score
    };
    assert_eq!(score(255), Score::mate_in(1));
    assert_eq!(score(256), Score::DRAW);
    // A game that goes on past its limit has none.
    assert_eq!(score(257), Score::mate_in(1));
    // The mate is the second move from here.
    let score = |counter: u32, mate_on_last_ply: bool| {
        let pos = sfen(&format!("8k/9/7GG/9/9/9/9/9/K8 w - {counter}"));
        let rules = GameRules { ply_limit: 256, mate_on_last_ply, ..GameRules::default() };
        search_with(&mut ThreadPool::new(1, 8), &pos, rules, &Limits::to_depth(5)).1.last().unwrap().score
    };
    assert_eq!([254, 255, 256].map(|counter| score(counter, false)), [Score::mated_in(2), Score::DRAW, Score::DRAW]);
    assert_eq!([255, 256].map(|counter| score(counter, true)), [Score::mated_in(2), Score::DRAW]);
}

#[test]
fn asked_for_moves_are_searched() {
    let limits = |moves: &[&str]| Limits {
        search_moves: Some(moves.iter().map(|mv| mv.parse().unwrap()).collect()),
        ..Limits::to_depth(3)
    };
    let best = |moves: &[&str]| move_of(&search(&Position::startpos(), &limits(moves)).0).to_string();
    assert!(["1g1f", "9g9f"].contains(&best(&["1g1f", "9g9f", "5e5d"]).as_str()));
}

#[test]
fn a_rook_is_not_left_unpromoted_for_nothing() {
    let pos = position(
        "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b3c 5i5h 5a5b 3g3f 7a7b \
         3i3h 7c7d",
    );
    for depth in 1..=13 {
        let mv = move_of(&search(&pos, &Limits::to_depth(depth)).0).to_string();
        assert!(mv != "3d3c", "depth {depth}");
    }
    let asked = Limits { search_moves: Some(vec!["3d3c".parse().unwrap()]), ..Limits::to_depth(5) };
    assert_eq!(move_of(&search(&pos, &asked).0).to_string(), "3d3c");
    let unpromoted = |all_moves| {
        let limits = Limits { multi_pv: 600, all_moves, ..Limits::to_depth(2) };
        search(&pos, &limits).1.iter().any(|report| report.pv[0].to_string() == "3d3c")
    };
    assert!(unpromoted(true) && !unpromoted(false));
}

#[test]
fn what_stands_last_is_the_last_thing_proven_with_its_own_depth() {
    // The same search, stopped within an iteration and finished.
    for text in POSITIONS {
        let pos = sfen(text);
        let (_, finished) = search(&pos, &Limits::to_depth(12));
        let (result, reports) = search(&pos, &Limits::to_nodes(20_000));
        let last = result.report.unwrap();
        assert!(last.bound != Bound::UPPER, "{text}: {last:?}");
        let before = reports.iter().rev().find(|report| report.bound == Bound::EXACT).unwrap();
        assert!(last.depth == before.depth || last.depth == before.depth + 1, "{text}: {last:?} {before:?}");
        if last.depth == before.depth {
            assert_eq!((last.score, &last.pv), (before.score, &before.pv), "{text}");
        }
        // Iterations of the same depth found the same in both.
        for report in reports {
            let same = finished.iter().find(|other| other.depth == report.depth && other.nodes == report.nodes);
            assert!(same.is_none_or(|same| same.score == report.score), "{text}");
        }
    }
}

#[test]
fn with_several_lines_the_first_is_never_worse_than_the_second_when_the_search_is_stopped() {
    for nodes in (3_000..60_000).step_by(4_567) {
        let limits = Limits { multi_pv: 3, ..Limits::to_nodes(nodes) };
        let (result, reports) = search(&sfen(POSITIONS[1]), &limits);
        let last: Vec<&Report> = reports.iter().rev().take(3).collect();
        assert!(last.windows(2).all(|pair| pair[0].score <= pair[1].score), "{last:?}");
        let best = result.report.unwrap();
        assert_eq!((best.depth, best.score, &best.pv), (last[2].depth, last[2].score, &last[2].pv));
    }
}

#[test]
fn a_hanging_rook_is_taken() {
    let pos = sfen("4k4/9/9/9/4r4/9/9/9/4RK3 b - 1");
    assert_eq!(move_of(&search(&pos, &Limits::to_depth(4)).0).to_string(), "5i5e");
}
