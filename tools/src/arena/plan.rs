//! Plan of a match: engines, clocks, openings, rules. Read from flags or a TOML file, and kept beside the games.

use crate::client::DEFAULT_TIMEOUT;
use crate::openings::{self, Opening, OpeningError};
use crate::process::Launch;
use crate::settings::{Encoding, Ponder, RecordFormat, Rules, is_default};
use crate::share::{Shard, Span};
use komainu::notation::json::{EngineIdentity, GameLine, Machine};
use komainu::referee::Adjudication;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A match or a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// Who plays whom.
    pub tournament: Tournament,
    /// Games of each pairing; of a Swiss tournament, games of each pairing of a round.
    pub games: u64,
    /// Rounds of a Swiss tournament; 0 for enough to find a winner.
    pub rounds: u32,
    /// Bound of each move.
    pub limit: Limit,
    /// Meaning of an increment to a clock.
    pub convention: Convention,
    /// Milliseconds that an answer may be late without a loss.
    pub margin_ms: u64,
    /// Pondering of the engines while their opponent thinks.
    pub ponder: Ponder,
    /// The rules of the game.
    pub rules: Rules,
    /// The openings.
    pub openings: OpeningsPlan,
    /// All pairings of a tournament play the openings in the order of the list, none in an order of its own.
    #[serde(skip_serializing_if = "is_default")]
    pub same_openings: bool,
    /// When a game is decided by the scores of the engines.
    pub adjudication: Adjudication,
    /// The test that ends the match as soon as it is decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtPlan>,
    /// The tuning whose games these are, if the values of options change from pair to pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tune: Option<TunePlan>,
    /// Start the engines anew for each game.
    pub restart: bool,
    /// Send options also to engines that do not list them.
    pub lenient: bool,
    /// The share of the pairs of games that is played here; all of them without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// The pairs of games that are played here, by their numbers; all of them without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Span>,
    /// Formats of the records that are saved beside the games.
    pub format: Vec<RecordFormat>,
    /// Encoding of KIF.
    pub encoding: Encoding,
    /// Seconds of silence after which an engine that starts or gets ready is given up, and of a move without a clock.
    pub patience_s: u64,
    /// Games at once.
    pub concurrency: u32,
    /// Give each game cores of its own, as many as its engines use at once.
    pub affinity: bool,
    /// Games whose conversations are kept as files.
    pub log: LogGames,
    /// Machines on which games of the match were played, the first one first.
    #[serde(rename = "machine", skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<Machine>,
    /// The engines, two or more; the first one is the one that is tested.
    #[serde(rename = "engine")]
    pub engines: Vec<EnginePlan>,
}

/// Games whose conversations with the engines are kept, each as a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogGames {
    /// All games.
    All,
    /// Games that end by a fault: time, an illegal move, a false declaration, a crash, no answer.
    #[default]
    Faults,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            tournament: Tournament::default(),
            games: 0,
            rounds: 0,
            limit: Limit::default(),
            convention: Convention::default(),
            margin_ms: 0,
            ponder: Ponder::default(),
            rules: Rules::default(),
            openings: OpeningsPlan::default(),
            same_openings: false,
            adjudication: Adjudication::default(),
            sprt: None,
            tune: None,
            restart: false,
            lenient: false,
            shard: None,
            pairs: None,
            format: vec![RecordFormat::Csa, RecordFormat::Kif],
            encoding: Encoding::default(),
            patience_s: DEFAULT_TIMEOUT.as_secs(),
            concurrency: 1,
            affinity: false,
            log: LogGames::default(),
            machines: Vec::new(),
            engines: Vec::new(),
        }
    }
}

