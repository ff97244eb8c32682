//! Tests web services with messages that fit no single record. `gantry soap ws2ls` lays them out in
//! containers. COBOL programs get and put these, as providers and as callers. These tests need
//! GnuCOBOL 3, and fail without it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const TYPE: &str = "content-type: text/xml; charset=utf-8\r\n";

/// Rows without a limit, choices, groups that repeat, types by `xsi:type`, substitution, any XML.
const WSDL: &str = include_str!("../../../../data/channel/tests/orders.wsdl");

const ORDERS: &[&str] = &[
    "<t:id>7</t:id><t:card>4711</t:card><t:circle>round</t:circle>",
    "<t:id>2</t:id><t:note>n</t:note><t:line unit='kg' no='1'><t:item>a &amp; b</t:item><t:tag>x</t:tag><t:tag>y</t:tag></t:line>\
     <t:line no='-2'><t:item>c</t:item></t:line><t:iban>DE1</t:iban><t:bic>B</t:bic><t:up>1</t:up><t:down>2</t:down><t:up>3</t:up>\
     <t:key>k</t:key><t:value>1.5</t:value><t:key>l</t:key><t:value>-2</t:value>\
     <t:animal i:type='t:Cat'><t:name>Tom</t:name><t:lives>9</t:lives></t:animal>\
     <t:animal i:type='t:Dog'><t:name>Rex</t:name><t:barks>true</t:barks></t:animal><t:square>s</t:square>\
     <t:open>text <a:b xmlns:a='urn:a'>é</a:b></t:open><t:raw>AAEC</t:raw><x:one xmlns:x='urn:x'/><x:two xmlns:x='urn:y'>2</x:two>",
];

/// Makes a bind file of the WSDL in this folder. `more` are further parameters.
fn ws2ls(folder: &Path, name: &str, more: &[&str]) {
    let wsdl = folder.join("orders.wsdl");
    fs::create_dir_all(folder).and_then(|()| fs::write(&wsdl, WSDL)).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(["soap", "ws2ls", "--wsdl", text(&wsdl), "--reqmem", "RQ", "--respmem", "RS"])
        .args(["--mapping-level", "2.2", "--char-varying", "COLLAPSE", "--wsbind", &format!("{name}.wsbind")])
        .args(["--out", text(folder)])
        .args(more)
        .output()
        .expect("gantry runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && shown.contains(&format!("{name}.wsbind: 1 operation")),
        "{shown}{told}"
    );
}

/// Makes two web services of the same WSDL. One echoes. The other calls the first at this address.
fn folder(other: &str) -> Folder {
    let folder = Folder::empty();
    let pickup = folder.path().join("pipelines/others/pickup");
    for program in ["ORDECHO", "ORDPASS"] {
        let uri = format!("/orders/{program}");
        let mut provider = vec!["--pgmname", program, "--pgmint", "CHANNEL", "--uri", &uri];
        if program == "ORDECHO" {
            provider.extend(["--contid", "ORDER-DATA"]);
        }
        ws2ls(&pickup, program, &provider);
    }
    ws2ls(&pickup, "ORDERQ", &["--uri", &format!("{other}/orders/ORDECHO")]);
    let source = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
        fs::read_to_string(path).expect("a text")
    };
    let cache = format!("{}/.cache", text(folder.path()));
    let gantry = format!(
        "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n[region]\ncache = \"{cache}\"\nworkers = 2\n\
         [[pipeline]]\nname = \"others\"\n[connections.other]\nurl = \"{other}\"\n"
    );
    folder
        .with("programs/ORDECHO.cbl", &source("ORDECHO.cbl"))
        .with("programs/ORDPASS.cbl", &source("ORDPASS.cbl"))
        .with("gantry.toml", &gantry)
}

fn envelope(order: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><t:Order xmlns:t=\"urn:t\" lang=\"en\" \
         xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">{order}</t:Order></s:Body></s:Envelope>"
    )
}

