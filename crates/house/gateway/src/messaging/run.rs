//! Puts, gets, browses and reserves messages.

use std::time::{Duration, SystemTime};

use ::messaging::{Attempt, Delivered, Get, Listed, Login, Operation, Outcome, Trouble, unknown_reservation};
use admission::LoggedIn;
use failure::{Code, Failure};
use http::{HeaderValue, StatusCode};
use message::{
    Descriptor, Message, MessageId, Moment, NewMessage, Property, PropertyValue, QueueName, Reason, Refusal,
    Selection,
};
use queue::{Browsed, ReservationId, Session, Work};
use tokio::sync::oneshot;

use super::confirmed::Confirming;
use super::define::Act;
use super::rights::Right;
use super::waiting::Watch;
use super::{Asking, Desk, Done, Stopped, troubled};
use admission::Refusal as TurnedAway;

/// The name of the installation that the interface reports.
const INSTALLATION: &str = "Gantry";

const PUT: &str = "put to";
const GET: &str = "get from";
const BROWSE: &str = "browse from";

impl Desk {
    /// Carries out a request. `binary` says that the client accepts bytes.
    pub(crate) async fn run(&self, asking: Asking<'_>, operation: Operation, binary: bool) -> Done {
        match operation {
            Operation::Put(queue, message) => self.put(asking, &queue, *message).await,
            Operation::Get(queue, get) => self.get(asking, &queue, get).await,
            Operation::Browse(queue, get) => self.browse(asking, &queue, get.selection),
            Operation::List(queue, selection, limit) => self.list(asking, &queue, selection, limit).await,
            Operation::PutBatch(queue, messages) => self.put_batch(asking, &queue, messages).await,
            Operation::GetBatch(queue, get, limit) => {
                self.get_batch(asking, &queue, Get { binary, ..get }, limit).await
            }
            Operation::Publish(topic, message) => self.publish(asking, &topic, *message).await,
            Operation::Confirm(queue, id) => self.end_reservation(asking, &queue, id, true).await,
            Operation::Release(queue, id) => self.end_reservation(asking, &queue, id, false).await,
            Operation::LogIn(login) => log_in(asking, login).await,
            Operation::LogOut => Ok(log_out(asking)),
            Operation::Who => self.who(asking),
            Operation::Managers(name) => match name {
                Some(other) if other != self.manager_name() => Err(Trouble::unknown_manager(&other).into()),
                _ => Ok(Outcome::Managers(vec![self.manager_name().to_owned()])),
            },
            Operation::Installations(name) => match name {
                Some(other) if other != INSTALLATION => Err(Trouble::unknown_installation(&other).into()),
                _ => Ok(Outcome::Installation(INSTALLATION)),
            },
            Operation::Mqsc(asked) => self.mqsc(asking, asked, now()).await,
            Operation::Queues(wanted) => self.queues(asking, wanted, now()),
            Operation::Channels(name) => self.channels(asking, name.as_deref()),
            Operation::Subscriptions(wanted) => self.subscriptions(asking, wanted),
            Operation::DefineQueue { kind, name, replace, like, changes } => {
                let act =
                    Act::Define { kind, name: &name, replace, like: like.as_deref(), changes: &changes };
                self.administer(asking, act).await
            }
            Operation::AlterQueue { name, kind, changes } => {
                self.administer(asking, Act::Alter(&name, kind, &changes)).await
            }
            Operation::DeleteQueue { name, purge } => {
                self.administer(asking, Act::Delete(&name, purge)).await
            }
        }
    }

    async fn put(&self, asking: Asking<'_>, queue: &str, message: NewMessage) -> Done {
        self.rights.check(asking, Right::Put, queue)?;
        let trouble = troubled(PUT, queue);
        let (session, name) = (self.manager.session(), named(PUT, queue)?);
        let mut work = session.begin().map_err(&trouble)?;
        let put = session.put(&mut work.scope(), &name, signed(asking, message), now()).map_err(&trouble)?;
        committed(work).await.map_err(&trouble)?;
        Ok(Outcome::Put(put.message_id))
    }

    async fn put_batch(&self, asking: Asking<'_>, queue: &str, messages: Vec<NewMessage>) -> Done {
        self.rights.check(asking, Right::Put, queue)?;
        let trouble = troubled(PUT, queue);
        let (session, name) = (self.manager.session(), named(PUT, queue)?);
        let mut work = session.begin().map_err(&trouble)?;
        let mut ids = Vec::with_capacity(messages.len());
        for message in messages {
            let put = session.put(&mut work.scope(), &name, signed(asking, message), now());
            ids.push(put.map_err(&trouble)?.message_id);
        }
        committed(work).await.map_err(&trouble)?;
        Ok(Outcome::PutBatch(ids))
    }

