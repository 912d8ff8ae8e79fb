//! Siblings: positions after different moves from one position, of which the played one should be the best.
//!
//! The scores of played positions never say what a bad move leads to, though most positions of a search come from one.
//! A group compares the move that was played with two others drawn at random, each walked to its quiet end
//! ([`super::quiet`]), where the static evaluation is what a search would have used. The idea is that of comparison
//! training (Tesauro 2001) and of Bonanza's learning from the moves of masters (Hoki 2006).
//!
//! A file of groups is a file of records ([`super::records`]), three to a group, the played one first. The result of a
//! record is 1 where the side that chose is to move at the end, and -1 where the other is; its move counter is that of
//! the position before the moves. Scores and best moves are empty.

use super::games::Game;
use super::quiet::{QuietEnd, QuietSearch};
use super::records::{Record, visit_records};
use crate::movegen::{All, generate};
use crate::position::Position;
use crate::random::Random;
use crate::types::Move;
use std::convert::Infallible;

/// Records of a group.
pub const GROUP: usize = 3;
/// Draws of a move after which a position is given up: ends in check are not wanted.
const MAX_DRAWS: usize = 8;

/// Groups of a file in the making.
#[derive(Debug)]
pub struct SiblingMaker {
    search: QuietSearch,
    /// One position in this many has a group.
    every: usize,
    max_score: u16,
    seed: u64,
}

impl SiblingMaker {
    /// Makes groups of one position in `every`, of those whose score is at most `max_score` centipawns for either
    /// side. The other moves are drawn by the seed.
    pub fn new(search: QuietSearch, every: usize, max_score: u16, seed: u64) -> SiblingMaker {
        SiblingMaker { search, every: every.max(1), max_score, seed }
    }

    /// The groups of a game, the first of a stream of random numbers of its own.
    pub fn groups_of(&mut self, game: &Game, number: u64) -> Vec<[Record; GROUP]> {
        let mut random = Random::new(self.seed, number);
        let mut left = random.below(self.every);
        let mut groups = Vec::new();
        let visited = visit_records(game, |record, pos, _| {
            if left > 0 {
                left -= 1;
            } else {
                left = self.every - 1;
                groups.extend(self.group(&record, pos, &mut random));
            }
            Ok::<(), Infallible>(())
        });
        match visited {
            Ok(()) => groups,
        }
    }

    fn group(&mut self, record: &Record, pos: &Position, random: &mut Random) -> Option<[Record; GROUP]> {
        if record.score.unsigned_abs() > self.max_score {
            return None;
        }
        let played = record.best?;
        let mut others: Vec<_> = generate::<All>(pos).iter().copied().filter(|&mv| mv != played).collect();
        let mut ends = vec![self.end_after(pos, played)?];
        for _ in 0..MAX_DRAWS {
            if ends.len() == GROUP || others.is_empty() {
                break;
            }
            let mv = others.swap_remove(random.below(others.len()));
            ends.extend(self.end_after(pos, mv));
        }
        let ends: [QuietEnd; GROUP] = ends.try_into().ok()?;
        Some(ends.map(|end| Record {
            position: end.pos.pack().expect("it has both kings"),
            score: 0,
            best: None,
            ply: record.ply,
            // The move itself turns the board once.
            result: if end.is_turned() { 1 } else { -1 },
        }))
    }

    fn end_after(&mut self, pos: &Position, mv: Move) -> Option<QuietEnd> {
        let mut after = pos.clone();
        after.do_move(mv);
        self.search.end_of(&after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::notation::record::Ending;
    use crate::training::games::Ply;
    use crate::types::Color;

    fn game(moves: &str) -> Game {
        let plies = moves.split(' ').map(|mv| Ply { mv: mv.parse().expect("a move"), score: 10 }).collect();
        Game::new(&Position::startpos(), plies, 0, (Ending::Interrupted, None)).expect("legal moves")
    }

    fn maker(every: usize) -> SiblingMaker {
        SiblingMaker::new(QuietSearch::new(&Evaluation::default()), every, 3_000, 5)
    }

    const MOVES: &str = "7g7f 3c3d 2g2f 4c4d 3i4h 3a3b";

    #[test]
    fn the_played_move_comes_first_and_the_others_are_two_other_moves() {
        let game = game(MOVES);
        let groups = maker(1).groups_of(&game, 0);
        assert_eq!(groups.len(), 6);
        let mut pos = Position::startpos();
        for (group, ply) in groups.iter().zip(game.plies()) {
            let mut after = pos.clone();
            after.do_move(ply.mv);
            let end = QuietSearch::new(&Evaluation::default()).end_of(&after).expect("quiet");
            assert_eq!(group[0].position, end.pos.pack().expect("two kings"));
            assert_eq!(group[0].result, if end.pos.side() == pos.side() { 1 } else { -1 });
            assert!(group.iter().all(|record| u32::from(record.ply) == pos.ply()));
            assert!(group[0] != group[1] && group[1] != group[2] && group[0] != group[2]);
            pos = after;
        }
    }

    #[test]
    fn equal_seeds_make_equal_groups_and_one_position_in_a_number_is_taken() {
        let game = game(MOVES);
        assert_eq!(maker(1).groups_of(&game, 3), maker(1).groups_of(&game, 3));
        assert_ne!(maker(1).groups_of(&game, 3), maker(1).groups_of(&game, 4));
        let taken: Vec<usize> = (0..20).map(|number| maker(4).groups_of(&game, number).len()).collect();
        assert!(taken.iter().all(|taken| [1, 2].contains(taken)), "{taken:?}");
        assert!(taken.contains(&1) && taken.contains(&2));
    }

    #[test]
    fn scores_beyond_the_limit_and_positions_with_too_few_moves_have_no_group() {
        let plies = vec![Ply { mv: "7g7f".parse().expect("a move"), score: 3_001 }];
        let won = Game::new(&Position::startpos(), plies, 0, (Ending::Resignation, Some(Color::Black)));
        assert!(maker(1).groups_of(&won.expect("legal"), 0).is_empty());
        // A king in check with one way out.
        let start = Position::from_sfen("k8/9/1G7/9/9/9/9/9/R7K w R2B3G4S4N4L18P 1").expect("a valid SFEN");
        let moves = generate::<All>(&start);
        assert_eq!(moves.len(), 1);
        let only = Game::new(&start, vec![Ply { mv: moves[0], score: 0 }], 0, (Ending::Interrupted, None));
        assert!(maker(1).groups_of(&only.expect("legal"), 0).is_empty());
    }
}
