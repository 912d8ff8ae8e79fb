//! Numbers of a position that a table of few weights is made of.
//!
//! Each is counted for either side, and the difference is taken, so that a table values a position and its reflection
//! alike.

use crate::bitboard::{Bitboard, attacks, king_attacks};
use crate::position::Position;
use crate::training::tally::{HAND_BOUNDS, class, pieces_in_hand};
use crate::types::{Color, PieceType, Square};
use std::fmt;

/// A number that is counted for either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Pieces of a kind at a distance from the other king; the largest is any that is not smaller.
    FromOtherKing(PieceType, usize),
    /// Pieces of a kind at a distance from the own king.
    FromOwnKing(PieceType, usize),
    /// Pieces of a kind in hand, by the class of all pieces in hand.
    Hand(PieceType, usize),
    /// The king on a rank, counted from its own side of the board.
    KingRank(usize),
    /// The king on a file, counted from the nearer edge.
    KingFile(usize),
    /// Squares beside the king that the other side attacks.
    Attacked(usize),
    /// Such squares that nothing but the king defends.
    Undefended(usize),
    /// Pieces that attack a square beside the king, by the class of what their side has in hand.
    Attackers(usize, usize),
}

use Feature::*;

/// Kinds of pieces but for the king.
const KINDS: usize = PieceType::ALL.len() - 1;
const OTHER_DISTANCES: usize = 5;
const OWN_DISTANCES: usize = 4;
const HAND_CLASSES: usize = HAND_BOUNDS.len();
const FILES: usize = 5;
/// Counts of squares beside a king.
const BESIDE: usize = 9;
/// Counts of attackers; the largest stands for more.
const ATTACKERS: usize = 5;
/// Bounds of the classes of pieces in hand of the attacking side.
const RESERVES: [i32; 3] = [2, 5, 39];

const OWN: usize = KINDS * OTHER_DISTANCES;
const HAND: usize = OWN + KINDS * OWN_DISTANCES;
const RANK: usize = HAND + PieceType::HAND.len() * HAND_CLASSES;
const FILE: usize = RANK + 9;
const ATTACKED: usize = FILE + FILES;
const UNDEFENDED: usize = ATTACKED + BESIDE;
const ATTACK: usize = UNDEFENDED + BESIDE;
/// Number of the features.
pub const FEATURES: usize = ATTACK + ATTACKERS * RESERVES.len();

/// Place of a kind among those that are not kings.
fn kind_index(kind: PieceType) -> usize {
    kind.index() - 1 - usize::from(kind.is_promoted())
}

impl Feature {
    fn index(self) -> usize {
        match self {
            FromOtherKing(kind, distance) => kind_index(kind) * OTHER_DISTANCES + distance - 1,
            FromOwnKing(kind, distance) => OWN + kind_index(kind) * OWN_DISTANCES + distance - 1,
            Hand(kind, class) => HAND + kind_index(kind) * HAND_CLASSES + class,
            KingRank(rank) => RANK + rank,
            KingFile(file) => FILE + file,
            Attacked(count) => ATTACKED + count,
            Undefended(count) => UNDEFENDED + count,
            Attackers(count, reserves) => ATTACK + count * RESERVES.len() + reserves,
        }
    }

    /// The feature of a number below [`FEATURES`].
    pub fn at(index: usize) -> Feature {
        let kind = |place| PieceType::ALL.into_iter().filter(|&kind| kind != PieceType::King).nth(place);
        let kind = |place| kind(place).expect("a kind of piece");
        match index {
            i if i < OWN => FromOtherKing(kind(i / OTHER_DISTANCES), i % OTHER_DISTANCES + 1),
            i if i < HAND => FromOwnKing(kind((i - OWN) / OWN_DISTANCES), (i - OWN) % OWN_DISTANCES + 1),
            i if i < RANK => Hand(kind((i - HAND) / HAND_CLASSES), (i - HAND) % HAND_CLASSES),
            i if i < FILE => KingRank(i - RANK),
            i if i < ATTACKED => KingFile(i - FILE),
            i if i < UNDEFENDED => Attacked(i - ATTACKED),
            i if i < ATTACK => Undefended(i - UNDEFENDED),
            i => Attackers((i - ATTACK) / RESERVES.len(), (i - ATTACK) % RESERVES.len()),
        }
    }
}

/// As `+R other-king 2`.
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FromOtherKing(kind, distance) => write!(f, "{kind} other-king {distance}"),
            FromOwnKing(kind, distance) => write!(f, "{kind} own-king {distance}"),
            Hand(kind, class) => write!(f, "{kind} hand {class}"),
            KingRank(rank) => write!(f, "king-rank {}", rank + 1),
            KingFile(file) => write!(f, "king-file {}", file + 1),
            Attacked(count) => write!(f, "attacked {count}"),
            Undefended(count) => write!(f, "undefended {count}"),
            Attackers(count, reserves) => write!(f, "attackers {count} {reserves}"),
        }
    }
}

fn distance(a: Square, b: Square) -> usize {
    let apart = |a: usize, b: usize| a.abs_diff(b);
    apart(a.file().index(), b.file().index()).max(apart(a.rank().index(), b.rank().index()))
}

