use super::*;
use crate::arena::plan::{EnginePlan, Limit, OpeningsPlan, Plan, SprtPlan};
use komainu::notation::json::GameLine;
use komainu::notation::json::MoveLine;
use komainu::notation::record::Ending;
use komainu::notation::record::Outcome;
use komainu::storage::JournalError;
use komainu::types::Color;
use std::fs;

fn plan() -> Plan {
    let engine = |name: &str| EnginePlan {
        name: name.into(),
        command: format!("./{name} --quick"),
        options: [("USI_Hash".to_string(), "16".to_string())].into(),
        limit: (name == "b").then_some(Limit { nodes: 7, ..Limit::default() }),
        ..EnginePlan::default()
    };
    let openings = OpeningsPlan { plies: Some(8), shuffle: Some(3), ..OpeningsPlan::default() };
    let limit = Limit { time_ms: 1_000, increment_ms: 50, ..Limit::default() };
    let sprt = SprtPlan { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05, model: Default::default() };
    let engines = vec![engine("a"), engine("b")];
    Plan { openings, limit, sprt: Some(sprt), margin_ms: 5, ..Plan::new(engines, 10) }
}

fn game(number: u64) -> GameLine {
    // Who is Black first alternates from pair to pair.
    let players = if matches!(number % 4, 0 | 3) { ["a", "b"] } else { ["b", "a"] };
    GameLine {
        game: number,
        pair: number / 2,
        round: (number / 2) as u32,
        players: players.map(String::from),
        start: komainu::position::START_SFEN.into(),
        opening_plies: 1,
        moves: vec![MoveLine { mv: "7g7f".into(), millis: Some(5), cp: Some(-3), ..MoveLine::default() }],
        ending: Ending::Resignation,
        winner: Some(Color::Black),
        last_millis: Some(4),
        started: "2026-11-21T12:00:00Z".into(),
        duration_ms: 1_234,
        ..GameLine::default()
    }
}

#[test]
fn a_match_is_resumed_with_its_plan_and_its_games() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    let mut journal = MatchJournal::create(&folder, &plan()).unwrap();
    for number in 0..3 {
        journal.add(&game(number)).unwrap();
    }
    assert!(matches!(MatchJournal::resume(&folder).unwrap_err(), FolderError::Journal(JournalError::InUse(..))));
    drop(journal);
    assert!(matches!(MatchJournal::create(&folder, &plan()).unwrap_err(), FolderError::Exists(_)));
    let (mut journal, read) = MatchJournal::resume(&folder).unwrap();
    assert_eq!(read.plan, plan());
    assert_eq!(lines(read), [game(0), game(1), game(2)]);
    journal.add(&game(3)).unwrap();
    drop(journal);
    assert_eq!(MatchJournal::resume(&folder).unwrap().1.games.len(), 4);
}

#[test]
fn a_line_that_a_kill_tore_is_cut_off_wherever_it_was_torn() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    let mut journal = MatchJournal::create(&folder, &plan()).unwrap();
    for number in 0..2 {
        journal.add(&game(number)).unwrap();
    }
    drop(journal);
    let path = folder.join(GAMES_FILE);
    let bytes = fs::read(&path).unwrap();
    for length in bytes.len() / 2..bytes.len() {
        fs::write(&path, &bytes[..length]).unwrap();
        let (mut journal, read) = MatchJournal::resume(&folder).unwrap();
        // A line that lacks nothing but its end is whole.
        let is_whole = length + 1 == bytes.len();
        assert_eq!(lines(read).len(), 1 + usize::from(is_whole), "{length}");
        if !is_whole {
            journal.add(&game(1)).unwrap();
        }
        drop(journal);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn faults_name_their_file_and_line() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    assert!(matches!(MatchJournal::resume(&folder).unwrap_err(), FolderError::Missing(_)));
    drop(MatchJournal::create(&folder, &plan()).unwrap());
    fs::write(folder.join(GAMES_FILE), "{\"game\":0}\n{}\n").unwrap();
    let error = MatchJournal::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("games.jsonl: line 1: no game: missing field"), "{error}");
    fs::write(folder.join(PLAN_FILE), "games = 5\nspeed = 3\nengine = []\n").unwrap();
    let error = MatchJournal::resume(&folder).unwrap_err().to_string();
    assert!(error.contains("match.toml") && error.contains("speed"), "{error}");
}

