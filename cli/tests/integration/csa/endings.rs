//! Every way in which a server ends a game, in both modes and for both sides.

use super::mock::{ID, LOGIN, begin, summary, summary_at};
use super::{games, moves, play, records};
use crate::shell::{Folder, stderr};
use komainu::notation::record::Ending;
use komainu::types::Color;

/// A game after `START` with the client as white, after +7776FU: what the server sends, and what becomes of it.
const ROWS: [(&str, Ending, Option<Color>); 12] = {
    use Ending::*;
    const BLACK: Option<Color> = Some(Color::Black);
    const WHITE: Option<Color> = Some(Color::White);
    [
        ("< -3334FU*;> -3334FU,T1;> %TORYO;> #RESIGN;> #WIN", Resignation, WHITE),
        ("< -3334FU*;> -3334FU,T1;> #TIME_UP;> #WIN", TimeUp, WHITE),
        ("< -3334FU*;> #TIME_UP;> #LOSE", TimeUp, BLACK),
        ("< -3334FU*;> -3334FU,T1;> %KACHI,T3;> %KACHI;> #JISHOGI;> #LOSE", Declaration, BLACK),
        ("< -3334FU*;> -3334FU,T1;> %KACHI,T3;> %KACHI;> #ILLEGAL_MOVE;> #WIN", FalseDeclaration, WHITE),
        ("< -3334FU*;> #ILLEGAL_MOVE;> #LOSE", IllegalMove, BLACK),
        ("< -3334FU*;> -3334FU,T1;> #SENNICHITE;> #DRAW", Repetition, None),
        ("< -3334FU*;> -3334FU,T1;> #OUTE_SENNICHITE;> #LOSE", PerpetualCheck, BLACK),
        // The last move and the end come in one packet: the engine must not begin to think for long.
        ("< -3334FU*;raw -3334FU,T1\\n+2726FU,T0\\n#MAX_MOVES\\n#CENSORED\\n", PlyLimit, None),
        ("< -3334FU*;> -3334FU,T1;> #CHUDAN", Interrupted, None),
        ("< -3334FU*;> -3334FU,T1;> #WIN", AdjudicatedWin, WHITE),
        ("< -3334FU*;> -3334FU,T1;> #RESIGN", Resignation, WHITE),
    ]
};

/// The rest of a script for a row.
fn rest(row: &str) -> String {
    format!("> +7776FU,T1\n{}\n", row.replace(';', "\n"))
}

fn check(folder: &Folder, count: usize) {
    let games = games(folder);
    let records = records(folder);
    assert_eq!((games.len(), records.len()), (count, count));
    for (((row, ending, winner), game), record) in ROWS.iter().zip(&games).zip(&records) {
        assert_eq!((game.ending, game.winner), (*ending, *winner), "{row}");
        let conclusion = record.conclusion.unwrap_or_else(|| panic!("{row}: no end"));
        // CSA's format has no word for a decision without a reason.
        if *ending != Ending::AdjudicatedWin {
            assert_eq!((conclusion.ending, conclusion.winner), (*ending, *winner), "{row}");
        }
        let played: Vec<&str> = game.moves.iter().map(|made| made.mv.as_str()).collect();
        assert_eq!(moves(record), played.join(" "), "{row}");
        assert_eq!(game.players, ["a", "b"]);
    }
}

#[test]
fn every_ending_is_recorded_in_csa_mode() {
    let folder = Folder::new("csa-endings");
    let start = begin("LOGIN me test-300-10F-W,sesame", &summary("-", ""));
    let scripts = ROWS.map(|(row, ..)| start.clone() + &rest(row));
    let count = ROWS.len().to_string();
    let arguments = ["--game", "test-300-10F", "--color", "white", "--trip", "sesame", "--games", &count];
    let (out, _) = play(&folder, scripts, &"3c3d\n".repeat(40), &arguments, 0);
    check(&folder, ROWS.len());
    assert_eq!(out.lines().last(), Some("games 12 wins 5 losses 4 draws 2 others 1"), "{out}");
    // Both sides and all moves, as people read them.
    let kifu = std::fs::read_dir(folder.path("records")).unwrap().map(|entry| entry.unwrap().path());
    let kifu = kifu.filter(|path| path.extension().is_some_and(|extension| extension == "kifu")).count();
    assert_eq!(kifu, ROWS.len());
    let report = crate::shell::run(&["report", &folder.text("records")]);
    assert!(report.status.success(), "{}", stderr(&report));
    // Nobody but the server knows who plays next.
    let plan = folder.text("records/match.toml");
    assert!(std::fs::read_to_string(&plan).unwrap().starts_with("tournament = \"server\"\n"));
    let again = crate::shell::run(&["match", &plan, "--out", &folder.text("again")]);
    let told = stderr(&again);
    assert_eq!(again.status.code(), Some(2), "{told}");
    assert!(told.contains("a server has paired these games") && !folder.path("again").exists(), "{told}");
}

