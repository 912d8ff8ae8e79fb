//! Moves in 16 and 32 bits, and their USI text.

use super::error::{ParseMoveError, excerpt};
use super::{PieceType, Square};
use arrayvec::ArrayString;
use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

/// A move in 16 bits: destination in bits 0-6, origin square or dropped piece type in bits 7-13, drop flag in
/// bit 14, promotion flag in bit 15. The same 16 bits stand in training records.
///
/// It holds what a move says, not whether it is legal in some position.
///
/// ```
/// use komainu::types::{Move, PieceType, Square};
///
/// let push: Move = "7g7f".parse()?;
/// assert_eq!(push, Move::board(Square::S7G, Square::S7F));
/// assert_eq!((push.from(), push.to()), (Some(Square::S7G), Square::S7F));
/// assert_eq!(Move::drop(PieceType::Pawn, Square::S5E).to_string(), "P*5e");
/// assert_eq!(size_of::<Option<Move>>(), 2);
/// # Ok::<(), komainu::types::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Move(NonZeroU16);

const _: () = assert!(size_of::<Option<Move>>() == 2);

const DROP: u16 = 1 << 14;
const PROMOTE: u16 = 1 << 15;

/// The dropped type by the number in bits 7-13, which is 1..=7.
const BY_DROP_FIELD: [PieceType; 8] = {
    use PieceType::*;
    [Pawn, Pawn, Lance, Knight, Silver, Bishop, Rook, Gold]
};

/// A move taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// A piece moves on the board.
    Board {
        /// Where it comes from.
        from: Square,
        /// Where it goes.
        to: Square,
        /// Marks a promotion.
        promote: bool,
    },
    /// A piece is dropped from hand.
    #[doc(alias = "parachutage")]
    Drop {
        /// Type of the piece that is dropped.
        piece_type: PieceType,
        /// Where.
        to: Square,
    },
}

impl Move {
    /// A move on the board without promotion.
    ///
    /// # Panics
    /// If `from` and `to` are one square.
    #[inline]
    pub const fn board(from: Square, to: Square) -> Move {
        assert!(from as u8 != to as u8, "a move ends where it begins");
        Move::pack((from as u16) << 7 | to as u16)
    }

    /// A move on the board with promotion.
    ///
    /// # Panics
    /// If `from` and `to` are one square.
    #[inline]
    pub const fn promotion(from: Square, to: Square) -> Move {
        assert!(from as u8 != to as u8, "a move ends where it begins");
        Move::pack((from as u16) << 7 | to as u16 | PROMOTE)
    }

    /// A drop of a piece type that can be held.
    ///
    /// # Panics
    /// If the type is king or promoted.
    #[inline]
    pub const fn drop(piece_type: PieceType, to: Square) -> Move {
        assert!(piece_type.index() < 8, "a king or a promoted piece cannot be dropped");
        Move::pack((piece_type as u16) << 7 | to as u16 | DROP)
    }

    #[inline]
    const fn pack(bits: u16) -> Move {
        match NonZeroU16::new(bits) {
            Some(bits) => Move(bits),
            // The bits of a move with an origin other than its destination, or of a drop.
            None => unreachable!(),
        }
    }

    /// The move that these bits spell, if they spell one.
    ///
    /// ```
    /// use komainu::types::Move;
    ///
    /// let mv: Move = "P*5e".parse()?;
    /// assert_eq!(Move::from_bits(mv.bits()), Some(mv));
    /// assert_eq!(Move::from_bits(0), None);
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    pub const fn from_bits(bits: u16) -> Option<Move> {
        let to = bits & 127;
        let from = bits >> 7 & 127;
        let is_valid =
            if bits & DROP != 0 { bits & PROMOTE == 0 && from >= 1 && from <= 7 } else { from < 81 && from != to };
        match NonZeroU16::new(bits) {
            Some(bits) if is_valid && to < 81 => Some(Move(bits)),
            _ => None,
        }
    }

