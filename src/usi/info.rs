//! The output of a search: `info` lines while it runs, `bestmove` at its end.

use super::output::Output;
use crate::host::lock;
use crate::notation::score::{InfoScore, ReportedScore};
use crate::protocol::{BestMove, Info};
use crate::search::{Bound, Decision, Report, SearchResult};
use crate::types::{Move, Score};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// After this time without a report a running search sends an `info` line that shows that it is alive.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);
/// Time that each line of a report takes at least, so that many lines do not flood a GUI.
const LINE_INTERVAL: Duration = Duration::from_millis(50);
/// The burst at the start of a search, in which every iteration that says something new is shown: they take
/// microseconds.
const BURST: Duration = Duration::from_millis(100);
/// The most iterations that are shown in the burst without regard to the interval.
const MAX_IN_BURST: usize = 20;
/// Interval at which a running search is polled for lines held back.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How a search is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReportOptions {
    /// The least time between two reports; zero shows all.
    pub(crate) interval: Duration,
    /// The score that is shown as 0, except in games that are decided.
    pub(crate) zero: i32,
    /// The GUI may let the engine ponder: the expected answer is named.
    pub(crate) ponder: bool,
    /// The score at whose negative the engine resigns.
    pub(crate) resign_value: Option<i32>,
}

/// Reports on one search.
pub(crate) struct Reporter {
    out: Arc<Output>,
    options: ReportOptions,
    state: Mutex<ReporterState>,
}

#[derive(Default)]
struct ReporterState {
    /// When the last report was shown.
    shown_at: Option<Duration>,
    /// The most nodes that were shown.
    shown_nodes: u64,
    count: NodeCount,
    /// The best lines that were shown last, with their scores.
    shown_lines: Vec<(Score, Vec<Move>)>,
    /// Iterations shown in the burst.
    shown_in_burst: usize,
    /// A block that came too soon after the last one, and when it will be shown unless another one comes.
    held_back: Option<(InfoBlock, Duration)>,
    is_finished: bool,
}

/// The lines of one iteration.
struct InfoBlock {
    text: String,
    nodes: u64,
    lines: Vec<(Score, Vec<Move>)>,
}

impl InfoBlock {
    fn of(reports: &[Report]) -> InfoBlock {
        let mut block = InfoBlock { text: String::new(), nodes: 0, lines: Vec::new() };
        for report in reports {
            _ = writeln!(block.text, "{}", info_line(report));
            block.nodes = block.nodes.max(report.nodes);
            block.lines.push((report.score, report.pv.clone()));
        }
        block
    }
}

/// The nodes of a search and the time that it took: one that has ended and waits for `stop` takes no more.
#[derive(Clone, Copy, Debug, Default)]
struct NodeCount {
    nodes: u64,
    /// When they were last seen to grow.
    time: Duration,
}

impl NodeCount {
    fn note(&mut self, nodes: u64, time: Duration) {
        if nodes > self.nodes {
            *self = NodeCount { nodes, time };
        }
    }

    fn nodes_per_second(self) -> u64 {
        nodes_per_second(self.nodes, self.time)
    }
}

impl Reporter {
    pub(crate) fn new(out: Arc<Output>, options: ReportOptions) -> Reporter {
        Reporter { out, options, state: Mutex::default() }
    }

    /// The report with its score as it is shown.
    fn shown(&self, report: &Report) -> Report {
        let mut shown = report.clone();
        if !shown.score.is_decisive() {
            shown.score = (shown.score - self.options.zero).clamp_eval();
        }
        shown
    }

