//! The rules of the levels, by positions and by short games.

use super::choice::{is_blunder, is_spite_check};
use super::oversight::Oversight;
use super::params::LevelParams;
use super::{Level, LevelSettings, LevelStyle, LevelTime};
use crate::eval::Evaluation;
use crate::movegen::{All, generate};
use crate::position::{CheckInfo, GameRules, Handicap, Position};
use crate::search::{Callbacks, Clock, Decision, HistorySize, Limits, Report, SearchControl, SearchResult, ThreadPool};
use crate::types::{Color, Move, PieceType, Square, StopToken};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A gold in hand mates at once.
const MATE_IN_ONE: &str = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
/// White mates in three, from a check to its own king.
const MATE_IN_THREE: &str = "+R4Ssnl/3+LB1g2/2sp3p1/2p1ppp1p/5NkP1/3g1PP1P/PPN1P2K1/3P5/6+rNL w b2gsl3p 1";
/// King, eleven pieces and 28 points in the camp.
const DECLARABLE: &str = "K+R+R6/+B+BGGGG3/SSSS5/9/9/9/9/9/8k b 4P 1";

fn settings(name: &str, seed: u64) -> LevelSettings {
    LevelSettings { time: LevelTime::Fast, ..LevelSettings::new(name.parse().unwrap(), seed) }
}

fn pool() -> ThreadPool {
    ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build()
}

fn search(pool: &mut ThreadPool, pos: &Position, level: &str, seed: u64) -> SearchResult {
    settings(level, seed).play(pool, pos, GameRules::default(), &Limits::to_depth(90), &StopToken::new()).unwrap()
}

fn best(pool: &mut ThreadPool, pos: &Position, level: &str, seed: u64) -> Move {
    match search(pool, pos, level, seed).decision {
        Decision::Play(mv, _) => mv,
        other => panic!("{other:?}"),
    }
}

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

pub(super) fn after(moves: &str) -> Position {
    let mut pos = Position::startpos();
    for mv in moves.split_whitespace() {
        pos.do_move(mv.parse().unwrap());
    }
    pos
}

/// The positions of a game of a level against itself, each with the move that was played.
fn game(pool: &mut ThreadPool, level: &str, seed: u64, plies: usize) -> Vec<(Position, Move)> {
    let mut pos = Position::startpos();
    let mut played = Vec::new();
    while played.len() < plies && !generate::<All>(&pos).is_empty() && pos.repetition().is_none() {
        let mv = best(pool, &pos, level, seed + played.len() as u64 % 2);
        played.push((pos.clone(), mv));
        pos.do_move(mv);
    }
    played
}

#[test]
fn every_level_can_do_what_the_one_below_can() {
    let levels: Vec<Level> = Level::all().collect();
    assert_eq!((levels.len(), levels[0], levels[24]), (25, Level::WEAKEST, Level::STRONGEST));
    for pair in levels.windows(2) {
        let [low, high] = [pair[0], pair[1]].map(LevelParams::of);
        assert!(
            low.nodes < high.nodes && low.depth <= high.depth && low.mate_plies <= high.mate_plies,
            "{low:?} {high:?}"
        );
        assert!(low.noise > high.noise && low.oversight >= high.oversight, "{low:?} {high:?}");
        assert!(pair[0].rating() < pair[1].rating());
    }
}

#[test]
fn the_same_seed_gives_the_same_moves_and_another_one_others() {
    let mut pool = pool();
    let moves =
        |pool: &mut ThreadPool, seed| game(pool, "10kyu", seed, 16).into_iter().map(|(_, mv)| mv).collect::<Vec<_>>();
    let first = moves(&mut pool, 7);
    assert_eq!(moves(&mut pool, 7), first);
    assert_eq!(moves(&mut super::tests::pool(), 7), first);
    assert!((20..26).any(|seed| moves(&mut pool, seed) != first));
}

#[test]
fn games_begin_in_many_ways() {
    let mut pool = pool();
    // The second move follows the plan: a static rook, a central one, or one further to the left.
    for (played, least) in [("", 2), ("7g7f 3c3d", 3)] {
        let pos = after(played);
        let mut moves: Vec<Move> = (1..=10).map(|seed| best(&mut pool, &pos, "12kyu", seed * 2)).collect();
        moves.sort();
        moves.dedup();
        assert!(moves.len() >= least, "{played}: {moves:?}");
    }
}

