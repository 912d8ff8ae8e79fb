//! Statements of a file about the shape of its net: the text and the hashes in front of its parts.

use super::{Family, Features, Shape};

/// The transformer's hash of every net with products of halves: that of the first of them.
const SFNN_TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
/// The hash in front of each stack of layers of such a net.
const STACK_HASH: u32 = 0x6333_718A;
/// The hash in the header of such a file.
pub(in crate::eval::nnue) const SFNN_HASH: u32 = SFNN_TRANSFORMER_HASH ^ STACK_HASH;
/// The hash in front of the weights of the progress.
pub(in crate::eval::nnue) const PROGRESS_HASH: u32 = 0x6F50_524F;

/// The hash of a set of inputs in a classic file.
const fn feature_hash(features: Features) -> u32 {
    /// The hash of two sets of inputs beside each other.
    const fn pair(first: u32, second: u32) -> u32 {
        first ^ second << 1 ^ second >> 31
    }
    const KINGS: u32 = 0xD3CE_E169;
    match features {
        Features::HalfKp | Features::HalfKpE9 => 0x5D69_D5B8,
        Features::HalfKpVm => 0x0B6B_1D9A,
        Features::HalfKa1 => 0x5F13_4CB8,
        Features::HalfKa2 => 0x5F23_4CB8,
        Features::HalfKaHm1 => 0x7F13_4CB8,
        Features::HalfKaHm2 => 0x7F23_4CB8,
        Features::Kp => pair(KINGS, 0x764C_FB4B),
        Features::Ka2 => pair(KINGS, 0xA20D_CB9B),
    }
}

impl Features {
    /// The name in the text of a file.
    pub(in crate::eval::nnue) const fn text(self) -> &'static str {
        match self {
            Features::HalfKp => "HalfKP(Friend)",
            Features::HalfKpE9 => "HalfKPE9(Friend)",
            Features::HalfKpVm => "HalfKP_vm(Friend)",
            Features::HalfKa1 => "HalfKA1(Friend)",
            Features::HalfKa2 => "HalfKA2(Friend)",
            Features::HalfKaHm1 => "HalfKA_hm1(Friend)",
            Features::HalfKaHm2 => "HalfKA_hm2(Friend)",
            Features::Kp => "K+P",
            Features::Ka2 => "K+A2",
        }
    }
}

impl Shape {
    /// The text that describes the shape in a file.
    pub fn text(self) -> String {
        let features = format!("Features={}[{}->{}x2]", self.features.text(), self.inputs(), self.width);
        let [first, second] = self.hidden;
        match self.family {
            Family::Classic => {
                let input = 2 * self.width();
                format!(
                    "{features},Network=AffineTransform[1<-{second}](ClippedReLU[{second}](AffineTransform\
                     [{second}<-{first}](ClippedReLU[{first}](AffineTransform[{first}<-{input}]\
                     (InputSlice[{input}(0:{input})])))))"
                )
            }
            Family::Pairwise { .. } => {
                let network = self.network_name();
                format!("ModelType=SFNNWithoutPsqt;{features},Network={network}{{LayerStack={}}}", self.stacks())
            }
        }
    }

    /// The hash in front of the first part of a file, the feature transformer.
    pub(in crate::eval::nnue) const fn transformer_hash(self) -> u32 {
        match self.family {
            Family::Classic => feature_hash(self.features) ^ (2 * self.width as u32),
            Family::Pairwise { .. } => SFNN_TRANSFORMER_HASH,
        }
    }

    /// The hash in front of the dense layers, of each stack of them.
    pub const fn layers_hash(self) -> u32 {
        const fn affine(before: u32, outputs: u16) -> u32 {
            (0xCC03_DAE4 + outputs as u32) ^ before >> 1 ^ before << 31
        }
        const fn clipped(before: u32) -> u32 {
            before.wrapping_add(0x538D_24C7)
        }
        match self.family {
            Family::Classic => {
                let first = affine(0xEC42_E90D ^ (2 * self.width as u32), self.hidden[0]);
                affine(clipped(affine(clipped(first), self.hidden[1])), 1)
            }
            Family::Pairwise { .. } => STACK_HASH,
        }
    }

    /// The hash in the header of a file.
    pub const fn file_hash(self) -> u32 {
        let hash = self.transformer_hash() ^ self.layers_hash();
        if self.keys.progress > 1 { hash ^ PROGRESS_HASH } else { hash }
    }
}
