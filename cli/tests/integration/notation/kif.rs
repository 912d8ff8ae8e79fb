//! KIF: what other programs write is understood, and faults are named.

use super::games::{fault_of, read_game, usi};
use crate::shell::is_visible;
use komainu::notation::Format;
use komainu::notation::record::{Conclusion, Ending, Parsed};
use komainu::notation::{RecordErrorKind, kif};
use komainu::position::Handicap;
use komainu::types::Color;
use std::time::Duration;

/// A record of these lines from the even start.
fn read(lines: &str) -> Parsed {
    kif::read(lines).unwrap_or_else(|error| panic!("{error}\n{lines}"))
}

fn fault(lines: &str) -> (usize, RecordErrorKind) {
    fault_of("KIF", kif::read(lines))
}

/// How a game ends whose last lines are these, after two moves, and the remarks about it.
fn end(lines: &str) -> (Option<Conclusion>, Vec<String>) {
    let parsed = read(&format!("   1 ７六歩(77)\n   2 ３四歩(33)\n{lines}\n"));
    assert_eq!(parsed.record.moves.len(), 2);
    (parsed.record.conclusion, parsed.warnings)
}

#[test]
fn a_file_of_kifu_for_windows_is_read_whole() {
    let bytes = include_bytes!("../../../../tests/data/notation/kifu-for-windows.kif");
    assert!(String::from_utf8(bytes.to_vec()).is_err() && bytes.windows(2).any(|end| end == b"\r\n"));
    let parsed = read_game(bytes, Format::of_name("A.KIF")).unwrap();
    assert_eq!(parsed.warnings, [""; 0]);
    let game = parsed.record;
    assert_eq!(game.players.clone().map(Option::unwrap), ["駒犬", "狛犬　三段"]);
    assert_eq!(game.started.as_deref(), Some("2026/11/21(土) 10:00:00"));
    assert_eq!(game.event.as_deref(), Some("駒犬杯"));
    assert_eq!(game.site.as_deref(), Some("東京・将棋会館"));
    assert_eq!(game.time_limit.as_deref(), Some("各1時間"));
    let headers = [("消費時間", "▲7△5"), ("表題", "横歩取り～①")];
    assert_eq!(game.headers, headers.map(|(key, value)| (key.to_string(), value.to_string())));
    assert_eq!(game.comments, ["開始局面のコメント。", "２行目"]);
    assert_eq!(
        usi(&game.moves),
        "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b8h+ 7i8h P*2h"
    );
    assert_eq!(game.moves[1].comments, ["&ここから"]);
    assert_eq!(game.moves[14].comments, ["*対局 評価値 -35 読み筋 △３三角(22)"]);
    assert_eq!(game.moves[14].spent, Some(Duration::from_secs(5)));
    let spent = Some(Duration::from_secs(3661));
    let won = Conclusion { ending: Ending::Resignation, winner: Some(Color::White), spent };
    assert_eq!(game.conclusion, Some(won));
    let lines: Vec<(usize, String)> = game.variations.iter().map(|line| (line.from, usi(&line.moves))).collect();
    let line = |from, moves: &str| (from, moves.to_string());
    assert_eq!(lines, [line(9, "9g9f 1c1d"), line(10, "9c9d"), line(3, "8h2b+ 3a2b")]);
    assert_eq!(game.variations[0].moves[0].comments, ["別の手"]);
    assert_eq!(game.variations[1].conclusion.unwrap().ending, Ending::Interrupted);
}

