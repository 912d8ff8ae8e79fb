//! `id`: what an engine calls itself, and who made it.

use std::fmt;

/// An `id` line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Id {
    /// `id name`
    Name(String),
    /// `id author`
    Author(String),
}

impl Id {
    /// Reads a line; `None` if it is no `id` of either kind.
    ///
    /// ```
    /// use komainu::protocol::Id;
    ///
    /// assert_eq!(Id::read("id name  An  Engine 2"), Some(Id::Name("An Engine 2".to_string())));
    /// assert_eq!(Id::read("id names X"), None);
    /// ```
    pub fn read(line: &str) -> Option<Id> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("id") {
            return None;
        }
        let kind = words.next()?;
        let text = words.collect::<Vec<_>>().join(" ");
        match kind {
            "name" => Some(Id::Name(text)),
            "author" => Some(Id::Author(text)),
            _ => None,
        }
    }
}

/// The line of the protocol.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Name(name) => write!(f, "id name {name}"),
            Id::Author(author) => write!(f, "id author {author}"),
        }
    }
}
