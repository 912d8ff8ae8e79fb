//! The process, its pipes and the text that goes through them: U1 to U22.

use super::engines::Engines;
use super::item::{CheckItem, must, nice, should};
use super::outcome::{Abort, Checked, PASSED, fail, require, shown, skip, timed};
use super::positions::{OPENING, START};
use crate::process::Process;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// An engine should end within a second; on a busy machine it may take this long.
const END: Duration = Duration::from_secs(2);

/// Longest wait for the last words of an engine that has ended.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(500);

pub(super) const ITEMS: &[CheckItem] = &[
    should(1, "says nothing before it is spoken to", silent_start),
    should(2, "usi is answered within a second of the start, id name first", usi_answer),
    should(3, "usiok and readyok stand alone, and no line ends in a blank", exact_words),
    should(4, "a second usi is answered like the first, and settings stay", second_usi),
    must(5, "lines come whole, also from many threads under a storm of stops", whole_lines),
    should(6, "every line is printable ASCII", ascii),
    should(7, "nothing is written to standard error in ordinary play", quiet_errors),
    must(8, "lines may end in CR LF", crlf),
    must(9, "words may be parted by tabs and several blanks", blanks),
    should(10, "blank lines are passed over in silence", blank_lines),
    should(11, "an unknown command does no harm", unknown_command),
    nice(12, "junk before a command does no harm", leading_junk),
    should(13, "bytes that are not UTF-8 do no harm", not_utf8),
    should(14, "a byte order mark before the first command does not count", byte_order_mark),
    must(15, "a line of 100,000 bytes does no harm", long_line),
    must(16, "commands may come in pieces and together", pieces),
    must(17, "it ends in good order when its input ends", input_ends),
    must(18, "it ends in good order when its input ends in a search", input_ends_in_search),
    must(19, "quit ends it at any time", quit),
    should(20, "it ends without complaint when nobody reads its output", reader_gone),
    must(21, "it runs in any working directory", other_folder),
    must(22, "it runs from a folder with blanks and Japanese in its name", foreign_folder)
        .without("paths as option values, and Windows code pages"),
];

fn silent_start(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.start()?;
    match conversation.collect(Duration::from_secs(1))?.first() {
        None => PASSED,
        Some(line) => fail(format_args!("{} at the start", shown(line))),
    }
}

fn usi_answer(engines: &mut Engines<'_>) -> Checked {
    // Slow disks and busy machines: as with other times, the best of three counts.
    timed(0, 1_000, || {
        let started = Instant::now();
        let mut conversation = engines.start()?;
        let before_usi = started.elapsed();
        let reply = conversation.handshake()?;
        let first = reply.before.iter().find(|line| !line.trim().is_empty());
        require(first.is_some_and(|line| line.starts_with("id name ")), || match first {
            Some(line) => format!("the first line is {}", shown(line)),
            None => "usiok comes first".to_string(),
        })?;
        Ok(before_usi + reply.took)
    })
}

/// The grammar finds what is wrong.
fn exact_words(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.ready()?;
    conversation.go(OPENING, "go nodes 1000")?;
    PASSED
}

fn second_usi(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    let multi_pv = conversation.multi_pv().ok();
    if let Some(name) = &multi_pv {
        conversation.set(name, "2");
    }
    let names = |conversation: &super::conversation::Conversation| {
        conversation.options.iter().map(|option| option.name.clone()).collect::<Vec<_>>()
    };
    let before = names(&conversation);
    conversation.handshake()?;
    require(names(&conversation) == before, || {
        format!("{} options before, {} then", before.len(), conversation.options.len())
    })?;
    let reply = conversation.go(START, "go depth 3")?;
    let is_kept = reply.before.iter().any(|line| line.contains(" multipv 2 "));
    require(multi_pv.is_none() || is_kept, || "MultiPV 2 was forgotten".to_string())?;
    PASSED
}

fn whole_lines(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    if let Some(most) = conversation.option("Threads").and_then(|option| option.number("max")) {
        conversation.set("Threads", &most.min(8).to_string());
    }
    if let Ok(name) = conversation.multi_pv() {
        conversation.set(&name, "5");
    }
    conversation.ready()?;
    for round in 0..40 {
        conversation.begin(OPENING, "go infinite", round % 4 * 15)?;
        conversation.stop()?;
    }
    PASSED
}

