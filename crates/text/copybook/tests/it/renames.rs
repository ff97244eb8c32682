//! Level 66: other names for ranges of bytes.

use crate::table::{check, parse, refuse};

/// Rows `name first last offset bytes`.
fn renames(text: &str) -> Vec<String> {
    let parsed = parse(text);
    let layout = parsed.layouts.last().expect("a record");
    let row = |rename: &copybook::Rename| {
        let (first, last) = (layout.path(rename.first), layout.path(rename.last));
        format!("{} {first} {last} {} {}", rename.name, rename.offset, rename.bytes)
    };
    layout.renames().iter().map(row).collect()
}

const RECORD: &str = "
       01  R.
           05  A PIC X(2).
           05  G.
               10  B PIC X(3).
               10  C PIC X(4).
           05  H.
               10  B PIC X(5).
           05  T OCCURS 3.
               10  E PIC X.
           05  N PIC 9.
           05  V OCCURS 1 TO 3 DEPENDING ON N PIC X.
";

#[test]
fn a_range_has_an_offset_and_a_length() {
    let text = format!(
        "{RECORD}       66  R1 RENAMES A THRU C.
       66  r2 RENAMES G.
       66  R3 RENAMES B OF G THROUGH B IN H OF R.
       66  R4 RENAMES C THRU N.
"
    );
    assert_eq!(renames(&text), ["R1 A G.C 0 9", "R2 G G 2 7", "R3 G.B H.B 2 12", "R4 G.C N 5 13"]);
    let parsed = parse(&text);
    let second = &parsed.layouts[0].renames()[1];
    assert_eq!((second.spelling.as_str(), second.place.line, second.place.column), ("r2", 14, 8));
    // They add no field and no byte.
    check(
        "       01  R.\n           05  A PIC X.\n           05  B PIC X.\n       66  C RENAMES A THRU B OF R.\n",
        "R 0 2 group\nA 0 1 text\nB 1 1 text",
    );
}

#[test]
fn each_belongs_to_the_record_above() {
    let text = "       01  R.\n           05  A PIC X.\n       66  X RENAMES A.\n       01  S.\n           05  A PIC X(2).\n       66  X RENAMES A.\n";
    assert_eq!(parse(text).layouts[0].renames()[0].bytes, 1);
    assert_eq!(renames(text), ["X A A 0 2"]);
}

#[test]
fn what_cannot_be_renamed() {
    let at =
        |clause: &str, expected: &str| refuse(&format!("{RECORD}       66  X RENAMES {clause}.\n"), expected);
    at("Z", "13:22 CPY070");
    at("A THRU Z", "13:29 CPY070");
    at("B", "13:22 CPY070");
    at("R", "13:22 CPY070");
    at("T", "13:22 CPY070");
    at("E", "13:22 CPY070");
    at("C THRU A", "13:29 CPY070");
    at("G THRU C", "13:29 CPY070");
    at("A THRU A", "13:29 CPY070");
    at("", "13:22 CPY024");
    refuse("       66  X RENAMES A.\n", "1:8 CPY070");
    refuse("       01  R PIC X.\n       66  X.\n", "2:8 CPY024");
    refuse("       01  R RENAMES A.\n", "1:14 CPY022");
    let condition =
        "       01  R.\n           05  A PIC X.\n       66  B RENAMES A.\n           88  C VALUE 'c'.\n";
    refuse(condition, "4:12 CPY060");
    refuse(
        "       01  R.\n           05  N PIC 9.\n           05  G.\n               10  V OCCURS 1 TO 3 DEPENDING ON N PIC X.\n       66  X RENAMES N THRU G.\n       66  Y RENAMES G.\n",
        "5:29 CPY070\n6:22 CPY070",
    );
}
