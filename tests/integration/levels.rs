//! Playing levels as a GUI meets them.

use crate::engine::Engine;

/// The moves that the engine plays against itself, and all that it said.
fn play(engine: &mut Engine, plies: usize) -> (String, Vec<String>) {
    let (mut moves, mut said) = (String::new(), Vec::new());
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
    engine
        .send("setoption name Level value 10KYU\nsetoption name LevelSeed value 7\nsetoption name SkillLevel value 3");
    let (first, said) = play(&mut engine, 8);
    assert_eq!(count(&said, "info string level 10kyu"), 1, "{said:?}");
    assert_eq!(count(&said, "info string SkillLevel 3 does not count beside level 10kyu"), 1, "{said:?}");
    let (second, said) = play(&mut engine, 8);
    assert_eq!(first, second);
    assert_eq!(count(&said, "info string level 10kyu"), 1, "{said:?}");
    engine.send("quit");
    engine.assert_ends();
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
    engine.send("setoption name Level value 20kyu\nposition startpos\ngo infinite");
    engine.until("info depth 5 ");
    let mut said = engine.search("stop");
    said.extend(engine.search("setoption name MultiPV value 2\ngo depth 5"));
    assert_eq!(count(&said, "info string MultiPV: full strength, not level 20kyu"), 1, "{said:?}");
    assert!(said.iter().any(|line| line.contains(" multipv 2 ")), "{said:?}");
    engine.send("setoption name MultiPV value 1\nsetoption name ConsiderationMode value true");
    let said = engine.search("go depth 5");
    assert_eq!(count(&said, "info string ConsiderationMode: full strength, not level 20kyu"), 1, "{said:?}");
    engine.send("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1\ngo mate 10000");
    let said = engine.until("checkmate");
    assert_eq!(count(&said, "info string go mate: full strength, not level 20kyu"), 1, "{said:?}");
    assert_eq!(said.last().unwrap(), "checkmate G*5b");
}
