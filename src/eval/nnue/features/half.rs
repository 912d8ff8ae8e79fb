//! Every piece together with the square of the own king.

use super::{FeatureSet, Placement, View, bona_piece};
use crate::position::Position;
use crate::types::Color;

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
    const INPUTS: usize = kings(FOLDED) * bona_piece::COUNT;
    const CACHE_ENTRIES: usize = 81;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        let (view, is_mirrored) = fold::<FOLDED>(view);
        let placement = if is_mirrored { placement.mirror() } else { placement };
        if let Some(piece) = bona_piece::index(view, placement) {
            visit(bona_piece::COUNT * view.square(view.king) + piece);
        }
    }

    fn missing(view: View) -> usize {
        let (view, _) = fold::<FOLDED>(view);
        bona_piece::COUNT * view.square(view.king) + bona_piece::MISSING
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
    const PIECES: usize = bona_piece::COUNT + 81 * PLANES;
}

impl<const PLANES: usize, const FOLDED: bool> FeatureSet for HalfKaSet<PLANES, FOLDED> {
    const INPUTS: usize = kings(FOLDED) * Self::PIECES;
    const CACHE_ENTRIES: usize = 81;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        let (view, is_mirrored) = fold::<FOLDED>(view);
        let placement = if is_mirrored { placement.mirror() } else { placement };
        let piece = match (bona_piece::index(view, placement), placement) {
            (Some(piece), _) => piece,
            (None, Placement::Board(king, square)) => {
                let plane = if PLANES == 2 && king.color() != view.side { 81 } else { 0 };
                bona_piece::COUNT + plane + view.square(square)
            }
            (None, Placement::Hand(..)) => return,
        };
        visit(Self::PIECES * view.square(view.king) + piece);
    }

    fn missing(view: View) -> usize {
        let (view, _) = fold::<FOLDED>(view);
        Self::PIECES * view.square(view.king) + bona_piece::MISSING
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
        let (view, attackers) = (View::of(pos, side), super::Attackers::of(pos));
        (0..super::missing_pieces(pos)).for_each(|_| visit(Self::missing(view)));
        Placement::visit_all(pos, |placement| {
            let kind = match placement {
                Placement::Board(_, square) => attackers.kind(side, square),
                Placement::Hand(..) => 0,
            };
            Self::visit_attacked(view, placement, kind, &mut visit);
        });
    }
}
