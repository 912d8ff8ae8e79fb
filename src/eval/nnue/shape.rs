//! The shape of a net: which inputs, how wide, which layers, how many stacks of them and how one is chosen; the names of
//! shapes, and what a file says about its own (the text and the hashes in front of its parts).
//!
//! A shape is data: it is read from a file (`file/resolve.rs`) or named by a user ([`Shape::from_str`]); any
//! combination of its parts can be evaluated.

use super::features::FeatureSet;
use super::stacks::{HandKey, KingKey, PROGRESS_STEPS, StackKeys};
use crate::position::Position;
use crate::types::{Color, Quoted, named};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

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
pub(crate) use with_features;

named! {
    /// The sets of inputs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Features {
        /// Every piece with the square of the own king; 125,388 inputs.
        HalfKp = "HalfKP",
        /// HalfKP with the attackers of the piece's square on either side, up to two; 1,128,492 inputs.
        HalfKpE9 = "HalfKPE9",
        /// HalfKP, mirrored if the own king stands on files 6 to 9; 69,660 inputs.
        HalfKpVm = "HalfKPvm",
        /// Every piece, kings too, with the square of the own king; 138,510 inputs.
        HalfKa1 = "HalfKA1",
        /// HalfKA1 with one plane for both kings; 131,949 inputs.
        HalfKa2 = "HalfKA2",
        /// HalfKA1, mirrored; 76,950 inputs.
        HalfKaHm1 = "HalfKAhm1",
        /// HalfKA2, mirrored; 73,305 inputs.
        HalfKaHm2 = "HalfKAhm2",
        /// Kings and pieces as independent inputs; 1,710.
        Kp = "K-P",
        /// Kings and pieces as independent inputs, the kings twice; 1,791.
        Ka2 = "ka2",
    }

    /// The name on screen.
    shown
}

impl Features {
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

/// How a net gets from the accumulators to the output.
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
pub(crate) const MAX_WIDTH: u16 = 4_096;
/// The most values that a hidden layer hands on.
pub(crate) const MAX_HIDDEN: u16 = 256;

impl Shape {
    /// HalfKP 256x2-32-32, the classic net of shogi.
    pub const HALF_KP: Shape = Shape::classic(Features::HalfKp, 256, [32, 32]);
    /// K-P 256x2-32-32, the shape of the built-in net.
    pub const KP: Shape = Shape::classic(Features::Kp, 256, [32, 32]);
    /// SFNN ka2 512-15-32.
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
    pub(crate) fn is_sound(self) -> bool {
        let has_width = self.width.is_multiple_of(32) && (32..=MAX_WIDTH).contains(&self.width);
        if !has_width || !self.hidden.iter().all(|hidden| (2..=MAX_HIDDEN).contains(hidden)) {
            return false;
        }
        match self.family {
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
    pub(crate) const fn is_sharded(self) -> bool {
        matches!(self.family, Family::Pairwise { shard: Some(_), .. })
    }

    /// Tests whether an output of the first layer sees an input of it.
    pub(crate) fn sees(self, output: usize, input: usize) -> bool {
        let Family::Pairwise { shard: Some(Shard { common, size, groups }), .. } = self.family else { return true };
        let common = usize::from(common);
        let group = output / (self.layers()[0].1 / usize::from(groups));
        input < common || (input - common) / usize::from(size) == group
    }

    /// The bytes of one stack of dense layers in a file, with the hash in front of it.
    pub(crate) fn stack_bytes(self) -> u64 {
        let stack: usize = self.layers().iter().map(|&(inputs, outputs)| outputs * (4 + inputs)).sum();
        4 + stack as u64
    }

    /// The bytes of a classic file after its header.
    pub(crate) fn classic_payload(self) -> u64 {
        4 + 2 * self.width() as u64 * (1 + self.inputs() as u64) + self.stack_bytes()
    }
}

/// A text that names no shape.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} names no shape of a net, as halfkp_256x2_32_32 or sfnn_halfka2_1024_7_64_k3k3 do: {}", Quoted(.name), .fault)]
pub struct ShapeNameError {
    name: String,
    fault: String,
}

impl Features {
    /// The name in small letters, without a hyphen.
    fn key(self) -> String {
        self.shown().to_ascii_lowercase().replace('-', "")
    }

    /// The set with this name in small letters.
    fn named(name: &str) -> Option<Features> {
        Features::ALL.into_iter().find(|features| features.key() == name)
    }
}

impl Shape {
    /// The parts of the name behind the layers: the shard, then how a stack is chosen.
    fn suffixes(self) -> Vec<String> {
        let mut parts = Vec::new();
        if let Family::Pairwise { shard: Some(Shard { common, size, groups }), .. } = self.family {
            parts.extend([format!("c{common}"), format!("s{size}x{groups}")]);
        }
        parts.extend([self.keys.hands.name(), self.keys.kings.name()].map(str::to_string));
        if self.keys.progress > 1 {
            parts.push(format!("progress{}", self.keys.progress));
        }
        parts.retain(|part| !part.is_empty());
        parts
    }

    /// Tests whether there is a shortcut where YaneuraOu of August 2026 has none: nets from before.
    fn has_old_shortcut(self) -> bool {
        self.has_shortcut() && self.hidden[0].is_multiple_of(8)
    }

    /// The name in the text of a file with products of halves.
    pub(crate) fn network_name(self) -> String {
        if self == Shape::pairwise(Features::HalfKaHm2, 1_536, [15, 32], StackKeys::K3K3) {
            return "SFNN-1536".to_string();
        }
        let [first, second] = self.hidden;
        let mut name = format!("SFNN_{}_{}_{first}_{second}", self.features.key(), self.width);
        for part in self.suffixes() {
            name += &format!("_{part}");
        }
        name.to_ascii_uppercase()
    }
}

/// `HalfKP 256x2-32-32`, `SFNN ka2 512-15-32 k3k3`: a name that [`Shape::from_str`] reads.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shape { features, width, hidden: [first, second], .. } = *self;
        match self.family {
            Family::Classic => write!(f, "{} {width}x2-{first}-{second}", features.shown())?,
            Family::Pairwise { .. } => write!(f, "SFNN {} {width}-{first}-{second}", features.key())?,
        }
        for part in self.suffixes() {
            write!(f, " {part}")?;
        }
        if self.has_old_shortcut() { f.write_str(" shortcut") } else { Ok(()) }
    }
}

/// Reads a name as it is shown, as YaneuraOu's editions spell it (`SFNN_halfka2_1024_7_64_k3k3`, `halfkp_256x2_32_32`)
/// or as a file's text does; blanks, `-` and `_` are alike, and so are small and capital letters.
impl FromStr for Shape {
    type Err = ShapeNameError;

