//! Tests a SOAP server behind a service: records go out as messages, and each failure has its own
//! answer.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::{Asked, Remote};

const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

const ITEM: &str = "       01  ITEM.
           05  ITEM-ID     PIC X(8).
           05  QUANTITY    PIC S9(5) COMP-3.
";

const FOUND: &str = "       01  FOUND.
           05  NAME        PIC X(10).
           05  PRICE       PIC S9(5)V99 COMP-3.
           05  LINE-NUM    PIC 9(2).
           05  LINE-TEXT   PIC X(4) OCCURS 0 TO 3 DEPENDING ON LINE-NUM.
";

fn service(provider: &str) -> String {
    format!(
        "ccsid = 37\ntimeout_ms = 2000\n[provider]\nkind = \"soap\"\nconnection = \"shop\"\n{provider}\n\
         [request]\ncopybook = \"ITEM.cpy\"\nwrapper = \"\"\n[response]\ncopybook = \"FOUND.cpy\"\nwrapper = \"\"\n"
    )
}

const PLAIN: &str = "path = \"/find\"\nnamespace = \"urn:shop\"\nelement = \"Find\"\nresponse_element = \"Found\"\n\
                     soap_action = \"urn:shop/find\"\n";

const API: &str =
    "base_path = \"/shop\"\n[[operation]]\nmethod = \"PUT\"\npath = \"/item\"\nservice = \"item\"\n";

fn folder(gantry: &str, provider: &str) -> Folder {
    Folder::empty()
        .with("gantry.toml", gantry)
        .with("copybooks/ITEM.cpy", ITEM)
        .with("copybooks/FOUND.cpy", FOUND)
        .with("services/item.toml", &service(provider))
        .with("apis/shop/api.toml", API)
}

const TYPE_11: &str = "content-type: text/xml; charset=utf-8\r\n";
const TYPE_12: &str = "content-type: application/soap+xml\r\n";

fn envelope(namespace: &str, header: &str, body: &str) -> String {
    format!(
        "<?xml version='1.0'?><e:Envelope xmlns:e='{namespace}'>{header}<e:Body>{body}</e:Body></e:Envelope>"
    )
}

const PEN: &str = "<s:Found xmlns:s='urn:shop'><s:name>Pen</s:name><s:price>12.50</s:price>\
                   <s:line_text>a</s:line_text><s:line_text>b</s:line_text></s:Found>";

const FAULT: &str = "<e:Fault><faultcode>e:Server</faultcode><faultstring>secret of the shop</faultstring>\
                     <detail><x:why xmlns:x='urn:x'>no paper</x:why></detail></e:Fault>";

/// Answers according to the id of the item.
fn answer(asked: &Asked) -> (u16, &'static str, String) {
    let id = asked.body.split("item_id>").nth(1).expect("an id").trim_end_matches("</");
    let good = |body: &str| (200, TYPE_11, envelope(SOAP_11, "", body));
    match id {
        "FAULT" => (500, TYPE_11, envelope(SOAP_11, "", FAULT)),
        "FAULT200" => good(FAULT),
        "OTHERVER" => (200, TYPE_12, envelope(SOAP_12, "", PEN)),
        "MUST" => {
            let header = "<e:Header><h:lock xmlns:h='urn:h' e:mustUnderstand='1'>x</h:lock></e:Header>";
            (200, TYPE_11, envelope(SOAP_11, header, PEN))
        }
        "HEADER" => {
            let header = "<e:Header><h:info xmlns:h='urn:h'>x</h:info></e:Header>";
            (200, TYPE_11, envelope(SOAP_11, header, PEN))
        }
        "HTML" => (503, "content-type: text/html\r\n", "<p>secret</p>".to_owned()),
        "TEXT" => (200, TYPE_11, "secret".to_owned()),
        "DTD" => (200, TYPE_11, format!("<!DOCTYPE e [<!ENTITY a 'secret'>]>{}", envelope(SOAP_11, "", PEN))),
        "HALF" => (200, TYPE_11, envelope(SOAP_11, "", PEN)[..150].to_owned()),
        "ELEMENT" => good("<s:Lost xmlns:s='urn:shop'/>"),
        "VALUE" => good(&PEN.replace("12.50", "1234567.50")),
        "EMPTY" => (200, TYPE_11, String::new()),
        "DONE500" => (500, TYPE_11, envelope(SOAP_11, "", PEN)),
        "LARGE" => good(&" ".repeat(20_000)),
        "LATIN" => {
            let head = "content-type: text/xml; charset=iso-8859-1\r\n";
            (200, head, envelope(SOAP_11, "", PEN))
        }
        _ => good(PEN),
    }
}

