//! The facts about a translated text: its programs and files. Large texts take no more than linear time.

use std::collections::HashMap;

use program::translate::Settings;

use crate::{alone, around, places, shown, with_members};

#[test]
fn programs_and_files_are_listed() {
    let text = around("COPY DFHAID.").replace("GOBACK.\n", "GOBACK.\n       END PROGRAM P.\n")
        + "       ID DIVISION.\n       PROGRAM-ID. 'second'.\n       PROCEDURE DIVISION.\n           GOBACK.\n";
    let translation = alone(
        &text.replace("COPY DFHAID.", "CONTINUE.").replace("01  P   ", "COPY DFHAID.\n       01  P   "),
    )
    .unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert_eq!(translation.programs, ["P", "SECOND"]);
    let files: Vec<&str> = translation.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(files, ["PROGRAM.cbl", "<DFHAID>"]);
}

#[test]
fn a_program_without_commands_gets_its_parameters_all_the_same() {
    let translation = alone(&around("CONTINUE.")).expect("a translation");
    assert!(translation.text.contains("PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA."));
    assert!(!translation.text.contains("GANTRY-"));
}

#[test]
fn hostile_texts_end() {
    let many = |text: &str, count: usize| text.repeat(count);
    let texts = [
        many("EXEC CICS ", 40_000),
        many("ID DIVISION. ", 30_000),
        around(&many("EXEC CICS RETURN END-EXEC\n", 4_000)),
        around(&many("EXEC CICS LINK PROGRAM(((((((((((((( END-EXEC\n", 4_000)),
        many("PROCEDURE DIVISION USING\n", 12_000),
        many("       AUTHOR\n", 40_000),
        "DATA DIVISION. ".to_owned() + &many("SELECT A ASSIGN B. SD A. ", 40_000),
        around(&many("DISPLAY X UPON SYSOUT ACCEPT X\n", 10_000)),
        around(&many("MOVE DFHRESP(X) TO N\n", 10_000)),
        many("       01 DFHEIBLK\n", 20_000),
    ];
    for text in texts {
        let _ = alone(&text);
    }
}

/// A program with parameters of its own, and the content of its code.
fn subprogram(code: &str) -> String {
    around(code)
        .replace("PROCEDURE DIVISION.", "PROCEDURE DIVISION USING L.")
        .replace("01  L        PIC X(10).", "01  L        PIC X(10).\n       01  EIB-LIKE PIC X.")
}

#[test]
fn a_subprogram_that_knows_nothing_of_cics_stays_as_it_is() {
    let translation = alone(&subprogram("MOVE 1 TO N")).expect("a translation");
    assert!(translation.text.contains("PROCEDURE DIVISION USING L."), "{}", translation.text);
    assert!(!translation.text.contains("DFH") && !translation.text.contains("GANTRY-"));
    // A program that it calls may still end the task's program.
    let translation = alone(&subprogram("CALL 'A' USING L")).expect("a translation");
    assert!(translation.text.contains("PROCEDURE DIVISION USING L."), "{}", translation.text);
    assert!(translation.text.contains("01 GANTRY-FRAME.") && translation.text.contains("gantry_after_call"));
}

#[test]
fn commands_and_names_of_cics_bring_its_parameters() {
    for code in ["EXEC CICS SYNCPOINT END-EXEC", "MOVE EIBCALEN TO H", "SET P TO ADDRESS OF DFHCOMMAREA"] {
        let translation = alone(&subprogram(code)).expect("a translation");
        let heading = "PROCEDURE DIVISION USING DFHEIBLK DFHCOMMAREA L.";
        assert!(translation.text.contains(heading), "{code}: {}", translation.text);
    }
    // So does a command of a program that it holds.
    let nested = subprogram("CONTINUE")
        + "       ID DIVISION.\n       PROGRAM-ID. INNER.\n       PROCEDURE DIVISION.\n"
        + "           EXEC CICS SYNCPOINT END-EXEC.\n       END PROGRAM INNER.\n       END PROGRAM P.\n";
    let translation = alone(&nested).expect("a translation");
    assert!(translation.text.contains("USING DFHEIBLK DFHCOMMAREA L."), "{}", translation.text);
}

