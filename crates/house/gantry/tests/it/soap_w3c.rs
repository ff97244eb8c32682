//! Tests of the W3C's SOAP 1.2 test collection (second edition) for an ultimate receiver over HTTP,
//! with our own messages. docs/reference/soap-w3c.md lists the others with the reason.

use crate::folder::Folder;
use crate::process::Gantry;

const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";
const PATH: &str = "/cics/services/ECHO";
const TYPE: &str = "content-type: application/soap+xml; charset=utf-8\r\n";

const BODY: &str =
    "<o:ECHOOperation xmlns:o=\"http://www.ECHO.Request.com\"><o:order_id>7</o:order_id></o:ECHOOperation>";

/// The answer that must come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The echo.
    Answer,
    /// The echo, with a header block. The block shows that the request's block was processed.
    Processed,
    /// A fault with this code. Its status is 400 for the sender's faults, and 500 for others.
    Fault(&'static str),
}

use Outcome::{Answer, Fault, Processed};

const SENDER: Outcome = Fault("Sender");
const MUST_UNDERSTAND: Outcome = Fault("MustUnderstand");
const MISMATCH: Outcome = Fault("VersionMismatch");

/// Makes a block that the gateway knows: the identifier of the message. The answer refers to it. It
/// needs the action beside it. `ROLE/` stands for the beginning of SOAP's roles.
fn known(attributes: &str) -> String {
    let block = |name: &str, text: &str| {
        format!("<w:{name} xmlns:w=\"http://www.w3.org/2005/08/addressing\" {attributes}>{text}</w:{name}>")
    };
    block("MessageID", "urn:one") + &block("Action", "urn:do")
}

/// Makes a block that the gateway does not know.
fn unknown(attributes: &str) -> String {
    format!("<a:Unknown xmlns:a=\"urn:unknown\" {attributes}>text</a:Unknown>")
}

const NEXT: &str = "s:role='ROLE/next'";
const ULTIMATE: &str = "s:role='ROLE/ultimateReceiver'";
const NONE: &str = "s:role='ROLE/none'";
const OTHER: &str = "s:role='urn:somebody-else'";

/// Gives the tests about header blocks: their names, the blocks, and the outcome.
fn blocks() -> Vec<(&'static str, Vec<String>, Outcome)> {
    let both = |role: &str, rest: &str| format!("{role} {rest}");
    let long = format!("s:role='urn:{}'", "z".repeat(4_000));
    vec![
        ("T1", vec![known(NEXT)], Processed),
        ("T2 T4 T78", vec![known(ULTIMATE)], Processed),
        ("T3", vec![known("")], Processed),
        ("T5", vec![known(OTHER)], Answer),
        ("T8", vec![known(""), known(OTHER), known(NONE)], Processed),
        ("T10 T37 XMLP-17", vec![unknown(ULTIMATE)], Answer),
        ("T11", vec![unknown(&both(ULTIMATE, "s:mustUnderstand='false'"))], Answer),
        ("T12 T16 T36", vec![unknown(&both(ULTIMATE, "s:mustUnderstand='1'"))], MUST_UNDERSTAND),
        ("T13", vec![unknown(&both(ULTIMATE, "s:mustUnderstand='true'"))], MUST_UNDERSTAND),
        ("T14", vec![known(&both(ULTIMATE, "s:mustUnderstand='wrong'"))], SENDER),
        ("T15", vec![unknown(&both(OTHER, "s:mustUnderstand='1'"))], Answer),
        ("T17 TH4", vec![unknown(&both(NEXT, "s:mustUnderstand='1'"))], MUST_UNDERSTAND),
        ("T18 XMLP-16", vec![unknown(NONE)], Answer),
        ("T19", vec![unknown(&both(NONE, "s:mustUnderstand='true'"))], Answer),
        (
            "T20",
            vec![unknown(&both(OTHER, "s:mustUnderstand='1'")), known("s:mustUnderstand='1'")],
            Processed,
        ),
        ("T23", vec![unknown("s:mustUnderstand='1'"), known("s:mustUnderstand='wrong'")], SENDER),
        ("T29", vec![unknown(&long)], Answer),
        (
            "T34",
            vec![unknown("xmlns:o='http://schemas.xmlsoap.org/soap/envelope/' o:mustUnderstand='1'")],
            Answer,
        ),
        ("T35 XMLP-6 XMLP-19", vec![unknown("s:mustUnderstand='1'")], MUST_UNDERSTAND),
        ("T38 second part", vec![unknown("s:mustUnderstand='0'"), known("s:mustUnderstand='1'")], Processed),
        ("T39", vec![unknown("s:mustUnderstand='9'")], SENDER),
        ("T40", vec![unknown("").replace("urn:unknown", "http://[2001:db8::1]/blocks")], Answer),
        ("T74", vec![known(NEXT), unknown("").replace("text", &unknown("s:mustUnderstand='1'"))], Processed),
        ("XMLP-15", vec![unknown(NEXT)], Answer),
        ("XMLP-18", vec![unknown(&both(NEXT, "s:relay='true'"))], Answer),
    ]
}

