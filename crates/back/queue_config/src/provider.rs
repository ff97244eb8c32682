//! The kind `queue`: a service puts its record on a queue, and gets the reply from another.
//!
//! A call puts the request in a unit of its own and begins to wait for the reply before that unit commits, so no reply comes
//! too early. The wait is by id, so calls on one reply queue do not see each other's replies. The request expires with
//! the wait. A reply that comes after it goes to the dead-letter queue, or is dropped.

use std::sync::Arc;
use std::time::Duration;

use message::{
    Ccsid, CorrelationId, Expiry, Format, Kind as MessageKind, Message, MessageId, NewMessage, Persistence,
    QueueName, Reason, Refusal, ReplyTo, Selection,
};
use providers::{Kind, Payloads, Place, Section};
use queue::{Session, Waiter};
use serde::Deserialize;
use service::{CallContext, Error, ErrorKind, Outcome, Payload, ServiceProvider, Stated, SystemOfRecord};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;
use toml::Table;

use crate::late::LateReplies;
use crate::running::{QueueSlot, QueueUse, now};

/// The kind `queue`.
pub static KIND: &dyn Kind = &QueueKind;

#[derive(Debug)]
struct QueueKind;

impl Kind for QueueKind {
    fn word(&self) -> &'static str {
        "queue"
    }

    fn read(&self, keys: Table) -> Result<Box<dyn Section>, toml::de::Error> {
        Ok(Box::new(keys.try_into::<QueueSection>()?))
    }
}

/// `[provider]` with `kind = "queue"`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QueueSection {
    /// The queue of requests; with `operation = "receive"` the queue that is read.
    destination: String,
    /// The queue of replies; a service without one is one-way.
    reply_destination: Option<String>,
    #[serde(default)]
    operation: OperationWord,
    /// How long a reply or message is waited for.
    wait_ms: Option<u64>,
    #[serde(default)]
    reply_selection: SelectionWord,
    /// How long a request may wait to be got; never longer than its caller waits.
    expiry_ms: Option<u64>,
    #[serde(default)]
    persistent: bool,
    /// The format of requests.
    format: Option<String>,
    /// The caller's name goes with the message.
    #[serde(default)]
    use_caller: bool,
    #[serde(default)]
    on_timeout: TimeoutWord,
    #[serde(default)]
    late_replies: LateReplies,
}

/// `operation`.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum OperationWord {
    #[default]
    Send,
    Receive,
}

/// `reply_selection`: which reply belongs to a request.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
enum SelectionWord {
    /// The one whose correlation id is the request's message id.
    #[default]
    #[serde(rename = "msgIDToCorrelID")]
    MessageId,
    /// The one whose correlation id is that of the request.
    #[serde(rename = "correlIDToCorrelID")]
    CorrelationId,
    /// Any.
    #[serde(rename = "none")]
    None,
}

/// `on_timeout`: the answer if there is no reply in time.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
enum TimeoutWord {
    /// That of other services.
    #[default]
    #[serde(rename = "failure")]
    Failure,
    /// Nothing, as that of z/OS Connect.
    #[serde(rename = "204")]
    NoContent,
}

impl Section for QueueSection {
    fn provider(&self, mut place: Place<'_, '_>) -> Option<Arc<dyn ServiceProvider>> {
        match self.made(&mut place) {
            Ok(provider) => Some(Arc::new(provider)),
            Err(message) => {
                place.fault(message);
                None
            }
        }
    }

    /// Without a reply in time, and without replies at all, there is no content.
    fn states_status(&self) -> bool {
        self.reply_destination.is_none() || self.on_timeout == TimeoutWord::NoContent
    }
}

