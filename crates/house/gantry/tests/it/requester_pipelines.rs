//! Tests requester pipelines with COBOL programs. They see messages of INVOKE SERVICE on their way
//! out and back. These tests need GnuCOBOL 3, and fail without it.

use serde_json::Value;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::programs::example;
use crate::remote::{Asked, Remote};

const JSON: &str = "content-type: application/json\r\n";
const TYPE: &str = "content-type: text/xml\r\n";
const REQUESTER: &str = "requesters/CABASIC/requester.toml";
const PIPELINE: &str = "pipelines/requester.xml";

const FILE: &str = "<requester_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\">
<service><service_handler_list>
<cics_soap_1.1_handler><headerprogram><program_name>STAMPER</program_name><namespace>urn:stamp</namespace>
<localname>*</localname><mandatory>true</mandatory></headerprogram></cics_soap_1.1_handler>
<handler><program>COURIER</program></handler>
</service_handler_list></service>
</requester_pipeline>
";

/// A header program, which adds a block to each request.
const STAMPER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. STAMPER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION       PIC X(16).
       01  WS-BLOCK          PIC X(46) VALUE
           '<st:Stamp xmlns:st=\"urn:stamp\">paid</st:Stamp>'.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(WS-FUNCTION)
           END-EXEC
           IF WS-FUNCTION = 'SEND-REQUEST'
               EXEC CICS PUT CONTAINER('DFHHEADER') FROM(WS-BLOCK)
                   CHAR END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
";

/// A message handler. The count in the request chooses what it does.
const COURIER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. COURIER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION       PIC X(16).
       01  WS-MESSAGE        PIC X(4000) VALUE SPACES.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-TASK           PIC S9(7) COMP-3.
       01  WS-COUNT          PIC 9(4) VALUE 0.
       01  WS-REST           PIC X(4000).
       01  WS-BEFORE         PIC X(4000).
       01  WS-ANSWER         PIC X(300) VALUE SPACES.
       01  WS-URI            PIC X(255) VALUE SPACES.
       PROCEDURE DIVISION.
       MAIN-LINE.
           EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(WS-FUNCTION)
           END-EXEC
           EVALUATE WS-FUNCTION
               WHEN 'SEND-REQUEST'
                   PERFORM GOES-OUT
               WHEN 'RECEIVE-RESPONSE'
                   EXEC CICS GET CONTAINER('TASK') INTO(WS-TASK)
                   END-EXEC
                   IF WS-TASK NOT = EIBTASKN
                       EXEC CICS ABEND ABCODE('TASK') END-EXEC
                   END-IF
                   DISPLAY 'COURIER BACK'
               WHEN 'HANDLER-ERROR'
                   DISPLAY 'COURIER ERROR'
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       GOES-OUT.
           MOVE EIBTASKN TO WS-TASK
           EXEC CICS PUT CONTAINER('TASK') FROM(WS-TASK) END-EXEC
           MOVE LENGTH OF WS-MESSAGE TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHREQUEST')
               INTO(WS-MESSAGE) FLENGTH(WS-LENGTH) END-EXEC
           UNSTRING WS-MESSAGE DELIMITED BY '<count_out>'
               INTO WS-BEFORE WS-REST
           UNSTRING WS-REST DELIMITED BY '<' INTO WS-BEFORE
           COMPUTE WS-COUNT = FUNCTION NUMVAL(WS-BEFORE(1:4))
           EVALUATE WS-COUNT
               WHEN 3
                   STRING 'URL-OF-SERVER'
                       '/OTHER' DELIMITED BY SIZE INTO WS-URI
                   PERFORM CHANGE-URI
               WHEN 4
                   MOVE 'http://example.com/x' TO WS-URI
                   PERFORM CHANGE-URI
               WHEN 5
                   PERFORM ANSWER-IT
               WHEN 6
                   EXEC CICS ABEND ABCODE('CRRR') END-EXEC
           END-EVALUATE.
       CHANGE-URI.
           EXEC CICS PUT CONTAINER('DFHWS-URI') FROM(WS-URI)
               CHAR END-EXEC.
       ANSWER-IT.
           STRING '<Envelope xmlns=\"http://schemas.xmlsoap.org/soap'
               '/envelope/\"><Body><CABASICOperationResponse xmlns='
               '\"http://www.CABASIC.Response.com\"><send_size>160'
               '</send_size></CABASICOperationResponse></Body>'
               '</Envelope>' DELIMITED BY SIZE INTO WS-ANSWER
           EXEC CICS DELETE CONTAINER('DFHREQUEST') END-EXEC
           EXEC CICS PUT CONTAINER('DFHRESPONSE')
               FROM(WS-ANSWER) CHAR END-EXEC.
