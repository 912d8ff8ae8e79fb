//! Where a game begins: a named handicap, or a diagram with hands (BOD).

use crate::notation::error::{RecordError, RecordErrorKind};
use crate::notation::format::Format;
use crate::notation::japanese_move::JapaneseMove;
use crate::notation::vocabulary::{
    diagram_name, digit, is_blank, is_marker, kanji_number, leading_number, leading_piece, piece_of, rank_name,
    read_count, side_name, trim,
};
use crate::position::{Handicap, Position, PositionBuilder};
use crate::types::{Color, File, Hand, Piece, PieceType, Rank, Square};
use std::fmt::Write;

/// Other names of handicaps.
const SYNONYMS: [(&str, Handicap); 4] = [
    ("左香落ち", Handicap::Lance),
    ("兩香落ち", Handicap::BothLances),
    ("右七枚落ち", Handicap::SevenPieces),
    ("十九枚落ち", Handicap::BareKing),
];

/// Names of which sources differ in the pieces that are missing.
const DOUBTFUL: [&str; 4] = ["三枚落ち", "五枚落ち", "七枚落ち", "九枚落ち"];

/// The handicap of a name, as the site means it.
fn handicap_named(name: &str, site: &str) -> Option<Handicap> {
    if name == "三枚落ち" && site.contains("lishogi") {
        return Some(Handicap::RightThreePieces);
    }
    if let Some((_, handicap)) = SYNONYMS.iter().find(|(other, _)| *other == name) {
        return Some(*handicap);
    }
    Handicap::ALL.into_iter().find(|handicap| handicap.japanese_name() == name)
}

/// The handicap that a position is the start of, if its name says enough: of the rarer ones a diagram is written.
pub(crate) fn handicap_of(start: &Position) -> Option<Handicap> {
    Handicap::of_sfen(&start.to_sfen()).filter(|handicap| Handicap::USUAL.contains(handicap))
}

/// What stands under a heading beside a diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    /// The pieces in a hand: 先手の持駒, 攻方持ち駒.
    Hand(Color),
    /// The pieces that are neither on the board nor in the other hand, which the defender of a problem holds: 残り駒.
    Rest,
    /// Pieces of nobody who is known.
    Unknown,
    /// No pieces: a header like any other.
    None,
}

/// The names of the sides in diagrams: of players, and of attacker and defender in problems.
const BLACK: [&str; 9] = ["先手", "下手", "攻方", "攻め方", "攻手", "攻め手", "攻め", "詰方", "詰め方"];
const WHITE: [&str; 10] = ["後手", "上手", "玉方", "王方", "受方", "受け方", "受け手", "受け", "守方", "逃げ方"];

/// Words for the pieces in a hand.
const HELD: [&str; 7] = ["持駒", "持ち駒", "持ちゴマ", "持ちごま", "持ゴマ", "もち駒", "もちごま"];

/// Words for the pieces that are nowhere else.
const LEFT_OVER: [&str; 8] = ["残り駒", "残駒", "残りの駒", "残り全部", "残り全て", "残りすべて", "残り", "残部"];

/// The side of a name.
fn side_named(name: &str) -> Option<Color> {
    if BLACK.contains(&name) {
        return Some(Color::Black);
    }
    if WHITE.contains(&name) { Some(Color::White) } else { None }
}

/// The side that a line or the value of 手番 says is to move: 後手番, 攻方, 玉方の手番, ▲.
pub(crate) fn turn(text: &str) -> Option<Color> {
    let name = text.strip_suffix('番').unwrap_or(text);
    match name {
        "先" | "黒" | "▲" | "☗" => return Some(Color::Black),
        "後" | "白" | "△" | "☖" => return Some(Color::White),
        _ => {}
    }
    let side = side_named(name.trim_end_matches('の'));
    side.or_else(|| side_named(name.strip_suffix('手')?.trim_end_matches('の')))
}

