//! Tests unchanged API projects: their document, operations, mappings and assets, in a folder or in
//! an archive.

use std::io::Write;

use crate::folder::Folder;
use crate::process::{Gantry, run, text};

const DOCUMENT: &str = r##"openapi: 3.0.0
info: {title: Stock, version: 1.0.0}
x-ibm-zcon-roles-allowed: [Staff]
paths:
  /articles/{id}:
    get:
      operationId: getArticle
      parameters:
        - {name: id, in: path, required: true, schema: {type: string, maxLength: 4}}
        - {name: lang, in: query, schema: {type: string}}
      responses:
        '200': {description: The article.}
        '404': {description: There is none.}
    delete:
      operationId: deleteArticle
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
      responses:
        '204': {description: It is gone.}
"##;

const REQUEST: &str = r#"---
version: 1.2
mappings:
- commarea:
    mappings:
    - STOCK:
        mappings:
        - ART-ID:
            template: "{{$pathParameters.'id'}}"
            required: true
            nullable: false
        - ART-LANG:
            template: "{{$queryParameters.lang}}"
            required: false
            nullable: false
        - ART-PIECES:
            expression: "$count([1..3])"
"#;

const FOUND: &str = r#"---
version: 1.2
mappings:
- headers:
    mappings:
    - X-Pieces:
        expression: "$zosAssetResponse.commarea.STOCK.'ART-PIECES'"
- body:
    mappings:
    - id:
        template: "{{$zosAssetResponse.commarea.STOCK.'ART-ID'}}"
    - label:
        template: "{{$uppercase($apiRequest.queryParameters.lang)}}: {{$zosAssetResponse.commarea.STOCK.'ART-PIECES'}} pieces"
    - dates:
        required: false
        nullable: false
        foreach:
          input: "$zosAssetResponse.commarea.STOCK.'ART-DATES'"
          mappings:
          - year:
              expression: "$item.'ART-YEAR'"
"#;

const RESPONSES: &str = r#"---
version: 1.0
response_404.yaml:
  condition: "$zosAssetResponse.commarea.STOCK.'ART-ID' = 'NONE'"
  httpStatusCode: 404
response_200.yaml:
  condition: true
  httpStatusCode: 200
"#;

const ASSET: &str = r#"---
version: 1.0
type: "cicsCommarea-1.0"
description: "Looks articles up"
providerProperties:
  program: "ARTLOOK"
  connectionRef: "conn"
  ccsid: "037"
"#;

/// The interface of both sides: text, a number, and a table of years.
const INTERFACE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<ns2:message xmlns:ns2="http://www.ibm.com/ims/Transaction" direction="0">
  <message id="1">
    <segment id="1">
      <field name="STOCK" originalName="STOCK" included="Y" path="STOCK">
        <startPos>1</startPos><bytes>17</bytes><maxBytes>17</maxBytes>
        <applicationDatatype datatype="STRUCT"/>
        <field name="ART-ID" originalName="ART-ID" included="Y" path="STOCK.ART-ID">
          <startPos>1</startPos><bytes>4</bytes><maxBytes>4</maxBytes>
          <applicationDatatype datatype="CHAR"/>
        </field>
        <field name="ART-LANG" originalName="ART-LANG" included="Y" path="STOCK.ART-LANG">
          <startPos>5</startPos><bytes>2</bytes><maxBytes>2</maxBytes>
          <applicationDatatype datatype="CHAR"/>
        </field>
        <field name="ART-PIECES" originalName="ART-PIECES" included="Y" path="STOCK.ART-PIECES">
          <startPos>7</startPos><bytes>3</bytes><maxBytes>3</maxBytes>
          <marshaller isSigned="N" isSignLeading="N" isSignSeparate="N" isWCHAROnly="N">
            <typeConverter>ZONEDDECIMAL</typeConverter>
          </marshaller>
          <applicationDatatype datatype="DECIMAL" precision="3" scale="0"/>
        </field>
        <field name="ART-DATES" originalName="ART-DATES" included="Y" path="STOCK.ART-DATES" minOccurs="2" maxOccurs="2">
          <startPos>10</startPos><bytes>8</bytes><maxBytes>8</maxBytes>
          <applicationDatatype datatype="ARRAY"/>
          <field name="ART-YEAR" originalName="ART-YEAR" included="Y" path="STOCK.ART-DATES.ART-YEAR">
            <bytes>4</bytes><maxBytes>4</maxBytes>
            <marshaller isSigned="N" isSignLeading="N" isSignSeparate="N" isWCHAROnly="N">
              <typeConverter>ZONEDDECIMAL</typeConverter>
            </marshaller>
            <applicationDatatype datatype="DECIMAL" precision="4" scale="0"/>
          </field>
        </field>
      </field>
    </segment>
  </message>
