//! OpenAPI documents as API requesters for the Host API: schemas, copybooks, and the description of each operation.

use channel::{Interface, Side};
use packages::{
    Fault, HostApiChoices, Limits, Note, Package, ProgramInterface, RequesterChoices, read_openapi,
};
use proptest::prelude::*;

const DOCUMENT: &str = r##"
openapi: 3.0.3
info: { title: Parcels, version: 1.2.0 }
paths:
  /parcels/{code}:
    get:
      operationId: getParcel
      parameters:
        - { name: X-Branch, in: header, schema: { type: string, maxLength: 8 } }
        - { name: zone, in: query, schema: { type: string, maxLength: 2 } }
        - { name: code, in: path, required: true, schema: { type: string, minLength: 6, maxLength: 6 } }
        - { name: lang, in: query, required: true, schema: { type: string, minLength: 2, maxLength: 2 } }
      responses:
        x-owner: post
        "404": { description: not here, content: { application/json: { schema: { type: array, items: { type: integer } } } } }
        "200": { description: it, content: { application/json: { schema: { $ref: "#/components/schemas/Parcel" } } } }
        "204": { description: nothing }
        "500": { description: broken, content: { text/plain: { schema: { type: string } } } }
        default: { description: all else, content: { application/json: { schema: { type: object, required: [why],
          properties: { why: { type: string } } } } } }
  /parcels:
    x-owner: post
    post:
      operationId: addParcels
      requestBody:
        content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Parcel" } } } }
      responses:
        2XX: { description: done }
    get:
      operationId: countParcels
      responses:
        "200": { description: how many, content: { application/json: { schema: { type: object, required: [many], properties: { many: { type: integer } } } } } }
components:
  schemas:
    Unused: { type: object, properties: { parcel: { $ref: "#/components/schemas/Parcel" } } }
    Parcel:
      type: object
      required: [code, stops]
      properties:
        code: { type: string, minLength: 6, maxLength: 6 }
        stops: { type: array, items: { $ref: "#/components/schemas/Stop" } }
    Stop: { type: string, maxLength: 9 }
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
        "requesters/parcels/getParcel-request.json",
        "copybooks/PCL00Q01.cpy",
        "requesters/parcels/getParcel-response.json",
        "copybooks/PCL00P01.cpy",
        "copybooks/PCL01I01.cpy",
        "requesters/parcels/addParcels-request.json",
        "copybooks/PCL01Q01.cpy",
        "copybooks/PCL02I01.cpy",
        "requesters/parcels/countParcels-response.json",
        "copybooks/PCL02P01.cpy",
    ];
    assert_eq!(paths, expected);
    assert!(package.left_out().is_empty(), "{:?}", package.left_out());
    let request = [
        "01 BAQBASE-PCL01Q01.",
        "03 requestBody-num PIC S9(9) COMP-5 SYNC.",
        "03 requestBody-dataarea PIC X(16).",
        "01 PCL01Q01-requestBody.",
        "03 requestBody1.",
        "06 Xcode PIC X(6).",
        "06 stops-num PIC S9(9) COMP-5 SYNC.",
        "06 stops-dataarea PIC X(16).",
        "01 PCL01Q01-stops.",
        "03 stops1-length PIC S9999 COMP-5 SYNC.",
        "03 stops1 PIC X(9).",
        "03 FILLER PIC X(1).",
    ];
    assert_eq!(entries(&file(&package, "copybooks/PCL01Q01.cpy")), request);
    // A schema has the targets of its references with it, and no other parts of the document.
    let schema = file(&package, "requesters/parcels/addParcels-request.json");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let schemas = &schema["components"]["schemas"];
    assert!(schemas["Parcel"].is_object() && schemas["Stop"].is_object(), "{schema}");
    assert!(schema["paths"].is_null() && schemas["Unused"].is_null(), "{schema}");
    let schema = file(&package, "requesters/parcels/countParcels-response.json");
    assert!(!schema.contains("components"), "{schema}");
}

