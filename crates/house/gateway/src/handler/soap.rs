//! SOAP: the front for messages to web services, and for their descriptions.
//!
//! A message is read in one pass into its record, before interceptors are asked, because its body
//! names the operation.

mod piped;

use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use failure::{Code, Failure};
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use pipeline::By;
use security::Cors;
use service::{CallContext, Payload, ProgramTask, SoapContext, SoapFault};
use soap::{
    ContentType, FaultContext, Heard, Operation, Package, Packed, Packing, Parts, Target, TextEncoding,
    Token, TokenFault, Trouble, Version,
};

use self::piped::{Piped, Reached};
use super::answer::{ended, log_access, turned_away_with, wrong_method};
use super::exchange::{Arrival, Destination, Exchange, Told};
use super::front::{Ending, Front, HttpFront};
use super::receive::{check_head, check_page, receive_any};
use crate::gateway::{OperationEntry, PipelineEntry, WebServiceEntry};
use crate::sight::{SeenHeaders, named_host};
use admission::{Admitted, Peer, Refusal, Way};
use recording::chains::Stop;

/// The methods of a web service's path.
const METHODS: &str = "GET, HEAD, POST";

/// The property that sets the transaction of a call.
const TRANSACTION_PROPERTY: &str = "cicsTransId";

/// The header for the action in SOAP 1.1.
const SOAP_ACTION: &str = "soapaction";

/// A message to a web service.
pub(super) struct Soap<'r, B> {
    exchange: Exchange<'r>,
    entry: &'r WebServiceEntry,
    /// None after it has been read.
    body: Option<B>,
    /// The pages that may see answers of the web service.
    cors: Option<&'r Cors>,
    content_type: Option<ContentType<'r>>,
    /// Set if the message is a MIME package.
    package: Option<Package<'r>>,
    /// The elements of the answer whose values may be parts of a package.
    binary_elements: &'r [String],
    /// The facts of the message that the answer needs.
    heard: Heard,
    /// The refusal that needs only the head. The message may still name the caller.
    pending: Option<Refusal>,
    /// True if the message names a caller.
    has_token: bool,
    /// The admission by the message. It counts until the call has ended.
    late: Option<Admitted<'r>>,
    /// True if the message names its caller, or should.
    names_caller: bool,
    /// The message in its pipeline; none if no program of a pipeline has seen it.
    piped: Option<Box<Piped<'r>>>,
    /// The task that has got the message, if it came from a queue.
    task: Option<&'r Arc<dyn ProgramTask>>,
}

/// A message after reading.
pub(super) struct Taken<'r> {
    entry: OperationEntry<'r>,
    operation: &'r Operation,
    version: Version,
    payload: Payload,
    /// The body for interceptors.
    body: Bytes,
    /// The data that a pipeline's programs leave for the service's program; none without them.
    target: Option<piped::Target>,
}

/// The outcome of a message.
pub(super) enum Outcome {
    Answered(Version, Vec<u8>),
    /// The program of the service has made a fault.
    Faulted(Version, SoapFault),
    /// The answer after the pipeline.
    Piped(Version, StatusCode, Vec<u8>),
    /// There is not an answer.
    Accepted,
}

/// Why a message stops.
pub(super) enum SoapStop {
    Ending(Ending),
    Trouble(Box<Trouble>),
}

impl From<Ending> for SoapStop {
    fn from(ending: Ending) -> Self {
        SoapStop::Ending(ending)
    }
}

impl From<Trouble> for SoapStop {
    fn from(trouble: Trouble) -> Self {
        SoapStop::Trouble(Box::new(trouble))
    }
}

impl From<Failure> for SoapStop {
    fn from(failure: Failure) -> Self {
        SoapStop::Ending(failure.into())
    }
}

impl<'r, B> Soap<'r, B> {
    pub(super) fn new(arrival: Arrival<'r>, entry: &'r WebServiceEntry, body: B) -> Self {
        let header = content_type(&arrival.parts.headers);
        let content_type = header.and_then(ContentType::parse);
        let may_be_package = content_type.is_none() && entry.service.mtom.is_some();
        let package = header.filter(|_| may_be_package).and_then(Package::parse);
        let content_type = content_type.or_else(|| package.map(|package| package.content_type));
        // The answer must not use a version that the web service does not have.
        let versions = entry.service.versions;
        let version = content_type.map(|content_type| versions.nearest(content_type.version));
        Self {
            exchange: Exchange::begin(arrival),
            entry,
            body: Some(body),
            cors: arrival.gateway.apis[entry.api].guard.cors.as_ref(),
            content_type,
            package,
            binary_elements: &[],
            heard: Heard { version, reply: None },
            pending: None,
            has_token: false,
            late: None,
            names_caller: false,
            piped: None,
            task: None,
        }
    }