/// The features of the side to move less those of the other. A position without both kings has none.
pub fn difference(pos: &Position) -> [i8; FEATURES] {
    let mut counts = [0; FEATURES];
    if let (Some(own), Some(other)) = (pos.king(pos.side()), pos.king(!pos.side())) {
        count(pos, pos.side(), (own, other), &mut |feature, number| counts[feature.index()] += number);
        count(pos, !pos.side(), (other, own), &mut |feature, number| counts[feature.index()] -= number);
    }
    counts
}

/// Tells the features of a side, whose king and the other king stand there.
fn count(pos: &Position, color: Color, (own, other): (Square, Square), tell: &mut impl FnMut(Feature, i8)) {
    for square in pos.pieces(color) {
        let Some(kind) = pos.piece_on(square).map(|piece| piece.piece_type()).filter(|&kind| kind != PieceType::King)
        else {
            continue;
        };
        tell(FromOtherKing(kind, distance(square, other).min(OTHER_DISTANCES)), 1);
        tell(FromOwnKing(kind, distance(square, own).min(OWN_DISTANCES)), 1);
    }
    let phase = class(pieces_in_hand(pos), &HAND_BOUNDS);
    for (kind, number) in pos.hand(color).iter() {
        tell(Hand(kind, phase), number as i8);
    }
    let rank = own.rank().index();
    tell(KingRank(if color == Color::Black { 8 - rank } else { rank }), 1);
    let file = own.file().index();
    tell(KingFile(file.min(8 - file)), 1);
    let beside = king_attacks(own);
    let reach = |color: Color| {
        let pieces =
            pos.pieces(color).into_iter().filter_map(|square| Some((square, pos.piece_on(square)?.piece_type())));
        let pieces = pieces.filter(|&(_, kind)| kind != PieceType::King);
        pieces.map(move |(square, kind)| attacks(color, kind, square, pos.occupied()) & beside)
    };
    let union = |color| reach(color).fold(Bitboard::EMPTY, |all, squares| all | squares);
    let attacked = union(!color);
    tell(Attacked(attacked.count() as usize), 1);
    tell(Undefended(attacked.without(union(color)).count() as usize), 1);
    let attackers = reach(!color).filter(|squares| !squares.is_empty()).count();
    let reserves = pos.hand(!color).iter().map(|(_, count)| i32::from(count)).sum();
    tell(Attackers(attackers.min(ATTACKERS - 1), class(reserves, &RESERVES)), 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::PositionBuilder;
    use crate::random::SplitMix64;

    /// The features that a position has, in words.
    fn of(sfen: &str) -> Vec<String> {
        let counts = difference(&Position::from_sfen(sfen).expect("a valid SFEN"));
        let told = counts.iter().enumerate().filter(|(_, count)| **count != 0);
        told.map(|(i, count)| format!("{} {count}", Feature::at(i))).collect()
    }

    #[test]
    fn every_feature_has_a_number_and_a_name_of_its_own() {
        let mut names: Vec<String> = (0..FEATURES).map(|i| Feature::at(i).to_string()).collect();
        assert!((0..FEATURES).all(|i| Feature::at(i).index() == i));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), FEATURES);
    }

    #[test]
    fn the_features_are_the_pieces_by_their_distance_from_the_kings_the_hands_and_what_attacks_a_king() {
        // The dragon on 5b stands beside the king on 5a and attacks the four other squares there.
        let expected = [
            "+R other-king 1 -1",
            "+R own-king 4 -1",
            "P hand 1 -2",
            "attacked 0 -1",
            "attacked 4 1",
            "undefended 0 -1",
            "undefended 4 1",
            "attackers 0 0 -1",
            "attackers 1 1 1",
        ];
        let mut told = of("4k4/4+R4/9/9/9/9/9/9/4K4 w 2P 1");
        let mut expected = expected.map(String::from).to_vec();
        told.sort();
        expected.sort();
        assert_eq!(told, expected);
        // A gold defends one of the squares, and the king on 1i stands on another file.
        let told = of("4k4/3g+R4/9/9/9/9/9/9/8K w 2P 1");
        for feature in ["G own-king 1 1", "king-file 1 -1", "king-file 5 1", "undefended 3 1"] {
            assert!(told.contains(&feature.to_string()), "{feature}: {told:?}");
        }
    }

    /// The position with its files exchanged, and this side to move.
    fn mirror(pos: &Position, side: Color) -> Position {
        let mut builder = PositionBuilder::new();
        for square in pos.occupied() {
            builder.piece(square.mirror(), pos.piece_on(square).expect("a piece"));
        }
        for color in Color::ALL {
            pos.hand(color).iter().for_each(|(kind, number)| {
                builder.hand(color, kind, number.into());
            });
        }
        builder.side(side).build().expect("a position")
    }

    #[test]
    fn the_other_side_has_the_opposite_and_a_mirror_changes_nothing() {
        let mut random = SplitMix64(3);
        let mut pos = Position::startpos();
        assert_eq!(difference(&pos), [0; FEATURES]);
        for _ in 0..200 {
            let moves = pos.legal_moves();
            if moves.is_empty() {
                break;
            }
            pos.do_move(*random.pick(&moves));
            if pos.in_check() {
                // With the other side to move it could take the king.
                continue;
            }
            let [mirrored, turned] = [pos.side(), !pos.side()].map(|side| mirror(&pos, side));
            assert_eq!(difference(&mirrored), difference(&pos));
            assert_eq!(difference(&turned), difference(&pos).map(|count| -count));
        }
    }
}