#[test]
fn all_is_in_the_order_of_the_document() {
    let choices = HostApiChoices { prefix: "PCL".to_owned(), ..HostApiChoices::default() };
    let package = read(DOCUMENT, choices).expect("a requester");
    // The kinds of parameters have an order of their own.
    let request = [
        "01 BAQBASE-PCL00Q01.",
        "03 requestPathParameters.",
        "06 Xcode PIC X(6).",
        "03 requestQueryParameters.",
        "06 zone-existence PIC S9(9) COMP-5 SYNC.",
        "06 zone.",
        "09 zone2-length PIC S9999 COMP-5 SYNC.",
        "09 zone2 PIC X(2).",
        "06 lang PIC X(2).",
        "03 requestHeaders.",
    ];
    assert_eq!(entries(&file(&package, "copybooks/PCL00Q01.cpy"))[..10], request);
    let response = [
        "01 BAQBASE-PCL00P01.",
        "03 responseCode404-num PIC S9(9) COMP-5 SYNC.",
        "03 responseCode404-dataarea PIC X(16).",
        "03 responseCode200-existence PIC S9(9) COMP-5 SYNC.",
        "03 responseCode200-dataarea PIC X(16).",
        "03 responseCode500-existence PIC S9(9) COMP-5 SYNC.",
        "03 responseCode500-dataarea PIC X(16).",
        "03 responseDefault-existence PIC S9(9) COMP-5 SYNC.",
        "03 responseDefault-dataarea PIC X(16).",
        "01 PCL00P01-responseCode404.",
    ];
    assert_eq!(entries(&file(&package, "copybooks/PCL00P01.cpy"))[..10], response);
}

#[test]
fn a_text_is_a_response_like_others() {
    let choices = HostApiChoices { default_character_max_length: 50, ..HostApiChoices::default() };
    let package = read(DOCUMENT, choices).expect("a requester");
    let found = entries(&file(&package, "copybooks/API00P01.cpy"));
    let at = found.iter().position(|entry| entry == "01 API00P01-responseCode500.").expect("the area of 500");
    let text = ["03 responseCode5001-length PIC S9999 COMP-5 SYNC.", "03 responseCode5001 PIC X(50)."];
    assert_eq!(found[at + 1..at + 3], text, "{found:#?}");
    assert!(
        !package.notes().iter().any(|note| note.reason.contains("schema is not text")),
        "{:?}",
        package.notes()
    );
    // What can be neither JSON nor a text is laid out all the same, and told.
    let xml = DOCUMENT.replace(
        "text/plain: { schema: { type: string } }",
        "text/xml: { schema: { $ref: '#/components/schemas/Parcel' } }",
    );
    let package = read(&xml, HostApiChoices::default()).expect("a requester");
    let told = "the body of the response 500 (text/xml) its schema is not text: an answer that is not JSON is refused";
    assert!(package.notes().iter().any(|note| note.reason == told), "{:?}", package.notes());
    assert!(file(&package, "copybooks/API00P01.cpy").contains("responseCode500-existence"));
    // JSON is preferred to text. For a body without a schema there is a note.
    let json = "application/json: { schema: { type: object, required: [code], properties: { code: { type: integer } } } }";
    let both = DOCUMENT.replace(
        "content: { text/plain:",
        &format!("content: {{ text/html: {{}}, text/plain: {{ schema: {{ type: string }} }}, {json} , a/b:"),
    );
    let package = read(&both, HostApiChoices::default()).expect("a requester");
    let found = entries(&file(&package, "copybooks/API00P01.cpy"));
    assert!(found.iter().any(|entry| entry.starts_with("06 Xcode1 PIC S9(18)")), "{found:#?}");
    let without =
        DOCUMENT.replace("text/plain: { schema: { type: string } }", "text/html: {}, image/png: {}");
    let package = read(&without, HostApiChoices::default()).expect("a requester");
    let notes: Vec<_> = package.notes().iter().map(ToString::to_string).collect();
    let told = "parcels.yaml:18: the body of the response 500 (text/html, image/png) has no schema, and is not in the structure";
    assert!(notes.iter().any(|note| note == told), "{notes:#?}");
    let text = file(&package, "requesters/parcels/requester.toml");
    assert!(
        text.contains("status = \"500\"\n\n[[operation.http.responses]]\nstatus = \"default\""),
        "{text}"
    );
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
name = "getParcel"
request_schema = "getParcel-request.json"
response_schema = "getParcel-response.json"

[operation.http]
method = "GET"
path = "/parcels/{code}"
move = [
  { from = "/requestPathParameters/code", to = "path.code" },
  { from = "/requestQueryParameters/zone", to = "query.zone" },
  { from = "/requestQueryParameters/lang", to = "query.lang" },
  { from = "/requestHeaders/X-Branch", to = "header.X-Branch" },
]

[[operation.http.responses]]
status = "404"
member = "responseCode404"

[[operation.http.responses]]
status = "200"
member = "responseCode200"

[[operation.http.responses]]
status = "204"

[[operation.http.responses]]
status = "500"
member = "responseCode500"

[[operation.http.responses]]
status = "default"
member = "responseDefault"

# Copybooks API01I01, API01Q01 and API01P01, as far as there are any.
[[operation]]
name = "addParcels"
request_schema = "addParcels-request.json"

[operation.http]
method = "POST"
path = "/parcels"
member = "requestBody"

[[operation.http.responses]]
status = "2xx"

# Copybooks API02I01, API02Q01 and API02P01, as far as there are any.
[[operation]]
name = "countParcels"
response_schema = "countParcels-response.json"

[operation.http]
method = "GET"
path = "/parcels"

[[operation.http.responses]]
status = "200"
member = "responseCode200"
"#;
    assert_eq!(text, expected);
}

