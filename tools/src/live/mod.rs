//! Pages that grow while they are looked at: HTTP for browsers on this machine, with server-sent events.
//!
//! A [`Source`] is the work under way, seen from outside: it has a page, and tells what has changed since a moment.
//! Nothing is ever sent to the server: each client has a thread that asks the source a few times a second and writes
//! what is new. So no client can hold up the work. One that reads slowly gets fewer of the states in between; one that
//! does not read is dropped.
//!
//! [`Listener::bind`] takes the port before the work begins, [`Listener::serve`] answers from then on, and the
//! [`Server`] ends when it is dropped, after a last word to each client.

mod server;

pub use server::{Listener, Server};

use komainu::types::Quoted;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::time::{Duration, Instant, SystemTime};
use thiserror::Error;

/// An event for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Name that the page listens for.
    pub name: &'static str,
    /// JSON without line ends.
    pub data: String,
}

/// The work that a page shows.
pub trait Source: Send + Sync {
    /// The page before any event. Its script opens `events` beside it.
    fn page(&self) -> String;

    /// The events that bring a page up to date which has had all up to the moment `seen`, and the present moment. A new
    /// page has seen 0. What takes long may be put off, but not if this is the last time that the page asks.
    fn news(&self, seen: u64, is_last: bool) -> (u64, Vec<Event>);
}

/// Name of this run: a page that hears of another one loads itself anew.
pub fn run_name() -> String {
    let nanos = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    format!("{}-{nanos}", std::process::id())
}

/// Script by which a page hears of events and says how the connection is.
pub const SCRIPT: &str = include_str!("listen.js");

/// Looks of the words about the connection.
pub const STYLE: &str = include_str!("state.css");

/// Directive that a page needs in its content security policy to hear of events.
pub const POLICY: &str = "; connect-src 'self'";

/// Address of a page: a port of this machine alone, unless another address is given in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveAddress(SocketAddr);

/// A text that is no address of a page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is neither PORT nor IP:PORT, such as 8080, 127.0.0.1:8080 or [::1]:0", Quoted(.0))]
pub struct AddressError(String);

impl LiveAddress {
    pub(crate) fn socket(self) -> SocketAddr {
        self.0
    }

    /// Tests whether no other machine can reach it.
    pub fn is_local(self) -> bool {
        self.0.ip().to_canonical().is_loopback()
    }
}

impl FromStr for LiveAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<LiveAddress, AddressError> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let local = || text.parse().ok().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
        let socket = if is_number { local() } else { text.parse().ok() };
        socket.map(LiveAddress).ok_or_else(|| AddressError(text.to_string()))
    }
}

impl fmt::Display for LiveAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The figures are not worked out anew for so long,
const INTERVAL: Duration = Duration::from_secs(1);
/// nor for so many times as long as it took.
const SHARE: u32 = 10;

/// Pace of figures: they are worked out now and then, and never more often than is worth it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace(Option<(Instant, Duration)>);

impl Pace {
    /// Tests whether it is time to work the figures out, as it is before the first time.
    pub fn is_due(self) -> bool {
        self.0.is_none_or(|(at, took)| at.elapsed() >= INTERVAL.max(took * SHARE))
    }

    /// Works the figures out.
    pub fn time<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let figures = work();
        self.0 = Some((Instant::now(), began.elapsed()));
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        for (text, address, is_local) in [
            ("8080", "127.0.0.1:8080", true),
            ("0", "127.0.0.1:0", true),
            ("127.0.0.1:8080", "127.0.0.1:8080", true),
            ("127.9.9.9:1", "127.9.9.9:1", true),
            ("[::1]:0", "[::1]:0", true),
            ("[::ffff:127.0.0.1]:7", "[::ffff:127.0.0.1]:7", true),
            ("0.0.0.0:8080", "0.0.0.0:8080", false),
            ("192.168.1.2:80", "192.168.1.2:80", false),
            ("[::]:65535", "[::]:65535", false),
        ] {
            let read: LiveAddress = text.parse().expect(text);
            assert_eq!((read.to_string(), read.is_local()), (address.to_string(), is_local));
        }
    }

    #[test]
    fn what_is_no_address_is_named() {
        for text in ["", "65536", "-1", ":8080", "localhost:8080", "127.0.0.1", "::1:80", "8080x", "８０８０"] {
            let error = text.parse::<LiveAddress>().expect_err(text);
            assert_eq!(error, AddressError(text.to_string()));
            assert!(error.to_string().contains("PORT"));
        }
    }
}
