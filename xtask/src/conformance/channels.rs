//! Channels of API projects: the structures that come of an asset's schemas are those of the copybooks beside the project,
//! and JSON that fits a schema goes to containers and back.

use std::fs;
use std::path::{Path, PathBuf};

use channel::{Interface, Options, Side};
use codepage::Encoding;
use copybook::Layout;
use packages::{Asset, Limits, Operation, Project};
use serde_json::{Map, Value, json};

use super::packages::Outcome;
use super::parse_file;

/// The cases of one project, whose files are given with their paths below its folder.
pub(super) fn cases(root: &Path, files: &[(String, Vec<u8>)]) -> Vec<Outcome> {
    // A fault of the project itself is a case of its own.
    let Ok(project) = Project::read(files, &Limits::default()) else { return Vec::new() };
    let mut outcomes = Vec::new();
    for operation in &project.operations {
        let Some(asset) = project.assets.iter().find(|asset| asset.name == operation.asset) else { continue };
        if !asset.kind.starts_with("cicsChannel") {
            continue;
        }
        for (side, name) in [(Side::Request, "request"), (Side::Response, "response")] {
            let case = format!("{} {name} channel", operation.operation_id.as_deref().unwrap_or(&asset.name));
            let case_of = Case { root, project: &project, operation, asset, side, name };
            outcomes.push((root.to_owned(), case, case_of.check(files)));
        }
    }
    outcomes
}

struct Case<'c> {
    root: &'c Path,
    project: &'c Project,
    operation: &'c Operation,
    asset: &'c Asset,
    side: Side,
    /// `request` or `response`.
    name: &'static str,
}

impl Case<'_> {
    fn check(&self, files: &[(String, Vec<u8>)]) -> Result<(), String> {
        let wanted = format!("/gen/{}Schema.json", self.name);
        let path =
            self.asset.files.iter().find(|path| path.ends_with(&wanted)).ok_or("there is no schema")?;
        let bytes =
            files.iter().find(|(name, _)| name == path).map(|(_, bytes)| bytes).ok_or("no such file")?;
        let schema = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        let interface = Interface::compile(schema, self.side, &self.options()?)
            .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        let expected = parse_file(&self.copybook()?)?;
        let made = copybook::parse(self.name, interface.copybook(), &copybook::Options::default())
            .map_err(|found| format!("{found:?}"))?;
        same_layouts(&expected, &made.layouts)?;
        let schema: Value = serde_json::from_str(schema).map_err(|error| error.to_string())?;
        for members in [Members::All, Members::Required] {
            let channel = sample(&schema["properties"]["channel"], members, 0);
            round_trip(&interface, &json!({ "channel": channel }))?;
        }
        Ok(())
    }

    /// The options of the project's build.
    fn options(&self) -> Result<Options, String> {
        let ccsid = self.asset.properties.get("ccsid").map_or("37", String::as_str);
        let encoding = ccsid.parse().ok().and_then(Encoding::by_ccsid).ok_or("an unknown CCSID")?;
        let mut options = Options::zos_connect(encoding);
        let number = |key: &str| self.project.options.get(key).and_then(|text| text.parse::<u64>().ok());
        if let Some(most) = number("defaultCharacterMaxLength") {
            options.default_char_max = most;
        }
        if let Some(digits) = number("defaultFractionDigits") {
            options.default_fraction_digits = u8::try_from(digits).map_err(|error| error.to_string())?;
        }
        Ok(options)
    }

    /// The copybook whose first lines say that it comes from this schema.
    fn copybook(&self) -> Result<PathBuf, String> {
        let id = self.operation.operation_id.as_deref().ok_or("the operation has no id")?;
        let says = format!("'{id}_{}.json'", self.name);
        let folder = self.root.join("copybooks");
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let found = paths.find(|path| fs::read_to_string(path).is_ok_and(|text| text.contains(&says)));
        found.ok_or_else(|| format!("no copybook is made from {says}"))
    }
}

/// Compares structures field by field: their order, places, bytes, types, rows and names. Names may differ in the digits
/// that tell them apart: the assistant's are unique within a structure, ours within the copybook.
fn same_layouts(expected: &[Layout], found: &[Layout]) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("expected {} structures, found {}", expected.len(), found.len()));
    }
    for (expected, found) in expected.iter().zip(found) {
        let name = expected.name();
        if expected.fields().len() != found.fields().len() {
            let (expected, found) = (expected.fields().len(), found.fields().len());
            return Err(format!("{name}: expected {expected} fields, found {found}"));
        }
        for (place, (left, right)) in expected.fields().iter().zip(found.fields()).enumerate() {
            let same = left.offset == right.offset
                && left.bytes == right.bytes
                && left.kind == right.kind
                && left.occurs.map(|occurs| occurs.max) == right.occurs.map(|occurs| occurs.max)
                && left.children.len() == right.children.len()
                && left.filler == right.filler
                && (place == 0 || stem(&left.name) == stem(&right.name));
            if !same {
                let shown = |field: &copybook::Field| {
                    format!("{} at {} of {} bytes, {:?}", field.name, field.offset, field.bytes, field.kind)
                };
                return Err(format!("{name}: expected {}, found {}", shown(left), shown(right)));
            }
        }
    }
    Ok(())
}

/// A name without the digits before its suffix, and at its end.
fn stem(name: &str) -> String {
    const SUFFIXES: [&str; 4] = ["-EXISTENCE", "-LENGTH", "-CONT", "-NUM"];
    let suffix = SUFFIXES.into_iter().find(|suffix| name.ends_with(suffix)).unwrap_or_default();
    let base = name.strip_suffix(suffix).unwrap_or(name);
    format!("{}{suffix}", base.trim_end_matches(|digit: char| digit.is_ascii_digit()))
}

fn round_trip(interface: &Interface, json: &Value) -> Result<(), String> {
    let text = json.to_string();
    let channel = interface.to_channel(text.as_bytes()).map_err(|error| format!("{text}: {error}"))?;
    let mut out = Vec::new();
    interface.to_json(&channel, &mut out).map_err(|error| format!("{text}: {error}"))?;
    let back: Value = serde_json::from_slice(&out).map_err(|error| error.to_string())?;
    if back == *json { Ok(()) } else { Err(format!("expected {json}, found {back}")) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Members {
    All,
    Required,
}

/// JSON that fits a schema: the longest text first, arrays of two elements.
fn sample(schema: &Value, members: Members, turn: usize) -> Value {
    match schema["type"].as_str() {
        Some("object") => {
            let required = |name: &str| {
                schema["required"].as_array().is_some_and(|list| list.iter().any(|entry| entry == name))
            };
            let properties = schema["properties"].as_object().into_iter().flatten();
            let kept = properties.filter(|(name, _)| members == Members::All || required(name));
            Value::Object(
                kept.map(|(name, schema)| (name.clone(), sample(schema, members, turn)))
                    .collect::<Map<_, _>>(),
            )
        }
        Some("array") => Value::Array((0..2).map(|turn| sample(&schema["items"], members, turn)).collect()),
        Some("number") => json!(12345.25),
        Some("integer") => json!(7),
        Some("boolean") => json!(turn == 0),
        _ => match (schema["enum"].as_array(), schema["maxLength"].as_u64()) {
            (Some(values), _) => values[turn % values.len()].clone(),
            (None, Some(most)) if turn == 0 || schema["minLength"].as_u64().is_some() => {
                Value::String("Title \"é ".chars().cycle().take(most as usize).collect())
            }
            (None, _) => json!("2026-11-21"),
        },
    }
}
