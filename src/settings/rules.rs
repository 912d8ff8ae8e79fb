//! The rules of games.

use crate::position::{EnteringKingRule, GameRules, RuleSet};
use crate::types::UnknownName;
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
}

/// The rules by name alone, for tools that need no more.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct RuleSetting {
    #[arg(long, value_name = "SET", value_parser = str::parse::<RuleSet>, help = rules_help())]
    pub(crate) rules: Option<RuleSet>,
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
        Ok(rules)
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