/// The grammar finds what is wrong, here and in every other item.
fn ascii(engines: &mut Engines<'_>) -> Checked {
    engines.shared()?.go(OPENING, "go nodes 3000")?;
    PASSED
}

fn quiet_errors(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    for go in ["go nodes 2000", "go movetime 200", "go depth 4"] {
        conversation.go(OPENING, go)?;
    }
    conversation.send("gameover win");
    conversation.drain()?;
    let stderr = conversation.stderr();
    require(stderr.is_empty(), || format!("{} on standard error", shown(&stderr)))?;
    PASSED
}

fn crlf(engines: &mut Engines<'_>) -> Checked {
    let limits = engines.limits();
    let mut conversation = engines.start()?;
    conversation.limits = limits;
    conversation.send_bytes(b"usi\r\n");
    conversation.until(&["usiok"])?;
    for (name, value) in &engines.engine.options {
        conversation.send_bytes(format!("setoption name {name} value {value}\r\n").as_bytes());
    }
    conversation.send_bytes(b"isready\r\n");
    conversation.until(&["readyok"])?;
    let go = conversation.limits.adapt("go nodes 500")?;
    conversation.send_bytes(format!("position startpos moves 7g7f\r\n{go}\r\n").as_bytes());
    conversation.best()?;
    PASSED
}

fn blanks(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let go = conversation.limits.adapt("go nodes 500")?.replacen(' ', "\t", 1).replace(' ', "  ");
    conversation.send(&format!("  position   startpos\tmoves  7g7f  \n {go} "));
    conversation.best()?;
    conversation.no_answer(50, "is a second answer")
}

fn blank_lines(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.send_bytes(b"\n\r\n   \n");
    let lines = conversation.collect(Duration::from_millis(300))?;
    require(lines.is_empty(), || format!("{} in answer to a blank line", shown(&lines[0])))?;
    conversation.ready()?;
    PASSED
}

fn unknown_command(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    conversation.send("foobar xyz");
    conversation.only_info_strings(200)?;
    conversation.alive()
}

fn leading_junk(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.send("joho isready");
    // It may be taken for isready or not, which the grammar cannot know.
    conversation.is_checked = false;
    conversation.collect(Duration::from_millis(300))?;
    conversation.is_checked = true;
    conversation.alive()
}

fn not_utf8(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.send_bytes(b"setoption name BookFile value C:\\\x8F\xAB\x8A\xFB\\\x95\x5C.db\n");
    conversation.collect(Duration::from_millis(100))?;
    conversation.send_bytes(b"\x8F\xAB\x8A\xFB \xFF\xFE\n");
    conversation.collect(Duration::from_millis(100))?;
    conversation.alive()
}

fn byte_order_mark(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.start()?;
    conversation.send_bytes(b"\xEF\xBB\xBFusi\n");
    conversation.until_within(&["usiok"], engines.engine.timeout.min(Duration::from_secs(3)))?;
    PASSED
}

fn long_line(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    let started = Instant::now();
    conversation.send(&format!("position startpos moves{}", " 5i5h 5a5b 5h5i 5b5a".repeat(5_000)));
    let go = conversation.limits.adapt("go nodes 500")?;
    conversation.send(&format!("{START}\n{go}"));
    conversation.best_within(Duration::from_secs(20))?;
    Ok(format!("{:.1} s", started.elapsed().as_secs_f64()))
}

fn pieces(engines: &mut Engines<'_>) -> Checked {
    let conversation = engines.shared()?;
    for piece in ["posi", "tion startpos\ngo infi", "nite\nstop\n"] {
        conversation.no_answer(100, "though go is not complete")?;
        conversation.send_bytes(piece.as_bytes());
    }
    conversation.best()?;
    conversation.no_answer(150, "is a second answer")
}

fn input_ends(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.close_input();
    conversation.ends_within(END).map(|time| format!("{} ms", time.as_millis()))
}

fn input_ends_in_search(engines: &mut Engines<'_>) -> Checked {
    let mut conversation = engines.boot()?;
    conversation.begin(START, "go infinite", 200)?;
    conversation.close_input();
    conversation.ends_within(END).map(|time| format!("{} ms", time.as_millis()))
}

