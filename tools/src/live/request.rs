//! The head of a request, as far as it matters here.

use super::address::LiveAddress;
use std::net::IpAddr;

/// Headers that a request may have.
const MAX_HEADERS: usize = 64;

/// The part of the server that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Page,
    Events,
}

/// A request that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) wanted: Wanted,
    /// Nothing but the head of the answer is asked for.
    pub(super) head_only: bool,
}

/// Why a request is refused: the status line and a word.
pub(super) type Refusal = (&'static str, &'static str);

const BAD: Refusal = ("400 Bad Request", "this is no request of a browser\n");
const FOREIGN: Refusal = ("403 Forbidden", "this server goes by localhost and the number of its address alone\n");
const MISSING: Refusal = ("404 Not Found", "there is nothing but / here\n");
const METHOD: Refusal = ("405 Method Not Allowed", "this page can be read and nothing else\n");
/// Refusal of a head that is too long or does not end.
pub(super) const TOO_LONG: Refusal = ("431 Request Header Fields Too Large", "the request is too long\n");
/// Refusal of a client for whom there is no room.
pub(super) const FULL: Refusal = ("503 Service Unavailable", "too many browsers look at this page already\n");

/// Reads the head of a request to a server at this address. `None` if it does not end yet.
pub(super) fn read(head: &[u8], address: LiveAddress) -> Option<Result<Request, Refusal>> {
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
        let read = read(head.as_bytes(), address.parse().unwrap());
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
