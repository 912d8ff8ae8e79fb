//! The server: a thread that takes connections, and one for each client.

use super::{Event, LiveAddress, Source};
use komainu::host::lock;
use komainu::types::opaque_debug;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Clients at a time; further ones are refused.
const MAX_CLIENTS: usize = 16;
/// Longest head of a request in bytes.
const MAX_HEAD: usize = 16 << 10;
/// The most time that a client gets to send its request, and to read what it is sent.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most time that a client who is refused gets to send the rest of its request.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(200);
/// Interval at which a client is told what is new.
const TICK: Duration = Duration::from_millis(200);
/// Interval at which it is looked for new clients.
const ACCEPT_INTERVAL: Duration = Duration::from_millis(50);
/// Silence after which a client is written a comment, so that one that has gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// The most time that clients get to read the last events.
const FAREWELL: Duration = Duration::from_secs(1);

/// A port that is taken, and on which nobody is answered yet.
pub struct Listener {
    listener: TcpListener,
    address: LiveAddress,
    at: SocketAddr,
}

opaque_debug!(Listener);

/// A page that is served. It ends when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

opaque_debug!(Server);

/// State that all threads of a server share.
struct Shared {
    source: Arc<dyn Source>,
    address: LiveAddress,
    clients: AtomicUsize,
    is_over: AtomicBool,
    /// The last word to the clients.
    farewell: Mutex<String>,
}

impl Listener {
    /// Takes the port of an address; 0 is any that is free.
    pub fn bind(address: LiveAddress) -> io::Result<Listener> {
        let listener = TcpListener::bind(address.socket())?;
        listener.set_nonblocking(true)?;
        let at = listener.local_addr()?;
        Ok(Listener { listener, address, at })
    }

    /// The address of the page for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.at)
    }

    /// Answers from now on.
    pub fn serve(self, source: Arc<dyn Source>) -> io::Result<Server> {
        let Listener { listener, address, .. } = self;
        let shared = Arc::new(Shared {
            source,
            address,
            clients: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            farewell: Mutex::default(),
        });
        let of_acceptor = Arc::clone(&shared);
        let acceptor = thread::Builder::new().name("live page".into());
        let acceptor = acceptor.spawn(move || accept(&listener, &of_acceptor))?;
        Ok(Server { shared, acceptor: Some(acceptor) })
    }
}

impl Server {
    /// Ends it with a last event `end`, whose data is a JSON string of these words.
    pub fn finish(self, words: &str) {
        *lock(&self.shared.farewell) = words.to_string();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        _ = self.acceptor.take().map(JoinHandle::join);
        let until = Instant::now() + FAREWELL;
        // Threads of clients that read nothing end with their timeout, or with this program.
        while self.shared.clients.load(Ordering::Relaxed) > 0 && Instant::now() < until {
            thread::sleep(ACCEPT_INTERVAL / 5);
        }
    }
}

/// A place among the clients.
struct Place(Arc<Shared>);

impl Place {
    fn take(shared: &Arc<Shared>) -> Option<Place> {
        let more = |clients| (clients < MAX_CLIENTS).then_some(clients + 1);
        shared.clients.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Place(Arc::clone(shared)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes connections until the server ends.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.is_over.load(Ordering::Relaxed) {
        // Whatever fails here is the connection's or passes: nobody looks at the page, or too many files are open.
        let Ok((mut stream, _)) = listener.accept() else {
            thread::sleep(ACCEPT_INTERVAL);
            continue;
        };
        let Some(place) = Place::take(shared) else {
            // A few bytes fit into the buffer of a connection that is new.
            _ = stream.set_nonblocking(true).and_then(|()| refuse(&mut stream, FULL));
            continue;
        };
        let client = thread::Builder::new().name("client of live page".into());
        // A client without a thread is one that cannot be served: it sees the end of the connection.
        _ = client.spawn(move || _ = serve(stream, &place.0));
    }
}

/// Answers a client.
fn serve(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(CLIENT_TIMEOUT))?;
    let Request { wanted, head_only } = match read_request(&mut stream, shared.address)? {
        Ok(request) => request,
        Err(refusal) => return refuse(&mut stream, refusal),
    };
    match wanted {
        Wanted::Page => {
            let page = shared.source.page();
            respond(&mut stream, "200 OK", "text/html; charset=utf-8", Some(page.len()))?;
            stream.write_all(if head_only { b"" } else { page.as_bytes() })
        }
        Wanted::Events => {
            respond(&mut stream, "200 OK", "text/event-stream; charset=utf-8", None)?;
            if head_only { Ok(()) } else { tell(&mut stream, shared) }
        }
    }
}

/// Reads a request; a client that takes its time, byte by byte, gets no more of it.
fn read_request(stream: &mut TcpStream, address: LiveAddress) -> io::Result<Result<Request, Refusal>> {
    let until = Instant::now() + CLIENT_TIMEOUT;
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&buffer[..count]);
        match parse_request(&head, address) {
            Some(judged) => return Ok(judged),
            None if head.len() > MAX_HEAD => return Ok(Err(TOO_LONG)),
            None => {}
        }
    }
}

