//! `gantry queue`: shows the queues of a running gateway, and carries out operators' commands.

mod shown;

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use administration::paths;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Subcommand};
use http::Method;
use serde_json::{Map, Value, json};
use settings::{Readers, Replacement};

use crate::asked::{Gateway, WORK_MAX, escaped};
use crate::shown::{cell, list};
use crate::table::visible;
use crate::watch::{Request, Watch};
use crate::{Common, Trouble};

/// The most bytes of a message, the same as in IBM MQ.
const MESSAGE_BYTES_MAX: u64 = 100 << 20;
/// The most bytes of messages to import in one unit of work.
const BATCH_BYTES: usize = 4 << 20;
/// The most messages to import in one unit of work.
const BATCH_MESSAGES: usize = 500;

/// Which gateway, what of its queues, and how it is shown.
#[derive(Debug, Args)]
pub struct QueueArgs {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    watch: Watch,
}

#[derive(Debug, Subcommand)]
enum What {
    /// All queues: depth, age of the oldest message, waiters. This is the default.
    List,
    /// One queue, with its definition and what has happened on it.
    Display {
        /// The queue.
        queue: String,
    },
    /// Show messages, which stay on the queue.
    Browse(Browse),
    /// Put a message.
    Put(Put),
    /// Move messages to another queue. Their ids and times stay.
    Move {
        /// The queue that has them.
        from: String,
        /// The queue that gets them.
        to: String,
        /// Only the message with this id, of 48 hexadecimal digits.
        #[arg(long)]
        id: Option<String>,
        /// So many messages at most.
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Move dead letters, or messages of a backout queue, back to the queues from which they came.
    Retry {
        /// The queue that has them.
        queue: String,
        /// Only the message with this id, of 48 hexadecimal digits.
        #[arg(long)]
        id: Option<String>,
        /// So many messages at most.
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Remove all messages of a queue that can be got.
    Purge {
        /// The queue.
        queue: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// Write all messages to a file, one a line in JSON. They stay on the queue.
    Export {
        /// The queue.
        queue: String,
        /// The file; default: standard output.
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
    /// Put the messages of an exported file on a queue, with their ids, times and properties.
    Import {
        /// The queue.
        queue: String,
        /// The file; `-` is standard input.
        file: PathBuf,
    },
    /// Define a queue, or change one that a command has defined.
    Define(Define),
    /// Delete a queue that a command has defined.
    Delete {
        /// The queue.
        queue: String,
        /// Its messages too.
        #[arg(long)]
        purge: bool,
    },
    /// Print the definitions of all queues as text for gantry.toml.
    Definitions,
}

#[derive(Debug, Args)]
struct Browse {
    /// The queue.
    queue: String,
    /// Only the message with this id, of 48 hexadecimal digits.
    #[arg(long)]
    id: Option<String>,
    /// So many messages at most.
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Show bodies in hexadecimal, with their text beside it.
    #[arg(long, conflicts_with = "copybook")]
    hex: bool,
    /// Show bodies as JSON, by the layout of this copybook.
    #[arg(long, value_name = "FILE")]
    copybook: Option<PathBuf>,
    /// The code page of bodies that a copybook describes; default: that of the message.
    #[arg(long, requires = "copybook")]
    ccsid: Option<u16>,
    /// Write the body of the first message as it is, and nothing else.
    #[arg(long, conflicts_with_all = ["hex", "copybook"])]
    bytes: bool,
}

#[derive(Debug, Args)]
struct Put {
    /// The queue.
    queue: String,
    /// The text of the message, in UTF-8; default: --file, or standard input.
    text: Option<String>,
    /// A file with the body; its bytes are put as they are.
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    file: Option<PathBuf>,
    /// The message outlives a restart; default: as the queue says.
    #[arg(long)]
    persistent: bool,
    /// From 0 to 9; default: as the queue says.
    #[arg(long, value_parser = clap::value_parser!(u8).range(0..=9))]
    priority: Option<u8>,
    /// The correlation id, of 48 hexadecimal digits.
    #[arg(long, value_name = "ID")]
    correlation_id: Option<String>,
    /// The queue for the reply; the message is a request then.
    #[arg(long, value_name = "QUEUE")]
    reply_to: Option<String>,
    /// The format; default: MQSTR for a text, none for bytes.
    #[arg(long)]
    format: Option<String>,
    /// The code page of the body; default: 1208, UTF-8.
    #[arg(long)]
    ccsid: Option<u32>,
    /// The message expires after this number of milliseconds; default: never.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    expiry_ms: Option<u64>,
    /// A property with a text; may be given several times.
    #[arg(long = "property", value_name = "NAME=TEXT")]
    properties: Vec<String>,
}

#[derive(Debug, Args)]
struct Define {
    /// The queue.
    queue: String,
    /// Keys of `[[queue_manager.queue]]` with their values: `depth_max=100 persistent=true`.
    #[arg(value_name = "KEY=VALUE")]
    keys: Vec<String>,
    /// Change the queue if it is there; what is not named stays.
    #[arg(long)]
    replace: bool,
}

/// Sends the command to the gateway and prints the answer.
///
/// # Errors
/// The gateway was not reached, or did not carry out the command.
pub fn run(args: &QueueArgs) -> Result<ExitCode, Trouble> {
    let gateway = Gateway::at(&args.common.place, WORK_MAX)?;
    if matches!(args.what, Some(What::Browse(_) | What::Export { .. } | What::Import { .. })) {
        args.watch.refuse("list, display and definitions")?;
    }
    let text = match &args.what {
        Some(What::Browse(browse)) => return browsed(&gateway, browse, args.common.json),
        Some(What::Export { queue, output }) => return export(&gateway, queue, output.as_deref()),
        Some(What::Import { queue, file }) => import(&gateway, queue, file)?,
        what => {
            let what = what.as_ref();
            let Some(request) = request(what)? else {
                return Err(Trouble::refused("nothing was removed; --yes does not ask"));
            };
            let show = |answer: &Value| shown::show(what, answer);
            if let Some(What::Retry { queue, .. }) = what {
                return retry(&gateway, queue, request, args.common.json, show);
            }
            return args.watch.ask(&gateway, request, args.common.json, show);
        }
    };
    print(text.as_bytes())
}

/// Sends messages back to their queues, and prints what became of them.
///
/// # Errors
/// Some messages stayed; those of the gateway.
fn retry(
    gateway: &Gateway,
    queue: &str,
    (method, target, body): Request,
    is_json: bool,
    show: impl Fn(&Value) -> String,
) -> Result<ExitCode, Trouble> {
    let answer = gateway.ask(method, target, body)?;
    let code = print(if is_json { answer.text } else { show(&answer.value) }.as_bytes())?;
    let number = |name: &str| answer.value[name].as_u64().unwrap_or_default();
    match (number("stayed"), number("messages")) {
        (0, _) => Ok(code),
        (stayed, moved) => {
            let (stayed, queue) = (shown::count(stayed), visible(queue));
            Err(Trouble::refused(format!(
                "{stayed} could not go back and stayed on {queue}; {moved} went back"
            )))
        }
    }
}

/// Writes to standard output. It is not an error if the reader stops reading.
fn print(bytes: &[u8]) -> Result<ExitCode, Trouble> {
    let _ = io::stdout().write_all(bytes).and_then(|()| io::stdout().flush());
    Ok(ExitCode::SUCCESS)
}

fn of_queue(path: &str, queue: &str) -> String {
    paths::with_name(path, &escaped(queue))
}

/// The request: method, path and body; none if the user decides against it.
fn request(what: Option<&What>) -> Result<Option<Request>, Trouble> {
    Ok(Some(match what {
        Some(What::Display { queue }) => (Method::GET, of_queue(paths::MESSAGE_QUEUE, queue), None),
        Some(What::Put(put)) => {
            let body = json!({ "messages": [message(put)?] });
            (Method::POST, of_queue(paths::QUEUE_MESSAGES, &put.queue), Some(body))
        }
        Some(What::Move { from, to, id, limit }) => {
            let body = json!({ "to": to, "id": id, "limit": limit });
            (Method::POST, of_queue(paths::QUEUE_MOVE, from), Some(body))
        }
        Some(What::Retry { queue, id, limit }) => {
            let body = json!({ "id": id, "limit": limit });
            (Method::POST, of_queue(paths::QUEUE_RETRY, queue), Some(body))
        }
        Some(What::Purge { queue, yes }) => {
            if !yes && !is_wanted(queue)? {
                return Ok(None);
            }
            (Method::POST, of_queue(paths::QUEUE_PURGE, queue), None)
        }
        Some(What::Define(define)) => {
            let queue = definition(define)?;
            let body = json!({ "replace": define.replace, "queue": queue });
            (Method::POST, paths::MESSAGE_QUEUES.to_owned(), Some(body))
        }
        Some(What::Delete { queue, purge }) => {
            let path = of_queue(paths::MESSAGE_QUEUE, queue);
            (Method::DELETE, if *purge { format!("{path}?purge=true") } else { path }, None)
        }
        // Other functions send the other requests.
        _ => (Method::GET, paths::MESSAGE_QUEUES.to_owned(), None),
    }))
}

/// Asks the user at the terminal. There must be a terminal.
fn is_wanted(queue: &str) -> Result<bool, Trouble> {
    if !io::stdin().is_terminal() {
        return Err(Trouble::refused("a purge asks first, and nobody is at a terminal: --yes does not ask"));
    }
    eprint!("Remove all messages of {}? [y/N] ", visible(queue));
    let mut line = String::new();
    let _ = io::stdin().read_line(&mut line);
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}

fn message(put: &Put) -> Result<Value, Trouble> {
    let body = match (&put.text, &put.file) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(file)) => read(file)?,
        (None, None) => read(Path::new("-"))?,
    };
    let usual = (put.text.is_some()).then(|| "MQSTR".to_owned());
    let mut message = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            message.insert(name.to_owned(), value);
        }
    };
    set("bodyBase64", Some(STANDARD.encode(body).into()));
    set("format", put.format.clone().or(usual).map(Value::from));
    set("persistent", put.persistent.then_some(Value::Bool(true)));
    set("priority", put.priority.map(Value::from));
    set("correlationId", put.correlation_id.clone().map(Value::from));
    set("replyToQueue", put.reply_to.clone().map(Value::from));
    set("kind", put.reply_to.as_ref().map(|_| Value::from("request")));
    set("ccsid", put.ccsid.map(Value::from));
    set("expiryMs", put.expiry_ms.map(Value::from));
    let properties: Result<Vec<Value>, Trouble> = put.properties.iter().map(|pair| property(pair)).collect();
    set("properties", Some(properties?).filter(|all| !all.is_empty()).map(Value::from));
    Ok(Value::Object(message))
}

