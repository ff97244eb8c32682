//! Refusals, with their code and place: one row for each fault.

use std::collections::HashMap;

use copybook::Severity;
use program::translate::{LABELS_MAX, Settings, TerminalCommands};

use crate::{alone, around, places, shown, with_members};

#[track_caller]
fn refuse(code: &str, expected: &str) {
    let findings = alone(&around(code)).expect_err(code);
    assert_eq!(places(&findings), expected, "{code}\n{}", shown(&findings));
}

#[track_caller]
fn accept(code: &str) {
    if let Err(findings) = alone(&around(code)) {
        panic!("{code}\n{}", shown(&findings));
    }
}

#[test]
fn blocks() {
    refuse("EXEC CICS RETURN", "20:12 EXC001");
    refuse("EXEC CICS RETURN\nEXEC CICS RETURN END-EXEC.", "20:12 EXC001");
    refuse("EXEC DLI GU END-EXEC.", "20:12 EXC014");
    refuse("EXEC END-EXEC.", "20:12 EXC014");
    refuse("EXEC CICS END-EXEC.", "20:12 EXC003");
    refuse("EXEC CICS RETRN END-EXEC.", "20:22 EXC003");
    refuse("EXEC CICS 'RETURN' END-EXEC.", "20:22 EXC008");
    refuse("EXEC CICS LINK PROGRAM('X' END-EXEC.", "20:27 EXC008");
    refuse("EXEC CICS LINK PROGRAM('X') 5 END-EXEC.", "20:40 EXC008");
}

#[test]
fn data_stands_in_a_data_division() {
    let code = "PROCEDURE DIVISION.\n           EXEC CICS RETURN END-EXEC.\n";
    let data = "WORKING-STORAGE SECTION.\n       01 A PIC X.\n       LINKAGE SECTION.\n       01 B PIC X.\n";
    let head = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       ";
    for (text, expected) in [
        (format!("{head}{data}       {code}"), "3:8 EXC031"),
        (format!("{head}ENVIRONMENT DIVISION.\n       {data}       {code}"), "4:8 EXC031"),
        (
            format!("{head}PROCEDURE DIVISION.\n       DATA DIVISION.\n       {data}       {code}"),
            "4:8 EXC031",
        ),
    ] {
        let findings = alone(&text).expect_err(&text);
        assert_eq!(places(&findings), expected, "{text}\n{}", shown(&findings));
    }
    assert!(alone(&format!("{head}DATA DIVISION.\n       {data}       {code}")).is_ok());
    assert!(alone(&format!("{head}{code}")).is_ok());
}

#[test]
fn commands_that_cannot_be_translated() {
    refuse("EXEC CICS SEND MAP('M') END-EXEC.", "20:22 EXC005");
    refuse("EXEC CICS RECEIVE INTO(X) END-EXEC.", "20:22 EXC005");
    refuse("EXEC CICS HANDLE AID PF1(L1) END-EXEC.", "20:22 EXC005");
    refuse("EXEC CICS INQUIRE CONNECTION('C') END-EXEC.", "20:22 EXC004");
    refuse("EXEC CICS WEB FROBNICATE END-EXEC.", "20:22 EXC004");
    refuse("EXEC CICS DELETE ACTIVITY('A') END-EXEC.", "20:22 EXC004");
    refuse("EXEC CICS START ATTACH TRANSID('T') END-EXEC.", "20:22 EXC004");
    refuse("EXEC CICS INQUIRE TERMINAL('T') END-EXEC.", "20:22 EXC005");
}

