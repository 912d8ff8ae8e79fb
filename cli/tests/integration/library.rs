//! What a program that uses the library relies on: every function is total, errors keep what was known, names are read
//! back, and the features bring no more crates than they say.

use crate::notation::games::{read_game, read_games};
use crate::shell::{stderr, stdout};
use komainu::eval::{Evaluate, Evaluation};
use komainu::games::read_source;
use komainu::mate::{MateAnswer, MateLimits, OpenReason, Query, Solver};
use komainu::movegen::{All, Divide, MAX_PERFT_DEPTH, PerftError, divide, generate};
use komainu::notation::Format;
use komainu::notation::csa::{self, CsaVersion};
use komainu::notation::record::{Ending, GameRecord, RecordMove};
use komainu::position::{EnteringKingRule, GameRules, Handicap, Position, RuleSet};
use komainu::protocol::{BestMove, Go, PositionCommand};
use komainu::random::SplitMix64;
use komainu::search::{Decision, Limits, SearchError, SearchResult, ThreadPool};
use komainu::types::{Color, Hand, Move, Piece, Score, Square, StopToken};
use komainu_tools::analyst::{Analyst, Own, Request, SearchLimit};
use komainu_tools::client::{Infos, Setup, UsiEngine};
use komainu_tools::process::Launch;
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The crates of a build with these arguments of `cargo tree`, the own one included; proc macros count.
fn crates(arguments: &[&str]) -> BTreeSet<String> {
    let lines = tree(&[&["--edges", "normal"], arguments].concat());
    lines.iter().filter_map(|line| line.split(' ').next()).map(str::to_string).collect()
}

/// The lines of `cargo tree` with these arguments.
fn tree(arguments: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(arguments)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", stderr(&tree));
    let text = stdout(&tree);
    text.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty()).map(str::to_string).collect()
}

#[test]
fn tests_change_no_feature_of_the_crates_that_the_binary_takes() {
    // With other features `cargo test` would build another binary in place of the one that `cargo build` has left.
    let features = |edges: &str| tree(&["--edges", edges, "--format", "{p} {f}"]);
    let built = features("normal,build");
    let tested = features("normal,build,dev");
    let changed: Vec<&String> = built.difference(&tested).collect();
    assert!(changed.is_empty(), "other features with the dev-dependencies: {changed:?}");
    let name = |line: &String| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let names: BTreeSet<String> = built.iter().map(name).collect();
    let added: Vec<&String> = tested.difference(&built).filter(|line| names.contains(&name(line))).collect();
    assert!(added.is_empty(), "more features with the dev-dependencies: {added:?}");
    assert!(tested.iter().any(|line| line.starts_with("proptest ")) && built.len() > 50);
}

#[test]
fn the_rules_alone_take_four_small_crates() {
    let mut taken = crates(&["--package", "komainu", "--no-default-features"]);
    // What the macro of thiserror is made with.
    for part in ["thiserror-impl", "proc-macro2", "quote", "syn", "unicode-ident"] {
        assert!(taken.remove(part), "{part}");
    }
    let expected = ["arrayvec", "bitflags", "komainu", "once_cell", "thiserror"].map(str::to_string);
    assert_eq!(taken, BTreeSet::from(expected));
}

#[test]
fn what_names_no_package_builds_none_of_the_other_packages() {
    let built = crates(&["--all-features"]);
    assert!(built.contains("komainu") && built.contains("clap"));
    for package in ["komainu-benches", "komainu-py", "komainu-wasm", "criterion", "pyo3", "pyo3-ffi"] {
        assert!(!built.contains(package), "{package}");
    }
    if !crate::docs::is_package() {
        assert!(crates(&["--package", "komainu-py"]).contains("pyo3"));
    }
}

#[test]
fn each_feature_takes_the_crates_that_it_says() {
    for (feature, with, without) in [
        ("serde", "serde", "serde_json"),
        ("mate", "thiserror", "rayon"),
        ("notation", "encoding_rs", "serde_json"),
        ("records", "serde_json", "rayon"),
        ("search", "sysinfo", "encoding_rs"),
        ("book", "rayon", "sysinfo"),
    ] {
        let found = crates(&["--package", "komainu", "--no-default-features", "--features", feature]);
        assert!(found.contains(with) && !found.contains(without), "{feature}: {found:?}");
        assert!(!found.contains("clap"), "{feature}: {found:?}");
    }
}

