//! The page of a match as it grows: the report with boards above it.
//!
//! [`LiveMatch`] is what a server of pages shows. Those who play write to its [`Boards`], whoever runs the match tells
//! it of each game that has ended; all figures are worked out by the threads of those who look, at most once for all
//! of them and never more often than is worth it.

mod boards;

pub use boards::{Boards, ClockFace, LiveGame, Seat};

use super::folder::{MatchFolder, MatchGame};
use super::plan::Plan;
use super::report::{GameDigest, LiveReport};
use crate::live::{Event, Pace, Source, run_name};
use komainu::notation::json::GameLine;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The last games, which can be played through.
const KEPT_GAMES: usize = 50;

/// A match as a page shows it while it is played.
#[derive(Debug)]
pub struct LiveMatch {
    /// The name of this run: a page of another one loads itself anew.
    run: String,
    boards: Arc<Boards>,
    fresh: Mutex<Fresh>,
    figures: Mutex<Figures>,
}

/// News for which nobody has looked yet.
#[derive(Debug)]
struct Fresh {
    plan: Arc<Plan>,
    digests: Vec<GameDigest>,
    games: VecDeque<MatchGame>,
}

/// The figures of the games that were looked at last.
#[derive(Debug, Default)]
struct Figures {
    plan: Option<Arc<Plan>>,
    digests: Vec<GameDigest>,
    /// The last games as JSON, each with its moment.
    games: VecDeque<(u64, String)>,
    is_stale: bool,
    /// The figures as JSON with their moment.
    report: (u64, String),
    pace: Pace,
}

impl LiveMatch {
    /// A match of this plan, with the games that have been played already.
    pub fn new(folder: &MatchFolder) -> LiveMatch {
        LiveMatch {
            run: run_name(),
            boards: Arc::default(),
            fresh: Mutex::new(Fresh::of(folder)),
            figures: Mutex::default(),
        }
    }

    /// The boards that those who play write to.
    pub fn boards(&self) -> &Arc<Boards> {
        &self.boards
    }

    /// A game has ended. One of players that the plan does not name is left out.
    pub fn finished(&self, line: &GameLine) {
        let plan = Arc::clone(&lock(&self.fresh).plan);
        let Some(players) = plan.players(line) else { return };
        let game = MatchGame { line: line.clone(), players };
        let digest = GameDigest::of(&game);
        let mut fresh = lock(&self.fresh);
        fresh.digests.push(digest);
        fresh.games.push_back(game);
        if fresh.games.len() > KEPT_GAMES {
            fresh.games.pop_front();
        }
    }

    /// Changes the plan: engines may be added behind those whose games were told.
    pub fn plan(&self, plan: Plan) {
        lock(&self.fresh).plan = Arc::new(plan);
    }
}

impl Source for LiveMatch {
    fn page(&self) -> String {
        let plan = Arc::clone(&lock(&self.fresh).plan);
        LiveReport { run: &self.run, plan: &plan }.page()
    }

    fn news(&self, seen: u64, is_last: bool) -> (u64, Vec<Event>) {
        // Nobody else gives out moments of figures meanwhile.
        let mut figures = lock(&self.figures);
        figures.take(&mut lock(&self.fresh), || self.boards.advance());
        figures.work_out(&self.run, is_last, || self.boards.advance());
        let mut events = figures.news(seen);
        let now = self.boards.news(seen, &mut events);
        (now, events)
    }
}

impl Fresh {
    fn of(folder: &MatchFolder) -> Fresh {
        let MatchFolder { plan, games, .. } = folder;
        Fresh {
            plan: Arc::new(plan.clone()),
            digests: games.iter().map(GameDigest::of).collect(),
            games: games[games.len().saturating_sub(KEPT_GAMES)..].iter().cloned().collect(),
        }
    }
}

impl Figures {
    fn take(&mut self, fresh: &mut Fresh, moment: impl Fn() -> u64) {
        self.is_stale |= !fresh.digests.is_empty();
        if !self.plan.as_ref().is_some_and(|plan| Arc::ptr_eq(plan, &fresh.plan)) {
            // At once: boards may name the engines that are new.
            (self.is_stale, self.pace) = (true, Pace::default());
            self.plan = Some(Arc::clone(&fresh.plan));
        }
        self.digests.append(&mut fresh.digests);
        self.games.extend(fresh.games.drain(..).map(|game| (moment(), LiveReport::game(&game))));
        self.games.drain(..self.games.len().saturating_sub(KEPT_GAMES));
    }