#[test]
fn options() {
    refuse("EXEC CICS LINK PROGRAM('X')\nCOMAREA(X) END-EXEC.", "21:12 EXC006");
    refuse("EXEC CICS LINK PROGRAM('X') PROGRAM('Y') END-EXEC.", "20:40 EXC007");
    refuse("EXEC CICS LINK PROGRAM END-EXEC.", "20:22 EXC009\n20:27 EXC008");
    refuse("EXEC CICS RETURN IMMEDIATE(X) END-EXEC.", "20:29 EXC008");
    refuse("EXEC CICS LINK COMMAREA(X) END-EXEC.", "20:22 EXC009");
    refuse("EXEC CICS LINK PROGRAM('X') LENGTH(5) END-EXEC.", "20:40 EXC009");
    refuse("EXEC CICS LINK PROGRAM('X') COMMAREA(X) CHANNEL('C') END-EXEC.", "20:52 EXC010");
    refuse("EXEC CICS READQ TS QUEUE('Q') INTO(X) SET(P) LENGTH(H) END-EXEC.", "20:50 EXC010");
    refuse("EXEC CICS SYNCPOINT RESP END-EXEC.", "20:32 EXC008");
    refuse("EXEC CICS SYNCPOINT RESP(N) RESP(N) END-EXEC.", "20:40 EXC007");
    refuse("EXEC CICS READ FILE('F') DATASET('F') INTO(X) RIDFLD(X) END-EXEC.", "20:37 EXC007");
}

#[test]
fn arguments() {
    refuse("EXEC CICS LINK PROGRAM('NINELETTR') END-EXEC.", "20:35 EXC008");
    refuse("EXEC CICS LINK PROGRAM(12) END-EXEC.", "20:35 EXC008");
    refuse("EXEC CICS LINK PROGRAM('ÄÖ') END-EXEC.", "20:35 EXC008");
    refuse("EXEC CICS LINK PROGRAM('P') COMMAREA(X) LENGTH(70000) END-EXEC.", "20:59 EXC008");
    refuse("EXEC CICS LINK PROGRAM('P') COMMAREA(X) LENGTH(G) END-EXEC.", "20:59 EXC008");
    refuse("EXEC CICS LINK PROGRAM('P') COMMAREA(X) LENGTH(X) END-EXEC.", "20:59 EXC008");
    refuse("EXEC CICS SYNCPOINT RESP(G1) END-EXEC.", "20:37 EXC008");
    refuse("EXEC CICS DELAY INTERVAL('1') END-EXEC.", "20:37 EXC008");
    refuse("EXEC CICS READ FILE('F') INTO(X) RIDFLD('KEY') END-EXEC.", "20:52 EXC008");
    refuse("EXEC CICS ASSIGN APPLID('NAME') END-EXEC.", "20:36 EXC008");
    accept("EXEC CICS STARTBR FILE('F') RIDFLD('KEY') END-EXEC.");
}

#[test]
fn conditions_and_labels() {
    refuse("EXEC CICS HANDLE CONDITION NOTFOUND(L1) END-EXEC.", "20:39 EXC011");
    refuse("EXEC CICS HANDLE CONDITION NOTFND() END-EXEC.", "20:39 EXC008");
    refuse("EXEC CICS HANDLE CONDITION NOTFND(L1 L2) END-EXEC.", "20:46 EXC008");
    refuse("EXEC CICS HANDLE CONDITION NOTFND(L1) NOTFND(L2) END-EXEC.", "20:50 EXC007");
    refuse("EXEC CICS HANDLE CONDITION NOTFND(NOWHERE) END-EXEC.", "20:46 EXC017");
    refuse("EXEC CICS HANDLE ABEND LABEL(NOWHERE) END-EXEC.", "20:41 EXC017");
    refuse("EXEC CICS HANDLE ABEND LABEL(L1) CANCEL END-EXEC.", "20:45 EXC010");
    refuse("EXEC CICS IGNORE CONDITION NOTFND(L1) END-EXEC.", "20:39 EXC008");
    refuse("IF N = DFHRESP(NOTFOUND) CONTINUE END-IF.", "20:19 EXC011");
    refuse("MOVE DFHRESP TO N.", "20:17 EXC011");
    refuse("MOVE DFHVALUE(ENABELD) TO N.", "20:17 EXC012");
    let names = "ERROR NOTFND INVREQ IOERR LENGERR QIDERR ITEMERR PGMIDERR END ENDFILE DUPREC DUPKEY NOSPACE
        NOTOPEN ILLOGIC DISABLED LOCKED";
    refuse(&format!("EXEC CICS IGNORE CONDITION {names} END-EXEC."), "21:37 EXC015");
}

