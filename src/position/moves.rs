//! Making and taking back moves.

use super::{LastMove, Position, zobrist};
use crate::bitboard::Bitboard;
use crate::types::{Color, Move, MoveKind, Piece, PieceType, Square};

/// Is told every change of board and hands that a move makes ([`Position::do_move_observed`]). [`Position::undo`]
/// reports nothing, an observer keeps its own stack. `()` observes nothing and costs nothing.
pub trait Observer {
    /// A piece now stands on the square.
    fn piece_added(&mut self, piece: Piece, square: Square);
    /// A piece no longer stands on the square.
    fn piece_removed(&mut self, piece: Piece, square: Square);
    /// The side now holds `count` pieces of the type.
    fn hand_changed(&mut self, color: Color, piece_type: PieceType, count: u8);
}

impl Observer for () {
    fn piece_added(&mut self, _: Piece, _: Square) {}
    fn piece_removed(&mut self, _: Piece, _: Square) {}
    fn hand_changed(&mut self, _: Color, _: PieceType, _: u8) {}
}

impl Position {
    /// Makes a legal move.
    ///
    /// For speed legality is not tested in full: [`Position::play`] does that, for moves from outside.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.do_move("7g7f".parse()?);
    /// assert_eq!(position.to_string(), "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2");
    /// position.undo();
    /// assert_eq!(position, Position::startpos());
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    ///
    /// # Panics
    /// If the move cannot be made at all: no piece of the side to move stands on its origin, it captures a piece of its
    /// own side or a king, or it drops what is not held or onto a piece. The position is then as it was. Any other move
    /// that is not legal is made and can be taken back, but what follows from the rules need not hold after it.
    #[inline]
    pub fn do_move(&mut self, mv: Move) {
        self.do_move_observed(mv, &mut ());
    }

    /// Makes a legal move as [`Position::do_move`] does, and then tells the observer what has changed.
    ///
    /// ```
    /// use komainu::position::{Observer, Position};
    /// use komainu::types::{Color, Piece, PieceType, Square};
    ///
    /// /// Pieces that black holds more than white.
    /// #[derive(Default)]
    /// struct Held([i32; 2]);
    ///
    /// impl Observer for Held {
    ///     fn piece_added(&mut self, _: Piece, _: Square) {}
    ///     fn piece_removed(&mut self, _: Piece, _: Square) {}
    ///     fn hand_changed(&mut self, color: Color, _: PieceType, count: u8) {
    ///         self.0[color.index()] = count.into();
    ///     }
    /// }
    ///
    /// let mut position = Position::startpos();
    /// let mut held = Held::default();
    /// for text in ["7g7f", "3c3d", "8h2b+"] {
    ///     position.do_move_observed(text.parse()?, &mut held);
    /// }
    /// assert_eq!(held.0, [1, 0]);
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    ///
    /// # Panics
    /// As [`Position::do_move`] does. If the observer panics the move is made.
    #[inline]
    pub fn do_move_observed<O: Observer>(&mut self, mv: Move, observer: &mut O) {
        match mv.kind() {
            MoveKind::Drop { piece_type, to } => self.drop_piece(mv, piece_type, to, observer),
            MoveKind::Board { from, to, promote } => self.move_piece(mv, from, to, promote, observer),
        }
    }

    #[inline(always)]
    fn drop_piece<O: Observer>(&mut self, mv: Move, piece_type: PieceType, to: Square, observer: &mut O) {
        let us = self.side;
        if !self.state.hands[us].has(piece_type) || self.board[to].is_some() {
            self.refuse(mv);
        }
        let piece = Piece::new(us, piece_type);
        let set = Bitboard::from_square(to);
        self.remember();
        self.state.hands[us].remove_unchecked(piece_type);
        self.board[to] = Some(piece);
        self.by_color[us] ^= set;
        self.by_mover[piece_type.index()] ^= set;
        self.state.board_key ^= zobrist::piece(piece, to) ^ zobrist::WHITE_TO_MOVE;
        self.state.last = LastMove { mv: Some(mv), moved: None, captured: None };
        self.finish_move(us);
        observer.hand_changed(us, piece_type, self.state.hands[us].count(piece_type));
        observer.piece_added(piece, to);
    }

    #[inline(always)]
    fn move_piece<O: Observer>(&mut self, mv: Move, from: Square, to: Square, promote: bool, observer: &mut O) {
        let us = self.side;
        let from_set = Bitboard::from_square(from);
        let to_set = Bitboard::from_square(to);
        let captured = self.board[to];
        let moved = match self.board[from] {
            Some(piece) if piece.color() == us => piece,
            _ => self.refuse(mv),
        };
        if captured.is_some_and(|piece| piece.color() == us || piece.piece_type() == PieceType::King) {
            self.refuse(mv);
        }
        let placed = if promote { moved.promoted() } else { moved };
        let mut key = self.state.board_key ^ zobrist::WHITE_TO_MOVE;
        self.remember();
        if let Some(captured) = captured {
            self.by_color[!us] ^= to_set;
            self.by_mover[captured.mover().index()] ^= to_set;
            self.state.hands[us].add_unchecked(captured.piece_type().unpromoted());
            key ^= zobrist::piece(captured, to);
        }
        self.board[from] = None;
        self.board[to] = Some(placed);
        self.by_color[us] ^= from_set | to_set;
        self.by_mover[moved.mover().index()] ^= from_set;
        self.by_mover[placed.mover().index()] ^= to_set;
        self.promoted = self.promoted.without(from_set | to_set);
        if placed.is_promoted() {
            self.promoted |= to_set;
        }
        if moved.mover() == PieceType::King {
            self.kings[us] = Some(to);
        }
        self.state.board_key = key ^ zobrist::piece(moved, from) ^ zobrist::piece(placed, to);
        self.state.last = LastMove { mv: Some(mv), moved: Some(moved), captured };
        self.finish_move(us);
        observer.piece_removed(moved, from);
        if let Some(captured) = captured {
            let held = captured.piece_type().unpromoted();
            observer.piece_removed(captured, to);
            observer.hand_changed(us, held, self.state.hands[us].count(held));
        }
        observer.piece_added(placed, to);
    }

