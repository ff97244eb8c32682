//! Tests INQUIRE TRANSACTION, FILE and TASK, and SET FILE in programs. These tests need GnuCOBOL 3.

use crate::client::Client;
use crate::folder::Folder;
use crate::process::{Gantry, request, run, text};

const SERVICE: &str = r#"
ccsid = 819
[provider]
kind = "program"
program = "LOOKS"
[request]
copybook = "LOOKS.cpy"
wrapper = ""
[response]
copybook = "LOOKS.cpy"
wrapper = ""
"#;

const HEAD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. LOOKS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NAME         PIC X(8).
       01  WS-TRAN         PIC X(4).
       01  WS-PGM          PIC X(8).
       01  WS-USER         PIC X(8).
       01  WS-CODE         PIC XX.
       01  WS-ROW          PIC X(16).
       01  WS-KEY          PIC X(4) VALUE 'A001'.
       01  WS-ONE          PIC S9(8) COMP.
       01  WS-TWO          PIC S9(8) COMP.
       01  WS-RESP         PIC S9(8) COMP.
       01  WS-RESP2        PIC S9(8) COMP.
       01  WS-NUMBER       PIC S9(7) COMP-3.
       01  N1              PIC 9(4).
       01  N2              PIC 9(4).
       01  ANY-LEFT        PIC X VALUE 'Y'.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY LOOKS.
       PROCEDURE DIVISION.
       MAIN-LINE.
";

const TAIL: &str = "           EXEC CICS RETURN END-EXEC
           GOBACK.
       READ-IT.
           EXEC CICS READ FILE('ROWS') INTO(WS-ROW) RIDFLD(WS-KEY)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC.
       STATE-OF-IT.
           EXEC CICS INQUIRE FILE('ROWS') OPENSTATUS(WS-ONE)
               ENABLESTATUS(WS-TWO) END-EXEC
           EVALUATE WS-ONE
               WHEN DFHVALUE(OPEN)   MOVE 'OPEN' TO WS-NAME
               WHEN DFHVALUE(CLOSED) MOVE 'CLOSED' TO WS-NAME
               WHEN OTHER            MOVE '?' TO WS-NAME
           END-EVALUATE
           EVALUATE WS-TWO
               WHEN DFHVALUE(ENABLED)   MOVE 'ENABLED' TO WS-PGM
               WHEN DFHVALUE(DISABLED)  MOVE 'DISABLED' TO WS-PGM
               WHEN DFHVALUE(UNENABLED) MOVE 'UNENABLE' TO WS-PGM
               WHEN OTHER               MOVE '?' TO WS-PGM
           END-EVALUATE
           DISPLAY '= ' WS-NAME ' ' WS-PGM.
       SHOW.
           MOVE WS-RESP TO N1
           MOVE WS-RESP2 TO N2
           DISPLAY '= ' N1 ' ' N2.
";

const GANTRY: &str = "workers = 2
start_users = []
[[region.transaction]]
name = 'SOON'
program = 'LOOKS'
[[region.transaction]]
name = 'IDLE'
program = 'LOOKS'
enabled = false
[[region.transaction]]
name = 'PAYR'
program = 'LOOKS'
users = ['maude']
[[region.file]]
name = 'ROWS'
organization = 'ksds'
record_bytes = 16
key_bytes = 4
allow = ['read', 'browse']
load = 'rows.txt'
load_format = 'lines'
[[region.file]]
name = 'LOGS'
organization = 'esds'
record_bytes = 80
status = 'disabled'
";

fn folder(body: &str) -> Folder {
    let folder = Folder::empty();
    let place = text(folder.path()).to_owned();
    let ends = "[[listener]]\naddress = '127.0.0.1:0'\n[admin]\naddress = '127.0.0.1:0'\n";
    let store = "[store]\npath = '.state/store'\n";
    folder
        .with("programs/LOOKS.cbl", &format!("{HEAD}{body}{TAIL}"))
        .with("copybooks/LOOKS.cpy", "           05  LO-ACT      PIC X(8).\n")
        .with("services/looks.toml", SERVICE)
        .with("rows.txt", "B001one\n")
        .with("gantry.toml", &format!("{ends}{store}[region]\ncache = '{place}/.cache'\n{GANTRY}"))
}

