//! Tests services of WSDLs of other projects, from `gantry soap ws2ls` over pickup folder and shelf to
//! answers. `tests/acceptance` does the same with SOAP clients.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const TYPE: &str = "content-type: text/xml; charset=utf-8\r\n";

/// Parts with elements of two namespaces, elements that may be nil, an attribute, a table.
const WSDL: &str = r#"<definitions targetNamespace="urn:stock" xmlns="http://schemas.xmlsoap.org/wsdl/"
    xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:stock">
  <types><xsd:schema targetNamespace="urn:stock">
    <xsd:complexType name="Item"><xsd:sequence>
        <xsd:element name="pieces" type="xsd:int"/>
        <xsd:element name="shelf" type="xsd:short" nillable="true"/>
        <xsd:element name="note" minOccurs="0" nillable="true">
          <xsd:simpleType><xsd:restriction base="xsd:string"><xsd:maxLength value="8"/></xsd:restriction></xsd:simpleType>
        </xsd:element>
        <xsd:element name="size" type="xsd:short" minOccurs="0" maxOccurs="3"/>
      </xsd:sequence>
      <xsd:attribute name="kind" use="required">
        <xsd:simpleType><xsd:restriction base="xsd:string"><xsd:maxLength value="4"/></xsd:restriction></xsd:simpleType>
      </xsd:attribute>
    </xsd:complexType>
  </xsd:schema></types>
  <message name="in"><part name="item" type="t:Item"/></message>
  <message name="out"><part name="item" type="t:Item"/></message>
  <portType name="Stock"><operation name="count"><input message="t:in"/><output message="t:out"/></operation></portType>
  <binding name="StockRpc" type="t:Stock">
    <soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
    <operation name="count"><soap:operation soapAction="count"/>
      <input><soap:body use="literal" namespace="urn:calls"/></input>
      <output><soap:body use="literal" namespace="urn:calls"/></output></operation>
  </binding>
  <service name="StockService"><port name="Stock" binding="t:StockRpc"><soap:address location="http://them.example/stock"/></port></service>
</definitions>
"#;

/// Adds one to the pieces, and swaps which parts are there and which are not.
const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. STOCK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY RS01.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY RQ01 REPLACING ==01  RQ01.== BY ==  ==.
       PROCEDURE DIVISION.
           MOVE DFHCOMMAREA TO RS01.
           ADD 1 TO pieces OF RS01.
           COMPUTE shelf-num OF RS01 = 1 - shelf-num OF DFHCOMMAREA.
           MOVE 12 TO shelf OF RS01.
           COMPUTE note-num OF RS01 = 1 - note-num OF DFHCOMMAREA.
           MOVE 'new' TO note OF RS01.
           MOVE RS01 TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
           GOBACK.
";

/// Makes the bind file of [`WSDL`] for a program, in the pickup folder of the pipeline `others`.
fn pick_up(folder: &Path, program: &str) {
    pick_up_as(folder, program, &["--pgmint", "COMMAREA", "--one-record"]);
}

/// Does the same for a program with this interface.
fn pick_up_as(folder: &Path, program: &str, interface: &[&str]) {
    fs::write(folder.join("stock.wsdl"), WSDL).expect("written");
    let pickup = folder.join("pipelines/others/pickup");
    let wsdl = folder.join("stock.wsdl");
    let uri = format!("/others/{program}");
    let arguments = [
        "soap",
        "ws2ls",
        "--wsdl",
        text(&wsdl),
        "--reqmem",
        "RQ",
        "--respmem",
        "RS",
        "--mapping-level",
        "4.3",
        "--pgmname",
        program,
        "--uri",
        &uri,
    ];
    let wsbind = format!("{program}.wsbind");
    let output = Command::new(env!("CARGO_BIN_EXE_gantry"))
        .args(arguments)
        .args(interface)
        .args(["--wsbind", &wsbind, "--out", text(&pickup)])
        .output()
        .expect("gantry runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn envelope(item: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><c:count xmlns:c=\"urn:calls\" \
         xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">{item}</c:count></s:Body></s:Envelope>"
    )
}

