//! The engine in games on a server: the built-in one, others, and others that break down.

use super::mock::{LOGIN, Mock, begin, summary_at, until_start};
use super::{client, ends, games, moves, play, records, run};
use crate::shell::Folder;
use komainu::notation::record::Ending;

/// The lines of a scripted engine that begin with one of these words.
fn heard(folder: &Folder, words: &[&str]) -> Vec<String> {
    let text = folder.read("engine.log");
    text.lines().filter(|line| words.contains(&line.split(' ').next().unwrap())).map(str::to_string).collect()
}

#[test]
fn the_built_in_engine_plays_by_the_rules_of_the_summary_and_tells_what_it_thinks() {
    let folder = Folder::new("csa-built-in");
    // Black can mate at once, or declare.
    let time = "Time_Unit:1sec;Total_Time:2;Increment:1";
    let mate = "P1 *  *  *  * -OU *  *  *  *;P3 *  *  *  * +FU *  *  *  *;P9 *  *  *  * +OU *  *  *  *;P+00KI00HI;+";
    let camp =
        "P1+OU+RY+RY+UM+UM+KI+KI+KI+KI;P2+GI+GI+GI+GI+TO *  *  *  *;P9 *  *  *  *  *  *  *  * -OU;P+00FU00FU00FU00FU;+";
    let mock = Mock::start([
        begin(LOGIN, &summary_at("+", "", time, mate))
            + "< +0052KI,'* 30000*\n> +0052KI,T0\n> %TORYO\n> #RESIGN\n> #WIN\n",
        begin(LOGIN, &summary_at("+", "", time, camp)) + "< %KACHI\n> %KACHI,T0\n> %KACHI\n> #JISHOGI\n> #WIN\n",
        // Mated: nobody else says so.
        begin(LOGIN, &summary_at("-", "", time, &mate.replace(";+", ";+;+0052KI,T1")))
            + "< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n",
    ]);
    run(client(&mock, &folder, &["--games", "3", "--option", "USI_Hash=4"]));
    mock.finish();
    let endings: Vec<Ending> = games(&folder).iter().map(|game| game.ending).collect();
    assert_eq!(endings, [Ending::Resignation, Ending::Declaration, Ending::Resignation]);
    assert_eq!(records(&folder)[0].moves[0].comments[0].split(' ').nth(1), Some("30000"));
    let log = folder.read("records/csa.log");
    for option in [
        "MaxMovesToDraw value 256",
        "EnteringKingRule value CSARule27",
        "MateOnLastPly value false",
        "RepetitionCountsStart value false",
        "USI_Ponder value true",
        "RoundUpToFullSecond value true",
        "USI_Hash value 4",
        "NetworkDelay2 value 300",
    ] {
        assert!(log.contains(&format!("engine < setoption name {option}")), "{option}: {log}");
    }
}

#[test]
fn the_built_in_engine_never_uses_its_time_up() {
    // A machine that stalls is no fault of the engine's: of three moves one is as quick as it thinks.
    let spent: Vec<u64> = (0..3).map(|_| milliseconds_of_a_move_in_one_second()).collect();
    let quickest = *spent.iter().min().unwrap();
    assert!((300..1_000).contains(&quickest), "{spent:?} ms");
}

fn milliseconds_of_a_move_in_one_second() -> u64 {
    let folder = Folder::new("csa-time");
    let time = "Time_Unit:1sec;Total_Time:0;Byoyomi:1";
    let mock = Mock::start([begin(LOGIN, &summary_at("+", "", time, "PI;+")) + "< +*\n"]);
    run(client(&mock, &folder, &["--games", "1", "--option", "USI_Hash=4", "--option", "USI_OwnBook=false"]));
    mock.finish();
    let log = folder.read("records/csa.log");
    let stamp = |text: &str| {
        let line = log.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}: {log}"));
        humantime(line.split(' ').next().unwrap())
    };
    stamp("server < +") - stamp("server > START")
}

/// Milliseconds of the day of a time stamp such as `2026-11-24T23:50:00.123Z`.
fn humantime(stamp: &str) -> u64 {
    let numbers: Vec<u64> = stamp[11..23].split([':', '.']).map(|part| part.parse().unwrap()).collect();
    ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1_000 + numbers[3]
}

