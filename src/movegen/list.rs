//! Lists of moves.

use super::generator::{DropTargets, Side};
use super::sink::Sink;
use crate::bitboard::Bitboard;
use crate::types::{Color, Move, Piece, PieceType, Square};
use arrayvec::ArrayVec;

/// The most legal moves of any position of a game.
pub const MAX_MOVES: usize = 593;

/// Room for any list of a position, which never holds more than the set of 40 pieces ([`Position`] sees to that,
/// whatever calls are made). Accepted test positions may lack a king and exceed [`MAX_MOVES`] a little; the bound is
/// that of a hand with all seven kinds on an otherwise empty board, 567 drops, where each piece put on the board takes
/// 7 drops away and gives at most 32 moves (rook, bishop), 10 (silver, lance), 8 (king) or fewer than 7, so 636 in all;
/// a kind that is not held loses more than a further piece can gain. Then the overhang of the last store of eight
/// moves.
pub(crate) const CAPACITY: usize = 648;

/// A list of moves on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveList {
    moves: ArrayVec<Move, CAPACITY>,
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub fn new() -> MoveList {
        MoveList { moves: ArrayVec::new() }
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.moves.clear();
    }

    /// Has a writer put moves in place of what the list holds.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut Writer)) {
        let start = self.moves.as_mut_ptr().cast::<u16>();
        let mut writer = Writer {
            at: start,
            #[cfg(debug_assertions)]
            last: start.wrapping_add(CAPACITY - 8),
        };
        write(&mut writer);
        // SAFETY: the writer began at `start`, stayed within the list's room, and has written all that lies below `at`.
        unsafe {
            let len = writer.at.offset_from(start) as usize;
            self.moves.set_len(len);
        }
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    fn deref(&self) -> &[Move] {
        &self.moves
    }
}

impl std::ops::DerefMut for MoveList {
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = Move;
    type IntoIter = std::iter::Copied<std::slice::Iter<'a, Move>>;
    fn into_iter(self) -> Self::IntoIter {
        self.moves.iter().copied()
    }
}

/// Writes the moves of one position into a list without asking at each whether there is room. Only a build for
/// debugging asks: the position answers for it, by holding no more pieces than there are.
pub(crate) struct Writer {
    at: *mut u16,
    /// Where eight moves can still be written.
    #[cfg(debug_assertions)]
    last: *mut u16,
}

impl Writer {
    /// Called before a write of up to eight moves.
    fn check_room(&self) {
        #[cfg(debug_assertions)]
        assert!(self.at <= self.last, "a position has more moves than {CAPACITY}");
    }

    fn push(&mut self, bits: u16) {
        self.check_room();
        // SAFETY: each legal move is written once, and no position has more of them than `CAPACITY` leaves room for: it
        // never holds more than the set of 40 pieces.
        unsafe {
            self.at.write(bits);
            self.at = self.at.add(1);
        }
    }

    /// Writes a move onto each square; `base` is all of its bits but the destination.
    #[inline]
    fn push_onto(&mut self, squares: Bitboard, base: u16) {
        // `for_each` has one loop for each word of the set, which a `for` loop has not.
        squares.into_iter().for_each(|to| self.push(base | to as u16));
    }

    /// Writes the first `count` of these drops onto each square.
    #[inline]
    fn push_drops(&mut self, squares: Bitboard, drops: &[u16; 8], count: usize) {
        squares.into_iter().for_each(|to| {
            self.check_room();
            // SAFETY: of the eight entries written `count` are kept; `CAPACITY` has room for seven beyond the last.
            unsafe {
                self.at.cast::<[u16; 8]>().write_unaligned(drops.map(|drop| drop | to as u16));
                self.at = self.at.add(count);
            }
        });
    }
}

const PROMOTE: u16 = 1 << 15;

/// The origin's bits of a move.
fn from_bits(from: Square) -> u16 {
    (from as u16) << 7
}

/// The bits of a drop, but for its destination.
fn drop_bits(piece_type: PieceType) -> u16 {
    Move::drop(piece_type, Square::S1A).bits()
}

/// The bits of a pawn's step onto a square: one step back is one rank, by which the index differs by one.
#[inline]
fn pawn_step_bits(color: Color, to: Square) -> u16 {
    let from = match color {
        Color::Black => to as u16 + 1,
        Color::White => to as u16 - 1,
    };
    from << 7 | to as u16
}

impl Sink for Writer {
    fn pawns<S: Side>(&mut self, side: S, promoting: Bitboard, plain: Bitboard) {
        promoting.into_iter().for_each(|to| self.push(pawn_step_bits(side.color(), to) | PROMOTE));
        plain.into_iter().for_each(|to| self.push(pawn_step_bits(side.color(), to)));
    }

    fn moves(&mut self, _: Piece, from: Square, promoting: Bitboard, plain: Bitboard) {
        self.push_onto(promoting, from_bits(from) | PROMOTE);
        self.push_onto(plain, from_bits(from));
    }

    fn plain_moves(&mut self, from: Square, to: Bitboard) {
        self.push_onto(to, from_bits(from));
    }

    fn drops_of(&mut self, piece_type: PieceType, to: Bitboard) {
        self.push_onto(to, drop_bits(piece_type));
    }

    fn drops<S: Side>(&mut self, targets: &DropTargets<S>) {
        use PieceType::*;
        self.push_onto(targets.pawn, drop_bits(Pawn));
        // The held kinds in the order of their freedom: those that may stand anywhere, then lance, then knight, so
        // that each of the three regions of the board takes a prefix.
        let mut drops = [0u16; 8];
        let mut n = 0;
        for piece_type in [Gold, Silver, Bishop, Rook] {
            drops[n] = drop_bits(piece_type);
            n += targets.hand.has(piece_type) as usize;
        }
        let on_last = n;
        drops[n] = drop_bits(Lance);
        n += targets.hand.has(Lance) as usize;
        let on_second = n;
        drops[n] = drop_bits(Knight);
        n += targets.hand.has(Knight) as usize;
        if n == 0 {
            return;
        }
        let last = targets.side.last();
        let last_two = targets.side.last_two();
        self.push_drops(targets.anywhere.without(last_two), &drops, n);
        if on_second > 0 {
            self.push_drops(targets.anywhere & last_two.without(last), &drops, on_second);
        }
        if on_last > 0 {
            self.push_drops(targets.anywhere & last, &drops, on_last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movegen::{All, count, generate};
    use crate::position::Position;

    #[test]
    fn the_longest_lists_fit() {
        for (sfen, moves) in [
            ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", MAX_MOVES),
            ("R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 599),
        ] {
            let pos = Position::from_sfen(sfen).unwrap();
            let mut list = generate::<All>(&pos);
            assert_eq!((list.len(), count(&pos) as usize), (moves, moves));
            list.sort();
            assert!(list.is_sorted());
            let mut list = list.to_vec();
            list.dedup();
            assert_eq!(list.len(), moves);
        }
    }
}
