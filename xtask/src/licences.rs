//! Licences: every crate that is linked or runs in the build is free to use, and DEPENDENCIES.md names each direct one.

mod spdx;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::graph::{Graph, Kind, Package, root};

/// Licences that ask for no more than a notice. No copyleft: whoever builds on Gantry keeps that freedom.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

const TABLE: &str = "DEPENDENCIES.md";

/// Checks the licences of the graph and the table of direct dependencies.
///
/// # Errors
/// The list of what is wrong, one a line.
pub(crate) fn run() -> Result<(), String> {
    let graph = Graph::read()?;
    let mut wrong = Vec::new();
    let shipped = shipped(&graph);
    for package in &shipped {
        if let Err(fault) = check_licence(package.licence.as_deref()) {
            wrong.push(format!("{} {}: {fault}", package.name, package.version));
        }
    }
    let read = |name: &str| fs::read_to_string(root().join(name)).map_err(|error| format!("{name}: {error}"));
    let direct = direct(&graph, &read("Cargo.toml")?);
    wrong.extend(check_table(&read(TABLE)?, &direct));
    if wrong.is_empty() {
        println!("licences: {} crates allowed, {} direct ones in {TABLE}", shipped.len(), direct.len());
        return Ok(());
    }
    Err(format!("licences:\n  {}", wrong.join("\n  ")))
}

/// The crates that are in a binary of ours or run while it is built; crates of tests are not among them.
fn shipped(graph: &Graph) -> Vec<&Package> {
    let members: Vec<&str> = graph.members().map(|(id, _)| id).collect();
    let reached = graph.reached(members, |_, kind| kind != Kind::Dev);
    reached.iter().filter_map(|id| graph.packages.get(*id)).filter(|package| !package.member).collect()
}

fn check_licence(expression: Option<&str>) -> Result<(), String> {
    let expression = expression.ok_or("names no licence")?;
    match spdx::is_satisfied(expression, &|licence| ALLOWED.contains(&licence)) {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!("its licence {expression} is not allowed")),
        Err(fault) => Err(format!("its licence {expression} cannot be read: {fault}")),
    }
}

/// The crates that our Cargo.toml files ask for, with their licences where the graph has them.
fn direct(graph: &Graph, manifest: &str) -> BTreeMap<String, Option<String>> {
    let mut names: BTreeSet<String> =
        graph.members().flat_map(|(_, package)| package.asks_for.iter().cloned()).collect();
    names.extend(workspace_dependencies(manifest));
    let licence = |name: &str| {
        let mut known = graph.packages.values().filter(|package| package.name == name);
        known.next().and_then(|package| package.licence.clone())
    };
    names.into_iter().map(|name| (name.clone(), licence(&name))).collect()
}

/// The names in `[workspace.dependencies]` that are not folders of ours; one a line is how we write them.
fn workspace_dependencies(manifest: &str) -> impl Iterator<Item = String> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[workspace.dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.contains("path ="))
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.trim().to_string()))
}

/// The table's rows are `| crate | licence | why |`, below a heading row that begins with `crate`.
fn check_table(text: &str, direct: &BTreeMap<String, Option<String>>) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut rows = BTreeMap::new();
    let table = text.lines().skip_while(|line| cells(line).first() != Some(&"crate")).skip(2);
    for line in table.take_while(|line| line.starts_with('|')) {
        match cells(line)[..] {
            [name, licence, why] if !why.is_empty() => {
                if rows.insert(name, licence).is_some() {
                    wrong.push(format!("{TABLE}: {name} has two rows"));
                }
            }
            _ => wrong.push(format!("{TABLE}: a row must be | crate | licence | why |: {line}")),
        }
    }
    for (name, licence) in direct {
        match (rows.remove(name.as_str()), licence) {
            (None, _) => wrong.push(format!("{TABLE}: no row for {name}")),
            (Some(row), Some(licence)) if row != licence => {
                wrong.push(format!("{TABLE}: {name} is under {licence}, the row says {row}"));
            }
            _ => {}
        }
    }
    wrong.extend(rows.keys().map(|name| format!("{TABLE}: {name} is no direct dependency any more")));
    wrong
}

fn cells(line: &str) -> Vec<&str> {
    let Some(inner) = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
        return Vec::new();
    };
    inner.split('|').map(|cell| cell.trim().trim_matches('`')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_licence_is_allowed_and_every_direct_dependency_has_a_row() {
        assert_eq!(run(), Ok(()));
    }

    #[test]
    fn copyleft_and_silence_are_refused() {
        for expression in ["GPL-3.0-or-later", "MIT AND LGPL-2.1", "AGPL-3.0", "MPL-2.0", "", "MIT OR"] {
            assert!(check_licence(Some(expression)).is_err(), "{expression}");
        }
        assert!(check_licence(None).is_err());
        assert_eq!(check_licence(Some("MIT/LGPL-2.1")), Ok(()));
    }

    #[test]
    fn rows_are_compared() {
        let direct: BTreeMap<_, _> = [("a", "MIT"), ("b", "ISC"), ("c", "MIT")]
            .map(|(name, licence)| (name.to_string(), Some(licence.to_string())))
            .into();
        let text =
            "| crate | licence | why |\n|---|---|---|\n| `a` | MIT | x |\n| b | MIT | x |\n| d | MIT | x |\n";
        let wrong = check_table(text, &direct).join("\n");
        assert!(wrong.contains("b is under ISC") && wrong.contains("no row for c"), "{wrong}");
        assert!(wrong.contains("d is no direct dependency") && wrong.lines().count() == 3, "{wrong}");
    }

    #[test]
    fn names_come_from_the_manifest() {
        let manifest = "[workspace.dependencies]\napi = { path = \"crates/front/api\" }\n\nbytes = \"1\"\n[profile.dev]\nlto = 1\n";
        assert_eq!(workspace_dependencies(manifest).collect::<Vec<_>>(), ["bytes"]);
    }
}
