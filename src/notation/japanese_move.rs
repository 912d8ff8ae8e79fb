//! Moves in Japanese notation: resolving them to legal moves of a position, and the marks that tell a move from others.
//!
//! KIF names the square of origin, KI2 only the relative position and the movement where several pieces of a kind could
//! go to the destination. Both are read here, because programs and people mix them.
//!
//! The marks 右 左 直, 上 寄 引, 成 不成, 打 follow the rules of the Japan Shogi Association, in its order: if another
//! piece of the kind could go to the square as well, the movement (上 寄 引) is said if that settles it, else the
//! relative position of the origin (右 左, and 直 for a step straight up of a gold, silver or small promoted piece), else
//! both. Bishops, rooks, horses and dragons are never 直: of the two the one further left is 左. 打 is said only if a
//! piece on the board could have gone there. A pinned piece counts among those that could.

use super::vocabulary::{is_blank, is_marker, leading_number, leading_piece, piece_name, square};
use crate::bitboard::{Bitboard, attacks};
use crate::movegen::{Foul, foul, is_legal};
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, PieceType, Square};
use std::cmp::Ordering;

/// The movement of a piece from its owner's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Movement {
    /// 上: one rank or more forward.
    Up,
    /// 寄: along the rank.
    Across,
    /// 引: one rank or more backward.
    Down,
}

/// The position of the origin relative to the destination, or to the other piece that could go there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RelativePosition {
    /// 左
    Left,
    /// 直: from straight below.
    Straight,
    /// 右
    Right,
}

/// A move in Japanese notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JapaneseMove {
    /// The destination; `None` for 同, that of the move before.
    pub(crate) to: Option<Square>,
    /// The piece before the move.
    pub(crate) piece_type: PieceType,
    /// 打 is said.
    pub(crate) drop: bool,
    /// 成 or 不成 is said.
    pub(crate) promote: Option<bool>,
    /// 左, 直 or 右 is said.
    pub(crate) position: Option<RelativePosition>,
    /// 上, 寄 or 引 is said.
    pub(crate) movement: Option<Movement>,
    /// The origin in parentheses.
    pub(crate) from: Option<Square>,
}

/// Why a notation stands for no legal move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResolveError {
    /// No legal move is meant.
    Illegal,
    /// Several legal moves are meant.
    Ambiguous,
}

impl JapaneseMove {
    /// A move of which no more than its destination and its piece is said.
    pub(crate) fn new(to: Option<Square>, piece_type: PieceType) -> JapaneseMove {
        JapaneseMove { to, piece_type, drop: false, promote: None, position: None, movement: None, from: None }
    }

    /// Reads a move at the front of the text, the marker of the side before it or not; the rest of the text follows.
    pub(crate) fn parse(text: &str) -> Option<(JapaneseMove, &str)> {
        let text = text.trim_start_matches(|c| is_blank(c) || is_marker(c));
        let (to, rest) = match text.strip_prefix('同') {
            Some(rest) => (None, rest),
            None => {
                let mut chars = text.chars();
                let to = square(chars.next()?, chars.next()?)?;
                // Some write 同 after the square all the same.
                let rest = chars.as_str();
                (Some(to), rest.strip_prefix('同').unwrap_or(rest))
            }
        };
        let (piece_type, mut rest) = leading_piece(rest.trim_start_matches(is_blank))?;
        let mut notation = JapaneseMove::new(to, piece_type);
        while let Some(after) = notation.read_mark(rest) {
            rest = after;
        }
        if let Some((from, after)) = origin(rest) {
            // Some write (00) for a drop.
            notation.drop |= from.is_none();
            notation.from = from;
            rest = after;
        }
        Some((notation, rest))
    }

