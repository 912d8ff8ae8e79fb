//! The flags of `komainu match`, and the plan that they make.

use crate::settings::{
    ENCODINGS, GAME_FORMATS, LivePage, PONDER, Resume, RuleFlags, SearchLimits, Share, StopFile, Words, flags_of,
    given, lay_over, name_and_value, one_of, timeout_seconds, word,
};
use clap::builder::TypedValueParser;
use komainu::host::{in_file, read_text};
use komainu::types::Quoted;
use komainu_tools::arena::plan::{Convention, EloModel, EnginePlan, Limit, LogGames, Plan, Tournament};
use komainu_tools::settings::{Encoding, Ponder, RecordFormat, read_settings};
use komainu_tools::share::Span;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toml::Table;

/// Play a match or a tournament between USI engines
///
/// Flags and a TOML file say the same; flags win. Each opening is played twice with colours swapped. Every game is
/// saved as it ends; a match that was killed goes on with --resume.
#[derive(clap::Args)]
#[command(after_help = "\
The last line is about the first engine:
  games N wins W draws D losses L elo E error R illegal I timeouts T crashes C

Example, a test of a new version against an old one at 5 s + 0.1 s a move:
  komainu match --engine new=./komainu --engine old=./komainu-old --option new:USI_Hash=64 \\
    --option old:USI_Hash=64 --tc 5+0.1 --games 2000 --concurrency 2 --sprt 0,10 --out new-old")]
pub(crate) struct Arguments {
    /// Match as a TOML file; `match.toml` of a match that was played is one
    file: Option<PathBuf>,
    #[command(flatten)]
    engines: EngineFlags,
    #[command(flatten)]
    plan: PlanFlags,
    #[command(flatten)]
    records: RecordFlags,
    /// Play nothing, but join the parts of a match in these folders, or in folders in them, to one match in --out
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = [
        "file", "engines", "share", "clock", "search_limits", "rules", "openings", "adjudication", "sprt", "force",
        "dry_run", "live",
    ])]
    pub(crate) merge: Vec<PathBuf>,
    /// Join the parts while they are played, also those that are not there yet, until the test is decided or every pair
    /// is there; then write the stop file [default: `stop` in --out]
    #[arg(long)]
    pub(crate) follow: bool,
    #[command(flatten)]
    pub(crate) stop: StopFile,
    #[command(flatten)]
    pub(crate) live: LivePage,
    #[command(flatten)]
    pub(crate) run: RunFlags,
}

/// The run of a match or a tuning.
#[derive(clap::Args)]
#[group(id = "run")]
pub(crate) struct RunFlags {
    /// Play more games at once than there are cores without a warning
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the whole plan as a file and start nothing
    #[arg(id = "dry_run", long = "plan")]
    pub(crate) dry_run: bool,
    /// Folder for what is written
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) resume: Resume,
}

/// The words for [`Tournament`].
const TOURNAMENTS: &Words = &[
    ("round-robin", "Everybody against everybody; with two engines a plain match"),
    ("gauntlet", "The first engine against all others"),
    ("swiss", "In each round those with about the same points meet who have not met before"),
];

/// The words for [`Convention`].
const CONVENTIONS: &Words = &[
    (
        "before",
        "The increment of the coming move is not in the clock yet: the engine may use both (ShogiHome, floodgate, cshogi)",
    ),
    ("after", "It is in the clock already: the engine may use the clock (shogitest, chess)"),
];

/// The words for [`LogGames`].
const LOG_GAMES: &Words = &[
    ("all", "All games"),
    ("faults", "Games that end by a fault: time, an illegal move, a false declaration, a crash, no answer"),
];

/// The words for [`EloModel`].
const MODELS: &Words = &[
    ("logistic", "Elo of the logistic curve"),
    (
        "normalized",
        "Elo in units of the deviation of a game: what a number of games can tell apart, whatever the draws",
    ),
];

