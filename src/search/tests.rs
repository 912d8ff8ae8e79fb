//! The search from inside: single nodes (what cuts off, what is stored, what is learnt), windows, reports, whole games.

use super::control::SearchControl;
use super::history::HistorySize;
use super::limits::Limits;
use super::move_loop::longest_line;
use super::node::{MoveLoop, Node, NonPv, Pv, Window};
use super::report::{Bound, Decision};
use super::root::root_moves;
use super::threads::ThreadPool;
use super::time::Clock;
use super::tt::{Entry, Table};
use super::worker::{SharedTables, Worker};
use crate::movegen::{All, generate};
use crate::position::{GameRules, Position};
use crate::random::SplitMix64;
use crate::types::{Move, Score, StopToken};
use std::sync::Arc;
use std::time::Duration;

/// A node as the search entered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    pub(crate) ply: usize,
    pub(crate) window: Window,
    pub(crate) depth: i32,
    pub(crate) cut_node: bool,
}

pub(crate) const MIDDLEGAME: &str = "ln1g2knl/1rs3g2/p1ppp1s2/5ppp1/1p2S2Sp/2b2PP1L/PP1PP2P1/2G4R1/LNK2G1N1 b BPp 37";

/// The first worker, about to search a position, with an empty table.
pub(crate) fn worker(sfen: &str) -> Worker {
    worker_of(0, sfen)
}

/// The worker with this number, about to search a position, with an empty table.
pub(crate) fn worker_of(id: usize, sfen: &str) -> Worker {
    let pos = Position::from_sfen(sfen).unwrap();
    let shared = SharedTables::new(HistorySize::Small);
    let mut worker = Worker::new(id, Arc::new(Table::new(1).0), HistorySize::Small, &shared);
    let limits = Limits::to_depth(20);
    let control = SearchControl::new(limits.clone(), &StopToken::new());
    worker.prepare(&pos, GameRules::default(), &Arc::new(control));
    worker.root.moves = root_moves(&pos, &limits);
    worker.path.limiter.root_depth = 10;
    worker
}

/// Looks at a node one ply below the position, where no move led to.
fn search_node(worker: &mut Worker, window: Window, depth: i32, cut_node: bool) -> Score {
    worker.negamax::<NonPv>(window, depth, 1, cut_node)
}

fn entry_of(worker: &Worker) -> Option<Entry> {
    worker.table.probe(worker.path.pos.key(), 1)
}

fn eval(worker: &mut Worker) -> Score {
    worker.path.evaluate()
}

/// A node of the position one ply below it, of which nothing is known.
fn plain_node(worker: &mut Worker, window: Window, depth: i32) -> Node {
    let eval = eval(worker);
    Node {
        window,
        depth,
        ply: 1,
        in_check: false,
        cut_node: false,
        entry: None,
        tt_move: None,
        tt_capture: false,
        tt_pv: false,
        follow_pv: false,
        raw_eval: Some(eval),
        static_eval: eval,
        eval,
        correction: 0,
        improving: false,
        prior_reduction: 0,
        excluded: None,
        keys: worker.history_keys(1),
    }
}

#[test]
fn a_mate_in_one_is_found_although_the_quiescence_search_was_there_before() {
    let mut worker = worker("8k/9/7GG/9/9/9/9/9/K8 b - 1");
    let score = worker.quiescence::<NonPv>(Window::reaches(Score(-9_000)), 0, 1);
    assert!(!score.is_mate() && entry_of(&worker).is_some(), "{score:?}");
    assert_eq!(search_node(&mut worker, Window::reaches(Score(9_000)), 2, false), Score::mate_in(2));
}

#[test]
fn a_mate_in_one_on_the_principal_variation_has_its_move_in_the_line() {
    for depth in [0, 1, 5] {
        let mut worker = worker("8k/9/7GG/9/9/9/9/9/K8 b - 1");
        worker.path.pv[2].push("9i8h".parse().unwrap());
        let score = worker.negamax::<Pv>(Window::FULL, depth, 1, false);
        assert_eq!((score, worker.path.pv[1].len()), (Score::mate_in(2), 1), "depth {depth}");
    }
}

/// The nodes one ply below the given one that the search of a move enters, best score so far 0.
fn children(worker: &mut Worker, node: &Node, count: i32, reduction: i32) -> Vec<Entered> {
    let mv: Move = "5g5f".parse().unwrap();
    let info = worker.move_info(mv, count);
    let found = MoveLoop { best: Score(0), ..MoveLoop::new(node.window) };
    worker.trace.clear();
    worker.do_move(mv, node.ply);
    worker.search_move::<NonPv>(node, &info, &found, node.depth - 1, reduction);
    worker.undo_move();
    worker.trace.iter().copied().filter(|entered| entered.ply == node.ply + 1).collect()
}

#[test]
fn no_line_is_longer_than_twice_the_depth_and_some_plies_however_much_is_extended() {
    let mut worker = worker(MIDDLEGAME);
    worker.path.limiter.root_depth = 2;
    let eval = eval(&mut worker);
    let longest = longest_line(2);
    let mut deepest = |ply: usize, depth: i32| {
        let node = Node { ply, ..plain_node(&mut worker, Window::reaches(eval + 900), depth) };
        let entered = children(&mut worker, &node, 9, -9 * 1_024);
        entered.iter().map(|child| child.depth).max()
    };
    // Two plies more than the node has, for a move that all histories praise.
    assert_eq!(deepest(1, 4), Some(5));
    let last = longest as usize;
    assert_eq!(deepest(last - 5, 6), Some(4));
    assert_eq!(deepest(last - 2, 6), Some(1));
    assert_eq!(deepest(last - 1, 6), None, "captures only");
    assert_eq!(deepest(last, 1), None, "captures only");
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
        let control = Arc::clone(&worker.path.limiter.control);
        control.set_threads(2);
        assert!(control.is_finished(true) && !control.is_finished(false));
        worker.path.limiter.limits = Limits { movetime: Some(Duration::from_secs(3_600)), ..Limits::default() };
        assert!(!worker.should_stop_deepening(1.0) && !control.is_finished(true));
    }
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
    for &mv in &news.pv {
        pos.play(mv).expect("a legal line");
    }
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
    let control = Arc::clone(&worker.path.limiter.control);
    control.set_threads(threads);
    for _ in 0..finished {
        control.vote(true);
    }
    let clock = Clock { time: Duration::from_secs(12), ..Clock::default() };
    worker.path.limiter.limits = Limits { clock: Some(clock), ..Limits::default() };
    worker.path.limiter.budget = worker.path.limiter.limits.budget(1.0);
    let begin = control.elapsed();
    worker.iterate(None, &mut |_| ());
    control.elapsed() - begin
}

#[test]
fn most_threads_end_a_search_on_a_clock() {
    // Three of five helpers and the first make a majority of six, four of five do without it.
    let none = time_with_helpers(6, 0);
    let few = time_with_helpers(6, 3);
    let most = time_with_helpers(6, 4);
    let clock = Clock { time: Duration::from_secs(12), ..Clock::default() };
    let budget = Limits { clock: Some(clock), ..Limits::default() }.budget(1.0).unwrap();
    assert!(none >= budget.maximum, "{none:?}");
    assert!(few < budget.maximum, "{few:?} {budget:?}");
    assert!(most < few / 2, "{most:?} {few:?}");
}
