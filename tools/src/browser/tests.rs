//! Questions and answers.

use super::*;

fn ask(question: &Value) -> Value {
    let answer = Answerer::default().answer(&question.to_string(), &mut |_| ());
    serde_json::from_str(&answer).expect("an answer is JSON")
}

fn position(start: Option<&str>, moves: &str) -> Value {
    let moves: Vec<&str> = moves.split_ascii_whitespace().collect();
    ask(&json!({ "ask": "position", "start": start, "moves": moves }))
}

const KIF: &str = "手合割：平手\n先手：甲\n後手：乙\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:03/00:00:03)\n   2 ３四歩(33)   ( 0:05/00:00:05)\n   3 ２二角成(88)   ( 0:01/00:00:04)\n   4 投了\n";

#[test]
fn a_position_tells_its_moves_and_its_end() {
    let answer = position(None, "7g7f 3c3d");
    let legal = answer["legal"].as_array().unwrap();
    assert!(legal.contains(&json!("8h2b+")) && legal.contains(&json!("8h2b")) && !legal.contains(&json!("8h1a")));
    assert_eq!((&answer["side"], &answer["check"], &answer["end"]), (&json!("b"), &json!(false), &Value::Null));
    let mated = position(Some("4k4/9/4P4/9/9/9/9/9/4K4 b G 1"), "G*5b");
    assert_eq!(mated["end"], json!({ "ending": "checkmate", "winner": "b" }));
    assert_eq!(mated["legal"], json!([]));
    let shuffle = "2h3h 8b7b 3h2h 7b8b ".repeat(3);
    assert_eq!(position(None, &shuffle)["end"], json!({ "ending": "repetition", "winner": null }));
}

#[test]
fn a_declaration_is_offered_where_it_wins() {
    let camp = Some("+R+B+R+B1GSGS/3SGK3/PPPPPP3/9/9/9/9/9/4k4 b - 1");
    assert_eq!(position(camp, "")["declares"], json!(true));
    assert_eq!(position(None, "")["declares"], json!(false));
}

#[test]
fn a_fault_is_told_in_words_that_name_it() {
    assert_eq!(position(None, "7g7f 7g7f")["error"], json!("move 2: 7g7f is not legal"));
    assert!(position(Some("x"), "")["error"].is_string());
    assert!(ask(&json!({ "ask": "riddle" }))["error"].as_str().unwrap().contains("riddle"));
    assert_eq!(Answerer::default().answer("{", &mut |_| ()).matches("error").count(), 1);
    let none = ask(&json!({ "ask": "read", "text": KIF, "game": 1 }));
    assert_eq!(none["error"], json!("game 2 of 1"));
}

#[test]
fn a_record_is_read_and_written_again() {
    let read = ask(&json!({ "ask": "read", "text": KIF }));
    assert_eq!(read["moves"], json!(["7g7f", "3c3d", "8h2b+"]));
    assert_eq!((&read["players"], &read["spent"]), (&json!(["甲", "乙"]), &json!([3000, 5000, 1000])));
    assert_eq!((&read["end"]["winner"], &read["blocks"]), (&json!("b"), &json!([[3, 2, 1, 0]])));
    for format in ["kif", "csa", "ki2", "usi"] {
        let mut question = read.clone();
        question["ask"] = json!("write");
        question["format"] = json!(format);
        let text = ask(&question)["text"].as_str().unwrap_or_default().to_string();
        assert_eq!(ask(&json!({ "ask": "read", "text": text }))["moves"], read["moves"], "{format}: {text}");
    }
}

#[test]
fn every_handicap_has_a_start_that_can_be_asked_about() {
    let handicaps = ask(&json!({ "ask": "handicaps" }))["handicaps"].clone();
    for handicap in handicaps.as_array().unwrap() {
        let answer = position(handicap["sfen"].as_str(), "");
        assert_eq!(answer["sfen"], handicap["sfen"]);
        assert_eq!(answer["side"] == json!("b"), handicap["name"] == json!("even"));
    }
}

