//! Searches and their answers: U55 to U70.

use super::item::{Checked, FINE, Item, Stop, fail, must, require, should, shown, skip};
use super::lab::{Lab, timed};
use super::positions::{BLACK_27, BLACK_28, MATE_IN_ONE, MATED, OPENING, STALEMATED, START, WHITE_26, WHITE_27};
use super::talk::{Reply, Talk};
use std::time::Duration;

pub(super) const ITEMS: &[Item] = &[
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

fn one_answer(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for _ in 0..20 {
        talk.go(START, "go nodes 300")?;
    }
    talk.no_answer(150, "is one answer too many")?;
    FINE
}

fn idle_stop(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    talk.send("stop");
    talk.no_answer(150, "though nothing was searched")?;
    talk.send(&format!("{START}\ngo infinite"));
    talk.no_answer(150, "before stop")?;
    talk.send("stop\nstop");
    talk.best()?;
    talk.no_answer(200, "is a second answer")?;
    FINE
}

fn infinite_waits(lab: &mut Lab<'_>) -> Checked {
    let positions = [
        ("start position", START),
        ("mated", MATED),
        ("stalemate", STALEMATED),
        ("mate in one", MATE_IN_ONE),
        ("declaration", BLACK_28),
    ];
    let mut slowest = Duration::ZERO;
    for (name, position) in positions {
        let talk = lab.shared()?;
        let within = |stop| match stop {
            Stop::Fail(why) => Stop::Fail(format!("{name}: {why}")),
            skipped => skipped,
        };
        talk.send(&format!("{position}\ngo infinite"));
        talk.no_answer(1_000, "before stop").map_err(within)?;
        slowest = slowest.max(talk.stop().map_err(within)?.took);
        talk.no_answer(50, "is a second answer").map_err(within)?;
    }
    Ok(format!("stopped within {} ms", slowest.as_millis()))
}

fn stop_latency(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    let mut times = Vec::new();
    for _ in 0..5 {
        talk.send(&format!("{START}\ngo infinite"));
        talk.no_answer(300, "before stop")?;
        times.push(talk.stop()?.took.as_millis());
    }
    times.sort_unstable();
    // The worst of five may be the machine's.
    require(times[3] < 100, || format!("{times:?} ms"))?;
    Ok(format!("{} ms in the middle, {} ms at worst", times[2], times[4]))
}

/// The numbers behind a word in the lines of a search.
fn numbers(reply: &Reply, word: &str) -> Vec<u64> {
    let number = |line: &String| line.split(' ').skip_while(|found| *found != word).nth(1)?.parse().ok();
    reply.before.iter().filter(|line| line.starts_with("info ")).filter_map(number).collect()
}

fn depth(lab: &mut Lab<'_>) -> Checked {
    let reply = lab.shared()?.go(START, "go depth 3")?;
    match numbers(&reply, "depth").into_iter().max() {
        None => fail("no line has a depth"),
        Some(depth @ 0..=3) => Ok(format!("depth {depth}")),
        Some(depth) => fail(format_args!("depth {depth}")),
    }
}

fn nodes(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot_with(&[("Threads", "1")])?;
    let has_one_thread = talk.option("Threads").is_some();
    let mut search = || -> Result<(u64, String), Stop> {
        talk.ready()?;
        talk.send("usinewgame");
        let reply = talk.go(START, "go nodes 20000")?;
        let Some(&nodes) = numbers(&reply, "nodes").last() else { return fail("no line has nodes") };
        Ok((nodes, format!("{} {:?}", reply.best(), reply.thought().and_then(|thought| thought.score))))
    };
    let (first, then) = (search()?, search()?);
    let (least, most) = if has_one_thread { (19_800, 20_200) } else { (18_000, 22_000) };
    require((least..=most).contains(&first.0), || format!("{} nodes; {least} to {most} are right", first.0))?;
    require(!has_one_thread || first == then, || format!("{} nodes {}, then {} {}", first.0, first.1, then.0, then.1))?;
    Ok(format!("{} nodes", first.0))
}

fn movetime(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    timed(400, 530, || Ok(talk.go(START, "go movetime 500")?.took))
}

fn bare_go(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    talk.send(&format!("{START}\ngo"));
    talk.no_answer(1_500, "before stop")?;
    talk.stop()?;
    FINE
}

fn search_moves(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for go in ["go depth 3 searchmoves 1g1f 9g9f", "go searchmoves 1g1f 9g9f nodes 1000"] {
        let reply = talk.go(START, go)?;
        require(matches!(reply.best(), "1g1f" | "9g9f"), || format!("{} after {}", shown(&reply.text), shown(go)))?;
    }
    FINE
}

fn unknown_word(lab: &mut Lab<'_>) -> Checked {
    lab.shared()?.go(START, "go nodes 500 fancy 7")?;
    FINE
}

fn no_move(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for position in [MATED, STALEMATED] {
        let reply = talk.go(position, "go btime 1000 wtime 1000 byoyomi 500")?;
        require(reply.text == "bestmove resign", || format!("{} after {}", shown(&reply.text), shown(position)))?;
    }
    FINE
}

fn declaration(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    let Some(option) = talk.option("EnteringKingRule") else { return skip("it lists no EnteringKingRule") };
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
        talk.set("EnteringKingRule", rule);
        talk.ready()?;
        let reply = talk.go(position, "go movetime 200")?;
        let wrong = || format!("{} by {rule} after {}", shown(&reply.text), shown(position));
        require((reply.best() == answer) == is_right, wrong)?;
        checked += 1;
    }
    if checked == 0 { skip("EnteringKingRule has none of the known values") } else { Ok(format!("{checked} cases")) }
}

/// The grammar finds what is wrong, here and in every other item.
fn self_play(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    let mut game = START.to_string();
    for ply in 0..40 {
        let reply = talk.go(&game, "go nodes 400")?;
        if matches!(reply.best(), "resign" | "win") {
            return Ok(format!("{ply} plies"));
        }
        let before = if ply == 0 { " moves" } else { "" };
        game = format!("{game}{before} {}", reply.best());
    }
    Ok("40 plies".to_string())
}

/// The grammar finds what is wrong, here and in every other item.
fn last_line(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for go in ["go depth 5", "go movetime 200", "go nodes 3000"] {
        talk.go(OPENING, go)?;
    }
    FINE
}

fn stop_at_once(lab: &mut Lab<'_>) -> Checked {
    let talk: &mut Talk = lab.shared()?;
    for _ in 0..200 {
        let reply = talk.go(START, "go infinite\nstop")?;
        require(!matches!(reply.best(), "resign" | "win"), || format!("{} in the start position", shown(&reply.text)))?;
    }
    talk.no_answer(100, "is one answer too many")?;
    FINE
}

fn gameover(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for end in ["stop\ngameover win", "gameover lose"] {
        talk.send(&format!("{START}\ngo btime 600000 wtime 600000 byoyomi 0"));
        talk.no_answer(100, "after a tenth of a second of ten minutes")?;
        talk.send(end);
        talk.best_within(Duration::from_secs(2))?;
        talk.no_answer(200, "is a second answer")?;
    }
    talk.alive()?;
    FINE
}
