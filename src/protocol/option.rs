//! `option`: an option that an engine lists, and whether a value is one that it takes.

use crate::types::Quoted;
use std::fmt;

/// Stands for an empty text in an option's default and in a value.
pub const EMPTY: &str = "<empty>";

/// An option of an engine.
///
/// ```
/// use komainu::protocol::{EngineOption, OptionType};
///
/// let option = EngineOption::read("option name USI_Hash type spin default 128 min 1 max 1024").unwrap();
/// assert_eq!((option.name.as_str(), &option.kind), ("USI_Hash", &OptionType::Spin { min: Some(1), max: Some(1024) }));
/// assert!(option.check("64").is_ok() && option.check("2000").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOption {
    /// Name as the engine writes it; it may hold blanks.
    pub name: String,
    /// Values that it takes.
    pub kind: OptionType,
    /// Value that it has until it is set; empty if the engine gives none, or an empty text.
    pub default: String,
}

/// Values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionType {
    /// `true` or `false`.
    Check,
    /// A whole number within bounds, as far as the engine gives them.
    Spin {
        /// Smallest value.
        min: Option<i64>,
        /// Largest value.
        max: Option<i64>,
    },
    /// One of these texts.
    Combo(Vec<String>),
    /// None: it is pressed.
    Button,
    /// The name of a file.
    Filename,
    /// Any text.
    Text,
}

impl OptionType {
    /// Word of the protocol.
    pub const fn word(&self) -> &'static str {
        match self {
            OptionType::Check => "check",
            OptionType::Spin { .. } => "spin",
            OptionType::Combo(_) => "combo",
            OptionType::Button => "button",
            OptionType::Filename => "filename",
            OptionType::Text => "string",
        }
    }
}

impl EngineOption {
    /// Reads an `option` line; `None` if it is none. A type that USI does not know takes any text.
    pub fn read(line: &str) -> Option<EngineOption> {
        let mut rest = line.trim_ascii();
        for expected in ["option", "name"] {
            let (word, after) = first_word(rest);
            if word != expected {
                return None;
            }
            rest = after;
        }
        let (name, rest) = split_at_word(rest, &["type"]);
        let (kind, rest) = first_word(first_word(rest).1);
        let name = joined(name);
        if name.is_empty() || kind.is_empty() {
            return None;
        }
        let kind = match kind {
            "check" => OptionType::Check,
            "spin" => OptionType::Spin { min: number(rest, "min"), max: number(rest, "max") },
            "combo" => OptionType::Combo(parts(rest, "var").into_iter().map(joined).collect()),
            "button" => OptionType::Button,
            "filename" => OptionType::Filename,
            _ => OptionType::Text,
        };
        let default = match kind {
            // A text goes to the end of the line, whatever words it holds.
            OptionType::Filename | OptionType::Text => {
                let (word, text) = first_word(rest);
                if word == "default" { text.to_string() } else { String::new() }
            }
            _ => parts(rest, "default").first().copied().map(joined).unwrap_or_default(),
        };
        let default = if default == EMPTY { String::new() } else { default };
        Some(EngineOption { name, kind, default })
    }

    /// The options that every engine takes without listing them, by USI: `USI_Hash` and `USI_Ponder`.
    pub fn reserved(name: &str) -> Option<EngineOption> {
        let kind = match name.to_ascii_lowercase().as_str() {
            "usi_hash" => OptionType::Spin { min: Some(1), max: None },
            "usi_ponder" => OptionType::Check,
            _ => return None,
        };
        Some(EngineOption { name: name.to_string(), kind, default: String::new() })
    }

    /// Fails with what is wrong with a value.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let shown = Quoted(value);
        match &self.kind {
            OptionType::Check if !is_flag(value) => Err(format!("{shown} is neither true nor false")),
            OptionType::Spin { min, max } => {
                let min = min.unwrap_or(i64::MIN);
                let max = max.unwrap_or(i64::MAX);
                match value.parse::<i64>() {
                    Ok(number) if (min..=max).contains(&number) => Ok(()),
                    Ok(_) => Err(format!("{shown} is not from {min} to {max}")),
                    Err(_) => Err(format!("{shown} is no whole number from {min} to {max}")),
                }
            }
            OptionType::Combo(values) if !values.iter().any(|known| known.eq_ignore_ascii_case(value)) => {
                Err(format!("{shown} is none of {}", values.join(", ")))
            }
            OptionType::Button if !value.is_empty() => Err(format!("a button takes no value such as {shown}")),
            _ => Ok(()),
        }
    }
}

fn is_flag(value: &str) -> bool {
    value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false")
}

/// The first word of a text and what follows the blanks behind it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    match text.split_once(|c: char| c.is_ascii_whitespace()) {
        Some((word, rest)) => (word, rest.trim_ascii_start()),
        None => (text, ""),
    }
}

