//! The WSDL: its files, its bindings, and the address of a server.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use soap_commands::{OUTSIDE, operation_name, rooted, unknown_operations, wsdl_bytes};
use wsdl::read::{Binding, Name, Wsdl};

use crate::ask;
use crate::backs::Url;
use crate::sources::NewFiles;

/// The folder of the WSDL in the new folder.
const FOLDER: &str = "wsdl";
/// The most faults that are shown of one document. The others are only counted.
const FAULTS_MAX: usize = 20;

/// A WSDL of the user.
pub(super) struct Document {
    /// The name of its file; from the root, if it imports something outside of its own folder.
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    folder: PathBuf,
    pub(super) wsdl: Wsdl,
}

impl Document {
    /// Reads a WSDL. The files that it imports are below `root`, or below its own folder.
    ///
    /// # Errors
    ///
    /// It cannot be read or has faults. The text has all of them.
    pub(super) fn read(path: &Path, root: Option<&Path>) -> Result<Self, String> {
        let shown = path.display();
        let bytes = wsdl_bytes(path).map_err(|message| format!("{shown}: {message}"))?;
        let (from_root, root) = rooted(path, root)?;
        if !settings::is_safe(&from_root) {
            return Err(format!("{shown}: no file of a configuration folder can have this name"));
        }
        let mut files = |name: &str| wsdl_bytes(&root.join(name));
        let (name, wsdl) = wsdl::read::below_root((&from_root, OUTSIDE), &mut files, |name, files| {
            (name.to_owned(), wsdl::read::read(name, bytes.clone(), files))
        });
        // The WSDL may be a link, so its folder is that of its path from the root.
        let folder = match (name.contains('/'), from_root.rsplit_once('/')) {
            (false, Some((folder, _))) => root.join(folder),
            _ => root.to_owned(),
        };
        let wsdl = wsdl.map_err(|faults| {
            let lines = faults.iter().take(FAULTS_MAX);
            let mut lines: Vec<String> =
                lines.map(|fault| format!("{}: {}", fault.place, fault.message)).collect();
            if faults.len() > FAULTS_MAX {
                lines.push(format!("and {} more", faults.len() - FAULTS_MAX));
            }
            lines.join("\n        ")
        })?;
        Ok(Self { name, bytes, folder, wsdl })
    }

    /// Its path in the new folder.
    pub(super) fn path(&self) -> String {
        format!("{FOLDER}/{}", self.name)
    }

    /// Gives the bytes of an imported file.
    pub(super) fn part(&self, name: &str) -> Result<Vec<u8>, String> {
        if name.starts_with("../") {
            return Err(OUTSIDE.to_owned());
        }
        wsdl_bytes(&self.folder.join(name))
    }

    /// The WSDL and its imports, by their paths in the new folder.
    ///
    /// # Errors
    /// One of them is gone.
    pub(super) fn files(&self) -> Result<NewFiles, String> {
        let parts = self.wsdl.documents.keys().filter(|name| **name != self.name);
        let mut files = vec![(self.path(), self.bytes.clone())];
        for name in parts {
            let bytes = self.part(name).map_err(|message| format!("{name}: {message}"))?;
            files.push((format!("{FOLDER}/{name}"), bytes));
        }
        Ok(files)
    }

    /// True if there are bindings of other port types, too. Their operations may have the same
    /// names.
    pub(super) fn has_other_port_types(&self, binding: &Binding) -> bool {
        self.wsdl.bindings.iter().any(|other| other.port_type != binding.port_type)
    }

    /// The wanted binding, or the only one. Among bindings of one port type, the first counts.
    ///
    /// # Errors
    /// The binding does not exist, or the choice is not clear.
    pub(super) fn binding(&self, wanted: Option<&str>) -> Result<&Binding, String> {
        let bindings = &self.wsdl.bindings;
        let named = |name: &str| {
            let names: Vec<&str> = bindings.iter().map(|binding| binding.name.as_str()).collect();
            bindings.iter().find(|binding| binding.name == name).ok_or_else(|| {
                format!("--binding: {} has no binding '{name}': it has {}", self.name, names.join(", "))
            })
        };
        if let Some(name) = wanted {
            return named(name);
        }
        let port_types: BTreeSet<&Name> = bindings.iter().map(|binding| &binding.port_type).collect();
        match (bindings.as_slice(), port_types.len()) {
            ([], _) => Err(format!("{} has no binding for SOAP", self.name)),
            ([first, ..], 1) => Ok(first),
            (several, _) => {
                let list: Vec<&str> = several.iter().map(|binding| binding.name.as_str()).collect();
                let list = list.join(", ");
                named(&ask(&format!("The binding, one of {list}"), &format!("--binding one of {list}"))?)
            }
        }
    }
}

/// A binding with the wanted operations alone; without any wanted, with all of them.
///
/// # Errors
/// The binding lacks one of them. The text lists those that there are.
pub(super) fn chosen<'b>(binding: &'b Binding, wanted: &[String]) -> Result<Cow<'b, Binding>, String> {
    if wanted.is_empty() {
        return Ok(Cow::Borrowed(binding));
    }
    let wanted: Vec<String> = wanted.iter().map(|name| name.trim().to_owned()).collect();
    if let Some(message) = unknown_operations(binding, &wanted) {
        return Err(format!("--operations: {message}"));
    }
    let Binding { name, port_type, version, ports, operations, place } = binding;
    let is_wanted = |name: &str| wanted.iter().any(|wanted| wanted == name);
    let operations = operations.iter().filter(|operation| is_wanted(operation_name(operation))).cloned();
    Ok(Cow::Owned(Binding {
        name: name.clone(),
        port_type: port_type.clone(),
        version: *version,
        ports: ports.clone(),
        operations: operations.collect(),
        place: place.clone(),
    }))
}

/// The address of the server: the given one, or that of the binding's port. It asks a person if
/// this address cannot be called.
///
/// # Errors
/// There is no address, or Gantry cannot call it.
pub(super) fn address(binding: &Binding, http: Option<&str>, allow_plaintext: bool) -> Result<Url, String> {
    if let Some(url) = http {
        return Url::new(url, allow_plaintext).map_err(|reason| format!("--http: {reason}"));
    }
    let written = binding.ports.iter().map(|port| port.address.trim()).find(|address| !address.is_empty());
    let reason = match written.map(|address| Url::new(address, allow_plaintext)) {
        Some(Ok(url)) => return Ok(url),
        Some(Err(reason)) => format!("the address in the WSDL: {reason}"),
        None => "the WSDL has no address".to_owned(),
    };
    let answer = ask(
        &format!("{reason}. The URL of the SOAP server"),
        "--http URL for a server that exists, or --soap or --program FILE to answer here",
    );
    let answer = answer.map_err(|missing| format!("{reason}; {missing}"))?;
    Url::new(&answer, allow_plaintext)
}
