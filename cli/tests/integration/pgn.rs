//! PGN of test systems as training data: texts written by hand after shogitest's form, whole, faulty and changed.

use crate::shell::{Folder, printed, refuses, run};
use komainu::notation::json::GameLine;
use komainu::notation::pgn::{PgnGame, PgnReader};
use komainu::notation::record::{Ending, Outcome};
use komainu::random::SplitMix64;
use komainu::types::{Color, Score};
use komainu_tools::training::games::{Game, GamesReader};
use komainu_tools::training::pgn::{game, judge_game};
use std::process::Output;

/// A game as shogitest writes it: headers, a blank line, the moves with their comments, the result.
fn text(round: u32, headers: &[(&str, &str)], moves: &[&str], result: &str) -> String {
    let mut text = format!(
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"2026-08-01\"]\n[Round \"{round}\"]\n[Black \"new\"]\n[Sente \"new\"]\n\
         [White \"old \\\"2\\\"\"]\n[Gote \"old \\\"2\\\"\"]\n[Result \"{result}\"]\n"
    );
    for (name, value) in headers {
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    }
    text.push_str(&format!("[PlyCount \"{}\"]\n[GameStartTime \"2026-08-01T10:00:00+00:00\"]\n\n", moves.len()));
    for line in moves {
        text.push_str(&format!("{line}\n"));
    }
    text + result + "\n\n"
}

fn termination(word: &str) -> Vec<(&str, &str)> {
    vec![("Termination", word)]
}

#[test]
fn a_text_without_an_end_is_a_fault_before_it_fills_the_memory() {
    use std::io::{BufReader, Read, repeat};
    // As a sparse file is read: zeros, or one short line after the other.
    let lines = |line: &'static [u8]| std::iter::repeat_n(line, 3_000_000).flatten().copied().collect::<Vec<u8>>();
    let inputs: [Box<dyn Read>; 4] = [
        Box::new(repeat(0).take(4 << 30)),
        Box::new(repeat(b'x').take(4 << 30)),
        Box::new(std::io::Cursor::new(lines(b"x\n"))),
        Box::new(std::io::Cursor::new([resigned(1).into_bytes(), vec![b' '; 20 << 20]].concat())),
    ];
    for (input, games) in inputs.into_iter().zip([0, 0, 0, 1]) {
        let read: Vec<_> = PgnReader::new(BufReader::new(input), "endless").collect();
        // Nothing is read behind the fault.
        assert_eq!(read.len(), games + 1);
        let told = read.into_iter().last().and_then(Result::err).map(|error| error.to_string());
        let expected = ": a game of more than 16 MB or 100000 lines";
        assert!(told.as_ref().is_some_and(|told| told.ends_with(expected)), "{told:?}");
    }
}

/// A game that black's opponent resigns.
fn resigned(round: u32) -> String {
    let moves = [
        "7g7f {+0.35 12/18 n=4567 t=0.125s}",
        "3c3d {-0.20 11/15 n=3000 nps=90000 hashfull=3 timeleft=7.9s latency=0.001s t=0.1s}",
        "8h2b+ {+M5 9 n=100 t=0s}",
        "resign {-M4 8/8 n=90 t=0.02s, Gote resigns}",
    ];
    text(round, &termination("normal"), &moves, "1-0")
}

/// A game from a handicap that the runner adjudicated, with the fields of a FEN behind the SFEN.
fn adjudicated(round: u32) -> String {
    let start = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1 7 9";
    let moves =
        ["8c8d {none 0 t=0.001s}", "7g7f {+20.01 7 n=5 t=1s}", "3c3d {-21.00 7 n=6 t=1s, Sente wins by adjudication}"];
    text(round, &[("FEN", start), ("SetUp", "1"), ("Termination", "adjudication")], &moves, "1-0")
}

/// White is mated by a gold.
fn mated(round: u32) -> String {
    let moves = ["G*5b {+M1 3 n=12 t=0.1s, Sente mates}"];
    text(round, &[("FEN", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), ("Termination", "normal")], &moves, "1-0")
}

/// Rooks that go to and fro until the position has come four times.
fn repeated(round: u32) -> String {
    let cycle =
        ["2h3h {0.00 5 n=9 t=0s}", "8b7b {0.00 5 n=9 t=0s}", "3h2h {0.00 5 n=9 t=0s}", "7b8b {0.00 5 n=9 t=0s}"];
    text(round, &termination("normal"), &[cycle; 3].concat(), "1/2-1/2")
}

