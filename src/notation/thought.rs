//! Thoughts of an engine about the move that it played, as comments that GUIs read back.
//!
//! ShogiHome draws its graph from lines `*評価値=35` and so on (in KIF `**評価値=35`), servers and their viewers from one
//! line `* 35 -3334FU +2625FU` that floodgate's server writes (in CSA `'** 35 ...`). Both give scores from black's side,
//! and a line of play begins with the reply.

use super::score::ReportedScore;
use super::{csa, ki2};
use crate::movegen::is_legal;
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
    pub fn shogihome(&self, pos: &Position, mv: Move) -> Vec<String> {
        let mover = !pos.side();
        let mut lines = vec![match self.score {
            ReportedScore::Centipawns(score) => format!("*評価値={}", for_black(mover, score)),
            ReportedScore::Mate(plies) => {
                let winner = if (mover == Color::Black) == (plies > 0) { "先手勝ち" } else { "後手勝ち" };
                format!("*詰み={winner}:{}手", plies.unsigned_abs())
            }
        }];
        let mut last = mv;
        let line = self.legal_line(pos, |pos, mv| {
            let text = ki2::move_text(pos, mv, Some(last.to()));
            last = mv;
            // A blank as wide as a letter fills the place of the second one.
            text.replace('同', "同　")
        });
        if !line.is_empty() {
            lines.push(format!("*読み筋={}", line.concat()));
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
        self.legal_line(pos, csa::move_text).iter().for_each(|mv| _ = write!(line, " {mv}"));
        self.nodes.into_iter().for_each(|nodes| _ = write!(line, " #{nodes}"));
        let mate = match self.score {
            ReportedScore::Mate(plies) => Some(format!("mate {}", for_black(mover, plies))),
            ReportedScore::Centipawns(_) => None,
        };
        let others: Vec<String> = mate.into_iter().chain(self.depth.map(|depth| format!("depth {depth}"))).collect();
        let others = (!others.is_empty()).then(|| others.join(" "));
        std::iter::once(line).chain(others).collect()
    }

    /// The line as far as it is legal, each move as a function writes it.
    fn legal_line(&self, pos: &Position, mut text: impl FnMut(&Position, Move) -> String) -> Vec<String> {
        let mut pos = pos.clone();
        let mut written = Vec::new();
        for &mv in self.line.iter() {
            if !is_legal(&pos, mv) {
                break;
            }
            written.push(text(&pos, mv));
            pos.do_move(mv);
        }
        written
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

    fn after(moves: &str) -> (Position, Move) {
        let parsed = parse_position(&format!("startpos moves {moves}")).unwrap();
        (parsed.position, parsed.last_move.unwrap())
    }

    #[test]
    fn both_forms_tell_the_score_from_blacks_side() {
        let (pos, mv) = after("7g7f");
        let black = thought(ReportedScore::Centipawns(35), "3c3d 8h2b+ 3a2b B*4e 7g7f");
        let lines = ["*評価値=35", "*読み筋=△３四歩▲２二角成△同　銀▲４五角", "*深さ=12", "*ノード数=4567"];
        assert_eq!(black.shogihome(&pos, mv), lines);
        assert_eq!(black.floodgate(&pos), ["* 35 -3334FU +8822UM -3122GI +0045KA #4567", "depth 12"]);
        let (pos, mv) = after("7g7f 3c3d 8h2b+");
        assert_eq!(thought(ReportedScore::Centipawns(0), "3a2b").shogihome(&pos, mv)[1], "*読み筋=△同　銀");
        let (pos, mv) = after("7g7f 3c3d");
        let white = Thought { depth: None, nodes: None, ..thought(ReportedScore::Centipawns(35), "") };
        assert_eq!(white.shogihome(&pos, mv), ["*評価値=-35"]);
        assert_eq!(white.floodgate(&pos), ["* -35"]);
    }

    #[test]
    fn a_mate_has_a_winner_and_a_length() {
        let shown = |moves: &str, plies| {
            let (pos, mv) = after(moves);
            let thought = thought(ReportedScore::Mate(plies), "");
            (thought.shogihome(&pos, mv)[0].clone(), thought.floodgate(&pos))
        };
        let floodgate = |score: &str, mate: &str| vec![format!("* {score} #4567"), format!("mate {mate} depth 12")];
        assert_eq!(shown("7g7f", 7), ("*詰み=先手勝ち:7手".into(), floodgate("30000", "7")));
        assert_eq!(shown("7g7f", -6), ("*詰み=後手勝ち:6手".into(), floodgate("-30000", "-6")));
        assert_eq!(shown("7g7f 3c3d", 7), ("*詰み=後手勝ち:7手".into(), floodgate("-30000", "-7")));
        assert_eq!(shown("7g7f 3c3d", -6), ("*詰み=先手勝ち:6手".into(), floodgate("30000", "6")));
    }
}
