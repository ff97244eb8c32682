//! Answers to commands: 200, with what failed inside.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use super::attributes::{self, Value};
use super::command::{Display, Filter, Wanted, What};
use super::json::Form;
use crate::queue::{Manager, Process, Queue, Subscription, Topic};

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// One for each object.
    pub items: Vec<Item>,
}

/// The result of a command for one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// Something was done.
    Done(Done),
    /// A queue is shown.
    Queue(Queue),
    /// The queue manager is shown.
    Manager(Manager),
    /// A subscription is shown.
    Subscription(Subscription),
    /// A process is shown.
    Process(Process),
    /// A topic object is shown.
    Topic(Topic),
    /// It failed.
    Failed(Failed),
}

/// The act that was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// A queue was made.
    Created,
    /// A queue was changed.
    Changed,
    /// A queue was deleted.
    Deleted,
    /// A queue was emptied.
    Cleared,
    /// The queue manager is there.
    Pinged,
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    /// The object does not exist.
    NotFound(String),
    /// There is one already.
    Exists(String),
    /// The object is of another kind.
    OtherKind(String),
    /// The queue has messages.
    NotEmpty(String),
    /// Somebody uses it.
    InUse(String),
    /// The caller may not.
    NotAuthorized(String),
    /// No channel of this name runs.
    NoChannelStatus,
    /// The command is about what no queue manager here has, or queues here do not: what of it, and why.
    Unsupported(String),
    /// The command cannot be understood from here on.
    Syntax(String),
    /// Another reason of the queue manager, with a text.
    Reason(u32, String),
}

/// The reason of a command that failed as a whole: MQRCCF_COMMAND_FAILED.
const COMMAND_FAILED: u32 = 3008;

impl Done {
    fn text(self) -> &'static str {
        match self {
            Self::Created => "AMQ8006I: IBM MQ queue created.",
            Self::Changed => "AMQ8008I: IBM MQ queue changed.",
            Self::Deleted => "AMQ8007I: IBM MQ queue deleted.",
            Self::Cleared => "AMQ8022I: IBM MQ queue cleared.",
            Self::Pinged => "AMQ8415I: Ping IBM MQ Queue Manager command complete.",
        }
    }
}

impl Failed {
    fn reason(&self) -> u32 {
        match self {
            Self::NotFound(_) => 2085,
            // MQRCCF_OBJECT_ALREADY_EXISTS, MQRCCF_OBJECT_WRONG_TYPE
            Self::Exists(_) => 4001,
            Self::OtherKind(_) => 4002,
            Self::NotEmpty(_) => 2055,
            // MQRCCF_OBJECT_OPEN
            Self::InUse(_) => 4004,
            Self::NotAuthorized(_) => 2035,
            // MQRCCF_CHL_STATUS_NOT_FOUND, MQRC_FUNCTION_NOT_SUPPORTED
            Self::NoChannelStatus => 3065,
            Self::Unsupported(_) => 2298,
            Self::Syntax(_) => COMMAND_FAILED,
            Self::Reason(reason, _) => *reason,
        }
    }

    fn text(&self) -> Vec<String> {
        match self {
            Self::NotFound(name) => vec![format!("AMQ8147E: IBM MQ object {name} not found.")],
            Self::Exists(_) => vec!["AMQ8150E: IBM MQ object already exists.".to_owned()],
            Self::OtherKind(name) => vec![format!("AMQ8149E: IBM MQ object {name} is of another type.")],
            Self::NotEmpty(name) => vec![format!("AMQ8143E: IBM MQ queue {name} not empty.")],
            Self::InUse(_) => vec!["AMQ8148E: IBM MQ object in use.".to_owned()],
            Self::NotAuthorized(_) => vec!["AMQ8135E: Not authorized.".to_owned()],
            Self::NoChannelStatus => vec!["AMQ8420I: Channel Status not found.".to_owned()],
            Self::Unsupported(told) => {
                let told = crate::trouble::shown(told.as_bytes());
                vec![format!("AMQ8101S: {told} (reason 2298).")]
            }
            Self::Syntax(piece) => vec![
                "AMQ8405I: Syntax error detected at or near end of command segment below:-".to_owned(),
                crate::trouble::shown(piece.as_bytes()),
            ],
            Self::Reason(reason, text) => vec![format!("AMQ8101S: {text} (reason {reason}).")],
        }
    }
}

impl Reply {
    /// A reply of one item.
    #[must_use]
    pub fn one(item: Item) -> Self {
        Self { items: vec![item] }
    }

    /// A command that failed.
    #[must_use]
    pub fn failed(failed: Failed) -> Self {
        Self::one(Item::Failed(failed))
    }

