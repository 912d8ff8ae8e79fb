//! Flags that several commands have, each declared once, and how flags are laid over a file of settings.
//!
//! Settings that may also stand in a file are structs that serde writes: as a table they are laid over that of the file,
//! and what comes out is read as one struct. The id of such a flag is the path of its setting in the file.

use crate::terminal::complain;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use komainu::eval::nnue::{EMBEDDED_FV_SCALE, Net, embedded};
use komainu::eval::{Evaluation, NetFile};
use komainu::position::{EnteringKingRule, GameRules, RuleSet};
use komainu::types::{Color, Counted, Printable, UnknownName};
use komainu_tools::analyst::SearchLimit;
use komainu_tools::client::{DEFAULT_TIMEOUT, Setup};
use komainu_tools::http::{Listener, LocalAddress};
use komainu_tools::settings::{Encoding, RecordFormat};
use komainu_tools::share::Shard;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use toml::{Table, Value};

/// The settings that are given, as a table: nothing of those that are missing, no section that is empty.
pub(crate) fn given(settings: &impl Serialize) -> Table {
    let mut table = Table::try_from(settings).expect("settings are a struct of plain values");
    table.retain(|_, value| value.as_table().is_none_or(|section| !section.is_empty()));
    table
}

/// Lays one table over another: its values win, sections are joined key by key. The case of names does not count:
/// engines take their options in any.
pub(crate) fn lay_over(under: &mut Table, over: Table) {
    for (key, value) in over {
        let known = under.keys().find(|name| name.eq_ignore_ascii_case(&key)).cloned();
        let below = known.and_then(|name| under.remove(&name));
        let value = match (below, value) {
            (Some(Value::Table(mut below)), Value::Table(above)) => {
                lay_over(&mut below, above);
                Value::Table(below)
            }
            (_, value) => value,
        };
        under.insert(key, value);
    }
}

/// The value at a path as `rules.set`.
fn at<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => table.get(path),
        Some((section, rest)) => at(table.get(section)?.as_table()?, rest),
    }
}

/// The flags of a command whose settings a table holds, each with the key of its section.
pub(crate) fn flags_of<A: clap::Args>(table: &Table) -> Vec<(String, String)> {
    let command = A::augment_args(clap::Command::new("flags"));
    let mut flags = Vec::new();
    for flag in command.get_arguments() {
        let path = flag.get_id().as_str();
        if let Some(name) = flag.get_long()
            && at(table, path).is_some()
        {
            let section = path.split('.').next().unwrap_or(path);
            flags.push((format!("--{name}"), section.to_string()));
        }
    }
    flags
}

/// The words of a setting in flags and files, each with its help.
pub(crate) type Words = [(&'static str, &'static str)];

/// The words for [`komainu_tools::settings::Ponder`].
pub(crate) const PONDER: &Words = &[
    ("off", "Not at all"),
    ("on", "On the expected move, as USI has it: the clocks come with `go ponder`"),
    ("early", "On the expected move; the clocks come with `ponderhit`"),
    ("stochastic", "On all answers of the opponent"),
];

/// The words for [`Encoding`].
pub(crate) const ENCODINGS: &Words = &[("utf8", "UTF-8"), ("cp932", "CP932, for programs that read nothing else")];

/// The words for [`RecordFormat`].
const FORMATS: &Words = &[
    ("kif", "KIF: in UTF-8 as .kifu, with `--encoding cp932` as .kif"),
    ("kif-cp932", "KIF in CP932 as .kif, whatever the encoding is"),
    ("ki2", "KI2: in UTF-8 as .ki2u, with `--encoding cp932` as .ki2"),
    ("csa", "CSA, UTF-8"),
    ("csa2", "CSA 2.2, with whole seconds"),
    ("json", "JSON: the JSON Kifu Format (JKF)"),
    ("usi", "Moves as `startpos moves ...`, one game a line"),
    ("sfen", "Last position, one game a line"),
    ("html", "Page for a browser"),
    ("none", "None"),
];

/// The formats of the records that stand beside the list of the games of a match or of a session on a server.
pub(crate) const GAME_FORMATS: [RecordFormat; 4] =
    [RecordFormat::Csa, RecordFormat::Kif, RecordFormat::KifCp932, RecordFormat::None];