/// Gives the body of an answer, with the prefixes of the request.
fn answered(text: &str) -> String {
    let (_, rest) = text.split_once("<SOAP-ENV:Body>").unwrap_or_else(|| panic!("{text}"));
    let (body, _) = rest.split_once("</SOAP-ENV:Body>").unwrap_or_else(|| panic!("{text}"));
    let (_, content) = body.split_once(" lang=\"en\">").unwrap_or_else(|| panic!("{body}"));
    let content = content.strip_suffix("</ns1:Ordered>").unwrap_or_else(|| panic!("{body}"));
    // Any XML repeats the namespace declarations of the elements around it.
    let around = ["xmlns:SOAP-ENV", "xmlns:s", "xmlns:t", "xmlns:i", "xmlns:ns1", "xmlns:xsi"];
    let mut plain = content.replace("xsi:type=\"ns1:", "i:type=\"t:").replace("ns1:", "t:");
    for prefix in around {
        while let Some(at) = plain.find(&format!(" {prefix}='")) {
            let value = at + prefix.len() + 3;
            let end = value + plain[value..].find('\'').expect("a value");
            plain.replace_range(at..=end, "");
        }
    }
    plain.replace('"', "'")
}

#[test]
fn orders_with_containers_go_to_a_program_and_on_to_another_web_service() {
    let served = folder("http://127.0.0.1:1");
    let server = Gantry::folder(served.path());
    let folder = folder(&format!("http://{}", server.address()));
    let gantry = Gantry::folder(folder.path());
    for path in ["/orders/ORDECHO", "/orders/ORDPASS"] {
        for order in ORDERS {
            let answer = gantry.send("POST", path, TYPE, &envelope(order));
            assert_eq!(answer.status, 200, "{}", answer.text());
            assert_eq!(answered(answer.text()), *order, "{path}");
        }
    }
    let wsdl = gantry.send("GET", "/orders/ORDECHO?wsdl", "", "");
    assert!(wsdl.text().contains("OrderType"), "{}", wsdl.text());
    let wrong = ORDERS[0].replace("<t:card>", "<t:id>8</t:id><t:card>");
    let answer = gantry.send("POST", "/orders/ORDECHO", TYPE, &envelope(&wrong));
    assert_eq!(answer.status, 500, "{}", answer.text());
    assert!(
        answer.text().contains("expected one of card, cash, iban, found id")
            && answer.text().contains("<line>1</line>"),
        "{}",
        answer.text()
    );
    gantry.stop();
}

#[test]
fn the_json_of_such_a_service_is_that_of_its_schema() {
    let folder = folder("http://127.0.0.1:1");
    let scanned = run(&["soap", "scan", text(folder.path())]);
    assert!(scanned.status.success(), "{scanned:?}");
    let json = r#"{"id":1,"Order":{"cash":true},"Order2":[{"up":1}],"shape":{"circle":"c"},"Order-xml-cont":"<a xmlns=\"urn:a\"/>","Order-xmlns-cont":""}"#;
    let called = run(&["call", "ORDECHO", "--in", text(folder.path()), "--json", json]);
    let shown = String::from_utf8_lossy(&called.stdout);
    assert!(called.status.success() && shown.contains(r#""Ordered":{"cash":true}"#), "{called:?}");
    assert!(shown.contains(r#""Ordered-xml-cont":"<a xmlns=\"urn:a\"/>""#), "{shown}");
}

#[test]
fn a_call_without_a_gateway_reaches_bind_files_that_wait_in_a_pickup_folder() {
    let served = folder("http://127.0.0.1:1");
    let server = Gantry::folder(served.path());
    let folder = folder(&format!("http://{}", server.address()));
    let json = r#"{"id":1,"Order":{"cash":true},"Order2":[{"up":1}],"shape":{"circle":"c"},"Order-xml-cont":"<a xmlns=\"urn:a\"/>","Order-xmlns-cont":""}"#;
    // The program ORDPASS is behind one bind file, and its INVOKE SERVICE goes to another one.
    let called = run(&["call", "ORDPASS", "--in", text(folder.path()), "--json", json]);
    let shown = String::from_utf8_lossy(&called.stdout);
    assert!(called.status.success() && shown.contains(r#""Ordered":{"cash":true}"#), "{called:?}");
    assert!(!folder.path().join("pipelines/others/shelf").exists(), "the files still wait");
    server.stop();
    let called = run(&["call", "ORDPASS", "--in", text(folder.path()), "--json", json]);
    assert!(!called.status.success(), "without the other server there is no answer: {called:?}");
}
