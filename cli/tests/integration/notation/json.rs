//! JSON records keep the rules of the format's schema (json-kifu-format), whatever the game.

use super::games::{Able, EVERYTHING, random_record};
use crate::oracle::setups::for_all;
use komainu::movegen::{All, generate};
use komainu::notation::jkf;
use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, PieceType, Square};
use proptest::prelude::*;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

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

fn seconds(value: &Value, needed: &[&str]) -> u64 {
    let time = object(value, &["h", "m", "s"], needed);
    let part = |key: &str, most| time.get(key).map_or(0, |value| number(value, most));
    part("h", u64::MAX) * 3_600 + part("m", 59) * 60 + part("s", 59)
}

/// Where a line of moves has come to.
#[derive(Clone)]
struct Walk {
    pos: Position,
    last: Option<Square>,
    totals: [u64; 2],
}

/// Moves seen, by what is told of them.
#[derive(Default)]
struct Seen(BTreeSet<String>);

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
fn check_move(value: &Value, walk: &Walk, seen: &mut Seen) -> Move {
    let known = ["color", "from", "to", "piece", "same", "promote", "capture", "relative"];
    let told = object(value, &known, &["color", "to", "piece"]);
    let pos = &walk.pos;
    let piece = kind(&told["piece"]);
    let to = square(&told["to"]);
    assert_eq!(number(&told["color"], 1), pos.side() as u64, "{value}");
    let mv = match told.get("from").map(square) {
        None => Move::drop(piece, to),
        Some(from) if told.get("promote") == Some(&Value::Bool(true)) => Move::promotion(from, to),
        Some(from) => Move::board(from, to),
    };
    let legal = generate::<All>(pos);
    assert!(legal.contains(&mv), "{value}");
    let zone =
        |square: Square| if pos.side() == Color::Black { square.rank().index() < 3 } else { square.rank().index() > 5 };
    let MoveKind::Board { from, .. } = mv.kind() else {
        assert!(!told.contains_key("promote") && !told.contains_key("capture"), "{value}");
        check_relative(told, pos, piece, mv, seen);
        return mv;
    };
    assert_eq!(pos.piece_on(from).unwrap().piece_type(), piece, "{value}");
    // A piece that stands still in rank and file could promote wherever its move touches the zone.
    let may_promote = piece.can_promote() && (zone(from) || zone(to));
    assert_eq!(told.contains_key("promote"), may_promote, "{value}");
    assert_eq!(told.get("capture").map(kind), pos.piece_on(to).map(|taken| taken.piece_type()), "{value}");
    check_relative(told, pos, piece, mv, seen);
    mv
}

/// Letters that tell a move from others stand just where there are others.
fn check_relative(told: &Map<String, Value>, pos: &Position, piece: PieceType, mv: Move, seen: &mut Seen) {
    let relative = told.get("relative").map(|letters| letters.as_str().unwrap());
    assert!(relative.is_none_or(|letters| RELATIVE.contains(&letters)), "{told:?}");
    let is_drop = |mv: Move| matches!(mv.kind(), MoveKind::Drop { .. });
    let origin = |mv: &Move| match mv.kind() {
        MoveKind::Board { from, to, .. } if to == told_to(told) => {
            (pos.piece_on(from).unwrap().piece_type() == piece).then_some(from)
        }
        _ => None,
    };
    let origins: BTreeSet<usize> = generate::<All>(pos).iter().filter_map(origin).map(Square::index).collect();
    let has_others = origins.len() > usize::from(!is_drop(mv));
    assert!(relative.is_some() || !has_others, "{told:?} in {pos}");
    assert_eq!(relative == Some("H"), relative.is_some() && is_drop(mv), "{told:?}");
    seen.0.extend(relative.map(str::to_string));
}

fn told_to(told: &Map<String, Value>) -> Square {
    square(&told["to"])
}

/// Checks entries and their forks, each from its own place.
fn check_entries(entries: &[Value], mut walk: Walk, seen: &mut Seen) {
    for value in entries {
        let entry = object(value, &["comments", "move", "time", "special", "forks"], &[]);
        for fork in entry.get("forks").map_or(&[][..], |forks| forks.as_array().unwrap()) {
            check_entries(fork.as_array().unwrap(), walk.clone(), seen);
            seen.0.insert("forks".to_string());
        }
        assert!(!(entry.contains_key("move") && entry.contains_key("special")), "{value}");
        let comments = entry.get("comments").map_or(&[][..], |comments| comments.as_array().unwrap());
        assert!(comments.iter().all(Value::is_string) && !(comments.is_empty() && entry.contains_key("comments")));
        assert!(entry.get("special").is_none_or(|special| !special.as_str().unwrap().is_empty()), "{value}");
        let side = walk.pos.side();
        if let Some(time) = entry.get("time") {
            let time = object(time, &["now", "total"], &["now", "total"]);
            walk.totals[side] += seconds(&time["now"], &["m", "s"]);
            assert_eq!(seconds(&time["total"], &["h", "m", "s"]), walk.totals[side], "{value}");
            seen.0.insert("time".to_string());
        }
        if let Some(made) = entry.get("move") {
            let mv = check_move(made, &walk, seen);
            let is_same = walk.last == Some(mv.to());
            assert_eq!(made.get("same"), is_same.then_some(&Value::Bool(true)), "{value}");
            walk.last = Some(mv.to());
            walk.pos.do_move(mv);
            seen.0.extend(made.get("promote").map(|promote| format!("promote {promote}")));
        }
    }
}

fn check(text: &str, start: &Position, seen: &mut Seen) {
    let value: Value = serde_json::from_str(text).unwrap();
    let record = object(&value, &["header", "initial", "moves"], &["header", "moves"]);
    assert!(record["header"].as_object().unwrap().values().all(Value::is_string), "{text}");
    record.get("initial").into_iter().for_each(check_start);
    let entries = record["moves"].as_array().unwrap();
    object(&entries[0], &["comments"], &[]);
    check_entries(&entries[1..], Walk { pos: start.clone(), last: None, totals: [0; 2] }, seen);
}

#[test]
fn json_keeps_the_rules_of_its_schema() {
    let seen = std::cell::RefCell::new(Seen::default());
    for_all(8, 200, (any::<u16>(), 0..60usize, 0..160usize), |(seed, game, longest)| {
        let record = random_record(seed.into(), game, Able { longest, ..EVERYTHING });
        check(&jkf::write(&record), &record.start, &mut seen.borrow_mut());
        Ok(())
    });
    let Seen(seen) = seen.into_inner();
    for told in ["L", "R", "U", "M", "D", "H", "promote true", "promote false", "forks", "time"] {
        assert!(seen.contains(told), "no {told}: {seen:?}");
    }
}
