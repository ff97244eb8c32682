//! API requesters: archives (`.ara`) become `requester.toml`, and copybooks that are made from their schemas.

mod fitted;

use std::fmt::Write;

use assistant::{Copybook, Diagnostic, Options, Severity, Source};
use serde_json::Value;

use crate::archive::Tree;
use crate::description;
use crate::draft::{Draft, LeftOut, Written};
use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::names::{Words, check_name};
use crate::structures::Responses;
use crate::xml::{self, Element};
use crate::{Described, File, Given, json, toml};

use fitted::{Fitted, fitted};

/// The rows of a table whose array has no `maxItems`.
const ROWS_MAX_DEFAULT: u64 = 100;

/// The default page of records.
pub(crate) const CCSID_DEFAULT: u16 = 37;

/// The page of structures, which is that of programs that Gantry runs.
const CCSID_OF_STRUCTURES: u16 = 819;

/// The most characters of an operation's name in the name of its records, so that a suffix has room.
const RECORD_NAME_MAX: usize = 24;

/// An API requester before it is written.
#[derive(Clone, Debug)]
pub(crate) struct Requester {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) base_path: String,
    pub(crate) connection: String,
    pub(crate) ccsid: u16,
    /// True for an archive of z/OS Connect. Its programs may already have copybooks.
    pub(crate) is_of_archive: bool,
    /// Its source, for a comment.
    pub(crate) origin: String,
    pub(crate) operations: Vec<Operation>,
}

/// One of its operations. Schemas are texts of JSON Schema.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    /// The file, and the line in it (0 for none), for faults.
    pub(crate) file: String,
    pub(crate) line: usize,
    /// Its number in its document, from 0. Operations that are left out count too.
    pub(crate) number: usize,
    pub(crate) name: String,
    pub(crate) method: String,
    pub(crate) path: String,
    /// None if it has no input.
    pub(crate) request: Option<String>,
    /// Members of the request's JSON, and their parameters: `ReqPathParameters/id`, `path.id`.
    pub(crate) moves: Vec<(String, String)>,
    /// The member of the request's JSON that is the body.
    pub(crate) body: Option<String>,
    /// The media type of the body; none for JSON or without a body.
    pub(crate) media_type: Option<String>,
    pub(crate) responses: Vec<Response>,
    /// In place of them, one structure for all responses of a requester for the Host API.
    pub(crate) response: Option<Responses>,
}

/// Its answer with a status.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    /// `200`, `2xx` or `default`.
    pub(crate) status: String,
    /// None if there is only the status.
    pub(crate) schema: Option<String>,
    /// The member of the response's JSON that is the body.
    pub(crate) body: Option<String>,
}

/// Groups of a request's JSON, and their parameters. The last one is the body.
pub(crate) const GROUPS: [(&str, &str); 4] = [
    ("ReqPathParameters", "path"),
    ("ReqQueryParameters", "query"),
    ("ReqHeaders", "header"),
    ("ReqBody", "body"),
];