/// Tests about whole messages. `{S}` is SOAP's namespace. `{B}` is an element that the web service
/// knows.
const MESSAGES: &[(&str, &str, Outcome)] = &[
    (
        "T22",
        "<s:Envelope xmlns:s='{S}'><s:Header><o:ECHOOperation xmlns:o='urn:o'/></s:Header><s:Body>{B}</s:Body></s:Envelope>",
        Answer,
    ),
    ("T24", "<s:Envelope xmlns:s='urn:another-version'><s:Body>{B}</s:Body></s:Envelope>", MISMATCH),
    (
        "T25",
        "<!DOCTYPE s:Envelope SYSTEM 'own.dtd'><s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body></s:Envelope>",
        SENDER,
    ),
    ("T26", "<s:Envelope xmlns:s='{S}'><?style sheet?><s:Body>{B}</s:Body></s:Envelope>", SENDER),
    (
        "T28",
        "<s:Envelope xmlns:s='{S}'><s:Body s:encodingStyle='http://www.w3.org/2003/05/soap-encoding'>{B}</s:Body></s:Envelope>",
        SENDER,
    ),
    (
        "T30 TH3",
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope'><s:Body>{B}</s:Body></s:Envelope>",
        MISMATCH,
    ),
    (
        "T31",
        "<s:Envelope xmlns:s='{S}'><s:Body><ECHOOperation xmlns='http://www.ECHO.Request.com'> </ECHOOperation></s:Body></s:Envelope>",
        Answer,
    ),
    (
        "T33 XMLP-12",
        "<s:Envelope xmlns:s='{S}'><s:Body><Stranger xmlns='urn:o'/></s:Body></s:Envelope>",
        SENDER,
    ),
    (
        "T64",
        "<!DOCTYPE a [<!NOTATION b SYSTEM 'urn:c'>]><s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body></s:Envelope>",
        SENDER,
    ),
    (
        "T65",
        "<!DOCTYPE a [<!ELEMENT a (#PCDATA)>]><s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body></s:Envelope>",
        SENDER,
    ),
    (
        "T66",
        "<?xml version='1.0' encoding='UTF8'?><s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body></s:Envelope>",
        Answer,
    ),
    (
        "T67",
        "<?xml version='1.0' standalone='yes'?><s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body></s:Envelope>",
        Answer,
    ),
    (
        "T68",
        "<s:Envelope\n xmlns:s='{S}' >\n\t<s:Header\r\n>\n</s:Header >\n<s:Body\t>\n{B}\n</s:Body\n>\n</s:Envelope >\n",
        Answer,
    ),
    ("T69 TH2", "<s:Envelope xmlns:s='{S}'><s:Header/></s:Envelope>", SENDER),
    ("T70", "<s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body><Trailer/></s:Envelope>", SENDER),
    ("T71", "<s:Envelope xmlns:s='{S}' own='value'><s:Body>{B}</s:Body></s:Envelope>", SENDER),
    (
        "T72",
        "<s:Envelope xmlns:s='{S}' s:encodingStyle='http://www.w3.org/2003/05/soap-encoding'><s:Body>{B}</s:Body></s:Envelope>",
        SENDER,
    ),
    (
        "T80 XMLP-9",
        "<s:Envelope xmlns:s='{S}'><s:Body><ECHOOperation xmlns='http://www.ECHO.Request.com' s:encodingStyle='urn:poison'/></s:Body>\
         </s:Envelope>",
        Fault("DataEncodingUnknown"),
    ),
    (
        "XMLP-11",
        "<s:Envelope xmlns:s='{S}'><s:Body><ECHOOperation xmlns='http://www.ECHO.Request.com'><order_id>abc</order_id></ECHOOperation>\
         </s:Body></s:Envelope>",
        SENDER,
    ),
    ("TH1", "<s:Envelope xmlns:s='{S}'><s:Body>{B}</s:Body></s:Envelope>", Answer),
];

