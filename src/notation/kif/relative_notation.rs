//! Moves in Japanese notation, and resolving them to legal moves of a position.
//!
//! KIF names the square of origin, KI2 only the relative position and the movement where several pieces of a kind could
//! go to the destination. Both are read here, because programs and people mix them.

use super::vocabulary::{is_blank, is_marker, leading_number, leading_piece, square};
use crate::bitboard::{Bitboard, attacks};
use crate::movegen::{Foul, foul, is_legal};
use crate::position::Position;
use crate::types::{Color, Move, PieceType, Square};

/// The movement of a piece from its owner's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notation) enum Movement {
    /// 上: one rank or more forward.
    Up,
    /// 寄: along the rank.
    Across,
    /// 引: one rank or more backward.
    Down,
}

/// The position of the origin relative to the destination, or to the other piece that could go there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notation) enum RelativePosition {
    /// 左
    Left,
    /// 直: from straight below.
    Straight,
    /// 右
    Right,
}

/// A move in Japanese notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notation) struct RelativeNotation {
    /// The destination; `None` for 同, that of the move before.
    pub(in crate::notation) to: Option<Square>,
    /// The piece before the move.
    pub(in crate::notation) piece_type: PieceType,
    /// 打 is said.
    pub(in crate::notation) drop: bool,
    /// 成 or 不成 is said.
    pub(in crate::notation) promote: Option<bool>,
    /// 左, 直 or 右 is said.
    pub(in crate::notation) position: Option<RelativePosition>,
    /// 上, 寄 or 引 is said.
    pub(in crate::notation) movement: Option<Movement>,
    /// The origin in parentheses.
    pub(in crate::notation) from: Option<Square>,
}

/// Why a notation stands for no legal move of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notation) enum ResolveError {
    /// No legal move is meant.
    Illegal,
    /// Several legal moves are meant.
    Ambiguous,
}