/// The engines: each may have settings of its own.
#[derive(clap::Args)]
#[group(id = "engines")]
struct EngineFlags {
    /// Engine; give two or more. The command is read as by a shell
    #[arg(long, value_name = "NAME=COMMAND")]
    engine: Vec<String>,
    /// USI option of an engine
    #[arg(long, value_name = "NAME:OPTION=VALUE")]
    option: Vec<String>,
    /// USI option of every engine for which --option does not set it
    #[arg(long, value_name = "OPTION=VALUE", value_parser = name_and_value)]
    each: Vec<(String, String)>,
    /// Folder that an engine runs in
    #[arg(long, value_name = "NAME=FOLDER", value_parser = name_and_value)]
    folder: Vec<(String, String)>,
    /// Limit of one engine in place of the match's, for odds: "10+0.1", "byoyomi=500", "nodes=500", "depth=6",
    /// "movetime=100"
    #[arg(long, value_name = "NAME=LIMIT", value_parser = name_and_value)]
    odds: Vec<(String, String)>,
}

/// The plan as far as flags give it. The id of each flag is the path of its setting in the file.
#[derive(clap::Args, Serialize)]
struct PlanFlags {
    #[command(flatten)]
    #[serde(flatten)]
    plain: PlainFlags,
    #[command(flatten)]
    #[serde(flatten)]
    games: GameFlags,
    #[command(flatten)]
    sprt: SprtFlags,
}

/// Settings of the games, of a match or a tuning.
#[derive(clap::Args, Serialize)]
pub(crate) struct GameFlags {
    #[command(flatten)]
    #[serde(flatten)]
    play: PlayFlags,
    #[command(flatten)]
    limit: LimitFlags,
    #[command(flatten)]
    rules: RuleFlags,
    #[command(flatten)]
    openings: OpeningFlags,
    #[command(flatten)]
    adjudication: AdjudicationFlags,
}

/// Settings of a plan that stand in no section.
#[derive(clap::Args, Serialize)]
#[group(id = "plan")]
struct PlainFlags {
    /// Who plays whom [default: round-robin]
    #[arg(long, value_parser = word::<Tournament>(TOURNAMENTS))]
    tournament: Option<Tournament>,
    /// Games of each pairing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: Option<u64>,
    /// Rounds of a Swiss tournament [default: enough to find a winner]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Have all pairings of a tournament play the openings in the order of the list; without it each two engines have an
    /// order of their own, by the seed of --shuffle
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    same_openings: bool,
    /// Send options also to engines that do not list them
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    lenient: bool,
    #[command(flatten)]
    #[serde(flatten)]
    share: Share,
    /// Play these pairs of games alone, numbered from 0, without pair B
    #[arg(long, value_name = "A..B", conflicts_with = "shard")]
    pairs: Option<Span>,
}

/// Settings of how games are played that stand in no section.
#[derive(clap::Args, Serialize)]
#[group(id = "play")]
struct PlayFlags {
    /// Share of the increment in btime: that of the coming move comes later, or is in it already [default: before]
    #[arg(long, value_parser = word::<Convention>(CONVENTIONS))]
    convention: Option<Convention>,
    /// Milliseconds that an answer may be late without a loss [default: 0, for --movetime 100]
    #[arg(long = "margin", value_name = "MS")]
    margin_ms: Option<u64>,
    /// Thinking in the opponent's time [default: off; on in games on a server]
    #[arg(long, value_parser = word::<Ponder>(PONDER))]
    ponder: Option<Ponder>,
    /// Start the engines anew for each game
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    restart: bool,
    /// Seconds of silence before readyok after which another engine is given up; whatever it says begins them anew
    /// [default: 60]
    #[arg(long = "patience", value_name = "SECONDS", value_parser = timeout_seconds())]
    patience_s: Option<u64>,
    /// Games at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: Option<u32>,
    /// Give each game cores of its own, as many as its engines use at once (Linux)
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    affinity: bool,
    /// Games whose conversations with the engines are kept in logs/ [default: faults]
    #[arg(long, value_parser = word::<LogGames>(LOG_GAMES))]
    log: Option<LogGames>,
}

/// The records, also of a match that is joined from others.
#[derive(clap::Args, Serialize)]
#[group(id = "records")]
struct RecordFlags {
    /// Formats of the records that are saved beside games.jsonl [default: csa,kif]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = one_of(&GAME_FORMATS))]
    format: Option<Vec<RecordFormat>>,
    /// Encoding of KIF (.kifu in UTF-8, .kif in CP932) and KI2 (.ki2u, .ki2) [default: utf8]
    #[arg(long, value_parser = word::<Encoding>(ENCODINGS))]
    encoding: Option<Encoding>,
}

