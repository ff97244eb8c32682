//! Web services: messages over a socket, and the exact bytes of answers and faults.

use crate::client::Response;
use crate::folder::Folder;
use crate::process::Gantry;

const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

const TYPE_11: &str = "content-type: text/xml; charset=utf-8\r\nsoapaction: \"\"\r\n";
const TYPE_12: &str = "content-type: application/soap+xml; charset=utf-8\r\n";

const PATH: &str = "/cics/services/ECHO";

/// The content of a body: an order.
fn order(fields: &str) -> String {
    format!("<ECHOOperation xmlns=\"http://www.ECHO.Request.com\">{fields}</ECHOOperation>")
}

/// An envelope around header blocks and the content of a body.
fn envelope(namespace: &str, header: &str, body: &str) -> String {
    let header = if header.is_empty() { String::new() } else { format!("<s:Header>{header}</s:Header>") };
    format!("<s:Envelope xmlns:s=\"{namespace}\">{header}<s:Body>{body}</s:Body></s:Envelope>")
}

/// What the echo answers to an order.
fn echoed(namespace: &str, fields: &str) -> String {
    format!(
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\"><SOAP-ENV:Body><ECHOOperationResponse \
         xmlns=\"http://www.ECHO.Response.com\">{fields}</ECHOOperationResponse></SOAP-ENV:Body></SOAP-ENV:Envelope>"
    )
}

const ADA: &str = "<order_id>7</order_id><customer>Ada</customer><amount>12.50</amount>";
const ADA_BACK: &str = "<order_id>7</order_id><customer>Ada</customer><amount>12.5</amount>";

#[track_caller]
fn is(answer: &Response, status: u16, content_type: &str, body: &str) {
    assert_eq!(answer.text(), body);
    assert_eq!((answer.status, answer.header("content-type")), (status, Some(content_type)));
}

/// The text between the tags of an element.
#[track_caller]
fn between<'t>(text: &'t str, name: &str) -> &'t str {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let start = text.find(&open).unwrap_or_else(|| panic!("no {name}: {text}")) + open.len();
    let end = text[start..].find(&close).unwrap_or_else(|| panic!("no end of {name}: {text}"));
    &text[start..start + end]
}

/// Sees that an answer is a fault of this status, code, GTY code.
#[track_caller]
fn fails(answer: &Response, status: u16, fault: &str, code: &str) {
    let text = answer.text();
    let of_12 = text.contains("<SOAP-ENV:Value>");
    let found = between(text, if of_12 { "SOAP-ENV:Value" } else { "faultcode" });
    assert_eq!((answer.status, found), (status, &*format!("SOAP-ENV:{fault}")), "{text}");
    assert_eq!(between(text, "code"), code, "{text}");
}

#[test]
fn both_versions_are_answered_in_kind() {
    let gantry = Gantry::example("soap");
    let answer = gantry.send("POST", PATH, TYPE_11, &envelope(SOAP_11, "", &order(ADA)));
    is(&answer, 200, "text/xml; charset=utf-8", &echoed(SOAP_11, ADA_BACK));
    let answer = gantry.send("POST", PATH, TYPE_12, &envelope(SOAP_12, "", &order(ADA)));
    is(&answer, 200, "application/soap+xml; charset=utf-8", &echoed(SOAP_12, ADA_BACK));
    let name = "gantry_requests_total{api=\"ECHO\",operation=\"ECHOOperation\",status=\"200\"}";
    assert_eq!(gantry.metric(name), 2.0);
    assert_eq!(gantry.metric("gantry_provider_calls_total{service=\"ECHO\"}"), 2.0);
}

#[test]
fn a_value_that_does_not_fit_is_told_with_its_place() {
    let gantry = Gantry::example("soap");
    let body = order("<order_id>7777777</order_id>");
    let answer = gantry.send("POST", PATH, TYPE_11, &envelope(SOAP_11, "", &body));
    fails(&answer, 500, "Client", "GTY0424W");
    let text = answer.text();
    assert_eq!(between(text, "faultstring"), "Conversion from SOAP failed");
    assert_eq!(between(text, "field"), "ECHOOperation.order_id");
    assert_eq!((between(text, "line"), between(text, "condition")), ("1", "OUTPUT_OVERFLOW"));
    assert_eq!(between(text, "requestId"), answer.header("x-request-id").expect("an id"));
    let answer = gantry.send("POST", PATH, TYPE_12, &envelope(SOAP_12, "", &body));
    fails(&answer, 400, "Sender", "GTY0424W");
}

#[test]
fn the_description_has_the_address_of_the_client() {
    let gantry = Gantry::example("soap");
    let answer = gantry.get("/cics/services/ECHO?wsdl");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/xml; charset=utf-8")));
    let host = "location=\"http://localhost/cics/services/ECHO\"";
    assert_eq!(answer.text().matches(host).count(), 2, "{}", answer.text());
    assert_eq!(gantry.get("/cics/services/ECHO?WSDL").text(), answer.text());
    let answer = gantry.get(PATH);
    answer.fails(405, "GTY0405W");
    assert_eq!(answer.header("allow"), Some("GET, HEAD, POST"));
}

#[test]
fn names_and_paths_are_one_s_own() {
    let folder = Folder::echo("")
        .with("soap/echo.toml", "[[operation]]\nservice = \"echo\"\n")
        .with("soap/other.toml", "path = \"/echo\"\n[[operation]]\nservice = \"nobody\"\n");
    let found = crate::check::problems(&folder);
    let has = |part: &str| assert!(found.iter().any(|one| one.contains(part)), "{part}: {found:?}");
    has("'echo' is already the name of an API");
    has("there is no service 'nobody'");
}
