//! Tests COBOL programs that put and get elements of data areas by the Host API, with imported
//! copybooks. These tests need GnuCOBOL 3, and fail without it.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::{Asked, Remote};

/// The length of the path matters: in ORD00I01 the end of its literal only fits on a second line.
const DOCUMENT: &str = r##"
openapi: 3.0.3
info: { title: Orders, version: "1" }
paths:
  /orders/of-customers-in-side/{customer}:
    post:
      operationId: order
      parameters:
        - { name: customer, in: path, required: true, schema: { type: string, minLength: 5, maxLength: 5 } }
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
      responses:
        "201": { description: all, content: { application/json: { schema: { type: array,
          items: { $ref: "#/components/schemas/Receipt" } } } } }
        "409": { description: no, content: { application/json: { schema: { type: object, required: [why],
          properties: { why: { type: string, maxLength: 20 } } } } } }
        "500": { description: broken, content: { text/plain: { schema: { type: string } } } }
components:
  schemas:
    Order:
      type: object
      required: [items]
      properties:
        urgent: { type: boolean }
        items: { type: array, items: { type: object, required: [part, quantity, tags, weight], properties: {
          part: { type: string, minLength: 3, maxLength: 3 },
          quantity: { type: integer, minimum: 0, maximum: 999 },
          tags: { type: array, maxItems: 9, items: { type: string, maxLength: 8 } },
          weight: { type: number } } } }
    Receipt:
      type: object
      required: [number, notes]
      properties:
        number: { type: integer, minimum: 0, maximum: 9999 }
        notes: { type: array, items: { type: string, minLength: 4, maxLength: 4 } }
"##;

