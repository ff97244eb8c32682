//! Requests: head and body become an [`Operation`].

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode};
use message::{CorrelationId, MessageId, NewMessage, Selection};
use serde::Deserialize;

use crate::admin::{QueueBody, Shown};
use crate::batch;
use crate::descriptor;
use crate::id;
use crate::media::{Media, missing_type};
use crate::mqsc::Asked;
use crate::query::Query;
use crate::queue::{Change, Kind};
use crate::resource::{Resource, Version};
use crate::trouble::Trouble;

/// The header that a page of another site cannot send without asking first. Any value is good, also an empty one.
pub const CSRF: HeaderName = HeaderName::from_static("ibm-mq-rest-csrf-token");

/// The head of a request.
#[derive(Clone, Copy, Debug)]
pub struct Head<'r> {
    /// The method.
    pub method: &'r Method,
    /// The path, as it came.
    pub path: &'r str,
    /// The query, as it came.
    pub query: Option<&'r str>,
    /// The headers.
    pub headers: &'r HeaderMap,
}

/// A request whose head is understood.
#[derive(Clone, Debug)]
pub struct Request<'r> {
    head: Head<'r>,
    /// The version in its path.
    pub version: Version,
    /// The resource of its path.
    pub resource: Resource<'r>,
}

/// The operation that a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A token for a password.
    LogIn(Login),
    /// The end of a token.
    LogOut,
    /// Who the caller is.
    Who,
    /// Queue managers: all, or the one of this name.
    Managers(Option<String>),
    /// The installation, or the one of this name.
    Installations(Option<String>),
    /// A message is put.
    Put(String, Box<NewMessage>),
    /// Messages are put in one unit of work.
    PutBatch(String, Vec<NewMessage>),
    /// A message is published to a topic.
    Publish(String, Box<NewMessage>),
    /// A message is got.
    Get(String, Get),
    /// Messages are got in one unit of work, this many at most.
    GetBatch(String, Get, u32),
    /// A message is looked at.
    Browse(String, Get),
    /// Messages are listed, this many at most.
    List(String, Selection, Option<u32>),
    /// A reserved message is got for good.
    Confirm(String, MessageId),
    /// A reserved message goes back to its place.
    Release(String, MessageId),
    /// A command.
    Mqsc(Asked),
    /// Queues are shown.
    Queues(Queues),
    /// Channels are shown: all, or the one of this name.
    Channels(Option<String>),
    /// Subscriptions are shown.
    Subscriptions(Subscriptions),
    /// A queue is made.
    DefineQueue {
        /// Its kind.
        kind: Kind,
        /// Its name.
        name: String,
        /// A queue that is there is replaced.
        replace: bool,
        /// The queue from which it has what is not said.
        like: Option<String>,
        /// Its attributes.
        changes: Vec<Change>,
    },
    /// A queue is changed.
    AlterQueue {
        /// Its name.
        name: String,
        /// Its kind, if the body says it.
        kind: Option<Kind>,
        /// The changes.
        changes: Vec<Change>,
    },
    /// A queue is deleted.
    DeleteQueue {
        /// Its name.
        name: String,
        /// With its messages.
        purge: bool,
    },
}

/// User and password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The user's name.
    pub username: String,
    /// The password.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("username", &self.username).finish_non_exhaustive()
    }
}

/// How a message is got or looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Get {
    /// Which one.
    pub selection: Selection,
    /// Milliseconds to wait for it.
    pub wait_ms: u32,
    /// It is reserved for this number of milliseconds, and got when the client confirms it.
    pub reserve_ms: Option<u32>,
    /// The client takes bytes, so that a message need not be text.
    pub binary: bool,
    /// The answer has a header with the properties of the message, which must fit ([`Delivered::check_properties`](crate::Delivered)).
    pub properties: bool,
}

/// Which queues are shown, and what of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queues {
    /// The name, which may be generic; none is all.
    pub name: Option<String>,
    /// There must be one: the path names it.
    pub one: bool,
    /// Their kind.
    pub kind: Option<Kind>,
    /// The parts of them.
    pub shown: Shown,
}

/// Which subscriptions are shown, and what of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscriptions {
    /// The name, which may be generic; none is all.
    pub name: Option<String>,
    /// There must be one: the path names it.
    pub one: bool,
    /// Its id in hexadecimal.
    pub id: Option<String>,
    /// The attributes beside name, id and topics, with commas between them.
    pub attributes: Option<String>,
}