    /// Takes one word about the move off the text.
    fn read_mark<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        if let Some(rest) = text.strip_prefix("不成").or_else(|| text.strip_prefix('生')) {
            self.promote = Some(false);
            return Some(rest);
        }
        let first = text.chars().next()?;
        match first {
            '成' => self.promote = Some(true),
            '打' => self.drop = true,
            '左' => self.position = Some(RelativePosition::Left),
            '直' => self.position = Some(RelativePosition::Straight),
            '右' => self.position = Some(RelativePosition::Right),
            '上' | '行' | '入' => self.movement = Some(Movement::Up),
            '寄' => self.movement = Some(Movement::Across),
            '引' | '下' => self.movement = Some(Movement::Down),
            _ => return None,
        }
        Some(&text[first.len_utf8()..])
    }

    /// Takes a letter of a JSON record about the move; others mean nothing.
    #[cfg(feature = "records")]
    pub(crate) fn read_letter(&mut self, letter: char) {
        if let Some((mark, _)) = LETTERS.iter().find(|(_, known)| *known == letter) {
            self.read_mark(mark);
        }
    }

    /// The legal move that is meant; `last` is the destination of the move before.
    pub(crate) fn resolve(&self, pos: &Position, last: Option<Square>) -> Result<Move, ResolveError> {
        let to = self.to.or(last).ok_or(ResolveError::Illegal)?;
        if self.drop {
            return self.resolve_drop(pos, to);
        }
        if let Some(from) = self.from {
            let is_named = pos.piece_on(from).is_some_and(|piece| piece.piece_type() == self.piece_type);
            if !is_named || from == to {
                return Err(ResolveError::Illegal);
            }
            return legal(pos, board_move(from, to, self.promote == Some(true)));
        }
        let candidates = pieces_reaching(pos, pos.side(), self.piece_type, to);
        let mut meant = Vec::new();
        for from in candidates {
            if !self.fits(pos.side(), from, to, candidates) {
                continue;
            }
            if let Some(mv) = self.move_from(pos, from, to) {
                meant.push((from, mv));
            }
        }
        match meant[..] {
            [(_, only)] => Ok(only),
            [] if self.position.is_none() && self.movement.is_none() => self.resolve_drop(pos, to),
            [] => Err(ResolveError::Illegal),
            _ => self.resolve_loosely(pos.side(), to, candidates, &meant),
        }
    }

    /// The rule that the move breaks if it is not legal.
    pub(crate) fn foul(&self, pos: &Position, last: Option<Square>) -> Option<Foul> {
        let to = self.to.or(last)?;
        if !self.drop {
            for from in pos.pieces_of(pos.side(), self.piece_type) {
                if from == to || self.from.is_some_and(|said| said != from) {
                    continue;
                }
                let found = foul(pos, board_move(from, to, self.promote == Some(true)));
                if found.is_some() {
                    return found;
                }
            }
        }
        if (self.drop || self.from.is_none()) && PieceType::HAND.contains(&self.piece_type) {
            return foul(pos, Move::drop(self.piece_type, to));
        }
        None
    }

    /// The legal move of the piece on `from`; one that must promote does so even if nobody says it.
    fn move_from(&self, pos: &Position, from: Square, to: Square) -> Option<Move> {
        if self.promote != Some(true)
            && let Ok(plain) = legal(pos, board_move(from, to, false))
        {
            return Some(plain);
        }
        if self.promote == Some(false) { None } else { legal(pos, board_move(from, to, true)).ok() }
    }

    /// Some say 左 or 右 of several pieces on that side and mean the one that its movement does not tell from all
    /// others.
    fn resolve_loosely(
        &self,
        color: Color,
        to: Square,
        candidates: Bitboard,
        meant: &[(Square, Move)],
    ) -> Result<Move, ResolveError> {
        let mut left = Vec::new();
        for &(from, mv) in meant {
            let others = candidates.without(Bitboard::from_square(from));
            if others.into_iter().any(|other| movement(color, other, to) == movement(color, from, to)) {
                left.push(mv);
            }
        }
        match left[..] {
            [mv] if self.position.is_some() && self.movement.is_none() => Ok(mv),
            _ => Err(ResolveError::Ambiguous),
        }
    }

    fn resolve_drop(&self, pos: &Position, to: Square) -> Result<Move, ResolveError> {
        if !PieceType::HAND.contains(&self.piece_type) || self.promote == Some(true) {
            return Err(ResolveError::Illegal);
        }
        legal(pos, Move::drop(self.piece_type, to))
    }

    /// Tests whether relative position and movement are those of a piece that comes from here.
    fn fits(&self, color: Color, from: Square, to: Square, candidates: Bitboard) -> bool {
        let position_fits = match self.position {
            None => true,
            Some(RelativePosition::Straight) => from.file() == to.file() && movement(color, from, to) == Movement::Up,
            Some(position) if is_far_reaching(self.piece_type) => candidates
                .without(Bitboard::from_square(from))
                .into_iter()
                .all(|other| relative_position(color, from, other) == Some(position)),
            Some(position) => relative_position(color, from, to) == Some(position),
        };
        position_fits && self.movement.is_none_or(|said| said == movement(color, from, to))
    }
}

