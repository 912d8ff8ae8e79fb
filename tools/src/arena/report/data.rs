//! The value that the page holds: all numbers, worked out, and all games in a compact form.
//!
//! A game's moves, times, scores, depths and nodes are one string each with a comma between the plies: a third of
//! the size of an object for each move, and the page takes a string apart only when the game is shown. Of a large match
//! only some games are held; all numbers are those of the whole match.

use super::figures::{Figures, GameDigest, Series, TestResult, engine_figures, follow, round};
use super::summary::host_stalls;
use crate::arena::folder::{MatchFolder, MatchGame};
use crate::arena::plan::{Plan, SprtPlan};
use crate::arena::standings::{TableRow, table};
use crate::arena::stats::{Encounter, Estimate, Interval, Ledger, RatingList, ResultTally};
use crate::settings::is_default;
use komainu::notation::json::MoveLine;
use komainu::notation::record::Ending;
use komainu::notation::score::{InfoScore, ReportedScore};
use komainu::position::{Position, RuleSet};
use komainu::types::Color;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that the page shows.
#[derive(Serialize)]
pub(crate) struct ReportData<'a> {
    /// The version of Komainu that wrote the page.
    version: &'static str,
    /// The run that the page is live with; absent on a page that is finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) live: Option<&'a str>,
    settings: ReportSettings<'a>,
    /// When the first game began and the last one ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<[String; 2]>,
    engines: Vec<ReportEngine<'a>>,
    ratings: Ratings,
    /// The table of a tournament, the first place first.
    #[serde(skip_serializing_if = "Option::is_none")]
    standings: Option<Vec<TableRow>>,
    /// `[engine][opponent]`: wins, draws, losses of the engine.
    cross: Vec<Vec<[u64; 3]>>,
    /// All games as black counts them.
    black: [u64; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<Test>,
    series: Series,
    /// Lines of the games file that could not be used.
    notes: Vec<String>,
    /// Number of games that were played.
    played: usize,
    /// Games lost on time while the machine stood still, which count for nobody.
    #[serde(skip_serializing_if = "is_default")]
    host_stalls: u64,
    /// Games that do not count because they or their partners are equal to games that do.
    #[serde(skip_serializing_if = "is_default")]
    repeated: u64,
    /// Both games of every pair have the same moves: pairs say nothing of the engines.
    #[serde(skip_serializing_if = "is_default")]
    repeats: bool,
    /// Games of a length in plies: won by black, drawn, won by white, without a result.
    lengths: Vec<(usize, Outcomes)>,
    /// Outcomes by the way in which the games ended.
    endings: Vec<(Ending, Outcomes)>,
    /// Games that can be played through.
    games: Vec<GameData<'a>>,
}

/// Games won by black, drawn, won by white, without a result.
type Outcomes = [u64; 4];

/// Games that a page holds at most: 4 to 7 MB, with the engines' lines up to 11 MB.
pub const MAX_GAMES: usize = 2_000;

/// The plan in words.
#[derive(Serialize)]
struct ReportSettings<'a> {
    plan: &'a Plan,
    limit: String,
    rules: ReportRules,
}

/// The rules of a plan; the page puts them in words.
#[derive(Serialize)]
#[serde(untagged)]
enum ReportRules {
    Known {
        #[serde(skip_serializing_if = "Option::is_none")]
        set: Option<&'static str>,
        entering_king: &'static str,
        /// 0 for none.
        ply_limit: u32,
        mate_on_last_ply: bool,
        checks_extend: bool,
        start_counts: bool,
    },
    Unknown(String),
}

#[derive(Serialize)]
struct ReportEngine<'a> {
    name: &'a str,
    command: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    options: &'a BTreeMap<String, String>,
    limit: String,
    tally: [u64; 3],
    points: f64,
    /// Results as black and as white.
    colors: [[u64; 3]; 2],
    penta: [u64; 5],
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<Strength>,
    #[serde(skip_serializing_if = "Option::is_none")]
    millis: Option<f64>,
    longest: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nps: Option<f64>,
    time_losses: u64,
    illegal_moves: u64,
    crashes: u64,
    host_stalls: u64,
}

/// Strength of an engine by its games.
#[derive(Serialize)]
struct Strength {
    score: f64,
    elo: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    normalised: Option<String>,
    los: f64,
}

#[derive(Serialize)]
struct Ratings {
    list: Vec<Rating>,
    /// Worth of the first move.
    advantage: String,
    connected: bool,
}

