//! The inputs of nets: which numbered inputs are active in a position.
//!
//! A position is a set of [`Placement`]s: pieces on squares and pieces in hands. A [`FeatureSet`] says which inputs a
//! placement activates, from the view of either side: each side sees the board as if it were black, its own pieces as
//! *own*, the others as *other*. Accumulators over the active inputs can therefore be updated by each move, and a
//! trainer that calls the same functions uses the same inputs as the engine.
//!
//! The numbers are those of the classic net files of shogi (HalfKP and K-P of Nasu's NNUE, 2018; the piece numbers go
//! back to Bonanza).

use crate::bitboard::{Bitboard, attacks};
use crate::position::Position;
use crate::types::{Color, Piece, PieceType, Square};

/// One piece in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placement {
    /// A piece on a square.
    Board(Piece, Square),
    /// A side's nth piece of a type in hand, counted from 1: holding three pawns is three placements.
    Hand(Color, PieceType, u8),
}

impl Placement {
    /// The placement in a left-right mirror. The rules do not tell left from right, so a mirrored position has the same
    /// value: a trainer can see every position twice.
    #[must_use]
    pub fn mirror(self) -> Placement {
        match self {
            Placement::Board(piece, square) => Placement::Board(piece, square.mirror()),
            hand => hand,
        }
    }

    /// Calls with every placement of a position.
    pub fn visit_all(pos: &Position, mut visit: impl FnMut(Placement)) {
        for square in pos.occupied() {
            if let Some(piece) = pos.piece_on(square) {
                visit(Placement::Board(piece, square));
            }
        }
        for color in Color::ALL {
            for (piece_type, count) in pos.hand(color).iter() {
                for nth in 1..=count {
                    visit(Placement::Hand(color, piece_type, nth));
                }
            }
        }
    }
}

/// Pieces of a full set that are not kings.
pub const PIECES: usize = 38;

/// The pieces, kings left out, that are not in the game: those that a handicap or a problem does without.
pub fn missing_pieces(pos: &Position) -> usize {
    let mut present = pos.occupied().count() as usize;
    for color in Color::ALL {
        if pos.king(color).is_some() {
            present -= 1;
        }
        present += pos.hand(color).iter().map(|(_, count)| usize::from(count)).sum::<usize>();
    }
    PIECES - present
}

/// View of a side on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The side that looks.
    pub side: Color,
    /// The square of its king on the board.
    pub king: Square,
}

impl View {
    /// View of a side on a position. A king that is not there (a tsume problem) is taken to stand at home, on 5i or 5a.
    #[inline]
    pub fn of(pos: &Position, side: Color) -> View {
        let home = [Square::S5I, Square::S5A][side];
        View { side, king: pos.king(side).unwrap_or(home) }
    }

    /// The view in a left-right mirror.
    #[must_use]
    pub fn mirror(self) -> View {
        View { king: self.king.mirror(), ..self }
    }

    /// The number of a square as this side sees it.
    pub const fn square(self, square: Square) -> usize {
        match self.side {
            Color::Black => square.index(),
            Color::White => 80 - square.index(),
        }
    }
}

/// A set of inputs.
pub trait FeatureSet: Copy + Send + Sync + 'static {
    /// The number of inputs.
    const INPUTS: usize;
    /// Entries of the accumulator cache of a side: one for each square of the own king if every input depends on
    /// it, so that all of them change when it moves; else 1.
    const CACHE_ENTRIES: usize;
    /// Says that an input also depends on the attackers of a piece's square. Then [`FeatureSet::visit`] cannot follow
    /// moves.
    const USES_ATTACKS: bool = false;

    /// Calls with each input that a placement activates.
    fn visit(view: View, placement: Placement, visit: impl FnMut(usize));

    /// Calls with each input that a placement activates on a square of a kind, 0 to 8.
    fn visit_attacked(view: View, placement: Placement, kind: usize, visit: impl FnMut(usize)) {
        debug_assert_eq!(kind, 0, "only a set that uses attacks tells kinds apart");
        Self::visit(view, placement, visit);
    }

    /// The input that is active once for each piece that is not in the game.
    fn missing(view: View) -> usize;

    /// Calls with each active input of a position, [`FeatureSet::missing`] as often as pieces are missing.
    fn visit_active(pos: &Position, side: Color, mut visit: impl FnMut(usize)) {
        let view = View::of(pos, side);
        for _ in 0..missing_pieces(pos) {
            visit(Self::missing(view));
        }
        Placement::visit_all(pos, |placement| Self::visit(view, placement, &mut visit));
    }

    /// The entry of the accumulator cache for a view.
    fn cache_entry(view: View) -> usize {
        if Self::CACHE_ENTRIES == 1 { 0 } else { view.king.index() }
    }
}

