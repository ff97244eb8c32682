//! Services that convert by a bind file, whose layout is not readable. The user gives the copybooks, and the
//! schemas say which fields show.

use std::collections::HashSet;

use copybook::{FieldId, Kind, Layout};
use serde_json::{Map, Value};

use crate::archive::Tree;
use crate::fault::{Fault, FaultKind, Notes};
use crate::limits::Limits;
use crate::manifest::Manifest;
use crate::writer::{Choice, Written};
use crate::{File, Given, json, toml};

use super::options::Options;
use super::{Side, service_text};

/// Names of the sides, in the names of copybooks, and the manifest's schema of each.
const SIDES: [(&str, &str); 2] = [("request", "REQUEST"), ("response", "RESPONSE")];

pub(super) fn read(
    tree: &Tree,
    manifest: &Manifest,
    given: &Given,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<Vec<File>, Vec<Fault>> {
    let found: Vec<_> = {
        let program = manifest.property("program");
        let of_side = |(_, word): &(&str, &str)| given.copybook_of(&manifest.name, program, word);
        SIDES.iter().filter_map(of_side).collect()
    };
    let [request, response] = found.as_slice() else { return Err(vec![needed(manifest)]) };
    let mut faults = Vec::new();
    let mut sides = Vec::new();
    for ((side, _), copybook) in SIDES.iter().zip([request, response]) {
        let schema = if *side == "request" { &manifest.request_schema } else { &manifest.response_schema };
        match matched(tree, schema.as_deref(), &copybook.file, &copybook.text, limits, notes) {
            Ok(matched) => sides.push(matched),
            Err(found) => faults.extend(found),
        }
    }
    let [one, other] = sides.as_slice() else { return Err(faults) };
    let options = Options::read(manifest, None, notes);
    let same = request.text == response.text;
    let paths =
        [request, response].map(|copybook| format!("{}/{}", manifest.name, file_name(&copybook.file)));
    let second = if paths[0] == paths[1] && !same {
        format!("{}/response-{}", manifest.name, file_name(&response.file))
    } else {
        paths[1].clone()
    };
    let side = |name: &'static str, path: &str, matched: &'_ Matched| -> SideParts {
        let (mut keys, values) = options.keys(name == "request");
        // The values of the copybook's VALUE clauses are those of the program, not of the interface.
        let initialise = options.initialise.filter(|_| name == "request");
        if let Some(initialise) = initialise {
            let word = if initialise { "types" } else { "low_values" };
            keys.push(("initialise".to_owned(), toml::string(word)));
        }
        SideParts { name, path: path.to_owned(), record: matched.record.clone(), keys, values }
    };
    let parts = [side("request", &paths[0], one), side("response", &second, other)];
    let suffixes = ["Operation", "OperationResponse"];
    let mut written = Vec::new();
    for ((parts, matched), suffix) in parts.into_iter().zip([one, other]).zip(suffixes) {
        let wrapper = matched.written.wrapper.clone().unwrap_or_else(|| format!("{}{suffix}", manifest.name));
        written.push(Side {
            name: parts.name,
            copybook: parts.path,
            record: parts.record,
            wrapper,
            keys: parts.keys,
            values: parts.values,
            written: &matched.written,
            omit_zero: false,
        });
    }
    let mut files = vec![File {
        path: format!("services/{}.toml", manifest.name),
        text: service_text(manifest, &options, "ls2js", notes, &written),
    }];
    files.push(File { path: format!("copybooks/{}", written[0].copybook), text: request.text.clone() });
    if written[1].copybook != written[0].copybook {
        files.push(File { path: format!("copybooks/{}", written[1].copybook), text: response.text.clone() });
    }
    Ok(files)
}

struct SideParts {
    name: &'static str,
    path: String,
    record: Option<String>,
    keys: Vec<(String, String)>,
    values: Vec<(String, String)>,
}

/// The copybook's record that a schema describes, and its visible fields.
struct Matched {
    record: Option<String>,
    written: Written,
}

fn needed(manifest: &Manifest) -> Fault {
    let name = &manifest.name;
    let message = format!(
        "the service {name} converts by a bind file (WSBIND), which tells no layout that can be read; give the \
         copybooks it was made of: gantry import PACKAGE --into FOLDER --copybook REQUEST=FILE --copybook \
         RESPONSE=FILE (or {name}.REQUEST=FILE where there are several services); for a package in the folder packages, \
         copybooks/{name}.REQUEST.cpy and copybooks/{name}.RESPONSE.cpy, or one for both with the name of the service or of \
         its program"
    );
    Fault::new(FaultKind::CopybookNeeded, &manifest.file, message)
}

fn file_name(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect()
}

fn matched(
    tree: &Tree,
    schema: Option<&str>,
    file: &str,
    text: &str,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<Matched, Vec<Fault>> {
    let parsed = copybook::parse(file, text, &copybook::Options::default()).map_err(|diagnostics| {
        let faults = diagnostics.iter().map(|found| Fault::new(FaultKind::Syntax, file, found.to_string()));
        faults.collect::<Vec<_>>()
    })?;
    let one = |fault: Fault| vec![fault];
    let Some(path) = schema.filter(|path| tree.has(path)) else {
        notes.add(
            file,
            0,
            "the service has no schema: all fields of the copybook show, under the names of DFHLS2JS",
        );
        let [_] = parsed.layouts.as_slice() else {
            let message =
                format!("{} records, and no schema that says which; expected one", parsed.layouts.len());
            return Err(one(Fault::new(FaultKind::Content, file, message)));
        };
        return Ok(Matched { record: None, written: empty(None) });
    };
    let schema = json::parse(path, tree.text(path).map_err(one)?, limits).map_err(one)?;
    let (wrapper, members) = outermost(path, &schema).map_err(one)?;
    let mut best: Option<(Chooser<'_>, &Layout)> = None;
    for layout in &parsed.layouts {
        let mut chooser = Chooser::new(layout);
        let root = layout.iter().next().map(|(id, _)| id);
        if let Some(root) = root {
            chooser.object(&layout.field(root).children, members, "");
        }
        if best.as_ref().is_none_or(|(known, _)| chooser.missing.len() < known.missing.len()) {
            best = Some((chooser, layout));
        }
    }
    let Some((chooser, layout)) = best else {
        return Err(one(Fault::new(FaultKind::Content, file, "the copybook has no record")));
    };
    if !chooser.missing.is_empty() {
        const SHOWN: usize = 5;
        let names: Vec<&str> = chooser.missing.iter().take(SHOWN).map(String::as_str).collect();
        let more = chooser.missing.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let message =
            format!("{path} has members for which the copybook has no field: {}{more}", names.join(", "));
        return Err(one(Fault::new(FaultKind::Content, file, message)));
    }
    let record = (parsed.layouts.len() > 1).then(|| layout.name().to_owned());
    let mut written = empty(Some(wrapper.to_owned()));
    written.fields = chooser.choices;
    Ok(Matched { record, written })
}

fn empty(wrapper: Option<String>) -> Written {
    Written { text: String::new(), wrapper, fields: Vec::new(), binary: Vec::new(), containers: Vec::new() }
}

/// The only object around the fields, and its members.
fn outermost<'s>(path: &str, schema: &'s Value) -> Result<(&'s str, &'s Map<String, Value>), Fault> {
    let found = schema.get("properties").and_then(Value::as_object).filter(|members| members.len() == 1);
    let inner = found.and_then(|members| members.iter().next());
    match inner.and_then(|(name, inner)| Some((name.as_str(), members_of(inner)?))) {
        Some(found) => Ok(found),
        None => {
            let message = "expected a schema of one object with the fields in it";
            Err(Fault::new(FaultKind::Content, path, message))
        }
    }
}

/// The members of an object, or of the rows of an array.
fn members_of(schema: &Value) -> Option<&Map<String, Value>> {
    let object = if schema.get("type").and_then(Value::as_str) == Some("array") {
        schema.get("items")?
    } else {
        schema
    };
    object.get("properties")?.as_object()
}

/// Compares a layout with a schema.
struct Chooser<'l> {
    layout: &'l Layout,
    choices: Vec<(String, Choice)>,
    /// Members of the schema without a field.
    missing: Vec<String>,
    redefined: HashSet<FieldId>,
    counters: HashSet<FieldId>,
}

impl<'l> Chooser<'l> {
    fn new(layout: &'l Layout) -> Self {
        let fields = layout.fields();
        Self {
            layout,
            choices: Vec::new(),
            missing: Vec::new(),
            redefined: fields.iter().filter_map(|field| field.redefines).collect(),
            counters: fields.iter().filter_map(|field| field.occurs.as_ref()?.depending_on).collect(),
        }
    }

    fn object(&mut self, children: &[FieldId], members: &Map<String, Value>, path: &str) {
        let mut found = Vec::new();
        self.group(children, members, path, &mut found);
        let missing = members.keys().filter(|name| !found.contains(*name));
        self.missing.extend(missing.map(|name| format!("{path}{name}")));
    }

    fn group(
        &mut self,
        children: &[FieldId],
        members: &Map<String, Value>,
        path: &str,
        found: &mut Vec<String>,
    ) {
        // The areas whose view in the schema is not the first one.
        let viewed: HashSet<FieldId> = children
            .iter()
            .map(|id| self.layout.field(*id))
            .filter(|field| members.contains_key(&ls2js(&field.spelling)))
            .filter_map(|field| field.redefines)
            .collect();
        for id in children {
            let field = self.layout.field(*id);
            if field.filler {
                if field.kind == Kind::Group && field.redefines.is_none() {
                    self.group(&field.children, members, path, found);
                }
                continue;
            }
            let member = members.get_key_value(&ls2js(&field.spelling));
            let overlaid = field.redefines.is_some() || self.redefined.contains(id);
            match member {
                Some((name, schema)) => {
                    found.push(name.clone());
                    if overlaid {
                        self.choose(*id, true);
                    }
                    if let (Kind::Group, Some(inner)) = (&field.kind, members_of(schema)) {
                        self.object(&field.children, inner, &format!("{path}{name}/"));
                    }
                }
                // Of several views, only the chosen ones show. A counter never shows.
                None if field.redefines.is_some() || self.counters.contains(id) => {}
                None if viewed.contains(id) => {}
                None => self.choose(*id, false),
            }
        }
    }

    fn choose(&mut self, id: FieldId, included: bool) {
        let choice = Choice { included: Some(included), ..Choice::default() };
        self.choices.push((self.layout.path(id), choice));
    }
}

/// A JSON name by the rules of DFHLS2JS: hyphens become underscores, and parts in upper case become lower
/// case.
fn ls2js(cobol: &str) -> String {
    let lower = |part: &str| {
        let mixed = part.bytes().any(|byte| byte.is_ascii_lowercase());
        if mixed { part.to_owned() } else { part.to_ascii_lowercase() }
    };
    let name = cobol.split('-').map(lower).collect::<Vec<_>>().join("_");
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}
