//! Tests records over HTTP, in the form of CICS on z/OS. A server that checks every byte stands for
//! the mainframe.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

/// An order: text, packed and binary fields, and a variable number of rows.
const ORDER: &str = "       01  ORDER-IN.
           05  ORDER-ID    PIC X(6).
           05  CUSTOMER    PIC X(8).
           05  AMOUNT      PIC S9(5)V99 COMP-3.
           05  ROW-COUNT   PIC 9(4) COMP.
           05  ROWS OCCURS 0 TO 5 DEPENDING ON ROW-COUNT.
             10  PART      PIC X(4).
             10  QUANTITY  PIC S9(3) COMP-3.
";

const SERVICE: &str = r#"ccsid = 273
timeout_ms = 5000

[provider]
kind = "http"
connection = "cics"

[http]
method = "POST"
path = "/orders"
body = "record"

[request]
copybook = "ORDER.cpy"
wrapper = ""

[response]
copybook = "ORDER.cpy"
wrapper = ""
"#;

const API: &str =
    "base_path = \"/cics\"\n\n[[operation]]\nmethod = \"POST\"\npath = \"/orders\"\nservice = \"order\"\n";

/// `A1`, a name with an umlaut (CCSID 273 has it at 5A in upper case), -12.34, and two rows.
const REQUEST: &str = r#"{"order_id":"A1","customer":"MÜLLER","amount":-12.34,"rows":[{"part":"AB","quantity":-7},{"part":"0[","quantity":120}]}"#;
const REQUEST_BYTES: &[u8] = &[
    0xC1, 0xF1, 0x40, 0x40, 0x40, 0x40, // ORDER-ID
    0xD4, 0x5A, 0xD3, 0xD3, 0xC5, 0xD9, 0x40, 0x40, // CUSTOMER
    0x00, 0x01, 0x23, 0x4D, // AMOUNT
    0x00, 0x02, // ROW-COUNT
    0xC1, 0xC2, 0x40, 0x40, 0x00, 0x7D, // the first row
    0xF0, 0x63, 0x40, 0x40, 0x12, 0x0C, // the second row
];

/// An order without rows: the shortest record.
const EMPTY: &str = r#"{"order_id":"NONE","rows":[]}"#;
const EMPTY_BYTES: &[u8] = &[
    0xD5, 0xD6, 0xD5, 0xC5, 0x40, 0x40, // ORDER-ID
    0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, // CUSTOMER
    0x00, 0x00, 0x00, 0x0C, // AMOUNT
    0x00, 0x00, // ROW-COUNT
];

/// The server's answer: one row, and bytes that no text has.
const ANSWER_BYTES: &[u8] = &[
    0xD6, 0xD2, 0x40, 0x40, 0x40, 0x40, // ORDER-ID
    0xC1, 0x4A, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, // CUSTOMER: Ä in CCSID 273
    0x99, 0x99, 0x99, 0x9C, // AMOUNT
    0x00, 0x01, // ROW-COUNT
    0xE9, 0x40, 0x40, 0x40, 0x99, 0x9D, // the row
];
const ANSWER: &str =
    r#"{"order_id":"OK","customer":"AÄ","amount":99999.99,"rows":[{"part":"Z","quantity":-999}]}"#;

const OCTETS: &str = "content-type: application/octet-stream\r\n";

/// Answers a whole request with a status, header lines and a body.
type Answers = fn(&str, &[u8]) -> (u16, &'static str, Vec<u8>);

/// Starts a server of records. It serves until the test ends.
fn server(answers: Answers) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || serve(stream, answers));
        }
    });
    address
}

fn serve(stream: TcpStream, answers: Answers) {
    let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
    let mut writer = stream;
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            if reader.read_until(b'\n', &mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = String::from_utf8(head).expect("a head is ASCII");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = vec![0; length.expect("CICS wants the length of a body")];
        reader.read_exact(&mut body).expect("the whole body comes");
        let (status, headers, body) = answers(&head, &body);
        let head = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len());
        if writer.write_all(&[head.as_bytes(), &body].concat()).is_err() {
            return;
        }
    }
}

fn folder(address: SocketAddr, service: &str) -> Folder {
    let gantry = format!("[connections.cics]\nurl = \"http://{address}/gantry\"\nretries_max = 0\n");
    Folder::empty()
        .with("gantry.toml", &gantry)
        .with("copybooks/ORDER.cpy", ORDER)
        .with("services/order.toml", service)
        .with("apis/cics/api.toml", API)
}

