//! An analysed game as JSON, version 1. Scores are from black's side, `mate` in plies, positive if black mates.
//!
//! Later versions of the program add keys and change none; who reads it passes over keys that he does not know.

use super::assessment::{AssessedMove, Assessment, Phase, SideFigures, SideSummary};
use super::chance::WinCurve;
use super::label::{Label, Missed};
use super::mate_words::mate_words;
use super::pressure::Pressure;
use super::reasons::Reason;
use super::result::PositionResult;
use crate::analyst::SearchedLine;
use komainu::notation::record::{Ending, GameRecord};
use komainu::notation::score::ReportedScore;
use komainu::types::{Color, Move};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Facts beside the game.
#[derive(Clone, Debug, Default, Serialize)]
pub struct GameFacts {
    /// The name of the engine with its version.
    pub engine: String,
    /// Net that it evaluates with, or nothing.
    pub net: Option<String>,
    /// Options that were set.
    pub options: BTreeMap<String, String>,
    /// Limit of the search of a position: `nodes`, `movetime` or `depth`, and `multipv`.
    pub limits: BTreeMap<String, u64>,
    /// The rules by name.
    pub rules: String,
    /// The file that the game is from.
    pub source: String,
    /// Where reading it came to an end before the end of its text.
    pub fault: Option<String>,
    /// The names of the openings of black and white, in Japanese and English.
    pub openings: [Option<[String; 2]>; 2],
    /// The castles of both sides, in the order in which they were built.
    pub castles: [Vec<[String; 2]>; 2],
}

#[derive(Serialize)]
struct AnalysisJson<'a> {
    version: u32,
    engine: EngineJson<'a>,
    limits: &'a BTreeMap<String, u64>,
    win_scale: f64,
    rules: &'a str,
    source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: &'a Option<String>,
    start: String,
    players: [Option<&'a str>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<&'a str>,
    result: Option<ResultJson>,
    openings: &'a [Option<[String; 2]>; 2],
    castles: &'a [Vec<[String; 2]>; 2],
    moves: Vec<MoveJson<'a>>,
    /// The position after the last move.
    #[serde(rename = "final")]
    end: Option<PositionJson>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct EngineJson<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    net: &'a Option<String>,
    options: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct ResultJson {
    ending: Ending,
    winner: Option<&'static str>,
}

/// A score: centipawns, or plies to mate, or the side that mates in an unknown number of plies.
#[derive(Clone, Default, Serialize)]
struct ScoreJson {
    cp: Option<i32>,
    mate: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mates: Option<&'static str>,
    /// Words for a mate in Japanese and English.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<[String; 2]>,
}

#[derive(Serialize)]
struct MoveJson<'a> {
    ply: usize,
    usi: String,
    kif: &'a str,
    spent_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pressure: Option<Pressure>,
    before: Option<PositionJson>,
    played: Option<PlayedJson>,
    /// The position after it, as far as it was looked at.
    after: Option<AfterJson>,
    loss_p: Option<f64>,
    loss_cp: Option<i32>,
    label: Option<Label>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<Missed>,
    forced: bool,
    book: bool,
    phase: &'static str,
    #[serde(skip_serializing_if = "<[Reason]>::is_empty")]
    reasons: &'a [Reason],
}

#[derive(Serialize)]
struct AfterJson {
    #[serde(flatten)]
    score: ScoreJson,
    p_black: f64,
}

#[derive(Serialize)]
struct PlayedJson {
    #[serde(flatten)]
    score: ScoreJson,
    /// Place among the lines, from 1; `null` if it is none of them.
    line: Option<usize>,
}

#[derive(Serialize)]
struct PositionJson {
    #[serde(flatten)]
    score: ScoreJson,
    p_black: f64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    declares: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deep: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    quick: bool,
    lines: Vec<LineJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven_mate: Option<MateJson>,
}

