//! Tests who may see and do what at the admin address, for each object, and which requests it
//! refuses.

use std::io::Write;

use serde_json::Value;

use crate::client::{Client, Response};
use crate::folder::{ECHO_API, Folder, service};
use crate::process::{Gantry, request, run, text};
use crate::security::KEYS;

/// Makes a key for a member of these groups; gives its header line.
pub(crate) fn key(folder: &Folder, id: &str, groups: &str) -> String {
    let made = run(&["key", "add", text(&folder.path().join("keys.txt")), id, "--groups", groups]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    format!("x-api-key: {}\r\n", String::from_utf8_lossy(&made.stdout).trim())
}

/// Makes two APIs and two services. The team owns one of each. The groups `all-…` have the global
/// roles.
fn folder() -> Folder {
    let roles = "[security.roles]\nadmin = [\"all-admins\"]\noperations = [\"all-operators\"]\nreader = [\"all-readers\"]\n";
    let own = "[security.roles]\noperations = [\"team-operators\"]\nreader = [\"team-readers\"]\n\n";
    let team_api = ECHO_API.replace("/echo", "/team").replace("service = \"echo\"", "service = \"team\"");
    Folder::echo(&format!("[server]\nreload_poll_ms = 0\n{KEYS}\n{roles}"))
        .with("services/team.toml", &format!("{}\n{own}", service("echo", "")))
        .with("apis/team/api.toml", &team_api.replacen("\n\n", &format!("\n\n{own}"), 1))
}

fn ask(gantry: &Gantry, method: &str, path: &str, headers: &str) -> Response {
    Client::connect(gantry.admin).ask(request(method, path, headers, "").as_bytes())
}

/// Gives the names in a list, or the status if there is none.
fn listed(answer: &Response, list: &str, name: &str) -> Result<Vec<String>, u16> {
    if answer.status != 200 {
        return Err(answer.status);
    }
    let value: Value = serde_json::from_str(answer.text()).expect("JSON");
    let entries = value[list].as_array().expect("a list").iter();
    Ok(entries.map(|entry| entry[name].as_str().expect("a name").to_owned()).collect())
}

#[test]
fn lists_show_what_the_caller_may_see() {
    let folder = folder();
    let groups = ["all-admins", "all-operators", "all-readers", "team-operators", "team-readers", "others"];
    let keys = groups.map(|group| key(&folder, group, group));
    let gantry = Gantry::folder(folder.path());
    // The team's groups replace the global ones. The team sets no group for Admin, so the global
    // one stays.
    let both = || Ok(vec!["echo".to_owned(), "team".to_owned()]);
    let one = |name: &str| Ok(vec![name.to_owned()]);
    let expected = [both(), one("echo"), one("echo"), one("team"), one("team"), Err(403)];
    for (key, expected) in keys.iter().zip(expected) {
        for (path, list, name) in [
            ("/zosConnect/apis", "apis", "name"),
            ("/zosConnect/services", "zosConnectServices", "ServiceName"),
            ("/health/apis", "apis", "name"),
        ] {
            assert_eq!(listed(&ask(&gantry, "GET", path, key), list, name), expected, "{path} {key}");
        }
    }
    // Only operators see statistics.
    let of_all = |key: &str| {
        let answer = ask(&gantry, "GET", "/zosConnect/operations/getStatistics", key);
        let value: Value = serde_json::from_str(answer.text()).expect("JSON");
        (answer.status, value.as_object().map(|all| all.keys().cloned().collect::<Vec<_>>()))
    };
    assert_eq!(of_all(&keys[0]), (200, Some(vec!["echo".to_owned(), "team".to_owned()])));
    assert_eq!(of_all(&keys[3]), (200, Some(vec!["team".to_owned()])));
    assert_eq!(of_all(&keys[4]).0, 403);
}

#[test]
fn each_object_has_its_own_operators_and_readers() {
    let folder = folder();
    let [everything, operator, team, reader, other] =
        ["all-admins", "all-operators", "team-operators", "team-readers", "others"]
            .map(|group| key(&folder, group, group));
    let gantry = Gantry::folder(folder.path());
    let cases = [
        ("GET", "/zosConnect/apis/team", [200, 403, 200, 200, 403]),
        ("GET", "/zosConnect/apis/echo", [200, 200, 403, 403, 403]),
        ("GET", "/zosConnect/services/team/schema/request", [200, 403, 200, 200, 403]),
        ("GET", "/zosConnect/services/team?action=getStatistics", [200, 403, 200, 403, 403]),
        ("PUT", "/zosConnect/apis/team?status=stopped", [200, 403, 200, 403, 403]),
        ("PUT", "/zosConnect/services/team?action=stop", [200, 403, 200, 403, 403]),
        ("PUT", "/zosConnect/services/echo?action=stop", [200, 200, 403, 403, 403]),
        ("DELETE", "/zosConnect/apis/team", [409, 403, 409, 403, 403]),
        ("DELETE", "/zosConnect/services/echo", [409, 409, 403, 403, 403]),
        ("GET", "/health/apis/team", [503, 403, 503, 503, 403]),
        // An unknown name gets the same refusal as a known one. So callers cannot find out names.
        ("GET", "/zosConnect/apis/none", [404, 404, 403, 403, 403]),
        ("GET", "/zosConnect/apis/t%65am", [200, 403, 200, 200, 403]),
        ("GET", "/zosConnect/apis/team%2F..%2Fecho", [404, 404, 403, 403, 403]),
        ("POST", "/zosConnect/apis", [415, 415, 403, 403, 403]),
        ("POST", "/configuration/reload", [200, 200, 403, 403, 403]),
        ("PUT", "/zosConnect/apiRequesters/x?status=stopped", [404, 404, 403, 403, 403]),
    ];
    for (method, path, expected) in cases {
        let found = [&everything, &operator, &team, &reader, &other]
            .map(|key| ask(&gantry, method, path, key).status);
        assert_eq!(found, expected, "{method} {path}");
        assert_eq!(
            ask(&gantry, method, path, "").status,
            if path.starts_with("/health") { 503 } else { 401 }
        );
    }
}

#[test]
fn who_may_not_deploy_gets_no_package_read() {
    let folder = folder();
    let [operator, team, reader] =
        ["all-operators", "team-operators", "team-readers"].map(|group| key(&folder, group, group));
    let gantry = Gantry::folder(folder.path());
    let bytes = crate::deploy::package("notes", "/notes");
    let send = |method: &str, path: &str, key: &str| {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{key}content-type: application/zip\r\ncontent-length: {}\r\n\r\n",
            bytes.len()
        );
        Client::connect(gantry.admin).ask(&[head.as_bytes(), &bytes].concat()).status
    };
    for (key, expected) in [(&String::new(), 401), (&reader, 403), (&team, 403)] {
        assert_eq!(send("POST", "/zosConnect/apis", key), expected);
        assert_eq!(send("POST", "/zosConnect/apis?action=invoke", key), expected);
        assert_eq!(send("PUT", "/zosConnect/apis/echo", key), expected);
    }
    assert!(!folder.path().join("packages").exists());
    assert_eq!(send("POST", "/zosConnect/apis", &operator), 201);
}

