use super::*;

/// Plays a conversation: `> command` and `< answer`, one a line. Returns the faults, those of the end included.
fn faults(conversation: &str) -> Vec<ProtocolFault> {
    let mut checker = Checker::default();
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
fn each_conversation_breaks_its_rules_and_no_other() {
    let mut rows = 0;
    for row in include_str!("../../../../tests/data/grammar.txt").lines() {
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let (rules, conversation) = row.split_once(": ").expect("rules and a conversation");
        let mut text = conversation.replace(" | ", "\n");
        for (escape, meant) in [("\\s", " "), ("\\t", "\t"), ("\\r", "\r"), ("\\x", "\u{85}")] {
            text = text.replace(escape, meant);
        }
        let found: Vec<String> = faults(&text).iter().map(|fault| format!("{:?}", fault.rule)).collect();
        assert_eq!(found.join(" "), rules, "{row}");
        rows += 1;
    }
    assert_eq!(rows, 196);
}
