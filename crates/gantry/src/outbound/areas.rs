//! One operation of a remote API whose structures have data areas: what programs give by the Host API becomes path,
//! query, headers and body, and an answer becomes the structure that has all responses.
//!
//! The structures are those of z/OS Connect 3.0: a request has a member for each kind of parameter and one for the body,
//! a response has a member for each status. Records and areas are the crate `channel`'s.

use std::collections::BTreeMap;

use bytes::Bytes;
use channel::Interface;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, Method, StatusCode};
use requester::{Answer, Outgoing, PathTemplate, header_value, push_query};
use serde_json::value::RawValue;
use service::DataArea;

use super::operation::{Statuses, is_json};

/// An operation.
#[derive(Debug)]
pub(crate) struct AreaOperation {
    pub(crate) request: AreaRequest,
    pub(crate) responses: Vec<AreaResponse>,
    /// The structure of all responses; none if no status has a body.
    pub(crate) response: Option<Interface>,
}

/// How a structure becomes a request.
#[derive(Debug)]
pub(crate) struct AreaRequest {
    pub(crate) method: Method,
    pub(crate) path: PathTemplate,
    /// For each parameter of the path, in its order.
    pub(crate) path_members: Vec<MemberPath>,
    /// Parameters that are always the same, as `?name=value`; empty for none.
    pub(crate) query: String,
    pub(crate) query_members: Vec<AreaParameter<String>>,
    /// Headers that are always the same, the content type and what is accepted among them.
    pub(crate) headers: HeaderMap,
    pub(crate) header_members: Vec<AreaParameter<HeaderName>>,
    /// The member that is the body; none if nothing is.
    pub(crate) body: Option<String>,
    pub(crate) idempotent: bool,
    /// The structure; none if the operation takes none.
    pub(crate) structure: Option<Interface>,
}

/// A single value in the JSON of a structure: the names of the members that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberPath(pub(crate) Vec<String>);

/// A member that becomes a query parameter or a header.
#[derive(Debug)]
pub(crate) struct AreaParameter<N> {
    pub(crate) name: N,
    pub(crate) member: MemberPath,
    /// A missing member is a fault; else it is left out.
    pub(crate) required: bool,
}

/// What becomes of answers of some statuses.
#[derive(Debug)]
pub(crate) struct AreaResponse {
    pub(crate) statuses: Statuses,
    /// The member that the body is; none if it is passed over.
    pub(crate) member: Option<String>,
}

type Members<'j> = BTreeMap<String, &'j RawValue>;

impl AreaOperation {
    /// The request of a structure and its data areas.
    ///
    /// # Errors
    /// They do not fit the operation's structure, or a parameter that must be there is not.
    pub(crate) fn outgoing(&self, record: Vec<u8>, areas: Vec<DataArea>) -> Result<Outgoing, String> {
        let request = &self.request;
        let mut json = b"{}".to_vec();
        match &request.structure {
            Some(structure) => {
                json.clear();
                let read = structure.record_to_json(record, areas, &mut json);
                read.map_err(|error| error.to_string())?;
            }
            None if areas.is_empty() => {}
            None => return Err(format!("the operation takes no data areas, found {}", areas[0].name)),
        }
        let members: Members<'_> = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        request.outgoing(&members)
    }

    /// What becomes of answers with a status; none if it is not among the operation's.
    pub(crate) fn response(&self, status: StatusCode) -> Option<&AreaResponse> {
        let fits = self.responses.iter().filter_map(|plan| Some((plan.statuses.fit(status)?, plan)));
        fits.max_by_key(|(fit, _)| *fit).map(|(_, plan)| plan)
    }

    /// The structure of an answer, and its data areas.
    ///
    /// # Errors
    /// The body is no JSON, or does not fit the structure.
    pub(crate) fn incoming(
        &self,
        plan: &AreaResponse,
        answer: &Answer,
    ) -> Result<(Vec<u8>, Vec<DataArea>), String> {
        let Some(structure) = &self.response else { return Ok((Vec::new(), Vec::new())) };
        let json = match &plan.member {
            // The structure says so: X-existence, or X-num, is 0.
            Some(member) if !answer.body.is_empty() => around(member, answer)?,
            _ => b"{}".to_vec(),
        };
        structure.to_record(&json).map_err(|error| error.to_string())
    }
}

