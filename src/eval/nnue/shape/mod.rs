//! The shape of a net: which inputs, how wide, which layers, how many stacks of them and how one is chosen.
//!
//! A shape is data: it is read from a file (`file/resolve.rs`) or named by a user ([`Shape::from_str`]); any
//! combination of its parts can be evaluated.

mod name;
mod stacks;
mod text;

pub use name::ShapeNameError;
use stacks::PROGRESS_STEPS;
pub use stacks::{HandKey, KingKey, StackKeys};
pub(super) use text::{PROGRESS_HASH, SFNN_HASH};

use super::features::FeatureSet;
use crate::position::Position;
use crate::types::Color;

/// Evaluates an expression for the type of a set of inputs that is known by its name only.
macro_rules! with_features {
    ($features:expr, $set:ident => $expression:expr) => {
        with_features!(
            @arms $features, $set => $expression,
            HalfKp, HalfKpE9, HalfKpVm, HalfKa1, HalfKa2, HalfKaHm1, HalfKaHm2, Kp, Ka2
        )
    };
    (@arms $features:expr, $set:ident => $expression:expr, $($name:ident),*) => {
        match $features {
            $($crate::eval::nnue::shape::Features::$name => {
                type $set = $crate::eval::nnue::features::$name;
                $expression
            })*
        }
    };
}
pub(super) use with_features;

/// The sets of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Features {
    /// Every piece with the square of the own king; 125,388 inputs.
    HalfKp,
    /// HalfKP with the attackers of the piece's square on either side, up to two; 1,128,492 inputs.
    HalfKpE9,
    /// HalfKP, mirrored if the own king stands on files 6 to 9; 69,660 inputs.
    HalfKpVm,
    /// Every piece, kings too, with the square of the own king; 138,510 inputs.
    HalfKa1,
    /// HalfKA1 with one plane for both kings; 131,949 inputs.
    HalfKa2,
    /// HalfKA1, mirrored; 76,950 inputs.
    HalfKaHm1,
    /// HalfKA2, mirrored; 73,305 inputs.
    HalfKaHm2,
    /// Kings and pieces as independent inputs; 1,710.
    Kp,
    /// Kings and pieces as independent inputs, the kings twice; 1,791.
    Ka2,
}

impl Features {
    /// All of them.
    pub const ALL: [Features; 9] = [
        Features::HalfKp,
        Features::HalfKpE9,
        Features::HalfKpVm,
        Features::HalfKa1,
        Features::HalfKa2,
        Features::HalfKaHm1,
        Features::HalfKaHm2,
        Features::Kp,
        Features::Ka2,
    ];

    /// The number of inputs per side, which differs between all sets.
    pub const fn inputs(self) -> usize {
        with_features!(self, F => F::INPUTS)
    }

    /// Calls with each active input, seen by a side, in no particular order; an input may come several times.
    pub fn visit_active(self, pos: &Position, side: Color, visit: impl FnMut(usize)) {
        with_features!(self, F => F::visit_active(pos, side, visit));
    }
}

/// A first layer some of whose columns are seen by some of its outputs only: output `o` of `F` sees the products
/// `0..common` and those of its group, `common + g * size ..+ size` for the group `g = o / (F / groups)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    /// Columns that every output sees.
    pub common: u16,
    /// Columns that one group of outputs sees.
    pub size: u16,
    /// Groups of outputs.
    pub groups: u16,
}

/// Way of a net from the accumulators to the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Clipped accumulators, three layers.
    Classic,
    /// Products of the halves of the accumulators, three layers (SFNN of YaneuraOu).
    Pairwise {
        /// The last output of the first layer goes past the others to the result.
        shortcut: bool,
        /// Columns that the outputs of the first layer see, if not all.
        shard: Option<Shard>,
    },
}

/// A kind of net that can be read, evaluated and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The inputs.
    pub features: Features,
    /// Width of the accumulator of a side: a multiple of 32, at most 4,096.
    pub width: u16,
    /// Values that the first and the second dense layer hand on, without a shortcut; 2 to 256.
    pub hidden: [u16; 2],
    /// The way from the accumulators to the output.
    pub family: Family,
    /// Choice of one of several stacks of dense layers.
    pub keys: StackKeys,
}

/// The widest accumulator of a side.
pub(super) const MAX_WIDTH: u16 = 4_096;
/// The most values that a hidden layer hands on.
pub(super) const MAX_HIDDEN: u16 = 256;

impl Shape {
    /// HalfKP 256x2-32-32, the classic net of shogi.
    pub const HALF_KP: Shape = Shape::classic(Features::HalfKp, 256, [32, 32]);
    /// K-P 256x2-32-32.
    pub const KP: Shape = Shape::classic(Features::Kp, 256, [32, 32]);
    /// SFNN ka2 512-15-32, the shape of the built-in net.
    pub const KA2: Shape = Shape::pairwise(Features::Ka2, 512, [15, 32], StackKeys::NONE);
    /// SFNN ka2 512-15-32 k3k3: nine stacks of layers, of which the ranks of both kings choose one.
    pub const KA2_K3K3: Shape = Shape::pairwise(Features::Ka2, 512, [15, 32], StackKeys::K3K3);

    /// The shapes that the trainer makes.
    pub const TRAINED: [Shape; 4] = [Shape::HALF_KP, Shape::KP, Shape::KA2, Shape::KA2_K3K3];

    /// A net with clipped accumulators.
    pub const fn classic(features: Features, width: u16, hidden: [u16; 2]) -> Shape {
        Shape { features, width, hidden, family: Family::Classic, keys: StackKeys::NONE }
    }

