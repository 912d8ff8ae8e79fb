use super::*;
use komainu::position::{RuleSet, START_SFEN as START};
use komainu::protocol::BestMove;
use komainu::referee::judge;
use komainu::types::Color;

const FREE: fn() -> GameRules = GameRules::default;

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn answered(sfen: &str, text: &str, rules: GameRules) -> Ruling {
    judge_answer(&position(sfen), &BestMove::read(&format!("bestmove {text}")).unwrap(), &rules)
}

fn loses_by(sfen: &str, text: &str, expected: Ending) -> String {
    let pos = position(sfen);
    match answered(sfen, text, FREE()) {
        Ruling::End(end, detail) => {
            assert_eq!((end.ending, end.winner), (expected, Some(!pos.side())), "{text}");
            detail
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn illegal_and_unreadable_answers_lose_and_are_named() {
    assert_eq!(loses_by(START, "7g7e", Ending::IllegalMove), "7g7e is not legal");
    assert_eq!(loses_by(START, "banana", Ending::IllegalMove), "\"banana\" is not a move");
    loses_by(START, "0000", Ending::IllegalMove);
    loses_by(START, "", Ending::IllegalMove);
    // Nifu, a pawn that has nowhere to go, a king left in check, a pawn drop that mates.
    loses_by("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", Ending::IllegalMove);
    loses_by("4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*4a", Ending::IllegalMove);
    loses_by("4k4/9/9/9/4r4/9/9/9/4K4 b P 1", "5i4i+", Ending::IllegalMove);
    loses_by("4k4/9/9/9/4r4/9/9/9/4K4 b P 1", "P*4e", Ending::IllegalMove);
    loses_by("8k/6G2/7G1/9/9/9/9/9/K8 b P 1", "P*1b", Ending::IllegalMove);
    assert!(matches!(answered(START, "7g7f", FREE()), Ruling::Play(_)));
}

#[test]
fn resignation_and_false_declarations_lose() {
    assert_eq!(loses_by(START, "resign", Ending::Resignation), "");
    let detail = loses_by(START, "win", Ending::FalseDeclaration);
    assert_eq!(detail, "king not in the camp or in check, 0 pieces, 0 points under CSARule27");
}

/// Black has 28 points; with one lance less 27, which is not enough for black.
const BLACK_28: &str = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1";
const BLACK_27: &str = "+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N2L7p2l 1";

#[test]
fn a_declaration_is_counted_under_the_rule_of_the_match() {
    let wins = Ruling::End(Conclusion::new(Ending::Declaration, Some(Color::Black)), String::new());
    assert_eq!(answered(BLACK_28, "win", FREE()), wins);
    loses_by(BLACK_27, "win", Ending::FalseDeclaration);
    let rules = GameRules { entering_king: EnteringKingRule::CSARule24, ..FREE() };
    let draws = Ruling::End(Conclusion::new(Ending::Impasse, None), String::new());
    assert_eq!(answered(BLACK_28, "win", rules), draws);
    let rules = GameRules { entering_king: EnteringKingRule::NoEnteringKing, ..FREE() };
    assert!(matches!(answered(BLACK_28, "win", rules), Ruling::End(end, _) if end.winner == Some(Color::White)));
}

#[test]
fn under_the_try_rule_the_kings_arrival_wins() {
    let rules = GameRules { entering_king: EnteringKingRule::TryRule, ..FREE() };
    let before = "9/4K4/9/9/9/9/9/9/k8 b - 1";
    let arrives = answered(before, "5b5a", rules);
    assert!(matches!(arrives, Ruling::PlayAndEnd(_, end) if end.winner == Some(Color::Black)), "{arrives:?}");
    assert!(matches!(answered(before, "5b4a", rules), Ruling::Play(_)));
    assert!(matches!(answered(before, "5b5a", FREE()), Ruling::Play(_)));
}

#[test]
fn a_declaration_on_the_last_ply_still_wins() {
    let last = BLACK_28.replace(" 1", " 512");
    assert!(position(&last).ply() == 512);
    assert_eq!(judge(&position(&last), &RuleSet::Denryu.rules()), None);
    let wins = Ruling::End(Conclusion::new(Ending::Declaration, Some(Color::Black)), String::new());
    assert_eq!(answered(&last, "win", RuleSet::Denryu.rules()), wins);
}