/// The body as a member of an object.
fn around(member: &str, answer: &Answer) -> Result<Vec<u8>, String> {
    let kind = answer.headers.get(CONTENT_TYPE).map(|kind| kind.to_str().unwrap_or_default());
    if let Some(kind) = kind
        && !is_json(kind)
    {
        return Err(format!("expected JSON, found the content type '{}'", kind.escape_debug()));
    }
    // One value and nothing behind it, so that no body can bring another member.
    let body: &RawValue =
        serde_json::from_slice(&answer.body).map_err(|error| format!("expected JSON: {error}"))?;
    let mut json = b"{".to_vec();
    record::write_string(member, &mut json);
    json.push(b':');
    json.extend_from_slice(body.get().as_bytes());
    json.push(b'}');
    Ok(json)
}

impl AreaRequest {
    fn outgoing(&self, members: &Members<'_>) -> Result<Outgoing, String> {
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
            Some(body) => Bytes::copy_from_slice(body.get().as_bytes()),
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
    use http::HeaderValue;

    use super::*;

    const SCHEMA: &str = r#"{"type": "object", "required": ["q"], "properties": {
        "q": {"type": "object", "required": ["id"], "properties": {
            "id": {"type": "integer", "minimum": 0, "maximum": 999},
            "lang": {"type": "string", "maxLength": 9},
            "deep": {"type": "boolean"}}},
        "body": {"type": "array", "items": {"type": "boolean"}}}}"#;

    const RESPONSES: &str = r#"{"type": "object", "properties": {
        "body": {"type": "array", "items": {"type": "boolean"}},
        "other": {"type": "array", "items": {"type": "boolean"}}}}"#;

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
        let one = |status, member: Option<&str>| AreaResponse {
            statuses: Statuses::One(status),
            member: member.map(str::to_owned),
        };
        let responses = vec![one(200, Some("body")), one(204, None)];
        AreaOperation { request, responses, response: Some(structure(Side::Response)) }
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
        (operation.request.structure, operation.response) = (None, None);
        let area = DataArea { name: "LINES".to_owned(), element_bytes: 1, bytes: vec![1] };
        let refused = operation.outgoing(Vec::new(), vec![area]).expect_err("an area");
        assert_eq!(refused, "the operation takes no data areas, found LINES");
        let answer = Answer {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Bytes::from_static(b"passed over"),
        };
        let plan = operation.response(answer.status).expect("a response");
        assert_eq!(operation.incoming(plan, &answer), Ok((Vec::new(), Vec::new())));
        assert!(operation.response(StatusCode::IM_A_TEAPOT).is_none());
    }

    #[test]
    fn a_body_is_one_value() {
        let operation = operation(false);
        let taken = |status: u16, body: &'static str| {
            let status = StatusCode::from_u16(status).expect("a status");
            let answer =
                Answer { status, headers: HeaderMap::new(), body: Bytes::from_static(body.as_bytes()) };
            let plan = operation.response(status).expect("a response");
            let (record, areas) = operation.incoming(plan, &answer)?;
            let mut json = Vec::new();
            structure(Side::Response).record_to_json(record, areas, &mut json).expect("it was made so");
            Ok::<_, String>(String::from_utf8(json).expect("UTF-8"))
        };
        assert_eq!(taken(200, " [true] "), Ok(r#"{"body":[true]}"#.to_owned()));
        assert_eq!(taken(200, ""), Ok("{}".to_owned()), "no body, and the structure says so");
        assert_eq!(taken(204, "passed over"), Ok("{}".to_owned()));
        for refused in [r#"[true],"other":[true]"#, "[true]}", "nonsense", "{}", "\u{feff}[]"] {
            let found = taken(200, refused);
            assert!(found.is_err(), "{refused}: {found:?}");
        }
    }
}
