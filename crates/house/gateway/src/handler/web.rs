//! Web: the front for programs that answer requests over HTTP themselves (EXEC CICS WEB).
//!
//! The gateway does for them what it does for APIs: limits, roles, interceptors, metrics, log. The program gets the whole
//! request, and its answer goes out as it is, once its head has been checked.

use std::fmt::Display;

use bytes::Bytes;
use failure::{Code, Failure};
use headers::belongs_to_connection;
use http::header::{AUTHORIZATION, CONNECTION};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version};
use http_body_util::Full;
use hyper::body::Body;
use hyper::ext::ReasonPhrase;
use recording::chains::Stop;
use security::{Cors, Preflight};
use service::{Payload, WebAnswer, WebHeader, WebRequest};

use super::answer::{ended, log_access, preflight, wrong_method};
use super::exchange::{Arrival, Destination, Exchange, Told};
use super::front::{Ending, Front, HttpFront};
use super::receive::{check_head, check_page, receive_any};
use crate::gateway::OperationEntry;
use crate::sight::SeenHeaders;
use crate::uri_maps::{UriMapEntry, host_and_port};
use admission::Admitted;

/// The methods that a program can get.
const METHODS: &str = "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT";

/// A request for a program.
pub(super) struct Web<'r, B> {
    exchange: Exchange<'r>,
    entry: &'r UriMapEntry,
    /// None after it has been read.
    body: Option<B>,
    /// The pages that may see answers; none if the program says so itself.
    cors: Option<&'r Cors>,
}

impl<'r, B> Web<'r, B> {
    pub(super) fn new(arrival: Arrival<'r>, entry: &'r UriMapEntry, body: B) -> Self {
        let cors = arrival.gateway.apis[entry.api].guard.cors.as_ref();
        Self { exchange: Exchange::begin(arrival), entry, body: Some(body), cors }
    }

    /// Answers a browser's preflight, if there are rules for pages. Without them the program answers it.
    fn asked_before(&mut self) -> Result<(), Ending> {
        let parts = self.exchange.arrival().parts;
        if let (&Method::OPTIONS, Some(rules)) = (&parts.method, self.cors) {
            match rules.preflight(&parts.headers, METHODS) {
                Preflight::Allowed(headers) => {
                    self.cors = None;
                    return Err(Ending::answered(preflight(headers)));
                }
                Preflight::Refused(why) => return Err(Failure::with_details(Code::CorsRefused, why).into()),
                Preflight::Not => {}
            }
        }
        Ok(())
    }

    /// The request as the program gets it.
    fn request(&self, headers: &HeaderMap, body: &Bytes) -> WebRequest {
        let Arrival { peer, parts, .. } = self.exchange.arrival();
        let (host, port) = host_and_port(parts);
        // The program does not get credentials that the gateway has checked: ASSIGN USERID has the user.
        let is_known = self.exchange.identity().is_some();
        let shown = headers.iter().filter(|(name, _)| !is_known || **name != AUTHORIZATION);
        WebRequest {
            method: parts.method.as_str().to_owned(),
            version: format!("{:?}", parts.version),
            is_secure: peer.secure,
            host: host.to_owned(),
            port: port.unwrap_or(if peer.secure { 443 } else { 80 }),
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: shown
                .map(|(name, value)| WebHeader {
                    name: name.as_str().to_owned(),
                    value: value.as_bytes().to_vec(),
                })
                .collect(),
            body: body.to_vec(),
            uri_map: self.entry.name.clone(),
            client: peer.address.to_canonical().to_string(),
            charset: self.entry.charset.clone(),
        }
    }
}

