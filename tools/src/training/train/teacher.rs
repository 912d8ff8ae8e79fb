//! Labels by a teacher: a net learns what other nets think of positions (distillation; Hinton, Vinyals and Dean 2015).
//!
//! A label is made when its position is shown, so nothing has to be kept of it and no position need come twice: from a
//! position of a file a few random legal moves lead on, others in each pass. That makes new positions for nothing, and
//! the silly ones among them are those that a search has to judge as well. A search evaluates no position in check, so
//! the way goes back to the last one that is none.

use super::gradient::outputs;
use super::layout::{Layout, Rounded};
use super::objective::Objective;
use super::sample::TrainingSample;
use crate::training::win_rate::logistic;
use komainu::eval::Evaluation;
use komainu::eval::nnue::Nnue;
use komainu::movegen::{All, MoveList, generate_into};
use komainu::position::Position;
use komainu::random::{GOLDEN, SplitMix64, mix};
use komainu::types::Score;
use rayon::prelude::*;
use serde::Serialize;
use std::fmt;

/// Positions that a labeller takes at a time.
const CHUNK: usize = 128;
/// Positions held out whose children measure a net.
const PARENTS: usize = 2_000;

/// The nets that label positions, and how positions of files are varied.
#[derive(Clone, Debug)]
pub struct Teacher {
    /// Their chances to win are averaged; there is at least one.
    pub nets: Vec<Evaluation>,
    /// Centipawns at which a side expects to win with `1 / (1 + 1/e)`.
    pub scale: f32,
    /// The fewest and the most random moves that are played from a position.
    pub vary: [u32; 2],
    /// Seed of these moves.
    pub seed: u64,
}

/// The nets and the number of random moves: with the seed and the scale of a run equal texts mean equal labels.
impl fmt::Display for Teacher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("teacher")?;
        for net in &self.nets {
            write!(f, " {net}")?;
        }
        write!(f, " vary {}..{}", self.vary[0], self.vary[1])
    }
}

/// A teacher at work, on one thread.
#[derive(Debug)]
pub(super) struct Labeller<'a> {
    teacher: &'a Teacher,
    nets: Vec<Nnue>,
    moves: MoveList,
}

impl<'a> Labeller<'a> {
    pub(super) fn new(teacher: &'a Teacher) -> Labeller<'a> {
        let start = Position::startpos();
        let nets = teacher.nets.iter().map(|net| net.start(&start)).collect();
        Labeller { teacher, nets, moves: MoveList::new() }
    }

    /// What the teacher says of a position, in centipawns for the side to move.
    pub(super) fn score(&mut self, pos: &Position) -> i16 {
        let scale = f64::from(self.teacher.scale);
        let mut scores = Vec::with_capacity(self.nets.len());
        for net in &mut self.nets {
            net.reset(pos);
            scores.push(net.evaluate(pos).0);
        }
        if let [score] = scores[..] {
            return score as i16;
        }
        let sum: f64 = scores.iter().map(|&score| 1.0 / (1.0 + (-f64::from(score) / scale).exp())).sum();
        let chance = sum / scores.len() as f64;
        let most = f64::from(Score::MAX_NON_MATE.0);
        (scale * (chance / (1.0 - chance)).ln()).round().clamp(-most, most) as i16
    }

    fn label(&mut self, pos: &Position) -> TrainingSample {
        TrainingSample::labelled(pos, self.score(pos))
    }

    /// A position some random moves on from one of a file, with its label. `turn` draws the moves.
    pub(super) fn vary(&mut self, mut pos: Position, turn: u64) -> TrainingSample {
        let mut random = SplitMix64(mix(self.teacher.seed ^ mix(turn.wrapping_mul(GOLDEN))));
        let [least, most] = self.teacher.vary;
        let plies = least as usize + random.below((most - least) as usize + 1);
        for _ in 0..plies {
            generate_into::<All>(&pos, &mut self.moves);
            if self.moves.is_empty() {
                break;
            }
            pos.do_move(*random.pick(&self.moves));
        }
        while pos.in_check() && pos.moves_made() > 0 {
            pos.undo();
        }
        self.label(&pos)
    }

    /// The positions after the moves of one, with their labels; those in check are left out.
    fn children(&mut self, pos: &mut Position) -> Vec<TrainingSample> {
        let mut moves = MoveList::new();
        generate_into::<All>(pos, &mut moves);
        let mut children = Vec::with_capacity(moves.len());
        for mv in &moves {
            pos.do_move(mv);
            if !pos.in_check() {
                children.push(self.label(pos));
            }
            pos.undo();
        }
        children
    }
}

/// Labels positions of files, each after some random moves: `(position, whether in a mirror, what draws the moves)`.
/// Each chunk of them has a labeller of its own, of which more are made when they are needed.
pub(super) fn label_all<'a>(
    teacher: &'a Teacher,
    labellers: &mut Vec<Labeller<'a>>,
    positions: &[(&TrainingSample, bool, u64)],
) -> Vec<TrainingSample> {
    while labellers.len() < positions.len().div_ceil(CHUNK) {
        labellers.push(Labeller::new(teacher));
    }
    let chunks = positions.par_chunks(CHUNK).zip(labellers).map(|(chunk, labeller)| {
        let mut labelled = Vec::with_capacity(chunk.len());
        for &(sample, mirror, turn) in chunk {
            labelled.push(labeller.vary(sample.position_in(mirror), turn));
        }
        labelled
    });
    chunks.collect::<Vec<_>>().concat()
}

