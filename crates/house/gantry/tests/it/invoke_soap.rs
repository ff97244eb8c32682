//! Tests COBOL programs that call SOAP servers by INVOKE SERVICE. These tests need GnuCOBOL 3, and
//! fail without it.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::programs::example;

const JSON: &str = "content-type: application/json\r\n";
const GANTRY: &str = "gantry.toml";

/// Makes the example `programs`. Its program ASKER calls the web service of another gateway. `more`
/// goes to the end of gantry.toml.
fn asking(url: &str, more: &str) -> Folder {
    let folder = example("");
    let gantry = std::fs::read_to_string(folder.path().join(GANTRY)).expect("a text");
    let own = "http://127.0.0.1:2222/cics/services";
    assert!(gantry.contains(own), "{gantry}");
    folder.with(GANTRY, &(gantry.replace(own, url) + more))
}

fn ask(gantry: &Gantry, count: u32, uri: &str) -> serde_json::Value {
    let uri = if uri.is_empty() { String::new() } else { format!(",\"uri\":\"{uri}\"") };
    let body = format!("{{\"question\":{{\"count\":{count}{uri}}}}}");
    let answer = gantry.send("POST", "/programs/questions", JSON, &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let json: serde_json::Value = serde_json::from_str(answer.text()).expect("JSON");
    json["question"].clone()
}

#[test]
fn a_program_asks_a_web_service_by_invoke_service() {
    let served = example("");
    let server = Gantry::folder(served.path());
    let url = format!("http://{}/cics/services", server.address());
    let folder = asking(&url, "");
    let gantry = Gantry::folder(folder.path());
    let found = ask(&gantry, 4, "");
    assert_eq!(
        (&found["resp"], &found["resp2"], &found["sent"]),
        (&0.into(), &0.into(), &128.into()),
        "{found}"
    );
    assert_eq!(found["transaction"], "CBAS");

    // Tries a URI below a connection, and others.
    let found = ask(&gantry, 2, &format!("{url}/CABASIC"));
    assert_eq!((&found["resp"], &found["sent"]), (&0.into(), &64.into()), "{found}");
    for uri in ["http://example.com/CABASIC", &format!("{url}/../x"), &url.replace("/cics", "/other"), "x"] {
        let found = ask(&gantry, 2, uri);
        assert_eq!((&found["resp"], &found["resp2"]), (&16.into(), &0.into()), "{uri}: {found}");
    }
    let requests = "gantry_requests_total{api=\"CABASIC\",operation=\"CABASICOperation\",status=\"200\"}";
    assert_eq!(server.metric(requests), 2.0);

    // The program of the server ends with an abend. DFHWS-BODY has the fault.
    let found = ask(&gantry, 33, "");
    assert_eq!(
        (&found["resp"], &found["resp2"], &found["sent"]),
        (&16.into(), &6.into(), &0.into()),
        "{found}"
    );
    let fault = found["fault"].as_str().expect("a text");
    assert!(fault.starts_with("<SOAP-ENV:Body><SOAP-ENV:Fault>"), "{fault}");
    assert!(fault.contains("<faultcode>SOAP-ENV:"), "{fault}");

    // Tries an element of another operation, and a path without a web service.
    let elsewhere = ask(&gantry, 2, &format!("{url}/ORDER"));
    assert_eq!((&elsewhere["resp"], &elsewhere["resp2"]), (&16.into(), &6.into()), "{elsewhere}");
    let nowhere = ask(&gantry, 2, &format!("{url}/NOTHING"));
    assert_eq!((&nowhere["resp"], &nowhere["resp2"]), (&16.into(), &14.into()), "{nowhere}");
    let log = gantry.stop();
    assert!(log.contains("the URI is not below the url of any of [connections]"), "{log}");
    assert!(log.contains("INVOKE SERVICE CABASIC: the server answered with the fault SOAP-ENV:"), "{log}");
}

#[test]
fn who_does_not_answer_and_who_is_not_there() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let silent = listener.local_addr().expect("an address");
    let folder = asking(&format!("http://{silent}"), "");
    let requester = folder.path().join("requesters/CABASIC/requester.toml");
    let written = std::fs::read_to_string(&requester).expect("a text");
    let folder = folder.with("requesters/CABASIC/requester.toml", &format!("timeout_ms = 200\n{written}"));
    let gantry = Gantry::folder(folder.path());
    let found = ask(&gantry, 2, "");
    assert_eq!((&found["resp"], &found["resp2"]), (&124.into(), &0.into()), "{found}");
    drop(listener);
    let found = ask(&gantry, 2, "");
    assert_eq!((&found["resp"], &found["resp2"]), (&16.into(), &0.into()), "{found}");
}

