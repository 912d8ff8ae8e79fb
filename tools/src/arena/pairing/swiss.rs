//! Swiss tournaments: in each round those with about the same points meet who have not met before.
//!
//! Each round is made of the results of the rounds before it, from the first round on, whenever it is asked for.
//!
//! - Engines are ranked by points, then by Buchholz (the points of all opponents), then by their order in the plan.
//! - From the top, each engine meets the first in its order of preference: of its own points those half a group
//!   below it first (top half against bottom half, the Dutch system), then those of fewer points. It is not paired
//!   with one whose absence leaves others without an opponent whom they have not met; a largest matching of those who
//!   are left tells that.
//! - With an odd number the last one who has had the fewest byes rests. A bye counts like a pairing that was won, and
//!   for Buchholz like an opponent of the same points.
//! - An engine meets another again only if there is no other way to pair the round.

use super::matching::Matching;
use super::{Pairing, ResultsByGame};
use komainu::notation::record::Outcome;
use komainu::types::Color;
use std::cmp::Reverse;

/// Standing of an engine in a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub engine: usize,
    /// Twice its points: 2 for a win, 1 for a draw.
    pub half_points: u64,
    /// Twice the points of all its opponents, each as often as it was met.
    pub buchholz: u64,
    /// Number of rounds in which it had no opponent.
    pub byes: u32,
}

/// A round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Round {
    /// Who meets; the first one begins with black.
    pub(crate) boards: Vec<[usize; 2]>,
    bye: Option<usize>,
}

/// Standings after the rounds so far.
struct Standings {
    half_points: Vec<u64>,
    opponents: Vec<Vec<usize>>,
    byes: Vec<u32>,
    /// Games as black less games as white.
    colors: Vec<i64>,
}

impl Pairing {
    /// The pairings of a round; `None` if an earlier round is not finished.
    pub(crate) fn swiss_round(&self, round: u64, results: &ResultsByGame) -> Option<Round> {
        let mut table = Standings::new(self.engines);
        for earlier in 0..round {
            let pairings = table.next_round();
            if !table.enter(self, earlier, &pairings, results) {
                return None;
            }
        }
        Some(table.next_round())
    }

