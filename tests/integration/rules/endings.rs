//! How games end: repetition, perpetual check, declaration, ply limit (R21 to R24).

use super::view::{View, views};
use komainu::movegen::is_legal;
use komainu::position::{Cycle, Declaration, EnteringKingRule, GameRules, Handicap, Position, Repetition};
use komainu::types::{Color, Move, PieceType, Square};

/// What stands on the record after each move of a game.
fn record(view: &mut View, moves: &str) -> Vec<(usize, Option<Repetition>)> {
    let mut seen = vec![(view.pos.occurrences(), view.pos.repetition())];
    let mut keys = vec![view.pos.key()];
    let played: Vec<Move> = moves.split_whitespace().map(|text| view.mv(text)).collect();
    for (&mv, text) in played.iter().zip(moves.split_whitespace()) {
        assert!(view.allows(text), "{text} is not legal in {}", view.pos.to_sfen());
        view.pos.do_move(mv);
        seen.push((view.pos.occurrences(), view.pos.repetition()));
        keys.push(view.pos.key());
    }
    // Taking the moves back meets the same results; playing them again, too.
    for i in (0..played.len()).rev() {
        view.pos.undo();
        assert_eq!((view.pos.occurrences(), view.pos.repetition()), seen[i], "after undo to ply {i}");
        assert_eq!(view.pos.key(), keys[i]);
    }
    for &mv in &played {
        view.pos.do_move(mv);
    }
    assert_eq!((view.pos.occurrences(), view.pos.repetition()), seen[played.len()]);
    seen
}

/// The result at the end of the moves, seen by black and by white, with the number of occurrences.
fn assert_record(sfen: &str, moves: &str, occurrences: usize, result: Option<Repetition>) {
    for mut view in views(sfen) {
        let seen = record(&mut view, moves);
        assert_eq!(*seen.last().unwrap(), (occurrences, result), "{sfen} moves {moves}");
        let earlier = seen.iter().position(|(_, result)| result.is_some());
        assert!(earlier.is_none_or(|ply| ply == seen.len() - 1), "a result at ply {earlier:?} of {sfen} moves {moves}");
    }
}