/// A parser of the words of an enum, which are those that it has in files.
pub(crate) fn word<T>(words: &'static Words) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let values = words.iter().map(|&(word, help)| PossibleValue::new(word).help(help));
    PossibleValuesParser::new(values).map(|word| value_of(&word).expect("each word of the list has a value"))
}

/// A parser of those formats of records that a command can write.
pub(crate) fn one_of(formats: &'static [RecordFormat]) -> impl TypedValueParser<Value = RecordFormat> {
    let possible = |&format: &RecordFormat| {
        let (word, help) = FORMATS.iter().find(|(word, _)| value_of(word) == Some(format))?;
        let value = PossibleValue::new(*word).help(*help);
        Some(if format == RecordFormat::Json { value.alias("jkf") } else { value })
    };
    PossibleValuesParser::new(formats.iter().filter_map(possible))
        .map(|word| value_of(&word).expect("each word of the list has a value"))
}

/// The value of an enum that has this word in files.
fn value_of<T: DeserializeOwned>(word: &str) -> Option<T> {
    let word: StrDeserializer<'_, ValueError> = word.into_deserializer();
    T::deserialize(word).ok()
}

/// A parser of megabytes.
pub(crate) fn megabytes() -> impl TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(1..=1_048_576)
}

/// A parser of a number of threads.
pub(crate) fn threads() -> impl TypedValueParser<Value = u32> {
    clap::value_parser!(u32).range(0..=1024)
}

/// A parser of the seconds of silence after which an engine is given up.
pub(crate) fn timeout_seconds() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(1..=86_400)
}

/// Reads `NAME=VALUE`; the value may be empty.
pub(crate) fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_string(), value.to_string())),
        _ => Err("not NAME=VALUE".to_string()),
    }
}

/// Help of `--hash`; each command has a default of its own.
pub(crate) const HASH_HELP: &str = "Megabytes of each hash table";

/// Help of `--memory`.
pub(crate) const MEMORY_HELP: &str =
    "Megabytes of memory to work with, about; the rest goes into files beside the output";

/// Help of `--threads` where each thread has work of its own.
pub(crate) const THREADS_HELP: &str =
    "Threads, each with work of its own; 0 for one a core. Results do not depend on it";

/// Help of `--sfen`.
pub(crate) const SFEN_HELP: &str = "Position: a SFEN, or as in `position`: \"startpos moves 7g7f\"";

/// The options that are sent to an engine.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EngineOptions {
    /// USI option of the engine; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) option: Vec<(String, String)>,
}

/// The longest silence of an engine.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct PatienceSetting {
    /// Seconds of silence before readyok after which another engine is given up; whatever it says begins them anew
    /// [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = timeout_seconds())]
    patience: Option<u64>,
}

impl PatienceSetting {
    /// A conversation with this timeout.
    pub(crate) fn setup(self) -> Setup {
        Setup::of_patience(self.patience.map_or(DEFAULT_TIMEOUT, Duration::from_secs))
    }
}

/// Bounds of each search, of which a command may want one or allow several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::Args)]
#[group(id = "search_limits")]
pub(crate) struct SearchLimits {
    /// Nodes of each search
    #[arg(long = "nodes", id = "limit.nodes", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) nodes: Option<u64>,
    /// Depth of each search, in plies
    #[arg(long = "depth", id = "limit.depth", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) depth: Option<u32>,
    /// Milliseconds of each search
    #[arg(long = "movetime", id = "limit.movetime_ms", value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) movetime_ms: Option<u64>,
}

impl SearchLimits {
    /// The ids of the flags, for a group of which one may or must be given.
    pub(crate) const FLAGS: [&str; 3] = ["limit.nodes", "limit.depth", "limit.movetime_ms"];

    /// The bound of commands that take one.
    pub(crate) fn one(self) -> Option<SearchLimit> {
        let by_nodes = self.nodes.map(SearchLimit::Nodes);
        let by_depth = self.depth.map(SearchLimit::Depth);
        by_nodes.or(by_depth).or(self.movetime_ms.map(SearchLimit::Millis))
    }
}

/// The rules by name alone, for commands that need no more.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct RuleSetting {
    #[arg(long, value_name = "SET", value_parser = str::parse::<RuleSet>, help = rules_help())]
    pub(crate) rules: Option<RuleSet>,
}

