//! The options: their kinds, values and checks. The one list of them is [`TABLE`].

mod table;

pub use table::{Options, TABLE};

use crate::eval::NetFile;
use crate::host::HAS_FILES;
use crate::levels::Level;
use crate::position::{GameRules, Position, RuleSet};
use crate::protocol::{EngineOption, Number, OptionType};
#[cfg(feature = "tune")]
use crate::search::{TUNABLES, Tunable};
use crate::types::{Color, Quoted, Score, Visible};
use once_cell::sync::Lazy;
use std::path::{self, Path, PathBuf};
use thiserror::Error;

/// Kind of an option, and the function that puts a value in its place. The value fits: it lies within the range, or is
/// the index of one of the words.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// A whole number.
    Spin {
        /// Value at the start.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Sets the number.
        set: fn(&mut Options, i64),
    },
    /// Yes or no.
    Check {
        /// Value at the start.
        default: bool,
        /// Sets the flag.
        set: fn(&mut Options, bool),
    },
    /// One of several words.
    Combo {
        /// All values, that of the start first: uci2wb shows XBoard the first one as the one that is set.
        values: &'static [&'static str],
        /// Sets the word with this index.
        set: fn(&mut Options, usize),
    },
    /// The name of a file.
    Filename {
        /// Value at the start; may be empty.
        default: &'static str,
        /// Sets the text.
        set: fn(&mut Options, &str),
    },
    /// A text that is not the name of a file.
    Text {
        /// Value at the start; may be empty.
        default: &'static str,
        /// Sets the text.
        set: fn(&mut Options, &str),
    },
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Name, as `option` announces it.
    pub name: &'static str,
    /// Another name that is accepted.
    pub alias: Option<&'static str>,
    /// Kind of its value.
    pub kind: OptionKind,
    /// Help in a line of English.
    pub help: &'static str,
    /// Help in Japanese; the English one where nobody has translated it yet.
    pub help_ja: &'static str,
    /// Without files there is nothing to set.
    needs_files: bool,
}

/// Rows of the table.
impl Spec {
    const fn new(name: &'static str, kind: OptionKind) -> Spec {
        let needs_files = matches!(kind, OptionKind::Filename { .. });
        Spec { name, alias: None, kind, help: "", help_ja: "", needs_files }
    }

    /// A number: its value at the start, the smallest and the largest.
    const fn spin(name: &'static str, default: i64, [min, max]: [i64; 2], set: fn(&mut Options, i64)) -> Spec {
        Spec::new(name, OptionKind::Spin { default, min, max, set })
    }

    /// Yes or no.
    const fn check(name: &'static str, default: bool, set: fn(&mut Options, bool)) -> Spec {
        Spec::new(name, OptionKind::Check { default, set })
    }