#[test]
fn statements_of_old_compilers_do_nothing() {
    let code = "IF N = 1 SERVICE RELOAD L ELSE SERVICE LABEL END-IF MOVE SERVICE TO N";
    let translation = alone(&around(code)).expect("a translation");
    let expected = "IF N = 1 CONTINUE ELSE CONTINUE END-IF MOVE SERVICE TO N";
    assert!(translation.text.contains(expected), "{}", translation.text);
}

#[test]
fn lengths_that_are_no_items_are_not_taken_back() {
    for length in ["LENGTH OF X", "80", "N + 1", "ZERO"] {
        let code = format!("EXEC CICS READQ TS QUEUE('Q') INTO(X) LENGTH({length}) ITEM(1) END-EXEC");
        let translation = alone(&around(&code)).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
        assert!(!translation.text.contains("IF GANTRY-SET"), "{length}: {}", translation.text);
    }
    let code = "EXEC CICS READQ TS QUEUE('Q') INTO(X) LENGTH(H OF G) ITEM(1) END-EXEC";
    let translation = alone(&around(code)).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert!(translation.text.contains("MOVE GANTRY-VALUE(2) TO H OF G"), "{}", translation.text);
}

#[test]
fn what_a_command_sets_must_be_an_item() {
    let code = "EXEC CICS READQ TS QUEUE('Q') INTO(X) NUMITEMS(5) END-EXEC";
    let findings = alone(&around(code)).expect_err("a literal cannot be set");
    assert!(shown(&findings).contains("expected a data item for NUMITEMS"), "{}", shown(&findings));
}

#[test]
fn date_formats_are_comments() {
    let clauses = |data: &str| {
        let text = around("CONTINUE.").replace("01  L        PIC X(10).", data);
        alone(&text).unwrap_or_else(|findings| panic!("{}", shown(&findings))).text
    };
    for clause in ["DATE FORMAT YYXXXX", "DATE FORMAT IS YYYYXXXX"] {
        let found = clauses(&format!("01  L  PIC 9(6) {clause} BINARY."));
        assert!(found.contains("01  L  PIC 9(6)  BINARY."), "{found}");
    }
    assert!(clauses("01  DATE-X PIC X.").contains("01  DATE-X PIC X."));
}

#[test]
fn stop_run_is_a_return() {
    let found = alone(&around("IF N = 1 STOP RUN ELSE STOP RUN RETURNING 4.")).expect("a translation").text;
    let expected =
        "CALL \"gantry_exec\" USING GANTRY-FRAME X\"01000E0800000014000C0000\" RETURNING GANTRY-NEXT GOBACK";
    assert!(found.contains(expected) && found.contains("ELSE STOP RUN RETURNING 4."), "{found}");
    let found = alone(&around("STOP RUN 4.")).expect("a translation").text;
    assert!(found.contains("STOP RUN 4."), "{found}");
}

#[test]
fn statements_that_gnucobol_does_not_carry_out_are_told() {
    let findings = alone(&around("JSON PARSE X INTO G.")).expect_err("errors");
    assert_eq!(places(&findings), "20:12 EXC019");
    let translation = alone(&around("JSON GENERATE X FROM G\nXML GENERATE X FROM G.")).expect("a warning");
    assert_eq!(places(&translation.warnings), "20:12 EXC020");
}

/// The warnings of a program with files of its own.
fn with_files(files: &str, sections: &str, code: &str) -> String {
    let head = format!(
        "       ENVIRONMENT DIVISION.\n       INPUT-OUTPUT SECTION.\n       FILE-CONTROL.\n{files}       DATA DIVISION.\n       FILE SECTION.\n{sections}"
    );
    let text = around(code).replace("       DATA DIVISION.\n", &head);
    let translation = alone(&text).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    format!("{}\n{}", places(&translation.warnings), shown(&translation.warnings))
}