    /// The 16 bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The destination.
    #[inline]
    pub const fn to(self) -> Square {
        // SAFETY: every constructor puts the index of a square into bits 0-6.
        unsafe { Square::new_unchecked((self.bits() & 127) as u8) }
    }

    /// Move of the same piece onto another square than its origin.
    #[cfg(feature = "search")]
    #[inline]
    pub(crate) const fn onto(self, to: Square) -> Move {
        Move::pack(self.bits() & !127 | to as u16)
    }

    /// The origin, if this is not a drop.
    #[inline]
    pub const fn from(self) -> Option<Square> {
        match self.kind() {
            MoveKind::Board { from, .. } => Some(from),
            MoveKind::Drop { .. } => None,
        }
    }

    /// Tests whether this is a drop.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.bits() & DROP != 0
    }

    /// Tests whether this is a promotion.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.bits() & PROMOTE != 0
    }

    /// The move on a board turned by 180 degrees.
    ///
    /// ```
    /// use komainu::types::Move;
    ///
    /// let mv: Move = "8h2b+".parse()?;
    /// assert_eq!(mv.rotate().to_string(), "2b8h+");
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    pub const fn rotate(self) -> Move {
        match self.kind() {
            MoveKind::Board { from, to, promote: false } => Move::board(from.rotate(), to.rotate()),
            MoveKind::Board { from, to, promote: true } => Move::promotion(from.rotate(), to.rotate()),
            MoveKind::Drop { piece_type, to } => Move::drop(piece_type, to.rotate()),
        }
    }

    /// 0..81 for an origin square, 81..88 for a dropped pawn, lance, knight, silver, bishop, rook, gold.
    #[inline]
    pub const fn from_or_drop_index(self) -> usize {
        let field = (self.bits() >> 7 & 127) as usize;
        if self.is_drop() { 80 + field } else { field }
    }

    /// The 16 bits in the files of Apery and dlshogi: destination 0-6, [`Move::from_or_drop_index`] 7-13, promotion 14.
    ///
    /// ```
    /// use komainu::types::Move;
    ///
    /// let mv: Move = "G*5b".parse()?;
    /// assert_eq!(mv.apery_bits(), 37 | 87 << 7);
    /// assert_eq!(Move::from_apery_bits(mv.apery_bits()), Some(mv));
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    pub const fn apery_bits(self) -> u16 {
        self.to() as u16 | (self.from_or_drop_index() as u16) << 7 | (self.is_promotion() as u16) << 14
    }

    /// The move that these bits spell in the files of Apery and dlshogi, if they spell one.
    pub const fn from_apery_bits(bits: u16) -> Option<Move> {
        let to = bits & 127;
        let from = bits >> 7 & 127;
        let promotion = bits >> 14;
        match (from, promotion) {
            (0..81, 0 | 1) => Move::from_bits(to | from << 7 | promotion << 15),
            (81..88, 0) => Move::from_bits(to | (from - 80) << 7 | DROP),
            _ => None,
        }
    }

    /// The move taken apart.
    ///
    /// ```
    /// use komainu::types::{Move, MoveKind, PieceType, Square};
    ///
    /// match "8h2b+".parse::<Move>()?.kind() {
    ///     MoveKind::Board { from, to, promote } => assert_eq!((from, to, promote), (Square::S8H, Square::S2B, true)),
    ///     MoveKind::Drop { .. } => unreachable!(),
    /// }
    /// # Ok::<(), komainu::types::ParseMoveError>(())
    /// ```
    #[inline]
    pub const fn kind(self) -> MoveKind {
        let field = (self.bits() >> 7 & 127) as u8;
        if self.is_drop() {
            let piece_type = BY_DROP_FIELD[field as usize & 7];
            MoveKind::Drop { piece_type, to: self.to() }
        } else {
            // SAFETY: every constructor puts the index of a square into bits 7-13 of a move that is no drop.
            let from = unsafe { Square::new_unchecked(field) };
            MoveKind::Board { from, to: self.to(), promote: self.is_promotion() }
        }
    }
}

