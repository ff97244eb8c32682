//! Requests over HTTP that a program answers or sends itself (EXEC CICS WEB), and their answers.

use core::fmt;

/// A request over HTTP, whole, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebRequest {
    /// The method, such as `GET`.
    pub method: String,
    /// The version, such as `HTTP/1.1`.
    pub version: String,
    /// True if it came over TLS.
    pub is_secure: bool,
    /// The host that it names, without the port.
    pub host: String,
    /// The port that it names, or the usual port of its scheme.
    pub port: u16,
    /// The path, still percent-encoded.
    pub path: String,
    /// The query, still percent-encoded; empty if there is none.
    pub query: String,
    /// Its headers, in their order.
    pub headers: Vec<WebHeader>,
    /// Its body.
    pub body: Vec<u8>,
    /// The name of the URIMAP that leads to the program.
    pub uri_map: String,
    /// The address of the client.
    pub client: String,
    /// The character set of text for which nothing else names one.
    pub charset: String,
}

/// A header. Its value has no meaning here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebHeader {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Vec<u8>,
}

/// The answer of a program. Nobody has checked it: whoever sends it must.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebAnswer {
    /// The status.
    pub status: u16,
    /// The text of the status; empty for the usual one.
    pub reason: Vec<u8>,
    /// Its headers, in their order.
    pub headers: Vec<WebHeader>,
    /// Its body.
    pub body: Vec<u8>,
    /// True if the connection is to be closed after it.
    pub closes: bool,
}

/// A server, as programs name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebServer {
    /// True for https.
    pub is_secure: bool,
    /// The host: a name, or an address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// A request of a program to a server. Nobody has checked it: whoever sends it must.
#[derive(Clone, PartialEq, Eq)]
pub struct WebSend {
    /// The server.
    pub server: WebServer,
    /// The URIMAP or the connection that the session was opened with; empty for a host. Of several connections that lead there,
    /// the one of this name goes first.
    pub opened: String,
    /// The URIMAP whose path it has; empty if `path` counts.
    pub uri_map: String,
    /// The method.
    pub method: String,
    /// The path, with its escapes.
    pub path: String,
    /// The query, with its escapes; empty for none.
    pub query: String,
    /// The headers, in their order.
    pub headers: Vec<WebHeader>,
    /// The body.
    pub body: Vec<u8>,
    /// User and password for basic authentication.
    pub credentials: Option<(String, Vec<u8>)>,
}

/// Without what may be secret.
impl fmt::Debug for WebSend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebSend")
            .field("server", &self.server)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl WebHeader {
    /// The first value of a name, in any case.
    #[must_use]
    pub fn first<'h>(headers: &'h [Self], name: &str) -> Option<&'h [u8]> {
        let found = headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.as_slice())
    }
}

impl WebRequest {
    /// The first value of a header, by its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        WebHeader::first(&self.headers, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let send = WebSend {
            server: WebServer { is_secure: false, host: "h".to_owned(), port: 80 },
            opened: String::new(),
            uri_map: String::new(),
            method: "GET".to_owned(),
            path: "/a".to_owned(),
            query: "key=secret".to_owned(),
            headers: vec![WebHeader { name: "x".to_owned(), value: b"secret".to_vec() }],
            body: b"secret".to_vec(),
            credentials: Some(("secret".to_owned(), b"secret".to_vec())),
        };
        assert!(!format!("{send:?}").contains("secret"), "{send:?}");
    }
}
