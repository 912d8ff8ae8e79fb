//! Showing text that came from outside.

use std::fmt;

/// A token of somebody's input as a message shows it: in quotes, at most 40 characters, all of them printable ASCII.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

/// The most characters that are shown.
const SHOWN: usize = 40;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.char_indices().nth(SHOWN).map(|(at, _)| at);
        let text = &self.0[..end.unwrap_or(self.0.len())];
        write!(f, "\"{}{}\"", text.escape_default(), if end.is_some() { "..." } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_shown_short_and_in_ascii() {
        assert_eq!(Quoted("7g7f").to_string(), "\"7g7f\"");
        assert_eq!(Quoted("\n\u{1F600}").to_string(), "\"\\n\\u{1f600}\"");
        assert_eq!(Quoted(&"歩".repeat(50)).to_string().len(), 40 * 8 + 5);
    }
}
