//! Requests over HTTP that a program sends (EXEC CICS WEB, the client side), and URIMAPs.

use service::{WebAnswer, WebSend, WebServer};

use super::bytes::{Reader, put_bytes};
use super::resources::Wanted;
use super::web::{put_answer, put_headers, take_answer, take_headers};
use super::{BadMessage, Name};

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

fn put_server(to: &mut Vec<u8>, server: &WebServer) {
    to.push(u8::from(server.is_secure));
    put_bytes(to, server.host.as_bytes());
    to.extend(server.port.to_le_bytes());
}

fn take_server(from: &mut Reader<'_>) -> Result<WebServer, BadMessage> {
    let (is_secure, host) = (from.flag()?, from.text()?);
    Ok(WebServer { is_secure, host, port: u16::from_le_bytes(from.array()?) })
}

impl WebAsk {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            WebAsk::Open(server) => {
                to.push(b'O');
                put_server(to, server);
            }
            WebAsk::OpenUriMap(name) => {
                to.push(b'M');
                put_bytes(to, name.as_bytes());
            }
            WebAsk::Send(send) => {
                to.push(b'S');
                put_send(to, send);
            }
            WebAsk::UriMap(wanted) => {
                to.push(b'I');
                wanted.encode(to);
            }
        }
    }

    pub(super) fn decode(from: &mut Reader<'_>) -> Result<Self, BadMessage> {
        match from.byte()? {
            b'O' => Ok(WebAsk::Open(take_server(from)?)),
            b'M' => Ok(WebAsk::OpenUriMap(from.text()?)),
            b'S' => Ok(WebAsk::Send(Box::new(take_send(from)?))),
            b'I' => Ok(WebAsk::UriMap(Wanted::decode(from)?)),
            _ => Err(BadMessage("expected a command about servers over HTTP")),
        }
    }
}

fn put_send(to: &mut Vec<u8>, send: &WebSend) {
    put_server(to, &send.server);
    for text in [&send.opened, &send.uri_map, &send.method, &send.path, &send.query] {
        put_bytes(to, text.as_bytes());
    }
    put_headers(to, &send.headers);
    put_bytes(to, &send.body);
    to.push(u8::from(send.credentials.is_some()));
    if let Some((user, password)) = &send.credentials {
        put_bytes(to, user.as_bytes());
        put_bytes(to, password);
    }
}

fn take_send(from: &mut Reader<'_>) -> Result<WebSend, BadMessage> {
    Ok(WebSend {
        server: take_server(from)?,
        opened: from.text()?,
        uri_map: from.text()?,
        method: from.text()?,
        path: from.text()?,
        query: from.text()?,
        headers: take_headers(from)?,
        body: from.bytes()?,
        credentials: if from.flag()? { Some((from.text()?, from.bytes()?)) } else { None },
    })
}

impl WebReply {
    pub(super) fn encode(&self, to: &mut Vec<u8>) {
        match self {
            WebReply::Open { server, path } => {
                to.push(b'O');
                put_server(to, server);
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
            b'O' => Ok(WebReply::Open { server: take_server(from)?, path: from.text()? }),
            b'A' => Ok(WebReply::Answer(Box::new(take_answer(from)?))),
            b'I' => Ok(WebReply::UriMap(Box::new(UriMapFacts::decode(from)?))),
            _ => Err(BadMessage("expected an answer about servers over HTTP")),
        }
    }
}

impl UriMapFacts {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.name);
        put_server(to, &self.server);
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
            server: take_server(from)?,
            path: from.text()?,
            answers: if from.flag()? { Some((from.array()?, from.array()?)) } else { None },
        })
    }
}
