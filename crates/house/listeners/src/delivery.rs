//! The delivery of one message: call its target, put the reply, and commit its unit of work.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use admission::{Hosts, Peer, Presence, Way};
use bytes::Bytes;
use failure::{Code, JSON};
use gateway::{Answered, Direct, Form, Gateway, handle_message, handle_soap_message};
use http::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use http::{Method, Request, Uri};
use http_body_util::Full;
use message::{Ccsid, Format, Message, Reason};
use message_calls::convert;
use queue::Work;
use queue_config::{ListenerTarget, now};
use region::{Interchange, MessageTask, Region, TaskCaller};
use security::Identity;
use service::{CallContext, Error, ErrorKind, Outcome, Payload, ServiceProvider};
use tokio::sync::oneshot;
use wire::COMMAREA_MAX_BYTES;

use crate::dispatcher::{Listener, Taken};
use crate::reply::{Body, put_reply};
use crate::soap::{SoapMessage, no_web_service, reply, target_service};

/// The header for the action in SOAP 1.1.
const SOAP_ACTION: HeaderName = HeaderName::from_static("soapaction");

/// The holder of the unit with the message.
pub(crate) enum Holder {
    Work(Work),
    Task(MessageTask),
}

/// The end of a delivery.
pub(crate) enum End {
    /// The message is gone.
    Done,
    /// The message expired before its turn.
    Expired(Holder),
    /// The message goes back to its queue. Without a holder, it is already there again.
    Back { holder: Option<Holder>, backouts: u32, why: Why },
}

/// Why a message goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its target has failed, or cannot read it. This counts as a backout.
    Failed,
    /// Its target cannot be called now. This does not count.
    NotNow,
}

/// A failure: the reason, and the text for the log.
pub(crate) type Failed = (Why, String);

/// Calls the target of a message, and ends its unit of work after a success.
pub(crate) async fn deliver(listener: &Listener, taken: Taken) -> End {
    let Taken { message, work, manager } = taken;
    if message.descriptor.is_expired(now()) {
        return End::Expired(Holder::Work(work));
    }
    let backouts = message.descriptor.backout_count;
    let id = message.descriptor.message_id.to_string();
    let Some(around) = listener.around() else { return End::Expired(Holder::Work(work)) };
    let gateway = around.gateway();
    let delivery = Delivery { listener, manager: &manager, gateway: &gateway, id: &id };
    let (holder, (why, cause)) = match delivery.deliver(message, work).await {
        Ok(()) => return End::Done,
        Err(failed) => failed,
    };
    let (queue, target) = (&listener.plan.queue, listener.plan.target.shown());
    match why {
        Why::Failed => tracing::warn!(%queue, target, id, backouts, "a message has failed: {cause}"),
        Why::NotNow => tracing::warn!(%queue, target, id, "a message waits: {cause}"),
    }
    End::Back { holder, backouts, why }
}

/// The context of a delivery.
struct Delivery<'d> {
    listener: &'d Listener,
    manager: &'d queue::Manager,
    gateway: &'d Arc<Gateway>,
    /// The message's id.
    id: &'d str,
}

