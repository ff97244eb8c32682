//! One operation of a remote API as it runs: fields of a record become path, query, headers and body, and an answer
//! becomes a record, all by plans that were made at load.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use record::{Bind, FieldSlot};
use remote::{Answer, Outgoing, PathTemplate, PayloadsOverHttp, header_value, push_query};
use serde_json::value::RawValue;
use service::{Error, Payload};

use crate::statuses::ByStatus;
use crate::text::beginning_of;

/// The most characters of a body without a layout in a message: BAQ-RESP-STATUS-MESSAGE and
/// BAQ-STATUS-MESSAGE have this room.
const BODY_SHOWN_CHARACTERS_MAX: usize = 1024;

/// The content type of records, unless the configuration names another.
pub const RECORD_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// How a record becomes a request.
#[derive(Debug)]
pub struct RecordRequest {
    /// The method.
    pub method: Method,
    /// The path, with the base path in front.
    pub path: PathTemplate,
    /// For each parameter of the path, in its order.
    pub path_fields: Vec<FieldSlot>,
    /// Parameters that are always the same, as `?name=value`; empty for none.
    pub query: String,
    /// Query parameters that fields of the record give.
    pub query_fields: Vec<RecordParameter<String>>,
    /// Headers that are always the same, the content type and what is accepted among them.
    pub headers: HeaderMap,
    /// Headers that fields of the record give.
    pub header_fields: Vec<RecordParameter<HeaderName>>,
    /// The part of the record that is the body.
    pub body: Body,
    /// Whether the request may be sent twice.
    pub idempotent: bool,
    /// The layout of the record, without the fields that are parameters; none if there is no record.
    pub bind: Option<Arc<Bind>>,
}

/// A field that becomes a query parameter or a header.
#[derive(Debug)]
pub struct RecordParameter<N> {
    /// The parameter's name.
    pub name: N,
    /// The field that gives its value.
    pub field: FieldSlot,
    /// A blank field is a fault; else it is left out.
    pub required: bool,
}

/// The part of a record that is a body, or the reverse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    None,
    /// Its bytes.
    Record,
    /// The JSON of its fields.
    Json,
    /// One member of the JSON of its fields.
    Member {
        /// The JSON before the record: `{"name":`. A brace follows the record.
        around: String,
        /// The body where the JSON leaves the member out: no rows, or no fields.
        empty: &'static [u8],
    },
}

/// How answers of some statuses become records.
#[derive(Debug)]
pub struct RecordResponse {
    /// The part of the record that the body fills.
    pub body: Body,
    /// The content type that a record has, if the answer says one.
    pub record_type: HeaderValue,
    /// Fields from headers.
    pub header_fields: Vec<(HeaderName, FieldSlot)>,
    /// The field that gets the status.
    pub status_field: Option<FieldSlot>,
    /// The layout of the record, without the fields that something else gives; none if the status is all.
    pub bind: Option<Arc<Bind>>,
    /// The layout of the whole record, for callers that want JSON.
    pub whole: Option<Arc<Bind>>,
}

/// An operation by records: one goes out, and one comes back for each status.
#[derive(Debug)]
pub struct RecordOperation {
    /// How a record becomes a request.
    pub request: RecordRequest,
    /// How answers become records.
    pub responses: ByStatus<RecordResponse>,
}

impl PayloadsOverHttp for RecordOperation {
    fn outgoing(&self, payload: &Payload) -> Result<Outgoing, Error> {
        let Payload::Record(record) = payload else {
            return Err(Error::failed("an operation over HTTP takes records, not channels"));
        };
        self.request
            .outgoing(record)
            .map_err(|message| Error::failed(format!("the request's record: {message}")))
    }

    fn incoming(&self, answer: &Answer) -> Result<Payload, Error> {
        let plan = self.responses.fit(answer.status).ok_or_else(|| Error::failed(unplanned(answer)))?;
        plan.record(answer).map(Payload::Record).map_err(|message| {
            Error::failed(format!("the answer with status {}: {message}", answer.status.as_u16()))
        })
    }

    fn kind(&self) -> &'static str {
        "http"
    }
}

/// The message about an answer without a plan: its status, and the beginning of its text.
pub(crate) fn unplanned(answer: &Answer) -> String {
    let status = answer.status.as_u16();
    let kind = answer.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_text = is_json(kind) || is_plain_text(kind);
    let shown = match is_text {
        true => beginning_of(kind, &answer.body, BODY_SHOWN_CHARACTERS_MAX),
        false => String::new(),
    };
    if shown.is_empty() {
        return format!("the API answered with status {status}");
    }
    // Messages are lines of logs too.
    let line: String = shown.chars().map(|shown| if shown.is_control() { ' ' } else { shown }).collect();
    format!("the API answered with status {status}: {line}")
}