#[derive(Serialize)]
struct Rating {
    engine: usize,
    elo: f64,
    error: f64,
    /// Probability that the engine is stronger than the next one of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    los: Option<f64>,
}

#[derive(Serialize)]
struct Test {
    plan: SprtPlan,
    llr: f64,
    lower: f64,
    upper: f64,
    /// `H0` or `H1`; absent while the test goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// The games that the decision took.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
}

/// A game.
#[derive(Serialize)]
struct GameData<'a> {
    #[serde(rename = "g")]
    game: u64,
    #[serde(rename = "p")]
    pair: u64,
    #[serde(rename = "r", skip_serializing_if = "is_default")]
    round: u32,
    /// Black and white.
    #[serde(rename = "e")]
    engines: [usize; 2],
    /// 1 for black, -1 for white, 0 for a draw; absent for a game without a result.
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    result: Option<i8>,
    #[serde(rename = "x")]
    ending: Ending,
    /// Absent if it is the usual one.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    start: Option<&'a str>,
    #[serde(rename = "o", skip_serializing_if = "is_default")]
    opening_plies: usize,
    #[serde(flatten)]
    columns: Columns,
    /// The moves that the engine expected next, with blanks between; commas between the plies.
    #[serde(rename = "v", skip_serializing_if = "String::is_empty")]
    lines: String,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    last_millis: Option<u64>,
    #[serde(rename = "i", skip_serializing_if = "str::is_empty")]
    detail: &'a str,
    #[serde(rename = "b")]
    started: &'a str,
    #[serde(rename = "u")]
    duration_ms: u64,
}

/// The moves of a game, a column for each of their properties.
#[derive(Serialize)]
pub(crate) struct Columns {
    #[serde(rename = "m")]
    moves: String,
    #[serde(rename = "t", skip_serializing_if = "String::is_empty")]
    times: String,
    /// Centipawns, or plies to mate after a `#`, as the side that moved saw it.
    #[serde(rename = "c", skip_serializing_if = "String::is_empty")]
    scores: String,
    /// None where there is a mate: the depth at which an engine stops there means nothing.
    #[serde(rename = "d", skip_serializing_if = "String::is_empty")]
    depths: String,
    #[serde(rename = "n", skip_serializing_if = "String::is_empty")]
    nodes: String,
}

impl Columns {
    pub(crate) fn of(moves: &[MoveLine]) -> Columns {
        Columns {
            moves: column(moves, |played| Some(played.mv.clone())),
            times: column(moves, |played| played.millis),
            scores: column(moves, score),
            depths: column(moves, |played| if played.is_mate() { None } else { played.depth }),
            nodes: column(moves, |played| played.nodes),
        }
    }
}

