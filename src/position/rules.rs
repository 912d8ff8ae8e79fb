//! Rules that end a game otherwise than by mate and differ from tournament to tournament.

use super::Position;
use crate::types::{Counted, named};
use std::fmt;

named! {
    /// The rule under which a side with its king in the enemy camp may declare. The names are those that shogi GUIs
    /// know.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[doc(alias = "nyugyoku")]
    #[doc(alias = "入玉宣言")]
    pub enum EnteringKingRule {
        /// 27 points: black wins with 28, white with 27. The rule of computer tournaments.
        #[default]
        CSARule27 = "CSARule27",
        /// 27 points with handicaps: the giver counts the missing pieces as its own.
        CSARule27H = "CSARule27H",
        /// 24 points: 31 win, 24 to 30 are a draw.
        CSARule24 = "CSARule24",
        /// 24 points with handicaps: the giver counts the missing pieces as its own.
        CSARule24H = "CSARule24H",
        /// A king that reaches the enemy king's square of the start position safely wins.
        TryRule = "TryRule",
        /// No declaration.
        NoEnteringKing = "NoEnteringKing",
    }

    /// Name, as USI options have it.
    name
}

/// The rules of a game, as far as tournaments differ in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct GameRules {
    /// Rule of declarations.
    pub entering_king: EnteringKingRule,
    /// The game is drawn after this many plies, by the SFEN counter; 0 for no limit.
    #[doc(alias = "最大手数")]
    pub ply_limit: u32,
    /// A move that mates on the last ply of the limit wins; otherwise it comes too late and the game is drawn.
    pub mate_on_last_ply: bool,
    /// The limit is put off as long as every move gives check or leaves one.
    pub checks_extend: bool,
    /// The position in which the game began is one of the four occurrences of a repetition.
    pub start_counts: bool,
}

impl Default for GameRules {
    /// The 27-point rule, no limit, and a repetition that counts the start position.
    fn default() -> GameRules {
        GameRules {
            entering_king: EnteringKingRule::CSARule27,
            ply_limit: 0,
            mate_on_last_ply: false,
            checks_extend: false,
            start_counts: true,
        }
    }
}

/// The rules in words, as in `CSARule27, draw after 256 plies, ...`.
impl fmt::Display for GameRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.entering_king)?;
        match self.ply_limit {
            0 => write!(f, ", no ply limit")?,
            limit => {
                write!(f, ", draw after {}", Counted(limit, "ply"))?;
                let ending = if self.mate_on_last_ply { "wins" } else { "draws" };
                write!(f, ", mate on the last ply {ending}")?;
                if self.checks_extend {
                    write!(f, ", checks put the limit off")?;
                }
            }
        }
        write!(f, ", repetition counts {} start position", if self.start_counts { "the" } else { "without the" })
    }
}

named! {
    /// The rules of a server, a tournament or a GUI under one name.
    ///
    /// ```
    /// use komainu::position::RuleSet;
    ///
    /// let rules = RuleSet::Floodgate.rules();
    /// assert_eq!(rules.ply_limit, 256);
    /// assert_eq!("floodgate".parse(), Ok(RuleSet::Floodgate));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RuleSet {
        /// The floodgate server.
        Floodgate = "floodgate",
        /// Denryu-sen.
        #[doc(alias = "電竜戦")]
        Denryu = "denryu",
        /// The World Computer Shogi Championship.
        Wcsc = "wcsc",
        /// Professional games of the Japan Shogi Association.
        #[doc(alias = "日本将棋連盟")]
        Jsa = "jsa",
        /// The GUI ShogiHome as it is set up at first.
        ShogiHome = "shogihome",
    }

    /// Name, in small letters.
    name
}

impl RuleSet {
    /// Name of the server, tournament or program, as its own people write it.
    pub const fn title(self) -> &'static str {
        match self {
            RuleSet::Floodgate => "floodgate",
            RuleSet::Denryu => "電竜戦",
            RuleSet::Wcsc => "世界コンピュータ将棋選手権",
            RuleSet::Jsa => "日本将棋連盟",
            RuleSet::ShogiHome => "ShogiHome",
        }
    }

    /// Rules that the name stands for.
    pub const fn rules(self) -> GameRules {
        use EnteringKingRule::{CSARule24, CSARule27};
        // The servers of floodgate and of the tournaments store a position only after a move: the start position is
        // none of the four occurrences. They look at the limit before they look for a mate.
        let server = GameRules {
            entering_king: CSARule27,
            ply_limit: 256,
            mate_on_last_ply: false,
            checks_extend: false,
            start_counts: false,
        };
        match self {
            RuleSet::Floodgate => server,
            RuleSet::Denryu => GameRules { ply_limit: 512, ..server },
            RuleSet::Wcsc => GameRules { ply_limit: 320, mate_on_last_ply: true, ..server },
            RuleSet::Jsa => GameRules {
                entering_king: CSARule24,
                ply_limit: 500,
                mate_on_last_ply: true,
                checks_extend: false,
                start_counts: true,
            },
            RuleSet::ShogiHome => GameRules {
                entering_king: CSARule27,
                ply_limit: 1_000,
                mate_on_last_ply: true,
                checks_extend: true,
                start_counts: true,
            },
        }
    }
}

impl GameRules {
    /// The rules for a search of this position. Where the ply limit has been passed already the game goes on all the
    /// same, or nobody would ask for a move: the limit is dropped, else every line would be a draw.
    pub fn for_search(self, pos: &Position) -> GameRules {
        if pos.is_past_ply_limit(&self) { GameRules { ply_limit: 0, ..self } } else { self }
    }
}

impl Position {
    /// Tests whether more plies than the limit have been played by the SFEN counter, so that the game is drawn unless
    /// the last move mated and the rules honour that; never with a limit of 0.
    #[doc(alias = "最大手数")]
    #[inline]
    pub fn is_past_ply_limit(&self, rules: &GameRules) -> bool {
        rules.ply_limit > 0 && self.ply > rules.ply_limit && !(rules.checks_extend && self.is_amid_checks())
    }

    /// Tests whether a mate by the next move counts: it comes too late on the last ply, unless the rules say otherwise.
    #[inline]
    pub fn may_mate(&self, rules: &GameRules) -> bool {
        rules.ply_limit == 0 || self.ply < rules.ply_limit || rules.mate_on_last_ply || rules.checks_extend
    }

    /// Tests whether the last move gave check or left one.
    #[cold]
    fn is_amid_checks(&self) -> bool {
        self.state.continuous_checks.iter().any(|&checks| checks > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_found_by_its_name() {
        for set in RuleSet::ALL {
            assert_eq!(set.name().to_uppercase().parse(), Ok(set));
        }
        let message = "chess".parse::<RuleSet>().unwrap_err().to_string();
        assert_eq!(message, "\"chess\" is none of floodgate, denryu, wcsc, jsa, shogihome");
    }

    #[test]
    fn rules_are_told_in_words() {
        let words =
            "CSARule27, draw after 256 plies, mate on the last ply draws, repetition counts without the start position";
        assert_eq!(RuleSet::Floodgate.rules().to_string(), words);
        let words = "CSARule27, no ply limit, repetition counts the start position";
        assert_eq!(GameRules::default().to_string(), words);
    }
}
