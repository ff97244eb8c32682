//! API projects of z/OS Connect in a configuration: their places below `apis/`, and their content.

use std::collections::BTreeMap;
use std::io;

use packages::{Fault, Limits, Project};
use settings::Files;

/// The places of a project's parts below an API's folder.
const ROOTS: [&str; 3] = ["", "src/main/", "main/"];
/// The names of its document.
const DOCUMENTS: [&str; 3] = ["openapi.yaml", "openapi.yml", "openapi.json"];

/// The projects of a configuration that no API has been made of yet, by the names of their APIs.
pub type Projects = BTreeMap<String, FoundProject>;

/// A project that was found. It is read once for its services and its API.
#[derive(Debug)]
pub struct FoundProject {
    /// The folder of its parts, below the folder of its API: with a slash at the end, or empty.
    pub root: &'static str,
    /// Its files with their content, or the reason why they cannot be read.
    pub read: io::Result<ReadProject>,
}

/// The files of a project, by their paths in its folder.
pub type ProjectFiles = Vec<(String, Vec<u8>)>;

/// The files of a project, and their content.
#[derive(Debug)]
pub struct ReadProject {
    /// The files.
    pub files: ProjectFiles,
    /// The project, or all its faults.
    pub project: Result<Project, Vec<Fault>>,
}

/// Finds and reads all projects. The faults of a project are reported when its API is made.
pub(crate) fn read_all(files: &Files) -> Projects {
    let apis = files.list("apis").unwrap_or_default().into_iter();
    let found = apis.filter_map(|name| {
        let root = root(files, &name)?;
        let read = parts(files, &format!("apis/{name}/{root}")).map(|files| {
            let project = Project::read(&files, &Limits::default());
            ReadProject { files, project }
        });
        Some((name, FoundProject { root, read }))
    });
    found.collect()
}

/// The folder of a project's parts, below the folder of its API; none if the API is not a project.
fn root(files: &Files, name: &str) -> Option<&'static str> {
    let has_document = |root: &&&str| {
        let entries = files.list(&format!("apis/{name}/{root}api")).unwrap_or_default();
        DOCUMENTS.iter().any(|document| entries.iter().any(|entry| entry == document))
    };
    ROOTS.iter().find(has_document).copied()
}

fn parts(files: &Files, folder: &str) -> io::Result<ProjectFiles> {
    let mut parts = Vec::new();
    for part in ["api", "operations", "zosAssets", "config"] {
        for path in files.tree(&format!("{folder}{part}"))? {
            let bytes = files.read_bytes(&path)?;
            parts.push((path[folder.len()..].to_owned(), bytes));
        }
    }
    Ok(parts)
}