impl Delivery<'_> {
    /// Calls the target. A new kind of target for messages gets an arm here.
    async fn deliver(&self, message: Message, work: Work) -> Result<(), (Option<Holder>, Failed)> {
        let provider = self.listener.provider();
        let region = match (&self.listener.plan.target, &provider) {
            (ListenerTarget::Program(_), Some(provider)) => provider.region.get().cloned(),
            (ListenerTarget::Service { name, .. }, _) => self.region_of(name),
            (ListenerTarget::Soap { path }, _) => match self.web_service(path.as_deref(), &message) {
                Ok(path) if self.gateway.runs_in_task(path) => self.gateway.region.clone(),
                Ok(_) => None,
                Err(failed) => return Err((Some(Holder::Work(work)), failed)),
            },
            _ => None,
        };
        let mut holder = match region {
            None => Holder::Work(work),
            Some(region) => match self.task(&region, work).await {
                Ok(task) => Holder::Task(task),
                Err(failed) => return Err(failed),
            },
        };
        let called = match (&self.listener.plan.target, &provider) {
            (ListenerTarget::Program(_), Some(provider)) => {
                self.program(provider, &message, &holder).await.map(Some)
            }
            (ListenerTarget::Program(_), None) => Err(not_now("the region of the program is not there")),
            (ListenerTarget::Service { name, is_record }, _) => {
                self.service(name, *is_record, &message, &holder).await.map(Some)
            }
            (ListenerTarget::Api { method, target }, _) => self.api(method, target, &message).await.map(Some),
            (ListenerTarget::Soap { path }, _) => self.soap(path.as_deref(), &message, &holder).await,
        };
        let reply = match called {
            Ok(reply) => reply,
            Err(failed) => return Err((Some(holder), failed)),
        };
        if let Holder::Task(task) = &holder
            && task.was_backed_out().await
        {
            // The message is on its queue again, and the backout counts.
            return Err((None, failed("the program has backed out (SYNCPOINT ROLLBACK)")));
        }
        if let Some(reply) = reply
            && let Err(refusal) = self.reply(&message, reply, &mut holder).await
        {
            return Err((Some(holder), failed(&format!("its reply cannot be put: {refusal}"))));
        }
        commit(holder).await.map_err(|cause| (None, failed(&cause)))
    }

    /// The region, if the service's program can run in the unit of the message.
    fn region_of(&self, service: &str) -> Option<Arc<Region>> {
        let entry = self.gateway.services.get(service)?;
        let is_program = entry.running.service.provider.kind() == "program";
        is_program.then(|| self.gateway.region.clone()).flatten()
    }

    async fn task(&self, region: &Arc<Region>, work: Work) -> Result<MessageTask, (Option<Holder>, Failed)> {
        let plan = &self.listener.plan;
        let caller = plan
            .user
            .as_ref()
            .map(|user| TaskCaller { user: user.clone(), groups: plan.groups.clone().into() });
        let begun = MessageTask::begin(region, caller.as_ref(), (work, self.manager)).await;
        begun
            .map_err(|work| (Some(Holder::Work(work)), not_now("the region has not the store of the queues")))
    }

    /// Calls a program with the message as its commarea, or in a container.
    async fn program(
        &self,
        provider: &region::ProgramProvider,
        message: &Message,
        holder: &Holder,
    ) -> Result<Body, Failed> {
        let Some(region) = provider.region.get() else {
            return Err(not_now("the region of the program is not started"));
        };
        let mut given = message.clone();
        let ccsid = Ccsid(region.settings().ccsid.into());
        match convert(&mut given, ccsid) {
            Reason::None | Reason::Format => {}
            reason => {
                return Err(failed(&format!(
                    "its text cannot be converted to CCSID {}: {}",
                    ccsid.0,
                    reason.name()
                )));
            }
        }
        let is_commarea = matches!(provider.interchange, Interchange::Commarea { .. });
        if is_commarea && given.body.len() > COMMAREA_MAX_BYTES {
            let found = given.body.len();
            return Err(failed(&format!(
                "expected at most {COMMAREA_MAX_BYTES} bytes for a commarea, found {found}: use 'channel'"
            )));
        }
        let task = match holder {
            Holder::Task(task) => Some(task.task()),
            Holder::Work(_) => None,
        };
        let plan = &self.listener.plan;
        let caller =
            plan.user.as_deref().map(|user| service::Caller { user, groups: plan.groups.as_slice() });
        let context =
            CallContext { caller, request_id: Some(self.id), task: task.as_ref(), ..CallContext::default() };
        let outcome = match provider.call(context, Payload::Record(given.body)) {
            Outcome::Ready(result) => result,
            Outcome::Pending(future) => future.await,
        };
        match outcome.map_err(|error| of_call(&error))?.apart().0 {
            Payload::Record(bytes) => Ok(Body::new(bytes, given.descriptor.format, ccsid)),
            _ => Err(failed("the program gave back something else than a record")),
        }
    }

    /// Calls a service with the message as its JSON, or as its record.
    async fn service(
        &self,
        name: &str,
        is_record: bool,
        message: &Message,
        holder: &Holder,
    ) -> Result<Body, Failed> {
        let Some(entry) = self.gateway.services.get(name) else {
            return Err(not_now("the service is not there"));
        };
        let task = match holder {
            Holder::Task(task) => Some(task.task()),
            Holder::Work(_) => None,
        };
        let (form, body) = match is_record {
            true => (Form::Record(task.as_ref()), message.body.clone()),
            false => (Form::Json(task.as_ref()), utf8(message)?),
        };
        let path = path(&format!("/services/{name}"))?;
        let request = self.request(Method::POST, path, message);
        let (parts, ()) = request.into_parts();
        let peer = self.peer();
        let direct = Direct {
            gateway: self.gateway,
            peer: &peer,
            identity: peer.known.as_ref(),
            parts: &parts,
            entry,
            form,
        };
        let body = of_answer(direct.invoke(Full::new(Bytes::from(body))).await, PathOf::Listener)?;
        let (format, ccsid) = match is_record {
            true => (message.descriptor.format, message.descriptor.ccsid),
            false => (Format::STRING, Ccsid::UTF_8),
        };
        Ok(Body::new(body.to_vec(), format, ccsid))
    }

    /// Calls an operation of an API.
    async fn api(&self, method: &str, target: &str, message: &Message) -> Result<Body, Failed> {
        let method = Method::from_bytes(method.as_bytes()).map_err(|_| not_now("there is no such method"))?;
        let request = self.request(method, path(target)?, message);
        let body = Full::new(Bytes::from(utf8(message)?));
        let answered = handle_message(self.gateway, &self.peer(), request.map(|()| body)).await;
        Ok(Body::new(of_answer(answered, PathOf::Listener)?.to_vec(), Format::STRING, Ccsid::UTF_8))
    }

    /// The path of the web service for a message.
    fn web_service<'p>(&self, path: Option<&'p str>, message: &'p Message) -> Result<&'p str, Failed> {
        match path {
            Some(path) => Ok(path),
            None => target_service(message),
        }
    }

    /// Calls a web service with the message.
    async fn soap(
        &self,
        path: Option<&str>,
        message: &Message,
        holder: &Holder,
    ) -> Result<Option<Body>, Failed> {
        let chosen_by = if path.is_some() { PathOf::Listener } else { PathOf::Message };
        let path = self.web_service(path, message)?;
        let is_none = || no_web_service(path, chosen_by);
        // A message may have a path that is none.
        let uri = Uri::try_from(path).map_err(|_| is_none())?;
        let mut request = self.request(Method::POST, uri, message);
        let SoapMessage { content_type, action, body } = SoapMessage::of(message)?;
        request.headers_mut().insert(CONTENT_TYPE, content_type);
        if let Some(action) = action {
            request.headers_mut().insert(SOAP_ACTION, action);
        }
        let task = match holder {
            Holder::Task(task) => Some(task.task()),
            Holder::Work(_) => None,
        };
        let request = request.map(|()| Full::new(body));
        let answered = handle_soap_message(self.gateway, &self.peer(), request, task.as_ref()).await;
        reply(message, answered.ok_or_else(is_none)?, chosen_by)
    }

    /// The head of a request for a message.
    fn request(&self, method: Method, target: Uri, message: &Message) -> Request<()> {
        let mut request = Request::new(());
        *request.method_mut() = method;
        *request.uri_mut() = target;
        let headers = request.headers_mut();
        headers.insert(HOST, HeaderValue::from_static("localhost"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        let descriptor = &message.descriptor;
        for (name, value) in [
            ("x-request-id", self.id.to_owned()),
            ("gantry-mq-message-id", self.id.to_owned()),
            ("gantry-mq-correlation-id", descriptor.correlation_id.to_string()),
            ("gantry-mq-backout-count", descriptor.backout_count.to_string()),
        ] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        request
    }

    /// The caller of the target: this process, in the name of the listener's user.
    fn peer(&self) -> Peer {
        let plan = &self.listener.plan;
        let identity =
            |user: &str| Arc::new(Identity::new(user, plan.groups.clone(), security::Method::Listener));
        Peer {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            secure: true,
            hosts: Arc::new(Hosts::Any),
            way: Way::Queue(plan.queue.to_string().into()),
            certificate: None,
            presence: Presence::default(),
            known: plan.user.as_deref().map(identity),
        }
    }

    /// Puts the reply, if the message asks for one, in the unit that has got the message.
    async fn reply(&self, message: &Message, body: Body, holder: &mut Holder) -> Result<(), String> {
        let Some(reply_to) = &message.descriptor.reply_to else { return Ok(()) };
        let plan = &self.listener.plan;
        let put = |scope: &mut queue::Scope<'_>| {
            put_reply(self.manager, scope, reply_to, body.into_message(message, plan), now())
        };
        let done = match holder {
            Holder::Work(work) => put(&mut work.scope()),
            Holder::Task(task) => task.with_messages(put).await.map_err(|error| error.to_string())?,
        };
        done.map_err(|refusal| refusal.to_string())
    }
}

