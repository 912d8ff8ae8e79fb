//! Several games in one KIF or KI2 text, one after the other.

use super::header;
use super::start::{Heading, heading_of_line, is_file_row};
use crate::notation::japanese_move::{JapaneseMove, move_number};
use crate::notation::vocabulary::{is_marker, trim};
use crate::types::Color;

/// The texts of the games, each with the number of lines before it; at least one. A game begins with a line of a head
/// (players, 手合割, a diagram) behind moves or behind a whole diagram.
pub(crate) fn games(text: &str) -> Vec<(usize, &str)> {
    let mut parts: Vec<Part> = Vec::new();
    let mut part = Part::default();
    let mut at = 0;
    // Blank lines and remarks before a head belong to it: where they begin.
    let mut gap = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let kind = kind_of(trim(line));
        let is_next = match kind {
            LineKind::Head | LineKind::Rank => part.has_moves,
            LineKind::UpperHand => part.has_moves || part.ranks >= 9 && part.has_hand,
            LineKind::LowerHand => part.has_moves,
            _ => false,
        };
        if is_next {
            let (begin, lines_before) = gap.unwrap_or((at, number));
            parts.push(part);
            part = Part { begin, lines_before, ..Part::default() };
        }
        match kind {
            LineKind::Moves => part.has_moves = true,
            LineKind::Rank => part.ranks += 1,
            LineKind::UpperHand => part.has_hand = true,
            _ => {}
        }
        if kind != LineKind::Gap {
            gap = None;
        } else if gap.is_none() {
            gap = Some((at, number));
        }
        at += line.len();
    }
    parts.push(part);
    // A head behind the moves that nothing follows is a remark on the game before it.
    parts.retain(|part| part.begin == 0 || part.has_moves || part.ranks > 0);
    let mut games = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter().enumerate() {
        let end = parts.get(index + 1).map_or(text.len(), |next| next.begin);
        games.push((part.lines_before, &text[part.begin..end]));
    }
    games
}

/// The text of a game.
#[derive(Default)]
struct Part {
    begin: usize,
    lines_before: usize,
    has_moves: bool,
    /// Ranks of its diagram.
    ranks: usize,
    /// The hand that stands above a diagram has been seen.
    has_hand: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    /// Blank, or a remark of a program.
    Gap,
    Head,
    /// The hand of the upper side, that of white.
    UpperHand,
    LowerHand,
    Rank,
    Moves,
    Other,
}

/// Headers with which a game may begin.
const HEADS: [&str; 8] = ["手合割", "先手", "後手", "下手", "上手", "開始日時", "棋戦", "表題"];

fn kind_of(line: &str) -> LineKind {
    let Some(first) = line.chars().next() else { return LineKind::Gap };
    match first {
        '#' => return LineKind::Gap,
        '*' | '&' => return LineKind::Other,
        '|' | '｜' => return LineKind::Rank,
        // Its figures look like the number of a move.
        _ if is_file_row(line) => return LineKind::Other,
        _ if line.starts_with("まで") || move_number(line).is_some() => return LineKind::Moves,
        _ => {}
    }
    let header = header::split(line);
    let hand = header.map_or(Heading::None, |(key, value)| heading_of_line(key, value));
    match hand {
        Heading::Hand(Color::White) | Heading::Rest => return LineKind::UpperHand,
        Heading::Hand(Color::Black) => return LineKind::LowerHand,
        Heading::Unknown | Heading::None => {}
    }
    match header {
        _ if is_marker(first) => LineKind::Moves,
        Some((key, _)) if HEADS.contains(&key) => LineKind::Head,
        None if JapaneseMove::parse(line).is_some() => LineKind::Moves,
        _ => LineKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::kif::write_board;
    use crate::position::Position;

    fn lines_before(text: &str) -> Vec<usize> {
        games(text).iter().map(|(lines, _)| *lines).collect()
    }

    #[test]
    fn a_head_behind_moves_begins_a_game() {
        let one = "手合割：平手\n先手：a\n後手：b\n   1 ７六歩(77)\n   2 投了\nまで1手で先手の勝ち\n";
        assert_eq!(lines_before(one), [0]);
        assert_eq!(lines_before(&format!("{one}\n{one}")), [0, 6]);
        assert_eq!(lines_before(&format!("{one}#--separator--\n\n{one}{one}")), [0, 6, 14]);
        let ki2 = "先手：a\n▲７六歩\nまで1手で先手の勝ち\n";
        assert_eq!(lines_before(&format!("{ki2}{ki2}")), [0, 3]);
        assert_eq!(lines_before(&"先手：a\n７六歩\n".repeat(2)), [0, 2], "moves without a mark");
        for text in [
            format!("{one}\n変化：1手\n   1 ２六歩(27)\n"),
            format!("{one}*先手：c\n&後手：d\n"),
            format!("{one}後手：c\n"),
        ] {
            assert_eq!(lines_before(&text), [0], "{text}");
        }
        assert_eq!(lines_before(""), [0]);
    }

    #[test]
    fn diagrams_one_after_the_other_are_problems() {
        let board = write_board(&Position::startpos());
        let lines = board.lines().count();
        assert_eq!(lines_before(&format!("{board}{board}")), [0, lines]);
        assert_eq!(lines_before(&format!("{board}▲７六歩\n\n{board}")), [0, lines + 1]);
        let problem = board.replace("後手の持駒", "玉方の持駒").replace("先手の持駒", "攻方の持駒");
        assert_eq!(lines_before(&format!("{problem}{problem}")), [0, lines]);
        // Both hands below the board.
        let (upper, rest) = board.split_once('\n').unwrap();
        assert_eq!(lines_before(&format!("{rest}{upper}\n")), [0]);
    }
}
