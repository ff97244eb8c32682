//! Tests `gantry new --wsdl`: it makes a folder of a WSDL, in front of its server or in its place.

use std::fs;
use std::path::{Path, PathBuf};

use crate::client::Response;
use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::{Asked, Remote};

/// WSDLs of other projects: containers, choices, any XML, style rpc, imported files, both versions of SOAP.
const WSDLS: [&str; 7] = [
    "../../data/channel/tests/orders.wsdl",
    "../../text/wsdl/tests/golden/levels/service.wsdl",
    "../../text/wsdl/tests/golden/order/service.wsdl",
    "../../text/wsdl/tests/golden/rpc/service.wsdl",
    "../../text/wsdl/tests/golden/files/service.wsdl",
    "../../../tests/acceptance/wsdl/people.wsdl",
    "../../../tests/acceptance/wsdl/bookings/bookings.wsdl",
];

/// One operation, with a text and a number without limits.
const STOCK: &str = r#"<definitions targetNamespace="urn:stock" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="urn:stock"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema">
  <types><xsd:schema targetNamespace="urn:stock" elementFormDefault="qualified">
    <xsd:element name="find"><xsd:complexType><xsd:sequence>
      <xsd:element name="item"><xsd:simpleType><xsd:restriction base="xsd:string"><xsd:maxLength value="8"/></xsd:restriction></xsd:simpleType></xsd:element>
      <xsd:element name="pieces" type="xsd:int"/>
    </xsd:sequence></xsd:complexType></xsd:element>
    <xsd:element name="found"><xsd:complexType><xsd:sequence>
      <xsd:element name="name" type="xsd:string"/>
      <xsd:element name="price" type="xsd:decimal"/>
      <xsd:element name="since" type="xsd:date" minOccurs="0"/>
    </xsd:sequence></xsd:complexType></xsd:element>
  </xsd:schema></types>
  <message name="find"><part name="body" element="s:find"/></message>
  <message name="found"><part name="body" element="s:found"/></message>
  <portType name="Stock"><operation name="Find"><input message="s:find"/><output message="s:found"/></operation></portType>
  <binding name="Stock11" type="s:Stock">
    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="Find"><soap:operation soapAction="urn:find"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation>
  </binding>
  <service name="Stock"><port name="Stock" binding="s:Stock11"><soap:address location="http://them.example/stock"/></port></service>
</definitions>
"#;

/// Adds a second port type with the same operation. Its request is another element.
fn two_port_types() -> String {
    let second = "<portType name=\"Other\"><operation name=\"Find\"><input message=\"s:found\"/><output message=\"s:find\"/></operation></portType>\
                  <binding name=\"Other11\" type=\"s:Other\">\
                  <soap:binding style=\"document\" transport=\"http://schemas.xmlsoap.org/soap/http\"/>\
                  <operation name=\"Find\"><soap:operation soapAction=\"\"/><input><soap:body use=\"literal\"/></input>\
                  <output><soap:body use=\"literal\"/></output></operation></binding><service ";
    STOCK.replace("<service ", second)
}

/// Adds the operations Seek, with another element, and Old, which Gantry does not support.
fn three_operations() -> String {
    let declared =
        "<operation name=\"Find\"><input message=\"s:find\"/><output message=\"s:found\"/></operation>";
    let bound = "<operation name=\"Find\"><soap:operation soapAction=\"urn:find\"/><input><soap:body use=\"literal\"/></input>\
                 <output><soap:body use=\"literal\"/></output></operation>";
    let also = |text: &str| {
        let seek = text.replace("\"Find\"", "\"Seek\"").replace("\"s:find\"", "\"s:found\"");
        format!("{text}{seek}{}", text.replace("\"Find\"", "\"Old\"").replace("literal", "encoded"))
    };
    STOCK.replace(declared, &also(declared)).replace(bound, &also(bound))
}

/// Takes an item in its commarea, and answers with it. Its copybooks come from the WSDL.
const FINDER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. FINDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM PIC X(8).
       COPY SHOPA01.
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(304).
       COPY SHOPQ01.
       PROCEDURE DIVISION.
           SET ADDRESS OF SHOPQ01 TO ADDRESS OF DFHCOMMAREA.
           MOVE item TO WS-ITEM.
           INITIALIZE SHOPA01.
           STRING WS-ITEM DELIMITED BY SPACE ' found' DELIMITED BY SIZE
               INTO name.
           COMPUTE price = pieces * 1.5.
           MOVE SHOPA01 TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
";

fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Runs the command with these words. Gives its exit code, standard output and standard error.
fn new(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(&[&["new", "shop"], arguments].concat());
    let utf8 = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), utf8(output.stdout), utf8(output.stderr))
}

/// Makes a folder, and expects that `check` finds no fault and no warning. Gives the output of the
/// command.
#[track_caller]
fn made(folder: &Path, wsdl: &Path, more: &[&str]) -> String {
    let (code, out, errors) = new(&[&["--wsdl", text(wsdl), "--into", text(folder)], more].concat());
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{}", wsdl.display());
    let output = run(&["check", text(folder)]);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    out
}