impl RuleSetting {
    /// The rules of that name, or the usual ones.
    pub(crate) fn resolve(self) -> GameRules {
        self.rules.map_or_else(GameRules::default, RuleSet::rules)
    }
}

/// The rules of the games of a match.
#[derive(Clone, Debug, Default, Serialize, clap::Args)]
#[group(id = "rules")]
pub(crate) struct RuleFlags {
    #[arg(id = "rules.set", long = "rules", value_name = "SET", value_parser = name_of::<RuleSet>, help = rules_help())]
    set: Option<String>,
    #[arg(id = "rules.entering_king", long = "entering-king", value_name = "RULE", value_parser = name_of::<EnteringKingRule>,
          help = entering_king_help())]
    entering_king: Option<String>,
    /// Plies after which a game is a draw; 0 for no limit
    #[arg(id = "rules.max_plies", long = "max-plies", value_name = "N")]
    max_plies: Option<u32>,
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

/// The flag of the encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, clap::Args)]
pub(crate) struct EncodingSetting {
    /// Encoding of KIF (.kifu in UTF-8, .kif in CP932) and KI2 (.ki2u, .ki2) [default: utf8]
    #[arg(long, value_name = "ENCODING", value_parser = word::<Encoding>(ENCODINGS))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) encoding: Option<Encoding>,
}

impl EncodingSetting {
    /// The encoding, UTF-8 if none is given.
    pub(crate) fn get(self) -> Encoding {
        self.encoding.unwrap_or_default()
    }
}

/// A side, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Sides {
    /// Black
    #[value(alias = "black")]
    B,
    /// White
    #[value(alias = "white")]
    W,
    /// Both
    Both,
}

impl Sides {
    /// The sides.
    pub(crate) fn colors(self) -> Vec<Color> {
        self.one().map_or_else(|| Color::ALL.to_vec(), |color| vec![color])
    }

    /// The side, if it is one alone.
    pub(crate) fn one(self) -> Option<Color> {
        match self {
            Sides::B => Some(Color::Black),
            Sides::W => Some(Color::White),
            Sides::Both => None,
        }
    }
}

/// Going on with work that was begun.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct Resume {
    /// Go on with what was begun
    #[arg(long)]
    pub(crate) resume: bool,
}

/// A share of work that several machines do.
#[derive(Clone, Copy, Debug, Default, Serialize, clap::Args)]
#[group(id = "share")]
pub(crate) struct Share {
    /// Do one share of N alone, the Ith: the same flags for each share, then join what they make
    #[arg(long, value_name = "I/N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<Shard>,
}

/// Says how many openings were passed over, with the fault of the first one.
pub(crate) fn tell_bad_openings(faults: &[impl Display]) {
    if let Some(first) = faults.first() {
        let openings = Counted(faults.len(), "opening");
        complain(format_args!("{openings} at fault passed over, the first one: {first}"));
    }
}

/// A file by which workers are told to stop, whatever machine they run on.
#[derive(Clone, Debug, Default, clap::Args)]
#[group(id = "stop")]
pub(crate) struct StopFile {
    /// File that ends the work once it is there: what has begun is finished, and the exit status is 0
    #[arg(long, value_name = "FILE")]
    stop_file: Option<PathBuf>,
}

impl StopFile {
    /// Path of the file, if one was named.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.stop_file.as_deref()
    }

    /// Tests whether the work is to end.
    pub(crate) fn is_there(&self) -> bool {
        self.path().is_some_and(Path::exists)
    }
}

impl fmt::Display for StopFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path().unwrap_or(Path::new("")).display())
    }
}

/// A page that shows the work while it goes on.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct LivePage {
    /// Show the work as it goes on, on a page for browsers: a port of this machine (0: any that is free), or IP:PORT
    #[arg(long, value_name = "ADDR")]
    live: Option<LocalAddress>,
}

impl LivePage {
    /// Takes the port, if there is to be a page, and says where it is. The error names the address.
    pub(crate) fn listen(&self) -> Result<Option<Listener>, String> {
        let Some(address) = self.live else { return Ok(None) };
        let listener = Listener::bind(address).map_err(|error| format!("--live: {address}: {error}"))?;
        if !address.is_local() {
            complain(format_args!(
                "warning: --live: whoever reaches {address} from another machine sees names, commands and options of the \
                 engines"
            ));
        }
        complain(format_args!("live page: {}", listener.url()));
        Ok(Some(listener))
    }
}

