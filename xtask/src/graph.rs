//! The workspace's packages and their dependencies as `cargo metadata` tells them, for the checks of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The platform that Gantry is built for; crates that only other systems need are not looked at.
pub(crate) const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The purpose of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Linked into the crate.
    Normal,
    /// Needed by its build script.
    Build,
    /// Needed by its tests alone.
    Dev,
}

/// One package of the resolved graph.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The SPDX expression, as the package writes it.
    pub(crate) licence: Option<String>,
    /// The folder with its Cargo.toml.
    pub(crate) folder: PathBuf,
    /// Whether it is one of ours.
    pub(crate) member: bool,
    /// The packages that it needs on our platform, by id, with what they are for.
    pub(crate) needs: BTreeMap<String, BTreeSet<Kind>>,
    /// The names of what its Cargo.toml asks for from a registry, on any platform.
    pub(crate) asks_for: BTreeSet<String>,
}

/// All packages, by id.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) packages: BTreeMap<String, Package>,
}

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

impl Graph {
    /// Asks cargo for the graph of the repository's lock file.
    ///
    /// # Errors
    /// Cargo fails, or answers with something else than the documented format 1.
    pub(crate) fn read() -> Result<Self, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args([
                "metadata",
                "--format-version",
                "1",
                "--locked",
                "--all-features",
                "--filter-platform",
                PLATFORM,
            ])
            .current_dir(root())
            .output()
            .map_err(|error| format!("cargo metadata: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let metadata: Value =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        Self::from_metadata(&metadata).ok_or_else(|| "cargo metadata has an unknown shape".to_string())
    }

    fn from_metadata(metadata: &Value) -> Option<Self> {
        let members: BTreeSet<&str> =
            metadata["workspace_members"].as_array()?.iter().filter_map(Value::as_str).collect();
        let mut packages = BTreeMap::new();
        for package in metadata["packages"].as_array()? {
            let id = package["id"].as_str()?;
            packages.insert(id.to_string(), read_package(package, members.contains(id))?);
        }
        for node in metadata["resolve"]["nodes"].as_array()? {
            packages.get_mut(node["id"].as_str()?)?.needs = read_needs(node)?;
        }
        Some(Self { packages })
    }

    /// Our own packages.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &Package)> {
        self.packages.iter().filter(|(_, package)| package.member).map(|(id, package)| (id.as_str(), package))
    }

    /// The packages that these need directly or through others, as long as `follow` says so of a package and the
    /// kind of its dependency; without the beginnings themselves, unless they are reached again.
    pub(crate) fn reached<'a>(
        &'a self,
        from: impl IntoIterator<Item = &'a str>,
        follow: impl Fn(&Package, Kind) -> bool,
    ) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = from.into_iter().collect();
        while let Some(id) = open.pop() {
            let Some(package) = self.packages.get(id) else { continue };
            for (needed, kinds) in &package.needs {
                if kinds.iter().any(|kind| follow(package, *kind)) && found.insert(needed.as_str()) {
                    open.push(needed);
                }
            }
        }
        found
    }
}

fn read_package(package: &Value, member: bool) -> Option<Package> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let asks_for = package["dependencies"]
        .as_array()?
        .iter()
        .filter(|dependency| !dependency["source"].is_null())
        .filter_map(|dependency| dependency["name"].as_str().map(str::to_string))
        .collect();
    Some(Package {
        name: package["name"].as_str()?.to_string(),
        version: package["version"].as_str()?.to_string(),
        licence: package["license"].as_str().map(str::to_string),
        folder: manifest.parent()?.to_path_buf(),
        member,
        needs: BTreeMap::new(),
        asks_for,
    })
}

fn read_needs(node: &Value) -> Option<BTreeMap<String, BTreeSet<Kind>>> {
    let mut needs = BTreeMap::new();
    for dependency in node["deps"].as_array()? {
        let kinds = dependency["dep_kinds"].as_array()?.iter().map(|kind| match kind["kind"].as_str() {
            None => Kind::Normal,
            Some("build") => Kind::Build,
            Some(_) => Kind::Dev,
        });
        needs.insert(dependency["pkg"].as_str()?.to_string(), kinds.collect());
    }
    Some(needs)
}