</ns2:message>
"#;

const OPERATION: &str = "operations/%2Farticles%2F%7Bid%7D/get";

fn files() -> Vec<(String, &'static str)> {
    let file = |name: &str, text| (name.to_owned(), text);
    vec![
        file("api/openapi.yaml", DOCUMENT),
        file(&format!("{OPERATION}/operation.yaml"), "version: 1\nzasset: \"LOOK\"\n"),
        file(&format!("{OPERATION}/request.yaml"), REQUEST),
        file(&format!("{OPERATION}/response_200.yaml"), FOUND),
        file(&format!("{OPERATION}/response_404.yaml"), "version: 1.2\nmappings:\n"),
        file(&format!("{OPERATION}/response_mapping.yaml"), RESPONSES),
        file("zosAssets/LOOK/zosAsset.yaml", ASSET),
        file("zosAssets/LOOK/providerFiles/request.dai", INTERFACE),
        file("zosAssets/LOOK/providerFiles/response.dai", INTERFACE),
        file("config/options.yaml", "provider: CICS\n"),
    ]
}

/// Gives the files of the project for unknown callers.
pub(crate) fn files_without_roles() -> Vec<(String, String)> {
    let open = |text: &str| text.replace("x-ibm-zcon-roles-allowed: [Staff]\n", "");
    files().into_iter().map(|(path, text)| (path, open(text))).collect()
}

pub(crate) const GANTRY: &str = "[providers.ARTLOOK]\nkind = \"simulated\"\nanswer = \"echo\"\n";

pub(crate) fn folder(root: &str) -> Folder {
    // The roles of the document ask for known callers. This project tests its mappings.
    let open = |text: &str| text.replace("x-ibm-zcon-roles-allowed: [Staff]\n", "");
    let begin = Folder::empty().with("gantry.toml", GANTRY);
    files()
        .into_iter()
        .fold(begin, |folder, (path, text)| folder.with(&format!("apis/stock/{root}{path}"), &open(text)))
}

