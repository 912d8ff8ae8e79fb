//! Parameters as OpenBench reads them: one a line, `NAME, int|float, START, MIN, MAX, C_END, R_END`.
//!
//! A [`TunedOption`] is a parameter as an engine takes it: the option that it lists, and the text of a value.

use crate::client::listed_option;
use komainu::protocol::{EngineOption, OptionType};
use komainu::types::Quoted;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The fields of a line by their names in messages.
const FIELDS: [&str; 7] = ["NAME", "int|float", "START", "MIN", "MAX", "C_END", "R_END"];
/// Largest amount of a number: whole numbers up to here have no gaps as `f64`.
const MOST: f64 = 1e15;

/// Numbers that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Whole numbers.
    Int,
    /// Any number.
    Float,
}

/// A parameter that is to be tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub kind: NumberKind,
    pub start: f64,
    pub min: f64,
    pub max: f64,
    /// Distance of both sides from the value at the last iteration.
    pub c_end: f64,
    /// Step at the last iteration for a game won, in parts of that distance.
    pub r_end: f64,
}

/// Why a text is no parameter, or an option cannot be tuned by one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct TuningError(pub(super) String);

/// Reads a file of parameters, each with the number of its line. Empty lines and those that begin with `#` are left
/// out.
pub fn read_parameters(text: &str) -> Result<Vec<(usize, Parameter)>, TuningError> {
    let mut parameters: Vec<(usize, Parameter)> = Vec::new();
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim));
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let parameter: Parameter = line.parse().map_err(|fault| TuningError(format!("line {number}: {fault}")))?;
        if parameters.iter().any(|(_, known)| known.name.eq_ignore_ascii_case(&parameter.name)) {
            let name = Quoted(&parameter.name);
            return Err(TuningError(format!("line {number}: {name} stands further up already")));
        }
        parameters.push((number, parameter));
    }
    if parameters.is_empty() {
        return Err(TuningError("no parameter".to_string()));
    }
    Ok(parameters)
}

impl FromStr for Parameter {
    /// What is wrong with the line.
    type Err = String;

    fn from_str(line: &str) -> Result<Parameter, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let Ok([name, kind, numbers @ ..]) = <[&str; 7]>::try_from(fields.as_slice()) else {
            return Err(format!("{} instead of {}: {}", fields.len(), FIELDS.len(), FIELDS.join(", ")));
        };
        if name.is_empty() {
            return Err(format!("{} is missing", FIELDS[0]));
        }
        let kind = match kind {
            "int" => NumberKind::Int,
            "float" => NumberKind::Float,
            other => return Err(format!("{} is neither int nor float", Quoted(other))),
        };
        let mut values = [0.0; 5];
        for (at, token) in numbers.into_iter().enumerate() {
            let field = FIELDS[at + 2];
            values[at] = match token.parse::<f64>() {
                Ok(number) if number.abs() <= MOST => number,
                _ => return Err(format!("{field}: {} is no number", Quoted(token))),
            };
            if kind == NumberKind::Int && at < 3 && values[at].fract() != 0.0 {
                return Err(format!("{field}: {} is no whole number, as an int must be", Quoted(token)));
            }
        }
        let [start, min, max, c_end, r_end] = values;
        let [shown_start, shown_min, shown_max, shown_c, shown_r] = numbers;
        if min >= max {
            return Err(format!("MIN {shown_min} is not below MAX {shown_max}"));
        }
        if !(min..=max).contains(&start) {
            return Err(format!("START {shown_start} is not from MIN {shown_min} to MAX {shown_max}"));
        }
        if c_end <= 0.0 {
            return Err(format!("C_END {shown_c} is not above 0"));
        }
        if r_end < 0.0 {
            return Err(format!("R_END {shown_r} is below 0"));
        }
        Ok(Parameter { name: name.to_string(), kind, start, min, max, c_end, r_end })
    }
}

