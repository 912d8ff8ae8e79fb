//! Pieces in hand, packed.

use super::PieceType;
use super::error::{ParseHandError, excerpt};
use std::fmt;
use std::str::FromStr;

/// The pieces that one side holds, packed into 32 bits with a spare bit above each count:
///
/// | bits | 0-4 | 6-8 | 10-12 | 14-16 | 18-19 | 21-22 | 24-26 |
/// |---|---|---|---|---|---|---|---|
/// | piece | pawn | lance | knight | silver | bishop | rook | gold |
///
/// The spare bits make [`Hand::dominates`] one subtraction.
///
/// ```
/// use komainu::types::{Hand, PieceType};
///
/// let mut hand = Hand::EMPTY;
/// hand.set(PieceType::Pawn, 3);
/// hand.add(PieceType::Rook);
/// assert_eq!((hand.count(PieceType::Pawn), hand.has(PieceType::Gold)), (3, false));
/// assert_eq!(hand.iter().collect::<Vec<_>>(), [(PieceType::Rook, 1), (PieceType::Pawn, 3)]);
/// assert_eq!(hand.to_string().parse(), Ok(hand));
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u32);

/// Bit position of each count, by [`PieceType::index`].
const SHIFT: [u32; 16] = [0, 0, 6, 10, 14, 18, 21, 24, 0, 0, 0, 0, 0, 0, 0, 0];
/// Mask of each count, before shifting; empty for what cannot be held.
const MASK: [u32; 16] = [0, 31, 7, 7, 7, 3, 3, 7, 0, 0, 0, 0, 0, 0, 0, 0];
/// The spare bit above each count.
const SPARE: u32 = 1 << 5 | 1 << 9 | 1 << 13 | 1 << 17 | 1 << 20 | 1 << 23 | 1 << 27;

/// The bits of all counts.
const COUNTS: u32 = {
    let mut bits = 0;
    let mut i = 0;
    while i < MASK.len() {
        bits |= MASK[i] << SHIFT[i];
        i += 1;
    }
    bits
};

impl Hand {
    /// Nothing in hand.
    pub const EMPTY: Hand = Hand(0);

    /// Number of pieces of the type that are held; 0 for a type that cannot be held.
    #[inline]
    pub const fn count(self, piece_type: PieceType) -> u8 {
        let i = piece_type.index();
        (self.0 >> SHIFT[i] & MASK[i]) as u8
    }

    /// Tests whether at least one piece of the type is held; never for a type that cannot be held.
    #[inline]
    pub const fn has(self, piece_type: PieceType) -> bool {
        let i = piece_type.index();
        self.0 & (MASK[i] << SHIFT[i]) != 0
    }

    /// Tests whether nothing is held.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a piece of a type that can be held.
    ///
    /// # Panics
    /// If the type is king or promoted, or the whole set of it is held already. The hand is then as it was.
    #[inline]
    pub fn add(&mut self, piece_type: PieceType) {
        assert!(self.has_room(piece_type), "{self:?} cannot take another {piece_type}");
        self.add_unchecked(piece_type);
    }

    /// Removes a piece that is held.
    ///
    /// # Panics
    /// If none of the type is held. The hand is then as it was.
    ///
    /// ```should_panic
    /// use komainu::types::{Hand, PieceType};
    ///
    /// let mut hand = Hand::EMPTY;
    /// hand.remove(PieceType::Gold);
    /// ```
    #[inline]
    pub fn remove(&mut self, piece_type: PieceType) {
        assert!(self.has(piece_type), "{self:?} holds no {piece_type}");
        self.remove_unchecked(piece_type);
    }

    /// Sets the count of a type that can be held.
    ///
    /// # Panics
    /// If the type is king or promoted, or the count is above [`PieceType::total`]. The hand is then as it was.
    #[inline]
    pub fn set(&mut self, piece_type: PieceType, count: u8) {
        let i = piece_type.index();
        assert!(i < 8 && count <= piece_type.total(), "no hand holds {count} pieces of kind {piece_type}");
        self.0 = self.0 & !(MASK[i] << SHIFT[i]) | (count as u32) << SHIFT[i];
    }

    fn has_room(self, piece_type: PieceType) -> bool {
        piece_type.index() < 8 && self.count(piece_type) < piece_type.total()
    }

    /// [`Hand::add`] for moves: the position has the piece on its board, so it is not in hand.
    #[inline]
    pub(crate) fn add_unchecked(&mut self, piece_type: PieceType) {
        debug_assert!(self.has_room(piece_type));
        self.0 += 1 << SHIFT[piece_type.index() & 7];
    }

    /// [`Hand::remove`] for moves: the caller has seen that the piece is held.
    #[inline]
    pub(crate) fn remove_unchecked(&mut self, piece_type: PieceType) {
        debug_assert!(self.has(piece_type));
        self.0 -= 1 << SHIFT[piece_type.index() & 7];
    }

    /// Tests whether this hand holds at least as many of every type as `other`.
    ///
    /// ```
    /// use komainu::types::{Hand, PieceType};
    ///
    /// let mut more = Hand::EMPTY;
    /// let mut less = Hand::EMPTY;
    /// more.set(PieceType::Pawn, 2);
    /// less.set(PieceType::Pawn, 1);
    /// assert!(more.dominates(less) && more.dominates(more) && !less.dominates(more));
    /// // Neither of a gold and a silver dominates the other.
    /// less.add(PieceType::Gold);
    /// assert!(!more.dominates(less) && !less.dominates(more));
    /// ```
    #[inline]
    pub const fn dominates(self, other: Hand) -> bool {
        ((self.0 | SPARE) - other.0) & SPARE == SPARE
    }