fn read(text: &str) -> Vec<Result<PgnGame, String>> {
    PgnReader::new(text.as_bytes(), "test").map(|game| game.map_err(|error| error.to_string())).collect()
}

fn read_one(text: &str) -> Result<PgnGame, String> {
    let mut games = read(text);
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0)
}

#[test]
fn a_game_is_read_with_its_scores_depths_nodes_and_times() {
    let pgn = read_one(&resigned(3)).expect("a good game");
    assert_eq!([pgn.player(Color::Black), pgn.player(Color::White)], ["new", "old \"2\""]);
    let thoughts: Vec<_> = pgn.moves.iter().map(|played| played.thought).collect();
    assert_eq!(
        thoughts.iter().map(|thought| thought.score).collect::<Vec<_>>(),
        [Some(Score(35)), Some(Score(-20)), Some(Score::mate_in(5))]
    );
    assert_eq!((thoughts[0].depth, thoughts[0].nodes, thoughts[0].millis), (Some(12), Some(4_567), Some(125)));
    assert_eq!((thoughts[1].nodes, thoughts[2].depth), (Some(3_000), Some(9)));
    assert_eq!(pgn.reason.as_deref(), Some("Gote resigns"));
    let kept = game(&pgn).expect("it counts");
    assert_eq!((kept.ending(), kept.winner(), kept.opening()), (Ending::Resignation, Some(Color::Black), 0));
    let plies: Vec<String> = kept.plies().iter().map(|ply| format!("{} {}", ply.mv, ply.score)).collect();
    assert_eq!(plies, ["7g7f 35", "3c3d -20", "8h2b+ 31995"]);
}