impl RecordRequest {
    fn outgoing(&self, record: &[u8]) -> Result<Outgoing, String> {
        let mut target = String::new();
        let mut headers = self.headers.clone();
        let mut body = Bytes::new();
        if let Some(bind) = &self.bind {
            let text = |field: &FieldSlot| bind.get(field, record).map_err(|error| error.to_string());
            let values: Vec<String> = self.path_fields.iter().map(text).collect::<Result<_, _>>()?;
            self.path
                .fill(values.iter().map(String::as_str), &mut target)
                .map_err(|error| error.to_string())?;
            target.push_str(&self.query);
            for parameter in &self.query_fields {
                if let Some(value) = parameter.value(bind, record)? {
                    push_query(&mut target, &parameter.name, &value).map_err(|error| error.to_string())?;
                }
            }
            for parameter in &self.header_fields {
                if let Some(value) = parameter.value(bind, record)? {
                    let value = header_value(&value)
                        .map_err(|error| format!("the header {}: {error}", parameter.name))?;
                    headers.insert(parameter.name.clone(), value);
                }
            }
            body = self.body_of(bind, record)?;
        } else {
            self.path.fill([], &mut target).map_err(|error| error.to_string())?;
            target.push_str(&self.query);
        }
        let (method, idempotent) = (self.method.clone(), self.idempotent);
        Ok(Outgoing { method, target, headers, body, idempotent })
    }

    fn body_of(&self, bind: &Bind, record: &[u8]) -> Result<Bytes, String> {
        let json = || {
            let mut json = Vec::new();
            bind.decode(record, &mut json).map_err(|error| error.to_string())?;
            Ok::<_, String>(json)
        };
        Ok(match &self.body {
            Body::None => Bytes::new(),
            Body::Record => Bytes::copy_from_slice(record),
            Body::Json => json()?.into(),
            Body::Member { around, empty } => {
                let json = Bytes::from(json()?);
                let end = json.len().saturating_sub(1);
                match json.starts_with(around.as_bytes()) && around.len() <= end {
                    true => json.slice(around.len()..end),
                    false => Bytes::from_static(empty),
                }
            }
        })
    }
}

impl<N: std::fmt::Display> RecordParameter<N> {
    /// Its value. A parameter that need not be sent has none where JSON would leave the field out.
    fn value(&self, bind: &Bind, record: &[u8]) -> Result<Option<String>, String> {
        let value = match self.required {
            true => bind.get(&self.field, record).map(Some),
            false => bind.get_unless_omitted(&self.field, record),
        };
        match value.map_err(|error| error.to_string())?.filter(|value| !value.is_empty()) {
            None if self.required => {
                Err(format!("{} is blank, and is required as {}", self.field.path(), self.name))
            }
            value => Ok(value),
        }
    }
}

impl RecordResponse {
    /// The record of an answer.
    pub fn record(&self, answer: &Answer) -> Result<Vec<u8>, String> {
        let Some(bind) = &self.bind else { return Ok(Vec::new()) };
        if self.body == Body::Record {
            self.check_record_type(answer)?;
            return match answer.body.len() {
                0 => Err("expected a record, found no body".to_owned()),
                found if found > bind.max_bytes() => {
                    Err(format!("expected a record of at most {} bytes, found {found}", bind.max_bytes()))
                }
                _ => Ok(answer.body.to_vec()),
            };
        }
        let mut record = Vec::new();
        bind.start(&mut record);
        let told = |error: record::Error| error.to_string();
        if let Some(field) = &self.status_field {
            bind.set(field, answer.status.as_str(), &mut record).map_err(told)?;
        }
        for (name, field) in &self.header_fields {
            let Some(value) = answer.headers.get(name) else { continue };
            let value = value.to_str().map_err(|_| format!("the header {name} is not ASCII"))?;
            bind.set(field, value, &mut record).map_err(|error| format!("the header {name}: {error}"))?;
        }
        if let Some(json) = self.json(answer)? {
            bind.fill(&json, &mut record).map_err(told)?;
        }
        bind.finish(&mut record).map_err(told)?;
        Ok(record)
    }

    /// Text may have been converted on its way, and an error page is not a record.
    fn check_record_type(&self, answer: &Answer) -> Result<(), String> {
        let Some(kind) = answer.headers.get(CONTENT_TYPE) else { return Ok(()) };
        let is_record = |expected: &HeaderValue| essence(kind).eq_ignore_ascii_case(essence(expected));
        if is_record(&self.record_type) || is_record(&RECORD_TYPE) {
            return Ok(());
        }
        let (expected, found) = (essence(&self.record_type), essence(kind));
        let (expected, found) = (expected.escape_ascii(), found.escape_ascii());
        Err(format!("expected a record of the content type '{expected}', found '{found}'"))
    }

