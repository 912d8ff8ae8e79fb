//! Addresses of pages on this machine.

use komainu::types::Quoted;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use thiserror::Error;

/// Address of a page: a port of this machine alone, unless another address is given in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalAddress(SocketAddr);

/// A text that is no address of a page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} is neither PORT nor IP:PORT, such as 8080, 127.0.0.1:8080 or [::1]:0", Quoted(.0))]
pub struct AddressError(String);

impl LocalAddress {
    /// The address of a port that this machine alone reaches.
    pub fn of_port(port: u16) -> LocalAddress {
        LocalAddress(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port))
    }

    pub(super) fn socket(self) -> SocketAddr {
        self.0
    }

    /// Tests whether no other machine can reach it.
    pub fn is_local(self) -> bool {
        self.0.ip().to_canonical().is_loopback()
    }
}

impl FromStr for LocalAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<LocalAddress, AddressError> {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let address =
            if is_number { text.parse().ok().map(LocalAddress::of_port) } else { text.parse().ok().map(LocalAddress) };
        address.ok_or_else(|| AddressError(text.to_string()))
    }
}

impl fmt::Display for LocalAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
            let read: LocalAddress = text.parse().expect(text);
            assert_eq!((read.to_string(), read.is_local()), (address.to_string(), is_local));
        }
    }

    #[test]
    fn what_is_no_address_is_named() {
        for text in ["", "65536", "-1", ":8080", "localhost:8080", "127.0.0.1", "::1:80", "8080x", "８０８０"] {
            let error = text.parse::<LocalAddress>().expect_err(text);
            assert_eq!(error, AddressError(text.to_string()));
            assert!(error.to_string().contains("PORT"));
        }
    }
}
