//! Reports of a search: U93 to U96.

use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Checked, PASSED, fail, require};
use super::positions::{BLACK_28, MATE_IN_ONE, MATED, MATED_IN_TWO, OPENING, START};
use komainu::movegen::{All, generate, leaves_unpromoted};
use komainu::notation::score::ReportedScore;
use komainu::notation::usi::parse_position;
use komainu::position::Position;
use komainu::types::Counted;
use std::time::Duration;

pub(super) const ITEMS: &[CheckItem] = &[
    must(93, "a mate is counted in plies, with the sign of the side to move", mate_scores),
    should(94, "info has only the words of the protocol, and moves behind pv", grammar),
    must(95, "the lines of MultiPV come together and in order", multi_pv),
    should(96, "it reports neither too much nor too little", rate).without("whether hashfull is honest"),
];

fn mate_scores(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for (position, plies) in [(MATE_IN_ONE, 1), (MATED_IN_TWO, -2)] {
        let reply = conversation.go(position, "go depth 5")?;
        let Some(score) = reply.score() else { return fail("no score") };
        require(score == ReportedScore::Mate(plies), || format!("{score} where mate {plies} is right"))?;
    }
    PASSED
}

/// The grammar finds what is wrong, here and in every other item.
fn grammar(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let mut lines = 0;
    for position in [START, MATE_IN_ONE, MATED, BLACK_28] {
        lines += conversation.go(position, "go movetime 200")?.before.len();
    }
    Ok(Counted(lines, "line").to_string())
}

/// The grammar finds what is out of order; that lines are missing is found here.
fn multi_pv(engines: &mut Engines<'_>) -> Checked {
    const BARE_KINGS: &str = "position sfen 4k4/9/9/9/9/9/9/9/4K4 b - 1";
    let mut conversation = engines.boot()?;
    let name = conversation.multi_pv()?;
    let most = conversation.option(&name).and_then(|option| option.number("max")).unwrap_or(1).unsigned_abs();
    for position in [OPENING, BARE_KINGS] {
        let parsed = parse_position(position.trim_start_matches("position "));
        let moves = parsed.map_or_else(|_| Vec::new(), |parsed| with_uselessness(&parsed.position));
        // An engine may leave out what leaves a piece unpromoted for nothing.
        let useful = moves.iter().filter(|&&useless| !useless).count() as u64;
        let moves = moves.len() as u64;
        for lines in [1, 3, 40, 2] {
            conversation.set(&name, &lines.to_string());
            let reply = conversation.go(position, "go depth 4")?;
            let shown = reply.numbers("multipv").into_iter().max().unwrap_or(1);
            let wanted = lines.min(most);
            require((wanted.min(useful)..=wanted.min(moves)).contains(&shown), || {
                format!("{} where {name} is {lines} and {moves} moves are legal", Counted(shown, "line"))
            })?;
        }
    }
    PASSED
}

/// For each legal move whether it leaves a piece unpromoted for nothing.
fn with_uselessness(pos: &Position) -> Vec<bool> {
    generate::<All>(pos).iter().map(|&mv| leaves_unpromoted(pos, mv)).collect()
}

fn rate(engines: &mut Engines<'_>) -> Checked {
    const SECONDS: u64 = 3;
    const MAX_LINES_PER_SECOND: usize = 40;
    let conversation = engines.shared()?;
    // The first iterations take no time at all.
    conversation.begin(OPENING, "go infinite", 150)?;
    let lines = conversation.collect(Duration::from_secs(SECONDS))?;
    conversation.stop()?;
    let count = lines.iter().filter(|line| line.starts_with("info")).count();
    require(count > 0, || format!("no line in {SECONDS} s"))?;
    let rate = count / SECONDS as usize;
    require(rate <= MAX_LINES_PER_SECOND, || format!("{rate} lines a second; {MAX_LINES_PER_SECOND} are enough"))?;
    Ok(format!("{} in {SECONDS} s", Counted(count, "line")))
}
