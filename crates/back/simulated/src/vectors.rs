//! Files of vectors for the simulated provider: a line of JSON for each, or lines as recorders of traffic write them.

use std::collections::BTreeMap;

use codepage::{Encoding, Unmappable};
use serde::Deserialize;
use service::simulated::{Reply, Vector};
use service::{CONTAINER_NAME_CHARACTERS_MAX, Channel, Container, Content, Payload};

/// The most vectors of one file.
const VECTORS_MAX: usize = 100_000;

/// The most bytes of one file.
const VECTORS_BYTES_MAX: usize = 64 << 20;

/// The most reported faults of one file.
const FAULTS_MAX: usize = 20;

/// A fault with its line.
pub(crate) type Fault = (usize, String);

/// A line of our own form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// For people.
    #[serde(default, rename = "id")]
    _id: Option<String>,
    request: Option<Data>,
    response: Answer,
}

/// A record or containers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    hex: Option<String>,
    containers: Option<BTreeMap<String, Bytes>>,
}

/// A response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    hex: Option<String>,
    containers: Option<BTreeMap<String, Bytes>>,
    failure: Option<Failure>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Failure {
    Refused,
    Failed,
    TimedOut,
}

/// A container.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bytes {
    hex: Option<String>,
    text: Option<String>,
}

/// A recorded line; it has more members, which do not matter here.
#[derive(Deserialize)]
struct Recorded {
    kind: RecordedKind,
    #[serde(default)]
    api: String,
    #[serde(default)]
    method: String,
    hex: String,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum RecordedKind {
    Request,
    #[serde(alias = "response-error")]
    Response,
}

/// The kind of a line, by its members.
#[derive(Deserialize)]
struct Probe {
    kind: Option<serde::de::IgnoredAny>,
}

/// The vectors of a file. Of recorded lines, those of `api` count, or all; text is in `encoding`.
///
/// # Errors
/// Everything that is wrong with it, with its line.
pub(crate) fn read(text: &str, api: Option<&str>, encoding: Encoding) -> Result<Vec<Vector>, Vec<Fault>> {
    if text.len() > VECTORS_BYTES_MAX {
        let message = format!("expected at most {VECTORS_BYTES_MAX} bytes of vectors, found {}", text.len());
        return Err(vec![(1, message)]);
    }
    let (mut vectors, mut faults) = (Vec::new(), Vec::new());
    let mut waiting = None;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match vector(line, number, api, encoding, &mut waiting) {
            Ok(found) => vectors.extend(found),
            Err(message) => faults.push((number, message)),
        }
        if vectors.len() > VECTORS_MAX {
            faults.push((number, format!("expected at most {VECTORS_MAX} vectors, found more")));
            break;
        }
        if faults.len() >= FAULTS_MAX {
            break;
        }
    }
    if let Some(request) = waiting {
        faults.push(unanswered(&request));
    }
    if vectors.is_empty() && faults.is_empty() {
        let of = api.map_or_else(String::new, |api| format!(" of the API '{api}'"));
        faults.push((1, format!("expected at least one vector{of}, found none")));
    }
    if faults.is_empty() { Ok(vectors) } else { Err(faults) }
}

/// A recorded request that waits for its response.
struct Waiting {
    line: usize,
    api: String,
    method: String,
    record: Vec<u8>,
}

fn unanswered(request: &Waiting) -> Fault {
    let message =
        format!("expected a response of {} {} behind this request, found none", request.method, request.api);
    (request.line, message)
}

