//! The options, in one table.

use crate::position::EnteringKingRule;
use crate::types::Token;
use std::fmt;

/// What an option holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number.
    Spin {
        /// Value at the start.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// Yes or no.
    Check {
        /// Value at the start.
        default: bool,
    },
    /// One of several words.
    Combo {
        /// Value at the start.
        default: &'static str,
        /// All values.
        values: &'static [&'static str],
    },
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Name, as `option` announces it.
    pub name: &'static str,
    /// Another name that is accepted.
    pub alias: Option<&'static str>,
    /// What it holds.
    pub kind: OptionKind,
    /// What it does, in a line.
    pub help: &'static str,
    /// Puts a value that was checked against `kind` in its place.
    store: fn(&mut Options, &Value),
}

/// A value that fits the kind of its option.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Number(i64),
    Flag(bool),
    Word(&'static str),
}

impl Value {
    fn number(&self) -> i64 {
        if let Value::Number(n) = self { *n } else { 0 }
    }

    fn flag(&self) -> bool {
        *self == Value::Flag(true)
    }
}

/// The values of all options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in megabytes.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Whether `bestmove` names the expected answer.
    pub ponder: bool,
    /// How many of the best moves are analysed.
    pub multi_pv: usize,
    /// How a declaration wins.
    pub entering_king: EnteringKingRule,
    /// Plies after which a game is drawn; 0 for none.
    pub max_moves: u32,
}

/// Every option, in the order in which they are announced.
pub const TABLE: &[Spec] = &[
    Spec {
        name: "USI_Hash",
        alias: Some("Hash"),
        kind: OptionKind::Spin { default: 128, min: 1, max: 1_048_576 },
        help: "Size of the transposition table in megabytes.",
        store: |options, value| options.hash = value.number() as usize,
    },
    Spec {
        name: "Threads",
        alias: None,
        kind: OptionKind::Spin { default: 1, min: 1, max: 1_024 },
        help: "Number of search threads.",
        store: |options, value| options.threads = value.number() as usize,
    },
    Spec {
        name: "USI_Ponder",
        alias: None,
        kind: OptionKind::Check { default: false },
        help: "Name the expected answer with each move, so that the GUI may let the engine think ahead.",
        store: |options, value| options.ponder = value.flag(),
    },
    Spec {
        name: "MultiPV",
        alias: Some("USI_MultiPV"),
        kind: OptionKind::Spin { default: 1, min: 1, max: 600 },
        help: "How many of the best moves are analysed and shown.",
        store: |options, value| options.multi_pv = value.number() as usize,
    },
    Spec {
        name: "EnteringKingRule",
        alias: None,
        kind: OptionKind::Combo {
            default: "CSARule27",
            values: &["NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule"],
        },
        help: "Rule by which a king in the enemy camp wins.",
        store: |options, value| {
            if let Value::Word(word) = value {
                options.entering_king = word.parse().unwrap_or_default();
            }
        },
    },
    Spec {
        name: "MaxMovesToDraw",
        alias: None,
        kind: OptionKind::Spin { default: 0, min: 0, max: 100_000 },
        help: "The game is drawn after this many plies; 0 for no limit.",
        store: |options, value| options.max_moves = value.number() as u32,
    },
];

/// Why an option was not set, or not to the value that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// There is no option of this name.
    Unknown(String),
    /// The value does not fit: option, value, what would fit.
    BadValue(&'static str, String, String),
    /// The number was outside the range and was brought into it: option, value sent, value set.
    Clamped(&'static str, String, i64),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "no option {}", Token(name)),
            OptionError::BadValue(name, value, wanted) => {
                write!(f, "{name} takes {wanted}, not {}", Token(value))
            }
            OptionError::Clamped(name, value, set) => {
                write!(f, "{name} cannot be {}, set to {set}", Token(value))
            }
        }
    }
}

impl std::error::Error for OptionError {}

impl Default for Options {
    fn default() -> Options {
        let mut options = Options {
            hash: 0,
            threads: 0,
            ponder: false,
            multi_pv: 0,
            entering_king: EnteringKingRule::default(),
            max_moves: 0,
        };
        for spec in TABLE {
            let value = match spec.kind {
                OptionKind::Spin { default, .. } => Value::Number(default),
                OptionKind::Check { default } => Value::Flag(default),
                OptionKind::Combo { default, .. } => Value::Word(default),
            };
            (spec.store)(&mut options, &value);
        }
        options
    }
}

