//! Guesses about text that is no record: what it looks like.

use super::Format;
#[cfg(not(target_family = "wasm"))]
use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS, UTF_8, WINDOWS_1252};

/// Words of which nearly every Japanese record has one.
#[cfg(not(target_family = "wasm"))]
const WORDS: [&str; 10] = ["手合割", "先手", "後手", "下手", "上手", "開始日時", "手数", "７六歩", "２六歩", "指し手"];

/// Beginnings of lines of which some letters are left even where most bytes mean nothing in the wrong encoding. Each
/// ends with its last byte: no letter is made of that and of what follows.
#[cfg(not(target_family = "wasm"))]
const BEGINNINGS: [&str; 6] =
    ["手合割：平手", "後手：", "上手：", "開始日時：", "持ち時間：", "手数----指手---------消費時間--"];

/// Tests whether the text has a word of Japanese records.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn has_words(text: &str) -> bool {
    WORDS.iter().any(|word| text.contains(word))
}

/// The kind of text that it looks like, as in "it looks like {}".
///
/// ```
/// use komainu::notation::likeness;
///
/// assert_eq!(likeness("[Event \"x\"]\n1. P7g-7f\n").as_deref(), Some("PGN"));
/// assert_eq!(likeness("諞ｧ"), None);
/// ```
pub fn likeness(text: &str) -> Option<String> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    if first.starts_with('[') && first.ends_with(']') {
        return Some(if text.contains("[Sente ") { "PSN" } else { "PGN" }.to_string());
    }
    if first.starts_with('<') {
        return Some("HTML".to_string());
    }
    match Format::of_text(text) {
        Format::Kif => {}
        format => return Some(format.title().to_string()),
    }
    wrong_encoding(text).or_else(|| lost_characters(text))
}

/// The encodings that were mixed up on the way of the text, as in "UTF-8 that was read as Shift_JIS".
#[cfg(not(target_family = "wasm"))]
fn wrong_encoding(text: &str) -> Option<String> {
    let without_lost = without_lost(text);
    // Where nothing can be turned back, letters are left that show what it was.
    for is_thorough in [true, false] {
        for read_as in [SHIFT_JIS, EUC_JP, WINDOWS_1252] {
            for was in [UTF_8, SHIFT_JIS, EUC_JP] {
                if was == read_as {
                    continue;
                }
                let is_found = if is_thorough {
                    has_words(&was.decode_without_bom_handling(&read_as.encode(text).0).0)
                } else {
                    BEGINNINGS.iter().any(|line| has_garbled(&without_lost, line, was, read_as))
                };
                if is_found {
                    return Some(format!("{} that was read as {}", was.name(), read_as.name()));
                }
            }
        }
    }
    None
}

/// Tests whether the text has what is left of a beginning of a line in the wrong encoding: two letters and more.
#[cfg(not(target_family = "wasm"))]
fn has_garbled(text: &str, line: &str, was: &'static Encoding, read_as: &'static Encoding) -> bool {
    let garbled = without_lost(&read_as.decode_without_bom_handling(&was.encode(line).0).0);
    garbled.chars().filter(|c| !c.is_ascii()).count() > 1 && text.contains(&garbled)
}

/// The text without the signs that stand for bytes that mean nothing.
#[cfg(not(target_family = "wasm"))]
fn without_lost(text: &str) -> String {
    text.replace([char::REPLACEMENT_CHARACTER, '?', '〓'], "")
}

/// In WebAssembly the tables are those of the page.
#[cfg(target_family = "wasm")]
fn wrong_encoding(_: &str) -> Option<String> {
    None
}

/// Text of which a program has replaced the characters that it did not know.
fn lost_characters(text: &str) -> Option<String> {
    let letters = text.chars().filter(|c| !c.is_whitespace()).count();
    let is_frequent = |wanted: char| text.chars().filter(|&c| c == wanted).count() * 5 > letters;
    let sign = ['?', '？', char::REPLACEMENT_CHARACTER].into_iter().find(|&sign| is_frequent(sign))?;
    Some(format!("text whose characters were lost ({sign})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "手合割：平手\n先手：青山\n後手：白井\n   1 ７六歩(77)   ( 0:00/00:00:00)\n   2 投了\n";

    #[test]
    fn encodings_that_were_mixed_up_are_named() {
        for (was, read_as, told) in [
            (UTF_8, SHIFT_JIS, "UTF-8 that was read as Shift_JIS"),
            (SHIFT_JIS, WINDOWS_1252, "Shift_JIS that was read as windows-1252"),
            (UTF_8, WINDOWS_1252, "UTF-8 that was read as windows-1252"),
            (EUC_JP, SHIFT_JIS, "EUC-JP that was read as Shift_JIS"),
            (UTF_8, EUC_JP, "UTF-8 that was read as EUC-JP"),
        ] {
            let text = read_as.decode_without_bom_handling(&was.encode(RECORD).0).0.into_owned();
            // Programs show bytes that mean nothing in several ways.
            for sign in ["\u{FFFD}", "?", ""] {
                let text = text.replace(char::REPLACEMENT_CHARACTER, sign);
                assert_eq!(likeness(&text).as_deref(), Some(told), "{text}");
            }
        }
        // Of Shift_JIS that was read as EUC-JP too little is left to tell.
        let text = EUC_JP.decode_without_bom_handling(&SHIFT_JIS.encode(RECORD).0).0.into_owned();
        assert_eq!(likeness(&text).as_deref(), Some("text whose characters were lost (\u{FFFD})"));
        assert_eq!(wrong_encoding(RECORD), None);
    }

    #[test]
    fn text_without_its_characters_is_named() {
        for sign in ['?', '\u{FFFD}'] {
            let text: String = RECORD.chars().map(|c| if c.is_ascii() { c } else { sign }).collect();
            assert_eq!(likeness(&text), Some(format!("text whose characters were lost ({sign})")));
        }
        for text in ["", "1 apples\n2 pears\n", "why? nobody knows"] {
            assert_eq!(likeness(text), None, "{text}");
        }
    }

    #[test]
    fn other_notations_are_named() {
        assert_eq!(likeness("[Sente \"a\"]\n[Gote \"b\"]\n1. P7g-7f\n").as_deref(), Some("PSN"));
        assert_eq!(likeness("<!DOCTYPE html>").as_deref(), Some("HTML"));
        assert_eq!(likeness("V2.2\nPI\n+\n").as_deref(), Some("CSA"));
    }
}
