//! Messaging: the front for requests to queue managers, in the form of IBM MQ.
//!
//! Its operations belong to an API with its own front (`api::Operation::Elsewhere`). So limits,
//! roles, interceptors, metrics, log and traces work as for APIs. Failures have the bodies that
//! clients of IBM MQ expect.

use std::fmt::Display;

use ::messaging::{Answer, Codes, Head, JSON as MQ_JSON, Media, ROOT, Request, Trouble, Version};
use bytes::Bytes;
use failure::{Code, Failure};
use http::header::{AUTHORIZATION, CONTENT_LANGUAGE, CONTENT_TYPE, COOKIE};
use http::{HeaderMap, Method, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use security::Preflight;

use super::answer::{describe, ended, failed_with, log_access, preflight};
use super::exchange::{Arrival, Destination, Exchange};
use super::front::{Ending, Front, HttpFront};
use super::receive::{check_head, check_page, receive_within};
use crate::gateway::OperationEntry;
use crate::messaging::{Asking, Desk, Task};
use admission::{Admitted, Standing};
use recording::chains::Stop;

/// A request for the messaging interface.
pub(super) struct Messaging<'r, B> {
    exchange: Exchange<'r>,
    desk: &'r Desk,
    /// None after it has been read.
    body: Option<B>,
    /// The request of the path; none before it is known, and after its use.
    request: Option<Request<'r>>,
    version: Version,
    /// How the caller of a get was authenticated.
    standing: Standing,
    /// True if it is a login.
    logs_in: bool,
    /// True if the client accepts bytes.
    binary: bool,
}

/// Why a request has its answer before its operation.
pub(super) enum Stopped {
    Ending(Ending),
    Trouble(Trouble),
}

impl From<Trouble> for Stopped {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Ending(failure.into())
    }
}

impl From<Ending> for Stopped {
    fn from(ending: Ending) -> Self {
        Self::Ending(ending)
    }
}

impl<'r, B> Messaging<'r, B> {
    pub(super) fn new(arrival: Arrival<'r>, desk: &'r Desk, body: B) -> Self {
        Self {
            exchange: Exchange::begin(arrival),
            desk,
            body: Some(body),
            request: None,
            version: Version::V2,
            standing: Standing::default(),
            logs_in: false,
            binary: false,
        }
    }

    /// The answer to a browser's preflight, if this is one.
    fn asked_before(&self) -> Result<(), Stopped> {
        let Arrival { gateway, parts, .. } = self.exchange.arrival;
        let cors = gateway.apis[self.desk.api].guard.cors.as_ref();
        if let (&Method::OPTIONS, Some(cors)) = (&parts.method, cors) {
            match cors.preflight(&parts.headers, "DELETE, GET, PATCH, POST") {
                Preflight::Allowed(headers) => return Err(Ending::answered(preflight(headers)).into()),
                Preflight::Refused(why) => return Err(Failure::with_details(Code::CorsRefused, why).into()),
                Preflight::Not => {}
            }
        }
        Ok(())
    }

    /// The answer to a request for the document of the API.
    fn document(&self) -> Option<Response<Full<Bytes>>> {
        let Arrival { gateway, parts, .. } = self.exchange.arrival;
        let mut documents = gateway.apis[self.desk.api].api.documents().iter();
        let found = documents.find(|document| document.path == parts.uri.path())?;
        (parts.method == Method::GET).then(|| describe(found))
    }
}

