use super::*;

/// Plays a conversation: `> command` and `< answer`, one a line. Returns the faults, those of the end included.
fn faults(conversation: &str) -> Vec<ProtocolFault> {
    let mut checker = Checker::new();
    let mut faults = Vec::new();
    for line in conversation.lines().map(str::trim_start) {
        match line.split_at(1) {
            (">", command) => checker.command(command),
            ("<", answer) => faults.extend(checker.answer(answer.strip_prefix(' ').unwrap_or(answer))),
            _ => panic!("{line}"),
        }
    }
    faults.extend(checker.finish());
    faults
}

fn rules(conversation: &str) -> Vec<Rule> {
    faults(conversation).iter().map(|fault| fault.rule).collect()
}

/// The rules broken by one line in a search of the start position.
fn rules_of_info(line: &str) -> Vec<Rule> {
    rules(&format!("> go infinite\n< info {line}"))
}

/// The rules broken by this answer to a `go`, before which 7g7f was told.
fn rules_of_answer(answer: &str) -> Vec<Rule> {
    rules(&format!("> go nodes 9\n< info score cp 1 pv 7g7f\n< {answer}"))
}

fn rules_of_option(option: &str) -> Vec<Rule> {
    rules(&format!("> usi\n< id name X\n< id author Y\n< {option}\n< usiok"))
}

#[test]
fn a_whole_game_has_no_fault() {
    let game = "> usi
        < id name X 1.0
        < id author Y
        < option name USI_Hash type spin default 128 min 1 max 1024
        < usiok
        > setoption name USI_Hash value 64
        > isready
        <
        < readyok
        > usinewgame
        > position startpos
        > go btime 0 wtime 0 byoyomi 1000
        < info depth 1 seldepth 2 time 1 nodes 40 nps 40000 hashfull 0 score cp 12 pv 7g7f 3c3d
        < info string any  text > go
        < info depth 2 time 9 nodes 90 score mate -4 pv 2g2f
        < bestmove 2g2f ponder 8c8d
        > position startpos moves 2g2f 8c8d
        > go ponder btime 0 wtime 0 byoyomi 1000
        < info depth 1 score mate + upperbound pv 7g7f
        > ponderhit
        < bestmove 7g7f
        > gameover win
        > go mate 1000
        < checkmate notimplemented
        > quit";
    assert_eq!(faults(game), []);
}

#[test]
fn faults_name_the_word_and_the_rule() {
    let shown = |conversation| faults(conversation)[0].to_string();
    assert_eq!(shown("> go nodes 1\n< bestmove 9a9b"), "bestmove \"9a9b\": not legal in the position");
    assert_eq!(shown("> isready"), "readyok: missing");
    assert_eq!(shown("> usi\n< 歩"), "line \"歩\": not printable ASCII throughout");
}

#[test]
fn lines_are_ascii_words_with_single_blanks() {
    assert_eq!(rules("> isready\n< readyok\r"), []);
    assert_eq!(rules("> isready\n< readyok "), [Rule::Blanks]);
    assert_eq!(rules("> go infinite\n<  info depth 1"), [Rule::Blanks]);
    assert_eq!(rules_of_info("depth  1"), [Rule::Blanks]);
    assert_eq!(rules_of_info("depth 1  string a"), [Rule::Blanks]);
    assert_eq!(rules_of_info("string a  b"), []);
    assert_eq!(rules_of_info("string é"), [Rule::Ascii]);
    assert_eq!(rules("> setoption name 歩\n> go infinite\n< info string 歩"), []);
    assert_eq!(rules("> setoption name 歩\n> go infinite\n< info string 歩\u{85}"), [Rule::Ascii]);
    assert_eq!(rules("> setoption name 歩\n> go infinite\n< info 歩"), [Rule::Ascii, Rule::Word]);
    assert_eq!(rules_of_info("string a\tb"), [Rule::Ascii]);
    assert_eq!(rules_of_info("string a\rb"), [Rule::Ascii]);
    assert_eq!(rules("> foobar\n< unknown command"), [Rule::FreeText]);
    assert_eq!(rules("> foobar\n< infodepth"), [Rule::FreeText]);
}

#[test]
fn empty_lines_keep_alive_while_isready_is_open() {
    assert_eq!(rules("> isready\n<\n<\n< readyok"), []);
    assert_eq!(rules("> isready\n< readyok\n<"), [Rule::KeepAlive]);
}

