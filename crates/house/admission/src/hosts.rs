//! The host names of a listener. A web page can reach this machine under its own name (DNS
//! rebinding). The browser then takes both for one origin. Only the name in the request shows the
//! difference.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use http::HeaderValue;
use http::header::{HOST, ORIGIN};
use http::request::Parts;

/// The name of this machine for itself. For this name and names below it, browsers use no other
/// machine's address.
const LOCALHOST: &str = "localhost";

/// The text in the configuration that allows every name.
const ANY: &str = "*";

/// The names of a listener. Addresses and `localhost` are always allowed, because no page can own
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// All names.
    Any,
    /// These names, in lower case and without ports.
    Named(Box<[Box<str>]>),
}

impl Hosts {
    /// The names from the configuration. Without them, names are only checked if the listener is
    /// limited to this machine. Other listeners may be reached under any name.
    pub fn of(address: IpAddr, written: Option<&[String]>) -> Self {
        match written {
            Some(names) if names.iter().any(|name| name == ANY) => Self::Any,
            Some(names) => Self::Named(names.iter().map(|name| name.to_ascii_lowercase().into()).collect()),
            None if address.is_loopback() => Self::Named(Box::default()),
            None => Self::Any,
        }
    }

    /// The fault of a configured name that no request can match.
    pub fn fault(name: &str) -> Option<String> {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_name = !name.is_empty() && name.bytes().all(good) && !name.ends_with('.');
        (name != ANY && !is_name).then(|| {
            format!("expected a host name without scheme and port, or \"*\" for all, found '{name}'")
        })
    }

    /// True if the listener answers requests for this request's host. Browsers always send a host,
    /// so a request without one is allowed.
    pub fn take(&self, parts: &Parts) -> bool {
        let Self::Named(names) = self else { return true };
        // The target overrides the header (RFC 9112, 3.2.2). In HTTP/2 it has the pseudo-header.
        match parts.uri.authority() {
            Some(authority) => takes(names, authority.as_str().as_bytes()),
            None => parts.headers.get_all(HOST).iter().all(|host| takes(names, host.as_bytes())),
        }
    }
}

/// True if a browser says that a page from another site sends the request. Other clients say
/// nothing, and are allowed.
pub fn is_from_elsewhere(secure: bool, parts: &Parts) -> bool {
    let mut origins = parts.headers.get_all(ORIGIN).iter();
    let Some(origin) = origins.next() else { return false };
    let own = match parts.uri.authority() {
        Some(authority) => Some(authority.as_str().as_bytes()),
        None => parts.headers.get(HOST).map(HeaderValue::as_bytes),
    };
    // Behind a proxy that ends TLS, the page's scheme differs from that of the connection.
    let schemes: &[&[u8]] = if secure { &[b"https://"] } else { &[b"http://", b"https://"] };
    let host = schemes.iter().find_map(|scheme| origin.as_bytes().strip_prefix(*scheme));
    let same = host.zip(own).is_some_and(|(host, own)| host.eq_ignore_ascii_case(own));
    !same || origins.next().is_some()
}

fn takes(names: &[Box<str>], authority: &[u8]) -> bool {
    let Some(host) = host_of(authority) else { return false };
    if let Some(address) = host.strip_prefix(b"[") {
        let address = address.strip_suffix(b"]").and_then(|inner| std::str::from_utf8(inner).ok());
        return address.is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok());
    }
    let host = host.strip_suffix(b".").unwrap_or(host);
    if is_below(host, LOCALHOST.as_bytes())
        || names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(host))
    {
        return true;
    }
    std::str::from_utf8(host).is_ok_and(|host| host.parse::<Ipv4Addr>().is_ok())
}

/// The host without its port.
fn host_of(authority: &[u8]) -> Option<&[u8]> {
    let from =
        if authority.first() == Some(&b'[') { authority.iter().position(|byte| *byte == b']')? } else { 0 };
    match authority[from..].iter().position(|byte| *byte == b':') {
        Some(colon) => {
            let (host, port) = authority.split_at(from + colon);
            port[1..].iter().all(u8::is_ascii_digit).then_some(host)
        }
        None => Some(authority),
    }
}

/// True for the name itself and names below it.
fn is_below(host: &[u8], name: &[u8]) -> bool {
    let Some(cut) = host.len().checked_sub(name.len()) else { return false };
    host[cut..].eq_ignore_ascii_case(name) && (cut == 0 || host[cut - 1] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_localhost_are_taken_and_other_names_when_they_are_listed() {
        let names: Box<[Box<str>]> = [Box::from("api.example.com")].into();
        for host in [
            "localhost",
            "LOCALHOST:2222",
            "localhost.",
            "a.localhost:1",
            "127.0.0.1",
            "127.0.0.1:80",
            "10.1.2.3",
            "[::1]",
            "[::1]:2222",
            "[fe80::1]",
            "api.example.com",
            "API.Example.com:443",
            "api.example.com.",
        ] {
            assert!(takes(&names, host.as_bytes()), "{host}");
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "api.example.com.evil.example",
            "xlocalhost",
            "localhost.evil.example",
            "evil",
            "127.0.0.1.evil.example",
            "127.1",
            "[::1].evil.example",
            "[::1",
            "[evil]",
            "localhost:80:80",
            "localhost:a",
            "evil@localhost",
            "localhost@evil",
            "\u{131}ocalhost",
            "::1",
        ] {
            assert!(!takes(&names, host.as_bytes()), "{host}");
        }
    }

    #[test]
    fn listeners_of_this_machine_are_checked_unless_they_say_otherwise() {
        let (own, all): (IpAddr, IpAddr) = ([127, 0, 0, 1].into(), [0, 0, 0, 0].into());
        assert_eq!(Hosts::of(own, None), Hosts::Named(Box::default()));
        assert_eq!(Hosts::of(all, None), Hosts::Any);
        assert_eq!(Hosts::of(own, Some(&["*".to_owned()])), Hosts::Any);
        assert_eq!(Hosts::of(all, Some(&["A.b".to_owned()])), Hosts::Named([Box::from("a.b")].into()));
        for wrong in ["", "http://a", "a:80", "a/b", "a b", "*.a", "a."] {
            assert!(Hosts::fault(wrong).is_some(), "{wrong}");
        }
        assert!(Hosts::fault("api.example.com").is_none() && Hosts::fault("*").is_none());
    }
}
