//! The table of codes, the shape of failures, and their page in the reference.

use std::collections::HashSet;
use std::fmt::Write as _;

use failure::{Code, Failure};
use proptest::prelude::*;
use serde_json::Value;

#[test]
fn codes_are_unique_and_of_one_form() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        let text = code.as_str();
        assert!(seen.insert(text), "{text} occurs twice");
        let (prefix, rest) = text.split_at(if text.starts_with("BAQR") { 4 } else { 3 });
        assert!(matches!(prefix, "GTY" | "BAQR"), "{text}");
        let (number, severity) = rest.split_at(4);
        assert!(number.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
        assert!(matches!(severity, "I" | "W" | "E"), "{text}");
        assert!(code.status().is_client_error() || code.status().is_server_error(), "{text}");
        assert!(code.text().ends_with('.'), "{text}");
    }
}

#[test]
fn a_failure_without_details_has_none() {
    let body = Failure::new(Code::UnknownPath).body();
    assert_eq!(body, br#"{"errorMessage":"GTY0404W: No API has this path."}"#);
}

#[test]
fn what_only_the_log_is_told_is_not_in_the_body() {
    let failure = Failure { log: Some("secret".to_owned()), ..Failure::new(Code::Internal) };
    assert!(!String::from_utf8_lossy(&failure.body()).contains("secret"));
    assert!(failure.to_string().contains("secret"));
}

proptest! {
    #[test]
    fn any_details_make_json(details in any::<String>(), index in 0..Code::ALL.len()) {
        let code = Code::ALL[index];
        let body = Failure::with_details(code, details.clone()).body();
        let json: Value = serde_json::from_slice(&body).expect("a failure is JSON");
        let expected = serde_json::json!({
            "errorMessage": format!("{}: {}", code.as_str(), code.text()),
            "errorDetails": details,
        });
        prop_assert_eq!(json, expected);
    }
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/reference/errors.md");

/// The page, made from the table; only what to do is written here.
fn page() -> String {
    let (mut index, mut sections) = (String::from(INTRODUCTION), String::new());
    for code in Code::ALL {
        let status = code.status();
        let reason = status.canonical_reason().expect("a known status");
        let (name, text, advice, number) = (code.as_str(), code.text(), advice(*code), status.as_u16());
        let anchor = name.to_ascii_lowercase();
        writeln!(index, "| [`{name}`](#{anchor}) | {number} | {text} |").expect("a string");
        write!(sections, "\n## {name}\n\n{text}\n\nStatus: {number} {reason}\n\nWhat to do: {advice}\n")
            .expect("a string");
    }
    index + &sections
}

const INTRODUCTION: &str = "# Errors

This page is for developers of clients. It lists every error code of a failed request. The codes of findings in copybooks and programs
are in [Codes of findings](codes.md). A failed request gets a status of 400 or above and
this JSON:

```json
{\"errorMessage\":\"GTY0424W: A value is outside of the limits of its field.\",\"errorDetails\":\"...\"}
```

`errorMessage` begins with a code that does not change; programs may depend on it. `errorDetails` says where
the fault is (the parameter, the field, line and column, or the offset in the record) and what was expected there. Its
wording may change. It is missing if there is nothing to add. The gateway's log has more under the id in the header
`x-request-id`. Codes that begin with `BAQR` are those of z/OS Connect for the same case.

A web service answers with a SOAP fault in place of this JSON, with the same code. [Web services](../guides/soap.md#faults) has the
statuses. For operators, [a request has failed](../guides/operators.md#a-request-has-failed) explains the log line of a failure.

If a request is not valid HTTP, the answer is only a status (400, 408, 431), and the connection closes.

<!-- Made from the table in crates/data/failure/src/lib.rs: UPDATE_GOLDEN=1 cargo test -p failure -->

| code | status | when |
| --- | --- | --- |
";

fn advice(code: Code) -> &'static str {
    match code {
        Code::UnknownPath => "Compare the URL with the API's `openapi.json`.",
        Code::Stopped => "The operator starts it again; the administration interface shows what is stopped.",
        Code::WrongMethod => "Use a method of the `allow` header.",
        Code::Unauthenticated => "Send credentials as the header `www-authenticate` says.",
        Code::NotAuthorized | Code::RoleMissing => {
            "Ask the operator to add the user to a group with the role."
        }
        Code::ScopeMissing => "Ask the issuer for a token with the scopes.",
        Code::TlsRequired => "Use the `https` address.",
        Code::Intercepted => "The details have the interceptor's reason, if it gave one.",
        Code::NotRecorded => {
            "The request was not carried out. Send it again later. The operator checks the file of the records."
        }
        Code::InterceptorFailed => {
            "The request was not carried out. Send it again later. The operator checks the interceptor."
        }
        Code::CorsRefused => {
            "Ask the operator to add origin, method and headers of the page to the API's `[cors]`, or the origin to `mcp.origins`."
        }
        Code::TooManyRequests => "Send it again after `retry-after` seconds.",
        Code::TooManyAtOnce | Code::AuthenticationBusy => {
            "The request was not carried out. Send it again after `retry-after` seconds."
        }
        Code::WrongHost => {
            "Use the address or `localhost`, or ask the operator to add the name to `hosts` of the `[[listener]]` (or of `[admin]`)."
        }
        Code::BadHost => {
            "Send the header `host` once, with the name or the address of the gateway, and its port."
        }
        Code::UnknownCoding => {
            "Send the body with `content-length`, or with `transfer-encoding: chunked` alone."
        }
        Code::TooManyHeaders => "Send fewer headers, or ask the operator to raise `limits.header_count_max`.",
        Code::BadUrl => "Percent-encode the URL as UTF-8.",
        Code::WrongContentType => "Send `content-type: application/json`, once.",
        Code::WrongSoapType => "Send `content-type: text/xml` or `application/soap+xml`, once.",
        Code::BodyTooLarge => "Send less, or ask the operator to raise `limits.request_body_max_bytes`.",
        Code::MissingBody => "Send the JSON object that the operation describes.",
        Code::UnexpectedBody => "Send the request without a body.",
        Code::BodyTimeout => {
            "Send the body faster, or ask the operator to raise `limits.body_read_timeout_ms`."
        }
        Code::BodyBroken => "Send the request again. Check proxies between client and gateway.",
        Code::BadJson | Code::DuplicateField | Code::TooDeep => {
            "Correct the JSON at the place in the details."
        }
        Code::BadEnvelope => {
            "Correct the message at the place in the fault, or give its charset in `content-type`."
        }
        Code::SoapVersion => {
            "Send an envelope of a version that the header block `Upgrade` of the fault names."
        }
        Code::NotUnderstood => "Send the message without the header block that the fault names.",
        Code::EncodingStyle => "Send document literal, without `encodingStyle`.",
        Code::UnknownSoapOperation => "Compare name and namespace of the body's element with the WSDL.",
        Code::BadAddressing => {
            "Give `wsa:MessageID` and `wsa:Action` once each, and answers the anonymous address."
        }
        Code::MissingParameter | Code::MissingField => "Add the parameter or field that the details name.",
        Code::RepeatedParameter => "Give the parameter once.",
        Code::BadParameter | Code::WrongType | Code::OutOfRange | Code::TooLong | Code::RowCount => {
            "Keep to the limits of the schema."
        }
        Code::View => {
            "Give only one of the alternatives. The field that selects the alternative must match it."
        }
        Code::Unmappable => "Leave the character out; the service's CCSID does not have it.",
        Code::UnknownField => {
            "Compare the name with the schema, or ask the operator to set `unknown_fields = \"ignore\"`."
        }
        Code::Invalid => "Compare the value with the API's `openapi.json`.",
        Code::UnknownParameter => {
            "Compare the name with the document, or ask the operator to set `unknown_query = \"ignore\"`."
        }
        Code::MappingFailed => "The operator finds the expression and its error in the log.",
        Code::NoReply => "The operator adds a reply without a condition.",
        Code::ProviderTimeout => {
            "The request may have been carried out. Check before you send it again. The operator looks at the service, or raises its `timeout_ms`."
        }
        Code::ProgramUnusable => {
            "The program did not run. The operator corrects it: `gantry check` shows its faults."
        }
        Code::ProviderRefused => {
            "The request was not carried out. Send it again after `retry-after` seconds. The log says why; where a server cannot be reached, the operator looks at the address of the connection."
        }
        Code::OutcomeUnknown => {
            "Check before you send the request again: the disk failed while the changes were written. The log names the store. The store shows the outcome when it is opened again."
        }
        Code::GroupStopped => {
            "The request was not sent. An operator starts the group again: `gantry connector start`."
        }
        Code::GroupFull => {
            "The request was not sent. Send it again after `retry-after` seconds. The operator adds endpoints, or raises `max_sockets` or `queue_max`."
        }
        Code::GroupTooMany => {
            "The request was not sent. Send it again after `retry-after` seconds. The operator raises `rate` of the group."
        }
        Code::GroupUnwell => {
            "The request was not sent. Send it again after `retry-after` seconds. `gantry connector display` shows the reason."
        }
        Code::ConnectionBroken => {
            "The request may have been carried out. Check before you send it again. The operator looks at the server."
        }
        Code::BadReply => {
            "The request may have been carried out. The operator compares the group's framing with that of the server; the log has the reason."
        }
        Code::Unframeable => {
            "The operator compares the framing and `frame_max_bytes` of the group with the layout of the request."
        }
        Code::NoWebAnswer => {
            "The program of a `[[urimap]]` has returned without EXEC CICS WEB SEND, or its SEND raised a condition that it ignored. Its changes are kept. The reference of regions says which answers [cannot be sent](regions.md#programs-that-answer-http)."
        }
        Code::BadStatus => "The log has the status that the program gave.",
        Code::ProgramRefused => {
            "Ask the operator to add the user, or a group of the user, to the region's rule for the program."
        }
        Code::ProgramAbended => {
            "The request may have been carried out in part. The operator finds the abend code and the program in the log."
        }
        Code::ServerFault => {
            "The server behind the service took the request and refused it, or failed. The operator finds the fault in the log."
        }
        Code::ProviderFailed => {
            "The request may have been carried out. The operator finds the reason in the log."
        }
        Code::BadRecord => {
            "The operator compares the service's copybook with what the program sends. The gateway's log has the bytes of the field. If it is a date that is not set (blanks, zeros or low-values), `blank_numbers = \"null\"` in `[response.values]` of the service makes it null."
        }
        Code::BadMessaging => {
            "Correct the header, parameter or body that the answer names. The log line has it, too."
        }
        Code::UnknownQueue => {
            "Use the name of a queue that is defined. A reservation that is unknown has ended."
        }
        Code::QueueInhibited => "Try again when puts or gets are allowed again.",
        Code::WrongMessageType => {
            "Send text/plain, text/html, text/xml, application/json or application/xml in UTF-8, or application/octet-stream."
        }
        Code::NotText => "Get the message with the header 'accept: application/octet-stream'.",
        Code::QueueUnavailable => {
            "Send the request again after the time in retry-after. If it goes on, get messages, or raise the limit."
        }
        Code::QueueFailed => {
            "Look up the reason code of the answer. If nobody knows whether it was done, find out before you repeat it."
        }
        Code::Internal => "Report the error, with the line of the log.",
    }
}

#[test]
fn the_page_in_the_reference_is_the_table() {
    let page = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let folder = std::path::Path::new(PAGE).parent().expect("a page is in a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(PAGE, &page).expect("the page can be written");
    }
    let written = std::fs::read_to_string(PAGE).expect("the page is there");
    assert_eq!(written, page, "run: UPDATE_GOLDEN=1 cargo test -p failure");
}
