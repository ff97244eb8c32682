//! Service archives (`.sar`): manifest, interfaces and options become a service file and its copybooks.

mod bound;
mod options;

use std::fmt::Write;

use crate::archive::Tree;
use crate::fault::{Fault, FaultKind, Notes};
use crate::interface::Interface;
use crate::limits::Limits;
use crate::manifest::{self, Manifest};
use crate::queues;
use crate::toml;
use crate::writer::{self, Written};
use crate::xml::{self, Element};
use crate::{File, Given};

use options::Options;

/// One side of a service, ready to be written.
struct Side<'a> {
    /// `request` or `response`.
    name: &'static str,
    /// The path below `copybooks/`.
    copybook: String,
    /// The 01 level, if the copybook has several.
    record: Option<String>,
    wrapper: String,
    /// Keys of options, in their order.
    keys: Vec<(String, String)>,
    values: Vec<(String, String)>,
    written: &'a Written,
    /// True if each binary field needs a choice, because bytes 00 do not mean zero there by default.
    omit_zero: bool,
}

/// Reads the service whose manifest is at the root of the tree. Places in messages begin with `prefix`.
pub(crate) fn read(
    tree: &Tree,
    given: &Given,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<Vec<File>, Vec<Fault>> {
    let manifest = Manifest::read(tree, manifest::FILE, limits).map_err(|fault| vec![fault])?;
    match manifest.property("dataXformType") {
        Some("WALKER_VISITOR") => by_interfaces(tree, &manifest, limits, notes),
        Some("WSBIND") => bound::read(tree, &manifest, given, limits, notes),
        Some(other) => {
            let message = format!("the data transformation is {other}; WALKER_VISITOR and WSBIND are known");
            Err(vec![Fault::new(FaultKind::Content, &manifest.file, message)])
        }
        None if manifest.property("wvServiceFile").is_some() => by_interfaces(tree, &manifest, limits, notes),
        None => bound::read(tree, &manifest, given, limits, notes),
    }
}

/// A service with interfaces, which have the layout.
pub(crate) fn by_interfaces(
    tree: &Tree,
    manifest: &Manifest,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<Vec<File>, Vec<Fault>> {
    let definition = definition(tree, manifest, limits).map_err(|fault| vec![fault])?;
    let mut faults = Vec::new();
    let mut interface = |property: &str| {
        let read = side(tree, manifest, property, limits, notes);
        read.map_err(|found| faults.extend(found)).ok()
    };
    let request = interface("wvRequestInterfaceFile");
    let response = interface("wvResponseInterfaceFile");
    let (Some(request), Some(response)) = (request, response) else { return Err(faults) };
    let options = Options::read(manifest, definition.as_ref(), notes);
    let name = &manifest.name;
    let stem = |path: &str| path.rsplit('/').next().unwrap_or(path).trim_end_matches(".si").to_owned();
    let (one, other) = (stem(&request.0), stem(&response.0));
    let same = request.1.text == response.1.text;
    let other = if one.eq_ignore_ascii_case(&other) && !same { format!("{other}-response") } else { other };
    let sides = [("request", &one, &request.1), ("response", if same { &one } else { &other }, &response.1)];
    let sides = sides.map(|(side, stem, written)| {
        let suffix = if side == "request" { "Operation" } else { "OperationResponse" };
        let (mut keys, values) = options.keys(side == "request");
        if side == "request" && options.initialise == Some(false) {
            // Our copybooks have no VALUE clauses except for the interface's defaults.
            keys.push(("initialise".to_owned(), toml::string("values_or_low_values")));
        }
        Side {
            name: side,
            copybook: format!("{name}/{stem}.cpy"),
            record: None,
            wrapper: written.wrapper.clone().unwrap_or_else(|| format!("{name}{suffix}")),
            keys,
            values,
            written,
            omit_zero: side == "response" && options.omits_zero(),
        }
    });
    let mut files = vec![File {
        path: format!("services/{name}.toml"),
        text: service_text(manifest, &options, "toolkit", notes, &sides),
    }];
    for (position, side) in sides.iter().enumerate() {
        if position == 0 || !same {
            files.push(File {
                path: format!("copybooks/{}", side.copybook),
                text: copybook_text(manifest, &side.written.text),
            });
        }
    }
    Ok(files)
}

/// The path of an interface, and its copybook.
fn side(
    tree: &Tree,
    manifest: &Manifest,
    property: &str,
    limits: &Limits,
    notes: &mut Notes,
) -> Result<(String, Written), Vec<Fault>> {
    let Some(path) = manifest.file(property) else {
        let message = format!("the property {property} is missing");
        return Err(vec![Fault::new(FaultKind::Content, &manifest.file, message)]);
    };
    let text = tree.text(&path).map_err(|fault| vec![fault])?;
    let interface = Interface::parse(&path, text, limits, notes)?;
    let written = writer::write(&interface, notes)?;
    Ok((path, written))
}

/// The service definition. It has the code page and options that manifests of older tools lack.
fn definition(tree: &Tree, manifest: &Manifest, limits: &Limits) -> Result<Option<Element>, Fault> {
    match manifest.file("wvServiceFile") {
        Some(path) => Ok(Some(xml::parse(&path, tree.text(&path)?, limits)?)),
        None => Ok(None),
    }
}

fn copybook_text(manifest: &Manifest, text: &str) -> String {
    format!("      * Made of the interface of the service {}.\n{text}", manifest.name)
}

/// The text of `services/NAME.toml`.
fn service_text(
    manifest: &Manifest,
    options: &Options,
    naming: &str,
    notes: &mut Notes,
    sides: &[Side<'_>],
) -> String {
    let mut out = String::new();
    let version = if manifest.version.is_empty() { "" } else { ", version " };
    toml::comment(
        &mut out,
        &format!("Made of the service archive {}{version}{}", manifest.name, manifest.version),
    );
    let _ = writeln!(out, "description = {}", toml::string(&manifest.description));
    let _ = writeln!(out, "ccsid = {}", options.ccsid);
    let _ = writeln!(out, "naming = {}", toml::string(naming));
    if let Some(program) = manifest.property("program") {
        let _ = writeln!(out, "program = {}", toml::string(program));
    }
    // Assets of API projects have kinds, but no providers.
    if manifest.file == manifest::FILE && !manifest.provider.is_empty() {
        let _ = writeln!(out, "service_provider = {}", toml::string(&manifest.provider));
    }
    out.push('\n');
    provider_text(&mut out, manifest, notes);
    for side in sides {
        let _ = writeln!(out, "\n[{}]\ncopybook = {}", side.name, toml::string(&side.copybook));
        if let Some(record) = &side.record {
            let _ = writeln!(out, "record = {}", toml::string(record));
        }
        let _ = writeln!(out, "wrapper = {}", toml::string(&side.wrapper));
        for (key, value) in &side.keys {
            let _ = writeln!(out, "{key} = {value}");
        }
        if !side.written.containers.is_empty() {
            let containers = side.written.containers.iter();
            let names: Vec<_> = containers
                .map(|(word, name)| format!("{} = {}", toml::key(word), toml::string(name)))
                .collect();
            let _ = writeln!(out, "containers = {{ {} }}", names.join(", "));
        }
        if !side.values.is_empty() {
            let _ = writeln!(out, "\n[{}.values]", side.name);
            for (key, value) in &side.values {
                let _ = writeln!(out, "{key} = {value}");
            }
        }
        fields_text(&mut out, side);
    }
    out
}

fn provider_text(out: &mut String, manifest: &Manifest, notes: &mut Notes) {
    let mut told = vec![format!("Its provider there was {}", manifest.provider)];
    for (property, words) in [
        ("program", "the program"),
        ("connectionRef", "over the connection"),
        ("transid", "under the transaction"),
        ("connectionFactory", "over the connection factory"),
    ] {
        if let Some(value) = manifest.property(property) {
            told.push(format!("{words} {value}"));
        }
    }
    toml::comment(out, &format!("{}.", told.join(", ")));
    if queues::is_queue_service(&manifest.provider, manifest.property("destination")) {
        let made = queues::provider(&|name: &str| manifest.property(name).map(str::to_owned));
        out.push_str(&made.text);
        made.notes.into_iter().for_each(|note| notes.add(&manifest.file, 0, note));
        return;
    }
    toml::comment(out, "This service answers 503 until it has a [provider], or its program is in programs/.");
}

/// The policies of a number beside other views: those of its side, except that bytes which are not a number
/// are left out.
fn values_beside_views(values: &[(String, String)]) -> String {
    const OWN: [(&str, &str); 2] = [("bad_numbers", "null"), ("omit_empty", "null")];
    let is_told = |key: &str| values.iter().any(|(told, _)| told == key);
    let own = OWN.iter().filter(|(key, _)| !is_told(key)).map(|(key, value)| (*key, toml::string(value)));
    let parts = values.iter().map(|(key, value)| (key.as_str(), value.clone())).chain(own);
    let parts: Vec<String> = parts.map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", parts.join(", "))
}

fn fields_text(out: &mut String, side: &Side<'_>) {
    let mut lines = Vec::new();
    for (word, choice) in &side.written.fields {
        let mut parts = Vec::new();
        let mut add = |key: &str, value: String| parts.push(format!("{key} = {value}"));
        if let Some(name) = &choice.name {
            add("name", toml::string(name));
        }
        if let Some(included) = choice.included {
            add("included", included.to_string());
        }
        if let (Some(default), "request") = (&choice.default, side.name) {
            add("default", toml::string(default));
        }
        if choice.hex {
            add("bytes", toml::string("hex"));
        }
        if side.omit_zero && side.written.binary.contains(word) {
            add("omit", "0".to_owned());
        }
        if let (true, "response") = (choice.beside_views, side.name) {
            add("values", values_beside_views(&side.values));
        }
        if let Some(description) = &choice.description {
            add("description", toml::string(description));
        }
        if !parts.is_empty() {
            lines.push(format!("{} = {{ {} }}", toml::key(word), parts.join(", ")));
        }
    }
    let chosen = |word: &&String| side.written.fields.iter().any(|(known, _)| known == *word);
    for word in side.written.binary.iter().filter(|word| side.omit_zero && !chosen(word)) {
        lines.push(format!("{} = {{ omit = 0 }}", toml::key(word)));
    }
    if !lines.is_empty() {
        let _ = writeln!(out, "\n[{}.fields]\n{}", side.name, lines.join("\n"));
    }
}
