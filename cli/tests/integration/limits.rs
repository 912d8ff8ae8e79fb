//! What becomes of every tool where the system gives little: few threads, little memory, small files, few open files.
//!
//! Whatever is missing, a tool does its work, with less if need be, or ends with an error that says why: never a panic,
//! never an answer without a search, never a wait without end. The limits are set by `prlimit` of util-linux; that of
//! threads counts by user and is none for root, so that test needs root, who can be another user.

use crate::exit_codes::Files;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

const KOMAINU: &str = env!("CARGO_BIN_EXE_komainu");

/// The most time that a tool may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every tool that works on several threads or with large tables, and a text that its output holds if all is done.
const TOOLS: [(&str, &str); 12] = [
    ("bench 2", " nps"),
    ("perft 3 --threads 4", "nodes 25470 "),
    ("perft --suite @good.perft --threads 4 --hash 1", "1 passed"),
    ("mate --suite @good.mate --hash 4 --threads 4", "1 passed, 0 failed"),
    ("analyse @games.sfen --out @out --threads 16 --nodes 200 --hash 1 --format kif", "2 games, "),
    ("analyse @games.sfen --out @out --jobs 4 --nodes 200 --hash 1 --format kif", "2 games, "),
    ("selfplay --games 2 --nodes 50 --hash 1 --threads 4 --out @out/x.games", "games 2 "),
    ("book think --positions @games.sfen --nodes 100 --hash 1 --threads 4 --out @out/x.db", " positions, "),
    ("data rescore @own.games --out @out/y.games --nodes 50 --hash 1 --threads 4", "games 1 "),
    (
        "match --engine a=@komainu --engine b=@komainu --nodes 50 --games 2 --max-plies 12 --concurrency 2 --force --out @out/m",
        "a - b",
    ),
    ("train @own.psv --out @out/n.bin --threads 4 --shape kp --epochs 1 --batch 16 --held-out 2", "net "),
    ("book sort @good.db --out @out/s.db", "1 position"),
];

/// The other tools, which take one thread and little memory.
const SMALL_TOOLS: [(&str, &str); 19] = [
    ("eval --sfen startpos", "cp "),
    ("convert @games.sfen --to csa --out @out", "2 games"),
    ("show @games.sfen", "sfen "),
    ("replay @wrong.log", " passed, "),
    ("data info @own.games", "games"),
    ("data text @own.games", "# game 1"),
    ("data convert @own.games @out/c.psv", ""),
    ("data filter @more.games --out @out/f.psv", "kept "),
    ("data dedup @own.psv --out @out/d.psv", "kept "),
    ("data shuffle @own.psv --out @out/s.psv", "shuffled "),
    ("book make @games.sfen --min-count 1 --out @out/m.db", " positions, "),
    ("book merge @good.db @good.db --out @out/g.db", "1 position"),
    ("book minimax @good.db --out @out/x.db", "1 position"),
    ("book prune @good.db --out @out/p.db", " position"),
    ("book export @good.db --out @out/e.jsonl", " position"),
    ("book check @good.db", "1 position"),
    ("book query @good.db --sfen startpos", "7g7f"),
    ("book stats @good.db", "1 position"),
    ("book next @good.db", "startpos moves 7g7f"),
];

fn all_tools() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOOLS.into_iter().chain(SMALL_TOOLS)
}

/// A limit as `prlimit` has it.
fn limited(limits: &[&str], arguments: &[String]) -> Command {
    let mut command = Command::new("prlimit");
    command.args(limits).arg(KOMAINU).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    command
}

fn has_prlimit() -> bool {
    let found = Command::new("prlimit").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("skipped: there is no prlimit");
    }
    found
}

/// How a program ended, and what it said.
struct End {
    status: ExitStatus,
    out: String,
    errors: String,
}

/// Waits for the end of a program, which must come, and kills what is left of it.
fn end(mut child: Child, what: &str) -> End {
    let read = |mut from: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            _ = from.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = child.stdout.take().map(|out| read(Box::new(out)));
    let errors = read(Box::new(child.stderr.take().expect("a pipe")));
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().expect("it can be waited for") {
            Some(status) => break Some(status),
            None if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            None => break None,
        }
    };
    // Engines that it has started would keep the pipes open.
    _ = Command::new("sh").args(["-c", "kill -s KILL -- -$0", &child.id().to_string()]).stderr(Stdio::null()).status();
    _ = child.wait();
    let out = out.map_or(String::new(), |out| out.join().expect("it was read"));
    let errors = errors.join().expect("it was read");
    let status = status.unwrap_or_else(|| panic!("{what} does not end: {out}\n{errors}"));
    End { status, out, errors }
}