impl RelativeNotation {
    /// Reads a move at the front of the text, the marker of the side before it or not; the rest of the text follows.
    pub(in crate::notation) fn parse(text: &str) -> Option<(RelativeNotation, &str)> {
        let text = text.trim_start_matches(|c| is_blank(c) || is_marker(c));
        let mut chars = text.chars();
        let (to, rest) = match text.strip_prefix('同') {
            Some(rest) => (None, rest.trim_start_matches(is_blank)),
            None => {
                let to = square(chars.next()?, chars.next()?)?;
                // Some write 同 after the square all the same.
                let rest = chars.as_str();
                (Some(to), rest.strip_prefix('同').unwrap_or(rest).trim_start_matches(is_blank))
            }
        };
        let (piece_type, mut rest) = leading_piece(rest)?;
        let mut notation =
            RelativeNotation { to, piece_type, drop: false, promote: None, position: None, movement: None, from: None };
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

    /// The legal move that is meant; `last` is the destination of the move before.
    pub(in crate::notation) fn resolve(&self, pos: &Position, last: Option<Square>) -> Result<Move, ResolveError> {
        let to = self.to.or(last).ok_or(ResolveError::Illegal)?;
        if self.drop {
            return self.resolve_drop(pos, to);
        }
        if let Some(from) = self.from {
            let named = pos.piece_on(from).is_some_and(|piece| piece.piece_type() == self.piece_type);
            return legal(pos, board_move(from, to, self.promote == Some(true)).filter(|_| named));
        }
        let candidates = pieces_reaching(pos, pos.side(), self.piece_type, to);
        let meant: Vec<(Square, Move)> = candidates
            .into_iter()
            .filter(|&from| self.fits(pos.side(), from, to, candidates))
            .filter_map(|from| Some((from, self.board_move(pos, from, to)?)))
            .collect();
        match meant[..] {
            [(_, only)] => Ok(only),
            [] if self.position.is_none() && self.movement.is_none() => self.resolve_drop(pos, to),
            [] => Err(ResolveError::Illegal),
            _ => self.resolve_loosely(pos.side(), to, candidates, &meant),
        }
    }

    /// The rule that the move breaks if it is not legal.
    pub(in crate::notation) fn foul(&self, pos: &Position, last: Option<Square>) -> Option<Foul> {
        let to = self.to.or(last)?;
        let drop = PieceType::HAND.contains(&self.piece_type).then(|| Move::drop(self.piece_type, to));
        if self.drop {
            return foul(pos, drop?);
        }
        let origins = pos.pieces_of(pos.side(), self.piece_type).into_iter();
        let moves = origins
            .filter(|&from| self.from.is_none_or(|said| said == from))
            .filter_map(|from| board_move(from, to, self.promote == Some(true)));
        moves.chain(drop.filter(|_| self.from.is_none())).find_map(|mv| foul(pos, mv))
    }

    /// The legal move of the piece on `from`; one that must promote does so even if nobody says it.
    fn board_move(&self, pos: &Position, from: Square, to: Square) -> Option<Move> {
        let plain = || legal(pos, board_move(from, to, false)).ok();
        let promotion = || legal(pos, board_move(from, to, true)).ok();
        match self.promote {
            Some(true) => promotion(),
            Some(false) => plain(),
            None => plain().or_else(promotion),
        }
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
        let shares_its_movement = |from: Square| {
            let others = candidates.without(Bitboard::from_square(from));
            others.into_iter().any(|other| movement(color, other, to) == movement(color, from, to))
        };
        let mut left = meant.iter().filter(|(from, _)| shares_its_movement(*from));
        match (left.next(), left.next()) {
            (Some(&(_, mv)), None) if self.position.is_some() && self.movement.is_none() => Ok(mv),
            _ => Err(ResolveError::Ambiguous),
        }
    }

    fn resolve_drop(&self, pos: &Position, to: Square) -> Result<Move, ResolveError> {
        let can_be_held = PieceType::HAND.contains(&self.piece_type) && self.promote != Some(true);
        legal(pos, can_be_held.then(|| Move::drop(self.piece_type, to)))
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
    let (file, rank, close) = (chars.next()?, chars.next()?, chars.next()?);
    let from = if (file, rank) == ('0', '0') { None } else { Some(square(file, rank)?) };
    matches!(close, ')' | '）').then_some((from, chars.as_str()))
}

fn board_move(from: Square, to: Square, promote: bool) -> Option<Move> {
    (from != to).then(|| if promote { Move::promotion(from, to) } else { Move::board(from, to) })
}

fn legal(pos: &Position, mv: Option<Move>) -> Result<Move, ResolveError> {
    mv.filter(|&mv| is_legal(pos, mv)).ok_or(ResolveError::Illegal)
}

/// The pieces of exactly this type whose movement takes them to the square, pinned ones included: a record says which
/// one went there even where the others only seem to be able to.
pub(in crate::notation) fn pieces_reaching(
    pos: &Position,
    color: Color,
    piece_type: PieceType,
    to: Square,
) -> Bitboard {
    let reaches = |&from: &Square| attacks(color, piece_type, from, pos.occupied()).contains(to);
    pos.pieces_of(color, piece_type).into_iter().filter(reaches).collect()
}

/// Tests whether left and right are said against the other piece, not against the destination: bishops, rooks, horses
/// and dragons, of which there are at most two.
pub(in crate::notation) fn is_far_reaching(piece_type: PieceType) -> bool {
    matches!(piece_type.mover(), PieceType::Bishop | PieceType::Rook)
}

/// The movement from one square to another from this side's view.
pub(in crate::notation) fn movement(color: Color, from: Square, to: Square) -> Movement {
    match from.rank().cmp(&to.rank()) {
        std::cmp::Ordering::Equal => Movement::Across,
        order if order.is_gt() == (color == Color::Black) => Movement::Up,
        _ => Movement::Down,
    }
}

/// On which side of another square one lies as this side sees it; `None` if on the same file.
pub(in crate::notation) fn relative_position(color: Color, square: Square, other: Square) -> Option<RelativePosition> {
    match square.file().cmp(&other.file()) {
        std::cmp::Ordering::Equal => None,
        order if order.is_gt() == (color == Color::Black) => Some(RelativePosition::Left),
        _ => Some(RelativePosition::Right),
    }
}

/// The number of a move at the front of the text, and what follows it: digits before a blank, or of half width before a
/// move (`1.７六歩`, `1▲７六歩`, `1７六歩`).
pub(in crate::notation) fn move_number(text: &str) -> Option<(u32, &str)> {
    if let Some(found) = leading_number(text).filter(|(_, rest)| rest.starts_with(is_blank)) {
        return Some(found);
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text[..text.len() - rest.len()].parse().ok()?;
    let after = rest.trim_start_matches(['.', '．', '、']);
    let is_apart =
        after.len() < rest.len() || after.starts_with(|c| is_marker(c) || c == '同' || ('１'..='９').contains(&c));
    (is_apart && RelativeNotation::parse(after).is_some()).then_some((number, after))
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