/// Where games begin.
#[derive(clap::Args, Serialize)]
#[group(id = "openings")]
struct OpeningFlags {
    /// Openings: SFEN or "startpos moves" lines, game records, a folder of these, or handicap:NAME [default: an
    /// embedded list]
    #[arg(id = "openings.file", long = "openings", value_name = "FILE")]
    file: Option<PathBuf>,
    /// Plies of each opening that are played at most; 0 for all
    #[arg(id = "openings.plies", long = "opening-plies", value_name = "N")]
    plies: Option<u64>,
    /// Shuffle the openings by this seed
    #[arg(id = "openings.shuffle", long = "shuffle", value_name = "SEED", value_parser = seed())]
    shuffle: Option<u64>,
    /// Pass openings at fault over and count them; without it the first one is an error
    #[arg(id = "openings.skip_bad", long = "skip-bad-openings")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    skip_bad: bool,
}

/// A parser of seeds: numbers that TOML has.
pub(crate) fn seed() -> impl TypedValueParser<Value = u64> {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

/// Bounds of a move.
#[derive(clap::Args, Serialize)]
struct LimitFlags {
    #[command(flatten)]
    #[serde(flatten)]
    clock: ClockFlags,
    #[command(flatten)]
    #[serde(flatten)]
    search: SearchLimits,
}

/// A clock.
#[derive(clap::Args, Serialize)]
#[group(id = "clock")]
struct ClockFlags {
    /// Clock: seconds for the game and seconds that each move adds
    #[arg(id = "limit.time_ms", long = "tc", value_name = "BASE[+INC]", value_parser = clock)]
    #[serde(flatten)]
    main: Option<Clock>,
    /// Milliseconds a move once the clock has run out
    #[arg(id = "limit.byoyomi_ms", long = "byoyomi", value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    byoyomi_ms: Option<u64>,
}

/// Milliseconds of a clock.
#[derive(Clone, Copy, Debug, Serialize)]
struct Clock {
    time_ms: u64,
    increment_ms: u64,
}

/// When scores decide a game.
#[derive(clap::Args, Serialize)]
#[group(id = "adjudication")]
struct AdjudicationFlags {
    /// End a game when both engines agree for MOVES moves each that one side is SCORE centipawns behind
    #[arg(id = "adjudication.resign_score", long = "resign", value_name = "SCORE,MOVES", value_parser = resignation)]
    #[serde(flatten)]
    resign: Option<Resignation>,
    /// Let the loser's own scores decide, as if it resigned: for --resign, or with a score and moves of its own
    #[arg(id = "adjudication.resign_one_sided", long = "resign-one-sided", value_name = "SCORE,MOVES", num_args = 0..=1,
          default_missing_value = "", value_parser = one_sided)]
    #[serde(flatten)]
    one_sided: Option<OneSided>,
    /// End a game as a draw when both scores are within SCORE for MOVES moves each, from PLY on
    #[arg(id = "adjudication.draw_score", long = "draw", value_name = "SCORE,MOVES,PLY", value_parser = draw)]
    #[serde(flatten)]
    draw: Option<Draw>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Resignation {
    resign_score: u64,
    resign_moves: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct OneSided {
    resign_one_sided: bool,
    #[serde(flatten)]
    resign: Option<Resignation>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Draw {
    draw_score: u64,
    draw_moves: u64,
    draw_from_ply: u64,
}

/// The sequential test.
#[derive(clap::Args, Serialize)]
#[group(id = "sprt")]
struct SprtFlags {
    /// End the match when the first engine is found to be worth ELO0 or ELO1
    #[arg(id = "sprt.elo0", long = "sprt", value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = hypotheses)]
    #[serde(flatten)]
    elo: Option<Hypotheses>,
    /// Chance of passing a change worth ELO0 [default: 0.05]
    #[arg(id = "sprt.alpha", long = "alpha", value_name = "P", requires = "sprt.elo0")]
    alpha: Option<f64>,
    /// Chance of failing a change worth ELO1 [default: 0.05]
    #[arg(id = "sprt.beta", long = "beta", value_name = "P", requires = "sprt.elo0")]
    beta: Option<f64>,
    /// Unit of ELO0 and ELO1 [default: normalized]
    #[arg(id = "sprt.model", long = "model", requires = "sprt.elo0", value_parser = word::<EloModel>(MODELS))]
    model: Option<EloModel>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Hypotheses {
    elo0: f64,
    elo1: f64,
}

/// The sections that flags give as a whole: nothing of those in a file stays.
const WHOLE_SECTIONS: [&str; 2] = ["limit", "sprt"];

/// The plan of a table with flags over it.
pub(crate) fn plan_over(mut table: Table, flags: Table) -> Result<Plan, toml::de::Error> {
    for section in WHOLE_SECTIONS {
        if flags.contains_key(section) {
            table.remove(section);
        }
    }
    lay_over(&mut table, flags);
    Plan::deserialize(table)
}

impl Arguments {
    /// Tests whether any flag or file says what is played: a match that is resumed needs none.
    pub(crate) fn has_plan(&self) -> bool {
        self.file.is_some() || !self.engines.engine.is_empty()
    }

    /// The plan of the file, changed by the flags.
    pub(crate) fn plan(&self) -> Result<Plan, String> {
        let mut plan = match self.file_plan()? {
            Some(plan) => plan,
            None => self.over(Table::new()).map_err(|error| error.message().to_string())?,
        };
        for text in &self.engines.engine {
            let (name, command) = split(text, '=', "--engine", "NAME=COMMAND")?;
            if plan.engines.iter().any(|engine| engine.name == name) {
                return Err(format!("--engine: two engines have the name {}", Quoted(name)));
            }
            let name = name.to_string();
            let command = command.to_string();
            plan.engines.push(EnginePlan { name, command, ..EnginePlan::default() });
        }
        self.set_engines(&mut plan)?;
        check(&plan)?;
        Ok(plan.absolute())
    }

    /// The flags that are laid over a file.
    fn table(&self) -> Table {
        let mut table = given(&self.plan);
        table.extend(given(&self.records));
        table
    }

    /// The plan of a table with the flags over it.
    fn over(&self, table: Table) -> Result<Plan, toml::de::Error> {
        plan_over(table, self.table())
    }

    /// The plan of the file with the flags over it, if there is one. What has played before may have been another
    /// build.
    fn file_plan(&self) -> Result<Option<Plan>, String> {
        let Some(path) = &self.file else { return Ok(None) };
        let text = read_text(path).map_err(|error| in_file(path, error))?;
        let table = read_settings(&text).map_err(|fault| in_file(path, fault))?;
        let mut plan = self.over(table).map_err(|error| match read_settings::<Plan>(&text) {
            // Only the text knows the line of a fault.
            Err(fault) => in_file(path, fault),
            Ok(_) => error.message().to_string(),
        })?;
        plan.machines.clear();
        for engine in &mut plan.engines {
            engine.identity = None;
        }
        Ok(Some(plan))
    }

    /// The plan of a match that goes on. A flag that contradicts it is an error that names the flag; only games may be
    /// added, and how the match is run may change.
    pub(crate) fn resumed_plan(&self, plan: &Plan, folder: &Path) -> Result<Plan, String> {
        let shown = folder.display();
        let differs = |flag: &str, key: &str| format!("{flag}: {shown} holds a match with another setting: {key}");
        for text in &self.engines.engine {
            let (name, command) = split(text, '=', "--engine", "NAME=COMMAND")?;
            let Some(known) = plan.engines.iter().find(|engine| engine.name == name) else {
                return Err(format!("--engine: {shown} holds a match without an engine {}", Quoted(name)));
            };
            let planned = EnginePlan { command: command.to_string(), ..known.clone() };
            if command != known.command && planned.absolute().command != known.command {
                return Err(differs("--engine", &format!("the command of {name}")));
            }
        }
        let mut resumed = self.over(given(plan)).map_err(|error| error.message().to_string())?;
        self.set_engines(&mut resumed)?;
        let resumed = resumed.absolute();
        let growth = resumed.games.checked_sub(plan.games);
        if growth.is_none() || growth > Some(0) && !plan.can_grow() {
            return Err(format!("--games: {shown} holds a match of {}, which can only grow by pairs", plan.games));
        }
        let before = plan.clone().absolute();
        if let Some(key) = before.difference(&Plan { games: before.games, ..resumed.clone() }) {
            return Err(differs(&self.flags_of(&key).join(", "), &key));
        }
        if let Some(mut file) = self.file_plan()? {
            self.set_engines(&mut file)?;
            if let Some(key) = before.difference(&Plan { games: before.games, ..file.absolute() }) {
                return Err(differs("FILE", &key));
            }
        }
        check(&resumed)?;
        Ok(resumed)
    }

    /// The flags that are given and set something in this section of the plan.
    fn flags_of(&self, section: &str) -> Vec<String> {
        let flags = flags_of::<Arguments>(&self.table());
        let mut found: Vec<String> = flags.into_iter().filter(|(_, of)| of == section).map(|(flag, _)| flag).collect();
        if section == "engine" {
            let EngineFlags { option, each, folder, odds, .. } = &self.engines;
            for (flag, is_given) in [
                ("--option", !option.is_empty()),
                ("--each", !each.is_empty()),
                ("--folder", !folder.is_empty()),
                ("--odds", !odds.is_empty()),
            ] {
                if is_given {
                    found.push(flag.to_string());
                }
            }
        }
        found
    }

    /// The first flag that sets something of a plan: a match that is joined from others has one.
    pub(crate) fn plan_flag(&self) -> Option<String> {
        flags_of::<Arguments>(&given(&self.plan)).into_iter().next().map(|(flag, _)| flag)
    }

    /// Sets the records of a match that is joined from others.
    pub(crate) fn set_records(&self, plan: &mut Plan) {
        if let Some(format) = &self.records.format {
            plan.format = format.clone();
        }
        if let Some(encoding) = self.records.encoding {
            plan.encoding = encoding;
        }
    }

    fn set_engines(&self, plan: &mut Plan) -> Result<(), String> {
        let EngineFlags { each, option, folder, odds, .. } = &self.engines;
        for (option, value) in each {
            for engine in &mut plan.engines {
                set_engine_option(engine, option, value);
            }
        }
        for text in option {
            let form = "NAME:OPTION=VALUE";
            let (name, option) = split(text, ':', "--option", form)?;
            let (option, value) = split(option, '=', "--option", form)?;
            set_engine_option(engine(plan, "--option", name)?, option, value);
        }
        for (name, folder) in folder {
            engine(plan, "--folder", name)?.folder = Some(folder.into());
        }
        for (name, text) in odds {
            let mut limit = Limit::default();
            for part in text.split(',') {
                let (word, value) = part.split_once('=').unwrap_or(("tc", part));
                if !set_part(&mut limit, word, value) {
                    return Err(format!("--odds: {} is no limit", Quoted(part)));
                }
            }
            engine(plan, "--odds", name)?.limit = Some(limit);
        }
        Ok(())
    }
}

/// Sets an option, whatever the case of a name that is there already.
pub(crate) fn set_engine_option(engine: &mut EnginePlan, option: &str, value: &str) {
    let known = engine.options.keys().find(|name| name.eq_ignore_ascii_case(option));
    let name = known.cloned().unwrap_or_else(|| option.to_string());
    engine.options.insert(name, value.to_string());
}

/// The two halves of an argument around the first separator, neither of them empty but perhaps the last value.
fn split<'a>(text: &'a str, at: char, flag: &str, form: &str) -> Result<(&'a str, &'a str), String> {
    let halves = text.split_once(at).filter(|(name, _)| !name.is_empty());
    halves.ok_or_else(|| format!("{flag}: {} is not {form}", Quoted(text)))
}

fn engine<'a>(plan: &'a mut Plan, flag: &str, name: &str) -> Result<&'a mut EnginePlan, String> {
    let found = plan.engines.iter_mut().find(|engine| engine.name == name);
    found.ok_or_else(|| format!("{flag}: there is no engine {}", Quoted(name)))
}

