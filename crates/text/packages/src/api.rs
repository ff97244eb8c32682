//! API archives (`.aar`): description and mappings become an API file; services in the archive become service files.

mod response;

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use serde_json::Value;

use crate::archive::Tree;
use crate::description::{Description, FILE, Operation};
use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::mapping::{Action, Map, Mapping};
use crate::{Described, File, Given, service, toml};

/// Methods that an API file can have.
const METHODS: [&str; 5] = ["GET", "PUT", "POST", "PATCH", "DELETE"];

/// The header parameter that tools add to every operation. It belongs to authentication, not to the mapping.
const AUTHORIZATION: &str = "Authorization";

pub(crate) fn read(archive: &Described<'_>, notes: &mut Notes) -> Result<Vec<File>, Vec<Fault>> {
    let Described { tree, description, given, limits } = *archive;
    let mut faults = Vec::new();
    let mut text = head(description);
    for operation in &description.operations {
        match operation_text(tree, description, operation, limits, notes) {
            Ok(part) => text.push_str(&part),
            Err(fault) => faults.push(fault),
        }
    }
    if description.operations.is_empty() {
        faults.push(Fault::new(FaultKind::Content, FILE, "an API without operations"));
    }
    let mut files = vec![File { path: format!("apis/{}/api.toml", description.id), text }];
    match services(tree, given, limits, notes) {
        Ok(found) => files.extend(found),
        Err(found) => faults.extend(found),
    }
    if faults.is_empty() { Ok(files) } else { Err(faults) }
}

fn head(description: &Description) -> String {
    let mut out = String::new();
    toml::comment(&mut out, &format!("Made of the API archive {}", description.id));
    for (key, value) in [
        ("title", &description.title),
        ("version", &description.version),
        ("description", &description.description),
        ("base_path", &description.base_path),
    ] {
        if !value.is_empty() || key == "base_path" {
            let _ = writeln!(out, "{key} = {}", toml::string(value));
        }
    }
    out
}

/// The services in the archive. Whole ones are read as archives of their own; for schemas alone there is a
/// note.
fn services(tree: &Tree, given: &Given, limits: &Limits, notes: &mut Notes) -> Result<Vec<File>, Vec<Fault>> {
    let manifests: Vec<&str> = tree
        .paths()
        .filter_map(|path| path.strip_prefix("services/")?.strip_suffix("/manifest.yml"))
        .filter(|folder| !folder.contains('/'))
        .collect();
    let mut files = Vec::new();
    for folder in manifests {
        let place = format!("services/{folder}");
        let below = tree.below(&place);
        let whole = below.paths().any(|path| path.ends_with(".si") || path.ends_with(".wsbind"));
        if !whole && given.copybook(folder, "REQUEST").is_none() {
            let reason =
                format!("of the service {folder} there are only the schemas; read its own archive too");
            notes.add(&format!("{place}/manifest.yml"), 0, reason);
            continue;
        }
        let mut inner = Notes::default();
        let read = service::read(&below, given, limits, &mut inner);
        for note in inner.into_list() {
            notes.add(&format!("{place}/{}", note.file), note.line, note.reason);
        }
        let read = read.map_err(|faults| {
            let moved =
                faults.into_iter().map(|fault| Fault { file: format!("{place}/{}", fault.file), ..fault });
            moved.collect::<Vec<_>>()
        })?;
        files.extend(read);
    }
    Ok(files)
}

