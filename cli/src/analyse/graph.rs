//! The graph of a game on the terminal while it is analysed: black's chance over the game as a line of blocks, faint
//! where only the quick pass has been, with a mark at the position that was searched last.

use console::style;
use komainu_tools::analysis::{Step, WinCurve};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const MARK: char = '┃';
/// Columns at most.
const WIDTH: usize = 60;

/// What is known of the positions of a game, by the number of moves made before.
#[derive(Clone)]
pub(super) struct Graph {
    positions: Vec<Option<Known>>,
    last: usize,
}

#[derive(Clone, Copy)]
struct Known {
    /// Black's chance.
    chance: f64,
    is_quick: bool,
}

impl Graph {
    pub(super) fn new(positions: usize) -> Graph {
        Graph { positions: vec![None; positions], last: 0 }
    }

    /// Takes a position in, where black is to move or not.
    pub(super) fn add(&mut self, step: &Step, is_black: bool, curve: WinCurve) {
        let Some(score) = step.result.score() else { return };
        let own = curve.chance(score);
        let chance = if is_black { own } else { 1.0 - own };
        self.positions[step.ply] = Some(Known { chance, is_quick: step.result.quick });
        self.last = step.ply;
    }

    /// The graph as text for a terminal.
    pub(super) fn text(&self) -> String {
        let columns = self.positions.len().min(WIDTH);
        let marked = self.last * columns / self.positions.len();
        let mut text = String::new();
        for column in 0..columns {
            let ply = column * self.positions.len() / columns;
            if column == marked {
                text.push(MARK);
                continue;
            }
            let Some(known) = self.positions[ply] else {
                text.push(' ');
                continue;
            };
            let block = BLOCKS[((known.chance * 8.0) as usize).min(7)];
            let styled = style(block).for_stderr();
            text += &if known.is_quick { styled.dim() } else { styled }.to_string();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use komainu::notation::score::ReportedScore;
    use komainu_tools::analysis::{PositionResult, SearchedLine};

    fn step(ply: usize, cp: i32) -> Step {
        let pv = vec!["7g7f".parse().unwrap()];
        let line = SearchedLine { score: ReportedScore::Centipawns(cp), depth: 1, nodes: 1, pv };
        let result = PositionResult { lines: vec![line], legal: 30, ..PositionResult::default() };
        Step { ply, result, after: None, kept: None }
    }

    #[test]
    fn the_graph_is_black_chance_with_gaps_and_a_mark() {
        let mut graph = Graph::new(5);
        let curve = WinCurve::default();
        graph.add(&step(4, 9_000), true, curve);
        graph.add(&step(3, 9_000), false, curve);
        graph.add(&step(1, 0), false, curve);
        assert_eq!(console::strip_ansi_codes(&graph.text()), " ┃ ▁█");
        let long = Graph::new(601);
        assert_eq!(long.text().chars().count(), WIDTH);
    }
}
