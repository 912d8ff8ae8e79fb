//! The tables of the documents state the rule profiles as they are.

use komainu::position::{EnteringKingRule, GameRules, RuleSet};

/// The row of a profile: the first cell, and those behind it.
fn row(text: &str, set: RuleSet) -> Vec<&str> {
    let start = format!("| `{}`", set.name());
    let line = text.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row of {start}"));
    line.trim_matches('|').split('|').map(str::trim).skip(1).collect()
}

fn points(rules: GameRules) -> u32 {
    match rules.entering_king {
        EnteringKingRule::CSARule24 | EnteringKingRule::CSARule24H => 24,
        EnteringKingRule::CSARule27 | EnteringKingRule::CSARule27H => 27,
        other => panic!("the documents have no word for {other}"),
    }
}

#[test]
fn documents_state_the_profiles_as_they_are() {
    let (english, japanese) = (include_str!("../../../docs/rules.md"), include_str!("../../../docs/rules.ja.md"));
    for set in RuleSet::ALL {
        let rules = set.rules();
        let (points, plies) = (points(rules), rules.ply_limit);
        let either = |holds: bool, yes: &'static str, no: &'static str| if holds { yes } else { no };
        let mate = either(rules.mate_on_last_ply, "wins", "draws");
        let put_off = either(rules.checks_extend, ", put off while checks go on", "");
        let counts = either(rules.start_counts, "yes", "no");
        assert_eq!(row(english, set), [&format!("{points} points"), &format!("{plies} plies{put_off}"), mate, counts]);

        let mate = either(rules.mate_on_last_ply, "勝ち", "引き分け");
        let put_off = either(rules.checks_extend, "（王手が続く間は延長）", "");
        let counts = either(rules.start_counts, "数える", "数えない");
        assert_eq!(row(japanese, set), [&format!("{points}点法"), &format!("{plies}手{put_off}"), mate, counts]);
    }
}

#[test]
fn every_document_that_lists_the_profiles_lists_all_of_them() {
    for (name, text) in [
        ("docs/match.md", include_str!("../../../docs/match.md")),
        ("docs/match.ja.md", include_str!("../../../docs/match.ja.md")),
        ("README.md", include_str!("../../../README.md")),
        ("README.ja.md", include_str!("../../../README.ja.md")),
    ] {
        for set in RuleSet::ALL.map(RuleSet::name) {
            let is_listed = [format!("`{set}`"), format!("`--rules {set}`")].iter().any(|word| text.contains(word));
            assert!(is_listed, "{set} is missing in {name}");
        }
    }
}
