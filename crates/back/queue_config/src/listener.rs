//! `[[queue_manager.listener]]`: a queue, and the target that each of its messages starts.
//!
//! Other crates check that the service, program or operation of a listener exists.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use message::QueueName;
use queue::{Definition, QueueKind};
use serde::Deserialize;
use settings::{GANTRY_FILE, Loader};
use toml::Spanned;

/// The most messages that a listener works on at one time.
const CONCURRENCY_MAX: usize = 1_000;
/// The first and the longest pause after a failure, unless the section says otherwise.
const BACKOFF_MS: u64 = 100;
const BACKOFF_MAX_MS: u64 = 60_000;
/// The prefix of the name of a property in `order_by`.
const PROPERTY: &str = "property.";

/// `[[queue_manager.listener]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListenerSection {
    queue: Spanned<String>,
    /// The target of a message: one of these four.
    program: Option<Spanned<String>>,
    service: Option<Spanned<String>>,
    api: Option<Spanned<String>>,
    /// The path of a web service; an asterisk if the message names it.
    soap: Option<Spanned<String>>,
    /// Of a program: the transaction under which it runs.
    transaction: Option<Spanned<String>>,
    /// Of a program: the channel that it gets; without it, it gets a commarea.
    channel: Option<Spanned<String>>,
    request_container: Option<Spanned<String>>,
    response_container: Option<Spanned<String>>,
    /// For a service: the form of the body of a message.
    body: Option<Spanned<BodyWord>>,
    /// Messages that it works on at one time.
    concurrency: Option<Spanned<usize>>,
    /// Messages that are alike in this are worked on one after the other.
    order_by: Option<Spanned<String>>,
    /// The first pause after a failure in milliseconds, and the longest.
    backoff_ms: Option<Spanned<u64>>,
    backoff_max_ms: Option<Spanned<u64>>,
    /// The field of the message that becomes the correlation id of its reply.
    #[serde(default)]
    reply_selection: ReplyWord,
    /// For whom it works.
    user: Option<Spanned<String>>,
    #[serde(default)]
    groups: Vec<Box<str>>,
}

/// `body`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum BodyWord {
    /// The JSON of the service.
    Json,
    /// Its record.
    Record,
}

/// `reply_selection`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
enum ReplyWord {
    /// The message id becomes the correlation id of the reply.
    #[default]
    #[serde(rename = "msgIDToCorrelID")]
    MessageId,
    /// The correlation id stays that of the reply.
    #[serde(rename = "correlIDToCorrelID")]
    CorrelationId,
}

/// A listener that can run. Two that are equal are the same one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenerPlan {
    /// The queue whose messages it gets.
    pub queue: QueueName,
    /// The target of a message.
    pub target: ListenerTarget,
    /// Messages that it works on at one time.
    pub concurrency: usize,
    /// The key that orders messages; none if they need no order.
    pub order_by: Option<OrderBy>,
    /// The first pause after a failure; each further one is twice as long.
    pub backoff: Duration,
    /// The longest pause.
    pub backoff_max: Duration,
    /// A reply has the correlation id of its message, else the message id as its correlation id.
    pub passes_correlation: bool,
    /// The user for whom it works; none for an unknown caller.
    pub user: Option<Box<str>>,
    /// The groups of that user.
    pub groups: Vec<Box<str>>,
}

/// The target of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenerTarget {
    /// A program of the region.
    Program(ProgramTarget),
    /// A service.
    Service {
        /// Its name.
        name: String,
        /// The body is its record, else its JSON.
        is_record: bool,
    },
    /// An operation of an API.
    Api {
        /// The method.
        method: String,
        /// The path, and a query if need be.
        target: String,
    },
    /// A web service, which gets the message as SOAP.
    Soap {
        /// Its path; none for the target service of each message.
        path: Option<String>,
    },
}

/// A program, and the data that it gets of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramTarget {
    /// Its name.
    pub program: String,
    /// The transaction of the program; none for that of services.
    pub transaction: Option<String>,
    /// The channel that it gets; none for a commarea.
    pub channel: Option<String>,
    /// The container of the message's body.
    pub request_container: Option<String>,
    /// The container of the reply.
    pub response_container: Option<String>,
}