/// Ends the unit. After a failure, the message is on its queue again, or its state is unknown.
async fn commit(holder: Holder) -> Result<(), String> {
    match holder {
        Holder::Task(task) => task.end().await.map_err(|error| error.to_string()),
        Holder::Work(work) => {
            let (told, outcome) = oneshot::channel();
            work.commit_then(move |result| drop(told.send(result)));
            match outcome.await {
                Ok(result) => result.map_err(|refusal| refusal.to_string()),
                Err(_) => Err("the store broke down while it removed the message".to_owned()),
            }
        }
    }
}

pub(crate) fn failed(cause: &str) -> Failed {
    (Why::Failed, cause.to_owned())
}

pub(crate) fn not_now(cause: &str) -> Failed {
    (Why::NotNow, cause.to_owned())
}

/// The body of a message as UTF-8. Text is converted. A body that is not marked as text must be
/// UTF-8.
fn utf8(message: &Message) -> Result<Vec<u8>, Failed> {
    let mut text = message.clone();
    match convert(&mut text, Ccsid::UTF_8) {
        Reason::None | Reason::Format => Ok(text.body),
        reason => Err(failed(&format!("its text cannot be converted to UTF-8: {}", reason.name()))),
    }
}

/// The failure of a program that was not called, or has failed.
fn of_call(error: &Error) -> Failed {
    let why = match error.kind {
        ErrorKind::Refused | ErrorKind::NotAuthorized | ErrorKind::Unusable => Why::NotNow,
        _ => Why::Failed,
    };
    (why, error.to_string())
}

