//! Time limits of a game, as the headers of its record say them.
//!
//! KIF has words (`各1時間`, `10分+30秒`, `各30分（切れたら1手60秒）`, `10分切れ負け`), sometimes with a header of its
//! own for byoyomi; CSA 2.2 has `00:25+00`, hours and minutes before the sign and seconds behind it; CSA 3.0 has
//! seconds, `600+10+5`: total, byoyomi, increment.

use super::record::GameRecord;
use std::time::Duration;

/// Time of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeLimit {
    /// Time for all its moves.
    pub main: Duration,
    /// Time for each move once that is used up. 秒読み
    pub byoyomi: Duration,
    /// Time that it gains with each move. 加算
    pub increment: Duration,
}

/// A limit in minutes and seconds, as programs write it into KIF (`10:00+30`), in words: 10分+30秒. What is no such
/// limit comes back as it is.
pub(crate) fn of_kif(text: &str) -> String {
    match in_figures(text) {
        Some(figures) => in_units(figures, ["分", "秒"]),
        None => text.to_string(),
    }
}

/// A limit of CSA, in hours and minutes (`00:25+10`), in words: 25分+10秒. What is no such limit comes back as it is.
pub(crate) fn to_kif(text: &str) -> String {
    match in_figures(text) {
        Some(figures) => in_units(figures, ["時間", "分"]),
        None => text.to_string(),
    }
}

/// The numbers of `10:00+30`, the last one 0 if it is missing.
fn in_figures(text: &str) -> Option<[u64; 3]> {
    let plain: String = text.trim().chars().map(narrow).collect();
    let (main, byoyomi) = plain.split_once('+').unwrap_or((&plain, "0"));
    let (first, second) = main.split_once(':')?;
    Some([number(first)?, number(second)?, number(byoyomi)?])
}

/// A number of digits alone.
fn number(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// The time in units, those of which there are none left out, and byoyomi behind a sign.
fn in_units([first, second, byoyomi]: [u64; 3], units: [&str; 2]) -> String {
    let mut text = String::new();
    for (count, unit) in [(first, units[0]), (second, units[1])] {
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    if text.is_empty() {
        text.push_str("0秒");
    }
    if byoyomi > 0 {
        text.push_str(&format!("+{byoyomi}秒"));
    }
    text
}

/// The limits of black and white, as far as the record says them in a form that is known.
pub fn time_limits(record: &GameRecord) -> [Option<TimeLimit>; 2] {
    let both = header(record, "TIME").and_then(in_seconds).or_else(|| in_header(record));
    let black = header(record, "TIME+").and_then(in_seconds);
    let white = header(record, "TIME-").and_then(in_seconds);
    [black.or(both), white.or(both)]
}

fn header<'a>(record: &'a GameRecord, wanted: &str) -> Option<&'a str> {
    record.headers.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str())
}

/// The limit of both sides by 持ち時間 and 秒読み.
fn in_header(record: &GameRecord) -> Option<TimeLimit> {
    let mut limit = in_words_or_csa(record.time_limit.as_deref()?)?;
    if let Some(byoyomi) = header(record, "秒読み")
        && limit.byoyomi.is_zero()
    {
        limit.byoyomi = in_words(byoyomi)?.main;
    }
    Some(limit)
}

/// `600+10+5`; fractions of seconds count.
fn in_seconds(text: &str) -> Option<TimeLimit> {
    let mut parts = text.split('+').map(|part| {
        let seconds: f64 = part.trim().parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    });
    let limit = TimeLimit { main: parts.next()??, byoyomi: parts.next()??, increment: parts.next()?? };
    if parts.next().is_none() { Some(limit) } else { None }
}

fn in_words_or_csa(text: &str) -> Option<TimeLimit> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).map(narrow).collect();
    let is_csa = plain.contains(':') && plain.chars().all(|c| c.is_ascii_digit() || c == ':' || c == '+');
    if is_csa { csa(&plain) } else { in_words(&plain) }
}

/// `00:25+00`, or with seconds before the sign, too.
fn csa(text: &str) -> Option<TimeLimit> {
    let (main, byoyomi) = text.split_once('+').unwrap_or((text, "0"));
    let parts: Vec<u64> = main.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let seconds = match parts[..] {
        [hours, minutes] => seconds(hours, 3_600)?.checked_add(seconds(minutes, 60)?)?,
        [hours, minutes, rest] => {
            seconds(hours, 3_600)?.checked_add(seconds(minutes, 60)?)?.checked_add(Duration::from_secs(rest))?
        }
        _ => return None,
    };
    Some(TimeLimit { main: seconds, byoyomi: Duration::from_secs(byoyomi.parse().ok()?), ..TimeLimit::default() })
}

fn seconds(count: u64, unit: u64) -> Option<Duration> {
    count.checked_mul(unit).map(Duration::from_secs)
}

/// Words behind which the time of a single move stands.
const BYOYOMI: [&str; 6] = ["+", "秒読み", "切れたら", "以後", "以降", "一手"];
/// Words that make this time one that is added.
const INCREMENT: [&str; 2] = ["加算", "フィッシャー"];
/// Words behind a time that says how is counted, and is no limit: 1分未満切捨て.
const UNITS: [&str; 2] = ["未満切", "単位"];
/// Words of limits that differ by side.
const SIDES: [&str; 2] = ["先手", "後手"];
/// Periods of thought beside the clock, which are no part of the limit.
const PERIODS: &str = "考慮";

