//! Queues of the queue manager at the admin address: their state, their messages, and operators'
//! commands.

use std::time::{SystemTime, UNIX_EPOCH};

use failure::Failure;
use http::StatusCode;
use message::{
    Expiry, Message, MessageId, Moment, NewMessage, Persistence, Priority, QueueName, Reason, Refusal,
    Selection,
};
use queue::{Definition, Inquiry, Manager, Origin, Position, QueueKind};
use queue_config::WrittenQueue;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::asked::{Answer, Asked, Incoming, Pending};
use crate::message_text::WrittenMessage;
use crate::region::not_found;
use crate::routes::Small;

/// The most bytes of a definition.
const DEFINITION_MAX_BYTES: usize = 64 << 10;
/// The most bytes of messages in one put request. The longest message has 100 MiB, and more in
/// base64.
const MESSAGES_MAX_BYTES: usize = 160 << 20;
/// The most bytes of a request to move messages.
const MOVE_MAX_BYTES: usize = 4 << 10;
/// The most messages in one answer.
const MESSAGES_MAX: usize = 1_000;
/// The most bytes of bodies in one answer. A single message may be longer.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// Defines a queue, or changes one.
pub(crate) const DEFINE: Small = Small { max_bytes: DEFINITION_MAX_BYTES, run: define, subject: defined };

/// Answers `/queues`.
pub(crate) fn all(asked: &Asked<'_>) -> Answer {
    with_manager(asked, |manager| listed(manager, manager.inquire_all()))
}

/// Answers with one queue, in a list of the same form as [`all`].
pub(crate) fn one(asked: &Asked<'_>) -> Answer {
    with_manager(asked, |manager| match named(asked).and_then(|name| manager.inquire(&name)) {
        Ok(found) => listed(manager, vec![found]),
        Err(refusal) => refused(&refusal),
    })
}

/// Deletes a queue, with its messages if `purge` is true.
pub(crate) fn delete(asked: Asked<'_>) -> Pending<'_> {
    let purge = asked.parameter("purge").as_deref() == Some("true");
    apart(asked, move |manager, name| {
        manager.delete(&name, purge)?;
        Ok(json!({ "name": name.as_str(), "done": "deleted" }))
    })
}

/// Answers with messages. They stay on their queue.
pub(crate) fn messages(asked: Asked<'_>) -> Pending<'_> {
    let (after, limit, id) = (asked.parameter("after"), asked.parameter("limit"), asked.parameter("id"));
    apart(asked, move |manager, name| {
        let limit = limit
            .map_or(Ok(MESSAGES_MAX), |limit| limit.parse().map_err(|_| wrong("limit: expected a number")))?;
        let after = after.map(|text| {
            Position::of_text(&text).ok_or_else(|| wrong("after: expected the position of a message"))
        });
        browse(
            manager,
            &name,
            Wanted { after: after.transpose()?, limit: limit.min(MESSAGES_MAX), selection: selection(id)? },
        )
    })
}

/// Puts messages in one unit of work: all, or none.
pub(crate) fn put<'a>(asked: Asked<'a>, body: &'a mut dyn Incoming) -> Pending<'a> {
    let user = asked.identity.map_or("", |identity| &identity.name).to_owned();
    with_body(asked, body, MESSAGES_MAX_BYTES, move |manager, name, Given { messages }: Given| {
        let put = put_all(manager, &name, &user, &messages)?;
        let ids: Vec<String> = put.iter().map(ToString::to_string).collect();
        Ok(json!({ "name": name.as_str(), "done": "put", "messageIds": ids }))
    })
}

/// Moves messages to another queue.
pub(crate) fn shift<'a>(asked: Asked<'a>, body: &'a mut dyn Incoming) -> Pending<'a> {
    with_body(asked, body, MOVE_MAX_BYTES, |manager, name, Move { to, id, limit }: Move| {
        let to = QueueName::new(&to).map_err(|error| wrong(&format!("to: {error}")))?;
        let limit = limit.unwrap_or(usize::MAX);
        let moved = manager.move_messages((&name, &to), &selection(id)?, limit)?;
        Ok(json!({ "name": name.as_str(), "done": "moved", "messages": moved, "to": to.as_str() }))
    })
}

/// Moves messages back to the queues from which they came.
pub(crate) fn retry<'a>(asked: Asked<'a>, body: &'a mut dyn Incoming) -> Pending<'a> {
    with_body(asked, body, MOVE_MAX_BYTES, |manager, name, Retry { id, limit }: Retry| {
        let limit = limit.unwrap_or(usize::MAX);
        let retried = manager.retry(&name, &selection(id)?, limit, now())?;
        let queue =
            |(queue, moved): (&QueueName, &usize)| json!({ "name": queue.as_str(), "messages": moved });
        let stays = |(id, why): &(MessageId, Refusal)| json!({ "messageId": id.to_string(), "reason": why.to_string() });
        Ok(json!({
            "name": name.as_str(),
            "done": "retried",
            "messages": retried.moved.values().sum::<usize>(),
            "queues": retried.moved.iter().map(queue).collect::<Vec<_>>(),
            "stayed": retried.stayed,
            "stays": retried.stays.iter().map(stays).collect::<Vec<_>>(),
        }))
    })
}

/// Removes all messages that can be got.
pub(crate) fn purge(asked: Asked<'_>) -> Pending<'_> {
    apart(asked, |manager, name| {
        let removed = manager.purge(&name)?;
        Ok(json!({ "name": name.as_str(), "done": "purged", "messages": removed }))
    })
}

/// The messages to put.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    messages: Vec<WrittenMessage>,
}

/// The messages to move, and their target.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    to: String,
    id: Option<String>,
    limit: Option<usize>,
}

/// The messages to move back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Retry {
    id: Option<String>,
    limit: Option<usize>,
}

