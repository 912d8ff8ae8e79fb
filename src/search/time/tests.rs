mod simulated_games;

use super::*;

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn clock(time: u64, increment: u64, byoyomi: u64) -> Clock {
    Clock { time: ms(time), increment: ms(increment), byoyomi: ms(byoyomi), moves_to_go: None }
}

fn budget_with(clock: Clock, timing: Timing) -> Budget {
    Budget::of_clock(&clock, &timing, 1.0)
}

fn budget(time: u64, increment: u64, byoyomi: u64) -> Budget {
    budget_with(clock(time, increment, byoyomi), Timing::default())
}

fn with_options(clock: Clock, options: TimeOptions) -> Budget {
    budget_with(clock, Timing { options, overhead: OverheadEstimator::default() })
}

/// A estimator that saw this many moves of half a second, each with this lag.
fn estimator_with_lag(moves: u32, lag: u64) -> OverheadEstimator {
    let mut estimator = OverheadEstimator::default();
    let mut left = 1_000_000;
    for number in 0..=moves {
        estimator.clock_arrived(&clock(left, 100, 0), number * 2);
        estimator.answered(ms(503), Duration::ZERO);
        left = left + 100 - 503 - lag;
    }
    estimator
}

/// Clocks of every kind, with the time after which each is lost.
fn grid() -> Vec<(Clock, Duration)> {
    let mut grid = Vec::new();
    for time in [0, 1, 5, 50, 300, 1_000, 1_051, 10_000, 600_000, 978_307_200_000, u64::MAX] {
        for increment in [0, 1, 10, 100, 2_000, 60_000, u64::MAX] {
            for byoyomi in [0, 1, 50, 100, 1_000, 30_000, u64::MAX] {
                let on_top = if time < increment { increment } else { 0 };
                grid.push((clock(time, increment, byoyomi), ms(time) + ms(on_top) + ms(byoyomi)));
            }
        }
    }
    grid
}

#[test]
fn a_move_never_takes_more_than_the_clock_allows() {
    let delays = [0, 120, 1_120, 10_000].map(ms);
    let mut loud = estimator_with_lag(3, 250);
    loud.answered(ms(900), ms(400));
    for (clock, available) in grid() {
        for (option, overhead) in (0..32).flat_map(|option| [(option, OverheadEstimator::default()), (option, loud)]) {
            let options = TimeOptions {
                network_delay: delays[option % 4],
                network_delay2: delays[option / 4 % 4],
                minimum_thinking_time: delays[(option + 1) % 4],
                round_up_to_full_second: option >= 16,
                slow_mover: [0, 1, 100, 1_000, u32::MAX][option % 5],
            };
            for moves_to_go in [None, Some(0), Some(1), Some(u32::MAX)] {
                let clock = Clock { moves_to_go, ..clock };
                let Budget { soft, maximum } = budget_with(clock, Timing { options, overhead });
                let held_back = overhead.reserve(available).max(options.network_delay).max(options.network_delay2);
                assert!(soft <= maximum, "{clock:?} {options:?}");
                assert!(maximum <= available - held_back.min(available / 2), "{clock:?} {options:?} {maximum:?}");
            }
        }
    }
}

#[test]
fn what_comes_again_is_spent() {
    let Budget { soft, maximum } = budget(0, 0, 1_000);
    assert!(soft >= ms(850) && maximum <= ms(900));
    assert_eq!(budget(0, 0, 100).soft, ms(90));
    assert!((ms(138)..ms(142)).contains(&budget(0, 0, 150).soft));
    assert!((ms(410)..ms(420)).contains(&budget(0, 0, 500).soft));
    assert!(budget(400, 0, 1_000).soft > ms(1_200), "the rest of the main time goes with the first byoyomi");
    let Budget { soft, maximum } = budget(0, 2_000, 0);
    assert!(soft >= ms(500) && maximum <= ms(1_880));
    assert_eq!(budget(0, 0, 0).maximum, Duration::ZERO);
    assert!(budget(300, 0, 0).maximum < ms(240));
}

#[test]
fn a_long_delay_does_not_eat_a_short_byoyomi() {
    let options = TimeOptions { network_delay: ms(120), network_delay2: ms(1_120), ..TimeOptions::default() };
    assert_eq!(with_options(clock(0, 0, 1_000), options).soft, ms(500));
    assert_eq!(with_options(clock(0, 0, 10_000), options).soft, ms(8_880));
    let fixed = TimeOptions { network_delay: ms(300), ..TimeOptions::default() };
    assert_eq!(with_options(clock(0, 0, 10_000), fixed).soft, ms(9_700));
}