#[test]
fn operations_are_described_for_baqexec() {
    let package = read(DOCUMENT, HostApiChoices::default()).expect("a requester");
    let text = file(&package, "copybooks/API00I01.cpy");
    for line in
        ["VALUE 'BAQA'.", "VALUE 'parcels'.", "VALUE '%2Fparcels%2F%7Bcode%7D'.", "VALUE 23.", "VALUE 'GET'."]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Long paths go on in further lines, up to column 72.
    let path = "/parcels/of/the/north/and/of/the/south/and/of/the/east/and/of/the/west";
    let document = DOCUMENT.replace("  /parcels:", &format!("  {path}:"));
    let text =
        file(&read(&document, HostApiChoices::default()).expect("a requester"), "copybooks/API01I01.cpy");
    assert!(text.lines().all(|line| line.len() <= 72), "{text}");
    assert!(text.contains("\n      -    '"), "{text}");
    let source = format!("       WORKING-STORAGE SECTION.\n{text}");
    assert!(source.contains(&format!("VALUE {}.", path.replace('/', "%2F").len())), "{source}");
}

const PATCHES: &str = r##"
openapi: 3.0.3
info: { title: Parcels, version: 1.2.0 }
paths:
  /parcels/{code}:
    parameters:
      - { name: code, in: path, required: true, schema: { type: string, minLength: 6, maxLength: 6 } }
    patch:
      operationId: patchParcel
      requestBody: { content: { application/json-patch+json: { schema: { $ref: "#/components/schemas/Parcel" } } } }
      responses: { "204": { description: done } }
    put:
      operationId: mergeParcel
      requestBody: { content: { application/merge-patch+json: { schema: { $ref: "#/components/schemas/Parcel" } } } }
      responses: { "204": { description: done } }
    post:
      operationId: sendParcel
      requestBody: { content: { "application/json; charset=utf-8": { schema: { $ref: "#/components/schemas/Parcel" } } } }
      responses: { "200": { description: anything, content: { application/json: { schema: { type: object } } } } }
    delete:
      operationId: dropParcel
      responses: { "204": { description: done } }
components:
  schemas:
    Parcel: { type: object, required: [code], properties: { code: { type: string, minLength: 6, maxLength: 6 } } }
"##;

#[test]
fn the_media_type_of_a_body_is_sent_and_told() {
    let package = read(PATCHES, HostApiChoices::default()).expect("a requester");
    let text = file(&package, "requesters/parcels/requester.toml");
    let merged = "member = \"requestBody\"\ncontent_type = \"application/merge-patch+json\"\n";
    assert!(text.contains(merged) && text.matches("content_type").count() == 1, "{text}");
    let info = |number: usize| entries(&file(&package, &format!("copybooks/API0{number}I01.cpy")));
    let media_type = |number| {
        info(number)
            .iter()
            .position(|entry| entry.contains("MEDIA-TYPE PIC"))
            .map(|at| info(number)[at + 1].clone())
    };
    assert_eq!(media_type(1).as_deref(), Some("VALUE 'application/merge-patch+json'."));
    assert_eq!(media_type(3).as_deref(), Some("VALUE ' '."));
    let json = read(DOCUMENT, HostApiChoices::default()).expect("a requester");
    let info = entries(&file(&json, "copybooks/API01I01.cpy"));
    assert_eq!(
        info[info.len() - 3..],
        ["VALUE 'application/json'.", "03 BAQ-API-MEDIA-TYPE-LEN PIC 9(9) COMP-5 SYNC", "VALUE 16."]
    );
}

