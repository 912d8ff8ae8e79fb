//! Scores and lines of every kind in the comments of a record, made by hand and read by the expressions of ShogiHome.

use super::expressions::Custom;
use komainu::notation::record::{GameRecord, RecordMove};
use komainu::notation::remark::read_remarks;
use komainu::notation::score::ReportedScore::{self, Centipawns, Mate};
use komainu::notation::{csa, kif};
use komainu::position::{Handicap, Position};
use komainu::types::{Color, Move};
use komainu_tools::analysis::{
    AnnotateSettings, Assessment, Language, PositionResult, RemarkForm, RemarkSettings, SearchLimit, SearchedLine,
    Step, StudySettings, WinCurve, annotate_csa, annotate_kif,
};

const EVEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Start, the move that is made, and a line behind it: 同, 不成 and a drop; 打 beside a gold that could move; a
/// handicap; promotion.
const GAMES: [(&str, &str, &str); 4] = [
    (EVEN, "7g7f", "3c3d 8h2b 3a2b B*4e"),
    ("4k4/9/9/9/9/9/9/4G4/4K4 b Gr2b2g4s4n4l18p 1", "5i4i", "5a5b G*5g 5b5c 5h6h"),
    (Handicap::Rook.sfen(), "3c3d", "7g7f 2b8h+ 7i8h"),
    (EVEN, "2g2f", "8c8d 2f2e 8d8e 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f P*8g"),
];

const CENTIPAWNS: [i32; 12] = [-31_000, -30_000, -29_999, -1_500, -1, 0, 1, 199, 200, 599, 29_999, 30_000];
const MATES: [i32; 8] = [1, 2, 7, 113, -1, -2, -8, -114];

fn moves(text: &str) -> Vec<Move> {
    text.split_ascii_whitespace().map(|mv| mv.parse().unwrap()).collect()
}

fn line(score: ReportedScore, pv: Vec<Move>) -> SearchedLine {
    SearchedLine { score, depth: 21, nodes: 1_003_221, pv }
}

/// A game of one move, which is worth this to the side that is to move after it. Without a line only the position
/// before the move was searched.
fn assessed(game: (&str, &str, &str), score: ReportedScore, has_line: bool) -> (GameRecord, Assessment) {
    let (start, made, pv) = game;
    let mut record = GameRecord::new(Position::from_sfen(start).unwrap());
    let made = moves(made)[0];
    record.moves.push(RecordMove::new(made));
    let result = |line| PositionResult { lines: vec![line], legal: 30, ..PositionResult::default() };
    let step = match has_line {
        true => Step { ply: 1, result: result(line(score, moves(pv))), after: None, kept: None },
        false => Step { ply: 0, result: result(line(score.turned(), vec![made])), after: None, kept: None },
    };
    let limit = SearchLimit::Nodes(1);
    let settings = StudySettings { limit, lines: 1, curve: WinCurve::SHOGIHOME, mate_nodes: 0, ..Default::default() };
    let assessment = Assessment::of(&record, vec![step], &settings, None);
    (record, assessment)
}

pub(super) fn settings(form: RemarkForm) -> AnnotateSettings {
    let remarks = RemarkSettings {
        form,
        language: Language::Japanese,
        curve: WinCurve::SHOGIHOME,
        engine: "Komainu".to_string(),
        bookmarks: true,
        nodes: false,
        candidates: true,
    };
    AnnotateSettings { remarks, replace: false, variations: 0, csa3: false, opening: None }
}

/// A number as floodgate and ShogiGUI have it.
fn number(score: ReportedScore) -> i64 {
    match score.mates() {
        Some(true) => 30_000,
        Some(false) => -30_000,
        None => score.centipawns().into(),
    }
}

#[test]
fn every_score_and_every_kind_of_move_is_read_by_the_expressions_of_shogihome() {
    for game in GAMES {
        for own in CENTIPAWNS.into_iter().map(Centipawns).chain(MATES.into_iter().map(Mate)) {
            for has_line in [true, false] {
                let (record, assessment) = assessed(game, own, has_line);
                let after = record.start.after(record.moves[0].mv);
                let score = if after.side() == Color::Black { own } else { own.turned() };
                let place = format!("{game:?} {score:?} {has_line}");
                for form in [RemarkForm::ShogiHome, RemarkForm::ShogiGui, RemarkForm::Floodgate] {
                    let text = annotate_kif(&record, None, &assessment, &settings(form));
                    let read = kif::read(&text).unwrap();
                    let comments = &read.record.moves[0].comments;
                    let place = format!("{place} {form:?} {comments:?}");
                    let custom = Custom::of(&comments.join("\n"));
                    let found = if form == RemarkForm::Floodgate { &custom.player } else { &custom.research };
                    match (form, score) {
                        (RemarkForm::ShogiHome, Mate(plies)) => assert_eq!(found.mate, Some(plies.into()), "{place}"),
                        // The mates begin at 30,000 there.
                        (RemarkForm::Floodgate, Centipawns(cp)) => {
                            assert_eq!(found.score, Some(cp.clamp(-29_999, 29_999).into()), "{place}");
                        }
                        _ => assert_eq!(found.score, Some(number(score)), "{place}"),
                    }
                    assert_eq!(custom.lines(&after), usize::from(has_line), "{place}");
                    // Our own reader finds the line whole.
                    let remarks = read_remarks(&record.start, Some(record.moves[0].mv), comments);
                    let own = if form == RemarkForm::Floodgate { remarks.player } else { remarks.research }.unwrap();
                    assert_eq!(own.line, if has_line { moves(game.2) } else { Vec::new() }, "{place}");
                }
                // In CSA floodgate's line stands before ShogiHome's.
                let text = annotate_csa(&record, None, &assessment, &settings(RemarkForm::ShogiHome));
                let comments = csa::read(&text).unwrap().record.moves.remove(0).comments;
                let custom = Custom::of(&comments.join("\n"));
                assert!(custom.player.score.is_some(), "{place} {comments:?}");
                assert!(custom.research.score.is_some() || custom.research.mate.is_some(), "{place} {comments:?}");
                assert!(comments[0].starts_with("* ") || comments[0].starts_with('【'), "{place} {comments:?}");
            }
        }
    }
}
