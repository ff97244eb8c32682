//! `gantry new --openapi`: makes an API from its own document. It answers with examples until calls
//! replace them.
//!
//! The data path: the document becomes a contract. `example` makes values from its schemas:
//! answers, and requests to try. The contract judges each value, so no file has a value that the
//! contract would refuse.

use std::path::Path;

use contract::{
    Answer, Contract, Limits, Operation, Options, Problem, RequestParts, SchemaReader, Status, json_content,
};
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::bundle;
use crate::example::Examples;
use crate::sources::NewFiles;
use crate::texts::{ADDRESS, quoted};

/// The result for a document.
pub(crate) struct Made {
    pub(crate) files: NewFiles,
    /// Operations without an answer, each with the reason.
    pub(crate) lacks: Vec<String>,
    /// Requests to try, as commands.
    pub(crate) requests: Vec<String>,
}

/// A request to try.
pub(crate) struct Request {
    /// The path with the base path, and the query.
    target: String,
    /// The parameters in headers.
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

/// What an operation answers until calls replace it.
struct Reply {
    status: u16,
    /// The headers that the document requires, with an example each.
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

/// The most requests that are printed. `requests.http` has all.
const PRINTED_MAX: usize = 3;
/// The most faults that are shown of one document. The others are only counted.
const FAULTS_MAX: usize = 20;

/// Tells the faults of a document, the first of them one by one.
fn told(shown: &str, is_bundled: bool, problems: &[Problem]) -> String {
    let line = |problem: &Problem| if is_bundled { String::new() } else { format!("{}:", problem.line) };
    let lines = problems.iter().take(FAULTS_MAX);
    let mut lines: Vec<String> = lines
        .map(|problem| format!("{shown}:{} {}: {}", line(problem), problem.pointer, problem.message))
        .collect();
    if problems.len() > FAULTS_MAX {
        lines.push(format!("and {} more", problems.len() - FAULTS_MAX));
    }
    lines.join("\n        ")
}

/// Makes the files of an API from a document.
///
/// # Errors
/// The document cannot be read, has faults, or none of its answers has an example.
pub(crate) fn make(name: &str, path: &Path) -> Result<Made, String> {
    let shown = path.display();
    let given = document(path)?;
    let contract = Contract::read(given.json.as_bytes(), &Limits::default())
        .map_err(|problems| told(&shown.to_string(), given.is_bundled, &problems))?;
    let file = given.file;
    let mut made = Made { files: Vec::new(), lacks: Vec::new(), requests: Vec::new() };
    let (mut api, mut requests) = (head(file), String::new());
    let (reader, mut served) = (contract.schema_reader(), 0);
    for operation in contract.operations() {
        let id = operation.id.clone().unwrap_or_else(|| format!("{} {}", operation.method, operation.path));
        if let Some(lack) = no_route(operation).or_else(|| no_json(operation)) {
            made.lacks.push(format!("{id}: {lack}"));
            continue;
        }
        match answer(&contract, &reader, operation) {
            Ok(reply) => {
                served += 1;
                api.push_str(&section(&id, &reply));
            }
            Err(reason) => {
                made.lacks.push(format!("{id}: {reason}"));
                continue;
            }
        }
        match request(&contract, &reader, operation, &|_| true) {
            Some(request) => {
                requests.push_str(&request.text(&id, operation));
                if made.requests.len() < PRINTED_MAX {
                    made.requests.push(request.curl(operation));
                }
            }
            None => {
                requests.push_str(&format!("### {id}: Gantry found no request that fits the document\n\n"))
            }
        }
    }
    if contract.operations().is_empty() {
        return Err(format!("{shown}: the document has no operation"));
    }
    if served == 0 {
        return Err(format!(
            "{shown}: no operation has an answer that Gantry can give: {}",
            made.lacks.join("; ")
        ));
    }
    made.files = vec![
        ("gantry.toml".to_owned(), crate::texts::GANTRY_HEAD.as_bytes().to_vec()),
        (format!("apis/{name}/{file}"), given.bytes),
        (format!("apis/{name}/api.toml"), api.into_bytes()),
        ("requests.http".to_owned(), requests.into_bytes()),
    ];
    Ok(made)
}

/// A document, as it was given or made of its files.
struct Given {
    json: String,
    /// The text of the API's file.
    bytes: Vec<u8>,
    /// The name of the API's file.
    file: &'static str,
    /// True if it was made of several files. Its lines are then unknown to its author.
    is_bundled: bool,
}

fn document(path: &Path) -> Result<Given, String> {
    let (json, bytes, file) = bundle::json_of(path)?;
    let files = bundle::read(path, &json)?;
    if !files.are_several() {
        return Ok(Given { json, bytes, file, is_bundled: false });
    }
    let json = files.bundled()?;
    for outside in files.outside() {
        terminal::aside!("read {}, outside of the folder of the document", outside.display());
    }
    Ok(Given { bytes: json.clone().into_bytes(), json, file: "openapi.json", is_bundled: true })
}

/// The reason if Gantry cannot route the path of an operation: another one is in its place, or a segment of the path has more than one
/// parameter.
fn no_route(operation: &Operation) -> Option<String> {
    if let Some(other) = &operation.hidden_by {
        return Some(format!("{other} takes the same requests"));
    }
    let segment = operation.path.split('/').find(|segment| segment.matches('{').count() > 1)?;
    Some(format!("its path has more than one parameter between two '/': {segment}"))
}

/// Why requests of an operation cannot be taken, if they must have a body that is not JSON.
fn no_json(operation: &Operation) -> Option<String> {
    let body = operation.body.as_ref().filter(|body| body.required)?;
    let found: Vec<&str> = body.content.iter().map(|content| content.media_type.as_str()).collect();
    let is_json = contract::json_content(&body.content).is_some();
    (!is_json).then(|| format!("its request is no JSON, but {}", found.join(", ")))
}

fn head(file: &str) -> String {
    format!(
        "document = {}\n\n# Each operation answers with an example of the document. To ask a service, put [[operation.call]] in front of\n\
         # the reply, and what it answers into the body: docs/guides/contract-first.md\n",
        quoted(file)
    )
}

fn section(id: &str, reply: &Reply) -> String {
    let mut text = format!(
        "\n[[operation]]\noperation = {}\n\n[[operation.reply]]\nstatus = {}\n",
        quoted(id),
        reply.status
    );
    if !reply.headers.is_empty() {
        // An expression that is a text is written as in JSON.
        let expression = |value: &str| quoted(&Value::from(value).to_string());
        let headers =
            reply.headers.iter().map(|(name, value)| format!("{} = {}", quoted(name), expression(value)));
        text.push_str(&format!("headers = {{ {} }}\n", headers.collect::<Vec<_>>().join(", ")));
    }
    if let Some(body) = &reply.body {
        let pretty = written(body);
        // A text of several lines without escapes.
        match pretty.contains("'''") {
            true => text.push_str(&format!("body = {}\n", quoted(&pretty))),
            false => text.push_str(&format!("body = '''\n{pretty}\n'''\n")),
        }
    }
    text
}

/// The text of a body: on several lines, or on one if it is too long otherwise.
fn written(body: &Value) -> String {
    let pretty = serde_json::to_string_pretty(body).unwrap_or_default();
    if is_short(&pretty) { pretty } else { body.to_string() }
}

/// True if a body of a reply may have such a text and a line end.
fn is_short(text: &str) -> bool {
    text.len() < expression::Limits::default().text_max_bytes
}

/// The body, or the body with one element in each array, that a reply may have.
fn within_limit(body: Value) -> Result<Value, String> {
    if is_short(&body.to_string()) {
        return Ok(body);
    }
    let shortened = with_one_of_each(body);
    let bytes = shortened.to_string().len();
    match is_short(&shortened.to_string()) {
        true => Ok(shortened),
        false => {
            let most = expression::Limits::default().text_max_bytes;
            Err(format!("the example of its answer has {bytes} bytes, more than text_max_bytes, {most}"))
        }
    }
}

fn with_one_of_each(value: Value) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().take(1).map(with_one_of_each).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_one_of_each(value))).collect()
        }
        other => other,
    }
}

