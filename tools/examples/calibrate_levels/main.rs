//! Plays the playing levels against each other and against two anchors, and fits one Elo scale to the results: the
//! measurement behind the table of levels (`src/levels/params.rs`, docs/levels.md).
//!
//! Each level meets the next `REACH` stronger ones; 20 and 15 kyu also meet a uniformly random mover and a greedy one
//! that captures the most it can. Games start from the built-in openings, each played with both colours.
//!
//! ```sh
//! cargo run --release -p komainu-tools --example calibrate_levels -- GAMES [SEED [LEVEL...]]
//! ```
//!
//! With `handicaps` in front of `GAMES` it plays the customary handicaps: the giver against the level that is a number
//! of grades below it, with the style of a giver and without, and then against stronger ones until one scores half.
//!
//! `bounds` alone checks what must hold of the levels with a new net ([`bounds`]), in about ten minutes on one core,
//! and ends with an error where it does not.
//!
//! `people [GAMES [SEED [FOLDER [LEVEL...]]]]` lets levels play themselves and measures what people do ([`people`]);
//! with a FOLDER other than `-` it leaves the records there.

mod bounds;
mod people;

use komainu::eval::Evaluation;
use komainu::levels::{Level, LevelSettings, LevelTime, draw_value_of_giver};
use komainu::movegen::{All, generate};
use komainu::position::{GameRules, Handicap, Position, Repetition};
use komainu::random::SplitMix64;
use komainu::search::{Callbacks, Decision, HistorySize, Limits, STACK_BYTES, ThreadPool};
use komainu::types::{Color, Move, StopToken};
use komainu_tools::arena::stats::{Ledger, PlayedGame, RatingList};
use komainu_tools::openings;
use std::error::Error;

/// The move of a level with these settings, if it has one. Needs a stack of [`STACK_BYTES`].
pub(crate) fn level_move(pool: &mut ThreadPool, pos: &Position, settings: &LevelSettings) -> Option<Move> {
    let limits = Limits { draw_value: draw_value_of_giver(settings.given), ..Limits::to_nodes(u64::MAX) };
    let callbacks = Callbacks { chooser: Some(settings), on_block: &mut |_| (), on_answer: &mut |_| () };
    let result = pool.search_here(pos, GameRules::default(), &limits, &StopToken::new(), callbacks);
    match result.expect("all moves are searched").decision {
        Decision::Play(mv, _) => Some(mv),
        Decision::DeclareWin | Decision::Resign => None,
    }
}

/// A level that answers as fast as it can.
pub(crate) fn fast(level: Level, seed: u64) -> LevelSettings {
    LevelSettings { time: LevelTime::Fast, ..LevelSettings::new(level, seed) }
}

/// The rows of the table.
const LEVELS: &str = "20kyu 15kyu 12kyu 10kyu 7kyu 5kyu 3kyu 1kyu 1dan 2dan 3dan 4dan 5dan 6dan 7dan 8dan 9dan";
/// Number of stronger levels that each one meets.
const REACH: usize = 2;
/// A longer game is drawn.
const MAX_PLIES: usize = 400;
/// The givers of the handicap games.
const GIVERS: &str = "1kyu 1dan 3dan 5dan 7dan 9dan";
/// The handicaps, each with the difference in grades for which it is customary.
const HANDICAPS: [(Handicap, usize); 7] = [
    (Handicap::Lance, 2),
    (Handicap::Bishop, 3),
    (Handicap::Rook, 4),
    (Handicap::RookLance, 5),
    (Handicap::TwoPieces, 7),
    (Handicap::FourPieces, 9),
    (Handicap::SixPieces, 11),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    Random,
    Greedy,
    Level(Level),
}

impl std::fmt::Display for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Player::Random => f.pad("random"),
            Player::Greedy => f.pad("greedy"),
            Player::Level(level) => f.pad(&level.to_string()),
        }
    }
}

struct Table {
    pool: ThreadPool,
    random: SplitMix64,
}

