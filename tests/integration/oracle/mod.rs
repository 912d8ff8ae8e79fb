//! A slow second opinion on the rules, written from the rule book alone.
//!
//! A plain mailbox that is copied for every move. A piece may go where it reaches, the move is made, and it was legal
//! if the mover's king cannot be captured afterwards. A pawn drop that checks is made, and it was legal if the
//! opponent then has a legal reply. Nothing of the engine's bitboards, tables or generator is used: a position comes
//! in through its squares, hands and turn, and only the words for colours, kinds, squares and moves are shared.

pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod play;
pub(crate) mod setups;
pub(crate) mod symmetry;

use komainu::position::Position;
use komainu::types::{Color, Move, MoveKind, PieceType, Square};

use PieceType::*;

/// What promotes, and to what.
const PROMOTIONS: [(PieceType, PieceType); 6] =
    [(Pawn, ProPawn), (Lance, ProLance), (Knight, ProKnight), (Silver, ProSilver), (Bishop, Horse), (Rook, Dragon)];

/// The kinds that can be held and dropped.
const HELD: [PieceType; 7] = [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook];

fn promoted(kind: PieceType) -> Option<PieceType> {
    PROMOTIONS.into_iter().find(|&(plain, _)| plain == kind).map(|(_, promoted)| promoted)
}

/// What a piece becomes in the hand of its captor.
fn unpromoted(kind: PieceType) -> PieceType {
    PROMOTIONS.into_iter().find(|&(_, promoted)| promoted == kind).map_or(kind, |(plain, _)| plain)
}

/// Files and ranks from 1a.
fn place(square: Square) -> (i32, i32) {
    (square.file().index() as i32, square.rank().index() as i32)
}

/// 1 on the side's last rank, 9 on its own edge.
fn ranks_from_end(color: Color, square: Square) -> i32 {
    let (_, rank) = place(square);
    if color == Color::Black { rank + 1 } else { 9 - rank }
}

/// Whether a piece of this kind could never move again from the square.
fn is_dead(color: Color, kind: PieceType, square: Square) -> bool {
    match kind {
        Pawn | Lance => ranks_from_end(color, square) == 1,
        Knight => ranks_from_end(color, square) <= 2,
        _ => false,
    }
}

/// A legal move and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Legal {
    /// The move.
    pub(crate) mv: Move,
    /// Whether it takes a piece.
    pub(crate) captures: bool,
    /// Whether the opponent is in check after it.
    pub(crate) checks: bool,
}

/// Everything that the oracle says about a position.
pub(crate) struct OracleResult {
    /// All legal moves, sorted.
    pub(crate) moves: Vec<Legal>,
    /// The pawn drop that would be legal if it did not mate.
    pub(crate) uchifuzume: Option<Move>,
    /// The pieces that give check, sorted.
    pub(crate) checkers: Vec<Square>,
    /// The pieces whose removal would expose their own king to one more enemy piece, sorted.
    pub(crate) pinned: Vec<Square>,
}

impl OracleResult {
    /// What the oracle says.
    pub(crate) fn of(pos: &Position) -> OracleResult {
        Board::of(pos).expected()
    }

    /// The legal moves for which `wanted` holds, sorted.
    pub(crate) fn sorted(&self, wanted: impl Fn(&Legal) -> bool) -> Vec<Move> {
        self.moves.iter().filter(|legal| wanted(legal)).map(|legal| legal.mv).collect()
    }
}

/// The board, the hands and whose turn it is.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    pub(crate) pieces: [Option<(Color, PieceType)>; 81],
    /// By colour and kind.
    hands: [[u8; 15]; 2],
    turn: Color,
}

impl Board {
    pub(crate) fn of(pos: &Position) -> Board {
        let pieces = Square::ALL.map(|square| pos.piece_on(square).map(|piece| (piece.color(), piece.piece_type())));
        let mut hands = [[0; 15]; 2];
        for color in Color::ALL {
            for kind in HELD {
                hands[color][kind as usize] = pos.hand(color).count(kind);
            }
        }
        Board { pieces, hands, turn: pos.side() }
    }

