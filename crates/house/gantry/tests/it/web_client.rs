//! Tests programs that call servers over HTTP: EXEC CICS WEB with SESSTOKEN, and `[[urimap]]` of usage client. They need
//! GnuCOBOL 3.

use std::net::TcpListener;
use std::time::Duration;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::{Asked, Remote};

const PROGRAM: &str = include_str!("web/WEBCLI.cbl");

const TEXT: &str = "content-type: text/plain; charset=utf-8\r\n";

/// Answers according to the path.
fn answer(asked: &Asked) -> (u16, &'static str, String) {
    let mut words = asked.line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match target.split('?').next().unwrap_or_default() {
        "/v1/text" => (200, TEXT, "caf\u{e9} au lait".to_owned()),
        "/v1/auth" => (401, "x-yours: a b\r\nwww-authenticate: Basic realm=\"shop\"\r\n", String::new()),
        "/v1/sleep" => {
            std::thread::sleep(Duration::from_secs(10));
            (200, TEXT, String::new())
        }
        "/v1/large" => (200, TEXT, "x".repeat(3_000)),
        "/v1/echo" => (201, TEXT, format!("{method} {}", asked.body)),
        other => (404, TEXT, format!("{method} {other}")),
    }
}

/// A gateway with the program at `/cli/*`, and the server that it calls.
struct Both {
    remote: Remote,
    folder: Folder,
}

impl Both {
    fn new() -> Self {
        let remote = Remote::start(answer);
        let port = remote.address.port();
        let dead = TcpListener::bind("127.0.0.1:0")
            .expect("a port is free")
            .local_addr()
            .expect("an address")
            .port();
        let program = PROGRAM.replace("@PORT@", &port.to_string()).replace("@DEAD@", &dead.to_string());
        let folder = Folder::empty();
        let cache = format!("{}/.cache", text(folder.path()));
        let connection = remote.connection("shop");
        let gantry = format!(
            "[server]\nreload_poll_ms = 0\n[region]\ncache = \"{cache}\"\n\
             {connection}response_timeout_ms = 1000\nresponse_body_max_bytes = 2000\n\
             [connections.KEYA]\nurl = \"http://127.0.0.1:{port}/keyed\"\nauth = {{ kind = \"api_key\", name = \"x-key\", key = {{ file = \"one.key\" }} }}\n\
             [connections.KEYB]\nurl = \"http://127.0.0.1:{port}/keyed\"\nauth = {{ kind = \"api_key\", name = \"x-key\", key = {{ file = \"two.key\" }} }}\n\
             [connections.dead]\nurl = \"http://127.0.0.1:{dead}\"\n\
             [[urimap]]\nname = \"CLI\"\npath = \"/cli/*\"\nprogram = \"WEBCLI\"\n\
             [[urimap]]\nname = \"SHOP\"\nusage = \"client\"\nhost = \"127.0.0.1\"\nport = {port}\npath = \"/v1/map\"\n"
        );
        let folder = folder.with("gantry.toml", &gantry).with("programs/WEBCLI.cbl", &program);
        let folder = folder.with("one.key", "one").with("two.key", "two");
        Self { remote, folder }
    }
}