/// The move as USI writes it: `7g7f`, `8h2b+`, `P*5e`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = match self.kind() {
            MoveKind::Board { from, .. } => from.chars(),
            MoveKind::Drop { piece_type, .. } => [piece_type.letter(), '*'],
        };
        let mut text = ArrayString::<5>::new();
        for c in origin.into_iter().chain(self.to().chars()) {
            text.push(c);
        }
        if self.is_promotion() {
            text.push('+');
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads USI's spelling exactly: lower-case ranks, an upper-case letter for a drop.
impl FromStr for Move {
    type Err = ParseMoveError;
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        parse(text).ok_or_else(|| ParseMoveError(excerpt(text)))
    }
}

fn parse(text: &str) -> Option<Move> {
    let to: Square = text.get(2..4)?.parse().ok()?;
    let rest = &text[4..];
    if let Some(letter) = text[..2].strip_suffix('*') {
        let piece_type = PieceType::from_letter(letter.chars().next()?)?;
        let is_drop = piece_type != PieceType::King && rest.is_empty();
        return if is_drop { Some(Move::drop(piece_type, to)) } else { None };
    }
    let from: Square = text[..2].parse().ok()?;
    match rest {
        _ if from == to => None,
        "" => Some(Move::board(from, to)),
        "+" => Some(Move::promotion(from, to)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn moves_are_packed_as_the_record_format_says() {
        let bits = |text: &str| text.parse::<Move>().unwrap().bits();
        assert_eq!(bits("7g7f"), 0x1E3B);
        assert_eq!(bits("7c7b+"), 0x9C37);
        assert_eq!(bits("G*5b"), 0x43A5);
    }

    #[test]
    fn every_move_survives_the_bits_of_apery() {
        for bits in 0..=u16::MAX {
            if let Some(mv) = Move::from_bits(bits) {
                assert_eq!(Move::from_apery_bits(mv.apery_bits()), Some(mv));
            }
            if let Some(mv) = Move::from_apery_bits(bits) {
                assert_eq!(mv.apery_bits(), bits);
            }
        }
        // As cshogi 1.1.0 has them.
        for (text, bits) in [("7g7f", 7_739), ("8h2b+", 25_354), ("P*5e", 10_408), ("G*5b", 11_173)] {
            assert_eq!(text.parse::<Move>().unwrap().apery_bits(), bits, "{text}");
        }
    }

    #[test]
    fn moves_that_say_nothing_are_refused() {
        for square in Square::ALL {
            assert!(catch_unwind(|| Move::board(square, square)).is_err());
            assert!(catch_unwind(|| Move::promotion(square, square)).is_err());
        }
        for piece_type in PieceType::ALL.into_iter().filter(|piece_type| piece_type.index() >= 8) {
            assert!(catch_unwind(|| Move::drop(piece_type, Square::S5E)).is_err(), "{piece_type}");
        }
    }

    #[test]
    fn every_move_survives_text_and_bits() {
        for bits in 0..=u16::MAX {
            if let Some(mv) = Move::from_bits(bits) {
                assert_eq!(mv.to_string().parse(), Ok(mv));
                assert_eq!(mv.bits(), bits);
                match mv.kind() {
                    MoveKind::Board { from, to, promote: false } => assert_eq!(Move::board(from, to), mv),
                    MoveKind::Board { from, to, promote: true } => assert_eq!(Move::promotion(from, to), mv),
                    MoveKind::Drop { piece_type, to } => assert_eq!(Move::drop(piece_type, to), mv),
                }
            }
        }
    }

    #[test]
    fn text_that_is_no_move_is_refused_and_named() {
        for text in [
            "",
            "7",
            "7g7",
            "S*5c+",
            "7g7g",
            "7g7f7",
            "7g7f++",
            "K*5e",
            "p*5e",
            "P*0a",
            "0a0b",
            "7j7k",
            "７六歩",
            "+",
            "*",
        ] {
            assert_eq!(text.parse::<Move>(), Err(ParseMoveError(text.to_string())), "{text}");
        }
    }
}
