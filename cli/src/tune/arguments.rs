//! The flags of `komainu tune`, and the plan that they make.

use crate::matches::{GameFlags, RunFlags, check_games, plan_over, seed, set_engine_option};
use crate::settings::{EngineOptions, LivePage, flags_of, given};
use komainu::host::{in_file, read_text};
use komainu::types::Quoted;
use komainu_tools::arena::plan::{EnginePlan, Plan, TunePlan};
use komainu_tools::process::Launch;
use komainu_tools::settings::RecordFormat;
use komainu_tools::tuning::{NumberKind, Parameter, planned_parameters, read_parameters};
use std::path::{Path, PathBuf};
use toml::Table;

/// Tune options of a USI engine by games against itself (SPSA)
///
/// The file of parameters is that of OpenBench, one a line: NAME, int|float, START, MIN, MAX, C_END, R_END. Every game
/// is saved as it ends; a tuning that was killed goes on with --resume.
#[derive(clap::Args)]
#[command(after_help = "\
Before the last line stands a line for each parameter; the last line is the number of games:
  setoption name NAME value V
  games N

Example, 2,000 games of 5,000 nodes a move, two at once:
  komainu tune --engine ./engine --option USI_Hash=16 --parameters parameters.txt --games 2000 --nodes 5000 \\
    --concurrency 2 --out tuned")]
pub(crate) struct Arguments {
    /// USI engine with its arguments, as a shell reads it, in place of the built-in one
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    #[command(flatten)]
    options: EngineOptions,
    /// Folder that the engine runs in
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Parameters, one a line: NAME, int|float, START, MIN, MAX, C_END, R_END
    #[arg(long, value_name = "FILE", required_unless_present = "resume")]
    parameters: Option<PathBuf>,
    /// Factor by which floats become the whole numbers of spin options: of all, or of one
    #[arg(long, value_name = "[NAME=]FACTOR", value_parser = scale)]
    scale: Vec<(Option<String>, f64)>,
    /// Games to play
    #[arg(long, value_name = "N", required_unless_present = "resume")]
    games: Option<u64>,
    /// Pairs of games of each iteration [default: one for each four games at once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pairs: Option<u32>,
    /// Seed of the random numbers: another one makes another file
    #[arg(long, value_name = "S", value_parser = seed())]
    seed: Option<u64>,
    /// Exponent of the decay of the steps [default: 0.602]
    #[arg(long, value_name = "X", value_parser = exponent)]
    alpha: Option<f64>,
    /// Exponent of the decay of the distances [default: 0.101]
    #[arg(long, value_name = "X", value_parser = exponent)]
    gamma: Option<f64>,
    /// Iterations by which the decay of the steps is put off, as a part of all [default: 0.1]
    #[arg(long, value_name = "X", value_parser = exponent)]
    a_ratio: Option<f64>,
    #[command(flatten)]
    games_flags: GameFlags,
    #[command(flatten)]
    pub(crate) live: LivePage,
    #[command(flatten)]
    pub(crate) run: RunFlags,
}

/// Exponents and delay of the schedule as OpenBench and Spall have them.
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
const A_RATIO: f64 = 0.1;

/// Games of two iterations can be played at once, for each pair of an iteration.
const GAMES_AT_ONCE: u32 = 4;

/// Parameters with their lines in the file, or in the plan.
pub(crate) type Lines = Vec<(usize, Parameter)>;

impl Arguments {
    /// The plan of the flags, with the parameters.
    pub(crate) fn plan(&self) -> Result<(Plan, Lines), String> {
        let (Some(path), Some(games)) = (&self.parameters, self.games) else {
            return Err("--parameters and --games are missing".into());
        };
        let parameters = read_parameter_file(path)?;
        let mut plan =
            plan_over(Table::new(), given(&self.games_flags)).map_err(|error| error.message().to_string())?;
        plan.games = games;
        plan.format = vec![RecordFormat::None];
        plan.engines = self.engines()?;
        let mut tune = TunePlan {
            seed: self.seed.unwrap_or(1),
            pairs: self.pairs.unwrap_or_else(|| plan.concurrency.div_ceil(GAMES_AT_ONCE)),
            alpha: self.alpha.unwrap_or(ALPHA),
            gamma: self.gamma.unwrap_or(GAMMA),
            a_ratio: self.a_ratio.unwrap_or(A_RATIO),
            parameters: parameters.iter().map(|(_, parameter)| parameter.to_string()).collect(),
            scale: None,
            scales: Default::default(),
        };
        self.set_scales(&mut tune, &parameters)?;
        plan.tune = Some(tune);
        check(&plan)?;
        Ok((plan.absolute(), parameters))
    }

