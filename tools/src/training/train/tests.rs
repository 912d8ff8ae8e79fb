//! Whole runs on small data.

use super::samples::{random_records, random_samples};
use super::*;
use crate::training::DataError;
use komainu::eval::Evaluation;
use komainu::eval::nnue::{Net, Shape, scalar};
use komainu::storage::JournalError;
use std::path::PathBuf;

/// Positions of random play with the balance of material as their score, and who is ahead as the result.
fn data(positions: usize) -> TrainingData {
    let mut training_set = random_samples(21, positions);
    let held_out = training_set.split_off(positions * 9 / 10);
    TrainingData::new(training_set, held_out, positions as u64 / 100)
}

fn settings(shape: Shape) -> TrainingSettings {
    TrainingSettings {
        shape,
        epochs: 4,
        batch: 256,
        rate: 5e-3,
        power: 2.0,
        result_weight: [0.0; 3],
        scale: Some(400.0),
        start_scale: 1.0,
        ..TrainingSettings::default()
    }
}

fn finish(trainer: &mut Trainer) -> EpochReport {
    while trainer.step().is_some() {}
    *trainer.reports().last().expect("at least one epoch")
}

#[test]
fn a_net_learns_the_balance_of_material_and_its_file_says_the_same() {
    let data = data(2_000);
    for shape in [Shape::KP, Shape::KA2] {
        let mut trainer = Trainer::new(TrainingSettings { epochs: 40, rate: 2e-3, ..settings(shape) }, &data);
        let last = finish(&mut trainer);
        // Who says the same of every position has a loss of 0.10, and of 0.15 with those held out.
        assert!(last.loss < 0.01 && last.held_out < 0.05, "{shape}: {last:?}");
        let comparison = trainer.compare(usize::MAX).expect("a net that can be written");
        // Weights of 8 bits: each output of a layer is off by some hundredths.
        assert_eq!(comparison.positions, 200);
        assert!(comparison.mean < 40.0 && comparison.most < 150.0, "{shape}: {comparison:?}");
    }
}

#[test]
fn a_run_can_start_from_a_net() {
    let data = data(900);
    for shape in [Shape::KP, Shape::KA2] {
        let mut first = Trainer::new(settings(shape), &data);
        let training_set = finish(&mut first);
        let net = Net::from_weights(&first.weights()).expect("a net");
        let mut second = Trainer::new(settings(shape), &data);
        second.start_from(&net).expect("the same shape");
        assert!(second.weights() == first.weights());
        assert!(finish(&mut second).loss < training_set.loss, "{shape}");
        let other = if shape == Shape::KP { Shape::KA2 } else { Shape::KP };
        let wrong = Trainer::new(settings(other), &data).start_from(&net);
        assert_eq!(wrong, Err(OtherShape(shape, other)));
    }
}

#[test]
fn a_run_starts_from_the_floats_of_a_checkpoint() {
    let data = data(900);
    let path = std::env::temp_dir().join(format!("komainu-start-{}", std::process::id()));
    let mut first = Trainer::new(settings(Shape::KP), &data);
    finish(&mut first);
    first.save(&path).expect("a file can be written");
    let from_net = |weights| {
        let mut next = Trainer::new(settings(Shape::KP), &data);
        next.start_from(&Net::from_weights(weights).expect("a net")).expect("the same shape");
        next.step();
        next.weights()
    };
    let mut second = Trainer::new(TrainingSettings { seed: 9, ..settings(Shape::KP) }, &data);
    second.start_from_checkpoint(&path).expect("a net of the same kind");
    assert!(second.weights() == first.weights());
    // A first step from the floats is not the one from the integers.
    let mut third = Trainer::new(settings(Shape::KP), &data);
    third.start_from_checkpoint(&path).expect("a net of the same kind");
    third.step();
    assert!(third.weights() != from_net(&first.weights()));
    let other = TrainingSettings { fv_scale: 20, ..settings(Shape::KP) };
    let refused = Trainer::new(other, &data).start_from_checkpoint(&path).expect_err("another divisor").to_string();
    assert!(refused.contains("K-P 256x2-32-32 / 16") && refused.contains("K-P 256x2-32-32 / 20"), "{refused}");
    std::fs::remove_file(&path).expect("it was there");
}

