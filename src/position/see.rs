//! Static exchange evaluation: what a sequence of captures on one square is worth.

use super::Position;
use super::checks::single_blockers;
use crate::bitboard::{Bitboard, between, line_through};
use crate::types::{Color, Move, MoveKind, PieceType, Square};

impl Position {
    /// Static exchange evaluation: tests whether a move wins at least `threshold` centipawns by the captures on its
    /// destination, both sides capturing with their cheapest piece for as long as it pays.
    ///
    /// Pinned pieces do not capture unless they stay on the line of the pin or the slider that pins them has left it;
    /// sliders behind sliders do. Promotions of recapturing pieces are not seen.
    ///
    /// ```
    /// use komainu::position::Position;
    /// use komainu::types::PieceType;
    ///
    /// // A rook takes a pawn that a gold protects.
    /// let position = Position::from_sfen("4k4/4g4/4p4/9/9/9/9/4R4/4K4 b - 1")?;
    /// let mv = "5h5c".parse()?;
    /// assert!(!position.see_ge(mv, 0));
    /// let loss = PieceType::Pawn.capture_gain() - PieceType::Rook.capture_gain();
    /// assert!(position.see_ge(mv, loss) && !position.see_ge(mv, loss + 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "SEE")]
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        let to = mv.to();
        let mut occupied = self.occupied() | Bitboard::from_square(to);
        let mut balance = -threshold;
        let placed = match mv.kind() {
            MoveKind::Drop { piece_type, .. } => piece_type,
            MoveKind::Board { from, promote, .. } => {
                let Some(piece) = self.piece_on(from) else { return false };
                let moved = piece.piece_type();
                let placed = if promote { moved.promoted() } else { moved };
                if let Some(captured) = self.piece_on(to) {
                    balance += captured.piece_type().capture_gain();
                }
                balance += placed.value() - moved.value();
                occupied ^= Bitboard::from_square(from);
                placed
            }
        };
        if balance < 0 {
            return false;
        }
        // The worst case: the piece is lost for nothing.
        balance -= placed.capture_gain();
        balance >= 0 || self.exchange(to, occupied, balance)
    }

    /// Plays out the captures on a square. The side to move has just moved there and is `balance` (below zero) off
    /// its aim if it loses the piece for nothing. Whether it reaches its aim.
    fn exchange(&self, to: Square, mut occupied: Bitboard, mut balance: i32) -> bool {
        let us = self.side();
        let aiming = (self.aiming_sliders(Color::Black, to) | self.aiming_sliders(Color::White, to)) & occupied;
        let sliders = open_lines(aiming, to, occupied);
        let theirs = self.step_attackers(!us, to) | sliders & self.pieces(!us);
        if !theirs.intersects(occupied) {
            return true;
        }
        let mut side = !us;
        let mut attackers = theirs | self.step_attackers(us, to) | sliders;
        // Sliders that others may still uncover.
        let can_uncover = !aiming.without(attackers).is_empty();
        loop {
            attackers &= occupied;
            let ours = attackers & self.pieces(side);
            if ours.is_empty() {
                break;
            }
            let Some((from, piece_type)) = self.cheapest(ours.without(self.held_back(side, to, occupied))) else {
                break;
            };
            occupied ^= Bitboard::from_square(from);
            if can_uncover {
                attackers |= open_lines(aiming & occupied, to, occupied);
            }
            side = !side;
            balance = -balance - 1 - piece_type.capture_gain();
            if balance >= 0 {
                // A king may not capture a piece that is still protected.
                if piece_type == PieceType::King && (attackers & occupied).intersects(self.pieces(side)) {
                    side = !side;
                }
                break;
            }
        }
        side != us
    }

    /// The pieces of a side that cannot capture on a square, since that would open a line to their king, when these
    /// squares are occupied.
    fn held_back(&self, side: Color, to: Square, occupied: Bitboard) -> Bitboard {
        let Some(king) = self.king(side) else { return Bitboard::EMPTY };
        // What stood on the square has been captured.
        let sliders = (self.aiming_sliders(!side, king) & occupied).without(Bitboard::from_square(to));
        let pinned = single_blockers(king, sliders, occupied);
        if pinned.is_empty() { pinned } else { pinned.without(line_through(king, to)) }
    }

    /// The piece of these whose loss costs least; the king only if there is no other.
    fn cheapest(&self, pieces: Bitboard) -> Option<(Square, PieceType)> {
        let mut cheapest = None;
        let mut least = i32::MAX;
        for square in pieces {
            let Some(piece) = self.piece_on(square) else { continue };
            let piece_type = piece.piece_type();
            let loss = if piece_type == PieceType::King { i32::MAX - 1 } else { piece_type.capture_gain() };
            if loss < least {
                cheapest = Some((square, piece_type));
                least = loss;
            }
        }
        cheapest
    }
}

/// The sliders between which and the square nothing stands. Few or none aim at a square, so that going through them is
/// quicker than following all lines from it.
fn open_lines(sliders: Bitboard, to: Square, occupied: Bitboard) -> Bitboard {
    sliders.into_iter().filter(|&slider| !between(to, slider).intersects(occupied)).collect()
}
