//! Which thread's move is played: every thread votes for its own, with the depth that it has reached and the score that
//! it has found (lazy SMP with a vote for the best thread; chessprogramming wiki, "Lazy SMP").

use crate::search::report::Report;
use crate::types::Move;

/// Weight of the worst of all scores, in centipawns.
const LEAST: i64 = 20;
/// No lead in score counts for more than this.
const MOST: i64 = 500;

/// The report of the thread whose move wins the vote. The first one is that of the thread which keeps the limits; it
/// wins where nothing speaks for another.
pub(super) fn select_best_thread(reports: &[Report]) -> Option<&Report> {
    let worst = reports.iter().map(|report| report.score).min()?;
    // A proven win needs no majority, and the shortest is the best.
    if let Some(mate) =
        reports.iter().rev().filter(|report| report.score.is_mate() && report.score.0 > 0).max_by_key(|r| r.score)
    {
        return Some(mate);
    }
    let weight = |report: &Report| {
        let lead = i64::from((report.score - worst.0).0).min(MOST);
        (lead + LEAST) * report.depth as i64
    };
    let votes = |mv: Option<&Move>| reports.iter().filter(|report| report.pv.first() == mv).map(weight).sum::<i64>();
    // Of equals the last one is taken: so they are looked at from the end.
    reports.iter().rev().max_by_key(|report| (votes(report.pv.first()), weight(report)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Score;

    fn report(mv: &str, depth: usize, score: Score) -> Report {
        Report { depth, score, ..Report::of_winning_move(mv.parse().unwrap()) }
    }

    fn chosen(reports: &[Report]) -> (String, usize) {
        let report = select_best_thread(reports).unwrap();
        (report.pv[0].to_string(), report.depth)
    }

    #[test]
    fn the_majority_wins_and_depth_and_score_count() {
        let cp = Score;
        assert_eq!(chosen(&[report("7g7f", 10, cp(20))]), ("7g7f".into(), 10));
        let two_against_one = [report("7g7f", 10, cp(20)), report("2g2f", 10, cp(20)), report("2g2f", 11, cp(20))];
        assert_eq!(chosen(&two_against_one), ("2g2f".into(), 11));
        let deeper = [report("7g7f", 10, cp(20)), report("2g2f", 12, cp(20))];
        assert_eq!(chosen(&deeper), ("2g2f".into(), 12));
        let better = [report("7g7f", 10, cp(80)), report("2g2f", 12, cp(20))];
        assert_eq!(chosen(&better), ("7g7f".into(), 10));
        let equal = [report("7g7f", 10, cp(20)), report("2g2f", 10, cp(20))];
        assert_eq!(chosen(&equal), ("7g7f".into(), 10));
    }

    #[test]
    fn the_shortest_proven_mate_wins_alone() {
        let mates = [
            report("7g7f", 20, Score(900)),
            report("2g2f", 9, Score::mate_in(7)),
            report("3g3f", 9, Score::mate_in(5)),
            report("7g7f", 20, Score(900)),
        ];
        assert_eq!(chosen(&mates).0, "3g3f");
        assert!(select_best_thread(&[]).is_none());
    }

    #[test]
    fn a_lost_thread_does_not_outvote_the_others() {
        let lost = [report("7g7f", 12, Score(0)), report("2g2f", 12, Score::mated_in(6))];
        assert_eq!(chosen(&lost).0, "7g7f");
    }
}
