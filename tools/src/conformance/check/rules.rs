//! The rules of the game: U97 to U100.

use super::conversation::Conversation;
use super::engines::Engines;
use super::item::{CheckItem, must};
use super::outcome::{Abort, Checked, PASSED, fail, require, shown, skip};
use super::positions::{CHECKING, CHECKS, IN_CHECK, MATE_IN_ONE_AT, NINE_PIECES, ROOK_AHEAD_AT, ROOK_UP, TO_AND_FRO};
use komainu::notation::score::ReportedScore;

pub(super) const ITEMS: &[CheckItem] = &[
    must(97, "the fourth occurrence of a position is a draw", repetition),
    must(98, "who gives perpetual check loses", perpetual_check),
    must(99, "no win is declared with nine pieces or in check", no_declaration),
    must(100, "a game ends in a draw at its longest", longest_game)
        .without("the last ply itself, which profiles differ on"),
];

/// A score closer to zero than this is that of a draw, whatever an engine thinks of draws.
const DRAW: i32 = 150;
/// A score beyond this is as good as a mate.
const DECIDED: i32 = 5_000;

fn score(conversation: &mut Conversation, position: &str, go: &str) -> Result<ReportedScore, Abort> {
    let reply = conversation.go(position, go)?;
    reply.score().map_or_else(|| fail(format_args!("no score after {}", shown(go))), Ok)
}

fn is_draw(score: ReportedScore) -> bool {
    matches!(score, ReportedScore::Centipawns(value) if value.abs() < DRAW)
}

fn repetition(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let mut after = |times| {
        let position = format!("{ROOK_UP}{} 5i5h 5a5b 5h5i", TO_AND_FRO.repeat(times));
        score(conversation, &position, "go depth 4 searchmoves 5b5a")
    };
    let second = after(0)?;
    let fourth = after(2)?;
    let is_ahead = matches!(second, ReportedScore::Centipawns(value) if value >= DRAW) || second.centipawns() > DECIDED;
    require(is_ahead, || format!("a rook up is worth {second} before any draw"))?;
    require(is_draw(fourth), || format!("{fourth} for the move that repeats the third time"))?;
    Ok(format!("{second}, then {fourth}"))
}

fn perpetual_check(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let position = format!("{CHECKING}{}", CHECKS.repeat(3));
    let checker = score(conversation, &position, "go depth 4 searchmoves 4i5i")?;
    let position = format!("{CHECKING}{} 4i5i 5a4a 5i4i", CHECKS.repeat(2));
    let defender = score(conversation, &position, "go depth 4 searchmoves 4a5a")?;
    require(checker.centipawns() < -DECIDED, || format!("{checker} for the fourth check"))?;
    require(defender.centipawns() > DECIDED, || format!("{defender} for the side that was checked"))?;
    Ok(format!("{checker} and {defender}"))
}

fn no_declaration(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    if conversation.option("EnteringKingRule").is_some_and(|option| option.has_value("CSARule27")) {
        conversation.set("EnteringKingRule", "CSARule27");
    }
    for position in [NINE_PIECES, IN_CHECK] {
        let reply = conversation.go(position, "go movetime 200")?;
        require(reply.best() != "win", || format!("{} after {}", shown(&reply.text), shown(position)))?;
    }
    PASSED
}

fn longest_game(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    if conversation.option("MaxMovesToDraw").is_none() {
        return skip("it lists no MaxMovesToDraw");
    }
    conversation.set("MaxMovesToDraw", "256");
    conversation.ready()?;
    let mut at = |position: &str, counter: u32| {
        conversation.send("usinewgame");
        score(&mut conversation, &format!("{position} {counter}"), "go depth 5")
    };
    let before = at(MATE_IN_ONE_AT, 255)?;
    let last = at(MATE_IN_ONE_AT, 256)?;
    let end = at(ROOK_AHEAD_AT, 256)?;
    require(before == ReportedScore::Mate(1), || format!("{before} for a mate on ply 255 of 256"))?;
    require(is_draw(end), || format!("{end} with a rook more on ply 256 of 256"))?;
    Ok(format!("{last} on the last ply"))
}
