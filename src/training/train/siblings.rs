//! Learning to put the played move first: groups of siblings beside the positions of each step.

use super::gradient::{Aim, Gradient, Item, output};
use super::layout::Layout;
use super::objective::Objective;
use super::sample::TrainingSample;
use crate::random::Random;
use crate::training::DataError;
use crate::training::records::Records;
use crate::training::siblings::GROUP;
use rayon::prelude::*;
use std::path::PathBuf;

/// One block of groups in this many is held out; blocks are longer than games.
const HELD_OUT: usize = 20;
/// Groups of a block.
const BLOCK: usize = 1_024;
/// Streams of random numbers that no epoch has.
const STREAM: u64 = 1 << 32;

/// Settings of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiblingSettings {
    /// Groups of a step.
    pub groups: usize,
    /// Weight of the mean loss of a pair beside the mean loss of a position.
    pub weight: f32,
    /// Chance to win by which the played move is to be better than another.
    pub margin: f32,
}

/// A position after a move, from the view of the side that chose it.
#[derive(Clone, Copy, Debug)]
struct Sibling {
    sample: TrainingSample,
    /// 1 if the side that chose is to move, -1 if the other is.
    sign: f32,
}

type Group = [Sibling; GROUP];

/// Groups in memory.
#[derive(Debug, Default)]
pub struct SiblingData {
    groups: Vec<Group>,
    /// Groups that only measure.
    held_out: Vec<Group>,
    checksum: u32,
}

impl SiblingData {
    /// Reads files of `komainu data siblings`.
    pub fn read(paths: &[PathBuf]) -> Result<SiblingData, DataError> {
        let mut data = SiblingData::default();
        let mut hasher = crc32fast::Hasher::new();
        for path in paths {
            let mut group = Vec::with_capacity(GROUP);
            let refused = |number: usize, why: &str| {
                DataError::refused(format_args!("{}: group {number}: {why}; is it of data siblings?", path.display()))
            };
            let mut ply = 0;
            for (number, read) in Records::open(path)?.enumerate() {
                let (record, pos) = read?;
                let number = number / GROUP + 1;
                if record.result == 0 || record.score != 0 || record.best.is_some() {
                    return refused(number, "a record with a score, a move or a draw");
                }
                if !group.is_empty() && record.ply != ply {
                    return refused(number, "records of several positions");
                }
                ply = record.ply;
                hasher.update(&record.encode());
                group.push(Sibling { sample: TrainingSample::new(&record, &pos), sign: record.result.into() });
                if let Ok(whole) = Group::try_from(std::mem::take(&mut group)).map_err(|part| group = part) {
                    data.add(whole);
                }
            }
            if !group.is_empty() {
                return refused(data.len() + 1, "less than three records");
            }
        }
        data.checksum = hasher.finalize();
        if data.groups.is_empty() {
            return DataError::refused("no groups of siblings");
        }
        Ok(data)
    }

    fn add(&mut self, group: Group) {
        let is_held_out = (self.len() / BLOCK) % HELD_OUT == HELD_OUT - 1;
        if is_held_out { self.held_out.push(group) } else { self.groups.push(group) }
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.groups.len() + self.held_out.len()
    }

    /// Tests whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of groups that are held out.
    pub fn held_out(&self) -> usize {
        self.held_out.len()
    }
}

/// The comparison as part of a run.
#[derive(Debug)]
pub(super) struct Comparing<'a> {
    pub settings: SiblingSettings,
    pub data: &'a SiblingData,
}

/// Loss of a group whose chances to win for the side that chose are these, the played move first, and its slope with
/// each chance.
fn hinge(chances: [f32; GROUP], margin: f32) -> (f32, [f32; GROUP]) {
    let (mut loss, mut slopes) = (0.0, [0.0; GROUP]);
    for other in 1..GROUP {
        let short = margin - (chances[0] - chances[other]);
        if short > 0.0 {
            loss += short;
            slopes[0] -= 1.0;
            slopes[other] += 1.0;
        }
    }
    (loss, slopes)
}

