//! Playing levels as a GUI meets them.

use crate::engine::Engine;
use std::time::{Duration, Instant};

/// The moves that the engine plays against itself, and all that it said.
fn play(engine: &mut Engine, plies: usize) -> (String, Vec<String>) {
    let mut moves = String::new();
    let mut said = Vec::new();
    engine.send("usinewgame");
    for _ in 0..plies {
        let lines = engine.search(&format!("position startpos moves{moves}\ngo nodes 100000"));
        moves += &format!(" {}", lines.last().unwrap().split(' ').nth(1).unwrap());
        said.extend(lines);
    }
    (moves, said)
}

fn count(lines: &[String], text: &str) -> usize {
    lines.iter().filter(|line| *line == text).count()
}

#[test]
fn a_level_is_named_once_a_game_and_its_seed_makes_the_game() {
    let mut engine = Engine::ready();
    engine.send("setoption name Level value 10KYU\nsetoption name LevelSeed value 7");
    let (first, said) = play(&mut engine, 8);
    assert_eq!(count(&said, "info string level 10kyu"), 1, "{said:?}");
    let (second, said) = play(&mut engine, 8);
    assert_eq!(first, second);
    assert_eq!(count(&said, "info string level 10kyu"), 1, "{said:?}");
    engine.quit();
}

#[test]
fn a_plan_is_named_once_a_game_when_it_is_chosen_and_the_style_chooses_among_them() {
    let mut engine = Engine::ready();
    engine.send("setoption name Level value 5kyu\nsetoption name LevelSeed value 7");
    let mut plans = |style: &str| {
        engine.send(&format!("setoption name LevelStyle value {style}"));
        let (_, said) = play(&mut engine, 10);
        assert_eq!(count(&said, "info string level 5kyu"), 1, "{said:?}");
        let plans: Vec<String> = said
            .iter()
            .filter_map(|line| line.strip_prefix("info string level 5kyu, plan "))
            .map(str::to_string)
            .collect();
        assert_eq!(plans.len(), 1, "{style}: {said:?}");
        plans[0].clone()
    };
    // A plan with a ranging rook is chosen at once, one with a static rook when the opponent has shown its own.
    for style in ["ranging-rook", "ranging rook", "Ranging_Rook"] {
        assert!(["四間飛車", "三間飛車", "中飛車", "向かい飛車"].contains(&plans(style).split(' ').next().unwrap()));
    }
    let fixed = plans("static-rook");
    assert!(!fixed.contains("間飛車 美濃"), "{fixed}");
    assert_eq!(plans("static-rook"), fixed);
    let said = engine.search("setoption name LevelStyle value gambit\nposition startpos\ngo nodes 100");
    let fault = "LevelStyle takes any, static-rook, ranging-rook, surprise, not \"gambit\"";
    assert!(said.iter().any(|line| line.contains(fault)), "{said:?}");
}

#[test]
fn a_level_takes_its_time_under_every_clock() {
    let mut engine = Engine::ready();
    engine
        .send("setoption name Level value 10kyu\nsetoption name LevelSeed value 7\nposition startpos moves 7g7f 3c3d");
    for go in ["go movetime 3000", "go btime 0 wtime 0 byoyomi 3000", "go btime 60000 wtime 60000 binc 1000 winc 1000"]
    {
        let began = Instant::now();
        engine.search(go);
        let took = began.elapsed();
        assert!(took >= Duration::from_millis(300) && took < Duration::from_secs(3), "{go}: {took:?}");
    }
    // No longer than was asked for, and at once where no clock runs.
    let began = Instant::now();
    engine.search("go movetime 100");
    assert!(began.elapsed() < Duration::from_millis(300), "{:?}", began.elapsed());
    engine.send("setoption name LevelTime value fast");
    let began = Instant::now();
    engine.search("go movetime 3000");
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[test]
fn a_strength_counts_only_if_it_is_wanted() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_Strength value -12");
    let said = engine.search("position startpos\ngo nodes 100");
    assert!(said.iter().all(|line| !line.contains("level")), "{said:?}");
    engine.send("setoption name USI_LimitStrength value true");
    let said = engine.search("go nodes 100");
    assert_eq!(count(&said, "info string level 12kyu"), 1, "{said:?}");
    let said = engine.search("setoption name USI_Strength value 0\ngo nodes 100");
    assert_eq!(count(&said, "info string USI_Strength 0 is no rank, taken as 1 (1 dan)"), 1, "{said:?}");
    assert_eq!(count(&said, "info string level 1dan"), 1, "{said:?}");
}