/// `(77)`: the origin, `None` for `(00)`, and what follows it.
fn origin(text: &str) -> Option<(Option<Square>, &str)> {
    let inside = text.trim_start_matches(is_blank).strip_prefix(['(', '（'])?;
    let mut chars = inside.chars();
    let file = chars.next()?;
    let rank = chars.next()?;
    let from = if file == '0' && rank == '0' { None } else { Some(square(file, rank)?) };
    if matches!(chars.next()?, ')' | '）') { Some((from, chars.as_str())) } else { None }
}

fn board_move(from: Square, to: Square, promote: bool) -> Move {
    if promote { Move::promotion(from, to) } else { Move::board(from, to) }
}

fn legal(pos: &Position, mv: Move) -> Result<Move, ResolveError> {
    if is_legal(pos, mv) { Ok(mv) } else { Err(ResolveError::Illegal) }
}

/// The pieces of exactly this type whose movement takes them to the square, pinned ones included: a record says which
/// one went there even where the others only seem to be able to.
fn pieces_reaching(pos: &Position, color: Color, piece_type: PieceType, to: Square) -> Bitboard {
    let reaches = |&from: &Square| attacks(color, piece_type, from, pos.occupied()).contains(to);
    pos.pieces_of(color, piece_type).into_iter().filter(reaches).collect()
}

/// Tests whether left and right are said against the other piece, not against the destination: bishops, rooks, horses
/// and dragons, of which there are at most two.
fn is_far_reaching(piece_type: PieceType) -> bool {
    matches!(piece_type.mover(), PieceType::Bishop | PieceType::Rook)
}

/// The movement from one square to another from this side's view.
fn movement(color: Color, from: Square, to: Square) -> Movement {
    match from.rank().cmp(&to.rank()) {
        Ordering::Equal => Movement::Across,
        order if order.is_gt() == (color == Color::Black) => Movement::Up,
        _ => Movement::Down,
    }
}

/// On which side of another square one lies as this side sees it; `None` if on the same file.
fn relative_position(color: Color, square: Square, other: Square) -> Option<RelativePosition> {
    match square.file().cmp(&other.file()) {
        Ordering::Equal => None,
        order if order.is_gt() == (color == Color::Black) => Some(RelativePosition::Left),
        _ => Some(RelativePosition::Right),
    }
}

