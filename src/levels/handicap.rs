//! The style of the giver of a handicap. By its evaluation everything is lost for it from the start; so it keeps pieces
//! on the board, and of moves that are about as good plays the one after which most answers are mistakes.

use crate::position::Position;
use crate::types::{Color, PieceType, Score};

/// Cost to the giver of an own piece that has left the board, in tenths of its value.
const EXCHANGE_TENTHS: i32 = 3;
/// Cost of all of them at most, in centipawns.
const MOST_FOR_EXCHANGES: i32 = 60;
/// Centipawns that a move may be worse than the best one and still be played instead.
pub(crate) const MARGIN: i32 = 80;
/// Moves besides the best one that are compared at most.
pub(crate) const RIVALS: usize = 3;
/// Centipawns from which on an answer that loses them is a mistake.
pub(crate) const MISTAKE: i32 = 300;
/// Depth at which answers are looked at, in plies with the answer itself.
pub(crate) const ANSWER_DEPTH: usize = 4;
/// Levels that look fewer plies ahead set no traps.
pub(crate) const LEAST_DEPTH: usize = 3;
/// Factor of its nodes for a move that a level has to count mistakes.
pub(crate) const COUNTING_NODES: u64 = 4;

/// Centipawns that a draw is worth less to the giver than the start of the game.
const DRAW_DISLIKE: i32 = 500;

/// Value of a draw to a side that was `given` centipawns behind at the start because of the handicap that it gave: less
/// than the start, so that it plays on. For a side that gave nothing it is an ordinary draw.
pub fn draw_value_of_giver(given: i32) -> Score {
    if given > 0 { Score(-given - DRAW_DISLIKE) } else { Score::DRAW }
}

/// The side to move as the giver of a handicap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandicapGiver {
    pub(crate) side: Color,
    /// The value of its pieces on the board before the search, in centipawns.
    kept: i32,
}

impl HandicapGiver {
    /// The giver at the root; none if the side to move has `given` nothing.
    pub(crate) fn new(root: &Position, given: i32) -> Option<HandicapGiver> {
        if given <= 0 {
            return None;
        }
        Some(HandicapGiver { side: root.side(), kept: value_on_board(root, root.side()) })
    }

    /// Cost of exchanges since the root to the giver, in centipawns, 0 or less.
    pub(crate) fn bonus(&self, pos: &Position) -> i32 {
        let gone = (self.kept - value_on_board(pos, self.side)).max(0);
        -(gone * EXCHANGE_TENTHS / 10).min(MOST_FOR_EXCHANGES)
    }
}

/// Worth of a side's pieces on the board, pawns and king left out and promotions not counted.
fn value_on_board(pos: &Position, side: Color) -> i32 {
    use PieceType::*;
    let mut value = 0;
    for piece_type in [Lance, Knight, Silver, Gold, Bishop, Rook] {
        let mut count = pos.pieces_of(side, piece_type).count();
        if piece_type.can_promote() {
            count += pos.pieces_of(side, piece_type.promoted()).count();
        }
        value += count as i32 * piece_type.value();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Handicap;

    #[test]
    fn an_exchange_costs_the_giver_and_a_drop_makes_up_for_it() {
        let mut pos = Position::from_sfen(Handicap::Rook.sfen()).unwrap();
        let giver = HandicapGiver::new(&pos, 700).unwrap();
        assert_eq!(giver.bonus(&pos), 0);
        for mv in ["3c3d", "7g7f", "2b8h+"] {
            pos.play(mv.parse().unwrap()).unwrap();
        }
        // A capture and a promotion are nothing by themselves.
        assert_eq!(giver.bonus(&pos), 0);
        pos.play("7i8h".parse().unwrap()).unwrap();
        assert_eq!(giver.bonus(&pos), -MOST_FOR_EXCHANGES);
        pos.play("B*2b".parse().unwrap()).unwrap();
        assert_eq!(giver.bonus(&pos), 0);
    }

    #[test]
    fn pawns_do_not_count_and_who_gave_nothing_has_no_style() {
        let mut pos = Position::from_sfen(Handicap::TwoPieces.sfen()).unwrap();
        assert!(HandicapGiver::new(&pos, 0).is_none());
        let giver = HandicapGiver::new(&pos, 1).unwrap();
        for mv in ["2c2d", "2g2f", "9c9d", "2f2e", "2d2e", "2h2e"] {
            pos.play(mv.parse().unwrap()).unwrap();
        }
        assert_eq!(giver.bonus(&pos), 0);
    }
}