#[test]
fn nothing_is_said_before_the_first_command() {
    assert_eq!(rules("< info string hello"), [Rule::Unprompted]);
    assert_eq!(rules(">\n< info string hello"), [Rule::Unprompted]);
    assert_eq!(rules("> isready\n< info string hello\n< readyok"), []);
}

#[test]
fn the_answer_to_usi_is_whole() {
    assert_eq!(rules("> usi\n< id name X\n< id author Y\n< usiok\n> usi\n< id name X\n< id author Y\n< usiok"), []);
    assert_eq!(rules("> usi\n< usiok"), [Rule::Missing, Rule::Missing]);
    assert_eq!(rules("> usi\n< id author Y\n< id name X\n< usiok"), [Rule::NameFirst, Rule::Missing]);
    assert_eq!(rules("> usi\n< id name X\n< id name Y\n< id author Y\n< usiok"), [Rule::Twice]);
    assert_eq!(rules("> usi\n< id name X\n< id author Y\n< id version 1\n< usiok"), [Rule::Word]);
    assert_eq!(rules("> usi\n< id name X\n< id author Y\n< usiok now"), [Rule::TrailingText]);
    assert_eq!(rules("> usi"), [Rule::Missing]);
    assert_eq!(rules("> isready\n< usiok\n< readyok"), [Rule::Unasked]);
    assert_eq!(rules("> isready\n< id name X\n< readyok"), [Rule::Unasked]);
    assert_eq!(rules("> usi\n< option name A type button\n< id name X\n< id author Y\n< usiok"), [Rule::NameFirst]);
}

#[test]
fn options_of_all_kinds_are_understood() {
    for good in [
        "USI_Ponder type check default false",
        "A type spin default -1 min -5 max 0",
        "A type combo default b var a var b",
        "A type button",
        "A type string default <empty>",
        "A type filename default C:/my books/a.db",
        "MultiPV type spin default 1 min 1 max 600",
    ] {
        assert_eq!(rules_of_option(&format!("option name {good}")), [], "{good}");
    }
    for (bad, rule) in [
        ("A", Rule::Missing),
        ("A type", Rule::Missing),
        ("A kind check default true", Rule::Word),
        ("Skill Level type spin default 1 min 1 max 2", Rule::Word),
        ("A type text default x", Rule::Word),
        ("A type check default True", Rule::Word),
        ("A type check", Rule::Missing),
        ("A type spin default 1 min 1", Rule::Missing),
        ("A type spin default x min 1 max 2", Rule::Number),
        ("A type spin min 1 max 2 default 1", Rule::Missing),
        ("A type spin default 3 min 1 max 2", Rule::Range),
        ("A type spin default 1 min 1 max 2 step 1", Rule::TrailingText),
        ("A type combo default c var a var b", Rule::DefaultAmongVars),
        ("A type combo default a var a b", Rule::Word),
        ("A type combo default a var a var", Rule::Missing),
        ("A type button default 1", Rule::TrailingText),
        ("A type string", Rule::Missing),
        ("USI_Own type check default true", Rule::Reserved),
        ("USI_Hash type string default 1", Rule::ReservedType),
    ] {
        assert_eq!(rules_of_option(&format!("option name {bad}")), [rule], "{bad}");
    }
    assert_eq!(rules_of_option("option A type button"), [Rule::Missing]);
    assert_eq!(rules_of_option("option name A type button\n< option name a type button"), [Rule::Twice]);
}

#[test]
fn one_readyok_answers_one_isready() {
    assert_eq!(rules("> isready\n> isready\n< readyok\n< readyok"), []);
    assert_eq!(rules("> isready\n< readyok\n< readyok"), [Rule::Unasked]);
    assert_eq!(rules("> go infinite\n> isready\n< readyok"), []);
    assert_eq!(rules("> isready\n< readyok."), [Rule::FreeText, Rule::Missing]);
}

