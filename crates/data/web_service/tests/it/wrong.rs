//! Faults of a bind file are reported with their place.

use web_service::{BIND_FILE_BYTES_MAX, BindFile, is_ibm};

const GOOD: &str = r#"
wsbind = 1
name = "CLAIM"
program = "CLAIM"
uri = "/cics/services/CLAIM"
mapping_level = "3.0"
minimum_runtime_level = "3.0"
namespace = "urn:claim"

[[operation]]
name = "CLAIMOperation"

[operation.request]
element = "CLAIMOperation"
namespace = "urn:in"
copybook = "CLAIMI"

[copybooks]
CLAIMI = """
       01  CLAIM-IN.
           03  CLAIM-NO  PIC X(6).
"""
"#;

fn problems(text: &str) -> Vec<String> {
    let problems = BindFile::read(text.as_bytes()).err().unwrap_or_default();
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_by_hand_is_read() {
    let file = BindFile::read(GOOD.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (parts, warnings) = file.parts(37).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert!(parts.len() == 1 && parts[0].response.is_none() && warnings.is_empty());
    assert_eq!(parts[0].request.layout.max_bytes(), 6);
}

#[test]
fn each_fault_is_told_with_its_place() {
    let cases = [
        ("wsbind = 1", "wsbind = 2", "wsbind: expected the format 1, found 2"),
        (
            "name = \"CLAIM\"",
            "name = \"../x\"",
            "name: expected letters, digits, '-', '_' and '.', found '../x'",
        ),
        ("program = \"CLAIM\"", "", "program: a provider needs a program"),
        (
            "program = \"CLAIM\"",
            "program = \"TOOLONGNAME\"",
            "program: expected 1 to 8 letters, digits, '$', '@' or '#', found 'TOOLONGNAME'",
        ),
        (
            "program = \"CLAIM\"",
            "program = \"C\"\nrole = \"requester\"",
            "program: a requester has no program",
        ),
        (
            "program = \"CLAIM\"",
            "program = \"C\"\ncontainer = \"A\"",
            "container: a program with a commarea has no container",
        ),
        ("/cics/services/CLAIM", "a b", "uri: expected a path or an address without blanks, found 'a b'"),
        (
            "mapping_level = \"3.0\"\n",
            "mapping_level = \"4.0\"\n",
            "minimum_runtime_level: expected 4.0 or later, because mapping_level is 4.0, found 3.0",
        ),
        (
            "namespace = \"urn:claim\"",
            "namespace = \"\"",
            "namespace: expected the target namespace of the WSDL, found nothing",
        ),
        (
            "element = \"CLAIMOperation\"",
            "element = \"a b\"",
            "operation 'CLAIMOperation', request: element: expected a name of XML, found 'a b'",
        ),
        // A letter that no name of XML has.
        (
            "element = \"CLAIMOperation\"",
            "element = \"\u{aa}a\"",
            "operation 'CLAIMOperation', request: element: expected a name of XML, found '\u{aa}a'",
        ),
        (
            "copybook = \"CLAIMI\"",
            "copybook = \"X\"",
            "operation 'CLAIMOperation', request: there is no copybook 'X'; the file has CLAIMI",
        ),
    ];
    for (from, to, expected) in cases {
        assert!(GOOD.contains(from), "{from}");
        assert_eq!(problems(&GOOD.replacen(from, to, 1)), [expected], "{to}");
    }
}

/// Names may have characters that are not letters: an accent behind its letter.
#[test]
fn names_are_those_of_xml() {
    let accent = "element = \"\u{e9}te\u{301}\"";
    assert_eq!(problems(&GOOD.replacen("element = \"CLAIMOperation\"", accent, 1)), [""; 0]);
}

#[test]
fn faults_of_the_text_have_lines() {
    let unknown = problems(&GOOD.replacen("uri =", "url =", 1));
    assert!(unknown.len() == 1 && unknown[0].starts_with("line 5: unknown field `url`"), "{unknown:?}");
    let level = problems(&GOOD.replacen("\"3.0\"", "\"3.5\"", 1));
    assert!(level[0].starts_with("line 6: expected a mapping level (1.0, 1.1, 1.2"), "{level:?}");
    assert!(problems("a = [").len() == 1);
}

#[test]
fn files_that_are_none_are_refused() {
    let refused = |bytes: &[u8]| BindFile::read(bytes).expect_err("refused")[0].message.clone();
    let ibm = [0x6E, 0xE6, 0xE2, 0xC2, 0xC9, 0xD5, 0xC4, 0x4C, 0, 0];
    assert!(is_ibm(&ibm) && !is_ibm(GOOD.as_bytes()));
    assert!(refused(&ibm).contains("bind file of IBM"));
    assert_eq!(refused(b"name = \"\xFF\""), "byte 8 is not UTF-8");
    let long = vec![b'#'; BIND_FILE_BYTES_MAX + 1];
    assert!(refused(&long).starts_with("expected at most"));
}

#[test]
fn copybooks_that_do_not_fit_are_told_by_their_lines() {
    let refused = |from: &str, to: &str| {
        let file = BindFile::read(GOOD.replacen(from, to, 1).as_bytes()).expect("a file");
        file.parts(37).expect_err("refused").iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let pointer = refused("PIC X(6)", "POINTER");
    assert_eq!(pointer, ["CLAIMI, line 2: CLAIM-NO: pointers and indexes have no element at any level"]);
    assert!(refused("PIC X(6)", "PIC Q(6)")[0].starts_with("CLAIMI, line 2: "));
    let member = refused("03  CLAIM-NO  PIC X(6).", "COPY OTHER.");
    assert!(member[0].contains("the bind file does not have this copybook"), "{member:?}");
    let field = refused(
        "copybook = \"CLAIMI\"",
        "copybook = \"CLAIMI\"\nfields = { CLAIM-NUMBER = { name = \"n\" } }",
    );
    assert!(field[0].contains("has no field 'CLAIM-NUMBER'"), "{field:?}");
}
