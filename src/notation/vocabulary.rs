//! The words of Japanese records: numerals, squares, pieces, sides.

use crate::types::{Color, File, PieceType, Rank, Square};

const FULL_WIDTH: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const KANJI: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// Tests for a blank between words: an ASCII blank or the full-width space.
pub(crate) fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace() || c == '\u{3000}'
}

/// The text without the blanks around it.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// 0..=9 of a half- or full-width digit.
pub(crate) fn digit(c: char) -> Option<u32> {
    match c {
        '0'..='9' => Some(c as u32 - '0' as u32),
        '０'..='９' => Some(c as u32 - '０' as u32),
        _ => None,
    }
}

/// The number at the front of the text, in digits of either width, and what follows it.
pub(crate) fn leading_number(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(|c| digit(c).is_some());
    let digits = &text[..text.len() - rest.len()];
    if digits.is_empty() {
        return None;
    }
    let mut number = 0u32;
    for digit in digits.chars().filter_map(digit) {
        number = number.checked_mul(10)?.checked_add(digit)?;
    }
    Some((number, rest))
}

/// 0..=8 of a digit of either width or a kanji numeral.
fn coordinate(c: char) -> Option<usize> {
    let kanji = KANJI.iter().position(|&k| k == c);
    kanji.or_else(|| digit(c).filter(|&d| d > 0).map(|d| d as usize - 1))
}

/// The square that a file and a rank name, each as a digit of either width or a kanji numeral.
pub(crate) fn square(file: char, rank: char) -> Option<Square> {
    Some(Square::at(File::ALL[coordinate(file)?], Rank::ALL[coordinate(rank)?]))
}

/// ７六
pub(crate) fn square_name(square: Square) -> [char; 2] {
    [FULL_WIDTH[square.file().index()], rank_name(square.rank())]
}

/// 一 to 九
pub(crate) fn rank_name(rank: Rank) -> char {
    KANJI[rank.index()]
}

/// 1 to 99 in kanji: how many pieces are in hand.
pub(crate) fn kanji_number(n: u8) -> String {
    let mut text = String::new();
    if n >= 20 {
        text.push(KANJI[(n / 10) as usize - 1]);
    }
    if n >= 10 {
        text.push('十');
    }
    if !n.is_multiple_of(10) {
        text.push(KANJI[(n % 10) as usize - 1]);
    }
    text
}

/// Reads what [`kanji_number`] writes, or digits; at most 99.
pub(crate) fn read_count(text: &str) -> Option<u32> {
    if let Some((number, rest)) = leading_number(text) {
        return if rest.is_empty() && number < 100 { Some(number) } else { None };
    }
    let single = |text: &str| {
        let at = KANJI.iter().position(|kanji| text.strip_prefix(*kanji) == Some(""))?;
        Some(at as u32 + 1)
    };
    match text.split_once('十') {
        None => single(text),
        Some((tens, ones)) => {
            let tens = if tens.is_empty() { 1 } else { single(tens)? };
            let ones = if ones.is_empty() { 0 } else { single(ones)? };
            Some(10 * tens + ones)
        }
    }
}

/// A piece as a move names it: 成銀 for a promoted silver.
pub(crate) fn piece_name(piece_type: PieceType) -> &'static str {
    use PieceType::*;
    match piece_type {
        Pawn => "歩",
        Lance => "香",
        Knight => "桂",
        Silver => "銀",
        Bishop => "角",
        Rook => "飛",
        Gold => "金",
        King => "玉",
        ProPawn => "と",
        ProLance => "成香",
        ProKnight => "成桂",
        ProSilver => "成銀",
        Horse => "馬",
        Dragon => "龍",
    }
}

/// A piece as a diagram shows it, in one character: 全 for a promoted silver.
pub(crate) fn diagram_name(piece_type: PieceType) -> &'static str {
    match piece_type {
        PieceType::ProLance => "杏",
        PieceType::ProKnight => "圭",
        PieceType::ProSilver => "全",
        other => piece_name(other),
    }
}

/// The piece of one character.
pub(crate) fn piece_of(c: char) -> Option<PieceType> {
    match c {
        '王' => Some(PieceType::King),
        '竜' => Some(PieceType::Dragon),
        _ => PieceType::ALL.into_iter().find(|&piece_type| diagram_name(piece_type).starts_with(c)),
    }
}

/// The piece at the front of the text, in one character or as 成香, 成桂, 成銀, and what follows it.
pub(crate) fn leading_piece(text: &str) -> Option<(PieceType, &str)> {
    use PieceType::*;
    if let Some(found) =
        [ProLance, ProKnight, ProSilver].into_iter().find_map(|t| Some((t, text.strip_prefix(piece_name(t))?)))
    {
        return Some(found);
    }
    let first = text.chars().next()?;
    Some((piece_of(first)?, &text[first.len_utf8()..]))
}

/// Name of a side in records: 先手 and 後手, or 下手 and 上手 in a handicap game.
pub(crate) fn side_name(color: Color, handicap: bool) -> &'static str {
    match (color, handicap) {
        (Color::Black, false) => "先手",
        (Color::White, false) => "後手",
        (Color::Black, true) => "下手",
        (Color::White, true) => "上手",
    }
}

/// The side at the front of the text, by either of its names, and what follows it.
pub(crate) fn leading_side(text: &str) -> Option<(Color, &str)> {
    Color::ALL.into_iter().find_map(|color| {
        let rest = text.strip_prefix(side_name(color, false)).or_else(|| text.strip_prefix(side_name(color, true)))?;
        Some((color, rest))
    })
}

/// ▲ for black, △ for white.
pub(crate) fn marker(color: Color) -> char {
    match color {
        Color::Black => '▲',
        Color::White => '△',
    }
}

/// Tests whether the character marks whose move follows.
pub(crate) fn is_marker(c: char) -> bool {
    matches!(c, '▲' | '△' | '▼' | '▽' | '☗' | '☖')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for piece_type in PieceType::ALL {
            assert_eq!(leading_piece(piece_name(piece_type)), Some((piece_type, "")));
            assert_eq!(leading_piece(diagram_name(piece_type)), Some((piece_type, "")));
        }
        for at in Square::ALL {
            let [file, rank] = square_name(at);
            assert_eq!(square(file, rank), Some(at));
        }
        for n in 1..=99 {
            assert_eq!(read_count(&kanji_number(n)), Some(n as u32), "{n}");
            assert_eq!(read_count(&n.to_string()), Some(n as u32));
        }
        assert_eq!(kanji_number(18), "十八");
        for text in ["", "十一十", "〇", "一二", "100", "二x"] {
            assert_eq!(read_count(text), None, "{text}");
        }
    }
}
