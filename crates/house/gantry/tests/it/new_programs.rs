//! Tests of `gantry new` with programs as public applications have them.

use crate::folder::Folder;
use crate::new::{made, new};
use crate::process::Gantry;

/// A program with these entries of its WORKING-STORAGE SECTION, commarea and statements.
fn program((storage, commarea): (&str, &str), code: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
{storage}       LINKAGE SECTION.
       01  DFHCOMMAREA.
{commarea}       PROCEDURE DIVISION.
{code}           EXEC CICS RETURN END-EXEC.
"
    )
}

const BYTES: &str = "           05  LK-AREA PIC X(1) OCCURS 1 TO 32767 TIMES
               DEPENDING ON EIBCALEN.
";
const HEAD: &str = "       01  TALK-AREA.\n           05  TALK-FROM PIC X(4).\n";
const FIELDS: &str = "           05  NUMBER-OF PIC 9(4).\n           05  NOTE-TEXT PIC X(4).\n";

#[track_caller]
fn answers(folder: &std::path::Path, (sent, expected): (&str, &str)) {
    let answer = Gantry::folder(folder).send("POST", "/shop/", "content-type: application/json\r\n", sent);
    answer.is_json(200, expected);
}

#[test]
fn a_member_may_have_the_first_part_of_a_record() {
    let more = "           05  TALK-MORE.\n               10  TALK-PAGE PIC 9(3).\n";
    let code = "           MOVE DFHCOMMAREA(1:EIBCALEN) TO TALK-AREA.
           ADD 1 TO TALK-PAGE.
           MOVE TALK-AREA TO DFHCOMMAREA(1:EIBCALEN).
";
    let last = "           COPY OTHER.\n       77  WS-LAST PIC X.\n";
    for storage in [
        format!("       COPY TALK.\n{more}      * The other one.\n{last}"),
        format!("       COPY TALK.\n       COPY MORE.\n{last}"),
    ] {
        let from = Folder::empty()
            .with("TAKER.cbl", &program((&storage, BYTES), code))
            .with("TALK.cpy", HEAD)
            .with("MORE.cpy", more)
            .with("OTHER.cpy", "       01  OTHER-AREA PIC X.\n");
        let folder = made(&from, &["--program", "@TAKER.cbl"]);
        let sent = r#"{"talk_from":"MENU","talk_more":{"talk_page":41}}"#;
        answers(&folder, (sent, &sent.replace("41", "42")));
        assert!(!folder.join("copybooks/TAKER-DFHCOMMAREA.cpy").exists());
    }
}