/// What the key of a header is the heading of.
pub(crate) fn heading(key: &str) -> Heading {
    // Some put the mark of the side before its name, or in place of it.
    let name = key.trim_start_matches(is_marker);
    if LEFT_OVER.contains(&name) {
        return Heading::Rest;
    }
    let Some(side) = HELD.iter().find_map(|held| name.strip_suffix(held)) else { return Heading::None };
    let side = side.trim_end_matches(is_blank).trim_end_matches('の').trim_end_matches(is_blank);
    match key.chars().next() {
        Some('▲' | '☗' | '▼') if side.is_empty() => Heading::Hand(Color::Black),
        Some('△' | '☖' | '▽') if side.is_empty() => Heading::Hand(Color::White),
        // Problems name the attacker's hand alone.
        _ if side.is_empty() => Heading::Hand(Color::Black),
        _ => side_named(side).map_or(Heading::Unknown, Heading::Hand),
    }
}

/// What a line `key：value` of a diagram is the heading of: some leave 持駒 out, and what looks like the pieces of somebody
/// is a heading too, known or not.
pub(crate) fn heading_of_line(key: &str, value: &str) -> Heading {
    let told = heading(key);
    if told != Heading::None || matches!(key, "先手" | "下手" | "後手" | "上手") {
        return told;
    }
    let kinds = match read_hand(value) {
        Ok(Held::Pieces(pieces)) => pieces.len(),
        // All that is left of the set.
        Ok(Held::Rest) => PieceType::HAND.len(),
        Err(_) => 0,
    };
    match side_named(key) {
        Some(color) if kinds > 0 => Heading::Hand(color),
        // A title or a hint may be the names of one or two pieces.
        None if kinds > 2 || kinds > 0 && key.ends_with('駒') => Heading::Unknown,
        _ => Heading::None,
    }
}

/// The start of a game as its lines tell it, one after the other.
#[derive(Default)]
pub(crate) struct Setup {
    handicap: Option<(usize, String)>,
    /// Lines of the diagram with their numbers.
    ranks: Vec<(usize, String)>,
    hands: [Option<(usize, String)>; 2],
    /// The first heading of a diagram at fault.
    bad_heading: Option<(usize, RecordErrorKind)>,
    pub(crate) side: Option<Color>,
    moves_before: u32,
    /// Where the move before the diagram went, which 同 may mean.
    pub(crate) last: Option<Square>,
}

impl Setup {
    pub(crate) fn handicap(&mut self, line: usize, name: &str) {
        self.handicap = Some((line, trim(name).to_string()));
    }

    pub(crate) fn rank(&mut self, line: usize, text: &str) {
        self.ranks.push((line, text.to_string()));
    }

    /// Takes what stands under a heading. A hand that is named twice must have the same pieces.
    pub(crate) fn pieces(&mut self, line: usize, heading: Heading, key: &str, value: &str) {
        let hand = match heading {
            Heading::Hand(color) => &mut self.hands[color],
            // What is left over is the defender's.
            Heading::Rest => &mut self.hands[Color::White],
            Heading::Unknown => {
                self.bad_heading.get_or_insert((line, RecordErrorKind::Heading(key.to_string())));
                return;
            }
            Heading::None => return,
        };
        let (_, known) = hand.get_or_insert((line, value.to_string()));
        if trim(known) != trim(value) {
            self.bad_heading.get_or_insert((line, RecordErrorKind::HeadingTwice(key.to_string())));
        }
    }

    /// Reads what follows 手数＝ below a diagram: `171  ▲６二角成  まで`.
    pub(crate) fn moves_before(&mut self, text: &str) {
        if let Some((moves, rest)) = leading_number(trim(text)) {
            self.moves_before = moves;
            self.last = JapaneseMove::parse(rest).and_then(|(notation, _)| notation.to);
        }
    }

    /// Tells of a start that is known by its name alone and that sources understand differently.
    pub(crate) fn doubt(&self) -> Option<String> {
        let (line, name) = self.handicap.as_ref()?;
        if !DOUBTFUL.contains(&name.as_str()) || !self.ranks.is_empty() {
            return None;
        }
        Some(format!("line {line}: sources differ in what {name} leaves out; a diagram would say it"))
    }

