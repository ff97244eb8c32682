//! One OpenAPI document made of several files, which refer to each other.
//!
//! What a reference into another file leads to becomes a component of the document, and the reference leads there. A path item or a whole
//! section in another file takes the place of its reference. Files are read from disk; addresses and absolute paths are refused.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Component, Path, PathBuf};

use document::{HOPS_MAX, Node, Value};

/// The most files of one document.
const FILES_MAX: usize = 10_000;

/// The files that a document consists of: each as JSON text, or the reason why it cannot be read.
pub(crate) struct Files {
    root: PathBuf,
    texts: HashMap<PathBuf, Result<String, String>>,
}

/// Reads a document, and all files that it refers to.
///
/// # Errors
/// The document itself cannot be read, or there are too many files or bytes.
pub(crate) fn read(root: &Path, json: &str) -> Result<Files, String> {
    let root = &normal(root);
    let mut files = Files { root: root.clone(), texts: HashMap::new() };
    let mut waiting: Vec<PathBuf> = Vec::new();
    let mut bytes = json.len();
    files.add(root.clone(), Ok(json.to_owned()), &mut waiting);
    while let Some(path) = waiting.pop() {
        if files.texts.contains_key(&path) {
            continue;
        }
        let text = json_of(&path).map(|(json, ..)| json);
        bytes += text.as_ref().map_or(0, String::len);
        if bytes > document::DOCUMENT_BYTES_MAX {
            return Err(format!(
                "the document and its files have more than {} bytes",
                document::DOCUMENT_BYTES_MAX
            ));
        }
        files.add(path, text, &mut waiting);
        if files.texts.len() > FILES_MAX {
            return Err(format!("the document has more than {FILES_MAX} files"));
        }
    }
    Ok(files)
}

/// A file as JSON, its bytes, and the name of a file of this kind.
///
/// # Errors
/// It cannot be read, or is neither JSON nor YAML.
pub(crate) fn json_of(path: &Path) -> Result<(String, Vec<u8>, &'static str), String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| format!("{shown}: {error}"))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{shown}: expected UTF-8"))?;
    let text = text.trim_start_matches('\u{feff}');
    let is_yaml = matches!(path.extension().and_then(std::ffi::OsStr::to_str), Some("yaml" | "yml"));
    // YAML may begin like JSON.
    if text.trim_start().starts_with('{') && (!is_yaml || document::read(text).is_ok()) {
        return Ok((text.to_owned(), bytes, "openapi.json"));
    }
    let json = packages::json_of_yaml(&shown.to_string(), text, &packages::Limits::default())
        .map_err(|fault| format!("{shown}:{}: {}", fault.line, fault.message))?;
    Ok((json, bytes, "openapi.yaml"))
}

/// Adds the files that a value refers to.
fn others(node: &Node<'_>, file: &Path, found: &mut Vec<PathBuf>) {
    let reference = node.get("$ref").and_then(Node::text).and_then(|reference| path_of(reference, file));
    let mapped = node.get("discriminator").and_then(|discriminator| discriminator.get("mapping"));
    let mapped = mapped.map(Node::members).unwrap_or_default().iter();
    let mapped = mapped.filter_map(|(_, target)| path_of(target.text().filter(|text| is_file(text))?, file));
    found.extend(reference.into_iter().chain(mapped));
    node.members()
        .iter()
        .map(|(_, member)| member)
        .chain(node.elements())
        .for_each(|inner| others(inner, file, found));
}

/// The file of a reference that leads into a file.
fn path_of(reference: &str, from: &Path) -> Option<PathBuf> {
    let (file, _) = reference.split_once('#').unwrap_or((reference, ""));
    if file.is_empty() || file.starts_with('/') || file.contains("://") {
        return None;
    }
    let file = percent::decoded(file).ok()?;
    Some(normal(&from.parent()?.join(&*file)))
}

/// A path without `.` and, where it can be, without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// True if the value of a discriminator's mapping is a reference, and no name of a schema.
fn is_file(mapped: &str) -> bool {
    mapped.contains(['/', '#']) || [".json", ".yaml", ".yml"].iter().any(|end| mapped.ends_with(end))
}

/// The kinds of objects in a document that may be references, or have references inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Document,
    Components,
    PathItem,
    Operation,
    Parameter,
    RequestBody,
    Response,
    Header,
    MediaType,
    Encoding,
    Schema,
    Example,
    Link,
    Callback,
    SecurityScheme,
}