    async fn get(&self, asking: Asking<'_>, queue: &str, get: Get) -> Done {
        self.rights.check(asking, Right::Get, queue)?;
        let trouble = troubled(GET, queue);
        let name = named(GET, queue)?;
        let Some((work, message)) = self.taken(asking, queue, &name, &get).await? else {
            return Ok(Outcome::Nothing);
        };
        let delivered = Box::new(Delivered::new(message, now()));
        let mut shown = if get.binary { Ok(()) } else { delivered.text().map(drop).map_err(Trouble::clone) };
        if get.properties {
            shown = shown.and_then(|()| delivered.check_properties());
        }
        if let Err(trouble) = shown {
            // The message stays in its place, and no backout counts.
            work.undo();
            return Err(trouble.into());
        }
        if let Some(milliseconds) = get.reserve_ms {
            let until = now().plus_ms(milliseconds.min(self.limits.reserve_max_ms).into());
            let ReservationId(id) = self.manager.session().reserve(work, &name, until).map_err(&trouble)?;
            return Ok(Outcome::Message(delivered, Some(MessageId(id))));
        }
        self.gone(work).await.map_err(&trouble)?;
        Ok(Outcome::Message(delivered, None))
    }

    async fn get_batch(&self, asking: Asking<'_>, queue: &str, get: Get, limit: u32) -> Done {
        self.rights.check(asking, Right::Get, queue)?;
        let trouble = troubled(GET, queue);
        let (session, name) = (self.manager.session(), named(GET, queue)?);
        let Some((mut work, first)) = self.taken(asking, queue, &name, &get).await? else {
            return Ok(Outcome::Nothing);
        };
        let next = || session.get(&mut work.scope(), &name, &get.selection, now());
        let messages = match batch(first, (limit as usize, self.limits.message_max_bytes), next) {
            Ok(messages) => messages,
            Err(refusal) => {
                work.undo();
                return Err(trouble(refusal));
            }
        };
        self.gone(work).await.map_err(&trouble)?;
        let messages = messages.into_iter().map(|message| Delivered::new(message, now())).collect();
        Ok(Outcome::Messages(messages))
    }

    /// A message that was got in a separate unit, at once or after a wait. None if none comes in
    /// time, if the client has gone, or if the process stops. A wait ends with a refusal if the caller
    /// may not get messages any more. `written` is the queue as the request names it.
    async fn taken(
        &self,
        asking: Asking<'_>,
        written: &str,
        queue: &QueueName,
        get: &Get,
    ) -> Result<Option<(Work, Message)>, Stopped> {
        let trouble = troubled(GET, written);
        let session = self.manager.session();
        let mut work = session.begin().map_err(&trouble)?;
        let found = session.get(&mut work.scope(), queue, &get.selection, now());
        if let Some(message) = found.map_err(&trouble)? {
            return Ok(Some((work, message)));
        }
        drop(work);
        if get.wait_ms == 0 {
            return Ok(None);
        }
        let mut watch = Watch::begin(asking, self.manager_name(), written);
        let wait = Duration::from_millis(get.wait_ms.min(self.limits.wait_max_ms).into());
        let deadline = tokio::time::Instant::now() + wait;
        // The message of a wait may have expired or been lost. Then the wait goes on.
        while tokio::time::Instant::now() < deadline {
            let (wake, mut woken) = oneshot::channel::<()>();
            let wake = move || {
                let _ = wake.send(());
            };
            let waiter = match session.wait(queue, &get.selection, wake, now()) {
                Err(refusal) if refusal.reason == Reason::ManagerQuiescing => return Ok(None),
                waiter => waiter.map_err(&trouble)?,
            };
            // If the client leaves, or may get nothing any more, the waiter is dropped, and its message
            // goes back.
            loop {
                tokio::select! {
                    biased;
                    () = asking.peer.presence.gone() => return Ok(None),
                    _ = &mut woken => break,
                    () = tokio::time::sleep_until(deadline) => return Ok(None),
                    () = watch.changed() => watch.check().await?,
                }
            }
            // A change may have come in this moment, or within the pause after the last check.
            if watch.has_changed() {
                watch.check().await?;
            }
            let mut work = session.begin().map_err(&trouble)?;
            if let Some(message) = waiter.get(&mut work.scope(), now()).map_err(&trouble)? {
                return Ok(Some((work, message)));
            }
        }
        Ok(None)
    }

