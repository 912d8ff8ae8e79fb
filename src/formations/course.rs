//! The course of a game to its opening: what each side did, and in which order.
//!
//! The pieces alone do not tell openings apart: a rook on the fourth file is in a bishop exchange only if the bishops
//! went off before the middle game, and a side pawn is taken only by a rook that came for it.

use crate::position::{Handicap, Position};
use crate::types::{Color, File, Move, MoveKind, Piece, PieceType, Rank, Square};

/// A rook that goes to the left later than this does so in the middle game.
const SWING_PLY: usize = 24;
/// Moves after which a rook that went to the left has settled there, of both sides.
const SETTLED: usize = 16;
/// Bishops that are traded later than this belong to the middle game: of a ranging rook, and of two static ones.
const EARLY_TRADE: usize = 16;
const LATE_TRADE: usize = 30;
/// The second player trades bishops a tempo behind up to this ply.
const TEMPO_PLY: usize = 16;

/// What a side did, as it sees the board; each with the number of moves made until then.
#[derive(Clone, Copy, Default)]
struct Actions {
    /// The first move of the pawn on each file.
    pawns: [Option<usize>; 9],
    /// The pawn in front of the rook came to 2e.
    rook_pawn: Option<usize>,
    /// The rook went to a file on the left, for the first time.
    swing: Option<(usize, u8)>,
    /// It came back to the right soon after.
    is_unsettled: bool,
    /// It went to the third or fourth file.
    is_on_right: bool,
    /// It took on 2d.
    took_on_file: Option<usize>,
    /// It took the pawn beside that.
    took_side_pawn: Option<usize>,
    /// The bishop has left its square.
    bishop_moved: bool,
}

/// The first trade of bishops.
#[derive(Clone, Copy)]
struct Trade {
    ply: usize,
    by: Color,
    /// The other bishop had never moved.
    at_home: bool,
}

/// The course of a game to the end of its opening.
#[derive(Clone, Copy, Default)]
pub(crate) struct Course {
    /// It began as every even game does.
    is_even: bool,
    is_two_pieces: bool,
    actions: [Actions; 2],
    trade: Option<Trade>,
    /// Both pawns in front of the rooks had come forward while the bishops' lines were closed.
    is_double_wing: bool,
}

impl Course {
    /// The course of a game by its start and its moves, all legal.
    pub(crate) fn of(start: &Position, moves: &[Move]) -> Course {
        let sfen = start.to_sfen();
        let is_two_pieces = sfen == Handicap::TwoPieces.sfen();
        let mut course = Course { is_even: sfen == Handicap::Even.sfen(), is_two_pieces, ..Course::default() };
        let mut pos = start.clone();
        for (index, &mv) in moves.iter().enumerate().take(super::OPENING_PLIES) {
            course.note(&pos, mv, index + 1, moves.get(index + 1).copied());
            pos.do_move(mv);
        }
        course
    }

    /// Notes a move, with the move that follows it.
    fn note(&mut self, pos: &Position, mv: Move, ply: usize, next: Option<Move>) {
        let side = pos.side();
        let MoveKind::Board { from, to, .. } = mv.kind() else { return };
        let captured = pos.piece_on(to).map(Piece::piece_type);
        let piece = pos.piece_on(from).map(Piece::piece_type);
        let takes_bishop = piece == Some(PieceType::Bishop) && captured == Some(PieceType::Bishop);
        if self.trade.is_none() && takes_bishop && next.is_some_and(|next| next.to() == to) {
            self.trade = Some(Trade { ply, by: side, at_home: !self.actions[!side].bishop_moved });
        }
        let actions = &mut self.actions[side];
        let from = from.seen_by(side);
        let to = to.seen_by(side);
        match piece {
            Some(PieceType::Pawn) => {
                actions.pawns[from.file().index()].get_or_insert(ply);
                if to == Square::S2E {
                    actions.rook_pawn.get_or_insert(ply);
                }
            }
            Some(PieceType::Bishop) => actions.bishop_moved = true,
            Some(PieceType::Rook) => actions.note_rook(from, to, captured, ply),
            _ => {}
        }
        let are_closed = self.actions.iter().all(|actions| actions.pawns[File::F7.index()].is_none());
        self.is_double_wing |= are_closed && self.actions.iter().all(|actions| actions.rook_pawn.is_some());
    }
}

impl Actions {
    fn note_rook(&mut self, from: Square, to: Square, captured: Option<PieceType>, ply: usize) {
        let file = to.file().index() as u8 + 1;
        let stays_home = from.rank() == Rank::H && to.rank() == Rank::H;
        match self.swing {
            None if stays_home && file >= 5 && ply <= SWING_PLY => self.swing = Some((ply, file)),
            Some((swung, _)) if file < 5 && to.rank() >= Rank::F && ply < swung + SETTLED => self.is_unsettled = true,
            _ => {}
        }
        self.is_on_right |= stays_home && (file == 3 || file == 4);
        if to == Square::S2D && captured.is_some() {
            self.took_on_file.get_or_insert(ply);
        }
        if (from, to, captured) == (Square::S2D, Square::S3D, Some(PieceType::Pawn)) {
            self.took_side_pawn.get_or_insert(ply);
        }
    }

