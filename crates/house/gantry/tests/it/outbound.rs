//! Tests a REST API behind a service: records go out over HTTP, and each failure has its own
//! answer.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::{Asked, Remote};
use crate::security::{JWT, SECRET, token};

const ITEM: &str = "       01  ITEM.
           05  ITEM-ID     PIC X(8).
           05  LIMIT-OF    PIC 9(3).
           05  NOTE        PIC X(10).
           05  QUANTITY    PIC S9(5) COMP-3.
";

const FOUND: &str = "       01  FOUND.
           05  STATUS-OF   PIC 9(3).
           05  TOTAL       PIC 9(5).
           05  NAME        PIC X(10).
           05  PRICE       PIC S9(5)V99 COMP-3.
";

const SERVICE: &str = r#"ccsid = 37
timeout_ms = 2000
naming = "toolkit"

[provider]
kind = "http"
connection = "shop"

[http]
method = "POST"
path = "/items/{id}"
move = [
  { from = "ITEM-ID", to = "path.id" },
  { from = "LIMIT-OF", to = "query.limit" },
  { from = "NOTE", to = "header.X-Note" },
]
query = { from = "gantry" }
headers = { X-Origin = "records" }

[[http.responses]]
status = "2xx"
status_to = "STATUS-OF"
move = [{ from = "header.X-Total", to = "TOTAL" }]

[[http.responses]]
status = "404"
body = "none"
status_to = "STATUS-OF"
assign = { NAME = "NONE" }

[request]
copybook = "ITEM.cpy"
wrapper = ""

[response]
copybook = "FOUND.cpy"
wrapper = ""
"#;

const API: &str = r#"base_path = "/shop"

[[operation]]
method = "PUT"
path = "/item"
service = "item"
"#;

fn folder(gantry: &str) -> Folder {
    Folder::empty()
        .with("gantry.toml", gantry)
        .with("copybooks/ITEM.cpy", ITEM)
        .with("copybooks/FOUND.cpy", FOUND)
        .with("services/item.toml", SERVICE)
        .with("apis/shop/api.toml", API)
}

const JSON: &str = "content-type: application/json\r\n";

