//! Tests endpoint groups behind the gateway: the example as a user runs it, failures as clients see
//! them, and operators' commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Response;
use crate::folder::Folder;
use crate::process::{Gantry, run};
use crate::reload::wait;

/// The example's folder.
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/connector/");

/// A sample server in its own process.
struct Sample(Child);

impl Sample {
    fn start(name: &str, address: SocketAddr) -> Self {
        Self::with(name, address, &[])
    }

    fn with(name: &str, address: SocketAddr, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gantry"))
            .args(["sample-server", name, &address.to_string()])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("it is piped");
        BufReader::new(stdout).read_line(&mut line).expect("its first line");
        assert_eq!(line, format!("{name} listens on {address}\n"));
        Self(child)
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Gives an address on which nobody listens now.
fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port is free")
}

/// Makes the example with other servers. `more` are more lines of the group.
fn folder(endpoints: &[(&str, &str, SocketAddr)], more: &str) -> Folder {
    let mut group = format!("{more}\n");
    for (name, role, address) in endpoints {
        group +=
            &format!("[[endpoint]]\nname = \"{name}\"\nrole = \"{role}\"\ndestination = \"{address}\"\n");
    }
    let file =
        |name: &str| std::fs::read_to_string(format!("{EXAMPLE}{name}")).expect("a file of the example");
    let mut folder = Folder::empty().with("gantry.toml", "[server]\nreload_poll_ms = 50\n");
    for name in
        ["services/crypt.toml", "copybooks/CRYPREQ.cpy", "copybooks/CRYPREP.cpy", "apis/crypt/api.toml"]
    {
        folder = folder.with(name, &file(name));
    }
    folder.with("endpoints/CRYPSVR1.toml", &group)
}

fn ask(gantry: &Gantry) -> Response {
    gantry.send("POST", "/crypt/", "", r#"{"card_text":"SECRET"}"#)
}

/// Gives the name of the server that answered.
#[track_caller]
fn server(gantry: &Gantry) -> String {
    let answer = ask(gantry);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let answer: Value = serde_json::from_str(answer.text()).expect("JSON");
    assert_eq!(answer["card_text"], "TERCES");
    answer["server_name"].as_str().expect("a name").to_owned()
}

/// Runs `gantry connector` with these arguments against this gateway; gives its output.
#[track_caller]
fn connector(gantry: &Gantry, arguments: &[&str]) -> String {
    let admin = format!("http://{}", gantry.admin);
    let output = run(&[&["connector", "--admin", &admin], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Gives a line of the display.
fn line(gantry: &Gantry, endpoint: &str) -> String {
    let shown = connector(gantry, &["display", "CRYPSVR1"]);
    shown.lines().find(|line| line.starts_with(endpoint)).expect("a line").to_owned()
}

#[test]
fn the_backup_answers_when_the_primary_is_killed_and_the_primary_comes_back() {
    let (first, second) = (free(), free());
    let primary = Sample::start("PRCRYP1", first);
    let _backup = Sample::start("BKCRYP1", second);
    let folder = folder(&[("PRCRYP1", "primary", first), ("BKCRYP1", "backup", second)], "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(server(&gantry), "PRCRYP1");
    assert!(line(&gantry, "PRCRYP1").contains("ACTIVE"));
    drop(primary);
    assert_eq!(server(&gantry), "BKCRYP1");
    let down = line(&gantry, "PRCRYP1");
    assert!(down.contains("DOWN") && down.contains("refused"), "{down}");
    let _primary = Sample::start("PRCRYP1", first);
    wait(|| line(&gantry, "PRCRYP1").contains("ACTIVE"));
    wait(|| server(&gantry) == "PRCRYP1");
    let stats = connector(&gantry, &["stats", "CRYPSVR1"]);
    assert!(stats.contains("SERVER ENDPOINT") && stats.contains("END OF DISPLAY"), "{stats}");
    let json: Value = serde_json::from_str(&connector(&gantry, &["--json"])).expect("JSON");
    let replies = |at: usize| json["groups"][0]["endpoints"][at]["apis"].as_u64().expect("a count");
    assert!(replies(0) >= 2 && replies(1) >= 1, "{json}");
}

#[test]
fn requests_share_a_connection_in_gantrys_framing() {
    let address = free();
    let _server = Sample::with("ONE", address, &["--framing", "gantry"]);
    let more = "framing = \"gantry\"\nreceive_max_bytes = 5_000_000";
    let folder = folder(&[("ONE", "primary", address)], more);
    let gantry = Gantry::folder(folder.path());
    for _ in 0..3 {
        assert_eq!(server(&gantry), "ONE");
    }
    let stats = connector(&gantry, &["stats"]);
    assert!(stats.contains("RECEIVING - 0 of 5000000 bytes, READERS WAITING - 0\n"), "{stats}");
    let json: Value = serde_json::from_str(&connector(&gantry, &["stats", "--json"])).expect("JSON");
    let group = &json["groups"][0];
    let figures = ["receiving", "receiveMaxBytes", "readersWaiting"].map(|name| group[name].as_u64());
    assert_eq!(figures, [Some(0), Some(5_000_000), Some(0)], "{json}");
    assert_eq!(group["receivingHighest"], json!({ "value": 0.0, "time": null }));
    assert!(line(&gantry, "ONE").contains("ACTIVE"));
}

#[test]
fn operators_stop_and_quiesce_and_that_outlives_the_process() {
    let (first, second) = (free(), free());
    let _primary = Sample::start("PRCRYP1", first);
    let _backup = Sample::start("BKCRYP1", second);
    let folder = folder(&[("PRCRYP1", "primary", first), ("BKCRYP1", "backup", second)], "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(connector(&gantry, &["quiesce", "CRYPSVR1", "PRCRYP1"]), "CRYPSVR1/PRCRYP1 is quiesced\n");
    assert_eq!(server(&gantry), "BKCRYP1");
    let shown = connector(&gantry, &["display"]);
    let quiesced = shown.lines().find(|line| line.starts_with("PRCRYP1")).expect("the endpoint");
    assert!(quiesced.contains("QUIESCED") && quiesced.ends_with("by an operator"), "{shown}");
    assert_eq!(connector(&gantry, &["stop", "CRYPSVR1"]), "CRYPSVR1 is stopped\n");
    let refused = ask(&gantry);
    refused.fails(503, "GTY0520E");
    assert!(refused.header("retry-after").is_some());
    gantry.stop();
    let gantry = Gantry::folder(folder.path());
    ask(&gantry).fails(503, "GTY0520E");
    connector(&gantry, &["start", "CRYPSVR1"]);
    assert_eq!(server(&gantry), "BKCRYP1");
    connector(&gantry, &["start", "CRYPSVR1", "PRCRYP1"]);
    assert_eq!(server(&gantry), "PRCRYP1");
    connector(&gantry, &["clearstats"]);
    assert!(connector(&gantry, &["maxstats"]).contains("QUEUE HIGH WATER MARK"));
    let admin = format!("http://{}", gantry.admin);
    let wrong = run(&["connector", "stop", "NOBODY", "--admin", &admin]);
    let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(told.contains("there is no endpoint group 'NOBODY'; known: CRYPSVR1"), "{told}");
    let wrong = run(&["connector", "quiesce", "CRYPSVR1", "NOBODY", "--admin", &admin]);
    let told = String::from_utf8_lossy(&wrong.stderr).into_owned();
    let expected = "there is no endpoint 'NOBODY' in the group 'CRYPSVR1'; known: PRCRYP1, BKCRYP1";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn a_changed_group_serves_at_once_and_a_faulty_one_changes_nothing() {
    let (first, second) = (free(), free());
    let _first = Sample::start("ONE", first);
    let _second = Sample::start("TWO", second);
    let before = folder(&[("ONE", "primary", first)], "");
    let gantry = Gantry::folder(before.path());
    assert_eq!(server(&gantry), "ONE");
    let other = folder(&[("TWO", "primary", second)], "");
    let path = "endpoints/CRYPSVR1.toml";
    let changed = std::fs::read_to_string(other.path().join(path)).expect("a file");
    let before = before.with(path, &changed);
    wait(|| server(&gantry) == "TWO");
    let generation = || {
        let mut admin = crate::client::Client::connect(gantry.admin);
        let answer = admin.ask(b"GET /configuration HTTP/1.1\r\nhost: localhost\r\n\r\n");
        serde_json::from_str::<Value>(answer.text()).expect("JSON")
    };
    let _before = before.with(path, &format!("{changed}max_socket = 4\n"));
    wait(|| generation().to_string().contains("did you mean 'max_sockets'?"));
    assert_eq!(server(&gantry), "TWO");
}

/// Starts a server that takes one frame of each connection, and then calls `does`.
fn faulty(does: fn(&mut TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                let mut frame = [0; 24];
                if stream.read_exact(&mut frame).is_ok() {
                    does(&mut stream);
                }
            });
        }
    });
    address
}

#[test]
fn each_failure_has_its_code() {
    let closes = faulty(|_| {});
    let is_silent = faulty(|_| thread::sleep(Duration::from_secs(60)));
    let is_long = faulty(|stream| {
        let _ = stream.write_all(&[0x7f, 0xff, 0xff, 0xff]);
        thread::sleep(Duration::from_secs(60));
    });
    for (address, more, status, code, details) in [
        (closes, "", 502, "GTY0523E", Value::Null),
        (is_long, "", 502, "GTY0524E", Value::Null),
        (is_silent, "sync_timeout_ms = 100", 503, "BAQR0405I", json!("the request was sent")),
        (closes, "framing = \"fixed\"\nfixed_bytes = 8", 502, "GTY0525E", Value::Null),
        (free(), "fail_fast = true", 503, "GTY0522E", Value::Null),
    ] {
        let folder = folder(&[("ONE", "primary", address)], more);
        let gantry = Gantry::folder(folder.path());
        if code == "GTY0522E" {
            wait(|| line(&gantry, "ONE").contains("DOWN"));
        }
        let answer = ask(&gantry);
        answer.fails(status, code);
        let body: Value = serde_json::from_str(answer.text()).expect("JSON");
        assert_eq!(body["errorDetails"], details, "{code}");
        assert_eq!(answer.header("retry-after").is_some(), code == "GTY0522E", "{code}");
    }
}

#[test]
fn an_api_gives_failures_of_groups_its_own_statuses() {
    let api = std::fs::read_to_string(format!("{EXAMPLE}apis/crypt/api.toml")).expect("the API");
    let own = "statuses = { GTY0523E = 504, GTY0522E = 429 }\n";
    let closes = faulty(|_| {});
    for (address, status, code) in [(closes, 504, "GTY0523E"), (free(), 429, "GTY0522E")] {
        let folder = folder(&[("ONE", "primary", address)], "fail_fast = true");
        let folder = folder.with("apis/crypt/api.toml", &format!("{own}{api}"));
        let gantry = Gantry::folder(folder.path());
        if status == 429 {
            wait(|| line(&gantry, "ONE").contains("DOWN"));
        }
        let answer = ask(&gantry);
        answer.fails(status, code);
        // The answer has Retry-After only for the group that is down, even with another status.
        assert_eq!(answer.header("retry-after").is_some(), status == 429);
    }
}

#[test]
fn check_tells_faults_of_groups_with_their_lines() {
    let folder = folder(&[("ONE", "primary", free())], "queue_maximum = 4");
    let folder = folder.with(
        "endpoints/OTHER.xml",
        "<EndpointGroup>\n<Endpoint>\n<role>PRIMARY</role>\n</Endpoint>\n</EndpointGroup>\n",
    );
    let folder = folder.with("endpoints/notes.txt", "");
    let endpoint = "[[endpoint]]\nname = \"ONE\"\ndestination = \"127.0.0.1:1\"\n";
    let folder = folder.with("endpoints/SMALL.toml", &format!("receive_max_bytes = 2_000_000\n{endpoint}"));
    let output = run(&["check", crate::process::text(folder.path())]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    for expected in [
        "'queue_maximum' is not known here",
        "expected the element endpointName in Endpoint",
        "OTHER.xml:2",
        "SMALL.toml:1",
        "expected a number from 2097152, twice frame_max_bytes,",
        "files in endpoints/ end with .toml or .xml",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

#[test]
fn the_example_starts_its_servers_and_ends_them() {
    let gantry = Gantry::example("connector");
    assert_eq!(server(&gantry), "PRCRYP1");
    assert!(line(&gantry, "BKCRYP1").contains("BACK"));
    let address: SocketAddr = "127.0.0.1:15000".parse().expect("an address");
    assert!(TcpStream::connect(address).is_ok());
    // The servers end even if the gateway is killed.
    gantry.kill();
    wait(|| TcpStream::connect(address).is_err());
}