#[test]
fn hints_name_what_is_meant() {
    let help = |code: &str| alone(&around(code)).expect_err(code).remove(0).help.unwrap_or_default();
    assert_eq!(help("EXEC CICS RETRUN END-EXEC."), "did you mean RETURN?");
    assert_eq!(help("EXEC CICS LINK PROGRAM('P') COMAREA(X) END-EXEC."), "did you mean COMMAREA?");
    assert_eq!(help("MOVE DFHRESP(NORMEL) TO N."), "did you mean NORMAL?");
    assert_eq!(help("MOVE DFHVALUE(ENABELD) TO N."), "did you mean ENABLED?");
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_the_text() {
    refuse(
        "EXEC CICS LINK END-EXEC\nEXEC CICS SEND TEXT END-EXEC\nMOVE DFHRESP(X) TO N.",
        "20:22 EXC009\n21:22 EXC005\n22:17 EXC011",
    );
}

#[test]
fn what_is_right_is_accepted() {
    accept("EXEC CICS HANDLE CONDITION NOTFND(L1) DSIDERR ERROR(L2) END-EXEC.");
    accept("EXEC CICS HANDLE ABEND END-EXEC EXEC CICS HANDLE ABEND CANCEL END-EXEC.");
    accept("EXEC CICS HANDLE ABEND PROGRAM('P') END-EXEC EXEC CICS PUSH HANDLE END-EXEC.");
    accept("EXEC CICS POP HANDLE NOHANDLE END-EXEC.");
    accept("EXECUTE CICS READ DATASET('F') INTO(X) RIDFLD(G1) GTEQ RESP(N) END-EXEC.");
    accept("EXEC CICS LINK PROGRAM('LONGNAME  ') COMMAREA(X) LENGTH(LENGTH OF X) END-EXEC.");
    accept("EXEC CICS LINK COMMAREA(X(1 : H)) PROGRAM (G1 OF G) END-EXEC.");
    accept("EXEC CICS ADDRESS SET(ADDRESS OF L) USING(P) END-EXEC.");
    accept("EXEC CICS RUN TRANSID('T') CHANNEL('C') CHILD(X) END-EXEC.");
    accept("EXEC CICS FETCH ANY(X) COMPSTATUS(N) END-EXEC IF N = DFHVALUE(NORMAL) CONTINUE END-IF.");
}

#[test]
fn a_fault_in_a_member_is_shown_there() {
    let member = "      * a member\n           EXEC CICS LINK END-EXEC.\n".to_owned();
    let members = HashMap::from([("M".to_owned(), member)]);
    let findings = with_members(&around("COPY M."), &members, &Settings::default()).expect_err("a fault");
    assert_eq!((findings[0].file.as_str(), places(&findings).as_str()), ("M.cpy", "2:22 EXC009"));
}

#[test]
fn a_missing_member_is_an_error_in_code_too() {
    refuse("COPY NOWHERE.", "20:12 CPY026");
}

#[test]
fn commands_outside_of_code() {
    let text = around("CONTINUE.").replace("01  L        PIC X(10).", "EXEC CICS RETURN END-EXEC.");
    assert_eq!(places(&alone(&text).expect_err("misplaced")), "13:8 EXC002");
}

#[test]
fn bytes_that_are_no_text() {
    let lost = alone(&around("MOVE '\u{fffd}' TO X.")).expect_err("no UTF-8");
    assert_eq!(places(&lost), "20:17 EXC016");
    let comment = around("CONTINUE.").replace("       MAIN-LINE.", "      * \u{fffd}\n       MAIN-LINE.");
    assert!(alone(&comment).is_ok());
    let author = "       AUTHOR. J. MU\u{fffd}OZ.\n       DATA DIVISION.";
    let author = around("CONTINUE.").replacen("       DATA DIVISION.", author, 1);
    assert!(author.contains("AUTHOR") && alone(&author).is_ok());
}

#[test]
fn debugging_lines_are_left_out_with_a_warning() {
    let mode = "       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SOURCE-COMPUTER. IBM-370 WITH DEBUGGING MODE.
       DATA DIVISION.";
    let text = around("CONTINUE.").replacen("       DATA DIVISION.", mode, 1);
    assert_eq!(places(&alone(&text).expect("a warning only").warnings), "5:38 EXC018");
}

#[test]
fn periods_that_are_left_out_are_assumed_with_a_warning() {
    let text = around("CONTINUE.").replace("PROGRAM-ID. P.", "PROGRAM-ID P").replace("X(100).", "X(100)");
    let translation = alone(&text).expect("warnings only");
    assert_eq!(places(&translation.warnings), "2:8 EXC023\n2:19 EXC023\n5:25 EXC023");
    assert_eq!(translation.programs, ["P"]);
    // Numbers that begin a line are not always those of levels.
    for (entry, more) in [
        ("FD  F RECORD CONTAINS\n           40 CHARACTERS.", ""),
        ("FD  F RECORD\n           40 CHARACTERS.", ""),
        ("FD  F BLOCK\n           10 RECORDS.", ""),
        ("FD  F RECORD VARYING IN SIZE FROM\n           20 CHARACTERS.", ""),
        ("FD  F.", "       01  D PIC\n           9 DISPLAY.\n"),
        ("FD  F.", "       01  D PIC\n           9 COMPUTATIONAL-3 VALUE 0.\n"),
        ("FD  F.", "       01  D PIC 9.\n           88  OK VALUES 1 2\n           3 ZERO.\n"),
    ] {
        let file = format!("FILE SECTION.\n       {entry}\n       01  R PIC X(40).\n{more}");
        let text =
            around("CONTINUE.").replacen("WORKING-STORAGE", &format!("{file}       WORKING-STORAGE"), 1);
        assert_eq!(places(&alone(&text).expect("a translation").warnings), "", "{entry}{more}");
    }
    // Nor does a program's name end before its attributes, on whatever lines they are.
    for id in ["P\n           RECURSIVE.", "P IS\n           INITIAL.", "P\n           IS INITIAL PROGRAM."] {
        let text = around("CONTINUE.").replace("PROGRAM-ID. P.", &format!("PROGRAM-ID. {id}"));
        assert_eq!(places(&alone(&text).expect("a translation").warnings), "", "{id}");
    }
    // In code they are assumed before the name of a paragraph that is performed, and at the end; N is an operand, X no label.
    let text = around("PERFORM NEXT-ONE\nGOBACK\nNEXT-ONE.\nMOVE 1 TO\nN.\nMOVE N TO\nX.");
    let text = ["NEXT-ONE.", "N.", "X."]
        .iter()
        .fold(text, |text, name| text.replace(&format!("           {name}\n"), &format!("       {name}\n")));
    let text = text.replace("GOBACK.\n", "GOBACK\n       END PROGRAM P.\n");
    let translation = alone(&text).expect("warnings only");
    assert_eq!(places(&translation.warnings), "21:12 EXC023\n27:12 EXC023");
    // The end of the text is the end of the program, too.
    for last in ["GOBACK", "EXEC CICS RETURN END-EXEC"] {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       PROCEDURE DIVISION.\n           {last}\n"
        );
        let translation = alone(&text).expect("a warning only");
        let column = 12 + last.rfind(' ').map_or(0, |blank| blank + 1);
        assert_eq!(places(&translation.warnings), format!("4:{column} EXC023"));
        assert!(translation.text.trim_end().ends_with('.'), "{}", translation.text);
        assert_eq!(places(&alone(&text.replace(last, &format!("{last}."))).expect("fine").warnings), "");
    }
    let text = around("MOVE 1 TO N\n       NEXT-ONE\n           CONTINUE.");
    assert_eq!(places(&alone(&text).expect("a translation").warnings), "");
}