/// The example of an operation's success.
fn answer(contract: &Contract, reader: &SchemaReader<'_>, operation: &Operation) -> Result<Reply, String> {
    let code = |status: &Status| match status {
        Status::Code(code) => Some(*code),
        Status::Class(class) => Some(u16::from(*class) * 100),
        Status::Default => None,
    };
    let codes = operation.responses.iter().filter_map(|response| code(&response.status));
    // A status below 200 announces an answer; it is none.
    let codes = codes.filter(|code| *code >= 200);
    // Take the first success, or else the first answer.
    let status = codes.min_by_key(|code| (!(200..300).contains(code), *code)).unwrap_or(200);
    let Some(response) = operation.response(status) else {
        return Err("the document has no answer of 200 to 599".to_owned());
    };
    let headers = headers(reader, operation, status)?;
    let status_code = StatusCode::from_u16(status).map_err(|error| error.to_string())?;
    if conversion::has_no_body(status_code) {
        return Ok(Reply { status, headers, body: None });
    }
    let schemas = reader.answers(operation, &[status]);
    let schema = schemas.bodies.first().and_then(Option::as_ref);
    // The document's own examples come first.
    let own = reader.answer_examples(operation, status);
    let own = own.iter().filter_map(|example| serde_json::from_str(example).ok()).map(Some);
    let mut bodies: Vec<Option<Value>> = own.collect();
    bodies.extend(match schema {
        Some(schema) => {
            let examples = Examples::new(schema, &schemas.definitions);
            examples.candidates().map(Some).collect()
        }
        None if response.content.is_empty() => vec![None],
        None if json_content(&response.content).is_some() => {
            vec![Some(Value::Object(serde_json::Map::new()))]
        }
        None => return Err(format!("its answer {status} is no JSON")),
    });
    let header_map = map_of(&headers).ok_or("an example of a header of its answer is no text of a header")?;
    let mut reason = "no example can be made of the schema of its answer".to_owned();
    for body in bodies {
        let body = match body.map(within_limit).transpose() {
            Ok(body) => body,
            Err(long) => {
                reason = long;
                continue;
            }
        };
        let text = body.as_ref().map(Value::to_string).unwrap_or_default();
        let given = Answer { status: status_code, headers: &header_map, body: text.as_bytes() };
        match contract.answer(operation, &given, &Options::default()) {
            Ok(()) => return Ok(Reply { status, headers, body }),
            Err(violations) => {
                if let Some(first) = violations.first() {
                    reason = format!("Gantry found no example that fits its answer {status}: {first}");
                }
            }
        }
    }
    Err(reason)
}

