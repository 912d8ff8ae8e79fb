//! Swiss tournaments: in each round those with about the same points meet who have not met before.
//!
//! Each round is made of the results of the rounds before it, from the first round on, whenever it is asked for.
//!
//! - Engines are ranked by points, then by Buchholz (the points of all opponents), then by their order in the plan.
//! - From the top, each engine meets the first in its order of preference: of its own points those half a group
//!   below it first (top half against bottom half, the Dutch system), then those of fewer points. If that leaves
//!   others without an opponent whom they have not met, the next in the order is tried.
//! - With an odd number the last one who has had the fewest byes rests. A bye counts like a pairing that was won, and
//!   for Buchholz like an opponent of the same points.
//! - An engine meets another again only if there is no other way.

use super::{GameResult, Pairing, Results};
use crate::types::Color;
use std::cmp::Reverse;
use std::collections::HashSet;

/// How an engine stands in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Its index.
    pub engine: usize,
    /// Twice its points: 2 for a win, 1 for a draw.
    pub half_points: u64,
    /// Twice the points of all its opponents, each as often as it was met.
    pub buchholz: u64,
    /// How often it had no opponent.
    pub byes: u32,
}

/// A round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// Who meets; the first one begins with black.
    pub(super) boards: Vec<[usize; 2]>,
    /// Who rests.
    bye: Option<usize>,
}

/// What has happened so far.
struct Table {
    half_points: Vec<u64>,
    opponents: Vec<Vec<usize>>,
    byes: Vec<u32>,
    /// Games as black less games as white.
    colors: Vec<i64>,
}

/// How many sets of engines are tried for a round with a given number of rematches.
const MOST_TRIES: usize = 100_000;

impl Pairing {
    /// The pairings of a round; `None` if an earlier round is not finished.
    pub(super) fn swiss_round(&self, round: u64, results: &Results) -> Option<Round> {
        let mut table = Table::new(self.engines);
        for earlier in 0..round {
            let pairings = table.next_round();
            if !table.enter(self, earlier, &pairings, results) {
                return None;
            }
        }
        Some(table.next_round())
    }

    /// The standings of a Swiss tournament, best first, in which each unfinished round counts as far as it is played.
    pub fn swiss_standings(&self, results: &Results) -> Vec<Standing> {
        let mut table = Table::new(self.engines);
        for round in 0..u64::from(self.rounds) {
            let pairings = table.next_round();
            let begins = round * self.games_each();
            if results.range(begins..begins + self.games_each()).next().is_none() {
                break;
            }
            if !table.enter(self, round, &pairings, results) {
                break;
            }
        }
        table.ranking()
    }
}

impl Table {
    fn new(engines: usize) -> Table {
        Table {
            half_points: vec![0; engines],
            opponents: vec![Vec::new(); engines],
            byes: vec![0; engines],
            colors: vec![0; engines],
        }
    }

    /// Counts the games of a round. Returns whether all of them were played.
    fn enter(&mut self, pairing: &Pairing, round: u64, pairings: &Round, results: &Results) -> bool {
        let mut is_complete = true;
        for &[first, second] in &pairings.boards {
            self.opponents[first].push(second);
            self.opponents[second].push(first);
        }
        if let Some(engine) = pairings.bye {
            self.byes[engine] += 1;
            self.half_points[engine] += 2 * pairing.games;
        }
        for number in 0..pairing.games_each() {
            let Some(&result) = results.get(&(round * pairing.games_each() + number)) else {
                is_complete = false;
                continue;
            };
            let place = pairing.place(number);
            let [black, white] = place.colors(pairings.boards[place.pairing as usize]);
            self.colors[black] += 1;
            self.colors[white] -= 1;
            match result {
                GameResult::Win(Color::Black) => self.half_points[black] += 2,
                GameResult::Win(Color::White) => self.half_points[white] += 2,
                GameResult::Draw => [black, white].into_iter().for_each(|engine| self.half_points[engine] += 1),
                GameResult::Void => {}
            }
        }
        is_complete
    }

