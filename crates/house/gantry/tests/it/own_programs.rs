//! Tests programs in `programs/` without further settings: their services, their code page,
//! unusable programs, and calls with fewer bytes than they declare.

use crate::client::Client;
use crate::deploy::{admin, detail, package, package_of};
use crate::folder::Folder;
use crate::process::{Gantry, request, run, text};
use crate::project;

const JSON: &str = "content-type: application/json\r\n";

/// Makes a configuration of two lines that do not concern programs, and its own cache.
fn folder() -> Folder {
    let folder = Folder::empty();
    let cache = format!("{}/.cache", text(folder.path()));
    folder.with("gantry.toml", &format!("[region]\ncache = \"{cache}\"\n[server]\nreload_poll_ms = 0\n"))
}

/// Makes a program with these entries below WORKING-STORAGE and LINKAGE, and these statements.
fn program(name: &str, (storage, linkage): (&str, &str), code: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{storage}       LINKAGE SECTION.\n{linkage}       PROCEDURE DIVISION.\n{code}           EXEC CICS RETURN END-EXEC.\n           GOBACK.\n"
    )
}

const ARTICLE: &str = "       01  DFHCOMMAREA.
           05  ART-ID      PIC X(4).
           05  ART-LANG    PIC X(2).
           05  ART-PIECES  PIC 9(3).
           05  ART-DATES   OCCURS 2.
               10  ART-YEAR PIC 9(4).
";

const LOOK_UP: &str = "           IF ART-ID = 'A1' AND ART-LANG = 'de'
               MOVE 42 TO ART-PIECES
               MOVE 1987 TO ART-YEAR(1)
           ELSE
               MOVE 'NONE' TO ART-ID
           END-IF.
";

/// Makes the project of articles. Its asset says that the program's text has CCSID 37.
fn articles(look_up: &str) -> Folder {
    let folder = project::files_without_roles()
        .into_iter()
        .fold(folder(), |folder, (path, text)| folder.with(&format!("apis/stock/{path}"), &text));
    folder.with("programs/ARTLOOK.cbl", &program("ARTLOOK", ("", ARTICLE), look_up))
}

fn check(folder: &Folder) -> (bool, String) {
    let output = run(&["check", text(folder.path())]);
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_project_alone_runs_its_program() {
    let folder = articles(LOOK_UP);
    let (is_fine, said) = check(&folder);
    assert!(is_fine && !said.contains("programs/") && !said.contains("error"), "{said}");
    let gantry = Gantry::folder(folder.path());
    let expected = r#"{"id":"A1","label":"DE: 42 pieces","dates":[{"year":1987},{"year":0}]}"#;
    gantry.get("/articles/A1?lang=de").is_json(200, expected);
    assert_eq!(gantry.get("/articles/A2?lang=de").status, 404);
}

#[test]
fn the_programs_of_a_project_are_checked() {
    let (is_fine, said) = check(&articles("           MOVE 1 TO NOT-THERE.\n"));
    assert!(!is_fine && said.contains("'NOT-THERE' is not defined"), "{said}");
    assert!(said.contains("programs/ARTLOOK.cbl:13"), "{said}");
    let folder = articles(LOOK_UP);
    let gantry = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let folder = folder.with("gantry.toml", &gantry.replace("[region]", "[region]\nccsid = 37"));
    let (is_fine, said) = check(&folder);
    assert!(!is_fine && said.contains("of the ASCII family") && said.contains("gantry.toml:2"), "{said}");
}

const SHELF_DOCUMENT: &str = "openapi: 3.0.0
info: {title: Shelf, version: 1.0.0}
paths:
  /books/{id}:
    get:
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        '200': {description: The book.}
";

const SHELF_REQUEST: &str = r#"{"type":"object","properties":{"channel":{"type":"object","properties":{
"DFHHTTPMETHOD":{"type":"string"},"data":{"description":"json-schema","type":"object","required":["id"],
"properties":{"id":{"type":"string","minLength":4,"maxLength":4}}}}}}}"#;

