//! Tests MTOM: messages with binary values beside the envelope, as parts of a MIME package, in and
//! out.

use crate::client::Response;
use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::Remote;

const PICTURE: &str = "       01  PHOTO.
           05  LABEL       PIC X(6).
           05  IMAGE       PIC X(1503).
";

const SERVICE: &str = "ccsid = 819
[provider]
kind = \"simulated\"
answer = \"echo\"
[request]
copybook = \"PICTURE.cpy\"
[request.fields]
IMAGE = { bytes = \"base64\" }
[response]
copybook = \"PICTURE.cpy\"
[response.fields]
IMAGE = { bytes = \"base64\" }
";

const PATH: &str = "/cics/services/PICTURE";

const SOAP_11: &str = "http://schemas.xmlsoap.org/soap/envelope/";

/// The headers that Apache CXF 4.0 writes.
const TYPE: &str = "content-type: multipart/related; type=\"application/xop+xml\"; boundary=\"uuid:1c-2d\"; \
                    start=\"<root.message@cxf.apache.org>\"; start-info=\"text/xml\"\r\nsoapaction: \"\"\r\n";

const PLAIN: &str = "content-type: text/xml; charset=utf-8\r\n";

const NAMESPACE: &str = "xmlns=\"http://www.ibm.com/software/htp/cics/pipeline\"";

fn folder(gantry: &str, web_service: &str) -> Folder {
    Folder::empty()
        .with("gantry.toml", gantry)
        .with("copybooks/PICTURE.cpy", PICTURE)
        .with("services/PICTURE.toml", SERVICE)
        .with("soap/PICTURE.toml", &format!("{web_service}\n[[operation]]\nservice = \"PICTURE\"\n"))
}

fn envelope(image: &str) -> String {
    format!(
        "<soap:Envelope xmlns:soap=\"{SOAP_11}\"><soap:Body><PICTUREOperation xmlns=\"http://www.PICTURE.Request.com\">\
         <label>LAMP</label><image>{image}</image></PICTUREOperation></soap:Body></soap:Envelope>"
    )
}

fn include(id: &str) -> String {
    format!("<xop:Include xmlns:xop=\"http://www.w3.org/2004/08/xop/include\" href=\"cid:{id}\"/>")
}

/// Makes a message with its image as a part.
fn package(envelope: &str, id: &str) -> String {
    format!(
        "\r\n--uuid:1c-2d\r\nContent-Type: application/xop+xml; charset=UTF-8; type=\"text/xml\"\r\n\
         Content-Transfer-Encoding: binary\r\nContent-ID: <root.message@cxf.apache.org>\r\n\r\n{envelope}\r\n\
         --uuid:1c-2d\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n\
         Content-ID: <{id}>\r\n\r\n{}\r\n--uuid:1c-2d--",
        "ABC".repeat(501)
    )
}

fn send_package(gantry: &Gantry) -> Response {
    gantry.send("POST", PATH, TYPE, &package(&envelope(&include("1-2@urn%3Apicture")), "1-2@urn:picture"))
}

/// Expects a package with the image as a part.
#[track_caller]
fn is_package(answer: &Response, domain: &str) {
    let (content_type, text) = (answer.header("content-type").unwrap_or_default(), answer.text());
    assert_eq!(answer.status, 200, "{text}");
    assert!(content_type.starts_with("multipart/related; boundary=\"gantry-"), "{content_type}");
    assert!(content_type.ends_with("; start-info=\"text/xml\""), "{content_type}");
    let (_, rest) = text.split_once("<image><xop:Include ").unwrap_or_else(|| panic!("no part: {text}"));
    let (_, rest) = rest.split_once("href=\"cid:").expect("a reference");
    let (id, rest) = rest.split_once('"').expect("its end");
    assert!(id.ends_with(domain), "{id}");
    assert!(
        rest.contains(&format!("Content-ID: <{id}>\r\n\r\n{}\r\n--gantry-", "ABC".repeat(501))),
        "{rest}"
    );
    assert!(text.contains("<label>LAMP</label>") && text.ends_with("--\r\n"), "{text}");
}

#[track_caller]
fn is_plain(answer: &Response) {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("text/xml; charset=utf-8"));
    assert!(answer.text().contains(&format!("<image>{}</image>", "QUJD".repeat(501))), "{}", answer.text());
}

#[test]
fn a_web_service_takes_packages_if_it_says_so() {
    let plain = envelope(&"QUJD".repeat(501));
    for (key, of_package, of_plain) in [("same", true, false), ("yes", true, true), ("no", false, false)] {
        let folder = folder("", &format!("mtom = \"{key}\""));
        let gantry = Gantry::folder(folder.path());
        for (answer, is_one) in
            [(send_package(&gantry), of_package), (gantry.send("POST", PATH, PLAIN, &plain), of_plain)]
        {
            if is_one { is_package(&answer, "@cicsts") } else { is_plain(&answer) }
        }
    }
    let folder = folder("", "");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(send_package(&gantry).status, 415);
}

#[test]
fn a_broken_package_is_a_fault_of_the_client() {
    let folder = folder("", "mtom = \"same\"");
    let gantry = Gantry::folder(folder.path());
    let good = package(&envelope(&include("a")), "a");
    let fails = |content_type: &str, package: &str, word: &str| {
        let answer = gantry.send("POST", PATH, content_type, package);
        let text = answer.text();
        assert_eq!(answer.status, 500, "{text}");
        assert!(
            text.contains("<faultcode>SOAP-ENV:Client</faultcode>") && text.contains(word),
            "{word}: {text}"
        );
        assert_eq!(answer.header("content-type"), Some("text/xml; charset=utf-8"));
    };
    fails(TYPE, &good.replace("cid:a", "cid:b"), "<line>1</line>");
    fails(TYPE, &good.replace("<a>", "<b>"), "cid:a is not a part");
    fails(
        TYPE,
        &good.replace("root.message", "other"),
        "no part has the content id root.message@cxf.apache.org",
    );
    fails(TYPE, &good.replace(&include("a"), "QQ=="), "no xop:Include refers to the part a");
    fails(TYPE, &good.replace("2d--", "2d"), "expected the boundary that ends the package");
    fails(&TYPE.replace("1c-2d", "other"), &good, "expected the boundary, found none");
    // A value that does not fit gets the same fault as in any message.
    fails(TYPE, &good.replace("ABCABC", "A"), "<field>PICTUREOperation.image</field>");
    let answer = gantry.send("POST", PATH, &TYPE.replace("xop+xml", "json"), &good);
    assert_eq!(answer.status, 415);
    is_package(&send_package(&gantry), "@cicsts");
}

#[test]
fn a_pipeline_says_how_answers_are_sent() {
    let file = |options: &str| {
        format!(
            "<provider_pipeline {NAMESPACE}><cics_mtom_handler>{options}</cics_mtom_handler><service><terminal_handler>\
             <cics_soap_1.1_handler/></terminal_handler></service><apphandler>DFHPITP</apphandler></provider_pipeline>"
        )
    };
    let configured = |options: &str| {
        file(&format!("<dfhmtom_configuration version=\"1\">{options}</dfhmtom_configuration>"))
    };
    let pipeline = "[[pipeline]]\nname = \"MTOM\"\nfile = \"pipelines/mtom.xml\"\n";
    let folder = |text: &str| folder(pipeline, "pipeline = \"MTOM\"").with("pipelines/mtom.xml", text);
    let yes = configured(
        "<mtom_options send_mtom=\"yes\" send_when_no_xop=\"no\"/><xop_options apphandler_supports_xop=\"yes\"/>\
         <mime_options content_id_domain=\"example.org\"/>",
    );
    let folder = folder(&yes);
    let gantry = Gantry::folder(folder.path());
    is_package(&send_package(&gantry), "@example.org");
    is_package(&gantry.send("POST", PATH, PLAIN, &envelope(&"QUJD".repeat(501))), "@example.org");
    drop(gantry);
    let folder = folder.with("pipelines/mtom.xml", &file(""));
    let gantry = Gantry::folder(folder.path());
    is_package(&send_package(&gantry), "@cicsts");
    is_plain(&gantry.send("POST", PATH, PLAIN, &envelope(&"QUJD".repeat(501))));
    drop(gantry);
    for (wrong, word) in [
        (configured("<mtom_options send_mtom=\"maybe\"/>"), "send_mtom: expected yes, no or same"),
        (configured("<mtom_options send_when_no_xop=\"1\"/>"), "send_when_no_xop: expected yes or no"),
        (
            configured("<xop_options apphandler_supports_xop=\"1\"/>"),
            "apphandler_supports_xop: expected yes or no",
        ),
        (configured("<mime_options content_id_domain=\"a@b\"/>"), "content_id_domain: expected 1 to 255"),
        (
            configured("<xop_options apphandler_supports_xop=\"yes\"/>").replace("DFHPITP", "OWNAPP"),
            "is not supported with the application handler OWNAPP",
        ),
    ] {
        let folder = folder.path().join("pipelines/mtom.xml");
        std::fs::write(&folder, wrong).expect("a file can be written");
        let checked =
            run(&["check", text(folder.parent().and_then(|path| path.parent()).expect("a folder"))]);
        let told = String::from_utf8_lossy(&checked.stderr);
        assert!(told.contains("pipelines/mtom.xml:1") && told.contains(word), "{word}: {told}");
    }
}

const REQUESTER: &str = "kind = \"soap\"
connection = \"shop\"
ccsid = 819
pipeline = \"OUT\"

[[operation]]
name = \"Store\"

[operation.soap]
path = \"/store\"
namespace = \"urn:shop\"
response_element = \"Stored\"

[operation.request]
copybook = \"PICTURE.cpy\"
wrapper = \"\"
[operation.request.fields]
IMAGE = { bytes = \"base64\" }

[operation.response]
copybook = \"PICTURE.cpy\"
wrapper = \"\"
[operation.response.fields]
IMAGE = { bytes = \"base64\" }
";

#[test]
fn a_requester_sends_packages_and_takes_them() {
    let remote = Remote::start(|_| {
        let body = format!(
            "<soap:Envelope xmlns:soap=\"{SOAP_11}\"><soap:Body><Stored xmlns=\"urn:shop\"><label>back</label><image>{}\
             </image></Stored></soap:Body></soap:Envelope>",
            include("a")
        );
        (200, TYPE, package(&body, "a"))
    });
    let pipeline = |send: &str| {
        format!(
            "<requester_pipeline {NAMESPACE}><service><service_handler_list><cics_soap_1.1_handler/></service_handler_list>\
             </service><cics_mtom_handler><dfhmtom_configuration><mtom_options send_mtom=\"{send}\"/></dfhmtom_configuration>\
             </cics_mtom_handler></requester_pipeline>"
        )
    };
    let gantry = remote.connection("shop") + "[[pipeline]]\nname = \"OUT\"\nfile = \"pipelines/out.xml\"\n";
    let json = format!("{{\"label\":\"a\",\"image\":\"{}\"}}", "QUJD".repeat(501));
    for (number, send) in ["same", "yes", "no"].into_iter().enumerate() {
        let folder = Folder::empty()
            .with("gantry.toml", &gantry)
            .with("copybooks/PICTURE.cpy", PICTURE)
            .with("requesters/SHOP/requester.toml", REQUESTER)
            .with("pipelines/out.xml", &pipeline(send));
        let called = run(&["call", "SHOP", "Store", "--in", text(folder.path()), "--json", &json]);
        let shown = String::from_utf8_lossy(&called.stdout);
        let back = format!("\"label\":\"back\",\"image\":\"{}\"", "QUJD".repeat(501));
        assert!(called.status.success() && shown.contains(&back), "{called:?}");
        let asked = remote.asked().remove(number);
        let is_package = asked.headers.contains("content-type: multipart/related; boundary=\"gantry-");
        assert_eq!(is_package, send != "no", "{}", asked.headers);
        assert!(asked.headers.contains("soapaction: \"\"\r\n"), "{}", asked.headers);
        let value = if is_package { "\r\n\r\nABCABC" } else { "<image>QUJDQUJD" };
        assert!(asked.body.contains(value), "{}", asked.body);
    }
}
