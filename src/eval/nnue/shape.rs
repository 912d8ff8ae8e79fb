//! The shapes of nets: how many inputs, how wide, which layers, and what a file of the shape begins with.
//!
//! The sizes that the compiler must know are constants here; everything else about a shape is a method of [`Shape`].

use super::features::{FeatureSet, HalfKp, KING_STACKS, Ka2, Ka2Zones, Kp};
use crate::position::Position;
use crate::types::Color;
use std::fmt;

/// Width of the accumulator of a side in a classic net.
pub(super) const CLASSIC_WIDTH: usize = 256;
/// Inputs of the first dense layer of a classic net: the clipped accumulators of both sides.
pub(super) const CLASSIC_INPUTS: usize = 2 * CLASSIC_WIDTH;
/// Outputs of both hidden layers of a classic net.
pub(super) const CLASSIC_HIDDEN: usize = 32;

/// Width of the accumulator of a side in a pairwise net.
pub(super) const PAIRWISE_WIDTH: usize = 512;
/// Inputs of the first dense layer of a pairwise net: half as many products as the accumulators of both sides hold
/// numbers.
pub(super) const PAIRWISE_INPUTS: usize = PAIRWISE_WIDTH;
/// Values that the first layer of a pairwise net hands to the second.
pub(super) const PAIRWISE_HIDDEN: usize = 15;
/// Outputs of that layer: the values and the shortcut to the result.
pub(super) const PAIRWISE_FIRST: usize = PAIRWISE_HIDDEN + 1;
/// Inputs of the second layer: the squares and the values, padded to a multiple of 32.
pub(super) const PAIRWISE_SECOND: usize = 32;
/// Outputs of the second layer.
pub(super) const PAIRWISE_LAST: usize = 32;

/// A kind of net that can be read, evaluated and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// HalfKP 256x2-32-32, the classic net of shogi: every piece with every square of the own king.
    HalfKp,
    /// K-P 256x2-32-32: kings and pieces as independent inputs.
    Kp,
    /// SFNN ka2 512-15-32: kings and pieces as independent inputs, the halves of the accumulator multiplied pairwise, one
    /// stack of layers.
    Ka2,
    /// SFNN ka2 512-15-32 k3k3: the same with nine stacks of layers, of which the ranks of both kings choose one.
    Ka2K3k3,
    /// SFNN ka2 512-15-32 with king zones: the inputs of ka2 for each of six zones of the own king. A shape of this
    /// project's own.
    Ka2Zones,
}

/// How a family of nets goes from the accumulators to the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Clipped accumulators, three layers.
    Classic,
    /// Products of the halves of the accumulators, three layers, a shortcut around the last two.
    Pairwise,
}

impl Shape {
    /// All shapes.
    pub const ALL: [Shape; 5] = [Shape::HalfKp, Shape::Kp, Shape::Ka2, Shape::Ka2K3k3, Shape::Ka2Zones];

    /// The family that the shape belongs to.
    pub const fn family(self) -> Family {
        match self {
            Shape::HalfKp | Shape::Kp => Family::Classic,
            Shape::Ka2 | Shape::Ka2K3k3 | Shape::Ka2Zones => Family::Pairwise,
        }
    }

    /// The number of inputs per side.
    pub const fn inputs(self) -> usize {
        match self {
            Shape::HalfKp => HalfKp::INPUTS,
            Shape::Kp => Kp::INPUTS,
            Shape::Ka2 | Shape::Ka2K3k3 => Ka2::INPUTS,
            Shape::Ka2Zones => Ka2Zones::INPUTS,
        }
    }

    /// The width of the accumulator of a side.
    pub const fn width(self) -> usize {
        match self.family() {
            Family::Classic => CLASSIC_WIDTH,
            Family::Pairwise => PAIRWISE_WIDTH,
        }
    }

    /// Stacks of dense layers behind the accumulators; [`stack_of_kings`](super::stack_of_kings) chooses one of nine.
    pub const fn stacks(self) -> usize {
        match self {
            Shape::HalfKp | Shape::Kp | Shape::Ka2 | Shape::Ka2Zones => 1,
            Shape::Ka2K3k3 => KING_STACKS,
        }
    }

    /// Inputs (padded as in a file) and outputs of the three dense layers of a stack.
    pub const fn layers(self) -> [(usize, usize); 3] {
        match self.family() {
            Family::Classic => {
                [(CLASSIC_INPUTS, CLASSIC_HIDDEN), (CLASSIC_HIDDEN, CLASSIC_HIDDEN), (CLASSIC_HIDDEN, 1)]
            }
            Family::Pairwise => {
                [(PAIRWISE_INPUTS, PAIRWISE_FIRST), (PAIRWISE_SECOND, PAIRWISE_LAST), (PAIRWISE_LAST, 1)]
            }
        }
    }

    /// Calls with each active input, seen by a side, in no particular order; an input may come several times.
    pub fn visit_active(self, pos: &Position, side: Color, visit: impl FnMut(usize)) {
        match self {
            Shape::HalfKp => HalfKp::visit_active(pos, side, visit),
            Shape::Kp => Kp::visit_active(pos, side, visit),
            Shape::Ka2 | Shape::Ka2K3k3 => Ka2::visit_active(pos, side, visit),
            Shape::Ka2Zones => Ka2Zones::visit_active(pos, side, visit),
        }
    }