const PROGRAM: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ORDERER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY BAQHAREC.
           COPY BAQHCONC.
           COPY BAQRINFO
               REPLACING ==BAQ-SUCCESS== BY ==STUB-SUCCESS==.
           COPY ORD00I01.
           COPY ORD00Q01.
       01  WS-NAME               PIC X(16).
       01  WS-ELEMENT            USAGE POINTER.
       01  WS-LENGTH             PIC 9(9) COMP-5.
       01  WS-RC                 PIC S9(9) COMP-5.
       01  WS-RECEIPTS           PIC 9(4) COMP.
       01  WS-AT                 PIC 9(4) COMP VALUE 1.
       01  WS-POINTER            USAGE POINTER.
       01  WS-BYTES              PIC S9(9) COMP-5 SYNC.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ORDERREC.
           COPY ORD00P01.
       PROCEDURE DIVISION.
       MAIN-LINE.
           MOVE SPACES TO OR-TEXT.
           CALL BAQ-INIT-NAME USING BAQ-ZCONNECT-AREA
               RETURNING WS-RC.
           INITIALIZE BAQBASE-ORD00Q01.
           MOVE OR-CUSTOMER TO customer.
           IF OR-HOW = 'STUB' PERFORM CALL-STUB GO TO DONE END-IF.
           IF OR-HOW NOT = 'EMPTY' PERFORM PUT-ITEMS END-IF.
           IF OR-HOW = 'LIE' MOVE 3 TO items-num END-IF.
           SET BAQ-REQ-BASE-ADDRESS TO ADDRESS OF BAQBASE-ORD00Q01.
           MOVE LENGTH OF BAQBASE-ORD00Q01 TO BAQ-REQ-BASE-LENGTH.
           CALL BAQ-EXEC-NAME USING BAQ-ZCONNECT-AREA
               BAQ-API-INFO-ORD00I01
               BAQ-REQUEST-AREA BAQ-RESPONSE-AREA RETURNING WS-RC.
           MOVE BAQ-ZCON-COMPLETION-CODE TO OR-CODE.
           MOVE BAQ-RESP-STATUS-CODE TO OR-STATUS.
           IF BAQ-SUCCESS
               SET ADDRESS OF BAQBASE-ORD00P01 TO BAQ-RESP-BASE-ADDRESS
               PERFORM SHOW-RESPONSE
           ELSE
               MOVE BAQ-ZCON-RETURN-MESSAGE
                   (1:BAQ-ZCON-RETURN-MESSAGE-LEN) TO OR-TEXT
           END-IF.
       DONE.
           CALL BAQ-FREE-NAME USING BAQ-ZCONNECT-AREA
               RETURNING WS-RC.
           CALL BAQ-TERM-NAME USING BAQ-ZCONNECT-AREA
               RETURNING WS-RC.
           EXEC CICS RETURN END-EXEC.
       PUT-ITEMS.
           MOVE 2 TO items-num.
           MOVE 'THE-ITEMS' TO items-dataarea.
           INITIALIZE ORD00Q01-items.
           MOVE 'A01' TO part.
           MOVE 7 TO quantity.
           MOVE 2.5 TO weight.
           MOVE 2 TO tags-num.
           MOVE 'TAGS-OF-A01' TO tags-dataarea.
           PERFORM PUT-ITEM.
           MOVE 4 TO tags1-length.
           MOVE 'blue' TO tags1.
           PERFORM PUT-TAG.
           MOVE 5 TO tags1-length.
           MOVE 'heavy' TO tags1.
           PERFORM PUT-TAG.
           INITIALIZE ORD00Q01-items.
           MOVE 'B02' TO part.
           MOVE 10 TO quantity.
           MOVE -0.125 TO weight.
           PERFORM PUT-ITEM.
       PUT-ITEM.
           MOVE items-dataarea TO WS-NAME.
           SET WS-ELEMENT TO ADDRESS OF ORD00Q01-items.
           MOVE LENGTH OF ORD00Q01-items TO WS-LENGTH.
           PERFORM PUT-NEXT.
       PUT-TAG.
           MOVE tags-dataarea TO WS-NAME.
           SET WS-ELEMENT TO ADDRESS OF ORD00Q01-tags.
           MOVE LENGTH OF ORD00Q01-tags TO WS-LENGTH.
           PERFORM PUT-NEXT.
       PUT-NEXT.
           CALL BAQ-PUTN-NAME USING BAQ-ZCONNECT-AREA WS-NAME
               WS-ELEMENT WS-LENGTH RETURNING WS-RC.
           IF NOT BAQ-SUCCESS
               EXEC CICS ABEND ABCODE('PUTN') END-EXEC
           END-IF.
       GET-NEXT.
           CALL BAQ-GETN-NAME USING BAQ-ZCONNECT-AREA WS-NAME
               WS-ELEMENT WS-LENGTH RETURNING WS-RC.
           IF NOT BAQ-SUCCESS
               EXEC CICS ABEND ABCODE('GETN') END-EXEC
           END-IF.
       SHOW-RESPONSE.
           IF responseCode409-existence > 0
               MOVE responseCode409-dataarea TO WS-NAME
               MOVE LENGTH OF ORD00P01-responseCode409 TO WS-LENGTH
               PERFORM GET-NEXT
               SET ADDRESS OF ORD00P01-responseCode409 TO WS-ELEMENT
               MOVE why(1:why-length) TO OR-TEXT
           END-IF.
           IF responseCode500-existence > 0
               MOVE responseCode500-dataarea TO WS-NAME
               MOVE LENGTH OF ORD00P01-responseCode500 TO WS-LENGTH
               PERFORM GET-NEXT
               SET ADDRESS OF ORD00P01-responseCode500 TO WS-ELEMENT
               MOVE responseCode5001(1:responseCode5001-length)
                   TO OR-TEXT
           END-IF.
           PERFORM SHOW-RECEIPT VARYING WS-RECEIPTS FROM 1 BY 1
               UNTIL WS-RECEIPTS > responseCode201-num.
       SHOW-RECEIPT.
           MOVE responseCode201-dataarea TO WS-NAME.
           MOVE LENGTH OF ORD00P01-responseCode201 TO WS-LENGTH.
           PERFORM GET-NEXT.
           SET ADDRESS OF ORD00P01-responseCode201 TO WS-ELEMENT.
           STRING Xnumber '(' DELIMITED BY SIZE
               INTO OR-TEXT POINTER WS-AT.
           MOVE notes-dataarea TO WS-NAME.
           MOVE LENGTH OF ORD00P01-notes TO WS-LENGTH.
           PERFORM notes-num TIMES
               PERFORM GET-NEXT
               SET ADDRESS OF ORD00P01-notes TO WS-ELEMENT
               STRING notes1 DELIMITED BY SIZE
                   INTO OR-TEXT POINTER WS-AT
           END-PERFORM.
           STRING ')' DELIMITED BY SIZE INTO OR-TEXT POINTER WS-AT.
      * The areas of BAQCSTUB begin with the name in another place.
       CALL-STUB.
           SET WS-POINTER TO ADDRESS OF BAQBASE-ORD00Q01.
           MOVE LENGTH OF BAQBASE-ORD00Q01 TO WS-BYTES.
           CALL 'BAQCSTUB' USING BAQ-API-NAME BAQ-REQUEST-INFO
               WS-POINTER WS-BYTES
               BAQ-RESPONSE-INFO WS-POINTER WS-BYTES.
           MOVE BAQ-RETURN-CODE TO OR-CODE.
           MOVE BAQ-STATUS-CODE TO OR-STATUS.
           MOVE BAQ-STATUS-MESSAGE(1:BAQ-STATUS-MESSAGE-LEN)
               TO OR-TEXT.