#[test]
fn games_open_by_plan_and_without_a_trade_of_bishops() {
    let mut pool = pool();
    let at_home = (1..=4).filter(|&seed| {
        let moves = game(&mut pool, "5kyu", 2 * seed, 30);
        let early = &moves[..8.min(moves.len())];
        let trades = early.iter().any(|(pos, mv)| {
            let is_bishop = |square| pos.piece_on(square).is_some_and(|piece| piece.piece_type() == PieceType::Bishop);
            mv.from().is_some_and(is_bishop) && is_bishop(mv.to())
        });
        let (last, _) = moves.last().expect("a game");
        let plan = settings("5kyu", 2 * seed + u64::from(last.side() == Color::White)).plan(last).expect("a plan");
        assert!(!trades || plan.names()[0].contains("角"), "{seed}: {plan:?}");
        last.king(last.side()) != Some(if last.side() == Color::Black { Square::S5I } else { Square::S5A })
    });
    assert!(at_home.count() >= 3);
}

#[test]
fn a_plan_does_not_cost_a_piece() {
    let mut pool = pool();
    // Yagura's silver goes to 6h, but the bishop hangs as long as the diagonal is open.
    let pos = after("7g7f 3c3d 2g2f 8c8d");
    for level in ["12kyu", "10kyu", "5kyu", "1dan"] {
        let is_yagura = |&seed: &u64| settings(level, seed).plan(&pos).is_some_and(|plan| plan.names()[0] == "矢倉");
        for seed in (0..400).filter(is_yagura).take(8) {
            assert_ne!(best(&mut pool, &pos, level, seed).to_string(), "7i6h", "{level}, seed {seed}");
        }
    }
}

#[test]
fn a_move_that_the_plan_gives_up_is_not_played_by_an_error() {
    let mut pool = pool();
    // The silver of the central rook would leave the bishop to 2b8h+.
    let pos = after("7g7f 8c8d 5g5f 3c3d 2h5h 5a4b 5i4h 4b3b 4h3h 3a4b");
    for level in ["10kyu", "5kyu", "1kyu"] {
        for seed in (0..16).chain([5_000_017]) {
            let central = LevelSettings { style: LevelStyle::RangingRook, ..settings(level, seed) };
            let is_central = central.plan(&pos).is_some_and(|plan| plan.names()[0].starts_with("中飛車"));
            let result = central.play(&mut pool, &pos, GameRules::default(), &Limits::to_depth(90), &StopToken::new());
            let Decision::Play(mv, _) = result.unwrap().decision else { panic!("no move") };
            assert!(!is_central || mv.to_string() != "7i6h", "{level}, seed {seed}");
        }
    }
}

#[test]
fn a_beginner_with_a_plan_sees_what_a_capture_costs() {
    let mut pool = pool();
    // A bishop for a pawn, taken back by the bishop on 3c.
    let pos = after("7g7f 3c3d 2g2f 4c4d 2f2e 2b3c");
    for seed in 0..60 {
        assert_ne!(best(&mut pool, &pos, "20kyu", seed).to_string(), "8h4d", "seed {seed}");
    }
}

#[test]
fn mates_are_seen_up_to_the_length_of_the_level() {
    let mut pool = pool();
    let mate = |pool: &mut ThreadPool, sfen, level, seed| {
        search(pool, &position(sfen), level, seed).report.and_then(|report| report.score.mate_plies())
    };
    for seed in 0..20 {
        assert_eq!(mate(&mut pool, MATE_IN_ONE, "10kyu", seed), Some(1));
        assert_eq!(mate(&mut pool, MATE_IN_THREE, "10kyu", seed), None);
        assert_eq!(mate(&mut pool, MATE_IN_THREE, "7kyu", seed), Some(3));
        assert_eq!(mate(&mut pool, MATE_IN_THREE, "9dan", seed), Some(3));
    }
    // Beginners miss some of them, by the seed.
    let seen = (0..100).filter(|&seed| mate(&mut pool, MATE_IN_ONE, "20kyu", seed) == Some(1)).count();
    assert!((30..=70).contains(&seen), "{seen}");
}

