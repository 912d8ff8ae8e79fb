//! Sets of squares, steps, lines between squares, attacks of the sliding pieces.
//!
//! A [`Bitboard`] holds 81 bits in two words: files 1 to 7 in the low word (63 bits), files 8 and 9 in the high
//! word (18 bits). No file straddles the words, so a pawn's step is a plain shift of each word and a file is nine
//! neighbouring bits. Operations are plain scalar code; the compiler vectorises what is worth it.

mod attacks;
mod sliders;

/// What can be small is small rather than fast where nothing searches and every byte is loaded over a network: large tables are
/// computed entry by entry.
pub(crate) const COMPUTES: bool = cfg!(all(target_family = "wasm", not(feature = "search")));

pub use attacks::{
    attacks, between, bishop_rays, gold_attacks, king_attacks, knight_attacks, lance_rays, line_through, pawn_attacks,
    rook_rays, silver_attacks,
};
pub(crate) use attacks::{king_vicinity, piece_steps, promotion_targets};
pub use sliders::{bishop_attacks, lance_attacks, rook_attacks};

use crate::types::{Color, File, Rank, Square};
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign};

/// Bits in the low word.
const LO_BITS: u32 = 63;
/// The bits of the low word that are squares.
const LO_MASK: u64 = (1 << LO_BITS) - 1;
/// The bits of the high word that are squares.
const HI_MASK: u64 = (1 << 18) - 1;

/// A set of squares.
///
/// ```
/// use komainu::bitboard::Bitboard;
/// use komainu::types::{Color, File, Rank, Square};
///
/// let camp = Bitboard::zone(Color::Black);
/// assert_eq!(camp.count(), 27);
/// let corner = camp & Bitboard::file(File::F1) & Bitboard::rank(Rank::A);
/// assert_eq!(corner, Bitboard::from_square(Square::S1A));
/// let files: Vec<String> = (camp & Bitboard::rank(Rank::B)).into_iter().map(|square| square.to_string()).collect();
/// assert_eq!(files.concat(), "1b2b3b4b5b6b7b8b9b");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C, align(16))]
pub struct Bitboard {
    lo: u64,
    hi: u64,
}

impl Bitboard {
    /// The set as a number: bit [`Square::index`] for each square, 1a the lowest.
    pub const fn bits(self) -> u128 {
        self.lo as u128 | (self.hi as u128) << LO_BITS
    }

    /// No square.
    pub const EMPTY: Bitboard = Bitboard { lo: 0, hi: 0 };
    /// All 81 squares.
    pub const ALL: Bitboard = Bitboard { lo: LO_MASK, hi: HI_MASK };

    const SQUARES: [Bitboard; 81] = {
        let mut table = [Bitboard::EMPTY; 81];
        let mut i = 0;
        while i < 81 {
            table[i] = if i < 63 { Bitboard { lo: 1 << i, hi: 0 } } else { Bitboard { lo: 0, hi: 1 << (i - 63) } };
            i += 1;
        }
        table
    };

    const FILES: [Bitboard; 9] = {
        let mut table = [Bitboard::EMPTY; 9];
        let mut i = 0;
        while i < 81 {
            table[i / 9] = table[i / 9].or(Bitboard::SQUARES[i]);
            i += 1;
        }
        table
    };

    const RANKS: [Bitboard; 9] = {
        let mut table = [Bitboard::EMPTY; 9];
        let mut i = 0;
        while i < 81 {
            table[i % 9] = table[i % 9].or(Bitboard::SQUARES[i]);
            i += 1;
        }
        table
    };

    /// `[color][n]`: the `n` ranks furthest from the side's own edge (its last ranks).
    const LAST_RANKS: [[Bitboard; 10]; 2] = {
        let mut table = [[Bitboard::EMPTY; 10]; 2];
        let mut n = 1;
        while n < 10 {
            table[0][n] = table[0][n - 1].or(Bitboard::RANKS[n - 1]);
            table[1][n] = table[1][n - 1].or(Bitboard::RANKS[9 - n]);
            n += 1;
        }
        table
    };

    /// The set of one square.
    #[inline]
    pub const fn from_square(square: Square) -> Bitboard {
        Bitboard::SQUARES[square.index()]
    }

    /// The nine squares of a file.
    #[inline]
    pub const fn file(file: File) -> Bitboard {
        Bitboard::FILES[file.index()]
    }

    /// The nine squares of a rank.
    #[inline]
    pub const fn rank(rank: Rank) -> Bitboard {
        Bitboard::RANKS[rank.index()]
    }