#[test]
fn a_number_of_steps_is_whole_passes_and_not_too_many() {
    // A first pass of 40 steps of a quarter of the batch, then 10 a pass.
    let epochs = |steps| TrainingSettings::epochs_of_steps(1_000, 100, steps, MAX_EPOCHS);
    assert_eq!([1, 40, 41, 50, 51, 1_000].map(epochs), [1, 1, 2, 2, 3, MAX_EPOCHS]);
}

#[test]
fn a_run_of_nine_stacks_starts_from_copies_of_one_and_they_part() {
    let data = data(900);
    let mut first = Trainer::new(settings(Shape::KA2), &data);
    finish(&mut first);
    let net = Net::from_weights(&first.weights()).expect("a net");
    let mut second = Trainer::new(settings(Shape::KA2_K3K3), &data);
    second.start_from(&net).expect("shapes that differ by their stacks alone");
    let before = second.weights();
    assert_eq!(Some(before.clone()), first.weights().in_shape(Shape::KA2_K3K3));
    finish(&mut second);
    let after = second.weights();
    // Random games from the even start have kings at home and in the middle, never all of the nine cases.
    let moved: Vec<usize> = (0..9).filter(|&stack| after.stacks[stack] != before.stacks[stack]).collect();
    assert!(moved.contains(&8) && moved.len() > 1, "{moved:?}");
    assert!(after.stacks[8] != after.stacks[moved[0]]);
    assert!(second.compare(usize::MAX).expect("a net that can be written").mean < 40.0);
}

#[test]
fn a_net_for_a_larger_divisor_says_as_much_more() {
    let data = data(2_000);
    let mean = |fv_scale| {
        let mut trainer =
            Trainer::new(TrainingSettings { fv_scale, epochs: 20, rate: 2e-3, ..settings(Shape::KP) }, &data);
        finish(&mut trainer);
        let comparison = trainer.compare(usize::MAX).expect("a net that can be written");
        assert!(comparison.mean < 40.0, "{fv_scale}: {comparison:?}");
        let net = Net::from_weights(&trainer.weights()).expect("a net");
        data.training_set.iter().map(|sample| i64::from(scalar::output(&net, &sample.position()).abs())).sum::<i64>()
    };
    let [usual, double] = [16, 32].map(mean);
    assert!((double - 2 * usual).abs() < usual / 4, "{usual} {double}");
}

#[test]
fn the_same_seed_gives_the_same_net_on_any_number_of_threads() {
    let data = data(900);
    let net = |threads, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut trainer = Trainer::new(TrainingSettings { epochs: 2, seed, ..settings(Shape::KP) }, &data);
            finish(&mut trainer);
            (trainer.weights(), trainer.reports().to_vec())
        })
    };
    assert!(net(1, 1) == net(2, 1));
    assert!(net(1, 1).0 != net(1, 2).0);
}

/// A path that no other test uses.
fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("komainu-train-{name}-{}", std::process::id()))
}

#[test]
fn a_run_that_goes_on_from_a_checkpoint_ends_like_one_that_was_never_broken() {
    let data = data(900);
    let whole = &mut Trainer::new(settings(Shape::KP), &data);
    finish(whole);
    let path = path("resume");
    // In the middle of the first epoch, at the end of an epoch, in the middle of a later one, and where the last steps
    // are averaged.
    for steps in [5, 13, 15, 24] {
        let mut first = Trainer::new(settings(Shape::KP), &data);
        for _ in 0..steps {
            assert!(first.step().is_some());
        }
        first.save(&path).expect("a file can be written");
        let mut second = Trainer::new(settings(Shape::KP), &data);
        second.load(&path).expect("a checkpoint of this run");
        assert_eq!(second.progress(), first.progress());
        finish(&mut second);
        assert!(second.weights() == whole.weights() && second.reports() == whole.reports(), "{steps} steps");
    }
    let mut other = Trainer::new(TrainingSettings { rate: 1e-4, ..settings(Shape::KP) }, &data);
    assert!(matches!(other.load(&path), Err(DataError::Journal(JournalError::OtherSettings(..)))));
    std::fs::remove_file(path).expect("it was there");
}

