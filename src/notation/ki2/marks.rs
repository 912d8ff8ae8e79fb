//! What tells a move from others in Japanese notation: 右 左 直, 上 寄 引, 成 不成, 打.
//!
//! The rules of the Japan Shogi Association, in its order: if another piece of the kind could go to the square as well,
//! the way of the move (上 寄 引) is said if that settles it, else the place that the piece comes from (右 左, and 直
//! for a step straight up of a gold, silver or small promoted piece), else place and way. Bishops, rooks, horses and
//! dragons are never 直: of the two the one further left is 左. 打 is said only if a piece on the board could have gone
//! there. A pinned piece counts among those that could.

use crate::bitboard::Bitboard;
use crate::notation::kif::spoken::{Place, Way, comers, is_far_reaching, place_against, way};
use crate::notation::kif::words::piece_name;
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, PieceType, Square};

/// The piece and all that is said about its move, without the destination: 金左上. The move is legal in the position.
pub(super) fn piece_and_marks(pos: &Position, mv: Move) -> String {
    let color = pos.side();
    match mv.kind() {
        MoveKind::Drop { piece_type, to } => {
            let drop = if comers(pos, color, piece_type, to).is_empty() { "" } else { "打" };
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
            let (place, way) = origin_marks(pos, piece_type, from, to);
            format!("{}{}{}{promotion}", piece_name(piece_type), place.map_or("", place_name), way.map_or("", way_name))
        }
    }
}

/// The shortest of the permitted ways to say where a piece comes from.
fn origin_marks(pos: &Position, piece_type: PieceType, from: Square, to: Square) -> (Option<Place>, Option<Way>) {
    let color = pos.side();
    let rivals = comers(pos, color, piece_type, to).without(Bitboard::from_square(from));
    let own_way = way(color, from, to);
    if rivals.is_empty() {
        return (None, None);
    }
    if rivals.into_iter().all(|rival| way(color, rival, to) != own_way) {
        return (None, Some(own_way));
    }
    if is_far_reaching(piece_type) {
        return (rivals.first().and_then(|rival| place_against(color, from, rival)), None);
    }
    let place = place_of(color, from, to);
    // Only one piece can come from straight below.
    let is_alone = place == Place::Straight || rivals.into_iter().all(|rival| place_of(color, rival, to) != place);
    (Some(place), (!is_alone).then_some(own_way))
}

/// Where a piece comes from as seen from its destination. What comes straight down is never asked: it is the only one
/// that comes down its file, and a gold comes down in no other way.
fn place_of(color: Color, from: Square, to: Square) -> Place {
    place_against(color, from, to).unwrap_or(Place::Straight)
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::Left => "左",
        Place::Straight => "直",
        Place::Right => "右",
    }
}

fn way_name(way: Way) -> &'static str {
    match way {
        Way::Up => "上",
        Way::Across => "寄",
        Way::Down => "引",
    }
}
