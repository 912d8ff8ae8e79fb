//! Findings about a position: its best lines, the move that was played, mates.
//!
//! Scores are those of the side to move. Everything is kept as JSON in the journal, and read back the same.

use crate::analyst::{SearchedLine, move_texts};
use komainu::notation::score::ReportedScore;
use komainu::types::Move;
use serde::{Deserialize, Serialize};

/// A mate that the solver has proved for the side to move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProvenMate {
    /// Length of the mate at most, in plies.
    pub plies: u32,
    /// The moves, as far as they are known.
    #[serde(rename = "pv", with = "move_texts")]
    pub line: Vec<Move>,
}

/// A position that was searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PositionResult {
    /// The best lines, best first; none if there is no legal move.
    pub lines: Vec<SearchedLine>,
    /// The line of the move that was played, if it is not among the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<SearchedLine>,
    /// Legal moves.
    pub legal: u32,
    /// The side to move could declare a win.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declares: bool,
    /// The best moves of the iterations of depth 1 to 4.
    #[serde(default, with = "move_texts")]
    pub early: Vec<Move>,
    /// A mate that was proved beside the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<ProvenMate>,
    /// It was searched again with more nodes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deep: bool,
    /// It was searched in the quick pass alone, so that what is said of it is provisional.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
}

impl PositionResult {
    /// The score of the best that the side to move has; `None` without a legal move.
    pub fn best(&self) -> Option<ReportedScore> {
        if self.declares {
            return Some(ReportedScore::Mate(1));
        }
        let searched = self.lines.first().map(|line| line.score);
        match (&self.mate, searched) {
            (Some(_), Some(ReportedScore::Mate(plies))) if plies > 0 && !self.is_solved() => searched,
            (Some(mate), _) => Some(ReportedScore::Mate(mate.plies as i32)),
            (None, searched) => searched,
        }
    }

    /// The score of the position: without a legal move the side to move has lost. `None` if there are moves and nothing
    /// is known of them.
    pub fn score(&self) -> Option<ReportedScore> {
        self.best().or((self.legal == 0).then_some(ReportedScore::Mate(-1)))
    }

    /// The line that the best score is from.
    pub fn best_line(&self) -> Option<&[Move]> {
        match &self.mate {
            Some(mate) if self.is_solved() => Some(&mate.line),
            _ => self.lines.first().map(|line| &line.pv[..]),
        }
    }

    /// Tells whether the mate that was proved is better than what the search has found.
    fn is_solved(&self) -> bool {
        let Some(mate) = &self.mate else { return false };
        match self.lines.first().map(|line| line.score) {
            Some(ReportedScore::Mate(plies)) if plies > 0 => mate.plies < plies.unsigned_abs(),
            _ => !mate.line.is_empty(),
        }
    }

    /// Where a move stands: its place among the lines from 0, and its score and line if it was searched.
    pub fn of_move(&self, mv: Move) -> Option<(Option<usize>, &SearchedLine)> {
        let place = self.lines.iter().position(|line| line.first() == mv);
        match place {
            Some(place) => Some((Some(place), &self.lines[place])),
            None => self.played.as_ref().filter(|line| line.first() == mv).map(|line| (None, line)),
        }
    }
}

/// Findings about a position and the move that was played in it, and about the position after that
/// move on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Moves made before the position.
    pub ply: usize,
    /// The position.
    pub result: PositionResult,
    /// The position after the move that was played, if it was looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<PositionResult>,
    /// The move that was played keeps a mate that the solver has proved, of so many plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<u32>,
}

impl Step {
    /// The score of the move that was played, from the side that moved: what a proven mate of the opponent says, else
    /// what the search says.
    pub fn played_score(&self, mv: Move) -> Option<ReportedScore> {
        let searched = self.result.of_move(mv).map(|(_, line)| line.score);
        if let Some(mate) = self.after.as_ref().and_then(|after| after.mate.as_ref()) {
            return match searched {
                Some(ReportedScore::Mate(plies)) if plies < 0 => searched,
                _ => Some(ReportedScore::Mate(-(mate.plies as i32) - 1)),
            };
        }
        // The move is that of the mate which the search has not seen.
        let by_mate = self.result.mate.as_ref().filter(|mate| mate.line.first() == Some(&mv));
        match (by_mate.map(|mate| mate.plies).or(self.kept), searched) {
            (Some(_), Some(ReportedScore::Mate(plies))) if plies > 0 => searched,
            (Some(plies), _) => Some(ReportedScore::Mate(plies as i32)),
            (None, None) => self.after.as_ref().and_then(PositionResult::best).map(ReportedScore::turned),
            (None, searched) => searched,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ReportedScore::{Centipawns, Mate};

    fn line(score: ReportedScore, pv: &str) -> SearchedLine {
        SearchedLine { score, depth: 9, nodes: 5, pv: pv.split(' ').map(|mv| mv.parse().unwrap()).collect() }
    }

    fn step() -> Step {
        let result = PositionResult {
            lines: vec![line(Centipawns(40), "7g7f 3c3d"), line(Centipawns(-5), "2g2f")],
            played: Some(line(Centipawns(-300), "9g9f")),
            legal: 30,
            early: vec!["2g2f".parse().unwrap()],
            ..PositionResult::default()
        };
        Step { ply: 0, result, after: None, kept: None }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut step = step();
        step.result.mate = Some(ProvenMate { plies: 5, line: vec!["7g7f".parse().unwrap()] });
        step.after = Some(PositionResult { declares: true, deep: true, ..PositionResult::default() });
        let text = serde_json::to_string(&step).unwrap();
        assert_eq!(serde_json::from_str::<Step>(&text).unwrap(), step, "{text}");
        assert!(serde_json::from_str::<Step>(&text.replace("cp 40", "cp x")).is_err());
        assert!(serde_json::from_str::<Step>(&text.replace("7g7f 3c3d", "7g7f 3c3x")).is_err());
    }

    #[test]
    fn the_move_that_was_played_has_a_score_wherever_it_stands() {
        let mut step = step();
        let of = |step: &Step, mv: &str| step.played_score(mv.parse().unwrap());
        assert_eq!(of(&step, "2g2f"), Some(Centipawns(-5)));
        assert_eq!(of(&step, "9g9f"), Some(Centipawns(-300)));
        assert_eq!(of(&step, "1g1f"), None);
        step.after =
            Some(PositionResult { mate: Some(ProvenMate { plies: 3, line: vec![] }), ..PositionResult::default() });
        assert_eq!(of(&step, "9g9f"), Some(Mate(-4)));
    }

    #[test]
    fn a_mate_that_was_proved_is_the_best_unless_the_search_knows_a_shorter_one() {
        let mut result = step().result;
        result.mate = Some(ProvenMate { plies: 7, line: vec!["2g2f".parse().unwrap()] });
        assert_eq!((result.best(), result.best_line().unwrap().len()), (Some(Mate(7)), 1));
        result.lines[0].score = Mate(5);
        assert_eq!((result.best(), result.best_line().unwrap().len()), (Some(Mate(5)), 2));
        result.declares = true;
        assert_eq!(result.best(), Some(Mate(1)));
        assert_eq!(PositionResult::default().best(), None);
    }
}
