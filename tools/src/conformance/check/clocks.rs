//! Clocks: U71 to U79.
//!
//! Times are taken here, from the command to the answer. Being late loses a game, so what a clock allows is the limit
//! as it stands; an engine is late if it is so three times in a row, since a machine may be busy for a moment.

use super::conversation::Conversation;
use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Abort, Checked, fail, timed};
use super::positions::{ONE_MOVE, OPENING, START};
use std::time::Duration;

pub(super) const ITEMS: &[CheckItem] = &[
    must(71, "byoyomi 1000 is used and kept", byoyomi),
    must(72, "300 ms without increment are kept", sudden_death),
    must(73, "with all clocks at zero it moves within 200 ms", all_zero),
    must(74, "with no time left the increment is used and kept", increment_only),
    must(75, "the clock is kept whether the increment is in it or on top", both_conventions)
        .without("200 games of each"),
    must(76, "no move of a fast game is late", fast_game).without("200 games of each kind of clock"),
    must(77, "odd numbers of clocks do no harm", odd_numbers),
    should(78, "the only legal move is played within 200 ms", only_move),
    must(79, "the first move after readyok is no later than others", first_move),
];

fn clock(engines: &mut Engines<'_>, go: &str, least: u64, most: u64) -> Checked {
    let conversation = engines.shared()?;
    timed(least, most, || Ok(conversation.go(OPENING, go)?.took))
}

fn byoyomi(engines: &mut Engines<'_>) -> Checked {
    clock(engines, "go btime 0 wtime 0 byoyomi 1000", 300, 1_000)
}

fn sudden_death(engines: &mut Engines<'_>) -> Checked {
    clock(engines, "go btime 300 wtime 300 byoyomi 0", 0, 300)
}

fn all_zero(engines: &mut Engines<'_>) -> Checked {
    clock(engines, "go btime 0 wtime 0 byoyomi 0", 0, 200)
}

fn increment_only(engines: &mut Engines<'_>) -> Checked {
    clock(engines, "go btime 0 wtime 0 binc 2000 winc 2000", 400, 2_000)
}

/// Two games, since an engine may keep in mind how the time is counted in a game.
fn both_conventions(engines: &mut Engines<'_>) -> Checked {
    let mut first_go = |go: &str, most| timed(0, most, || Ok(engines.boot()?.go(OPENING, go)?.took));
    // A clock smaller than the increment can only mean that the increment is on top.
    let on_top = first_go("go btime 500 wtime 500 binc 1000 winc 1000", 1_500)?;
    // Otherwise it may be in the clock already.
    let within = first_go("go btime 1000 wtime 1000 binc 1000 winc 1000", 1_000)?;
    Ok(format!("{on_top} of 500 + 1000 ms, {within} of 1000 with 1000 in it"))
}

/// A game against itself by a referee who counts the increment on top.
fn fast_game(engines: &mut Engines<'_>) -> Checked {
    let mut last = String::new();
    for _ in 0..2 {
        match play(engines.shared()?)? {
            Ok(least) => return Ok(format!("{least} ms left at least")),
            Err(late) => last = late,
        }
    }
    fail(format_args!("late in two games: {last}"))
}

const INCREMENT: u64 = 100;
/// In a game of many moves the machine may hold up one: so much is forgiven, as by a referee with a margin.
const GRACE: u64 = 50;

/// Plays fifty plies. The smallest time that was left, or who was late.
fn play(conversation: &mut Conversation) -> Result<Result<u64, String>, Abort> {
    conversation.ready()?;
    conversation.send("usinewgame");
    let mut clocks = [1_000_u64; 2];
    let mut least = u64::MAX;
    let mut game = START.to_string();
    for ply in 0..50 {
        let [black, white] = clocks;
        let go = format!("go btime {black} wtime {white} binc {INCREMENT} winc {INCREMENT}");
        let reply = conversation.go(&game, &go)?;
        let available = clocks[ply % 2] + INCREMENT;
        let took = reply.took.as_millis() as u64;
        if took > available + GRACE {
            return Ok(Err(format!("ply {}: {took} ms of {available}", ply + 1)));
        }
        let left = available.saturating_sub(took).max(1);
        clocks[ply % 2] = left;
        least = least.min(left);
        if matches!(reply.best(), "resign" | "win") {
            break;
        }
        let before = if ply == 0 { " moves" } else { "" };
        game = format!("{game}{before} {}", reply.best());
    }
    Ok(Ok(least))
}

fn odd_numbers(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for go in [
        "go btime -500 wtime -500 byoyomi 0",
        "go btime 200",
        "go wtime 200 byoyomi 100",
        "go btime 0 wtime 0 binc 300",
        "go btime 0 wtime 0 binc 0 winc 0 byoyomi 300",
        "go btime 500 wtime 500 byoyomi 100 movestogo 1",
    ] {
        conversation.send(&format!("{START}\n{go}"));
        conversation.best_within(Duration::from_secs(5))?;
    }
    conversation.send(&format!("{START}\ngo btime 99999999999 wtime 99999999999 binc 0 winc 0"));
    // It may have an answer ready by now, or need to be told.
    conversation.stop()?;
    conversation.no_answer(100, "is a second answer")
}

fn only_move(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    timed(0, 200, || Ok(conversation.go(ONE_MOVE, "go btime 60000 wtime 60000 byoyomi 0")?.took))
}

fn first_move(engines: &mut Engines<'_>) -> Checked {
    timed(0, 150, || Ok(engines.boot()?.go(START, "go movetime 100")?.took))
}