/// The key of messages that are handled one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderBy {
    /// The correlation id.
    CorrelationId,
    /// A property of this name.
    Property(String),
}

/// A listener and its place in `gantry.toml`, for faults that are found later.
#[derive(Clone, Debug)]
pub struct WrittenListener {
    /// The listener.
    pub plan: ListenerPlan,
    /// Where its target is written.
    pub place: Range<usize>,
}

impl ListenerTarget {
    /// A name of the target, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Program(target) => format!("program {}", target.program),
            Self::Service { name, .. } => format!("service {name}"),
            Self::Api { method, target } => format!("API {method} {target}"),
            Self::Soap { path } => format!("web service {}", path.as_deref().unwrap_or("*")),
        }
    }
}

/// The queues of a configuration, with their places.
pub(crate) type Queues = BTreeMap<QueueName, (Definition, Range<usize>)>;

/// Checks the listeners of a configuration. All faults are reported.
pub(crate) fn read(
    sections: &[Spanned<ListenerSection>],
    queues: &Queues,
    loader: &mut Loader<'_>,
) -> Vec<WrittenListener> {
    let mut listeners: Vec<WrittenListener> = Vec::new();
    for section in sections {
        let section = section.get_ref();
        let Some(listener) = section.read(queues, loader) else { continue };
        let plan = &listener.plan;
        let same = listeners.iter().filter(|other| other.plan.queue == plan.queue);
        if same.clone().any(|other| other.plan == *plan) {
            let message = "there is the same listener twice; use 'concurrency'".to_owned();
            loader.at(GANTRY_FILE, section.queue.span(), message);
        } else if same.clone().any(|other| other.plan.order_by.is_some() || plan.order_by.is_some()) {
            let message = format!("{}: 'order_by' needs the queue's only listener", plan.queue);
            loader.at(GANTRY_FILE, section.queue.span(), message);
        }
        listeners.push(listener);
    }
    listeners
}

impl ListenerSection {
    fn read(&self, queues: &Queues, loader: &mut Loader<'_>) -> Option<WrittenListener> {
        let queue = QueueName::new(self.queue.get_ref());
        let queue = queue.map_err(|error| {
            loader.at(GANTRY_FILE, self.queue.span(), format!("name of a queue: {error}"));
        });
        if let Ok(queue) = &queue {
            self.check_queue(queue, queues, loader);
        }
        let target = self.target(loader);
        let concurrency = self.concurrency.as_ref().map_or(1, |number| *number.get_ref());
        if let Some(number) = &self.concurrency
            && !(1..=CONCURRENCY_MAX).contains(&concurrency)
        {
            loader.at(GANTRY_FILE, number.span(), format!("expected 1 to {CONCURRENCY_MAX}"));
        }
        let order_by = self.order_by.as_ref().map(|written| order_by(written, loader));
        let ms = |written: &Option<Spanned<u64>>, usual| written.as_ref().map_or(usual, |ms| *ms.get_ref());
        let first = ms(&self.backoff_ms, BACKOFF_MS);
        let most = ms(&self.backoff_max_ms, BACKOFF_MAX_MS.max(first));
        for (written, least) in [(&self.backoff_ms, 1), (&self.backoff_max_ms, first)] {
            if let Some(written) = written.as_ref().filter(|written| *written.get_ref() < least) {
                loader.at(GANTRY_FILE, written.span(), format!("expected at least {least}"));
            }
        }
        if let (None, false) = (&self.user, self.groups.is_empty()) {
            loader.at(GANTRY_FILE, self.queue.span(), "'groups' go with 'user'".to_owned());
        }
        let (target, place) = target?;
        let plan = ListenerPlan {
            queue: queue.ok()?,
            target,
            concurrency,
            order_by: order_by.unwrap_or_default(),
            backoff: Duration::from_millis(first),
            backoff_max: Duration::from_millis(most),
            passes_correlation: self.reply_selection == ReplyWord::CorrelationId,
            user: self.user.as_ref().map(|user| user.get_ref().as_str().into()),
            groups: self.groups.clone(),
        };
        Some(WrittenListener { plan, place })
    }

