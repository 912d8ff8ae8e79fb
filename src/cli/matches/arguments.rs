//! The flags of `komainu match`, and the plan that they make.

use crate::arena::plan::{
    Convention, EloModel, EnginePlan, Limit, MatchFormat, OpeningsPlan, Plan, Ponder, Rules, SprtPlan,
};
use crate::arena::records::Formats;
use crate::position::{EnteringKingRule, RuleSet};
use crate::referee::Adjudication;
use crate::types::{Quoted, Shard};
use clap::ValueEnum;
use std::path::PathBuf;

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
    /// Engine; give two or more. The command is read as by a shell
    #[arg(long, value_name = "NAME=COMMAND")]
    engine: Vec<String>,
    /// USI option of an engine
    #[arg(long, value_name = "NAME:OPTION=VALUE")]
    option: Vec<String>,
    /// Folder that an engine runs in
    #[arg(long, value_name = "NAME=FOLDER")]
    folder: Vec<String>,
    /// Limit of one engine in place of the match's, for odds: "10+0.1", "byoyomi=500", "nodes=500", "depth=6", "movetime=100"
    #[arg(long, value_name = "NAME=LIMIT")]
    odds: Vec<String>,
    /// Who plays whom [default: round-robin]
    #[arg(long)]
    format: Option<MatchFormat>,
    /// Games of each pairing
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    games: Option<u64>,
    /// Rounds of a Swiss tournament [default: enough to find a winner]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Clock: seconds for the game and seconds that each move adds
    #[arg(long, value_name = "BASE[+INC]")]
    tc: Option<String>,
    /// Milliseconds a move once the clock has run out
    #[arg(long, value_name = "MS")]
    byoyomi: Option<u64>,
    /// Milliseconds a move, sent as `movetime`
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Plies a move
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
    /// Nodes a move
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Share of the increment in btime: that of the coming move comes later, or is in it already [default: before]
    #[arg(long)]
    convention: Option<Convention>,
    /// Milliseconds that an answer may be late without a loss [default: 0, for --movetime 100]
    #[arg(long, value_name = "MS")]
    margin: Option<u64>,
    /// Pondering of the engines on their opponent's time [default: off]
    #[arg(long)]
    ponder: Option<Ponder>,
    #[arg(long, value_name = "SET", help = rules_help())]
    rules: Option<String>,
    #[arg(long, value_name = "RULE", help = entering_king_help())]
    entering_king: Option<String>,
    /// Plies after which a game is a draw; 0 for no limit
    #[arg(long, value_name = "N")]
    max_plies: Option<u32>,
    /// Openings: SFEN or "startpos moves" lines, game records, a folder of these, or handicap:NAME [default: an
    /// embedded list]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Plies of each opening that are played at most
    #[arg(long, value_name = "N")]
    opening_plies: Option<u64>,
    /// Shuffle the openings by this seed
    #[arg(long, value_name = "SEED")]
    shuffle: Option<u64>,
    /// End a game when both engines agree for MOVES moves each that one side is SCORE centipawns behind
    #[arg(long, value_name = "SCORE,MOVES")]
    resign: Option<String>,
    /// End a game as a draw when both scores are within SCORE for MOVES moves each, from PLY on
    #[arg(long, value_name = "SCORE,MOVES,PLY")]
    draw: Option<String>,
    /// End the match when the first engine is found to be worth ELO0 or ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Chance of passing a change worth ELO0
    #[arg(long, value_name = "P", requires = "sprt", default_value_t = 0.05)]
    alpha: f64,
    /// Chance of failing a change worth ELO1
    #[arg(long, value_name = "P", requires = "sprt", default_value_t = 0.05)]
    beta: f64,
    /// Unit of ELO0 and ELO1
    #[arg(long, requires = "sprt", value_enum, default_value_t)]
    model: EloModel,
    /// Start the engines anew for each game
    #[arg(long)]
    restart: bool,
    /// Games at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(super) concurrency: u32,
    /// Tie each game to a core of its own
    #[arg(long)]
    pub(super) affinity: bool,
    /// Seconds after which an engine without a clock counts as hung
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(super) patience: u64,
    /// Records that are saved beside games.jsonl
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["csa", "kif"])]
    records: Vec<RecordFormat>,
    /// Play one share of N: every Nth pair of games, from pair I on. The same flags on each machine, then --merge
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Play nothing, but join the shards in these folders to one match in --out
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = [
        "file", "engine", "option", "folder", "odds", "format", "games", "rounds", "tc", "byoyomi", "movetime", "depth",
        "nodes", "convention", "margin", "ponder", "rules", "entering_king", "max_plies", "openings", "opening_plies",
        "shuffle", "resign", "draw", "sprt", "restart", "concurrency", "affinity", "patience", "resume", "shard",
    ])]
    pub(super) merge: Vec<PathBuf>,
    /// Folder for the games, the plan and the report
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Go on with the match in the folder
    #[arg(long)]
    pub(super) resume: bool,
}

