use super::*;
use crate::notation::record::Ending;
use crate::random::SplitMix64;
use crate::training::games::Ply;
use crate::types::Color;

const SCALE: f64 = 400.0;

/// Games of twenty rows with random cells, whose results follow from the scores and these weights, in centipawns.
fn synthetic(seed: u64, games: u64, weights: &[(u8, f64)]) -> FitData {
    let mut random = SplitMix64(seed);
    let mut data = FitData::default();
    for game in 0..games {
        for _ in 0..20 {
            let score = random.within(-600, 600) as i16;
            let mut value = f64::from(score);
            for &(i, weight) in weights {
                let count = random.within(-2, 2) as i8;
                if count != 0 {
                    data.cells.push((i, count));
                    value += weight * f64::from(count);
                }
            }
            let result = if random.unit() < 1.0 / (1.0 + (-value / SCALE).exp()) { 1 } else { -1 };
            data.rows.push(Row { end: data.cells.len(), game, score, result });
        }
        data.games += 1;
    }
    data
}

fn problem(data: &FitData) -> Problem<'_> {
    Problem { data, rows: (0..data.rows.len()).collect(), scale: SCALE, weight: 0.3, ridge: 2.0 }
}

/// Sum that a fit lowers.
fn objective(problem: &Problem, weights: &[f64]) -> f64 {
    let losses = problem.rows.iter().map(|&row| problem.data.loss(row, problem.data.logit(row, SCALE, weights)));
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    problem.weight * losses.sum::<f64>() + problem.ridge / 2.0 * squares
}

#[test]
fn gradient_and_second_derivatives_are_those_of_finite_differences() {
    const STEP: f64 = 1e-4;
    let data = synthetic(4, 30, &[(0, 50.0), (7, -80.0), (150, 20.0)]);
    let problem = problem(&data);
    let mut weights = vec![0.0; WEIGHTS];
    (weights[0], weights[7], weights[9], weights[FEATURES]) = (0.3, -0.2, 0.5, 0.1);
    let (gradient, curvature) = problem.derivatives(&weights);
    let moved = |i: usize, by: f64| {
        let mut weights = weights.clone();
        weights[i] += by;
        weights
    };
    for i in [0, 7, 9, 150, FEATURES] {
        let [above, below] = [STEP, -STEP].map(|by| objective(&problem, &moved(i, by)));
        let expected = (above - below) / (2.0 * STEP);
        assert!((gradient[i] - expected).abs() < 1e-4, "{i}: {} {expected}", gradient[i]);
        let [above, below] = [STEP, -STEP].map(|by| problem.derivatives(&moved(i, by)).0);
        for j in [0, 7, 9, 150, FEATURES] {
            let cell = curvature.cells[i.max(j) * WEIGHTS + i.min(j)];
            let expected = (above[j] - below[j]) / (2.0 * STEP);
            assert!((cell - expected).abs() < 1e-4, "{i} {j}: {cell} {expected}");
        }
    }
}

#[test]
fn the_weights_that_made_the_results_are_found_and_others_stay_near_nothing() {
    let known = [(0, 60.0), (7, -90.0), (150, 25.0), (181, 0.0)];
    let data = synthetic(1, 2_000, &known);
    let settings = FitSettings { spread: 1_000.0, held_out: 5, seed: 1 };
    let fit = data.fit(&settings).expect("there are scores");
    // The scores alone explain less than they would with the weights, so that their scale is larger.
    assert!((390.0..500.0).contains(&fit.scale), "{}", fit.scale);
    for (i, weight) in known {
        let found = fit.weights[i as usize] * SCALE / fit.scale;
        assert!((found - weight).abs() < 12.0, "{i}: {found} {weight}");
    }
    assert!(fit.weights[3] == 0.0 && fit.weights[FEATURES].abs() < 20.0, "{:?}", fit.weights);
    let HeldOut { positions, games, scores, table, error } = fit.held_out;
    assert_eq!(positions, 20 * games);
    assert!((300..500).contains(&games), "{games}");
    assert!(table + 3.0 * error < scores, "{scores} {table} {error}");
    // A strong prior leaves nothing of them, and results without a cause give nothing on games that were not seen.
    let bound = data.fit(&FitSettings { spread: 0.1, ..settings }).expect("there are scores");
    assert!(bound.weights.iter().all(|weight| weight.abs() < 1.0), "{:?}", bound.weights);
    let aimless = synthetic(2, 2_000, &known.map(|(i, _)| (i, 0.0))).fit(&settings).expect("there are scores");
    assert!(aimless.held_out.table > aimless.held_out.scores - 2.0 * aimless.held_out.error);
}

#[test]
fn the_held_out_games_are_those_of_the_seed_and_a_fit_is_the_same_on_any_number_of_threads() {
    let data = synthetic(3, 2_000, &[(5, 40.0)]);
    let settings = FitSettings { spread: 20.0, held_out: 10, seed: 1 };
    let fit = |threads: usize, seed| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| data.fit(&FitSettings { seed, ..settings })).expect("there are scores")
    };
    let [one, three, other] = [(1, 1), (3, 1), (1, 2)].map(|(threads, seed)| fit(threads, seed));
    assert_eq!(one.weights, three.weights);
    assert_eq!(one.held_out.table, three.held_out.table);
    assert_ne!(one.held_out.table, other.held_out.table);
    assert!(FitData::default().fit(&settings).is_none());
    // Three games of which none is held out, and a single one that is.
    let few =
        |seed, games| synthetic(3, games, &[(5, 40.0)]).fit(&FitSettings { held_out: 1_000_000, seed, ..settings });
    assert!(few(1, 3).is_none());
    let alone = FitSettings { held_out: 1, ..settings };
    assert!(synthetic(3, 1, &[(5, 40.0)]).fit(&alone).is_none());
}

#[test]
fn the_rows_of_a_game_are_its_quiet_positions_with_their_scores_and_results() {
    let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "2g2f"];
    let plies =
        moves.iter().zip([10, 20, 30, 40, 50]).map(|(mv, score)| Ply { mv: mv.parse().expect("a move"), score });
    let game = Game::new(&Position::startpos(), plies.collect(), 0, (Ending::Resignation, Some(Color::Black)));
    let mut data = FitData::default();
    data.add(&game.expect("legal moves"), &mut PositionFilter::new(3_000));
    let told: Vec<_> = data.rows.iter().map(|row| (row.score, row.result)).collect();
    // The exchange of bishops is left out, and what comes after it stands for the position in which it ends.
    assert_eq!(told, [(10, 1), (20, -1), (-40, 1)]);
    assert_eq!((data.positions(), data.games()), (3, 1));
    assert!(data.cells_of(0).is_empty() && !data.cells_of(2).is_empty());
}
