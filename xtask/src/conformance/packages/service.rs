//! A service made of a package: its file, layouts and binds, compared with layouts and records of other projects.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::packages::Package;
use api::ServiceInterface;
use codepage::Encoding;
use copybook::Layout;
use interface::Interface;
use record::{Bind, FieldOptions, Initialise, MissingRows, Naming, Options, Policies, ZeroOccurs};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::{from_hex, layouts, vectors};

/// A service file, as packages make it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "description")]
    _description: String,
    ccsid: u16,
    naming: Naming,
    /// The program behind it, which no conversion needs.
    #[serde(rename = "program")]
    _program: Option<String>,
    /// The name of its provider in z/OS Connect, for clients alone.
    #[serde(rename = "service_provider")]
    _service_provider: Option<String>,
    request: Section,
    response: Section,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    copybook: String,
    wrapper: String,
    #[serde(default)]
    missing_rows: MissingRows,
    #[serde(default)]
    zero_occurs: ZeroOccurs,
    #[serde(default)]
    initialise: Initialise,
    #[serde(default)]
    values: Policies,
    #[serde(default)]
    fields: BTreeMap<String, Choice>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    name: Option<String>,
    included: Option<bool>,
    default: Option<String>,
    description: Option<String>,
}

/// A service and how it shows itself.
pub(super) struct Service {
    pub(super) name: String,
    file: File,
    pub(super) interface: ServiceInterface,
}

/// A record of somebody with its JSON, in the names of the copybook.
#[derive(Deserialize)]
struct Record {
    service: String,
    hex: String,
    json: Value,
}

/// A layout of somebody.
#[derive(Deserialize)]
struct Source {
    si: String,
}

impl Service {
    /// Reads the service file of a package, and the copybooks beside it.
    ///
    /// # Errors
    /// The faults of its files.
    pub(super) fn new(package: &Package) -> Result<Self, String> {
        let name = package.name.clone();
        let text = super::text(package, &format!("services/{name}.toml"))?;
        let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        let side = |section: &Section| interface(package, &file, section);
        let interface = ServiceInterface {
            name: name.clone(),
            request: side(&file.request)?,
            response: side(&file.response)?,
            states_status: false,
        };
        Ok(Self { name, file, interface })
    }

    /// Compares a line of cases, if it is about this service.
    pub(super) fn check(&self, line: &str) -> Option<Result<(), String>> {
        if let Ok(source) = serde_json::from_str::<Source>(line) {
            let own = format!("/services/{}/service-interfaces/", self.name);
            return source.si.contains(&own).then(|| layouts::compare(line, &self.interface.request.layout));
        }
        let record: Record = serde_json::from_str(line).ok()?;
        (record.service == self.name).then(|| {
            // Under the names of the copybook all fields show, both ways.
            vectors::compare(line, &self.interface.response.layout)?;
            self.shown(&record)
        })
    }

    /// Under the names of the service, what it includes shows.
    fn shown(&self, record: &Record) -> Result<(), String> {
        let Interface { layout, options } = &self.interface.response;
        let bind = Bind::compile(layout, options).map_err(|errors| format!("{errors:?}"))?;
        let mut json = Vec::new();
        bind.decode(&from_hex(&record.hex)?, &mut json).map_err(|error| error.to_string())?;
        let found: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let Some(fields) = record.json.as_object().and_then(|outer| outer.values().next()) else {
            return Err("the case's JSON has no object around its fields".to_owned());
        };
        let mut expected = Map::new();
        expected.insert(self.file.response.wrapper.clone(), self.renamed(fields));
        vectors::same("JSON", &vectors::trimmed(Value::Object(expected)), &found)
    }

    fn renamed(&self, value: &Value) -> Value {
        match value {
            Value::Array(rows) => rows.iter().map(|row| self.renamed(row)).collect(),
            Value::Object(members) => {
                let members = members.iter().filter_map(|(name, value)| {
                    let choice = self.file.response.fields.get(&name.replace('_', "-"));
                    if choice.is_some_and(|choice| choice.included == Some(false)) {
                        return None;
                    }
                    let shown = choice.and_then(|choice| choice.name.clone()).unwrap_or_else(|| name.clone());
                    Some((shown, self.renamed(value)))
                });
                Value::Object(members.collect())
            }
            other => other.clone(),
        }
    }
}

fn interface(package: &Package, file: &File, section: &Section) -> Result<Interface, String> {
    let copybook = super::text(package, &format!("copybooks/{}", section.copybook))?;
    let parsed = copybook::parse(&section.copybook, copybook, &copybook::Options::default())
        .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let [layout] = <[Layout; 1]>::try_from(parsed.layouts).map_err(|all| format!("{} records", all.len()))?;
    let encoding =
        Encoding::by_ccsid(file.ccsid).ok_or_else(|| format!("CCSID {} is not known", file.ccsid))?;
    let mut options = Options {
        naming: file.naming,
        wrapper: Some(section.wrapper.clone()),
        missing_rows: section.missing_rows,
        zero_occurs: section.zero_occurs,
        initialise: section.initialise,
        policies: section.values,
        ..Options::new(encoding)
    };
    for (name, choice) in &section.fields {
        let id = layout.resolve(name).map_err(|error| error.explain(name))?;
        let field = FieldOptions {
            name: choice.name.clone(),
            included: choice.included,
            default: choice.default.clone(),
            description: choice.description.clone(),
            ..FieldOptions::default()
        };
        options.fields.insert(id, field);
    }
    Ok(Interface { layout: Arc::new(layout), options })
}