#[test]
fn a_study_in_parts_gives_the_page_of_the_game() {
    let mut answerer = Answerer::default();
    let mut steps = Vec::<Value>::new();
    let game = json!({ "text": KIF, "nodes": 300, "lines": 2 });
    let with = |answerer: &mut Answerer, more: Value, steps: &mut Vec<Value>| -> Value {
        let mut question = game.clone();
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut hear = |part: &str| steps.push(serde_json::from_str(part).unwrap());
        serde_json::from_str(&answerer.answer(&question.to_string(), &mut hear)).unwrap()
    };
    let answer = with(&mut answerer, json!({ "ask": "study", "plies": [3, 2] }), &mut steps);
    assert_eq!((answer, steps.len()), (json!({ "searched": 2 }), 2));
    let half = with(&mut answerer, json!({ "ask": "assess", "steps": steps }), &mut Vec::new());
    assert_eq!(half["page"]["analysis"]["moves"][0]["before"], Value::Null);
    assert!(half["page"]["analysis"]["moves"][2]["before"]["lines"].is_array());
    with(&mut answerer, json!({ "ask": "study", "plies": [1, 0] }), &mut steps);
    let whole = with(&mut answerer, json!({ "ask": "assess", "steps": steps, "english": true }), &mut Vec::new());
    assert_eq!(whole["page"]["chances"].as_array().unwrap().len(), 4);
    assert!(whole["page"]["kif"].as_str().unwrap().contains("#評価値="));
    assert!(whole["csa"].as_str().unwrap().contains("+8822UM"));
    let beyond = with(&mut answerer, json!({ "ask": "study", "plies": [4] }), &mut Vec::new());
    assert_eq!(beyond["error"], json!("ply 4 of 3"));
}

#[test]
fn a_position_tells_which_pieces_give_check() {
    assert_eq!(position(Some("4k4/9/4R4/9/9/9/9/9/4K4 w - 1"), "")["checkers"], json!(["5c"]));
    assert_eq!(position(Some("4k4/9/9/9/9/9/9/4r4/4K4 b - 1"), "")["checkers"], json!(["5h"]));
    assert_eq!(position(None, "7g7f")["checkers"], json!([]));
}

#[test]
fn a_foul_is_named_with_the_squares_that_show_it() {
    for (sfen, mv, rule, squares) in [
        ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", json!("nifu"), json!(["5g"])),
        ("4k4/9/9/9/9/9/9/9/4K4 b N 1", "N*1b", json!("dead-piece"), json!(["1b"])),
        ("7nk/6R2/8G/9/9/9/9/9/4K4 b P 1", "P*1b", json!("uchifuzume"), json!(["1a"])),
        ("4r4/9/9/9/9/4G4/9/9/k3K4 b - 1", "5f4f", json!("king-in-check"), json!(["5a"])),
        ("3r5/9/9/9/9/9/9/9/k3K4 b - 1", "5i6i", json!("king-in-check"), json!(["6a"])),
        ("4k4/9/9/9/9/9/9/3rr4/4K4 b - 1", "5i5h", json!("king-in-check"), json!(["6h"])),
        ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "5g5e", Value::Null, json!([])),
    ] {
        let answer = ask(&json!({ "ask": "foul", "start": sfen, "moves": [], "move": mv }));
        assert_eq!((&answer["foul"], &answer["squares"]), (&rule, &squares), "{mv} in {sfen}");
    }
    assert!(ask(&json!({ "ask": "foul", "move": "9z" }))["error"].as_str().unwrap().contains("9z"));
}

#[test]
fn a_game_ends_by_the_limit_and_the_rule_of_the_question() {
    let at = |plies: Value, moves: &[&str]| {
        ask(&json!({ "ask": "position", "moves": moves, "plies": plies }))["end"].clone()
    };
    let limit = json!({ "ending": "ply-limit", "winner": null });
    assert_eq!(at(json!(2), &["7g7f", "3c3d"]), limit);
    assert_eq!((at(json!(3), &["7g7f", "3c3d"]), at(json!(0), &["7g7f"])), (Value::Null, Value::Null));
    let camp = |rule: &str| {
        let sfen = "+R+B+R2GSGS/3SGK3/PPPPPP3/9/9/9/9/9/4k4 b - 1";
        ask(&json!({ "ask": "position", "start": sfen, "moves": [], "declarations": rule }))
    };
    assert_eq!((&camp("CSARule24")["declares"], &camp("CSARule24")["draws"]), (&json!(false), &json!(true)));
    assert_eq!((&camp("CSARule27")["draws"], &camp("NoEnteringKing")["draws"]), (&json!(false), &json!(false)));
    assert!(camp("x")["error"].as_str().unwrap().contains('x'));
}

