//! CSA: what servers write is understood, and faults are named.

use super::games::{fault_of, read_games, usi};
use komainu::notation::kif;
use komainu::notation::record::{Conclusion, Ending, Parsed};
use komainu::notation::{RecordErrorKind, csa};
use komainu::position::{Handicap, START_SFEN};
use komainu::types::Color;
use std::time::Duration;

fn read(text: &str) -> Parsed {
    csa::read(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn fault(text: &str) -> (usize, RecordErrorKind) {
    fault_of("CSA", csa::read(text))
}

fn millis(millis: u64) -> Option<Duration> {
    Some(Duration::from_millis(millis))
}

#[test]
fn a_file_of_floodgate_is_read_whole() {
    let bytes = include_bytes!("../../../../tests/data/notation/floodgate.csa");
    let games = read_games(bytes, None).unwrap();
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].warnings, [""; 0]);
    let game = &games[0].record;
    assert_eq!(game.players.clone().map(Option::unwrap), ["komainu_a", "komainu_b"]);
    assert_eq!(game.time_limit.as_deref(), Some("00:05+00"));
    assert_eq!(game.started.as_deref(), Some("2026/11/21 09:00:00"));
    assert!(game.event.as_deref().unwrap().starts_with("wdoor+floodgate"));
    assert_eq!(game.start.to_sfen(), START_SFEN);
    assert_eq!(usi(&game.moves), "2g2f 8c8d 2f2e 8d8e");
    assert_eq!(game.moves[0].comments, ["* 54 -8384FU +2625FU"]);
    assert_eq!((game.moves[1].spent, game.moves[2].spent), (millis(12_000), millis(1_000)));
    let lost = Conclusion { ending: Ending::TimeUp, winner: Some(Color::White), spent: millis(300_000) };
    assert_eq!(game.conclusion, Some(lost));
    assert!(game.comments.is_empty() && game.headers.is_empty());
}

#[test]
fn a_file_may_hold_several_games() {
    let games = read_games(include_bytes!("../../../../tests/data/notation/two-games.csa"), None).unwrap();
    assert_eq!(games.len(), 2);
    let [first, second] = [&games[0].record, &games[1].record];
    assert_eq!(first.players.clone().map(Option::unwrap), ["駒犬", "狛犬"]);
    assert_eq!(
        first.headers,
        [("TIME", "300+0+10"), ("MAX_MOVES", "320")].map(|(k, v)| (k.to_string(), v.to_string()))
    );
    assert_eq!(usi(&first.moves), "7g7f 3c3d 8h2b+ 3a2b");
    assert_eq!(
        first.moves.iter().map(|m| m.spent).collect::<Vec<_>>(),
        [millis(1_234), millis(500), millis(2_000), None]
    );
    assert_eq!(first.conclusion.unwrap().spent, millis(1));
    assert_eq!(second.start.to_sfen(), Handicap::TwoPieces.sfen());
    assert_eq!(usi(&second.moves), "5a4b 7g7f");
    assert_eq!(
        (&second.moves[0].comments[0], second.moves[0].spent),
        (&"a comment, with a comma".to_string(), millis(7_000))
    );
    assert_eq!(second.conclusion.unwrap().ending, Ending::Interrupted);
}

#[test]
fn the_start_is_told_in_many_ways() {
    for (text, sfen) in [
        ("V1\nPI\n+\n", START_SFEN),
        ("V2.2\n+7776FU\n", START_SFEN),
        ("PI82HI\n-\n", Handicap::Rook.sfen()),
        ("PI\nP-\n+\n", START_SFEN),
        ("P+59OU00KI00FU00FU\nP-51OU\nP-00AL\n+\n", "4k4/9/9/9/9/9/9/9/4K4 b G2P2r2b3g4s4n4l16p 1"),
        ("P-11OU\nP+00KI\nP-00AL\n+\n", "8k/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1"),
        ("P-11OU21TO\nP+99OU88RY\n-\n", "7+pk/9/9/9/9/9/9/1+R7/K8 w - 1"),
        (
            "P1 * * * * -OU * * * *\nP2\nP3+NG+NY+NK+TO+UM+RY * * *\nP9+OU *  *  *  *  *  *  *  *\n+\n",
            "4k4/9/+S+L+N+P+B+R3/9/9/9/9/9/K8 b - 1",
        ),
        ("P-51OU\nP+59OU\n-5142OU\n", "4k4/9/9/9/9/9/9/9/4K4 w - 1"),
    ] {
        // An empty rank must still be nine squares.
        let text = text.replace("P2\n", "P2 *  *  *  *  *  *  *  *  * \n");
        assert_eq!(read(&text).record.start.to_sfen(), sfen, "{text}");
    }
}

