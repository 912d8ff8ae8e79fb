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
    let (mut answerer, mut steps) = (Answerer::default(), Vec::<Value>::new());
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
