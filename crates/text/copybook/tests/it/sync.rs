//! Slack bytes of synchronized items, by the examples of IBM's language reference and beyond.

use crate::table::{check, warn};

#[test]
fn slack_bytes_within_a_record() {
    let text = "
       01  COMP-RECORD.
           05  A-1 PIC X(5).
           05  A-2 PIC X(3).
           05  A-3 PIC X(3).
           05  B-1 PIC S9999 COMP SYNCHRONIZED.
           05  B-2 PIC S99999 COMP SYNCHRONIZED.
           05  B-3 PIC S9999 COMP SYNCHRONIZED.
";
    check(
        text,
        "COMP-RECORD 0 22 group
         A-1 0 5 text
         A-2 5 3 text
         A-3 8 3 text
         B-1 12 2 binary 4/0 signed
         B-2 16 4 binary 5/0 signed
         B-3 20 2 binary 4/0 signed",
    );
}

#[test]
fn boundaries_of_each_usage() {
    let text = "
       01  R.
           05  A PIC X.
           05  B PIC S9(18) COMP SYNC.
           05  C PIC X.
           05  D COMP-2 SYNC.
           05  E PIC X.
           05  F PIC S9(4) COMP-5 SYNC LEFT.
           05  G PIC X.
           05  H COMP-1 SYNC RIGHT.
           05  I PIC X.
           05  J POINTER SYNC.
           05  K PIC S9(5) COMP-3 SYNC.
           05  L PIC 9(3) SYNC.
           05  M PIC S9(9) COMP.
";
    check(
        text,
        "R 0 54 group
         A 0 1 text
         B 4 8 binary 18/0 signed
         C 12 1 text
         D 16 8 float
         E 24 1 text
         F 26 2 binary 4/0 signed native
         G 28 1 text
         H 32 4 float
         I 36 1 text
         J 40 4 pointer
         K 44 3 packed 5/0 signed
         L 47 3 zoned 3/0
         M 50 4 binary 9/0 signed",
    );
}

#[test]
fn slack_bytes_go_before_the_group_that_the_item_leads() {
    let text = "
       01  FIELD-L.
           05  FIELD-M PIC X(5).
           05  FIELD-N PIC XX.
           05  FIELD-O.
               10  FIELD-P PIC S9(6) COMP SYNC.
           05  FIELD-Q.
               10  FIELD-R PIC X.
               10  FIELD-S PIC S9(6) COMP SYNC.
";
    check(
        text,
        "FIELD-L 0 20 group
         FIELD-M 0 5 text
         FIELD-N 5 2 text
         FIELD-O 8 4 group
         FIELD-O.FIELD-P 8 4 binary 6/0 signed
         FIELD-Q 12 8 group
         FIELD-Q.FIELD-R 12 1 text
         FIELD-Q.FIELD-S 16 4 binary 6/0 signed",
    );
}

#[test]
fn rows_of_a_table_are_aligned_alike() {
    let text = "
       01  WORK-RECORD.
           05  WORK-CODE PIC X.
           05  COMP-TABLE OCCURS 10 TIMES.
               10  COMP-TYPE PIC X.
               10  COMP-PAY PIC S9(4)V99 COMP SYNC.
               10  COMP-HOURS PIC S9(3) COMP SYNC.
               10  COMP-NAME PIC X(5).
";
    check(
        text,
        "WORK-RECORD 0 161 group
         WORK-CODE 0 1 text
         COMP-TABLE 1 16 group x10..10
         COMP-TABLE.COMP-TYPE 1 1 text
         COMP-TABLE.COMP-PAY 4 4 binary 6/2 signed
         COMP-TABLE.COMP-HOURS 8 2 binary 3/0 signed
         COMP-TABLE.COMP-NAME 10 5 text",
    );
}

#[test]
fn a_synchronized_record_synchronizes_its_items() {
    let text = "       01  R SYNC.\n           05  A PIC X.\n           05  B PIC S9(4) COMP.\n           05  C COMP-2.\n";
    check(text, "R 0 16 group\nA 0 1 text\nB 2 2 binary 4/0 signed\nC 8 8 float");
}

#[test]
fn a_view_is_not_moved_to_its_boundary() {
    let text = "
       01  R.
           05  A PIC X.
           05  B PIC X(4).
           05  C REDEFINES B PIC S9(9) COMP SYNC.
";
    warn(text, "5:12 CPY069");
    check(text, "R 0 5 group\nA 0 1 text\nB 1 4 text\nC 1 4 binary 9/0 signed over B");
}
