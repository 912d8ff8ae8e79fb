//! The ends of the lines of a book that are worth thinking about next.
//!
//! One side plays its best moves only, or its good ones, the other whatever is not much worse than the best line: what
//! then leads out of the book is where the first side may be surprised (Yaneura Ou's *PetaNext*).

use super::{BestOfRoot, Graph};
use crate::book::Candidate;
use crate::position::Position;
use crate::types::{Color, Move};
use std::collections::HashSet;

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
        let is_played = |place: usize, candidate: &Candidate| match side == options.side {
            true => place < own,
            false => candidate.value_or_zero() >= best.value(side).saturating_sub(options.margin),
        };
        for (_, candidate) in moves.iter().enumerate().filter(|&(place, candidate)| is_played(place, candidate)) {
            let mut after = position.clone();
            after.do_move(candidate.mv);
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

#[cfg(test)]
mod tests {
    use super::super::Twins;
    use super::*;
    use crate::book::BookEntry;
    use crate::notation::usi::parse_position;
    use crate::position::EnteringKingRule;

    #[test]
    fn one_side_plays_its_best_the_other_what_is_near() {
        let mut graph = Graph::new(Twins::Folded);
        for (line, moves) in [
            ("startpos", &[("7g7f", 50), ("2g2f", 45)][..]),
            ("startpos moves 7g7f", &[("3c3d", -50), ("8c8d", -55), ("1c1d", -90)]),
            ("startpos moves 7g7f 3c3d", &[("2g2f", 50)]),
        ] {
            let mut entry = BookEntry::new(parse_position(line).unwrap().position.without_history());
            for &(mv, value) in moves {
                entry.add(Candidate { value: Some(value), ..Candidate::new(mv.parse().unwrap()) });
            }
            graph.push(entry, EnteringKingRule::CSARule27);
        }
        graph.join();
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
}
