//! TLS to a directory: at once and by StartTLS, with an authority of one's own.

use std::sync::Arc;

use directory::{Directory, Settings};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use security::DirectoryFault;
use tokio_rustls::TlsAcceptor;

use crate::server::Server;
use crate::{PEOPLE, ask, known, settings};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

fn acceptor(authority: &Authority) -> TlsAcceptor {
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, authority).expect("a certificate").der().clone();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().expect("versions").with_no_client_auth();
    TlsAcceptor::from(Arc::new(builder.with_single_cert(vec![certificate], key).expect("a configuration")))
}

fn trusting(authority: &Authority) -> Option<Arc<rustls::ClientConfig>> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(authority.der().clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().expect("versions");
    Some(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

#[tokio::test]
async fn passwords_go_over_tls_to_whom_is_trusted() {
    let (ours, theirs) = (authority(), authority());
    for at_once in [true, false] {
        let server = Server::start_with(PEOPLE, Some((acceptor(&ours), at_once))).await;
        let scheme = if at_once { "ldaps" } else { "ldap" };
        let with = |host: &str, tls| {
            let servers = vec![format!("{scheme}://{host}:{}", server.port)];
            Directory::new(Settings { servers, start_tls: !at_once, tls, ..settings(&[]) }).expect("settings")
        };
        assert_eq!(ask(&with("localhost", trusting(&ours)), "john", "word").await, known("john", &[]));
        server.seen();
        for (host, tls) in [("localhost", trusting(&theirs)), ("127.0.0.1", trusting(&ours))] {
            let fault = ask(&with(host, tls), "john", "word").await.expect_err("not trusted");
            assert!(matches!(fault, DirectoryFault::Unavailable(_)), "{fault:?}");
        }
        assert_eq!(server.seen(), Vec::<String>::new(), "nothing is said to a stranger");
    }
}

#[tokio::test]
async fn a_server_without_tls_gets_no_password() {
    let server = Server::start(PEOPLE).await;
    let directory = Settings { start_tls: true, tls: trusting(&authority()), ..settings(&[&server]) };
    let fault = ask(&Directory::new(directory).expect("settings"), "john", "word").await.expect_err("no TLS");
    assert!(matches!(fault, DirectoryFault::Unavailable(_)), "{fault:?}");
    assert_eq!(server.seen(), Vec::<String>::new());
}