/// The children of some positions that are held out.
#[derive(Clone, Debug, Default)]
pub(super) struct Families {
    /// Those of one position after those of the other.
    children: Vec<TrainingSample>,
    /// The number of each position's.
    counts: Vec<usize>,
}

/// How a net judges the children of a position, which is what a search compares, beside its teacher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ChildrenReport {
    pub children: u64,
    /// Error of a child's chance to win, as a share of the teacher's spread, both without their means over the children
    /// of a position.
    pub error: f64,
    /// The share of positions of which both choose the same child.
    pub same_best: f64,
    /// Chance to win that is lost in the mean, as the teacher sees it, by the net's choice.
    pub regret: f64,
}

impl Families {
    /// The children of positions out of a list, from all over it.
    pub(super) fn of(teacher: &Teacher, held_out: &[TrainingSample]) -> Families {
        let step = held_out.len().div_ceil(PARENTS).max(1);
        let parents: Vec<&TrainingSample> = held_out.iter().step_by(step).collect();
        let chunks = parents.par_chunks(CHUNK).map(|chunk| {
            let mut labeller = Labeller::new(teacher);
            chunk.iter().map(|parent| labeller.children(&mut parent.position())).collect::<Vec<_>>()
        });
        let mut families = Families::default();
        for children in chunks.collect::<Vec<_>>().concat() {
            if children.len() > 1 {
                families.counts.push(children.len());
                families.children.extend(children);
            }
        }
        families
    }

