//! The page of a session on a server.

use super::client;
use super::mock::{Mock, until_start};
use crate::live::Shown;
use crate::scripted;
use crate::shell::Folder;
use serde_json::Value;

#[test]
fn the_page_of_a_session_shows_the_game_under_way_and_then_its_result() {
    let folder = Folder::new("csa-live");
    let engine = scripted::command(&folder.path(""), "engine", "score 35 7g7f\nresign\n");
    let script =
        until_start("+") + "< +7776FU*\n> +7776FU,T1\nawait 1\n> -3334FU,T2\n< %TORYO\n> %TORYO\n> #RESIGN\n> #LOSE\n";
    let mock = Mock::start([script]);
    let command = client(&mock, &folder, &["--games", "1", "--engine", &engine, "--ponder", "off", "--live", "0"]);
    let mut shown = Shown::start(command);
    let mut events = shown.events();
    let is_first_move = |(name, board): &(String, Value)| name == "board" && board["m"] == "7g7f";
    let (_, board) = events.by_ref().find(is_first_move).expect("the own move is shown");
    assert_eq!((&board["e"], &board["c"], &board["turn"]), (&serde_json::json!([0, 1]), &"35".into(), &1.into()));
    // 300 s and 10 s a move: the second that the move took is charged.
    assert_eq!(board["clocks"], serde_json::json!([[309_000, 10_000, 0], [300_000, 10_000, 0]]));
    mock.proceed();
    let rest: Vec<(String, Value)> = events.collect();
    let last = |wanted: &str| &rest.iter().rfind(|(name, _)| name == wanted).unwrap_or_else(|| panic!("{rest:?}")).1;
    assert_eq!((&last("board")["m"], &last("board")["w"]), (&"7g7f,3c3d".into(), &(-1).into()));
    assert_eq!((&last("game")["m"], &last("game")["x"]), (&"7g7f,3c3d".into(), &"resignation".into()));
    assert_eq!((&last("report")["played"], &last("report")["engines"][0]["tally"][2]), (&1.into(), &1.into()));
    assert_eq!(rest.last().map(|(name, _)| name.as_str()), Some("end"));
    assert!(shown.child.wait().expect("it ends").success());
    mock.finish();
}
