//! Tests API requesters: from archives and OpenAPI documents, called from the command line, and
//! administered like APIs.

use std::io::{Cursor, Write};
use std::process::Output;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::deploy::{admin, detail};
use crate::folder::Folder;
use crate::process::{Gantry, run, text};
use crate::remote::{Asked, Remote};

/// Makes an archive with two operations: `GET /parts/{number}?depth=`, and `POST /parts` with a
/// body.
fn archive(name: &str, version: &str) -> Vec<u8> {
    let description = format!(
        r#"<zosConnectApi xmlns="http://www.ibm.com/zosConnect/2.0/zosConnectApi" id="{name}" packageType="requester">
        <apiSpec title="parts" basePath="/stock" description="Parts" version="{version}" connectionRef="stock">
        <path relativePath="/parts/{{number}}"><method type="GET" operationId="getPart"
            httpXformFile="api/parts/{{number}}/GET/mapping.xml"/></path>
        <path relativePath="/parts"><method type="POST" operationId="addPart"
            httpXformFile="api/parts/POST/mapping.xml"/></path>
        </apiSpec></zosConnectApi>"#
    );
    let mapping = |folder: &str| {
        format!(
            r#"<ZosConnectServiceMapping><requestMessage><mappingRootModel type="MSL" location="{folder}/request.map"/>
            </requestMessage></ZosConnectServiceMapping>"#
        )
    };
    let step = |name: &str, from: &str, to: &str| {
        format!(r#"<{name}><input path="{from}"/><output path="{to}"/></{name}>"#)
    };
    let map = |steps: String| {
        format!(
            "<mappingRoot><mappingDeclaration><input path=\"$rootInput\"/>{steps}</mappingDeclaration></mappingRoot>"
        )
    };
    let get = step("move", "ReqPathParameters/number", "PathParameters/number")
        + &step("move", "ReqQueryParameters/depth", "QueryParameters/depth");
    let part = r#"{"type":"object","required":["name"],"properties":{"name":{"type":"string","maxLength":12},
        "weight":{"type":"number","format":"decimal","multipleOf":0.01,"maximum":999.99}}}"#;
    let request = r#"{"type":"object","required":["ReqPathParameters"],"properties":{
        "ReqPathParameters":{"type":"object","required":["number"],"properties":{"number":{"type":"integer","minimum":1,"maximum":9999}}},
        "ReqQueryParameters":{"type":"object","properties":{"depth":{"type":"string","maxLength":4}}}}}"#;
    let entries = [
        ("package.xml".to_owned(), description),
        ("api/parts/{number}/GET/mapping.xml".to_owned(), mapping("api/parts/{number}/GET")),
        ("api/parts/{number}/GET/request.map".to_owned(), map(get)),
        ("api/parts/POST/mapping.xml".to_owned(), mapping("api/parts/POST")),
        ("api/parts/POST/request.map".to_owned(), map(step("passthrough", "ReqBody", "Body"))),
        ("services/getPart/schemas/getPart_request.json".to_owned(), request.to_owned()),
        (
            "services/getPart/schemas/getPart_200_response.json".to_owned(),
            format!(r#"{{"type":"object","required":["RespBody"],"properties":{{"RespBody":{part}}}}}"#),
        ),
        (
            "services/addPart/schemas/addPart_request.json".to_owned(),
            format!(r#"{{"type":"object","required":["ReqBody"],"properties":{{"ReqBody":{part}}}}}"#),
        ),
        (
            "services/addPart/schemas/addPart_201_response.json".to_owned(),
            r#"{"type":"object","properties":{}}"#.to_owned(),
        ),
    ];
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (entry, text) in entries {
        writer.start_file(entry, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(text.as_bytes()).expect("its content");
    }
    writer.finish().expect("an archive").into_inner()
}

fn answer(asked: &Asked) -> (u16, &'static str, String) {
    const JSON: &str = "content-type: application/json\r\n";
    match asked.line.as_str() {
        line if line.starts_with("POST") => (201, JSON, String::new()),
        line if line.contains("/parts/404") => (404, JSON, r#"{"reason":"no such part"}"#.to_owned()),
        _ => (200, JSON, r#"{"name":"Bolt","weight":1.25,"new":true}"#.to_owned()),
    }
}

fn call(folder: &Folder, arguments: &[&str]) -> Output {
    run(&[&["call"], arguments, &["--in", text(folder.path())]].concat())
}

fn shown(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn an_archive_is_called_with_records_of_its_schemas() {
    let remote = Remote::start(answer);
    let folder = Folder::empty().with("gantry.toml", &remote.connection("stock"));
    std::fs::create_dir(folder.path().join("packages")).expect("a folder");
    std::fs::write(folder.path().join("packages/parts_1.ara"), archive("parts_1", "1.0")).expect("a file");
    let json = r#"{"ReqPathParameters":{"number":17},"ReqQueryParameters":{"depth":"a&b"}}"#;
    let called = call(&folder, &["parts_1", "getPart", "--json", json]);
    let expected = r#"{"RespBody":{"name":"Bolt","weight":1.25}}"#;
    assert_eq!(shown(&called), (expected.to_owned(), "status 200".to_owned()));
    assert_eq!(remote.asked()[0].line, "GET /v1/stock/parts/17?depth=a%26b HTTP/1.1");
    assert_eq!(remote.asked()[0].body, "");

    let called =
        call(&folder, &["parts_1", "addPart", "--json", r#"{"ReqBody":{"name":"Nut","weight":0.5}}"#]);
    assert_eq!(shown(&called), (String::new(), "status 201".to_owned()));
    assert_eq!(remote.asked()[1].line, "POST /v1/stock/parts HTTP/1.1");
    assert_eq!(remote.asked()[1].body, r#"{"name":"Nut","weight":0.5}"#);

    let record = folder.path().join("record.bin");
    let called =
        call(&folder, &["parts_1", "getPart", "--json", json, "--show", "record", "--out", text(&record)]);
    let bytes = std::fs::read(&record).expect("the record");
    let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    assert_eq!(shown(&called).0, hex);
    // These bytes are "Bolt" in the region's code page.
    assert!(hex.starts_with("426F6C74"), "{hex}");
}

#[test]
fn an_imported_archive_has_its_connection() {
    let folder = Folder::empty();
    let archive_path = folder.path().join("parts_1.ara");
    std::fs::write(&archive_path, archive("parts_1", "1.0")).expect("a file");
    let conf = folder.path().join("conf");
    let import = |into: &std::path::Path, more: &[&str]| {
        let output = run(&[&["import", text(&archive_path), "--into", text(into)], more].concat());
        let (out, errors) = shown(&output);
        assert!(output.status.success(), "{errors}");
        out
    };
    let out = import(&conf, &[]);
    assert!(
        out.contains("note: ") && out.contains("connection: stock: put the URL of the API into"),
        "{out}"
    );
    let written = std::fs::read_to_string(conf.join("connections/stock.toml")).expect("a connection");
    assert!(written.contains("url = \"https://api.example\""), "{written}");
    assert!(run(&["check", text(&conf)]).status.success());
    // Hand edits stay.
    std::fs::write(conf.join("connections/stock.toml"), "url = \"https://stock.example\"\n")
        .expect("an edit");
    let again = import(&conf, &["--quiet"]);
    assert_eq!(again, "");
    let own = std::fs::read_to_string(conf.join("connections/stock.toml")).expect("a connection");
    assert_eq!(own, "url = \"https://stock.example\"\n");
    // A connection in gantry.toml stays too.
    let other = Folder::empty().with("gantry.toml", "[connections.stock]\nurl = \"https://a.example\"\n");
    let json = import(other.path(), &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["packages"][0]["kind"], &json["packages"][0]["name"]),
        (&"API requester".into(), &"parts_1".into())
    );
    assert!(json["packages"][0]["notes"].as_array().is_some_and(|notes| !notes.is_empty()), "{json}");
    assert!(
        json["files"]
            .as_array()
            .is_some_and(|files| files.iter().any(|file| file == "requesters/parts_1/requester.toml"))
    );
    assert_eq!(json["connectionsToComplete"], serde_json::json!([]));
    assert!(!other.path().join("connections").exists());
    assert!(run(&["check", text(other.path())]).status.success());
}

#[test]
fn a_failed_call_says_where_it_failed() {
    let remote = Remote::start(answer);
    let folder = Folder::empty().with("gantry.toml", &remote.connection("stock"));
    std::fs::create_dir(folder.path().join("packages")).expect("a folder");
    std::fs::write(folder.path().join("packages/parts_1.ara"), archive("parts_1", "1.0")).expect("a file");
    let fails = |arguments: &[&str], expected: &str| {
        let called = call(&folder, arguments);
        assert!(!called.status.success(), "{called:?}");
        assert!(shown(&called).1.contains(expected), "{expected} in {called:?}");
    };
    let missing = r#"{"ReqPathParameters":{"number":404}}"#;
    fails(&["parts_1", "getPart", "--json", missing], "error in the API, status 404");
    fails(&["parts_1", "getPart", "--json", r#"{"ReqPathParameters":{"number":"x"}}"#], "number");
    fails(&["parts_1", "getPart", "--json", "{}"], "ReqPathParameters");
    fails(&["parts_1", "get"], "it has: addPart, getPart");
    fails(&["parts_1"], "say which operation of parts_1: one of addPart, getPart");
    fails(&["parts_2", "getPart"], "there is no API requester 'parts_2'; known: parts_1");
    fails(&["parts_1", "addPart", "--record", "/nonexistent/file"], "/nonexistent/file");

    let unbound = Folder::empty().with("gantry.toml", "");
    std::fs::create_dir(unbound.path().join("packages")).expect("a folder");
    std::fs::write(unbound.path().join("packages/parts_1.ara"), archive("parts_1", "1.0")).expect("a file");
    let called = call(&unbound, &["parts_1", "addPart", "--json", r#"{"ReqBody":{"name":"Nut"}}"#]);
    assert!(
        shown(&called).1.contains("error in the gateway, status 503: there is no connection 'stock'"),
        "{called:?}"
    );
}

#[test]
fn an_archive_is_deployed_updated_stopped_and_deleted() {
    let folder = Folder::empty().with("gantry.toml", "[server]\nreload_poll_ms = 0");
    let gantry = Gantry::folder(folder.path());
    let parts = archive("parts_1", "1.0");
    let made = detail(&admin(&gantry, "POST", "/apiRequesters", &parts), 201);
    let expected = serde_json::json!({
        "name": "parts_1", "version": "1.0", "description": "Parts", "status": "Started", "connection": "stock"
    });
    assert_eq!(made, expected);
    assert_eq!(detail(&admin(&gantry, "GET", "/apiRequesters/parts_1", b""), 200), expected);
    let list = detail(&admin(&gantry, "GET", "/apiRequesters", b""), 200);
    assert_eq!(list["apiRequesters"][0]["name"], "parts_1");
    assert_eq!(list["apiRequesters"][0]["status"], "Started");
    assert_eq!(list["apiRequesters"][0]["connectionRef"], "stock");
    assert!(
        list["apiRequesters"][0]["adminUrl"]
            .as_str()
            .expect("a URL")
            .ends_with("/zosConnect/apiRequesters/parts_1")
    );
    assert_eq!(admin(&gantry, "POST", "/apiRequesters", &parts).status, 409, "it is there");
    assert_eq!(admin(&gantry, "PUT", "/apiRequesters/parts_1", &parts).status, 409, "it is started");
    assert_eq!(admin(&gantry, "DELETE", "/apiRequesters/parts_1", b"").status, 409, "it is started");
    let stopped = detail(&admin(&gantry, "PUT", "/apiRequesters/parts_1?status=stopped", b""), 200);
    assert_eq!(stopped["status"], "Stopped");
    assert_eq!(
        admin(&gantry, "PUT", "/apiRequesters/parts_1", &archive("other", "1")).status,
        409,
        "another name"
    );
    assert_eq!(admin(&gantry, "PUT", "/apiRequesters/parts_1?status=half", b"").status, 400);
    let newer = detail(
        &admin(&gantry, "PUT", "/apiRequesters/parts_1?status=stopped", &archive("parts_1", "1.1")),
        200,
    );
    assert_eq!((&newer["version"], &newer["status"]), (&"1.1".into(), &"Stopped".into()));
    gantry.stop();

    let gantry = Gantry::folder(folder.path());
    assert_eq!(detail(&admin(&gantry, "GET", "/apiRequesters/parts_1", b""), 200)["status"], "Stopped");
    assert_eq!(detail(&admin(&gantry, "DELETE", "/apiRequesters/parts_1", b""), 200)["name"], "parts_1");
    assert_eq!(admin(&gantry, "GET", "/apiRequesters/parts_1", b"").status, 404);
    assert_eq!(admin(&gantry, "DELETE", "/apiRequesters/parts_1", b"").status, 404);
    assert_eq!(admin(&gantry, "PATCH", "/apiRequesters/parts_1", b"").status, 405);
    assert_eq!(admin(&gantry, "POST", "/apiRequesters", b"no archive").status, 400);
    assert_eq!(admin(&gantry, "POST", "/apis", &parts).status, 400, "it is no API");
}

const DOCUMENT: &str = r##"openapi: 3.0.3
info: { title: Parts, version: "2.1" }
paths:
  /parts/{number}:
    parameters:
      - { name: number, in: path, required: true, schema: { type: integer, minimum: 1, maximum: 9999 } }
    put:
      operationId: changePart
      parameters:
        - { $ref: "#/components/parameters/Mode" }
        - { name: Authorization, in: header, required: true, schema: { type: string } }
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Part" }
      responses:
        "200":
          description: changed
          content:
            application/json:
              schema:
                type: array
                maxItems: 5
                items: { $ref: "#/components/schemas/Part" }
        default: { description: wrong }
components:
  parameters:
    Mode: { name: X-Mode, in: header, schema: { type: string, maxLength: 6 } }
  schemas:
    Part:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 12 }
        amount: { type: integer, minimum: 0, maximum: 999 }
"##;

#[test]
fn a_document_becomes_a_requester_with_copybooks() {
    let remote = Remote::start(|_| {
        let body = r#"[{"name":"A","amount":1},{"name":"B","amount":2}]"#;
        (200, "content-type: application/json\r\n", body.to_owned())
    });
    let folder =
        Folder::empty().with("gantry.toml", &remote.connection("parts")).with("in/parts.yaml", DOCUMENT);
    let document = folder.path().join("in/parts.yaml");
    let import = ["import", "requester", text(&document), "--into", text(folder.path())];
    let imported = run(&import);
    assert!(imported.status.success(), "{imported:?}");
    let (told, _) = shown(&imported);
    assert!(told.contains("note: ") && !told.contains("--copybook"), "{told}");
    let json = r#"{"ReqHeaders":{"X-Mode":"fast"},"ReqPathParameters":{"number":7},"ReqBody":{"name":"Nut","amount":3}}"#;
    let called = call(&folder, &["parts", "changePart", "--json", json]);
    let expected = r#"{"RespBody":[{"name":"A","amount":1},{"name":"B","amount":2}]}"#;
    assert_eq!(shown(&called), (expected.to_owned(), "status 200".to_owned()));
    let asked = remote.asked().remove(0);
    assert_eq!(asked.line, "PUT /v1/parts/7 HTTP/1.1");
    assert!(asked.headers.contains("x-mode: fast\r\n"), "{asked:?}");
    assert_eq!(asked.body, r#"{"name":"Nut","amount":3}"#);
    assert!(run(&import).status.success(), "the same again changes nothing");
    let json = shown(&run(&[&import[..], &["--json"]].concat())).0;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["files"], &json["leftOut"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert!(json["packages"][0]["notes"].as_array().is_some_and(|notes| !notes.is_empty()), "{json}");
    let other = folder.with("in/parts.yaml", &DOCUMENT.replace("999", "99"));
    assert!(!run(&["import", "requester", text(&document), "--into", text(other.path())]).status.success());
}

#[test]
fn booleans_are_booleans_and_what_is_not_set_can_be_left_out() {
    let document = r#"
openapi: 3.0.3
info: { title: Stock, version: "1" }
paths:
  /stock:
    post:
      operationId: add
      parameters: [{ name: limit, in: query, schema: { type: integer } }]
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [sku, fresh],
        properties: { sku: { type: string, maxLength: 4 }, fresh: { type: boolean }, urgent: { type: boolean },
          quantity: { type: integer } } } } } }
      responses: { "200": { description: done, content: { application/json: { schema: { type: object,
        properties: { ok: { type: boolean }, late: { type: boolean } } } } } } }
"#;
    let remote = Remote::start(|_| (200, "content-type: application/json\r\n", r#"{"ok":true}"#.to_owned()));
    let folder = Folder::empty().with("gantry.toml", &remote.connection("stock"));
    let folder = folder.with("in/stock.yaml", document);
    let path = folder.path().join("in/stock.yaml");
    assert!(run(&["import", "requester", text(&path), "--into", text(folder.path())]).status.success());
    let told = |body: &str| {
        let called = call(&folder, &["stock", "add", "--json", body]);
        assert_eq!(shown(&called), (r#"{"RespBody":{"ok":true}}"#.to_owned(), "status 200".to_owned()));
        let asked = remote.asked().pop().expect("a request");
        (asked.line, asked.body)
    };
    // A number always has a value.
    let (line, body) = told(r#"{"ReqBody":{"sku":"A","fresh":false}}"#);
    assert_eq!(line, "POST /v1/stock?limit=0 HTTP/1.1");
    assert_eq!(body, r#"{"sku":"A","fresh":false,"quantity":0}"#);
    let (_, body) = told(r#"{"ReqBody":{"sku":"A","fresh":true,"urgent":true,"quantity":3}}"#);
    assert_eq!(body, r#"{"sku":"A","fresh":true,"urgent":true,"quantity":3}"#);
    // It can be left out where it is zero.
    let file = folder.path().join("requesters/stock/requester.toml");
    let toml = std::fs::read_to_string(&file).expect("it was imported");
    let omitting = |toml: String, name: &str| {
        toml.replace(&format!("name = \"{name}\""), &format!("name = \"{name}\", omit = \"0\""))
    };
    std::fs::write(&file, omitting(omitting(toml, "limit"), "quantity")).expect("written");
    let (line, body) = told(r#"{"ReqBody":{"sku":"A","fresh":false}}"#);
    assert_eq!((line.as_str(), body.as_str()), ("POST /v1/stock HTTP/1.1", r#"{"sku":"A","fresh":false}"#));
    let (line, _) = told(r#"{"ReqQueryParameters":{"limit":5},"ReqBody":{"sku":"A","fresh":false}}"#);
    assert_eq!(line, "POST /v1/stock?limit=5 HTTP/1.1");
}

#[test]
fn a_body_is_sent_with_its_media_type() {
    let document = r#"
openapi: 3.0.3
info: { title: Parts, version: "1" }
paths:
  /part:
    patch:
      operationId: merge
      requestBody: { required: true, content: { application/merge-patch+json: { schema: { type: object, required: [amount],
        properties: { amount: { type: integer, minimum: 0, maximum: 999 } } } } } }
      responses: { "204": { description: done } }
"#;
    for (form, member) in [(&[][..], "ReqBody"), (&["--host-api"], "requestBody")] {
        let remote = Remote::start(|_| (204, "", String::new()));
        let folder = Folder::empty().with("gantry.toml", &remote.connection("parts"));
        let folder = folder.with("in/parts.yaml", document);
        let path = folder.path().join("in/parts.yaml");
        let import = ["import", "requester", text(&path), "--into", text(folder.path())];
        assert!(run(&[&import[..], form].concat()).status.success(), "{form:?}");
        let json = format!(r#"{{"{member}":{{"amount":3}}}}"#);
        let called = call(&folder, &["parts", "merge", "--json", &json]);
        assert_eq!(shown(&called).1, "status 204", "{form:?}");
        let asked = remote.asked().remove(0);
        assert_eq!(
            (asked.line.as_str(), asked.body.as_str()),
            ("PATCH /v1/part HTTP/1.1", r#"{"amount":3}"#)
        );
        assert!(asked.headers.contains("content-type: application/merge-patch+json\r\n"), "{asked:?}");
    }
}

/// A document with parts that no configuration can have. The command leaves each out or refuses it,
/// and says so.
const ODD: &str = r##"
openapi: 3.1.0
info: { title: Odd, version: "1" }
paths:
  x-paths: { get: {} }
  /texts:
    summary: an operation with nothing but texts
    get:
      operationId: texts
      responses:
        "200": { description: a text, content: { text/plain: { schema: { type: string, maxLength: 20 } } } }
        default: { description: an image, content: { image/png: {} } }
  /headers/{id}:
    post:
      operationId: headers
      parameters:
        - { name: Host, in: header, required: true, schema: { type: string } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: content-type, in: header, schema: { type: string } }
        - { name: Connection, in: header, schema: { type: string } }
        - { name: TE, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
        - { name: bad name, in: header, schema: { type: string } }
        - { name: gone, in: path, required: true, schema: { type: string } }
        - { name: id, in: path, required: true, schema: { type: integer, minimum: 0, maximum: 999 } }
        - { name: a.b, in: query, schema: { type: string, maxLength: 3 } }
      requestBody: { content: { "*/*": { schema: { type: object, required: [a], properties: { a: { type: boolean } } } } } }
      responses:
        x-foo: { description: no response }
        "2XX": { description: any }
        "2xx": { description: the same }
        "204": { description: none }
        "20x": { description: no status }
        "600": { description: no status }
  /none:
    get: { operationId: none, responses: {} }
    put: { operationId: none, responses: {} }
    delete: {}
    head: { operationId: head, responses: {} }
  /free:
    get:
      operationId: free
      responses: { "200": { description: any, content: { application/json: { schema: { type: object } } } } }
  /lost/{name}: { get: { operationId: lost, responses: {} } }
  /query?a=b: { get: { operationId: query, responses: {} } }
  /form:
    post:
      operationId: form
      requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { a: { type: string } } } } } }
      responses: {}
"##;

#[test]
fn what_is_imported_of_an_odd_document_loads() {
    let told_of_both = [
        "odd.yaml:21: the header parameter 'TE' is left out: the gateway writes this header",
        "odd.yaml:22: the header parameter 'Authorization' is left out: credentials belong to the connection",
        "odd.yaml:23: the header parameter 'bad name' is left out: has a name that cannot be imported",
        "odd.yaml:24: the path parameter 'gone' is left out: the path does not have it",
        "the response '2xx' is left out",
        "the response '20x' is left out",
        "the response '600' is left out",
        "the operation none is left out: another operation has this operationId",
        "the operation head is left out: the method head is not called",
        "odd.yaml:42: the operation free is left out: ",
        "the operation lost is left out: the path has '{name}', and no parameter is of this name",
        "the operation query is left out: the path has '?', which a path cannot have",
        "the operation form is left out: expected a body of JSON, found multipart/form-data",
    ];
    let left_out = "gantry: 6 operations left out, as the notes say (none, head, free, lost, query, form); all else is imported";
    for form in [&[][..], &["--host-api"]] {
        let folder = Folder::empty().with("in/odd.yaml", ODD);
        let folder = folder.with("gantry.toml", "[connections.odd]\nurl = \"https://api.example.com\"\n");
        let document = folder.path().join("in/odd.yaml");
        let import = ["import", "requester", text(&document), "--into", text(folder.path())];
        let imported = run(&[&import[..], form].concat());
        let (notes, error) = shown(&imported);
        assert!(!imported.status.success(), "operations are left out");
        assert_eq!(error, left_out, "{form:?}");
        for told in told_of_both {
            assert!(notes.contains(told), "{told} in {notes}");
        }
        let checked = run(&["check", text(folder.path())]);
        assert!(checked.status.success(), "{form:?}: {checked:?}");
        let ebcdic = run(&[&import[..], form, &["--ccsid", "37", "--force"]].concat());
        let refused =
            "gantry: expected a code page of the ASCII family with --host-api, such as 819, found 37";
        let expected = if form.is_empty() { left_out } else { refused };
        assert_eq!(shown(&ebcdic).1, expected);
        let path = folder.path().join("requesters/odd/requester.toml");
        let toml = std::fs::read_to_string(path).expect("it was imported");
        for name in ["texts", "headers", "none", "delete-none"] {
            assert!(toml.contains(&format!("name = \"{name}\"\n")), "{name} in {toml}");
        }
    }
}

#[test]
fn what_is_no_document_makes_nothing() {
    for (document, expected) in [
        ("a: 1", "expected a document of OpenAPI 3 or Swagger 2.0"),
        ("{", "EOF"),
        (r#"{"openapi":"3.0.0","paths":{}}"#, "has no operations"),
        (
            r##"{"swagger":"2.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/nowhere"}]}}}}"##,
            "does not exist in this document",
        ),
        (
            r#"{"swagger":"2.0","paths":{"/a":{"get":{"parameters":[{"name":"x","in":"query","required":true,"type":"array"}]}}}}"#,
            "is required, and is not a single value",
        ),
    ] {
        let folder = Folder::empty().with("in.json", document);
        let made = run(&[
            "import",
            "requester",
            text(&folder.path().join("in.json")),
            "--into",
            text(&folder.path().join("out")),
        ]);
        assert!(!made.status.success());
        assert!(shown(&made).1.contains(expected), "{expected} in {made:?}");
        assert!(!folder.path().join("out").exists());
    }
}