#[test]
fn who_is_far_ahead_late_in_a_game_sees_a_longer_mate() {
    let mut pool = pool();
    for (ply, seen) in [(79, None), (81, Some(3)), (151, Some(3))] {
        let mut pos = position(MATE_IN_THREE);
        pos.set_ply(ply);
        let report = search(&mut pool, &pos, "10kyu", 1).report.unwrap();
        assert_eq!(report.score.mate_plies(), seen, "ply {ply}");
    }
}

#[test]
fn the_score_that_is_shown_has_no_noise() {
    let mut pool = pool();
    for (pos, _) in game(&mut pool, "15kyu", 3, 30) {
        let report = search(&mut pool, &pos, "15kyu", 3).report.unwrap();
        if report.score.is_decisive() {
            continue;
        }
        let mut leaf = pos.clone();
        for &mv in &report.pv {
            leaf.play(mv).unwrap();
        }
        let score = Evaluation::default().start(&leaf).evaluate(&leaf).clamp_eval();
        let expected = if report.pv.len().is_multiple_of(2) { score } else { -score };
        let repeats = leaf.occurrences() > 1;
        assert!(report.score == expected || repeats, "{pos} {report:?} {expected}");
    }
}

#[test]
fn no_piece_is_given_away_for_nothing() {
    let mut pool = pool();
    let mut blunders = 0;
    let mut moves = 0;
    for seed in 0..4 {
        for (pos, mv) in game(&mut pool, "10kyu", seed * 10, 120) {
            moves += 1;
            blunders += usize::from(!pos.see_ge(mv, -499));
        }
    }
    // Where every move loses something, something is lost.
    assert!(moves > 200 && blunders * 50 <= moves, "{blunders} of {moves}");
}

#[test]
fn noise_does_not_hide_what_a_blunder_costs() {
    // By scores with the error alone 47 of these moves were blunders.
    let positions = [
        "lng1kg1nl/1rs6/p1pp+N1spp/4pB3/9/1PP1P1P2/P2P1P2P/2S2S3/LN1GKG2+r b B4Pl 33",
        "ln1g1l2l/2k2s1+R1/1p1pp1n2/2pbb3p/p4p3/1PPNSn2P/2G1P1S+R1/3S1G3/1+p1PKG2L w 2P3p 96",
        "lng3+R1b/1ks1+P+L3/1ppp3pp/p2s5/8P/P1P1+s4/BP1Pp1Pr1/1SK6/LN2GG1NL w GN4P 68",
        "l2g1+R3/1k2+N4/1pn3n2/2pBp3p/p4p3/1PPLSn2P/2GSP1+p2/1+p1S5/3PKG1rL b BSL4Pgp 131",
        "2kg2g2/2sl1g3/1ppp5/lsP2N1p1/1nn2Npl1/4PP3/3P1SPP+l/2+R2SK2/4G3+r b B2Pb5p 117",
    ];
    let mut pool = pool();
    let mut blunders = 0;
    for pos in positions.map(position) {
        for seed in 0..60 {
            let mv = best(&mut pool, &pos, "10kyu", seed);
            blunders += usize::from(!pos.see_ge(mv, -499));
        }
    }
    assert!(blunders <= 30, "{blunders} of 300");
}

#[test]
fn a_blunder_gives_a_piece_or_a_mate_away_at_once() {
    for (why, sfen, mv, expected) in [
        ("the rook goes where a pawn takes it", "4k4/9/9/9/4p4/9/9/4R4/4K4 b - 1", "5h5f", true),
        ("nothing takes the rook", "4k4/9/9/9/4p4/9/9/4R4/4K4 b - 1", "5h5g", false),
        ("in front of the king a gold mates", "4k4/9/9/9/9/9/4p4/3PNP3/3NKN3 b g 1", "5h6f", true),
        ("a gold takes the bishop beside it", "4k4/9/4gB3/9/9/9/9/9/4K4 b - 1", "5i5h", true),
        ("the bishop goes", "4k4/9/4gB3/9/9/9/9/9/4K4 b - 1", "4c2e", false),
        ("a pawn defends the bishop, a loss of less", "4k4/9/4gB3/5P3/9/9/9/9/4K4 b - 1", "5i5h", false),
        ("nothing takes the bishop", "4k4/9/5B3/9/9/9/9/9/4K4 b - 1", "5i5h", false),
        ("as much is taken for the bishop", "4k4/9/4gB3/9/9/9/9/4r4/4K4 b - 1", "5i5h", false),
    ] {
        assert_eq!(is_blunder(&mut position(sfen), mv.parse().unwrap()), expected, "{why}");
    }
}