#[test]
fn what_has_no_structure_is_left_out_alone() {
    let package = read(PATCHES, HostApiChoices::default()).expect("a requester");
    assert_eq!(package.left_out(), ["patchParcel", "sendParcel"]);
    let paths: Vec<_> = package.files().iter().map(|file| file.path.as_str()).collect();
    let expected = [
        "requesters/parcels/requester.toml",
        "copybooks/API01I01.cpy",
        "requesters/parcels/mergeParcel-request.json",
        "copybooks/API01Q01.cpy",
        "copybooks/API03I01.cpy",
        "requesters/parcels/dropParcel-request.json",
        "copybooks/API03Q01.cpy",
    ];
    assert_eq!(paths, expected, "an operation keeps its number");
    let text = file(&package, "requesters/parcels/requester.toml");
    assert!(!text.contains("Parcel\"\nresponse") && !text.contains("API02"), "{text}");
    let notes: Vec<_> = package.notes().iter().map(ToString::to_string).collect();
    for told in [
        "parcels.yaml:10: the operation patchParcel is left out: a body of application/json-patch+json has the format of RFC 6902, which no structure has",
        "parcels.yaml:17: the operation sendParcel is left out: response: ",
    ] {
        assert!(notes.iter().any(|note| note.starts_with(told)), "{told} in {notes:#?}");
    }
    // If nothing is left there is no requester.
    let (head, rest) = PATCHES.split_once("    put:").expect("it has one");
    let nothing = format!("{head}{}", &rest[rest.find("components:").expect("it has them")..]);
    let faults = read(&nothing, HostApiChoices::default()).expect_err("a fault");
    assert_eq!(faults.len(), 1);
    assert!(faults[0].to_string().starts_with("parcels.yaml:10: patchParcel: a body of"), "{}", faults[0]);
}

#[test]
fn swagger_has_its_media_types_in_the_operation_or_the_document() {
    let document = r##"{
        "swagger": "2.0", "info": {"title": "Parcels", "version": "1"}, "basePath": "v1/",
        "consumes": ["application/xml", "application/vnd.post+json", "application/json"], "produces": ["*/*"],
        "paths": {
            "/a": {"post": {"operationId": "a", "consumes": ["application/merge-patch+json"],
                "parameters": [{"name": "parcel", "in": "body", "schema": {"$ref": "#/definitions/Parcel"}}],
                "responses": {"200": {"description": "d", "schema": {"$ref": "#/definitions/Parcel"}}}}},
            "/b": {"post": {"operationId": "b",
                "parameters": [{"name": "parcel", "in": "body", "schema": {"$ref": "#/definitions/Parcel"}},
                    {"name": "lang", "in": "query", "type": "string", "maxLength": 2, "collectionFormat": "csv"}],
                "responses": {"200": {"description": "d", "schema": {"type": "string"}}}}},
            "/c": {"post": {"operationId": "c", "consumes": ["text/plain"],
                "parameters": [{"name": "parcel", "in": "body", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "d"}}}}
        },
        "definitions": {"Parcel": {"type": "object", "required": ["code"],
            "properties": {"code": {"type": "string", "minLength": 6, "maxLength": 6}}}}}"##;
    let package = read(document, HostApiChoices::default()).expect("a requester");
    assert_eq!(package.left_out(), ["c"]);
    let text = file(&package, "requesters/parcels/requester.toml");
    assert!(text.contains("\nbase_path = \"/v1\"\n"), "{text}");
    let types: Vec<_> = text.lines().filter(|line| line.starts_with("content_type")).collect();
    assert_eq!(types, ["content_type = \"application/merge-patch+json\""], "that of the document is JSON");
    let schema = file(&package, "requesters/parcels/b-request.json");
    assert!(!schema.contains("collectionFormat") && schema.contains("\"definitions\""), "{schema}");
    for path in ["/a?b", "/{a}", "/.."] {
        let faults = read(&document.replace("v1/", path), HostApiChoices::default()).expect_err("a fault");
        let expected =
            format!("parcels.yaml:2: expected a basePath without parameters, found the text '{path}'");
        assert_eq!(faults[0].to_string(), expected);
    }
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
    let package = read(&document, HostApiChoices::default()).expect("a package");
    assert_eq!(package.left_out(), ["get100"]);
    let told = |note: &Note| note.reason.contains("expected at most 100 operations");
    assert!(package.notes().iter().any(told), "{:?}", package.notes());
}