#[test]
fn every_ending_is_recorded_in_extended_mode_on_one_connection() {
    let folder = Folder::new("csa-x1");
    let mut script = "< LOGIN me sesame x1\n> LOGIN:me OK\n> ##[LOGIN] +OK x1\n".to_string();
    // The row whose result never comes ends with the connection.
    let rows = &ROWS[..ROWS.len() - 1];
    for (row, ..) in rows {
        script += &format!("< %%GAME test-300-10F -\n> ##[GAME] +OK\n{}", summary("-", ""));
        script += &format!("> ##[CHAT][x] hello\n< AGREE {ID}\n> START:{ID}\n> ##[CHAT][x] in the game\n{}", rest(row));
    }
    script += "< LOGOUT\n> LOGOUT:completed\n";
    let count = rows.len().to_string();
    let arguments = ["--x1", "--game", "test-300-10F", "--color", "white", "--games", &count];
    play(&folder, [script], &"3c3d\n".repeat(40), &arguments, 0);
    check(&folder, rows.len());
}

#[test]
fn extended_mode_without_the_name_of_a_game_waits_for_the_pairing_of_the_server() {
    let folder = Folder::new("csa-x1-paired");
    let script = format!("< LOGIN me sesame x1\n> LOGIN:me OK\n> ##[LOGIN] +OK x1\n{}", summary("-", ""))
        + &format!("< AGREE {ID}\n> START:{ID}\n> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n> %TORYO\n> #RESIGN\n> #WIN\n")
        + "< LOGOUT\n> LOGOUT:completed\n";
    play(&folder, [script], "3c3d\n", &["--x1", "--games", "1"], 0);
    assert_eq!(moves(&records(&folder)[0]), "7g7f 3c3d");
}

#[test]
fn white_moves_first_in_a_handicap_game_and_a_game_may_begin_in_the_middle() {
    let folder = Folder::new("csa-starts");
    let time = "Time_Unit:msec;Total_Time:300000;Byoyomi:10000";
    let handicap = summary_at("-", "To_Move:-", time, "PI82HI22KA;-").replace("> To_Move:+\n", "");
    let middle = summary_at("+", "", time, "PI;+;+7776FU,T12;-3334FU,T6");
    let scripts = [
        begin(LOGIN, &handicap) + "< -3334FU*\n> -3334FU,T1\n> %TORYO\n> #RESIGN\n> #WIN\n",
        begin(LOGIN, &middle) + "< +2726FU*\n> +2726FU,T1.5\n> #TIME_UP\n> #WIN\n",
    ];
    play(&folder, scripts, "3c3d\n2g2f\n", &["--games", "2", "--margin", "1000"], 0);
    let records = records(&folder);
    assert_eq!([moves(&records[0]), moves(&records[1])], ["3c3d", "7g7f 3c3d 2g2f"]);
    let times: Vec<u128> = records[1].moves.iter().map(|made| made.spent.unwrap().as_millis()).collect();
    assert_eq!(times, [12_000, 6_000, 1_500]);
    let lines = folder.read("engine.log");
    let go: Vec<&str> = lines.lines().filter(|line| line.starts_with("go ") || line.starts_with("position")).collect();
    // Other engines are told of less time: the margin is taken off the byoyomi.
    let times = |line: &str| line.split(' ').skip(1).map(str::to_string).collect::<Vec<_>>();
    assert_eq!(go[0], "position sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1");
    assert_eq!(times(go[1])[..4], ["btime", "300000", "wtime", "300000"], "{go:?}");
    assert_eq!(go[2], "position startpos moves 7g7f 3c3d");
    assert_eq!(times(go[3])[..4], ["btime", "288000", "wtime", "294000"], "{go:?}");
    let byoyomi: u64 = times(go[3])[5].parse().unwrap();
    assert!((8_800..=9_000).contains(&byoyomi), "{go:?}");
}
