//! Tables of a fixed number of rows.

use record::ErrorKind::{BadData, RowCount, WrongType};

use crate::{Case, check};

#[test]
fn rows_of_fields_and_groups() {
    check("01 R. 05 N PIC 9 OCCURS 3. 05 E PIC X.", r#"{"n":[1,2,3],"e":"Z"}"#, "F1F2F3E9");
    check(
        "01 R. 05 ROW OCCURS 2. 10 A PIC X(2). 10 B PIC 9.",
        r#"{"row":[{"a":"A","b":1},{"a":"","b":0}]}"#,
        "C140F14040F0",
    );
}

#[test]
fn tables_in_tables() {
    check(
        "01 R. 05 O OCCURS 2. 10 K PIC 9. 10 I OCCURS 2. 15 V PIC 9 OCCURS 2.",
        r#"{"o":[{"k":1,"i":[{"v":[1,2]},{"v":[3,4]}]},{"k":2,"i":[{"v":[5,6]},{"v":[7,8]}]}]}"#,
        "F1F1F2F3F4 F2F5F6F7F8",
    );
}

#[test]
fn a_table_first_or_alone_needs_no_comma() {
    check("01 R. 05 T PIC 9 OCCURS 1 TO 3.", r#"{"t":[1,2,3]}"#, "F1F2F3");
    check("01 R. 05 T PIC 9 OCCURS 2. 05 U PIC 9 OCCURS 1.", r#"{"t":[1,2],"u":[3]}"#, "F1F2F3");
}

#[test]
fn rows_that_are_not_given_have_initial_values() {
    let case = Case::new("01 R. 05 ROW OCCURS 2. 10 A PIC X VALUE 'Q'. 10 B PIC 9.");
    case.check_encode("{}", "D8F0D8F0");
    case.check_encode(r#"{"row":[{"b":1},{"a":"A"}]}"#, "D8F1C1F0");
}

#[test]
fn too_many_and_too_few_rows() {
    let case = Case::new("01 R. 05 T PIC 9 OCCURS 2.");
    case.refuse_json(r#"{"t":[1,2,3]}"#, RowCount, "t: the array has more than 2 rows (line 1, column 6)");
    let few = "t: the array has 1 rows, the table has at least 2 (line 1, column 6)";
    case.refuse_json(r#"{"t":[1]}"#, RowCount, few);
    let none = "t: the array has 0 rows, the table has at least 2 (line 1, column 6)";
    case.refuse_json(r#"{"t":[]}"#, RowCount, none);
}

#[test]
fn errors_name_the_row() {
    let case = Case::new("01 R. 05 O OCCURS 2. 10 I OCCURS 2. 15 N PIC 99.");
    case.refuse_json(
        "{\"o\":[{\"i\":[{\"n\":1},{\"n\":2}]},\n{\"i\":[{\"n\":3},{\"n\":\"x\"}]}]}",
        WrongType,
        "o[1].i[1].n: expected a number, found text (line 2, column 20)",
    );
    let shown = "o[1].i[0].n: the bytes F0 40 are not a number of the field's type (record offset 4)";
    case.refuse_record("F0F0F0F0 F040F0F0", BadData, shown);
}

#[test]
fn errors_in_rows_of_plain_values_stand_at_the_value() {
    let case = Case::new("01 R. 05 N PIC 99 OCCURS 3. 05 T PIC X OCCURS 2.");
    for (json, shown) in [
        (
            r#"{"n":[1,222,3]}"#,
            "n[1]: the number is greater than the greatest allowed, 99 (line 1, column 9)",
        ),
        (r#"{"n":[1,2, -3]}"#, "n[2]: the number is less than the least allowed, 0 (line 1, column 12)"),
        (
            "{\"t\":[\"a\",\n \"bb\"]}",
            "t[1]: text of 2 characters is longer than the field's 1 (line 2, column 2)",
        ),
    ] {
        assert_eq!(case.encode(json).expect_err(json).to_string(), shown);
    }
    case.refuse_record(
        "F0F0 F0F0 F0C040 4040",
        record::ErrorKind::RecordLength,
        "the record has 9 bytes, the layout at most 8 (record offset 8)",
    );
    case.refuse_record(
        "F0F0 F0F0 40F0 4040",
        BadData,
        "n[2]: the bytes 40 F0 are not a number of the field's type (record offset 4)",
    );
}

/// Rows without a value at the end do not show, and a request need not have them.
#[test]
fn empty_rows_at_the_end_of_a_table_do_not_show() {
    let text = "01 R. 05 G OCCURS 3. 10 A PIC X. 10 N PIC 9. 05 V PIC X OCCURS 3. 05 Z PIC X.";
    let case = |empty_rows| {
        Case::with(text, move |choices| {
            choices.options.empty_rows = empty_rows;
            choices.options.missing_rows = record::MissingRows::Initial;
        })
    };
    let groups = case(record::EmptyRows::OmitGroups);
    // The second row is empty, and stands before one that is not.
    groups.check(
        r#"{"g":[{"a":"x","n":1},{"a":"","n":0},{"a":"y","n":0}],"v":["","",""],"z":"e"}"#,
        "A7F1 40F0 A8F0 404040 85",
    );
    groups.check_decode("A7F1 40F0 0000 404040 85", r#"{"g":[{"a":"x","n":1}],"v":["","",""],"z":"e"}"#);
    groups.check_decode("40F0 0000 40F0 404040 85", r#"{"v":["","",""],"z":"e"}"#);
    let all = case(record::EmptyRows::Omit);
    all.check(r#"{"g":[{"a":"x","n":1}],"v":["","q"],"z":"e"}"#, "A7F1 40F0 40F0 40 98 40 85");
    all.check_decode("A7F1 0000 0000 40 98 00 85", r#"{"g":[{"a":"x","n":1}],"v":["","q"],"z":"e"}"#);
    all.check_xml("<r><g><a>x</a><n>1</n></g><v>p</v><z>e</z></r>", "A7F1 40F0 40F0 97 40 40 85");
    let schema = all.bind.response_xsd();
    assert_eq!(schema.matches("minOccurs=\"0\" maxOccurs=\"3\"").count(), 2, "{schema}");
}

/// A message that demands all fields may still lack all rows of a table whose rows may be missing.
#[test]
fn a_table_may_lack_all_rows_if_it_may_lack_any() {
    let text = "01 R. 05 G OCCURS 2. 10 A PIC X. 10 N PIC 9. 05 V PIC X OCCURS 2. 05 Z PIC X.";
    for missing_rows in [record::MissingRows::Refuse, record::MissingRows::Initial] {
        let case = Case::with(text, |choices| {
            choices.options.missing_fields = record::MissingFields::Refuse;
            choices.options.missing_rows = missing_rows;
        });
        let mut found = Vec::new();
        let read = case.bind.encode_xml(b"<r><z>e</z></r>", &mut found);
        let schema = case.bind.request_program_interface("4.3");
        if missing_rows == record::MissingRows::Initial {
            read.expect("no rows");
            assert_eq!(found, [0x40, 0xF0, 0x40, 0xF0, 0x40, 0x40, 0x85]);
            assert_eq!(schema.matches("minOccurs=\"0\" maxOccurs=\"2\"").count(), 2, "{schema}");
        } else {
            assert_eq!(read.expect_err("rows").to_string(), "g: this field is required (line 1, column 1)");
            assert_eq!(schema.matches("minOccurs=\"2\" maxOccurs=\"2\"").count(), 2, "{schema}");
        }
        let error = case.bind.encode_xml(b"<r/>", &mut Vec::new()).expect_err("no z");
        assert!(error.to_string().contains("this field is required"), "{error}");
    }
}

/// Text that a byte 00 ends is empty where a message or a record does not have it. Rows that a program has made blank are empty too.
#[test]
fn text_that_a_byte_ends_is_empty_at_first() {
    let text = "01 R. 05 A PIC X(2). 05 G OCCURS 2. 10 B PIC X(3). 10 N PIC 9.";
    let case = Case::with(text, |choices| {
        choices.options.policies.low_value_text = record::LowValueText::End;
        choices.options.policies.trim_text = record::TrimText::Keep;
        choices.options.data_truncation = record::DataTruncation::Accept;
        choices.options.missing_rows = record::MissingRows::Initial;
        choices.options.empty_rows = record::EmptyRows::OmitGroups;
    });
    case.check(r#"{"a":"x","g":[{"b":"yz","n":1}]}"#, "A700 A8A900 F1 000000 F0");
    let mut record = Vec::new();
    case.bind.encode(b"{}", &mut record).expect("a record");
    assert_eq!(record, [0, 0, 0, 0, 0, 0xF0, 0, 0, 0, 0xF0]);
    case.check_decode("A700 A8A900 F1 404040 F0", r#"{"a":"x","g":[{"b":"yz","n":1}]}"#);
    case.check_decode("A700 A8A900 F1 404000 F0", r#"{"a":"x","g":[{"b":"yz","n":1},{"b":"  ","n":0}]}"#);
    case.check_decode("", r#"{"a":""}"#);
}