/// The most inputs that one placement activates.
pub const MAX_INPUTS_OF_PLACEMENT: usize = 2;

// Numbers of pieces in their places, kings left out: below 90 pieces in hand, then a plane of 81 squares for each
// kind and owner.
//
// | in hand | own | other | | on the board | from |
// |---|---|---|---|---|---|
// | pawn | 1 | 20 | | pawn | 90 |
// | lance | 39 | 44 | | lance | 252 |
// | knight | 49 | 54 | | knight | 414 |
// | silver | 59 | 64 | | silver | 576 |
// | gold | 69 | 74 | | gold and the four promoted pieces that move as one | 738 |
// | bishop | 79 | 82 | | bishop | 900 |
// | rook | 85 | 88 | | horse, rook, dragon | 1062, 1224, 1386 |
//
// On the board the own plane comes first, the other's 81 numbers later. Number 0 stands for a piece that is not in
// the game; a few numbers below 90 are never used.

/// One more than the largest number of a piece.
const BONA_PIECES: usize = 1548;
/// A piece that is not in the game.
const MISSING: usize = 0;

/// The piece types of the nine planes in order; a promoted piece that moves as a gold is on the gold's plane.
pub(crate) const PLANES: [PieceType; 9] = {
    use PieceType::*;
    [Pawn, Lance, Knight, Silver, Gold, Bishop, Horse, Rook, Dragon]
};

/// `[viewer][piece]`: the number of the piece on the viewer's first square; 0 for a king.
const BOARD: [[u16; Piece::COUNT]; 2] = {
    let mut table = [[0; Piece::COUNT]; 2];
    let mut i = 0;
    while i < Piece::ALL.len() {
        let piece = Piece::ALL[i];
        let plane_type = match piece.piece_type() {
            PieceType::Horse => PieceType::Horse,
            PieceType::Dragon => PieceType::Dragon,
            other => other.mover(),
        };
        let mut plane = 0;
        while plane < PLANES.len() {
            if PLANES[plane] as u8 == plane_type as u8 {
                let own = 90 + 162 * plane as u16;
                table[piece.color().index()][piece.index()] = own;
                table[piece.color().flip().index()][piece.index()] = own + 81;
            }
            plane += 1;
        }
        i += 1;
    }
    table
};

/// `[type][own, other]`: the number of the first piece in hand.
const HAND: [[u16; 2]; 8] = [[0, 0], [1, 20], [39, 44], [49, 54], [59, 64], [79, 82], [85, 88], [69, 74]];

/// The number of a placement; `None` for a king.
fn bona_piece(view: View, placement: Placement) -> Option<usize> {
    match placement {
        Placement::Board(piece, square) => {
            let plane = BOARD[view.side][piece.index()];
            if plane == 0 { None } else { Some(usize::from(plane) + view.square(square)) }
        }
        Placement::Hand(owner, piece_type, nth) => {
            let first = HAND[piece_type.index() & 7][usize::from(view.side != owner)];
            Some(usize::from(first) + usize::from(nth) - 1)
        }
    }
}

/// K-P: the piece numbers, then 81 squares of the own and 81 of the other king; 40 active inputs of 1,710.
#[derive(Clone, Copy, Debug)]
pub struct Kp;

