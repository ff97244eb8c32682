//! Explanations of records: right ones, faulty ones, cut ones.

use dataset::{Content, Explainer, Item};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::Case;

const VIEWS: &str =
    "01 R. 05 ID PIC 9(2). 05 RAW PIC X(4). 05 PARTS REDEFINES RAW. 10 A PIC 9(2). 10 B PIC S9(3) COMP-3.
    05 N PIC 9. 05 T OCCURS 1 TO 3 DEPENDING ON N. 10 C PIC X. 10 D PIC 9. 05 P POINTER. 05 Z PIC X.";

/// One line an item: field, row, offset, bytes, content.
fn told(case: &Case, record: &[u8]) -> Vec<String> {
    let line = |item: &Item| {
        let name = item.field.map_or("-", |id| case.layout.field(id).name.as_str());
        let row = item.row.map(|row| format!("[{row}]")).unwrap_or_default();
        let content = match &item.content {
            Content::Text(text) => format!("'{text}'"),
            Content::Number(number) => number.clone(),
            Content::Fault(_) => "fault".to_owned(),
            Content::Opaque(_) => "opaque".to_owned(),
            other => format!("{other:?}"),
        };
        format!("{}{name}{row} {}+{} {content}", "  ".repeat(item.depth), item.offset, item.bytes)
    };
    Explainer::new(&case.layout, &case.options).explain(record).iter().map(line).collect()
}

#[test]
fn every_view_and_row() {
    let case = Case::new(VIEWS, 819);
    assert_eq!(
        told(&case, b"0712\x34\x5c2x1y2\0\0\0\0q"),
        [
            "R 0+16 Group",
            "  ID 0+2 7",
            "  RAW 2+4 fault",
            "  PARTS 2+4 Group",
            "    A 2+2 12",
            "    B 4+2 345",
            "  N 6+1 2",
            "  T 7+4 Table { rows: 2, fault: None }",
            "    T[0] 7+2 Group",
            "      C 7+1 'x'",
            "      D 8+1 1",
            "    T[1] 9+2 Group",
            "      C 9+1 'y'",
            "      D 10+1 2",
            "  P 11+4 00000000",
            "  Z 15+1 'q'",
        ]
        .map(|line| line.replace("RAW 2+4 fault", "RAW 2+4 '124\\'"))
    );
}

#[test]
fn faults_are_told_and_the_rest_is_shown() {
    let case = Case::new(VIEWS, 819);
    let told = told(&case, b"x7abcd9x1????q rest");
    assert_eq!(told[1], "  ID 0+2 fault");
    assert_eq!(told[4], "    A 2+2 fault");
    assert_eq!(
        told[7],
        "  T 7+2 Table { rows: 1, fault: Some(\"its counter holds 9, the table has 1 to 3 rows\") }"
    );
    assert_eq!(told[12], "  Z 13+1 'q'");
    assert_eq!(told[13], "- 14+5 Beyond");
}

#[test]
fn a_cut_record() {
    let case = Case::new(VIEWS, 819);
    let told = told(&case, b"0712\x34");
    assert_eq!(told[0], "R 0+5 Group");
    assert_eq!(told[2], "  RAW 2+3 Missing");
    assert_eq!(told[5], "    B 4+1 Missing");
    assert_eq!(told[6], "  N 6+0 Missing");
    assert!(told[7].contains("the record ends before its counter"));
    assert_eq!(told.last().map(String::as_str), Some("  Z 13+0 Missing"));
}

#[test]
fn characters_of_a_dump() {
    let case = Case::new("01 R PIC X.", 37);
    let explainer = Explainer::new(&case.layout, &case.options);
    assert_eq!(explainer.characters(b"\xc1\x81\x00\x40\x15\xf1"), "Aa. .1");
}

proptest! {
    #[test]
    fn any_bytes_are_explained(record in vec(prop_oneof![Just(b'1'), Just(b'3'), any::<u8>()], 0..40)) {
        let case = Case::new(VIEWS, 819);
        let items = Explainer::new(&case.layout, &case.options).explain(&record);
        for item in items {
            prop_assert!(item.offset + item.bytes <= record.len() || item.bytes == 0, "{:?}", item);
        }
    }
}
