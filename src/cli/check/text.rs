//! The process, its pipes and the text that goes through them: U1 to U22.

use super::item::{Checked, FINE, Item, Stop, fail, must, nice, require, should, shown, skip};
use super::lab::{Lab, timed};
use super::pipes::Engine;
use super::positions::{OPENING, START};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// An engine should end within a second; on a busy machine it may take this long.
const END: Duration = Duration::from_secs(2);

pub(super) const ITEMS: &[Item] = &[
    must(1, "says nothing before it is spoken to", silent_start),
    must(2, "usi is answered within a second of the start, id name first", introduction),
    must(3, "usiok and readyok stand alone, and no line ends in a blank", exact_words),
    should(4, "a second usi is answered like the first, and settings stay", second_usi),
    must(5, "lines come whole, also from many threads under a storm of stops", whole_lines),
    should(6, "every line is printable ASCII", ascii),
    must(7, "nothing is written to standard error in ordinary play", quiet_errors),
    must(8, "lines may end in CR LF", crlf),
    must(9, "words may be parted by tabs and several blanks", blanks),
    must(10, "blank lines are passed over in silence", blank_lines),
    must(11, "an unknown command does no harm", unknown_command),
    nice(12, "junk before a command does no harm", leading_junk),
    must(13, "bytes that are not UTF-8 do no harm", not_utf8),
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

fn silent_start(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.start()?;
    match talk.listen(Duration::from_secs(1))?.first() {
        None => FINE,
        Some(line) => fail(format_args!("{} at the start", shown(line))),
    }
}

fn introduction(lab: &mut Lab<'_>) -> Checked {
    // Slow disks and busy machines: as with other times, the best of three counts.
    timed(0, 1_000, || {
        let started = Instant::now();
        let mut talk = lab.start()?;
        let before_usi = started.elapsed();
        let reply = talk.introduce()?;
        let first = reply.before.iter().find(|line| !line.trim().is_empty());
        require(first.is_some_and(|line| line.starts_with("id name ")), || match first {
            Some(line) => format!("the first line is {}", shown(line)),
            None => "usiok comes first".to_string(),
        })?;
        Ok(before_usi + reply.took)
    })
}

/// The grammar finds what is wrong.
fn exact_words(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.ready()?;
    talk.go(OPENING, "go nodes 1000")?;
    FINE
}

fn second_usi(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    let multi_pv = talk.multi_pv().ok();
    if let Some(name) = &multi_pv {
        talk.set(name, "2");
    }
    let names = |talk: &super::talk::Talk| talk.options.iter().map(|option| option.name.clone()).collect::<Vec<_>>();
    let before = names(&talk);
    talk.introduce()?;
    require(names(&talk) == before, || format!("{} options before, {} then", before.len(), talk.options.len()))?;
    let reply = talk.go(START, "go depth 3")?;
    let is_kept = reply.before.iter().any(|line| line.contains(" multipv 2 "));
    require(multi_pv.is_none() || is_kept, || "MultiPV 2 was forgotten".to_string())?;
    FINE
}

fn whole_lines(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    if let Some(most) = talk.option("Threads").and_then(|option| option.number("max")) {
        talk.set("Threads", &most.min(8).to_string());
    }
    if let Ok(name) = talk.multi_pv() {
        talk.set(&name, "5");
    }
    talk.ready()?;
    for round in 0..40 {
        talk.send(&format!("{OPENING}\ngo infinite"));
        talk.no_answer(round % 4 * 15, "before stop")?;
        talk.stop()?;
    }
    FINE
}

/// The grammar finds what is wrong, here and in every other item.
fn ascii(lab: &mut Lab<'_>) -> Checked {
    lab.shared()?.go(OPENING, "go nodes 3000")?;
    FINE
}

fn quiet_errors(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    for go in ["go nodes 2000", "go movetime 200", "go depth 4"] {
        talk.go(OPENING, go)?;
    }
    talk.send("gameover win");
    talk.settle()?;
    let complaints = talk.complaints();
    require(complaints.is_empty(), || format!("{} on standard error", shown(&complaints)))?;
    FINE
}

fn crlf(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.start()?;
    talk.send_bytes(b"usi\r\n");
    talk.until(&["usiok"])?;
    for (name, value) in &lab.setup.options {
        talk.send_bytes(format!("setoption name {name} value {value}\r\n").as_bytes());
    }
    talk.send_bytes(b"isready\r\n");
    talk.until(&["readyok"])?;
    talk.send_bytes(b"position startpos moves 7g7f\r\ngo nodes 500\r\n");
    talk.best()?;
    FINE
}

fn blanks(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    talk.send("  position   startpos\tmoves  7g7f  \n go\tnodes  500 ");
    talk.best()?;
    talk.no_answer(50, "is a second answer")?;
    FINE
}

fn blank_lines(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    talk.send_bytes(b"\n\r\n   \n");
    let lines = talk.listen(Duration::from_millis(300))?;
    require(lines.is_empty(), || format!("{} in answer to a blank line", shown(&lines[0])))?;
    talk.ready()?;
    FINE
}

fn unknown_command(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    talk.send("foobar xyz");
    talk.only_remarks(200)?;
    talk.alive()?;
    FINE
}

fn leading_junk(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.send("joho isready");
    // It may be taken for isready or not, which the grammar cannot know.
    talk.is_judged = false;
    talk.listen(Duration::from_millis(300))?;
    talk.is_judged = true;
    talk.alive()?;
    FINE
}

fn not_utf8(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.send_bytes(b"setoption name BookFile value C:\\\x8F\xAB\x8A\xFB\\\x95\x5C.db\n");
    talk.listen(Duration::from_millis(100))?;
    talk.send_bytes(b"\x8F\xAB\x8A\xFB \xFF\xFE\n");
    talk.listen(Duration::from_millis(100))?;
    talk.alive()?;
    FINE
}

fn byte_order_mark(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.start()?;
    talk.send_bytes(b"\xEF\xBB\xBFusi\n");
    talk.until_within(&["usiok"], lab.setup.patience.min(Duration::from_secs(3)))?;
    FINE
}

fn long_line(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    let started = Instant::now();
    talk.send(&format!("position startpos moves{}", " 5i5h 5a5b 5h5i 5b5a".repeat(5_000)));
    talk.send(&format!("{START}\ngo nodes 500"));
    talk.best_within(Duration::from_secs(20))?;
    Ok(format!("{:.1} s", started.elapsed().as_secs_f64()))
}

fn pieces(lab: &mut Lab<'_>) -> Checked {
    let talk = lab.shared()?;
    for piece in ["posi", "tion startpos\ngo nod", "es 500\nstop\n"] {
        talk.no_answer(100, "though go is not complete")?;
        talk.send_bytes(piece.as_bytes());
    }
    talk.best()?;
    talk.no_answer(150, "is a second answer")?;
    FINE
}

fn input_ends(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.close_input();
    talk.ends_within(END).map(|time| format!("{} ms", time.as_millis()))
}

fn input_ends_in_search(lab: &mut Lab<'_>) -> Checked {
    let mut talk = lab.boot()?;
    talk.send(&format!("{START}\ngo infinite"));
    talk.no_answer(200, "before stop")?;
    talk.close_input();
    talk.ends_within(END).map(|time| format!("{} ms", time.as_millis()))
}

fn quit(lab: &mut Lab<'_>) -> Checked {
    let mut slowest = Duration::ZERO;
    for text in ["", "go infinite", "go ponder btime 60000 wtime 60000 byoyomi 1000", "isready"] {
        let mut talk = lab.boot()?;
        talk.send(START);
        if !text.is_empty() {
            talk.send(text);
        }
        if text.starts_with("go") {
            talk.no_answer(100, "before stop")?;
        }
        talk.send("quit");
        slowest = slowest.max(talk.ends_within(END).map_err(|stop| during(text, stop))?);
    }
    let mut talk = lab.start()?;
    talk.send("quit");
    talk.ends_within(END).map_err(|stop| during("first command", stop))?;
    Ok(format!("{} ms at most", slowest.as_millis()))
}

/// Says during what something failed.
fn during(text: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Fail(why) if !text.is_empty() => Stop::Fail(format!("{text}: {why}")),
        other => other,
    }
}

