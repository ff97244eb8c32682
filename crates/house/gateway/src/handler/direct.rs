//! Direct calls of services, at the admin address and by messages. They take the JSON of a
//! service's whole interface, or its record. The global interceptors see and record them like
//! requests without an API.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use conversion::{StatedStatus, has_no_body};
use failure::{Code, Failure, JSON};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Body;
use security::Identity;
use service::{Payload, ProgramTask};

use super::answer::ACCESS;
use super::exchange::{Arrival, Destination, Exchange, Told};
use super::front::{Front, HttpFront, run_watched};
use super::receive::{collect, receive_json};
use crate::gateway::{Gateway, ServiceEntry};
use crate::sight::SeenHeaders;
use admission::Peer;
use recording::chains::Stop;

/// The status and the JSON of an answer. The JSON stays as the conversion wrote it, with all digits
/// and in the same order.
type Answer = (StatusCode, Bytes);

/// The form of a direct call's body.
#[derive(Clone, Copy, Debug)]
pub enum Form<'d> {
    /// JSON over HTTP. Its type and its length are checked.
    Request,
    /// The JSON of a message, with the task that has got the message, if there is one.
    Json(Option<&'d Arc<dyn ProgramTask>>),
    /// The record of a message, with the task that has got the message, if there is one.
    Record(Option<&'d Arc<dyn ProgramTask>>),
}

/// The outcome of a call for a message.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The status.
    pub status: StatusCode,
    /// The answer, or the failure for the caller.
    pub body: Bytes,
    /// Why it failed; none after a success.
    pub code: Option<Code>,
    /// The content type of the answer.
    pub content_type: Option<HeaderValue>,
    /// True if the message itself names its caller, or should. Then it is its own fault if the caller is
    /// refused.
    pub names_caller: bool,
}

/// A direct call that administration has admitted, or a call for a message.
pub struct Direct<'d> {
    /// The gateway that serves it.
    pub gateway: &'d Gateway,
    /// The other end of the connection.
    pub peer: &'d Peer,
    /// The caller, if known.
    pub identity: Option<&'d Arc<Identity>>,
    /// The head of the request.
    pub parts: &'d Parts,
    /// The called service.
    pub entry: &'d ServiceEntry,
    /// The form of the body.
    pub form: Form<'d>,
}

impl Direct<'_> {
    /// Calls the service. The call is recorded.
    pub async fn invoke<B>(&self, body: B) -> Answered
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        let Self { gateway, peer, identity, parts, entry, form } = *self;
        let exchange = Exchange::untraced(Arrival { gateway, peer, parts });
        let mut call = DirectCall { exchange, identity, entry, form, body: Some(body) };
        let response = run_watched(&mut call).await;
        Answered::of(response, call.exchange.code()).await
    }
}

impl Answered {
    /// An answer with the code of its failure.
    pub(super) async fn of(response: Response<Full<Bytes>>, code: Option<Code>) -> Self {
        let (mut head, body) = response.into_parts();
        let Ok(body) = body.collect().await;
        let content_type = head.headers.remove(CONTENT_TYPE);
        Self { status: head.status, body: body.to_bytes(), code, content_type, names_caller: false }
    }
}

/// A running direct call. Administration has checked its head and admitted it.
struct DirectCall<'d, B> {
    exchange: Exchange<'d>,
    identity: Option<&'d Arc<Identity>>,
    entry: &'d ServiceEntry,
    form: Form<'d>,
    /// None after it has been read.
    body: Option<B>,
}