/// `各1時間30分、切れたら1手60秒`; `None` if there is no time in it.
fn in_words(text: &str) -> Option<TimeLimit> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).map(narrow).collect();
    let plain = plain.split(PERIODS).next().unwrap_or_default();
    if SIDES.iter().any(|side| plain.contains(side)) {
        return None;
    }
    let mut main = None::<Duration>;
    let mut each = None::<Duration>;
    let mut is_each = false;
    let mut rest = plain;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            is_each |= BYOYOMI.iter().chain(&INCREMENT).any(|word| rest.starts_with(word));
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let count: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit = [("時間", 3_600), ("分", 60), ("秒", 1)].into_iter().find(|(word, _)| rest.starts_with(word));
        let Some((word, unit)) = unit else {
            is_each |= rest.starts_with('手');
            continue;
        };
        rest = &rest[word.len()..];
        if !UNITS.iter().any(|word| rest.starts_with(word)) {
            let sum = if is_each { &mut each } else { &mut main };
            *sum = Some(sum.unwrap_or_default().checked_add(seconds(count, unit)?)?);
        }
    }
    if main.is_none() && each.is_none() {
        return None;
    }
    let mut limit = TimeLimit { main: main.unwrap_or_default(), ..TimeLimit::default() };
    if INCREMENT.iter().any(|word| plain.contains(word)) {
        limit.increment = each.unwrap_or_default();
    } else {
        limit.byoyomi = each.unwrap_or_default();
    }
    Some(limit)
}

/// Digits and signs of half width in place of those of full width.
fn narrow(c: char) -> char {
    match c {
        '０'..='９' | '＋' | '：' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;

    fn limit(main: u64, byoyomi: u64, increment: u64) -> Option<TimeLimit> {
        let [main, byoyomi, increment] = [main, byoyomi, increment].map(Duration::from_secs);
        Some(TimeLimit { main, byoyomi, increment })
    }

    fn of(time_limit: &str, headers: &[(&str, &str)]) -> [Option<TimeLimit>; 2] {
        let mut record = GameRecord::new(Position::startpos());
        record.time_limit = Some(time_limit.to_string()).filter(|text| !text.is_empty());
        record.headers = headers.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        time_limits(&record)
    }

    #[test]
    fn limits_are_read_as_programs_and_people_write_them() {
        for (text, expected) in [
            ("各1時間", limit(3_600, 0, 0)),
            ("各３時間３０分", limit(12_600, 0, 0)),
            ("10分+30秒", limit(600, 30, 0)),
            ("15分＋60秒", limit(900, 60, 0)),
            ("各30分（切れたら1手60秒）", limit(1_800, 60, 0)),
            ("10分秒読み30秒", limit(600, 30, 0)),
            ("各20分、以後１手３０秒未満", limit(1_200, 30, 0)),
            ("先手1時間、後手30分", None),
            ("10分切れ負け", limit(600, 0, 0)),
            ("１時間２分 (1手3秒)", limit(3_720, 3, 0)),
            ("初手から1手30秒", limit(0, 30, 0)),
            ("各6時間（1日制、1分未満切捨て）", limit(21_600, 0, 0)),
            ("各15分、切れたら1手30秒、1分単位で考慮時間10回", limit(900, 30, 0)),
            ("5分 1手10秒加算", limit(300, 0, 10)),
            ("5分（フィッシャー 5秒）", limit(300, 0, 5)),
            ("00:25+00", limit(1_500, 0, 0)),
            ("01:02+03", limit(3_720, 3, 0)),
            ("0:10:00+30", limit(600, 30, 0)),
            ("不明", None),
            ("", None),
            ("99999999999999999999分", None),
            ("9999999999999999999分", None),
            ("1:2:3:4", None),
            (":+", None),
        ] {
            assert_eq!(of(text, &[]), [expected; 2], "{text}");
        }
    }

    #[test]
    fn limits_in_figures_are_minutes_in_kif_and_hours_in_csa() {
        for (text, kif, csa) in [
            ("00:30+05", "30秒+5秒", "30分+5秒"),
            ("10:00+30", "10分+30秒", "10時間+30秒"),
            ("01:30", "1分30秒", "1時間30分"),
            ("00:00+10", "0秒+10秒", "0秒+10秒"),
            ("1:00:00+30", "1:00:00+30", "1:00:00+30"),
            ("各1時間", "各1時間", "各1時間"),
            ("10:00+x", "10:00+x", "10:00+x"),
            ("", "", ""),
        ] {
            assert_eq!((of_kif(text).as_str(), to_kif(text).as_str()), (kif, csa), "{text}");
        }
        assert_eq!(of(&of_kif("00:30+05"), &[]), [limit(30, 5, 0); 2]);
    }

    #[test]
    fn byoyomi_and_the_times_of_csa_3_have_headers() {
        assert_eq!(of("各10分", &[("秒読み", "30秒")]), [limit(600, 30, 0); 2]);
        assert_eq!(of("", &[("TIME", "600+10+5")]), [limit(600, 10, 5); 2]);
        let sides = [("TIME+", "600+10+0"), ("TIME-", "300.0+0+5")];
        assert_eq!(of("", &sides), [limit(600, 10, 0), limit(300, 0, 5)]);
        for bad in ["600", "600+10", "600+10+5+1", "-1+0+0", "x+0+0", "inf+0+0"] {
            assert_eq!(of("", &[("TIME", bad)]), [None; 2], "{bad}");
        }
    }
}