";

const RECORD: &str = "
           05  OR-HOW        PIC X(8).
           05  OR-CUSTOMER   PIC X(5).
           05  OR-CODE       PIC 9(3).
           05  OR-STATUS     PIC 9(3).
           05  OR-TEXT       PIC X(160).
";

const SERVICE: &str = r#"
ccsid = 819
naming = "cobol"
provider = { kind = "program", program = "ORDERER" }
[request]
copybook = "ORDERREC.cpy"
wrapper = ""
[response]
copybook = "ORDERREC.cpy"
wrapper = ""
"#;

const API: &str = r#"
base_path = "/ordering"
[[operation]]
method = "POST"
path = "/"
service = "orderer"
"#;

const JSON: &str = "content-type: application/json\r\n";

/// Answers according to the customer in the path.
fn answer(asked: &Asked) -> (u16, &'static str, String) {
    // Each element takes a data area, and the array takes one more. That is one too many.
    let huge = vec![r#"{"number":1,"notes":["last"]}"#; 10_000].join(",");
    let huge = format!("[{huge}]");
    let (status, kind, body) = match asked.line.split(' ').nth(1).and_then(|path| path.rsplit('/').next()) {
        Some("GOOD1") => {
            (201, JSON, r#"[{"number":17,"notes":["soon","cold"],"new":1},{"number":4,"notes":[]}]"#)
        }
        Some("HUGE1") => (201, JSON, huge.as_str()),
        Some("NONE1") => (201, JSON, "[]"),
        Some("NO409") => (409, JSON, r#"{"why":"no credit"}"#),
        Some("BARE1") => (409, "", ""),
        Some("TWO01") => (201, JSON, r#"[],"responseCode409":{"why":"both"}"#),
        Some("HTML1") => (201, "content-type: text/html\r\n", "<p>"),
        Some("LONG1") => (409, JSON, r#"{"why":"a text that is too long for it"}"#),
        Some("XX503") => (503, "content-type: text/plain\r\n", "come back later"),
        _ => (500, "content-type: text/plain; charset=iso-8859-1\r\n", "out of order"),
    };
    (status, kind, body.to_owned())
}

/// Makes a folder with the requester of the document.
fn folder(remote: &Remote) -> Folder {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    let gantry = format!("{}\n[region]\ncache = \"{cache}\"\n", remote.connection("orders"));
    let folder = folder.with("gantry.toml", &gantry).with("in/orders.yaml", DOCUMENT);
    let document = folder.path().join("in/orders.yaml");
    let into = text(folder.path());
    let imported = run(&[
        "import",
        "requester",
        text(&document),
        "--into",
        into,
        "--ccsid",
        "819",
        "--host-api",
        "--prefix",
        "ORD",
    ]);
    assert!(imported.status.success(), "{imported:?}");
    folder
}

#[test]
fn a_program_puts_and_gets_elements() {
    let remote = Remote::start(answer);
    let folder = folder(&remote)
        .with("programs/ORDERER.cbl", PROGRAM)
        .with("copybooks/ORDERREC.cpy", RECORD)
        .with("services/orderer.toml", SERVICE)
        .with("apis/ordering/api.toml", API);
    let gantry = Gantry::folder(folder.path());
    let order = |how: &str, customer: &str| {
        let body = format!(r#"{{"OR-HOW":"{how}","OR-CUSTOMER":"{customer}"}}"#);
        let answer = gantry.send("POST", "/ordering/", JSON, &body);
        let found: serde_json::Value = serde_json::from_str(answer.text()).expect("JSON");
        let text = found["OR-TEXT"].as_str().unwrap_or_default().to_owned();
        (found["OR-CODE"].as_u64(), found["OR-STATUS"].as_u64(), text)
    };
    let is = |code: u64, status: u64, text: &str| (Some(code), Some(status), text.to_owned());
    assert_eq!(order("GOOD", "GOOD1"), is(0, 201, "0017(sooncold)0004()"));
    assert_eq!(order("EMPTY", "NONE1"), is(0, 201, ""));
    assert_eq!(order("GOOD", "NO409"), is(0, 409, "no credit"));
    assert_eq!(order("GOOD", "BARE1"), is(0, 409, ""));
    // A status in the document is a success, with any media type of its body. Another status is a
    // warning.
    assert_eq!(order("GOOD", "XXXXX"), is(0, 500, "out of order"));
    assert_eq!(order("GOOD", "XX503"), is(4, 503, "the API answered with status 503: come back later"));
    let sent = remote.asked();
    let full = r#"{"items":[{"part":"A01","quantity":7,"tags":["blue","heavy"],"weight":2.5},{"part":"B02","quantity":10,"tags":[],"weight":-0.125}]}"#;
    let expected = [
        ("GOOD1", full),
        ("NONE1", r#"{"items":[]}"#),
        ("NO409", full),
        ("BARE1", full),
        ("XXXXX", full),
        ("XX503", full),
    ];
    let found: Vec<_> = sent.iter().map(|asked| (asked.line.as_str(), asked.body.as_str())).collect();
    let lines = expected
        .map(|(customer, body)| (format!("POST /v1/orders/of-customers-in-side/{customer} HTTP/1.1"), body));
    assert_eq!(found, lines.each_ref().map(|(line, body)| (line.as_str(), *body)));
    // The gateway sends nothing if the data does not fit or the answer could not come back.
    let lie = "the request's structure: requestBody.items: data area THE-ITEMS: expected 3 elements, found 2";
    assert_eq!(order("LIE", "GOOD1"), is(8, 400, lie));
    let stub = "the operation has data areas: programs call it by BAQEXEC";
    assert_eq!(order("STUB", "GOOD1"), is(3, 400, stub));
    assert_eq!(remote.asked().len(), expected.len());
    // These answers do not match the document.
    let (code, status, text) = order("GOOD", "TWO01");
    assert!((code, status) == (Some(8), Some(502)) && text.contains("expected JSON"), "{code:?} {text}");
    let (code, _, text) = order("GOOD", "HTML1");
    assert!(code == Some(8) && text.contains("expected JSON, found the content type 'text/html'"), "{text}");
    let (code, _, text) = order("GOOD", "HUGE1");
    assert!(code == Some(12) && text.contains("expected at most 10000 containers or data areas"), "{text}");
    let (code, _, text) = order("GOOD", "LONG1");
    assert!(code == Some(8) && text.contains("at most 20 characters, found 30"), "{text}");
}

#[test]
fn a_call_from_the_command_line_is_json_on_both_sides() {
    let remote = Remote::start(answer);
    let folder = folder(&remote);
    let call = |json: &[&str]| {
        let arguments = ["call", "orders", "order", "--in", text(folder.path())];
        run(&[&arguments[..], json].concat())
    };
    let json = r#"{"requestPathParameters":{"customer":"GOOD1"},"requestBody":{"urgent":true,"items":[]}}"#;
    let called = call(&["--json", json]);
    let expected = r#"{"responseCode201":[{"number":17,"notes":["soon","cold"]},{"number":4,"notes":[]}]}"#;
    assert_eq!(String::from_utf8_lossy(&called.stdout).trim_end(), expected, "{called:?}");
    assert_eq!(remote.asked()[0].body, r#"{"urgent":true,"items":[]}"#);
    let called = call(&["--json", r#"{"requestBody":{"items":[]}}"#]);
    let told = String::from_utf8_lossy(&called.stderr);
    assert!(told.contains("the request: requestPathParameters: expected the required member"), "{told}");
    let called = call(&[]);
    assert!(
        String::from_utf8_lossy(&called.stderr).contains("takes a structure: give its --json"),
        "{called:?}"
    );
    let called = call(&["--json", json, "--show", "record"]);
    let told = String::from_utf8_lossy(&called.stderr);
    assert!(told.contains("which does not support --show record"), "{told}");
    assert_eq!(remote.asked().len(), 1);
}

#[test]
fn faults_of_structures_have_their_places() {
    let remote = Remote::start(answer);
    let with = |change: (&str, &str)| {
        let folder = folder(&remote);
        let path = folder.path().join("requesters/orders/requester.toml");
        let toml = std::fs::read_to_string(&path).expect("it was imported");
        assert!(toml.contains(change.0), "{toml}");
        let folder = folder.with("requesters/orders/requester.toml", &toml.replacen(change.0, change.1, 1));
        let checked = run(&["check", text(folder.path())]);
        assert!(!checked.status.success(), "{checked:?}");
        String::from_utf8_lossy(&checked.stderr).into_owned()
    };
    for (before, after, expected) in [
        ("/customer\"", "/client\"", "the request's schema has no member '/requestPathParameters/client'"),
        ("/requestPathParameters/customer\"", "/requestBody\"", "'/requestBody' is not a single value"),
        (
            "\"/requestPath",
            "\"requestPath",
            "expected the path of a member, as '/requestPathParameters/customer'",
        ),
        ("path.customer", "path.other", "the path has no parameter 'other'"),
        ("/{customer}", "/{customer}/{day}", "no member is moved to the path parameter 'day'"),
        ("\"requestBody\"", "\"body\"", "the request's schema has no member 'body'"),
        ("\"responseCode409\"", "\"no\"", "the response's schema has no member 'no'"),
        ("\"409\"", "\"201\"", "another response has this status too"),
        ("\"409\"", "\"4\"", "'4' is not a status"),
        ("\"409\"", "\"409\"\nstatus_to = \"X\"", "the structure has no other fields"),
        ("member = \"requestBody\"", "body = \"record\"", "cannot be the body as it is"),
        ("order-request.json", "none.json", "requesters/orders/none.json cannot be read"),
        ("order-request.json", "../x.json", "expected a file in the API requester's folder"),
        (
            "[operation.http]",
            "request = { copybook = \"ORD00Q01.cpy\" }\n[operation.http]",
            "records or schemas, not both",
        ),
        ("inline_max_occurs", "inline_max", "'inline_max' is not known here"),
        (
            "ccsid = 819",
            "ccsid = 37",
            "of the ASCII family, as programs that put data areas have it, found CCSID 37",
        ),
    ] {
        let found = with((before, after));
        assert!(found.contains(expected) && found.contains("requester.toml:"), "{expected}: {found}");
    }
}

#[test]
fn schemas_that_no_structure_fits_are_refused() {
    let remote = Remote::start(answer);
    let check = |file: &str, written: &str| {
        let folder = folder(&remote);
        let before = std::fs::read_to_string(folder.path().join(file)).unwrap_or_default();
        let folder = folder.with(file, &written.replace("BEFORE", &before));
        let checked = run(&["check", text(folder.path())]);
        (checked.status.success(), String::from_utf8_lossy(&checked.stderr).into_owned())
    };
    let response = "requesters/orders/order-response.json";
    let member = |rest: &str| {
        format!(
            r#"{{"type": "object", "properties": {{"responseCode201": {{"type": "string"}}, "responseCode409": {{"type": "string"}}, "responseCode500": {{"type": "string"}}}}{rest}}}"#
        )
    };
    let (fine, found) = check(response, "{\n\"type\": \"number\"}");
    assert!(
        !fine && found.contains("order-response.json") && found.contains("expected an object"),
        "{found}"
    );
    let (fine, found) = check(response, &member(r#", "required": ["responseCode409"]"#));
    assert!(!fine && found.contains("requester.toml:"), "{found}");
    let expected = "the schema of answers requires 'responseCode409', which this one does not have";
    assert!(found.contains(expected), "{found}");
    let (fine, found) = check("gantry.toml", "BEFORE\n[limits]\nrecord_max_bytes = 20\n");
    assert!(!fine && found.contains("bytes, more than limits.record_max_bytes, 20"), "{found}");
    let longer = member("").replacen(r#""string""#, r#""string", "maxLength": 40000"#, 1);
    let (fine, found) = check(response, &longer);
    let expected = "the field has 32767 of 40000 characters; longer text is refused";
    assert!(fine && found.contains("order-response.json") && found.contains(expected), "{found}");
}
