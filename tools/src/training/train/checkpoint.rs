//! Where a run stands, as a file from which it goes on exactly.
//!
//! | field | bytes |
//! |---|---|
//! | `KOMAITRN`, version 3 | 8 + 4 |
//! | length of a text, the text: what is run on what data | 4 + n |
//! | epoch, positions of it that are done, sum of their losses | 8 + 8 + 8 |
//! | number of reports; each with its classes of positions held out | 4 + (85 + 28 * 9) each |
//! | steps of the optimiser | 8 |
//! | number of parameters; parameters, first moments, second moments | 8 + 3 * 4 n |
//! | how many steps are averaged; their mean, if there are any | 8 + 4 n or 8 |
//! | CRC-32 of all that | 4 |
//!
//! The order of the positions and the mirrors follow from the seed and the epoch, so there is no random state to keep.
//! A file is written beside its place and then moved there: an interrupt leaves the old one or the new one.

use super::adam::Adam;
use super::average::Average;
use super::held_out::{ClassLoss, MATERIALS, PHASES};
use super::teacher::ChildrenReport;
use crate::training::DataError;
use komainu::eval::nnue::Shape;
use komainu::host::{open_file, read_file};
use komainu::storage::{JournalError, write_whole};
use serde::Serialize;
use std::io::{self, Read};
use std::path::Path;

const MAGIC: &[u8; 8] = b"KOMAITRN";
const VERSION: u32 = 3;

/// Reports that a file begins as a checkpoint does.
pub fn is_checkpoint(path: &Path) -> io::Result<bool> {
    let mut begin = [0; MAGIC.len()];
    match open_file(path)?.read_exact(&mut begin) {
        Ok(()) => Ok(begin == *MAGIC),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The kind of net of a checkpoint's run and by what its output is divided; `None` if the file does not say it.
pub fn net_of_checkpoint(path: &Path) -> Option<(Shape, i32)> {
    let mut file = open_file(path).ok()?;
    let mut head = [0; MAGIC.len() + 8];
    file.read_exact(&mut head).ok()?;
    let (_, length) = head.split_last_chunk()?;
    let mut text = String::new();
    file.take(u32::from_le_bytes(*length).into()).read_to_string(&mut text).ok()?;
    Shape::TRAINED.into_iter().find_map(|shape| {
        let rest = text.strip_prefix(&format!("{shape} / "))?;
        Some((shape, rest.split(' ').next()?.parse().ok()?))
    })
}

/// Losses and time of an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EpochReport {
    /// Number of the epoch, from 1.
    pub epoch: u32,
    /// Steps of the run so far.
    pub steps: u64,
    /// The size of the last step.
    pub rate: f32,
    /// The weight of the games' results in its last step.
    pub result_weight: f32,
    /// Mean loss of the positions learnt from, each as it was when its turn came.
    pub loss: f64,
    /// Mean loss of those held out, after the epoch, of the net that would be written then; the weight of the results
    /// is that of the schedule's end for all epochs and files.
    pub held_out: f64,
    /// Mean loss of those held out against the results alone.
    pub held_out_results: f64,
    /// Root of the mean squared difference between the chance to win and the target, over those held out.
    pub rms: f64,
    /// The children of some of those held out, beside the teacher's opinion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub children: Option<ChildrenReport>,
    /// Losses by the pieces in hand, those of both sides together.
    pub phases: [ClassLoss; PHASES],
    /// Losses by the material that one side has more than the other.
    pub materials: [ClassLoss; MATERIALS],
}

/// Where a run stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TrainingState {
    pub epoch: usize,
    /// Positions of the next one that are done.
    pub done: usize,
    /// The sum of their losses.
    pub loss: f64,
    /// The epochs that are done.
    pub reports: Vec<EpochReport>,
    /// The parameters of the net.
    pub parameters: Vec<f32>,
    pub adam: Adam,
    /// The mean of the parameters at the end of the run.
    pub average: Average,
}

impl TrainingState {
    /// The parameters of the net that would be written now.
    pub(super) fn net_parameters(&self) -> &[f32] {
        self.average.or(&self.parameters)
    }

    /// Writes the state. `description` tells the run.
    pub(super) fn save(&self, path: &Path, description: &str) -> Result<(), DataError> {
        write_whole(path, self.encode(description)).map_err(DataError::in_file(path))
    }

    /// Reads the state of the run that is described, with this number of parameters.
    pub(super) fn load(path: &Path, description: &str, parameters: usize) -> Result<TrainingState, DataError> {
        TrainingState::read(path, |theirs| theirs == description, description, parameters)
    }

