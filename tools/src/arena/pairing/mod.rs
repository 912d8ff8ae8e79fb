//! Who plays whom, with which colour, from which opening: the sequence of games of a match.
//!
//! A game follows from its number, the plan, and (in a Swiss tournament) the results of earlier rounds; nothing else is
//! remembered. So a match that was broken off goes on exactly where it was.
//!
//! # Order
//!
//! Two engines that meet play their games in pairs: the same opening twice, colours swapped, one after the other.
//! A *lap* is one pair (of an odd number of games, in the last lap, one game) of each pairing; lap follows lap until
//! each pairing has its games, so that results fill evenly. Within a lap the pairings of a round robin are ordered by
//! the circle method (Kirkman 1850): every engine plays about as often as every other at any time.
//!
//! # Openings
//!
//! Each pair of games of two engines has an opening of its own. A match of two plays the list in its order. In a
//! tournament each two engines play it in an order of their own that follows from the seed, so that the engines are not
//! all compared on the same few openings; unless the plan wants just that.

mod matching;
mod swiss;
#[cfg(test)]
mod tests;

pub use swiss::Standing;

use super::plan::{Plan, Tournament};
use crate::random::Random;
use crate::share::{Shard, Span};
use komainu::notation::record::Outcome;
use komainu::types::Counted;
use std::collections::BTreeMap;
use thiserror::Error;

/// A game to be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameAssignment {
    /// Number in the match, from 0.
    pub number: u64,
    /// The number of its pair, from 0.
    pub pair: u64,
    /// The round of a Swiss tournament, the lap of any other match, from 0.
    pub round: u32,
    /// The index of the engine that is black.
    pub black: usize,
    /// The index of the engine that is white.
    pub white: usize,
    /// The number of the pair among those of its two engines, from 0, by which it has its opening.
    pub turn: u64,
}

/// Results of the games that have been played, by their numbers. From a game without a result nobody gets a point, and
/// it is not played again.
pub type ResultsByGame = BTreeMap<u64, Option<Outcome>>;

/// Game that a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextGame {
    Game(GameAssignment),
    /// A game whose players depend on games that are not finished yet.
    Wait,
    /// The match has fewer games.
    End,
}

/// Why a plan has no games.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct PairingError(pub String);

/// The pairings of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    tournament: Tournament,
    engines: usize,
    games: u64,
    /// Rounds of a Swiss tournament.
    rounds: u32,
    /// The share of the pairs that is played.
    shard: Option<Shard>,
    /// The range of the pairs that is played.
    pairs: Option<Span>,
    /// Seed of the orders of openings; without one all play the list in its order.
    seed: Option<u64>,
}

/// Where a game stands in a series of laps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LapIndex {
    lap: u64,
    /// The index of the pairing in the lap.
    pairing: u64,
    /// Marks the second game of its pair.
    is_return: bool,
}

impl LapIndex {
    /// Black and white, given who is black in the first game of all. Who begins with black changes from lap to lap.
    fn colors(self, [first, second]: [usize; 2]) -> [usize; 2] {
        if self.is_return == self.lap.is_multiple_of(2) { [second, first] } else { [first, second] }
    }
}

fn refused<T>(why: impl ToString) -> Result<T, PairingError> {
    Err(PairingError(why.to_string()))
}

impl Pairing {
    /// The pairings of a plan.
    pub fn new(plan: &Plan) -> Result<Pairing, PairingError> {
        let engines = plan.engines.len();
        if plan.tournament == Tournament::Server {
            return refused("a server has paired these games: they cannot be gone on with here");
        }
        if engines < 2 {
            return refused(format_args!("a match needs two engines or more, not {engines}"));
        }
        if plan.games == 0 {
            return refused("a match needs one game or more");
        }
        let rounds = match (plan.tournament, plan.rounds) {
            (Tournament::Swiss, 0) => engines.next_power_of_two().ilog2(),
            (Tournament::Swiss, rounds) => rounds,
            _ => 1,
        };
        if plan.tournament == Tournament::Swiss && plan.is_part() {
            // Its pairings would depend on games of the other shards.
            return refused("a Swiss tournament has no shards");
        }
        let tournament = plan.tournament;
        let games = plan.games;
        let seed = if engines == 2 || plan.same_openings { None } else { Some(plan.openings.shuffle.unwrap_or(0)) };
        let pairing = Pairing { tournament, engines, games, rounds, shard: plan.shard, pairs: plan.pairs, seed };
        let total = pairing.pairings_each().checked_mul(plan.games).and_then(|games| games.checked_mul(rounds.into()));
        // An opening is counted by a usize, and a lap by a u32.
        let is_countable = total.is_some_and(|total| usize::try_from(total).is_ok());
        if !is_countable || tournament != Tournament::Swiss && u32::try_from(games / 2).is_err() {
            return refused("too many games to be counted");
        }
        if let Some(span) = plan.pairs
            && span.end() > pairing.pairs()
        {
            let pairs = Counted(pairing.pairs(), "pair");
            return refused(format_args!("--pairs {span}: the match has {pairs}, numbered from 0"));
        }
        Ok(pairing)
    }

