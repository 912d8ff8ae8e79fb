//! Random positions around a king that is to be mated: few pieces, most of them near it.

use komainu::movegen::{Checks, Evasions, generate};
use komainu::position::{Position, PositionBuilder};
use komainu::random::SplitMix64;
use komainu::types::{Color, Piece, PieceType, Square};

/// How many pieces a board of each style gets at most, kings not counted.
const STYLES: [usize; 3] = [6, 12, 24];

/// A square within `reach` of another one, or anywhere.
fn near(random: &mut SplitMix64, center: Square, reach: usize) -> Square {
    loop {
        let step = |random: &mut SplitMix64| random.below(2 * reach + 1) as i32 - reach as i32;
        if let Some(square) = center.offset(step(random), step(random)) {
            return square;
        }
    }
}

/// A position in which the side to move attacks; the attacker's king may be missing or in check.
pub(crate) fn random_board(random: &mut SplitMix64) -> Position {
    loop {
        if let Some(pos) = try_board(random) {
            return pos;
        }
    }
}

fn try_board(random: &mut SplitMix64) -> Option<Position> {
    let mut builder = PositionBuilder::new();
    let attacker = if random.below(2) == 0 { Color::Black } else { Color::White };
    builder.side(attacker);
    let king = Square::ALL[random.below(81)];
    builder.piece(king, Piece::new(!attacker, PieceType::King));
    if random.below(2) == 0 {
        let own = Square::ALL[random.below(81)];
        if builder.piece_on(own).is_none() {
            builder.piece(own, Piece::new(attacker, PieceType::King));
        }
    }
    let mut left = [0u32; 15];
    for piece_type in PieceType::HAND {
        left[piece_type.index()] = piece_type.total() as u32;
    }
    let most = STYLES[random.below(STYLES.len())];
    for _ in 0..2 + random.below(most) {
        let piece_type = PieceType::HAND[random.below(7)];
        let square = if random.below(4) == 0 { Square::ALL[random.below(81)] } else { near(random, king, 3) };
        let color = if random.below(5) < 3 { attacker } else { !attacker };
        let placed = if random.below(3) == 0 { piece_type.promoted() } else { piece_type };
        let is_dead = placed.is_dead_on(color, square.rank());
        let is_nifu = placed == PieceType::Pawn
            && Square::ALL
                .into_iter()
                .any(|s| s.file() == square.file() && builder.piece_on(s) == Some(Piece::new(color, PieceType::Pawn)));
        if left[piece_type.index()] == 0 || builder.piece_on(square).is_some() || is_dead || is_nifu {
            continue;
        }
        left[piece_type.index()] -= 1;
        builder.piece(square, Piece::new(color, placed));
    }
    // The attacker holds a little, the defender nothing, a little, or all the rest.
    let defender_holds = random.below(3);
    for piece_type in PieceType::HAND {
        let rest = left[piece_type.index()];
        let ours = if random.below(3) == 0 { 1.min(rest) } else { 0 };
        builder.hand(attacker, piece_type, ours);
        let theirs = match defender_holds {
            0 => 0,
            1 => random.below(2) as u32,
            _ => rest,
        };
        builder.hand(!attacker, piece_type, theirs.min(rest - ours));
    }
    builder.build().ok()
}

/// The same position one random ply pair later, if there is a checking pair of moves: mates come more often near
/// positions that already are under attack.
pub(crate) fn after_a_check(pos: &Position, random: &mut SplitMix64) -> Option<Position> {
    let checks = generate::<Checks>(pos);
    if checks.is_empty() {
        return None;
    }
    let mut next = pos.after(*random.pick(&checks));
    let evasions = generate::<Evasions>(&next);
    if evasions.is_empty() {
        return None;
    }
    next.do_move(*random.pick(&evasions));
    Some(next)
}
