//! Packages of z/OS Connect, turned into our own text files.
//!
//! Bytes come in, texts go out. [`read`] knows four kinds of package by their content:
//!
//! - an API archive (`.aar`),
//! - a service archive (`.sar`),
//! - an API requester archive (`.ara`),
//! - the configuration of a server (`server.xml`).
//!
//! It gives the files that replace the package in a folder of configuration. [`read_folder`] takes the same
//! packages unpacked, and two kinds of project: service projects of the API toolkit (`service.properties`),
//! and API projects, whose typed model is [`Project`]. [`read_openapi`] makes an API requester of an OpenAPI
//! document. A [`Note`] names a part that those files cannot have. A [`Fault`] names a part that cannot be
//! read at all.
//!
//! Deliberately absent: files and folders of the system, the meaning of bind files, and all running code. The
//! layout in a `.wsbind` is not documented, so the user must give the copybooks.

mod api;
mod archive;
mod description;
mod draft;
mod fault;
mod interface;
mod json;
mod limits;
mod manifest;
mod mapping;
mod names;
mod openapi;
mod picture;
mod policy;
mod project;
mod properties;
mod queues;
mod requester;
mod server;
mod service;
mod structures;
mod toml;
mod writer;
mod xml;
mod yaml;

use archive::Tree;
use description::Description;
use fault::Notes;

pub use archive::{entries, is_archive};
pub use fault::{Fault, FaultKind, Note};
pub use limits::{Limits, RATIO_FREE_BYTES};
pub use openapi::{HostApiChoices, ProgramInterface, RequesterChoices, read_openapi};
pub use project::{Asset, Body, Condition, Expression, Mapping, Operation, Project, Response};
pub use toml::key as toml_key;
pub use yaml::json_of_yaml;

/// A text file of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path in a folder of configuration, relative, with forward slashes: `services/NAME.toml`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// The kind of the package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageKind {
    /// An API: operations and their mappings (`.aar`).
    Api,
    /// A service: a program's interface and its transformation (`.sar`).
    Service,
    /// An API that programs call (`.ara`).
    Requester,
    /// An OpenAPI 3 API project: operations, assets and mappings by expressions.
    Project,
    /// The configuration of a server (`server.xml`).
    Server,
    /// A rule set of policies (`<ruleset>`).
    Policy,
}

/// A package after reading.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its kind.
    pub kind: PackageKind,
    /// The name of the API, service or API requester.
    pub name: String,
    /// Its version, as written.
    pub version: String,
    /// Its description, as written.
    pub description: String,
    files: Vec<File>,
    notes: Vec<Note>,
    left_out: Vec<String>,
}

impl Package {
    /// The files that replace it, the API or service first.
    #[must_use]
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The parts that could not be imported.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The operations of an OpenAPI document that could not be imported at all. A note gives the reason for
    /// each.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }
}

/// Files that only the user has: copybooks of services that convert by bind files.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The copybooks.
    pub copybooks: Vec<GivenCopybook>,
}

/// A copybook from the user.
#[derive(Clone, Debug)]
pub struct GivenCopybook {
    /// `REQUEST` or `RESPONSE`, or with the service's name in front, `placeOrder.REQUEST`. The name of the service or of its
    /// program alone is for both sides.
    pub name: String,
    /// The file's name.
    pub file: String,
    /// Its text.
    pub text: String,
}

impl Given {
    /// The copybook for one side of a service, by the names of the side, the service and its program.
    pub(crate) fn copybook_of(
        &self,
        service: &str,
        program: Option<&str>,
        side: &str,
    ) -> Option<&GivenCopybook> {
        let named = |name: &str| self.copybooks.iter().find(|given| given.name.eq_ignore_ascii_case(name));
        self.copybook(service, side).or_else(|| named(service)).or_else(|| named(program?))
    }

