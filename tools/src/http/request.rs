//! Requests: what a browser asks for, and whether it may ask.

use super::LocalAddress;
use std::net::IpAddr;

/// Headers that a request may have.
const MAX_HEADERS: usize = 64;
/// Longest head of a request in bytes.
pub(super) const MAX_HEAD: usize = 16 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    /// Only the head of the answer is asked for.
    Head,
    Post,
    Other,
}

/// A request of a browser that may ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    pub path: String,
    /// What stands behind the `?` of the address.
    pub query: String,
    /// Bytes of the body, if they are told.
    pub(super) length: Option<usize>,
}

/// Why a request is refused: the status line and a word.
pub type Refusal = (&'static str, &'static str);

const BAD: Refusal = ("400 Bad Request", "this is no request of a browser\n");
const FOREIGN: Refusal = ("403 Forbidden", "this server goes by localhost and the number of its address alone\n");
/// Refusal of a head that is too long or does not end.
pub(super) const TOO_LONG: Refusal = ("431 Request Header Fields Too Large", "the request is too long\n");
/// Refusal of a client for whom there is no room.
pub(super) const FULL: Refusal = ("503 Service Unavailable", "too many browsers look at this page already\n");

/// Reads the head of a request to a server at this address, and its length. `None` if it does not end yet.
pub(super) fn parse_request(head: &[u8], address: LocalAddress) -> Option<Result<(Request, usize), Refusal>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Partial) => None,
        Ok(httparse::Status::Complete(length)) => Some(judge(&request, address).map(|request| (request, length))),
        Err(httparse::Error::TooManyHeaders) => Some(Err(TOO_LONG)),
        Err(_) => Some(Err(BAD)),
    }
}

fn judge(request: &httparse::Request, address: LocalAddress) -> Result<Request, Refusal> {
    let Some(host) = only(request, "host")? else { return Err(BAD) };
    // A name of another's choice may lead to this machine: its pages must not read this one,
    if address.is_local() && !is_local_host(host) {
        return Err(FOREIGN);
    }
    // nor may a page from elsewhere ask in the reader's name.
    if let Some(origin) = only(request, "origin")?
        && origin.strip_prefix("http://").or(origin.strip_prefix("https://")) != Some(host)
    {
        return Err(FOREIGN);
    }
    let is_chunked = only(request, "transfer-encoding")?.is_some();
    let length = match only(request, "content-length")? {
        // A length with a sign, or of what comes in chunks, is none.
        Some(text) if text.starts_with('+') || is_chunked => return Err(BAD),
        Some(text) => Some(text.parse().map_err(|_| BAD)?),
        None => None,
    };
    let method = match request.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        Some("POST") => Method::Post,
        _ => Method::Other,
    };
    let address = request.path.unwrap_or_default();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    Ok(Request { method, path: path.to_string(), query: query.to_string(), length })
}

/// The value of a header, which a request has once or not at all.
fn only<'a>(request: &httparse::Request<'_, 'a>, name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut values = request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let Some(first) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(BAD);
    }
    // No name of this machine, no origin and no number needs other letters than those of ASCII.
    Ok(Some(std::str::from_utf8(first.value).unwrap_or_default()))
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
        let read = parse_request(head.as_bytes(), address.parse().unwrap())?;
        Some(read.map(|(request, _)| request).map_err(|(status, _)| &status[..3]))
    }

    /// The status of a request with these headers, 200 if it may ask.
    fn status(headers: &str, address: &str) -> &'static str {
        asked(&format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n"), address).expect("a whole head").err().unwrap_or("200")
    }

    #[test]
    fn names_of_this_machine_alone_are_answered() {
        for host in ["localhost", "LocalHost:80", "127.0.0.1:8080", "127.0.0.1", "127.1.2.3", "[::1]", "[::1]:9"] {
            assert_eq!(status(&format!("Host: {host}"), "8080"), "200", "{host}");
        }
        for host in ["evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "192.168.0.1", "[::2]:1"]
        {
            assert_eq!(status(&format!("Host: {host}"), "8080"), "403", "{host}");
            assert_eq!(status(&format!("Host: {host}"), "0.0.0.0:8080"), "200", "{host}");
        }
        for host in ["localhost:x", "localhost:", "localhost:99999", "[::1", "[::1]x", "", "@localhost"] {
            assert_eq!(status(&format!("Host: {host}"), "8080"), "403", "{host}");
        }
    }

    #[test]
    fn a_page_from_elsewhere_may_not_ask() {
        for origin in ["http://127.0.0.1:81", "https://127.0.0.1:81"] {
            assert_eq!(status(&format!("Host: 127.0.0.1:81\r\nOrigin: {origin}"), "81"), "200", "{origin}");
        }
        for origin in
            ["null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:82", "http://localhost:81"]
        {
            assert_eq!(status(&format!("Host: 127.0.0.1:81\r\norigin: {origin}"), "81"), "403", "{origin}");
        }
        let twice = "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example";
        assert_eq!(status(twice, "81"), "400");
    }

    #[test]
    fn a_request_tells_its_method_its_path_and_its_length() {
        let post = asked("POST /a/b?c=d?e HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n", "1");
        let request = Request { method: Method::Post, path: "/a/b".into(), query: "c=d?e".into(), length: Some(12) };
        assert_eq!(post, Some(Ok(request)));
        for length in ["", "-1", "+1", "x", "1, 1", "99999999999999999999999", "1\r\nTransfer-Encoding: chunked"] {
            assert_eq!(status(&format!("Host: localhost\r\nContent-Length: {length}"), "1"), "400", "{length}");
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
