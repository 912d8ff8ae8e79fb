//! The report of a match: figures, hostile text, what a killed match leaves, and the command.

use crate::shell::{printed, run, stderr, stdout};
use komainu::notation::json::{GameLine, MoveLine};
use komainu::notation::record::Ending;
use komainu::position::Position;
use komainu::types::Color::{self, Black, White};
use komainu_tools::arena::folder::{GameLineFault, MatchFolder as Folder};
use komainu_tools::arena::plan::{EnginePlan, Limit, Plan, SprtPlan};
use komainu_tools::arena::report::page;
use komainu_tools::arena::stats::{Estimate, Ledger, Pentanomial, PlayedGame, RatingList, ResultTally, Sprt};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Output;

const NAMES: [&str; 3] = ["<script>alert(1)</script>", "a\"&'b", "水匠 {{data}}"];

fn plan(names: &[&str]) -> Plan {
    let engine = |name: &&str| EnginePlan {
        name: name.to_string(),
        command: format!("./{name} --x"),
        options: [("</script><b>".to_string(), "<img src=x>".to_string())].into(),
        ..EnginePlan::default()
    };
    let mut plan: Plan = toml::from_str("games = 4\n[[engine]]\nname = 'a'\ncommand = 'a'\n").expect("a plan");
    plan.limit = Limit { time_ms: 10_000, increment_ms: 100, ..Limit::default() };
    plan.rules.set = Some("floodgate".into());
    plan.engines = names.iter().map(engine).collect();
    plan
}

/// The moves `7g7f 3c3d 2g2f 8c8d`, black's after 100 ms and white's after 300 ms.
fn moves() -> Vec<MoveLine> {
    let one = |(ply, mv): (usize, &str)| MoveLine {
        mv: mv.into(),
        millis: Some(if ply % 2 == 0 { 100 } else { 300 }),
        cp: Some(-12),
        mate: None,
        depth: Some(10 + ply as u32),
        nodes: Some(30_000),
        ..MoveLine::default()
    };
    ["7g7f", "3c3d", "2g2f", "8c8d"].into_iter().enumerate().map(one).collect()
}

fn game(number: u64, players: [&str; 2], ending: Ending, winner: Option<Color>) -> GameLine {
    GameLine {
        game: number,
        pair: number / 2,
        players: players.map(str::to_string),
        start: Position::startpos().to_sfen(),
        moves: moves(),
        ending,
        winner,
        started: format!("2026-11-21T12:00:{number:02}Z"),
        duration_ms: 1_500,
        ..GameLine::default()
    }
}

/// Text of a move that no other number below 6,480 has, so that games with it are not equal.
fn unlike(number: u64) -> String {
    let square = |index: u64| format!("{}{}", 1 + index / 9, char::from(b'a' + (index % 9) as u8));
    let from = number / 80;
    let to = number % 80;
    format!("{}{}", square(from), square(to + u64::from(to >= from)))
}

/// Three engines, each two twice, with wins, draws, a loss on time, a crash and a game without a result.
fn tournament() -> Vec<GameLine> {
    let [a, b, c] = NAMES;
    vec![
        game(0, [a, b], Ending::Resignation, Some(Black)),
        game(1, [b, a], Ending::TimeUp, Some(White)),
        game(2, [a, c], Ending::Repetition, None),
        game(3, [c, a], Ending::Checkmate, Some(White)),
        game(4, [b, c], Ending::IllegalMove, Some(White)),
        game(5, [c, b], Ending::Crash, Some(White)),
        game(6, [a, b], Ending::PlyLimit, None),
        game(7, [b, a], Ending::Interrupted, None),
    ]
}

/// A match folder of this name with a plan and the text of its games.
fn folder(name: &str, plan: &Plan, games: &str) -> PathBuf {
    let folder = crate::engine::folder(&format!("report-{name}"));
    fs::write(folder.join("match.toml"), toml::to_string(plan).expect("a plan is TOML")).expect("the plan is written");
    fs::write(folder.join("games.jsonl"), games).expect("the games are written");
    folder
}

fn lines(games: &[GameLine]) -> String {
    games.iter().map(|game| serde_json::to_string(game).expect("a game is JSON") + "\n").collect()
}

/// The value that a page holds.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").expect("the page holds data");
    serde_json::from_str(rest.split_once("</script>").expect("the element ends").0).expect("the data are JSON")
}

fn counts(tally: ResultTally) -> Value {
    json!([tally.wins, tally.draws, tally.losses])
}