impl<'r, B> Front for Messaging<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    type Place = OperationEntry<'r>;
    type Admitted = Admitted<'r>;
    type Input = Bytes;
    type Output = Answer;
    type Stop = Stopped;
    type Answer = Response<Full<Bytes>>;

    fn check_head(&mut self) -> Result<(), Stopped> {
        Ok(check_head(self.exchange.arrival)?)
    }

    async fn route(&mut self) -> Result<OperationEntry<'r>, Stopped> {
        let Arrival { gateway, peer, parts } = self.exchange.arrival;
        self.asked_before()?;
        if let Some(document) = self.document() {
            let guard = &gateway.apis[self.desk.api].guard;
            gateway.security.admit_reader(guard, peer, &parts.headers).await.map_err(Ending::Refused)?;
            return Err(Ending::answered(document).into());
        }
        let head = Head {
            method: &parts.method,
            path: parts.uri.path(),
            query: parts.uri.query(),
            headers: &parts.headers,
        };
        let request = Request::route(head)?;
        let entry = gateway.operation(self.desk.api, Task::of(&request.resource).index());
        self.exchange.leads_to(Destination::Operation(entry));
        self.version = request.version;
        self.logs_in = request.logs_in();
        self.binary = Media::wants_binary(&parts.headers);
        self.request = Some(request);
        Ok(entry)
    }

    async fn admit(&mut self, entry: &OperationEntry<'r>) -> Result<Admitted<'r>, Stopped> {
        let Arrival { gateway, peer, parts } = self.exchange.arrival;
        check_page(&entry.api.guard, self.exchange.arrival)?;
        let Some(request) = &self.request else { return Err(Failure::new(Code::Internal).into()) };
        let known = !self.logs_in;
        let security = &gateway.security;
        let identity = security.enter(entry.guard, peer, (&parts.headers, known)).await;
        let identity = identity.map_err(Ending::Refused)?;
        let task = Task::of(&request.resource);
        if task.may_wait() && parts.method == Method::DELETE {
            self.standing = security.standing(identity.as_ref());
        }
        self.exchange.set_identity(identity.clone());
        // A caller without the right must not use up the limits of the others.
        let allowed = match task {
            _ if task.needs_invoke() => security.would_admit(entry.guard, peer, identity.as_ref()),
            _ if task.administers() => {
                self.desk.check_administers(&entry.guard.access, security, identity.as_ref())
            }
            _ => Ok(()),
        };
        allowed.map_err(Ending::Refused)?;
        Ok(security.admit_known(entry.guard, peer, identity).map_err(Ending::Refused)?)
    }

    fn check_started(&mut self, entry: &OperationEntry<'r>) -> Result<(), Stopped> {
        if entry.target.is_started() { Ok(()) } else { Err(Failure::new(Code::Stopped).into()) }
    }

    async fn read(&mut self, _: &OperationEntry<'r>) -> Result<Bytes, Stopped> {
        let Some(request) = &self.request else { return Err(Failure::new(Code::Internal).into()) };
        request.check_origin()?;
        if let Some(manager) = request.resource.manager()
            && manager != self.desk.manager_name()
        {
            return Err(Trouble::unknown_manager(manager).into());
        }
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let limit = self.desk.limits.message_max_bytes;
        let body = receive_within(self.exchange.arrival, body, true, limit).await?;
        self.exchange.has_read(body.len());
        Ok(body)
    }

    /// Passwords stay secret: interceptors see a login without its body.
    async fn intercept(&mut self, body: &Bytes) -> Result<(), Stopped> {
        let nothing = Bytes::new();
        let seen = if self.logs_in { &nothing } else { body };
        Ok(self.exchange.intercept(seen).await.map_err(Ending::from)?)
    }

    async fn call(&mut self, entry: OperationEntry<'r>, body: Bytes) -> Result<Answer, Stopped> {
        let Some(request) = self.request.take() else { return Err(Failure::new(Code::Internal).into()) };
        let resource = request.resource.clone();
        let operation = request.operation(body)?;
        let Arrival { gateway, peer, parts } = self.exchange.arrival;
        let asking = Asking {
            gateway,
            security: &gateway.security,
            access: &entry.guard.access,
            peer,
            headers: &parts.headers,
            identity: self.exchange.identity(),
            standing: &self.standing,
        };
        let outcome = self.desk.run(asking, operation, self.binary).await;
        let outcome = outcome.map_err(|stopped| match stopped {
            crate::messaging::Stopped::Refused(refusal) => Stopped::Ending(Ending::Refused(refusal)),
            crate::messaging::Stopped::Trouble(trouble) => {
                Stopped::Trouble(trouble.inhibited(&resource, &parts.method))
            }
        })?;
        Ok(outcome.answer(self.version, self.binary))
    }

    fn succeed(&mut self, answer: Answer) -> Response<Full<Bytes>> {
        if answer.status == StatusCode::NOT_IMPLEMENTED {
            self.exchange.fails_with(Code::NotText);
        }
        log_access(&mut self.exchange, answer.status);
        let mut response = Response::new(Full::new(answer.body));
        *response.status_mut() = answer.status;
        *response.headers_mut() = answer.headers;
        response
    }

    fn fail(&mut self, stopped: Stopped) -> Response<Full<Bytes>> {
        let ending = match stopped {
            Stopped::Trouble(trouble) => return self.troubled(&trouble),
            Stopped::Ending(ending) => ending,
        };
        let trouble = match &ending {
            Ending::Failed(Stop { failure, status }) => self.trouble_of(failure, *status),
            Ending::Refused(refusal) => self.trouble_of(&refusal.failure, None),
            Ending::Answered(_) => return ended(&mut self.exchange, ending),
        };
        let response = ended(&mut self.exchange, ending);
        with_body_of(response, &trouble)
    }
}

