//! Which moves give check, without making them.

use super::Position;
use crate::bitboard::{
    Bitboard, bishop_attacks, gold_attacks, king_attacks, knight_attacks, lance_attacks, line_through, pawn_attacks,
    rook_attacks, silver_attacks,
};
use crate::types::{Move, MoveKind, PieceType, Square};

/// From where each piece of the side to move would check the enemy king, and which of its pieces uncover a check by
/// moving away. Made once for a position, when the first move is asked about.
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
    /// Looks at the position from the enemy king.
    pub fn new(pos: &Position) -> CheckInfo {
        use PieceType::*;
        let mut squares = [Bitboard::EMPTY; 15];
        let (us, them) = (pos.side(), !pos.side());
        let king = pos.king(them);
        let Some(square) = king else { return CheckInfo { king, squares, blockers: Bitboard::EMPTY } };
        let occupied = pos.occupied();
        // A piece attacks the king from where the other side's piece on the king's square would attack.
        let gold = gold_attacks(them, square);
        let bishop = bishop_attacks(square, occupied);
        let rook = rook_attacks(square, occupied);
        let step = king_attacks(square);
        squares[Pawn.index()] = pawn_attacks(them, square);
        squares[Lance.index()] = lance_attacks(them, square, occupied);
        squares[Knight.index()] = knight_attacks(them, square);
        squares[Silver.index()] = silver_attacks(them, square);
        squares[Bishop.index()] = bishop;
        squares[Rook.index()] = rook;
        for piece_type in [Gold, ProPawn, ProLance, ProKnight, ProSilver] {
            squares[piece_type.index()] = gold;
        }
        squares[Horse.index()] = bishop | step;
        squares[Dragon.index()] = rook | step;
        CheckInfo { king, squares, blockers: pos.blockers(us, square, us) }
    }

    /// From where a piece of this type would check the enemy king; nothing for a king.
    #[inline]
    pub fn squares(&self, piece_type: PieceType) -> Bitboard {
        self.squares[piece_type.index()]
    }

    /// Pieces of the side to move that uncover a check when they leave their line.
    pub(crate) fn blockers(&self) -> Bitboard {
        self.blockers
    }

    /// Where a piece on this square uncovers a check by moving: everywhere off its line, or nowhere.
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
