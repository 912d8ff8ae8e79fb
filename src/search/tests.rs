//! The search from inside: single nodes (what cuts off, what is stored, what is learnt), windows, reports, whole games.

use super::control::SearchControl;
use super::history::{HistorySize, PieceTo};
use super::limits::Limits;
use super::move_loop::{PLY, longest_line};
use super::node::{MoveInfo, MoveLoop, Node, NonPv, Pv, Window};
use super::report::{Bound, Decision};
use super::root::root_moves;
use super::threads::ThreadPool;
use super::time::Clock;
use super::tt::{DEPTH_UNSEARCHED, Entry, Table};
use super::worker::{SharedTables, Worker};
use crate::movegen::{All, generate};
use crate::position::{GameRules, Position, START_SFEN};
use crate::random::SplitMix64;
use crate::types::{Move, PieceType, Score, StopToken};
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

fn store(worker: &Worker, entry: Entry) {
    worker.table.store(worker.path.pos.key(), 1, entry);
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

#[test]
fn a_multi_cut_stores_nothing_of_the_full_depth() {
    let mut worker = worker(START_SFEN);
    let low = eval(&mut worker) - 600;
    let mv = root_moves(&worker.path.pos, &Limits::default())[3].mv;
    let eval = Some(eval(&mut worker));
    let known = Entry { mv: Some(mv), score: Some(low), eval, depth: 5, bound: Bound::LOWER, tt_pv: false };
    store(&worker, known);
    let beta = low + 30;
    let score = search_node(&mut worker, Window::reaches(beta), 7, false);
    assert!(score >= beta, "{score:?} {beta:?}");
    assert_eq!(entry_of(&worker).map(|entry| (entry.depth, entry.score)), Some((5, Some(low))));
    assert!(worker.learnt.history.tt_move_history() < 0);
}

#[test]
fn a_node_of_a_principal_variation_stays_one_through_the_quiescence_search() {
    let mut worker = worker(MIDDLEGAME);
    let eval = eval(&mut worker);
    store(&worker, Entry::unsearched(eval, true));
    let high = eval + 2_000;
    worker.quiescence::<NonPv>(Window::reaches(high), 0, 1);
    let entry = entry_of(&worker).unwrap();
    assert!(entry.tt_pv && entry.depth == 0, "{entry:?}");
    // A new position is none by having an open window alone.
    let mut fresh = self::worker(MIDDLEGAME);
    fresh.quiescence::<Pv>(Window::around(high, 10), 0, 1);
    assert!(!entry_of(&fresh).unwrap().tt_pv);
}

#[test]
fn the_evaluation_of_a_node_that_is_pruned_is_kept() {
    let mut worker = worker(MIDDLEGAME);
    let eval = eval(&mut worker);
    let score = search_node(&mut worker, Window::reaches(eval - 1_500), 3, true);
    assert!(score >= eval - 1_500);
    let entry = entry_of(&worker).unwrap();
    assert_eq!((entry.depth, entry.eval, entry.score), (DEPTH_UNSEARCHED, Some(eval), None));
    assert_eq!(worker.path.limiter.nodes, 0, "reverse futility pruning makes no move");
}

#[test]
fn a_table_score_fails_high_a_ply_deeper_only_and_fails_low_at_equal_depth() {
    let mut worker = worker(MIDDLEGAME);
    let eval = eval(&mut worker);
    let known =
        |depth, score, bound| Entry { mv: None, score: Some(score), eval: Some(eval), depth, bound, tt_pv: true };
    let asks = |worker: &mut Worker, entry: Entry, beta: Score, cut_node| {
        worker.table.clear();
        store(worker, entry);
        let before = worker.path.limiter.nodes;
        let score = search_node(worker, Window::reaches(beta), 6, cut_node);
        (worker.path.limiter.nodes == before).then_some(score)
    };
    let low = known(6, eval - 50, Bound::UPPER);
    assert_eq!(asks(&mut worker, low, eval + 10, false), Some(eval - 50));
    let high = known(6, eval + 60, Bound::LOWER);
    assert_eq!(asks(&mut worker, high, eval + 10, true), None);
    let deeper = known(7, eval + 60, Bound::LOWER);
    assert_eq!(asks(&mut worker, deeper, eval + 10, true), Some(eval + 60));
    // The wrong bound says nothing.
    assert_eq!(asks(&mut worker, known(9, eval + 60, Bound::UPPER), eval + 10, true), None);
}

#[test]
fn a_pass_is_tried_only_where_a_cut_is_expected_and_the_evaluation_is_clearly_above_beta() {
    let mut worker = worker(MIDDLEGAME);
    let eval = eval(&mut worker);
    let passes = |worker: &mut Worker, beta: Score, cut_node| {
        let mut node = plain_node(worker, Window::reaches(beta), 5);
        node.cut_node = cut_node;
        let may_pass = worker.may_pass(&node);
        if may_pass {
            let before = worker.path.limiter.nodes;
            assert!(worker.null_move(&node).is_none_or(|score| score >= beta));
            assert!(worker.path.limiter.nodes > before);
        }
        may_pass
    };
    assert!(passes(&mut worker, eval - 600, true));
    assert!(!passes(&mut worker, eval - 600, false));
    assert!(!passes(&mut worker, eval - 100, true));
    // Within the verification of a null move there is none next to it.
    worker.null_move_min_ply = 3;
    assert!(!passes(&mut worker, eval - 600, true));
}

#[test]
fn what_is_decisive_is_not_learnt_from_or_averaged() {
    let mut worker = worker("8k/9/7GG/9/9/9/9/9/K8 b - 1");
    let before = worker.learnt.corrections.value_sum();
    let score = search_node(&mut worker, Window::reaches(Score(13_000)), 6, false);
    assert_eq!(score, Score::mate_in(2));
    assert_eq!(before, worker.learnt.corrections.value_sum());
}

#[test]
fn late_captures_and_promotions_have_a_history_and_are_reduced() {
    let mut worker = worker("4k4/9/4p4/4R4/9/9/9/9/4K4 b - 1");
    let mut node = plain_node(&mut worker, Window::reaches(Score(1)), 10);
    node.tt_move = Some("5i5h".parse().unwrap());
    let reduction = |text: &str| {
        let mv: Move = text.parse().unwrap();
        let info = worker.move_info(mv, 12);
        worker.stack[node.ply].stat_score = worker.stat_score(&node, &info);
        worker.reduction::<NonPv>(&node, &info, Score(0), worker.base_reduction(&node, 12, 1))
    };
    let [capture, promotion, quiet] = ["5d5c+", "5d4d", "5d6d"].map(reduction);
    assert!(capture > 2 * PLY && capture < quiet, "{capture} {quiet}");
    assert!(promotion > 2 * PLY, "{promotion}");
}

#[test]
fn later_moves_are_reduced_more_and_still_more_where_a_cut_is_expected_or_less_is_known() {
    let mut worker = worker(MIDDLEGAME);
    worker.root.begin_window(0, 20);
    let mut node = plain_node(&mut worker, Window::reaches(Score(1)), 10);
    node.tt_move = Some("1g1f".parse().unwrap());
    let reduction = |worker: &Worker, node: &Node, count| {
        let mv = "5g5f".parse().unwrap();
        let info = MoveInfo { mv, count, piece_to: PieceTo::NONE, captured: None };
        worker.reduction::<NonPv>(node, &info, Score(0), worker.base_reduction(node, count, 1))
    };
    let plain = reduction(&worker, &node, 10);
    assert!(plain > PLY);
    let by_number: Vec<i32> = [2, 4, 8, 16, 32].map(|count| worker.base_reduction(&node, count, 1)).into();
    assert!(by_number.is_sorted_by(|a, b| a < b), "{by_number:?}");
    let mut more_than_plain = |change: &dyn Fn(&mut Node)| {
        let mut other = plain_node(&mut worker, Window::reaches(Score(1)), 10);
        other.tt_move = node.tt_move;
        change(&mut other);
        reduction(&worker, &other, 10) > plain
    };
    assert!(more_than_plain(&|node| node.cut_node = true));
    assert!(more_than_plain(&|node| node.tt_capture = true));
    assert!(more_than_plain(&|node| node.depth = 20));
    assert!(!more_than_plain(&|node| node.improving = true));
    assert!(!more_than_plain(&|node| node.tt_pv = true));
    assert!(!more_than_plain(&|node| node.correction = 10_000_000));
    // A window as wide as the root's is searched deeper than one of a point.
    assert!(worker.base_reduction(&node, 10, 20) < worker.base_reduction(&node, 10, 1));
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
fn the_child_of_a_cut_node_is_none_unless_it_is_asked_about_with_less_depth() {
    let mut worker = worker(MIDDLEGAME);
    let eval = eval(&mut worker);
    // The move does not reach alpha, so that each search asks once.
    let mut node = plain_node(&mut worker, Window::reaches(eval + 900), 6);
    for cut_node in [false, true] {
        node.cut_node = cut_node;
        let flags = |entered: Vec<Entered>| entered.iter().map(|child| child.cut_node).collect::<Vec<_>>();
        assert_eq!(flags(children(&mut worker, &node, 1, 0)), [!cut_node], "the first move");
        assert_eq!(flags(children(&mut worker, &node, 9, 3 * 1_024)), [true], "a reduced move");
        node.depth = 1 + 1;
        assert!(flags(children(&mut worker, &node, 9, 0)).iter().all(|&child| child), "late, not reduced");
        node.depth = 6;
    }
    // A late move that beats alpha in a reduced search is asked about again in full depth, as any other child.
    node = plain_node(&mut worker, Window::reaches(eval - 2_500), 8);
    for cut_node in [false, true] {
        node.cut_node = cut_node;
        worker.table.clear();
        let entered = children(&mut worker, &node, 9, 4 * 1_024);
        let asked: Vec<_> = entered.iter().map(|child| (child.depth, child.cut_node)).collect();
        assert_eq!(asked, [(3, true), (6, !cut_node)], "a ply less, for it is no better than the best");
    }
}

#[test]
fn no_answer_to_a_root_move_is_late_in_a_short_search() {
    let mut worker = worker(MIDDLEGAME);
    let mut is_late = |ply: usize, root_depth: usize, nodes: Option<u64>| {
        worker.path.limiter.root_depth = root_depth;
        worker.path.limiter.limits.nodes = nodes;
        let node = Node { ply, ..plain_node(&mut worker, Window::reaches(Score(1)), 1) };
        [1, 2, 4, 90].map(|count| worker.is_late(&node, count))
    };
    for (depth, nodes) in [(1, 1), (4, 1_000), (4, 20_000)] {
        assert_eq!(is_late(1, depth, Some(nodes)), [false; 4]);
    }
    let others = is_late(2, 2, Some(1_000));
    assert_eq!((others[0], &others[2..]), (false, &[true; 2][..]));
    for (depth, nodes) in [(5, Some(1_000)), (4, Some(20_001)), (2, None)] {
        assert_eq!(is_late(1, depth, nodes), others);
    }
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
fn captures_that_cannot_reach_alpha_raise_the_score_to_what_they_could_reach() {
    // Black can take a pawn, and nothing else.
    let mut worker = worker("4k4/9/9/9/4p4/4G4/9/9/4K4 b - 1");
    let eval = eval(&mut worker);
    let alpha = eval + 3_000;
    let score = worker.quiescence::<NonPv>(Window::reaches(alpha + 1), 0, 1);
    let reachable = eval + crate::search::params::quiescence_futility_margin() + PieceType::Pawn.capture_gain() / 2;
    assert_eq!((score, worker.path.limiter.nodes), (reachable, 0));
    // A check is searched, whatever it can reach.
    let mut checking = self::worker("9/4k4/4p4/4G4/4L4/9/9/9/4K4 b - 1");
    checking.quiescence::<NonPv>(Window::reaches(alpha + 1), 0, 1);
    assert!(checking.path.limiter.nodes > 0);
}

#[test]
fn a_move_that_raises_alpha_at_the_root_is_learnt_and_stored() {
    let mut worker = worker(MIDDLEGAME);
    worker.path.limiter.limits.depth = Some(4);
    let report = worker.iterate(None, &mut |_| ()).unwrap();
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
        let control = Arc::clone(&worker.path.limiter.control);
        control.set_threads(2);
        assert!(control.is_finished(true) && !control.is_finished(false));
        worker.path.limiter.limits = Limits { movetime: Some(Duration::from_secs(3_600)), ..Limits::default() };
        assert!(!worker.should_stop_deepening(1.0) && !control.is_finished(true));
    }
}

#[test]
fn the_window_moves_to_the_side_on_which_the_score_lies() {
    let mut worker = worker(MIDDLEGAME);
    worker.path.limiter.limits.depth = Some(9);
    worker.iterate(None, &mut |_| ());
    let roots: Vec<Entered> = worker.trace.iter().copied().filter(|entered| entered.ply == 0).collect();
    let mut lows = 0;
    let mut highs = 0;
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