#[test]
fn the_options_change_the_share() {
    let sudden = clock(60_000, 0, 0);
    let plain = with_options(sudden, TimeOptions::default());
    let slow = with_options(sudden, TimeOptions { slow_mover: 200, ..TimeOptions::default() });
    assert!(slow.soft == plain.soft * 2 && slow.maximum > plain.maximum);
    let fast = with_options(sudden, TimeOptions { slow_mover: 50, ..TimeOptions::default() });
    assert_eq!(fast.soft, plain.soft / 2);

    let least = TimeOptions { minimum_thinking_time: ms(2_000), ..TimeOptions::default() };
    assert_eq!(with_options(sudden, least).soft, ms(2_000));
    assert!(with_options(clock(1_000, 0, 0), least).soft < ms(100), "the clock does not allow it");

    let rounded = TimeOptions { round_up_to_full_second: true, ..TimeOptions::default() };
    assert!((ms(880)..ms(1_000)).contains(&plain.soft), "its answer arrives after the end of the first second");
    assert_eq!(with_options(sudden, rounded).soft, ms(1_880));
    assert_eq!((with_options(sudden, rounded).maximum + ms(120)).subsec_nanos(), 0);
    assert_eq!(with_options(clock(30_000, 0, 0), rounded).soft, ms(880));
    let short = clock(900, 0, 0);
    assert_eq!(with_options(short, rounded), with_options(short, TimeOptions::default()));
}

#[test]
fn few_moves_to_go_get_more_time_each() {
    let to_go = |moves| budget_with(Clock { moves_to_go: Some(moves), ..clock(60_000, 0, 0) }, Timing::default());
    assert!(to_go(5).soft > budget(60_000, 0, 0).soft * 5);
    assert!(to_go(1).maximum > ms(50_000) && to_go(1).maximum < ms(60_000));
    assert_eq!(to_go(0), to_go(1));
    assert_eq!(to_go(1_000), budget(60_000, 0, 0));
}

#[test]
fn the_lag_is_learnt_from_the_next_clock() {
    let period = ms(10_000);
    assert_eq!(OverheadEstimator::default().reserve(period), ms(120));
    let loud = estimator_with_lag(5, 200);
    assert_eq!(loud.reserve(period), ms(8) + ms(250));
    assert!((ms(50)..ms(200)).contains(&loud.average_lag()));
    let quiet = estimator_with_lag(300, 1);
    assert!((ms(60)..ms(95)).contains(&quiet.reserve(period)), "{:?}", quiet.reserve(period));
    assert!((ms(8)..ms(11)).contains(&quiet.reserve(ms(50))), "{:?}", quiet.reserve(ms(50)));
}

#[test]
fn a_loud_move_is_remembered_for_a_while() {
    let mut estimator = estimator_with_lag(300, 1);
    let before = estimator.reserve(ms(1_000));
    estimator.answered(ms(900), ms(150));
    assert!(estimator.reserve(ms(1_000)) >= ms(195));
    let mut last = estimator.reserve(ms(1_000));
    for _ in 0..100 {
        estimator.answered(ms(900), Duration::ZERO);
        assert!(estimator.reserve(ms(1_000)) <= last);
        last = estimator.reserve(ms(1_000));
    }
    assert!(last < ms(195) && last > before, "trust comes back only with measured moves");
}

#[test]
fn a_clock_that_does_not_follow_teaches_nothing() {
    let learn = |next: Clock, ply| {
        let mut estimator = OverheadEstimator::default();
        estimator.clock_arrived(&clock(10_000, 100, 0), 4);
        estimator.answered(ms(503), Duration::ZERO);
        estimator.clock_arrived(&next, ply);
        estimator.reserve(ms(10_000))
    };
    let nothing = OverheadEstimator::default().reserve(ms(10_000));
    assert!(learn(clock(9_200, 100, 0), 6) > nothing, "397 ms of lag");
    for (next, ply) in [
        (clock(9_200, 100, 0), 4),  // the same move again, after a ponder miss
        (clock(9_200, 100, 0), 8),  // another position
        (clock(9_200, 100, 0), 0),  // another game
        (clock(12_000, 100, 0), 6), // more time than before
        (clock(9_200, 200, 0), 6),  // other rules
        (clock(7_100, 100, 0), 6),  // whole seconds: what they hide cannot be told from lag
        (clock(0, 100, 500), 6),    // byoyomi was used
    ] {
        assert_eq!(learn(next, ply), nothing, "{next:?} {ply}");
    }
    let mut unanswered = OverheadEstimator::default();
    unanswered.clock_arrived(&clock(10_000, 100, 0), 4);
    unanswered.clock_arrived(&clock(9_200, 100, 0), 6);
    assert_eq!(unanswered.reserve(ms(10_000)), nothing);
}

#[test]
fn an_interruption_is_not_taken_for_lag() {
    let mut estimator = estimator_with_lag(1, 3_600);
    estimator.answered(ms(500), Duration::from_secs(3_600));
    assert!(estimator.reserve(ms(100_000)) <= ms(5_010));
}