#[test]
fn a_spite_check_throws_a_piece_away_where_nothing_is_hoped_for() {
    let pos = position("4k4/9/9/9/9/9/9/9/4K4 b R 1");
    let check = "R*5b".parse().unwrap();
    assert!(is_spite_check(&pos, check, -3_000) && !is_spite_check(&pos, check, 0));
    assert!(!is_spite_check(&pos, "R*5e".parse().unwrap(), -3_000));
}

#[test]
fn what_the_eye_falls_on_is_seen_and_the_rest_as_often_as_the_level_says() {
    let pos = after("7g7f 3c3d 8h2b+");
    let mut root = pos.clone();
    root.undo();
    let info = CheckInfo::new(&pos);
    let overlooks = |level: &str, mv: &str, seed| {
        let params = LevelParams::of(level.parse().unwrap());
        Oversight::new(&params, seed, &root).overlooks(&pos, &info, mv.parse().unwrap(), 1)
    };
    let count = |level: &str, mv: &str| (0..1_000).filter(|&seed| overlooks(level, mv, seed)).count();
    assert_eq!(count("15kyu", "3a2b"), 0);
    assert!(count("20kyu", "3a2b") > 400);
    let share = count("15kyu", "8c8d");
    let expected = 1_000.0 * LevelParams::of("15kyu".parse().unwrap()).oversight;
    assert!((share as f64 - expected).abs() < 60.0, "{share} {expected}");
    // The piece that has just moved is watched: from 12 kyu always.
    assert!((count("15kyu", "3d3e") as f64 - expected / 2.0).abs() < 60.0 && count("12kyu", "3d3e") == 0);
    // The rook's move across the board is harder to see.
    assert!(count("15kyu", "8b4b") > share + 100 && count("7dan", "8c8d") == 0);
}

#[test]
fn a_level_leaves_nothing_behind_for_a_search_of_full_strength() {
    let nodes = |pool: &mut ThreadPool| {
        let stop = StopToken::new();
        pool.search(&Position::startpos(), GameRules::default(), &Limits::to_depth(7), &stop, &mut |_| ())
            .unwrap()
            .nodes
    };
    let mut used = pool();
    let mut fresh = pool();
    search(&mut used, &Position::startpos(), "3dan", 1);
    assert_eq!(nodes(&mut used), nodes(&mut fresh));
}

#[test]
fn several_lines_and_an_endless_search_are_at_full_strength() {
    let start = Position::startpos();
    let depth = |limits: Limits| {
        let mut pool = pool();
        let stop = StopToken::new();
        let control = Arc::new(SearchControl::new(limits.clone(), &stop));
        let mut deepest = 0;
        let on_block = &mut |block: &[Report]| {
            deepest = deepest.max(block[0].depth);
            if limits.infinite && deepest > 4 {
                stop.stop();
            }
        };
        let chooser = settings("20kyu", 1);
        let callbacks = Callbacks { chooser: Some(&chooser), on_block, on_answer: &mut |_| () };
        pool.search_and_answer(&start, GameRules::default(), &control, callbacks).unwrap();
        deepest
    };
    assert_eq!(depth(Limits::to_depth(5)), 1);
    assert_eq!(depth(Limits { multi_pv: 2, ..Limits::to_depth(5) }), 5);
    assert!(depth(Limits { infinite: true, ..Limits::default() }) > 4);
}

#[test]
fn every_level_declares_a_win_by_points() {
    let mut pool = pool();
    let pos = position(DECLARABLE);
    for level in ["20kyu", "12kyu", "6kyu", "5kyu", "1dan"] {
        assert_eq!(search(&mut pool, &pos, level, 1).decision, Decision::DeclareWin, "{level}");
    }
    let short = position("K+R+R6/+B+BGGGG3/SSS6/9/9/9/9/9/8k b - 1");
    assert!(matches!(search(&mut pool, &short, "20kyu", 1).decision, Decision::Play(..)), "a point is missing");
}