impl<'r> Request<'r> {
    /// Finds what a request leads to.
    ///
    /// # Errors
    /// The path leads nowhere, or does not offer the method.
    pub fn route(head: Head<'r>) -> Result<Self, Trouble> {
        let (version, resource) = Resource::parse(head.path)?;
        resource.check_method(head.method)?;
        Ok(Self { head, version, resource })
    }

    /// Whether the request asks for a token, for which nobody need be known.
    #[must_use]
    pub fn logs_in(&self) -> bool {
        self.resource == Resource::Login && self.head.method == Method::POST
    }

    /// Checks what keeps other sites' pages out. A login changes nothing that the browser could bring along.
    ///
    /// # Errors
    /// A request that changes something lacks the header.
    pub fn check_origin(&self) -> Result<(), Trouble> {
        if self.head.method == Method::GET || self.logs_in() || self.head.headers.contains_key(CSRF) {
            return Ok(());
        }
        let message = format!("The CSRF header '{CSRF}' was omitted from the request.");
        Err(Trouble {
            action: "Resubmit the request with the header. It may have any value.",
            ..Trouble::new(StatusCode::FORBIDDEN, "MQWB0100E", message)
        })
    }

    /// Whether the request has a body.
    #[must_use]
    pub fn takes_body(&self) -> bool {
        *self.head.method == Method::POST && !matches!(self.resource, Resource::Reservation(..))
            || *self.head.method == Method::PATCH
    }

    /// The operation that the request asks for. Needless bodies are ignored, because clients send some.
    ///
    /// # Errors
    /// A header, parameter or body that cannot be taken.
    pub fn operation(self, body: Bytes) -> Result<Operation, Trouble> {
        let Self { head, version, resource } = self;
        let query = Query::parse(head.query)?;
        let method = head.method.as_str();
        check_reserve(&resource, method, &query)?;
        Ok(match (resource, method) {
            (Resource::Login, "POST") => Operation::LogIn(login(head.headers, &body)?),
            (Resource::Login, "DELETE") => Operation::LogOut,
            (Resource::Login, _) => Operation::Who,
            (Resource::Managers(name), _) => Operation::Managers(name.map(Cow::into_owned)),
            (Resource::Installations(name), _) => Operation::Installations(name.map(Cow::into_owned)),
            (Resource::Message(_, queue), "POST") => {
                Operation::Put(queue.into_owned(), Box::new(put(version, head.headers, body)?))
            }
            (Resource::Message(_, queue), "DELETE") => {
                Operation::Get(queue.into_owned(), get(version, &query, head.headers)?)
            }
            (Resource::Message(_, queue), _) => {
                let get = get(version, &query, head.headers)?;
                Operation::Browse(queue.into_owned(), Get { wait_ms: 0, reserve_ms: None, ..get })
            }
            (Resource::List(_, queue), _) => {
                Operation::List(queue.into_owned(), selection(version, &query)?, query.limit)
            }
            (Resource::Batch(_, queue), "POST") => {
                Media::check_json(head.headers)?;
                Operation::PutBatch(queue.into_owned(), batch::parse(version, &body)?)
            }
            (Resource::Batch(_, queue), _) => {
                let get = get(version, &query, head.headers)?;
                let limit = query.limit.unwrap_or(batch::BATCH_MAX).min(batch::BATCH_MAX);
                Operation::GetBatch(queue.into_owned(), Get { reserve_ms: None, ..get }, limit)
            }
            (Resource::Reservation(_, queue, id), method) => {
                let id = MessageId::from_hex(&id).map_err(|_| unknown_reservation())?;
                let queue = queue.into_owned();
                if method == "DELETE" { Operation::Confirm(queue, id) } else { Operation::Release(queue, id) }
            }
            (Resource::Topic(_, topic), _) => {
                Operation::Publish(topic.into_owned(), Box::new(put(version, head.headers, body)?))
            }
            (Resource::Mqsc(_), _) => {
                Media::check_json(head.headers)?;
                Operation::Mqsc(Asked::parse(&body)?)
            }
            (Resource::Channels(_, name), _) => Operation::Channels(name.map(Cow::into_owned)),
            (Resource::Subscriptions(_, name), _) => Operation::Subscriptions(Subscriptions {
                one: name.is_some(),
                name: name.or(query.name).map(Cow::into_owned),
                id: query.id.map(Cow::into_owned),
                attributes: query.attributes.map(Cow::into_owned),
            }),
            (Resource::Queues(_, name), method) => queues(method, name, &query, head.headers, &body)?,
        })
    }
}

