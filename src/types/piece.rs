//! Piece types and coloured pieces.

use super::error::{ParsePieceError, excerpt};
use super::{Color, Rank};
use std::fmt;
use std::str::FromStr;

/// The kind of a piece, numbered as the packed formats number it: a promoted type is its plain type plus 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum PieceType {
    /// 歩
    Pawn = 1,
    /// 香
    Lance = 2,
    /// 桂
    Knight = 3,
    /// 銀
    Silver = 4,
    /// 角
    Bishop = 5,
    /// 飛
    Rook = 6,
    /// 金
    Gold = 7,
    /// 玉
    King = 8,
    /// Promoted pawn, moves as a gold. と
    #[doc(alias = "tokin")]
    ProPawn = 9,
    /// Promoted lance, moves as a gold. 成香
    ProLance = 10,
    /// Promoted knight, moves as a gold. 成桂
    ProKnight = 11,
    /// Promoted silver, moves as a gold. 成銀
    ProSilver = 12,
    /// Promoted bishop: bishop and one step. 馬
    Horse = 13,
    /// Promoted rook: rook and one step. 竜
    Dragon = 14,
}

use PieceType::*;

const BY_NUMBER: [PieceType; 16] = [
    Pawn, Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight, ProSilver, Horse,
    Dragon, Dragon,
];

// Tables, because exchange evaluation asks in every round, and a `match` there becomes a badly predicted jump.

/// `[type]`: worth in centipawns.
static VALUES: [i32; 16] = {
    let mut values = [0; 16];
    let mut i = 0;
    while i < PieceType::ALL.len() {
        let piece_type = PieceType::ALL[i];
        values[piece_type.index()] = match piece_type {
            Pawn => 100,
            Lance => 330,
            Knight => 370,
            Silver => 520,
            Gold => 580,
            Bishop => 880,
            Rook => 1030,
            ProPawn => 560,
            ProLance | ProKnight => 570,
            ProSilver => 590,
            Horse => 1190,
            Dragon => 1400,
            King => 0,
        };
        i += 1;
    }
    values
};

/// `[type]`: what a capture gains, in centipawns.
static CAPTURE_GAINS: [i32; 16] = {
    let mut gains = [0; 16];
    let mut i = 0;
    while i < PieceType::ALL.len() {
        let piece_type = PieceType::ALL[i];
        gains[piece_type.index()] = piece_type.value() + piece_type.unpromoted().value();
        i += 1;
    }
    gains
};

impl PieceType {
    /// All fourteen types in numeric order.
    pub const ALL: [PieceType; 14] =
        [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight, ProSilver, Horse, Dragon];

    /// The seven types that can be held in hand, in numeric order.
    pub const HAND: [PieceType; 7] = [Pawn, Lance, Knight, Silver, Bishop, Rook, Gold];

    /// The same in the order of arrays of hands: pawn, lance, knight, silver, gold, bishop, rook.
    pub const HAND_ARRAY: [PieceType; 7] = [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook];

    /// The number of such pieces in a full set of 40, the promoted form counted with the plain one.
    pub const fn total(self) -> u8 {
        match self.unpromoted() {
            Pawn => 18,
            Bishop | Rook | King => 2,
            _ => 4,
        }
    }

    /// 1..=14.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The type with this number (1..=14).
    #[inline]
    pub const fn new(number: u8) -> Option<PieceType> {
        if number >= 1 && number <= 14 { Some(BY_NUMBER[number as usize]) } else { None }
    }

