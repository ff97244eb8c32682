//! Tests client certificates and certificates by name over real TLS, and their change while the
//! gateway runs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::folder::{ECHO_API, Folder};
use crate::process::{Gantry, request, run, text};
use crate::reload::wait;
use crate::security::{KEYS, looked_at};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

/// A certificate for a DNS name and a person: chain and key in PEM, and in DER.
struct Made {
    pem: (String, String),
    der: (CertificateDer<'static>, Vec<u8>),
}

fn make(authority: &Authority, dns: &str, person: &str) -> Made {
    let mut params = CertificateParams::new(vec![dns.to_owned()]).expect("a name");
    params.distinguished_name.push(DnType::CommonName, person);
    signed(authority, params)
}

/// A certificate for this machine that ends this number of seconds from now.
fn ending(authority: &Authority, seconds: i64) -> Made {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let ends = now.checked_add_signed(seconds).expect("a time");
    params.not_after = rcgen::date_time_ymd(1970, 1, 1) + Duration::from_secs(ends);
    signed(authority, params)
}

fn signed(authority: &Authority, params: CertificateParams) -> Made {
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    Made {
        pem: (certificate.pem(), key.serialize_pem()),
        der: (certificate.der().clone(), key.serialize_der()),
    }
}

/// Asks for the echo; gives the answer's first line and the server's certificate.
fn ask(
    gantry: &Gantry,
    trusted: &Authority,
    name: &str,
    client: Option<&Made>,
) -> std::io::Result<(String, CertificateDer<'static>)> {
    ask_with(gantry, trusted, (name, ""), client)
}

/// Does the same as `ask`, with more header lines beside the name.
fn ask_with(
    gantry: &Gantry,
    trusted: &Authority,
    (name, headers): (&str, &str),
    client: Option<&Made>,
) -> std::io::Result<(String, CertificateDer<'static>)> {
    let request = request("PUT", "/echo/7", &format!("connection: close\r\n{headers}"), "{\"words\":\"hi\"}");
    let mut stream = shake_hands(gantry.address(), trusted, name, client)?;
    stream.write_all(request.as_bytes())?;
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer)?;
    let certificate = stream.conn.peer_certificates().expect("a certificate")[0].clone().into_owned();
    Ok((String::from_utf8_lossy(&answer).into_owned(), certificate))
}

/// Connects over TLS. The first byte that the client sends starts the handshake.
fn shake_hands(
    address: SocketAddr,
    trusted: &Authority,
    name: &str,
    client: Option<&Made>,
) -> std::io::Result<StreamOwned<ClientConnection, TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der().clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots);
    let config = match client {
        None => builder.with_no_client_auth(),
        Some(Made { der: (chain, key), .. }) => {
            let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.clone()));
            builder.with_client_auth_cert(vec![chain.clone()], key).expect("a key")
        }
    };
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).map_err(std::io::Error::other)?;
    let socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_secs(120)))?;
    Ok(StreamOwned::new(connection, socket))
}

fn folder(tls: &str, gantry: &str, server: &Made, clients: &Authority) -> Folder {
    let tls = format!("certificate = \"cert.pem\", private_key = \"key.pem\"{tls}");
    Folder::echo(&format!("{gantry}[[listener]]\naddress = \"127.0.0.1:0\"\ntls = {{ {tls} }}\n"))
        .with("cert.pem", &server.pem.0)
        .with("key.pem", &server.pem.1)
        .with("clients.pem", &clients.pem())
        .with(
            "apis/echo/api.toml",
            &ECHO_API.replacen("\n\n", "\n[security]\nroles.invoke = [\"partners\"]\n\n", 1),
        )
}

const RULE: &str = "[[security.authenticator]]\nkind = \"certificate\"\nuser = \"common_name\"\n
[security.authenticator.users]\n\"Mary\" = { user = \"mary\", groups = [\"partners\"] }\n\"John\" = { user = \"john\" }\n\n";

#[test]
fn a_client_certificate_is_a_user() {
    let (servers, clients, strangers) = (authority(), authority(), authority());
    let server = make(&servers, "localhost", "server");
    let optional = ", client_certificates = \"optional\", client_ca = \"clients.pem\"";
    let gantry = Gantry::configured(folder(optional, RULE, &server, &clients).path());
    let status = |client: Option<&Made>| ask(&gantry, &servers, "localhost", client).map(|(line, _)| line);
    let mary = make(&clients, "mary.example", "Mary");
    assert_eq!(status(Some(&mary)).expect("an answer"), "HTTP/1.1 200");
    assert_eq!(status(Some(&make(&clients, "john.example", "John"))).expect("an answer"), "HTTP/1.1 403");
    assert_eq!(status(Some(&make(&clients, "ann.example", "Ann"))).expect("an answer"), "HTTP/1.1 401");
    assert_eq!(status(None).expect("an answer"), "HTTP/1.1 401");
    status(Some(&make(&strangers, "mary.example", "Mary"))).expect_err("signed by a stranger");
}