#[test]
fn what_a_document_makes_the_reader_hold_is_limited() {
    let document = "openapi: 3.0.3
info: { title: T, version: '1' }
paths:
  /a:
    parameters:
      - { name: x-trace, in: header, schema: { type: string } }
    get:
      operationId: a
      parameters:
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: day, in: query, schema: { type: string } }
      responses: { '204': { description: d } }
  /b: { get: { operationId: b, responses: { '200': { description: d, content: { application/json: {
    schema: { type: string } } } } } } }
";
    let read = |limits: Limits| {
        let choices = RequesterChoices {
            name: "t".to_owned(),
            connection: "t".to_owned(),
            ccsid: 819,
            programs: ProgramInterface::HostApi(HostApiChoices::default()),
        };
        read_openapi("t.yaml", document.as_bytes(), &limits, &choices)
    };
    let usual = Limits::default();
    for (limits, expected) in [
        (Limits { operation_count_max: 1, ..usual }, "operation_count_max"),
        (Limits { unpacked_max_bytes: 100, ..usual }, "unpacked_max_bytes"),
    ] {
        let faults = read(limits).expect_err("a limit");
        assert!(faults[0].to_string().contains(expected), "{}", faults[0]);
    }
    let package = read(Limits { parameter_count_max: 1, ..usual }).expect("a package");
    assert_eq!(package.left_out(), ["a"]);
    // The header of the path is that of the operation, in other letters.
    let package = read(Limits { parameter_count_max: 2, ..usual }).expect("a package");
    assert!(package.left_out().is_empty(), "{:?}", package.notes());
    let toml = package.files().iter().find(|file| file.path.ends_with(".toml")).expect("a requester");
    assert_eq!(toml.text.matches("header.").count(), 1, "{}", toml.text);
}

/// A document with words exchanged, and lines twice or gone.
fn damaged() -> impl Strategy<Value = String> {
    let lines = prop_oneof![Just(DOCUMENT), Just(PATCHES)];
    let changes =
        prop::collection::vec((0..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6);
    (lines, changes).prop_map(|(document, changes)| {
        let mut lines: Vec<String> = document.lines().map(str::to_owned).collect();
        for (change, one, other) in changes {
            let (at, other) = (one.index(lines.len()), other.index(lines.len()));
            match change {
                0 if lines.len() > 2 => drop(lines.remove(at)),
                1 => lines.insert(other, lines[at].clone()),
                _ => {
                    let words = |line: &str| {
                        line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
                    };
                    let (from, to) = (words(&lines[at]), words(&lines[other]));
                    if let (Some(from), Some(to)) =
                        (from.get(other % from.len().max(1)), to.get(at % to.len().max(1)))
                    {
                        lines[at] = lines[at].replacen(from.as_str(), to, 1);
                    }
                }
            }
        }
        lines.join("\n")
    })
}

proptest! {
    /// A document is refused, or everything that is written can be read. Only parts that are left out are
    /// missing.
    #[test]
    fn damaged_documents_are_refused_or_read(document in damaged(), is_host_api in any::<bool>()) {
        let programs = match is_host_api {
            true => ProgramInterface::HostApi(HostApiChoices::default()),
            false => ProgramInterface::Records,
        };
        let choices = RequesterChoices { name: "p".to_owned(), connection: "p".to_owned(), ccsid: 819, programs };
        let Ok(package) = read_openapi("p.yaml", document.as_bytes(), &Limits::default(), &choices) else {
            return Ok(());
        };
        for file in package.files() {
            match file.path.rsplit('.').next() {
                Some("toml") => {
                    let table: toml::Table = toml::from_str(&file.text).expect("TOML");
                    prop_assert!(table["operation"].as_array().is_some_and(|operations| !operations.is_empty()));
                }
                Some("json") => {
                    let side = if file.path.ends_with("-request.json") { Side::Request } else { Side::Response };
                    let encoding = codepage::Encoding::by_ccsid(819).expect("CCSID 819");
                    let made = Interface::compile_record(&file.text, side, &channel::Options::host_api(encoding));
                    prop_assert!(made.is_ok(), "{made:?}");
                }_ => prop_assert!(file.text.lines().all(|line| line.chars().count() <= 72), "{}", file.text),
            }
        }
        for name in package.left_out() {
            let told = format!("the operation {name} is left out: ");
            prop_assert!(package.notes().iter().any(|note| note.reason.starts_with(&told)), "{told}");
        }
    }
}