impl FeatureSet for Kp {
    const INPUTS: usize = BONA_PIECES + 2 * 81;
    const CACHE_ENTRIES: usize = 1;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        if let Some(piece) = bona_piece(view, placement) {
            visit(piece);
        } else if let Placement::Board(king, square) = placement {
            let plane = if king.color() == view.side { 0 } else { 81 };
            visit(BONA_PIECES + plane + view.square(square));
        }
    }

    fn missing(_: View) -> usize {
        MISSING
    }
}

/// ka2: the piece numbers, 81 squares of a king of either side, then 81 of the own and 81 of the other king;
/// 42 active inputs of 1,791.
#[derive(Clone, Copy, Debug)]
pub struct Ka2;

impl FeatureSet for Ka2 {
    const INPUTS: usize = BONA_PIECES + 3 * 81;
    const CACHE_ENTRIES: usize = 1;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        if let Some(piece) = bona_piece(view, placement) {
            visit(piece);
        } else if let Placement::Board(king, square) = placement {
            let plane = if king.color() == view.side { 81 } else { 2 * 81 };
            visit(BONA_PIECES + view.square(square));
            visit(BONA_PIECES + plane + view.square(square));
        }
    }

    fn missing(_: View) -> usize {
        MISSING
    }
}

/// The view and a placement as the feature set counts them: mirrored if it folds the board and the own king stands on
/// files 6 to 9, so that 45 squares of it remain.
fn fold<const FOLDED: bool>(view: View) -> (View, bool) {
    if FOLDED && view.square(view.king) >= 45 { (view.mirror(), true) } else { (view, false) }
}

/// Squares of the own king that a feature set tells apart.
const fn kings(folded: bool) -> usize {
    if folded { 45 } else { 81 }
}

/// Every piece but the kings: `1548 * king + piece`, 38 active inputs. `FOLDED`: the board is mirrored where the own
/// king stands on files 6 to 9.
#[derive(Clone, Copy, Debug)]
pub struct HalfKpSet<const FOLDED: bool>;

/// HalfKP, 125,388 inputs.
pub type HalfKp = HalfKpSet<false>;
/// HalfKPvm, 69,660 inputs.
pub type HalfKpVm = HalfKpSet<true>;

impl<const FOLDED: bool> FeatureSet for HalfKpSet<FOLDED> {
    const INPUTS: usize = kings(FOLDED) * BONA_PIECES;
    const CACHE_ENTRIES: usize = 81;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        let (view, is_mirrored) = fold::<FOLDED>(view);
        let placement = if is_mirrored { placement.mirror() } else { placement };
        if let Some(piece) = bona_piece(view, placement) {
            visit(BONA_PIECES * view.square(view.king) + piece);
        }
    }

    fn missing(view: View) -> usize {
        let (view, _) = fold::<FOLDED>(view);
        BONA_PIECES * view.square(view.king) + MISSING
    }
}

/// Every piece and both kings, 40 active inputs. `PLANES`: a plane of squares for each king, or one for both.
#[derive(Clone, Copy, Debug)]
pub struct HalfKaSet<const PLANES: usize, const FOLDED: bool>;

/// HalfKA1: `1710 * king + piece`, 138,510 inputs.
pub type HalfKa1 = HalfKaSet<2, false>;
/// HalfKA2: `1629 * king + piece`, 131,949 inputs.
pub type HalfKa2 = HalfKaSet<1, false>;
/// HalfKAhm1, 76,950 inputs.
pub type HalfKaHm1 = HalfKaSet<2, true>;
/// HalfKAhm2, 73,305 inputs.
pub type HalfKaHm2 = HalfKaSet<1, true>;

impl<const PLANES: usize, const FOLDED: bool> HalfKaSet<PLANES, FOLDED> {
    const PIECES: usize = BONA_PIECES + 81 * PLANES;
}