/// Reads an archive and writes the files that replace it.
pub(crate) fn read(archive: &Described<'_>, notes: &mut Notes) -> Result<Vec<File>, Vec<Fault>> {
    let Described { tree, description, given, limits } = *archive;
    let mut operations = Vec::new();
    let mut faults = Vec::new();
    for (number, operation) in description.operations.iter().enumerate() {
        match of_archive(tree, number, operation, limits, notes) {
            Ok(operation) => operations.push(operation),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let requester = Requester {
        name: description.id.clone(),
        version: description.version.clone(),
        description: description.description.clone(),
        base_path: description.base_path.clone(),
        connection: description.connection.clone().unwrap_or_else(|| description.id.clone()),
        is_of_archive: true,
        ccsid: CCSID_DEFAULT,
        origin: format!("the API requester archive {}", description.id),
        operations,
    };
    let Written { files, left_out } = write(&requester, given, notes);
    // A package that is already deployed is imported as a whole.
    match left_out.is_empty() {
        true => Ok(files),
        false => Err(left_out.into_iter().flat_map(LeftOut::into_faults).collect()),
    }
}

fn of_archive(
    tree: &Tree,
    number: usize,
    operation: &description::Operation,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<Operation, Fault> {
    let wrong = |message: String| Fault::at(FaultKind::Content, description::FILE, operation.line, message);
    let Some(id) = &operation.id else {
        return Err(wrong(format!("{} {} has no operationId", operation.method, operation.path)));
    };
    check_name(id).map_err(|why| wrong(format!("the operationId {why}")))?;
    let request_file = format!("services/{id}/schemas/{id}_request.json");
    let request = if tree.has(&request_file) {
        let schema = json::parse(&request_file, tree.text(&request_file)?, limits)?;
        has_members(&schema).then(|| tree.text(&request_file).map(str::to_owned)).transpose()?
    } else {
        None
    };
    let mut found = Operation {
        file: request_file,
        line: 0,
        number,
        name: id.clone(),
        method: operation.method.clone(),
        path: operation.path.clone(),
        request,
        moves: Vec::new(),
        body: None,
        media_type: None,
        responses: responses(tree, id, limits)?,
        response: None,
    };
    if let Some(mapping) = &operation.mapping {
        mapped(tree, mapping, &mut found, limits, notes)?;
    }
    Ok(found)
}

fn has_members(schema: &Value) -> bool {
    schema["properties"].as_object().is_some_and(|members| !members.is_empty())
}

/// The responses, by the existing schemas.
fn responses(tree: &Tree, id: &str, limits: &Limits) -> Result<Vec<Response>, Fault> {
    let prefix = format!("services/{id}/schemas/{id}_");
    let mut found = Vec::new();
    for path in tree.paths() {
        let Some(status) = path.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix("_response.json"))
        else {
            continue;
        };
        let schema = json::parse(path, tree.text(path)?, limits)?;
        let members = schema["properties"].as_object();
        let body = members.filter(|members| members.contains_key("RespBody")).map(|_| "RespBody".to_owned());
        let schema = has_members(&schema).then(|| tree.text(path).map(str::to_owned)).transpose()?;
        found.push(Response { status: status.to_ascii_lowercase(), schema, body });
    }
    Ok(found)
}

/// Reads the targets of the request's members.
fn mapped(
    tree: &Tree,
    mapping: &str,
    operation: &mut Operation,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<(), Fault> {
    let root = xml::parse(mapping, tree.text(mapping)?, limits)?;
    let model = root.child("requestMessage").and_then(|request| request.child("mappingRootModel"));
    let Some(location) = model.and_then(|model| model.filled("location")) else { return Ok(()) };
    let location = location.replace('\\', "/");
    let map = xml::parse(&location, tree.text(&location)?, limits)?;
    let steps = map.all("mappingDeclaration").flat_map(|declaration| &declaration.children);
    for step in steps.filter(|step| !matches!(step.name.as_str(), "input" | "output" | "task")) {
        let end = |side: &str| step.child(side).and_then(|end| end.filled("path"));
        match (step.name.as_str(), end("input"), end("output")) {
            ("passthrough", Some(from), Some("Body")) => operation.body = Some(from.to_owned()),
            ("move", Some(from), Some(to)) => match parameter(to) {
                Some(to) => operation.moves.push((from.to_owned(), to)),
                None => unknown(&location, step, notes),
            },
            _ => unknown(&location, step, notes),
        }
    }
    Ok(())
}

/// `PathParameters/id` as `path.id`.
fn parameter(to: &str) -> Option<String> {
    let (group, name) = to.split_once('/')?;
    let place = match group {
        "PathParameters" => "path",
        "QueryParameters" => "query",
        "Headers" => "header",
        _ => return None,
    };
    Some(format!("{place}.{name}"))
}

fn unknown(file: &str, step: &Element, notes: &mut Notes) {
    notes.add(file, step.line, format!("<{}> of a request is unknown and not imported", step.name));
}

/// Writes the requester's file and its copybooks.
pub(crate) fn write(requester: &Requester, given: &Given, notes: &mut Notes) -> Written {
    let fits: Vec<_> = requester.operations.iter().map(|operation| fitted(operation, given)).collect();
    let structures = fits.iter().find_map(|fit| *fit.as_ref().ok()?);
    let own;
    let requester = match structures {
        // Structures are for programs that Gantry runs.
        Some(_) => {
            own = Requester { ccsid: CCSID_OF_STRUCTURES, ..requester.clone() };
            &own
        }
        None => requester,
    };
    let mut draft = Draft::new(requester, notes);
    if let Some(structures) = structures {
        let Fitted { inline_max_occurs, synchronized_floats } = structures;
        let _ = writeln!(draft.out, "\n[structures]\ninline_max_occurs = {inline_max_occurs}");
        let _ = writeln!(draft.out, "synchronized_floats = {synchronized_floats}");
        // A schema that does not forbid further members allows them, and APIs grow over time.
        let _ = writeln!(draft.out, "unknown_fields = \"ignore\"");
    }
    for (operation, fit) in requester.operations.iter().zip(fits) {
        draft.operation(operation, |draft| {
            let mut writer = Writer { draft, given };
            match (fit?, structures) {
                (Some(own), Some(all)) if own == all => writer.structures(operation),
                (Some(_), _) => Err(vec![Fault::new(
                    FaultKind::Content,
                    &operation.file,
                    "arrays of its copybooks are laid out in another way than those of operations before it",
                )]),
                (None, _) => writer.operation(operation),
            }
        });
    }
    let connection = &requester.connection;
    let copybooks = match requester.is_of_archive {
        true => {
            "the copybooks are made of the schemas, for programs that Gantry runs; for programs that have copybooks of z/OS \
             Connect already, give those (--copybook OPERATION.REQUEST=FILE, OPERATION.RESPONSE=FILE): import says whether \
             they fit"
        }
        false => "the copybooks are made of the schemas, for programs that Gantry runs",
    };
    draft.finish(&[
        copybooks,
        &format!("where the API is: the url of the connection {connection} says it (connections/{connection}.toml, or [connections] of gantry.toml)"),
    ])
}

/// The path of the requester's file.
pub(crate) fn file_path(requester: &Requester) -> String {
    format!("requesters/{}/requester.toml", requester.name)
}

/// The text before the operations.
pub(crate) fn head(requester: &Requester, out: &mut String) {
    toml::comment(out, &format!("Made of {}.", requester.origin));
    for (key, value) in [
        ("version", &requester.version),
        ("description", &requester.description),
        ("base_path", &requester.base_path),
        ("connection", &requester.connection),
    ] {
        if !value.is_empty() {
            let _ = writeln!(out, "{key} = {}", toml::string(value));
        }
    }
    let _ = writeln!(out, "ccsid = {}", requester.ccsid);
}

/// The request of an operation over HTTP.
pub(crate) fn request_section(operation: &Operation, out: &mut String) {
    let _ = writeln!(out, "\n[operation.http]\nmethod = {}", toml::string(&operation.method));
    let _ = writeln!(out, "path = {}", toml::string(&operation.path));
    if !operation.moves.is_empty() {
        let _ = writeln!(out, "move = [");
        for (from, to) in &operation.moves {
            let from = toml::string(&format!("/{from}"));
            let _ = writeln!(out, "  {{ from = {from}, to = {} }},", toml::string(to));
        }
        let _ = writeln!(out, "]");
    }
    // A body is a member of the request, if there is one.
    let Some(body) = operation.body.as_ref().filter(|_| operation.request.is_some()) else { return };
    let _ = writeln!(out, "member = {}", toml::string(body));
    if let Some(media_type) = operation.media_type.as_ref().filter(|media_type| *media_type != JSON) {
        let _ = writeln!(out, "content_type = {}", toml::string(media_type));
    }
}

/// The default media type of a JSON body.
const JSON: &str = "application/json";

struct Writer<'w, 'a> {
    draft: &'w mut Draft<'a>,
    given: &'w Given,
}

impl Writer<'_, '_> {
    fn operation(&mut self, operation: &Operation) -> Result<(), Vec<Fault>> {
        let mut faults = Vec::new();
        let mut text = format!("\n[[operation]]\nname = {}\n", toml::string(&operation.name));
        if let Some(schema) = &operation.request {
            match self.record(operation, "REQUEST", schema, "operation.request") {
                Ok(fields) => text.push_str(&format!("\n{fields}")),
                Err(found) => faults.extend(found),
            }
        }
        request_section(operation, &mut text);
        if operation.body.is_none() || operation.request.is_none() {
            text.push_str("body = \"none\"\n");
        }
        for response in &operation.responses {
            if let Err(found) = self.response(operation, response, &mut text) {
                faults.extend(found);
            }
        }
        self.draft.out.push_str(&text);
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// An operation with the structures of the given copybooks. The schemas describe them.
    fn structures(&mut self, operation: &Operation) -> Result<(), Vec<Fault>> {
        let requester = self.draft.requester.name.clone();
        let mut text = format!("\n[[operation]]\nname = {}\n", toml::string(&operation.name));
        let response = operation.responses.iter().find_map(|response| response.schema.as_ref());
        let sides = [("request", operation.request.as_ref()), ("response", response)];
        for (side, schema) in sides {
            let Some(schema) = schema else { continue };
            let file = format!("{}-{side}.json", operation.name);
            let _ = writeln!(text, "{side}_schema = {}", toml::string(&file));
            let path = format!("requesters/{requester}/{file}");
            self.draft.files.push(File { path, text: json::indented(schema) });
            if let Some(given) = self.given.copybook(&operation.name, &side.to_ascii_uppercase()) {
                let path = format!("copybooks/{requester}/{}-{side}.cpy", operation.name);
                self.draft.files.push(File { path, text: given.text.clone() });
            }
        }
        request_section(operation, &mut text);
        for response in &operation.responses {
            let _ =
                writeln!(text, "\n[[operation.http.responses]]\nstatus = {}", toml::string(&response.status));
            if let (Some(body), Some(_)) = (&response.body, &response.schema) {
                let _ = writeln!(text, "member = {}", toml::string(body));
            }
        }
        self.draft.out.push_str(&text);
        Ok(())
    }

    fn response(
        &mut self,
        operation: &Operation,
        response: &Response,
        out: &mut String,
    ) -> Result<(), Vec<Fault>> {
        let _ = writeln!(out, "\n[[operation.http.responses]]\nstatus = {}", toml::string(&response.status));
        let Some(schema) = &response.schema else { return Ok(()) };
        match &response.body {
            Some(body) => {
                let _ = writeln!(out, "member = {}", toml::string(body));
            }
            None => out.push_str("body = \"none\"\n"),
        }
        let fields = self.record(operation, &response.status, schema, "operation.http.responses.record")?;
        // A schema that does not forbid further members allows them, and APIs grow over time.
        let fields = fields.replacen("wrapper = \"\"\n", "wrapper = \"\"\nunknown_fields = \"ignore\"\n", 1);
        let _ = write!(out, "\n{fields}");
        Ok(())
    }

    /// The section of a record. Its copybook is made or given.
    fn record(
        &mut self,
        operation: &Operation,
        side: &str,
        schema: &str,
        section: &str,
    ) -> Result<String, Vec<Fault>> {
        let requester = &self.draft.requester.name;
        let file = format!("{requester}/{}-{}.cpy", operation.name, side.to_ascii_lowercase());
        let path = format!("copybooks/{file}");
        let given = if side == "REQUEST" { side } else { "RESPONSE" };
        if let Some(given) = self.given.copybook(&operation.name, given) {
            self.draft.files.push(File { path, text: given.text.clone() });
            return Ok(format!("[{section}]\ncopybook = {}\nwrapper = \"\"\n", toml::string(&file)));
        }
        let mut word = Words::default().word(&operation.name);
        word.truncate(RECORD_NAME_MAX);
        let suffix = if side == "REQUEST" { "REQ".to_owned() } else { side.to_ascii_uppercase() };
        let suffix = if suffix == "DEFAULT" { "DEF".to_owned() } else { suffix };
        let name = format!("{}-{suffix}", word.trim_end_matches('-'));
        let options = Options {
            origin: format!("{}, {side}", operation.name),
            default_array_max: Some(ROWS_MAX_DEFAULT),
            ..Options::gateway(&name)
        };
        let copybook = copybook(operation, side, schema, &options, &mut *self.draft.notes)?;
        let fields = assistant::service_fields(&copybook, section, &file, None);
        self.draft.files.push(File { path, text: copybook.text });
        Ok(fields)
    }
}

/// The copybook of a schema of an operation; its warnings are notes.
pub(crate) fn copybook(
    operation: &Operation,
    side: &str,
    schema: &str,
    options: &Options,
    notes: &mut Notes,
) -> Result<Copybook, Vec<Fault>> {
    // The places are those of a generated schema, and do not help the user, but its pointers do.
    let told = |finding: &Diagnostic| format!("{side}: {}", Diagnostic { line: 0, ..finding.clone() });
    match assistant::from_json(schema, &Source::Schema, options) {
        Ok(copybook) => {
            for warning in &copybook.warnings {
                notes.add(&operation.file, operation.line, format!("{} {}", operation.name, told(warning)));
            }
            Ok(copybook)
        }
        Err(found) => {
            let errors = found.iter().filter(|finding| finding.severity == Severity::Error);
            let fault = |finding: &Diagnostic| {
                Fault::at(FaultKind::Content, &operation.file, operation.line, told(finding))
            };
            Err(errors.map(fault).collect())
        }
    }
}