fn quit(engines: &mut Engines<'_>) -> Checked {
    let mut slowest = Duration::ZERO;
    for text in ["", "go infinite", "go ponder btime 60000 wtime 60000 byoyomi 1000", "isready"] {
        let mut conversation = engines.boot()?;
        conversation.send(START);
        if !text.is_empty() {
            conversation.send(text);
        }
        if text.starts_with("go") {
            conversation.no_answer(100, "before stop")?;
        }
        conversation.send("quit");
        slowest = slowest.max(conversation.ends_within(END).map_err(|stop| during(text, stop))?);
    }
    let mut conversation = engines.start()?;
    conversation.send("quit");
    conversation.ends_within(END).map_err(|stop| during("first command", stop))?;
    Ok(format!("{} ms at most", slowest.as_millis()))
}

/// Says during what something failed.
fn during(text: &str, stop: Abort) -> Abort {
    match stop {
        Abort::Fail(why) | Abort::Ended(why) if !text.is_empty() => Abort::Fail(format!("{text}: {why}")),
        other => other,
    }
}

fn reader_gone(engines: &mut Engines<'_>) -> Checked {
    let go = engines.limits().adapt("go nodes 500")?;
    let engine = Process::start_unread(&engines.engine.launch);
    let mut engine = engine.or_else(|error| fail(format_args!("cannot be started: {error}")))?;
    // Whether it still reads shows in how it ends.
    _ = engine.send(format!("usi\nisready\nposition startpos\n{go}\nquit\n").as_bytes());
    let Some(status) = engine.exit_status(engines.engine.timeout) else {
        return fail(format_args!("still running after {} s", engines.engine.timeout.as_secs_f64()));
    };
    engine.await_stderr(LAST_WORDS_TIMEOUT);
    let stderr = engine.stderr_head();
    require(!stderr.contains("panic"), || format!("{} on standard error", shown(&stderr)))?;
    // A signal for writing to nobody is the custom of the system; an abort is not.
    require(!is_abort(status), || format!("ended with {status}"))?;
    Ok(status.to_string())
}

#[cfg(unix)]
fn is_abort(status: std::process::ExitStatus) -> bool {
    const SIGABRT: i32 = 6;
    const SIGSEGV: i32 = 11;
    std::os::unix::process::ExitStatusExt::signal(&status).is_some_and(|signal| matches!(signal, SIGABRT | SIGSEGV))
}

#[cfg(not(unix))]
fn is_abort(_: std::process::ExitStatus) -> bool {
    false
}

fn other_folder(engines: &mut Engines<'_>) -> Checked {
    let root = if cfg!(windows) { "C:\\" } else { "/" };
    let launch = engines.engine.launch.in_folder(Path::new(root));
    let mut conversation = engines.boot_as(&launch)?;
    conversation.go(START, "go nodes 500")?;
    PASSED
}

fn foreign_folder(engines: &mut Engines<'_>) -> Checked {
    let Some(program) = engines.engine.launch.lone_program() else {
        return skip("the command is not the path of a program");
    };
    let folder = tempfile::Builder::new().prefix("将棋 ソフト ").tempdir();
    let folder = folder.or_else(|error| skip(format_args!("no folder: {error}")))?;
    let copy = copy_beside_links(program, folder.path()).or_else(|error| skip(format_args!("no copy: {error}")))?;
    let launch = engines.engine.launch.with_program(&copy);
    // The engine ends before its folder is removed.
    let mut conversation = engines.boot_as(&launch)?;
    conversation.go(START, "go nodes 500")?;
    PASSED
}

/// Copies a program into a folder. Whatever else stands beside it, such as networks, is linked to.
fn copy_beside_links(program: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    let copy = folder.join("エンジン 1").with_extension(program.extension().unwrap_or_default());
    std::fs::copy(program, &copy)?;
    #[cfg(unix)]
    for entry in program.parent().into_iter().flat_map(std::fs::read_dir).flatten().flatten().take(1_000) {
        if entry.path() != program {
            std::os::unix::fs::symlink(entry.path(), folder.join(entry.file_name()))?;
        }
    }
    Ok(copy)
}