#[test]
fn the_figures_of_the_page_are_those_of_the_statistics() {
    let folder = Folder::read(&folder("figures", &plan(&NAMES), &lines(&tournament()))).unwrap();
    let data = data(&page(&folder));
    let mut ledger = Ledger::new(3);
    let index = |name: &String| NAMES.iter().position(|other| other == name).unwrap();
    for game in tournament().iter().filter(|game| game.ending != Ending::Interrupted) {
        let [black, white] = [index(&game.players[0]), index(&game.players[1])];
        let played = PlayedGame::of(game, [black, white]).unwrap();
        ledger.add(played);
    }
    // Counted by hand.
    assert_eq!(data["engines"][0]["tally"], json!([3, 2, 0]));
    assert_eq!(data["engines"][1]["tally"], json!([1, 1, 3]));
    assert_eq!(data["engines"][2]["tally"], json!([1, 1, 2]));
    assert_eq!(data["engines"][0]["penta"], json!([0, 0, 0, 1, 1]));
    assert_eq!(data["engines"][0]["points"], json!(4.0));
    assert_eq!(data["cross"][2], json!([[0, 1, 1], [1, 0, 1], [0, 0, 0]]));
    assert_eq!(data["black"], json!([1, 2, 4]));
    for engine in 0..3 {
        let total = ledger.total(engine);
        let shown = &data["engines"][engine];
        let estimate = Estimate::of(total.sample()).unwrap();
        assert_eq!(shown["colors"], json!(total.by_color().map(counts)));
        assert_eq!(shown["strength"]["elo"], estimate.elo.to_string());
        // The last digit of a number may change on its way through JSON.
        let los = shown["strength"]["los"].as_f64().expect("a number");
        assert!((los - estimate.los).abs() < 1e-14, "{los} for {}", estimate.los);
        for other in 0..3 {
            assert_eq!(data["cross"][engine][other], counts(ledger.between(engine, other).tally()));
        }
    }
    let ratings = RatingList::of(&ledger);
    for (shown, rating) in data["ratings"]["list"].as_array().unwrap().iter().zip(&ratings.ratings) {
        assert_eq!(shown["engine"], json!(rating.engine));
        assert!((shown["elo"].as_f64().unwrap() - rating.elo).abs() < 0.051);
        assert!((shown["error"].as_f64().unwrap() - rating.error).abs() < 0.051);
    }
    assert_eq!(data["series"]["at"], json!([1, 2, 3, 4, 5, 6, 7]));
    assert_eq!(data["span"], json!(["2026-11-21T12:00:00Z", "2026-11-21T12:00:08Z"]));
}

#[test]
fn play_and_faults_are_counted_for_the_side_that_they_are_of() {
    let [a, b, _] = NAMES;
    let mut games = vec![
        game(0, [a, b], Ending::TimeUp, Some(Black)),
        game(1, [b, a], Ending::FalseDeclaration, Some(Black)),
        game(2, [a, b], Ending::Stall, Some(White)),
    ];
    // White moves first, and the first move belongs to the opening.
    games[2].start = Position::startpos().to_sfen().replace(" b ", " w ");
    games[2].moves[0] = MoveLine { mv: "3c3d".into(), ..MoveLine::default() };
    let folder = Folder::read(&folder("play", &plan(&NAMES[..2]), &lines(&games))).unwrap();
    let data = data(&page(&folder));
    let first = &data["engines"][0];
    let second = &data["engines"][1];
    // 2 of 100 ms, 2 of 300 ms, 2 of 300 ms; 2 of 300 ms, 2 of 100 ms, 1 of 100 ms.
    assert_eq!((&first["millis"], &second["millis"]), (&json!(233.3), &json!(180.0)));
    assert_eq!((&first["longest"], &second["longest"]), (&json!(300), &json!(300)));
    assert_eq!((&first["nps"], &second["nps"]), (&json!(128_571.0), &json!(166_667.0)));
    assert_eq!((&first["depth"], &second["depth"]), (&json!(11.7), &json!(11.6)));
    let faults = |engine: &Value| ["time_losses", "illegal_moves", "crashes"].map(|key| engine[key].as_u64().unwrap());
    assert_eq!((faults(first), faults(second)), ([0, 1, 1], [1, 0, 0]));
}