impl<'a> ReportData<'a> {
    /// Works out what a match has come to.
    pub(crate) fn of(folder: &'a MatchFolder) -> ReportData<'a> {
        let MatchFolder { plan, games, notes } = folder;
        let digests: Vec<GameDigest> = games.iter().map(GameDigest::of).collect();
        let notes = notes.iter().map(ToString::to_string).collect();
        ReportData { notes, games: with_lines(held(games)), ..ReportData::of_digests(plan, &digests) }
    }

    /// The numbers alone.
    pub(crate) fn of_digests(plan: &'a Plan, games: &[GameDigest]) -> ReportData<'a> {
        let engines = plan.engines.len();
        let (ledger, series, test) = follow(games, engines, plan.sprt);
        let figures = engine_figures(games, engines);
        let cross = |engine| (0..engines).map(|other| counts(ledger.between(engine, other).tally())).collect();
        ReportData {
            version: env!("CARGO_PKG_VERSION"),
            live: None,
            settings: ReportSettings { plan, limit: plan.limit.to_string(), rules: rules(plan) },
            span: span(games),
            engines: (0..engines).map(|engine| ReportEngine::of(plan, engine, &ledger, &figures[engine])).collect(),
            ratings: Ratings::of(&ledger),
            standings: table(plan, &ledger, games.iter().map(|game| &game.line)),
            cross: (0..engines).map(cross).collect(),
            black: counts(ledger.black_side()),
            sprt: plan.sprt.zip(test).map(|(plan, result)| Test::of(plan, &result)),
            series,
            notes: Vec::new(),
            played: games.len(),
            host_stalls: host_stalls(games.iter().map(|game| &game.line)),
            repeated: ledger.repeated(),
            repeats: all_pairs_repeat(games),
            lengths: by_key(games, |game| game.plies),
            endings: by_key(games, |game| game.line.ending),
            games: Vec::new(),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("every key is a string")
    }
}

/// The games that the page holds, in their order: if there are too many, first those that somebody will look for, which
/// were lost by a fault or have no result, then the last ones.
fn held(games: &[MatchGame]) -> Vec<&MatchGame> {
    let is_usual = |game: &MatchGame| {
        let is_fault = matches!(
            game.line.ending,
            Ending::TimeUp | Ending::IllegalMove | Ending::FalseDeclaration | Ending::Crash | Ending::Stall
        );
        game.line.result().is_some() && !is_fault
    };
    let mut chosen: Vec<usize> = (0..games.len()).collect();
    chosen.sort_by_key(|&index| (is_usual(&games[index]), Reverse(index)));
    chosen.truncate(MAX_GAMES);
    chosen.sort_unstable();
    chosen.into_iter().map(|index| &games[index]).collect()
}

/// Moves of an engine's line that the page shows.
const MAX_LINE_MOVES: usize = 14;
/// Bytes of the lines of all games.
const MAX_LINES_BYTES: usize = 4 << 20;

/// The games with the lines of their engines, as far as there is room: the last games first.
fn with_lines<'a>(games: Vec<&'a MatchGame>) -> Vec<GameData<'a>> {
    let mut room = MAX_LINES_BYTES;
    let mut data: Vec<GameData> = games.iter().map(|game| GameData::of(game)).collect();
    for (game, data) in games.iter().zip(&mut data).rev() {
        let lines = column(&game.line.moves, |played| {
            let moves: Vec<&str> = played.line.split_ascii_whitespace().take(MAX_LINE_MOVES).collect();
            (!moves.is_empty()).then(|| moves.join(" "))
        });
        match room.checked_sub(lines.len()) {
            Some(left) => (room, data.lines) = (left, lines),
            None => break,
        }
    }
    data
}

/// A game as JSON, with the lines of its engines.
pub(crate) fn game_json(game: &MatchGame) -> String {
    serde_json::to_string(&with_lines(vec![game])[0]).expect("every key is a string")
}

/// Tests whether there are pairs of games, and in each the moves of both games are the same.
fn all_pairs_repeat(games: &[GameDigest]) -> bool {
    let mut by_pair: BTreeMap<u64, Vec<Option<u64>>> = BTreeMap::new();
    for played in games.iter().filter_map(|game| game.played) {
        by_pair.entry(played.pair).or_default().push(played.fingerprint);
    }
    let mut pairs = by_pair.values().filter(|pair| pair.len() == 2).peekable();
    pairs.peek().is_some() && pairs.all(|pair| pair[0] == pair[1])
}

/// Outcomes by something that games share, in the order in which it comes up first.
fn by_key<K: PartialEq>(games: &[GameDigest], key: impl Fn(&GameDigest) -> K) -> Vec<(K, Outcomes)> {
    let mut rows: Vec<(K, Outcomes)> = Vec::new();
    for game in games {
        let key = key(game);
        let at = match rows.iter().position(|row| row.0 == key) {
            Some(at) => at,
            None => {
                rows.push((key, Outcomes::default()));
                rows.len() - 1
            }
        };
        let result = match game.played.map(|played| played.winner) {
            Some(Some(Color::Black)) => 0,
            Some(None) => 1,
            Some(Some(Color::White)) => 2,
            None => 3,
        };
        rows[at].1[result] += 1;
    }
    rows
}

fn rules(plan: &Plan) -> ReportRules {
    let set = plan.rules.set.as_deref().and_then(|name| name.parse::<RuleSet>().ok());
    match plan.rules.resolve() {
        Ok(rules) => ReportRules::Known {
            set: set.map(RuleSet::name),
            entering_king: rules.entering_king.name(),
            ply_limit: rules.ply_limit,
            mate_on_last_ply: rules.mate_on_last_ply,
            checks_extend: rules.checks_extend,
            start_counts: rules.start_counts,
        },
        Err(error) => ReportRules::Unknown(error.to_string()),
    }
}

/// When the first game began and the last one ended, in UTC.
fn span(games: &[GameDigest]) -> Option<[String; 2]> {
    let times = games.iter().filter_map(|game| {
        let started = humantime::parse_rfc3339_weak(&game.line.started).ok()?;
        Some((started, started.checked_add(Duration::from_millis(game.line.duration_ms))?))
    });
    let (first, last) = times.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)))?;
    Some([first, last].map(|time| humantime::format_rfc3339_seconds(time).to_string()))
}