/// A definition, and whether it may change an existing one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Define {
    #[serde(default)]
    replace: bool,
    queue: WrittenQueue,
}

fn defined(body: &[u8]) -> Option<String> {
    serde_json::from_slice::<Define>(body).ok().map(|given| given.queue.name)
}

fn define(asked: &Asked<'_>, body: &[u8]) -> Answer {
    with_manager(asked, |manager| {
        let given: Define = match serde_json::from_slice(body) {
            Ok(given) => given,
            Err(error) => return refused(&wrong(&not_read(body, &error))),
        };
        let existing = QueueName::new(&given.queue.name).ok().and_then(|name| manager.definition(&name).ok());
        let base = existing.as_deref().filter(|_| given.replace);
        let done = given.queue.definition(base).map_err(|message| wrong(&message)).and_then(|definition| {
            let name = definition.name.to_string();
            manager.define(definition, given.replace)?;
            Ok(json!({ "name": name, "done": if base.is_some() { "changed" } else { "defined" } }))
        });
        match done {
            Ok(value) => answered(&value),
            Err(refusal) => refused(&refusal),
        }
    })
}

/// The messages that a browse shows.
struct Wanted {
    after: Option<Position>,
    limit: usize,
    selection: Selection,
}

fn browse(manager: &Manager, name: &QueueName, wanted: Wanted) -> Result<Value, Refusal> {
    let Wanted { mut after, limit, selection } = wanted;
    let session = manager.session();
    let (mut shown, mut bytes) = (Vec::new(), 0);
    let mut is_end = false;
    while shown.len() < limit && bytes < ANSWER_BYTES_MAX {
        let Some(browsed) = session.browse(name, &selection, after, now())? else {
            is_end = true;
            break;
        };
        after = Some(browsed.position);
        bytes += browsed.message.body.len();
        let mut written = WrittenMessage::of(&browsed.message);
        written.position = Some(browsed.position.to_string());
        shown.push(written);
    }
    Ok(json!({ "name": name.as_str(), "messages": shown, "end": is_end }))
}

fn put_all(
    manager: &Manager,
    name: &QueueName,
    user: &str,
    messages: &[WrittenMessage],
) -> Result<Vec<MessageId>, Refusal> {
    let (session, now) = (manager.session(), now());
    let mut ids = Vec::with_capacity(messages.len());
    let mut work = session.begin()?;
    for (index, written) in messages.iter().enumerate() {
        let new_id = || session.new_id().map_err(|refusal| refusal.to_string());
        let message = written.message(now, new_id);
        let message = message.map_err(|error| wrong(&format!("message {}: {error}", index + 1)))?;
        ids.push(message.descriptor.message_id);
        if written.is_new() {
            let new = NewMessage { user: user.to_owned(), ..new_message(message, written.choices(), now) };
            session.put(&mut work.scope(), name, new, now)?;
        } else {
            manager.import(&mut work.scope(), name, message, now)?;
        }
    }
    work.commit()?;
    Ok(ids)
}