/// The certificate is that of a machine, and the message names its user.
#[test]
fn the_password_of_a_message_is_judged_whatever_the_certificate() {
    use crate::soap::{NOTES, SOAP_11, TAKES_TOKENS, TYPE_11, envelope, note, notes, presented};

    let (servers, clients) = (authority(), authority());
    let server = make(&servers, "localhost", "server");
    let tls = "certificate = \"cert.pem\", private_key = \"key.pem\", client_certificates = \"optional\", client_ca = \"clients.pem\"";
    let listener = format!("[[listener]]\naddress = \"127.0.0.1:0\"\ntls = {{ {tls} }}\n");
    let basic = crate::security::BASIC;
    let folder = notes(&format!("{RULE}{basic}{listener}"), TAKES_TOKENS)
        .with("cert.pem", &server.pem.0)
        .with("key.pem", &server.pem.1)
        .with("clients.pem", &clients.pem())
        .with("users.txt", &crate::security::user("ann", "staff", "secret"));
    let gantry = Gantry::configured(folder.path());
    let mary = make(&clients, "mary.example", "Mary");
    let send = |client: Option<&Made>, header: &str| {
        let message = envelope(SOAP_11, header, &note("add"));
        let request = request("POST", NOTES, &format!("{TYPE_11}connection: close\r\n"), &message);
        let mut stream = shake_hands(gantry.address(), &servers, "localhost", client).expect("a handshake");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut line = vec![0; 12];
        stream.read_exact(&mut line).expect("an answer");
        String::from_utf8_lossy(&line).into_owned()
    };
    for (client, header, line) in [
        (Some(&mary), String::new(), "HTTP/1.1 200"),
        (None, String::new(), "HTTP/1.1 401"),
        (Some(&mary), presented("ann", "secret"), "HTTP/1.1 200"),
        (Some(&mary), presented("ann", "wrong"), "HTTP/1.1 401"),
        (None, presented("ann", "wrong"), "HTTP/1.1 401"),
    ] {
        assert_eq!(send(client, &header), line, "{header}");
    }
}

#[test]
fn without_a_required_certificate_there_is_no_handshake() {
    let (servers, clients) = (authority(), authority());
    let server = make(&servers, "localhost", "server");
    let required = ", client_certificates = \"required\", client_ca = \"clients.pem\"";
    let gantry = Gantry::configured(folder(required, RULE, &server, &clients).path());
    ask(&gantry, &servers, "localhost", None).expect_err("no certificate");
    let mary = make(&clients, "mary.example", "Mary");
    assert_eq!(ask(&gantry, &servers, "localhost", Some(&mary)).expect("an answer").0, "HTTP/1.1 200");
    let log = gantry.stop();
    assert!(log.contains("TLS handshake with 127.0.0.1 failed: "), "{log}");
}

#[test]
fn each_name_has_its_certificate() {
    let (servers, clients) = (authority(), authority());
    let server = make(&servers, "localhost", "server");
    let (shop, star) = (make(&servers, "shop.example", "shop"), make(&servers, "*.test.example", "star"));
    let sni = ", sni = [{ certificate = \"shop.pem\", private_key = \"shop.key\" }, { certificate = \"star.pem\", private_key = \"star.key\" }]";
    let folder = folder(sni, RULE, &server, &clients)
        .with("shop.pem", &shop.pem.0)
        .with("shop.key", &shop.pem.1)
        .with("star.pem", &star.pem.0)
        .with("star.key", &star.pem.1);
    let gantry = Gantry::configured(folder.path());
    for (name, made) in [
        ("localhost", &server),
        ("shop.example", &shop),
        ("any.test.example", &star),
        ("SHOP.example", &shop),
    ] {
        assert_eq!(ask(&gantry, &servers, name, None).expect("an answer").1, made.der.0, "{name}");
    }
    ask(&gantry, &servers, "a.b.test.example", None).expect_err("the first certificate, which is not for it");
}

#[test]
fn certificates_are_changed_while_it_runs() {
    let (servers, clients) = (authority(), authority());
    let (old, new) = (make(&servers, "localhost", "old"), make(&servers, "localhost", "new"));
    let keys = format!("[security]\nreload_check_s = 1\nrequire_auth = false\n{KEYS}");
    let folder = folder("", &keys, &old, &clients).with("apis/echo/api.toml", ECHO_API).with("keys.txt", "");
    let gantry = Gantry::configured(folder.path());
    let shown = || ask(&gantry, &servers, "localhost", None).expect("an answer").1;
    assert_eq!(shown(), old.der.0);
    let folder = folder.with("cert.pem", "nonsense");
    looked_at(&folder, &|headers| {
        let answer = ask_with(&gantry, &servers, ("localhost", headers), None).expect("an answer");
        answer.0[9..].parse().expect("a status")
    });
    assert_eq!(shown(), old.der.0, "a faulty file leaves the old one");
    let _folder = folder.with("cert.pem", &new.pem.0).with("key.pem", &new.pem.1);
    wait(|| shown() == new.der.0);
    let log = gantry.stop();
    assert!(log.contains("the version before stays in use") && log.contains("read again"), "{log}");
    assert!(!log.contains("PRIVATE KEY"));
}

const DAY: i64 = 24 * 60 * 60;

