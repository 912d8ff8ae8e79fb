//! A check for tests: every incremental value recomputed from the mailbox, the hands and the history.

use super::{Position, zobrist};
use crate::bitboard::{Bitboard, attacks};
use crate::types::{Color, Key, Piece, PieceType, Square};

impl Position {
    /// Compares every incremental value with one computed from nothing, by other means. For tests.
    ///
    /// The error names the value that is wrong.
    #[doc(hidden)]
    pub fn validate(&self) -> Result<(), String> {
        for square in Square::ALL {
            let piece = self.board[square];
            for color in Color::ALL {
                let here = piece.is_some_and(|p| p.color() == color);
                self.check(self.by_color[color].contains(square) == here, "pieces by colour")?;
            }
            for mover in [PieceType::King].into_iter().chain(PieceType::HAND) {
                let here = piece.is_some_and(|p| p.piece_type().mover() == mover);
                self.check(self.by_mover[mover.index()].contains(square) == here, "pieces by movement")?;
            }
            let promoted = piece.is_some_and(|p| p.is_promoted());
            self.check(self.promoted.contains(square) == promoted, "promoted pieces")?;
        }
        for color in Color::ALL {
            let king = Some(Piece::new(color, PieceType::King));
            let king = Square::ALL.into_iter().find(|&square| self.board[square] == king);
            self.check(self.kings[color] == king, "king's square")?;
        }
        for piece_type in PieceType::HAND {
            let on_board = self.board.iter().flatten().filter(|p| p.piece_type().unpromoted() == piece_type).count();
            let held = self.hand(Color::Black).count(piece_type) + self.hand(Color::White).count(piece_type);
            self.check(on_board + held as usize <= piece_type.total() as usize, "number of pieces")?;
        }
        self.check(self.state.board_key == self.slow_board_key(), "board key")?;
        let (checkers, pinned) = self.slow_checkers_and_pinned();
        self.check(self.state.checkers == checkers, "checkers")?;
        self.check(self.state.pinned == pinned, "pinned pieces")?;
        self.check(self.keys.len() == self.history.len(), "length of the history")?;
        self.check(self.keys.iter().eq(self.history.iter().map(|state| &state.board_key)), "keys of the history")?;
        let (plies_from_null, continuous_checks) = self.slow_history();
        self.check(self.state.plies_from_null as usize == plies_from_null, "plies since the last null move")?;
        self.check(self.state.continuous_checks.map(usize::from) == continuous_checks, "runs of checks")
    }

    fn check(&self, is_right: bool, what: &str) -> Result<(), String> {
        if is_right { Ok(()) } else { Err(format!("{what}: {self:?}")) }
    }

    fn slow_board_key(&self) -> Key {
        let mut key = if self.side == Color::White { zobrist::WHITE_TO_MOVE } else { Key(0) };
        for square in Square::ALL {
            if let Some(piece) = self.board[square] {
                key ^= zobrist::piece(piece, square);
            }
        }
        key
    }

    /// The enemy pieces whose own attacks hit the king when these squares are occupied.
    fn slow_attackers(&self, king: Square, occupied: Bitboard) -> Bitboard {
        let mut attackers = Bitboard::EMPTY;
        for square in Square::ALL {
            if let Some(piece) = self.board[square]
                && piece.color() != self.side
                && attacks(piece.color(), piece.piece_type(), square, occupied).contains(king)
            {
                attackers.insert(square);
            }
        }
        attackers
    }

    fn slow_checkers_and_pinned(&self) -> (Bitboard, Bitboard) {
        let Some(king) = self.kings[self.side] else { return (Bitboard::EMPTY, Bitboard::EMPTY) };
        let occupied: Bitboard = Square::ALL.into_iter().filter(|&square| self.board[square].is_some()).collect();
        let checkers = self.slow_attackers(king, occupied);
        // A piece is pinned if there is one attacker more with the piece taken off the board.
        let mut pinned = Bitboard::EMPTY;
        for square in Square::ALL {
            let is_own = self.board[square].is_some_and(|piece| piece.color() == self.side);
            let without = occupied ^ Bitboard::from_square(square);
            if is_own && square != king && self.slow_attackers(king, without) != checkers {
                pinned.insert(square);
            }
        }
        (checkers, pinned)
    }

    /// Plies since the last null move, and each side's run of checks, from the history alone.
    fn slow_history(&self) -> (usize, [usize; 2]) {
        let now = self.history.len();
        let state = |i: usize| if i == now { &self.state } else { &self.history[i] };
        // Position `i` was reached by a null move if it differs from the one before by the turn alone.
        let by_null = |i: usize| state(i).board_key ^ state(i - 1).board_key == zobrist::WHITE_TO_MOVE;
        let plies_from_null = (1..=now).rev().take_while(|&i| !by_null(i)).count();
        let mut continuous_checks = [0; 2];
        for (color, run) in Color::ALL.into_iter().zip(&mut continuous_checks) {
            // The side that moved into the current position is the one not to move; it alternates from there back.
            let first = if self.side == color { now.saturating_sub(1) } else { now };
            let mut i = first;
            while i > 0 && (by_null(i) || !state(i).checkers.is_empty()) {
                *run += !by_null(i) as usize;
                if i < 2 {
                    break;
                }
                i -= 2;
            }
        }
        (plies_from_null, continuous_checks)
    }
}