fn reader_gone(lab: &mut Lab<'_>) -> Checked {
    let engine = Engine::start_unheard(&lab.setup.launch);
    let mut engine = engine.or_else(|error| fail(format_args!("cannot be started: {error}")))?;
    engine.send(b"usi\nisready\nposition startpos\ngo nodes 500\nquit\n");
    let Some(status) = engine.exit_status(lab.setup.patience) else {
        return fail(format_args!("still running after {} s", lab.setup.patience.as_secs_f64()));
    };
    let complaints = engine.complaints();
    require(!complaints.contains("panic"), || format!("{} on standard error", shown(&complaints)))?;
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

fn other_folder(lab: &mut Lab<'_>) -> Checked {
    let root = if cfg!(windows) { "C:\\" } else { "/" };
    let launch = lab.setup.launch.in_folder(Path::new(root));
    let mut talk = lab.boot_as(&launch)?;
    talk.go(START, "go nodes 500")?;
    FINE
}

/// A folder that is removed when this is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the system.
        _ = std::fs::remove_dir_all(&self.0);
    }
}

fn foreign_folder(lab: &mut Lab<'_>) -> Checked {
    let Some(program) = lab.setup.launch.program() else { return skip("the command is not the path of a program") };
    let name = format!("将棋 ソフト {}", std::process::id());
    let folder = Folder(std::env::temp_dir().join(name));
    let copy = copy_beside_links(program, &folder.0).or_else(|error| skip(format_args!("no copy: {error}")))?;
    let launch = lab.setup.launch.with_program(&copy);
    // The engine ends before its folder is removed.
    let mut talk = lab.boot_as(&launch)?;
    talk.go(START, "go nodes 500")?;
    FINE
}

/// Copies a program into a new folder. Whatever else stands beside it, such as networks, is linked to.
fn copy_beside_links(program: &Path, folder: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
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
