//! Searches from their root, looked at from inside: windows, reports, whole games.

use super::threads::ThreadPool;
use crate::movegen::{All, generate};
use crate::position::{GameRules, Position};
use crate::random::SplitMix64;
use crate::search::bound::Bound;
use crate::search::limits::Limits;
use crate::search::ordering::history::HistorySize;
use crate::search::report::Decision;
use crate::search::time::Clock;
use crate::search::tree::tests::{Entered, MIDDLEGAME, worker, worker_of};
use crate::types::{Score, StopToken};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn a_move_that_raises_alpha_at_the_root_is_learnt_and_stored() {
    let mut worker = worker(MIDDLEGAME);
    let report = {
        worker.path.limiter.limits.depth = Some(4);
        worker.iterate(None, &mut |_| ()).unwrap()
    };
    let best = report.pv[0];
    let entry = worker.table.probe(worker.path.pos.key(), 0).unwrap();
    assert_eq!((entry.mv, entry.bound), (Some(best), Bound::EXACT));
    if worker.path.pos.piece_on(best.to()).is_none() {
        assert!(worker.learnt.history.main(worker.path.pos.side(), best) > 0);
    }
    // The order of the root's other moves is not the generator's.
    let learnt = worker
        .root
        .moves
        .iter()
        .filter(|root| worker.learnt.history.main(worker.path.pos.side(), root.mv) != 0)
        .count();
    assert!(learnt > 5, "{learnt}");
}

#[test]
fn helpers_go_on_until_they_are_told_to_end() {
    for id in [0, 1] {
        let mut worker = worker_of(id, "8k/9/7GG/9/9/9/9/9/K8 b - 1");
        worker.path.limiter.limits = Limits { movetime: Some(Duration::ZERO), ..Limits::default() };
        worker.root.moves[0].score = Score(30);
        assert_eq!(worker.should_stop_deepening(1.0), id == 0);
        // Its vote counts once, until it changes its mind.
        worker.should_stop_deepening(1.0);
        let signals = Arc::clone(&worker.path.limiter.signals);
        signals.team.assemble(2);
        assert!(signals.team.is_finished(true) && !signals.team.is_finished(false));
        worker.path.limiter.limits = Limits { movetime: Some(Duration::from_secs(3_600)), ..Limits::default() };
        assert!(!worker.should_stop_deepening(1.0) && !signals.team.is_finished(true));
    }
}

#[test]
fn the_window_moves_to_the_side_on_which_the_score_lies() {
    let mut worker = worker(MIDDLEGAME);
    worker.path.limiter.limits.depth = Some(9);
    worker.iterate(None, &mut |_| ());
    let roots: Vec<Entered> = worker.trace.iter().copied().filter(|entered| entered.ply == 0).collect();
    let (mut lows, mut highs) = (0, 0);
    for pair in roots.windows(2) {
        let [before, after] = [pair[0], pair[1]];
        // Iterations begin with a window around the mean; after it is missed one side stays near the old one.
        if after.window.beta == before.window.alpha {
            lows += 1;
            assert!(after.window.alpha < before.window.alpha);
        } else if after.depth < before.depth {
            highs += 1;
            assert_eq!(after.depth, before.depth - 1, "a ply less for each time in a row");
            assert!(after.window.alpha >= before.window.alpha && after.window.beta > before.window.beta);
        }
    }
    assert!(lows > 0 && highs > 0, "{lows} {highs}: {roots:?}");
}

#[test]
fn no_depth_is_shown_that_was_not_searched() {
    let mut worker = worker(MIDDLEGAME);
    // In the second half of this time iterations are searched again at the depth before.
    let byoyomi = Clock { byoyomi: Duration::from_millis(200), ..Clock::default() };
    worker.path.limiter.limits = Limits { clock: Some(byoyomi), ..Limits::default() };
    worker.path.limiter.budget = worker.path.limiter.limits.budget(1.0);
    let mut shown = Vec::new();
    worker.iterate(None, &mut |block| shown.extend(block.iter().map(|report| report.depth)));
    let roots = worker.trace.iter().filter(|entered| entered.ply == 0);
    let deepest = roots.map(|entered| entered.depth as usize).max().unwrap();
    assert!(shown.is_sorted() && shown.last().is_some_and(|&last| last <= deepest), "{shown:?}, {deepest}");
}

