//! Direct calls of services at the admin address: the JSON of a service's whole interface, through the interceptors that
//! are for everything. They see and record it as a request that no API stands in front of.

use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use conversion::StatedStatus;
use failure::{Code, Failure, JSON};
use http::header::{CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use security::Identity;

use crate::gateway::{Gateway, ServiceEntry};
use crate::handler::{Sending, call, id_of, receive_json, times};
use crate::intercept::{Asked, Called, Passage, Seen, Stop};
use crate::security::Peer;
use crate::sight::{SeenHeaders, view};

/// The status and JSON of an answer, as the conversion wrote it: no digit and no order is changed on the way.
pub(crate) type Answer = (StatusCode, Bytes);

/// A direct call.
pub(crate) struct Direct<'d> {
    pub(crate) gateway: &'d Gateway,
    pub(crate) peer: &'d Peer,
    pub(crate) identity: Option<&'d Arc<Identity>>,
    pub(crate) parts: &'d Parts,
    pub(crate) entry: &'d ServiceEntry,
}

/// What is known of a call while it runs.
#[derive(Default)]
struct Course {
    passage: Passage,
    request_bytes: usize,
    call_times: Option<(Instant, Instant)>,
}

impl Direct<'_> {
    /// Calls the service, and lets the call be recorded.
    pub(crate) async fn invoke<B>(&self, body: B) -> Answer
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        let (begun, id) = (Instant::now(), id_of(&self.parts.headers));
        let shown_id = id.to_str().unwrap_or_default();
        let mut course = Course::default();
        let result = self.run(shown_id, &mut course, body).await;
        let (failure, (status, body)) = match result {
            Ok(answer) => (None, answer),
            Err(Stop { failure, status }) => {
                self.log(shown_id, &failure);
                let status = status.unwrap_or_else(|| failure.code.status());
                (Some(failure.code), (status, Bytes::from(failure.body())))
            }
        };
        let Some(chain) = self.gateway.early() else { return (status, body) };
        let seen = Seen {
            id: shown_id,
            trace: None,
            peer: self.peer,
            parts: self.parts,
            identity: self.identity.map(|identity| &**identity),
            call: Some(self.called()),
            failure,
            status,
            request_bytes: course.request_bytes,
            response_bytes: body.len(),
            times: times(Some(begun), course.call_times),
        };
        let mut response = Response::new(Full::new(body.clone()));
        *response.status_mut() = status;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        chain.after(course.passage, &seen, &response).await;
        (status, body)
    }

    async fn run<B>(&self, id: &str, course: &mut Course, body: B) -> Result<Answer, Stop>
    where
        B: Body<Data = Bytes>,
        B::Error: Display,
    {
        let Self { gateway, parts, entry, .. } = self;
        if !entry.switch.is_started() {
            return Err(Failure::new(Code::Stopped).into());
        }
        let body = receive_json(gateway, parts, body).await?;
        course.request_bytes = body.len();
        let identity = self.identity.map(|identity| &**identity);
        if let Some(chain) = gateway.early() {
            let asked = Asked { id, parts, identity, call: Some(self.called()) };
            chain.before(&asked, (&mut course.passage, &body)).await?;
        }
        let changed = course.passage.take_headers();
        let headers = SeenHeaders(changed.as_ref().unwrap_or(&parts.headers));
        let running = &entry.running;
        let context = service::CallContext {
            caller: identity.map(|known| service::Caller { user: &known.name, groups: &known.groups }),
            request: Some(view(self.peer.secure, (&parts.method, &parts.uri), &headers)),
            request_id: Some(id),
            ..service::CallContext::default()
        };
        let request = running.conversion.request(&body)?;
        let sending = Sending { request, timed: gateway.watch.times };
        let sent = call((&*running.service, &entry.metrics), context, sending).await;
        course.call_times = sent.times();
        let (payload, stated) = sent.result?.apart();
        let stated = stated.map(|line| StatedStatus::parse(&line)).transpose()?;
        let status = stated.map_or(StatusCode::OK, |stated| stated.status);
        let mut answer = Vec::new();
        running.conversion.response(&payload, &mut answer)?;
        Ok((status, Bytes::from(answer)))
    }

    /// Failures of the service are for operators, as those of APIs are; what is wrong with a request is not.
    fn log(&self, id: &str, failure: &Failure) {
        let (service, status) = (&self.entry.running.service, failure.code.status().as_u16());
        let program = service.provider.system_of_record().resource.unwrap_or_default();
        let (code, details) = (failure.code.as_str(), failure.details.as_deref().unwrap_or_default());
        let cause = failure.log.as_deref().unwrap_or_default();
        let service = &*service.name;
        if status >= 500 {
            tracing::warn!(id, ?service, program, status, code, ?details, ?cause, "direct call failed");
        } else {
            tracing::debug!(id, ?service, program, status, code, ?details, ?cause, "direct call refused");
        }
    }

    fn called(&self) -> Called<'_> {
        let service = &self.entry.running.service;
        Called {
            api: None,
            services: &service.name,
            provider: Some(service.provider.kind()),
            system: service.provider.system_of_record(),
        }
    }
}