    /// Reads the parameters of the net that a run of this shape and this divisor of its output would have written,
    /// whatever it was trained on, as they were before they were rounded for a file.
    pub(super) fn load_parameters(path: &Path, net: &str, parameters: usize) -> Result<Vec<f32>, DataError> {
        let state = TrainingState::read(path, |theirs| theirs.starts_with(&format!("{net} ")), net, parameters)?;
        Ok(if state.average.count > 0 { state.average.mean } else { state.parameters })
    }

    /// Reads the state of a run whose description passes.
    fn read(
        path: &Path,
        is_ours: impl Fn(&str) -> bool,
        description: &str,
        parameters: usize,
    ) -> Result<TrainingState, DataError> {
        let refused = |why: String| DataError::Refused(komainu::host::in_file(path, why));
        let wrong_length = || refused("not as long as it should be".to_string());
        let bytes = read_file(path).map_err(DataError::in_file(path))?;
        if !bytes.starts_with(&[&MAGIC[..], &VERSION.to_le_bytes()].concat()) {
            return Err(refused("no checkpoint of this version".to_string()));
        }
        let (body, checksum) = bytes.split_last_chunk().ok_or_else(wrong_length)?;
        let found = crc32fast::hash(body);
        let expected = u32::from_le_bytes(*checksum);
        if found != expected {
            return Err(refused(format!("damaged, its checksum is {found:#010x}, not {expected:#010x}")));
        }
        let mut fields = Fields(&body[12..]);
        let theirs = fields.text().ok_or_else(wrong_length)?;
        if !is_ours(&theirs) {
            return Err(JournalError::OtherSettings(path.to_path_buf(), theirs, description.to_string()).into());
        }
        fields.state(parameters).ok_or_else(wrong_length)
    }

