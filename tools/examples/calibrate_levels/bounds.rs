//! Bounds on how the levels play with the built-in net, to be checked when the net or the levels change.

use crate::{fast, level_move};
use komainu::levels::Level;
use komainu::movegen::{All, generate};
use komainu::position::{GameRules, Position, Repetition};
use komainu::search::{Decision, HistorySize, Limits, ThreadPool};
use komainu::types::{Color, Move, StopToken};
use komainu_tools::openings::load;

/// Positions in which levels are compared with full strength.
const POSITIONS: usize = 2_000;
/// Games of a level against the one three rows below.
const GAMES: usize = 60;
/// Winning lines that are played again.
const LINES: usize = 20;
/// A longer game is drawn.
const MAX_PLIES: usize = 300;

/// Checks every bound and prints what it measured. Returns `true` if all hold.
pub(crate) fn check(rows: &[Level]) -> bool {
    let mut players = Players { pool: ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build() };
    let agreement = players.agreement();
    let lines = players.repeated_lines();
    let ladder = rows.windows(4).map(|rows| players.beats(rows[3], rows[0])).filter(|holds| !holds).count();
    agreement && lines && ladder == 0
}

/// Prints a measurement with its bound. Returns `holds`.
pub(crate) fn report(holds: bool, text: String) -> bool {
    println!("{} {text}", if holds { "ok  " } else { "FAIL" });
    holds
}

fn starts(plies: u64) -> Vec<Position> {
    let openings = load(None, plies, None, false).expect("the list is good").0;
    openings.iter().map(|opening| opening.position()).collect()
}

pub(crate) fn level(name: &str) -> Level {
    name.parse().expect("a level")
}

/// Plays a game; `choose` names the move of a position. Returns the winner and the moves.
fn play(mut pos: Position, mut choose: impl FnMut(&Position) -> Option<Move>) -> (Option<Color>, Vec<Move>) {
    let mut moves = Vec::new();
    while moves.len() < MAX_PLIES {
        let side = pos.side();
        match pos.repetition() {
            Some(Repetition::Draw) => return (None, moves),
            Some(Repetition::Win) => return (Some(side), moves),
            Some(Repetition::Loss) => return (Some(!side), moves),
            None => {}
        }
        if pos.declaration(GameRules::default().entering_king).is_some() {
            return (Some(side), moves);
        }
        let Some(mv) = choose(&pos) else { return (Some(!side), moves) };
        moves.push(mv);
        pos.do_move(mv);
    }
    (None, moves)
}

struct Players {
    pool: ThreadPool,
}

impl Players {
    fn search(&mut self, pos: &Position, limits: &Limits) -> Option<Move> {
        let stop = StopToken::new();
        match self
            .pool
            .search(pos, GameRules::default(), limits, &stop, &mut |_| ())
            .expect("all moves are searched")
            .decision
        {
            Decision::Play(mv, _) => Some(mv),
            Decision::DeclareWin | Decision::Resign => None,
        }
    }

    /// The move of a level, if it has one.
    fn level_move(&mut self, pos: &Position, level: Level, seed: u64) -> Option<Move> {
        level_move(&mut self.pool, pos, &fast(level, seed))
    }

    /// Positions of games of 5 kyu against itself, each a few plies after the one before.
    fn positions(&mut self) -> Vec<Position> {
        let mut positions = Vec::new();
        for (game, start) in starts(12).into_iter().enumerate() {
            let mut plies = 0;
            play(start, |pos| {
                plies += 1;
                if plies % 7 == 0 {
                    positions.push(pos.clone());
                }
                self.level_move(pos, level("5kyu"), 2 * game as u64 + pos.side().index() as u64)
            });
            if positions.len() >= POSITIONS {
                break;
            }
        }
        positions.truncate(POSITIONS);
        positions
    }

    /// Gifts of 10 kyu (moves that lose 500 centipawns by the captures on their destination): at most 1 in 100; the
    /// share in which levels choose the move of full strength: rising from 15 % at 15 kyu to 60 % at 5 dan at most.
    fn agreement(&mut self) -> bool {
        let levels = ["15kyu", "10kyu", "5kyu", "1dan", "5dan"];
        let positions = self.positions();
        let mut gifts = 0;
        let mut agreed = [0; 5];
        for (number, pos) in positions.iter().enumerate() {
            self.pool.clear();
            let best = self.search(pos, &Limits::to_nodes(20_000));
            for (name, agreed) in levels.iter().zip(&mut agreed) {
                let mv = self.level_move(pos, level(name), number as u64);
                *agreed += usize::from(mv == best);
                gifts += usize::from(*name == "10kyu" && mv.is_some_and(|mv| !pos.see_ge(mv, -499)));
            }
        }
        let count = positions.len();
        let shares = agreed.map(|agreed| 100.0 * agreed as f64 / count as f64);
        let few = report(gifts * 100 <= count, format!("gifts of 10kyu: {gifts} in {count} positions"));
        let holds = shares.is_sorted() && shares[0] >= 15.0 && shares[4] <= 60.0;
        report(holds, format!("first choice of full strength: {levels:?} {shares:.1?} %")) && few
    }

    /// The wins of a line that has beaten 12 kyu, of ten more games. The line's player repeats its moves as long as
    /// they can be made, and then goes on at 15 kyu.
    fn repeated_wins(&mut self, start: &Position, first_seed: u64) -> usize {
        let loser = level("12kyu");
        let side = start.side();
        let (_, line) = play(start.clone(), |pos| match pos.side() == side {
            true => self.search(pos, &Limits::to_nodes(1_000)),
            false => self.level_move(pos, loser, first_seed),
        });
        let script: Vec<Move> = line.into_iter().step_by(2).collect();
        let mut repeat = |seed| {
            let mut left = script.iter();
            let (winner, _) = play(start.clone(), |pos| {
                if pos.side() != side {
                    return self.level_move(pos, loser, seed);
                }
                let scripted = left.next().copied().filter(|mv| generate::<All>(pos).contains(mv));
                if scripted.is_none() {
                    left = [].iter();
                }
                scripted.or_else(|| self.level_move(pos, level("15kyu"), !seed))
            });
            winner == Some(side)
        };
        (1..=10).filter(|&seed| repeat(first_seed + seed)).count()
    }

    /// A line that has won wins at most six of ten games again.
    fn repeated_lines(&mut self) -> bool {
        let starts = starts(8);
        let wins: Vec<usize> = (0..LINES).map(|line| self.repeated_wins(&starts[line], 100 * line as u64)).collect();
        report(wins.iter().all(|&wins| wins <= 6), format!("wins of lines that have won, in ten games each: {wins:?}"))
    }

    /// A level scores three quarters against the one three rows below.
    fn beats(&mut self, stronger: Level, weaker: Level) -> bool {
        let starts = starts(8);
        let mut points = 0.0;
        for game in 0..GAMES {
            let side = Color::ALL[game % 2];
            let seed = 1_000 * game as u64;
            let (winner, _) = play(starts[game / 2 % starts.len()].clone(), |pos| {
                let level = if pos.side() == side { stronger } else { weaker };
                self.level_move(pos, level, seed + pos.side().index() as u64)
            });
            points += winner.map_or(0.5, |winner| if winner == side { 1.0 } else { 0.0 });
        }
        report(points >= 0.75 * GAMES as f64, format!("{stronger} scores {points} of {GAMES} against {weaker}"))
    }
}