#[test]
fn endings_follow_from_the_moves_and_adjudicated_games_are_marked() {
    let end = |text: &str| {
        let end = judge_game(&read_one(text).expect("a good game")).map_err(|refusal| refusal.to_string())?;
        Ok::<_, String>((end.ending, end.winner))
    };
    let black = Some(Color::Black);
    assert_eq!(end(&adjudicated(0)), Ok((Ending::AdjudicatedWin, black)));
    assert_eq!(end(&mated(0)), Ok((Ending::Checkmate, black)));
    assert_eq!(end(&repeated(0)), Ok((Ending::Repetition, None)));
    let moved = ["7g7f {+0.35 12/18 n=4567 t=0.1s}"];
    let draw =
        |reason: &str| text(0, &termination("adjudication"), &[&format!("7g7f {{0.00 1 t=0s, {reason}}}")], "1/2-1/2");
    assert_eq!(end(&draw("Draw by adjudication")), Ok((Ending::AdjudicatedDraw, None)));
    assert_eq!(end(&draw("Draw by adjudication: Reached move limit")), Ok((Ending::PlyLimit, None)));
    let declared = text(0, &termination("normal"), &[moved[0], "win {none 0 t=0s, Gote wins by impasse}"], "0-1");
    assert_eq!(end(&declared), Ok((Ending::Declaration, Some(Color::White))));
    // White is in check on each of its turns: shogitest calls that an illegal move.
    let cycle = ["2h1h", "1a2a", "1h2h", "2a1a"];
    let lines: Vec<String> = [cycle; 3].concat().iter().map(|mv| format!("{mv} {{0.00 5 n=9 t=0s}}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let headers = [("FEN", "8k/9/9/9/9/9/9/7R1/K8 b - 1"), ("Termination", "illegal move")];
    assert_eq!(end(&text(0, &headers, &lines, "0-1")), Ok((Ending::PerpetualCheck, Some(Color::White))));
    for (word, moves, result, message) in [
        ("time forfeit", &moved[..], "0-1", "lost on time"),
        ("abandoned", &moved[..], "1-0", "ended by a disconnection"),
        (
            "illegal move",
            &[moved[0], "7g7f {+0.35 1 t=0s, Gote makes an illegal move}"],
            "1-0",
            "ended by an illegal move",
        ),
        ("illegal move", &[moved[0], "output-was-empty {none 0 t=0s}"], "1-0", "ended by an illegal move"),
        ("unterminated", &moved[..], "undetermined", "not finished"),
        ("normal", &moved[..], "1-0", "neither moves nor words tell why it ended"),
        ("normal", &[moved[0], "resign {none 0 t=0s}"], "0-1", "neither moves nor words tell why it ended"),
    ] {
        assert_eq!(end(&text(0, &termination(word), moves, result)), Err(message.to_string()), "{word}");
    }
    let hole = ["7g7f {+0.35 1 t=0s}", "3c3d", "2g2f {+0.35 1 t=0s}", "resign {none 0 t=0s}"];
    let hole = read_one(&text(0, &termination("normal"), &hole, "1-0")).expect("it can be read");
    assert_eq!(game(&hole).unwrap_err().to_string(), "move 2 has no score");
}

/// A game as a client of OpenBench uploads it: of the headers those of a chess game are left, of the comments this one,
/// and a drop ends the game with its star.
fn uploaded(result: &str, comment: &str) -> String {
    let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"].map(|mv| format!("{mv} {{{comment}}} "));
    format!(
        "[Event \"?\"]\n[Round \"0\"]\n[White \"old\"]\n[Black \"new\"]\n[Result \"{result}\"]\n\n{}*\n\n",
        moves.concat()
    )
}

#[test]
fn uploaded_games_are_read_and_left_out_as_they_have_no_scores() {
    for (comment, depth) in [("unknown", None), ("14/25", Some(14))] {
        let pgn = read_one(&uploaded("1-0", comment)).expect("a good game");
        assert_eq!((pgn.moves.len(), pgn.result.and_then(Outcome::winner)), (5, Some(Color::Black)));
        assert!(pgn.moves.iter().all(|played| played.thought.score.is_none() && played.thought.depth == depth));
        assert_eq!(game(&pgn).unwrap_err().to_string(), "no move has a score");
    }
    let drawn = read_one(&uploaded("1/2-1/2", "unknown")).expect("a good game");
    assert_eq!(drawn.result, Some(Outcome::Draw));
    // What has a result of its own behind the moves must have that of the header.
    let other = uploaded("1-0", "unknown").replace("} *", "} 0-1");
    assert!(read_one(&other).unwrap_err().ends_with("the game ends with \"0-1\", its header Result says \"1-0\""));
    assert!(read_one(&uploaded("1-0", "14/")).unwrap_err().ends_with("\"14/\" is no score"));
    // Refused in the moves' own way where they or the headers tell more.
    let late = text(0, &termination("time forfeit"), &["7g7f {none 0 t=9s}"], "0-1");
    assert_eq!(game(&read_one(&late).expect("a good game")).unwrap_err().to_string(), "lost on time");
}

#[test]
fn a_fault_names_its_line_and_costs_its_own_game_alone() {
    let whole = resigned(0);
    let lines = whole.lines().count();
    for (old, new, line, message) in [
        ("3c3d {", "3c3e {", 15, "move 2: 3c3e is not legal"),
        ("3c3d {", "zzzz {", 15, "move 2: \"zzzz\""),
        ("8h2b+ {+M5", "8h2b+ {+X5", 16, "\"+X5\" is no score"),
        ("{+0.35 12/18", "{+0.35 deep", 14, "\"deep\" is no depth"),
        ("n=4567", "n=-4", 14, "\"n=-4\" is no number of nodes"),
        ("t=0.1s}", "t=0.1s", 15, "a comment without }"),
        ("\n1-0\n", "\n0-1\n", 18, "the game ends with \"0-1\", its header Result says \"1-0\""),
        ("\n1-0\n", "\n", 17, "no result after the moves"),
        ("\n1-0\n", "\n1-0 7g7f\n", 18, "\"7g7f\" comes after the end of the game"),
        ("[PlyCount \"4\"]", "[PlyCount \"5\"]", 11, "4 moves, the header PlyCount says \"5\""),
        ("[Result \"1-0\"]", "[Result \"3-0\"]", 9, "\"3-0\" is no result"),
        ("[Result \"1-0\"]", "[FEN \"9/9 b\"]", 1, "\"\" is no result"),
        ("[Site \"?\"]", "[FEN \"9/9 q -\"]", 2, "FEN: "),
        ("[Site \"?\"]", "[Site ?]", 2, "\"[Site ?]\" is no header [NAME \"VALUE\"]"),
    ] {
        assert!(whole.contains(old), "{old}");
        let text = resigned(7) + &whole.replacen(old, new, 1) + &mated(8);
        let games = read(&text);
        assert_eq!(games.len(), 3, "{games:?}");
        assert!(games[0].is_ok() && games[2].is_ok(), "{games:?}");
        let error = games[1].as_ref().expect_err("a fault");
        assert!(error.starts_with(&format!("test line {}: {message}", lines + line)), "{error}");
    }
    assert_eq!(read_one("7g7f {+0.35 1}\n1-0\n").unwrap_err(), "test line 1: a game without headers");
    assert!(read("\n \r\n").is_empty());
}

#[test]
fn changed_texts_neither_panic_nor_take_other_games_with_them() {
    let middle: String = [resigned(0), adjudicated(1), mated(2), repeated(3)].concat();
    let before = resigned(7);
    let after = mated(8);
    let mut random = SplitMix64(2_026);
    let mut faulty = 0;
    for _ in 0..4_000 {
        let mut bytes = middle.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"[]{}\"\n 0+M.=,"[random.below(13)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let whole = [before.as_bytes(), &bytes, b"\n", after.as_bytes()].concat();
        let games: Vec<_> = PgnReader::new(&whole[..], "test").collect();
        assert!(games[0].is_ok());
        let is_last = |game: &PgnGame| game.tag("Round") == Some("8");
        assert!(
            games.last().is_some_and(|game| game.as_ref().is_ok_and(is_last)),
            "{}",
            String::from_utf8_lossy(&whole)
        );
        for read in &games {
            match read {
                Ok(pgn) => drop(game(pgn).map(|game| game.encode())),
                Err(error) => {
                    faulty += 1;
                    assert!(error.line >= 1 && error.to_string().starts_with("test line "), "{error}");
                }
            }
        }
    }
    assert!(faulty > 1_000, "{faulty}");
}

fn games_of(bytes: &[u8]) -> Vec<Game> {
    GamesReader::new(bytes, "test").expect("a file of games").map(|game| game.expect("a good record")).collect()
}

#[test]
fn the_command_keeps_good_games_and_counts_and_names_the_others() {
    let folder = Folder::new("from-pgn");
    let late = text(1, &termination("time forfeit"), &["7g7f {+0.35 1 t=0s, Sente loses on time}"], "0-1");
    folder.write("a.pgn", resigned(0) + &late + &repeated(2));
    folder.write("b.pgn", adjudicated(1) + &mated(0));
    let [a, b, out, json] = ["a.pgn", "b.pgn", "out", "json"].map(|name| folder.text(name));
    let told = printed(&["data", "from-pgn", &a, &b, "--out", &out, "--json", &json]);
    assert!(told.contains(&format!("{a} line 20: game 1 left out: lost on time\n")), "{told}");
    assert!(told.contains("left out time 1\n") && told.contains(" adjudicated 1\n"), "{told}");
    assert!(told.ends_with("games 4 positions 18 refused 1 faulty 0\n"), "{told}");
    let games = games_of(&folder.bytes("out"));
    let endings: Vec<Ending> = games.iter().map(Game::ending).collect();
    assert_eq!(endings, [Ending::Resignation, Ending::Repetition, Ending::AdjudicatedWin, Ending::Checkmate]);
    // A move without a score before all others is an opening.
    assert_eq!((games[2].opening(), games[2].plies()[1].score), (1, 2_001));
    let lines = folder.read("json");
    let lines: Vec<GameLine> = lines.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    let numbers: Vec<(u64, u64)> = lines.iter().map(|line| (line.game, line.pair)).collect();
    // The second file begins with a pair of its own.
    assert_eq!(numbers, [(0, 0), (2, 1), (5, 2), (4, 2)]);
    let first = &lines[0].moves[0];
    assert_eq!((first.cp, first.depth, first.nodes, first.millis), (Some(35), Some(12), Some(4_567), Some(125)));
    assert_eq!((lines[0].moves[2].mate, lines[0].moves[2].cp), (Some(5), None));
    // What was made is read by the other commands.
    assert!(printed(&["data", "info", &out]).contains("adjudicated win"));
    refuses(&["data", "from-pgn", &a, "--out", &out], "the file exists");
    // A text that is cut off: its whole games are kept, and the status says that something is missing.
    folder.write("c.pgn", mated(0) + &resigned(1)[..300]);
    let [c, cut] = ["c.pgn", "cut"].map(|name| folder.text(name));
    let Output { status, stdout, stderr } = run(&["data", "from-pgn", &c, "--out", &cut]);
    let stdout = String::from_utf8(stdout).unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(&format!("komainu: {c} line ")) && stderr.contains("1 game could not be read"), "{stderr}");
    assert!(stdout.ends_with("games 1 positions 1 refused 0 faulty 1\n"), "{stdout}");
    assert_eq!(games_of(&folder.bytes("cut")).len(), 1);
}