/// Whether a value is one object of a kind, or holds several of them by name or in a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    One,
    Map,
    List,
}

impl Kind {
    /// The section of components for objects of this kind; none if they take the place of their references.
    fn section(self, is_swagger: bool) -> Option<&'static str> {
        match (self, is_swagger) {
            (Self::Schema, true) => Some("definitions"),
            (Self::Schema, false) => Some("schemas"),
            (Self::Parameter, _) => Some("parameters"),
            (Self::Response, _) => Some("responses"),
            (Self::RequestBody, false) => Some("requestBodies"),
            (Self::Header, false) => Some("headers"),
            (Self::Example, false) => Some("examples"),
            (Self::Link, false) => Some("links"),
            (Self::Callback, false) => Some("callbacks"),
            (Self::SecurityScheme, false) => Some("securitySchemes"),
            _ => None,
        }
    }

    /// What a member of such an object holds; none if it has no references.
    fn member(self, name: &str) -> Option<(Form, Self)> {
        use Form::{List, Map, One};
        Some(match (self, name) {
            (Self::Document, "paths" | "webhooks") | (Self::Components, "pathItems") => (Map, Self::PathItem),
            (Self::Document, "components") => (One, Self::Components),
            (Self::Document, "definitions") | (Self::Components, "schemas") => (Map, Self::Schema),
            (Self::Document | Self::Components, "parameters") => (Map, Self::Parameter),
            (Self::Document | Self::Components | Self::Operation, "responses") => (Map, Self::Response),
            (Self::Components, "requestBodies") => (Map, Self::RequestBody),
            (Self::Components | Self::Response | Self::Encoding, "headers") => (Map, Self::Header),
            (Self::Components | Self::Parameter | Self::Header | Self::MediaType, "examples") => {
                (Map, Self::Example)
            }
            (Self::Components | Self::Response, "links") => (Map, Self::Link),
            (Self::Components | Self::Operation, "callbacks") => (Map, Self::Callback),
            (Self::Components, "securitySchemes") => (Map, Self::SecurityScheme),
            (Self::PathItem | Self::Operation, "parameters") => (List, Self::Parameter),
            (Self::PathItem, "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace") => {
                (One, Self::Operation)
            }
            (Self::Operation, "requestBody") => (One, Self::RequestBody),
            (Self::Callback, _) => (One, Self::PathItem),
            (Self::Parameter | Self::Header | Self::Response | Self::MediaType, "schema")
            | (Self::Parameter | Self::Header, "items") => (One, Self::Schema),
            (Self::Parameter | Self::Header | Self::RequestBody | Self::Response, "content") => {
                (Map, Self::MediaType)
            }
            (Self::MediaType, "encoding") => (Map, Self::Encoding),
            (
                Self::Schema,
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            ) => (Map, Self::Schema),
            (Self::Schema, "allOf" | "anyOf" | "oneOf" | "prefixItems") => (List, Self::Schema),
            (
                Self::Schema,
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "contains"
                | "propertyNames"
                | "not"
                | "if"
                | "then"
                | "else",
            ) => (One, Self::Schema),
            _ => return None,
        })
    }
}

/// A place in one of the files.
type Place = (PathBuf, String);

/// A component that the document gets.
struct Added {
    section: &'static str,
    name: String,
    kind: Kind,
    place: Place,
}