    /// Shows the lines of an iteration, or holds them back if the last ones were shown just now.
    pub(crate) fn block(&self, reports: &[Report]) {
        let Some(first) = reports.first() else { return };
        let shown: Vec<Report> = reports.iter().map(|report| self.shown(report)).collect();
        let block = InfoBlock::of(&shown);
        let mut interval = self.options.interval;
        if !interval.is_zero() {
            interval = interval.max(LINE_INTERVAL * reports.len() as u32);
        }
        let mut state = lock(&self.state);
        if state.is_finished {
            return;
        }
        // An iteration was searched up to this moment, however few nodes it took.
        state.count = NodeCount { nodes: block.nodes.max(state.count.nodes), time: first.time.max(state.count.time) };
        let due = state.shown_at.map_or(Duration::ZERO, |shown| shown + interval);
        // With a mate found, say, a hundred iterations are over in no time and all say the same.
        let is_free = first.time <= BURST && state.shown_in_burst < MAX_IN_BURST && block.lines != state.shown_lines;
        if first.time < due && !is_free {
            state.held_back = Some((block, due));
            return;
        }
        state.shown_in_burst += 1;
        self.show(&mut state, block, first.time);
    }

    fn show(&self, state: &mut ReporterState, block: InfoBlock, time: Duration) {
        self.out.report(&block.text);
        state.shown_at = Some(time);
        state.shown_nodes = state.shown_nodes.max(block.nodes);
        state.shown_lines = block.lines;
        state.held_back = None;
    }

    /// Shows what was held back when its time has come, and that the search goes on if it has not said anything for a
    /// while.
    pub(crate) fn poll(&self, time: Duration, nodes: u64) {
        let mut state = lock(&self.state);
        if state.is_finished {
            return;
        }
        state.count.note(nodes, time);
        if let Some((block, _)) = state.held_back.take_if(|(_, due)| time >= *due) {
            self.show(&mut state, block, time);
        } else if time >= state.shown_at.unwrap_or_default() + HEARTBEAT {
            let nodes = state.count.nodes;
            let nps = state.count.nodes_per_second();
            let info = Info { time: Some(time), nodes: Some(nodes), nps: Some(nps), ..Info::default() };
            self.out.report(&format!("{info}\n"));
            state.shown_at = Some(time);
            state.shown_nodes = state.shown_nodes.max(nodes);
        }
    }

    /// Shows the last report, right before the answer as runners want it, and the answer.
    pub(crate) fn finish(&self, result: &SearchResult) {
        let mut state = lock(&self.state);
        if let Some((block, _)) = state.held_back.take()
            && block.lines.len() > 1
        {
            let shown_at = state.shown_at.unwrap_or_default();
            self.show(&mut state, block, shown_at);
        }
        let time = result.report.as_ref().map_or(Duration::ZERO, |report| report.time);
        let shown_at = state.shown_at.unwrap_or_default();
        state.count.note(result.nodes, time.max(shown_at));
        let report = result.report.as_ref().map(|report| self.shown(report));
        let line = last_line(report, result, shown_at, state.shown_nodes, state.count.nodes_per_second());
        state.is_finished = true;
        // The session must not wait for this lock while the GUI is slow to read.
        drop(state);
        self.out.answer(line, best_move(result, &self.options));
    }
}

pub(crate) fn nodes_per_second(nodes: u64, time: Duration) -> u64 {
    u64::try_from(u128::from(nodes) * 1_000_000 / time.as_micros().max(1)).unwrap_or(u64::MAX)
}

/// The line of a report.
fn info_line(report: &Report) -> Info {
    let score = ReportedScore::from(report.score);
    Info {
        depth: Some(report.depth as u32),
        seldepth: Some(report.seldepth.max(report.depth) as u32),
        multi_pv: report.multi_pv.map(|place| place as u32),
        time: Some(report.time),
        nodes: Some(report.nodes),
        nps: Some(nodes_per_second(report.nodes, report.time)),
        hashfull: Some(report.hashfull),
        score: Some(match report.bound {
            // What the better hands of a superior repetition are worth, the search does not say.
            _ if report.score.is_superior() && report.score.is_win() => InfoScore::AtLeast(score),
            _ if report.score.is_superior() => InfoScore::AtMost(score),
            Bound::LOWER => InfoScore::AtLeast(score),
            Bound::UPPER => InfoScore::AtMost(score),
            _ => InfoScore::Exact(score),
        }),
        pv: report.pv.clone(),
    }
}