#[test]
fn a_clock_below_the_increment_proves_that_it_comes_on_top() {
    let mut estimator = OverheadEstimator::default();
    let full = clock(2_500, 2_000, 0);
    estimator.clock_arrived(&full, 0);
    assert!(!estimator.increment_is_on_top(&full));
    estimator.answered(ms(3_003), Duration::ZERO);
    estimator.clock_arrived(&clock(1_490, 2_000, 0), 2);
    assert!(estimator.increment_is_on_top(&full), "remembered for the game");
    let unproven = budget(2_500, 2_000, 0);
    assert!(budget_with(full, Timing { overhead: estimator, ..Timing::default() }).maximum > unproven.maximum);

    let mut same_move = estimator;
    same_move.clock_arrived(&full, 2);
    assert!(same_move.increment_is_on_top(&full), "the clock of the same move again");
    let mut elsewhere = estimator;
    elsewhere.clock_arrived(&full, 40);
    assert!(!elsewhere.increment_is_on_top(&full), "another position may be another game");
}

#[test]
fn a_new_game_keeps_what_was_measured_of_the_machine() {
    let mut estimator = estimator_with_lag(5, 200);
    estimator.clock_arrived(&clock(50, 100, 0), 12);
    let reserve = estimator.reserve(ms(10_000));
    estimator.new_game();
    assert_eq!(estimator.reserve(ms(10_000)), reserve);
    assert!(!estimator.increment_is_on_top(&clock(1_000, 100, 0)));
    // The next own move of the old game would have been this one.
    estimator.clock_arrived(&clock(1, 0, 0), 14);
    assert_eq!(estimator.reserve(ms(10_000)), reserve);
}

#[test]
fn odd_numbers_do_no_harm() {
    let mut estimator = OverheadEstimator::default();
    for ply in [0, 2, u32::MAX, 1, u32::MAX - 2, u32::MAX] {
        estimator.clock_arrived(&Clock { increment: Duration::MAX, time: Duration::MAX, ..Clock::default() }, ply);
        estimator.answered(Duration::MAX, Duration::MAX);
        estimator.clock_arrived(&Clock::default(), ply);
        estimator.answered(Duration::ZERO, Duration::MAX);
    }
    let endless = Clock { time: Duration::MAX, increment: Duration::MAX, byoyomi: Duration::MAX, moves_to_go: Some(0) };
    let Budget { soft, maximum } = budget_with(endless, Timing { overhead: estimator, ..Timing::default() });
    assert!(soft <= maximum);
}
/// A search in a game whose last move had this score, with changes of mind within the iterations.
fn stability(last: i32, moves: &[(&str, i32)], effort: f64) -> BestMoveStability {
    let mut stability = BestMoveStability::default();
    stability.end_search(Score(last));
    stability.score = f64::from(last);
    stability.begin_search();
    let mut before = None;
    for &(mv, score) in moves {
        if before.is_some_and(|before| before != mv) {
            stability.note_changes(1.0);
        }
        before = Some(mv);
        stability.note(mv.parse().unwrap(), Score(score), effort);
        stability.end_iteration();
    }
    stability
}

#[test]
fn a_firm_move_takes_less_time_and_a_doubtful_one_more() {
    let firm = stability(30, &[("7g7f", 30); 16], 0.95).factor();
    let changing = stability(30, &[("7g7f", 30), ("2g2f", 31), ("7g7f", 30), ("2g2f", 33)].repeat(4), 0.4).factor();
    let falling = stability(30, &[[("7g7f", 30); 12].as_slice(), &[("7g7f", -70)]].concat(), 0.95).factor();
    assert!(firm < 0.55 && changing > 1.3 && falling > 1.5 * firm, "{firm} {changing} {falling}");
    assert_eq!(BestMoveStability::default().factor(), 1.0);
}

#[test]
fn the_first_move_of_a_game_takes_its_time() {
    let mut first = BestMoveStability::default();
    first.begin_search();
    first.note("7g7f".parse().unwrap(), Score(30), 0.9);
    assert!(first.factor() > 1.5, "{first:?}");
}

#[test]
fn the_factor_is_finite_whatever_happens() {
    let wild = stability(32_000, &[("7g7f", 32_000), ("2g2f", -32_000)].repeat(20), 0.0).factor();
    let calm = stability(-2_000, &[("7g7f", 32_000); 40], 1.0).factor();
    assert!(wild < 12.0 && calm > 0.1, "{wild} {calm}");
}

#[test]
fn the_firmness_of_the_last_move_lasts_for_one_search() {
    let mut firm = stability(30, &[("7g7f", 30); 30], 0.9);
    firm.begin_search();
    assert_eq!(firm.last_firmness, 1.544);
    firm.begin_search();
    assert_eq!(firm.last_firmness, 1.544);
}