impl Table {
    fn new(seed: u64) -> Table {
        let pool = ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build();
        Table { pool, random: SplitMix64(seed) }
    }

    /// The player's move; none if it resigns or has none.
    fn choose(&mut self, player: Player, pos: &Position, seed: u64, given: i32) -> Option<Move> {
        let Player::Level(level) = player else {
            let moves = generate::<All>(pos);
            let gain = |mv: &Move| pos.piece_on(mv.to()).map_or(0, |piece| piece.piece_type().capture_gain());
            let most = moves.iter().map(gain).max()?;
            let best: Vec<Move> = moves.into_iter().filter(|mv| player == Player::Random || gain(mv) == most).collect();
            return Some(*self.random.pick(&best));
        };
        level_move(&mut self.pool, pos, &LevelSettings { given, ..fast(level, seed) })
    }

    /// The winner of a game, in which White has given a handicap worth `given` centipawns.
    fn play(&mut self, mut pos: Position, players: [Player; 2], seed: u64, given: i32) -> Option<Color> {
        for _ in 0..MAX_PLIES {
            let side = pos.side();
            match pos.repetition() {
                Some(Repetition::Draw) => return None,
                Some(Repetition::Win) => return Some(side),
                Some(Repetition::Loss) => return Some(!side),
                None => {}
            }
            if pos.declaration(GameRules::default().entering_king).is_some() {
                return Some(side);
            }
            let given = if side == Color::White { given } else { 0 };
            let Some(mv) = self.choose(players[side.index()], &pos, seed + side.index() as u64, given) else {
                return Some(!side);
            };
            pos.do_move(mv);
        }
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if_eq("bounds").is_some() {
        return check_bounds();
    }
    if arguments.next_if_eq("people").is_some() {
        let wishes = people::Wishes::read(arguments)?;
        return holds(move || people::check(&wishes));
    }
    let with_handicaps = arguments.next_if_eq("handicaps").is_some();
    let games: usize = arguments.next().unwrap_or("100".to_string()).parse()?;
    let seed: u64 = arguments.next().unwrap_or("1".to_string()).parse()?;
    let names: Vec<String> = arguments.collect();
    let defaults = if with_handicaps { GIVERS } else { LEVELS };
    let names = if names.is_empty() { defaults.split(' ').map(str::to_string).collect() } else { names };
    let levels: Vec<Level> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    // A search keeps its lists of moves on the stack.
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(
            move || if with_handicaps { give_handicaps(&levels, games, seed) } else { calibrate(&levels, games, seed) },
        )?
        .join()
        .expect("no panic");
    Ok(())
}

fn check_bounds() -> Result<(), Box<dyn Error>> {
    let rows: Vec<Level> = LEVELS.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    holds(move || bounds::check(&rows))
}

/// Runs a check on a thread with the stack of a search.
fn holds(check: impl FnOnce() -> bool + Send + 'static) -> Result<(), Box<dyn Error>> {
    let check = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(check)?;
    if check.join().expect("no panic") { Ok(()) } else { Err("a bound does not hold".into()) }
}

/// The share of points and its error, both in percent.
fn share_of(points: f64, games: usize) -> (f64, f64) {
    let share = points / games as f64;
    (100.0 * share, 196.0 * (share * (1.0 - share) / games as f64).sqrt())
}

/// A handicap as one giver gives it.
struct Giving {
    giver: Level,
    handicap: Handicap,
    games: usize,
    seed: u64,
}

impl Giving {
    /// The giver's share of points against a receiver, and its error, in percent.
    fn share(&self, table: &mut Table, receiver: Level, with_style: bool) -> (f64, f64) {
        let start = Position::from_sfen(self.handicap.sfen()).expect("a handicap's position is good");
        let behind = -Evaluation::default().start(&start).evaluate(&start).0;
        let given = if with_style { behind.max(1) } else { 0 };
        let players = [Player::Level(receiver), Player::Level(self.giver)];
        let mut points = 0.0;
        for number in 0..self.games as u64 {
            let winner = table.play(start.clone(), players, self.seed.wrapping_mul(1_000_003) + 2 * number, given);
            points += winner.map_or(0.5, |winner| if winner == Color::White { 1.0 } else { 0.0 });
        }
        share_of(points, self.games)
    }

