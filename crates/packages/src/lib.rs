//! Packages of z/OS Connect read as they are and turned into our own text files.
//!
//! Bytes come in, texts go out: [`read`] knows an API archive (`.aar`), a service archive (`.sar`) and an API requester
//! archive (`.ara`) by what is in them, and gives the files that stand for them in a folder of configuration.
//! What those files cannot say is a [`Note`]; what cannot be read at all is a [`Fault`].
//!
//! Deliberately absent: files and folders of the system, the meaning of bind files (`.wsbind` holds no layout that
//! is documented; copybooks are asked for instead), and anything that runs.

mod api;
mod archive;
mod description;
mod fault;
mod interface;
mod json;
mod limits;
mod manifest;
mod mapping;
mod names;
mod picture;
mod requester;
mod service;
mod toml;
mod writer;
mod xml;
mod yaml;

use archive::Tree;
use description::Description;
use fault::Notes;

pub use fault::{Fault, FaultKind, Note};
pub use limits::{Limits, RATIO_FREE_BYTES};

/// A text file of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in a folder of configuration, relative, with forward slashes: `services/NAME.toml`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What kind of package it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageKind {
    /// An API: operations and their mappings (`.aar`).
    Api,
    /// A service: a program's interface and its transformation (`.sar`).
    Service,
    /// An API that programs call (`.ara`).
    Requester,
}

/// A package that was read.
#[derive(Clone, Debug)]
pub struct Package {
    /// What it is.
    pub kind: PackageKind,
    /// The name of the API, service or API requester.
    pub name: String,
    /// Its version, as written.
    pub version: String,
    /// Its description, as written.
    pub description: String,
    files: Vec<File>,
    notes: Vec<Note>,
}

impl Package {
    /// The files that stand for it, the API or service first.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// What could not be carried over.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }
}

/// What only the user has: copybooks of services that convert by bind files.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The copybooks.
    pub copybooks: Vec<GivenCopybook>,
}

/// A copybook from the user.
#[derive(Clone, Debug)]
pub struct GivenCopybook {
    /// `REQUEST` or `RESPONSE`, or with the service's name in front, `placeOrder.REQUEST`.
    pub name: String,
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
}

impl Given {
    /// The copybook for one side of a service.
    pub(crate) fn copybook(&self, service: &str, side: &str) -> Option<&GivenCopybook> {
        let own = format!("{service}.{side}");
        let named = |name: &str| self.copybooks.iter().find(|given| given.name == name);
        named(&own).or_else(|| named(side))
    }
}

/// Reads a package that needs nothing else.
///
/// `name` is the file's name, for messages alone; the kind is known by the content.
///
/// # Errors
/// Everything that is wrong with it: see [`FaultKind`].
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Package, Vec<Fault>> {
    read_with(name, bytes, limits, &Given::default())
}

/// Reads a package with copybooks that the user gives.
///
/// # Errors
/// As [`read`].
pub fn read_with(name: &str, bytes: &[u8], limits: &Limits, given: &Given) -> Result<Package, Vec<Fault>> {
    if !archive::is_archive(bytes) {
        let message = "expected an archive (.aar, .sar or .ara); these bytes are no zip archive";
        return Err(vec![Fault::new(FaultKind::Unknown, name, message)]);
    }
    let tree = Tree::unpack(bytes, limits)?;
    let mut notes = Notes::default();
    if tree.has(description::FILE) {
        let description = Description::read(&tree, limits).map_err(|fault| vec![fault])?;
        let (kind, files) = if description.requester {
            (PackageKind::Requester, requester::read(&tree, &description, &mut notes))
        } else {
            (PackageKind::Api, api::read(&tree, &description, given, limits, &mut notes)?)
        };
        let Description { id, version, description, .. } = description;
        return Ok(Package { kind, name: id, version, description, files, notes: notes.0 });
    }
    if tree.has(manifest::FILE) {
        let manifest =
            manifest::Manifest::read(&tree, manifest::FILE, limits).map_err(|fault| vec![fault])?;
        let files = service::read(&tree, given, limits, &mut notes)?;
        let manifest::Manifest { name, version, description, .. } = manifest;
        let kind = PackageKind::Service;
        return Ok(Package { kind, name, version, description, files, notes: notes.0 });
    }
    let message =
        "the archive has neither package.xml nor manifest.yml: it is no API, service or API requester";
    Err(vec![Fault::new(FaultKind::Unknown, name, message)])
}
