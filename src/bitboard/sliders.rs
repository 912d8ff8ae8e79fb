//! Attacks of the sliding pieces.
//!
//! Two implementations of one line look-up, chosen at compile time:
//! * with BMI2: PEXT gathers the occupied squares of the line, a 2.3 KB table that serves every line of the board
//!   answers, PDEP spreads the answer over the line again. Nothing but that table and the line masks is read.
//! * elsewhere: subtraction. Taking the slider's bit twice from the blockers of the line flips everything up to the
//!   first blocker above it; the same on the byte-reversed board finds the blocker below. (A rank or diagonal has at
//!   most one square in any byte of the 128-bit board, so a reversal of bytes reverses the line.)
//!
//! Both are tested against a walk square by square.

use super::Bitboard;
use crate::types::{Color, Square};

/// Masks and counts that a look-up along one line through one square needs.
#[derive(Clone, Copy)]
struct SlidingLine {
    /// The line's squares, the square itself included.
    #[cfg(target_feature = "bmi2")]
    mask: Bitboard,
    /// Squares of the line that lie in the low word, and those that precede the square.
    #[cfg(target_feature = "bmi2")]
    low_squares: u32,
    #[cfg(target_feature = "bmi2")]
    place: u32,
    /// The line's squares without the square itself.
    #[cfg(any(not(target_feature = "bmi2"), test))]
    others: Bitboard,
}

const fn line(square: Square, direction: (i32, i32)) -> SlidingLine {
    let mut others = Bitboard::EMPTY;
    let mut place = 0;
    let mut sign = -1;
    while sign <= 1 {
        let mut at = square;
        while let Some(next) = at.offset(sign * direction.0, sign * direction.1) {
            others = others.or(Bitboard::from_square(next));
            if (next as u8) < square as u8 {
                place += 1;
            }
            at = next;
        }
        sign += 2;
    }
    let mask = others.or(Bitboard::from_square(square));
    let _ = (mask, place);
    SlidingLine {
        #[cfg(target_feature = "bmi2")]
        mask,
        #[cfg(target_feature = "bmi2")]
        low_squares: mask.lo.count_ones(),
        #[cfg(target_feature = "bmi2")]
        place,
        #[cfg(any(not(target_feature = "bmi2"), test))]
        others,
    }
}

const fn lines(direction: (i32, i32)) -> [SlidingLine; 81] {
    let mut table = [line(Square::S1A, direction); 81];
    let mut i = 0;
    while i < 81 {
        table[i] = line(Square::ALL[i], direction);
        i += 1;
    }
    table
}

static RANK: [SlidingLine; 81] = lines((1, 0));
static DIAGONAL: [SlidingLine; 81] = lines((1, 1));
static ANTIDIAGONAL: [SlidingLine; 81] = lines((1, -1));

/// `[place of the slider][occupied inner squares]`: attacked squares of a line of nine. The outermost squares stop a
/// slider whether they are occupied or not, so seven bits of occupancy suffice; shorter lines use the low places.
static LINE_ATTACKS: [[u16; 128]; 9] = {
    let mut table = [[0; 128]; 9];
    let mut place = 0;
    while place < 9 {
        let mut inner = 0;
        while inner < 128 {
            let occupied = (inner as u16) << 1;
            let mut attacked = 0u16;
            let mut i = place as i32 + 1;
            while i < 9 {
                attacked |= 1 << i;
                if occupied >> i & 1 != 0 {
                    break;
                }
                i += 1;
            }
            let mut i = place as i32 - 1;
            while i >= 0 {
                attacked |= 1 << i;
                if occupied >> i & 1 != 0 {
                    break;
                }
                i -= 1;
            }
            table[place][inner] = attacked;
            inner += 1;
        }
        place += 1;
    }
    table
};

/// PEXT, table, PDEP.
#[cfg(target_feature = "bmi2")]
mod pext {
    use super::{Bitboard, LINE_ATTACKS, SlidingLine};
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    #[inline]
    pub(crate) fn attacks(line: &SlidingLine, occupied: Bitboard) -> Bitboard {
        let mask = line.mask;
        // SAFETY: compiled only where BMI2 is on for the whole build.
        unsafe {
            let found = _pext_u64(occupied.lo, mask.lo) | _pext_u64(occupied.hi, mask.hi) << line.low_squares;
            let attacked = LINE_ATTACKS[line.place as usize][(found >> 1 & 127) as usize] as u64;
            Bitboard { lo: _pdep_u64(attacked, mask.lo), hi: _pdep_u64(attacked >> line.low_squares, mask.hi) }
        }
    }
}