/// The answer, with the expected reply if the GUI wants to ponder.
fn best_move(result: &SearchResult, options: &ReportOptions) -> BestMove {
    match result.decision {
        Decision::Play(mv, reply) => {
            if let Some(report) = &result.report
                && let Some(value) = options.resign_value
                && report.score.0 <= -value
            {
                return BestMove::Resign;
            }
            BestMove::Move(mv, if options.ponder { reply } else { None })
        }
        Decision::DeclareWin => BestMove::Win,
        Decision::Resign => BestMove::Resign,
    }
}

/// The line that stands before `bestmove`: runners read the score from it, so it has no bound. Of a move that has
/// turned out better just before the end the least score that is proved is all that there is: it is shown as the score.
///
/// Its time and nodes never fall behind what was shown, although the report may be older: a search that is stopped
/// between two iterations answers with the one before the last.
fn last_line(report: Option<Report>, result: &SearchResult, shown_at: Duration, shown_nodes: u64, nps: u64) -> Info {
    if let Some(report) = report {
        let time = report.time.max(shown_at);
        let nodes = report.nodes.max(result.nodes).max(shown_nodes);
        let score = Some(InfoScore::Exact(report.score.into()));
        return Info { nps: Some(nps), score, ..info_line(&Report { time, nodes, ..report }) };
    }
    let mut info = Info { depth: Some(1), nodes: Some(0), ..Info::default() };
    match result.decision {
        Decision::Play(mv, _) => {
            info.nodes = Some(result.nodes);
            info.score = Some(InfoScore::Exact(Score::DRAW.into()));
            info.pv = vec![mv];
        }
        Decision::DeclareWin => info.score = Some(InfoScore::Exact(Score::mate_in(1).into())),
        Decision::Resign => info.score = Some(InfoScore::Exact(Score::mated_in(1).into())),
    }
    info
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    fn report() -> Report {
        Report {
            multi_pv: None,
            depth: 5,
            seldepth: 9,
            score: Score(-35),
            bound: Bound::EXACT,
            nodes: 1_000,
            time: Duration::from_millis(10),
            hashfull: 3,
            pv: vec![Move::board(Square::S7G, Square::S7F)],
        }
    }

    fn report_at(time: u64) -> Report {
        Report { time: Duration::from_millis(time), ..report() }
    }

    fn result(report: Report) -> SearchResult {
        let decision = Decision::Play(report.pv[0], Some(report.pv[0]));
        SearchResult { decision, report: Some(report), nodes: 1_000, longest_pause: Duration::ZERO, fault: None }
    }

    /// A reporter that keeps this distance in milliseconds.
    fn reporter(out: &Arc<Output>, interval: u64) -> Reporter {
        let options = ReportOptions { interval: Duration::from_millis(interval), ..ReportOptions::default() };
        Reporter::new(Arc::clone(out), options)
    }

    #[test]
    fn lines_have_single_blanks_and_no_trailing_one() {
        let line = "info depth 5 seldepth 9 time 10 nodes 1000 nps 100000 hashfull 3 score cp -35 pv 7g7f";
        assert_eq!(info_line(&report()).to_string(), line);
        let gain = Report { score: Score::SUPERIOR - 14, ..report() };
        for (report, words) in [
            (Report { multi_pv: Some(2), ..report() }, "info depth 5 seldepth 9 multipv 2 time 10 "),
            (Report { score: Score::mated_in(4), ..report() }, " score mate -4 pv "),
            (Report { bound: Bound::LOWER, ..report() }, " score cp -35 lowerbound pv "),
            (Report { bound: Bound::UPPER, ..report() }, " score cp -35 upperbound pv "),
            (gain.clone(), " score cp 2000 lowerbound pv "),
            (Report { score: -(Score::SUPERIOR - 3), ..report() }, " score cp -2000 upperbound pv "),
        ] {
            assert!(info_line(&report).to_string().contains(words), "{words}");
        }
        let last = last_line(Some(gain.clone()), &result(gain), Duration::ZERO, 0, 1).to_string();
        assert!(last.contains(" score cp 2000 pv "), "{last}");
    }

    #[test]
    fn the_answer_names_the_expected_move_only_to_a_gui_that_ponders() {
        assert_eq!(best_move(&result(report()), &ReportOptions::default()).to_string(), "bestmove 7g7f");
        let ponder = ReportOptions { ponder: true, ..ReportOptions::default() };
        assert_eq!(best_move(&result(report()), &ponder).to_string(), "bestmove 7g7f ponder 7g7f");
    }

    #[test]
    fn a_score_below_the_resign_value_resigns() {
        let answer = |score, resign_value| {
            let options = ReportOptions { resign_value, ..ReportOptions::default() };
            best_move(&result(Report { score, ..report() }), &options).to_string()
        };
        assert_eq!(answer(Score(-2_999), Some(3_000)), "bestmove 7g7f");
        assert_eq!(answer(Score(-3_000), Some(3_000)), "bestmove resign");
        assert_eq!(answer(Score::mated_in(2), Some(3_000)), "bestmove resign");
        assert_eq!(answer(Score::mated_in(2), Some(99_999)), "bestmove 7g7f");
        assert_eq!(answer(Score::mated_in(2), None), "bestmove 7g7f");
    }

    /// Everything that a reporter shows of these blocks, given as (time in ms, lines).
    fn shown(interval: u64, blocks: &[(u64, usize)]) -> Vec<String> {
        let out = Arc::new(Output::idle());
        let reporter = reporter(&out, interval);
        let mut last = report();
        for &(time, lines) in blocks {
            let at = |multi_pv| Report { multi_pv, score: Score(time as i32), ..report_at(time) };
            let reports: Vec<Report> = (1..=lines).map(|line| at((lines > 1).then_some(line))).collect();
            last = reports[0].clone();
            reporter.block(&reports);
        }
        reporter.finish(&result(last));
        out.take_buffered().lines().map(str::to_string).collect()
    }

    fn times(lines: &[String]) -> Vec<&str> {
        lines.iter().filter_map(|line| line.split(" time ").nth(1)?.split(' ').next()).collect()
    }

    #[test]
    fn reports_keep_their_distance_and_the_last_one_is_always_shown_once() {
        assert_eq!(times(&shown(300, &[(1, 1), (2, 1), (150, 1), (310, 1), (500, 1)])), ["1", "2", "310", "500"]);
        assert_eq!(times(&shown(300, &[(1, 1), (310, 1)])), ["1", "310"]);
        assert_eq!(times(&shown(0, &[(1, 1), (150, 1), (151, 1)])), ["1", "150", "151"]);
    }

    #[test]
    fn a_line_that_says_the_same_again_keeps_its_distance_from_the_start_on() {
        let out = Arc::new(Output::idle());
        let reporter = reporter(&out, 300);
        let mate = |time, depth| Report { depth, score: Score::mate_in(1), ..report_at(time) };
        for depth in 1..=85 {
            reporter.block(&[mate(depth, depth as usize)]);
        }
        let depths = |text: &str| -> Vec<String> {
            text.lines().filter_map(|line| Some(line.split_once("depth ")?.1.split(' ').next()?.to_string())).collect()
        };
        assert_eq!(depths(&out.take_buffered()), ["1"]);
        reporter.poll(Duration::from_millis(300), 1_000);
        assert_eq!(depths(&out.take_buffered()), [""; 0]);
        // The last one is shown once its time has come, not only at the end.
        reporter.poll(Duration::from_millis(301), 1_000);
        assert_eq!(depths(&out.take_buffered()), ["85"]);
        reporter.block(&[mate(302, 86)]);
        reporter.finish(&result(mate(302, 86)));
        assert_eq!(depths(&out.take_buffered()), ["86"]);
    }

    #[test]
    fn the_speed_of_a_search_that_waits_for_stop_is_that_of_the_search() {
        let out = Arc::new(Output::idle());
        let reporter = reporter(&out, 300);
        reporter.block(&[Report { nodes: 500_000, ..report_at(1_000) }]);
        // Other threads finish a little later.
        for tenths in 11..=600 {
            reporter.poll(Duration::from_millis(100 * tenths), 505_000);
        }
        reporter.finish(&SearchResult { nodes: 505_000, ..result(Report { nodes: 505_000, ..report_at(1_000) }) });
        let text = out.take_buffered();
        let speeds: Vec<&str> = text.lines().filter_map(|line| line.split_once(" nps ")?.1.split(' ').next()).collect();
        assert_eq!((speeds.len(), speeds[0]), (1 + 59 + 1, "500000"), "{text}");
        assert!(speeds[1..].iter().all(|&nps| nps == "459090"), "{text}");
        let last = text.lines().nth_back(1).unwrap();
        assert!(last.contains(" time 60000 nodes 505000 nps 459090 "), "{last}");
    }

    #[test]
    fn lines_that_all_differ_are_no_flood_in_the_beginning() {
        let blocks: Vec<(u64, usize)> = (0..100).map(|time| (time, 1)).collect();
        assert_eq!(times(&shown(300, &blocks)).len(), MAX_IN_BURST + 1);
        assert_eq!(times(&shown(0, &blocks)).len(), 100);
    }

    /// What is shown of a search that reports this, is interrupted by a remark, and answers with that.
    fn transcript(reported: Report, answered: Report) -> Vec<String> {
        let out = Arc::new(Output::idle());
        let reporter = reporter(&out, 0);
        reporter.block(&[reported]);
        out.info_string("Rules");
        reporter.finish(&SearchResult { nodes: answered.nodes, ..result(answered) });
        out.take_buffered().lines().map(str::to_string).collect()
    }

    #[test]
    fn the_line_before_the_answer_has_no_bound_no_fewer_nodes_than_were_shown_and_nothing_behind_it() {
        let line = info_line(&report()).to_string();
        let above = Report { bound: Bound::LOWER, ..report() };
        let shown = info_line(&above).to_string();
        assert_eq!(transcript(report(), report()), [&line, "info string Rules", &line, "bestmove 7g7f"]);
        assert_eq!(transcript(above.clone(), above), [&shown, "info string Rules", &line, "bestmove 7g7f"]);
        let newer = Report { depth: 127, nodes: 1_016, ..report() };
        let lines = transcript(newer, Report { depth: 126, nodes: 1_008, ..report() });
        assert!(lines[2].contains(" depth 126 ") && lines[2].contains(" nodes 1016 "), "{lines:?}");
    }

    /// A pipe that nobody reads.
    struct Full(std::sync::mpsc::Sender<()>);

    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            self.0.send(()).unwrap();
            loop {
                std::thread::park();
            }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_answer_that_nobody_reads_does_not_hold_up_the_session() {
        let (sender, is_writing) = std::sync::mpsc::channel();
        let out = Output::start(Full(sender), Arc::new(super::super::debug_log::DebugLog::new()), || ()).unwrap();
        let reporter = Arc::new(reporter(&out, 0));
        let for_thread = Arc::clone(&reporter);
        std::thread::spawn(move || for_thread.finish(&result(report())));
        is_writing.recv().unwrap();
        // Returns although the answer is still being written.
        reporter.poll(Duration::from_secs(9), 1);
    }

    #[test]
    fn the_lines_of_a_block_stay_together_and_the_best_one_stands_before_the_answer() {
        let lines = shown(300, &[(1, 3), (150, 3)]);
        assert_eq!(times(&lines), ["1", "1", "1", "150", "150", "150", "150"]);
        assert!(lines[6].contains(" multipv 1 ") && lines[5].contains(" multipv 3 "));
        assert_eq!(lines.last().unwrap(), "bestmove 7g7f");
        // Eight lines need 400 ms.
        assert_eq!(times(&shown(300, &[(1, 8), (350, 8), (500, 8)])).len(), 8 + 8 + 1);
    }

    #[test]
    fn a_long_iteration_shows_that_it_is_alive_until_the_answer() {
        let out = Arc::new(Output::idle());
        let reporter = reporter(&out, 300);
        reporter.block(&[report()]);
        reporter.poll(Duration::from_millis(900), 5_000);
        reporter.poll(Duration::from_millis(2_000), 9_000);
        reporter.finish(&result(report()));
        reporter.poll(Duration::from_millis(9_000), 9_000);
        let text = out.take_buffered();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "info time 2000 nodes 9000 nps 4500");
        assert_eq!(lines.len(), 4, "{text}");
    }
}
