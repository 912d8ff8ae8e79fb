//! The options that an engine lists, and whether a value is one that it takes.

use crate::types::Quoted;

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedOption {
    /// Its name as the engine writes it.
    pub name: String,
    /// Values that it takes.
    pub kind: OptionKind,
    /// Value that it has until it is set; empty if the engine gives none.
    pub default: String,
}

/// Values that an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number from the first to the second.
    Spin(i64, i64),
    /// One of these words.
    Combo(Vec<String>),
    /// None: it is pressed.
    Button,
    /// Any text.
    Text,
}

impl ListedOption {
    /// Reads what follows the word `option`: `name NAME type TYPE ...`. `None` if it makes no sense; what is missing of a
    /// range bounds nothing.
    pub fn parse(text: &str) -> Option<ListedOption> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let at = words.iter().position(|&word| word == "type")?;
        let (&["name", ref name @ ..], &["type", kind, ref rest @ ..]) = (&words[..at], &words[at..]) else {
            return None;
        };
        let after = |word: &str| rest.iter().skip_while(|&&found| found != word).nth(1).copied();
        let bound = |word, missing| after(word).and_then(|text| text.parse().ok()).unwrap_or(missing);
        let kind = match kind {
            "check" => OptionKind::Check,
            "spin" => OptionKind::Spin(bound("min", i64::MIN), bound("max", i64::MAX)),
            "combo" => {
                let values = rest.windows(2).filter(|pair| pair[0] == "var").map(|pair| pair[1].to_string());
                OptionKind::Combo(values.collect())
            }
            "button" => OptionKind::Button,
            _ => OptionKind::Text,
        };
        let default = after("default").unwrap_or_default().to_string();
        (!name.is_empty()).then(|| ListedOption { name: name.join(" "), kind, default })
    }

    /// Fails with what is wrong with a value.
    pub fn check(&self, value: &str) -> Result<(), String> {
        let shown = Quoted(value);
        match &self.kind {
            OptionKind::Check if !is_flag(value) => Err(format!("{shown} is neither true nor false")),
            OptionKind::Spin(min, max) => match value.parse::<i64>() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(()),
                Ok(_) => Err(format!("{shown} is not from {min} to {max}")),
                Err(_) => Err(format!("{shown} is no whole number from {min} to {max}")),
            },
            OptionKind::Combo(values) if !values.iter().any(|known| known.eq_ignore_ascii_case(value)) => {
                Err(format!("{shown} is none of {}", values.join(", ")))
            }
            OptionKind::Button if !value.is_empty() => Err(format!("a button takes no value such as {shown}")),
            _ => Ok(()),
        }
    }
}

fn is_flag(value: &str) -> bool {
    value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false")
}

/// The options that engines take without listing them, by USI.
pub fn reserved(name: &str) -> Option<ListedOption> {
    let kind = match name.to_ascii_lowercase().as_str() {
        "usi_hash" => OptionKind::Spin(1, i64::MAX),
        "usi_ponder" => OptionKind::Check,
        _ => return None,
    };
    Some(ListedOption { name: name.to_string(), kind, default: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(option: &str, value: &str) -> String {
        ListedOption::parse(option).expect("an option").check(value).err().unwrap_or_default()
    }

    #[test]
    fn values_are_held_against_type_and_range() {
        let hash = "name USI_Hash type spin default 16 min 1 max 1024";
        assert_eq!(fault(hash, "abc"), "\"abc\" is no whole number from 1 to 1024");
        assert_eq!(fault(hash, "2000"), "\"2000\" is not from 1 to 1024");
        assert_eq!(fault(hash, "64"), "");
        assert_eq!(fault("name A type check default true", "maybe"), "\"maybe\" is neither true nor false");
        assert_eq!(fault("name A type check default true", "False"), "");
        let style = "name My Style type combo default a var a var b";
        assert_eq!(fault(style, "c"), "\"c\" is none of a, b");
        assert_eq!(fault(style, "B"), "");
        assert_eq!(fault("name Clear type button", "1"), "a button takes no value such as \"1\"");
        assert_eq!(fault("name Book type filename default <empty>", "a b"), "");
        assert_eq!(fault("name Open type spin default 0", "-5"), "");
    }

    #[test]
    fn names_may_have_blanks_and_what_is_no_option_is_none() {
        let option = ListedOption::parse("name My Style type spin default 3 min 1 max 5").unwrap();
        assert_eq!((option.name.as_str(), option.default.as_str()), ("My Style", "3"));
        for text in ["", "name", "name type spin", "name X", "title X type check"] {
            assert_eq!(ListedOption::parse(text), None, "{text}");
        }
        assert!(reserved("usi_hash").is_some_and(|option| option.check("0").is_err()));
        assert_eq!(reserved("Hash"), None);
    }
}