fn property(pair: &str) -> Result<Value, Trouble> {
    let Some((name, value)) = pair.split_once('=') else {
        return Err(Trouble::refused(format!("--property: expected NAME=TEXT, found {pair:?}")));
    };
    Ok(json!({ "name": name, "type": "string", "value": value }))
}

/// A whole file, or standard input for `-`.
fn read(file: &Path) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    let failed = |error: io::Error| Trouble::refused(format!("{}: {error}", file.display()));
    let from: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(file).map_err(failed)?),
    };
    from.take(MESSAGE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 > MESSAGE_BYTES_MAX {
        true => Err(Trouble::refused(format!(
            "{}: a message has at most {MESSAGE_BYTES_MAX} bytes",
            file.display()
        ))),
        false => Ok(bytes),
    }
}

/// The keys and values of a definition: numbers, true and false, and texts.
fn definition(define: &Define) -> Result<Value, Trouble> {
    let mut queue = Map::new();
    queue.insert("name".to_owned(), define.queue.clone().into());
    for pair in &define.keys {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Trouble::refused(format!("expected KEY=VALUE, found {pair:?}")));
        };
        let is_text = matches!(key, "description" | "alias_of" | "backout_queue" | "type" | "delivery");
        let plain =
            serde_json::from_str(value).ok().filter(|value: &Value| value.is_u64() || value.is_boolean());
        let value = plain.filter(|_| !is_text).unwrap_or_else(|| value.into());
        if queue.insert(key.to_owned(), value).is_some() {
            return Err(Trouble::refused(format!("{key} is given twice")));
        }
    }
    Ok(Value::Object(queue))
}

