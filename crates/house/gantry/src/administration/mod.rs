//! Administration: metrics, health, the configuration, the region and z/OS Connect's administration interface, apart from
//! the APIs.
//!
//! A request is found in the table of [`routes`], let in by the row's right, answered by the row's function, and recorded as
//! the row's act. [`paths`] has the URLs that others know, too.

mod asked;
#[cfg(test)]
mod callers;
mod configuration;
mod deploy;
mod documents;
mod health;
pub(crate) mod paths;
mod region;
mod routes;
#[cfg(test)]
mod walk;
mod zos_connect;

use std::fmt::Display;
use std::sync::Arc;

use api::Route;
use bytes::Bytes;
use failure::{Code, Failure};
use http::header::ALLOW;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Body;
use security::Identity;

use crate::gateway::Gateway;
use crate::handler::direct::Direct;
use crate::handler::{Arrival, check_head, describe, refuse, turn_away};
use crate::live::Live;
use admission::is_from_elsewhere;
use admission::{Admin, Peer, Refusal};
use asked::{Answer, Asked, Unread, host};
use recording::chains::Administration;
use routes::{Found, INDEX, Right, RouteSpec, Run, Section, Target};

/// Answers one request, and lets what it did be recorded. The gateway that serves when it comes decides about it from
/// beginning to end.
pub(crate) async fn answer<B>(live: &Arc<Live>, peer: &Peer, request: Request<B>) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    let (parts, body) = request.into_parts();
    let gateway = live.gateway();
    let found = routes::find(&parts.method, &parts.uri);
    let arrived = Arrived { live, gateway: &gateway, peer, parts: &parts };
    let mut noted = Noted::default();
    let response = respond(arrived, (&found, &mut noted), body).await;
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

/// A request that nobody has let in yet.
#[derive(Clone, Copy)]
struct Arrived<'a> {
    live: &'a Arc<Live>,
    gateway: &'a Arc<Gateway>,
    peer: &'a Peer,
    parts: &'a Parts,
}

/// What is learned of a request while it is answered.
#[derive(Debug, Default)]
struct Noted {
    /// Who asks, if that is known.
    identity: Option<Arc<Identity>>,
    /// What it is about, if only its body says that.
    name: Option<String>,
}

/// Answers one request; `noted` becomes what is learned of it.
async fn respond<B>(
    arrived: Arrived<'_>,
    (found, noted): (&Found, &mut Noted),
    body: B,
) -> Response<Full<Bytes>>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    let Arrived { live, gateway, peer, parts } = arrived;
    let line = (&parts.method, parts.uri.path());
    let arrival = Arrival { gateway, peer, parts };
    let checked = check_head(arrival).and_then(|()| check_page(gateway, peer, parts));
    if let Err(failure) = checked {
        return refuse(gateway, line, &Refusal::new(failure));
    }
    let in_full = match admit(&arrived, found).await {
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
            let (identity, names) = (identity.as_ref(), &*found.names);
            let asked = Asked { live, gateway, peer, parts, identity, in_full, names };
            match run(row, (asked, &mut noted.name), body).await {
                Ok(answer) => answer.response(),
                Err(failure) => refuse(gateway, line, &Refusal::new(failure)),
            }
        }
        Target::WrongMethod(allow) => found.section.wrong_method(allow),
        Target::Unknown if parts.method == Method::GET => {
            document(&arrived).await.unwrap_or_else(|| found.section.unknown().response())
        }
        Target::Unknown => found.section.unknown().response(),
    }
}

/// Who was let in, and what for.
#[derive(Debug, Default)]
struct Admitted {
    identity: Option<Arc<Identity>>,
    /// Whether health is told in full.
    in_full: bool,
}