#[test]
fn files_of_cobol_itself_are_told_once_each_but_not_those_of_sort() {
    let files = "           SELECT CUSTOMERS ASSIGN TO CUSTMAST\n               FILE STATUS IS X.\n           select optional Late assign LATE.\n           SELECT WORK ASSIGN TO SORTWK.\n";
    let sections = "       FD  CUSTOMERS.\n       01  C PIC X(80).\n       FD  LATE.\n       01  D PIC X.\n       SD  WORK.\n       01  W PIC X.\n";
    let told = with_files(files, sections, "OPEN INPUT CUSTOMERS READ CUSTOMERS CLOSE CUSTOMERS.");
    assert!(told.starts_with("6:12 EXC026\n8:12 EXC026\n"), "{told}");
    assert!(
        told.contains("the file CUSTOMERS is COBOL's own") && told.contains("the file Late is"),
        "{told}"
    );
    assert!(!told.contains("WORK"), "{told}");
    // SELECT of SQL is not a file.
    let declared = around("CONTINUE.").replace(
        "       LINKAGE SECTION.",
        "           EXEC CICS IGNORE CONDITION ERROR END-EXEC.\n       LINKAGE SECTION.",
    );
    let findings = alone(&declared).expect_err("a command outside of code");
    assert!(!places(&findings).contains("EXC026"));
}

