//! The results of all games of a match, by engines and by pairs.
//!
//! Of equal games only one counts. Engines with fixed nodes or depth play the same game again from the same opening, and ten equal games are no more
//! evidence than one. The unit of evidence is the pair: a pair counts unless one of its games is equal to a game of a
//! counted pair with a lower number. Then neither of its games counts: the other one alone would tell whom its opening
//! favours. So what counts follows from the set of games, whatever the order in which they ended, were resumed or
//! joined.

use super::{GameSample, Pentanomial, PlayerResult, ResultTally};
use komainu::notation::json::GameLine;
use komainu::types::Color;
use std::collections::{HashMap, HashSet};

/// All games of one engine against another one, or against all others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encounter {
    /// Complete pairs: `[half points as black][half points as white]`.
    pub pairs: [[u64; 3]; 3],
    /// Games whose partner has not been played, as black and as white.
    pub single: [ResultTally; 2],
}

impl Encounter {
    /// Counts a pair by the results as black and as white.
    fn count_pair(&mut self, black: PlayerResult, white: PlayerResult) {
        self.pairs[black.half_points()][white.half_points()] += 1;
    }

    /// Complete pairs in five classes.
    pub fn pentanomial(&self) -> Pentanomial {
        let mut penta = Pentanomial::default();
        for (black, row) in self.pairs.iter().enumerate() {
            for (white, count) in row.iter().enumerate() {
                penta.0[black + white] += count;
            }
        }
        penta
    }

    /// All games, as black and as white.
    pub fn by_color(&self) -> [ResultTally; 2] {
        let [mut black, mut white] = self.single;
        let tally = |counts: [u64; 3]| ResultTally { wins: counts[2], draws: counts[1], losses: counts[0] };
        black += tally(self.pairs.map(|row| row.iter().sum()));
        white += tally(std::array::from_fn(|column| self.pairs.iter().map(|row| row[column]).sum()));
        [black, white]
    }

    pub fn tally(&self) -> ResultTally {
        let [black, white] = self.by_color();
        black + white
    }

    /// All games of this encounter as black, whoever it was, counted them.
    pub fn black_side(&self) -> ResultTally {
        let [black, white] = self.by_color();
        black + white.reversed()
    }

    /// Sample for estimates of strength: all games.
    pub fn sample(&self) -> GameSample {
        GameSample { pairs: self.pentanomial(), singles: self.single[0] + self.single[1] }
    }

    /// Games from the other side.
    pub fn reversed(&self) -> Encounter {
        let [black, white] = self.single;
        Encounter {
            pairs: std::array::from_fn(|black| std::array::from_fn(|white| self.pairs[2 - white][2 - black])),
            single: [white.reversed(), black.reversed()],
        }
    }

    fn add(&mut self, other: &Encounter) {
        for (row, more) in self.pairs.iter_mut().zip(&other.pairs) {
            for (count, more) in row.iter_mut().zip(more) {
                *count += more;
            }
        }
        for (tally, more) in self.single.iter_mut().zip(other.single) {
            *tally += more;
        }
    }
}

/// The results of all games that count: of equal games one, see [`Ledger::add`]. The order in which games are added
/// does not matter.
///
/// ```
/// use komainu_tools::arena::stats::{Ledger, PlayedGame};
/// use komainu::types::Color;
///
/// let mut ledger = Ledger::new(2);
/// for pair in 0..5 {
///     let winner = Some(Color::Black);
///     ledger.add(PlayedGame { pair, black: 0, white: 1, winner, fingerprint: Some(pair % 2) });
/// }
/// assert_eq!((ledger.games(), ledger.repeated()), (2, 3));
/// ```
#[derive(Clone, Debug)]
pub struct Ledger {
    engines: usize,
    games: Distinct,
    /// `[a * engines + b]` for a < b, as engine a counts.
    encounters: Vec<Encounter>,
    /// The first game of each pair, until its partner has been played.
    waiting: HashMap<u64, PlayedGame>,
}

impl Ledger {
    /// No games yet between a number of engines.
    pub fn new(engines: usize) -> Ledger {
        let encounters = vec![Encounter::default(); engines * engines];
        Ledger { engines, games: Distinct::default(), encounters, waiting: HashMap::new() }
    }

    pub fn engines(&self) -> usize {
        self.engines
    }

    /// Counts a game, unless it or its partner is equal to a game of a counted pair with a lower number.
    ///
    /// # Panics
    ///
    /// If an engine is out of range or plays itself.
    pub fn add(&mut self, game: PlayedGame) {
        assert!(game.black < self.engines && game.white < self.engines && game.black != game.white);
        match self.games.add(game) {
            Change::Counts => self.count(game),
            Change::LeftOut => {}
            Change::Recount => {
                self.encounters.fill(Encounter::default());
                self.waiting.clear();
                for game in self.games.recount() {
                    self.count(game);
                }
            }
        }
    }

