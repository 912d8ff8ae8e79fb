//! A run of training, one step at a time.

use super::adam::Adam;
use super::average::Average;
use super::checkpoint::{EpochReport, TrainingState};
use super::data::TrainingData;
use super::gradient::{Gradient, Item, outputs};
use super::held_out::{Classes, measure};
use super::layout::{Layout, OUTPUT, Rounded};
use super::objective::{Objective, unit};
use super::order::order_neurons;
use super::replay::{Replay, Shown};
use super::sample::TrainingSample;
use super::schedule::Schedule;
use super::teacher::{ChildrenReport, Families, Labeller, Teacher, label_all};
use crate::random::Random;
use crate::training::DataError;
use komainu::eval::nnue::{DEFAULT_FV_SCALE, EMBEDDED_SCALE, Net, NetFault, Shape, Weights, scalar};
use rayon::prelude::*;
use std::fmt;
use std::path::Path;
use thiserror::Error;

/// Settings of a training run.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingSettings {
    pub shape: Shape,
    /// By what the engine is to divide the net's output: twice as much makes the net say twice as much.
    pub fv_scale: i32,
    pub epochs: usize,
    /// Times that an epoch shows the positions of each file; 1 for the files after the last that is named.
    pub weights: Vec<f32>,
    /// Positions of a step; a quarter of that in the first epoch.
    pub batch: usize,
    /// Size of the first steps.
    pub rate: f32,
    /// Pull of weights to zero: the share that is taken off in a step at a rate of 1.
    pub decay: f32,
    /// The loss is this power of the difference of two chances.
    pub power: f32,
    /// Weight of the games' results in the target: at the start, at the end, and in the last tenth instead.
    pub result_weight: [f32; 3],
    /// Centipawns at which a side expects to win with `1 / (1 + 1/e)`; none to find it from the data.
    pub scale: Option<f32>,
    /// The net is the mean over this share of the run, at its end; 0 for the last step alone.
    pub average: f32,
    /// Shows a position every other time in a left-right mirror.
    pub mirror: bool,
    /// Spread of the first rows of the accumulator, as a share of the spread at which a sum of rows fills the range in
    /// which it counts.
    pub start_scale: f32,
    /// Seed of the order and of the first parameters.
    pub seed: u64,
}

/// The most passes over the same positions that a number of steps may ask for: by then a net has begun to learn the
/// games by heart.
pub const MAX_EPOCHS: usize = 8;

impl Default for TrainingSettings {
    fn default() -> TrainingSettings {
        TrainingSettings {
            shape: Shape::KP,
            fv_scale: DEFAULT_FV_SCALE,
            epochs: 6,
            weights: Vec::new(),
            batch: 4_096,
            rate: 1e-3,
            decay: 0.01,
            power: 2.5,
            result_weight: [0.15; 3],
            scale: Some(EMBEDDED_SCALE as f32),
            average: 0.1,
            mirror: true,
            start_scale: 0.2,
            seed: 1,
        }
    }
}

/// All that the outcome depends on, in a line.
impl fmt::Display for TrainingSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TrainingSettings { epochs, batch, rate, decay, power, result_weight: [start, end, last], .. } = self;
        write!(f, "{} epochs {epochs} batch {batch} rate {rate} decay {decay} power {power} ", self.net())?;
        write!(f, "weights {:?} results {start},{end},{last} ", self.weights)?;
        write!(f, "average {} mirror {} spread {} seed {}", self.average, self.mirror, self.start_scale, self.seed)
    }
}

/// Result of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrainingEvent {
    /// A batch, with its number of positions.
    Step(usize),
    /// The last positions of an epoch, their number; its report is the last of [`Trainer::reports`].
    Epoch(usize),
}

/// Difference between the outputs of the engine and of the trainer, in centipawns: both have the parameters of the
/// file, but the engine rounds between the layers too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    pub positions: usize,
    /// The mean difference in amount.
    pub mean: f64,
    pub most: f64,
}