impl Comparing<'_> {
    /// Settings and data on which the outcome depends, in a line.
    pub(super) fn description(&self) -> String {
        let SiblingSettings { groups, weight, margin } = self.settings;
        let (count, checksum) = (self.data.len(), self.data.checksum);
        format!(" siblings {groups} weight {weight} margin {margin} groups {count} checksum {checksum:08x}")
    }

    /// Adds the gradient of the mean loss of the pairs of a step, with its weight.
    pub(super) fn add(
        &self,
        gradient: &mut Gradient,
        layout: &Layout,
        parameters: &[f32],
        objective: &Objective,
        (seed, step, mirror): (u64, u64, bool),
    ) {
        let mut random = Random::new(seed, STREAM + step);
        let drawn: Vec<(&Group, bool)> = (0..self.settings.groups)
            .map(|_| (random.pick(&self.data.groups), mirror && random.below(2) == 1))
            .collect();
        self.add_groups(gradient, layout, parameters, objective, &drawn);
    }

    fn add_groups(
        &self,
        gradient: &mut Gradient,
        layout: &Layout,
        parameters: &[f32],
        objective: &Objective,
        drawn: &[(&Group, bool)],
    ) {
        let share = self.settings.weight / (drawn.len() * (GROUP - 1)) as f32;
        let slopes: Vec<[f32; GROUP]> = drawn
            .par_iter()
            .map(|(group, mirror)| {
                let found = group.map(|sibling| {
                    let (chance, slope) =
                        objective.chance(sibling.sign * output(layout, parameters, &sibling.sample, *mirror));
                    (chance, sibling.sign * slope)
                });
                let (_, slopes) = hinge(found.map(|(chance, _)| chance), self.settings.margin);
                std::array::from_fn(|i| slopes[i] * found[i].1 * share)
            })
            .collect();
        let items: Vec<Item> = drawn
            .iter()
            .zip(&slopes)
            .flat_map(|(&(group, mirror), slopes)| {
                let item = move |(sibling, &slope)| {
                    let Sibling { sample, .. }: &Sibling = sibling;
                    Item { sample, mirror, aim: Aim::Slope(slope) }
                };
                group.iter().zip(slopes).map(item)
            })
            // A group in order pulls at nothing.
            .filter(|item| !matches!(item.aim, Aim::Slope(0.0)))
            .collect();
        gradient.add_slopes(layout, parameters, objective, &items);
    }

    /// The share of held-out pairs that a net has in order.
    pub(super) fn measure(&self, layout: &Layout, parameters: &[f32]) -> f64 {
        let in_order = |group: &Group| {
            let values = group.map(|sibling| sibling.sign * output(layout, parameters, &sibling.sample, false));
            values[1..].iter().filter(|&&other| values[0] > other).count()
        };
        let pairs = self.data.held_out.len() * (GROUP - 1);
        self.data.held_out.par_iter().map(in_order).sum::<usize>() as f64 / pairs.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::Shape;
    use crate::training::records::Record;
    use crate::training::train::adam::Adam;
    use crate::training::train::samples::random_records;
    use std::fs;

    const OBJECTIVE: Objective = Objective { scale: 400.0, unit: 700.0, power: 2.0, result_weight: 0.0 };

    /// Groups of random positions from the views of either side: the one with the best balance counts as played.
    fn groups(count: usize) -> Vec<Record> {
        let mut records: Vec<Record> =
            random_records(21, GROUP * count).into_iter().map(|(record, _)| record).collect();
        for (number, record) in records.iter_mut().enumerate() {
            record.result = if number % 2 == 0 { 1 } else { -1 };
        }
        for (number, group) in records.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
            group.sort_by_key(|record| -i32::from(record.score) * i32::from(record.result));
            group.iter_mut().for_each(|record| (record.score, record.best, record.ply) = (0, None, number as u16));
        }
        records
    }

    fn file(name: &str, records: &[Record]) -> PathBuf {
        let path = std::env::temp_dir().join(format!("komainu-siblings-{}-{name}", std::process::id()));
        let bytes: Vec<u8> = records.iter().flat_map(Record::encode).collect();
        fs::write(&path, bytes).expect("a file can be written");
        path
    }

    fn read(name: &str, records: &[Record]) -> Result<SiblingData, String> {
        let path = file(name, records);
        let data = SiblingData::read(std::slice::from_ref(&path));
        fs::remove_file(&path).expect("it was there");
        data.map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
    }

    fn comparing(data: &SiblingData, groups: usize) -> Comparing<'_> {
        Comparing { settings: SiblingSettings { groups, weight: 0.5, margin: 0.1 }, data }
    }

    /// The mean hinge of the pairs of groups, with the weight.
    fn loss(comparing: &Comparing, layout: &Layout, parameters: &[f32], drawn: &[(&Group, bool)]) -> f64 {
        let one = |(group, mirror): &(&Group, bool)| {
            let chances = group
                .map(|sibling| objective_chance(sibling.sign * output(layout, parameters, &sibling.sample, *mirror)));
            f64::from(hinge(chances, comparing.settings.margin).0)
        };
        let pairs = (drawn.len() * (GROUP - 1)) as f64;
        f64::from(comparing.settings.weight) * drawn.iter().map(one).sum::<f64>() / pairs
    }

    fn objective_chance(output: f32) -> f32 {
        OBJECTIVE.chance(output).0
    }

    #[test]
    fn a_pair_in_order_by_the_margin_costs_nothing() {
        assert_eq!(hinge([0.6, 0.5, 0.2], 0.05), (0.0, [0.0; 3]));
        let (loss, slopes) = hinge([0.5, 0.48, 0.7], 0.05);
        assert!((loss - (0.03 + 0.25)).abs() < 1e-6);
        assert_eq!(slopes, [-2.0, 1.0, 1.0]);
    }

    #[test]
    fn the_gradient_of_the_pairs_is_that_of_finite_differences() {
        const STEP: f32 = 2e-3;
        let data = read("gradient", &groups(40)).expect("good groups");
        for shape in [Shape::KP, Shape::KA2] {
            let layout = Layout::new(shape);
            let mut parameters = layout.initial(5, 1.0);
            let comparing = comparing(&data, 0);
            let drawn: Vec<(&Group, bool)> =
                data.groups.iter().enumerate().map(|(i, group)| (group, i % 2 == 1)).collect();
            let mut gradient = Gradient::new(&layout);
            comparing.add_groups(&mut gradient, &layout, &parameters, &OBJECTIVE, &drawn);
            for part in &layout.parts {
                let mut order: Vec<usize> = part.range.clone().collect();
                order.sort_by(|&a, &b| gradient.values[b].abs().total_cmp(&gradient.values[a].abs()));
                let (mut difference, mut size) = (0.0, 0.0);
                for at in order.into_iter().take(8) {
                    let before = parameters[at];
                    let mut moved = |by: f32| {
                        parameters[at] = before + by;
                        loss(&comparing, &layout, &parameters, &drawn)
                    };
                    let expected = (moved(STEP) - moved(-STEP)) / f64::from(2.0 * STEP);
                    parameters[at] = before;
                    difference += (expected - f64::from(gradient.values[at])).powi(2);
                    size += expected * expected;
                }
                let error = (difference / size).sqrt();
                assert!(size > 0.0 && error < 0.05, "{shape}: off by {error}");
            }
        }
    }

    #[test]
    fn steps_against_the_gradient_put_the_played_moves_first() {
        let data = read("steps", &groups(60)).expect("good groups");
        let layout = Layout::new(Shape::KP);
        let mut parameters = layout.initial(5, 1.0);
        let comparing = comparing(&data, 60);
        let drawn: Vec<(&Group, bool)> = data.groups.iter().map(|group| (group, false)).collect();
        let before = loss(&comparing, &layout, &parameters, &drawn);
        let mut adam = Adam::new(&layout);
        for step in 0..60 {
            let mut gradient = Gradient::new(&layout);
            comparing.add(&mut gradient, &layout, &parameters, &OBJECTIVE, (7, step, false));
            adam.step(&layout, &mut parameters, &mut gradient.values, 3e-3, 0.0);
        }
        let after = loss(&comparing, &layout, &parameters, &drawn);
        assert!(after < 0.8 * before, "{before} to {after}");
    }

    #[test]
    fn some_blocks_of_groups_are_held_out_and_measured() {
        let mut data = SiblingData::default();
        let group: Vec<Sibling> = random_records(3, GROUP)
            .iter()
            .map(|(record, pos)| Sibling { sample: TrainingSample::new(record, pos), sign: 1.0 })
            .collect();
        let group: Group = group.try_into().expect("three");
        (0..2 * BLOCK * HELD_OUT).for_each(|_| data.add(group));
        assert_eq!((data.held_out(), data.len()), (2 * BLOCK, 2 * BLOCK * HELD_OUT));
        let layout = Layout::new(Shape::KP);
        let parameters = layout.initial(5, 1.0);
        let values = group.map(|sibling| output(&layout, &parameters, &sibling.sample, false));
        let share = values[1..].iter().filter(|&&other| values[0] > other).count() as f64 / 2.0;
        assert_eq!(comparing(&data, 1).measure(&layout, &parameters), share);
    }

    #[test]
    fn files_that_hold_no_groups_are_refused_with_the_place() {
        let good = groups(4);
        assert_eq!(read("good", &good).expect("good groups").len(), 4);
        let message = |name: &str, records: &[Record]| read(name, records).expect_err("no groups");
        let advice = "; is it of data siblings?";
        assert_eq!(message("short", &good[..11]), format!("FILE: group 4: less than three records{advice}"));
        let mut other = good.clone();
        other[4].ply = 99;
        assert_eq!(message("ply", &other), format!("FILE: group 2: records of several positions{advice}"));
        let mut scored = good.clone();
        scored[0].score = 10;
        assert!(message("score", &scored).starts_with("FILE: group 1: a record with a score"));
        assert_eq!(message("empty", &[]), "no groups of siblings");
    }
}
