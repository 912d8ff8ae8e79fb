//! Errors of parsing squares, pieces, moves and names.

use super::Quoted;
use thiserror::Error;

/// The first characters of a text, as many as an error keeps.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(50).collect()
}

/// Text that is not a USI move; the text is the offending token, cut after 50 characters.
///
/// ```
/// use komainu::types::Move;
///
/// assert!("7g7f".parse::<Move>().is_ok());
/// // A rank in capitals, and a king that is dropped.
/// for text in ["7G7F", "K*5e"] {
///     let error = text.parse::<Move>().unwrap_err();
///     assert!(error.to_string().contains(text));
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not a move", Quoted(.0))]
pub struct ParseMoveError(pub String);

/// Text that is not a square such as `7g`; the text is the offending token, cut after 50 characters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not a square", Quoted(.0))]
pub struct ParseSquareError(pub String);

/// Text that is not a piece as SFEN writes it; the text is the offending token, cut after 50 characters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not a piece", Quoted(.0))]
pub struct ParsePieceError(pub String);

/// Text that is neither `b` nor `w`; the text is the offending token, cut after 50 characters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is neither b nor w", Quoted(.0))]
pub struct ParseColorError(pub String);

/// Text that is not a hand such as `R2P` or `-`; the text is the offending token, cut after 50 characters.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is not a hand", Quoted(.0))]
pub struct ParseHandError(pub String);

/// A name that nothing of its kind has; shown with the names that there are.
///
/// ```
/// use komainu::position::RuleSet;
///
/// let error = "chess".parse::<RuleSet>().unwrap_err();
/// assert_eq!(error.to_string(), "\"chess\" is none of floodgate, denryu, wcsc, jsa, shogihome");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is none of {known}", Quoted(.name))]
pub struct UnknownName {
    name: String,
    known: String,
}

impl UnknownName {
    /// Finds the value with a name, ignoring case.
    pub(crate) fn find<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, UnknownName> {
        for &value in all {
            if name(value).eq_ignore_ascii_case(text) {
                return Ok(value);
            }
        }
        let known: Vec<&str> = all.iter().map(|&value| name(value)).collect();
        Err(UnknownName { name: excerpt(text), known: known.join(", ") })
    }

    /// The name that was not known.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Declares an enum whose values have names, with lists of both and the function that tells a name. A name is read
/// without regard to case.
macro_rules! named {
    (
        $(#[$about:meta])* pub enum $Enum:ident { $($(#[$about_value:meta])* $Value:ident = $text:literal,)+ }
        $(#[$about_name:meta])* $name:ident
    ) => {
        $(#[$about])*
        pub enum $Enum {
            $($(#[$about_value])* $Value,)+
        }

        impl $Enum {
            /// All of them.
            pub const ALL: [$Enum; [$($text),+].len()] = [$($Enum::$Value),+];
            /// The names of all of them.
            pub const NAMES: [&'static str; [$($text),+].len()] = [$($text),+];

            $(#[$about_name])*
            pub const fn $name(self) -> &'static str {
                match self {
                    $($Enum::$Value => $text,)+
                }
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.$name())
            }
        }

        impl std::str::FromStr for $Enum {
            type Err = $crate::types::UnknownName;

            fn from_str(text: &str) -> Result<$Enum, Self::Err> {
                $crate::types::UnknownName::find(text, &$Enum::ALL, $Enum::$name)
            }
        }
    };
}
pub(crate) use named;
