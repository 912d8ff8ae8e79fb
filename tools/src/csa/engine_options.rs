//! Options of an engine: the settings when it starts, the rules before each game.

use super::settings::Settings;
use crate::settings::Ponder;
use komainu::position::{EnteringKingRule, GameRules};

/// An option: its name, its value, and whether the user wishes for it. One that nobody wished for is sent only to an
/// engine that lists it.
pub(super) type EngineOption = (String, String, bool);

fn known(name: &str, value: impl ToString) -> EngineOption {
    (name.to_string(), value.to_string(), false)
}

/// The options at the start of an engine: those of the client, unless the user sets them, then those of the user.
pub(super) fn at_start(settings: &Settings) -> Vec<EngineOption> {
    let mut options = vec![
        known("USI_Ponder", settings.engine.ponder != Ponder::Off),
        known("Stochastic_Ponder", settings.engine.ponder == Ponder::Stochastic),
    ];
    if !settings.least.is_zero() {
        options.push(known("MinimumThinkingTime", settings.least.as_millis()));
    }
    options.extend(settings.engine.resign.map(|score| known("ResignValue", score)));
    let is_set = |name: &str| settings.engine.options.keys().any(|set| set.eq_ignore_ascii_case(name));
    options.retain(|(name, ..)| !is_set(name));
    for (name, value) in &settings.engine.options {
        options.push((name.clone(), value.clone(), true));
    }
    options
}

/// The options that tell an engine the rules of a game.
pub(super) fn of_rules(rules: &GameRules) -> Vec<EngineOption> {
    vec![
        known("Rules", "custom"),
        known("EnteringKingRule", rules.entering_king),
        known("MaxMovesToDraw", rules.ply_limit),
        known("MateOnLastPly", rules.mate_on_last_ply),
        known("RepetitionCountsStart", rules.start_counts),
    ]
}

/// The rules that an engine cannot be told, since it does not list the options for them.
pub(super) fn untold(rules: &GameRules, lists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut untold = Vec::new();
    if rules.entering_king != EnteringKingRule::NoEnteringKing && !lists("EnteringKingRule") {
        untold.push(format!("declarations by {}", rules.entering_king));
    }
    if rules.ply_limit > 0 && !lists("MaxMovesToDraw") {
        untold.push(format!("a draw after {} plies", rules.ply_limit));
    }
    untold
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csa::settings::tests::settings;
    use komainu::position::RuleSet;

    #[test]
    fn what_the_user_sets_is_not_set_by_the_client() {
        let mut settings = settings("h", "g-1-1");
        settings.engine.ponder = Ponder::Stochastic;
        settings.engine.resign = Some(3_000);
        settings.engine.options =
            [("usi_ponder", "false"), ("Threads", "2")].map(|(name, value)| (name.into(), value.into())).into();
        let options: Vec<String> =
            at_start(&settings).iter().map(|(name, value, wished)| format!("{name}={value} {wished}")).collect();
        assert_eq!(
            options,
            ["Stochastic_Ponder=true false", "ResignValue=3000 false", "Threads=2 true", "usi_ponder=false true"]
        );
    }

    #[test]
    fn rules_that_cannot_be_told_are_named() {
        let rules = RuleSet::Floodgate.rules();
        assert_eq!(untold(&rules, |_| true), [""; 0]);
        assert_eq!(untold(&rules, |name| name == "MaxMovesToDraw"), ["declarations by CSARule27"]);
        assert_eq!(untold(&rules, |_| false).len(), 2);
        assert_eq!(of_rules(&rules)[2].1, "256");
    }
}