";

const NAMESPACE: &str = "http://schemas.xmlsoap.org/soap/envelope/";

fn envelope(header: &str, body: &str) -> String {
    format!("<e:Envelope xmlns:e='{NAMESPACE}'>{header}<e:Body>{body}</e:Body></e:Envelope>")
}

/// The same in another encoding. It contains ASCII.
fn declared(message: &str) -> String {
    format!("<?xml version='1.0' encoding='iso-8859-1'?>{message}")
}

fn count(asked: &Asked) -> u32 {
    let rest = asked.body.split("count_out>").nth(1).expect("a count");
    rest.trim_end_matches("</").parse().expect("a number")
}

fn answer(asked: &Asked) -> (u16, &'static str, String) {
    let count = count(asked);
    let good = format!(
        "<r:CABASICOperationResponse xmlns:r='http://www.CABASIC.Response.com'><r:send_size>{}</r:send_size>\
         </r:CABASICOperationResponse>",
        count * 32
    );
    let block = |name: &str| {
        format!("<e:Header><s:{name} xmlns:s='urn:{name}' e:mustUnderstand='1'>x</s:{name}></e:Header>")
    };
    match count {
        7 => {
            let fault = "<e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault>";
            (500, TYPE, declared(&envelope("", fault)))
        }
        8 => (200, TYPE, format!("<!DOCTYPE a>{}", envelope("", &good))),
        9 => (200, TYPE, envelope("", &good)[..100].to_owned()),
        10 => (200, TYPE, declared(&envelope(&block("stamp"), &good))),
        11 => (200, TYPE, envelope(&block("other"), &good)),
        12 => (404, "content-type: text/html\r\n", "gone".to_owned()),
        _ => (200, TYPE, envelope("", &good)),
    }
}

fn folder(url: &str) -> Folder {
    let folder = example("");
    let read = |path: &str| std::fs::read_to_string(folder.path().join(path)).expect("a text");
    let gantry = read("gantry.toml").replace("http://127.0.0.1:2222/cics/services", url)
        + "\n[[pipeline]]\nname = \"SOAPREQ\"\nfile = \"pipelines/requester.xml\"\n";
    let requester = format!("pipeline = \"SOAPREQ\"\n{}", read(REQUESTER));
    folder
        .with("gantry.toml", &gantry)
        .with(REQUESTER, &requester)
        .with(PIPELINE, FILE)
        .with("programs/STAMPER.cbl", STAMPER)
        .with("programs/COURIER.cbl", &COURIER.replace("URL-OF-SERVER", url))
}