#[test]
fn a_bad_value_is_reported_and_changes_nothing() {
    let mut engine = Engine::ready();
    let said = engine.search("setoption name Level value 11kyu\nposition startpos\ngo nodes 100");
    assert!(said.iter().any(|line| line.contains("Level takes full, 20kyu") && line.contains("11kyu")), "{said:?}");
    assert!(said.iter().all(|line| !line.starts_with("info string level")), "{said:?}");
    let said = engine.search("setoption name LevelTime value slow\ngo nodes 100");
    assert!(said.iter().any(|line| line.contains("LevelTime takes normal, fast, human, not \"slow\"")), "{said:?}");
}

#[test]
fn analysis_and_mate_searches_are_at_full_strength_and_say_so() {
    let mut engine = Engine::ready();
    engine.ask("setoption name Level value 20kyu\nposition startpos\ngo infinite", "info depth 5 ");
    engine.search("stop");
    engine.send("setoption name MultiPV value 2\nsetoption name ConsiderationMode value true");
    let said = engine.search("go depth 5");
    assert_eq!(count(&said, "info string ConsiderationMode: full strength, not level 20kyu"), 1, "{said:?}");
    assert!(said.iter().any(|line| line.contains(" multipv 2 ")), "{said:?}");
    let said = engine.ask("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1\ngo mate 10000", "checkmate");
    assert_eq!(count(&said, "info string go mate: full strength, not level 20kyu"), 1, "{said:?}");
    assert_eq!(said.last().unwrap(), "checkmate G*5b");
}

#[test]
fn a_level_plays_its_games_whatever_multi_pv_is_and_an_analysis_shows_all_lines() {
    let position = "position startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e";
    let mut engine = Engine::ready();
    engine.send(
        "setoption name Level value 20kyu\nsetoption name LevelSeed value 7\nsetoption name LevelTime value fast",
    );
    let limits = ["go nodes 2000", "go depth 9", "go movetime 60", "go btime 60000 wtime 60000", "go byoyomi 300"];
    let moves = |engine: &mut Engine| limits.map(|go| answer(engine, &format!("{position}\n{go}")));
    let expected = moves(&mut engine);
    engine.send("setoption name MultiPV value 3\nusinewgame\nisready");
    for (go, expected) in limits.iter().zip(&expected) {
        let said = engine.search(&format!("{position}\n{go}"));
        assert!(said.iter().all(|line| !line.contains(" multipv ")), "{go}: {said:?}");
        assert_eq!(said.last().unwrap().split(' ').nth(1), Some(expected.as_str()), "{go}");
        let told = count(&said, "info string MultiPV 3 does not count beside level 20kyu");
        assert_eq!(told, usize::from(*go == limits[0]), "once a game: {said:?}");
    }
    engine.ask("go infinite", "info depth 3 ");
    let said = engine.search("stop");
    assert!(said.iter().any(|line| line.contains(" multipv 3 ")), "{said:?}");
}

#[test]
fn a_number_out_of_range_is_brought_into_it_and_reported() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_LimitStrength value true\nsetoption name USI_Strength value 12");
    engine.send("setoption name LevelSeed value -5\nsetoption name HandicapZero value 101");
    let said = engine.search("position startpos\ngo nodes 100");
    for text in ["USI_Strength cannot be \"12\", set to 9", "LevelSeed cannot be \"-5\", set to 0"] {
        assert_eq!(count(&said, &format!("info string {text}")), 1, "{said:?}");
    }
    assert_eq!(count(&said, "info string HandicapZero cannot be \"101\", set to 100"), 1, "{said:?}");
    assert_eq!(count(&said, "info string level 9dan"), 1, "{said:?}");
    let said = engine.search("setoption name USI_Strength value strong\ngo nodes 100");
    assert!(said.iter().any(|line| line.contains("USI_Strength takes") && line.contains("\"strong\"")), "{said:?}");
    assert_eq!(count(&said, "info string level 9dan"), 0, "the level is as it was: {said:?}");
}

