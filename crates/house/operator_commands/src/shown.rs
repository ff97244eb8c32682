//! Shows a region to people, from the answers of the admin address.
//!
//! Values that an older gateway does not give are shown as missing. So both may have different
//! versions.

use std::fmt::Write;

use calendar::Utc;
use serde_json::Value;

use crate::table::Side::{Left, Right};
use crate::table::{Table, visible};

/// The text for a missing value.
pub(crate) const NONE: &str = "-";

/// The bytes of an item on one line.
const LINE_BYTES: usize = 16;

pub(crate) fn list<'v>(answer: &'v Value, name: &str) -> &'v [Value] {
    answer[name].as_array().map_or(&[], Vec::as_slice)
}

/// A value as a cell.
pub(crate) fn cell(value: &Value) -> String {
    match value {
        Value::Null => NONE.to_owned(),
        Value::String(text) if text.is_empty() => NONE.to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => other.to_string(),
    }
}

pub(crate) fn cells<const N: usize>(of: &Value, names: [&str; N]) -> [String; N] {
    names.map(|name| cell(&of[name]))
}

fn time(seconds: &Value) -> String {
    seconds.as_u64().map_or_else(|| NONE.to_owned(), |seconds| Utc::of_seconds(seconds).plain())
}

/// A number of bytes in units that are easy to compare.
pub(crate) fn bytes(value: &Value) -> String {
    match value.as_u64() {
        None => NONE.to_owned(),
        Some(bytes) if bytes < 10_240 => bytes.to_string(),
        Some(bytes) if bytes < 10 * 1_048_576 => format!("{}K", bytes / 1_024),
        Some(bytes) => format!("{}M", bytes / 1_048_576),
    }
}

/// A number from the gateway, with its word.
fn counted(number: &str, one: &str, many: &str) -> String {
    format!("{number} {}", if number == "1" { one } else { many })
}

pub(crate) fn summary(answer: &Value) -> String {
    let [applid, sysid, ccsid] = cells(answer, ["applid", "sysid", "ccsid"]);
    let [programs, tasks, waiting, workers] = cells(answer, ["programs", "tasks", "waiting", "workers"]);
    visible(&format!("region {applid} ({sysid}), code page {ccsid}"))
        + &visible(&format!(
            ": {}, {waiting} wait for a worker, {}, {}",
            counted(&tasks, "task runs", "tasks run"),
            counted(&workers, "worker", "workers"),
            counted(&programs, "program", "programs")
        ))
        + "\n"
}

pub(crate) fn programs(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("PROGRAM", Left),
        ("STATE", Left),
        ("TASKS", Right),
        ("CPU US", Right),
        ("MEMORY", Right),
        ("ABENDS", Right),
        ("LAST", Left),
        ("IN", Left),
        ("AT", Left),
        ("TASK", Right),
        ("MESSAGE", Left),
    ]);
    for program in list(answer, "programs") {
        let name = program["name"].as_str().unwrap_or("(others)").to_owned();
        let [tasks, abends] = cells(program, ["tasks", "abends"]);
        let state = match program["sysid"].as_str() {
            Some(sysid) => format!("remote {sysid}"),
            None => cell(&program["state"]),
        };
        let (cpu, memory) = (microseconds(&program["cpuNanosecondsMean"]), bytes(&program["memoryMaxBytes"]));
        let last = &program["lastAbend"];
        let [code, within, task, message] = cells(last, ["code", "program", "task", "message"]);
        table.row([
            name,
            state,
            tasks,
            cpu,
            memory,
            abends,
            code,
            within,
            time(&last["unixSeconds"]),
            task,
            message,
        ]);
    }
    table.text("there are no programs")
}

/// Nanoseconds as microseconds with one decimal.
fn microseconds(nanoseconds: &Value) -> String {
    let tenths = nanoseconds.as_u64().map(|nanoseconds| nanoseconds.div_ceil(100));
    tenths.map_or_else(|| NONE.to_owned(), |tenths| format!("{}.{}", tenths / 10, tenths % 10))
}

pub(crate) fn tasks(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("TASK", Right),
        ("TRAN", Left),
        ("PROGRAM", Left),
        ("USER", Left),
        ("SINCE", Left),
        ("CPU MS", Right),
        ("WORKER", Right),
        ("WAITS FOR", Left),
    ]);
    for task in list(answer, "tasks") {
        let [number, transaction, program, user] = cells(task, ["number", "transaction", "program", "user"]);
        let [cpu, worker] = cells(task, ["cpuMilliseconds", "worker"]);
        let waits = match &task["waitsFor"] {
            Value::Null => NONE.to_owned(),
            waits => format!("{} {}", cell(&waits["what"]), waits["name"].as_str().unwrap_or_default()),
        };
        let since = time(&task["sinceUnixSeconds"]);
        table.row([number, transaction, program, user, since, cpu, worker, waits]);
    }
    let waiting = match answer["waiting"].as_u64() {
        None | Some(0) => String::new(),
        Some(1) => "1 task waits for a worker\n".to_owned(),
        Some(count) => format!("{count} tasks wait for a worker\n"),
    };
    table.text("no task runs") + &waiting
}

