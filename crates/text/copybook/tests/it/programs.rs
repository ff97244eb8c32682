//! Whole programs: which section and which record is meant.

use copybook::{Literal, Options, Section};

use crate::table::{check, parse, parse_with, refuse};

const PROGRAM: &str = "
       PROCESS APOST
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SAMPLE.
       AUTHOR. O'BRIEN.
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       INPUT-OUTPUT SECTION.
       FILE-CONTROL.
           SELECT F ASSIGN TO X.
       DATA DIVISION.
       FILE SECTION.
       FD  F RECORD CONTAINS 80 CHARACTERS.
       01  FILE-RECORD PIC X(80).
       WORKING-STORAGE SECTION.
       77  COUNTER PIC 9.
       01  KEPT.
           COPY OTHER.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  A PIC X(4).
       01  SECOND PIC X.
       PROCEDURE DIVISION USING DFHCOMMAREA.
           MOVE 01 TO A.
           GOBACK.
";

fn names(options: &Options) -> Vec<String> {
    parse_with(PROGRAM, options).layouts.iter().map(|layout| layout.name().to_owned()).collect()
}

#[test]
fn the_linkage_section_comes_first() {
    assert_eq!(names(&Options::default()), ["DFHCOMMAREA", "SECOND"]);
}

#[test]
fn a_section_or_record_can_be_named() {
    let section = Options { section: Some(Section::File), ..Options::default() };
    assert_eq!(names(&section), ["FILE-RECORD"]);
    let record = Options { record: Some("second".to_owned()), ..Options::default() };
    assert_eq!(names(&record), ["SECOND"]);
    let unknown = Options { record: Some("THIRD".to_owned()), ..Options::default() };
    let found = copybook::parse("P", PROGRAM, &unknown).unwrap_err();
    assert_eq!(found[0].message, "no record THIRD; the text has DFHCOMMAREA, SECOND");
}

#[test]
fn an_empty_linkage_section_is_passed_over() {
    let text = PROGRAM
        .replace("       01  DFHCOMMAREA.\n           05  A PIC X(4).\n       01  SECOND PIC X.\n", "");
    let text = text.replace("           COPY OTHER.\n", "           05  B PIC X.\n");
    let names: Vec<_> = parse(&text).layouts.iter().map(|layout| layout.name().to_owned()).collect();
    assert_eq!(names, ["COUNTER", "KEPT"]);
}

#[test]
fn a_program_without_data() {
    refuse("       IDENTIFICATION DIVISION.\n       PROGRAM-ID. X.\n", "1:1 CPY030");
}

#[test]
fn decimal_point_is_comma_in_the_text() {
    let text = "
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES. DECIMAL-POINT IS COMMA.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  R.
           05  A PIC Z.ZZ9,99.
           05  B PIC 9V99 VALUE 1,25.
";
    let parsed = parse(text);
    assert_eq!(parsed.layouts[0].max_bytes(), 11);
    assert_eq!(parsed.layouts[0].fields()[2].value, Some(Literal::Number("1.25".to_owned())));
}

#[test]
fn headings_that_run_into_each_other() {
    refuse("       LINKAGE\n       SECTION\n       SECTION\n", "1:1 CPY030");
    refuse("       LINKAGE SECTION", "1:1 CPY030");
}

#[test]
fn embedded_sql_describes_no_data() {
    let text = "
           EXEC SQL DECLARE DEPT TABLE
           ( DEPTNO CHAR(3) NOT NULL, NAME VARCHAR(36) )
           END-EXEC.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  DCLDEPT.
           10 DEPTNO PIC X(3).
           EXEC SQL BEGIN DECLARE SECTION END-EXEC
       01  SECOND PIC X.
";
    let names: Vec<_> = parse(text).layouts.iter().map(|layout| layout.name().to_owned()).collect();
    assert_eq!(names, ["DCLDEPT", "SECOND"]);
}

#[test]
fn entries_may_stand_before_code_or_the_end_of_a_program() {
    let entries = "       01  R BASED.\n           05  A PIC X.\n";
    for rest in ["PROCEDURE DIVISION.\n           STOP RUN.\n", "END PROGRAM P.\n"] {
        check(&format!("{entries}       {rest}"), "R 0 1 group\nA 0 1 text");
        check(
            &format!("       DATA DIVISION.\n       LINKAGE SECTION.\n{entries}       {rest}"),
            "R 0 1 group\nA 0 1 text",
        );
    }
    refuse("       PROCEDURE DIVISION.\n           STOP RUN.\n", "1:1 CPY030");
}
