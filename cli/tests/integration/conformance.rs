//! What GUIs and runners rely on and no protocol document says in full: paths, options, keep-alive, analysis, limits.

mod mating;

use crate::engine::{Engine, PATIENCE, folder, word_after};
use crate::shell::wait_for;
use komainu::eval::nnue::{Shape, Weights};
use komainu::notation::usi::{parse_move, parse_position};
use komainu::position::RuleSet;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const MATED: &str = "position sfen 8k/8G/7G1/9/9/9/9/9/K8 w - 1";
const MATE_IN_ONE: &str = "8k/9/7GG/9/9/9/9/9/K8 b -";
const CAN_DECLARE: &str = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";

fn score(line: &str) -> String {
    format!("{} {}", word_after(line, "score").unwrap(), word_after(line, word_after(line, "score").unwrap()).unwrap())
}

/// The score on the last line before `bestmove`.
fn last_score(lines: &[String]) -> String {
    score(&lines[lines.len() - 2])
}

#[test]
fn it_runs_from_a_folder_with_blanks_and_japanese_in_its_name() {
    let folder = folder("将棋 ソフト");
    let program = folder.join("エンジン 1");
    fs::copy(env!("CARGO_BIN_EXE_komainu"), &program).unwrap();
    fs::write(folder.join("評価 関数.bin"), "x").unwrap();
    let mut command = Command::new(&program);
    command.current_dir(std::env::temp_dir());
    let mut engine = Engine::run(command);
    assert_eq!(engine.ask("usi", "usiok").last().unwrap(), "usiok");
    // Beside the program, though the working directory is another.
    let lines = engine.ask("setoption name EvalFile value 評価 関数.bin\nisready", "readyok");
    let told = |lines: &[String]| lines.iter().find(|line| line.contains("EvalFile")).cloned();
    let fault = told(&lines);
    assert!(fault.as_ref().is_some_and(|line| line.contains("the built-in evaluation is used")), "{lines:?}");
    // Named as it is.
    assert!(fault.as_ref().is_some_and(|line| line.contains("評価 関数.bin")), "{lines:?}");
    // The name as a Japanese Windows program sends it, in CP932.
    engine.send_bytes(b"setoption name EvalFile value \x95\x5D\x89\xBF \x8A\xD6\x90\x94.bin\nisready\n");
    assert_eq!(told(&engine.until("readyok")), fault);
    let log = folder.join("記録 1.log");
    engine.send(&format!("setoption name DebugLogFile value {}", log.display()));
    engine.assert_alive();
    engine.quit();
    assert!(fs::read_to_string(&log).unwrap().contains("< readyok\n"));
}

#[test]
fn names_and_words_match_in_any_case() {
    let mut engine = Engine::ready();
    engine.send("setoption name multipv value 2\nsetoption name USI_HASH value 4\nisready");
    assert!(engine.until("readyok").iter().all(|line| !line.contains("no option")));
    assert!(engine.search("go depth 2").iter().any(|line| line.contains(" multipv 2 ")));
    engine.send("setoption name usi_multipv value 1\nsetoption name enteringkingrule value NOENTERINGKING");
    assert_ne!(engine.best(&format!("position sfen {CAN_DECLARE}\ngo depth 1")), "bestmove win");
    assert_eq!(engine.best("setoption name EnteringKingRule value csarule27\ngo depth 1"), "bestmove win");
    for yes in ["True", "TRUE", "on", "1"] {
        engine.send(&format!("setoption name usi_ponder value {yes}\nposition startpos\ngo nodes 3000"));
        assert!(engine.bestmove().contains(" ponder "), "{yes}");
        assert!(!engine.best("setoption name USI_Ponder value off\ngo nodes 3000").contains(" ponder "));
    }
}

#[test]
fn a_gui_that_waits_for_a_large_table_is_kept_company() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_Hash value 3000\nisready");
    let mut whole = engine.stopwatch();
    let mut silence = engine.stopwatch();
    let mut empty = 0;
    loop {
        let line = engine.line();
        assert!(silence.elapsed() < Duration::from_secs(5), "silent for {:?}", silence.elapsed());
        silence = engine.stopwatch();
        match line.as_str() {
            "readyok" => break,
            "" => empty += 1,
            _ => assert!(line.starts_with("info string "), "{line}"),
        }
    }
    assert!(empty >= whole.elapsed().as_secs() / 3, "{empty} lines in {:?}", whole.elapsed());
    engine.assert_alive();
}

