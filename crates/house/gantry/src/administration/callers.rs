//! Tests that a service provider gets the caller: for each way to authenticate, through an API and
//! by direct calls.

use std::path::Path;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::Full;
use security::CertificateNames;
use service::{CallContext, Outcome, Payload, Service, ServiceProvider};
use settings::Files;

use super::answer;
use crate::live::Live;
use admission::Peer;
use admission::{Hosts, Presence, Way};
use configuration::load;
use gateway::handle;

/// The caller's name and groups, if the caller was known.
type Seen = Option<(String, Vec<String>)>;

/// An additional header of a request, if there is one.
type Sent = Option<(&'static str, String)>;

/// Echoes each request and remembers its caller.
#[derive(Debug, Default)]
struct Recorder(Mutex<Vec<Seen>>);

impl ServiceProvider for Recorder {
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        let own = |groups: &[Box<str>]| groups.iter().map(ToString::to_string).collect();
        let seen = context.caller.map(|caller| (caller.user.to_owned(), own(caller.groups)));
        self.0.lock().expect("no panic").push(seen);
        Outcome::Ready(Ok(request))
    }

    fn kind(&self) -> &'static str {
        "recorder"
    }
}

const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

const GANTRY: &str = r#"
[security]
require_auth = false
[[security.authenticator]]
kind = "basic"
users = "users.txt"
[[security.authenticator]]
kind = "api_key"
keys = "keys.txt"
[[security.authenticator]]
kind = "jwt"
issuer = "https://issuer.example"
audiences = ["gantry"]
algorithms = ["HS256"]
secret = { file = "jwt.secret" }
[[security.authenticator]]
kind = "certificate"
user = "common_name"
units_are_groups = true
"#;

const SERVICE: &str = r#"
ccsid = 37
[provider]
kind = "simulated"
answer = "echo"
[request]
copybook = "NOTE.cpy"
wrapper = ""
[response]
copybook = "NOTE.cpy"
wrapper = ""
"#;

const API: &str =
    "base_path = \"/echo\"\n[[operation]]\nmethod = \"PUT\"\npath = \"/\"\nservice = \"echo\"\n";

/// A gateway whose only service has the recorder, and an API key.
fn live(folder: &Path, recorder: &Arc<Recorder>) -> (Arc<Live>, String) {
    use argon2::password_hash::PasswordHasher;
    let params = argon2::Params::new(8, 1, 1, None).expect("parameters");
    let argon2 = argon2::Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    let hash = argon2.hash_password(b"secret").expect("a hash");
    let (line, key) = security::key_line("shop", &["partners".to_owned()]).expect("a key");
    let secret = String::from_utf8_lossy(SECRET).into_owned();
    for (path, text) in [
        ("gantry.toml", GANTRY.to_owned()),
        ("users.txt", format!("mary:staff,clerks:{hash}\n")),
        ("keys.txt", line),
        ("jwt.secret", secret),
        ("copybooks/NOTE.cpy", "       01  NOTE.\n           05  WORDS PIC X(20).\n".to_owned()),
        ("services/echo.toml", SERVICE.to_owned()),
        ("apis/echo/api.toml", API.to_owned()),
    ] {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }
    let files = Files::at(folder.to_owned());
    let mut settings = load(&files).map_err(|problems| problems.render(false)).expect("a configuration");
    let running = settings.gateway.services.get_mut("echo").expect("the service");
    let provider: Arc<dyn ServiceProvider> = Arc::clone(recorder) as _;
    running.service = Arc::new(Service { provider, ..(*running.service).clone() });
    let source = settings.source(files, None);
    (Arc::new(Live::new(settings.into_loaded(), source).expect("a gateway")), key)
}

fn token() -> String {
    let end =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_secs() + 600;
    let claims = serde_json::json!({"iss": "https://issuer.example", "aud": "gantry", "sub": "ann", "exp": end,
        "groups": ["ops"]});
    let key = jsonwebtoken::EncodingKey::from_secret(SECRET);
    let header = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
    jsonwebtoken::encode(&header, &claims, &key).expect("a token")
}

#[tokio::test]
async fn user_and_groups_arrive_at_the_provider() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let recorder = Arc::new(Recorder::default());
    let (live, key) = live(folder.path(), &recorder);
    let nobody = Peer {
        address: [127, 0, 0, 1].into(),
        secure: true,
        hosts: Arc::new(Hosts::Any),
        way: Way::Http(None),
        certificate: None,
        presence: Presence::default(),
        known: None,
    };
    let names = CertificateNames {
        common: vec!["john".to_owned()],
        units: vec!["drivers".to_owned()],
        ..CertificateNames::default()
    };
    let john = Peer { certificate: Some(names), ..nobody.clone() };
    let known = |user: &str, groups: &[&str]| {
        Some((user.to_owned(), groups.iter().map(|group| (*group).to_owned()).collect()))
    };
    let cases: [(&Peer, Sent, Seen); 5] = [
        (&nobody, None, None),
        (
            &nobody,
            Some(("authorization", "Basic bWFyeTpzZWNyZXQ=".to_owned())),
            known("mary", &["staff", "clerks"]),
        ),
        (&nobody, Some(("x-api-key", key)), known("shop", &["partners"])),
        (&nobody, Some(("authorization", format!("Bearer {}", token()))), known("ann", &["ops"])),
        (&john, None, known("john", &["drivers"])),
    ];
    for (peer, header, expected) in cases {
        let request = |path: &str| {
            let mut request =
                Request::put(path).header("host", "localhost").header("content-type", "application/json");
            if let Some((name, value)) = &header {
                request = request.header(*name, value);
            }
            request.body(Full::new(Bytes::from_static(br#"{"words":"hi"}"#))).expect("a request")
        };
        let gateway = live.gateway();
        assert_eq!(handle(&gateway, peer, request("/echo/")).await.status(), StatusCode::OK, "{expected:?}");
        let direct = answer(&live, peer, request("/zosConnect/services/echo?action=invoke")).await;
        assert_eq!(direct.status(), StatusCode::OK, "{expected:?}");
        let seen = std::mem::take(&mut *recorder.0.lock().expect("no panic"));
        assert_eq!(seen, [expected.clone(), expected]);
    }
}
