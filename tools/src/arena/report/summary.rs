//! The results of a match for other programs: `summary.json` and `summary.csv`, a row an engine.

use super::figures::{Figures, GameDigest, engine_figures, follow, round};
use crate::arena::folder::MatchFolder;
use crate::arena::pairing::Pairing;
use crate::arena::plan::Plan;
use crate::arena::standings::{TableRow, table};
use crate::arena::stats::{Estimate, Ledger, RatingList, ResultTally};
use komainu::notation::json::GameLine;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Name of the summary as JSON.
pub const JSON_FILE: &str = "summary.json";
/// Name of the summary as CSV.
pub const CSV_FILE: &str = "summary.csv";

/// Results of a match; a number that is infinite or unknown is `null`.
#[derive(Serialize)]
struct Summary<'a> {
    version: &'static str,
    limit: String,
    /// Games that the plan has here.
    planned: u64,
    /// Games that count: with a result, and of equal games one.
    games: u64,
    /// Games that do not count because they or their partners are equal to games that do.
    repeated: u64,
    /// Games that count for nobody, with those of the next figure.
    without_result: u64,
    /// Games lost on time while the machine stood still.
    host_stalls: u64,
    engines: Vec<EngineRow<'a>>,
    /// The table of a tournament, the first place first.
    #[serde(skip_serializing_if = "Option::is_none")]
    standings: Option<Vec<StandingRow<'a>>>,
    pairings: Vec<PairingRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<SprtRow>,
}

/// An engine against all others. Field names are the columns of the CSV file, but for options and files.
#[derive(Serialize)]
struct EngineRow<'a> {
    name: &'a str,
    id: &'a str,
    /// Options that it was sent.
    options: BTreeMap<&'a str, &'a str>,
    /// SHA-256 of its program and of the files of its options, by their paths.
    files: BTreeMap<&'a str, &'a str>,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    score: Option<f64>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    los: Option<f64>,
    rating: Option<f64>,
    rating_error: Option<f64>,
    /// Pairs of games in which it made 0, 1/2, 1, 3/2 and 2 points.
    pentanomial: [u64; 5],
    illegal: u64,
    timeouts: u64,
    crashes: u64,
    host_stalls: u64,
    millis: Option<f64>,
    depth: Option<f64>,
    nps: Option<f64>,
}

/// A row of the table of a tournament, by the name of its engine.
#[derive(Serialize)]
struct StandingRow<'a> {
    name: &'a str,
    #[serde(flatten)]
    row: TableRow,
}

#[derive(Serialize)]
struct PairingRow<'a> {
    engine: &'a str,
    opponent: &'a str,
    wins: u64,
    draws: u64,
    losses: u64,
}

#[derive(Serialize)]
struct SprtRow {
    elo0: f64,
    elo1: f64,
    llr: f64,
    lower: f64,
    upper: f64,
    /// `H0` or `H1`, `null` while the test goes on.
    verdict: Option<&'static str>,
}

pub fn json(folder: &MatchFolder) -> String {
    let mut text = serde_json::to_string_pretty(&Summary::of(folder)).expect("every key is a string");
    text.push('\n');
    text
}

/// The columns of the CSV file: fields of [`EngineRow`].
const COLUMNS: &str = "name,id,games,wins,draws,losses,points,score,elo,elo_low,elo_high,los,rating,rating_error,\
                       pentanomial,illegal,timeouts,crashes,host_stalls,millis,depth,nps";

/// The engines of the summary as CSV by RFC 4180, UTF-8, the names of the columns first.
pub fn csv(folder: &MatchFolder) -> String {
    let mut text = format!("{COLUMNS}\r\n");
    for row in Summary::of(folder).engines {
        let row = serde_json::to_value(row).expect("every key is a string");
        let cells: Vec<String> = COLUMNS.split(',').map(|column| cell(&row[column])).collect();
        text += &(cells.join(",") + "\r\n");
    }
    text
}

/// A value as a cell; what is unknown is empty.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n', '\r']) => format!("\"{}\"", text.replace('"', "\"\"")),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(" "),
        // A whole number without its ".0".
        other => other.as_f64().map_or_else(|| other.to_string(), |number| number.to_string()),
    }
}