    /// The copybook for one side of a service or operation.
    pub(crate) fn copybook(&self, service: &str, side: &str) -> Option<&GivenCopybook> {
        let own = format!("{service}.{side}");
        let named = |name: &str| self.copybooks.iter().find(|given| given.name == name);
        named(&own).or_else(|| named(side))
    }
}

/// Reads a package that needs no other files.
///
/// `name` is the file's name, for messages alone. The content shows the kind.
///
/// # Errors
/// All its faults: see [`FaultKind`].
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Package, Vec<Fault>> {
    read_with(name, bytes, limits, &Given::default())
}

/// Why a file that is no archive is no package either; none if it may be one. Downloads that went wrong are known.
fn other_file(bytes: &[u8]) -> Option<&'static str> {
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let begins =
        |word: &str| start.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()));
    if begins("version https://git-lfs.github.com") {
        return Some("the file is a pointer of Git LFS, not the package: get its content with git lfs pull");
    }
    if begins("<!DOCTYPE html") || begins("<html") {
        return Some("the file is a web page, not a package: download the file itself");
    }
    (!xml::looks_like(bytes))
        .then_some("expected an archive (.aar, .sar or .ara), a server.xml or a rule set")
}

/// Reads a package with copybooks that the user gives.
///
/// # Errors
/// As [`read`].
pub fn read_with(name: &str, bytes: &[u8], limits: &Limits, given: &Given) -> Result<Package, Vec<Fault>> {
    if archive::is_archive(bytes) {
        return of_tree(&Tree::unpack(bytes, limits)?, limits, given);
    }
    if let Some(message) = other_file(bytes) {
        return Err(vec![Fault::new(FaultKind::Unknown, name, message)]);
    }
    let one = |fault: Fault| vec![fault];
    archive::limit("entry_max_bytes", bytes.len(), limits.entry_max_bytes, name).map_err(one)?;
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = format!("byte {} is not UTF-8", error.valid_up_to());
        vec![Fault::new(FaultKind::Syntax, name, message)]
    })?;
    let mut notes = Notes::default();
    let text = text.trim_start_matches('\u{feff}');
    let root = xml::parse(name, text, limits).map_err(one)?;
    let (kind, name, description, files) = if root.name == policy::ELEMENT {
        let policy = policy::name(name);
        let file = policy::file(&policy, text);
        (PackageKind::Policy, policy, String::new(), vec![file])
    } else {
        let (description, files) = server::read(name, &root, &mut notes).map_err(one)?;
        (PackageKind::Server, "server".to_owned(), description, files)
    };
    Ok(Package {
        kind,
        name,
        version: String::new(),
        description,
        files,
        notes: notes.into_list(),
        left_out: Vec::new(),
    })
}

/// Reads an unpacked package or an API project, given as files with their paths relative to its folder.
///
/// The files of an API project are its own: [`Project::read`] gives their model.
///
/// # Errors
/// As [`read`].
pub fn read_folder(
    files: &[(String, Vec<u8>)],
    limits: &Limits,
    given: &Given,
) -> Result<Package, Vec<Fault>> {
    of_tree(&Tree::of_files(files, limits)?, limits, given)
}

/// Notes files of a package that were not read, so that none is dropped silently. Files without information
/// of their own get no note: schemas and documents, which are made from other files, and the files of tools
/// and people.
fn note_unread(tree: &Tree, notes: &mut Notes) {
    const SILENT_FOLDERS: [&str; 6] = ["schemas/", "api-docs/", "META-INF/", "gen/", "bin/", "build/"];
    const SILENT_NAMES: [&str; 5] = ["README", "LICENSE", "NOTICE", "manifest.yml", "response.map"];
    for path in tree.unread().into_iter().chain(tree.archives()) {
        let name = path.rsplit('/').next().unwrap_or(path);
        let in_silent_folder =
            |folder: &&str| path.starts_with(*folder) || path.contains(&format!("/{folder}"));
        if SILENT_FOLDERS.iter().any(in_silent_folder)
            || SILENT_NAMES.iter().any(|silent| name.starts_with(silent))
            || name.starts_with('.')
        {
            continue;
        }
        let reason = if !tree.has(path) {
            "is an archive itself, and is not read"
        } else if name.ends_with(".wsbind") {
            "ignored: a bind file has no layout; Gantry uses copybooks and schemas instead"
        } else {
            "is not read, and nothing of it is imported"
        };
        notes.add(path, 0, reason);
    }
}