/// The last line before the answer, without what depends on the machine.
fn last_report(said: &[String]) -> String {
    let words: Vec<&str> = said[said.len() - 2].split(' ').collect();
    let counts = |number: usize| number == 0 || !["time", "nps", "hashfull"].contains(&words[number - 1]);
    words.iter().enumerate().filter(|(number, _)| counts(*number)).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_game_at_a_level_leaves_an_analysis_as_it_was_and_the_other_way_round() {
    let position = "position startpos moves 7g7f 3c3d 2g2f 8c8d";
    let mut fresh = Engine::ready();
    let expected = [
        last_report(&fresh.search(&format!("usinewgame\nisready\n{position}\ngo depth 9"))),
        last_report(&fresh.search("setoption name MultiPV value 3\ngo depth 6")),
    ];
    let mut used = Engine::ready();
    used.send("setoption name Level value 3dan\nsetoption name LevelSeed value 7\nsetoption name LevelTime value fast");
    let level = last_report(&used.search(&format!("usinewgame\nisready\n{position}\ngo btime 60000 wtime 60000")));
    let full = [
        last_report(&used.search("setoption name Level value full\ngo depth 9")),
        last_report(&used.search("setoption name MultiPV value 3\ngo depth 6")),
    ];
    assert_eq!(full, expected);
    // The table is full of an analysis now; the level's move and score do not change.
    used.ask("setoption name MultiPV value 1\nsetoption name Level value 3dan\ngo infinite", "info depth 8 ");
    used.search("stop");
    assert_eq!(last_report(&used.search("go btime 60000 wtime 60000")), level);
}

#[test]
fn a_beaten_game_is_not_the_next_game_but_a_move_taken_back_is_answered_as_before() {
    let mut engine = Engine::ready();
    engine.send("setoption name Level value 12kyu\nsetoption name LevelTime value fast");
    let mut games: Vec<String> = (0..6).map(|_| play(&mut engine, 6).0).collect();
    let moves: Vec<&str> = games[5].split_whitespace().collect();
    for plies in (0..6).rev() {
        let said = engine.search(&format!("position startpos moves {}\ngo nodes 100000", moves[..plies].join(" ")));
        assert_eq!(said.last().unwrap().split(' ').nth(1), Some(moves[plies]), "{plies} {moves:?}");
    }
    games.sort();
    games.dedup();
    assert!(games.len() > 3, "{games:?}");
}

#[test]
fn scores_of_a_handicap_game_are_counted_from_its_start_on_request() {
    let start = "position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let score = |said: &[String]| -> i32 {
        let line = &said[said.len() - 2];
        line.split_once("score cp ").unwrap_or_else(|| panic!("{line}")).1.split(' ').next().unwrap().parse().unwrap()
    };
    let mut engine = Engine::ready();
    let plain = score(&engine.search(&format!("{start}\ngo depth 6")));
    engine.send("setoption name HandicapZero value 100\nusinewgame\nisready");
    let said = engine.search(&format!("{start}\ngo depth 6"));
    let notes: Vec<&String> = said.iter().filter(|line| line.starts_with("info string HandicapZero: ")).collect();
    assert_eq!(notes.len(), 1, "{said:?}");
    let zero: i32 = notes[0].split(' ').nth(3).unwrap().parse().unwrap();
    assert!(zero < -500 && score(&said) == plain - zero, "{plain} {said:?}");
    // Said once a game; an analysis shows the score as it is.
    let said = engine.search("go depth 6");
    assert!(said.iter().all(|line| !line.contains("HandicapZero")), "{said:?}");
    engine.send("setoption name ConsiderationMode value true\nusinewgame\nisready");
    assert_eq!(score(&engine.search(&format!("{start}\ngo depth 6"))), plain);
    // In an even game nothing is shifted.
    engine.send("setoption name ConsiderationMode value false\nusinewgame\nisready");
    let said = engine.search("position startpos\ngo depth 4");
    assert!(score(&said).abs() < 300 && said.iter().all(|line| !line.contains("HandicapZero")), "{said:?}");
}

/// The start of a six-piece handicap game, and what the answer to this is there.
const SIX_PIECES: &str = "position sfen 2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";

fn answer(engine: &mut Engine, commands: &str) -> String {
    engine.search(commands).last().unwrap().split(' ').nth(1).unwrap().to_string()
}

#[test]
fn the_giver_of_a_handicap_plays_on() {
    // The king's next step back repeats the position for the fourth time.
    let cycle = "5i4h 5a4b 4h5i";
    let repeated = format!("{SIX_PIECES} moves 9c9d {cycle} 4b5a {cycle} 4b5a {cycle}\ngo depth 8");
    let mut engine = Engine::ready();
    assert_ne!(answer(&mut engine, &repeated), "4b5a");
    // Whoever wants draws says so.
    engine.send("setoption name DrawValueWhite value 1");
    assert_eq!(answer(&mut engine, &repeated), "4b5a");
    // Nor is the game given up at once.
    engine.send("setoption name ResignValue value 500\nsetoption name DrawValueWhite value 0");
    assert_ne!(answer(&mut engine, &format!("{SIX_PIECES}\ngo depth 6")), "resign");
    engine.send("setoption name ResignValue value 99999");
    // The giver thinks so little that it falls behind.
    let mut moves = String::new();
    for ply in 0..60 {
        let nodes = [100, 2_000][ply % 2];
        let played = answer(&mut engine, &format!("{SIX_PIECES} moves{moves}\ngo nodes {nodes}"));
        moves += &format!(" {played}");
    }
    engine.send("setoption name ResignValue value 500");
    assert_eq!(answer(&mut engine, &format!("{SIX_PIECES} moves{moves}\ngo nodes 2000")), "resign");
}
