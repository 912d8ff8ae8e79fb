//! Searches and their answers: U55 to U70.

use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Abort, Checked, PASSED, fail, require, shown, skip, timed};
use super::positions::{BLACK_27, BLACK_28, MATE_IN_ONE, MATED, OPENING, STALEMATED, START, WHITE_26, WHITE_27};
use std::time::Duration;

pub(super) const ITEMS: &[CheckItem] = &[
    must(55, "every go is answered once", one_answer),
    must(56, "stop ends a search once, and does nothing otherwise", idle_stop),
    must(57, "go infinite is not answered before stop, whatever is found", infinite_waits),
    must(58, "stop is answered within 100 ms", stop_latency),
    must(59, "go depth 3 goes no deeper", depth),
    should(60, "go nodes is kept to 1 %, and one thread repeats itself", nodes).without("several threads"),
    must(61, "go movetime 500 takes 400 to 530 ms", movetime),
    should(62, "go alone is not answered before stop", bare_go),
    should(63, "searchmoves is obeyed, and words after it are read", search_moves),
    must(64, "an unknown word in go does no harm", unknown_word),
    must(65, "without a move it resigns", no_move),
    must(66, "it declares a win when the rule allows it, and only then", declaration),
    must(67, "every bestmove is well formed and legal", self_play),
    must(68, "the line before bestmove has a score and begins with that move", last_line),
    must(69, "stop straight after go gives a legal move", stop_at_once),
    must(70, "gameover in a search leaves one answer", gameover),
];

fn one_answer(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for _ in 0..20 {
        conversation.go(START, "go nodes 300")?;
    }
    conversation.no_answer(150, "is one answer too many")
}

fn idle_stop(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.send("stop");
    conversation.no_answer(150, "though nothing was searched")?;
    conversation.begin(START, "go infinite", 150)?;
    conversation.send("stop\nstop");
    conversation.best()?;
    conversation.no_answer(200, "is a second answer")
}

fn infinite_waits(engines: &mut Engines<'_>) -> Checked {
    let positions = [
        ("start position", START),
        ("mated", MATED),
        ("stalemate", STALEMATED),
        ("mate in one", MATE_IN_ONE),
        ("declaration", BLACK_28),
    ];
    let mut slowest = Duration::ZERO;
    for (name, position) in positions {
        let conversation = engines.shared()?;
        let within = |stop| match stop {
            Abort::Fail(why) | Abort::Ended(why) => Abort::Fail(format!("{name}: {why}")),
            skipped => skipped,
        };
        conversation.begin(position, "go infinite", 1_000).map_err(within)?;
        slowest = slowest.max(conversation.stop().map_err(within)?.took);
        conversation.no_answer(50, "is a second answer").map_err(within)?;
    }
    Ok(format!("stopped within {} ms", slowest.as_millis()))
}

fn stop_latency(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let mut times = Vec::new();
    for _ in 0..5 {
        conversation.begin(START, "go infinite", 300)?;
        times.push(conversation.stop()?.took.as_millis());
    }
    times.sort_unstable();
    // The worst of five may be the machine's.
    require(times[3] < 100, || format!("{times:?} ms"))?;
    Ok(format!("{} ms in the middle, {} ms at worst", times[2], times[4]))
}

fn depth(engines: &mut Engines<'_>) -> Checked {
    let reply = engines.shared()?.go(START, "go depth 3")?;
    match reply.numbers("depth").into_iter().max() {
        None => fail("no line has a depth"),
        Some(depth @ 0..=3) => Ok(format!("depth {depth}")),
        Some(depth) => fail(format_args!("depth {depth}")),
    }
}

fn nodes(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot_with(&[("Threads", "1")])?;
    let has_one_thread = conversation.option("Threads").is_some();
    let mut search = || -> Result<(u64, String), Abort> {
        conversation.ready()?;
        conversation.send("usinewgame");
        let reply = conversation.go_exactly(START, "go nodes 20000")?;
        let Some(&nodes) = reply.numbers("nodes").last() else { return fail("no line has nodes") };
        Ok((nodes, format!("{} {:?}", reply.best(), reply.score())))
    };
    let first = search()?;
    let then = search()?;
    let right = if has_one_thread { 19_800..=20_200 } else { 18_000..=22_000 };
    require(right.contains(&first.0), || format!("{} nodes; {} to {} are right", first.0, right.start(), right.end()))?;
    require(!has_one_thread || first == then, || format!("{} nodes {}, then {} {}", first.0, first.1, then.0, then.1))?;
    Ok(format!("{} nodes", first.0))
}

