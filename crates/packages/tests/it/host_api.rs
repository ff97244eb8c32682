//! OpenAPI documents as API requesters for the Host API: schemas, copybooks, and the description of each operation.

use packages::{Fault, HostApiChoices, Limits, Package, ProgramInterface, RequesterChoices, read_openapi};

const DOCUMENT: &str = r##"
openapi: 3.0.3
info: { title: Parcels, version: 1.2.0 }
paths:
  /parcels/{code}:
    get:
      operationId: getParcel
      parameters:
        - { name: code, in: path, required: true, schema: { type: string, minLength: 6, maxLength: 6 } }
        - { name: lang, in: query, schema: { type: string, maxLength: 2 } }
        - { name: X-Branch, in: header, schema: { type: string, maxLength: 8 } }
      responses:
        "200": { description: it, content: { application/json: { schema: { $ref: "#/components/schemas/Parcel" } } } }
        "204": { description: nothing }
        "500": { description: broken, content: { text/plain: { schema: { type: string } } } }
        default: { description: all else, content: { application/json: { schema: { type: object, required: [why],
          properties: { why: { type: string } } } } } }
  /parcels:
    post:
      operationId: addParcels
      requestBody:
        content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Parcel" } } } }
      responses:
        2XX: { description: done }
components:
  schemas:
    Parcel:
      type: object
      required: [code, stops]
      properties:
        code: { type: string, minLength: 6, maxLength: 6 }
        stops: { type: array, items: { type: string, maxLength: 9 } }
"##;

fn read(document: &str, choices: HostApiChoices) -> Result<Package, Vec<Fault>> {
    let choices = RequesterChoices {
        name: "parcels".to_owned(),
        connection: "post".to_owned(),
        ccsid: 819,
        programs: ProgramInterface::HostApi(choices),
    };
    read_openapi("parcels.yaml", document.as_bytes(), &Limits::default(), &choices)
}

fn file(package: &Package, path: &str) -> String {
    let found = package.files().iter().find(|file| file.path == path);
    found.unwrap_or_else(|| panic!("no {path}")).text.clone()
}

