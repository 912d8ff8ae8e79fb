//! The page of a tuning as it grows.

use super::report::{Report, State, live_figures, live_page};
use super::tuner::Tuner;
use crate::arena::plan::Plan;
use crate::live::{Event, Pace, Source, run_name};
use komainu::host::lock;
use komainu::types::opaque_debug;
use std::sync::{Arc, Mutex};

/// A tuning as a page shows it while its games are played.
///
/// Nobody tells it of games: the threads of those who look ask the tuner, and work the figures out at most once for all
/// of them.
pub struct LiveTuning {
    run: String,
    plan: Plan,
    openings: usize,
    tuner: Arc<Tuner>,
    figures: Mutex<Figures>,
}

opaque_debug!(LiveTuning);

/// The figures that were worked out last.
#[derive(Default)]
struct Figures {
    /// Games and state that they are of.
    of: Option<(u64, State)>,
    /// Number of times that they were worked out.
    moment: u64,
    json: String,
    pace: Pace,
}

impl LiveTuning {
    /// A tuning of this plan, with so many openings.
    pub fn new(plan: &Plan, openings: usize, tuner: Arc<Tuner>) -> LiveTuning {
        LiveTuning { run: run_name(), plan: plan.clone(), openings, tuner, figures: Mutex::default() }
    }

    fn report(&self, state: State) -> Report<'_> {
        Report::new(&self.plan, &self.tuner, self.openings, state)
    }
}

impl Source for LiveTuning {
    fn page(&self) -> String {
        live_page(&self.report(State::Running), &self.run)
    }

    fn news(&self, seen: u64, is_last: bool) -> (u64, Vec<Event>) {
        let mut figures = lock(&self.figures);
        let [games, all] = self.tuner.games();
        let state = if !is_last {
            State::Running
        } else if games == all {
            State::Complete
        } else {
            State::BrokenOff
        };
        if figures.of != Some((games, state)) && (is_last || figures.pace.is_due()) {
            figures.json = figures.pace.time(|| live_figures(&self.report(state), &self.run));
            figures.of = Some((games, state));
            figures.moment += 1;
        }
        let mut events = Vec::new();
        if figures.moment > seen {
            events.push(Event { name: "tuning", data: figures.json.clone() });
        }
        (figures.moment, events)
    }
}
