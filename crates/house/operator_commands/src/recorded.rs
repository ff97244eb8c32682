//! Shows traces and dumps of `gantry region` to people.

use std::fmt::Write;

use serde_json::Value;

use crate::shown::{NONE, bytes, cell, cells, list};
use crate::table::Side::{Left, Right};
use crate::table::{Table, visible};

/// The traced tasks, and the remaining time of the trace.
pub(crate) fn trace_state(answer: &Value) -> String {
    let whose = match (&answer["program"], &answer["user"]) {
        (Value::String(program), _) => format!("tasks of program {program}"),
        (_, Value::String(user)) => format!("tasks of user {user}"),
        _ => return "nothing was traced yet\n".to_owned(),
    };
    let [tasks, dropped] = cells(answer, ["tasks", "dropped"]);
    let data = if answer["data"] == Value::Bool(true) { ", with data" } else { "" };
    let state = match answer["secondsLeft"].as_u64() {
        Some(left) => format!("on for {left} s"),
        None => "off".to_owned(),
    };
    visible(&format!("trace of {whose}{data}: {state}; {tasks} tasks, {dropped} records dropped")) + "\n"
}

/// The commands of traced tasks, each with its options.
pub(crate) fn trace(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("TASK", Right),
        ("N", Right),
        ("PROGRAM", Left),
        ("LINE", Right),
        ("COMMAND", Left),
        ("RESP", Left),
        ("RESP2", Right),
        ("US", Right),
        ("OPTIONS", Left),
    ]);
    for record in list(answer, "records") {
        let [task, number, program, line] = cells(record, ["task", "number", "program", "line"]);
        // Commands below a LINK are indented.
        let depth = record["level"].as_u64().unwrap_or(1).saturating_sub(1).min(20) as usize;
        let command = "  ".repeat(depth) + &cell(&record["command"]);
        let resp = match (&record["abend"], &record["condition"], &record["resp"]) {
            (Value::String(code), ..) => format!("abend {code}"),
            (_, Value::String(condition), _) => condition.clone(),
            (.., resp) => cell(resp),
        };
        let [resp2, took] = cells(record, ["resp2", "microseconds"]);
        let options = list(record, "options").iter().map(option).collect::<Vec<_>>().join(" ");
        table.row([task, number, program, line, command, resp, resp2, took, options]);
    }
    trace_state(answer) + &table.text("the trace has no commands")
}

/// An option in its written form, with the length of a data area in place of its bytes.
fn option(option: &Value) -> String {
    let name = cell(&option["name"]);
    if let Some(value) = option["value"].as_str() {
        return format!("{name}('{value}')");
    }
    for number in [&option["number"], &option["label"]] {
        if !number.is_null() {
            return format!("{name}({number})");
        }
    }
    match (option["bytes"].as_u64(), option["hex"].as_str()) {
        (Some(bytes), Some(hex)) => format!("{name}({bytes} bytes: {hex} '{}')", cell(&option["text"])),
        (Some(bytes), None) => format!("{name}({bytes} bytes)"),
        _ => name,
    }
}

pub(crate) fn dumps(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("TIME", Left),
        ("TASK", Right),
        ("PROGRAM", Left),
        ("CODE", Left),
        ("BYTES", Right),
        ("DUMP", Left),
    ]);
    for dump in list(answer, "dumps") {
        let [time, task, program, code, id] = cells(dump, ["time", "task", "program", "code", "id"]);
        table.row([time, task, program, code, bytes(&dump["bytes"]), id]);
    }
    match answer["folder"].is_null() {
        true => "no dumps are written: region.dumps names no folder\n".to_owned(),
        false => table.text("there are no dumps"),
    }
}

