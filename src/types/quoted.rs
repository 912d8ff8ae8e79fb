//! Showing text that came from outside.

use std::fmt::{self, Write};

/// A token of somebody's input as a message shows it: in quotes, at most 40 characters. Letters of any script are shown
/// as they are; quotes, backslashes and what cannot be seen are escaped.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

/// The most characters that are shown.
const SHOWN: usize = 40;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.char_indices().nth(SHOWN).map(|(at, _)| at);
        f.write_char('"')?;
        for c in self.0[..end.unwrap_or(self.0.len())].chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c => write_visible(f, c)?,
            }
        }
        f.write_str(if end.is_some() { "...\"" } else { "\"" })
    }
}

/// A text from outside as it is, but for what cannot be seen: control characters, blanks other than the common one,
/// marks that turn the direction of writing. Those are escaped, so that a line stays one line and shows what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Visible<'a>(pub &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| write_visible(f, c))
    }
}

/// A text of several lines as a terminal may show it: blanks of all scripts and ends of lines stay, control characters
/// and marks that turn the direction of writing are escaped. The escapes are those of JSON, which stays JSON.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_harmless = |c: char| {
            let turns =
                matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
            matches!(c, '\n' | '\t') || !c.is_control() && !turns
        };
        let mut rest = self.0;
        while let Some(at) = rest.find(|c| !is_harmless(c)) {
            let (before, from) = rest.split_at(at);
            f.write_str(before)?;
            let Some(c) = from.chars().next() else { break };
            write!(f, "\\u{:04x}", u32::from(c))?;
            rest = &from[c.len_utf8()..];
        }
        f.write_str(rest)
    }
}

fn write_visible(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '"' | '\'' | '\\' => f.write_char(c),
        // The marks of voiced sounds are letters of their own in file names of macOS.
        '\u{3099}' | '\u{309A}' => f.write_char(c),
        c => write!(f, "{}", c.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_short_and_in_their_own_script() {
        assert_eq!(Quoted("7g7f").to_string(), "\"7g7f\"");
        assert_eq!(Quoted("８八角").to_string(), "\"８八角\"");
        assert_eq!(Quoted("カ\u{3099}ロ").to_string(), "\"カ\u{3099}ロ\"");
        assert_eq!(Quoted(&"歩".repeat(50)).to_string(), format!("\"{}...\"", "歩".repeat(40)));
        assert_eq!(Quoted(r#"C:\"a""#).to_string(), r#""C:\\\"a\"""#);
    }

    #[test]
    fn lines_and_scripts_stay_and_orders_to_a_terminal_do_not() {
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
    fn what_cannot_be_seen_is_escaped() {
        let escaped = [
            ("\0", r"\0"),
            ("\n\r\t", r"\n\r\t"),
            ("\u{1b}[2J", r"\u{1b}[2J"),
            ("\u{202e}", r"\u{202e}"),
            ("\u{200b}\u{feff}", r"\u{200b}\u{feff}"),
            ("\u{a0}\u{3000}", r"\u{a0}\u{3000}"),
            ("\u{10ffff}", r"\u{10ffff}"),
        ];
        for (text, shown) in escaped {
            assert_eq!(Quoted(text).to_string(), format!("\"{shown}\""));
            assert_eq!(Visible(text).to_string(), shown);
        }
        assert_eq!(Visible("C:\\将棋 \"x\"").to_string(), "C:\\将棋 \"x\"");
    }
}
