//! Files, ranks and the 81 squares.

use super::Color;
use super::error::{ParseSquareError, excerpt};
use arrayvec::ArrayString;
use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

/// One of the nine files (columns), 1 at black's right hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum File {
    F1,
    F2,
    F3,
    F4,
    F5,
    F6,
    F7,
    F8,
    F9,
}

impl File {
    /// The nine files, 1 to 9.
    pub const ALL: [File; 9] = {
        use File::*;
        [F1, F2, F3, F4, F5, F6, F7, F8, F9]
    };

    /// The file of a number, 1 to 9.
    ///
    /// ```
    /// use komainu::types::{File, Rank, Square};
    ///
    /// assert_eq!(Square::S7F, Square::at(File::new(7).unwrap(), Rank::new(6).unwrap()));
    /// assert_eq!((File::new(0), Rank::new(10)), (None, None));
    /// assert_eq!(format!("{}{}", File::F7, Rank::F), "7f");
    /// ```
    pub const fn new(number: u8) -> Option<File> {
        if number >= 1 && number <= 9 { Some(File::ALL[number as usize - 1]) } else { None }
    }

    /// 0 for file 1 to 8 for file 9.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One of the nine ranks (rows), `a` at white's edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Rank {
    A,
    B,
    C,
    D,
    E,
    F,
    G,
    H,
    I,
}

impl Rank {
    /// The nine ranks, a to i.
    pub const ALL: [Rank; 9] = {
        use Rank::*;
        [A, B, C, D, E, F, G, H, I]
    };

    /// The rank of a number, 1 for a to 9 for i.
    pub const fn new(number: u8) -> Option<Rank> {
        if number >= 1 && number <= 9 { Some(Rank::ALL[number as usize - 1]) } else { None }
    }

    /// 0 for rank a to 8 for rank i.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

macro_rules! squares {
    ($($name:ident)*) => {
        /// One of the 81 squares, numbered file by file: `9 * file + rank`, so 1a = 0, 1i = 8, 2a = 9, 9i = 80.
        ///
        /// A variant is named as a record writes the square: `Square::S7G` is 7g. An enum, because the compiler
        /// then knows that an index is below 81 and that `Option<Square>` fits in a byte.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Square { $($name),* }

        impl Square {
            /// All squares in index order.
            pub const ALL: [Square; 81] = [$(Square::$name),*];
        }
    };
}

squares! {
    S1A S1B S1C S1D S1E S1F S1G S1H S1I
    S2A S2B S2C S2D S2E S2F S2G S2H S2I
    S3A S3B S3C S3D S3E S3F S3G S3H S3I
    S4A S4B S4C S4D S4E S4F S4G S4H S4I
    S5A S5B S5C S5D S5E S5F S5G S5H S5I
    S6A S6B S6C S6D S6E S6F S6G S6H S6I
    S7A S7B S7C S7D S7E S7F S7G S7H S7I
    S8A S8B S8C S8D S8E S8F S8G S8H S8I
    S9A S9B S9C S9D S9E S9F S9G S9H S9I
}

const _: () = assert!(size_of::<Option<Square>>() == 1);

impl Square {
    /// The square with this index, if it is below 81.
    #[inline]
    pub const fn new(index: usize) -> Option<Square> {
        if index < 81 { Some(Square::ALL[index]) } else { None }
    }

    /// The square with this index.
    ///
    /// # Safety
    /// `index` must be below 81.
    #[inline]
    pub const unsafe fn new_unchecked(index: u8) -> Square {
        debug_assert!(index < 81);
        // SAFETY: the enum is `repr(u8)` with the variants 0..81, and the caller keeps the index below 81.
        unsafe { std::mem::transmute::<u8, Square>(index) }
    }

    /// The square where a file and a rank cross.
    ///
    /// ```
    /// use komainu::types::{File, Rank, Square};
    ///
    /// let square = Square::at(File::F7, Rank::G);
    /// assert_eq!((square, square.index()), (Square::S7G, 60));
    /// assert_eq!(square.to_string(), "7g");
    /// ```
    #[inline]
    pub const fn at(file: File, rank: Rank) -> Square {
        Square::ALL[file.index() * 9 + rank.index()]
    }

    /// 0..81.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[self.index() / 9]
    }

