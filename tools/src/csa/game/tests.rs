use super::*;
use crate::csa::message::{Message, Protocol};
use komainu::position::RuleSet;

const SECS: fn(u64) -> Duration = Duration::from_secs;

/// The messages of lines, `;` between them.
fn messages(protocol: &mut Protocol, lines: &str) -> Vec<Message> {
    lines.split(';').filter_map(|line| protocol.read(line)).collect()
}

fn summary(more: &str, position: &str, side: char) -> Summary {
    let lines = format!(
        "BEGIN Game_Summary;Game_ID:x;Name+:a;Name-:b;Your_Turn:{side};Max_Moves:256;{more};BEGIN Time;Total_Time:300;\
         Increment:10;END Time;BEGIN Position;{position};END Position;END Game_Summary"
    );
    match messages(&mut Protocol::default(), &lines).pop() {
        Some(Message::Proposed(summary)) => *summary,
        other => panic!("{other:?}"),
    }
}

/// A game in which these lines have come.
fn game(side: char, lines: &str) -> Game {
    let mut game = Game::new(summary("", "PI;+", side), RuleSet::Floodgate.rules());
    for message in messages(&mut Protocol::default(), lines) {
        match message {
            Message::Played(played) => _ = game.play(&played, None).unwrap(),
            Message::Said(word) => game.note_said(&word),
            Message::Reason(reason) => game.note_reason(reason),
            Message::Result(result) => game.note_result(result),
            other => panic!("{other:?}"),
        }
    }
    game
}

#[test]
fn every_ending_of_a_server_is_understood_from_both_sides() {
    use Ending::*;
    // The lines after 7g7f of black, the last one without its word: how it ends, and whether White wins.
    let rows = [
        ("%TORYO;#RESIGN", Resignation, Some(false)),
        ("#TIME_UP", TimeUp, Some(false)),
        ("%KACHI,T3;%KACHI;#JISHOGI", Declaration, Some(true)),
        ("%KACHI,T3;%KACHI;#ILLEGAL_MOVE", FalseDeclaration, Some(false)),
        ("#ILLEGAL_MOVE", IllegalMove, Some(false)),
        ("-3334FU,T1;#OUTE_SENNICHITE", PerpetualCheck, Some(true)),
        ("-3334FU,T1;#SENNICHITE", Repetition, None),
        ("#MAX_MOVES", PlyLimit, None),
    ];
    for (lines, ending, white_wins) in rows {
        for side in ['+', '-'] {
            let last = match (white_wins, ending) {
                (None, PlyLimit) => "#CENSORED",
                (None, _) => "#DRAW",
                (Some(white_wins), _) if white_wins == (side == '-') => "#WIN",
                _ => "#LOSE",
            };
            let conclusion = game(side, &format!("+7776FU,T1;{lines};{last}")).conclusion();
            let winner = white_wins.map(|white| if white { Color::White } else { Color::Black });
            assert_eq!((conclusion.ending, conclusion.winner), (ending, winner), "{lines} {last}");
        }
    }
}

#[test]
fn an_end_without_a_reason_is_guessed_from_what_is_known() {
    let conclusion = |side, lines| {
        let conclusion = game(side, lines).conclusion();
        (conclusion.ending, conclusion.winner)
    };
    assert_eq!(conclusion('+', "#CHUDAN"), (Ending::Interrupted, None));
    assert_eq!(conclusion('+', "#CENSORED"), (Ending::Interrupted, None));
    assert_eq!(conclusion('+', "#DRAW"), (Ending::Draw, None));
    assert_eq!(conclusion('+', "+7776FU,T1;#WIN"), (Ending::AdjudicatedWin, Some(Color::Black)));
    assert_eq!(conclusion('+', "+7776FU,T1;%TORYO;#WIN"), (Ending::Resignation, Some(Color::Black)));
    // The line broke before the result: the reason tells it.
    assert_eq!(conclusion('+', "+7776FU,T1;#TIME_UP"), (Ending::TimeUp, Some(Color::Black)));
    assert_eq!(conclusion('+', "+7776FU,T1;#RESIGN"), (Ending::Resignation, Some(Color::Black)));
    assert_eq!(conclusion('+', "+7776FU,T1"), (Ending::Error, None));
    // A word that is not known does not hide the one that is.
    assert_eq!(conclusion('-', "#ODD;#TIME_UP;#WIN"), (Ending::TimeUp, Some(Color::White)));
}

#[test]
fn clocks_run_by_the_echoes() {
    let game = game('-', "+7776FU,T12;-3334FU,T3;+2726FU,T0;-8384FU,T1.5");
    assert_eq!(game.clocks.map(|clock| clock.left), [SECS(308), Duration::from_millis(315_500)]);
    assert_eq!((game.moves.len(), game.is_own_turn()), (4, false));
}

