//! Figures of a number of games or positions.

use super::games::Game;
use crate::training::win_rate::WinRates;
use komainu::bitboard::Bitboard;
use komainu::notation::record::Ending;
use komainu::position::Position;
use komainu::types::{Color, PieceType, Score};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display, Formatter};

/// Width of the classes of lengths, in plies.
const LENGTH_STEP: usize = 40;
/// The last class of lengths holds all longer games.
const LENGTH_CLASSES: usize = 11;
/// Bounds of the classes of scores, in centipawns.
const SCORE_BOUNDS: [i32; 7] = [50, 150, 300, 600, 1_200, 3_000, Score::MAX_NON_MATE.0 + 1];
/// Bounds of the classes of pieces in hand, those of both sides together.
pub(super) const HAND_BOUNDS: [i32; 5] = [2, 5, 9, 14, 39];
/// Positions of which one is kept to find out how many come more than once.
const DUPLICATE_SHARE: u64 = 64;

/// Counts of games.
#[derive(Clone, Debug, Default)]
pub struct GamesTally {
    pub games: u64,
    /// Plies, those drawn at random included.
    pub plies: u64,
    /// Positions that are not random.
    pub positions: u64,
    /// Games won by black, won by white, drawn.
    pub results: [u64; 3],
    endings: BTreeMap<&'static str, u64>,
    lengths: [u64; LENGTH_CLASSES],
    shortest: Option<usize>,
    longest: usize,
    scores: Scores,
}

/// Counts of scores by their size, mates last.
#[derive(Clone, Debug, Default)]
struct Scores([u64; SCORE_BOUNDS.len() + 1]);

/// Counts of positions: what is on the board.
#[derive(Clone, Debug, Default)]
pub struct PositionTally {
    pub positions: u64,
    /// Of games that black won, that white won, that were drawn.
    results: [u64; 3],
    scores: Scores,
    pub win_rates: WinRates,
    /// By the number of pieces in hand.
    hands: [u64; HAND_BOUNDS.len()],
    checks: u64,
    /// With a king in the enemy camp.
    entered: u64,
    /// Number of times that each of the sampled positions came.
    sample: HashMap<u64, u32>,
}

/// The class of a value: the first bound that is larger.
pub(super) fn class(value: i32, bounds: &[i32]) -> usize {
    bounds.iter().position(|&bound| value < bound).unwrap_or(bounds.len())
}

/// The pieces in hand, those of both sides together.
pub(super) fn pieces_in_hand(pos: &Position) -> i32 {
    let held = Color::ALL.map(|color| PieceType::HAND.map(|held| i32::from(pos.hand(color).count(held))));
    held.as_flattened().iter().sum()
}

/// The names of the classes below each of the bounds.
fn class_names(bounds: &[i32]) -> Vec<String> {
    let lower = [0].into_iter().chain(bounds.iter().copied());
    lower.zip(bounds).map(|(from, to)| format!("{from}-{}", to - 1)).collect()
}

/// A count with its share of a whole.
fn line(f: &mut Formatter<'_>, name: &str, count: u64, whole: u64) -> fmt::Result {
    let percent = 100.0 * count as f64 / whole.max(1) as f64;
    writeln!(f, "  {name:<17}{count:>11} {percent:>5.1} %")
}

impl Scores {
    fn add(&mut self, score: i16) {
        self.0[class(i32::from(score).abs(), &SCORE_BOUNDS)] += 1;
    }

    fn names() -> Vec<String> {
        let mut names = class_names(&SCORE_BOUNDS);
        names.push("mate".to_string());
        names
    }

    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "scores, by their size in centipawns")?;
        show_classes(f, &Scores::names(), &self.0)
    }

    fn json(&self) -> Value {
        by_name(Scores::names(), &self.0)
    }
}

/// Counts of classes, with their shares of all.
fn show_classes(f: &mut Formatter<'_>, names: &[impl AsRef<str>], counts: &[u64]) -> fmt::Result {
    for (name, &count) in names.iter().zip(counts) {
        line(f, name.as_ref(), count, counts.iter().sum())?;
    }
    Ok(())
}

