//! Tests web services: messages over a socket, and the exact bytes of answers and faults.

use crate::client::Response;
use crate::folder::Folder;
use crate::process::Gantry;

pub(crate) const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const SOAP_12: &str = "http://www.w3.org/2003/05/soap-envelope";

pub(crate) const TYPE_11: &str = "content-type: text/xml; charset=utf-8\r\nsoapaction: \"\"\r\n";
const TYPE_12: &str = "content-type: application/soap+xml; charset=utf-8\r\n";

const PATH: &str = "/cics/services/ECHO";

/// Makes the content of a body: an order.
fn order(fields: &str) -> String {
    format!("<ECHOOperation xmlns=\"http://www.ECHO.Request.com\">{fields}</ECHOOperation>")
}

/// Makes an envelope around header blocks and the content of a body.
pub(crate) fn envelope(namespace: &str, header: &str, body: &str) -> String {
    let header = if header.is_empty() { String::new() } else { format!("<s:Header>{header}</s:Header>") };
    format!("<s:Envelope xmlns:s=\"{namespace}\">{header}<s:Body>{body}</s:Body></s:Envelope>")
}

/// Gives the echo's answer to an order.
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

/// Gives the text between the tags of an element.
#[track_caller]
fn between<'t>(text: &'t str, name: &str) -> &'t str {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let start = text.find(&open).unwrap_or_else(|| panic!("no {name}: {text}")) + open.len();
    let end = text[start..].find(&close).unwrap_or_else(|| panic!("no end of {name}: {text}"));
    &text[start..start + end]
}

/// Expects a fault with this status, fault code and GTY code.
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

const CLAIM: &str = "       01  CLAIM.
           03  CLAIM-NO     PIC X(6).
           03  AMOUNT       PIC S9(5)V99 COMP-3.
";