fn vector(
    line: &str,
    number: usize,
    api: Option<&str>,
    encoding: Encoding,
    waiting: &mut Option<Waiting>,
) -> Result<Option<Vector>, String> {
    let probe: Probe = serde_json::from_str(line).map_err(shown)?;
    if probe.kind.is_none() {
        let line: Line = serde_json::from_str(line).map_err(shown)?;
        let request = line.request.map(|data| payload(data.hex, data.containers, encoding)).transpose()?;
        return Ok(Some(Vector { request, reply: reply(line.response, encoding)? }));
    }
    let recorded: Recorded = serde_json::from_str(line).map_err(shown)?;
    if api.is_some_and(|api| api != recorded.api) {
        return Ok(None);
    }
    let record = bytes(&recorded.hex)?;
    let Recorded { api, method, .. } = recorded;
    match (recorded.kind, waiting.take()) {
        (RecordedKind::Request, before) => {
            *waiting = Some(Waiting { line: number, api, method, record });
            before.map_or(Ok(None), |before| {
                let (line, message) = unanswered(&before);
                Err(format!("{message}; it is in line {line}"))
            })
        }
        (RecordedKind::Response, Some(request)) if request.api == api && request.method == method => {
            let request = Some(Payload::Record(request.record));
            Ok(Some(Vector { request, reply: Reply::Payload(Payload::Record(record)) }))
        }
        // A response that nobody's request was kept for answers every request.
        (RecordedKind::Response, before) => {
            *waiting = before;
            Ok(Some(Vector { request: None, reply: Reply::Payload(Payload::Record(record)) }))
        }
    }
}

/// The message of a JSON fault, without its place in the one line.
fn shown(error: serde_json::Error) -> String {
    let text = error.to_string();
    match text.split_once(" at line 1 column ") {
        Some((message, column)) => format!("{message} (column {column})"),
        None => text,
    }
}

fn reply(answer: Answer, encoding: Encoding) -> Result<Reply, String> {
    match answer {
        Answer { hex: None, containers: None, failure: Some(failure) } => Ok(match failure {
            Failure::Refused => Reply::Refused,
            Failure::Failed => Reply::Failed,
            Failure::TimedOut => Reply::TimedOut,
        }),
        Answer { failure: Some(_), .. } => {
            Err("expected a failure alone, found a record or containers beside it".to_owned())
        }
        Answer { hex, containers, failure: None } => payload(hex, containers, encoding).map(Reply::Payload),
    }
}

fn payload(
    record: Option<String>,
    containers: Option<BTreeMap<String, Bytes>>,
    encoding: Encoding,
) -> Result<Payload, String> {
    match (record, containers) {
        (Some(text), None) => bytes(&text).map(Payload::Record),
        (None, Some(containers)) => {
            let made: Result<Vec<Container>, String> =
                containers.into_iter().map(|(name, content)| container(name, content, encoding)).collect();
            Ok(Payload::Channel(Channel::of(made?)))
        }
        (Some(_), Some(_)) => Err("expected 'hex' or 'containers', found both".to_owned()),
        (None, None) => Err("expected 'hex' or 'containers', found neither".to_owned()),
    }
}

fn container(name: String, content: Bytes, encoding: Encoding) -> Result<Container, String> {
    let characters = name.chars().count();
    if !(1..=CONTAINER_NAME_CHARACTERS_MAX).contains(&characters) {
        let most = CONTAINER_NAME_CHARACTERS_MAX;
        return Err(format!("expected a container's name of 1 to {most} characters, found '{name}'"));
    }
    let content = match content {
        Bytes { hex: Some(text), text: None } => Content::Bit(bytes(&text)?),
        Bytes { hex: None, text: Some(text) } => {
            let mut encoded = Vec::new();
            encoding
                .encode(&text, Unmappable::Error, &mut encoded)
                .map_err(|error| format!("container {name}: {error}"))?;
            Content::Char { bytes: encoded, ccsid: encoding.ccsid() }
        }
        _ => return Err(format!("container {name}: expected either 'hex' or 'text'")),
    };
    Ok(Container { name, content })
}

fn bytes(text: &str) -> Result<Vec<u8>, String> {
    hex(text).ok_or_else(|| "'hex' is not an even number of hexadecimal digits".to_owned())
}

