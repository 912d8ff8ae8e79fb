//! ka2 with king zones: the inputs of ka2 once for each zone of the own king.

use super::{FeatureSet, Ka2, Placement, View};

/// How many zones there are.
pub const ZONES: usize = 6;

/// The zone of each square, seen by its owner: a rank from the far side (rank 1) to home (rank 9) a row, files 1 to 5; files
/// 6 to 9 are as 4 to 1.
///
/// The share of positions in games of the engine with itself: 5 for the king in the enemy's camp and in front of its own
/// (8 %), 4 for a raised king (10 %), and at home by the file: 0 the fifth (25 %), 1 the fourth (26 %), 2 the third
/// (18 %), 3 the edge (12 %).
const ZONE: [[u8; 5]; 9] = [
    [5, 5, 5, 5, 5],
    [5, 5, 5, 5, 5],
    [5, 5, 5, 5, 5],
    [5, 5, 5, 5, 5],
    [5, 5, 5, 5, 5],
    [4, 4, 4, 4, 4],
    [4, 4, 4, 4, 4],
    [3, 3, 2, 1, 0],
    [3, 3, 2, 1, 0],
];

/// ka2 with king zones: `1791 * zone + input`, where `input` is that of [`Ka2`]; 42 active inputs of 10,746.
#[derive(Clone, Copy, Debug)]
pub struct Ka2Zones;

impl Ka2Zones {
    /// The zone of the own king.
    #[inline(always)]
    pub fn zone(view: View) -> usize {
        let (file, rank) = (view.square(view.king) / 9, view.square(view.king) % 9);
        ZONE[rank][file.min(8 - file)].into()
    }
}

impl FeatureSet for Ka2Zones {
    const INPUTS: usize = ZONES * Ka2::INPUTS;
    const CACHE_ENTRIES: usize = ZONES;
    const MAX_CHANGES: usize = Ka2::MAX_CHANGES;

    #[inline(always)]
    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        let base = Ka2::INPUTS * Ka2Zones::zone(view);
        Ka2::visit(view, placement, |input| visit(base + input));
    }

    #[inline(always)]
    fn missing(view: View) -> usize {
        Ka2::INPUTS * Ka2Zones::zone(view) + Ka2::missing(view)
    }

    #[inline(always)]
    fn cache_entry(view: View) -> usize {
        Ka2Zones::zone(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Square};

    #[test]
    fn zones_are_those_of_the_side_that_looks() {
        let of = |side, king: &str| Ka2Zones::zone(View { side, king: king.parse().expect("a square") });
        assert_eq!((of(Color::Black, "5i"), of(Color::White, "5a"), of(Color::White, "5i")), (0, 0, 5));
        assert_eq!((of(Color::Black, "8h"), of(Color::Black, "2h"), of(Color::White, "2b")), (3, 3, 3));
        assert_eq!((of(Color::White, "7a"), of(Color::Black, "6g"), of(Color::Black, "1e")), (2, 4, 5));
        let is_alike = |side, king| {
            let view = View { side, king };
            Ka2Zones::zone(view) == Ka2Zones::zone(view.mirror())
        };
        assert!(Color::ALL.into_iter().all(|side| Square::ALL.into_iter().all(|king| is_alike(side, king))));
    }
}