const START: &str = "手合割：平手\n   1 ７六歩(77)   ( 0:07/00:00:07)\n   2 ３四歩(33)\n";

#[test]
fn a_bad_move_of_a_record_leaves_the_game_before_it() {
    let faults = [
        ("   3 ９九玉(59)\n   4 ８四歩(83)\n", "illegal"),
        ("   3 同\n", "unreadable"),
        ("   3 ５八金\n", "ambiguous"),
        ("   3 投了\n   4 ２六歩(27)\n", "after the end"),
    ];
    for (rest, fault) in faults {
        let error = read_game(format!("{START}{rest}").as_bytes(), Some(Format::Kif)).unwrap_err();
        let [game] = error.so_far() else { panic!("{fault}: {error:?}") };
        let moves: Vec<String> = game.record.moves.iter().map(|made| made.mv.to_string()).collect();
        assert_eq!(moves, ["7g7f", "3c3d"], "{fault}");
        assert_eq!(game.record.moves[0].spent, Some(Duration::from_secs(7)), "{fault}");
    }
    // Nothing is made up where not even the start is known.
    for text in ["hello\n", "手合割：九枚落ち？\n   1 ７六歩(77)\n"] {
        assert_eq!(read_game(text.as_bytes(), Some(Format::Kif)).unwrap_err().so_far(), []);
    }
}

#[test]
fn games_before_a_damaged_one_of_a_csa_file_are_kept() {
    let text = "V2.2\nPI\n+\n+7776FU\n%TORYO\n/\nPI\n+\n+2726FU\n-3334FU\n+9911OU\n";
    let error = read_games(text.as_bytes(), None).unwrap_err();
    let lengths: Vec<usize> = error.so_far().iter().map(|game| game.record.moves.len()).collect();
    assert_eq!(lengths, [1, 2]);
    let games = error.into_so_far();
    assert_eq!(games[0].record.conclusion.map(|end| end.ending), Some(Ending::Resignation));
    assert_eq!(games[1].record.conclusion, None);
}

#[test]
fn csa_is_written_as_version_2_2_where_it_is_asked_for() {
    let mut game = GameRecord::new(Position::startpos());
    let spent = Some(Duration::from_millis(2_750));
    game.moves.push(RecordMove { spent, ..RecordMove::new("7g7f".parse().unwrap()) });
    let text = csa::write_version(&game, CsaVersion::V2_2);
    assert!(text.starts_with("V2.2\n") && text.ends_with("+7776FU\nT2\n"), "{text}");
    let read = csa::read(&text).unwrap().record;
    assert_eq!(read.moves[0].spent, Some(Duration::from_secs(2)));
    assert!(csa::write_version(&game, CsaVersion::V3_0).contains("V3.0\n"));
    assert_eq!(csa::write(&game), csa::write_version(&game, CsaVersion::V3_0));
}

#[test]
fn names_are_read_back_and_unknown_ones_are_told_with_the_known() {
    for handicap in Handicap::ALL {
        assert_eq!(handicap.to_string().to_uppercase().parse(), Ok(handicap));
    }
    for format in Format::ALL {
        assert_eq!(format.to_string().to_uppercase().parse(), Ok(format));
    }
    for rules in RuleSet::ALL {
        assert_eq!(rules.to_string().parse(), Ok(rules));
    }
    for piece in Piece::ALL {
        assert_eq!(piece.to_string().parse(), Ok(piece));
    }
    for color in Color::ALL {
        assert_eq!(color.to_string().parse(), Ok(color));
    }
    assert_eq!(
        "pgn".parse::<Format>().unwrap_err().to_string(),
        "\"pgn\" is none of kif, ki2, csa, csa2, json, usi, sfen"
    );
    assert_eq!("queen".parse::<Handicap>().unwrap_err().name(), "queen");
    assert_eq!("10a".parse::<Square>().unwrap_err().to_string(), "\"10a\" is not a square");
    // Errors are errors: they can be boxed and asked for their message.
    let boxed: Box<dyn std::error::Error> = Box::new("7z".parse::<Square>().unwrap_err());
    assert_eq!(boxed.to_string(), "\"7z\" is not a square");
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("texts can be written")
}

