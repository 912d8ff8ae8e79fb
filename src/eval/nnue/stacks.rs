//! Which of several stacks of dense layers serves a position: by the kings, the hands and the progress of the game.

use super::features::View;
use crate::position::Position;
use crate::types::{Hand, PieceType, named};

named! {
    /// How the squares of both kings choose a stack. Each king is seen by its own side.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum KingKey {
        /// They do not.
        None = "",
        /// By thirds of the board.
        K3K3 = "k3k3",
        /// By ranks.
        K9K9 = "k9k9",
        /// By nine zones: the two upper thirds, the seventh rank, and each third of the last two.
        K9K9Z = "k9k9z",
        /// By thirteen zones: seven ranks, and each third of the last two.
        K13K13Z = "k13k13z",
        /// By twenty-one zones: the two upper thirds, the seventh rank, and each square of the last two.
        K21K21 = "k21k21",
        /// By twenty-nine zones: the two upper thirds, and each square of the last three ranks.
        K29K29 = "k29k29",
    }

    /// The name in those of shapes; empty for none.
    name
}

impl KingKey {
    /// Into how many zones the board is divided.
    pub const fn zones(self) -> usize {
        match self {
            KingKey::None => 1,
            KingKey::K3K3 => 3,
            KingKey::K9K9 | KingKey::K9K9Z => 9,
            KingKey::K13K13Z => 13,
            KingKey::K21K21 => 21,
            KingKey::K29K29 => 29,
        }
    }

    /// The zone of the viewer's king.
    fn zone(self, view: View) -> usize {
        let file = view.square(view.king) / 9;
        let rank = view.square(view.king) % 9;
        // The upper two thirds, and then the seventh rank.
        let coarse = if rank < 6 { rank / 3 } else { 2 };
        match self {
            KingKey::None => 0,
            KingKey::K3K3 => rank / 3,
            KingKey::K9K9 => rank,
            KingKey::K9K9Z if rank < 7 => coarse,
            KingKey::K9K9Z => 3 + 3 * (rank - 7) + file / 3,
            KingKey::K13K13Z if rank < 7 => rank,
            KingKey::K13K13Z => 7 + 3 * (rank - 7) + file / 3,
            KingKey::K21K21 if rank < 7 => coarse,
            KingKey::K21K21 => 3 + 9 * (rank - 7) + file,
            KingKey::K29K29 if rank < 6 => coarse,
            KingKey::K29K29 => 2 + 9 * (rank - 6) + file,
        }
    }
}

named! {
    /// How the pieces in both hands choose a stack.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum HandKey {
        /// They do not.
        None = "",
        /// By a bishop.
        Hand4 = "hand4",
        /// By pawns; by a bishop.
        Hand16 = "hand16",
        /// By pawns, lances, knights; by golds, silvers, rooks; by a bishop.
        Hand64 = "hand64",
        /// By pawns, lances, knights; by silvers, golds; by a bishop; by a rook.
        Hand256 = "hand256",
        /// By pawns; by lances, knights; by silvers, golds; by a bishop; by a rook.
        Hand1024 = "hand1024",
        /// By the points of the pieces in eight steps: a pawn 1, lance and knight 2, silver and gold 3, bishop and rook 5.
        Hand64Z = "hand64z",
    }

    /// The name in those of shapes; empty for none.
    name
}

impl HandKey {
    /// Number of kinds of hands that are told apart.
    pub const fn kinds(self) -> usize {
        match self {
            HandKey::None => 1,
            HandKey::Hand4 => 2,
            HandKey::Hand16 => 4,
            HandKey::Hand64 | HandKey::Hand64Z => 8,
            HandKey::Hand256 => 16,
            HandKey::Hand1024 => 32,
        }
    }

    /// The kind of a hand.
    fn kind(self, hand: Hand) -> usize {
        use PieceType::*;
        // A bit for each group of pieces of which the hand holds one.
        let groups: &[&[PieceType]] = match self {
            HandKey::None => &[],
            HandKey::Hand4 => &[&[Bishop]],
            HandKey::Hand16 => &[&[Pawn], &[Bishop]],
            HandKey::Hand64 => &[&[Pawn, Lance, Knight], &[Gold, Silver, Rook], &[Bishop]],
            HandKey::Hand256 => &[&[Pawn, Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
            HandKey::Hand1024 => &[&[Pawn], &[Lance, Knight], &[Silver, Gold], &[Bishop], &[Rook]],
            HandKey::Hand64Z => return points(hand).div_ceil(4).min(7),
        };
        let mut kind = 0;
        for (bit, group) in groups.iter().enumerate() {
            if group.iter().any(|&piece_type| hand.has(piece_type)) {
                kind |= 1 << bit;
            }
        }
        kind
    }
}

/// The points of the pieces in a hand.
fn points(hand: Hand) -> usize {
    let mut points = 0;
    for (piece_type, count) in hand.iter() {
        let value = match piece_type {
            PieceType::Pawn => 1,
            PieceType::Lance | PieceType::Knight => 2,
            PieceType::Silver | PieceType::Gold => 3,
            _ => 5,
        };
        points += value * usize::from(count);
    }
    points
}

/// Into how many steps nets divide the progress of a game.
pub(crate) const PROGRESS_STEPS: [u8; 6] = [2, 3, 4, 8, 16, 32];

/// Choice of a stack: the number of the hands times that of the kings times that of the progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackKeys {
    /// By the pieces in hand.
    pub hands: HandKey,
    /// By the kings.
    pub kings: KingKey,
    /// By the progress of the game, in 2, 3, 4, 8, 16 or 32 steps; 1 for not at all.
    pub progress: u8,
}

impl StackKeys {
    /// One stack for all positions.
    pub const NONE: StackKeys = StackKeys { hands: HandKey::None, kings: KingKey::None, progress: 1 };
    /// By the thirds of the board in which the kings stand.
    pub const K3K3: StackKeys = StackKeys { kings: KingKey::K3K3, ..StackKeys::NONE };

