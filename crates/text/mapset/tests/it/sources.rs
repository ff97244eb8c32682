//! The language of sources: columns, continuation, comments, quotation marks.

use mapset::{is_source, names};

use crate::made;

/// A line with a continuation mark in column 72.
fn marked(line: &str) -> String {
    format!("{line:<71}X\n")
}

const PLAIN: &str = "SET DFHMSD MODE=INOUT,STORAGE=AUTO
MAP DFHMDI SIZE=(24,80)
NAME DFHMDF POS=(1,1),LENGTH=8
 DFHMSD TYPE=FINAL
";

#[track_caller]
fn same(source: &str) {
    assert_eq!(made(source), made(PLAIN), "{source}");
}

#[test]
fn lines_go_on_behind_a_mark_or_a_comma() {
    let marks = [
        "* A comment\n".to_owned(),
        marked("SET      DFHMSD MODE=INOUT, all that follows a blank is a remark, even LENGTH=3"),
        "               STORAGE=AUTO              and here too           00000100\n".to_owned(),
        "MAP      DFHMDI SIZE=(24,80)\n".to_owned(),
        marked("NAME     DFHMDF POS=(1,1),"),
        marked("               LENGTH=8,"),
        "               INITIAL='IT''S, A (NAME'                                 00000200\n".to_owned(),
        marked("         DFHMDF POS=(2,1),LENGTH=70,INITIAL='A text that goes on up to column 7"),
        "               1 and in the next line'\n".to_owned(),
        "         DFHMSD TYPE=FINAL\n         END\n".to_owned(),
    ];
    same(&marks.concat());
    same(
        "set dfhmsd mode=inout,\n    storage=auto\nmap\tdfhmdi\nname dfhmdf pos=(1,1),   remark\n  length=8\n",
    );
}

#[test]
fn operands_that_ended_do_not_go_on() {
    let source = [
        "SET      DFHMSD MODE=INOUT,STORAGE=AUTO\nMAP      DFHMDI SIZE=(24,80)\n".to_owned(),
        marked("NAME     DFHMDF POS=(1,1),LENGTH=8"),
        "               OCCURS=3\n".to_owned(),
        "         DFHMSD TYPE=FINAL\n".to_owned(),
    ];
    same(&source.concat());
}

#[test]
fn instructions_for_listings_and_jobs_are_passed_over() {
    let job = "//MAPS JOB\n//SYSIN DD *\n         PRINT NOGEN\n         TITLE 'IT''S MINE'\n";
    same(&format!("{job}{PLAIN}         END\n/*\n//\n"));
    same(&PLAIN.replace('\n', "\r\n"));
    same(&PLAIN.replace(" DFHMSD TYPE=FINAL\n", ""));
}

/// An assembler reads columns 1 to 71. A macro that ends in column 71 goes straight on in the number of its line.
#[test]
fn a_macro_can_end_in_column_71() {
    let source = format!("{:<65}DFHMSD00000100\n{:<65}DFHMDI00000200\n", "SET", "MAP");
    assert!(made(&source).is_ok(), "{:?}", made(&source));
    assert!(is_source(&source));
    assert_eq!(names(&source).collect::<Vec<_>>(), ["SET"]);
    let beyond = format!("{:<71} DFHMSD\n{:<71} DFHMDI\n", "SET", "MAP");
    assert!(made(&beyond).is_err());
    assert!(!is_source(&beyond));
}

#[test]
fn sources_are_told_from_copybooks() {
    assert!(is_source(PLAIN));
    assert!(is_source("*\n         PRINT ON\nX DFHMSD TYPE=MAP\n"));
    assert!(!is_source("       01  A.\n           02 DFHMSD PIC X.\n"));
    assert!(!is_source("000100* DFHMSD TYPE=MAP\n      * DFHMDI\n* DFHMSD\n"));
    assert!(!is_source(""));
}
