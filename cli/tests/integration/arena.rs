//! Games between engines that follow a script, refereed to every end that a game can have.

use crate::scripted;
use komainu::notation::record::Ending;
use komainu::notation::usi::parse_opening;
use komainu::position::{EnteringKingRule, GameRules, Position, RuleSet};
use komainu::referee::Adjudication;
use komainu::types::Color;
use komainu_tools::arena::clock::GameClock;
use komainu_tools::arena::engine::MatchEngine;
use komainu_tools::arena::game::{GameSetup, Played, play};
use komainu_tools::arena::live::Seat;
use komainu_tools::arena::plan::{Convention, EnginePlan, Limit};
use komainu_tools::client::{DEFAULT_TIMEOUT, Transcript};
use komainu_tools::openings::Opening;
use komainu_tools::process::PauseMonitor;
use komainu_tools::settings::Ponder;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn folder(name: &str) -> PathBuf {
    crate::engine::folder(&format!("arena-{name}"))
}

/// A game to be played by two scripts.
struct Match<'a> {
    name: &'a str,
    sfen: &'a str,
    scripts: [&'a str; 2],
    rules: GameRules,
    limit: Limit,
    ponder: Ponder,
    adjudication: Adjudication,
    margin: u64,
}

const NODES: Limit = Limit { time_ms: 0, increment_ms: 0, byoyomi_ms: 0, movetime_ms: 0, depth: 0, nodes: 100 };