#[test]
fn comments_and_variations_of_a_record_are_told_where_they_leave_the_game() {
    let text = "手合割：平手\n*始め\n   1 ７六歩(77)\n*角道\n   2 ３四歩(33)\n   3 ２六歩(27)\n\n変化：2手\n   2 ８四歩(83)\n*飛車先\n   3 ２六歩(27)\n\n変化：3手\n   3 ６八銀(79)\n";
    let read = ask(&json!({ "ask": "read", "text": text }));
    assert_eq!(read["comments"], json!([["始め"], ["角道"], [], []]));
    assert_eq!(read["variations"][0], json!({ "after": 1, "moves": ["8c8d", "2g2f"], "comments": [["飛車先"], []] }));
    assert_eq!(read["variations"][1]["moves"], json!(["8c8d", "7i6h"]));
    assert_eq!(ask(&json!({ "ask": "read", "text": KIF }))["variations"], json!([]));
}

#[test]
fn a_record_that_is_written_has_the_times_of_the_clock() {
    let mut question =
        json!({ "ask": "write", "format": "kif", "moves": ["7g7f"], "time_limit": "10分", "byoyomi": "30秒" });
    let text = ask(&question)["text"].as_str().unwrap().to_string();
    assert!(text.contains("持ち時間：10分\n") && text.contains("秒読み：30秒\n"), "{text}");
    question["time_limit"] = json!(null);
    question["byoyomi"] = json!(null);
    assert!(!ask(&question)["text"].as_str().unwrap().contains("時間："));
    question["time_limit"] = json!(5);
    assert!(ask(&question)["error"].as_str().unwrap().contains("time_limit"));
}

#[test]
fn a_lesson_tells_what_is_missing_of_a_plan_and_of_a_castle() {
    let ask_lesson = |moves: &str, plan: Value| {
        let moves: Vec<&str> = moves.split_ascii_whitespace().collect();
        ask(&json!({ "ask": "lesson", "moves": moves, "you": "b", "plan": plan }))
    };
    let start = ask_lesson("", json!("四間飛車 美濃"));
    assert_eq!(start["plan"]["names"], json!(["四間飛車 美濃", "Fourth-file rook, Mino"]));
    assert_eq!((&start["plan"]["missing"][0], &start["castle"]), (&json!(["P", "3d"]), &Value::Null));
    let later = ask_lesson("7g7f 3c3d 6g6f 4c4d 2h6h 8b4b 5i4h 5a6b 4h3h 6b7b 3h2h 7b8b 3i3h", json!("四間飛車 美濃"));
    assert_eq!((&later["castle"]["names"][1], &later["castle"]["missing"]), (&json!("Half mino"), &json!([])));
    let missing = |answer: &Value| answer["plan"]["missing"].as_array().unwrap().len();
    assert!(missing(&later) < missing(&start));
    assert_eq!(ask_lesson("", Value::Null)["plan"], Value::Null);
    assert!(ask_lesson("", json!("riddle"))["error"].as_str().unwrap().contains("riddle"));
    assert!(ask(&json!({ "ask": "lesson", "you": "x" }))["error"].as_str().unwrap().contains('x'));
}

#[test]
fn a_piece_that_a_move_leaves_to_be_taken_is_told() {
    for (sfen, mv, pieces) in [
        // The rook goes where a pawn takes it, or where none does.
        ("4k4/9/9/9/4p4/9/9/4R4/4K4 b - 1", "5h5f", json!([["R", "5f"]])),
        ("4k4/9/9/9/4p4/9/9/4R4/4K4 b - 1", "5h5g", json!([])),
        // A bishop is left beside a gold, or goes away.
        ("4k4/9/4gB3/9/9/9/9/9/4K4 b - 1", "5i5h", json!([["B", "4c"]])),
        ("4k4/9/4gB3/9/9/9/9/9/4K4 b - 1", "4c2e", json!([])),
        // Bishops that are traded do not hang, nor does a pawn.
        ("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3", "8h2b+", json!([])),
        ("4k4/9/9/9/4r4/9/4P4/9/4K4 b - 1", "5i4h", json!([])),
        // A promoted piece has its own name.
        ("4k4/9/9/9/9/9/4g4/4+B4/K8 b - 1", "9i8h", json!([["+B", "5h"]])),
    ] {
        let answer = ask(&json!({ "ask": "hanging", "start": sfen, "move": mv }));
        assert_eq!(answer["pieces"], pieces, "{mv} in {sfen}: {answer}");
    }
    assert!(ask(&json!({ "ask": "hanging", "move": "7g7e" }))["error"].as_str().unwrap().contains("7g7e"));
}