impl End {
    /// Checks that the work was done or refused with a word.
    fn check(&self, done: &str, what: &str) {
        let End { status, out, errors } = self;
        let said = format!("{what}: {status}\n{out}\n{errors}");
        assert!(!errors.contains("panicked") && !errors.contains("overflowed its stack"), "{said}");
        // An allocation that fails ends with a word of its own and by a signal.
        if errors.contains("memory allocation of") || errors.contains("out of memory") {
            return;
        }
        match status.code() {
            Some(0) => assert!(out.contains(done), "{said}"),
            Some(1 | 2) => assert!(errors.contains("komainu: ") || out.contains("failed"), "{said}"),
            _ => panic!("{said}"),
        }
    }
}

/// The files of all subcommands, and records to train with.
fn files_with_records(name: &str) -> Files {
    let files = Files::new(name);
    let call = |line: &str| assert!(run_words(&files, line).status.success(), "{line}");
    call("selfplay --games 12 --nodes 20 --hash 1 --out @more.games");
    call("data filter @more.games --out @own.psv");
    files
}

fn run_words(files: &Files, line: &str) -> Output {
    Command::new(KOMAINU).args(words(files, line)).output().expect("it runs")
}

/// A folder for what a tool makes, empty and open to every user.
fn empty_output(files: &Files) {
    use std::os::unix::fs::PermissionsExt;
    let out = &files.words("@out")[0];
    _ = fs::remove_dir_all(out);
    fs::create_dir_all(out).expect("a folder");
    fs::set_permissions(out, fs::Permissions::from_mode(0o777)).expect("it can be opened");
}

fn words(files: &Files, line: &str) -> Vec<String> {
    files.words(&line.replace("@komainu", KOMAINU))
}

/// A user who runs nothing else.
fn nobody() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    200_000 + std::process::id() % 50_000 * 1_000 + NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Tests whether threads can be limited: root can become another user, for whom the program is to be read.
fn can_limit_threads() -> bool {
    let probe = limited(&["--nproc=1"], &["--version".to_string()]).uid(nobody()).gid(65_534).output();
    let can = has_prlimit() && probe.is_ok_and(|probe| probe.status.success());
    if !can {
        eprintln!("skipped: threads cannot be limited here");
    }
    can
}

/// A conversation under limits: `quit` is said when the search has answered, or the output is closed.
fn talk(limits: &[&str], uid: Option<u32>, options: &str, what: &str) -> End {
    let mut command = limited(limits, &[]);
    if let Some(uid) = uid {
        command.uid(uid).gid(65_534);
    }
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    _ = input.write_all(format!("{options}{SEARCH}").as_bytes());
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
    let (sender, answered) = channel();
    let reader = thread::spawn(move || {
        let mut text = String::new();
        for line in &mut lines {
            text += &format!("{line}\n");
            if line.starts_with("bestmove") {
                _ = sender.send(());
            }
        }
        text
    });
    // Also when it ends without an answer.
    _ = answered.recv_timeout(PATIENCE);
    _ = input.write_all(b"quit\n");
    drop(input);
    child.stdout = None;
    let End { status, errors, .. } = end(child, what);
    End { status, out: reader.join().expect("it was read"), errors }
}

const SEARCH: &str = "usi\nisready\nposition startpos moves 7g7f 3c3d 8h2b+\ngo nodes 5000\n";

#[test]
fn the_engine_searches_with_as_many_threads_as_the_system_gives() {
    if !can_limit_threads() {
        return;
    }
    for tasks in [1, 3, 4, 5, 8, 20] {
        for threads in [1, 16] {
            let what = format!("{tasks} tasks, Threads {threads}");
            let options = format!("setoption name Threads value {threads}\nsetoption name USI_Hash value 4\n");
            let limit = format!("--nproc={tasks}");
            let End { status, out, errors } = talk(&[&limit], Some(nobody()), &options, &what);
            assert!(!errors.contains("panicked"), "{what}: {errors}");
            if tasks < 4 {
                // Input, output and tables need one each.
                assert_eq!(status.code(), Some(2), "{what}: {out}\n{errors}");
                assert!(errors.starts_with("komainu: the system gives no thread"), "{what}: {errors}");
                continue;
            }
            assert!(status.success(), "{what}: {out}\n{errors}");
            let nodes = out.lines().filter_map(|line| line.split(" nodes ").nth(1)?.split(' ').next()?.parse().ok());
            assert!(nodes.max().unwrap_or(0) >= 1_000_u64, "{what}: {out}");
            // The capture of a bishop is taken back; other answers lose.
            assert!(out.contains("bestmove 3a2b"), "{what}: {out}");
            let told = out.matches("no memory or threads for Threads").count();
            let there = (tasks - 4).clamp(1, threads);
            assert_eq!(told, usize::from(there < threads), "{what}: {out}");
            let said = format!("for Threads {threads}, using {there}\n");
            assert!(there == threads || out.contains(&said), "{what}, {there} of them: {out}");
        }
    }
}