    /// Lets the service run in this task.
    pub(super) fn in_task(mut self, task: Option<&'r Arc<dyn ProgramTask>>) -> Self {
        self.task = task;
        self
    }

    /// Why it failed; none after a success.
    pub(super) fn code(&self) -> Option<Code> {
        self.exchange.code()
    }

    /// True if the message itself names its caller, or should because nothing else does.
    pub(super) fn names_caller(&self) -> bool {
        self.names_caller
    }

    /// The first operation of the web service. It is used until the message has named its
    /// operation.
    fn first(&self) -> OperationEntry<'r> {
        self.exchange.arrival().gateway.operation(self.entry.api, 0)
    }

    /// The way of the message. Each way may have its own handlers.
    fn by(&self) -> By<'r> {
        match &self.exchange.arrival().peer.way {
            Way::Http(listener) => By::Http(listener.as_deref().unwrap_or_default()),
            Way::Queue(queue) => By::Queue(queue),
        }
    }

    /// Reads the message: its header blocks, the caller if it names one, its operation, its record.
    async fn take(&mut self, body: Bytes) -> Result<Taken<'r>, SoapStop> {
        let content_type = self.content_type.ok_or_else(wrong_type)?;
        let (text, encoding) = match &self.package {
            None => soap::text(&body, content_type.charset)?,
            Some(package) => package.message(&body)?,
        };
        // Interceptors see the same message as the reader.
        let seen = match &self.package {
            None => body.clone(),
            Some(_) => Bytes::copy_from_slice(text.as_bytes()),
        };
        let versions = self.entry.service.versions;
        let by = self.by();
        let sees = |entry: &&PipelineEntry| entry.sees(by, (&text, encoding), versions);
        if let Some(entry) = self.entry.pipeline.as_ref().filter(sees) {
            let text = self.judge_before((&text, encoding)).await?.unwrap_or_else(|| text.into_owned());
            return Box::pin(self.take_through(entry, text, seen)).await;
        }
        self.take_text((&text, encoding), content_type, seen).await
    }

    async fn take_text(
        &mut self,
        (text, encoding): (&str, TextEncoding),
        content_type: ContentType<'r>,
        body: Bytes,
    ) -> Result<Taken<'r>, SoapStop> {
        let Arrival { gateway, parts, .. } = self.exchange.arrival();
        let service = &self.entry.service;
        let mut cursor = soap::cursor(text, encoding)?;
        let expected = service.expected(action(content_type, &parts.headers));
        let message = soap::read(&mut cursor, &expected, &mut self.heard)?;
        // A token that a handler has put there does not count.
        if self.piped.is_none() {
            self.judge(message.token.as_ref()).await?;
        }
        let index = service.operation(&cursor, &message.open)?;
        let (entry, operation) = (gateway.operation(self.entry.api, index), &service.operations[index]);
        self.binary_elements = &operation.binary_elements;
        self.exchange.leads_to(Destination::Operation(entry));
        if !entry.target.is_started() {
            return Err(Failure::new(Code::Stopped).into());
        }
        let heard = &self.heard;
        let payload = self
            .exchange
            .request_mapping(|| operation.payload(&mut cursor, (&message.open, message.version), heard))?;
        let version = message.version;
        drop(cursor);
        Ok(Taken { entry, operation, version, payload, body, target: None })
    }

    /// Lets the programs of a pipeline see the message, and takes their result for the service.
    async fn take_through(
        &mut self,
        entry: &'r PipelineEntry,
        text: String,
        body: Bytes,
    ) -> Result<Taken<'r>, SoapStop> {
        let content_type = self.content_type.ok_or_else(wrong_type)?;
        let Arrival { parts, .. } = self.exchange.arrival();
        let task = {
            let context = CallContext { caller: self.exchange.caller(), ..CallContext::default() };
            entry.programs.begin(context).map_err(|error| Failure::from_service(&error))?
        };
        let user = self.exchange.user().unwrap_or_default().to_owned();
        let known = [
            ("DFHWS-WEBSERVICE", self.entry.service.name.as_str()),
            ("DFHWS-URI", parts.uri.path()),
            ("DFHWS-SOAPACTION", action(content_type, &parts.headers)),
            ("DFHWS-USERID", user.as_str()),
        ];
        let channel = piped::context(entry, &known);
        let versions = self.entry.service.versions;
        let mut piped = Piped::begin(entry, task, self.by(), versions, text, channel);
        let reached = piped.go_on(&mut self.heard).await;
        self.piped = Some(Box::new(piped));
        let target = match reached {
            Reached::Target(target) => target,
            other => return Err(self.end_through(other).await),
        };
        let message = (target.message.as_str(), piped::xml_encoding());
        match self.take_text(message, content_type, body).await {
            Ok(taken) => Ok(Taken { target: Some(target), ..taken }),
            Err(stop) => Err(self.refuse_through(stop).await),
        }
    }

    /// Handles a message that ended before its service was called, or because of the service's
    /// answer.
    async fn end_through(&mut self, reached: Reached) -> SoapStop {
        match reached {
            Reached::End(message) => Ending::answered(self.response_through(message)).into(),
            Reached::Trouble(trouble) => self.refuse_through(SoapStop::Trouble(trouble)).await,
            Reached::Target(_) => Failure::new(Code::Internal).into(),
        }
    }

    /// Shows a fault to the handlers, and undoes the work of programs. Further faults are not shown
    /// to the handlers.
    async fn refuse_through(&mut self, stop: SoapStop) -> SoapStop {
        let mut response = self.fail_with(stop);
        let Some(mut piped) = self.piped.take() else { return Ending::answered(response).into() };
        let bytes = match http_body_util::BodyExt::collect(response.body_mut()).await {
            Ok(collected) => collected.to_bytes(),
            Err(never) => match never {},
        };
        let fault = String::from_utf8_lossy(&bytes).into_owned();
        // A caller that wants no answer gets none, so there is not a fault to show to handlers.
        let sees = !fault.is_empty();
        let reached = if sees {
            piped.refused(response.status().as_u16(), fault);
            piped.go_on(&mut self.heard).await
        } else {
            piped.give_up().await;
            Reached::End(None)
        };
        *response.body_mut() = Full::new(bytes);
        if let Reached::End(Some((_, message))) = reached {
            *response.body_mut() = Full::new(Bytes::from(message));
        }
        Ending::answered(response).into()
    }

    /// The answer after the pipeline.
    fn response_through(&mut self, message: Option<(u16, String)>) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::default());
        match message {
            Some((status, message)) => {
                let version = self.heard.version.unwrap_or(Version::Soap11);
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                self.put_message(&mut response, version, status, message.into_bytes());
            }
            None => *response.status_mut() = StatusCode::ACCEPTED,
        }
        log_access(&mut self.exchange, response.status());
        response
    }

    /// Takes the service's result back to the caller, through the pipeline.
    async fn answer_through(
        &mut self,
        outcome: Result<Outcome, SoapStop>,
        version: Version,
    ) -> Result<Outcome, SoapStop> {
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(stop) => return Err(self.refuse_through(stop).await),
        };
        let Some(piped) = &mut self.piped else { return Ok(outcome) };
        let taken = match outcome {
            Outcome::Answered(version, envelope) => piped.answered(envelope, version),
            Outcome::Faulted(_, fault) => {
                piped.faulted(fault);
                Ok(())
            }
            Outcome::Accepted => {
                piped.quiet();
                Ok(())
            }
            piped @ Outcome::Piped(..) => return Ok(piped),
        };
        if let Err(trouble) = taken {
            return Err(self.refuse_through(trouble.into()).await);
        }
        match piped.go_on(&mut self.heard).await {
            Reached::End(None) => Ok(Outcome::Accepted),
            Reached::End(Some((status, message))) => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                Ok(Outcome::Piped(version, status, message.into_bytes()))
            }
            other => Err(self.end_through(other).await),
        }
    }

    /// Judges the caller before any program of a pipeline runs. Gives the message without its
    /// credentials, which no one else needs.
    async fn judge_before(
        &mut self,
        (text, encoding): (&str, TextEncoding),
    ) -> Result<Option<String>, SoapStop> {
        let service = &self.entry.service;
        if !service.username_token {
            return Ok(None);
        }
        let cursor = soap::cursor(text, encoding)?;
        let (token, rest) = Parts::of(cursor, (service.versions, &mut self.heard))?.token(text)?;
        self.judge(token.as_ref()).await?;
        Ok(rest)
    }

    /// Judges the caller by the message, or by HTTP.
    async fn judge(&mut self, token: Option<&Token>) -> Result<(), SoapStop> {
        self.has_token = token.is_some();
        let known = self.exchange.arrival().peer.known.is_some();
        self.names_caller = token.is_some() || self.entry.service.username_token && !known;
        match (token, self.pending.take()) {
            (Some(token), pending) => self.present(token, pending.is_some()).await?,
            (None, Some(refusal)) => return Err(Ending::Refused(refusal).into()),
            (None, None) => {}
        }
        if self.entry.service.needs_caller && self.exchange.identity().is_none() {
            let details = "the message needs a wsse:UsernameToken";
            return Err(Failure::with_details(Code::Unauthenticated, details).into());
        }
        Ok(())
    }

    /// Admits the caller that the message names, as if HTTP had named it. `counts` is false for a message
    /// that was counted before.
    async fn present(&mut self, token: &Token, counts: bool) -> Result<(), SoapStop> {
        let Arrival { gateway, peer, .. } = self.exchange.arrival();
        if !peer.secure {
            return Err(Failure::with_details(Code::TlsRequired, "the message has a password").into());
        }
        let mut headers = HeaderMap::with_capacity(1);
        headers.insert(AUTHORIZATION, credentials(token).ok_or_else(|| Failure::new(Code::Unauthenticated))?);
        let (guard, security) = (self.first().guard, &gateway.security);
        // The listener of a queue, and a client certificate, vouch for their own user, not for the one of the message.
        let vouched = peer.known.is_some() || peer.certificate.is_some();
        let unproven = vouched.then(|| Peer { known: None, certificate: None, ..Peer::clone(peer) });
        let identity = security.identify(unproven.as_ref().unwrap_or(peer), &headers).await;
        let own = || self.exchange.identity().cloned();
        let identity = identity.map_err(Ending::Refused)?.or_else(own);
        security.would_admit(guard, peer, identity.as_ref()).map_err(Ending::Refused)?;
        if counts {
            let admitted = security.admit_known(guard, peer, identity.clone());
            self.late = Some(admitted.map_err(Ending::Refused)?);
        }
        self.exchange.set_identity(identity);
        Ok(())
    }

    /// Puts a message into the answer, as a package if needed. A fault is never a package.
    fn put_message(
        &mut self,
        response: &mut Response<Full<Bytes>>,
        version: Version,
        status: StatusCode,
        message: Vec<u8>,
    ) {
        let asked_so = self.package.is_some();
        let mtom = self.entry.service.mtom.as_ref();
        let mtom = mtom.filter(|mtom| status.is_success() && mtom.answers(asked_so));
        *response.status_mut() = status;
        let packed = mtom.and_then(|mtom| {
            let (elements, id) = (self.binary_elements, self.exchange.shown_id());
            let envelope = std::str::from_utf8(&message).ok()?;
            soap::pack(envelope, &Packing { mtom, elements, id, version, action: "" })
        });
        let packed = packed.and_then(|Packed { content_type, body }| {
            Some((HeaderValue::from_str(&content_type).ok()?, body))
        });
        let (content_type, body) =
            packed.unwrap_or_else(|| (HeaderValue::from_static(version.content_type()), message));
        *response.body_mut() = Full::new(Bytes::from(body));
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }

    /// The SOAP form of a failure, in place of JSON. `status` comes from an interceptor. None if
    /// the version is not known.
    fn written(&mut self, trouble: &Trouble, status: Option<StatusCode>) -> Option<Written> {
        let version = self.heard.version?;
        let reply = self.heard.reply.take();
        if reply.as_ref().is_some_and(|reply| reply.fault_target() == Target::None) {
            return Some(Written::Nothing);
        }
        let id = self.exchange.shown_id().to_owned();
        let service = &self.entry.service;
        let context = FaultContext {
            version,
            versions: service.versions,
            style: service.faults,
            service: &service.name,
            id: &id,
            reply: reply.as_ref(),
        };
        let (own, fault) = trouble.fault(&context);
        let own = StatusCode::from_u16(own).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Some(Written::Fault { version, status: status.unwrap_or(own), fault })
    }
}