#[test]
fn a_project_in_a_folder_serves_as_it_is() {
    for root in ["", "src/main/"] {
        let folder = folder(root);
        let gantry = Gantry::folder(folder.path());
        let answer = gantry.get("/articles/A1?lang=de");
        answer.is_json(200, r#"{"id":"A1","label":"DE: 3 pieces","dates":[{"year":0},{"year":0}]}"#);
        assert_eq!(answer.header("x-pieces"), Some("3"));
        let answer = gantry.get("/articles/NONE");
        assert_eq!((answer.status, answer.text()), (404, ""));
        gantry.get("/articles/LONGER").fails(400, "GTY0411W");
        // The document has this operation. The project does not map it.
        gantry.send("DELETE", "/articles/A1", "", "").fails(405, "GTY0405W");
    }
}

#[test]
fn a_parameter_is_a_number_for_a_field_that_is_one() {
    // Parameters are texts in a project, whatever the field is to which they are mapped.
    let request = REQUEST.replace("$count([1..3])", "$queryParameters.lang");
    let folder = folder("").with(&format!("apis/stock/{OPERATION}/request.yaml"), &request);
    let gantry = Gantry::folder(folder.path());
    let answer = gantry.get("/articles/A1?lang=07");
    answer.is_json(200, r#"{"id":"A1","label":"07: 7 pieces","dates":[{"year":0},{"year":0}]}"#);
    gantry.get("/articles/A1?lang=de").fails(400, "GTY0423W");
}

#[test]
fn a_project_in_an_archive_serves_too() {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, text) in files() {
        let text = text.replace("x-ibm-zcon-roles-allowed: [Staff]\n", "");
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(format!("src/main/{path}"), options).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its text");
    }
    let bytes = writer.finish().expect("an archive").into_inner();
    let folder = Folder::empty().with("gantry.toml", GANTRY);
    std::fs::create_dir(folder.path().join("packages")).expect("a folder");
    std::fs::write(folder.path().join("packages/stock.zip"), bytes).expect("a file");
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/articles/A1?lang=de").status, 200);
}

#[test]
fn roles_of_the_document_ask_for_known_callers() {
    let folder =
        files().into_iter().fold(Folder::empty().with("gantry.toml", GANTRY), |folder, (path, text)| {
            folder.with(&format!("apis/stock/{path}"), text)
        });
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/articles/A1").status, 401);
}

/// Gives what `gantry check` prints about the project with one text replaced.
fn faults(file: &str, before: &str, after: &str) -> String {
    let (_, original) = files().into_iter().find(|(path, _)| path.ends_with(file)).expect("a file");
    assert!(original.contains(before), "{before}");
    let path = files().into_iter().find(|(path, _)| path.ends_with(file)).expect("a file").0;
    let folder = folder("").with(&format!("apis/stock/{path}"), &original.replacen(before, after, 1));
    let output = run(&["check", text(folder.path())]);
    assert!(!output.status.success(), "{file}: {after}");
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

#[test]
fn faults_of_a_project_have_their_file_and_line() {
    let cases = [
        ("get/request.yaml", "$count([1..3])", "$count([1..3)", "request.yaml:17"),
        ("zosAsset.yaml", "cicsCommarea-1.0", "fileTransfer-1.0", "assets of type fileTransfer-1.0"),
        ("request.dai", "<startPos>7</startPos>", "<startPos>8</startPos>", "request.dai:23"),
        ("operation.yaml", "LOOK", "LOOP", "there is no asset 'LOOP'"),
        ("openapi.yaml", "/articles/{id}:", "/article/{id}:", "no operation get /articles/{id}"),
    ];
    for (file, before, after, message) in cases {
        let found = faults(file, before, after);
        assert!(found.contains(message), "{message} in\n{found}");
    }
}

#[test]
fn a_variable_that_does_not_exist_has_no_value_in_a_project() {
    let (path, original) =
        files().into_iter().find(|(path, _)| path.ends_with("get/request.yaml")).expect("a file");
    let folder = folder("").with(
        &format!("apis/stock/{path}"),
        &original.replacen("$queryParameters.lang", "$requestBody.lang", 1),
    );
    let output = run(&["check", text(folder.path())]);
    let found =
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{found}");
    assert!(found.contains("there is no variable $requestBody; known: "), "{found}");
    assert!(found.contains("request.yaml:13"), "{found}");
}

#[test]
fn a_commarea_without_interfaces_needs_a_service() {
    let folder = folder("");
    for side in ["request", "response"] {
        let path = folder.path().join(format!("apis/stock/zosAssets/LOOK/providerFiles/{side}.dai"));
        std::fs::remove_file(path).expect("it was there");
    }
    let output = run(&["check", text(folder.path())]);
    let found = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && found.contains("services/ARTLOOK.toml"), "{found}");
    let copybook = "       01 STOCK.\n           03 ART-ID PIC X(4).\n           03 ART-LANG PIC X(2).\n           03 ART-PIECES PIC 9(3).\n           03 ART-DATES OCCURS 2.\n              05 ART-YEAR PIC 9(4).\n";
    let side = "copybook = \"STOCK.cpy\"\nwrapper = \"STOCK\"\n";
    let service = format!("ccsid = 37\nnaming = \"cobol\"\n[request]\n{side}[response]\n{side}");
    let folder = folder.with("copybooks/STOCK.cpy", copybook).with("services/ARTLOOK.toml", &service);
    let gantry = Gantry::folder(folder.path());
    assert_eq!(gantry.get("/articles/A1?lang=de").status, 200);
}
