//! Loss of a net on the positions that are held out: over all of them, and by phase and material.

use super::data::TrainingData;
use super::gradient::outputs;
use super::layout::{Layout, Rounded};
use super::objective::Objective;
use super::sample::TrainingSample;
use crate::training::tally::{HAND_BOUNDS, class, pieces_in_hand};
use komainu::position::Position;
use komainu::types::{Color, PieceType};
use rayon::prelude::*;
use serde::Serialize;

/// Classes of phases: as many pieces in hand as in the tables of `komainu data info`.
pub const PHASES: usize = HAND_BOUNDS.len();
/// Lower bounds of the classes of material: how much one side has more than the other, in centipawns.
const MATERIAL_BOUNDS: [i32; 4] = [0, 200, 600, 1_500];
pub const MATERIALS: usize = MATERIAL_BOUNDS.len();

/// Loss of a net on a class of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ClassLoss {
    /// Pieces in hand with which the class begins, or centipawns of material that one side has more.
    pub from: i32,
    pub positions: u64,
    /// Mean loss against the target.
    pub loss: f64,
    /// Mean loss against the results alone.
    pub results: f64,
}

/// Loss of a net on the positions that are held out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct HeldOut {
    pub all: ClassLoss,
    /// Root of the mean squared difference between the chance to win and the target.
    pub rms: f64,
    /// By the pieces in hand, those of both sides together.
    pub phases: [ClassLoss; PHASES],
    /// By the difference of material.
    pub materials: [ClassLoss; MATERIALS],
}

/// The classes of a position: of its phase, of its material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Classes {
    phase: u8,
    material: u8,
}

impl Classes {
    fn of(pos: &Position) -> Classes {
        let phase = class(pieces_in_hand(pos), &HAND_BOUNDS).min(PHASES - 1);
        let material = class(material(pos).abs(), &MATERIAL_BOUNDS[1..]);
        Classes { phase: phase as u8, material: material as u8 }
    }

    /// Classes of all positions of a list.
    pub(super) fn of_all(samples: &[TrainingSample]) -> Vec<Classes> {
        samples.par_iter().map(|sample| Classes::of(&sample.position())).collect()
    }
}

/// Material that black has more than white, in centipawns, pieces in hand included.
fn material(pos: &Position) -> i32 {
    let mut balance = 0;
    for color in Color::ALL {
        let mut value = 0;
        for (piece_type, count) in pos.hand(color).iter() {
            value += piece_type.value() * i32::from(count);
        }
        for piece_type in PieceType::ALL {
            value += piece_type.value() * pos.pieces_of(color, piece_type).count() as i32;
        }
        balance += if color == Color::Black { value } else { -value };
    }
    balance
}

impl ClassLoss {
    fn add(&mut self, [loss, results]: [f64; 2]) {
        self.positions += 1;
        self.loss += loss;
        self.results += results;
    }

    /// A mean out of sums.
    fn mean(self, from: i32) -> ClassLoss {
        let count = self.positions.max(1) as f64;
        ClassLoss { from, loss: self.loss / count, results: self.results / count, ..self }
    }
}

/// Measures a net. The order of the sums does not depend on the number of threads.
pub(super) fn measure(
    layout: &Layout,
    net: &Rounded,
    objective: &Objective,
    data: &TrainingData,
    classes: &[Classes],
) -> HeldOut {
    let results_alone = Objective { result_weight: 1.0, ..*objective };
    let outputs = outputs(layout, net, &data.held_out);
    let mut sums = HeldOut::default();
    for ((sample, output), classes) in data.held_out.iter().zip(outputs).zip(classes) {
        let target = objective.target(sample);
        let loss = objective.loss(output, target).0;
        let results = results_alone.loss(output, results_alone.target(sample)).0;
        let losses = [loss, results].map(f64::from);
        sums.rms += f64::from(objective.chance(output).0 - target).powi(2);
        sums.all.add(losses);
        sums.phases[usize::from(classes.phase)].add(losses);
        sums.materials[usize::from(classes.material)].add(losses);
    }
    HeldOut {
        all: sums.all.mean(0),
        rms: (sums.rms / sums.all.positions.max(1) as f64).sqrt(),
        phases: std::array::from_fn(|class| {
            sums.phases[class].mean(if class == 0 { 0 } else { HAND_BOUNDS[class - 1] })
        }),
        materials: std::array::from_fn(|class| sums.materials[class].mean(MATERIAL_BOUNDS[class])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::train::samples::random_samples;
    use komainu::eval::nnue::Shape;

    #[test]
    fn positions_fall_into_classes_by_hands_and_material() {
        let classes = |sfen: &str| {
            let Classes { phase, material } = Classes::of(&Position::from_sfen(sfen).expect("a SFEN"));
            (phase, material)
        };
        assert_eq!(classes("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"), (0, 0));
        // A pawn in each hand; a rook and a bishop less.
        assert_eq!(classes("4k4/9/9/9/9/9/9/9/4K4 b Pp 1"), (1, 0));
        assert_eq!(classes("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"), (0, 3));
        assert_eq!(classes("4k4/9/9/9/9/9/9/9/4K4 w p 1"), (0, 0));
        assert_eq!(classes("4k4/9/9/9/9/9/9/9/4K4 w s4p 1"), (2, 2));
        assert_eq!(classes("4k4/9/9/9/9/9/9/9/4K4 w 18P 1"), (4, 3));
    }

    #[test]
    fn the_means_of_the_classes_make_the_mean_of_all() {
        let samples = random_samples(9, 700);
        let data = TrainingData::new(samples.clone(), samples, 7);
        let layout = Layout::new(Shape::KP);
        let parameters = layout.initial(2, 1.0);
        let objective = Objective { scale: 400.0, unit: 700.0, power: 2.0, result_weight: 0.3 };
        let classes = Classes::of_all(&data.held_out);
        let mut net = Rounded::new(&layout);
        layout.round(&parameters, &mut net);
        let found = measure(&layout, &net, &objective, &data, &classes);
        for parts in [&found.phases[..], &found.materials[..]] {
            assert_eq!(parts.iter().map(|part| part.positions).sum::<u64>(), 700);
            let loss = parts.iter().map(|part| part.loss * part.positions as f64).sum::<f64>() / 700.0;
            let results = parts.iter().map(|part| part.results * part.positions as f64).sum::<f64>() / 700.0;
            assert!((loss - found.all.loss).abs() < 1e-9 && (results - found.all.results).abs() < 1e-9);
            assert!(parts.windows(2).all(|pair| pair[0].from < pair[1].from));
        }
        assert!(found.materials.iter().filter(|part| part.positions > 0).count() > 1);
    }
}