    fn work_out(&mut self, run: &str, at_once: bool, moment: impl Fn() -> u64) {
        if let (Some(plan), true, true) = (&self.plan, self.is_stale, self.pace.is_due() || at_once) {
            let report = self.pace.time(|| LiveReport { run, plan }.figures(&self.digests));
            self.report = (moment(), report);
            self.is_stale = false;
        }
    }

    fn news(&self, seen: u64) -> Vec<Event> {
        let report = Some(&self.report).filter(|(moment, _)| *moment > seen);
        let report = report.map(|(_, data)| Event { name: "report", data: data.clone() });
        let games = self.games.iter().filter(|(moment, _)| *moment > seen);
        report.into_iter().chain(games.map(|(_, data)| Event { name: "game", data: data.clone() })).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::EnginePlan;
    use serde_json::Value;

    fn plan(names: &[&str]) -> Plan {
        let engine = |name: &&str| EnginePlan { name: name.to_string(), ..EnginePlan::default() };
        Plan::new(names.iter().map(engine).collect(), 10)
    }

    fn game(number: u64, players: [&str; 2]) -> GameLine {
        let [black, white] = players;
        let line = format!(
            "{{\"game\":{number},\"pair\":{number},\"round\":0,\"players\":[\"{black}\",\"{white}\"],\"start\":\"{number}\",\
             \"opening_plies\":0,\"moves\":[{{\"m\":\"7g7f\",\"t\":9}}],\"ending\":\"resignation\",\"winner\":\"black\",\
             \"started\":\"\",\"duration_ms\":0}}"
        );
        serde_json::from_str(&line).expect("a game")
    }

    /// The events since a moment by name and data, and the present moment.
    fn told(page: &LiveMatch, seen: &mut u64, is_last: bool) -> Vec<(&'static str, Value)> {
        let (now, events) = page.news(*seen, is_last);
        *seen = now;
        events.iter().map(|event| (event.name, serde_json::from_str(&event.data).expect("JSON"))).collect()
    }

    fn names(told: &[(&'static str, Value)]) -> Vec<&'static str> {
        told.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn games_are_told_once_and_figures_are_put_off_but_never_at_the_end() {
        let page = LiveMatch::new(&MatchFolder::in_memory(plan(&["a", "b"]), vec![game(0, ["a", "b"])]));
        let (mut seen, mut late) = (0, 0);
        let first = told(&page, &mut seen, false);
        assert_eq!((names(&first), &first[0].1["played"]), (vec!["report", "game"], &1.into()));
        assert!(told(&page, &mut seen, false).is_empty());
        for number in 1..=3 {
            page.finished(&game(number, ["b", "a"]));
        }
        // The figures were worked out a moment ago.
        assert_eq!(names(&told(&page, &mut seen, false)), ["game"; 3]);
        let last = told(&page, &mut seen, true);
        assert_eq!((names(&last), &last[0].1["played"]), (vec!["report"], &4.into()));
        assert_eq!(last[0].1["engines"][0]["tally"], serde_json::json!([1, 0, 3]));
        // Who comes late is told the same.
        assert_eq!(names(&told(&page, &mut late, true)), ["report", "game", "game", "game", "game"]);
        assert_eq!(late, seen);
    }

    #[test]
    fn the_last_games_are_kept_and_all_are_counted() {
        let page = LiveMatch::new(&MatchFolder::in_memory(plan(&["a", "b"]), Vec::new()));
        let all = KEPT_GAMES as u64 + 7;
        (0..all).for_each(|number| page.finished(&game(number, ["a", "b"])));
        page.finished(&game(all, ["a", "unknown"]));
        let told = told(&page, &mut 0, true);
        assert_eq!((told.len(), &told[0].1["played"]), (1 + KEPT_GAMES, &all.into()));
        assert_eq!((&told[1].1["g"], &told[KEPT_GAMES].1["g"]), (&7.into(), &(all - 1).into()));
    }

    #[test]
    fn engines_that_come_later_are_named_before_their_boards() {
        let page = LiveMatch::new(&MatchFolder::in_memory(plan(&["a", "?"]), Vec::new()));
        let mut seen = 0;
        told(&page, &mut seen, false);
        page.plan(plan(&["a", "b", "c"]));
        let start = komainu::position::Position::startpos();
        let seat = Boards::seat(page.boards(), 0);
        seat.begin(&LiveGame { number: 0, players: [2, 0], start: &start, opening: &[] });
        let told = told(&page, &mut seen, false);
        assert_eq!((names(&told), &told[0].1["engines"][2]["name"]), (vec!["report", "board"], &"c".into()));
    }
}