fn show_results(f: &mut Formatter<'_>, results: [u64; 3]) -> fmt::Result {
    writeln!(f, "results")?;
    show_classes(f, &["black wins", "white wins", "draws"], &results)
}

/// Counts by the names of their classes.
fn by_name<N: Into<String>>(names: impl IntoIterator<Item = N>, counts: &[u64]) -> Value {
    names.into_iter().map(Into::into).zip(counts.iter().map(|&count| Value::from(count))).collect::<Map<_, _>>().into()
}

const RESULTS: [&str; 3] = ["black", "white", "draw"];

impl GamesTally {
    pub fn add(&mut self, game: &Game) {
        let plies = game.plies().len();
        self.games += 1;
        self.plies += plies as u64;
        self.positions += game.positions();
        self.results[game.winner().map_or(2, Color::index)] += 1;
        *self.endings.entry(game.ending().words()).or_default() += 1;
        self.lengths[(plies / LENGTH_STEP).min(LENGTH_CLASSES - 1)] += 1;
        self.shortest = Some(self.shortest.map_or(plies, |shortest| shortest.min(plies)));
        self.longest = self.longest.max(plies);
        for ply in &game.plies()[game.opening()..] {
            self.scores.add(ply.score);
        }
    }

    /// Games that were broken off because their outcome was beyond doubt.
    pub fn adjudicated(&self) -> u64 {
        self.endings.get(Ending::AdjudicatedWin.words()).copied().unwrap_or(0)
    }

    /// The counts as an object.
    pub fn json(&self) -> Value {
        json!({
            "games": self.games,
            "plies": self.plies,
            "positions": self.positions,
            "results": by_name(RESULTS, &self.results),
            "endings": self.endings,
            "shortest": self.shortest,
            "longest": self.longest,
            "scores": self.scores.json(),
        })
    }
}

impl Display for GamesTally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let GamesTally { games, plies, positions, .. } = self;
        writeln!(f, "games {games}, plies {plies}, positions {positions} without the random ones")?;
        show_results(f, self.results)?;
        writeln!(f, "endings")?;
        for (name, &count) in &self.endings {
            line(f, name, count, *games)?;
        }
        let mean = *plies as f64 / (*games).max(1) as f64;
        writeln!(f, "lengths: mean {mean:.1}, shortest {}, longest {}", self.shortest.unwrap_or(0), self.longest)?;
        for (class, &count) in self.lengths.iter().enumerate().filter(|(_, count)| **count > 0) {
            let from = class * LENGTH_STEP;
            let is_last = class + 1 == LENGTH_CLASSES;
            let name = if is_last { format!("{from}-") } else { format!("{from}-{}", from + LENGTH_STEP - 1) };
            line(f, &name, count, *games)?;
        }
        self.scores.show(f)
    }
}

impl PositionTally {
    /// Counts a position with its score and the result for its side to move.
    pub fn add(&mut self, pos: &Position, score: i16, result: i8) {
        self.positions += 1;
        let winner = if result > 0 { pos.side() } else { !pos.side() };
        self.results[if result == 0 { 2 } else { winner.index() }] += 1;
        self.scores.add(score);
        if i32::from(score).abs() <= Score::MAX_NON_MATE.0 {
            self.win_rates.add(score, result);
        }
        self.hands[class(pieces_in_hand(pos), &HAND_BOUNDS)] += 1;
        self.checks += u64::from(pos.in_check());
        let has_entered = |color| pos.king(color).is_some_and(|king| Bitboard::zone(color).contains(king));
        self.entered += u64::from(Color::ALL.into_iter().any(has_entered));
        if pos.key().0.is_multiple_of(DUPLICATE_SHARE) {
            *self.sample.entry(pos.key().0).or_default() += 1;
        }
    }