    /// The weakest of these receivers (the weakest first) that scores at least half, by bisection; none if nobody does.
    fn equal(&self, table: &mut Table, receivers: &[Level]) -> Option<(Level, f64)> {
        let mut low = 0;
        let mut high = receivers.len();
        let mut found = None;
        while low < high {
            let middle = (low + high) / 2;
            let (share, _) = self.share(table, receivers[middle], true);
            if share <= 50.0 {
                found = Some((receivers[middle], share));
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        found
    }
}

/// Plays the handicaps: each giver against the level for which it is customary, with and without style, and against the
/// levels between them until one scores half.
fn give_handicaps(givers: &[Level], games: usize, seed: u64) {
    let mut table = Table::new(seed);
    let levels: Vec<Level> = Level::all().collect();
    for &giver in givers {
        for (handicap, grades) in HANDICAPS {
            let at = levels.iter().position(|&level| level == giver).expect("a level");
            let Some(customary) = at.checked_sub(grades) else { continue };
            let giving = Giving { giver, handicap, games, seed };
            let (share, error) = giving.share(&mut table, levels[customary], true);
            let (plain, _) = giving.share(&mut table, levels[customary], false);
            let equal = giving
                .equal(&mut table, &levels[customary + 1..=at])
                .map_or("none up to the giver".to_string(), |(level, share)| format!("{level} ({share:.1} %)"));
            let receiver = levels[customary];
            let name = handicap.name();
            println!(
                "{giver} gives {receiver} {name}: {share:.1} % ± {error:.1}, without style {plain:.1}; even with {equal}"
            );
        }
    }
}

fn calibrate(levels: &[Level], games: usize, seed: u64) {
    let openings = openings::load(None, 8, Some(seed), false).expect("the list is good").0;
    let mut table = Table::new(seed);
    let players: Vec<Player> =
        [Player::Random, Player::Greedy].into_iter().chain(levels.iter().map(|&level| Player::Level(level))).collect();
    let mut ledger = Ledger::new(players.len());
    let mut pair = 0;
    for (weak, &weaker) in players.iter().enumerate() {
        for (strong, &stronger) in players.iter().enumerate().skip(weak + 1) {
            let level = |player| if let Player::Level(level) = player { Some(level) } else { None };
            let meets = match (level(weaker), level(stronger)) {
                (None, Some(level)) => level.grade() <= -15,
                (Some(_), Some(_)) => strong - weak <= REACH,
                _ => true,
            };
            if !meets {
                continue;
            }
            let mut points = 0.0;
            for number in 0..games / 2 {
                for weaker_side in Color::ALL {
                    let players = if weaker_side == Color::Black { [weaker, stronger] } else { [stronger, weaker] };
                    let start = openings[number % openings.len()].position();
                    let game_seed = seed.wrapping_mul(1_000_003) + 2 * pair + 7 * weaker_side.index() as u64;
                    let winner = table.play(start, players, game_seed, 0);
                    let (black, white) = if weaker_side == Color::Black { (weak, strong) } else { (strong, weak) };
                    ledger.add(PlayedGame { pair, black, white, winner, fingerprint: None });
                    points += winner.map_or(0.5, |winner| if winner == weaker_side { 0.0 } else { 1.0 });
                }
                pair += 1;
            }
            let played = games / 2 * 2;
            let (share, error) = share_of(points, played);
            println!("{stronger:>6} beats {weaker:>6}: {share:5.1} % ± {error:4.1} of {played} games");
        }
    }
    for rating in RatingList::of(&ledger).ratings.iter().rev() {
        println!("{:>6} Elo {:+7.1} ± {:5.1}", players[rating.engine], rating.elo, rating.error);
    }
}
