//! The inputs of nets: which numbered inputs are active in a position.
//!
//! A position is a set of [`Placement`]s: pieces on squares and pieces in hands. A [`FeatureSet`] says which inputs a
//! placement activates, from the view of either side: each side sees the board as if it were black, its own pieces as
//! *own*, the others as *other*. Accumulators over the active inputs can therefore be updated by each move, and a
//! trainer that calls the same functions uses the same inputs as the engine.
//!
//! The numbers are those of the classic net files of shogi (HalfKP and K-P of Nasu's NNUE, 2018; the piece numbers go
//! back to Bonanza).

mod attackers;
#[doc(hidden)]
pub mod bona_piece;
mod half;
mod ka2;
mod kp;

pub(super) use attackers::Attackers;
pub use half::{HalfKa1, HalfKa2, HalfKaHm1, HalfKaHm2, HalfKaSet, HalfKp, HalfKpE9, HalfKpSet, HalfKpVm};
pub use ka2::Ka2;
pub use kp::Kp;

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
                (1..=count).for_each(|nth| visit(Placement::Hand(color, piece_type, nth)));
            }
        }
    }
}

/// Pieces of a full set that are not kings.
pub const PIECES: usize = 38;

/// The pieces, kings left out, that are not in the game: those that a handicap or a problem does without.
pub fn missing_pieces(pos: &Position) -> usize {
    let held = |color| pos.hand(color).iter().map(|(_, count)| usize::from(count)).sum::<usize>();
    let kings = Color::ALL.into_iter().filter(|&color| pos.king(color).is_some()).count();
    PIECES - (pos.occupied().count() as usize - kings) - held(Color::Black) - held(Color::White)
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
        (0..missing_pieces(pos)).for_each(|_| visit(Self::missing(view)));
        Placement::visit_all(pos, |placement| Self::visit(view, placement, &mut visit));
    }

    /// The entry of the accumulator cache for a view.
    fn cache_entry(view: View) -> usize {
        if Self::CACHE_ENTRIES == 1 { 0 } else { view.king.index() }
    }
}

/// The most inputs that one placement activates.
pub const MAX_INPUTS_OF_PLACEMENT: usize = 2;

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

    const START: &str = crate::position::START_SFEN;

    #[test]
    fn as_many_inputs_are_active_as_pieces_are_in_the_game() {
        let handicap = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        for sfen in [START, "4k4/9/9/9/9/9/9/9/4K4 b RB2G2S2N2L9Prb2g2s2n2l9p 1", handicap] {
            for side in Color::ALL {
                assert_eq!(active::<HalfKp>(sfen, side).len(), 38);
                assert_eq!(active::<Kp>(sfen, side).len(), 40);
                assert_eq!(active::<Ka2>(sfen, side).len(), 42);
                assert_eq!(active::<HalfKpVm>(sfen, side).len(), 38);
                assert_eq!(active::<HalfKpE9>(sfen, side).len(), 38);
                assert_eq!(active::<HalfKa1>(sfen, side).len(), 40);
                assert_eq!(active::<HalfKaHm2>(sfen, side).len(), 40);
            }
        }
        assert_eq!(active::<Kp>(handicap, Color::Black)[..2], [0, 0]);
        assert_eq!(active::<Kp>("4k4/9/9/9/9/9/9/9/9 b 2R 1", Color::Black).len(), 39);
    }

    #[test]
    fn both_sides_see_the_start_position_alike() {
        assert_eq!(active::<HalfKp>(START, Color::Black), active::<HalfKp>(START, Color::White));
        assert_eq!(active::<Kp>(START, Color::Black), active::<Kp>(START, Color::White));
        assert_eq!(active::<Ka2>(START, Color::Black), active::<Ka2>(START, Color::White));
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
        let (own, other) = (1548 + 44, 1548 + 36);
        assert_eq!(index(black, king), [own, own, 1629 + 44, 1710 * 44 + own, 1629 * 44 + own]);
        assert_eq!(index(white, king), [1629 + 36, other, 1710 + 36, 1710 * 44 + 81 + other, 1629 * 44 + other]);
    }

    #[test]
    fn every_piece_on_a_board_and_in_a_hand_has_a_number_of_its_own() {
        let mut seen = std::collections::BTreeMap::new();
        for piece in Piece::ALL {
            for square in Square::ALL {
                let mut count = 0;
                Kp::visit(View { side: Color::White, king: square }, Placement::Board(piece, square), |index| {
                    let mover = piece.piece_type().mover();
                    let plane = if mover == PieceType::Gold { PieceType::Gold } else { piece.piece_type() };
                    let owner = seen.entry(index).or_insert((piece.color(), plane, square.index()));
                    assert_eq!(*owner, (piece.color(), plane, square.index()));
                    count += 1;
                });
                assert_eq!(count, 1);
            }
        }
        assert_eq!(seen.len(), 2 * 81 * 10);
        for color in Color::ALL {
            for piece_type in PieceType::HAND {
                for nth in 1..=piece_type.total() {
                    let view = View { side: Color::Black, king: Square::S5I };
                    Kp::visit(view, Placement::Hand(color, piece_type, nth), |index| {
                        assert!((1..90).contains(&index));
                        assert!(seen.insert(index, (color, piece_type, 100 + usize::from(nth))).is_none());
                    });
                }
            }
        }
        assert_eq!(seen.len(), 2 * 81 * 10 + 2 * 38);
    }

    #[test]
    fn a_mirrored_position_activates_the_mirrored_inputs() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let mirrored = "ln6l/kg1+P5/3S1pn2/pP4p1p/1pS2P3/P1P2bPP1/1SG5P/8R/LKb4NL w RGgsn5p 1";
        let pos = Position::from_sfen(sfen).unwrap();
        for side in Color::ALL {
            let view = View::of(&pos, side).mirror();
            let mut list = Vec::new();
            (0..missing_pieces(&pos)).for_each(|_| list.push(HalfKp::missing(view)));
            Placement::visit_all(&pos, |placement| HalfKp::visit(view, placement.mirror(), |index| list.push(index)));
            list.sort_unstable();
            assert_eq!(list, active::<HalfKp>(mirrored, side));
        }
    }
}
