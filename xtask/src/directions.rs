//! Dependency directions: who may use whom, which crates do no IO, and what a source file must look like.
//!
//! This is the table that ARCHITECTURE.md's invariants rest on. A new crate, or a new arrow between crates, is entered
//! here in the same commit.

mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::graph::{Graph, Kind, Package, root};

/// Our crates and those of ours that each may use outside of its tests.
const ARROWS: &[(&str, &[&str])] = &[
    ("api", &["contract", "conversion", "copybook", "expression", "failure", "record", "routing", "service"]),
    ("assistant", &["document"]),
    ("bare-hyper", &[]),
    ("channel", &["assistant", "codepage", "copybook", "record", "service"]),
    ("codepage", &[]),
    ("contract", &["document", "expression"]),
    ("conversion", &["channel", "failure", "record", "service"]),
    ("copybook", &[]),
    ("dataset", &["codepage", "copybook", "record"]),
    ("directory", &["security"]),
    ("document", &[]),
    ("expression", &[]),
    ("failure", &["channel", "record", "service"]),
    (
        "gantry",
        &[
            "api",
            "assistant",
            "channel",
            "codepage",
            "contract",
            "conversion",
            "copybook",
            "dataset",
            "directory",
            "failure",
            "interceptor",
            "load",
            "mcp",
            "packages",
            "program",
            "record",
            "requester",
            "region",
            "routing",
            "security",
            "service",
            "wasm",
            "wire",
            "worker",
        ],
    ),
    ("interceptor", &[]),
    ("load", &[]),
    ("mcp", &["api", "failure"]),
    ("packages", &["assistant", "copybook", "document"]),
    ("program", &["copybook"]),
    ("record", &["codepage", "copybook"]),
    ("requester", &["security", "service"]),
    ("region", &["codepage", "program", "service", "store", "wire"]),
    ("routing", &[]),
    ("security", &[]),
    ("service", &[]),
    ("store", &["codepage"]),
    ("wasm", &[]),
    ("wire", &["service"]),
    ("worker", &["codepage", "program", "service", "wire"]),
    ("xtask", &["api", "channel", "codepage", "copybook", "packages", "record"]),
];

/// Crates that do no IO and know no clock: bytes in, bytes out.
const PURE: &[&str] = &[
    "api",
    "assistant",
    "channel",
    "codepage",
    "contract",
    "conversion",
    "copybook",
    "document",
    "expression",
    "failure",
    "interceptor",
    "mcp",
    "packages",
    "record",
    "routing",
    "security",
    "service",
];

/// Parts of other crates that do no IO either.
const PURE_PARTS: &[&str] = &[
    "crates/program/src/callable",
    "crates/program/src/commands",
    "crates/program/src/interface",
    "crates/program/src/translate",
];

/// What pure crates must not reach through their dependencies.
const IO_CRATES: &[&str] = &["hyper", "mio", "rustix", "socket2", "tokio"];

/// Files in which `unsafe` may stand, each with arguments for its safety.
const UNSAFE_FILES: &[&str] = &[
    "crates/codepage/src/simd/avx2.rs",
    "crates/codepage/src/simd/avx512.rs",
    "crates/codepage/src/simd/mod.rs",
    // Memory that is shared with processes that are not trusted.
    "crates/wire/src/area.rs",
    "crates/region/src/running/ready.rs",
    // Inside of a worker: programs and GnuCOBOL's library are called, and call.
    "crates/worker/src/cobol/arguments.rs",
    "crates/worker/src/entry.rs",
    "crates/worker/src/cobol/libcob.rs",
    "crates/worker/src/cobol/output.rs",
    "crates/worker/src/sandbox/mod.rs",
    "crates/worker/src/task.rs",
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
        if PURE.contains(&package.name.as_str()) {
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

fn check_arrows(graph: &Graph, package: &Package, wrong: &mut Vec<String>) {
    let name = &package.name;
    let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| from == name) else {
        wrong.push(format!("{name}: a crate that is not in the table of xtask/src/directions.rs"));
        return;
    };
    for (id, kinds) in &package.needs {
        let Some(needed) = graph.packages.get(id).filter(|needed| needed.member) else { continue };
        if kinds.iter().any(|kind| *kind != Kind::Dev) && !allowed.contains(&needed.name.as_str()) {
            wrong.push(format!("{name} uses {}, which the table does not allow", needed.name));
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
    let mut count = 0;
    for (_, package) in graph.members() {
        let mut files = Vec::new();
        find(&package.folder.join("src"), &mut files)?;
        for file in &files {
            let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let shown = file.strip_prefix(&root).unwrap_or(file).display().to_string();
            let pure = PURE.contains(&package.name.as_str())
                || PURE_PARTS.iter().any(|part| shown.starts_with(part));
            wrong
                .extend(check_file(&shown, &text, pure).into_iter().map(|fault| format!("{shown}: {fault}")));
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
        let io: BTreeSet<&str> = source::io_in(source::without_tests(&code));
        faults.extend(io.into_iter().map(|path| format!("uses {path}, but the crate does no IO")));
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
        assert_eq!(check_file("crates/record/src/x.rs", text, true).len(), 3);
        assert_eq!(check_file("crates/load/src/x.rs", text, false).len(), 2);
        let long = format!("//! Long.\n{}", "\n".repeat(FILE_LINES_MAX));
        assert_eq!(check_file("crates/load/src/x.rs", &long, false), ["1001 lines, 1000 is the most"]);
    }

    #[test]
    fn a_crate_out_of_the_table_is_found() {
        let mut graph = Graph::read().expect("cargo metadata");
        let mut wrong = Vec::new();
        let id = graph.members().find(|(_, package)| package.name == "load").map(|(id, _)| id.to_string());
        let mut stranger = graph.packages.remove(&id.expect("load")).expect("load");
        stranger.name = "common".to_string();
        check_arrows(&graph, &stranger, &mut wrong);
        assert_eq!(wrong.len(), 1, "{wrong:?}");
    }

    #[test]
    fn a_wrong_arrow_and_io_in_a_pure_crate_are_found() {
        let graph = Graph::read().expect("cargo metadata");
        let (id, gantry) = graph.members().find(|(_, package)| package.name == "gantry").expect("gantry");
        let mut wrong = Vec::new();
        check_pure(&graph, id, gantry, &mut wrong);
        assert!(wrong.iter().any(|line| line == "gantry reaches hyper, which does IO"), "{wrong:?}");
        let record = Package { name: "copybook".into(), needs: gantry.needs.clone(), ..empty() };
        wrong.clear();
        check_arrows(&graph, &record, &mut wrong);
        assert!(wrong.iter().any(|line| line.starts_with("copybook uses record")), "{wrong:?}");
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