fn operation_text(
    tree: &Tree,
    description: &Description,
    operation: &Operation,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<String, Fault> {
    let wrong = |message: String| Fault::at(FaultKind::Content, FILE, operation.line, message);
    let called = format!("{} {}", operation.method, operation.path);
    if !METHODS.contains(&operation.method.as_str()) {
        let known = METHODS.join(", ");
        return Err(wrong(format!("{called}: the method must be one of {known}")));
    }
    let Some(service) = &operation.service else {
        return Err(wrong(format!("{called} calls no service")));
    };
    let mapping = match &operation.mapping {
        Some(path) => Mapping::read(tree, path, limits, notes)?,
        None => Mapping::default(),
    };
    let documented = description.documented(operation);
    let mut out = format!("\n[[operation]]\nmethod = {}\n", toml::string(&operation.method));
    let _ = writeln!(out, "path = {}", toml::string(&operation.path));
    let _ = writeln!(out, "service = {}", toml::string(service));
    if let Some(id) = &operation.id {
        let _ = writeln!(out, "operation_id = {}", toml::string(id));
    }
    for key in ["summary", "description"] {
        if let Some(text) =
            documented.and_then(|document| document.get(key)?.as_str()).filter(|text| !text.is_empty())
        {
            let _ = writeln!(out, "{key} = {}", toml::string(text));
        }
    }
    let request = request_text(operation, documented, mapping.request.as_ref(), notes);
    if !request.is_empty() {
        let _ = write!(out, "\n[operation.request]\n{request}");
    }
    out.push_str(&response::text(operation, &mapping, notes));
    Ok(out)
}

/// A field in the form of an API file: the path of its JSON names.
fn pointer(field: &str) -> String {
    format!("/{field}")
}

fn request_text(
    operation: &Operation,
    documented: Option<&Value>,
    map: Option<&Map>,
    notes: &mut Notes,
) -> String {
    let (mut moves, mut assign, mut default, mut remove) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let called = format!("{} {}", operation.method, operation.path);
    let known = parameters(documented);
    for step in map.into_iter().flat_map(|map| &map.steps) {
        match &step.action {
            Action::MoveIn { from, field, required } => {
                let parameter = known.get(&(from.place, from.name.as_str()));
                let documented_required = parameter.and_then(|known| known.get("required")?.as_bool());
                let mut parts = vec![
                    format!("from = {}", toml::string(&format!("{}.{}", from.place, from.name))),
                    format!("to = {}", toml::string(&pointer(field))),
                ];
                if from.place != "path" && documented_required.unwrap_or(*required) {
                    parts.push("required = true".to_owned());
                }
                let text = parameter.and_then(|known| known.get("description")?.as_str());
                if let Some(text) = text.filter(|text| !text.is_empty()) {
                    parts.push(format!("description = {}", toml::string(text)));
                }
                moves.push((from.clone(), format!("    {{ {} }},\n", parts.join(", "))));
            }
            // An empty value means blanks for a text. Other fields keep their initial value.
            Action::Assign { field, value, text: false, .. } if value.is_empty() => {
                remove.push(pointer(field));
            }
            Action::Assign { field, value, always, .. } => {
                let line = format!("{} = {}", toml::key(&pointer(field)), toml::string(value));
                if *always { assign.push(line) } else { default.push(line) }
            }
            Action::Remove { field } => remove.push(pointer(field)),
            Action::MoveOut { .. } | Action::AssignHeader { .. } => {}
            Action::Other { what } => {
                let file = map.map_or(FILE, |map| &map.file);
                notes.add(file, step.line, format!("{called}: {what} has no counterpart"));
            }
        }
    }
    unused_parameters(
        operation,
        documented,
        &moves.iter().map(|(from, _)| (from.place, from.name.as_str())).collect(),
        notes,
    );
    let mut out = String::new();
    if !moves.is_empty() {
        let lines: String = moves.into_iter().map(|(_, line)| line).collect();
        let _ = writeln!(out, "move = [\n{lines}]");
    }
    for (key, lines) in [("assign", assign), ("default", default)] {
        if !lines.is_empty() {
            let _ = writeln!(out, "{key} = {{ {} }}", lines.join(", "));
        }
    }
    if !remove.is_empty() {
        let _ = writeln!(out, "remove = {}", toml::list(remove.iter().map(String::as_str)));
    }
    out
}

/// Notes documented parameters that no step moves, and bodies that our API does not take.
fn unused_parameters(
    operation: &Operation,
    documented: Option<&Value>,
    moved: &HashSet<(&str, &str)>,
    notes: &mut Notes,
) {
    let called = format!("{} {}", operation.method, operation.path);
    let names = operation.path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0));
    for name in names {
        if !moved.contains(&("path", name)) {
            let reason =
                format!("{called}: the path parameter '{name}' is moved to no field; an API file needs that");
            notes.add(FILE, operation.line, reason);
        }
    }
    let parameters = documented.and_then(|document| document.get("parameters")?.as_array());
    for parameter in parameters.into_iter().flatten() {
        let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, place) = (text("name"), text("in"));
        if place == "body" {
            if matches!(operation.method.as_str(), "GET" | "DELETE") {
                let reason = format!(
                    "{called} is documented with a body; here {} takes none, and fields that are not moved or assigned \
                     have their initial values",
                    operation.method
                );
                notes.add(FILE, operation.line, reason);
            }
        } else if name != AUTHORIZATION && place != "path" && !moved.contains(&(place, name)) {
            let reason =
                format!("{called}: the {place} parameter '{name}' is moved to no field and left out");
            notes.add(FILE, operation.line, reason);
        }
    }
}

/// The documented parameters by place and name.
fn parameters(document: Option<&Value>) -> HashMap<(&str, &str), &Value> {
    let listed = document.and_then(|document| document.get("parameters")?.as_array());
    listed
        .into_iter()
        .flatten()
        .filter_map(|parameter| {
            Some(((parameter.get("in")?.as_str()?, parameter.get("name")?.as_str()?), parameter))
        })
        .collect()
}
