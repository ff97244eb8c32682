//! Golden cases: a schema, the copybook of it, and the names for a service file. `UPDATE_GOLDEN=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};

use assistant::{
    Apart, CharVarying, Copybook, Enums, MappingLevel, Options, RootOptional, Side, Source, VaryingArrays,
    from_json, service_fields,
};
use codepage::CodePage;
use record::Bind;

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

fn check(case: &str, file: &str, source: &Source, options: &Options) -> Copybook {
    let folder = folder(case);
    let schema = fs::read_to_string(folder.join("schema.json")).expect("a schema");
    let options = Options { origin: format!("{case}/schema.json"), ..options.clone() };
    let copybook = from_json(&schema, source, &options).expect("a copybook");
    compare(&folder.join(format!("{file}.cpy")), &copybook.text);
    let warnings: String = copybook.warnings.iter().map(|warning| format!("{warning}\n")).collect();
    let names = service_fields(&copybook, "request", &format!("{file}.cpy"), None);
    compare(&folder.join(format!("{file}.toml")), &format!("{names}{}", commented(&warnings)));
    let parsed = copybook::parse(file, &copybook.text, &copybook::Options::default());
    let parsed = parsed.unwrap_or_else(|found| panic!("{}: {found:?}", copybook.text));
    // A counter in a row of a table, which the assistant has warned of too.
    let others: Vec<_> = parsed.warnings.iter().filter(|warning| warning.code != "CPY067").collect();
    assert!(others.is_empty(), "{others:?}");
    copybook
}

fn commented(text: &str) -> String {
    text.lines().map(|line| format!("# {line}\n")).collect()
}

fn binds(copybook: &Copybook) {
    let parsed = copybook::parse("X", &copybook.text, &copybook::Options::default()).expect("valid");
    let page = CodePage::by_ccsid(37).expect("CCSID 37");
    Bind::compile(&parsed.layouts[0], &record::Options::new(page)).expect("a bind");
}

#[test]
fn an_order_for_the_gateway() {
    let options = Options { enums: Enums::Conditions, ..Options::gateway("ORDER") };
    binds(&check("order", "gateway", &Source::Schema, &options));
}

/// The structure has the fields that z/OS Connect 3.0 generates for such a response, as the copybooks of its public
/// sample show them: `X-existence` or `X-num` with `X-dataarea`, and a 01 level for the elements of each data area.
#[test]
fn a_response_with_data_areas() {
    let options = Options {
        mapping_level: MappingLevel::V5_0,
        char_varying: CharVarying::Yes,
        root_optional: RootOptional::Container,
        apart: Apart::DataAreas,
        ..Options::assistant("PARCELS")
    };
    let copybook = check("parcels", "response", &Source::Schema, &options);
    let elements = copybook.areas.iter().map(|area| area.record.as_str());
    let expected =
        ["PARCELS", "PARCELS-responseCode200", "PARCELS-responseCode404", "PARCELS-stops", "PARCELS-notes"];
    assert_eq!(elements.collect::<Vec<_>>(), expected);
}

#[test]
fn an_order_as_cics_lays_it_out() {
    let options = Options {
        char_varying: CharVarying::Yes,
        mapping_level: MappingLevel::V5_0,
        inline_max_occurs: 20,
        ..Options::assistant("ORDER01")
    };
    check("cics", "level5", &Source::Schema, &options);
}

#[test]
fn a_customer_of_draft_4() {
    check("customer", "assistant", &Source::Schema, &Options::assistant("CUSTOMER"));
    let varying = Options { char_varying: CharVarying::Null, ..Options::assistant("CUSTOMER") };
    check("customer", "null", &Source::Schema, &varying);
}

#[test]
fn operations_and_components_of_an_openapi_document() {
    let operation = |id: &str, side| Source::Operation { id: id.to_owned(), side, status: None };
    let options = |name| Options { enums: Enums::Conditions, ..Options::gateway(name) };
    binds(&check("petstore", "add-request", &operation("addAnimal", Side::Request), &options("ADDREQ")));
    binds(&check("petstore", "add-response", &operation("addAnimal", Side::Response), &options("ADDRESP")));
    binds(&check("petstore", "list-response", &operation("listAnimals", Side::Response), &options("LIST")));
    let problem = Source::Component("Problem".to_owned());
    binds(&check("petstore", "problem", &problem, &options("PROBLEM")));
    let inline = Options { varying_arrays: VaryingArrays::Container, ..Options::assistant("LIST") };
    check("petstore", "containers", &operation("listAnimals", Side::Response), &inline);
}
