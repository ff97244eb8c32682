//! Connections between regions: a socket of this machine, or TCP with TLS in which both sides show certificates.

use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::verify_server_name;
use rustls::server::{ParsedCertificate, WebPkiClientVerifier};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::definition::{Address, Identity, Peer};
use super::frame::Frames;
use super::message::Message;
use super::outbox::Outbox;
use super::session::READ_BYTES;

/// A connection whose other end is not known yet.
pub(super) struct Stream {
    pub(super) outbox: Outbox,
    pub(super) reading: Reading,
    /// The half of the stream that the outbox cannot write to directly.
    pub(super) writing: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(super) origin: Origin,
}

/// The proof of who the other side is.
#[derive(Debug)]
pub(super) enum Origin {
    /// A process of this user of the machine.
    User(u32),
    /// It has the key of this certificate, which the authority has signed.
    Certificate(CertificateDer<'static>),
}

/// The way in.
pub(super) struct Reading {
    stream: In,
    frames: Frames,
    /// Bytes have come since somebody asked for that.
    has_heard: bool,
}

enum In {
    Unix(OwnedReadHalf),
    Tls(Box<dyn AsyncRead + Send + Unpin>),
}

impl Reading {
    fn new(stream: In, frame_max_bytes: usize) -> Self {
        Self { stream, frames: Frames::new(frame_max_bytes), has_heard: false }
    }

    /// Reads messages from any stream.
    pub(super) fn of(stream: Box<dyn AsyncRead + Send + Unpin>, frame_max_bytes: usize) -> Self {
        Self::new(In::Tls(stream), frame_max_bytes)
    }

    /// True if bytes have come since the last call, even if they are not a whole message yet.
    pub(super) fn has_heard(&mut self) -> bool {
        std::mem::take(&mut self.has_heard)
    }

    /// The next message.
    ///
    /// # Errors
    /// The connection is at its end, broken, or has something else on it than messages: the reason for people.
    pub(super) async fn message(&mut self) -> Result<Message, String> {
        use tokio::io::AsyncReadExt;
        loop {
            if let Some(message) = self.frames.next_message().map_err(|bad| bad.to_string())? {
                return Ok(message);
            }
            let room = self.frames.room();
            room.reserve(READ_BYTES);
            let read = match &mut self.stream {
                In::Unix(stream) => stream.read_buf(room).await,
                In::Tls(stream) => stream.read_buf(room).await,
            };
            match read {
                Ok(0) => return Err("the other side has closed the connection".to_owned()),
                Ok(_) => self.has_heard = true,
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

impl Stream {
    /// The socket with the bytes that have already come. None if it is not a socket of this machine.
    pub(super) fn into_socket(self) -> Option<(std::os::unix::net::UnixStream, Frames)> {
        let In::Unix(reading) = self.reading.stream else { return None };
        let socket = reading.reunite(self.outbox.into_direct()?).ok()?.into_std().ok()?;
        Some((socket, self.reading.frames))
    }
}

impl Origin {
    /// True if the other side is this region.
    pub(super) fn is(&self, peer: &Peer) -> bool {
        match self {
            Origin::User(uid) => *uid == peer.uid.unwrap_or_else(|| rustix::process::geteuid().as_raw()),
            Origin::Certificate(certificate) => {
                let named = peer.certificate_name.as_deref().and_then(|name| ServerName::try_from(name).ok());
                let parsed = ParsedCertificate::try_from(certificate).ok();
                named.zip(parsed).is_some_and(|(name, parsed)| verify_server_name(&parsed, &name).is_ok())
            }
        }
    }
}

/// The certificates and keys for TLS, read once.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    /// One cannot be read, or they do not go together.
    pub(super) fn read(identity: &Identity) -> Result<Self, String> {
        let fault = |path: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let certificates = || -> Result<Vec<CertificateDer<'static>>, String> {
            let read = CertificateDer::pem_file_iter(&identity.certificate)
                .and_then(|certificates| certificates.collect::<Result<Vec<_>, _>>());
            read.map_err(|error| fault(&identity.certificate, &error))
        };
        let key =
            || PrivateKeyDer::from_pem_file(&identity.key).map_err(|error| fault(&identity.key, &error));
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::pem_file_iter(&identity.authority)
            .map_err(|error| fault(&identity.authority, &error))?;
        for certificate in authority {
            let certificate = certificate.map_err(|error| fault(&identity.authority, &error))?;
            roots.add(certificate).map_err(|error| fault(&identity.authority, &error))?;
        }
        let roots = Arc::new(roots);
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.clone(), provider.clone());
        let verifier = verifier.build().map_err(|error| fault(&identity.authority, &error))?;
        let wrong = |error: rustls::Error| fault(&identity.certificate, &error);
        // Both sides are of this project: nothing older than 1.3 is needed.
        let versions = &[&rustls::version::TLS13];
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(versions)
            .map_err(wrong)?
            .with_client_cert_verifier(verifier)
            .with_single_cert(certificates()?, key()?)
            .map_err(wrong)?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(versions)
            .map_err(wrong)?
            .with_root_certificates(roots)
            .with_client_auth_cert(certificates()?, key()?)
            .map_err(wrong)?;
        Ok(Self { client: Arc::new(client), server: Arc::new(server) })
    }
}

/// Connects to another region.
///
/// # Errors
/// The reason for people.
pub(super) async fn connect(
    peer: &Peer,
    tls: Option<&Tls>,
    frame_max_bytes: usize,
) -> Result<Stream, String> {
    match &peer.address {
        None => Err("no address of it is configured".to_owned()),
        Some(Address::Unix(path)) => {
            let stream = UnixStream::connect(path).await;
            unix(stream.map_err(|error| format!("{}: {error}", path.display()))?, frame_max_bytes)
        }
        Some(Address::Tls(address)) => {
            let tls = tls.ok_or("links over TCP need a certificate")?;
            let name = peer.certificate_name.as_deref().ok_or("no certificate_name of it is configured")?;
            let name = ServerName::try_from(name.to_owned()).map_err(|error| format!("{name}: {error}"))?;
            let wrong = |error: io::Error| format!("{address}: {error}");
            let stream = TcpStream::connect(address).await.map_err(wrong)?;
            stream.set_nodelay(true).map_err(wrong)?;
            let stream = TlsConnector::from(tls.client.clone()).connect(name, stream).await.map_err(wrong)?;
            let certificate = peer_certificate(stream.get_ref().1.peer_certificates())?;
            Ok(over_tls(stream, certificate, frame_max_bytes))
        }
    }
}

/// A socket that listens.
#[derive(Debug)]
pub(super) enum Listener {
    Unix(UnixListener),
    Tls(TcpListener),
}

/// A new connection on a listening socket, before its TLS handshake.
pub(super) enum Arrival {
    Unix(UnixStream),
    Tls(TcpStream),
}

impl Listener {
    /// Listens, on the current runtime. A socket file without a listener is taken over. Only this user may
    /// connect to it.
    ///
    /// # Errors
    /// The reason for people.
    pub(super) fn bind(address: &Address, has_certificate: bool) -> Result<Self, String> {
        match address {
            Address::Unix(path) => {
                let wrong = |error: io::Error| format!("{}: {error}", path.display());
                if std::fs::metadata(path).is_ok_and(|found| found.file_type().is_socket()) {
                    if std::os::unix::net::UnixStream::connect(path).is_ok() {
                        return Err(format!("{}: another region listens here", path.display()));
                    }
                    std::fs::remove_file(path).map_err(wrong)?;
                }
                let listener = std::os::unix::net::UnixListener::bind(path).map_err(wrong)?;
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(wrong)?;
                listener.set_nonblocking(true).map_err(wrong)?;
                UnixListener::from_std(listener).map(Listener::Unix).map_err(wrong)
            }
            Address::Tls(address) => {
                let wrong = |error: io::Error| format!("{address}: {error}");
                if !has_certificate {
                    return Err("links over TCP need a certificate".to_owned());
                }
                let listener = std::net::TcpListener::bind(address).map_err(wrong)?;
                listener.set_nonblocking(true).map_err(wrong)?;
                TcpListener::from_std(listener).map(Listener::Tls).map_err(wrong)
            }
        }
    }