fn answer(asked: &Asked) -> (u16, &'static str, String) {
    let path = asked.line.split(' ').nth(1).expect("a path");
    match path.split('?').next().expect("a path").rsplit('/').next().expect("a part") {
        "GONE" => (404, JSON, "{}".to_owned()),
        "BAD" => (500, JSON, r#"{"secret":"inside"}"#.to_owned()),
        "GARBAGE" => (200, JSON, "{\"NAME\":".to_owned()),
        "HTML" => (200, "content-type: text/html\r\n", "<p>hello</p>".to_owned()),
        "LONG" => (200, JSON, r#"{"NAME":"much too long for it"}"#.to_owned()),
        "MORE" => (200, JSON, r#"{"NAME":"a","UNKNOWN":1}"#.to_owned()),
        _ => {
            let head = "content-type: application/json; charset=utf-8\r\nx-total: 12\r\n";
            (201, head, r#"{"NAME":"Pen","PRICE":12.5}"#.to_owned())
        }
    }
}

#[test]
fn a_record_becomes_a_request_and_the_answer_a_record() {
    let remote = Remote::start(answer);
    let folder = folder(&remote.connection("shop"));
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"ITEM_ID":"A/B 1","LIMIT_OF":7,"NOTE":"hi","QUANTITY":-3}"#;
    let found = gantry.put("/shop/item", body);
    assert_eq!(found.text(), r#"{"STATUS_OF":201,"TOTAL":12,"NAME":"Pen","PRICE":12.5}"#);
    let asked = remote.asked().remove(0);
    assert_eq!(asked.line, "POST /v1/items/A%2FB%201?from=gantry&limit=7 HTTP/1.1");
    assert_eq!(asked.body, r#"{"QUANTITY":-3}"#);
    assert!(
        asked.headers.contains("x-note: hi\r\n") && asked.headers.contains("x-origin: records\r\n"),
        "{asked:?}"
    );

    gantry.put("/shop/item", r#"{"ITEM_ID":"A"}"#);
    assert!(!remote.asked()[1].headers.contains("x-note"), "what is blank is left out");
    let found = gantry.put("/shop/item", r#"{"ITEM_ID":"GONE"}"#);
    assert_eq!(found.text(), r#"{"STATUS_OF":404,"TOTAL":0,"NAME":"NONE","PRICE":0}"#);
    assert_eq!(gantry.metric(r#"gantry_connection_answers_total{connection="shop",status="201"}"#), 2.0);
    assert_eq!(gantry.metric(r#"gantry_connection_answers_total{connection="shop",status="404"}"#), 1.0);
}

#[test]
fn the_token_of_the_caller_is_passed_on() {
    let remote = Remote::start(answer);
    let auth = "auth = { kind = \"caller\" }\n";
    let jwt = format!("{JWT}algorithms = [\"HS256\"]\nsecret = {{ file = \"jwt.secret\" }}\n");
    let folder = folder(&format!("{}{auth}{jwt}", remote.connection("shop"))).with("jwt.secret", SECRET);
    let gantry = Gantry::folder(folder.path());
    let token = token(&serde_json::json!({}));
    let found = gantry.send("PUT", "/shop/item", &format!("{JSON}{token}"), r#"{"ITEM_ID":"A"}"#);
    assert_eq!(found.status, 200, "{}", found.text());
    assert!(remote.asked()[0].headers.contains(&token), "{:?}", remote.asked());
    let log = gantry.stop();
    assert!(!log.contains(token.trim_end().rsplit(' ').next().expect("a token")), "{log}");

    let plain = folder.with(
        "gantry.toml",
        &format!("[connections.shop]\nurl = \"http://example.com\"\nallow_plaintext = true\n{auth}"),
    );
    let checked = run(&["check", text(plain.path())]);
    let told = String::from_utf8_lossy(&checked.stderr);
    assert!(told.contains("gantry.toml:4") && told.contains("url is not https"), "{told}");
}

#[test]
fn an_answer_that_is_no_record_is_a_failure_that_tells_nothing() {
    let remote = Remote::start(answer);
    let folder = folder(&remote.connection("shop"));
    let gantry = Gantry::folder(folder.path());
    for id in ["BAD", "GARBAGE", "HTML", "LONG", "MORE", "", "..", "A\\u0001"] {
        let failed = gantry.put("/shop/item", &format!(r#"{{"ITEM_ID":"{id}"}}"#));
        assert!(failed.status >= 400, "{id}: {}", failed.text());
        assert!(
            !failed.text().contains("secret") && !failed.text().contains("127.0.0.1"),
            "{}",
            failed.text()
        );
    }
    assert_eq!(remote.asked().len(), 5, "what cannot be in a path is not sent");
    let log = gantry.stop();
    assert!(log.contains("the API answered with status 500"), "{log}");
    assert!(log.contains("found the content type 'text/html'"), "{log}");
}

#[test]
fn nobody_there_and_no_answer_are_two_things() {
    let gone = Remote::start(answer).address;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let silent = listener.local_addr().expect("an address");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr();
    assert_ne!(gone, silent);
    let closed = closed.expect("an address");
    let refused = folder(&format!("[connections.shop]\nurl = \"http://{closed}\"\nretries_max = 0\n"));
    let gantry = Gantry::folder(refused.path());
    let failed = gantry.put("/shop/item", r#"{"ITEM_ID":"A"}"#);
    assert_eq!((failed.status, failed.header("retry-after")), (503, Some("1")), "{}", failed.text());

    let late = folder(&format!("[connections.shop]\nurl = \"http://{silent}\"\nresponse_timeout_ms = 50\n"));
    let gantry = Gantry::folder(late.path());
    let failed = gantry.put("/shop/item", r#"{"ITEM_ID":"A"}"#);
    assert_eq!(failed.status, 503, "{}", failed.text());
    assert!(failed.text().contains("BAQR0405I"), "{}", failed.text());
}

#[test]
fn records_pass_through_as_they_are() {
    let remote = Remote::start(|asked| (200, "", asked.body.replace('a', "b")));
    let service = r#"ccsid = 819
[provider]
kind = "http"
connection = "shop"
[http]
method = "POST"
path = "/raw"
body = "record"
content_type = "text/x-record"
[[http.responses]]
status = "200"
body = "record"
[request]
copybook = "NOTE.cpy"
wrapper = ""
[response]
copybook = "NOTE.cpy"
wrapper = ""
"#;
    let folder = Folder::echo(&remote.connection("shop")).with("services/echo.toml", service);
    let folder_text = text(folder.path());
    let called = run(&["call", "echo", "--in", folder_text, "--json", r#"{"number_of":5,"words":"aha"}"#]);
    assert!(called.status.success(), "{called:?}");
    assert_eq!(String::from_utf8_lossy(&called.stdout), "{\"number_of\":5,\"words\":\"bhb\"}\n");
    let asked = remote.asked().remove(0);
    assert_eq!(asked.body, format!("0005{:20}", "aha"));
    assert!(asked.headers.contains("content-type: text/x-record\r\n"), "{asked:?}");
}

#[test]
fn faults_have_their_places() {
    let with = |find: &str, replace: &str| {
        let folder = folder("[connections.shop]\nurl = \"https://shop.example\"\n")
            .with("services/item.toml", &SERVICE.replace(find, replace));
        faults(&folder)
    };
    for (find, replace, expected) in [
        (
            "\"shop\"\n\n[http]",
            "\"shpo\"\n\n[http]",
            "item.toml:5: there is no connection 'shpo'; known: shop",
        ),
        ("/items/{id}", "/items/{id}/{of}", "item.toml:11: no field is moved to the path parameter 'of'"),
        ("path.id", "path.ident", "item.toml:13: the path has no parameter 'ident'"),
        ("path.id", "cookie.id", "item.toml:13: 'cookie.id' is not a parameter"),
        ("header.X-Note", "header.Host", "item.toml:15: the header host is that of the connection alone"),
        ("X-Origin", "Authorization", "item.toml:18: credentials belong to the connection"),
        ("\"2xx\"", "\"2yy\"", "item.toml:21: '2yy' is not a status"),
        ("\"2xx\"", "\"404\"", "another response has this status too"),
        ("NAME = \"NONE\"", "PRICE = \"1.234\"", "item.toml:29: '1.234' does not fit"),
        (
            "status_to = \"STATUS-OF\"\nmove",
            "status_to = \"TOTAL\"\nmove",
            "moved or assigned more than once",
        ),
        ("from = \"NOTE\"", "from = \"NOTES\"", "NOTES"),
        ("/items/{id}", "items/{id}", "item.toml:11: the path 'items/{id}' does not begin with a slash"),
    ] {
        let found = with(find, replace);
        assert!(found.contains(expected), "{expected} in\n{found}");
    }
    let without = SERVICE.split("[http]").next().expect("a head").to_owned()
        + "[request]\ncopybook = \"ITEM.cpy\"\n[response]\ncopybook = \"FOUND.cpy\"\n";
    let folder =
        folder("[connections.shop]\nurl = \"https://shop.example\"\n").with("services/item.toml", &without);
    assert!(faults(&folder).contains("the provider http needs [http]"));
}

fn faults(folder: &Folder) -> String {
    let checked = run(&["check", text(folder.path())]);
    assert!(!checked.status.success(), "{checked:?}");
    String::from_utf8_lossy(&checked.stderr).into_owned()
}

#[test]
fn connections_are_checked() {
    for (lines, expected) in [
        ("url = \"http://shop.example\"", "gantry.toml:2: requests go to another machine without TLS"),
        ("url = \"shop.example\"", "gantry.toml:2: 'shop.example' has no scheme"),
        ("url = \"https://a:b@shop.example\"", "credentials have keys of their own"),
        ("url = \"https://h\"\nrequests_max = 0", "requests_max is 0"),
        ("url = \"https://h\"\nretry_statuses = [404]", "gantry.toml:3: is neither 429 nor from 500 to 599"),
        (
            "url = \"https://h\"\nclient_certificate = \"a.pem\"",
            "client_certificate and client_private_key go together",
        ),
        ("url = \"https://h\"\nca = \"missing.pem\"", "missing.pem"),
        ("url = \"https://h\"\nreqests_max = 1", "did you mean 'requests_max'"),
        (
            "url = \"https://h\"\nauth = { kind = \"basic\", user = \"a\", password = { env = \"NOBODY_HAS_THIS\" } }",
            "gantry.toml:3: the environment has no variable NOBODY_HAS_THIS",
        ),
        (
            "url = \"https://h\"\nauth = { kind = \"oauth2\", token_url = \"http://idp.example/t\", client_id = \"a\" }",
            "token_url is not https",
        ),
        (
            "url = \"https://h\"\nauth = { kind = \"jwt\", algorithm = \"HS256\" }",
            "expected one of secret and private_key",
        ),
    ] {
        let folder = Folder::empty().with("gantry.toml", &format!("[connections.shop]\n{lines}\n"));
        let found = faults(&folder);
        assert!(found.contains(expected), "{expected} in\n{found}");
    }
    let twice = Folder::empty()
        .with("gantry.toml", "[connections.shop]\nurl = \"https://h\"\n")
        .with("connections/shop.toml", "url = \"https://h\"\n");
    assert!(faults(&twice).contains("gantry.toml has a connection of this name too"));
}