fn lines(folder: MatchFolder) -> Vec<GameLine> {
    folder.games.into_iter().map(|game| game.line).collect()
}

#[test]
fn a_game_that_is_there_twice_is_one_and_a_foreign_one_is_an_error_for_who_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    let mut journal = MatchJournal::create(&folder, &plan()).unwrap();
    for number in [0, 1, 0] {
        journal.add(&game(number)).unwrap();
    }
    drop(journal);
    let (_, read) = MatchJournal::resume(&folder).unwrap();
    assert_eq!((read.games.len(), read.notes.len()), (2, 1));
    assert_eq!(read.notes[0].to_string(), "line 3: game 0 stands further up already");
    drop(read);
    let foreign = GameLine { players: ["a".into(), "b".into()], ..game(2) };
    let text = [game(0), foreign].map(|line| serde_json::to_string(&line).unwrap() + "\n").concat();
    fs::write(folder.join(GAMES_FILE), text).unwrap();
    let error = MatchFolder::read_strictly(&folder).unwrap_err().to_string();
    assert!(error.ends_with("games.jsonl: line 2: game 3 is none of this match"), "{error}");
    assert_eq!(MatchFolder::read(&folder).unwrap().games.len(), 2);
}

#[test]
fn one_rule_says_which_games_count() {
    for ending in Ending::ALL {
        let line = GameLine { ending, winner: Some(Color::White), ..game(0) };
        let counts = !matches!(ending, Ending::Interrupted | Ending::Error);
        assert_eq!(line.result().and_then(Outcome::winner), counts.then_some(Color::White), "{ending}");
    }
    let late = GameLine { ending: Ending::TimeUp, host_stall_ms: Some(840), ..game(0) };
    assert_eq!(late.result(), None);
    let drawn = GameLine { ending: Ending::Repetition, winner: None, ..game(0) };
    assert_eq!(drawn.result(), Some(Outcome::Draw));
    assert_eq!(GameLine { ending: Ending::Checkmate, ..drawn }.result(), None);
}

#[test]
fn a_folder_is_read_as_it_grows_whatever_is_torn() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("match");
    let mut tail = FolderTail::new(&folder);
    let numbers = |growth: Growth| growth.games.iter().map(|game| game.line.game).collect::<Vec<_>>();
    let growth = tail.read().unwrap();
    assert!(growth.plan.is_none() && growth.games.is_empty(), "nothing is there");
    let mut journal = MatchJournal::create(&folder, &plan()).unwrap();
    let growth = tail.read().unwrap();
    assert!(growth.plan.is_some() && growth.games.is_empty());
    journal.add_all(&[&game(0), &game(1)]).unwrap();
    let growth = tail.read().unwrap();
    assert!(growth.plan.is_none(), "it is the same");
    assert_eq!(numbers(growth), [0, 1]);
    drop(journal);
    // A line that is written in pieces.
    let path = folder.join(GAMES_FILE);
    let whole = fs::read(&path).unwrap();
    let line = serde_json::to_string(&game(2)).unwrap() + "\n";
    for end in [1, line.len() / 2, line.len() - 1] {
        fs::write(&path, [&whole[..], &line.as_bytes()[..end]].concat()).unwrap();
        assert!(tail.read().unwrap().games.is_empty(), "{end} bytes");
    }
    // The worker was killed in it, and goes on with another game.
    let (mut journal, _) = MatchJournal::resume(&folder).unwrap();
    journal.add(&game(3)).unwrap();
    assert_eq!(numbers(tail.read().unwrap()), [2, 3], "a line that lacks its end alone was whole");
    journal.write_plan(&Plan { margin_ms: 77, ..plan() }).unwrap();
    assert_eq!(tail.read().unwrap().plan.map(|plan| plan.margin_ms), Some(77));
    drop(journal);
    // A fault is named by its line, counted from the beginning of the file.
    let grown = fs::read(&path).unwrap();
    for (mut tail, before, line) in [(FolderTail::new(&folder), &whole, 3), (tail, &grown, 5)] {
        fs::write(&path, [&before[..], b"{}\n"].concat()).unwrap();
        let error = tail.read().unwrap_err().to_string();
        assert!(error.contains(&format!("games.jsonl: line {line}: no game: missing field")), "{error}");
    }
}
