//! How the levels play, by games and by positions out of games.

use komainu::movegen::{All, generate};
use komainu::openings::load;
use komainu::position::{GameRules, Position, Repetition};
use komainu::search::{Decision, HistorySize, Level, LevelSettings, LevelTime, Limits, Signals, ThreadPool};
use komainu::types::{Color, Move};
use std::sync::Arc;

/// A longer game is drawn.
const MAX_PLIES: usize = 300;

fn pool() -> ThreadPool {
    ThreadPool::with_history(1, 1, HistorySize::Small)
}

fn starts(plies: u64) -> Vec<Position> {
    let openings = load(None, plies, None).expect("the list is good");
    openings.iter().map(|opening| opening.position()).collect()
}

fn search(pool: &mut ThreadPool, pos: &Position, limits: &Limits) -> Option<Move> {
    let signals = Arc::new(Signals::default());
    match pool.search(pos, GameRules::default(), limits, &signals, &mut |_| ()).decision {
        Decision::Play(mv, _) => Some(mv),
        Decision::DeclareWin | Decision::Resign => None,
    }
}

/// The move of a level, if it has one.
fn level_move(pool: &mut ThreadPool, pos: &Position, level: &str, seed: u64) -> Option<Move> {
    let level = Some(LevelSettings { level: level.parse().expect("a level"), seed, time: LevelTime::Fast, given: 0 });
    search(pool, pos, &Limits { level, ..Limits::to_nodes(u64::MAX) })
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

/// The points of the first level against the second, two games to an opening.
fn points(pool: &mut ThreadPool, stronger: &str, weaker: &str, games: usize) -> f64 {
    let starts = starts(8);
    let mut points = 0.0;
    for game in 0..games {
        let side = Color::ALL[game % 2];
        let seed = 1_000 * game as u64;
        let (winner, _) = play(starts[game / 2 % starts.len()].clone(), |pos| {
            let level = if pos.side() == side { stronger } else { weaker };
            level_move(pool, pos, level, seed + pos.side().index() as u64)
        });
        points += winner.map_or(0.5, |winner| if winner == side { 1.0 } else { 0.0 });
    }
    points
}

/// Positions of games of a level against itself, each a few plies after the one before.
fn positions(pool: &mut ThreadPool, level: &str, count: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    for (game, start) in starts(12).into_iter().enumerate() {
        let mut plies = 0;
        play(start, |pos| {
            plies += 1;
            if plies % 7 == 0 {
                positions.push(pos.clone());
            }
            level_move(pool, pos, level, 2 * game as u64 + pos.side().index() as u64)
        });
        if positions.len() >= count {
            break;
        }
    }
    positions.truncate(count);
    positions
}

/// Counts gifts of 10 kyu (moves that lose 500 centipawns by the captures on their destination, where there is another
/// move) and how often levels choose the move of full strength.
fn no_gifts(count: usize) {
    let levels = ["15kyu", "10kyu", "5kyu", "1dan", "5dan"];
    let mut pool = pool();
    let positions = positions(&mut pool, "5kyu", count);
    assert_eq!(positions.len(), count);
    let (mut gifts, mut agreed) = (0, [0; 5]);
    for (number, pos) in positions.iter().enumerate() {
        pool.clear();
        let best = search(&mut pool, pos, &Limits::to_nodes(20_000));
        for (level, agreed) in levels.iter().zip(&mut agreed) {
            let mv = level_move(&mut pool, pos, level, number as u64);
            *agreed += usize::from(mv == best);
            gifts += usize::from(*level == "10kyu" && mv.is_some_and(|mv| !pos.see_ge(mv, -499)));
        }
    }
    let shares = agreed.map(|agreed| 100.0 * agreed as f64 / count as f64);
    println!("{count} positions: {gifts} gifts of 10kyu; the first choice of full strength: {levels:?} {shares:.1?} %");
    assert!(gifts * 100 <= count, "{gifts} of {count}");
    assert!(shares.is_sorted() && shares[0] >= 15.0 && shares[4] <= 60.0, "{shares:?}");
}

#[test]
fn ten_kyu_gives_nothing_away_and_stronger_levels_agree_more_with_full_strength() {
    no_gifts(600);
}

#[test]
#[ignore = "minutes: cargo test --release --test integration levels:: -- --ignored --nocapture"]
fn ten_kyu_gives_nothing_away_in_two_thousand_positions() {
    no_gifts(2_000);
}

/// How often a line that has beaten 12 kyu beats it again, of ten games. The line's player repeats its moves as long as they
/// can be made, and then goes on at 15 kyu.
fn repeated_wins(pool: &mut ThreadPool, start: &Position, first_seed: u64) -> usize {
    const LOSER: &str = "12kyu";
    let side = start.side();
    let (winner, line) = play(start.clone(), |pos| match pos.side() == side {
        true => search(pool, pos, &Limits::to_nodes(1_000)),
        false => level_move(pool, pos, LOSER, first_seed),
    });
    assert_eq!(winner, Some(side));
    let script: Vec<Move> = line.into_iter().step_by(2).collect();
    let mut repeat = |seed| {
        let mut left = script.iter();
        let (winner, _) = play(start.clone(), |pos| {
            if pos.side() != side {
                return level_move(pool, pos, LOSER, seed);
            }
            let scripted = left.next().copied().filter(|mv| generate::<All>(pos).contains(mv));
            if scripted.is_none() {
                left = [].iter();
            }
            scripted.or_else(|| level_move(pool, pos, "15kyu", !seed))
        });
        winner == Some(side)
    };
    assert!(repeat(first_seed), "the same errors lose to the same line");
    (1..=10).filter(|&seed| repeat(first_seed + seed)).count()
}

#[test]
fn a_line_that_has_won_does_not_win_again_for_certain() {
    let mut pool = pool();
    for seed in [100, 200] {
        let wins = repeated_wins(&mut pool, &Position::startpos(), seed);
        assert!(wins <= 6, "{wins} of 10");
    }
}

#[test]
#[ignore = "minutes: cargo test --release --test integration levels:: -- --ignored --nocapture"]
fn twenty_lines_that_have_won_do_not_win_again_for_certain() {
    let mut pool = pool();
    let starts = starts(8);
    let wins: Vec<usize> = (0..20).map(|line| repeated_wins(&mut pool, &starts[line], 100 * line as u64)).collect();
    println!("wins of twenty lines in ten games each: {wins:?}");
    assert!(wins.iter().all(|&wins| wins <= 6), "{wins:?}");
}

#[test]
fn a_move_taken_back_gets_the_same_answer() {
    let mut pool = pool();
    for level in ["20kyu", "10kyu", "1kyu", "3dan"] {
        let mut answers = Vec::new();
        let (_, moves) = play(Position::startpos(), |pos| {
            answers.push(level_move(&mut pool, pos, level, 7 + pos.side().index() as u64));
            answers.last().copied().flatten().filter(|_| answers.len() < 60)
        });
        let mut pos = Position::startpos();
        moves.iter().for_each(|&mv| pos.do_move(mv));
        for (ply, answer) in answers.iter().enumerate().take(moves.len()).rev() {
            pos.undo();
            let again = level_move(&mut pool, &pos, level, 7 + pos.side().index() as u64);
            assert_eq!(again, *answer, "{level}, ply {ply}: {pos}");
        }
    }
}

#[test]
fn each_level_beats_the_one_three_rows_below() {
    let mut pool = pool();
    for (stronger, weaker) in [("10kyu", "20kyu"), ("5kyu", "12kyu"), ("1dan", "5kyu")] {
        let points = points(&mut pool, stronger, weaker, 20);
        assert!(points >= 15.0, "{stronger} {points} of 20 against {weaker}");
    }
}

#[test]
#[ignore = "minutes: cargo test --release --test integration levels:: -- --ignored --nocapture"]
fn each_tabled_level_beats_the_one_three_rows_below_in_sixty_games() {
    let rows: Vec<String> = Level::all().map(|level| level.to_string()).filter(|name| is_tabled(name)).collect();
    let mut pool = pool();
    for pair in rows.windows(4) {
        let points = points(&mut pool, &pair[3], &pair[0], 60);
        println!("{} scores {points} of 60 against {}", pair[3], pair[0]);
        assert!(points >= 45.0, "{} {points} of 60 against {}", pair[3], pair[0]);
    }
}

/// Whether docs/levels.md lists a level with its own row.
fn is_tabled(name: &str) -> bool {
    include_str!("../../../docs/levels.md").lines().any(|line| line.starts_with(&format!("| `{name}` | ")))
}
