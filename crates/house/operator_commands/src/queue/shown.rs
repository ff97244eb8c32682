//! Shows queues and messages to people, from the answers of the admin address.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use calendar::Utc;
use codepage::readable::{decoded, printable, spaced_hex};
use message::{Format, Property, Reason};
use mqi::DeadLetterHeader;
use record_commands::RecordView;
use serde_json::Value;

use super::What;
use crate::Trouble;
use crate::shown::{NONE, bytes, cell, cells, list};
use crate::table::Side::{Left, Right};
use crate::table::{Table, visible};

/// Bytes on a line of a dump.
const LINE_BYTES: usize = 16;
/// The number of UTF-8 in IBM MQ.
const UTF_8: u64 = 1_208;

pub(super) fn show(what: Option<&What>, answer: &Value) -> String {
    let name = || visible(&cell(&answer["name"]));
    match what {
        None | Some(What::List) => queues(answer),
        Some(What::Display { .. }) => list(answer, "queues").iter().map(display).collect(),
        Some(What::Definitions) => definitions(answer),
        Some(What::Put(_)) => {
            let ids: Vec<String> = list(answer, "messageIds").iter().map(cell).collect();
            format!("{}: message {} is put\n", name(), visible(&ids.join(", ")))
        }
        Some(What::Move { .. }) => {
            format!("moved from {} to {}: {}\n", name(), visible(&cell(&answer["to"])), messages(answer))
        }
        Some(What::Retry { .. }) => retried(answer),
        Some(What::Purge { .. }) => {
            format!("removed from {}: {}\n", name(), messages(answer))
        }
        Some(_) => format!("{} is {}\n", name(), visible(&cell(&answer["done"]))),
    }
}

/// How many messages went where, and why others stay.
fn retried(answer: &Value) -> String {
    let mut text = format!("moved back from {}: {}\n", visible(&cell(&answer["name"])), messages(answer));
    let mut line = |line: String| writeln!(text, "  {line}").expect("a text takes everything");
    for queue in list(answer, "queues") {
        line(format!("{} to {}", messages(queue), visible(&cell(&queue["name"]))));
    }
    let stayed = answer["stayed"].as_u64().unwrap_or_default();
    if stayed > 0 {
        line(format!("{} {}", count(stayed), if stayed == 1 { "stays" } else { "stay" }));
    }
    let stays = list(answer, "stays");
    for message in stays {
        let [id, reason] = cells(message, ["messageId", "reason"]);
        line(visible(&format!("{id}: {reason}")));
    }
    if stayed > stays.len() as u64 {
        line("...".to_owned());
    }
    text
}

fn messages(answer: &Value) -> String {
    count(answer["messages"].as_u64().unwrap_or_default())
}

/// A number of messages, in words.
pub(super) fn count(messages: u64) -> String {
    format!("{messages} message{}", if messages == 1 { "" } else { "s" })
}

/// A duration in units that are easy to compare.
fn age(ms: &Value) -> String {
    match ms.as_u64() {
        None => NONE.to_owned(),
        Some(ms) if ms < 10_000 => format!("{}.{}s", ms / 1_000, ms % 1_000 / 100),
        Some(ms) if ms < 600_000 => format!("{}s", ms / 1_000),
        Some(ms) if ms < 36_000_000 => format!("{}m", ms / 60_000),
        Some(ms) => format!("{}h", ms / 3_600_000),
    }
}

