//! Requests for administration: admits callers and records acts. The crate `administration` has the
//! table of routes and the answers.

#[cfg(test)]
mod callers;
mod deploy;
mod served;
#[cfg(test)]
mod walk;

use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use administration::{
    Answer, Asked, Found, Incoming, Process, Right, RouteSpec, Run, Target, find, host, unknown,
};
use api::Route;
use bytes::Bytes;
use failure::{Code, Failure};
use http::header::ALLOW;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Body;
use percent::bare_host;
use security::Identity;

use crate::live::Live;
use admission::is_from_elsewhere;
use admission::{Admin, Peer, Refusal};
use gateway::Gateway;
use gateway::{Arrival, check_head, collect, describe, refuse, turn_away};
use gateway::{Direct, Form};
use recording::chains::Administration;
use served::{Running, Serving};

/// Answers one request, and records its act. The gateway that serves when the request comes decides
/// everything about it.
pub(crate) async fn answer<B>(live: &Arc<Live>, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    let gateway = live.gateway();
    let found = find(&parts.method, &parts.uri);
    let arrived = Arrived { live, gateway: &gateway, peer, parts: &parts, found: &found };
    let mut noted = Noted::default();
    let response = respond(arrived, &mut noted, body).await;
    if let Target::Row(RouteSpec { act: Some(act), .. }) = &found.target {
        let name = found.names.first().or(noted.name.as_ref());
        live.record(
            &gateway,
            &Administration {
                user: noted.identity.as_deref().map(|identity| &*identity.name),
                address: Some(peer.address),
                action: act.action.word(parts.uri.query().unwrap_or_default()),
                kind: act.kind,
                name: name.map(String::as_str),
                status: Some(response.status()),
                succeeded: response.status().is_success(),
            },
        );
    }
    response
}

/// A request before admission.
#[derive(Clone, Copy)]
struct Arrived<'a> {
    live: &'a Arc<Live>,
    gateway: &'a Arc<Gateway>,
    peer: &'a Peer,
    parts: &'a Parts,
    /// The route of its method and path.
    found: &'a Found,
}

/// Facts that become known while a request is answered.
#[derive(Debug, Default)]
struct Noted {
    /// The caller, if known.
    identity: Option<Arc<Identity>>,
    /// The subject of the request, if only its body names it.
    name: Option<String>,
}

/// Answers one request. `noted` gets the facts about it.
async fn respond<B>(arrived: Arrived<'_>, noted: &mut Noted, body: B) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    let Arrived { gateway, peer, parts, found, .. } = arrived;
    let line = (&parts.method, parts.uri.path());
    let arrival = Arrival { gateway, peer, parts };
    let checked = check_head(arrival).and_then(|()| check_page(gateway, peer, parts));
    if let Err(failure) = checked {
        return refuse(gateway, line, &Refusal::new(failure));
    }
    let in_full = match admit(&arrived).await {
        Ok(Admitted { identity, in_full }) => {
            noted.identity = identity;
            in_full
        }
        Err(refusal) => {
            noted.identity.clone_from(&refusal.identity);
            if found.right == Right::Invoke {
                return turn_away(arrival, refusal).await;
            }
            return refuse(gateway, line, &refusal);
        }
    };
    match &found.target {
        Target::Row(row) => {
            let identity = noted.identity.clone();
            let let_in = LetIn { arrived, identity, in_full, subject: &mut noted.name };
            match run(row, let_in, body).await {
                Ok(answer) => answer.response(),
                Err(failure) => refuse(gateway, line, &Refusal::new(failure)),
            }
        }
        Target::WrongMethod(allow) => {
            let mut response: Response<Full<Bytes>> = found.section.wrong_method(allow).response();
            if let Ok(allow) = HeaderValue::from_str(allow) {
                response.headers_mut().insert(ALLOW, allow);
            }
            response
        }
        Target::Unknown if parts.method == Method::GET => {
            document(&arrived).await.unwrap_or_else(|| found.section.unknown().response())
        }
        Target::Unknown => found.section.unknown().response(),
    }
}

/// An admitted request.
struct LetIn<'a> {
    arrived: Arrived<'a>,
    identity: Option<Arc<Identity>>,
    /// True if the caller gets full health reports.
    in_full: bool,
    /// Gets the subject that the body names.
    subject: &'a mut Option<String>,
}

