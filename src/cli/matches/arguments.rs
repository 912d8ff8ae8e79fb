//! The flags of `komainu match`, and the plan that they make.

use crate::arena::folder::parse_plan;
use crate::arena::plan::{
    Convention, EloModel, EnginePlan, Limit, LogGames, MatchFormat, OpeningsPlan, Plan, Ponder, RecordFormat, Rules,
    SprtPlan,
};
use crate::cli::patience::PatienceArgument;
use crate::position::{EnteringKingRule, RuleSet};
use crate::referee::Adjudication;
use crate::types::{Quoted, Shard};
use std::path::{Path, PathBuf};

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
    /// USI option of every engine for which --option does not set it
    #[arg(long, value_name = "OPTION=VALUE")]
    each: Vec<String>,
    /// Send options also to engines that do not list them
    #[arg(long)]
    lenient: bool,
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
    /// Let the loser's own scores decide, as if it resigned: for --resign, or with a score and moves of its own
    #[arg(long, value_name = "SCORE,MOVES", num_args = 0..=1, default_missing_value = "")]
    resign_one_sided: Option<String>,
    /// End a game as a draw when both scores are within SCORE for MOVES moves each, from PLY on
    #[arg(long, value_name = "SCORE,MOVES,PLY")]
    draw: Option<String>,
    /// End the match when the first engine is found to be worth ELO0 or ELO1
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<String>,
    /// Chance of passing a change worth ELO0 [default: 0.05]
    #[arg(long, value_name = "P", requires = "sprt")]
    alpha: Option<f64>,
    /// Chance of failing a change worth ELO1 [default: 0.05]
    #[arg(long, value_name = "P", requires = "sprt")]
    beta: Option<f64>,
    /// Unit of ELO0 and ELO1 [default: normalized]
    #[arg(long, requires = "sprt", value_enum)]
    model: Option<EloModel>,
    /// Start the engines anew for each game
    #[arg(long)]
    restart: bool,
    /// Games at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: Option<u32>,
    /// Play more games at once than there are cores without a warning
    #[arg(long)]
    pub(super) force: bool,
    /// Tie each game to a core of its own
    #[arg(long)]
    affinity: bool,
    #[command(flatten)]
    patience: PatienceArgument,
    /// Records that are saved beside games.jsonl [default: csa,kif]
    #[arg(long, value_enum, value_delimiter = ',')]
    records: Vec<RecordFormat>,
    /// Games whose conversations with the engines are kept in logs/ [default: faults]
    #[arg(long, value_enum)]
    log: Option<LogGames>,
    /// Play one share of N: every Nth pair of games, from pair I on. The same flags on each machine, then --merge
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Play nothing, but join the shards in these folders to one match in --out
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = [
        "file", "engine", "option", "each", "lenient", "folder", "odds", "format", "games", "rounds", "tc", "byoyomi",
        "movetime", "depth", "nodes", "convention", "margin", "ponder", "rules", "entering_king", "max_plies", "openings",
        "opening_plies", "shuffle", "resign", "resign_one_sided", "draw", "sprt", "restart", "concurrency", "force",
        "affinity", "patience", "log", "resume", "shard",
    ])]
    pub(super) merge: Vec<PathBuf>,
    /// Folder for the games, the plan and the report
    #[arg(long, value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Go on with the match in the folder
    #[arg(long)]
    pub(super) resume: bool,
}

impl Arguments {
    /// Tests whether any flag or file says what is played: a match that is resumed needs none.
    pub(super) fn has_plan(&self) -> bool {
        self.file.is_some() || !self.engine.is_empty()
    }

    /// The plan of the file, changed by the flags.
    pub(super) fn plan(&self) -> Result<Plan, String> {
        let mut plan = self.file_plan()?.unwrap_or_else(|| Plan::new(Vec::new(), 0));
        for text in &self.engine {
            let (name, command) = split(text, '=', "--engine", "NAME=COMMAND")?;
            if plan.engines.iter().any(|engine| engine.name == name) {
                return Err(format!("--engine: two engines have the name {}", Quoted(name)));
            }
            let (name, command) = (name.to_string(), command.to_string());
            plan.engines.push(EnginePlan { name, command, ..EnginePlan::default() });
        }
        self.apply(&mut plan)?;
        check(&plan)?;
        Ok(plan.absolute())
    }

