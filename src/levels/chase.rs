//! Games that are won are brought to their end: a level that is far ahead goes for the king, and the longer it takes
//! the more it sees of it.

use super::table::LevelParams;
use crate::position::Position;
use crate::types::{Move, PieceType, Square};

/// Centipawns from which on a game is won.
const WON: i32 = 1_200;
/// Nobody goes for the king before this ply, ...
const CHASE_PLY: u32 = 60;
/// ... looks harder for mates before this one ...
const MATE_PLY: u32 = 80;
/// ... or loses patience before this one.
const LONG_PLY: u32 = 150;
/// The longest mate that is looked for because of a lead, in plies.
const LONGEST: usize = 7;
/// Centipawns for each square that a piece comes nearer to the king, and more by the error of the level.
const NEARER: i32 = 30;
const NEARER_BY_NOISE: f64 = 0.3;
/// A drop counts as if the piece came from this many squares away.
const IN_HAND: i32 = 4;
/// Squares that a move gains at most.
const MOST_NEARER: i32 = 2;
/// The error of a level that has lost patience, against its usual one.
const PATIENCE_LOST: f64 = 0.5;

/// The abilities of a level with this lead in centipawns.
pub(super) fn eager(params: LevelParams, lead: i32, ply: u32) -> LevelParams {
    if lead < WON || ply <= MATE_PLY {
        return params;
    }
    let more = 2 * (lead / WON).min(2) as usize;
    let mate_plies = (params.mate_plies + more).min(LONGEST.max(params.mate_plies));
    let params = LevelParams { mate_plies, mate_chance: 1.0, ..params };
    if ply <= LONG_PLY {
        return params;
    }
    LevelParams {
        noise: params.noise * PATIENCE_LOST,
        blindness: params.blindness * PATIENCE_LOST,
        nodes: 2 * params.nodes,
        depth: params.depth + 1,
        ..params
    }
}

/// Centipawns for a move that comes nearer to the enemy king, below zero for one that goes away from it; none for one
/// that gives its piece away there.
pub(super) fn bonus(pos: &Position, mv: Move, lead: i32, noise: f64) -> i32 {
    let king = pos.king(!pos.side()).filter(|_| lead >= WON && pos.ply() > CHASE_PLY);
    let Some(king) = king else { return 0 };
    let before = match mv.from() {
        Some(from) if pos.piece_on(from).is_some_and(|piece| piece.piece_type() == PieceType::King) => return 0,
        Some(from) => distance(from, king),
        None => IN_HAND,
    };
    let nearer = (before - distance(mv.to(), king)).clamp(-MOST_NEARER, MOST_NEARER);
    if nearer > 0 && !pos.see_ge(mv, 0) {
        return 0;
    }
    nearer * (NEARER + (NEARER_BY_NOISE * noise).round() as i32)
}

/// Steps of a king from one square to another.
fn distance(from: Square, to: Square) -> i32 {
    let files = from.file().index().abs_diff(to.file().index());
    files.max(from.rank().index().abs_diff(to.rank().index())) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::Level;

    #[test]
    fn a_lead_lengthens_the_mates_that_are_seen_and_a_long_game_sharpens_the_eye() {
        let usual = LevelParams::of(Level::WEAKEST);
        assert_eq!(eager(usual, 3_000, MATE_PLY), usual, "early");
        assert_eq!(eager(usual, WON - 1, 300), usual, "no lead");
        let seen = |lead, ply| eager(usual, lead, ply).mate_plies;
        assert_eq!([seen(WON, 81), seen(2 * WON, 81), seen(9_000, 81)], [3, 5, 5]);
        assert_eq!(
            (eager(usual, WON, 81).noise, eager(usual, WON, LONG_PLY + 1).noise),
            (usual.noise, usual.noise / 2.0)
        );
        let strong = LevelParams::of(Level::STRONGEST);
        assert_eq!(eager(strong, WON, 81).mate_plies, strong.mate_plies);
    }

    #[test]
    fn pieces_that_come_nearer_to_the_king_are_liked_once_the_game_is_won() {
        let mut pos = Position::from_sfen("4k4/9/9/9/9/4+P4/9/9/K8 b G 1").unwrap();
        pos.set_ply(CHASE_PLY + 1);
        let of = |pos: &Position, mv: &str, lead| bonus(pos, mv.parse().unwrap(), lead, 100.0);
        assert_eq!([of(&pos, "5f5e", WON), of(&pos, "5f5g", WON), of(&pos, "5f4f", WON)], [60, -60, 0]);
        assert_eq!([of(&pos, "G*5c", WON), of(&pos, "G*5e", WON)], [120, 0]);
        assert_eq!((of(&pos, "9i8h", WON), of(&pos, "5f5e", WON - 1)), (0, 0), "the own king, no lead");
        assert_eq!(of(&pos, "G*5b", WON), 0, "the king takes it");
        pos.set_ply(CHASE_PLY);
        assert_eq!(of(&pos, "5f5e", WON), 0);
    }
}