/// The headers that an answer must have, with an example each.
fn headers(
    reader: &SchemaReader<'_>,
    operation: &Operation,
    status: u16,
) -> Result<Vec<(String, String)>, String> {
    let (schemas, definitions) = reader.answer_headers(operation, status);
    let example = |(name, schema): (String, String)| match Examples::new(&schema, &definitions).named(&name) {
        Some(value) => Ok((name, plain(value))),
        None => Err(format!("no example can be made of the header {name} of its answer {status}")),
    };
    schemas.into_iter().map(example).collect()
}

/// The value of a parameter or of a header as text.
fn plain(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn map_of(headers: &[(String, String)]) -> Option<HeaderMap> {
    let pair = |(name, value): &(String, String)| {
        Some((http::HeaderName::try_from(name).ok()?, value.parse().ok()?))
    };
    headers.iter().map(pair).collect()
}

/// A request that the contract accepts, with a body that `is_fit` accepts, too. None if the request
/// does not exist.
pub(crate) fn request(
    contract: &Contract,
    reader: &SchemaReader<'_>,
    operation: &Operation,
    is_fit: &dyn Fn(&Value) -> bool,
) -> Option<Request> {
    let schemas = reader.request(operation);
    let mut path = operation.path.clone();
    let (mut in_path, mut query, mut headers) = (Vec::new(), Vec::new(), Vec::new());
    for (parameter, schema) in operation.parameters.iter().zip(&schemas.parameters) {
        if !parameter.required {
            continue;
        }
        let value = plain(Examples::new(schema, &schemas.definitions).named(&parameter.name)?);
        match parameter.location {
            contract::Location::Path => {
                path =
                    path.replace(&format!("{{{}}}", parameter.name), &percent::escaped(&value).to_string());
                in_path.push((parameter.name.clone(), value));
            }
            contract::Location::Query => {
                query.push(format!("{}={}", percent::escaped(&parameter.name), percent::escaped(&value)));
            }
            contract::Location::Header => headers.push((parameter.name.clone(), value)),
            contract::Location::Cookie => return None,
        }
    }
    let query = query.join("&");
    let map = map_of(&headers)?;
    let pairs: Vec<(&str, &str)> =
        in_path.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let parts = RequestParts { path: &pairs, query: &query, headers: &map };
    contract.parameters(operation, &parts, &Options::default()).ok()?;
    let body = match &schemas.body {
        None => None,
        Some(schema) => {
            let examples = Examples::new(schema, &schemas.definitions);
            let fits = |body: &Value| {
                contract.body(operation, body.to_string().as_bytes(), &Options::default()).is_ok()
                    && is_fit(body)
            };
            let own = reader.request_examples(operation);
            let own = own.iter().filter_map(|example| serde_json::from_str(example).ok());
            Some(own.chain(examples.candidates()).find(fits)?)
        }
    };
    let query = if query.is_empty() { query } else { format!("?{query}") };
    let path = percent::path_escaped(&format!("{}{path}", contract.base_path()));
    Some(Request { target: format!("{path}{query}"), headers, body })
}

impl Request {
    /// The path with the base path, and the query.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    pub(crate) fn body(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    pub(crate) fn text(&self, id: &str, operation: &Operation) -> String {
        let mut lines = format!("### {id}\n{} {ADDRESS}{}\n", operation.method, self.target);
        for (name, value) in &self.headers {
            lines.push_str(&format!("{name}: {value}\n"));
        }
        if let Some(body) = &self.body {
            let pretty = serde_json::to_string_pretty(body).unwrap_or_default();
            lines.push_str(&format!("Content-Type: application/json\n\n{pretty}\n"));
        }
        lines + "\n"
    }

    pub(crate) fn curl(&self, operation: &Operation) -> String {
        let mut words = format!("curl -s -X {}", operation.method);
        for (name, value) in &self.headers {
            words.push_str(&format!(" -H {}", in_shell(&format!("{name}: {value}"))));
        }
        if let Some(body) = &self.body {
            words.push_str(&format!(
                " -H 'Content-Type: application/json' -d {}",
                in_shell(&body.to_string())
            ));
        }
        format!("{words} {}", in_shell(&format!("{ADDRESS}{}", self.target)))
    }
}

/// A text in the form of a shell word. A plain one stays as it is.
pub(crate) fn in_shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "@%+=:,./-_".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}