    /// Called before anything of the position is changed: whoever catches the panic can go on with it.
    #[cold]
    #[inline(never)]
    fn refuse(&self, mv: Move) -> ! {
        panic!("{mv} is not legal in {self}")
    }

    /// Passes the turn; [`Position::undo`] takes it back.
    ///
    /// # Panics
    /// If the side to move is in check.
    pub fn do_null_move(&mut self) {
        assert!(!self.in_check(), "a side that is in check cannot pass: {self}");
        self.remember();
        self.state.board_key ^= zobrist::WHITE_TO_MOVE;
        self.state.last = LastMove::NONE;
        let us = self.side;
        self.finish_move(us);
        // A pass is no move of the game: nothing before it can be repeated, and it breaks no run of checks.
        self.state.plies_from_null = 0;
        self.state.continuous_checks = self.history[self.history.len() - 1].continuous_checks;
    }

    /// Puts the state before a move into the history.
    fn remember(&mut self) {
        self.history.push(self.state);
        self.keys.push(self.state.board_key);
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

    /// The position after a move, with its history. The move must be one that [`Position::do_move`] takes.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let position = Position::startpos().after("2g2f".parse()?);
    /// assert_eq!(position.ply(), 2);
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    pub fn after(&self, mv: Move) -> Position {
        let mut after = self.clone();
        after.do_move(mv);
        after
    }

    /// The position that the game began in, without history, and the moves that have led here; a pass begins it anew.
    pub fn game(&self) -> (Position, Vec<Move>) {
        let mut start = self.clone();
        let mut moves = Vec::new();
        while let Some(mv) = start.last_move() {
            moves.push(mv);
            start.undo();
        }
        moves.reverse();
        (start.without_history(), moves)
    }

    /// Takes back the move or the pass that was made last. Observers are told nothing.
    ///
    /// ```
    /// use komainu::position::Position;
    ///
    /// let mut position = Position::startpos();
    /// position.do_move("2g2f".parse()?);
    /// position.do_null_move();
    /// position.undo();
    /// position.undo();
    /// assert_eq!(position, Position::startpos());
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    ///
    /// # Panics
    /// If [`Position::moves_made`] is 0. The position is then as it was.
    #[inline]
    pub fn undo(&mut self) {
        let LastMove { mv, moved, captured } = self.state.last;
        self.state = self.history.pop().expect("no move was made that could be taken back");
        self.keys.pop();
        self.side = !self.side;
        self.ply -= 1;
        let us = self.side;
        match mv.map(Move::kind) {
            // A pass changes nothing but the turn.
            None => {}
            Some(MoveKind::Drop { piece_type, to }) => {
                let set = Bitboard::from_square(to);
                self.board[to] = None;
                self.by_color[us] ^= set;
                self.by_mover[piece_type.index()] ^= set;
            }
            Some(MoveKind::Board { from, to, .. }) => {
                let moved = moved.expect("a move on the board moved a piece");
                let placed = self.board[to].expect("the last move ended on its destination");
                let from_set = Bitboard::from_square(from);
                let to_set = Bitboard::from_square(to);
                self.board[from] = Some(moved);
                self.board[to] = captured;
                self.by_color[us] ^= from_set | to_set;
                self.by_mover[placed.mover().index()] ^= to_set;
                self.by_mover[moved.mover().index()] ^= from_set;
                self.promoted = self.promoted.without(to_set);
                if moved.is_promoted() {
                    self.promoted |= from_set;
                }
                if let Some(captured) = captured {
                    self.by_color[!us] ^= to_set;
                    self.by_mover[captured.mover().index()] ^= to_set;
                    if captured.is_promoted() {
                        self.promoted |= to_set;
                    }
                }
                if moved.mover() == PieceType::King {
                    self.kings[us] = Some(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last move of the start position after these moves; `pass` is a null move.
    fn last_after(moves: &[&str]) -> LastMove {
        let mut pos = Position::startpos();
        for text in moves {
            match *text {
                "pass" => pos.do_null_move(),
                text => pos.do_move(text.parse().unwrap()),
            }
        }
        pos.state.last
    }

    #[test]
    fn a_drop_after_a_capture_has_moved_and_captured_nothing() {
        let exchange = ["7g7f", "3c3d", "8h2b+", "3a2b"];
        let before = last_after(&exchange);
        assert_eq!((before.moved, before.captured), (Some(Piece::WSilver), Some(Piece::BHorse)));
        let drop = last_after(&["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"]);
        assert_eq!(drop, LastMove { mv: Some("B*5e".parse().unwrap()), moved: None, captured: None });
    }

    #[test]
    fn a_null_move_leaves_nothing_of_the_move_before() {
        assert_eq!(last_after(&["7g7f", "pass"]), LastMove::NONE);
        assert_eq!(last_after(&["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e", "pass"]), LastMove::NONE);
    }

    #[test]
    fn a_move_taken_back_leaves_the_move_before_it() {
        let mut pos = Position::startpos();
        for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*5e"] {
            pos.do_move(text.parse().unwrap());
        }
        let drop = pos.state.last;
        pos.do_move("4a3b".parse().unwrap());
        assert_eq!(pos.state.last.moved, Some(Piece::WGold));
        pos.undo();
        assert_eq!(pos.state.last, drop);
        assert_eq!(pos.without_history().state.last, LastMove::NONE);
    }
}