const SHELF_RESPONSE: &str = r#"{"type":"object","properties":{"channel":{"description":"json-schema","type":"object",
"properties":{"responseCode200":{"type":"object","required":["name"],
"properties":{"name":{"type":"string","maxLength":8}}}}}}}"#;

const SHELF_STORAGE: &str = "       01  REQ.
           05  RQ-ID    PIC X(4).
       01  REQ-METHOD PIC X(8).
       01  ANSWER.
           05  A-EXISTS PIC S9(9) COMP-5.
           05  A-CONT   PIC X(16).
       01  BOOK.
           05  B-LENGTH PIC S9(4) COMP-5.
           05  B-NAME   PIC X(8).
";

const SHELF_CODE: &str = "           EXEC CICS GET CONTAINER('BAQBASE') INTO(REQ) END-EXEC.
           EXEC CICS GET CONTAINER('DFHHTTPMETHOD') INTO(REQ-METHOD)
           END-EXEC.
           MOVE 4 TO B-LENGTH.
           MOVE 'none' TO B-NAME.
           IF RQ-ID = 'A001' AND REQ-METHOD = 'GET'
               MOVE 'Atlas' TO B-NAME
               MOVE 5 TO B-LENGTH
           END-IF.
           MOVE 1 TO A-EXISTS.
           MOVE 'SHELF-BOOK' TO A-CONT.
           EXEC CICS PUT CONTAINER(A-CONT) FROM(BOOK) END-EXEC.
           EXEC CICS PUT CONTAINER('BAQBASE') FROM(ANSWER) END-EXEC.
";

