//! Thinking in the opponent's time: U80 to U86.

use super::item::{Checked, FINE, Item, Stop, must, require};
use super::lab::{Lab, timed};
use super::positions::{MATE_IN_ONE, MATED, START};
use super::talk::{Talk, is_answer};
use std::time::Duration;

pub(super) const ITEMS: &[Item] = &[
    must(80, "go ponder is not answered before ponderhit or stop", ponder_waits),
    must(81, "from ponderhit on the clock of go ponder counts", classic),
    must(82, "clocks that come with ponderhit are used", early_ponder),
    must(83, "clocks that come with ponderhit replace older ones", new_clocks),
    must(84, "stop after a wrong guess gives one answer", wrong_guess),
    must(85, "gameover ends pondering", gameover),
    must(86, "ponderhit without pondering does nothing", idle_ponderhit),
];

const EXPECTED: &str = "position startpos moves 7g7f 3c3d";

fn boot(lab: &mut Lab<'_>) -> Result<Talk, Stop> {
    lab.boot_with(&[("USI_Ponder", "true")])
}

fn ponder_waits(lab: &mut Lab<'_>) -> Checked {
    let mut talk = boot(lab)?;
    for position in [EXPECTED, MATE_IN_ONE, MATED] {
        talk.send(&format!("{position}\ngo ponder btime 300 wtime 300 byoyomi 200"));
        talk.no_answer(1_200, "before ponderhit")?;
        talk.stop()?;
    }
    FINE
}

/// The time from `ponderhit` to the answer.
fn hit(talk: &mut Talk, go: &str, wait: u64, ponderhit: &str) -> Result<Duration, Stop> {
    talk.send(&format!("{EXPECTED}\n{go}"));
    talk.no_answer(wait, "before ponderhit")?;
    talk.send(ponderhit);
    Ok(talk.best()?.took)
}

fn classic(lab: &mut Lab<'_>) -> Checked {
    let mut talk = boot(lab)?;
    let time = timed(0, 2_000, || hit(&mut talk, "go ponder btime 0 wtime 0 byoyomi 2000", 400, "ponderhit"))?;
    let at_once = timed(0, 200, || {
        talk.send(&format!("{MATE_IN_ONE}\ngo ponder btime 60000 wtime 60000 byoyomi 1000"));
        talk.no_answer(700, "before ponderhit")?;
        talk.send("ponderhit");
        Ok(talk.best()?.took)
    })?;
    Ok(format!("{time}, and {at_once} with a mate found"))
}

fn early_ponder(lab: &mut Lab<'_>) -> Checked {
    let mut talk = boot(lab)?;
    timed(600, 3_000, || hit(&mut talk, "go ponder", 200, "ponderhit btime 0 wtime 0 byoyomi 3000"))
}

fn new_clocks(lab: &mut Lab<'_>) -> Checked {
    let mut talk = boot(lab)?;
    let go = "go ponder btime 600000 wtime 600000 byoyomi 30000";
    timed(0, 1_000, || hit(&mut talk, go, 400, "ponderhit btime 0 wtime 0 byoyomi 1000"))
}

fn wrong_guess(lab: &mut Lab<'_>) -> Checked {
    let mut talk = boot(lab)?;
    talk.send("position startpos moves 7g7f\ngo ponder btime 60000 wtime 60000 byoyomi 0");
    talk.no_answer(200, "before ponderhit")?;
    talk.stop()?;
    talk.no_answer(200, "is a second answer")?;
    talk.go("position startpos moves 2g2f", "go nodes 500")?;
    FINE
}

fn gameover(lab: &mut Lab<'_>) -> Checked {
    let mut talk = boot(lab)?;
    talk.send("position startpos moves 7g7f\ngo ponder btime 60000 wtime 60000 byoyomi 0");
    talk.no_answer(200, "before ponderhit")?;
    talk.send("gameover lose");
    let lines = talk.listen(Duration::from_millis(700))?;
    let answers = lines.iter().filter(|line| is_answer(line)).count();
    require(answers <= 1, || format!("{answers} answers"))?;
    // None at all does no harm here: whoever ends the game waits for no answer.
    talk.forget_searches();
    talk.ready()?;
    talk.send("usinewgame");
    talk.go(START, "go nodes 500")?;
    talk.no_answer(100, "is one answer too many")?;
    Ok(format!("answers to gameover: {answers}"))
}

fn idle_ponderhit(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    talk.send("ponderhit");
    talk.no_answer(200, "though nothing was searched")?;
    talk.alive()?;
    FINE
}