    /// Number of games of the match if nothing ends it before.
    pub fn total(&self) -> u64 {
        self.games_each() * u64::from(self.rounds)
    }

    /// Tests whether a pair is played here.
    pub fn takes(&self, pair: u64) -> bool {
        self.shard.is_none_or(|shard| shard.takes(pair)) && self.pairs.is_none_or(|span| span.takes(pair))
    }

    /// Number of games that are played here if nothing ends the match before.
    pub fn share(&self) -> u64 {
        // Without a Swiss tournament pairs are numbered lap by lap, and those of one game come last.
        let whole = self.games / 2 * self.pairings_each();
        let all = self.laps() * self.pairings_each();
        match (self.shard, self.pairs) {
            (Some(shard), _) => shard.share_of(whole) + shard.share_of(all),
            (None, Some(span)) => span.share_of(whole) + span.share_of(all),
            (None, None) => self.total(),
        }
    }

    /// Number of pairs of games of the match, with those of one game.
    pub fn pairs(&self) -> u64 {
        self.laps() * self.pairings_each() * u64::from(self.rounds)
    }

    /// The other game of the pair of this one; `None` if it has none.
    pub fn partner(&self, number: u64) -> Option<u64> {
        let begin = number / self.games_each() * self.games_each();
        let place = number - begin;
        if self.place(place).lap < self.games / 2 { Some(begin + (place ^ 1)) } else { None }
    }

    /// Number of rounds of a Swiss tournament; 1 for any other match.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The game of a number. The results matter in a Swiss tournament only.
    pub fn game(&self, number: u64, results: &ResultsByGame) -> NextGame {
        if number >= self.total() {
            return NextGame::End;
        }
        let round = number / self.games_each();
        let place = self.place(number % self.games_each());
        let players = match self.tournament {
            Tournament::RoundRobin => alternate(circle(self.engines, place.pairing as usize)),
            Tournament::Gauntlet => alternate([0, place.pairing as usize + 1]),
            Tournament::Swiss => match self.swiss_round(round, results) {
                Some(round) => round.boards[place.pairing as usize],
                None => return NextGame::Wait,
            },
            Tournament::Server => return NextGame::End,
        };
        let [black, white] = place.colors(players);
        let turn = round * self.laps() + place.lap;
        let pair = turn * self.pairings_each() + place.pairing;
        let round = if self.tournament == Tournament::Swiss { round } else { place.lap } as u32;
        NextGame::Game(GameAssignment { number, pair, round, black, white, turn })
    }

    /// Pairs that two engines who meet play of each other, in a Swiss tournament in one round.
    pub fn laps(&self) -> u64 {
        self.games.div_ceil(2)
    }

    /// The opening of a game as its index in a list of so many, which begins anew at its end.
    pub fn opening(&self, game: &GameAssignment, openings: usize) -> usize {
        let turn = (game.turn % openings as u64) as usize;
        if self.seed.is_none() { turn } else { self.openings_of([game.black, game.white], openings)[turn] }
    }

    /// The order in which two engines play so many openings.
    pub fn openings_of(&self, engines: [usize; 2], openings: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..openings).collect();
        if let Some(seed) = self.seed {
            let low = engines[0].min(engines[1]);
            let high = engines[0].max(engines[1]);
            Random::new(seed, (low * self.engines + high) as u64).shuffle(&mut order);
        }
        order
    }

    fn pairings_each(&self) -> u64 {
        let engines = self.engines as u64;
        match self.tournament {
            Tournament::RoundRobin => engines * (engines - 1) / 2,
            Tournament::Gauntlet => engines - 1,
            Tournament::Swiss => engines / 2,
            Tournament::Server => 0,
        }
    }

    /// Games of a round: the whole match if it is no Swiss tournament.
    fn games_each(&self) -> u64 {
        self.pairings_each() * self.games
    }

    /// The place of a game in its round.
    fn place(&self, number: u64) -> LapIndex {
        let pairings = self.pairings_each();
        let lap = number / (2 * pairings);
        let rest = number % (2 * pairings);
        if lap < self.games / 2 {
            LapIndex { lap, pairing: rest / 2, is_return: rest % 2 == 1 }
        } else {
            LapIndex { lap, pairing: rest, is_return: false }
        }
    }
}

/// The pairing of this index in a round robin, by the circle method: engines sit around a table, the last one stays,
/// the others move on by one seat each turn. With an odd number the one opposite to the empty seat rests.
fn circle(engines: usize, index: usize) -> [usize; 2] {
    let boards = engines / 2;
    let turn = index / boards;
    let board = index % boards;
    let moving = engines.next_multiple_of(2) - 1;
    let board = if engines.is_multiple_of(2) { board } else { board + 1 };
    if board == 0 {
        return [turn, moving];
    }
    [(turn + board) % moving, (turn + moving - board) % moving]
}

/// Two engines, the one first that begins with black: by the sum of their indices, which gives each engine black
/// against about half of the others.
fn alternate(engines: [usize; 2]) -> [usize; 2] {
    let low = engines[0].min(engines[1]);
    let high = engines[0].max(engines[1]);
    if (low + high) % 2 == 1 { [low, high] } else { [high, low] }
}