    /// One of several words, that of the start first.
    const fn combo(name: &'static str, values: &'static [&'static str], set: fn(&mut Options, usize)) -> Spec {
        Spec::new(name, OptionKind::Combo { values, set })
    }

    /// The name of a file.
    const fn file(name: &'static str, default: &'static str, set: fn(&mut Options, &str)) -> Spec {
        Spec::new(name, OptionKind::Filename { default, set })
    }

    /// A text that is not the name of a file.
    const fn text(name: &'static str, default: &'static str, set: fn(&mut Options, &str)) -> Spec {
        Spec::new(name, OptionKind::Text { default, set })
    }

    /// The option under another name too.
    const fn or(self, alias: &'static str) -> Spec {
        Spec { alias: Some(alias), ..self }
    }

    /// An option that says how a file is read.
    const fn with_files(self) -> Spec {
        Spec { needs_files: true, ..self }
    }

    /// The row with its help in English, which stands for the Japanese too until [`Spec::ja`] gives it.
    const fn help(self, help: &'static str) -> Spec {
        Spec { help, help_ja: help, ..self }
    }

    /// The row with its help in Japanese.
    const fn ja(self, help_ja: &'static str) -> Spec {
        Spec { help_ja, ..self }
    }
}

/// Why an option was not set, or not to the value that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no option of this name.
    #[error("no option {}", Quoted(.0))]
    Unknown(String),
    /// The value does not fit: option, value, what would fit.
    #[error("{} takes {}, not {}", .0, .2, Quoted(.1))]
    BadValue(&'static str, String, String),
    /// The number was outside the range and was brought into it: option, value sent, value set.
    #[error("{} cannot be {}, set to {}", .0, Quoted(.1), .2)]
    Clamped(&'static str, String, i64),
}

impl Default for Options {
    fn default() -> Options {
        static DEFAULTS: Lazy<Options> = Lazy::new(Options::from_table);
        DEFAULTS.clone()
    }
}

impl Options {
    /// The rules of the game: those of the tournament if one was chosen, else those that were set one by one.
    pub fn rules(&self) -> GameRules {
        self.rule_set.map_or(self.custom_rules, RuleSet::rules)
    }

    /// The rules as they bind a position: its ply counter is the one that the limit counts.
    pub fn rules_for(&self, position: &Position) -> GameRules {
        let mut rules = self.rules();
        if self.rule_set.is_none() && self.counts_moves && rules.ply_limit > 0 {
            // The limit is given in moves; the position counts from the number in its SFEN.
            let start = position.ply().saturating_sub(position.moves_made() as u32 + 1);
            rules.ply_limit = rules.ply_limit.saturating_add(start);
        }
        rules
    }

    /// Value of a draw to the engine when it moves for this side.
    pub fn draw_value(&self, side: Color) -> Score {
        Score(if self.consideration_mode { 0 } else { self.draw_value[side] })
    }

    /// The level that is to be played in games: `Level` if it names one, else the rank of `USI_Strength` if that
    /// counts.
    pub fn playing_level(&self) -> Option<Level> {
        if self.level.is_some() || !self.limits_strength {
            return self.level;
        }
        Level::from_grade(if self.strength == 0 { 1 } else { self.strength })
    }

    /// The rows that count under this host: without files there is nothing to name.
    fn offered() -> impl Iterator<Item = &'static Spec> {
        TABLE.iter().filter(|spec| HAS_FILES || !spec.needs_files)
    }

    /// The row of an option, by its name or alias without regard to case.
    pub fn find(name: &str) -> Option<&'static Spec> {
        Options::offered().find(|spec| {
            spec.name.eq_ignore_ascii_case(name) || spec.alias.is_some_and(|alias| alias.eq_ignore_ascii_case(name))
        })
    }
}

impl Options {
    /// All options at their defaults.
    fn from_table() -> Options {
        let mut options = Options::blank();
        for spec in TABLE {
            match spec.kind {
                OptionKind::Spin { default, set, .. } => set(&mut options, default),
                OptionKind::Check { default, set } => set(&mut options, default),
                OptionKind::Combo { set, .. } => set(&mut options, 0),
                OptionKind::Filename { default, set } | OptionKind::Text { default, set } => set(&mut options, default),
            }
        }
        options
    }