#[test]
fn handicaps_are_written_as_what_is_missing() {
    let text = csa::write(&komainu::notation::record::GameRecord::new(
        komainu::position::Position::from_sfen(Handicap::RookLance.sfen()).unwrap(),
    ));
    assert_eq!(text, "V2.2\nPI11KY82HI\n-\n");
}

#[test]
fn a_game_ends_as_its_statement_says() {
    use Color::{Black, White};
    for (lines, ending, winner) in [
        ("%TORYO", Ending::Resignation, Some(White)),
        ("%CHUDAN", Ending::Interrupted, None),
        ("%SENNICHITE", Ending::Repetition, None),
        ("%TIME_UP", Ending::TimeUp, Some(White)),
        ("%ILLEGAL_MOVE", Ending::IllegalMove, Some(White)),
        ("%+ILLEGAL_ACTION", Ending::IllegalMove, Some(White)),
        ("%-ILLEGAL_ACTION", Ending::IllegalMove, Some(Black)),
        ("%JISHOGI", Ending::Impasse, None),
        ("%KACHI", Ending::Declaration, Some(Black)),
        ("%HIKIWAKE", Ending::Draw, None),
        ("%MAX_MOVES", Ending::PlyLimit, None),
        ("%TSUMI", Ending::Checkmate, Some(White)),
        ("%FUZUMI", Ending::NoMate, None),
        ("%ERROR", Ending::Error, None),
        ("%SENNICHITE\n'summary:oute_sennichite:a win:b lose", Ending::PerpetualCheck, Some(Black)),
        ("'summary:abnormal:a win:b lose", Ending::Crash, Some(Black)),
        ("+7775FU\nT5\n%ILLEGAL_MOVE", Ending::IllegalMove, Some(White)),
        ("+7775FU\n%+ILLEGAL_ACTION\n'summary:illegal move:a lose:b win", Ending::IllegalMove, Some(White)),
    ] {
        let parsed = read(&format!("PI\n+\n{lines}\n"));
        let conclusion = parsed.record.conclusion.unwrap();
        assert_eq!((conclusion.ending, conclusion.winner), (ending, winner), "{lines}");
        assert_eq!(parsed.warnings.len(), lines.contains("7775") as usize, "{lines}");
    }
    let unknown = read("PI\n+\n%TENSAI\n");
    assert_eq!((unknown.record.conclusion, unknown.warnings.len()), (None, 1));
}

#[test]
fn moves_that_are_taken_back_are_gone() {
    let parsed = read("PI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n%MATTA\n+2726FU\n%TORYO\n");
    assert_eq!(usi(&parsed.record.moves), "7g7f 3c3d 2g2f");
    assert_eq!(parsed.warnings.len(), 1);
}

#[test]
fn what_a_reader_does_not_know_costs_nothing() {
    let parsed =
        read("V2.2\nN+\n$FOO\n$BAR:baz\n$OPENING:\nPI\n+\nT5\nhello\n'* kept\n'lost\n+7776FU\n$END_TIME:2026/11/21\n");
    assert_eq!(usi(&parsed.record.moves), "7g7f");
    assert_eq!(parsed.record.headers, [("BAR".to_string(), "baz".to_string())]);
    assert_eq!(parsed.record.ended.as_deref(), Some("2026/11/21"));
    assert_eq!(parsed.record.comments, [" kept"]);
    assert_eq!((parsed.record.players[0].as_deref(), parsed.record.opening.as_deref()), (None, None));
    assert_eq!(parsed.warnings.len(), 3, "{:?}", parsed.warnings);
}