    fn check_queue(&self, name: &QueueName, queues: &Queues, loader: &mut Loader<'_>) {
        let found = queues.get(name).map(|(definition, _)| definition);
        let base = found.and_then(|definition| match &definition.kind {
            QueueKind::Alias(target) => queues.get(target).map(|(target, _)| target),
            _ => Some(definition),
        });
        match base {
            None => {
                let message = format!("no section defines {name}; the listener works when a command does");
                loader.warn_at(GANTRY_FILE, self.queue.span(), message);
            }
            Some(definition) if matches!(definition.kind, QueueKind::Model { .. }) => {
                let message = format!("{name} is a model, which holds no messages");
                loader.at(GANTRY_FILE, self.queue.span(), message);
            }
            Some(definition) if definition.attributes.backout_threshold == 0 => {
                let message = format!(
                    "{} has no 'backout_threshold': a message that always fails is tried for ever",
                    definition.name
                );
                loader.warn_at(GANTRY_FILE, self.queue.span(), message);
            }
            Some(_) => {}
        }
    }

    /// The target of a message, and its place in the file.
    fn target(&self, loader: &mut Loader<'_>) -> Option<(ListenerTarget, Range<usize>)> {
        let written = [&self.program, &self.service, &self.api, &self.soap];
        let mut written = written.into_iter().flatten();
        let (Some(first), None) = (written.next(), written.next()) else {
            let message = "a listener has one of 'program', 'service', 'api' and 'soap'".to_owned();
            loader.at(GANTRY_FILE, self.queue.span(), message);
            return None;
        };
        let place = first.span();
        let of_program =
            [&self.transaction, &self.channel, &self.request_container, &self.response_container];
        if let (None, Some(other)) = (&self.program, of_program.into_iter().flatten().next()) {
            loader.at(GANTRY_FILE, other.span(), "this goes with 'program'".to_owned());
        }
        if let (None, Some(body)) = (&self.service, &self.body) {
            loader.at(GANTRY_FILE, body.span(), "'body' goes with 'service'".to_owned());
        }
        let text = |written: &Option<Spanned<String>>| written.as_ref().map(|text| text.get_ref().clone());
        if self.program.is_some() {
            let target = ProgramTarget {
                program: first.get_ref().clone(),
                transaction: text(&self.transaction),
                channel: text(&self.channel),
                request_container: text(&self.request_container),
                response_container: text(&self.response_container),
            };
            return Some((ListenerTarget::Program(target), place));
        }
        if self.service.is_some() {
            let is_record = self.body.as_ref().is_some_and(|body| *body.get_ref() == BodyWord::Record);
            return Some((ListenerTarget::Service { name: first.get_ref().clone(), is_record }, place));
        }
        if self.soap.is_some() {
            let path = Some(first.get_ref()).filter(|path| *path != "*");
            if path.is_some_and(|path| !path.starts_with('/')) {
                let message = "expected the path of a web service, or \"*\"".to_owned();
                loader.at(GANTRY_FILE, place, message);
                return None;
            }
            return Some((ListenerTarget::Soap { path: path.cloned() }, place));
        }
        match first.get_ref().split_once(' ') {
            Some((method, target)) if target.starts_with('/') && !method.is_empty() => {
                let (method, target) = (method.to_owned(), target.to_owned());
                Some((ListenerTarget::Api { method, target }, place))
            }
            _ => {
                let message = "expected a method and a path, as in \"POST /orders\"".to_owned();
                loader.at(GANTRY_FILE, place, message);
                None
            }
        }
    }
}

fn order_by(written: &Spanned<String>, loader: &mut Loader<'_>) -> Option<OrderBy> {
    let text = written.get_ref().as_str();
    match text.strip_prefix(PROPERTY) {
        Some(name) if message::Property::new(name, message::PropertyValue::Null).is_ok() => {
            Some(OrderBy::Property(name.to_owned()))
        }
        None if text == "correlation_id" => Some(OrderBy::CorrelationId),
        _ => {
            let message = "expected \"correlation_id\", or \"property.\" and a name".to_owned();
            loader.at(GANTRY_FILE, written.span(), message);
            None
        }
    }
}