#[test]
fn a_lower_bound_for_the_same_move_does_not_replace_its_line() {
    let mut worker = worker(MIDDLEGAME);
    worker.path.limiter.limits.depth = Some(5);
    let last = worker.iterate(None, &mut |_| ()).unwrap();
    assert!(last.pv.len() > 1 && last.bound == Bound::EXACT);
    worker.path.limiter.root_depth = 6;
    let better = last.score + 50;
    worker.root.moves[0].set_best(better, Bound::LOWER, 6, &[]);
    let same = worker.last_proven(Some(last.clone()), 1).unwrap();
    assert_eq!((same.depth, same.score, &same.pv), (last.depth, last.score, &last.pv));
    // For another move a bound is all that there is.
    let other = worker.root.moves[1].mv;
    worker.root.moves[1].set_best(better, Bound::LOWER, 6, &[]);
    worker.root.moves.swap(0, 1);
    let news = worker.last_proven(Some(last), 1).unwrap();
    assert_eq!((news.depth, news.score, news.bound, news.pv[0]), (6, better, Bound::LOWER, other));
    // The table has searched the answers to it: the line goes on with them, legal to its end.
    assert!((2..=6).contains(&news.pv.len()), "{:?}", news.pv);
    let mut pos = worker.path.pos.clone();
    news.pv.iter().for_each(|&mv| pos.play(mv).expect("a legal line"));
}

/// Plays games of the search against itself, a few hundred nodes a move, from random openings; all that is asserted on
/// the way is what they test. Returns the moves of all.
fn play_games(games: u64, plies: usize) -> usize {
    let mut pool = ThreadPool::builder().table_megabytes(1).history(HistorySize::Small).build();
    let mut random = SplitMix64(11);
    let mut moves = 0;
    for game in 0..games {
        let mut pos = Position::startpos();
        for ply in 0..plies {
            let legal = generate::<All>(&pos);
            if legal.is_empty() || pos.repetition().is_some() {
                break;
            }
            let mv = if ply < 8 {
                *random.pick(&legal)
            } else {
                let limits = Limits { multi_pv: 1 + (game % 3) as usize, ..Limits::to_nodes(200 + 100 * (game % 7)) };
                let result = pool.search(&pos, GameRules::default(), &limits, &StopToken::new(), &mut |_| ());
                match result.expect("all moves may be searched").decision {
                    Decision::Play(mv, _) => mv,
                    Decision::DeclareWin | Decision::Resign => break,
                }
            };
            pos.play(mv).expect("the search plays legal moves");
            moves += 1;
        }
    }
    moves
}

#[test]
fn games_against_itself_keep_all_that_holds_at_a_node() {
    assert!(play_games(5, 120) > 250);
}

#[test]
#[ignore = "minutes"]
fn two_hundred_games_against_itself_keep_all_that_holds_at_a_node() {
    assert!(play_games(200, 400) > 10_000);
}

/// The time that a search on a clock with some threads takes whose helpers are of this mind from the start.
fn time_with_helpers(threads: usize, finished: usize) -> Duration {
    let mut worker = worker(MIDDLEGAME);
    let signals = Arc::clone(&worker.path.limiter.signals);
    signals.team.assemble(threads);
    (0..finished).for_each(|_| signals.team.vote(true));
    let clock = Clock { time: Duration::from_secs(12), ..Clock::default() };
    worker.path.limiter.limits = Limits { clock: Some(clock), ..Limits::default() };
    worker.path.limiter.budget = worker.path.limiter.limits.budget(1.0);
    let begin = signals.elapsed();
    worker.iterate(None, &mut |_| ());
    signals.elapsed() - begin
}

#[test]
fn most_threads_end_a_search_on_a_clock() {
    // Three of five helpers and the first make a majority of six, four of five do without it.
    let (none, few, most) = (time_with_helpers(6, 0), time_with_helpers(6, 3), time_with_helpers(6, 4));
    let budget = {
        let clock = Clock { time: Duration::from_secs(12), ..Clock::default() };
        Limits { clock: Some(clock), ..Limits::default() }.budget(1.0).unwrap()
    };
    assert!(none >= budget.maximum, "{none:?}");
    assert!(few < budget.maximum, "{few:?} {budget:?}");
    assert!(most < few / 2, "{most:?} {few:?}");
}
