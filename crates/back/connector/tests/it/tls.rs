//! TLS: only trusted servers get requests, and they see the group's certificate.

use std::path::PathBuf;
use std::sync::Arc;

use connector::balance::Role;
use connector::{Group, GroupSettings, State, Tls, TroubleKind};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use remote::trust::ClientIdentity;
use rustls::RootCertStore;
use rustls::server::WebPkiClientVerifier;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::server::{LONG, endpoint, settings as usual, within};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

fn signed(by: &Authority, name: &str) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    (params.signed_by(&key, by).expect("a certificate"), key)
}

/// Echoes frames over TLS, for clients with a certificate of the authority.
async fn server(authority: &Authority) -> std::net::SocketAddr {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(authority.der().clone()).expect("a certificate");
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let (certificate, key) = signed(authority, "server.example");
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_client_cert_verifier(verifier.build().expect("a verifier"))
        .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().expect("a key"))
        .expect("its key");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                loop {
                    let bytes = stream.read_u32().await.ok()?;
                    let mut request = vec![0; bytes as usize];
                    stream.read_exact(&mut request).await.ok()?;
                    stream.write_u32(bytes).await.ok()?;
                    stream.write_all(&request).await.ok()?;
                    stream.flush().await.ok()?;
                }
                #[expect(unreachable_code, reason = "it says what the block gives")]
                Some(())
            });
        }
    });
    address
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    fn identity(&self, name: &str, by: &Authority) -> ClientIdentity {
        let (certificate, key) = signed(by, "client");
        ClientIdentity {
            certificate: self.write(&format!("{name}.crt"), &certificate.pem()),
            private_key: self.write(&format!("{name}.key"), &key.serialize_pem()),
        }
    }
}

fn group(address: std::net::SocketAddr, tls: Tls) -> Arc<Group> {
    Group::new(GroupSettings {
        tls: Some(tls),
        fail_fast: true,
        ..usual(vec![endpoint("ONE", Role::Primary, address)])
    })
}

/// The reason in the view.
fn reason(group: &Group) -> String {
    group.view().endpoints[0].reason.clone().unwrap_or_default()
}

#[tokio::test]
async fn both_sides_know_each_other() {
    let (ours, others, files) = (authority(), authority(), Files::new());
    let address = server(&ours).await;
    let ca = files.write("ca.crt", &ours.pem());
    let identity = files.identity("ours", &ours);
    let name = Some("server.example");
    let good = group(address, Tls::new(Some(&ca), Some(&identity), name).expect("TLS"));
    // Also a large request, whose bytes come in many records.
    for bytes in [1, 1_000, 400_000, 2_000] {
        let request = vec![b'x'; bytes];
        assert_eq!(good.send(request.clone(), within(LONG)).await.expect("a reply"), request);
    }
    let view = good.view();
    assert_eq!((view.endpoints[0].sessions, view.endpoints[0].replies), (1, 4));

    let stranger = files.write("others.crt", &others.pem());
    let distrustful = group(address, Tls::new(Some(&stranger), Some(&identity), name).expect("TLS"));
    let trouble = distrustful.send(vec![1], within(2_000)).await.expect_err("a stranger");
    assert_eq!(trouble.kind, TroubleKind::NobodyWell, "{trouble}");
    assert_eq!(distrustful.view().endpoints[0].state, State::Down);
    assert!(reason(&distrustful).contains("certificate"), "{}", reason(&distrustful));

    let other_name = group(address, Tls::new(Some(&ca), Some(&identity), None).expect("TLS"));
    other_name.send(vec![1], within(2_000)).await.expect_err("the address is not in the certificate");
    assert!(reason(&other_name).contains("certificate"), "{}", reason(&other_name));

    for identity in [None, Some(files.identity("others", &others))] {
        let refused = group(address, Tls::new(Some(&ca), identity.as_ref(), name).expect("TLS"));
        refused.send(vec![1], within(2_000)).await.expect_err("the server knows nobody of them");
        assert!(reason(&refused).contains("alert"), "{}", reason(&refused));
    }
}

#[tokio::test]
async fn equal_files_make_equal_tls() {
    let (ours, files) = (authority(), Files::new());
    let ca = files.write("ca.crt", &ours.pem());
    let tls = || Tls::new(Some(&ca), None, None).expect("TLS");
    let before = tls();
    assert_eq!(before, tls());
    files.write("ca.crt", &authority().pem());
    assert_ne!(before, tls());
    assert!(Tls::new(None, None, Some("no name")).is_err());
}

/// The faults of a group that has these lines.
fn faults(lines: &str) -> String {
    let folder = TempDir::new().expect("a folder");
    std::fs::create_dir(folder.path().join("endpoints")).expect("a folder");
    let text = format!("{lines}\n[[endpoint]]\nname = \"ONE\"\ndestination = \"a.example:1\"\n");
    std::fs::write(folder.path().join("endpoints/GROUP.toml"), text).expect("written");
    let files = settings::Files::at(folder.path().to_owned());
    let mut loader = settings::Loader::new(&files, settings::Problems::default(), |_| Vec::new());
    connector::config::GroupFiles::read(&mut loader);
    loader.problems.render(false)
}

#[test]
fn faults_of_the_files_are_told() {
    assert_eq!(faults("rate = { requests = 5 }"), "");
    for (lines, expected) in [
        ("tls = true\nca = \"none.crt\"", "none.crt"),
        ("ca = \"none.crt\"", "goes with tls = true"),
        ("server_name = \"a.example\"", "goes with tls = true"),
        ("tls = true\nclient_certificate = \"a.crt\"", "go together"),
        ("rate = { requests = 0 }", "above 0"),
    ] {
        let told = faults(lines);
        assert!(told.contains(expected) && told.contains("GROUP.toml:1"), "{lines}: {told}");
    }
}
