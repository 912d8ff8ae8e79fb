//! The server: a thread that takes connections, and one for each client.

use super::address::LiveAddress;
use super::request::{self, FULL, Refusal, Request, TOO_LONG, Wanted};
use super::{Event, Source};
use komainu::types::opaque_debug;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Clients at a time; further ones are refused.
const MAX_CLIENTS: usize = 16;
/// Longest head of a request in bytes.
const MAX_HEAD: usize = 16 << 10;
/// The most time that a client gets to send its request, and to read what it is sent.
const CLIENT_PATIENCE: Duration = Duration::from_secs(5);
/// The most time that a client who is refused gets to send the rest of its request.
const REFUSAL_PATIENCE: Duration = Duration::from_millis(200);
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
        *self.shared.farewell.lock().unwrap_or_else(PoisonError::into_inner) = words.to_string();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        _ = self.acceptor.take().map(JoinHandle::join);
        let until = Instant::now() + FAREWELL;
        // Threads of clients that read nothing end with their patience, or with this program.
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
    stream.set_write_timeout(Some(CLIENT_PATIENCE))?;
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
    let until = Instant::now() + CLIENT_PATIENCE;
    let (mut head, mut buffer) = (Vec::new(), [0; 2048]);
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
        match request::read(&head, address) {
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
    stream.set_read_timeout(Some(REFUSAL_PATIENCE))?;
    io::copy(&mut stream.take(MAX_HEAD as u64), &mut io::sink()).map(drop)
}

/// Tells a client what is new until it goes, reads no more, or the server ends.
fn tell(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    stream.write_all(b"retry: 2000\n\n")?;
    let (mut seen, mut told_at) = (0, Instant::now());
    loop {
        // Looked at first: whatever the source has at the end is told.
        let is_over = shared.is_over.load(Ordering::Relaxed);
        let (now, events) = shared.source.news(seen, is_over);
        seen = now;
        let mut text: String = events.iter().map(lines).collect();
        if is_over {
            let words = shared.farewell.lock().unwrap_or_else(PoisonError::into_inner).clone();
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
