//! The engine in games on a server: the built-in one, others, and others that break down.

use super::mock::{ID, Mock, summary_at, until_start};
use super::{client, games, moves, records, run, texts};
use crate::scripted;
use crate::shell::Folder;
use komainu::notation::record::Ending;

const LOGIN: &str = "LOGIN me sesame";

/// The lines of a scripted engine that begin with one of these words.
fn heard(folder: &Folder, words: &[&str]) -> Vec<String> {
    let text = String::from_utf8(folder.bytes("engine.log")).unwrap();
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
    let begin = |summary: &str| format!("< {LOGIN}\n> LOGIN:me OK\n{summary}< AGREE {ID}\n> START:{ID}\n");
    let mock = Mock::start([
        begin(&summary_at("+", "", time, mate)) + "< +0052KI,'* 30000*\n> +0052KI,T0\n> %TORYO\n> #RESIGN\n> #WIN\n",
        begin(&summary_at("+", "", time, camp)) + "< %KACHI\n> %KACHI,T0\n> %KACHI\n> #JISHOGI\n> #WIN\n",
        // Mated: nobody else says so.
        begin(&summary_at("-", "", time, &mate.replace(";+", ";+;+0052KI,T1")))
            + "< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n",
    ]);
    let mut command = client(&mock, &folder, &["--games", "3", "--option", "USI_Hash=4"]);
    command.env("KOMAINU_CSA_PASSWORD", "sesame");
    run(command);
    mock.finish();
    let endings: Vec<Ending> = games(&folder).iter().map(|game| game.ending).collect();
    assert_eq!(endings, [Ending::Resignation, Ending::Declaration, Ending::Resignation]);
    assert_eq!(records(&folder)[0].moves[0].comments[0].split(' ').nth(1), Some("30000"));
    let log = String::from_utf8(folder.bytes("records/csa.log")).unwrap();
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
    let folder = Folder::new("csa-time");
    let time = "Time_Unit:1sec;Total_Time:0;Byoyomi:1";
    let mut script =
        format!("< {LOGIN}\n> LOGIN:me OK\n{}< AGREE {ID}\n> START:{ID}\n", summary_at("+", "", time, "PI;+"));
    // The pawn that waits takes any answer; what is measured is when the own moves come.
    script += "< +*\n";
    let mock = Mock::start([script]);
    let mut command =
        client(&mock, &folder, &["--games", "1", "--option", "USI_Hash=4", "--option", "USI_OwnBook=false"]);
    command.env("KOMAINU_CSA_PASSWORD", "sesame");
    run(command);
    mock.finish();
    let log = String::from_utf8(folder.bytes("records/csa.log")).unwrap();
    let stamp = |text: &str| {
        let line = log.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text}: {log}"));
        humantime(line.split(' ').next().unwrap())
    };
    let spent = stamp("server < +") - stamp("server > START");
    assert!((300..1_000).contains(&spent), "{spent} ms");
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
        let mock = Mock::start([until_start(LOGIN, "-") + script]);
        let engine = scripted::command(&folder.path(""), "engine", engine);
        let mut command = client(&mock, &folder, &["--engine", &engine, "--games", "1", "--ponder", ponder]);
        command.env("KOMAINU_CSA_PASSWORD", "sesame");
        run(command);
        mock.finish();
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
fn an_engine_that_breaks_down_resigns_and_is_started_anew() {
    let folder = Folder::new("csa-broken");
    let good = "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n> #TIME_UP\n> #WIN\n";
    let lost = "> +7776FU,T1\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let mock = Mock::start([good, lost, good, lost].map(|script| until_start(LOGIN, "-") + script));
    let engine = scripted::command(&folder.path(""), "engine", "3c3d\ncrash\n");
    let mut command = client(&mock, &folder, &["--engine", &engine, "--games", "4"]);
    let output = command.env("KOMAINU_CSA_PASSWORD", "sesame").output().unwrap();
    mock.finish();
    let (out, errors) = texts(&output);
    assert!(output.status.success() && errors.contains("something is wrong"), "{out}\n{errors}");
    let details: Vec<String> = games(&folder).into_iter().map(|game| game.detail).collect();
    assert_eq!(details, ["", "the engine has ended", "", "the engine has ended"]);
}

#[test]
fn an_engine_that_breaks_down_in_three_games_in_a_row_ends_with_4() {
    let folder = Folder::new("csa-hopeless");
    let lost = "> +7776FU,T1\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let mock = Mock::start(vec![until_start(LOGIN, "-") + lost; 3]);
    let engine = scripted::command(&folder.path(""), "engine", "7g7f\n");
    let mut command = client(&mock, &folder, &["--engine", &engine]);
    let output = command.env("KOMAINU_CSA_PASSWORD", "sesame").output().unwrap();
    mock.finish();
    let (out, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(4), "{out}\n{errors}");
    assert!(errors.contains("\"7g7f\", which is not legal"), "{errors}");
    assert_eq!(games(&folder).len(), 3);
}

#[test]
fn an_engine_that_does_not_answer_is_stopped_and_its_line_is_played() {
    let folder = Folder::new("csa-hung");
    let time = "Time_Unit:1sec;Total_Time:2";
    let start = format!("< {LOGIN}\n> LOGIN:me OK\n{}< AGREE {ID}\n> START:{ID}\n", summary_at("+", "", time, "PI;+"));
    let mock = Mock::start([start + "< +2726FU,'* 12\n> +2726FU,T1\n> #TIME_UP\n> #LOSE\n"]);
    let engine = scripted::command(&folder.path(""), "engine", "say info depth 1 score cp 12 pv 2g2f\n");
    let mut command = client(&mock, &folder, &["--engine", &engine, "--games", "1"]);
    let output = command.env("KOMAINU_CSA_PASSWORD", "sesame").output().unwrap();
    mock.finish();
    let (_, errors) = texts(&output);
    assert!(output.status.success() && errors.contains("did not answer in time"), "{errors}");
    assert_eq!(heard(&folder, &["stop"]), ["stop"], "once, though its answer never comes");
}

#[test]
fn an_engine_that_cannot_be_started_ends_with_4_before_any_login() {
    let folder = Folder::new("csa-no-engine");
    let nobody = Mock::start([""; 0]);
    let mut command = client(&nobody, &folder, &["--game", "test-1-1", "--engine", "/no/such/engine"]);
    let output = command.output().unwrap();
    let (_, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(4), "{errors}");
    assert!(errors.contains("/no/such/engine"), "{errors}");
}
