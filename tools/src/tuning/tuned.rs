//! A parameter as an engine takes it: the option that it lists, and the text of a value.

use super::parameter::{NumberKind, Parameter, digits};
use crate::client::listed_option;
use komainu::protocol::{EngineOption, OptionType};
use komainu::types::Quoted;
use thiserror::Error;

/// A parameter with its option.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedOption {
    pub parameter: Parameter,
    /// Name of the option as the engine lists it.
    pub option: String,
    /// Factor by which a value becomes the whole number that the option takes; `None` if it takes a decimal as text.
    pub scale: Option<f64>,
}

/// Why an engine's option cannot be tuned so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TunedFault {
    /// The engine lists no such option.
    #[error("the engine lists no option {}", Quoted(.0))]
    NotListed(String),
    /// The option has no numbers: its name and its type.
    #[error("option {0} is a {1}: only a spin and a string can be tuned")]
    Kind(String, &'static str),
    /// A float for whole numbers, without a factor: the parameter.
    #[error("{0} is a float and the engine's option a spin: --scale {0}=FACTOR is missing")]
    NoScale(String),
    /// A factor where none has a meaning: the parameter.
    #[error("--scale: {0} needs none: it is an int, or the engine's option is a string")]
    Scale(String),
    /// An end of the range is none of the option's values: its field, the option, and why.
    #[error("{0}: option {1}: {2}")]
    Range(&'static str, String, String),
    /// The range holds less than two values of the option: the parameter and the factor.
    #[error("{0} times {1} is one whole number all the way from MIN to MAX")]
    Narrow(String, String),
    /// Another parameter has the same option.
    #[error("{0} is the option of {1} already")]
    Repeated(String, String),
    /// The option is given a value of its own.
    #[error("--option: {0} is tuned")]
    Fixed(String),
}

impl TunedOption {
    /// Holds a parameter against the options that an engine lists. `scale` is its own factor, `common` that of floats
    /// without one.
    pub fn new(
        parameter: Parameter,
        listed: &[EngineOption],
        scale: Option<f64>,
        common: Option<f64>,
    ) -> Result<TunedOption, TunedFault> {
        let Parameter { name, kind, .. } = &parameter;
        let option = listed_option(listed, name).ok_or_else(|| TunedFault::NotListed(name.clone()))?;
        let scale = match (&option.kind, kind, scale) {
            (OptionType::Spin { .. }, NumberKind::Float, _) => {
                Some(scale.or(common).ok_or_else(|| TunedFault::NoScale(name.clone()))?)
            }
            (OptionType::Spin { .. } | OptionType::Text, NumberKind::Int, None) => Some(1.0),
            (OptionType::Text, NumberKind::Float, None) => None,
            (OptionType::Spin { .. } | OptionType::Text, _, Some(_)) => return Err(TunedFault::Scale(name.clone())),
            (other, ..) => return Err(TunedFault::Kind(option.name.clone(), other.word())),
        };
        let tuned = TunedOption { option: option.name.clone(), scale, parameter };
        if let Some(scale) = scale {
            let (low, high) = tuned.whole_range(scale);
            if low >= high {
                return Err(TunedFault::Narrow(tuned.parameter.name, digits(scale, 7)));
            }
        }
        for (field, value) in [("MIN", tuned.parameter.min), ("MAX", tuned.parameter.max)] {
            let checked = option.check(&tuned.text(value));
            checked.map_err(|why| TunedFault::Range(field, option.name.clone(), why))?;
        }
        Ok(tuned)
    }

    /// A parameter with its option as they were written down; `None` if that cannot be.
    pub(super) fn written(parameter: Parameter, option: String, scale: Option<f64>) -> Option<TunedOption> {
        let tuned = TunedOption { parameter, option, scale };
        let is_usable = scale.is_none_or(|scale| {
            let (low, high) = tuned.whole_range(scale);
            scale > 0.0 && low < high
        });
        is_usable.then_some(tuned)
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

    fn tuned(line: &str, options: &[&str], scale: Option<f64>) -> Result<TunedOption, TunedFault> {
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
        let (line, listed) = ("Rate, float, 1, 0.07, 1.5, 0.1, 0.002", EngineOption::read(RATE).unwrap());
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
