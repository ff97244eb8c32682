//! Clauses in any order, those without effect on the layout, and misspelt ones.

use copybook::Options;

use crate::table::{check, refuse};

#[test]
fn any_order_any_case() {
    let text = "
       01  r.
           05  a value zero comp-3 sync pic s9(5) occurs 2 times.
           05  b occurs 2; usage comp, picture is 9(4), value is 1.
           05  c redefines b justified right picture x(4).
";
    let expected = "R 0 10 group
         A 0 3 packed 5/0 signed x2..2
         B 6 2 binary 4/0 x2..2
         C 6 4 text right over B";
    check(text, expected);
}

#[test]
fn clauses_without_effect_on_the_layout() {
    let text = "
       01  R IS EXTERNAL AS 'name' IS GLOBAL VOLATILE.
           05  A PIC 9(6) DATE FORMAT IS YYXXXX.
";
    check(text, "R 0 6 group\nA 0 6 zoned 6/0");
}

#[test]
fn the_nearest_word_is_proposed() {
    for (wrong, expected) in [
        ("PCI X(5)", "PIC"),
        ("OCURS 5 PIC X", "OCCURS"),
        ("PIC 9 COMPP-3", "COMP-3"),
        ("PIC X VALEU 'a'", "VALUE"),
    ] {
        let found =
            copybook::parse("M", &format!("       01  F {wrong}.\n"), &Options::default()).unwrap_err();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].help.as_deref(), Some(format!("did you mean {expected}?").as_str()));
    }
}

#[test]
fn incomplete_and_repeated_clauses() {
    refuse("       01  F PIC.\n", "1:17 CPY024");
    refuse("       01  F PIC X USAGE.\n", "1:25 CPY024");
    refuse("       01  F PIC X BLANK WHEN.\n", "1:30 CPY024");
    refuse("       01  F PIC S9 SIGN IS.\n", "1:28 CPY024");
    refuse("       01  F REDEFINES.\n", "1:23 CPY024");
    refuse("       01  F PIC X PIC X.\n", "1:20 CPY023");
    refuse("       01  F PIC X JUST JUST.\n", "1:25 CPY023");
    refuse("       01  F PIC X (5).\n", "1:20 CPY022");
}

#[test]
fn items_without_a_length_have_no_layout() {
    refuse("       01  R PIC X ANY LENGTH.\n", "1:20 CPY022");
    refuse("       01  R PIC X DYNAMIC LENGTH LIMIT 9.\n", "1:20 CPY022");
}