    /// Tests whether this is a promoted type.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 > King as u8
    }

    /// Tests whether a piece of this type can promote: not king, gold or a promoted piece.
    #[inline]
    pub const fn can_promote(self) -> bool {
        (self as u8) < Gold as u8
    }

    /// The promoted form; the type itself where it has none.
    ///
    /// ```
    /// use komainu::types::PieceType::{Gold, Pawn, ProPawn};
    ///
    /// assert_eq!(Pawn.promoted(), ProPawn);
    /// assert_eq!(ProPawn.unpromoted(), Pawn);
    /// assert_eq!(ProPawn.mover(), Gold);
    /// assert_eq!(Gold.promoted(), Gold);
    /// ```
    #[inline]
    pub const fn promoted(self) -> PieceType {
        if self.can_promote() { BY_NUMBER[self as usize + 8] } else { self }
    }

    /// The plain form: what a captured piece becomes in hand.
    #[inline]
    pub const fn unpromoted(self) -> PieceType {
        if self.is_promoted() { BY_NUMBER[self as usize - 8] } else { self }
    }

    /// The plain type that shares this type's main movement: the four small promoted pieces move as a gold, a
    /// horse slides as a bishop, a dragon as a rook. Bitboards are kept by this type.
    #[inline]
    pub const fn mover(self) -> PieceType {
        const MOVER: [PieceType; 16] =
            [Pawn, Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, Gold, Gold, Gold, Gold, Bishop, Rook, Rook];
        MOVER[self as usize & 15]
    }

    /// Tests whether a plain piece of this type and colour would never move again from this rank (pawn and lance on the
    /// last rank, knight on the last two).
    ///
    /// ```
    /// use komainu::types::{Color, PieceType, Rank};
    ///
    /// assert!(PieceType::Knight.is_dead_on(Color::Black, Rank::B));
    /// assert!(!PieceType::Lance.is_dead_on(Color::Black, Rank::B));
    /// assert!(PieceType::Pawn.is_dead_on(Color::White, Rank::I));
    /// ```
    #[inline]
    pub const fn is_dead_on(self, color: Color, rank: Rank) -> bool {
        let from_far_edge = match color {
            Color::Black => rank.index(),
            Color::White => 8 - rank.index(),
        };
        match self {
            Pawn | Lance => from_far_edge < 1,
            Knight => from_far_edge < 2,
            _ => false,
        }
    }

    /// Worth of the piece on the board or in hand, in centipawns: the coarse scale of exchanges and of the material
    /// evaluation. Kings are worth nothing here; they are never exchanged.
    #[inline]
    pub const fn value(self) -> i32 {
        VALUES[self as usize & 15]
    }

    /// Gain of capturing the piece, in centipawns: the enemy loses it, and its plain form comes to hand.
    ///
    /// ```
    /// use komainu::types::PieceType::{Pawn, ProPawn};
    ///
    /// // The enemy loses the promoted pawn, a plain one comes to hand.
    /// assert_eq!(ProPawn.capture_gain(), ProPawn.value() + Pawn.value());
    /// ```
    #[inline]
    pub const fn capture_gain(self) -> i32 {
        CAPTURE_GAINS[self as usize & 15]
    }

    /// The upper-case letter of the plain form: `P L N S B R G K`.
    pub const fn letter(self) -> char {
        match self.unpromoted() {
            Pawn => 'P',
            Lance => 'L',
            Knight => 'N',
            Silver => 'S',
            Bishop => 'B',
            Rook => 'R',
            Gold => 'G',
            _ => 'K',
        }
    }

    /// The plain type of an upper-case letter.
    pub const fn from_letter(letter: char) -> Option<PieceType> {
        Some(match letter {
            'P' => Pawn,
            'L' => Lance,
            'N' => Knight,
            'S' => Silver,
            'B' => Bishop,
            'R' => Rook,
            'G' => Gold,
            'K' => King,
            _ => return None,
        })
    }
}

/// `P`, `+R`: the letter, with `+` in front of a promoted type.
impl fmt::Display for PieceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_promoted() {
            f.write_str("+")?;
        }
        write!(f, "{}", self.letter())
    }
}

macro_rules! pieces {
    ($($number:literal $name:ident)*) => {
        /// A piece of a side. The number is the type's, plus 16 for white: 1..=14 and 17..=30.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Piece { $($name = $number),* }

        impl Piece {
            /// All 28 pieces, black's first.
            pub const ALL: [Piece; 28] = [$(Piece::$name),*];
        }
    };
}

pieces! {
    1 BPawn 2 BLance 3 BKnight 4 BSilver 5 BBishop 6 BRook 7 BGold 8 BKing
    9 BProPawn 10 BProLance 11 BProKnight 12 BProSilver 13 BHorse 14 BDragon
    17 WPawn 18 WLance 19 WKnight 20 WSilver 21 WBishop 22 WRook 23 WGold 24 WKing
    25 WProPawn 26 WProLance 27 WProKnight 28 WProSilver 29 WHorse 30 WDragon
}

const _: () = assert!(size_of::<Option<Piece>>() == 1);

impl Piece {
    /// One more than the largest piece number: the length of a table indexed by piece.
    pub const COUNT: usize = 31;