/// A dump: the task and its abend, the bytes, and the last commands.
pub(crate) fn dump(answer: &Value) -> String {
    let [time, applid, task, transaction, user, program] =
        cells(answer, ["time", "applid", "task", "transaction", "user", "program"]);
    let abend = &answer["abend"];
    let [code, within, message] = cells(abend, ["code", "program", "message"]);
    let line = abend["line"].as_u64().map(|line| format!(", line {line}")).unwrap_or_default();
    let levels: Vec<String> = list(answer, "linkLevels").iter().map(cell).collect();
    let mut text = String::new();
    for (what, value) in [
        ("abend", format!("{code} in program {within}{line}")),
        ("message", message),
        ("time", format!("{time} UTC")),
        ("region", applid),
        ("task", format!("{task}, transaction {transaction}, user {user}, program {program}")),
        ("linked", if levels.is_empty() { NONE.to_owned() } else { levels.join(" > ") }),
    ] {
        writeln!(text, "{what:8} {}", visible(&value)).expect("a text takes everything");
    }
    text.push('\n');
    text.push_str(match answer["dataOf"].as_str() {
        Some("abend") => "as it was at the abend:\n",
        Some("begin") => "as it was when the task began:\n",
        _ => "the data of the task is unknown\n",
    });
    if answer["commarea"].is_object() {
        text.push_str("\ncommarea, ");
        text.push_str(&lines(&answer["commarea"]));
    }
    for channel in list(answer, "channels") {
        let current = if channel["current"] == Value::Bool(true) { " (current)" } else { "" };
        for container in list(channel, "containers") {
            let kind =
                container["ccsid"].as_u64().map_or("BIT".to_owned(), |ccsid| format!("CHAR, CCSID {ccsid}"));
            let [channel, name] = [cell(&channel["name"]), cell(&container["name"])];
            let head = visible(&format!("channel {channel}{current}, container {name}, {kind}"));
            text = format!("{text}\n{head}, {}", lines(&container["content"]));
        }
    }
    text + "\n" + &commands(answer)
}

/// The bytes of a commarea or a container, with the line breaks of the dump.
fn lines(content: &Value) -> String {
    let [bytes, shown] = cells(content, ["bytes", "shown"]);
    let cut = if bytes == shown { String::new() } else { format!(", {shown} of them shown") };
    let mut text = format!("{bytes} bytes{cut}\n");
    let parts = ["hex", "text", "text037"].map(|name| list(content, name));
    let mut at = 0;
    for (line, hex) in parts[0].iter().enumerate() {
        let hex = cell(hex);
        let [own, other] =
            [parts[1], parts[2]].map(|part| part.get(line).and_then(Value::as_str).unwrap_or_default());
        let groups: Vec<&str> =
            (0..hex.len()).step_by(8).filter_map(|from| hex.get(from..hex.len().min(from + 8))).collect();
        let (groups, own, other) = (groups.join(" "), visible(own), visible(other));
        writeln!(text, "{at:06X}  {groups:71}  {own:32}  {other}").expect("a text takes everything");
        at += hex.len() / 2;
    }
    text
}

fn commands(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("N", Right),
        ("LEVEL", Right),
        ("PROGRAM", Left),
        ("LINE", Right),
        ("COMMAND", Left),
        ("NAME", Left),
        ("RESP", Left),
        ("RESP2", Right),
    ]);
    for command in list(answer, "commands") {
        let [number, level, program, line] = cells(command, ["number", "level", "program", "line"]);
        let [words, name, resp2] = cells(command, ["command", "name", "resp2"]);
        let resp = match command["abend"].as_str() {
            Some(code) => format!("abend {code}"),
            None => cell(&command["resp"]),
        };
        table.row([number, level, program, line, words, name, resp, resp2]);
    }
    table.text("the task gave no commands")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_trace_shows_options_as_they_are_written() {
        for (given, expected) in [
            (json!({ "name": "QUEUE", "value": "LEDGER" }), "QUEUE('LEDGER')"),
            (json!({ "name": "FROM", "bytes": 12 }), "FROM(12 bytes)"),
            (json!({ "name": "FROM", "bytes": 2, "hex": "4142", "text": "AB" }), "FROM(2 bytes: 4142 'AB')"),
            (json!({ "name": "ITEM", "number": -1 }), "ITEM(-1)"),
            (json!({ "name": "NOTFND", "label": 3 }), "NOTFND(3)"),
            (json!({ "name": "NEXT" }), "NEXT"),
        ] {
            assert_eq!(option(&given), expected);
        }
        assert_eq!(trace_state(&json!({})), "nothing was traced yet\n");
    }

    #[test]
    fn a_dump_is_readable_whatever_is_missing() {
        let content = json!({ "bytes": 40, "shown": 33, "hex": ["C1".repeat(32), "C2"], "text": ["Á".repeat(32), "Â"], "text037": ["A".repeat(32), "B"] });
        let text = lines(&content);
        let expected = format!(
            "40 bytes, 33 of them shown\n000000  {}  {}  {}\n000020  {:71}  {:32}  B\n",
            ["C1C1C1C1"; 8].join(" "),
            "Á".repeat(32),
            "A".repeat(32),
            "C2",
            "Â"
        );
        assert_eq!(text, expected);
        let text = dump(&json!({ "commands": [], "abend": { "code": "ASRA" } }));
        assert!(text.starts_with("abend    ASRA in program -\n"), "{text}");
        assert!(text.ends_with("the data of the task is unknown\n\nthe task gave no commands\n"), "{text}");
    }
}