#[test]
fn terminal_commands_may_be_left_to_fail_at_run_time() {
    let settings = Settings { terminal: TerminalCommands::FailAtRunTime, ..Settings::default() };
    let text = around("EXEC CICS SEND TEXT FROM(X) ERASE RESP(N) END-EXEC.");
    let translation = with_members(&text, &HashMap::new(), &settings).expect("a warning only");
    assert_eq!(places(&translation.warnings), "20:22 EXC005");
    assert_eq!(translation.warnings[0].severity, Severity::Warning);
    assert!(translation.text.contains("X\"0101FFFF00000014000C0000\""), "{}", translation.text);
    assert!(translation.text.contains("MOVE EIBRESP TO N"), "{}", translation.text);
}

#[test]
fn labels_have_a_limit() {
    let mut code = String::new();
    for number in 0..=LABELS_MAX {
        code.push_str(&format!("EXEC CICS HANDLE CONDITION ERROR(L{number}) END-EXEC\n"));
    }
    let findings = alone(&around(&code)).expect_err("too many labels");
    assert!(
        findings.iter().any(|finding| finding.message.contains("at most 1000 labels")),
        "{}",
        shown(&findings)
    );
}

#[test]
fn help_says_what_to_do_in_place_of_a_command() {
    let findings = alone(&around("EXEC CICS WEB FROBNICATE END-EXEC.")).expect_err("a finding");
    let help = findings[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("Programs that call HTTP servers"), "{}", shown(&findings));
}

