//! Tables of fixed and variable length, and the counters of the latter.

use crate::table::{check, refuse, table, warn};

#[test]
fn fixed_tables_nest() {
    let text = "
       01  R.
           05  A PIC X(2) OCCURS 3 TIMES INDEXED BY I, J.
           05  T OCCURS 2 ASCENDING KEY IS K DESCENDING L INDEXED I2.
               10  K PIC 9(4) COMP.
               10  L OCCURS 5 PIC X.
           05  E PIC X.
";
    check(
        text,
        "R 0 21 group
         A 0 2 text x3..3
         T 6 7 group x2..2
         T.K 6 2 binary 4/0
         T.L 8 1 text x5..5
         E 20 1 text",
    );
}

#[test]
fn variable_tables_count_at_their_largest() {
    let text = "
       01  R.
           05  N PIC 9(2).
           05  M PIC S9(4) COMP.
           05  T OCCURS 1 TO 4 TIMES DEPENDING ON N INDEXED BY I.
               10  U OCCURS 0 TO 3 DEPENDING M OF R PIC X(2).
           05  E PIC X.
";
    check(
        text,
        "R 0 29 group
         N 0 2 zoned 2/0
         M 2 2 binary 4/0 signed
         T 4 6 group x1..4 by N
         T.U 4 2 text x0..3 by M
         E 28 1 text",
    );
}

#[test]
fn the_nearest_counter_above_counts_unless_it_is_qualified() {
    let text = "
       01  R.
           05  G.
               10  N PIC 9.
           05  H.
               10  N PIC 9.
           05  T OCCURS 1 TO 2 DEPENDING ON N PIC X.
           05  U OCCURS 1 TO 2 DEPENDING ON N IN G OF R PIC X.
";
    check(
        text,
        "R 0 6 group
         G 0 1 group
         G.N 0 1 zoned 1/0
         H 1 1 group
         H.N 1 1 zoned 1/0
         T 2 1 text x1..2 by H.N
         U 4 1 text x1..2 by G.N",
    );
}

#[test]
fn what_is_left_out_is_assumed() {
    let head = "       01  R.\n           05  N PIC 9.\n";
    let parsed = warn(&format!("{head}           05  T OCCURS 5 DEPENDING ON N PIC X.\n"), "");
    let occurs = parsed.layouts[0].fields()[2].occurs.unwrap();
    assert_eq!((occurs.min, occurs.max), (1, 5));
    let parsed = warn(&format!("{head}           05  T OCCURS 2 TO 5 PIC X.\n"), "3:18 CPY029");
    let occurs = parsed.layouts[0].fields()[2].occurs.unwrap();
    assert_eq!((occurs.min, occurs.max, occurs.depending_on), (5, 5, None));
}

#[test]
fn counters_that_cannot_be_read_before_the_table() {
    let record = |items: &str| format!("       01  R.\n{items}");
    let table = "           05  T OCCURS 1 TO 9 DEPENDING ON N PIC X.\n";
    refuse(&record(table), "2:45 CPY064");
    refuse(&record(&format!("{table}           05  N PIC 9.\n")), "2:45 CPY065");
    refuse(&record(&format!("           05  N PIC X.\n{table}")), "3:45 CPY066");
    refuse(&record(&format!("           05  N PIC 9V9.\n{table}")), "3:45 CPY066");
    refuse(&record(&format!("           05  N PIC 9 OCCURS 2.\n{table}")), "3:45 CPY066");
    refuse(
        &record(&format!("           05  G OCCURS 2.\n               10  N PIC 9.\n{table}")),
        "4:45 CPY066",
    );
    let inside = "           05  T OCCURS 1 TO 9 DEPENDING ON N.\n               10  N PIC 9.\n";
    refuse(&record(inside), "2:45 CPY065");
    let over = "           05  A PIC X.\n           05  N REDEFINES A PIC 9.\n           05  T REDEFINES A OCCURS 1 TO 9 DEPENDING ON N PIC X.\n";
    refuse(&record(over), "4:12 CPY062\n4:57 CPY065");
}

#[test]
fn a_counter_in_the_row_around_its_table() {
    let text = "
       01  R.
           05  G OCCURS 2.
               10  N PIC 9.
               10  T OCCURS 1 TO 3 DEPENDING ON N PIC X.
";
    warn(text, "5:49 CPY067");
}

#[test]
fn a_counter_in_another_record_leaves_the_table_at_its_largest() {
    let text = "       01  DFHCOMMAREA.\n           05  A PIC X OCCURS 1 TO 9 TIMES DEPENDING ON EIBCALEN.\n";
    let parsed = warn(text, "2:57 CPY064");
    assert_eq!(table(&parsed.layouts[0]), "DFHCOMMAREA 0 9 group\nA 0 1 text x9..9");
    let text = "       77  N PIC 9.\n       01  R.\n           05  A PIC X OCCURS 2 TO 3 DEPENDING ON N.\n";
    warn(text, "3:51 CPY064");
    // In a program, the counter may be in another section.
    let text = "       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       77  N PIC 9.\n       LINKAGE SECTION.\n       01  R.\n           05  A PIC X OCCURS 2 TO 3 DEPENDING ON N.\n";
    warn(text, "6:51 CPY064");
}

#[test]
fn impossible_numbers_of_rows() {
    let table =
        |clause: &str| format!("       01  R.\n           05  N PIC 9.\n           05  T PIC X {clause}.\n");
    refuse(&table("OCCURS 0"), "3:24 CPY028");
    refuse(&table("OCCURS 5 TO 3 DEPENDING ON N"), "3:24 CPY028");
    refuse(&table("OCCURS 16777216"), "3:31 CPY028");
    refuse(&table("OCCURS 1.5"), "3:31 CPY028");
    refuse(&table("OCCURS TIMES"), "3:31 CPY024");
    refuse(&table("OCCURS 1 TO UNBOUNDED DEPENDING ON N"), "3:36 CPY028");
    refuse("       01  T PIC X OCCURS 5.\n", "1:20 CPY047");
}