#[test]
fn a_table_in_the_making_does_not_keep_it_from_ending() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_Hash value 3000\nisready\nquit");
    let took = engine.assert_ends();
    assert!(took < Duration::from_secs(3), "{took:?}");
}

/// A net to which every position is worth a pawn for the side to move, in a folder of its own.
pub(crate) fn pawn_net(folder: &Path) {
    let mut weights = Weights::zeroed(Shape::KP);
    weights.stacks[0][2].biases[0] = 90 * 16;
    weights.write(fs::File::create(folder.join("nn.bin")).unwrap()).unwrap();
}

#[test]
fn a_net_is_loaded_from_its_file_or_folder_and_left_again() {
    let folder = folder("net");
    pawn_net(&folder);
    let mut engine = Engine::ready();
    let mut score_with = |settings: &str| {
        let lines = engine.ask(&format!("{settings}\nisready"), "readyok");
        assert!(lines.iter().all(|line| !line.contains("error")), "{lines:?}");
        engine.send("position startpos\ngo depth 1");
        let told = lines.iter().find(|line| line.contains("Eval") && line.contains("K-P 256x2-32-32")).cloned();
        (last_score(&engine.until("bestmove")), told)
    };
    let (built_in, told) = score_with("setoption name EvalFile value <internal>");
    assert_eq!(told, None);
    // After a move of ours the pawn is the opponent's.
    let (score, told) = score_with(&format!("setoption name EvalFile value {}", folder.join("nn.bin").display()));
    assert!(score == "cp -100" && told.is_some_and(|line| line.ends_with("FV_SCALE 16 (the default)")), "{score}");
    assert_eq!(score_with("setoption name FV_SCALE value 32").0, "cp -50");
    assert_eq!(score_with("setoption name Threads value 2").0, "cp -50");
    assert_eq!(score_with("setoption name EvalFile value <internal>").0, built_in);
    assert_eq!(score_with(&format!("setoption name EvalDir value {}", folder.display())).0, "cp -50");
    assert_eq!(
        score_with("setoption name EvalFile value <internal>\nsetoption name EvalDir value <empty>").0,
        built_in
    );
}

#[test]
fn an_evaluation_file_that_is_missing_is_named_and_not_needed() {
    let mut engine = Engine::ready();
    let lines = engine.ask("setoption name EvalFile value nothere.bin\nisready", "readyok");
    let expected = std::env::current_dir().unwrap().join("nothere.bin");
    let fault = lines.iter().find(|line| line.starts_with("info string error: EvalFile: ")).expect("a fault is told");
    assert!(fault.contains(&*expected.to_string_lossy()), "{fault}");
    // The file may come later: each isready looks again.
    assert!(engine.ask("isready", "readyok").contains(fault));
    engine.assert_alive();
    for fine in ["<internal>", "<empty>", ""] {
        engine.send(&format!("setoption name EvalFile value {fine}\nisready"));
        assert!(engine.until("readyok").iter().all(|line| !line.contains("EvalFile")), "{fine}");
    }
}

#[test]
fn the_first_move_is_as_quick_as_the_others() {
    let mut engine = Engine::start();
    engine.ask("usi\nisready", "readyok");
    for number in 0..3 {
        let mut sent = engine.stopwatch();
        engine.search("position startpos\ngo movetime 100");
        // Other tests run beside this one: some slack.
        assert!(sent.elapsed() < Duration::from_millis(130 + 200), "move {number}: {:?}", sent.elapsed());
    }
}

/// The lines of a search in blocks of one depth each, the last line before `bestmove` left out.
fn blocks(lines: &[String]) -> Vec<Vec<&str>> {
    let reports: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| line.starts_with("info ") && line.contains(" pv ")).collect();
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    for &line in &reports[..reports.len() - 1] {
        match word_after(line, "multipv") {
            None | Some("1") => blocks.push(vec![line]),
            _ => blocks.last_mut().expect("no second line before a first").push(line),
        }
    }
    blocks
}

