use super::*;
use komainu::position::{RuleSet, START_SFEN};

const BOARD: &str = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA *
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  *
P5 *  *  *  *  *  *  *  *  *
P6 *  *  *  *  *  *  *  *  *
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI *
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
";

fn read(head: &str, time: &str, position: &str) -> Result<Summary, SummaryError> {
    let text = format!(
        "BEGIN Game_Summary\nProtocol_Version:1.2\nProtocol_Mode:Server\nFormat:Shogi 1.0\n{head}\n{time}\n\
         BEGIN Position\n{position}\nEND Position\nEND Game_Summary"
    );
    let mut reader = SummaryReader::default();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let ends: Vec<bool> = lines.iter().map(|line| reader.read(line)).collect();
    assert_eq!(ends.iter().position(|&is_end| is_end), Some(lines.len() - 1), "{text}");
    reader.finish()
}

const HEAD: &str = "Declaration:Jishogi 1.1\nGame_ID:ev:x+g-300-10F+a+b+1\nName+:a\nName-:b\nYour_Turn:-\n\
                    Rematch_On_Draw:NO\nTo_Move:+\nMax_Moves:256";
const TIME: &str = "BEGIN Time\nTime_Unit:1sec\nTotal_Time:300\nByoyomi:0\nIncrement:10\n\
                    Least_Time_Per_Move:0\nEND Time";

const SECS: fn(u64) -> Duration = Duration::from_secs;

#[test]
fn all_that_a_server_says_is_read() {
    let summary = read(HEAD, TIME, &format!("{BOARD}+\n+7776FU,T12\n-3334FU,T6")).unwrap();
    // Only the first colon parts key and value.
    assert_eq!(summary.id, "ev:x+g-300-10F+a+b+1");
    assert_eq!((summary.players, summary.side), (["a".into(), "b".into()], Color::White));
    assert_eq!((summary.max_moves, summary.entering_king), (Some(256), Some(EnteringKingRule::CSARule27)));
    let [black, white] = summary.times;
    assert_eq!(black, white);
    assert_eq!((black.total, black.increment, black.least), (Some(SECS(300)), SECS(10), SECS(0)));
    assert_eq!(summary.start.to_sfen(), START_SFEN);
    let moves: Vec<String> = summary.moves.iter().map(|(mv, spent)| format!("{mv} {spent:?}")).collect();
    assert_eq!(moves, ["7g7f Some(12s)", "3c3d Some(6s)"]);
    assert_eq!(summary.warnings, [""; 0]);
}

#[test]
fn unknown_keys_and_blocks_are_passed_over_and_keys_may_have_no_value() {
    let head = format!("{HEAD}\nNew_Key:x:y\nLonely\nEmpty:\nBEGIN Odd\nYour_Turn:?\nBEGIN Deep\nName+:z\nEND Odd");
    let summary = read(&head, TIME, BOARD).unwrap();
    assert_eq!((summary.side, summary.players[0].as_str()), (Color::White, "a"));
    let head = HEAD.replace("Max_Moves:256", "Max_Moves:");
    assert_eq!(read(&head, TIME, BOARD).unwrap().max_moves, None);
    let head = HEAD.replace("Max_Moves:256", "Max_Moves:many");
    let summary = read(&head, TIME, BOARD).unwrap();
    assert_eq!((summary.max_moves, summary.warnings.len()), (None, 1));
}

#[test]
fn both_sides_may_have_times_of_their_own() {
    let time = "BEGIN Time\nTime_Unit:1sec\nIncrement:3\nEND Time\nBEGIN Time+\nTotal_Time:60\nEND Time+\n\
                BEGIN Time-\nTime_Unit:msec\nTotal_Time:90000\nIncrement:500\nEND Time-";
    let [black, white] = read(HEAD, time, BOARD).unwrap().times;
    assert_eq!((black.total, black.increment), (Some(SECS(60)), SECS(3)));
    assert_eq!((white.total, white.increment), (Some(SECS(90)), Duration::from_millis(500)));
    assert_eq!(read(HEAD, "", BOARD).unwrap().times[0].total, None);
}