    /// The file of parameters, or what stands for it in a tuning that goes on.
    pub(crate) fn parameters_name(&self) -> String {
        let name = |path: &PathBuf| path.display().to_string();
        self.parameters.as_ref().map_or_else(|| "[tune] parameters".to_string(), name)
    }

    /// Both sides of a pair are the same program.
    fn engines(&self) -> Result<Vec<EnginePlan>, String> {
        let command = match &self.engine {
            Some(command) => command.clone(),
            None => {
                let program = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
                Launch::of_program(&program).to_command()
            }
        };
        let mut engine = EnginePlan { command, folder: self.folder.clone(), ..EnginePlan::default() };
        for (name, value) in &self.options.option {
            set_engine_option(&mut engine, name, value);
        }
        let side = |name: &str| EnginePlan { name: name.to_string(), ..engine.clone() };
        Ok(vec![side("plus"), side("minus")])
    }

    fn set_scales(&self, tune: &mut TunePlan, parameters: &Lines) -> Result<(), String> {
        for (name, factor) in &self.scale {
            let Some(name) = name else {
                tune.scale = Some(*factor);
                continue;
            };
            let known = parameters.iter().find(|(_, parameter)| parameter.name.eq_ignore_ascii_case(name));
            let (_, parameter) = known.ok_or_else(|| format!("--scale: there is no parameter {}", Quoted(name)))?;
            if parameter.kind == NumberKind::Int {
                return Err(format!("--scale: {name} is an int"));
            }
            tune.scales.insert(parameter.name.clone(), *factor);
        }
        Ok(())
    }

    /// The plan of a tuning that goes on, with its parameters. A flag that contradicts it is an error that names the
    /// flag; only how the games are run may change.
    pub(crate) fn resumed_plan(&self, plan: &Plan, folder: &Path) -> Result<(Plan, Lines), String> {
        let shown = folder.display();
        let differs = |flag: &str| format!("{flag}: {shown} holds a tuning with another setting");
        let Some(tune) = &plan.tune else { return Err(format!("{shown} holds a match, and no tuning")) };
        let table = given(&self.games_flags);
        let resumed = plan_over(given(plan), table.clone()).map_err(|error| error.message().to_string())?;
        let mut resumed = resumed.absolute();
        let before = plan.clone().absolute();
        if let Some(key) = before.difference(&resumed) {
            let flags = flags_of::<Arguments>(&table).into_iter().filter(|(_, section)| *section == key);
            return Err(differs(&flags.map(|(flag, _)| flag).collect::<Vec<_>>().join(", ")));
        }
        let known = &before.engines[0];
        let command = self.engine.as_ref().unwrap_or(&known.command).clone();
        let wanted = EnginePlan { command, folder: self.folder.clone().or(known.folder.clone()), ..known.clone() };
        let wanted = wanted.absolute();
        let has_options = |(name, value): &(String, String)| {
            known.options.iter().any(|(known, set)| known.eq_ignore_ascii_case(name) && set == value)
        };
        for (flag, is_same) in [
            ("--engine", wanted.command == known.command),
            ("--folder", wanted.folder == known.folder),
            ("--option", self.options.option.iter().all(has_options)),
            ("--games", self.games.is_none_or(|games| games == plan.games)),
            ("--pairs", self.pairs.is_none_or(|pairs| pairs == tune.pairs)),
            ("--seed", self.seed.is_none_or(|seed| seed == tune.seed)),
            ("--alpha", self.alpha.is_none_or(|alpha| alpha == tune.alpha)),
            ("--gamma", self.gamma.is_none_or(|gamma| gamma == tune.gamma)),
            ("--a-ratio", self.a_ratio.is_none_or(|ratio| ratio == tune.a_ratio)),
        ] {
            if !is_same {
                return Err(differs(flag));
            }
        }
        let parameters = planned_parameters(tune).map_err(|fault| in_file(folder, fault))?;
        let mut scaled = TunePlan { scale: None, scales: Default::default(), ..tune.clone() };
        self.set_scales(&mut scaled, &parameters)?;
        let has_scales = scaled.scales.iter().all(|(name, scale)| tune.scales.get(name) == Some(scale));
        if !has_scales || scaled.scale.is_some() && scaled.scale != tune.scale {
            return Err(differs("--scale"));
        }
        if let Some(path) = &self.parameters {
            let read = read_parameter_file(path)?;
            if !read.iter().map(|(_, parameter)| parameter.to_string()).eq(tune.parameters.iter().cloned()) {
                return Err(differs("--parameters"));
            }
        }
        resumed.tune = plan.tune.clone();
        check(&resumed)?;
        Ok((resumed, parameters))
    }
}