#[test]
fn moves_of_the_summary_are_part_of_the_game() {
    let game = Game::new(summary("", "PI;+;+7776FU,T12;-3334FU,T1", '+'), RuleSet::Floodgate.rules());
    assert_eq!(game.clocks.map(|clock| clock.left), [SECS(298), SECS(300)]);
    assert_eq!(game.position_command(&[]).to_string(), "position startpos moves 7g7f 3c3d");
    // Both count for the limit of plies, and for repetition.
    assert_eq!((game.position.ply(), game.rules.ply_limit), (3, 256));
    let moves = "+2838HI;-8272HI;+3828HI;-7282HI";
    let four = format!("PI;+;{moves};{moves};{moves};{moves}").replace(';', ",T1;").replace("PI,T1;+,T1;", "PI;+;");
    let game = Game::new(summary("", &four, '+'), RuleSet::Floodgate.rules());
    let ending = komainu::referee::judge(&game.position, &game.rules).map(|end| end.ending);
    assert_eq!(ending, Some(Ending::Repetition));
}

#[test]
fn a_handicap_is_told_to_the_engine_as_a_position() {
    let game = Game::new(summary("To_Move:-", "PI82HI22KA;-", '-'), RuleSet::Floodgate.rules());
    assert!(game.is_own_turn());
    let sfen = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert_eq!(
        game.position_command(&["3c3d".parse().unwrap()]).to_string(),
        format!("position sfen {sfen} moves 3c3d")
    );
}

#[test]
fn a_move_that_is_not_legal_here_is_told() {
    let mut game = game('+', "+7776FU,T1");
    let played = Played { side: Color::White, text: "-7776FU".into(), spent: None };
    assert_eq!(game.play(&played, None).unwrap_err().to_string(), "the server plays -7776FU, which is not legal here");
    // Nor is one out of turn.
    let played = Played { side: Color::Black, text: "+2726FU".into(), spent: None };
    assert!(game.play(&played, None).is_err());
    assert_eq!(game.moves.len(), 1);
}

#[test]
fn a_game_is_resumed_from_the_position_with_one_move_more_at_most() {
    let board = |moves: &str| {
        let mut pos = Position::startpos();
        for mv in moves.split(' ').filter(|mv| !mv.is_empty()) {
            pos.do_move(mv.parse().unwrap());
        }
        let mut record = komainu::notation::record::GameRecord::new(Position::from_sfen(&pos.to_sfen()).unwrap());
        record.players = [None, None];
        let text = csa::write(&record);
        text.lines().skip(1).collect::<Vec<_>>().join(";")
    };
    let again = |moves: &str, last: Option<&str>| {
        let mut again = summary("Reconnect_Token:new", &board(moves), '+');
        let left = [Some(SECS(77)), Some(SECS(66))];
        again.resumed = Some(super::super::summary::Resumed { left, last_move: last.map(str::to_string) });
        again
    };
    let before = game('+', "+7776FU,T12;-3334FU,T3");
    for (moves, last, count) in [("7g7f 3c3d", None, 2), ("7g7f 3c3d 2g2f", Some("+2726FU,T4"), 3)] {
        let mut game = before.clone();
        assert!(game.resume(&again(moves, last)), "{moves}");
        assert_eq!((game.moves.len(), game.clocks[Color::White].left), (count, SECS(66)));
        assert_eq!(game.summary.token.as_ref().map(|token| token.reveal()), Some("new"));
    }
    for (moves, last) in [("", None), ("7g7f 3c3d 2g2f", None), ("7g7f 3c3d 2g2f", Some("+2625FU,T1"))] {
        assert!(!before.clone().resume(&again(moves, last)), "{moves}");
    }
}

#[test]
fn a_mate_is_seen_but_not_behind_the_limit_of_plies() {
    let mated = "P1 *  *  *  * -OU *  *  *  *;P2 *  *  *  * +KI;P3 *  *  *  * +FU;P9 *  *  *  * +OU;-";
    let mated = mated.replace("P2 *  *  *  * +KI;", "P2 *  *  *  * +KI *  *  *  *;");
    let mated = mated.replace("+FU;", "+FU *  *  *  *;").replace("+OU;", "+OU *  *  *  *;");
    let game = Game::new(summary("", &mated, '-'), RuleSet::Floodgate.rules());
    assert!(game.is_mated());
    let mut late = game.clone();
    late.rules.ply_limit = 1;
    assert!(late.is_mated());
    late.position = Position::from_sfen("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 9").unwrap();
    assert!(!late.is_mated());
}
