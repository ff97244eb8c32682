//! Calls by programs, through the trait, to a remote API on a real socket.

use std::time::Duration;

use service::{ApiAnswer, Caller};
use settings::Files;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use configuration::load;

use switches::Kind;

const REQUESTER: &str = r#"connection = "shop"
base_path = "/v2"
ccsid = 819
[[operation]]
name = "get"
request.copybook = "KEY.cpy"
[operation.http]
method = "GET"
path = "/items/{id}"
move = [{ from = "ID-OF", to = "path.id" }]
[[operation.http.responses]]
status = "200"
record = { copybook = "KEY.cpy" }
[[operation]]
name = "drop"
[operation.http]
method = "DELETE"
path = "/items"
"#;

/// Gives this answer to all requests, and reports the first line of each.
async fn remote(
    answer: &'static str,
) -> (std::net::SocketAddr, tokio::sync::mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("an address");
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = Vec::new();
            while !asked.ends_with(b"\r\n\r\n") && stream.read_buf(&mut asked).await.unwrap_or(0) > 0 {}
            let line = String::from_utf8_lossy(&asked).lines().next().unwrap_or_default().to_owned();
            let _ = sender.send(line);
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (address, receiver)
}

fn live(folder: &TempDir, url: &str) -> Live {
    live_with(folder, (url, ""))
}

/// The same with further sections of the API requester.
fn live_with(folder: &TempDir, (url, sections): (&str, &str)) -> Live {
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("gantry.toml", &format!("[connections.shop]\nurl = \"{url}\"\nretries_max = 0\n"));
    write("copybooks/KEY.cpy", "       01  KEY-OF.\n           05  ID-OF  PIC X(4).\n");
    write("requesters/shop/requester.toml", &format!("{REQUESTER}{sections}"));
    let files = Files::at(folder.path().to_owned());
    let settings = load(&files).map_err(|problems| problems.render(false)).expect("no faults");
    let source = settings.source(files, None);
    Live::new(settings.into_loaded(), source).expect("a gateway")
}

async fn called(
    live: &Live,
    api: &str,
    operation: ApiOperation<'_>,
    record: &[u8],
) -> Result<ApiAnswer, ApiError> {
    let call = ApiCall { api, operation, caller: None, time_left: Duration::from_secs(60) };
    live.call_api(call, record.to_vec().into()).await
}

#[tokio::test]
async fn a_program_calls_by_name_or_by_path() {
    let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 15\r\n\r\n{\"id_of\":\"new\"}";
    let (address, mut asked) = remote(answer).await;
    let folder = TempDir::new().expect("a folder");
    let live = live(&folder, &format!("http://{address}"));
    let paths = ["/items/{id}", "/v2/items/{id}", "%2Fv2%2Fitems%2F%7Bid%7D   "];
    let by_path = paths.map(|path| ApiOperation::At { method: "get ", path });
    for operation in [ApiOperation::Named("get")].into_iter().chain(by_path) {
        let answer = called(&live, "shop  ", operation, b"a b ").await.expect("an answer");
        assert_eq!(answer, ApiAnswer { status: 200, record: b"new ".to_vec(), areas: Vec::new() });
        assert_eq!(asked.recv().await.as_deref(), Some("GET /v2/items/a%20b HTTP/1.1"));
    }
}

#[tokio::test]
async fn a_whole_path_is_found_before_one_without_the_base_path() {
    let (address, mut asked) = remote("HTTP/1.1 204 X\r\nconnection: close\r\n\r\n").await;
    let folder = TempDir::new().expect("a folder");
    let operation = |name: &str, path: &str| {
        format!(
            "[[operation]]\nname = \"{name}\"\n[operation.http]\nmethod = \"DELETE\"\npath = \"{path}\"\n"
        )
    };
    let sections = operation("a", "/v2/things") + &operation("b", "/things");
    let live = live_with(&folder, (&format!("http://{address}"), &sections));
    for (path, line) in [("/v2/things", "DELETE /v2/things"), ("/v2/v2/things", "DELETE /v2/v2/things")] {
        let _ = called(&live, "shop", ApiOperation::At { method: "DELETE", path }, b"").await;
        assert_eq!(asked.recv().await, Some(format!("{line} HTTP/1.1")));
    }
}

#[tokio::test]
async fn an_error_has_one_of_three_places() {
    let (address, _asked) = remote("HTTP/1.1 409 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    let folder = TempDir::new().expect("a folder");
    let live = live(&folder, &format!("http://{address}"));
    let place = |result: Result<ApiAnswer, ApiError>| result.map_err(|error| (error.kind, error.status));
    let get = ApiOperation::Named("get");
    let in_gateway = |status: u16| Err((ApiErrorKind::Gateway, status));
    assert_eq!(place(called(&live, "shop", get, b"abcd").await), Err((ApiErrorKind::Api, 409)));
    assert_eq!(place(called(&live, " ", get, b"abcd").await), Err((ApiErrorKind::Stub, 400)));
    assert_eq!(place(called(&live, "other", get, b"abcd").await), in_gateway(404));
    assert_eq!(place(called(&live, "shop", ApiOperation::Named("put"), b"abcd").await), in_gateway(404));
    let wrong = ApiOperation::At { method: "PUT", path: "/items/{id}" };
    assert_eq!(place(called(&live, "shop", wrong, b"abcd").await), in_gateway(404));
    assert_eq!(place(called(&live, "shop", get, b"ab").await), in_gateway(400), "the record is too short");
    live.switches.set(Kind::Requester, "shop", false).expect("it is kept");
    assert_eq!(place(called(&live, "shop", get, b"abcd").await), in_gateway(503), "it is stopped");
}

#[tokio::test]
async fn what_an_operation_does_not_take_is_not_dropped() {
    let (address, mut asked) =
        remote("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").await;
    let folder = TempDir::new().expect("a folder");
    let live = live(&folder, &format!("http://{address}"));
    let drop = |record: &'static [u8], areas| {
        let operation = ApiOperation::Named("drop");
        let call = ApiCall { api: "shop", operation, caller: None, time_left: Duration::from_secs(60) };
        live.call_api(call, ApiRequest { record: record.to_vec(), areas })
    };
    let error = drop(b"lost", Some(Vec::new())).await.expect_err("a record");
    assert_eq!((error.kind, error.status), (ApiErrorKind::Gateway, 400));
    assert_eq!(error.message, "the operation takes no record, found 4 bytes");
    assert!(asked.try_recv().is_err(), "nothing is sent");
    for (record, areas) in [(&b""[..], Some(Vec::new())), (b"stub", None)] {
        assert_eq!(drop(record, areas).await.map(|answer| answer.status), Ok(200));
    }
}

#[tokio::test]
async fn an_api_that_is_not_there_is_the_gateways_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let folder = TempDir::new().expect("a folder");
    let live = live(&folder, &format!("http://{address}"));
    let error = called(&live, "shop", ApiOperation::Named("drop"), b"").await.expect_err("nobody there");
    assert_eq!((error.kind, error.status), (ApiErrorKind::Gateway, 503), "{error}");
}

