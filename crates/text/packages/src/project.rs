//! OpenAPI 3 API projects: operations, z/OS assets and their mappings read into a model and checked against
//! each other.
//!
//! Expressions (JSONata) are kept as text with their places. This crate does not run them.

mod asset;
mod mapping;

use std::collections::BTreeMap;

use crate::File;
use crate::archive::Tree;
use crate::fault::{Fault, FaultKind, Note, Notes};
use crate::limits::Limits;
use crate::yaml::{self, Node, Value};

pub use mapping::{Body, Mapping};

/// A text with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The text: JSONata; in a template, text with JSONata in `{{` and `}}`.
    pub text: String,
    /// The file, relative to the project.
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
}

/// The condition of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It is used if no earlier response was.
    Always,
    /// It is used if the expression is true.
    When(Expression),
}

/// One of the responses of an operation, in the order in which they are tried.
#[derive(Clone, Debug)]
pub struct Response {
    /// Its condition.
    pub condition: Condition,
    /// Its status.
    pub status: u16,
    /// The file with its mapping.
    pub file: String,
    /// Its mapping: `body`, `headers`.
    pub mappings: Vec<Mapping>,
}

/// An operation: a path and method of the document, and the asset that it calls.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The path in the document.
    pub path: String,
    /// The method, in lower case.
    pub method: String,
    /// The id in the document, if it has one.
    pub operation_id: Option<String>,
    /// The name of the asset.
    pub asset: String,
    /// The request mapping: `channel`, `commarea` and similar ones.
    pub request: Vec<Mapping>,
    /// The responses.
    pub responses: Vec<Response>,
}

/// A program or other resource that operations call.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Its type: `cicsChannel-1.1`.
    pub kind: String,
    /// Its description.
    pub description: String,
    /// Provider properties: `program`, `connectionRef`, `ccsid`, ...
    pub properties: BTreeMap<String, String>,
    /// The file that describes it, relative to the project.
    pub file: String,
    /// The files of its provider, relative to the project.
    pub files: Vec<String>,
}

/// An API project.
#[derive(Clone, Debug)]
pub struct Project {
    /// The file with the OpenAPI document.
    pub document: String,
    /// Its title.
    pub title: String,
    /// Its version.
    pub version: String,
    /// The operations with mappings.
    pub operations: Vec<Operation>,
    /// The assets.
    pub assets: Vec<Asset>,
    /// The options of the build.
    pub options: BTreeMap<String, String>,
    notes: Vec<Note>,
}

/// The possible files of an OpenAPI document, below `api/`.
const DOCUMENTS: [&str; 3] = ["openapi.yaml", "openapi.yml", "openapi.json"];

/// The folders that describe a project. Others are about building and serving it.
const PARTS: [&str; 4] = ["api/", "operations/", "zosAssets/", "config/"];

impl Project {
    /// Reads a project, given as its files with their paths relative to its folder.
    ///
    /// # Errors
    /// All its faults.
    pub fn read(files: &[(String, Vec<u8>)], limits: &Limits) -> Result<Self, Vec<Fault>> {
        Self::of_tree(&Tree::of_files(files, limits)?, limits)
    }

    /// The parts that wait, or were not understood.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The name of the API: its title, with only the characters that a folder can have.
    pub(crate) fn api_name(&self) -> Result<String, Vec<Fault>> {
        let name: String =
            self.title.chars().map(|c| if crate::names::is_strange(c) { '-' } else { c }).collect();
        let name = name.trim().trim_matches('.').to_owned();
        match crate::names::check_name(&name) {
            Ok(()) => Ok(name),
            Err(reason) => {
                let message = format!("the title, which names the API, {reason}");
                Err(vec![Fault::new(FaultKind::Content, &self.document, message)])
            }
        }
    }

    /// The project's files as those of an API. Files that are not text are left out, because nothing here
    /// reads bind files.
    pub(crate) fn files(tree: &Tree, name: &str) -> Vec<File> {
        let Some((prefix, _)) = root(tree) else { return Vec::new() };
        let own = format!(
            "# The API {name} is an API project: its document, operations and assets are in this folder.\n"
        );
        let mut files = vec![File { path: format!("apis/{name}/api.toml"), text: own }];
        for path in tree.paths() {
            let Some(inner) = path.strip_prefix(&prefix) else { continue };
            let is_part = PARTS.iter().any(|part| inner.starts_with(part));
            if let (true, Ok(text)) = (is_part, tree.text(path)) {
                files.push(File { path: format!("apis/{name}/{inner}"), text: text.to_owned() });
            }
        }
        files
    }

    /// True if the files are those of an API project.
    pub(crate) fn is_one(tree: &Tree) -> bool {
        root(tree).is_some()
    }