struct Bundler<'d> {
    root_file: &'d Path,
    nodes: &'d HashMap<&'d Path, Result<Node<'d>, String>>,
    is_swagger: bool,
    /// The names of components, by section and place.
    known: HashMap<(&'static str, Place), String>,
    /// The names of each section that are taken.
    taken: HashSet<(&'static str, String)>,
    waiting: VecDeque<Added>,
    /// References that were replaced by what they lead to, around the current value.
    hops: usize,
}

impl Files {
    /// Adds a file, and tells which others it refers to.
    fn add(&mut self, path: PathBuf, text: Result<String, String>, waiting: &mut Vec<PathBuf>) {
        if let Some(root) = text.as_ref().ok().and_then(|text| document::read(text).ok()) {
            others(&root, &path, waiting);
        }
        self.texts.insert(path, text);
    }

    /// True if the document refers to other files.
    pub(crate) fn are_several(&self) -> bool {
        self.texts.len() > 1
    }

    /// The files outside of the document's folder, in order. A document of somebody else may name any file, and its author sees what the API
    /// shows of it.
    pub(crate) fn outside(&self) -> Vec<&Path> {
        let folder = self.root.parent().unwrap_or(Path::new(""));
        let is_outside = |path: &&Path| match path.strip_prefix(folder) {
            Ok(below) => below.starts_with(".."),
            Err(_) => true,
        };
        let read = self.texts.iter().filter(|(_, text)| text.is_ok());
        let mut outside: Vec<&Path> = read.map(|(path, _)| path.as_path()).filter(is_outside).collect();
        outside.sort_unstable();
        outside
    }

    /// The document as one JSON text. A document without references into files is returned as it is.
    ///
    /// # Errors
    /// A file that a reference needs cannot be read, or does not have what the reference names.
    pub(crate) fn bundled(&self) -> Result<String, String> {
        let nodes: HashMap<&Path, Result<Node<'_>, String>> = self
            .texts
            .iter()
            .map(|(path, text)| {
                (path.as_path(), text.as_ref().map_err(Clone::clone).and_then(|text| parsed(text, path)))
            })
            .collect();
        let root = match nodes.get(self.root.as_path()) {
            Some(Ok(root)) => root,
            Some(Err(reason)) => return Err(reason.clone()),
            None => return Err(format!("{}: the file is not there", self.root.display())),
        };
        let mut bundler = Bundler {
            root_file: &self.root,
            nodes: &nodes,
            is_swagger: root.get("swagger").is_some(),
            known: HashMap::new(),
            taken: HashSet::new(),
            waiting: VecDeque::new(),
            hops: 0,
        };
        bundler.note_components(root);
        let mut whole = bundler.value(root, (Form::One, Kind::Document), &self.root)?;
        while let Some(added) = bundler.waiting.pop_front() {
            let target = bundler.target(&added.place)?;
            let node = bundler.value(target, (Form::One, added.kind), &added.place.0)?;
            let sections =
                if bundler.is_swagger { Some(&mut whole) } else { member(&mut whole, "components") };
            let slot = sections.and_then(|sections| member(member(sections, added.section)?, &added.name));
            let no_object = || format!("{}: #/components: expected objects of objects", self.root.display());
            *slot.ok_or_else(no_object)? = node;
        }
        Ok(whole.pretty_json())
    }
}

fn parsed<'t>(text: &'t str, path: &Path) -> Result<Node<'t>, String> {
    document::read(text).map_err(|refusal| {
        format!("{}:{}: {}", path.display(), document::line_of(text, refusal.offset), refusal.message)
    })
}

/// The member of an object, which is made if it is missing; none if the value is no object.
fn member<'n, 'd>(node: &'n mut Node<'d>, name: &str) -> Option<&'n mut Node<'d>> {
    let Value::Object(members) = &mut node.value else { return None };
    let at = members.iter().position(|(known, _)| known == name).unwrap_or(members.len());
    if at == members.len() {
        members.push((name.to_owned(), Node { offset: 0, value: Value::Object(Vec::new()) }));
    }
    members.get_mut(at).map(|(_, member)| member)
}

impl<'d> Bundler<'d> {
    /// Notes the components that the document has. One that is only a reference into a file gives its name to what is there.
    fn note_components(&mut self, root: &'d Node<'d>) {
        let (sections, holder) = match self.is_swagger {
            true => (Some(root), Kind::Document),
            false => (root.get("components"), Kind::Components),
        };
        for (title, entries) in sections.map(Node::members).unwrap_or_default() {
            let kind = holder.member(title).map(|(_, kind)| kind);
            let Some(section) = kind.and_then(|kind| kind.section(self.is_swagger)) else { continue };
            for (name, entry) in entries.members() {
                self.taken.insert((section, name.clone()));
                let place = entry
                    .get("$ref")
                    .and_then(Node::text)
                    .and_then(|reference| self.place(reference, self.root_file));
                if let Some(place) = place.filter(|(file, _)| file != self.root_file) {
                    self.known.entry((section, place)).or_insert_with(|| name.clone());
                }
            }
        }
    }

