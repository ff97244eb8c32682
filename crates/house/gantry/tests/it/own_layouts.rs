//! Records of programs that run here: each byte is where the mainframe and services have it.

use crate::process::Gantry;
use crate::programs::checked;

/// Adds a row to a table with a field behind it, and sees whether that field has moved.
const SLIDER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WHOLE           PIC X(60).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  ROWS        PIC 9(2).
           05  ROW         PIC X(3) OCCURS 1 TO 9 DEPENDING ON ROWS.
           05  BEHIND      PIC X(4).
       PROCEDURE DIVISION.
           MOVE DFHCOMMAREA TO WHOLE.
           ADD 1 TO ROWS.
           MOVE 'NEW' TO ROW(ROWS).
           MOVE WHOLE(3:4) TO BEHIND.
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn fields_behind_a_table_move_with_its_length_in_programs_too() {
    let copybook = "           05  ROWS PIC 9(2).\n           05  ROW PIC X(3) OCCURS 1 TO 9 DEPENDING ON ROWS.\n           \
                    05  BEHIND PIC X(4).\n";
    let folder = checked(SLIDER, copybook, "");
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"row":["ABC","DEF"],"behind":"LAST"}"#;
    let answer = gantry.send("POST", "/c", "content-type: application/json\r\n", body);
    let body = String::from_utf8_lossy(&answer.body);
    assert_eq!(body, r#"{"row":["ABC","DEF","NEW"],"behind":"ABCD"}"#, "{}", gantry.stop());
}

/// Keeps its commarea in a record of its own, and gives it back with a row more.
const KEEPER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  OWN.
           05  MANY        PIC 9(2) VALUE 1.
           05  EACH        PIC X(3) OCCURS 1 TO 9 DEPENDING ON MANY.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  ROWS        PIC 9(2).
           05  ROW         PIC X(3) OCCURS 1 TO 9 DEPENDING ON ROWS.
       PROCEDURE DIVISION.
           MOVE DFHCOMMAREA TO OWN.
           ADD 1 TO MANY.
           MOVE 'NEW' TO EACH(MANY).
           MOVE OWN TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_group_receives_all_rows_that_arrive() {
    let copybook =
        "           05  ROWS PIC 9(2).\n           05  ROW PIC X(3) OCCURS 1 TO 9 DEPENDING ON ROWS.\n";
    let folder = checked(KEEPER, copybook, "");
    let gantry = Gantry::folder(folder.path());
    let body = r#"{"row":["ABC","DEF","GHI"]}"#;
    let answer = gantry.send("POST", "/c", "content-type: application/json\r\n", body);
    let body = String::from_utf8_lossy(&answer.body);
    assert_eq!(body, r#"{"row":["ABC","DEF","GHI","NEW"]}"#, "{}", gantry.stop());
}

/// Adds to numbers that lie on boundaries.
const ALIGNED: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKED.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY CHECKED.
       PROCEDURE DIVISION.
           ADD 1 TO BIG G1 R2(1) R2(2).
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn synchronized_items_are_where_services_have_them_in_programs_too() {
    let copybook = "           05  ONE PIC X.\n           05  BIG PIC S9(18) COMP SYNC.\n           05  TWO PIC X(3).\n           \
                    05  GRP.\n             10  G1 PIC S9(9) COMP SYNC.\n             10  G2 PIC X.\n           05  ROW OCCURS 2.\n             \
                    10  R1 PIC X.\n             10  R2 PIC S9(9) COMP SYNC.\n             10  R3 PIC X.\n";
    let folder = checked(ALIGNED, copybook, "");
    let gantry = Gantry::folder(folder.path());
    let record = |[big, g, one, two]: [u32; 4]| {
        format!(
            r#"{{"one":"A","big":{big},"two":"xyz","grp":{{"g1":{g},"g2":"h"}},"row":[{{"r1":"1","r2":{one},"r3":"z"}},{{"r1":"2","r2":{two},"r3":"y"}}]}}"#
        )
    };
    let answer = gantry.send("POST", "/c", "content-type: application/json\r\n", &record([1, 3, 5, 7]));
    let body = String::from_utf8_lossy(&answer.body);
    assert_eq!(body, record([2, 4, 6, 8]), "{}", gantry.stop());
}

/// Reads an item of a queue into a record whose table is shorter at that time.
const ARRIVING: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHECKED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  SOURCE-TEXT     PIC X(11) VALUE '03AAABBBCCC'.
       01  SIZE-OF         PIC S9(4) COMP VALUE 29.
       01  OWN.
           05  MANY        PIC 9(2) VALUE 1.
           05  EACH        PIC X(3) OCCURS 1 TO 9 DEPENDING ON MANY.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  FIRST-TIME  PIC X(20).
           05  NEXT-TIME   PIC X(20).
           05  SIZES       PIC 9(4) OCCURS 2.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TS QUEUE('ROWS') FROM(SOURCE-TEXT)
               LENGTH(11) END-EXEC.
           EXEC CICS READQ TS QUEUE('ROWS') INTO(OWN)
               LENGTH(SIZE-OF) ITEM(1) END-EXEC.
           MOVE OWN TO FIRST-TIME.
           MOVE SIZE-OF TO SIZES(1).
           MOVE 1 TO MANY.
           EXEC CICS READQ TS QUEUE('ROWS') INTO(OWN) ITEM(1)
               END-EXEC.
           MOVE OWN TO NEXT-TIME.
           MOVE LENGTH OF OWN TO SIZES(2).
           EXEC CICS DELETEQ TS QUEUE('ROWS') END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_command_fills_a_table_up_to_its_greatest_length() {
    let copybook = "           05  FIRST-TIME PIC X(20).\n           05  NEXT-TIME PIC X(20).\n           05  SIZES PIC 9(4) OCCURS 2.\n";
    let folder = checked(ARRIVING, copybook, "");
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.send("POST", "/c", "content-type: application/json\r\n", "{}");
    let body = String::from_utf8_lossy(&answer.body);
    let expected = r#"{"first_time":"03AAABBBCCC","next_time":"03AAABBBCCC","sizes":[11,11]}"#;
    assert_eq!(body, expected, "{}", gantry.stop());
}
