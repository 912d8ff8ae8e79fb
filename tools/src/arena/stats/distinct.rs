//! Games that count: of equal games one.
//!
//! Engines with fixed nodes or depth play the same game again from the same opening, and ten equal games are no more
//! evidence than one. The unit of evidence is the pair: a pair counts unless one of its games is equal to a game of a
//! counted pair with a lower number. Then neither of its games counts: the other one alone would tell whom its opening
//! favours. So what counts follows from the set of games, whatever the order in which they ended, were resumed or
//! joined.

use super::played::PlayedGame;
use komainu::types::Color;
use std::collections::{HashMap, HashSet};

/// Players, moves and winner of a game.
type Identity = (usize, usize, u64, Option<Color>);

impl PlayedGame {
    fn identity(&self) -> Option<Identity> {
        self.fingerprint.map(|fingerprint| (self.black, self.white, fingerprint, self.winner))
    }
}

/// Effect of a further game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Counts,
    LeftOut,
    /// Games that were counted do not count any more, or the other way round: all are to be counted anew.
    Recount,
}

/// The games of a match, and which of them count.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    games: Vec<PlayedGame>,
    /// The pair of each game that counts.
    owners: HashMap<Identity, u64>,
    /// Pairs of which a game counts.
    counted: HashSet<u64>,
    /// Pairs of which no game counts.
    left_out: HashSet<u64>,
}

impl Distinct {
    pub(super) fn add(&mut self, game: PlayedGame) -> Change {
        self.games.push(game);
        if self.left_out.contains(&game.pair) {
            return Change::LeftOut;
        }
        let Some(identity) = game.identity() else {
            self.counted.insert(game.pair);
            return Change::Counts;
        };
        match self.owners.get(&identity) {
            None => {
                self.owners.insert(identity, game.pair);
                self.counted.insert(game.pair);
                Change::Counts
            }
            Some(&owner) if owner == game.pair => Change::LeftOut,
            Some(&owner) if owner < game.pair && !self.counted.contains(&game.pair) => {
                self.left_out.insert(game.pair);
                Change::LeftOut
            }
            Some(_) => Change::Recount,
        }
    }

    /// The games that count, found anew pair by pair.
    pub(super) fn recount(&mut self) -> Vec<PlayedGame> {
        *self = Distinct { games: std::mem::take(&mut self.games), ..Distinct::default() };
        self.games.sort_by_key(|game| game.pair);
        let mut all = Vec::new();
        for pair in self.games.chunk_by(|one, other| one.pair == other.pair) {
            let number = pair[0].pair;
            if pair.iter().filter_map(PlayedGame::identity).any(|identity| self.owners.contains_key(&identity)) {
                self.left_out.insert(number);
                continue;
            }
            self.counted.insert(number);
            let is_first =
                |game: &&PlayedGame| game.identity().is_none_or(|known| self.owners.insert(known, number).is_none());
            all.extend(pair.iter().filter(is_first).copied());
        }
        all
    }

    /// Number of games that were taken.
    pub(super) fn taken(&self) -> u64 {
        self.games.len() as u64
    }
}