impl Plan {
    /// The longest silence of an engine.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.patience_s)
    }

    /// A plain plan: nothing but the engines and the number of games, and no limit yet.
    pub fn new(engines: Vec<EnginePlan>, games: u64) -> Plan {
        Plan { games, engines, ..Plan::default() }
    }

    /// Adds the engines that it does not have by name.
    pub(crate) fn add_engines(&mut self, engines: impl IntoIterator<Item = EnginePlan>) {
        for engine in engines {
            if self.engine_index(&engine.name).is_none() {
                self.engines.push(engine);
            }
        }
    }

    /// Plan with whole paths of programs, folders and openings, which means the same wherever the user stands.
    pub fn absolute(self) -> Plan {
        let engines = self.engines.iter().map(EnginePlan::absolute).collect();
        let mut openings = self.openings;
        if let Some(file) = &mut openings.file
            && file.exists()
            && let Ok(whole) = std::path::absolute(&file)
        {
            *file = whole;
        }
        Plan { engines, openings, ..self }
    }

    /// Tests whether this is a part of a match, which is no test by itself: the joined games are.
    pub fn is_part(&self) -> bool {
        self.shard.is_some() || self.pairs.is_some()
    }

    /// Tests whether games can be added without changing the numbers of those that have been planned: rounds of a Swiss
    /// tournament follow from their length, and a lap of single games would become one of pairs.
    pub fn can_grow(&self) -> bool {
        let has_one_pairing = self.engines.len() == 2;
        self.tournament != Tournament::Swiss && (has_one_pairing || self.games.is_multiple_of(2))
    }

    /// The place of an engine in the list.
    pub fn engine_index(&self, name: &str) -> Option<usize> {
        self.engines.iter().position(|engine| engine.name == name)
    }

    /// The places of black and white of a game in the list.
    pub fn players(&self, line: &GameLine) -> Option<[usize; 2]> {
        let [black, white] = &line.players;
        Some([self.engine_index(black)?, self.engine_index(white)?])
    }

    /// The first setting in which another plan differs, by its name in the file. What does not change what the games
    /// are worth does not count: games at once, cores, conversations that are kept, machines; nor do the files of the
    /// engines, which [`EngineIdentity`] tells apart.
    pub fn difference(&self, other: &Plan) -> Option<String> {
        let own = self.settings_that_count();
        let other = other.settings_that_count();
        own.keys().chain(other.keys()).find(|key| own.get(*key) != other.get(*key)).cloned()
    }

    /// The settings that change what the games are worth, by their names in the file.
    fn settings_that_count(&self) -> serde_json::Map<String, serde_json::Value> {
        let mut plan = self.clone();
        plan.concurrency = 1;
        plan.affinity = false;
        plan.log = LogGames::default();
        plan.machines.clear();
        for engine in &mut plan.engines {
            engine.identity = None;
        }
        match serde_json::to_value(plan) {
            Ok(serde_json::Value::Object(settings)) => settings,
            _ => unreachable!("a plan is a struct of plain values"),
        }
    }
}

/// Who plays whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tournament {
    /// Everybody against everybody; with two engines a plain match.
    #[default]
    RoundRobin,
    /// The first engine against all others.
    Gauntlet,
    /// In each round those with about the same points meet who have not met before.
    Swiss,
    /// A server of games pairs its players, as in the folders of `komainu csa`.
    Server,
}

/// An engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnginePlan {
    /// Name in tables, unique in the match.
    pub name: String,
    /// The program and its arguments, as a shell would read them.
    pub command: String,
    /// The folder that it runs in; the current one if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// USI options.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Limit of its own in place of the match's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    /// The program that played, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<EngineIdentity>,
}

impl EnginePlan {
    /// Engine with whole paths of the program, the files that its arguments name, and the folder.
    pub fn absolute(&self) -> EnginePlan {
        match Launch::new(&self.command, self.folder.as_deref()) {
            Ok(launch) => {
                let launch = launch.absolute();
                let folder = launch.folder().map(Path::to_path_buf);
                EnginePlan { command: launch.to_command(), folder, ..self.clone() }
            }
            // That it is no command shows when it is started.
            Err(_) => self.clone(),
        }
    }
}

/// Bounds of a move: a clock or a number. All times in milliseconds, each 0 or absent if it does not apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limit {
    /// Time for the game.
    #[serde(skip_serializing_if = "is_default")]
    pub time_ms: u64,
    /// Time that each move adds.
    #[serde(skip_serializing_if = "is_default")]
    pub increment_ms: u64,
    /// Time for each move once the time for the game is used up.
    #[serde(skip_serializing_if = "is_default")]
    pub byoyomi_ms: u64,
    /// Time for each move, sent as `movetime`.
    #[serde(skip_serializing_if = "is_default")]
    pub movetime_ms: u64,
    /// Depth in plies.
    #[serde(skip_serializing_if = "is_default")]
    pub depth: u64,
    /// Nodes.
    #[serde(skip_serializing_if = "is_default")]
    pub nodes: u64,
}

