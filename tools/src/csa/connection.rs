//! The connection to a server: opened, read, written to.

use super::message::{Message, Protocol};
use super::wire::{Logged, WireLog};
use crate::client::EngineLine;
use crate::process::{LineEnd, OutputLine, read_lines};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::{Duration, Instant};

/// The most time that one address gets.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most time that a line may take to be handed to the system.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Number of times that the system asks again before it gives a connection up.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "windows"))]
const KEEP_ALIVE_RETRIES: u32 = 3;

/// Opens a connection from a thread of its own: names and addresses may take long. The end of it is
/// [`Event::Connected`] with this number.
pub(super) fn open(
    host: &str,
    port: u16,
    keep_alive: Option<Duration>,
    number: u64,
    sender: &SyncSender<Event>,
) -> io::Result<()> {
    let host = host.to_string();
    let sender = sender.clone();
    let connect = move || {
        let stream = connect(&host, port).and_then(|stream| set_up(&stream, keep_alive).map(|()| stream));
        _ = sender.send(Event::Connected(number, stream));
    };
    thread::Builder::new().name("csa connect".into()).spawn(connect).map(drop)
}

/// Tries every address: IPv6 may be announced and not work.
fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut error = io::Error::new(io::ErrorKind::NotFound, "no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => return Ok(stream),
            Err(other) => error = other,
        }
    }
    Err(error)
}

fn set_up(stream: &TcpStream, keep_alive: Option<Duration>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    if let Some(time) = keep_alive {
        let keep_alive = TcpKeepalive::new().with_time(time).with_interval(time);
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "windows"))]
        let keep_alive = keep_alive.with_retries(KEEP_ALIVE_RETRIES);
        SockRef::from(stream).set_tcp_keepalive(&keep_alive)?;
    }
    Ok(())
}

/// An open connection.
pub(super) struct Connection {
    stream: TcpStream,
    /// The number of its events.
    pub(super) number: u64,
    protocol: Protocol,
    log: Arc<WireLog>,
    /// When a line came or went last.
    last_traffic: Instant,
}

impl Connection {
    /// Reads lines from now on: each is an [`Event::Line`], the end of them [`Event::Closed`].
    pub(super) fn new(
        stream: TcpStream,
        number: u64,
        log: Arc<WireLog>,
        sender: &SyncSender<Event>,
    ) -> io::Result<Connection> {
        let reading = stream.try_clone()?;
        let sender = sender.clone();
        let read = move || {
            read_lines(reading, |line| sender.send(Event::Line(number, line)).is_ok());
            _ = sender.send(Event::Closed(number));
        };
        thread::Builder::new().name("csa input".into()).spawn(read)?;
        Ok(Connection { stream, number, protocol: Protocol::default(), log, last_traffic: Instant::now() })
    }

    /// The message of a line, if it ends one. A line that was cut off by the end of the connection, or is longer than
    /// 64 kB, says nothing; the second case is told.
    pub(super) fn receive(&mut self, line: &OutputLine) -> Result<Option<Message>, &'static str> {
        self.last_traffic = line.at;
        // Before the line is noted: a token must not stand in the log.
        if let Some(token) = Protocol::secret_in(&line.text) {
            self.log.hide(token);
        }
        self.log.note(Logged::Server, '>', &line.text);
        match line.end {
            LineEnd::Whole => {}
            LineEnd::Broken => return Ok(None),
            LineEnd::Cut => return Err("a line of the server is longer than 64 kB; it was thrown away"),
        }
        Ok(self.protocol.read(&line.text))
    }

    pub(super) fn send(&mut self, line: &str) -> io::Result<()> {
        self.send_secret(line, line)
    }

    /// Sends a line that is a secret; the log gets the one that may be shown.
    pub(super) fn send_secret(&mut self, line: &str, shown: &str) -> io::Result<()> {
        self.log.note(Logged::Server, '<', shown);
        self.last_traffic = Instant::now();
        // In one piece, with what ends it.
        (&self.stream).write_all(format!("{line}\n").as_bytes())
    }

    /// Closes the connection; nothing is received any more.
    pub(super) fn close(&self) {
        _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Sends an empty line if there was silence for so long.
    pub(super) fn keep_alive(&mut self, silence: Option<Duration>) -> io::Result<()> {
        match silence {
            Some(silence) if self.last_traffic.elapsed() >= silence => self.send(""),
            _ => Ok(()),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The reading thread ends with it.
        self.close();
    }
}

/// Events that wait to be handled; whoever has more waits.
pub(super) const MAX_WAITING: usize = 1_024;

/// A message of a thread. The number tells connections and engines apart, so that what is left over of one is not taken
/// for news of the next.
#[derive(Debug)]
pub(super) enum Event {
    /// A connection was opened, or could not be.
    Connected(u64, io::Result<TcpStream>),
    /// A line of the server.
    Line(u64, OutputLine),
    /// The server sends no more.
    Closed(u64),
    /// A line of the engine that is no `info`.
    Engine(u64, EngineLine),
    /// The engine says no more.
    EngineClosed(u64),
}
