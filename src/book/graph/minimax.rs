//! Values from the ends of the lines to their beginning.
//!
//! 1. Positions all of whose moves leave the book or lead to settled positions are settled, round by round.
//! 2. What is left lies on cycles or leads into them. There an endless game is a draw, but where every position of one
//!    side is in check it is lost for the side that gives check.
//! 3. From there the best values are carried on until nothing changes.
//!
//! The method is Yaneura Ou's (`makebook peta_shock`, 2025). Where it resolves loops of checks by a depth-first search
//! whose cost grows exponentially with their size, the values are carried around the loop here until they rest,
//! beginning with the loss of the side that gives check: that side turns away if it has anything better.

use super::{Edge, Graph};
use crate::types::Color;
use std::cmp::Ordering;

/// The value of a game that is won.
pub const MATE: i32 = 32_000;

/// The depth of an endless game.
const ENDLESS: u32 = 9_999;
/// The depth of an endless game full of checks: the worst of equal moves.
const CHECK_LOOP: u32 = 9_997;
/// A line that is longer counts as endless.
const MAX_DEPTH: u32 = 256;
/// Rounds in which positions are settled, and in which values are carried on.
const SETTLING_ROUNDS: usize = 256;
const ROUNDS: usize = 356;

/// Settings of carrying values from the leaves to the root.
#[derive(Clone, Copy, Debug, Default)]
pub struct MinimaxOptions {
    /// Value of a draw to black, in centipawns.
    pub draw: i32,
}

/// The value of a position for the side to move, with the length of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    value: i32,
    depth: u32,
}

impl Value {
    /// Turns the value into that of the position before.
    fn of_parent(self) -> Value {
        let depth = match self.depth {
            CHECK_LOOP | ENDLESS => self.depth,
            depth if depth >= MAX_DEPTH => ENDLESS,
            depth => depth + 1,
        };
        Value { value: self.value.saturating_neg(), depth }
    }
}

/// Better moves are greater: by value; of equal ones the shorter line where it is good and the longer one where it is
/// bad; a loop of checks last.
fn compare_values(a: Value, b: Value) -> Ordering {
    let by_loop = (b.depth == CHECK_LOOP).cmp(&(a.depth == CHECK_LOOP));
    let by_depth = if a.value >= 0 { b.depth.cmp(&a.depth) } else { a.depth.cmp(&b.depth) };
    a.value.cmp(&b.value).then(by_loop).then(by_depth)
}

pub(crate) fn compare(a: &Edge, b: &Edge) -> Ordering {
    compare_values(Value { value: a.value, depth: a.depth }, Value { value: b.value, depth: b.depth })
}

impl Graph {
    /// Gives every move the value of the best line that begins with it. The graph must be joined.
    pub fn minimax(&mut self, options: MinimaxOptions) {
        let mut settled: Vec<Option<Value>> = Vec::new();
        for node in &self.nodes {
            settled.push(if node.is_won { Some(Value { value: MATE, depth: 1 }) } else { None });
        }
        self.settle(&mut settled);
        let is_open: Vec<bool> = settled.iter().map(Option::is_none).collect();
        let loops = self.check_loops(&is_open);
        let mut values = Vec::new();
        for (index, value) in settled.into_iter().enumerate() {
            values.push(match value {
                Some(value) => value,
                None if !loops[index] => {
                    let draw = if self.side(index) == Color::Black { options.draw } else { -options.draw };
                    Value { value: draw, depth: ENDLESS }
                }
                None if self.nodes[index].in_check => Value { value: MATE, depth: CHECK_LOOP },
                None => Value { value: -MATE, depth: CHECK_LOOP },
            });
            self.nodes[index].in_check_loop = loops[index];
        }
        // The loops of checks come to rest first, so that their values are known to the rest.
        self.carry(&mut values, &loops);
        self.carry(&mut values, &is_open);
        for index in 0..self.nodes.len() {
            for at in 0..self.nodes[index].edges.len() {
                let edge = &self.nodes[index].edges[at];
                let value = match edge.child {
                    Some(child) => self.through(index, child, values[child as usize]),
                    None => Value { value: edge.value, depth: 0 },
                };
                let edge = &mut self.nodes[index].edges[at];
                edge.value = value.value;
                edge.depth = value.depth;
            }
        }
    }