fn counts(tally: ResultTally) -> [u64; 3] {
    [tally.wins, tally.draws, tally.losses]
}

impl<'a> ReportEngine<'a> {
    fn of(plan: &'a Plan, index: usize, ledger: &Ledger, figures: &Figures) -> ReportEngine<'a> {
        let engine = &plan.engines[index];
        let total: Encounter = ledger.total(index);
        ReportEngine {
            name: &engine.name,
            command: &engine.command,
            folder: engine.folder.as_ref().map(|folder| folder.display().to_string()),
            options: &engine.options,
            limit: engine.limit.map(|limit| limit.to_string()).unwrap_or_default(),
            tally: counts(total.tally()),
            points: total.tally().points(),
            colors: total.by_color().map(counts),
            penta: total.pentanomial().0,
            strength: Estimate::of(total.sample()).map(|estimate| Strength::of(&estimate)),
            millis: figures.average_millis().map(|millis| round(millis, 10.0)),
            longest: figures.longest,
            depth: figures.average_depth().map(|depth| round(depth, 10.0)),
            nps: figures.nodes_per_second().map(f64::round),
            time_losses: figures.time_losses,
            illegal_moves: figures.illegal_moves,
            crashes: figures.crashes,
            host_stalls: figures.host_stalls,
        }
    }
}

impl Strength {
    fn of(estimate: &Estimate) -> Strength {
        Strength {
            score: estimate.score,
            elo: estimate.elo.to_string(),
            normalised: estimate.normalised.as_ref().map(Interval::to_string),
            los: estimate.los,
        }
    }
}

impl Ratings {
    fn of(ledger: &Ledger) -> Ratings {
        let ratings = RatingList::of(ledger);
        let place = |(at, rating): (usize, &crate::arena::stats::Rating)| Rating {
            engine: rating.engine,
            elo: round(rating.elo, 10.0),
            error: round(rating.error, 10.0),
            los: ratings.ratings.get(at + 1).map(|next| ratings.los(rating.engine, next.engine)),
        };
        Ratings {
            list: ratings.ratings.iter().enumerate().map(place).collect(),
            advantage: ratings.advantage.to_string(),
            connected: ratings.connected,
        }
    }
}

impl Test {
    fn of(plan: SprtPlan, result: &TestResult) -> Test {
        Test {
            plan,
            llr: round(result.status.llr, 1_000.0),
            lower: round(result.status.lower, 1_000.0),
            upper: round(result.status.upper, 1_000.0),
            verdict: result.verdict(),
            after: result.decision.map(|decision| decision.1),
        }
    }
}

impl<'a> GameData<'a> {
    fn of(game: &'a MatchGame) -> GameData<'a> {
        let line = &game.line;
        GameData {
            game: line.game,
            pair: line.pair,
            round: line.round,
            engines: game.players,
            result: game.played().map(|played| result_number(played.winner)),
            ending: line.ending,
            start: (line.start != Position::startpos().to_sfen()).then_some(&line.start),
            opening_plies: line.opening_plies,
            columns: Columns::of(&line.moves),
            lines: String::new(),
            last_millis: line.last_millis,
            detail: &line.detail,
            started: &line.started,
            duration_ms: line.duration_ms,
        }
    }
}

/// A result as the page takes it: 1 for black, -1 for white, 0 for a draw.
pub(crate) fn result_number(winner: Option<Color>) -> i8 {
    match winner {
        Some(Color::Black) => 1,
        Some(Color::White) => -1,
        None => 0,
    }
}

/// A score as the page takes it.
pub(crate) fn score_text(score: ReportedScore) -> String {
    match score {
        ReportedScore::Mate(plies) => format!("#{plies}"),
        ReportedScore::UnknownMate { wins: true } => "#+".to_string(),
        ReportedScore::UnknownMate { wins: false } => "#-".to_string(),
        ReportedScore::Centipawns(centipawns) => centipawns.to_string(),
    }
}

fn score(played: &MoveLine) -> Option<String> {
    played.told_score().and_then(InfoScore::exact).map(score_text)
}

/// Values of one kind of all moves, with commas between; nothing if no move has one.
fn column<T: ToString>(moves: &[MoveLine], of: impl Fn(&MoveLine) -> Option<T>) -> String {
    let cells: Vec<String> =
        moves.iter().map(|played| of(played).map(|cell| cell.to_string()).unwrap_or_default()).collect();
    if cells.iter().all(String::is_empty) { String::new() } else { cells.join(",") }
}
