//! Level numbers, names and records.

use crate::table::{check, parse, refuse, table, warn};

#[test]
fn a_copybook_without_a_level_01_is_a_record_named_after_the_member() {
    let text = "           03  A PIC X.\n           03  B.\n               05  C PIC X(2).\n";
    check(text, "MEMBER 0 3 group\nA 0 1 text\nB 1 2 group\nB.C 1 2 text");
    let parsed = copybook::parse("lib/sub\\custrec.v2.cpy", text, &Default::default()).unwrap();
    assert_eq!(parsed.layouts[0].name(), "CUSTREC");
    assert_eq!(parsed.layouts[0].root().level, 1);
}

#[test]
fn levels_may_be_uneven() {
    let text = "
       01  R.
          03  A PIC X.
          03  B.
              07  C PIC X.
              05  D PIC X.
        02  E.
          03  F PIC X.
";
    check(
        text,
        "R 0 4 group
         A 0 1 text
         B 1 2 group
         B.C 1 1 text
         B.D 2 1 text
         E 3 1 group
         E.F 3 1 text",
    );
    let text = "           10  A PIC X.\n           05  B PIC X.\n";
    check(text, "MEMBER 0 2 group\nA 0 1 text\nB 1 1 text");
}

#[test]
fn each_record_is_a_layout() {
    let text = "
       77  COUNTER PIC 9(3) COMP-3.
       01  A PIC X(4).
       1   b.
           05  C PIC X.
";
    let tables: Vec<_> = parse(text).layouts.iter().map(table).collect();
    assert_eq!(tables, ["COUNTER 0 2 packed 3/0", "A 0 4 text", "B 0 1 group\nC 0 1 text"]);
}

#[test]
fn items_without_a_name_and_names_used_twice() {
    let text = "
       01  R.
           05  PIC X.
           05  FILLER PIC X.
           05  Filler.
               10  A PIC X.
           05  OCCURS 2.
               10  A PIC X.
           05  COMP-1.
";
    check(
        text,
        "R 0 9 group
         FILLER 0 1 text
         FILLER 1 1 text
         FILLER 2 1 group
         FILLER.A 2 1 text
         FILLER 3 1 group x2..2
         FILLER.A 3 1 text
         FILLER 5 4 float",
    );
}

#[test]
fn fields_know_their_place() {
    let parsed = parse("       01  R.\n           05  NAME-1 PIC X.\n");
    let place = &parsed.layouts[0].fields()[1].place;
    assert_eq!((place.line, place.column, place.span.clone()), (2, 12, 25..35));
}

#[test]
fn groups_and_elementary_items() {
    refuse("       01  R PIC X.\n           05  A PIC X.\n", "1:18 CPY044");
    refuse("       01  R.\n           05  A.\n           05  B PIC X.\n", "2:12 CPY045");
    refuse("       01  R.\n           05  A OCCURS 5.\n", "2:12 CPY045");
}

#[test]
fn a_missing_period_is_an_error_where_another_entry_follows() {
    warn("       01  R.\n           05  A PIC X\n", "2:22 CPY025");
    refuse("       01  R.\n           05  A PIC X\n           05  B PIC X.\n", "2:22 CPY025");
    refuse("       01  R PIC 9.\n           88  A VALUE 1\n           88  B VALUE 2.\n", "2:24 CPY025");
    refuse("       01  R\n           05  A PIC X\n           05  PIC X.\n", "1:12 CPY025\n2:22 CPY025");
}

#[test]
fn condition_names_describe_no_storage() {
    refuse("       01  R PIC 9.\n           88  A PIC X VALUE 1.\n", "2:22 CPY047");
    refuse("       01  R PIC 9.\n           88  A VALUE 1 COMP.\n", "2:26 CPY047");
}

#[test]
fn names_neither_begin_nor_end_with_a_hyphen() {
    refuse("       01  -R PIC 9.\n       01  S- PIC 9.\n", "1:12 CPY036\n2:12 CPY036");
}

#[test]
fn names_may_have_letters_of_any_script() {
    check(
        "       01  顧客レコード.\n           05  顧客-番号 PIC 9(4).\n           05  Größe PIC X.\n",
        "顧客レコード 0 5 group\n顧客-番号 0 4 zoned 4/0\nGRößE 4 1 text",
    );
}

#[test]
fn paths_find_what_names_find() {
    let text = "       01 R.\n       05 A. 10 X PIC X. 10 Y PIC X. 10 FILLER PIC X.\n       05 B. 10 X PIC X. 10 A. 15 Z PIC X.\n       05 X PIC 9.\n\
                \x20      05 D PIC X. 05 D PIC X.\n";
    let parsed = copybook::parse("R", text, &copybook::Options::default()).expect("a copybook");
    let layout = &parsed.layouts[0];
    let paths = copybook::Paths::of(layout);
    let of_fields: Vec<String> = layout.iter().map(|(id, _)| layout.path(id)).collect();
    let names =
        ["a.x", "B.A.z", "X", "Z", "A", "Y", "B.Z", "R.B.X", "D", "Q", "", "A.A", "FILLER", "A.FILLER"];
    for name in names.into_iter().chain(of_fields.iter().map(String::as_str)) {
        assert_eq!(paths.resolve(name).ok(), layout.resolve(name).ok(), "{name}");
    }
}