#[test]
fn pondering_hits_and_misses_as_usi_has_it() {
    let script = "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\nsleep 50\n> +2726FU,T2\n< -8384FU*\n> -8384FU,T1\nsleep 50\n\
                  > +9796FU,T3\n< -8485FU*\n> -8485FU,T1\n> #TIME_UP\n> #WIN\n";
    // Hit: 2g2f. Miss: 9g9f in place of 2f2e.
    let engine = "guess 3c3d 2g2f\nguess 8c8d 2f2e\n8d8e\n8d8e\n";
    for ponder in ["on", "early", "stochastic", "off"] {
        let folder = Folder::new(&format!("csa-ponder-{ponder}"));
        play(&folder, [until_start("-") + script], engine, &["--games", "1", "--ponder", ponder], 0);
        assert_eq!(moves(&records(&folder)[0]), "7g7f 3c3d 2g2f 8c8d 9g9f 8d8e");
        let lines = heard(&folder, &["go", "ponderhit", "stop", "setoption"]);
        let begins = |text: &str| lines.iter().filter(|line| line.starts_with(text)).count();
        assert!(lines.iter().any(|line| *line == format!("setoption name USI_Ponder value {}", ponder != "off")));
        match ponder {
            "off" => {
                assert_eq!((begins("go btime"), begins("go ponder"), begins("ponderhit")), (3, 0, 0), "{lines:?}")
            }
            "early" => {
                assert_eq!(lines.iter().filter(|line| *line == "go ponder").count(), 2, "{lines:?}");
                assert_eq!((begins("ponderhit btime"), begins("stop"), begins("go btime")), (1, 1, 2), "{lines:?}");
            }
            _ => {
                assert_eq!((begins("go ponder btime"), begins("ponderhit")), (2, 1), "{lines:?}");
                assert_eq!((begins("stop"), begins("go btime")), (1, 2), "{lines:?}");
                assert!(!lines.iter().any(|line| line.starts_with("ponderhit ")), "{lines:?}");
            }
        }
    }
}

#[test]
fn a_bound_is_no_score_to_resign_at_or_to_tell_the_server() {
    let folder = Folder::new("csa-bound");
    let game = until_start("-")
        + "> +7776FU,T1\n< -3334FU,'* -20*\n> -3334FU,T1\n> +2726FU,T1\n< -8384FU,'score *\n> -8384FU,T1\n\
           > +9796FU,T1\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let engine = "infos 3c3d depth 5 score cp 20|depth 6 score cp -9000 upperbound\n\
                  infos 8c8d depth 6 score mate -3 upperbound\ninfos 8d8e depth 6 score mate -\n";
    play(&folder, [game], engine, &["--games", "1", "--resign", "1000"], 0);
    let moves = games(&folder).remove(0).moves;
    let told = |ply: usize| (moves[ply].cp, moves[ply].mate, moves[ply].score.clone());
    assert_eq!((told(1), told(3)), ((Some(20), None, None), (None, None, Some("mate -3 upperbound".to_string()))));
}

#[test]
fn an_engine_that_ends_in_a_game_is_started_anew_and_goes_on_with_the_time_that_is_left() {
    let folder = Folder::new("csa-restart");
    let first = "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n";
    let scripts = [
        // The restarted engine plays what is legal no more in the same game: that is a fault of its own.
        until_start("-") + first + "> +2726FU,T100\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n",
        // In the next game it has one move left, as the process that was left alone.
        until_start("-") + first + "> #TIME_UP\n> #WIN\n",
        // And here it ends at the first move.
        until_start("-") + "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n> #TIME_UP\n> #WIN\n",
    ];
    // It plays 3c3d after each start, and ends when it is asked for a second move.
    let (out, errors) = play(&folder, scripts, "3c3d\ncrash\n", &["--games", "3"], 0);
    assert!(errors.contains("something is wrong"), "{out}\n{errors}");
    assert!(out.contains("the engine is started anew, 1 of 3 times in a game\n"), "{out}");
    let details: Vec<String> = games(&folder).into_iter().map(|game| game.detail).collect();
    assert_eq!(details[0], "the engine has ended after 3 plies and was started anew");
    assert_eq!(details[1..], ["", "the engine has ended after 1 ply and was started anew"]);
    // White had 300 s and 10 s more with each move, and has used 1 s.
    let go = heard(&folder, &["go"]);
    let left: Vec<&str> = go.iter().filter_map(|line| line.split(" wtime ").nth(1)?.split(' ').next()).collect();
    let left: Vec<u64> = left.iter().map(|text| text.parse().unwrap()).collect();
    assert!(left[1] >= left[2] && (290_000..=310_000).contains(&left[2]), "{go:?}");
}