/// Numbers with commas between them, as many as there must be.
fn numbers<T: std::str::FromStr, const N: usize>(text: &str, form: &str) -> Result<[T; N], String> {
    let parsed: Option<Vec<T>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    parsed.and_then(|numbers| numbers.try_into().ok()).ok_or_else(|| format!("not {form}"))
}

fn resignation(text: &str) -> Result<Resignation, String> {
    let [resign_score, resign_moves] = numbers(text, "SCORE,MOVES")?;
    Ok(Resignation { resign_score, resign_moves })
}

fn one_sided(text: &str) -> Result<OneSided, String> {
    let resign = if text.is_empty() { None } else { Some(resignation(text)?) };
    Ok(OneSided { resign_one_sided: true, resign })
}

fn draw(text: &str) -> Result<Draw, String> {
    let [draw_score, draw_moves, draw_from_ply] = numbers(text, "SCORE,MOVES,PLY")?;
    Ok(Draw { draw_score, draw_moves, draw_from_ply })
}

fn hypotheses(text: &str) -> Result<Hypotheses, String> {
    let [elo0, elo1] = numbers(text, "ELO0,ELO1")?;
    Ok(Hypotheses { elo0, elo1 })
}

/// A clock that is not empty.
fn clock(text: &str) -> Result<Clock, String> {
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    match (millis(base), millis(increment)) {
        (Some(time_ms), Some(increment_ms)) if time_ms + increment_ms > 0 => Ok(Clock { time_ms, increment_ms }),
        _ => Err("not BASE or BASE+INC in seconds".to_string()),
    }
}

