use super::*;
use std::fs;
use std::path::{Path, PathBuf};

const TIMEOUT: Duration = Duration::from_secs(20);

fn shell(script: &str) -> Process {
    Process::start(&Launch::new(&format!("/bin/sh -c '{script}'"), None).unwrap()).unwrap()
}

fn next(process: &Process) -> String {
    process.line(Some(Instant::now() + TIMEOUT)).expect("a line in time").text
}

/// Writes a script that says in which folder it runs, and its arguments.
fn write_script(path: &Path) {
    fs::write(path, "#!/bin/sh\npwd\nfor word; do echo \"$word\"; done\n").unwrap();
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

fn lines(launch: &Launch) -> Vec<String> {
    let process = Process::start(launch).unwrap();
    std::iter::from_fn(|| process.line(Some(Instant::now() + TIMEOUT)).ok()).map(|line| line.text).collect()
}

#[test]
fn a_program_is_spoken_to_in_lines_until_it_ends() {
    let mut process = shell("while read -r line; do echo \"<$line>\"; done; echo why >&2; exit 3");
    process.send(b"one\ntwo\n").unwrap();
    assert_eq!([next(&process), next(&process)], ["<one>", "<two>"]);
    assert_eq!(process.line(Some(Instant::now())), Err(NoLine::Late));
    process.close_input();
    assert_eq!(process.line(None), Err(NoLine::Closed));
    assert_eq!(process.exit_status(TIMEOUT).and_then(|status| status.code()), Some(3));
    process.await_stderr(TIMEOUT);
    assert_eq!((process.stderr_head(), process.stderr_tail()), ("why".into(), "why".into()));
    assert!(process.send(b"three\n").is_err());
}

#[test]
fn neither_side_blocks_the_other_by_not_reading() {
    let mut process = shell("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done; read -r line; echo \"$line\"");
    for _ in 0..200_000 {
        process.send(b"a line that nobody reads for now\n").unwrap();
    }
    for number in 0..20_000 {
        assert_eq!(next(&process), number.to_string());
    }
    assert_eq!(next(&process), "a line that nobody reads for now");
}

#[test]
fn lines_are_handed_on_as_they_arrive_and_hold_nobody_up() {
    let flood = "/bin/sh -c 'i=0; while [ $i -lt 9000 ]; do echo $i; i=$((i+1)); done'";
    let (sender, received) = std::sync::mpsc::channel();
    let on_line = move |line: OutputLine| sender.send(line.text).unwrap();
    let mut process = Process::start_with_handler(&Launch::new(flood, None).unwrap(), on_line).unwrap();
    assert!(process.exit_status(TIMEOUT).is_some(), "it is not held up");
    assert!(received.iter().eq((0..9_000).map(|number| number.to_string())), "each line, and then the end");
    assert_eq!(process.line(None), Err(NoLine::Closed));
}

#[test]
fn a_waiting_caller_reads_and_a_thread_reads_otherwise() {
    let echo = "/bin/sh -c 'while read -r line; do echo \"<$line>\"; done; printf rest'";
    let (sender, received) = std::sync::mpsc::channel();
    let on_line = move |line: OutputLine| sender.send((line.text, line.end, thread::current().id())).unwrap();
    let mut process = Process::start_with_handler(&Launch::new(echo, None).unwrap(), on_line).unwrap();
    let own = thread::current().id();
    for round in 0..3 {
        let Output::Handled(output) = &process.output else { panic!("a function has its lines") };
        let mut guard = output.lock().expect("a reader");
        assert_eq!(guard.read(Some(Instant::now())), Err(NoLine::Late));
        process.input.send(b"one\ntwo\n").unwrap();
        for text in ["<one>", "<two>"] {
            let line = loop {
                match received.try_recv() {
                    Ok(line) => break line,
                    Err(_) => guard.read(Some(Instant::now() + TIMEOUT)).expect("a line in time"),
                }
            };
            assert_eq!(line, (text.into(), LineEnd::Whole, own), "round {round}");
        }
        drop(guard);
        process.send(b"three\n").unwrap();
        let (text, end, by) = received.recv_timeout(TIMEOUT).unwrap();
        assert_eq!((&*text, end), ("<three>", LineEnd::Whole));
        assert_ne!(by, own, "nobody waits");
    }
    process.close_input();
    let mut guard = process.lock_output().unwrap();
    while guard.read(Some(Instant::now() + TIMEOUT)).is_ok() {}
    assert_eq!(guard.read(None), Err(NoLine::Closed));
    let (text, end, _) = received.recv().unwrap();
    assert_eq!((&*text, end), ("rest", LineEnd::Broken));
    assert!(received.recv().is_err(), "the function is dropped at the end");
}

#[test]
fn a_program_that_never_stops_to_write_is_not_waited_for_beyond_the_moment() {
    let launch = Launch::new(&format!("yes {}", "x".repeat(1_000)), None).unwrap();
    // The pipe is full again before a piece of it has been received.
    let process = Process::start_with_handler(&launch, |_| thread::sleep(Duration::from_millis(1))).unwrap();
    let mut guard = process.lock_output().unwrap();
    guard.read(Some(Instant::now() + TIMEOUT)).expect("it writes");
    let deadline = Instant::now() + Duration::from_millis(50);
    while guard.read(Some(deadline)).is_ok() {
        assert!(deadline.elapsed() < TIMEOUT, "the moment has come");
    }
    assert!(deadline <= Instant::now());
}

#[test]
fn a_program_ends_with_all_that_it_has_started() {
    let mut process = shell("sleep 600 & echo $!; wait");
    let child = next(&process);
    process.kill();
    let is_alive = || Path::new(&format!("/proc/{child}/stat")).exists();
    let deadline = Instant::now() + TIMEOUT;
    while cfg!(target_os = "linux") && is_alive() && !is_zombie(&child) && Instant::now() < deadline {
        thread::sleep(POLL_INTERVAL);
    }
    assert!(!is_alive() || is_zombie(&child), "process {child} lives on");
}

/// Tests whether a process has ended but has not been reaped by whoever inherited it.
fn is_zombie(id: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

#[test]
fn commands_are_read_as_by_a_shell_and_a_path_may_have_blanks() {
    let folder = tempfile::Builder::new().prefix("a blank ").tempdir().unwrap();
    let script = folder.path().join("an engine");
    write_script(&script);
    let said = |command: &str| lines(&Launch::new(command, None).unwrap());
    assert_eq!(said(script.to_str().unwrap()).len(), 1);
    assert_eq!(said(&format!("'{}' 'one word' two", script.display()))[1..], ["one word", "two"]);
    for command in ["", "  ", "'unfinished"] {
        assert_eq!(Launch::new(command, None).unwrap_err().to_string(), "not a command", "{command:?}");
    }
    assert!(Process::start(&Launch::new("no/such/engine", None).unwrap()).is_err());
}

#[test]
fn files_are_sought_in_the_folder_then_where_the_user_stands() {
    let folder = tempfile::Builder::new().prefix("a blank ").tempdir().unwrap();
    let script = folder.path().join("bin/engine");
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir_all(script.parent().unwrap()).unwrap();
    fs::create_dir_all(&elsewhere).unwrap();
    write_script(&script);
    fs::write(folder.path().join("net.bin"), "").unwrap();
    let text = |path: PathBuf| path.to_str().unwrap().to_string();
    let launch = Launch::new("bin/engine net.bin Cargo.toml depth", Some(folder.path())).unwrap();
    let present = std::env::current_dir().unwrap();
    let files = [text(folder.path().join("net.bin")), text(present.join("Cargo.toml")), "depth".into()];
    let canonical = |path: &Path| text(fs::canonicalize(path).unwrap());
    assert_eq!(lines(&launch), [&[canonical(folder.path())][..], &files].concat());
    assert_eq!(lines(&launch.in_folder(&elsewhere)), [&[canonical(&elsewhere)][..], &files].concat());
    assert_eq!(launch.lone_program(), None);
    assert_eq!(launch.with_program(&script).lone_program(), Some(&*script));
}
