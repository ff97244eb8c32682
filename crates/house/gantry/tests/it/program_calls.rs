//! Tests COBOL programs that call remote APIs through the gateway. These tests need GnuCOBOL 3, and
//! fail without it.

use crate::client::Client;
use crate::folder::Folder;
use crate::process::{Gantry, request, run, text};
use crate::remote::{Asked, Remote};

const PROGRAM: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. QUOTER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY BAQRINFO.
       01  API-INFO.
           03 BAQ-APINAME        PIC X(255) VALUE 'stock'.
           03 BAQ-APINAME-LEN    PIC S9(9) COMP-5 SYNC VALUE 5.
           03 BAQ-APIPATH        PIC X(255)
                                 VALUE '%2Fparts%2F%7Bnumber%7D'.
           03 BAQ-APIPATH-LEN    PIC S9(9) COMP-5 SYNC VALUE 23.
           03 BAQ-APIMETHOD      PIC X(255) VALUE 'GET'.
           03 BAQ-APIMETHOD-LEN  PIC S9(9) COMP-5 SYNC VALUE 3.
       01  WS-REQUEST.
           COPY PARTREQ.
       01  WS-RESPONSE.
           COPY PARTRSP.
       01  WS-REQUEST-PTR        USAGE POINTER.
       01  WS-REQUEST-LEN        PIC S9(9) COMP-5 SYNC.
       01  WS-RESPONSE-PTR       USAGE POINTER.
       01  WS-RESPONSE-LEN       PIC S9(9) COMP-5 SYNC.
       01  WS-RESP               PIC S9(8) COMP.
       01  WS-RESP2              PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY QUOTEREC.
       PROCEDURE DIVISION.
           MOVE QT-PART TO PART-NUMBER.
           SET WS-REQUEST-PTR TO ADDRESS OF WS-REQUEST.
           MOVE LENGTH OF WS-REQUEST TO WS-REQUEST-LEN.
           SET WS-RESPONSE-PTR TO ADDRESS OF WS-RESPONSE.
           MOVE LENGTH OF WS-RESPONSE TO WS-RESPONSE-LEN.
           CALL 'BAQCSTUB' USING API-INFO BAQ-REQUEST-INFO
               WS-REQUEST-PTR WS-REQUEST-LEN
               BAQ-RESPONSE-INFO WS-RESPONSE-PTR WS-RESPONSE-LEN.
           MOVE BAQ-RETURN-CODE TO QT-CODE.
           MOVE BAQ-STATUS-CODE TO QT-STATUS.
           IF BAQ-SUCCESS MOVE PART-NAME TO QT-NAME END-IF.
           EXEC CICS PUT CONTAINER('DFHWS-DATA') CHANNEL('CALL')
               FROM(WS-REQUEST) END-EXEC.
           EXEC CICS INVOKE SERVICE('stock') CHANNEL('CALL')
               OPERATION('getPart')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
           MOVE WS-RESP TO QT-RESP.
           MOVE WS-RESP2 TO QT-RESP2.
           EXEC CICS TRANSFORM DATATOJSON CHANNEL('CALL')
               INCONTAINER('DFHWS-DATA') OUTCONTAINER('JSON')
               TRANSFORMER('QUOTED') RESP(WS-RESP) END-EXEC.
           MOVE WS-RESP TO QT-JSON.
           EXEC CICS WRITE OPERATOR TEXT('QUOTED') END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

const QUOTE: &str = "\
           05  QT-PART       PIC 9(4).
           05  QT-NAME       PIC X(12).
           05  QT-CODE       PIC 9(3).
           05  QT-STATUS     PIC 9(3).
           05  QT-RESP       PIC 9(3).
           05  QT-RESP2      PIC 9(3).
           05  QT-JSON       PIC 9(3).
";

const SERVICE: &str = r#"
ccsid = 819
naming = "cobol"
provider = { kind = "program", program = "QUOTER" }
[request]
copybook = "QUOTEREC.cpy"
wrapper = ""
[response]
copybook = "QUOTEREC.cpy"
wrapper = ""
"#;

