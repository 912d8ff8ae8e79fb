//! Next-move problems from mistakes, in ShogiHome's format (`shogihome-next-move`, version 1).
//!
//! A problem has one answer: the second best move is 15 % of winning chance behind, looked at with more nodes; the
//! mover's chance is between 5 and 95 %, and no mate in three that everyone sees is asked for.

use super::assessment::{AssessedMove, Assessment};
use super::chance::WinCurve;
use super::label::Label;
use komainu::notation::record::GameRecord;
use komainu::notation::score::ReportedScore;
use komainu::position::Position;
use komainu::types::{Color, Move};
use serde_json::{Map, Value, json};

/// The lead of the answer over the second best move, as a chance.
const LEAD: f64 = 0.15;
/// The loss of a move that makes a problem.
const LOSS: f64 = 0.20;
/// Longest mate that is too easy to be a problem, in plies.
const EASY_MATE: i32 = 3;

/// The problems of a game; `source` is the name of its file.
pub fn puzzles(record: &GameRecord, assessment: &Assessment, curve: WinCurve, source: &str) -> Vec<Value> {
    let mut pos = record.start.clone();
    let mut before: Option<(String, Move)> = None;
    let mut found = Vec::new();
    for made in &assessment.moves {
        if is_puzzle(made, curve) {
            found.push(puzzle(&pos, made, before.as_ref(), record, source));
        }
        before = Some((bare_sfen(&pos), made.mv));
        pos.do_move(made.mv);
    }
    found
}

/// The file of problems of an analysis.
pub fn puzzle_file(engine: &str, lines: usize, curve: WinCurve, problems: Vec<Value>) -> String {
    let file = json!({
        "format": "shogihome-next-move",
        "version": 1,
        "metadata": {
            "title": "Komainu",
            "engine": { "name": engine, "multiPV": lines },
            "criteria": {
                "winRateDropThreshold": 100.0 * LOSS,
                "adoptionWinRateDiff": 100.0 * LEAD,
                "acceptableWinRateDiff": 0,
                "minWinRate": 5,
                "coefficientInSigmoid": curve.scale,
            },
        },
        "problems": problems,
    });
    serde_json::to_string_pretty(&file).expect("every key is a string") + "\n"
}

fn is_puzzle(made: &AssessedMove, curve: WinCurve) -> bool {
    let Some(before) = made.before.as_ref().filter(|before| before.deep && !before.declares) else { return false };
    let [best, second, ..] = &before.lines[..] else { return false };
    let chance = curve.chance(best.score);
    let is_easy = matches!(best.score, ReportedScore::Mate(1..=EASY_MATE));
    let is_bad = matches!(made.verdict.label, Some(Label::Mistake | Label::Blunder));
    is_bad
        && made.verdict.loss >= LOSS
        && best.first() != made.mv
        && !is_easy
        && chance - curve.chance(second.score) >= LEAD
        && (0.05..=0.95).contains(&chance)
}

/// The SFEN with the counter 1.
fn bare_sfen(pos: &Position) -> String {
    pos.to_sfen_without_counter() + " 1"
}

