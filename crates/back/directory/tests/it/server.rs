//! A small LDAP server for tests: entries, binds, searches by equality and presence, StartTLS, and faults on demand.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use lber::common::TagClass;
use lber::structure::{PL, StructureTag};
use lber::structures::{ASNTag, Enumerated, OctetString, Sequence, Set, Tag};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// An entry: its name, its password if it has one, its attributes.
pub(crate) type Entry = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The behaviour of a server, and the requests that it has seen.
#[derive(Default)]
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) entries: Vec<Entry>,
    pub(crate) tls: Option<TlsAcceptor>,
    /// TLS from the first byte, rather than by StartTLS.
    pub(crate) tls_at_once: bool,
    /// What happens to requests from now on.
    pub(crate) mood: Mutex<Mood>,
    pub(crate) connections: AtomicUsize,
    /// Names of binds, and filters and bases of searches as they came.
    pub(crate) seen: Mutex<Vec<String>>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Mood {
    #[default]
    Fine,
    /// Nothing is answered.
    Silent,
    /// The connection is closed at the next request.
    Closing,
    /// Every request is answered with this code.
    Code(i64),
}

impl Server {
    pub(crate) async fn start(entries: &[Entry]) -> Arc<Self> {
        Self::start_with(entries, None).await
    }

    /// With TLS: at once, or by StartTLS.
    pub(crate) async fn start_with(entries: &[Entry], tls: Option<(TlsAcceptor, bool)>) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let port = listener.local_addr().expect("an address").port();
        let (tls, at_once) = tls.map_or((None, false), |(tls, at_once)| (Some(tls), at_once));
        let server =
            Arc::new(Self { port, entries: entries.to_vec(), tls, tls_at_once: at_once, ..Self::default() });
        let this = Arc::clone(&server);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                this.connections.fetch_add(1, Ordering::Relaxed);
                let this = Arc::clone(&this);
                tokio::spawn(async move {
                    match (&this.tls, this.tls_at_once) {
                        (Some(tls), true) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                this.serve(stream).await;
                            }
                        }
                        _ => {
                            if let (Some(stream), Some(tls)) = (this.serve(stream).await, &this.tls)
                                && let Ok(stream) = tls.accept(stream).await
                            {
                                this.serve(stream).await;
                            }
                        }
                    }
                });
            }
        });
        server
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().expect("no panic"))
    }

    /// Serves until the client goes; gives the stream back if it shall become TLS.
    async fn serve<S: AsyncRead + AsyncWrite + Unpin>(&self, mut stream: S) -> Option<S> {
        let mut bytes = Vec::new();
        loop {
            let mut buffer = [0; 4_096];
            let count = stream.read(&mut buffer).await.ok().filter(|count| *count > 0)?;
            bytes.extend_from_slice(&buffer[..count]);
            while let Some((request, used)) = parse(&bytes) {
                bytes.drain(..used);
                let (id, operation) = parts(request);
                let mood = *self.mood.lock().expect("no panic");
                match mood {
                    Mood::Silent => continue,
                    Mood::Closing => return None,
                    _ => {}
                }
                let becomes_tls = operation.id == 23;
                for answer in self.answers(operation, mood)? {
                    stream.write_all(&encoded(id, answer)).await.ok()?;
                }
                if becomes_tls {
                    return Some(stream);
                }
            }
        }
    }

    /// The answers to an operation (RFC 4511, 4.1.1); none to an unbind.
    fn answers(&self, operation: StructureTag, mood: Mood) -> Option<Vec<Tag>> {
        let code = |fine: i64| if let Mood::Code(code) = mood { code } else { fine };
        match operation.id {
            0 => {
                let mut fields = operation.expect_constructed()?.into_iter().skip(1).map(text);
                let (name, password) = (fields.next()?, fields.next()?);
                self.seen.lock().expect("no panic").push(format!("bind {name}"));
                let known =
                    |(entry, right, _): &&Entry| entry.eq_ignore_ascii_case(&name) && *right == password;
                // An anonymous bind and one without a password always succeed, as in real servers.
                let fine = password.is_empty() || self.entries.iter().any(|entry| known(&entry));
                Some(vec![result(1, code(if fine { 0 } else { 49 }))])
            }
            3 => {
                let fields = operation.expect_constructed()?;
                let (base, scope) = (text(fields[0].clone()), number(&fields[1]));
                let filter = fields[6].clone();
                self.seen.lock().expect("no panic").push(format!("search {base} {}", shown(&filter)));
                let in_scope = |name: &str| match scope {
                    0 => name.eq_ignore_ascii_case(&base),
                    _ => name.to_lowercase().ends_with(&base.to_lowercase()),
                };
                let found = self.entries.iter().filter(|entry| in_scope(entry.0) && holds(&filter, entry));
                let mut answers: Vec<Tag> = found.map(entry).collect();
                answers.push(result(5, code(0)));
                Some(answers)
            }
            23 => Some(vec![result(24, if self.tls.is_some() { 0 } else { 2 })]),
            _ => None,
        }
    }
}

