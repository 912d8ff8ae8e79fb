//! The study of a game, part by part, and what is made of it.

use super::Halt;
use super::question::Question;
use super::record::{source, study_game};
use crate::analysis::{
    AnnotateSettings, Assessment, GameFacts, GameNames, Language, Own, PageState, RemarkForm, RemarkSettings,
    SearchLimit, Step, Study, StudySettings, annotate_csa, annotate_kif, mate_words, page_data,
};
use komainu::eval::Evaluation;
use komainu::notation::score::ReportedScore;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Megabytes of the table of a study. A browser starts several, and a phone has little memory.
const MEGABYTES: usize = 32;

/// Nodes of the search for a node of the mate solver.
const NODES_A_MATE_NODE: u64 = 5;

fn settings(question: &Question) -> Result<StudySettings, String> {
    let nodes = question.number("nodes")?.ok_or("the question has no nodes")?.max(1);
    let lines = question.number("lines")?.unwrap_or(1).clamp(1, 20) as usize;
    let usual = StudySettings::default();
    // A node of the solver takes as long as some of the search.
    let mate_nodes = usual.mate_nodes.min(nodes / NODES_A_MATE_NODE);
    let settings = StudySettings { limit: SearchLimit::Nodes(nodes), lines, mate_nodes, ..usual };
    Ok(if question.0["quick"] == true { settings.quick() } else { settings })
}

/// Searches the positions of a part and hands each on as JSON. How many there were.
pub(super) fn run(
    question: &Question,
    analyst: &mut Option<Own>,
    halt: &Halt,
    on_part: &mut dyn FnMut(&str),
) -> Result<Value, String> {
    let settings = settings(question)?;
    let study_game = study_game(&source(question)?.0.record);
    let mut plies = Vec::new();
    for value in question.list("plies")? {
        let ply = value.as_u64().ok_or_else(|| format!("{value} is no ply"))? as usize;
        if ply > study_game.moves.len() {
            return Err(format!("ply {ply} of {}", study_game.moves.len()));
        }
        plies.push(ply);
    }
    let analyst = analyst.get_or_insert_with(|| {
        Own::new(Evaluation::default(), 1, MEGABYTES, settings.rules).until(halt.search.clone())
    });
    let mut study = Study::new(analyst, settings, None, &halt.study);
    let mut hand_on = |step: Step| {
        on_part(&serde_json::to_string(&step).expect("every key is a string"));
        Ok(())
    };
    let is_whole = study.run(&study_game, &plies, &mut hand_on).map_err(|error| error.to_string())?;
    if !is_whole {
        return Err("the study was stopped".to_string());
    }
    Ok(json!({ "searched": plies.len() }))
}

/// The game as its page shows it, and as annotated records.
pub(super) fn assess(mut question: Question) -> Result<Value, String> {
    // Steps that were searched; there may be more to come.
    let steps: Vec<Step> =
        serde_json::from_value(question.0["steps"].take()).map_err(|error| format!("steps: {error}"))?;
    let settings = settings(&question)?;
    let engine = format!("Komainu {}", env!("CARGO_PKG_VERSION"));
    let source = source(&question)?.0;
    let record = &source.record;
    let text = source.text.as_ref();
    let names = GameNames::of(record);
    let (limit, amount) = settings.limit.named();
    let limits = [(limit.to_string(), amount), ("multipv".to_string(), settings.lines as u64)];
    let facts = GameFacts {
        engine: engine.clone(),
        net: None,
        options: BTreeMap::from([("USI_Hash".to_string(), MEGABYTES.to_string())]),
        limits: BTreeMap::from(limits),
        rules: "default".to_string(),
        source: question.text("name")?.unwrap_or_default().to_string(),
        fault: source.fault.clone(),
        openings: names.openings.clone(),
        castles: names.castles.clone(),
    };
    let language = if question.0["english"] == true { Language::English } else { Language::Japanese };
    let remarks = RemarkSettings {
        form: RemarkForm::ShogiHome,
        language,
        curve: settings.curve,
        engine,
        bookmarks: false,
        nodes: false,
        candidates: true,
    };
    let annotate = AnnotateSettings { remarks, replace: true, variations: 0, csa3: false, opening: names.header() };
    let assessment = Assessment::of(record, steps, &settings, None);
    let kif = annotate_kif(record, text, &assessment, &annotate);
    let csa = annotate_csa(record, text, &assessment, &annotate);
    let state = PageState { kif: &kif, index: None, is_running: question.0["running"] == true };
    Ok(json!({ "page": page_data(record, &assessment, settings.curve, &facts, state), "csa": csa }))
}

/// Words for a mate that the search tells: `mate` as in USI, for the side to move.
pub(super) fn mate(question: &Question) -> Result<Value, String> {
    let told = question.needed_text("mate")?;
    let score = ReportedScore::read("mate", told).ok_or_else(|| format!("mate {told} is no score"))?;
    Ok(json!({ "words": mate_words(score, question.side("side")?, false) }))
}