    /// The text that describes the shape in a file.
    pub const fn text(self) -> &'static str {
        match self {
            Shape::HalfKp => {
                "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32](AffineTransform\
                 [32<-32](ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))"
            }
            Shape::Kp => {
                "Features=K+P[1710->256x2],Network=AffineTransform[1<-32](ClippedReLU[32](AffineTransform\
                 [32<-32](ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))"
            }
            Shape::Ka2 => {
                "ModelType=SFNNWithoutPsqt;Features=K+A2[1791->512x2],Network=SFNN_KA2_512_15_32{LayerStack=1}"
            }
            Shape::Ka2K3k3 => {
                "ModelType=SFNNWithoutPsqt;Features=K+A2[1791->512x2],Network=SFNN_KA2_512_15_32_K3K3{LayerStack=9}"
            }
            Shape::Ka2Zones => {
                "ModelType=SFNNWithoutPsqt;Features=KomainuZones6(K+A2)[10746->512x2],Network=SFNN_KA2_512_15_32\
                 {LayerStack=1}"
            }
        }
    }

    /// The part of the text that tells the inputs of the shape from others.
    pub(super) const fn inputs_text(self) -> &'static str {
        match self {
            Shape::HalfKp => "HalfKP(Friend)[125388->256x2]",
            Shape::Kp => "K+P[1710->256x2]",
            Shape::Ka2 | Shape::Ka2K3k3 => "[1791->512x2]",
            Shape::Ka2Zones => "[10746->512x2]",
        }
    }

    /// The hash in front of the first part of a file, the feature transformer.
    pub(super) const fn transformer_hash(self) -> u32 {
        /// The hash of a set of two kinds of inputs.
        const fn set(first: u32, second: u32) -> u32 {
            first ^ second << 1 ^ second >> 31
        }
        match self {
            Shape::HalfKp => 0x5D69_D5B8 ^ CLASSIC_INPUTS as u32,
            Shape::Kp => set(0xD3CE_E169, 0x764C_FB4B) ^ CLASSIC_INPUTS as u32,
            // Every net of this family carries the hash of its first member.
            Shape::Ka2 | Shape::Ka2K3k3 => 0x5F13_4AB8,
            // No program but this one takes such inputs for its own.
            Shape::Ka2Zones => 0x5F13_4AB8 ^ Ka2Zones::INPUTS as u32,
        }
    }

    /// The hash in front of the dense layers, of each stack of them.
    pub const fn layers_hash(self) -> u32 {
        const fn affine(before: u32, outputs: usize) -> u32 {
            (0xCC03_DAE4 + outputs as u32) ^ before >> 1 ^ before << 31
        }
        const fn clipped(before: u32) -> u32 {
            before.wrapping_add(0x538D_24C7)
        }
        match self.family() {
            Family::Classic => {
                let first = affine(0xEC42_E90D ^ CLASSIC_INPUTS as u32, CLASSIC_HIDDEN);
                affine(clipped(affine(clipped(first), CLASSIC_HIDDEN)), 1)
            }
            Family::Pairwise => 0x6333_718A,
        }
    }

    /// The hash in the header of a file.
    pub const fn file_hash(self) -> u32 {
        self.transformer_hash() ^ self.layers_hash()
    }

    /// The bytes of all dense layers in a file, with the hash in front of each stack.
    pub(super) fn layer_bytes(self) -> u64 {
        let stack: usize = self.layers().iter().map(|&(inputs, outputs)| outputs * (4 + inputs)).sum();
        (self.stacks() * (4 + stack)) as u64
    }

    /// The bytes of a file after its header, where that is the same for all files of the shape.
    pub(super) fn payload(self) -> Option<u64> {
        let transformer = (2 * self.width() * (1 + self.inputs())) as u64;
        match self.family() {
            Family::Classic => Some(4 + transformer + self.layer_bytes()),
            Family::Pairwise => None,
        }
    }
}

/// `HalfKP 256x2-32-32`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Shape::HalfKp => "HalfKP 256x2-32-32",
            Shape::Kp => "K-P 256x2-32-32",
            Shape::Ka2 => "SFNN ka2 512-15-32",
            Shape::Ka2K3k3 => "SFNN ka2 512-15-32 k3k3",
            Shape::Ka2Zones => "SFNN ka2 512-15-32 zones",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_sizes_are_those_of_published_files() {
        let facts = Shape::ALL.map(|shape| {
            let size = shape.payload().map(|payload| payload + 12 + shape.text().len() as u64);
            (shape.file_hash(), shape.transformer_hash(), shape.layers_hash(), shape.text().len(), size)
        });
        assert_eq!(facts[0], (0x3E5A_A6EE, 0x5D69_D7B8, 0x6333_7156, 178, Some(64_217_066)));
        assert_eq!(facts[1], (0x5C64_64A9, 0x3F57_15FF, 0x6333_7156, 165, Some(893_917)));
        assert_eq!(facts[2], (0x3C20_3B32, 0x5F13_4AB8, 0x6333_718A, 93, None));
        assert_eq!(facts[3], (0x3C20_3B32, 0x5F13_4AB8, 0x6333_718A, 98, None));
        for shape in Shape::ALL {
            assert!(shape.text().contains(shape.inputs_text()));
        }
    }
}
