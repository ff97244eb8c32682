//! Any bytes as a request in XML: an error, or a record that gives XML which gives the record again. What roxmltree
//! refuses is refused. The same for elements of several namespaces, attributes, and counters that show.
#![no_main]

mod bind;

use std::sync::OnceLock;

use codepage::CodePage;
use libfuzzer_sys::fuzz_target;
use record::{Bind, Counters, Options, UnknownFields, XmlField, XmlForm};

const NAMES: &str = "
       01  R.
           05  ID          PIC 9(3).
           05  T           PIC X(4).
           05  N           PIC 9.
           05  A           PIC X(3).
           05  B           PIC X(3).
           05  G           OCCURS 0 TO 4 DEPENDING ON N.
               10  K       PIC S9(3) COMP-3.
               10  V       PIC X(3).
";

/// A bind with names of others.
fn names() -> &'static Bind {
    static BIND: OnceLock<Bind> = OnceLock::new();
    BIND.get_or_init(|| {
        let parsed = copybook::parse("NAMES.cpy", NAMES, &copybook::Options::default()).expect("a copybook");
        let layout = &parsed.layouts[0];
        let page = CodePage::by_ccsid(37).expect("CCSID 37");
        let mut options = Options { counters: Counters::Show, ..Options::new(page) };
        options.unknown_fields = UnknownFields::Ignore;
        options.xml.namespace = Some("u".to_owned());
        let mut name = |field: &str, name: &str, namespace: Option<&str>, form| {
            let field = layout.resolve(field).expect("a field");
            let xml = XmlField {
                name: Some(name.to_owned()),
                namespace: namespace.map(str::to_owned),
                form,
                ..XmlField::default()
            };
            options.fields.entry(field).or_default().xml = Some(xml);
        };
        name("ID", "id", None, XmlForm::Attribute);
        name("T", "id", Some("v"), XmlForm::Attribute);
        name("B", "a", Some(""), XmlForm::Element);
        name("K", "k", None, XmlForm::Attribute);
        name("V", "v", None, XmlForm::Text);
        Bind::compile(layout, &options).expect("a bind")
    })
}

fuzz_target!(|xml: &[u8]| {
    for bind in [bind::bind(), names()] {
        let (mut record, mut again, mut document) = (Vec::new(), Vec::new(), Vec::new());
        if bind.encode_xml(xml, &mut record).is_ok() {
            if let Ok(text) = std::str::from_utf8(xml) {
                roxmltree::Document::parse(text).expect("what is taken is XML");
            }
            bind.decode_xml(&record, &mut document).expect("what was encoded is decoded");
            bind.encode_xml(&document, &mut again).expect("and encoded");
            assert_eq!(record, again);
        }
    }
});
