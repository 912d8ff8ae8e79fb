//! Verdicts on whole games: their figures are those of the page, missed mates are named, most labels are explained.

use komainu::eval::Evaluation;
use komainu::games::read_source;
use komainu::mate::{MateAnswer, MateLimits, Query, Solver};
use komainu::notation::record::GameRecord;
use komainu::notation::score::ReportedScore;
use komainu::position::Position;
use komainu::types::{Color, Move};
use komainu_tools::analysis::{Assessment, Label, Missed, Own, SearchLimit, Study, StudyGame, StudySettings};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

const MATE_NODES: u64 = 4_000;

/// Games of levels, with mistakes and mates that were missed.
const GAMES: [&str; 2] = ["10kyu-1", "10kyu-3"];

fn analysed(name: &str) -> (GameRecord, Assessment) {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(format!("docs/games/{name}.kif"));
    let record = read_source(name, &fs::read(path).unwrap()).remove(0).unwrap().record;
    let moves = record.moves.iter().map(|made| made.mv).collect();
    let game = StudyGame { start: record.start.clone(), moves };
    let settings =
        StudySettings { limit: SearchLimit::Nodes(4_000), mate_nodes: MATE_NODES, ..StudySettings::default() };
    let mut own = Own::new(Evaluation::default(), 1, 4, settings.rules);
    let never = AtomicBool::new(false);
    let mut steps = Vec::new();
    let mut study = Study::new(&mut own, settings, None, &never);
    for block in game.blocks(&settings) {
        let mut keep = |step| {
            steps.push(step);
            Ok(())
        };
        assert!(study.run(&game, &block, &mut keep).unwrap());
    }
    let assessment = Assessment::of(&record, steps, &settings, None);
    (record, assessment)
}

/// The mate that the solver finds by itself.
fn mate(solver: &mut Solver, pos: &Position) -> Option<Vec<Move>> {
    let limits = MateLimits { nodes: Some(MATE_NODES / 10), ..MateLimits::default() };
    match solver.solve(pos, &Query { limits, shortest: true, ..Query::default() }).answer {
        MateAnswer::Mate(mate) if mate.length <= 9 => Some(mate.line),
        _ => None,
    }
}

#[test]
fn labels_have_the_figures_of_the_graph_and_mates_and_reasons_are_told() {
    let mut bad = 0;
    let mut explained = 0;
    let mut missed = 0;
    let mut solver = Solver::new(16).unwrap();
    for name in GAMES {
        let (record, assessment) = analysed(name);
        let mut pos = record.start.clone();
        for made in &assessment.moves {
            let verdict = made.verdict;
            let for_mover = |ply: usize| {
                let black = assessment.chances[ply];
                if made.side == Color::Black { black } else { 1.0 - black }
            };
            if verdict.label.is_some_and(|label| label != Label::Good) {
                let shown = for_mover(made.ply - 1) - for_mover(made.ply);
                assert!((shown - verdict.loss).abs() < 0.005, "{name} {}: {shown} {verdict:?}", made.ply);
                bad += 1;
                explained += usize::from(!made.reasons.is_empty());
            }
            let is_mate = made.played.is_some_and(|played| matches!(played, ReportedScore::Mate(1..)));
            if let Some(line) = mate(&mut solver, &pos).filter(|line| line[0] != made.mv && !is_mate) {
                assert_eq!(verdict.missed, Some(Missed::Mate), "{name} {}: {line:?}", made.ply);
                let told = made.reasons.iter().find(|reason| reason.en.starts_with("Misses a mate in "));
                assert!(told.is_some_and(|reason| reason.line.len() <= 9), "{name} {}: {:?}", made.ply, made.reasons);
                missed += 1;
            }
            pos.do_move(made.mv);
        }
    }
    assert!(bad >= 20 && missed >= 1, "{bad} labels, {missed} mates");
    // Two in three, and among some seventy labels a share varies by a tenth from net to net.
    assert!(2 * explained >= bad, "{explained} of {bad} labels are explained");
}
