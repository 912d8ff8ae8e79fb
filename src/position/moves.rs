//! Making and taking back moves.

use super::{Position, zobrist};
use crate::bitboard::Bitboard;
use crate::types::{Color, Move, MoveKind, Piece, PieceType, Square};

/// Sees every change of board and hands, in the order in which it happens; [`Position::undo_move`] reports nothing,
/// an observer keeps its own stack. `()` observes nothing and costs nothing.
pub trait Observer {
    /// A piece now stands on the square.
    fn piece_added(&mut self, piece: Piece, square: Square);
    /// A piece no longer stands on the square.
    fn piece_removed(&mut self, piece: Piece, square: Square);
    /// The side now holds `count` pieces of the type.
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8);
}

impl Observer for () {
    #[inline(always)]
    fn piece_added(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn piece_removed(&mut self, _: Piece, _: Square) {}
    #[inline(always)]
    fn hand_changed(&mut self, _: Color, _: PieceType, _: u8) {}
}

impl Position {
    /// Makes a legal move.
    ///
    /// # Panics
    /// May panic, and leaves no usable position, if the move is not legal here. Moves from outside are tested first
    /// (`movegen::is_legal`).
    #[inline]
    pub fn do_move<O: Observer>(&mut self, mv: Move, observer: &mut O) {
        self.history.push(self.state);
        self.keys.push(self.state.board_key);
        let us = self.side;
        let mut key = self.state.board_key ^ zobrist::WHITE_TO_MOVE;
        match mv.kind() {
            MoveKind::Drop { piece_type, to } => {
                let piece = Piece::new(us, piece_type);
                let set = Bitboard::from_square(to);
                // Room in move lists is reckoned from the set of 40 pieces: no call may make pieces out of nothing.
                assert!(self.state.hands[us].has(piece_type) && self.board[to].is_none(), "{mv} is not legal");
                self.state.hands[us].remove(piece_type);
                self.board[to] = Some(piece);
                self.by_color[us] ^= set;
                self.by_mover[piece_type.index()] ^= set;
                key ^= zobrist::piece(piece, to);
                self.state.captured = None;
                observer.hand_changed(us, piece_type, self.state.hands[us].count(piece_type));
                observer.piece_added(piece, to);
            }
            MoveKind::Board { from, to, promote } => {
                let moved = self.board[from].expect("a legal move starts on a piece");
                let captured = self.board[to];
                let (from_set, to_set) = (Bitboard::from_square(from), Bitboard::from_square(to));
                observer.piece_removed(moved, from);
                if let Some(captured) = captured {
                    let piece_type = captured.piece_type();
                    assert!(captured.color() != us && piece_type != PieceType::King, "{mv} is not legal");
                    let held = piece_type.unpromoted();
                    self.by_color[!us] ^= to_set;
                    self.by_mover[piece_type.mover().index()] ^= to_set;
                    self.state.hands[us].add(held);
                    key ^= zobrist::piece(captured, to);
                    observer.piece_removed(captured, to);
                    observer.hand_changed(us, held, self.state.hands[us].count(held));
                }
                let placed = if promote { moved.promoted() } else { moved };
                self.board[from] = None;
                self.board[to] = Some(placed);
                self.by_color[us] ^= from_set | to_set;
                self.by_mover[moved.piece_type().mover().index()] ^= from_set;
                self.by_mover[placed.piece_type().mover().index()] ^= to_set;
                self.promoted = self.promoted.without(from_set | to_set);
                if placed.is_promoted() {
                    self.promoted |= to_set;
                }
                if moved.piece_type() == PieceType::King {
                    self.kings[us] = Some(to);
                }
                key ^= zobrist::piece(moved, from) ^ zobrist::piece(placed, to);
                self.state.captured = captured;
                observer.piece_added(placed, to);
            }
        }
        self.state.board_key = key;
        self.finish_move(us);
    }

    /// Passes the turn. The side to move must not be in check.
    pub fn do_null_move(&mut self) {
        debug_assert!(!self.in_check());
        self.history.push(self.state);
        self.keys.push(self.state.board_key);
        self.state.board_key ^= zobrist::WHITE_TO_MOVE;
        self.state.captured = None;
        let us = self.side;
        self.finish_move(us);
        // A pass is no move of the game: nothing before it can be repeated, and it breaks no run of checks.
        self.state.plies_from_null = 0;
        self.state.continuous_checks = self.history[self.history.len() - 1].continuous_checks;
    }

    /// Turn, counter and the values that depend on the new position.
    #[inline(always)]
    fn finish_move(&mut self, us: Color) {
        self.side = !us;
        self.ply += 1;
        self.state.plies_from_null = self.state.plies_from_null.saturating_add(1);
        (self.state.checkers, self.state.pinned) = self.checkers_and_pinned();
        let run = &mut self.state.continuous_checks[us];
        *run = if self.state.checkers.is_empty() { 0 } else { run.saturating_add(1) };
    }

    /// Takes back the move that was made last.
    ///
    /// # Panics
    /// If no move was made.
    #[inline]
    pub fn undo_move(&mut self, mv: Move) {
        let captured = self.state.captured;
        self.restore();
        let us = self.side;
        match mv.kind() {
            MoveKind::Drop { piece_type, to } => {
                let set = Bitboard::from_square(to);
                self.board[to] = None;
                self.by_color[us] ^= set;
                self.by_mover[piece_type.index()] ^= set;
            }
            MoveKind::Board { from, to, promote } => {
                let (from_set, to_set) = (Bitboard::from_square(from), Bitboard::from_square(to));
                let placed = self.board[to].expect("the last move ended on its destination");
                let moved = if promote { Piece::new(us, placed.piece_type().unpromoted()) } else { placed };
                self.board[from] = Some(moved);
                self.board[to] = captured;
                self.by_color[us] ^= from_set | to_set;
                self.by_mover[placed.piece_type().mover().index()] ^= to_set;
                self.by_mover[moved.piece_type().mover().index()] ^= from_set;
                self.promoted = self.promoted.without(to_set);
                if moved.is_promoted() {
                    self.promoted |= from_set;
                }
                if let Some(captured) = captured {
                    self.by_color[!us] ^= to_set;
                    self.by_mover[captured.piece_type().mover().index()] ^= to_set;
                    if captured.is_promoted() {
                        self.promoted |= to_set;
                    }
                }
                if moved.piece_type() == PieceType::King {
                    self.kings[us] = Some(from);
                }
            }
        }
    }

    /// Takes back a null move.
    ///
    /// # Panics
    /// If no move was made.
    pub fn undo_null_move(&mut self) {
        self.restore();
    }

    #[inline(always)]
    fn restore(&mut self) {
        self.state = self.history.pop().expect("a move was made");
        self.keys.pop();
        self.side = !self.side;
        self.ply -= 1;
    }
}
