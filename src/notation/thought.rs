//! Thoughts of an engine about the move that it played, as comments that GUIs read back.
//!
//! ShogiHome draws its graph from lines `*評価値=35` and so on (in KIF `**評価値=35`), servers and their viewers from
//! one line `* 35 -3334FU +2625FU` that floodgate's server writes (in CSA `'** 35 ...`). Both give scores from black's
//! side, and a line of play begins with the reply.

use super::csa;
use super::remark::{shogihome_line, write_line};
use super::score::ReportedScore;
use crate::position::Position;
use crate::types::{Color, Move};
use std::fmt::Write;

/// Score of a mate in floodgate's line.
const FLOODGATE_MATE: i32 = 30_000;

/// Thoughts of an engine about a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The score from the view of the side that moved.
    pub score: ReportedScore,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The moves that it expected next. Those from the first illegal one on are left out.
    pub line: Vec<Move>,
}

impl Thought {
    /// ShogiHome's lines of the engine of a player. `pos` is the position after the move.
    pub fn shogihome(&self, pos: &Position) -> Vec<String> {
        let mover = !pos.side();
        let mut lines = vec![match self.score {
            ReportedScore::Centipawns(score) => format!("*評価値={}", for_black(mover, score)),
            ReportedScore::Mate(plies) => {
                let winner = if (mover == Color::Black) == (plies > 0) { "先手勝ち" } else { "後手勝ち" };
                format!("*詰み={winner}:{}手", plies.unsigned_abs())
            }
        }];
        let line = shogihome_line(pos, &self.line);
        if !line.is_empty() {
            lines.push(format!("*読み筋={line}"));
        }
        lines.extend(self.depth.map(|depth| format!("*深さ={depth}")));
        lines.extend(self.nodes.map(|nodes| format!("*ノード数={nodes}")));
        lines
    }

    /// Floodgate's line, with the nodes at its end as CSA 3.0 has them; what it has no place for in a line of its own.
    ///
    /// ```
    /// use komainu::notation::score::ReportedScore;
    /// use komainu::notation::thought::Thought;
    /// use komainu::notation::usi::parse_position;
    ///
    /// let position = parse_position("startpos moves 7g7f")?.position;
    /// let line = vec!["3c3d".parse()?];
    /// let thought = Thought { score: ReportedScore::Centipawns(35), depth: None, nodes: Some(900), line };
    /// assert_eq!(thought.floodgate(&position), ["* 35 -3334FU #900"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn floodgate(&self, pos: &Position) -> Vec<String> {
        let mover = !pos.side();
        let score = match self.score {
            ReportedScore::Centipawns(score) => score,
            ReportedScore::Mate(plies) => FLOODGATE_MATE * if plies > 0 { 1 } else { -1 },
        };
        let mut line = format!("* {}", for_black(mover, score));
        write_line(pos, &self.line, csa::move_text).iter().for_each(|mv| _ = write!(line, " {mv}"));
        self.nodes.into_iter().for_each(|nodes| _ = write!(line, " #{nodes}"));
        let mate = match self.score {
            ReportedScore::Mate(plies) => Some(format!("mate {}", for_black(mover, plies))),
            ReportedScore::Centipawns(_) => None,
        };
        let others: Vec<String> = mate.into_iter().chain(self.depth.map(|depth| format!("depth {depth}"))).collect();
        let others = (!others.is_empty()).then(|| others.join(" "));
        std::iter::once(line).chain(others).collect()
    }
}

/// A number of one side from black's view.
fn for_black(side: Color, number: i32) -> i32 {
    if side == Color::Black { number } else { number.saturating_neg() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::usi::parse_position;

    fn thought(score: ReportedScore, line: &str) -> Thought {
        let line = line.split_ascii_whitespace().map(|mv| mv.parse().unwrap()).collect();
        Thought { score, depth: Some(12), nodes: Some(4_567), line }
    }

    fn after(moves: &str) -> Position {
        parse_position(&format!("startpos moves {moves}")).unwrap().position
    }

    #[test]
    fn both_forms_tell_the_score_from_blacks_side() {
        let pos = after("7g7f");
        let black = thought(ReportedScore::Centipawns(35), "3c3d 8h2b+ 3a2b B*4e 7g7f");
        let lines = ["*評価値=35", "*読み筋=△３四歩▲２二角成△同　銀▲４五角", "*深さ=12", "*ノード数=4567"];
        assert_eq!(black.shogihome(&pos), lines);
        assert_eq!(black.floodgate(&pos), ["* 35 -3334FU +8822UM -3122GI +0045KA #4567", "depth 12"]);
        let pos = after("7g7f 3c3d 8h2b+");
        assert_eq!(thought(ReportedScore::Centipawns(0), "3a2b").shogihome(&pos)[1], "*読み筋=△２二銀");
        let pos = after("7g7f 3c3d");
        let white = Thought { depth: None, nodes: None, ..thought(ReportedScore::Centipawns(35), "") };
        assert_eq!(white.shogihome(&pos), ["*評価値=-35"]);
        assert_eq!(white.floodgate(&pos), ["* -35"]);
    }

    #[test]
    fn a_mate_has_a_winner_and_a_length() {
        let shown = |moves: &str, plies| {
            let pos = after(moves);
            let thought = thought(ReportedScore::Mate(plies), "");
            (thought.shogihome(&pos)[0].clone(), thought.floodgate(&pos))
        };
        let floodgate = |score: &str, mate: &str| vec![format!("* {score} #4567"), format!("mate {mate} depth 12")];
        assert_eq!(shown("7g7f", 7), ("*詰み=先手勝ち:7手".into(), floodgate("30000", "7")));
        assert_eq!(shown("7g7f", -6), ("*詰み=後手勝ち:6手".into(), floodgate("-30000", "-6")));
        assert_eq!(shown("7g7f 3c3d", 7), ("*詰み=後手勝ち:7手".into(), floodgate("-30000", "-7")));
        assert_eq!(shown("7g7f 3c3d", -6), ("*詰み=先手勝ち:6手".into(), floodgate("30000", "6")));
    }
}