    /// Sets an option from its text. Names and words match without regard to case; in words a space or `_` counts as
    /// `-`.
    ///
    /// ```
    /// use komainu::usi::options::Options;
    ///
    /// let mut options = Options::default();
    /// options.set("usi_hash", Some("64"))?;
    /// assert_eq!(options.hash, 64);
    /// let error = options.set("Rules", Some("chess")).unwrap_err();
    /// assert!(error.to_string().contains("chess") && error.to_string().contains("floodgate"));
    /// # Ok::<(), komainu::usi::options::OptionError>(())
    /// ```
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        #[cfg(feature = "tune")]
        if let Some(tunable) = Tunable::find(name) {
            let (min, max) = tunable.range;
            let text = value.unwrap_or_default();
            return set_number(tunable.name, text, min.into(), max.into(), |number| tunable.set(number as i32));
        }
        let spec = Options::find(name).ok_or_else(|| OptionError::Unknown(name.to_string()))?;
        let text = value.unwrap_or_default();
        match spec.kind {
            OptionKind::Spin { min, max, set, .. } => {
                return set_number(spec.name, text, min, max, |number| set(self, number));
            }
            OptionKind::Check { set, .. } => match truth(text) {
                Some(flag) => set(self, flag),
                None => {
                    return Err(OptionError::BadValue(spec.name, text.to_string(), "true or false".to_string()));
                }
            },
            OptionKind::Combo { values, set } => {
                let index = values.iter().position(|word| with_dashes(word).eq_ignore_ascii_case(&with_dashes(text)));
                match index {
                    Some(index) => set(self, index),
                    None => return Err(OptionError::BadValue(spec.name, text.to_string(), values.join(", "))),
                }
            }
            OptionKind::Filename { set, .. } | OptionKind::Text { set, .. } => set(self, text),
        }
        Ok(())
    }

    /// The lines that announce all options, those of the tunable constants last.
    pub fn announcements() -> impl Iterator<Item = EngineOption> {
        let options = Options::offered().map(EngineOption::from);
        #[cfg(feature = "tune")]
        let options =
            options.chain(TUNABLES.iter().map(|Tunable { name, default, range: (min, max), .. }| EngineOption {
                name: name.to_string(),
                kind: OptionType::Spin { min: Some((*min).into()), max: Some((*max).into()) },
                default: default.to_string(),
            }));
        options
    }
}

/// Sets the number of a text, brought into a range; an error says so if it is not the number that was sent.
fn set_number(name: &'static str, text: &str, min: i64, max: i64, set: impl FnOnce(i64)) -> Result<(), OptionError> {
    let Some(number) = Number::read(text) else {
        return Err(OptionError::BadValue(name, text.to_string(), format!("a number from {min} to {max}")));
    };
    let fitting = number.value.clamp(min, max);
    set(fitting);
    let is_as_sent = number.is_whole && fitting == number.value;
    if is_as_sent { Ok(()) } else { Err(OptionError::Clamped(name, text.to_string(), fitting)) }
}

/// A word with dashes for spaces and underscores.
fn with_dashes(text: &str) -> String {
    text.replace([' ', '_'], "-")
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "on" | "1" | "yes" => Some(true),
        "false" | "off" | "0" | "no" => Some(false),
        _ => None,
    }
}

/// The option as the protocol announces it.
impl From<&Spec> for EngineOption {
    fn from(spec: &Spec) -> EngineOption {
        let (kind, default) = match spec.kind {
            OptionKind::Spin { default, min, max, .. } => {
                (OptionType::Spin { min: Some(min), max: Some(max) }, default.to_string())
            }
            OptionKind::Check { default, .. } => (OptionType::Check, default.to_string()),
            OptionKind::Filename { default, .. } => (OptionType::Filename, default.to_string()),
            OptionKind::Text { default, .. } => (OptionType::Text, default.to_string()),
            OptionKind::Combo { values, .. } => {
                (OptionType::Combo(values.iter().map(|value| value.to_string()).collect()), values[0].to_string())
            }
        };
        EngineOption { name: spec.name.to_string(), kind, default }
    }
}

/// Where a file is: a relative path counts from the folder of the program if the file is there, else from the working
/// directory. GUIs start engines in either.
pub(crate) fn resolve(name: &str) -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join(name)));
    match beside {
        Some(path) if path.exists() => path,
        _ => path::absolute(name).unwrap_or_else(|_| PathBuf::from(name)),
    }
}

/// Where a net is that an option names: a file, or a folder with an `nn.bin`, counted from the folder of the program or
/// from the working directory. A name that is neither counts from the working directory.
pub(crate) fn find_net(name: &str) -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    let working = std::env::current_dir().unwrap_or_default();
    let folders = program.parent().into_iter().chain([working.as_path()]);
    NetFile::find(name.as_ref(), folders)
        .unwrap_or_else(|| path::absolute(name).unwrap_or_else(|_| PathBuf::from(name)))
}

/// The most characters of a path or a text that are shown.
const SHOWN: usize = 1_000;