/// The lines that a program with these statements displays.
fn displayed(body: &str) -> Vec<String> {
    let folder = folder(body);
    let called = run(&["call", "looks", "--in", text(folder.path())]);
    let told = String::from_utf8_lossy(&called.stderr).into_owned();
    assert!(called.status.success(), "{told}");
    // The log names the program behind the line.
    let shown = |line: &str| {
        let (_, shown) = line.split_once("= ")?;
        Some(shown.split(" program=").next()?.trim_end().to_owned())
    };
    told.lines().filter_map(shown).collect()
}

#[test]
fn transactions_are_inquired_and_browsed() {
    let shown = displayed(
        "           EXEC CICS INQUIRE TRANSACTION('SOON') PROGRAM(WS-PGM)
               STATUS(WS-ONE) TRANCLASS(WS-NAME) CHANGEUSRID(WS-USER)
               REMOTESYSTEM(WS-TRAN) END-EXEC
           IF WS-ONE = DFHVALUE(ENABLED) AND WS-TRAN = SPACES
               DISPLAY '= ' WS-PGM ' ' WS-NAME ' ' WS-USER
           END-IF
           EXEC CICS INQUIRE TRANSACTION('IDLE') STATUS(WS-ONE)
               END-EXEC
           IF WS-ONE = DFHVALUE(DISABLED)
               DISPLAY '= IDLE'
           END-IF
           EXEC CICS INQUIRE TRANSACTION('NONE') PROGRAM(WS-PGM)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE TRANSACTION('PAYR') PROGRAM(WS-PGM)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE TRANSACTION(WS-TRAN) NEXT
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE TRANSACTION START END-EXEC
           EXEC CICS INQUIRE TRANSACTION START
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           PERFORM UNTIL ANY-LEFT = 'N'
               EXEC CICS INQUIRE TRANSACTION(WS-TRAN) NEXT
                   PROGRAM(WS-PGM) RESP(WS-RESP) RESP2(WS-RESP2)
                   END-EXEC
               IF WS-RESP = DFHRESP(NORMAL)
                   DISPLAY '= ' WS-TRAN ' ' WS-PGM
               ELSE
                   MOVE 'N' TO ANY-LEFT
                   PERFORM SHOW
               END-IF
           END-PERFORM
           EXEC CICS INQUIRE TRANSACTION END END-EXEC
           EXEC CICS INQUIRE TRANSACTION END
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE TRANSACTION START AT('J') END-EXEC
           EXEC CICS INQUIRE TRANSACTION(WS-TRAN) NEXT END-EXEC
           DISPLAY '= ' WS-TRAN
",
    );
    let expected = [
        "LOOKS    DFHTCL00 GANTRY",
        "IDLE",
        "0028 0001",
        "0070 0101",
        "0021 0001",
        "0021 0001",
        "IDLE LOOKS",
        "SOON LOOKS",
        "0083 0002",
        "0021 0001",
        "SOON",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn programs_are_inquired_and_browsed() {
    let shown = displayed(
        "           EXEC CICS INQUIRE PROGRAM('LOOKS') STATUS(WS-ONE)
               PROGTYPE(WS-TWO) LENGTH(WS-RESP) USECOUNT(WS-RESP2)
               INSTALLUSRID(WS-USER) REMOTESYSTEM(WS-TRAN) END-EXEC
           IF WS-ONE = DFHVALUE(ENABLED) AND WS-TRAN = SPACES
               AND WS-TWO = DFHVALUE(PROGRAM) AND WS-RESP > 1000
               MOVE WS-RESP2 TO N1
               DISPLAY '= ' WS-USER ' ' N1
           END-IF
           EXEC CICS INQUIRE PROGRAM('NONE')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE PROGRAM START AT('L') END-EXEC
           EXEC CICS INQUIRE PROGRAM(WS-PGM) NEXT LANGUAGE(WS-ONE)
               END-EXEC
           IF WS-ONE = DFHVALUE(COBOL)
               DISPLAY '= ' WS-PGM
           END-IF
           EXEC CICS INQUIRE PROGRAM(WS-PGM) NEXT
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE PROGRAM END END-EXEC
",
    );
    assert_eq!(shown, ["GANTRY   0001", "0027 0001", "LOOKS", "0083 0002"]);
}

/// The lines that the program of the next test displays.
const FILES: [&str; 16] = [
    "OPEN     ENABLED",
    "0019 0060",
    "CLOSED   UNENABLE",
    "0013 0080",
    "OPEN     DISABLED",
    "0084 0050",
    "CLOSED   ENABLED",
    "0013 0080",
    "OPEN     ENABLED",
    "0012 0018",
    "0016 0000",
    "0012 0001",
    "LOGS",
    "ROWS     0004 0016",
    "0083 0002",
    "ONLY READ",
];

#[test]
fn files_are_inquired_browsed_closed_and_disabled() {
    let shown = displayed(
        "           PERFORM STATE-OF-IT
           EXEC CICS SET FILE('ROWS') CLOSED END-EXEC
           PERFORM READ-IT
           PERFORM SHOW
           PERFORM STATE-OF-IT
           EXEC CICS SET FILE('ROWS') OPEN END-EXEC
           PERFORM READ-IT
           PERFORM SHOW
           EXEC CICS SET FILE('ROWS')
               ENABLESTATUS(DFHVALUE(DISABLED)) END-EXEC
           PERFORM STATE-OF-IT
           PERFORM READ-IT
           PERFORM SHOW
           EXEC CICS SET FILE('ROWS') CLOSED ENABLED END-EXEC
           PERFORM STATE-OF-IT
           PERFORM READ-IT
           PERFORM SHOW
           PERFORM STATE-OF-IT
           EXEC CICS SET FILE('NONE') OPEN
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS SET FILE('ROWS') OPENSTATUS(DFHVALUE(ENABLED))
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE FILE('NONE')
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE FILE START END-EXEC
           EXEC CICS INQUIRE FILE(WS-NAME) NEXT TYPE(WS-ONE)
               ENABLESTATUS(WS-TWO) END-EXEC
           IF WS-ONE = DFHVALUE(ESDS) AND WS-TWO = DFHVALUE(DISABLED)
               DISPLAY '= ' WS-NAME
           END-IF
           EXEC CICS INQUIRE FILE(WS-NAME) NEXT KEYLENGTH(WS-ONE)
               RECORDSIZE(WS-TWO) END-EXEC
           MOVE WS-ONE TO N1
           MOVE WS-TWO TO N2
           DISPLAY '= ' WS-NAME ' ' N1 ' ' N2
           EXEC CICS INQUIRE FILE(WS-NAME) NEXT
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS INQUIRE FILE END END-EXEC
           EXEC CICS INQUIRE FILE('ROWS') READ(WS-ONE) ADD(WS-TWO)
               END-EXEC
           IF WS-ONE = DFHVALUE(READABLE)
               AND WS-TWO = DFHVALUE(NOTADDABLE)
               DISPLAY '= ONLY READ'
           END-IF
",
    );
    assert_eq!(shown, FILES);
}

#[test]
fn a_task_with_a_browse_goes_on_in_a_closed_file() {
    let shown = displayed(
        "           EXEC CICS STARTBR FILE('ROWS') RIDFLD(WS-KEY) GTEQ
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS SET FILE('ROWS') CLOSED END-EXEC
           EXEC CICS READNEXT FILE('ROWS') INTO(WS-ROW)
               RIDFLD(WS-KEY) RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
           EXEC CICS ENDBR FILE('ROWS') RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           PERFORM SHOW
           PERFORM READ-IT
           PERFORM SHOW
",
    );
    assert_eq!(shown, ["0000 0000", "0000 0000", "0000 0000", "0019 0060"]);
}

#[test]
fn tasks_are_inquired_by_their_numbers() {
    let shown = displayed(
        "           EXEC CICS INQUIRE TASK(EIBTASKN) TRANSACTION(WS-TRAN)
               PROGRAM(WS-PGM) USERID(WS-USER) STARTCODE(WS-CODE)
               RUNSTATUS(WS-ONE) END-EXEC
           IF WS-TRAN = EIBTRNID AND WS-ONE = DFHVALUE(RUNNING)
               DISPLAY '= ' WS-PGM ' ' WS-USER ' ' WS-CODE
           END-IF
           MOVE 9999999 TO WS-NUMBER
           EXEC CICS INQUIRE TASK(WS-NUMBER) TRANSACTION(WS-TRAN)
               RESP(WS-RESP) RESP2(WS-RESP2) END-EXEC
           PERFORM SHOW
",
    );
    assert_eq!(shown, ["LOOKS    GANTRY   D", "0091 0001"]);
}

/// An API in front of a program that closes ROWS if the request says so, reads a record, and answers with RESP.
fn closing() -> Folder {
    let body = "           IF LO-ACT = 'CLOSE'
               EXEC CICS SET FILE('ROWS') CLOSED END-EXEC
           END-IF
           PERFORM READ-IT
           MOVE WS-RESP TO N1
           MOVE N1 TO LO-ACT
";
    let api = "base_path = \"/looks\"\n[[operation]]\nmethod = \"POST\"\npath = \"/\"\nservice = \"looks\"\n";
    folder(body).with("apis/looks/api.toml", api)
}

fn act(gantry: &Gantry, what: &str) -> String {
    let body = format!("{{\"lo_act\":\"{what}\"}}");
    gantry.send("POST", "/looks", "content-type: application/json\r\n", &body).text().to_owned()
}

#[test]
fn a_closed_file_is_closed_for_all_tasks_and_operators_see_it() {
    let folder = closing();
    let gantry = Gantry::folder(folder.path());
    let act = |what: &str| act(&gantry, what);
    assert!(act("READ").contains("0013"), "NOTFND");
    assert!(act("CLOSE").contains("0019"), "NOTOPEN");
    assert!(act("READ").contains("0019"), "for other tasks, too");
    let admin = gantry.admin.to_string();
    let listed = run(&["region", "files", "--admin", &format!("http://{admin}"), "--json"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("unenabled"), "{listed}");
    let log = gantry.stop();
    assert!(log.contains("made it closed, unenabled"), "{log}");
}

#[test]
fn a_state_that_a_program_has_set_outlives_a_reload_that_is_refused() {
    let folder = closing().with("twice.txt", "A001one\nA001two\n");
    let configuration = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("it is there");
    let configuration = format!("{configuration}[server]\nreload_poll_ms = 0\n");
    let folder = folder.with("gantry.toml", &configuration);
    let gantry = Gantry::folder(folder.path());
    let act = |what: &str| act(&gantry, what);
    let reload = || {
        let asked = request("POST", "/configuration/reload", "", "");
        Client::connect(gantry.admin).ask(asked.as_bytes()).text().to_owned()
    };
    assert!(act("CLOSE").contains("0019"), "NOTOPEN");
    let disabled =
        configuration.replace("load_format = 'lines'", "load_format = 'lines'\nstatus = 'disabled'");
    let faulty = "[[region.file]]\nname = 'TWICE'\norganization = 'ksds'\nrecord_bytes = 16\nkey_bytes = 4\n\
                  load = 'twice.txt'\nload_format = 'lines'\n";
    let folder = folder.with("gantry.toml", &format!("{disabled}{faulty}"));
    let told = reload();
    assert!(told.contains("twice.txt: record 2"), "{told}");
    assert!(act("READ").contains("0019"), "still NOTOPEN");
    let _folder = folder.with("gantry.toml", &disabled);
    let told = reload();
    assert!(act("READ").contains("0084"), "DISABLED: {told}");
}