fn queues(answer: &Value) -> String {
    let mut table = Table::new(&[
        ("QUEUE", Left),
        ("TYPE", Left),
        ("DEPTH", Right),
        ("MAXDEPTH", Right),
        ("UNCOMMITTED", Right),
        ("OLDEST", Right),
        ("WAITERS", Right),
        ("DISK", Right),
        ("MEMORY", Right),
        ("PUT", Left),
        ("GET", Left),
    ]);
    for queue in list(answer, "queues") {
        let [name, kind, depth, most, uncommitted, waiters] =
            cells(queue, ["name", "type", "depth", "depthMax", "uncommitted", "waiters"]);
        let [put, get] = ["putEnabled", "getEnabled"].map(|name| match &queue[name] {
            Value::Bool(false) => "inhibited".to_owned(),
            other => cell(other),
        });
        let [disk, memory] = ["diskBytes", "memoryBytes"].map(|name| bytes(&queue[name]));
        table.row([
            name,
            kind,
            depth,
            most,
            uncommitted,
            age(&queue["oldestAgeMs"]),
            waiters,
            disk,
            memory,
            put,
            get,
        ]);
    }
    let manager = visible(&cell(&answer["manager"]));
    format!("queue manager {manager}\n") + &table.text("there are no queues")
}

fn display(queue: &Value) -> String {
    let mut text = String::new();
    let mut line = |what: &str, value: String| {
        writeln!(text, "{what:<13} {}", visible(&value)).expect("a text takes everything");
    };
    line("queue", cell(&queue["name"]));
    line("defined by", cell(&queue["definedBy"]));
    let [depth, most, uncommitted, waiters] = cells(queue, ["depth", "depthMax", "uncommitted", "waiters"]);
    line("messages", format!("{depth} of {most} at most, {uncommitted} uncommitted"));
    line("oldest", age(&queue["oldestAgeMs"]));
    line("waiters", waiters);
    let [disk, memory] = ["diskBytes", "memoryBytes"].map(|name| bytes(&queue[name]));
    line("bytes", format!("{disk} on disk, {memory} in memory"));
    let [puts, gets, backouts, expired, damaged, lost] =
        cells(queue, ["puts", "gets", "backouts", "expired", "damaged", "reportsLost"]);
    line(
        "since start",
        format!("{puts} put, {gets} got, {backouts} backed out, {expired} expired, {damaged} damaged"),
    );
    if queue["reportsLost"].as_u64().is_some_and(|lost| lost > 0) {
        line("reports lost", lost);
    }
    if let Some(definition) = queue["text"].as_str() {
        text.push('\n');
        text.push_str(&lines(definition));
    }
    text
}

fn definitions(answer: &Value) -> String {
    let all: Vec<String> = list(answer, "queues")
        .iter()
        .filter(|queue| cell(&queue["definedBy"]) != "model")
        .filter_map(|queue| {
            let by = cell(&queue["definedBy"]);
            queue["text"].as_str().map(|text| format!("# defined by {}\n{}", visible(&by), lines(text)))
        })
        .collect();
    all.join("\n")
}

/// A text of several lines without control characters, which a terminal would obey.
fn lines(text: &str) -> String {
    text.lines().map(|line| visible(line) + "\n").collect()
}

/// The bytes of a message's body.
pub(super) fn body(message: &Value) -> Result<Vec<u8>, Trouble> {
    let text = message["bodyBase64"].as_str().unwrap_or_default();
    STANDARD.decode(text).map_err(|error| Trouble::refused(format!("the body of a message: {error}")))
}

/// The lines above a body.
pub(super) fn head(message: &Value) -> String {
    let [id, correlation, format, priority, user] =
        cells(message, ["messageId", "correlationId", "format", "priority", "user"]);
    let put =
        message["put"].as_u64().map_or_else(|| NONE.to_owned(), |ms| Utc::of_seconds(ms / 1_000).plain());
    let kept = match &message["persistent"] {
        Value::Bool(true) => "persistent",
        _ => "not persistent",
    };
    let mut text = visible(&format!("message {id}")) + "\n";
    let mut line = |what: &str, value: String| {
        writeln!(text, "  {what:<12} {}", visible(&value)).expect("a text takes everything");
    };
    line("put", format!("{put} UTC by {user}, {kept}, priority {priority}, format {format}"));
    if correlation != NONE {
        line("correlation", correlation);
    }
    if let Some(queue) = message["replyToQueue"].as_str() {
        line("reply to", queue.to_owned());
    }
    if let Some(backouts) = message["backoutCount"].as_u64() {
        line("backed out", format!("{backouts} times"));
    }
    if let Some(dead) = dead_letter(message) {
        let code = u64::from(dead.reason.cast_unsigned());
        let format = String::from_utf8_lossy(&dead.format);
        line(
            "dead letter",
            format!(
                "of {} on {}, reason {}, format {}",
                dead.queue,
                dead.manager,
                reason(code),
                format.trim_end()
            ),
        );
    }
    if let Some(feedback) = message["feedback"].as_u64().filter(|feedback| *feedback != 0) {
        line("feedback", reason(feedback));
    }
    for property in list(message, "properties") {
        let [name, kind, value] = cells(property, ["name", "type", "value"]);
        match name == Property::ORIGIN_QUEUE {
            true => line("came from", value),
            false => line("property", format!("{name} = {value} ({kind})")),
        }
    }
    text
}

