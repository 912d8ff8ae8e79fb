//! Lines that tell of a search.

use crate::search::{Outcome, Report, Verdict};

/// `info depth ... pv ...`
pub fn info_line(report: &Report) -> String {
    let millis = report.time.as_millis();
    let nps = report.nodes as u128 * 1_000_000 / report.time.as_micros().max(1);
    let multi_pv = report.multi_pv.map_or(String::new(), |number| format!(" multipv {number}"));
    let mut line = format!(
        "info depth {} seldepth {}{multi_pv} time {millis} nodes {} nps {nps} hashfull {} score {} pv",
        report.depth,
        report.seldepth.max(report.depth),
        report.nodes,
        report.hashfull,
        report.score,
    );
    for mv in &report.pv {
        line.push(' ');
        line.push_str(&mv.to_string());
    }
    line
}

/// `bestmove ...`, with the expected answer if the GUI wants to ponder.
pub fn bestmove_line(outcome: &Outcome, ponder: bool) -> String {
    match outcome.verdict {
        Verdict::Play(mv, Some(answer)) if ponder => format!("bestmove {mv} ponder {answer}"),
        Verdict::Play(mv, _) => format!("bestmove {mv}"),
        Verdict::DeclareWin => "bestmove win".to_string(),
        Verdict::Resign => "bestmove resign".to_string(),
    }
}

/// The line that must stand before `bestmove` if the search did not report: runners read the score from it.
pub fn score_line(outcome: &Outcome) -> Option<String> {
    match (&outcome.report, outcome.verdict) {
        (Some(_), _) => None,
        (None, Verdict::Play(mv, _)) => Some(format!("info depth 1 nodes {} score cp 0 pv {mv}", outcome.nodes)),
        (None, Verdict::DeclareWin) => Some("info depth 1 nodes 0 score mate 1".to_string()),
        (None, Verdict::Resign) => Some("info depth 1 nodes 0 score mate -1".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Score, Square};
    use std::time::Duration;

    #[test]
    fn lines_have_single_blanks_and_no_trailing_one() {
        let mv = crate::types::Move::board(Square::S7G, Square::S7F);
        let report = Report {
            multi_pv: None,
            depth: 5,
            seldepth: 9,
            score: Score(-35),
            nodes: 1_000,
            time: Duration::from_millis(10),
            hashfull: 3,
            pv: vec![mv],
        };
        let line = "info depth 5 seldepth 9 time 10 nodes 1000 nps 100000 hashfull 3 score cp -35 pv 7g7f";
        assert_eq!(info_line(&report), line);
        let second = Report { multi_pv: Some(2), ..report.clone() };
        assert!(info_line(&second).starts_with("info depth 5 seldepth 9 multipv 2 time 10 "));
        let mate = Report { score: Score::mated_in(4), ..report.clone() };
        assert!(info_line(&mate).contains(" score mate -4 "));
        let outcome = Outcome { verdict: Verdict::Play(mv, Some(mv)), report: Some(report), nodes: 1_000 };
        assert_eq!(bestmove_line(&outcome, false), "bestmove 7g7f");
        assert_eq!(bestmove_line(&outcome, true), "bestmove 7g7f ponder 7g7f");
        assert_eq!(score_line(&outcome), None);
    }
}
