//! The region on the admin address: its state now, what programs have told the operators, and what operators do to it.

mod dumps;
mod links;
mod queues;
mod trace;
mod view;

use std::sync::Arc;

use http::{Method, StatusCode, Uri};
use region::{Decision, Region, hex, readable as text};
use security::Action;
use serde_json::{Value, json};

use super::zos_connect::decoded;
use super::{Act, JSON, Plain, TEXT};
use crate::gateway::Gateway;
use crate::live::Live;
use crate::security::Admin;

/// The path under which all of it lies, and which is the region as a whole.
pub(super) const ROOT: &str = "/region";

/// The most bytes of a body that is read.
const BODY_MAX_BYTES: usize = 4_096;

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];
const GET_AND_POST: &[Method] = &[Method::GET, Method::POST];

/// True if a path lies here.
pub(super) fn is_here(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a request below [`ROOT`] wants. What programs work with, customers' data among it, is not for whoever may look.
pub(super) fn wanted(method: &Method, uri: &Uri) -> Admin {
    let looks = method == Method::GET && !Place::of(uri).is_some_and(Place::shows_data);
    Admin::Action(if looks { Action::Read } else { Action::Operate })
}

/// Something of a region that has a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place<'u> {
    Summary,
    Messages,
    Programs,
    Tasks,
    Workers,
    Queues,
    Queue(&'u str),
    Links,
    Units,
    Trace,
    TraceOff,
    Dumps,
    Dump(&'u str),
    Purge(&'u str),
    End(&'u str, Decision),
}

impl<'u> Place<'u> {
    fn of(uri: &'u Uri) -> Option<Self> {
        let path = uri.path().strip_prefix(ROOT)?;
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        Some(match segments.as_slice() {
            [] => Place::Summary,
            ["messages"] => Place::Messages,
            ["programs"] => Place::Programs,
            ["tasks"] => Place::Tasks,
            ["workers"] => Place::Workers,
            ["queues"] => Place::Queues,
            ["queues", name] => Place::Queue(name),
            ["links"] => Place::Links,
            ["units"] => Place::Units,
            ["trace"] => Place::Trace,
            ["trace", "off"] => Place::TraceOff,
            ["dumps"] => Place::Dumps,
            ["dumps", id] => Place::Dump(id),
            ["tasks", number, "purge"] => Place::Purge(number),
            ["units", id, "commit"] => Place::End(id, Decision::Commit),
            ["units", id, "backout"] => Place::End(id, Decision::Abort),
            _ => return None,
        })
    }

    /// True if it shows what programs work with.
    fn shows_data(self) -> bool {
        matches!(self, Place::Queue(_) | Place::Trace | Place::Dump(_))
    }

    /// The methods that it has.
    fn methods(self) -> &'static [Method] {
        match self {
            Place::Purge(_) | Place::End(..) | Place::TraceOff => POST,
            Place::Trace => GET_AND_POST,
            _ => GET,
        }
    }

    /// The act of administration that it is; none if it only looks.
    fn act(self) -> Option<Act> {
        let act = |action, kind, name: &str| Some(Act { action, kind, name: Some(decoded(name)) });
        match self {
            Place::Purge(number) => act("purge", "task", number),
            Place::End(id, Decision::Commit) => act("commit", "unit", id),
            Place::End(id, Decision::Abort) => act("backout", "unit", id),
            Place::Trace => Some(Act { action: "trace", kind: "region", name: None }),
            Place::TraceOff => Some(Act { action: "trace off", kind: "region", name: None }),
            _ => None,
        }
    }
}

/// The act of administration that a request is for; none if it only looks.
pub(super) fn act(method: &Method, uri: &Uri) -> Option<Act> {
    let place = Place::of(uri).filter(|place| *method == Method::POST && place.methods().contains(method));
    place?.act()
}

/// How many bytes the body of a request may have that is read; none if it is not.
pub(super) fn body_max_bytes(method: &Method, uri: &Uri) -> Option<usize> {
    (*method == Method::POST && Place::of(uri) == Some(Place::Trace)).then_some(BODY_MAX_BYTES)
}

/// What a request is about that has a body, for the record of the act.
pub(super) fn subject(body: &[u8]) -> Option<String> {
    trace::subject(body)
}

/// A request below [`ROOT`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) method: &'a Method,
    pub(super) uri: &'a Uri,
    pub(super) body: &'a [u8],
}

/// Answers a request below [`ROOT`].
pub(super) async fn answer(live: &Live, gateway: &Gateway, asked: Asked<'_>) -> Plain {
    let Some(place) = Place::of(asked.uri) else { return not_found("the region has no such URL") };
    if !place.methods().contains(asked.method) {
        let methods: Vec<&str> = place.methods().iter().map(Method::as_str).collect();
        return (StatusCode::METHOD_NOT_ALLOWED, TEXT, format!("{} only\n", methods.join(" and ")));
    }
    match (&gateway.region, place) {
        (Some(region), place) => of_region((region, live), place, asked).await,
        (None, Place::Messages) => answered(&json!({ "messages": [] })),
        (None, _) => not_found("there is no region"),
    }
}

async fn of_region((region, live): (&Arc<Region>, &Live), place: Place<'_>, asked: Asked<'_>) -> Plain {
    match place {
        Place::Summary => answered(&view::summary(region)),
        Place::Messages => answered(&view::messages(region)),
        Place::Programs => answered(&view::programs(region, &live.state().faulty_files)),
        Place::Tasks => answered(&view::tasks(region)),
        Place::Workers => answered(&view::workers(region)),
        Place::Queues => queues::all(region).await,
        Place::Queue(name) => queues::item(region, &decoded(name), asked.uri.query()).await,
        Place::Links => answered(&links::links(region)),
        Place::Units => answered(&links::units(region)),
        Place::Trace if asked.method == Method::POST => trace::begin(region, asked.body),
        Place::Trace => answered(&trace::shown(region)),
        Place::TraceOff => trace::end(region),
        Place::Dumps => dumps::all(region).await,
        Place::Dump(id) => dumps::one(region, decoded(id)).await,
        Place::Purge(number) => purge(region, number),
        Place::End(id, decision) => links::end(region, &decoded(id), decision).await,
    }
}

fn answered(value: &Value) -> Plain {
    (StatusCode::OK, JSON, format!("{value}\n"))
}

fn refused(status: StatusCode, reason: &str) -> Plain {
    (status, TEXT, format!("{reason}\n"))
}

fn not_found(reason: &str) -> Plain {
    refused(StatusCode::NOT_FOUND, reason)
}

fn purge(region: &Region, number: &str) -> Plain {
    match number.parse::<u32>() {
        Ok(task) => {
            // Seen before: it may be gone when it has been told.
            let seen = region.view().tasks.into_iter().find(|seen| seen.number == task);
            match region.purge(task) {
                true => answered(&json!({
                    "task": task,
                    "purged": true,
                    "transaction": seen.as_ref().map(|seen| name(&seen.transaction)),
                    "program": seen.as_ref().map(|seen| name(&seen.program)),
                    "user": seen.as_ref().map(|seen| name(&seen.user)),
                })),
                false => not_found(&format!("no task {number} runs")),
            }
        }
        Err(_) => not_found(&format!("no task {number} runs")),
    }
}

/// A name that programs fill with blanks.
fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_something_is_an_act() {
        let uri = |path: &str| path.parse::<Uri>().expect("a path");
        for (path, expected) in [
            ("/region/tasks/7/purge", ("purge", "task", "7")),
            ("/region/units/A%2FB/commit", ("commit", "unit", "A/B")),
            ("/region/units/01/backout", ("backout", "unit", "01")),
        ] {
            let found = act(&Method::POST, &uri(path)).expect("an act");
            assert_eq!(
                (found.action, found.kind, found.name.as_deref()),
                (expected.0, expected.1, Some(expected.2))
            );
            assert!(act(&Method::GET, &uri(path)).is_none());
        }
        assert!(act(&Method::POST, &uri("/region/tasks")).is_none());
        for (method, path, action) in [
            (Method::POST, "/region/tasks/1/purge", Action::Operate),
            (Method::GET, "/region/queues", Action::Read),
            (Method::GET, "/region/dumps", Action::Read),
            (Method::GET, "/region/no/such/place", Action::Read),
            (Method::GET, "/region/queues/Q", Action::Operate),
            (Method::GET, "/region/dumps/1", Action::Operate),
            (Method::GET, "/region/trace", Action::Operate),
        ] {
            let uri = Uri::from_static(path);
            assert_eq!(wanted(&method, &uri), Admin::Action(action), "{method} {path}");
        }
        assert!(is_here("/region") && is_here("/region/x") && !is_here("/regions"));
    }
}