/// A number with the name of its reason, if it has one.
fn reason(code: u64) -> String {
    let reason = u32::try_from(code).ok().and_then(Reason::of_code);
    let name = reason.map(|reason| format!(" {}", reason.name())).unwrap_or_default();
    format!("{code}{name}")
}

/// The header of a dead letter; none if the message is not one, or has no header that can be read.
fn dead_letter(message: &Value) -> Option<DeadLetterHeader> {
    let is_dead =
        message["format"].as_str().is_some_and(|format| Format::new(format) == Some(Format::DEAD_LETTER));
    is_dead.then(|| body(message).ok()).flatten().and_then(|body| DeadLetterHeader::read(&body))
}

/// A body without the header of a dead letter, and the code page of its text.
fn content<'b>(body: &'b [u8], message: &Value) -> (&'b [u8], u16) {
    match dead_letter(message) {
        Some(dead) => (&body[DeadLetterHeader::BYTES..], u16::try_from(dead.ccsid).unwrap_or(0)),
        None => (body, ccsid(message)),
    }
}

/// The code page of a message's text.
fn ccsid(message: &Value) -> u16 {
    let ccsid = message["ccsid"].as_u64().unwrap_or(UTF_8);
    u16::try_from(ccsid).unwrap_or(0)
}

/// A body as text in the message's code page, on separate lines.
pub(super) fn text(body: &[u8], message: &Value) -> String {
    let (body, ccsid) = content(body, message);
    let text = decoded(body, ccsid);
    let shown: String = text.lines().map(|line| format!("  {}\n", visible(line))).collect();
    format!("  {} bytes\n{shown}\n", body.len())
}

/// A body in hexadecimal, with its ASCII and its EBCDIC characters.
pub(super) fn dump(body: &[u8]) -> String {
    let mut text = format!("  {} bytes\n", body.len());
    for (number, line) in body.chunks(LINE_BYTES).enumerate() {
        let hex = spaced_hex(line, LINE_BYTES);
        let [ascii, ebcdic] = [819, 37].map(|ccsid| printable(&decoded(line, ccsid)));
        let at = number * LINE_BYTES;
        writeln!(text, "  {at:06x}  {hex:<48} {ascii:<16}  {ebcdic}").expect("a text takes everything");
    }
    text + "\n"
}

/// Shows bodies by the layout of a copybook.
pub(super) struct View {
    copybook: PathBuf,
    ccsid: Option<u16>,
}

impl View {
    pub(super) fn new(copybook: &Path, ccsid: Option<u16>) -> Result<Self, Trouble> {
        // Report a faulty copybook once, not with each message.
        RecordView::new(copybook, ccsid.unwrap_or(37)).map_err(Trouble::refused)?;
        Ok(Self { copybook: copybook.to_owned(), ccsid })
    }

