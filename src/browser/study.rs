//! The study of a game, part by part, and what is made of it.

use super::record::{source, study_game};
use crate::analysis::{
    AnnotateSettings, Assessment, GameFacts, GameNames, Language, OwnAnalyst, RemarkForm, RemarkSettings, SearchLimit,
    Step, Study, StudySettings, annotate_csa, annotate_kif, page_data,
};
use crate::eval::Evaluation;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Megabytes of the table of a study. A browser starts several, and a phone has little memory.
const MEGABYTES: usize = 32;

/// Nodes of the search for a node of the mate solver.
const NODES_A_MATE_NODE: u64 = 5;

#[derive(Deserialize)]
pub(super) struct Game {
    text: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    game: usize,
    /// Nodes of the search of a position.
    nodes: u64,
    /// Its best lines.
    lines: usize,
}

impl Game {
    fn settings(&self) -> StudySettings {
        let usual = StudySettings::default();
        let limit = SearchLimit::Nodes(self.nodes.max(1));
        // A node of the solver takes as long as some of the search.
        let mate_nodes = usual.mate_nodes.min(self.nodes / NODES_A_MATE_NODE);
        StudySettings { limit, lines: self.lines.clamp(1, 20), mate_nodes, ..usual }
    }
}

#[derive(Deserialize)]
pub(super) struct Question {
    #[serde(flatten)]
    game: Game,
    /// The positions of one part, in their order.
    plies: Vec<usize>,
}

/// Searches the positions of a part and hands each on as JSON. How many there were.
pub(super) fn run(
    question: &Question,
    analyst: &mut Option<OwnAnalyst>,
    on_part: &mut dyn FnMut(&str),
) -> Result<usize, String> {
    let Question { game, plies } = question;
    let settings = game.settings();
    let source = source(&game.text, &game.name, game.game)?.0;
    let study_game = study_game(&source.record);
    if let Some(ply) = plies.iter().find(|&&ply| ply > study_game.moves.len()) {
        return Err(format!("ply {ply} of {}", study_game.moves.len()));
    }
    let analyst = analyst.get_or_insert_with(|| OwnAnalyst::new(Evaluation::default(), 1, MEGABYTES, settings.rules));
    let never = AtomicBool::new(false);
    let mut study = Study::new(analyst, settings, None, &never);
    let mut hand_on = |step: Step| {
        on_part(&serde_json::to_string(&step).expect("every key is a string"));
        Ok(())
    };
    study.run(&study_game, plies, &mut hand_on).map_err(|error| error.to_string())?;
    Ok(plies.len())
}

#[derive(Deserialize)]
pub(super) struct AssessQuestion {
    #[serde(flatten)]
    game: Game,
    /// Steps that were searched; there may be more to come.
    steps: Vec<Step>,
    /// Words of annotated records are English.
    #[serde(default)]
    english: bool,
}

/// The game as its page shows it, and as annotated records.
pub(super) fn assess(question: AssessQuestion) -> Result<Value, String> {
    let game = &question.game;
    let (settings, engine) = (game.settings(), format!("Komainu {}", env!("CARGO_PKG_VERSION")));
    let source = source(&game.text, &game.name, game.game)?.0;
    let (record, text) = (&source.record, source.text.as_ref());
    let names = GameNames::of(record);
    let limits = [("nodes".to_string(), game.nodes), ("multipv".to_string(), game.lines as u64)];
    let facts = GameFacts {
        engine: engine.clone(),
        net: None,
        options: BTreeMap::from([("USI_Hash".to_string(), MEGABYTES.to_string())]),
        limits: BTreeMap::from(limits),
        rules: "default".to_string(),
        source: game.name.clone(),
        fault: source.fault.clone(),
        openings: names.openings.clone(),
        castles: names.castles.clone(),
    };
    let language = if question.english { Language::English } else { Language::Japanese };
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
    let assessment = Assessment::of(record, question.steps, &settings, None);
    let kif = annotate_kif(record, text, &assessment, &annotate);
    let csa = annotate_csa(record, text, &assessment, &annotate);
    Ok(json!({ "page": page_data(record, &assessment, settings.curve, &facts, (&kif, None)), "csa": csa }))
}