/// Reads the file of parameters; errors name it.
fn read_parameter_file(path: &Path) -> Result<Lines, String> {
    let text = read_text(path).map_err(|error| in_file(path, error))?;
    read_parameters(&text).map_err(|fault| in_file(path, fault))
}

/// Checks that a plan can be played as a tuning.
fn check(plan: &Plan) -> Result<(), String> {
    if !plan.games.is_multiple_of(2) {
        return Err(format!("--games: {} is odd, and games are played in pairs", plan.games));
    }
    check_games(plan)?;
    let most = plan.tune.as_ref().map_or(1, |tune| tune.pairs).saturating_mul(GAMES_AT_ONCE);
    if plan.concurrency > most {
        let games = plan.concurrency;
        return Err(format!("--concurrency: {games} games at once, but two iterations have {most} (--pairs: more)"));
    }
    Ok(())
}

/// Reads `[NAME=]FACTOR`.
fn scale(text: &str) -> Result<(Option<String>, f64), String> {
    let (name, factor) = match text.rsplit_once('=') {
        Some((name, factor)) => (Some(name.trim().to_string()), factor),
        None => (None, text),
    };
    let factor: Option<f64> = factor.trim().parse().ok().filter(|factor| (1e-9..=1e9).contains(factor));
    match (factor, &name) {
        (Some(factor), name) if name.as_ref().is_none_or(|name| !name.is_empty()) => Ok((name.clone(), factor)),
        _ => Err("not FACTOR or NAME=FACTOR with a factor above 0".to_string()),
    }
}

/// Reads an exponent or a part.
fn exponent(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok().filter(|number| (0.0..=10.0).contains(number));
    number.ok_or_else(|| "not a number from 0 to 10".to_string())
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

    fn arguments(text: &str) -> Arguments {
        let words = ["tune", "--out", "x"].into_iter().chain(text.split_ascii_whitespace());
        CommandLine::try_parse_from(words).expect("flags of a tuning").arguments
    }

    #[test]
    fn a_scale_is_of_all_or_of_one() {
        assert_eq!(scale("100"), Ok((None, 100.0)));
        assert_eq!(scale("A=b=0.5"), Ok((Some("A=b".to_string()), 0.5)));
        for text in ["", "x", "A=", "=5", "0", "-1", "A=nan", "inf"] {
            assert!(scale(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_iteration_has_a_pair_for_each_four_games_at_once() {
        let path = std::env::temp_dir().join(format!("komainu-tune-flags-{}", std::process::id()));
        std::fs::write(&path, "A, int, 1, 0, 9, 1, 1\n").expect("it can be written");
        let shown = path.display();
        for (flags, pairs) in
            [("", 1), ("--concurrency 4", 1), ("--concurrency 9", 3), ("--concurrency 9 --pairs 8", 8)]
        {
            let (plan, lines) =
                arguments(&format!("--parameters {shown} --games 8 --nodes 5 {flags}")).plan().expect("a plan");
            let tune = plan.tune.expect("a tuning");
            assert_eq!((tune.pairs, tune.parameters.len(), lines.len()), (pairs, 1, 1), "{flags}");
        }
        for (flags, told) in [
            ("--games 7 --nodes 5", "--games: 7 is odd, and games are played in pairs"),
            ("--games 8", "nothing bounds a move: --tc, --byoyomi, --movetime, --depth or --nodes is missing"),
            ("--games 0 --nodes 5", "--games: the number of games is missing"),
            (
                "--games 8 --nodes 5 --concurrency 9 --pairs 2",
                "--concurrency: 9 games at once, but two iterations have 8 (--pairs: more)",
            ),
            ("--games 8 --nodes 5 --scale B=2", "--scale: there is no parameter \"B\""),
            ("--games 8 --nodes 5 --scale a=2", "--scale: a is an int"),
        ] {
            assert_eq!(arguments(&format!("--parameters {shown} {flags}")).plan().unwrap_err(), told);
        }
        std::fs::remove_file(path).expect("it can be removed");
    }
}
