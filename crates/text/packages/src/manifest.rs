//! `manifest.yml` of a service archive: the name of the service, its program, and its conversion.

use crate::archive::Tree;
use crate::fault::{Fault, FaultKind};
use crate::limits::Limits;
use crate::names::check_name;
use crate::yaml::{self, Node};

/// The file that every service archive has.
pub(crate) const FILE: &str = "manifest.yml";

/// The content of a manifest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    /// Its path, for messages.
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    /// The service provider's name, `CICS-1.0`.
    pub(crate) provider: String,
    pub(crate) request_schema: Option<String>,
    pub(crate) response_schema: Option<String>,
    /// Name, value and line of all provider properties.
    pub(crate) properties: Vec<(String, String, usize)>,
    /// True if mappings of a project make its requests. Parameters are texts then, whatever their targets.
    pub(crate) by_mappings: bool,
}

impl Manifest {
    pub(crate) fn read(tree: &Tree, file: &str, limits: &Limits) -> Result<Self, Fault> {
        let root = yaml::parse(file, tree.text(file)?, limits)?;
        let wrong = |line: usize, message: String| Fault::at(FaultKind::Content, file, line, message);
        if root.map().is_none() {
            return Err(wrong(root.line, "expected a map of keys".to_owned()));
        }
        let text = |key: &str| root.get_text(key).unwrap_or_default().to_owned();
        let name = text("name");
        check_name(&name).map_err(|why| wrong(root.line, format!("the service's name {why}")))?;
        let mut properties = Vec::new();
        for item in root.get("providerProperties").and_then(Node::list).unwrap_or_default() {
            let Some(name) = item.get_text("propertyName") else {
                return Err(wrong(item.line, "a provider property has no propertyName".to_owned()));
            };
            properties.push((
                name.to_owned(),
                item.get_text("value").unwrap_or_default().to_owned(),
                item.line,
            ));
        }
        let schema = |key: &str| root.get(key)?.get_text("value").map(local);
        Ok(Self {
            file: file.to_owned(),
            name,
            version: text("version"),
            description: text("description"),
            provider: text("provider"),
            request_schema: schema("requestSchema"),
            response_schema: schema("responseSchema"),
            properties,
            by_mappings: false,
        })
    }

    /// The value of a property; none if it is empty.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(known, ..)| known == name)?;
        Some(found.1.as_str()).filter(|value| !value.is_empty())
    }

    /// The path of the file that a property names.
    pub(crate) fn file(&self, name: &str) -> Option<String> {
        self.property(name).map(local)
    }
}

/// A path within the archive: `file:///schemas/x.json` and `files\x.xml` are relative to its root.
fn local(text: &str) -> String {
    let path = text.replace('\\', "/");
    path.strip_prefix("file:").unwrap_or(&path).trim_start_matches('/').to_owned()
}