/// Reads the pages of a queue's messages, one after another, until `each` wants no more or there
/// are none.
fn pages(
    gateway: &Gateway,
    queue: &str,
    id: Option<&str>,
    limit: usize,
    mut each: impl FnMut(&[Value], &str) -> Result<(), Trouble>,
) -> Result<usize, Trouble> {
    let path = of_queue(paths::QUEUE_MESSAGES, queue);
    let (mut seen, mut after) = (0, None::<String>);
    while seen < limit {
        let mut target = format!("{path}?limit={}", limit - seen);
        for (name, value) in [("id", id), ("after", after.as_deref())] {
            if let Some(value) = value {
                target.push_str(&format!("&{name}={}", escaped(value)));
            }
        }
        let answer = gateway.ask(Method::GET, target, None)?;
        let messages = list(&answer.value, "messages");
        each(messages, &answer.text)?;
        seen += messages.len();
        after = messages.last().map(|last| cell(&last["position"]));
        if messages.is_empty() || answer.value["end"] == Value::Bool(true) {
            break;
        }
    }
    Ok(seen)
}

fn browsed(gateway: &Gateway, browse: &Browse, as_json: bool) -> Result<ExitCode, Trouble> {
    let limit = if browse.bytes { 1 } else { browse.limit };
    let view = browse.copybook.as_deref().map(|file| shown::View::new(file, browse.ccsid)).transpose()?;
    let seen = pages(gateway, &browse.queue, browse.id.as_deref(), limit, |messages, text| {
        if as_json {
            return print(text.as_bytes()).map(drop);
        }
        for message in messages {
            let body = shown::body(message)?;
            if browse.bytes {
                print(&body)?;
                continue;
            }
            let mut text = shown::head(message);
            text.push_str(&match &view {
                Some(view) => view.shown(&body, message),
                None if browse.hex => shown::dump(&body),
                None => shown::text(&body, message),
            });
            print(text.as_bytes())?;
        }
        Ok(())
    })?;
    if seen > 0 || as_json {
        return Ok(ExitCode::SUCCESS);
    }
    if browse.id.is_some() {
        return Err(Trouble::refused(format!("{}: there is no such message", visible(&browse.queue))));
    }
    // With `--bytes`, a text here would count as bytes of a message.
    if !browse.bytes {
        print(format!("{}: the queue is empty\n", visible(&browse.queue)).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn export(gateway: &Gateway, queue: &str, output: Option<&Path>) -> Result<ExitCode, Trouble> {
    let failed = |error: io::Error| {
        let name = output.map_or_else(|| "standard output".to_owned(), |output| output.display().to_string());
        Trouble::refused(format!("{name}: {error}"))
    };
    let count = match output {
        Some(file) => {
            if file.symlink_metadata().is_ok() {
                return Err(Trouble::refused(format!("{} exists already", file.display())));
            }
            let new = Replacement::begin(file, Readers::Usual).map_err(failed)?;
            let mut to = BufWriter::new(new);
            let count = export_to(gateway, queue, &mut to, failed)?;
            let new = to.into_inner().map_err(io::IntoInnerError::into_error).map_err(failed)?;
            new.finish().map_err(failed)?;
            count
        }
        None => export_to(gateway, queue, &mut io::stdout(), failed)?,
    };
    let (shown, count) = (visible(queue), shown::count(count as u64));
    terminal::remark!("exported from {shown}, where they still are: {count}");
    Ok(ExitCode::SUCCESS)
}

/// Writes all messages of a queue, a line for each. Gives their number.
fn export_to(
    gateway: &Gateway,
    queue: &str,
    to: &mut impl Write,
    failed: impl Fn(io::Error) -> Trouble + Copy,
) -> Result<usize, Trouble> {
    let count = pages(gateway, queue, None, usize::MAX, |messages, _| {
        for message in messages {
            let mut message = message.clone();
            if let Some(members) = message.as_object_mut() {
                members.remove("position");
            }
            writeln!(to, "{message}").map_err(failed)?;
        }
        Ok(())
    })?;
    to.flush().map_err(failed)?;
    Ok(count)
}

fn import(gateway: &Gateway, queue: &str, file: &Path) -> Result<String, Trouble> {
    let failed = |error: io::Error| Trouble::refused(format!("{}: {error}", file.display()));
    let from: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(file).map_err(failed)?),
    };
    let target = of_queue(paths::QUEUE_MESSAGES, queue);
    let (mut batch, mut bytes, mut done) = (Vec::new(), 0, 0);
    let send = |batch: &mut Vec<Value>, done: &mut usize| -> Result<(), Trouble> {
        let count = batch.len();
        let body = json!({ "messages": std::mem::take(batch) });
        gateway.ask(Method::POST, target.clone(), Some(body)).map_err(|trouble| {
            let imported = match *done {
                0 => "nothing is imported".to_owned(),
                1 => "line 1 is imported".to_owned(),
                done => format!("lines 1 to {done} are imported"),
            };
            let lines = match count {
                1 => format!("line {}", *done + 1),
                count => format!("lines {} to {}", *done + 1, *done + count),
            };
            let message = format!("{}, {lines}: {}; {imported}", file.display(), trouble.message);
            Trouble { message, ..trouble }
        })?;
        *done += count;
        Ok(())
    };
    for (number, line) in BufReader::new(from).lines().enumerate() {
        let line = line.map_err(failed)?;
        let message: Value = serde_json::from_str(&line)
            .map_err(|error| Trouble::refused(format!("{}, line {}: {error}", file.display(), number + 1)))?;
        bytes += line.len();
        batch.push(message);
        if batch.len() == BATCH_MESSAGES || bytes >= BATCH_BYTES {
            send(&mut batch, &mut done)?;
            bytes = 0;
        }
    }
    if !batch.is_empty() {
        send(&mut batch, &mut done)?;
    }
    Ok(format!("imported to {}: {}\n", visible(queue), shown::count(done as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(what: What) -> (Method, String, Option<Value>) {
        request(Some(&what)).expect("a request").expect("it is wanted")
    }

    #[test]
    fn commands_lead_to_paths() {
        let queue = "A/B".to_owned();
        let (method, target, _) = asked(What::Delete { queue: queue.clone(), purge: true });
        assert_eq!((method, &*target), (Method::DELETE, "/queues/A%2FB?purge=true"));
        let (method, target, _) = asked(What::Purge { queue: queue.clone(), yes: true });
        assert_eq!((method, &*target), (Method::POST, "/queues/A%2FB/purge"));
        let to = What::Move { from: queue, to: "C".to_owned(), id: None, limit: Some(3) };
        let (_, target, body) = asked(to);
        assert_eq!(target, "/queues/A%2FB/move");
        assert_eq!(body, Some(json!({ "to": "C", "id": null, "limit": 3 })));
    }

    #[test]
    fn a_put_has_its_properties_and_its_expiry() {
        #[derive(Debug, clap::Parser)]
        struct Line {
            #[command(flatten)]
            put: Put,
        }
        let put = |more: &[&str]| {
            let line = ["put", "Q", "x"].iter().chain(more);
            message(&<Line as clap::Parser>::try_parse_from(line).expect("arguments").put)
        };
        let given = put(&["--property", "targetService=/a?b=c", "--property", "n=", "--expiry-ms", "5"])
            .expect("right");
        let text = |name: &str, value: &str| json!({ "name": name, "type": "string", "value": value });
        assert_eq!(given["properties"], json!([text("targetService", "/a?b=c"), text("n", "")]));
        assert_eq!(given["expiryMs"], 5);
        assert_eq!(put(&[]).expect("right").get("properties"), None);
        let refused = put(&["--property", "name"]).expect_err("no value");
        assert_eq!(refused.message, "--property: expected NAME=TEXT, found \"name\"");
    }

    #[test]
    fn definitions_have_numbers_and_texts() {
        let define = |keys: &[&str]| {
            let keys = keys.iter().map(|key| (*key).to_owned()).collect();
            definition(&Define { queue: "Q".to_owned(), keys, replace: false })
        };
        let given = define(&["depth_max=7", "persistent=true", "description=12", "backout_queue=B"]);
        let expected = json!({ "name": "Q", "depth_max": 7, "persistent": true, "description": "12", "backout_queue": "B" });
        assert_eq!(given.expect("right"), expected);
        assert!(define(&["depth_max"]).is_err() && define(&["depth_max=1", "depth_max=2"]).is_err());
    }

    #[test]
    fn a_message_with_a_reply_queue_is_a_request() {
        let put = Put {
            queue: "Q".to_owned(),
            text: Some("Hello".to_owned()),
            file: None,
            persistent: true,
            priority: None,
            correlation_id: None,
            reply_to: Some("R".to_owned()),
            format: None,
            ccsid: None,
            expiry_ms: None,
            properties: Vec::new(),
        };
        let expected = json!({
            "bodyBase64": "SGVsbG8=", "format": "MQSTR", "persistent": true, "replyToQueue": "R", "kind": "request",
        });
        assert_eq!(message(&put).expect("right"), expected);
    }
}