    /// The place that a reference leads to; none for an address.
    fn place(&self, reference: &str, from: &Path) -> Option<Place> {
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let file = if file.is_empty() { from.to_owned() } else { path_of(reference, from)? };
        let pointer = document::fragment(&format!("#{fragment}"))?.into_owned();
        Some((file, pointer))
    }

    fn target(&self, (file, pointer): &Place) -> Result<&'d Node<'d>, String> {
        let shown = file.display();
        match self.nodes.get(file.as_path()) {
            Some(Ok(node)) => node
                .at(pointer)
                .ok_or_else(|| format!("{shown}: expected something at '#{pointer}', found nothing")),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err(format!("{shown}: the file is not there")),
        }
    }

    /// A copy of a value, in which no reference leads into another file.
    fn value(
        &mut self,
        node: &'d Node<'d>,
        (form, kind): (Form, Kind),
        file: &Path,
    ) -> Result<Node<'d>, String> {
        if let Some(reference) = node.get("$ref").and_then(Node::text) {
            return self.reference(node, reference, (form, kind), file);
        }
        let value = match &node.value {
            Value::Object(members) => {
                let is_own = form == Form::Map && file == self.root_file;
                let mut copied = Vec::with_capacity(members.len());
                for (name, member) in members {
                    let below = match form {
                        Form::Map | Form::List => Some((Form::One, kind)),
                        Form::One => kind.member(name),
                    };
                    let member = match below {
                        Some(below) if is_own && self.is_named_here(name, member, kind) => {
                            self.in_place(member, below, file)?
                        }
                        Some(below) => self.value(member, below, file)?,
                        None if kind == Kind::Schema && name == "discriminator" => {
                            self.discriminator(member, file)
                        }
                        None => member.clone(),
                    };
                    copied.push((name.clone(), member));
                }
                Value::Object(copied)
            }
            Value::Array(elements) => {
                let copied: Result<_, _> =
                    elements.iter().map(|element| self.value(element, (Form::One, kind), file)).collect();
                Value::Array(copied?)
            }
            other => other.clone(),
        };
        Ok(Node { offset: 0, value })
    }

    /// True for a component of the document that is only a reference into a file, and names what is there.
    fn is_named_here(&self, name: &str, member: &Node<'_>, kind: Kind) -> bool {
        let Some(section) = kind.section(self.is_swagger) else { return false };
        let reference = member.get("$ref").and_then(Node::text);
        let place = reference.and_then(|reference| self.place(reference, self.root_file));
        place.is_some_and(|place| self.known.get(&(section, place)).is_some_and(|known| known == name))
    }

    /// What a reference leads to, in its place.
    fn in_place(&mut self, node: &'d Node<'d>, below: (Form, Kind), file: &Path) -> Result<Node<'d>, String> {
        let reference = node.get("$ref").and_then(Node::text).unwrap_or_default();
        let place = self.place(reference, file).ok_or_else(|| address(reference, file))?;
        if self.hops >= HOPS_MAX {
            return Err(format!(
                "{}: expected at most {HOPS_MAX} references inside of each other, at '{reference}'",
                file.display()
            ));
        }
        self.hops += 1;
        let target =
            self.target(&place).map_err(|reason| format!("{}: '{reference}': {reason}", file.display()))?;
        let value = self.value(target, below, &place.0);
        self.hops -= 1;
        value
    }

    fn reference(
        &mut self,
        node: &'d Node<'d>,
        reference: &'d str,
        (form, kind): (Form, Kind),
        file: &Path,
    ) -> Result<Node<'d>, String> {
        let place = self.place(reference, file).ok_or_else(|| address(reference, file))?;
        if place.0 == self.root_file && file == self.root_file {
            return Ok(node.clone());
        }
        let section = kind.section(self.is_swagger).filter(|_| form == Form::One);
        let to = match section {
            _ if place.0 == self.root_file => format!("#{}", place.1),
            None => return self.in_place(node, (form, kind), file),
            Some(section) => {
                self.target(&place)
                    .map_err(|reason| format!("{}: '{reference}': {reason}", file.display()))?;
                self.component(section, kind, place)
            }
        };
        let Value::Object(members) = &node.value else { return Ok(node.clone()) };
        let members = members.iter().map(|(name, member)| match name.as_str() {
            "$ref" => (name.clone(), Node { offset: 0, value: Value::Text(Cow::Owned(to.clone())) }),
            _ => (name.clone(), member.clone()),
        });
        Ok(Node { offset: 0, value: Value::Object(members.collect()) })
    }

    /// The reference to the component for a place.
    fn component(&mut self, section: &'static str, kind: Kind, place: Place) -> String {
        let holder = if self.is_swagger { "" } else { "components/" };
        let key = (section, place);
        if let Some(name) = self.known.get(&key) {
            return format!("#/{holder}{section}/{}", document::pointer_token(name));
        }
        let (_, (file, pointer)) = &key;
        let last = pointer.rsplit('/').next().map(document::pointer_name).filter(|last| !last.is_empty());
        let stem = || file.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let base: String = last.or_else(stem).unwrap_or_default().chars().map(plain).collect();
        let mut name = base.clone();
        for number in 2.. {
            if self.taken.insert((section, name.clone())) {
                break;
            }
            name = format!("{base}_{number}");
        }
        self.waiting.push_back(Added { section, name: name.clone(), kind, place: key.1.clone() });
        let to = format!("#/{holder}{section}/{}", document::pointer_token(&name));
        self.known.insert(key, name);
        to
    }

    /// A discriminator whose mapping leads to components.
    fn discriminator(&mut self, node: &'d Node<'d>, file: &Path) -> Node<'d> {
        let mut copied = node.clone();
        let Value::Object(members) = &mut copied.value else { return copied };
        let mapping =
            members.iter_mut().find(|(name, _)| name == "mapping").map(|(_, mapping)| &mut mapping.value);
        let Some(Value::Object(mapping)) = mapping else { return copied };
        for (_, target) in mapping {
            let reference = target.text().filter(|text| is_file(text));
            let place = reference.and_then(|reference| self.place(reference, file));
            let section = Kind::Schema.section(self.is_swagger);
            if let (Some(place), Some(section)) = (place, section)
                && place.0 != self.root_file
                && self.target(&place).is_ok()
            {
                target.value = Value::Text(Cow::Owned(self.component(section, Kind::Schema, place)));
            }
        }
        copied
    }
}

