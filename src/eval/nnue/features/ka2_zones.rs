//! ka2 with king zones: the inputs of ka2 once for each zone of the own king, mirrored to one side of the board.

use super::{FeatureSet, Ka2, Placement, View};

/// How many zones there are.
pub const ZONES: usize = 6;

/// The zone of each square, seen by its owner: a rank from the far side (rank 1) to home (rank 9) a row, files 1 to 5.
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

/// ka2 with king zones: `1791 * zone + input`, where `input` is that of [`Ka2`] on the board or, if the own king stands on
/// files 6 to 9 as its side sees them, in its left-right mirror; 42 active inputs of 10,746.
#[derive(Clone, Copy, Debug)]
pub struct Ka2Zones;

impl Ka2Zones {
    /// The zone of the own king.
    #[inline(always)]
    pub fn zone(view: View) -> usize {
        let (file, rank) = (view.square(view.king) / 9, view.square(view.king) % 9);
        ZONE[rank][file.min(8 - file)].into()
    }

    /// Whether the side sees the board in a mirror.
    #[inline(always)]
    fn is_mirrored(view: View) -> bool {
        view.square(view.king) >= 5 * 9
    }
}

impl FeatureSet for Ka2Zones {
    const INPUTS: usize = ZONES * Ka2::INPUTS;
    const CACHE_ENTRIES: usize = 2 * ZONES;
    const MAX_CHANGES: usize = Ka2::MAX_CHANGES;

    #[inline(always)]
    fn visit(view: View, placement: Placement, mut visit: impl FnMut(usize)) {
        let base = Ka2::INPUTS * Ka2Zones::zone(view);
        let seen = if Ka2Zones::is_mirrored(view) { placement.mirror() } else { placement };
        Ka2::visit(view, seen, |input| visit(base + input));
    }

    #[inline(always)]
    fn missing(view: View) -> usize {
        Ka2::INPUTS * Ka2Zones::zone(view) + Ka2::missing(view)
    }

    #[inline(always)]
    fn cache_entry(king: View) -> usize {
        2 * Ka2Zones::zone(king) + usize::from(Ka2Zones::is_mirrored(king))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Square};

    #[test]
    fn zones_and_mirrors_are_those_of_the_side_that_looks() {
        let of = |side, king: &str| {
            let view = View { side, king: king.parse().expect("a square") };
            (Ka2Zones::zone(view), Ka2Zones::is_mirrored(view))
        };
        assert_eq!(of(Color::Black, "5i"), (0, false));
        assert_eq!(of(Color::White, "5a"), (0, false));
        assert_eq!(of(Color::Black, "8h"), (3, true));
        assert_eq!(of(Color::Black, "2h"), (3, false));
        assert_eq!(of(Color::White, "2b"), (3, true));
        assert_eq!(of(Color::White, "7a"), (2, false));
        assert_eq!(of(Color::Black, "6g"), (4, true));
        assert_eq!(of(Color::Black, "1e"), (5, false));
        assert_eq!(of(Color::White, "5i"), (5, false));
    }

    #[test]
    fn a_position_and_its_mirror_are_the_same_unless_the_king_stands_in_the_middle() {
        for king in Square::ALL {
            let view = View { side: Color::Black, king };
            let mirror = view.mirror();
            assert_eq!(Ka2Zones::zone(view), Ka2Zones::zone(mirror));
            let in_the_middle = king == king.mirror();
            assert_eq!(Ka2Zones::is_mirrored(view) == Ka2Zones::is_mirrored(mirror), in_the_middle);
        }
    }
}
