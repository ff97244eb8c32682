//! REST: the front for operations of APIs, and for their documents.

use std::fmt::Display;

use api::{Answer, Inputs, MappedOperation, Operation, Route};
use bytes::Bytes;
use conversion::{StatedStatus, has_no_body};
use failure::{Code, Failure};
use http::{Method, Response};
use http_body_util::Full;
use hyper::body::Body;
use routing::PathValues;
use security::Cors;
use service::Payload;

use super::answer::{describe, ended, log_access, options_of_server, success, wrong_method};
use super::exchange::{Arrival, Destination, Exchange, Told};
use super::flow::drive;
use super::front::{Ending, Front, HttpFront};
use super::receive::{check_head, check_page, receive};
use crate::gateway::{OperationEntry, Target};
use crate::sight::SeenHeaders;
use admission::Admitted;
use recording::chains::Stop;

/// A request for an API.
pub(super) struct Rest<'r, B> {
    exchange: Exchange<'r>,
    /// None after it has been read.
    body: Option<B>,
    /// The pages that may see answers of the path's API.
    cors: Option<&'r Cors>,
}

/// The operation of a path.
pub(super) struct Place<'r> {
    entry: OperationEntry<'r>,
    /// The values of the path parameters.
    path: PathValues<'r>,
}

/// The inputs of a mapping: the target, and the request with its properties.
pub(super) struct Mapping<'m> {
    pub(super) target: &'m Target,
    pub(super) request: Inputs<'m>,
    pub(super) told: Told<'m>,
}

impl<'r, B> Rest<'r, B> {
    pub(super) fn new(arrival: Arrival<'r>, body: B) -> Self {
        Self { exchange: Exchange::begin(arrival), body: Some(body), cors: None }
    }

    /// Why the request has failed; none after a success.
    pub(super) fn code(&self) -> Option<Code> {
        self.exchange.code()
    }
}

