//! Turns a document into a contract: first its top level, then its operations one after the other.

mod content;
mod operation;
mod parameter;
mod security;

pub(crate) use content::{FORM, MULTIPART};
use document::{Lines, Node, Part};

use crate::contract::{Contract, Info, Version};
use crate::limits::Limits;
use crate::operation::{Place, Style};
use crate::problem::{Problem, Report};
use crate::schema::{Compiler, default_of, member_types, text_types};

/// The data that all readers of one document share.
pub(crate) struct Reader<'d, 't> {
    pub(crate) root: &'d Node<'t>,
    pub(crate) lines: Lines,
    pub(crate) version: Version,
    pub(crate) limits: Limits,
    pub(crate) report: Report<'t>,
    pub(crate) schemas: Compiler<'d, 't>,
}

/// Reads a whole document.
pub(crate) fn read(json: &[u8], limits: &Limits) -> Result<Contract, Vec<Problem>> {
    let refused = |line: usize, message: String| vec![Problem { pointer: "#".to_owned(), line, message }];
    let text = std::str::from_utf8(json).map_err(|error| {
        refused(0, format!("expected UTF-8, found another byte at offset {}", error.valid_up_to()))
    })?;
    let root = document::read(text)
        .map_err(|refusal| refused(document::line_of(text, refusal.offset), refusal.message))?;
    let version = version(&root)
        .map_err(|found| refused(1, format!("expected OpenAPI 3.0 or 3.1, or Swagger 2.0, found {found}")))?;
    let mut reader = Reader {
        root: &root,
        lines: Lines::of(text),
        version,
        limits: *limits,
        report: Report::new(text, limits.problem_count_max),
        schemas: Compiler::new(&root, version, limits),
    };
    let mut contract = reader.contract(text);
    let Reader { mut report, schemas, .. } = reader;
    let schema_places = schemas.places();
    let schemas = schemas.finish(&mut report);
    let failed = report.has_errors();
    let (errors, warnings) = report.finish();
    if failed {
        return Err(errors);
    }
    for parameter in contract.operations.iter_mut().flat_map(|operation| &mut operation.parameters) {
        parameter.default = default_of(&schemas, parameter.schema);
        parameter.types = text_types(&schemas, parameter.schema);
        if parameter.style == Style::Deep {
            parameter.members = member_types(&schemas, parameter.schema);
        }
    }
    Ok(Contract { schemas, schema_places, warnings, ..contract })
}

/// The version, or the text that was found instead.
fn version(root: &Node<'_>) -> Result<Version, String> {
    let written = |name: &str| {
        let node = root.get(name)?;
        Some(node.text().map_or_else(|| format!("{} without quotes", node.describe()), str::to_owned))
    };
    let is = |found: &str, wanted: &str| {
        found.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            && !found.contains(' ')
    };
    match (written("openapi"), written("swagger")) {
        (Some(found), _) if is(&found, "3.0") => Ok(Version::OpenApi30),
        (Some(found), _) if is(&found, "3.1") => Ok(Version::OpenApi31),
        (Some(found), _) => Err(format!("openapi: {found}")),
        (None, Some(found)) if found == "2.0" => Ok(Version::Swagger20),
        (None, Some(found)) => Err(format!("swagger: {found}")),
        (None, None) if root.is_object() => Err("neither the member 'openapi' nor 'swagger'".to_owned()),
        (None, None) => Err(root.describe()),
    }
}

impl<'d, 't> Reader<'d, 't> {
    fn contract(&mut self, text: &str) -> Contract {
        let root = Part::root(self.root);
        let info = self.info(&root);
        let base_path = self.base_path(&root);
        let security_schemes = self.security_schemes(&root);
        let operations = self.operations(&root);
        Contract {
            version: self.version,
            info,
            base_path,
            security_schemes,
            operations,
            schemas: Default::default(),
            schema_places: Default::default(),
            warnings: Vec::new(),
            text: text.into(),
        }
    }

    fn info(&mut self, root: &Part<'d, 't>) -> Info {
        let Some(info) = self.object(root, "info") else { return Info::default() };
        let mut needed = |name: &str| self.needed_text(&info, name).unwrap_or_default().to_owned();
        let (title, version) = (needed("title"), needed("version"));
        Info { title, version, description: info.text("description").map(str::to_owned) }
    }

    /// The path in front of all operations: the path of the first server, or Swagger's `basePath`.
    fn base_path(&mut self, root: &Part<'d, 't>) -> String {
        if self.version == Version::Swagger20 {
            return root.text("basePath").unwrap_or_default().trim_end_matches('/').to_owned();
        }
        let Some(server) = root.member("servers").and_then(|servers| servers.elements().next()) else {
            return String::new();
        };
        let mut url = self.needed_text(&server, "url").unwrap_or_default().to_owned();
        for (name, variable) in server.member("variables").iter().flat_map(Part::members) {
            let value = self.needed_text(&variable, "default").unwrap_or_default();
            url = url.replace(&format!("{{{name}}}"), value);
        }
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("", |start| &rest[start..]),
            None => &url,
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        if path.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
    }

    /// The place of a part, for use without the document.
    pub(crate) fn place(&self, part: &Part<'d, 't>) -> Place {
        let line = self.lines.line(part.node.offset);
        Place { pointer: part.pointer.clone(), line }
    }

    /// The target of a reference. None after a reported error.
    pub(crate) fn resolved(&mut self, part: &Part<'d, 't>) -> Option<Part<'d, 't>> {
        match part.resolved(self.root) {
            Ok(target) if target.node.is_object() => Some(target),
            Ok(target) => {
                let found = target.node.describe();
                self.report.error(&target, format!("expected an object, found {found}"));
                None
            }
            Err(reason) => {
                self.report.error(part, reason.0);
                None
            }
        }
    }

    /// A member that must be an object.
    fn object(&mut self, part: &Part<'d, 't>, name: &str) -> Option<Part<'d, 't>> {
        match part.member(name) {
            Some(member) if member.node.is_object() => Some(member),
            Some(member) => {
                let found = member.node.describe();
                self.report.error(&member, format!("expected an object, found {found}"));
                None
            }
            None => {
                self.report.error(part, format!("expected the member '{name}', found none"));
                None
            }
        }
    }

    /// A member that must be a string.
    pub(crate) fn needed_text(&mut self, part: &Part<'d, 't>, name: &str) -> Option<&'d str> {
        match part.member(name) {
            Some(member) => match member.node.text() {
                Some(text) => Some(text),
                None => {
                    let found = member.node.describe();
                    self.report.error(&member, format!("expected a string, found {found}"));
                    None
                }
            },
            None => {
                self.report.error(part, format!("expected the member '{name}', found none"));
                None
            }
        }
    }

    /// The strings of a member that is an array of strings; none if the member is missing.
    pub(crate) fn texts(&mut self, part: &Part<'d, 't>, name: &str) -> Option<Vec<String>> {
        let list = part.member(name)?;
        if !matches!(list.node.value, document::Value::Array(_)) {
            let found = list.node.describe();
            self.report.error(&list, format!("expected an array of strings, found {found}"));
            return Some(Vec::new());
        }
        let mut texts = Vec::new();
        for element in list.elements() {
            match element.node.text() {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    let found = element.node.describe();
                    self.report.error(&element, format!("expected a string, found {found}"));
                }
            }
        }
        Some(texts)
    }
}
