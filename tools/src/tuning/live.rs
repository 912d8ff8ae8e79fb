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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::report::tests::{plan, played, win};
    use serde_json::Value;

    /// The figures that are told to one who has seen everything up to a moment.
    fn told(page: &LiveTuning, seen: &mut u64, is_last: bool) -> Option<Value> {
        let (now, events) = page.news(*seen, is_last);
        *seen = now;
        let [event] = &events[..] else { return None };
        assert_eq!(event.name, "tuning");
        Some(serde_json::from_str(&event.data).expect("JSON"))
    }

    #[test]
    fn figures_are_told_once_and_put_off_but_never_at_the_end() {
        let plan = plan(8);
        let tuner = Arc::new(played(&plan, 3));
        let page = LiveTuning::new(&plan, 500, Arc::clone(&tuner));
        let mut seen = 0;
        let mut late = 0;
        let first = told(&page, &mut seen, false).expect("figures");
        assert_eq!((&first["games"], &first["state"]), (&3.into(), &"running".into()));
        assert!(page.page().contains(&format!("\"live\":{}", first["live"])), "the page and the events are of one run");
        assert_eq!(told(&page, &mut seen, false), None);
        for game in 3..6 {
            win(&tuner, game);
        }
        assert_eq!(told(&page, &mut seen, false), None, "they were worked out a moment ago");
        let last = told(&page, &mut seen, true).expect("figures");
        assert_eq!((&last["games"], &last["state"]), (&6.into(), &"broken-off".into()));
        assert_eq!(last["course"].as_array().map(Vec::len), Some(3));
        // Who comes late is told the same.
        assert_eq!((told(&page, &mut late, true), late), (Some(last), seen));
    }

    #[test]
    fn a_tuning_of_which_every_game_is_played_ends_complete() {
        let plan = plan(4);
        let page = LiveTuning::new(&plan, 500, Arc::new(played(&plan, 4)));
        assert_eq!(told(&page, &mut 0, false).expect("figures")["state"], "running");
        assert_eq!(told(&page, &mut 0, true).expect("figures")["state"], "complete");
    }
}