#[derive(Serialize)]
struct MateJson {
    plies: u32,
    words: Option<[String; 2]>,
    pv: Vec<String>,
}

#[derive(Serialize)]
struct LineJson {
    usi: String,
    #[serde(flatten)]
    score: ScoreJson,
    depth: u32,
    nodes: u64,
    pv: Vec<String>,
}

#[derive(Serialize)]
struct SummaryJson {
    black: SideJson,
    white: SideJson,
}

#[derive(Serialize)]
struct SideJson {
    #[serde(flatten)]
    all: FiguresJson,
    phases: BTreeMap<&'static str, FiguresJson>,
}

#[derive(Serialize)]
struct FiguresJson {
    moves: usize,
    accuracy: Option<f64>,
    accuracy_error: Option<f64>,
    acpl: Option<f64>,
    choices: usize,
    first: Option<f64>,
    top3: Option<f64>,
    counts: BTreeMap<&'static str, usize>,
    /// Moves under pressure of time, and mistakes and blunders among them.
    pressed: usize,
    pressed_bad: usize,
}

/// The game as JSON, with line ends for people.
pub fn to_json(record: &GameRecord, assessment: &Assessment, curve: WinCurve, facts: &GameFacts) -> String {
    let value = analysis(record, assessment, curve, facts);
    serde_json::to_string_pretty(&value).expect("every key is a string") + "\n"
}

/// JSON as a value, for the page.
pub(super) fn to_value(record: &GameRecord, assessment: &Assessment, curve: WinCurve, facts: &GameFacts) -> Value {
    let value = analysis(record, assessment, curve, facts);
    serde_json::to_value(&value).expect("every key is a string")
}

fn analysis<'a>(
    record: &'a GameRecord,
    assessment: &'a Assessment,
    curve: WinCurve,
    facts: &'a GameFacts,
) -> AnalysisJson<'a> {
    let last = record.moves.len();
    let last_side = if last.is_multiple_of(2) { record.start.side() } else { !record.start.side() };
    let made = assessment.moves.iter().map(|made| of_move(made, assessment, curve));
    let end = assessment.positions[last].as_ref();
    AnalysisJson {
        version: 1,
        engine: EngineJson { name: &facts.engine, net: &facts.net, options: &facts.options },
        limits: &facts.limits,
        win_scale: curve.scale,
        rules: &facts.rules,
        source: &facts.source,
        fault: &facts.fault,
        start: record.start.to_sfen(),
        players: record.players.each_ref().map(|name| name.as_deref()),
        event: record.event_or_title(),
        started: record.started.as_deref(),
        result: record
            .conclusion
            .map(|conclusion| ResultJson { ending: conclusion.ending, winner: conclusion.winner.map(Color::name) }),
        openings: &facts.openings,
        castles: &facts.castles,
        moves: made.collect(),
        end: end.map(|result| of_position(result, last_side, assessment.chances[last])),
        summary: SummaryJson { black: of_side(&assessment.sides[0]), white: of_side(&assessment.sides[1]) },
    }
}

fn of_move<'a>(made: &'a AssessedMove, assessment: &Assessment, curve: WinCurve) -> MoveJson<'a> {
    let for_black = |chance: f64| if made.side == Color::Black { chance } else { 1.0 - chance };
    let p_black = made.best.map_or(assessment.chances[made.ply - 1], |best| for_black(curve.chance(best)));
    let played = made
        .played
        .map(|score| PlayedJson { score: of_score(score, made.side, false), line: made.place.map(|place| place + 1) });
    let loss_cp = made.best.zip(made.played).map(|(best, played)| {
        if made.place == Some(0) { 0 } else { super::accuracy::centipawn_loss(best.centipawns(), played.centipawns()) }
    });
    let declares = assessment.positions[made.ply].as_ref().is_some_and(|after| after.declares);
    MoveJson {
        ply: made.ply,
        usi: made.mv.to_string(),
        kif: &made.text,
        spent_ms: made.spent.map(|spent| u64::try_from(spent.as_millis()).unwrap_or(u64::MAX)),
        pressure: made.pressure,
        before: made.before.as_ref().map(|result| of_position(result, made.side, p_black)),
        played,
        after: assessment.scores[made.ply].map(|score| AfterJson {
            score: match made.side {
                Color::Black => of_score(score.turned(), Color::White, declares),
                Color::White => of_score(score, Color::Black, declares),
            },
            p_black: rounded(assessment.chances[made.ply], 10_000.0),
        }),
        loss_p: made.best.is_some().then(|| rounded(made.verdict.loss, 10_000.0)),
        loss_cp,
        label: made.verdict.label,
        missed: made.verdict.missed,
        forced: made.is_forced,
        book: made.in_book,
        phase: made.phase.name(),
        reasons: &made.reasons,
    }
}