    /// Measures a net. The order of the sums does not depend on the number of threads.
    pub(super) fn measure(&self, layout: &Layout, net: &Rounded, objective: &Objective) -> ChildrenReport {
        let outputs = outputs(layout, net, &self.children);
        let mut chances = Vec::with_capacity(outputs.len());
        for (child, output) in self.children.iter().zip(outputs) {
            let teacher = logistic(child.score() / objective.scale);
            chances.push([teacher, objective.chance(output).0].map(f64::from));
        }
        let mut report = ChildrenReport::default();
        let mut spread = 0.0;
        let mut rest = &chances[..];
        for &count in &self.counts {
            let (children, after) = rest.split_at(count);
            rest = after;
            let count = children.len() as f64;
            let mean_of_teacher = children.iter().map(|child| child[0]).sum::<f64>() / count;
            let mean_of_net = children.iter().map(|child| child[1]).sum::<f64>() / count;
            // The children are the other side's to move: the best of them has the least chance.
            let mut best = children[0];
            let mut choice = children[0];
            for child in children {
                let [teacher, net] = [child[0] - mean_of_teacher, child[1] - mean_of_net];
                spread += teacher * teacher;
                report.error += (net - teacher) * (net - teacher);
                if child[0] < best[0] {
                    best = *child;
                }
                if child[1] < choice[1] {
                    choice = *child;
                }
            }
            report.children += children.len() as u64;
            report.same_best += f64::from(u8::from(best[0] == choice[0]));
            report.regret += choice[0] - best[0];
        }
        let count = self.counts.len().max(1) as f64;
        report.error = (report.error / spread.max(f64::MIN_POSITIVE)).sqrt();
        report.same_best /= count;
        report.regret /= count;
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::objective::unit;
    use crate::training::train::samples::{random_records, random_samples};
    use komainu::eval::StaticEvaluation;
    use komainu::eval::nnue::Shape;

    /// A teacher of these nets.
    fn teacher(nets: Vec<Evaluation>, vary: [u32; 2]) -> Teacher {
        Teacher { nets, scale: 400.0, vary, seed: 3 }
    }

    /// A net of random numbers.
    fn random_net(seed: u64) -> Evaluation {
        let layout = Layout::new(Shape::KP);
        Evaluation { net: layout.net(&layout.initial(seed, 1.0)).expect("a net"), fv_scale: 24 }
    }

    fn scores(teacher: &Teacher, positions: &[Position]) -> Vec<i16> {
        let mut labeller = Labeller::new(teacher);
        positions.iter().map(|pos| labeller.score(pos)).collect()
    }

    #[test]
    fn labels_are_what_eval_prints_and_two_teachers_are_a_mean_of_chances() {
        let positions: Vec<Position> = random_records(31, 300).into_iter().map(|(_, pos)| pos).collect();
        let [built_in, other] = [Evaluation::default(), random_net(9)];
        for net in [&built_in, &other] {
            let alone = scores(&teacher(vec![net.clone()], [0, 0]), &positions);
            let twice = scores(&teacher(vec![net.clone(), net.clone()], [0, 0]), &positions);
            for ((pos, alone), twice) in positions.iter().zip(alone).zip(twice) {
                assert_eq!(i32::from(alone), StaticEvaluation::of(net, pos).score.0);
                assert!(alone == twice || alone.abs() > 4_000, "{alone} {twice}");
            }
        }
        let [ours, theirs] = [&built_in, &other].map(|net| scores(&teacher(vec![net.clone()], [0, 0]), &positions));
        let both = scores(&teacher(vec![built_in, other], [0, 0]), &positions);
        for ((a, b), both) in ours.iter().zip(&theirs).zip(&both) {
            assert!(both >= a.min(b) && both <= a.max(b), "{a} {b} {both}");
            let mean = [*a, *b].map(|score| logistic(f32::from(score) / 400.0)).iter().sum::<f32>() / 2.0;
            assert!((logistic(f32::from(*both) / 400.0) - mean).abs() < 1e-3, "{a} {b} {both}");
        }
    }

    #[test]
    fn random_moves_lead_to_other_positions_none_of_them_in_check() {
        let files = random_samples(32, 200);
        let quiet: Vec<&TrainingSample> = files.iter().filter(|sample| !sample.position().in_check()).collect();
        let label = |vary, turn: u64| {
            let teacher = teacher(vec![Evaluation::default()], vary);
            let positions: Vec<_> = quiet.iter().zip(turn..).map(|(&sample, turn)| (sample, false, turn)).collect();
            label_all(&teacher, &mut Vec::new(), &positions)
        };
        let key = |sample: &TrainingSample| sample.position().key();
        for (file, sample) in quiet.iter().zip(label([0, 0], 1)) {
            assert_eq!(key(&sample), key(file));
        }
        let first = label([1, 4], 1);
        assert!(first.iter().all(|sample| !sample.position().in_check()));
        assert!(first == label([1, 4], 1));
        let second = label([1, 4], 1_000);
        let other = first.iter().zip(&second).filter(|(a, b)| key(a) != key(b)).count();
        assert!(other > quiet.len() * 9 / 10, "{other} of {}", quiet.len());
    }

    #[test]
    fn a_net_beside_itself_has_next_to_no_error_and_a_random_one_has() {
        let teacher = teacher(vec![Evaluation::default()], [0, 2]);
        let Evaluation { net, fv_scale } = Evaluation::default();
        let layout = Layout::new(net.shape());
        let objective = Objective { scale: 400.0, unit: unit(fv_scale), power: 2.0, result_weight: 0.0 };
        let mut held_out = random_samples(33, 60);
        held_out.retain(|sample| !sample.position().in_check());
        let families = Families::of(&teacher, &held_out);
        let measure = |parameters: &[f32]| {
            let mut net = Rounded::new(&layout);
            layout.round(parameters, &mut net);
            families.measure(&layout, &net, &objective)
        };
        let itself = measure(&layout.restore(&net.weights()));
        assert!(itself.children > 1_000 && itself.error < 0.1 && itself.same_best > 0.8, "{itself:?}");
        assert!(itself.regret < 0.002, "{itself:?}");
        let random = measure(&layout.initial(4, 1.0));
        assert!(random.error > 0.8 && random.same_best < 0.5 && random.regret > 0.02, "{random:?}");
    }
}