#[test]
fn the_lines_of_the_engines_are_on_the_page_as_far_as_there_is_room() {
    let with_line = |number: u64, line: &str| {
        let mut game = game(number, [NAMES[0], NAMES[1]], Ending::Resignation, Some(Black));
        game.moves[1].line = line.into();
        game
    };
    let long = "2g2f 8c8d ".repeat(40);
    let games = [with_line(0, "2g2f 8c8d 2f2e"), with_line(1, &long)];
    let read = Folder::read(&folder("lines", &plan(&NAMES[..2]), &lines(&games))).unwrap();
    let data = data(&page(&read));
    assert_eq!(data["games"][0]["v"], ",2g2f 8c8d 2f2e,,");
    assert_eq!(data["games"][1]["v"].as_str().unwrap().split(' ').count(), 14);
    // A million moves with lines: the last games have them.
    let mut many = with_line(0, "");
    for played in &mut many.moves {
        played.line = long.clone();
    }
    many.moves = vec![many.moves[0].clone(); 100];
    let games: Vec<GameLine> =
        (0..1_000).map(|number| GameLine { game: number, started: many.started.clone(), ..many.clone() }).collect();
    let page = page(&Folder::in_memory(plan(&NAMES[..2]), games));
    let shown = self::data(&page);
    let has_lines = |game: usize| shown["games"][game]["v"].is_string();
    assert!(!has_lines(0) && has_lines(999) && page.len() < 9_000_000, "{} bytes", page.len());
}

#[test]
fn elo_begins_with_the_first_pair_and_pairs_that_repeat_are_said_to_say_nothing() {
    let [a, b, _] = NAMES;
    let mut games: Vec<GameLine> = (0..4)
        .map(|number| game(number, if number % 2 == 0 { [a, b] } else { [b, a] }, Ending::Resignation, Some(Black)))
        .collect();
    for game in &mut games[2..] {
        game.moves[0].mv = "6g6f".into();
    }
    let shown = |games: &[GameLine]| data(&page(&Folder::in_memory(plan(&NAMES[..2]), games.to_vec())));
    let data = shown(&games);
    assert_eq!(data["series"]["at"], json!([1, 2, 3, 4]));
    let elo = data["series"]["elo"][0].as_array().unwrap();
    assert!(elo[0].is_null() && elo[1..].iter().all(Value::is_array), "{elo:?}");
    assert_eq!(data["repeats"], true);
    games[3].moves[2].mv = "1g1f".into();
    assert!(shown(&games)["repeats"].is_null());
    // One game of a pair repeats nothing.
    assert!(shown(&games[..1])["repeats"].is_null());
}

#[test]
fn games_are_kept_ply_by_ply() {
    let mut one = game(0, [NAMES[0], NAMES[1]], Ending::IllegalMove, Some(Black));
    one.moves[0] = MoveLine { mv: "7g7f".into(), ..MoveLine::default() };
    one.moves[3] = MoveLine { mv: "P*5e".into(), mate: Some(-4), millis: Some(0), ..MoveLine::default() };
    one.opening_plies = 1;
    one.detail = "</script> is no move".into();
    one.last_millis = Some(77);
    let mut two = game(1, [NAMES[1], NAMES[0]], Ending::Error, None);
    two.start = "4k4/9/9/9/9/9/9/9/4K4 w P 7".into();
    two.moves.clear();
    let folder = Folder::read(&folder("plies", &plan(&NAMES[..2]), &lines(&[one, two]))).unwrap();
    let data = data(&page(&folder));
    let expected = json!({
        "g": 0, "p": 0, "e": [0, 1], "w": 1, "x": "illegal-move", "o": 1, "m": "7g7f,3c3d,2g2f,P*5e", "t": ",300,100,0",
        "c": ",-12,-12,#-4", "d": ",11,12,", "n": ",30000,30000,", "l": 77, "i": "</script> is no move",
        "b": "2026-11-21T12:00:00Z", "u": 1500
    });
    assert_eq!(data["games"][0], expected);
    let expected = json!({
        "g": 1, "p": 0, "e": [1, 0], "x": "error", "s": "4k4/9/9/9/9/9/9/9/4K4 w P 7", "m": "",
        "b": "2026-11-21T12:00:01Z", "u": 1500
    });
    assert_eq!(data["games"][1], expected);
}

#[test]
fn hostile_names_stay_text() {
    let folder = Folder::read(&folder("hostile", &plan(&NAMES), &lines(&tournament()))).unwrap();
    let page = page(&folder);
    assert!(page.contains("<title>&lt;script&gt;alert(1)&lt;/script&gt; + 2</title>"));
    assert!(!page.contains("<script>alert"));
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    let data = data(&page);
    for (engine, name) in NAMES.iter().enumerate() {
        assert_eq!(data["engines"][engine]["name"], *name);
        assert_eq!(data["engines"][engine]["options"]["</script><b>"], "<img src=x>");
    }
}

