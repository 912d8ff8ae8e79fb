//! Whole games with a referee, a machine and a search that are models: no loss on time where the lateness can be
//! survived, and the clock is used.

use super::*;
use crate::random::SplitMix64;

/// Main time, increment and byoyomi in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Control(u64, u64, u64);

/// Referee with its way of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Referee {
    /// The increment comes on top of the clock before the move; otherwise the clock holds it already.
    on_top: bool,
    /// Fractions of a second are dropped.
    whole_seconds: bool,
}

/// Delays of a machine on top of the time that the search meant to take, in milliseconds.
#[derive(Clone, Copy, Debug)]
struct Machine {
    /// Each move, on the way: not seen by the engine.
    lag: f64,
    /// In this share of the moves...
    often: f64,
    /// ...the way takes this much longer...
    way: f64,
    /// ...or the search wakes up that much too late.
    wake: f64,
}

const QUIET: Machine = Machine { lag: 0.3, often: 0.0, way: 0.0, wake: 0.0 };
const LOCAL: Machine = Machine { lag: 5.0, ..QUIET };
const REMOTE: Machine = Machine { lag: 30.0, ..QUIET };
const FAR: Machine = Machine { lag: 100.0, ..QUIET };
/// Spikes of 80 ms in one move of a hundred.
const SPIKES: Machine = Machine { lag: 2.0, often: 0.01, way: 80.0, wake: 80.0 };
/// One busy process per core: now and then 50 to 100 ms late.
const BUSY: Machine = Machine { lag: 2.0, often: 0.06, way: 40.0, wake: 100.0 };

/// Ten busy processes for each core: every second move up to 40 ms late.
const CROWDED: Machine = Machine { lag: 1.0, often: 0.5, way: 10.0, wake: 40.0 };

/// When a search ends, given its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SimulatedSearch {
    AtSoft,
    Between,
    AtMaximum,
    /// Iterations take 2 to 3 times as long as all before; the last one ends where it ends or is broken off.
    Iterations,
}

const SEARCHES: [SimulatedSearch; 4] =
    [SimulatedSearch::AtSoft, SimulatedSearch::Between, SimulatedSearch::AtMaximum, SimulatedSearch::Iterations];

/// Course of a game: for each own move the time that the search took, and the clock that it left, in milliseconds.
#[derive(Debug, Default)]
struct SimulatedRecord {
    spent: Vec<f64>,
    left: Vec<f64>,
    /// The move that was too late.
    lost: Option<usize>,
}

impl SimulatedRecord {
    /// The time spent on average from this move on.
    fn average_from(&self, number: usize) -> f64 {
        let late = &self.spent[number..];
        late.iter().sum::<f64>() / late.len() as f64
    }
}

struct SimulatedGame {
    control: Control,
    referee: Referee,
    machine: Machine,
    search: SimulatedSearch,
    options: TimeOptions,
}

