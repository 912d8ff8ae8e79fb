//! The lines of a record: the game, then each variation, with the position in which it begins.

use super::record::{Conclusion, GameRecord, RecordMove};
use crate::position::Position;
use crate::types::{Move, Square};
use std::time::Duration;

/// A line of a record.
pub(super) struct RecordLine<'a> {
    /// The number of its first move; 1 for the game itself.
    pub(super) from: usize,
    /// The line that it branches off and the place there of the move that it replaces, which may be one beyond the
    /// last; `None` for the game itself.
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    pub(super) parent: Option<(usize, usize)>,
    /// Its own moves.
    pub(super) moves: &'a [RecordMove],
    /// End of the line, where it ends the game.
    pub(super) conclusion: Option<&'a Conclusion>,
    /// The position before its first move.
    pub(super) start: Position,
    /// Where the move before that went.
    pub(super) last: Option<Square>,
    /// For each of its moves whether a later line replaces it.
    pub(super) branches: Vec<bool>,
    /// The time that the first and the second mover had used before it.
    pub(super) totals: [Duration; 2],
}

/// All lines of a record. A variation that begins beyond the end of the line before it is left out.
pub(super) fn lines(record: &GameRecord) -> Vec<RecordLine<'_>> {
    let mut lines: Vec<RecordLine<'_>> = Vec::new();
    let mut pos = record.start.clone();
    // The line so far: each move with the line that it belongs to and its place there.
    let mut path: Vec<(Move, usize, usize)> = Vec::new();
    let game = (1, &record.moves, record.conclusion.as_ref());
    let variations = record.variations.iter().map(|line| (line.from, &line.moves, line.conclusion.as_ref()));
    for (from, moves, conclusion) in std::iter::once(game).chain(variations) {
        if from == 0 || from > path.len() + 1 {
            continue;
        }
        if let Some(&(_, line, index)) = path.get(from - 1) {
            lines[line].branches[index] = true;
        }
        let parent = path.get(from - 1).map(|&(_, line, index)| (line, index));
        let parent = parent.or_else(|| path.last().map(|&(_, line, index)| (line, index + 1)));
        let parent = if lines.is_empty() { None } else { Some(parent.unwrap_or((0, 0))) };
        while path.len() >= from {
            path.pop();
            pos.undo();
        }
        let mut totals = [Duration::ZERO; 2];
        for (ply, &(_, line, index)) in path.iter().enumerate() {
            let spent = lines[line].moves[index].spent.unwrap_or_default();
            totals[ply % 2] = totals[ply % 2].saturating_add(spent);
        }
        lines.push(RecordLine {
            from,
            parent,
            moves,
            conclusion,
            start: pos.clone(),
            last: path.last().map(|(mv, ..)| mv.to()),
            branches: vec![false; moves.len()],
            totals,
        });
        for (index, made) in moves.iter().enumerate() {
            path.push((made.mv, lines.len() - 1, index));
            pos.do_move(made.mv);
        }
    }
    lines
}