    fn encode(&self, description: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(12 * self.parameters.len() + 4_096);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((description.len() as u32).to_le_bytes());
        bytes.extend(description.as_bytes());
        bytes.extend((self.epoch as u64).to_le_bytes());
        bytes.extend((self.done as u64).to_le_bytes());
        bytes.extend(self.loss.to_le_bytes());
        bytes.extend((self.reports.len() as u32).to_le_bytes());
        for report in &self.reports {
            bytes.extend(report.epoch.to_le_bytes());
            bytes.extend(report.steps.to_le_bytes());
            bytes.extend(report.rate.to_le_bytes());
            bytes.extend(report.result_weight.to_le_bytes());
            let losses = [report.loss, report.held_out, report.held_out_results, report.rms];
            bytes.extend(losses.iter().flat_map(|loss| loss.to_le_bytes()));
            bytes.push(u8::from(report.children.is_some()));
            let children = report.children.unwrap_or_default();
            bytes.extend(children.children.to_le_bytes());
            bytes.extend(children.error.to_le_bytes());
            bytes.extend(children.same_best.to_le_bytes());
            bytes.extend(children.regret.to_le_bytes());
            for class in report.phases.iter().chain(&report.materials) {
                bytes.extend(class.from.to_le_bytes());
                bytes.extend(class.positions.to_le_bytes());
                bytes.extend(class.loss.to_le_bytes());
                bytes.extend(class.results.to_le_bytes());
            }
        }
        bytes.extend(self.adam.steps.to_le_bytes());
        bytes.extend((self.parameters.len() as u64).to_le_bytes());
        for parameters in [&self.parameters, &self.adam.first, &self.adam.second] {
            bytes.extend(parameters.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes.extend(self.average.count.to_le_bytes());
        bytes.extend(self.average.mean.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }
}

/// Rest of a checkpoint that is still to be read.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn f32(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    fn list(&mut self, length: usize) -> Option<Vec<f32>> {
        let (bytes, rest) = self.0.split_at_checked(4 * length)?;
        self.0 = rest;
        Some(bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }

    fn report(&mut self) -> Option<EpochReport> {
        Some(EpochReport {
            epoch: self.u32()?,
            steps: self.u64()?,
            rate: self.f32()?,
            result_weight: self.f32()?,
            loss: self.f64()?,
            held_out: self.f64()?,
            held_out_results: self.f64()?,
            rms: self.f64()?,
            children: self.children()?,
            phases: self.classes()?,
            materials: self.classes()?,
        })
    }

    fn children(&mut self) -> Option<Option<ChildrenReport>> {
        let [is_there] = self.take()?;
        let report =
            ChildrenReport { children: self.u64()?, error: self.f64()?, same_best: self.f64()?, regret: self.f64()? };
        Some(if is_there == 0 { None } else { Some(report) })
    }

    fn classes<const N: usize>(&mut self) -> Option<[ClassLoss; N]> {
        let mut classes = [ClassLoss::default(); N];
        for class in &mut classes {
            *class = ClassLoss {
                from: self.take().map(i32::from_le_bytes)?,
                positions: self.u64()?,
                loss: self.f64()?,
                results: self.f64()?,
            };
        }
        Some(classes)
    }

    fn state(&mut self, length: usize) -> Option<TrainingState> {
        let epoch = self.u64()? as usize;
        let done = self.u64()? as usize;
        let loss = self.f64()?;
        let count = self.u32()?;
        let reports = (0..count).map(|_| self.report()).collect::<Option<_>>()?;
        let steps = self.u64()?;
        if self.u64()? != length as u64 {
            return None;
        }
        let parameters = self.list(length)?;
        let adam = Adam { first: self.list(length)?, second: self.list(length)?, steps };
        let count = self.u64()?;
        let average = Average { mean: self.list(if count > 0 { length } else { 0 })?, count };
        let state = TrainingState { epoch, done, loss, reports, parameters, adam, average };
        if self.0.is_empty() { Some(state) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn state() -> TrainingState {
        let report = EpochReport {
            epoch: 1,
            steps: 7,
            rate: 0.25,
            result_weight: 0.5,
            loss: 0.1,
            held_out: 0.2,
            held_out_results: 0.3,
            rms: 0.4,
            children: Some(ChildrenReport { children: 70, error: 0.5, same_best: 0.75, regret: 0.01 }),
            phases: [ClassLoss { from: 2, positions: 9, loss: 0.25, results: 0.5 }; PHASES],
            materials: [ClassLoss { from: 600, positions: 8, loss: 0.75, results: 0.125 }; MATERIALS],
        };
        let adam = Adam { first: vec![0.1, f32::MIN_POSITIVE, -3.0], second: vec![1e-30, 0.0, 2.0], steps: 9 };
        TrainingState {
            epoch: 1,
            done: 40,
            loss: 1.0 / 3.0,
            reports: vec![report],
            parameters: vec![1.5, -0.0, 1e-9],
            adam,
            average: Average { mean: vec![1.25, 0.5, 2e-9], count: 3 },
        }
    }

    #[test]
    fn a_state_comes_back_as_it_was_and_damage_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state");
        state().save(&path, "a run").expect("a file can be written");
        assert_eq!(TrainingState::load(&path, "a run", 3).expect("a good file"), state());
        let early = TrainingState { average: Average::default(), ..state() };
        early.save(&path, "a run").expect("a file can be written");
        assert_eq!(TrainingState::load(&path, "a run", 3).expect("a good file"), early);
        state().save(&path, "a run").expect("a file can be written");
        let message = |description, parameters| {
            let error = TrainingState::load(&path, description, parameters).expect_err("a bad file").to_string();
            error.replace(&path.display().to_string(), "FILE")
        };
        assert_eq!(message("b run", 3), "FILE: made with \"a run\", not with \"b run\"");
        assert_eq!(message("a run", 4), "FILE: not as long as it should be");
        // The parameters alone, those of the mean where there is one.
        let parameters = |net| TrainingState::load_parameters(&path, net, 3);
        assert_eq!(parameters("a").expect("a net of this kind"), state().average.mean);
        assert!(matches!(parameters("a r"), Err(DataError::Journal(JournalError::OtherSettings(..)))));
        assert!(is_checkpoint(&path).expect("it can be read"));
        assert_eq!(net_of_checkpoint(&path), None);
        let good = fs::read(&path).expect("it is there");
        for at in 12..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 4;
            fs::write(&path, &bad).expect("a file can be written");
            assert!(message("a run", 3).starts_with("FILE: damaged, its checksum is 0x"), "byte {at}");
        }
        for end in 0..good.len() {
            fs::write(&path, &good[..end]).expect("a file can be written");
            assert!(TrainingState::load(&path, "a run", 3).is_err(), "{end} bytes");
        }
        fs::write(&path, b"KOMAITRX....").expect("a file can be written");
        assert_eq!(message("a run", 3), "FILE: no checkpoint of this version");
        assert!(!is_checkpoint(&path).expect("it can be read"));
    }
}