impl QueueSection {
    fn made(&self, place: &mut Place<'_, '_>) -> Result<QueueProvider, String> {
        if matches!(place.payloads, Payloads::Channels) {
            return Err("a message has one record; this service has containers".to_owned());
        }
        let queue = |key: &str, text: &str| QueueName::new(text).map_err(|error| format!("'{key}': {error}"));
        let destination = queue("destination", &self.destination)?;
        let reply = self.reply_destination.as_deref();
        let reply = reply.map(|reply| queue("reply_destination", reply)).transpose()?;
        let operation = match (self.operation, reply, self.wait_ms) {
            (OperationWord::Send, None, _) => Operation::Send,
            (OperationWord::Send, Some(_), None) => {
                return Err("a service with 'reply_destination' needs 'wait_ms'".to_owned());
            }
            (OperationWord::Send, Some(replies), Some(wait_ms)) => {
                let (selection, on_timeout) = (self.reply_selection, self.on_timeout);
                Operation::Call { replies, wait_ms, selection, on_timeout }
            }
            (OperationWord::Receive, Some(_), _) => {
                return Err("'reply_destination' goes with operation = \"send\"".to_owned());
            }
            (OperationWord::Receive, None, wait_ms) => Operation::Receive { wait_ms: wait_ms.unwrap_or(0) },
        };
        let format = match &self.format {
            None => Format::STRING,
            Some(name) => Format::new(name).ok_or("'format': expected at most 8 visible ASCII characters")?,
        };
        let ccsid = place.encoding.map_or(Ccsid::UTF_8, |encoding| Ccsid(u32::from(encoding.ccsid())));
        let uses = place.given.get::<QueueUse>().filter(|uses| uses.is_there);
        let slot = Arc::clone(&uses.ok_or("queues need a [queue_manager], and there is none")?.slot);
        Ok(QueueProvider {
            slot,
            destination,
            operation,
            expiry_ms: self.expiry_ms,
            persistent: self.persistent,
            format,
            ccsid,
            use_caller: self.use_caller,
            late_replies: self.late_replies,
        })
    }
}

/// The operation of a call.
#[derive(Clone, Debug)]
enum Operation {
    Send,
    Call { replies: QueueName, wait_ms: u64, selection: SelectionWord, on_timeout: TimeoutWord },
    Receive { wait_ms: u64 },
}

/// A service behind queues.
#[derive(Debug)]
struct QueueProvider {
    slot: Arc<QueueSlot>,
    destination: QueueName,
    operation: Operation,
    expiry_ms: Option<u64>,
    persistent: bool,
    format: Format,
    ccsid: Ccsid,
    use_caller: bool,
    late_replies: LateReplies,
}

/// Wishes in headers of a request. Missing ones are as in the service.
#[derive(Clone, Copy, Debug, Default)]
struct Wishes {
    wait_ms: Option<u64>,
    expiry_ms: Option<u64>,
    persistent: Option<bool>,
    message_id: Option<MessageId>,
    correlation_id: Option<CorrelationId>,
}

impl ServiceProvider for QueueProvider {
    fn call(&self, context: CallContext<'_>, request: Payload) -> Outcome {
        match self.begin(&context, request) {
            Ok(outcome) => outcome,
            Err(error) => Outcome::Ready(Err(error)),
        }
    }

    fn kind(&self) -> &'static str {
        "queue"
    }

    fn system_of_record(&self) -> SystemOfRecord<'_> {
        SystemOfRecord { identifier: None, reference: None, resource: Some(self.destination.as_str()) }
    }
}

