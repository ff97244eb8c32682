//! CALL statements: the question after them stands where the statement ends, whatever follows.

use std::collections::HashMap;

use program::translate::Settings;

use crate::{alone, around, places, shown, with_members};

const ASKED: &str =
    "CALL \"gantry_after_call\" USING GANTRY-FRAME RETURNING GANTRY-NEXT IF GANTRY-NEXT < 0 GOBACK END-IF";

/// Checks the lines of the code, with `?` for the question.
#[track_caller]
fn check(code: &str, expected: &[&str]) {
    let translation = alone(&around(code)).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    let (_, rest) = translation.text.split_once("L2.\n").expect("the code");
    let lines = rest.lines().map(|line| line.trim().replace(ASKED, "?"));
    let found: Vec<String> = lines.filter(|line| !line.starts_with("#line") && line != "GOBACK.").collect();
    assert_eq!(found, expected, "{code}");
}

#[test]
fn the_question_follows_the_statement() {
    check("CALL 'A'.", &["CALL 'A'", "?", "."]);
    check(
        "CALL 'A' USING BY CONTENT X BY REFERENCE G N OF G.",
        &["CALL 'A' USING BY CONTENT X BY REFERENCE G N OF G", "?", "."],
    );
    check(
        "CALL X USING X(1:2) RETURNING N DISPLAY X.",
        &["CALL X USING X(1:2) RETURNING N", "?", "DISPLAY X."],
    );
    check(
        "IF N = 1 CALL 'A' ELSE CALL 'B' END-IF.",
        &["IF N = 1 CALL 'A'", "?", "ELSE CALL 'B'", "?", "END-IF."],
    );
    check("CALL 'A' END-CALL CALL 'B'.", &["CALL 'A' END-CALL", "?", "CALL 'B'", "?", "."]);
}

#[test]
fn exception_phrases_belong_to_the_statement() {
    check(
        "CALL 'A' ON EXCEPTION DISPLAY X END-CALL DISPLAY X.",
        &["CALL 'A' ON EXCEPTION DISPLAY X END-CALL", "?", "DISPLAY X."],
    );
    check("IF N = 1 CALL 'A' ON OVERFLOW DISPLAY X.", &["IF N = 1 CALL 'A' ON OVERFLOW DISPLAY X.", "?."]);
}

#[test]
fn names_of_programs_are_in_capitals() {
    check("CALL 'lgstsq' USING X.", &["CALL 'LGSTSQ' USING X", "?", "."]);
    check("CANCEL \"sub$1\".", &["CANCEL \"SUB$1\"."]);
    // Functions of C, and values that are not names.
    check("CALL 'my_function'.", &["CALL 'my_function'", "?", "."]);
    check("CALL 'nineletters' USING 'abc'.", &["CALL 'nineletters' USING 'abc'", "?", "."]);
    check("DISPLAY 'call' 'sub'.", &["DISPLAY 'call' 'sub'."]);
    let nested = "       id division.
       program-id. outer.
       procedure division.
           call 'inner'.
       id division.
       program-id. 'inner'.
       procedure division.
           exit program.
       end program inner.
       end program 'outer'.
";
    let translation = alone(nested).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert_eq!(translation.programs, ["OUTER", "INNER"]);
    for line in [
        "program-id. OUTER.",
        "call 'INNER'",
        "program-id. 'INNER'.",
        "end program INNER.",
        "end program 'OUTER'.",
    ] {
        assert!(translation.text.contains(line), "{line}: {}", translation.text);
    }
}

#[test]
fn names_of_data_that_look_like_an_end_are_arguments() {
    check("CALL 'A' USING START-DATE END-DATE X.", &["CALL 'A' USING START-DATE END-DATE X", "?", "."]);
    check("CALL 'A' USING END-READER END-CALL", &["CALL 'A' USING END-READER END-CALL", "?"]);
}

#[test]
fn the_word_elsewhere_is_no_statement() {
    check("DISPLAY 'CALL'.", &["DISPLAY 'CALL'."]);
}

#[test]
fn calls_of_ibm_mq_that_are_missing_are_warned_of() {
    let translation = alone(&around(
        "CALL 'MQSTAT' USING N X\n           CALL 'mqctl' USING N\n           CALL 'MQMINE' USING X\n           \
         CALL 'MQOPEN' USING N",
    ))
    .unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert_eq!(places(&translation.warnings), "20:12 EXC022\n21:12 EXC022");
    assert!(translation.warnings[0].message.contains("CALL 'MQSTAT' is not among the calls"));
}

#[test]
fn a_call_of_a_name_that_nothing_answers_is_a_fault() {
    let code = "CALL 'HERE' USING X\n           CALL 'CEEDAYS' USING X\n           CALL 'CBL_TOUPPER' USING X\n           \
                CALL 'fcntl' USING X\n           CALL 'GONE' ON EXCEPTION DISPLAY X END-CALL\n           CALL X";
    let callable = ["HERE".to_owned()];
    let settings = Settings { callable: Some(&callable), ..Settings::default() };
    let findings = with_members(&around(code), &HashMap::new(), &settings).expect_err("a fault");
    assert_eq!(places(&findings), "23:12 EXC024");
    assert_eq!(findings[0].message, "expected the name of a program that is here, found CALL 'fcntl'");
}
