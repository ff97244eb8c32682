//! Small cases of every kind: those that agree, and those that must be found not to.

use std::fs;
use std::path::Path;

use super::{Expectations, Score, kinds, scores};

/// Writes the files, and gives each score as `path passed of all`, then the messages.
fn run(files: &[(&str, &[u8])]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }
    let found = kinds::files_below(folder.path()).expect("files");
    let mut shown = Vec::new();
    for (path, score) in scores(&found).expect("scores") {
        let name = path.strip_prefix(folder.path()).expect("a path below").display().to_string();
        shown.push(format!("{name} {} of {}", score.passed(), score.outcomes.len()));
        shown.extend(score.outcomes.into_iter().filter_map(|(_, outcome)| outcome.err()));
    }
    shown
}

/// One case that agrees and one that does not, with a part of the message.
#[track_caller]
fn check_lines(good: &str, bad: &str, message: &str) {
    let text = format!("{good}\n\n{bad}\n");
    let shown = run(&[
        ("c/cases.jsonl", text.as_bytes()),
        ("c/r.cpy", b"       01  R.\n           05  A PIC 9(2).\n"),
    ]);
    let [copybooks, score, found] = &shown[..] else { panic!("{shown:?}") };
    assert_eq!((copybooks.as_str(), score.as_str()), ("c 1 of 1", "c/cases.jsonl 1 of 2"), "{found}");
    assert!(found.contains(message), "{found}");
}

const COPYBOOK: &str = r"       01 R.\n 05 A PIC X(2).\n 05 B PIC 9(2).\n";

fn inline(options: &str, hex: &str, json: &str) -> String {
    let json = json.replace('"', "\\\"");
    format!(
        r#"{{"id":"x","copybook":"{}","options":{{{options}}},"input_hex":"{hex}","expected_json_text":"{json}"}}"#,
        COPYBOOK.replace("\\n ", "\\n           ")
    )
}

#[test]
fn declarations() {
    check_lines(
        r#"{"declaration":"PIC S9(3) COMP-3","value":"-12","hex":"012d"}"#,
        r#"{"declaration":"PIC S9(3) COMP-3","value":"-12","hex":"012c"}"#,
        "expected [01, 2c], found [01, 2d]",
    );
    check_lines(
        r#"{"declaration":"PIC 9(2)","input_hex":"f1c1","valid":true,"expected":"11"}"#,
        r#"{"declaration":"PIC 9(2)","input_hex":"f1f2","valid":false,"expected":null}"#,
        "expected an error",
    );
}