/// Centipawns, mates beyond all of them.
fn value(line: &str) -> i64 {
    let value: i64 = score(line).split(' ').nth(1).unwrap().parse().unwrap();
    if score(line).starts_with("mate") { value.signum() * (1_000_000 - value.abs()) } else { value }
}

#[test]
fn the_lines_of_an_iteration_come_together_in_order() {
    let mut engine = Engine::ready();
    for (position, most) in [("startpos", 30), ("sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1", 5)] {
        for lines in [1, 3, 5, 40] {
            engine.send(&format!("setoption name MultiPV value {lines}\nposition {position}"));
            let output = engine.search("go depth 5");
            let blocks = blocks(&output);
            assert!(!blocks.is_empty());
            for block in blocks {
                assert_eq!(block.len(), lines.min(most), "{block:?}");
                let depth = word_after(block[0], "depth");
                for (i, line) in block.iter().enumerate() {
                    let number = (i + 1).to_string();
                    assert_eq!(word_after(line, "multipv"), (lines > 1).then_some(number.as_str()), "{line}");
                    assert_eq!(word_after(line, "depth"), depth);
                }
                assert!(block.windows(2).all(|pair| value(pair[0]) >= value(pair[1])), "{block:?}");
                let first: HashSet<_> = block.iter().map(|line| word_after(line, "pv")).collect();
                assert_eq!(first.len(), block.len(), "a move twice: {block:?}");
            }
            let best = word_after(output.last().unwrap(), "bestmove");
            assert_eq!(word_after(&output[output.len() - 2], "pv"), best);
        }
    }
}

#[test]
fn the_number_of_lines_changes_while_an_analysis_runs() {
    let mut engine = Engine::ready();
    engine.ask("setoption name PvInterval value 0\nposition startpos\ngo infinite", "info depth 2 ");
    engine.send("setoption name MultiPV value 3");
    while word_after(&engine.line(), "multipv") != Some("3") {}
    engine.send("setoption name MultiPV value 1");
    let started = Instant::now();
    while engine.line().contains(" multipv ") {
        assert!(started.elapsed() < PATIENCE);
    }
    engine.search("stop");
    engine.assert_silent(50);
}

#[test]
fn an_analysis_jumps_between_positions_and_answers_only_when_told() {
    let mut engine = Engine::ready();
    let mated = MATED.strip_prefix("position ").unwrap();
    let mate = format!("sfen {MATE_IN_ONE} 1");
    let declare = format!("sfen {CAN_DECLARE}");
    for position in ["startpos", mated, &mate, "startpos moves 7g7f", &declare, "startpos moves 2g2f 8c8d"] {
        engine.send(&format!("position {position}\ngo infinite"));
        let until = Instant::now() + Duration::from_millis(120);
        while Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        let lines = engine.ask("usi", "usiok");
        assert!(lines.iter().all(|line| !line.starts_with("bestmove")), "{position}: {lines:?}");
        let mut sent = engine.stopwatch();
        let answer = engine.best("stop");
        assert!(sent.elapsed() < Duration::from_millis(10 + 200), "{position}: {:?}", sent.elapsed());
        assert_eq!(answer == "bestmove resign", position == mated);
    }
}

#[test]
fn a_long_search_shows_now_and_then_that_it_is_alive_and_floods_nobody() {
    let mut engine = Engine::ready();
    engine.send("setoption name MultiPV value 2\nposition startpos\ngo infinite");
    let started = Instant::now();
    let mut silence = engine.stopwatch();
    let mut lines = 0;
    let mut time = 0;
    let mut nodes = 0;
    while started.elapsed() < Duration::from_secs(4) {
        let (at, line) = engine.timed_line();
        assert!(silence.elapsed() < Duration::from_secs(3), "silent for {:?}", silence.elapsed());
        silence = engine.stopwatch();
        lines += (at - started > Duration::from_millis(200)) as u32;
        let number = |word| word_after(&line, word).unwrap_or_default().parse::<u64>().unwrap();
        assert!(number("time") >= time && number("nodes") >= nodes, "{line}");
        (time, nodes) = (number("time"), number("nodes"));
    }
    assert!(lines < 4 * 20, "{lines} lines");
    engine.search("stop");
}

