//! Declaration wins (nyugyoku): the ways to end a game when the kings have entered the enemy camps.

use super::Position;
use super::rules::EnteringKingRule;
use crate::bitboard::{Bitboard, king_attacks};
use crate::types::{Color, Move, PieceType, Square};

/// Outcome of a declaration by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// It wins.
    Win,
    /// It draws (24-point rule with 24 to 30 points).
    Draw,
    /// It wins by this king move (try rule).
    Try(Move),
}

/// Pieces and points of the side to move that count towards a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CampCount {
    /// The king is in the camp (the last three ranks) and not in check.
    pub king_safe_in_camp: bool,
    /// Own pieces in the camp, the king left out.
    pub pieces: u32,
    /// Points of these pieces and of the hand: 5 for rook, bishop, dragon and horse, 1 for the others.
    pub points: u32,
}

/// Own pieces besides the king that must be in the camp.
const PIECES_NEEDED: u32 = 10;
/// Points of all pieces of a set.
const ALL_POINTS: u32 = 54;

impl Position {
    /// Outcome of a declaration by the side to move under a rule; `None` if it may not declare.
    ///
    /// ```
    /// use komainu::position::{Declaration, EnteringKingRule, Position};
    ///
    /// // King, eleven pieces and 28 points in the camp.
    /// let position = Position::from_sfen("K+R+R6/+B+BGGGG3/SSSS5/9/9/9/9/9/8k b 4P 1")?;
    /// assert_eq!(position.declaration(EnteringKingRule::CSARule27), Some(Declaration::Win));
    /// assert_eq!(Position::startpos().declaration(EnteringKingRule::CSARule27), None);
    /// # Ok::<(), komainu::position::SfenError>(())
    /// ```
    #[doc(alias = "nyugyoku")]
    pub fn declaration(&self, rule: EnteringKingRule) -> Option<Declaration> {
        use EnteringKingRule::*;
        let side = self.side();
        match rule {
            NoEnteringKing => return None,
            TryRule => return self.try_move().map(Declaration::Try),
            _ => {}
        }
        // Nearly always the king is at home: ask that first.
        if !self.king(side).is_some_and(|king| Bitboard::zone(side).contains(king)) || self.in_check() {
            return None;
        }
        let count = self.camp_count();
        if count.pieces < PIECES_NEEDED {
            return None;
        }
        let missing = match rule {
            CSARule24H | CSARule27H if side == Color::White => ALL_POINTS.saturating_sub(self.all_points()),
            _ => 0,
        };
        let points = count.points + missing;
        match rule {
            CSARule27 | CSARule27H => {
                let needed = if side == Color::Black { 28 } else { 27 };
                if points >= needed { Some(Declaration::Win) } else { None }
            }
            _ if points >= 31 => Some(Declaration::Win),
            _ if points >= 24 => Some(Declaration::Draw),
            _ => None,
        }
    }

    /// Counts the pieces and points of the side to move towards a declaration.
    pub fn camp_count(&self) -> CampCount {
        let side = self.side();
        let camp = Bitboard::zone(side) & self.pieces(side);
        let in_camp = camp.without(self.movers(PieceType::King));
        let majors = in_camp & (self.movers(PieceType::Bishop) | self.movers(PieceType::Rook));
        CampCount {
            king_safe_in_camp: camp.intersects(self.movers(PieceType::King)) && !self.in_check(),
            pieces: in_camp.count(),
            points: in_camp.count() + 4 * majors.count() + self.hand_points(side),
        }
    }

    fn hand_points(&self, color: Color) -> u32 {
        let mut points = 0;
        for (piece_type, count) in self.hand(color).iter() {
            let value = if matches!(piece_type, PieceType::Bishop | PieceType::Rook) { 5 } else { 1 };
            points += value * u32::from(count);
        }
        points
    }

    /// Points of all pieces on the board and in the hands.
    fn all_points(&self) -> u32 {
        let pieces = self.occupied().without(self.movers(PieceType::King));
        let majors = self.movers(PieceType::Bishop) | self.movers(PieceType::Rook);
        pieces.count() + 4 * majors.count() + self.hand_points(Color::Black) + self.hand_points(Color::White)
    }

    /// The king's move that reaches the enemy king's start square unattacked.
    #[doc(alias = "トライルール")]
    fn try_move(&self) -> Option<Move> {
        let side = self.side();
        let king = self.king(side)?;
        let goal = match side {
            Color::Black => Square::S5A,
            Color::White => Square::S5I,
        };
        if !king_attacks(king).contains(goal) || self.pieces(side).contains(goal) {
            return None;
        }
        let occupied = self.occupied() ^ Bitboard::from_square(king);
        if self.is_attacked(!side, goal, occupied) { None } else { Some(Move::board(king, goal)) }
    }
}
