//! Requests over HTTP that a program sends (EXEC CICS WEB, the client side), and URIMAPs.

use service::{WebAnswer, WebHeader};

use super::bytes::{Reader, put_bytes};
use super::resources::Wanted;
use super::web::{put_answer, put_headers, take_answer, take_headers};
use super::{BadMessage, Name};

/// A server, as a program names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebServer {
    /// True for https.
    pub is_secure: bool,
    /// The host: a name, or an address without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// A command about servers over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebAsk {
    /// WEB OPEN with HOST.
    Open(WebServer),
    /// WEB OPEN with URIMAP: its name.
    OpenUriMap(String),
    /// A request: WEB SEND or CONVERSE.
    Send(Box<WebSend>),
    /// INQUIRE URIMAP.
    UriMap(Wanted<8>),
}

/// A request to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSend {
    /// The server.
    pub server: WebServer,
    /// The URIMAP or the connection that the session was opened with; empty for a host.
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
    pub credentials: Option<(Vec<u8>, Vec<u8>)>,
}

/// The answer to a [`WebAsk`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebReply {
    /// Programs may call the server. Of a URIMAP, its path comes, too; else it is empty.
    Open {
        /// The server.
        server: WebServer,
        /// The path.
        path: String,
    },
    /// The server's answer.
    Answer(Box<WebAnswer>),
    /// A URIMAP.
    UriMap(Box<UriMapFacts>),
}

/// A URIMAP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriMapFacts {
    /// Its name.
    pub name: Name<8>,
    /// The server, or the host of requests; `*` is any host.
    pub server: WebServer,
    /// The path.
    pub path: String,
    /// The program and the transaction that answer requests; none if it is for requests that programs send.
    pub answers: Option<(Name<8>, Name<4>)>,
}

impl WebServer {
    fn encode(&self, to: &mut Vec<u8>) {
        to.push(u8::from(self.is_secure));
        put_bytes(to, self.host.as_bytes());
        to.extend(self.port.to_le_bytes());
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self { is_secure: from.flag()?, host: from.text()?, port: u16::from_le_bytes(from.array()?) })
    }
}

impl WebAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            WebAsk::Open(server) => {
                to.push(b'O');
                server.encode(to);
            }
            WebAsk::OpenUriMap(name) => {
                to.push(b'M');
                put_bytes(to, name.as_bytes());
            }
            WebAsk::Send(send) => {
                to.push(b'S');
                send.encode(to);
            }
            WebAsk::UriMap(wanted) => {
                to.push(b'I');
                wanted.encode(to);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'O' => Ok(WebAsk::Open(WebServer::decode(from)?)),
            b'M' => Ok(WebAsk::OpenUriMap(from.text()?)),
            b'S' => Ok(WebAsk::Send(Box::new(WebSend::decode(from)?))),
            b'I' => Ok(WebAsk::UriMap(Wanted::decode(from)?)),
            _ => Err(BadMessage("expected a command about servers over HTTP")),
        }
    }
}

impl WebSend {
    fn encode(&self, to: &mut Vec<u8>) {
        self.server.encode(to);
        for text in [&self.opened, &self.uri_map, &self.method, &self.path, &self.query] {
            put_bytes(to, text.as_bytes());
        }
        put_headers(to, &self.headers);
        put_bytes(to, &self.body);
        to.push(u8::from(self.credentials.is_some()));
        if let Some((user, password)) = &self.credentials {
            put_bytes(to, user);
            put_bytes(to, password);
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self {
            server: WebServer::decode(from)?,
            opened: from.text()?,
            uri_map: from.text()?,
            method: from.text()?,
            path: from.text()?,
            query: from.text()?,
            headers: take_headers(from)?,
            body: from.bytes()?,
            credentials: if from.flag()? { Some((from.bytes()?, from.bytes()?)) } else { None },
        })
    }
}

impl WebReply {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            WebReply::Open { server, path } => {
                to.push(b'O');
                server.encode(to);
                put_bytes(to, path.as_bytes());
            }
            WebReply::Answer(answer) => {
                to.push(b'A');
                put_answer(to, answer);
            }
            WebReply::UriMap(facts) => {
                to.push(b'I');
                facts.encode(to);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'O' => Ok(WebReply::Open { server: WebServer::decode(from)?, path: from.text()? }),
            b'A' => Ok(WebReply::Answer(Box::new(take_answer(from)?))),
            b'I' => Ok(WebReply::UriMap(Box::new(UriMapFacts::decode(from)?))),
            _ => Err(BadMessage("expected an answer about servers over HTTP")),
        }
    }
}

impl UriMapFacts {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.name);
        self.server.encode(to);
        put_bytes(to, self.path.as_bytes());
        to.push(u8::from(self.answers.is_some()));
        if let Some((program, transaction)) = &self.answers {
            to.extend(program);
            to.extend(transaction);
        }
    }

    fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        Ok(Self {
            name: from.array()?,
            server: WebServer::decode(from)?,
            path: from.text()?,
            answers: if from.flag()? { Some((from.array()?, from.array()?)) } else { None },
        })
    }
}