impl<'a> Summary<'a> {
    fn of(folder: &'a MatchFolder) -> Summary<'a> {
        let MatchFolder { plan, games, .. } = folder;
        let engines = plan.engines.len();
        let digests: Vec<GameDigest> = games.iter().map(GameDigest::of).collect();
        let (ledger, _, test) = follow(&digests, engines, plan.sprt);
        let figures = engine_figures(&digests, engines);
        let named = |table: Vec<TableRow>| {
            table.into_iter().map(|row| StandingRow { name: &plan.engines[row.engine].name, row }).collect()
        };
        let list = RatingList::of(&ledger);
        let rows = (0..engines).map(|engine| EngineRow::of(plan, engine, &ledger, &figures[engine], &list));
        let without_result = games.iter().filter(|game| game.played().is_none()).count();
        let sprt = plan.sprt.zip(test).map(|(plan, test)| SprtRow {
            elo0: plan.elo0,
            elo1: plan.elo1,
            llr: round(test.status.llr, 1_000.0),
            lower: round(test.status.lower, 1_000.0),
            upper: round(test.status.upper, 1_000.0),
            verdict: test.verdict(),
        });
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            limit: plan.limit.to_string(),
            planned: Pairing::new(plan).map_or(0, |pairing| pairing.share()),
            games: ledger.games(),
            repeated: ledger.repeated(),
            without_result: without_result as u64,
            host_stalls: host_stalls(games.iter().map(|game| &game.line)),
            engines: rows.collect(),
            standings: table(plan, &ledger, games.iter().map(|game| &game.line)).map(named),
            pairings: pairings(plan, &ledger),
            sprt,
        }
    }
}

/// Games that were lost on time while the machine stood still.
pub fn host_stalls<'a>(games: impl Iterator<Item = &'a GameLine>) -> u64 {
    games.filter(|line| line.host_stall_ms.is_some()).count() as u64
}

fn pairings<'a>(plan: &'a Plan, ledger: &Ledger) -> Vec<PairingRow<'a>> {
    let mut rows = Vec::new();
    for (one, engine) in plan.engines.iter().enumerate() {
        for (other, opponent) in plan.engines.iter().enumerate().skip(one + 1) {
            let tally = ledger.between(one, other).tally();
            if tally.games() > 0 {
                let ResultTally { wins, draws, losses } = tally;
                rows.push(PairingRow { engine: &engine.name, opponent: &opponent.name, wins, draws, losses });
            }
        }
    }
    rows
}

fn shown(texts: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}

impl<'a> EngineRow<'a> {
    fn of(plan: &'a Plan, index: usize, ledger: &Ledger, figures: &Figures, list: &RatingList) -> EngineRow<'a> {
        let engine = &plan.engines[index];
        let total = ledger.total(index);
        let tally = total.tally();
        let estimate = Estimate::of(total.sample());
        let finite = |value: f64, parts| Some(round(value, parts)).filter(|value| value.is_finite());
        let elo = |of: fn(&Estimate) -> f64| estimate.as_ref().and_then(|estimate| finite(of(estimate), 100.0));
        let rating = list.ratings.iter().find(|rating| rating.engine == index && rating.tally.games() > 0);
        EngineRow {
            name: &engine.name,
            id: engine.identity.as_ref().map_or("", |identity| &identity.id_name),
            options: shown(engine.identity.as_ref().map_or(&engine.options, |identity| &identity.options)),
            files: engine
                .identity
                .iter()
                .flat_map(|known| shown(&known.files).into_iter().chain(shown(&known.arguments)))
                .collect(),
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            points: tally.points(),
            score: estimate.as_ref().and_then(|estimate| finite(estimate.score, 10_000.0)),
            elo: elo(|estimate| estimate.elo.value),
            elo_low: elo(|estimate| estimate.elo.low),
            elo_high: elo(|estimate| estimate.elo.high),
            los: estimate.as_ref().and_then(|estimate| finite(estimate.los, 10_000.0)),
            rating: rating.and_then(|rating| finite(rating.elo, 100.0)),
            rating_error: rating.and_then(|rating| finite(rating.error, 100.0)),
            pentanomial: total.pentanomial().0,
            illegal: figures.illegal_moves,
            timeouts: figures.time_losses + figures.stalls,
            crashes: figures.crashes - figures.stalls,
            host_stalls: figures.host_stalls,
            millis: figures.average_millis().and_then(|value| finite(value, 100.0)),
            depth: figures.average_depth().and_then(|value| finite(value, 100.0)),
            nps: figures.nodes_per_second().and_then(|value| finite(value, 1.0)),
        }
    }
}