#[test]
fn a_program_calls_a_server() {
    let Both { remote, folder } = Both::new();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/cli/get").text(), "[0/0][0/0]200 caf\u{e9} au lait OK text/plain utf-8[0/0]");
    let asked = remote.asked().pop().expect("a request");
    assert_eq!((asked.line.as_str(), asked.body.as_str()), ("GET /v1/text HTTP/1.1", ""));
    assert_eq!(
        gantry.get("/cli/post").text(),
        "[0/0][0/0]201 POST caf\u{e9} [0/0]201 PATCH \"\u{e9}\" [0/0]"
    );
    let asked = remote.asked();
    let [.., post, patch] = asked.as_slice() else { panic!("two requests") };
    assert_eq!(post.line, "POST /v1/echo?a=1&b=%20 HTTP/1.1");
    for header in [
        "content-type: text/plain; charset=utf-8\r\n",
        "x-mine: one two\r\n",
        "authorization: Basic bWFyeTpzZWNyZXQ=\r\n",
    ] {
        assert!(post.headers.contains(header), "{header}: {}", post.headers);
    }
    assert!(patch.headers.contains("content-type: application/json\r\n"), "{}", patch.headers);
    assert!(!patch.headers.contains("x-mine"), "{}", patch.headers);
    assert_eq!(gantry.get("/cli/bytes").text(), "[0/0][0/0]201 PUT abc [22/57]13BYTES");
    assert_eq!(gantry.get("/cli/pieces").text(), "[0/0]caf\u{e9} |au la|it|");
    let log = gantry.stop();
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn headers_chunks_and_containers_go_out_and_come_back() {
    let both = Both::new();
    let gantry = Gantry::folder(both.folder.path());
    assert_eq!(gantry.get("/cli/headers").text(), "[0/0][0/0]a b[13/1][21/10]4[20/0][16/4]127.0.0.1/shop OK");
    assert_eq!(gantry.get("/cli/chunks").text(), "[0/0][16/75][0/0]201 POST abc\u{e9} ");
    assert_eq!(
        gantry.get("/cli/types").text(),
        "[0/0][0/0]201 POST \u{e9} [0/0]201 POST \u{e9} [16/75][0/0]201 POST \u{e9} [16/117][70/100]"
    );
    assert_eq!(gantry.get("/cli/kept").text(), "[0/0][22/1][0/0]200 au lait ");
    assert_eq!(gantry.get("/cli/cont").text(), "[0/0][0/0]POST <p>[0/0]201 POST POST <p> ");
    assert_eq!(gantry.get("/cli/url").text(), "[0/0]HTTPS h.example /a/b c=d%208443[22/21][16/115]");
}

#[test]
fn the_credentials_of_a_connection_stay_its_own() {
    let Both { remote, folder } = Both::new();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/cli/secrets").text(), "[0/0]404 GET /keyed [16/113][16/113]");
    let asked = remote.asked();
    let [asked] = asked.as_slice() else { panic!("one request") };
    assert!(asked.headers.contains("x-key: one\r\n"), "{}", asked.headers);
}

#[test]
fn uri_maps_lead_to_servers() {
    let both = Both::new();
    let gantry = Gantry::folder(both.folder.path());
    assert_eq!(
        gantry.get("/cli/map").text(),
        "[0/0]404 DELETE /v1/map [0/0]404 OPTIONS /v1/map 127.0.0.1/v1/map OK[13/1] CLI=WEBCLI SHOP=[83/2]"
    );
}

#[test]
fn only_configured_servers_are_called_and_the_log_says_why() {
    let Both { remote, folder } = Both::new();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(
        gantry.get("/cli/wrong").text(),
        "[70/100][70/100][16/111][16/111][13/61][16/112][19/27][0/0][16/114][70/100][70/100][16/118][16/117][16/116][16/75][16/103][0/0][19/27]"
    );
    assert_eq!(remote.asked().len(), 0);
    assert_eq!(gantry.get("/cli/sessions").text(), "[16/110]101");
    // The sessions of a task end with it.
    assert_eq!(gantry.get("/cli/sessions").text(), "[16/110]101");
    assert_eq!(gantry.get("/cli/dead").text(), "[17/42]");
    assert_eq!(gantry.get("/cli/late").text(), "[0/0][124/62]");
    assert_eq!(gantry.get("/cli/large").text(), "[0/0][22/105]");
    let log = gantry.stop();
    for reason in [
        "none of [connections] leads to http://other.example",
        "/v2/text is not below the URL of any of [connections]",
        "there is no [[urimap]] and no connection \"NOSUCH\"",
        "dead: ",
        "shop: no answer in time",
        "response_body_max_bytes",
    ] {
        assert!(log.contains(reason), "{reason}: {log}");
    }
}

#[test]
fn servers_of_uri_maps_are_checked() {
    for (lines, expected) in [
        (
            "host = \"other.example\"\npath = \"/\"",
            "http://other.example/ is not below the url of any of [connections]",
        ),
        ("path = \"/\"", "expected 'host', the server for requests of programs"),
        ("host = \"h\"\npath = \"v1\"", "expected a path as it stands in URLs"),
        ("host = \"a:1\"\npath = \"/\"", "without a port"),
        ("host = \"h\"\npath = \"/\"\nport = 0", "expected a port from 1 to 65535"),
        ("host = \"h\"\npath = \"/\"\nprogram = \"A\"", "program is for usage = \"server\""),
        ("host = \"h\"\npath = \"/\"\ntimeout_ms = 5", "timeout_ms is for usage = \"server\""),
        (
            "host = \"localhost\"\npath = \"/\"\n[[urimap]]\nname = \"A\"\npath = \"/a\"\nprogram = \"A\"",
            "'A' is already the name",
        ),
    ] {
        let folder = Folder::empty().with(
            "gantry.toml",
            &format!("[region]\n[connections.h]\nurl = \"http://localhost\"\n[[urimap]]\nname = \"A\"\nusage = \"client\"\n{lines}\n"),
        );
        let output = run(&["check", text(folder.path())]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(expected), "{lines}: {told}");
    }
}
