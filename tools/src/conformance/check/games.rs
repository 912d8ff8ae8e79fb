//! From one game to the next: U36 to U44.

use super::conversation::{MAX_SILENCE, is_answer};
use super::engines::Engines;
use super::item::{CheckItem, must, should};
use super::outcome::{Checked, PASSED, fail, require, shown, skip, timed};
use super::positions::START;
use komainu::system::free_megabytes;
use std::time::Duration;
use sysinfo::{Pid, ProcessesToUpdate, System};

pub(super) const ITEMS: &[CheckItem] = &[
    must(36, "it is ready soon with its own settings", ready_soon),
    must(37, "it never keeps silent for 5 s before readyok", keep_alive)
        .without("a table of most of the memory: one of 1,024 MB is asked for"),
    should(38, "a second isready is answered at once", ready_again),
    must(39, "isready is answered in a search, which goes on", ready_in_search),
    must(40, "usinewgame is taken in silence", new_game),
    must(41, "stop, gameover and isready may come in one piece", straight_on),
    must(42, "it plays without isready", unprepared),
    must(43, "an evaluation file that is missing is reported and survived", no_evaluation),
    must(44, "a hundred games take no more memory than one", many_games).without("the number of threads"),
];

fn ready_soon(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.start()?;
    conversation.handshake()?;
    let reply = conversation.ready()?;
    require(reply.took < Duration::from_secs(5), || format!("readyok after {:.1} s", reply.took.as_secs_f64()))?;
    Ok(format!("{} ms", reply.took.as_millis()))
}

fn keep_alive(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.after_handshake()?;
    let megabytes = (free_megabytes() / 4).min(1_024);
    conversation.set("USI_Hash", &megabytes.to_string());
    conversation.timeout = conversation.timeout.max(MAX_SILENCE * 6);
    let reply = conversation.ready()?;
    // Longer silences are found wherever isready is sent.
    let silence = conversation.longest_silence.as_millis();
    Ok(format!("{} ms with {megabytes} MB, {silence} ms of silence", reply.took.as_millis()))
}

fn ready_again(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.ready()?;
    timed(0, 300, || Ok(conversation.ready()?.took))
}

fn ready_in_search(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.begin(START, "go infinite", 200)?;
    conversation.send("isready");
    let reply = conversation.until_within(&["readyok"], Duration::from_secs(2))?;
    let answer = reply.before.iter().find(|line| is_answer(line));
    require(answer.is_none(), || "the search has ended".to_string())?;
    conversation.no_answer(100, "before stop")?;
    conversation.stop()?;
    Ok(format!("{} ms", reply.took.as_millis()))
}

fn new_game(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.send("usinewgame\nusinewgame");
    let lines = conversation.collect(Duration::from_millis(200))?;
    require(lines.is_empty(), || format!("{} in answer to usinewgame", shown(&lines[0])))?;
    PASSED
}

fn straight_on(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.begin(START, "go infinite", 200)?;
    conversation.send("stop\ngameover lose\nisready");
    let reply = conversation.until(&["readyok"])?;
    let answers = reply.before.iter().filter(|line| is_answer(line)).count();
    require(answers == 1, || format!("{answers} answers before readyok"))?;
    conversation.no_answer(200, "after readyok")
}

fn unprepared(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.after_handshake()?;
    conversation.go(START, "go nodes 500")?;
    PASSED
}

fn no_evaluation(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.after_handshake()?;
    let is_text = |kind: &str| kind.starts_with("string") || kind.starts_with("filename");
    let names = ["EvalFile", "EvalDir", "Eval_File"];
    let found = names.iter().find_map(|name| conversation.option(name).filter(|option| is_text(&option.kind)));
    let Some(name) = found.map(|option| option.name.clone()) else {
        return skip("it lists neither EvalFile nor EvalDir");
    };
    conversation.set(&name, "no-such-file.bin");
    let reported = conversation.collect(Duration::from_millis(100))?;
    let reply = conversation.ready()?;
    let is_report = |line: &&String| line.starts_with("info string") && line.contains("no-such-file.bin");
    let Some(line) = reported.iter().chain(&reply.before).find(is_report) else {
        return fail("no line names the file");
    };
    let line = shown(line);
    conversation.go(START, "go nodes 500")?;
    Ok(line)
}

/// Memory of a process in megabytes.
fn memory(id: u32) -> Option<u64> {
    let id = Pid::from_u32(id);
    let mut system = System::new();
    system.refresh_processes(ProcessesToUpdate::Some(&[id]), true);
    system.process(id).map(|process| process.memory() >> 20)
}

fn many_games(engines: &mut Engines<'_>) -> Checked {
    const GAMES: usize = 100;
    const GROWTH: u64 = 20;
    let mut conversation = engines.boot()?;
    let mut early = None;
    for game in 0..GAMES {
        conversation.ready()?;
        conversation.send("usinewgame");
        conversation.go(START, "go nodes 200")?;
        conversation.send("gameover draw");
        if game == GAMES / 5 {
            early = memory(conversation.id());
        }
    }
    let (Some(early), Some(late)) = (early, memory(conversation.id())) else { return PASSED };
    require(late < early + GROWTH, || format!("{early} MB after {} games, {late} MB after {GAMES}", GAMES / 5))?;
    Ok(format!("{early} MB, then {late} MB"))
}
