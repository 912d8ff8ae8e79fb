//! The page of a match under way as browsers ask for it: by plain connections.

use crate::shell::{Folder, komainu, own_engine, stderr};
use komainu_tools::http::Listener;
use komainu_tools::live::{Event, Source, serve};
use serde_json::Value;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A program with a live page, in a folder of its own.
pub(crate) struct Shown {
    pub(crate) child: Child,
    pub(crate) port: u16,
}

impl Shown {
    /// Starts a program and reads on standard error where its page is.
    pub(crate) fn start(mut command: Command) -> Shown {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
        let mut errors = BufReader::new(child.stderr.take().expect("it is a pipe"));
        let mut line = String::new();
        while !line.contains("live page: ") {
            line.clear();
            assert!(errors.read_line(&mut line).expect("it can be read") > 0, "no page was told");
        }
        // What else is said must not wait for a reader.
        thread::spawn(move || errors.read_to_string(&mut String::new()));
        let url = line.trim_end().rsplit_once("http://").expect("there is an address").1;
        let port = url.trim_end_matches('/').rsplit_once(':').expect("there is a port").1;
        Shown { child, port: port.parse().expect("it is a number") }
    }

    /// An answer as a whole.
    fn ask(&self, request: &str) -> String {
        ask(self.port, request.as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n\r\n", self.port))
    }

    /// The events from the first one on.
    pub(crate) fn events(&self) -> Events {
        events(self.port)
    }
}

/// A connection on which this was asked. A refusal may come before the whole request was read.
fn connect(port: u16, request: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("somebody listens");
    stream.set_read_timeout(Some(TIMEOUT)).expect("it can be set");
    _ = stream.write_all(request);
    stream
}

/// The answer to these bytes.
pub(crate) fn ask(port: u16, request: &[u8]) -> String {
    let mut answer = Vec::new();
    // Behind an early refusal the connection is reset.
    let read = connect(port, request).read_to_end(&mut answer);
    assert!(read.is_ok() || read.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset));
    String::from_utf8(answer).expect("it is UTF-8")
}

/// The events of a connection, until the server ends it.
pub(crate) struct Events(BufReader<TcpStream>);

impl Events {
    pub(crate) fn of(port: u16, request: &str) -> Events {
        Events(BufReader::new(connect(port, request.as_bytes())))
    }
}

fn events(port: u16) -> Events {
    Events::of(port, "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
}

impl Iterator for Events {
    type Item = (String, Value);

    fn next(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.trim_end().to_string();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).expect("the data is JSON")));
            }
        }
    }
}

/// A match of short games, whose first engine has a name that is no name.
fn match_with(folder: &Folder, games: u64, more: &[&str]) -> Command {
    let mut command = komainu(&["match", "--out", &folder.text("m"), "--max-plies", "40", "--each", "USI_Hash=2"]);
    for name in [HOSTILE, "plain"] {
        command.args(["--engine", &own_engine(name)]);
    }
    command.args(["--games", &games.to_string(), "--sprt", "-500,500", "--alpha", "1e-9", "--beta", "1e-9"]).args(more);
    command
}

const HOSTILE: &str = "<b>&\"</script><!--";

#[test]
fn a_page_and_its_events_follow_a_match_to_its_end() {
    let folder = Folder::new("live-whole");
    let mut shown = Shown::start(match_with(&folder, 6, &["--nodes", "400", "--concurrency", "2", "--live", "0"]));
    let page = shown.get("/?lang=ja");
    let mut events = shown.events();
    let second = shown.events();
    let second = thread::spawn(move || second.map(|(name, _)| name).collect::<Vec<_>>());
    let (head, page) = page.split_once("\r\n\r\n").expect("a head and a page");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"), "{head}");
    for part in ["form-action 'none'", "frame-ancestors 'none'", "nosniff", "no-store"] {
        assert!(head.contains(part), "{part}: {head}");
    }
    assert!(!head.to_ascii_lowercase().contains("access-control"), "other pages get nothing: {head}");
    assert!(page.contains("default-src 'none'") && page.contains("; connect-src 'self'\""));
    assert!(page.contains("new EventSource(\"events\")"));
    assert!(!page.contains("<b>") && page.matches("</script>").count() == 2, "a name is no markup");
    let all: Vec<(String, Value)> = events.by_ref().collect();
    let of = |wanted: &str| all.iter().filter(|(name, _)| name == wanted).map(|(_, data)| data).collect::<Vec<_>>();
    let run = &of("report")[0]["live"];
    assert!(page.contains(&format!("\"live\":{run}")), "the page and the events are of one run");
    let played: Vec<u64> = of("report").iter().map(|report| report["played"].as_u64().expect("a number")).collect();
    assert!(played.is_sorted() && played.len() > 1, "the figures grow: {played:?}");
    let report = *of("report").last().expect("there are figures");
    assert_eq!((&report["engines"][0]["name"], &report["played"]), (&HOSTILE.into(), &6.into()));
    assert!(report["sprt"]["llr"].is_number() && !report["series"]["llr"].as_array().expect("a curve").is_empty());
    let mut games: Vec<u64> = of("game").iter().map(|game| game["g"].as_u64().expect("a number")).collect();
    games.sort_unstable();
    assert_eq!(games, [0, 1, 2, 3, 4, 5], "each game once");
    let boards = of("board");
    let plies = |board: &Value| board["m"].as_str().expect("moves").split(',').count();
    assert!(boards.iter().any(|board| board["slot"] == 0) && boards.iter().any(|board| board["slot"] == 1));
    assert!(boards.iter().any(|board| plies(board) > 8 && board["turn"].is_u64() && board["x"].is_null()));
    assert!(boards.iter().any(|board| board["x"] == "ply-limit" || board["w"].is_i64()));
    assert_eq!(all.last(), Some(&("end".to_string(), "the match is complete".into())));
    assert_eq!(second.join().expect("it reads").last().map(String::as_str), Some("end"));
    assert!(shown.child.wait().expect("it ends").success());
    let report = folder.read("m/report.html");
    assert!(!report.contains("EventSource") && !report.contains("connect-src"), "the finished page asks for nothing");
}

