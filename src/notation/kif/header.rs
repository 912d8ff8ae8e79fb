//! Headers: what a record says about the game, as `key：value`.

use super::start::{Heading, heading, write_start};
use crate::notation::record::GameRecord;
use crate::notation::time_limit;
use crate::notation::vocabulary::{digit, is_marker, side_name, trim};
use crate::types::Color;
use std::fmt::Write;

/// The key and the value of a line, if it is a header. The colon may have either width.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(['：', ':'])?;
    let key = trim(key);
    if key.is_empty() { None } else { Some((key, trim(value))) }
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

/// Adds a header, or sets what a record has a field for, by the key that KIF has for it; an empty one for which the
/// record has a field says nothing.
pub fn set_header(record: &mut GameRecord, key: &str, value: &str) {
    match field(record, key) {
        Some(_) if value.is_empty() => {}
        Some(field) if key == "持ち時間" => *field = Some(time_limit::of_kif(value)),
        Some(field) => *field = Some(value.to_string()),
        None => record.headers.push((key.to_string(), value.to_string())),
    }
}

/// Keys of what a record has a field for.
const FIELDS: [&str; 11] =
    ["先手", "下手", "後手", "上手", "棋戦", "場所", "開始日時", "対局日", "終了日時", "持ち時間", "戦型"];

/// Keys that tell start and moves.
const OF_MOVES: [&str; 5] = ["手合割", "手番", "変化", "手数＝", "手数="];

/// Tests whether records have a header of this name.
pub(crate) fn is_known(key: &str) -> bool {
    FIELDS.contains(&key)
        || OF_MOVES.contains(&key)
        || ["消費時間", "表題", "秒読み", "備考", "作者", "作品名"].contains(&key)
}

/// Tests whether a key would be read back as it is.
pub(crate) fn is_plain(key: &str) -> bool {
    !key.is_empty()
        && trim(key) == key
        && !key.contains(['：', ':', '\n', '\r'])
        && !key.starts_with(['*', '&', '#', '|', '｜', '+'])
        && !key.starts_with(|c| is_marker(c) || digit(c).is_some())
        && !key.starts_with("まで")
        && !key.starts_with("手数-")
        && heading(key) == Heading::None
        && !FIELDS.contains(&key)
        && !OF_MOVES.contains(&key)
}

/// Tests whether a header of this name can be set and is read back: what tells start and moves is none.
pub fn is_header(key: &str) -> bool {
    is_plain(key) || FIELDS.contains(&key)
}

/// The text in one line, without blanks around it.
fn one_line(text: &str) -> String {
    trim(&text.replace(['\n', '\r'], " ")).to_string()
}

/// What a record has fields for, but for the players, by the keys of KIF.
fn fields(record: &GameRecord) -> Vec<(&'static str, String)> {
    let fields = [
        ("開始日時", record.started.clone()),
        ("終了日時", record.ended.clone()),
        ("棋戦", record.event.clone()),
        ("場所", record.site.clone()),
        ("持ち時間", record.time_limit.as_deref().map(time_limit::to_kif)),
        ("戦型", record.opening.clone()),
    ];
    fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

/// All headers of a record and its players, each by the key that KIF has for it.
///
/// ```
/// use komainu::notation::kif;
///
/// let mut game = kif::read("棋戦：名人戦\n手合割：平手\n   1 ７六歩(77)\n")?.record;
/// kif::set_header(&mut game, "先手", "駒犬");
/// let headers = kif::headers(&game);
/// assert_eq!(headers.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["先手", "棋戦"]);
/// # Ok::<(), komainu::notation::RecordError>(())
/// ```
pub fn pairs(record: &GameRecord) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for color in Color::ALL {
        if let Some(name) = &record.players[color] {
            pairs.push((side_name(color, false).to_string(), name.clone()));
        }
    }
    pairs.extend(fields(record).into_iter().map(|(key, value)| (key.to_string(), value)));
    pairs.extend(record.headers.iter().cloned());
    pairs
}

/// Writes all headers and the start.
pub(crate) fn write(text: &mut String, record: &GameRecord, handicap: bool) {
    for (key, value) in fields(record) {
        _ = writeln!(text, "{key}：{}", one_line(&value));
    }
    for (key, value) in &record.headers {
        if is_plain(key) {
            _ = writeln!(text, "{key}：{}", one_line(value));
        }
    }
    write_start(text, &record.start);
    for color in Color::ALL {
        let name = record.players[color].as_deref().unwrap_or_default();
        _ = writeln!(text, "{}：{}", side_name(color, handicap), one_line(name));
    }
}