#[test]
fn an_engine_that_ends_again_and_again_resigns_after_three_starts() {
    let folder = Folder::new("csa-broken");
    let lost = "> +7776FU,T1\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let (out, errors) = play(&folder, [until_start("-") + lost], "crash\n", &["--games", "1"], 0);
    assert!(out.contains("3 of 3 times in a game"), "{out}\n{errors}");
    assert_eq!(heard(&folder, &["go"]).len(), 4, "the first one and three more");
    assert_eq!(games(&folder)[0].detail, "the engine has ended");
}

#[test]
fn files_of_options_are_looked_up_before_the_login_and_what_plays_stands_in_the_records() {
    let folder = Folder::new("csa-files");
    for (option, told) in [
        ("EvalFile=/nonexistent", "option EvalFile: there is no file \"/nonexistent\""),
        ("EvalDir=nofile", "option EvalDir: there is no file \"nofile\" in "),
        ("USI_Hash=abc", "option USI_Hash: \"abc\" is no whole number"),
    ] {
        let nobody = Mock::start([""; 0]);
        let (out, errors) = ends(client(&nobody, &folder, &["--game", "test-1-1", "--option", option]), 4);
        assert!(errors.contains(told) && !out.contains("logged in"), "{errors}");
    }
    folder.write("lines.db", "");
    let mock = Mock::start([until_start("-") + "> #TIME_UP\n> #WIN\n"]);
    let book = format!("BookFile={}", folder.text("lines.db"));
    run(client(&mock, &folder, &["--games", "1", "--option", &book, "--option", "USI_Hash=4"]));
    mock.finish();
    let game = games(&folder).remove(0);
    let [black, white] = &game.origin.as_ref().expect("it is kept").engines;
    assert!(black.files.is_empty() && white.id_name.starts_with("Komainu ") && white.options["USI_Hash"] == "4");
    let sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(white.files[&folder.text("lines.db")], sum);
    assert_eq!(white.files.len(), 2, "the program and the book");
    // The page knows the rules of the game, which are not those of a match.
    let page = crate::shell::run(&["report", &folder.text("records")]);
    assert!(page.status.success(), "{page:?}");
    let page = folder.read("records/report.html");
    assert!(page.contains("\"mate_on_last_ply\":false,\"checks_extend\":false,\"start_counts\":false"), "its rules");
    let comments = &records(&folder)[0].comments;
    assert!(comments.contains(&format!("white: file lines.db SHA-256 {sum}")), "{comments:?}");
    assert!(comments.contains(&format!("white: {}", white.id_name)), "{comments:?}");
}

#[test]
fn an_engine_that_breaks_down_in_three_games_in_a_row_ends_with_4() {
    let folder = Folder::new("csa-hopeless");
    let lost = "> +7776FU,T1\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let (_, errors) = play(&folder, vec![until_start("-") + lost; 3], "7g7f\n", &[], 4);
    assert!(errors.contains("\"7g7f\", which is not legal"), "{errors}");
    assert_eq!(games(&folder).len(), 3);
}

#[test]
fn an_engine_that_does_not_answer_is_stopped_and_its_line_is_played() {
    let folder = Folder::new("csa-hung");
    let summary = summary_at("+", "", "Time_Unit:1sec;Total_Time:2", "PI;+");
    let game = begin(LOGIN, &summary) + "< +2726FU,'* 12\n> +2726FU,T1\n> #TIME_UP\n> #LOSE\n";
    let (_, errors) = play(&folder, [game], "say info depth 1 score cp 12 pv 2g2f\n", &["--games", "1"], 0);
    assert!(errors.contains("did not answer in time"), "{errors}");
    assert_eq!(heard(&folder, &["stop"]), ["stop"], "once, though its answer never comes");
}

#[test]
fn an_engine_that_cannot_be_started_ends_with_4_before_any_login() {
    let folder = Folder::new("csa-no-engine");
    let nobody = Mock::start([""; 0]);
    let (_, errors) = ends(client(&nobody, &folder, &["--game", "test-1-1", "--engine", "/no/such/engine"]), 4);
    assert!(errors.contains("/no/such/engine"), "{errors}");
}
