//! The encodings of Japanese text files: UTF-8, CP932 (Shift_JIS as Windows has it), which older programs write, and
//! those of old mails and Unix systems, ISO-2022-JP and EUC-JP.

#[cfg(not(target_family = "wasm"))]
use super::likeness::has_words;
#[cfg(not(target_family = "wasm"))]
use encoding_rs::{EUC_JP, Encoding, ISO_2022_JP, SHIFT_JIS, UTF_8};

/// Reads text: by its byte order mark if it has one, else in the encoding in which fewest bytes mean nothing: UTF-8,
/// ISO-2022-JP, EUC-JP if words of records come out, CP932. A file may name UTF-8 or Shift_JIS in its first line. Bytes
/// that mean nothing become U+FFFD. Lines that end with CR alone, as on old Macs, end with LF.
///
/// ```
/// use komainu::notation::encoding::{decode, encode_cp932};
///
/// let cp932 = encode_cp932("▲７六歩 🐕");
/// assert_eq!(cp932.lost, ['🐕']);
/// assert_eq!(decode(&cp932.bytes), "▲７六歩 〓");
/// assert_eq!(decode(b"PI\r+\r"), "PI\n+\n");
/// ```
pub fn decode(bytes: &[u8]) -> String {
    let text = decode_characters(bytes);
    if text.contains('\r') && !text.contains('\n') { text.replace('\r', "\n") } else { text }
}

#[cfg(not(target_family = "wasm"))]
fn decode_characters(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    if bytes.starts_with(b"'CSA encoding=SHIFT_JIS") {
        return decode_cp932(bytes);
    }
    match str::from_utf8(bytes) {
        Ok(_) if has_escapes(bytes) => ISO_2022_JP.decode_without_bom_handling(bytes).0.into_owned(),
        Ok(text) => text.to_string(),
        Err(_) if is_mostly_utf8(bytes) => UTF_8.decode_without_bom_handling(bytes).0.into_owned(),
        Err(_) => {
            let text = decode_cp932(bytes);
            if has_words(&text) {
                return text;
            }
            decode_euc_jp(bytes).unwrap_or(text)
        }
    }
}

/// Tests for the escape sequence that begins Japanese text in ISO-2022-JP.
#[cfg(not(target_family = "wasm"))]
fn has_escapes(bytes: &[u8]) -> bool {
    bytes.windows(3).any(|found| matches!(found, b"\x1B$B" | b"\x1B$@"))
}

/// Tests whether more characters than faults come out as UTF-8: one damaged name is no other encoding. Only characters
/// of three bytes and more count, since CP932 hardly ever looks like them. A first line that names UTF-8 is worth four
/// faults a character.
#[cfg(not(target_family = "wasm"))]
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let mut good = 0;
    let mut bad = 0;
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| c.len_utf8() >= 3).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default().to_ascii_lowercase();
    let is_named = first.starts_with(b"#") && first.windows(14).any(|found| found == b"encoding=utf-8");
    good > bad || is_named && good > 0 && 4 * good >= bad
}

/// The text as EUC-JP, if that gives words of records.
#[cfg(not(target_family = "wasm"))]
fn decode_euc_jp(bytes: &[u8]) -> Option<String> {
    let text = EUC_JP.decode_without_bom_handling(bytes).0;
    let lost = text.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count();
    let letters = text.chars().filter(|c| !c.is_ascii()).count();
    if lost * 20 <= letters && has_words(&text) { Some(text.into_owned()) } else { None }
}