    pub(crate) fn of_tree(tree: &Tree, limits: &Limits) -> Result<Self, Vec<Fault>> {
        let Some((prefix, document)) = root(tree) else {
            let message = "expected an API project: there is no api/openapi.yaml";
            return Err(vec![Fault::new(FaultKind::Unknown, "", message)]);
        };
        let mut reader = Reader { tree, limits, notes: Notes::default(), faults: Vec::new() };
        let openapi = reader.yaml(&document);
        let assets = reader.assets(&format!("{prefix}zosAssets/"));
        let operations = match &openapi {
            Some(openapi) => reader.operations(&format!("{prefix}operations/"), &document, openapi, &assets),
            None => Vec::new(),
        };
        let options = reader.options(&format!("{prefix}config/options.yaml"));
        let info = |key: &str| {
            let text = openapi.as_ref().and_then(|openapi| openapi.get("info")?.get_text(key));
            text.unwrap_or_default().to_owned()
        };
        let (title, version) = (info("title"), info("version"));
        let Reader { notes, faults, .. } = reader;
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self { document, title, version, operations, assets, options, notes: notes.into_list() })
    }
}

/// The folder with the parts of a project, and its document.
fn root(tree: &Tree) -> Option<(String, String)> {
    ["", "src/main/", "main/"].iter().find_map(|prefix| {
        let document =
            DOCUMENTS.iter().map(|name| format!("{prefix}api/{name}")).find(|path| tree.has(path))?;
        Some(((*prefix).to_owned(), document))
    })
}

/// A document of an API under another name, as in projects of API requesters.
pub(crate) fn other_document(tree: &Tree) -> Option<&str> {
    let is_document = |path: &&str| {
        let path = ["src/main/", "main/"].iter().find_map(|prefix| path.strip_prefix(prefix)).unwrap_or(path);
        let name = path.strip_prefix("api/").filter(|name| !name.contains('/'));
        name.is_some_and(|name| [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end)))
    };
    tree.paths().find(is_document)
}

