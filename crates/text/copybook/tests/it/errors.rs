//! Findings: several at once, their text, and the table of codes.

use std::collections::HashSet;

use copybook::{CODES, Options, Severity};

use crate::table::{check, refuse};

#[test]
fn several_errors_are_reported_at_once() {
    let text = "
       01  R.
           05  A PIC Q.
           05  B PICK X.
           05  C PIC X(3) COMP-3.
           99  D PIC X.
           05  E REDEFINES Z PIC X.
           some words.
           05  F PIC X.
";
    refuse(text, "3:22 CPY040\n4:18 CPY022\n5:22 CPY043\n6:12 CPY021\n7:28 CPY061\n8:12 CPY020");
}

#[test]
fn what_a_bad_line_takes_away_is_no_second_error() {
    refuse("       01  R.\n           50  A PIC X.\n", "2:12 CPY021");
    refuse("       01  R.\n           A PIC X.\n", "2:12 CPY020");
    refuse("       01  R.\n      X    05  A PIC X.\n", "2:7 CPY002");
}

#[test]
fn text_from_elsewhere_is_asked_for() {
    refuse("       01  R. COPY OTHER.\n", "1:15 CPY026");
    refuse(
        "       01  R.\n           05  A PIC X.\n           COPY OTHER REPLACING ==A== BY ==B==.\n",
        "3:12 CPY026",
    );
    refuse("       01  R COPY OTHER.\n", "1:14 CPY026");
    refuse("       01  R.\n           EXEC SQL INCLUDE X END-EXEC.\n", "2:12 CPY026");
    refuse("       ++INCLUDE OTHER\n", "1:8 CPY026");
    let declared = "       EXEC SQL BEGIN DECLARE SECTION END-EXEC.\n       01  R PIC X.\n       EXEC SQL END DECLARE SECTION END-EXEC\n";
    check(declared, "R 0 1 text");
}

#[test]
fn nothing_to_describe() {
    refuse("", "1:1 CPY030");
    refuse("      * only a comment\n", "1:1 CPY030");
    refuse("{\"not\": \"cobol\"}\n", "1:7 CPY002");
}

#[test]
fn columns_count_characters() {
    refuse("       01  F PIC X VALUE 'äöü' PIC X.\n", "1:32 CPY023");
    refuse("       01  F PIC X(3) Ä.\n", "1:23 CPY022");
}

#[test]
fn a_finding_reads_well() {
    let found =
        copybook::parse("lib/CUST.cpy", "       01  F PIC S9(5)V(5).\n", &Options::default()).unwrap_err();
    let text = found[0].to_string();
    assert_eq!(
        text,
        "lib/CUST.cpy:1:24: error[CPY040]: a count in parentheses must follow a symbol that can be repeated"
    );
    assert_eq!(found[0].severity, Severity::Error);
}

#[test]
fn codes_are_unique_and_ascending() {
    let ids: Vec<_> = CODES.iter().map(|code| code.id).collect();
    assert!(ids.is_sorted());
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    assert!(CODES.iter().all(|code| code.id.len() == 6 && code.meaning.ends_with('.')));
    assert!(CODES.iter().all(|code| code.advice.ends_with('.')));
}