    /// The value of a move that leads to a position of this value. A check within a loop of checks loses every tie:
    /// else the side that gives it would put off for ever what it has to do in the end.
    fn through(&self, index: usize, child: u32, value: Value) -> Value {
        let node = &self.nodes[index];
        let child = &self.nodes[child as usize];
        let is_loop = node.in_check_loop && child.in_check_loop && child.in_check && !node.in_check;
        let value = value.of_parent();
        if is_loop { Value { depth: CHECK_LOOP, ..value } } else { value }
    }

    fn side(&self, index: usize) -> Color {
        // The first bit of a packed position.
        if self.nodes[index].packed.0[0] & 1 == 0 { Color::Black } else { Color::White }
    }

    /// The best value of a position, as far as its moves have one.
    fn best(&self, index: usize, value_of: impl Fn(u32) -> Option<Value>) -> Option<Value> {
        let mut best: Option<Value> = None;
        for edge in &self.nodes[index].edges {
            let value = match edge.child {
                Some(child) => self.through(index, child, value_of(child)?),
                None => Value { value: edge.value, depth: 0 },
            };
            if best.is_none_or(|best| compare_values(value, best).is_gt()) {
                best = Some(value);
            }
        }
        best
    }

    fn settle(&self, values: &mut [Option<Value>]) {
        let mut open: Vec<usize> = (0..values.len()).filter(|&index| values[index].is_none()).collect();
        for _ in 0..SETTLING_ROUNDS {
            // A round sees the values of the round before only.
            let mut settled = Vec::new();
            for &index in &open {
                if let Some(value) = self.best(index, |child| values[child as usize]) {
                    settled.push((index, value));
                }
            }
            if settled.is_empty() {
                break;
            }
            for (index, value) in settled {
                values[index] = Some(value);
            }
            open.retain(|&index| values[index].is_none());
        }
    }

    /// The positions of loops in which one side is always in check.
    fn check_loops(&self, is_open: &[bool]) -> Vec<bool> {
        let mut checked: Vec<bool> = (0..is_open.len()).map(|i| is_open[i] && self.nodes[i].in_check).collect();
        loop {
            let mut fallen = Vec::new();
            for index in 0..checked.len() {
                if checked[index]
                    && !self
                        .open_children(index, is_open)
                        .any(|between| self.open_children(between, is_open).any(|after| checked[after]))
                {
                    fallen.push(index);
                }
            }
            if fallen.is_empty() {
                break;
            }
            for index in fallen {
                checked[index] = false;
            }
        }
        let mut loops = checked.clone();
        for index in (0..checked.len()).filter(|&index| checked[index]) {
            for between in self.open_children(index, is_open) {
                if self.open_children(between, is_open).any(|after| checked[after]) {
                    loops[between] = true;
                }
            }
        }
        loops
    }

    /// The positions behind a position that are not settled.
    fn open_children(&self, index: usize, is_open: &[bool]) -> impl Iterator<Item = usize> {
        let children = self.nodes[index].edges.iter().filter_map(|edge| edge.child);
        children.map(|child| child as usize).filter(|&child| is_open[child])
    }