impl Parameter {
    /// A value as text: a whole number for an `int`, seven digits for a `float`.
    pub fn shown(&self, value: f64) -> String {
        match self.kind {
            NumberKind::Int => format!("{}", value.round() + 0.0),
            NumberKind::Float => digits(value, 7),
        }
    }
}

/// A number with so many significant digits, without an exponent.
pub fn digits(value: f64, count: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", count - 1).parse().unwrap_or(value);
    // No minus before zero.
    format!("{}", rounded + 0.0)
}

/// The line that is read.
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parameter { name, kind, start, min, max, c_end, r_end } = self;
        let kind = if *kind == NumberKind::Int { "int" } else { "float" };
        write!(f, "{name}, {kind}, {start}, {min}, {max}, {c_end}, {r_end}")
    }
}

/// A parameter with its option.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedOption {
    pub parameter: Parameter,
    /// Name of the option as the engine lists it.
    pub option: String,
    /// Factor by which a value becomes the whole number that the option takes; `None` if it takes a decimal as text.
    pub scale: Option<f64>,
}

impl TunedOption {
    /// Holds a parameter against the options that an engine lists. `scale` is its own factor, `common` that of floats
    /// without one.
    pub fn new(
        parameter: Parameter,
        listed: &[EngineOption],
        scale: Option<f64>,
        common: Option<f64>,
    ) -> Result<TunedOption, String> {
        let Parameter { name, kind, .. } = &parameter;
        let Some(option) = listed_option(listed, name) else {
            return Err(format!("the engine lists no option {}", Quoted(name)));
        };
        let scale = match (&option.kind, kind, scale) {
            (OptionType::Spin { .. }, NumberKind::Float, _) => {
                let Some(factor) = scale.or(common) else {
                    return Err(format!(
                        "{name} is a float and the engine's option a spin: --scale {name}=FACTOR is missing"
                    ));
                };
                Some(factor)
            }
            (OptionType::Spin { .. } | OptionType::Text, NumberKind::Int, None) => Some(1.0),
            (OptionType::Text, NumberKind::Float, None) => None,
            (OptionType::Spin { .. } | OptionType::Text, _, Some(_)) => {
                return Err(format!("--scale: {name} needs none: it is an int, or the engine's option is a string"));
            }
            (other, ..) => {
                let kind = other.word();
                return Err(format!("option {} is a {kind}: only a spin and a string can be tuned", option.name));
            }
        };
        let tuned = TunedOption { option: option.name.clone(), scale, parameter };
        if let Some(scale) = scale {
            let (low, high) = tuned.whole_range(scale);
            if low >= high {
                let name = tuned.parameter.name;
                let factor = digits(scale, 7);
                return Err(format!("{name} times {factor} is one whole number all the way from MIN to MAX"));
            }
        }
        for (field, value) in [("MIN", tuned.parameter.min), ("MAX", tuned.parameter.max)] {
            option.check(&tuned.text(value)).map_err(|why| format!("{field}: option {}: {why}", option.name))?;
        }
        Ok(tuned)
    }

    /// A parameter with its option as they were written down; `None` if that cannot be.
    pub(crate) fn written(parameter: Parameter, option: String, scale: Option<f64>) -> Option<TunedOption> {
        let tuned = TunedOption { parameter, option, scale };
        let is_usable = scale.is_none_or(|scale| {
            let (low, high) = tuned.whole_range(scale);
            scale > 0.0 && low < high
        });
        if is_usable { Some(tuned) } else { None }
    }

    /// Least difference of two values that the engine tells apart; 0 if there is none.
    pub fn unit(&self) -> f64 {
        self.scale.map_or(0.0, |scale| 1.0 / scale)
    }

    /// Text of a value, rounded to the nearest one that the option takes.
    pub fn text(&self, value: f64) -> String {
        self.rounded(value, 0.5)
    }

    /// Text of a value within the range, rounded up if its fraction is 1 - `rounding` or more: with a random number the
    /// mean of many is the value itself.
    pub fn rounded(&self, value: f64, rounding: f64) -> String {
        let value = value.clamp(self.parameter.min, self.parameter.max);
        let Some(scale) = self.scale else { return digits(value, 7) };
        let (low, high) = self.whole_range(scale);
        // No minus before zero.
        format!("{}", (value * scale + rounding).floor().clamp(low, high) + 0.0)
    }