fn of_position(result: &PositionResult, side: Color, p_black: f64) -> PositionJson {
    let lines = result.lines.iter().map(|line| of_line(line, side)).collect();
    let proven = result.mate.as_ref();
    PositionJson {
        score: result.score().map_or(ScoreJson::default(), |score| of_score(score, side, result.declares)),
        p_black: rounded(p_black, 10_000.0),
        declares: result.declares,
        deep: result.deep,
        quick: result.quick,
        lines,
        proven_mate: proven.map(|mate| MateJson {
            plies: mate.plies,
            words: mate_words(ReportedScore::Mate(mate.plies as i32), side, false),
            pv: texts(&mate.line),
        }),
    }
}

fn of_line(line: &SearchedLine, side: Color) -> LineJson {
    LineJson {
        usi: line.first().to_string(),
        score: of_score(line.score, side, false),
        depth: line.depth,
        nodes: line.nodes,
        pv: texts(&line.pv),
    }
}

fn texts(line: &[Move]) -> Vec<String> {
    line.iter().map(Move::to_string).collect()
}

/// The score of the side to move, which may also be able to declare a win, told from black's side.
fn of_score(score: ReportedScore, side: Color, declares: bool) -> ScoreJson {
    let words = mate_words(score, side, declares);
    match if side == Color::Black { score } else { score.turned() } {
        ReportedScore::Centipawns(cp) => ScoreJson { cp: Some(cp), ..ScoreJson::default() },
        ReportedScore::Mate(plies) => ScoreJson { mate: Some(plies), words, ..ScoreJson::default() },
        ReportedScore::UnknownMate { wins } => {
            ScoreJson { mates: Some(if wins { "black" } else { "white" }), words, ..ScoreJson::default() }
        }
    }
}

fn of_side(side: &SideSummary) -> SideJson {
    let phases = Phase::ALL.into_iter().zip(&side.phases).map(|(phase, figures)| (phase.name(), of_figures(figures)));
    SideJson { all: of_figures(&side.all), phases: phases.collect() }
}

fn of_figures(figures: &SideFigures) -> FiguresJson {
    let share = |count: usize| (figures.choices > 0).then(|| rounded(count as f64 / figures.choices as f64, 1_000.0));
    let names = ["inaccuracy", "dubious", "mistake", "blunder"];
    let mut counts: BTreeMap<&'static str, usize> = names.into_iter().zip(figures.bad).collect();
    counts.insert("good", figures.good);
    FiguresJson {
        moves: figures.moves,
        accuracy: figures.accuracy.map(|accuracy| rounded(accuracy.value, 10.0)),
        accuracy_error: figures.accuracy.and_then(|accuracy| accuracy.error).map(|error| rounded(error, 10.0)),
        acpl: figures.centipawn_loss.map(|loss| rounded(loss, 10.0)),
        choices: figures.choices,
        first: share(figures.first),
        top3: share(figures.top_three),
        counts,
        pressed: figures.pressed,
        pressed_bad: figures.pressed_bad,
    }
}

fn rounded(number: f64, by: f64) -> f64 {
    (number * by).round() / by
}
