//! ka2: kings and pieces as independent inputs, the kings twice.

use super::{FeatureSet, Placement, View, bona_piece};

/// ka2: the piece numbers, 81 squares of a king of either side, then 81 of the own and 81 of the other king;
/// 42 active inputs of 1,791.
#[derive(Clone, Copy, Debug)]
pub struct Ka2;

impl FeatureSet for Ka2 {
    const INPUTS: usize = bona_piece::COUNT + 3 * 81;
    const CACHE_ENTRIES: usize = 1;

    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        if let Some(piece) = bona_piece::index(view, placement) {
            visit(piece);
        } else if let Placement::Board(king, square) = placement {
            let plane = if king.color() == view.side { 81 } else { 2 * 81 };
            visit(bona_piece::COUNT + view.square(square));
            visit(bona_piece::COUNT + plane + view.square(square));
        }
    }

    fn missing(_: View) -> usize {
        bona_piece::MISSING
    }
}
