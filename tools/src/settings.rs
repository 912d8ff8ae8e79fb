//! Settings that several tools have, as plain values: pondering, rules, the formats of records, and files of settings.
//!
//! The flags of the command line stand in the crate of the program.

use komainu::notation::encoding::encode_cp932;
use komainu::position::{EnteringKingRule, GameRules, RuleSet};
use komainu::types::UnknownName;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Thinking of an engine in its opponent's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ponder {
    /// Not at all.
    #[default]
    Off,
    /// On the expected move, as USI has it: the clocks come with `go ponder`.
    On,
    /// On the expected move; the clocks come with `ponderhit`.
    Early,
    /// On all answers of the opponent.
    Stochastic,
}

/// The rules of games, by name or one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The name of a [`RuleSet`]; without it 27 points, no limit, start position counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The rule of declarations, by its name in USI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entering_king: Option<String>,
    /// Plies after which a game is a draw; 0 for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
    /// Set if the start position counts for repetition; for records of servers, which differ in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_counts: Option<bool>,
    /// Set if a mate on the last ply counts; for records of servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate_on_last_ply: Option<bool>,
    /// Set if checks at the limit of plies put it off; for records of servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks_extend: Option<bool>,
}

impl Rules {
    /// The rules that these names stand for, or the name that stands for nothing.
    pub fn resolve(&self) -> Result<GameRules, UnknownName> {
        let mut rules = match self.set.as_deref() {
            None => GameRules::default(),
            Some(name) => name.parse::<RuleSet>()?.rules(),
        };
        if let Some(name) = self.entering_king.as_deref() {
            rules.entering_king = name.parse::<EnteringKingRule>()?;
        }
        rules.ply_limit = self.max_plies.unwrap_or(rules.ply_limit);
        rules.start_counts = self.start_counts.unwrap_or(rules.start_counts);
        rules.mate_on_last_ply = self.mate_on_last_ply.unwrap_or(rules.mate_on_last_ply);
        rules.checks_extend = self.checks_extend.unwrap_or(rules.checks_extend);
        Ok(rules)
    }
}

/// All rules one by one.
impl From<GameRules> for Rules {
    fn from(rules: GameRules) -> Rules {
        Rules {
            set: None,
            entering_king: Some(rules.entering_king.to_string()),
            max_plies: Some(rules.ply_limit),
            start_counts: Some(rules.start_counts),
            mate_on_last_ply: Some(rules.mate_on_last_ply),
            checks_extend: Some(rules.checks_extend),
        }
    }
}

/// A format of the files that a tool writes of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordFormat {
    /// KIF: in UTF-8 as .kifu, in CP932 as .kif.
    Kif,
    /// KIF in CP932 as .kif, whatever the encoding is.
    KifCp932,
    /// KI2: in UTF-8 as .ki2u, in CP932 as .ki2.
    Ki2,
    /// CSA, UTF-8.
    Csa,
    /// CSA 2.2, with whole seconds.
    Csa2,
    /// JSON: the JSON Kifu Format (JKF).
    #[serde(alias = "jkf")]
    Json,
    /// Moves as `startpos moves ...`, one game a line.
    Usi,
    /// Last position, one game a line.
    Sfen,
    /// Page for a browser.
    Html,
    /// None.
    None,
}

/// Encoding of KIF and KI2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// CP932, for programs that read nothing else.
    Cp932,
}

impl RecordFormat {
    /// The extension of a file in this format.
    pub fn extension(self, encoding: Encoding) -> &'static str {
        match (self, self.encoding(encoding)) {
            (RecordFormat::Kif | RecordFormat::KifCp932, Encoding::Utf8) => "kifu",
            (RecordFormat::Kif | RecordFormat::KifCp932, Encoding::Cp932) => "kif",
            (RecordFormat::Ki2, Encoding::Utf8) => "ki2u",
            (RecordFormat::Ki2, Encoding::Cp932) => "ki2",
            (RecordFormat::Csa | RecordFormat::Csa2, _) => "csa",
            (RecordFormat::Json, _) => "json",
            (RecordFormat::Usi, _) => "usi",
            (RecordFormat::Sfen, _) => "sfen",
            (RecordFormat::Html, _) => "html",
            (RecordFormat::None, _) => "",
        }
    }

    /// The encoding of a file in this format: only KIF and KI2 have a choice.
    fn encoding(self, wished: Encoding) -> Encoding {
        match self {
            RecordFormat::Kif | RecordFormat::Ki2 => wished,
            RecordFormat::KifCp932 => Encoding::Cp932,
            _ => Encoding::Utf8,
        }
    }

    /// The bytes of a text in this format, and the letters that its encoding lacks.
    pub fn encoded(self, text: &str, wished: Encoding) -> (Vec<u8>, String) {
        match self.encoding(wished) {
            Encoding::Utf8 => (text.as_bytes().to_vec(), String::new()),
            Encoding::Cp932 => {
                let encoded = encode_cp932(text);
                (encoded.bytes, encoded.lost.into_iter().collect())
            }
        }
    }
}

/// Tests whether a setting need not be written down.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads the text of a TOML file of settings. An error names the line, but nothing of the text, which may hold secrets.
pub fn read_settings<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        // The message alone: the rest of the error shows the line.
        let message = error.message().lines().collect::<Vec<_>>().join(" ");
        match error.span() {
            Some(span) => {
                let line = 1 + text.bytes().take(span.start).filter(|&byte| byte == b'\n').count();
                format!("line {line}: {message}")
            }
            None => message,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_one_by_one_are_those_that_they_were_made_of() {
        for set in RuleSet::ALL {
            let rules = GameRules { entering_king: EnteringKingRule::TryRule, ply_limit: 77, ..set.rules() };
            assert_eq!(Rules::from(rules).resolve(), Ok(rules), "{set}");
        }
        let floodgate = Rules::from(RuleSet::Floodgate.rules());
        assert_eq!(floodgate.resolve().map(|rules| rules.start_counts), Ok(false));
        assert_eq!(Rules::default().resolve().map(|rules| rules.start_counts), Ok(true));
    }

    #[test]
    fn the_extension_tells_the_encoding() {
        for (format, encoding, extension, has_choice) in [
            (RecordFormat::Kif, Encoding::Utf8, "kifu", false),
            (RecordFormat::Kif, Encoding::Cp932, "kif", true),
            (RecordFormat::KifCp932, Encoding::Utf8, "kif", true),
            (RecordFormat::Ki2, Encoding::Cp932, "ki2", true),
            (RecordFormat::Csa, Encoding::Cp932, "csa", false),
        ] {
            assert_eq!(format.extension(encoding), extension);
            assert_eq!(format.encoded("歩", encoding).0.len() == 2, has_choice, "{format:?} {encoding:?}");
        }
    }

    #[test]
    fn a_fault_names_its_line_and_shows_nothing_of_it() {
        let fault = |text: &str| read_settings::<Rules>(text).expect_err("these are no rules");
        let broken = fault("max_plies = 1\nset = sesame\n");
        assert!(broken.starts_with("line 2: ") && !broken.contains("sesame"), "{broken}");
        assert!(fault("set = \"wcsc\"\nmax_plies = \"sesame\"\n").starts_with("line 2: "));
    }
}