#[test]
fn info_has_words_and_numbers_of_the_protocol() {
    for good in [
        "depth 3 seldepth 5 time 0 nodes 0 nps 0 hashfull 1000 cpuload 500",
        "currmove 7g7f currmovenumber 1",
        "score cp -30 lowerbound",
        "score mate -",
        "depth 1 score cp 1 pv 7g7f 3c3d string end",
        "refutation 7g7f 3c3d",
        "currline 1 7g7f 3c3d",
    ] {
        assert_eq!(rules_of_info(good), [], "{good}");
    }
    for (bad, rule) in [
        ("depth", Rule::Missing),
        ("depth time 3", Rule::Missing),
        ("depth x", Rule::Number),
        ("depth -1", Rule::Number),
        ("nodes 99999999999999999999", Rule::Number),
        ("hashfull 1001", Rule::Number),
        ("multipv 0", Rule::Number),
        ("seldepth 3", Rule::Missing),
        ("depth 1 depth 2", Rule::Twice),
        ("fancy", Rule::Word),
        ("score", Rule::Missing),
        ("score cp", Rule::Missing),
        ("score cp +5", Rule::Number),
        ("score cp 1.5", Rule::Number),
        ("score cp -", Rule::Number),
        ("score win 3", Rule::Word),
        ("score mate 0", Rule::MateInZero),
        ("score mate -0", Rule::MateInZero),
        ("lowerbound", Rule::Word),
        ("pv", Rule::Missing),
        ("pv win", Rule::Move),
        ("pv 7g7f rep_draw", Rule::Move),
        ("currmove 0000", Rule::Move),
        ("currmove 7g7e", Rule::Legal),
    ] {
        assert_eq!(rules_of_info(bad), [rule], "{bad}");
    }
    assert_eq!(rules("> go infinite\n< info"), [Rule::Missing]);
}

#[test]
fn lines_are_legal_to_their_last_move() {
    assert_eq!(rules_of_info("pv 7g7f 3c3d 8h2b+ 3a2b B*4e"), []);
    assert_eq!(rules_of_info("pv 7g7f 3c3d 8h2b+ 3a2b B*2b"), [Rule::Legal]);
    assert_eq!(rules_of_info("pv 3c3d"), [Rule::Legal]);
    let twice = "> go infinite\n< info pv 7g7f 3c3d\n< info pv 7g7f 3c3d";
    assert_eq!(rules(twice), [], "the position is put back after each line");
}

#[test]
fn bestmove_is_a_legal_move_with_a_legal_answer_or_a_word() {
    for good in ["7g7f", "7g7f ponder 3c3d", "resign", "win"] {
        assert_eq!(rules_of_answer(&format!("bestmove {good}")), [], "{good}");
    }
    for (bad, rule) in [
        ("", Rule::Move),
        (" 0000", Rule::Move),
        (" (none)", Rule::Move),
        (" 7g7e", Rule::Legal),
        (" 7g7f ponder 7f7e", Rule::Legal),
        (" 7g7f ponder none", Rule::Move),
        (" 7g7f ponder", Rule::Missing),
        (" 7g7f 3c3d", Rule::TrailingText),
        (" 7g7f ponder 3c3d 2g2f", Rule::TrailingText),
        (" resign ponder 3c3d", Rule::TrailingText),
        (" win ponder 3c3d", Rule::TrailingText),
    ] {
        assert_eq!(rules_of_answer(&format!("bestmove{bad}"))[0], rule, "{bad}");
    }
}

#[test]
fn the_line_before_bestmove_tells_of_it() {
    assert_eq!(rules("> go nodes 9\n< bestmove 7g7f"), [Rule::ScoreLine]);
    assert_eq!(rules("> go nodes 9\n< info score cp 1 pv 2g2f\n< bestmove 7g7f"), [Rule::FirstOfPv]);
    assert_eq!(rules_of_answer("info depth 3 nodes 9\n< bestmove 7g7f"), [Rule::ScoreLine]);
    assert_eq!(rules_of_answer("info string done\n< bestmove 7g7f"), [Rule::ScoreLine]);
    assert_eq!(rules_of_answer("readyok\n< bestmove 7g7f"), [Rule::Unasked]);
    // An `info string` may be the reply to a command that came meanwhile, even if the search said something in between.
    let info_string = "< info score cp 1 pv 7g7f\n< info string no option\n";
    let end = "> stop\n< bestmove 7g7f";
    assert_eq!(rules(&format!("> go infinite\n> setoption name x\n{info_string}{end}")), []);
    assert_eq!(
        rules(&format!("> go infinite\n> setoption name x\n{info_string}{info_string}{end}")),
        [Rule::ScoreLine]
    );
    assert_eq!(rules(&format!("> go infinite\n{info_string}{end}")), [Rule::ScoreLine]);
}

