//! Tests TLS 1.2 and 1.3 with certificates of the test, and the choice of the HTTP version by ALPN.

use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustix::process::Signal;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ProtocolVersion, RootCertStore, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::client::Client;
use crate::folder::{ECHO_ANSWER, Folder};
use crate::process::Gantry;

pub(crate) const TLS_LISTENER: &str = r#"[[listener]]
address = "127.0.0.1:0"
tls = { certificate = "cert.pem", private_key = "key.pem" }
"#;

/// Makes the echo folder with a TLS listener, and the certificate that its clients trust.
fn folder(gantry: &str) -> (Folder, CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is made");
    let folder = Folder::echo(&format!("{TLS_LISTENER}{gantry}"))
        .with("cert.pem", &made.cert.pem())
        .with("key.pem", &made.signing_key.serialize_pem());
    (folder, made.cert.der().clone())
}

pub(crate) async fn connect(
    gantry: &Gantry,
    trusted: &CertificateDer<'static>,
    version: &'static SupportedProtocolVersion,
    protocols: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).expect("the certificate is one");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version])
        .expect("the version is offered")
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
    let stream = TcpStream::connect(gantry.address()).await?;
    let name = ServerName::try_from("localhost").expect("a name");
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

fn request() -> http::Request<Full<Bytes>> {
    let body = Full::new(Bytes::from_static(b"{\"words\":\"hi\"}"));
    http::Request::put("https://localhost/echo/7")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .body(body)
        .expect("a request")
}

async fn check(response: http::Response<hyper::body::Incoming>) {
    assert_eq!(response.status(), 200);
    let body = response.into_body().collect().await.expect("a body comes").to_bytes();
    assert_eq!(body, ECHO_ANSWER);
}

#[tokio::test]
async fn both_versions_carry_http_1_1() {
    let (folder, certificate) = folder("");
    let gantry = Gantry::configured(folder.path());
    let versions = [
        (&rustls::version::TLS12, ProtocolVersion::TLSv1_2),
        (&rustls::version::TLS13, ProtocolVersion::TLSv1_3),
    ];
    for (version, expected) in versions {
        for (offered, chosen) in [(&[b"http/1.1".as_slice()][..], Some(&b"http/1.1"[..])), (&[], None)] {
            let stream = connect(&gantry, &certificate, version, offered).await.expect("a handshake");
            assert_eq!(stream.get_ref().1.protocol_version(), Some(expected));
            assert_eq!(stream.get_ref().1.alpn_protocol(), chosen);
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
            let connection = tokio::spawn(connection);
            check(sender.send_request(request()).await.expect("an answer")).await;
            drop(sender);
            connection.await.expect("no panic").expect("the connection ends well");
        }
    }
}

#[tokio::test]
async fn both_versions_carry_http_2() {
    let (folder, certificate) = folder("");
    let gantry = Gantry::configured(folder.path());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let offered: &[&[u8]] = &[b"http/1.1", b"h2"];
        let stream = connect(&gantry, &certificate, version, offered).await.expect("a handshake");
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]), "the server prefers HTTP/2");
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .expect("HTTP/2");
        tokio::spawn(connection);
        check(sender.send_request(request()).await.expect("an answer")).await;
    }
}

#[tokio::test]
async fn who_agreed_on_http_2_speaks_nothing_else() {
    let (folder, certificate) = folder("");
    let gantry = Gantry::configured(folder.path());
    let mut stream =
        connect(&gantry, &certificate, &rustls::version::TLS13, &[b"h2"]).await.expect("a handshake");
    stream.write_all(b"GET /nowhere HTTP/1.1\r\nhost: localhost\r\n\r\n").await.expect("the gateway reads");
    let mut rest = Vec::new();
    // The server may close without a TLS close message.
    let _ = stream.read_to_end(&mut rest).await;
    assert_eq!(rest, b"");
}

#[tokio::test]
async fn other_protocols_and_clear_text_are_refused() {
    let (folder, certificate) = folder("");
    let gantry = Gantry::configured(folder.path());
    let refused = connect(&gantry, &certificate, &rustls::version::TLS13, &[b"spdy/1"]).await;
    assert!(refused.is_err(), "no protocol in common");
    let address = gantry.address();
    let rest = tokio::task::spawn_blocking(move || {
        let mut clear = Client::connect(address);
        clear.send(b"GET /echo/7 HTTP/1.1\r\nhost: localhost\r\n\r\n");
        clear.rest()
    });
    let rest = rest.await.expect("the client ends");
    assert!(!rest.contains("HTTP/1.1"), "{rest}");
}

#[test]
fn a_handshake_has_a_limit_of_time() {
    let (folder, _) = folder("[limits]\ntls_handshake_timeout_ms = 200\n");
    let gantry = Gantry::configured(folder.path());
    for beginning in [&b""[..], b"\x16\x03\x01"] {
        let mut client = gantry.connect();
        client.send(beginning);
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn a_handshake_does_not_hold_the_process() {
    let (folder, _) =
        folder("[server]\nshutdown_timeout_ms = 600000\n[limits]\ntls_handshake_timeout_ms = 600000\n");
    let gantry = Gantry::configured(folder.path());
    let mut client = gantry.connect();
    while gantry.metric("gantry_connections") < 1.0 {}
    gantry.signal(Signal::TERM);
    assert_eq!(client.rest(), "");
    assert_eq!(gantry.wait().0.code(), Some(0));
}