/// Gives every operation of a document: its method, and its path with an existing name.
fn operations(document: &Value) -> Vec<(String, String)> {
    let base = document["basePath"].as_str().unwrap_or_default();
    let paths = document["paths"].as_object().expect("paths").iter();
    let of_path = |(path, item): (&String, &Value)| {
        let path = format!("{base}{}", path.replace("{name}", "echo"));
        let methods = item.as_object().expect("operations").keys();
        methods.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
    };
    paths.flat_map(of_path).collect()
}

#[test]
fn the_documents_describe_all_that_is_there_and_nothing_else() {
    let folder = folder();
    let all = key(&folder, "all", "all-admins");
    let gantry = Gantry::folder(folder.path());
    let mut described = Vec::new();
    for (path, title) in [
        ("/openapi.json", "Gantry administration API"),
        ("/zosConnect/api-docs", "z/OS Connect administration API"),
    ] {
        assert_eq!(ask(&gantry, "GET", path, "").status, 401, "{path}");
        let answer = ask(&gantry, "GET", path, &all);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        let document: Value = serde_json::from_str(answer.text()).expect("JSON");
        assert_eq!(document["info"]["title"], title);
        assert_eq!(document["security"], serde_json::json!([{"apiKey": []}]));
        let schemes =
            document.get("securityDefinitions").unwrap_or(&document["components"]["securitySchemes"]);
        assert_eq!(schemes["apiKey"]["name"], "x-api-key", "{path}");
        described.extend(operations(&document));
    }
    for (method, path) in &described {
        let found = ask(&gantry, method, path, &all).status;
        // These paths find nothing: there is no API requester, region, endpoint group or queue
        // manager.
        let elsewhere = ["/region", "/connector/groups/", "/queues"];
        let is_elsewhere = elsewhere.iter().any(|start| path.starts_with(start));
        let there = found != 404 || path == "/zosConnect/apiRequesters/echo" || is_elsewhere;
        assert!(there && ![405, 501].contains(&found), "{method} {path}: {found}");
    }
    let index = ask(&gantry, "GET", "/", "");
    for line in index.text().lines() {
        let (path, method) = line.split_once(" (").unwrap_or((line, "GET)"));
        let one = (method.trim_end_matches(')').to_owned(), path.to_owned());
        assert!(described.contains(&one), "{line} is not described");
    }
    for path in described.iter().map(|(_, path)| path) {
        for method in ["GET", "PUT", "POST", "DELETE", "PATCH"] {
            let known = described.contains(&(method.to_owned(), path.clone()));
            let answer = ask(&gantry, method, path, &all);
            assert_eq!(answer.status == 405, !known, "{method} {path}");
            let allow = answer.header("allow").unwrap_or_default();
            let offered =
                |(method, other): &&(String, String)| other == path && allow.contains(method.as_str());
            let methods = described.iter().filter(|(_, other)| other == path).count();
            assert_eq!(described.iter().filter(offered).count(), if known { 0 } else { methods }, "{allow}");
        }
    }
}

