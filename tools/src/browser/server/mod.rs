//! The page behind `komainu page`: served to browsers on this machine, with the engine of this program behind it.
//!
//! Every address begins with a secret token, and nothing is told to who does not know it. Below the token:
//!
//! | address | gives |
//! | --- | --- |
//! | `GET /` | the page |
//! | `GET /events` | what the engines of a new tab say, until the tab is gone: JSON objects, first its number as `tab` |
//! | `POST /tell?TAB` | takes what a tab tells its engines: a list of [`Message`]s |
//! | `POST /ask` | takes a question and answers it at once ([`Answerer`]) |
//! | `POST /quit` | ends the server |

mod tab;

use super::{Answerer, Halt, page};
use crate::http::{self, Client, Listener, Method, Refusal, Request, Site};
use komainu::host::lock;
use komainu::types::opaque_debug;
use serde_json::json;
use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tab::{Message, Tab};

/// Tabs at a time: a browser holds no more than six connections to a server, and each tab takes one for good.
const MAX_TABS: usize = 4;
/// A tab that is loaded again is a new one, whose place may still be taken for so long.
const HANDOVER: Duration = Duration::from_secs(2);
/// Interval at which it is looked whether a tab is gone or the server ends.
const TICK: Duration = Duration::from_millis(200);

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json; charset=utf-8";

/// What the page adds to the policy of all pages.
const POLICY: &str = "; connect-src 'self'";
/// The script by which the page reaches its engine here.
const CONNECTION: &str = include_str!("connection.js");

const UNKNOWN: Refusal =
    ("404 Not Found", "this address is not known here: the whole one stands where `komainu page` runs\n");
const METHOD: Refusal = ("405 Method Not Allowed", "this is not asked in that way\n");
const NO_TAB: Refusal = ("410 Gone", "this tab is gone\n");
const NONSENSE: Refusal = ("400 Bad Request", "this is no list of messages\n");

/// A page that is served. It ends when it is dropped.
pub struct PageServer {
    url: String,
    _server: http::Server,
}

opaque_debug!(PageServer);

/// Serves the page from now on, with engines of so many threads. `quit` hears when the page asks for the end.
pub fn serve(listener: Listener, threads: usize, quit: Sender<()>) -> io::Result<PageServer> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret)?;
    let token: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    let url = format!("{}{token}/", listener.url());
    let page = page::html(CONNECTION, &json!({ "threads": threads }).to_string(), POLICY);
    let site = PageSite { prefix: format!("/{token}/"), page, tabs: Mutex::default(), quit };
    Ok(PageServer { url, _server: listener.serve(Arc::new(site))? })
}

impl PageServer {
    /// The address for the browser, token included.
    pub fn url(&self) -> &str {
        &self.url
    }
}

struct PageSite {
    /// The token between slashes.
    prefix: String,
    page: String,
    tabs: Mutex<Tabs>,
    quit: Sender<()>,
}

#[derive(Default)]
struct Tabs {
    open: HashMap<u64, Arc<Tab>>,
    opened: u64,
}

impl Site for PageSite {
    fn answer(&self, request: &Request, client: &mut Client) -> io::Result<()> {
        let Some(path) = request.path.strip_prefix(&self.prefix) else { return client.refuse(UNKNOWN) };
        let is_post = request.method == Method::Post;
        let is_get = matches!(request.method, Method::Get | Method::Head);
        match path {
            "" if is_get => client.send(HTML, &self.page),
            "events" if is_get => self.follow(client),
            "ask" if is_post => self.ask(request, client),
            "tell" if is_post => self.tell(request, client),
            "quit" if is_post => {
                _ = self.quit.send(());
                client.send(JSON, "{}")
            }
            "" | "events" | "ask" | "tell" | "quit" => client.refuse(METHOD),
            _ => client.refuse(UNKNOWN),
        }
    }
}

impl PageSite {
    fn ask(&self, request: &Request, client: &mut Client) -> io::Result<()> {
        let question = match client.body(request)? {
            Ok(body) => body,
            Err(refusal) => return client.refuse(refusal),
        };
        // A search is an engine's affair: here none is begun.
        let halt = Halt::default();
        halt.halt();
        let mut answerer = Answerer::until(halt);
        client.send(JSON, &answerer.answer(&String::from_utf8_lossy(&question), &mut |_| ()))
    }

    fn tell(&self, request: &Request, client: &mut Client) -> io::Result<()> {
        let body = match client.body(request)? {
            Ok(body) => body,
            Err(refusal) => return client.refuse(refusal),
        };
        let Ok(messages) = serde_json::from_slice::<Vec<Message>>(&body) else { return client.refuse(NONSENSE) };
        let tab = request.query.parse().ok().and_then(|number: u64| lock(&self.tabs).open.get(&number).cloned());
        let Some(tab) = tab else { return client.refuse(NO_TAB) };
        for message in messages {
            tab.take(message);
        }
        client.send(JSON, "{}")
    }

    /// Opens a tab and hands on what its engines say until it is gone.
    fn follow(&self, client: &mut Client) -> io::Result<()> {
        if !client.begin_events()? {
            return Ok(());
        }
        let Some((number, said)) = self.open_tab() else {
            return client.push(&event(&json!({ "full": MAX_TABS }).to_string()));
        };
        let followed = follow_tab(client, number, &said);
        // Its searches end with it.
        lock(&self.tabs).open.remove(&number);
        followed
    }

    /// A new tab: its number, and what its engines say. `None` if there are too many.
    fn open_tab(&self) -> Option<(u64, Receiver<String>)> {
        let until = Instant::now() + HANDOVER;
        loop {
            let mut tabs = lock(&self.tabs);
            if tabs.open.len() < MAX_TABS {
                let (tab, said) = Tab::new();
                tabs.opened += 1;
                let number = tabs.opened;
                tabs.open.insert(number, Arc::new(tab));
                return Some((number, said));
            }
            drop(tabs);
            if Instant::now() > until {
                return None;
            }
            std::thread::sleep(TICK);
        }
    }
}

fn follow_tab(client: &mut Client, number: u64, said: &Receiver<String>) -> io::Result<()> {
    client.push(&event(&json!({ "tab": number }).to_string()))?;
    loop {
        match said.recv_timeout(TICK) {
            Ok(text) => client.push(&event(&text))?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if client.is_over() {
            return client.push(&event(r#"{"end":true}"#));
        }
        if client.has_gone() {
            return Ok(());
        }
    }
}

fn event(json: &str) -> String {
    format!("data: {json}\n\n")
}