fn puzzle(
    pos: &Position,
    made: &AssessedMove,
    before: Option<&(String, Move)>,
    record: &GameRecord,
    source: &str,
) -> Value {
    let side = made.side;
    let lines = made.before.as_ref().map(|before| &before.lines[..]).unwrap_or_default();
    let candidates: Vec<Value> = lines
        .iter()
        .enumerate()
        .map(|(place, line)| {
            let mut candidate = scored(line.first(), line.score, side);
            candidate.insert("depth".into(), line.depth.into());
            candidate.insert("accepted".into(), (place == 0).into());
            candidate.insert("pv".into(), line.pv.iter().map(Move::to_string).collect());
            Value::Object(candidate)
        })
        .collect();
    let mut actual = match made.played {
        Some(score) => scored(made.mv, score, side),
        None => Map::from_iter([("usi".to_string(), made.mv.to_string().into())]),
    };
    actual.insert("scoreSource".into(), "research".into());
    let mut origin =
        Map::from_iter([("path".to_string(), Value::from(source)), ("ply".to_string(), Value::from(made.ply))]);
    let names = [("blackPlayer", &record.players[0]), ("whitePlayer", &record.players[1]), ("date", &record.started)];
    for (key, value) in names {
        origin.extend(value.iter().map(|value| (key.to_string(), Value::from(value.as_str()))));
    }
    let mut puzzle =
        json!({ "sfen": bare_sfen(pos), "candidates": candidates, "actualMove": actual, "source": origin });
    if let Some((sfen, mv)) = before {
        puzzle["previousMove"] = json!({ "usi": mv.to_string(), "sfen": sfen });
    }
    puzzle
}

/// A move with its score from black's side.
fn scored(mv: Move, score: ReportedScore, side: Color) -> Map<String, Value> {
    let score = if side == Color::Black { score } else { score.turned() };
    let mut scored = Map::from_iter([("usi".to_string(), Value::from(mv.to_string()))]);
    match score {
        ReportedScore::Centipawns(cp) => _ = scored.insert("score".to_string(), Value::from(cp)),
        ReportedScore::Mate(plies) => _ = scored.insert("mate".to_string(), Value::from(plies)),
        // The format has no mate without a length.
        ReportedScore::UnknownMate { .. } => {}
    }
    scored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::SearchLimit;
    use crate::analysis::result::{PositionResult, Step};
    use crate::analysis::study::StudySettings;
    use crate::analyst::SearchedLine;
    use komainu::notation::usi::parse_game;

    fn settings() -> StudySettings {
        StudySettings {
            limit: SearchLimit::Nodes(1),
            lines: 2,
            curve: WinCurve { scale: 600.0 },
            mate_nodes: 0,
            ..StudySettings::default()
        }
    }

    /// White's second move is a mistake; the second best move has this score.
    fn found(second: i32, deep: bool) -> Vec<Value> {
        let record = parse_game("startpos moves 7g7f 3c3d").unwrap().record;
        let line = |mv: &str, cp: i32| SearchedLine {
            score: ReportedScore::Centipawns(cp),
            depth: 9,
            nodes: 1,
            pv: vec![mv.parse().unwrap()],
        };
        let result = PositionResult {
            lines: vec![line("8c8d", 300), line("9c9d", second)],
            played: Some(line("3c3d", -400)),
            legal: 30,
            deep,
            ..PositionResult::default()
        };
        let step = Step { ply: 1, result, after: None, kept: None };
        let assessment = Assessment::of(&record, vec![step], &settings(), None);
        puzzles(&record, &assessment, settings().curve, "a.kif")
    }

    #[test]
    fn a_mistake_with_one_answer_is_a_problem() {
        let problems = found(-100, true);
        assert_eq!(problems.len(), 1);
        let problem = &problems[0];
        assert_eq!(problem["candidates"][0]["score"], -300, "from black's side");
        assert_eq!(
            (&problem["candidates"][0]["accepted"], &problem["candidates"][1]["accepted"]),
            (&true.into(), &false.into())
        );
        assert_eq!((&problem["actualMove"]["usi"], &problem["source"]["ply"]), (&"3c3d".into(), &2.into()));
        let sfen = problem["sfen"].as_str().unwrap();
        let mut pos = Position::from_sfen(problem["previousMove"]["sfen"].as_str().unwrap()).unwrap();
        pos.do_move(problem["previousMove"]["usi"].as_str().unwrap().parse().unwrap());
        assert_eq!(bare_sfen(&pos), sfen);
        assert!(sfen.ends_with(" 1"));
        assert_eq!(found(250, true), [Value::Null; 0], "another answer is as good");
        assert_eq!(found(-100, false), [Value::Null; 0], "it was looked at once only");
    }
}
