//! Plays two games at once by the clock, each on its own threads, and says how they ended.
//!
//! ```sh
//! cargo run --release -p komainu --no-default-features --features search --example two_games -- SECONDS
//! ```

use komainu::levels::{Level, LevelSettings};
use komainu::movegen::IllegalMove;
use komainu::notation::record::{Conclusion, Ending};
use komainu::player::Player;
use komainu::position::{GameRules, Position, RuleSet};
use komainu::referee;
use komainu::search::{Clock, Decision, HistorySize, ThreadPool};
use komainu::types::StopToken;
use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let seconds: u64 = std::env::args().nth(1).map_or(Ok(10), |text| text.parse())?;
    let clock = Clock { time: Duration::from_secs(seconds), increment: Duration::from_millis(100), ..Clock::default() };
    let rules = RuleSet::Wcsc.rules();
    // White is a beginner in the first game and of full strength in the second.
    let beginner: Level = "10kyu".parse()?;
    let levels = [Some(LevelSettings::new(beginner, 1)), None];
    // Whoever holds a clone can end both games.
    let stop = StopToken::new();
    let endings = thread::scope(|scope| {
        let stop = &stop;
        let games = levels.map(|level| scope.spawn(move || play(rules, clock, level, stop)));
        games.map(|game| game.join().expect("a game does not panic"))
    });
    for (number, ending) in (1..).zip(endings) {
        let (position, ending) = ending?;
        let winner = ending.winner.map_or("nobody".to_string(), |winner| format!("{winner:?}"));
        println!("game {number}: {}, {winner} wins after {} plies", ending.ending, position.moves_made());
        println!("{position}");
    }
    Ok(())
}

/// Plays a game to its end.
fn play(
    rules: GameRules,
    clock: Clock,
    level: Option<LevelSettings>,
    stop: &StopToken,
) -> Result<(Position, Conclusion), IllegalMove> {
    // 16 MB of table and 30 MB of histories each.
    let player = || Player::new(ThreadPool::builder().history(HistorySize::Small).build(), rules);
    let mut players = [player(), player()];
    players[1].set_level(level);
    let mut clocks = [clock; 2];
    let mut position = Position::startpos();
    loop {
        if let Some(ending) = referee::judge(&position, &rules) {
            return Ok((position, ending));
        }
        if stop.is_stopped() {
            return Ok((position, Conclusion::new(Ending::Interrupted, None)));
        }
        let side = position.side();
        let started = Instant::now();
        let result = players[side].choose(&position, &clocks[side], stop);
        match clocks[side].after(started.elapsed()) {
            Some(clock) => clocks[side] = clock,
            None => return Ok((position, Conclusion::usual(Ending::TimeUp, side))),
        }
        match result.decision {
            // The move is checked: a referee trusts no player.
            Decision::Play(mv, _) => position.play(mv)?,
            Decision::Resign => return Ok((position, Conclusion::usual(Ending::Resignation, side))),
            Decision::DeclareWin => {
                let wrong = Conclusion::usual(Ending::FalseDeclaration, side);
                let ending = referee::declared(&position, &rules).unwrap_or(wrong);
                return Ok((position, ending));
            }
        }
    }
}
