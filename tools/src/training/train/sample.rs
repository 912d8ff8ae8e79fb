//! A position as the trainer keeps it in memory: 84 bytes, from which the inputs of any shape follow.

use crate::training::records::Record;
use komainu::eval::nnue::features::{FeatureSet, HalfKp, Ka2, Kp, PIECES, Placement, View};
use komainu::eval::nnue::{Features, Shape};
use komainu::position::{Position, PositionBuilder};
use komainu::types::{Color, Piece, PieceType, Square};
use std::sync::LazyLock;

/// A placement in 16 bits; zero is a piece that is not in the game.
///
/// | bits | hold |
/// |---|---|
/// | 0-6 | the square, or which piece of its type in that hand, from 1 |
/// | 7-10 | the type of the piece |
/// | 11 | its colour |
/// | 12 | whether it is in hand |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PackedPlacement(u16);

impl PackedPlacement {
    fn new(placement: Placement) -> PackedPlacement {
        let (color, piece_type, low, is_held) = match placement {
            Placement::Board(piece, square) => (piece.color(), piece.piece_type(), square.index(), 0),
            Placement::Hand(color, piece_type, nth) => (color, piece_type, usize::from(nth), 1),
        };
        PackedPlacement((is_held << 12 | color.index() << 11 | piece_type.index() << 7 | low) as u16)
    }

    fn placement(self) -> Option<Placement> {
        let piece_type = PieceType::new((self.0 >> 7 & 15) as u8)?;
        let color = if self.0 >> 11 & 1 == 0 { Color::Black } else { Color::White };
        let low = self.0 & 127;
        if self.0 >> 12 & 1 == 1 {
            return Some(Placement::Hand(color, piece_type, low as u8));
        }
        Square::new(low.into()).map(|square| Placement::Board(Piece::new(color, piece_type), square))
    }
}

/// A position with what a search and the game said about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainingSample {
    /// Both kings, black's first, then all other pieces of a full set.
    placements: [PackedPlacement; 2 + PIECES],
    /// Centipawns from the side to move's view.
    score: i16,
    /// 1 for a win of the side to move, 0 for a draw, -1 for a loss.
    result: i8,
    side: Color,
}

/// Number of packed placements.
const PLACEMENTS: usize = 1 << 13;

/// `[mirror][side][packed placement]`: the number of a piece from the view of a side.
static PIECE_NUMBERS: LazyLock<[[Vec<u16>; 2]; 2]> =
    LazyLock::new(|| [false, true].map(|mirror| Color::ALL.map(|side| piece_numbers(mirror, side))));

/// The numbers of all packed placements.
fn piece_numbers(mirror: bool, side: Color) -> Vec<u16> {
    (0..PLACEMENTS).map(|bits| piece_number(PackedPlacement(bits as u16), mirror, side)).collect()
}

/// The number of a piece from the view of a side: its input of K-P.
fn piece_number(packed: PackedPlacement, mirror: bool, side: Color) -> u16 {
    // Where the king is does not matter.
    let view = View { side, king: Square::ALL[0] };
    let mut number = Kp::missing(view);
    match packed.placement() {
        None => {}
        Some(Placement::Board(piece, _)) if piece.piece_type() == PieceType::King => {}
        Some(Placement::Hand(_, piece_type, nth))
            if !PieceType::HAND.contains(&piece_type) || !(1..=18).contains(&nth) => {}
        Some(placement) => {
            Kp::visit(view, if mirror { placement.mirror() } else { placement }, |input| number = input);
        }
    }
    number as u16
}

impl TrainingSample {
    /// Packs a record for training. The position is that of the record and has both kings, like all packed ones.
    pub fn new(record: &Record, pos: &Position) -> TrainingSample {
        TrainingSample { result: record.result, ..TrainingSample::labelled(pos, record.score) }
    }

    /// A position with both kings, a score for the side to move in centipawns, and no result.
    pub fn labelled(pos: &Position, score: i16) -> TrainingSample {
        let mut placements = [PackedPlacement::default(); 2 + PIECES];
        let mut next = 2;
        Placement::visit_all(pos, |placement| match placement {
            Placement::Board(piece, _) if piece.piece_type() == PieceType::King => {
                placements[piece.color().index()] = PackedPlacement::new(placement);
            }
            other => {
                placements[next] = PackedPlacement::new(other);
                next += 1;
            }
        });
        TrainingSample { placements, score, result: 0, side: pos.side() }
    }

    /// Score of the search, in centipawns from the side to move's view.
    pub fn score(&self) -> f32 {
        f32::from(self.score)
    }

    /// The result for the side to move: 1 a win, ½ a draw, 0 a loss.
    pub fn result(&self) -> f32 {
        (f32::from(self.result) + 1.0) / 2.0
    }

    /// Adds the inputs that are on in the position, or in its left-right mirror, to a list: those of the side to move,
    /// then those of the other, for a shape out of [`Shape::TRAINED`].
    pub(super) fn add_inputs(&self, shape: Shape, mirror: bool, list: &mut Vec<u32>) {
        for side in [self.side, !self.side] {
            match shape.features {
                Features::HalfKp => self.add_inputs_of::<HalfKp>(side, mirror, list),
                Features::Kp => self.add_inputs_of::<Kp>(side, mirror, list),
                Features::Ka2 => self.add_inputs_of::<Ka2>(side, mirror, list),
                _ => unreachable!("{shape} is none of the shapes that are trained"),
            }
        }
    }