    /// Number of stacks.
    pub const fn count(self) -> usize {
        let kinds = self.hands.kinds();
        let zones = self.kings.zones();
        kinds * kinds * zones * zones * self.progress as usize
    }

    /// The stack for the views of the side to move and of the other, which alone decide.
    pub fn by_kings(self, own: View, other: View) -> usize {
        self.kings.zones() * self.kings.zone(own) + self.kings.zone(other)
    }

    /// The stack for a position; `step` is that of the progress, from 0.
    pub(crate) fn select(self, pos: &Position, step: usize) -> usize {
        let us = pos.side();
        let them = !us;
        let kings = match self.kings {
            KingKey::None => 0,
            _ => self.by_kings(View::of(pos, us), View::of(pos, them)),
        };
        if self.hands == HandKey::None && self.progress == 1 {
            return kings;
        }
        let hands = self.hands.kinds() * self.hands.kind(pos.hand(us)) + self.hands.kind(pos.hand(them));
        let zones = self.kings.zones();
        (hands * zones * zones + kings) * usize::from(self.progress) + step
    }

    /// All combinations with a number of stacks, of those with progress or of those without.
    pub(crate) fn with_count(count: u64, has_progress: bool) -> Vec<StackKeys> {
        let steps: &[u8] = if has_progress { &PROGRESS_STEPS } else { &[1] };
        let mut found = Vec::new();
        for &progress in steps {
            for hands in HandKey::ALL {
                for kings in KingKey::ALL {
                    let keys = StackKeys { hands, kings, progress };
                    if keys.count() as u64 == count {
                        found.push(keys);
                    }
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Color;

    fn stack(keys: StackKeys, sfen: &str) -> usize {
        keys.select(&Position::from_sfen(sfen).expect("a SFEN"), 0)
    }

    fn zone(key: KingKey, side: Color, king: &str) -> usize {
        key.zone(View { side, king: king.parse().expect("a square") })
    }

    #[test]
    fn the_stack_of_layers_follows_from_the_ranks_of_both_kings() {
        let stack = |sfen: &str| stack(StackKeys::K3K3, sfen);
        assert_eq!(stack(crate::position::START_SFEN), 8);
        // The black king has entered the camp of the other, which stands in the middle.
        assert_eq!(stack("9/9/4K4/9/9/4k4/9/9/9 b - 1"), 1);
        assert_eq!(stack("9/9/4K4/9/9/4k4/9/9/9 w - 1"), 3);
        assert_eq!(stack("9/9/9/4K4/9/9/4k4/9/9 b - 1"), 3);
        assert_eq!(stack("9/9/9/4K4/9/9/4k4/9/9 w - 1"), 1);
        // A king that is not there stands at home.
        assert_eq!(stack("4k4/9/9/9/9/9/9/9/9 b - 1"), 8);
        assert_eq!(stack("9/9/9/9/9/9/9/9/4k4 b - 1"), 6);
    }

    #[test]
    fn zones_of_kings_are_those_of_their_definition() {
        let zones = |side, king| KingKey::ALL.map(|key| zone(key, side, king));
        assert_eq!(zones(Color::Black, "5i"), [0, 2, 8, 7, 11, 16, 24]);
        assert_eq!(zones(Color::White, "5a"), [0, 2, 8, 7, 11, 16, 24]);
        assert_eq!(zones(Color::Black, "8h"), [0, 2, 7, 5, 9, 10, 18]);
        assert_eq!(zones(Color::Black, "1g"), [0, 2, 6, 2, 6, 2, 2]);
        assert_eq!(zones(Color::White, "9e"), [0, 1, 4, 1, 4, 1, 1]);
        for key in KingKey::ALL {
            let views = crate::types::Square::ALL.map(|king| View { side: Color::Black, king });
            let seen: std::collections::BTreeSet<usize> = views.map(|view| key.zone(view)).into_iter().collect();
            assert!(seen.into_iter().eq(0..key.zones()), "{key:?}");
        }
    }

    #[test]
    fn hands_are_told_apart_by_what_is_in_them() {
        let keys = |hands| StackKeys { hands, ..StackKeys::NONE };
        let stacks = |sfen| HandKey::ALL.map(|hands| stack(keys(hands), sfen));
        assert_eq!(stacks("4k4/9/9/9/9/9/9/9/4K4 b - 1"), [0; 7]);
        assert_eq!(
            stacks("4k4/9/9/9/9/9/9/9/4K4 b B2p 1"),
            [0, 2, 2 * 4 + 1, 4 * 8 + 1, 4 * 16 + 1, 8 * 32 + 1, 2 * 8 + 1]
        );
        assert_eq!(stacks("4k4/9/9/9/9/9/9/9/4K4 w Rgl 1"), [0, 0, 0, 3 * 8 + 2, 3 * 16 + 8, 6 * 32 + 16, 2 * 8 + 2]);
        assert_eq!(stacks("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1")[6], 7 * 8);
    }

    #[test]
    fn a_number_of_stacks_names_the_ways_to_choose_one() {
        let count = |count, has_progress| StackKeys::with_count(count, has_progress).len();
        assert_eq!([1, 9, 169, 441, 841, 4, 16, 256, 1_024, 36, 144].map(|n| count(n, false)), [1; 11]);
        assert_eq!([64, 81].map(|n| count(n, false)), [2; 2]);
        assert_eq!((count(7, false), count(32, true), count(1, true)), (0, 3, 0));
    }
}