/// A message that was on no queue before. The queue's defaults fill its gaps.
fn new_message(
    message: Message,
    (persistent, priority): (Option<bool>, Option<u8>),
    now: Moment,
) -> NewMessage {
    let Message { descriptor, properties, body } = message;
    let persistence = persistent.map(|persistent| match persistent {
        true => Persistence::Persistent,
        false => Persistence::NonPersistent,
    });
    NewMessage {
        message_id: Some(descriptor.message_id),
        correlation_id: descriptor.correlation_id,
        persistence,
        priority: priority.and_then(Priority::new),
        expiry: descriptor.remaining_ms(now).map_or(Expiry::Unlimited, Expiry::AfterMs),
        kind: descriptor.kind,
        format: descriptor.format,
        ccsid: descriptor.ccsid,
        encoding: descriptor.encoding,
        reply_to: descriptor.reply_to,
        user: String::new(),
        feedback: descriptor.feedback,
        report: descriptor.report,
        properties,
        body,
    }
}

fn listed(manager: &Manager, found: Vec<Inquiry>) -> Answer {
    let now = now();
    let queues: Vec<Value> = found.iter().map(|queue| shown(queue, now)).collect();
    answered(
        &json!({ "manager": manager.definitions().name.as_str(), "time": now.0 / 1_000, "queues": queues }),
    )
}

fn shown(found: &Inquiry, now: Moment) -> Value {
    let definition = found.definition.as_deref();
    let kind = match definition.map(|definition| &definition.kind) {
        None => "dropped",
        Some(QueueKind::Local) => "local",
        Some(QueueKind::Alias(_)) => "alias",
        Some(QueueKind::Model { .. }) => "model",
    };
    let attributes = definition.map(|definition| &definition.attributes);
    json!({
        "name": found.name.as_str(),
        "type": kind,
        "depth": found.depth,
        "depthMax": attributes.map(|own| own.depth_max),
        "uncommitted": found.uncommitted,
        "oldestAgeMs": found.oldest.map(|oldest| now.since_ms(oldest)),
        "waiters": found.waiters,
        "diskBytes": found.disk_bytes,
        "memoryBytes": found.memory_bytes,
        "putEnabled": attributes.map(|own| own.put_enabled),
        "getEnabled": attributes.map(|own| own.get_enabled),
        "puts": found.counters.puts,
        "gets": found.counters.gets,
        "backouts": found.counters.backouts,
        "expired": found.counters.expired,
        "damaged": found.counters.damaged,
        "reportsLost": found.counters.reports_lost,
        "definedBy": definition.map(origin),
        "definition": definition.map(WrittenQueue::of),
        "text": definition.map(|definition| WrittenQueue::of(definition).text()),
    })
}

fn origin(definition: &Definition) -> String {
    match &definition.origin {
        Origin::File { path, line } => format!("{path}:{line}"),
        Origin::Command => "command".to_owned(),
        Origin::Permanent | Origin::Temporary => "model".to_owned(),
    }
}

fn selection(id: Option<String>) -> Result<Selection, Refusal> {
    let Some(id) = id else { return Ok(Selection::ANY) };
    match MessageId::from_hex(&id) {
        Ok(id) if !id.is_none() => Ok(Selection::by_message_id(id)),
        Ok(_) => Err(wrong("id: expected the id of a message, found zeros")),
        Err(error) => Err(wrong(&format!("id: {error}"))),
    }
}

fn named(asked: &Asked<'_>) -> Result<QueueName, Refusal> {
    QueueName::new(asked.name())
        .map_err(|error| Refusal::failed(Reason::UnknownObjectName, error.to_string()))
}

fn with_manager(asked: &Asked<'_>, answer: impl FnOnce(&Manager) -> Answer) -> Answer {
    match asked.process.queue_manager() {
        Some(manager) => answer(&manager),
        None => not_found("there is no queue manager"),
    }
}

/// Works on a thread that serves no requests, because the work waits for the disk.
fn apart<'a>(
    asked: Asked<'a>,
    act: impl FnOnce(&Manager, QueueName) -> Result<Value, Refusal> + Send + 'static,
) -> Pending<'a> {
    Box::pin(async move {
        let Some(manager) = asked.process.queue_manager() else {
            return not_found("there is no queue manager");
        };
        let name = match named(&asked) {
            Ok(name) => name,
            Err(refusal) => return refused(&refusal),
        };
        let done = tokio::task::spawn_blocking(move || act(&manager, name)).await;
        match done.unwrap_or_else(|error| Err(Refusal::failed(Reason::Unexpected, error.to_string()))) {
            Ok(value) => answered(&value),
            Err(refusal) => refused(&refusal),
        }
    })
}