fn ms(time: f64) -> Duration {
    Duration::from_secs_f64(time / 1e3)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl SimulatedGame {
    fn new(control: Control, referee: Referee, machine: Machine, search: SimulatedSearch) -> SimulatedGame {
        SimulatedGame { control, referee, machine, search, options: TimeOptions::default() }
    }

    /// Plays own moves until one is too late. A clock or a period that is used up to zero is a loss.
    fn play(&self, moves: usize, estimator: &mut OverheadEstimator, random: &mut SplitMix64) -> SimulatedRecord {
        let [base, increment, byoyomi] = [self.control.0, self.control.1, self.control.2].map(|time| time as f64);
        let mut clock = if self.referee.on_top { base } else { base + increment };
        let mut record = SimulatedRecord::default();
        for number in 0..moves {
            let shown =
                Clock { time: ms(clock.floor()), increment: ms(increment), byoyomi: ms(byoyomi), moves_to_go: None };
            estimator.clock_arrived(&shown, number as u32 * 2);
            let timing = Timing { options: self.options, overhead: *estimator };
            let budget = Budget::of_clock(&shown, &timing, 1.0);
            let planned = self.search.ends_at(&budget, random);
            let (way, wake) = self.machine.lateness(random);
            let spent = planned + wake;
            // A search that ended by itself does not know that it was held up.
            let overrun = (spent - millis(budget.maximum)).max(0.0);
            estimator.answered(ms(spent), ms(overrun));
            let taken = self.referee.count(spent + way);
            let main = if self.referee.on_top { clock + increment } else { clock };
            record.spent.push(spent);
            if taken >= main + byoyomi {
                record.lost = Some(number);
                return record;
            }
            clock = (main - taken).max(0.0) + if self.referee.on_top { 0.0 } else { increment };
            record.left.push(clock);
        }
        record
    }
}

impl Referee {
    fn count(&self, time: f64) -> f64 {
        if self.whole_seconds { (time / 1e3).floor() * 1e3 } else { time.ceil() }
    }
}

impl Machine {
    /// Lateness of the way and of the search this time.
    fn lateness(&self, random: &mut SplitMix64) -> (f64, f64) {
        let lag = self.lag * (0.9 + 0.2 * random.unit());
        if random.unit() >= self.often {
            return (lag, 0.0);
        }
        let size = 0.5 + 0.5 * random.unit();
        if random.unit() < 0.5 { (lag + self.way * size, 0.0) } else { (lag, self.wake * size) }
    }
}

impl SimulatedSearch {
    /// In milliseconds; the first iteration always ends.
    fn ends_at(self, budget: &Budget, random: &mut SplitMix64) -> f64 {
        let soft = millis(budget.soft);
        let maximum = millis(budget.maximum);
        let end = match self {
            SimulatedSearch::AtSoft => soft,
            SimulatedSearch::Between => soft + (maximum - soft) * random.unit(),
            SimulatedSearch::AtMaximum => maximum,
            SimulatedSearch::Iterations => {
                let mut time = 0.5 + random.unit();
                while time < soft {
                    time *= 2.0 + random.unit();
                }
                time.min(maximum)
            }
        };
        end.max(0.2)
    }
}

/// Games for each control, machine, search and referee; one [`OverheadEstimator`] is kept over them.
const GAMES: usize = if cfg!(debug_assertions) { 3 } else { 20 };

const ON_TOP: Referee = Referee { on_top: true, whole_seconds: false };
const WITHIN: Referee = Referee { on_top: false, whole_seconds: false };
/// The referees who count milliseconds.
const EXACT: [Referee; 2] = [ON_TOP, WITHIN];
/// Both ways of counting, also by referees that drop fractions of a second.
const ALL: [Referee; 4] =
    [ON_TOP, WITHIN, Referee { whole_seconds: true, ..ON_TOP }, Referee { whole_seconds: true, ..WITHIN }];

/// Plays games under all searches and hands each record to the check.
fn play_all(
    controls: &[Control],
    machines: &[Machine],
    referees: &[Referee],
    moves: usize,
    check: impl Fn(&SimulatedGame, &SimulatedRecord),
) {
    let mut random = SplitMix64(1);
    for &control in controls {
        for &machine in machines {
            for search in SEARCHES {
                for &referee in referees {
                    let game = SimulatedGame::new(control, referee, machine, search);
                    let mut estimator = OverheadEstimator::default();
                    for _ in 0..GAMES {
                        estimator.new_game();
                        check(&game, &game.play(moves, &mut estimator, &mut random));
                    }
                }
            }
        }
    }
}

/// The game in words, for a failed check.
fn words(game: &SimulatedGame, record: &SimulatedRecord) -> String {
    let SimulatedGame { control, referee, machine, search, .. } = game;
    let from = record.left.len().saturating_sub(12);
    let spent = &record.spent[from..];
    format!(
        "{control:?} {referee:?} {machine:?} {search:?}: lost {:?}, left {:.0?}, spent {spent:.0?}",
        record.lost,
        &record.left[from..]
    )
}

fn not_lost(game: &SimulatedGame, record: &SimulatedRecord) {
    assert!(record.lost.is_none(), "{}", words(game, record));
}

#[test]
fn no_game_with_an_increment_is_lost_on_time() {
    let fast = [Control(1_000, 50, 0), Control(5_000, 100, 0), Control(10_000, 100, 0)];
    let slow = [Control(300_000, 10_000, 0), Control(0, 2_000, 0)];
    play_all(&fast, &[QUIET, LOCAL, REMOTE, SPIKES, BUSY], &EXACT, 200, not_lost);
    play_all(&slow, &[QUIET, LOCAL, REMOTE, FAR, SPIKES, BUSY], &ALL, 200, not_lost);
}

#[test]
fn no_game_with_byoyomi_is_lost_on_time() {
    let short = [Control(0, 0, 100), Control(0, 0, 500), Control(10_000, 0, 500)];
    let long = [Control(0, 0, 1_000), Control(10_000, 0, 1_000)];
    let slow = [Control(0, 0, 10_000), Control(60_000, 2_000, 10_000), Control(600_000, 0, 10_000)];
    play_all(&short, &[QUIET, LOCAL], &EXACT, 200, not_lost);
    play_all(&long, &[QUIET, LOCAL, REMOTE, SPIKES, BUSY], &ALL, 200, not_lost);
    play_all(&slow, &[QUIET, LOCAL, REMOTE, FAR, SPIKES, BUSY], &ALL, 200, not_lost);
    // What the main time taught holds in the byoyomi that follows.
    play_all(&[Control(10_000, 0, 500), Control(60_000, 0, 500)], &[REMOTE, FAR], &EXACT, 200, not_lost);
}

/// Games of so many milliseconds byoyomi that are lost on time, each by an engine that has just been started; before it
/// its threads have waited so long for each turn on a core.
fn lost_by_fresh_engines(byoyomi: u64, machine: Machine, turn: f64) -> usize {
    let mut random = SplitMix64(byoyomi);
    let mut is_lost = |search| {
        let mut estimator = OverheadEstimator::default();
        estimator.waited(ms(turn));
        let game = SimulatedGame::new(Control(0, 0, byoyomi), ON_TOP, machine, search);
        game.play(60, &mut estimator, &mut random).lost.is_some()
    };
    let searches = [SimulatedSearch::AtMaximum, SimulatedSearch::Iterations];
    searches.into_iter().map(|search| (0..50).filter(|_| is_lost(search)).count()).sum()
}

#[test]
fn an_engine_that_waits_for_a_core_before_the_game_holds_back_from_the_first_move_on() {
    for byoyomi in [100, 150, 200] {
        assert!(lost_by_fresh_engines(byoyomi, CROWDED, 0.0) > 0, "the first late move loses {byoyomi} ms");
        assert_eq!(lost_by_fresh_engines(byoyomi, CROWDED, 27.0), 0, "{byoyomi} ms");
    }
    // A second has room for it in any case.
    assert_eq!(lost_by_fresh_engines(1_000, CROWDED, 0.0), 0);
}

#[test]
fn waits_of_a_quiet_machine_cost_no_time() {
    for byoyomi in [100, 200, 1_000, 10_000] {
        let budget = |turn: f64| {
            let mut overhead = OverheadEstimator::default();
            overhead.waited(ms(turn));
            let clock = Clock { byoyomi: ms(byoyomi as f64), ..Clock::default() };
            Budget::of_clock(&clock, &Timing { overhead, ..Timing::default() }, 1.0)
        };
        assert_eq!(budget(0.5), budget(0.0), "{byoyomi} ms");
    }
}

#[test]
fn sudden_death_lasts_for_a_long_game() {
    let sudden = [Control(10_000, 0, 0), Control(60_000, 0, 0)];
    play_all(&sudden, &[QUIET, LOCAL], &ALL, 200, |game, record| {
        // A search that is broken off on every move and never ends by itself does not exist; 130 moves must do.
        let enough = if game.search == SimulatedSearch::AtMaximum { 130 } else { 200 };
        assert!(
            record.spent.len() >= enough && record.lost.is_none_or(|number| number >= enough),
            "{}",
            words(game, record)
        );
    });
    play_all(&sudden, &[SPIKES, BUSY, REMOTE], &EXACT, 80, not_lost);
}

#[test]
fn sudden_death_is_used_early_enough() {
    play_all(&[Control(10_000, 0, 0), Control(60_000, 0, 0)], &[QUIET, LOCAL], &EXACT, 100, |game, record| {
        let used = 1.0 - record.left[79] / game.control.0 as f64;
        assert!((0.6..1.0).contains(&used), "{used} {}", words(game, record));
        let early = record.spent[..20].iter().sum::<f64>() / game.control.0 as f64;
        assert!(early > 0.2, "{early} {}", words(game, record));
    });
}

#[test]
fn an_increment_is_spent_and_does_not_pile_up() {
    let controls =
        [Control(1_000, 50, 0), Control(5_000, 100, 0), Control(10_000, 100, 0), Control(300_000, 10_000, 0)];
    play_all(&controls, &[QUIET, LOCAL, SPIKES], &EXACT, 300, |game, record| {
        let Control(base, increment, _) = game.control;
        assert!(record.average_from(0) >= 0.8 * increment as f64, "{}", words(game, record));
        let most = record.left.iter().copied().fold(0.0, f64::max);
        assert!(most <= 1.1 * base as f64, "{most} {}", words(game, record));
        // Of a long clock not much is left unused in the end.
        assert!(record.left[200] <= (base as f64 * 0.4).max(1_100.0), "{}", words(game, record));
    });
}

#[test]
fn main_time_before_byoyomi_is_used_up() {
    let controls = [Control(10_000, 0, 500), Control(600_000, 0, 10_000)];
    play_all(&controls, &[QUIET, LOCAL], &EXACT, 100, |game, record| {
        let used = 1.0 - record.left[49] / game.control.0 as f64;
        assert!(used >= 0.9, "{used} {}", words(game, record));
        assert!(record.average_from(60) >= 0.8 * game.control.2 as f64, "{}", words(game, record));
    });
}

#[test]
fn byoyomi_is_used_whole() {
    play_all(&[Control(0, 0, 1_000), Control(0, 0, 10_000)], &[QUIET, LOCAL], &EXACT, 100, |game, record| {
        assert!(record.average_from(0) >= 0.85 * game.control.2 as f64, "{}", words(game, record));
    });
}

#[test]
fn a_busy_machine_is_given_more_time_than_a_quiet_one() {
    let left = |machine| {
        let mut sum = 0.0;
        let mut random = SplitMix64(77);
        for _ in 0..20 {
            let game = SimulatedGame::new(Control(1_000, 50, 0), WITHIN, machine, SimulatedSearch::Iterations);
            sum +=
                game.play(200, &mut OverheadEstimator::default(), &mut random).left[150..].iter().sum::<f64>() / 50.0;
        }
        sum / 20.0
    };
    let quiet = left(QUIET);
    let busy = left(BUSY);
    assert!(busy > 1.1 * quiet, "quiet {quiet} busy {busy}");
}

#[test]
fn a_way_that_costs_more_than_the_increment_brings_is_played_to_the_end() {
    let mut random = SplitMix64(5);
    for search in [SimulatedSearch::AtSoft, SimulatedSearch::Between, SimulatedSearch::Iterations] {
        let game = SimulatedGame::new(Control(10_000, 50, 0), ON_TOP, FAR, search);
        let record = game.play(150, &mut OverheadEstimator::default(), &mut random);
        assert!(record.lost.is_none_or(|number| number >= 100), "{}", words(&game, &record));
    }
}

#[test]
fn rounding_up_uses_the_seconds_that_are_not_counted() {
    let mut random = SplitMix64(11);
    let referee = Referee { whole_seconds: true, ..ON_TOP };
    let mut average = |round_up_to_full_second| {
        let mut game = SimulatedGame::new(Control(60_000, 0, 0), referee, LOCAL, SimulatedSearch::Iterations);
        game.options.round_up_to_full_second = round_up_to_full_second;
        let record = game.play(100, &mut OverheadEstimator::default(), &mut random);
        not_lost(&game, &record);
        record.average_from(0)
    };
    let rounded = average(true);
    let plain = average(false);
    assert!(rounded > 1.1 * plain, "{rounded} {plain}");
}

#[test]
fn the_models_can_lose() {
    // Without a reserve and a cushion these referees find the late moves.
    let game = SimulatedGame::new(Control(0, 0, 100), WITHIN, FAR, SimulatedSearch::AtMaximum);
    assert!(game.play(10, &mut OverheadEstimator::default(), &mut SplitMix64(3)).lost.is_some());
    let game = SimulatedGame::new(Control(1_000, 50, 0), WITHIN, FAR, SimulatedSearch::AtSoft);
    assert!(game.play(200, &mut OverheadEstimator::default(), &mut SplitMix64(3)).lost.is_some());
}