impl<'a> Match<'a> {
    fn new(name: &'a str, sfen: &'a str, scripts: [&'a str; 2]) -> Match<'a> {
        Match {
            name,
            sfen,
            scripts,
            rules: GameRules::default(),
            limit: NODES,
            ponder: Ponder::Off,
            adjudication: Adjudication::default(),
            margin: 0,
        }
    }

    fn play(&self) -> Played {
        let folder = folder(self.name);
        let start = |side: Color| {
            let name = ["black", "white"][side.index()];
            let command = scripted::command(&folder, name, self.scripts[side]);
            let plan = EnginePlan { name: name.into(), command, ..EnginePlan::default() };
            MatchEngine::start(&plan, &[], DEFAULT_TIMEOUT, &Transcript::default(), &[], &Arc::default())
                .expect("the engine starts")
                .engine
        };
        let [mut black, mut white] = Color::ALL.map(start);
        let opening = opening(self.sfen);
        let clock = GameClock::new(self.limit, Convention::Before, Duration::from_millis(self.margin));
        let setup = GameSetup {
            opening: &opening,
            rules: self.rules,
            clocks: [clock.clone(), clock],
            ponder: self.ponder,
            adjudication: self.adjudication,
            timeout: Duration::from_secs(2),
            halt: &AtomicBool::new(false),
            stalls: &PauseMonitor::start(),
            seat: Seat::default(),
        };
        let played = play([&mut black, &mut white], &setup).expect("the game is not broken off");
        black.quit();
        white.quit();
        played
    }

    /// Plays the game and checks how it ends.
    fn ends(&self, ending: Ending, winner: Option<Color>) -> Played {
        let played = self.play();
        assert_eq!((played.conclusion.ending, played.conclusion.winner), (ending, winner), "{}: {played:?}", self.name);
        played
    }

    /// What the engine of a side was sent.
    fn sent(&self, side: Color) -> String {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let name = ["black.log", "white.log"][side.index()];
        fs::read_to_string(path.join(format!("arena-{}", self.name)).join(name)).expect("there is a log")
    }
}

fn opening(text: &str) -> Opening {
    let position = parse_opening(text).expect("an opening").position;
    Opening {
        start: Position::from_sfen(&position.to_sfen()).expect("a position"),
        moves: Vec::new(),
        line: text.into(),
    }
}

const START: &str = "startpos";
const BLACK: Option<Color> = Some(Color::Black);
const WHITE: Option<Color> = Some(Color::White);

#[test]
fn resignation_ends_a_game_and_both_engines_are_told() {
    let game = Match::new("resign", START, ["7g7f\n2g2f", "3c3d\nresign"]);
    let played = game.ends(Ending::Resignation, BLACK);
    let moves: Vec<&str> = played.moves.iter().map(|line| line.mv.as_str()).collect();
    assert_eq!(moves, ["7g7f", "3c3d", "2g2f"]);
    assert!(played.moves.iter().all(|line| line.millis.is_some()));
    let sent = game.sent(Color::White);
    let expected = "usi\nisready\nusinewgame\nisready\nposition startpos moves 7g7f\ngo nodes 100\n\
        position startpos moves 7g7f 3c3d 2g2f\ngo nodes 100\ngameover lose\nquit\n";
    assert_eq!(sent, expected);
    assert!(game.sent(Color::Black).contains("\ngameover win\n"));
}

#[test]
fn mate_ends_a_game_without_asking_the_mated_side() {
    let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    Match::new("mate", mate, ["G*5b", ""]).ends(Ending::Checkmate, BLACK);
    Match::new("no-moves", "8k/5G3/7+R1/9/9/9/9/9/K8 b - 1", ["4b3b", ""]).ends(Ending::NoMoves, BLACK);
}

#[test]
fn illegal_moves_lose_and_are_named() {
    for (name, sfen, script, detail) in [
        ("uchifuzume", "8k/6G2/7G1/9/9/9/9/9/K8 b P 1", "P*1b", "P*1b is not legal"),
        ("nifu", "4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", "P*5e is not legal"),
        ("dead-pawn", "4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*4a", "P*4a is not legal"),
        ("in-check", "4k4/9/9/9/4r4/9/9/9/4K4 b P 1", "P*4e", "P*4e is not legal"),
        ("unreadable", START, "say bestmove banana", "\"banana\" is not a move"),
        ("nothing", START, "say bestmove", "\"\" is not a move"),
        ("null-move", START, "0000", "\"0000\" is not a move"),
    ] {
        let played = Match::new(name, sfen, [script, ""]).ends(Ending::IllegalMove, WHITE);
        assert_eq!(played.detail, detail);
    }
}

const KINGS: [&str; 2] = ["5i5h\n5h5i\n5i5h\n5h5i\n5i5h\n5h5i\n5i5h", "5a5b\n5b5a\n5a5b\n5b5a\n5a5b\n5b5a\n5a5b"];

#[test]
fn sennichite_is_a_draw_and_servers_do_not_count_the_start() {
    assert_eq!(Match::new("sennichite", START, KINGS).ends(Ending::Repetition, None).moves.len(), 12);
    let rules = RuleSet::Floodgate.rules();
    let game = Match { rules, ..Match::new("sennichite-floodgate", START, KINGS) };
    assert_eq!(game.ends(Ending::Repetition, None).moves.len(), 13);
}

#[test]
fn perpetual_check_loses_for_black_and_for_white() {
    let chase = ["4i5i\n5i4i\n4i5i\n5i4i\n4i5i\n5i4i", "5a4a\n4a5a\n5a4a\n4a5a\n5a4a\n4a5a"];
    Match::new("perpetual-black", "4k4/9/9/9/9/9/9/9/K4R3 b - 1", chase).ends(Ending::PerpetualCheck, WHITE);
    let chase = ["5i4i\n4i5i\n5i4i\n4i5i\n5i4i\n4i5i", "4a5a\n5a4a\n4a5a\n5a4a\n4a5a\n5a4a"];
    Match::new("perpetual-white", "k4r3/9/9/9/9/9/9/9/4K4 w - 1", chase).ends(Ending::PerpetualCheck, BLACK);
}

const BLACK_28: &str = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";

#[test]
fn declarations_are_counted() {
    Match::new("declaration", BLACK_28, ["win", ""]).ends(Ending::Declaration, BLACK);
    let last = BLACK_28.replace(" 1", " 512");
    let rules = RuleSet::Denryu.rules();
    Match { rules, ..Match::new("last-declaration", &last, ["win", ""]) }.ends(Ending::Declaration, BLACK);
    let black_27 = BLACK_28.replace("3L7pl", "2L7p2l");
    Match::new("a-point-short", &black_27, ["win", ""]).ends(Ending::FalseDeclaration, WHITE);
    let rules = GameRules { entering_king: EnteringKingRule::NoEnteringKing, ..GameRules::default() };
    Match { rules, ..Match::new("no-entering-king", BLACK_28, ["win", ""]) }.ends(Ending::FalseDeclaration, WHITE);
    let played = Match::new("false-declaration", START, ["win", ""]).ends(Ending::FalseDeclaration, WHITE);
    assert!(played.detail.contains("0 points"), "{}", played.detail);
    let rules = GameRules { entering_king: EnteringKingRule::CSARule24, ..GameRules::default() };
    Match { rules, ..Match::new("impasse", BLACK_28, ["win", ""]) }.ends(Ending::Impasse, None);
    let rules = GameRules { entering_king: EnteringKingRule::TryRule, ..GameRules::default() };
    let game = Match { rules, ..Match::new("try", "9/4K4/9/9/9/9/9/9/k8 b - 1", ["5b5a", ""]) };
    assert_eq!(game.ends(Ending::Declaration, BLACK).moves.len(), 1);
}

#[test]
fn the_ply_limit_draws_and_a_mate_on_the_last_ply_counts_where_the_rules_say_so() {
    let rules = GameRules { ply_limit: 3, ..GameRules::default() };
    let game = Match { rules, ..Match::new("limit", START, ["7g7f\n2g2f", "3c3d"]) };
    assert_eq!(game.ends(Ending::PlyLimit, None).moves.len(), 3);
    let last = "4k4/9/4P4/9/9/9/9/9/4K4 b G 256";
    let rules = GameRules { ply_limit: 256, ..GameRules::default() };
    Match { rules, ..Match::new("late-mate", last, ["G*5b", ""]) }.ends(Ending::PlyLimit, None);
    let rules = GameRules { mate_on_last_ply: true, ..rules };
    Match { rules, ..Match::new("last-mate", last, ["G*5b", ""]) }.ends(Ending::Checkmate, BLACK);
}

#[test]
fn a_flag_that_falls_loses_and_a_margin_forgives() {
    let limit = Limit { byoyomi_ms: 300, ..Limit::default() };
    let script = ["wait 301 7g7f", "resign"];
    let played = Match { limit, ..Match::new("flag", START, script) }.ends(Ending::TimeUp, WHITE);
    assert!(played.detail.contains(" s used of 0.30000 s"), "{}", played.detail);
    assert!(!played.broken[0], "an engine that answers late is not hung");
    Match { limit, margin: 250, ..Match::new("margin", START, script) }.ends(Ending::Resignation, BLACK);
    let script = ["wait 200 7g7f", "resign"];
    Match { limit, margin: 250, ..Match::new("in-time", START, script) }.ends(Ending::Resignation, BLACK);
    // One that stops when it is told to is not hung either, one that does not is.
    let played = Match { limit, ..Match::new("stops", START, ["stop 7g7f", ""]) }.ends(Ending::TimeUp, WHITE);
    assert_eq!(played.broken, [false, false]);
    let played = Match { limit, ..Match::new("hangs", START, ["hang", ""]) }.ends(Ending::TimeUp, WHITE);
    assert_eq!(played.broken, [true, false]);
}

#[test]
fn an_engine_that_crashes_or_hangs_loses_and_must_be_started_anew() {
    let game = Match::new("crash", START, ["7g7f\ncrash", "3c3d\n8c8d"]);
    let played = game.ends(Ending::Crash, WHITE);
    assert_eq!(played.broken, [true, false]);
    assert!(played.detail.contains("3: ") && played.detail.contains("something is wrong"), "{}", played.detail);
    assert!(game.sent(Color::White).contains("\ngameover win\n"));
    let played = Match::new("stall", START, ["7g7f", "hang"]).ends(Ending::Stall, BLACK);
    assert_eq!(played.broken, [false, true]);
}

#[test]
fn garbage_is_passed_over_and_a_second_answer_does_not_count() {
    let garbage = "say \u{fffd}\u{1}garbage\nbest 7g7f\nbestmove 7g7f";
    let scripts = [garbage.replace("\nbest", " best"), "resign".into()];
    // The first line is garbage only: nothing is answered until the patience is over.
    let game = Match::new("garbage", START, [&scripts[0], &scripts[1]]);
    game.ends(Ending::Stall, WHITE);
    let twice = ["7g7f\n2g2f", "say bestmove 3c3d\nresign"];
    Match::new("once", START, twice).ends(Ending::Resignation, BLACK);
}

#[test]
fn scores_are_kept_and_decide_where_the_match_asks_for_it() {
    let scripts = ["score 2000 7g7f\nscore 2100 2g2f", "score -2000 3c3d\nscore -2500 8c8d"];
    let played = Match::new("scores", START, scripts).ends(Ending::Resignation, WHITE);
    assert_eq!((played.moves[1].cp, played.moves[1].depth, played.moves[1].nodes), (Some(-2_000), Some(3), Some(77)));
    let adjudication = Adjudication { resign_score: 2_000, resign_moves: 2, ..Adjudication::default() };
    let game = Match { adjudication, ..Match::new("adjudicated", START, scripts) };
    assert_eq!(game.ends(Ending::AdjudicatedWin, BLACK).moves.len(), 4);
}

#[test]
fn a_bound_is_no_score_and_decides_nothing() {
    let scripts = [
        "infos 7g7f depth 5 score cp 50|depth 6 score cp -3000 lowerbound\ninfos 2g2f depth 5 score cp 50|depth 6 score \
         cp -3000 lowerbound",
        "infos 3c3d depth 6 score cp 3000 upperbound\ninfos 8c8d depth 6 score mate + lowerbound",
    ];
    let adjudication = Adjudication { resign_score: 1_000, resign_moves: 1, ..Adjudication::default() };
    let game = Match { adjudication, ..Match::new("bounds", START, scripts) };
    let played = game.ends(Ending::Resignation, WHITE);
    // The last exact score of the same search counts; without one the bound is kept as what it is.
    assert_eq!((played.moves[0].cp, played.moves[0].depth), (Some(50), Some(5)));
    let told = |ply: usize| (played.moves[ply].cp, played.moves[ply].mate, played.moves[ply].score.as_deref());
    assert_eq!(told(1), (None, None, Some("cp 3000 upperbound")));
    assert_eq!(told(3), (None, None, Some("mate + lowerbound")));
}

#[test]
fn a_mate_of_unknown_length_has_no_length_and_is_decided_by() {
    let scripts = ["infos 7g7f depth 9 score mate +\n2g2f", "infos 3c3d depth 9 score mate -\n8c8d"];
    let played = Match::new("mate-sign", START, scripts).ends(Ending::Resignation, WHITE);
    let told = |ply: usize| (played.moves[ply].cp, played.moves[ply].mate, played.moves[ply].score.as_deref());
    assert_eq!([told(0), told(1)], [(None, None, Some("mate +")), (None, None, Some("mate -"))]);
    let adjudication = Adjudication { resign_score: 1_000, resign_moves: 1, ..Adjudication::default() };
    let game = Match { adjudication, ..Match::new("mate-sign-adjudicated", START, scripts) };
    assert_eq!(game.ends(Ending::AdjudicatedWin, BLACK).moves.len(), 2);
}

#[test]
fn engines_ponder_with_clocks_at_once_or_with_the_hit() {
    let limit = Limit { time_ms: 60_000, increment_ms: 100, ..Limit::default() };
    let scripts = ["guess 7g7f 3c3d\n2g2f\nguess 2f2e 8d8e\n1g1f\nresign", "3c3d\n8c8d\n1c1d\nresign"];
    let game = Match { limit, ponder: Ponder::On, ..Match::new("ponder", START, scripts) };
    game.ends(Ending::Resignation, WHITE);
    let sent = game.sent(Color::Black);
    assert!(sent.contains("position startpos moves 7g7f 3c3d\ngo ponder btime "), "{sent}");
    assert!(sent.contains("\nponderhit\n"), "{sent}");
    // The second guess was wrong.
    let after = sent.split("go ponder").nth(2).expect("it pondered twice");
    assert!(after.contains("\nstop\nposition startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 1c1d\ngo btime "), "{sent}");
    let game = Match { limit, ponder: Ponder::Early, ..Match::new("early-ponder", START, scripts) };
    game.ends(Ending::Resignation, WHITE);
    let sent = game.sent(Color::Black);
    assert!(sent.contains("\ngo ponder\n") && sent.contains("\nponderhit btime "), "{sent}");
}
