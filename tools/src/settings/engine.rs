//! Settings of an engine that another tool starts.

use crate::client::{DEFAULT_TIMEOUT, Setup};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The options that are sent to an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct EngineOptions {
    /// USI option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub option: Vec<(String, String)>,
}

/// The patience with an engine.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct PatienceSetting {
    /// Seconds of silence before readyok after which another engine is given up; whatever it says begins them anew
    /// [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    patience: Option<u64>,
}

impl PatienceSetting {
    /// A conversation with this timeout.
    pub fn setup(self) -> Setup {
        Setup { timeout: self.patience.map_or(DEFAULT_TIMEOUT, Duration::from_secs), ..Setup::default() }
    }
}

/// Reads `NAME=VALUE`; the value may be empty.
pub fn name_and_value(text: &str) -> Result<(String, String), String> {
    let halves = text.split_once('=').map(|(name, value)| (name.trim(), value)).filter(|(name, _)| !name.is_empty());
    halves.map(|(name, value)| (name.to_string(), value.to_string())).ok_or_else(|| "not NAME=VALUE".to_string())
}

/// Thinking of an engine in its opponent's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Ponder {
    /// Not at all
    #[default]
    Off,
    /// On the expected move, as USI has it: the clocks come with `go ponder`
    On,
    /// On the expected move; the clocks come with `ponderhit`
    Early,
    /// On all answers of the opponent
    Stochastic,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_a_name_and_perhaps_a_value() {
        let read = |text| name_and_value(text).map(|(name, value)| format!("{name}|{value}"));
        assert_eq!(read("USI_Hash=64").as_deref(), Ok("USI_Hash|64"));
        assert_eq!(read("Clear Hash=").as_deref(), Ok("Clear Hash|"));
        assert_eq!(read("A=b=c").as_deref(), Ok("A|b=c"));
        for text in ["", "USI_Hash", "=64", " =1"] {
            assert_eq!(read(text).as_deref(), Err(&"not NAME=VALUE".to_string()), "{text}");
        }
    }
}
