//! Reads the operations of an OpenAPI document, one after the other.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;

use document::{HOPS_MAX, Node, line_of, target};

use super::messages::{Answered, Body, Content, essence};
use super::{path, reached, request};
use crate::archive::limit;
use crate::draft::LeftOut;
use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::names::check_name;
use crate::requester::{GROUPS, Operation, Response};
use crate::structures::{self, Responses};
use request::{Request, Taken, object};

/// Methods that our operations can have.
const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

/// Methods of OpenAPI that they cannot have.
const METHODS_LEFT_OUT: [&str; 3] = ["head", "options", "trace"];

/// The body whose format no schema describes (RFC 6902).
const JSON_PATCH: &str = "application/json-patch+json";

pub(super) struct Reader<'d> {
    file: &'d str,
    text: &'d str,
    pub(super) root: &'d Node<'d>,
    /// The JSON Schema version of its schemas.
    draft: &'static str,
    /// True for Swagger 2.0.
    pub(super) swagger: bool,
    /// True for the Host API, whose structures have other members than records.
    for_host_api: bool,
    limits: &'d Limits,
    /// The bytes of all schemas so far.
    schema_bytes: Cell<usize>,
}

/// A part of the document. The root's pointer is empty.
pub(super) type Part<'d> = document::Part<'d, 'd>;

/// An operation of the document.
struct Found<'d> {
    path: &'d str,
    method: &'d str,
    item: Part<'d>,
    part: Part<'d>,
}

impl Found<'_> {
    fn name(&self) -> String {
        let made = || {
            let words = self.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.fold(self.method.to_owned(), |name, word| format!("{name}-{word}"))
        };
        self.part.node.get("operationId").and_then(Node::text).map_or_else(made, str::to_owned)
    }
}

impl<'d> Reader<'d> {
    pub(super) fn new(
        file: &'d str,
        text: &'d str,
        root: &'d Node<'d>,
        for_host_api: bool,
        limits: &'d Limits,
    ) -> Result<Self, Fault> {
        let version = |key: &str| root.get(key).and_then(Node::text).unwrap_or_default();
        let swagger = version("swagger") == "2.0";
        if !swagger && !version("openapi").starts_with("3.") {
            let message = "expected a document of OpenAPI 3 or Swagger 2.0";
            return Err(Fault::new(FaultKind::Unknown, file, message));
        }
        let draft = match swagger || version("openapi").starts_with("3.0") {
            true => "http://json-schema.org/draft-04/schema#",
            false => "https://json-schema.org/draft/2020-12/schema",
        };
        Ok(Self { file, text, root, draft, swagger, for_host_api, limits, schema_bytes: Cell::new(0) })
    }

    fn line(&self, part: &Part<'_>) -> usize {
        line_of(self.text, part.node.offset)
    }

    fn fault(&self, part: &Part<'_>, message: impl Into<String>) -> Fault {
        Fault::at(FaultKind::Content, self.file, self.line(part), message)
    }

    pub(super) fn note(&self, notes: &mut Notes, part: &Part<'_>, reason: impl Into<String>) {
        notes.add(self.file, self.line(part), reason);
    }

    /// The target of references.
    pub(super) fn resolved(&self, mut part: Part<'d>) -> Result<Part<'d>, Fault> {
        for _ in 0..HOPS_MAX {
            let Some(reference) = part.node.get("$ref") else { return Ok(part) };
            let found = reference.text().and_then(|text| target(self.root, text).ok());
            let found = found.ok_or_else(|| {
                let found = reference.describe();
                self.fault(&part, format!("{}: {found} does not exist in this document", part.pointer))
            })?;
            part = Part { pointer: found.pointer.replacen('#', "", 1), ..found };
        }
        let message = format!("{}: more than {HOPS_MAX} references one behind the other", part.pointer);
        Err(self.fault(&part, message))
    }

    /// The operations in the order of the document, and those that cannot be imported. They are numbered
    /// together.
    ///
    /// # Errors
    /// Their number, or the bytes of their schemas, are beyond a limit.
    pub(super) fn operations(&self, notes: &mut Notes) -> Result<(Vec<Operation>, Vec<LeftOut>), Fault> {
        let mut left_out = Vec::new();
        let found = self.found(&mut left_out);
        limit("operation_count_max", found.len(), self.limits.operation_count_max, self.file)?;
        let mut operations: Vec<Operation> = Vec::with_capacity(found.len());
        for (number, found) in found.iter().enumerate() {
            let name = found.name();
            let made = match operations.iter().any(|known| known.name == name) {
                true => Err(self.fault(&found.part, "another operation has this operationId")),
                false => self.operation(number, &name, found, notes),
            };
            // Each one has all targets of its references, which may be the same for all.
            limit("unpacked_max_bytes", self.schema_bytes.get(), self.limits.unpacked_max_bytes, self.file)?;
            match made {
                Ok(operation) => operations.push(operation),
                Err(fault) => left_out.push(LeftOut { operation: name, faults: vec![fault] }),
            }
        }
        Ok((operations, left_out))
    }

    fn found(&self, left_out: &mut Vec<LeftOut>) -> Vec<Found<'d>> {
        let mut found = Vec::new();
        let paths = Part { node: self.root, pointer: String::new() }.member("paths");
        for (path, item) in paths.iter().flat_map(Part::members).filter(|(path, _)| !path.starts_with("x-")) {
            let item = match self.resolved(item) {
                Ok(item) => item,
                Err(fault) => {
                    left_out.push(LeftOut { operation: path.to_owned(), faults: vec![fault] });
                    continue;
                }
            };
            for (method, part) in item.members().filter(|(_, part)| part.node.is_object()) {
                let operation = Found { path, method, item: item.clone(), part };
                if METHODS.contains(&method) {
                    found.push(operation);
                } else if METHODS_LEFT_OUT.contains(&method) {
                    let fault = self.fault(&operation.part, format!("the method {method} is not called"));
                    left_out.push(LeftOut { operation: operation.name(), faults: vec![fault] });
                }
            }
        }
        found
    }

