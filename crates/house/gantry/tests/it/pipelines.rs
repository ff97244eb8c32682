//! Tests web services with pipelines and COBOL programs. These tests need GnuCOBOL 3, and fail
//! without it.

use crate::client::Response;
use crate::folder::Folder;
use crate::process::Gantry;
use crate::programs::example;

const TYPE: &str = "content-type: text/xml; charset=utf-8\r\nsoapaction: \"\"\r\n";

/// Makes the example. The queue of the header program is recoverable.
fn folder() -> Folder {
    let folder = example("");
    let store = folder.path().join(".store");
    let gantry = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let models = "\n[[region.tsmodel]]\nprefix = \"AUDIT\"\nlocation = \"auxiliary\"\nrecoverable = true\n";
    let store = format!("[region]\nstore = \"{}\"\n", store.display());
    folder.with("gantry.toml", &(gantry.replace("[region]\n", &store) + models))
}

fn envelope(header: &str, body: &str) -> String {
    format!(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\">{header}<s:Body>{body}</s:Body></s:Envelope>"
    )
}

fn order(item: &str, quantity: u32) -> String {
    format!(
        "<ORDEROperation xmlns=\"http://www.ORDER.Request.com\"><item>{item}</item><quantity>{quantity}</quantity></ORDEROperation>"
    )
}

fn audit(content: &str) -> String {
    format!(
        "<s:Header><a:Audit xmlns:a=\"http://www.example.com/audit\" s:mustUnderstand=\"1\">{content}</a:Audit></s:Header>"
    )
}

fn send(gantry: &Gantry, path: &str, message: &str) -> Response {
    gantry.send("POST", path, TYPE, message)
}

/// Gives the number of requests in the header block of an answer. The header program counts them.
#[track_caller]
fn receipt(answer: &Response) -> u32 {
    let text = answer.text();
    let (_, rest) = text.split_once("<aud:Receipt").unwrap_or_else(|| panic!("no receipt: {text}"));
    let (_, rest) = rest.split_once('>').expect("a tag ends");
    rest[..5].parse().unwrap_or_else(|_| panic!("no number: {text}"))
}

#[test]
fn a_header_program_sees_blocks_and_adds_one() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let answer = send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 3)));
    assert_eq!((answer.status, receipt(&answer)), (200, 1), "{}", answer.text());
    assert!(answer.text().contains("<status>TAKEN</status>"), "{}", answer.text());
    let header = audit("<a:User>maude</a:User>");
    let answer = send(&gantry, "/cics/services/ORDER", &envelope(&header, &order("LAMP", 1)));
    assert_eq!((answer.status, receipt(&answer)), (200, 2), "{}", answer.text());
    let cabasic = "<CABASICOperation xmlns=\"http://www.CABASIC.Request.com\"><count_out>2</count_out></CABASICOperation>";
    let answer = send(&gantry, "/cics/services/CABASIC", &envelope("", cabasic));
    assert_eq!((answer.status, receipt(&answer)), (200, 3), "{}", answer.text());
    assert!(answer.text().contains("CABASICOperationResponse"), "{}", answer.text());
}

/// Without `<mandatory>` a header program only sees messages that have a block for it.
#[test]
fn a_header_program_is_called_for_its_own_blocks_alone() {
    let folder = folder();
    let pipeline = std::fs::read_to_string(folder.path().join("pipelines/provider.xml")).expect("a text");
    let folder = folder.with("pipelines/provider.xml", &pipeline.replace("true", "false"));
    let gantry = Gantry::folder(folder.path());
    let other = "<s:Header><o:Other xmlns:o=\"urn:o\"/></s:Header>";
    for header in ["", "<s:Header/>", other] {
        let answer = send(&gantry, "/cics/services/ORDER", &envelope(header, &order("LAMP", 1)));
        assert_eq!(answer.status, 200, "{header}: {}", answer.text());
    }
    // The program understands the block. The answer has no header block, because nothing asks for
    // one.
    let answer =
        send(&gantry, "/cics/services/ORDER", &envelope(&audit("<a:User>m</a:User>"), &order("LAMP", 1)));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(!answer.text().contains("Receipt"), "{}", answer.text());
    let refused = send(&gantry, "/cics/services/ORDER", &envelope(&audit("nobody"), &order("LAMP", 1)));
    assert!(refused.text().contains("names no user"), "{}", refused.text());
}

