//! The parts of a book that matter: the ends of its lines that are worth thinking about next, and the moves that are
//! worth playing with the positions in which they are wanted.

use super::{Graph, WrittenMoves};
use crate::book::{BookEntry, Candidate};
use crate::position::Position;
use crate::types::{Color, Move};
use std::collections::{HashMap, HashSet};

/// Which ends are looked for.
#[derive(Clone, Copy, Debug)]
pub struct NextOptions {
    /// The side that plays its best moves only, or its good ones.
    pub side: Color,
    /// Centipawns that a move of the other side may be worse than the best line from the root.
    pub margin: i32,
    /// If the first side is to play other good moves too: how many centipawns these may be worse, as in
    /// [`PruneOptions::margin`](super::PruneOptions::margin).
    pub own_margin: Option<i32>,
    /// The longest line, in plies from the root.
    pub plies: usize,
}

/// A position on the way, with the one before it.
struct Step {
    before: Option<(usize, Move)>,
    position: Position,
    plies: usize,
}

/// Lines from a root to positions that are not in the book: the moves of each, in the order of their lengths. A root
/// that is not in the book is the only end itself.
pub fn next_lines(graph: &Graph, root: &Position, options: NextOptions) -> Vec<Vec<Move>> {
    let Some(best) = BestOfRoot::of(graph, root) else { return vec![Vec::new()] };
    let mut seen = HashSet::from([root.key()]);
    let mut steps = vec![Step { before: None, position: root.without_history(), plies: 0 }];
    let mut lines = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let position = steps[at].position.clone();
        let plies = steps[at].plies;
        let Some(moves) = graph.candidates(&position) else {
            lines.push(line(&steps, at));
            at += 1;
            continue;
        };
        let side = position.side();
        let own = best.good_moves(side, &moves, options.own_margin);
        for (place, candidate) in moves.iter().enumerate() {
            let is_played = if side == options.side {
                place < own
            } else {
                candidate.value_or_zero() >= best.value(side).saturating_sub(options.margin)
            };
            if !is_played {
                continue;
            }
            let after = position.after(candidate.mv);
            if plies < options.plies && seen.insert(after.key()) {
                let before = Some((at, candidate.mv));
                steps.push(Step { before, position: after.without_history(), plies: plies + 1 });
            }
        }
        at += 1;
    }
    lines
}

fn line(steps: &[Step], mut at: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    while let Some((before, mv)) = steps[at].before {
        moves.push(mv);
        at = before;
    }
    moves.reverse();
    moves
}

/// Settings of what is kept of a book.
#[derive(Clone, Copy, Debug)]
pub struct PruneOptions {
    /// Centipawns that a move may be worse than the best one of its position and, so that small losses do not add up
    /// along a line, worse than the best line from the root. The best move is kept whatever its value.
    pub margin: i32,
    /// The longest line, in plies from the root.
    pub plies: usize,
    /// Only moves that lead to positions of the book are kept: those at the ends of its lines have no search of their
    /// own.
    pub verified: bool,
}

/// The best value of the root for each side.
#[derive(Clone, Copy, Debug)]
struct BestOfRoot {
    side: Color,
    value: i32,
}

impl BestOfRoot {
    /// Of a root that is in the book.
    fn of(graph: &Graph, root: &Position) -> Option<BestOfRoot> {
        let moves = graph.candidates(root)?;
        Some(BestOfRoot { side: root.side(), value: moves.first()?.value_or_zero() })
    }

    fn value(self, side: Color) -> i32 {
        if side == self.side { self.value } else { -self.value }
    }

    /// Number of good moves of a position, of those in order: the first one always, without a margin only that.
    fn good_moves(self, side: Color, moves: &[Candidate], margin: Option<i32>) -> usize {
        let Some(first) = moves.first() else { return 0 };
        let Some(margin) = margin else { return 1 };
        let least = first.value_or_zero().max(self.value(side)).saturating_sub(margin);
        moves.iter().take_while(|candidate| candidate.value_or_zero() >= least).count().max(1)
    }
}

/// The positions that are kept of a book whose values have been carried back, each with its good moves, from these
/// roots.
pub fn pruned(graph: &Graph, roots: &[Position], options: PruneOptions) -> impl Iterator<Item = BookEntry> {
    let mut kept: HashMap<usize, usize> = HashMap::new();
    for root in roots {
        for side in Color::ALL {
            keep(graph, root, side, options, &mut kept);
        }
    }
    graph.entries(WrittenMoves::All).filter_map(move |mut entry| {
        let (place, _) = graph.find(&entry.position)?;
        entry.moves.truncate(*kept.get(&place)?);
        let position = entry.position.clone();
        entry.moves.retain(|candidate| !options.verified || graph.find(&position.after(candidate.mv)).is_some());
        if entry.moves.is_empty() { None } else { Some(entry) }
    })
}