#[test]
fn moves_and_positions_are_serialized_as_usi_and_sfen() {
    let mv: Move = "8h2b+".parse().unwrap();
    assert_eq!(json(&mv), "\"8h2b+\"");
    assert_eq!(serde_json::from_str::<Move>("\"8h2b+\"").unwrap(), mv);
    let mut position = Position::startpos();
    position.do_move("7g7f".parse().unwrap());
    assert_eq!(json(&position), format!("\"{}\"", position.to_sfen()));
    assert_eq!(serde_json::from_str::<Position>(&json(&position)).unwrap(), position);
    assert_eq!(json(&(RuleSet::Wcsc, Handicap::Rook)), "[\"wcsc\",\"rook\"]");
    assert_eq!(json(&EnteringKingRule::TryRule), "\"TryRule\"");
    assert_eq!(json(&("7g".parse::<Square>().unwrap(), Piece::WDragon, Color::White)), r#"["7g","+r","w"]"#);
    let error = serde_json::from_str::<Position>("\"9/9 b - 1\"").unwrap_err().to_string();
    assert!(error.contains("the board has 2 ranks, not 9"), "{error}");
    assert!(serde_json::from_str::<Move>("7").is_err());
}

#[test]
fn whole_records_are_serialized_and_one_with_an_illegal_move_is_refused() {
    let kif = "手合割：平手\n先手：駒犬\n*始め\n   1 ７六歩(77)   ( 0:07/00:00:07)\n*角道\n   2 ３四歩(33)\n   3 投了\n\n\
               変化：2手\n   2 ８四歩(83)\n";
    let record = read_source("a.kif", kif.as_bytes()).remove(0).expect("a record").record;
    let text = json(&record);
    assert_eq!(serde_json::from_str::<GameRecord>(&text).expect("it was written"), record);
    assert!(text.contains(r#"{"mv":"7g7f","spent":7.0,"comments":["角道"]}"#) && !text.contains("event"), "{text}");
    let faults = [
        (r#""mv":"3c3d""#, r#""mv":"3c3e""#, "move 2: "),
        (r#""mv":"8c8d""#, r#""mv":"7g7f""#, "move 2: "),
        (r#""from":2"#, r#""from":4"#, "a variation from move 4, behind 2 moves"),
        (r#""from":2"#, r#""from":0"#, "a variation from move 0, behind 2 moves"),
        ("7.0", "-7.0", "-7 is no time"),
    ];
    for (right, wrong, told) in faults {
        assert!(text.contains(right), "{text}");
        let error = serde_json::from_str::<GameRecord>(&text.replacen(right, wrong, 1)).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let short = serde_json::from_str::<GameRecord>(r#"{"moves":[{"mv":"7g7f"}]}"#).expect("the rest is not needed");
    assert_eq!((short.moves.len(), short.start), (1, Position::startpos()));
}

#[test]
fn hands_and_rules_are_serialized() {
    let pos = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b R2P 1").expect("a position");
    assert_eq!(json(&[pos.hand(Color::Black), pos.hand(Color::White)]), r#"["R2P","-"]"#);
    assert!(serde_json::from_str::<Hand>("\"19P\"").is_err());
    let rules = RuleSet::Wcsc.rules();
    assert_eq!(serde_json::from_str::<GameRules>(&json(&rules)).expect("it was written"), rules);
    assert_eq!(serde_json::from_str::<GameRules>("{}").expect("all have defaults"), GameRules::default());
    assert!(serde_json::from_str::<GameRules>(r#"{"limit":3}"#).unwrap_err().to_string().contains("limit"));
}

fn search(pool: &mut ThreadPool, limits: &Limits, stop: &StopToken) -> Result<SearchResult, SearchError> {
    pool.search(&Position::startpos(), GameRules::default(), limits, stop, &mut |_| ())
}

#[test]
fn one_token_stops_a_search_a_solver_and_a_perft_and_can_be_used_again() {
    let position = Position::startpos();
    let stop = StopToken::new();
    stop.clone().stop();
    let mut pool = ThreadPool::new(1, 1);
    let limits = Limits { infinite: true, ..Limits::default() };
    assert!(search(&mut pool, &limits, &stop).unwrap().report.is_some());
    let query = Query { limits: MateLimits { stop: Some(&stop), ..MateLimits::default() }, ..Query::default() };
    // A mate of nine plies takes more than a look.
    let mate = "3gk3+B/1+r2LsS2/1npp1g2p/1NP2p3/1P1P3pP/1nL1KP1s1/6+p2/3G2P2/P1rS4L w GNL3Pb2p 1";
    let answer = Solver::new(1).unwrap().solve(&Position::from_sfen(mate).unwrap(), &query).answer;
    assert_eq!(answer, MateAnswer::Unknown(OpenReason::Stopped));
    let how = Divide { stop: Some(&stop), ..Divide::default() };
    assert_eq!(divide(&position, MAX_PERFT_DEPTH, &how), Err(PerftError::Stopped));

    stop.reset();
    assert_eq!(search(&mut pool, &Limits::to_depth(3), &stop).unwrap().report.unwrap().depth, 3);
    // A search that ends by itself leaves the token to others.
    assert!(!stop.is_stopped());
    assert_eq!(divide(&position, 2, &how).unwrap().len(), 30);
}

#[test]
fn to_search_none_of_the_legal_moves_is_an_error() {
    let mut pool = ThreadPool::new(1, 1);
    let stop = StopToken::new();
    let mut best = |moves: &[&str]| {
        let search_moves = Some(moves.iter().map(|mv| mv.parse().unwrap()).collect());
        let result = search(&mut pool, &Limits { search_moves, ..Limits::to_depth(2) }, &stop)?;
        Ok(result.report.unwrap().pv[0].to_string())
    };
    assert_eq!(best(&[]), Err(SearchError::NoSearchMove));
    assert_eq!(best(&["5e5d", "7g7e"]), Err(SearchError::NoSearchMove));
    assert_eq!(best(&["5e5d", "9g9f"]), Ok("9g9f".to_string()));
}

/// Evaluation that counts how often it is asked.
struct Counting {
    asked: AtomicU64,
    score: fn(&Position) -> Score,
}

impl Counting {
    fn new(score: fn(&Position) -> Score) -> Arc<Counting> {
        Arc::new(Counting { asked: AtomicU64::new(0), score })
    }
}

impl Evaluate for Counting {
    fn evaluate(&self, position: &Position) -> Score {
        self.asked.fetch_add(1, Ordering::Relaxed);
        (self.score)(position)
    }
}

/// Nodes, score and line of a search to depth 6.
fn found(pool: &mut ThreadPool) -> (u64, Score, Vec<Move>) {
    let result = search(pool, &Limits::to_depth(6), &StopToken::new()).unwrap();
    let report = result.report.unwrap();
    (result.nodes, report.score, report.pv)
}

#[test]
fn an_evaluation_of_the_user_takes_the_place_of_the_net_until_it_is_taken_away() {
    let mut pool = ThreadPool::new(1, 1);
    let by_net = found(&mut pool);
    let level = Counting::new(|_| Score::DRAW);
    pool.set_evaluator(Some(level.clone()));
    assert_eq!(found(&mut pool).1, Score::DRAW);
    let asked = level.asked.load(Ordering::Relaxed);
    assert!(asked > 100, "{asked}");
    pool.set_evaluator(None);
    assert_eq!(found(&mut pool), by_net);
    assert_eq!(level.asked.load(Ordering::Relaxed), asked);
}

#[test]
fn threads_that_come_later_ask_the_evaluation_of_the_user_too() {
    let mut pool = ThreadPool::new(1, 1);
    pool.set_evaluator(Some(Arc::new(|_: &Position| Score::DRAW)));
    pool.set_threads(3);
    assert_eq!(found(&mut pool).1, Score::DRAW);
}

#[test]
fn a_score_of_the_user_is_never_a_mate() {
    for score in [Score(i32::MAX), Score(i32::MIN), Score::mate_in(1)] {
        let mut pool = ThreadPool::new(1, 1);
        pool.set_evaluator(Some(Arc::new(move |_: &Position| score)));
        let found = found(&mut pool).1;
        assert!(!found.is_mate() && found.0.abs() <= Score::MAX_EVAL.0, "{score:?}: {found:?}");
    }
}

#[test]
fn an_evaluation_of_the_user_that_panics_is_told_as_a_fault() {
    let mut pool = ThreadPool::new(1, 1);
    pool.set_evaluator(Some(Arc::new(|_: &Position| -> Score { panic!("no such piece") })));
    let result = search(&mut pool, &Limits::to_depth(3), &StopToken::new()).unwrap();
    assert!(result.fault.is_some_and(|fault| fault.contains("no such piece")));
    pool.set_evaluator(None);
    assert_eq!(search(&mut pool, &Limits::to_depth(3), &StopToken::new()).unwrap().fault, None);
}

#[test]
fn a_search_without_a_limit_is_stopped_from_another_thread() {
    let stop_soon = |stop: StopToken| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            stop.stop();
        })
    };
    let pos = Position::startpos();
    let mut own = Own::new(Evaluation::default(), 1, 1, GameRules::default());
    let stopping = stop_soon(own.stop_token());
    let limits = Limits { infinite: true, multi_pv: 2, ..Limits::default() };
    assert_eq!(own.search_within(&pos, &limits).expect("there are moves").lines.len(), 2);
    stopping.join().expect("it stops");

    let command = format!("'{}'", env!("CARGO_BIN_EXE_komainu"));
    let setup = || Setup { infos: Infos::All, ..Setup::default() };
    let program = UsiEngine::start(&Launch::new(&command, None).expect("a command"), setup()).expect("it starts");
    let within = UsiEngine::start_within(setup()).expect("it starts");
    for mut other in [program, within] {
        other.set("USI_Hash", "8").expect("an option");
        other.new_game().expect("it is ready");
        let stop = StopToken::new();
        let stopping = stop_soon(stop.clone());
        let start = PositionCommand::new(&pos);
        let answer = other
            .ask_until(&start, &Go { infinite: true, ..Go::default() }, &mut || stop.is_stopped())
            .expect("it answers");
        assert!(
            matches!(answer.best, BestMove::Move(..)) && answer.lines(&pos, &answer.decision(&pos).unwrap()).len() == 1
        );
        stopping.join().expect("it stops");
        // Question and answer are still in step.
        other.set_lines(2).expect("an option");
        let answer = other.ask(&start, &Go { nodes: Some(100), ..Go::default() }).expect("it answers");
        let decision = answer.decision(&pos).expect("a legal move");
        let lines = answer.lines(&pos, &decision);
        assert!(lines.len() == 2 && matches!(decision, BestMove::Move(mv, _) if mv == lines[0].pv[0]));
        other.quit();
    }
}

#[test]
fn the_same_limits_give_the_same_move_whoever_asks() {
    let mut session = UsiEngine::start_within(Setup::default()).expect("it starts");
    session.set("USI_Hash", "4").expect("an option");
    session.new_game().expect("it is ready");
    let mut pool = ThreadPool::new(1, 4);
    let mut own = Own::new(Evaluation::default(), 1, 4, GameRules::default());
    let mut random = SplitMix64(7);
    for number in 0..200 {
        let mut pos = Position::startpos();
        for _ in 0..number % 60 {
            let moves = generate::<All>(&pos);
            if moves.is_empty() {
                break;
            }
            pos.do_move(moves[random.below(moves.len())]);
        }
        if generate::<All>(&pos).is_empty() {
            continue;
        }
        let nodes = 50 + 7 * number;
        let go = Go { nodes: Some(nodes), ..Go::default() };
        let answer = session.ask(&PositionCommand::of_game(&pos), &go).expect("it answers");
        let limits = Limits::to_nodes(nodes);
        let result = pool.search(&pos, GameRules::default(), &limits, &StopToken::new(), &mut |_| ()).unwrap();
        let request = Request { limit: SearchLimit::Nodes(nodes), lines: 1, only: None, depth: None };
        let searched = own.search(&pos, &request).expect("there are moves");
        let Decision::Play(mv, _) = result.decision else { panic!("{:?} in {pos}", result.decision) };
        assert_eq!(answer.decision(&pos).unwrap(), BestMove::Move(mv, None), "{nodes} nodes, {pos}");
        assert_eq!(searched.lines.len(), 1, "{pos}");
        assert_eq!(searched.lines[0].first(), mv, "{nodes} nodes, {pos}");
    }
}