/// Runs `gantry soap`; gives its output.
fn soap(arguments: &[&str]) -> (bool, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gantry"))
        .arg("soap")
        .args(arguments)
        .output()
        .expect("gantry runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
}

#[test]
fn a_bind_file_in_a_pickup_folder_is_served() {
    const PIPELINE: &str = "[[pipeline]]
name = \"claims\"

[providers.CLAIM]
kind = \"simulated\"
answer = \"echo\"
";
    let folder = Folder::echo(PIPELINE)
        .with("copybooks/CLAIM.cpy", CLAIM)
        .with("pipelines/claims/pickup/BAD.wsbind", "");
    let path = |path: &str| folder.path().join(path).display().to_string();
    let made = soap(&[
        "ls2ws",
        "--pgmname",
        "CLAIM",
        "--pgmint",
        "COMMAREA",
        "--reqmem",
        "CLAIM",
        "--respmem",
        "CLAIM",
        "--mapping-level",
        "3.0",
        "--wsbind",
        &path("pipelines/claims/pickup/CLAIM.wsbind"),
        "--wsdl",
        &path("CLAIM.wsdl"),
        "--copybooks",
        &path("copybooks"),
    ]);
    assert!(made.0, "{}", made.1);
    let (fine, scanned) = soap(&["scan", &path("")]);
    assert!(!fine && scanned.contains("claims: CLAIM.wsbind: installed"), "{scanned}");
    assert!(scanned.contains("claims: BAD.wsbind: refused: "), "{scanned}");
    let gantry = Gantry::folder(folder.path());
    let body = |response: &str| {
        let word = if response.is_empty() { "Request" } else { "Response" };
        let name = format!("CLAIMOperation{response}");
        let fields = "<claim_no>A1    </claim_no><amount>-12.5</amount>";
        format!("<{name} xmlns=\"http://www.CLAIM.CLAIM.{word}.com\">{fields}</{name}>")
    };
    let answer = gantry.send("POST", "/cics/services/CLAIM", TYPE_11, &envelope(SOAP_11, "", &body("")));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(answer.text().contains(&body("Response")), "{}", answer.text());
    // The printed sizes are those of the sent messages.
    let text = answer.text().to_owned();
    let (_, sizes) = soap(&["size", &path("copybooks/CLAIM.cpy"), "--program", "CLAIM", "--response"]);
    let around =
        sizes.lines().find_map(|line| line.trim().strip_prefix("prefix and suffix")).expect("a line");
    let around: usize =
        around.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number");
    assert_eq!(around, text.len() - body("Response").len(), "{sizes}");
    let wsdl = gantry.get("/cics/services/CLAIM?wsdl");
    assert_eq!(wsdl.status, 200);
    // Compares with the assistant's document, without the lines about its maker and the service's
    // address.
    let own = |text: &str| -> Vec<String> {
        let is_own = |line: &&str| !line.starts_with("<!--") && !line.contains("<soap:address");
        text.lines().filter(is_own).map(str::to_owned).collect()
    };
    let made = std::fs::read_to_string(path("CLAIM.wsdl")).expect("the document of the assistant");
    assert_eq!(own(wsdl.text()), own(&made));
}

#[test]
fn elements_and_types_of_a_wsdl_are_declared_once() {
    let operation = |service: &str, response: &str| {
        format!("[[operation]]\nservice = '{service}'\nname = '{service}'\nresponse = '{response}'\n")
    };
    let other = crate::folder::service("echo", "").replace("NOTE.cpy", "OTHER.cpy");
    let files = |second: &str| {
        Folder::echo("")
            .with("services/other.toml", &other)
            .with("services/same.toml", &crate::folder::service("echo", ""))
            .with("copybooks/OTHER.cpy", "       01 OTHER.\n          05 ELSEWHERE PIC 9(3).\n")
            .with("soap/two.toml", &format!("mapping_level = '3.0'\n{}{second}", operation("echo", "Result")))
    };
    let found = crate::check::problems(&files(&operation("other", "Result")));
    let expected = "another operation has the element Result with other fields: set name or response";
    assert!(found.iter().any(|one| one.contains(expected)), "{found:?}");
    for (second, response, more) in [("other", "Other", 2), ("same", "Result", 1)] {
        let folder = files(&operation(second, response));
        let gantry = Gantry::folder(folder.path());
        let wsdl = gantry.get("/cics/services/two?wsdl");
        let text = wsdl.text();
        let types = |name: &str| text.matches(&format!("name=\"{name}\"")).count();
        // Requests and responses have a namespace each.
        assert_eq!(types("ProgramInterface"), 2, "{text}");
        assert_eq!(types("ProgramInterface2"), more, "{text}");
        assert_eq!(text.matches("type=\"tns:ProgramInterface2\"").count(), more, "{text}");
        assert_eq!(text.matches("<xsd:element name=\"Result\"").count(), 1, "{text}");
    }
}

#[test]
fn names_and_paths_are_one_s_own() {
    let folder = Folder::echo("")
        .with("soap/echo.toml", "[[operation]]\nservice = \"echo\"\n")
        .with("soap/other.toml", "path = \"/echo\"\n[[operation]]\nservice = \"nobody\"\n");
    let found = crate::check::problems(&folder);
    let has = |part: &str| assert!(found.iter().any(|one| one.contains(part)), "{part}: {found:?}");
    has("'echo' is already the name of an API");
    has("service 'nobody' does not exist");
}

pub(crate) const NOTES: &str = "/cics/services/NOTES";

/// Makes the echo folder with a web service of two operations. One of them has no answer. `head`
/// comes before them.
pub(crate) fn notes(gantry: &str, head: &str) -> Folder {
    let operations = "[[operation]]\nname = \"add\"\nresponse = \"added\"\nservice = \"echo\"\n\
                      [[operation]]\nname = \"tell\"\none_way = true\nservice = \"echo\"\n";
    let namespaces = "description = \"Notes\"\nnamespace = \"urn:notes\"\n";
    Folder::echo(gantry).with("soap/NOTES.toml", &format!("{namespaces}{head}{operations}"))
}

pub(crate) fn note(name: &str) -> String {
    format!("<{name} xmlns=\"urn:notes:Request\"><number_of>7</number_of><words>hi</words></{name}>")
}

fn added(namespace: &str, header: &str) -> String {
    format!(
        "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"{namespace}\">{header}<SOAP-ENV:Body><added xmlns=\"urn:notes:Response\">\
         <number_of>7</number_of><words>hi</words></added></SOAP-ENV:Body></SOAP-ENV:Envelope>"
    )
}

#[test]
fn the_body_says_which_operation_is_called() {
    let folder = notes("", "");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("POST", NOTES, TYPE_11, &envelope(SOAP_11, "", &note("add")));
    is(&answer, 200, "text/xml; charset=utf-8", &added(SOAP_11, ""));
    let answer = gantry.send("POST", NOTES, TYPE_11, &envelope(SOAP_11, "", &note("tell")));
    assert_eq!((answer.status, answer.text(), answer.header("content-type")), (202, "", None));
    for (operation, status) in [("add", 200), ("tell", 202)] {
        let name =
            format!("gantry_requests_total{{api=\"NOTES\",operation=\"{operation}\",status=\"{status}\"}}");
        assert_eq!(gantry.metric(&name), 1.0, "{name}");
    }
    let answer = gantry.send("POST", NOTES, TYPE_12, &envelope(SOAP_12, "", &note("sub")));
    fails(&answer, 400, "Sender", "GTY0454W");
    assert!(answer.text().contains(
        "or tell of the namespace urn:notes:Request, found sub of the namespace urn:notes:Request"
    ));
}

#[test]
fn addressed_messages_are_answered_so_or_not_at_all() {
    let folder = notes("", "");
    let gantry = Gantry::folder(folder.path());
    let wsa = "http://www.w3.org/2005/08/addressing";
    let header = |more: &str| {
        format!(
            "<w:Action xmlns:w=\"{wsa}\" s:mustUnderstand=\"1\">urn:notes:NOTESPort:addRequest</w:Action>\
             <w:MessageID xmlns:w=\"{wsa}\">urn:uuid:1</w:MessageID>{more}"
        )
    };
    let answer = gantry.send("POST", NOTES, TYPE_12, &envelope(SOAP_12, &header(""), &note("add")));
    let expected = format!(
        "<SOAP-ENV:Header><wsa:Action xmlns:wsa=\"{wsa}\">urn:notes:NOTESPort:addResponse</wsa:Action>\
         <wsa:RelatesTo xmlns:wsa=\"{wsa}\">urn:uuid:1</wsa:RelatesTo></SOAP-ENV:Header>"
    );
    is(&answer, 200, "application/soap+xml; charset=utf-8", &added(SOAP_12, &expected));
    let none = format!("<w:ReplyTo xmlns:w=\"{wsa}\"><w:Address>{wsa}/none</w:Address></w:ReplyTo>");
    for body in [note("add"), note("sub")] {
        let answer = gantry.send("POST", NOTES, TYPE_12, &envelope(SOAP_12, &header(&none), &body));
        assert_eq!((answer.status, answer.text()), (202, ""));
    }
    let elsewhere = none.replace("/none", "/elsewhere");
    let answer = gantry.send("POST", NOTES, TYPE_11, &envelope(SOAP_11, &header(&elsewhere), &note("add")));
    assert!(
        answer.text().contains("<faultcode>wsa:InvalidAddressingHeader</faultcode>"),
        "{}",
        answer.text()
    );
}

#[test]
fn what_http_refuses_keeps_its_status() {
    let folder = notes("[limits]\nrequest_body_max_bytes = 1000\n", "");
    let gantry = Gantry::folder(folder.path());
    let message = envelope(SOAP_11, "", &note("add"));
    for headers in ["", "content-type: text/plain\r\n", "content-type: text/xml; charset\r\n"] {
        gantry.send("POST", NOTES, headers, &message).fails(415, "GTY0416W");
    }
    let twice = format!("{TYPE_11}content-type: text/xml\r\n");
    gantry.send("POST", NOTES, &twice, &message).fails(415, "GTY0416W");
    let answer = gantry.send("POST", NOTES, TYPE_12, &" ".repeat(1001));
    fails(&answer, 413, "Sender", "GTY0413W");
    let coded = format!("{TYPE_11}content-encoding: gzip\r\n");
    fails(&gantry.send("POST", NOTES, &coded, &message), 415, "Client", "GTY0416W");
    gantry.send("PUT", NOTES, TYPE_11, &message).fails(405, "GTY0405W");
    fails(&gantry.send("POST", NOTES, TYPE_11, ""), 500, "Client", "GTY0450W");
    let all = gantry.request(b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert_eq!(
        (all.status, all.header("allow")),
        (200, Some("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"))
    );
}

#[test]
fn failures_of_the_service_are_the_server_s() {
    for (lines, code) in [
        ("refuse = true", "GTY0503E"),
        ("cut_to_bytes = 10", "GTY0502E"),
        ("patch = { offset = 0, hex = \"FF\" }", "GTY0502E"),
    ] {
        let folder = notes("", "").with("services/echo.toml", &crate::folder::service("echo", lines));
        let gantry = Gantry::folder(folder.path());
        let message = envelope(SOAP_11, "", &note("add"));
        let answer = gantry.send("POST", NOTES, TYPE_11, &message);
        fails(&answer, 500, "Server", code);
        assert_eq!(answer.header("retry-after").is_some(), code == "GTY0503E");
        let answer = gantry.send("POST", NOTES, TYPE_12, &message.replace(SOAP_11, SOAP_12));
        fails(&answer, 500, "Receiver", code);
        let log = gantry.stop();
        assert!(log.contains(code) && log.contains("request failed"), "{log}");
    }
    let slow = crate::folder::service("echo", "delay_ms = 2000").replace("ccsid", "timeout_ms = 50\nccsid");
    let folder = notes("", "").with("services/echo.toml", &slow);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("POST", NOTES, TYPE_11, &envelope(SOAP_11, "", &note("add")));
    fails(&answer, 500, "Server", "BAQR0405I");
}

#[test]
fn a_web_service_is_administered_as_an_api() {
    let folder = notes("", "");
    let gantry = Gantry::folder(folder.path());
    let administer = |method: &str, path: &str| {
        let request = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n");
        let answer = crate::client::Client::connect(gantry.admin).ask(request.as_bytes());
        answer.text().to_owned()
    };
    let shown = administer("GET", "/zosConnect/apis/NOTES");
    for part in
        ["\"description\":\"Notes\"", "/cics/services/NOTES?wsdl\"", "\"name\":\"echo\"", "\"Started\""]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let message = envelope(SOAP_11, "", &note("add"));
    administer("PUT", "/zosConnect/apis/NOTES?status=stopped");
    fails(&gantry.send("POST", NOTES, TYPE_11, &message), 404, "Server", "BAQR0431W");
    assert_eq!(gantry.get(&format!("{NOTES}?wsdl")).status, 200, "its description stays");
    administer("PUT", "/zosConnect/apis/NOTES?status=started");
    administer("PUT", "/zosConnect/services/echo?action=stop");
    fails(&gantry.send("POST", NOTES, TYPE_11, &message), 404, "Server", "BAQR0431W");
    administer("PUT", "/zosConnect/services/echo?status=started");
    assert_eq!(gantry.send("POST", NOTES, TYPE_11, &message).status, 200);
    // The gateway reads the file again when it changes.
    let folder = folder
        .with("soap/NOTES.toml", "versions = \"1.2\"\n[[operation]]\nname = \"add\"\nservice = \"echo\"\n");
    administer("POST", "/configuration/reload");
    let answer = gantry.send("POST", NOTES, TYPE_11, &message);
    assert!(answer.text().contains("SOAP-ENV:VersionMismatch"), "{}", answer.text());
    // A message that nobody can read gets a fault too, in the version that the web service has.
    for body in ["", "no XML", "<a/>"] {
        let answer = gantry.send("POST", "/cics/services/NOTES", TYPE_11, body);
        fails(&answer, 400, "Sender", "GTY0450W");
        assert_eq!(answer.header("content-type"), Some("application/soap+xml; charset=utf-8"));
    }
    drop(folder);
}

#[test]
fn callers_are_judged_before_the_body_is_read() {
    let folder = notes(crate::security::BASIC, "")
        .with("soap/NOTES.toml", "namespace = \"urn:notes\"\n[security.roles]\ninvoke = [\"staff\"]\n[[operation]]\nname = \"add\"\nresponse = \"added\"\nservice = \"echo\"\n")
        .with("users.txt", &[crate::security::user("mary", "staff", "secret"), crate::security::user("john", "", "word")].concat());
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("POST", NOTES, TYPE_11, "no envelope");
    fails(&answer, 401, "Client", "GTY0432W");
    assert_eq!(answer.header("www-authenticate"), Some("Basic realm=\"gantry\", charset=\"UTF-8\""));
    let message = envelope(SOAP_12, "", &note("add"));
    let send = |who: &str| gantry.send("POST", NOTES, &format!("{TYPE_12}{who}"), &message);
    fails(&send(crate::security::JOHN), 403, "Sender", "BAQR0406W");
    assert_eq!(send(crate::security::MARY).text(), added(SOAP_12, ""));
    gantry.get(&format!("{NOTES}?wsdl")).fails(401, "GTY0432W");
}

#[test]
fn entries_of_the_request_log_hide_elements() {
    let folder = notes(&crate::audit::interceptor("log", "redact = [\"words\"]", ""), "");
    let gantry = Gantry::folder(folder.path());
    let message = envelope(SOAP_11, "", &note("add"));
    assert_eq!(gantry.send("POST", NOTES, TYPE_11, &message).status, 200);
    gantry.stop();
    let entry = &crate::audit::lines(&folder.path().join(".gantry/log.jsonl"))[0];
    assert_eq!(entry["request"]["body"], message.replace("hi<", "***<"));
    assert_eq!(entry["response"]["body"], added(SOAP_11, "").replace("hi<", "***<"));
}

const WSSE_NAMESPACE: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";

/// Makes the header block that presents a user.
pub(crate) fn presented(user: &str, password: &str) -> String {
    format!(
        "<w:Security xmlns:w=\"{WSSE_NAMESPACE}\" s:mustUnderstand=\"1\"><w:UsernameToken><w:Username>{user}</w:Username>\
         <w:Password>{password}</w:Password></w:UsernameToken></w:Security>"
    )
}

/// Makes a folder whose web service takes tokens, with and without TLS. Gives also the certificate
/// to trust.
fn with_tokens(pipeline: &str, head: &str) -> (Folder, rustls::pki_types::CertificateDer<'static>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate is made");
    let gantry = format!(
        "{}[[listener]]\naddress = \"127.0.0.1:0\"\n{}{pipeline}",
        crate::tls::TLS_LISTENER,
        crate::security::BASIC
    );
    let folder = notes(&gantry, head)
        .with("cert.pem", &made.cert.pem())
        .with("key.pem", &made.signing_key.serialize_pem())
        .with("users.txt", &crate::security::user("mary", "staff", "secret"));
    (folder, made.cert.der().clone())
}

pub(crate) const TAKES_TOKENS: &str = "username_token = true\n";

/// Sends a message over TLS, and gives the whole answer.
async fn send_over_tls(
    (gantry, certificate): (&Gantry, &rustls::pki_types::CertificateDer<'static>),
    message: &str,
) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let version = &rustls::version::TLS13;
    let mut stream = crate::tls::connect(gantry, certificate, version, &[]).await.expect("a handshake");
    let head = format!("{TYPE_11}connection: close\r\n");
    let request = crate::process::request("POST", NOTES, &head, message);
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).expect("UTF-8")
}

/// The message is read while its request counts already.
#[tokio::test]
async fn a_message_that_says_who_calls_counts_once() {
    let open = "[security]\nrequire_auth = false\n[limits]\nconcurrent_max = 1\nrate = { requests = 2, per_ms = 3600000 }\n";
    let (folder, certificate) = with_tokens("", &format!("{TAKES_TOKENS}{open}"));
    let gantry = Gantry::configured(folder.path());
    let send = async |header: &str| {
        send_over_tls((&gantry, &certificate), &envelope(SOAP_11, header, &note("add"))).await
    };
    let answer = send(&presented("mary", "wrong")).await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let answer = send(&presented("mary", "secret")).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let answer = send(&presented("mary", "secret")).await;
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
}

const WSSE_PIPELINE: &str = "<provider_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"><service>
<service_handler_list><wsse_handler><dfhwsse_configuration version=\"1\"><authentication trust=\"none\" mode=\"basic\"/>
</dfhwsse_configuration></wsse_handler>HANDLER</service_handler_list><terminal_handler><cics_soap_1.1_handler/></terminal_handler>
</service><apphandler>DFHPITP</apphandler></provider_pipeline>";

const WSSE: &str = "[[pipeline]]\nname = \"WSSE\"\nfile = \"pipelines/wsse.xml\"\n";

/// With this handler only known callers may call, although the web service is for all.
#[tokio::test]
async fn a_pipeline_with_wsse_handler_needs_a_token() {
    let (folder, certificate) = with_tokens(WSSE, "pipeline = \"WSSE\"\n[security]\nrequire_auth = false\n");
    let folder = folder.with("pipelines/wsse.xml", &WSSE_PIPELINE.replace("HANDLER", ""));
    let gantry = Gantry::configured(folder.path());
    let to = (&gantry, &certificate);
    let answer = send_over_tls(to, &envelope(SOAP_11, &presented("mary", "secret"), &note("add"))).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(&added(SOAP_11, "")), "{answer}");
    for header in ["".to_owned(), presented("mary", "wrong")] {
        let answer = send_over_tls(to, &envelope(SOAP_11, &header, "<unknown/>")).await;
        assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("GTY0432W"), "{answer}");
        let code = if header.is_empty() { "SOAP-ENV:Client" } else { "wsse:FailedAuthentication" };
        assert!(answer.contains(&format!("<faultcode>{code}</faultcode>")), "{answer}");
    }
}