#[test]
fn pages_of_others_change_nothing() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 0\n");
    let gantry = Gantry::folder(folder.path());
    let stop = "/zosConnect/apis/echo?status=stopped";
    for origin in ["https://evil.example", "null", "http://localhost:1", "http://localhost.evil.example"] {
        let headers = format!("origin: {origin}\r\n");
        ask(&gantry, "PUT", stop, &headers).fails(403, "GTY0435W");
        assert_eq!(ask(&gantry, "GET", "/configuration", &headers).status, 403);
    }
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    assert_eq!(
        ask(&gantry, "GET", "/configuration", "origin: http://localhost\r\n").status,
        200,
        "its own page"
    );
    // The owner of a web page can let a name point to this machine (DNS rebinding).
    let rebound = |host: &str| {
        let request = format!("GET /configuration HTTP/1.1\r\nhost: {host}\r\n\r\n");
        Client::connect(gantry.admin).ask(request.as_bytes()).status
    };
    let found = ["evil.example", "evil.example.", "localhost", "127.0.0.1:2223", "[::1]:2223", "a.localhost"];
    assert_eq!(found.map(rebound), [421, 421, 200, 200, 200, 200]);
    assert_eq!(ask(&gantry, "PUT", stop, "").status, 200, "who is no page");
    let twice =
        Client::connect(gantry.admin).ask(b"GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n");
    twice.fails(400, "GTY0406W");
}

#[test]
fn who_says_nothing_is_closed_at_the_admin_address_too() {
    let folder = Folder::echo("[limits]\nheader_read_timeout_ms = 1000\nbody_read_timeout_ms = 200\n");
    let gantry = Gantry::folder(folder.path());
    let mut clients = ["", "P", "GET /health HT", "PRI * HTTP/2.0\r\n", "GET /health HTTP/1.1\r\nhost: te"]
        .map(|beginning| {
            let mut client = Client::connect(gantry.admin);
            client.send(beginning.as_bytes());
            client
        });
    for client in &mut clients {
        let rest = client.rest();
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 4"), "{rest}");
    }
    let head = "POST /zosConnect/apis HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/zip\r\n";
    let mut slow = Client::connect(gantry.admin);
    let answer = slow.ask(format!("{head}content-length: 1000\r\n\r\nPK").as_bytes());
    assert_eq!(answer.status, 408, "{}", answer.text());
    assert!(answer.text().contains("GTY0408W"));
}

#[tokio::test]
async fn the_admin_address_speaks_http_2() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut sender = crate::http2::connect_to(gantry.admin).await;
    for path in ["/health", "/zosConnect/apis", "/metrics"] {
        sender.ready().await.expect("the connection is open");
        let answer = sender.send_request(crate::http2::request("GET", path, "")).await.expect("an answer");
        assert_eq!(answer.status(), 200, "{path}");
    }
    sender.ready().await.expect("the connection is open");
    let answer = sender.send_request(crate::http2::request("GET", "/zosConnect/apis", "")).await;
    let (_, text) = crate::http2::read(answer.expect("an answer")).await;
    assert!(text.contains("http://localhost/zosConnect/apis/echo"), "{text}");
}

#[test]
fn more_connections_than_the_admin_address_has_wait() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let mut held: Vec<std::net::TcpStream> =
        (0..256).map(|_| std::net::TcpStream::connect(gantry.admin).expect("a connection")).collect();
    for stream in &mut held {
        stream.write_all(b"GET /hea").expect("sent");
    }
    assert_eq!(gantry.put("/echo/7", "{}").status, 200, "the APIs have connections of their own");
    drop(held);
    assert_eq!(ask(&gantry, "GET", "/health", "").status, 200);
}