#[test]
fn what_a_header_program_has_written_is_backed_out_if_the_target_abends() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    assert_eq!(receipt(&send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 1)))), 1);
    // PRICER ends with an abend for unknown items.
    let failed = send(&gantry, "/cics/services/ORDER", &envelope("", &order("SOFA", 1)));
    assert_eq!(failed.status, 500, "{}", failed.text());
    assert!(failed.text().contains("<faultcode>SOAP-ENV:Server</faultcode>"), "{}", failed.text());
    let bad = send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 1_000_000)));
    assert!(bad.text().contains("<faultcode>SOAP-ENV:Client</faultcode>"), "{}", bad.text());
    assert_eq!(receipt(&send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 1)))), 2);
}

#[test]
fn a_soap_fault_of_a_header_program_is_the_answer_and_keeps_its_changes() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let header = audit("nobody");
    let answer = send(&gantry, "/cics/services/ORDER", &envelope(&header, &order("LAMP", 1)));
    let text = answer.text();
    assert_eq!(answer.status, 500, "{text}");
    assert!(text.contains("<faultcode>SOAP-ENV:Client</faultcode>"), "{text}");
    assert!(text.contains("<faultstring>The audit block names no user</faultstring>"), "{text}");
    assert_eq!(receipt(&send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 1)))), 2);
}

#[test]
fn messages_may_declare_another_encoding() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let message = envelope("", &order("LAMP", 1));
    for (declared, content_type) in [
        ("iso-8859-1", "text/xml"),
        ("iso-8859-1", "text/xml; charset=iso-8859-1"),
        ("utf-16", "text/xml; charset=utf-8"),
    ] {
        let text = format!("<?xml version='1.0' encoding='{declared}'?>{message}");
        let head = format!("content-type: {content_type}\r\n");
        let answer = gantry.send("POST", "/cics/services/ORDER", &head, &text);
        assert_eq!(answer.status, 200, "{content_type}: {}", answer.text());
    }
}

#[test]
fn a_soap_fault_goes_where_the_message_says() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let addressing = "http://www.w3.org/2005/08/addressing";
    let header = |more: &str| {
        let blocks = format!(
            "<w:MessageID xmlns:w=\"{addressing}\">urn:7</w:MessageID><w:Action xmlns:w=\"{addressing}\">urn:a</w:Action>{more}"
        );
        audit("nobody").replace("<s:Header>", &format!("<s:Header>{blocks}"))
    };
    let answer = send(&gantry, "/cics/services/ORDER", &envelope(&header(""), &order("LAMP", 1)));
    let text = answer.text();
    assert_eq!(answer.status, 500, "{text}");
    assert!(text.contains(">urn:7</wsa:RelatesTo>") && text.contains("names no user"), "{text}");
    let none =
        format!("<w:FaultTo xmlns:w=\"{addressing}\"><w:Address>{addressing}/none</w:Address></w:FaultTo>");
    let answer = send(&gantry, "/cics/services/ORDER", &envelope(&header(&none), &order("LAMP", 1)));
    assert_eq!((answer.status, answer.text()), (202, ""));
    // Nothing is backed out.
    assert_eq!(receipt(&send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 1)))), 3);
}