/// Writes the head of an answer, with the policy that a page cannot state in its text. Without a length the answer ends
/// with the connection.
fn respond(stream: &mut TcpStream, status: &str, kind: &str, length: Option<usize>) -> io::Result<()> {
    let length = length.map_or(String::new(), |length| format!("Content-Length: {length}\r\n"));
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{length}Connection: close\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

fn refuse(stream: &mut TcpStream, (status, words): Refusal) -> io::Result<()> {
    respond(stream, status, "text/plain; charset=utf-8", Some(words.len()))?;
    stream.write_all(words.as_bytes())?;
    // A connection that is closed over what was not read is reset, and the words may be lost with it.
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(REFUSAL_TIMEOUT))?;
    io::copy(&mut stream.take(MAX_HEAD as u64), &mut io::sink()).map(drop)
}

/// Tells a client what is new until it goes, reads no more, or the server ends.
fn tell(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    stream.write_all(b"retry: 2000\n\n")?;
    let mut seen = 0;
    let mut told_at = Instant::now();
    loop {
        // Looked at first: whatever the source has at the end is told.
        let is_over = shared.is_over.load(Ordering::Relaxed);
        let (now, events) = shared.source.news(seen, is_over);
        seen = now;
        let mut text: String = events.iter().map(lines).collect();
        if is_over {
            let words = lock(&shared.farewell).clone();
            let data = serde_json::to_string(&words).expect("a string is JSON");
            text.push_str(&lines(&Event { name: "end", data }));
        } else if text.is_empty() && told_at.elapsed() > KEEP_ALIVE {
            text.push_str(":\n\n");
        }
        if !text.is_empty() {
            stream.write_all(text.as_bytes())?;
            told_at = Instant::now();
        }
        if is_over {
            return Ok(());
        }
        thread::sleep(TICK);
    }
}

fn lines(event: &Event) -> String {
    format!("event: {}\ndata: {}\n\n", event.name, event.data)
}

/// Headers that a request may have.
const MAX_HEADERS: usize = 64;

/// The part of the server that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Page,
    Events,
}

/// A request that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) wanted: Wanted,
    /// Nothing but the head of the answer is asked for.
    pub(crate) head_only: bool,
}

/// Why a request is refused: the status line and a word.
pub(crate) type Refusal = (&'static str, &'static str);

const BAD: Refusal = ("400 Bad Request", "this is no request of a browser\n");
const FOREIGN: Refusal = ("403 Forbidden", "this server goes by localhost and the number of its address alone\n");
const MISSING: Refusal = ("404 Not Found", "there is nothing but / here\n");
const METHOD: Refusal = ("405 Method Not Allowed", "this page can be read and nothing else\n");
/// Refusal of a head that is too long or does not end.
pub(crate) const TOO_LONG: Refusal = ("431 Request Header Fields Too Large", "the request is too long\n");
/// Refusal of a client for whom there is no room.
pub(crate) const FULL: Refusal = ("503 Service Unavailable", "too many browsers look at this page already\n");