#[test]
fn layouts_and_wrong_copybooks() {
    let layout = |start: u32| {
        format!(
            r#"{{"copybook":"       01 R.\n           05 A-B PIC X(2).\n","parse_call":"","expected_layout":"1 R 1 1 2 2\n  5 A_B 2 {start} 2 2"}}"#
        )
    };
    check_lines(&layout(1), &layout(2), "start: 2");
    let wrong =
        |line: u32| format!(r#"{{"copybook":"       01 R.\n           05 A PIC Q.\n","error_line":{line}}}"#);
    check_lines(&wrong(2), &wrong(1), "found one in [2]");
}

#[test]
fn data_with_json() {
    // A refused record agrees with null; nothing else does.
    check_lines(
        &inline("", "c1c2f0f7c1404040", r#"[{"A":"AB","B":7},{"A":"A"}]"#),
        &inline("", "c1c2f0f7", r#"{"A":"AB"}"#),
        "B: expected nothing",
    );
    check_lines(
        &inline(
            r#""record_format":"V","is_rdw_big_endian":"true""#,
            "00040000c1c2f0f7",
            r#"{"A":"AB","B":7}"#,
        ),
        &inline(r#""record_format":"D""#, "414230370a", r#"{"A":"AB","B":8}"#),
        "expected \"8\", found \"7\"",
    );
    check_lines(
        &inline(r#""schema_retention_policy":"keep_original""#, "c1c2f0f7", r#"{"R":{"A":"AB","B":7}}"#),
        &inline(r#""occurs_mappings":"{}""#, "c1c2f0f7", r#"{"A":"AB","B":7}"#),
        "has no counterpart",
    );
}

#[test]
fn records_by_segment() {
    let case = |json: &str| {
        let copybook = r"       01 R.\n           05 K PIC X.\n           05 S PIC X.\n           05 T REDEFINES S PIC 9.\n";
        let options = r#""segment_field":"K","redefine_segment_id_map:1":"S => A","redefine-segment-id-map:2":"T => B","segment-children:1":"S => T""#;
        let json = json.replace('"', "\\\"");
        format!(
            r#"{{"copybook":"{copybook}","options":{{{options}}},"input_hex":"c1f1c2f2c1f3","expected_json_text":"{json}"}}"#
        )
    };
    // Elementary segments have no room for children: only the roots are left.
    check_lines(
        &case(r#"[{"K":"A","S":"1"},{"K":"A","S":"3"}]"#),
        &case(r#"[{"K":"A","S":"1"}]"#),
        "expected 1 records, found 2",
    );
}

#[test]
fn views_by_rules() {
    let case = |rule: &str, json: &str| {
        let copybook = r"       01 R.\n           05 K PIC X.\n           05 S PIC X.\n           05 T REDEFINES S PIC 9.\n";
        let json = json.replace('"', "\\\"");
        format!(
            r#"{{"copybook":"{copybook}","options":{{"redefine-rule:1":"T => {rule}"}},"input_hex":"c1f1","expected_json_text":"{json}"}}"#
        )
    };
    let (shown, hidden) = (r#"{"K":"A","S":"1","T":1}"#, r#"{"K":"A","S":"1"}"#);
    for rule in ["K = 'A'", "in(K, 'B', 'A') && true", "K = null || S >= 1", "!(K <> 'A')"] {
        check_lines(&case(rule, shown), &case(rule, hidden), "T: expected nothing");
    }
    for rule in ["K = 'B'", "in(K, null)", "S < 1", "false"] {
        check_lines(&case(rule, hidden), &case(rule, shown), "T: expected");
    }
    check_lines(&case("true", shown), &case("K =", shown), "not complete");
    check_lines(&case("true", shown), &case("Z = 1", shown), "names no field");
}

#[test]
fn json_to_records() {
    let case = |hex: &str| {
        format!(
            r#"{{"copybook":"       01 R.\n           05 A PIC X(2).\n           05 FILLER PIC X.\n           05 B-C PIC 9(2).\n","input_json":[{{"A":"A-","b_c":7}}],"expected_hex":"{hex}"}}"#
        )
    };
    check_lines(&case("c1ca00f0f7"), &case("c1ca00f0f8"), "byte 4");
}

#[test]
fn records_with_values() {
    check_lines(
        r#"{"id":"a","copybook":"r.cpy","input_hex":"f1f2","bytes_consumed":2,"expected":{"a":"12"}}"#,
        r#"{"id":"b","copybook":"r.cpy","input_hex":"f1f2","bytes_consumed":3,"expected":{"a":"12"}}"#,
        "expected 3 bytes to be read, found 2",
    );
    check_lines(
        r#"{"id":"a","copybook":"c/r.cpy","input_hex":"4040","expected_error":"wrong at offset 0 : []"}"#,
        r#"{"id":"b","copybook":"c/r.cpy","input_hex":"f1f1","expected_error":"wrong at offset 0 : []"}"#,
        "expected an error",
    );
}

#[test]
fn layouts_in_xml() {
    let xml = |bytes: u32| {
        format!(
            r#"<copybook filename="R.CPY"><item level="01" name="r" position="1" storage-length="{bytes}"><item level="05" name="a" picture="9(2)" numeric="true" position="1" storage-length="2"/></item></copybook>"#
        )
    };
    let copybook: &[u8] = b"       01  R.\n           05  A PIC 9(2).\n";
    let (good, bad) = (xml(2), xml(3));
    let files = [
        ("b/r.cpy", copybook),
        ("x/good.xml", good.as_bytes()),
        ("x/bad.xml", bad.as_bytes()),
        ("y/other.xml", b"<a/>"),
    ];
    let shown = run(&files);
    assert_eq!(shown[..2], ["b 1 of 1", "x 1 of 2"]);
    assert!(shown[2].contains("storage-length: expected Some(3), found Some(2)"), "{shown:?}");
    let xsd = |digits: u32| {
        format!(
            r#"<s xmlns:c="u"><c:cobolElement cobolName="A" levelNumber="5" srceLine="2" type="ZONED_DECIMAL_ITEM" totalDigits="{digits}"/></s>"#
        )
    };
    let (good, bad) = (xsd(2), xsd(3));
    let copies = [
        ("b/r.cpy", copybook),
        ("b/s.cpy", copybook),
        ("x/r.xsd", good.as_bytes()),
        ("x/s.xsd", bad.as_bytes()),
    ];
    let shown = run(&copies);
    assert_eq!(shown[..2], ["b 2 of 2", "x 1 of 2"]);
    assert!(shown[2].contains("totalDigits"), "{shown:?}");
}

#[test]
fn records_in_two_code_pages_and_as_text() {
    let copybook: &[u8] = b"       01  R.\n           05  A PIC X(2).\n           05  B PIC S9(2).\n";
    let files: [(&str, &[u8]); 5] = [
        ("d/cpy/r.cpy", copybook),
        ("d/ebcdic/X.DATA.PS", &[0xC1, 0x40, 0xF1, 0xD2]),
        ("d/ascii/data.txt", b"A 1K\n"),
        ("d/ebcdic/X.OTHER.PS", &[0xC1, 0x40, 0xF1, 0xD2]),
        ("d/ascii/other.txt", b"A 1L\n"),
    ];
    let shown = run(&files);
    assert_eq!(shown[..2], ["d/cpy 1 of 1", "d/ebcdic 1 of 2"]);
    assert!(shown[2].contains("1 records differ"), "{shown:?}");
    let copybook: &[u8] = b"       01  R.\n           05  A PIC X(2).\n           05  B PIC 9(2).\n";
    let files: [(&str, &[u8]); 5] = [
        ("d/cpy/r.cpy", copybook),
        ("d/txt/r.txt", b"A 12\n"),
        ("d/json/r.json", br#"{"R":{"A":"A","B":12}}"#),
        ("d/txt/s.txt", b"A xx\n"),
        ("d/cpy/s.cpy", copybook),
    ];
    let shown = run(&files);
    assert_eq!(shown[..2], ["d/cpy 2 of 2", "d/txt 1 of 2"]);
    assert!(shown[2].contains("record 1"), "{shown:?}");
}

#[test]
fn copybooks_must_parse_with_what_lies_beside_them() {
    let files: [(&str, &[u8]); 3] = [
        ("c/main.cbl", b"       01  R.\n           COPY PART.\n"),
        ("c/part.cpy", b"           05  A PIC X.\n"),
        ("c/bad.cob", b"       01  R.\n           COPY NONE.\n"),
    ];
    let shown = run(&files);
    assert_eq!(shown[0], "c 2 of 3");
    assert!(shown[1].contains("NONE is missing"), "{shown:?}");
}

#[test]
fn a_score_below_the_expected_one_is_a_fault() {
    let mut score = Score::default();
    score.add("a".to_owned(), Ok(()));
    score.add("b".to_owned(), Err("no".to_owned()));
    let expectations = |text: &str| Expectations::parse(text).expect("a list");
    let faults = |text: &str| score.report("c", Path::new("x/c"), &expectations(text));
    assert_eq!(faults("").len(), 1, "what is not listed must agree in full");
    assert!(faults("[\"x/c\"]\npassed = 1\nof = 2\n[\"x/c\".differs]\nb = \"why\"\n").is_empty());
    assert_eq!(faults("[\"x/c\"]\npassed = 1\nof = 2\n[\"x/c\".differs]\na = \"why\"\n").len(), 1);
    assert_eq!(faults("[\"x/c\"]\npassed = 2\nof = 3\n[\"x/c\".differs]\nb = \"why\"\n").len(), 1);
}

#[test]
fn channels_have_the_structures_of_the_copybooks_beside_their_project() {
    let schema = r#"{"type":"object","properties":{"channel":{"description":"json-schema","type":"object",
        "required":["id"],"properties":{"id":{"type":"string","maxLength":3}}}}}"#;
    let copybook = |bytes: usize| {
        format!(
            "      * 'getIt_request.json' 'getIt_response.json'\n       01  BAQBASE-A.\n           \
             03  Xid-length PIC S9999 COMP-5 SYNC.\n           03  Xid PIC X({bytes}).\n"
        )
    };
    let run = |bytes| {
        run(&[
            ("p/api/openapi.yaml", b"openapi: 3.0.0\npaths:\n  /a:\n    get:\n      operationId: getIt\n"),
            ("p/operations/%2Fa/get/operation.yaml", b"version: 1\nzasset: a\n"),
            ("p/operations/%2Fa/get/request.yaml", b"version: 1.2\nmappings: []\n"),
            ("p/operations/%2Fa/get/response_200.yaml", b"version: 1.2\nmappings: []\n"),
            (
                "p/operations/%2Fa/get/response_mapping.yaml",
                b"version: 1.0\nresponse_200.yaml:\n  condition: true\n  httpStatusCode: 200\n",
            ),
            ("p/zosAssets/a/zosAsset.yaml", b"type: cicsChannel-1.1\nproviderProperties:\n  ccsid: '037'\n"),
            ("p/zosAssets/a/providerFiles/gen/requestSchema.json", schema.as_bytes()),
            ("p/zosAssets/a/providerFiles/gen/responseSchema.json", schema.as_bytes()),
            ("p/copybooks/A.cpy", copybook(bytes).as_bytes()),
        ])
    };
    let shown = run(3);
    assert!(shown.contains(&"p 3 of 3".to_owned()), "{shown:?}");
    let shown = run(4);
    assert!(shown.contains(&"p 1 of 3".to_owned()), "{shown:?}");
    let differing = shown.iter().filter(|line| line.contains("expected BAQBASE-A at 0 of 6 bytes"));
    assert_eq!(differing.count(), 2, "{shown:?}");
}