/// Byte reversal and borrow.
#[cfg(any(not(target_feature = "bmi2"), test))]
mod borrow {
    use super::{Bitboard, SlidingLine};
    use crate::types::Square;

    #[inline]
    pub(crate) fn attacks(line: &SlidingLine, square: Square, occupied: Bitboard) -> Bitboard {
        let slider = Bitboard::from_square(square).raw();
        let blockers = (occupied & line.others).raw();
        let reversed = blockers.swap_bytes();
        let up = blockers ^ blockers.wrapping_sub(slider << 1);
        let down = reversed ^ reversed.wrapping_sub(slider.swap_bytes() << 1);
        Bitboard::from_raw(up ^ down.swap_bytes()) & line.others
    }
}

#[inline]
fn line_attacks(lines: &[SlidingLine; 81], square: Square, occupied: Bitboard) -> Bitboard {
    #[cfg(target_feature = "bmi2")]
    return pext::attacks(&lines[square], occupied);
    #[cfg(not(target_feature = "bmi2"))]
    return borrow::attacks(&lines[square], square, occupied);
}

/// Attacks along the file: nine neighbouring bits of one word.
#[inline]
fn file_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let (word, shift) = if square.index() < 63 {
        (occupied.lo, square.index() / 9 * 9)
    } else {
        (occupied.hi, square.index() / 9 * 9 - 63)
    };
    let attacked = (LINE_ATTACKS[square.index() % 9][(word >> (shift + 1) & 127) as usize] as u64) << shift;
    if square.index() < 63 { Bitboard { lo: attacked, hi: 0 } } else { Bitboard { lo: 0, hi: attacked } }
}

/// Where a lance of the side on this square attacks.
///
/// ```
/// use komainu::bitboard::{Bitboard, lance_attacks};
/// use komainu::types::{Color, Square};
///
/// let occupied = Bitboard::from_square(Square::S1C);
/// assert_eq!(lance_attacks(Color::Black, Square::S1I, occupied).count(), 6);
/// assert!(lance_attacks(Color::Black, Square::S1I, occupied).contains(Square::S1C));
/// ```
#[inline]
pub fn lance_attacks(color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    file_attacks(square, occupied) & super::lance_rays(color, square)
}

/// Where a bishop attacks; a horse has the king's steps as well.
///
/// ```
/// use komainu::bitboard::{Bitboard, bishop_attacks};
/// use komainu::types::Square;
///
/// assert_eq!(bishop_attacks(Square::S5E, Bitboard::EMPTY).count(), 16);
/// assert_eq!(bishop_attacks(Square::S1A, Bitboard::EMPTY).count(), 8);
/// ```
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    line_attacks(&DIAGONAL, square, occupied) | line_attacks(&ANTIDIAGONAL, square, occupied)
}

/// Where a rook attacks; a dragon has the king's steps as well.
///
/// ```
/// use komainu::bitboard::{Bitboard, rook_attacks};
/// use komainu::types::Square;
///
/// assert_eq!(rook_attacks(Square::S5E, Bitboard::EMPTY).count(), 16);
/// assert_eq!(rook_attacks(Square::S5E, Bitboard::ALL).count(), 4);
/// ```
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    file_attacks(square, occupied) | line_attacks(&RANK, square, occupied)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{random_board, walk};
    use super::*;
    use crate::random::SplitMix64;
    use crate::types::PieceType;

    #[test]
    fn slider_attacks_equal_a_walk_square_by_square() {
        let mut random = SplitMix64(1);
        for round in 0..20_000 {
            let dense = random_board(&mut random) & random_board(&mut random);
            let occupied = match round % 3 {
                0 => random_board(&mut random),
                1 => dense,
                _ => dense & random_board(&mut random),
            };
            for square in Square::ALL {
                assert_eq!(rook_attacks(square, occupied), walk(Color::Black, PieceType::Rook, square, occupied));
                assert_eq!(bishop_attacks(square, occupied), walk(Color::Black, PieceType::Bishop, square, occupied));
                for color in Color::ALL {
                    let lance = lance_attacks(color, square, occupied);
                    assert_eq!(lance, walk(color, PieceType::Lance, square, occupied));
                }
            }
        }
    }

    #[test]
    fn borrowing_finds_the_same_attacks_as_the_chosen_method() {
        let mut random = SplitMix64(2);
        for _ in 0..20_000 {
            let occupied = random_board(&mut random) & random_board(&mut random);
            for square in Square::ALL {
                for lines in [&RANK, &DIAGONAL, &ANTIDIAGONAL] {
                    let borrowed = borrow::attacks(&lines[square], square, occupied);
                    assert_eq!(borrowed, line_attacks(lines, square, occupied), "{square} {occupied:?}");
                }
            }
        }
    }
}