/// The advice for a zip that is not a package, but has archives in it; none if it has none.
fn of_archives(tree: &Tree) -> Option<Vec<Fault>> {
    let packages: Vec<&str> = tree.archives().filter(|path| !path.ends_with(".jar")).collect();
    let message = format!(
        "this is no package, but has archives in it ({}); unpack it, and read each by itself",
        packages.join(", ")
    );
    (!packages.is_empty()).then(|| vec![Fault::new(FaultKind::Unknown, "", message)])
}

/// An archive that describes an API or an API requester, with the known facts about it.
struct Described<'a> {
    tree: &'a Tree,
    description: &'a Description,
    given: &'a Given,
    limits: &'a Limits,
}

fn of_tree(tree: &Tree, limits: &Limits, given: &Given) -> Result<Package, Vec<Fault>> {
    let mut notes = Notes::default();
    let one = |fault: Fault| vec![fault];
    if tree.has(description::FILE) {
        let description = Description::read(tree, limits).map_err(one)?;
        let archive = Described { tree, description: &description, given, limits };
        let (kind, files) = if description.requester {
            (PackageKind::Requester, requester::read(&archive, &mut notes)?)
        } else {
            (PackageKind::Api, api::read(&archive, &mut notes)?)
        };
        note_unread(tree, &mut notes);
        let Description { id, version, description, .. } = description;
        return Ok(Package {
            kind,
            name: id,
            version,
            description,
            files,
            notes: notes.into_list(),
            left_out: Vec::new(),
        });
    }
    if tree.has(manifest::FILE) {
        let manifest = manifest::Manifest::read(tree, manifest::FILE, limits).map_err(one)?;
        let files = service::read(tree, given, limits, &mut notes)?;
        note_unread(tree, &mut notes);
        let manifest::Manifest { name, version, description, .. } = manifest;
        let kind = PackageKind::Service;
        return Ok(Package {
            kind,
            name,
            version,
            description,
            files,
            notes: notes.into_list(),
            left_out: Vec::new(),
        });
    }
    if tree.has(properties::FILE) {
        let manifest = properties::read(tree).map_err(one)?;
        let files = service::by_interfaces(tree, &manifest, limits, &mut notes)?;
        note_unread(tree, &mut notes);
        let manifest::Manifest { name, version, description, .. } = manifest;
        let (kind, notes, left_out) = (PackageKind::Service, notes.into_list(), Vec::new());
        return Ok(Package { kind, name, version, description, files, notes, left_out });
    }
    if Project::is_one(tree) {
        let project = Project::of_tree(tree, limits)?;
        let (kind, notes) = (PackageKind::Project, project.notes().to_vec());
        let name = project.api_name()?;
        let files = Project::files(tree, &name);
        let version = project.version;
        let (description, left_out) = (String::new(), Vec::new());
        return Ok(Package { kind, name, version, description, files, notes, left_out });
    }
    // A packed project usually has its folder around the files.
    if let Some(folder) = tree.only_folder() {
        return of_tree(&tree.below(&folder), limits, given);
    }
    if let Some(faults) = of_archives(tree) {
        return Err(faults);
    }
    Err(vec![unknown(tree)])
}

fn unknown(tree: &Tree) -> Fault {
    let message = "expected a package: there is neither package.xml, nor manifest.yml, nor service.properties, nor \
                   api/openapi.yaml";
    let message = match project::other_document(tree) {
        Some(path) => format!("{message}; for a project of an API requester: gantry import requester {path}"),
        None => message.to_owned(),
    };
    Fault::new(FaultKind::Unknown, "", message)
}