/// Writes a WSDL into `svc/` whose types are in `xsd/` beside it.
fn beside(folder: &Path) -> PathBuf {
    let (start, rest) = STOCK.split_once("<xsd:schema").expect("a schema");
    let (schema, end) = rest.split_once("</xsd:schema>").expect("its end");
    let schema = format!("<xsd:schema xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"{schema}</xsd:schema>");
    let import =
        "<xsd:schema><xsd:import namespace=\"urn:stock\" schemaLocation=\"../xsd/stock.xsd\"/></xsd:schema>";
    for (name, text) in [("svc/stock.wsdl", format!("{start}{import}{end}")), ("xsd/stock.xsd", schema)] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder.join("svc/stock.wsdl")
}

#[test]
fn a_wsdl_may_import_from_beside_its_folder_if_a_root_above_is_named() {
    let from = Folder::empty();
    let wsdl = beside(from.path());
    let folder = from.path().join("made");
    let refused = new(&["--wsdl", text(&wsdl), "--into", text(&folder)]);
    assert_ne!(refused.0, Some(0));
    assert!(
        refused.2.contains("../xsd/stock.xsd: is outside of the folder of the WSDL")
            && refused.2.contains("--wsdl-root"),
        "{}",
        refused.2
    );
    let elsewhere =
        new(&["--wsdl", text(&wsdl), "--into", text(&folder), "--wsdl-root", text(&from.path().join("xsd"))]);
    assert!(elsewhere.2.contains("--wsdl-root: ") && elsewhere.2.contains("is not below"), "{}", elsewhere.2);
    made(&folder, &wsdl, &["--soap", "--wsdl-root", text(from.path())]);
    assert!(folder.join("wsdl/svc/stock.wsdl").exists() && folder.join("wsdl/xsd/stock.xsd").exists());
    let gantry = Gantry::folder(&folder);
    let requests = requests(&folder);
    for request in &requests {
        let answer = gantry.send("POST", &request.path, &request.headers, &request.body);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let request = requests.last().expect("the request by SOAP");
    let wsdl = String::from_utf8(gantry.get(&format!("{}?wsdl", request.path)).body).expect("UTF-8");
    let (_, query) = wsdl.split_once("?wsdl=").expect("an import");
    let (query, _) = query.split_once('"').expect("its end");
    let part = gantry.get(&format!("{}?wsdl={query}", request.path));
    assert_eq!(part.status, 200, "{part:?}");
    let part = String::from_utf8(part.body).expect("UTF-8");
    assert!(part.contains("name=\"found\""), "{part}");
    // The configuration may name only files in its folder.
    fs::write(
        folder.join("wsdl/svc/stock.wsdl"),
        fs::read_to_string(folder.join("wsdl/svc/stock.wsdl")).expect("it").replace("../xsd", "../../../xsd"),
    )
    .expect("written");
    let checked = run(&["check", text(&folder)]);
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(!checked.status.success() && told.contains("is outside of the configuration folder"), "{told}");
}

/// A request of requests.http.
struct Request {
    name: String,
    path: String,
    headers: String,
    body: String,
}

fn requests(folder: &Path) -> Vec<Request> {
    let text = fs::read_to_string(folder.join("requests.http")).expect("requests");
    let requests = text.split("### ").skip(1).map(|request| {
        let (head, body) = request.split_once("\n\n").expect("a head");
        let mut lines = head.lines();
        let name = lines.next().expect("a name").to_owned();
        let line = lines.next().unwrap_or_else(|| panic!("{name}: no request"));
        let path = line.strip_prefix("POST http://127.0.0.1:2222").expect("the address").to_owned();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').expect("a header");
            format!("{}:{value}\r\n", name.to_ascii_lowercase())
        });
        let headers = headers.collect();
        // The body is in a file of its own.
        let file = body.trim().strip_prefix("< ./").unwrap_or_else(|| panic!("{name}: {body}"));
        let body = fs::read_to_string(folder.join(file)).expect("a body");
        Request { name, path, headers, body: body.trim().to_owned() }
    });
    requests.collect()
}

fn send(gantry: &Gantry, request: &Request) -> Response {
    gantry.send("POST", &request.path, &request.headers, &request.body)
}

/// Gives the JSON of an answer without namespace declarations for any XML. The way of a message
/// adds its own.
fn told_of(answer: &Response) -> serde_json::Value {
    fn forget(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(members) => {
                members.retain(|name, _| !name.ends_with("-xmlns-cont"));
                members.values_mut().for_each(forget);
            }
            serde_json::Value::Array(elements) => elements.iter_mut().for_each(forget),
            _ => {}
        }
    }
    let text = answer.text();
    let mut value =
        if text.is_empty() { serde_json::Value::Null } else { serde_json::from_str(text).expect("JSON") };
    forget(&mut value);
    value
}