/// A message handler that prints what it sees.
const WITNESS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. WITNESS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-MESSAGE        PIC X(2000) VALUE SPACES.
       01  WS-LENGTH         PIC S9(8) COMP VALUE 2000.
       01  WS-USER           PIC X(8) VALUE SPACES.
       01  WS-RESP           PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('DFHREQUEST') INTO(WS-MESSAGE)
               FLENGTH(WS-LENGTH) RESP(WS-RESP) END-EXEC
           MOVE 8 TO WS-LENGTH
           EXEC CICS GET CONTAINER('DFHWS-USERID') INTO(WS-USER)
               FLENGTH(WS-LENGTH) RESP(WS-RESP) END-EXEC
           DISPLAY 'WITNESS ' WS-USER WS-MESSAGE(1:600)
           EXEC CICS RETURN END-EXEC.
";

/// A message handler runs only for admitted callers, and sees no password.
#[tokio::test]
async fn a_token_is_judged_before_handlers_run() {
    let (folder, certificate) = with_tokens(&format!("{WSSE}[region]\n"), "pipeline = \"WSSE\"\n");
    let handler = "<handler><program>WITNESS</program></handler>";
    let folder = folder
        .with("pipelines/wsse.xml", &WSSE_PIPELINE.replace("HANDLER", handler))
        .with("programs/WITNESS.cbl", WITNESS);
    let gantry = Gantry::configured(folder.path());
    let to = (&gantry, &certificate);
    let answer = send_over_tls(to, &envelope(SOAP_11, &presented("mary", "wrong"), &note("add"))).await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let answer = send_over_tls(to, &envelope(SOAP_11, &presented("mary", "secret"), &note("add"))).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(&added(SOAP_11, "")), "{answer}");
    let log = gantry.stop();
    // It runs once for the request and once for the answer.
    assert_eq!((log.matches("WITNESS mary").count(), log.matches("secret").count()), (2, 0), "{log}");
}