    /// The plan of the file, if there is one. What has played before may have been another build.
    fn file_plan(&self) -> Result<Option<Plan>, String> {
        let Some(path) = &self.file else { return Ok(None) };
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut plan =
            parse_plan(&text).map_err(|(line, message)| format!("{} line {line}: {message}", path.display()))?;
        plan.machines.clear();
        plan.engines.iter_mut().for_each(|engine| engine.identity = None);
        Ok(Some(plan))
    }

    /// The plan of a match that goes on. A flag that contradicts it is an error that names the flag; only games may be added,
    /// and how the match is run may change.
    pub(super) fn resumed_plan(&self, plan: &Plan, folder: &Path) -> Result<Plan, String> {
        let shown = folder.display();
        let differs = |flag: &str, key: &str| format!("{flag}: {shown} holds a match with another setting: {key}");
        for text in &self.engine {
            let (name, command) = split(text, '=', "--engine", "NAME=COMMAND")?;
            let Some(known) = plan.engines.iter().find(|engine| engine.name == name) else {
                return Err(format!("--engine: {shown} holds a match without an engine {}", Quoted(name)));
            };
            let planned = EnginePlan { command: command.to_string(), ..known.clone() };
            if command != known.command && planned.absolute().command != known.command {
                return Err(differs("--engine", &format!("the command of {name}")));
            }
        }
        let mut resumed = plan.clone();
        self.apply(&mut resumed)?;
        let resumed = resumed.absolute();
        let growth = resumed.games.checked_sub(plan.games);
        if growth.is_none() || growth > Some(0) && !plan.can_grow() {
            return Err(format!("--games: {shown} holds a match of {}, which can only grow by pairs", plan.games));
        }
        let before = plan.clone().absolute();
        if let Some(key) = before.difference(&Plan { games: before.games, ..resumed.clone() }) {
            let flags: Vec<&str> =
                self.plan_flags().into_iter().filter(|(_, of)| *of == key).map(|(flag, _)| flag).collect();
            return Err(differs(&flags.join(", "), key));
        }
        if let Some(mut file) = self.file_plan()? {
            self.apply(&mut file)?;
            if let Some(key) = before.difference(&Plan { games: before.games, ..file.absolute() }) {
                return Err(differs("FILE", key));
            }
        }
        check(&resumed)?;
        Ok(resumed)
    }

    /// Changes a plan as the flags say that speak of no new engine.
    fn apply(&self, plan: &mut Plan) -> Result<(), String> {
        self.set_engines(plan)?;
        self.set_limit(plan)?;
        self.set_rules(plan);
        self.set_openings(&mut plan.openings);
        self.set_statistics(plan)?;
        set(&mut plan.games, self.games);
        set(&mut plan.format, self.format);
        set(&mut plan.rounds, self.rounds);
        set(&mut plan.convention, self.convention);
        set(&mut plan.margin_ms, self.margin);
        set(&mut plan.ponder, self.ponder);
        plan.restart |= self.restart;
        plan.lenient |= self.lenient;
        plan.shard = self.shard.or(plan.shard);
        self.set_run(plan);
        Ok(())
    }

    /// Sets the way in which the match is run.
    fn set_run(&self, plan: &mut Plan) {
        if !self.records.is_empty() {
            plan.records.clone_from(&self.records);
        }
        set(&mut plan.patience_s, self.patience.seconds());
        set(&mut plan.concurrency, self.concurrency);
        set(&mut plan.log, self.log);
        plan.affinity |= self.affinity;
    }

    /// Records of a match that is joined from others.
    pub(super) fn merged_records(&self, plan: &Plan) -> Vec<RecordFormat> {
        if self.records.is_empty() { plan.records.clone() } else { self.records.clone() }
    }

