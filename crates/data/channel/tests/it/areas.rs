//! Records with data areas, as programs put and get them by the Host API: what JSON becomes, and what programs do wrong.

use channel::{CONTAINERS_MAX, CharVarying, Error, Interface, Options, Side};
use codepage::Encoding;
use proptest::prelude::*;
use serde_json::{Value, json};
use service::DataArea;

use crate::random::{Dice, object, shape};

/// Orders of lines, each with tags: a data area in each element of another.
const ORDERS: &str = r#"{"type": "object", "required": ["lines"], "properties": {"lines": {
    "type": "array", "items": {"type": "object", "required": ["part", "tags"], "properties": {
        "part": {"type": "string", "minLength": 3, "maxLength": 3},
        "tags": {"type": "array", "maxItems": 9, "items": {"type": "string", "minLength": 2, "maxLength": 2}}}}}}}"#;

fn options() -> Options {
    Options::host_api(Encoding::by_ccsid(819).expect("CCSID 819"))
}

fn orders() -> Interface {
    Interface::compile_record(ORDERS, Side::Request, &options()).expect("a schema")
}

fn area(name: &str, element_bytes: usize, bytes: &[u8]) -> DataArea {
    DataArea { name: name.to_owned(), element_bytes, bytes: bytes.to_vec() }
}

/// A count and the name of an area.
fn counted(count: u8, name: &str) -> Vec<u8> {
    let mut bytes = vec![0, 0, 0, count];
    bytes.extend(name.as_bytes());
    bytes.resize(20, b' ');
    bytes
}

/// An element of `lines`: its part, a byte that puts the count on its boundary, tags.
fn line(part: &str, count: u8, tags: &str) -> Vec<u8> {
    let mut bytes = part.as_bytes().to_vec();
    bytes.push(0);
    bytes.extend(counted(count, tags));
    bytes
}

/// Two lines, the first with two tags, in areas whose names are the program's.
fn put() -> (Vec<u8>, Vec<DataArea>) {
    let lines = [line("A01", 2, "TAGS-1"), line("B02", 1, "TAGS-2")].concat();
    (
        counted(2, "MY-LINES"),
        vec![area("TAGS-1", 2, b"xxyy"), area("MY-LINES", 24, &lines), area("TAGS-2", 2, b"zz")],
    )
}

fn read((record, areas): (Vec<u8>, Vec<DataArea>)) -> Result<String, Error> {
    let mut json = b"before".to_vec();
    let read = orders().record_to_json(record, areas, &mut json);
    let text = String::from_utf8(json).expect("UTF-8");
    read.map(|()| text["before".len()..].to_owned()).inspect_err(|_| assert_eq!(text, "before"))
}

#[test]
fn areas_in_elements_of_areas_become_arrays_in_arrays() {
    let json = r#"{"lines":[{"part":"A01","tags":["xx","yy"]},{"part":"B02","tags":["zz"]}]}"#;
    assert_eq!(read(put()).as_deref(), Ok(json));
    let (record, areas) = orders().to_record(json.as_bytes()).expect("it fits");
    assert_eq!(record, counted(2, "DATAAREA00000001"));
    let lines = [line("A01", 2, "DATAAREA00000002"), line("B02", 1, "DATAAREA00000003")].concat();
    let expected = [
        area("DATAAREA00000002", 2, b"xxyy"),
        area("DATAAREA00000003", 2, b"zz"),
        area("DATAAREA00000001", 24, &lines),
    ];
    assert_eq!(areas, expected);
    assert_eq!(read((record, areas)).as_deref(), Ok(json));
    // No area is left out where there is room for a record alone.
    let error = orders().to_record_alone(json.as_bytes()).expect_err("areas");
    assert_eq!(error.to_string(), "expected one record, found further data areas");
}

#[test]
fn an_area_may_have_any_name() {
    let lines = [line("A01", 2, "TAGS-1"), line("B02", 0, "")].concat();
    let areas = vec![area("TAGS-1", 2, b"xxyy"), area("BAQBASE", 24, &lines)];
    let json = r#"{"lines":[{"part":"A01","tags":["xx","yy"]},{"part":"B02","tags":[]}]}"#;
    assert_eq!(read((counted(2, "BAQBASE"), areas)).as_deref(), Ok(json));
}

#[test]
fn an_empty_array_has_no_area() {
    let json = r#"{"lines":[]}"#;
    let (record, areas) = orders().to_record(json.as_bytes()).expect("it fits");
    assert_eq!((&record, areas.len()), (&counted(0, ""), 0));
    assert_eq!(read((record, areas)).as_deref(), Ok(json));
}