#[test]
fn positions_come_in_all_forms() {
    let sfen = |position: &str, head: &str| read(head, TIME, position).map(|summary| summary.start.to_sfen());
    // Blanks at the end of rows are missing; hands; the even board without pieces.
    let trimmed: String = BOARD.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    assert_eq!(sfen(&trimmed, HEAD).unwrap(), START_SFEN);
    assert_eq!(sfen("", HEAD).unwrap(), START_SFEN);
    let two_pieces = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let handicap = HEAD.replace("To_Move:+", "To_Move:-");
    assert_eq!(sfen("PI82HI22KA\n-", &handicap).unwrap(), two_pieces);
    assert_eq!(sfen("PI82HI22KA", &handicap).unwrap(), two_pieces);
    let drops = "P1-OU\nP+55OU00FU00FU00KI\nP-11OU00HI\n+";
    let hands = sfen(&drops.replace("P1-OU\n", ""), HEAD).unwrap();
    assert_eq!(hands, "8k/9/9/9/4K4/9/9/9/9 b G2Pr 1");
    // The position counts, and what differs is said.
    let summary = read(&handicap, TIME, &format!("{BOARD}+")).unwrap();
    assert_eq!((summary.start.side(), summary.warnings.len()), (Color::Black, 1));
}

#[test]
fn what_is_no_game_is_refused_with_a_reason() {
    let why = |head: &str, position: &str| read(head, TIME, position).unwrap_err().to_string();
    assert_eq!(why(&HEAD.replace("Your_Turn:-", ""), BOARD), "the summary has no Your_Turn");
    assert_eq!(why(&HEAD.replace("Your_Turn:-", "Your_Turn:*"), BOARD), "Your_Turn of the summary cannot be \"*\"");
    assert!(why(HEAD, "P1-XX\n+").starts_with("the position of the summary: CSA, line 1"));
    assert!(why(HEAD, &format!("{BOARD}+\n+7775FU,T1")).contains("+7775FU"));
}

#[test]
fn every_rule_comes_from_the_summary_and_the_rest_from_the_server() {
    let silent = RuleSet::Floodgate.rules();
    let rules = |declaration: &str, moves: &str| {
        let head = HEAD.replace("Declaration:Jishogi 1.1", declaration).replace("Max_Moves:256", moves);
        let summary = read(&head, TIME, BOARD).unwrap();
        (summary.rules(silent).entering_king, summary.rules(silent).ply_limit, summary.warnings.len())
    };
    use EnteringKingRule::*;
    assert_eq!(rules("Declaration:Jishogi 1.1", "Max_Moves:512"), (CSARule27, 512, 0));
    assert_eq!(rules("", ""), (silent.entering_king, silent.ply_limit, 0));
    assert_eq!(rules("", "Max_Moves:0"), (CSARule27, 0, 0));
    let both = "Declaration:Jishogi 1.1\nEntering_King_Rule:CSARule24";
    assert_eq!(rules(both, "Max_Moves:256").0, CSARule24);
    for declaration in ["", "Declaration:Jishogi 1.1\n"] {
        let unknown = format!("{declaration}Entering_King_Rule:CSARule24X");
        assert_eq!(rules(&unknown, "Max_Moves:1"), (NoEnteringKing, 1, 1));
    }
    assert_eq!(rules("Declaration:Other", "Max_Moves:1"), (NoEnteringKing, 1, 1));
}

#[test]
fn a_stop_watch_is_taken_as_seconds_with_a_warning() {
    let time = TIME.replace("1sec", "1min").replace("Total_Time:300", "Total_Time:900");
    let time = time.replace("Byoyomi:0", "Byoyomi:60").replace("Increment:10", "Increment:0");
    let summary = read(HEAD, &time, BOARD).unwrap();
    assert_eq!((summary.times[0].total, summary.times[0].stop_watch), (Some(SECS(900)), true));
    assert_eq!(summary.warnings.len(), 1);
}

#[test]
fn a_game_that_is_given_back_tells_its_clocks_and_its_token_is_secret() {
    let summary = read(&format!("{HEAD}\nReconnect_Token:0123abcd"), TIME, BOARD).unwrap();
    assert_eq!(summary.token.as_ref().map(Secret::reveal), Some("0123abcd"));
    assert!(!format!("{summary:?}").contains("0123abcd"));
    let mut state = SummaryReader::default();
    let lines = "BEGIN Reconnect_State\nCurrent_Turn:+\nBlack_Time_Remaining_Ms:123456\n\
                 White_Time_Remaining_Ms:99\nLast_Move:-3334FU,T5\nEND Reconnect_State";
    let ends: Vec<bool> = lines.lines().map(|line| state.read(line)).collect();
    assert_eq!(ends, [false, false, false, false, false, true]);
    let ms = |number| Some(Duration::from_millis(number));
    let expected = Resumed { left: [ms(123_456), ms(99)], last_move: Some("-3334FU,T5".into()) };
    assert_eq!(state.into_resumed(), Some(expected));
}

#[test]
fn a_flood_of_lines_takes_no_memory() {
    let mut reader = SummaryReader::default();
    reader.read("BEGIN Game_Summary");
    reader.read("BEGIN Position");
    for _ in 0..MAX_LINES * 3 {
        _ = reader.read("P4");
    }
    assert!(reader.position.len() <= MAX_LINES);
}
