//! Thinking in the opponent's time: U80 to U86.

use super::conversation::{Conversation, is_answer};
use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Abort, Checked, PASSED, require, timed};
use super::positions::{MATE_IN_ONE, MATED, START};
use std::time::Duration;

pub(super) const ITEMS: &[CheckItem] = &[
    must(80, "go ponder is not answered before ponderhit or stop", ponder_waits),
    must(81, "from ponderhit on the clock of go ponder counts", classic),
    should(82, "clocks that come with ponderhit are used", early_ponder),
    should(83, "clocks that come with ponderhit replace older ones", new_clocks),
    must(84, "stop after a wrong guess gives one answer", wrong_guess),
    must(85, "gameover ends pondering", gameover),
    must(86, "ponderhit without pondering does nothing", idle_ponderhit),
];

const EXPECTED: &str = "position startpos moves 7g7f 3c3d";

fn boot(engines: &mut Engines<'_>) -> Result<Conversation, Abort> {
    engines.boot_with(&[("USI_Ponder", "true")])
}

fn ponder_waits(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = boot(engines)?;
    for position in [EXPECTED, MATE_IN_ONE, MATED] {
        conversation.begin(position, "go ponder btime 300 wtime 300 byoyomi 200", 1_200)?;
        conversation.stop()?;
    }
    PASSED
}

/// The time from `ponderhit` to the answer.
fn hit(conversation: &mut Conversation, go: &str, wait: u64, ponderhit: &str) -> Result<Duration, Abort> {
    conversation.begin(EXPECTED, go, wait)?;
    conversation.send(ponderhit);
    Ok(conversation.best()?.took)
}

fn classic(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = boot(engines)?;
    let time = timed(0, 2_000, || hit(&mut conversation, "go ponder btime 0 wtime 0 byoyomi 2000", 400, "ponderhit"))?;
    let at_once = timed(0, 200, || {
        conversation.begin(MATE_IN_ONE, "go ponder btime 60000 wtime 60000 byoyomi 1000", 700)?;
        conversation.send("ponderhit");
        Ok(conversation.best()?.took)
    })?;
    Ok(format!("{time}, and {at_once} with a mate found"))
}

fn early_ponder(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = boot(engines)?;
    timed(600, 3_000, || hit(&mut conversation, "go ponder", 200, "ponderhit btime 0 wtime 0 byoyomi 3000"))
}

fn new_clocks(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = boot(engines)?;
    let go = "go ponder btime 600000 wtime 600000 byoyomi 30000";
    timed(0, 1_000, || hit(&mut conversation, go, 400, "ponderhit btime 0 wtime 0 byoyomi 1000"))
}

fn wrong_guess(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = boot(engines)?;
    conversation.begin("position startpos moves 7g7f", "go ponder btime 60000 wtime 60000 byoyomi 0", 200)?;
    conversation.stop()?;
    conversation.no_answer(200, "is a second answer")?;
    conversation.go("position startpos moves 2g2f", "go nodes 500")?;
    PASSED
}

fn gameover(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = boot(engines)?;
    conversation.begin("position startpos moves 7g7f", "go ponder btime 60000 wtime 60000 byoyomi 0", 200)?;
    conversation.send("gameover lose");
    let lines = conversation.collect(Duration::from_millis(700))?;
    let answers = lines.iter().filter(|line| is_answer(line)).count();
    require(answers <= 1, || format!("{answers} answers"))?;
    // None at all does no harm here: whoever ends the game waits for no answer.
    conversation.forget_searches();
    conversation.ready()?;
    conversation.send("usinewgame");
    conversation.go(START, "go nodes 500")?;
    conversation.no_answer(100, "is one answer too many")?;
    Ok(format!("answers to gameover: {answers}"))
}

fn idle_ponderhit(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.send("ponderhit");
    conversation.no_answer(200, "though nothing was searched")?;
    conversation.alive()
}