#[test]
fn the_net_is_the_mean_of_the_last_steps() {
    let data = data(900);
    let run = |average| {
        let mut trainer = Trainer::new(TrainingSettings { average, ..settings(Shape::KP) }, &data);
        finish(&mut trainer);
        trainer.weights()
    };
    let [last, mean] = [0.0, 0.5].map(run);
    assert!(last != mean);
    // The run itself does not depend on it: the mean of its last step alone is its end.
    assert!(run(1e-6) == last);
}

#[test]
fn files_of_other_weights_make_another_net() {
    let mut data = data(900);
    let half = data.training_set.len() / 2;
    let held_out = data.held_out.len();
    data.sources = vec![
        SampleFile { training_set: 0..half, held_out: 0..held_out / 2 },
        SampleFile { training_set: half..data.training_set.len(), held_out: held_out / 2..held_out },
    ];
    let run = |weights: &[f32]| {
        let settings = TrainingSettings { weights: weights.to_vec(), ..settings(Shape::KP) };
        let shown = settings.positions_of_epoch(&data);
        let mut trainer = Trainer::new(settings, &data);
        finish(&mut trainer);
        assert_eq!(trainer.progress(), (4 * shown as u64, 4 * shown as u64));
        (shown, trainer.weights())
    };
    let plain = run(&[]);
    let other = run(&[0.5, 2.0]);
    assert_eq!((plain.0, other.0), (810, 203 + 810));
    assert!(plain == run(&[1.0, 1.0]) && plain.1 != other.1);
}

#[test]
fn the_weight_of_the_results_counts() {
    // The side that is ahead loses: a net that follows the scores is more wrong about the results than a guess.
    let mut records = random_records(22, 1_000);
    for (record, _) in &mut records {
        record.result = -record.score.signum() as i8;
    }
    let training_set: Vec<TrainingSample> =
        records.iter().map(|(record, pos)| TrainingSample::new(record, pos)).collect();
    // The loss on the training set is asked for, not what can be learnt from a few random games.
    let data = TrainingData::new(training_set.clone(), training_set, 10);
    let [scores, results] = [[0.0; 3], [1.0; 3]].map(|result_weight| {
        finish(&mut Trainer::new(
            TrainingSettings { result_weight, epochs: 20, rate: 2e-3, ..settings(Shape::KP) },
            &data,
        ))
        .held_out_results
    });
    assert!(results < 0.15 && scores > 0.25, "{results} {scores}");
}

#[test]
fn a_net_comes_near_its_teacher_the_same_on_any_number_of_threads_and_after_a_break() {
    let teacher = Teacher { nets: vec![Evaluation::default()], scale: 400.0, vary: [0, 3], seed: 5 };
    let mut data = data(1_500);
    data.training_set.retain(|sample| !sample.position().in_check());
    data.held_out.retain(|sample| !sample.position().in_check());
    data.sources = vec![SampleFile { training_set: 0..data.training_set.len(), held_out: 0..data.held_out.len() }];
    data.label_held_out(&teacher);
    let run = |threads, broken: Option<usize>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut trainer = Trainer::new(TrainingSettings { epochs: 8, ..settings(Shape::KP) }, &data);
            trainer.learn_from(&teacher);
            if let Some(steps) = broken {
                let path = path("teacher");
                for _ in 0..steps {
                    assert!(trainer.step().is_some());
                }
                trainer.save(&path).expect("a file can be written");
                trainer = Trainer::new(TrainingSettings { epochs: 8, ..settings(Shape::KP) }, &data);
                assert!(trainer.load(&path).is_err(), "without its teacher it is another run");
                trainer.learn_from(&teacher);
                trainer.load(&path).expect("a checkpoint of this run");
                std::fs::remove_file(path).expect("it was there");
            }
            let last = finish(&mut trainer);
            let first = trainer.reports()[0];
            assert!(last.loss < 0.8 * first.loss && last.children.is_some(), "{first:?} {last:?}");
            (trainer.weights(), trainer.reports().to_vec())
        })
    };
    let whole = run(1, None);
    assert!(whole == run(2, None));
    assert!(whole == run(1, Some(7)));
}