/// R21 and R22, a game a line.
#[test]
fn repetitions_are_draws_or_lost_by_who_checks() {
    let rows: Vec<&str> =
        include_str!("../../data/repetitions.txt").lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(rows.len(), 21);
    for row in rows {
        let [sfen, moves, end] = row.split(" ; ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let mut game = Vec::new();
        let mut start = 0;
        let mut times = 1;
        for word in moves.split(' ') {
            if let Some(number) = word.strip_suffix("x(") {
                start = game.len();
                times = number.parse().unwrap();
            } else if word == ")" {
                let round = game[start..].to_vec();
                game.extend(round.repeat(times - 1));
            } else {
                game.push(word);
            }
        }
        let (occurrences, result) = end.split_once(' ').unwrap();
        let result = match result {
            "none" => None,
            "draw" => Some(Repetition::Draw),
            "loss" => Some(Repetition::Loss),
            "win" => Some(Repetition::Win),
            _ => panic!("{row}"),
        };
        assert_record(sfen, &game.join(" "), occurrences.parse().unwrap(), result);
    }
}

const KINGS_WALK: &str = "5i5h 5a5b 5h5i 5b5a ";

/// R21: the occurrences may be far apart and reached on different ways.
#[test]
fn occurrences_need_not_follow_each_other() {
    let long_way = "5i5h 5a5b 5h5i 5b6b 6i6h 6b5b 6h6i 5b5a ";
    let other_way = "2h1h 8b9b 1h2h 9b8b ";
    assert_record(Handicap::Even.sfen(), &[long_way, other_way, KINGS_WALK].concat(), 4, Some(Repetition::Draw));
    let mut fifth = views(Handicap::Even.sfen());
    for view in &mut fifth {
        view.play(&KINGS_WALK.repeat(4));
        assert_eq!((view.pos.occurrences(), view.pos.repetition()), (5, Some(Repetition::Draw)));
    }
}

/// R21: the same board with other hands is another position.
#[test]
fn a_board_with_different_hands_is_no_repetition() {
    // White feeds pawns to the rook and loses a move with a triangle of its king; the board comes back each time.
    let feed = "P*5f 5i5f 1a1b 5f5i 1b2b 9i9h 2b1a 9h9i ";
    for mut view in views("8k/9/9/9/9/9/9/9/K3R4 w 5p 1") {
        let board = view.pos.board_key();
        let seen = record(&mut view, &feed.repeat(4));
        assert_eq!(view.pos.board_key(), board);
        assert_eq!(view.pos.hand(view.color(Color::Black)).count(PieceType::Pawn), 4);
        assert!(seen.iter().all(|&occurrence| occurrence == (1, None)), "{seen:?}");
    }
}

/// A rook chases a king; black to move.
const CHASE: &str = "4k4/9/9/9/9/9/9/9/K4R3 b - 1";
const ROUND: &str = "4i5i 5a4a 5i4i 4a5a ";
const QUIET_ROUND: &str = "9i9h 5a6a 9h9i 6a5a ";

/// R22: a defender that checks with some of its answers, not with all, still wins.
#[test]
fn a_defender_that_checks_now_and_then_is_still_the_one_who_wins() {
    // The horse comes between rook and king with check; the king shuts its rook in, then opens its line with check.
    let sfen = "9/4+R4/9/1K7/9/+B1k6/9/1r7/9 b - 1";
    let round = "9f8e 7f8g 8e9f 8g7f ";
    for mut view in views(sfen) {
        assert!(view.pos.in_check());
        view.play("9f8e 7f8g");
        assert!(!view.pos.in_check());
    }
    assert_record(sfen, &round.repeat(3), 4, Some(Repetition::Loss));
}

/// R21: a search that sees a position again below its root calls it a repetition at once; older ones only together.
#[test]
fn a_repetition_within_a_search_counts_at_the_second_occurrence() {
    for mut view in views(Handicap::Even.sfen()) {
        view.play(KINGS_WALK);
        // Four plies back is the root of a search that is four plies deep, and lies below one five plies deep.
        assert_eq!(view.pos.repetition_within(4, &GameRules::default()), None);
        assert_eq!(view.pos.repetition_within(5, &GameRules::default()), Some(Repetition::Draw));
        view.play(KINGS_WALK);
        assert_eq!(view.pos.repetition_within(0, &GameRules::default()), None);
        assert_eq!(view.pos.repetition_within(4, &GameRules::default()), None);
        assert_eq!(view.pos.repetition_within(5, &GameRules::default()), Some(Repetition::Draw));
        view.play(KINGS_WALK);
        assert_eq!(view.pos.repetition_within(0, &GameRules::default()), Some(Repetition::Draw));
    }
}

/// R21: no rule knows of a board that returns with other hands; only a search may draw its conclusions.
#[test]
fn a_board_that_returns_with_other_hands_is_no_repetition() {
    let rules = GameRules::default();
    for mut view in views("4r4/9/8k/9/9/9/9/9/8K b P 1") {
        view.play("P*5e 5a5e 1i1h 5e5c 1h1i 5c5a");
        assert_eq!(view.pos.cycle_within(7, &rules), Some(Cycle::Loss));
        assert_eq!((view.pos.cycle_within(6, &rules), view.pos.repetition_within(7, &rules)), (None, None));
        view.play("1i1h 5a6a 1h1i 6a5a");
        assert_eq!(view.pos.cycle_within(5, &rules), Some(Cycle::Repetition(Repetition::Draw)));
    }
    for mut view in views("4r4/9/8k/9/9/9/9/9/8K w P 1") {
        view.play("1c2c P*5e 5a5e 1i1h 5e5a 1h2i 2c1c 2i1i");
        assert_eq!(view.pos.cycle_within(9, &rules), Some(Cycle::Gain));
    }
}

/// R22: within a search only the moves of the cycle that closes there are judged.
#[test]
fn a_perpetual_check_within_a_search_is_judged_by_its_own_cycle() {
    for mut view in views(CHASE) {
        view.play(QUIET_ROUND);
        assert_eq!(view.pos.repetition_within(5, &GameRules::default()), Some(Repetition::Draw));
        view.play(ROUND);
        assert_eq!(view.pos.repetition_within(5, &GameRules::default()), Some(Repetition::Loss));
        assert_eq!(view.pos.repetition(), None);
        view.play("4i5i");
        assert_eq!(view.pos.repetition_within(6, &GameRules::default()), Some(Repetition::Win));
        assert_eq!(view.pos.repetition_within(4, &GameRules::default()), None);
    }
}

/// R21: a pass of the search is no move of the game: nothing before it is repeated after it.
#[test]
fn a_null_move_ends_the_span_of_repetitions() {
    for mut view in views(Handicap::Even.sfen()) {
        view.play(&KINGS_WALK.repeat(2));
        view.pos.do_null_move();
        view.pos.do_null_move();
        assert_eq!((view.pos.occurrences(), view.pos.repetition_within(99, &GameRules::default())), (1, None));
        view.play(KINGS_WALK);
        assert_eq!((view.pos.occurrences(), view.pos.repetition()), (2, None));
        assert_eq!(view.pos.repetition_within(99, &GameRules::default()), Some(Repetition::Draw));
    }
}

/// R23, a position a line.
#[test]
fn declarations_win_draw_or_are_none_as_the_rule_says() {
    use EnteringKingRule::*;
    let mut rows = 0;
    for row in include_str!("../../data/declarations.txt").lines().filter(|row| !row.starts_with('#')) {
        let [sfen, count, results] = row.split(" ; ").collect::<Vec<_>>()[..] else { panic!("{row}") };
        let pos = Position::from_sfen(sfen).unwrap_or_else(|error| panic!("{sfen}: {error}"));
        let turned = pos.rotate();
        let found = pos.camp_count();
        assert_eq!(found, turned.camp_count(), "{row}");
        assert_eq!(format!("{} {} {}", found.points, found.pieces, found.king_safe_in_camp), count, "{row}");
        let letter = |pos: &Position, rule| match pos.declaration(rule) {
            None => '-',
            Some(Declaration::Draw) => 'd',
            Some(Declaration::Win) => 'w',
            Some(Declaration::Try(_)) => 't',
        };
        let words: Vec<String> = [&pos, &turned]
            .map(|pos| [CSARule27, CSARule27H, CSARule24, CSARule24H].map(|rule| letter(pos, rule)).iter().collect())
            .into();
        assert_eq!(words.join(" "), results, "{row}");
        assert_eq!(pos.declaration(NoEnteringKing), None);
        rows += 1;
    }
    assert_eq!(rows, 29);
}

/// R23: under the try rule the king's move onto the enemy king's start square wins, if it is safe there.
#[test]
fn under_the_try_rule_a_king_that_reaches_the_goal_safely_wins() {
    for (sfen, goes) in [
        ("+R8/2+NK1+R+P+P1/+P+PPS+P4/6g+b1/7p1/3g5/3+b1g+p1+p/5p3/5k+p2 b G3S3N3L7pl 1", true),
        ("9/4K4/9/9/9/9/9/9/k8 b - 1", true),
        ("9/5K3/9/9/9/9/9/9/k8 b - 1", true),
        ("5K3/9/9/9/9/9/9/9/k8 b - 1", true),
        // Out of check onto the goal, and a capture there.
        ("9/4Kr3/9/9/9/9/9/9/k8 b - 1", true),
        ("4g4/4K4/9/9/9/9/9/9/k8 b - 1", true),
        // Too far, already there, own piece there, protected piece there.
        ("9/9/4K4/9/9/9/9/9/k8 b - 1", false),
        ("4K4/9/9/9/9/9/9/9/k8 b - 1", false),
        ("4G4/4K4/9/9/9/9/9/9/k8 b - 1", false),
        ("4g3r/4K4/9/9/9/9/9/9/k8 b - 1", false),
        // Attacked: by a lance through a gap, by the other king, by a rook through the king itself.
        ("r8/4K4/9/9/9/9/9/9/k8 b - 1", false),
        ("3k5/9/3K5/9/9/9/9/9/9 b - 1", false),
        ("9/4K4/9/9/9/9/9/4r4/k8 b - 1", false),
        ("9/5K3/9/9/b8/9/9/9/k8 b - 1", false),
        // Not its turn.
        ("9/4K4/9/9/9/9/9/9/k8 w - 1", false),
    ] {
        for view in views(sfen) {
            let goal = view.square(Square::S5A);
            let king = view.pos.king(view.color(Color::Black)).expect("a king");
            let expected = if goes { Some(Declaration::Try(Move::board(king, goal))) } else { None };
            assert_eq!(view.pos.declaration(EnteringKingRule::TryRule), expected, "{sfen}");
            assert!(!goes || is_legal(&view.pos, Move::board(king, goal)), "{sfen}");
        }
    }
}

/// R23: the rules are known by the names that GUIs use, in any case; the 27-point rule is the default.
#[test]
fn entering_king_rules_are_read_by_name() {
    for rule in EnteringKingRule::ALL {
        assert_eq!(rule.to_string().parse(), Ok(rule));
        assert_eq!(rule.to_string().to_lowercase().parse(), Ok(rule));
    }
    assert_eq!("csarule24h".parse(), Ok(EnteringKingRule::CSARule24H));
    let message = "CSARule28".parse::<EnteringKingRule>().unwrap_err().to_string();
    assert!(message.contains("CSARule28") && message.contains("CSARule27H"), "{message}");
    assert_eq!(EnteringKingRule::default(), EnteringKingRule::CSARule27);
}

fn limited(ply_limit: u32) -> GameRules {
    GameRules { ply_limit, ..GameRules::default() }
}

/// R24: with a limit of N plies the game is drawn after the Nth; no limit, the default, never ends it.
#[test]
fn a_ply_limit_draws_the_game_after_that_many_plies() {
    // The counter is that of the next move: with 257 on it, 256 plies have been played.
    for (counter, limit, is_drawn) in [
        (257, 256, true),
        (256, 256, false),
        (1, 1, false),
        (2, 1, true),
        (321, 320, true),
        (400, 512, false),
        (9999, 0, false),
    ] {
        let pos = Position::from_sfen(&format!("4k4/9/9/9/9/9/9/9/4K4 b - {counter}")).expect("a valid SFEN");
        assert_eq!(pos.is_past_ply_limit(&limited(limit)), is_drawn, "counter {counter}, limit {limit}");
    }
    for mut view in views("4k4/9/9/9/9/9/9/9/4K4 b - 255") {
        view.play("5i5h");
        assert!(!view.pos.is_past_ply_limit(&limited(256)));
        view.play("5a5b");
        assert!(view.pos.is_past_ply_limit(&limited(256)));
        view.pos.undo();
        assert!(!view.pos.is_past_ply_limit(&limited(256)));
    }
    assert_eq!(GameRules::default().ply_limit, 0);
}
