//! The bill of materials of a binary: every crate that is linked into it, as CycloneDX, and the texts of their licences.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::graph::{Graph, PLATFORM, Package, root};

const BINARY: &str = "gantry";

/// How the names of files begin that have licences and notices.
const LEGAL: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Writes `gantry.cdx.json` and `LICENCES-OF-CRATES.txt` to a folder. `features` are those of the binary, with commas between.
///
/// # Errors
/// Cargo fails, a crate has no licence text and none can stand for it, or a file cannot be read or written.
pub(crate) fn run(features: &str, folder: &Path) -> Result<(), String> {
    let graph = Graph::read()?;
    let linked = linked(&tree(features)?);
    let crates: Vec<(&str, &Package)> = graph
        .packages
        .iter()
        .filter(|(_, package)| linked.contains(&(package.name.clone(), package.version.clone())))
        .map(|(id, package)| (id.as_str(), package))
        .collect();
    let lock = root().join("Cargo.lock");
    let checksums = checksums(&fs::read_to_string(&lock).map_err(|error| format!("Cargo.lock: {error}"))?);
    let write = |name: &str, text: String| {
        fs::write(folder.join(name), text)
            .map_err(|error| format!("{}: {error}", folder.join(name).display()))
    };
    write("gantry.cdx.json", format!("{:#}\n", bill(&crates, &checksums)?))?;
    let foreign: Vec<&Package> =
        crates.iter().map(|(_, package)| *package).filter(|package| !package.member).collect();
    write("LICENCES-OF-CRATES.txt", texts(&foreign)?)?;
    println!("bill: {} foreign crates, {} of ours", foreign.len(), crates.len() - foreign.len());
    Ok(())
}

/// The crates that cargo links into the binary, a crate a line: `name vVERSION (...)`.
fn tree(features: &str) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--package", BINARY, "--no-default-features", "--features", features])
        .args(["--edges", "normal,no-proc-macro", "--target", PLATFORM, "--prefix", "none", "--no-dedupe"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("cargo tree: {error}"))?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn linked(tree: &str) -> BTreeSet<(String, String)> {
    let parts = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    tree.lines().filter_map(parts).collect()
}

/// The SHA-256 of each crate's archive, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |line: &str, key: &str| {
        line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"').map(str::to_owned)
    };
    let mut found = BTreeMap::new();
    for entry in lock.split("[[package]]") {
        let of = |key: &str| entry.lines().find_map(|line| value(line, key));
        if let (Some(name), Some(version), Some(checksum)) = (of("name"), of("version"), of("checksum")) {
            found.insert((name, version), checksum);
        }
    }
    found
}

/// The document in the form of CycloneDX 1.5.
fn bill(
    crates: &[(&str, &Package)],
    checksums: &BTreeMap<(String, String), String>,
) -> Result<Value, String> {
    let refs: BTreeMap<&str, String> = crates.iter().map(|(id, package)| (*id, reference(package))).collect();
    let binary = crates.iter().find(|(_, package)| package.member && package.name == BINARY);
    let (_, binary) = binary.ok_or("cargo tree does not name the binary")?;
    let components: Vec<Value> = crates
        .iter()
        .filter(|(_, package)| package.name != BINARY)
        .map(|(_, package)| {
            let mut component = component(package, "library");
            let key = (package.name.clone(), package.version.clone());
            if let Some(checksum) = checksums.get(&key) {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
            }
            component
        })
        .collect();
    let dependencies: Vec<Value> = crates
        .iter()
        .map(|(id, package)| {
            let needs: BTreeSet<&String> =
                package.needs.keys().filter_map(|needed| refs.get(needed.as_str())).collect();
            json!({ "ref": refs[*id], "dependsOn": needs })
        })
        .collect();
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(binary, "application") },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(package: &Package, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(package),
        "name": package.name,
        "version": package.version,
    });
    if !package.member {
        component["purl"] = reference(package).into();
    }
    if let Some(licence) = &package.licence {
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    component
}

fn reference(package: &Package) -> String {
    let kind = if package.member { "gantry" } else { "pkg:cargo" };
    format!("{kind}/{}@{}", package.name, package.version)
}

