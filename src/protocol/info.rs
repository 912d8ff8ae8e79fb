//! What an engine says in a game by the USI protocol: the score in its `info` lines, and its `bestmove`.

use crate::types::Move;

/// What an engine reports in an `info` line with a score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchInfo {
    /// Its score.
    pub score: Option<ReportedScore>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The first moves of its line.
    pub line: Vec<Move>,
}

/// A score from the view of the engine that gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedScore {
    /// Centipawns.
    Centipawns(i32),
    /// Mate in so many plies; below zero if the engine is mated.
    Mate(i32),
}

impl ReportedScore {
    /// As one number for comparisons: a mate is larger than every score in centipawns.
    pub fn centipawns(self) -> i32 {
        const MATE: i32 = 1_000_000;
        match self {
            ReportedScore::Centipawns(value) => value.clamp(-MATE + 10_000, MATE - 10_000),
            ReportedScore::Mate(plies) if plies > 0 => MATE - plies.min(9_000),
            ReportedScore::Mate(plies) => -MATE + plies.saturating_neg().min(9_000),
        }
    }
}

/// The most moves of a line that are kept.
const MAX_MOVES: usize = 16;

/// Reads an `info` line. `None` if it has no score or is not about the best line.
pub fn search_info(line: &str) -> Option<SearchInfo> {
    let mut words = line.split_ascii_whitespace().skip(1);
    let mut info = SearchInfo::default();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = words.next()?.parse().ok(),
            "nodes" => info.nodes = words.next()?.parse().ok(),
            "multipv" if words.next()? != "1" => return None,
            "score" => info.score = score(words.next()?, words.next()?),
            "string" => break,
            // Moves follow, which no word of these can be.
            "pv" => {
                info.line = words.by_ref().take(MAX_MOVES).map_while(|word| word.parse().ok()).collect();
                break;
            }
            _ => {}
        }
    }
    info.score.is_some().then_some(info)
}

fn score(kind: &str, number: &str) -> Option<ReportedScore> {
    match (kind, number) {
        ("cp", number) => number.parse().ok().map(ReportedScore::Centipawns),
        // Plies are not known, or the engine is mated already.
        ("mate", "+" | "+0") => Some(ReportedScore::Mate(1)),
        ("mate", "-" | "-0" | "0") => Some(ReportedScore::Mate(-1)),
        ("mate", number) => number.parse().ok().map(ReportedScore::Mate),
        _ => None,
    }
}

/// What an engine answers to `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A move as it was written, and the reply that it expects.
    Move(String, Option<String>),
    /// It resigns.
    Resign,
    /// It declares a win.
    Win,
}

/// Reads a line; `None` if it is no `bestmove`.
pub fn answer(line: &str) -> Option<Answer> {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("bestmove") {
        return None;
    }
    Some(match words.next().unwrap_or_default() {
        "resign" => Answer::Resign,
        "win" => Answer::Win,
        mv => {
            let ponder = words.next() == Some("ponder");
            Answer::Move(mv.to_string(), words.next().filter(|_| ponder).map(str::to_string))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_read_with_depth_and_nodes() {
        let read = |line: &str| search_info(line);
        let line = |text: &str| -> Vec<Move> { text.split(' ').map(|word| word.parse().unwrap()).collect() };
        let all = SearchInfo {
            score: Some(ReportedScore::Centipawns(-35)),
            depth: Some(12),
            nodes: Some(34_567),
            line: line("7g7f 3c3d"),
        };
        let words = "info depth 12 seldepth 20 nodes 34567 nps 9 score cp -35 pv 7g7f 3c3d";
        assert_eq!(read(words), Some(all.clone()));
        assert_eq!(read(&format!("{words} resign 2g2f")), Some(all.clone()));
        assert_eq!(read("info depth 12 nodes 34567 multipv 1 score cp -35 upperbound pv 7g7f 3c3d"), Some(all));
        assert_eq!(read(&format!("info score cp 0 pv{}", " 7g7f".repeat(99))).unwrap().line.len(), MAX_MOVES);
        assert_eq!(read("info depth 12 multipv 2 score cp -35 pv 7g7f"), None);
        assert_eq!(read("info depth 12 nodes 5"), None);
        assert_eq!(read("info string score cp 5"), None);
        assert_eq!(read("info score"), None);
        assert_eq!(read("info depth x score cp y"), None);
        let mates = [("3", 3), ("-2", -2), ("+", 1), ("-", -1), ("0", -1), ("+0", 1), ("-0", -1)];
        for (text, plies) in mates {
            assert_eq!(
                read(&format!("info score mate {text}")).unwrap().score,
                Some(ReportedScore::Mate(plies)),
                "{text}"
            );
        }
    }

    #[test]
    fn mates_are_larger_than_scores_and_shorter_ones_larger_still() {
        let order = [
            ReportedScore::Mate(-1),
            ReportedScore::Mate(-9),
            ReportedScore::Centipawns(i32::MIN),
            ReportedScore::Centipawns(-5),
            ReportedScore::Centipawns(0),
        ];
        let order = order.into_iter().chain([
            ReportedScore::Centipawns(i32::MAX),
            ReportedScore::Mate(9),
            ReportedScore::Mate(1),
        ]);
        assert!(order.map(ReportedScore::centipawns).is_sorted_by(|a, b| a < b));
        assert!(ReportedScore::Mate(i32::MIN).centipawns() < -900_000);
    }

    #[test]
    fn answers_are_read() {
        assert_eq!(answer("bestmove 7g7f"), Some(Answer::Move("7g7f".into(), None)));
        assert_eq!(answer("bestmove 7g7f ponder 3c3d"), Some(Answer::Move("7g7f".into(), Some("3c3d".into()))));
        assert_eq!(answer("bestmove 7g7f ponder"), Some(Answer::Move("7g7f".into(), None)));
        assert_eq!(answer("bestmove"), Some(Answer::Move(String::new(), None)));
        assert_eq!(answer("bestmove resign"), Some(Answer::Resign));
        assert_eq!(answer("bestmove win"), Some(Answer::Win));
        assert_eq!(answer("bestmoves 7g7f"), None);
        assert_eq!(answer(""), None);
    }
}
