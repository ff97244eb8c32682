//! One operation of a remote API whose structures have data areas: what programs give by the Host API becomes path,
//! query, headers and body, and an answer becomes the structure that has all responses.
//!
//! The structures are those of z/OS Connect 3.0: a request has a member for each kind of parameter and one for the body,
//! a response has a member for each status. Records and areas are the crate `channel`'s.

use std::collections::BTreeMap;

use bytes::Bytes;
use channel::{ErrorKind, Interface, MemberForm};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, Method};
use remote::{Answer, Outgoing, PathTemplate, header_value, push_query};
use serde_json::value::RawValue;
use service::DataArea;

use crate::records::{check_one_value, is_json};
use crate::statuses::ByStatus;
use crate::text::text_of;

/// An operation.
#[derive(Debug)]
pub struct AreaOperation {
    /// How a structure becomes a request.
    pub request: AreaRequest,
    /// The plans for answers, by their statuses.
    pub responses: ByStatus<AreaResponse>,
    /// The structure of all responses; none if no status has a body.
    pub response_structure: Option<Interface>,
}

/// How a structure becomes a request.
#[derive(Debug)]
pub struct AreaRequest {
    /// The method.
    pub method: Method,
    /// The path, with the base path in front.
    pub path: PathTemplate,
    /// For each parameter of the path, in its order.
    pub path_members: Vec<MemberPath>,
    /// Parameters that are always the same, as `?name=value`; empty for none.
    pub query: String,
    /// Query parameters that members of the structure give.
    pub query_members: Vec<AreaParameter<String>>,
    /// Headers that are always the same, the content type and what is accepted among them.
    pub headers: HeaderMap,
    /// Headers that members of the structure give.
    pub header_members: Vec<AreaParameter<HeaderName>>,
    /// The member that is the body; none without a body.
    pub body: Option<String>,
    /// Whether the request may be sent twice.
    pub idempotent: bool,
    /// The structure; none if the operation takes none.
    pub structure: Option<Interface>,
}

/// A single value in the JSON of a structure: the names of the members that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberPath(pub Vec<String>);

/// A member that becomes a query parameter or a header.
#[derive(Debug)]
pub struct AreaParameter<N> {
    /// The parameter's name.
    pub name: N,
    /// The member that gives its value.
    pub member: MemberPath,
    /// A missing member is a fault; else it is left out.
    pub required: bool,
}

/// The plan for answers of some statuses.
#[derive(Debug)]
pub struct AreaResponse {
    /// The member that the body is; none if it is passed over.
    pub member: Option<String>,
}

type Members<'j> = BTreeMap<String, &'j RawValue>;

impl AreaOperation {
    /// True if its structures name data areas, which only the Host API gives and takes.
    pub fn has_data_areas(&self) -> bool {
        let structures = self.request.structure.iter().chain(&self.response_structure);
        structures.into_iter().any(Interface::has_data_areas)
    }

    /// The request of a structure and its data areas.
    ///
    /// # Errors
    /// They do not fit the operation's structure, or a parameter that must be there is not.
    pub fn outgoing(&self, record: Vec<u8>, areas: Vec<DataArea>) -> Result<Outgoing, String> {
        let request = &self.request;
        let mut json = Vec::new();
        match (&request.structure, areas.first()) {
            (Some(structure), _) => {
                structure.record_to_json(record, areas, &mut json).map_err(|error| error.to_string())?;
            }
            (None, Some(area)) => {
                return Err(format!("the operation takes no data areas, found {}", area.name));
            }
            (None, None) if record.is_empty() => json.extend_from_slice(b"{}"),
            (None, None) => {
                return Err(format!("the operation takes no structure, found {} bytes", record.len()));
            }
        }
        request.outgoing(&Bytes::from(json))
    }

