//! Which shape a file has: by its sizes first, by its text where several shapes have the same size.

use super::{NetFault, PADDING};
use crate::eval::nnue::shape::{Family, Features, MAX_WIDTH, Shape};
use crate::eval::nnue::stacks::StackKeys;

/// The number of shapes that a refusal names.
const SHOWN: usize = 6;
/// Sizes of the second hidden layer that are tried where the text does not say it.
const SECOND_LAYERS: [u16; 7] = [8, 16, 24, 32, 48, 64, 96];
/// The largest first hidden layer that is tried.
const MAX_FIRST: u16 = 64;

/// The shape that a file's text claims to have; texts may be wrong.
pub(crate) fn claimed(text: &str) -> Option<Shape> {
    let (_, features) = text.split_once("Features=")?;
    let (features, network) = features.split_once("Network=")?;
    if text.contains("ModelType=SFNN") {
        let name = network.split(['{', ',', ' ', ';']).next()?;
        return name.parse().ok();
    }
    let set = Features::ALL.into_iter().find(|set| features.starts_with(&format!("{}[", set.text())))?;
    let width = features.split_once("->")?.1.split("x2").next()?.parse().ok()?;
    // From the last layer to the first: `[1<-32]`, `[32<-16]`, `[16<-512]`.
    let mut layers = network.split("<-").skip(1).filter_map(|rest| rest.split(']').next()?.parse::<u16>().ok());
    let second = layers.next()?;
    let first = layers.next()?;
    let shape = Shape::classic(set, width, [first, second]);
    if shape.is_sound() { Some(shape) } else { None }
}

/// Facts that the sizes of a file with products of halves tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SfnnFacts {
    pub(crate) features: Features,
    pub(crate) width: u16,
    pub(crate) has_progress: bool,
    /// The bytes of all stacks of layers, and what is behind them.
    pub(crate) rest: u64,
}

impl SfnnFacts {
    fn text(&self) -> String {
        let SfnnFacts { features, width, has_progress, rest } = self;
        let progress = if *has_progress { ", weights of the progress" } else { "" };
        format!("SFNN {} of width {width}{progress}, {rest} bytes of layers", features.text())
    }

    /// Number of stacks of this shape in the layers, if they are a whole number of them and fewer than `padding` bytes
    /// are left.
    fn stacks(&self, shape: Shape, padding: u64) -> Option<u64> {
        let count = self.rest / shape.stack_bytes();
        let left = self.rest % shape.stack_bytes();
        if count > 0 && left < padding { Some(count) } else { None }
    }

    /// Tests whether a file of these sizes can have this shape, with fewer than `padding` bytes behind it.
    fn fits(&self, shape: Shape, padding: u64) -> bool {
        shape.is_sound()
            && shape.features == self.features
            && shape.width == self.width
            && (shape.keys.progress > 1) == self.has_progress
            && self.stacks(shape, padding) == Some(shape.stacks() as u64)
    }

    /// The shape as a file of these sizes would hold it, if it can, with fewer than `padding` bytes behind it.
    fn fitted(&self, shape: Shape, padding: u64) -> Option<Shape> {
        let Family::Pairwise { shard, .. } = shape.family else { return None };
        let with_old_shortcut = Shape { family: Family::Pairwise { shortcut: true, shard }, ..shape };
        [shape, with_old_shortcut].into_iter().find(|&shape| self.fits(shape, padding))
    }

    /// The shape: the one that was asked for, else the one that the text claims if its size is right, else the only one
    /// with such a size.
    pub(crate) fn resolve(&self, text: &str, wanted: Option<Shape>) -> Result<Shape, NetFault> {
        if let Some(shape) = wanted {
            return self.fitted(shape, PADDING).ok_or_else(|| NetFault::OtherShape { shape, facts: self.text() });
        }
        let claimed = claimed(text);
        if let Some(shape) = claimed.and_then(|shape| self.fitted(shape, 1)) {
            return Ok(shape);
        }
        let mut candidates = self.candidates(claimed, 1);
        candidates.extend(claimed.and_then(|shape| self.fitted(shape, PADDING)));
        if candidates.is_empty() {
            candidates = self.candidates(claimed, PADDING);
        }
        choose(candidates, self.text(), text)
    }

