//! TLS: only those who are trusted are spoken to, and a client certificate is shown to them.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use remote::{ConnectionSettings, ErrorKind};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::server::{Server, answer, connection, get, patient, settings};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

fn signed(
    by: &Authority,
    name: &str,
) -> (Vec<rustls::pki_types::CertificateDer<'static>>, rustls::pki_types::PrivateKeyDer<'static>) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, by).expect("a certificate");
    (vec![certificate.der().clone()], key.serialize_der().try_into().expect("a key"))
}

fn roots(authority: &Authority) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).expect("a certificate");
    roots
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

/// A server of TLS that asks clients for certificates of its authority.
async fn start(authority: &Authority) -> Server {
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots(authority)), provider());
    let (chain, key) = signed(authority, "localhost");
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(chain, key)
        .expect("its key");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let server = Server::of(listener.local_addr().expect("an address"), [answer(200, "{}")]);
    let (serving, acceptor) = (server.clone(), TlsAcceptor::from(Arc::new(config)));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                tokio::spawn(serving.clone().serve(stream));
            }
        }
    });
    server
}

fn client(trusted: &Authority, own: Option<&Authority>) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots(trusted));
    match own {
        None => builder.with_no_client_auth(),
        Some(own) => {
            let (chain, key) = signed(own, "client");
            builder.with_client_auth_cert(chain, key).expect("its key")
        }
    }
}

#[tokio::test]
async fn both_sides_know_each_other() {
    let (ours, others) = (authority(), authority());
    let server = start(&ours).await;
    let with = |tls: ClientConfig| {
        let url = format!("https://localhost:{}", server.address.port());
        connection(ConnectionSettings { tls, ..settings(&url) })
    };
    let answer = with(client(&ours, Some(&ours))).exchange(get("/"), &patient()).await.expect("an answer");
    assert_eq!(answer.status.as_u16(), 200);
    let error =
        with(client(&others, Some(&ours))).exchange(get("/"), &patient()).await.expect_err("a stranger");
    assert_eq!((error.kind, error.retry_is_safe), (ErrorKind::Unreachable, true), "{error}");
    assert!(error.message.contains("certificate"), "{error}");
    assert!(with(client(&ours, None)).exchange(get("/"), &patient()).await.is_err(), "no certificate");
    assert!(with(client(&ours, Some(&others))).exchange(get("/"), &patient()).await.is_err(), "a wrong one");
    assert_eq!(server.asked().len(), 1);
}