    /// Carries the best values on among these positions until nothing changes.
    fn carry(&self, values: &mut [Value], among: &[bool]) {
        let open: Vec<usize> = (0..values.len()).filter(|&index| among[index] && !self.nodes[index].is_won).collect();
        for _ in 0..ROUNDS {
            let mut changes = Vec::new();
            for &index in &open {
                if let Some(value) = self.best(index, |child| Some(values[child as usize]))
                    && value != values[index]
                {
                    changes.push((index, value));
                }
            }
            if changes.is_empty() {
                break;
            }
            for (index, value) in changes {
                values[index] = value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{WrittenMoves, graph_of};
    use super::*;
    use crate::book::BookEntry;

    /// A graph of these positions, each with its moves and their values, and its values afterwards.
    fn minimaxed(positions: &[(&str, &[(&str, i32)])], written: WrittenMoves) -> Vec<Vec<(String, i32, u32)>> {
        let mut graph = graph_of(positions);
        graph.minimax(MinimaxOptions::default());
        let shown = |entry: BookEntry| {
            entry.moves.iter().map(|found| (found.mv.to_string(), found.value_or_zero(), found.depth)).collect()
        };
        graph.entries(written).map(shown).collect()
    }

    fn of(mv: &str, value: i32, depth: u32) -> (String, i32, u32) {
        (mv.to_string(), value, depth)
    }

    #[test]
    fn a_transposition_raises_a_move_of_the_root() {
        // The book does not list 2g2f in the second position, but it leads to the third one, which is good for black.
        let found = minimaxed(
            &[("startpos moves 7g7f 3c3d", &[("1g1f", 10)]), ("startpos moves 2g2f 3c3d 7g7f", &[("8c8d", -300)])],
            WrittenMoves::All,
        );
        assert_eq!(found[0], [of("2g2f", 300, 1), of("1g1f", 10, 0)]);
    }

    #[test]
    fn twins_are_one_position() {
        // White to move in the start position turned is black's start position.
        let found = minimaxed(
            &[
                ("startpos", &[("7g7f", 0), ("5g5f", 5)]),
                ("sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 3", &[("7g7f", 77)]),
            ],
            WrittenMoves::All,
        );
        assert_eq!(found[0], [of("5g5f", 5, 0), of("7g7f", -77, 1)]);
    }

    #[test]
    fn a_cycle_of_four_plies_is_a_draw_unless_a_side_has_better() {
        let lines = ["startpos", "startpos moves 5i5h", "startpos moves 5i5h 5a5b", "startpos moves 5i5h 5a5b 5h5i"];
        let with = |value: i32| {
            let moves: [&[(&str, i32)]; 4] =
                [&[("5i5h", 0), ("7g7f", value)], &[("5a5b", 0)], &[("5h5i", 0)], &[("5b5a", 0)]];
            minimaxed(&lines.into_iter().zip(moves).collect::<Vec<_>>(), WrittenMoves::All)
        };
        assert_eq!(with(-20)[0], [of("5i5h", 0, ENDLESS), of("7g7f", -20, 0)]);
        assert_eq!(with(30)[0][0], of("7g7f", 30, 0));
    }

    #[test]
    fn a_perpetual_check_loses_for_the_side_that_gives_it() {
        let start = "sfen 4k4/9/9/9/9/9/9/9/K4R3 b - 1 moves ";
        let lines = ["4i5i", "4i5i 5a4a", "4i5i 5a4a 5i4i", "4i5i 5a4a 5i4i 4a5a"].map(|line| format!("{start}{line}"));
        let with = |value: Option<i32>| {
            let quiet: Vec<(&str, i32)> = value.map(|value| ("9i9h", value)).into_iter().collect();
            let second: Vec<(&str, i32)> = [("5i4i", 900)].into_iter().chain(quiet).collect();
            let moves: [&[(&str, i32)]; 4] = [&[("5a4a", 0)], &second, &[("4a5a", 0)], &[("4i5i", 900)]];
            let positions: Vec<_> = lines.iter().map(String::as_str).zip(moves).collect();
            minimaxed(&positions, WrittenMoves::All)
        };
        assert_eq!(with(None)[1], [of("5i4i", -MATE, CHECK_LOOP)]);
        // The side that gives check turns away, however bad that is.
        let found = with(Some(-500));
        assert_eq!(found[1], [of("9i9h", -500, 0), of("5i4i", -501, CHECK_LOOP)]);
        assert_eq!(found[0], [of("5a4a", 500, 1)]);
    }

    #[test]
    fn equal_values_are_ranked_by_depth() {
        let positions: &[(&str, &[(&str, i32)])] =
            &[("startpos", &[("7g7f", 0), ("1g1f", 40), ("9g9f", 40)]), ("startpos moves 7g7f", &[("3c3d", -40)])];
        let found = minimaxed(positions, WrittenMoves::All);
        assert_eq!(found[0], [of("1g1f", 40, 0), of("9g9f", 40, 0), of("7g7f", 39, 1)]);
        let positions: &[(&str, &[(&str, i32)])] =
            &[("startpos", &[("7g7f", 0), ("1g1f", -40), ("9g9f", -50)]), ("startpos moves 7g7f", &[("3c3d", 40)])];
        assert_eq!(
            minimaxed(positions, WrittenMoves::All)[0],
            [of("7g7f", -40, 1), of("1g1f", -41, 0), of("9g9f", -50, 0)]
        );
        assert_eq!(minimaxed(positions, WrittenMoves::Best)[0], [of("7g7f", -40, 1), of("1g1f", -41, 0)]);
    }
}