fn parse(bytes: &[u8]) -> Option<(StructureTag, usize)> {
    let (rest, tag) = lber::Parser::new().parse(bytes).ok()?;
    Some((tag, bytes.len() - rest.len()))
}

fn parts(message: StructureTag) -> (i64, StructureTag) {
    let mut fields = message.expect_constructed().expect("a message").into_iter();
    let id = number(&fields.next().expect("an id"));
    (id, fields.next().expect("an operation"))
}

fn primitive(tag: &StructureTag) -> &[u8] {
    match &tag.payload {
        PL::P(bytes) => bytes,
        PL::C(_) => &[],
    }
}

fn number(tag: &StructureTag) -> i64 {
    primitive(tag).iter().fold(0, |number, byte| number << 8 | i64::from(*byte))
}

fn text(tag: StructureTag) -> String {
    String::from_utf8_lossy(primitive(&tag)).into_owned()
}

/// Whether a filter takes an entry: and, or, equality and presence.
fn holds(filter: &StructureTag, entry: &Entry) -> bool {
    let has = |name: &str, wanted: Option<&str>| {
        name.eq_ignore_ascii_case("objectclass")
            || entry.2.iter().any(|(known, value)| {
                known.eq_ignore_ascii_case(name)
                    && wanted.is_none_or(|wanted| value.eq_ignore_ascii_case(wanted))
            })
    };
    match (&filter.payload, filter.id) {
        (PL::C(inner), 0) => inner.iter().all(|inner| holds(inner, entry)),
        (PL::C(inner), 1) => inner.iter().any(|inner| holds(inner, entry)),
        (PL::C(inner), 3) => has(&text(inner[0].clone()), Some(&text(inner[1].clone()))),
        (PL::P(name), 7) => has(&String::from_utf8_lossy(name), None),
        _ => false,
    }
}

fn shown(filter: &StructureTag) -> String {
    match (&filter.payload, filter.id) {
        (PL::C(inner), 3) => format!("{}={}", text(inner[0].clone()), text(inner[1].clone())),
        (PL::C(inner), _) => inner.iter().map(shown).collect::<Vec<_>>().join(" "),
        (PL::P(name), _) => format!("{}=*", String::from_utf8_lossy(name)),
    }
}

fn octets(text: &str) -> Tag {
    Tag::OctetString(OctetString { inner: text.as_bytes().to_vec(), ..OctetString::default() })
}

fn result(id: u64, code: i64) -> Tag {
    let code = Tag::Enumerated(Enumerated { inner: code, ..Enumerated::default() });
    let inner = vec![code, octets(""), octets("as the test wants it")];
    Tag::Sequence(Sequence { id, class: TagClass::Application, inner })
}

fn entry((name, _, attributes): &Entry) -> Tag {
    let mut names: Vec<&str> = attributes.iter().map(|(name, _)| *name).collect();
    names.dedup();
    let attribute = |name: &&str| {
        let values =
            attributes.iter().filter(|(known, _)| known == name).map(|(_, value)| octets(value)).collect();
        let values = Tag::Set(Set { inner: values, ..Set::default() });
        Tag::Sequence(Sequence { inner: vec![octets(name), values], ..Sequence::default() })
    };
    let attributes =
        Tag::Sequence(Sequence { inner: names.iter().map(attribute).collect(), ..Sequence::default() });
    Tag::Sequence(Sequence { id: 4, class: TagClass::Application, inner: vec![octets(name), attributes] })
}

fn encoded(id: i64, operation: Tag) -> Vec<u8> {
    let id = Tag::Integer(lber::structures::Integer { inner: id, ..Default::default() });
    let message = Tag::Sequence(Sequence { inner: vec![id, operation], ..Sequence::default() });
    let mut bytes = Default::default();
    lber::write::encode_into(&mut bytes, message.into_structure()).expect("encoded");
    bytes.to_vec()
}
