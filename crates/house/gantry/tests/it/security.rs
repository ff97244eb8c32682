//! Tests security from outside: who gets in, which answer others get, and what the log says.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use crate::client::Response;
use crate::folder::{ECHO_ANSWER, ECHO_API, Folder, service};
use crate::process::{Gantry, request, run, text};

/// Makes a line for a user. Its hash, Argon2id, takes little memory, so tests are fast.
pub(crate) fn user(name: &str, groups: &str, password: &str) -> String {
    use argon2::password_hash::PasswordHasher;
    let params = argon2::Params::new(8, 1, 1, None).expect("parameters");
    let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    format!("{name}:{groups}:{}\n", argon2.hash_password(password.as_bytes()).expect("a hash"))
}

pub(crate) const BASIC: &str = "[[security.authenticator]]\nkind = \"basic\"\nusers = \"users.txt\"\n";

/// The users are mary:secret, in the group staff, and john:word.
pub(crate) const MARY: &str = "authorization: Basic bWFyeTpzZWNyZXQ=\r\n";
pub(crate) const JOHN: &str = "authorization: Basic am9objp3b3Jk\r\n";
pub(crate) const WRONG: &str = "authorization: Basic bWFyeTp3cm9uZw==\r\n";

/// Makes the echo folder with users. `tail` follows the echo API's operation; `head` precedes it.
fn folder(gantry: &str, head: &str, tail: &str) -> Folder {
    let (base, operation) = ECHO_API.split_once("\n\n").expect("a base path");
    Folder::echo(gantry)
        .with("users.txt", &format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word")))
        .with("apis/echo/api.toml", &format!("{base}\n{head}\n{operation}\n{tail}\n"))
}

fn echo(gantry: &Gantry, headers: &str) -> Response {
    gantry.send("PUT", "/echo/7", headers, "{\"words\":\"hi\"}")
}

fn get(gantry: &Gantry, path: &str, headers: &str) -> Response {
    gantry.request(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").as_bytes())
}

#[test]
fn with_users_nobody_is_let_in_unknown() {
    let folder = folder(BASIC, "", "");
    let gantry = Gantry::folder(folder.path());
    for headers in
        ["", WRONG, "authorization: Basic ???\r\n", "authorization: Basic bm9ib2R5OnNlY3JldA==\r\n"]
    {
        let answer = echo(&gantry, headers);
        assert_eq!(answer.fails(401, "GTY0432W"), "", "no hint what was wrong");
        assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"gantry\", charset=\"UTF-8\""));
    }
    for _ in 0..3 {
        echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    }
    for path in ["/echo/openapi.json", "/echo/api-docs"] {
        assert_eq!(get(&gantry, path, "").status, 401);
        assert_eq!(get(&gantry, path, JOHN).status, 200);
    }
    let bad = gantry.send("PUT", "/echo/x", MARY, "{}");
    assert_eq!(bad.status, 400);
    let log = gantry.stop();
    let line = log.lines().find(|line| line.contains("/echo/x")).expect("the failure is in the log");
    assert!(line.contains("\"mary\""), "{line}");
    assert!(log.lines().any(|line| line.contains("request answered") && line.contains("\"mary\"")), "{log}");
    assert!(log.contains("wrong password") && log.contains("no such user"), "{log}");
    for secret in ["secret", "bWFyeTpzZWNyZXQ", "argon2id$"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[test]
fn roles_of_an_api_and_of_a_service() {
    let gantry = format!("{BASIC}\n[security.roles]\ninvoke = [\"everybody\"]\n");
    let open = folder(&gantry, "[security]\nroles.invoke = [\"staff\"]\n", "");
    let gantry = Gantry::folder(open.path());
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    let details = echo(&gantry, JOHN).fails(403, "BAQR0406W");
    assert!(details.starts_with("BAQR0409W: ") && details.ends_with("(Invoke)"), "{details}");
    gantry.stop();
    // The service's rules also hold behind an API, even behind one without rules.
    let service =
        format!("{}\n[security]\nrequire_auth = true\nroles.invoke = [\"staff\"]\n", service("echo", ""));
    let folder = folder(BASIC, "[security]\nrequire_auth = false\n", "").with("services/echo.toml", &service);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(echo(&gantry, "").status, 401);
    assert_eq!(echo(&gantry, JOHN).status, 403);
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
}

#[test]
fn groups_that_may_call_mean_known_callers() {
    let open = format!("[security]\nrequire_auth = false\n{BASIC}");
    let groups = "[security]\nroles.invoke = [\"staff\"]\n";
    let of_api = folder(&open, groups, "");
    let of_service =
        folder(&open, "", "").with("services/echo.toml", &format!("{}\n{groups}", service("echo", "")));
    for folder in [of_api, of_service] {
        let gantry = Gantry::folder(folder.path());
        assert_eq!(echo(&gantry, "").status, 401);
        assert_eq!(echo(&gantry, JOHN).status, 403);
        echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    }
}

#[test]
fn what_needs_no_authentication_refuses_wrong_credentials() {
    let folder = folder(BASIC, "[security]\nrequire_auth = false\n", "");
    let gantry = Gantry::folder(folder.path());
    echo(&gantry, "").is_json(200, ECHO_ANSWER);
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    echo(&gantry, "authorization: Bearer x\r\n").is_json(200, ECHO_ANSWER);
    assert_eq!(echo(&gantry, WRONG).status, 401);
}

#[test]
fn metrics_are_for_readers_and_health_is_for_all() {
    let gantry = format!("{BASIC}\n[security.roles]\nreader = [\"staff\"]\n");
    let folder = folder(&gantry, "", "");
    let gantry = Gantry::folder(folder.path());
    let admin = |path: &str, headers: &str| {
        let mut client = crate::client::Client::connect(gantry.admin);
        client.ask(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").as_bytes())
    };
    assert_eq!(admin("/health", "").status, 200);
    assert_eq!(admin("/metrics", "").status, 401);
    assert!(admin("/metrics", JOHN).fails(403, "BAQR0406W").contains("Reader"));
    assert!(admin("/metrics", MARY).text().contains("gantry_connections"));
    gantry.stop();
    let open = folder_with_open_metrics();
    let gantry = Gantry::folder(open.path());
    assert!(gantry.metric("gantry_connections") >= 0.0);
    let mut client = crate::client::Client::connect(gantry.admin);
    assert_eq!(client.ask(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n").status, 200);
}

fn folder_with_open_metrics() -> Folder {
    folder(&format!("[security]\nopen_metrics = true\n{BASIC}"), "", "")
}

#[test]
fn administration_is_by_roles() {
    let roles = "[security.roles]\nreader = [\"staff\"]\noperations = [\"ops\"]\n";
    let ann = "authorization: Basic YW5uOnRlc3Q=\r\n";
    let folder = folder(&format!("{BASIC}\n{roles}"), "", "").with(
        "users.txt",
        &[user("mary", "staff", "secret"), user("john", "", "word"), user("ann", "ops", "test")].concat(),
    );
    let gantry = Gantry::folder(folder.path());
    let ask = |method: &str, path: &str, headers: &str| {
        let body = if path.ends_with("invoke") { "{\"number_of\":7,\"words\":\"hi\"}" } else { "" };
        let mut client = crate::client::Client::connect(gantry.admin);
        client.ask(crate::process::request(method, path, headers, body).as_bytes()).status
    };
    // The columns are: nobody, mary who reads, john who may only call, ann who operates.
    let cases = [
        ("GET", "/health", [200, 200, 200, 200]),
        ("GET", "/zosConnect/apis", [401, 200, 403, 200]),
        ("GET", "/zosConnect/services/echo/schema/request", [401, 200, 403, 200]),
        ("GET", "/configuration", [401, 200, 403, 200]),
        ("POST", "/configuration/reload", [401, 403, 403, 200]),
        ("GET", "/zosConnect/operations/getStatistics", [401, 403, 403, 200]),
        ("GET", "/zosConnect/services/echo?action=getStatistics", [401, 403, 403, 200]),
        ("PUT", "/zosConnect/apis/echo?status=started", [401, 403, 403, 200]),
        ("PUT", "/zosConnect/services/echo?action=start", [401, 403, 403, 200]),
        ("PUT", "/zosConnect/services/echo?action=invoke", [401, 200, 200, 200]),
        ("POST", "/zosConnect/apis", [401, 403, 403, 415]),
    ];
    for (method, path, expected) in cases {
        assert_eq!(
            ["", MARY, JOHN, ann].map(|headers| ask(method, path, headers)),
            expected,
            "{method} {path}"
        );
    }
}

#[test]
fn fetched_keys_outlive_a_change_of_the_configuration() {
    let (key, jwk) = signer("1");
    let server = KeyServer::start(json!({ "keys": [jwk] }).to_string());
    let url = format!("algorithms = [\"ES256\"]\njwks_url = \"http://127.0.0.1:{}/keys\"\n", server.port);
    let folder = folder(&format!("{JWT}{url}"), "", "");
    let gantry = Gantry::folder(folder.path());
    let header = Header { kid: Some("1".to_owned()), ..Header::new(Algorithm::ES256) };
    let token = jsonwebtoken::encode(&header, &claims(json!({})), &key).expect("a token");
    let bearer = format!("authorization: Bearer {token}\r\n");
    while echo(&gantry, &bearer).status == 503 {}
    *server.body.lock().expect("no panic") = "gone".to_owned();
    let mut client = crate::client::Client::connect(gantry.admin);
    let reload = format!(
        "POST /configuration/reload HTTP/1.1\r\nhost: localhost\r\n{bearer}content-length: 0\r\n\r\n"
    );
    assert_eq!(client.ask(reload.as_bytes()).status, 403, "nobody has the role");
    let file = folder.path().join("gantry.toml");
    let roles = "[security.roles]\nreader = [\"x\"]\n";
    std::fs::write(&file, format!("{JWT}{url}{roles}")).expect("written");
    // The new configuration tries to fetch the keys, and fails.
    while *server.asked.lock().expect("no panic") < 2 {
        std::thread::sleep(Duration::from_millis(20));
    }
    echo(&gantry, &bearer).is_json(200, ECHO_ANSWER);
}

#[test]
fn api_keys_are_made_and_taken() {
    let folder = folder(
        "[[security.authenticator]]\nkind = \"api_key\"\nkeys = \"keys.txt\"\nheader = \"X-Key\"\n",
        "",
        "",
    );
    let file = folder.path().join("keys.txt");
    let made = run(&["key", "add", text(&file), "shop", "--groups", "a,b"]);
    let key = String::from_utf8(made.stdout).expect("a key").trim().to_owned();
    assert!(!std::fs::read_to_string(&file).expect("the file").contains(&key));
    assert!(!run(&["key", "add", text(&file), "shop"]).status.success(), "the id is there already");
    let gantry = Gantry::folder(folder.path());
    echo(&gantry, &format!("x-key: {key}\r\n")).is_json(200, ECHO_ANSWER);
    assert_eq!(echo(&gantry, "x-key: other\r\n").status, 401);
    assert_eq!(echo(&gantry, "").header("www-authenticate"), Some("ApiKey realm=\"gantry\""));
    assert!(!gantry.stop().contains(&key), "the key is in the log");
}

/// One address may serve APIs and administration, for clients that know one address. It needs
/// authentication.
#[test]
fn administration_may_be_at_the_address_of_apis() {
    let shared = "[[listener]]\naddress = \"127.0.0.1:0\"\nadministration = true\n";
    let roles = "[security.roles]\nadmin = [\"staff\"]\n";
    let alone = Folder::echo(shared);
    let output = run(&["check", alone.path().to_str().expect("UTF-8")]);
    assert!(
        String::from_utf8_lossy(&output.stderr)
            .contains("administration on the address of APIs needs authentication")
    );

    let folder = folder(&format!("{shared}{BASIC}{roles}"), "", "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(get(&gantry, "/zosConnect/apis", "").status, 401);
    assert_eq!(get(&gantry, "/zosConnect/apis", JOHN).status, 403);
    let host = format!("host: 127.0.0.1:{}\r\n", gantry.address().port());
    let asked = format!("GET /zosConnect/apis/echo HTTP/1.1\r\n{host}{MARY}\r\n");
    let api = gantry.request(asked.as_bytes());
    assert_eq!(api.status, 200, "{}", api.text());
    let expected = format!("\"apiUrl\":\"http://127.0.0.1:{}/echo\"", gantry.address().port());
    assert!(api.text().contains(&expected), "{}", api.text());
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    // The rest of the admin address is not on this listener.
    assert_eq!(get(&gantry, "/metrics", MARY).status, 404);
    gantry.stop();

    let taken = folder.with("apis/echo/api.toml", &ECHO_API.replace("\"/echo\"", "\"/zosConnect/echo\""));
    let output = run(&["check", taken.path().to_str().expect("UTF-8")]);
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("is that of administration"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn users_are_kept_by_commands() {
    let folder = Folder::empty();
    let file = folder.path().join("users.txt");
    let user = |arguments: &[&str], password: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        // If the command fails early, it never reads the password.
        let _ = child.stdin.take().expect("stdin is piped").write_all(password.as_bytes());
        let output = child.wait_with_output().expect("the process ends");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let file = text(&file);
    assert!(user(&["user", "add", file, "mary", "--groups", "staff,ops"], "one\n").0);
    assert!(!user(&["user", "add", file, "mary"], "two\n").0, "she is there already");
    assert!(!user(&["user", "add", file, "a:b"], "two\n").0);
    assert_eq!(
        user(&["user", "check", file, "mary"], "one\n"),
        (true, "right; groups: staff, ops\n".to_owned())
    );
    assert!(!user(&["user", "check", file, "mary"], "two\n").0);
    assert!(user(&["user", "password", file, "mary"], "two").0);
    assert!(!user(&["user", "password", file, "john"], "two").0);
    assert_eq!(user(&["user", "check", file, "mary"], "two\n").1, "right; groups: staff, ops\n");
    assert!(user(&["user", "groups", file, "mary", "--groups", "clerks"], "").0);
    assert!(!user(&["user", "groups", file, "mary", "--groups", "a:b"], "").0, "no group has a colon");
    assert!(!user(&["user", "groups", file, "john"], "").0);
    assert_eq!(user(&["user", "check", file, "mary"], "two\n").1, "right; groups: clerks\n");
    assert!(user(&["user", "add", file, "john"], "three\n").0);
    assert_eq!(user(&["user", "list", file], ""), (true, "mary  clerks\njohn\n".to_owned()));
    assert_eq!(user(&["user", "remove", file, "mary"], ""), (true, "removed user mary\n".to_owned()));
    assert!(!user(&["user", "remove", file, "mary"], "").0);
    assert!(!user(&["user", "check", file, "mary"], "two\n").0);
    assert_eq!(user(&["user", "list", file], "").1, "john\n");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file).expect("the file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn keys_are_listed_and_removed() {
    let folder = Folder::empty();
    let file = folder.path().join("keys.txt");
    let file = text(&file);
    let done = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_gantry")).args(arguments).output().expect("it runs");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert!(!done(&["key", "list", file]).0, "there is no file");
    assert!(done(&["key", "add", file, "shop", "--groups", "partners"]).0);
    assert!(done(&["key", "add", file, "depot"]).0);
    assert_eq!(done(&["key", "list", file]), (true, "shop  partners\ndepot\n".to_owned()));
    assert!(done(&["key", "remove", file, "shop"]).0);
    assert!(!done(&["key", "remove", file, "shop"]).0);
    assert_eq!(done(&["key", "list", file]).1, "depot\n");
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_secs()
}

fn claims(changes: Value) -> Value {
    let mut claims =
        json!({"iss": "https://issuer.example", "aud": "gantry", "sub": "mary", "exp": now_s() + 600});
    for (name, value) in changes.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    claims
}

pub(crate) const JWT: &str = "[[security.authenticator]]\nkind = \"jwt\"\nissuer = \"https://issuer.example\"\naudiences = [\"gantry\"]\n";

/// The shared secret of tokens.
pub(crate) const SECRET: &str = "0123456789abcdef0123456789abcdef";

/// Makes the header with a token of that secret.
pub(crate) fn token(changes: &Value) -> String {
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims(changes.clone()), &key);
    format!("authorization: Bearer {}\r\n", token.expect("a token"))
}

#[test]
fn tokens_with_scopes_and_a_secret_from_a_file() {
    let gantry = format!("{JWT}algorithms = [\"HS256\"]\nsecret = {{ file = \"jwt.secret\" }}\n");
    let folder = folder(&gantry, "", "scopes = [\"echo:write\"]").with("jwt.secret", &format!("{SECRET}\n"));
    let gantry = Gantry::folder(folder.path());
    let token = |changes: Value| token(&changes);
    let good = token(json!({"scope": "x echo:write"}));
    for _ in 0..2 {
        echo(&gantry, &good).is_json(200, ECHO_ANSWER);
    }
    let answer = echo(&gantry, &token(json!({"scope": "echo:read"})));
    answer.fails(403, "GTY0433W");
    let challenge = r#"Bearer realm="gantry", error="insufficient_scope", scope="echo:write""#;
    assert_eq!(answer.header("www-authenticate"), Some(challenge));
    let answer = echo(&gantry, &token(json!({"exp": now_s() - 3_600})));
    answer.fails(401, "GTY0432W");
    assert!(answer.header("www-authenticate").expect("a challenge").contains("The token has expired"));
    let answer = echo(&gantry, &token(json!({"aud": "other"})));
    assert_eq!(answer.header("www-authenticate"), Some(r#"Bearer realm="gantry", error="invalid_token""#));
    assert_eq!(echo(&gantry, "").header("www-authenticate"), Some(r#"Bearer realm="gantry""#));
    let huge = format!("authorization: Bearer {}\r\n", "a".repeat(20_000));
    assert_eq!(echo(&gantry, &huge).status, 401);
    let log = gantry.stop();
    assert!(!log.contains(SECRET) && !log.contains(good.split(' ').nth(2).expect("a token").trim()), "{log}");
}

/// A server that answers every request with one body, which tests can change.
struct KeyServer {
    port: u16,
    body: Arc<Mutex<String>>,
    asked: Arc<Mutex<usize>>,
}

impl KeyServer {
    fn start(body: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("an address").port();
        let (body, asked) = (Arc::new(Mutex::new(body)), Arc::new(Mutex::new(0)));
        let (answer, count) = (Arc::clone(&body), Arc::clone(&asked));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let _ = stream.read(&mut [0; 4_096]);
                *count.lock().expect("no panic") += 1;
                let body = answer.lock().expect("no panic").clone();
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = stream.write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { port, body, asked }
    }
}

fn signer(id: &str) -> (EncodingKey, Value) {
    let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
    let key = EncodingKey::from_ec_der(made.expect("a key").as_ref());
    let mut jwk =
        serde_json::to_value(Jwk::from_encoding_key(&key, Algorithm::ES256).expect("a key")).expect("JSON");
    jwk["kid"] = json!(id);
    (key, jwk)
}

#[test]
fn keys_are_fetched_and_rotate() {
    let ((old, old_jwk), (new, new_jwk)) = (signer("old"), signer("new"));
    let server = KeyServer::start(json!({ "keys": [old_jwk] }).to_string());
    let port = server.port;
    let jwks = format!(
        "algorithms = [\"ES256\"]\njwks_url = \"http://127.0.0.1:{port}/keys\"\njwks_pause_s = 3600\n"
    );
    let folder = folder(&format!("{JWT}{jwks}"), "", "");
    let gantry = Gantry::folder(folder.path());
    let bearer = |id: &str, key: &EncodingKey| {
        let header = Header { kid: Some(id.to_owned()), ..Header::new(Algorithm::ES256) };
        let token = jsonwebtoken::encode(&header, &claims(json!({})), key).expect("a token");
        format!("authorization: Bearer {token}\r\n")
    };
    // The first fetch of keys begins at the start of the gateway. Until it ends, the answer is 503.
    let good = bearer("old", &old);
    while echo(&gantry, &good).status == 503 {}
    echo(&gantry, &good).is_json(200, ECHO_ANSWER);
    *server.body.lock().expect("no panic") = json!({ "keys": [new_jwk] }).to_string();
    echo(&gantry, &bearer("new", &new)).is_json(200, ECHO_ANSWER);
    echo(&gantry, &good).is_json(200, ECHO_ANSWER);
    for number in 0..5 {
        assert_eq!(echo(&gantry, &bearer(&format!("unknown {number}"), &new)).status, 401);
    }
    assert_eq!(*server.asked.lock().expect("no panic"), 2, "once at the start, once for an unknown key");
}

#[test]
fn an_issuer_that_is_not_there_is_503() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let jwks = format!("algorithms = [\"ES256\"]\njwks_url = \"http://127.0.0.1:{port}/keys\"\n");
    let folder = folder(&format!("{JWT}{jwks}"), "", "");
    let gantry = Gantry::folder(folder.path());
    let token = jsonwebtoken::encode(&Header::new(Algorithm::ES256), &claims(json!({})), &signer("1").0);
    let answer = echo(&gantry, &format!("authorization: Bearer {}\r\n", token.expect("a token")));
    answer.fails(503, "GTY0505E");
    assert_eq!(answer.header("retry-after"), Some("1"));
}

const LDAP: &str = "[[security.authenticator]]\nkind = \"ldap\"\n";

#[test]
fn a_directory_that_is_not_there_is_503() {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let ldap = format!("{LDAP}servers = [\"ldap://127.0.0.1:{port}\"]\nuser_dn = \"uid={{user}},dc=test\"\n");
    let folder = folder(&format!("{BASIC}{ldap}"), "", "");
    let gantry = Gantry::folder(folder.path());
    // The file knows mary. Only the directory could know ann.
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    assert_eq!(echo(&gantry, WRONG).status, 401);
    let answer = echo(&gantry, "authorization: Basic YW5uOnRlc3Q=\r\n");
    assert_eq!(answer.fails(503, "GTY0505E"), "", "no hint where the directory is");
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(echo(&gantry, "authorization: Basic YW5uOg==\r\n").status, 401, "no password is no question");
}

#[test]
fn what_is_no_credential_is_refused_in_every_form() {
    let folder = folder(BASIC, "", "");
    let gantry = Gantry::folder(folder.path());
    let long = "QUFB".repeat(10_000);
    for value in [
        format!("Basic {long}"),
        "Basic bWFyeTpzZWNyZXQ=, Basic am9objp3b3Jk".to_owned(),
        "Basic bWFyeTpzZWNyZXQ=\r\nauthorization: Basic bWFyeTpzZWNyZXQ=".to_owned(),
        // These are mary with a line end, mary with a NUL, and a name that another encoding reads
        // as mary.
        "Basic bWFyeQo6c2VjcmV0".to_owned(),
        "Basic bWFyeQA6c2VjcmV0".to_owned(),
        "Basic wK1tYXJ5OnNlY3JldA==".to_owned(),
        "Basic".to_owned(),
    ] {
        let answer = echo(&gantry, &format!("authorization: {value}\r\n"));
        assert_eq!(answer.status, 401, "{value:.60}");
    }
    // A header name with an underscore is another name. Nothing may take it for the one with a
    // hyphen.
    assert_eq!(echo(&gantry, "authorization_: Basic bWFyeTpzZWNyZXQ=\r\nx-user: mary\r\n").status, 401);
    assert!(!gantry.stop().contains(&long[..100]), "what was sent is in the log");
}

#[test]
fn rates_and_concurrency_have_limits() {
    let limits = "[limits]\ncaller_rate = { requests = 1, per_ms = 3600000, burst = 2 }\n";
    let limited = folder(BASIC, limits, "");
    let gantry = Gantry::folder(limited.path());
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    let answer = echo(&gantry, MARY);
    assert_eq!(answer.fails(429, "GTY0436W"), "the caller's rate");
    let seconds: u64 = answer.header("retry-after").expect("a time").parse().expect("seconds");
    assert!((3_500..=3_600).contains(&seconds), "{seconds}");
    echo(&gantry, JOHN).is_json(200, ECHO_ANSWER);
    gantry.stop();

    let slow = folder(BASIC, "", "limits.concurrent_max = 1")
        .with("services/echo.toml", &service("echo", "delay_ms = 500"));
    let gantry = Gantry::folder(slow.path());
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    let mut first = gantry.connect();
    let request = crate::process::request("PUT", "/echo/7", MARY, "{\"words\":\"hi\"}");
    first.send(request.as_bytes());
    // The first request may not be there yet, or may be over. At some point the two meet.
    let refused = (0..100).any(|_| {
        let answer = echo(&gantry, JOHN);
        if answer.status == 503 {
            answer.fails(503, "GTY0504E");
            return true;
        }
        first.response();
        first.send(request.as_bytes());
        false
    });
    assert!(refused, "two at a time were let in, always");
}

#[test]
fn what_is_used_up_and_verified_outlives_a_change() {
    let quiet = "[server]\nreload_poll_ms = 0\n";
    let rate = "[security]\npassword_rate = { requests = 1, per_ms = 3600000, burst = 2 }\nroles.operations = [\"staff\"]\n";
    let limits = "[limits]\nrate = { requests = 1, per_ms = 3600000, burst = 1 }\n";
    let written = format!("{quiet}{rate}{BASIC}");
    let limited =
        folder(&written, limits, "limits.caller_rate = { requests = 1, per_ms = 3600000, burst = 2 }");
    let gantry = Gantry::folder(limited.path());
    let reload = || {
        let request = crate::process::request("POST", "/configuration/reload", MARY, "");
        assert_eq!(crate::client::Client::connect(gantry.admin).ask(request.as_bytes()).status, 200);
    };
    let details = |headers: &str| echo(&gantry, headers).fails(429, "GTY0436W");
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    let limited = limited.with("gantry.toml", &format!("{written}[[listener]]\naddress = \"127.0.0.1:0\"\n"));
    reload();
    assert_eq!(details(MARY), "the rate of all callers", "of the API; her own of the operation comes first");
    reload();
    assert_eq!(details(MARY), "the caller's rate");
    assert_eq!(echo(&gantry, WRONG).status, 401, "the second password of this address");
    reload();
    echo(&gantry, WRONG).fails(429, "GTY0436W");
    // The gateway remembers mary's password. Otherwise she would exceed the rate of passwords too.
    // A changed limit begins anew.
    let api = std::fs::read_to_string(limited.path().join("apis/echo/api.toml")).expect("the API");
    let _limited = limited.with("apis/echo/api.toml", &api.replace("burst = 2", "burst = 3"));
    reload();
    assert_eq!(details(MARY), "the rate of all callers", "her own has begun anew");
}

#[test]
fn passwords_are_verified_so_often_for_one_address() {
    let rate = "[security]\npassword_rate = { requests = 1, per_ms = 3600000, burst = 3 }\n";
    let folder = folder(&format!("{rate}{BASIC}"), "", "");
    let gantry = Gantry::folder(folder.path());
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    assert_eq!([echo(&gantry, WRONG).status, echo(&gantry, WRONG).status], [401, 401]);
    let details = echo(&gantry, WRONG).fails(429, "GTY0436W");
    assert_eq!(details, "too many passwords from this address, `security.password_rate`");
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
}

/// After a start, and each time when a remembered password ends, all requests of a busy caller come with a password that is not
/// remembered.
#[test]
fn one_password_at_one_time_is_verified_once() {
    let rate = "[security]\npassword_wait_ms = 60000\npassword_rate = { requests = 1, per_ms = 3600000, burst = 2 }\n";
    let folder = folder(&format!("{rate}{BASIC}"), "", "");
    let gantry = Gantry::folder(folder.path());
    let statuses = |headers: &str| -> Vec<u16> {
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..20).map(|_| scope.spawn(|| echo(&gantry, headers).status)).collect();
            asked.into_iter().map(|one| one.join().expect("a status")).collect()
        })
    };
    assert_eq!(statuses(MARY), [200; 20]);
    // Wrong ones are not remembered: each counts.
    let wrong = statuses(WRONG);
    let count = |status: u16| wrong.iter().filter(|one| **one == status).count();
    assert_eq!((count(401), count(429)), (1, 19), "{wrong:?}");
}

#[test]
fn pages_of_some_origins_are_let_in() {
    let cors = "[cors]\norigins = [\"https://shop.example\"]\nheaders = [\"content-type\", \"authorization\"]\ncredentials = true\n";
    let folder = folder(BASIC, cors, "");
    let gantry = Gantry::folder(folder.path());
    let preflight = |origin: &str| {
        let headers = format!(
            "origin: {origin}\r\naccess-control-request-method: PUT\r\naccess-control-request-headers: authorization\r\n"
        );
        gantry.request(format!("OPTIONS /echo/7 HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").as_bytes())
    };
    let answer = preflight("https://shop.example");
    assert_eq!((answer.status, answer.header("access-control-allow-methods")), (204, Some("PUT")));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://shop.example"));
    preflight("https://evil.example").fails(403, "GTY0435W");
    // Pages must be able to read failures too.
    for (headers, status) in [("", 401), (MARY, 200)] {
        let answer = echo(&gantry, &format!("origin: https://shop.example\r\n{headers}"));
        assert_eq!(
            (answer.status, answer.header("access-control-allow-credentials")),
            (status, Some("true"))
        );
    }
    let plain = gantry.request(b"OPTIONS /echo/7 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    plain.fails(405, "GTY0405W");
}

#[test]
fn an_api_for_tls_alone_is_refused_in_the_clear() {
    let folder = folder("[security]\nrequire_secure = true\n", "", "");
    let gantry = Gantry::folder(folder.path());
    echo(&gantry, "").fails(403, "GTY0434W");
    assert_eq!(get(&gantry, "/echo/openapi.json", "").status, 403);
}

pub(crate) const KEYS: &str = "[[security.authenticator]]\nkind = \"api_key\"\nkeys = \"keys.txt\"\n";

/// Waits until the gateway has checked all its files after this call. It waits for one new key and
/// then for another, so a whole check lies between them.
pub(crate) fn looked_at(folder: &Folder, status: &dyn Fn(&str) -> u16) {
    for id in ["first", "second"] {
        let made = run(&["key", "add", text(&folder.path().join("keys.txt")), id]);
        let header = format!("x-api-key: {}\r\n", String::from_utf8_lossy(&made.stdout).trim());
        while status(&header) != 200 {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_changed_file_of_users_is_read_and_a_faulty_one_is_not() {
    let folder =
        folder(&format!("[security]\nreload_check_s = 1\n{BASIC}{KEYS}"), "", "").with("keys.txt", "");
    let gantry = Gantry::folder(folder.path());
    echo(&gantry, MARY).is_json(200, ECHO_ANSWER);
    let users = folder.path().join("users.txt");
    std::fs::write(&users, user("john", "", "word")).expect("written");
    while echo(&gantry, MARY).status == 200 {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::write(&users, "nonsense\n").expect("written");
    looked_at(&folder, &|headers| echo(&gantry, headers).status);
    echo(&gantry, JOHN).is_json(200, ECHO_ANSWER);
    assert!(gantry.stop().contains("the version before stays in use"));
}

#[test]
fn what_would_not_protect_is_told_before_it_serves() {
    let cases = [
        ("[security]\nrequire_auth = true\n", "", "there is no [[security.authenticator]]"),
        ("[[security.authenticator]]\nkind = \"basic\"\nusers = \"none.txt\"\n", "", "none.txt"),
        (
            "[[security.authenticator]]\nkind = \"basic\"\nusers = \"bad.txt\"\n",
            "",
            "line 1: expected name:groups:hash",
        ),
        (BASIC, "[security]\nrequire_auth = false\nroles.invoke = [\"a\"]\n", "would guard nothing"),
        ("", "[security]\nrequire_auth = true\n", "no [[security.authenticator]] to authenticate callers"),
        ("", "[cors]\norigins = [\"*\"]\ncredentials = true\n", "'*' with credentials"),
        ("", "[cors]\norigins = [\"shop.example\"]\n", "is not an origin"),
        ("", "[cors]\norigins = []\nheaders = [\"a b\"]\n", "cannot be a header's name"),
        ("", "[limits]\nrate = { requests = 0 }\n", "above 0"),
        ("", "[limits]\nconcurrent_max = 0\n", "would refuse every caller"),
        ("[[listener]]\naddress = \"0.0.0.0:0\"\n", "", "without TLS and authentication"),
        (&format!("{BASIC}[[listener]]\naddress = \"0.0.0.0:0\"\n"), "", "without TLS"),
        (&format!("{JWT}algorithms = [\"none\"]\njwks_file = \"x\"\n"), "", "not a supported algorithm"),
        (&format!("{JWT}algorithms = [\"ES256\"]\n"), "", "one of jwks_file, jwks_url and secret"),
        (
            &format!("{JWT}algorithms = [\"ES256\"]\njwks_url = \"http://issuer.example/x\"\n"),
            "",
            "is not https",
        ),
        (
            &format!("{JWT}algorithms = [\"HS256\"]\nsecret = {{ env = \"GANTRY_TEST_NONE\" }}\n"),
            "",
            "no variable",
        ),
        (
            &format!("{LDAP}servers = [\"ldap://ldap.example\"]\nuser_dn = \"uid={{user}}\"\n"),
            "",
            "in the clear",
        ),
        (
            &format!("{LDAP}servers = [\"ldap://localhost\"]\nuser_dn = \"uid=x\"\n"),
            "",
            "does not have {user}",
        ),
        (&format!("{LDAP}servers = [\"ldap://localhost\"]\n"), "", "expected user_dn"),
        (
            &format!("{LDAP}servers = [\"ldap://localhost\"]\nuser_base = \"x\"\n"),
            "",
            "bind_dn and bind_password",
        ),
        (
            &format!("{LDAP}servers = [\"ldap://localhost\"]\nuser_dn = \"uid={{user}}\"\nbind_dn = \"x\"\n"),
            "",
            "go together",
        ),
        (
            &format!(
                "{LDAP}servers = [\"ldap://localhost\"]\nuser_dn = \"uid={{user}}\"\ngroup_filter = \"(a={{dn}})\"\n"
            ),
            "",
            "group_base with group_filter",
        ),
        (
            &format!("{JWT}algorithms = [\"RS256\"]\nsecret = {{ file = \"long.txt\" }}\n"),
            "",
            "does not go with these keys",
        ),
    ];
    for (gantry, head, expected) in cases {
        let folder = folder(gantry, head, "").with("bad.txt", "mary\n").with("long.txt", &"s".repeat(40));
        let checked = run(&["check", text(folder.path())]);
        let errors = String::from_utf8_lossy(&checked.stderr);
        assert!(!checked.status.success(), "{gantry}{head} is taken");
        assert!(errors.contains(expected), "expected '{expected}': {errors}");
        assert!(!errors.contains("ssssssss"), "a secret is shown: {errors}");
    }
}

#[test]
fn the_access_log_has_every_request_and_quotes_no_text_twice() {
    let settings = format!("{BASIC}[security.roles]\nadmin = [\"staff\"]\n[log]\nformat = \"json\"\n");
    let folder = folder(&settings, "[security]\nroles.invoke = [\"staff\"]\n", "");
    let gantry = Gantry::logging(folder.path(), "info,gantry::access=debug");
    let sent = |headers: &str, body: &str| {
        let headers = format!("content-type: application/json\r\n{headers}");
        gantry.send("PUT", "/echo/7", &headers, body).status
    };
    let body = "{\"words\":\"hi\"}";
    assert_eq!(
        (sent(MARY, body), sent(WRONG, body), sent(JOHN, body), sent(MARY, "{")),
        (200, 401, 403, 400)
    );
    // A faulty reload has its line in the log too.
    let folder = folder.with("apis/echo/api.toml", "base_path = 5\n");
    let reload = || request("POST", "/configuration/reload", MARY, "");
    crate::client::Client::connect(gantry.admin).ask(reload().as_bytes());
    let log = gantry.stop();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let found =
        |status: u16| lines.iter().find(|line| line["status"] == status).unwrap_or_else(|| panic!("{log}"));
    for (status, user) in [(200, "mary"), (401, ""), (403, "john"), (400, "mary")] {
        assert_eq!(found(status)["user"], user, "{log}");
    }
    assert_eq!((&found(400)["method"], &found(400)["path"]), (&json!("PUT"), &json!("/echo/7")));
    let details = found(400)["details"].as_str().expect("a text");
    assert!(!details.starts_with('"'), "{details}");
    assert!(log.contains("WARN") || log.contains("ERROR"), "{log}");
    drop(folder);
}

#[test]
fn what_to_try_has_the_credentials_that_are_taken() {
    let jwt = format!("{JWT}algorithms = [\"HS256\"]\nsecret = {{ file = \"jwt.secret\" }}\n");
    for (settings, expected, of_operation) in [
        (
            jwt.as_str(),
            "curl -s -H 'authorization: Bearer TOKEN' ",
            "   (curl -H 'authorization: Bearer TOKEN')",
        ),
        (BASIC, "curl -s -u USER ", "   (curl -u USER)"),
        (KEYS, "curl -s -H 'x-api-key: KEY' ", "   (curl -H 'x-api-key: KEY')"),
        ("", "curl -s {", ""),
    ] {
        let folder = folder(settings, "", "").with("jwt.secret", &format!("{SECRET}\n")).with("keys.txt", "");
        let gantry = Gantry::folder(folder.path());
        let address = format!("http://{}", gantry.address());
        let hints: Vec<String> = gantry.hints().iter().map(|hint| hint.replace(&address, "{")).collect();
        assert!(hints.iter().any(|hint| hint.contains(expected)), "{expected}: {hints:?}");
        let operation = format!("PUT {{/echo/{{number}}{of_operation}");
        assert!(hints.iter().any(|hint| hint.trim() == operation), "{operation}: {hints:?}");
    }
}
