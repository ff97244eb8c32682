//! Dependency directions: who may use whom, which crates do no IO, and what a source file must look like.
//!
//! This is the table that ARCHITECTURE.md's invariants rest on. A new layer, or a new arrow between layers, is entered here in
//! the same commit. A new crate needs nothing but the right folder.

mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::graph::{Graph, Kind, Package, root};

/// The layers: folders of `crates/`, or of the repository. Crates of a layer may use, outside of their tests, each other and
/// the layers that stand with theirs. Each layer names only layers above it here, so that no circle can arise.
const LAYERS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("waist", &[]),
    ("guard", &["text"]),
    ("disk", &["text"]),
    ("data", &["text", "waist"]),
    ("front", &["data", "text", "waist"]),
    ("back", &["data", "disk", "guard", "text", "waist"]),
    ("tools", &["data", "disk", "text"]),
    ("house", &["back", "data", "disk", "front", "guard", "text", "tools", "waist"]),
    ("xtask", &["data", "front", "text", "tools"]),
    ("perf", &[]),
];

/// Layers that do no IO and know no clock: bytes in, bytes out.
const PURE: &[&str] = &["data", "front", "guard", "text", "waist"];

/// Files of other layers that are as pure: codecs and algorithms beside the sockets that they are for.
const PURE_PARTS: &[&str] = &[
    "crates/back/connector/src/balance.rs",
    "crates/back/connector/src/descriptor.rs",
    "crates/back/connector/src/framing.rs",
    "crates/back/connector/src/parts.rs",
];

/// Crates that pure crates must not reach through their dependencies.
const IO_CRATES: &[&str] = &["hyper", "mio", "rustix", "socket2", "tokio"];

/// Files in which `unsafe` may stand, each with arguments for its safety.
const UNSAFE_FILES: &[&str] = &[
    "crates/text/codepage/src/simd/avx2.rs",
    "crates/text/codepage/src/simd/avx512.rs",
    "crates/text/codepage/src/simd/mod.rs",
    // Memory that is shared with processes that are not trusted.
    "crates/back/wire/src/area.rs",
    "crates/back/region/src/running/ready.rs",
    // Socket options that the system knows by number alone.
    "crates/back/sockets/src/lib.rs",
    // Inside of a worker: programs and GnuCOBOL's library are called, and call.
    "crates/back/worker/src/cobol/arguments.rs",
    "crates/back/worker/src/entry.rs",
    "crates/back/worker/src/cobol/libcob.rs",
    "crates/back/worker/src/cobol/output.rs",
    "crates/back/worker/src/sandbox/mod.rs",
    "crates/back/worker/src/task.rs",
];

const FILE_LINES_MAX: usize = 1_000;

/// Checks the arrows between crates and all source files.
///
/// # Errors
/// The list of what is wrong, one a line.
pub(crate) fn run() -> Result<(), String> {
    let graph = Graph::read()?;
    let mut wrong = Vec::new();
    for (id, package) in graph.members() {
        check_arrows(&graph, package, &mut wrong);
        if is_pure(package) {
            check_pure(&graph, id, package, &mut wrong);
        }
    }
    let files = check_files(&graph, &mut wrong)?;
    if wrong.is_empty() {
        println!("directions: {} crates, {files} files, nothing wrong", graph.members().count());
        return Ok(());
    }
    Err(format!("directions:\n  {}", wrong.join("\n  ")))
}

/// The layer of one of our crates: the folder below `crates/` that it is in, or else the repository's own.
fn layer(package: &Package) -> Option<String> {
    let path = package.folder.strip_prefix(root()).ok()?;
    let mut parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    match parts.next()?.as_str() {
        "crates" => parts.next(),
        other => Some(other.to_owned()),
    }
}

fn is_pure(package: &Package) -> bool {
    layer(package).is_some_and(|layer| PURE.contains(&layer.as_str()))
}

fn check_arrows(graph: &Graph, package: &Package, wrong: &mut Vec<String>) {
    let name = &package.name;
    let own = layer(package).unwrap_or_default();
    let Some((own, allowed)) = LAYERS.iter().find(|(known, _)| *known == own) else {
        wrong.push(format!("{name}: its folder is no layer of xtask/src/directions.rs"));
        return;
    };
    for (id, kinds) in &package.needs {
        let Some(needed) = graph.packages.get(id).filter(|needed| needed.member) else { continue };
        let other = layer(needed).unwrap_or_default();
        let is_allowed = other == *own || allowed.contains(&other.as_str());
        if kinds.iter().any(|kind| *kind != Kind::Dev) && !is_allowed {
            wrong.push(format!(
                "{name} ({own}) uses {} ({other}), which the layers do not allow",
                needed.name
            ));
        }
    }
}