    /// Waits for a connection.
    pub(super) async fn accept(&self) -> io::Result<Arrival> {
        match self {
            Listener::Unix(listener) => Ok(Arrival::Unix(listener.accept().await?.0)),
            Listener::Tls(listener) => Ok(Arrival::Tls(listener.accept().await?.0)),
        }
    }
}

impl Arrival {
    /// Finds out where the connection comes from.
    ///
    /// # Errors
    /// The reason for people.
    pub(super) async fn greet(self, tls: Option<Tls>, frame_max_bytes: usize) -> Result<Stream, String> {
        match self {
            Arrival::Unix(stream) => unix(stream, frame_max_bytes),
            Arrival::Tls(stream) => {
                let tls = tls.ok_or("links over TCP need a certificate")?;
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                let stream = TlsAcceptor::from(tls.server).accept(stream).await;
                let stream = stream.map_err(|error| error.to_string())?;
                let certificate = peer_certificate(stream.get_ref().1.peer_certificates())?;
                Ok(over_tls(stream, certificate, frame_max_bytes))
            }
        }
    }
}

/// How long the loop that accepts waits when the system has no place for a connection.
pub(super) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

fn unix(stream: UnixStream, frame_max_bytes: usize) -> Result<Stream, String> {
    let uid = stream.peer_cred().map_err(|error| error.to_string())?.uid();
    let (reading, writing) = stream.into_split();
    Ok(Stream {
        outbox: Outbox::new(Some(writing), frame_max_bytes),
        reading: Reading::new(In::Unix(reading), frame_max_bytes),
        writing: None,
        origin: Origin::User(uid),
    })
}

fn over_tls(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    certificate: CertificateDer<'static>,
    frame_max_bytes: usize,
) -> Stream {
    let (reading, writing) = tokio::io::split(stream);
    Stream {
        outbox: Outbox::new(None, frame_max_bytes),
        reading: Reading::of(Box::new(reading), frame_max_bytes),
        writing: Some(Box::new(writing)),
        origin: Origin::Certificate(certificate),
    }
}

fn peer_certificate(shown: Option<&[CertificateDer<'_>]>) -> Result<CertificateDer<'static>, String> {
    let first = shown.and_then(<[_]>::first).ok_or("the other side has shown no certificate")?;
    Ok(first.clone().into_owned())
}
