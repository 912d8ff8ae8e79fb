//! One line of a text book.

use super::super::entry::Candidate;
use super::super::error::BookLineFault;
use crate::types::Move;

/// The longest line that is read.
pub(super) const MAX_LINE: usize = 64 << 10;

/// Value that older engines write for a move whose value they do not know.
const UNKNOWN_VALUE: i64 = -32_768;

/// Meaning of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Nothing.
    Blank,
    /// A comment, without its mark.
    Comment(&'a [u8]),
    /// A position: what stands behind `sfen`.
    Position(&'a [u8]),
    /// A move of the position above.
    Candidate(Candidate),
    /// A move that is none, as `resign`: the position is known, and there is nothing to play.
    NoMove,
}

/// Reads a line without its end. What is no number counts as none, as it does to the engine that has set the format.
pub(super) fn read_line(line: &[u8]) -> Result<Line<'_>, BookLineFault> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(Line::Blank);
    }
    if let Some(text) = line.strip_prefix(b"#").or_else(|| line.strip_prefix(b"//")) {
        return Ok(Line::Comment(text.trim_ascii_start()));
    }
    if let Some(sfen) = position_text(line) {
        return Ok(Line::Position(sfen));
    }
    read_candidate(line)
}

/// Text behind `sfen`, if the line is a position.
pub(super) fn position_text(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"sfen ").or_else(|| line.strip_prefix(b"sfen\t")).map(<[u8]>::trim_ascii)
}

/// The text by which positions are sorted: the SFEN without the counter and the blanks around it.
pub(super) fn key_of(sfen: &[u8]) -> &[u8] {
    let sfen = sfen.trim_ascii_end();
    let digits = sfen.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    sfen[..sfen.len() - digits].trim_ascii_end()
}

fn read_candidate(line: &[u8]) -> Result<Line<'_>, BookLineFault> {
    let mut rest = line;
    let mut column = || {
        let start = rest.trim_ascii_start();
        let length = start.iter().position(u8::is_ascii_whitespace).unwrap_or(start.len());
        let (word, after) = start.split_at(length);
        // From a mark on all is comment.
        if word.is_empty() || word.starts_with(b"#") || word.starts_with(b"//") {
            rest = start;
            return None;
        }
        rest = after;
        Some(word)
    };
    let first = column().unwrap_or_default();
    if is_no_move(first) {
        return Ok(Line::NoMove);
    }
    let mv = read_move(first).ok_or_else(|| BookLineFault::NoMove(shown(first)))?;
    let mut candidate = Candidate::new(mv);
    if let Some(word) = column().filter(|word| !is_no_move(word)) {
        candidate.reply = Some(read_move(word).ok_or_else(|| BookLineFault::NoReply(shown(word)))?);
    }
    candidate.value = column()
        .and_then(number)
        .filter(|&value| value != UNKNOWN_VALUE)
        .map(|value| value.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    candidate.depth = column().map_or(0, unsigned);
    candidate.count = column().map_or(1, unsigned);
    let comment = rest.trim_ascii();
    let comment = comment.strip_prefix(b"#").or_else(|| comment.strip_prefix(b"//")).unwrap_or(comment);
    candidate.comment = String::from_utf8_lossy(comment.trim_ascii()).into_owned();
    Ok(Line::Candidate(candidate))
}

fn is_no_move(word: &[u8]) -> bool {
    [&b"none"[..], b"resign", b"win"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn read_move(word: &[u8]) -> Option<Move> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn shown(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(100)]).into_owned()
}

/// The number that a word begins with, cut to 64 bits.
fn number(word: &[u8]) -> Option<i64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let mut value: Option<i64> = None;
    for digit in digits {
        value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add((digit - b'0').into()));
    }
    value.map(|value| if negative { -value } else { value })
}

fn unsigned(word: &[u8]) -> u32 {
    number(word).unwrap_or(0).clamp(0, u32::MAX.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(text: &str) -> Candidate {
        match read_line(text.as_bytes()) {
            Ok(Line::Candidate(candidate)) => candidate,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn columns_may_be_missing_and_words_stand_for_unknown_numbers() {
        let fields = |text: &str| {
            let Candidate { mv, reply, value, depth, count, comment } = candidate(text);
            (mv.to_string(), reply.map(|mv| mv.to_string()), value, depth, count, comment)
        };
        let of = |reply: Option<&str>, value, depth, count, comment: &str| {
            ("7g7f".to_string(), reply.map(str::to_string), value, depth, count, comment.to_string())
        };
        assert_eq!(fields("7g7f"), of(None, None, 0, 1, ""));
        assert_eq!(fields("7g7f none"), of(None, None, 0, 1, ""));
        assert_eq!(fields("7g7f 3c3d 25"), of(Some("3c3d"), Some(25), 0, 1, ""));
        assert_eq!(fields("  7g7f\t3c3d  -25   12 7 \r"), of(Some("3c3d"), Some(-25), 12, 7, ""));
        assert_eq!(fields("7g7f None none none"), of(None, None, 0, 1, ""));
        assert_eq!(fields("7g7f none none none 3"), of(None, None, 0, 3, ""));
        assert_eq!(fields("7g7f resign 0 32 5 // a line"), of(None, Some(0), 32, 5, "a line"));
        assert_eq!(fields("7g7f none 0 32 # early"), of(None, Some(0), 32, 1, "early"));
        assert_eq!(fields("7g7f none 0 32 5 plain words"), of(None, Some(0), 32, 5, "plain words"));
        assert_eq!(fields("7g7f none -32768 3"), of(None, None, 3, 1, ""));
        let huge = "7g7f none -99999999999999999999 99999999999999 -5";
        assert_eq!(fields(huge), of(None, Some(i32::MIN), u32::MAX, 0, ""));
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(read_line(b"  \r"), Ok(Line::Blank));
        assert_eq!(read_line(b"# NOE:5"), Ok(Line::Comment(b"NOE:5")));
        assert_eq!(read_line(b"// two words"), Ok(Line::Comment(b"two words")));
        assert_eq!(read_line(b"sfen  9/9 b - 1\r"), Ok(Line::Position(b"9/9 b - 1")));
        assert_eq!(read_line(b"resign none"), Ok(Line::NoMove));
        assert_eq!(read_line(b"hello world"), Err(BookLineFault::NoMove("hello".into())));
        assert_eq!(read_line(b"7g7f 9z9z"), Err(BookLineFault::NoReply("9z9z".into())));
        assert_eq!(read_line(b"\xff\xfe 1"), Err(BookLineFault::NoMove("\u{fffd}\u{fffd}".into())));
    }

    #[test]
    fn the_key_leaves_out_the_counter() {
        for text in ["k b 2P 10", "k b 2P", "k b 2P  7  ", "k b 2P \t"] {
            assert_eq!(key_of(text.as_bytes()), b"k b 2P");
        }
        assert_eq!(key_of(b"k b - 1"), b"k b -");
    }
}