/// The answer to a failed message.
enum Written {
    Fault {
        version: Version,
        status: StatusCode,
        fault: Vec<u8>,
    },
    /// The message wants no fault.
    Nothing,
}

impl Written {
    fn put(self, response: &mut Response<Full<Bytes>>) {
        match self {
            Written::Fault { version, status, fault } => {
                *response.status_mut() = status;
                *response.body_mut() = Full::new(Bytes::from(fault));
                let content_type = HeaderValue::from_static(version.content_type());
                response.headers_mut().insert(CONTENT_TYPE, content_type);
            }
            Written::Nothing => {
                *response.status_mut() = StatusCode::ACCEPTED;
                *response.body_mut() = Full::default();
                response.headers_mut().remove(CONTENT_TYPE);
            }
        }
    }
}

const WSDL_TYPE: &str = "text/xml; charset=utf-8";

impl<'r, B> Front for Soap<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    type Place = OperationEntry<'r>;
    type Admitted = Admitted<'r>;
    type Input = Taken<'r>;
    type Output = Outcome;
    type Stop = SoapStop;
    type Answer = Response<Full<Bytes>>;

    fn check_head(&mut self) -> Result<(), SoapStop> {
        Ok(check_head(self.exchange.arrival())?)
    }

    async fn route(&mut self) -> Result<OperationEntry<'r>, SoapStop> {
        let parts = self.exchange.arrival().parts;
        match parts.method {
            Method::POST => {
                let first = self.first();
                self.exchange.leads_to(Destination::Operation(first));
                Ok(first)
            }
            Method::GET | Method::HEAD if asks_for_wsdl(parts.uri.query()) => {
                Err(Ending::answered(describe(self.exchange.arrival(), self.entry).await?).into())
            }
            _ => {
                self.heard.version = None;
                let (exchange, cors) = (&mut self.exchange, &mut self.cors);
                Err(Ending::answered(wrong_method(exchange, cors, METHODS)).into())
            }
        }
    }

    async fn admit(&mut self, place: &OperationEntry<'r>) -> Result<Admitted<'r>, SoapStop> {
        let Arrival { gateway, peer, parts } = self.exchange.arrival();
        check_page(&place.api.guard, self.exchange.arrival())?;
        match gateway.security.admit(place.guard, peer, &parts.headers).await {
            Ok(admitted) => {
                self.exchange.set_identity(admitted.identity.clone());
                Ok(admitted)
            }
            Err(refusal) if self.may_present(&refusal) && peer.secure => {
                self.pending = Some(refusal);
                Ok(Admitted::default())
            }
            Err(mut refusal) => {
                if self.may_present(&refusal) {
                    let details = "a wsse:UsernameToken is taken over TLS only";
                    refusal.failure.details.get_or_insert_with(|| details.to_owned());
                }
                Err(Ending::Refused(refusal).into())
            }
        }
    }

    fn check_started(&mut self, place: &OperationEntry<'r>) -> Result<(), SoapStop> {
        if place.api.switch.is_started() { Ok(()) } else { Err(Failure::new(Code::Stopped).into()) }
    }

    async fn read(&mut self, _place: &OperationEntry<'r>) -> Result<Taken<'r>, SoapStop> {
        if self.content_type.is_none() {
            return Err(wrong_type().into());
        }
        if self.exchange.arrival().parts.headers.contains_key(CONTENT_ENCODING) {
            let details = "content-encoding is not supported";
            return Err(Failure::with_details(Code::WrongSoapType, details).into());
        }
        let body = match self.body.take() {
            Some(body) => receive_any(self.exchange.arrival(), body, true).await?,
            None => Bytes::new(),
        };
        self.exchange.has_read(body.len());
        self.take(body).await
    }

    async fn intercept(&mut self, taken: &Taken<'r>) -> Result<(), SoapStop> {
        Ok(self.exchange.intercept(&taken.body).await.map_err(Ending::from)?)
    }

    async fn call(&mut self, _place: OperationEntry<'r>, taken: Taken<'r>) -> Result<Outcome, SoapStop> {
        if self.piped.is_none() {
            return self.call_service(taken).await;
        }
        let version = taken.version;
        let outcome = Box::pin(self.call_service(taken)).await;
        Box::pin(self.answer_through(outcome, version)).await
    }

    fn succeed(&mut self, outcome: Outcome) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::default());
        let (version, status, answer) = match outcome {
            Outcome::Answered(version, answer) => (version, StatusCode::OK, answer),
            Outcome::Piped(version, status, answer) => (version, status, answer),
            Outcome::Faulted(version, fault) if self.wants_faults() => {
                let (status, body) = soap::program_fault(version, &fault);
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
                let blocks = self.heard.reply.as_ref().map(soap::Reply::fault_blocks).unwrap_or_default();
                match soap::close(version, (&blocks, ""), &body) {
                    Ok(message) => (version, status, message.into_bytes()),
                    Err(trouble) => return self.fail_with(trouble.into()),
                }
            }
            Outcome::Faulted(..) | Outcome::Accepted => {
                *response.status_mut() = StatusCode::ACCEPTED;
                log_access(&mut self.exchange, response.status());
                return response;
            }
        };
        self.put_message(&mut response, version, status, answer);
        log_access(&mut self.exchange, response.status());
        response
    }

    fn fail(&mut self, stop: SoapStop) -> Response<Full<Bytes>> {
        self.fail_with(stop)
    }
}