pub(crate) fn purged(number: u32, answer: &Value) -> String {
    let [transaction, program, user] = cells(answer, ["transaction", "program", "user"]);
    match answer["program"].is_string() {
        true => {
            visible(&format!(
                "purged task {number}: transaction {transaction}, program {program}, user {user}"
            )) + "\n"
        }
        false => format!("task {number} is purged\n"),
    }
}

pub(crate) fn started(transaction: &str, answer: &Value) -> String {
    let [program, request, bytes] = cells(answer, ["program", "request", "dataBytes"]);
    visible(&format!("started {transaction}: program {program}, request {request}, {bytes} bytes of data"))
        + "\n"
}

pub(crate) fn starts(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("REQUEST", Left),
        ("TRAN", Left),
        ("DUE", Left),
        ("STATE", Left),
        ("USER", Left),
        ("DATA", Right),
        ("CHANNEL", Right),
        ("RTERMID", Left),
        ("PROTECTED", Left),
        ("REQUEST IN HEX", Left),
    ]);
    for start in list(answer, "starts") {
        let [request, transaction, user, terminal] =
            cells(start, ["request", "transaction", "user", "returnTerminal"]);
        let [protected, hex] = cells(start, ["protected", "requestHex"]);
        let state = match start["isDue"].as_bool() {
            Some(true) => "due",
            Some(false) => "waits",
            None => NONE,
        };
        let (data, channel) = (bytes(&start["dataBytes"]), bytes(&start["channelBytes"]));
        let due = time(&start["dueUnixSeconds"]);
        let state = state.to_owned();
        table.row([request, transaction, due, state, user, data, channel, terminal, protected, hex]);
    }
    let cut = if answer["isCut"] == Value::Bool(true) { "there are more\n" } else { "" };
    table.text("no START waits") + cut
}

pub(crate) fn cancelled(request: &str, answer: &Value) -> String {
    let [transaction, user] = cells(answer, ["transaction", "user"]);
    visible(&format!("cancelled START {request}: transaction {transaction}, user {user}")) + "\n"
}

pub(crate) fn files(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("FILE", Left),
        ("ORGANIZATION", Left),
        ("OPEN", Left),
        ("ENABLED", Left),
        ("RECOVERABLE", Left),
        ("FORMAT", Left),
        ("BYTES", Right),
        ("KEY", Left),
        ("RECORDS", Right),
        ("LOCKED", Right),
        ("WAITING", Right),
    ]);
    for file in list(answer, "files") {
        let [name, open, enabled, recoverable] =
            cells(file, ["name", "openStatus", "enableStatus", "recoverable"]);
        let [format, bytes, records, locked, waiting] =
            cells(file, ["recordFormat", "recordBytes", "records", "lockedRecords", "tasksWaiting"]);
        let organization = match file["pathOf"].as_str() {
            Some(base) => format!("path of {base}"),
            None => cell(&file["organization"]),
        };
        let key = match (file["keyOffset"].as_u64(), file["keyBytes"].as_u64()) {
            (Some(offset), Some(bytes)) => format!("{offset}+{bytes}"),
            _ => NONE.to_owned(),
        };
        table.row([
            name,
            organization,
            open,
            enabled,
            recoverable,
            format,
            bytes,
            key,
            records,
            locked,
            waiting,
        ]);
    }
    let store = match answer["store"].as_str() {
        Some(store) => visible(&format!("the records are in the store {store}")) + "\n",
        None => String::new(),
    };
    table.text("there are no files") + &store
}

pub(crate) fn workers(answer: &Value) -> String {
    let mut table = Table::new(&[("PID", Right), ("TASK", Right), ("TASKS ENDED", Right), ("MEMORY", Right)]);
    for worker in list(answer, "workers") {
        let [pid, task, ended] = cells(worker, ["pid", "task", "tasksEnded"]);
        table.row([pid, task, ended, bytes(&worker["memoryBytes"])]);
    }
    table.text("there are no workers")
}

pub(crate) fn queues(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("QUEUE", Left),
        ("PLACE", Left),
        ("ITEMS", Right),
        ("BYTES", Right),
        ("NAME IN HEX", Left),
    ]);
    for queue in list(answer, "queues") {
        let [name, place, items, hex] = cells(queue, ["name", "place", "items", "nameHex"]);
        table.row([name, place, items, bytes(&queue["bytes"]), hex]);
    }
    let cut = if answer["isCut"] == Value::Bool(true) { "there are more\n" } else { "" };
    table.text("there are no queues") + cut
}

