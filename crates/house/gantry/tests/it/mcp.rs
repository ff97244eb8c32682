//! Tests operations as tools: MCP over HTTP, as bytes on the wire.

mod access;
mod calls;
mod flows;
mod protocol;
mod sdk;
mod settings;

use serde_json::{Value, json};

use crate::client::Response;
use crate::process::Gantry;

/// `[mcp]` that offers every operation.
pub(crate) const ON: &str = "[mcp]\nenabled = true\n";

/// The headers that every client sends.
const CLIENT: &str = "accept: application/json, text/event-stream\r\ncontent-type: application/json\r\n";

/// Sends one message.
fn post(gantry: &Gantry, headers: &str, message: &str) -> Response {
    gantry.send("POST", "/mcp", &format!("{CLIENT}{headers}"), message)
}

fn message(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params }).to_string()
}

/// Sends a request; gives the answer of the protocol.
#[track_caller]
fn ask(gantry: &Gantry, headers: &str, method: &str, params: &Value) -> Value {
    answer(&post(gantry, headers, &message(method, params)))
}

#[track_caller]
fn answer(response: &Response) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("application/json"));
    let answer: Value = serde_json::from_slice(&response.body).expect("JSON");
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)), "{answer}");
    answer
}

fn calling(tool: &str, arguments: &Value) -> String {
    message("tools/call", &json!({ "name": tool, "arguments": arguments }))
}

/// Calls a tool; gives the result.
#[track_caller]
fn call(gantry: &Gantry, headers: &str, tool: &str, arguments: &Value) -> Value {
    answer(&post(gantry, headers, &calling(tool, arguments)))["result"].take()
}

/// Calls a tool and expects a failure with this code; gives the details.
#[track_caller]
fn fails(gantry: &Gantry, headers: &str, (tool, arguments): (&str, &Value), code: &str) -> String {
    let result = call(gantry, headers, tool, arguments);
    assert_eq!((&result["isError"], result.get("structuredContent")), (&json!(true), None), "{result}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    let failure: Value = serde_json::from_str(text).expect("a failure is JSON");
    assert!(
        failure["errorMessage"].as_str().expect("a message").starts_with(&format!("{code}: ")),
        "{failure}"
    );
    failure["errorDetails"].as_str().unwrap_or_default().to_owned()
}

/// Gives the tools that a caller sees.
#[track_caller]
fn tools(gantry: &Gantry, headers: &str) -> Vec<Value> {
    ask(gantry, headers, "tools/list", &json!({}))["result"]["tools"].as_array().expect("tools").clone()
}

#[track_caller]
fn names(gantry: &Gantry, headers: &str) -> Vec<String> {
    tools(gantry, headers).iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// The arguments for the echo.
fn seven() -> Value {
    json!({ "number": 7, "body": { "words": "hi" } })
}

#[track_caller]
fn echoes(gantry: &Gantry, headers: &str) {
    let result = call(gantry, headers, "putecho", &seven());
    assert_eq!(result["structuredContent"], json!({ "number_of": 7, "words": "hi" }), "{result}");
}