#[test]
fn a_program_asks_over_queues_those_of_the_configuration_alone() {
    let queues = "[store]\npath = \".state/store\"\n[queue_manager]\nname = \"QM1\"\n\
                  [[queue_manager.queue]]\nname = \"ASKED\"\n[[queue_manager.queue]]\nname = \"TOLD\"\n\
                  [[queue_manager.queue]]\nname = \"OTHER\"\n";
    let folder = asking("http://127.0.0.1:1", queues);
    let file = "requesters/CABASIC/requester.toml";
    let written = std::fs::read_to_string(folder.path().join(file)).expect("a text");
    let own = "jms:/queue?destination=ASKED&replyDestination=TOLD&timeout=50";
    let folder = folder.with(file, &written.replace("connection = \"own\"", &format!("uri = \"{own}\"")));
    let gantry = Gantry::folder(folder.path());
    // Nobody replies. The program may set options of the address.
    for uri in ["", own, "jms:/queue?destination=ASKED&timeout=100&priority=9"] {
        let found = ask(&gantry, 2, uri);
        assert_eq!((&found["resp"], &found["resp2"]), (&124.into(), &0.into()), "{uri}: {found}");
    }
    for uri in [
        "jms:/queue?destination=OTHER",
        "jms:/queue?destination=ASKED@QM2",
        "jms:/queue?destination=ASKED&replyDestination=OTHER",
        "jms:/queue?destination=ASKED&timeout=x",
        "jms:/topic?destination=ASKED",
    ] {
        let found = ask(&gantry, 2, uri);
        assert_eq!((&found["resp"], &found["resp2"]), (&16.into(), &0.into()), "{uri}: {found}");
    }
    let log = gantry.stop();
    assert!(log.contains("the URI has other queues than the uri of the API requester"), "{log}");
}

#[test]
fn operations_of_soap_are_called_from_the_command_line() {
    let served = example("");
    let server = Gantry::folder(served.path());
    let folder = asking(&format!("http://{}/cics/services", server.address()), "");
    let json = r#"{"count_out":2}"#;
    let called = run(&["call", "CABASIC", "CABASICOperation", "--in", text(folder.path()), "--json", json]);
    let shown = String::from_utf8_lossy(&called.stdout);
    assert!(called.status.success() && shown.contains("\"send_size\":64"), "{called:?}");
    let failed = run(&["call", "CABASIC", "CABASICOperation", "--in", text(folder.path())]);
    let told = String::from_utf8_lossy(&failed.stderr);
    assert!(!failed.status.success() && told.contains("the server answered with the fault"), "{failed:?}");
}

#[test]
fn faults_of_the_file_are_told() {
    let file = "requesters/CABASIC/requester.toml";
    let folder = asking("http://127.0.0.1:1", "");
    let written = std::fs::read_to_string(folder.path().join(file)).expect("a text");
    let mut folder = folder;
    for (find, replace, expected) in [
        ("kind = \"soap\"\n", "", "[operation.soap] and [operation.response] go with kind = \"soap\""),
        ("namespace = \"http://www.CABASIC.Request.com\"", "", "'namespace' is missing"),
        (
            "[operation.response]\ncopybook = \"CABASRS2.cpy\"",
            "[operation.response]\ncopybook = \"NO.cpy\"",
            "NO.cpy",
        ),
        ("path = \"/CABASIC\"", "path = \"CABASIC\"", "does not begin with a slash"),
        ("connection = \"own\"", "connection = \"own\"\nbase_path = \"/a b\"", "which a path cannot have"),
        ("connection = \"own\"", "connection = \"other\"", "there is no connection 'other'; known: own"),
    ] {
        folder = folder.with(file, &written.replacen(find, replace, 1));
        let checked = run(&["check", text(folder.path())]);
        let found = String::from_utf8_lossy(&checked.stderr);
        assert!(!checked.status.success() && found.contains(expected), "{expected} in\n{found}");
    }
}
