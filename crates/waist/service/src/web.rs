//! Requests over HTTP that a program answers itself (EXEC CICS WEB), and its answers.

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

impl WebRequest {
    /// The first value of a header, by its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let found = self.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.as_slice())
    }
}
