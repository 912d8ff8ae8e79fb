//! Where a game begins: a named handicap, or a diagram with hands (BOD).

use super::relative_notation::RelativeNotation;
use super::vocabulary::{
    diagram_name, digit, is_blank, kanji_number, leading_number, leading_piece, piece_of, rank_name, read_count,
    side_name, trim,
};
use super::{KifError, KifFault};
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

/// Names that mean another start on lishogi.
const OF_LISHOGI: [(&str, Handicap); 1] = [("三枚落ち", Handicap::RightThreePieces)];

/// Names of which sources differ in the pieces that are missing.
const DOUBTFUL: [&str; 4] = ["三枚落ち", "五枚落ち", "七枚落ち", "九枚落ち"];

/// The handicap of a name, as the site means it.
fn handicap_named(name: &str, site: &str) -> Option<Handicap> {
    let own: &[_] = if is_lishogi(site) { &OF_LISHOGI } else { &[] };
    let synonym = own.iter().chain(&SYNONYMS).find(|(other, _)| *other == name).map(|&(_, handicap)| handicap);
    synonym.or_else(|| Handicap::ALL.into_iter().find(|handicap| handicap.japanese_name() == name))
}

fn is_lishogi(site: &str) -> bool {
    site.contains("lishogi")
}

/// The handicap that a position is the start of, if its name says enough: of the rarer ones a diagram is written.
pub(in crate::notation) fn handicap_of(start: &Position) -> Option<Handicap> {
    Handicap::of_sfen(&start.to_sfen()).filter(|handicap| Handicap::USUAL.contains(handicap))
}

/// The start of a game as its lines tell it, one after the other.
#[derive(Default)]
pub(super) struct Setup {
    handicap: Option<(usize, String)>,
    /// Lines of the diagram with their numbers.
    ranks: Vec<(usize, String)>,
    hands: [Option<(usize, String)>; 2],
    side: Option<Color>,
    moves_before: u32,
    /// Where the move before the diagram went, which 同 may mean.
    pub(super) last: Option<Square>,
}

impl Setup {
    pub(super) fn handicap(&mut self, line: usize, name: &str) {
        self.handicap = Some((line, trim(name).to_string()));
    }

    pub(super) fn rank(&mut self, line: usize, text: &str) {
        self.ranks.push((line, text.to_string()));
    }

    pub(super) fn hand(&mut self, line: usize, color: Color, text: &str) {
        self.hands[color] = Some((line, text.to_string()));
    }

    pub(super) fn side(&mut self, side: Color) {
        self.side = Some(side);
    }

    /// Reads what follows 手数＝ below a diagram: `171  ▲６二角成  まで`.
    pub(super) fn moves_before(&mut self, text: &str) {
        if let Some((moves, rest)) = leading_number(trim(text)) {
            self.moves_before = moves;
            self.last = RelativeNotation::parse(rest).and_then(|(notation, _)| notation.to);
        }
    }

    /// Tells of a start that is known by its name alone and that sources understand differently.
    pub(super) fn doubt(&self) -> Option<String> {
        let (line, name) = self.handicap.as_ref().filter(|(_, name)| DOUBTFUL.contains(&name.as_str()))?;
        self.ranks
            .is_empty()
            .then(|| format!("line {line}: sources differ in what {name} leaves out; a diagram would say it"))
    }

    /// The side that begins where nothing names it: white in a handicap.
    fn usual_side(&self) -> Color {
        let name = self.handicap.as_ref().map_or("", |(_, name)| name);
        let is_handicap = handicap_named(name, "").is_some_and(|handicap| handicap != Handicap::Even);
        // The diagram may be that of a later position.
        if is_handicap && self.moves_before.is_multiple_of(2) { Color::White } else { Color::Black }
    }

    /// The position, the even start if nothing was said.
    pub(super) fn build(&self, line: usize, site: &str) -> Result<Position, KifError> {
        if self.ranks.is_empty() {
            let (line, name) = match &self.handicap {
                None => return Ok(Position::startpos()),
                Some((line, name)) => (*line, name),
            };
            let unknown = || KifError::new(line, KifFault::Handicap(name.clone()));
            let handicap = handicap_named(name, site).ok_or_else(unknown)?;
            return Ok(Position::from_sfen(handicap.sfen()).expect("the handicaps are valid positions"));
        }
        let mut builder = PositionBuilder::new();
        if self.ranks.len() != 9 {
            return Err(KifError::new(self.ranks[0].0, KifFault::RankCount(self.ranks.len())));
        }
        for (rank, (line, text)) in Rank::ALL.into_iter().zip(&self.ranks) {
            read_rank(&mut builder, rank, text).ok_or(KifError::new(*line, KifFault::Rank(text.clone())))?;
        }
        for color in Color::ALL {
            let Some((line, text)) = &self.hands[color] else { continue };
            read_hand(&mut builder, color, text).map_err(|token| KifError::new(*line, KifFault::Hand(token)))?;
        }
        builder.side(self.side.unwrap_or_else(|| self.usual_side())).ply(self.moves_before.saturating_add(1));
        builder.build().map_err(|invalid| KifError::new(line, KifFault::Position(invalid)))
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
    files.next().is_none().then_some(())
}

/// Reads `飛　角　金四　歩十八`, or なし; the blanks may be missing. The error is the token that is no piece.
fn read_hand(builder: &mut PositionBuilder, color: Color, text: &str) -> Result<(), String> {
    for token in text.split(is_blank).filter(|token| !token.is_empty() && *token != "なし") {
        let mut rest = token;
        while !rest.is_empty() {
            let (piece_type, after) = leading_piece(rest)
                .filter(|(piece_type, _)| PieceType::HAND.contains(piece_type))
                .ok_or_else(|| token.to_string())?;
            rest = after.trim_start_matches(|c| piece_of(c).is_none());
            let count = &after[..after.len() - rest.len()];
            let count = if count.is_empty() { Some(1) } else { read_count(count) };
            builder.hand(color, piece_type, count.ok_or_else(|| token.to_string())?);
        }
    }
    Ok(())
}

/// Tests whether a line is the row of file numbers above a diagram.
pub(super) fn is_file_row(line: &str) -> bool {
    line.chars().filter(|&c| !is_blank(c)).map(digit).eq((1..=9).rev().map(Some))
}

/// Writes the start: 手合割, and the diagram if it is none of the named ones.
pub(in crate::notation) fn write_start(text: &mut String, start: &Position) {
    match handicap_of(start) {
        Some(handicap) => _ = writeln!(text, "手合割：{}", handicap.japanese_name()),
        None => {
            text.push_str("手合割：その他\n");
            write_diagram(text, start);
        }
    }
}

/// Writes a diagram with hands, counter and turn.
pub(in crate::notation) fn write_diagram(text: &mut String, pos: &Position) {
    let hand = |color| format!("{}の持駒：{}\n", side_name(color, false), hand_text(pos.hand(color)));
    text.push_str(&hand(Color::White));
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
    text.push_str(&hand(Color::Black));
    if pos.ply() > 1 {
        _ = writeln!(text, "手数＝{}", pos.ply() - 1);
    }
    if pos.side() == Color::White {
        text.push_str("後手番\n");
    }
}

/// 飛　歩十八, or なし
fn hand_text(hand: Hand) -> String {
    if hand.is_empty() {
        return "なし".to_string();
    }
    let piece = |(piece_type, count)| {
        let count = if count > 1 { kanji_number(count) } else { String::new() };
        format!("{}{count}　", diagram_name(piece_type))
    };
    hand.iter().map(piece).collect()
}