    /// The side that begins where nothing names it: white in a handicap.
    fn usual_side(&self) -> Color {
        let name = self.handicap.as_ref().map_or("", |(_, name)| name);
        let is_handicap = handicap_named(name, "").is_some_and(|handicap| handicap != Handicap::Even);
        // The diagram may be that of a later position.
        if is_handicap && self.moves_before.is_multiple_of(2) { Color::White } else { Color::Black }
    }

    /// The position, the even start if nothing was said.
    pub(crate) fn build(&self, format: Format, line: usize, site: &str) -> Result<Position, RecordError> {
        let fault = |line: usize, kind| RecordError::new(format, line, kind);
        if self.ranks.is_empty() {
            let Some((line, name)) = &self.handicap else { return Ok(Position::startpos()) };
            return match handicap_named(name, site) {
                Some(handicap) => Ok(Position::from_sfen(handicap.sfen()).expect("the handicaps are valid positions")),
                None => Err(fault(*line, RecordErrorKind::Handicap(name.clone()))),
            };
        }
        if self.ranks.len() != 9 {
            return Err(fault(self.ranks[0].0, RecordErrorKind::RankCount(self.ranks.len())));
        }
        if let Some((line, kind)) = &self.bad_heading {
            return Err(fault(*line, kind.clone()));
        }
        let mut builder = PositionBuilder::new();
        for (rank, (line, text)) in Rank::ALL.into_iter().zip(&self.ranks) {
            if read_rank(&mut builder, rank, text).is_none() {
                return Err(fault(*line, RecordErrorKind::Rank(text.clone())));
            }
        }
        let mut takes_rest = None;
        for color in Color::ALL {
            let Some((line, text)) = &self.hands[color] else { continue };
            match read_hand(text).map_err(|token| fault(*line, RecordErrorKind::Hand(token)))? {
                Held::Pieces(pieces) => {
                    for (piece_type, count) in pieces {
                        builder.hand(color, piece_type, count);
                    }
                }
                Held::Rest if takes_rest.is_some() => {
                    return Err(fault(*line, RecordErrorKind::Hand(text.clone())));
                }
                Held::Rest => takes_rest = Some(color),
            }
        }
        if let Some(color) = takes_rest {
            builder.rest(color);
        }
        builder.side(self.side.unwrap_or_else(|| self.usual_side())).ply(self.moves_before.saturating_add(1));
        builder.build().map_err(|invalid| fault(line, RecordErrorKind::Position(invalid)))
    }
}

/// Reads `|v香v桂 ・ ・ …|一`.
fn read_rank(builder: &mut PositionBuilder, rank: Rank, text: &str) -> Option<()> {
    let inside = text.trim_start_matches(['|', '｜']);
    let inside = inside.split(['|', '｜']).next()?;
    let mut color = Color::Black;
    let mut files = File::ALL.into_iter().rev();
    for c in inside.chars() {
        match c {
            'v' | 'V' | 'ｖ' => color = Color::White,
            '^' => color = Color::Black,
            '・' | '･' | '.' | '．' | '*' => _ = files.next()?,
            blank if is_blank(blank) => {}
            letter => {
                builder.piece(Square::at(files.next()?, rank), Piece::new(color, piece_of(letter)?));
                color = Color::Black;
            }
        }
    }
    if files.next().is_none() { Some(()) } else { None }
}

/// The pieces of a hand.
enum Held {
    Pieces(Vec<(PieceType, u32)>),
    /// All that are nowhere else.
    Rest,
}

/// Reads `飛　角　金四　歩十八`, なし or 残り全部; the blanks may be missing. The error is the token that is no piece.
fn read_hand(text: &str) -> Result<Held, String> {
    if LEFT_OVER.contains(&trim(text)) {
        return Ok(Held::Rest);
    }
    let mut pieces = Vec::new();
    for token in text.split(is_blank) {
        if token.is_empty() || token == "なし" {
            continue;
        }
        let mut rest = token;
        while !rest.is_empty() {
            let (piece_type, after) = leading_piece(rest).ok_or_else(|| token.to_string())?;
            if !PieceType::HAND.contains(&piece_type) {
                return Err(token.to_string());
            }
            rest = after.trim_start_matches(|c| piece_of(c).is_none());
            let count = &after[..after.len() - rest.len()];
            let count = if count.is_empty() { Some(1) } else { read_count(count) };
            pieces.push((piece_type, count.ok_or_else(|| token.to_string())?));
        }
    }
    Ok(Held::Pieces(pieces))
}