fn address(reference: &str, file: &Path) -> String {
    format!(
        "{}: expected a relative path of a file, found '{reference}'; Gantry fetches nothing",
        file.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The document made of files, each with its name.
    fn bundled(files: &[(&str, &str)]) -> Result<serde_json::Value, String> {
        let mut waiting = Vec::new();
        let mut all = Files { root: PathBuf::from(files[0].0), texts: HashMap::new() };
        for (name, text) in files {
            all.add(PathBuf::from(name), Ok((*text).to_owned()), &mut waiting);
        }
        for path in waiting {
            all.texts.entry(path.clone()).or_insert_with(|| Err(format!("{}: no such file", path.display())));
        }
        all.bundled().map(|text| serde_json::from_str(&text).expect("JSON"))
    }

    #[test]
    fn references_into_files_become_components() {
        let root = r##"{"openapi": "3.0.3", "paths": {
            "/pets": {"$ref": "paths/pets.json"},
            "/own": {"get": {"responses": {"200": {"$ref": "#/components/responses/Done"}}}}},
            "components": {"schemas": {"Pet": {"$ref": "./models.json#/Animal"}, "Name": {"type": "integer"}},
                "responses": {"Done": {"description": "done"}}}}"##;
        let pets = r##"{"get": {"parameters": [{"$ref": "../models.json#/limit"}], "responses": {
            "200": {"description": "pets", "content": {"application/json": {"schema":
                {"type": "array", "items": {"$ref": "../models.json#/Animal"}}}}},
            "404": {"$ref": "../root.json#/components/responses/Done"}}}}"##;
        let models = r##"{"Animal": {"type": "object", "properties": {"$ref": {"type": "string"},
            "mother": {"$ref": "#/Animal"}, "name": {"$ref": "#/x/Name", "description": "its name"},
            "kind": {"$ref": "kind%20of.json"}}},
            "x": {"Name": {"type": "string"}}, "limit": {"name": "limit", "in": "query", "schema": {"$ref": "#/x/Name"}}}"##;
        let kind = r#"{"enum": ["CAT"], "example": {"$ref": "nowhere.json"}}"#;
        let files =
            [("root.json", root), ("paths/pets.json", pets), ("models.json", models), ("kind of.json", kind)];
        let found = bundled(&files).expect("a document");
        let get = &found["paths"]["/pets"]["get"];
        assert_eq!(get["parameters"][0]["$ref"], "#/components/parameters/limit");
        let answer = &get["responses"]["200"]["content"]["application/json"]["schema"]["items"]["$ref"];
        assert_eq!(answer, "#/components/schemas/Pet");
        assert_eq!(get["responses"]["404"]["$ref"], "#/components/responses/Done");
        let schemas = &found["components"]["schemas"];
        let properties = &schemas["Pet"]["properties"];
        assert_eq!(properties["mother"]["$ref"], "#/components/schemas/Pet");
        assert_eq!(
            properties["name"],
            serde_json::json!({"$ref": "#/components/schemas/Name_2", "description": "its name"})
        );
        assert_eq!(properties["kind"]["$ref"], "#/components/schemas/kind_of");
        assert_eq!(properties["$ref"]["type"], "string");
        assert_eq!(
            (&schemas["Name"]["type"], &schemas["Name_2"]["type"]),
            (&"integer".into(), &"string".into())
        );
        assert_eq!(schemas["kind_of"]["example"]["$ref"], "nowhere.json", "an example stays as it is");
        assert_eq!(
            found["components"]["parameters"]["limit"]["schema"]["$ref"],
            "#/components/schemas/Name_2"
        );
    }

    #[test]
    fn sections_in_files_of_swagger_and_mappings() {
        let root = r##"{"swagger": "2.0", "paths": {"$ref": "paths.json"}}"##;
        let paths = r##"{"/a": {"post": {"parameters": [{"in": "body", "name": "b", "schema": {"$ref": "a.json#/definitions/A"}}],
            "responses": {"200": {"description": "ok", "schema": {"discriminator": {"propertyName": "k",
                "mapping": {"a": "a.json#/definitions/A", "b": "B"}}}}}}}}"##;
        let a = r##"{"definitions": {"A": {"allOf": [{"$ref": "#/definitions/A~1B"}]}, "A/B": {"type": "object"}}}"##;
        let found =
            bundled(&[("root.json", root), ("paths.json", paths), ("a.json", a)]).expect("a document");
        let post = &found["paths"]["/a"]["post"];
        assert_eq!(post["parameters"][0]["schema"]["$ref"], "#/definitions/A");
        let mapping = &post["responses"]["200"]["schema"]["discriminator"]["mapping"];
        assert_eq!(mapping, &serde_json::json!({"a": "#/definitions/A", "b": "B"}));
        assert_eq!(found["definitions"]["A"]["allOf"][0]["$ref"], "#/definitions/A_B");
        assert_eq!(found["definitions"]["A_B"]["type"], "object");
    }

    #[test]
    fn what_cannot_be_followed_is_an_error_at_its_file() {
        let root = |reference: &str| {
            format!(r#"{{"openapi": "3.1.0", "paths": {{"/a": {{"$ref": "{reference}"}}}}}}"#)
        };
        let fault = |reference: &str, other: &str| {
            bundled(&[("root.json", &root(reference)), ("other.json", other)]).expect_err("a fault")
        };
        assert!(
            fault("other.json#/b", "{}").contains("other.json: expected something at '#/b', found nothing")
        );
        assert!(fault("none.json", "{}").contains("none.json: no such file"));
        assert!(fault("other.json", "{").contains("other.json:1: "));
        for reference in ["https://example.com/a.json", "/etc/other.json"] {
            assert!(fault(reference, "{}").contains("expected a relative path of a file"), "{reference}");
        }
        let endless = r#"{"$ref": "other.json"}"#;
        assert!(fault("other.json", endless).contains("references inside of each other"));
    }

    #[test]
    fn files_outside_of_the_folder_are_named() {
        let outside = |root: &str, names: &[&str]| {
            let mut files = Files { root: PathBuf::from(root), texts: HashMap::new() };
            for name in [&[root], names].concat() {
                files.add(PathBuf::from(name), Ok("{}".to_owned()), &mut Vec::new());
            }
            files.outside().into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(outside("api.json", &["a.json", "paths/b.json", "../c.json"]), ["../c.json"]);
        assert_eq!(
            outside("spec/api.json", &["spec/a.json", "c.json", "../d.json"]),
            ["../d.json", "c.json"]
        );
        assert_eq!(outside("/spec/api.json", &["/spec/a/b.json", "/c.json"]), ["/c.json"]);
    }
}