impl QueueProvider {
    fn begin(&self, context: &CallContext<'_>, request: Payload) -> Result<Outcome, Error> {
        let (session, left_waits) = self.slot.found(None)?;
        let session = session.clone();
        let wishes = wishes(context)?;
        let left_ms = u64::try_from(context.time_left.as_millis()).unwrap_or(u64::MAX);
        let wait = |of_service: u64| Duration::from_millis(wishes.wait_ms.unwrap_or(of_service).min(left_ms));
        match &self.operation {
            Operation::Receive { wait_ms } => {
                let selection = Selection::new(
                    wishes.message_id.unwrap_or(MessageId::NONE),
                    wishes.correlation_id.unwrap_or(CorrelationId::NONE),
                );
                let (queue, until) = (self.destination.clone(), Instant::now() + wait(*wait_ms));
                let (mut waiter, mut woken) = waiting(&session, &queue, &selection)?;
                Ok(pending(async move {
                    while woken.until(until).await {
                        if let Some(message) = get(&session, waiter).await? {
                            return Ok(Payload::Record(message.body));
                        }
                        // The message has expired meanwhile.
                        (waiter, woken) = waiting(&session, &queue, &selection)?;
                    }
                    Ok(nothing())
                }))
            }
            Operation::Send => {
                let (message, _) = self.message(context, request, &wishes, None)?;
                let put = put(&session, &self.destination, message)?;
                Ok(pending(async move { put.await.map(|()| nothing()) }))
            }
            Operation::Call { replies, wait_ms, selection, on_timeout } => {
                let wait = wait(*wait_ms);
                let (message, id) = self.message(context, request, &wishes, Some((replies, wait)))?;
                // The id must be known before the message is put, so that nobody replies before somebody waits.
                let (message, id) = with_id(&session, message, id)?;
                let wanted = match selection {
                    SelectionWord::MessageId => Selection::by_correlation_id(id.into()),
                    SelectionWord::CorrelationId => Selection::by_correlation_id(message.correlation_id),
                    SelectionWord::None => Selection::ANY,
                };
                let (waiter, woken) = waiting(&session, replies, &wanted)?;
                let waiter = left_waits.watched(&session, replies, (waiter, wanted), self.late_replies);
                let put = put(&session, &self.destination, message)?;
                let on_timeout = *on_timeout;
                Ok(pending(async move {
                    let until = Instant::now() + wait;
                    if let Err(error) = put.await {
                        // No reply can come.
                        waiter.withdraw();
                        return Err(error);
                    }
                    if let Some(message) = waiter.reply(woken, until).await? {
                        return Ok(Payload::Record(message.body));
                    }
                    match on_timeout {
                        TimeoutWord::NoContent => Ok(nothing()),
                        TimeoutWord::Failure => Err(Error {
                            kind: ErrorKind::TimedOut,
                            message: format!("no reply within {} ms", wait.as_millis()),
                        }),
                    }
                }))
            }
        }
    }