/// Lets a caller in who has the right that it takes.
async fn admit(arrived: &Arrived<'_>, found: &Found) -> Result<Admitted, Refusal> {
    let Arrived { gateway, peer, parts, .. } = arrived;
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

/// Answers a request that was let in by its row; `subject` becomes what its body says that it is about.
async fn run<B>(
    row: &RouteSpec,
    (asked, subject): (Asked<'_>, &mut Option<String>),
    body: B,
) -> Result<Answer, Failure>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Display,
{
    Ok(match &row.run {
        Run::Now(answer) => answer(&asked),
        Run::Shown(view) => region::shown(&asked, *view),
        Run::Later(answer) => answer(asked).await,
        Run::WithBody(small) => {
            let body = Unread::new(asked.gateway, body).all(small.max_bytes).await?;
            *subject = (small.subject)(&body);
            (small.run)(&asked, &body)
        }
        Run::Package(answer) => answer(asked, &mut Unread::new(asked.gateway, body)).await,
        Run::Direct => {
            let Asked { gateway, peer, parts, identity, .. } = asked;
            match gateway.services.get(asked.name()) {
                Some(entry) => {
                    let (status, body) = Direct { gateway, peer, identity, parts, entry }.invoke(body).await;
                    Answer::json(status, body)
                }
                None => zos_connect::unknown(asked.name()),
            }
        }
    })
}

/// The document of an API: clients take the address that they know, and the path of a document.
async fn document(arrived: &Arrived<'_>) -> Option<Response<Full<Bytes>>> {
    let Arrived { gateway, peer, parts, .. } = arrived;
    let path = parts.uri.path();
    let Route::Document { api, document } = gateway.router.route(&parts.method, path) else { return None };
    Some(match gateway.security.admit_reader(&gateway.apis[api].guard, peer, &parts.headers).await {
        Ok(_) => describe(document),
        Err(refusal) => refuse(gateway, (&parts.method, path), &refusal),
    })
}

impl Section {
    /// The answer where nothing is.
    fn unknown(self) -> Answer {
        match self {
            Section::Region => region::not_found("the region has no such URL"),
            Section::ZosConnect => {
                let message = "the administration interface has no such URL";
                zos_connect::error(StatusCode::NOT_FOUND, message)
            }
            Section::Own => Answer::text(StatusCode::NOT_FOUND, format!("not found; there are:\n{}", *INDEX)),
        }
    }

    /// The answer where something is, but not with this method.
    fn wrong_method(self, allow: &str) -> Response<Full<Bytes>> {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let answer = match self {
            Section::ZosConnect => zos_connect::error(status, "the method is not for this URL"),
            Section::Region | Section::Own => {
                Answer::text(status, format!("{} only\n", allow.replace(", ", " and ")))
            }
        };
        let mut response = answer.response();
        if let Ok(allow) = HeaderValue::from_str(allow) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }
}

/// Answers `/`.
fn index(_: &Asked<'_>) -> Answer {
    Answer::text(StatusCode::OK, INDEX.as_str())
}

/// Refuses what a web page of somebody else makes the operator's browser send. Browsers name the page's origin with all
/// that changes something; and where nobody needs to be known, a page could reach this machine under a name of its own
/// (DNS rebinding), so that there the host must be an address, or a name that is not public.
fn check_page(gateway: &Gateway, peer: &Peer, parts: &Parts) -> Result<(), Failure> {
    let refused = |reason: &str| Err(Failure::with_details(Code::CorsRefused, reason));
    let host = host(&parts.uri, &parts.headers);
    if is_from_elsewhere(peer.secure, parts) {
        return refused("the page is of another origin");
    }
    let public = |host: &Authority| {
        let name = host.host().trim_matches(['[', ']']).trim_end_matches('.');
        name.parse::<std::net::IpAddr>().is_err() && name.contains('.') && !name.ends_with(".localhost")
    };
    if gateway.security.knows_nobody() && peer.address.is_loopback() && host.as_ref().is_some_and(public) {
        return refused("without authentication the host is this machine, by its address or as localhost");
    }
    Ok(())
}