fn ask(gantry: &Gantry, count: u32) -> Value {
    let body = format!("{{\"question\":{{\"count\":{count}}}}}");
    let answer = gantry.send("POST", "/programs/questions", JSON, &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let json: Value = serde_json::from_str(answer.text()).expect("JSON");
    json["question"].clone()
}

#[track_caller]
fn is(found: &Value, resp: u32, resp2: u32, sent: u32) {
    assert_eq!(
        (&found["resp"], &found["resp2"], &found["sent"]),
        (&resp.into(), &resp2.into(), &sent.into()),
        "{found}"
    );
}

#[test]
fn programs_see_a_message_on_its_way_out_and_back() {
    let remote = Remote::start(answer);
    let folder = folder(&format!("http://{}/v1", remote.address));
    let gantry = Gantry::folder(folder.path());
    is(&ask(&gantry, 2), 0, 0, 64);
    let asked = remote.asked().remove(0);
    assert_eq!(asked.line, "POST /v1/CABASIC HTTP/1.1");
    assert!(asked.headers.contains("soapaction: \"\"\r\n"), "{}", asked.headers);
    let block =
        "<SOAP-ENV:Header><st:Stamp xmlns:st=\"urn:stamp\">paid</st:Stamp></SOAP-ENV:Header><SOAP-ENV:Body>";
    assert!(asked.body.contains(block), "{}", asked.body);
    // These calls use another path below the connection, and a server without a connection.
    is(&ask(&gantry, 3), 0, 0, 96);
    assert_eq!(remote.asked()[1].line, "POST /v1/OTHER HTTP/1.1");
    is(&ask(&gantry, 4), 16, 0, 0);
    // A handler answers in place of the server, or ends with an abend.
    is(&ask(&gantry, 5), 0, 0, 160);
    is(&ask(&gantry, 6), 16, 0, 0);
    assert_eq!(remote.asked().len(), 2, "none of these was sent");
    // A fault is not an error of the pipeline.
    let found = ask(&gantry, 7);
    is(&found, 16, 6, 0);
    let fault =
        "<e:Body><e:Fault><faultcode>e:Client</faultcode><faultstring>no</faultstring></e:Fault></e:Body>";
    assert_eq!(found["fault"], fault);
    // The answers are: a document type, half an answer, a block for a program, a block for nobody,
    // a page.
    for (count, resp, resp2, sent) in
        [(8, 16, 14, 0), (9, 16, 14, 0), (10, 0, 0, 320), (11, 16, 14, 0), (12, 16, 14, 0)]
    {
        is(&ask(&gantry, count), resp, resp2, sent);
    }
    let log = gantry.stop();
    for told in [
        "DFHWS-URI is not below the url of any of [connections]",
        "CRRR",
        "the server answered with the fault e:Client: no",
        "document type",
        "must understand the header block other",
        "answer with status 404: expected a SOAP message",
        "COURIER ERROR",
    ] {
        assert!(log.contains(told), "{told} in\n{log}");
    }
    // The handler sees the answers of 2, 3, 7, 10 and 11. It sees no bytes that are not a message,
    // and not its own answer.
    assert_eq!(log.matches("COURIER BACK").count(), 5, "{log}");
}

#[test]
fn a_call_from_the_command_line_goes_through_the_pipeline() {
    let remote = Remote::start(answer);
    let folder = folder(&format!("http://{}/v1", remote.address));
    let json = r#"{"count_out":2}"#;
    let called = run(&["call", "CABASIC", "CABASICOperation", "--in", text(folder.path()), "--json", json]);
    let shown = String::from_utf8_lossy(&called.stdout);
    assert!(called.status.success() && shown.contains("\"send_size\":64"), "{called:?}");
    assert!(remote.asked()[0].body.contains("<st:Stamp"), "{:?}", remote.asked());
}

#[test]
fn a_silent_server_and_nobody_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let folder = folder(&format!("http://{}", listener.local_addr().expect("an address")));
    let written = std::fs::read_to_string(folder.path().join(REQUESTER)).expect("a text");
    let folder = folder.with(REQUESTER, &format!("timeout_ms = 500\n{written}"));
    let gantry = Gantry::folder(folder.path());
    is(&ask(&gantry, 2), 124, 0, 0);
    drop(listener);
    is(&ask(&gantry, 2), 16, 0, 0);
    is(&ask(&gantry, 5), 0, 0, 160);
}

#[test]
fn what_is_wrong_is_told() {
    let all = folder("http://127.0.0.1:1");
    let written = std::fs::read_to_string(all.path().join(REQUESTER)).expect("a text");
    let mut all = all;
    for (path, changed, expected) in [
        (REQUESTER, written.replace("SOAPREQ", "NONE"), "there is no pipeline 'NONE'"),
        (REQUESTER, written.replace("SOAPREQ", "SOAPPROV"), "the pipeline of an API requester is a <requester_pipeline>"),
        (REQUESTER, written.replace("path = ", "soap = \"1.2\"\npath = "), "the operation is of SOAP 1.2"),
        (
            REQUESTER,
            written.replace("kind = \"soap\"\n", "").replace("[operation.soap]", "[operation.other]"),
            "'other' is not known here",
        ),
        (PIPELINE, FILE.replace("soap_1.1", "soap_1.3"), "pipelines/requester.xml:3"),
        (
            PIPELINE,
            "<requester_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"><service/></requester_pipeline>"
                .to_owned(),
            "the handlers of a requester begin with a SOAP handler",
        ),
    ] {
        let before = std::fs::read_to_string(all.path().join(path)).expect("a text");
        all = all.with(path, &changed);
        let checked = run(&["check", text(all.path())]);
        let found = String::from_utf8_lossy(&checked.stderr);
        assert!(!checked.status.success() && found.contains(expected), "{expected} in\n{found}");
        all = all.with(path, &before);
    }
}