#[test]
fn only_names_of_this_machine_and_only_reading_are_answered() {
    let folder = Folder::new("live-host");
    let shown = Shown::start(match_with(&folder, 2, &["--byoyomi", "1000", "--live", "127.0.0.1:0"]));
    let status =
        |request: &str| shown.ask(&format!("{request}\r\n\r\n")).split(' ').nth(1).unwrap_or_default().to_string();
    assert_eq!(status("GET / HTTP/1.1\r\nHost: localhost"), "200");
    for path in ["/", "/events"] {
        assert_eq!(status(&format!("GET {path} HTTP/1.1\r\nHost: evil.example:{}", shown.port)), "403");
    }
    assert_eq!(status("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example"), "400");
    assert_eq!(status("POST / HTTP/1.1\r\nHost: localhost"), "405");
    assert_eq!(status("GET /m/games.jsonl HTTP/1.1\r\nHost: localhost"), "404");
    let head = shown.ask("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 OK") && head.ends_with("\r\n\r\n"), "{head}");
    let mut child = shown.child;
    child.kill().and_then(|()| child.wait()).expect("it can be ended");
}

#[test]
fn a_port_that_is_taken_and_an_address_that_is_none_are_told_before_the_first_game() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has one").to_string();
    let folder = Folder::new("live-taken");
    for (given, told) in [(&*address, &*address), (address.rsplit_once(':').expect("a port").1, &*address)] {
        let output = match_with(&folder, 2, &["--nodes", "10", "--live", given]).output().expect("it runs");
        let errors = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.starts_with(&format!("komainu: --live: {told}: ")) && errors.lines().count() == 1, "{errors}");
        assert!(!folder.path("m").exists(), "nothing is left behind");
    }
    let output = match_with(&folder, 2, &["--nodes", "10", "--live", "localhost:80"]).output().expect("it runs");
    let errors = stderr(&output);
    assert!(output.status.code() == Some(2) && errors.contains("localhost:80"), "{errors}");
}

#[test]
fn a_page_that_other_machines_can_reach_is_warned_of() {
    let folder = Folder::new("live-open");
    let output = match_with(&folder, 2, &["--nodes", "10", "--live", "0.0.0.0:0"]).output().expect("it runs");
    let errors = stderr(&output);
    assert!(output.status.success(), "{errors}");
    assert_eq!(errors.lines().filter(|line| line.starts_with("komainu: warning: --live: ")).count(), 1, "{errors}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_match_with_browsers_at_its_page_within_seconds() {
    let folder = Folder::new("live-interrupt");
    let mut shown = Shown::start(match_with(&folder, 100, &["--byoyomi", "30000", "--live", "0"]));
    // One that reads, one that does not, one that has not asked yet.
    let mut events = shown.events();
    let _deaf = shown.events();
    let _silent = connect(shown.port, b"GET / HT");
    assert!(events.by_ref().any(|(name, _)| name == "board"));
    crate::shell::signal(&shown.child, "-INT");
    let began = Instant::now();
    assert_eq!(shown.child.wait().expect("it ends").code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert_eq!(events.last(), Some(("end".into(), "the match was interrupted; --resume goes on with it".into())));
}

/// Source with a new event of a megabyte whenever it is asked.
struct Flood(AtomicU64);

impl Source for Flood {
    fn page(&self) -> String {
        "page".into()
    }

    fn news(&self, seen: u64, _: bool) -> (u64, Vec<Event>) {
        let now = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        assert!(seen < now, "each moment is later");
        (now, vec![Event { name: "flood", data: format!("\"{}\"", "x".repeat(1 << 20)) }])
    }
}

#[test]
fn clients_that_read_nothing_hold_up_nobody_and_are_dropped() {
    let source = Arc::new(Flood(AtomicU64::new(0)));
    let listener = Listener::bind("0".parse().expect("an address")).expect("a port is free");
    let port = listener.url().trim_end_matches('/').rsplit_once(':').and_then(|(_, port)| port.parse().ok());
    let port: u16 = port.expect("there is a port");
    let server = serve(listener, Arc::clone(&source) as Arc<dyn Source>).expect("there is a thread");
    // All places but one are taken by clients that never read.
    let deaf: Vec<Events> = (0..15).map(|_| events(port)).collect();
    let mut reader = events(port);
    assert_eq!(reader.by_ref().take(3).count(), 3);
    let refused = ask(port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    // They are dropped when their patience is over, and others come in.
    let began = Instant::now();
    while !ask(port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").ends_with("\r\n\r\npage") {
        assert!(began.elapsed() < TIMEOUT, "nobody is dropped");
        assert_eq!(reader.by_ref().take(1).count(), 1, "who reads is told more");
    }
    drop(deaf);
    let began = Instant::now();
    server.finish("over");
    assert!(began.elapsed() < Duration::from_secs(5), "the end waits for nobody: {:?}", began.elapsed());
    assert_eq!(reader.last(), Some(("end".into(), "over".into())));
}
