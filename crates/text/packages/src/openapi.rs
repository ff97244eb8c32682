//! An OpenAPI 3 or Swagger 2.0 document as an API requester: each operation with its input and output.
//!
//! The parts of a request become groups of one schema (`ReqPathParameters`, `ReqQueryParameters`,
//! `ReqHeaders`, `ReqBody`), as in API requester archives. Operations, responses, parameters and members are
//! in the order of the document; the targets of their references stand beside them, so that references stay
//! valid.

mod messages;
mod path;
mod reached;
mod reader;
mod request;

use document::{Node, line_of};

use crate::draft::{LeftOut, Written};
use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::names::check_name;
use crate::requester::Requester;
use crate::{Given, Package, PackageKind, json, requester, structures};
use reader::Reader;

/// The choices that the document does not make.
#[derive(Clone, Debug)]
pub struct RequesterChoices {
    /// The requester's name.
    pub name: String,
    /// The name of its connection.
    pub connection: String,
    /// The page of its records.
    pub ccsid: u16,
    /// The interface for programs.
    pub programs: ProgramInterface,
}

/// The data between programs and an API requester.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProgramInterface {
    /// One record for the request and one for each response, and nothing else.
    #[default]
    Records,
    /// The structures of z/OS Connect 3.0, with data areas for arrays and responses: for the Host API.
    HostApi(HostApiChoices),
}

/// The options for structures of the Host API. In `options.yaml` of z/OS Connect's build their names are
/// requesterPrefix, defaultCharacterMaxLength, defaultFractionDigits and inlineMaxOccursLimit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostApiChoices {
    /// The prefix of the names of copybooks, 1 to 3 letters or digits.
    pub prefix: String,
    /// The characters of text without `maxLength`.
    pub default_character_max_length: u64,
    /// The decimal places of decimal numbers without `multipleOf`.
    pub default_fraction_digits: u8,
    /// The most elements of an array that is a table. Longer arrays go into a data area.
    pub inline_max_occurs: u64,
}

impl Default for HostApiChoices {
    fn default() -> Self {
        let (default_character_max_length, default_fraction_digits, inline_max_occurs) = (255, 2, 1);
        let prefix = "API".to_owned();
        Self { prefix, default_character_max_length, default_fraction_digits, inline_max_occurs }
    }
}

/// Makes an API requester of an OpenAPI document, in JSON or YAML.
///
/// An operation that cannot be imported is left out with a note; [`Package::left_out`] has its name.
///
/// # Errors
/// The document cannot be read, or no operation of it can be imported.
pub fn read_openapi(
    file: &str,
    bytes: &[u8],
    limits: &Limits,
    choices: &RequesterChoices,
) -> Result<Package, Vec<Fault>> {
    let one = |fault: Fault| vec![fault];
    check(file, choices).map_err(one)?;
    let text = json_text(file, bytes, limits).map_err(one)?;
    let root = json::document(file, &text, limits).map_err(one)?;
    let mut notes = Notes::default();
    let for_host_api = choices.programs != ProgramInterface::Records;
    let reader = Reader::new(file, &text, &root, for_host_api, limits).map_err(one)?;
    let (operations, mut left_out) = reader.operations(&mut notes).map_err(one)?;
    let base_path = base_path(file, &text, &root).map_err(one)?;
    let made = Requester { base_path, operations, ..requester_of(file, &root, choices) };
    let written = match &choices.programs {
        ProgramInterface::Records => requester::write(&made, &Given::default(), &mut notes),
        ProgramInterface::HostApi(host_api) => structures::write(&made, host_api, &mut notes),
    };
    let Written { files, left_out: more } = written;
    let is_nothing_left = made.operations.len() == more.len();
    left_out.extend(more);
    left_out.sort_by_key(|left_out| left_out.faults.first().map_or(0, |fault| fault.line));
    if is_nothing_left {
        let faults: Vec<Fault> = left_out.into_iter().flat_map(LeftOut::into_faults).collect();
        let nothing = || one(Fault::new(FaultKind::Content, file, "the document has no operations"));
        return Err(if faults.is_empty() { nothing() } else { faults });
    }
    for LeftOut { operation, faults } in &left_out {
        for fault in faults {
            let reason = format!("the operation {operation} is left out: {}", fault.message);
            notes.add(&fault.file, fault.line, reason);
        }
    }
    let left_out = left_out.into_iter().map(|left_out| left_out.operation).collect();
    let Requester { name, version, description, .. } = made;
    let (kind, notes) = (PackageKind::Requester, notes.into_list());
    Ok(Package { kind, name, version, description, files, notes, left_out })
}

fn check(file: &str, choices: &RequesterChoices) -> Result<(), Fault> {
    let fault = |message: String| Fault::new(FaultKind::Content, file, message);
    check_name(&choices.name).map_err(|why| fault(format!("the requester's name {why}")))?;
    match &choices.programs {
        ProgramInterface::Records => Ok(()),
        ProgramInterface::HostApi(host_api) => structures::check_prefix(&host_api.prefix).map_err(fault),
    }
}

/// The document as JSON. Its lines are those of the user's file.
fn json_text(file: &str, bytes: &[u8], limits: &Limits) -> Result<String, Fault> {
    crate::archive::limit("entry_max_bytes", bytes.len(), limits.entry_max_bytes, file)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Fault::new(FaultKind::Syntax, file, format!("byte {} is not UTF-8", error.valid_up_to()))
    })?;
    let text = text.trim_start_matches('\u{feff}');
    match text.trim_start().starts_with('{') {
        true => Ok(text.to_owned()),
        false => crate::json_of_yaml(file, text, limits),
    }
}

/// The text in front of all paths of Swagger 2.0, with a slash in front and none behind.
fn base_path(file: &str, text: &str, root: &Node<'_>) -> Result<String, Fault> {
    let Some(node) = root.get("basePath") else { return Ok(String::new()) };
    let written = node.text().unwrap_or_default().trim_end_matches('/');
    let slash = if written.is_empty() || written.starts_with('/') { "" } else { "/" };
    let base_path = format!("{slash}{written}");
    let is_path = base_path.is_empty() || path::parameters(&base_path).is_ok_and(|names| names.is_empty());
    is_path.then_some(base_path).ok_or_else(|| {
        let message = format!("expected a basePath without parameters, found {}", node.describe());
        Fault::at(FaultKind::Content, file, line_of(text, node.offset), message)
    })
}

/// The requester, before it has operations.
fn requester_of(file: &str, root: &Node<'_>, choices: &RequesterChoices) -> Requester {
    let text = |node: Option<&Node<'_>>| node.and_then(Node::text).unwrap_or_default().to_owned();
    let info = |key: &str| text(root.get("info").and_then(|info| info.get(key)));
    Requester {
        name: choices.name.clone(),
        version: info("version"),
        description: info("title"),
        base_path: String::new(),
        connection: choices.connection.clone(),
        is_of_archive: false,
        ccsid: choices.ccsid,
        origin: format!("the OpenAPI document {file}"),
        operations: Vec::new(),
    }
}
