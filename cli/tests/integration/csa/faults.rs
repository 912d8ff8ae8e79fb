//! Lines that come in pieces, in floods, half, or not at all; connections that are lost.

use super::mock::{ID, LOGIN, begin, summary, summary_at, until_start};
use super::{games, moves, play, records};
use crate::shell::Folder;
use komainu::notation::record::Ending;

#[test]
fn lines_may_come_in_pieces_and_with_floods_of_others() {
    let folder = Folder::new("csa-pieces");
    let mut script = until_start("-").replace('>', "drip");
    script += "raw +7776FU\nsleep 30\nraw ,T1\\r\\n\n< -3334FU*\nflood 50000 ##[CHAT][x] so many words\n";
    script += "raw -3334FU,T1\\r\\n+2726FU,T2\\r\\n\n< -8384FU*\nlong 100000\nraw UNKNOWN line\\n\\n\\n%%\\n\n";
    script += "> -8384FU,T1\n> %TORYO\n> #RESIGN\n> #WIN\n";
    play(&folder, [script], "3c3d\n8c8d\n", &["--games", "1"], 0);
    assert_eq!(moves(&records(&folder)[0]), "7g7f 3c3d 2g2f 8c8d");
    assert_eq!(games(&folder)[0].ending, Ending::Resignation);
}

#[test]
fn a_lost_connection_loses_no_move_and_no_game_after_it() {
    let folder = Folder::new("csa-lost");
    let start = || until_start("-") + "> +7776FU,T1\n< -3334FU*\n";
    let login = format!("< {LOGIN}\n> LOGIN:me OK\n");
    let scripts = [
        // After the login, before the start, at the own turn, at the other's, with half a line.
        login.clone(),
        login.clone() + &summary("-", "") + &format!("< AGREE {ID}\n"),
        start(),
        start() + "> -3334FU,T1\n",
        start() + "> -3334FU,T1\nraw +2726F\n",
        // The summary ends in the middle.
        format!("{login}> BEGIN Game_Summary\n> Game_ID:x\n"),
        start() + "> -3334FU,T1\n> #TIME_UP\n> #WIN\n",
    ];
    let (out, _) = play(&folder, scripts, &"3c3d\n".repeat(9), &["--games", "4", "--json"], 0);
    let endings: Vec<Ending> = games(&folder).iter().map(|game| game.ending).collect();
    assert_eq!(endings, [Ending::Error, Ending::Error, Ending::Error, Ending::TimeUp]);
    let played: Vec<String> = records(&folder).iter().map(moves).collect();
    assert_eq!(played, ["7g7f", "7g7f 3c3d", "7g7f 3c3d", "7g7f 3c3d"]);
    let text = folder.read(&name_of(&folder));
    assert!(text.lines().any(|line| line == "%ERROR"), "{text}");
    assert!(games(&folder)[0].detail.contains("closed"), "{:?}", games(&folder)[0].detail);
    let events: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("login"), count("start"), count("end"), count("relogin")), (7, 4, 4, 6));
}

/// The first record in CSA's format.
fn name_of(folder: &Folder) -> String {
    let names = std::fs::read_dir(folder.path("records")).unwrap();
    let mut names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".csa"));
    names.sort();
    format!("records/{}", names[0])
}

#[test]
fn a_game_with_a_token_is_gone_on_with() {
    let folder = Folder::new("csa-token");
    let token = "0123456789abcdef0123456789abcdef";
    let start = begin(LOGIN, &summary("-", &format!("Reconnect_Token:{token}")));
    // The own move has reached the server, its echo was lost; the server gives the position after it.
    let board = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY;P2 * -HI *  *  *  *  * -KA *;P3-FU-FU-FU-FU-FU-FU * -FU-FU;\
                 P4 *  *  *  *  *  * -FU *  *;P5 *  *  *  *  *  *  *  *  *;P6 *  * +FU *  *  *  *  *  *;\
                 P7+FU+FU * +FU+FU+FU+FU+FU+FU;P8 * +KA *  *  *  *  * +HI *;P9+KY+KE+GI+KI+OU+KI+GI+KE+KY;+";
    let new_token = "f".repeat(32);
    let again = summary_at("-", &format!("Reconnect_Token:{new_token}"), "Total_Time:300;Increment:10", board);
    let state = "> BEGIN Reconnect_State\n> Current_Turn:+\n> Black_Time_Remaining_Ms:250000\n\
                 > White_Time_Remaining_Ms:240000\n> Last_Move:-3334FU,T9\n> END Reconnect_State\n";
    let scripts = [
        start + "> +7776FU,T1\n< -3334FU*\n",
        format!(
            "< {LOGIN} reconnect:{ID}+{token}\n> LOGIN:me OK\n{again}{state}> +2726FU,T5\n< -8384FU*\n> -8384FU,T7\n"
        ),
        format!("< {LOGIN} reconnect:{ID}+{new_token}\n> LOGIN:incorrect reconnect_rejected\n"),
        until_start("-") + "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n> #TIME_UP\n> #WIN\n",
    ];
    let (out, _) = play(&folder, scripts, "3c3d\n8c8d\n3c3d\n", &["--games", "2"], 0);
    assert!(out.contains("the game goes on"), "{out}");
    let played: Vec<String> = records(&folder).iter().map(moves).collect();
    assert_eq!(played, ["7g7f 3c3d 2g2f 8c8d", "7g7f 3c3d"]);
    let go = folder.read("engine.log");
    let go: Vec<&str> = go.lines().filter(|line| line.starts_with("go ")).collect();
    let white: u64 = go[1].split(' ').nth(4).unwrap().parse().unwrap();
    // 240 s less the margin, and the increment apart.
    assert!((238_000..=240_000).contains(&white), "{go:?}");
    assert_eq!(games(&folder)[0].ending, Ending::Error);
    let log = folder.read("records/csa.log");
    assert!(!log.contains(token) && !log.contains(&new_token), "{log}");
}

#[test]
fn games_that_are_rejected_do_not_count() {
    let folder = Folder::new("csa-reject");
    let login = format!("< {LOGIN}\n> LOGIN:me OK\n");
    let odd = summary("-", "").replace("> Your_Turn:-\n", "");
    let scripts = [
        login.clone() + &summary("-", "") + &format!("< AGREE {ID}\n> REJECT:{ID} by b\n"),
        login.clone() + &summary("-", "") + &format!("< AGREE {ID}\n> REJECT:{ID} by the Server (timed out)\n"),
        // A game without a side cannot be played.
        format!("{login}{odd}< REJECT {ID}\n> REJECT:{ID} by me\n"),
        until_start("-") + "> +7776FU,T1\n< -3334FU*\n> -3334FU,T1\n> #TIME_UP\n> #WIN\n",
    ];
    play(&folder, scripts, "3c3d\n", &["--games", "1"], 0);
    assert_eq!(games(&folder).len(), 1);
}
