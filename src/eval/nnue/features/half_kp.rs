//! HalfKP: every piece together with the square of the own king.

use super::{FeatureSet, Placement, View, bona_piece};

/// HalfKP: `1548 * king + piece`, 38 active inputs of 125,388; kings are no pieces.
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
    const CACHE_ENTRIES: usize = 81;
    const MAX_CHANGES: usize = 2;

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

    #[inline(always)]
    fn cache_entry(view: View) -> usize {
        view.king.index()
    }
}
