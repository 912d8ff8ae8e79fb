//! Lines of play in Japanese.

use crate::notation::ki2;
use crate::notation::remark::write_line;
use crate::position::Position;
use crate::types::Move;

/// Moves as ShogiHome writes them: a blank as wide as a letter behind 同.
pub(super) fn japanese_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut last = pos.last_move().map(Move::to);
    write_line(pos, line, |pos, mv| {
        let text = ki2::move_text(pos, mv, last);
        last = Some(mv.to());
        text.replace('同', "同　")
    })
}
