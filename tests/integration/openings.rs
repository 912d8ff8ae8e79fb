//! The names of openings, by games that were made from their definitions.

use komainu::formations::GameNames;
use komainu::notation::record::RecordMove;
use komainu::notation::usi::parse_game;
use komainu::types::{Color, File, Move, Square};

/// A line of the table: the names of Black's and White's opening, the header, the game.
struct Case {
    names: [Option<&'static str>; 2],
    header: &'static str,
    game: &'static str,
}

fn cases() -> Vec<Case> {
    let lines = include_str!("../data/openings.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let case = |line: &'static str| {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [black, white, header, _, game] = parts[..] else { panic!("{line}") };
        Case { names: [black, white].map(|name| (name != "-").then_some(name)), header, game }
    };
    lines.map(case).collect()
}

#[test]
fn openings_have_the_names_of_their_definitions_and_none_where_none_is_sure() {
    let cases = cases();
    assert!(cases.len() >= 60);
    let mut faults = Vec::new();
    for Case { names, header, game } in &cases {
        let parsed = parse_game(game).unwrap_or_else(|error| panic!("{game}: {error}"));
        assert_eq!(parsed.record.moves.len(), game.split("moves ").nth(1).unwrap().split(' ').count(), "{game}");
        let found = GameNames::of(&parsed.record);
        let openings = found.openings.each_ref().map(|name| name.as_ref().map(|name| &name[0][..]));
        let told = found.header();
        let is_right = match *header {
            "*" => true,
            "-" => told.is_none(),
            header => told.as_deref() == Some(header),
        };
        if openings != *names || !is_right {
            faults.push(format!("{game}: {openings:?} {told:?} for {names:?} {header}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_game_keeps_its_name_when_its_middle_game_goes_on() {
    // Rooks that go to and fro after the opening change nothing.
    for Case { names, game, .. } in cases().iter().filter(|case| case.names.iter().any(Option::is_some)) {
        let mut record = parse_game(game).unwrap().record;
        let mut pos = record.start.clone();
        for made in &record.moves {
            pos.do_move(made.mv);
        }
        while record.moves.len() < 60 {
            // The edge pawns and lances move, as far as they can.
            let is_at_edge = |square: Square| matches!(square.file(), File::F1 | File::F9);
            let waits =
                |mv: &Move| mv.from().is_some_and(is_at_edge) && is_at_edge(mv.to()) && pos.piece_on(mv.to()).is_none();
            let Some(mv) = pos.legal_moves().into_iter().find(waits) else { break };
            record.moves.push(RecordMove::new(mv));
            pos.do_move(mv);
        }
        let found = GameNames::of(&record);
        for (name, found) in names.iter().zip(&found.openings) {
            if let Some(name) = name {
                assert_eq!(found.as_ref().map(|found| &found[0][..]), Some(*name), "{game}");
            }
        }
    }
}

#[test]
fn a_name_of_both_sides_is_found_by_its_own_words() {
    let game = parse_game("startpos moves 7g7f 3c3d 6g6f 4c4d 2h6h 8b3b 5i4h 5a6b").unwrap().record;
    let names = GameNames::of(&game);
    assert_eq!(names.header().as_deref(), Some("相振り飛車"));
    for side in Color::ALL {
        assert!(names.has(side, "相振り飛車"));
    }
    assert!(names.has(Color::Black, "四間飛車") && !names.has(Color::White, "四間飛車"));
    assert!(GameNames::is_known("相振り飛車"));
}
