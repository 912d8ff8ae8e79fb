//! Names of shapes: how they are shown, and how users, YaneuraOu and the texts of files spell them.

use super::{Family, Features, HandKey, KingKey, PROGRESS_STEPS, Shape, Shard, StackKeys};
use crate::types::Quoted;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A text that names no shape.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} names no shape of a net, as halfkp_256x2_32_32 or sfnn_halfka2_1024_7_64_k3k3 do: {}", Quoted(.name), .fault)]
pub struct ShapeNameError {
    name: String,
    fault: String,
}

impl Features {
    /// The name on screen.
    const fn shown(self) -> &'static str {
        match self {
            Features::HalfKp => "HalfKP",
            Features::HalfKpE9 => "HalfKPE9",
            Features::HalfKpVm => "HalfKPvm",
            Features::HalfKa1 => "HalfKA1",
            Features::HalfKa2 => "HalfKA2",
            Features::HalfKaHm1 => "HalfKAhm1",
            Features::HalfKaHm2 => "HalfKAhm2",
            Features::Kp => "K-P",
            Features::Ka2 => "ka2",
        }
    }

    /// The set with this name in small letters.
    fn named(name: &str) -> Option<Features> {
        let key = |features: &Features| features.shown().to_ascii_lowercase().replace('-', "");
        Features::ALL.into_iter().find(|features| key(features) == name)
    }
}

impl HandKey {
    const fn name(self) -> &'static str {
        match self {
            HandKey::None => "",
            HandKey::Hand4 => "hand4",
            HandKey::Hand16 => "hand16",
            HandKey::Hand64 => "hand64",
            HandKey::Hand256 => "hand256",
            HandKey::Hand1024 => "hand1024",
            HandKey::Hand64Z => "hand64z",
        }
    }
}

impl KingKey {
    const fn name(self) -> &'static str {
        match self {
            KingKey::None => "",
            KingKey::K3K3 => "k3k3",
            KingKey::K9K9 => "k9k9",
            KingKey::K9K9Z => "k9k9z",
            KingKey::K13K13Z => "k13k13z",
            KingKey::K21K21 => "k21k21",
            KingKey::K29K29 => "k29k29",
        }
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
    pub(super) fn network_name(self) -> String {
        if self == Shape::pairwise(Features::HalfKaHm2, 1_536, [15, 32], StackKeys::K3K3) {
            return "SFNN-1536".to_string();
        }
        let [first, second] = self.hidden;
        let features = self.features.shown().replace('-', "");
        let mut name = format!("SFNN_{features}_{}_{first}_{second}", self.width);
        self.suffixes().iter().for_each(|part| name += &format!("_{part}"));
        name.to_ascii_uppercase()
    }
}

/// `HalfKP 256x2-32-32`, `SFNN ka2 512-15-32 k3k3`: a name that [`Shape::from_str`] reads.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (features, width, [first, second]) = (self.features.shown(), self.width, self.hidden);
        match self.family {
            Family::Classic => write!(f, "{features} {width}x2-{first}-{second}")?,
            Family::Pairwise { .. } => {
                write!(f, "SFNN {} {width}-{first}-{second}", features.to_ascii_lowercase().replace('-', ""))?;
            }
        }
        self.suffixes().iter().try_for_each(|part| write!(f, " {part}"))?;
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
    let mut number = |what: &str| {
        let word = words.next().unwrap_or_default();
        let digits = if what == "width" { word.strip_suffix("x2").unwrap_or(word) } else { word };
        digits.parse::<u16>().map_err(|_| format!("{} is no {what}", Quoted(word)))
    };
    let (width, hidden) = (number("width")?, [number("size of a layer")?, number("size of a layer")?]);
    let mut shape = if is_pairwise {
        Shape::pairwise(features, width, hidden, StackKeys::NONE)
    } else {
        Shape::classic(features, width, hidden)
    };
    let mut shard = [None; 2];
    for word in words {
        let is_known = is_pairwise && take_suffix(&mut shape, &mut shard, word);
        if !is_known {
            return Err(format!("{} is not understood", Quoted(word)));
        }
    }
    match (shard, &mut shape.family) {
        ([None, None], _) => {}
        ([Some((common, _)), Some((size, groups))], Family::Pairwise { shard, .. }) => {
            *shard = Some(Shard { common, size, groups });
        }
        _ => return Err("a shard needs both c and s".to_string()),
    }
    if shape.is_sound() { Ok(shape) } else { Err("its sizes do not fit together".to_string()) }
}

/// Takes a part of the name behind the layers into the shape; `shard` collects the common columns, then size and
/// groups.
fn take_suffix(shape: &mut Shape, shard: &mut [Option<(u16, u16)>; 2], word: &str) -> bool {
    if let Some(&kings) = KingKey::ALL.iter().find(|key| key.name() == word) {
        shape.keys.kings = kings;
    } else if let Some(&hands) = HandKey::ALL.iter().find(|key| key.name() == word) {
        shape.keys.hands = hands;
    } else if word == "ls9" {
        shape.keys.kings = KingKey::K3K3;
    } else if let Some(steps) = word.strip_prefix("progress").and_then(|steps| steps.parse().ok()) {
        shape.keys.progress = steps;
        return PROGRESS_STEPS.contains(&steps);
    } else if let (true, Family::Pairwise { shortcut, .. }) = (word == "shortcut", &mut shape.family) {
        *shortcut = true;
    } else if let Some(common) = word.strip_prefix('c').and_then(|common| common.parse().ok()) {
        shard[0] = Some((common, 0));
    } else if let Some((size, groups)) = word.strip_prefix('s').and_then(|rest| rest.split_once('x')) {
        let (Ok(size), Ok(groups)) = (size.parse(), groups.parse()) else { return false };
        shard[1] = Some((size, groups));
    } else {
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

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