    /// The stack of layers that a shape has for the position; a mirror does not change it.
    pub(super) fn stack(&self, shape: Shape) -> usize {
        shape.keys.by_kings(self.view(self.side), self.view(!self.side))
    }

    fn view(&self, side: Color) -> View {
        match self.placements[side.index()].placement() {
            Some(Placement::Board(_, king)) => View { side, king },
            _ => unreachable!("packed positions have both kings"),
        }
    }

    fn add_inputs_of<F: FeatureSet>(&self, side: Color, mirror: bool, list: &mut Vec<u32>) {
        let view = self.view(side);
        let view = if mirror { view.mirror() } else { view };
        let (kings, pieces) = self.placements.split_at(2);
        for king in kings.iter().filter_map(|king| king.placement()) {
            let king = if mirror { king.mirror() } else { king };
            F::visit(view, king, |input| list.push(input as u32));
        }
        // All sets number the pieces alike, from the number of a missing one on.
        let first = F::missing(view) as u32;
        let numbers = &PIECE_NUMBERS[usize::from(mirror)][side];
        list.extend(pieces.iter().map(|piece| first + u32::from(numbers[usize::from(piece.0) % PLACEMENTS])));
    }

    /// All of it, for a checksum.
    pub fn bytes(&self) -> [u8; 2 * (2 + PIECES) + 4] {
        let mut bytes = [0; 2 * (2 + PIECES) + 4];
        let numbers = self.placements.iter().map(|place| place.0).chain([self.score as u16]);
        for (pair, number) in bytes.chunks_exact_mut(2).zip(numbers) {
            pair.copy_from_slice(&number.to_le_bytes());
        }
        let [.., result, side] = &mut bytes;
        (*result, *side) = (self.result as u8, self.side as u8);
        bytes
    }

    /// The position, with move counter 1.
    pub fn position(&self) -> Position {
        self.position_in(false)
    }

    /// The position, or its left-right mirror.
    pub(super) fn position_in(&self, mirror: bool) -> Position {
        let mut builder = PositionBuilder::new();
        builder.side(self.side);
        for placement in self.placements.into_iter().filter_map(PackedPlacement::placement) {
            match if mirror { placement.mirror() } else { placement } {
                Placement::Board(piece, square) => builder.piece(square, piece),
                Placement::Hand(color, piece_type, _) => builder.hand(color, piece_type, 1),
            };
        }
        builder.build().expect("the position was one before")
    }
}

/// Number of inputs of each side that are on in a shape, in every position with both kings.
pub(super) fn active(shape: Shape) -> usize {
    match shape.features {
        Features::HalfKp => PIECES,
        Features::Kp => PIECES + 2,
        Features::Ka2 => PIECES + 4,
        _ => unreachable!("{shape} is none of the shapes that are trained"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::samples::random_records;

    #[test]
    fn the_inputs_of_a_sample_are_those_of_its_position() {
        const HANDICAP: &str = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        let handicap = Position::from_sfen(HANDICAP).expect("a SFEN");
        let record = Record { position: handicap.pack().expect("kings"), score: 5, best: None, ply: 1, result: -1 };
        let games = random_records(3, 200);
        for (record, pos) in games.iter().map(|(record, pos)| (*record, pos)).chain([(record, &handicap)]) {
            let sample = TrainingSample::new(&record, pos);
            assert_eq!(sample.position().key(), pos.key());
            for shape in Shape::TRAINED {
                let mut both = Vec::new();
                sample.add_inputs(shape, false, &mut both);
                assert_eq!(both.len(), 2 * active(shape));
                for (inputs, side) in both.chunks(active(shape)).zip([pos.side(), !pos.side()]) {
                    let mut expected = Vec::new();
                    shape.visit_active(pos, side, |input| expected.push(input as u32));
                    expected.sort_unstable();
                    let mut inputs = inputs.to_vec();
                    inputs.sort_unstable();
                    assert_eq!(inputs, expected);
                }
            }
        }
    }

    #[test]
    fn the_inputs_of_a_mirrored_sample_are_those_of_the_mirrored_position() {
        for (record, pos) in random_records(4, 100) {
            let mut builder = PositionBuilder::new();
            builder.side(pos.side());
            Placement::visit_all(&pos, |placement| {
                match placement.mirror() {
                    Placement::Board(piece, square) => builder.piece(square, piece),
                    Placement::Hand(color, piece_type, _) => builder.hand(color, piece_type, 1),
                };
            });
            let mirrored = TrainingSample::new(&record, &builder.build().expect("the mirror of a position is one"));
            for shape in Shape::TRAINED {
                let sorted = |sample: &TrainingSample, mirror: bool| {
                    let mut both = Vec::new();
                    sample.add_inputs(shape, mirror, &mut both);
                    for inputs in both.chunks_mut(active(shape)) {
                        inputs.sort_unstable();
                    }
                    both
                };
                assert_eq!(sorted(&TrainingSample::new(&record, &pos), true), sorted(&mirrored, false), "{shape}");
            }
        }
    }
}
