//! Headers: what a record says about the game, as `key：value`.

use super::board::write_start;
use super::vocabulary::{digit, is_marker, side_name, trim};
use crate::notation::record::GameRecord;
use crate::notation::time_limit;
use crate::types::Color;
use std::fmt::Write;

/// The key and the value of a line, if it is a header. The colon may have either width.
pub(super) fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(['：', ':'])?;
    let key = trim(key);
    (!key.is_empty()).then_some((key, trim(value)))
}

/// The place of a record for a header that it has a field for.
fn field<'a>(record: &'a mut GameRecord, key: &str) -> Option<&'a mut Option<String>> {
    Some(match key {
        "先手" | "下手" => &mut record.players[Color::Black],
        "後手" | "上手" => &mut record.players[Color::White],
        "棋戦" => &mut record.event,
        "場所" => &mut record.site,
        "開始日時" | "対局日" => &mut record.started,
        "終了日時" => &mut record.ended,
        "持ち時間" => &mut record.time_limit,
        "戦型" => &mut record.opening,
        _ => return None,
    })
}

/// Keeps a header; an empty one for which the record has a field says nothing.
pub(in crate::notation) fn keep(record: &mut GameRecord, key: &str, value: &str) {
    match field(record, key) {
        Some(_) if value.is_empty() => {}
        Some(field) if key == "持ち時間" => *field = Some(time_limit::of_kif(value)),
        Some(field) => *field = Some(value.to_string()),
        None => record.headers.push((key.to_string(), value.to_string())),
    }
}

/// Keys that mean something else than a header of their own.
const RESERVED: [&str; 15] = [
    "先手",
    "下手",
    "後手",
    "上手",
    "棋戦",
    "場所",
    "開始日時",
    "対局日",
    "終了日時",
    "持ち時間",
    "戦型",
    "手合割",
    "変化",
    "手数＝",
    "手数=",
];

/// Tests whether records have a header of this name.
pub(super) fn is_known(key: &str) -> bool {
    RESERVED.contains(&key) || ["消費時間", "表題", "秒読み", "備考", "作者", "作品名"].contains(&key)
}

/// Tests whether a key would be read back as it is.
pub(in crate::notation) fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && trim(key) == key
        && !key.contains(['：', ':', '\n', '\r'])
        && !key.starts_with(['*', '&', '#', '|', '｜', '+'])
        && !key.starts_with(|c| is_marker(c) || digit(c).is_some())
        && !key.starts_with("まで")
        && !key.starts_with("手数-")
        && !key.ends_with("の持駒")
        && !RESERVED.contains(&key)
}

/// The text in one line, without blanks around it.
fn one_line(text: &str) -> String {
    trim(&text.replace(['\n', '\r'], " ")).to_string()
}

/// Headers and players by the keys of KIF, in the order in which a record has them.
pub(in crate::notation) fn pairs(record: &GameRecord) -> Vec<(String, String)> {
    let time_limit = record.time_limit.as_deref().map(time_limit::to_kif);
    let fields = [
        ("先手", &record.players[0]),
        ("後手", &record.players[1]),
        ("開始日時", &record.started),
        ("終了日時", &record.ended),
        ("棋戦", &record.event),
        ("場所", &record.site),
        ("持ち時間", &time_limit),
        ("戦型", &record.opening),
    ];
    let known = fields.into_iter().filter_map(|(key, value)| Some((key.to_string(), value.clone()?)));
    known.chain(record.headers.iter().cloned()).collect()
}

/// Writes all headers and the start.
pub(super) fn write(text: &mut String, record: &GameRecord, handicap: bool) {
    let time_limit = record.time_limit.as_deref().map(time_limit::to_kif);
    let fields = [
        ("開始日時", &record.started),
        ("終了日時", &record.ended),
        ("棋戦", &record.event),
        ("場所", &record.site),
        ("持ち時間", &time_limit),
        ("戦型", &record.opening),
    ];
    let known = fields.into_iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    let others = record.headers.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    for (key, value) in known.chain(others.filter(|(key, _)| is_plain(key))) {
        _ = writeln!(text, "{key}：{}", one_line(value));
    }
    write_start(text, &record.start);
    for color in Color::ALL {
        let name = record.players[color].as_deref().unwrap_or_default();
        _ = writeln!(text, "{}：{}", side_name(color, handicap), one_line(name));
    }
}
