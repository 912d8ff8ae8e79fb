//! The tuner of a match: hands out the options of each game, and takes its result.

use super::course::{Course, IterationTally, Schedule};
use super::parameter::{Parameter, TunedOption, TuningError};
use crate::arena::pairing::GameAssignment;
use crate::arena::plan::{Plan, TunePlan};
use crate::arena::runner::{GameOptions, OptionValues};
use komainu::host::lock;
use komainu::notation::json::GameLine;
use komainu::notation::record::Ending;
use komainu::notation::record::Outcome;
use komainu::protocol::EngineOption;
use komainu::types::opaque_debug;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard};

/// Reads the parameters of a plan, each with its number.
pub fn planned_parameters(tune: &TunePlan) -> Result<Vec<(usize, Parameter)>, TuningError> {
    let mut parameters = Vec::new();
    for (number, line) in (1..).zip(&tune.parameters) {
        let parameter = line.parse().map_err(|fault| TuningError(format!("parameter {number}: {fault}")))?;
        parameters.push((number, parameter));
    }
    Ok(parameters)
}

/// Holds parameters, with their lines, against the options that the engine lists.
pub fn tuned_options(
    plan: &Plan,
    tune: &TunePlan,
    parameters: Vec<(usize, Parameter)>,
    listed: &[EngineOption],
) -> Result<Vec<TunedOption>, TuningError> {
    let is_parameter = |name: &String| parameters.iter().any(|(_, known)| known.name.eq_ignore_ascii_case(name));
    if let Some(name) = tune.scales.keys().find(|name| !is_parameter(name)) {
        return Err(TuningError(format!("--scale: there is no parameter {name}")));
    }
    let mut tuned: Vec<TunedOption> = Vec::new();
    for (line, parameter) in parameters {
        let fail = |why: String| TuningError(format!("line {line}: {why}"));
        let named = tune.scales.iter().find(|(name, _)| name.eq_ignore_ascii_case(&parameter.name));
        let option = TunedOption::new(parameter, listed, named.map(|(_, scale)| *scale), tune.scale).map_err(fail)?;
        if let Some(known) = tuned.iter().find(|known| known.option == option.option) {
            return Err(fail(format!("{} is the option of {} already", option.option, known.parameter.name)));
        }
        let is_same = |name: &&String| {
            crate::client::listed_option(listed, name).is_some_and(|listed| listed.name == option.option)
        };
        if let Some(name) = plan.engines.iter().flat_map(|engine| engine.options.keys()).find(is_same) {
            return Err(fail(format!("--option: {name} is tuned")));
        }
        tuned.push(option);
    }
    Ok(tuned)
}

/// A tuning that is being played. It must be told of each game before the next one is asked for.
pub struct Tuner {
    /// Name of the engine that has the values moved one way.
    plus: String,
    pairs: u64,
    games: u64,
    state: Mutex<TunerState>,
}

opaque_debug!(Tuner);

struct TunerState {
    course: Course,
    /// Games of iterations that have not ended, or not in their turn.
    begun: BTreeMap<u64, IterationTally>,
    endings: Vec<(Ending, u64)>,
}

impl Tuner {
    /// The tuning of a plan with these options.
    pub fn new(plan: &Plan, tune: &TunePlan, options: Vec<TunedOption>) -> Tuner {
        let &TunePlan { seed, pairs, alpha, gamma, a_ratio, .. } = tune;
        let iterations = iterations(plan.games, pairs);
        let course = Course::new(options, Schedule { iterations, alpha, gamma, a_ratio }, seed);
        Tuner {
            plus: plan.engines[0].name.clone(),
            pairs: pairs.max(1).into(),
            games: plan.games,
            state: Mutex::new(TunerState { course, begun: BTreeMap::new(), endings: Vec::new() }),
        }
    }

    /// The course so far. No game is taken while somebody holds it.
    pub fn course(&self) -> impl Deref<Target = Course> + '_ {
        CourseGuard(lock(&self.state))
    }

    /// Games by the way in which they ended, in the order in which it came up first.
    pub fn endings(&self) -> Vec<(Ending, u64)> {
        lock(&self.state).endings.clone()
    }

    /// Games that were taken, and those of the whole tuning.
    pub fn games(&self) -> [u64; 2] {
        [lock(&self.state).endings.iter().map(|(_, games)| games).sum(), self.games]
    }

    /// Takes a game that has ended; each must come once.
    pub fn note(&self, line: &GameLine) {
        let mut state = lock(&self.state);
        match state.endings.iter_mut().find(|(ending, _)| *ending == line.ending) {
            Some((_, count)) => *count += 1,
            None => state.endings.push((line.ending, 1)),
        }
        let tally = state.begun.entry(line.game / 2 / self.pairs).or_default();
        match line.result() {
            None => tally.void += 1,
            Some(Outcome::Draw) => tally.draws += 1,
            Some(Outcome::Win(winner)) if line.players[winner] == self.plus => tally.wins += 1,
            Some(Outcome::Win(_)) => tally.losses += 1,
        }
        loop {
            let next = state.course.tallies().len() as u64;
            match state.begun.get(&next) {
                Some(&tally) if tally.games() == self.games_of(next) => {
                    state.begun.remove(&next);
                    state.course.add(tally);
                }
                _ => return,
            }
        }
    }

    /// Games of an iteration, counted from 0: the last one may have fewer.
    fn games_of(&self, iteration: u64) -> u64 {
        let each = 2 * self.pairs;
        self.games.saturating_sub(iteration * each).min(each)
    }
}

/// The course of a tuner that is locked.
struct CourseGuard<'a>(MutexGuard<'a, TunerState>);

impl Deref for CourseGuard<'_> {
    type Target = Course;

    fn deref(&self) -> &Course {
        &self.0.course
    }
}

/// Iterations of so many games.
pub fn iterations(games: u64, pairs: u32) -> u64 {
    games.div_ceil(2 * u64::from(pairs.max(1)))
}

impl GameOptions for Tuner {
    fn of(&self, game: &GameAssignment) -> Option<[OptionValues; 2]> {
        let trial = lock(&self.state).course.trial((game.pair / self.pairs) as usize)?;
        let [plus, minus] = trial.sides;
        Some(if game.black == 0 { [plus, minus] } else { [minus, plus] })
    }
}