/// The path that the configuration gives.
fn path(text: &str) -> Result<Uri, Failed> {
    Uri::try_from(text).map_err(|_| not_now("the path is not one"))
}

/// Who has chosen the path of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathOf {
    /// The listener. If it leads nowhere, messages wait for a correction.
    Listener,
    /// The message. If it leads nowhere, that is the fault of this message, and the others go on.
    Message,
}

impl PathOf {
    /// True if a message with this answer waits until the listener or the configuration is corrected.
    pub(crate) fn waits_for_correction(self, code: Code) -> bool {
        match code {
            Code::Stopped | Code::TooManyRequests => true,
            Code::UnknownPath
            | Code::WrongMethod
            | Code::Unauthenticated
            | Code::TlsRequired
            | Code::NotAuthorized
            | Code::RoleMissing
            | Code::ScopeMissing => self == PathOf::Listener,
            _ => false,
        }
    }
}

/// The body of an answer, or its failure.
pub(crate) fn of_answer(answered: Answered, chosen_by: PathOf) -> Result<Bytes, Failed> {
    let Answered { status, body, code, .. } = answered;
    if status.is_success() {
        return Ok(body);
    }
    let is_for_later = code.is_some_and(|code| {
        code.may_retry_later() || code == Code::ProgramRefused || chosen_by.waits_for_correction(code)
    });
    let shown = String::from_utf8_lossy(&body[..body.len().min(SHOWN_BYTES)]).into_owned();
    let why = if is_for_later { Why::NotNow } else { Why::Failed };
    Err((why, format!("status {}: {shown}", status.as_u16())))
}

/// Bytes of an answer that the log shows.
const SHOWN_BYTES: usize = 300;
