//! A browser that has asked for something: its request is read, and its answer written.

use super::request::{MAX_HEAD, Method, Refusal, Request, TOO_LONG, parse_request};
use super::{LocalAddress, Shared};
use komainu::types::opaque_debug;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The most time that a client gets to send its request, and to read what it is sent.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);
/// The most time that a client who is refused gets to send the rest of its request.
const REFUSAL_TIMEOUT: Duration = Duration::from_millis(200);
/// Longest body of a request in bytes.
const MAX_BODY: usize = 32 << 20;

const NO_LENGTH: Refusal = ("411 Length Required", "the request does not say how long it is\n");
const TOO_LARGE: Refusal = ("413 Content Too Large", "the request is too large\n");

/// A connection with a browser.
pub struct Client {
    stream: TcpStream,
    shared: Arc<Shared>,
    /// Nothing but the head of the answer is asked for.
    head_only: bool,
    /// What has been read behind the head of the request.
    rest: Vec<u8>,
}

opaque_debug!(Client);

impl Client {
    pub(super) fn new(stream: TcpStream, shared: Arc<Shared>) -> io::Result<Client> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(CLIENT_TIMEOUT))?;
        Ok(Client { stream, shared, head_only: false, rest: Vec::new() })
    }

    /// Refuses a connection without waiting for its request: a few bytes fit into the buffer of one that is new.
    pub(super) fn refuse_at_once(mut stream: TcpStream, refusal: Refusal) -> io::Result<()> {
        stream.set_nonblocking(true)?;
        refuse(&mut stream, refusal)
    }

    /// Reads a request; a client that takes its time, byte by byte, gets no more of it.
    pub(super) fn read_request(&mut self, address: LocalAddress) -> io::Result<Result<Request, Refusal>> {
        let until = Instant::now() + CLIENT_TIMEOUT;
        let mut head = Vec::new();
        loop {
            self.read_some(&mut head, until)?;
            match parse_request(&head, address) {
                Some(Ok((request, length))) => {
                    self.rest = head.split_off(length);
                    self.head_only = request.method == Method::Head;
                    return Ok(Ok(request));
                }
                Some(Err(refusal)) => return Ok(Err(refusal)),
                None if head.len() > MAX_HEAD => return Ok(Err(TOO_LONG)),
                None => {}
            }
        }
    }

    /// Reads what comes next, until a moment.
    fn read_some(&mut self, bytes: &mut Vec<u8>, until: Instant) -> io::Result<()> {
        let mut buffer = [0; 8192];
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let count = self.stream.read(&mut buffer)?;
        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&buffer[..count]);
        Ok(())
    }

    /// Reads the body of the request, or says why there is none to be read.
    pub fn body(&mut self, request: &Request) -> io::Result<Result<Vec<u8>, Refusal>> {
        let Some(length) = request.length else { return Ok(Err(NO_LENGTH)) };
        if length > MAX_BODY {
            return Ok(Err(TOO_LARGE));
        }
        let until = Instant::now() + CLIENT_TIMEOUT;
        let mut body = std::mem::take(&mut self.rest);
        while body.len() < length {
            self.read_some(&mut body, until)?;
        }
        body.truncate(length);
        Ok(Ok(body))
    }

    /// Answers with a whole text of this media type.
    pub fn send(&mut self, kind: &str, text: &str) -> io::Result<()> {
        respond(&mut self.stream, "200 OK", kind, Some(text.len()))?;
        self.stream.write_all(if self.head_only { b"" } else { text.as_bytes() })
    }

    pub fn refuse(&mut self, refusal: Refusal) -> io::Result<()> {
        refuse(&mut self.stream, refusal)
    }

    /// Begins an answer of events, which follow by [`Client::push`]. False if the browser wants none of them.
    pub fn begin_events(&mut self) -> io::Result<bool> {
        respond(&mut self.stream, "200 OK", "text/event-stream; charset=utf-8", None)?;
        Ok(!self.head_only)
    }

    /// Writes events as they are sent.
    pub fn push(&mut self, events: &str) -> io::Result<()> {
        self.stream.write_all(events.as_bytes())
    }

    /// Tests whether the browser has closed the connection.
    pub fn has_gone(&self) -> bool {
        let is_open = self.stream.set_nonblocking(true).and_then(|()| {
            let peeked = self.stream.peek(&mut [0]);
            self.stream.set_nonblocking(false)?;
            peeked
        });
        match is_open {
            Ok(count) => count == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    /// Tests whether the server ends, and this answer with it.
    pub fn is_over(&self) -> bool {
        self.shared.is_over.load(Ordering::Relaxed)
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