struct Reader<'a> {
    tree: &'a Tree,
    limits: &'a Limits,
    notes: Notes,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn yaml(&mut self, file: &str) -> Option<Node> {
        let read = self.tree.text(file).and_then(|text| yaml::parse(file, text, self.limits));
        read.map_err(|fault| self.faults.push(fault)).ok()
    }

    fn fault(&mut self, file: &str, line: usize, message: impl Into<String>) {
        self.faults.push(Fault::at(FaultKind::Content, file, line, message));
    }

    /// The folders directly below a folder that have a file of that name.
    fn folders_with(&self, below: &str, depth: usize, name: &str) -> Vec<String> {
        let folders = self.tree.paths().filter_map(|path| {
            let folder = path.strip_prefix(below)?.strip_suffix(name)?.strip_suffix('/')?;
            (folder.split('/').count() == depth).then(|| folder.to_owned())
        });
        folders.collect()
    }

    fn assets(&mut self, below: &str) -> Vec<Asset> {
        let mut assets = Vec::new();
        for name in self.folders_with(below, 1, "zosAsset.yaml") {
            let file = format!("{below}{name}/zosAsset.yaml");
            let Some(root) = self.yaml(&file) else { continue };
            let Some(kind) = root.get_text("type") else {
                self.fault(&file, root.line, "the asset has no type");
                continue;
            };
            let inner = format!("{below}{name}/providerFiles/");
            assets.push(Asset {
                kind: kind.to_owned(),
                description: root.get_text("description").unwrap_or_default().to_owned(),
                properties: scalars(root.get("providerProperties")),
                files: self.tree.paths().filter(|path| path.starts_with(&inner)).map(str::to_owned).collect(),
                file,
                name,
            });
        }
        assets
    }

    fn options(&mut self, file: &str) -> BTreeMap<String, String> {
        if !self.tree.has(file) {
            return BTreeMap::new();
        }
        self.yaml(file).map(|root| scalars(Some(&root))).unwrap_or_default()
    }

    fn operations(
        &mut self,
        below: &str,
        document: &str,
        openapi: &Node,
        assets: &[Asset],
    ) -> Vec<Operation> {
        let mut operations = Vec::new();
        for folder in self.folders_with(below, 2, "operation.yaml") {
            let Some((encoded, method)) = folder.split_once('/') else { continue };
            let place = format!("{below}{folder}/operation.yaml");
            let Some(path) = decoded(encoded) else {
                self.fault(&place, 0, format!("the folder '{encoded}' is not a path in URL encoding"));
                continue;
            };
            let documented = openapi.get("paths").and_then(|paths| paths.get(&path)?.get(method));
            let Some(documented) = documented else {
                self.fault(&place, 0, format!("{document} has no operation {method} {path}"));
                continue;
            };
            let operation_id = documented.get_text("operationId").map(str::to_owned);
            let Some(root) = self.yaml(&place) else { continue };
            let Some(asset) = root.get_text("zasset").map(str::to_owned) else {
                self.fault(&place, root.line, "the operation names no zasset");
                continue;
            };
            if !assets.iter().any(|known| known.name == asset) {
                self.fault(&place, root.line, format!("there is no asset '{asset}'"));
            }
            let folder = format!("{below}{folder}");
            let request = self.mappings(&format!("{folder}/request.yaml"));
            let responses = self.responses(&folder);
            operations.push(Operation {
                path,
                method: method.to_owned(),
                operation_id,
                asset,
                request,
                responses,
            });
        }
        self.missing(document, openapi, &operations);
        operations
    }

    /// Operations of the document without files.
    fn missing(&mut self, document: &str, openapi: &Node, operations: &[Operation]) {
        const METHODS: [&str; 8] = ["get", "put", "post", "patch", "delete", "head", "options", "trace"];
        for (path, item) in openapi.get("paths").and_then(Node::map).unwrap_or_default() {
            for (method, node) in item.map().unwrap_or_default() {
                let mapped = operations.iter().any(|known| known.path == *path && known.method == *method);
                if METHODS.contains(&method.as_str()) && !mapped {
                    self.notes.add(document, node.line, format!("{method} {path} has no mapping"));
                }
            }
        }
    }

    fn mappings(&mut self, file: &str) -> Vec<Mapping> {
        let Some(root) = self.yaml(file) else { return Vec::new() };
        let mut reader = mapping::Reader { file, notes: &mut self.notes, faults: &mut self.faults };
        reader.file(&root)
    }

    fn responses(&mut self, folder: &str) -> Vec<Response> {
        let place = format!("{folder}/response_mapping.yaml");
        let Some(root) = self.yaml(&place) else { return Vec::new() };
        let mut responses = Vec::new();
        for (name, entry) in root.map().unwrap_or_default() {
            if name == "version" {
                continue;
            }
            let status = entry.get_text("httpStatusCode").and_then(|text| text.parse().ok());
            let Some(status) = status.filter(|status| (100..=599).contains(status)) else {
                self.fault(&place, entry.line, format!("{name}: httpStatusCode is not a status"));
                continue;
            };
            let condition = match entry.get("condition") {
                Some(Node { value: Value::Scalar { text, plain: true }, .. }) if text == "true" => {
                    Condition::Always
                }
                Some(node) if node.text().is_some() => Condition::When(Expression {
                    text: node.text().unwrap_or_default().to_owned(),
                    file: place.clone(),
                    line: node.line,
                }),
                // The tools write responses without a mapping without a condition, and need not write their
                // files.
                None => {
                    let reason = format!("{name}: it has no condition, so it is never the answer");
                    self.notes.add(&place, entry.line, reason);
                    continue;
                }
                Some(_) => {
                    self.fault(&place, entry.line, format!("{name}: expected a condition, or true"));
                    continue;
                }
            };
            let file = format!("{folder}/{name}");
            let mut mappings = self.mappings(&file);
            if matches!(status, 204 | 205 | 304) {
                self.without_body(&file, status, &mut mappings);
            }
            responses.push(Response { condition, status, file, mappings });
        }
        if responses.is_empty() {
            self.fault(&place, root.line, "no response is named");
        } else if responses.last().is_some_and(|last| last.condition != Condition::Always) {
            self.notes.add(
                &place,
                root.line,
                "the last response has a condition, so an answer may have no response",
            );
        }
        responses
    }

    /// Answers with such a status have no body. The tools still write an empty mapping for it.
    fn without_body(&mut self, file: &str, status: u16, mappings: &mut Vec<Mapping>) {
        for body in mappings.extract_if(.., |mapping| mapping.name == "body") {
            let empty = match &body.body {
                Body::Nothing => true,
                Body::Object(members) => members.is_empty(),
                _ => false,
            };
            if !empty {
                let reason = format!("an answer with status {status} has no body: the body is left out");
                self.notes.add(file, body.line, reason);
            }
        }
    }
}

/// The entries of a map that are scalars.
fn scalars(node: Option<&Node>) -> BTreeMap<String, String> {
    let entries = node.and_then(Node::map).unwrap_or_default();
    entries.iter().filter_map(|(key, value)| Some((key.clone(), value.text()?.to_owned()))).collect()
}

/// The path that a folder's name stands for.
fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok().filter(|path| path.starts_with('/'))
}
