//! The page of a long game: its size, and that it needs nothing from anywhere.

use super::forms::settings as annotations;
use komainu::notation::record::{GameRecord, RecordMove};
use komainu::notation::score::ReportedScore;
use komainu::position::Position;
use komainu::types::Move;
use komainu_tools::analysis::{
    Assessment, GameFacts, PageState, PositionResult, RemarkForm, SearchLimit, SearchedLine, Step, StudySettings,
    WinCurve, annotate_kif, game_page,
};

const PLIES: usize = 600;
/// Longer than what a million nodes give.
const LINE: usize = 25;

/// Rooks that go to and fro.
const CYCLE: [&str; 4] = ["2h3h", "8b7b", "3h2h", "7b8b"];

/// So many moves from a ply on.
fn moves(ply: usize, count: usize) -> Vec<Move> {
    CYCLE.into_iter().cycle().skip(ply % 4).take(count).map(|mv| mv.parse().unwrap()).collect()
}

#[test]
fn a_game_of_600_moves_has_a_page_under_2_megabytes_that_needs_no_network() {
    let mut record = GameRecord::new(Position::startpos());
    let mut steps = Vec::new();
    for (ply, mv) in moves(0, PLIES).into_iter().enumerate() {
        let spent = Some(std::time::Duration::from_secs(9));
        record.moves.push(RecordMove { mv, spent, comments: Vec::new() });
        let score = ReportedScore::Centipawns(if ply % 3 == 0 { 900 } else { -40 });
        let found = SearchedLine { score, depth: 21, nodes: 1_000_448, pv: moves(ply, LINE) };
        let result = PositionResult { lines: vec![found; 3], legal: 80, ..PositionResult::default() };
        steps.push(Step { ply, result, after: None, kept: None });
    }
    let curve = WinCurve::default();
    let limit = SearchLimit::Nodes(1_000_000);
    let settings = StudySettings { limit, lines: 3, curve, mate_nodes: 0, ..StudySettings::default() };
    let assessment = Assessment::of(&record, steps, &settings, None);
    let facts = GameFacts {
        engine: "Komainu".to_string(),
        net: None,
        options: Default::default(),
        limits: [("nodes".to_string(), 1_000_000)].into(),
        rules: "jsa".to_string(),
        source: "long.kif".to_string(),
        fault: None,
        openings: Default::default(),
        castles: Default::default(),
    };
    let kif = annotate_kif(&record, None, &assessment, &annotations(RemarkForm::ShogiHome));
    let page = game_page(&record, &assessment, curve, &facts, PageState { kif: &kif, index: None, is_running: false });
    assert!(page.matches("\"usi\"").count() >= 4 * PLIES, "the lines are in the page");
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("://") && !outside.contains("src=") && !outside.contains("url("), "no other address");
}