/// Marks what one side meets and how many moves it plays there.
fn keep(graph: &Graph, root: &Position, own: Color, options: PruneOptions, kept: &mut HashMap<usize, usize>) {
    let Some(best) = BestOfRoot::of(graph, root) else { return };
    let mut seen = HashSet::from([root.key()]);
    let mut level = vec![root.without_history()];
    for _ in 0..options.plies {
        let mut next = Vec::new();
        for position in &level {
            let Some((place, _)) = graph.find(position) else { continue };
            let Some(moves) = graph.candidates(position) else { continue };
            let side = position.side();
            let good = best.good_moves(side, &moves, Some(options.margin));
            let played = if side == own { good } else { moves.len() };
            if side == own {
                let known = kept.entry(place).or_insert(0);
                *known = good.max(*known);
            }
            for mv in moves[..played].iter().map(|candidate| candidate.mv) {
                let after = position.after(mv).without_history();
                if graph.find(&after).is_some() && seen.insert(after.key()) {
                    next.push(after);
                }
            }
        }
        level = next;
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph_of;
    use super::*;
    use crate::notation::usi::parse_position;

    #[test]
    fn one_side_plays_its_best_the_other_what_is_near() {
        let graph = graph_of(&[
            ("startpos", &[("7g7f", 50), ("2g2f", 45)]),
            ("startpos moves 7g7f", &[("3c3d", -50), ("8c8d", -55), ("1c1d", -90)]),
            ("startpos moves 7g7f 3c3d", &[("2g2f", 50)]),
        ]);
        let lines_with = |own_margin, side, margin, plies| {
            let found = next_lines(&graph, &Position::startpos(), NextOptions { side, margin, own_margin, plies });
            let words = |line: &Vec<Move>| line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
            found.iter().map(words).collect::<Vec<_>>()
        };
        let lines = |side, margin, plies| lines_with(None, side, margin, plies);
        assert_eq!(lines(Color::Black, 10, 80), ["7g7f 8c8d", "7g7f 3c3d 2g2f"]);
        assert_eq!(lines(Color::Black, 0, 80), ["7g7f 3c3d 2g2f"]);
        assert_eq!(lines(Color::Black, 99, 2), ["7g7f 8c8d", "7g7f 1c1d"]);
        assert_eq!(lines(Color::White, 10, 80), ["2g2f", "7g7f 3c3d 2g2f"]);
        assert_eq!(lines_with(Some(4), Color::Black, 0, 80), ["7g7f 3c3d 2g2f"]);
        assert_eq!(lines_with(Some(5), Color::Black, 0, 80), ["2g2f", "7g7f 3c3d 2g2f"]);
        assert_eq!(lines_with(Some(5), Color::White, 0, 80), ["7g7f 8c8d", "7g7f 3c3d 2g2f"]);
        let unknown = parse_position("startpos moves 9g9f").unwrap().position;
        let options = NextOptions { side: Color::Black, margin: 0, own_margin: None, plies: 9 };
        assert_eq!(next_lines(&graph, &unknown, options), [[]]);
    }

    #[test]
    fn good_moves_are_kept_where_a_side_that_plays_them_may_come() {
        let lines = [
            ("startpos", &[("7g7f", 50), ("2g2f", 45), ("9g9f", -20)][..]),
            ("startpos moves 7g7f", &[("3c3d", -50), ("8c8d", -55), ("1c1d", -90)]),
            // Black has given 5 away here, so that it may not give 5 more.
            ("startpos moves 2g2f", &[("8c8d", -45), ("3c3d", -49)]),
            ("startpos moves 2g2f 8c8d", &[("2f2e", 45), ("7g7f", 44), ("1g1f", 39)]),
            // A gift of white is not given back.
            ("startpos moves 7g7f 1c1d", &[("2g2f", 90), ("6g6f", 86), ("1g1f", 60)]),
            // White has to know what follows on a bad move of black, but black does not play it.
            ("startpos moves 9g9f", &[("8c8d", 20), ("3c3d", 10)]),
            ("startpos moves 9g9f 8c8d", &[("7g7f", -20)]),
        ];
        let graph = graph_of(&lines);
        let start = [Position::startpos()];
        let with = |margin, plies, verified| {
            let entries = pruned(&graph, &start, PruneOptions { margin, plies, verified });
            let words = |entry: &BookEntry| entry.moves.iter().map(|m| m.mv.to_string()).collect::<Vec<_>>().join(" ");
            let mut found: Vec<(String, String)> =
                entries.map(|entry| (entry.position.to_string(), words(&entry))).collect();
            found.sort();
            let at = |(line, _): &(&str, &[(&str, i32)])| {
                let key = parse_position(line).unwrap().position.without_history().to_string();
                found.iter().find(|(sfen, _)| *sfen == key).map_or("-".to_string(), |(_, words)| words.clone())
            };
            lines.iter().map(at).collect::<Vec<_>>()
        };
        let of = |margin, plies| with(margin, plies, false);
        let all = ["7g7f 2g2f", "3c3d 8c8d", "8c8d 3c3d", "2f2e 7g7f", "2g2f 6g6f", "8c8d", "-"];
        assert_eq!(of(5, 80), ["7g7f 2g2f", "3c3d 8c8d", "8c8d 3c3d", "2f2e", "2g2f 6g6f", "8c8d", "-"]);
        assert_eq!(of(6, 80), all);
        assert_eq!(of(0, 80), ["7g7f", "3c3d", "8c8d", "-", "2g2f", "8c8d", "-"]);
        assert_eq!(with(6, 80, true), ["7g7f 2g2f", "-", "8c8d", "-", "-", "8c8d", "-"]);
        assert_eq!(of(0, 1), ["7g7f", "-", "-", "-", "-", "-", "-"]);
    }
}