    fn operation(
        &self,
        number: usize,
        name: &str,
        Found { path, method, item, part }: &Found<'d>,
        notes: &mut Notes,
    ) -> Result<Operation, Fault> {
        check_name(name).map_err(|why| self.fault(part, format!("the operationId {why}")))?;
        let in_path = path::parameters(path).map_err(|why| self.fault(part, why))?;
        let mut request = Request::new(if self.for_host_api { &structures::GROUPS } else { &GROUPS });
        for parameter in self.parameters(item, part)? {
            self.parameter(&parameter, part, &in_path, &mut request, notes)?;
        }
        if let Some(missing) = in_path.iter().find(|name| !request.in_path().any(|known| known == **name)) {
            return Err(
                self.fault(part, format!("the path has '{{{missing}}}', and no parameter is of this name"))
            );
        }
        if let Some(body) = part.member("requestBody") {
            let body = self.resolved(body)?;
            let required = body.node.get("required").is_some_and(Node::is_true);
            self.request_body(self.body(&body), &body, required, &mut request)?;
        }
        let answered = self.answered(part, notes)?;
        let (responses, response) = match self.for_host_api {
            false => (self.responses(answered, name, notes), None),
            true => (Vec::new(), Some(self.response(answered, part, notes))),
        };
        Ok(Operation {
            file: self.file.to_owned(),
            line: self.line(part),
            number,
            name: name.to_owned(),
            method: method.to_ascii_uppercase(),
            path: (*path).to_owned(),
            request: request.schema(self.for_host_api).map(|schema| self.document_of(&schema)),
            moves: request.moves(),
            body: request.body_member().map(str::to_owned),
            media_type: request.body.map(|body| body.media_type),
            responses,
            response,
        })
    }

    /// The text of a schema, with the targets of its references in the document beside it.
    fn document_of(&self, schema: &str) -> String {
        let alone = format!("{{{schema}}}");
        let around = document::read(&alone).map(|schema| reached::members(self.root, &schema));
        // A text that is made of the document's parts is JSON.
        let text = format!(r#"{{"$schema":"{}",{schema}{}}}"#, self.draft, around.unwrap_or_default());
        self.schema_bytes.set(self.schema_bytes.get().saturating_add(text.len()));
        text
    }

    /// The parameters of an operation, then those of its path that it does not override.
    fn parameters(&self, item: &Part<'d>, operation: &Part<'d>) -> Result<Vec<Part<'d>>, Fault> {
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        for owner in [operation, item] {
            let Some(list) = owner.member("parameters") else { continue };
            for element in list.elements() {
                let part = self.resolved(element)?;
                let text = |key| part.node.get(key).and_then(Node::text);
                let (name, place) = (text("name"), text("in"));
                // In any case of letters, they are one header.
                let name = match place {
                    Some("header") => name.map(|name| Cow::Owned(name.to_ascii_lowercase())),
                    _ => name.map(Cow::Borrowed),
                };
                if known.insert((name, place)) {
                    found.push(part);
                    let most = self.limits.parameter_count_max;
                    limit("parameter_count_max", found.len(), most, self.file)?;
                }
            }
        }
        Ok(found)
    }