#[test]
fn a_torn_line_is_noted_and_broken_lines_are_named() {
    let [a, b, _] = NAMES;
    let broken = |change: fn(&mut GameLine)| {
        let mut line = game(9, [a, b], Ending::Resignation, Some(Black));
        change(&mut line);
        lines(&[line])
    };
    let mut text = lines(&tournament()[..2]);
    text += "{\"game\":\n\n";
    text += &broken(|line| line.players[1] = "nobody".into());
    text += &broken(|line| line.players[1] = line.players[0].clone());
    text += &broken(|line| line.start = "9/9 b - 1".into());
    text += &broken(|line| line.moves[2].mv = "<b>".into());
    text += &broken(|line| line.game = 1);
    text += lines(&tournament()[6..7]).trim_end().strip_suffix('}').unwrap();
    let path = folder("torn", &plan(&NAMES), &text);
    let read = Folder::read(&path).unwrap();
    assert_eq!(read.games.iter().map(|game| game.line.game).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(read.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [3, 5, 6, 7, 8, 9, 10]);
    let notes: Vec<String> = read.notes.iter().map(ToString::to_string).collect();
    assert!(notes[0].starts_with("line 3: no game: EOF while parsing"), "{}", notes[0]);
    assert_eq!(notes[1], "line 5: no engine of match.toml is called \"nobody\"");
    assert_eq!(notes[2], "line 6: \"<script>alert(1)</script>\" plays both sides");
    assert_eq!(notes[3], "line 7: bad start position: the board has 2 ranks, not 9");
    assert_eq!(notes[4], "line 8: move 3: \"<b>\" is not a move");
    assert_eq!(notes[5], "line 9: game 1 stands further up already");
    assert_eq!(read.notes[6].fault, GameLineFault::Torn);
    assert_eq!(data(&page(&read))["notes"], json!(notes));
    // A last line that only lacks its end is a game.
    let read = Folder::read(&folder("whole", &plan(&NAMES), lines(&tournament()).trim_end())).unwrap();
    assert_eq!((read.games.len(), read.notes.len()), (8, 0));
}

#[test]
fn the_first_verdict_of_a_test_stands() {
    let [a, b, _] = NAMES;
    let test = SprtPlan { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05, model: Default::default() };
    let sprt = Sprt::new(test).unwrap();
    let mut plan = plan(&NAMES[..2]);
    plan.sprt = Some(test);
    // The first engine wins one and draws one of each pair until the test ends, and then loses what was under way.
    let needed = (1..).find(|&pairs| sprt.llr(Pentanomial([0, 0, 0, pairs, 0])) >= sprt.bounds().1).unwrap();
    let won = (0..2 * needed).map(|number| match number % 2 {
        0 => game(number, [a, b], Ending::Resignation, Some(Black)),
        _ => game(number, [b, a], Ending::Repetition, None),
    });
    let lost = (2 * needed..4 * needed).map(|number| match number % 2 {
        0 => game(number, [a, b], Ending::Resignation, Some(White)),
        _ => game(number, [b, a], Ending::Resignation, Some(Black)),
    });
    let mut games: Vec<GameLine> = won.chain(lost).collect();
    for game in &mut games {
        game.moves[3].mv = unlike(game.game);
    }
    let read = |name: &str, games: &[GameLine]| {
        let data = data(&page(&Folder::read(&folder(name, &plan, &lines(games))).unwrap()));
        (data["sprt"].clone(), data["series"]["llr"].as_array().unwrap().clone())
    };
    let (shown, path) = read("decided", &games);
    assert_eq!((&shown["verdict"], &shown["after"]), (&json!("H1"), &json!(2 * needed)));
    let llr = sprt.llr(Pentanomial([needed, 0, 0, needed, 0]));
    assert!(llr < sprt.bounds().1, "the games after the verdict speak against it");
    assert!((shown["llr"].as_f64().unwrap() - llr).abs() < 0.001);
    assert_eq!(path.last(), Some(&shown["llr"]));
    let (shown, _) = read("undecided", &games[..2 * needed as usize - 1]);
    assert_eq!((&shown["verdict"], &shown["after"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_page_holds_two_thousand_games_and_says_what_it_left_out() {
    let one = |number: u64| {
        let mut game = game(number, [NAMES[0], NAMES[1]], Ending::Resignation, Some(Black));
        game.started = "2026-11-21T12:00:00Z".into();
        game.moves[0].mv = unlike(number);
        match number {
            7 => game.ending = Ending::TimeUp,
            9 => (game.ending, game.winner) = (Ending::Interrupted, None),
            11 => game.moves.truncate(3),
            _ => {}
        }
        game
    };
    let games: Vec<GameLine> = (0..2_500).map(one).collect();
    let path = folder("huge", &plan(&NAMES[..2]), &lines(&games));
    let read = Folder::read(&path).unwrap();
    let data = data(&page(&read));
    let held: Vec<u64> = data["games"].as_array().unwrap().iter().map(|game| game["g"].as_u64().unwrap()).collect();
    let expected: Vec<u64> = [7, 9].into_iter().chain(502..2_500).collect();
    assert_eq!(held, expected, "what somebody looks for, then the last ones");
    // All numbers are those of the whole match.
    assert_eq!(data["played"], json!(2_500));
    assert_eq!(data["engines"][0]["tally"], json!([2_499, 0, 0]));
    assert_eq!(data["lengths"], json!([[4, [2_498, 0, 0, 1]], [3, [1, 0, 0, 0]]]));
    let endings = json!([["resignation", [2_498, 0, 0, 0]], ["time-up", [1, 0, 0, 0]], ["interrupted", [0, 0, 0, 1]]]);
    assert_eq!(data["endings"], endings);
    let output = report(&path.display().to_string());
    let page = path.join("report.html");
    assert_eq!(stdout(&output), format!("{}: 2500 games, 2000 of them to play through\n", page.display()));
    assert!(fs::read_to_string(page).unwrap().contains("All of them are in games.jsonl"));
}

fn report(folder: &str) -> Output {
    run(&["report", folder])
}

#[test]
fn the_command_writes_the_page_and_names_what_it_left_out() {
    let path = folder("command", &plan(&NAMES), &(lines(&tournament()) + "{\"ga"));
    let [folder, page, games] = ["", "report.html", "games.jsonl"].map(|name| path.join(name).display().to_string());
    let output = report(&folder);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), format!("{page}: 8 games\n"));
    let note = "line 9: torn off, as a match leaves it that is killed or still runs";
    assert_eq!(stderr(&output), format!("komainu: {games}: {note}\n"));
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    let other = path.join("other.html").display().to_string();
    assert_eq!(printed(&["report", &folder, "--out", &other]), format!("{other}: 8 games\n"));
    assert_eq!(fs::read(&page).unwrap(), fs::read(&other).unwrap());
}

#[test]
fn the_page_gets_the_rules_or_why_there_are_none() {
    let of = |name: &str, plan: &Plan| {
        data(&page(&Folder::read(&folder(name, plan, "")).unwrap()))["settings"]["rules"].clone()
    };
    let floodgate = json!({
        "set": "floodgate",
        "entering_king": "CSARule27",
        "ply_limit": 256,
        "mate_on_last_ply": false,
        "checks_extend": false,
        "start_counts": false,
    });
    assert_eq!(of("rules", &plan(&NAMES)), floodgate);
    let mut unknown = plan(&NAMES);
    unknown.rules.set = Some("chess".into());
    assert!(of("no-rules", &unknown).as_str().is_some_and(|why| why.starts_with("\"chess\" is none of")));
}

#[test]
fn a_match_without_games_has_a_page() {
    let path = folder("empty", &plan(&NAMES), "");
    fs::remove_file(path.join("games.jsonl")).unwrap();
    let output = report(&path.display().to_string());
    assert_eq!(stdout(&output), format!("{}: 0 games\n", path.join("report.html").display()));
    assert_eq!((stderr(&output), output.status.code()), (String::new(), Some(0)));
}

#[test]
fn a_folder_that_is_no_match_is_refused_with_one_line() {
    let refused = |name: &str, plan_text: &str| {
        let path = folder(name, &plan(&NAMES), "");
        fs::write(path.join("match.toml"), plan_text).unwrap();
        let output = report(&path.display().to_string());
        let complaint = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output), complaint.lines().count()), (Some(2), String::new(), 1));
        let file = path.join("match.toml").display().to_string();
        complaint.trim_end().strip_prefix(&format!("komainu: {file}: ")).expect(&complaint).to_string()
    };
    let error = refused("syntax", "games = 4\nengine = [\n  4 5\n]\n");
    assert!(error.starts_with("line 3: "), "{error}");
    let engine = |name: &str| format!("[[engine]]\nname = '{name}'\ncommand = 'x'\n");
    assert_eq!(refused("alone", &format!("games = 4\n{}", engine("a"))), "fewer than two engines");
    let twins = format!("games = 4\n{}{}", engine("a"), engine("a"));
    assert_eq!(refused("twins", &twins), "two engines are called \"a\"");
    let output = report("/nowhere/at/all");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("komainu: /nowhere/at/all holds no match"), "{}", stderr(&output));
    let path = folder("unwritable", &plan(&NAMES), "").display().to_string();
    let output = run(&["report", &path, "--out", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with(&format!("komainu: {path}: ")), "{}", stderr(&output));
}