#[test]
fn a_redefinition_may_be_longer_than_its_item() {
    let storage = "       01  MENU-AREA.
           05  MENU-DATA.
               10  FILLER PIC X(4) VALUE 'ADD '.
               10  FILLER PIC X(4) VALUE 'LIST'.
           05  MENU-ITEMS REDEFINES MENU-DATA.
               10  MENU-ITEM PIC X(4) OCCURS 4 TIMES.
           05  MENU-END PIC X(4) VALUE 'LAST'.
";
    let code = "           MOVE MENU-ITEM(NUMBER-OF) TO NOTE-TEXT.
           IF NUMBER-OF = 3 MOVE MENU-END TO NOTE-TEXT.
           COMPUTE NUMBER-OF = LENGTH OF MENU-AREA.
";
    let from = Folder::empty().with("TAKER.cbl", &program((storage, FIELDS), code));
    let folder = made(&from, &["--program", "@TAKER.cbl"]);
    answers(&folder, (r#"{"number_of":2,"note_text":""}"#, r#"{"number_of":20,"note_text":"LIST"}"#));
    answers(&folder, (r#"{"number_of":3,"note_text":""}"#, r#"{"number_of":20,"note_text":"LAST"}"#));
}

#[test]
fn a_folder_of_copybooks_may_be_below_another() {
    let storage = "       01  WS-AREA.\n           COPY FIELDS.\n";
    let code = "           MOVE 'HERE' TO NOTE-TEXT OF DFHCOMMAREA.\n";
    let from = Folder::empty()
        .with("app/TAKER.cbl", &program((storage, FIELDS), code))
        .with("app/more parts/FIELDS.cpy", FIELDS);
    let arguments = ["--program", "@app/TAKER.cbl", "--copybooks", "@app", "--copybooks", "@app/more parts"];
    let folder = made(&from, &arguments);
    assert!(folder.join("copybooks/FIELDS.cpy").exists());
    answers(&folder, (r#"{"number_of":2,"note_text":""}"#, r#"{"number_of":2,"note_text":"HERE"}"#));
}

#[test]
fn a_file_has_one_definition_whatever_the_case_of_its_name() {
    let code = "           EXEC CICS READ FILE('notes') INTO(WS-NOTE) RIDFLD(NUMBER-OF)
               NOHANDLE END-EXEC.
           EXEC CICS WRITE FILE('NOTES') FROM(WS-NOTE) RIDFLD(NUMBER-OF)
               NOHANDLE END-EXEC.
";
    let storage = "       01  WS-NOTE.\n           05  WS-KEY PIC 9(4).\n           05  WS-TEXT PIC X(9).\n";
    let from = Folder::empty().with("TAKER.cbl", &program((storage, FIELDS), code));
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--program", "@TAKER.cbl"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let settings = std::fs::read_to_string(from.path().join("made/gantry.toml")).expect("settings");
    assert_eq!(settings.matches("[[region.file]]").count(), 1, "{settings}");
}

#[test]
fn a_file_whose_name_is_no_program_is_told_with_what_to_do() {
    let from = Folder::empty().with("swiftcodes.cbl", &program(("", FIELDS), ""));
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--program", "@swiftcodes.cbl"]);
    let reason = "swiftcodes.cbl: the name of the file is that of the program, and has 1 to 8 letters, digits, @, # and $: \
                  rename the file";
    assert!(code == Some(1) && errors.contains(reason), "{errors}");
}

#[test]
fn files_without_an_ending_are_programs_too() {
    let code =
        "           EXEC CICS LINK PROGRAM('TELLER') COMMAREA(DFHCOMMAREA)\n                END-EXEC.\n";
    let teller = program(("", FIELDS), "           MOVE 'TOLD' TO NOTE-TEXT.\n").replace("TAKER", "TELLER");
    let from = Folder::empty().with("TAKER", &program(("", FIELDS), code)).with("TELLER", &teller);
    let folder = made(&from, &["--program", "@TAKER"]);
    answers(&folder, (r#"{"number_of":2,"note_text":""}"#, r#"{"number_of":2,"note_text":"TOLD"}"#));
    let text =
        Folder::empty().with("taker.txt", &program(("", FIELDS), "           MOVE 'TEXT' TO NOTE-TEXT.\n"));
    let folder = made(&text, &["--program", "@taker.txt"]);
    answers(&folder, (r#"{"number_of":2,"note_text":""}"#, r#"{"number_of":2,"note_text":"TEXT"}"#));
}

#[test]
fn a_commarea_of_any_length_needs_the_name_of_its_record() {
    let code = "           IF EIBCALEN = 0\n               EXEC CICS ABEND ABCODE('NONE') END-EXEC.\n";
    let from = Folder::empty().with("TAKER.cbl", &program(("", BYTES), code));
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--program", "@TAKER.cbl"]);
    let reason = "DFHCOMMAREA has no fields, and the program does not tell which record it is: say --record RECORD or --copybook FILE";
    assert!(code == Some(1) && errors.contains(reason), "{errors}");
}

#[test]
fn a_copybook_is_no_program() {
    let from = Folder::empty().with("NOTE.cpy", &format!("       01  NOTE.\n{FIELDS}"));
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--program", "@NOTE.cpy"]);
    let reason = "NOTE.cpy: expected a program, found no PROGRAM-ID; --copybook FILE takes a copybook";
    assert!(code == Some(1) && errors.contains(reason), "{errors}");
}

/// The storage of a program that puts its note on a queue.
const QUEUE_STORAGE: &str = "       01  CONSTANTS.
           COPY CMQV.
       01  OBJECT-DESCRIPTOR.
           COPY CMQODV.
       01  MESSAGE-DESCRIPTOR.
           COPY CMQMDV.
       01  PUT-OPTIONS.
           COPY CMQPMOV.
       01  WS-QUEUE            PIC X(48).
       01  HCONN               PIC S9(9) BINARY VALUE 0.
       01  BUFFER-LENGTH       PIC S9(9) BINARY VALUE 4.
       01  COMPLETION-CODE     PIC S9(9) BINARY.
       01  REASON-CODE         PIC S9(9) BINARY.
";
const QUEUE_CODE: &str = "           MOVE 'SHOP.NOTES' TO WS-QUEUE
           MOVE WS-QUEUE TO MQOD-OBJECTNAME
           CALL 'MQPUT1' USING HCONN OBJECT-DESCRIPTOR
               MESSAGE-DESCRIPTOR PUT-OPTIONS BUFFER-LENGTH NOTE-TEXT
               COMPLETION-CODE REASON-CODE
           MOVE REASON-CODE TO NUMBER-OF.
";

#[test]
fn a_program_that_puts_messages_gets_a_queue_manager() {
    let from = Folder::empty().with("TAKER.cbl", &program((QUEUE_STORAGE, FIELDS), QUEUE_CODE));
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--program", "@TAKER.cbl"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    answers(
        &from.path().join("made"),
        (r#"{"number_of":2,"note_text":"NOTE"}"#, r#"{"number_of":0,"note_text":"NOTE"}"#),
    );
}

#[test]
fn a_program_that_a_trigger_starts_gets_a_queue_with_a_trigger() {
    let quote = include_str!("../../../../../examples/queues/with-cobol/programs/QUOTE.cbl");
    let record = include_str!("../../../../../examples/queues/with-cobol/copybooks/QUOTEREC.cpy");
    let from = Folder::empty().with("QUOTE.cbl", quote).with("QUOTEREC.cpy", record);
    let (code, told, errors) = new(&from, &["quotes", "--into", "@made", "--program", "@QUOTE.cbl"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let lack = "the program also needs:\n  the names of the queue and the transaction that start it: correct QUOTES.REQUEST and QUOT in gantry.toml";
    assert!(told.contains(lack) && told.contains("queue put QUOTES.REQUEST TEXT"), "{told}");
}

#[test]
fn a_program_that_a_start_gives_data_tells_so() {
    let code = "           EXEC CICS RETRIEVE INTO(NOTE-TEXT) NOHANDLE END-EXEC.\n";
    let from = Folder::empty().with("TAKER.cbl", &program(("", FIELDS), code));
    let (code, told, errors) = new(&from, &["shop", "--into", "@made", "--program", "@TAKER.cbl"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(told.contains("  a START, whose data RETRIEVE takes: add [[region.transaction]]"), "{told}");
}

#[test]
fn a_missing_member_is_told_once_and_without_consequences() {
    let storage = "       COPY NOWHERE.\n       01  TALK-AREA.\n           05  TALK-FROM PIC X(4).\n";
    let code = "           MOVE DFHCOMMAREA TO TALK-AREA.\n           MOVE TALK-AREA TO DFHCOMMAREA.\n";
    let commarea = "           05  LK-AREA PIC X(4).\n";
    let from = Folder::empty().with("TAKER.cbl", &program((storage, commarea), code));
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--program", "@TAKER.cbl"]);
    assert!(code == Some(1) && errors.contains("--copybooks FOLDER says where members lie"), "{errors}");
    assert_eq!((errors.matches("CPY026").count(), errors.matches("CPY031").count()), (1, 0), "{errors}");
}
