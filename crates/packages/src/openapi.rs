//! An OpenAPI 3 or Swagger 2.0 document as an API requester: each operation with what it takes and answers.
//!
//! The parts of a request become groups of one schema (`ReqPathParameters`, `ReqQueryParameters`, `ReqHeaders`,
//! `ReqBody`), as in API requester archives. Schemas of bodies are referred to in the document itself, which stands
//! around them, so that the order of their members stays and their references lead where they led.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::names::check_name;
use crate::requester::{GROUPS, Operation, Requester, Response};
use crate::{Given, Package, PackageKind, json as parser, requester, structures};

/// What the document does not say of the requester.
#[derive(Clone, Debug)]
pub struct RequesterChoices {
    /// The requester's name.
    pub name: String,
    /// The name of its connection.
    pub connection: String,
    /// The page of its records.
    pub ccsid: u16,
    /// How programs call it.
    pub programs: ProgramInterface,
}

/// What programs give to an API requester and take from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProgramInterface {
    /// A record for the request and one for each response, without anything beside them.
    #[default]
    Records,
    /// The structures of z/OS Connect 3.0, with data areas for arrays and responses: for the Host API.
    HostApi(HostApiChoices),
}

/// How structures for the Host API are made: the options of z/OS Connect's build, in whose `options.yaml` they are called
/// requesterPrefix, defaultCharacterMaxLength, defaultFractionDigits and inlineMaxOccursLimit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostApiChoices {
    /// How the names of copybooks begin, 1 to 3 letters or digits.
    pub prefix: String,
    /// The characters of text without `maxLength`.
    pub default_character_max_length: u64,
    /// The decimal places of decimal numbers without `multipleOf`.
    pub default_fraction_digits: u8,
    /// The most elements of an array that is a table, and not in a data area.
    pub inline_max_occurs: u64,
}

impl Default for HostApiChoices {
    fn default() -> Self {
        let (default_character_max_length, default_fraction_digits, inline_max_occurs) = (255, 2, 1);
        let prefix = "API".to_owned();
        Self { prefix, default_character_max_length, default_fraction_digits, inline_max_occurs }
    }
}

const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

/// How many references may stand one behind the other.
const HOPS_MAX: usize = 10;

/// Members of a parameter of Swagger 2.0 that are no part of its schema.
const NO_SCHEMA: [&str; 6] = ["name", "in", "required", "description", "allowEmptyValue", "collectionFormat"];

/// Makes an API requester of an OpenAPI document, in JSON or YAML.
///
/// # Errors
/// The document cannot be read, or has an operation that no record can be made for.
pub fn read_openapi(
    file: &str,
    bytes: &[u8],
    limits: &Limits,
    choices: &RequesterChoices,
) -> Result<Package, Vec<Fault>> {
    let one = |fault: Fault| vec![fault];
    let fault = |kind, message: String| vec![Fault::new(kind, file, message)];
    check_name(&choices.name)
        .map_err(|why| fault(FaultKind::Content, format!("the requester's name {why}")))?;
    crate::archive::limit("entry_max_bytes", bytes.len(), limits.entry_max_bytes, file).map_err(one)?;
    let text = std::str::from_utf8(bytes)
        .map_err(|error| fault(FaultKind::Syntax, format!("byte {} is not UTF-8", error.valid_up_to())))?;
    let text = text.trim_start_matches('\u{feff}');
    let text = match text.trim_start().starts_with('{') {
        true => text.to_owned(),
        false => crate::json_of_yaml(file, text, limits).map_err(one)?,
    };
    let document = parser::parse(file, &text, limits).map_err(one)?;
    if let ProgramInterface::HostApi(host_api) = &choices.programs {
        structures::check_prefix(&host_api.prefix).map_err(|why| fault(FaultKind::Content, why))?;
    }
    let reader = Reader::new(file, &document, (&text, choices)).map_err(one)?;
    let mut notes = Notes::default();
    let mut operations = Vec::new();
    let mut faults = Vec::new();
    for (path, item) in document["paths"].as_object().into_iter().flatten() {
        for method in METHODS.iter().filter(|method| item.get(**method).is_some()) {
            match reader.operation((path, method), item, &mut notes) {
                Ok(operation) => operations.push(operation),
                Err(fault) => faults.push(fault),
            }
        }
    }
    if operations.is_empty() && faults.is_empty() {
        faults.push(Fault::new(FaultKind::Content, file, "the document has no operations"));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let info = |key: &str| document["info"][key].as_str().unwrap_or_default().to_owned();
    let made = Requester {
        name: choices.name.clone(),
        version: info("version"),
        description: info("title"),
        base_path: document["basePath"].as_str().unwrap_or_default().trim_end_matches('/').to_owned(),
        connection: choices.connection.clone(),
        ccsid: choices.ccsid,
        origin: format!("the OpenAPI document {file}"),
        operations,
    };
    let files = match &choices.programs {
        ProgramInterface::Records => requester::write(&made, &Given::default(), &mut notes)?,
        ProgramInterface::HostApi(host_api) => structures::write(&made, host_api, &mut notes)?,
    };
    let Requester { name, version, description, .. } = made;
    let kind = PackageKind::Requester;
    Ok(Package { kind, name, version, description, files, notes: notes.into_list() })
}

struct Reader<'d> {
    file: &'d str,
    document: &'d Value,
    /// The document's members, but for those that would make it something else than a schema.
    around: String,
    /// Swagger 2.0.
    swagger: bool,
    /// It is for the Host API, whose structures have other members than records.
    for_host_api: bool,
    /// The text of each member.
    members: BTreeMap<String, &'d RawValue>,
}

