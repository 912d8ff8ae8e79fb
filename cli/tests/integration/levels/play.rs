//! Games of the levels: what holds whatever net is built in. The bounds on strength and errors are checked by
//! `examples/calibrate_levels`, when a net changes.

use komainu::levels::{LevelSettings, LevelTime};
use komainu::position::{GameRules, Position};
use komainu::search::{Decision, HistorySize, Limits, ThreadPool};
use komainu::types::{Move, StopToken};

/// A longer game is drawn.
const MAX_PLIES: usize = 300;

fn pool() -> ThreadPool {
    ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build()
}

/// The move of a level, if it has one.
fn level_move(pool: &mut ThreadPool, pos: &Position, level: &str, seed: u64) -> Option<Move> {
    let settings = LevelSettings { time: LevelTime::Fast, ..LevelSettings::new(level.parse().expect("a level"), seed) };
    let limits = Limits::to_nodes(u64::MAX);
    let stop = StopToken::new();
    match settings.play(pool, pos, GameRules::default(), &limits, &stop).unwrap().decision {
        Decision::Play(mv, _) => Some(mv),
        Decision::DeclareWin | Decision::Resign => None,
    }
}

/// Plays a game; `choose` names the move of a position. Returns the moves.
fn play(mut pos: Position, mut choose: impl FnMut(&Position) -> Option<Move>) -> Vec<Move> {
    let mut moves = Vec::new();
    while moves.len() < MAX_PLIES && pos.repetition().is_none() {
        let Some(mv) = choose(&pos) else { break };
        moves.push(mv);
        pos.do_move(mv);
    }
    moves
}

#[test]
fn a_move_taken_back_gets_the_same_answer() {
    let mut pool = pool();
    for level in ["20kyu", "10kyu", "1kyu", "3dan"] {
        let mut answers = Vec::new();
        let moves = play(Position::startpos(), |pos| {
            answers.push(level_move(&mut pool, pos, level, 7 + pos.side().index() as u64));
            answers.last().copied().flatten().filter(|_| answers.len() < 60)
        });
        let mut pos = Position::startpos();
        for &mv in &moves {
            pos.do_move(mv);
        }
        for (ply, answer) in answers.iter().enumerate().take(moves.len()).rev() {
            pos.undo();
            let again = level_move(&mut pool, &pos, level, 7 + pos.side().index() as u64);
            assert_eq!(again, *answer, "{level}, ply {ply}: {pos}");
        }
    }
}
