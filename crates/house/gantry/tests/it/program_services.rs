//! Tests what else a service of a program can do beside its record: context containers, statuses,
//! several containers, rights.

use std::path::Path;

use crate::folder::Folder;
use crate::process::{Gantry, request, run, text};
use crate::security::{BASIC, JOHN, MARY, user};

const JSON: &str = "content-type: application/json\r\n";

/// Reads a file of `tests/programs`.
fn source(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    std::fs::read_to_string(path).expect("a text")
}

/// Makes a configuration with these programs and copybooks of `tests/programs`, and its own cache.
/// `gantry` follows the section `[region]`.
fn folder(files: &[&str], gantry: &str) -> Folder {
    let mut folder = Folder::empty();
    for name in files {
        let to = if name.ends_with(".cpy") { "copybooks" } else { "programs" };
        folder = folder.with(&format!("{to}/{name}"), &source(name));
    }
    // A folder whose name begins with a dot is not part of the configuration.
    let cache = format!("{}/.cache", text(folder.path()));
    let listener = "[[listener]]\naddress = \"127.0.0.1:0\"\n[admin]\naddress = \"127.0.0.1:0\"\n";
    folder.with("gantry.toml", &format!("{listener}[region]\ncache = \"{cache}\"\nworkers = 1\n{gantry}"))
}

