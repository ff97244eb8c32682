//! Tests z/OS Connect's administration interface: keys and statuses as its clients expect them.

use serde_json::{Value, json};

use crate::client::{Client, Response};
use crate::folder::Folder;
use crate::process::{Gantry, request};

fn admin(gantry: &Gantry, method: &str, path: &str, body: &str) -> Response {
    Client::connect(gantry.admin).ask(request(method, path, "", body).as_bytes())
}

#[track_caller]
fn ask(gantry: &Gantry, method: &str, path: &str) -> Value {
    let answer = admin(gantry, method, path, "");
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.text());
    serde_json::from_str(answer.text()).expect("JSON")
}

#[test]
fn lists_and_details() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let apis = ask(&gantry, "GET", "/zosConnect/apis");
    let url = "http://localhost/zosConnect/apis/echo";
    assert_eq!(apis, json!({"apis":[{"name":"echo","version":"1.0.0","description":"","adminUrl":url}]}));
    let api = ask(&gantry, "GET", "/zosConnect/apis/echo");
    assert_eq!(api["status"], "Started");
    let at = format!("http://localhost:{}/echo", gantry.address().port());
    assert_eq!(api["apiUrl"], at.as_str(), "where it is served");
    assert_eq!(api["documentation"]["swagger"], format!("{at}/api-docs"));
    // Clients add the document's path to the address that they know.
    assert_eq!(ask(&gantry, "GET", "/echo/api-docs")["basePath"], "/echo");
    assert_eq!(api["services"][0]["name"], "echo");

    let services = ask(&gantry, "GET", "/zosConnect/services");
    assert_eq!(services["zosConnectServices"][0]["ServiceName"], "echo");
    assert_eq!(services["zosConnectServices"][0]["ServiceProvider"], "simulated");
    let service = ask(&gantry, "GET", "/zosConnect/services/echo");
    assert_eq!(service["zosConnect"]["serviceStatus"], "Started");
    assert_eq!(
        service["zosConnect"]["serviceInvokeURL"],
        "http://localhost/zosConnect/services/echo?action=invoke"
    );
    assert!(service["echo"].is_object());
    let schema = ask(&gantry, "GET", "/zosConnect/services/echo/schema/request");
    assert_eq!(schema["properties"]["words"]["maxLength"], 20);

    for path in ["/zosConnect/apis/none", "/zosConnect/services/none", "/zosConnect/none"] {
        assert_eq!(admin(&gantry, "GET", path, "").status, 404, "{path}");
    }
    assert_eq!(admin(&gantry, "DELETE", "/zosConnect/operations/getStatistics", "").status, 405);
    assert_eq!(admin(&gantry, "POST", "/zosConnect/apis", "zip").status, 415);
    assert_eq!(admin(&gantry, "POST", "/zosConnect/apiRequesters", "zip").status, 415);
}

#[test]
fn what_is_stopped_stays_so_over_a_restart() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    assert_eq!(ask(&gantry, "PUT", "/zosConnect/apis/echo?status=stopped")["status"], "Stopped");
    assert_eq!(gantry.put("/echo/7", "{}").status, 404);
    assert!(gantry.put("/echo/7", "{}").text().contains("BAQR0431W"));
    assert_eq!(gantry.get("/echo/api-docs").status, 200, "its documents stay");
    assert_eq!(admin(&gantry, "PUT", "/zosConnect/apis/echo?status=half", "").status, 400);
    gantry.stop();

    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.put("/echo/7", "{}").status, 404);
    assert_eq!(ask(&gantry, "GET", "/zosConnect/apis/echo")["status"], "Stopped");
    ask(&gantry, "PUT", "/zosConnect/apis/echo?status=started");
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);

    ask(&gantry, "PUT", "/zosConnect/services/echo?action=stop");
    assert_eq!(gantry.put("/echo/7", "{}").status, 404, "its service is stopped");
    ask(&gantry, "PUT", "/zosConnect/services/echo?status=started");
    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
}