    /// The `n` ranks furthest from the side's own edge, n in 0..=9: `last_ranks(color, 3)` is its promotion zone.
    ///
    /// ```
    /// use komainu::bitboard::Bitboard;
    /// use komainu::types::{Color, Rank};
    ///
    /// assert_eq!(Bitboard::last_ranks(Color::White, 1), Bitboard::rank(Rank::I));
    /// assert_eq!(Bitboard::last_ranks(Color::Black, 3), Bitboard::zone(Color::Black));
    /// ```
    #[inline]
    pub const fn last_ranks(color: Color, n: usize) -> Bitboard {
        Bitboard::LAST_RANKS[color.index()][n]
    }

    /// The three ranks in which a side's pieces promote.
    #[inline]
    pub const fn zone(color: Color) -> Bitboard {
        Bitboard::last_ranks(color, 3)
    }

    /// Union, usable in constants.
    #[inline]
    pub const fn or(self, other: Bitboard) -> Bitboard {
        Bitboard { lo: self.lo | other.lo, hi: self.hi | other.hi }
    }

    /// Intersection, usable in constants.
    #[inline]
    pub const fn and(self, other: Bitboard) -> Bitboard {
        Bitboard { lo: self.lo & other.lo, hi: self.hi & other.hi }
    }

    /// The squares of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard { lo: self.lo & !other.lo, hi: self.hi & !other.hi }
    }

    /// Tests whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.lo | self.hi == 0
    }

    /// Tests whether the sets share a square.
    #[inline]
    pub const fn intersects(self, other: Bitboard) -> bool {
        !self.and(other).is_empty()
    }

    /// Tests whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.intersects(Bitboard::from_square(square))
    }

    /// Number of squares.
    #[inline]
    pub const fn count(self) -> u32 {
        self.lo.count_ones() + self.hi.count_ones()
    }

    /// Tests whether there are two squares or more.
    ///
    /// ```
    /// use komainu::bitboard::Bitboard;
    /// use komainu::types::Square;
    ///
    /// let one = Bitboard::from_square(Square::S5E);
    /// assert!(!Bitboard::EMPTY.is_many() && !one.is_many());
    /// assert!((one | Bitboard::from_square(Square::S5D)).is_many());
    /// ```
    #[inline]
    pub const fn is_many(self) -> bool {
        let single = if self.lo == 0 { self.hi & self.hi.wrapping_sub(1) } else { self.lo & (self.lo - 1) | self.hi };
        single != 0
    }

    /// The square with the lowest index.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.lo != 0 {
            // SAFETY: the low word has bits below 63 only.
            Some(unsafe { Square::new_unchecked(self.lo.trailing_zeros() as u8) })
        } else if self.hi != 0 {
            // SAFETY: the high word has bits below 18 only.
            Some(unsafe { Square::new_unchecked(63 + self.hi.trailing_zeros() as u8) })
        } else {
            None
        }
    }

    /// Adds a square; true if it was not in the set.
    ///
    /// ```
    /// use komainu::bitboard::Bitboard;
    /// use komainu::types::Square;
    ///
    /// let mut set = Bitboard::EMPTY;
    /// assert!(set.insert(Square::S5E) && !set.insert(Square::S5E));
    /// assert_eq!(set - Bitboard::from_square(Square::S5E), Bitboard::EMPTY);
    /// assert!(set.remove(Square::S5E) && !set.remove(Square::S5E));
    /// ```
    #[inline]
    pub fn insert(&mut self, square: Square) -> bool {
        let is_new = !self.contains(square);
        *self |= Bitboard::from_square(square);
        is_new
    }

    /// Takes a square out; true if it was in the set.
    #[inline]
    pub fn remove(&mut self, square: Square) -> bool {
        let was_there = self.contains(square);
        *self -= Bitboard::from_square(square);
        was_there
    }

    /// Adds or removes one square.
    #[inline]
    pub fn toggle(&mut self, square: Square) {
        *self ^= Bitboard::from_square(square);
    }

    /// Targets that lie one rank forward of a square of the set, for the side. A square on the side's last
    /// rank, where only an illegal move puts a pawn, leaves the board or counts as one of the file beside it.
    #[inline]
    pub(crate) const fn forward_onto(self, color: Color, targets: Bitboard) -> Bitboard {
        match color {
            Color::Black => Bitboard { lo: self.lo >> 1, hi: self.hi >> 1 }.and(targets),
            Color::White => Bitboard { lo: self.lo << 1, hi: self.hi << 1 }.and(targets),
        }
    }

    /// All squares of every file that holds a square of the set.
    ///
    /// Nine bits of a file: adding all ones but the lowest carries into the ninth bit if any of the upper eight is
    /// set; that bit, spread again over the file, is the answer.
    ///
    /// ```
    /// use komainu::bitboard::Bitboard;
    /// use komainu::types::{File, Square};
    ///
    /// // Where a second pawn of the side would be nifu.
    /// let pawns = Bitboard::from_square(Square::S7F) | Bitboard::from_square(Square::S2G);
    /// assert_eq!(pawns.fill_files(), Bitboard::file(File::F7) | Bitboard::file(File::F2));
    /// ```
    #[inline]
    pub const fn fill_files(self) -> Bitboard {
        const LO_A: u64 = Bitboard::RANKS[0].lo;
        const HI_A: u64 = Bitboard::RANKS[0].hi;
        const fn fill(word: u64, rank_a: u64) -> u64 {
            let rank_i = rank_a << 8;
            // Bit 8 of each file: set if a lower bit is set (by the carry) or if it is set itself.
            let any = (((word & !rank_i) + (rank_i - rank_a)) | word) & rank_i;
            // From bit 8 down to bit 0.
            (any << 1).wrapping_sub(any >> 8)
        }
        Bitboard { lo: fill(self.lo, LO_A) & LO_MASK, hi: fill(self.hi, HI_A) }
    }

    /// The set seen from the other side of the board: every square turned by 180 degrees.
    pub fn rotate(self) -> Bitboard {
        self.into_iter().map(Square::rotate).collect()
    }

    /// The two words as one number; bit 63 is not a square.
    #[cfg(any(not(target_feature = "bmi2"), test))]
    #[inline]
    const fn raw(self) -> u128 {
        (self.hi as u128) << 64 | self.lo as u128
    }

    /// The set with these words, cut to the squares of the board.
    #[cfg(any(not(target_feature = "bmi2"), test))]
    #[inline]
    const fn from_raw(raw: u128) -> Bitboard {
        Bitboard { lo: raw as u64, hi: (raw >> 64) as u64 }.and(Bitboard::ALL)
    }
}