/// The name of the net that is built in.
const BUILT_IN: &str = "<internal>";

/// Settings of the commands that evaluate positions.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct EvaluationSettings {
    /// Net to evaluate with (nn.bin of any shape); the default is the net that is built in
    #[arg(long, visible_alias = "net", value_name = "FILE")]
    eval_file: Option<PathBuf>,
    /// By what the output of the net in that file is divided [default: what eval_options.txt
    /// beside it or its text says, else 16]
    #[arg(long, value_name = "N", requires = "eval_file", value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: Option<i32>,
}

impl EvaluationSettings {
    /// Evaluation in words.
    pub(crate) fn name(&self) -> String {
        self.eval_file.as_ref().map_or_else(|| BUILT_IN.to_string(), |file| file.display().to_string())
    }

    /// The evaluation, read from its file if there is one, or a line that says why there is none.
    pub(crate) fn load(&self) -> Result<Evaluation, String> {
        let name = self.eval_file.as_deref().unwrap_or(Path::new(BUILT_IN));
        if let Some(fv_scale) = self.fv_scale
            && name == Path::new(BUILT_IN)
        {
            return Err(format!("--fv-scale {fv_scale}: {BUILT_IN} has a scale of its own"));
        }
        let (net, usual) = read_net(name)?;
        Ok(Evaluation { net, fv_scale: self.fv_scale.unwrap_or(usual) })
    }
}

/// The net of a file, or the one that is built in, and by what its output is divided if nobody says otherwise.
pub(crate) fn read_net(name: &Path) -> Result<(Net, i32), String> {
    if name == Path::new(BUILT_IN) {
        return embedded().map(|net| (net, EMBEDDED_FV_SCALE)).map_err(|error| error.to_string());
    }
    let file = NetFile::read(name, None, None).map_err(|error| error.to_string())?;
    for warning in &file.warnings {
        _ = writeln!(stderr(), "komainu: {}", Printable(warning));
    }
    Ok((file.net, file.fv_scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        text.parse().expect("it is TOML")
    }

    #[test]
    fn flags_win_and_the_rest_stays() {
        let mut file = table("a = 1\nb = 2\n[options]\nusi_hash = 1\nThreads = 2\n[kept]\nx = 1\n");
        lay_over(&mut file, table("b = 3\n[options]\nUSI_Hash = 9\n[new]\ny = 1\n"));
        assert_eq!(file, table("a = 1\nb = 3\n[options]\nThreads = 2\nUSI_Hash = 9\n[kept]\nx = 1\n[new]\ny = 1\n"));
        assert_eq!(at(&file, "options.Threads").and_then(Value::as_integer), Some(2));
        assert_eq!((at(&file, "options.Hash"), at(&file, "a.b")), (None, None));
    }

    #[test]
    fn nothing_stands_for_what_is_not_given() {
        assert_eq!(given(&RuleFlags::default()), Table::new());
        let rules = RuleFlags { max_plies: Some(4), ..RuleFlags::default() };
        assert_eq!(given(&rules), table("max_plies = 4\n"));
    }

    #[test]
    fn every_word_has_a_value_and_is_the_only_one_for_it() {
        fn values<T: DeserializeOwned>(words: &Words) -> Vec<T> {
            words.iter().map(|(word, _)| value_of(word).unwrap_or_else(|| panic!("{word}"))).collect()
        }
        let formats: Vec<RecordFormat> = values(FORMATS);
        assert_eq!(formats.first(), Some(&RecordFormat::Kif));
        assert_eq!(formats.last(), Some(&RecordFormat::None));
        assert_eq!(value_of("jkf"), Some(RecordFormat::Json));
        values::<komainu_tools::settings::Ponder>(PONDER);
        values::<Encoding>(ENCODINGS);
    }

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

    #[test]
    fn work_ends_once_a_file_that_was_named_is_there() {
        let path = std::env::temp_dir().join(format!("komainu-stop-{}", std::process::id()));
        let stop = StopFile { stop_file: Some(path.clone()) };
        assert!(!stop.is_there() && !StopFile::default().is_there());
        std::fs::write(&path, "").unwrap();
        assert!(stop.is_there() && !StopFile::default().is_there());
        std::fs::remove_file(path).unwrap();
        assert!(!stop.is_there());
    }
}