/// Tests whether a line is the row of file numbers above a diagram.
pub(crate) fn is_file_row(line: &str) -> bool {
    line.chars().filter(|&c| !is_blank(c)).map(digit).eq((1..=9).rev().map(Some))
}

/// Writes the start: 手合割, and the diagram if it is none of the named ones.
pub(crate) fn write_start(text: &mut String, start: &Position) {
    match handicap_of(start) {
        Some(handicap) => _ = writeln!(text, "手合割：{}", handicap.japanese_name()),
        None => {
            text.push_str("手合割：その他\n");
            text.push_str(&write_board(start));
        }
    }
}

/// Writes a position as a diagram with hands, counter and turn (BOD).
///
/// ```
/// use komainu::notation::kif;
/// use komainu::position::Position;
///
/// let board = kif::write_board(&Position::startpos());
/// assert!(board.contains("| ・v飛 ・ ・ ・ ・ ・v角 ・|二"));
/// let read = kif::read(&board)?.record;
/// assert_eq!(read.start, Position::startpos());
/// # Ok::<(), komainu::notation::RecordError>(())
/// ```
#[doc(alias = "BOD")]
pub fn write_board(pos: &Position) -> String {
    let mut text = String::new();
    write_hand(&mut text, pos, Color::White);
    text.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n");
    for rank in Rank::ALL {
        text.push('|');
        for file in File::ALL.into_iter().rev() {
            match pos.piece_on(Square::at(file, rank)) {
                None => text.push_str(" ・"),
                Some(piece) => {
                    text.push(if piece.color() == Color::White { 'v' } else { ' ' });
                    text.push_str(diagram_name(piece.piece_type()));
                }
            }
        }
        text.push('|');
        text.push(rank_name(rank));
        text.push('\n');
    }
    text.push_str("+---------------------------+\n");
    write_hand(&mut text, pos, Color::Black);
    if pos.ply() > 1 {
        _ = writeln!(text, "手数＝{}", pos.ply() - 1);
    }
    if pos.side() == Color::White {
        text.push_str("後手番\n");
    }
    text
}

fn write_hand(text: &mut String, pos: &Position, color: Color) {
    _ = writeln!(text, "{}の持駒：{}", side_name(color, false), hand_text(pos.hand(color)));
}