/// Gives the content of the body of an answer.
fn body(text: &str) -> &str {
    let (_, rest) = text.split_once("<SOAP-ENV:Body>").unwrap_or_else(|| panic!("{text}"));
    rest.split_once("</SOAP-ENV:Body>").unwrap_or_else(|| panic!("{text}")).0
}

const FULL: &str = "<item kind=\"a&amp;b\"><pieces>41</pieces><shelf>-7</shelf><note>old</note><size>1</size><size>2</size></item>";
const LEAST: &str = "<item kind=\"x\"><pieces>0</pieces><shelf i:nil=\"true\"/></item>";

#[test]
fn a_wsdl_of_others_is_served_with_a_cobol_program_behind() {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    let gantry = format!("[[pipeline]]\nname = \"others\"\n[region]\ncache = \"{cache}\"\n");
    let folder = folder.with("gantry.toml", &gantry).with("programs/STOCK.cbl", PROGRAM);
    pick_up(folder.path(), "STOCK");
    for member in ["RQ01.cpy", "RS01.cpy"] {
        let text = fs::read_to_string(folder.path().join("pipelines/others/pickup").join(member))
            .expect("a copybook");
        fs::create_dir_all(folder.path().join("copybooks")).expect("a folder");
        fs::write(folder.path().join("copybooks").join(member), text).expect("written");
    }
    let check = || {
        let checked = run(&["check", text(folder.path())]);
        let said = [checked.stdout, checked.stderr].concat();
        (checked.status.success(), String::from_utf8_lossy(&said).into_owned())
    };
    let waits = "1 bind file waits for `gantry soap scan` or the next start: others/STOCK.wsbind";
    let (fine, said) = check();
    assert!(fine && said.contains(waits), "{said}");
    let refused = folder.path().join("pipelines/others/pickup/BAD.wsbind");
    fs::write(&refused, "nonsense").expect("written");
    let (fine, said) = check();
    assert!(fine && said.contains("the pipeline others refuses this bind file: "), "{said}");
    fs::remove_file(refused).expect("removed");
    let said = run(&["soap", "scan", text(folder.path())]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(!check().1.contains("waits"), "it is on its shelf");
    let faulty = folder.path().join("services/bad.toml");
    fs::create_dir_all(folder.path().join("services")).expect("a folder");
    fs::write(&faulty, "nonsense = 1\n").expect("written");
    let said = run(&["soap", "scan", text(folder.path())]);
    assert!(!said.status.success(), "the configuration has a fault");
    fs::remove_file(faulty).expect("removed");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("POST", "/others/STOCK", TYPE, &envelope(FULL));
    let item = |content: &str| {
        format!(
            "<ns:countResponse xmlns:ns=\"urn:calls\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\
             <item {content}</item></ns:countResponse>"
        )
    };
    let expected =
        item("kind=\"a&amp;b\"><pieces>42</pieces><shelf xsi:nil=\"true\"/><size>1</size><size>2</size>");
    assert_eq!((body(answer.text()), answer.status), (&*expected, 200));
    let answer = gantry.send("POST", "/others/STOCK", TYPE, &envelope(LEAST));
    let expected = item("kind=\"x\"><pieces>1</pieces><shelf>12</shelf><note>new</note>");
    assert_eq!((body(answer.text()), answer.status), (&*expected, 200));
    let wsdl = gantry.get("/others/STOCK?wsdl");
    let expected = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{WSDL}");
    let expected = expected.replace("http://them.example/stock", "http://localhost/others/STOCK");
    assert_eq!(wsdl.text(), expected);
}

/// Makes a gateway with the echo of [`WSDL`].
fn echo() -> (Folder, Gantry) {
    let gantry =
        "[[pipeline]]\nname = \"others\"\n[providers.ECHO]\nkind = \"simulated\"\nanswer = \"echo\"\n";
    let folder = Folder::empty().with("gantry.toml", gantry);
    pick_up(folder.path(), "ECHO");
    let gantry = Gantry::folder(folder.path());
    (folder, gantry)
}

#[test]
fn what_the_wsdl_does_not_allow_is_refused_with_its_place() {
    let (_folder, gantry) = echo();
    let refused = |item: &str, code: &str, field: &str| {
        let answer = gantry.send("POST", "/others/ECHO", TYPE, &envelope(item));
        let text = answer.text();
        assert_eq!(answer.status, 500, "{item}: {text}");
        assert!(text.contains(&format!("<code>{code}</code>")), "{item}: {text}");
        assert!(text.contains(&format!("<field>{field}</field>")), "{item}: {text}");
    };
    let answer = gantry.send("POST", "/others/ECHO", TYPE, &envelope(FULL));
    assert_eq!(answer.status, 200, "{}", answer.text());
    refused(&LEAST.replace("<pieces>0</pieces>", "<pieces i:nil='1'/>"), "GTY0423W", "item.pieces");
    refused(&LEAST.replace("i:nil=\"true\"", "i:nil=\"true\" x=\"1\""), "GTY0420W", "item.shelf");
    refused(&LEAST.replace(" kind=\"x\"", ""), "GTY0422W", "item.kind");
    refused(
        &FULL.replace("<size>1</size>", "<size>1</size><size>3</size><size>4</size>"),
        "GTY0427W",
        "item.size",
    );
    refused(&FULL.replace("old", "much too long"), "GTY0425W", "item.note[0]");
    refused(&FULL.replace("<item ", "<item xmlns=\"urn:x\" "), "GTY0420W", "item");
}

#[test]
fn the_configuration_puts_a_provider_in_the_place_of_a_program_with_a_channel() {
    for interface in [
        &["--pgmint", "CHANNEL"][..],
        &["--pgmint", "CHANNEL", "--contid", "STOCK-DATA", "--one-record"],
        &["--pgmint", "COMMAREA", "--one-record", "--transaction", "STCK"],
    ] {
        let gantry = format!("[[pipeline]]\nname = \"others\"\n{PROVIDER}");
        let folder = Folder::empty().with("gantry.toml", &gantry);
        pick_up_as(folder.path(), "ECHO", interface);
        let gantry = Gantry::folder(folder.path());
        let answer = gantry.send("POST", "/others/ECHO", TYPE, &envelope(FULL));
        assert_eq!(answer.status, 200, "{interface:?}: {}", answer.text());
        assert!(answer.text().contains("<pieces>41</pieces>"), "{}", answer.text());
    }
    // In a file written by hand, a second provider is a fault. A bind file may have one.
    let folder = Folder::echo("[providers.echo]\nkind = \"simulated\"\nanswer = \"echo\"\n");
    let said = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("gantry.toml also sets a provider for this service; remove one"), "{said}");
}