impl<const PLANES: usize, const FOLDED: bool> FeatureSet for HalfKaSet<PLANES, FOLDED> {
    const INPUTS: usize = kings(FOLDED) * Self::PIECES;
    const CACHE_ENTRIES: usize = 81;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        let (view, is_mirrored) = fold::<FOLDED>(view);
        let placement = if is_mirrored { placement.mirror() } else { placement };
        let piece = match (bona_piece(view, placement), placement) {
            (Some(piece), _) => piece,
            (None, Placement::Board(king, square)) => {
                let plane = if PLANES == 2 && king.color() != view.side { 81 } else { 0 };
                BONA_PIECES + plane + view.square(square)
            }
            (None, Placement::Hand(..)) => return,
        };
        visit(Self::PIECES * view.square(view.king) + piece);
    }

    fn missing(view: View) -> usize {
        let (view, _) = fold::<FOLDED>(view);
        Self::PIECES * view.square(view.king) + MISSING
    }
}

/// HalfKPE9: HalfKP for each of nine kinds of squares, `125388 * (3 * own + other)` more, where both numbers count the
/// attackers of the piece's square on the side that looks and on the other, up to two; 38 active inputs of 1,128,492.
#[derive(Clone, Copy, Debug)]
pub struct HalfKpE9;

impl FeatureSet for HalfKpE9 {
    const INPUTS: usize = 9 * HalfKp::INPUTS;
    const CACHE_ENTRIES: usize = 81;
    const USES_ATTACKS: bool = true;

    /// The input of a piece whose square nobody attacks: pieces in hand.
    fn visit(view: View, placement: Placement, visit: impl FnMut(usize)) {
        HalfKp::visit(view, placement, visit);
    }

    fn visit_attacked(view: View, placement: Placement, kind: usize, mut visit: impl FnMut(usize)) {
        HalfKp::visit(view, placement, |input| visit(HalfKp::INPUTS * kind + input));
    }

    fn missing(view: View) -> usize {
        HalfKp::missing(view)
    }

    fn visit_active(pos: &Position, side: Color, mut visit: impl FnMut(usize)) {
        let view = View::of(pos, side);
        let attackers = Attackers::of(pos);
        for _ in 0..missing_pieces(pos) {
            visit(Self::missing(view));
        }
        Placement::visit_all(pos, |placement| {
            let kind = match placement {
                Placement::Board(_, square) => attackers.kind(side, square),
                Placement::Hand(..) => 0,
            };
            Self::visit_attacked(view, placement, kind, &mut visit);
        });
    }
}

/// The squares that each side attacks once and more often. Every piece counts whose step or line reaches the square,
/// kings and pinned pieces too, whatever stands there; lines end at the first piece.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attackers {
    /// `[color]`: by one piece at least.
    once: [Bitboard; 2],
    /// `[color]`: by two at least.
    twice: [Bitboard; 2],
}

impl Attackers {
    /// Attacks on a position's squares.
    pub(crate) fn of(pos: &Position) -> Attackers {
        let mut attackers = Attackers { once: [Bitboard::EMPTY; 2], twice: [Bitboard::EMPTY; 2] };
        let occupied = pos.occupied();
        for square in occupied {
            let Some(piece) = pos.piece_on(square) else { continue };
            let color = piece.color();
            let reached = attacks(color, piece.piece_type(), square, occupied);
            attackers.twice[color] = attackers.twice[color].or(attackers.once[color].and(reached));
            attackers.once[color] = attackers.once[color].or(reached);
        }
        attackers
    }

    /// The kind of a square for a side, 0 to 8: three times its own attackers plus those of the other, each up to two.
    pub(crate) fn kind(&self, side: Color, square: Square) -> usize {
        3 * self.count(side, square) + self.count(!side, square)
    }