/// A pure crate reaches no crate of IO.
fn check_pure(graph: &Graph, id: &str, package: &Package, wrong: &mut Vec<String>) {
    let reached = graph.reached([id], |_, kind| kind == Kind::Normal);
    for needed in reached.iter().filter_map(|id| graph.packages.get(*id)) {
        if IO_CRATES.contains(&needed.name.as_str()) {
            wrong.push(format!("{} reaches {}, which does IO", package.name, needed.name));
        }
    }
}

fn check_files(graph: &Graph, wrong: &mut Vec<String>) -> Result<usize, String> {
    let root = root();
    let gone = PURE_PARTS.iter().filter(|part| !root.join(part).is_file());
    wrong.extend(gone.map(|part| format!("{part} is a pure part of xtask/src/directions.rs, but no file")));
    let mut count = 0;
    for (_, package) in graph.members() {
        let mut files = Vec::new();
        find(&package.folder.join("src"), &mut files)?;
        for file in &files {
            let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let shown = file.strip_prefix(&root).unwrap_or(file).display().to_string();
            let pure = is_pure(package) || PURE_PARTS.contains(&shown.as_str());
            let faults = check_file(&shown, &text, pure);
            wrong.extend(faults.into_iter().map(|fault| format!("{shown}: {fault}")));
        }
        count += files.len();
    }
    Ok(count)
}

fn check_file(shown: &str, text: &str, pure: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = text.lines().count();
    if lines > FILE_LINES_MAX {
        faults.push(format!("{lines} lines, {FILE_LINES_MAX} is the most"));
    }
    if !source::opens_with_a_sentence(text) {
        faults.push("must open with a //! sentence: what the file is for in the larger system".to_string());
    }
    let code = source::code(text);
    if !UNSAFE_FILES.contains(&shown) && source::has_word(&code, "unsafe") {
        faults.push("`unsafe` may not stand here".to_string());
    }
    if pure {
        let code = source::without_tests(&code);
        let mut io: BTreeSet<&str> = source::io_in(code);
        io.extend(IO_CRATES.iter().filter(|name| source::has_word(code, name)));
        let what = if PURE_PARTS.contains(&shown) { "file" } else { "crate" };
        faults.extend(io.into_iter().map(|path| format!("uses {path}, but the {what} does no IO")));
    }
    faults
}

/// All Rust files below a folder, tests too.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(describe)? {
        let path = entry.map_err(describe)?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_keeps_the_directions() {
        assert_eq!(run(), Ok(()));
    }

    #[test]
    fn faults_of_a_file_are_found() {
        let text = "use std::fs;\nfn f() { unsafe { g() } }\n";
        assert_eq!(check_file("crates/data/record/src/x.rs", text, true).len(), 3);
        assert_eq!(check_file("crates/tools/load/src/x.rs", text, false).len(), 2);
        let text = "//! A part.\nuse tokio::sync::Notify;\nfn f() -> Instant {}\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        let faults = check_file(PURE_PARTS[0], text, true);
        assert_eq!(faults, ["uses Instant, but the file does no IO", "uses tokio, but the file does no IO"]);
        let long = format!("//! Long.\n{}", "\n".repeat(FILE_LINES_MAX));
        assert_eq!(check_file("crates/tools/load/src/x.rs", &long, false), ["1001 lines, 1000 is the most"]);
    }

    #[test]
    fn layers_name_only_those_above_them() {
        for (at, (name, allowed)) in LAYERS.iter().enumerate() {
            for other in *allowed {
                assert!(LAYERS[..at].iter().any(|(above, _)| above == other), "{name} -> {other}");
            }
        }
    }

    #[test]
    fn a_crate_in_no_layer_is_found() {
        let graph = Graph::read().expect("cargo metadata");
        let mut wrong = Vec::new();
        let stranger = Package { folder: root().join("crates/common/x"), ..empty() };
        check_arrows(&graph, &stranger, &mut wrong);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
    }

    #[test]
    fn wrong_arrows_and_io_in_a_pure_crate_are_found() {
        let graph = Graph::read().expect("cargo metadata");
        let (id, gantry) = graph.members().find(|(_, package)| package.name == "gantry").expect("gantry");
        let mut wrong = Vec::new();
        check_pure(&graph, id, gantry, &mut wrong);
        assert!(wrong.iter().any(|line| line == "gantry reaches hyper, which does IO"), "{wrong:?}");
        for (name, folder, expected) in [
            ("copybook", "crates/text/copybook", "copybook (text) uses record (data)"),
            ("api", "crates/front/api", "api (front) uses region (back)"),
        ] {
            let package = Package {
                name: name.into(),
                folder: root().join(folder),
                needs: gantry.needs.clone(),
                ..empty()
            };
            wrong.clear();
            check_arrows(&graph, &package, &mut wrong);
            assert!(wrong.iter().any(|line| line.starts_with(expected)), "{wrong:?}");
        }
    }

    fn empty() -> Package {
        Package {
            name: String::new(),
            version: String::new(),
            licence: None,
            folder: PathBuf::new(),
            member: true,
            needs: Default::default(),
            asks_for: BTreeSet::new(),
        }
    }
}