impl<'r, B> Soap<'r, B> {
    async fn call_service(&mut self, taken: Taken<'r>) -> Result<Outcome, SoapStop> {
        let Taken { entry, operation, version, payload, target, .. } = taken;
        let exchange = &mut self.exchange;
        let parts = exchange.arrival().parts;
        let changed = exchange.take_headers();
        let headers = changed.as_ref().unwrap_or(&parts.headers);
        let properties = entry.api.properties(headers);
        let properties: Vec<(&str, &str)> =
            properties.iter().map(|(name, value)| (*name, &**value)).collect();
        let (mut properties, mut user) = (properties, None);
        let mut soap = SoapContext { containers: self.entry.containers(version), task: self.task };
        if let Some(piped) = &self.piped {
            soap.task = Some(piped.task());
        }
        if let Some(target) = &target {
            soap.containers = &target.containers;
            user = target.user.as_deref();
            if let Some(transaction) = &target.transaction {
                properties.retain(|(name, _)| *name != TRANSACTION_PROPERTY);
                properties.push((TRANSACTION_PROPERTY, transaction));
            }
            if target.transaction.is_some() || user.is_some() {
                // It runs in its own task, with its own unit of work.
                soap.task = None;
            }
        }
        if let (Some(user), Some(piped)) = (user, &self.piped)
            && !piped.may_run_as(user)
        {
            let details = "a handler wants another user for the service, whom the pipeline does not list";
            return Err(Failure::with_details(Code::ProgramRefused, details).into());
        }
        let seen = SeenHeaders(headers);
        let time_left = self.entry.pipeline.as_ref().map_or(Duration::MAX, |pipeline| pipeline.response_wait);
        let told = Told { soap: Some(soap), user, time_left, ..Told::new(&seen, &properties) };
        let [callee] = &*entry.target.callees else { return Err(Failure::new(Code::Internal).into()) };
        let answered = exchange.call(callee.counted(), told, payload).await?;
        let answered = match answered.without_fault() {
            Ok(answered) => answered,
            Err(fault) => return Ok(Outcome::Faulted(version, fault)),
        };
        let (payload, _) = answered.apart();
        let goes_nowhere = self.heard.reply.as_ref().is_some_and(|reply| reply.target() == Target::None);
        if operation.is_one_way() || goes_nowhere {
            return Ok(Outcome::Accepted);
        }
        let heard = &self.heard;
        let answer = exchange.response_mapping(|| operation.answer(version, heard, &payload))?;
        Ok(Outcome::Answered(version, answer))
    }