    fn set_engines(&self, plan: &mut Plan) -> Result<(), String> {
        for text in &self.each {
            let (option, value) = split(text, '=', "--each", "OPTION=VALUE")?;
            for engine in &mut plan.engines {
                set_engine_option(engine, option, value);
            }
        }
        for text in &self.option {
            let form = "NAME:OPTION=VALUE";
            let (name, option) = split(text, ':', "--option", form)?;
            let (option, value) = split(option, '=', "--option", form)?;
            set_engine_option(engine(plan, "--option", name)?, option, value);
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

    /// The flags that are given and say what is played, each with the key of its setting.
    fn plan_flags(&self) -> Vec<(&'static str, &'static str)> {
        [
            ("--option", "engine", !self.option.is_empty()),
            ("--each", "engine", !self.each.is_empty()),
            ("--folder", "engine", !self.folder.is_empty()),
            ("--odds", "engine", !self.odds.is_empty()),
            ("--format", "format", self.format.is_some()),
            ("--rounds", "rounds", self.rounds.is_some()),
            ("--tc", "limit", self.tc.is_some()),
            ("--byoyomi", "limit", self.byoyomi.is_some()),
            ("--movetime", "limit", self.movetime.is_some()),
            ("--depth", "limit", self.depth.is_some()),
            ("--nodes", "limit", self.nodes.is_some()),
            ("--convention", "convention", self.convention.is_some()),
            ("--margin", "margin_ms", self.margin.is_some()),
            ("--ponder", "ponder", self.ponder.is_some()),
            ("--rules", "rules", self.rules.is_some()),
            ("--entering-king", "rules", self.entering_king.is_some()),
            ("--max-plies", "rules", self.max_plies.is_some()),
            ("--openings", "openings", self.openings.is_some()),
            ("--opening-plies", "openings", self.opening_plies.is_some()),
            ("--shuffle", "openings", self.shuffle.is_some()),
            ("--resign", "adjudication", self.resign.is_some()),
            ("--resign-one-sided", "adjudication", self.resign_one_sided.is_some()),
            ("--draw", "adjudication", self.draw.is_some()),
            ("--sprt", "sprt", self.sprt.is_some()),
            ("--restart", "restart", self.restart),
            ("--lenient", "lenient", self.lenient),
            ("--shard", "shard", self.shard.is_some()),
            ("--records", "records", !self.records.is_empty()),
            ("--patience", "patience_s", self.patience.seconds().is_some()),
        ]
        .into_iter()
        .filter_map(|(flag, key, is_given)| is_given.then_some((flag, key)))
        .collect()
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
        match self.resign_one_sided.as_deref() {
            None => {}
            Some("") if plan.adjudication.resign_score == 0 => {
                return Err("--resign-one-sided: SCORE,MOVES is missing, here or after --resign".into());
            }
            Some("") => plan.adjudication.resign_one_sided = true,
            Some(text) => {
                let [resign_score, resign_moves] = numbers(text, "--resign-one-sided", "SCORE,MOVES")?;
                plan.adjudication =
                    Adjudication { resign_score, resign_moves, resign_one_sided: true, ..plan.adjudication };
            }
        }
        if let Some(text) = &self.draw {
            let [score, moves, ply] = numbers(text, "--draw", "SCORE,MOVES,PLY")?;
            plan.adjudication =
                Adjudication { draw_score: score, draw_moves: moves, draw_from_ply: ply, ..plan.adjudication };
        }
        if let Some(text) = &self.sprt {
            let [elo0, elo1] = numbers(text, "--sprt", "ELO0,ELO1")?;
            let [alpha, beta] = [self.alpha, self.beta].map(|chance| chance.unwrap_or(0.05));
            plan.sprt = Some(SprtPlan { elo0, elo1, alpha, beta, model: self.model.unwrap_or_default() });
        }
        Ok(())
    }
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Sets an option, whatever the case of a name that is there already.
fn set_engine_option(engine: &mut EnginePlan, option: &str, value: &str) {
    let known = engine.options.keys().find(|name| name.eq_ignore_ascii_case(option));
    let name = known.cloned().unwrap_or_else(|| option.to_string());
    engine.options.insert(name, value.to_string());
}

fn rules_help() -> String {
    format!("Rules: {} [default: 27 points, no limit of moves]", RuleSet::ALL.map(RuleSet::name).join(", "))
}

fn entering_king_help() -> String {
    format!("Rule of declarations: {}", EnteringKingRule::ALL.map(EnteringKingRule::name).join(", "))
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
