//! The resource for queues of version 1: queues as JSON with groups of attributes.

use serde_json::{Map, Value, json};

use crate::queue::{Change, Kind, Queue, Subscription, TriggerType};
use crate::trouble::{Trouble, shown};
use crate::unique::Members;

/// The queue in the body of a POST or PATCH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueBody {
    /// Its name, if the body says it.
    pub name: Option<String>,
    /// Its kind; local if the body does not say it.
    pub kind: Option<Kind>,
    /// Its attributes.
    pub changes: Vec<Change>,
}

/// The parts of queues that are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Attributes: `*`, groups or `group.attribute`, with commas between them.
    pub attributes: Option<String>,
    /// The same for what a queue holds.
    pub status: Option<String>,
}

impl QueueBody {
    /// Reads a body.
    ///
    /// # Errors
    /// It is not JSON, or has a member that is not known or not of its type.
    pub fn parse(body: &[u8]) -> Result<Self, Trouble> {
        let Members(body) = serde_json::from_slice(body)
            .map_err(|error| Trouble::body(format!("It is not a JSON object: {error}.")))?;
        let mut found = Self { name: None, kind: None, changes: Vec::new() };
        for (name, value) in &body {
            match (&**name, value) {
                ("name", Value::String(text)) => found.name = Some(text.clone()),
                ("type", Value::String(word)) => {
                    let kind = Kind::of_word(word);
                    found.kind =
                        Some(kind.ok_or_else(|| bad_member("type", "local, alias, remote or model"))?);
                }
                (group, Value::Object(members)) => {
                    for (member, value) in members {
                        found.changes.extend(change(group, member, value)?);
                    }
                }
                (other, _) => return Err(bad_member(other, "a member of a queue")),
            }
        }
        Ok(found)
    }
}

fn bad_member(name: &str, expected: &str) -> Trouble {
    Trouble::body(format!("The member '{}' is not valid; expected {expected}.", shown(name.as_bytes())))
}

/// Reads one attribute; none if it is so anyhow.
fn change(group: &str, member: &str, value: &Value) -> Result<Option<Change>, Trouble> {
    let name = format!("{group}.{member}");
    let number = |most: u64| {
        let number = value.as_u64().filter(|number| *number <= most);
        let number = number.ok_or_else(|| bad_member(&name, &format!("a number up to {most}")))?;
        u32::try_from(number).map_err(|_| bad_member(&name, "a smaller number"))
    };
    let text = |most: usize| {
        let text = value.as_str().filter(|text| text.len() <= most && !text.chars().any(char::is_control));
        text.map(str::to_owned).ok_or_else(|| bad_member(&name, &format!("a text of at most {most} bytes")))
    };
    let yes = || value.as_bool().ok_or_else(|| bad_member(&name, "true or false"));
    let one_of = |one: &str, other: &str| match value.as_str() {
        Some(word) if word == one => Ok(true),
        Some(word) if word == other => Ok(false),
        _ => Err(bad_member(&name, &format!("{one} or {other}"))),
    };
    Ok(Some(match &*name {
        "general.description" => Change::Description(text(64)?),
        "general.inhibitPut" => Change::PutEnabled(!yes()?),
        "general.inhibitGet" => Change::GetEnabled(!yes()?),
        "storage.maximumDepth" => Change::MaximumDepth(number(999_999_999)?),
        "storage.maximumMessageLength" => Change::MaximumLength(number(104_857_600)?),
        "storage.messageDeliverySequence" => Change::ByPriority(one_of("priority", "fifo")?),
        "application.defaultPriority" => Change::DefaultPriority(number(9)? as u8),
        "application.defaultPersistence" => Change::DefaultPersistent(one_of("persistent", "nonPersistent")?),
        "extended.backoutThreshold" => Change::BackoutThreshold(number(999_999_999)?),
        "extended.backoutRequeueQueueName" => Change::BackoutQueue(text(48)?),
        "alias.targetName" => Change::Target(text(48)?),
        "remote.queueName" => Change::RemoteQueue(text(48)?),
        "remote.qmgrName" => Change::RemoteManager(text(48)?),
        "remote.transmissionQueueName" => Change::TransmissionQueue(text(48)?),
        "trigger.enabled" => Change::Trigger(yes()?),
        "trigger.type" => Change::TriggerType(match value.as_str() {
            Some("none") => TriggerType::None,
            Some("first") => TriggerType::First,
            Some("every") => TriggerType::Every,
            Some("depth") => TriggerType::Depth,
            _ => return Err(bad_member(&name, "none, first, every or depth")),
        }),
        "trigger.depth" if value.as_u64() == Some(0) => return Err(bad_member(&name, "a number from 1 on")),
        "trigger.depth" => Change::TriggerDepth(number(999_999_999)?),
        "trigger.messagePriority" => Change::TriggerPriority(number(9)? as u8),
        "trigger.data" => Change::TriggerData(text(64)?),
        "trigger.processName" => Change::Process(text(48)?),
        "trigger.initiationQueueName" => Change::InitiationQueue(text(48)?),
        // Queues are shared, and their names lead to queues.
        "application.sharability" if one_of("shared", "exclusive")? => return Ok(None),
        "alias.targetType" if value.as_str() == Some("queue") => return Ok(None),
        "general.isTransmissionQueue" if !yes()? => return Ok(None),
        _ => return Err(bad_member(&name, "an attribute of a queue with a value that is possible here")),
    }))
}