/// Sets one part of a limit. `false` if the text means nothing.
fn set_part(limit: &mut Limit, word: &str, text: &str) -> bool {
    if word == "tc" {
        let Ok(clock) = clock(text) else { return false };
        limit.time_ms = clock.time_ms;
        limit.increment_ms = clock.increment_ms;
        return true;
    }
    let value = match text.parse::<u64>() {
        Ok(value) if value > 0 => value,
        _ => return false,
    };
    match word {
        "byoyomi" => limit.byoyomi_ms = value,
        "movetime" => limit.movetime_ms = value,
        "depth" => limit.depth = value,
        "nodes" => limit.nodes = value,
        _ => return false,
    }
    true
}

/// Seconds as milliseconds, up to eleven days.
fn millis(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (0.0..=1e6).contains(&seconds).then_some((seconds * 1_000.0).round() as u64)
}

/// Checks that a plan can be played as a match.
fn check(plan: &Plan) -> Result<(), String> {
    if plan.tune.is_some() {
        return Err("the plan is that of a tuning: komainu tune plays it".into());
    }
    check_games(plan)
}

/// Checks that the games of a plan can be played.
pub(crate) fn check_games(plan: &Plan) -> Result<(), String> {
    if plan.engines.len() < 2 {
        return Err(format!("--engine: a match needs two engines, not {}", plan.engines.len()));
    }
    for (i, engine) in plan.engines.iter().enumerate() {
        if plan.engines[..i].iter().any(|other| other.name == engine.name) {
            return Err(format!("two engines have the name {}", Quoted(&engine.name)));
        }
        if engine.limit.unwrap_or(plan.limit) == Limit::default() {
            return Err("nothing bounds a move: --tc, --byoyomi, --movetime, --depth or --nodes is missing".into());
        }
    }
    if plan.games == 0 {
        return Err("--games: the number of games is missing".into());
    }
    if plan.adjudication.resign_one_sided && plan.adjudication.resign_score == 0 {
        return Err("--resign-one-sided: SCORE,MOVES is missing, here or after --resign".into());
    }
    if plan.ponder == Ponder::Stochastic {
        return Err("--ponder: engines of a match are not told of all answers, as on a server".into());
    }
    if plan.shard.is_some() && plan.pairs.is_some() {
        return Err("--pairs: --shard says already which pairs are played".into());
    }
    if plan.is_part() && plan.tournament == Tournament::Swiss {
        let flag = if plan.shard.is_some() { "--shard" } else { "--pairs" };
        return Err(format!("{flag}: a Swiss tournament has no shards"));
    }
    plan.rules.resolve().map_err(|error| format!("--rules: {error}"))?;
    if let Some(sprt) = plan.sprt {
        komainu_tools::arena::stats::Sprt::new(sprt).map_err(|error| format!("--sprt: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct CommandLine {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn plan(text: &str) -> Result<Plan, String> {
        let words = ["match", "--out", "x"].into_iter().chain(text.split_ascii_whitespace());
        CommandLine::try_parse_from(words).map_err(|error| error.to_string())?.arguments.plan()
    }

    const TWO: &str = "--engine a=./a --engine b=./b --games 10";

    #[test]
    fn flags_make_a_plan() {
        let made = plan(&format!("{TWO} --tc 10+0.1 --option a:USI_Hash=16 --odds b=nodes=500 --sprt 0,5.5")).unwrap();
        assert_eq!(made.limit, Limit { time_ms: 10_000, increment_ms: 100, ..Limit::default() });
        assert_eq!(made.engines[0].options["USI_Hash"], "16");
        assert_eq!(made.engines[1].limit, Some(Limit { nodes: 500, ..Limit::default() }));
        assert_eq!(made.sprt.map(|sprt| (sprt.elo0, sprt.elo1, sprt.alpha)), Some((0.0, 5.5, 0.05)));
        let made = plan(&format!("{TWO} --byoyomi 500 --resign 3000,4 --draw 10,8,120 --rules wcsc")).unwrap();
        assert_eq!(made.adjudication.draw_from_ply, 120);
        assert_eq!(made.rules.resolve().unwrap().ply_limit, 320);
    }

    #[test]
    fn faults_name_the_token() {
        let error = |text: &str| plan(text).unwrap_err();
        assert_eq!(error("--games 5 --nodes 9"), "--engine: a match needs two engines, not 0");
        assert!(error(TWO).contains("nothing bounds a move"));
        for clock in ["5+x", "0"] {
            let told = error(&format!("{TWO} --tc {clock}"));
            assert!(
                told.contains(&format!("'{clock}' for '--tc <BASE[+INC]>': not BASE or BASE+INC in seconds")),
                "{told}"
            );
        }
        assert_eq!(error(&format!("{TWO} --nodes 9 --option c:X=1")), "--option: there is no engine \"c\"");
        assert_eq!(error(&format!("{TWO} --nodes 9 --odds b=often")), "--odds: \"often\" is no limit");
        assert!(error(&format!("{TWO} --nodes 9 --sprt 5")).contains("'5' for '--sprt <ELO0,ELO1>': not ELO0,ELO1"));
        assert!(error(&format!("{TWO} --nodes 9 --sprt 5,0")).contains("not above"));
        assert!(error(&format!("{TWO} --nodes 9 --rules chess")).contains("\"chess\""));
        assert!(error("--engine a=x --engine a=y --games 2 --nodes 5").contains("two engines have the name \"a\""));
    }

    /// The plan of a file with flags over it.
    fn over_file(text: &str, flags: &str) -> Result<Plan, String> {
        let words = ["match", "--out", "x"].into_iter().chain(flags.split_ascii_whitespace());
        let arguments = CommandLine::try_parse_from(words).map_err(|error| error.to_string())?.arguments;
        arguments.over(text.parse().expect("it is TOML")).map_err(|error| error.message().to_string())
    }

    #[test]
    fn flags_win_over_the_file_and_a_limit_or_a_test_is_a_whole() {
        let file = "games = 4\nformat = [\"kif\"]\n[limit]\ntime_ms = 5000\nincrement_ms = 100\n[rules]\nset = \"wcsc\"\n\
                    [adjudication]\ndraw_score = 10\ndraw_moves = 8\n[sprt]\nelo0 = 0.0\nelo1 = 5.0\nalpha = 0.1\n";
        let plan = over_file(file, "--games 6 --depth 3 --max-plies 9 --resign 900,4 --sprt -5,0 --restart").unwrap();
        assert_eq!((plan.games, plan.restart, plan.format.len()), (6, true, 1));
        assert_eq!(plan.limit, Limit { depth: 3, ..Limit::default() });
        assert_eq!((plan.rules.set.as_deref(), plan.rules.max_plies), (Some("wcsc"), Some(9)));
        assert_eq!((plan.adjudication.draw_score, plan.adjudication.resign_moves), (10, 4));
        assert_eq!(plan.sprt.map(|sprt| (sprt.elo0, sprt.alpha)), Some((-5.0, 0.05)));
        let plan = over_file(file, "--resign-one-sided 700,3").unwrap();
        assert!(
            plan.adjudication.resign_one_sided && plan.adjudication.resign_score == 700 && plan.limit.time_ms == 5_000
        );
        assert_eq!(over_file(file, "").unwrap().sprt.map(|sprt| sprt.alpha), Some(0.1));
    }
}
