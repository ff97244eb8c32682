//! The mapping rules, one by one: a member of a schema, and the entries that it becomes.

use assistant::{
    Alternatives, Assistant, BinaryData, CharVarying, DateTime, Floats, Integers, MappingLevel, Optional,
    Options, Role, Source, VaryingArrays, from_json,
};

/// The entries of a copybook without comments and without needless blanks, the 01 level left out.
fn entries(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("      *")).collect();
    let joined = lines.join(" ");
    let words: Vec<&str> = joined.split_ascii_whitespace().collect();
    let text = words.join(" ") + " ";
    text.split(". ")
        .map(str::to_owned)
        .filter(|entry| !entry.is_empty() && !entry.starts_with("01 "))
        .collect()
}

fn schema(property: &str, required: bool) -> String {
    let required = if required { r#""required": ["it"],"# } else { "" };
    format!(r#"{{"type": "object", {required} "properties": {{"it": {property}}}}}"#)
}

fn of(property: &str, options: &Options) -> Vec<String> {
    let copybook = from_json(&schema(property, true), &Source::Schema, options).expect(property);
    entries(&copybook.text)
}

fn optional(property: &str, options: &Options) -> Vec<String> {
    let copybook = from_json(&schema(property, false), &Source::Schema, options).expect(property);
    entries(&copybook.text)
}

fn cics() -> Options {
    Options::assistant("R")
}

#[test]
fn text_has_its_greatest_length_or_the_default() {
    assert_eq!(of(r#"{"type":"string","maxLength":7}"#, &cics()), ["03 it PIC X(7)"]);
    assert_eq!(of(r#"{"type":"string"}"#, &cics()), ["03 it PIC X(255)"]);
    let options = Options { default_char_max: 80, ..cics() };
    assert_eq!(of(r#"{"type":"string","format":"uri"}"#, &options), ["03 it PIC X(80)"]);
    assert_eq!(of(r#"{"const":"EUR"}"#, &cics()), ["03 it PIC X(3)"]);
}

#[test]
fn varying_text_by_choice() {
    let varying = r#"{"type":"string","minLength":1,"maxLength":10000}"#;
    let fixed = r#"{"type":"string","minLength":4,"maxLength":4}"#;
    for (char_varying, expected) in [
        (CharVarying::No, vec!["03 it PIC X(10000)"]),
        (CharVarying::Collapse, vec!["03 it PIC X(10000)"]),
        (CharVarying::Null, vec!["03 it PIC X(10001)"]),
        (CharVarying::Yes, vec!["03 it-length PIC S9999 COMP-5 SYNC", "03 it PIC X(10000)"]),
    ] {
        let options = Options { char_varying, ..cics() };
        assert_eq!(of(varying, &options), expected, "{char_varying:?}");
        assert_eq!(of(fixed, &options), ["03 it PIC X(4)"], "{char_varying:?}");
    }
}

#[test]
fn text_beyond_the_limit_goes_into_a_container() {
    let long = r#"{"type":"string","maxLength":32768}"#;
    assert_eq!(of(long, &cics()), ["03 it PIC X(16)"]);
    let options = Options { char_varying: CharVarying::Yes, ..cics() };
    assert_eq!(of(long, &options), ["03 it PIC X(16)"]);
    let list = r#"{"type":"array","minItems":2,"maxItems":2,"items":{"type":"string","maxLength":32768}}"#;
    assert_eq!(of(list, &options), ["03 it PIC X(16) OCCURS 2 TIMES"]);
}

#[test]
fn whole_numbers_by_their_range() {
    for (limits, native, binary) in [
        ("", "PIC S9(18) COMP-5 SYNC", "PIC S9(18) BINARY"),
        (r#","minimum":0"#, "PIC 9(18) COMP-5 SYNC", "PIC 9(18) BINARY"),
        (r#","format":"int32""#, "PIC S9(9) COMP-5 SYNC", "PIC S9(10) BINARY"),
        (r#","format":"int64""#, "PIC S9(18) COMP-5 SYNC", "PIC S9(18) BINARY"),
        (r#","format":"int32","minimum":0"#, "PIC 9(9) COMP-5 SYNC", "PIC 9(10) BINARY"),
        (r#","minimum":-32768,"maximum":32767"#, "PIC S9999 COMP-5 SYNC", "PIC S9(5) BINARY"),
        (r#","minimum":1,"maximum":65535"#, "PIC 9999 COMP-5 SYNC", "PIC 9(5) BINARY"),
        (r#","minimum":1,"maximum":65536"#, "PIC 9(9) COMP-5 SYNC", "PIC 9(5) BINARY"),
        (r#","minimum":0,"maximum":9999999999"#, "PIC 9(10) DISPLAY", "PIC 9(10) BINARY"),
        (r#","minimum":-99,"maximum":99"#, "PIC S99 DISPLAY", "PIC S99 BINARY"),
        (r#","exclusiveMinimum":-100,"exclusiveMaximum":100"#, "PIC S99 DISPLAY", "PIC S99 BINARY"),
        (r#","minimum":0,"maximum":1e2,"exclusiveMaximum":true"#, "PIC 99 DISPLAY", "PIC 99 BINARY"),
        (r#","enum":[5,70000]"#, "PIC 9(9) COMP-5 SYNC", "PIC 9(5) BINARY"),
    ] {
        let property = format!(r#"{{"type":"integer"{limits}}}"#);
        assert_eq!(of(&property, &cics()), [format!("03 it {native}")], "{limits}");
        let options = Options { integers: Integers::Binary, ..cics() };
        assert_eq!(of(&property, &options), [format!("03 it {binary}")], "{limits}");
    }
    let wide = Options { wide_comp3: true, ..cics() };
    let large = r#"{"type":"integer","minimum":0,"maximum":99999999999999999999}"#;
    assert_eq!(of(large, &wide), ["03 it PIC 9(20) COMP-3"]);
    // Only the assistant for XML fills all the room that there is.
    let unlimited = r#"{"type":"number","format":"decimal"}"#;
    assert_eq!(of(unlimited, &wide), ["03 it PIC S9(16)V9(2) COMP-3"]);
    let of_xml = Options { assistant: Assistant::Ws2ls, ..wide };
    assert_eq!(of(unlimited, &of_xml), ["03 it PIC S9(29)V9(2) COMP-3"]);
}

#[test]
fn decimal_numbers_by_unit_and_range() {
    for (keywords, expected) in [
        (r#""format":"decimal""#, "PIC S9(16)V9(2) COMP-3"),
        (r#""format":"decimal","minimum":0"#, "PIC 9(16)V9(2) COMP-3"),
        (r#""multipleOf":0.001"#, "PIC S9(15)V9(3) COMP-3"),
        (r#""multipleOf":0.05,"minimum":0,"maximum":9.95"#, "PIC 9(1)V9(2) COMP-3"),
        (r#""multipleOf":0.01,"minimum":-9999999999.99,"maximum":9999999999.99"#, "PIC S9(10)V9(2) COMP-3"),
        (r#""multipleOf":1,"minimum":0,"exclusiveMaximum":1000"#, "PIC 999 COMP-3"),
        (r#""enum":[1.5,-20.25]"#, "PIC S9(2)V9(2) COMP-3"),
        (r#""format":"float""#, "COMP-1"),
        (r#""format":"double""#, "COMP-2"),
        (r#""description":"any""#, "COMP-2"),
    ] {
        let property = format!(r#"{{"type":"number",{keywords}}}"#);
        assert_eq!(of(&property, &cics()), [format!("03 it {expected}")], "{keywords}");
    }
    let packed = Options { floats: Floats::Packed, default_fraction_digits: 4, ..cics() };
    assert_eq!(of(r#"{"type":"number","format":"double"}"#, &packed), ["03 it PIC S9(14)V9(4) COMP-3"]);
}

#[test]
fn booleans_dates_and_octets() {
    assert_eq!(of(r#"{"type":"boolean"}"#, &cics()), ["03 it PIC X DISPLAY"]);
    assert_eq!(of(r#"{"type":"string","format":"date"}"#, &cics()), ["03 it PIC X(32)"]);
    let packed = Options { datetime: DateTime::Packed15, ..cics() };
    assert_eq!(of(r#"{"type":"string","format":"date-time"}"#, &packed), ["03 it PIC S9(15) COMP-3"]);
    assert_eq!(of(r#"{"type":"string","format":"time"}"#, &packed), ["03 it PIC X(32)"]);
    let text = Options { binary_data: BinaryData::Text, ..cics() };
    for (keywords, octets) in [
        (r#""format":"byte""#, 75),
        (r#""contentEncoding":"base64""#, 75),
        (r#""format":"hexBinary""#, 50),
        (r#""format":"binary""#, 100),
    ] {
        let property = format!(r#"{{"type":"string","maxLength":100,{keywords}}}"#);
        assert_eq!(of(&property, &cics()), [format!("03 it PIC X({octets})")], "{keywords}");
        assert_eq!(of(&property, &text), ["03 it PIC X(100)"], "{keywords}");
    }
}

#[test]
fn arrays_by_choice() {
    let fixed = r#"{"type":"array","minItems":3,"maxItems":3,"items":{"type":"string","maxLength":8}}"#;
    assert_eq!(of(fixed, &cics()), ["03 it PIC X(8) OCCURS 3 TIMES"]);
    let varying = r#"{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","maxLength":8}}"#;
    let counter = "03 it-num PIC S9(9) COMP-5 SYNC";
    let inline = Options { inline_max_occurs: 3, ..cics() };
    assert_eq!(of(varying, &inline), [counter, "03 it PIC X(8) OCCURS 3 TIMES"]);
    assert_eq!(of(varying, &cics()), [counter, "03 it-cont PIC X(16)", "03 it1 PIC X(8)"]);
    let depending = Options { varying_arrays: VaryingArrays::DependingOn, ..cics() };
    let table = |least| format!("03 it PIC X(8) OCCURS {least} TO 3 TIMES DEPENDING ON it-num");
    assert_eq!(of(varying, &depending), [counter, &table(1)]);
    // An array that may be left out has no rows then.
    assert_eq!(optional(varying, &depending), [counter, &table(0)]);
    let open = r#"{"type":"array","items":{"type":"string","maxLength":8}}"#;
    let limited = Options { default_array_max: Some(3), ..depending };
    assert_eq!(of(open, &limited), [counter, &table(0)]);
    let paired = Options { char_varying: CharVarying::Yes, ..cics() };
    let group = ["03 it OCCURS 3 TIMES", "06 it2-length PIC S9999 COMP-5 SYNC", "06 it2 PIC X(8)"];
    assert_eq!(of(fixed, &paired), group);
    let matrix = format!(r#"{{"type":"array","minItems":2,"maxItems":2,"items":{fixed}}}"#);
    assert_eq!(of(&matrix, &cics()), ["03 it OCCURS 2 TIMES", "06 it1 PIC X(8) OCCURS 3 TIMES"]);
}

#[test]
fn optional_members_by_choice_and_level() {
    let text = r#"{"type":"string","maxLength":8}"#;
    assert_eq!(optional(text, &cics()), ["03 it-num PIC S9(9) COMP-5 SYNC", "03 it PIC X(8)"]);
    let level5 = Options { mapping_level: MappingLevel::V5_0, ..cics() };
    assert_eq!(optional(text, &level5), ["03 it-existence PIC S9(9) COMP-5 SYNC", "03 it PIC X(8)"]);
    let plain = Options { optional: Optional::Plain, ..cics() };
    assert_eq!(optional(text, &plain), ["03 it PIC X(8)"]);
    let paired = Options { char_varying: CharVarying::Yes, ..level5 };
    let group = [
        "03 it-existence PIC S9(9) COMP-5 SYNC",
        "03 it",
        "06 it2-length PIC S9999 COMP-5 SYNC",
        "06 it2 PIC X(8)",
    ];
    assert_eq!(optional(text, &paired), group);
    let nullable = r#"{"type":["string","null"],"maxLength":8}"#;
    assert_eq!(of(nullable, &cics()), ["03 it-num PIC S9(9) COMP-5 SYNC", "03 it PIC X(8)"]);
    let either = r#"{"anyOf":[{"type":"string","maxLength":8},{"type":"null"}]}"#;
    assert_eq!(of(either, &cics()), of(nullable, &cics()));
}

#[test]
fn schemas_that_hold_together_are_merged() {
    let merged =
        r#"{"allOf":[{"type":"number","minimum":0},{"type":"integer","maximum":99},{"minimum":-5}]}"#;
    assert_eq!(of(merged, &cics()), ["03 it PIC 99 DISPLAY"]);
    let objects = r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string"}},
        "allOf":[{"properties":{"a":{"maxLength":5},"b":{"type":"boolean"}},"required":["b"]}]}"#;
    assert_eq!(of(objects, &cics()), ["03 it", "06 a PIC X(5)", "06 b PIC X DISPLAY"]);
    let constrained = r#"{"type":"object","required":["a"],"properties":{"a":{"type":"boolean"}},
        "anyOf":[{"required":["a"]},{"not":{}}]}"#;
    assert_eq!(of(constrained, &cics()), ["03 it", "06 a PIC X DISPLAY"]);
}

#[test]
fn the_first_of_several_is_taken_if_asked_for() {
    let options = Options { alternatives: Alternatives::First, ..cics() };
    let either = r#"{"oneOf":[{"type":"string","maxLength":3},{"type":"integer"}]}"#;
    assert_eq!(of(either, &options), ["03 it PIC X(3)"]);
    assert_eq!(
        of(r#"{"type":["integer","string"],"maximum":9,"minimum":0}"#, &options),
        ["03 it PIC 9 DISPLAY"]
    );
    let copybook = from_json(&schema(either, true), &Source::Schema, &options).expect("a copybook");
    assert_eq!(copybook.warnings.len(), 1);
}

#[test]
fn references_lead_to_definitions_anchors_and_parts() {
    for reference in ["#/$defs/a~1b", "#/%24defs/a~1b", "#there", "http://example.com/s#there"] {
        let schema = format!(
            r#"{{"$id":"http://example.com/s","type":"object","required":["it"],
                "properties":{{"it":{{"$ref":"{reference}","maxLength":4}}}},
                "$defs":{{"a/b":{{"$anchor":"there","type":"string","maxLength":9}}}}}}"#
        );
        let copybook = from_json(&schema, &Source::Schema, &cics()).expect(reference);
        assert_eq!(entries(&copybook.text), ["03 it PIC X(4)"]);
        // Before draft 2019-09, keywords beside a reference do not count.
        let old = schema.replacen('{', r#"{"$schema":"http://json-schema.org/draft-07/schema#","#, 1);
        let copybook = from_json(&old, &Source::Schema, &cics()).expect(reference);
        assert_eq!(entries(&copybook.text), ["03 it PIC X(9)"]);
    }
}

#[test]
fn a_type_may_be_used_twice_within_itself_if_it_ends() {
    let schema = r##"{"type":"object","required":["employee"],
        "properties":{"employee":{"$ref":"#/$defs/employee"}},
        "$defs":{"person":{"type":"object","required":["name"],"properties":{"name":{"type":"string","maxLength":9}}},
        "employee":{"allOf":[{"$ref":"#/$defs/person"},{"type":"object","required":["boss"],
            "properties":{"boss":{"$ref":"#/$defs/person"}}}]}}}"##;
    let copybook = from_json(schema, &Source::Schema, &cics()).expect("it ends");
    let expected = ["03 employee", "06 name PIC X(9)", "06 boss", "09 name1 PIC X(9)"];
    assert_eq!(entries(&copybook.text), expected);
}

#[test]
fn every_field_is_listed_with_its_member() {
    let options = Options { varying_arrays: VaryingArrays::DependingOn, ..cics() };
    let list = r#"{"type":"array","maxItems":3,"items":{"type":"object","required":["a_b"],
        "properties":{"a_b":{"type":"integer","minimum":1,"maximum":5}}}}"#;
    let copybook = from_json(&schema(list, true), &Source::Schema, &options).expect("a copybook");
    let names: Vec<(&str, &str, Role)> =
        copybook.names.iter().map(|name| (name.json.as_str(), name.path.as_str(), name.role)).collect();
    assert_eq!(
        names,
        [("it", "it-num", Role::Counter), ("it[]", "it", Role::Rows), ("it[].a_b", "it.aXb", Role::Value)]
    );
    let member = &copybook.names[2];
    assert_eq!((member.required, member.minimum.as_deref()), (true, Some("1")));
}