macro_rules! operator {
    ($trait:ident $method:ident $assign_trait:ident $assign:ident $op:tt) => {
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline]
            fn $method(self, other: Bitboard) -> Bitboard {
                Bitboard { lo: self.lo $op other.lo, hi: self.hi $op other.hi }
            }
        }
        impl $assign_trait for Bitboard {
            #[inline]
            fn $assign(&mut self, other: Bitboard) {
                *self = *self $op other;
            }
        }
    };
}

operator!(BitAnd bitand BitAndAssign bitand_assign &);
operator!(BitOr bitor BitOrAssign bitor_assign |);
operator!(BitXor bitxor BitXorAssign bitxor_assign ^);

/// The squares of the first set that are not in the second.
impl Sub for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        self.without(other)
    }
}

impl SubAssign for Bitboard {
    #[inline]
    fn sub_assign(&mut self, other: Bitboard) {
        *self = *self - other;
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard { lo: !self.lo & LO_MASK, hi: !self.hi & HI_MASK }
    }
}

/// Walks the squares of a set in index order.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        if self.0.lo != 0 {
            self.0.lo &= self.0.lo - 1;
        } else {
            self.0.hi &= self.0.hi - 1;
        }
        Some(square)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }

    /// One loop a word, which need not ask at every square which word it is in. `for_each`, `sum`, `filter` and
    /// `collect` run through here.
    #[inline]
    fn fold<B, F: FnMut(B, Square) -> B>(self, init: B, mut f: F) -> B {
        let mut acc = init;
        let Bitboard { mut lo, mut hi } = self.0;
        while lo != 0 {
            // SAFETY: the low word has bits below 63 only.
            acc = f(acc, unsafe { Square::new_unchecked(lo.trailing_zeros() as u8) });
            lo &= lo - 1;
        }
        while hi != 0 {
            // SAFETY: the high word has bits below 18 only.
            acc = f(acc, unsafe { Square::new_unchecked(63 + hi.trailing_zeros() as u8) });
            hi &= hi - 1;
        }
        acc
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | Bitboard::from_square(square))
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

/// A picture of the board from black's side: file 9 on the left, rank a on top.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL {
            for file in File::ALL.iter().rev() {
                f.write_str(if self.contains(Square::at(*file, rank)) { " *" } else { " ." })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