#[test]
fn every_go_has_one_answer() {
    assert_eq!(rules_of_answer("bestmove 7g7f\n< bestmove 7g7f"), [Rule::Unasked]);
    assert_eq!(rules("> go nodes 9"), [Rule::Missing]);
    assert_eq!(rules("> stop\n> gameover draw\n> ponderhit"), []);
    let two = "> go infinite\n> go nodes 9\n< info score cp 1 pv 7g7f\n< bestmove 7g7f\n\
               < info score cp 1 pv 2g2f\n< bestmove 2g2f";
    assert_eq!(rules(two), []);
    assert_eq!(rules_of_answer("bestmove 7g7f\n< info depth 9 score cp 1 pv 7g7f"), [Rule::Late]);
    assert_eq!(rules_of_answer("bestmove 7g7f\n< info string done"), []);
}

#[test]
fn a_search_that_waits_is_not_answered_early() {
    let told = "< info score cp 1 pv 7g7f\n";
    for go in ["go infinite", "go", "go searchmoves 7g7f", "go infinite depth 3", "go ponder byoyomi 9"] {
        let early = format!("> {go}\n{told}< bestmove 7g7f");
        assert_eq!(rules(&early), [Rule::Early], "{go}");
        for end in ["stop", "gameover win", "quit"] {
            assert_eq!(rules(&format!("> {go}\n{told}> {end}\n< bestmove 7g7f")), [], "{go} {end}");
        }
    }
    assert_eq!(rules(&format!("> go ponder\n{told}> ponderhit byoyomi 9\n< bestmove 7g7f")), []);
    assert_eq!(rules(&format!("> go infinite\n{told}> ponderhit\n< bestmove 7g7f")), [Rule::Early]);
    assert_eq!(rules(&format!("> go depth 3\n{told}< bestmove 7g7f")), []);
}

#[test]
fn quit_forgives_only_what_was_not_told_to_end() {
    assert_eq!(rules("> go infinite\n> quit"), []);
    assert_eq!(rules("> go nodes 9\n> quit"), []);
    assert_eq!(rules("> go infinite\n> stop\n> quit"), [Rule::Missing]);
    assert_eq!(rules("> isready\n> quit"), [Rule::Missing]);
    assert_eq!(rules("> quit\n> go nodes 9"), []);
}

#[test]
fn a_mate_search_is_answered_with_checkmate() {
    let mate = |answer: &str| rules(&format!("> position sfen 8k/9/7GG/9/9/9/9/9/9 b - 1\n> go mate 9\n< {answer}"));
    for good in ["1c1b", "nomate", "timeout", "notimplemented"] {
        assert_eq!(mate(&format!("checkmate {good}")), [], "{good}");
    }
    assert_eq!(mate("checkmate 1c1d 1a9a"), [Rule::Legal]);
    assert_eq!(mate("checkmate none"), [Rule::Move]);
    assert_eq!(mate("checkmate"), [Rule::Move]);
    assert_eq!(mate("bestmove 1c1b"), [Rule::WrongAnswer]);
    assert_eq!(rules("> go mate 9"), [Rule::Missing]);
    assert_eq!(rules_of_answer("checkmate nomate\n< bestmove 7g7f"), [Rule::WrongAnswer]);
    assert_eq!(rules("> isready\n< readyok\n< checkmate nomate"), [Rule::Unasked]);
}

#[test]
fn positions_are_followed_and_bad_ones_keep_the_last() {
    let answer = |position: &str, best: &str| {
        let told = format!("< info score cp 1 pv {best}\n< bestmove {best}");
        rules(&format!("> position startpos moves 7g7f\n> {position}\n> go nodes 9\n{told}")).is_empty()
    };
    assert!(answer("position startpos", "7g7f"));
    assert!(!answer("position startpos", "3c3d"));
    assert!(answer("position startpos moves 9z9z", "3c3d"));
    assert!(answer("position sfen 9/9 b - 1", "3c3d"));
    assert!(answer("position sfen 8k/9/7GG/9/9/9/9/9/9 b - 1", "1c1b"));
}