    /// The rank.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self.index() % 9]
    }

    /// The square after a turn of the board by 180 degrees: 1a becomes 9i.
    ///
    /// ```
    /// use komainu::types::Square;
    ///
    /// assert_eq!(Square::S7G.rotate(), Square::S3C);
    /// assert_eq!(Square::S7G.mirror(), Square::S3G);
    /// ```
    #[inline]
    pub const fn rotate(self) -> Square {
        Square::ALL[80 - self.index()]
    }

    /// The square in a left-right mirror: 1a becomes 9a.
    #[inline]
    pub const fn mirror(self) -> Square {
        Square::ALL[(8 - self.index() / 9) * 9 + self.index() % 9]
    }

    /// The square of the board that a side sees as this one.
    ///
    /// ```
    /// use komainu::types::{Color, Square};
    ///
    /// assert_eq!(Square::S7G.seen_by(Color::Black), Square::S7G);
    /// assert_eq!(Square::S7G.seen_by(Color::White), Square::S3C);
    /// ```
    #[inline]
    pub const fn seen_by(self, side: Color) -> Square {
        match side {
            Color::Black => self,
            Color::White => self.rotate(),
        }
    }

    /// Steps of a king from this square to another.
    pub const fn distance(self, other: Square) -> usize {
        let files = self.file().index().abs_diff(other.file().index());
        let ranks = self.rank().index().abs_diff(other.rank().index());
        if files > ranks { files } else { ranks }
    }

    /// The two characters of the square's name: `7g`.
    pub(crate) const fn chars(self) -> [char; 2] {
        [(b'1' + self.file() as u8) as char, (b'a' + self.rank() as u8) as char]
    }

    /// The square `files` to the left (towards file 9) and `ranks` down (towards rank i), if it is on the board.
    ///
    /// ```
    /// use komainu::types::Square;
    ///
    /// // The knight's jump of black: one file aside, two ranks up.
    /// assert_eq!(Square::S8I.offset(-1, -2), Some(Square::S7G));
    /// assert_eq!(Square::S8B.offset(-1, -2), None);
    /// ```
    #[inline]
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Square> {
        let file = (self.index() / 9) as i32 + files;
        let rank = (self.index() % 9) as i32 + ranks;
        if file >= 0 && file < 9 && rank >= 0 && rank < 9 {
            Some(Square::ALL[(file * 9 + rank) as usize])
        } else {
            None
        }
    }
}

impl<T> Index<Square> for [T; 81] {
    type Output = T;
    #[inline]
    fn index(&self, square: Square) -> &T {
        &self[square.index()]
    }
}

impl<T> IndexMut<Square> for [T; 81] {
    #[inline]
    fn index_mut(&mut self, square: Square) -> &mut T {
        &mut self[square.index()]
    }
}

/// Number of the file, 1 to 9.
impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.index() + 1)
    }
}

/// Letter of the rank, a to i.
impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (b'a' + *self as u8) as char)
    }
}

/// The square as USI writes it: `7g`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = ArrayString::<2>::new();
        for c in self.chars() {
            text.push(c);
        }
        f.pad(&text)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Reads `7g`.
impl FromStr for Square {
    type Err = ParseSquareError;
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match text.as_bytes() {
            [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => {
                Ok(Square::ALL[(file - b'1') as usize * 9 + (rank - b'a') as usize])
            }
            _ => Err(ParseSquareError(excerpt(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_file_by_file() {
        assert_eq!(Square::S1A.index(), 0);
        assert_eq!(Square::S1I.index(), 8);
        assert_eq!(Square::S2A.index(), 9);
        assert_eq!(Square::S9I.index(), 80);
        for square in Square::ALL {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::at(square.file(), square.rank()), square);
            assert_eq!(square.rotate().rotate(), square);
            assert_eq!(square.mirror().mirror(), square);
        }
        assert_eq!(Square::S7G.rotate(), Square::S3C);
        assert_eq!(Square::S7G.mirror(), Square::S3G);
        assert_eq!(Square::S1A.offset(0, -1), None);
        assert_eq!(Square::S1A.offset(1, 2), Some(Square::S2C));
    }

    #[test]
    fn text_that_is_no_square_is_refused() {
        for text in ["", "7", "0a", "7j", "a7", "7g7", "77", "７g"] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError(text.to_string())));
        }
    }
}
