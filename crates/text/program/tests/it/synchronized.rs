//! SYNCHRONIZED: the slack bytes of the mainframe's compiler, as FILLER.

use crate::{alone, around, shown};

/// The lines of a record in the translated program, and the codes of the warnings.
fn placed(record: &str) -> (Vec<String>, Vec<String>) {
    let program = around("CONTINUE.").replacen(
        "       LINKAGE SECTION.",
        &format!("{record}       LINKAGE SECTION."),
        1,
    );
    let translation = alone(&program).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    let (_, rest) = translation.text.split_once("01  REC").expect("the record");
    let (record, _) = rest.split_once("LINKAGE SECTION").expect("the next section");
    // What the translator declares itself stands at the end of the section.
    let record = record.split_once("01 GANTRY").map_or(record, |(record, _)| record);
    let lines = record.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines = lines.filter(|line| !line.starts_with("#line") && !line.is_empty()).collect();
    (lines, translation.warnings.iter().map(|warning| warning.code.to_owned()).collect())
}

#[track_caller]
fn check(record: &str, expected: &[&str]) {
    let (lines, warnings) = placed(record);
    assert_eq!(lines, expected, "{record}");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn slack_bytes_are_where_the_mainframe_has_them() {
    check(
        "       01  REC.\n           05  A PIC X.\n           05  B PIC S9(18) COMP SYNC.\n           05  C PIC X.\n",
        &[".", "05 A PIC X.", "05 FILLER PIC X(3).", "05 B PIC S9(18) COMP .", "05 C PIC X."],
    );
    // Before a group that begins with the item.
    check(
        "       01  REC.\n           05  A PIC X.\n           05  G.\n             10  B PIC 9(4) COMP SYNCHRONIZED RIGHT.\n",
        &[".", "05 A PIC X.", "05 FILLER PIC X(1).", "05 G.", "10 B PIC 9(4) COMP ."],
    );
    // In each row of a table, so that the next row is like the first.
    check(
        "       01  REC.\n           05  R OCCURS 2.\n             10  A PIC X.\n             10  B PIC 9(9) COMP SYNC LEFT.\n             \
         10  C PIC X.\n           05  D PIC X.\n",
        &[
            ".",
            "05 R OCCURS 2.",
            "10 A PIC X.",
            "10 FILLER PIC X(3).",
            "10 B PIC 9(9) COMP .",
            "10 C PIC X.",
            "10 FILLER PIC X(3).",
            "05 D PIC X.",
        ],
    );
    // At the end of the record, and of two groups.
    check(
        "       01  REC.\n           05  R OCCURS 2.\n             10  B COMP-2 SYNC.\n             10  S OCCURS 3.\n               \
         15  C PIC 9(4) COMP SYNC.\n               15  D PIC X.\n",
        &[
            ".",
            "05 R OCCURS 2.",
            "10 B COMP-2 .",
            "10 S OCCURS 3.",
            "15 C PIC 9(4) COMP .",
            "15 D PIC X.",
            "15 FILLER PIC X(1).",
            "10 FILLER PIC X(4).",
        ],
    );
}

#[test]
fn redefinitions_and_conditions_stay_beside_their_items() {
    check(
        "       01  REC.\n           05  A PIC X.\n             88 A-NOW VALUE 'N'.\n           05  B PIC 9(8) COMP SYNC.\n           \
         05  T REDEFINES B PIC X(6).\n           05  C PIC 9(8) COMP SYNC.\n",
        &[
            ".",
            "05 A PIC X.",
            "88 A-NOW VALUE 'N'.",
            "05 FILLER PIC X(3).",
            "05 B PIC 9(8) COMP .",
            "05 T REDEFINES B PIC X(6).",
            "05 FILLER PIC X(2).",
            "05 C PIC 9(8) COMP .",
        ],
    );
    check("       01  REC PIC S9(4) COMP SYNC.\n", &["PIC S9(4) COMP ."]);
}

#[test]
fn a_record_that_cannot_be_read_keeps_the_clause_with_a_warning() {
    let (lines, warnings) = placed(
        "       01  REC.\n           05  A PIC X.\n           05  B PIC 9(8) COMP SYNC OCCURS MANY.\n",
    );
    assert_eq!(lines, [".", "05 A PIC X.", "05 B PIC 9(8) COMP SYNC OCCURS MANY."]);
    assert_eq!(warnings, ["EXC030"]);
}
