//! Marks that tell a move from others in Japanese notation: 右 左 直, 上 寄 引, 成 不成, 打.
//!
//! The rules of the Japan Shogi Association, in its order: if another piece of the kind could go to the square as well,
//! the movement (上 寄 引) is said if that settles it, else the relative position of the origin (右 左, and 直
//! for a step straight up of a gold, silver or small promoted piece), else both. Bishops, rooks, horses and
//! dragons are never 直: of the two the one further left is 左. 打 is said only if a piece on the board could have gone
//! there. A pinned piece counts among those that could.

use crate::bitboard::Bitboard;
use crate::notation::kif::relative_notation::{
    Movement, RelativePosition, is_far_reaching, movement, pieces_reaching, relative_position,
};
use crate::notation::kif::vocabulary::piece_name;
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, PieceType, Square};

/// The piece and all that is said about its move, without the destination: 金左上. The move is legal in the position.
pub(super) fn piece_and_marks(pos: &Position, mv: Move) -> String {
    let color = pos.side();
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => {
            let drop = if pieces_reaching(pos, color, piece_type, to).is_empty() { "" } else { "打" };
            format!("{}{drop}", piece_name(piece_type))
        }
        MoveKind::Board { from, to, promote } => {
            let piece_type = pos.piece_on(from).expect("a legal move starts on a piece").piece_type();
            let zone = Bitboard::zone(color);
            let may_promote = piece_type.can_promote() && (zone.contains(from) || zone.contains(to));
            let promotion = match (may_promote, promote) {
                (false, _) => "",
                (true, true) => "成",
                (true, false) => "不成",
            };
            let (position, movement) = origin_marks(pos, piece_type, from, to);
            format!(
                "{}{}{}{promotion}",
                piece_name(piece_type),
                position.map_or("", position_name),
                movement.map_or("", movement_name)
            )
        }
    }
}

/// All that is said about the origin of a legal move, in the letters of JSON records.
pub(super) fn letters(pos: &Position, mv: Move) -> Option<String> {
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => {
            (!pieces_reaching(pos, pos.side(), piece_type, to).is_empty()).then(|| "H".to_string())
        }
        MoveKind::Board { from, to, .. } => {
            let piece_type = pos.piece_on(from).expect("a legal move starts on a piece").piece_type();
            let (position, movement) = origin_marks(pos, piece_type, from, to);
            let position = position.map(|position| match position {
                RelativePosition::Left => 'L',
                RelativePosition::Straight => 'C',
                RelativePosition::Right => 'R',
            });
            let movement = movement.map(|movement| match movement {
                Movement::Up => 'U',
                Movement::Across => 'M',
                Movement::Down => 'D',
            });
            let letters: String = position.into_iter().chain(movement).collect();
            (!letters.is_empty()).then_some(letters)
        }
    }
}

/// The shortest of the permitted ways to say where a piece comes from.
fn origin_marks(
    pos: &Position,
    piece_type: PieceType,
    from: Square,
    to: Square,
) -> (Option<RelativePosition>, Option<Movement>) {
    let color = pos.side();
    let rivals = pieces_reaching(pos, color, piece_type, to).without(Bitboard::from_square(from));
    let own_movement = movement(color, from, to);
    if rivals.is_empty() {
        return (None, None);
    }
    if rivals.into_iter().all(|rival| movement(color, rival, to) != own_movement) {
        return (None, Some(own_movement));
    }
    if is_far_reaching(piece_type) {
        return (rivals.first().and_then(|rival| relative_position(color, from, rival)), None);
    }
    let position = position_of(color, from, to);
    // Only one piece can come from straight below.
    let is_alone = position == RelativePosition::Straight
        || rivals.into_iter().all(|rival| position_of(color, rival, to) != position);
    (Some(position), (!is_alone).then_some(own_movement))
}

/// Where a piece comes from as seen from its destination. What comes straight down is never asked: it is the only one
/// that comes down its file, and a gold comes down in no other way.
fn position_of(color: Color, from: Square, to: Square) -> RelativePosition {
    relative_position(color, from, to).unwrap_or(RelativePosition::Straight)
}

fn position_name(position: RelativePosition) -> &'static str {
    match position {
        RelativePosition::Left => "左",
        RelativePosition::Straight => "直",
        RelativePosition::Right => "右",
    }
}

fn movement_name(movement: Movement) -> &'static str {
    match movement {
        Movement::Up => "上",
        Movement::Across => "寄",
        Movement::Down => "引",
    }
}