/// 飛　歩十八, or なし
fn hand_text(hand: Hand) -> String {
    if hand.is_empty() {
        return "なし".to_string();
    }
    let mut text = String::new();
    for (piece_type, count) in hand.iter() {
        text.push_str(diagram_name(piece_type));
        if count > 1 {
            text.push_str(&kanji_number(count));
        }
        text.push('　');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::kif;

    /// A problem: its first heading, the board, its second heading and turn.
    fn problem(above: &str, below: &str) -> String {
        let empty = "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n";
        let ranks = ["| ・ ・ ・ ・v玉 ・ ・ ・ ・|\n", empty, "| ・ ・ ・ ・ 歩 ・ ・ ・ ・|\n"].concat();
        format!("{above}\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n{ranks}{}{below}\n", empty.repeat(6))
    }

    fn sfen(text: &str) -> String {
        match kif::read(text) {
            Ok(parsed) => {
                assert!(parsed.warnings.is_empty(), "{:?}\n{text}", parsed.warnings);
                parsed.record.start.to_sfen()
            }
            Err(error) => panic!("{error}\n{text}"),
        }
    }

    const REST: &str = "飛二　角二　金三　銀四　桂四　香四　歩十七";
    const SFEN: &str = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";

    #[test]
    fn problems_name_their_hands_in_many_words() {
        for (above, below) in [
            ("後手の持駒", "先手の持駒"),
            ("玉方の持駒", "攻方の持駒"),
            ("受方の持ち駒", "攻め方の持ち駒"),
            ("受け方持駒", "詰方持駒"),
            ("後手持駒", "先手持駒"),
            ("上手　持駒", "下手　持駒"),
            ("△持駒", "▲持駒"),
            ("☖後手の持駒", "☗先手の持駒"),
            ("残り駒", "攻方持駒"),
            ("残りの駒", "持駒"),
            ("玉方", "攻方"),
            ("受け方", "持ち駒"),
        ] {
            assert_eq!(sfen(&problem(&format!("{above}：{REST}"), &format!("{below}：金\n先手番"))), SFEN, "{above}");
        }
        for rest in ["残り全部", "残り", "残り駒"] {
            assert_eq!(sfen(&problem(&format!("玉方の持駒：{rest}"), "攻方の持駒：金")), SFEN, "{rest}");
        }
        assert_eq!(sfen(&problem("", "持駒：金\n残り駒：残り全部")), SFEN);
        // The side to move, in as many words.
        for turn in ["後手番", "手番：後手", "玉方番", "受方の手番", "手番：玉方", "上手番"] {
            let white = SFEN.replace(" b ", " w ");
            assert_eq!(sfen(&problem(&format!("玉方持駒：{REST}"), &format!("攻方持駒：金\n{turn}"))), white, "{turn}");
        }
    }

    #[test]
    fn a_heading_that_nobody_knows_is_named() {
        for key in ["甲の持駒", "攻める人の持ち駒", "相手", "手駒"] {
            let pieces = if key == "手駒" { "金" } else { REST };
            let error = kif::read(&problem(&format!("{key}：{pieces}"), "先手の持駒：金")).unwrap_err();
            assert_eq!((error.line, error.kind), (1, RecordErrorKind::Heading(key.to_string())));
        }
        // A hand that is named twice has the same pieces both times.
        let rest = format!("後手の持駒：{REST}");
        assert_eq!(sfen(&problem(&rest, &format!("先手の持駒：金\n{rest}　"))), SFEN);
        for (above, below, line, key) in [
            (&rest[..], "先手の持駒：金\n後手の持駒：なし", 13, "後手の持駒"),
            ("先手の持駒：金", "攻方：銀", 12, "攻方"),
            // Above the diagram stands white's hand, but not everywhere.
            (&format!("持駒：{REST}"), "持駒：金", 12, "持駒"),
            ("残り駒：銀", "先手の持駒：金\n後手の持駒：飛", 13, "後手の持駒"),
        ] {
            let error = kif::read(&problem(above, below)).unwrap_err();
            assert_eq!((error.line, error.kind), (line, RecordErrorKind::HeadingTwice(key.to_string())));
        }
        let error = kif::read(&problem("玉方の持駒：残り", "攻方の持駒：残り")).unwrap_err();
        assert_eq!((error.line, error.kind), (1, RecordErrorKind::Hand("残り".to_string())));
        let error = kif::read(&problem("", "手番：相手")).unwrap_err();
        assert_eq!(error.kind, RecordErrorKind::Heading("手番：相手".to_string()));
    }

    #[test]
    fn other_headers_of_problems_stay_headers() {
        for (key, value) in
            [("作者", "青山"), ("ヒント", "飛角"), ("攻方", "青山"), ("受方", "なし"), ("備考", "持駒 金")]
        {
            let text = problem(&format!("{key}：{value}"), "持駒：金");
            let record = kif::read(&text).unwrap().record;
            assert_eq!(record.start.to_sfen(), "4k4/9/4P4/9/9/9/9/9/9 b G 1", "{key}");
            assert!(kif::headers(&record).contains(&(key.to_string(), value.to_string())), "{key}");
        }
        // Without a diagram there are no headings.
        let record = kif::read("甲の持駒：金\n手合割：平手\n   1 ７六歩(77)\n").unwrap().record;
        assert_eq!(record.moves.len(), 1);
    }
}