    /// The piece of this colour and type.
    ///
    /// ```
    /// use komainu::types::{Color, Piece, PieceType};
    ///
    /// let dragon = Piece::new(Color::White, PieceType::Dragon);
    /// assert_eq!((dragon.color(), dragon.piece_type()), (Color::White, PieceType::Dragon));
    /// assert_eq!(dragon.to_string(), "+r");
    /// ```
    #[inline]
    pub const fn new(color: Color, piece_type: PieceType) -> Piece {
        const TABLE: [[Piece; 16]; 2] = {
            let mut table = [[Piece::BPawn; 16]; 2];
            let mut i = 0;
            while i < 14 {
                table[0][i + 1] = Piece::ALL[i];
                table[1][i + 1] = Piece::ALL[i + 14];
                i += 1;
            }
            table
        };
        TABLE[color.index()][piece_type.index()]
    }

    /// 1..=14 for black, 17..=30 for white.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side that owns the piece.
    #[inline]
    pub const fn color(self) -> Color {
        if (self as u8) < 16 { Color::Black } else { Color::White }
    }

    /// The type.
    #[inline]
    pub const fn piece_type(self) -> PieceType {
        BY_NUMBER[self as usize & 15]
    }

    /// Tests whether the piece is promoted.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 & 15 > King as u8
    }

    /// The type that shares the piece's main movement; see [`PieceType::mover`].
    #[inline]
    pub const fn mover(self) -> PieceType {
        // One look-up in place of two: every move asks several times.
        const TABLE: [PieceType; 32] = {
            let mut table = [Pawn; 32];
            let mut i = 0;
            while i < 28 {
                table[Piece::ALL[i].index()] = Piece::ALL[i].piece_type().mover();
                i += 1;
            }
            table
        };
        TABLE[self as usize & 31]
    }

    /// The promoted form; the piece itself where it has none.
    #[inline]
    pub const fn promoted(self) -> Piece {
        Piece::new(self.color(), self.piece_type().promoted())
    }

    /// The piece as it is displayed.
    pub(crate) const fn text(self) -> &'static str {
        const TEXTS: [[&str; 15]; 2] = [
            ["", "P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R"],
            ["", "p", "l", "n", "s", "b", "r", "g", "k", "+p", "+l", "+n", "+s", "+b", "+r"],
        ];
        TEXTS[self.color().index()][self.piece_type().index()]
    }
}

/// As in SFEN: `P`, `p`, `+R`, `+r`.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// Reads what SFEN writes: `P`, `p`, `+R`, `+r`.
impl FromStr for Piece {
    type Err = ParsePieceError;
    fn from_str(text: &str) -> Result<Piece, ParsePieceError> {
        parse(text).ok_or_else(|| ParsePieceError(excerpt(text)))
    }
}

fn parse(text: &str) -> Option<Piece> {
    match text.as_bytes() {
        [letter] => Piece::from_letter(char::from(*letter)),
        [b'+', letter] => {
            let piece = Piece::from_letter(char::from(*letter))?;
            if piece.piece_type().can_promote() { Some(piece.promoted()) } else { None }
        }
        _ => None,
    }
}

impl Piece {
    /// The plain piece of a SFEN letter: upper case is black's.
    pub(crate) fn from_letter(letter: char) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() { Color::Black } else { Color::White };
        Some(Piece::new(color, PieceType::from_letter(letter.to_ascii_uppercase())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piece_numbers_round_trip() {
        for color in Color::ALL {
            for piece_type in PieceType::ALL {
                let piece = Piece::new(color, piece_type);
                assert_eq!((piece.color(), piece.piece_type()), (color, piece_type));
                assert_eq!(piece.index(), piece_type.index() + 16 * color.index());
                assert_eq!(piece.mover(), piece_type.mover());
                assert_eq!(PieceType::new(piece_type as u8), Some(piece_type));
                assert_eq!(piece.to_string().parse(), Ok(piece));
            }
        }
        assert_eq!(PieceType::new(0), None);
        assert_eq!(PieceType::new(15), None);
    }

    #[test]
    fn text_that_is_no_piece_is_refused_and_named() {
        for text in ["", "+", "+G", "+k", "++R", "PP", "x", "歩", "+歩"] {
            assert_eq!(text.parse::<Piece>(), Err(ParsePieceError(text.to_string())));
        }
    }

    #[test]
    fn promotion_is_undone_by_unpromotion() {
        for piece_type in PieceType::ALL {
            assert_eq!(piece_type.promoted().unpromoted(), piece_type.unpromoted());
            assert_eq!(piece_type.can_promote(), piece_type.promoted() != piece_type);
        }
        assert!(!PieceType::Gold.can_promote() && !PieceType::King.can_promote());
    }
}