/// The result of an admission.
#[derive(Debug, Default)]
struct Admitted {
    identity: Option<Arc<Identity>>,
    /// True if the caller gets full health reports.
    in_full: bool,
}

/// Admits a caller that has the needed right.
async fn admit(arrived: &Arrived<'_>) -> Result<Admitted, Refusal> {
    let Arrived { gateway, peer, parts, found, .. } = arrived;
    let name = || found.names.first().cloned().unwrap_or_default();
    let wanted = match found.right {
        Right::Open => return Ok(Admitted::default()),
        Right::Health => {
            let in_full = gateway.security.admit_to_health(&name(), peer, &parts.headers).await?;
            return Ok(Admitted { identity: None, in_full });
        }
        Right::Metrics => Admin::Metrics,
        Right::Whole(action) => Admin::Action(action),
        Right::List(kind, action) => Admin::List(kind, action),
        Right::Object(kind, action) => Admin::Object(kind, name(), action),
        Right::Invoke => Admin::Invoke(name()),
    };
    let identity = gateway.security.admit_administrator(&wanted, peer, &parts.headers).await?;
    Ok(Admitted { identity, in_full: true })
}

/// Answers an admitted request by its row.
async fn run<B>(row: &RouteSpec, let_in: LetIn<'_>, body: B) -> Result<Answer, Failure>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    let LetIn { arrived: Arrived { live, gateway, peer, parts, found }, identity, in_full, subject } = let_in;
    let names = found.names.as_slice();
    match row.run {
        Run::Here(function) => {
            let process: Arc<dyn Process> = Arc::new(Running(Arc::clone(live)));
            let asked = Asked {
                process: &process,
                gateway: &Serving(Arc::clone(gateway)),
                parts,
                secure: peer.secure,
                identity: identity.as_deref(),
                in_full,
                names,
            };
            let time = Duration::from_millis(gateway.limits.body_read_timeout_ms);
            function.answer(asked, &mut Unread { body: Some(body), time }, subject).await
        }
        Run::Direct => {
            let name = names.first().map_or("", String::as_str);
            let Some(entry) = gateway.services.get(name) else { return Ok(unknown(name)) };
            let (identity, form) = (identity.as_ref(), Form::Request);
            let called = Direct { gateway, peer, identity, parts, entry, form }.invoke(body).await;
            Ok(Answer::json(called.status, called.body))
        }
    }
}

/// A body before it is received.
struct Unread<B> {
    body: Option<B>,
    time: Duration,
}

impl<B> Incoming for Unread<B>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    fn receive(
        &mut self,
        max_bytes: usize,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, Failure>> + Send + '_>> {
        Box::pin(async move {
            let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
            let read = tokio::time::timeout(self.time, collect(body, max_bytes)).await;
            read.unwrap_or_else(|_| Err(Failure::new(Code::BodyTimeout)))
        })
    }
}

/// A document of an API. Clients combine the admin address that they know with the path of a
/// document.
async fn document(arrived: &Arrived<'_>) -> Option<Response<Full<Bytes>>> {
    let Arrived { gateway, peer, parts, .. } = arrived;
    let path = parts.uri.path();
    let Route::Document { api, document } = gateway.router.route(&parts.method, path) else { return None };
    Some(match gateway.security.admit_reader(&gateway.apis[api].guard, peer, &parts.headers).await {
        Ok(_) => describe(document),
        Err(refusal) => refuse(gateway, (&parts.method, path), &refusal),
    })
}

/// Refuses requests that a web page of another site sends through the operator's browser. Browsers
/// name the page's origin in every changing request. If there is no way to authenticate, a page
/// could also reach this machine under its own name (DNS rebinding). Then the host must be an
/// address, or a name that is not public.
fn check_page(gateway: &Gateway, peer: &Peer, parts: &Parts) -> Result<(), Failure> {
    let refused = |reason: &str| Err(Failure::with_details(Code::CorsRefused, reason));
    let host = host(&parts.uri, &parts.headers);
    if is_from_elsewhere(peer.secure, parts) {
        return refused("the page is of another origin");
    }
    let public = |host: &Authority| {
        let name = bare_host(host.host()).trim_end_matches('.');
        name.parse::<std::net::IpAddr>().is_err() && name.contains('.') && !name.ends_with(".localhost")
    };
    if gateway.security.knows_nobody() && peer.address.is_loopback() && host.as_ref().is_some_and(public) {
        return refused("without authentication the host is this machine, by its address or as localhost");
    }
    Ok(())
}