    /// The JSON that fills the record.
    fn json<'a>(&self, answer: &'a Answer) -> Result<Option<Cow<'a, [u8]>>, String> {
        let around = match &self.body {
            Body::None | Body::Record => return Ok(None),
            Body::Json => "",
            Body::Member { around, .. } => around,
        };
        if answer.body.is_empty() {
            return Err("expected JSON, found no body".to_owned());
        }
        let kind = answer.headers.get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
        if let Some(kind) = kind
            && !is_json(kind)
        {
            return Err(format!("expected JSON, found the content type '{}'", kind.escape_debug()));
        }
        if around.is_empty() {
            return Ok(Some(Cow::Borrowed(&answer.body)));
        }
        check_one_value(&answer.body)?;
        Ok(Some(Cow::Owned([around.as_bytes(), &answer.body, b"}"].concat())))
    }
}

/// Checks that a body of JSON is one value with nothing behind it, so that it can bring no other member of the object that
/// is put around it.
///
/// # Errors
/// It is not JSON, or more than one value.
pub(crate) fn check_one_value(body: &[u8]) -> Result<(), String> {
    let one: Result<&RawValue, _> = serde_json::from_slice(body);
    one.map(drop).map_err(|error| format!("expected JSON: {error}"))
}

/// A content type without its parameters.
fn essence(kind: &HeaderValue) -> &[u8] {
    kind.as_bytes().split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

/// True for the content types of JSON: `application/json` and all that end with `+json`.
pub(super) fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}

fn is_plain_text(kind: &str) -> bool {
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("text/plain")
}

/// The headers that every request has, by the form of its body.
pub fn usual_headers(body: &Body, content_type: Option<HeaderValue>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let usual = match body {
        Body::None => None,
        Body::Record => Some(RECORD_TYPE),
        Body::Json | Body::Member { .. } => Some(HeaderValue::from_static("application/json")),
    };
    let accepted = match body {
        Body::Record => HeaderValue::from_static("application/octet-stream, */*;q=0.1"),
        _ => HeaderValue::from_static("application/json, */*;q=0.1"),
    };
    if let Some(kind) = content_type.or(usual) {
        headers.insert(CONTENT_TYPE, kind);
    }
    headers.insert(ACCEPT, accepted);
    headers
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use record::{Options, UnknownFields};

    use super::*;

    #[test]
    fn a_message_tells_the_beginning_of_a_text() {
        let told = |kind: &'static str, body: &str| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(kind))]);
            let body = Bytes::copy_from_slice(body.as_bytes());
            unplanned(&Answer { status: StatusCode::CONFLICT, headers, body })
        };
        let nothing = "the API answered with status 409";
        assert_eq!(told("text/plain", "no\r\n\"way\""), format!("{nothing}: no  \"way\""));
        assert_eq!(told("text/html", "<p>"), nothing);
        assert_eq!(told("text/plain", ""), nothing);
        assert_eq!(told("text/plainer", "a"), nothing);
        // The last character is not cut, and none is lost with it.
        let text = format!("{}äöü", "x".repeat(1022));
        assert_eq!(told("TEXT/plain ; charset=utf-8", &text), format!("{nothing}: {}äö", "x".repeat(1022)));
        assert_eq!(told("application/json", "{\"a\":1}"), format!("{nothing}: {{\"a\":1}}"));
    }

    /// A response whose body is the member `rows` of a record that ignores unknown members.
    fn response_of_rows() -> RecordResponse {
        let copybook = "01 R. 05 ROWS PIC 9 OCCURS 2.";
        let parsed = copybook::parse("R.cpy", copybook, &copybook::Options::default()).expect("a layout");
        let mut options = Options::new(codepage::Encoding::by_ccsid(37).expect("a page"));
        options.unknown_fields = UnknownFields::Ignore;
        RecordResponse {
            body: Body::Member { around: "{\"rows\":".to_owned(), empty: b"[]" },
            record_type: RECORD_TYPE,
            header_fields: Vec::new(),
            status_field: None,
            bind: Some(Arc::new(Bind::compile(&parsed.layouts[0], &options).expect("a bind"))),
            whole: None,
        }
    }

    #[test]
    fn a_member_is_one_value() {
        let response = response_of_rows();
        let record = |body: &'static str| {
            let (status, headers) = (StatusCode::OK, HeaderMap::new());
            response.record(&Answer { status, headers, body: Bytes::from_static(body.as_bytes()) })
        };
        assert_eq!(record(" [1,2]\n"), Ok(vec![0xF1, 0xF2]));
        for body in ["[1,2],\"other\":3", "[1,2]}", "[1,2],\"other\":{", "", " ", "[1,2] [3]"] {
            let told = record(body).expect_err(body);
            assert!(told.starts_with("expected JSON"), "{body}: {told}");
        }
    }

    #[test]
    fn json_has_many_names() {
        for kind in ["application/json", "Application/JSON; charset=utf-8", "application/problem+json"] {
            assert!(is_json(kind), "{kind}");
        }
        assert!(!is_json("text/html") && !is_json("application/jsonp"));
    }
}
