//! Which shape a file has: by its sizes first, by its text where several shapes have the same size.

use super::{NetFault, PADDING};
use crate::eval::nnue::shape::{Family, Features, MAX_WIDTH, Shape, StackKeys};

/// The number of shapes that a refusal names.
const SHOWN: usize = 6;
/// Sizes of the second hidden layer that are tried where the text does not say it.
const SECOND_LAYERS: [u16; 7] = [8, 16, 24, 32, 48, 64, 96];
/// The largest first hidden layer that is tried.
const MAX_FIRST: u16 = 64;

/// The shape that a file's text claims to have; texts may be wrong.
pub(super) fn claimed(text: &str) -> Option<Shape> {
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
    let (second, first) = (layers.next()?, layers.next()?);
    Some(Shape::classic(set, width, [first, second])).filter(|shape| shape.is_sound())
}

/// Facts that the sizes of a file with products of halves tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct SfnnFacts {
    pub(super) features: Features,
    pub(super) width: u16,
    pub(super) has_progress: bool,
    /// The bytes of all stacks of layers, and what is behind them.
    pub(super) rest: u64,
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
        let (count, left) = (self.rest / shape.stack_bytes(), self.rest % shape.stack_bytes());
        (count > 0 && left < padding).then_some(count)
    }

    /// The shape as a file of these sizes would hold it, if it can, with fewer than `padding` bytes behind it.
    fn fitted(&self, shape: Shape, padding: u64) -> Option<Shape> {
        let fits = |shape: &Shape| {
            let has_progress = shape.keys.progress > 1;
            let inputs = (shape.features, shape.width, has_progress) == (self.features, self.width, self.has_progress);
            inputs && self.stacks(*shape, padding) == Some(shape.stacks() as u64)
        };
        let with_old_shortcut = match shape.family {
            Family::Pairwise { shard, .. } => Shape { family: Family::Pairwise { shortcut: true, shard }, ..shape },
            Family::Classic => return None,
        };
        [shape, with_old_shortcut].into_iter().find(|shape| shape.is_sound() && fits(shape))
    }

    /// The shape: the one that was asked for, else the one that the text claims if its size is right, else the only one
    /// with such a size.
    pub(super) fn resolve(&self, text: &str, wanted: Option<Shape>) -> Result<Shape, NetFault> {
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
        let by_text = claimed.into_iter().flat_map(|shape| {
            let shard = if let Family::Pairwise { shard, .. } = shape.family { shard } else { None };
            let rule = Shape::pairwise(self.features, self.width, shape.hidden, StackKeys::NONE);
            [rule.has_shortcut(), true].map(|shortcut| Shape { family: Family::Pairwise { shortcut, shard }, ..rule })
        });
        let candidates = self.with_layers(by_text, padding);
        if !candidates.is_empty() {
            return candidates;
        }
        let firsts = (1..=MAX_FIRST / 8).flat_map(|n| [8 * n - 1, 8 * n]);
        let layers = firsts.flat_map(|first| SECOND_LAYERS.map(|second| [first, second]));
        let shape = |hidden| Shape::pairwise(self.features, self.width, hidden, StackKeys::NONE);
        self.with_layers(layers.map(shape), padding)
    }

    /// All ways to choose among as many stacks of these layers as there are.
    fn with_layers(&self, layers: impl Iterator<Item = Shape>, padding: u64) -> Vec<Shape> {
        let mut found = Vec::new();
        for shape in layers.filter(|shape| shape.is_sound()) {
            let Some(count) = self.stacks(shape, padding) else { continue };
            for keys in StackKeys::with_count(count, self.has_progress) {
                let shape = Shape { keys, ..shape };
                if !found.contains(&shape) {
                    found.push(shape);
                }
            }
        }
        found
    }
}

/// The shape of a classic file of `payload` bytes after its header: the one that was asked for, else the one that the
/// text claims if its size is right, else the only one with such a size.
pub(super) fn classic(text: &str, payload: u64, wanted: Option<Shape>) -> Result<Shape, NetFault> {
    let facts = || format!("classic, {payload} bytes after its header");
    let fits = |shape: &Shape, padding| payload.checked_sub(shape.classic_payload()).is_some_and(|left| left < padding);
    if let Some(shape) = wanted {
        let fits = !shape.is_pairwise() && fits(&shape, PADDING);
        return if fits { Ok(shape) } else { Err(NetFault::OtherShape { shape, facts: facts() }) };
    }
    let claimed = claimed(text).filter(|shape| !shape.is_pairwise());
    if let Some(shape) = claimed.filter(|shape| fits(shape, 1)) {
        return Ok(shape);
    }
    let firsts = (8..=MAX_FIRST).step_by(8);
    let layers = || firsts.clone().flat_map(|first| SECOND_LAYERS.map(|second| [first, second]));
    let shapes = || Features::ALL.into_iter().flat_map(move |set| layers().map(move |hidden| (set, hidden)));
    let with_padding = |padding| -> Vec<Shape> {
        let shapes = shapes().filter_map(|(features, hidden)| widest(features, hidden, payload));
        shapes.filter(|shape| fits(shape, padding)).collect()
    };
    let mut candidates = with_padding(1);
    candidates.extend(claimed.filter(|shape| fits(shape, PADDING)));
    if candidates.is_empty() {
        candidates = with_padding(PADDING);
    }
    match claimed {
        Some(shape) if candidates.is_empty() => {
            Err(NetFault::Size { shape, found: payload, expected: shape.classic_payload() })
        }
        _ => choose(candidates, facts(), text),
    }
}

/// The widest classic shape of these inputs and layers for which `payload` bytes are enough.
fn widest(features: Features, hidden: [u16; 2], payload: u64) -> Option<Shape> {
    let of_width = |width| Shape::classic(features, width, hidden);
    // The size grows with the width by as much from each width to the next.
    let (narrow, step) =
        (of_width(32).classic_payload(), of_width(64).classic_payload() - of_width(32).classic_payload());
    let steps = payload.checked_sub(narrow)? / step;
    let width = u16::try_from(32 * (steps + 1)).ok().filter(|&width| width <= MAX_WIDTH)?;
    Some(of_width(width))
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