const REQUESTER: &str = r#"
connection = "stock"
ccsid = 819
naming = "cobol"

[[operation]]
name = "getPart"

[operation.request]
copybook = "PARTREQ.cpy"

[operation.http]
method = "GET"
path = "/parts/{number}"
move = [{ from = "PART-NUMBER", to = "path.number" }]

[[operation.http.responses]]
status = "200"
record = { copybook = "PARTRSP.cpy" }
"#;

const API: &str = r#"
base_path = "/quotes"
[[operation]]
method = "POST"
path = "/"
service = "quote"
"#;

fn answer(asked: &Asked) -> (u16, &'static str, String) {
    const JSON: &str = "content-type: application/json\r\n";
    match asked.line.contains("/parts/17") {
        true => (200, JSON, r#"{"PART-NAME":"BOLT"}"#.to_owned()),
        false => (404, JSON, r#"{"reason":"no such part"}"#.to_owned()),
    }
}

fn folder(remote: &Remote, more: &str) -> Folder {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    let gantry = format!(
        "{}\n[admin]\naddress = \"127.0.0.1:0\"\n[region]\ncache = \"{cache}\"\n\
         [[region.transform]]\nname = \"QUOTED\"\nservice = \"quote\"\nrecord = \"response\"\n{more}",
        remote.connection("stock")
    );
    folder
        .with("gantry.toml", &gantry)
        .with("programs/QUOTER.cbl", PROGRAM)
        .with("copybooks/QUOTEREC.cpy", QUOTE)
        .with("copybooks/PARTREQ.cpy", "           05  PART-NUMBER   PIC 9(4).\n")
        .with("copybooks/PARTRSP.cpy", "           05  PART-NAME     PIC X(12).\n")
        .with("services/quote.toml", SERVICE)
        .with("requesters/stock/requester.toml", REQUESTER)
        .with("apis/quotes/api.toml", API)
}

#[test]
fn a_program_calls_a_remote_api_and_the_gateway_sends_it() {
    let remote = Remote::start(answer);
    let folder = folder(&remote, "");
    let gantry = Gantry::folder(folder.path());
    let quote = |part: u32| {
        let body = format!(r#"{{"QT-PART":{part}}}"#);
        gantry.send("POST", "/quotes/", "content-type: application/json\r\n", &body)
    };
    // The API's record is not a quote, so it cannot become JSON: INVREQ.
    quote(17).is_json(
        200,
        r#"{"QT-PART":17,"QT-NAME":"BOLT","QT-CODE":0,"QT-STATUS":200,"QT-RESP":0,"QT-RESP2":0,"QT-JSON":16}"#,
    );
    assert_eq!(remote.asked()[0].line, "GET /v1/parts/17 HTTP/1.1");
    // The codes are BAQ-ERROR-IN-API and a fault of the service.
    quote(4).is_json(
        200,
        r#"{"QT-PART":4,"QT-NAME":"","QT-CODE":1,"QT-STATUS":404,"QT-RESP":16,"QT-RESP2":6,"QT-JSON":16}"#,
    );
    let messages = Client::connect(gantry.admin).ask(request("GET", "/region/messages", "", "").as_bytes());
    let found: serde_json::Value = serde_json::from_str(messages.text()).expect("JSON");
    assert_eq!(found["messages"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(found["messages"][1]["text"], "QUOTED");
}

#[test]
fn faults_of_transformations_are_told_together() {
    let remote = Remote::start(answer);
    let more = "[[region.transform]]\nname = \"QUOTED\"\nservice = \"quote\"\nrecord = \"request\"\n\
                [[region.transform]]\nname = \"LOST\"\nservice = \"lost\"\nrecord = \"request\"\n";
    let output = run(&["check", text(folder(&remote, more).path())]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for expected in ["the transformation 'QUOTED' is defined twice", "service 'lost' does not exist"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}
