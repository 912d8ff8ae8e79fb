//! Showing how many there are of something.

use std::fmt;

/// A number of things in words: `1 rank`, `2 ranks`, `0 plies`. The word is that for one of them.
#[derive(Clone, Copy, Debug)]
pub struct Counted<N>(pub N, pub &'static str);

impl<N: fmt::Display + PartialEq + From<u8>> fmt::Display for Counted<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted(number, word) = self;
        match word.strip_suffix('y') {
            _ if *number == N::from(1) => write!(f, "{number} {word}"),
            Some(stem) => write!(f, "{number} {stem}ies"),
            None => write!(f, "{number} {word}s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let shown = |number: u32, word| Counted(number, word).to_string();
        assert_eq!([0, 1, 2].map(|number| shown(number, "square")), ["0 squares", "1 square", "2 squares"]);
        assert_eq!([0, 1, 2].map(|number| shown(number, "ply")), ["0 plies", "1 ply", "2 plies"]);
    }
}
