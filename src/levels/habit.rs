//! Habits of people: a game begins with one of a few moves, the piece that has just moved is neither moved back nor on
//! without need, pieces are not drawn back, and the king stays in its castle.

use super::chance::mix;
use crate::position::Position;
use crate::types::{Color, Move, Square};

/// First moves as Black sees the board, and how often in twenty games.
const FIRST_MOVES: [(Square, Square, u64); 4] = [
    (Square::S7G, Square::S7F, 11),
    (Square::S2G, Square::S2F, 7),
    (Square::S5G, Square::S5F, 1),
    (Square::S6G, Square::S6F, 1),
];
/// Cost of a quiet move that takes the piece of the last own move back to where it came from, in standard deviations of
/// the level's noise.
const BACK: f64 = 1.0;
/// Cost of a quiet move on with that piece; of another piece away from the enemy's camp, or of the king after the opening.
const ON: f64 = 0.4;
const RETREAT: f64 = 0.5;
/// Until this ply the king is on its way to its castle.
const CASTLE_PLY: u32 = 40;

/// The first move of a side in an even game; none later.
pub(super) fn first_move(pos: &Position, seed: u64) -> Option<Move> {
    let (side, start) = (pos.side(), Position::startpos());
    let is_first = pos.ply() <= 2 && pos.pieces(side) == start.pieces(side) && pos.occupied().count() == 40;
    let total: u64 = FIRST_MOVES.iter().map(|first| first.2).sum();
    let mut left = mix(seed.rotate_left(11) ^ side.index() as u64) % total;
    let chosen = FIRST_MOVES.iter().filter(|_| is_first).find(|first| {
        let is_chosen = left < first.2;
        left = left.saturating_sub(first.2);
        is_chosen
    });
    let &(from, to, _) = chosen?;
    Some(if side == Color::Black { Move::board(from, to) } else { Move::board(from.rotate(), to.rotate()) })
}

/// The last own move of the side to move, if the position knows it.
pub(super) fn last_own_move(pos: &Position) -> Option<Move> {
    if pos.moves_made() < 2 {
        return None;
    }
    let mut before = pos.clone();
    before.undo();
    before.last_move()
}

/// Cost of a move by habit after this own move, in centipawns.
pub(super) fn reluctance(pos: &Position, last: Option<Move>, mv: Move, noise: f64) -> i32 {
    let Some(from) = mv.from() else { return 0 };
    if pos.in_check() || pos.piece_on(mv.to()).is_some() || mv.is_promotion() {
        return 0;
    }
    let moves_again = last.is_some_and(|last| from == last.to());
    let deviations = match last.and_then(Move::from) {
        Some(origin) if moves_again && origin == mv.to() => BACK,
        _ if moves_again => ON,
        _ if retreats(pos, from, mv.to()) => RETREAT,
        _ => 0.0,
    };
    (noise * deviations).round() as i32
}

/// Tests whether a piece goes back though nothing attacks it, or the king wanders.
fn retreats(pos: &Position, from: Square, to: Square) -> bool {
    let side = pos.side();
    let steps = to.rank().index() as i32 - from.rank().index() as i32;
    let goes_back = if side == Color::Black { steps > 0 } else { steps < 0 };
    let goes = if pos.king(side) == Some(from) { pos.ply() > CASTLE_PLY } else { goes_back };
    goes && !pos.is_attacked(!side, from, pos.occupied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(moves: &str) -> Position {
        let mut pos = Position::startpos();
        moves.split_whitespace().for_each(|mv| pos.do_move(mv.parse().unwrap()));
        pos
    }

    #[test]
    fn both_sides_begin_with_a_customary_move_and_only_in_even_games() {
        let count = |moves: &str, first: &str| {
            let (pos, first) = (position(moves), first.parse().unwrap());
            (0..2_000).filter(|&seed| first_move(&pos, seed) == Some(first)).count()
        };
        assert!(count("", "7g7f").abs_diff(1_100) < 120 && count("", "2g2f").abs_diff(700) < 120);
        assert!(count("9g9f", "3c3d").abs_diff(1_100) < 120 && count("9g9f", "8c8d").abs_diff(700) < 120);
        assert!(first_move(&position("7g7f 3c3d"), 1).is_none());
        let handicap = Position::from_sfen(crate::position::Handicap::Bishop.sfen()).unwrap();
        assert!(first_move(&handicap, 1).is_none());
    }

    #[test]
    fn pieces_stay_where_they_have_just_gone_and_do_not_retreat() {
        let pos = position("7g7f 3c3d 2h6h 8c8d");
        let last = last_own_move(&pos);
        assert_eq!(last, Some("2h6h".parse().unwrap()));
        let cost = |mv: &str| reluctance(&pos, last, mv.parse().unwrap(), 100.0);
        assert_eq!((cost("6h2h"), cost("6h5h"), cost("5i4h")), (100, 40, 0));
        let mut late = pos.clone();
        late.set_ply(60);
        assert_eq!(reluctance(&late, last, "5i4h".parse().unwrap(), 100.0), 50);
        let pos = position("7g7f 3c3d 8h2b+ 9c9d");
        assert_eq!(reluctance(&pos, last_own_move(&pos), "2b3a".parse().unwrap(), 100.0), 0);
        // A silver goes back without need, and from an attack.
        let pos = position("4g4f 3c3d 3i4h 8c8d 4h4g 9c9d 9g9f 1c1d");
        let cost = |pos: &Position, mv: &str| reluctance(pos, last_own_move(pos), mv.parse().unwrap(), 100.0);
        assert_eq!((cost(&pos, "4g5h"), cost(&pos, "4g5f")), (50, 0));
        let pos = Position::from_sfen("4k4/9/9/9/5p3/5S3/9/9/4K4 b - 1").unwrap();
        assert_eq!(cost(&pos, "4f5g"), 0);
        assert_eq!(last_own_move(&position("7g7f")), None);
    }
}