/// UTF-8, with or without a byte order mark: a program that runs WebAssembly decodes other encodings itself, and their
/// tables would be a tenth of the module.
#[cfg(target_family = "wasm")]
fn decode_characters(bytes: &[u8]) -> String {
    decode_cp932(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

/// Reads text in CP932; in WebAssembly, where no text comes in it, in UTF-8.
pub(crate) fn decode_cp932(bytes: &[u8]) -> String {
    #[cfg(not(target_family = "wasm"))]
    return SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned();
    #[cfg(target_family = "wasm")]
    String::from_utf8_lossy(bytes).into_owned()
}

/// A character in CP932, if it has it.
#[cfg(not(target_family = "wasm"))]
fn cp932_of(c: char) -> Option<Vec<u8>> {
    let mut buffer = [0; 4];
    let (bytes, _, has_failed) = SHIFT_JIS.encode(c.encode_utf8(&mut buffer));
    if has_failed { None } else { Some(bytes.to_vec()) }
}

/// In WebAssembly there are only the characters of ASCII.
#[cfg(target_family = "wasm")]
fn cp932_of(c: char) -> Option<Vec<u8>> {
    if c.is_ascii() { Some(vec![c as u8]) } else { None }
}

/// Text in CP932.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cp932 {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The characters that CP932 has not; a 〓 stands for each of them.
    pub lost: Vec<char>,
}

/// Writes text in CP932.
pub fn encode_cp932(text: &str) -> Cp932 {
    const GETA: &[u8] = &[0x81, 0xAC];
    let mut encoded = Cp932 { bytes: Vec::with_capacity(text.len()), lost: Vec::new() };
    for c in text.chars().map(as_windows_has_it) {
        match cp932_of(c) {
            Some(bytes) => encoded.bytes.extend(bytes),
            None => {
                encoded.lost.push(c);
                encoded.bytes.extend_from_slice(GETA);
            }
        }
    }
    encoded
}

/// Signs that other systems write with another code than Windows does.
fn as_windows_has_it(c: char) -> char {
    match c {
        '\u{301C}' => '\u{FF5E}',
        '\u{2016}' => '\u{2225}',
        '\u{2014}' => '\u{2015}',
        '\u{00A2}' => '\u{FFE0}',
        '\u{00A3}' => '\u{FFE1}',
        '\u{00AC}' => '\u{FFE2}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "開始日時：2026/11/21\n先手：駒犬①\n▲７六歩△同　龍～ｶﾅ";

    #[test]
    fn text_is_read_in_all_encodings() {
        let cp932 = encode_cp932(TEXT);
        assert_eq!(cp932.lost, []);
        assert_eq!(decode(&cp932.bytes), TEXT);
        assert_eq!(decode(TEXT.as_bytes()), TEXT);
        assert_eq!(decode(format!("\u{feff}{TEXT}").as_bytes()), TEXT);
        let utf16: Vec<u8> = format!("\u{feff}{TEXT}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&utf16), TEXT);
    }

    #[test]
    fn text_that_is_cut_off_is_still_utf8() {
        for end in "開始".len()..TEXT.len() {
            assert!(decode(&TEXT.as_bytes()[..end]).starts_with("開始"), "{end}");
        }
    }

    #[test]
    fn a_damaged_byte_is_no_other_encoding() {
        for at in 0..TEXT.len() {
            let mut bytes = TEXT.as_bytes().to_vec();
            bytes[at] = 0xFF;
            let read = decode(&bytes);
            assert!(read.contains("駒犬") || read.contains("開始日時"), "{at}: {read}");
            bytes = encode_cp932(TEXT).bytes;
            let at = at.min(bytes.len() - 1);
            bytes[at] = 0xFF;
            let read = decode(&bytes);
            assert!(read.contains("駒犬") || read.contains("開始日時"), "CP932, {at}: {read}");
        }
        let named = "#KIF version=2.0 encoding=UTF-8\n先手：a";
        let damaged = [named.as_bytes(), b"\xB0\xB1 \xB2 \xB3\n"].concat();
        assert!(decode(&damaged).contains("先手："));
    }

    #[test]
    fn encodings_of_unix_and_of_mails_are_read() {
        let text = "手合割：平手\n先手：青山\n   1 ７六歩(77)\n";
        for encoding in [EUC_JP, ISO_2022_JP] {
            let bytes = encoding.encode(text).0;
            assert_eq!(decode(&bytes), text, "{}", encoding.name());
        }
        // Katakana of half width could be EUC-JP as well.
        for text in ["N+ﾃｽﾄ\nN-ｶﾝﾘ\nPI\n+\n", "先手：ﾃｽﾄ\n後手：ｶﾝﾘ\n"] {
            assert_eq!(decode(&encode_cp932(text).bytes), text);
        }
    }

    #[test]
    fn characters_that_cp932_has_not_are_named() {
        let encoded = encode_cp932("歩☗〜−😀");
        assert_eq!(encoded.lost, ['☗', '😀']);
        assert_eq!(decode(&encoded.bytes), "歩〓～－〓");
    }

    #[test]
    fn a_csa_file_names_its_encoding() {
        let mut bytes = b"'CSA encoding=SHIFT_JIS\nN+".to_vec();
        bytes.extend(encode_cp932("駒").bytes);
        assert!(decode(&bytes).ends_with("N+駒"));
    }
}