#[test]
fn a_direct_call_is_recorded_as_a_request_without_an_api() {
    let folder = Folder::echo(&crate::audit::interceptor("audit", "", ""));
    let gantry = Gantry::folder(folder.path());
    let path = "/zosConnect/services/echo?action=invoke";
    assert_eq!(admin(&gantry, "PUT", path, r#"{"number_of":7,"words":"hello"}"#).status, 200);
    assert_eq!(admin(&gantry, "PUT", path, r#"{"number_of":-7}"#).status, 400);
    gantry.stop();
    let records = crate::audit::lines(&folder.path().join(".gantry/audit.jsonl"));
    let [called, failed] = records.as_slice() else { panic!("{records:?}") };
    for record in &records {
        assert_eq!((&record["record"], &record["apiName"]), (&json!("request"), &json!(null)), "{record}");
        assert_eq!(
            (&record["serviceName"], &record["serviceProvider"]),
            (&json!("echo"), &json!("simulated"))
        );
        assert_eq!((&record["httpMethod"], &record["operation"]), (&json!("PUT"), &json!(null)));
        assert_eq!(record["queryString"], "action=invoke");
    }
    assert_eq!((&called["httpStatus"], &called["failure"]), (&json!(200), &json!(null)));
    assert_eq!((&called["requestLength"], &called["responseLength"]), (&json!(31), &json!(31)));
    assert!(called["timeSorSent"].is_string() && failed["timeSorSent"].is_null(), "{records:?}");
    assert_eq!((&failed["httpStatus"], &failed["failure"]), (&json!(400), &json!("GTY0424W")));
}

/// Numbers keep every digit, and members stand in the order of the record.
#[test]
fn direct_calls_keep_digits_and_order() {
    let copybook = "       01 R.\n         03 Z-AMOUNT PIC S9(16)V99 COMP-3.\n         03 A-NAME PIC X(4).\n";
    let folder = Folder::echo("").with("copybooks/digits.cpy", copybook).with(
        "services/digits.toml",
        "ccsid = 37\nnaming = \"ls2js\"\n[request]\nwrapper = \"\"\ncopybook = \"digits.cpy\"\n[response]\nwrapper = \"\"\ncopybook = \"digits.cpy\"\n\
         [provider]\nkind = \"simulated\"\nanswer = \"echo\"\n",
    );
    let gantry = Gantry::folder(folder.path());
    let path = "/zosConnect/services/digits?action=invoke";
    let body = r#"{"z_amount":1234567890123456.78,"a_name":"x"}"#;
    let answer = admin(&gantry, "PUT", path, body);
    assert_eq!((answer.status, answer.text()), (200, body));
    let schema = admin(&gantry, "GET", "/zosConnect/services/digits/schema/response", "");
    assert!(schema.text().contains("9999999999999999.99"), "{}", schema.text());
    let older = admin(&gantry, "GET", "/zosConnect/services/digits?action=getResponseSchema", "");
    assert_eq!(older.text(), schema.text(), "the form of older clients");
}

#[test]
fn direct_calls_and_statistics() {
    let folder = Folder::echo("");
    let gantry = Gantry::folder(folder.path());
    let path = "/zosConnect/services/echo?action=invoke";
    let answer = admin(&gantry, "PUT", path, r#"{"number_of":7,"words":"hello"}"#);
    assert_eq!((answer.status, answer.text()), (200, r#"{"number_of":7,"words":"hello"}"#));
    let answer = admin(&gantry, "POST", path, r#"{"number_of":-7}"#);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("GTY0424W"), "{}", answer.text());

    assert_eq!(gantry.put("/echo/7", "{}").status, 200);
    let statistics = ask(&gantry, "GET", "/zosConnect/services/echo?action=getStatistics");
    assert_eq!(statistics["echo"]["InvokeRequestCount"], "2");
    let all = ask(&gantry, "GET", "/zosConnect/operations/getStatistics?provider=simulated");
    assert_eq!(all["echo"], statistics["echo"]);
    assert_eq!(ask(&gantry, "GET", "/zosConnect/operations/getStatistics?provider=other"), json!({}));

    ask(&gantry, "PUT", "/zosConnect/services/echo?status=stopped");
    assert_eq!(admin(&gantry, "PUT", path, "{}").status, 404);
}
