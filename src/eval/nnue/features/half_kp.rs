//! Every piece together with the own king's place.

use super::{FeatureSet, Placement, View, bona_piece};

/// HalfKP: `1548 * king + piece`, 38 inputs on of 125,388; kings are no pieces.
#[derive(Clone, Copy, Debug)]
pub struct HalfKp;

impl HalfKp {
    #[inline(always)]
    fn base(view: View) -> usize {
        bona_piece::COUNT * view.square(view.king)
    }
}

impl FeatureSet for HalfKp {
    const INPUTS: usize = 81 * bona_piece::COUNT;
    const KING_RELATIVE: bool = true;
    const MOST_CHANGES: usize = 2;

    #[inline(always)]
    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        if let Some(piece) = bona_piece::index(view, placement) {
            visit(HalfKp::base(view) + piece);
        }
    }

    #[inline(always)]
    fn missing(view: View) -> usize {
        HalfKp::base(view) + bona_piece::MISSING
    }
}
