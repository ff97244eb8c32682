//! Golden documents: an author's document in, the documents that consumers get out. `UPDATE_GOLDEN=1` rewrites them.

use std::fs;
use std::path::Path;

use contract::{Contract, FailureAnswer, Rendering};
use document::{Node, Value};

use crate::setting::{contract, document, with_body};

const ERROR: &str =
    r#"{"type": "object", "required": ["errorMessage"], "properties": {"errorMessage": {"type": "string"}}}"#;

/// The failures that the gateway adds to each operation.
fn failures(contract: &Contract) -> Vec<Vec<FailureAnswer>> {
    let answer = |status, description: &str| FailureAnswer { status, description: description.to_owned() };
    let all = [answer(400, "The request is wrong."), answer(503, "The service does not answer.")];
    contract.operations().iter().map(|_| all.to_vec()).collect()
}

fn rendering<'a>(failures: &'a [Vec<FailureAnswer>]) -> Rendering<'a> {
    Rendering { base_path: "/served", error_name: "Error", error_schema: ERROR, failures, left_out: &[] }
}

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let text = fs::read_to_string(folder.join("in.json")).expect("a document");
    let contract = contract(&text);
    let failures = failures(&contract);
    let openapi = contract.openapi31(&rendering(&failures)).expect("OpenAPI");
    let swagger = contract.swagger20(&rendering(&failures)).expect("Swagger");
    let notes: Vec<String> = swagger.notes.iter().map(|note| format!("{note}\n")).collect();
    let made = [
        ("openapi31.json", pretty(&openapi)),
        ("swagger20.json", pretty(&swagger.json)),
        ("notes.txt", notes.concat()),
    ];
    for (file, found) in made {
        let path = folder.join(file);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &found).expect("written");
        }
        let expected = fs::read_to_string(&path).expect("a golden file");
        assert_eq!(found, expected, "{}", path.display());
    }
    // A written document can be read again, and is a contract with the same operations.
    for json in [openapi, swagger.json] {
        let again = self::contract(std::str::from_utf8(&json).expect("UTF-8"));
        assert_eq!(again.base_path(), "/served");
        assert_eq!(again.info().title, contract.info().title);
        let missing = contract.operations().len() - again.operations().len();
        assert_eq!(
            missing,
            usize::from(text.contains("\"trace\"") && again.version() == contract::Version::Swagger20)
        );
    }
}

#[test]
fn orders() {
    check("orders");
}

#[test]
fn parcels() {
    check("parcels");
}

#[test]
fn pets() {
    check("pets");
}

#[test]
fn nothing_is_added_if_there_is_nothing_to_add() {
    let contract = contract(&document("3.1.0", "", ""));
    let plain = Rendering { base_path: "", ..rendering(&[]) };
    let text = String::from_utf8(contract.openapi31(&plain).expect("OpenAPI")).expect("UTF-8");
    assert!(!text.contains("errorMessage"), "{text}");
    assert!(text.contains(r#""servers":[{"url":"/"}]"#), "{text}");
    let swagger = contract.swagger20(&plain).expect("Swagger");
    assert!(String::from_utf8_lossy(&swagger.json).contains(r#""basePath":"/""#));
}

#[test]
fn fields_of_a_form_are_a_body_that_is_no_json() {
    let text = r#"{"swagger":"2.0","info":{"title":"t","version":"1"},"paths":{"/up":{"post":{"parameters":[
        {"name":"id","in":"query","type":"string"},
        {"name":"note","in":"formData","type":"string","maxLength":9,"required":true,"description":"a note"},
        {"name":"data","in":"formData","type":"file"}],"responses":{"204":{"description":"done"}}}}}}"#;
    let found = contract(text);
    let contract = found;
    let operation = &contract.operations()[0];
    let body = operation.body.as_ref().expect("a body");
    assert_eq!((body.required, body.content[0].media_type.as_str()), (true, "multipart/form-data"));
    assert!(contract::json_content(&body.content).is_none());
    assert_eq!(operation.parameters.len(), 1);
    let openapi = contract.openapi31(&rendering(&[])).expect("OpenAPI");
    let openapi: serde_json::Value = serde_json::from_slice(&openapi).expect("JSON");
    let post = &openapi["paths"]["/up"]["post"];
    assert_eq!(post["parameters"].as_array().map(Vec::len), Some(1));
    let schema = &post["requestBody"]["content"]["multipart/form-data"]["schema"];
    assert_eq!(schema["required"], serde_json::json!(["note"]));
    assert_eq!(
        schema["properties"]["note"],
        serde_json::json!({"type": "string", "maxLength": 9, "description": "a note"})
    );
    assert_eq!(schema["properties"]["data"]["format"], "binary");
}

