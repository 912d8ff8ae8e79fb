//! The search for a mate: U87 to U92.

use super::conversation::{Conversation, Reply, is_answer};
use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Abort, Checked, PASSED, fail, require, shown, skip, timed};
use super::positions::{LONGEST_MATE, MATE_IN_ONE, MATED, NO_KING, PAWN_DROP_MATE};
use komainu::movegen::has_legal_move;
use komainu::notation::usi::{parse_move, parse_position};
use std::time::Duration;

pub(super) const ITEMS: &[CheckItem] = &[
    must(87, "a mate in one is found", found),
    must(88, "no mate is claimed where there is none", not_there),
    must(89, "go mate 500 ends within 800 ms", limit),
    must(90, "stop ends a search for a mate with one answer", stop),
    must(91, "the attacker needs no king", no_king),
    should(92, "a mated attacker has no mate", nothing_to_do),
];

/// Searches for a mate and waits for the answer.
fn search(conversation: &mut Conversation, position: &str, go: &str) -> Result<Reply, Abort> {
    conversation.send(&format!("{position}\n{go}"));
    answer(conversation)
}

fn answer(conversation: &mut Conversation) -> Result<Reply, Abort> {
    let reply = conversation.until(&["checkmate", "bestmove"])?;
    check_answer(&reply.text)?;
    Ok(reply)
}

/// Checks that it is an answer of a search for mates.
fn check_answer(text: &str) -> Result<(), Abort> {
    match text {
        "checkmate notimplemented" => skip("it has no search for mates"),
        text if text.starts_with("bestmove") => fail(format_args!("{} in answer to go mate", shown(text))),
        _ => Ok(()),
    }
}

/// The number of moves, if they end in mate.
fn mate_length(position: &str, answer: &str) -> Result<usize, Abort> {
    let wrong = |why: &str| Abort::Fail(format!("{why}: {}", shown(answer)));
    let parsed = parse_position(position.trim_start_matches("position ")).map_err(|error| wrong(&error.to_string()))?;
    let mut pos = parsed.position;
    let words = answer.split(' ').skip(1);
    let mut length = 0;
    for word in words {
        let mv = parse_move(&pos, word).map_err(|error| wrong(&error.to_string()))?;
        pos.do_move(mv);
        length += 1;
    }
    let is_mate = length % 2 == 1 && pos.in_check() && !has_legal_move(&pos);
    if is_mate { Ok(length) } else { Err(wrong("no mate")) }
}

fn found(engines: &mut Engines<'_>) -> Checked {
    let reply = search(engines.shared()?, MATE_IN_ONE, "go mate 5000")?;
    let length = mate_length(MATE_IN_ONE, &reply.text)?;
    require(length == 1, || format!("{length} plies: {}", shown(&reply.text)))?;
    Ok(reply.text)
}

fn not_there(engines: &mut Engines<'_>) -> Checked {
    let reply = search(engines.shared()?, PAWN_DROP_MATE, "go mate 5000")?;
    let is_right = matches!(reply.text.as_str(), "checkmate nomate" | "checkmate timeout");
    require(is_right, || format!("{} where only a pawn drop mates", shown(&reply.text)))?;
    Ok(reply.text)
}

/// An answer to the longest problem: time is up, or all of it.
fn check_longest(answer: &str) -> Checked {
    match answer {
        "checkmate timeout" => Ok("timeout".to_string()),
        "checkmate nomate" => fail("\"checkmate nomate\" where there is a mate"),
        solution => mate_length(LONGEST_MATE, solution).map(|length| format!("a mate in {length}")),
    }
}

fn limit(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let mut what = String::new();
    let time = timed(0, 800, || {
        let reply = search(conversation, LONGEST_MATE, "go mate 500")?;
        what = check_longest(&reply.text)?;
        Ok(reply.took)
    })?;
    Ok(format!("{what} after {time}"))
}

fn stop(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.send(&format!("{LONGEST_MATE}\ngo mate infinite"));
    let before = conversation.collect(Duration::from_millis(400))?;
    if let Some(answer) = before.iter().find(|line| is_answer(line)) {
        return check_answer(answer).and_then(|()| check_longest(answer));
    }
    conversation.send("stop");
    let reply = answer(conversation)?;
    let what = check_longest(&reply.text)?;
    conversation.no_answer(200, "is a second answer")?;
    require(reply.took < Duration::from_millis(200), || format!("only {} ms after stop", reply.took.as_millis()))?;
    Ok(format!("{what} after {} ms", reply.took.as_millis()))
}

fn no_king(engines: &mut Engines<'_>) -> Checked {
    let reply = search(engines.shared()?, NO_KING, "go mate 3000")?;
    mate_length(NO_KING, &reply.text)?;
    Ok(reply.text)
}

fn nothing_to_do(engines: &mut Engines<'_>) -> Checked {
    let reply = search(engines.shared()?, MATED, "go mate 3000")?;
    require(reply.text == "checkmate nomate", || format!("{} in answer to go mate", shown(&reply.text)))?;
    PASSED
}
