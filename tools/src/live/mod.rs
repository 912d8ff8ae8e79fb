//! Pages that grow while they are looked at, by server-sent events.
//!
//! A [`Source`] is the work under way, seen from outside: it has a page, and tells what has changed since a moment.
//! Nothing is ever sent to the server: each client has a thread that asks the source a few times a second and writes
//! what is new. So no client can hold up the work. One that reads slowly gets fewer of the states in between; one that
//! does not read is dropped.
//!
//! The port is taken before the work begins ([`Listener`](crate::http::Listener)), [`serve`] answers from then on, and the [`Server`] ends when
//! it is dropped, after a last word to each client.

mod server;

pub use server::{Server, serve};

use std::time::{Duration, Instant, SystemTime};

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
