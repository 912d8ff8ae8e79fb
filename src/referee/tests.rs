use super::*;
use crate::notation::usi::parse_move;
use crate::position::RuleSet;
use crate::types::Color;

const FREE: fn() -> GameRules = GameRules::default;

fn position(sfen: &str, moves: &str) -> Position {
    let mut pos = Position::from_sfen(sfen).unwrap();
    for text in moves.split_ascii_whitespace() {
        pos.do_move(parse_move(&pos, text).unwrap());
    }
    pos
}

fn ended(sfen: &str, moves: &str, rules: GameRules) -> Option<(Ending, Option<Color>)> {
    judge(&position(sfen, moves), &rules).map(|end| (end.ending, end.winner))
}

const START: &str = crate::position::START_SFEN;

#[test]
fn mate_and_a_side_without_moves_lose() {
    let mate = ended("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b", FREE());
    assert_eq!(mate, Some((Ending::Checkmate, Some(Color::Black))));
    // No check, and nowhere to go.
    let stale = ended("8k/5G3/7+R1/9/9/9/9/9/K8 b - 1", "4b3b", FREE());
    assert_eq!(stale, Some((Ending::NoMoves, Some(Color::Black))));
}

const KINGS_WALK: &str = "5i5h 5a5b 5h5i 5b5a ";

#[test]
fn the_fourth_occurrence_draws_and_servers_do_not_count_the_start() {
    assert_eq!(ended(START, &KINGS_WALK.repeat(2), FREE()), None);
    assert_eq!(ended(START, &KINGS_WALK.repeat(3), FREE()), Some((Ending::Repetition, None)));
    let floodgate = RuleSet::Floodgate.rules();
    assert_eq!(ended(START, &KINGS_WALK.repeat(3), floodgate), None);
    assert_eq!(ended(START, &format!("{}5i5h", KINGS_WALK.repeat(3)), floodgate), Some((Ending::Repetition, None)));
}

#[test]
fn perpetual_check_loses_for_whoever_gives_it() {
    let chase = "4k4/9/9/9/9/9/9/9/K4R3 b - 1";
    let lost = ended(chase, &"4i5i 5a4a 5i4i 4a5a ".repeat(3), FREE());
    assert_eq!(lost, Some((Ending::PerpetualCheck, Some(Color::White))));
    let chased = "4k4/9/9/9/9/9/9/9/K3R4 w - 1";
    let lost = ended(chased, &"5a4a 5i4i 4a5a 4i5i ".repeat(3), FREE());
    assert_eq!(lost, Some((Ending::PerpetualCheck, Some(Color::White))));
    // By white, on black's turn and on its own.
    let chase = "k4r3/9/9/9/9/9/9/9/4K4 w - 1";
    let lost = ended(chase, &"4a5a 5i4i 5a4a 4i5i ".repeat(3), FREE());
    assert_eq!(lost, Some((Ending::PerpetualCheck, Some(Color::Black))));
    let chased = "k3r4/9/9/9/9/9/9/9/4K4 b - 1";
    let lost = ended(chased, &"5i4i 5a4a 4i5i 4a5a ".repeat(3), FREE());
    assert_eq!(lost, Some((Ending::PerpetualCheck, Some(Color::Black))));
}

#[test]
fn a_mate_on_the_last_ply_wins_only_where_the_rules_say_so() {
    let before = |ply: u32| format!("4k4/9/4P4/9/9/9/9/9/4K4 b G {ply}");
    let mated = Some((Ending::Checkmate, Some(Color::Black)));
    let drawn = Some((Ending::PlyLimit, None));
    for (set, limit, on_last) in
        [(RuleSet::Floodgate, 256, drawn), (RuleSet::Denryu, 512, drawn), (RuleSet::Wcsc, 320, mated)]
    {
        assert_eq!(ended(&before(limit - 1), "G*5b", set.rules()), mated, "{set:?}");
        assert_eq!(ended(&before(limit), "G*5b", set.rules()), on_last, "{set:?}");
        assert_eq!(ended(&before(limit), "G*1b", set.rules()), drawn, "{set:?}");
        assert_eq!(ended(&before(limit - 1), "G*1b", set.rules()), None, "{set:?}");
    }
}

#[test]
fn endings_are_judged_in_the_order_of_the_rules() {
    let rules = GameRules { ply_limit: 100, mate_on_last_ply: true, ..FREE() };
    let judged = |sfen: &str| {
        let pos = position(sfen, "");
        judge(&pos, &rules).or_else(|| declared(&pos, &rules)).map(|end| (end.ending, end.winner))
    };
    let black = Some(Color::Black);
    let white = Some(Color::White);
    assert_eq!(judged(&START.replace(" 1", " 100")), None);
    assert_eq!(judged(&START.replace(" 1", " 101")), Some((Ending::PlyLimit, None)));
    assert_eq!(judged("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 101"), Some((Ending::Checkmate, black)));
    assert_eq!(judged("8k/9/6+R2/9/9/9/9/9/K8 w - 9"), None);
    assert_eq!(judged("K8/9/1+r7/9/9/9/9/9/8k b - 9"), Some((Ending::NoMoves, white)));
    let declare = "1K7/PPPPPPPPP/R8/9/9/9/9/9/8k b R2B4G4S 9";
    assert_eq!(judge(&position(declare, ""), &rules), None, "the side need not declare");
    assert_eq!(judged(declare), Some((Ending::Declaration, black)));
    assert_eq!(judged(&declare.replace(" 9", " 101")), Some((Ending::PlyLimit, None)));
}