    fn show_win_rates(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(scale) = self.win_rates.scale() else { return Ok(()) };
        writeln!(
            f,
            "points of the side that is ahead; by 1 / (1 + exp(-cp / {scale:.0})) a score of {scale:.0} makes 73.1 %"
        )?;
        let lower = [0].into_iter().chain(SCORE_BOUNDS);
        for (name, (from, to)) in class_names(&SCORE_BOUNDS).iter().zip(lower.zip(SCORE_BOUNDS)) {
            if let Some(rate) = self.win_rates.rate(from as u16..to as u16) {
                writeln!(f, "  {name:<28} {:>5.1} %", 100.0 * rate)?;
            }
        }
        Ok(())
    }

    /// Percentage of positions that came before, and the size of the sample that says so.
    pub fn duplicates(&self) -> (f64, u64) {
        let sampled: u64 = self.sample.values().map(|&count| u64::from(count)).sum();
        let again = sampled - self.sample.len() as u64;
        (100.0 * again as f64 / sampled.max(1) as f64, sampled)
    }

    /// The counts as an object.
    pub fn json(&self) -> Value {
        let (percent, sampled) = self.duplicates();
        json!({
            "positions": self.positions,
            "results": by_name(RESULTS, &self.results),
            "scores": self.scores.json(),
            "pieces_in_hand": by_name(class_names(&HAND_BOUNDS), &self.hands),
            "in_check": self.checks,
            "king_in_camp": self.entered,
            "duplicates_percent": percent,
            "duplicates_sampled": sampled,
        })
    }
}

impl Display for PositionTally {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let &PositionTally { positions, checks, entered, .. } = self;
        writeln!(f, "positions {positions}, by the result of their game")?;
        show_results(f, self.results)?;
        self.scores.show(f)?;
        self.show_win_rates(f)?;
        writeln!(f, "phases, by the pieces in hand")?;
        show_classes(f, &class_names(&HAND_BOUNDS), &self.hands)?;
        writeln!(f, "others")?;
        line(f, "in check", checks, positions)?;
        line(f, "king in the camp", entered, positions)?;
        let (percent, sampled) = self.duplicates();
        writeln!(f, "duplicates: about {percent:.1} %, from a sample of {sampled}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_the_class_below_their_bound() {
        assert_eq!([0, 49, 50, 2_999, 30_999, 31_000].map(|score| class(score, &SCORE_BOUNDS)), [0, 0, 1, 5, 6, 7]);
        assert_eq!([0, 1, 2, 38].map(|held| class(held, &HAND_BOUNDS)), [0, 0, 1, 4]);
        assert_eq!(class_names(&[2, 5]), ["0-1", "2-4"]);
    }

    #[test]
    fn positions_are_counted_by_what_is_on_the_board() {
        let mut tally = PositionTally::default();
        let sfens = [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1",
            "1K6k/9/9/9/9/9/9/9/8R w 2P 1",
        ];
        for (sfen, result) in sfens.into_iter().zip([1, 1, 0]) {
            tally.add(&Position::from_sfen(sfen).expect("a valid SFEN"), -120, result);
        }
        assert_eq!((tally.positions, tally.results, tally.scores.0[1]), (3, [1, 1, 1], 3));
        assert_eq!((tally.hands, tally.checks, tally.entered), ([1, 1, 0, 0, 1], 1, 1));
    }

    #[test]
    fn duplicates_are_estimated_from_a_sample() {
        let mut tally = PositionTally::default();
        let hands = |n: usize| format!("{}P{}L{}N{}S", n % 18 + 1, n / 18 % 4 + 1, n / 72 % 4 + 1, n / 288 % 4 + 1);
        for round in 1..=4 {
            for n in 0..1_152 {
                // Those without a gold come in every round, those with the golds of one round in that one only.
                for golds in [String::new(), format!("{round}G")] {
                    let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 b {golds}{} 1", hands(n));
                    tally.add(&Position::from_sfen(&sfen).expect("a valid SFEN"), 0, 0);
                }
            }
        }
        let (percent, sampled) = tally.duplicates();
        assert_eq!(tally.positions, 9_216);
        // 3 of 8 came before.
        assert!((90..200).contains(&sampled) && (25.0..50.0).contains(&percent), "{percent} of {sampled}");
    }
}
