//! Tests the documents of an API: they match the golden files, and describe nothing that the API
//! does not do.
//!
//! UPDATE_GOLDEN=1 rewrites the golden files.

use std::path::PathBuf;

use serde_json::Value;

use crate::folder::{ECHO_API, Folder};
use crate::process::{Gantry, run, text};

fn golden(name: &str, found: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "golden", name].iter().collect();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, found).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("the golden file is there");
    assert_eq!(found, expected, "{name}: look at the difference, then UPDATE_GOLDEN=1");
}

/// Indents JSON, with one member a line. Order and spelling stay.
fn indent(json: &str) -> String {
    let (mut out, mut depth, mut in_string, mut escaped) = (String::new(), 0, false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        let opens = !in_string && matches!(character, '{' | '[');
        let closes = !in_string && matches!(character, '}' | ']');
        if closes && !out.ends_with(['{', '[']) {
            out += &format!("\n{}", "  ".repeat(depth - 1));
        }
        depth = depth + usize::from(opens) - usize::from(closes);
        out.push(character);
        let empty = opens && characters.peek().is_some_and(|next| matches!(next, '}' | ']'));
        if (opens && !empty) || (!in_string && character == ',') {
            out += &format!("\n{}", "  ".repeat(depth));
        }
        if !in_string && character == ':' {
            out.push(' ');
        }
        in_string ^= character == '"' && !escaped;
        escaped = in_string && character == '\\' && !escaped;
    }
    out + "\n"
}

fn document(gantry: &Gantry, path: &str) -> (String, Value) {
    let answer = gantry.get(path);
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    (indent(answer.text()), serde_json::from_str(answer.text()).expect("a document is JSON"))
}

#[test]
fn the_documents_of_the_performance_api() {
    let gantry = Gantry::example("performance");
    golden("performance.swagger.json", &document(&gantry, "/performance.api/api-docs").0);
    golden("performance.openapi.json", &document(&gantry, "/performance.api/openapi.json").0);
}

#[test]
fn the_documents_of_an_api_with_every_action() {
    let folder = crate::mapping::shop();
    let gantry = Gantry::folder(folder.path());
    golden("shop.swagger.json", &document(&gantry, "/shop/api-docs").0);
    golden("shop.openapi.json", &document(&gantry, "/shop/openapi.json").0);
}