#[test]
fn faults_are_named_with_their_line_and_token() {
    use RecordErrorKind::*;
    let text = |token: &str| token.to_string();
    assert_eq!(fault(""), (0, NoRecord));
    assert_eq!(fault("'only a comment\n/\n/\n"), (1, NoRecord));
    for pieces in [
        "PX",
        "PI82KA",
        "PI8",
        "P1-KY",
        "P1-KY * * * * * * * * *",
        "P1-XX * * * * * * * *",
        "P+00OU",
        "P+99",
        "P+9",
        "P+0AFU",
        "P",
        "P+00歩",
    ] {
        assert_eq!(fault(&format!("V2\n{pieces}\n+\n")), (2, Pieces(text(pieces))));
    }
    assert!(matches!(fault("P+59OU58OU\n+\n"), (2, Position(_))));
    assert_eq!(fault("PI\n+\n+7775FU\n"), (3, IllegalMove(1, text("+7775FU"))));
    assert_eq!(fault("PI\n+\n+7775FU\n%TORYO\n"), (3, IllegalMove(1, text("+7775FU"))));
    assert_eq!(fault("PI\n+\n+7776FU,+2726FU\n"), (3, IllegalMove(2, text("+2726FU"))));
    for unreadable in ["+77", "+7776F", "+7776FUX", "+7776XX", "+7A76FU", "+7770FU", "+歩歩"] {
        assert_eq!(fault(&format!("PI\n+\n{unreadable}\n")), (3, Unreadable(1, text(unreadable))));
    }
    for illegal in ["+7776TO", "+7777FU", "+0055OU", "+0055FU", "-3334FU", "+5554KI", "+0055TO"] {
        assert_eq!(fault(&format!("PI\n+\n{illegal}\n")), (3, IllegalMove(1, text(illegal))));
    }
    let nifu = "PI\n+\n+7776FU\n-3334FU\n+8822UM\n-3122GI\n+0045KA\n-6152KI\n+4534KA\n-2233GI\n+0035FU\n";
    let check = "PI\n+\n+7776FU\n-3334FU\n+8833UM\n-9394FU\n";
    assert_eq!(fault(check), (6, Foul(4, text("-9394FU"), komainu::movegen::Foul::KingInCheck)));
    assert_eq!(fault(nifu), (11, Foul(9, text("+0035FU"), komainu::movegen::Foul::Nifu)));
    for time in ["T", "Tx", "T1.x", "T-1", "T.5", "T99999999999999999999"] {
        assert_eq!(fault(&format!("PI\n+\n+7776FU\n{time}\n")), (4, Time(text(time))));
    }
    assert_eq!(fault("PI\n+\n%TORYO\n+7776FU\n"), (4, AfterEnd(text("+7776FU"))));
}

#[test]
fn the_title_of_a_kif_is_the_event_of_a_csa() {
    let kif = |headers: &str| kif::read(&format!("{headers}手合割：平手\n   1 ７六歩(77)\n")).unwrap().record;
    for (headers, event) in [
        ("表題：横歩取り\n", "横歩取り"),
        ("棋戦：駒犬杯\n", "駒犬杯"),
        ("表題：横歩取り\n棋戦：駒犬杯\n", "駒犬杯"),
        ("表題：駒犬杯\n棋戦：駒犬杯\n", "駒犬杯"),
        ("表題：\n棋戦：駒犬杯\n", "駒犬杯"),
    ] {
        let record = kif(headers);
        let text = csa::write(&record);
        let events: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("$EVENT:")).collect();
        assert_eq!(events, [event], "{text}");
        // Back in KIF the title is a title, and the event an event.
        assert_eq!(read(&text).record, record, "{text}");
    }
    assert!(!csa::write(&kif("表題：\n")).contains("$EVENT"));
}