#[test]
fn commands_of_web_support_have_the_session_of_their_side() {
    for (command, named) in [
        ("WEB RETRIEVE SESSTOKEN(X) DOCTOKEN(X)", "EXEC CICS WEB RETRIEVE with SESSTOKEN is not supported"),
        ("WEB READ FORMFIELD(X) VALUE(X) SESSTOKEN(X)", "EXEC CICS WEB READ with SESSTOKEN is not supported"),
    ] {
        let findings = alone(&around(&format!("EXEC CICS {command} END-EXEC."))).expect_err("a finding");
        assert_eq!((places(&findings).as_str(), findings[0].message.as_str()), ("20:22 EXC004", named));
    }
    for (command, problem) in [
        ("WEB OPEN HOST('A')", "SESSTOKEN"),
        ("WEB CLOSE", "SESSTOKEN"),
        ("WEB CONVERSE SESSTOKEN(X) INTO(X)", "METHOD"),
        ("WEB CONVERSE GET SESSTOKEN(X)", "INTO"),
    ] {
        let findings = alone(&around(&format!("EXEC CICS {command} END-EXEC."))).expect_err("a finding");
        assert!(findings[0].message.contains(problem), "{command}: {}", shown(&findings));
    }
}

/// Commands of CICS that cannot be translated, by their first words: of the application programming interface, then of
/// the system programming interface.
const OTHER_COMMANDS: &str = "ACQUIRE PROCESS, ADD SUBEVENT, ALLOCATE SYSID, BIF DIGEST, BUILD ATTACH, CANCEL ACTIVITY,
    CHANGE PASSWORD, CHANGE PHRASE, CHANGE TASK, CHECK ACQPROCESS, CHECK ACTIVITY, CHECK TIMER, CONNECT PROCESS, CONVERSE,
    DEFINE ACTIVITY, DEFINE COMPOSITE, DEFINE INPUT, DEFINE PROCESS, DEFINE TIMER, DELETE ACTIVITY,
    DELETE EVENT, DELETE TIMER,
    ENDBROWSE ACTIVITY, ENDBROWSE EVENT, ENDBROWSE PROCESS, ENDBROWSE TIMER, EXTRACT ATTACH,
    EXTRACT ATTRIBUTES, EXTRACT CERTIFICATE, EXTRACT LOGONMSG, EXTRACT PROCESS, EXTRACT TCT,
    FORCE TIMER, FREE, FREEMAIN64, GDS ALLOCATE, GDS SEND, GET64 CONTAINER, GETMAIN64, GETNEXT ACTIVITY,
    GETNEXT EVENT, GETNEXT PROCESS, GETNEXT TIMER, HANDLE AID, INQUIRE ACTIVITYID, INQUIRE CONTAINER, INQUIRE EVENT,
    INVOKE APPLICATION, ISSUE ABEND, ISSUE CONFIRMATION, ISSUE DISCONNECT, ISSUE ERASE, ISSUE PASS, ISSUE PRINT,
    ISSUE SIGNAL, LINK ACQPROCESS, LINK ACTIVITY, MONITOR POINT, POINT, POST, PURGE MESSAGE, PUT64 CONTAINER,
    RECEIVE, RECEIVE MAP, RECEIVE PARTN, REMOVE SUBEVENT, REQUEST PASSTICKET,
    REQUEST ENCRYPTPTKT, RESET ACQPROCESS, RESET ACTIVITY, RESUME ACQACTIVITY, RETRIEVE REATTACH, RETRIEVE SUBEVENT, ROUTE,
    RUN ACQACTIVITY, RUN ACTIVITY, SEND, SEND CONTROL, SEND MAP, SEND PAGE, SEND PARTNSET, SEND TEXT, SIGNOFF,
    SIGNON, START ATTACH, START BREXIT, STARTBROWSE ACTIVITY,
    STARTBROWSE EVENT, STARTBROWSE PROCESS, STARTBROWSE TIMER, TEST EVENT, TRACE ON, UPDATE DOCUMENT,
    VERIFY PASSWORD, VERIFY PHRASE, VERIFY TOKEN, WAIT CONVID, WAIT EVENT, WAIT EXTERNAL, WAIT SIGNAL,
    WAIT TERMINAL, WAITCICS, WEB FROBNICATE,
    WSACONTEXT BUILD, WSACONTEXT DELETE, WSACONTEXT GET, WSAEPR CREATE,
    ACQUIRE TERMINAL, COLLECT STATISTICS, CREATE PROGRAM, CSD ADD, CSD INSTALL, DISABLE PROGRAM, DISCARD FILE,
    ENABLE PROGRAM, EXTRACT EXIT, EXTRACT STATISTICS, FEPI ALLOCATE, INQUIRE CONNECTION, INQUIRE SYSTEM,
    PERFORM SHUTDOWN, PERFORM STATISTICS, RESYNC, SET URIMAP, SET PROGRAM, SET TERMINAL";

