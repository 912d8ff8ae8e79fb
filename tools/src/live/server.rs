//! The site of a live page: the page, and its events.

use super::{Event, Source};
use crate::http::{self, Client, Listener, Method, Refusal, Request, Site};
use komainu::host::lock;
use komainu::types::opaque_debug;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a client is told what is new.
const TICK: Duration = Duration::from_millis(200);
/// Silence after which a client is written a comment, so that one that has gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

const MISSING: Refusal = ("404 Not Found", "there is nothing but / here\n");
const METHOD: Refusal = ("405 Method Not Allowed", "this page can be read and nothing else\n");

/// A page that is served. It ends when it is dropped.
pub struct Server {
    farewell: Arc<Mutex<String>>,
    _server: http::Server,
}

opaque_debug!(Server);

struct LiveSite {
    source: Arc<dyn Source>,
    /// The last word to the clients.
    farewell: Arc<Mutex<String>>,
}

/// Serves the page of a source from now on.
pub fn serve(listener: Listener, source: Arc<dyn Source>) -> io::Result<Server> {
    let farewell = Arc::<Mutex<String>>::default();
    let server = listener.serve(Arc::new(LiveSite { source, farewell: Arc::clone(&farewell) }))?;
    Ok(Server { farewell, _server: server })
}

impl Server {
    /// Ends it with a last event `end`, whose data is a JSON string of these words.
    pub fn finish(self, words: &str) {
        *lock(&self.farewell) = words.to_string();
    }
}

impl Site for LiveSite {
    fn answer(&self, request: &Request, client: &mut Client) -> io::Result<()> {
        if !matches!(request.method, Method::Get | Method::Head) {
            return client.refuse(METHOD);
        }
        match request.path.as_str() {
            "/" => client.send("text/html; charset=utf-8", &self.source.page()),
            "/events" => self.tell(client),
            _ => client.refuse(MISSING),
        }
    }
}

impl LiveSite {
    /// Tells a client what is new until it goes, reads no more, or the server ends.
    fn tell(&self, client: &mut Client) -> io::Result<()> {
        if !client.begin_events()? {
            return Ok(());
        }
        client.push("retry: 2000\n\n")?;
        let mut seen = 0;
        let mut told_at = Instant::now();
        loop {
            // Looked at first: whatever the source has at the end is told.
            let is_over = client.is_over();
            let (now, events) = self.source.news(seen, is_over);
            seen = now;
            let mut text: String = events.iter().map(lines).collect();
            if is_over {
                let words = lock(&self.farewell).clone();
                let data = serde_json::to_string(&words).expect("a string is JSON");
                text.push_str(&lines(&Event { name: "end", data }));
            } else if text.is_empty() && told_at.elapsed() > KEEP_ALIVE {
                text.push_str(":\n\n");
            }
            if !text.is_empty() {
                client.push(&text)?;
                told_at = Instant::now();
            }
            if is_over {
                return Ok(());
            }
            thread::sleep(TICK);
        }
    }
}

fn lines(event: &Event) -> String {
    format!("event: {}\ndata: {}\n\n", event.name, event.data)
}
