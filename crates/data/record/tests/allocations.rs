//! The plain path allocates nothing for a record: neither reading nor writing one, once the buffers are large enough.

use codepage::CodePage;
use record::{Bind, FieldOptions, Format, Options};
use xsd::TextType;

const COPYBOOK: &str = "01 R.
    05 KIND  PIC X(4).
    05 TOTAL PIC S9(9)V99 COMP-3.
    05 COUNT-N PIC 9(4) COMP.
    05 LINES OCCURS 20.
       10 NAME   PIC X(32).
       10 PRICE  PIC S9(7)V99.
       10 AMOUNT PIC S9(9) COMP.
    05 NOTE-TEXT PIC X(80).";

fn json() -> String {
    let line = r#"{"name":"ABCDEFGHIJ \" é","price":-12345.67,"amount":123456789}"#;
    let lines = vec![line; 20].join(",");
    format!(r#"{{"kind":"A","total":-1.5,"count_n":7,"lines":[{lines}],"note_text":"Größe"}}"#)
}

#[test]
fn nothing_is_allocated_for_a_record() {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let layout = copybook::parse("R", COPYBOOK, &options).expect("a copybook").layouts.remove(0);
    let page = CodePage::by_ccsid(273).expect("CCSID 273");
    let bind = Bind::compile(&layout, &Options::new(page)).expect("a bind");
    // JSON without escapes: those are resolved into memory of their own.
    let json = json().replace("\\\" ", "");
    let (mut record, mut out) = (Vec::new(), Vec::new());
    bind.encode(json.as_bytes(), &mut record).expect("a record");
    bind.decode(&record, &mut out).expect("JSON");
    assert_eq!(String::from_utf8(out.clone()).expect("UTF-8"), json);
    let writing =
        allocation_counter::measure(|| bind.encode(json.as_bytes(), &mut record).expect("a record"));
    assert_eq!(writing.count_total, 0, "writing a record");
    out.clear();
    let reading = allocation_counter::measure(|| bind.decode(&record, &mut out).expect("JSON"));
    assert_eq!(reading.count_total, 0, "reading a record");
}

/// Dates and the like cost no allocation more than other text.
#[test]
fn values_are_checked_without_allocations() {
    let options = copybook::Options { format: copybook::Format::Free, ..copybook::Options::default() };
    let text = "01 R. 05 D PIC X(32) OCCURS 50. 05 T PIC X(32) OCCURS 50.";
    let layout = copybook::parse("R", text, &options).expect("a copybook").layouts.remove(0);
    let page = CodePage::by_ccsid(273).expect("CCSID 273");
    let plain = Options::new(page);
    let mut typed = plain.clone();
    for (field, kind) in [("D", TextType::Date), ("T", TextType::DateTime)] {
        let choice = FieldOptions { format: Some(Format::Typed(kind)), ..FieldOptions::default() };
        typed.fields.insert(layout.resolve(field).expect("a field"), choice);
    }
    let xml = format!(
        "<r>{}{}</r>",
        "<d>2026-01-31</d>".repeat(50),
        "<t>2026-01-31T12:00:00.123+01:00</t>".repeat(50)
    );
    let allocations = |options: &Options| {
        let bind = Bind::compile(&layout, options).expect("a bind");
        let mut record = Vec::new();
        bind.encode_xml(xml.as_bytes(), &mut record).expect("a record");
        let writing = allocation_counter::measure(|| {
            bind.encode_xml(xml.as_bytes(), &mut record).expect("a record");
        });
        let mut out = Vec::new();
        bind.decode_xml(&record, &mut out).expect("XML");
        assert_eq!(String::from_utf8(out.clone()).expect("UTF-8"), xml);
        out.clear();
        let reading = allocation_counter::measure(|| {
            bind.decode_xml(&record, &mut out).expect("XML");
        });
        [writing.count_total, reading.count_total]
    };
    let ([writing, reading], [writing_typed, reading_typed]) = (allocations(&plain), allocations(&typed));
    assert_eq!(writing_typed, writing, "writing a record");
    // The text of a value that is not plain has memory of its own, which all values of the record use.
    assert!(
        reading_typed <= reading + 2,
        "{reading_typed} allocations to read a record, {reading} without types"
    );
}