/// Makes an API that asks for known callers in each possible way, and one that lets everybody in.
fn guarded() -> Folder {
    let ways = "[[security.authenticator]]\nkind = \"basic\"\nusers = \"users.txt\"\n
[[security.authenticator]]\nkind = \"api_key\"\nkeys = \"keys.txt\"\nheader = \"X-Key\"\n
[[security.authenticator]]\nkind = \"jwt\"\nissuer = \"https://issuer.example\"\naudiences = [\"gantry\"]
algorithms = [\"HS256\"]\nsecret = { file = \"jwt.secret\" }\n
[[security.authenticator]]\nkind = \"certificate\"\nuser = \"common_name\"\n";
    let (base, operation) = ECHO_API.split_once("\n\n").expect("a base path");
    let rules =
        "[security]\nroles.invoke = [\"staff\"]\n\n[limits]\nrate = { requests = 100 }\nconcurrent_max = 9\n";
    let scoped = operation.replace("PUT", "POST") + "scopes = [\"echo:write\"]\n";
    let open = ECHO_API.replace("/echo", "/open").replace("\n\n", "\nsecurity.require_auth = false\n\n");
    Folder::echo(ways)
        .with("users.txt", "")
        .with("keys.txt", "")
        .with("jwt.secret", &"s".repeat(40))
        .with("apis/echo/api.toml", &format!("{base}\n\n{rules}\n{operation}\n{scoped}"))
        .with("apis/open/api.toml", &open.replace("security.require_auth", "[security]\nrequire_auth"))
}

#[test]
fn the_documents_of_a_guarded_api() {
    // Only those who may call an API see its documents. So the test reads those of the open API.
    let folder = guarded();
    let gantry = Gantry::folder(folder.path());
    golden("open.swagger.json", &document(&gantry, "/open/api-docs").0);
    golden("open.openapi.json", &document(&gantry, "/open/openapi.json").0);
    gantry.stop();
    let made = run(&["key", "add", text(&folder.path().join("keys.txt")), "shop", "--groups", "staff"]);
    let key = String::from_utf8_lossy(&made.stdout).trim().to_owned();
    let gantry = Gantry::folder(folder.path());
    for (path, name) in [("api-docs", "guarded.swagger.json"), ("openapi.json", "guarded.openapi.json")] {
        assert_eq!(gantry.get(&format!("/echo/{path}")).status, 401);
        let request = format!("GET /echo/{path} HTTP/1.1\r\nhost: localhost\r\nx-key: {key}\r\n\r\n");
        golden(name, &indent(gantry.request(request.as_bytes()).text()));
    }
}

#[test]
fn limits_are_in_the_schemas_and_moved_fields_are_not() {
    let gantry = Gantry::example("performance");
    let (_, swagger) = document(&gantry, "/performance.api/api-docs");
    let (_, openapi) = document(&gantry, "/performance.api/openapi.json");
    for (service, most) in [("CABASIC-RS2", 32), ("CABASIC-RS3", 128), ("CABASIC-RSV", 128)] {
        let name = format!("put{service}_request");
        for schemas in [&swagger["definitions"], &openapi["components"]["schemas"]] {
            let operation = &schemas[&name]["properties"]["CABASICOperation"];
            assert_eq!(operation["properties"]["count_out"]["maximum"], most, "{name}");
            assert_eq!(operation["properties"]["count_out"]["minimum"], 1, "{name}");
            assert_eq!(operation["required"], serde_json::json!(["count_out"]), "{name}");
            assert!(operation["properties"].get("count_in").is_none(), "{name}");
        }
    }
}

#[test]
fn properties_stand_in_the_order_of_the_copybook() {
    let gantry = Gantry::example("performance");
    let names = ["recv_size", "send_size", "taskid", "tranid", "rs_spare", "user_data"];
    for path in ["/performance.api/api-docs", "/performance.api/openapi.json"] {
        let (text, _) = document(&gantry, path);
        let schema = &text[text.find("\"putCABASIC-RS2_response_200\": {").expect("the schema is there")..];
        let places: Vec<usize> =
            names.iter().map(|name| schema.find(&format!("\"{name}\": {{")).expect(name)).collect();
        assert!(places.is_sorted(), "{path}: {places:?}");
    }
}

#[test]
fn parameters_and_headers_are_described() {
    let folder = crate::mapping::shop();
    let gantry = Gantry::folder(folder.path());
    let (_, openapi) = document(&gantry, "/shop/openapi.json");
    let post = &openapi["paths"]["/orders/{id}"]["post"];
    let parameters: Vec<_> = post["parameters"]
        .as_array()
        .expect("parameters")
        .iter()
        .map(|one| (one["in"].as_str(), one["name"].as_str(), one["required"].as_bool()))
        .collect();
    let expected = [
        (Some("path"), Some("id"), Some(true)),
        (Some("query"), Some("amount"), Some(true)),
        (Some("query"), Some("priority"), Some(false)),
        (Some("header"), Some("X-Customer"), Some(false)),
    ];
    assert_eq!(parameters, expected);
    let headers = post["responses"]["201"]["headers"].as_object().expect("headers");
    for name in ["x-order", "x-amount", "x-origin"] {
        assert!(headers.contains_key(name), "{name}: {headers:?}");
    }
    assert!(openapi["paths"]["/orders/{id}"]["get"].get("requestBody").is_none());
}

#[test]
fn every_status_that_is_answered_is_described() {
    let gantry = Gantry::example("faults");
    let (_, openapi) = document(&gantry, "/faults/openapi.json");
    let (_, swagger) = document(&gantry, "/faults/api-docs");
    for name in ["fine", "slow", "short", "bad-data", "refused"] {
        let path = format!("/{name}/{{number}}");
        for url in ["7", "x", "%ff"] {
            // The slow operation may answer 200 or 503, depending on the machine. The document
            // describes both.
            let status = gantry.get(&format!("/faults/{name}/{url}")).status.to_string();
            for document in [&openapi, &swagger] {
                let responses = &document["paths"][&path]["get"]["responses"];
                assert!(responses.get(&status).is_some(), "{name}: {status} is not described");
            }
        }
    }
    let shop = crate::mapping::shop();
    let gantry = Gantry::folder(shop.path());
    let (_, openapi) = document(&gantry, "/shop/openapi.json");
    let responses = &openapi["paths"]["/orders/{id}"]["post"]["responses"];
    for status in ["201", "400", "408", "413", "415", "500", "502", "503"] {
        assert!(responses.get(status).is_some(), "{status} is not described");
    }
}