/// The first of these attributes that queues of this kind do not have, as bodies name it.
#[must_use]
pub fn foreign(kind: Kind, changes: &[Change]) -> Option<String> {
    let is_had = |change: &Change| match change {
        Change::Target(_) => kind == Kind::Alias,
        Change::RemoteQueue(_) | Change::RemoteManager(_) | Change::TransmissionQueue(_) => {
            kind == Kind::Remote
        }
        Change::Permanent(_) => kind == Kind::Model,
        Change::GetEnabled(_) => kind != Kind::Remote,
        Change::MaximumDepth(_)
        | Change::MaximumLength(_)
        | Change::ByPriority(_)
        | Change::BackoutThreshold(_)
        | Change::BackoutQueue(_)
        | Change::Trigger(_)
        | Change::TriggerType(_)
        | Change::TriggerDepth(_)
        | Change::TriggerPriority(_)
        | Change::TriggerData(_)
        | Change::Process(_)
        | Change::InitiationQueue(_) => matches!(kind, Kind::Local | Kind::Model),
        Change::Description(_)
        | Change::PutEnabled(_)
        | Change::DefaultPriority(_)
        | Change::DefaultPersistent(_)
        // The reader of commands has judged it by its kind.
        | Change::Kept(..) => true,
    };
    let change = changes.iter().find(|change| !is_had(change))?;
    Some(member(change).map_or_else(|| "DEFTYPE".to_owned(), |(group, name, _)| format!("{group}.{name}")))
}

/// The group, the name and the value of an attribute; none of those that only commands have.
fn member(change: &Change) -> Option<(&'static str, &'static str, Value)> {
    let word = |yes: bool, one: &str, other: &str| Value::from(if yes { one } else { other });
    Some(match change {
        Change::Description(text) => ("general", "description", Value::from(&**text)),
        Change::PutEnabled(yes) => ("general", "inhibitPut", Value::from(!yes)),
        Change::GetEnabled(yes) => ("general", "inhibitGet", Value::from(!yes)),
        Change::MaximumDepth(number) => ("storage", "maximumDepth", Value::from(*number)),
        Change::MaximumLength(number) => ("storage", "maximumMessageLength", Value::from(*number)),
        Change::ByPriority(yes) => ("storage", "messageDeliverySequence", word(*yes, "priority", "fifo")),
        Change::DefaultPriority(number) => ("application", "defaultPriority", Value::from(*number)),
        Change::DefaultPersistent(yes) => {
            ("application", "defaultPersistence", word(*yes, "persistent", "nonPersistent"))
        }
        Change::BackoutThreshold(number) => ("extended", "backoutThreshold", Value::from(*number)),
        Change::BackoutQueue(text) => ("extended", "backoutRequeueQueueName", Value::from(&**text)),
        Change::Target(text) => ("alias", "targetName", Value::from(&**text)),
        Change::RemoteQueue(text) => ("remote", "queueName", Value::from(&**text)),
        Change::RemoteManager(text) => ("remote", "qmgrName", Value::from(&**text)),
        Change::TransmissionQueue(text) => ("remote", "transmissionQueueName", Value::from(&**text)),
        Change::Trigger(yes) => ("trigger", "enabled", Value::from(*yes)),
        Change::TriggerType(kind) => ("trigger", "type", Value::from(trigger_type(*kind))),
        Change::TriggerDepth(number) => ("trigger", "depth", Value::from(*number)),
        Change::TriggerPriority(number) => ("trigger", "messagePriority", Value::from(*number)),
        Change::TriggerData(text) => ("trigger", "data", Value::from(&**text)),
        Change::Process(text) => ("trigger", "processName", Value::from(&**text)),
        Change::InitiationQueue(text) => ("trigger", "initiationQueueName", Value::from(&**text)),
        Change::Permanent(_) | Change::Kept(..) => return None,
    })
}

