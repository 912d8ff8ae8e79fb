//! JSON records keep the rules of the format's schema (json-kifu-format), whatever the game.

use super::games::{Able, EVERYTHING, random_record};
use crate::oracle::setups::for_all;
use komainu::notation::jkf;
use komainu::position::Position;
use komainu::types::{Move, PieceType, Square};
use proptest::prelude::*;
use serde_json::{Map, Value};

const PRESETS: [&str; 16] =
    ["HIRATE", "KY", "KY_R", "KA", "HI", "HIKY", "2", "3", "4", "5", "5_L", "6", "7_L", "8", "10", "OTHER"];
const KINDS: [(&str, PieceType); 14] = [
    ("FU", PieceType::Pawn),
    ("KY", PieceType::Lance),
    ("KE", PieceType::Knight),
    ("GI", PieceType::Silver),
    ("KI", PieceType::Gold),
    ("KA", PieceType::Bishop),
    ("HI", PieceType::Rook),
    ("OU", PieceType::King),
    ("TO", PieceType::ProPawn),
    ("NY", PieceType::ProLance),
    ("NK", PieceType::ProKnight),
    ("NG", PieceType::ProSilver),
    ("UM", PieceType::Horse),
    ("RY", PieceType::Dragon),
];
const RELATIVE: [&str; 13] = ["L", "C", "R", "U", "M", "D", "LU", "LM", "LD", "RU", "RM", "RD", "H"];

/// The object, which may have these keys and must have those behind them.
#[track_caller]
fn object<'a>(value: &'a Value, known: &[&str], needed: &[&str]) -> &'a Map<String, Value> {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is no object"));
    assert!(object.keys().all(|key| known.contains(&key.as_str())), "{value}");
    assert!(needed.iter().all(|key| object.contains_key(*key)), "{value}");
    object
}

fn number(value: &Value, most: u64) -> u64 {
    value.as_u64().filter(|&number| number <= most).unwrap_or_else(|| panic!("{value} is no number up to {most}"))
}

fn kind(value: &Value) -> PieceType {
    KINDS.iter().find(|(name, _)| value == name).unwrap_or_else(|| panic!("{value} is no piece")).1
}

fn square(value: &Value) -> Square {
    let place = object(value, &["x", "y"], &["x", "y"]);
    let [file, rank] = ["x", "y"].map(|key| number(&place[key], 9) as usize);
    Square::new((file - 1) * 9 + rank - 1).expect("it is on the board")
}

fn check_time(value: &Value, needed: &[&str]) {
    let time = object(value, &["h", "m", "s"], needed);
    assert!(["m", "s"].iter().all(|part| number(&time[*part], 59) < 60), "{value}");
}

fn check_start(value: &Value) {
    let initial = object(value, &["preset", "data"], &["preset"]);
    assert!(PRESETS.iter().any(|name| initial["preset"] == *name), "{value}");
    assert_eq!(initial["preset"] == "OTHER", initial.contains_key("data"), "{value}");
    let Some(data) = initial.get("data") else { return };
    let state = object(data, &["color", "board", "hands"], &["color", "board", "hands"]);
    number(&state["color"], 1);
    let files = state["board"].as_array().unwrap();
    assert!(files.len() == 9 && files.iter().all(|file| file.as_array().unwrap().len() == 9), "{data}");
    for cell in files.iter().flat_map(|file| file.as_array().unwrap()) {
        let cell = object(cell, &["color", "kind"], &[]);
        assert!(cell.is_empty() || number(&cell["color"], 1) <= 1 && kind(&cell["kind"]).index() > 0, "{data}");
    }
    let hands = state["hands"].as_array().unwrap();
    assert_eq!(hands.len(), 2);
    for (name, count) in hands.iter().flat_map(|hand| hand.as_object().unwrap()) {
        assert!(PieceType::HAND.contains(&kind(&Value::from(name.as_str()))) && number(count, 18) <= 18, "{data}");
    }
}

/// The move, found by what the schema needs alone: colour, squares, piece, promotion.
fn check_move(value: &Value, pos: &Position) -> Move {
    let known = ["color", "from", "to", "piece", "same", "promote", "capture", "relative"];
    let told = object(value, &known, &["color", "to", "piece"]);
    let piece = kind(&told["piece"]);
    let to = square(&told["to"]);
    assert_eq!(number(&told["color"], 1), pos.side() as u64, "{value}");
    let mv = match told.get("from").map(square) {
        None => Move::drop(piece, to),
        Some(from) if told.get("promote") == Some(&Value::Bool(true)) => Move::promotion(from, to),
        Some(from) => Move::board(from, to),
    };
    assert!(pos.legal_moves().contains(&mv), "{value}");
    let is_same = pos.last_move().is_some_and(|last| last.to() == to);
    assert_eq!(told.get("same"), is_same.then_some(&Value::Bool(true)), "{value}");
    let taken = if mv.is_drop() { None } else { pos.piece_on(to) };
    assert_eq!(told.get("capture").map(kind), taken.map(|taken| taken.piece_type()), "{value}");
    let relative = told.get("relative").map(|letters| letters.as_str().unwrap());
    assert!(relative.is_none_or(|letters| RELATIVE.contains(&letters)), "{value}");
    assert!(!mv.is_drop() || relative.is_none_or(|letters| letters == "H") && !told.contains_key("promote"), "{value}");
    mv
}

/// Checks entries and their forks, each from its own place.
fn check_entries(entries: &[Value], mut pos: Position) {
    for value in entries {
        let entry = object(value, &["comments", "move", "time", "special", "forks"], &[]);
        let list = |key: &str| entry.get(key).map_or(&[][..], |list| list.as_array().unwrap());
        for fork in list("forks") {
            check_entries(fork.as_array().unwrap(), pos.clone());
        }
        assert!(!(entry.contains_key("move") && entry.contains_key("special")), "{value}");
        assert!(list("comments").iter().all(Value::is_string), "{value}");
        assert!(!(list("comments").is_empty() && entry.contains_key("comments")), "{value}");
        assert!(entry.get("special").is_none_or(|special| !special.as_str().unwrap().is_empty()), "{value}");
        if let Some(time) = entry.get("time") {
            let time = object(time, &["now", "total"], &["now", "total"]);
            check_time(&time["now"], &["m", "s"]);
            check_time(&time["total"], &["h", "m", "s"]);
        }
        if let Some(made) = entry.get("move") {
            pos.do_move(check_move(made, &pos));
        }
    }
}

fn check(text: &str, start: &Position) {
    let value: Value = serde_json::from_str(text).unwrap();
    let record = object(&value, &["header", "initial", "moves"], &["header", "moves"]);
    assert!(record["header"].as_object().unwrap().values().all(Value::is_string), "{text}");
    record.get("initial").into_iter().for_each(check_start);
    let entries = record["moves"].as_array().unwrap();
    object(&entries[0], &["comments"], &[]);
    check_entries(&entries[1..], start.clone());
}

#[test]
fn json_keeps_the_rules_of_its_schema() {
    let texts = std::cell::RefCell::new(String::new());
    for_all(8, 200, (any::<u16>(), 0..60usize, 0..160usize), |(seed, game, longest)| {
        let record = random_record(seed.into(), game, Able { longest, ..EVERYTHING });
        let text = jkf::write(&record);
        check(&text, &record.start);
        texts.borrow_mut().push_str(&text);
        Ok(())
    });
    let texts = texts.into_inner();
    for part in ["relative\":\"L\"", "relative\":\"H\"", "promote\":true", "promote\":false", "forks\":", "time\":"] {
        assert!(texts.contains(part), "no {part}");
    }
}