    /// A body as JSON. If it does not fit the layout, it is shown in hexadecimal, with the reason.
    pub(super) fn shown(&self, body: &[u8], message: &Value) -> String {
        let (body, own) = content(body, message);
        let ccsid = self.ccsid.unwrap_or(own);
        let shown = RecordView::new(&self.copybook, ccsid).and_then(|view| view.json(body));
        match shown {
            Ok(json) => json.lines().map(|line| format!("  {line}\n")).collect::<String>() + "\n",
            Err(why) => format!("  the copybook does not fit: {}\n{}", visible(&why), dump(body)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn queues_are_a_table() {
        let answer = json!({ "manager": "QM1", "queues": [{
            "name": "ORDERS", "type": "local", "depth": 3, "depthMax": 5_000, "uncommitted": 1, "oldestAgeMs": 61_000,
            "waiters": 0, "diskBytes": 20_480, "memoryBytes": 0, "putEnabled": true, "getEnabled": false,
        }] });
        let expected = "queue manager QM1\n\
            QUEUE   TYPE   DEPTH  MAXDEPTH  UNCOMMITTED  OLDEST  WAITERS  DISK  MEMORY  PUT  GET\n\
            ORDERS  local      3      5000            1     61s        0   20K       0  yes  inhibited\n";
        assert_eq!(show(None, &answer), expected);
    }

    #[test]
    fn bodies_are_shown_in_their_code_page_and_in_hexadecimal() {
        let body = [0xC8, 0x85, 0x93, 0x93, 0x96];
        assert_eq!(text(&body, &json!({ "ccsid": 37 })), "  5 bytes\n  Hello\n\n");
        let dumped = dump(&body);
        assert!(dumped.contains("Hello") && dumped.to_lowercase().contains("c8"), "{dumped}");
    }

    #[test]
    fn a_dead_letter_shows_where_it_came_from_and_its_body() {
        let header = DeadLetterHeader {
            reason: 2053,
            queue: "ORDERS".to_owned(),
            manager: "QM1".to_owned(),
            encoding: 785,
            ccsid: 37,
            format: Format::STRING.0,
        };
        let bytes = [&header.written("QM1", 0)[..], &[0xC8, 0x85, 0x93, 0x93, 0x96]].concat();
        let message = json!({
            "messageId": "00", "format": "MQDEAD", "ccsid": 1_208, "put": 0, "bodyBase64": STANDARD.encode(&bytes),
        });
        let expected = "  dead letter  of ORDERS on QM1, reason 2053 MQRC_Q_FULL, format MQSTR\n";
        assert!(head(&message).contains(expected), "{}", head(&message));
        assert_eq!(text(&bytes, &message), "  5 bytes\n  Hello\n\n");
    }

    #[test]
    fn a_message_of_a_backout_queue_shows_where_it_came_from() {
        let property = |name: &str, value: &str| json!({ "name": name, "type": "string", "value": value });
        let properties = [property("color", "red"), property("gantry_origin_queue", "ORDERS")];
        let head = head(&json!({ "messageId": "00", "put": 0, "feedback": 2362, "properties": properties }));
        let expected = "  feedback     2362 MQRC_BACKOUT_THRESHOLD_REACHED\n  property     color = red (string)\n  \
            came from    ORDERS\n";
        assert!(head.ends_with(expected), "{head}");
    }

    #[test]
    fn a_retry_shows_where_messages_went_and_why_others_stay() {
        let answer = json!({
            "name": "DEAD", "messages": 3, "queues": [{ "name": "A", "messages": 1 }, { "name": "B", "messages": 2 }],
            "stayed": 2, "stays": [{ "messageId": "00", "reason": "B: it is full (2053 MQRC_Q_FULL)" }],
        });
        let expected = "moved back from DEAD: 3 messages\n  1 message to A\n  2 messages to B\n  2 messages stay\n  \
            00: B: it is full (2053 MQRC_Q_FULL)\n  ...\n";
        assert_eq!(retried(&answer), expected);
    }

    #[test]
    fn a_message_cannot_steer_a_terminal() {
        let message = json!({ "messageId": "00", "user": "\u{1b}[2J", "persistent": true, "put": 0 });
        assert!(!head(&message).contains('\u{1b}'));
        assert!(!text(b"a\x1b[2Jb", &json!({ "ccsid": 1_208 })).contains('\u{1b}'));
    }
}