#[test]
fn more_threads_change_nothing() {
    let mut two = ThreadPool::builder().threads(2).table_megabytes(1).history(HistorySize::Small).build();
    let pos = Position::startpos();
    assert_eq!(best(&mut two, &pos, "5kyu", 4), best(&mut pool(), &pos, "5kyu", 4));
}

#[test]
fn the_answer_waits_for_its_time_but_not_after_a_stop() {
    let mut pool = pool();
    let clock = Clock { time: Duration::from_secs(600), ..Clock::default() };
    let limits = Limits { clock: Some(clock), ..Limits::default() };
    let pos = Position::startpos();
    let mut elapsed = |time, stop_after: Option<u64>| {
        let stop = StopToken::new();
        let began = Instant::now();
        std::thread::scope(|scope| {
            if let Some(millis) = stop_after {
                let stop = stop.clone();
                scope.spawn(move || {
                    std::thread::sleep(Duration::from_millis(millis));
                    stop.stop();
                });
            }
            let level = LevelSettings { time, ..settings("10kyu", 1) };
            level.play(&mut pool, &pos, GameRules::default(), &limits, &stop).unwrap();
            began.elapsed()
        })
    };
    assert!(elapsed(LevelTime::Normal, None) >= Duration::from_millis(300));
    // 0.4 s and 0.3 times 6 s, if nobody stopped it.
    assert!(elapsed(LevelTime::Human, Some(100)) < Duration::from_millis(1_500));
    assert!(elapsed(LevelTime::Human, None) >= Duration::from_millis(2_200));
}

/// Number of answers to a move that lose 300 centipawns or more, by the search of full strength.
fn mistakes(pool: &mut ThreadPool, pos: &Position, mv: Move) -> usize {
    let mut score = |pos: &Position| {
        let stop = StopToken::new();
        let result = pool.search(pos, GameRules::default(), &Limits::to_depth(4), &stop, &mut |_| ()).unwrap();
        result.report.expect("there is a move").score.0
    };
    let after = pos.after(mv);
    let expected = -score(&after);
    let mut is_mistake = |answer: &Move| {
        let next = after.after(*answer);
        !generate::<All>(&next).is_empty() && score(&next) >= expected + 300
    };
    generate::<All>(&after).iter().filter(|answer| is_mistake(answer)).count()
}

#[test]
fn the_giver_of_a_handicap_chooses_moves_that_are_hard_to_answer() {
    let mut pool = pool();
    let mut choose = |pos: &Position, given| {
        let level = LevelSettings { given, ..settings("3dan", 5) };
        let stop = StopToken::new();
        match level.play(&mut pool, pos, GameRules::default(), &Limits::to_depth(90), &stop).unwrap().decision {
            Decision::Play(mv, _) => mv,
            other => panic!("{other:?}"),
        }
    };
    let is_mated = |pos: &Position| generate::<All>(pos).is_empty();
    let mut pairs = Vec::new();
    for handicap in [Handicap::Rook, Handicap::Bishop, Handicap::Lance] {
        let mut pos = position(handicap.sfen());
        // No plan of an opening begins so late: the two differ by the style alone.
        pos.set_ply(41);
        while pairs.len() < 12 && pos.ply() < 120 && !is_mated(&pos) {
            let with_style = choose(&pos, 700);
            assert_eq!(choose(&pos, 700), with_style);
            let without = choose(&pos, 0);
            if with_style != without {
                pairs.push((pos.clone(), with_style, without));
            }
            pos.do_move(with_style);
            if is_mated(&pos) {
                break;
            }
            let answer = choose(&pos, 0);
            pos.do_move(answer);
        }
    }
    let mut pool = super::tests::pool();
    let mut with_style = 0;
    let mut without = 0;
    for (pos, styled, plain) in &pairs {
        with_style += mistakes(&mut pool, pos, *styled);
        without += mistakes(&mut pool, pos, *plain);
    }
    assert!(pairs.len() == 12 && with_style > without, "{with_style} and {without} after {} moves", pairs.len());
}
