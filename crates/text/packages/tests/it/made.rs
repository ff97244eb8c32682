//! Makes archives and the documents in them, and reads the texts that come out.

use std::io::{Cursor, Write};

use codepage::Encoding;
use copybook::Layout;
use packages::{Fault, Limits, Package};
use record::{Bind, FieldOptions, Naming, Options, Policies};
use serde::Deserialize;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An archive of texts.
pub(crate) fn archive<N: AsRef<str>, T: AsRef<[u8]>>(entries: &[(N, T)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in entries {
        writer.start_file(name.as_ref(), options).expect("an entry");
        writer.write_all(content.as_ref()).expect("its content");
    }
    writer.finish().expect("an archive").into_inner()
}

pub(crate) fn read(bytes: &[u8]) -> Result<Package, Vec<Fault>> {
    packages::read("package", bytes, &Limits::default())
}

/// All messages of faults, one a line.
pub(crate) fn faults(bytes: &[u8]) -> String {
    let faults = read(bytes).expect_err("faults");
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The text of one of a package's files.
pub(crate) fn text<'p>(package: &'p Package, path: &str) -> &'p str {
    let found = package.files().iter().find(|file| file.path == path);
    &found.unwrap_or_else(|| panic!("no {path} in {:?}", package.files())).text
}

pub(crate) fn notes(package: &Package) -> String {
    package.notes().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A service file, as far as a bind is made of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServiceFile {
    #[serde(rename = "description")]
    _description: String,
    ccsid: u16,
    naming: Naming,
    /// The program behind it, which no conversion needs.
    #[serde(rename = "program")]
    _program: Option<String>,
    #[serde(rename = "service_provider")]
    _service_provider: Option<String>,
    request: Section,
    response: Section,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    copybook: String,
    record: Option<String>,
    wrapper: String,
    #[serde(default, rename = "containers")]
    _containers: std::collections::BTreeMap<String, String>,
    #[serde(default)]
    missing_rows: record::MissingRows,
    #[serde(default)]
    zero_occurs: record::ZeroOccurs,
    #[serde(default)]
    initialise: record::Initialise,
    #[serde(default)]
    values: Policies,
    #[serde(default)]
    fields: std::collections::BTreeMap<String, Choice>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Choice {
    name: Option<String>,
    included: Option<bool>,
    default: Option<String>,
    bytes: Option<String>,
    omit: Option<i64>,
    description: Option<String>,
    values: Option<Policies>,
}

/// The layout and bind of one side of a service file, with the copybook that stands beside it.
pub(crate) fn bind(package: &Package, service: &str, request: bool) -> (Layout, Bind) {
    let file: ServiceFile =
        toml::from_str(text(package, &format!("services/{service}.toml"))).expect("a service file");
    let section = if request { &file.request } else { &file.response };
    let copybook = text(package, &format!("copybooks/{}", section.copybook));
    let parsed = copybook::parse("made", copybook, &copybook::Options::default()).expect("a copybook");
    let mut layouts = parsed.layouts;
    if let Some(record) = &section.record {
        layouts.retain(|layout| layout.name() == record);
    }
    let layout = layouts.pop().expect("a layout");
    let mut options = Options::new(Encoding::by_ccsid(file.ccsid).expect("a code page"));
    options.naming = file.naming;
    options.wrapper = Some(section.wrapper.clone());
    options.missing_rows = section.missing_rows;
    options.zero_occurs = section.zero_occurs;
    options.initialise = section.initialise;
    options.policies = section.values;
    for (name, choice) in &section.fields {
        let id = layout.resolve(name).unwrap_or_else(|error| panic!("{name}: {}", error.explain(name)));
        let format = choice.bytes.as_deref().map(|_| record::Format::Hex);
        let omit = choice.omit.map(|number| number.to_string());
        options.fields.insert(
            id,
            FieldOptions {
                name: choice.name.clone(),
                included: choice.included,
                default: choice.default.clone(),
                description: choice.description.clone(),
                format,
                omit,
                policies: choice.values,
                ..FieldOptions::default()
            },
        );
    }
    let bind = Bind::compile(&layout, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    (layout, bind)
}

/// A service archive with one interface, used both ways; `properties` go into the manifest.
pub(crate) fn service(interface: &str, properties: &[(&str, &str)]) -> Vec<u8> {
    archive(&service_entries(interface, properties))
}

pub(crate) fn service_entries(interface: &str, properties: &[(&str, &str)]) -> Vec<(&'static str, String)> {
    let mut manifest = String::from(
        "---\nManifest-Version: 1.0\nname: \"orders\"\nprovider: \"CICS-1.0\"\nversion: \"1.0.2\"\n\
         description: \"Orders, new and \\\"old\\\"\"\nproviderProperties:\n",
    );
    let fixed = [
        ("program", "ORDPGM"),
        ("dataXformType", "WALKER_VISITOR"),
        ("wvServiceFile", "files/service\\\\orders.xml"),
        ("wvRequestInterfaceFile", "files/interfaces\\\\ORD.si"),
        ("wvResponseInterfaceFile", "files/interfaces\\\\ORD.si"),
    ];
    for (name, value) in fixed.iter().chain(properties) {
        manifest.push_str(&format!("- propertyName: \"{name}\"\n  value: \"{value}\"\n  type: \"STRING\"\n"));
    }
    let definition = "<service><serviceName>orders</serviceName><ccsid>IBM037</ccsid>\
                      <initializeInputFields>true</initializeInputFields></service>";
    vec![
        ("manifest.yml", manifest),
        ("files/service\\orders.xml", definition.to_owned()),
        ("files/interfaces\\ORD.si", interface.to_owned()),
    ]
}

/// An interface for a commarea around fields.
pub(crate) fn interface(name: &str, bytes: usize, fields: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ns2:message xmlns:ns2=\"http://www.ibm.com/ims/Transaction\" \
         serviceType=\"CICS_COMM_AREA\"><message id=\"1\" name=\"{name}\"><segment id=\"1\" name=\"COMMAREA\" \
         originalName=\"COMMAREA\">\n<field name=\"{name}\" originalName=\"{name}\" included=\"Y\" path=\"{name}\">\
         <startPos>1</startPos><bytes>{bytes}</bytes><applicationDatatype datatype=\"STRUCT\"/>\n{fields}</field>\n\
         </segment></message></ns2:message>\n"
    )
}

/// One field of an interface; `attributes` and `inner` as they stand in the file.
pub(crate) fn field(
    original: &str,
    start: Option<usize>,
    bytes: usize,
    attributes: &str,
    inner: &str,
) -> String {
    let start = start.map(|start| format!("<startPos>{start}</startPos>")).unwrap_or_default();
    let name = if attributes.contains(" name=") { String::new() } else { format!(" name=\"{original}\"") };
    let included = if attributes.contains("included=") { "" } else { " included=\"Y\"" };
    format!(
        "<field originalName=\"{original}\"{name}{included} {attributes}>{start}<bytes>{bytes}</bytes>{inner}</field>\n"
    )
}

pub(crate) fn datatype(word: &str) -> String {
    format!("<applicationDatatype datatype=\"{word}\"/>")
}

pub(crate) fn decimal(converter: &str, signed: &str, precision: usize, scale: i64) -> String {
    format!(
        "<marshaller isSigned=\"{signed}\" isSignLeading=\"N\" isSignSeparate=\"N\"><typeConverter>{converter}\
         </typeConverter></marshaller><applicationDatatype datatype=\"DECIMAL\" precision=\"{precision}\" \
         scale=\"{scale}\"/>"
    )
}
