//! The region on the admin address: what it has and does now, what programs have told the operators, and what operators do to it.

mod links;
mod queues;
mod view;

use std::sync::Arc;

use codepage::{Encoding, Unmappable};
use http::{Method, StatusCode, Uri};
use region::{Decision, Region};
use security::Action;
use serde_json::{Value, json};

use super::admin::{Act, JSON, Plain, TEXT};
use super::zos_connect::decoded;
use crate::gateway::Gateway;
use crate::security::Admin;

/// The path under which all of it lies, and which is the region as a whole.
pub(super) const ROOT: &str = "/region";

/// True if a path lies here.
pub(super) fn is_here(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What a request below [`ROOT`] wants.
pub(super) fn wanted(method: &Method) -> Admin {
    Admin::Action(if method == Method::GET { Action::Read } else { Action::Operate })
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
            ["tasks", number, "purge"] => Place::Purge(number),
            ["units", id, "commit"] => Place::End(id, Decision::Commit),
            ["units", id, "backout"] => Place::End(id, Decision::Abort),
            _ => return None,
        })
    }

    /// The method that it has; none has two.
    fn method(self) -> Method {
        match self {
            Place::Purge(_) | Place::End(..) => Method::POST,
            _ => Method::GET,
        }
    }

    /// The act of administration that it is; none if it only looks.
    fn act(self) -> Option<Act> {
        let act = |action, kind, name: &str| Some(Act { action, kind, name: Some(decoded(name)) });
        match self {
            Place::Purge(number) => act("purge", "task", number),
            Place::End(id, Decision::Commit) => act("commit", "unit", id),
            Place::End(id, Decision::Abort) => act("backout", "unit", id),
            _ => None,
        }
    }
}

/// The act of administration that a request is for; none if it only looks.
pub(super) fn act(method: &Method, uri: &Uri) -> Option<Act> {
    Place::of(uri).filter(|place| place.method() == *method)?.act()
}

/// Answers a request below [`ROOT`].
pub(super) async fn answer(gateway: &Gateway, method: &Method, uri: &Uri) -> Plain {
    let Some(place) = Place::of(uri) else { return not_found("the region has no such URL") };
    let expected = place.method();
    if *method != expected {
        return (StatusCode::METHOD_NOT_ALLOWED, TEXT, format!("{expected} only\n"));
    }
    match (&gateway.region, place) {
        (Some(region), place) => of_region(region, place, uri.query()).await,
        (None, Place::Messages) => answered(&json!({ "messages": [] })),
        (None, _) => not_found("there is no region"),
    }
}

async fn of_region(region: &Arc<Region>, place: Place<'_>, query: Option<&str>) -> Plain {
    match place {
        Place::Summary => answered(&view::summary(region)),
        Place::Messages => answered(&view::messages(region)),
        Place::Programs => answered(&view::programs(region)),
        Place::Tasks => answered(&view::tasks(region)),
        Place::Workers => answered(&view::workers(region)),
        Place::Queues => queues::all(region).await,
        Place::Queue(name) => queues::item(region, &decoded(name), query).await,
        Place::Links => answered(&links::links(region)),
        Place::Units => answered(&links::units(region)),
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
        Ok(task) if region.purge(task) => answered(&json!({ "task": task, "purged": true })),
        _ => not_found(&format!("no task {number} runs")),
    }
}

/// A name that programs fill with blanks.
fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Bytes as text for people: what is no character, or a control character, becomes a full stop.
fn text(bytes: &[u8], ccsid: u16) -> String {
    let mut text = String::new();
    let decoded = Encoding::by_ccsid(ccsid)
        .is_some_and(|encoding| encoding.decode(bytes, Unmappable::Substitute, &mut text).is_ok());
    if !decoded {
        text = String::from_utf8_lossy(bytes).into_owned();
    }
    let shown = |letter: char| letter.is_control() || letter == char::REPLACEMENT_CHARACTER;
    text.chars().map(|letter| if shown(letter) { '.' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_both_code_pages() {
        assert_eq!(hex(b"A\n\xC1"), "410AC1");
        assert_eq!(text(b"A\nB", 819), "A.B");
        assert_eq!(text(b"\xC1\x00\x40", 37), "A. ");
    }

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
        assert_eq!(wanted(&Method::POST), Admin::Action(Action::Operate));
        assert_eq!(wanted(&Method::GET), Admin::Action(Action::Read));
        assert!(is_here("/region") && is_here("/region/x") && !is_here("/regions"));
    }
}