    /// The answer to a message that stops.
    fn fail_with(&mut self, stop: SoapStop) -> Response<Full<Bytes>> {
        let (mut trouble, status, ending) = match stop {
            SoapStop::Ending(Ending::Answered(response)) => return *response,
            SoapStop::Trouble(trouble) => {
                let failure = trouble.failure.clone();
                (*trouble, None, Ending::Failed(Stop { failure, status: None }))
            }
            SoapStop::Ending(Ending::Failed(Stop { failure, status })) => {
                (failure.clone().into(), status, Ending::Failed(Stop { failure, status }))
            }
            SoapStop::Ending(Ending::Refused(refusal)) => {
                (refusal.failure.clone().into(), None, Ending::Refused(refusal))
            }
        };
        if self.has_token && trouble.failure.code == Code::Unauthenticated {
            trouble.token.get_or_insert(TokenFault::FailedAuthentication);
        }
        let written = self.written(&trouble, status);
        // The log has the same status as the client.
        let mut response = match (ending, &written) {
            (Ending::Failed(stop), Some(Written::Fault { status, .. })) => {
                ended(&mut self.exchange, Ending::Failed(Stop { status: Some(*status), ..stop }))
            }
            (Ending::Refused(refusal), Some(Written::Fault { status, .. })) => {
                turned_away_with(&mut self.exchange, refusal, *status)
            }
            (ending, _) => ended(&mut self.exchange, ending),
        };
        if let Some(written) = written {
            written.put(&mut response);
        }
        response
    }
}