    /// A net with products of halves; there is a shortcut if the first layer hands on one less than a multiple of 8.
    pub const fn pairwise(features: Features, width: u16, hidden: [u16; 2], keys: StackKeys) -> Shape {
        let shortcut = !hidden[0].is_multiple_of(8);
        Shape { features, width, hidden, family: Family::Pairwise { shortcut, shard: None }, keys }
    }

    /// The number of inputs per side.
    pub const fn inputs(self) -> usize {
        self.features.inputs()
    }

    /// The width of the accumulator of a side.
    pub const fn width(self) -> usize {
        self.width as usize
    }

    /// Tests whether the halves of the accumulators are multiplied.
    pub const fn is_pairwise(self) -> bool {
        matches!(self.family, Family::Pairwise { .. })
    }

    /// Tests whether an output of the first layer goes past the others to the result.
    pub const fn has_shortcut(self) -> bool {
        matches!(self.family, Family::Pairwise { shortcut: true, .. })
    }

    /// Stacks of dense layers behind the accumulators.
    pub const fn stacks(self) -> usize {
        self.keys.count()
    }

    /// Inputs (padded as in a file) and outputs of the three dense layers of a stack.
    pub const fn layers(self) -> [(usize, usize); 3] {
        let [first, second] = [self.hidden[0] as usize, self.hidden[1] as usize];
        let (input, handed, outputs) = match self.family {
            Family::Classic => (2 * self.width(), first, first),
            Family::Pairwise { shortcut, .. } => (self.width(), 2 * first, first + shortcut as usize),
        };
        [(input, outputs), (handed.next_multiple_of(32), second), (second.next_multiple_of(32), 1)]
    }

    /// Calls with each active input, seen by a side, in no particular order; an input may come several times.
    pub fn visit_active(self, pos: &Position, side: Color, visit: impl FnMut(usize)) {
        self.features.visit_active(pos, side, visit);
    }

    /// Tests whether the parts fit together and within what can be evaluated.
    pub(super) fn is_sound(self) -> bool {
        let sizes = self.width.is_multiple_of(32)
            && (32..=MAX_WIDTH).contains(&self.width)
            && self.hidden.iter().all(|hidden| (2..=MAX_HIDDEN).contains(hidden));
        sizes
            && match self.family {
                Family::Classic => self.keys == StackKeys::NONE,
                Family::Pairwise { shard: None, .. } => true,
                Family::Pairwise { shard: Some(Shard { common, size, groups }), .. } => {
                    let outputs = self.layers()[0].1;
                    let columns = u32::from(common) + u32::from(size) * u32::from(groups);
                    groups > 0 && outputs.is_multiple_of(groups.into()) && columns == u32::from(self.width)
                }
            }
    }

    /// Tests whether outputs of the first layer see some inputs of it only.
    pub(super) const fn is_sharded(self) -> bool {
        matches!(self.family, Family::Pairwise { shard: Some(_), .. })
    }

    /// Tests whether an output of the first layer sees an input of it.
    pub(super) fn sees(self, output: usize, input: usize) -> bool {
        let Family::Pairwise { shard: Some(Shard { common, size, groups }), .. } = self.family else { return true };
        let (common, size) = (usize::from(common), usize::from(size));
        let group = output / (self.layers()[0].1 / usize::from(groups));
        input < common || (input - common) / size == group
    }

    /// The bytes of one stack of dense layers in a file, with the hash in front of it.
    pub(super) fn stack_bytes(self) -> u64 {
        let stack: usize = self.layers().iter().map(|&(inputs, outputs)| outputs * (4 + inputs)).sum();
        4 + stack as u64
    }

    /// The bytes of a classic file after its header.
    pub(super) fn classic_payload(self) -> u64 {
        4 + 2 * self.width() as u64 * (1 + self.inputs() as u64) + self.stack_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_sizes_are_those_of_published_files() {
        let facts = Shape::TRAINED.map(|shape| (shape.file_hash(), shape.transformer_hash(), shape.layers_hash()));
        assert_eq!(facts[0], (0x3E5A_A6EE, 0x5D69_D7B8, 0x6333_7156));
        assert_eq!(facts[1], (0x5C64_64A9, 0x3F57_15FF, 0x6333_7156));
        assert_eq!((facts[2], facts[3]), ((0x3C20_3B32, 0x5F13_4AB8, 0x6333_718A), facts[2]));
        let sizes = [Shape::HALF_KP, Shape::KP].map(|shape| shape.classic_payload() + 12 + shape.text().len() as u64);
        assert_eq!(sizes, [64_217_066, 893_917]);
        let aoba = Shape::classic(Features::HalfKp, 768, [16, 64]);
        assert_eq!(aoba.classic_payload() + 12 + 184, 192_624_720);
        let hash = |features, width, hidden| Shape::classic(features, width, hidden).file_hash();
        assert_eq!(hash(Features::HalfKaHm2, 512, [8, 64]), 0x1C10_3E1C);
        assert_eq!(hash(Features::HalfKpVm, 64, [16, 32]), 0x6858_6C60);
        assert_eq!(hash(Features::Ka2, 256, [16, 32]), 0xF4E6_0454);
    }

    #[test]
    fn a_shard_shows_a_group_its_own_columns() {
        let shape: Shape = "SFNN_ka2_1024_7_64_c512_s64x8_k3k3".parse().expect("a name");
        assert!(shape.is_sound() && shape.sees(0, 511) && shape.sees(7, 0));
        assert!(shape.sees(0, 512) && !shape.sees(0, 576) && shape.sees(1, 576) && shape.sees(7, 1_023));
    }
}
