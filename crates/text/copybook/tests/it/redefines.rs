//! Several views of the same bytes.

use crate::table::{check, parse, refuse, warn};

#[test]
fn views_start_where_the_original_does() {
    let text = "
       01  R.
           05  A PIC X(8).
           05  B REDEFINES A.
               10  C PIC 9(4).
               10  D PIC X(2).
               10  E REDEFINES D PIC S9(3) COMP-3.
           05  F REDEFINES B PIC 9(8).
           05  REDEFINES A PIC X(3).
           05  G PIC X.
";
    check(
        text,
        "R 0 9 group
         A 0 8 text
         B 0 6 group over A
         B.C 0 4 zoned 4/0
         B.D 4 2 text
         B.E 4 2 packed 3/0 signed over B.D
         F 0 8 zoned 8/0 over A
         FILLER 0 3 text over A
         G 8 1 text",
    );
}

#[test]
fn a_longer_view_extends_the_group() {
    let text = "
       01  R.
           05  T OCCURS 2.
               10  A PIC X(2).
               10  B REDEFINES A PIC X(5).
               10  C PIC X.
           05  D PIC X.
";
    let parsed = warn(text, "5:16 CPY062");
    assert_eq!(parsed.layouts[0].max_bytes(), 13);
    check(
        text,
        "R 0 13 group
         T 0 6 group x2..2
         T.A 0 2 text
         T.B 0 5 text over T.A
         T.C 5 1 text
         D 12 1 text",
    );
}

#[test]
fn a_table_can_be_a_view_and_be_viewed() {
    let text = "
       01  R.
           05  A PIC X(6).
           05  B REDEFINES A PIC X(2) OCCURS 3.
           05  C PIC X(2) OCCURS 3.
           05  D REDEFINES C PIC X(6).
";
    warn(text, "6:12 CPY063");
    check(
        text,
        "R 0 12 group
         A 0 6 text
         B 0 2 text x3..3 over A
         C 6 2 text x3..3
         D 6 6 text over C",
    );
}

#[test]
fn only_the_item_just_before_can_be_redefined() {
    let record = |items: &str| format!("       01  R.\n{items}");
    refuse(&record("           05  B REDEFINES A PIC X.\n"), "2:28 CPY061");
    let between = "           05  A PIC X.\n           05  B PIC X.\n           05  C REDEFINES A PIC X.\n";
    refuse(&record(between), "4:28 CPY061");
    let deeper = "           05  A.\n               10  B PIC X.\n           05  C REDEFINES B PIC X.\n";
    refuse(&record(deeper), "4:28 CPY061");
}

#[test]
fn records_redefine_records_as_layouts_of_their_own() {
    let text = "       01  A PIC X(4).\n       01  B REDEFINES A.\n           05  C PIC X(9).\n";
    let names: Vec<_> =
        parse(text).layouts.iter().map(|layout| (layout.name().to_owned(), layout.max_bytes())).collect();
    assert_eq!(names, [("A".to_owned(), 4), ("B".to_owned(), 9)]);
    let redefined: Vec<_> =
        parse(text).layouts.iter().map(|layout| layout.redefines().map(str::to_owned)).collect();
    assert_eq!(redefined, [None, Some("A".to_owned())]);
    refuse("       01  A PIC X(4).\n       01  B REDEFINES Z PIC X.\n", "2:24 CPY061");
}
