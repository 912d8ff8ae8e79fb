//! K-P: kings and pieces as independent inputs.

use super::{FeatureSet, Placement, View, bona_piece};

/// K-P: the piece numbers, then 81 squares of the own and 81 of the other king; 40 active inputs of 1,710.
#[derive(Clone, Copy, Debug)]
pub struct Kp;

impl FeatureSet for Kp {
    const INPUTS: usize = bona_piece::COUNT + 2 * 81;
    const CACHE_ENTRIES: usize = 1;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        if let Some(piece) = bona_piece::index(view, placement) {
            visit(piece);
        } else if let Placement::Board(king, square) = placement {
            let plane = if king.color() == view.side { 0 } else { 81 };
            visit(bona_piece::COUNT + plane + view.square(square));
        }
    }

    fn missing(_: View) -> usize {
        bona_piece::MISSING
    }
}
