//! Attackers of a square, checkers, pinned pieces, and which moves give check.

use super::Position;
use crate::bitboard::{
    Bitboard, between, bishop_attacks, bishop_rays, gold_attacks, king_attacks, knight_attacks, lance_attacks,
    lance_rays, line_through, pawn_attacks, rook_attacks, rook_rays, silver_attacks,
};
use crate::types::{Color, Move, MoveKind, PieceType, Square};

impl Position {
    /// Horses, dragons and kings of both sides: the pieces with a king's steps.
    pub(crate) fn king_steppers(&self) -> Bitboard {
        (self.movers(PieceType::Bishop) | self.movers(PieceType::Rook)) & self.promoted | self.movers(PieceType::King)
    }

    /// The pieces of a side that attack a square by a step, not by sliding.
    pub(crate) fn step_attackers(&self, attacker: Color, square: Square) -> Bitboard {
        let defender = !attacker;
        (pawn_attacks(defender, square) & self.movers(PieceType::Pawn)
            | knight_attacks(defender, square) & self.movers(PieceType::Knight)
            | silver_attacks(defender, square) & self.movers(PieceType::Silver)
            | gold_attacks(defender, square) & self.movers(PieceType::Gold)
            | king_attacks(square) & self.king_steppers())
            & self.pieces(attacker)
    }

    /// The pieces of a side that attack a square when these squares are occupied.
    ///
    /// ```
    /// use komainu::position::Position;
    /// use komainu::types::{Color, Square};
    ///
    /// let position = Position::startpos();
    /// // The rook along its rank, a gold and a silver.
    /// let squares = position.attackers(Color::Black, Square::S7H, position.occupied());
    /// assert_eq!(squares.into_iter().map(|square| square.to_string()).collect::<Vec<_>>(), ["2h", "6i", "7i"]);
    /// ```
    pub fn attackers(&self, attacker: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let sliders = bishop_attacks(square, occupied) & self.movers(PieceType::Bishop)
            | rook_attacks(square, occupied) & self.movers(PieceType::Rook)
            | lance_attacks(!attacker, square, occupied) & self.movers(PieceType::Lance);
        self.step_attackers(attacker, square) | sliders & self.pieces(attacker)
    }

    /// Tests whether a side attacks a square when these squares are occupied.
    pub fn is_attacked(&self, attacker: Color, square: Square, occupied: Bitboard) -> bool {
        !self.attackers(attacker, square, occupied).is_empty()
    }

    /// The sliders of a side that would attack the square on an empty board.
    pub(crate) fn aiming_sliders(&self, attacker: Color, square: Square) -> Bitboard {
        (bishop_rays(square) & self.movers(PieceType::Bishop)
            | rook_rays(square) & self.movers(PieceType::Rook)
            | lance_rays(!attacker, square) & self.movers(PieceType::Lance))
            & self.pieces(attacker)
    }

    /// The pieces of `color` that stand alone between a square and an enemy slider of `attacker`.
    pub(crate) fn blockers(&self, attacker: Color, square: Square, color: Color) -> Bitboard {
        single_blockers(square, self.aiming_sliders(attacker, square), self.occupied()) & self.pieces(color)
    }

    /// Computes the checkers and the pinned pieces of the side to move.
    #[inline(always)]
    pub(crate) fn checkers_and_pinned(&self) -> (Bitboard, Bitboard) {
        let Some(king) = self.king(self.side) else {
            return (Bitboard::EMPTY, Bitboard::EMPTY);
        };
        let mut checkers = self.step_attackers(!self.side, king);
        let mut pinned = Bitboard::EMPTY;
        let occupied = self.occupied();
        for slider in self.aiming_sliders(!self.side, king) {
            let inside = between(king, slider) & occupied;
            if inside.is_empty() {
                checkers |= Bitboard::from_square(slider);
            } else if !inside.is_many() {
                pinned |= inside;
            }
        }
        (checkers, pinned & self.pieces(self.side))
    }
}