    fn parameter(
        &self,
        part: &Part<'d>,
        operation: &Part<'d>,
        in_path: &[&str],
        request: &mut Request<'d>,
        notes: &mut Notes,
    ) -> Result<(), Fault> {
        let text = |key: &str| part.node.get(key).and_then(Node::text).unwrap_or_default();
        let (name, place) = (text("name"), text("in"));
        if place == "body" {
            let required = part.node.get("required").is_some_and(Node::is_true);
            return self.request_body(
                self.swagger_body(operation, "consumes", part),
                part,
                required,
                request,
            );
        }
        let taken = if place == "path" && !in_path.contains(&name) {
            Ok(Taken::LeftOut("the path does not have it"))
        } else {
            let schema = part.member("schema").map(|schema| self.resolved(schema)).transpose()?;
            request.parameter(part, schema)
        };
        match taken {
            Ok(Taken::Parameter) => {}
            Ok(Taken::LeftOut(why)) => {
                self.note(notes, part, format!("the {place} parameter '{name}' is left out: {why}"));
            }
            Err(why) => return Err(self.fault(part, why)),
        }
        Ok(())
    }

    fn request_body(
        &self,
        body: Body<'d>,
        part: &Part<'d>,
        required: bool,
        request: &mut Request<'d>,
    ) -> Result<(), Fault> {
        let content = match body {
            Body::Known(content) if content.is_json() => content,
            Body::Known(content) => {
                let found = content.media_type.escape_debug();
                return Err(self.fault(part, format!("expected a body of JSON, found {found}")));
            }
            Body::Unknown(kinds) => {
                return Err(
                    self.fault(part, format!("expected the schema of the body ({})", kinds.escape_debug()))
                );
            }
            Body::None => return Err(self.fault(part, "expected the schema of the body, found none")),
        };
        let media_type = content.media_type;
        if self.for_host_api && essence(&media_type) == JSON_PATCH {
            let message =
                format!("a body of {JSON_PATCH} has the format of RFC 6902, which no structure has");
            return Err(self.fault(part, message));
        }
        if !media_type.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return Err(self.fault(part, format!("'{}' is not a media type", media_type.escape_debug())));
        }
        let schema = content.schema.node.json();
        request.body = Some(request::Body { schema, required, media_type });
        Ok(())
    }

    /// One schema with a member for each status whose body has a schema, and the statuses.
    fn response(&self, answered: Vec<Answered<'d>>, operation: &Part<'d>, notes: &mut Notes) -> Responses {
        let (mut members, mut statuses) = (Vec::new(), Vec::new());
        for Answered { status, part, body } in answered {
            let member = structures::response_member(status);
            let has_member = match body {
                Body::None => false,
                Body::Unknown(kinds) => {
                    let why = "has no schema, and is not in the structure";
                    self.note(notes, &part, format!("the body of the response {status} ({kinds}) {why}"));
                    false
                }
                Body::Known(content) => {
                    if !content.is_json() && !self.is_text(&content.schema) {
                        let kind = &content.media_type;
                        let why = "its schema is not text: an answer that is not JSON is refused";
                        self.note(notes, &part, format!("the body of the response {status} ({kind}) {why}"));
                    }
                    members.push((member.clone(), content.schema.node.json()));
                    true
                }
            };
            statuses.push((status.to_ascii_lowercase(), has_member.then_some(member)));
        }
        if statuses.is_empty() {
            let reason = "the operation has no responses: each status 2xx is one without a body";
            self.note(notes, operation, reason);
            statuses.push(("2xx".to_owned(), None));
        }
        let texts = members.iter().map(|(name, schema)| (name.as_str(), schema.as_str()));
        let schema = (!members.is_empty()).then(|| self.document_of(&object(texts, &[])));
        Responses { schema, statuses }
    }

    /// True if a schema itself says that it is for text.
    fn is_text(&self, schema: &Part<'d>) -> bool {
        let resolved = self.resolved(schema.clone());
        resolved.is_ok_and(|schema| schema.node.get("type").and_then(Node::text) == Some("string"))
    }

    /// A schema for each status whose body is JSON.
    fn responses(&self, answered: Vec<Answered<'d>>, operation: &str, notes: &mut Notes) -> Vec<Response> {
        let of = |Answered { status, part, body }: Answered<'d>| {
            let schema = match body {
                Body::Known(content) if content.is_json() => {
                    let body = content.schema.node.json();
                    Some(self.document_of(&object([("RespBody", body.as_str())].into_iter(), &["RespBody"])))
                }
                Body::Known(Content { media_type: kinds, .. }) | Body::Unknown(kinds) => {
                    let why = "is not described as JSON, and passed over";
                    let what = format!("{operation}: the body of the response {status} ({kinds}) {why}");
                    self.note(notes, &part, what);
                    None
                }
                Body::None => None,
            };
            let body = schema.as_ref().map(|_| "RespBody".to_owned());
            Response { status: status.to_ascii_lowercase(), schema, body }
        };
        answered.into_iter().map(of).collect()
    }
}