/// A reservation that is over, or never was.
#[must_use]
pub fn unknown_reservation() -> Trouble {
    Trouble::new(StatusCode::NOT_FOUND, "GTY0461W", "The reservation does not exist.")
        .because("It has ended, and its message is in its place again; or it was confirmed long ago.")
}

/// Only one message at a time can be reserved. A client that asks for more must not lose messages that it
/// believes to be reserved.
fn check_reserve(resource: &Resource<'_>, method: &str, query: &Query<'_>) -> Result<(), Trouble> {
    match query.reserve_ms {
        Some(milliseconds) if !matches!((resource, method), (Resource::Message(..), "DELETE")) => {
            let expected = "no such parameter: only a DELETE of one message reserves it";
            Err(Trouble::parameter("reserve", &milliseconds.to_string(), expected))
        }
        _ => Ok(()),
    }
}

fn login(headers: &HeaderMap, body: &[u8]) -> Result<Login, Trouble> {
    Media::check_json(headers)?;
    // The error does not quote the body, because it has a password.
    serde_json::from_slice(body)
        .map_err(|_| Trouble::body("Expected a JSON object with the texts 'username' and 'password'."))
}

fn put(version: Version, headers: &HeaderMap, body: Bytes) -> Result<NewMessage, Trouble> {
    let media = match Media::of(headers)? {
        Some(media) => media,
        None if body.is_empty() => Media::Text,
        None => return Err(missing_type()),
    };
    if media == Media::Text && std::str::from_utf8(&body).is_err() {
        let trouble = Trouble::new(StatusCode::BAD_REQUEST, "MQWB0301E", "The message cannot be created.");
        return Err(trouble.because("The body is not UTF-8. Bytes of any kind are application/octet-stream."));
    }
    Ok(media.message(descriptor::parse(version, headers)?, body.into()))
}

fn get(version: Version, query: &Query<'_>, headers: &HeaderMap) -> Result<Get, Trouble> {
    Ok(Get {
        selection: selection(version, query)?,
        wait_ms: query.wait_ms.unwrap_or(0),
        reserve_ms: query.reserve_ms,
        binary: Media::wants_binary(headers),
        properties: version == Version::V3,
    })
}

fn selection(version: Version, query: &Query<'_>) -> Result<Selection, Trouble> {
    let message = match query.message_id.as_deref() {
        None => MessageId::NONE,
        Some(text) => id::parse(version, text)
            .map(MessageId)
            .ok_or_else(|| Trouble::parameter("messageId", text, descriptor::expected_id(version)))?,
    };
    let correlation = match query.correlation_id.as_deref() {
        None => CorrelationId::NONE,
        Some(text) => descriptor::correlation(version, text)
            .map(CorrelationId)
            .ok_or_else(|| Trouble::parameter("correlationId", text, descriptor::expected_id(version)))?,
    };
    Ok(Selection::new(message, correlation))
}

fn queues(
    method: &str,
    path: Option<Cow<'_, str>>,
    query: &Query<'_>,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<Operation, Trouble> {
    let owned = |text: &Option<Cow<'_, str>>| text.as_ref().map(|text| text.clone().into_owned());
    let named = || Trouble::body("The member 'name' is missing.");
    match method {
        "GET" => {
            let kind = match query.r#type.as_deref() {
                None | Some("all") => None,
                Some(word) => {
                    let kind = Kind::of_word(word);
                    Some(kind.ok_or_else(|| {
                        Trouble::parameter("type", word, "local, alias, remote, model or all")
                    })?)
                }
            };
            let shown = Shown { attributes: owned(&query.attributes), status: owned(&query.status) };
            let one = path.is_some();
            let name = path.map(Cow::into_owned).or_else(|| owned(&query.name));
            Ok(Operation::Queues(Queues { name, one, kind, shown }))
        }
        "DELETE" => Ok(Operation::DeleteQueue {
            name: path.map(Cow::into_owned).ok_or_else(named)?,
            purge: query.purge,
        }),
        _ => {
            Media::check_json(headers)?;
            let QueueBody { name, kind, changes } = QueueBody::parse(body)?;
            if let Some(path) = path {
                if name.is_some_and(|name| name != path) {
                    return Err(Trouble::body("The member 'name' is not the queue of the path."));
                }
                return Ok(Operation::AlterQueue { name: path.into_owned(), kind, changes });
            }
            let name = name.ok_or_else(named)?;
            let kind = kind.unwrap_or(Kind::Local);
            Ok(Operation::DefineQueue {
                kind,
                name,
                replace: !query.no_replace,
                like: owned(&query.like),
                changes,
            })
        }
    }
}