/// A format of records.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RecordFormat {
    /// CSA
    Csa,
    /// KIF in UTF-8 (.kifu)
    Kif,
    /// KIF in CP932 (.kif)
    KifCp932,
    /// None
    None,
}

impl Arguments {
    /// Tests whether any flag or file says what is played: a match that is resumed needs none.
    pub(super) fn has_plan(&self) -> bool {
        self.file.is_some() || !self.engine.is_empty()
    }

    /// The records to save.
    pub(super) fn formats(&self) -> Formats {
        self.records.iter().fold(Formats::empty(), |formats, format| match format {
            RecordFormat::Csa => formats | Formats::CSA,
            RecordFormat::Kif => formats | Formats::KIF,
            RecordFormat::KifCp932 => formats | Formats::KIF_CP932,
            RecordFormat::None => formats,
        })
    }

    /// The plan of the file, changed by the flags.
    pub(super) fn plan(&self) -> Result<Plan, String> {
        let mut plan = match &self.file {
            None => Plan::new(Vec::new(), 0),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
                toml::from_str(&text).map_err(|error: toml::de::Error| {
                    let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
                    format!("{} line {line}: {}", path.display(), error.message().replace('\n', " "))
                })?
            }
        };
        self.set_engines(&mut plan)?;
        self.set_limit(&mut plan)?;
        self.set_rules(&mut plan);
        self.set_openings(&mut plan.openings);
        self.set_statistics(&mut plan)?;
        set(&mut plan.games, self.games);
        set(&mut plan.format, self.format);
        set(&mut plan.rounds, self.rounds);
        set(&mut plan.convention, self.convention);
        set(&mut plan.margin_ms, self.margin);
        set(&mut plan.ponder, self.ponder);
        plan.restart |= self.restart;
        plan.shard = self.shard.or(plan.shard);
        check(&plan)?;
        Ok(plan)
    }

    fn set_engines(&self, plan: &mut Plan) -> Result<(), String> {
        for text in &self.engine {
            let (name, command) = split(text, '=', "--engine", "NAME=COMMAND")?;
            if plan.engines.iter().any(|engine| engine.name == name) {
                return Err(format!("--engine: two engines have the name {}", Quoted(name)));
            }
            let (name, command) = (name.to_string(), command.to_string());
            plan.engines.push(EnginePlan { name, command, ..EnginePlan::default() });
        }
        for text in &self.option {
            let form = "NAME:OPTION=VALUE";
            let (name, option) = split(text, ':', "--option", form)?;
            let (option, value) = split(option, '=', "--option", form)?;
            engine(plan, "--option", name)?.options.insert(option.to_string(), value.to_string());
        }
        for text in &self.folder {
            let (name, folder) = split(text, '=', "--folder", "NAME=FOLDER")?;
            engine(plan, "--folder", name)?.folder = Some(folder.into());
        }
        for text in &self.odds {
            let (name, text) = split(text, '=', "--odds", "NAME=LIMIT")?;
            let mut limit = Limit::default();
            for part in text.split(',') {
                let (word, value) = part.split_once('=').unwrap_or(("tc", part));
                set_part(&mut limit, word, value).ok_or_else(|| format!("--odds: {} is no limit", Quoted(part)))?;
            }
            engine(plan, "--odds", name)?.limit = Some(limit);
        }
        Ok(())
    }

    fn set_limit(&self, plan: &mut Plan) -> Result<(), String> {
        let numbers =
            [("byoyomi", self.byoyomi), ("movetime", self.movetime), ("depth", self.depth), ("nodes", self.nodes)];
        let mut limit = Limit::default();
        for (word, value) in numbers {
            if let Some(value) = value {
                set_part(&mut limit, word, &value.to_string());
            }
        }
        if let Some(text) = &self.tc {
            set_part(&mut limit, "tc", text)
                .ok_or_else(|| format!("--tc: {} is not BASE or BASE+INC in seconds", Quoted(text)))?;
        }
        if limit != Limit::default() {
            plan.limit = limit;
        }
        Ok(())
    }

    fn set_rules(&self, plan: &mut Plan) {
        let Rules { set, entering_king, max_plies } = &mut plan.rules;
        set.clone_from(self.rules.as_ref().map_or(&set.clone(), |_| &self.rules));
        if self.entering_king.is_some() {
            entering_king.clone_from(&self.entering_king);
        }
        *max_plies = self.max_plies.or(*max_plies);
    }

    fn set_openings(&self, openings: &mut OpeningsPlan) {
        if self.openings.is_some() {
            openings.file.clone_from(&self.openings);
        }
        set(&mut openings.plies, self.opening_plies);
        openings.shuffle = self.shuffle.or(openings.shuffle);
    }

    fn set_statistics(&self, plan: &mut Plan) -> Result<(), String> {
        if let Some(text) = &self.resign {
            let [score, moves] = numbers(text, "--resign", "SCORE,MOVES")?;
            plan.adjudication = Adjudication { resign_score: score, resign_moves: moves, ..plan.adjudication };
        }
        if let Some(text) = &self.draw {
            let [score, moves, ply] = numbers(text, "--draw", "SCORE,MOVES,PLY")?;
            plan.adjudication =
                Adjudication { draw_score: score, draw_moves: moves, draw_from_ply: ply, ..plan.adjudication };
        }
        if let Some(text) = &self.sprt {
            let [elo0, elo1] = numbers(text, "--sprt", "ELO0,ELO1")?;
            let Arguments { alpha, beta, model, .. } = *self;
            plan.sprt = Some(SprtPlan { elo0, elo1, alpha, beta, model });
        }
        Ok(())
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// The two halves of an argument around the first separator, neither of them empty but perhaps the last value.
fn rules_help() -> String {
    format!("Rules: {} [default: 27 points, no limit of moves]", RuleSet::ALL.map(RuleSet::name).join(", "))
}

fn entering_king_help() -> String {
    format!("Rule of declarations: {}", EnteringKingRule::ALL.map(EnteringKingRule::name).join(", "))
}

fn split<'a>(text: &'a str, at: char, flag: &str, form: &str) -> Result<(&'a str, &'a str), String> {
    let halves = text.split_once(at).filter(|(name, _)| !name.is_empty());
    halves.ok_or_else(|| format!("{flag}: {} is not {form}", Quoted(text)))
}