#[test]
fn blocks_of_others_must_be_understood_as_without_a_pipeline() {
    let folder = folder();
    let gantry = Gantry::folder(folder.path());
    let header = "<s:Header><o:Other xmlns:o=\"urn:o\" s:mustUnderstand=\"1\"/></s:Header>";
    let answer = send(&gantry, "/cics/services/ORDER", &envelope(header, &order("LAMP", 1)));
    assert!(answer.text().contains("<faultcode>SOAP-ENV:MustUnderstand</faultcode>"), "{}", answer.text());
    for bad in ["", "<a>", "<!DOCTYPE a><a/>"] {
        let answer = send(&gantry, "/cics/services/ORDER", bad);
        assert!((400..=500).contains(&answer.status), "{bad}: {}", answer.text());
    }
    assert_eq!(receipt(&send(&gantry, "/cics/services/ORDER", &envelope("", &order("LAMP", 1)))), 1);
}

/// A message handler. It answers by itself, changes the task of the service, or ends with an abend.
const HANDLER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. WATCHER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-FUNCTION       PIC X(16).
       01  WS-MESSAGE        PIC X(4000) VALUE SPACES.
       01  WS-LENGTH         PIC S9(8) COMP.
       01  WS-FOUND          PIC S9(4) COMP-5 VALUE 0.
       01  WS-ANSWER         PIC X(40) VALUE
           '<closed>The shop is closed</closed>'.
       01  WS-TRANSACTION    PIC X(4) VALUE 'OTHR'.
       01  WS-USER           PIC X(8) VALUE 'STRANGER'.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('DFHFUNCTION') INTO(WS-FUNCTION)
           END-EXEC
           IF WS-FUNCTION = 'RECEIVE-REQUEST'
               MOVE LENGTH OF WS-MESSAGE TO WS-LENGTH
               EXEC CICS GET CONTAINER('DFHREQUEST')
                   INTO(WS-MESSAGE) FLENGTH(WS-LENGTH) END-EXEC
               INSPECT WS-MESSAGE TALLYING WS-FOUND FOR ALL 'CLOSED'
               IF WS-FOUND > 0
                   EXEC CICS DELETE CONTAINER('DFHREQUEST') END-EXEC
                   EXEC CICS PUT CONTAINER('DFHRESPONSE')
                       FROM(WS-ANSWER) CHAR END-EXEC
               END-IF
               MOVE 0 TO WS-FOUND
               INSPECT WS-MESSAGE TALLYING WS-FOUND FOR ALL 'ABEND'
               IF WS-FOUND > 0
                   EXEC CICS ABEND ABCODE('WTCH') END-EXEC
               END-IF
               MOVE 0 TO WS-FOUND
               INSPECT WS-MESSAGE TALLYING WS-FOUND FOR ALL 'TASK'
               IF WS-FOUND > 0
                   EXEC CICS PUT CONTAINER('DFHWS-TRANID')
                       FROM(WS-TRANSACTION) CHAR END-EXEC
               END-IF
               MOVE 0 TO WS-FOUND
               INSPECT WS-MESSAGE TALLYING WS-FOUND FOR ALL 'USER'
               IF WS-FOUND > 0
                   EXEC CICS PUT CONTAINER('DFHWS-USERID')
                       FROM(WS-USER) CHAR END-EXEC
               END-IF
           END-IF
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_handler_may_answer_fall_or_choose_the_task() {
    let folder = folder();
    let pipeline = std::fs::read_to_string(folder.path().join("pipelines/provider.xml")).expect("a text");
    let list = "<service>\n<service_handler_list><handler><program>WATCHER</program></handler></service_handler_list>";
    let folder = folder
        .with("pipelines/provider.xml", &pipeline.replace("<service>", list))
        .with("programs/WATCHER.cbl", HANDLER);
    let gantry = Gantry::folder(folder.path());
    let with = |note: &str, item: &str| {
        let message = envelope(&format!("<!-- {note} -->"), &order(item, 1));
        send(&gantry, "/cics/services/ORDER", &message)
    };
    assert_eq!(receipt(&with("", "LAMP")), 1);
    let answer = with("CLOSED", "LAMP");
    assert_eq!((answer.status, answer.text().trim_end()), (200, "<closed>The shop is closed</closed>"));
    let answer = with("ABEND", "LAMP");
    assert!(answer.text().contains("<faultcode>SOAP-ENV:Server</faultcode>"), "{}", answer.text());
    // The target has its own task here. The count is 2: the abend before backed out the pipeline's
    // task.
    let answer = with("TASK", "LAMP");
    assert_eq!((answer.status, receipt(&answer)), (200, 2), "{}", answer.text());
    let answer = with("USER", "LAMP");
    assert_ne!(answer.status, 200, "nobody lists this user: {}", answer.text());
    let log = gantry.stop();
    assert!(log.contains("WTCH"), "{log}");
}

