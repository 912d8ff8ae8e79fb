//! Mate in three: every check, every answer, mate in one.

use super::one::mate_in_one;
use crate::movegen::{Checks, Evasions, generate};
use crate::position::Position;
use crate::types::Move;

/// A move of the side to move that mates within three plies, if there is one.
///
/// ```
/// use komainu::mate::{mate_in_one, mate_in_three};
/// use komainu::position::Position;
///
/// // A gold drives the king to the edge, the second one mates.
/// let mut position = Position::from_sfen("8k/9/8P/9/9/9/9/9/9 b 2G 1")?;
/// assert!(mate_in_three(&mut position).is_some());
/// # Ok::<(), komainu::position::SfenError>(())
/// ```
pub fn mate_in_three(pos: &mut Position) -> Option<Move> {
    mate_in_one(pos).or_else(|| {
        generate::<Checks>(pos).into_iter().find(|&mv| {
            pos.do_move(mv);
            let mates = is_mated_in_two(pos);
            pos.undo();
            mates
        })
    })
}

/// Tests whether every answer of the side in check allows a mate in one.
fn is_mated_in_two(pos: &mut Position) -> bool {
    generate::<Evasions>(pos).into_iter().all(|mv| {
        pos.do_move(mv);
        // A counter-check does not end the attack: the answer to it may mate.
        let mates = mate_in_one(pos).is_some();
        pos.undo();
        mates
    })
}
