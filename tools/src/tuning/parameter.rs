//! Parameters as OpenBench reads them: one a line, `NAME, int|float, START, MIN, MAX, C_END, R_END`.

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

/// Why a line is no parameter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParameterFault {
    /// Fields are missing, or there are too many: their number.
    #[error("{} instead of {}: {}", .0, FIELDS.len(), FIELDS.join(", "))]
    Fields(usize),
    /// A field is empty: its name.
    #[error("{0} is missing")]
    Empty(&'static str),
    /// The type is none.
    #[error("{} is neither int nor float", Quoted(.0))]
    Kind(String),
    /// A field is no number: its name and the token.
    #[error("{}: {} is no number", .0, Quoted(.1))]
    Number(&'static str, String),
    /// A field of an `int` is no whole number: its name and the token.
    #[error("{}: {} is no whole number, as an int must be", .0, Quoted(.1))]
    Whole(&'static str, String),
    /// The range is empty: both ends.
    #[error("MIN {0} is not below MAX {1}")]
    Range(String, String),
    /// The start is out of the range: the start and both ends.
    #[error("START {0} is not from MIN {1} to MAX {2}")]
    Start(String, String, String),
    /// The distance is not positive.
    #[error("C_END {0} is not above 0")]
    Distance(String),
    /// The step is negative.
    #[error("R_END {0} is below 0")]
    Step(String),
    /// A line before it has the same name.
    #[error("{} stands further up already", Quoted(.0))]
    Repeated(String),
}

/// A fault with its line, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParameterLineFault {
    /// A line that is no parameter.
    #[error("line {0}: {1}")]
    Line(usize, ParameterFault),
    /// No line holds a parameter.
    #[error("no parameter")]
    None,
}

/// Reads a file of parameters, each with the number of its line. Empty lines and those that begin with `#` are left
/// out.
pub fn read_parameters(text: &str) -> Result<Vec<(usize, Parameter)>, ParameterLineFault> {
    let mut parameters: Vec<(usize, Parameter)> = Vec::new();
    let lines = (1..).zip(text.trim_start_matches('\u{feff}').lines().map(str::trim));
    for (number, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let parameter: Parameter = line.parse().map_err(|fault| ParameterLineFault::Line(number, fault))?;
        if parameters.iter().any(|(_, known)| known.name.eq_ignore_ascii_case(&parameter.name)) {
            return Err(ParameterLineFault::Line(number, ParameterFault::Repeated(parameter.name)));
        }
        parameters.push((number, parameter));
    }
    if parameters.is_empty() { Err(ParameterLineFault::None) } else { Ok(parameters) }
}

impl FromStr for Parameter {
    type Err = ParameterFault;

    fn from_str(line: &str) -> Result<Parameter, ParameterFault> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let Ok([name, kind, numbers @ ..]) = <[&str; 7]>::try_from(fields.as_slice()) else {
            return Err(ParameterFault::Fields(fields.len()));
        };
        if name.is_empty() {
            return Err(ParameterFault::Empty(FIELDS[0]));
        }
        let kind = match kind {
            "int" => NumberKind::Int,
            "float" => NumberKind::Float,
            other => return Err(ParameterFault::Kind(other.to_string())),
        };
        let mut values = [0.0; 5];
        for (at, token) in numbers.into_iter().enumerate() {
            let field = FIELDS[at + 2];
            let number = token.parse().ok().filter(|number: &f64| number.abs() <= MOST);
            let number = number.ok_or_else(|| ParameterFault::Number(field, token.to_string()))?;
            if kind == NumberKind::Int && at < 3 && number.fract() != 0.0 {
                return Err(ParameterFault::Whole(field, token.to_string()));
            }
            values[at] = number;
        }
        let [start, min, max, c_end, r_end] = values;
        let told = numbers.map(str::to_string);
        let [shown_start, shown_min, shown_max, shown_c, shown_r] = told;
        if min >= max {
            return Err(ParameterFault::Range(shown_min, shown_max));
        }
        if !(min..=max).contains(&start) {
            return Err(ParameterFault::Start(shown_start, shown_min, shown_max));
        }
        if c_end <= 0.0 {
            return Err(ParameterFault::Distance(shown_c));
        }
        if r_end < 0.0 {
            return Err(ParameterFault::Step(shown_r));
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
}