impl<'r, B> Front for Web<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    type Place = OperationEntry<'r>;
    type Admitted = Admitted<'r>;
    type Input = Bytes;
    type Output = Response<Full<Bytes>>;
    type Stop = Ending;
    type Answer = Response<Full<Bytes>>;

    fn check_head(&mut self) -> Result<(), Ending> {
        Ok(check_head(self.exchange.arrival())?)
    }

    async fn route(&mut self) -> Result<OperationEntry<'r>, Ending> {
        let Arrival { gateway, parts, .. } = self.exchange.arrival();
        let entry = gateway.operation(self.entry.api, 0);
        self.exchange.leads_to(Destination::Operation(entry));
        if !METHODS.split(", ").any(|method| parts.method == method) {
            return Err(Ending::answered(wrong_method(&mut self.exchange, &mut self.cors, METHODS)));
        }
        self.asked_before()?;
        // Providers need the id.
        self.exchange.shown_id();
        Ok(entry)
    }

    async fn admit(&mut self, entry: &OperationEntry<'r>) -> Result<Admitted<'r>, Ending> {
        let Arrival { gateway, peer, parts } = self.exchange.arrival();
        check_page(&entry.api.guard, self.exchange.arrival())?;
        let admitted =
            gateway.security.admit(entry.guard, peer, &parts.headers).await.map_err(Ending::Refused)?;
        self.exchange.set_identity(admitted.identity.clone());
        Ok(admitted)
    }

    fn check_started(&mut self, entry: &OperationEntry<'r>) -> Result<(), Ending> {
        if entry.target.is_started() { Ok(()) } else { Err(Failure::new(Code::Stopped).into()) }
    }

    async fn read(&mut self, _: &OperationEntry<'r>) -> Result<Bytes, Ending> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let body = receive_any(self.exchange.arrival(), body, true).await?;
        self.exchange.has_read(body.len());
        Ok(body)
    }

    async fn intercept(&mut self, body: &Bytes) -> Result<(), Ending> {
        Ok(self.exchange.intercept(body).await?)
    }

    async fn call(
        &mut self,
        entry: OperationEntry<'r>,
        body: Bytes,
    ) -> Result<Response<Full<Bytes>>, Ending> {
        let changed = self.exchange.take_headers();
        let headers = changed.as_ref().unwrap_or(&self.exchange.arrival().parts.headers);
        let request = Payload::Web(Box::new(self.request(headers, &body)));
        let properties = entry.api.properties(headers);
        let properties: Vec<(&str, &str)> =
            properties.iter().map(|(name, value)| (*name, &**value)).collect();
        let seen = SeenHeaders(headers);
        let told = Told::new(&seen, &properties);
        let answered = self.exchange.call(self.entry.counted(), told, request).await;
        let answer = match answered.map_err(of_program)? {
            Payload::WebAnswer(answer) => *answer,
            _ => return Err(Failure::new(Code::NoWebAnswer).into()),
        };
        Ok(response(answer, self.exchange.arrival().parts.version)?)
    }

    fn succeed(&mut self, response: Response<Full<Bytes>>) -> Response<Full<Bytes>> {
        log_access(&mut self.exchange, response.status());
        response
    }

    fn fail(&mut self, ending: Ending) -> Response<Full<Bytes>> {
        ended(&mut self.exchange, ending)
    }
}

impl<'r, B> HttpFront<'r> for Web<'r, B>
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

/// The failure of a call. The program is the server here, not one behind a gateway, so its abend is 500 and its time-out
/// 504.
fn of_program(failure: Failure) -> Stop {
    let status = match failure.code {
        Code::ProgramAbended | Code::OutcomeUnknown => Some(StatusCode::INTERNAL_SERVER_ERROR),
        Code::ProviderTimeout => Some(StatusCode::GATEWAY_TIMEOUT),
        _ => None,
    };
    Stop { failure, status }
}

/// The program's answer. The worker that it comes from is not trusted.
fn response(answer: WebAnswer, version: Version) -> Result<Response<Full<Bytes>>, Failure> {
    let WebAnswer { status, reason, headers, body, closes } = answer;
    let bad = |code: Code, log: String| Failure { log: Some(log), ..Failure::new(code) };
    let known = StatusCode::from_u16(status).ok().filter(|_| (200..=599).contains(&status));
    let known = known.ok_or_else(|| bad(Code::BadStatus, format!("the program gave the status {status}")))?;
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = known;
    if !reason.is_empty() {
        let reason = ReasonPhrase::try_from(reason).map_err(|_| {
            bad(Code::BadStatus, "the program gave a status text that cannot be sent".to_owned())
        })?;
        response.extensions_mut().insert(reason);
    }
    for WebHeader { name, value } in headers {
        let header = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(&value));
        let (Ok(known), Ok(value)) = header else {
            return Err(bad(
                Code::ProviderFailed,
                format!("the program gave the header {name:?}, which cannot be sent"),
            ));
        };
        if !belongs_to_connection(known.as_str()) {
            response.headers_mut().append(known, value);
        }
    }
    if closes && version < Version::HTTP_2 {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Ok(response)
}