/// Checks a request as a program on the mainframe would.
fn strict(head: &str, body: &[u8]) -> (u16, &'static str, Vec<u8>) {
    let fault = |found: &str| (500, "content-type: text/plain\r\n", found.as_bytes().to_vec());
    if !head.starts_with("POST /gantry/orders HTTP/1.1\r\n") || !head.contains(OCTETS) {
        return fault("another head");
    }
    match body {
        REQUEST_BYTES | EMPTY_BYTES => (200, OCTETS, ANSWER_BYTES.to_vec()),
        _ => fault(&format!("other bytes: {body:02X?}")),
    }
}

#[test]
fn every_byte_goes_out_and_comes_back_as_it_is() {
    let folder = folder(server(strict), SERVICE);
    let gantry = Gantry::folder(folder.path());
    for request in [REQUEST, EMPTY] {
        gantry.send("POST", "/cics/orders", "", request).is_json(200, ANSWER);
    }
}

#[test]
fn the_content_type_is_that_of_the_configuration() {
    let address = server(|head, body| match head.contains("content-type: application/vnd.shop.order\r\n") {
        true => (200, "content-type: Application/vnd.shop.order; v=1\r\n", body.to_vec()),
        false => (400, "", Vec::new()),
    });
    let service = SERVICE
        .replace("body = \"record\"", "body = \"record\"\ncontent_type = \"application/vnd.shop.order\"");
    let folder = folder(address, &service);
    let called = run(&["call", "order", "--in", text(folder.path()), "--json", EMPTY]);
    assert!(called.status.success(), "{called:?}");
}

#[test]
fn answers_that_are_no_such_record_are_told() {
    let address = server(|_, body| match body[0] {
        0xC1 => (200, "content-type: text/plain; charset=ibm-273\r\n", ANSWER_BYTES.to_vec()),
        0xC2 => (200, OCTETS, Vec::new()),
        0xC3 => (200, OCTETS, ANSWER_BYTES[..ANSWER_BYTES.len() - 1].to_vec()),
        0xC4 => (200, OCTETS, [ANSWER_BYTES, &[0x40; 25]].concat()),
        0xC5 => (503, "content-type: text/html\r\n", b"<h1>busy</h1>".to_vec()),
        _ => (404, OCTETS, ANSWER_BYTES.to_vec()),
    });
    let folder = folder(address, SERVICE);
    let gantry = Gantry::folder(folder.path());
    let send = |id: &str| {
        let answer =
            gantry.send("POST", "/cics/orders", "", &format!("{{\"order_id\":\"{id}\",\"rows\":[]}}"));
        (answer.status, answer.text().to_owned())
    };
    for (id, code) in [
        ("A", "GTY0500E"),
        ("B", "GTY0500E"),
        ("C", "GTY0502E"),
        ("D", "GTY0500E"),
        ("E", "GTY0500E"),
        ("F", "GTY0500E"),
    ] {
        let (status, said) = send(id);
        assert_eq!(status, 502, "{id}: {said}");
        assert!(said.contains(code), "{id}: {said}");
    }
    let log = gantry.stop();
    for told in [
        "expected a record of the content type 'application/octet-stream', found 'text/plain'",
        "expected a record, found no body",
        "expected a record of at most 50 bytes, found 51",
        "the API answered with status 503",
        "the API answered with status 404",
    ] {
        assert!(log.contains(told), "{told} in\n{log}");
    }
}

#[test]
fn the_service_of_the_guide_works_as_it_stands() {
    let guide = include_str!("../../../../../docs/guides/cics-http.md");
    let service =
        guide.split("```toml\n").nth(2).and_then(|rest| rest.split("```").next()).expect("the service");
    assert!(service.starts_with("# services/order.toml"), "{service}");
    let folder = folder(server(|_, body| (200, OCTETS, body.to_vec())), service);
    let called = run(&[
        "call",
        "order",
        "--in",
        text(folder.path()),
        "--json",
        r#"{"orderOperation":{"order_id":"A"}}"#,
    ]);
    assert!(called.status.success(), "{called:?}");
    let said = String::from_utf8_lossy(&called.stdout).into_owned();
    assert!(said.contains(r#"{"orderOperationResponse":{"order_id":"A","#), "{said}");
}
