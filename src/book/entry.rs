//! A position of a book with its moves, and its twin of 180 degrees.

use crate::position::Position;
use crate::types::Move;

/// The most moves that are kept of a position: more than any position has.
pub const MAX_CANDIDATES: usize = 648;

/// A move of a book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// The answer that is expected.
    pub reply: Option<Move>,
    /// Centipawns from the view of the side that moves; none if only the move is known. Mates are about ±32000.
    pub value: Option<i32>,
    /// Plies of the search that gave the value; 0 if that is not known.
    pub depth: u32,
    /// Number of times that it was played, or its weight; 0 if that is not known.
    pub count: u32,
    /// Comment of people on it, lines separated by LF; most often empty.
    pub comment: String,
}

impl Candidate {
    /// A move of which nothing else is known.
    pub const fn new(mv: Move) -> Candidate {
        Candidate { mv, reply: None, value: None, depth: 0, count: 1, comment: String::new() }
    }

    /// The value; 0 if it is not known, as the text format has it.
    pub fn value_or_zero(&self) -> i32 {
        self.value.unwrap_or(0)
    }

    /// The move in the position turned by 180 degrees.
    pub fn rotate(&mut self) {
        self.mv = self.mv.rotate();
        self.reply = self.reply.map(Move::rotate);
    }
}

/// Games in which a position stood on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BookResults {
    /// All of them.
    pub games: u32,
    /// Games that black won.
    pub black: u32,
    /// Games that white won.
    pub white: u32,
}

impl BookResults {
    /// The sum.
    pub fn plus(self, other: BookResults) -> BookResults {
        BookResults {
            games: self.games.saturating_add(other.games),
            black: self.black.saturating_add(other.black),
            white: self.white.saturating_add(other.white),
        }
    }
}

/// A position of a book with its moves. The counter of the position is the ply that the book gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookEntry {
    /// The position, without history.
    pub position: Position,
    /// Moves in the order of the book.
    pub moves: Vec<Candidate>,
    /// Comment of people on it, lines separated by LF.
    pub comment: String,
    /// The games that the book was made from, where it tells.
    pub results: BookResults,
}

impl BookEntry {
    /// A position without moves.
    pub fn new(position: Position) -> BookEntry {
        BookEntry { position, moves: Vec::new(), comment: String::new(), results: BookResults::default() }
    }

    /// Turns position and moves by 180 degrees; black's results become white's.
    pub fn rotate(&mut self) {
        self.position = self.position.rotate();
        for candidate in &mut self.moves {
            candidate.rotate();
        }
        std::mem::swap(&mut self.results.black, &mut self.results.white);
    }

    /// Adds a move; if it is there already the new one takes its place, and the counts are added.
    pub fn add(&mut self, candidate: Candidate) {
        add(&mut self.moves, candidate);
    }

    /// Makes one move out of those that are listed twice: the later one stays, with the counts added.
    pub fn merge_repeated(&mut self) {
        merge_repeated(&mut self.moves);
    }

    /// Puts the best move first.
    pub fn sort_moves(&mut self) {
        sort_candidates(&mut self.moves);
    }
}

/// Makes one move out of those that are listed twice: the later one stays in the place of the first, with the counts
/// added.
pub(crate) fn merge_repeated(moves: &mut Vec<Candidate>) {
    for candidate in std::mem::take(moves) {
        add(moves, candidate);
    }
}

fn add(moves: &mut Vec<Candidate>, mut candidate: Candidate) {
    match moves.iter_mut().find(|known| known.mv == candidate.mv) {
        Some(known) => {
            candidate.count = known.count.saturating_add(candidate.count);
            *known = candidate;
        }
        None => moves.push(candidate),
    }
}

/// Puts the best move first: the one with the greatest value if any value is known and not 0, else the one that was
/// played most. Books of engines keep other things than games in their counts.
pub fn sort_candidates(moves: &mut [Candidate]) {
    if has_values(moves) {
        moves.sort_by_key(|candidate| {
            let value = candidate.value.map_or(i64::MIN, i64::from);
            (std::cmp::Reverse(value), std::cmp::Reverse(candidate.count))
        });
    } else {
        moves.sort_by_key(|candidate| std::cmp::Reverse(candidate.count));
    }
}

/// Tests whether the moves were judged by an engine: any value is other than 0.
pub fn has_values(moves: &[Candidate]) -> bool {
    moves.iter().any(|candidate| candidate.value.is_some_and(|value| value != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, generate};
    use crate::notation::usi::parse_position;

    #[test]
    fn turned_twice_is_the_same_and_the_moves_turn_with_it() {
        let line = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e 5c5d 4e3d";
        let mut position = parse_position(line).unwrap().position.without_history();
        let mut twin = position.rotate();
        assert_eq!(twin.rotate(), position);
        assert_ne!(twin.side(), position.side());
        let sorted = |mut moves: Vec<Move>| {
            moves.sort();
            moves
        };
        let turned = generate::<All>(&position).iter().map(|&mv| mv.rotate()).collect();
        assert_eq!(sorted(turned), sorted(generate::<All>(&twin).to_vec()));
        position.do_move("B*5e".parse().unwrap());
        twin.do_move("B*5e".parse::<Move>().unwrap().rotate());
        assert_eq!(position.rotate(), twin.without_history());
    }
}