fn engine<'a>(plan: &'a mut Plan, flag: &str, name: &str) -> Result<&'a mut EnginePlan, String> {
    let found = plan.engines.iter_mut().find(|engine| engine.name == name);
    found.ok_or_else(|| format!("{flag}: there is no engine {}", Quoted(name)))
}

/// Numbers with commas between them, as many as there must be.
fn numbers<T: std::str::FromStr + Copy + Default, const N: usize>(
    text: &str,
    flag: &str,
    form: &str,
) -> Result<[T; N], String> {
    let parsed: Option<Vec<T>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let array = parsed.and_then(|numbers| <[T; N]>::try_from(numbers).ok());
    array.ok_or_else(|| format!("{flag}: {} is not {form}", Quoted(text)))
}

/// Sets one part of a limit. `None` if the text means nothing.
fn set_part(limit: &mut Limit, word: &str, text: &str) -> Option<()> {
    if word == "tc" {
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        limit.time_ms = millis(base)?;
        limit.increment_ms = millis(increment)?;
        return (limit.time_ms + limit.increment_ms > 0).then_some(());
    }
    let value: u64 = text.parse().ok().filter(|&value| value > 0)?;
    match word {
        "byoyomi" => limit.byoyomi_ms = value,
        "movetime" => limit.movetime_ms = value,
        "depth" => limit.depth = value,
        "nodes" => limit.nodes = value,
        _ => return None,
    }
    Some(())
}

/// Seconds as milliseconds, up to eleven days.
fn millis(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.parse().ok()?;
    (0.0..=1e6).contains(&seconds).then_some((seconds * 1_000.0).round() as u64)
}

/// Checks that a plan can be played.
fn check(plan: &Plan) -> Result<(), String> {
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
    if plan.shard.is_some() && plan.format == MatchFormat::Swiss {
        return Err("--shard: a Swiss tournament has no shards".into());
    }
    plan.rules.resolve().map_err(|error| format!("--rules: {error}"))?;
    if let Some(sprt) = plan.sprt {
        crate::arena::stats::Sprt::new(sprt).map_err(|error| format!("--sprt: {error}"))?;
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
        assert_eq!(error(&format!("{TWO} --tc 5+x")), "--tc: \"5+x\" is not BASE or BASE+INC in seconds");
        assert_eq!(error(&format!("{TWO} --tc 0")), "--tc: \"0\" is not BASE or BASE+INC in seconds");
        assert_eq!(error(&format!("{TWO} --nodes 9 --option c:X=1")), "--option: there is no engine \"c\"");
        assert_eq!(error(&format!("{TWO} --nodes 9 --odds b=often")), "--odds: \"often\" is no limit");
        assert_eq!(error(&format!("{TWO} --nodes 9 --sprt 5")), "--sprt: \"5\" is not ELO0,ELO1");
        assert!(error(&format!("{TWO} --nodes 9 --sprt 5,0")).contains("not above"));
        assert!(error(&format!("{TWO} --nodes 9 --rules chess")).contains("\"chess\""));
        assert!(error("--engine a=x --engine a=y --games 2 --nodes 5").contains("two engines have the name \"a\""));
    }
}