#[test]
fn operations_that_are_not_served_are_left_out() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/orders/in.json");
    let contract = contract(&fs::read_to_string(file).expect("a document"));
    let all = contract.operations();
    assert!(all.len() > 1, "{}", all.len());
    let has = |document: &[u8], position: usize| {
        let document: serde_json::Value = serde_json::from_slice(document).expect("JSON");
        let method = all[position].method.as_str().to_ascii_lowercase();
        let item = document["paths"].get(&all[position].path);
        // A path that has no operation left is not there.
        assert!(item.is_none_or(|item| item.as_object().is_some_and(|item| !item.is_empty())));
        item.is_some_and(|item| item.get(method).is_some())
    };
    for out in 0..all.len() {
        let rendering = Rendering { left_out: &[out], ..rendering(&[]) };
        let openapi = contract.openapi31(&rendering).expect("OpenAPI");
        let swagger = contract.swagger20(&rendering).expect("Swagger");
        for position in 0..all.len() {
            assert_eq!(has(&openapi, position), position != out);
            assert_eq!(has(&swagger.json, position), position != out);
        }
    }
}

#[test]
fn an_operation_of_a_path_item_elsewhere_is_left_out_of_one_path_alone() {
    let answer = r#"{"responses":{"200":{"description":"fine"}}}"#;
    let contract = contract(&format!(
        r##"{{"openapi":"3.1.0","info":{{"title":"t","version":"1"}},"paths":{{"/a":{{"$ref":"#/components/pathItems/both"}},
        "/b":{{"$ref":"#/components/pathItems/both"}},"/c":{{"$ref":"#/components/pathItems/one"}}}},
        "components":{{"pathItems":{{"both":{{"get":{answer},"delete":{answer}}},"one":{{"get":{answer}}}}}}}}}"##
    ));
    let place = |path: &str, method: &str| {
        let is_it =
            |operation: &contract::Operation| operation.path == path && operation.method.as_str() == method;
        contract.operations().iter().position(is_it).expect("an operation")
    };
    let out = [place("/a", "GET"), place("/c", "GET")];
    let rendering = Rendering { left_out: &out, ..rendering(&[]) };
    let document = contract.openapi31(&rendering).expect("OpenAPI");
    let document: serde_json::Value = serde_json::from_slice(&document).expect("JSON");
    let paths = &document["paths"];
    assert!(paths["/a"].get("delete").is_some() && paths["/a"].get("get").is_none(), "{paths}");
    assert_eq!(paths["/b"]["$ref"], "#/components/pathItems/both");
    assert!(document["components"]["pathItems"]["both"].get("get").is_some());
    assert!(paths.get("/c").is_none(), "{paths}");
    assert!(document["components"]["pathItems"].get("one").is_none(), "{document}");
    let all: Vec<usize> =
        (0..contract.operations().len()).filter(|at| *at != place("/a", "DELETE")).collect();
    let rendering = Rendering { left_out: &all, ..rendering };
    let document: serde_json::Value =
        serde_json::from_slice(&contract.openapi31(&rendering).expect("OpenAPI")).expect("JSON");
    assert!(document["paths"]["/a"].get("delete").is_some(), "{document}");
    assert!(document["components"].get("pathItems").is_none(), "{document}");
}

#[test]
fn a_schema_of_failures_that_is_none_is_refused() {
    let contract = with_body("3.1.0", "{}", "");
    for (error_schema, expected) in
        [("{", "expected JSON"), ("1", "expected the schema of failures, found 1")]
    {
        let failures = failures(&contract);
        let rendering = Rendering { error_schema, ..rendering(&failures) };
        assert!(contract.openapi31(&rendering).expect_err("refused").message.contains(expected));
        assert!(contract.swagger20(&rendering).expect_err("refused").message.contains(expected));
    }
}

/// JSON with one member a line, its order kept.
fn pretty(json: &[u8]) -> String {
    let text = std::str::from_utf8(json).expect("UTF-8");
    let mut out = String::new();
    write(&document::read(text).expect("JSON"), 0, &mut out);
    out.push('\n');
    out
}

fn write(node: &Node<'_>, depth: usize, out: &mut String) {
    let mut compact = Vec::new();
    node.write_json(&mut compact);
    let compact = String::from_utf8(compact).expect("UTF-8");
    if compact.len() < 60 {
        out.push_str(&compact);
        return;
    }
    let indent = "  ".repeat(depth + 1);
    let (open, close) = if node.is_object() { ('{', '}') } else { ('[', ']') };
    match &node.value {
        Value::Object(members) => {
            for (at, (name, member)) in members.iter().enumerate() {
                out.push_str(if at == 0 { "{\n" } else { ",\n" });
                out.push_str(&format!("{indent}{}: ", serde_json::to_string(name).expect("JSON")));
                write(member, depth + 1, out);
            }
        }
        Value::Array(elements) => {
            for (at, element) in elements.iter().enumerate() {
                out.push(if at == 0 { open } else { ',' });
                out.push('\n');
                out.push_str(&indent);
                write(element, depth + 1, out);
            }
        }
        _ => {
            out.push_str(&compact);
            return;
        }
    }
    out.push_str(&format!("\n{}{close}", "  ".repeat(depth)));
}
