//! The encodings of Japanese text files: UTF-8, and CP932 (Shift_JIS as Windows has it), which older programs write.

#[cfg(not(target_family = "wasm"))]
use encoding_rs::{Encoding, SHIFT_JIS, UTF_8};

/// Reads text: by its byte order mark if it has one, else as UTF-8 if it is that, else as CP932. A CSA file may name
/// its encoding in its first line. Bytes that mean nothing become U+FFFD.
///
/// ```
/// use komainu::notation::encoding::{decode, encode_cp932};
///
/// let cp932 = encode_cp932("▲７六歩 🐕");
/// assert_eq!(cp932.lost, ['🐕']);
/// assert_eq!(decode(&cp932.bytes), "▲７六歩 〓");
/// ```
#[cfg(not(target_family = "wasm"))]
pub fn decode(bytes: &[u8]) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    if bytes.starts_with(b"'CSA encoding=SHIFT_JIS") {
        return decode_cp932(bytes);
    }
    match str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        // Cut off within a character.
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 && !is_ascii_before(bytes, &error) => {
            UTF_8.decode_without_bom_handling(bytes).0.into_owned()
        }
        Err(_) => decode_cp932(bytes),
    }
}

/// Reads text in UTF-8, with or without a byte order mark. A program that runs WebAssembly decodes other encodings itself, and
/// their tables would be a tenth of the module. Bytes that mean nothing become U+FFFD.
#[cfg(target_family = "wasm")]
pub fn decode(bytes: &[u8]) -> String {
    decode_cp932(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

/// Tests whether nothing before the fault speaks for UTF-8.
#[cfg(not(target_family = "wasm"))]
fn is_ascii_before(bytes: &[u8], error: &std::str::Utf8Error) -> bool {
    bytes[..error.valid_up_to()].is_ascii()
}

/// Reads text in CP932; in WebAssembly, where no text comes in it, in UTF-8.
pub(crate) fn decode_cp932(bytes: &[u8]) -> String {
    #[cfg(not(target_family = "wasm"))]
    return SHIFT_JIS.decode_without_bom_handling(bytes).0.into_owned();
    #[cfg(target_family = "wasm")]
    String::from_utf8_lossy(bytes).into_owned()
}

/// A character in CP932, if it has it; in WebAssembly only those of ASCII.
fn cp932_of(c: char) -> Option<Vec<u8>> {
    let mut buffer = [0; 4];
    let text = c.encode_utf8(&mut buffer);
    #[cfg(not(target_family = "wasm"))]
    let (bytes, failed) = {
        let (bytes, _, failed) = SHIFT_JIS.encode(text);
        (bytes, failed)
    };
    #[cfg(target_family = "wasm")]
    let (bytes, failed) = (text.as_bytes(), !c.is_ascii());
    (!failed).then(|| bytes.to_vec())
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