/// A part of the document and where it stands.
#[derive(Clone)]
struct Part<'d> {
    value: &'d Value,
    /// Its JSON Pointer.
    pointer: String,
}

impl<'d> Part<'d> {
    fn get(&self, key: &str) -> Option<Part<'d>> {
        let value = self.value.get(key)?;
        Some(Part { value, pointer: format!("{}/{}", self.pointer, escaped(key)) })
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

impl<'d> Reader<'d> {
    fn new(
        file: &'d str,
        document: &'d Value,
        (text, choices): (&'d str, &RequesterChoices),
    ) -> Result<Self, Fault> {
        let for_host_api = choices.programs != ProgramInterface::Records;
        let version = |key: &str| document[key].as_str().unwrap_or_default();
        let swagger = version("swagger") == "2.0";
        if !swagger && !version("openapi").starts_with("3.") {
            let message = "expected a document of OpenAPI 3 or Swagger 2.0";
            return Err(Fault::new(FaultKind::Unknown, file, message));
        }
        let members: BTreeMap<String, &'d RawValue> = serde_json::from_str(text)
            .map_err(|error| Fault::at(FaultKind::Syntax, file, error.line(), error.to_string()))?;
        let draft = match swagger || version("openapi").starts_with("3.0") {
            true => "http://json-schema.org/draft-04/schema#",
            false => "https://json-schema.org/draft/2020-12/schema",
        };
        let mut around = format!(r#""$schema":"{draft}""#);
        let no_schema = ["openapi", "swagger", "$schema", "type", "properties", "required"];
        // Schemas for the Host API are files, one for each operation: what nothing in them leads to stays out.
        let has_paths = text.contains("\"#/paths/");
        let is_around = |key: &str| match for_host_api {
            false => !no_schema.contains(&key),
            true => matches!(key, "components" | "definitions") || (has_paths && key == "paths"),
        };
        for (key, value) in members.iter().filter(|(key, _)| is_around(key)) {
            let _ = write!(around, ",{}:{}", json!(key), value.get());
        }
        Ok(Self { file, document, around, swagger, for_host_api, members })
    }

    fn fault(&self, message: String) -> Fault {
        Fault::new(FaultKind::Content, self.file, message)
    }

    /// What stands behind references.
    fn resolved(&self, mut part: Part<'d>) -> Result<Part<'d>, Fault> {
        for _ in 0..HOPS_MAX {
            let Some(reference) = part.value.get("$ref") else { return Ok(part) };
            let target = reference.as_str().and_then(|text| text.strip_prefix('#'));
            let found = target.and_then(|pointer| Some((self.document.pointer(pointer)?, pointer)));
            let (value, pointer) = found.ok_or_else(|| {
                self.fault(format!("{}: {reference} leads to no part of this document", part.pointer))
            })?;
            part = Part { value, pointer: pointer.to_owned() };
        }
        Err(self.fault(format!("{}: more than {HOPS_MAX} references one behind the other", part.pointer)))
    }

    fn operation(
        &self,
        (path, method): (&str, &str),
        item: &'d Value,
        notes: &mut Notes,
    ) -> Result<Operation, Fault> {
        let item = Part { value: item, pointer: format!("/paths/{}", escaped(path)) };
        let part = item.get(method).ok_or_else(|| self.fault(format!("{path} has no {method}")))?;
        let name = part.value["operationId"].as_str().map_or_else(|| made_name(method, path), str::to_owned);
        check_name(&name).map_err(|why| self.fault(format!("{}: the operationId {why}", part.pointer)))?;
        let mut request = Request::default();
        for parameter in self.parameters(&item, &part)? {
            self.parameter(&parameter, &mut request, notes)?;
        }
        if let Some(body) = part.get("requestBody") {
            let body = self.resolved(body)?;
            let required = body.value["required"] == true;
            match self.json_schema(&body) {
                Some(schema) => request.body(&schema, required),
                None => return Err(self.fault(format!("{}: expected a body of JSON", body.pointer))),
            }
        }
        let body = request.body.is_some().then(|| self.groups()[3].0.to_owned());
        let (moves, schema) = (std::mem::take(&mut request.moves), self.request_schema(request));
        Ok(Operation {
            file: self.file.to_owned(),
            name,
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            request: schema,
            moves,
            body,
            responses: if self.for_host_api { Vec::new() } else { self.responses(&part)? },
            response: if self.for_host_api { Some(self.response(&part)?) } else { None },
        })
    }

    /// The document with a schema in front of it.
    fn document_of(&self, schema: &str) -> String {
        format!("{{{schema},{}}}", self.around)
    }

    /// The parameters of a path and of an operation, which go before those of the path.
    fn parameters(&self, item: &Part<'d>, operation: &Part<'d>) -> Result<Vec<Part<'d>>, Fault> {
        let mut found: Vec<Part<'d>> = Vec::new();
        for owner in [operation, item] {
            let Some(list) = owner.get("parameters") else { continue };
            for at in 0..list.value.as_array().map_or(0, Vec::len) {
                let value = &list.value[at];
                let part = self.resolved(Part { value, pointer: format!("{}/{at}", list.pointer) })?;
                let same =
                    |known: &Part<'_>| ["name", "in"].iter().all(|key| known.value[key] == part.value[key]);
                if !found.iter().any(same) {
                    found.push(part);
                }
            }
        }
        Ok(found)
    }

    fn parameter(&self, part: &Part<'d>, request: &mut Request, notes: &mut Notes) -> Result<(), Fault> {
        let text = |key: &str| part.value[key].as_str().unwrap_or_default();
        let (name, place) = (text("name"), text("in"));
        let required = part.value["required"] == true || place == "path";
        if place == "body" {
            let schema =
                part.get("schema").ok_or_else(|| self.fault(format!("{}: no schema", part.pointer)))?;
            request.body(&schema.pointer, required);
            return Ok(());
        }
        let schema = match part.get("schema") {
            Some(schema) => self.resolved(schema)?.value.clone(),
            None => Value::Object(
                part.value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .filter(|(key, _)| !NO_SCHEMA.contains(&key.as_str()))
                    .map(|(key, value)| (key.clone(), value.clone()))
                    .collect(),
            ),
        };
        let group = self.groups().iter().find(|(_, known)| *known == place);
        let single = matches!(schema["type"].as_str(), Some("string" | "integer" | "number" | "boolean"));
        // Credentials belong to the connection.
        let own = place == "header" && name.eq_ignore_ascii_case("authorization");
        match group.copied().filter(|_| single && !own && !name.contains('/')) {
            Some((group, _)) => request.parameter((group, place, name), schema, required),
            None if required && !own => {
                let message = format!("the {place} parameter '{name}' is required, and is no single value");
                return Err(self.fault(format!("{}: {message}", part.pointer)));
            }
            None => {
                notes.add(
                    self.file,
                    0,
                    format!("{}: the {place} parameter '{name}' is left out", part.pointer),
                );
            }
        }
        Ok(())
    }

    /// The schema of a request; none if nothing is taken. Structures for the Host API have each of their groups always.
    fn request_schema(&self, request: Request) -> Option<String> {
        let always = self.for_host_api;
        let mut members = Vec::new();
        let mut required = Vec::new();
        for (group, (properties, names)) in request.groups {
            if always || !names.is_empty() {
                required.push(group);
            }
            let mut schema = json!({ "type": "object", "properties": properties });
            if !names.is_empty() {
                schema["required"] = json!(names);
            }
            members.push(format!("{}:{schema}", json!(group)));
        }
        if let Some((pointer, is_required)) = request.body {
            let (name, _) = self.groups()[3];
            members.push(format!("{}:{}", json!(name), self.schema_at(&pointer)));
            if always || is_required {
                required.push(name);
            }
        }
        if members.is_empty() {
            return None;
        }
        let required =
            if required.is_empty() { String::new() } else { format!(r#","required":{}"#, json!(required)) };
        let schema = format!(r#""type":"object","properties":{{{}}}{required}"#, members.join(","));
        Some(self.document_of(&schema))
    }

    /// The place of the schema of a body or response of JSON.
    fn json_schema(&self, message: &Part<'d>) -> Option<String> {
        if self.swagger {
            return message.get("schema").map(|schema| schema.pointer);
        }
        let content = message.get("content")?;
        let kinds = content.value.as_object()?.keys();
        let is_json = |kind: &&String| {
            let kind = kind.split(';').next().unwrap_or_default().trim();
            kind == "application/json" || kind.ends_with("+json") || kind == "*/*"
        };
        let kind = kinds
            .clone()
            .find(|kind| kind.starts_with("application/json"))
            .or(kinds.clone().find(is_json))?;
        content.get(kind)?.get("schema").map(|schema| schema.pointer)
    }

    /// The members of a request's schema, with the places of the parameters in them; the last is the body.
    fn groups(&self) -> &'static [(&'static str, &'static str); 4] {
        if self.for_host_api { &structures::GROUPS } else { &GROUPS }
    }

    /// The schema at a place as a member of another: a reference, or its text where the file is to stand alone.
    fn schema_at(&self, pointer: &str) -> String {
        let text = self.for_host_api.then(|| self.text_at(pointer)).flatten();
        text.map_or_else(|| reference(pointer), str::to_owned)
    }

    /// The text at a place of the document.
    fn text_at(&self, pointer: &str) -> Option<&'d str> {
        let mut names = pointer.strip_prefix('/')?.split('/');
        let mut text = self.members.get(names.next()?)?.get();
        for name in names {
            let name = name.replace("~1", "/").replace("~0", "~");
            text = match text.starts_with('[') {
                true => {
                    serde_json::from_str::<Vec<&RawValue>>(text).ok()?.get(name.parse::<usize>().ok()?)?.get()
                }
                false => serde_json::from_str::<BTreeMap<String, &RawValue>>(text).ok()?.get(&name)?.get(),
            };
        }
        Some(text)
    }

    /// One schema with a member for each status that has a body of JSON, and the statuses. One that has another body is
    /// none of them, so that programs get it as a text.
    fn response(&self, operation: &Part<'d>) -> Result<structures::Responses, Fault> {
        let (mut members, mut statuses) = (Vec::new(), Vec::new());
        let responses = operation.get("responses");
        for status in
            responses.iter().flat_map(|part| part.value.as_object()).flatten().map(|(status, _)| status)
        {
            let Some(part) = responses.as_ref().and_then(|responses| responses.get(status)) else { continue };
            let part = self.resolved(part)?;
            let member = structures::response_member(status);
            match self.json_schema(&part) {
                Some(pointer) => {
                    members.push(format!("{}:{}", json!(member), self.schema_at(&pointer)));
                    statuses.push((status.to_ascii_lowercase(), Some(member)));
                }
                None if part.get("content").is_none() => statuses.push((status.to_ascii_lowercase(), None)),
                None => {}
            }
        }
        let schema = format!(r#""type":"object","properties":{{{}}}"#, members.join(","));
        let schema = (!members.is_empty()).then(|| self.document_of(&schema));
        Ok(structures::Responses { schema, statuses })
    }

    fn responses(&self, operation: &Part<'d>) -> Result<Vec<Response>, Fault> {
        let mut found = Vec::new();
        let Some(responses) = operation.get("responses") else { return Ok(found) };
        for status in responses.value.as_object().into_iter().flatten().map(|(status, _)| status) {
            let Some(part) = responses.get(status) else { continue };
            let part = self.resolved(part)?;
            let schema = self.json_schema(&part).map(|pointer| {
                let member = format!(r#"{{"RespBody":{}}}"#, reference(&pointer));
                self.document_of(&format!(r#""type":"object","required":["RespBody"],"properties":{member}"#))
            });
            let body = schema.as_ref().map(|_| "RespBody".to_owned());
            found.push(Response { status: status.to_ascii_lowercase(), schema, body });
        }
        Ok(found)
    }
}

/// `getItemsById` of GET and `/items/{id}` would be nice; this one is only clear.
fn made_name(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(method.to_owned(), |name, word| format!("{name}-{word}"))
}

fn reference(pointer: &str) -> String {
    json!({ "$ref": format!("#{pointer}") }).to_string()
}

/// What an operation takes, as it is gathered.
#[derive(Default)]
struct Request {
    groups: BTreeMap<&'static str, (Map<String, Value>, Vec<String>)>,
    moves: Vec<(String, String)>,
    /// The place of the body's schema, and whether it is required.
    body: Option<(String, bool)>,
}

impl Request {
    fn body(&mut self, pointer: &str, required: bool) {
        self.body = Some((pointer.to_owned(), required));
    }

    fn parameter(&mut self, (group, place, name): (&'static str, &str, &str), schema: Value, required: bool) {
        let (members, names) = self.groups.entry(group).or_default();
        members.insert(name.to_owned(), schema);
        if required {
            names.push(name.to_owned());
        }
        self.moves.push((format!("{group}/{name}"), format!("{place}.{name}")));
    }
}