fn connection(remote: &Remote) -> String {
    format!("{}response_body_max_bytes = 10000\n", remote.connection("shop"))
}

fn put(gantry: &Gantry, id: &str) -> crate::client::Response {
    gantry.put("/shop/item", &format!("{{\"item_id\":\"{id}\",\"quantity\":-3}}"))
}

const FOUND_PEN: &str = r#"{"name":"Pen","price":12.5,"line_text":["a","b"]}"#;

#[test]
fn a_record_becomes_a_message_and_the_answer_a_record() {
    let remote = Remote::start(answer);
    let folder = folder(&connection(&remote), PLAIN);
    let gantry = Gantry::folder(folder.path());
    for id in ["A<B", "HEADER", "LATIN"] {
        let found = put(&gantry, id);
        assert_eq!((found.status, found.text()), (200, FOUND_PEN), "{id}");
    }
    let asked = remote.asked().remove(0);
    assert_eq!(asked.line, "POST /v1/find HTTP/1.1");
    assert_eq!(
        asked.body,
        format!(
            "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{SOAP_11}\"><SOAP-ENV:Body><Find xmlns=\"urn:shop\">\
             <item_id>A&lt;B</item_id><quantity>-3</quantity></Find></SOAP-ENV:Body></SOAP-ENV:Envelope>"
        )
    );
    for header in ["content-type: text/xml; charset=utf-8\r\n", "soapaction: \"urn:shop/find\"\r\n"] {
        assert!(asked.headers.contains(header), "{}", asked.headers);
    }
    assert_eq!(gantry.metric(r#"gantry_connection_answers_total{connection="shop",status="200"}"#), 3.0);
}

#[test]
fn soap_12_and_elements_without_a_namespace() {
    let remote = Remote::start(|_| {
        let body = "<s:FindResponse xmlns:s='urn:shop'><name>Pen</name><price>12.50</price>\
                    <line_text>a</line_text><line_text>b</line_text></s:FindResponse>";
        (200, TYPE_12, envelope(SOAP_12, "", body))
    });
    let provider = "namespace = \"urn:shop\"\nelement = \"Find\"\nsoap = \"1.2\"\nsoap_action = \"urn:find\"\n\
                    element_form = \"unqualified\"\n";
    let folder = folder(&connection(&remote), provider);
    let called = run(&["call", "item", "--in", text(folder.path()), "--json", r#"{"item_id":"A"}"#]);
    assert_eq!(String::from_utf8_lossy(&called.stdout), format!("{FOUND_PEN}\n"), "{called:?}");
    let asked = remote.asked().remove(0);
    assert_eq!(asked.line, "POST /v1 HTTP/1.1");
    assert!(
        asked
            .body
            .contains("<ns:Find xmlns:ns=\"urn:shop\"><item_id>A</item_id><quantity>0</quantity></ns:Find>"),
        "{}",
        asked.body
    );
    let kind = "content-type: application/soap+xml; charset=utf-8; action=\"urn:find\"\r\n";
    assert!(asked.headers.contains(kind) && !asked.headers.contains("soapaction"), "{}", asked.headers);
}

#[test]
fn a_fault_has_a_code_of_its_own_and_only_the_log_has_its_text() {
    let remote = Remote::start(answer);
    let folder = folder(&connection(&remote), PLAIN);
    let gantry = Gantry::folder(folder.path());
    for id in ["FAULT", "FAULT200"] {
        let failed = put(&gantry, id);
        let told = failed.fails(502, "GTY0515E");
        assert!(!told.contains("secret") && !told.contains("paper"), "{told}");
    }
    let log = gantry.stop();
    assert_eq!(log.matches("e:Server: secret of the shop <detail><x:why").count(), 2, "{log}");
}

#[test]
fn an_answer_that_is_no_record_is_a_failure_that_tells_nothing() {
    let remote = Remote::start(answer);
    let folder = folder(&connection(&remote), PLAIN);
    let gantry = Gantry::folder(folder.path());
    let cases = [
        ("OTHERVER", "expected a message of SOAP 1.1, found one of SOAP 1.2"),
        ("MUST", "must understand the header blocks lock"),
        ("HTML", "answer with status 503: expected a SOAP message"),
        ("TEXT", "answer with status 200: "),
        ("DTD", "document type"),
        ("HALF", "answer with status 200: "),
        ("ELEMENT", "Lost"),
        ("VALUE", "price"),
        ("EMPTY", "answer with status 200: "),
        ("DONE500", "answer with status 500: expected a fault, found an answer"),
        ("LARGE", "more than 10000 bytes (response_body_max_bytes)"),
    ];
    for (id, _) in cases {
        let told = put(&gantry, id).fails(502, "GTY0500E");
        assert!(!told.contains("secret"), "{id}: {told}");
    }
    assert_eq!(remote.asked().len(), cases.len(), "no message is sent twice");
    let log = gantry.stop();
    for (id, why) in cases {
        assert!(log.contains(why), "{id}: {why} in\n{log}");
    }
}

#[test]
fn nobody_there_no_answer_in_time_and_half_an_answer() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr().expect("an address");
    let refused = folder(&format!("[connections.shop]\nurl = \"http://{closed}\"\n"), PLAIN);
    let gantry = Gantry::folder(refused.path());
    let failed = put(&gantry, "A");
    assert_eq!((failed.status, failed.header("retry-after")), (503, Some("1")), "{}", failed.text());
    // The gateway sends a request again if the server certainly did not process it.
    assert_eq!(gantry.metric(r#"gantry_connection_retries_total{connection="shop"}"#), 2.0);

    for (idempotent, retries) in [("", 0.0), ("idempotent = true\n", 2.0)] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let silent = listener.local_addr().expect("an address");
        let lines = format!("[connections.shop]\nurl = \"http://{silent}\"\nresponse_timeout_ms = 50\n");
        let late = folder(&lines, &format!("{PLAIN}{idempotent}"));
        let gantry = Gantry::folder(late.path());
        put(&gantry, "A").fails(503, "BAQR0405I");
        assert_eq!(gantry.metric(r#"gantry_connection_retries_total{connection="shop"}"#), retries);
    }

    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut bytes = [0; 4096];
        while !bytes.windows(9).any(|found| found == b"Envelope>") {
            let read = stream.read(&mut bytes).expect("a request");
            assert_ne!(read, 0);
        }
        let whole = envelope(SOAP_11, "", PEN);
        let head = format!("HTTP/1.1 200 OK\r\n{TYPE_11}content-length: {}\r\n\r\n", whole.len());
        stream.write_all(head.as_bytes()).expect("it is sent");
        stream.write_all(&whole.as_bytes()[..100]).expect("it is sent");
    });
    let half = folder(&format!("[connections.shop]\nurl = \"http://{address}\"\n"), PLAIN);
    let gantry = Gantry::folder(half.path());
    put(&gantry, "A").fails(502, "GTY0500E");
    server.join().expect("no panic");
    assert!(gantry.stop().contains("the answer broke off"));
}

#[test]
fn a_one_way_operation_has_no_answer() {
    let remote = Remote::start(|_| (202, "", String::new()));
    let provider = "namespace = \"urn:shop\"\none_way = true\n";
    let folder = folder(&connection(&remote), provider);
    let gantry = Gantry::folder(folder.path());
    let found = put(&gantry, "A");
    assert_eq!((found.status, found.text()), (200, r#"{"name":"","price":0}"#));
    assert!(remote.asked()[0].body.contains("<itemOperation xmlns=\"urn:shop\">"), "{:?}", remote.asked());
}

#[test]
fn the_gateway_calls_its_own_web_service() {
    let gateway = Gantry::example("soap");
    let lines = format!("[connections.own]\nurl = \"http://{}/cics/services\"\n", gateway.address());
    let copybook = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../examples/soap/copybooks/ORDER.cpy"
    ));
    let service = "ccsid = 37\n[provider]\nkind = \"soap\"\nconnection = \"own\"\npath = \"/ECHO\"\n\
                   namespace = \"http://www.ECHO.Request.com\"\nelement = \"ECHOOperation\"\n\
                   response_namespace = \"http://www.ECHO.Response.com\"\n\
                   [request]\ncopybook = \"ORDER.cpy\"\n[response]\ncopybook = \"ORDER.cpy\"\n";
    let folder = Folder::empty()
        .with("gantry.toml", &lines)
        .with("copybooks/ORDER.cpy", &copybook.expect("the example is there"))
        .with("services/order.toml", service);
    let json = r#"{"orderOperation":{"order_id":7,"customer":"Ada","amount":12.50}}"#;
    let called = run(&["call", "order", "--in", text(folder.path()), "--json", json]);
    let shown = String::from_utf8_lossy(&called.stdout);
    assert!(shown.contains(r#""order_id":7,"customer":"Ada","amount":12.5"#), "{called:?}");
}

#[test]
fn faults_of_the_configuration_are_told() {
    let gantry = "[connections.shop]\nurl = \"https://shop.example\"\n";
    for (provider, expected) in [
        ("", "'namespace' is missing"),
        ("namespace = \"urn:a\"\npth = \"/a\"", "'pth' is not known here"),
        (
            "namespace = \"urn:a\"\npath = \"a\"",
            "item.toml:3: path: the path 'a' does not begin with a slash",
        ),
        ("namespace = \"urn:a\"\npath = \"/{a}\"", "path: messages have no parameters in the path"),
        ("namespace = \"a b\"", "namespace: expected the namespace of the server's schema"),
        ("namespace = \"urn:a\"\nelement = \"1\"", "element: '1' is not a name for an element of XML"),
        ("namespace = \"urn:a\"\nsoap_action = \"a b\"", "soap_action: expected a URI"),
        ("namespace = \"urn:a\"\nsoap = \"1.3\"", "'1.3' is not known here"),
        ("namespace = \"urn:a\"\none_way = true\nresponse_element = \"B\"", "has no response_element"),
    ] {
        let folder = folder(gantry, provider);
        let checked = run(&["check", text(folder.path())]);
        let found = String::from_utf8_lossy(&checked.stderr);
        assert!(!checked.status.success() && found.contains(expected), "{expected} in\n{found}");
    }
    let folder = folder("", PLAIN);
    let checked = run(&["check", text(folder.path())]);
    let found = String::from_utf8_lossy(&checked.stderr);
    assert!(found.contains("there is no connection 'shop'; known: none"), "{found}");
}

const BIND_FILE: &str = r#"
wsbind = 1
name = "SHOP"
role = "requester"
interface = "channel"
uri = "URL/find"
mapping_level = "4.0"
minimum_runtime_level = "4.0"
namespace = "urn:shop"

[[operation]]
name = "Find"
soap_action = "urn:find"
request = { element = "Find", namespace = "urn:shop", copybook = "ITEM" }
response = { element = "Found", namespace = "urn:shop", copybook = "FOUND" }

[copybooks]
ITEM = """
       01  ITEM.
           05  ITEM-ID     PIC X(8).
"""
FOUND = """
       01  FOUND.
           05  NAME        PIC X(10).
           05  PRICE       PIC S9(5)V99 COMP-3.
"""
"#;

/// The test uses the files that `gantry soap ws2ls` writes for a requester.
#[test]
fn a_bind_file_of_a_requester_on_the_shelf_is_an_api_requester() {
    let remote = Remote::start(|_| {
        let body = "<Found xmlns='urn:shop'><name>Pen</name><price>12.50</price></Found>";
        (200, TYPE_11, envelope(SOAP_11, "", body))
    });
    let url = format!("http://{}/v1", remote.address);
    let pipeline = "[[pipeline]]\nname = \"SOAPREQ\"\nshelf = \"shelf\"\n";
    let folder = Folder::empty()
        .with("gantry.toml", &format!("{}{pipeline}", remote.connection("shop")))
        .with("shelf/SHOP.wsbind", &BIND_FILE.replace("URL", &url));
    let called = run(&["call", "SHOP", "Find", "--in", text(folder.path()), "--json", r#"{"item_id":"A"}"#]);
    let shown = String::from_utf8_lossy(&called.stdout);
    assert!(called.status.success() && shown.contains(r#""price":12.5"#), "{called:?}");
    let asked = remote.asked().remove(0);
    assert_eq!(asked.line, "POST /v1/find HTTP/1.1");
    assert!(asked.headers.contains("soapaction: \"urn:find\"\r\n"), "{}", asked.headers);
    assert!(asked.body.contains("<Find xmlns=\"urn:shop\"><item_id>A"), "{}", asked.body);
    let elsewhere = folder.with("shelf/SHOP.wsbind", &BIND_FILE.replace("URL", "https://other.example"));
    let checked = run(&["check", text(elsewhere.path())]);
    let told = String::from_utf8_lossy(&checked.stderr);
    assert!(
        told.contains("'https://other.example/find' is not below the url of any of [connections]"),
        "{told}"
    );
}
