use super::*;
use crate::levels::Level;
use crate::movegen::is_legal;
use crate::position::RuleSet;
use crate::referee;
use crate::search::{Decision, HistorySize};
use std::time::Duration;

fn player(rules: GameRules) -> Player {
    Player::new(ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build(), rules)
}

fn millis(time: u64) -> Duration {
    Duration::from_millis(time)
}

#[test]
fn a_game_by_the_clock_is_played_to_an_end_that_the_referee_knows() {
    let rules = GameRules { ply_limit: 40, ..RuleSet::Wcsc.rules() };
    let mut players = [player(rules), player(rules)];
    players[1].set_level("20kyu".parse().ok().map(|level: Level| LevelSettings::new(level, 1)));
    let clock = Clock { time: millis(400), increment: millis(10), ..Clock::default() };
    let mut clocks = [clock; 2];
    let mut position = Position::startpos();
    let ending = loop {
        if let Some(ending) = referee::judge(&position, &rules) {
            break ending;
        }
        let side = position.side();
        let started = Instant::now();
        let result = players[side].choose(&position, &clocks[side], &StopToken::new());
        assert_eq!(result.fault, None);
        // A busy machine may take a thread off its core for longer than the whole game has.
        clocks[side] = clocks[side].after(started.elapsed()).unwrap_or_default();
        match result.decision {
            Decision::Play(mv, _) => position.play(mv).expect("a legal move"),
            decision => panic!("{decision:?} in {position}"),
        }
    };
    assert!(position.ply() <= 41, "{ending:?}");
}

#[test]
fn a_stop_answers_at_once_and_a_mated_side_resigns() {
    let mut player = player(GameRules::default());
    let clock = Clock { byoyomi: Duration::from_secs(60), ..Clock::default() };
    let stop = StopToken::new();
    let position = Position::startpos();
    let started = Instant::now();
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(millis(30));
            stop.stop();
        });
        player.choose(&position, &clock, &stop)
    });
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(matches!(result.decision, Decision::Play(mv, _) if is_legal(&position, mv)));
    // The token is still set: a second question is answered at once, too.
    player.choose(&position, &clock, &stop);
    stop.reset();
    let mated = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1").unwrap();
    assert_eq!(player.choose(&mated, &clock, &stop).decision, Decision::Resign);
}