#[test]
fn what_is_written_has_the_columns_of_the_format() {
    let bytes = include_bytes!("../../../../tests/data/notation/kifu-for-windows.kif");
    let text = kif::write(&read_game(bytes, None).unwrap().record);
    for line in [
        "手合割：平手\n先手：駒犬\n後手：狛犬　三段\n手数----指手---------消費時間--\n*開始局面のコメント。\n",
        "\n   1 ７六歩(77)   ( 0:01/00:00:01)\n",
        "\n   3 ２六歩(27)   ( 0:00/00:00:01)+\n",
        "\n  10 同　歩(23)   ( 0:00/00:00:02)\n",
        "\n  16 ８八角成(22) ( 0:00/00:00:02)\n",
        "\n  18 ２八歩打     ( 0:00/00:00:02)\n  19 投了         (61:01/01:01:07)\nまで18手で後手の勝ち\n\n変化：9手\n",
        "\n  10 １四歩(13)   ( 0:00/00:00:02)+\n\n変化：10手\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn a_diagram_alone_is_a_record() {
    let text = include_str!("../../../../tests/data/notation/diagram.bod");
    let game = read_game(text.as_bytes(), Format::of_name("diagram.bod")).unwrap().record;
    let sfen = "8k/9/6P2/9/9/9/9/7R1/9 b Gr2b3g4s4n4l17p 1";
    assert_eq!(game.start.to_sfen(), sfen);
    assert!(game.moves.is_empty() && game.conclusion.is_none());
    // It is written with 玉, and without the counter of a start.
    let written = text.replace("王", "玉").replace("手数＝0  まで\n", "").replace("金\n", "金　\n");
    assert_eq!(kif::write_board(&game.start), written);
}

#[test]
fn diagrams_are_read_in_all_their_forms() {
    let text = "\
上手の持ち駒：なし
９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v香v桂v銀v金v玉v金v銀v桂v香|
|..................|
|v歩v歩v歩v歩v歩v歩v歩v歩v歩|
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七
| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八
| 香 桂 銀 金 王 金 銀 桂 香|九
+---------------------------+
下手の持ち駒：
手数＝7  ▲８八角  まで
上手番
   1 ６二銀(71)
";
    let text = text.replace("|..................|", "|・・・・・・・・・|");
    let game = read(&text).record;
    assert_eq!(game.start.to_sfen(), Handicap::TwoPieces.sfen().replace(" 1", " 8"));
    // 同 means the square in the line of the counter, hands need no blanks, promoted pieces have one character.
    let text = "\
先手の持駒：飛2金 歩十一
|v玉 ・ ・ ・ ・ ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ 杏 圭 全 と ・ ・ ・|三
| ・v馬v竜 龍 ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ 玉|九
手数=10  △８四馬  まで
   1 同　龍(64)
";
    let wrong = fault(text);
    assert!(matches!(wrong.1, RecordErrorKind::Position(_)), "{wrong:?}");
    let text = text.replace("飛2金", "角金").replace("v竜 龍", " ・ 龍");
    let game = read(&text).record;
    assert_eq!(game.start.to_sfen(), "k8/9/2+L+N+S+P3/1+b1+R5/9/9/9/9/8K b BG11P 11");
    assert_eq!(usi(&game.moves), "6d8d");
}

#[test]
fn handicaps_have_their_names() {
    for (name, board) in [
        ("右香落ち", "1nsgkgsnl/1r5b1"),
        ("三枚落ち", "lnsgkgsn1/9"),
        ("五枚落ち", "2sgkgsn1/9"),
        ("左五枚落ち", "1nsgkgs2/9"),
        ("左七枚落ち", "2sgkg3/9"),
        ("右七枚落ち", "3gkgs2/9"),
        ("飛香落ち", "lnsgkgsn1/7b1"),
        ("左香落ち", "lnsgkgsn1/1r5b1"),
        ("兩香落ち", "1nsgkgsn1/1r5b1"),
        ("九枚落ち", "4kg3/9"),
        ("トンボ＋桂香", "ln2k2nl/1r5b1"),
        ("十枚落ち　　", "4k4/9"),
    ] {
        let game = read(&format!("手合割：{name}\n下手：a\n上手：b\n   1 ４二玉(51)\n")).record;
        assert_eq!(game.start.to_sfen(), format!("{board}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"));
        assert_eq!(game.players.map(Option::unwrap), ["a", "b"]);
    }
    let written = kif::write(&read("手合割：二枚落ち\n下手：a\n   1 ４二玉(51)\n   2 投了\n").record);
    assert!(written.contains("手合割：二枚落ち\n下手：a\n上手：\n"), "{written}");
    assert!(written.ends_with("   2 投了\nまで1手で上手の勝ち\n"), "{written}");
}

#[test]
fn every_handicap_is_read_by_its_name_and_a_rare_one_is_written_as_a_diagram() {
    for handicap in Handicap::ALL {
        let text = format!("手合割：{}\n下手：a\n上手：b\n", handicap.japanese_name());
        let game = read(&text).record;
        assert_eq!(game.start.to_sfen(), handicap.sfen(), "{handicap}");
        let written = kif::write(&game);
        assert_eq!(read(&written).record.start, game.start, "{written}");
        let line = format!("手合割：{}\n", handicap.japanese_name());
        assert_eq!(written.contains(&line), Handicap::USUAL.contains(&handicap), "{written}");
    }
    let of_lishogi = read("場所：https://lishogi.org/abcdefgh\n手合割：三枚落ち\n").record;
    assert_eq!(of_lishogi.start.to_sfen(), Handicap::RightThreePieces.sfen());
}

#[test]
fn moves_are_read_however_they_are_spelled() {
    let expected = "7g7f 3c3d 8h2b+ 3a2b B*4e 6a5b 4e3d";
    for text in [
        "1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角成(88)\n4 同　銀(31)\n5 ４五角打\n6 ５二金(61)\n7 ３四角(45)",
        "1 76歩(77)\n2 34歩(33)\n3 22角成(88)\n4 同銀(31)\n5 45角打\n6 52金(61)\n7 34角不成(45)",
        "１　▲７六歩（７７）\n２　△３四歩（３３）\n３　▲２二角成\n４　△同銀\n５　▲４五角\n６　△５二金右\n７　▲３四角",
        "手数----指手--\n  1 ７六歩(77) (0:01/)\n 2 ３四歩(33)(00:01)\n 3 ２二角成(88)+\n 4 ２二同銀(31)\n 5 ４五角(00)\n 6 ５二金(61)\n 7 ３四角生(45)",
    ] {
        let parsed = read(text);
        assert_eq!(usi(&parsed.record.moves), expected, "{text}");
        assert_eq!(parsed.warnings, [""; 0], "{text}");
    }
}

#[test]
fn a_game_ends_as_its_words_say() {
    use Color::{Black, White};
    for (lines, ending, winner) in [
        ("3 投了", Ending::Resignation, Some(White)),
        ("3 詰み", Ending::Checkmate, Some(White)),
        ("3 切れ負け ( 0:10/00:00:10)", Ending::TimeUp, Some(White)),
        ("3 反則勝ち", Ending::IllegalMove, Some(Black)),
        ("3 反則負け", Ending::IllegalMove, Some(White)),
        ("3 入玉勝ち", Ending::Declaration, Some(Black)),
        ("3 不戦勝", Ending::WalkOver, Some(Black)),
        ("3 不戦敗", Ending::WalkOver, Some(White)),
        ("3 千日手", Ending::Repetition, None),
        ("3 持将棋", Ending::Impasse, None),
        ("3 中断", Ending::Interrupted, None),
        ("3 不詰", Ending::NoMate, None),
        ("3 最大手数", Ending::PlyLimit, None),
        ("3 引き分け", Ending::Draw, None),
        ("まで2手で後手の勝ち", Ending::Resignation, Some(White)),
        ("まで、2手で時間切れにより後手の勝ち", Ending::TimeUp, Some(White)),
        ("3 反則負け\nまで2手で連続王手の千日手により後手の勝ち", Ending::PerpetualCheck, Some(White)),
        ("3 切れ負け\nまで2手で後手の勝ち", Ending::TimeUp, Some(White)),
        ("3 中断\nまで2手で中断", Ending::Interrupted, None),
    ] {
        let (conclusion, warnings) = end(lines);
        assert_eq!(conclusion.map(|c| (c.ending, c.winner)), Some((ending, winner)), "{lines}");
        assert_eq!(warnings, [""; 0], "{lines}");
    }
    assert_eq!(end("3 切れ負け ( 0:10/00:00:10)").0.unwrap().spent, Some(Duration::from_secs(10)));
    for lines in ["3 天災", "まで2手で天災"] {
        let (conclusion, warnings) = end(lines);
        assert_eq!((conclusion, warnings.len()), (None, 1), "{lines}");
    }
}

#[test]
fn what_a_reader_does_not_know_costs_nothing() {
    let text = "\u{feff}#KIF version=2.0 encoding=UTF-8\nどこかの見出し：何か\n何でもない行\n手合割：平手\n変な:値\n   1 ７六歩(77)\n??\n*\n   2 ３四歩(33)\n余分：なもの\n";
    let parsed = read(text);
    assert_eq!(usi(&parsed.record.moves), "7g7f 3c3d");
    assert_eq!(parsed.warnings.len(), 2, "{:?}", parsed.warnings);
    assert_eq!(parsed.record.headers.len(), 3);
    assert_eq!(parsed.record.moves[0].comments, [""]);
}

#[test]
fn variations_hang_on_the_line_before_them() {
    let text = "\
  11 ７六歩(77)
  12 ３四歩(33)
  13 ２六歩(27)
変化：12手
  12 ８四歩(83)
  13 ７八金(69)
変化：13手
  13 ６八銀(79)
変化：15手
  15 ６六歩(67)
*lost
まで2手で中断
変化：11手
  11 ２六歩(27)
  12 ２六歩(27)
  13 ７六歩(77)
変化：12手
  12 ３四歩(33)
";
    let parsed = read(text);
    let lines: Vec<(usize, String)> =
        parsed.record.variations.iter().map(|line| (line.from, usi(&line.moves))).collect();
    let line = |from, moves: &str| (from, moves.to_string());
    assert_eq!(lines, [line(2, "8c8d 6i7h"), line(3, "7i6h"), line(1, "2g2f"), line(2, "3c3d")]);
    assert_eq!(parsed.warnings.len(), 2, "{:?}", parsed.warnings);
    assert_eq!(parsed.record.conclusion, None);
}

#[test]
fn faults_are_named_with_their_line_and_token() {
    use RecordErrorKind::*;
    let text = |token: &str| token.to_string();
    let start = "手合割：平手\n   1 ７六歩(77)\n";
    assert_eq!(fault(""), (0, NoRecord));
    assert_eq!(fault("Dear Sir: hello\n"), (1, NoRecord));
    assert_eq!(fault("手合割：百枚落ち\n   1 ７六歩(77)\n"), (1, Handicap(text("百枚落ち"))));
    assert_eq!(fault("手合割：その他\n"), (1, Handicap(text("その他"))));
    assert_eq!(fault(&format!("{start}   2 ３五歩(33)\n   3 投了\n")), (3, IllegalMove(2, text("３五歩(33)"))));
    assert_eq!(fault(&format!("{start}   2 ３五歩(33)\n")), (3, IllegalMove(2, text("３五歩(33)"))));
    assert_eq!(fault(&format!("{start}   2 ３四銀(33)\n")), (3, IllegalMove(2, text("３四銀(33)"))));
    assert_eq!(fault(&format!("{start}   2 ３四歩打\n")), (3, IllegalMove(2, text("３四歩打"))));
    assert_eq!(fault("   1 同　歩(77)\n"), (1, IllegalMove(1, text("同　歩(77)"))));
    assert_eq!(fault(&format!("{start}   2 ３四(33)\n")), (3, Unreadable(2, text("３四"))));
    assert_eq!(fault(&format!("{start}   2 ５二金\n")), (3, AmbiguousMove(2, text("５二金"))));
    assert_eq!(fault(&format!("{start}   2 投了\n   3 ２六歩(27)\n")), (4, AfterEnd(text("２六歩(27)"))));
    assert_eq!(fault(&format!("{start}変化：手\n")), (3, Variation(text("手"))));
    assert_eq!(fault("| ・ ・|一\n"), (1, RankCount(1)));
    let ranks = "| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(8);
    assert_eq!(fault(&format!("{ranks}| ・ ・ ・ ・ ・ ・ ・ ・|\n")), (9, Rank(text("| ・ ・ ・ ・ ・ ・ ・ ・|"))));
    assert!(matches!(fault(&format!("{ranks}| ・ ・ ・ ・ ・ ・ ・ ・ 歩|\n")).1, Position(_)));
    let king = format!("{ranks}| ・ ・ ・ ・ ・ ・ ・ ・ 玉|\n");
    assert_eq!(fault(&format!("後手の持駒：歩　玉\n{king}")), (1, Hand(text("玉"))));
    assert_eq!(fault(&format!("後手の持駒：歩零\n{king}")), (1, Hand(text("歩零"))));
    assert!(matches!(fault(&format!("後手の持駒：歩99\n{king}")).1, Position(_)));
}

#[test]
fn an_illegal_move_that_ended_the_game_is_left_out() {
    for (lines, winner) in [
        ("   2 ３五歩(33)\n*二歩\n   3 反則勝ち\n", Color::Black),
        ("   2 ３五歩(33)\nまで2手で先手の反則勝ち\n", Color::Black),
        ("   2 ３五歩(33)\n   3 反則勝ち\nまで2手で先手の反則勝ち\n", Color::Black),
        ("   2 ３五歩(33)\nまで2手で後手の反則負け\n\n変化：2手\n   2 ３四歩(33)\n", Color::Black),
    ] {
        let parsed = read(&format!("   1 ７六歩(77)\n{lines}"));
        assert_eq!(parsed.record.moves.len(), 1);
        let conclusion = parsed.record.conclusion.unwrap();
        assert_eq!((conclusion.ending, conclusion.winner), (Ending::IllegalMove, Some(winner)));
        assert_eq!(parsed.warnings.len(), 1);
        assert!(parsed.warnings[0].contains("move 2") && is_visible(&parsed.warnings[0]), "{:?}", parsed.warnings);
    }
}

#[test]
fn the_rule_that_an_illegal_move_breaks_is_named() {
    let moves = "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n";
    let nifu = "   5 ４五角打\n   6 ５二金(61)\n   7 ３四角(45)\n   8 ３三銀(22)\n   9 ３五歩打\n";
    let check =
        "   5 ５五角打\n   6 ５四歩(53)\n   7 ３三角成(55)\n   8 ５二玉(51)\n   9 ４三馬(33)\n  10 ７四歩(73)\n";
    for (last, rule) in [
        ("   5 ３五歩打\n", "is not legal"),
        (nifu, "is not legal: a second pawn on the file (nifu)"),
        (check, "is not legal: the king is left in check"),
    ] {
        let text = format!("{moves}{last}");
        let told = kif::read(&text).unwrap_err().to_string();
        assert!(told.ends_with(rule), "{told}");
        let excused = read(&format!("{text}  13 反則勝ち\n"));
        assert!(excused.warnings.iter().any(|warning| warning.contains(rule)), "{:?}", excused.warnings);
    }
}