impl<B> Messaging<'_, B> {
    /// The answer to trouble. It is counted and logged under one of our codes.
    fn troubled(&mut self, trouble: &Trouble) -> Response<Full<Bytes>> {
        let log = match trouble.explanation.as_str() {
            "" => trouble.message.clone(),
            why => format!("{} {why}", trouble.message),
        };
        let failure = Failure { log: Some(log), ..Failure::new(code_of(trouble)) };
        with_body_of(failed_with(&mut self.exchange, &failure, trouble.status), trouble)
    }

    /// Turns a failure of the gateway into trouble for a client of IBM MQ.
    fn trouble_of(&self, failure: &Failure, status: Option<StatusCode>) -> Trouble {
        let status = status.unwrap_or_else(|| failure.code.status());
        if failure.code == Code::Unauthenticated {
            return self.unauthenticated(status);
        }
        let text = failure.code.text().trim_end_matches('.');
        let trouble = match failure.code {
            Code::NotAuthorized => Trouble {
                codes: Codes::failed(2035),
                ..Trouble::new(status, "MQWB0103E", format!("Not authorized: {text}."))
            },
            Code::WrongContentType => {
                Trouble::new(status, "MQWB0306E", "The media type of the request is not supported.")
            }
            code => Trouble::new(status, code.as_str(), format!("{text}.")),
        };
        match &failure.details {
            Some(details) => trouble.because(details.clone()),
            None => trouble,
        }
    }

    /// The texts that clients know: no credentials, wrong credentials, a bad token.
    fn unauthenticated(&self, status: StatusCode) -> Trouble {
        let Arrival { gateway, parts, .. } = self.exchange.arrival;
        if self.logs_in || parts.headers.contains_key(AUTHORIZATION) {
            let trouble = Trouble::new(status, "MQWB0105E", "HTTP basic authentication failed.");
            return Trouble {
                action: "Provide valid credentials or use another form of authentication such as a client certificate.",
                ..trouble.because(
                    "The REST API request failed due to incorrect username and password credentials.",
                )
            };
        }
        if let Some(cookie) = token_cookie(&parts.headers, gateway.security.token_cookie()) {
            let message = format!("The '{cookie}' authentication token cookie failed verification.");
            return Trouble {
                action: "Login to the REST API to obtain a valid authentication cookie.",
                ..Trouble::new(status, "MQWB0112E", message).because(
                    "The REST API request cannot be completed because the authentication token failed verification.",
                )
            };
        }
        let trouble = Trouble::new(status, "MQWB0104E", "The REST API request is not authenticated.");
        Trouble { action: "Provide credentials, or login to obtain an authentication cookie.", ..trouble }
    }
}

/// The name of the first cookie that may be a token.
fn token_cookie<'h>(headers: &'h HeaderMap, name: Option<&str>) -> Option<&'h str> {
    let name = name?;
    let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut names = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    names.find(|(cookie, _)| cookie.trim().starts_with(name)).map(|(cookie, _)| cookie.trim())
}

/// The code under which we count trouble.
fn code_of(trouble: &Trouble) -> Code {
    match trouble.status.as_u16() {
        401 => Code::Unauthenticated,
        403 => Code::NotAuthorized,
        404 if trouble.id == Code::UnknownPath.as_str() => Code::UnknownPath,
        404 => Code::UnknownQueue,
        405 if trouble.id == Code::WrongMethod.as_str() => Code::WrongMethod,
        405 => Code::QueueInhibited,
        413 => Code::BodyTooLarge,
        415 => Code::WrongMessageType,
        501 => Code::NotText,
        503 => Code::QueueUnavailable,
        500..=599 => Code::QueueFailed,
        _ => Code::BadMessaging,
    }
}

/// Replaces the body of an answer by one in the form of IBM MQ. Its other headers stay.
fn with_body_of(response: Response<Full<Bytes>>, trouble: &Trouble) -> Response<Full<Bytes>> {
    let Answer { headers, body, .. } = trouble.answer();
    let mut response = response.map(|_| Full::new(body));
    for (name, value) in headers {
        let Some(name) = name else { continue };
        response.headers_mut().insert(name, value);
    }
    debug_assert!(
        response.headers().contains_key(CONTENT_LANGUAGE) && response.headers()[CONTENT_TYPE] == MQ_JSON
    );
    response
}

impl<'r, B> HttpFront<'r> for Messaging<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    fn exchange(&mut self) -> &mut Exchange<'r> {
        &mut self.exchange
    }

    fn complete(&mut self, response: &mut Response<Full<Bytes>>) {
        let Arrival { gateway, parts, .. } = self.exchange.arrival;
        if parts.method != Method::OPTIONS
            && let Some(cors) = &gateway.apis[self.desk.api].guard.cors
        {
            cors.answer(&parts.headers, response.headers_mut());
        }
        self.exchange.return_id(response);
    }
}

/// True for a path of this front.
#[inline]
pub(super) fn has(path: &str) -> bool {
    path.starts_with(ROOT)
}