impl<B> Soap<'_, B> {
    /// True unless the message says that faults go nowhere.
    fn wants_faults(&self) -> bool {
        self.heard.reply.as_ref().is_none_or(|reply| reply.fault_target() != Target::None)
    }

    /// True if the message may name the caller, over TLS, because its head does not.
    fn may_present(&self, refusal: &Refusal) -> bool {
        let says_nothing = !self.exchange.arrival().parts.headers.contains_key(AUTHORIZATION);
        self.entry.service.username_token && says_nothing && refusal.asks_who()
    }
}

impl<'r, B> HttpFront<'r> for Soap<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    fn exchange(&mut self) -> &mut Exchange<'r> {
        &mut self.exchange
    }

    fn complete(&mut self, response: &mut Response<Full<Bytes>>) {
        if let Some(cors) = self.cors {
            cors.answer(&self.exchange.arrival().parts.headers, response.headers_mut());
        }
        self.exchange.return_id(response);
    }
}

/// The description of the web service, with the address that the client used.
async fn describe(arrival: Arrival<'_>, entry: &WebServiceEntry) -> Result<Response<Full<Bytes>>, Ending> {
    let Arrival { gateway, peer, parts } = arrival;
    let guard = &gateway.apis[entry.api].guard;
    gateway.security.admit_reader(guard, peer, &parts.headers).await.map_err(Ending::Refused)?;
    let scheme = if peer.secure { "https" } else { "http" };
    let query = parts.uri.query().unwrap_or_default();
    let Some(text) = entry.service.wsdl.asked(query, scheme, named_host(parts).unwrap_or("localhost")) else {
        let details = "the WSDL imports no document of this name";
        return Err(Failure::with_details(Code::UnknownPath, details).into());
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(WSDL_TYPE));
    Ok(response)
}