#[test]
fn input_and_output_beside_cics_is_told() {
    let code = "ACCEPT X FROM DATE YYYYMMDD.
        ACCEPT X
        ACCEPT G1 OF G FROM CONSOLE
        ACCEPT N FROM TIME ACCEPT X FROM SYSIN
        IF N = 1 DISPLAY 'A' UPON CONSOLE ELSE DISPLAY 'A' X UPON SYSOUT
        END-IF
        DISPLAY 'A' MOVE N TO H
        DISPLAY 'A' UPON PUNCH
        STOP RUN RETURNING 4
        STOP 'WAIT'
        STOP RUN 4
        STOP RUN.";
    let translation = alone(&around(code)).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    let expected = "21:12 EXC027\n22:12 EXC027\n23:31 EXC027\n24:21 EXC027\n27:12 EXC027\n28:12 EXC027\n29:12 EXC027\n30:12 EXC027";
    assert_eq!(places(&translation.warnings), expected, "{}", shown(&translation.warnings));
    let told = shown(&translation.warnings);
    for words in [
        "ACCEPT gets nothing",
        "UPON CONSOLE: the text goes to the gateway's log",
        "UPON PUNCH: the text may be lost",
        "ends the task with an abend",
        "STOP with a literal",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_device_of_display_may_have_a_name_of_the_program() {
    let names = "       ENVIRONMENT DIVISION.\n       CONFIGURATION SECTION.\n       SPECIAL-NAMES.\n           SYSOUT IS PAPER\n           CONSOLE OPERATOR SYSPUNCH IS CARDS.\n       DATA DIVISION.\n";
    let text = around("DISPLAY 'A' UPON PAPER\nDISPLAY 'A' UPON OPERATOR\nDISPLAY 'A' UPON CARDS.")
        .replace("       DATA DIVISION.\n", names);
    let translation = alone(&text).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert_eq!(
        places(&translation.warnings),
        "26:12 EXC027\n27:12 EXC027",
        "{}",
        shown(&translation.warnings)
    );
}

#[test]
fn a_program_has_the_name_of_its_load_module() {
    let text = around("CALL 'P'.") + "       END PROGRAM P.\n";
    let settings = Settings { name: Some("order"), ..Settings::default() };
    let translation = with_members(&text, &HashMap::new(), &settings).expect("a translation");
    assert_eq!(translation.programs, ["ORDER"]);
    for line in ["PROGRAM-ID. \"ORDER\".", "END PROGRAM \"ORDER\".", "CALL 'P'"] {
        assert!(translation.text.contains(line), "{line}: {}", translation.text);
    }
    assert_eq!(places(&translation.warnings), "2:20 EXC021");
    // Files may have signs in their names that words may not.
    let settings = Settings { name: Some("pay$1"), ..Settings::default() };
    let translation = with_members(&text, &HashMap::new(), &settings).expect("a translation");
    assert_eq!(translation.programs, ["PAY$1"]);
    for line in ["PROGRAM-ID. \"PAY$1\".", "END PROGRAM \"PAY$1\"."] {
        assert!(translation.text.contains(line), "{line}: {}", translation.text);
    }
    // Its own name needs no word.
    let settings = Settings { name: Some("p"), ..Settings::default() };
    let translation = with_members(&text, &HashMap::new(), &settings).expect("a translation");
    assert_eq!((translation.programs.concat().as_str(), translation.warnings.len()), ("P", 0));
}

#[test]
fn comp_5_has_the_bytes_of_binary() {
    let text = around("MOVE 1 TO N").replace(
        "01  L        PIC X(10).",
        "01  L PIC S9(9) COMP-5 SYNC.\n       01  M PIC 9(4) USAGE COMPUTATIONAL-5.",
    );
    let found = alone(&text).expect("a translation").text;
    assert!(
        found.contains("01  L PIC S9(9) BINARY .") && found.contains("01  M PIC 9(4) USAGE BINARY."),
        "{found}"
    );
}

#[test]
fn each_program_of_a_file_may_have_compiler_options() {
    let text = "       CBL CICS\n".to_owned()
        + &around("CONTINUE.").replace("GOBACK.\n", "GOBACK.\n       end program P.\n")
        + "      * of the second\n       PROCESS NODYNAM,CODEPAGE(1140)\n       CBL APOST\n       ID DIVISION.\n       PROGRAM-ID. Q.\n       PROCEDURE DIVISION.\n           GOBACK.\n       END PROGRAM Q.\n";
    let translation = alone(&text).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
    assert_eq!(translation.programs, ["P", "Q"]);
    assert!(!translation.text.contains("NODYNAM") && !translation.text.contains("APOST"));
}

#[test]
fn numbers_may_stand_in_pointers() {
    let browse = "EXEC CICS STARTBROWSE CONTAINER BROWSETOKEN(P) END-EXEC
        EXEC CICS GETNEXT CONTAINER(X) BROWSETOKEN(P) END-EXEC.";
    let text = alone(&around(browse)).unwrap_or_else(|findings| panic!("{}", shown(&findings))).text;
    assert!(text.contains("10 GANTRY-NUMBER REDEFINES GANTRY-ADDRESS PIC S9(18) COMP-5."), "{text}");
    assert!(text.contains("MOVE GANTRY-VALUE(1) TO GANTRY-NUMBER(1) SET P TO GANTRY-ADDRESS(1)"), "{text}");
    let given = "SET GANTRY-ADDRESS(2) TO P MOVE GANTRY-NUMBER(2) TO GANTRY-VALUE(2)";
    assert!(text.contains(given), "{text}");
    let without = alone(&around("EXEC CICS ASKTIME END-EXEC.")).expect("a translation").text;
    assert!(!without.contains("GANTRY-NUMBER"));
}

#[test]
fn browses_of_forms_may_have_short_words() {
    let browse = "EXEC CICS WEB STARTBROWSE FORMFIELD RESP(N) END-EXEC
        EXEC CICS WEB ENDBROWSE FORMFIELD END-EXEC.";
    let translated = |code: &str| {
        let translation = alone(&around(code)).unwrap_or_else(|findings| panic!("{}", shown(&findings)));
        let comment =
            |line: &&str| !line.contains("BROWSE") && !line.contains("STARTBR") && !line.contains("ENDBR");
        translation.text.lines().filter(comment).map(str::to_owned).collect::<Vec<_>>()
    };
    let short = browse.replace("BROWSE", "BR");
    assert_eq!(translated(&short), translated(browse));
    // They are other commands without WEB.
    assert!(alone(&around("EXEC CICS STARTBR CONTAINER BROWSETOKEN(P) END-EXEC.")).is_err());
}

#[test]
fn the_descriptor_area_of_sql_is_supplied() {
    let text = around("GOBACK.")
        .replace("       LINKAGE", "       LOCAL-STORAGE SECTION.\n           COPY SQLDA.\n       LINKAGE");
    let text = alone(&text).unwrap_or_else(|findings| panic!("{}", shown(&findings))).text;
    assert!(text.contains("SQLVAR OCCURS 0 TO 750 TIMES DEPENDING ON SQLN."), "{text}");
}