    fn count(&mut self, game: PlayedGame) {
        match self.waiting.remove(&game.pair) {
            Some(first) if (first.black, first.white) == (game.white, game.black) => self.complete(first, game),
            Some(other) => {
                self.waiting.insert(other.pair, other);
                self.count_single(game);
            }
            None => {
                self.waiting.insert(game.pair, game);
                self.count_single(game);
            }
        }
    }

    fn count_single(&mut self, game: PlayedGame) {
        let (encounter, side) = self.encounter(&game);
        encounter.single[side.index()].count(game.result(side));
    }

    /// Turns a single game and its partner into a pair.
    fn complete(&mut self, first: PlayedGame, second: PlayedGame) {
        let (encounter, side) = self.encounter(&first);
        let single = &mut encounter.single[side.index()];
        let result = first.result(side);
        let partner = second.result(!side);
        match result {
            PlayerResult::Win => single.wins -= 1,
            PlayerResult::Draw => single.draws -= 1,
            PlayerResult::Loss => single.losses -= 1,
        }
        match side {
            Color::Black => encounter.count_pair(result, partner),
            Color::White => encounter.count_pair(partner, result),
        }
    }

    /// Where a game is counted, and which side the engine that counts had.
    fn encounter(&mut self, game: &PlayedGame) -> (&mut Encounter, Color) {
        let a = game.black.min(game.white);
        let b = game.black.max(game.white);
        let side = if game.black == a { Color::Black } else { Color::White };
        (&mut self.encounters[a * self.engines + b], side)
    }

    /// The games of one engine against another, as the first one counts.
    pub fn between(&self, engine: usize, opponent: usize) -> Encounter {
        if engine <= opponent {
            self.encounters[engine * self.engines + opponent]
        } else {
            self.encounters[opponent * self.engines + engine].reversed()
        }
    }

    /// The games of one engine against all others.
    pub fn total(&self, engine: usize) -> Encounter {
        let mut total = Encounter::default();
        for opponent in 0..self.engines {
            total.add(&self.between(engine, opponent));
        }
        total
    }

    /// All games as black counts them, for the advantage of the first move.
    pub fn black_side(&self) -> ResultTally {
        self.encounters.iter().map(Encounter::black_side).fold(ResultTally::default(), |sum, tally| sum + tally)
    }

    pub fn games(&self) -> u64 {
        self.black_side().games()
    }

    /// Games that do not count because they, or their partners, are equal to games that do.
    pub fn repeated(&self) -> u64 {
        self.games.taken() - self.games()
    }
}

/// A finished game, as far as statistics need it. A game without a result is not counted at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The number of its pair: two games with this number, colours swapped, make a pair.
    pub pair: u64,
    /// The index of the engine that was black.
    pub black: usize,
    /// The index of the engine that was white.
    pub white: usize,
    /// Who won; `None` for a draw.
    pub winner: Option<Color>,
    /// Hash of its start and moves. Games of the same players, colours and result that agree in it are equal and count
    /// once. `None` for a game that is known to be unlike all others.
    pub fingerprint: Option<u64>,
}

impl PlayedGame {
    /// A game of these two engines; `None` for a game without a result.
    pub fn of(line: &GameLine, [black, white]: [usize; 2]) -> Option<PlayedGame> {
        let winner = line.result()?.winner();
        Some(PlayedGame { pair: line.pair, black, white, winner, fingerprint: Some(line.fingerprint()) })
    }

    /// The result for the side.
    pub(crate) fn result(&self, side: Color) -> PlayerResult {
        match self.winner {
            None => PlayerResult::Draw,
            Some(color) if color == side => PlayerResult::Win,
            Some(_) => PlayerResult::Loss,
        }
    }
}

/// Players, moves and winner of a game.
type Identity = (usize, usize, u64, Option<Color>);

impl PlayedGame {
    fn identity(&self) -> Option<Identity> {
        self.fingerprint.map(|fingerprint| (self.black, self.white, fingerprint, self.winner))
    }
}

/// Effect of a further game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Counts,
    LeftOut,
    /// Games that were counted do not count any more, or the other way round: all are to be counted anew.
    Recount,
}

/// The games of a match, and which of them count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distinct {
    games: Vec<PlayedGame>,
    /// The pair of each game that counts.
    owners: HashMap<Identity, u64>,
    /// Pairs of which a game counts.
    counted: HashSet<u64>,
    /// Pairs of which no game counts.
    left_out: HashSet<u64>,
}

impl Distinct {
    pub(crate) fn add(&mut self, game: PlayedGame) -> Change {
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
    pub(crate) fn recount(&mut self) -> Vec<PlayedGame> {
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
    pub(crate) fn taken(&self) -> u64 {
        self.games.len() as u64
    }
}