#[test]
fn every_command_of_cics_is_known() {
    for command in OTHER_COMMANDS.split(',').map(str::trim) {
        let findings = alone(&around(&format!("EXEC CICS {command} END-EXEC."))).expect_err(command);
        let known = ["20:22 EXC004", "20:22 EXC005"].contains(&places(&findings).as_str());
        assert!(known, "{command}: {}", shown(&findings));
    }
}

#[test]
fn xml_parse() {
    for (statement, column) in [
        ("XML PARSE X.", 12),
        ("XML PARSE PROCESSING PROCEDURE L2.", 12),
        ("XML PARSE X PROCESSING L2.", 12),
        ("XML PARSE X PROCESSING PROCEDURE.", 12),
        ("XML PARSE X PROCESSING PROCEDURE L2 THRU.", 12),
        ("XML PARSE X VALIDATING WITH G PROCESSING PROCEDURE L2.", 24),
        ("XML PARSE X WITH ENCODING 37 RETURNING NATIONAL VALIDATING FILE G PROCESSING PROCEDURE L2.", 60),
    ] {
        refuse(statement, &format!("20:{column} EXC025"));
    }
    accept("XML PARSE X WITH ENCODING 37 RETURNING NATIONAL PROCESSING PROCEDURE IS L2 THROUGH L2.");
}