    /// The packed counts.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The hand with these packed counts, as [`Hand::bits`] gave them; bits outside the counts do not matter.
    ///
    /// ```
    /// use komainu::types::{Hand, PieceType};
    ///
    /// let mut hand = Hand::EMPTY;
    /// hand.set(PieceType::Gold, 2);
    /// assert_eq!(Hand::from_bits_truncate(hand.bits() | 1 << 31), hand);
    /// ```
    #[inline]
    pub const fn from_bits_truncate(bits: u32) -> Hand {
        Hand(bits & COUNTS)
    }

    /// The held types with their counts, in the order in which SFEN writes them: R B G S N L P.
    pub fn iter(self) -> impl Iterator<Item = (PieceType, u8)> {
        use PieceType::*;
        [Rook, Bishop, Gold, Silver, Knight, Lance, Pawn]
            .into_iter()
            .map(move |piece_type| (piece_type, self.count(piece_type)))
            .filter(|&(_, count)| count > 0)
    }
}

/// The pieces as a SFEN has them, as `R2P`; `-` for none.
impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        for (piece_type, count) in self.iter() {
            if count > 1 {
                write!(f, "{count}")?;
            }
            write!(f, "{piece_type}")?;
        }
        Ok(())
    }
}

/// Reads the pieces as a SFEN has black's, in any order.
impl FromStr for Hand {
    type Err = ParseHandError;
    fn from_str(text: &str) -> Result<Hand, ParseHandError> {
        parse(text).ok_or_else(|| ParseHandError(excerpt(text)))
    }
}

fn parse(text: &str) -> Option<Hand> {
    let mut hand = Hand::EMPTY;
    match text {
        "" => return None,
        "-" => return Some(hand),
        _ => {}
    }
    let mut rest = text;
    while !rest.is_empty() {
        let after_count = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = &rest[..rest.len() - after_count.len()];
        let count: u8 = if digits.is_empty() { 1 } else { digits.parse().ok()? };
        let letter = after_count.chars().next()?;
        let piece_type = PieceType::from_letter(letter)?;
        if piece_type == PieceType::King || hand.has(piece_type) || count == 0 || count > piece_type.total() {
            return None;
        }
        hand.set(piece_type, count);
        rest = &after_count[letter.len_utf8()..];
    }
    Some(hand)
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn hands_are_read_as_they_are_written() {
        for text in ["-", "P", "R2P", "2R2B4G4S4N4L18P"] {
            assert_eq!(text.parse::<Hand>().map(|hand| hand.to_string()), Ok(text.to_string()));
        }
        assert_eq!("2PR".parse::<Hand>().map(|hand| hand.to_string()), Ok("R2P".to_string()));
        for text in ["", "0P", "19P", "3R", "K", "p", "2", "PP", "--", "P-", "999P", "２P", "P ", "+P"] {
            assert_eq!(text.parse::<Hand>(), Err(ParseHandError(text.to_string())), "{text}");
        }
    }

    #[test]
    fn counts_are_kept_apart() {
        let mut hand = Hand::EMPTY;
        for piece_type in PieceType::HAND {
            for _ in 0..piece_type.total() {
                hand.add(piece_type);
            }
        }
        for piece_type in PieceType::HAND {
            assert_eq!(hand.count(piece_type), piece_type.total());
        }
        for piece_type in PieceType::ALL.into_iter().filter(|piece_type| !PieceType::HAND.contains(piece_type)) {
            assert!(!hand.has(piece_type) && hand.count(piece_type) == 0, "{piece_type}");
        }
        for piece_type in PieceType::HAND {
            for _ in 0..piece_type.total() {
                hand.remove(piece_type);
            }
        }
        assert!(hand.is_empty());
    }

    #[test]
    fn nonsense_is_refused_and_changes_nothing() {
        let mut full = Hand::EMPTY;
        for piece_type in PieceType::HAND {
            full.set(piece_type, piece_type.total());
        }
        for start in [Hand::EMPTY, full] {
            let panics = |change: &dyn Fn(&mut Hand)| {
                let mut hand = start;
                let caught = catch_unwind(AssertUnwindSafe(|| change(&mut hand)));
                assert_eq!(hand, start);
                caught.is_err()
            };
            for piece_type in PieceType::ALL {
                let can_be_held = piece_type.index() < 8;
                if !can_be_held || start == full {
                    assert!(panics(&|hand| hand.add(piece_type)), "{piece_type}");
                }
                if !can_be_held || start == Hand::EMPTY {
                    assert!(panics(&|hand| hand.remove(piece_type)), "{piece_type}");
                }
                for count in [if can_be_held { piece_type.total() + 1 } else { 0 }, 255] {
                    assert!(panics(&|hand| hand.set(piece_type, count)), "{piece_type} {count}");
                }
            }
        }
    }

    #[test]
    fn bits_stand_for_the_hand() {
        for piece_type in PieceType::HAND {
            for count in 0..=piece_type.total() {
                let mut hand = Hand::EMPTY;
                hand.set(PieceType::Rook, 2);
                hand.set(piece_type, count);
                assert_eq!(Hand::from_bits_truncate(hand.bits()), hand);
                assert_eq!(Hand::from_bits_truncate(hand.bits() | SPARE | 1 << 31), hand);
            }
        }
    }

    #[test]
    fn a_hand_dominates_one_with_no_more_of_anything() {
        let mut more = Hand::EMPTY;
        more.set(PieceType::Pawn, 3);
        more.set(PieceType::Gold, 1);
        let mut less = Hand::EMPTY;
        less.set(PieceType::Pawn, 2);
        assert!(more.dominates(less) && !less.dominates(more) && more.dominates(more));
        less.set(PieceType::Rook, 1);
        assert!(!more.dominates(less) && !less.dominates(more));
    }
}
