//! A slow second opinion on the rules, written from the rule book alone.
//!
//! A plain mailbox that is copied for every move. A piece may go where it reaches, the move is made, and it was legal
//! if the mover's king cannot be captured afterwards. A pawn drop that checks is made, and it was legal if the
//! opponent then has a legal reply. Nothing of the engine's bitboards, tables or generator is used: a position comes
//! in through its squares, hands and turn, and only the words for colours, squares and moves are shared.

pub(crate) mod case;
pub(crate) mod compare;
pub(crate) mod play;
pub(crate) mod setups;
pub(crate) mod symmetry;

use komainu::position::Position;
use komainu::types::{Color, File, Move, PieceType, Rank, Square};

/// The fourteen kinds of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pawn,
    Lance,
    Knight,
    Silver,
    Gold,
    Bishop,
    Rook,
    King,
    /// Promoted pawn, lance, knight and silver, which all move as a gold: the kind is what returns to the hand.
    GoldFrom(Plain),
    Horse,
    Dragon,
}

/// The small pieces that promote to a gold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plain {
    Pawn,
    Lance,
    Knight,
    Silver,
}

impl Kind {
    /// The kinds that can be held and dropped; a hand counts them in this order.
    const HELD: [Kind; 7] = [Kind::Pawn, Kind::Lance, Kind::Knight, Kind::Silver, Kind::Gold, Kind::Bishop, Kind::Rook];

    fn promoted(self) -> Option<Kind> {
        match self {
            Kind::Pawn => Some(Kind::GoldFrom(Plain::Pawn)),
            Kind::Lance => Some(Kind::GoldFrom(Plain::Lance)),
            Kind::Knight => Some(Kind::GoldFrom(Plain::Knight)),
            Kind::Silver => Some(Kind::GoldFrom(Plain::Silver)),
            Kind::Bishop => Some(Kind::Horse),
            Kind::Rook => Some(Kind::Dragon),
            _ => None,
        }
    }

    /// The place in a hand of what a captured piece becomes.
    fn hand_slot(self) -> usize {
        match self {
            Kind::Pawn | Kind::GoldFrom(Plain::Pawn) => 0,
            Kind::Lance | Kind::GoldFrom(Plain::Lance) => 1,
            Kind::Knight | Kind::GoldFrom(Plain::Knight) => 2,
            Kind::Silver | Kind::GoldFrom(Plain::Silver) => 3,
            Kind::Gold => 4,
            Kind::Bishop | Kind::Horse => 5,
            Kind::Rook | Kind::Dragon => 6,
            Kind::King => panic!("a king is never captured"),
        }
    }

    fn from_piece_type(piece_type: PieceType) -> Kind {
        match piece_type {
            PieceType::Pawn => Kind::Pawn,
            PieceType::Lance => Kind::Lance,
            PieceType::Knight => Kind::Knight,
            PieceType::Silver => Kind::Silver,
            PieceType::Gold => Kind::Gold,
            PieceType::Bishop => Kind::Bishop,
            PieceType::Rook => Kind::Rook,
            PieceType::King => Kind::King,
            PieceType::ProPawn => Kind::GoldFrom(Plain::Pawn),
            PieceType::ProLance => Kind::GoldFrom(Plain::Lance),
            PieceType::ProKnight => Kind::GoldFrom(Plain::Knight),
            PieceType::ProSilver => Kind::GoldFrom(Plain::Silver),
            PieceType::Horse => Kind::Horse,
            PieceType::Dragon => Kind::Dragon,
        }
    }

    fn held_piece_type(self) -> PieceType {
        match self {
            Kind::Pawn => PieceType::Pawn,
            Kind::Lance => PieceType::Lance,
            Kind::Knight => PieceType::Knight,
            Kind::Silver => PieceType::Silver,
            Kind::Gold => PieceType::Gold,
            Kind::Bishop => PieceType::Bishop,
            Kind::Rook => PieceType::Rook,
            _ => panic!("{self:?} is never held"),
        }
    }
}

/// A piece of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OraclePiece {
    color: Color,
    kind: Kind,
}

/// File 1..=9 and rank 1..=9, as a record counts them: 7g is (7, 7), rank 1 is white's edge.
type Place = (i32, i32);

fn places() -> impl Iterator<Item = Place> {
    (1..=9).flat_map(|file| (1..=9).map(move |rank| (file, rank)))
}

/// 1 on the side's last rank, 9 on its own edge.
fn ranks_from_end(color: Color, place: Place) -> i32 {
    match color {
        Color::Black => place.1,
        Color::White => 10 - place.1,
    }
}