/// A handler that puts an answer in place of each fault.
const HIDES: &str = "           END-IF
           IF WS-FUNCTION = 'SEND-RESPONSE'
               MOVE LENGTH OF WS-MESSAGE TO WS-LENGTH
               EXEC CICS GET CONTAINER('DFHRESPONSE')
                   INTO(WS-MESSAGE) FLENGTH(WS-LENGTH) END-EXEC
               MOVE 0 TO WS-FOUND
               INSPECT WS-MESSAGE TALLYING WS-FOUND FOR ALL 'faultcode'
               IF WS-FOUND > 0
                   EXEC CICS PUT CONTAINER('DFHRESPONSE')
                       FROM(WS-ANSWER) CHAR END-EXEC
               END-IF
           END-IF
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn an_answer_that_a_handler_puts_in_place_of_a_fault_is_a_success() {
    let folder = folder();
    let pipeline = std::fs::read_to_string(folder.path().join("pipelines/provider.xml")).expect("a text");
    let list = "<service>\n<service_handler_list><handler><program>WATCHER</program></handler></service_handler_list>";
    let handler = HANDLER.replace("           END-IF\n           EXEC CICS RETURN END-EXEC.\n", HIDES);
    let folder = folder
        .with("pipelines/provider.xml", &pipeline.replace("<service>", list))
        .with("programs/WATCHER.cbl", &handler);
    let gantry = Gantry::folder(folder.path());
    let answer = send(&gantry, "/cics/services/ORDER", &envelope(&audit("nobody"), &order("LAMP", 1)));
    assert_eq!((answer.status, answer.text().trim_end()), (200, "<closed>The shop is closed</closed>"));
}

#[test]
fn what_is_wrong_with_pipelines_is_told() {
    let bad = "<provider_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\">\n<service>\n<terminal_handler>\n<cics_soap_1.1_handler_java/></terminal_handler></service></provider_pipeline>";
    let more = "<requester_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"><service/></requester_pipeline>";
    let other = "<requester_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"><service><service_handler_list><cics_soap_1.1_handler/></service_handler_list></service></requester_pipeline>";
    let folder = Folder::echo(
        "\n[[pipeline]]\nname = \"BAD\"\nfile = \"pipelines/bad.xml\"\n\n[[pipeline]]\nname = \"GONE\"\nfile = \"pipelines/gone.xml\"\n\n[[pipeline]]\nname = \"MORE\"\nfile = \"pipelines/more.xml\"\n\n[[pipeline]]\nname = \"OUT\"\nfile = \"pipelines/out.xml\"\n",
    )
    .with("pipelines/out.xml", other)
    .with("soap/two.toml", "pipeline = \"OUT\"\n[[operation]]\nservice = \"echo\"\n")
    .with("pipelines/more.xml", more)
    .with("pipelines/bad.xml", bad)
    .with("soap/one.toml", "pipeline = \"NONE\"\n[[operation]]\nservice = \"echo\"\n");
    let found = crate::check::problems(&folder);
    let has = |part: &str| assert!(found.iter().any(|one| one.contains(part)), "{part}: {found:?}");
    has("<cics_soap_1.1_handler_java> is not supported");
    has("pipelines/bad.xml:4");
    has("the pipeline file pipelines/gone.xml cannot be read");
    has("there is no pipeline 'NONE'");
    has("the pipeline of a web service is a <provider_pipeline>");
    has("the handlers of a requester begin with a SOAP handler");
}