impl Limit {
    /// Tests whether time plays no part: nodes or depth alone bound a move.
    pub fn is_timeless(&self) -> bool {
        self.time_ms + self.increment_ms + self.byoyomi_ms + self.movetime_ms == 0
    }
}

/// Share of the increment in `btime`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convention {
    /// The increment of the coming move is not in the clock yet: the engine may use both (ShogiHome, floodgate,
    /// cshogi).
    #[default]
    Before,
    /// It is in the clock already: the engine may use the clock (shogitest, chess).
    After,
}

/// Where games begin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OpeningsPlan {
    /// A file or a folder, or `handicap:NAME`; an embedded list without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Plies of each opening that are played at most; 0 for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u64>,
    /// Seed by which the openings are shuffled, and of the orders of their own that the pairings of a tournament have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<u64>,
    /// Pass openings at fault over.
    #[serde(skip_serializing_if = "is_default")]
    pub skip_bad: bool,
}

impl OpeningsPlan {
    /// The openings, in the order of the list that is played; at least one. Second the faults of those that were passed
    /// over.
    pub fn load(&self) -> Result<(Vec<Opening>, Vec<OpeningError>), OpeningError> {
        openings::load(self.file.as_deref(), self.plies.unwrap_or(0), self.shuffle, self.skip_bad)
    }
}

/// The hypotheses of a sequential test: the first engine against all others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtPlan {
    /// Elo of the null hypothesis.
    pub elo0: f64,
    /// Elo of the alternative.
    pub elo1: f64,
    /// The chance of accepting a change that is worth `elo0`.
    #[serde(default = "five_percent")]
    pub alpha: f64,
    /// The chance of rejecting a change that is worth `elo1`.
    #[serde(default = "five_percent")]
    pub beta: f64,
    /// Unit of the Elo.
    #[serde(default)]
    pub model: EloModel,
}

/// A tuning of options by simultaneous perturbation: the first engine has them moved one way, the second one the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunePlan {
    /// Seed of the directions in which the values are moved.
    pub seed: u64,
    /// Pairs of games of an iteration, all with the same values.
    pub pairs: u32,
    /// Exponent of the decay of the gain.
    pub alpha: f64,
    /// Exponent of the decay of the distance by which values are moved for a trial.
    pub gamma: f64,
    /// Iterations by which the decay of the gain is put off, as a part of all.
    pub a_ratio: f64,
    /// Lines `NAME, int|float, START, MIN, MAX, C_END, R_END`.
    pub parameters: Vec<String>,
    /// Factor by which floats become the whole numbers of spin options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Factors of their own, by the names of the parameters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scales: BTreeMap<String, f64>,
}

fn five_percent() -> f64 {
    0.05
}

/// Unit of the hypotheses of a sequential test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloModel {
    /// Elo of the logistic curve.
    Logistic,
    /// Elo in units of the deviation of a game: what a number of games can tell apart, whatever the draws.
    #[default]
    Normalized,
}

impl fmt::Display for Limit {
    /// As in `10s+0.1s`, `byoyomi 500 ms`, `5000 nodes`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.time_ms > 0 || self.increment_ms > 0 {
            parts.push(match self.increment_ms {
                0 => format!("{}s", seconds(self.time_ms)),
                more => format!("{}s+{}s", seconds(self.time_ms), seconds(more)),
            });
        }
        for (name, value, unit) in [
            ("byoyomi", self.byoyomi_ms, " ms"),
            ("move time", self.movetime_ms, " ms"),
            ("depth", self.depth, ""),
            ("nodes", self.nodes, ""),
        ] {
            if value > 0 {
                parts.push(format!("{name} {value}{unit}"));
            }
        }
        f.write_str(&parts.join(", "))
    }
}

fn seconds(millis: u64) -> f64 {
    millis as f64 / 1_000.0
}
