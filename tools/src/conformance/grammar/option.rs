//! `option name NAME type TYPE ...`

use super::fault::{ProtocolFault, Rule};

/// The protocol's own options with their types.
const RESERVED: [(&str, &str); 9] = [
    ("usi_hash", "spin"),
    ("usi_ponder", "check"),
    ("usi_ownbook", "check"),
    ("usi_multipv", "spin"),
    ("usi_showcurrline", "check"),
    ("usi_showrefutations", "check"),
    ("usi_limitstrength", "check"),
    ("usi_strength", "spin"),
    ("usi_analysemode", "check"),
];

/// Checks what follows the word `option`. `names` holds the names so far, in lower case.
pub(super) fn check(rest: &str, names: &mut Vec<String>) -> Result<(), ProtocolFault> {
    let rest = rest.strip_prefix("name ").ok_or_else(|| missing("option name"))?;
    let (name, rest) = rest.split_once(' ').ok_or_else(|| missing("option type"))?;
    let rest = match rest.split_once(' ') {
        Some(("type", rest)) => rest,
        None if rest == "type" => return Err(missing("option type")),
        _ => return Err(fault(first_word(rest), Rule::Word)),
    };
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    check_name(name, kind, names)?;
    match kind {
        "check" => check_flag(rest),
        "spin" => check_spin(rest),
        "combo" => check_combo(rest),
        "button" if rest.is_empty() => Ok(()),
        "button" => Err(fault(rest, Rule::TrailingText)),
        "string" | "filename" => default_value(rest).map(|_| ()),
        other => Err(ProtocolFault::new("option type", other, Rule::Word)),
    }
}

fn fault(token: &str, rule: Rule) -> ProtocolFault {
    ProtocolFault::new("option", token, rule)
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

fn missing(place: &'static str) -> ProtocolFault {
    ProtocolFault::new(place, "", Rule::Missing)
}

fn check_name(name: &str, kind: &str, names: &mut Vec<String>) -> Result<(), ProtocolFault> {
    let lower = name.to_ascii_lowercase();
    match RESERVED.iter().find(|(reserved, _)| *reserved == lower) {
        Some((_, wanted)) if *wanted != kind => return Err(fault(name, Rule::ReservedType)),
        None if lower.starts_with("usi_") => return Err(fault(name, Rule::Reserved)),
        _ => {}
    }
    if names.contains(&lower) {
        return Err(fault(name, Rule::Twice));
    }
    names.push(lower);
    Ok(())
}

/// The text after `default`.
fn default_value(rest: &str) -> Result<&str, ProtocolFault> {
    rest.strip_prefix("default ").filter(|value| !value.is_empty()).ok_or_else(|| missing("option default"))
}

fn check_flag(rest: &str) -> Result<(), ProtocolFault> {
    match default_value(rest)? {
        "true" | "false" => Ok(()),
        other => Err(ProtocolFault::new("option default", other, Rule::Word)),
    }
}

/// `default N min A max B`
fn check_spin(rest: &str) -> Result<(), ProtocolFault> {
    let mut words = rest.split(' ');
    let mut number = |place: &'static str, word: &str| -> Result<i64, ProtocolFault> {
        if words.next() != Some(word) {
            return Err(missing(place));
        }
        let text = words.next().ok_or_else(|| missing(place))?;
        text.parse().map_err(|_| ProtocolFault::new(place, text, Rule::Number))
    };
    let default = number("option default", "default")?;
    let min = number("option min", "min")?;
    let max = number("option max", "max")?;
    if let Some(more) = words.next() {
        return Err(fault(more, Rule::TrailingText));
    }
    if min <= default && default <= max { Ok(()) } else { Err(fault(&default.to_string(), Rule::Range)) }
}

/// `default V var V var W ...`
fn check_combo(rest: &str) -> Result<(), ProtocolFault> {
    let mut words = default_value(rest)?.split(' ');
    let default = words.next().unwrap_or_default();
    let mut found = false;
    while let Some(word) = words.next() {
        if word != "var" {
            return Err(fault(word, Rule::Word));
        }
        let value = words.next().ok_or_else(|| missing("option var"))?;
        found |= value == default;
    }
    if found { Ok(()) } else { Err(ProtocolFault::new("option default", default, Rule::DefaultAmongVars)) }
}