    /// The attackers of a square on a side, up to two.
    fn count(&self, color: Color, square: Square) -> usize {
        usize::from(self.once[color].contains(square)) + usize::from(self.twice[color].contains(square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active<F: FeatureSet>(sfen: &str, side: Color) -> Vec<usize> {
        let mut list = Vec::new();
        F::visit_active(&Position::from_sfen(sfen).unwrap(), side, |index| list.push(index));
        list.sort_unstable();
        assert!(list.iter().all(|&index| index < F::INPUTS));
        list
    }

    #[test]
    fn a_handful_of_inputs_have_the_numbers_that_were_worked_out_by_hand() {
        let index = |view: View, placement| {
            let mut list = Vec::new();
            HalfKp::visit(view, placement, |i| list.push(i));
            Kp::visit(view, placement, |i| list.push(i));
            Ka2::visit(view, placement, |i| list.push(i));
            HalfKpVm::visit(view, placement, |i| list.push(i));
            HalfKa1::visit(view, placement, |i| list.push(i));
            HalfKaHm2::visit(view, placement, |i| list.push(i));
            list
        };
        let black = View { side: Color::Black, king: Square::S5I };
        let white = View { side: Color::White, king: Square::S5A };
        // 7g is 60 for black, 20 for white; 5i is 44 for black, 36 for white.
        let pawn = Placement::Board(Piece::BPawn, Square::S7G);
        assert_eq!(
            index(black, pawn),
            [1548 * 44 + 90 + 60, 90 + 60, 90 + 60, 1548 * 44 + 90 + 60, 1710 * 44 + 90 + 60, 1629 * 44 + 90 + 60]
        );
        // The king of 6i stands on 4i of the mirrored board, where the pawn of 7g is on 3g.
        let folded = View { side: Color::Black, king: Square::S6I };
        let there = index(folded, pawn);
        assert_eq!((there[3], there[5]), (1548 * 35 + 90 + 24, 1629 * 35 + 90 + 24));
        assert_eq!(index(white, pawn)[..3], [1548 * 44 + 90 + 81 + 20, 90 + 81 + 20, 90 + 81 + 20]);
        // A tokin is a gold.
        let tokin = Placement::Board(Piece::WProPawn, Square::S1A);
        assert_eq!(index(black, tokin)[1], 90 + 162 * 4 + 81);
        assert_eq!(index(white, tokin)[1], 90 + 162 * 4 + 80);
        assert_eq!(index(black, Placement::Hand(Color::White, PieceType::Pawn, 18))[1], 37);
        assert_eq!(index(white, Placement::Hand(Color::White, PieceType::Rook, 1))[1], 85);
        let king = Placement::Board(Piece::BKing, Square::S5I);
        let own = 1548 + 44;
        let other = 1548 + 36;
        assert_eq!(index(black, king), [own, own, 1629 + 44, 1710 * 44 + own, 1629 * 44 + own]);
        assert_eq!(index(white, king), [1629 + 36, other, 1710 + 36, 1710 * 44 + 81 + other, 1629 * 44 + other]);
    }

    #[test]
    fn a_mirrored_position_activates_the_mirrored_inputs() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let mirrored = "ln6l/kg1+P5/3S1pn2/pP4p1p/1pS2P3/P1P2bPP1/1SG5P/8R/LKb4NL w RGgsn5p 1";
        let pos = Position::from_sfen(sfen).unwrap();
        for side in Color::ALL {
            let view = View::of(&pos, side).mirror();
            let mut list = vec![HalfKp::missing(view); missing_pieces(&pos)];
            Placement::visit_all(&pos, |placement| HalfKp::visit(view, placement.mirror(), |index| list.push(index)));
            list.sort_unstable();
            assert_eq!(list, active::<HalfKp>(mirrored, side));
        }
    }

    #[test]
    fn attackers_are_counted_up_to_two() {
        let pos = Position::from_sfen("4k4/4r4/9/9/4p4/9/4P4/3GSG3/3LKL3 b - 1").expect("a SFEN");
        let attackers = Attackers::of(&pos);
        let kind = |square: &str| {
            let square = square.parse().expect("a square");
            (attackers.kind(Color::Black, square), attackers.kind(Color::White, square))
        };
        // Two golds and a silver, nothing of white's; two golds and the king (the silver moves no pieces sideways).
        assert_eq!((kind("5g"), kind("5h")), ((6, 2), (6, 2)));
        // The pawn that the rook covers; the rook covers no square behind it.
        assert_eq!((kind("5e"), kind("5f")), ((1, 3), (4, 4)));
        // The king covers its rook.
        assert_eq!((kind("5b"), kind("1a")), ((1, 3), (0, 0)));
    }
}