/// Gives what `gantry check` prints about a faulty folder.
fn faults(folder: &Folder) -> String {
    let output = run(&["check", text(folder.path())]);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const CONTEXT_API: &str = r#"
base_path = "/context"
[[operation]]
method = "GET"
path = "/of/{number}"
service = "context"
[operation.request]
move = [{ from = "path.number", to = "CX-LENGTH" }]
"#;

fn context_service(provider: &str) -> String {
    format!(
        r#"
ccsid = 819
[provider]
kind = "program"
program = "CONTEXT"
{provider}
[request]
copybook = "CONTEXTR.cpy"
wrapper = ""
[response]
copybook = "CONTEXTR.cpy"
wrapper = ""
"#
    )
}

fn context_folder(provider: &str) -> Folder {
    let users = format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word"));
    folder(&["CONTEXT.cbl", "CONTEXTR.cpy"], &format!("[security]\nrequire_auth = false\n{BASIC}"))
        .with("users.txt", &users)
        .with("apis/context/api.toml", CONTEXT_API)
        .with("services/context.toml", &context_service(provider))
}

fn get(gantry: &Gantry, path: &str, headers: &str) -> crate::client::Response {
    gantry.request(format!("GET {path} HTTP/1.1\r\nhost: a.localhost:80\r\n{headers}\r\n").as_bytes())
}

#[test]
fn a_program_gets_context_containers_if_it_asks_for_them() {
    let wanted = "channel = \"C\"\nuse_context_containers = true\nhttp_headers = [\"X-Note\", \"X-None\"]";
    let folder = context_folder(wanted);
    let gantry = Gantry::folder(folder.path());
    let headers = format!("{MARY}x-note: caf\u{e9}\r\nx-note: 2\r\n");
    get(&gantry, "/context/of/7?n=%201", &headers).is_json(
        200,
        r#"{"cx_method":"GET","cx_length":8,"cx_uri":"http://a.localhost:80/context/of/7?n=%201","cx_query":"n=%201","cx_headers":"{\"httpHeaders\":{\"X-Note\":\"café, 2\"}}","cx_caller":"mary","cx_userid":"MARY"}"#,
    );
    get(&gantry, "/context/of/7", "").is_json(
        200,
        r#"{"cx_method":"GET","cx_length":8,"cx_uri":"http://a.localhost:80/context/of/7","cx_query":"NONE","cx_headers":"{\"httpHeaders\":{}}","cx_caller":"NONE","cx_userid":"GANTRY"}"#,
    );
}

#[test]
fn without_being_asked_for_there_are_no_context_containers() {
    let folder = context_folder("channel = \"C\"");
    let gantry = Gantry::folder(folder.path());
    get(&gantry, "/context/of/7", JOHN).is_json(
        200,
        r#"{"cx_method":"NONE","cx_length":120,"cx_uri":"NONE","cx_query":"NONE","cx_headers":"NONE","cx_caller":"NONE","cx_userid":"JOHN"}"#,
    );
}

#[test]
fn context_containers_that_cannot_be_are_told() {
    for (provider, expected) in [
        ("use_context_containers = true", "context containers need 'channel'"),
        ("channel = \"C\"\nhttp_headers = [\"A\"]", "'http_headers' goes with use_context_containers = true"),
        (
            "channel = \"C\"\nuse_context_containers = true\nhttp_headers = [\"A B\"]",
            "expected names of headers in 'http_headers', found 'A B'",
        ),
        (
            "channel = \"C\"\nuse_context_containers = true\nrequest_container = \"DFHWS-URI\"",
            "DFHWS-URI is a context container",
        ),
    ] {
        let said = faults(&context_folder(provider));
        assert!(said.contains(expected) && said.contains("services/context.toml"), "{provider}: {said}");
    }
}

/// In one operation the program sets the status in its container. In two a field holds the status.
const STATUS_API: &str = r#"
base_path = "/status"
[[operation]]
method = "POST"
path = "/line"
service = "line"
[[operation]]
method = "POST"
path = "/field"
service = "field"
operation_id = "field"
[operation.response]
status_field = "SX-CODE"
remove = ["SX-CODE"]
status = 202
[[operation]]
method = "POST"
path = "/rule"
service = "field"
operation_id = "rule"
[[operation.responses]]
when = [{ field = "SX-TEXT", is = "=", value = "BAD" }]
status = 400
status_field = "SX-CODE"
"#;

fn status_service(more: &str) -> String {
    let record = "copybook = \"STATUSR.cpy\"\nwrapper = \"\"\n";
    format!(
        "ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"STATUS\"\n{more}\n[request]\n{record}[response]\n{record}"
    )
}

fn status_folder() -> Folder {
    folder(&["STATUS.cbl", "STATUSR.cpy"], "")
        .with("apis/status/api.toml", STATUS_API)
        .with("services/line.toml", &status_service("channel = \"S\"\nuse_http_status = true"))
        .with("services/field.toml", &status_service("channel = \"S\""))
}

#[test]
fn a_program_puts_the_status_of_its_answer_into_a_container() {
    let folder = status_folder();
    let gantry = Gantry::folder(folder.path());
    let line =
        |path: &str, line: &str| gantry.send("POST", path, JSON, &format!(r#"{{"sx_line":"{line}"}}"#));
    let answer = line("/status/line", "HTTP/1.1 409 Stock Is Gone");
    answer.is_json(409, r#"{"sx_line":"HTTP/1.1 409 Stock Is Gone","sx_code":0,"sx_text":""}"#);
    let mut client = gantry.connect();
    let body = r#"{"sx_line":"HTTP/1.1 409 Stock Is Gone"}"#;
    client.send(request("POST", "/status/line", &format!("{JSON}connection: close\r\n"), body).as_bytes());
    assert!(client.rest().starts_with("HTTP/1.1 409 Stock Is Gone\r\n"));
    assert_eq!((line("/status/line", "").status, line("/status/line", "201").status), (200, 201));
    let empty = line("/status/line", "HTTP/1.1 204 No Content");
    assert_eq!((empty.status, empty.text()), (204, ""));
    for bad in ["HTTP/1.1 600 Beyond", "HTTP/1.1 100 Continue", "SORRY", "HTTP/1.1 20"] {
        line("/status/line", bad).fails(502, "GTY0512E");
    }
    // If the service does not ask for it, the container belongs to the program.
    assert_eq!(line("/status/rule", "HTTP/1.1 409 Stock Is Gone").status, 200);
    let log = gantry.stop();
    assert!(log.contains("expected a status line such as") && log.contains("SORRY"), "{log}");
}

#[tokio::test]
async fn a_direct_call_whose_status_allows_no_body_has_none() {
    let folder = status_folder();
    let gantry = Gantry::folder(folder.path());
    let mut sender = crate::http2::connect_to(gantry.admin).await;
    for status in [204, 205] {
        let body = format!(r#"{{"sx_line":"HTTP/1.1 {status} Done"}}"#);
        let request = crate::http2::request("POST", "/zosConnect/services/line?action=invoke", &body);
        sender.ready().await.expect("the connection is open");
        let answer = sender.send_request(request).await.expect("an answer");
        assert_eq!(answer.headers().get("content-length"), None, "{status}");
        assert_eq!(crate::http2::read(answer).await, (status, String::new()));
    }
}

#[test]
fn a_field_of_the_answer_is_its_status() {
    let folder = status_folder();
    let gantry = Gantry::folder(folder.path());
    let send = |path: &str, code: i32, text: &str| {
        gantry.send("POST", path, JSON, &format!(r#"{{"sx_code":{code},"sx_text":"{text}"}}"#))
    };
    send("/status/field", 404, "GONE").is_json(404, r#"{"sx_line":"","sx_text":"GONE"}"#);
    assert_eq!(send("/status/field", 0, "").status, 202);
    for bad in [600, 199, 1, -200] {
        let details = send("/status/field", bad, "").fails(502, "GTY0512E").to_owned();
        assert_eq!(details, "bad status: SX-CODE");
    }
    // The rule chooses the mapping. The mapping chooses the field.
    assert_eq!(send("/status/rule", 404, "FINE").status, 200);
    assert_eq!(send("/status/rule", 422, "BAD").status, 422);
    assert_eq!(send("/status/rule", 0, "BAD").status, 400);
}

#[test]
fn documents_say_that_the_program_gives_the_status() {
    let folder = status_folder();
    let gantry = Gantry::folder(folder.path());
    let openapi: serde_json::Value =
        serde_json::from_str(gantry.get("/status/openapi.json").text()).expect("JSON");
    let swagger: serde_json::Value =
        serde_json::from_str(gantry.get("/status/api-docs").text()).expect("JSON");
    let schema = |name: &str| format!("#/components/schemas/{name}");
    for (path, name) in
        [("line", "postline_response_200"), ("field", "field_response_202"), ("rule", "rule_response_400")]
    {
        let answers = &openapi["paths"][format!("/{path}")]["post"]["responses"];
        assert_eq!(answers["default"]["description"], "The status that the program gives.", "{path}");
        let reference = &answers["default"]["content"]["application/json"]["schema"]["$ref"];
        assert_eq!(reference, &schema(name), "{path}");
        let answers = &swagger["paths"][format!("/{path}")]["post"]["responses"];
        assert_eq!(answers["default"]["schema"]["$ref"], format!("#/definitions/{name}"), "{path}");
        assert!(answers["502"]["description"].as_str().expect("a text").contains("cannot be sent"), "{path}");
    }
}

#[test]
fn statuses_that_cannot_be_are_told() {
    let folder = status_folder().with("services/line.toml", &status_service("use_http_status = true"));
    let said = faults(&folder);
    assert!(said.contains("'use_http_status' needs 'channel'"), "{said}");
    let api =
        STATUS_API.replace("status_field = \"SX-CODE\"\nremove", "status_field = \"NOT-THERE\"\nremove");
    let said = faults(&status_folder().with("apis/status/api.toml", &api));
    assert!(said.contains("NOT-THERE") && said.contains("apis/status/api.toml:"), "{said}");
}

/// Only the group staff may run PRICER, and only john the transaction ADMN.
const RIGHTS: &str = r#"
[[region.program]]
name = "PRICER"
roles = { invoke = ["staff"] }
[[region.program]]
name = "STATUS"
users = ["john"]
[[region.transaction]]
name = "ADMN"
users = ["john"]
"#;

fn rights_folder(rights: &str) -> Folder {
    let users = format!("{}{}", user("mary", "staff", "secret"), user("john", "", "word"));
    folder(
        &["STATUS.cbl", "STATUSR.cpy", "LINKING.cbl"],
        &format!("{rights}\n[security]\nrequire_auth = false\n{BASIC}"),
    )
    .with("programs/PRICER.cbl", &source("LINKED.cbl"))
    .with("users.txt", &users)
    .with("apis/status/api.toml", STATUS_API)
    .with("services/line.toml", &status_service("channel = \"S\""))
    .with("services/field.toml", &status_service("transaction = \"ADMN\"").replace("STATUS\"", "LINKING\""))
    .with("services/free.toml", &status_service("").replace("STATUS\"", "LINKING\""))
}

#[test]
fn the_right_to_run_a_program_goes_by_role() {
    let api = STATUS_API.replacen("service = \"field\"", "service = \"free\"", 1);
    let folder = rights_folder(RIGHTS).with("apis/status/api.toml", &api);
    let gantry = Gantry::folder(folder.path());
    let send =
        |path: &str, who: &str| gantry.send("POST", path, &format!("{JSON}{who}"), "{\"sx_text\":\"X\"}");
    // These calls test the first program of a task, and its transaction.
    for (path, who, may) in [
        ("/status/line", JOHN, true),
        ("/status/line", MARY, false),
        ("/status/line", "", false),
        ("/status/rule", JOHN, true),
        ("/status/rule", MARY, false),
        ("/status/rule", "", false),
    ] {
        let answer = send(path, who);
        if may {
            assert_eq!(answer.status, 200, "{path} {who}");
        } else {
            assert_eq!(answer.fails(403, "GTY0438W"), "", "{path} {who}");
        }
    }
    // These calls test a linked program. LINKING answers with RESP and RESP2 of its LINK to PRICER.
    send("/status/field", MARY).is_json(202, r#"{"sx_line":"000 000","sx_text":"MARY"}"#);
    send("/status/field", JOHN).is_json(202, r#"{"sx_line":"070 101","sx_text":"JOHN"}"#);
    send("/status/field", "").is_json(202, r#"{"sx_line":"070 101","sx_text":"GANTRY"}"#);
    let log = gantry.stop();
    let expected = "expected a user who may run the program STATUS and the transaction GTRY, found";
    assert!(log.contains(expected), "{log}");
}

#[test]
fn rules_that_cannot_be_are_told() {
    for (rights, expected) in [
        ("[[region.program]]\nname = \"A\"", "this entry has no setting"),
        ("[[region.program]]\nname = \"TOO-LONG-NAME\"", "expected a program of 1 to 8 characters"),
        ("[[region.transaction]]\nname = \"TOOLONG\"", "expected a transaction of 1 to 4 characters"),
        (
            "[[region.program]]\nname = \"A\"\nusers = []\n[[region.program]]\nname = \"A\"\nusers = []",
            "there is another [[region.program]] for A",
        ),
        (
            "[[region.program]]\nname = \"A\"\nusers = [\"customer\", \"customer1\"]",
            "the user 'customer1' (users of a rule) is CUSTOMER to programs of the region",
        ),
        ("[[region.program]]\nname = \"A\"\nroles = { admin = [\"x\"] }", "'admin' is not known here"),
    ] {
        let said = faults(&rights_folder(rights));
        assert!(said.contains(expected) && said.contains("gantry.toml:"), "{rights}: {said}");
    }
}

/// COMP-1 and COMP-2 of a program have the format of this machine. COMP-5 has that of a mainframe.
#[test]
fn floating_point_numbers_are_those_of_the_program() {
    let provider = "ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"FLOATS\"";
    let container = "name = \"NUMBERS\"\nmember = \"numbers\"\nrecord = { copybook = \"FLOATSR.cpy\" }";
    let folder = folder(&["FLOATS.cbl", "FLOATSR.cpy"], "")
        .with("services/area.toml", &service_of_floats("kind = \"program\", program = \"FLOATS\""))
        .with(
            "services/channel.toml",
            &format!(
                "{provider}\nchannel = \"C\"\n[[request_container]]\n{container}\n[[response_container]]\n{container}\n"
            ),
        );
    let call = |service: &str, json: &str| {
        let output = run(&["call", service, "--json", json, "--in", text(folder.path())]);
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let (numbers, doubled) = (
        r#"{"fl_short":1.25,"fl_long":-20.25,"fl_native":258}"#,
        r#"{"fl_short":2.5,"fl_long":-40.5,"fl_native":516}"#,
    );
    assert_eq!(call("area", numbers), doubled);
    assert_eq!(
        call("channel", &format!(r#"{{"numbers":{numbers}}}"#)),
        format!(r#"{{"numbers":{doubled}}}"#)
    );
}

/// A program of 64 bits has longer addresses than a mainframe. The fields after them move.
#[test]
fn addresses_are_as_long_as_those_of_the_program() {
    let record = "       01  DFHCOMMAREA.
           05  BEFORE-IT   PIC X(3).
           05  SOMEWHERE   POINTER.
           05  SLOT        INDEX.
           05  BEHIND-IT   PIC X(5).
";
    let program = format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. POINTS.
       DATA DIVISION.
       LINKAGE SECTION.
{record}       PROCEDURE DIVISION.
           SET SOMEWHERE TO ADDRESS OF BEFORE-IT.
           MOVE 'after' TO BEHIND-IT.
           EXEC CICS RETURN END-EXEC.
"
    );
    let side = |more: &str| format!("copybook = \"POINTS.cpy\"\nwrapper = \"\"\n{more}");
    let service = |more: &str| {
        format!(
            "ccsid = 819\nprovider = {{ kind = \"program\", program = \"POINTS\" }}\n[request]\n{0}[response]\n{0}",
            side(more)
        )
    };
    let folder = folder(&["FLOATS.cbl"], "")
        .with("programs/POINTS.cbl", &program)
        .with("copybooks/POINTS.cpy", record)
        .with("services/points.toml", &service(""));
    let call = || {
        let output =
            run(&["call", "points", "--json", r#"{"before_it":"abc"}"#, "--in", text(folder.path())]);
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned()
    };
    assert_eq!(call(), r#"{"before_it":"abc","behind_it":"after"}"#);
    std::fs::write(folder.path().join("services/points.toml"), service("pointer_bytes = 3\n"))
        .expect("written");
    assert!(call().contains("expected 4 or 8, found 3"), "{}", call());
}

/// Makes a service with the record of FLOATS on both sides.
fn service_of_floats(provider: &str) -> String {
    let record = "copybook = \"FLOATSR.cpy\"\nwrapper = \"\"";
    format!("ccsid = 819\nprovider = {{ {provider} }}\n[request]\n{record}\n[response]\n{record}\n")
}

#[test]
fn a_service_without_its_program_is_warned_of() {
    let service = service_of_floats("kind = \"program\", program = \"FLOATZ\"");
    let check = |gantry: &str| {
        let folder = folder(&["FLOATS.cbl", "FLOATSR.cpy"], gantry).with("services/numbers.toml", &service);
        let checked = run(&["check", text(folder.path())]);
        assert!(checked.status.success(), "{checked:?}");
        String::from_utf8_lossy(&checked.stderr).into_owned()
    };
    let found = check("");
    let expected = "the program FLOATZ of a service does not exist; its calls end with abend APCT";
    assert!(found.contains(expected), "{found}");
    let elsewhere = check(
        "[[region.link]]\nsysid = \"FAR\"\naddress = \"unix:/run/far.sock\"\n\
         [[region.program]]\nname = \"FLOATZ*\"\nsysid = \"FAR\"\n",
    );
    assert!(!elsewhere.contains("FLOATZ"), "{elsewhere}");
}

/// Records that programs transform have the programs' formats, with any provider of their service.
#[test]
fn floating_point_numbers_that_programs_transform_are_theirs() {
    let echo = service_of_floats("kind = \"simulated\", answer = \"echo\"");
    let shown = |transform: &str| {
        let folder = folder(&["FLOATS.cbl", "FLOATSR.cpy"], transform).with("services/numbers.toml", &echo);
        let json = r#"{"fl_short":1.25,"fl_long":1.25,"fl_native":258}"#;
        let arguments = ["call", "numbers", "--json", json, "--show", "record", "--in", text(folder.path())];
        String::from_utf8_lossy(&run(&arguments).stdout).trim().to_owned()
    };
    let transform = "[[region.transform]]\nname = \"N\"\nservice = \"numbers\"\nrecord = \"request\"\n";
    assert_eq!(shown(""), "3FA000003FF40000000000000102");
    assert_eq!(shown(transform), "0000A03F000000000000F43F0102");
}

const PARCEL_SERVICE: &str = r#"
ccsid = 819
[provider]
kind = "program"
program = "PARCEL"
channel = "PARCEL"
use_http_status = true
[[request_container]]
name = "ADDRESS"
record = { copybook = "ADDRESS.cpy" }
[[request_container]]
name = "ITEM"
member = "item"
record = { copybook = "ITEM.cpy", fields = { IT-COUNT = { minimum = 1, required = true } } }
[[request_container]]
name = "NOTE"
optional = true
[[response_container]]
name = "PRICE"
record = { copybook = "PRICE.cpy" }
[[response_container]]
name = "LABEL"
data_type = "char"
optional = true
record = { copybook = "LABEL.cpy" }
[[response_container]]
name = "REMARK"
member = "said"
optional = true
"#;

const PARCEL_DOCUMENT: &str = r#"openapi: 3.0.3
info: {title: Parcels, version: 1.0.0}
paths:
  /parcels/{zip}:
    parameters:
      - {name: zip, in: path, required: true, schema: {type: integer}}
    post:
      operationId: send
      requestBody:
        required: true
        content: {application/json: {schema: {type: object}}}
      responses:
        '201': {description: It is sent., content: {application/json: {schema: {type: object}}}}
"#;

const PARCEL_API: &str = r#"document = "openapi.yaml"
base_path = "/post"
[[operation]]
operation = "send"
[[operation.call]]
service = "parcel"
request = '{ "address": { "ad_name": $body.name, "ad_zip": $pathParameters.zip }, "item": $body.item, "note": $body.note }'
[[operation.reply]]
status = 201
body = '{ "amount": $calls.parcel.price.pr_amount, "said": $calls.parcel.said }'
"#;

fn parcel_folder(service: &str) -> Folder {
    let item = "           05  IT-WEIGHT PIC S9(5) COMP-3.\n           05  IT-COUNT PIC S9(4) COMP.\n";
    folder(&["PARCEL.cbl"], "")
        .with("copybooks/ADDRESS.cpy", "           05  AD-NAME PIC X(10).\n           05  AD-ZIP PIC 9(5).\n")
        .with("copybooks/ITEM.cpy", item)
        .with("copybooks/PRICE.cpy", "           05  PR-AMOUNT PIC S9(7)V99 COMP-3.\n")
        .with("copybooks/LABEL.cpy", "           05  LB-NAME PIC X(10).\n           05  LB-LINE PIC X(12).\n")
        .with("services/parcel.toml", service)
}

#[test]
fn several_containers_are_one_json_object() {
    let folder = parcel_folder(PARCEL_SERVICE)
        .with("apis/post/openapi.yaml", PARCEL_DOCUMENT)
        .with("apis/post/api.toml", PARCEL_API);
    let gantry = Gantry::folder(folder.path());
    let invoke = |body: &str| {
        let path = "/zosConnect/services/parcel?action=invoke";
        crate::client::Client::connect(gantry.admin).ask(request("POST", path, JSON, body).as_bytes())
    };
    let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let answer = invoke(
        r#"{"address":{"ad_name":"Ann","ad_zip":1234},"item":{"it_weight":250,"it_count":2},"note":"café"}"#,
    );
    let expected = r#"{"price":{"pr_amount":5},"label":{"lb_name":"Ann","lb_line":"01234"},"said":"café"}"#;
    assert_eq!((answer.status, parsed(answer.text())), (200, parsed(expected)));
    // Optional containers may be missing, on both sides.
    let answer = invoke(r#"{"item":{"it_weight":100,"it_count":1},"address":{"ad_name":"Bo","ad_zip":0}}"#);
    assert_eq!((answer.status, parsed(answer.text())), (200, parsed(r#"{"price":{"pr_amount":1}}"#)));
    for (body, code, place) in [
        (r#"{"address":{"ad_name":"Bo","ad_zip":0}}"#, "GTY0422W", "item"),
        (
            r#"{"address":{"ad_name":"Bo","ad_zip":0},"item":{"it_weight":1,"it_count":0}}"#,
            "GTY0424W",
            "item.it_count",
        ),
        (r#"{"address":{},"item":{"it_count":1},"parcel":{}}"#, "GTY0420W", "parcel"),
    ] {
        let answer = invoke(body);
        let text = answer.text();
        assert!(answer.status == 400 && text.contains(code) && text.contains(place), "{body}: {text}");
    }
    // An API with expressions gives the same.
    let body = r#"{"name":"Ann","item":{"it_weight":250,"it_count":4},"note":"fragile"}"#;
    let answer = gantry.send("POST", "/post/parcels/99", JSON, body);
    assert_eq!((answer.status, parsed(answer.text())), (201, parsed(r#"{"amount":10,"said":"fragile"}"#)));
}

#[test]
fn containers_that_cannot_be_are_told() {
    let replaced = |from: &str, to: &str| parcel_folder(&PARCEL_SERVICE.replacen(from, to, 1));
    for (from, to, expected) in [
        ("name = \"NOTE\"", "name = \"NOTE\"\ndata_type = \"bit\"", "a BIT container needs a 'record'"),
        (
            "name = \"NOTE\"",
            "name = \"ITEM\"\nmember = \"x\"",
            "expected containers with different names, found 'ITEM' twice",
        ),
        ("name = \"NOTE\"", "name = \"DFHWS-URI\"", "DFHWS-URI is a container of the gateway"),
        ("channel = \"PARCEL\"", "", "a service of containers needs a program with 'channel'"),
        (
            "[[request_container]]",
            "[request]\ncopybook = \"ITEM.cpy\"\n[[request_container]]",
            "records or containers, not both",
        ),
        ("copybook = \"LABEL.cpy\"", "copybook = \"NONE.cpy\"", "NONE.cpy cannot be read"),
        ("member = \"said\"", "membr = \"said\"", "'membr' is not known here"),
    ] {
        let said = faults(&replaced(from, to));
        assert!(said.contains(expected) && said.contains("services/parcel.toml"), "{to}: {said}");
    }
    // Operations that map fields need records.
    let api = "base_path = \"/p\"\n[[operation]]\nmethod = \"POST\"\npath = \"/a\"\nservice = \"parcel\"\n";
    let said = faults(&parcel_folder(PARCEL_SERVICE).with("apis/p/api.toml", api));
    assert!(said.contains("has several containers") && said.contains("apis/p/api.toml:5"), "{said}");
}

#[test]
fn a_policy_gives_a_call_another_transaction() {
    const RULES: &str = r#"<ruleset name="mirrors"><rule name="one">
        <conditions><header name="mirror" value="" match="ANY_VALUE"/></conditions>
        <actions><set property="cicsTransId" value="${mirror}"/></actions></rule></ruleset>"#;
    let record = "copybook = \"TRANSR.cpy\"\nwrapper = \"\"\n";
    let audit = "[[interceptor]]\nkind = \"audit\"\nname = \"audit\"\n[interceptor.file]\npath = \".gantry/audit.jsonl\"\n";
    let api = "base_path = \"/t\"\npolicy = \"mirrors\"\n[[operation]]\nmethod = \"PUT\"\npath = \"/\"\nservice = \"trans\"\n";
    let folder = folder(&["TRANS.cbl", "TRANSR.cpy"], &format!("applid = \"APPL1\"\n{audit}"))
        .with("policies/mirrors.xml", RULES)
        .with("apis/t/api.toml", api)
        .with(
            "services/trans.toml",
            &format!(
                "ccsid = 819\n[provider]\nkind = \"program\"\nprogram = \"TRANS\"\n[request]\n{record}[response]\n{record}"
            ),
        );
    let gantry = Gantry::folder(folder.path());
    let put = |headers: &str| gantry.send("PUT", "/t/", &format!("{JSON}{headers}"), "{}");
    assert_eq!(put("").text(), r#"{"transaction_of":"GTRY"}"#);
    assert_eq!(put("mirror: CSMI\r\n").text(), r#"{"transaction_of":"CSMI"}"#);
    put("mirror: TOOLONG\r\n").fails(503, "GTY0503E");
    gantry.stop();
    let records = crate::audit::lines(&folder.path().join(".gantry/audit.jsonl"));
    assert_eq!(records.len(), 3);
    for record in records {
        assert_eq!(record["sorIdentifier"], "APPL1");
        assert_eq!((&record["sorReference"], &record["sorResource"]), (&"GTRY".into(), &"TRANS".into()));
    }
}
