//! MOVE to groups with tables DEPENDING ON items of the group.

use crate::{alone, around, shown};

const RECORDS: &str = "       01  REC.
           05  HEAD.
               10  CNT      PIC 9(2).
           05  BODY.
               10  OTHER    PIC 9(2) COMP.
               10  ROW      PIC X(5) OCCURS 1 TO 6 DEPENDING ON CNT.
               10  COL      PIC X OCCURS 0 TO 20 DEPENDING ON OTHER.
       01  OPEN-ENDED.
           05  INNER.
             10  MANY       PIC 9(2).
             10  LINE-OF    PIC X(5) OCCURS 1 TO 6 DEPENDING ON MANY.
           05  BEHIND       PIC X.
       01  TOO-FEW.
           05  ONES         PIC 9.
           05  ONE          PIC X OCCURS 1 TO 10 DEPENDING ON ONES.
";

/// The statements in front of each MOVE, and the MOVE.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let program =
        around(code).replacen("       LINKAGE SECTION.", &format!("{RECORDS}       LINKAGE SECTION."), 1);
    let translation = alone(&program).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    let (_, rest) = translation.text.split_once("L2.\n").expect("the code");
    let lines = rest.lines().map(str::trim);
    let found: Vec<&str> = lines.filter(|line| !line.starts_with("#line") && *line != "GOBACK.").collect();
    assert_eq!(found, expected, "{code}");
}

const BOTH: &str = "MOVE 6 TO CNT OF HEAD OF REC MOVE 20 TO OTHER OF BODY OF REC";

#[test]
fn a_group_receives_with_its_greatest_length() {
    check("MOVE X TO REC.", &[BOTH, "MOVE X TO REC."]);
    check("MOVE SPACES TO X rec.", &[BOTH, "MOVE SPACES TO X rec."]);
    check("IF N = 1 MOVE X TO REC ELSE MOVE G TO X.", &["IF N = 1", BOTH, "MOVE X TO REC ELSE MOVE G TO X."]);
    check("MOVE X TO OPEN-ENDED.", &["MOVE 6 TO MANY OF INNER OF OPEN-ENDED", "MOVE X TO OPEN-ENDED."]);
    // Only the count within the group.
    check("MOVE X TO BODY OF REC.", &["MOVE 20 TO OTHER OF BODY OF REC", "MOVE X TO BODY OF REC."]);
}

#[test]
fn other_statements_receive_with_the_greatest_length_of_a_group() {
    for (code, expected) in [
        ("STRING X N DELIMITED BY SIZE INTO REC.", "STRING X N DELIMITED BY SIZE INTO REC(1:54)."),
        (
            "STRING REC DELIMITED BY SIZE INTO open-ended WITH POINTER N.",
            "STRING REC DELIMITED BY SIZE INTO open-ended(1:33) WITH POINTER N.",
        ),
        (
            "UNSTRING X DELIMITED BY ',' INTO N COUNT IN H TOO-FEW G1 OF G REC.",
            "UNSTRING X DELIMITED BY ',' INTO N COUNT IN H TOO-FEW(1:11) G1 OF G REC(1:54).",
        ),
        (
            "READ F NEXT RECORD INTO REC AT END MOVE REC TO X.",
            "READ F NEXT RECORD INTO REC(1:54) AT END MOVE REC TO X.",
        ),
        ("RETURN F INTO REC.", "RETURN F INTO REC(1:54)."),
    ] {
        check(code, &[expected]);
    }
    for code in [
        // The count of one table is not in the group.
        "STRING X DELIMITED BY SIZE INTO BODY OF REC.",
        "STRING REC DELIMITED BY SIZE INTO X.",
        "STRING X DELIMITED BY SIZE INTO REC(1:5).",
        "UNSTRING REC DELIMITED BY ',' INTO X N.",
        "STRING X DELIMITED BY SIZE INTO ROW(1).",
        "READ F INTO X AT END MOVE 1 TO N.",
    ] {
        check(code, &[code]);
    }
}

#[test]
fn other_moves_stay() {
    for code in [
        "MOVE REC TO X.",
        "MOVE CNT TO REC.",
        "MOVE ROW(1) TO REC.",
        "MOVE X TO REC(1:5).",
        "MOVE X TO HEAD.",
        "MOVE CORRESPONDING G TO REC.",
        "MOVE X TO ROW(CNT).",
        "MOVE X TO INNER.",
        "MOVE X TO TOO-FEW.",
        "MOVE X TO G1 OF G.",
    ] {
        check(code, &[code]);
    }
}

#[test]
fn commands_have_the_greatest_length_of_a_group_where_data_arrives() {
    let length = |command: &str| {
        let program = around(&format!("EXEC CICS {command} END-EXEC.")).replacen(
            "       LINKAGE SECTION.",
            &format!("{RECORDS}       LINKAGE SECTION."),
            1,
        );
        let translation = alone(&program).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
        let (_, rest) = translation.text.split_once("L2.\n").expect("the code");
        let length = rest.split("MOVE ").nth(1).expect("the length of the first area");
        length.split(" TO GANTRY-VALUE").next().unwrap_or_default().to_owned()
    };
    assert_eq!(length("READQ TS INTO(REC) QUEUE('Q')"), "54");
    assert_eq!(length("READQ TS INTO(BODY OF REC) QUEUE('Q')"), "52");
    assert_eq!(length("READQ TS INTO(INNER) QUEUE('Q')"), "LENGTH OF INNER");
    assert_eq!(length("READQ TS INTO(X) QUEUE('Q')"), "LENGTH OF X");
    assert_eq!(length("WRITEQ TS FROM(REC) QUEUE('Q')"), "LENGTH OF REC");
    assert_eq!(length("WRITEQ TS FROM(REC) QUEUE('Q') LENGTH(H)"), "54");
    assert_eq!(length("LINK PROGRAM('P') COMMAREA(REC)"), "LENGTH OF REC");
    assert_eq!(length("LINK PROGRAM('P') COMMAREA(REC) LENGTH(20)"), "54");
}
