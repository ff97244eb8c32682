//! The plain path allocates nothing for a record: neither reading nor writing one, once the buffers are large enough.

use codepage::CodePage;
use record::{Bind, Options};

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
