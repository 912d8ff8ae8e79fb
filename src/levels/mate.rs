//! Short mates by plain recursion: every check, every answer.

use crate::mate::mate_in_one;
use crate::movegen::{Checks, Evasions, generate};
use crate::position::Position;
use crate::types::Move;

/// Moves after which the search gives up: the mates of five plies that a game has take far fewer.
const MAX_MOVES: u32 = 60_000;
/// The longest mate that is searched for in this way.
const MAX_PLIES: usize = 11;

/// The shortest mate of at most `plies` plies, with the longest resistance.
pub(super) fn shortest_mate(pos: &mut Position, plies: usize) -> Option<Vec<Move>> {
    let mut moves_left = MAX_MOVES;
    (1..=plies.min(MAX_PLIES)).step_by(2).find_map(|plies| attack(pos, plies, &mut moves_left))
}

/// A mate by the side to move within `plies` plies (odd).
fn attack(pos: &mut Position, plies: usize, moves_left: &mut u32) -> Option<Vec<Move>> {
    if plies == 1 {
        return mate_in_one(pos).map(|mv| vec![mv]);
    }
    generate::<Checks>(pos).into_iter().find_map(|mv| {
        *moves_left = moves_left.checked_sub(1)?;
        pos.do_move(mv);
        let line = defend(pos, plies - 1, moves_left);
        pos.undo();
        line.map(|line| [&[mv], &line[..]].concat())
    })
}

/// The longest line if every answer is followed by a mate within `plies` plies (even), the answer included.
fn defend(pos: &mut Position, plies: usize, moves_left: &mut u32) -> Option<Vec<Move>> {
    let mut longest = Vec::new();
    for mv in &generate::<Evasions>(pos) {
        *moves_left = moves_left.checked_sub(1)?;
        pos.do_move(mv);
        let line = mate_in_one(pos).map(|mate| vec![mate]);
        let line = line.or_else(|| if plies > 2 { attack(pos, plies - 1, moves_left) } else { None });
        pos.undo();
        let line = [&[mv], &line?[..]].concat();
        if line.len() > longest.len() {
            longest = line;
        }
    }
    Some(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(sfen: &str, plies: usize) -> Option<usize> {
        let mut pos = Position::from_sfen(sfen).unwrap();
        let line = shortest_mate(&mut pos, plies)?;
        line.iter().for_each(|&mv| pos.play(mv).unwrap());
        assert!(pos.in_check() && !crate::movegen::has_legal_move(&pos));
        Some(line.len())
    }

    #[test]
    fn mates_are_found_up_to_the_length_and_not_beyond() {
        assert_eq!(length("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 1), Some(1));
        let three = "+R4Ssnl/3+LB1g2/2sp3p1/2p1ppp1p/5NkP1/3g1PP1P/PPN1P2K1/3P5/6+rNL w b2gsl3p 1";
        assert_eq!((length(three, 1), length(three, 3), length(three, 9)), (None, Some(3), Some(3)));
        assert_eq!(length(crate::position::START_SFEN, 5), None);
    }
}
