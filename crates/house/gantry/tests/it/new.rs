//! Tests `gantry new`: it makes a folder of a copybook, and the folder serves unchanged.

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const ORDER: &str = "       01  ORDER-RECORD.
           05  ORDER-NUMBER        PIC 9(8).
           05  CUSTOMER-NAME       PIC X(30).
           COPY LINES.
";

const LINES: &str = "           05  LINE-COUNT          PIC 9(2).
           05  ORDER-LINE OCCURS 1 TO 20 TIMES DEPENDING ON LINE-COUNT.
               10  ARTICLE         PIC X(12).
";

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. TAKER.
       DATA DIVISION.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY NOTE.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
";

const NOTE: &str = "           05  NUMBER-OF   PIC 9(4).
               88  IS-FIRST            VALUE 7 THRU 99.
               88  IS-LAST             VALUE 9999.
           05  NOTE-TEXT   PIC X(20).
";

/// A program with a channel: it gets one container and puts another.
const CHANNELED: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PARCEL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LABEL.
           05  LABEL-TEXT  PIC X(20).
      * What callers send.
       01  WS-PARCEL.
           COPY NOTE.
       LINKAGE SECTION.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('PARCEL-IN') CHANNEL('POST')
                INTO(WS-PARCEL) END-EXEC.
           MOVE NOTE-TEXT TO LABEL-TEXT.
           EXEC CICS PUT CONTAINER('LABEL-OUT') CHANNEL('POST')
                FROM(WS-LABEL) END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// A program that gets a record and a text, and puts one of two records.
const SEVERAL: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. SEVERAL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NOTE         PIC X(12).
       01  WS-ITEM.
           05  IT-COUNT    PIC 9(3).
       01  WS-LABEL.
           05  LB-TEXT     PIC X(12).
       01  WS-FAULT.
           05  FA-CODE     PIC 9(2) VALUE 7.
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER('ITEM') INTO(WS-ITEM) END-EXEC.
           EXEC CICS GET CONTAINER('NOTE') INTO(WS-NOTE) END-EXEC.
           MOVE WS-NOTE TO LB-TEXT.
           IF IT-COUNT > 500
               EXEC CICS PUT CONTAINER('FAULT')
                    FROM(WS-FAULT) END-EXEC
           ELSE
               EXEC CICS PUT CONTAINER('LABEL')
                    FROM(WS-LABEL) END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
";

/// A program that keeps notes in a file and asks another program.
const KEEPER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. KEEPER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP         PIC S9(8) COMP.
       01  KEPT-NOTE.
           05  FILLER      PIC X(2).
           05  KEPT-NUMBER PIC 9(4).
           05  KEPT-TEXT   PIC X(20).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY NOTE.
       PROCEDURE DIVISION.
           MOVE NUMBER-OF TO KEPT-NUMBER.
           IF NOTE-TEXT = 'get'
               EXEC CICS READ FILE('NOTES') INTO(KEPT-NOTE)
                    RIDFLD(KEPT-NUMBER) RESP(WS-RESP) END-EXEC
               IF WS-RESP = DFHRESP(NORMAL)
                   MOVE KEPT-TEXT TO NOTE-TEXT
               ELSE
                   EXEC CICS LINK PROGRAM('TELLER')
                        COMMAREA(DFHCOMMAREA) END-EXEC
               END-IF
           ELSE
               MOVE NOTE-TEXT TO KEPT-TEXT
               EXEC CICS WRITE FILE('NOTES') FROM(KEPT-NOTE)
                    RIDFLD(KEPT-NUMBER) END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
";

/// Makes a folder with copybooks and programs, and without a configuration.
pub(crate) fn sources() -> Folder {
    Folder::empty()
        .with("ORDER.cpy", ORDER)
        .with("LINES.cpy", LINES)
        .with("NOTE.cpy", NOTE)
        .with("TAKER.cbl", PROGRAM)
        .with("PARCEL.cbl", CHANNELED)
        .with("SEVERAL.cbl", SEVERAL)
        .with("KEEPER.cbl", KEEPER)
        .with("NOTHING.cbl", "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. NOTHING.\n       PROCEDURE DIVISION.\n           EXEC CICS RETURN END-EXEC.\n")
        .with("TWO.cpy", "       01  FIRST-ONE.\n           05  A PIC X.\n       01  SECOND-ONE.\n           05  B PIC X.\n")
}

/// Runs the command in `from`; words with an @ are files there. Gives its exit code, standard
/// output and standard error.
pub(crate) fn new(from: &Folder, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut all = vec!["new".to_owned()];
    all.extend(arguments.iter().map(|argument| match argument.strip_prefix('@') {
        Some(file) => text(&from.path().join(file)).to_owned(),
        None => (*argument).to_owned(),
    }));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let output = run(&all);
    let utf8 = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), utf8(output.stdout), utf8(output.stderr))
}

/// Makes the folder `made`, and expects that `check` finds no fault and no warning.
#[track_caller]
pub(crate) fn made(from: &Folder, arguments: &[&str]) -> std::path::PathBuf {
    let mut all = vec!["shop", "--into", "@made"];
    all.extend(arguments);
    let (code, _, errors) = new(from, &all);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let folder = from.path().join("made");
    let output = run(&["check", text(&folder)]);
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    folder
}

/// Reads the method, the path and the body from requests.http.
fn request_to_try(folder: &std::path::Path) -> (String, String, String) {
    let text = std::fs::read_to_string(folder.join("requests.http")).expect("requests");
    let line = text.lines().nth(1).expect("a request");
    let (method, url) = line.split_once(' ').expect("a method and a URL");
    let path = url.strip_prefix("http://127.0.0.1:2222").expect("the address");
    let rest = text.split_once("\n\n").map(|(_, rest)| rest).unwrap_or_default();
    let body = rest.split("\n### ").next().unwrap_or_default();
    let body = if rest.starts_with("### ") { "" } else { body };
    (method.to_owned(), path.to_owned(), body.to_owned())
}