impl Options {
    /// Sets an option from its text. Names and words match without regard to case.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let matches = |spec: &&Spec| {
            spec.name.eq_ignore_ascii_case(name) || spec.alias.is_some_and(|alias| alias.eq_ignore_ascii_case(name))
        };
        let spec = TABLE.iter().find(matches).ok_or_else(|| OptionError::Unknown(name.to_string()))?;
        let text = value.unwrap_or_default();
        let bad = |wanted: String| OptionError::BadValue(spec.name, text.to_string(), wanted);
        let mut clamped = None;
        let value = match spec.kind {
            OptionKind::Spin { min, max, .. } => {
                let number = saturating_number(text).ok_or_else(|| bad(format!("a number from {min} to {max}")))?;
                let fitting = number.clamp(min, max);
                clamped = (fitting != number).then(|| OptionError::Clamped(spec.name, text.to_string(), fitting));
                Value::Number(fitting)
            }
            OptionKind::Check { .. } => Value::Flag(truth(text).ok_or_else(|| bad("true or false".to_string()))?),
            OptionKind::Combo { values, .. } => {
                let word = values.iter().find(|word| word.eq_ignore_ascii_case(text));
                Value::Word(word.ok_or_else(|| bad(values.join(", ")))?)
            }
        };
        (spec.store)(self, &value);
        clamped.map_or(Ok(()), Err)
    }
}

/// A whole number; one too large for 64 bits is the largest of its sign.
fn saturating_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX }))
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Some(true),
        "false" | "off" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// The line that announces the option.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match self.kind {
            OptionKind::Spin { default, min, max } => write!(f, "spin default {default} min {min} max {max}"),
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Combo { default, values } => {
                write!(f, "combo default {default}")?;
                values.iter().try_for_each(|value| write!(f, " var {value}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_legal_and_names_are_unique() {
        for (i, spec) in TABLE.iter().enumerate() {
            assert!(!spec.name.contains(' ') && !spec.help.is_empty());
            assert!(TABLE[..i].iter().all(|other| !other.name.eq_ignore_ascii_case(spec.name)));
            match spec.kind {
                OptionKind::Spin { default, min, max } => assert!((min..=max).contains(&default)),
                OptionKind::Combo { default, values } => assert!(values.contains(&default)),
                OptionKind::Check { .. } => {}
            }
        }
    }

    #[test]
    fn every_entering_king_rule_can_be_chosen() {
        for rule in EnteringKingRule::ALL {
            let mut options = Options::default();
            assert_eq!(options.set("EnteringKingRule", Some(&rule.to_string())), Ok(()));
            assert_eq!(options.entering_king, rule);
        }
    }

    #[test]
    fn values_are_checked() {
        let mut options = Options::default();
        assert_eq!(options.set("usi_hash", Some("64")), Ok(()));
        assert_eq!(options.hash, 64);
        assert_eq!(options.set("HASH", Some("32")), Ok(()));
        assert_eq!(options.hash, 32);
        assert!(matches!(options.set("USI_Hash", Some("abc")), Err(OptionError::BadValue(..))));
        assert!(matches!(options.set("USI_Hash", None), Err(OptionError::BadValue(..))));
        assert_eq!(options.hash, 32);
        assert!(matches!(options.set("Threads", Some("0")), Err(OptionError::Clamped("Threads", _, 1))));
        assert!(options.set("USI_Hash", Some("99999999999999999999")).is_err());
        assert_eq!((options.threads, options.hash), (1, 1_048_576));
        assert_eq!(options.set("USI_Ponder", Some("True")), Ok(()));
        assert!(options.ponder);
        assert_eq!(options.set("EnteringKingRule", Some("tryrule")), Ok(()));
        assert_eq!(options.entering_king, EnteringKingRule::TryRule);
        let message = options.set("NoSuchOption", Some("1")).unwrap_err().to_string();
        assert_eq!(message, "no option \"NoSuchOption\"");
    }

    #[test]
    fn lines_follow_the_grammar() {
        assert_eq!(TABLE[0].to_string(), "option name USI_Hash type spin default 128 min 1 max 1048576");
        assert_eq!(TABLE[2].to_string(), "option name USI_Ponder type check default false");
        assert!(TABLE[4].to_string().starts_with("option name EnteringKingRule type combo default CSARule27 var No"));
    }
}
