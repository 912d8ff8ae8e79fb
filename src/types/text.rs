//! Text in messages: quoting what came from outside, plurals, and the macros that write a type as its text.

use std::fmt::{self, Write};

/// The most characters of a token that a message shows.
const MAX_SHOWN: usize = 40;

/// A token of somebody's input as a message shows it: in quotes, at most 40 characters. Letters of any script are shown
/// as they are; quotes, backslashes and invisible characters are escaped.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        let mut chars = self.0.chars();
        for c in chars.by_ref().take(MAX_SHOWN) {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c => write_visible(f, c)?,
            }
        }
        f.write_str(if chars.as_str().is_empty() { "\"" } else { "...\"" })
    }
}

/// A text from outside with its invisible characters escaped: control characters, blanks other than the common one, and
/// marks that change the direction of writing. So one line stays one line and shows what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Visible<'a>(pub &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            write_visible(f, c)?;
        }
        Ok(())
    }
}

/// A text of several lines that is safe to print on a terminal: blanks of all scripts and line ends stay, control
/// characters and marks that change the direction of writing are escaped. The escapes are those of JSON, so that JSON
/// stays JSON.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if is_printable(c) {
                f.write_char(c)?;
            } else {
                write!(f, "\\u{:04x}", u32::from(c))?;
            }
        }
        Ok(())
    }
}

fn is_printable(c: char) -> bool {
    let changes_direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    matches!(c, '\n' | '\t') || !c.is_control() && !changes_direction
}

fn write_visible(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '"' | '\'' | '\\' => f.write_char(c),
        // The marks of voiced sounds are letters of their own in file names of macOS.
        '\u{3099}' | '\u{309A}' => f.write_char(c),
        c => write!(f, "{}", c.escape_debug()),
    }
}

/// A number with its noun: `1 rank`, `2 ranks`, `0 plies`. The noun is given in the singular.
#[derive(Clone, Copy, Debug)]
pub struct Counted<N>(pub N, pub &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted(number, noun) = self;
        if *number == N::from(1) {
            return write!(f, "{number} {noun}");
        }
        match noun.strip_suffix('y') {
            Some(stem) => write!(f, "{number} {stem}ies"),
            None => write!(f, "{number} {noun}s"),
        }
    }
}

/// Implements `Debug` by the name alone, for types that hold functions, large tables or processes.
#[doc(hidden)]
#[macro_export]
macro_rules! opaque_debug {
    ($name:ident) => {
        $crate::types::opaque_debug!($name, stringify!($name));
    };
    ($name:ty, $text:expr) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct($text).finish_non_exhaustive()
            }
        }
    };
}

#[doc(hidden)]
pub use opaque_debug;

/// Implements `Serialize` by `Display` and `Deserialize` by `FromStr`.
#[cfg(feature = "serde")]
macro_rules! serde_as_text {
    ($($name:ty),*) => {$(
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$name, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

#[cfg(feature = "serde")]
pub(crate) use serde_as_text;

#[cfg(feature = "serde")]
serde_as_text!(super::Color, super::Hand, super::Move, super::Piece, super::Square);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_short_and_in_their_own_script() {
        assert_eq!(Quoted("7g7f").to_string(), "\"7g7f\"");
        assert_eq!(Quoted("８八角").to_string(), "\"８八角\"");
        assert_eq!(Quoted("カ\u{3099}ロ").to_string(), "\"カ\u{3099}ロ\"");
        assert_eq!(Quoted(&"歩".repeat(40)).to_string(), format!("\"{}\"", "歩".repeat(40)));
        assert_eq!(Quoted(&"歩".repeat(50)).to_string(), format!("\"{}...\"", "歩".repeat(40)));
        assert_eq!(Quoted(r#"C:\"a""#).to_string(), r#""C:\\\"a\"""#);
    }

    #[test]
    fn lines_and_scripts_stay_and_terminal_commands_do_not() {
        for text in ["", "▲７六歩　△３四歩\n\t手数 1\n", "カ\u{3099}ロ \"a\\b\"", "\u{a0}\u{10ffff}"] {
            assert_eq!(Printable(text).to_string(), text);
        }
        for (text, shown) in [
            ("\u{1b}]0;owned\u{7}", r"\u001b]0;owned\u0007"),
            ("a\rb\u{8}\0", r"a\u000db\u0008\u0000"),
            ("\u{9b}2J\u{7f}", r"\u009b2J\u007f"),
            ("\u{202e}exe.kif\u{2069}", r"\u202eexe.kif\u2069"),
        ] {
            assert_eq!(Printable(text).to_string(), shown);
        }
    }

    #[test]
    fn invisible_characters_are_escaped() {
        for (text, shown) in [
            ("\0", r"\0"),
            ("\n\r\t", r"\n\r\t"),
            ("\u{1b}[2J", r"\u{1b}[2J"),
            ("\u{202e}", r"\u{202e}"),
            ("\u{200b}\u{feff}", r"\u{200b}\u{feff}"),
            ("\u{a0}\u{3000}", r"\u{a0}\u{3000}"),
            ("\u{10ffff}", r"\u{10ffff}"),
        ] {
            assert_eq!(Quoted(text).to_string(), format!("\"{shown}\""));
            assert_eq!(Visible(text).to_string(), shown);
        }
        assert_eq!(Visible("C:\\将棋 \"x\"").to_string(), "C:\\将棋 \"x\"");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([0, 1, 2].map(|n| Counted(n, "square").to_string()), ["0 squares", "1 square", "2 squares"]);
        assert_eq!([0, 1, 2].map(|n| Counted(n, "ply").to_string()), ["0 plies", "1 ply", "2 plies"]);
    }
}