#[test]
fn a_copybook_becomes_an_api_that_answers_the_request_to_try() {
    let from = sources();
    let folder = made(&from, &["--copybook", "@ORDER.cpy", "--soap"]);
    let (method, path, body) = request_to_try(&folder);
    assert_eq!((method.as_str(), path.as_str()), ("POST", "/shop/"));
    let gantry = Gantry::folder(&folder);
    let answer = gantry.send("POST", &path, "content-type: application/json\r\n", &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(
        answer.text(),
        r#"{"order_number":1,"customer_name":"CUSTOMER","order_line":[{"article":"ARTICLE"}]}"#
    );
    let wsdl = gantry.get("/cics/services/shop?wsdl");
    assert_eq!(wsdl.status, 200);
    assert!(wsdl.text().contains("order_number"), "{}", wsdl.text());
    let requests = std::fs::read_to_string(folder.join("requests.http")).expect("requests");
    let message = requests.lines().find(|line| line.starts_with("<Envelope")).expect("a message");
    let answer = gantry.send("POST", "/cics/services/shop", "content-type: text/xml\r\n", message);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(
        answer.text().contains("<order_number>1</order_number><customer_name>CUSTOMER</customer_name><order_line><article>ARTICLE</article>"),
        "{}",
        answer.text()
    );
}

#[test]
fn a_key_is_in_the_path() {
    let from = sources();
    let folder = made(&from, &["--copybook", "@ORDER.cpy", "--key", "ORDER-NUMBER"]);
    let (method, path, body) = request_to_try(&folder);
    assert_eq!((method.as_str(), path.as_str()), ("PUT", "/shop/1"));
    let answer = Gantry::folder(&folder).put("/shop/4711", &body);
    assert!(answer.text().starts_with(r#"{"order_number":4711,"#), "{}", answer.text());
}

#[test]
fn a_small_request_with_a_key_is_a_get() {
    let from = sources();
    let folder = made(&from, &["--copybook", "@NOTE.cpy", "--key", "NUMBER-OF"]);
    let (method, path, body) = request_to_try(&folder);
    assert_eq!((method.as_str(), path.as_str(), body.as_str()), ("GET", "/shop/7", ""));
    let gantry = Gantry::folder(&folder);
    let answer = gantry.get("/shop/7?note_text=moon");
    assert_eq!(answer.text(), r#"{"number_of":7,"note_text":"moon"}"#);
    let slip = gantry.get("/shop/7?note_txt=moon");
    assert!(
        slip.text().contains("GTY0412W") && slip.text().contains("query parameter note_txt"),
        "{}",
        slip.text()
    );
}

#[test]
fn one_of_several_records_is_chosen_for_each_side() {
    let from = sources();
    let sides = ["--copybook", "@TWO.cpy", "--record", "FIRST-ONE", "--response-record", "SECOND-ONE"];
    let folder = made(&from, &sides);
    let service = std::fs::read_to_string(folder.join("services/shop.toml")).expect("a service");
    assert!(
        service.contains("record = \"FIRST-ONE\"") && service.contains("record = \"SECOND-ONE\""),
        "{service}"
    );
    let (_, path, body) = request_to_try(&folder);
    let answer = Gantry::folder(&folder).send("POST", &path, "content-type: application/json\r\n", &body);
    answer.is_json(200, r#"{"b":"A"}"#);
}

#[test]
fn other_backs_are_configured_without_warnings() {
    for (arguments, file) in [
        (["--queue", "ORDERS", "--soap", ""], "soap/shop-soap.toml"),
        (["--group", "CRYPSVR1", "--server", "127.0.0.1:15000"], "endpoints/CRYPSVR1.toml"),
        (["--http", "https://orders.example/v1", "--soap", ""], "connections/shop.toml"),
        (["--program", "@TAKER.cbl", "", ""], "programs/TAKER.cbl"),
    ] {
        let from = sources();
        let mut all = vec!["--copybook", "@NOTE.cpy"];
        all.extend(arguments.iter().filter(|argument| !argument.is_empty()));
        let folder = made(&from, &all);
        assert!(folder.join(file).is_file(), "{file}");
        assert!(folder.join("copybooks/NOTE.cpy").is_file());
    }
}

#[test]
fn the_commarea_of_a_program_needs_no_copybook() {
    let from = sources();
    let folder = made(&from, &["--program", "@TAKER.cbl"]);
    let copybook =
        std::fs::read_to_string(folder.join("copybooks/TAKER-DFHCOMMAREA.cpy")).expect("a copybook");
    assert_eq!(copybook, "       01  DFHCOMMAREA.\n           COPY NOTE.\n");
    let (method, path, body) = request_to_try(&folder);
    assert_eq!((method.as_str(), path.as_str()), ("POST", "/shop/"));
    assert_eq!(body.split_whitespace().collect::<String>(), r#"{"note_text":"NOTETEXT","number_of":7}"#);
    let gantry = Gantry::folder(&folder);
    let answer = gantry.send("POST", &path, "content-type: application/json\r\n", &body);
    answer.is_json(200, r#"{"number_of":7,"note_text":"NOTETEXT"}"#);
}

#[test]
fn a_program_need_not_be_utf_8() {
    // Windows wrote the comment of the program, and that of its member.
    let comment = b"      * G\xFCltig ab 1998\n";
    let from = sources();
    let program = [PROGRAM.as_bytes(), comment].concat();
    std::fs::write(from.path().join("TAKER.cbl"), &program).expect("a program");
    std::fs::write(from.path().join("NOTE.cpy"), [NOTE.as_bytes(), comment].concat()).expect("a member");
    let folder = made(&from, &["--program", "@TAKER.cbl"]);
    assert_eq!(std::fs::read(folder.join("programs/TAKER.cbl")).expect("the program"), program);
    let answer = Gantry::folder(&folder).send(
        "POST",
        "/shop/",
        "content-type: application/json\r\n",
        r#"{"number_of":7,"note_text":"x"}"#,
    );
    answer.is_json(200, r#"{"number_of":7,"note_text":"x"}"#);
}

#[test]
fn a_commarea_without_fields_has_those_of_the_record_that_it_is_moved_to() {
    let program = |commarea: &str| {
        format!(
            "       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-AREA.
           05  A-CODE  PIC 9(4).
           05  A-NAME  PIC X(6).
       LINKAGE SECTION.
{commarea}
       PROCEDURE DIVISION.
           MOVE DFHCOMMAREA TO WS-AREA.
           ADD 1 TO A-CODE.
           MOVE WS-AREA TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
"
        )
    };
    for commarea in [
        "       01  DFHCOMMAREA PIC X(10).",
        "       01  DFHCOMMAREA.\n           05  FILLER PIC X OCCURS 1 TO 90\n               DEPENDING ON EIBCALEN.",
    ] {
        let from = Folder::empty().with("MOVER.cbl", &program(commarea));
        let folder = made(&from, &["--program", "@MOVER.cbl"]);
        assert!(folder.join("copybooks/MOVER-WS-AREA.cpy").exists());
        let answer = Gantry::folder(&folder).send(
            "POST",
            "/shop/",
            "content-type: application/json\r\n",
            r#"{"a_code": 41, "a_name": "moon"}"#,
        );
        answer.is_json(200, r#"{"a_code":42,"a_name":"moon"}"#);
    }
    // The caller chooses: the commarea stays a text.
    let own = Folder::empty().with("MOVER.cbl", &program("       01  DFHCOMMAREA PIC X(12)."));
    let folder = made(&own, &["--program", "@MOVER.cbl", "--record", "DFHCOMMAREA"]);
    assert!(folder.join("copybooks/MOVER-DFHCOMMAREA.cpy").exists());
}

#[test]
fn a_record_may_be_longer_than_the_commarea_and_its_length_may_be_in_a_field() {
    let program = |commarea: &str, part: &str| {
        format!(
            "       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH PIC S9(4) COMP.
       01  WS-AREA.
           05  A-CODE  PIC 9(4).
           05  A-NAME  PIC X(6).
       LINKAGE SECTION.
{commarea}
       COPY ENTRY1.
           ADD 1 TO A-CODE.
           MOVE 'sunset' TO A-NAME.
           MOVE WS-AREA TO DFHCOMMAREA{part}.
           EXEC CICS RETURN END-EXEC.
"
        )
    };
    let request = r#"{"a_code": 41, "a_name": "moon"}"#;
    let check = |commarea: &str, part: &str, remark: &str, expected: &str| {
        // The first move stands in a member.
        let entry = format!(
            "       PROCEDURE DIVISION.\n           MOVE LENGTH OF WS-AREA TO WS-LENGTH.\n           MOVE DFHCOMMAREA{part} TO WS-AREA.\n"
        );
        let from = Folder::empty().with("MOVER.cbl", &program(commarea, part)).with("ENTRY1.cpy", &entry);
        let (code, _, error) = new(&from, &["shop", "--into", "@made", "--program", "@MOVER.cbl"]);
        assert_eq!((code, error.trim()), (Some(0), remark), "{commarea}");
        let folder = from.path().join("made");
        let answer =
            Gantry::folder(&folder).send("POST", "/shop/", "content-type: application/json\r\n", request);
        answer.is_json(200, expected);
    };
    let all = r#"{"a_code":42,"a_name":"sunset"}"#;
    let table = "       01  DFHCOMMAREA.\n           05  LK-AREA PIC X(1) OCCURS 1 TO 4096 TIMES\n               DEPENDING ON WS-LENGTH.";
    check(table, "", "", all);
    check(table, " (1 : WS-LENGTH)", "", all);
    check("       01  DFHCOMMAREA PIC X.", "(1:EIBCALEN)", "", all);
    let remark = "WS-AREA has 10 bytes, and DFHCOMMAREA 7: the program sees the first 7 bytes; behind them, the answer has the bytes of the request";
    // As on the mainframe, where a caller passes the whole record.
    check("       01  DFHCOMMAREA PIC X(7).", "", remark, r#"{"a_code":42,"a_name":"sunn"}"#);
}

#[test]
fn records_laid_over_the_commarea_are_request_and_response() {
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. LAID.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NAME PIC X(6).
       LINKAGE SECTION.
       01  LK-REQUEST.
           05  R-NAME  PIC X(6).
       01  LK-REPLY.
           05  A-CODE  PIC 9(4).
           05  A-NAME  PIC X(6).
       PROCEDURE DIVISION.
           SET ADDRESS OF LK-REQUEST TO ADDRESS OF DFHCOMMAREA.
           MOVE R-NAME TO WS-NAME.
           SET ADDRESS OF LK-REPLY TO ADDRESS OF DFHCOMMAREA.
           MOVE 7 TO A-CODE.
           MOVE WS-NAME TO A-NAME.
           EXEC CICS RETURN END-EXEC.
";
    let from = Folder::empty().with("LAID.cbl", program);
    let folder = made(&from, &["--program", "@LAID.cbl"]);
    let answer = Gantry::folder(&folder).send(
        "POST",
        "/shop/",
        "content-type: application/json\r\n",
        r#"{"r_name":"moon"}"#,
    );
    answer.is_json(200, r#"{"a_code":7,"a_name":"moon"}"#);
}

#[test]
fn a_commarea_without_fields_whose_record_nobody_tells_is_refused() {
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. MOVER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-LENGTH PIC S9(4) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  LK-AREA PIC X(1) OCCURS 1 TO 4096 TIMES DEPENDING ON
               WS-LENGTH.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
";
    let from = Folder::empty().with("MOVER.cbl", program);
    let (code, _, error) = new(&from, &["shop", "--into", "@made", "--program", "@MOVER.cbl"]);
    let reason = "DFHCOMMAREA has no fields, and the program does not tell which record it is: say --record RECORD or --copybook FILE";
    assert!(code == Some(1) && error.contains(reason), "{error}");
}

#[test]
fn a_record_may_come_from_a_member_in_any_section() {
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PARTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
      * The part of a stock.
           COPY PART REPLACING STOCK-PART
                BY WS-PART.
       77  WS-OTHER  PIC X.
       LINKAGE SECTION.
       01  DFHCOMMAREA PIC X(9).
       PROCEDURE DIVISION.
           MOVE DFHCOMMAREA TO WS-PART.
           ADD 1 TO PART-COUNT OF WS-PART.
           MOVE WS-PART TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
";
    let part = "       01  STOCK-PART.\n           05  PART-NAME  PIC X(6).\n           05  PART-COUNT PIC S9(5) COMP-3.\n";
    let from = Folder::empty().with("PARTS.cbl", program).with("PART.cpy", part);
    let folder = made(&from, &["--program", "@PARTS.cbl"]);
    let answer = Gantry::folder(&folder).send(
        "POST",
        "/shop/",
        "content-type: application/json\r\n",
        r#"{"part_name":"nut","part_count":7}"#,
    );
    answer.is_json(200, r#"{"part_name":"nut","part_count":8}"#);
}

#[test]
fn containers_may_have_fields_of_records_and_literals() {
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. FIELDS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ALL.
           05  WS-CHANNEL  PIC X(16).
           05  WS-ITEM.
               10  IT-COUNT    PIC 9(3).
               10  IT-NAME     PIC X(5).
           05  WS-NOTE         PIC X(12).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC.
           EXEC CICS GET CONTAINER('ITEM') CHANNEL(WS-CHANNEL)
                INTO(WS-ITEM) END-EXEC.
           MOVE IT-NAME TO WS-NOTE.
           EXEC CICS PUT CONTAINER('NOTE') CHANNEL(WS-CHANNEL)
                FROM(WS-NOTE) END-EXEC.
           EXEC CICS PUT CONTAINER('STATE') FROM('done') END-EXEC.
           EXEC CICS RETURN END-EXEC.
";
    let from = Folder::empty().with("FIELDS.cbl", program);
    let folder = made(&from, &["--program", "@FIELDS.cbl"]);
    let copybook = std::fs::read_to_string(folder.join("copybooks/FIELDS-WS-ITEM.cpy")).expect("a copybook");
    assert_eq!(
        copybook,
        "       01  WS-ITEM.\n               10  IT-COUNT    PIC 9(3).\n               10  IT-NAME     PIC X(5).\n"
    );
    let answer = Gantry::folder(&folder).send(
        "POST",
        "/shop",
        "content-type: application/json\r\n",
        r#"{"item":{"it_count":4,"it_name":"nail"}}"#,
    );
    answer.is_json(200, r#"{"note":"nail        ","state":"done"}"#);
    // A field in a table has no place of its own.
    let table = program.replace("05  WS-ITEM.", "05  WS-ITEM OCCURS 3 TIMES.");
    let from = Folder::empty().with("FIELDS.cbl", &table);
    let refused = run(&[
        "new",
        "shop",
        "--program",
        text(&from.path().join("FIELDS.cbl")),
        "--into",
        text(&from.path().join("shop")),
    ]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(
        !refused.status.success() && told.contains("has no 01 level WS-ITEM: say --copybook FILE"),
        "{told}"
    );
}

#[test]
fn names_may_have_their_values_in_members() {
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. NAMED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           COPY NAMES.
       01  WS-ROW.
           05  ROW-KEY   PIC X(4).
           05  ROW-TEXT  PIC X(6).
       PROCEDURE DIVISION.
           EXEC CICS GET CONTAINER(WS-ROW-CONTAINER) INTO(WS-ROW)
                END-EXEC.
           EXEC CICS WRITE FILE(WS-ROWS) FROM(WS-ROW)
                RIDFLD(ROW-KEY) END-EXEC.
           EXEC CICS PUT CONTAINER(WS-ROW-CONTAINER) FROM(WS-ROW)
                END-EXEC.
           EXEC CICS RETURN END-EXEC.
";
    let outer = "           COPY FILES.\n       01  WS-ROW-CONTAINER PIC X(16) VALUE 'ROW'.\n";
    let from = Folder::empty()
        .with("NAMED.cbl", program)
        .with("NAMES.cpy", outer)
        .with("FILES.cpy", "       01  WS-ROWS PIC X(8) VALUE 'ROWS'.\n");
    let folder = made(&from, &["--program", "@NAMED.cbl"]);
    let told = std::fs::read_to_string(folder.join("gantry.toml")).expect("gantry.toml");
    assert!(told.contains("name = \"ROWS\"") && told.contains("key_bytes = 4"), "{told}");
    let service = std::fs::read_to_string(folder.join("services/shop.toml")).expect("a service");
    assert!(service.contains("\"ROW\""), "{service}");
}

#[test]
fn copybooks_of_a_program_may_lie_in_a_folder_beside_its_own() {
    let from = Folder::empty().with("cobol/TAKER.cbl", PROGRAM).with("Copy/NOTE.cpy", NOTE);
    let folder = made(&from, &["--program", "@cobol/TAKER.cbl"]);
    assert_eq!(std::fs::read_to_string(folder.join("copybooks/NOTE.cpy")).expect("a member"), NOTE);
}

#[test]
fn sources_of_the_maps_of_programs_are_taken_along() {
    const MAPS: &str = "SCREENS  DFHMSD MODE=INOUT
SCREEN   DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGTH=8
         DFHMSD TYPE=FINAL
OTHERS   DFHMSD MODE=INOUT
OTHER    DFHMDI SIZE=(24,80)
TOWN     DFHMDF POS=(1,1),LENGTH=9
         DFHMSD TYPE=FINAL
";
    let with_maps = |name: &str, copied: &str, first: &str| {
        let section = format!("       WORKING-STORAGE SECTION.\n{copied}       LINKAGE SECTION.\n");
        let first = format!("       PROCEDURE DIVISION.\n{first}");
        PROGRAM
            .replace("TAKER", name)
            .replace("       LINKAGE SECTION.\n", &section)
            .replace("       PROCEDURE DIVISION.\n", &first)
    };
    let copied = "           COPY SCREENS.\n           COPY OTHERS.\n";
    let linking = "           MOVE NOTE-TEXT TO NAMEO TOWNO.
           EXEC CICS LINK PROGRAM('SHOWER') COMMAREA(DFHCOMMAREA)
                END-EXEC.\n";
    let from = Folder::empty()
        .with("TAKER.cbl", &with_maps("TAKER", copied, linking))
        .with(
            "SHOWER.cbl",
            &with_maps("SHOWER", "           COPY OTHERS.\n", "           MOVE 'A' TO TOWNO.\n"),
        )
        .with("NOTE.cpy", NOTE)
        .with("copy/screens.bms", MAPS);
    let folder = made(&from, &["--program", "@TAKER.cbl", "--copybooks", "@copy"]);
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a file");
    assert_eq!(read("copybooks/screens.bms"), MAPS);
    assert!(read("programs/SHOWER.cbl").contains("COPY OTHERS"));
}

#[test]
fn the_commarea_of_a_program_may_come_from_a_member() {
    let program = PROGRAM.replace(
        "       01  DFHCOMMAREA.\n           COPY NOTE.\n",
        "       01  OTHER-ONE PIC X.\n       COPY NOTER REPLACING NOTE-AREA\n                BY DFHCOMMAREA.\n",
    );
    let from = Folder::empty()
        .with("base/cobol_src/TAKER.cbl", &program)
        .with("base/cobol_copy/NOTER.cpy", &format!("       01  NOTE-AREA.\n{NOTE}"));
    let folder = made(&from, &["--program", "@base/cobol_src/TAKER.cbl"]);
    let (_, path, body) = request_to_try(&folder);
    let gantry = Gantry::folder(&folder);
    let answer = gantry.send("POST", &path, "content-type: application/json\r\n", &body);
    answer.is_json(200, r#"{"number_of":7,"note_text":"NOTETEXT"}"#);
}

#[test]
fn the_containers_of_a_program_become_its_channel() {
    let from = sources();
    let folder = made(&from, &["--program", "@PARCEL.cbl", "--key", "NUMBER-OF"]);
    let service = std::fs::read_to_string(folder.join("services/shop.toml")).expect("a service");
    for line in [
        "channel = \"POST\"",
        "request_container = \"PARCEL-IN\"",
        "response_container = \"LABEL-OUT\"",
        "copybook = \"PARCEL-WS-PARCEL.cpy\"",
        "copybook = \"PARCEL-WS-LABEL.cpy\"",
    ] {
        assert!(service.lines().any(|found| found == line), "expected {line}: {service}");
    }
    let answer = Gantry::folder(&folder).get("/shop/7?note_text=moon");
    answer.is_json(200, r#"{"label_text":"moon"}"#);
}

#[test]
fn several_containers_of_a_program_are_members_of_the_json() {
    let from = sources();
    let folder = made(&from, &["--program", "@SEVERAL.cbl"]);
    let (method, path, body) = request_to_try(&folder);
    assert_eq!((method.as_str(), path.as_str()), ("POST", "/shop/"));
    let gantry = Gantry::folder(&folder);
    let post = |body: &str| gantry.send("POST", &path, "content-type: application/json\r\n", body);
    post(&body).is_json(200, r#"{"label":{"lb_text":"NOTE"}}"#);
    post(r#"{"item":{"it_count":501},"note":""}"#).is_json(200, r#"{"fault":{"fa_code":7}}"#);
    let long = post(r#"{"item":{"it_count":1},"note":"0123456789abc"}"#);
    assert!(long.status == 400 && long.text().contains("at most 12"), "{}", long.text());
    let lacks = post(r#"{"item":{"it_count":1}}"#);
    assert!(lacks.status == 400 && lacks.text().contains("note"), "{}", lacks.text());
    let (code, _, errors) = new(&from, &["other", "--into", "@other", "--program", "@SEVERAL.cbl", "--soap"]);
    assert!(
        code == Some(1) && errors.contains("--soap: the program takes or gives several containers"),
        "{errors}"
    );
}

#[test]
fn a_program_may_only_put_containers() {
    let program: String = SEVERAL
        .lines()
        .filter(|line| !line.contains("EXEC CICS GET"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let program = program
        .replace("MOVE WS-NOTE TO LB-TEXT", "MOVE 'put' TO LB-TEXT")
        .replace("IT-COUNT > 500", "FA-CODE = 8");
    let from = sources().with("SEVERAL.cbl", &program);
    let folder = made(&from, &["--program", "@SEVERAL.cbl"]);
    let (_, path, body) = request_to_try(&folder);
    assert_eq!(body, "");
    let answer = Gantry::folder(&folder).send("POST", &path, "", "");
    answer.is_json(200, r#"{"label":{"lb_text":"put"}}"#);
}

#[test]
fn a_program_may_only_get_containers() {
    let puts = SEVERAL.find("           IF IT-COUNT").expect("a condition")
        ..SEVERAL.find("           EXEC CICS RETURN").expect("its end");
    let mut program = SEVERAL.to_owned();
    program.replace_range(puts, "");
    let from = sources().with("SEVERAL.cbl", &program);
    let folder = made(&from, &["--program", "@SEVERAL.cbl"]);
    let (_, path, body) = request_to_try(&folder);
    let answer = Gantry::folder(&folder).send("POST", &path, "content-type: application/json\r\n", &body);
    assert_eq!((answer.status, answer.text()), (204, ""));
}

#[test]
fn a_program_may_take_and_give_nothing() {
    let from = sources();
    let folder = made(&from, &["--program", "@NOTHING.cbl", "--soap"]);
    let (method, path, body) = request_to_try(&folder);
    assert_eq!((method.as_str(), path.as_str(), body.as_str()), ("POST", "/shop/", ""));
    let gantry = Gantry::folder(&folder);
    let answer = gantry.send("POST", &path, "", "");
    assert_eq!((answer.status, answer.text()), (204, ""));
    assert_eq!(gantry.get("/cics/services/shop?wsdl").status, 200);
}

/// The first call would end after a while, and the caller would look for a fault.
#[test]
fn a_service_behind_queues_needs_somebody_who_answers() {
    let from = sources();
    let (code, out, _) =
        new(&from, &["shop", "--into", "@made", "--copybook", "@NOTE.cpy", "--queue", "ORDERS"]);
    assert_eq!(code, Some(0));
    assert!(
        out.contains("the service also needs:\n  a program or a [[queue_manager.listener]] that answers"),
        "{out}"
    );
    assert!(out.contains("from ORDERS and puts replies on ORDERS.REPLY."), "{out}");
}

#[test]
fn files_of_a_program_are_defined_and_what_else_it_needs_is_told() {
    let from = sources();
    let (code, out, errors) = new(&from, &["shop", "--into", "@made", "--program", "@KEEPER.cbl"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(
        out.contains("the program also needs:\n  the program TELLER: put its source into programs/\n"),
        "{out}"
    );
    let folder = from.path().join("made");
    let settings = std::fs::read_to_string(folder.join("gantry.toml")).expect("settings");
    for line in [
        "name = \"NOTES\"",
        "organization = \"ksds\"",
        "record_bytes = 26",
        "key_offset = 2",
        "key_bytes = 4",
    ] {
        assert!(settings.lines().any(|found| found == line), "expected {line}: {settings}");
    }
    let ask = |gantry: &Gantry, body: &str| {
        gantry.send("POST", "/shop/", "content-type: application/json\r\n", body)
    };
    let gantry = Gantry::folder(&folder);
    ask(&gantry, r#"{"number_of":7,"note_text":"moon"}"#)
        .is_json(200, r#"{"number_of":7,"note_text":"moon"}"#);
    drop(gantry);
    // The folder also gets a program that this one links to, if its source lies beside it.
    let teller = PROGRAM
        .replace("TAKER", "TELLER")
        .replace("EXEC CICS RETURN", "MOVE 'nothing' TO NOTE-TEXT\n           EXEC CICS RETURN");
    let more = sources().with("teller.CBL", &teller);
    let (code, out, _) = new(&more, &["shop", "--into", "@made", "--program", "@KEEPER.cbl"]);
    assert!(code == Some(0) && !out.contains("also needs"), "{out}");
    let other = Gantry::folder(&more.path().join("made"));
    ask(&other, r#"{"number_of":8,"note_text":"get"}"#)
        .is_json(200, r#"{"number_of":8,"note_text":"nothing"}"#);
    // So does one that it calls, from a program that it links to.
    let caller = teller.replace("MOVE 'nothing' TO NOTE-TEXT", "CALL 'Adder' USING NUMBER-OF, NOTE-TEXT");
    let adder = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDER.
       DATA DIVISION.
       LINKAGE SECTION.
       01  A PIC 9(4).
       01  B PIC X(20).
       PROCEDURE DIVISION USING A B.
           ADD 1 TO A. MOVE 'added' TO B. GOBACK.
";
    let called = sources().with("TELLER.cbl", &caller).with("adder.cob", adder);
    let (code, _, errors) = new(&called, &["shop", "--into", "@made", "--program", "@KEEPER.cbl"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    ask(&Gantry::folder(&called.path().join("made")), r#"{"number_of":8,"note_text":"get"}"#)
        .is_json(200, r#"{"number_of":9,"note_text":"added"}"#);
    // The store keeps the note.
    let gantry = Gantry::folder(&folder);
    ask(&gantry, r#"{"number_of":7,"note_text":"get"}"#)
        .is_json(200, r#"{"number_of":7,"note_text":"moon"}"#);
}

#[test]
fn placeholders_of_a_copybook_get_a_text() {
    let copybook =
        "       01  :TAG:-REC.\n           05  :TAG:-NAME PIC X(8).\n           05  :TAG:-NO PIC 9(4).\n";
    let from = Folder::empty().with("CUST.cpy", copybook);
    let arguments = ["--copybook", "@CUST.cpy", "--replacing", "==:TAG:== BY ==CUST=="];
    let folder = made(&from, &[&arguments[..], &["--key", "CUST-NO", "--soap"]].concat());
    let service = std::fs::read_to_string(folder.join("services/shop.toml")).expect("a service");
    assert_eq!(service.matches("replacing = [\"==:TAG:== BY ==CUST==\"]").count(), 2, "{service}");
    let gantry = Gantry::folder(&folder);
    let (method, path, body) = request_to_try(&folder);
    let answer = gantry.send(&method, &path, "content-type: application/json\r\n", &body);
    answer.is_json(200, r#"{"cust_name":"","cust_no":1}"#);
    // The short form of `gantry record` is taken, too, in the command and in the file.
    let short = service.replace("==:TAG:== BY ==CUST==", ":TAG:=CUST");
    std::fs::write(folder.join("services/shop.toml"), &short).expect("a file");
    assert_eq!(run(&["check", text(&folder)]).status.code(), Some(0));
    let wrong = service.replace("==:TAG:== BY ==CUST==", "==:TAG:== BY");
    std::fs::write(folder.join("services/shop.toml"), &wrong).expect("a file");
    let told = String::from_utf8_lossy(&run(&["check", text(&folder)]).stderr).into_owned();
    assert!(told.contains("services/shop.toml:10: '==:TAG:== BY'"), "{told}");

    let refused = |more: &[&str], reason: &str| {
        let (code, _, errors) =
            new(&from, &[&["shop", "--into", "@new", "--copybook", "@CUST.cpy"], more].concat());
        assert!(code == Some(1) && errors.contains(reason), "{errors}");
    };
    refused(&[], "--replacing ':TAG:=NAME' gives the placeholders a text");
    refused(&["--replacing", "TAG"], "'TAG': expected OLD=NEW");
    refused(&["--replacing", "==A BY ==B=="], "--replacing: ");
}

#[test]
fn copybooks_may_be_utf_16_or_ebcdic() {
    let copybook = "       01  CUST.\n           05  NAME PIC X(8).\n           05  AMOUNT PIC 9(4).\n";
    let utf16: Vec<u8> =
        [0xFEFF].into_iter().chain(copybook.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let page = codepage::Encoding::by_ccsid(37).expect("a page");
    let ebcdic = |text: &str| {
        let mut bytes = Vec::new();
        page.encode(text, codepage::Unmappable::Error, &mut bytes).expect("all characters");
        bytes
    };
    let cards: Vec<u8> = copybook.lines().flat_map(|line| ebcdic(&format!("{line:72}00000100"))).collect();
    for bytes in [utf16, cards, ebcdic(&copybook.replace('\n', "\u{85}"))] {
        let from = Folder::empty();
        std::fs::write(from.path().join("CUST.cpy"), bytes).expect("a file");
        let gantry = Gantry::folder(&made(&from, &["--copybook", "@CUST.cpy"]));
        let body = r#"{"name":"ANNA","amount":12}"#;
        gantry.send("POST", "/shop/", "content-type: application/json\r\n", body).is_json(200, body);
    }
}

#[test]
fn a_copybook_may_have_the_comma_as_decimal_point() {
    let copybook =
        "       01  PRICES.\n           05  PRICE PIC Z.ZZZ.ZZ9,99.\n           05  ITEM PIC X(4).\n";
    let from = Folder::empty().with("PRICES.cpy", copybook);
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--copybook", "@PRICES.cpy"]);
    assert_eq!(code, Some(0), "{errors}");
    let made = from.path().join("made");
    let service = std::fs::read_to_string(made.join("services/shop.toml")).expect("a service");
    assert_eq!(service.matches("decimal_comma = true").count(), 2, "{service}");
    let gantry = Gantry::folder(&made);
    let body = r#"{"price":"1.234.567,89","item":"LAMP"}"#;
    gantry.send("POST", "/shop/", "content-type: application/json\r\n", body).is_json(200, body);
    let both_wrong = copybook.replace("X(4)", "X(4");
    let from = Folder::empty().with("PRICES.cpy", &both_wrong);
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--copybook", "@PRICES.cpy"]);
    assert!(code == Some(1) && errors.contains("CPY040"), "{errors}");
}

#[test]
fn the_decimal_point_of_a_program_holds_for_its_records() {
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PRICES.
       ENVIRONMENT DIVISION.
       CONFIGURATION SECTION.
       SPECIAL-NAMES. DECIMAL-POINT IS COMMA.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  FEE                 PIC 9(3)V9 VALUE 12,5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  PRICE           PIC Z.ZZ9,99.
           05  AMOUNT          PIC S9(5)V99 COMP-3.
       PROCEDURE DIVISION.
           ADD FEE TO AMOUNT.
           MOVE AMOUNT TO PRICE.
           EXEC CICS RETURN END-EXEC.
";
    let from = Folder::empty().with("PRICES.cbl", program);
    let folder = made(&from, &["--program", "@PRICES.cbl"]);
    let answer = Gantry::folder(&folder).send(
        "POST",
        "/shop/",
        "content-type: application/json\r\n",
        r#"{"price":"0,00","amount":1234.5}"#,
    );
    answer.is_json(200, r#"{"price":"1.247,00","amount":1247}"#);
}

#[test]
fn a_program_of_a_folder_becomes_a_service() {
    let from = Folder::empty()
        .with("conf/gantry.toml", "[region]\nccsid = 1252\n")
        .with("conf/programs/TAKER.cbl", PROGRAM)
        .with("conf/programs/PARCEL.cbl", CHANNELED)
        .with("conf/copybooks/NOTE.cpy", NOTE);
    let folder = from.path().join("conf");
    let service = |name: &str| {
        let output = run(&["program", "service", name, "--in", text(&folder)]);
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).expect("UTF-8"))
    };
    for (program, answer) in
        [("TAKER", r#"{"number_of":7,"note_text":"moon"}"#), ("PARCEL", r#"{"label_text":"moon"}"#)]
    {
        let (code, said) = service(program);
        assert_eq!(code, Some(0), "{said}");
        let name = program.to_ascii_lowercase();
        let written = std::fs::read_to_string(folder.join(format!("services/{name}.toml"))).expect("a file");
        assert!(written.starts_with("ccsid = 1252\n"), "{written}");
        assert!(said.contains(&format!("gantry call {name} --in ")), "{said}");
        let called =
            run(&["call", &name, "--in", text(&folder), "--json", r#"{"number_of":7,"note_text":"moon"}"#]);
        assert_eq!(String::from_utf8_lossy(&called.stdout).trim(), answer);
    }
    // The lines that the command shows make an API.
    std::fs::remove_file(folder.join("services/taker.toml")).expect("removed");
    let (_, said) = service("TAKER");
    let (_, api) = said.split_once("# apis/taker/api.toml\n").expect("an API");
    let from = from.with("conf/apis/taker/api.toml", api);
    let gantry = Gantry::folder(&folder);
    let sent = r#"{"number_of":7,"note_text":"moon"}"#;
    let answer = gantry.send("POST", "/taker/", "content-type: application/json\r\n", sent);
    answer.is_json(200, sent);
    gantry.stop();
    let (code, said) = service("taker");
    assert!(code == Some(1) && said.contains("is there already"), "{said}");
    let nowhere = run(&["program", "service", "TAKER", "--in", "/nowhere/at/all"]);
    assert_eq!(String::from_utf8_lossy(&nowhere.stderr), "gantry: /nowhere/at/all does not exist\n");
    let (code, said) = service("OTHER");
    assert!(code == Some(1) && said.contains("has no source of OTHER"), "{said}");
    let _kept = from.with("conf/services/wrong.toml", "a = 1");
    std::fs::remove_file(folder.join("services/parcel.toml")).expect("removed");
    let (code, said) = service("PARCEL");
    assert!(code == Some(1) && said.contains("wrong.toml") && said.contains("nothing was written"), "{said}");
    assert!(!folder.join("services/parcel.toml").exists());
}

#[test]
fn a_service_of_a_program_tells_what_the_folder_does_not_have() {
    let from = sources()
        .with("conf/gantry.toml", "")
        .with("conf/programs/KEEPER.cbl", KEEPER)
        .with("conf/programs/WRONG.cbl", &PROGRAM.replace("TAKER", "WRONG").replace("RETURN", "RETRUN"))
        .with("conf/copybooks/NOTE.cpy", NOTE);
    let folder = from.path().join("conf");
    let service = |name: &str| {
        let output = run(&["program", "service", name, "--in", text(&folder)]);
        let utf8 = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), utf8(output.stdout), utf8(output.stderr))
    };
    let (code, said, errors) = service("KEEPER");
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{said}");
    let (_, needs) = said.split_once("\nthe program also needs:\n").expect("needs");
    let (needs, _) = needs.split_once("\n\nnext:").expect("the next commands");
    assert!(needs.starts_with("  the program TELLER: put its source into programs/\n"), "{needs}");
    let (_, sections) = needs.split_once("  these sections of gantry.toml:\n").expect("sections");
    let from = from.with("conf/gantry.toml", sections);
    std::fs::remove_file(folder.join("services/keeper.toml")).expect("removed");
    let (_, said, _) = service("KEEPER");
    assert!(said.contains("TELLER") && !said.contains("[[region.file]]"), "{said}");
    let (code, _, errors) = service("WRONG");
    let expected = "1 fault in the program; nothing was written";
    assert!(code == Some(1) && errors.contains("WRONG.cbl:8") && errors.contains(expected), "{errors}");
    assert!(!folder.join("services/wrong.toml").exists());
    drop(from);
}

#[test]
fn files_of_the_gateway_and_secrets_stay_out_of_git() {
    let from = sources().with("made/.git/HEAD", "ref: refs/heads/main\n");
    let (code, told, errors) = new(&from, &["shop", "--into", "@made", "--copybook", "@ORDER.cpy"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(told.contains("made/.gitignore\n"), "{told}");
    let ignored = std::fs::read_to_string(from.path().join("made/.gitignore")).expect("a file");
    for line in ["/.gantry/", "/secrets/", "*.key", "*.password", "*.pem"] {
        assert!(ignored.lines().any(|found| found == line), "{ignored}");
    }
    let (code, _, errors) = new(&from, &["shop", "--into", "@made", "--copybook", "@ORDER.cpy"]);
    assert!(code == Some(1) && errors.contains("made is not empty"), "{errors}");
}

#[test]
fn what_cannot_be_made_is_refused_with_the_reason_and_nothing_is_written() {
    let from = sources().with("made/there.txt", "");
    let refused = |arguments: &[&str], reason: &str| {
        let (code, out, errors) = new(&from, arguments);
        assert_eq!((code, out.as_str()), (Some(1), ""), "{errors}");
        assert!(errors.contains(reason), "expected '{reason}': {errors}");
    };
    let order = ["--copybook", "@ORDER.cpy"];
    let with = |more: &[&'static str]| -> Vec<&'static str> {
        [&["shop", "--into", "@new"], &order[..], more].concat()
    };
    refused(&["shop"], "say --copybook FILE");
    refused(&["1shop", order[0], order[1]], "'1shop': a name is a letter");
    refused(&["shop", order[0], order[1], "--into", "@made"], "is not empty");
    refused(&["shop", order[0], "@TWO.cpy", "--into", "@new"], "say --record one of FIRST-ONE, SECOND-ONE");
    refused(&["shop", order[0], "@NONE.cpy"], "NONE.cpy: No such file");
    refused(&with(&["--key", "ORDR-NUMBER"]), "ORDER-NUMBER");
    refused(&with(&["--key", "ARTICLE"]), "--key: expected one value");
    refused(&with(&["--http", "http://orders.example/v1"]), "expected https for another machine");
    let program = |name| ["shop", "--into", "@new", "--program", name];
    refused(&[&program("@NOTHING.cbl")[..], &["--key", "A"]].concat(), "--key: the program takes no record");
    refused(&[&program("@TAKER.cbl")[..], &["--record", "OTHER"]].concat(), "has no 01 level OTHER");
    refused(&with(&["--ccsid", "9"]), "CCSID 9 is not known");
    refused(&with(&["--queue", "a b"]), "--queue: expected");
    refused(
        &[&program("@TAKER.cbl")[..], &["--ccsid", "37"]].concat(),
        "--ccsid: expected a code page of the ASCII family for a program, such as 819, found 37",
    );
    let long = "       01 BIG.\n          05 A PIC X(60000000).\n          05 B PIC X(60000000).\n";
    std::fs::write(from.path().join("BIG.cpy"), long).expect("a file");
    let expected = "BIG have up to 120000000 bytes, more than limits.record_max_bytes, 1048576";
    refused(&["shop", "--copybook", "@BIG.cpy", "--into", "@new"], expected);
    assert!(!from.path().join("new").exists());
}
