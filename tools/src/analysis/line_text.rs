//! Lines of play in Japanese.

use komainu::notation::ki2;
use komainu::notation::remark::write_line;
use komainu::position::Position;
use komainu::types::Move;

/// Moves as ShogiHome writes them: a blank as wide as a letter behind 同.
pub(super) fn japanese_line(pos: &Position, line: &[Move]) -> Vec<String> {
    let mut last = pos.last_move().map(Move::to);
    write_line(pos, line, |pos, mv| {
        let text = ki2::move_text(pos, mv, last);
        last = Some(mv.to());
        text.replace('同', "同　")
    })
}