/// Why a run cannot start from a net: it has this shape, the run that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the net is {0}, not {1}")]
pub struct OtherShape(pub Shape, pub Shape);

/// A run.
#[derive(Debug)]
pub struct Trainer<'a> {
    settings: TrainingSettings,
    /// The net that it has started from, if any, as a checkpoint names it.
    start: String,
    data: &'a TrainingData,
    /// The teacher, if labels are its opinions.
    teaching: Option<Teaching<'a>>,
    replay: Replay,
    /// The classes of the positions that are held out.
    classes: Vec<Classes>,
    layout: Layout,
    schedule: Schedule,
    scale: f32,
    state: TrainingState,
    gradient: Gradient,
    /// The parameters of the file that the state would give: steps are small, so those of the state are finer.
    rounded: Rounded,
    /// The order in which an epoch shows its positions, and which epoch.
    order: (usize, Vec<u32>),
}

/// The teacher of a run at work.
#[derive(Debug)]
struct Teaching<'a> {
    teacher: &'a Teacher,
    labellers: Vec<Labeller<'a>>,
    /// Children of positions that are held out.
    families: Families,
}

impl TrainingSettings {
    /// The shape and the divisor of the output, with which a description begins.
    fn net(&self) -> String {
        format!("{} / {}", self.shape, self.fv_scale)
    }

    /// Passes over `positions` positions that take at least `steps` steps, but at most `most`.
    pub fn epochs_of_steps(positions: usize, batch: usize, steps: u64, most: usize) -> usize {
        let mut schedule = Schedule { positions, epochs: 1, batch, rate: 0.0, result_weight: [0.0; 3], average: 0.0 };
        while schedule.epochs < most && schedule.steps() < steps {
            schedule.epochs += 1;
        }
        schedule.epochs
    }

    fn replay(&self, data: &TrainingData) -> Replay {
        Replay::new(data, &self.weights, self.mirror)
    }

    /// Number of positions that an epoch shows. A run takes 1 to 2^32 - 1 of them.
    pub fn positions_of_epoch(&self, data: &TrainingData) -> usize {
        self.replay(data).len()
    }
}