    /// The whole numbers of the option's that lie within the range.
    fn whole_range(&self, scale: f64) -> (f64, f64) {
        // A product such as 0.07 * 100 is off by less than this.
        const SLACK: f64 = 1e-6;
        ((self.parameter.min * scale - SLACK).ceil(), (self.parameter.max * scale + SLACK).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_openbench_is_read_as_it_is_written() {
        for line in [
            "Knight, int, 300, 200, 400, 10, 0.002",
            "Slope, float, 0.25, -1.5, 2, 0.05, 0.002",
            "A b, int, -3, -9, 0, 2.5, 0",
        ] {
            assert_eq!(line.parse::<Parameter>().unwrap().to_string(), line);
        }
        let spaced = "  Knight ,int,300 , 200,4e2,10,.002".parse::<Parameter>().unwrap();
        assert_eq!(spaced.to_string(), "Knight, int, 300, 200, 400, 10, 0.002");
    }

    #[test]
    fn a_bad_line_is_told_with_its_number_and_the_token() {
        for (line, told) in [
            ("a, int, 1, 0, 5, 1", "6 instead of 7: NAME, int|float, START, MIN, MAX, C_END, R_END"),
            ("a, int, 1, 0, 5, 1, 1, 1", "8 instead of 7: NAME, int|float, START, MIN, MAX, C_END, R_END"),
            (", int, 1, 0, 5, 1, 1", "NAME is missing"),
            ("a, integer, 1, 0, 5, 1, 1", "\"integer\" is neither int nor float"),
            ("a, int, one, 0, 5, 1, 1", "START: \"one\" is no number"),
            ("a, float, 1, -inf, 5, 1, 1", "MIN: \"-inf\" is no number"),
            ("a, float, 1, 0, 5, NaN, 1", "C_END: \"NaN\" is no number"),
            ("a, int, 1, 0, 5.5, 1, 1", "MAX: \"5.5\" is no whole number, as an int must be"),
            ("a, int, 1, 5, 5, 1, 1", "MIN 5 is not below MAX 5"),
            ("a, int, 6, 0, 5, 1, 1", "START 6 is not from MIN 0 to MAX 5"),
            ("a, int, 1, 0, 5, 0, 1", "C_END 0 is not above 0"),
            ("a, int, 1, 0, 5, 1, -1", "R_END -1 is below 0"),
            ("Ok, int, 1, 0, 5, 1, 1", "\"Ok\" stands further up already"),
        ] {
            let fault = read_parameters(&format!("# a comment\n\nok, int, 1, 0, 5, 1, 1\n{line}\n")).unwrap_err();
            assert_eq!(fault.to_string(), format!("line 4: {told}"));
        }
        assert_eq!(read_parameters("\u{feff}# nothing\n").unwrap_err().to_string(), "no parameter");
    }

    #[test]
    fn values_are_shown_as_the_type_has_them() {
        let int: Parameter = "a, int, 0, -5, 5, 1, 1".parse().unwrap();
        assert_eq!([2.5, -0.4, -2.6].map(|value| int.shown(value)), ["3", "0", "-3"]);
        let float: Parameter = "a, float, 0, -5, 5, 1, 1".parse().unwrap();
        assert_eq!(
            [0.1 + 0.2, -0.0, 1.0 / 3.0, 2e-9].map(|value| float.shown(value)),
            ["0.3", "0", "0.3333333", "0.000000002"]
        );
    }

    fn tuned(line: &str, options: &[&str], scale: Option<f64>) -> Result<TunedOption, String> {
        let listed: Vec<_> = options.iter().map(|option| EngineOption::read(option).expect("an option")).collect();
        TunedOption::new(line.parse().expect("a parameter"), &listed, scale, None)
    }

    const LEVEL: &str = "option name Level type spin default 1 min 1 max 5";
    const RATE: &str = "option name Rate type spin default 100 min 0 max 200";

    #[test]
    fn names_are_found_in_any_case_and_by_another_that_means_the_same() {
        assert_eq!(tuned("level, int, 1, 1, 5, 1, 1", &[LEVEL], None).unwrap().option, "Level");
        let hash = "option name Hash type spin default 16 min 1 max 64";
        assert_eq!(tuned("usi_hash, int, 16, 1, 64, 8, 1", &[LEVEL, hash], None).unwrap().option, "Hash");
    }

    #[test]
    fn what_cannot_be_tuned_is_told() {
        let style = "option name Style type combo default a var a var b";
        for (line, scale, told) in [
            ("Nope, int, 1, 0, 5, 1, 1", None, "the engine lists no option \"Nope\""),
            ("Style, int, 1, 0, 5, 1, 1", None, "option Style is a combo: only a spin and a string can be tuned"),
            ("Level, int, 1, 0, 5, 1, 1", None, "MIN: option Level: \"0\" is not from 1 to 5"),
            ("Level, int, 1, 1, 6, 1, 1", None, "MAX: option Level: \"6\" is not from 1 to 5"),
            (
                "Level, float, 1, 1, 5, 1, 1",
                None,
                "Level is a float and the engine's option a spin: --scale Level=FACTOR is missing",
            ),
            ("Level, float, 1, 0.1, 5, 1, 1", Some(10.0), "MAX: option Level: \"50\" is not from 1 to 5"),
            (
                "Level, float, 0.11, 0.11, 0.24, 1, 1",
                Some(10.0),
                "Level times 10 is one whole number all the way from MIN to MAX",
            ),
            (
                "Level, int, 1, 1, 5, 1, 1",
                Some(10.0),
                "--scale: Level needs none: it is an int, or the engine's option is a string",
            ),
        ] {
            assert_eq!(tuned(line, &[LEVEL, style], scale).unwrap_err().to_string(), told, "{line}");
        }
    }

    #[test]
    fn a_float_is_multiplied_for_a_spin_and_a_decimal_for_a_string() {
        let rate = tuned("Rate, float, 1, 0.07, 1.5, 0.1, 0.002", &[RATE], Some(100.0)).unwrap();
        assert_eq!([0.07, 1.0, 1.234, 9.0, -1.0].map(|value| rate.text(value)), ["7", "100", "123", "150", "7"]);
        assert_eq!(rate.unit(), 0.01);
        let line = "Rate, float, 1, 0.07, 1.5, 0.1, 0.002";
        let listed = EngineOption::read(RATE).unwrap();
        for (own, scale) in [(None, 10.0), (Some(100.0), 100.0)] {
            let rate = TunedOption::new(line.parse().unwrap(), std::slice::from_ref(&listed), own, Some(10.0)).unwrap();
            assert_eq!(rate.scale, Some(scale), "its own factor comes before that of all");
        }
        let text = "option name Rate type string default 1.0";
        let rate = tuned("Rate, float, 1, 0.07, 1.5, 0.1, 0.002", &[text], None).unwrap();
        assert_eq!([0.07, 1.0, 1.0 / 3.0].map(|value| rate.text(value)), ["0.07", "1", "0.3333333"]);
        assert_eq!(tuned("Rate, int, 1, 0, 15, 1, 1", &[text], None).unwrap().text(3.6), "4");
    }

    #[test]
    fn random_rounding_has_the_value_as_its_mean() {
        let level = tuned("Level, int, 2, 1, 5, 1, 1", &[LEVEL], None).unwrap();
        let sum: f64 = (0..1_000).map(|i| level.rounded(3.3, f64::from(i) / 1_000.0).parse::<f64>().unwrap()).sum();
        assert_eq!(sum, 3_300.0);
        assert_eq!((level.rounded(5.0, 0.999), level.rounded(-3.0, 0.0)), ("5".to_string(), "1".to_string()));
    }
}