    /// The message of a request; for calls with the queue of the reply, and how long that is waited for.
    fn message(
        &self,
        context: &CallContext<'_>,
        request: Payload,
        wishes: &Wishes,
        reply: Option<(&QueueName, Duration)>,
    ) -> Result<(NewMessage, Option<MessageId>), Error> {
        let Payload::Record(body) = request else {
            return Err(Error::refused("a message has one record, and the request has containers"));
        };
        let wait_ms = reply.map(|(_, wait)| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        let expiry_ms = [wishes.expiry_ms.or(self.expiry_ms), wait_ms].into_iter().flatten().min();
        let is_persistent = wishes.persistent.unwrap_or(self.persistent);
        let user = context.caller.filter(|_| self.use_caller).map(|caller| caller.user.to_owned());
        let message = NewMessage {
            message_id: wishes.message_id,
            correlation_id: wishes.correlation_id.unwrap_or_default(),
            persistence: Some(match is_persistent {
                true => Persistence::Persistent,
                false => Persistence::NonPersistent,
            }),
            expiry: expiry_ms.map_or(Expiry::Unlimited, Expiry::AfterMs),
            kind: if reply.is_some() { MessageKind::Request } else { MessageKind::Datagram },
            format: self.format,
            ccsid: self.ccsid,
            reply_to: reply.map(|(queue, _)| ReplyTo { queue: queue.clone(), manager: None }),
            user: user.unwrap_or_default(),
            ..NewMessage::bytes(body)
        };
        Ok((message, wishes.message_id))
    }
}

/// Puts a message; the future is over when it is committed.
pub(crate) fn put(
    session: &Session,
    destination: &QueueName,
    message: NewMessage,
) -> Result<impl Future<Output = Result<(), Error>> + use<>, Error> {
    let mut work = session.begin().map_err(error)?;
    session.put(&mut work.scope(), destination, message, now()).map_err(error)?;
    let (told, outcome) = oneshot::channel();
    work.commit_then(move |result| drop(told.send(result)));
    Ok(committed(outcome))
}

/// A message with an id that is known.
pub(crate) fn with_id(
    session: &Session,
    mut message: NewMessage,
    given: Option<MessageId>,
) -> Result<(NewMessage, MessageId), Error> {
    let id = match given {
        Some(id) => id,
        None => session.new_id().map_err(error)?,
    };
    message.message_id = Some(id);
    if message.correlation_id.is_none() {
        // Servers that copy the correlation id, and those that copy the message id, both find the caller.
        message.correlation_id = id.into();
    }
    Ok((message, id))
}

fn pending(future: impl Future<Output = Result<Payload, Error>> + Send + 'static) -> Outcome {
    Outcome::Pending(Box::pin(future))
}

/// The answer where nothing comes back.
fn nothing() -> Payload {
    let (payload, status_line) = (Payload::Record(Vec::new()), Some("204".to_owned()));
    Payload::Stated(Box::new(Stated { payload, status_line, fault: None }))
}

/// Says when a wait is over.
pub(crate) struct Woken(Arc<Notify>);

impl Woken {
    /// True if the wait is over in time.
    pub(crate) async fn until(&self, time: Instant) -> bool {
        tokio::time::timeout_at(time, self.0.notified()).await.is_ok()
    }
}

pub(crate) fn waiting(
    session: &Session,
    queue: &QueueName,
    selection: &Selection,
) -> Result<(Waiter, Woken), Error> {
    let notify = Arc::new(Notify::new());
    let told = Arc::clone(&notify);
    let waiter = session.wait(queue, selection, move || told.notify_one(), now()).map_err(error)?;
    Ok((waiter, Woken(notify)))
}

/// Gets the message that a wait has found.
pub(crate) async fn get(session: &Session, waiter: Waiter) -> Result<Option<Message>, Error> {
    let mut work = session.begin().map_err(error)?;
    let message = waiter.get(&mut work.scope(), now()).map_err(error)?;
    let (told, outcome) = oneshot::channel();
    session.commit_gets_then(work, move |result| drop(told.send(result)));
    committed(outcome).await.map(|()| message)
}

async fn committed(outcome: oneshot::Receiver<Result<(), Refusal>>) -> Result<(), Error> {
    match outcome.await {
        Ok(result) => result.map_err(error),
        Err(_) => Err(Error::outcome_unknown("the store broke down while it wrote the message")),
    }
}

/// A refusal of the queue manager, as the failure of a call.
fn error(refusal: Refusal) -> Error {
    let kind = match refusal.reason {
        _ if refusal.outcome_unknown => ErrorKind::OutcomeUnknown,
        Reason::NotAuthorized => ErrorKind::NotAuthorized,
        Reason::MessageTooBigForQueue | Reason::MessageTooBigForManager | Reason::ObjectDamaged => {
            ErrorKind::Failed
        }
        _ => ErrorKind::Refused,
    };
    Error { kind, message: refusal.to_string() }
}

/// The wishes in headers of a request.
fn wishes(context: &CallContext<'_>) -> Result<Wishes, Error> {
    let Some(request) = context.request else { return Ok(Wishes::default()) };
    let header = |name: &str| request.headers.value(name);
    let number = |name: &str| -> Result<Option<i64>, Error> {
        let Some(text) = header(name) else { return Ok(None) };
        let number = text.trim().parse().ok().filter(|number| *number >= -1);
        number.map(Some).ok_or_else(|| bad(name, "a number of milliseconds, or -1"))
    };
    let id = |name: &str| -> Result<Option<MessageId>, Error> {
        let Some(text) = header(name) else { return Ok(None) };
        MessageId::from_hex(text.trim()).map(Some).map_err(|_| bad(name, "48 hexadecimal digits"))
    };
    let persistent = match header("ibm-mq-md-persistence").as_deref().map(str::trim) {
        None => None,
        Some("true") => Some(true),
        Some("false") => Some(false),
        Some(_) => return Err(bad("ibm-mq-md-persistence", "true or false")),
    };
    let given = |id: MessageId| (!id.is_none()).then_some(id);
    Ok(Wishes {
        // -1 is without a limit, as far as the caller waits.
        wait_ms: number("ibm-mq-gmo-waitInterval")?.map(|ms| u64::try_from(ms).unwrap_or(u64::MAX)),
        expiry_ms: number("ibm-mq-md-expiry")?.and_then(|ms| u64::try_from(ms).ok()),
        persistent,
        message_id: id("ibm-mq-md-msgID")?.and_then(given),
        correlation_id: id("ibm-mq-md-correlID")?.and_then(given).map(CorrelationId::from),
    })
}

fn bad(header: &str, expected: &str) -> Error {
    Error::refused(format!("header {header}: expected {expected}"))
}