fn with_body<'a, T: for<'de> Deserialize<'de> + Send + 'static>(
    asked: Asked<'a>,
    body: &'a mut dyn Incoming,
    max_bytes: usize,
    act: impl FnOnce(&Manager, QueueName, T) -> Result<Value, Refusal> + Send + 'static,
) -> Pending<'a> {
    Box::pin(async move {
        let body = match body.receive(max_bytes).await {
            Ok(body) => body,
            Err(failure) => return failed(&failure),
        };
        match serde_json::from_slice(&body) {
            Ok(given) => apart(asked, move |manager, name| act(manager, name, given)).await,
            Err(error) => refused(&wrong(&not_read(&body, &error))),
        }
    })
}

/// The message for a body that cannot be read: the wrong member, and the reason.
fn not_read(body: &[u8], error: &serde_json::Error) -> String {
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let reason = settings::explained(said.strip_suffix(&place).unwrap_or(&said));
    let before = body.split(|byte| *byte == b'\n').nth(error.line().saturating_sub(1));
    let before = before.and_then(|line| line.get(..error.column().min(line.len())));
    let place = match before.and_then(message_number) {
        Some(number) => format!("message {number}"),
        None => "the body".to_owned(),
    };
    match before.and_then(last_member).filter(|member| member != "messages") {
        // A message about a member that is not known names it already.
        Some(member) if !reason.contains(&format!("'{member}'")) => format!("{place}: {member}: {reason}"),
        _ => format!("{place}: {reason}"),
    }
}

/// In which of the messages of `{"messages":[...]}` a piece of it ends, counted from 1; none if it ends outside of them.
fn message_number(json: &[u8]) -> Option<usize> {
    let (mut depth, mut number, mut is_text, mut is_escaped) = (0_usize, 1, false, false);
    for &byte in json.trim_ascii_start().strip_prefix(br#"{"messages":["#)? {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => number += 1,
            _ => {}
        }
    }
    Some(number)
}

/// The last name of a member in a piece of JSON.
fn last_member(json: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(json);
    let name = |at: usize| {
        let name = text[..at].trim_end().strip_suffix('"')?;
        let name = &name[name.rfind('"')? + 1..];
        let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        is_plain.then(|| name.to_owned())
    };
    text.rmatch_indices(':').find_map(|(at, _)| name(at))
}

fn wrong(message: &str) -> Refusal {
    Refusal::failed(Reason::Options, message)
}

fn failed(failure: &Failure) -> Answer {
    Answer::text(failure.code.status(), format!("{}\n", failure.code.text()))
}

fn refused(refusal: &Refusal) -> Answer {
    let status = match refusal.reason {
        // Only texts of operators have this fault.
        Reason::Options => return Answer::text(StatusCode::BAD_REQUEST, format!("{}\n", refusal.text)),
        Reason::UnknownObjectName => StatusCode::NOT_FOUND,
        _ if refusal.outcome_unknown => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::CONFLICT,
    };
    Answer::text(status, format!("{refusal}\n"))
}

fn answered(value: &Value) -> Answer {
    Answer::json(StatusCode::OK, format!("{value}\n"))
}

fn now() -> Moment {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_member_that_is_wrong_is_named() {
        let said = |body: &str| {
            let error = serde_json::from_str::<Define>(body).map(drop).expect_err("a fault");
            not_read(body.as_bytes(), &error)
        };
        let wrong = said(r#"{"queue":{"name":"MY.Q","depth_max":"abc"}}"#);
        assert_eq!(
            wrong,
            "the body: depth_max: expected a whole number from 0 to 4294967295, found the text \"abc\""
        );
        let unknown = said(r#"{"queue":{"name":"MY.Q","depthmax":1}}"#);
        assert!(unknown.starts_with("the body: 'depthmax' is not known here"), "{unknown}");
        assert!(said("{").starts_with("the body: "));
    }

    #[test]
    fn the_message_that_is_wrong_is_named() {
        let said = |messages: &str| {
            let body = format!(r#"{{"messages":[{messages}]}}"#);
            let error = serde_json::from_str::<Given>(&body).map(drop).expect_err("a fault");
            not_read(body.as_bytes(), &error)
        };
        let wrong = said(r#"{"user":"a,\"]}","properties":[]},{"properties":{"a":"b"}},{}"#);
        assert_eq!(wrong, "message 2: properties: expected a list, found an object");
        let unknown = said(r#"{},{},{"persistant":true}"#);
        assert!(unknown.starts_with("message 3: 'persistant' is not known here"), "{unknown}");
        let missing = said(r#"{"properties":[{"name":"a"}]},{}"#);
        assert!(missing.starts_with("message 1: ") && missing.contains("'type' is missing"), "{missing}");
    }
}