/// Compares the answer to a message with the outcome; gives the difference, if there is one.
fn fault(gantry: &Gantry, (name, message, outcome): (&str, &str, Outcome)) -> Option<String> {
    let answer = gantry.send("POST", PATH, TYPE, message);
    let (status, text) = (answer.status, answer.text());
    let right = match outcome {
        Answer | Processed => {
            let processed = text.contains("RelatesTo");
            status == 200 && text.contains("ECHOOperationResponse") && processed == (outcome == Processed)
        }
        Fault(code) => {
            // Another version of SOAP gets the fault in SOAP 1.1, as appendix A of part 1 allows.
            let elements = [format!("Value>SOAP-ENV:{code}<"), format!("faultcode>SOAP-ENV:{code}<")];
            status == if code == "Sender" { 400 } else { 500 }
                && elements.iter().any(|element| text.contains(element.as_str()))
                && text.contains("SupportedEnvelope") == (outcome == MISMATCH)
                && text.contains("NotUnderstood") == (outcome == MUST_UNDERSTAND)
        }
    };
    (!right).then(|| format!("{name}: expected {outcome:?}, got {status} {text}"))
}

#[test]
fn header_blocks() {
    let gantry = Gantry::example("soap");
    let wrong: Vec<String> = (blocks().into_iter())
        .filter_map(|(name, blocks, outcome)| {
            let header = blocks.concat().replace("ROLE", &format!("{SOAP}/role"));
            let header = format!("<s:Header>{header}</s:Header>");
            let message =
                format!("<s:Envelope xmlns:s='{SOAP}'>{header}<s:Body>{BODY}</s:Body></s:Envelope>");
            fault(&gantry, (name, &message, outcome))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages() {
    let gantry = Gantry::example("soap");
    let filled = |message: &str| message.replace("{S}", SOAP).replace("{B}", BODY);
    let wrong: Vec<String> = (MESSAGES.iter())
        .filter_map(|(name, message, outcome)| fault(&gantry, (name, &filled(message), *outcome)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn soap_1_1_to_a_web_service_of_soap_1_2() {
    let web_service = "versions = \"1.2\"\n\n[[operation]]\nservice = \"echo\"\n";
    let folder = Folder::echo("").with("soap/ECHO.toml", web_service);
    let gantry = Gantry::folder(folder.path());
    let old = "http://schemas.xmlsoap.org/soap/envelope/";
    let message = format!("<s:Envelope xmlns:s='{old}'><s:Body>{BODY}</s:Body></s:Envelope>");
    assert_eq!(fault(&gantry, ("XMLP-5", &message, MISMATCH)), None);
}

#[test]
fn other_media_types() {
    let gantry = Gantry::example("soap");
    let message = format!("<s:Envelope xmlns:s='{SOAP}'><s:Body>{BODY}</s:Body></s:Envelope>");
    let answer = gantry.send("POST", PATH, "content-type: audio/mpeg\r\n", &message);
    assert_eq!(answer.status, 415, "TH5: {}", answer.text());
}