    /// The pieces of a side with their squares.
    fn pieces_of(&self, color: Color) -> impl Iterator<Item = (Square, PieceType)> + '_ {
        Square::ALL.into_iter().filter_map(move |square| match self.pieces[square] {
            Some((owner, kind)) if owner == color => Some((square, kind)),
            _ => None,
        })
    }

    /// Whether all squares strictly between two squares on a line are empty.
    fn is_clear(&self, from: Square, to: Square) -> bool {
        let from = place(from);
        let to = place(to);
        let files = (to.0 - from.0).signum();
        let ranks = (to.1 - from.1).signum();
        let distance = (to.0 - from.0).abs().max((to.1 - from.1).abs());
        (1..distance).all(|i| self.pieces[(9 * (from.0 + i * files) + from.1 + i * ranks) as usize].is_none())
    }

    /// Whether the piece moves from one square to the other, whatever stands on the latter.
    fn reaches(&self, color: Color, kind: PieceType, from: Square, to: Square) -> bool {
        let sideways = (place(to).0 - place(from).0).abs();
        let forward = ranks_from_end(color, from) - ranks_from_end(color, to);
        let one_step = sideways.max(forward.abs()) == 1;
        let diagonal = sideways == forward.abs() && sideways != 0;
        let straight = (sideways == 0) != (forward == 0);
        match kind {
            King => one_step,
            Gold | ProPawn | ProLance | ProKnight | ProSilver => one_step && (straight || forward == 1),
            Silver => one_step && (diagonal || forward == 1),
            Knight => sideways == 1 && forward == 2,
            Pawn => sideways == 0 && forward == 1,
            Lance => sideways == 0 && forward > 0 && self.is_clear(from, to),
            Bishop => diagonal && self.is_clear(from, to),
            Rook => straight && self.is_clear(from, to),
            Horse => one_step || diagonal && self.is_clear(from, to),
            Dragon => one_step || straight && self.is_clear(from, to),
        }
    }

    /// The pieces of a side that could capture on a square.
    pub(crate) fn attackers(&self, color: Color, to: Square) -> impl Iterator<Item = (Square, PieceType)> + '_ {
        self.pieces_of(color).filter(move |&(from, kind)| self.reaches(color, kind, from, to))
    }

    /// The pieces that attack the king of this colour; none if the side has no king.
    pub(crate) fn attackers_of_king(&self, color: Color) -> impl Iterator<Item = (Square, PieceType)> + '_ {
        let king = self.pieces_of(color).find(|&(_, kind)| kind == King);
        king.into_iter().flat_map(move |(king, _)| self.attackers(!color, king))
    }

    fn is_in_check(&self, color: Color) -> bool {
        self.attackers_of_king(color).next().is_some()
    }

    /// The board after the move, legal or not.
    fn after(&self, mv: Move) -> Board {
        let mut next = *self;
        let us = self.turn;
        let to = mv.to();
        match mv.kind() {
            MoveKind::Board { from, promote, .. } => {
                let (_, kind) = self.pieces[from].expect("a piece stands where the move starts");
                if let Some((_, captured)) = self.pieces[to] {
                    next.hands[us][unpromoted(captured) as usize] += 1;
                }
                next.pieces[from] = None;
                next.pieces[to] = Some((us, if promote { promoted(kind).expect("the piece promotes") } else { kind }));
            }
            MoveKind::Drop { piece_type, .. } => {
                next.hands[us][piece_type as usize] -= 1;
                next.pieces[to] = Some((us, piece_type));
            }
        }
        next.turn = !us;
        next
    }

    /// Everything that the pieces can do, with no thought of kings and mates.
    fn pseudo_moves(&self) -> Vec<Move> {
        let us = self.turn;
        let mut moves = Vec::new();
        for (from, kind) in self.pieces_of(us) {
            for to in Square::ALL {
                let is_own = self.pieces[to].is_some_and(|(owner, _)| owner == us);
                if is_own || !self.reaches(us, kind, from, to) {
                    continue;
                }
                if !is_dead(us, kind, to) {
                    moves.push(Move::board(from, to));
                }
                if promoted(kind).is_some() && (ranks_from_end(us, from) <= 3 || ranks_from_end(us, to) <= 3) {
                    moves.push(Move::promotion(from, to));
                }
            }
        }
        for kind in HELD.into_iter().filter(|&kind| self.hands[us][kind as usize] > 0) {
            for to in Square::ALL {
                if self.pieces[to].is_none() && !is_dead(us, kind, to) && !(kind == Pawn && self.is_nifu(to)) {
                    moves.push(Move::drop(kind, to));
                }
            }
        }
        moves
    }

    /// Whether the file of the square holds an unpromoted pawn of the side to move.
    fn is_nifu(&self, square: Square) -> bool {
        self.pieces_of(self.turn).any(|(other, kind)| kind == Pawn && other.file() == square.file())
    }

    /// Whether the side to move has any legal move.
    ///
    /// Asked about the position after a pawn drop that checks. The test for uchifuzume of the replies does not go
    /// on for ever: it is only asked of a pawn drop that leaves its own king safe, and no drop answers the check of
    /// a pawn, which stands next to the king.
    fn has_legal_move(&self) -> bool {
        self.pseudo_moves().into_iter().any(|mv| matches!(self.judge(mv), Judgement::Legal { .. }))
    }

    fn judge(&self, mv: Move) -> Judgement {
        let us = self.turn;
        let next = self.after(mv);
        if next.is_in_check(us) {
            return Judgement::LeavesKingAttacked;
        }
        let checks = next.is_in_check(!us);
        let is_pawn_drop = matches!(mv.kind(), MoveKind::Drop { piece_type: Pawn, .. });
        if checks && is_pawn_drop && !next.has_legal_move() {
            return Judgement::Uchifuzume;
        }
        Judgement::Legal { checks }
    }

    fn expected(&self) -> OracleResult {
        let us = self.turn;
        let mut moves = Vec::new();
        let mut uchifuzume = None;
        for mv in self.pseudo_moves() {
            match self.judge(mv) {
                Judgement::Legal { checks } => {
                    moves.push(Legal { mv, captures: self.pieces[mv.to()].is_some(), checks });
                }
                Judgement::Uchifuzume => {
                    assert!(uchifuzume.is_none(), "one square only is in front of a king");
                    uchifuzume = Some(mv);
                }
                Judgement::LeavesKingAttacked => {}
            }
        }
        moves.sort_unstable();
        let checkers: Vec<Square> = self.attackers_of_king(us).map(|(square, _)| square).collect();
        let mut pinned = Vec::new();
        for (square, kind) in self.pieces_of(us) {
            let mut without = *self;
            without.pieces[square] = None;
            if kind != King && without.attackers_of_king(us).count() > checkers.len() {
                pinned.push(square);
            }
        }
        OracleResult { moves, uchifuzume, checkers, pinned }
    }
}

/// What becomes of a move.
enum Judgement {
    Legal { checks: bool },
    LeavesKingAttacked,
    Uchifuzume,
}