/// A path as a message shows it.
pub(crate) fn show_path(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// A text with what cannot be seen escaped, cut off if it is very long.
pub(crate) fn printable(text: &str) -> String {
    let end = text.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| at);
    Visible(&text[..end]).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::EnteringKingRule;

    #[test]
    fn defaults_are_legal_and_names_are_unique() {
        for (i, spec) in TABLE.iter().enumerate() {
            assert!(!spec.name.contains(' ') && spec.help.is_ascii() && spec.help.ends_with('.'));
            assert!(spec.help_ja.ends_with('。') || spec.help_ja == spec.help, "{}", spec.name);
            assert!(TABLE[..i].iter().all(|other| !other.name.eq_ignore_ascii_case(spec.name)));
            match spec.kind {
                OptionKind::Spin { default, min, max, .. } => assert!((min..=max).contains(&default)),
                OptionKind::Combo { values, .. } => assert!(values.len() > 1),
                OptionKind::Check { .. } | OptionKind::Filename { .. } | OptionKind::Text { .. } => {}
            }
        }
    }

    #[test]
    fn what_a_player_sets_is_announced_first() {
        let names: Vec<&str> = TABLE.iter().map(|spec| spec.name).collect();
        let first = ["Level", "LevelTime", "Threads", "USI_Hash", "MultiPV", "Rules", "EvalFile", "BookFile"];
        assert_eq!(names[..first.len()], first);
    }

    #[test]
    fn every_option_can_be_set_and_is_set_to_its_default_at_first() {
        for spec in TABLE {
            let (default, other) = match spec.kind {
                OptionKind::Spin { default, min, max, .. } => {
                    (default.to_string(), (if default < max { max } else { min }).to_string())
                }
                OptionKind::Check { default, .. } => (default.to_string(), (!default).to_string()),
                OptionKind::Combo { values, .. } => (values[0].to_string(), values[1].to_string()),
                OptionKind::Filename { default, .. } => (default.to_string(), "a file".to_string()),
                OptionKind::Text { default, .. } => (default.to_string(), "a text".to_string()),
            };
            let mut options = Options::default();
            assert_eq!(options.set(spec.name, Some(&default)), Ok(()));
            assert_eq!(options, Options::default(), "{}", spec.name);
            assert_eq!(options.set(spec.name, Some(&other)), Ok(()));
            assert_ne!(options, Options::default(), "{} {other}", spec.name);
        }
    }

    #[cfg(feature = "tune")]
    #[test]
    fn tunable_constants_are_announced_and_checked_like_options() {
        let lines: Vec<String> = Options::announcements().map(|option| option.to_string()).collect();
        assert_eq!(lines.len(), TABLE.len() + TUNABLES.len());
        let Tunable { name, default, range: (min, max), .. } = TUNABLES[0];
        let line = format!("option name {name} type spin default {default} min {min} max {max}");
        assert_eq!(lines[TABLE.len()], line);
        let mut options = Options::default();
        assert!(matches!(options.set(name, Some("many")), Err(OptionError::BadValue(..))));
        let beyond = (i64::from(max) + 1).to_string();
        assert_eq!(options.set(name, Some(&beyond)), Err(OptionError::Clamped(name, beyond, max.into())));
        assert_eq!(options.set(name, Some(&default.to_string())), Ok(()));
    }

    #[test]
    fn a_level_counts_before_a_strength_and_a_strength_only_if_it_is_wanted() {
        let mut options = Options::default();
        let mut after = |name, value| {
            assert_eq!(options.set(name, Some(value)), Ok(()));
            options.playing_level().map(|level| level.to_string())
        };
        assert_eq!(after("USI_Strength", "-7"), None);
        assert_eq!(after("usi_limitstrength", "true").as_deref(), Some("7kyu"));
        assert_eq!(after("USI_Strength", "0").as_deref(), Some("1dan"));
        assert_eq!(after("level", "10KYU").as_deref(), Some("10kyu"));
        assert_eq!(after("Level", "full").as_deref(), Some("1dan"));
        assert_eq!(after("USI_LimitStrength", "false"), None);
        assert!(matches!(options.set("Level", Some("11kyu")), Err(OptionError::BadValue(..))));
        assert_eq!(options.playing_level(), None);
        assert!(matches!(options.set("USI_Strength", Some("10")), Err(OptionError::Clamped(_, _, 9))));
    }

    #[test]
    fn every_value_of_level_is_a_level() {
        let Some(Spec { kind: OptionKind::Combo { values, .. }, .. }) = Options::find("Level") else {
            panic!("a combo")
        };
        assert_eq!(values[0], "full");
        let levels: Vec<Level> = values[1..].iter().map(|name| name.parse().unwrap()).collect();
        assert!(levels.is_sorted() && levels.iter().map(Level::to_string).eq(values[1..].iter().copied()));
    }

    #[test]
    fn values_are_checked() {
        let mut options = Options::default();
        assert_eq!(options.set("usi_hash", Some("64")), Ok(()));
        assert_eq!(options.hash, 64);
        assert_eq!(options.set("HASH", Some("32")), Ok(()));
        assert_eq!(options.hash, 32);
        assert!(matches!(options.set("USI_Hash", Some("abc")), Err(OptionError::BadValue(..))));
        assert!(matches!(options.set("USI_Hash", None), Err(OptionError::BadValue(..))));
        assert_eq!(options.hash, 32);
        assert!(matches!(options.set("Threads", Some("0")), Err(OptionError::Clamped("Threads", _, 1))));
        assert!(options.set("USI_Hash", Some("99999999999999999999")).is_err());
        assert_eq!((options.threads, options.hash), (1, 1_048_576));
        assert_eq!(options.set("USI_Ponder", Some("True")), Ok(()));
        assert!(options.ponder);
        let message = options.set("NoSuchOption", Some("1")).unwrap_err().to_string();
        assert_eq!(message, "no option \"NoSuchOption\"");
    }

    #[test]
    fn a_rule_set_takes_the_place_of_the_single_rules() {
        let mut options = Options::default();
        options.set("MaxMovesToDraw", Some("300")).unwrap();
        options.set("Rules", Some("Floodgate")).unwrap();
        // A GUI sends all options, those behind the rule set too.
        options.set("EnteringKingRule", Some("tryrule")).unwrap();
        assert_eq!(options.rules(), RuleSet::Floodgate.rules());
        options.set("Rules", Some("custom")).unwrap();
        assert_eq!((options.rules().ply_limit, options.rules().entering_king), (300, EnteringKingRule::TryRule));
        for set in RuleSet::ALL {
            options.set("Rules", Some(set.name())).unwrap();
            assert_eq!(options.rules(), set.rules());
        }
        options.set("Rules", Some("Custom")).unwrap();
        for rule in EnteringKingRule::ALL {
            assert_eq!(options.set("EnteringKingRule", Some(&rule.to_string())), Ok(()));
            assert_eq!(options.rules().entering_king, rule);
        }
    }

    #[test]
    fn the_ply_limit_counts_the_sfen_or_the_moves() {
        let mut position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b - 41").unwrap();
        position.do_move("5i5h".parse().unwrap());
        let mut options = Options::default();
        options.set("MaxMovesToDraw", Some("100")).unwrap();
        assert_eq!(options.rules_for(&position).ply_limit, 100);
        options.set("MaxMovesCounter", Some("moves")).unwrap();
        // One of the hundred moves has been made; the last one is the SFEN's 140th.
        assert_eq!(options.rules_for(&position).ply_limit, 140);
        options.set("MaxMovesToDraw", Some("0")).unwrap();
        assert_eq!(options.rules_for(&position).ply_limit, 0);
    }

    #[test]
    fn lines_follow_the_grammar() {
        let line = |name| EngineOption::from(Options::find(name).unwrap()).to_string();
        assert_eq!(line("usi_hash"), "option name USI_Hash type spin default 128 min 1 max 1048576");
        assert_eq!(line("usi_ponder"), "option name USI_Ponder type check default false");
        assert!(
            line("EnteringKingRule").starts_with("option name EnteringKingRule type combo default CSARule27 var CSA")
        );
        assert_eq!(line("EvalFile"), "option name EvalFile type filename default <internal>");
        assert_eq!(line("DebugLogFile"), "option name DebugLogFile type filename default <empty>");
    }
}