    /// The file on the left where the rook settled.
    fn file(&self) -> Option<u8> {
        match self.swing {
            Some((_, file)) if !self.is_unsettled => Some(file),
            _ => None,
        }
    }

    /// Tests whether the rook stayed on the right, and was meant to.
    fn is_static(&self) -> bool {
        self.swing.is_none() && (self.pawns[File::F2.index()].is_some() || self.is_on_right)
    }
}

/// The course of a game as one side sees it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) course: &'a Course,
    pub(crate) side: Color,
}

impl View<'_> {
    fn own(&self) -> &Actions {
        &self.course.actions[self.side]
    }

    fn other(&self) -> &Actions {
        &self.course.actions[!self.side]
    }

    /// The bishops were traded by this ply of an even game.
    pub(crate) fn traded_by(&self, ply: usize) -> bool {
        self.course.is_even && self.course.trade.is_some_and(|trade| trade.ply <= ply)
    }

    /// The rook stayed on the right in an even game.
    pub(crate) fn is_static(&self) -> bool {
        self.course.is_even && self.own().is_static()
    }

    /// The rook stayed on the right, and the other one as well.
    pub(crate) fn is_against_static(&self) -> bool {
        self.is_static() && self.other().is_static()
    }

    /// The rook went to this file, and the other one stayed or is not settled.
    pub(crate) fn is_ranging(&self, file: u8) -> bool {
        self.course.is_even && self.own().file() == Some(file) && self.other().file().is_none()
    }

    /// Both rooks went to the left, the own one to this file.
    pub(crate) fn is_double(&self, file: u8) -> bool {
        self.course.is_even && self.own().file() == Some(file) && self.other().file().is_some()
    }

    /// The rook went to the left after the pawn in front of it had moved.
    pub(crate) fn feints(&self) -> bool {
        let Some((swung, file)) = self.own().swing else { return false };
        self.is_ranging(file) && self.own().pawns[File::F2.index()].is_some_and(|ply| ply < swung)
    }

    /// The bishop's line is open when the second player's rook goes to the central file.
    pub(crate) fn is_cheerful(&self) -> bool {
        let Some((swung, _)) = self.own().swing else { return false };
        let opened = self.own().pawns[File::F7.index()].is_some_and(|ply| ply < swung);
        let closed = self.own().pawns[File::F6.index()].is_some_and(|ply| ply < swung);
        self.side == Color::White && self.is_ranging(5) && opened && !closed && !self.feints()
    }

    /// The rook went to this file, and the bishops went off early, on a line that was never closed.
    pub(crate) fn trades_early(&self, file: u8) -> bool {
        let Some(trade) = self.course.trade else { return false };
        let closed = self.own().pawns[File::F6.index()].is_some_and(|ply| ply < trade.ply);
        self.is_ranging(file) && self.traded_by(EARLY_TRADE) && !closed
    }

    /// The rook went from its own file to this one after the bishops had gone.
    pub(crate) fn swings_after_trade(&self, file: u8) -> bool {
        let swung = self.own().swing.map_or(0, |(ply, _)| ply);
        self.trades_early(file) && self.course.trade.is_some_and(|trade| trade.ply < swung)
    }

    /// Two static rooks, and bishops that were traded before a rook took a pawn on its file.
    pub(crate) fn is_exchange(&self) -> bool {
        let Some(trade) = self.course.trade else { return false };
        let rook_came_first =
            self.course.actions.iter().any(|actions| actions.took_on_file.is_some_and(|ply| ply < trade.ply));
        self.is_against_static() && self.traded_by(LATE_TRADE) && !rook_came_first
    }

    /// The second player has taken a bishop that had not moved.
    pub(crate) fn loses_a_tempo(&self) -> bool {
        let Some(trade) = self.course.trade else { return false };
        let is_tempo_lost = trade.by == self.side && trade.at_home && trade.ply <= TEMPO_PLY;
        self.side == Color::White && self.is_exchange() && is_tempo_lost
    }

    /// Two static rooks, and bishops that stay on the board.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_against_static() && !self.traded_by(super::OPENING_PLIES)
    }

    /// Two static rooks, whose pawns came forward before the bishops' lines were opened.
    pub(crate) fn is_double_wing(&self) -> bool {
        self.is_against_static() && self.course.is_double_wing
    }

    /// The rook took the side pawn.
    pub(crate) fn takes_side_pawn(&self) -> bool {
        self.is_against_static() && self.own().took_side_pawn.is_some()
    }

    /// The other rook did.
    pub(crate) fn offers_side_pawn(&self) -> bool {
        self.is_against_static() && self.other().took_side_pawn.is_some()
    }

    /// The receiver of two pieces.
    pub(crate) fn takes_two_pieces(&self) -> bool {
        self.course.is_two_pieces && self.side == Color::Black
    }
}