    /// The body of the answer. `display` says what of objects is shown.
    pub(crate) fn written(&self, form: Form, display: Option<&Display>) -> Vec<u8> {
        let items = self.items.iter().filter_map(|item| written(item, form, display));
        let mut items: Vec<Json> = items.collect();
        // A filter that nothing passes finds nothing.
        if let (true, Some(display)) = (items.is_empty(), display) {
            let missing = Item::Failed(Failed::NotFound(display.name.clone()));
            items.extend(written(&missing, form, None));
        }
        let failed = items.iter().any(|item| item["completionCode"] != 0);
        let overall = if failed { (2, COMMAND_FAILED) } else { (0, 0) };
        let body = json!({
            "commandResponse": items,
            "overallCompletionCode": overall.0,
            "overallReasonCode": overall.1,
        });
        body.to_string().into_bytes()
    }
}

fn written(item: &Item, form: Form, display: Option<&Display>) -> Option<Json> {
    let texts = match form {
        Form::Text => "text",
        Form::Json => "message",
    };
    let (attributes, title) = match item {
        Item::Done(done) => {
            return Some(json!({ "completionCode": 0, "reasonCode": 0, texts: [done.text()] }));
        }
        Item::Failed(failed) => {
            let reason = failed.reason();
            return Some(json!({ "completionCode": 2, "reasonCode": reason, texts: failed.text() }));
        }
        Item::Queue(queue) if display.is_some_and(|display| display.what == What::QueueStatus) => {
            (attributes::of_status(queue), "AMQ8450I: Display queue status details.")
        }
        Item::Queue(queue) => (attributes::of_queue(queue), "AMQ8409I: Display Queue details."),
        Item::Manager(manager) if display.is_some_and(|display| display.what == What::ManagerStatus) => {
            (attributes::of_manager_status(manager), "AMQ8705I: Display Queue Manager Status Details.")
        }
        Item::Manager(manager) => {
            (attributes::of_manager(manager), "AMQ8408I: Display Queue Manager details.")
        }
        Item::Subscription(subscription) => {
            (attributes::of_subscription(subscription), "AMQ8096I: IBM MQ subscription inquired.")
        }
        Item::Process(process) => (attributes::of_process(process), "AMQ8407I: Display Process details."),
        Item::Topic(topic) => (attributes::of_topic(topic), "AMQ8633I: Display topic details."),
    };
    let mut filters = display.map(|display| display.filters.iter()).into_iter().flatten();
    if !filters.all(|filter| passes(filter, &attributes)) {
        return None;
    }
    let is_wanted = |name: &str| match display.map(|display| &display.wanted) {
        None | Some(Wanted::All) => true,
        Some(Wanted::Names(names)) => {
            // A queue has PROCESS, too, as an attribute like others.
            let is_key = match name {
                "PROCESS" => matches!(item, Item::Process(_)),
                _ => matches!(name, "QUEUE" | "TYPE" | "QMNAME" | "SUB" | "TOPIC"),
            };
            is_key || names.iter().any(|wanted| wanted == name)
        }
    };
    let shown: Vec<_> = attributes.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    Some(match form {
        Form::Text => json!({ "completionCode": 0, "reasonCode": 0, "text": [as_text(title, &shown)] }),
        Form::Json => json!({ "completionCode": 0, "reasonCode": 0, "parameters": as_json(shown) }),
    })
}

fn passes(filter: &Filter, attributes: &[(&'static str, Value)]) -> bool {
    let Some((_, value)) = attributes.iter().find(|(name, _)| *name == filter.attribute) else {
        return false;
    };
    match value {
        Value::Text(text) => filter.passes(text),
        Value::Number(number) => filter.passes(&number.to_string()),
        Value::Word(word) => filter.passes(word),
        Value::Flag(yes) => filter.passes(if *yes { "YES" } else { "NO" }),
    }
}

/// Columns of two attributes, as runmqsc shows them.
const COLUMN: usize = 40;

fn as_text(title: &str, shown: &[(&'static str, Value)]) -> String {
    let mut text = title.to_owned();
    for (name, value) in shown {
        let attribute = match value {
            Value::Text(value) if value.is_empty() => format!("{name}( )"),
            Value::Text(value) => format!("{name}({value})"),
            Value::Number(value) => format!("{name}({value})"),
            Value::Word(value) => format!("{name}({value})"),
            Value::Flag(true) => (*name).to_owned(),
            Value::Flag(false) => format!("NO{name}"),
        };
        // Writing to a string does not fail.
        let _ = write!(text, "   {attribute:<width$}", width = COLUMN - 3);
    }
    text.truncate(text.trim_end().len());
    text
}

fn as_json(shown: Vec<(&'static str, Value)>) -> Map<String, Json> {
    let member = |(name, value): (&'static str, Value)| {
        let value = match value {
            Value::Text(text) => Json::String(text),
            Value::Number(number) => Json::from(number),
            Value::Word(word) => Json::from(word),
            Value::Flag(yes) => Json::from(if yes { "YES" } else { "NO" }),
        };
        (name.to_ascii_lowercase(), value)
    };
    shown.into_iter().map(member).collect()
}