#[tokio::test]
async fn an_api_requester_is_called_for_those_who_may() {
    let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 15\r\n\r\n{\"id_of\":\"new\"}";
    let (address, _asked) = remote(answer).await;
    let staff = ["staff".into()];
    let others = ["guests".into()];
    let admins = ["admins".into()];
    let known = |groups| Some(Caller { user: "mary", groups });
    for (security, expected) in [
        ("", [Ok(200), Ok(200), Ok(200), Ok(200)]),
        ("require_auth = true", [Err(401), Ok(200), Ok(200), Ok(200)]),
        ("roles = { invoke = [\"staff\"], admin = [\"admins\"] }", [Err(401), Ok(200), Err(403), Ok(200)]),
        ("require_auth = false\nroles = { invoke = [\"staff\"] }", [Ok(200), Ok(200), Ok(200), Ok(200)]),
    ] {
        let folder = TempDir::new().expect("a folder");
        let live = live_with(&folder, (&format!("http://{address}"), &format!("[security]\n{security}\n")));
        let callers = [None, known(&staff[..]), known(&others[..]), known(&admins[..])];
        for (caller, expected) in callers.into_iter().zip(expected) {
            let operation = ApiOperation::Named("get");
            let call = ApiCall { api: "shop", operation, caller, time_left: Duration::from_secs(60) };
            let found = live.call_api(call, b"a b ".to_vec().into()).await;
            let found = found.map(|answer| answer.status).map_err(|error| {
                assert_eq!(error.kind, ApiErrorKind::Gateway, "{error}");
                error.status
            });
            assert_eq!(found, expected, "{security}, {caller:?}");
        }
    }
}

/// Programs that call the stub use structures of DFHJS2LS without data areas.
#[tokio::test]
async fn a_structure_without_data_areas_needs_no_host_api() {
    let answer = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n{\"reason\":\"late\"}";
    let (address, mut asked) = remote(answer).await;
    let folder = TempDir::new().expect("a folder");
    let schemas = folder.path().join("requesters/shop");
    std::fs::create_dir_all(&schemas).expect("a folder");
    let request = r#"{"type":"object","required":["q"],"properties":{"q":{"type":"object","required":["kind","amount"],
        "properties":{"kind":{"type":"string","maxLength":5},"amount":{"type":"number"}}}}}"#;
    let response = r#"{"type":"object","required":["RespBody"],"properties":{"RespBody":{"type":"object",
        "properties":{"reason":{"type":"string","maxLength":6}}}}}"#;
    std::fs::write(schemas.join("q.json"), request).expect("a file");
    std::fs::write(schemas.join("p.json"), response).expect("a file");
    let sections = r#"[[operation]]
name = "rule"
request_schema = "q.json"
response_schema = "p.json"
[operation.http]
method = "GET"
path = "/rule"
move = [{ from = "/q/kind", to = "query.kind" }, { from = "/q/amount", to = "query.amount" }]
[[operation.http.responses]]
status = "200"
member = "RespBody"
[structures]
synchronized_floats = true
"#;
    let live = live_with(&folder, (&format!("http://{address}"), sections));
    // A length, the text, a byte of slack, and the aligned number.
    let mut record = b"\x00\x03carXX\0".to_vec();
    record.extend(2.5f64.to_ne_bytes());
    let found = called(&live, "shop", ApiOperation::Named("rule"), &record).await.expect("an answer");
    assert_eq!(asked.recv().await.as_deref(), Some("GET /v2/rule?kind=car&amount=2.5 HTTP/1.1"));
    assert_eq!(found.record, b"\x00\x00\x00\x01\x00\x04late\0\0");
    assert!(found.areas.is_empty());
}