#[test]
fn a_folder_in_front_of_another_that_answers_gives_the_same_answers() {
    for path in WSDLS {
        let (wsdl, folder) = (source(path), Folder::empty());
        let (there, here) = (folder.path().join("there"), folder.path().join("here"));
        made(&there, &wsdl, &["--soap"]);
        let server = Gantry::folder(&there);
        let address = format!("http://{}/cics/services/shop", server.address());
        made(&here, &wsdl, &["--http", &address]);
        let front = Gantry::folder(&here);
        let (mut over_rest, mut over_soap) = (0, 0);
        for request in requests(&there) {
            let answer = send(&server, &request);
            let told = format!("{path} {}: {} {}", request.name, answer.status, answer.text());
            if request.name.ends_with(", over SOAP") {
                over_soap += 1;
                assert!([200, 202].contains(&answer.status), "{told}");
            } else {
                over_rest += 1;
                assert!([200, 204].contains(&answer.status), "{told}");
                let same = requests(&here).into_iter().find(|other| other.name == request.name);
                let passed = send(&front, &same.expect("the same operation"));
                assert_eq!((passed.status, told_of(&passed)), (answer.status, told_of(&answer)), "{told}");
            }
        }
        assert!(over_rest > 0 && over_rest == over_soap, "{path}: {over_rest}, {over_soap}");
    }
}

#[test]
fn operations_that_cannot_be_taken_are_listed() {
    let folder = Folder::empty();
    let out = made(&folder.path().join("made"), &source(WSDLS[3]), &["--soap"]);
    let (_, lacks) = out.split_once("not served:\n").expect("a list");
    for line in ["  Old: service.wsdl:28:19: use=\"encoded\"", "  Parts: ", "  Elements: "] {
        assert!(lacks.contains(line), "expected {line}: {lacks}");
    }
    let refused = source("../../text/wsdl/tests/golden/refused/service.wsdl");
    let into = folder.path().join("none");
    let (code, _, errors) = new(&["--wsdl", text(&refused), "--into", text(&into), "--soap"]);
    assert_eq!(code, Some(1));
    assert!(
        errors.contains("Gantry can take no operation") && errors.contains("'Tree' contains itself"),
        "{errors}"
    );
    assert!(!into.exists());
}

#[test]
fn of_two_operations_with_one_element_the_first_is_served() {
    let second = |text: &str| text.replacen("name=\"Find\"", "name=\"Seek\"", 1);
    let declared =
        "<operation name=\"Find\"><input message=\"s:find\"/><output message=\"s:found\"/></operation>";
    let bound = "<operation name=\"Find\"><soap:operation soapAction=\"urn:find\"/><input><soap:body use=\"literal\"/></input>\
                 <output><soap:body use=\"literal\"/></output></operation>";
    let both = STOCK
        .replace(declared, &format!("{declared}{}", second(declared)))
        .replace(bound, &format!("{bound}{}", second(bound)));
    let folder = Folder::empty();
    let (wsdl, program) = (folder.path().join("stock.wsdl"), folder.path().join("FINDER.cbl"));
    fs::write(&wsdl, both).expect("a file");
    fs::write(&program, FINDER).expect("a file");
    for (into, more) in [("simulated", &["--soap"][..]), ("program", &["--program", text(&program)])] {
        let out = made(&folder.path().join(into), &wsdl, more);
        let (_, lacks) = out.split_once("not served").expect("a list");
        assert!(lacks.contains("Seek: operation 'Find' has the same element"), "{lacks}");
        assert!(!lacks.contains("Find:"), "{lacks}");
    }
    // In front of a server the path tells.
    let front = made(&folder.path().join("front"), &wsdl, &["--allow-plaintext"]);
    assert!(!front.contains("not served"), "{front}");
}

/// Answers according to the item.
fn stock(asked: &Asked) -> (u16, &'static str, String) {
    let item = asked.body.split("item>").nth(1).expect("an item").trim_end_matches("</").to_owned();
    let item = item.rsplit_once("</").map_or(item.as_str(), |(item, _)| item);
    let body = match item {
        "FAULT" => {
            "<e:Fault><faultcode>e:Server</faultcode><faultstring>no</faultstring></e:Fault>".to_owned()
        }
        "WRONG" => "<s:found xmlns:s='urn:stock'><s:name>a</s:name></s:found>".to_owned(),
        _ => format!(
            "<s:found xmlns:s='urn:stock'><s:name>{}</s:name><s:price>-12345678901234567890.123456789</s:price>\
             <s:since>2026-01-31Z</s:since></s:found>",
            format!("{item} ").repeat(10_000)
        ),
    };
    let status = if item == "FAULT" { 500 } else { 200 };
    let envelope = format!(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>{body}</e:Body></e:Envelope>"
    );
    (status, "content-type: text/xml; charset=utf-8\r\n", envelope)
}

