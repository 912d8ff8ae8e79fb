//! `komainu page` as browsers and others reach it: by plain connections.

use crate::live::{Events, TIMEOUT, ask};
use crate::shell::{komainu, refusal, refuses};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The program with its page.
struct Shown {
    child: Child,
    port: u16,
    /// The token between slashes.
    place: String,
}

impl Shown {
    fn start() -> Shown {
        let mut command = komainu(&["page", "--port", "0", "--no-open"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is a pipe");
        BufReader::new(output).read_line(&mut line).expect("it can be read");
        let rest = line.trim_end().strip_prefix("http://127.0.0.1:").expect("an address");
        let (port, place) = rest.split_at(rest.find('/').expect("a path"));
        let token = place.trim_matches('/');
        assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
        Shown { child, port: port.parse().expect("a port"), place: place.to_string() }
    }

    fn raw(&self, request: &[u8]) -> String {
        ask(self.port, request)
    }

    /// The status and the body of an answer.
    fn ask(&self, line: &str, headers: &str, body: &str) -> (String, String) {
        let length = body.len();
        let request = format!("{line} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        let answer = self.raw(request.as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        assert!(!head.to_ascii_lowercase().contains("access-control"), "other pages get nothing: {head}");
        (head.split(' ').nth(1).unwrap_or_default().to_string(), body.to_string())
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn post(&self, name: &str, body: &str) -> (String, String) {
        self.ask(&format!("POST {}{name}", self.place), &self.host(), body)
    }

    /// The answer to a question.
    fn answer(&self, question: &Value) -> Value {
        let (status, body) = self.post("ask", &question.to_string());
        assert_eq!(status, "200");
        serde_json::from_str(&body).expect("an answer is JSON")
    }

    /// Opens a tab, or what is said in its place.
    fn events(&self) -> (Events, Value) {
        let request = format!("GET {}events HTTP/1.1\r\n{}\r\n", self.place, self.host());
        let mut events = Events::of(self.port, &request);
        let (_, first) = events.next().expect("something is said");
        (events, first)
    }

    fn tab(&self) -> Tab<'_> {
        let (events, first) = self.events();
        let number = first["tab"].as_u64().unwrap_or_else(|| panic!("{first}"));
        Tab { shown: self, events, number }
    }

    /// Waits until it ends and tells its exit code.
    fn end(mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            assert!(began.elapsed() < TIMEOUT, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

struct Tab<'a> {
    shown: &'a Shown,
    events: Events,
    number: u64,
}

impl Tab<'_> {
    fn tell(&self, messages: &Value) -> String {
        self.shown.post(&format!("tell?{}", self.number), &messages.to_string()).0
    }

    fn lines(&self, engine: u64, lines: &[&str]) {
        let messages: Vec<Value> = lines.iter().map(|line| json!({ "engine": engine, "line": line })).collect();
        assert_eq!(self.tell(&messages.into()), "200");
    }

    /// What an engine says up to a line or an answer that begins so.
    fn until(&mut self, engine: u64, key: &str, beginning: &str) -> Vec<String> {
        let began = Instant::now();
        let mut all = Vec::new();
        loop {
            assert!(began.elapsed() < TIMEOUT, "no {beginning:?} in {all:?}");
            let (_, said) = self.events.next().unwrap_or_else(|| panic!("the end, after {all:?}"));
            if said["engine"] != engine {
                continue;
            }
            let text = said[key].as_str().map_or_else(|| said[key].to_string(), str::to_string);
            let is_last = !said[key].is_null() && text.starts_with(beginning);
            all.push(text);
            if is_last {
                return all;
            }
        }
    }
}

#[test]
fn the_page_is_whole_and_loads_nothing() {
    let shown = Shown::start();
    let (status, page) = shown.ask(&format!("GET {}", shown.place), &shown.host(), "");
    assert_eq!(status, "200");
    assert!(page.contains("default-src 'none'") && page.contains("; connect-src 'self'\""));
    assert!(page.contains("{\"threads\":") && page.contains("new EventSource(\"events\")"));
    assert!(page.contains("class Engine") && page.contains("const Analyse") && page.contains(".desk"));
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("WebAssembly") && !page.contains("{{"));
}

#[test]
fn nothing_is_told_to_a_stranger() {
    let shown = Shown::start();
    let port = shown.port;
    let places = ["", "events", "ask", "tell?1", "quit"].map(|name| format!("{}{name}", shown.place));
    for place in &places {
        for method in ["GET", "POST"] {
            for host in ["evil.example", "127.0.0.1.evil.example", "192.168.0.1", "127.0.0.1@evil.example"] {
                let (status, _) = shown.ask(&format!("{method} {place}"), &format!("Host: {host}:{port}\r\n"), "{}");
                assert_eq!(status, "403", "{method} {place} by {host}");
            }
            for origin in ["null", "http://evil.example", "http://127.0.0.1:1", "http://localhost", "file://"] {
                let headers = format!("{}Origin: {origin}\r\n", shown.host());
                assert_eq!(
                    shown.ask(&format!("{method} {place}"), &headers, "{}").0,
                    "403",
                    "{method} {place} of {origin}"
                );
            }
        }
    }
    let token = shown.place.trim_matches('/');
    let unknown = shown.ask("GET /", &shown.host(), "");
    assert_eq!(unknown.0, "404");
    let flipped: String = token.chars().map(|c| if c == '0' { '1' } else { '0' }).collect();
    for place in [
        "/ask".to_string(),
        "//ask".to_string(),
        format!("/{token}"),
        format!("/{}/ask", &token[1..]),
        format!("/{token}0/ask"),
        format!("/{flipped}/"),
        format!("/x/..{}ask", shown.place),
        format!("{}../ask", shown.place),
        format!("{}etc/passwd", shown.place),
        format!("http://127.0.0.1:{port}{}", shown.place),
    ] {
        for method in ["GET", "POST", "PUT", "OPTIONS"] {
            assert_eq!(shown.ask(&format!("{method} {place}"), &shown.host(), "{}"), unknown, "{method} {place}");
        }
    }
    // The own origin may ask.
    let headers = format!("{}Origin: http://127.0.0.1:{port}\r\n", shown.host());
    assert_eq!(shown.ask(&format!("POST {}ask", shown.place), &headers, "{\"ask\":\"plans\"}").0, "200");
}

#[test]
fn garbage_is_refused_and_the_page_goes_on() {
    let shown = Shown::start();
    let host = shown.host();
    let place = &shown.place;
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"\0\0\0\0\r\n\r\n",
        b"GET\r\n\r\n",
        b"\xff\xfe GET / HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let answer = shown.raw(garbage);
        assert!(answer.starts_with("HTTP/1.1 400 "), "{garbage:?}: {answer}");
    }
    let long = shown.raw(format!("GET /{} HTTP/1.1\r\n", "x".repeat(40_000)).as_bytes());
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 431 "), "{long}");
    let status = |request: String| shown.raw(request.as_bytes()).split(' ').nth(1).unwrap_or_default().to_string();
    assert_eq!(status(format!("POST {place}ask HTTP/1.1\r\n{host}\r\n")), "411");
    assert_eq!(status(format!("POST {place}ask HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")), "411");
    assert_eq!(status(format!("POST {place}ask HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n")), "400");
    assert_eq!(status(format!("POST {place}ask HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n")), "413");
    for (line, expected) in
        [("GET ask", "405"), ("POST ", "405"), ("DELETE ", "405"), ("POST events", "405"), ("GET quit", "405")]
    {
        let (method, name) = line.split_once(' ').expect("two words");
        assert_eq!(shown.ask(&format!("{method} {place}{name}"), &host, "").0, expected, "{line}");
    }
    for question in
        ["", "{", "[]", "1", "{\"ask\":7}", "{\"ask\":\"position\",\"moves\":[[]]}", "\u{0}", "{\"ask\":\"read\"}"]
    {
        let (status, answer) = shown.post("ask", question);
        assert!(status == "200" && answer.starts_with("{\"error\":"), "{question}: {answer}");
    }
    let deep = "[".repeat(100_000);
    assert!(shown.post("ask", &deep).1.starts_with("{\"error\":"));
    let tab = shown.tab();
    for messages in ["", "{}", "[1]", "[{}]", "[{\"engine\":-1}]", "[{\"engine\":1,\"line\":2}]", &deep] {
        assert_eq!(shown.post(&format!("tell?{}", tab.number), messages).0, "400", "{messages}");
    }
    for query in ["", "?", "?x", "?-1", "?99", "?18446744073709551616"] {
        assert_eq!(shown.post(&format!("tell{query}"), "[]").0, "410", "{query}");
    }
    assert_eq!(shown.answer(&json!({ "ask": "position" }))["side"], "b");
}

#[test]
fn engines_of_a_tab_search_solve_and_study_side_by_side() {
    let shown = Shown::start();
    let mut tab = shown.tab();
    tab.lines(
        1,
        &["usi", "setoption name Level value 20kyu", "isready", "position startpos moves 7g7f", "go byoyomi 1000"],
    );
    let said = tab.until(1, "line", "bestmove ");
    assert!(said.iter().any(|line| line.starts_with("id name Komainu")) && said.contains(&"readyok".to_string()));
    tab.lines(2, &["position sfen 4k4/9/3P1P3/9/9/9/9/9/9 b 2G2r2b2g4s4n4l16p 1", "go mate 20000"]);
    assert!(tab.until(2, "line", "checkmate ").last().is_some_and(|line| line.contains("G*")));
    // Two analysts, whose answers come in any order.
    let study = |plies: [u64; 2]| json!({ "ask": "study", "text": "position startpos moves 7g7f 3c3d 8h2b+", "nodes": 300, "lines": 2, "plies": plies });
    assert_eq!(
        tab.tell(&json!([{ "engine": 3, "question": study([3, 2]) }, { "engine": 4, "question": study([1, 0]) }])),
        "200"
    );
    let said = tab.until(4, "answer", "{");
    assert_eq!(said.last().expect("an answer"), "{\"searched\":2}");
    // A search of the server itself is none.
    let refused = shown.answer(&study([3, 2]));
    assert_eq!(refused, json!({ "error": "the study was stopped" }));
    // A page sets no file, and an engine that is closed says no more.
    tab.lines(1, &["setoption name EvalFile value /etc/passwd", "setoption name debuglogfile value x", "isready"]);
    let said = tab.until(1, "line", "readyok");
    assert_eq!(said.iter().filter(|line| line.contains("is not set by a page")).count(), 2, "{said:?}");
    tab.lines(5, &["go infinite"]);
    assert_eq!(tab.tell(&json!([{ "engine": 5, "close": true }])), "200");
    tab.lines(1, &["go nodes 100\nquit", "isready"]);
    tab.until(1, "line", "readyok");
}

#[test]
fn a_tab_too_many_is_told_so_until_another_one_is_gone() {
    let shown = Shown::start();
    let mut tabs: Vec<Tab> = (0..4).map(|_| shown.tab()).collect();
    let (mut refused, said) = shown.events();
    assert_eq!(said, json!({ "full": 4 }));
    assert_eq!(refused.next(), None, "that is all");
    // Questions are answered all the same, and a tab that is loaded again finds its own place.
    assert_eq!(shown.answer(&json!({ "ask": "position" }))["side"], "b");
    tabs.pop();
    tabs.push(shown.tab());
}

#[test]
fn the_searches_of_a_tab_that_is_gone_end() {
    let shown = Shown::start();
    let mut tab = shown.tab();
    tab.lines(1, &["go infinite"]);
    tab.until(1, "line", "info depth");
    let study = json!({ "ask": "study", "text": "position startpos moves 7g7f", "nodes": 20_000_000, "plies": [1, 0] });
    assert_eq!(tab.tell(&json!([{ "engine": 2, "question": study }])), "200");
    let number = tab.number;
    drop(tab);
    let began = Instant::now();
    while shown.post(&format!("tell?{number}"), "[]").0 != "410" {
        assert!(began.elapsed() < TIMEOUT, "the tab is still there");
        thread::sleep(Duration::from_millis(50));
    }
    #[cfg(target_os = "linux")]
    while threads(shown.child.id()).iter().any(|name| name.contains("of a pa") || name.contains("engine")) {
        assert!(began.elapsed() < TIMEOUT, "{:?}", threads(shown.child.id()));
        thread::sleep(Duration::from_millis(50));
    }
}

/// The names of the threads of a process.
#[cfg(target_os = "linux")]
fn threads(id: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{id}/task")).expect("it runs");
    let name = |task: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(task.ok()?.path().join("comm")).ok();
    tasks.filter_map(name).collect()
}

#[test]
fn the_button_of_the_page_ends_the_program() {
    let shown = Shown::start();
    let tab = shown.tab();
    tab.lines(1, &["go infinite"]);
    assert_eq!(shown.post("quit", "").0, "200");
    assert_eq!(tab.events.last().map(|(_, said)| said), Some(json!({ "end": true })));
    assert_eq!(shown.end(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_program() {
    let shown = Shown::start();
    let id = shown.child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().expect("kill runs").success());
    assert_eq!(shown.end(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = taken.local_addr().expect("it has one").port().to_string();
    let message = refusal(&["page", "--no-open", "--port", &port]);
    assert!(message.starts_with(&format!("komainu: --port {port}: ")), "{message}");
    refuses(&["page", "--no-open", "--port", "65536"], "65536");
}

#[cfg(unix)]
#[test]
fn a_browser_that_cannot_be_opened_is_a_word() {
    let mut command = komainu(&["page", "--port", "0"]);
    command.env("PATH", "").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program runs");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("it is a pipe")).read_line(&mut line).expect("it can be read");
    assert!(line.starts_with("komainu: no browser was opened"), "{line}");
    assert!(child.try_wait().expect("it can be asked").is_none(), "the page is there all the same");
    child.kill().and_then(|()| child.wait()).expect("it can be ended");
}