impl<'d, B> Front for DirectCall<'d, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    type Place = &'d ServiceEntry;
    type Admitted = ();
    type Input = Bytes;
    type Output = Answer;
    type Stop = Stop;
    type Answer = Response<Full<Bytes>>;

    async fn route(&mut self) -> Result<&'d ServiceEntry, Stop> {
        self.exchange.leads_to(Destination::Service(self.entry));
        // Providers need the id.
        self.exchange.id();
        Ok(self.entry)
    }

    async fn admit(&mut self, _entry: &&'d ServiceEntry) -> Result<(), Stop> {
        self.exchange.identity = self.identity.cloned();
        Ok(())
    }

    fn check_started(&mut self, entry: &&'d ServiceEntry) -> Result<(), Stop> {
        if entry.switch.is_started() { Ok(()) } else { Err(Failure::new(Code::Stopped).into()) }
    }

    async fn read(&mut self, _entry: &&'d ServiceEntry) -> Result<Bytes, Stop> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let body = match self.form {
            Form::Request => receive_json(self.exchange.arrival, body).await?,
            // The queue has already limited its length.
            Form::Json(_) | Form::Record(_) => collect(body, usize::MAX).await?,
        };
        self.exchange.has_read(body.len());
        Ok(body)
    }

    async fn intercept(&mut self, body: &Bytes) -> Result<(), Stop> {
        self.exchange.intercept(body).await
    }

    async fn call(&mut self, entry: &'d ServiceEntry, body: Bytes) -> Result<Answer, Stop> {
        let exchange = &mut self.exchange;
        let changed = exchange.take_headers();
        let headers = SeenHeaders(changed.as_ref().unwrap_or(&exchange.arrival.parts.headers));
        let conversion = &entry.running.conversion;
        let (task, is_record) = match self.form {
            Form::Request => (None, false),
            Form::Json(task) => (task, false),
            Form::Record(task) => (task, true),
        };
        let request = if is_record { Payload::Record(body.to_vec()) } else { conversion.request(&body)? };
        let told = Told { task, ..Told::new(&headers, &[]) };
        let (payload, stated) = exchange.call(entry.counted(), told, request).await?.apart();
        let stated = stated.map(|line| StatedStatus::parse(&line)).transpose()?;
        let status = stated.map_or(StatusCode::OK, |stated| stated.status);
        let mut answer = Vec::new();
        let payload = match payload {
            Payload::Record(record) if is_record => return Ok((status, Bytes::from(record))),
            _ if is_record => return Err(Failure::new(Code::BadRecord).into()),
            payload => payload,
        };
        // Without a result there is nothing to convert.
        if !(has_no_body(status) && payload == Payload::Record(Vec::new())) {
            conversion.response(&payload, &mut answer)?;
        }
        // As for APIs: such an answer over HTTP has no body. A message has no status.
        if has_no_body(status) && matches!(self.form, Form::Request) {
            answer.clear();
        }
        Ok((status, Bytes::from(answer)))
    }

    fn succeed(&mut self, (status, body): Answer) -> Response<Full<Bytes>> {
        json(status, body)
    }

    fn fail(&mut self, Stop { failure, status }: Stop) -> Response<Full<Bytes>> {
        self.exchange.fails_with(failure.code);
        log(self.exchange.shown_id(), self.entry, &failure);
        json(status.unwrap_or_else(|| failure.code.status()), Bytes::from(failure.body()))
    }
}

impl<'d, B> HttpFront<'d> for DirectCall<'d, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    fn exchange(&mut self) -> &mut Exchange<'d> {
        &mut self.exchange
    }
}

fn json(status: StatusCode, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

/// Logs failures of the service for operators, as for APIs. Faults of a request are not logged.
fn log(id: &str, entry: &ServiceEntry, failure: &Failure) {
    let (service, status) = (&entry.running.service, failure.code.status().as_u16());
    let program = service.provider.system_of_record().resource.unwrap_or_default();
    let (code, details) = (failure.code.as_str(), failure.details.as_deref().unwrap_or_default());
    let cause = failure.log.as_deref().unwrap_or_default();
    let service = &*service.name;
    if status >= 500 {
        tracing::warn!(id, service, program, status, code, details, cause, "direct call failed");
    } else {
        tracing::debug!(target: ACCESS, id, service, program, status, code, details, cause, "direct call refused");
    }
}