#[test]
fn no_value_of_a_server_is_cut_or_rounded_and_its_failures_are_told() {
    let server = Remote::start(stock);
    let from = Folder::empty().with("stock.wsdl", STOCK);
    let folder = from.path().join("made");
    made(&folder, &from.path().join("stock.wsdl"), &["--http", &format!("http://{}/a/b", server.address)]);
    let gantry = Gantry::folder(&folder);
    let ask = |item: &str| {
        let body = format!(r#"{{"item":"{item}","pieces":3}}"#);
        gantry.send("POST", "/shop/Find", "content-type: application/json\r\n", &body)
    };
    let answer = ask("é€");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let (name, rest) = answer.text().split_once("\",").expect("two members");
    assert!(name == format!("{{\"name\":\"{}", "é€ ".repeat(10_000)), "{} bytes", name.len());
    assert_eq!(rest, r#""price":-12345678901234567890.123456789,"since":"2026-01-31Z"}"#);
    let asked = server.asked().remove(0);
    assert_eq!(asked.line, "POST /a/b HTTP/1.1");
    assert!(asked.headers.contains("soapaction: \"urn:find\"\r\n"), "{}", asked.headers);
    assert!(
        asked.body.contains("<ns1:pieces>3</ns1:pieces>") || asked.body.contains("<pieces>3</pieces>"),
        "{}",
        asked.body
    );
    ask("FAULT").fails(502, "GTY0515E");
    assert_eq!(ask("WRONG").status, 502);
    ask("TOO-LONG-1").fails(400, "GTY0425W");
    assert_eq!(server.asked().len(), 3);
}

#[test]
fn quiet_tells_only_what_is_not_served() {
    let folder = Folder::empty();
    let wsdl = source(WSDLS[3]);
    let (code, out, errors) =
        new(&["--wsdl", text(&wsdl), "--into", text(&folder.path().join("made")), "--soap", "--quiet"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(out.starts_with("\nnot served:\n  Old: ") && !out.contains("next:"), "{out}");
}

#[test]
fn the_address_is_that_of_the_wsdl_unless_another_is_said() {
    let from = Folder::empty()
        .with("stock.wsdl", STOCK)
        .with("tls.wsdl", &STOCK.replace("http://them", "https://them"));
    let connection = |name: &str, more: &[&str]| {
        let folder = from.path().join(name);
        made(&folder, &from.path().join(format!("{name}.wsdl")), more);
        fs::read_to_string(folder.join("connections/shop.toml")).expect("a connection")
    };
    assert_eq!(connection("tls", &[]), "url = \"https://them.example/stock\"\n");
    assert_eq!(
        connection("stock", &["--allow-plaintext"]),
        "url = \"http://them.example/stock\"\nallow_plaintext = true\n"
    );
}

#[test]
fn a_program_with_a_commarea_answers() {
    let from = Folder::empty().with("stock.wsdl", STOCK).with("FINDER.cbl", FINDER);
    let folder = from.path().join("made");
    let program = from.path().join("FINDER.cbl");
    made(&folder, &from.path().join("stock.wsdl"), &["--program", text(&program)]);
    assert!(
        folder.join("copybooks/SHOPQ01.cpy").is_file()
            && folder.join("pipelines/shop/pickup/shop-soap.wsbind").is_file()
    );
    let gantry = Gantry::folder(&folder);
    let requests = requests(&folder);
    let [rest, soap] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    // JSON has no counters, and leaves out what is not there.
    send(&gantry, rest).is_json(200, r#"{"name":"ITEM found","price":1.5}"#);
    let ask = |body: &str| gantry.send("POST", "/shop/Find", "content-type: application/json\r\n", body);
    ask(r#"{"pieces":-3,"item":"LAMP"}"#).is_json(200, r#"{"name":"LAMP found","price":-4.5}"#);
    ask(r#"{"item":"TOO-LONG-1","pieces":1}"#).fails(400, "GTY0425W");
    ask(r#"{"item":"A"}"#).fails(400, "GTY0422W");
    let document: serde_json::Value =
        serde_json::from_str(gantry.get("/shop/openapi.json").text()).expect("JSON");
    let post = &document["paths"]["/Find"]["post"];
    let schema = &post["responses"]["200"]["content"]["application/json"]["schema"];
    let members: Vec<&String> = schema["properties"].as_object().expect("members").keys().collect();
    assert_eq!(members, ["name", "price", "since"], "{schema}");
    assert_eq!(schema["required"], serde_json::json!(["name", "price"]));
    let schema = &post["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(schema["properties"]["item"]["maxLength"], 8, "{schema}");
    let answer = send(&gantry, soap);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(
        answer.text().contains("name>ITEM found</") && answer.text().contains("price>1.5</"),
        "{}",
        answer.text()
    );
    let wsdl = gantry.get("/cics/services/shop?wsdl");
    assert!(wsdl.status == 200 && wsdl.text().contains("urn:find"), "{}", wsdl.text());
}

/// A record for a program, and the containers of simulated services, take the elements of `xsd:all` in any order.
#[test]
fn elements_of_all_come_in_any_order() {
    let (before, after) = STOCK.split_once("<xsd:element name=\"found\">").expect("an answer");
    let wsdl = format!("{}<xsd:element name=\"found\">{after}", before.replace("xsd:sequence", "xsd:all"));
    let from = Folder::empty().with("stock.wsdl", &wsdl).with("FINDER.cbl", FINDER);
    let program = from.path().join("FINDER.cbl");
    for (name, more) in [("record", ["--program", text(&program)].as_slice()), ("channel", &["--soap"])] {
        let folder = from.path().join(name);
        made(&folder, &from.path().join("stock.wsdl"), more);
        let gantry = Gantry::folder(&folder);
        let ask = |inner: &str| {
            let body = format!(
                "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><find xmlns=\"urn:stock\">{inner}</find>\
                 </e:Body></e:Envelope>"
            );
            let headers = "content-type: text/xml\r\nsoapaction: \"urn:find\"\r\n";
            gantry.send("POST", "/cics/services/shop", headers, &body)
        };
        let (item, pieces) = ("<item>LAMP</item>", "<pieces>3</pieces>");
        let answer = ask(&[item, pieces].concat());
        assert_eq!(answer.status, 200, "{name}: {}", answer.text());
        let other = ask(&[pieces, item].concat());
        assert_eq!((other.status, other.text()), (200, answer.text()), "{name}");
        for (inner, code) in [([item, item], "GTY0421W"), ([pieces, ""], "GTY0422W")] {
            let refused = ask(&inner.concat());
            assert!(refused.status == 500 && refused.text().contains(code), "{name}: {}", refused.text());
        }
    }
}

/// A record for a program, and the containers of simulated services, check values alike.
#[test]
fn a_value_that_is_none_of_its_type_is_the_fault_of_the_caller() {
    let pieces = "<xsd:element name=\"pieces\" type=\"xsd:int\"/>";
    let dated = format!("{pieces}<xsd:element name=\"due\" type=\"xsd:date\" minOccurs=\"0\"/>");
    let from =
        Folder::empty().with("stock.wsdl", &STOCK.replacen(pieces, &dated, 1)).with("FINDER.cbl", FINDER);
    let program = from.path().join("FINDER.cbl");
    for (made_as, more) in [("record", vec!["--program", text(&program)]), ("channel", vec!["--soap"])] {
        let folder = from.path().join(made_as);
        made(&folder, &from.path().join("stock.wsdl"), &more);
        let gantry = Gantry::folder(&folder);
        let ask = |due: &str| {
            let body = format!(
                "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><find xmlns=\"urn:stock\">\n\
                 <item>A</item><pieces>1</pieces>{due}</find></e:Body></e:Envelope>"
            );
            let head = "content-type: text/xml; charset=utf-8\r\nsoapaction: \"urn:find\"\r\n";
            gantry.send("POST", "/cics/services/shop", head, &body)
        };
        for due in ["<due>\n 2026-01-31+01:00 </due>", "<due/>", ""] {
            let answer = ask(due);
            assert_eq!(answer.status, 200, "{made_as} {due}: {}", answer.text());
        }
        let answer = ask("<due>31.01.2026</due>");
        assert_eq!(answer.status, 500, "{}", answer.text());
        for expected in [
            "SOAP-ENV:Client",
            "GTY0423W",
            "expected a value of the type date, such as 2026-01-31, found '31.01.2026'",
            "<line>2</line>",
        ] {
            assert!(answer.text().contains(expected), "{made_as}, {expected}: {}", answer.text());
        }
    }
}

#[test]
fn a_program_with_a_channel_answers() {
    let folder = Folder::empty();
    let made_folder = folder.path().join("made");
    let program = source("tests/programs/ORDECHO.cbl");
    made(&made_folder, &source(WSDLS[0]), &["--program", text(&program)]);
    let gantry = Gantry::folder(&made_folder);
    let requests = requests(&made_folder);
    let [rest, soap] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    let answer = send(&gantry, soap);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.text().contains("Ordered"), "{}", answer.text());
    // The same program over REST, with the names of the WSDL.
    let answer = send(&gantry, rest);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let asked: serde_json::Value = serde_json::from_str(&rest.body).expect("JSON");
    let told = told_of(&answer);
    for name in ["@lang", "id", "note", "line", "animal", "shape", "raw"] {
        assert!(!told[name].is_null() && told[name] == asked[name], "{name}: {told}");
    }
    let document = gantry.get("/shop/openapi.json");
    assert!(document.status == 200 && document.text().contains("\"@lang\""), "{}", document.text());
}

#[test]
fn only_the_wanted_operations_become_services() {
    let folder = Folder::empty().with("stock.wsdl", &three_operations()).with("FINDER.cbl", FINDER);
    let (wsdl, program) = (folder.path().join("stock.wsdl"), folder.path().join("FINDER.cbl"));
    let services = |made: &Path| {
        let entries = fs::read_dir(made.join("services")).expect("services");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    for (into, wanted, more) in [
        ("front", "Find, Seek", &["--http", "https://them.example/"][..]),
        ("here", "Seek", &["--soap"]),
        ("program", "Find", &["--program", text(&program)]),
    ] {
        let into = folder.path().join(into);
        let out = made(&into, &wsdl, &[more, &["--operations", wanted]].concat());
        assert!(!out.contains("not served"), "{out}");
        let wanted: Vec<&str> = wanted.split(", ").collect();
        let expected: Vec<String> = wanted.iter().map(|name| format!("{name}.toml")).collect();
        assert_eq!(services(&into), expected);
        let names: Vec<String> = requests(&into).into_iter().map(|request| request.name).collect();
        assert!(names.iter().all(|name| wanted.iter().any(|wanted| name.starts_with(wanted))), "{names:?}");
    }
    // The others may have faults.
    let into = folder.path().join("none");
    for (wanted, expected) in [
        (
            "Fnd",
            "--operations: binding Stock11 has no operation 'Fnd' (did you mean 'Find'?); it has Find, Seek, Old",
        ),
        (
            "Find,Xylophone,SEEKS",
            "has no operation 'Xylophone', 'SEEKS' (did you mean 'Seek'?); it has Find, Seek, Old",
        ),
        ("Old", "Gantry can take no operation:"),
    ] {
        let (code, _, errors) =
            new(&["--wsdl", text(&wsdl), "--into", text(&into), "--soap", "--operations", wanted]);
        assert!(code == Some(1) && errors.contains(expected), "{errors}");
        assert!(!into.exists());
    }
    let (code, _, errors) = new(&["--operations", "Find"]);
    assert!(code == Some(2) && errors.contains("--wsdl"), "{errors}");
}

#[test]
fn bodies_are_files_and_printed_commands_are_short() {
    let folder = Folder::empty();
    let made_folder = folder.path().join("it's made");
    let out = made(&made_folder, &source(WSDLS[0]), &["--soap"]);
    let commands: Vec<&str> = out.lines().filter(|line| line.trim().starts_with("curl")).collect();
    let shown = text(&made_folder).replace('\'', "'\\''");
    assert_eq!(
        commands,
        [
            format!(
                "  curl -s -H 'Content-Type: application/json' --data-binary '@{shown}/requests/Order.json' http://127.0.0.1:2222/shop/Order"
            ),
            format!(
                "  curl -s -H 'Content-Type: text/xml; charset=utf-8' -H 'SOAPAction: \"\"' --data-binary '@{shown}/requests/Order.xml' \
                 http://127.0.0.1:2222/cics/services/shop"
            ),
            "  curl -s 'http://127.0.0.1:2222/cics/services/shop?wsdl'".to_owned(),
        ]
    );
    let http = fs::read_to_string(made_folder.join("requests.http")).expect("requests");
    assert!(
        http.contains("\n\n< ./requests/Order.json\n") && http.contains("\n\n< ./requests/Order.xml\n"),
        "{http}"
    );
}

/// Numbers of more than 18 digits need the parameter WIDE-COMP3 of the assistant.
#[test]
fn long_decimal_numbers_have_wide_fields() {
    let price = "<xsd:element name=\"price\" type=\"xsd:decimal\"/>";
    let long = "<xsd:element name=\"price\"><xsd:simpleType><xsd:restriction base=\"xsd:decimal\"><xsd:totalDigits value=\"26\"/>\
                <xsd:fractionDigits value=\"6\"/></xsd:restriction></xsd:simpleType></xsd:element>";
    let from = Folder::empty().with("stock.wsdl", &STOCK.replace(price, long));
    let folder = from.path().join("made");
    let out = made(&folder, &from.path().join("stock.wsdl"), &["--soap"]);
    assert!(!out.contains("not served"), "{out}");
    let copybook = fs::read_to_string(folder.join("copybooks/SHOPA01.cpy")).expect("a copybook");
    assert!(copybook.contains("PIC S9(20)V9(6) COMP-3"), "{copybook}");
    let gantry = Gantry::folder(&folder);
    for request in &requests(&folder) {
        let answer = send(&gantry, request);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
}

/// Two operations whose messages have the same large type.
#[test]
fn types_of_several_messages_stand_once_in_the_document() {
    let field = |name: &str| format!("<xsd:element name=\"{name}\" type=\"xsd:string\"/>");
    let fields: String = ["street", "house", "town", "country"].map(field).concat();
    let address =
        format!("<xsd:complexType name=\"Address\"><xsd:sequence>{fields}</xsd:sequence></xsd:complexType>");
    let wsdl = STOCK.replace("<xsd:element name=\"find\">", &format!("{address}<xsd:element name=\"find\">"));
    let wsdl = wsdl.replace(
        "<xsd:element name=\"pieces\"",
        "<xsd:element name=\"from\" type=\"s:Address\"/><xsd:element name=\"to\" type=\"s:Address\"/><xsd:element name=\"pieces\"",
    );
    let from = Folder::empty().with("stock.wsdl", &wsdl);
    let folder = from.path().join("made");
    made(&folder, &from.path().join("stock.wsdl"), &["--soap"]);
    let text = fs::read_to_string(folder.join("apis/shop/openapi.json")).expect("a document");
    assert_eq!(text.matches("\"street\": {").count(), 1, "{text}");
    assert_eq!(text.matches("\"$ref\": \"#/components/schemas/from\"").count(), 2, "{text}");
    let gantry = Gantry::folder(&folder);
    for request in &requests(&folder) {
        let answer = send(&gantry, request);
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let ask = |body: &str| gantry.send("POST", "/shop/Find", "content-type: application/json\r\n", body);
    let address = r#"{"street":"a","house":"1","town":"b","country":"c"}"#;
    let refused = ask(&format!(r#"{{"item":"A","from":{address},"to":{{"street":"a"}},"pieces":1}}"#));
    assert!(refused.status == 400 && refused.text().contains("to"), "{}", refused.text());
}

#[test]
fn of_several_port_types_one_is_chosen() {
    let from = Folder::empty().with("two.wsdl", &two_port_types());
    let wsdl = from.path().join("two.wsdl");
    let into = from.path().join("made");
    let (code, _, errors) = new(&["--wsdl", text(&wsdl), "--into", text(&into), "--soap"]);
    assert!(code == Some(1) && errors.contains("say --binding one of Stock11, Other11"), "{errors}");
    made(&into, &wsdl, &["--soap", "--binding", "Other11"]);
    let gantry = Gantry::folder(&into);
    let body = r#"{"name":"a","price":1}"#;
    let answer = gantry.send("POST", "/shop/Find", "content-type: application/json\r\n", body);
    answer.is_json(200, r#"{"item":"ITEM","pieces":1}"#);
    // A bind file also names the binding. The gateway reads the WSDL's messages when it loads the
    // file.
    let unlimited = two_port_types().replace(
        "<xsd:element name=\"price\"",
        "<xsd:element name=\"note\" type=\"xsd:string\" maxOccurs=\"unbounded\"/><xsd:element name=\"price\"",
    );
    let unlimited = unlimited.replace(
        "<input message=\"s:found\"/><output message=\"s:find\"/>",
        "<input message=\"s:found\"/><output message=\"s:found\"/>",
    );
    let from = from.with("more.wsdl", &unlimited);
    let (wsdl, served) = (from.path().join("more.wsdl"), from.path().join("served"));
    let program = source("tests/programs/ORDECHO.cbl");
    made(&served, &wsdl, &["--program", text(&program), "--binding", "Other11"]);
    let gantry = Gantry::folder(&served);
    let (requests, bind) =
        (requests(&served), fs::read_to_string(served.join("pipelines/shop/pickup/shop-soap.wsbind")));
    assert!(bind.is_ok_and(|text| text.contains("binding = \"Other11\"")));
    let [rest, soap] = requests.as_slice() else { panic!("{} requests", requests.len()) };
    assert!(soap.body.contains("found") && soap.body.contains("note>NOTE<"), "{}", soap.body);
    let answer = send(&gantry, soap);
    assert!(answer.status == 200 && answer.text().contains("note>NOTE<"), "{}", answer.text());
    let answer = send(&gantry, rest);
    assert!(answer.status == 200 && answer.text().contains("\"note\":[\"NOTE\"]"), "{}", answer.text());
}

#[test]
fn what_cannot_be_made_is_refused_with_the_reason_and_nothing_is_written() {
    let nowhere = STOCK.replace("location=\"http://them.example/stock\"", "location=\"REPLACE_ME\"");
    let from = Folder::empty()
        .with("stock.wsdl", STOCK)
        .with("nowhere.wsdl", &nowhere)
        .with("broken.wsdl", "<definitions")
        .with("FINDER.cbl", &FINDER.replace("SHOPA01", "SHOPA09"));
    let into = from.path().join("made");
    let refused = |file: &str, more: &[&str], expected: (i32, &str)| {
        let wsdl = from.path().join(file);
        let (code, out, errors) = new(&[&["--wsdl", text(&wsdl), "--into", text(&into)], more].concat());
        assert_eq!((code, out.as_str()), (Some(expected.0), ""), "{errors}");
        assert!(errors.contains(expected.1), "expected '{}': {errors}", expected.1);
        assert!(!into.exists());
    };
    let program = from.path().join("FINDER.cbl");
    refused("stock.wsdl", &[], (1, "or --allow-plaintext for one without TLS"));
    refused(
        "nowhere.wsdl",
        &[],
        (1, "found 'REPLACE_ME'; say --http URL for a server that exists, or --soap or --program"),
    );
    refused("broken.wsdl", &["--soap"], (1, "broken.wsdl:1:"));
    refused("none.wsdl", &["--soap"], (1, "none.wsdl: No such file"));
    refused("stock.wsdl", &["--soap", "--http", "https://a.example/"], (1, "say one of them"));
    refused("stock.wsdl", &["--soap", "--binding", "None"], (1, "has no binding 'None': it has Stock11"));
    refused("stock.wsdl", &["--program", text(&program)], (1, "SHOPA09"));
    refused("stock.wsdl", &["--queue", "ORDERS"], (2, "--queue"));
    refused("stock.wsdl", &["--copybook", "A.cpy"], (2, "--copybook"));
}

/// Checks that a folder with another content of a file is refused, and puts the file back.
#[track_caller]
fn refused(folder: &Folder, file: &str, content: &str, expected: &str) {
    let old = fs::read_to_string(folder.path().join(file)).ok();
    fs::create_dir_all(folder.path().join(file).parent().expect("a folder")).expect("a folder");
    fs::write(folder.path().join(file), content).expect("written");
    let output = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && told.contains(expected), "expected '{expected}': {told}");
    match old {
        Some(old) => fs::write(folder.path().join(file), old).expect("written"),
        None => fs::remove_file(folder.path().join(file)).expect("removed"),
    }
}

/// A web service and an API of one service whose messages are records.
/// The record of an answer is kept and shown, and becomes a request again.
fn has_a_record(call: &impl Fn(&[&str]) -> std::process::Output, json: &str, folder: &Path) {
    let kept = folder.join("record");
    let called = call(&["--json", json, "--show", "record", "--out", text(&kept)]);
    let record = fs::read(&kept).expect("the record of the answer");
    assert!(!record.is_empty());
    let shown: String = record.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(String::from_utf8_lossy(&called.stdout).trim().to_ascii_uppercase(), shown);
    let called = call(&["--record", text(&kept)]);
    assert_eq!(String::from_utf8_lossy(&called.stdout).trim(), json, "{called:?}");
    let called = call(&[]);
    let told = String::from_utf8_lossy(&called.stderr);
    assert!(told.contains("has a record without initial values: give its --json or --record"), "{told}");
}

#[test]
fn one_service_of_a_commarea_answers_xml_and_json() {
    let api = "document = \"openapi.json\"\n[[operation]]\noperation = \"Find\"\n[[operation.call]]\nservice = \"Find\"\n\
               name = \"answer\"\nrequest = \"$body\"\n[[operation.reply]]\nstatus = 200\nbody = \"$calls.answer\"\n";
    let document = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},"servers":[{"url":"/shop"}],"paths":{"/Find":{"post":{
        "operationId":"Find","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object"}}}},
        "responses":{"200":{"description":"d","content":{"application/json":{"schema":{"type":"object"}}}}}}}}}"#;
    let web_service = "path = \"/soap\"\nnamespace = \"urn:stock\"\nwsdl = \"wsdl/stock.wsdl\"\n[[operation]]\nname = \"find\"\n\
                       service = \"Find\"\nrequest_namespace = \"urn:stock\"\nresponse = \"find\"\nresponse_namespace = \"urn:stock\"\n";
    // The provider echoes, so answers are requests.
    let wsdl = STOCK.replace("<output message=\"s:found\"/>", "<output message=\"s:find\"/>");
    let service = |more: &str, provider: &str| {
        format!(
            "ccsid = 37\n[provider]\n{provider}\n[messages]\nwsdl = \"wsdl/stock.wsdl\"\noperation = \"Find\"\n\
             interface = \"commarea\"\n{more}\n[messages.layout]\nmapping_level = \"4.3\"\nchar_varying = \"collapse\"\n"
        )
    };
    let folder = Folder::empty()
        .with("gantry.toml", "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n")
        .with("wsdl/stock.wsdl", &wsdl)
        .with("services/Find.toml", &service("", "kind = \"simulated\"\nanswer = \"echo\""))
        .with("soap/stock.toml", web_service)
        .with("connections/c.toml", "url = \"https://them.example/\"\n")
        .with("apis/shop/api.toml", api)
        .with("apis/shop/openapi.json", document);
    let gantry = Gantry::folder(folder.path());
    let json = r#"{"item":"LAMP","pieces":7}"#;
    gantry.send("POST", "/shop/Find", "content-type: application/json\r\n", json).is_json(200, json);
    let body = "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body><find xmlns=\"urn:stock\"><item>LAMP</item>\
                <pieces>7</pieces></find></e:Body></e:Envelope>";
    let answer = gantry.send("POST", "/soap", "content-type: text/xml; charset=utf-8\r\n", body);
    assert!(answer.status == 200 && answer.text().contains("pieces>7</"), "{}", answer.text());
    let call = |more: &[&str]| run(&[&["call", "Find", "--in", text(folder.path())], more].concat());
    let called = call(&["--json", json]);
    assert_eq!(String::from_utf8_lossy(&called.stdout).trim(), json);
    has_a_record(&call, json, folder.path());
    drop(gantry);
    let refused = |file: &str, content: &str, expected: &str| refused(&folder, file, content, expected);
    let echo = "kind = \"simulated\"\nanswer = \"echo\"";
    let file = "services/Find.toml";
    refused(file, &service("container = \"A\"", echo), "a commarea has no container");
    refused(
        file,
        &service("", "kind = \"program\"\nprogram = \"P\"\nchannel = \"C\""),
        "goes with a program without 'channel'",
    );
    refused(
        file,
        &service("", "kind = \"soap\"\nconnection = \"c\""),
        "goes without interface = \"commarea\"",
    );
    let unlimited = wsdl.replace(
        "name=\"pieces\" type=\"xsd:int\"",
        "name=\"pieces\" type=\"xsd:int\" maxOccurs=\"unbounded\"",
    );
    refused("wsdl/stock.wsdl", &unlimited, "a commarea is one record, and pieces-cont tells of a container");
    let one_way = wsdl.replace("<output message=\"s:find\"/>", "");
    refused("wsdl/stock.wsdl", &one_way, "has no response: set one_way = true");
    let requester = "kind = \"soap\"\nccsid = 37\nconnection = \"c\"\n[[operation]]\nname = \"Find\"\n\
                     [operation.soap]\nelement = \"find\"\nnamespace = \"urn:stock\"\n[operation.messages]\n\
                     wsdl = \"wsdl/stock.wsdl\"\noperation = \"Find\"\ninterface = \"commarea\"\n";
    refused("requesters/them/requester.toml", requester, "a requester has a channel");
}