    /// The structure of an answer, and its data areas.
    ///
    /// # Errors
    /// The body is not JSON, does not fit the structure, or is more than programs can get.
    pub fn incoming(&self, plan: &AreaResponse, answer: &Answer) -> Result<(Vec<u8>, Vec<DataArea>), Misfit> {
        let Some(structure) = &self.response_structure else { return Ok((Vec::new(), Vec::new())) };
        let wrapped = match &plan.member {
            // The structure says so: X-existence, or X-num, is 0.
            Some(member) if !answer.body.is_empty() => Wrapped::new(member, answer, structure)?,
            _ => Wrapped { json: b"{}".to_vec(), columns: None },
        };
        structure.to_record(&wrapped.json).map_err(|error| Misfit {
            is_too_large: error.kind == ErrorKind::TooLarge,
            message: wrapped.told(error),
        })
    }
}

/// Why an answer does not become a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// It is more than programs can get.
    pub is_too_large: bool,
    pub message: String,
}

impl From<String> for Misfit {
    fn from(message: String) -> Self {
        Self { is_too_large: false, message }
    }
}

/// A body as the one member of an object.
struct Wrapped {
    json: Vec<u8>,
    /// The columns in front of the body; none if the places of the JSON are not those of the body.
    columns: Option<usize>,
}

impl Wrapped {
    /// A body of JSON as it is; another one as a text, if the member is a single value.
    fn new(member: &str, answer: &Answer, structure: &Interface) -> Result<Self, String> {
        let mut json = b"{".to_vec();
        record::write_string(member, &mut json);
        json.push(b':');
        let columns = String::from_utf8_lossy(&json).chars().count();
        let kind = answer.headers.get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
        let is_text = match kind {
            Some(kind) if !is_json(kind) => match structure.member(&[member]) {
                Some(MemberForm::Single) => true,
                _ => return Err(format!("expected JSON, found the content type '{}'", kind.escape_debug())),
            },
            _ => false,
        };
        if is_text {
            let text = text_of(kind.unwrap_or_default(), &answer.body)?;
            record::write_string(&text, &mut json);
        } else {
            check_one_value(&answer.body)?;
            json.extend_from_slice(&answer.body);
        }
        json.push(b'}');
        Ok(Self { json, columns: (!is_text).then_some(columns) })
    }

    /// An error, with its place in the body.
    fn told(&self, mut error: channel::Error) -> String {
        error.position = match (error.position, self.columns) {
            (Some((1, column)), Some(columns)) => Some((1, column.saturating_sub(columns).max(1))),
            (position, Some(_)) => position,
            (_, None) => None,
        };
        error.to_string()
    }
}

impl AreaRequest {
    /// The request of a structure's JSON; the body is a part of it.
    fn outgoing(&self, json: &Bytes) -> Result<Outgoing, String> {
        let members: &Members<'_> = &serde_json::from_slice(json).map_err(|error| error.to_string())?;
        let mut target = String::new();
        let mut headers = self.headers.clone();
        let mut values = Vec::with_capacity(self.path_members.len());
        for member in &self.path_members {
            // An empty value is a fault of the path's.
            values.push(member.value(members)?.unwrap_or_default());
        }
        self.path.fill(values.iter().map(String::as_str), &mut target).map_err(|error| error.to_string())?;
        target.push_str(&self.query);
        for parameter in &self.query_members {
            if let Some(value) = parameter.value(members)? {
                push_query(&mut target, &parameter.name, &value).map_err(|error| error.to_string())?;
            }
        }
        for parameter in &self.header_members {
            if let Some(value) = parameter.value(members)? {
                let value = header_value(&value)
                    .map_err(|error| format!("the header {}: {error}", parameter.name))?;
                headers.insert(parameter.name.clone(), value);
            }
        }
        let body = self.body.as_deref().and_then(|name| members.get(name));
        let body = match body {
            Some(body) => json.slice_ref(body.get().as_bytes()),
            None => {
                headers.remove(CONTENT_TYPE);
                Bytes::new()
            }
        };
        Ok(Outgoing { method: self.method.clone(), target, headers, body, idempotent: self.idempotent })
    }
}

impl MemberPath {
    /// The value as a parameter has it; none if a member is missing or null.
    fn value(&self, members: &Members<'_>) -> Result<Option<String>, String> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(None) };
        let Some(mut value) = members.get(first.as_str()).copied() else { return Ok(None) };
        for name in rest {
            let inner: Members<'_> =
                serde_json::from_str(value.get()).map_err(|error| format!("{self}: {error}"))?;
            match inner.get(name.as_str()) {
                Some(found) => value = found,
                None => return Ok(None),
            }
        }
        match value.get() {
            "null" => Ok(None),
            text if text.starts_with('"') => {
                serde_json::from_str(text).map(Some).map_err(|error| format!("{self}: {error}"))
            }
            text => Ok(Some(text.to_owned())),
        }
    }
}