#[test]
fn the_ply_limit_counts_as_the_rules_say() {
    let mut engine = Engine::ready();
    let mut score = |options: &str, counter: u32| {
        engine.send(options);
        last_score(&engine.search(&format!("usinewgame\nposition sfen {MATE_IN_ONE} {counter}\ngo depth 5")))
    };
    let limit = "setoption name MaxMovesToDraw value 256";
    assert_eq!(score(limit, 255), "mate 1");
    assert_eq!(score(limit, 256), "cp 0");
    // Asked to move past it, the engine takes it that the game has no limit.
    assert_eq!(score(limit, 257), "mate 1");
    assert_eq!(score("setoption name MateOnLastPly value true", 256), "mate 1");
    assert_eq!(score("setoption name MateOnLastPly value true", 257), "mate 1");
    // Counted in moves, the game has only begun.
    assert_eq!(score("setoption name MaxMovesCounter value Moves", 257), "mate 1");
    for (set, ply) in [(RuleSet::Floodgate, 256), (RuleSet::Denryu, 512), (RuleSet::Wcsc, 320), (RuleSet::Jsa, 500)] {
        let option = format!("setoption name Rules value {}", set.name());
        assert_eq!(score(&option, ply - 1), "mate 1", "{option}");
        let on_last_ply = if set.rules().mate_on_last_ply { "mate 1" } else { "cp 0" };
        assert_eq!(score(&option, ply), on_last_ply, "{option}");
        assert_eq!(score(&option, ply + 1), "mate 1", "{option}");
    }
    // Its limit is put off while checks go on.
    assert_eq!(score("setoption name Rules value shogihome", 1_000), "mate 1");
    assert_eq!(score("setoption name Rules value shogihome", 1_001), "mate 1");
    assert_eq!(score("setoption name Rules value custom\nsetoption name MaxMovesToDraw value 0", 999), "mate 1");
}

#[test]
fn the_rules_are_shown_when_it_is_ready() {
    let mut engine = Engine::ready();
    engine.send("setoption name Rules value floodgate\nsetoption name MaxMovesToDraw value 9\nisready");
    let lines = engine.until("readyok");
    assert!(lines[0].starts_with("info string Rules floodgate: CSARule27, draw after 256 plies"), "{lines:?}");
}

#[test]
fn a_draw_is_worth_what_the_user_says() {
    let mut engine = Engine::ready();
    engine.send("setoption name DrawValueBlack value -70\nsetoption name DrawValueWhite value 40");
    engine.send("setoption name MaxMovesToDraw value 10");
    let mut score = |side: &str| {
        last_score(&engine.search(&format!("position sfen 4k4/9/9/9/9/9/9/9/4K4 {side} - 10\ngo depth 3")))
    };
    assert_eq!(score("b"), "cp -70");
    assert_eq!(score("w"), "cp 40");
    engine.send("setoption name ConsiderationMode value true");
    let lines = engine.search("position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 10\ngo depth 3");
    assert_eq!(last_score(&lines), "cp 0");
}

#[test]
fn it_resigns_a_game_below_the_resign_value_but_no_analysis() {
    let mut engine = Engine::ready();
    engine.send("setoption name ResignValue value 1000");
    // Four pieces and a rook behind, without a mate in sight.
    engine.send("position sfen 2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w R 1");
    assert_eq!(engine.search("go btime 1000 wtime 1000 byoyomi 100").last().unwrap(), "bestmove resign");
    engine.ask("go infinite", "info depth ");
    assert_ne!(engine.best("stop"), "bestmove resign");
    engine.send("setoption name ConsiderationMode value true");
    assert_ne!(engine.search("go btime 1000 wtime 1000 byoyomi 100").last().unwrap(), "bestmove resign");
}