#[test]
fn a_program_with_a_channel_has_the_region_s_page() {
    let operation = "apis/shelf/operations/%2Fbooks%2F%7Bid%7D/get";
    let asset = "apis/shelf/zosAssets/books";
    let folder = folder()
        .with("apis/shelf/api/openapi.yaml", SHELF_DOCUMENT)
        .with(&format!("{operation}/operation.yaml"), "version: 1\nzasset: \"books\"\n")
        .with(
            &format!("{operation}/request.yaml"),
            "version: 1.2\nmappings:\n- channel:\n    mappings:\n    - DFHHTTPMETHOD:\n        template: \"GET\"\n    - data:\n        mappings:\n        - id:\n            template: \"{{$pathParameters.id}}\"\n",
        )
        .with(
            &format!("{operation}/response_200.yaml"),
            "version: 1.2\nmappings:\n- body:\n    mappings:\n    - name:\n        template: \"{{$zosAssetResponse.channel.responseCode200.name}}\"\n",
        )
        .with(
            &format!("{operation}/response_mapping.yaml"),
            "version: 1.0\nresponse_200.yaml:\n  condition: true\n  httpStatusCode: 200\n",
        )
        .with(
            &format!("{asset}/zosAsset.yaml"),
            "version: 1.0\ntype: \"cicsChannel-1.1\"\ndescription: \"\"\nproviderProperties:\n  program: \"SHELF\"\n  ccsid: \"037\"\n",
        )
        .with(&format!("{asset}/providerFiles/gen/requestSchema.json"), SHELF_REQUEST)
        .with(&format!("{asset}/providerFiles/gen/responseSchema.json"), SHELF_RESPONSE)
        .with("apis/shelf/config/options.yaml", "provider: CICS\n")
        .with("programs/SHELF.cbl", &program("SHELF", (SHELF_STORAGE, ""), SHELF_CODE));
    let gantry = Gantry::folder(folder.path());
    gantry.get("/books/A001").is_json(200, r#"{"name":"Atlas"}"#);
    gantry.get("/books/A002").is_json(200, r#"{"name":"none"}"#);
}

/// Makes a service of the records NOTE with this program.
fn service(ccsid: u16, program: &str) -> String {
    let side = "copybook = \"NOTE.cpy\"\nwrapper = \"\"\n";
    format!("ccsid = {ccsid}\nprogram = \"{program}\"\n[request]\n{side}[response]\n{side}")
}

fn api(service: &str) -> String {
    format!(
        "base_path = \"/{service}\"\n[[operation]]\nmethod = \"PUT\"\npath = \"/\"\nservice = \"{service}\"\n"
    )
}

/// Notes of 80 bytes.
const NOTE: &str = "       01  NOTE.\n           05  SAID    PIC X(4).\n           05  PHRASE  PIC X(76).\n";

const COMMAREA: &str =
    "       01  DFHCOMMAREA.\n           05  SAID    PIC X(4).\n           05  PHRASE  PIC X(76).\n";

fn with_notes(folder: Folder, name: &str, program: &str) -> Folder {
    folder
        .with("copybooks/NOTE.cpy", NOTE)
        .with(&format!("services/{name}.toml"), &service(819, program))
        .with(&format!("apis/{name}/api.toml"), &api(name))
}

#[test]
fn an_ebcdic_page_for_a_program_here_is_warned_of() {
    let good = program("GOOD", ("", COMMAREA), "           MOVE 'fine' TO SAID.\n");
    let folder = with_notes(folder(), "good", "GOOD").with("programs/GOOD.cbl", &good);
    let folder = folder.with("services/good.toml", &service(37, "GOOD"));
    let (is_fine, said) = check(&folder);
    assert!(
        is_fine && said.contains("CCSID 37 is EBCDIC") && said.contains("services/good.toml:1"),
        "{said}"
    );
    assert!(said.contains("expected ccsid = 819"), "{said}");
}

/// Makes programs. One is right, and the others lack something.
fn with_faults() -> Folder {
    let fine = "           MOVE 'fine' TO SAID.\n";
    with_notes(with_notes(folder(), "good", "GOOD"), "bad", "BROKEN")
        .with("programs/GOOD.cbl", &make("GOOD", "", fine))
        .with("programs/BROKEN.cbl", &make("BROKEN", "", "           MOVE 1 TO NOT-THERE.\n"))
        .with("programs/QUERY.cbl", &make("QUERY", "", "           EXEC SQL COMMIT END-EXEC.\n"))
        .with(
            "programs/SCREEN.cbl",
            &make(
                "SCREEN",
                "       COPY SCRSET.\n",
                "           EXEC CICS SEND MAP('SCR1') MAPSET('SCRSET') END-EXEC.\n",
            ),
        )
        .with("programs/LACKING.cbl", &make("LACKING", "       COPY NOWHERE.\n", fine))
        // The source of a map is not its copybook.
        .with("programs/SCRSET.bms", "SCRSET   DFHMSD TYPE=MAP\n")
        .with("programs/README.md", "not a program\n")
}

fn make(name: &str, storage: &str, code: &str) -> String {
    program(name, (storage, COMMAREA), code)
}

#[test]
fn a_faulty_program_is_told_once_and_in_the_table() {
    let (is_fine, said) = check(&with_faults());
    assert!(!is_fine, "{said}");
    let rows: Vec<Vec<&str>> = said
        .lines()
        .skip_while(|line| !line.starts_with("name "))
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .take_while(|row: &Vec<&str>| !row.is_empty())
        .collect();
    let shown: Vec<_> = rows.iter().map(|row| (row[0], row[1])).collect();
    let expected = [
        ("name", "state"),
        ("BROKEN", "faulty"),
        ("GOOD", "ok"),
        ("LACKING", "member missing"),
        ("QUERY", "SQL"),
        ("SCREEN", "map missing"),
    ];
    assert_eq!(shown, expected, "{said}");
    assert!(rows[1][2].ends_with("programs/BROKEN.cbl:10"), "{said}");
    assert!(rows[3][2].ends_with("programs/LACKING.cbl:5"), "{said}");
    // The command prints each fault once.
    assert_eq!(said.matches("'NOT-THERE' is not defined").count(), 1, "{said}");
    assert_eq!(said.matches("NOWHERE is missing").count(), 1, "{said}");
}

#[test]
fn a_faulty_program_is_faulty_alone() {
    let folder = with_faults();
    let gantry = Gantry::folder(folder.path());
    let put = |path: &str| gantry.send("PUT", path, JSON, "{}");
    put("/good/").is_json(200, r#"{"said":"fine","phrase":""}"#);
    put("/bad/").fails(503, "GTY0513E");
    let configuration =
        Client::connect(gantry.admin).ask(b"GET /configuration HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let told = r#""faultyParts":["BROKEN","LACKING","QUERY","SCREEN"]"#;
    assert!(configuration.text().contains(told), "{}", configuration.text());
    // If a change would make a running program faulty, the old program stays.
    let folder = folder.with("programs/GOOD.cbl", &make("GOOD", "", "           MOVE 1 TO GONE.\n"));
    let reload = || {
        let head = "POST /configuration/reload HTTP/1.1\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n";
        Client::connect(gantry.admin).ask(head.as_bytes())
    };
    let refused = reload();
    assert_eq!(refused.status, 409, "{}", refused.text());
    put("/good/").is_json(200, r#"{"said":"fine","phrase":""}"#);
    // A mended program serves. Faulty programs beside it do not matter.
    let folder = folder
        .with("programs/GOOD.cbl", &make("GOOD", "", "           MOVE 'more' TO SAID.\n"))
        .with("programs/BROKEN.cbl", &make("BROKEN", "", "           MOVE 'mend' TO SAID.\n"));
    let taken = reload();
    assert_eq!(taken.status, 200, "{}", taken.text());
    put("/good/").is_json(200, r#"{"said":"more","phrase":""}"#);
    put("/bad/").is_json(200, r#"{"said":"mend","phrase":""}"#);
    gantry.stop();

    let strict = run(&["serve", text(folder.path()), "--strict", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8_lossy(&strict.stderr).into_owned();
    assert!(!strict.status.success() && said.contains("NOWHERE is missing"), "{said}");
}

#[test]
fn a_faulty_package_is_faulty_alone() {
    let folder = Folder::echo("[server]\nreload_poll_ms = 0");
    let packages = folder.path().join("packages");
    std::fs::create_dir_all(&packages).expect("a folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(packages.join(name), bytes).expect("a file");
    write("notes.aar", &package("notes", "/notes"));
    write("broken.sar", b"no archive");
    // The package needs a service that does not exist. Only the load of the package finds this.
    let lonely = package_of("lonely", "/lonely", "nowhere");
    write("lonely.aar", &lonely);
    let (is_fine, said) = check(&folder);
    assert!(!is_fine && said.contains("packages/broken.sar") && said.contains("'nowhere'"), "{said}");
    let row = |name: &str| said.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
    assert!(row("packages/notes.aar").contains("  ok "), "{said}");
    assert!(row("packages/lonely.aar").contains("  faulty "), "{said}");
    for _ in ["first", "again"] {
        let gantry = Gantry::folder(folder.path());
        assert_eq!(gantry.put("/notes/note", r#"{"words":"hello"}"#).status, 200);
        assert_eq!(gantry.put("/lonely/note", "{}").status, 404);
        gantry.stop();
    }
    let gantry = Gantry::folder(folder.path());
    detail(&admin(&gantry, "POST", "/apis", &package("other", "/other")), 201);
    assert_eq!(gantry.put("/other/note", "{}").status, 200);
    // A faulty deployment changes nothing.
    std::fs::remove_file(packages.join("lonely.aar")).expect("it is there");
    assert_eq!(admin(&gantry, "POST", "/apis", &lonely).status, 400);
    assert!(!packages.join("lonely.aar").exists());
    gantry.stop();
    let strict = run(&["serve", text(folder.path()), "--strict", "--listen", "127.0.0.1:0"]);
    let said = String::from_utf8_lossy(&strict.stderr).into_owned();
    assert!(!strict.status.success() && said.contains("packages/broken.sar"), "{said}");
}

#[test]
fn a_package_with_double_byte_text_is_told_what_programs_here_have() {
    let manifest = r#"name: "word"
provider: "CICS-1.0"
version: "1.0"
providerProperties:
- propertyName: "program"
  value: "WORDS"
- propertyName: "dataXformType"
  value: "WSBIND"
- propertyName: "bindfile"
  value: "files/word.wsbind"
- propertyName: "ccsid"
  value: "939"
"#;
    let with = |clauses: &str| {
        folder()
            .with(
                "programs/WORDS.cbl",
                &program("WORDS", ("", COMMAREA), "           MOVE 'fine' TO SAID.\n"),
            )
            .with("packages/word/manifest.yml", manifest)
            .with("packages/word/files/word.wsbind", "x")
            .with("copybooks/word.cpy", &format!("       01  R.\n           05  W {clauses}.\n"))
    };
    let told = "the package's text is in CCSID 939, which has double-byte characters";
    let (is_fine, said) = check(&with("PIC X(80)"));
    assert!(
        is_fine && said.matches(told).count() == 1 && said.contains("CCSID 819, which has none"),
        "{said}"
    );
    let (is_fine, said) = check(&with("PIC G(40)"));
    assert!(!is_fine && said.matches(told).count() == 1 && said.contains("PIC G"), "{said}");
    let row = said.lines().find(|line| line.starts_with("packages/word")).unwrap_or_default();
    assert!(row.contains("  faulty "), "{said}");
}

#[test]
fn a_commarea_that_is_too_short_harms_nobody() {
    let longer = format!("{COMMAREA}           05  BEYOND  PIC X(5000).\n");
    let code = "           IF BEYOND = LOW-VALUES AND EIBCALEN = 80
               MOVE ALL 'Z' TO DFHCOMMAREA
               MOVE 'fine' TO SAID
           ELSE
               MOVE 'dirt' TO SAID
           END-IF.
";
    let folder = with_notes(with_notes(folder(), "long", "LONGER"), "good", "GOOD")
        .with("programs/LONGER.cbl", &program("LONGER", ("", &longer), code))
        .with("programs/GOOD.cbl", &program("GOOD", ("", COMMAREA), "           MOVE 'fine' TO SAID.\n"));
    let (is_fine, said) = check(&folder);
    assert!(is_fine && said.contains("services/long.toml"), "{said}");
    assert!(said.contains("the commarea has 80 bytes, but the DFHCOMMAREA of LONGER has 5080"), "{said}");
    assert!(!said.contains("services/good.toml"), "{said}");
    let gantry = Gantry::folder(folder.path());
    let mut client = gantry.connect();
    let words = "Z".repeat(76);
    for _ in 0..40 {
        let answer = client.ask(request("PUT", "/long/", JSON, "{}").as_bytes());
        answer.is_json(200, &format!(r#"{{"said":"fine","phrase":"{words}"}}"#));
        let answer = client.ask(request("PUT", "/good/", JSON, r#"{"phrase":"hi"}"#).as_bytes());
        answer.is_json(200, r#"{"said":"fine","phrase":"hi"}"#);
    }
    let log = gantry.stop();
    assert!(!log.contains("ASRA"), "{log}");
}

const CHANNEL_MANIFEST: &str = "name: box\nprovider: CICS-1.0\nproviderProperties:
- {propertyName: dataXformType, value: WALKER_VISITOR}
- {propertyName: wvRequestInterfaceFile, value: files/Q.si}
- {propertyName: wvResponseInterfaceFile, value: files/R.si}
- {propertyName: ccsid, value: \"37\"}
- {propertyName: program, value: BOXES}
";

/// Makes a container of an interface, with one structure of one text field.
fn segment(container: &str, structure: &str, (field, bytes): (&str, usize)) -> String {
    let text = format!(
        "<field name='{field}' originalName='{field}'><startPos>1</startPos><bytes>{bytes}</bytes><applicationDatatype datatype='CHAR'/></field>"
    );
    format!(
        "<segment name='{container}'><field name='{structure}' originalName='{structure}'><startPos>1</startPos><bytes>{bytes}</bytes><applicationDatatype datatype='STRUCT'/>{text}</field></segment>"
    )
}

fn interface(segments: &[String]) -> String {
    format!("<m serviceType='CICS_CHANNEL'><message>{}</message></m>", segments.concat())
}

const BOXES: &str = "           EXEC CICS GET CONTAINER('Box-Size') INTO(SIZE-IN) END-EXEC.
           EXEC CICS GET CONTAINER('LABEL') INTO(LABEL-IN) END-EXEC.
           MOVE 'unknown' TO ANSWER.
           IF SIZE-IN = 'BIG' AND LABEL-IN = 'fragile'
               MOVE 'taken' TO ANSWER
           END-IF.
           EXEC CICS PUT CONTAINER('Said') FROM(ANSWER) END-EXEC.
           MOVE 'soon' TO WHEN-OUT.
           EXEC CICS PUT CONTAINER('WHEN') FROM(WHEN-OUT) END-EXEC.
";

#[test]
fn a_service_archive_of_a_channel_has_its_containers() {
    let storage = "       01  SIZE-IN   PIC X(3).
       01  LABEL-IN  PIC X(8).
       01  ANSWER    PIC X(8).
       01  WHEN-OUT  PIC X(6).
";
    let request_side = [segment("Box-Size", "BIGNESS", ("B1", 3)), segment("LABEL", "WORDING", ("W1", 8))];
    let response_side = [segment("Said", "SAYING", ("S1", 8)), segment("WHEN", "TIMING", ("T1", 6))];
    let folder = folder().with("programs/BOXES.cbl", &program("BOXES", (storage, ""), BOXES));
    std::fs::create_dir_all(folder.path().join("packages")).expect("a folder");
    let path = folder.path().join("packages/box.sar");
    let entries = [
        ("manifest.yml", CHANNEL_MANIFEST.to_owned()),
        ("files/Q.si", interface(&request_side)),
        ("files/R.si", interface(&response_side)),
    ];
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in &entries {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("an entry");
        std::io::Write::write_all(&mut writer, content.as_bytes()).expect("its text");
    }
    std::fs::write(path, writer.finish().expect("an archive").into_inner()).expect("a file");
    let gantry = Gantry::folder(folder.path());
    let invoke = |body: &str| {
        let path = "/zosConnect/services/box?action=invoke";
        Client::connect(gantry.admin).ask(request("POST", path, JSON, body).as_bytes())
    };
    let body =
        r#"{"boxOperation":{"Box-Size":{"BIGNESS":{"B1":"BIG"}},"LABEL":{"WORDING":{"W1":"fragile"}}}}"#;
    let expected =
        r#"{"boxOperationResponse":{"Said":{"SAYING":{"S1":"taken"}},"WHEN":{"TIMING":{"T1":"soon"}}}}"#;
    let answer = invoke(body);
    assert_eq!((answer.status, answer.text()), (200, expected));
    let other = invoke(&body.replace("BIG\"", "WEE\""));
    assert_eq!((other.status, other.text()), (200, expected.replace("taken", "unknown").as_str()));
}

#[test]
fn containers_of_a_record_that_cannot_be_are_told() {
    let folder = with_notes(folder(), "good", "GOOD")
        .with("programs/GOOD.cbl", &program("GOOD", ("", COMMAREA), "           MOVE 'fine' TO SAID.\n"));
    let whole = service(819, "GOOD");
    for (containers, expected) in [
        ("{ SAID = \"A\" }", "names no container for PHRASE"),
        ("{ SAID = \"A\", PHRASE = \"B\", NONE = \"C\" }", "the record has no group NONE"),
        ("{ SAID = \"A B\", PHRASE = \"B\" }", "without blanks, found 'A B'"),
    ] {
        let text = whole.replace("wrapper = \"\"\n", &format!("wrapper = \"\"\ncontainers = {containers}\n"));
        std::fs::write(folder.path().join("services/good.toml"), text).expect("a file");
        let (is_fine, said) = check(&folder);
        assert!(!is_fine && said.contains(expected) && said.contains("services/good.toml"), "{said}");
    }
}

#[test]
fn programs_of_pltpi_run_before_anybody_can_call() {
    let storage = "       01  ITEM      PIC X(4).\n       01  PLACE-OF  PIC S9(4) COMP.\n";
    let write = |item: &str| {
        format!(
            "           MOVE '{item}' TO ITEM.\n           EXEC CICS WRITEQ TS QNAME('Q1') FROM(ITEM) END-EXEC.\n"
        )
    };
    let read = "           MOVE 2 TO PLACE-OF.
           EXEC CICS READQ TS QNAME('Q1') INTO(ITEM) ITEM(PLACE-OF)
           END-EXEC.
           MOVE ITEM TO SAID.
";
    let failing = "           EXEC CICS ABEND ABCODE('OOPS') END-EXEC.\n";
    let folder = with_notes(folder(), "good", "GOOD")
        .with("programs/GOOD.cbl", &program("GOOD", (storage, COMMAREA), read))
        .with("programs/ONE.cbl", &program("ONE", (storage, ""), &write("one ")))
        .with("programs/FAILING.cbl", &program("FAILING", ("", ""), failing))
        .with("programs/TWO.cbl", &program("TWO", (storage, ""), &write("two ")));
    let gantry_file = std::fs::read_to_string(folder.path().join("gantry.toml")).expect("a text");
    let with = |programs: &str| gantry_file.replace("[region]\n", &format!("[region]\npltpi = {programs}\n"));
    let folder = folder.with("gantry.toml", &with("[\"ONE\", \"FAILING\", \"TWO\"]"));
    let gantry = Gantry::folder(folder.path());
    gantry.send("PUT", "/good/", JSON, "{}").is_json(200, r#"{"said":"two","phrase":""}"#);
    let log = gantry.stop();
    assert!(log.contains("the program FAILING, which pltpi names, failed") && log.contains("OOPS"), "{log}");
    let folder = folder.with("gantry.toml", &with("[\"NONE\"]"));
    let (is_fine, said) = check(&folder);
    assert!(!is_fine && said.contains("gantry.toml:2: the program NONE is not in programs/"), "{said}");
}

#[test]
fn a_program_with_a_terminal_serves_its_callers() {
    let map = "SCRSET   DFHMSD MODE=INOUT,TIOAPFX=YES,STORAGE=AUTO,EXTATT=YES
SCR1     DFHMDI SIZE=(24,80)
NAME     DFHMDF POS=(1,1),LENGTH=4
LINES    DFHMDF POS=(2,1),LENGTH=76,OCCURS=2
         DFHMSD TYPE=FINAL
";
    let code = "           MOVE 'fine' TO NAMEO.
           MOVE DFHBMPRO TO NAMEA.
           MOVE 'the second' TO LINESO(2).
           IF EIBCALEN = 0
               EXEC CICS SEND MAP('SCR1') MAPSET('SCRSET') END-EXEC
           END-IF.
           MOVE NAMEI TO SAID.
           MOVE LINESI(2) TO PHRASE.
";
    let program = make("SCREEN", "       COPY SCRSET.\n       COPY DFHBMSCA.\n", code);
    let folder = with_notes(folder(), "screen", "SCREEN")
        .with("programs/SCREEN.cbl", &program)
        .with("programs/SCRSET.bms", map);
    let gantry = Gantry::folder(folder.path());
    gantry.send("PUT", "/screen/", JSON, "{}").is_json(200, r#"{"said":"fine","phrase":"the second"}"#);
}
