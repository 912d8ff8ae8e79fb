//! A CSA server that does what a script says.
//!
//! Each connection has a script. A line `< TEXT` waits for this line of the client, or for one that begins so if it
//! ends in `*`; `> TEXT` sends a line; `summary + MORE;LINES` proposes a game with the client as black, or white with
//! `-`; `sleep MS`; `raw TEXT` sends bytes, with `\n` and `\r` for ends of lines; `flood N TEXT` sends a line N times;
//! `drip TEXT` sends a line byte by byte; `await N` waits until the test has called [`Mock::proceed`] so often. The
//! connection is closed behind the last line. Empty lines of the client are its keep-alive and are passed over.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The most time that a line is waited for.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The id of all games that are proposed.
pub(crate) const ID: &str = "ev:1+test-300-10F+a+b+20260101120000";

pub(crate) struct Mock {
    port: u16,
    thread: JoinHandle<Vec<Connection>>,
    steps: Arc<(Mutex<u32>, Condvar)>,
}

/// The course of a connection.
pub(crate) struct Connection {
    /// When it was opened.
    pub(crate) opened: Instant,
    /// The lines of the client.
    pub(crate) lines: Vec<String>,
}

impl Mock {
    /// Serves one connection for each script, one after the other.
    pub(crate) fn start<S: Into<String>>(scripts: impl IntoIterator<Item = S>) -> Mock {
        let scripts: Vec<String> = scripts.into_iter().map(Into::into).collect();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let steps = Arc::new((Mutex::new(0), Condvar::new()));
        let for_thread = Arc::clone(&steps);
        let thread = thread::spawn(move || {
            let serve = |script: &String| follow(&accept(&listener), script, &for_thread);
            scripts.iter().map(serve).collect()
        });
        Mock { port, thread, steps }
    }

    /// `localhost` with the port.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Lets a script go on behind its next `await`.
    pub(crate) fn proceed(&self) {
        *self.steps.0.lock().expect("no thread has panicked") += 1;
        self.steps.1.notify_all();
    }

    /// Waits for the end of all scripts, and returns the connections.
    pub(crate) fn finish(self) -> Vec<Connection> {
        self.thread.join().expect("all scripts were followed")
    }
}

/// The lines that propose a game: the client's side, and lines that are added to the head.
pub(crate) fn summary(side: &str, more: &str) -> String {
    summary_at(side, more, "Time_Unit:1sec;Total_Time:300;Byoyomi:0;Increment:10;Least_Time_Per_Move:0", "PI;+")
}

/// A summary with times and a position.
pub(crate) fn summary_at(side: &str, more: &str, time: &str, position: &str) -> String {
    let lines = format!(
        "BEGIN Game_Summary;Protocol_Version:1.2;Protocol_Mode:Server;Format:Shogi 1.0;Declaration:Jishogi 1.1;Game_ID:{ID};\
         Name+:a;Name-:b;Your_Turn:{side};Rematch_On_Draw:NO;To_Move:+;Max_Moves:256;{more};BEGIN Time;{time};END Time;\
         BEGIN Position;{position};END Position;END Game_Summary"
    );
    let lines = lines.split(';').filter(|line| !line.is_empty());
    lines.map(|line| format!("> {line}\n")).collect()
}

/// The login of a client whose game is named by nobody.
pub(crate) const LOGIN: &str = "LOGIN me sesame";

/// A script from the login to the start of the game of a summary.
pub(crate) fn begin(login: &str, summary: &str) -> String {
    format!("< {login}\n> LOGIN:me OK\n{summary}< AGREE {ID}\n> START:{ID}\n")
}

/// A script from [`LOGIN`] to the start of a game, with the client on this side.
pub(crate) fn until_start(side: &str) -> String {
    begin(LOGIN, &summary(side, ""))
}

/// The next connection; a client that does not come fails the test in place of hanging it.
fn accept(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).expect("it can be set");
    let until = Instant::now() + TIMEOUT;
    while Instant::now() < until {
        if let Ok((stream, _)) = listener.accept() {
            stream.set_nonblocking(false).expect("it can be set");
            return stream;
        }
        thread::sleep(Duration::from_millis(2));
    }
    panic!("no client connects");
}

fn follow(stream: &TcpStream, script: &str, steps: &(Mutex<u32>, Condvar)) -> Connection {
    let opened = Instant::now();
    stream.set_read_timeout(Some(TIMEOUT)).expect("a time-out can be set");
    stream.set_nodelay(true).expect("it can be set");
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    let mut lines = Vec::new();
    for step in script.lines().filter(|line| !line.trim().is_empty()) {
        let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
        // A client that is gone is noticed when a line of it is waited for.
        match word {
            ">" => _ = writer.write_all(format!("{rest}\n").as_bytes()),
            "raw" => _ = writer.write_all(rest.replace("\\n", "\n").replace("\\r", "\r").as_bytes()),
            "drip" => rest.bytes().chain([b'\n']).for_each(|byte| {
                _ = writer.write_all(&[byte]);
                thread::sleep(Duration::from_millis(2));
            }),
            "flood" => {
                let (count, text) = rest.split_once(' ').expect("flood N TEXT");
                let block = format!("{text}\n").repeat(1_000);
                for _ in 0..count.parse::<usize>().expect("a number") / 1_000 {
                    _ = writer.write_all(block.as_bytes());
                }
            }
            "long" => _ = writer.write_all(format!("{}\n", "x".repeat(rest.parse().expect("a number"))).as_bytes()),
            "sleep" => thread::sleep(Duration::from_millis(rest.parse().expect("milliseconds"))),
            "await" => {
                let wanted: u32 = rest.parse().expect("a number");
                let reached = steps.0.lock().expect("no thread has panicked");
                let waited = steps.1.wait_timeout_while(reached, TIMEOUT, |reached| *reached < wanted);
                assert!(!waited.expect("no thread has panicked").1.timed_out(), "the test did not go on");
            }
            "<" => {
                let line = next_line(&mut reader, step);
                let is_expected = match rest.strip_suffix('*') {
                    Some(begin) => line.starts_with(begin),
                    None => line == rest,
                };
                assert!(is_expected, "{line:?} came in place of {rest:?}; before it {lines:?}");
                lines.push(line);
            }
            _ => panic!("{step:?} is no step"),
        }
    }
    // Closing with unread input would send a reset, which may overtake the last lines.
    _ = stream.shutdown(std::net::Shutdown::Write);
    _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    for line in reader.lines().map_while(Result::ok) {
        if !line.is_empty() {
            lines.push(line);
        }
    }
    Connection { opened, lines }
}

fn next_line(reader: &mut BufReader<&TcpStream>, step: &str) -> String {
    loop {
        let mut line = String::new();
        match reader.read_line(&mut line) {
            Ok(count) if count > 0 => {}
            end => panic!("no line for {step:?}: {end:?}"),
        }
        let line = line.trim_end().to_string();
        if !line.is_empty() {
            return line;
        }
    }
}