/// An item as a dump: offset, hexadecimal, text in the region's code page, text in code page 037.
pub(crate) fn item(answer: &Value) -> String {
    let (queue, data) = (&answer["queue"], &answer["data"]);
    let [name, place, items] = cells(queue, ["name", "place", "items"]);
    let [item, bytes] = [cell(&answer["item"]), cell(&data["bytes"])];
    let head = format!("queue {name} ({place}), item {item} of {items}, {bytes} bytes");
    let ccsid = cell(&data["ccsid"]);
    format!("{}\n", visible(&head)) + &dump(data, (&ccsid, "037"))
}

/// Lines of bytes with their texts in two code pages, under their names.
fn dump(data: &Value, (own, other): (&str, &str)) -> String {
    let hex: Vec<char> = data["hex"].as_str().unwrap_or_default().chars().collect();
    let [text, text037] = ["text", "text037"]
        .map(|name| data[name].as_str().unwrap_or_default().chars().collect::<Vec<char>>());
    if hex.is_empty() {
        return String::new();
    }
    let width = LINE_BYTES * 2 + LINE_BYTES / 4;
    let mut lines = format!("{:8}  {:width$} {own:LINE_BYTES$}  {other}\n", "OFFSET", "HEX");
    let part = |all: &[char], at: usize| all.iter().skip(at).take(LINE_BYTES).collect::<String>();
    for (line, digits) in hex.chunks(LINE_BYTES * 2).enumerate() {
        let groups: String = digits.chunks(8).map(|group| group.iter().collect::<String>() + " ").collect();
        let at = line * LINE_BYTES;
        let (own, other) = (visible(&part(&text, at)), visible(&part(&text037, at)));
        writeln!(lines, "{at:08X}  {groups:width$} {own:LINE_BYTES$}  {other}")
            .expect("a text takes everything");
    }
    lines
}

pub(crate) fn links(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("SYSID", Left),
        ("CONNECTED", Left),
        ("APPLID", Left),
        ("REQUESTS", Right),
        ("TROUBLE", Left),
    ]);
    for link in list(answer, "links") {
        table.row(cells(link, ["sysid", "connected", "applid", "sessions", "trouble"]));
    }
    table.text("there are no links")
}

pub(crate) fn units(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("UNIT", Left),
        ("DECIDED BY", Left),
        ("CHANGES", Right),
        ("LOCKS", Right),
        ("CONNECTED", Left),
        ("DECIDES FOR", Left),
    ]);
    for unit in list(answer, "units") {
        let [id, coordinator, changes, locks, connected] =
            cells(unit, ["id", "coordinator", "changes", "locks", "connected"]);
        let below: Vec<String> = list(unit, "decidesFor").iter().map(cell).collect();
        let below = if below.is_empty() { NONE.to_owned() } else { below.join(" ") };
        table.row([id, coordinator, changes, locks, connected, below]);
    }
    let mut text = table.text("no unit of work is in doubt");
    let mut forced = Table::new(&[("FORCED UNIT", Left), ("TO", Left)]);
    for unit in list(answer, "forced") {
        forced.row(cells(unit, ["id", "decision"]));
    }
    if !list(answer, "forced").is_empty() {
        text = format!("{text}\n{}", forced.text(""));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_is_a_dump_in_both_code_pages() {
        let data = json!({ "bytes": 18, "hex": "C1C2000A".repeat(4) + "4142", "ccsid": 819, "text": "ÁÂ..".repeat(4) + "AB", "text037": "AB..".repeat(4) + ".." });
        let queue = json!({ "name": "Q", "place": "main", "items": 2 });
        let expected = "queue Q (main), item 1 of 2, 18 bytes
OFFSET    HEX                                  819               037
00000000  C1C2000A C1C2000A C1C2000A C1C2000A  ÁÂ..ÁÂ..ÁÂ..ÁÂ..  AB..AB..AB..AB..
00000010  4142                                 AB                ..
";
        assert_eq!(item(&json!({ "queue": queue, "item": 1, "data": data })), expected);
    }

    #[test]
    fn what_is_missing_is_a_hyphen_and_nothing_is_told_so() {
        let task = json!({ "number": 7, "transaction": "GTRY", "program": "P", "waitsFor": { "what": "file", "name": "ACC" } });
        let shown = tasks(&json!({ "tasks": [task], "waiting": 1 }));
        assert_eq!(
            shown,
            "TASK  TRAN  PROGRAM  USER  SINCE  CPU MS  WORKER  WAITS FOR\n   7  GTRY  P        -     -           -       -  file ACC\n1 task waits for a worker\n"
        );
        assert_eq!(tasks(&json!({})), "no task runs\n");
        assert_eq!(units(&json!({})), "no unit of work is in doubt\n");
        assert_eq!(bytes(&json!(10_240)), "10K");
    }
}