const TRANSPORTS: &str = "<provider_pipeline xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"><transport>
<named_transport_entry type=\"http\"><name>INSIDE</name><transport_handler_list><handler><program>WITNESS</program></handler>
</transport_handler_list></named_transport_entry>
<named_transport_entry type=\"mq\"><name>ORDERS</name><transport_handler_list/></named_transport_entry></transport>
<service><terminal_handler><cics_soap_1.1_handler/></terminal_handler></service><apphandler>DFHPITP</apphandler></provider_pipeline>";

/// The handlers of a listener only see messages from this listener.
#[test]
fn a_transport_has_the_name_of_its_listener() {
    let listeners = "[[listener]]\nname = \"INSIDE\"\naddress = \"127.0.0.1:0\"\n[[listener]]\naddress = \"127.0.0.1:0\"\n";
    let pipeline = "[[pipeline]]\nname = \"NAMED\"\nfile = \"pipelines/named.xml\"\n";
    let folder = notes(&format!("{listeners}{pipeline}[region]\n"), "pipeline = \"NAMED\"\n")
        .with("pipelines/named.xml", TRANSPORTS)
        .with("programs/WITNESS.cbl", WITNESS);
    let gantry = Gantry::configured(folder.path());
    let message = envelope(SOAP_11, "", &note("add"));
    let request = crate::process::request("POST", NOTES, TYPE_11, &message);
    for listener in [0, 1] {
        let answer = crate::client::Client::connect(gantry.listeners[listener]).ask(request.as_bytes());
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let log = gantry.stop();
    assert_eq!(log.matches("WITNESS ").count(), 2, "once for the request, once for the answer: {log}");
    let other = folder.with("pipelines/named.xml", &TRANSPORTS.replace("INSIDE", "OUTSIDE"));
    let checked =
        std::process::Command::new(env!("CARGO_BIN_EXE_gantry")).arg("check").arg(other.path()).output();
    let told = String::from_utf8_lossy(&checked.expect("gantry runs").stderr).into_owned();
    let word =
        "pipelines/named.xml:2: <named_transport_entry>: no [[listener]] of gantry.toml has the name OUTSIDE";
    assert!(told.contains(word), "{told}");
}

#[tokio::test]
async fn a_message_may_say_who_calls_over_tls() {
    let (folder, certificate) = with_tokens("", TAKES_TOKENS);
    let gantry = Gantry::configured(folder.path());
    let send = async |header: &str, body: &str| {
        send_over_tls((&gantry, &certificate), &envelope(SOAP_11, header, body)).await
    };
    let answer = send(&presented("mary", "secret"), &note("add")).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with(&added(SOAP_11, "")), "{answer}");
    // Callers who are not admitted learn nothing about the body.
    for header in ["".to_owned(), presented("mary", "wrong"), presented("a:b", "secret")] {
        let answer = send(&header, "<unknown/>").await;
        assert!(answer.starts_with("HTTP/1.1 401 ") && answer.contains("GTY0432W"), "{answer}");
    }
    let answer = send(&presented("mary", "secret"), "<unknown/>").await;
    assert!(answer.contains("GTY0454W"), "{answer}");
    let log = gantry.stop();
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn without_tls_a_message_may_not_have_a_password() {
    let (folder, _) = with_tokens("", TAKES_TOKENS);
    let gantry = Gantry::configured(folder.path());
    let plain = gantry.listeners[1];
    let message = envelope(SOAP_11, &presented("mary", "secret"), &note("add"));
    let send = |headers: &str| {
        let request = crate::process::request("POST", NOTES, &format!("{TYPE_11}{headers}"), &message);
        crate::client::Client::connect(plain).ask(request.as_bytes())
    };
    let unknown = send("");
    fails(&unknown, 401, "Client", "GTY0432W");
    assert!(unknown.text().contains("a wsse:UsernameToken is taken over TLS only"), "{}", unknown.text());
    fails(&send(crate::security::MARY), 403, "Client", "GTY0434W");
}