/// Whether a piece of this kind could never move again from the place.
fn is_dead(color: Color, kind: Kind, place: Place) -> bool {
    match kind {
        Kind::Pawn | Kind::Lance => ranks_from_end(color, place) == 1,
        Kind::Knight => ranks_from_end(color, place) <= 2,
        _ => false,
    }
}

/// The engine's word for a place.
pub(crate) fn square(place: Place) -> Square {
    Square::at(File::ALL[place.0 as usize - 1], Rank::ALL[place.1 as usize - 1])
}

/// A move in the oracle's own terms.
#[derive(Clone, Copy)]
enum Deed {
    Step { from: Place, to: Place, promote: bool },
    Drop { kind: Kind, to: Place },
}

impl Deed {
    fn to_move(self) -> Move {
        match self {
            Deed::Step { from, to, promote: false } => Move::board(square(from), square(to)),
            Deed::Step { from, to, promote: true } => Move::promotion(square(from), square(to)),
            Deed::Drop { kind, to } => Move::drop(kind.held_piece_type(), square(to)),
        }
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
struct Board {
    /// `[file][rank]`, both from 1.
    pieces: [[Option<OraclePiece>; 10]; 10],
    /// By colour and [`Kind::HELD`].
    hands: [[u8; 7]; 2],
    turn: Color,
}

impl Board {
    fn of(pos: &Position) -> Board {
        let mut board = Board { pieces: [[None; 10]; 10], hands: [[0; 7]; 2], turn: pos.side() };
        for place in places() {
            if let Some(piece) = pos.piece_on(square(place)) {
                let piece = OraclePiece { color: piece.color(), kind: Kind::from_piece_type(piece.piece_type()) };
                board.put(place, Some(piece));
            }
        }
        for color in Color::ALL {
            for (slot, kind) in Kind::HELD.into_iter().enumerate() {
                board.hands[color][slot] = pos.hand(color).count(kind.held_piece_type());
            }
        }
        board
    }

    fn at(&self, (file, rank): Place) -> Option<OraclePiece> {
        self.pieces[file as usize][rank as usize]
    }

    fn put(&mut self, (file, rank): Place, piece: Option<OraclePiece>) {
        self.pieces[file as usize][rank as usize] = piece;
    }

    /// The pieces of a side with their places.
    fn men_of(&self, color: Color) -> impl Iterator<Item = (Place, Kind)> + '_ {
        places().filter_map(move |place| match self.at(place) {
            Some(piece) if piece.color == color => Some((place, piece.kind)),
            _ => None,
        })
    }

    /// Whether all squares strictly between two places on a line are empty.
    fn is_clear(&self, from: Place, to: Place) -> bool {
        let step = ((to.0 - from.0).signum(), (to.1 - from.1).signum());
        let mut place = (from.0 + step.0, from.1 + step.1);
        while place != to {
            if self.at(place).is_some() {
                return false;
            }
            place = (place.0 + step.0, place.1 + step.1);
        }
        true
    }

    /// Whether the piece moves from one place to the other, whatever stands on the latter.
    fn reaches(&self, piece: OraclePiece, from: Place, to: Place) -> bool {
        let sideways = (to.0 - from.0).abs();
        let forward = match piece.color {
            Color::Black => from.1 - to.1,
            Color::White => to.1 - from.1,
        };
        let one_step = sideways.max(forward.abs()) == 1;
        let diagonal = sideways == forward.abs() && sideways != 0;
        let straight = (sideways == 0) != (forward == 0);
        match piece.kind {
            Kind::King => one_step,
            Kind::Gold | Kind::GoldFrom(_) => one_step && (straight || forward == 1),
            Kind::Silver => one_step && (diagonal || forward == 1),
            Kind::Knight => sideways == 1 && forward == 2,
            Kind::Pawn => sideways == 0 && forward == 1,
            Kind::Lance => sideways == 0 && forward > 0 && self.is_clear(from, to),
            Kind::Bishop => diagonal && self.is_clear(from, to),
            Kind::Rook => straight && self.is_clear(from, to),
            Kind::Horse => one_step || diagonal && self.is_clear(from, to),
            Kind::Dragon => one_step || straight && self.is_clear(from, to),
        }
    }

    /// The places of the pieces that attack the king of this colour; none if the side has no king.
    fn attackers_of_king(&self, color: Color) -> impl Iterator<Item = Place> + '_ {
        let king = self.men_of(color).find(|&(_, kind)| kind == Kind::King).map(|(place, _)| place);
        let enemy = color.flip();
        king.into_iter().flat_map(move |king| {
            self.men_of(enemy)
                .filter(move |&(from, kind)| self.reaches(OraclePiece { color: enemy, kind }, from, king))
                .map(|(from, _)| from)
        })
    }