fn trigger_type(kind: TriggerType) -> &'static str {
    match kind {
        TriggerType::None => "none",
        TriggerType::First => "first",
        TriggerType::Every => "every",
        TriggerType::Depth => "depth",
    }
}

impl Shown {
    fn wants(list: Option<&str>, group: &str, name: &str) -> bool {
        list.unwrap_or_default().split(',').map(str::trim).any(|wanted| {
            wanted == "*"
                || wanted == group
                || wanted.strip_prefix(group).and_then(|rest| rest.strip_prefix('.')) == Some(name)
        })
    }

    /// `{"queue":[{"name":"...","type":"local"}]}`.
    pub(crate) fn written(&self, queues: &[Queue]) -> Vec<u8> {
        let one = |queue: &Queue| {
            let mut members = Map::new();
            members.insert("name".to_owned(), Value::from(&*queue.name));
            members.insert("type".to_owned(), Value::from(queue.kind.word()));
            let mut put = |group: &str, name: &str, value: Value| {
                let group = members.entry(group).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(group) = group {
                    group.insert(name.to_owned(), value);
                }
            };
            for (group, name, value) in queue.attributes.iter().filter_map(member) {
                if Self::wants(self.attributes.as_deref(), group, name) {
                    put(group, name, value);
                }
            }
            if let Some(state) = &queue.state {
                let status = [
                    ("currentDepth", Value::from(state.depth)),
                    ("openInputCount", Value::from(state.open_input)),
                    ("openOutputCount", Value::from(state.open_output)),
                    ("oldestMessageAge", state.oldest_age_s.map_or(Value::from(-1), Value::from)),
                    ("uncommittedMessages", Value::from(state.uncommitted)),
                ];
                for (name, value) in status {
                    if Self::wants(self.status.as_deref(), "status", name)
                        || Self::wants(self.status.as_deref(), name, "")
                    {
                        put("status", name, value);
                    }
                }
            }
            Value::Object(members)
        };
        json!({ "queue": queues.iter().map(one).collect::<Vec<_>>() }).to_string().into_bytes()
    }

    /// `{"subscription":[{"id":"...","name":"...","resolvedTopicString":"..."}]}`.
    ///
    /// Source: IBM MQ, "Response body attributes for subscriptions".
    pub(crate) fn written_subscriptions(&self, subscriptions: &[Subscription]) -> Vec<u8> {
        let one = |subscription: &Subscription| {
            let attributes = [
                ("topic", "name", json!("")),
                ("topic", "definedString", json!(subscription.topics)),
                ("selector", "type", json!("none")),
                ("selector", "value", json!("")),
                ("destination", "isManaged", json!(subscription.managed)),
                ("destination", "name", json!(subscription.queue)),
                ("destination", "qmgrName", json!(subscription.manager)),
                ("destination", "correlationId", json!("0".repeat(48))),
            ];
            let mut members = Map::new();
            members.insert("id".to_owned(), json!(subscription.id));
            members.insert("name".to_owned(), json!(subscription.name));
            members.insert("resolvedTopicString".to_owned(), json!(subscription.topics));
            for (group, name, value) in attributes {
                if Self::wants(self.attributes.as_deref(), group, name) {
                    members.entry(group).or_insert_with(|| json!({}))[name] = value;
                }
            }
            Value::Object(members)
        };
        json!({ "subscription": subscriptions.iter().map(one).collect::<Vec<_>>() }).to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::State;

    #[test]
    fn a_body_says_what_a_queue_is() {
        let body = br#"{"name":"Q1","type":"local","general":{"description":"x","inhibitPut":true},
            "storage":{"maximumDepth":7},"application":{"sharability":"shared"}}"#;
        let body = QueueBody::parse(body).expect("good");
        assert_eq!((body.name.as_deref(), body.kind), (Some("Q1"), Some(Kind::Local)));
        let changes =
            [Change::Description("x".to_owned()), Change::PutEnabled(false), Change::MaximumDepth(7)];
        assert_eq!(body.changes.len(), 3);
        assert!(changes.iter().all(|change| body.changes.contains(change)));
    }