/// The text before the first of these words that stands alone, and the rest from that word on.
fn split_at_word<'a>(text: &'a str, words: &[&str]) -> (&'a str, &'a str) {
    let mut rest = text;
    loop {
        let (word, after) = first_word(rest);
        if word.is_empty() || words.contains(&word) {
            return text.split_at(text.len() - rest.trim_ascii_start().len());
        }
        rest = after;
    }
}

/// The texts behind each occurrence of a keyword, up to the next keyword of an option.
fn parts<'a>(mut text: &'a str, keyword: &str) -> Vec<&'a str> {
    const KEYWORDS: [&str; 4] = ["default", "min", "max", "var"];
    let mut parts = Vec::new();
    loop {
        let (word, rest) = first_word(split_at_word(text, &KEYWORDS).1);
        if word.is_empty() {
            return parts;
        }
        let (part, after) = split_at_word(rest, &KEYWORDS);
        if word == keyword {
            parts.push(part);
        }
        text = after;
    }
}

fn number(text: &str, keyword: &str) -> Option<i64> {
    parts(text, keyword).first()?.trim_ascii().parse().ok()
}

/// The words of a text with single blanks between them.
fn joined(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The line of the protocol.
impl fmt::Display for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type {}", self.name, self.kind.word())?;
        let is_text = matches!(self.kind, OptionType::Filename | OptionType::Text);
        match self.default.as_str() {
            "" if is_text => write!(f, " default {EMPTY}")?,
            "" => {}
            default => write!(f, " default {default}")?,
        }
        match &self.kind {
            OptionType::Spin { min, max } => {
                if let Some(min) = min {
                    write!(f, " min {min}")?;
                }
                if let Some(max) = max {
                    write!(f, " max {max}")?;
                }
            }
            OptionType::Combo(values) => {
                for value in values {
                    write!(f, " var {value}")?;
                }
            }
            OptionType::Check | OptionType::Button | OptionType::Filename | OptionType::Text => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(option: &str, value: &str) -> String {
        EngineOption::read(&format!("option {option}")).expect("an option").check(value).err().unwrap_or_default()
    }

    #[test]
    fn values_are_held_against_type_and_range() {
        let hash = "name USI_Hash type spin default 16 min 1 max 1024";
        assert_eq!(fault(hash, "abc"), "\"abc\" is no whole number from 1 to 1024");
        assert_eq!(fault(hash, "2000"), "\"2000\" is not from 1 to 1024");
        assert_eq!(fault(hash, "64"), "");
        assert_eq!(fault("name A type check default true", "maybe"), "\"maybe\" is neither true nor false");
        assert_eq!(fault("name A type check default true", "False"), "");
        let style = "name My Style type combo default a var a var b c";
        assert_eq!(fault(style, "c"), "\"c\" is none of a, b c");
        assert_eq!(fault(style, "B c"), "");
        assert_eq!(fault("name Clear type button", "1"), "a button takes no value such as \"1\"");
        assert_eq!(fault("name Book type filename default <empty>", "a b"), "");
        assert_eq!(fault("name Open type spin default 0", "-5"), "");
    }

    #[test]
    fn names_and_values_may_have_blanks() {
        let read = |line: &str| EngineOption::read(line).unwrap();
        let option = read("option name My Style type combo default very bold var shy var very  bold");
        assert_eq!((option.name.as_str(), option.default.as_str()), ("My Style", "very bold"));
        assert_eq!(option.kind, OptionType::Combo(vec!["shy".to_string(), "very bold".to_string()]));
        let file = read("option name Book type filename default C:/my books/a  min b.db");
        assert_eq!(file.default, "C:/my books/a  min b.db");
        assert_eq!(read("option name Note type string").default, "");
        assert_eq!(
            read("option\tname  Order type spin max 5 min 1 default 3").kind,
            OptionType::Spin { min: Some(1), max: Some(5) }
        );
        assert_eq!(read("option name Odd type slider default 3").kind, OptionType::Text);
    }

    #[test]
    fn what_is_no_option_is_none() {
        for line in ["", "option", "option name", "option name type spin", "option name X", "option title X type check"]
        {
            assert_eq!(EngineOption::read(line), None, "{line}");
        }
        assert_eq!(EngineOption::read("options name X type check"), None);
        assert!(EngineOption::reserved("usi_hash").is_some_and(|option| option.check("0").is_err()));
        assert_eq!(EngineOption::reserved("Hash"), None);
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        for line in [
            "option name USI_Hash type spin default 16 min 1 max 1024",
            "option name Open type spin default 0",
            "option name USI_Ponder type check default false",
            "option name My Style type combo default a b var a b var c",
            "option name Clear Hash type button",
            "option name EvalDir type filename default eval",
            "option name BookFile type string default <empty>",
        ] {
            assert_eq!(EngineOption::read(line).unwrap().to_string(), line);
        }
    }
}