    /// Commits a unit that has only gets, before the answer or beside it, as the queue manager is
    /// configured.
    async fn gone(&self, work: Work) -> Result<(), Refusal> {
        let (done, outcome) = oneshot::channel();
        self.manager.session().commit_gets_then(work, move |result| {
            let _ = done.send(result);
        });
        outcome.await.unwrap_or_else(|_| Err(Refusal::unknown("the store has stopped")))
    }

    fn browse(&self, asking: Asking<'_>, queue: &str, selection: Selection) -> Done {
        self.rights.check(asking, Right::Browse, queue)?;
        let name = named(BROWSE, queue)?;
        let found = self.manager.session().browse(&name, &selection, None, now());
        Ok(match found.map_err(troubled(BROWSE, queue))? {
            Some(Browsed { message, .. }) => Outcome::Message(Box::new(Delivered::new(message, now())), None),
            None => Outcome::Nothing,
        })
    }

    async fn list(&self, asking: Asking<'_>, queue: &str, selection: Selection, limit: Option<u32>) -> Done {
        self.rights.check(asking, Right::Browse, queue)?;
        let name = named(BROWSE, queue)?;
        let limit = limit.unwrap_or(self.limits.list_max).min(self.limits.list_max) as usize;
        let session = self.manager.session();
        // All messages are read. This would keep a worker from its connections for too long.
        let found = apart(move || listed(&session, &name, &selection, limit)).await;
        Ok(Outcome::Listed(match found {
            // Messages of a queue with inhibited gets are not visible.
            Err(refusal) if refusal.reason == Reason::GetInhibited => Vec::new(),
            found => found.map_err(troubled(BROWSE, queue))?,
        }))
    }

    async fn publish(&self, asking: Asking<'_>, topic: &str, message: NewMessage) -> Done {
        self.rights.check(asking, Right::Put, topic)?;
        let trouble = troubled("publish to", topic);
        let session = self.manager.session();
        let mut work = session.begin().map_err(&trouble)?;
        session.publish(&mut work.scope(), topic, &signed(asking, message), now()).map_err(&trouble)?;
        committed(work).await.map_err(&trouble)?;
        Ok(Outcome::Created)
    }

    /// Ends a reservation: the message is got for good, or goes back to its place. A repeated
    /// confirmation, after a lost answer, gets the same answer.
    async fn end_reservation(&self, asking: Asking<'_>, queue: &str, id: MessageId, confirms: bool) -> Done {
        self.rights.check(asking, Right::Get, queue)?;
        let name = named(GET, queue)?;
        let session = self.manager.session();
        let reserved = || session.reserved(&name, ReservationId(id.0));
        let found = if confirms {
            let begin = |confirming: Confirming| {
                // The client may go at any time. So the commit itself notes the confirmation.
                reserved().map(|work| work.commit_then(move |outcome| confirming.end(outcome))).is_some()
            };
            self.confirmed.confirm(id, begin).await.map_err(troubled(GET, queue))?
        } else {
            reserved().is_some()
        };
        if found { Ok(Outcome::Nothing) } else { Err(unknown_reservation().into()) }
    }

    fn who(&self, asking: Asking<'_>) -> Done {
        let Some(identity) = asking.identity else {
            let failure = Failure::new(Code::Unauthenticated);
            return Err(TurnedAway::new(failure).into());
        };
        Ok(Outcome::Who(identity.name.to_string(), self.rights.roles(asking)))
    }
}

/// The messages of a batch: the first and further ones, within limits of their number and bytes. The
/// first message may be long. Further ones keep the answer within the limit of a message.
///
/// # Errors
/// A message is damaged. The caller must undo the unit: the next batch goes on behind that message. Other
/// faults end the batch, so that the caller gets what was taken before.
fn batch(
    first: Message,
    (count_max, bytes_max): (usize, usize),
    mut next: impl FnMut() -> Result<Option<Message>, Refusal>,
) -> Result<Vec<Message>, Refusal> {
    let mut bytes = bytes_of(&first);
    let mut messages = vec![first];
    while messages.len() < count_max && bytes < bytes_max {
        match next() {
            Ok(Some(message)) => {
                bytes += bytes_of(&message);
                messages.push(message);
            }
            Ok(None) => break,
            Err(refusal) if refusal.reason == Reason::ObjectDamaged => return Err(refusal),
            Err(refusal) => {
                tracing::debug!(messages = messages.len(), refusal = refusal.text, "a batch ends early");
                break;
            }
        }
    }
    Ok(messages)
}

/// The bytes of a message in a batch: those of its body, and of its properties, which can be many.
fn bytes_of(message: &Message) -> usize {
    let value = |property: &Property| match property.value() {
        PropertyValue::Text(text) => text.len(),
        PropertyValue::Bytes(bytes) => bytes.len(),
        _ => size_of::<u64>(),
    };
    let properties = message.properties.iter().map(|property| property.name().len() + value(property));
    message.body.len() + properties.sum::<usize>()
}