    fn is_in_check(&self, color: Color) -> bool {
        self.attackers_of_king(color).next().is_some()
    }

    /// The board after the move, legal or not.
    fn after(&self, deed: Deed) -> Board {
        let mut next = *self;
        let us = self.turn;
        match deed {
            Deed::Step { from, to, promote } => {
                let piece = self.at(from).expect("a piece stands where the move starts");
                let kind = if promote { piece.kind.promoted().expect("the piece promotes") } else { piece.kind };
                if let Some(captured) = self.at(to) {
                    next.hands[us][captured.kind.hand_slot()] += 1;
                }
                next.put(from, None);
                next.put(to, Some(OraclePiece { color: us, kind }));
            }
            Deed::Drop { kind, to } => {
                next.hands[us][kind.hand_slot()] -= 1;
                next.put(to, Some(OraclePiece { color: us, kind }));
            }
        }
        next.turn = us.flip();
        next
    }

    /// Everything that the pieces can do, with no thought of kings and mates.
    fn deeds(&self) -> Vec<Deed> {
        let us = self.turn;
        let mut deeds = Vec::new();
        for (from, kind) in self.men_of(us) {
            for to in places() {
                if self.at(to).is_some_and(|piece| piece.color == us)
                    || !self.reaches(OraclePiece { color: us, kind }, from, to)
                {
                    continue;
                }
                if !is_dead(us, kind, to) {
                    deeds.push(Deed::Step { from, to, promote: false });
                }
                if kind.promoted().is_some() && (ranks_from_end(us, from) <= 3 || ranks_from_end(us, to) <= 3) {
                    deeds.push(Deed::Step { from, to, promote: true });
                }
            }
        }
        for (slot, kind) in Kind::HELD.into_iter().enumerate() {
            if self.hands[us][slot] == 0 {
                continue;
            }
            for to in places() {
                if self.at(to).is_none() && !is_dead(us, kind, to) && !(kind == Kind::Pawn && self.is_nifu(to)) {
                    deeds.push(Deed::Drop { kind, to });
                }
            }
        }
        deeds
    }

    /// Whether the file of the place holds an unpromoted pawn of the side to move.
    fn is_nifu(&self, (file, _): Place) -> bool {
        (1..=9).any(|rank| self.at((file, rank)) == Some(OraclePiece { color: self.turn, kind: Kind::Pawn }))
    }

    /// Whether the side to move has any legal move.
    ///
    /// Asked about the position after a pawn drop that checks. The test for uchifuzume of the replies does not go
    /// on for ever: it is only asked of a pawn drop that leaves its own king safe, and no drop answers the check of
    /// a pawn, which stands next to the king.
    fn has_legal_move(&self) -> bool {
        self.deeds().into_iter().any(|deed| matches!(self.judge(deed), Judgement::Legal { .. }))
    }

    fn judge(&self, deed: Deed) -> Judgement {
        let us = self.turn;
        let next = self.after(deed);
        if next.is_in_check(us) {
            return Judgement::LeavesKingAttacked;
        }
        let checks = next.is_in_check(us.flip());
        if checks && matches!(deed, Deed::Drop { kind: Kind::Pawn, .. }) && !next.has_legal_move() {
            return Judgement::Uchifuzume;
        }
        Judgement::Legal { checks }
    }

    fn expected(&self) -> OracleResult {
        let us = self.turn;
        let mut moves = Vec::new();
        let mut uchifuzume = None;
        for deed in self.deeds() {
            match self.judge(deed) {
                Judgement::Legal { checks } => {
                    let captures = matches!(deed, Deed::Step { to, .. } if self.at(to).is_some());
                    moves.push(Legal { mv: deed.to_move(), captures, checks });
                }
                Judgement::Uchifuzume => {
                    assert!(uchifuzume.is_none(), "one square only is in front of a king");
                    uchifuzume = Some(deed.to_move());
                }
                Judgement::LeavesKingAttacked => {}
            }
        }
        moves.sort_unstable();
        let mut checkers: Vec<Square> = self.attackers_of_king(us).map(square).collect();
        checkers.sort_unstable();
        let mut pinned = Vec::new();
        for (place, kind) in self.men_of(us) {
            let mut without = *self;
            without.put(place, None);
            if kind != Kind::King && without.attackers_of_king(us).count() > checkers.len() {
                pinned.push(square(place));
            }
        }
        pinned.sort_unstable();
        OracleResult { moves, uchifuzume, checkers, pinned }
    }
}

/// What becomes of a move.
enum Judgement {
    Legal { checks: bool },
    LeavesKingAttacked,
    Uchifuzume,
}
