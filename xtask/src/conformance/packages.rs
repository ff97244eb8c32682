//! Packages of z/OS Connect, read as they are: every one is read or says what it needs; copybooks made of service
//! interfaces have the places of the layouts beside them and convert the records; APIs have the operations of their
//! Swagger documents.

mod operations;
mod service;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ::packages::{Fault, FaultKind, Limits, Package, PackageKind, Project};

use super::{channels, kinds};
use service::Service;

/// A case: the file or folder that it is scored with, its name, and what became of it.
pub(super) type Outcome = (PathBuf, String, Result<(), String>);

/// All cases of the packages among files.
pub(super) fn cases(files: &[PathBuf]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut services: BTreeMap<String, Service> = BTreeMap::new();
    let mut apis = Vec::new();
    for path in files.iter().filter(|path| is_archive(path)) {
        let folder = path.parent().unwrap_or(path).to_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                outcomes.push((folder, name, Err(error.to_string())));
                continue;
            }
        };
        match ::packages::read(&name, &bytes, &Limits::default()) {
            Ok(package) => {
                outcomes.push((folder.clone(), name.clone(), Ok(())));
                match package.kind {
                    PackageKind::Service => match Service::new(&package) {
                        Ok(service) => {
                            outcomes.extend(service_cases(files, path, &service));
                            services.insert(package.name.clone(), service);
                        }
                        Err(message) => outcomes.push((folder, format!("{name} service file"), Err(message))),
                    },
                    PackageKind::Api => apis.push((folder, name, package, bytes)),
                    PackageKind::Requester => {
                        outcomes.push((folder, format!("{name} copybooks"), copybooks(&package)));
                    }
                    _ => {}
                }
            }
            // The import asks for copybooks that only the user has.
            Err(faults) if faults.iter().all(|fault| fault.kind == FaultKind::CopybookNeeded) => {
                outcomes.push((folder, name, Ok(())));
            }
            Err(faults) => outcomes.push((folder, name, Err(told(&faults)))),
        }
    }
    for (folder, name, package, bytes) in &apis {
        // Without its services an API is only read.
        if let Some(outcome) = operations::check(package, bytes, &services) {
            outcomes.push((folder.clone(), format!("{name} operations"), outcome));
        }
    }
    outcomes.extend(projects(files));
    outcomes
}

/// The copybooks that are made of an API requester's schemas are ones that we read ourselves.
fn copybooks(package: &Package) -> Result<(), String> {
    let made = package.files().iter().filter(|file| file.path.ends_with(".cpy"));
    let mut count = 0;
    for file in made {
        let parsed = copybook::parse(&file.path, &file.text, &copybook::Options::default());
        parsed.map_err(|found| {
            format!("{}: {}", file.path, found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        })?;
        count += 1;
    }
    if count == 0 { Err("there are none".to_owned()) } else { Ok(()) }
}

fn is_archive(path: &Path) -> bool {
    path.extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| ["aar", "sar", "ara"].contains(&ending))
}

fn told(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Layouts and records that other files have for a service, in its folder or beside it.
fn service_cases(files: &[PathBuf], archive: &Path, service: &Service) -> Vec<Outcome> {
    let folder = archive.parent().unwrap_or(archive).to_owned();
    let around: Vec<&Path> = folder.ancestors().skip(1).take(2).collect();
    let mut outcomes = Vec::new();
    for path in files {
        let beside = path.parent().is_some_and(|parent| around.contains(&parent));
        if !beside || path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let Ok(text) = fs::read_to_string(path) else { continue };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if let Some(outcome) = service.check(line) {
                let case = kinds::id_of(line, number + 1);
                outcomes.push((folder.clone(), format!("{} {case}", service.name), outcome));
            }
        }
    }
    outcomes
}

/// API projects: folders with `api/openapi.yaml`.
fn projects(files: &[PathBuf]) -> Vec<Outcome> {
    let documents = files.iter().filter(|path| path.ends_with("api/openapi.yaml"));
    let roots = documents.filter_map(|path| path.parent()?.parent());
    let outcomes = roots.flat_map(|root| {
        let inside: Result<Vec<(String, Vec<u8>)>, String> = files
            .iter()
            .filter_map(|path| Some((path, path.strip_prefix(root).ok()?)))
            .map(|(path, relative)| {
                let bytes = fs::read(path).map_err(|error| error.to_string())?;
                Ok((relative.display().to_string(), bytes))
            })
            .collect();
        let channels = inside.as_ref().map_or_else(|_| Vec::new(), |inside| channels::cases(root, inside));
        let read = inside.and_then(|inside| {
            let project = Project::read(&inside, &Limits::default()).map_err(|faults| told(&faults))?;
            match project.notes() {
                [] if !project.operations.is_empty() => Ok(()),
                notes => Err(format!("not all of it is understood: {notes:?}")),
            }
        });
        std::iter::once((root.to_owned(), "project".to_owned(), read)).chain(channels)
    });
    outcomes.collect()
}

/// The text of one of a package's files.
fn text<'p>(package: &'p Package, path: &str) -> Result<&'p str, String> {
    let found = package.files().iter().find(|file| file.path == path);
    found.map(|file| file.text.as_str()).ok_or_else(|| format!("{}: there is no {path}", package.name))
}