#[test]
fn an_answer_has_an_area_for_each_response() {
    let schema = r#"{"type": "object", "properties": {
        "responseCode200": {"type": "object", "required": ["n"], "properties": {"n": {"type": "boolean"}}},
        "responseCode404": {"type": "array", "items": {"type": "boolean"}}}}"#;
    let interface = Interface::compile_record(schema, Side::Response, &options()).expect("a schema");
    let made = |json: &str| interface.to_record(json.as_bytes()).expect("it fits");
    let record = [counted(1, "DATAAREA00000001"), counted(0, "")].concat();
    assert_eq!(made(r#"{"responseCode200":{"n":true}}"#), (record, vec![area("DATAAREA00000001", 1, &[1])]));
    let record = [counted(0, ""), counted(2, "DATAAREA00000001")].concat();
    assert_eq!(
        made(r#"{"responseCode404":[true,false]}"#),
        (record, vec![area("DATAAREA00000001", 1, &[1, 0])])
    );
}

#[test]
fn what_programs_do_wrong_is_said() {
    let change = |change: &dyn Fn(&mut Vec<u8>, &mut Vec<DataArea>)| {
        let (mut record, mut areas) = put();
        change(&mut record, &mut areas);
        read((record, areas)).expect_err("a fault").to_string()
    };
    let found = [
        change(&|_, areas| drop(areas.remove(0))),
        change(&|_, areas| areas.push(area("LEFT-OVER", 1, b"x"))),
        change(&|record, _| record[3] = 1),
        change(&|record, _| record[3] = 3),
        change(&|record, _| record[0] = 0xFF),
        change(&|_, areas| areas[1].element_bytes = 12),
        change(&|_, areas| areas[1] = area("MY-LINES", 24, &line("A01", 2, "TAGS-1").repeat(2))),
        change(&|record, _| record[4..].fill(b' ')),
        change(&|record, _| record.truncate(19)),
        change(&|_, areas| areas.push(areas[0].clone())),
        change(&|_, areas| areas[0].bytes.push(b'x')),
    ];
    let expected = [
        "lines[0].tags: expected elements in the data area TAGS-1, found none \
         (data area MY-LINES, field Xlines1.tags-dataarea, offset 8)",
        "expected a field that names the data area LEFT-OVER, found none",
        "lines: data area MY-LINES: expected 1 elements, found 2",
        "lines: data area MY-LINES: expected 3 elements, found 2",
        "lines: expected 0 to 1000000, found -16777214 (record offset 0)",
        "lines: data area MY-LINES: expected elements of 24 bytes, found 12",
        "lines[1].tags: expected a data area for each array, found TAGS-1 twice",
        "lines: expected the name of a data area, found none (record offset 4)",
        "expected 20 bytes, found 19 (record offset 19)",
        "expected data areas with names of their own, found TAGS-1 twice",
        "lines[0].tags: data area TAGS-1: expected 2 elements of 2 bytes, found 5 bytes",
    ];
    assert_eq!(found.each_ref().map(String::as_str), expected);
}

#[test]
fn elements_are_never_null() {
    let schema = r#"{"type": "object", "required": ["t"], "properties": {"t": {"type": "array",
        "items": {"type": ["string", "null"], "minLength": 2, "maxLength": 2}}}}"#;
    let interface = Interface::compile_record(schema, Side::Response, &options()).expect("a schema");
    let warnings: Vec<_> = interface.warnings().iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(warnings, ["null has no place in a table"]);
    let made = interface.to_record(br#"{"t":["ab","cd"]}"#);
    assert_eq!(made, Ok((counted(2, "DATAAREA00000001"), vec![area("DATAAREA00000001", 2, b"abcd")])));
    // Nor are arrays in tables.
    let nested = r#"{"type": "object", "required": ["t"], "properties": {"t": {"type": "array",
        "minItems": 2, "maxItems": 2, "items": {"type": ["array", "null"], "minItems": 1, "maxItems": 1,
        "items": {"type": ["string", "null"], "minLength": 2, "maxLength": 2}}}}}"#;
    let tables = Interface::compile_record(nested, Side::Response, &options()).expect("a schema");
    assert!(!tables.copybook().contains("existence"), "{}", tables.copybook());
    assert_eq!(tables.to_record(br#"{"t":[["ab"],["cd"]]}"#), Ok((b"abcd".to_vec(), Vec::new())));
    let error = interface.to_record(br#"{"t":["ab",null]}"#).expect_err("null");
    assert_eq!(error.to_string(), "t[1]: expected text, found null (line 1, column 12)");
}

#[test]
fn bytes_of_areas_have_a_limit() {
    let schema = r#"{"type": "object", "required": ["t"], "properties": {"t": {"type": "array",
        "items": {"type": "object", "properties": {"note": {"type": "string", "maxLength": 30000}}}}}}"#;
    let options = Options { channel_max_bytes: 100_000, ..options() };
    let interface = Interface::compile_record(schema, Side::Response, &options).expect("a schema");
    assert_eq!(interface.structure_max_bytes(), 30_008);
    assert!(interface.to_record(br#"{"t":[{},{},{}]}"#).is_ok());
    // Short JSON of long elements.
    let error = interface.to_record(br#"{"t":[{},{},{},{}]}"#).expect_err("too long");
    assert_eq!(error.message, "expected containers or data areas of at most 100000 bytes, found more");
}

#[test]
fn as_many_areas_are_made_as_programs_may_have() {
    let schema = r#"{"type": "object", "required": ["t"], "properties": {"t": {"type": "array", "items":
        {"type": "object", "required": ["n"], "properties": {"n": {"type": "array", "items": {"type": "boolean"}}}}}}}"#;
    let interface = Interface::compile_record(schema, Side::Response, &options()).expect("a schema");
    let made = |areas: usize| {
        let rows = vec![r#"{"n":[true]}"#; areas - 1].join(",");
        interface.to_record(format!(r#"{{"t":[{rows}]}}"#).as_bytes())
    };
    assert_eq!(made(CONTAINERS_MAX).map(|(_, areas)| areas.len()), Ok(CONTAINERS_MAX));
    assert!(made(CONTAINERS_MAX + 1).is_err_and(|error| error.message.contains("at most 10000")));
}

#[test]
fn text_that_no_field_holds_is_refused() {
    let schema = r#"{"type": "object", "required": ["t"], "properties": {"t": {"type": "string", "maxLength": 9000}}}"#;
    let options = Options { char_varying_max: 4, ..options() };
    let interface = Interface::compile_record(schema, Side::Response, &options).expect("a schema");
    let warnings: Vec<_> = interface.warnings().iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(warnings, ["the field has 4 of 9000 characters; longer text is refused"]);
    assert_eq!(interface.to_record(br#"{"t":"four"}"#), Ok((b"\0\x04four".to_vec(), Vec::new())));
    let error = interface.to_record(br#"{"t":"fives"}"#).expect_err("too long");
    assert_eq!(error.message, "expected text of at most 4 characters, found 5");
    let longer = schema.replace("\"maxLength\"", "\"minLength\": 5, \"maxLength\"");
    let found = Interface::compile_record(&longer, Side::Response, &options).expect_err("no text fits");
    let found: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(found, ["the field has 4 characters, and no text has fewer than 5"]);
    // What is assumed where the schema does not say is enough.
    let open = schema.replace("\"maxLength\": 9000", "\"minLength\": 300");
    let interface = Interface::compile_record(&open, Side::Response, &self::options()).expect("a schema");
    assert_eq!(interface.structure_max_bytes(), 300);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn json_goes_to_areas_and_back(
        shape in object(shape()), most in 0_u64..5, answer in any::<bool>(), seed in any::<u64>(),
        changes in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..6),
    ) {
        let schema = shape.schema().to_string();
        let side = if answer { Side::Response } else { Side::Request };
        let encoding = Encoding::by_ccsid(37).expect("CCSID 37");
        let options = Options { inline_max_occurs: most, ..Options::host_api(encoding) };
        let interface = Interface::compile_record(&schema, side, &options).expect("a schema");
        let json = shape.value(&mut Dice(seed), CharVarying::Yes);
        let made = interface.to_record(json.to_string().as_bytes());
        let (record, mut areas) = made.unwrap_or_else(|error| panic!("{json}: {error}\n{}", interface.copybook()));
        let whole = |area: &DataArea| area.element_bytes > 0 && area.bytes.len().is_multiple_of(area.element_bytes);
        prop_assert!(areas.iter().all(whole));
        let mut out = Vec::new();
        let read = interface.record_to_json(record.clone(), areas.clone(), &mut out);
        prop_assert!(read.is_ok(), "{}: {:?}\n{}", json, read, interface.copybook());
        let back: Value = serde_json::from_slice(&out).expect("JSON");
        prop_assert_eq!(back, json!(json), "{}", interface.copybook());
        // Any other content of a program is JSON or a fault.
        let mut record = record;
        for (which, place, byte) in changes {
            let count = areas.len() + 1;
            let bytes = match areas.get_mut(which % count) {
                Some(area) => &mut area.bytes,
                None => &mut record,
            };
            let length = bytes.len().max(1);
            if let Some(changed) = bytes.get_mut(place % length) {
                *changed = byte;
            }
        }
        out.clear();
        match interface.record_to_json(record, areas, &mut out) {
            Ok(()) => prop_assert!(serde_json::from_slice::<Value>(&out).is_ok()),
            Err(error) => prop_assert!(out.is_empty() && !error.message.is_empty()),
        }
    }
}