#[test]
fn certificates_that_end_are_told_at_the_start_and_when_they_change() {
    let (servers, clients) = (authority(), authority());
    let soon = ending(&servers, 10 * DAY + 3_600);
    let keys = "[security]\nreload_check_s = 1\n";
    let tls = ", client_certificates = \"optional\", client_ca = \"clients.pem\"";
    let folder = folder(tls, keys, &soon, &clients).with("apis/echo/api.toml", ECHO_API);
    let checked = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "a warning is no fault: {told}");
    let place = format!("{}:", text(&folder.path().join("gantry.toml")));
    assert!(
        told.contains(&place) && told.contains("cert.pem: the certificate ends in 10 days, on "),
        "{told}"
    );
    assert!(!told.contains("clients.pem"), "{told}");

    let gantry = Gantry::configured(folder.path());
    let metric = |file: &str| {
        let file = text(&folder.path().join(file)).to_owned();
        gantry.metric(&format!("gantry_certificate_remaining_seconds{{file=\"{file}\"}}"))
    };
    assert!((9.0..=10.1).contains(&(metric("cert.pem") / DAY as f64)), "{}", metric("cert.pem"));
    assert!(metric("clients.pem") > 1_000.0 * DAY as f64, "{}", metric("clients.pem"));
    let ended = ending(&servers, -DAY);
    std::fs::write(folder.path().join("key.pem"), &ended.pem.1).expect("written");
    std::fs::write(folder.path().join("cert.pem"), &ended.pem.0).expect("written");
    // A client refuses a certificate that has ended.
    wait(|| ask(&gantry, &servers, "localhost", None).is_err());
    // The figures follow at the end of the same look at the files.
    wait(|| metric("cert.pem") < 0.0);
    let later = make(&servers, "localhost", "later");
    std::fs::write(folder.path().join("key.pem"), &later.pem.1).expect("written");
    std::fs::write(folder.path().join("cert.pem"), &later.pem.0).expect("written");
    wait(|| ask(&gantry, &servers, "localhost", None).is_ok());
    let log = gantry.stop();
    assert!(log.contains("cert.pem: the certificate ends in 10 days"), "{log}");
    assert!(log.contains("cert.pem: the certificate ended on "), "{log}");
}

/// Asks the admin address; gives the whole answer and the server's certificate.
fn ask_admin(
    gantry: &Gantry,
    trusted: &Authority,
    path: &str,
    client: Option<&Made>,
) -> std::io::Result<(String, CertificateDer<'static>)> {
    let mut stream = shake_hands(gantry.admin, trusted, "localhost", client)?;
    stream.write_all(
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes(),
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let certificate = stream.conn.peer_certificates().expect("a certificate")[0].clone().into_owned();
    Ok((String::from_utf8_lossy(&answer).into_owned(), certificate))
}

#[test]
fn administration_over_tls_with_certificates() {
    let (servers, clients) = (authority(), authority());
    let (old, new) = (make(&servers, "localhost", "old"), make(&servers, "localhost", "new"));
    let tls = "tls = { certificate = \"cert.pem\", private_key = \"key.pem\", client_certificates = \"optional\", client_ca = \"clients.pem\" }";
    let roles = "[security]\nreload_check_s = 1\nroles.reader = [\"partners\"]\n";
    let doors =
        format!("[admin]\naddress = \"0.0.0.0:0\"\n{tls}\n[[listener]]\naddress = \"127.0.0.1:0\"\n{tls}\n");
    let folder = Folder::echo(&format!("{roles}{RULE}{doors}"))
        .with("cert.pem", &old.pem.0)
        .with("key.pem", &old.pem.1)
        .with("clients.pem", &clients.pem());
    let mut gantry = Gantry::as_written(folder.path());
    gantry.admin.set_ip([127, 0, 0, 1].into());
    let (mary, john) = (make(&clients, "mary.example", "Mary"), make(&clients, "john.example", "John"));
    let status = |path: &str, client| {
        let (answer, _) = ask_admin(&gantry, &servers, path, client).expect("an answer");
        answer[9..12].parse::<u16>().expect("a status")
    };
    let apis = "/zosConnect/apis";
    assert_eq!([status(apis, None), status(apis, Some(&john)), status(apis, Some(&mary))], [401, 403, 200]);
    assert_eq!(status("/health/ready", None), 200, "probes have no certificate");
    let (answer, shown) = ask_admin(&gantry, &servers, apis, Some(&mary)).expect("an answer");
    assert!(answer.contains("https://localhost/zosConnect/apis/echo"), "{answer}");
    assert_eq!(shown, old.der.0);
    let stranger = make(&servers, "mary.example", "Mary");
    ask_admin(&gantry, &servers, apis, Some(&stranger)).expect_err("signed by somebody else");
    let mut plain = crate::client::Client::connect(gantry.admin);
    plain.send(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(!plain.rest().contains("HTTP/1.1 200"), "without TLS");
    let _folder = folder.with("cert.pem", &new.pem.0).with("key.pem", &new.pem.1);
    wait(|| ask_admin(&gantry, &servers, "/health", None).expect("an answer").1 == new.der.0);
}