/// Reads the head of a request to a server at this address. `None` if it does not end yet.
pub(crate) fn parse_request(head: &[u8], address: LiveAddress) -> Option<Result<Request, Refusal>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Partial) => return None,
        Err(httparse::Error::TooManyHeaders) => return Some(Err(TOO_LONG)),
        Err(_) => return Some(Err(BAD)),
        Ok(httparse::Status::Complete(_)) => {}
    }
    Some(judge(&request, address))
}

fn judge(request: &httparse::Request, address: LiveAddress) -> Result<Request, Refusal> {
    let mut hosts = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("host"));
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(BAD) };
    // A name of another's choice may lead to this machine: its pages must not read this one.
    if address.is_local() && !std::str::from_utf8(host.value).is_ok_and(is_local_host) {
        return Err(FOREIGN);
    }
    let head_only = match request.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(METHOD),
    };
    let wanted = match request.path.and_then(|path| path.split('?').next()) {
        Some("/") => Wanted::Page,
        Some("/events") => Wanted::Events,
        _ => return Err(MISSING),
    };
    Ok(Request { wanted, head_only })
}

/// Tests whether a `Host` names this machine by itself, with any port: that of a tunnel may differ.
fn is_local_host(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port_is_good = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    let is_local = |address: IpAddr| address.to_canonical().is_loopback();
    port_is_good && (name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_local))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(head: &str, address: &str) -> Option<Result<Request, &'static str>> {
        let read = parse_request(head.as_bytes(), address.parse().unwrap());
        read.map(|judged| judged.map_err(|(status, _)| &status[..3]))
    }

    fn with_host(host: &str, address: &str) -> Result<Wanted, &'static str> {
        let read = asked(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"), address).expect("a whole head");
        read.map(|request| request.wanted)
    }

    #[test]
    fn a_page_of_this_machine_is_given_to_names_of_this_machine_alone() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1:8080", "127.0.0.1", "127.1.2.3", "[::1]", "[::1]:9"] {
            assert_eq!(with_host(host, "8080"), Ok(Wanted::Page), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "192.168.0.1", "[::2]:1"]
        {
            assert_eq!(with_host(host, "8080"), Err("403"), "{host}");
            assert_eq!(with_host(host, "0.0.0.0:8080"), Ok(Wanted::Page), "{host}");
        }
        for host in ["localhost:x", "localhost:", "localhost:99999", "[::1", "[::1]x", "", "@localhost"] {
            assert_eq!(with_host(host, "8080"), Err("403"), "{host}");
        }
    }

    #[test]
    fn nothing_but_the_page_and_its_events_is_there_to_be_read() {
        let page = |head_only| Some(Ok(Request { wanted: Wanted::Page, head_only }));
        let get = |line: &str| asked(&format!("{line} HTTP/1.1\r\nhost: localhost\r\n\r\n"), "1");
        assert_eq!(get("GET /"), page(false));
        assert_eq!(get("GET /?lang=ja"), page(false));
        assert_eq!(get("HEAD /"), page(true));
        assert_eq!(get("GET /events"), Some(Ok(Request { wanted: Wanted::Events, head_only: false })));
        for line in ["GET /../etc/passwd", "GET //", "GET /eventsx", "GET http://localhost/", "GET *"] {
            assert_eq!(get(line), Some(Err("404")), "{line}");
        }
        for line in ["POST /", "PUT /", "OPTIONS *", "get /"] {
            assert_eq!(get(line), Some(Err("405")), "{line}");
        }
    }

    #[test]
    fn what_is_no_request_is_refused_and_half_of_one_is_waited_for() {
        assert_eq!(asked("GET / HTTP/1.1\r\nHost: localhost\r\n", "1"), None);
        assert_eq!(asked("", "1"), None);
        for head in
            ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: localhost\r\n\r\n", "\u{16}\u{3}\u{1}\r\n"]
        {
            assert_eq!(asked(head, "1"), Some(Err("400")), "{head:?}");
        }
        let many = "a: b\r\n".repeat(MAX_HEADERS + 1);
        assert_eq!(asked(&format!("GET / HTTP/1.1\r\n{many}\r\n"), "1"), Some(Err("431")));
    }
}