/// Bytes by their hexadecimal digits, white space between them passed over.
pub(crate) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    pairs.iter().map(|[high, low]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, api: Option<&str>) -> Result<Vec<Vector>, Vec<Fault>> {
        read(text, api, Encoding::by_ccsid(37).expect("CCSID 37"))
    }

    fn record(bytes: &[u8]) -> Payload {
        Payload::Record(bytes.to_vec())
    }

    #[test]
    fn a_line_is_a_request_and_its_response() {
        let text = r#"{"id": "one", "request": {"hex": "c1 C2"}, "response": {"hex": ""}}

            {"request": {"containers": {"A": {"text": "Z"}, "B": {"hex": "00"}}}, "response": {"containers": {"C": {"text": "é"}}}}
            {"response": {"failure": "timed_out"}}"#;
        let found = parse(text, None).expect("vectors");
        let character = |name: &str, byte| Container {
            name: name.to_owned(),
            content: Content::Char { bytes: vec![byte], ccsid: 37 },
        };
        let bit = Container { name: "B".to_owned(), content: Content::Bit(vec![0]) };
        let channel = |containers| Payload::Channel(Channel::of(containers));
        let expected = [
            Vector { request: Some(record(&[0xC1, 0xC2])), reply: Reply::Payload(record(&[])) },
            Vector {
                request: Some(channel(vec![character("A", 0xE9), bit])),
                reply: Reply::Payload(channel(vec![character("C", 0x51)])),
            },
            Vector { request: None, reply: Reply::TimedOut },
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn recorded_lines_pair_up() {
        let line = |kind: &str, api: &str, hex: &str| {
            format!(
                "{{\"kind\":\"{kind}\",\"api\":\"{api}\",\"method\":\"PUT\",\"hex\":\"{hex}\",\"json\":{{\"x\":1}}}}\n"
            )
        };
        let text = [
            line("request", "pay", "01"),
            line("response", "other", "09"),
            line("response", "pay", "02"),
            line("response-error", "pay", "03"),
        ]
        .concat();
        let answers = |request: Option<u8>, response: u8| Vector {
            request: request.map(|byte| record(&[byte])),
            reply: Reply::Payload(record(&[response])),
        };
        let of_pay = parse(&text, Some("pay")).expect("vectors");
        assert_eq!(of_pay, [answers(Some(1), 2), answers(None, 3)]);
        let all = parse(&text, None).expect("vectors");
        assert_eq!(all, [answers(None, 9), answers(Some(1), 2), answers(None, 3)]);
        let twice = [line("request", "pay", "01"), line("request", "pay", "02")].concat();
        let faults = parse(&twice, None).expect_err("no response");
        assert_eq!(faults.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 2]);
        assert!(faults[0].1.contains("expected a response of PUT pay"), "{faults:?}");
        let none = parse(&text, Some("third")).expect_err("none");
        assert_eq!(none[0].1, "expected at least one vector of the API 'third', found none");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (line, says) in [
            ("{", "EOF while parsing an object (column 1)"),
            ("[]", "expected struct Probe"),
            (r#"{"request": {"hex": "00"}}"#, "missing field `response`"),
            (r#"{"response": {"hex": "0"}}"#, "even number of hexadecimal digits"),
            (r#"{"response": {"hex": "+1"}}"#, "even number of hexadecimal digits"),
            (r#"{"response": {}}"#, "expected 'hex' or 'containers', found neither"),
            (r#"{"response": {"hex": "", "containers": {}}}"#, "found both"),
            (r#"{"response": {"hex": "", "failure": "failed"}}"#, "expected a failure alone"),
            (r#"{"response": {"failure": "lost"}}"#, "unknown variant `lost`"),
            (r#"{"response": {"bytes": ""}}"#, "unknown field `bytes`"),
            (r#"{"response": {"containers": {"": {"hex": ""}}}}"#, "1 to 16 characters"),
            (r#"{"response": {"containers": {"A": {}}}}"#, "container A: expected either 'hex' or 'text'"),
            (r#"{"response": {"containers": {"A": {"text": "€"}}}}"#, "container A: "),
            (r#"{"kind": "request"}"#, "missing field `hex`"),
        ] {
            let text = format!("{{\"response\": {{\"hex\": \"\"}}}}\n{line}\n");
            let faults = parse(&text, None).expect_err(line);
            let [(2, message)] = faults.as_slice() else { panic!("{line}: {faults:?}") };
            assert!(message.contains(says), "{line}: {message}");
        }
        assert_eq!(parse("", None).expect_err("none")[0].1, "expected at least one vector, found none");
        let many = "{\"response\":{\"hex\":\"\"}}\n".repeat(VECTORS_MAX + 1);
        assert!(parse(&many, None).expect_err("too many")[0].1.contains("at most 100000 vectors"));
        assert_eq!(parse(&"x\n".repeat(99), None).expect_err("faults").len(), FAULTS_MAX);
    }
}