/// All texts, each once, with the crates that come with it.
fn texts(crates: &[&Package]) -> Result<String, String> {
    let mut by_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut by_licence: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in crates {
        let own = legal(package)?;
        if own.is_empty() {
            without.push(package);
        }
        let licence = package.licence.as_deref().unwrap_or_default();
        for text in own {
            by_licence.entry(licence).or_default().push(text.clone());
            by_text.entry(text).or_default().insert(format!("{} {}", package.name, package.version));
        }
    }
    let ours = fs::read_to_string(root().join("LICENSE")).map_err(|error| format!("LICENSE: {error}"))?;
    for package in without {
        let licence = package.licence.as_deref().unwrap_or_default();
        // A crate of the same licence may have its text. The plain Apache licence is ours, too.
        let text = match by_licence.get(licence).and_then(|texts| texts.first()) {
            Some(text) => text.clone(),
            None if licence.contains("Apache-2.0") && !licence.contains("WITH") => tidy(&ours),
            None => return Err(format!("{}: no text of its licence {licence}", package.name)),
        };
        let shown = format!("{} {} ({licence}; its archive has no text)", package.name, package.version);
        by_text.entry(text).or_default().insert(shown);
    }
    let mut all = String::from("The crates that are linked into gantry, and their licences.\n\n");
    let mut rows: Vec<_> = crates.iter().map(|package| (&package.name, *package)).collect();
    rows.sort_by_key(|(name, _)| *name);
    for (name, package) in rows {
        all.push_str(&format!("{name} {}: {}\n", package.version, package.licence.as_deref().unwrap_or("-")));
    }
    for (text, names) in &by_text {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        all.push_str(&format!("\n{}\n{}\n\n{text}\n", "=".repeat(78), names.join(", ")));
    }
    Ok(all)
}

/// The texts of a crate's licences and notices.
fn legal(package: &Package) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", package.name);
    let mut texts = Vec::new();
    for entry in fs::read_dir(&package.folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_text = entry.file_type().map_err(failed)?.is_file() && !name.ends_with(".RS");
        if is_text && LEGAL.iter().any(|begin| name.starts_with(begin)) {
            texts.push(tidy(&String::from_utf8_lossy(&fs::read(entry.path()).map_err(failed)?)));
        }
    }
    texts.sort();
    texts.dedup();
    Ok(texts)
}

/// A text whose ends of lines do not make it another one.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_names_crates_and_versions() {
        let tree = "gantry v0.2.0 (/somewhere)\nbytes v1.12.0\nbytes v1.12.0 (*)\n\n";
        let expected = [("bytes", "1.12.0"), ("gantry", "0.2.0")];
        let found = linked(tree);
        assert_eq!(found.len(), 2);
        assert!(
            expected.iter().all(|(name, version)| found.contains(&(name.to_string(), version.to_string())))
        );
    }

    #[test]
    fn checksums_are_those_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1\"\nchecksum = \"f00\"\n\n[[package]]\nname = \"b\"\nversion = \"2\"\n";
        let found = checksums(lock);
        assert_eq!(found.len(), 1);
        assert_eq!(found[&("a".to_owned(), "1".to_owned())], "f00");
    }

    #[test]
    fn all_that_is_linked_has_a_component_and_a_licence() {
        let folder = tempfile::tempdir().expect("a folder");
        run("ldap,parquet,wasm", folder.path()).expect("a bill");
        let text = fs::read_to_string(folder.path().join("gantry.cdx.json")).expect("the bill");
        let bill: Value = serde_json::from_str(&text).expect("JSON");
        let components = bill["components"].as_array().expect("components");
        for name in ["hyper", "wasmtime", "parquet", "ldap3"] {
            let found = components.iter().find(|component| component["name"] == name);
            let found = found.unwrap_or_else(|| panic!("no {name}"));
            assert!(found["purl"].as_str().is_some_and(|purl| purl.starts_with("pkg:cargo/")), "{found}");
            assert!(found["hashes"][0]["content"].as_str().is_some_and(|sum| sum.len() == 64), "{found}");
        }
        assert!(!components.iter().any(|component| component["name"] == "proptest"));
        let licences = fs::read_to_string(folder.path().join("LICENCES-OF-CRATES.txt")).expect("the texts");
        assert!(licences.contains("\nhyper ") && licences.contains("Permission is hereby granted"));
        assert!(licences.contains("LLVM Exceptions to the Apache 2.0 License"));
    }
}
