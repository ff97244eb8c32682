//! Golden cases: a WSDL, the copybooks of its operations, and the refusals. `UPDATE_GOLDEN=1` writes them anew.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use assistant::{Copybook, MappingLevel, Options, Role};
use wsdl::read::{Element, Operation, Wsdl, is_empty, read, shape};

fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(case)
}

fn compare(path: &Path, found: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path, found).expect("written");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, expected, "{}", path.display());
}

fn wsdl(case: &str) -> Wsdl {
    let folder = folder(case);
    let bytes = fs::read(folder.join("service.wsdl")).expect("a WSDL");
    let mut files = |name: &str| fs::read(folder.join(name)).map_err(|error| error.kind().to_string());
    read("service.wsdl", bytes, &mut files).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// The copybook of a message with the names of its XML, or its faults.
fn message(element: &Element, options: &Options) -> Result<(Copybook, String), String> {
    let joined = |faults: Vec<String>| faults.join("\n");
    let shape =
        shape(element, options).map_err(|faults| joined(faults.iter().map(ToString::to_string).collect()))?;
    let copybook = assistant::write(&shape, options)
        .map_err(|found| joined(found.iter().map(ToString::to_string).collect()))?;
    let parsed = copybook::parse("X", &copybook.text, &copybook::Options::default());
    parsed.unwrap_or_else(|found| panic!("{}\n{found:?}", copybook.text));
    let mut names = String::new();
    for name in &copybook.names {
        let Some(xml) = &name.xml else { continue };
        let counts = matches!(name.role, Role::Value | Role::Rows | Role::Container);
        assert!(counts, "{} stands for nothing in XML", name.field);
        let _ = writeln!(names, "{}: {:?} {{{}}}{}", name.path, xml.form, xml.namespace, xml.name);
    }
    Ok((copybook, names))
}

/// Compares the copybooks of an operation. Refusals go into the report.
fn check(case: &str, operation: &Operation, options: &Options, report: &mut String) {
    let messages = [("request", Some(&operation.request)), ("response", operation.response.as_ref())];
    for (word, element) in messages {
        let Some(element) = element else { continue };
        let what = format!("{} {word}", operation.name);
        match element {
            None => writeln!(report, "{what}: empty body"),
            Some(element) if is_empty(element) => writeln!(report, "{what}: empty element {}", element.name),
            Some(element) => match message(element, options) {
                Ok((copybook, names)) => {
                    let path = folder(case).join(format!("{}.{word}", operation.name));
                    compare(&path.with_extension(format!("{word}.cpy")), &copybook.text);
                    writeln!(
                        report,
                        "{what}: {} {:?} action '{}'\n{names}",
                        element.name, operation.style, operation.action
                    )
                }
                Err(faults) => writeln!(report, "{what}: refused\n{faults}"),
            },
        }
        .expect("written");
    }
}

fn report(case: &str, options: &Options) -> String {
    let read = wsdl(case);
    let mut report = format!("namespace {}\n", read.namespace);
    for warning in &read.warnings {
        let _ = writeln!(report, "warning: {warning}");
    }
    for binding in &read.bindings {
        let _ = writeln!(
            report,
            "\nbinding {} {:?} of {} {:?}",
            binding.name, binding.version, binding.port_type, binding.ports
        );
        for operation in &binding.operations {
            match operation {
                Ok(operation) => check(case, operation, options, &mut report),
                Err(faults) => {
                    let told: Vec<String> = faults.faults.iter().map(ToString::to_string).collect();
                    let _ = writeln!(report, "{}: refused\n{}", faults.name, told.join("\n"));
                }
            }
        }
    }
    report
}

fn golden(case: &str, options: &Options) {
    compare(&folder(case).join("report.txt"), &report(case, options));
}

#[test]
fn an_order_with_attributes_a_choice_and_any_xml() {
    golden("order", &Options::web_service("ORDER01"));
}

#[test]
fn types_groups_derivations_and_names() {
    golden("shapes", &Options::web_service("SHAPE01"));
}

#[test]
fn parts_of_style_rpc_and_what_is_refused_of_it() {
    golden("rpc", &Options::web_service("PEOPLE01"));
}

#[test]
fn imports_includes_and_circles_of_files() {
    golden("files", &Options::web_service("FILES01"));
}

#[test]
fn what_no_record_can_hold_is_refused_with_its_line() {
    golden("refused", &Options::web_service("REFUSED"));
}

#[test]
fn each_mapping_level_has_its_rules() {
    let mut all = String::new();
    for level in
        [MappingLevel::V1_0, MappingLevel::V1_1, MappingLevel::V1_2, MappingLevel::V2_1, MappingLevel::V2_2]
    {
        let options = Options { mapping_level: level, ..Options::web_service("LEVEL01") };
        let _ = writeln!(all, "level {level}");
        for operation in wsdl("levels").bindings.remove(0).operations {
            let operation = operation.expect("no faults");
            let element = operation.request.expect("an element");
            match message(&element, &options) {
                Ok((_, names)) => writeln!(all, "{}: {}", operation.name, names.lines().count()),
                Err(faults) => writeln!(all, "{}: {faults}", operation.name),
            }
            .expect("written");
        }
    }
    compare(&folder("levels").join("report.txt"), &all);
}