/// The pieces that stand alone between a square and one of these sliders when these squares are occupied.
pub(crate) fn single_blockers(square: Square, sliders: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut blockers = Bitboard::EMPTY;
    for slider in sliders {
        let inside = between(square, slider) & occupied;
        if !inside.is_many() {
            blockers |= inside;
        }
    }
    blockers
}

/// The squares from which each type of piece of the side to move checks the enemy king, and the pieces that uncover a
/// check by moving away. Made once for a position when many of its moves are asked about.
///
/// ```
/// use komainu::position::{CheckInfo, Position};
///
/// let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/9 b G 1")?;
/// let info = CheckInfo::new(&position);
/// let checks: Vec<String> = position
///     .legal_moves()
///     .into_iter()
///     .filter(|&mv| info.gives_check(&position, mv))
///     .map(|mv| mv.to_string())
///     .collect();
/// assert!(checks.contains(&"G*5b".to_string()) && !checks.contains(&"G*1a".to_string()));
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CheckInfo {
    king: Option<Square>,
    /// By piece type: squares from which a piece of the side to move attacks the enemy king.
    squares: [Bitboard; 15],
    /// Pieces of the side to move that alone stand between one of its sliders and the enemy king.
    blockers: Bitboard,
}

impl CheckInfo {
    /// The squares and pieces of a position.
    pub fn new(pos: &Position) -> CheckInfo {
        use PieceType::*;
        let mut squares = [Bitboard::EMPTY; 15];
        let us = pos.side();
        let them = !us;
        let Some(king) = pos.king(them) else {
            return CheckInfo { king: None, squares, blockers: Bitboard::EMPTY };
        };
        let occupied = pos.occupied();
        // A piece attacks the king from where the other side's piece on the king's square would attack.
        let gold = gold_attacks(them, king);
        let bishop = bishop_attacks(king, occupied);
        let rook = rook_attacks(king, occupied);
        let step = king_attacks(king);
        squares[Pawn.index()] = pawn_attacks(them, king);
        squares[Lance.index()] = lance_attacks(them, king, occupied);
        squares[Knight.index()] = knight_attacks(them, king);
        squares[Silver.index()] = silver_attacks(them, king);
        squares[Bishop.index()] = bishop;
        squares[Rook.index()] = rook;
        for piece_type in [Gold, ProPawn, ProLance, ProKnight, ProSilver] {
            squares[piece_type.index()] = gold;
        }
        squares[Horse.index()] = bishop | step;
        squares[Dragon.index()] = rook | step;
        CheckInfo { king: Some(king), squares, blockers: pos.blockers(us, king, us) }
    }

    /// The squares from which a piece of this type checks the enemy king; none for a king.
    #[inline]
    pub fn squares(&self, piece_type: PieceType) -> Bitboard {
        self.squares[piece_type.index()]
    }

    /// Pieces of the side to move that uncover a check when they leave their line.
    pub(crate) fn blockers(&self) -> Bitboard {
        self.blockers
    }

    /// The squares to which a piece on `from` must move to uncover a check: all off its line, or none.
    pub(crate) fn uncovering(&self, from: Square) -> Bitboard {
        match self.king {
            Some(king) if self.blockers.contains(from) => !line_through(king, from),
            _ => Bitboard::EMPTY,
        }
    }

    /// Tests whether a legal move of the position gives check.
    #[inline]
    pub fn gives_check(&self, pos: &Position, mv: Move) -> bool {
        match mv.kind() {
            MoveKind::Drop { piece_type, to } => self.squares(piece_type).contains(to),
            MoveKind::Board { from, to, promote } => {
                let Some(piece) = pos.piece_on(from) else { return false };
                let piece_type = if promote { piece.piece_type().promoted() } else { piece.piece_type() };
                self.squares(piece_type).contains(to) || self.uncovering(from).contains(to)
            }
        }
    }
}

impl Position {
    /// Tests whether a legal move gives check. To ask about many moves of one position make a [`CheckInfo`].
    pub fn gives_check(&self, mv: Move) -> bool {
        CheckInfo::new(self).gives_check(self, mv)
    }
}