/// The number of a move at the front of the text, and what follows it: digits before a blank, or of half width before a
/// move (`1.７六歩`, `1▲７六歩`, `1７六歩`).
pub(crate) fn move_number(text: &str) -> Option<(u32, &str)> {
    if let Some((number, rest)) = leading_number(text)
        && rest.starts_with(is_blank)
    {
        return Some((number, rest));
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text[..text.len() - rest.len()].parse().ok()?;
    let after = rest.trim_start_matches(['.', '．', '、']);
    let is_apart =
        after.len() < rest.len() || after.starts_with(|c| is_marker(c) || c == '同' || ('１'..='９').contains(&c));
    if is_apart && JapaneseMove::parse(after).is_some() { Some((number, after)) } else { None }
}

/// The piece and all that is said about its move, without the destination: 金左上. The move is legal in the position.
pub(crate) fn piece_and_marks(pos: &Position, mv: Move) -> String {
    let color = pos.side();
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => {
            let drop = if pieces_reaching(pos, color, piece_type, to).is_empty() { "" } else { "打" };
            format!("{}{drop}", piece_name(piece_type))
        }
        MoveKind::Board { from, to, promote } => {
            let piece_type = pos.piece_on(from).expect("a legal move starts on a piece").piece_type();
            let promotion = match (may_promote(color, piece_type, from, to), promote) {
                (false, _) => "",
                (true, true) => "成",
                (true, false) => "不成",
            };
            let (position, movement) = origin_marks(pos, piece_type, from, to);
            let position = match position {
                None => "",
                Some(RelativePosition::Left) => "左",
                Some(RelativePosition::Straight) => "直",
                Some(RelativePosition::Right) => "右",
            };
            let movement = match movement {
                None => "",
                Some(Movement::Up) => "上",
                Some(Movement::Across) => "寄",
                Some(Movement::Down) => "引",
            };
            format!("{}{position}{movement}{promotion}", piece_name(piece_type))
        }
    }
}

/// What tells a move from others, and the letters for it in JSON records.
#[cfg(feature = "records")]
const LETTERS: [(&str, char); 7] =
    [("左", 'L'), ("直", 'C'), ("右", 'R'), ("上", 'U'), ("寄", 'M'), ("引", 'D'), ("打", 'H')];

/// The letters of JSON records that tell a legal move from others: L, C, R, then U, M, D; H for a drop.
#[cfg(feature = "records")]
pub(crate) fn relative_letters(pos: &Position, mv: Move) -> Option<String> {
    let letter_of = |c: char| LETTERS.iter().find(|(mark, _)| mark.starts_with(c)).map(|(_, letter)| *letter);
    let letters: String = piece_and_marks(pos, mv).chars().filter_map(letter_of).collect();
    if letters.is_empty() { None } else { Some(letters) }
}

/// Tests whether a piece may promote with a move.
pub(crate) fn may_promote(color: Color, piece_type: PieceType, from: Square, to: Square) -> bool {
    let zone = Bitboard::zone(color);
    piece_type.can_promote() && (zone.contains(from) || zone.contains(to))
}

/// The shortest of the permitted ways to say where a piece comes from.
fn origin_marks(
    pos: &Position,
    piece_type: PieceType,
    from: Square,
    to: Square,
) -> (Option<RelativePosition>, Option<Movement>) {
    let color = pos.side();
    let rivals = pieces_reaching(pos, color, piece_type, to).without(Bitboard::from_square(from));
    let own_movement = movement(color, from, to);
    if rivals.is_empty() {
        return (None, None);
    }
    if rivals.into_iter().all(|rival| movement(color, rival, to) != own_movement) {
        return (None, Some(own_movement));
    }
    if is_far_reaching(piece_type) {
        return (rivals.first().and_then(|rival| relative_position(color, from, rival)), None);
    }
    let position = position_of(color, from, to);
    // Only one piece can come from straight below.
    let is_alone = position == RelativePosition::Straight
        || rivals.into_iter().all(|rival| position_of(color, rival, to) != position);
    (Some(position), if is_alone { None } else { Some(own_movement) })
}

/// Where a piece comes from as seen from its destination. What comes straight down is never asked: it is the only one
/// that comes down its file, and a gold comes down in no other way.
fn position_of(color: Color, from: Square, to: Square) -> RelativePosition {
    relative_position(color, from, to).unwrap_or(RelativePosition::Straight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_either_width() {
        assert_eq!(leading_number("１2手"), Some((12, "手")));
        assert_eq!(leading_number("手"), None);
        assert_eq!(leading_number("99999999999"), None);
        for (text, number) in [("12 投了", 12), ("1.７六歩", 1), ("3▲同歩", 3), ("1７六歩(77)", 1), ("2同　歩", 2)]
        {
            assert_eq!(move_number(text).map(|(number, _)| number), Some(number), "{text}");
        }
        for text in ["76歩(77)", "７六歩", "1.5倍", "2026/11/21", "3手詰"] {
            assert_eq!(move_number(text), None, "{text}");
        }
    }
}
