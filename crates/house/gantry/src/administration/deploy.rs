//! Deploys packages while the gateway runs. A package is kept in the folder `packages`. It serves
//! if the whole configuration with it is right. Otherwise everything is restored.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use administration::{Deployment, Refusal};
use packages::{Package, PackageKind};
use settings::{Readers, replace};

use crate::live::{Live, Reload};
use switches::Kind;

/// Deploys a package. Gives its name.
///
/// # Errors
/// The package does not serve, with the reason.
pub(super) fn deploy(live: &Live, deployment: &Deployment<'_>) -> Result<String, Refusal> {
    let _one_at_a_time = live.deploying();
    let Deployment { kind, replaces, bytes, started } = *deployment;
    let package = packaged::read(live.files(), "package", bytes).map_err(|faults| {
        Refusal::Bad(faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    })?;
    let name = name_of(&package, kind)?;
    match replaces {
        Some(replaced) if replaced != name => {
            return Err(Refusal::Conflict(format!("the package is {name}, not {replaced}")));
        }
        None if exists(live, kind, &name) => {
            return Err(Refusal::Conflict(format!("{name} is there already")));
        }
        _ => {}
    }
    has_services_of(live, &package)?;
    let folder = packages_folder(live)?;
    fs::create_dir_all(&folder).map_err(failed)?;
    let path = folder.join(format!("{name}.{}", ending(kind)));
    let before = kept(&path)?;
    if replaces.is_some() && before.is_none() {
        return Err(Refusal::Conflict(format!("{name} is not from a package, but from text files")));
    }
    let was_started = live.switches.of(kind, &name).is_started();
    let switch = |started| live.switches.set(kind, &name, started).map_err(failed);
    // An API that serves already keeps its state until its package serves, because loading may take minutes.
    // Something new that is to be stopped must not serve for a moment, so its stop comes first.
    let stops_first = replaces.is_none() && !started;
    if stops_first {
        switch(false)?;
    }
    let served = write(&path, bytes).map_err(failed);
    if let Err(refusal) = served.and_then(|()| serve_or_undo(live, &path, before.as_deref())) {
        if stops_first {
            // The refusal is what the caller must know. The log has this failure.
            let _ = switch(was_started);
        }
        return Err(refusal);
    }
    switch(started)?;
    for note in package.notes() {
        tracing::warn!(package = %path.display(), "{note}");
    }
    Ok(name)
}

/// Removes a package.
///
/// # Errors
/// The package does not exist, or other objects need its content.
pub(super) fn undeploy(live: &Live, kind: Kind, name: &str) -> Result<(), Refusal> {
    let _one_at_a_time = live.deploying();
    let path = packages_folder(live)?.join(format!("{name}.{}", ending(kind)));
    let Some(before) = kept(&path)? else {
        return Err(match exists(live, kind, name) {
            true => Refusal::Conflict(format!("{name} is not from a package, but from text files")),
            false => Refusal::Unknown,
        });
    };
    fs::remove_file(&path).map_err(failed)?;
    serve_or_undo(live, &path, Some(&before))?;
    // A later package of the same name must start like any other.
    live.switches.set(kind, name, true).map_err(failed)
}

/// Loads the configuration with the changed package. If it has faults, the file is restored.
fn serve_or_undo(live: &Live, path: &Path, before: Option<&[u8]>) -> Result<(), Refusal> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let package = format!("{}/{file}", packaged::FOLDER);
    let Reload::Refused(faults) = live.reload_with(Some(&package)) else { return Ok(()) };
    let undone = match before {
        Some(bytes) => write(path, bytes),
        None => fs::remove_file(path),
    };
    undone.map_err(failed)?;
    live.reload();
    Err(Refusal::Conflict(faults))
}

fn packages_folder(live: &Live) -> Result<PathBuf, Refusal> {
    let none = || Refusal::Io("the configuration is inside the binary; serve a folder".to_owned());
    live.folder().map(|folder| folder.join(packaged::FOLDER)).ok_or_else(none)
}

/// Checks that the package's services exist. To clients, a conflict means that a name is taken, so
/// a missing service is another refusal.
fn has_services_of(live: &Live, package: &Package) -> Result<(), Refusal> {
    let brings = |name: &str| {
        let path = format!("services/{name}.toml");
        package.files().iter().any(|file| file.path == path)
    };
    let mut missing = services_of(package);
    missing.retain(|name| !brings(name) && !exists(live, Kind::Service, name));
    match missing.as_slice() {
        [] => Ok(()),
        missing => Err(Refusal::Bad(format!(
            "it calls services that are not here: {}; deploy them first",
            missing.join(", ")
        ))),
    }
}

fn exists(live: &Live, kind: Kind, name: &str) -> bool {
    let gateway = live.gateway();
    match kind {
        Kind::Api => gateway.apis.iter().any(|entry| entry.api.name() == name),
        Kind::Service => gateway.services.contains_key(name),
        Kind::Requester => gateway.requesters.contains_key(name),
    }
}

fn ending(kind: Kind) -> &'static str {
    match kind {
        Kind::Api => "aar",
        Kind::Service => "sar",
        Kind::Requester => "ara",
    }
}

/// The only API, service or API requester of a package, by its file.
fn name_of(package: &Package, kind: Kind) -> Result<String, Refusal> {
    let (expected, start, end, word) = match kind {
        Kind::Api => (PackageKind::Api, "apis/", "/api.toml", "API"),
        Kind::Service => (PackageKind::Service, "services/", ".toml", "service"),
        Kind::Requester => (PackageKind::Requester, "requesters/", "/requester.toml", "API requester"),
    };
    let name = |path: &str| Some(path.strip_prefix(start)?.strip_suffix(end)?.to_owned());
    let mut names = package.files().iter().filter_map(|file| name(&file.path));
    match (names.next(), names.next()) {
        (Some(name), None) if package.kind == expected => Ok(name),
        _ => Err(Refusal::Bad(format!("the package is not a {word} package"))),
    }
}

/// The names of the services that a package's API calls.
fn services_of(package: &Package) -> Vec<String> {
    let apis = package.files().iter().filter(|file| file.path.ends_with("/api.toml"));
    let tables = apis.filter_map(|file| file.text.parse::<toml::Table>().ok());
    let mut names = Vec::new();
    for table in tables {
        let operations = table.get("operation").and_then(toml::Value::as_array);
        let called =
            operations.into_iter().flatten().filter_map(|operation| operation.get("service")?.as_str());
        names.extend(called.map(str::to_owned));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The bytes of a file, if it exists.
fn kept(path: &Path) -> Result<Option<Vec<u8>>, Refusal> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes, Readers::Usual)
}

fn failed(error: io::Error) -> Refusal {
    tracing::error!("a package cannot be kept: {error}");
    Refusal::Io("the package cannot be kept".to_owned())
}
