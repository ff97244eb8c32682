//! Tests the settings for tools: the operations, their names, and faults.

use serde_json::json;

use super::{ON, call, names, seven, tools};
use crate::folder::{ECHO_API, Folder};
use crate::process::{Gantry, run, text};

/// Makes the echo API and a second one, each with more keys before and after its operation.
fn two(gantry: &str, (first_head, first_tail): (&str, &str), second_head: &str) -> Folder {
    let (base, operation) = ECHO_API.split_once("\n\n").expect("a base path");
    let second = ECHO_API.replace("/echo", "/other").split_once("\n\n").expect("a base path").0.to_owned();
    Folder::echo(gantry)
        .with("apis/echo/api.toml", &format!("{base}\n{first_head}\n{operation}\n{first_tail}\n"))
        .with("apis/other/api.toml", &format!("{second}\n{second_head}\n{operation}\n"))
}

#[test]
fn operations_are_chosen_from_the_widest_word_to_the_narrowest() {
    let offered = |gantry: &str, first: (&str, &str), second: &str| {
        let folder = two(gantry, first, second);
        names(&Gantry::folder(folder.path()), "")
    };
    let some = format!("{ON}apis = [\"other\"]\n");
    let none = format!("{ON}apis = []\n");
    assert_eq!(offered(ON, ("", ""), ""), ["echo_putecho", "other_putecho"]);
    assert_eq!(offered(&some, ("", ""), ""), ["putecho"]);
    assert_eq!(offered(&none, ("", ""), ""), [""; 0]);
    assert_eq!(offered(ON, ("mcp = false", ""), ""), ["putecho"]);
    assert_eq!(offered(&none, ("mcp = true", ""), ""), ["putecho"]);
    assert_eq!(offered(&none, ("", "mcp = true"), ""), ["putecho"]);
    assert_eq!(offered(ON, ("mcp = true", "mcp = false"), "mcp = false"), [""; 0]);
    assert_eq!(offered(&none, ("", "mcp = { name = \"say\" }"), "mcp = true"), ["say", "putecho"]);
}

#[test]
fn a_tool_is_shown_as_somebody_wrote() {
    let shown = "mcp = { name = \"note.say\", description = \"Says it.\", read_only = true }";
    let folder = two(ON, ("", shown), "mcp = false");
    let gantry = Gantry::folder(folder.path());
    let [tool] = tools(&gantry, "").try_into().expect("one tool");
    assert_eq!((&tool["name"], &tool["description"]), (&json!("note.say"), &json!("Says it.")));
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(call(&gantry, "", "note.say", &seven())["structuredContent"]["number_of"], 7);
}

#[test]
fn path_and_instructions_are_settings() {
    let folder =
        Folder::echo("[mcp]\nenabled = true\npath = \"/tools/all\"\ninstructions = \"Ask first.\"\n");
    let gantry = Gantry::folder(folder.path());
    let client = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let hello = gantry.send("POST", "/tools/all", super::CLIENT, &super::message("initialize", &client));
    assert_eq!(super::answer(&hello)["result"]["instructions"], "Ask first.");
    assert_eq!(gantry.send("POST", "/mcp", super::CLIENT, "").status, 404);
}

#[test]
fn check_tells_what_cannot_be() {
    let cases = [
        ("[mcp]\nenabled = true\npath = \"mcp\"\n", "", "gantry.toml:3: mcp.path is 'mcp'; expected a path"),
        (
            "[mcp]\nenabled = true\npath = \"/echo/x\"\n",
            "",
            "gantry.toml:3: mcp.path is '/echo/x', which is a path of an API",
        ),
        (
            "[mcp]\nenabled = true\napis = [\n\"shop\"]\n",
            "",
            "gantry.toml:4: there is no API 'shop'; known: echo, other",
        ),
        ("[mcp]\nenabled = true\norigins = [\"*\"]\n", "", "gantry.toml:3: '*' would let every web page"),
        (
            "[mcp]\nenabled = true\norigins = [\"shop.example\"]\n",
            "",
            "gantry.toml:3: 'shop.example' is not an origin",
        ),
        (
            "[mcp]\nenabled = true\nresource = \"https://gate.example\"\n",
            "",
            "gantry.toml:3: mcp.resource is",
        ),
        ("[mcp]\nenabled = true\nresource = \"https:///mcp\"\n", "", "gantry.toml:3: mcp.resource is"),
        ("[mcp]\nenable = true\n", "", "did you mean 'enabled'?"),
        (ON, "mcp = { name = \"two words\" }", "apis/echo/api.toml:9: 'two words' is not a name of a tool"),
        (ON, "mcp = 5", "expected true, false, or a table with name, description and read_only"),
        (
            ON,
            "mcp = { nam = \"x\" }",
            "expected true, false, or a table with name, description and read_only",
        ),
    ];
    for (gantry, tail, expected) in cases {
        let folder = two(gantry, ("", tail), "");
        let output = run(&["check", text(folder.path())]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && told.contains(expected), "{expected}: {told}");
    }
    let second = ECHO_API.replace("/echo", "/other");
    let named = |api: &str| format!("{api}mcp = {{ name = \"same\" }}\n");
    let folder = two(ON, ("", ""), "")
        .with("apis/echo/api.toml", &named(ECHO_API))
        .with("apis/other/api.toml", &named(&second));
    let told = run(&["check", text(folder.path())]);
    let told = String::from_utf8_lossy(&told.stderr);
    assert!(told.contains("apis/other/api.toml:8: 'same' is already the name of another tool"), "{told}");
    let fine = run(&["check", text(two(ON, ("", ""), "").path())]);
    assert!(String::from_utf8_lossy(&fine.stdout).contains("2 operations, 2 tools"), "{fine:?}");
}