    /// The standings of a Swiss tournament, best first, in which each unfinished round counts as far as it is played.
    pub fn swiss_standings(&self, results: &ResultsByGame) -> Vec<Standing> {
        let mut table = Standings::new(self.engines);
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

impl Standings {
    fn new(engines: usize) -> Standings {
        Standings {
            half_points: vec![0; engines],
            opponents: vec![Vec::new(); engines],
            byes: vec![0; engines],
            colors: vec![0; engines],
        }
    }

    /// Counts the games of a round. Returns whether all of them were played.
    fn enter(&mut self, pairing: &Pairing, round: u64, pairings: &Round, results: &ResultsByGame) -> bool {
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
                Some(Outcome::Win(Color::Black)) => self.half_points[black] += 2,
                Some(Outcome::Win(Color::White)) => self.half_points[white] += 2,
                Some(Outcome::Draw) => {
                    self.half_points[black] += 1;
                    self.half_points[white] += 1;
                }
                None => {}
            }
        }
        is_complete
    }

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
        let have_not_met: Vec<Vec<bool>> = (0..ranking.len())
            .map(|engine| (0..ranking.len()).map(|other| !self.opponents[engine].contains(&other)).collect())
            .collect();
        let (playing, bye) = self.with_bye(&ranking, &have_not_met);
        let boards = self.pair(playing, &have_not_met);
        Round { boards: boards.into_iter().map(|board| self.with_colors(board)).collect(), bye }
    }

    /// Engines that play, and the one that rests if their number is odd.
    fn with_bye(&self, ranking: &[usize], have_not_met: &[Vec<bool>]) -> (Vec<usize>, Option<usize>) {
        let without = |bye: Option<usize>| ranking.iter().copied().filter(|&engine| Some(engine) != bye).collect();
        if ranking.len().is_multiple_of(2) {
            return (without(None), None);
        }
        let mut resting: Vec<usize> = ranking.iter().rev().copied().collect();
        resting.sort_by_key(|&engine| self.byes[engine]);
        // Who has had more byes than another rests only if that saves a rematch.
        let mut best: Option<(usize, Vec<usize>, usize)> = None;
        for bye in resting {
            let playing: Vec<usize> = without(Some(bye));
            let unmatched = Matching::new(have_not_met, &playing).unmatched();
            if best.as_ref().is_none_or(|best| unmatched < best.0) {
                best = Some((unmatched, playing, bye));
            }
            if unmatched == 0 {
                break;
            }
        }
        let (_, playing, bye) = best.expect("somebody may rest");
        (playing, Some(bye))
    }

    /// Pairs these engines, the best first, with as few rematches as there can be.
    fn pair(&self, mut left: Vec<usize>, have_not_met: &[Vec<bool>]) -> Vec<[usize; 2]> {
        let mut matching = Matching::new(have_not_met, &left);
        let mut boards = Vec::new();
        while let Some(&first) = left.first() {
            // Those without a partner have all met each other: they make the rematches.
            let unmatched = matching.unmatched();
            let mut found = None;
            for opponent in self.preferences(&left) {
                let rest = matching.without([first, opponent]);
                let rematch = usize::from(!have_not_met[first][opponent]);
                if rest.unmatched() + 2 * rematch <= unmatched {
                    found = Some((opponent, rest));
                    break;
                }
            }
            let (opponent, rest) = found.expect("the partner in a largest matching fits, or another one without");
            boards.push([first, opponent]);
            left.retain(|&engine| engine != first && engine != opponent);
            matching = rest;
        }
        boards
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
        let own_top = ranking[1..half].iter().rev();
        let below = &ranking[group..];
        ranking[half..group].iter().chain(own_top).chain(below).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::{EnginePlan, Plan, Tournament};
    use komainu::random::SplitMix64;
    use std::collections::HashSet;

    /// The boards of `rounds` rounds with results by chance.
    fn rounds(engines: usize, rounds: u64, seed: u64) -> Vec<Vec<[usize; 2]>> {
        let names = (0..engines).map(|index| EnginePlan { name: index.to_string(), ..EnginePlan::default() });
        let plan = Plan { tournament: Tournament::Swiss, rounds: rounds as u32, ..Plan::new(names.collect(), 1) };
        let pairing = Pairing::new(&plan).unwrap();
        let mut table = Standings::new(engines);
        let mut random = SplitMix64(seed);
        (0..rounds)
            .map(|round| {
                let pairings = table.next_round();
                let mut results = ResultsByGame::new();
                for number in 0..pairing.games_each() {
                    let result = match random.below(8) {
                        0..=3 => Some(Outcome::Win(Color::Black)),
                        4..=6 => Some(Outcome::Win(Color::White)),
                        _ => Some(Outcome::Draw),
                    };
                    results.insert(round * pairing.games_each() + number, result);
                }
                assert!(table.enter(&pairing, round, &pairings, &results));
                let mut playing: Vec<usize> = pairings.boards.iter().flatten().copied().chain(pairings.bye).collect();
                playing.sort_unstable();
                assert_eq!(playing, (0..engines).collect::<Vec<_>>(), "everybody once");
                pairings.boards
            })
            .collect()
    }

    /// The fewest rematches of a round of those who are left (bits), by trying everything.
    fn fewest(met: &HashSet<[usize; 2]>, left: u32) -> usize {
        if left.count_ones() < 2 {
            return 0;
        }
        let first = left.trailing_zeros() as usize;
        let rest = left & (left - 1);
        let with = |other: usize| usize::from(met.contains(&[first, other])) + fewest(met, rest & !(1 << other));
        let best = (0..32).filter(|&other| rest >> other & 1 == 1).map(with).min();
        // One may rest if their number is odd.
        let resting = (left.count_ones() % 2 == 1).then(|| fewest(met, rest));
        best.into_iter().chain(resting).min().unwrap_or_default()
    }

    #[test]
    fn large_fields_have_no_rematch_while_everybody_has_half_the_field_left() {
        // A graph whose vertices all have half the others as neighbours has a perfect matching (Dirac 1952).
        for (engines, seeds) in [(64, 20), (101, 5), (200, 1)] {
            for seed in 0..seeds {
                let mut met = HashSet::new();
                for (round, boards) in rounds(engines, engines as u64 / 2, seed).iter().enumerate() {
                    let rematch = boards.iter().find(|[a, b]| !met.insert([*a.min(b), *a.max(b)]));
                    assert_eq!(rematch, None, "{engines} engines, seed {seed}, round {round}");
                }
            }
        }
    }

    #[test]
    fn no_round_has_more_rematches_than_it_must() {
        for engines in 2..=9 {
            for seed in 0..20 {
                let mut met = HashSet::new();
                // Until everybody has met everybody, and beyond.
                for (round, boards) in rounds(engines, engines as u64 + 2, seed).iter().enumerate() {
                    let least = fewest(&met, (1 << engines) - 1);
                    let rematches = boards.iter().filter(|[a, b]| !met.insert([*a.min(b), *a.max(b)])).count();
                    assert_eq!(rematches, least, "{engines} engines, seed {seed}, round {round}");
                }
            }
        }
    }
}