#[test]
fn a_position_during_a_search_counts_for_the_next() {
    let told = |mv: &str| format!("< info score cp 1 pv {mv}\n< bestmove {mv}\n");
    let start = "> go infinite\n> position startpos moves 7g7f\n> stop\n";
    assert_eq!(rules(&format!("{start}{}> go nodes 9\n{}", told("2g2f"), told("3c3d"))), []);
    assert_eq!(rules(&format!("{start}{}", told("3c3d"))), [Rule::Legal, Rule::Legal]);
    // A ponder miss: the answer is for the position that did not come.
    let miss = "> position startpos moves 7g7f 3c3d\n> go ponder byoyomi 9\n> stop\n> position startpos moves 7g7f\n";
    assert_eq!(rules(&format!("{miss}{}", told("2g2f"))), []);
}

#[test]
fn searchmoves_are_kept_as_far_as_they_are_legal() {
    let go = |moves: &str, best: &str| {
        rules(&format!("> go nodes 9 searchmoves {moves}\n< info score cp 1 pv {best}\n< bestmove {best}"))
    };
    assert_eq!(go("1g1f 9g9f", "9g9f"), []);
    assert_eq!(go("1g1f 9g9f", "7g7f"), [Rule::SearchMoves, Rule::SearchMoves]);
    assert_eq!(go("1g1e 3c3d", "7g7f"), []);
}

#[test]
fn depth_time_and_nodes_keep_their_bounds() {
    let told = "< info depth 3 score cp 1 pv 7g7f\n";
    assert_eq!(rules(&format!("> go depth 3\n{told}< bestmove 7g7f")), []);
    assert_eq!(rules(&format!("> go depth 2\n{told}< bestmove 7g7f")), [Rule::Depth]);
    assert_eq!(rules_of_info("time 5 nodes 5\n< info time 5 nodes 6"), []);
    assert_eq!(rules_of_info("time 5\n< info time 4"), [Rule::Falls]);
    assert_eq!(rules_of_info("nodes 5\n< info nodes 4"), [Rule::Falls]);
    assert_eq!(rules("> go infinite\n< info nodes 5\n> stop\n< bestmove resign\n> go infinite\n< info nodes 1"), []);
}

#[test]
fn the_lines_of_several_best_moves_come_in_order() {
    let block = |lines: &[&str]| {
        let lines: Vec<String> = lines.iter().map(|line| format!("< info depth {line}")).collect();
        rules(&format!("> go infinite\n{}", lines.join("\n")))
    };
    let [one, two, three] =
        ["1 multipv 1 score cp 9 pv 7g7f", "1 multipv 2 score cp 9 pv 2g2f", "1 multipv 3 score mate -2 pv 1g1f"];
    assert_eq!(block(&[one, two, three, one]), []);
    assert_eq!(block(&[two]), [Rule::MultiPvOrder]);
    assert_eq!(block(&[one, three]), [Rule::MultiPvOrder]);
    assert_eq!(block(&[one, two, two]), [Rule::MultiPvOrder]);
    assert_eq!(block(&[one, "2 multipv 2 score cp 1 pv 2g2f"]), [Rule::MultiPvOrder]);
    assert_eq!(block(&[one, "1 multipv 2 score cp 10 pv 2g2f"]), [Rule::ScoreRises]);
    assert_eq!(block(&[one, "1 multipv 2 score mate 5 pv 2g2f"]), [Rule::ScoreRises]);
    assert_eq!(block(&[one, "1 multipv 2 score cp 10 upperbound pv 2g2f"]), []);
    assert_eq!(block(&["1 multipv 1 score mate 5", "1 multipv 2 score mate 3"]), [Rule::ScoreRises]);
    assert_eq!(block(&["1 multipv 1 score mate -5", "1 multipv 2 score mate -3"]), []);
    // The best move is that of line 1, though line 2 stands before the answer.
    let go = format!("> go nodes 9\n< info depth {one}\n< info depth {two}\n");
    assert_eq!(rules(&format!("{go}< bestmove 7g7f")), []);
    assert_eq!(rules(&format!("{go}< bestmove 2g2f")), [Rule::FirstOfPv]);
}

#[test]
fn there_are_no_more_lines_than_moves() {
    let position = "> position sfen 8k/9/9/9/9/9/9/9/K8 b - 1\n> go infinite\n";
    let line = |place: u32, mv: &str| format!("< info multipv {place} score cp 1 pv {mv}\n");
    let three = line(1, "9i9h") + &line(2, "9i8i") + &line(3, "9i8h");
    assert_eq!(rules(&format!("{position}{three}")), []);
    assert_eq!(rules(&format!("{position}{three}{}", line(4, "9i9h"))), [Rule::MultiPvCount]);
}