/// The content type of a message, if there is exactly one.
fn content_type(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = values.next()?;
    let only = values.next().is_none();
    value.to_str().ok().filter(|_| only)
}

fn wrong_type() -> Failure {
    Failure::new(Code::WrongSoapType)
}

/// The action of a message in HTTP, by the version of its content type.
fn action<'h>(content_type: ContentType<'h>, headers: &'h HeaderMap) -> &'h str {
    match content_type.version {
        Version::Soap12 => content_type.action.unwrap_or_default(),
        Version::Soap11 => {
            let value = headers.get(SOAP_ACTION).and_then(|value| value.to_str().ok());
            value.map(soap::soap_action).unwrap_or_default()
        }
    }
}

/// True for the query `wsdl` in any case, with or without a value.
fn asks_for_wsdl(query: Option<&str>) -> bool {
    let first = query.unwrap_or_default().split(['&', '=']).next().unwrap_or_default();
    first.eq_ignore_ascii_case("wsdl")
}

/// User and password in the form of HTTP. None if the user has a colon, which HTTP does not allow.
fn credentials(token: &Token) -> Option<HeaderValue> {
    if token.user.contains(':') {
        return None;
    }
    let pair = STANDARD.encode(format!("{}:{}", token.user, token.password));
    let mut value = HeaderValue::from_str(&format!("Basic {pair}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}
