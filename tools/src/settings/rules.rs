//! The rules of games.

use komainu::position::{EnteringKingRule, GameRules, RuleSet};
use komainu::types::UnknownName;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::str::FromStr;

/// The rules, by name or one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
#[group(id = "rules")]
pub struct Rules {
    /// The name of a [`RuleSet`]; without it 27 points, no limit, start position counted.
    #[arg(id = "rules.set", long = "rules", value_name = "SET", value_parser = name_of::<RuleSet>, help = rules_help())]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The rule of declarations, by its name in USI.
    #[arg(id = "rules.entering_king", long = "entering-king", value_name = "RULE", value_parser = name_of::<EnteringKingRule>,
          help = entering_king_help())]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entering_king: Option<String>,
    /// Plies after which a game is a draw; 0 for no limit
    #[arg(id = "rules.max_plies", long = "max-plies", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
    /// Set if the start position counts for repetition; for records of servers, which differ in it.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_counts: Option<bool>,
    /// Set if a mate on the last ply counts; for records of servers.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate_on_last_ply: Option<bool>,
    /// Set if checks at the limit of plies put it off; for records of servers.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks_extend: Option<bool>,
}

/// The rules by name alone, for tools that need no more.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RuleSetting {
    #[arg(long, value_name = "SET", value_parser = str::parse::<RuleSet>, help = rules_help())]
    pub rules: Option<RuleSet>,
}

impl Rules {
    /// The rules that these names stand for, or the name that stands for nothing.
    pub fn resolve(&self) -> Result<GameRules, UnknownName> {
        let mut rules = match self.set.as_deref() {
            None => GameRules::default(),
            Some(name) => name.parse::<RuleSet>()?.rules(),
        };
        if let Some(name) = self.entering_king.as_deref() {
            rules.entering_king = name.parse()?;
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

impl RuleSetting {
    /// The rules of that name, or the usual ones.
    pub fn resolve(self) -> GameRules {
        self.rules.map_or_else(GameRules::default, RuleSet::rules)
    }
}

fn rules_help() -> String {
    format!("Rules: {} [default: 27 points, no limit of plies]", RuleSet::ALL.map(RuleSet::name).join(", "))
}

fn entering_king_help() -> String {
    format!("Rule of declarations: {}", EnteringKingRule::ALL.map(EnteringKingRule::name).join(", "))
}

/// A word that stands for something, as its name is spelled.
fn name_of<T: FromStr<Err = UnknownName> + Display>(text: &str) -> Result<String, UnknownName> {
    text.parse().map(|named: T| named.to_string())
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
}