    fn from_str(name: &str) -> Result<Shape, ShapeNameError> {
        parse(name).map_err(|fault| ShapeNameError { name: name.to_string(), fault })
    }
}

/// A name with each part in one word.
fn plain(name: &str) -> String {
    let mut name = name.to_ascii_lowercase().replace(['-', ' '], "_");
    for (long, short) in
        [("k_p_", "kp_"), ("k+p", "kp"), ("k+a2", "ka2"), ("halfka_hm", "halfkahm"), ("halfkp_vm", "halfkpvm")]
    {
        name = name.replace(long, short);
    }
    for zones in [3, 9, 13, 21, 29] {
        for (long, short) in [("zone", "z"), ("z", "z"), ("", "")] {
            let one = format!("king{zones}{long}");
            name = name.replace(&format!("{one}_by_{one}"), &format!("k{zones}k{zones}{short}"));
        }
    }
    name
}

fn number(word: Option<&str>, what: &str) -> Result<u16, String> {
    let word = word.unwrap_or_default();
    word.parse().map_err(|_| format!("{} is no {what}", Quoted(word)))
}

fn parse(name: &str) -> Result<Shape, String> {
    let name = plain(name);
    let mut words = name.split('_').filter(|word| !word.is_empty()).peekable();
    words.next_if_eq(&"nnue");
    let is_pairwise = match words.next_if(|word| word.starts_with("sfnn")) {
        Some("sfnn1536") => return Ok(Shape::pairwise(Features::HalfKaHm2, 1_536, [15, 32], StackKeys::K3K3)),
        Some("sfnn" | "sfnnwopsqt") => true,
        Some(other) => return Err(format!("{} is no family", Quoted(other))),
        None => false,
    };
    let first = words.next().unwrap_or_default();
    if is_pairwise && first == "1536" && words.peek().is_none() {
        return Ok(Shape::pairwise(Features::HalfKaHm2, 1_536, [15, 32], StackKeys::K3K3));
    }
    let features = Features::named(first).ok_or_else(|| format!("{} is no set of inputs", Quoted(first)))?;
    let width = number(words.next().map(|word| word.strip_suffix("x2").unwrap_or(word)), "width")?;
    let hidden = [number(words.next(), "size of a layer")?, number(words.next(), "size of a layer")?];
    let mut shape = if is_pairwise {
        Shape::pairwise(features, width, hidden, StackKeys::NONE)
    } else {
        Shape::classic(features, width, hidden)
    };
    let Family::Pairwise { shortcut, shard } = &mut shape.family else {
        return match words.next() {
            Some(word) => Err(format!("{} is not understood", Quoted(word))),
            None if shape.is_sound() => Ok(shape),
            None => Err("its sizes do not fit together".to_string()),
        };
    };
    let mut common: Option<u16> = None;
    let mut groups: Option<(u16, u16)> = None;
    for word in words {
        if let Some(&kings) = KingKey::ALL.iter().find(|key| key.name() == word) {
            shape.keys.kings = kings;
        } else if let Some(&hands) = HandKey::ALL.iter().find(|key| key.name() == word) {
            shape.keys.hands = hands;
        } else if word == "ls9" {
            shape.keys.kings = KingKey::K3K3;
        } else if word == "shortcut" {
            *shortcut = true;
        } else if let Some(steps) = progress_steps(word) {
            shape.keys.progress = steps;
        } else if let Some(columns) = word.strip_prefix('c').and_then(|columns| columns.parse().ok()) {
            common = Some(columns);
        } else if let Some(size_and_count) = shard_groups(word) {
            groups = Some(size_and_count);
        } else {
            return Err(format!("{} is not understood", Quoted(word)));
        }
    }
    match (common, groups) {
        (None, None) => {}
        (Some(common), Some((size, groups))) => *shard = Some(Shard { common, size, groups }),
        _ => return Err("a shard needs both c and s".to_string()),
    }
    if shape.is_sound() { Ok(shape) } else { Err("its sizes do not fit together".to_string()) }
}

/// The steps that `progress4` names.
fn progress_steps(word: &str) -> Option<u8> {
    let steps = word.strip_prefix("progress")?.parse().ok()?;
    if PROGRESS_STEPS.contains(&steps) { Some(steps) } else { None }
}

/// The size and the number of the groups that `s64x8` names.
fn shard_groups(word: &str) -> Option<(u16, u16)> {
    let (size, groups) = word.strip_prefix('s')?.split_once('x')?;
    Some((size.parse().ok()?, groups.parse().ok()?))
}

/// The transformer's hash of every net with products of halves: that of the first of them.
const SFNN_TRANSFORMER_HASH: u32 = 0x5F13_4AB8;
/// The hash in front of each stack of layers of such a net.
const STACK_HASH: u32 = 0x6333_718A;
/// The hash in the header of such a file.
pub(crate) const SFNN_HASH: u32 = SFNN_TRANSFORMER_HASH ^ STACK_HASH;
/// The hash in front of the weights of the progress.
pub(crate) const PROGRESS_HASH: u32 = 0x6F50_524F;

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
    pub(crate) const fn text(self) -> &'static str {
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
    pub(crate) const fn transformer_hash(self) -> u32 {
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

    #[test]
    fn names_are_read_as_they_are_shown_and_as_others_spell_them() {
        for (name, shown) in [
            ("halfkp_256x2_32_32", "HalfKP 256x2-32-32"),
            ("NNUE_halfkpe9_256x2_32_32", "HalfKPE9 256x2-32-32"),
            ("K-P 256x2-32-32", "K-P 256x2-32-32"),
            ("SFNN_ka2_512_15_32", "SFNN ka2 512-15-32"),
            ("SFNN_halfka_hm2_1536_15_32_LS9", "SFNN halfkahm2 1536-15-32 k3k3"),
            ("SFNN-1536", "SFNN halfkahm2 1536-15-32 k3k3"),
            ("sfnn_kp_256_7_32_king9zone_by_king9zone_hand4", "SFNN kp 256-7-32 hand4 k9k9z"),
            ("SFNN_KA2_1024_7_64_C512_S64X8_PROGRESS4_K3K3", "SFNN ka2 1024-7-64 c512 s64x8 k3k3 progress4"),
            ("SFNN_KA2_256_8_32_SHORTCUT", "SFNN ka2 256-8-32 shortcut"),
        ] {
            let shape: Shape = name.parse().expect(name);
            assert_eq!(shape.to_string(), shown);
            assert_eq!(shown.parse(), Ok(shape));
            if shape.is_pairwise() && !shape.has_old_shortcut() {
                assert_eq!(shape.network_name().parse(), Ok(shape));
            }
        }
    }

    #[test]
    fn what_names_no_shape_is_refused_with_the_word() {
        for (name, word) in [
            ("", "\"\" is no set"),
            ("halfkx_256x2_32_32", "halfkx"),
            ("halfkp_256x2_32", "\"\" is no size"),
            ("halfkp_255x2_32_32", "do not fit"),
            ("halfkp_256x2_32_32_k3k3", "k3k3"),
            ("SFNN_ka2_512_15_32_progress5", "progress5"),
            ("SFNN_ka2_1024_7_64_c512", "both c and s"),
            ("SFNN_ka2_1024_7_64_c500_s64x8", "do not fit"),
            ("SFNNX_ka2_512_15_32", "sfnnx"),
        ] {
            let error = name.parse::<Shape>().expect_err(name).to_string();
            assert!(error.contains(word), "{name}: {error}");
        }
    }
}