#[test]
fn every_tool_takes_fewer_threads_or_says_that_there_is_none() {
    if !can_limit_threads() {
        return;
    }
    let files = files_with_records("few-threads");
    for (line, done) in all_tools() {
        for tasks in [1, 3, 8, 20] {
            empty_output(&files);
            let what = format!("{tasks} tasks: {line}");
            let mut command = limited(&[&format!("--nproc={tasks}")], &words(&files, line));
            let child = command.uid(nobody()).gid(65_534).spawn().expect("it starts");
            end(child, &what).check(done, &what);
        }
    }
}

#[test]
fn every_tool_makes_do_with_little_memory_or_says_that_there_is_none() {
    if !has_prlimit() {
        return;
    }
    let files = files_with_records("little-memory");
    for (line, done) in all_tools() {
        for megabytes in [60, 250] {
            empty_output(&files);
            let what = format!("{megabytes} MB: {line}");
            let limit = format!("--as={}", megabytes << 20);
            end(limited(&[&limit], &words(&files, line)).spawn().expect("it starts"), &what).check(done, &what);
        }
    }
}

#[test]
fn the_engine_has_a_smaller_table_and_fewer_threads_where_memory_is_little() {
    if !has_prlimit() {
        return;
    }
    for megabytes in [150, 250, 450] {
        for options in ["", "setoption name Threads value 16\n", "setoption name USI_Hash value 4096\n"] {
            let what = format!("{megabytes} MB, {options:?}");
            let limit = format!("--as={}", megabytes << 20);
            let End { status, out, errors } = talk(&[&limit], None, options, &what);
            assert!(status.success(), "{what}: {status} {out}\n{errors}");
            assert!(out.contains("readyok\n") && out.contains("bestmove 3a2b"), "{what}: {out}\n{errors}");
            let is_said = |text: &str| options.is_empty() || out.contains(text);
            assert!(is_said("using "), "{what}: {out}");
        }
    }
}

#[test]
fn files_that_may_not_grow_and_few_open_files_are_errors() {
    if !has_prlimit() {
        return;
    }
    let files = files_with_records("small-files");
    for (line, done) in all_tools() {
        for limit in ["--fsize=100", "--nofile=5"] {
            empty_output(&files);
            let what = format!("{limit}: {line}");
            let End { status, out, errors } =
                end(limited(&[limit], &words(&files, line)).spawn().expect("it starts"), &what);
            assert!(!errors.contains("panicked"), "{what}: {errors}");
            let is_fine = status.success() && out.contains(done);
            let is_told =
                matches!(status.code(), Some(1 | 2)) && (errors.contains("komainu: ") || out.contains("failed"));
            // The loader of the program needs files of its own.
            let is_unborn = status.code() == Some(127);
            assert!(is_fine || is_told || is_unborn, "{what}: {status}\n{out}\n{errors}");
        }
    }
}

#[test]
fn a_signal_at_any_moment_ends_every_tool_with_130_or_when_all_is_done() {
    let files = files_with_records("signals");
    // Work that a signal cannot be too late for.
    for (line, _) in TOOLS {
        let long = line.replace("--nodes 50 ", "--nodes 3000 ").replace("--games 2 ", "--games 40 ");
        for (millis, signal) in [(10, "-TERM"), (120, "-INT")] {
            empty_output(&files);
            let what = format!("{signal} after {millis} ms: {line}");
            let mut command = Command::new(KOMAINU);
            command.args(words(&files, &long)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = command.process_group(0).spawn().expect("it starts");
            thread::sleep(Duration::from_millis(millis));
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
            sent.expect("kill runs");
            let began = Instant::now();
            let End { status, out, errors } = end(child, &what);
            assert!(began.elapsed() < Duration::from_secs(20), "{what}: {:?}", began.elapsed());
            assert!(!errors.contains("panicked"), "{what}: {errors}");
            // A tool without a handler dies of the signal.
            let is_dead = matches!(status.signal(), Some(2 | 15));
            assert!(is_dead || matches!(status.code(), Some(0 | 130)), "{what}: {status}\n{out}\n{errors}");
        }
    }
}