    #[test]
    fn a_body_has_each_member_once() {
        for body in [
            r#"{"name":"Q1","name":"Q2"}"#,
            r#"{"name":"Q1","storage":{"maximumDepth":7,"maximumDepth":8}}"#,
            r#"{"name":"Q1","general":{},"storage":{},"general":{"inhibitPut":true}}"#,
        ] {
            let trouble = QueueBody::parse(body.as_bytes()).expect_err(body);
            assert_eq!(trouble.status, 400);
            assert!(trouble.explanation.contains("is there twice"), "{trouble:?}");
        }
    }

    #[test]
    fn subscriptions_have_the_attributes_that_are_asked_for() {
        let subscription = Subscription {
            name: "NEWS".to_owned(),
            topics: "news/#".to_owned(),
            queue: "Q1".to_owned(),
            manager: "QM1".to_owned(),
            id: "41".repeat(24),
            durable: true,
            managed: false,
            user: None,
        };
        let text = |attributes: Option<&str>| {
            let shown = Shown { attributes: attributes.map(str::to_owned), status: None };
            let written = shown.written_subscriptions(std::slice::from_ref(&subscription));
            String::from_utf8(written).expect("UTF-8")
        };
        let id = "41".repeat(24);
        assert_eq!(
            text(None),
            format!(r#"{{"subscription":[{{"id":"{id}","name":"NEWS","resolvedTopicString":"news/#"}}]}}"#)
        );
        assert!(text(Some("destination.name,topic")).contains(r#""destination":{"name":"Q1"},"id":"4141"#));
        assert!(text(Some("*")).contains(r#""selector":{"type":"none","value":""}"#));
    }

    #[test]
    fn kinds_have_attributes_of_their_own() {
        let changes =
            [Change::Description("d".to_owned()), Change::Target("Q2".to_owned()), Change::MaximumDepth(1)];
        assert_eq!(foreign(Kind::Local, &changes).as_deref(), Some("alias.targetName"));
        assert_eq!(foreign(Kind::Alias, &changes).as_deref(), Some("storage.maximumDepth"));
        assert_eq!(foreign(Kind::Alias, &changes[..2]), None);
        assert_eq!(foreign(Kind::Model, &changes[2..]), None);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for body in [
            "",
            "[]",
            r#"{"type":"odd"}"#,
            r#"{"nothing":1}"#,
            r#"{"storage":{"maximumDepth":-1}}"#,
            r#"{"trigger":{"depth":0}}"#,
            r#"{"storage":{"maximumDepth":1000000000}}"#,
            r#"{"cluster":{"name":"C"}}"#,
            r#"{"application":{"sharability":"exclusive"}}"#,
            r#"{"general":{"description":"a\nb"}}"#,
        ] {
            assert_eq!(QueueBody::parse(body.as_bytes()).expect_err(body).status, 400, "{body}");
        }
    }

    #[test]
    fn what_is_asked_for_is_shown() {
        let queue = Queue {
            name: "Q1".to_owned(),
            kind: Kind::Local,
            attributes: vec![Change::MaximumDepth(5), Change::Description("d".to_owned())],
            state: Some(State { depth: 2, ..State::default() }),
        };
        let text = |attributes: Option<&str>, status: Option<&str>| {
            let shown =
                Shown { attributes: attributes.map(str::to_owned), status: status.map(str::to_owned) };
            String::from_utf8(shown.written(std::slice::from_ref(&queue))).expect("UTF-8")
        };
        assert_eq!(text(None, None), r#"{"queue":[{"name":"Q1","type":"local"}]}"#);
        assert_eq!(
            text(Some("storage.maximumDepth"), Some("currentDepth")),
            r#"{"queue":[{"name":"Q1","status":{"currentDepth":2},"storage":{"maximumDepth":5},"type":"local"}]}"#
        );
        assert!(text(Some("*"), None).contains(r#""description":"d""#));
    }
}