#[test]
fn every_legal_move_is_searched_on_request_only() {
    let mut engine = Engine::ready();
    let mut nodes = |all: bool| {
        engine.send(&format!("setoption name GenerateAllLegalMoves value {all}\nusinewgame"));
        engine.send("position sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        let lines = engine.search("go depth 7");
        word_after(&lines[lines.len() - 2], "nodes").unwrap().parse::<u64>().unwrap()
    };
    assert_ne!(nodes(true), nodes(false));
}

#[test]
fn thinking_ahead_on_all_answers_is_silent_and_ends_in_one_answer() {
    let mut engine = Engine::ready();
    engine.send("setoption name USI_Ponder value true\nsetoption name Stochastic_Ponder value true");
    let pos = parse_position("startpos moves 7g7f 3c3d").unwrap().position;
    let is_legal = |best: &str| parse_move(&pos, word_after(best, "bestmove").unwrap()).is_ok();
    engine.send("position startpos moves 7g7f 3c3d\ngo ponder btime 0 wtime 0 byoyomi 300");
    engine.assert_silent(150);
    let hit = Instant::now();
    let mut watch = engine.stopwatch();
    assert!(is_legal(&engine.best("ponderhit")));
    assert!(hit.elapsed() > Duration::from_millis(100) && watch.elapsed() < Duration::from_millis(900));
    // The expected move was not played: an answer all the same, and then the next search.
    engine.send("go ponder btime 0 wtime 0 byoyomi 30000\nstop\nposition startpos moves 7g7f 8c8d\ngo nodes 500");
    assert!(is_legal(&engine.bestmove()));
    engine.bestmove();
    // A position that is sent meanwhile is for the next search: the answer is to the one that was asked about.
    engine.send("position startpos moves 7g7f 3c3d\ngo ponder btime 0 wtime 0 byoyomi 30000");
    assert!(is_legal(&engine.best("position startpos moves 7g7f 8c8d 2g2f\nstop")));
    // The clock comes only with the hit.
    engine.send("position startpos moves 7g7f 3c3d\ngo ponder");
    engine.assert_silent(50);
    assert!(is_legal(&engine.best("ponderhit btime 0 wtime 0 byoyomi 200")));
    // Before the first move there is nothing to go back to.
    engine.ask("position startpos\ngo ponder btime 0 wtime 0 byoyomi 100", "info");
    engine.search("ponderhit");
    engine.assert_silent(100);
}

#[test]
fn the_debug_log_holds_both_directions_from_the_first_line_on() {
    let folder = folder("log");
    let log = folder.join("usi.log");
    let mut engine = Engine::start();
    engine.ask("usi", "usiok");
    engine.send(&format!("setoption name DebugLogFile value {}\nsetoption name USI_Hash value 8", log.display()));
    engine.assert_alive();
    // A GUI that sends all options before each game does not begin the log anew.
    engine.send(&format!("setoption name DebugLogFile value {}\nquit", log.display()));
    engine.assert_ends();
    let text = fs::read_to_string(&log).unwrap();
    assert_eq!(text.matches("# komainu").count(), 1);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# komainu "), "{text}");
    let said: Vec<&str> = lines[1..]
        .iter()
        .map(|line| {
            let (stamp, said) = line.split_at(25);
            assert!(stamp.starts_with("20") && stamp.ends_with("Z ") && stamp.as_bytes()[19] == b'.', "{line}");
            said
        })
        .collect();
    assert_eq!(said[0], "> usi");
    for line in ["< usiok", "> isready", "< readyok", "> go nodes 500", "> quit"] {
        assert!(said.contains(&line), "{line}");
    }
    assert!(said.iter().any(|line| line.starts_with("< bestmove ")));
    // The same if everything comes in one write.
    let mut engine = Engine::start();
    let log = folder.join("at once.log");
    engine.send(&format!("usi\nsetoption name DebugLogFile value {}\nisready\nquit", log.display()));
    engine.assert_ends();
    assert!(fs::read_to_string(&log).unwrap().lines().nth(1).unwrap().ends_with("Z > usi"));
    // Without a place to write there is a message, and the game goes on.
    let mut engine = Engine::ready();
    engine.send(&format!("setoption name DebugLogFile value {}", folder.display()));
    assert!(engine.line().starts_with("info string error: DebugLogFile: "));
    engine.assert_alive();
}

#[test]
fn a_gui_that_does_not_read_does_not_hold_it_up() {
    let mut engine =
        Command::new(env!("CARGO_BIN_EXE_komainu")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    // More than a pipe holds, of which nothing is read.
    for _ in 0..100 {
        std::io::Write::write_all(&mut input, b"usi\n").unwrap();
    }
    std::io::Write::write_all(&mut input, b"position startpos\ngo infinite\nstop\nquit\n").unwrap();
    wait_for("end", || engine.try_wait().unwrap().is_some());
}
