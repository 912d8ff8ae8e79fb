//! HTTP for browsers on this machine: a port, the requests that come in by it, and who may ask.
//!
//! A [`Site`] answers requests, each on a thread of its own. Before it hears of one, the name that the browser went by
//! is judged: another's page must not reach a server of this machine by a name of its own choice.
//!
//! [`Listener::bind`] takes the port before the work begins, [`Listener::serve`] answers from then on, and the
//! [`Server`] ends when it is dropped.

mod address;
mod client;
mod request;

pub use address::{AddressError, LocalAddress};
pub use client::Client;
pub use request::{Method, Refusal, Request};

use komainu::types::opaque_debug;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Clients at a time; further ones are refused.
const MAX_CLIENTS: usize = 16;
/// Pause after a connection could not be taken, as when too many files are open.
const PAUSE: Duration = Duration::from_millis(50);
/// The most time that the server needs to hear that it ends.
const WAKE_TIMEOUT: Duration = Duration::from_secs(1);
/// The most time that clients get to read the last words.
const FAREWELL: Duration = Duration::from_secs(1);

/// What a server gives to browsers.
pub trait Site: Send + Sync {
    /// Answers a request. An error is the connection's: the browser has gone, or reads no more.
    fn answer(&self, request: &Request, client: &mut Client) -> io::Result<()>;
}

/// A port that is taken, and on which nobody is answered yet.
pub struct Listener {
    listener: TcpListener,
    address: LocalAddress,
    at: SocketAddr,
}

opaque_debug!(Listener);

/// A site that is served. It ends when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    at: SocketAddr,
    acceptor: Option<JoinHandle<()>>,
}

opaque_debug!(Server);

/// State that all threads of a server share.
struct Shared {
    site: Arc<dyn Site>,
    address: LocalAddress,
    clients: AtomicUsize,
    is_over: AtomicBool,
}

impl Listener {
    /// Takes the port of an address; 0 is any that is free.
    pub fn bind(address: LocalAddress) -> io::Result<Listener> {
        let listener = TcpListener::bind(address.socket())?;
        let at = listener.local_addr()?;
        Ok(Listener { listener, address, at })
    }

    /// The address for a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.at)
    }

    /// Answers from now on.
    pub fn serve(self, site: Arc<dyn Site>) -> io::Result<Server> {
        let Listener { listener, address, at } = self;
        let shared = Arc::new(Shared { site, address, clients: AtomicUsize::new(0), is_over: AtomicBool::new(false) });
        let of_acceptor = Arc::clone(&shared);
        let acceptor = thread::Builder::new().name("HTTP server".into());
        let acceptor = acceptor.spawn(move || accept(&listener, &of_acceptor))?;
        Ok(Server { shared, at, acceptor: Some(acceptor) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // A last connection wakes the thread that waits for one.
        let mut own = self.at;
        if own.ip().is_unspecified() {
            own.set_ip(if own.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
        }
        if TcpStream::connect_timeout(&own, WAKE_TIMEOUT).is_ok() {
            _ = self.acceptor.take().map(JoinHandle::join);
        }
        let until = Instant::now() + FAREWELL;
        // Threads of clients that read nothing end with their timeout, or with this program.
        while self.shared.clients.load(Ordering::Relaxed) > 0 && Instant::now() < until {
            thread::sleep(PAUSE / 5);
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
    loop {
        let accepted = listener.accept();
        if shared.is_over.load(Ordering::Relaxed) {
            return;
        }
        // Whatever fails here is the connection's or passes: too many files are open.
        let Ok((stream, _)) = accepted else {
            thread::sleep(PAUSE);
            continue;
        };
        let Some(place) = Place::take(shared) else {
            _ = Client::refuse_at_once(stream, request::FULL);
            continue;
        };
        let client = thread::Builder::new().name("HTTP client".into());
        // A client without a thread is one that cannot be served: it sees the end of the connection.
        _ = client.spawn(move || _ = serve(stream, &place.0));
    }
}

/// Answers a client.
fn serve(stream: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    let mut client = Client::new(stream, Arc::clone(shared))?;
    match client.read_request(shared.address)? {
        Ok(request) => shared.site.answer(&request, &mut client),
        Err(refusal) => client.refuse(refusal),
    }
}
