//! Plays the playing levels against each other and against two anchors, and fits one Elo scale to the results: the
//! measurement behind the table of levels (`src/search/levels/table.rs`, docs/levels.md).
//!
//! Each level meets the next `REACH` stronger ones; 20 and 15 kyu also meet a uniformly random mover and a greedy one that
//! captures the most it can. Games start from the built-in openings, each played with both colours.
//!
//! ```sh
//! cargo run --release --example calibrate_levels -- GAMES [SEED [LEVEL...]]
//! ```

use komainu::arena::stats::{Anchor, Ledger, PlayedGame, RatingList};
use komainu::movegen::{All, generate};
use komainu::openings;
use komainu::position::{GameRules, Position, Repetition};
use komainu::random::SplitMix64;
use komainu::search::{Decision, HistorySize, Level, LevelSettings, LevelTime, Limits, Pool, STACK_BYTES, Signals};
use komainu::types::{Color, Move};
use std::error::Error;
use std::sync::Arc;

/// The rows of the table.
const LEVELS: &str = "20kyu 15kyu 12kyu 10kyu 7kyu 5kyu 3kyu 1kyu 1dan 2dan 3dan 4dan 5dan 6dan 7dan 8dan 9dan";
/// How many stronger levels each one meets.
const REACH: usize = 2;
/// A longer game is drawn.
const MAX_PLIES: usize = 400;

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
    pool: Pool,
    random: SplitMix64,
}

impl Table {
    /// The player's move; none if it resigns or has none.
    fn choose(&mut self, player: Player, pos: &Position, seed: u64) -> Option<Move> {
        let Player::Level(level) = player else {
            let moves = generate::<All>(pos);
            let gain = |mv: &Move| pos.piece_on(mv.to()).map_or(0, |piece| piece.piece_type().capture_gain());
            let most = moves.iter().map(gain).max()?;
            let best: Vec<Move> = moves.into_iter().filter(|mv| player == Player::Random || gain(mv) == most).collect();
            return Some(*self.random.pick(&best));
        };
        let level = Some(LevelSettings { level, seed, time: LevelTime::Fast });
        let limits = Limits { level, ..Limits::to_nodes(u64::MAX) };
        let signals = Arc::new(Signals::new(false));
        match self.pool.search_here(pos, GameRules::default(), &limits, &signals, &mut |_| ()).decision {
            Decision::Play(mv, _) => Some(mv),
            Decision::DeclareWin | Decision::Resign => None,
        }
    }

    /// The winner of a game.
    fn play(&mut self, mut pos: Position, players: [Player; 2], seed: u64) -> Option<Color> {
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
            let Some(mv) = self.choose(players[side.index()], &pos, seed + side.index() as u64) else {
                return Some(!side);
            };
            pos.do_move(mv);
        }
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let games: usize = arguments.next().unwrap_or("100".to_string()).parse()?;
    let seed: u64 = arguments.next().unwrap_or("1".to_string()).parse()?;
    let names: Vec<String> = arguments.collect();
    let names = if names.is_empty() { LEVELS.split(' ').map(str::to_string).collect() } else { names };
    let levels: Vec<Level> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    // A search keeps its lists of moves on the stack.
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || calibrate(&levels, games, seed))?
        .join()
        .expect("no panic");
    Ok(())
}

fn calibrate(levels: &[Level], games: usize, seed: u64) {
    let openings = openings::load(None, 8, Some(seed)).expect("the list is good");
    let (pool, _) = Pool::with_history(1, 1, HistorySize::Small);
    let mut table = Table { pool, random: SplitMix64(seed) };
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
                    let winner = table.play(start, players, game_seed);
                    let (black, white) = if weaker_side == Color::Black { (weak, strong) } else { (strong, weak) };
                    ledger.add(PlayedGame { pair, black, white, winner });
                    points += winner.map_or(0.5, |winner| if winner == weaker_side { 0.0 } else { 1.0 });
                }
                pair += 1;
            }
            let played = (games / 2 * 2) as f64;
            let share = points / played;
            let error = 196.0 * (share * (1.0 - share) / played).sqrt();
            println!("{stronger:>6} beats {weaker:>6}: {:5.1} % ± {error:4.1} of {played} games", 100.0 * share);
        }
    }
    for rating in RatingList::of(&ledger, Anchor::Mean).ratings.iter().rev() {
        println!("{:>6} Elo {:+7.1} ± {:5.1}", players[rating.engine], rating.elo, rating.error);
    }
}