impl<'a> Trainer<'a> {
    /// A run at its start, with random numbers.
    ///
    /// # Panics
    ///
    /// If an epoch shows no position or too many, see [`TrainingSettings::positions_of_epoch`].
    pub fn new(settings: TrainingSettings, data: &'a TrainingData) -> Trainer<'a> {
        let layout = Layout::new(settings.shape);
        let replay = settings.replay(data);
        let positions = u32::try_from(replay.len()).expect("the caller keeps to the limit");
        assert!(positions > 0, "an epoch must show something");
        let TrainingSettings { epochs, batch, rate, result_weight, average, .. } = settings;
        let schedule = Schedule { positions: replay.len(), epochs, batch: batch.max(1), rate, result_weight, average };
        let scale = settings.scale.unwrap_or_else(|| data.fit_scale());
        let state = TrainingState {
            epoch: 0,
            done: 0,
            loss: 0.0,
            reports: Vec::new(),
            parameters: layout.initial(settings.seed, settings.start_scale),
            adam: Adam::new(&layout),
            average: Average::default(),
        };
        let order = (usize::MAX, (0..positions).collect());
        let classes = Classes::of_all(&data.held_out);
        let rounded = Rounded::new(&layout);
        let gradient = Gradient::new(&layout);
        let start = String::new();
        let teaching = None;
        Trainer {
            settings,
            start,
            data,
            teaching,
            replay,
            classes,
            schedule,
            scale,
            state,
            gradient,
            rounded,
            order,
            layout,
        }
    }

    /// Takes the opinions of a teacher as labels; it has labelled what is held out.
    pub fn learn_from(&mut self, teacher: &'a Teacher) {
        let families = Families::of(teacher, &self.data.held_out);
        self.teaching = Some(Teaching { teacher, labellers: Vec::new(), families });
    }

    /// How far the net as it would be written now is from its target on what is held out: the root of the mean squared
    /// difference of chances to win, and how it judges children beside a teacher.
    pub fn distance(&mut self) -> (f64, Option<ChildrenReport>) {
        self.layout.round(self.state.net_parameters(), &mut self.rounded);
        let objective = self.objective(self.settings.result_weight[1]);
        let held_out = measure(&self.layout, &self.rounded, &objective, self.data, &self.classes);
        (held_out.rms, self.children(&objective))
    }

    /// How the rounded net judges children beside the teacher, if there is one.
    fn children(&self, objective: &Objective) -> Option<ChildrenReport> {
        let teaching = self.teaching.as_ref()?;
        Some(teaching.families.measure(&self.layout, &self.rounded, objective))
    }

    /// Starts from a net instead of from random numbers; where the run's shape has several stacks of layers
    /// and the net one, from copies of it. Numbers beyond what training may reach are drawn in with the first step.
    pub fn start_from(&mut self, net: &Net) -> Result<(), OtherShape> {
        let shape = self.settings.shape;
        let weights = net.weights().in_shape(shape).ok_or_else(|| OtherShape(net.shape(), shape))?;
        self.state.parameters = self.layout.restore(&weights);
        self.start = format!(" start {:08x}", net.checksum());
        Ok(())
    }

    /// Starts from the parameters of a checkpoint of the same shape and divisor instead of from random numbers: those
    /// of a net have lost what is below the steps of its integers.
    pub fn start_from_checkpoint(&mut self, path: &Path) -> Result<(), DataError> {
        let net = self.settings.net();
        self.state.parameters = TrainingState::load_parameters(path, &net, self.layout.len())?;
        let bytes: Vec<u8> = self.state.parameters.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.start = format!(" start floats {:08x}", crc32fast::hash(&bytes));
        Ok(())
    }

    /// Centipawns at which a side expects to win with `1 / (1 + 1/e)`.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The epochs that are done.
    pub fn reports(&self) -> &[EpochReport] {
        &self.state.reports
    }

    /// Positions that were trained on so far, and how many there will be.
    pub fn progress(&self) -> (u64, u64) {
        let all = self.replay.len();
        ((self.state.epoch * all + self.state.done) as u64, (self.settings.epochs * all) as u64)
    }

    /// Settings and data on which the outcome depends.
    fn description(&self) -> String {
        let Trainer { settings, start, scale, data, .. } = self;
        let teacher = self.teaching.as_ref().map_or(String::new(), |teaching| format!(" {}", teaching.teacher));
        let learnt = data.training_set.len();
        let held_out = data.held_out.len();
        let checksum = data.checksum();
        format!("{settings}{start}{teacher} scale {scale} positions {learnt}+{held_out} checksum {checksum:08x}")
    }

    /// Writes down where the run stands.
    pub fn save(&self, path: &Path) -> Result<(), DataError> {
        self.state.save(path, &self.description())
    }

    /// Goes on from where a run with the same settings and data stood.
    pub fn load(&mut self, path: &Path) -> Result<(), DataError> {
        self.state = TrainingState::load(path, &self.description(), self.layout.len())?;
        Ok(())
    }

    /// Takes the next step; none is left after the last epoch.
    pub fn step(&mut self) -> Option<TrainingEvent> {
        let TrainingState { epoch, done, .. } = self.state;
        if epoch >= self.settings.epochs {
            return None;
        }
        self.shuffle(epoch);
        let end = (done + self.schedule.batch(epoch)).min(self.replay.len());
        let mut positions = Vec::with_capacity(end - done);
        for &number in &self.order.1[done..end] {
            let Shown { place, mirror } = self.replay.shown(epoch, number as usize);
            let turn = (epoch * self.replay.len() + number as usize) as u64;
            positions.push((&self.data.training_set[place], mirror, turn));
        }
        let labelled;
        let batch: Vec<Item> = if let Some(teaching) = &mut self.teaching {
            labelled = label_all(teaching.teacher, &mut teaching.labellers, &positions);
            labelled.iter().map(|sample| Item { sample, mirror: false }).collect()
        } else {
            positions.iter().map(|&(sample, mirror, _)| Item { sample, mirror }).collect()
        };
        let step = self.state.adam.steps;
        let objective = self.objective(self.schedule.result_weight(step));
        let state = &mut self.state;
        // What is to become better is the net as the engine will see it.
        self.layout.round(&state.parameters, &mut self.rounded);
        state.loss += self.gradient.add(&self.layout, &self.rounded, &objective, &batch);
        let rate = self.schedule.rate(step);
        let gradient = &mut self.gradient.values;
        state.adam.step(&self.layout, &mut state.parameters, gradient, rate, self.settings.decay);
        if self.schedule.averages(step) {
            state.average.add(&state.parameters);
        }
        state.done = end;
        if end < self.replay.len() {
            return Some(TrainingEvent::Step(end - done));
        }
        self.finish_epoch(rate, objective.result_weight);
        Some(TrainingEvent::Epoch(end - done))
    }

    /// Puts the positions into the order of an epoch.
    fn shuffle(&mut self, epoch: usize) {
        let (shuffled, order) = &mut self.order;
        if *shuffled != epoch {
            *shuffled = epoch;
            order.sort_unstable();
            Random::new(self.settings.seed, epoch as u64).shuffle(order);
        }
    }

    fn objective(&self, result_weight: f32) -> Objective {
        Objective { scale: self.scale, unit: unit(self.settings.fv_scale), power: self.settings.power, result_weight }
    }

    fn finish_epoch(&mut self, rate: f32, result_weight: f32) {
        self.layout.round(self.state.net_parameters(), &mut self.rounded);
        let objective = self.objective(self.settings.result_weight[1]);
        let held_out = measure(&self.layout, &self.rounded, &objective, self.data, &self.classes);
        let report = EpochReport {
            epoch: self.state.epoch as u32 + 1,
            steps: self.state.adam.steps,
            rate,
            result_weight,
            loss: self.state.loss / self.replay.len() as f64,
            held_out: held_out.all.loss,
            held_out_results: held_out.all.results,
            rms: held_out.rms,
            children: self.children(&objective),
            phases: held_out.phases,
            materials: held_out.materials,
        };
        self.state.reports.push(report);
        self.state.epoch += 1;
        self.state.done = 0;
        self.state.loss = 0.0;
    }

    /// The net as it would be written now, in the integers of a file: the mean of the last steps once there are any
    /// that are averaged, else the last one.
    pub fn weights(&self) -> Weights {
        self.layout.quantise(self.state.net_parameters())
    }

    /// The same net for a file: its neurons in an order that is quick to compute.
    pub fn ordered_weights(&self) -> Weights {
        let mut weights = self.weights();
        order_neurons(&mut weights, &self.data.held_out);
        weights
    }

    /// Compares what the trainer and the engine say, the latter with the integers of a file, about positions that are
    /// held out: at most `most`.
    pub fn compare(&self, most: usize) -> Result<Comparison, NetFault> {
        let net = self.layout.net(self.state.net_parameters())?;
        let mut rounded = Rounded::new(&self.layout);
        self.layout.round(self.state.net_parameters(), &mut rounded);
        let unit = unit(self.settings.fv_scale);
        let step = self.data.held_out.len().div_ceil(most.max(1)).max(1);
        let samples: Vec<TrainingSample> = self.data.held_out.iter().step_by(step).copied().collect();
        let ours = outputs(&self.layout, &rounded, &samples);
        let pairs = samples.par_iter().zip(&ours);
        let differences: Vec<f64> = pairs
            .map(|(sample, ours)| {
                let theirs = scalar::output(&net, &sample.position()) as f32 / OUTPUT;
                f64::from((ours - theirs).abs() * unit)
            })
            .collect();
        let positions = differences.len();
        let mean = differences.iter().sum::<f64>() / positions.max(1) as f64;
        Ok(Comparison { positions, mean, most: differences.into_iter().fold(0.0, f64::max) })
    }
}
