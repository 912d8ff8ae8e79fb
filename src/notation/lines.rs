//! The lines of a record: the game, then each variation, with the position in which it begins.

use super::record::{Conclusion, GameRecord, RecordMove};
use crate::position::Position;
use crate::types::{Move, Square};
use std::time::Duration;

/// A line of a record.
pub(crate) struct RecordLine<'a> {
    /// The number of its first move; 1 for the game itself.
    pub(crate) from: usize,
    /// The line that it branches off and the place there of the move that it replaces, which may be one beyond the
    /// last; `None` for the game itself.
    pub(crate) parent: Option<(usize, usize)>,
    /// Moves of the line itself.
    pub(crate) moves: &'a [RecordMove],
    /// End of the line, where it ends the game.
    pub(crate) conclusion: Option<&'a Conclusion>,
    /// The position before its first move.
    pub(crate) start: Position,
    /// Where the move before that went.
    pub(crate) last: Option<Square>,
    /// For each of its moves whether a later line replaces it.
    pub(crate) branches: Vec<bool>,
    /// The time that the first and the second mover had used before it, in whole seconds a move.
    pub(crate) totals: [Duration; 2],
}

/// A move of the line so far: the line that it belongs to, its place there, and the times of both sides before it.
struct PathMove {
    mv: Move,
    line: usize,
    index: usize,
    totals: [Duration; 2],
}

/// All lines of a record. A variation that begins beyond the end of the line before it is left out.
pub(crate) fn lines(record: &GameRecord) -> Vec<RecordLine<'_>> {
    let mut lines: Vec<RecordLine<'_>> = Vec::new();
    let mut pos = record.start.clone();
    // Moves of the path that the position has made: the last line's are never needed.
    let mut moves_made = 0;
    let mut path: Vec<PathMove> = Vec::new();
    // The times of both sides after the last move of the path.
    let mut totals = [Duration::ZERO; 2];
    let game = (1, &record.moves, record.conclusion.as_ref());
    let variations = record.variations.iter().map(|line| (line.from, &line.moves, line.conclusion.as_ref()));
    for (from, moves, conclusion) in std::iter::once(game).chain(variations) {
        if from == 0 || from > path.len() + 1 {
            continue;
        }
        if let Some(replaced) = path.get(from - 1) {
            lines[replaced.line].branches[replaced.index] = true;
        }
        let parent = if lines.is_empty() { None } else { Some(parent(&lines, &path, from)) };
        while path.len() >= from {
            totals = path.pop().expect("it is not empty").totals;
        }
        while moves_made > path.len() {
            pos.undo();
            moves_made -= 1;
        }
        for made in &path[moves_made..] {
            pos.do_move(made.mv);
        }
        moves_made = path.len();
        lines.push(RecordLine {
            from,
            parent,
            moves,
            conclusion,
            // The history would be one of all moves for each line.
            start: pos.without_history(),
            last: path.last().map(|made| made.mv.to()),
            branches: vec![false; moves.len()],
            totals,
        });
        for (index, made) in moves.iter().enumerate() {
            path.push(PathMove { mv: made.mv, line: lines.len() - 1, index, totals });
            let total = &mut totals[(from + index - 1) % 2];
            *total = total.saturating_add(Duration::from_secs(made.spent.unwrap_or_default().as_secs()));
        }
    }
    lines
}

/// The line that a variation branches off at its first move, and the place there. A variation in place of the first
/// move of another one stands beside it and not below it.
fn parent(lines: &[RecordLine<'_>], path: &[PathMove], from: usize) -> (usize, usize) {
    let Some(replaced) = path.get(from - 1) else {
        return path.last().map_or((0, 0), |made| (made.line, made.index + 1));
    };
    match lines[replaced.line].parent {
        Some(parent) if replaced.index == 0 => parent,
        _ => (replaced.line, replaced.index),
    }
}