fn movetime(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    timed(400, 530, || Ok(conversation.go_exactly(START, "go movetime 500")?.took))
}

fn bare_go(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.begin(START, "go", 1_500)?;
    conversation.stop()?;
    PASSED
}

fn search_moves(engines: &mut Engines<'_>) -> Checked {
    let limits = engines.limits();
    let conversation = engines.shared()?;
    for (limit, is_first) in [("go depth 3", true), ("go nodes 1000", false)] {
        let limit = limits.adapt(limit)?;
        let limit = limit.trim_start_matches("go ");
        let go = if is_first {
            format!("go {limit} searchmoves 1g1f 9g9f")
        } else {
            format!("go searchmoves 1g1f 9g9f {limit}")
        };
        let reply = conversation.go_exactly(START, &go)?;
        require(matches!(reply.best(), "1g1f" | "9g9f"), || format!("{} after {}", shown(&reply.text), shown(&go)))?;
    }
    PASSED
}

fn unknown_word(engines: &mut Engines<'_>) -> Checked {
    engines.shared()?.go(START, "go nodes 500 fancy 7")?;
    PASSED
}

fn no_move(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for position in [MATED, STALEMATED] {
        let reply = conversation.go(position, "go btime 1000 wtime 1000 byoyomi 500")?;
        require(reply.text == "bestmove resign", || format!("{} after {}", shown(&reply.text), shown(position)))?;
    }
    PASSED
}

fn declaration(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    let Some(option) = conversation.option("EnteringKingRule") else { return skip("it lists no EnteringKingRule") };
    // What it must answer, or must not.
    let cases = [
        ("CSARule27", BLACK_28, "win", true),
        ("CSARule27", BLACK_27, "win", false),
        ("CSARule27", WHITE_27, "win", true),
        ("CSARule27", WHITE_26, "win", false),
        ("NoEnteringKing", BLACK_28, "win", false),
        ("CSARule24", BLACK_28, "win", false),
        ("TryRule", BLACK_28, "6b5a", true),
    ];
    let cases = cases.map(|case| option.has_value(case.0).then_some(case));
    let mut checked = 0;
    for (rule, position, answer, is_right) in cases.into_iter().flatten() {
        conversation.set("EnteringKingRule", rule);
        conversation.ready()?;
        let reply = conversation.go(position, "go movetime 200")?;
        let wrong = || format!("{} by {rule} after {}", shown(&reply.text), shown(position));
        require((reply.best() == answer) == is_right, wrong)?;
        checked += 1;
    }
    if checked == 0 { skip("EnteringKingRule has none of the known values") } else { Ok(format!("{checked} cases")) }
}

/// The grammar finds what is wrong, here and in every other item.
fn self_play(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let mut game = START.to_string();
    for ply in 0..40 {
        let reply = conversation.go(&game, "go nodes 400")?;
        if matches!(reply.best(), "resign" | "win") {
            return Ok(format!("{ply} plies"));
        }
        let before = if ply == 0 { " moves" } else { "" };
        game = format!("{game}{before} {}", reply.best());
    }
    Ok("40 plies".to_string())
}

/// The grammar finds what is wrong, here and in every other item.
fn last_line(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for go in ["go depth 5", "go movetime 200", "go nodes 3000"] {
        conversation.go(OPENING, go)?;
    }
    PASSED
}

fn stop_at_once(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for _ in 0..200 {
        let reply = conversation.go(START, "go infinite\nstop")?;
        require(!matches!(reply.best(), "resign" | "win"), || format!("{} in the start position", shown(&reply.text)))?;
    }
    conversation.no_answer(100, "is one answer too many")
}

fn gameover(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for end in ["stop\ngameover win", "gameover lose"] {
        conversation.send(&format!("{START}\ngo btime 600000 wtime 600000 byoyomi 0"));
        conversation.no_answer(100, "after a tenth of a second of ten minutes")?;
        conversation.send(end);
        conversation.best_within(Duration::from_secs(2))?;
        conversation.no_answer(200, "is a second answer")?;
    }
    conversation.alive()
}