#[test]
fn facilities_that_no_region_has_are_warnings() {
    for (command, raises) in [
        ("SPOOLOPEN OUTPUT TOKEN(X) NODE('LOCAL') USERID('INTRDR')", "SPOOLOPEN raises NOSPOOL"),
        ("WRITE JOURNALNAME('J') JTYPEID('AU') FROM(X)", "WRITE JOURNALNAME raises JIDERR"),
        ("JOURNAL JFILEID(3) JTYPEID('AU') FROM(X) LENGTH(H) STARTIO WAIT", "JOURNAL raises JIDERR"),
        ("WAIT JOURNAL JFILEID(3) REQID(N)", "WAIT JOURNAL raises JIDERR"),
        ("LOAD PROGRAM('TABLE') SET(P)", "LOAD PROGRAM raises PGMIDERR"),
    ] {
        let translated = alone(&around(&format!("EXEC CICS {command} END-EXEC."))).expect(command);
        assert_eq!(places(&translated.warnings), "20:22 EXC028", "{command}");
        let message = &translated.warnings[0].message;
        assert!(message.starts_with(raises), "{message}");
    }
    let translated = alone(&around("EXEC CICS ADDRESS EIB(P) CWA(P) END-EXEC.")).expect("a warning");
    assert_eq!(places(&translated.warnings), "20:37 EXC028");
    assert!(translated.text.contains("CALL \"gantry_exec\""), "the command stays");
    assert!(translated.warnings[0].message.starts_with("ADDRESS CWA gives X'FF000000'"));
    accept("EXEC CICS ADDRESS EIB(P) TWA(P) END-EXEC.");
    accept("EXEC CICS DUMP TRANSACTION DUMPCODE('D') FROM(X) LENGTH(H) COMPLETE END-EXEC.");
    accept("EXEC CICS SIGNAL EVENT('SOLD') FROM(X) END-EXEC.");
}

#[test]
fn items_of_four_bytes_over_an_address_are_warned_of() {
    let with = |data: &str| {
        let program = around("CONTINUE.").replacen(
            "       LINKAGE SECTION.",
            &format!("{data}       LINKAGE SECTION."),
            1,
        );
        let translated = alone(&program).expect("only warnings");
        translated.warnings.iter().map(|warning| warning.code.to_owned()).collect::<Vec<_>>()
    };
    for (first, second) in [
        ("POINTER", "PIC S9(08) COMP"),
        ("USAGE IS POINTER", "PICTURE 9(9) BINARY"),
        ("POINTER", "PIC X(4)"),
        ("POINTER", "PIC XXXX"),
        ("PIC S9(8) COMP-5", "USAGE POINTER"),
    ] {
        let data = |name: &str| {
            format!(
                "       01  AREA-1.\n           05  ONE {first}.\n           05  {name} REDEFINES ONE\n               {second}.\n"
            )
        };
        assert_eq!(with(&data("TWO")), ["EXC029"], "{first} {second}");
        assert_eq!(with(&data("FILLER")), ["EXC029"], "{first} {second}");
        assert_eq!(with(&data("")), ["EXC029"], "{first} {second}");
    }
    for (first, second) in [
        ("POINTER", "PIC S9(18) COMP"),
        ("POINTER", "PIC X(8)"),
        ("POINTER", "POINTER"),
        ("PIC X(4)", "PIC S9(8) COMP"),
        ("PIC S9(8)", "POINTER"),
    ] {
        let data = format!(
            "       01  AREA-1.\n           05  ONE {first}.\n           05  TWO REDEFINES ONE {second}.\n"
        );
        assert!(with(&data).is_empty(), "{first} {second}");
    }
}
