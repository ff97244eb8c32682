//! How much source there is: lines of each crate, and functions that are too long.
//!
//! A line of source is one that is not blank, not only a comment, and not a part of tests. Tests are files below `tests`,
//! `benches` and `examples`, and what stands behind `#[cfg(test)]`. Generated code and macros count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::graph::{Graph, root};

/// Lines of a function, from its `fn` to its last brace.
const FUNCTION_MAX_LINES: usize = 70;

/// Functions that may be longer, each with its reason.
const LONGER: &[(&str, &str, &str)] = &[
    ("worker/src/commands/mod.rs", "dispatch", "a table: one line for each command"),
    ("region/examples/hostile.rs", "main", "a table: one arm for each way to lie"),
    ("failure/tests/it/main.rs", "advice", "a table: what to do about each code"),
    ("channel/tests/it/faults.rs", "json_that_does_not_fit_is_refused_with_its_place", CASES),
    ("gantry/tests/it/security.rs", "what_would_not_protect_is_told_before_it_serves", CASES),
    ("packages/tests/it/host_api.rs", "the_requester_names_members_for_parameters_and_responses", CASES),
    ("record/tests/it/xml_errors.rs", "syntax_errors_say_line_and_column", CASES),
    ("region/tests/it/pages.rs", "what_cannot_be_converted_is_told", CASES),
];
const CASES: &str = "a table of cases";

/// A function and its length.
#[derive(Debug, PartialEq, Eq)]
struct Long {
    name: String,
    line: usize,
    lines: usize,
}

/// The lines of one file.
#[derive(Debug, Default)]
struct Counted {
    lines: usize,
    long: Vec<Long>,
    /// Modules in files of their own that only tests have.
    tests: Vec<String>,
}

/// Prints the lines of each crate, and checks the length of functions.
///
/// # Errors
/// A file cannot be read, or functions are too long: one a line.
pub(crate) fn run() -> Result<(), String> {
    let graph = Graph::read()?;
    let (mut crates, mut wrong, mut used) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    for (_, package) in graph.members() {
        let mut lines = 0;
        for folder in ["src", "tests", "benches", "examples"] {
            for (path, counted) in files(&package.folder.join(folder))? {
                lines += if folder == "src" { counted.lines } else { 0 };
                let shown = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned();
                for long in &counted.long {
                    match LONGER.iter().find(|(file, name, _)| shown.ends_with(file) && long.name == *name) {
                        Some(entry) => drop(used.insert(entry)),
                        None => wrong.push(format!(
                            "{shown}:{}: {} has {} lines, of at most {FUNCTION_MAX_LINES}",
                            long.line, long.name, long.lines
                        )),
                    }
                }
            }
        }
        crates.insert(package.name.clone(), lines);
    }
    wrong.extend(
        LONGER
            .iter()
            .filter(|entry| !used.contains(entry))
            .map(|(file, name, _)| format!("{file}: no long function {name}; take it off the list")),
    );
    for (name, lines) in &crates {
        println!("{lines:7}  {name}");
    }
    println!("{:7}  in all", crates.values().sum::<usize>());
    if wrong.is_empty() { Ok(()) } else { Err(format!("lines:\n  {}", wrong.join("\n  "))) }
}

/// The files below a folder that are not only for tests of their crate.
fn files(folder: &Path) -> Result<Vec<(PathBuf, Counted)>, String> {
    let mut found = Vec::new();
    let mut tests = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.map_err(|error| format!("{}: {error}", folder.display()))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let fault = |error: String| format!("{}: {error}", path.display());
                let text = fs::read_to_string(&path).map_err(|error| fault(error.to_string()))?;
                let counted = count(&text).map_err(fault)?;
                let modules = modules_of(&path);
                tests.extend(counted.tests.iter().map(|name| modules.join(name)));
                found.push((path, counted));
            }
        }
    }
    let is_test = |path: &Path| {
        tests.iter().any(|module| path.starts_with(module) || path == module.with_extension("rs"))
    };
    for (path, counted) in &mut found {
        if is_test(path) {
            counted.lines = 0;
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

/// The folder that has the files of a file's modules.
fn modules_of(path: &Path) -> PathBuf {
    let is_root = path.file_stem().is_some_and(|stem| stem == "lib" || stem == "main" || stem == "mod");
    if is_root { path.parent().map(Path::to_owned).unwrap_or_default() } else { path.with_extension("") }
}

/// Counts a file.
///
/// # Errors
/// It is not Rust.
fn count(text: &str) -> Result<Counted, String> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut reader = Reader::default();
    reader.visit_file(&file);
    let is_test = |number: usize| reader.tests.iter().any(|lines| lines.contains(&number));
    let is_source = |line: &str| !line.is_empty() && !line.starts_with("//");
    let lines = text
        .lines()
        .enumerate()
        .filter(|(number, line)| is_source(line.trim()) && !is_test(number + 1))
        .count();
    Ok(Counted { lines, long: reader.long, tests: reader.modules })
}

#[derive(Default)]
struct Reader {
    long: Vec<Long>,
    /// Lines behind `#[cfg(test)]`.
    tests: Vec<RangeInclusive<usize>>,
    modules: Vec<String>,
}

impl Reader {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.fn_token.span.start().line;
        let lines = block.brace_token.span.close().end().line + 1 - line;
        if lines > FUNCTION_MAX_LINES {
            self.long.push(Long { name: signature.ident.to_string(), line, lines });
        }
    }
}

impl<'a> Visit<'a> for Reader {
    fn visit_item(&mut self, item: &'a syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Const(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if attributes.iter().any(is_for_tests) {
            self.tests.push(item.span().start().line..=item.span().end().line);
            match item {
                syn::Item::Mod(module) if module.content.is_none() => {
                    self.modules.push(module.ident.to_string());
                }
                _ => {}
            }
        }
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if item.attrs.iter().any(is_for_tests) {
            self.tests.push(item.span().start().line..=item.span().end().line);
        }
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

/// `#[cfg(test)]`.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_comments_and_blank_lines_do_not_count() {
        let text = "//! About.\n\nuse a::b;\n\n/// A thing.\nstruct Thing {\n    // Its part.\n    part: u8,\n}\n\n\
            #[cfg(test)]\nmod elsewhere;\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n}\n";
        let counted = count(text).expect("Rust");
        assert_eq!((counted.lines, counted.tests), (4, vec!["elsewhere".to_owned()]));
    }

    #[test]
    fn long_functions_are_found() {
        let body = |lines: usize| format!("{{\n{}}}\n", "    a();\n".repeat(lines));
        let text = format!("fn short() {}impl A {{\nfn long() {}}}\n", body(68), body(69));
        let counted = count(&text).expect("Rust");
        assert_eq!(counted.long, [Long { name: "long".to_owned(), line: 72, lines: 71 }]);
    }

    #[test]
    fn modules_are_beside_roots_and_below_others() {
        assert_eq!(modules_of(Path::new("a/lib.rs")), Path::new("a"));
        assert_eq!(modules_of(Path::new("a/b.rs")), Path::new("a/b"));
    }
}