/// The entries of a copybook, with single blanks.
fn entries(copybook: &str) -> Vec<String> {
    let is_entry = |line: &&str| line.len() > 7 && line.as_bytes()[6] == b' ';
    copybook
        .lines()
        .filter(is_entry)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn each_operation_has_schemas_and_copybooks() {
    let choices = HostApiChoices { prefix: "PCL".to_owned(), ..HostApiChoices::default() };
    let package = read(DOCUMENT, choices).expect("a requester");
    let paths: Vec<_> = package.files().iter().map(|file| file.path.as_str()).collect();
    let expected = [
        "requesters/parcels/requester.toml",
        "copybooks/PCL00I01.cpy",
        "requesters/parcels/addParcels-request.json",
        "copybooks/PCL00Q01.cpy",
        "copybooks/PCL01I01.cpy",
        "requesters/parcels/getParcel-request.json",
        "copybooks/PCL01Q01.cpy",
        "requesters/parcels/getParcel-response.json",
        "copybooks/PCL01P01.cpy",
    ];
    assert_eq!(paths, expected);
    let request = [
        "01 BAQBASE-PCL00Q01.",
        "03 requestBody-num PIC S9(9) COMP-5 SYNC.",
        "03 requestBody-dataarea PIC X(16).",
        "01 PCL00Q01-requestBody.",
        "03 requestBody1.",
        "06 Xcode PIC X(6).",
        "06 stops-num PIC S9(9) COMP-5 SYNC.",
        "06 stops-dataarea PIC X(16).",
        "01 PCL00Q01-stops.",
        "03 stops1-length PIC S9999 COMP-5 SYNC.",
        "03 stops1 PIC X(9).",
        "03 FILLER PIC X(1).",
    ];
    assert_eq!(entries(&file(&package, "copybooks/PCL00Q01.cpy")), request);
    let response = entries(&file(&package, "copybooks/PCL01P01.cpy"));
    let expected = [
        "01 BAQBASE-PCL01P01.",
        "03 responseCode200-existence PIC S9(9) COMP-5 SYNC.",
        "03 responseCode200-dataarea PIC X(16).",
        "03 responseDefault-existence PIC S9(9) COMP-5 SYNC.",
        "03 responseDefault-dataarea PIC X(16).",
    ];
    assert_eq!(response[..5], expected);
    // What is described elsewhere comes with the schema; other operations do not.
    let schema = file(&package, "requesters/parcels/addParcels-request.json");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    assert!(schema["components"]["schemas"]["Parcel"].is_object() && schema["paths"].is_null(), "{schema}");
}

#[test]
fn the_requester_names_members_for_parameters_and_responses() {
    let choices = HostApiChoices { default_character_max_length: 50, ..HostApiChoices::default() };
    let text = file(&read(DOCUMENT, choices).expect("a requester"), "requesters/parcels/requester.toml");
    let expected = r#"# Made of the OpenAPI document parcels.yaml.
version = "1.2.0"
description = "Parcels"
connection = "post"
ccsid = 819

[structures]
default_character_max_length = 50
default_fraction_digits = 2
inline_max_occurs = 1
unknown_fields = "ignore"

# Copybooks API00I01, API00Q01 and API00P01, as far as there are any.
[[operation]]
name = "addParcels"
request_schema = "addParcels-request.json"

[operation.http]
method = "POST"
path = "/parcels"
member = "requestBody"

[[operation.http.responses]]
status = "2xx"

# Copybooks API01I01, API01Q01 and API01P01, as far as there are any.
[[operation]]
name = "getParcel"
request_schema = "getParcel-request.json"
response_schema = "getParcel-response.json"

[operation.http]
method = "GET"
path = "/parcels/{code}"
move = [
  { from = "/requestPathParameters/code", to = "path.code" },
  { from = "/requestQueryParameters/lang", to = "query.lang" },
  { from = "/requestHeaders/X-Branch", to = "header.X-Branch" },
]

[[operation.http.responses]]
status = "200"
member = "responseCode200"

[[operation.http.responses]]
status = "204"

[[operation.http.responses]]
status = "default"
member = "responseDefault"
"#;
    assert_eq!(text, expected);
}

#[test]
fn operations_are_described_for_baqexec() {
    let package = read(DOCUMENT, HostApiChoices::default()).expect("a requester");
    let text = file(&package, "copybooks/API01I01.cpy");
    for line in
        ["VALUE 'BAQA'.", "VALUE 'parcels'.", "VALUE '%2Fparcels%2F%7Bcode%7D'.", "VALUE 23.", "VALUE 'GET'."]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Long paths go on in further lines, up to column 72.
    let path = "/parcels/of/the/north/and/of/the/south/and/of/the/east/and/of/the/west";
    let document = DOCUMENT.replace("  /parcels:", &format!("  {path}:"));
    let text =
        file(&read(&document, HostApiChoices::default()).expect("a requester"), "copybooks/API00I01.cpy");
    assert!(text.lines().all(|line| line.len() <= 72), "{text}");
    assert!(text.contains("\n      -    '"), "{text}");
    let source = format!("       WORKING-STORAGE SECTION.\n{text}");
    assert!(source.contains(&format!("VALUE {}.", path.replace('/', "%2F").len())), "{source}");
}

#[test]
fn prefixes_and_numbers_fit_into_names_of_eight_characters() {
    for prefix in ["", "LONG", "abc", "1AB", "A-B", "Ä"] {
        let choices = HostApiChoices { prefix: prefix.to_owned(), ..HostApiChoices::default() };
        let faults = read(DOCUMENT, choices).expect_err("a fault");
        let text = faults[0].to_string();
        assert!(text.contains("expected a prefix of 1 to 3 upper-case letters and digits"), "{text}");
    }
    let mut document = "openapi: 3.0.3\ninfo: { title: T, version: '1' }\npaths:\n".to_owned();
    for number in 0..=100 {
        document += &format!(
            "  /p{number:03}: {{ get: {{ operationId: get{number}, responses: {{ '204': {{ description: d }} }} }} }}\n"
        );
    }
    let faults = read(&document, HostApiChoices::default()).expect_err("a fault");
    assert!(faults[0].to_string().contains("expected at most 100 operations"), "{}", faults[0]);
}