/// A bind file whose record is longer than the limit in [`small`].
const LARGE: &str = "wsbind = 1
name = \"LARGE\"
program = \"LARGE\"
mapping_level = \"3.0\"
minimum_runtime_level = \"3.0\"
namespace = \"urn:large\"
[[operation]]
name = \"large\"
request = { element = \"large\", namespace = \"urn:large\", copybook = \"C\" }
[copybooks]
C = '''
       01  R.
           03  A  PIC X(20000).
'''
";

const SMALL: &str =
    "[[pipeline]]\nname = \"others\"\n[server]\nreload_poll_ms = 0\n[limits]\nrecord_max_bytes = 10000\n";
const PROVIDER: &str = "[providers.ECHO]\nkind = \"simulated\"\nanswer = \"echo\"\n";

/// Makes a folder that changes only by scans.
fn small() -> Folder {
    Folder::echo(SMALL)
}

/// Puts the bind file into the pickup folder, and sets its provider.
fn offer(folder: &Folder) {
    pick_up(folder.path(), "ECHO");
    fs::write(folder.path().join("gantry.toml"), format!("{SMALL}{PROVIDER}")).expect("written");
}

fn scanned(gantry: &Gantry) -> (bool, String) {
    let output = run(&["soap", "scan", "--admin", &format!("http://{}", gantry.admin)]);
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}

fn status(gantry: &Gantry, program: &str) -> u16 {
    gantry.send("POST", &format!("/others/{program}"), TYPE, &envelope(FULL)).status
}

#[test]
fn a_running_gateway_takes_new_bind_files_and_refuses_bad_ones() {
    let folder = small();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(scanned(&gantry), (true, String::new()));
    offer(&folder);
    let pickup = folder.path().join("pipelines/others/pickup");
    fs::write(pickup.join("BAD.wsbind"), "hello").expect("written");
    fs::write(pickup.join("LARGE.wsbind"), LARGE).expect("written");
    assert_eq!(status(&gantry, "ECHO"), 404);
    let (is_fine, said) = scanned(&gantry);
    assert!(!is_fine && said.contains("others: BAD.wsbind: refused: line 1"), "{said}");
    assert!(said.contains("others: ECHO.wsbind: installed\n"), "{said}");
    // Only a load of the whole configuration finds this fault.
    let large = "others: LARGE.wsbind: refused: services/LARGE.toml: its records have up to 20000 bytes";
    assert!(said.contains(large) && said.contains("2 bind files refused"), "{said}");
    let shelf = folder.path().join("pipelines/others/shelf");
    assert!(shelf.join("ECHO.wsbind").exists() && !shelf.join("LARGE.wsbind").exists());
    assert_eq!(status(&gantry, "ECHO"), 200);
    let answer = crate::client::Client::connect(gantry.admin)
        .ask(crate::process::request("POST", "/pipelines/scan", "", "").as_bytes());
    let value: serde_json::Value = serde_json::from_str(answer.text()).expect("JSON");
    assert_eq!((answer.status, &value["files"][1]["outcome"]), (200, &"unchanged".into()));
    assert_eq!(value["generation"], 2);
}

#[test]
fn the_shelf_outlives_restarts_and_the_pickup_folder() {
    let folder = small();
    offer(&folder);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(status(&gantry, "ECHO"), 200);
    fs::remove_file(folder.path().join("pipelines/others/pickup/ECHO.wsbind")).expect("removed");
    assert_eq!(scanned(&gantry), (true, String::new()));
    assert_eq!(status(&gantry, "ECHO"), 200);
    gantry.stop();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(status(&gantry, "ECHO"), 200);
    // The service ends when its file leaves the shelf.
    fs::remove_file(folder.path().join("pipelines/others/shelf/ECHO.wsbind")).expect("removed");
    fs::write(folder.path().join("gantry.toml"), SMALL).expect("written");
    let reload = crate::process::request("POST", "/configuration/reload", "", "");
    assert_eq!(crate::client::Client::connect(gantry.admin).ask(reload.as_bytes()).status, 200);
    assert_eq!(status(&gantry, "ECHO"), 404);
}

#[test]
fn a_scan_that_cannot_be_is_told() {
    let gantry = Gantry::example("soap");
    let (is_fine, said) = scanned(&gantry);
    assert!(!is_fine && said.contains("the configuration is not a folder on disk"), "{said}");
    let folder = small();
    let gantry = Gantry::folder(folder.path());
    offer(&folder);
    // Another file has a fault. The scan takes the bind file, but nothing serves it until the fault
    // is mended.
    let broken = folder.with("services/other.toml", "nonsense = 1\n");
    let (is_fine, said) = scanned(&gantry);
    assert!(!is_fine && said.contains("the configuration has faults"), "{said}");
    assert_eq!(status(&gantry, "ECHO"), 404);
    drop(broken);
}

#[test]
fn a_service_of_a_pipeline_answers_within_its_time() {
    let gantry = "[[pipeline]]\nname = \"others\"\nresponse_wait_ms = 50\n\
                  [providers.ECHO]\nkind = \"simulated\"\nanswer = \"echo\"\ndelay_ms = 5000\n";
    let folder = Folder::empty().with("gantry.toml", gantry);
    pick_up(folder.path(), "ECHO");
    let serving = Gantry::folder(folder.path());
    let answer = serving.send("POST", "/others/ECHO", TYPE, &envelope(FULL));
    assert!(answer.text().contains("<code>BAQR0405I</code>"), "{}", answer.text());
    drop(serving);
    let folder = folder.with("gantry.toml", &gantry.replace("= 50\n", "= 0\n"));
    let said = run(&["check", text(folder.path())]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("response_wait_ms: expected 1 or more, found 0"), "{said}");
}

/// Gets two containers, and puts them back changed.
const CONTAINERS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CLAIM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLAIMIN.
       COPY ROWS.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('Claim_In') INTO(CLAIM-IN) END-EXEC.
           EXEC CICS GET CONTAINER('Claim_Rows')
               INTO(CLAIM-ROWS) END-EXEC.
           MOVE 'DONE' TO CLAIM-NO.
           ADD 1 TO AMOUNT(1).
           MOVE 0 TO AMOUNT(2).
           EXEC CICS PUT CONTAINER('Claim_In') FROM(CLAIM-IN) END-EXEC.
           EXEC CICS PUT CONTAINER('Claim_Rows')
               FROM(CLAIM-ROWS) END-EXEC.
           EXEC CICS RETURN END-EXEC.
           GOBACK.
";

#[test]
fn a_program_gets_the_containers_of_a_channel_description() {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    let channel = "<channel name='CLAIMS' xmlns='http://www.ibm.com/xmlns/prod/CICS/channel'>\
        <container name='Claim_In'><structure location='CLAIMIN'/></container>\
        <container name='Claim_Rows'><structure location='ROWS'/></container></channel>";
    let folder = folder
        .with("gantry.toml", &format!("[[pipeline]]\nname = \"others\"\n[region]\ncache = \"{cache}\"\n"))
        .with("programs/CLAIM.cbl", CONTAINERS)
        .with("copybooks/CLAIMIN.cpy", "       01  CLAIM-IN.\n           03  CLAIM-NO  PIC X(6).\n")
        .with(
            "copybooks/ROWS.cpy",
            "       01  CLAIM-ROWS.\n           03  R  OCCURS 3.\n               05  AMOUNT  PIC 9(4).\n",
        )
        .with("channel.xml", channel)
        .with("pipelines/others/pickup/note.txt", "");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (channel, copybooks) = (path("channel.xml"), path("copybooks"));
    let (wsbind, wsdl) = (path("pipelines/others/pickup/CLAIM.wsbind"), path("CLAIM.wsdl"));
    let made = run(&[
        "soap",
        "ls2ws",
        "--pgmname",
        "CLAIM",
        "--pgmint",
        "CHANNEL",
        "--request-channel",
        &channel,
        "--response-channel",
        &channel,
        "--mapping-level",
        "4.1",
        "--char-varying",
        "COLLAPSE",
        "--truncate-null-arrays",
        "ENABLED",
        "--copybooks",
        &copybooks,
        "--wsbind",
        &wsbind,
        "--wsdl",
        &wsdl,
    ]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let gantry = Gantry::folder(folder.path());
    let element = |word: &str, response: &str, no: &str, rows: &str| {
        format!(
            "<CLAIMOperation{response} xmlns=\"http://www.CLAIM.{word}.com\"><claim_in><claim_no>{no}</claim_no></claim_in>\
             <claim_rows>{rows}</claim_rows></CLAIMOperation{response}>"
        )
    };
    let row = |amount: u32| format!("<r><amount>{amount}</amount></r>");
    let sent = element("Request", "", "A1", &(row(41) + &row(7)));
    let message = format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>{sent}</s:Body></s:Envelope>"
    );
    let answer = gantry.send("POST", "/cics/services/CLAIM", TYPE, &message);
    // The last rows have no value, so the answer leaves them out.
    assert_eq!(body(answer.text()), element("Response", "Response", "DONE", &row(42)));
    let served = gantry.get("/cics/services/CLAIM?wsdl");
    let own = |text: &str| -> Vec<String> {
        let is_own = |line: &&str| !line.starts_with("<!--") && !line.contains("<soap:address");
        text.lines().filter(is_own).map(str::to_owned).collect()
    };
    assert_eq!(own(served.text()), own(&fs::read_to_string(path("CLAIM.wsdl")).expect("a WSDL")));
}

#[test]
fn a_bind_file_that_is_refused_at_the_start_is_in_the_log() {
    let folder = Folder::echo("[[pipeline]]\nname = \"others\"\n")
        .with("pipelines/others/pickup/BAD.wsbind", "garbage");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/nowhere").status, 404);
    let log = gantry.stop();
    assert!(log.lines().any(|line| line.contains("WARN") && line.contains("BAD.wsbind: refused")), "{log}");
}