    /// All shapes of these sizes with fewer than `padding` bytes behind them: with the layers that the text names, if
    /// the stacks are a whole number of those; else with all usual ones.
    fn candidates(&self, claimed: Option<Shape>, padding: u64) -> Vec<Shape> {
        let mut found = Vec::new();
        if let Some(claimed) = claimed {
            let shard = if let Family::Pairwise { shard, .. } = claimed.family { shard } else { None };
            let usual = Shape::pairwise(self.features, self.width, claimed.hidden, StackKeys::NONE);
            for shortcut in [usual.has_shortcut(), true] {
                let shape = Shape { family: Family::Pairwise { shortcut, shard }, ..usual };
                self.add_with_keys(shape, padding, &mut found);
            }
        }
        if !found.is_empty() {
            return found;
        }
        for n in 1..=MAX_FIRST / 8 {
            for first in [8 * n - 1, 8 * n] {
                for second in SECOND_LAYERS {
                    let shape = Shape::pairwise(self.features, self.width, [first, second], StackKeys::NONE);
                    self.add_with_keys(shape, padding, &mut found);
                }
            }
        }
        found
    }

    /// Adds the shape with all ways to choose among as many stacks of its layers as there are.
    fn add_with_keys(&self, shape: Shape, padding: u64, found: &mut Vec<Shape>) {
        if !shape.is_sound() {
            return;
        }
        let Some(count) = self.stacks(shape, padding) else { return };
        for keys in StackKeys::with_count(count, self.has_progress) {
            let shape = Shape { keys, ..shape };
            if !found.contains(&shape) {
                found.push(shape);
            }
        }
    }
}

/// The shape of a classic file of `payload` bytes after its header: the one that was asked for, else the one that the
/// text claims if its size is right, else the only one with such a size.
pub(crate) fn classic(text: &str, payload: u64, wanted: Option<Shape>) -> Result<Shape, NetFault> {
    let facts = format!("classic, {payload} bytes after its header");
    if let Some(shape) = wanted {
        if shape.is_pairwise() || !fits_classic(shape, payload, PADDING) {
            return Err(NetFault::OtherShape { shape, facts });
        }
        return Ok(shape);
    }
    let claimed = claimed(text).filter(|shape| !shape.is_pairwise());
    let mut candidates = classic_candidates(payload, 1);
    if let Some(shape) = claimed {
        if fits_classic(shape, payload, 1) {
            return Ok(shape);
        }
        if fits_classic(shape, payload, PADDING) {
            candidates.push(shape);
        }
    }
    if candidates.is_empty() {
        candidates = classic_candidates(payload, PADDING);
    }
    match claimed {
        Some(shape) if candidates.is_empty() => {
            Err(NetFault::Size { shape, found: payload, expected: shape.classic_payload() })
        }
        _ => choose(candidates, facts, text),
    }
}

/// Tests whether a classic file of `payload` bytes after its header can have this shape, with fewer than `padding`
/// bytes behind it.
fn fits_classic(shape: Shape, payload: u64, padding: u64) -> bool {
    payload.checked_sub(shape.classic_payload()).is_some_and(|left| left < padding)
}

/// All classic shapes with usual layers that such a file can have.
fn classic_candidates(payload: u64, padding: u64) -> Vec<Shape> {
    let mut candidates = Vec::new();
    for features in Features::ALL {
        for first in (8..=MAX_FIRST).step_by(8) {
            for second in SECOND_LAYERS {
                let Some(shape) = widest(features, [first, second], payload) else { continue };
                if fits_classic(shape, payload, padding) {
                    candidates.push(shape);
                }
            }
        }
    }
    candidates
}

/// The widest classic shape of these inputs and layers for which `payload` bytes are enough.
fn widest(features: Features, hidden: [u16; 2], payload: u64) -> Option<Shape> {
    // The size grows with the width by as much from each width to the next.
    let narrow = Shape::classic(features, 32, hidden).classic_payload();
    let step = Shape::classic(features, 64, hidden).classic_payload() - narrow;
    let steps = payload.checked_sub(narrow)? / step;
    let width = u16::try_from(32 * (steps + 1)).ok()?;
    if width > MAX_WIDTH {
        return None;
    }
    Some(Shape::classic(features, width, hidden))
}

/// The only candidate.
fn choose(candidates: Vec<Shape>, facts: String, text: &str) -> Result<Shape, NetFault> {
    match candidates[..] {
        [] => Err(NetFault::Unknown { facts, text: text.to_string() }),
        [only] => Ok(only),
        _ => {
            let names: Vec<String> = candidates.iter().take(SHOWN).map(Shape::to_string).collect();
            let more = candidates.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" or one of {more} others") } else { String::new() };
            Err(NetFault::Ambiguous { facts, candidates: names.join(" or ") + &more })
        }
    }
}
