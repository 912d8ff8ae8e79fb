//! The two sides.

use super::error::{ParseColorError, excerpt};
use std::fmt;
use std::ops::{Index, IndexMut, Not};
use std::str::FromStr;

/// The two sides. Black (sente) moves first in an even game and plays towards rank a.
///
/// ```
/// use komainu::types::Color;
///
/// assert_eq!(!Color::Black, Color::White);
/// assert_eq!(Color::White.to_string(), "w");
/// assert_eq!("b".parse(), Ok(Color::Black));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// The first mover of an even game.
    #[doc(alias = "sente")]
    #[doc(alias = "先手")]
    Black = 0,
    /// The second mover; in a handicap game the giver, who moves first.
    #[doc(alias = "gote")]
    #[doc(alias = "後手")]
    White = 1,
}

impl Color {
    /// Both colours, black first.
    pub const ALL: [Color; 2] = [Color::Black, Color::White];

    /// 0 for black, 1 for white.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `black` or `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }

    /// The other side.
    #[inline]
    pub const fn flip(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        self.flip()
    }
}

impl<T> Index<Color> for [T; 2] {
    type Output = T;
    #[inline]
    fn index(&self, color: Color) -> &T {
        &self[color.index()]
    }
}

impl<T> IndexMut<Color> for [T; 2] {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut T {
        &mut self[color.index()]
    }
}

/// `b` or `w`, as SFEN writes the side to move.
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::Black => "b",
            Color::White => "w",
        })
    }
}

/// Reads `b` or `w`.
impl FromStr for Color {
    type Err = ParseColorError;
    fn from_str(text: &str) -> Result<Color, ParseColorError> {
        match text {
            "b" => Ok(Color::Black),
            "w" => Ok(Color::White),
            _ => Err(ParseColorError(excerpt(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_they_are_written() {
        for color in Color::ALL {
            assert_eq!(color.to_string().parse(), Ok(color));
        }
        assert_eq!("B".parse::<Color>(), Err(ParseColorError("B".to_string())));
        assert_eq!("".parse::<Color>().unwrap_err().to_string(), "\"\" is neither b nor w");
    }
}