    /// All engines, best first.
    fn ranking(&self) -> Vec<Standing> {
        let standing = |engine: usize| {
            let opponents = self.opponents[engine].iter().map(|&opponent| self.half_points[opponent]);
            Standing {
                engine,
                half_points: self.half_points[engine],
                buchholz: opponents.sum::<u64>() + u64::from(self.byes[engine]) * self.half_points[engine],
                byes: self.byes[engine],
            }
        };
        let mut ranking: Vec<Standing> = (0..self.half_points.len()).map(standing).collect();
        ranking.sort_by_key(|standing| (Reverse(standing.half_points), Reverse(standing.buchholz), standing.engine));
        ranking
    }

    fn next_round(&self) -> Round {
        let ranking: Vec<usize> = self.ranking().iter().map(|standing| standing.engine).collect();
        // More rematches than half the engines are not possible.
        let (boards, bye) = (0..=ranking.len() / 2)
            .find_map(|rematches| self.pair_with_bye(&ranking, rematches))
            .expect("with all rematches allowed the first try succeeds");
        Round { boards: boards.into_iter().map(|board| self.with_colors(board)).collect(), bye }
    }

    /// Pairs all engines with at most so many rematches, but for the one that rests if their number is odd.
    fn pair_with_bye(&self, ranking: &[usize], rematches: usize) -> Option<(Vec<[usize; 2]>, Option<usize>)> {
        if ranking.len().is_multiple_of(2) {
            return Some((Search::new(self, rematches).pair(ranking)?, None));
        }
        let mut resting: Vec<usize> = ranking.iter().rev().copied().collect();
        resting.sort_by_key(|&engine| self.byes[engine]);
        // Who has had more byes than another rests only if a round cannot be made otherwise.
        resting.into_iter().find_map(|bye| {
            let others: Vec<usize> = ranking.iter().copied().filter(|&engine| engine != bye).collect();
            Some((Search::new(self, rematches).pair(&others)?, Some(bye)))
        })
    }

    /// The one that has had black less often begins with it; if equal, the one that is ranked higher.
    fn with_colors(&self, [better, worse]: [usize; 2]) -> [usize; 2] {
        if self.colors[better] <= self.colors[worse] { [better, worse] } else { [worse, better] }
    }

    /// The others in the order in which the first of a ranking would like to meet them.
    fn preferences(&self, ranking: &[usize]) -> Vec<usize> {
        let points = self.half_points[ranking[0]];
        let group = ranking.iter().take_while(|&&engine| self.half_points[engine] == points).count();
        let half = (group / 2).max(1);
        let (own_top, below) = (ranking[1..half].iter().rev(), &ranking[group..]);
        ranking[half..group].iter().chain(own_top).chain(below).copied().collect()
    }
}

/// A search for the pairings of a round.
struct Search<'a> {
    table: &'a Table,
    rematches: usize,
    /// What cannot be paired: engines left, rematches left.
    failed: HashSet<(Vec<usize>, usize)>,
}

impl Search<'_> {
    fn new(table: &Table, rematches: usize) -> Search<'_> {
        Search { table, rematches, failed: HashSet::new() }
    }

    fn pair(&mut self, ranking: &[usize]) -> Option<Vec<[usize; 2]>> {
        self.pair_rest(ranking.to_vec(), self.rematches)
    }

    /// Pairs those that are left, the best first.
    fn pair_rest(&mut self, left: Vec<usize>, rematches: usize) -> Option<Vec<[usize; 2]>> {
        let Some(&first) = left.first() else { return Some(Vec::new()) };
        let state = (left, rematches);
        if self.failed.len() >= MOST_TRIES || self.failed.contains(&state) {
            return None;
        }
        for opponent in self.table.preferences(&state.0) {
            let is_rematch = self.table.opponents[first].contains(&opponent);
            let Some(rematches) = rematches.checked_sub(is_rematch.into()) else { continue };
            let rest = state.0.iter().copied().filter(|&engine| engine != first && engine != opponent).collect();
            if let Some(mut boards) = self.pair_rest(rest, rematches) {
                boards.insert(0, [first, opponent]);
                return Some(boards);
            }
        }
        self.failed.insert(state);
        None
    }
}
