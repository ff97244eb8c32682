//! Tests messages: versions, methods, limits, and bytes that are not messages.

use serde_json::{Value, json};

use super::{CLIENT, ON, answer, ask, echoes, message, names, post, seven, tools};
use crate::folder::Folder;
use crate::process::Gantry;

fn gantry() -> Gantry {
    Gantry::folder(Folder::echo(ON).path())
}

#[test]
fn a_client_learns_what_there_is() {
    let gantry = gantry();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let hello = ask(&gantry, "", "initialize", &params)["result"].take();
        assert_eq!(hello["protocolVersion"], version);
        assert_eq!(hello["serverInfo"], json!({ "name": "gantry", "version": env!("CARGO_PKG_VERSION") }));
        assert_eq!(hello["capabilities"], json!({ "tools": {} }));
        let version = format!("mcp-protocol-version: {version}\r\n");
        assert_eq!(ask(&gantry, &version, "ping", &json!({}))["result"], json!({}));
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        let done = post(&gantry, &version, &done);
        assert_eq!((done.status, done.text()), (202, ""));
        echoes(&gantry, &version);
    }
}

/// The version of 2026 has no handshake. Each request describes its client.
#[test]
fn a_client_without_a_handshake_is_served_too() {
    let gantry = gantry();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let version = "mcp-protocol-version: 2026-07-28\r\n";
    let ask = |method: &str, name: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        let name = if name.is_empty() { String::new() } else { format!("mcp-name: {name}\r\n") };
        let headers = format!("{version}mcp-method: {method}\r\n{name}");
        answer(&post(&gantry, &headers, &message(method, &params)))["result"].take()
    };
    let found = ask("server/discover", "", json!({}));
    assert!(found["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let list = ask("tools/list", "", json!({}));
    assert_eq!(list["tools"][0]["name"], "putecho");
    // Caches must not give one caller's list to others.
    assert_eq!((&list["cacheScope"], &list["ttlMs"]), (&json!("private"), &json!(0)));
    let called = ask("tools/call", "putecho", json!({ "name": "putecho", "arguments": seven() }));
    assert_eq!(called["structuredContent"]["number_of"], 7);
    assert_eq!(called["resultType"], "complete");
}

#[test]
fn a_tool_is_described_by_its_operation() {
    let gantry = gantry();
    let [tool] = tools(&gantry, "").try_into().expect("one tool");
    let number = json!({ "type": "integer", "minimum": 0, "maximum": 9999 });
    let words = json!({ "type": "string", "maxLength": 20 });
    let body = json!({ "type": "object", "properties": { "words": words }, "additionalProperties": false });
    let input = json!({
        "type": "object",
        "properties": { "number": number, "body": body },
        "required": ["number", "body"],
        "additionalProperties": false,
    });
    assert_eq!(tool["inputSchema"], input);
    assert_eq!(tool["outputSchema"]["properties"], json!({ "number_of": number, "words": words }));
    assert_eq!(tool["annotations"]["idempotentHint"], true);
}

#[test]
fn what_the_protocol_does_not_know_is_its_error() {
    let gantry = gantry();
    let unknown = ask(&gantry, "", "tools/call", &json!({ "name": "other" }))["error"].take();
    assert_eq!((&unknown["code"], &unknown["message"]), (&json!(-32602), &json!("Unknown tool: other")));
    let shape =
        ask(&gantry, "", "tools/call", &json!({ "name": "putecho", "arguments": [7] }))["error"].take();
    assert_eq!(shape, json!({ "code": -32602, "message": "Invalid params: not those of tools/call" }));
    for method in ["subscriptions/listen", "logging/setLevel", "anything"] {
        assert_eq!(ask(&gantry, "", method, &json!({}))["error"]["code"], -32601, "{method}");
    }
    for (method, kind) in [("prompts/list", "prompts"), ("resources/list", "resources")] {
        assert_eq!(ask(&gantry, "", method, &json!({}))["result"][kind], json!([]));
    }
}

#[test]
fn what_is_no_message_is_told_so() {
    let gantry = gantry();
    let list = message("tools/list", &json!({}));
    let deep = format!("{{\"a\":{}}}", "[".repeat(200) + &"]".repeat(200));
    let cases = [
        ("{", -32700),
        ("", -32700),
        ("[]", -32600),
        ("7", -32600),
        ("{}", -32600),
        (&format!("[{list}]"), -32600),
        (&list.replace("2.0", "1.0"), -32600),
        (&deep, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
    ];
    for (text, code) in cases {
        let response = post(&gantry, "", text);
        assert_eq!(response.status, 400, "{text}: {}", response.text());
        let error: Value = serde_json::from_slice(&response.body).expect("JSON");
        assert_eq!(error["error"]["code"], code, "{text}: {error}");
    }
    assert_eq!(names(&gantry, ""), ["putecho"]);
}

#[test]
fn only_messages_are_posted() {
    let gantry = gantry();
    for method in ["GET", "DELETE", "PUT"] {
        let response = gantry.send(method, "/mcp", CLIENT, "");
        response.fails(405, "GTY0405W");
        assert_eq!(response.header("allow"), Some("POST"));
    }
    let list = message("tools/list", &json!({}));
    let json_alone = gantry.send("POST", "/mcp", "content-type: application/json\r\n", &list);
    assert_eq!(json_alone.status, 406);
    let text = "accept: application/json, text/event-stream\r\ncontent-type: text/plain\r\n";
    assert_eq!(gantry.send("POST", "/mcp", text, &list).status, 415);
    assert_eq!(post(&gantry, "mcp-protocol-version: 1999-01-01\r\n", &list).status, 400);
    post(&gantry, "content-encoding: gzip\r\n", &list).fails(415, "GTY0415W");
    assert_eq!(gantry.request(b"POST /mcp HTTP/1.1\r\n\r\n").status, 400, "a request without a host");
}

#[test]
fn a_message_has_the_limits_of_every_body() {
    let folder =
        Folder::echo(&format!("{ON}[limits]\nrequest_body_max_bytes = 300\nbody_read_timeout_ms = 100\n"));
    let gantry = Gantry::folder(folder.path());
    echoes(&gantry, "");
    let long =
        json!({ "name": "putecho", "arguments": { "number": 7, "body": { "words": "x".repeat(300) } } });
    assert!(post(&gantry, "", &message("tools/call", &long)).fails(413, "GTY0413W").contains("300 bytes"));
    let chunked =
        format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\n{CLIENT}transfer-encoding: chunked\r\n\r\n");
    let chunk = format!("190\r\n{}\r\n", " ".repeat(400));
    gantry.request(format!("{chunked}{chunk}").as_bytes()).fails(413, "GTY0413W");
    gantry.request(format!("{chunked}1\r\n{{\r\n").as_bytes()).fails(408, "GTY0408W");
}

#[test]
fn without_the_setting_there_is_nothing() {
    let gantry = Gantry::folder(Folder::echo("").path());
    post(&gantry, "", &message("tools/list", &json!({}))).fails(404, "GTY0404W");
    gantry.get("/.well-known/oauth-protected-resource").fails(404, "GTY0404W");
}