/// The message with the name of its sender.
fn signed(asking: Asking<'_>, message: NewMessage) -> NewMessage {
    let user = asking.identity.map(|identity| identity.name.to_string());
    NewMessage { user: user.unwrap_or_default(), ..message }
}

/// Checks that a name is valid for a queue. A queue cannot have another name.
fn named<'n>(verb: &'n str, name: &'n str) -> Result<QueueName, Stopped> {
    QueueName::new(name).map_err(|error| {
        let refusal = Refusal::failed(Reason::UnknownObjectName, error.to_string());
        Trouble::refused(Attempt { verb, name }, &refusal).into()
    })
}

/// Commits, and waits without blocking the thread.
async fn committed(work: Work) -> Result<(), Refusal> {
    let (done, outcome) = oneshot::channel();
    work.commit_then(move |result| {
        let _ = done.send(result);
    });
    outcome.await.unwrap_or_else(|_| Err(Refusal::unknown("the store has stopped")))
}

pub(super) fn now() -> Moment {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().into()
}

/// Runs work on a thread that serves no requests, because it would keep a worker from its
/// connections.
pub(super) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Refusal::failed(Reason::Unexpected, error.to_string())))
}

fn listed(
    session: &Session,
    queue: &QueueName,
    selection: &Selection,
    limit: usize,
) -> Result<Vec<Listed>, Refusal> {
    let (mut listed, mut after) = (Vec::new(), None);
    while listed.len() < limit {
        let Some(Browsed { position, message }) = session.browse(queue, selection, after, now())? else {
            break;
        };
        after = Some(position);
        let Descriptor { message_id, correlation_id, format, .. } = message.descriptor;
        listed.push(Listed { id: message_id, correlation: correlation_id, format });
    }
    Ok(listed)
}

async fn log_in(asking: Asking<'_>, login: Login) -> Done {
    let Login { username, password } = login;
    let Some(made) = asking.security.log_in(asking.peer, &username, &password).await? else {
        let text = "There are no tokens here.";
        let trouble = Trouble::new(StatusCode::NOT_FOUND, "GTY0404W", text);
        return Err(trouble
            .because("gantry.toml has no [[security.authenticator]] of the kind token.")
            .into());
    };
    let LoggedIn { cookie, token, .. } = made;
    // A browser must hide it from connections without TLS, from scripts and from other sites.
    let secure = if asking.peer.secure { "; Secure" } else { "" };
    cookie_header(&format!("{cookie}={token}; Path=/{secure}; HttpOnly; SameSite=Strict"))
        .map(Outcome::LoggedIn)
        .ok_or_else(|| TurnedAway::new(Failure::new(Code::Internal)).into())
}

fn log_out(asking: Asking<'_>) -> Outcome {
    let cookie = asking.security.log_out(asking.headers);
    let gone = |name: &str| format!("{name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    Outcome::LoggedOut(cookie.and_then(|name| cookie_header(&gone(name))))
}

fn cookie_header(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(body: &str) -> Message {
        Message { descriptor: Descriptor::default(), properties: Vec::new(), body: body.into() }
    }

    #[test]
    fn a_batch_ends_at_a_fault_and_gives_what_it_has() {
        let refused = |reason| Err(Refusal::failed(reason, "Q1: why"));
        let taken = |reason| {
            let mut answers = vec![refused(reason), Ok(Some(message("two")))];
            batch(message("one"), (10, 100), || answers.pop().expect("not asked again"))
        };
        let messages = taken(Reason::GetInhibited).expect("the messages before");
        assert_eq!(messages.iter().map(|message| &*message.body).collect::<Vec<_>>(), [b"one", b"two"]);
        // The caller hears of a damaged message, and gets the others with its next request.
        assert_eq!(taken(Reason::ObjectDamaged).expect_err("damaged").reason, Reason::ObjectDamaged);
    }

    #[test]
    fn a_batch_has_limits() {
        let taken =
            |limits| batch(message("12345"), limits, || Ok(Some(message("12345")))).expect("messages");
        assert_eq!(taken((3, 100)).len(), 3);
        assert_eq!(taken((100, 11)).len(), 3);
        assert_eq!(taken((100, 5)).len(), 1);
        let property = Property::new("long", PropertyValue::Text("x".repeat(11))).expect("a name");
        let first = Message { properties: vec![property], ..message("1") };
        let messages = batch(first, (100, 16), || Ok(Some(message("12345")))).expect("messages");
        assert_eq!(messages.len(), 1, "properties count");
    }
}