impl<'r, B> Front for Rest<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    type Place = Place<'r>;
    type Admitted = Admitted<'r>;
    type Input = Bytes;
    type Output = Answer;
    type Stop = Ending;
    type Answer = Response<Full<Bytes>>;

    fn check_head(&mut self) -> Result<(), Ending> {
        Ok(check_head(self.exchange.arrival)?)
    }

    async fn route(&mut self) -> Result<Place<'r>, Ending> {
        let Arrival { gateway, peer, parts } = self.exchange.arrival;
        match gateway.router.route(&parts.method, parts.uri.path()) {
            Route::Operation { api, index, path, .. } => {
                let entry = gateway.operation(api, index);
                self.exchange.leads_to(Destination::Operation(entry));
                self.cors = entry.api.guard.cors.as_ref();
                Ok(Place { entry, path })
            }
            Route::Document { api, document } => {
                let guard = &gateway.apis[api].guard;
                self.cors = guard.cors.as_ref();
                let admitted = gateway.security.admit_reader(guard, peer, &parts.headers).await;
                admitted.map_err(Ending::Refused)?;
                Err(Ending::answered(describe(document)))
            }
            Route::WrongMethod { api, allow } => {
                self.cors = gateway.apis[api].guard.cors.as_ref();
                Err(Ending::answered(wrong_method(&mut self.exchange, &mut self.cors, allow)))
            }
            Route::Unknown if parts.method == Method::OPTIONS && parts.uri.path() == "*" => {
                Err(Ending::answered(options_of_server()))
            }
            Route::Unknown => Err(Failure::new(Code::UnknownPath).into()),
        }
    }

    async fn admit(&mut self, place: &Place<'r>) -> Result<Admitted<'r>, Ending> {
        let Arrival { gateway, peer, parts } = self.exchange.arrival;
        let OperationEntry { api, guard, .. } = place.entry;
        // The API has no status for this refusal, so use that of the code.
        check_page(&api.guard, self.exchange.arrival)
            .map_err(|failure| Stop { status: Some(failure.code.status()), failure })?;
        let admitted = gateway.security.admit(guard, peer, &parts.headers).await.map_err(Ending::Refused)?;
        self.exchange.identity.clone_from(&admitted.identity);
        Ok(admitted)
    }

    fn check_started(&mut self, place: &Place<'r>) -> Result<(), Ending> {
        if place.entry.target.is_started() { Ok(()) } else { Err(Failure::new(Code::Stopped).into()) }
    }

    async fn read(&mut self, place: &Place<'r>) -> Result<Bytes, Ending> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let body = receive(self.exchange.arrival, place.entry.operation, body).await?;
        self.exchange.has_read(body.len());
        Ok(body)
    }

    async fn intercept(&mut self, body: &Bytes) -> Result<(), Ending> {
        Ok(self.exchange.intercept(body).await?)
    }

    /// Request mapping, call, response mapping.
    async fn call(&mut self, place: Place<'r>, body: Bytes) -> Result<Answer, Ending> {
        let exchange = &mut self.exchange;
        let Place { entry: OperationEntry { api, operation, target, .. }, path } = &place;
        let parts = exchange.arrival.parts;
        let changed = exchange.take_headers();
        let headers = changed.as_ref().unwrap_or(&parts.headers);
        let properties = api.properties(headers);
        let properties: Vec<(&str, &str)> =
            properties.iter().map(|(name, value)| (*name, &**value)).collect();
        if !properties.is_empty() {
            // Shown escaped, like all outside texts.
            tracing::debug!(id = exchange.id_if_made(), ?properties, "properties set by the policy");
        }
        let request = Inputs { path, query: parts.uri.query(), headers, body: &body };
        let seen = SeenHeaders(headers);
        let told = Told::new(&seen, &properties);
        let mapping = Mapping { target, request, told };
        let answer = match operation {
            Operation::Mapped(mapped) => map(exchange, mapped, &mapping).await,
            Operation::Flow(flow) => drive(exchange, flow, &mapping).await,
            // This operation has its own front, which came first.
            Operation::Elsewhere(_) => Err(Failure::new(Code::UnknownPath)),
        };
        Ok(answer?)
    }

    fn succeed(&mut self, answer: Answer) -> Response<Full<Bytes>> {
        log_access(&mut self.exchange, answer.status);
        success(answer)
    }

    fn fail(&mut self, ending: Ending) -> Response<Full<Bytes>> {
        ended(&mut self.exchange, ending)
    }
}

impl<'r, B> HttpFront<'r> for Rest<'r, B>
where
    B: Body<Data = Bytes>,
    B::Error: Display,
{
    fn exchange(&mut self) -> &mut Exchange<'r> {
        &mut self.exchange
    }

    fn complete(&mut self, response: &mut Response<Full<Bytes>>) {
        if let Some(cors) = self.cors {
            cors.answer(&self.exchange.arrival.parts.headers, response.headers_mut());
        }
        self.exchange.return_id(response);
    }
}

/// Request mapping, call, response mapping.
async fn map(
    exchange: &mut Exchange<'_>,
    mapped: &MappedOperation,
    mapping: &Mapping<'_>,
) -> Result<Answer, Failure> {
    let [callee] = &*mapping.target.callees else { return Err(Failure::new(Code::Internal)) };
    let record = exchange.request_mapping(|| mapped.request(&mapping.request))?;
    let answered = exchange.call(callee.counted(), mapping.told, Payload::Record(record)).await?;
    let (Payload::Record(record), stated) = answered.apart() else {
        return Err(Failure::new(Code::BadRecord));
    };
    let stated = stated.map(|line| StatedStatus::parse(&line)).transpose()?;
    let stated = match stated {
        // There is no result to map.
        Some(stated) if record.is_empty() && has_no_body(stated.status) => return Ok(Answer::empty(stated)),
        stated => stated,
    };
    let mut answer = exchange.response_mapping(|| mapped.response(&record))?;
    if let Some(stated) = stated {
        answer.state(stated);
    }
    Ok(answer)
}