impl std::fmt::Display for MemberPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("/"))
    }
}

impl<N: std::fmt::Display> AreaParameter<N> {
    fn value(&self, members: &Members<'_>) -> Result<Option<String>, String> {
        match self.member.value(members)? {
            None if self.required => {
                Err(format!("{} is missing, and is required as {}", self.member, self.name))
            }
            value => Ok(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use channel::{Options, Side};
    use http::{HeaderValue, StatusCode};

    use super::*;
    use crate::statuses::Statuses;

    const SCHEMA: &str = r#"{"type": "object", "required": ["q"], "properties": {
        "q": {"type": "object", "required": ["id"], "properties": {
            "id": {"type": "integer", "minimum": 0, "maximum": 999},
            "lang": {"type": "string", "maxLength": 9},
            "deep": {"type": "boolean"}}},
        "body": {"type": "array", "items": {"type": "boolean"}}}}"#;

    const RESPONSES: &str = r#"{"type": "object", "properties": {
        "body": {"type": "array", "items": {"type": "boolean"}},
        "other": {"type": "array", "items": {"type": "boolean"}},
        "text": {"type": "string", "maxLength": 9}}}"#;

    fn structure(side: Side) -> Interface {
        let encoding = codepage::Encoding::by_ccsid(819).expect("CCSID 819");
        let schema = if side == Side::Request { SCHEMA } else { RESPONSES };
        Interface::compile_record(schema, side, &Options::host_api(encoding)).expect("a schema")
    }

    fn member(names: &[&str]) -> MemberPath {
        MemberPath(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn operation(required: bool) -> AreaOperation {
        let content_type = HeaderValue::from_static("application/json");
        let request = AreaRequest {
            method: Method::PUT,
            path: PathTemplate::parse("/things/{id}").expect("a path"),
            path_members: vec![member(&["q", "id"])],
            query: "?always=1".to_owned(),
            query_members: vec![AreaParameter {
                name: "lang".to_owned(),
                member: member(&["q", "lang"]),
                required,
            }],
            headers: HeaderMap::from_iter([(CONTENT_TYPE, content_type)]),
            header_members: vec![AreaParameter {
                name: HeaderName::from_static("x-deep"),
                member: member(&["q", "deep"]),
                required: false,
            }],
            body: Some("body".to_owned()),
            idempotent: true,
            structure: Some(structure(Side::Request)),
        };
        let mut responses = ByStatus::default();
        for (status, member) in [(200, Some("body")), (204, None), (500, Some("text"))] {
            let response = AreaResponse { member: member.map(str::to_owned) };
            assert!(responses.add(Statuses::One(status), response));
        }
        AreaOperation { request, responses, response_structure: Some(structure(Side::Response)) }
    }

    fn sent(required: bool, json: &str) -> Result<Outgoing, String> {
        let (record, areas) = structure(Side::Request).to_record(json.as_bytes()).expect("it fits");
        operation(required).outgoing(record, areas)
    }

    #[test]
    fn members_become_parameters_and_the_body() {
        let json = r#"{"q":{"id":7,"lang":"a b&\u00e9","deep":true},"body":[true,false]}"#;
        let found = sent(true, json).expect("a request");
        assert_eq!(found.target, "/things/7?always=1&lang=a%20b%26%C3%A9");
        assert_eq!(found.headers.get("x-deep"), Some(&HeaderValue::from_static("true")));
        assert_eq!(&found.body[..], b"[true,false]");
    }

    #[test]
    fn what_is_missing_is_left_out_unless_it_is_required() {
        let found = sent(false, r#"{"q":{"id":7}}"#).expect("a request");
        assert_eq!((found.target.as_str(), found.headers.len()), ("/things/7?always=1", 0));
        assert!(found.body.is_empty());
        let refused = sent(true, r#"{"q":{"id":7}}"#).expect_err("no lang");
        assert_eq!(refused, "q/lang is missing, and is required as lang");
    }

    #[test]
    fn an_operation_without_a_structure_takes_nothing() {
        let mut operation = operation(false);
        (operation.request.structure, operation.response_structure) = (None, None);
        let area = DataArea { name: "LINES".to_owned(), element_bytes: 1, bytes: vec![1] };
        let refused = operation.outgoing(Vec::new(), vec![area]).expect_err("an area");
        assert_eq!(refused, "the operation takes no data areas, found LINES");
        let refused = operation.outgoing(b"lost".to_vec(), Vec::new()).expect_err("a record");
        assert_eq!(refused, "the operation takes no structure, found 4 bytes");
        let answer = Answer {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Bytes::from_static(b"passed over"),
        };
        let plan = operation.responses.fit(answer.status).expect("a response");
        assert_eq!(operation.incoming(plan, &answer), Ok((Vec::new(), Vec::new())));
        assert!(operation.responses.fit(StatusCode::IM_A_TEAPOT).is_none());
    }

    /// The JSON of the structure that an answer becomes.
    fn taken(status: u16, kind: Option<&'static str>, body: &'static [u8]) -> Result<String, String> {
        let operation = operation(false);
        let status = StatusCode::from_u16(status).expect("a status");
        let kind = kind.map(|kind| (CONTENT_TYPE, HeaderValue::from_static(kind)));
        let answer = Answer { status, headers: kind.into_iter().collect(), body: Bytes::from_static(body) };
        let plan = operation.responses.fit(status).expect("a response");
        let (record, areas) = operation.incoming(plan, &answer).map_err(|misfit| misfit.message)?;
        let mut json = Vec::new();
        structure(Side::Response).record_to_json(record, areas, &mut json).expect("it was made so");
        Ok(String::from_utf8(json).expect("UTF-8"))
    }

    #[test]
    fn a_body_that_is_not_json_is_a_text() {
        let text = |kind, body| taken(500, Some(kind), body);
        assert_eq!(text("text/plain", b"\"a\"\n"), Ok(r#"{"text":"\"a\"\n"}"#.to_owned()));
        assert_eq!(text("text/plain; charset=iso-8859-1", b"\xFC"), Ok(r#"{"text":"ü"}"#.to_owned()));
        assert_eq!(text("application/json", b"\"a\""), Ok(r#"{"text":"a"}"#.to_owned()));
        assert_eq!(text("text/plain", b""), Ok("{}".to_owned()));
        let long = text("text/plain", b"0123456789").expect_err("too long");
        assert_eq!(long, "text: expected text of at most 9 characters, found 10");
        assert!(text("text/plain", b"\xFC").is_err(), "it is no UTF-8");
        assert!(text("text/plain; charset=klingon", b"a").expect_err("not known").contains("klingon"));
        let array = taken(200, Some("text/html"), b"[true]").expect_err("an array is no text");
        assert_eq!(array, "expected JSON, found the content type 'text/html'");
    }

    #[test]
    fn places_in_errors_are_those_of_the_body() {
        let place = |body| taken(200, None, body).expect_err("a fault");
        assert!(place(b"[true,7]").ends_with("(line 1, column 7)"), "{}", place(b"[true,7]"));
        assert!(place(b"\n [true,\n7]").ends_with("(line 3, column 1)"), "{}", place(b"\n [true,\n7]"));
        assert!(place(b"[true,]").ends_with("line 1 column 7"), "{}", place(b"[true,]"));
    }

    #[test]
    fn a_body_is_one_value() {
        let taken = |status, body: &'static str| taken(status, None, body.as_bytes());
        assert_eq!(taken(200, " [true] "), Ok(r#"{"body":[true]}"#.to_owned()));
        assert_eq!(taken(200, ""), Ok("{}".to_owned()), "no body, and the structure says so");
        assert_eq!(taken(204, "passed over"), Ok("{}".to_owned()));
        for refused in [r#"[true],"other":[true]"#, "[true]}", "nonsense", "{}", "\u{feff}[]"] {
            let found = taken(200, refused);
            assert!(found.is_err(), "{refused}: {found:?}");
        }
    }
}
